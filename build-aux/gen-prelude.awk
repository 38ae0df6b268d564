# Writes a C string literal from ops/ew_prelude.h, for the emitters of OpenCL C and CUDA C.
# It must not know what the text says; comments and indentation are left out.
BEGIN { print "/* Made from ops/ew_prelude.h; do not edit. */" }
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
    if (out == "") next
    gsub(/\\/, "\\\\", out); gsub(/"/, "\\\"", out)
    print "\"" out "\\n\""
}
