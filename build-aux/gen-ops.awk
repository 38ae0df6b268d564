# Makes docs/ops.md: the element-wise functions from their table, the others from the texts in their header.
# usage: awk -f gen-ops.awk ops/elementwise.def include/orrery/ops.h include/orrery/random.h > docs/ops.md
# It must not know what an op means: it splits rows and texts into columns.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function unquote(s) { s = trim(s); gsub(/"[ \t]*"/, "", s); sub(/^"/, "", s); sub(/"$/, "", s); return s }
function cell(s) { gsub(/\|/, "\\|", s); gsub(/[ \t]+/, " ", s); return trim(s) }

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

function row(text,    arity, n, i, d, some, grad, args) {
    arity = text ~ /^UNARY/ ? 1 : text ~ /^BINARY/ ? 2 : 3
    sub(/^[A-Z_]+\(/, "", text); sub(/\)[ \t]*$/, "", text)
    n = columns(text)
    for (i = 1; i <= arity; i++) {
        d = unquote(col[5 + i])
        if (d != "") some = 1
        grad = grad (i > 1 ? "; " : "") "`" (d == "" ? "0" : d) "`"
    }
    args = arity == 1 ? "x" : arity == 2 ? "x, y" : "x, y, z"
    printf "| `orr_%s(%s)` | %s | %s | %s | %s | %s | %s |\n", trim(col[1]), args, cell(unquote(col[n])), \
        dtypes[trim(col[2])] (trim(col[3]) == "TRUTH" ? " → bool" : ""), some ? cell(grad) : "–", trim(col[4]), \
        trim(col[n - 3]) " … " trim(col[n - 2]), trim(col[n - 1])
}

# The part of a text after a mark such as "grad:", up to the next mark; "" where there is none.
function part(text, mark,    i, s, k, m, at) {
    i = index(text, mark)
    if (!i) return ""
    s = substr(text, i + length(mark))
    for (k = 1; k <= nmarks; k++) { m = index(s, marks[k]); if (m) s = substr(s, 1, m - 1) }
    return s
}

function lead(text,    k, m) {
    for (k = 1; k <= nmarks; k++) { m = index(text, marks[k]); if (m) text = substr(text, 1, m - 1) }
    return text
}

function dash(s) { s = cell(s); sub(/\.$/, "", s); return s == "" ? "–" : s }

function declaration(    sig, text) {
    sig = decl
    sub(/^ORR_API [a-z_0-9]+ \*?/, "", sig); sub(/\).*$/, ")", sig)
    gsub(/_at\(const char \*file, int line(, )?/, "(", sig); gsub(/[ \t]+/, " ", sig)
    if (decl ~ /^ORR_API orr_tensor/) {
        if (!heading_done) {
            print "\n" (heading == "" ? "## Other" : "## " heading) "\n"
            print "| function | value | dtypes | gradient | cost |"
            print "|---|---|---|---|---|"
            heading_done = 1
        }
        printf "| `%s` | %s | %s | %s | %s |\n", sig, cell(lead(doc)), dash(part(doc, "dtypes:")), \
            dash(part(doc, "grad:")), dash(part(doc, "cost:"))
    }
    decl = ""; doc = ""
}

BEGIN {
    nmarks = split("dtypes:;Errors:;Errors of;grad:;cost:;effects:;@param;@return", marks, ";")
    dtypes["FLOAT"] = "floats"; dtypes["WIDE"] = "f32 f64"; dtypes["INT"] = "ints"; dtypes["NUMERIC"] = "ints, floats"
    dtypes["INTBOOL"] = "bool, ints"; dtypes["BOOL"] = "bool"; dtypes["ALL"] = "all"
    print "# Operations\n"
    print "Made by `build-aux/gen-ops.awk` from `ops/elementwise.def` and the headers; a test fails when this page is"
    print "stale. Do not edit it. How to add one: [adding-an-op.md](adding-an-op.md).\n"
    print "Everywhere: operands promote as in the Python array API standard and broadcast as in NumPy; an `orr_scalar`"
    print "takes the dtype of the others; every value of f16 and bf16 that is stored is rounded, values inside of a kernel"
    print "may keep more precision ([fusion](fusion.md#precision-of-f16-and-bf16)); the result is lazy."
}

FILENAME ~ /\.def$/ && /^\/\* [a-z ]+ \*\/$/ {
    text = $0; gsub(/^\/\* | \*\/$/, "", text)
    print "\n## Element-wise: " text "\n"
    print "| function | value | dtypes | gradient by each operand | flop | samples | ulp |"
    print "|---|---|---|---|---|---|---|"
    next
}
FILENAME ~ /\.def$/ {
    if (open == "" && /^(UNARY|BINARY|TERNARY)(_CF?)?\(/) open = " "
    if (open != "") {
        whole = whole " " $0
        if ($0 ~ /"\)[ \t]*$/) { row(trim(whole)); whole = ""; open = "" }
    }
    next
}

FNR == 1 && !said {
    print "\nGradients are written in the operands x, y, z, the result r and its cotangent g. Samples: the interval from"
    print "which accuracy is sampled, besides special values. ulp: the error promised in f32 and f64 on every engine, in"
    print "units of the last place; f16 and bf16: 1."
    said = 1
}
FNR == 1 { heading = FILENAME ~ /random/ ? "Random numbers" : ""; heading_done = 0 }
/^\/\* -- / { heading = $0; gsub(/^\/\* -+ | -+ ?\*\/[ \t]*$/, "", heading); heading = toupper(substr(heading, 1, 1)) substr(heading, 2); heading_done = 0; next }
/^\/\*\*/ { in_doc = 1; doc = "" }
in_doc {
    text = $0
    sub(/^[ \t]*\/\*\*?[ ]?/, "", text); closing = text ~ /\*\//
    sub(/[ \t]*\*\/.*$/, "", text); sub(/^[ \t]*\*[ ]?/, "", text)
    doc = doc " " text
    if (closing) in_doc = 0
    next
}
/^ORR_API/ || decl != "" { decl = decl (decl == "" ? "" : " ") trim($0); if ($0 ~ /;/) declaration(); next }
