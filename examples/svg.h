/* Pictures as SVG text: shared by the examples that draw. Texts have none of XML's reserved characters.
 * Must not know: an example. */
#ifndef EXAMPLES_SVG_H
#define EXAMPLES_SVG_H

#include <stdio.h>

/* One line of text; anchor: "start", "middle" or "end". */
static inline void svg_text(FILE *f, double x, double y, const char *anchor, const char *colour, const char *text)
{
    (void)fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, colour,
                  text);
}

static inline void svg_bar(FILE *f, double x, double y, double width, double height, const char *colour)
{
    (void)fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height,
                  colour);
}

static inline void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *colour)
{
    (void)fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}

/* A picture on white: `title` above, `note` below it in grey. */
static inline void svg_begin(FILE *f, int width, int height, const char *title, const char *note)
{
    (void)fprintf(f,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" shape-rendering=\"crispEdges\" "
                  "font-family=\"sans-serif\" font-size=\"12\">\n",
                  width, height);
    svg_bar(f, 0, 0, width, height, "white");
    svg_text(f, 12, 22, "start", "black", title);
    svg_text(f, 12, 42, "start", "#555", note);
}

static inline void svg_end(FILE *f)
{
    (void)fputs("</svg>\n", f);
}

#endif
