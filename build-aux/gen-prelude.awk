# Writes a C string literal from a header, for the emitters of kernels.
# It must not know what the text says; comments, indentation and #include lines are left out. With -v undefine=ORR_ the text ends its macros,
# but for those whose names begin so.
NR == 1 { print "/* Made from " FILENAME "; do not edit. */" }
{
    line = $0
    out = ""
    while (line != "") {
        if (inside) {
            i = index(line, "*/")
            if (!i) { line = ""; break }
            line = substr(line, i + 2); inside = 0
        } else {
            i = index(line, "/*")
            if (!i) { out = out line; line = ""; break }
            out = out substr(line, 1, i - 1); line = substr(line, i + 2); inside = 1
        }
    }
    sub(/^[ \t]+/, "", out); sub(/[ \t]+$/, "", out)
    if (out == "" || out ~ /^#[ \t]*include/) next
    if (undefine != "" && match(out, /^#[ \t]*define[ \t]+[A-Za-z0-9_]+/)) {
        name = substr(out, 1, RLENGTH)
        sub(/^#[ \t]*define[ \t]+/, "", name)
        if (index(name, undefine) != 1 && !(name in seen)) undo = undo "\"#undef " name "\\n\"\n"
        seen[name] = 1
    }
    ends = "\\n"
    if (sub(/[ \t]*\\$/, " ", out)) ends = "" # the line goes on
    gsub(/"/, "\\\"", out)
    print "\"" out ends "\""
}
END { printf "%s", undo }
