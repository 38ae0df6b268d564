/* Charts of bars as SVG text.
 * Must not know: what is drawn. */
#include "config.h"
#include "tools/svg.h"

void svg_put(FILE *f, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<': (void)fputs("&lt;", f); break;
        case '>': (void)fputs("&gt;", f); break;
        case '&': (void)fputs("&amp;", f); break;
        case '"': (void)fputs("&quot;", f); break;
        default:
            if ((unsigned char)*s >= 0x20)
                (void)putc(*s, f);
        }
}

void svg_begin(FILE *f, int width, int height, const char *title, const char *note)
{
    (void)fprintf(f,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                  "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"12\" y=\"22\" "
                  "font-size=\"15\">",
                  width, height);
    svg_put(f, title);
    (void)fputs("</text>\n", f);
    svg_text(f, 12, 42, "start", "#555", note);
}

void svg_end(FILE *f)
{
    (void)fputs("</svg>\n", f);
}

void svg_text(FILE *f, double x, double y, const char *anchor, const char *colour, const char *text)
{
    (void)fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, colour);
    svg_put(f, text);
    (void)fputs("</text>\n", f);
}

void svg_bar(FILE *f, double x, double y, double width, double height, const char *colour)
{
    (void)fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height,
                  colour);
}

void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *colour)
{
    (void)fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}
