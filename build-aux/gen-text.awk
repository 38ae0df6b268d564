# Writes a C string literal that is the text, line by line.
# It must not know what the text says.
NR == 1 { print "/* Made from a file of the source tree; do not edit. */" }
{
    gsub(/\\/, "\\\\&")
    gsub(/"/, "\\\"")
    print "\"" $0 "\\n\""
}
