# Makes docs/array-api.md: the functions of the Python array API standard with Orrery's names, from their table.
# usage: awk -f gen-array-api.awk docs/array-api.def > docs/array-api.md
# It must not know any function: it splits rows into columns.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function note_of(s) { sub(/^[^"]*"/, "", s); sub(/"[ \t]*\)[ \t]*$/, "", s); gsub(/\\"/, "\"", s); return s }

/^CATEGORY\(/ {
    split($0, col, ",")
    title = note_of($0); order[++n] = title; total[title] = trim(col[2]) + 0
}
/^ROW\(/ {
    text = $0; sub(/^ROW\(/, "", text); split(text, col, ",")
    name = trim(col[1]); ours = trim(col[2]); note = note_of($0)
    if (ours == "NONE") { ours = "absent" } else { have[title]++; ours = "`" ours "`" }
    rows[title] = rows[title] "| `" name "` | " ours " | " note " |\n"
}
END {
    print "# The Python array API standard"
    print ""
    print "Made by `build-aux/gen-array-api.awk` from `docs/array-api.def`; a test fails when this page is stale. Do not edit it."
    print "Version 2024.12 of the standard, its main functions and both extensions. The texts of the functions are in"
    print "[api.md](api.md) and [ops.md](ops.md)."
    print ""
    print "| category | in the standard | here |"
    print "|---|---|---|"
    for (i = 1; i <= n; i++) printf "| %s | %d | %d |\n", order[i], total[order[i]], have[order[i]]
    for (i = 1; i <= n; i++) {
        print "\n## " order[i] "\n\n| standard | Orrery | note |\n|---|---|---|"
        printf "%s", rows[order[i]]
    }
}
