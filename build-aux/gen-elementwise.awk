# Writes include/orrery/elementwise.h, the public declarations, from ops/elementwise.def.
# It must not know what a row means: it splits rows into columns and copies them.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# Text of a column of string literals: quotes and the joints between adjacent literals taken out.
function unquote(s) { s = trim(s); gsub(/"[ \t]*"/, "", s); sub(/^"/, "", s); sub(/"$/, "", s); return s }

# Splits the text between a row's parentheses at its outer commas into col[1…]; returns their number.
function columns(text,    i, c, depth, quoted, n, from) {
    n = 0; depth = 0; quoted = 0; from = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\"") quoted = !quoted
        else if (quoted) continue
        else if (c == "(") depth++
        else if (c == ")") depth--
        else if (c == "," && depth == 0) { col[++n] = substr(text, from, i - from); from = i + 1 }
    }
    col[++n] = substr(text, from)
    return n
}

function row(text,    macro, arity, n, want, name, types, doc, grad, i, d, some, params) {
    macro = text; sub(/\(.*/, "", macro)
    arity = macro ~ /^UNARY/ ? 1 : macro ~ /^BINARY/ ? 2 : 3
    sub(/^[A-Z_]+\(/, "", text); sub(/\)[ \t]*$/, "", text)
    n = columns(text)
    want = 9 + arity + (macro ~ /_CF?$/ ? 2 + arity : 0) + (macro ~ /F$/)
    if (n != want) {
        printf "gen-elementwise.awk: line %d: %s has %d columns, not %d\n", NR, macro, n, want > "/dev/stderr"
        failed = 1
        return
    }
    name = trim(col[1]); types = trim(col[2])
    doc = unquote(col[n])
    some = 0; grad = ""
    for (i = 1; i <= arity; i++) {
        d = unquote(col[5 + i])
        if (d != "") some = 1
        grad = grad (i > 1 ? "; " : "") "d" substr("xyz", i, 1) " = " (d == "" ? "0" : d)
    }
    if (!some) grad = "none: no gradient flows through it"
    params = arity == 1 ? "orr_tensor *x" : arity == 2 ? "orr_tensor *x, orr_tensor *y" : \
             "orr_tensor *x, orr_tensor *y, orr_tensor *z"
    printf "/** %s.\n", doc
    printf " * dtypes:   %s%s%s\n", dtypes[types], macro ~ /_CF?$/ && types != "ALL" ? " c64 c128" (macro ~ /F$/ ? " fr254 fq254" : "") : "", results[trim(col[3])] (macro ~ /_CF?$/ && trim(col[6 + arity]) == "PART" ? " Of complex numbers the result is real." : "")
    printf " * grad:     %s\n", grad
    printf " * cost:     %s flop an element */\n", trim(col[4])
    printf "ORR_API orr_tensor *orr_%s_at(const char *file, int line, %s);\n", name, params
    printf "#define orr_%s(...) orr_%s_at(ORR_HERE, __VA_ARGS__)\n\n", name, name
}

BEGIN {
    dtypes["FLOAT"] = "f16 bf16 f32 f64"; dtypes["WIDE"] = "f32 f64"; dtypes["INT"] = "i8…i64 u8…u64"
    dtypes["NUMERIC"] = "i8…i64 u8…u64 f16 bf16 f32 f64"; dtypes["INTBOOL"] = "bool i8…i64 u8…u64"
    dtypes["BOOL"] = "bool"; dtypes["ALL"] = "all"
    results["SAME"] = ", promoted."; results["TRUTH"] = ", promoted; the result is bool."
    results["PAIR"] = ", promoted; the result is complex."
    results["COND"] = " for y and z, promoted; x is bool."
    print "/* The element-wise functions. Made from ops/elementwise.def; do not edit."
    print " * Must not know: how a function is computed. */"
    print "#ifndef ORRERY_ELEMENTWISE_H\n#define ORRERY_ELEMENTWISE_H\n"
    print "#include <orrery/tensor.h>\n"
    print "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    print "/* For all of them. Operands broadcast as in NumPy and promote as in the Python array API standard. An"
    print " * orr_scalar takes the dtype of the other operands. The result is owned by the current scope; it is poison on"
    print " * ORR_ESHAPE (shapes do not broadcast), ORR_EDTYPE (the message names the cast to write), ORR_EINVAL (NULL),"
    print " * ORR_EHANDLE. f16 and bf16 are computed in f32 and rounded. Lazy. Safe from any thread. */\n"
}
open == "" && /^(UNARY|BINARY|TERNARY)(_CF?)?\(/ { open = " " }
open != "" {
    text = text " " $0
    if ($0 ~ /"\)[ \t]*$/) { row(trim(text)); text = ""; open = "" }
}
END {
    if (open != "") { print "gen-elementwise.awk: the last row has no end" > "/dev/stderr"; failed = 1 }
    print "#ifdef __cplusplus\n}\n#endif\n#endif"
    exit failed
}
