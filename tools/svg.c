/* Charts of bars as SVG text.
 * Must not know: the data. */
#include "config.h"
#include <stdbool.h>
#include "tools/svg.h"

/* The length in bytes of the UTF-8 character (RFC 3629) at the start of s; 0: not a character, or one that XML does
 * not allow. */
static int character(const unsigned char *s)
{
    int n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool early = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool none = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90) || /* surrogates; above the last */
                (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
    return early || none || *s < 0x20 ? 0 : n;
}

void svg_put(FILE *f, const char *s)
{
    for (int n; *s; s += n ? n : 1)
        switch (n = character((const unsigned char *)s), *s) {
        case '<': (void)fputs("&lt;", f); break;
        case '>': (void)fputs("&gt;", f); break;
        case '&': (void)fputs("&amp;", f); break;
        case '"': (void)fputs("&quot;", f); break;
        default: (void)fprintf(f, "%.*s", n ? n : 1, n ? s : "?");
        }
}

void svg_begin(FILE *f, int width, int height, const char *title, const char *note)
{
    (void)fprintf(f,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" shape-rendering=\"crispEdges\" "
                  "font-family=\"sans-serif\" "
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
