# Makes docs/api.md from the public headers: per header its purpose, then every function, type and macro with its text.
# usage: awk -f gen-api.awk include/orrery.h > docs/api.md       (POSIX awk; headers in the order of orrery.h)

BEGIN {
  top = ARGV[1]
  dir = top
  sub(/[^\/]*$/, "", dir)
  ARGC = 1
  while ((getline line < top) > 0)
    if (line ~ /^#include <orrery\// && line !~ /elementwise/) {
      gsub(/^#include <|>.*$/, "", line)
      ARGV[ARGC++] = dir line
    }
  print "# The public API"
  print ""
  print "Made from the headers in `include/orrery/` by `build-aux/gen-api.awk`; a test fails when this page is stale. Do not edit it."
  print "The element-wise functions come from a table and have a page of their own: [ops.md](ops.md)."
  print ""
  print "A function `orr_f_at(file, line, …)` is called as `orr_f(…)`, a macro that supplies file and line; it is shown"
  print "that way here."
}

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

# One line of a comment without its marks.
function bare(s) {
  sub(/^[ \t]*\/\*\*?[ ]?/, "", s)
  sub(/[ \t]*\*\/[ \t]*$/, "", s)
  sub(/^[ \t]*\*[ ]?/, "", s)
  return s
}

function flush_entry(   n, i, line, l) {
  if (decl == "") return
  print ""
  print "```c"
  n = split(decl, l, "\n")
  for (i = 1; i <= n; i++) if (l[i] != "") print l[i]
  print "```"
  if (doc != "") {
    print ""
    n = split(doc, l, "\n")
    for (i = 1; i <= n; i++) {
      line = l[i]
      if (line ~ /^@param/ || line ~ /^@return/ || line ~ /^[a-z]+:[ ]/) print "  " line "  "
      else print line
    }
  }
  decl = ""; doc = ""
}

FNR == 1 {
  flush_entry()
  name = FILENAME
  sub(/^.*include\//, "", name)
  print ""
  print "## `<" name ">`"
  print ""
  in_head = 1
}

# The comment that opens a file: its purpose.
in_head {
  text = bare($0)
  if (text !~ /^Must not know/) print text
  if ($0 ~ /\*\//) in_head = 0
  next
}

/^#ifdef __cplusplus/ { skip_c = 1; next }
skip_c { if (/^#endif/) skip_c = 0; next }

# A doc comment opens a new entry.
/^\/\*\*/ {
  flush_entry()
  in_doc = 1
  doc = ""
}
in_doc {
  text = bare($0)
  doc = doc (doc == "" ? "" : "\n") text
  if ($0 ~ /\*\/[ \t]*$/) in_doc = 0
  next
}

/^\/\* -- / {
  flush_entry()
  text = $0
  gsub(/^\/\* -+ | -+ ?\*\/$/, "", text)
  print ""
  print "### " trim(text)
  next
}

# Declarations: collected up to their end. The trailing comment of a one-line declaration stays in it.
/^ORR_API/ || in_decl {
  line = $0
  in_decl = line !~ /;/
  sub(/^ORR_API /, "", line)
  gsub(/_at\(const char \*file, int line, /, "(", line)
  gsub(/_at\(const char \*file, int line\)/, "(void)", line)
  decl = decl line "\n"
  next
}

# Types: whole.
/^typedef/ || in_type {
  if (!in_type) depth = 0
  decl = decl $0 "\n"
  opened = gsub(/\{/, "{"); closed = gsub(/\}/, "}")
  depth += opened - closed
  in_type = depth > 0 || $0 !~ /;/
  next
}

# Macros that are no more than the spelling of a function are not shown.
/^#define ORR_[A-Z]/ && !/_H$/ && !/^#define ORR_(API|PRINTF)/ {
  line = $0
  sub(/[ \t]*\\$/, " …", line)
  decl = decl line "\n"
  next
}

/^$/ { if (decl != "") flush_entry(); else doc = "" }

END { flush_entry() }
