/* Bar charts as SVG text, for orrery-tune and orrery-bench.
 * Must not know: the data. */
#ifndef ORR_TOOLS_SVG_H
#define ORR_TOOLS_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Begins a picture on white: `title` large, `note` below it in grey; both are escaped as by svg_put. */
void svg_begin(FILE *f, int width, int height, const char *title, const char *note);
void svg_end(FILE *f);
/* Writes the text with XML's reserved characters escaped and control characters left out. */
void svg_put(FILE *f, const char *text);
/* Draws one line of text; anchor: "start", "middle" or "end". */
void svg_text(FILE *f, double x, double y, const char *anchor, const char *colour, const char *text);
void svg_bar(FILE *f, double x, double y, double width, double height, const char *colour);
void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *colour);

#endif
