/* Tables and pictures of orrery-scale: efficiency by the number of nodes.
 * Must not know: the source of the figures. */
#include "config.h"
#include <math.h>
#include <string.h>
#include "tools/scale_chart.h"
#include "tools/svg.h"

enum { LEFT = 56, WIDE = 420, GAP = 60, TOP = 72, HIGH = 260, ROW = 18 };

static const char *const colour[] = { "#3b6ea5", "#c0602c", "#4d8a4d", "#8a5a9e", "#b09030", "#408f8f" };
enum { COLOURS = sizeof colour / sizeof *colour };

static double across(int panel, double nodes, double most)
{
    return LEFT + panel * (WIDE + GAP) + (most > 1 ? log2(nodes) / log2(most) * WIDE : 0);
}

static double up(double efficiency, double top)
{
    return TOP + HIGH * (1 - efficiency / top);
}

static void frame(FILE *f, int panel, const char *title, double most, double top)
{
    char text[32];
    double left = across(panel, 1, most);
    svg_text(f, left, TOP - 12, "start", "#000", title);
    for (double e = 0; e <= top + 1e-9; e += 0.2) {
        svg_line(f, left, up(e, top), left + WIDE, up(e, top), "#ddd");
        (void)snprintf(text, sizeof text, "%.1f", e);
        svg_text(f, left - 6, up(e, top) + 4, "end", "#555", text);
    }
    for (double n = 1; n <= most; n *= most > 64 ? 4 : 2) {
        (void)snprintf(text, sizeof text, "%.0f", n);
        svg_text(f, across(panel, n, most), TOP + HIGH + 18, "middle", "#555", text);
    }
    svg_text(f, left + WIDE / 2.0, TOP + HIGH + 36, "middle", "#555", "nodes");
}

static void line(FILE *f, int panel, const scale_curve *c, double most, double top, const char *ink)
{
    (void)fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" shape-rendering=\"auto\"%s points=\"",
                  ink, c->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (int i = 0; i < c->n; i++)
        (void)fprintf(f, "%s%.1f,%.1f", i ? " " : "", across(panel, c->nodes[i], most), up(c->efficiency[i], top));
    (void)fputs("\"/>\n", f);
    for (int i = 0; i < c->n; i++)
        (void)fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" shape-rendering=\"auto\"/>\n",
                      across(panel, c->nodes[i], most), up(c->efficiency[i], top), ink);
}

bool scale_chart(const char *path, const char *note, const scale_curve *c, int n, const char *const *panel, int panels)
{
    double most = 1, top = 1;
    int rows = 0;
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < c[i].n; k++) {
            most = c[i].nodes[k] > most ? c[i].nodes[k] : most;
            top = c[i].efficiency[k] > top ? c[i].efficiency[k] : top;
        }
    top = ceil(top * 5 - 1e-9) / 5;
    for (int p = 0; p < panels; p++) {
        int of = 0;
        for (int i = 0; i < n; i++)
            of += c[i].panel == p;
        rows = of > rows ? of : rows;
    }
    svg_begin(f, LEFT + panels * (WIDE + GAP), TOP + HIGH + 56 + rows * ROW, "Simulated efficiency", note);
    for (int p = 0; p < panels; p++) {
        frame(f, p, panel[p], most, top);
        for (int i = 0, row = 0; i < n; i++) {
            if (c[i].panel != p)
                continue;
            const char *ink = colour[c[i].colour % COLOURS];
            double x = across(p, 1, most), y = TOP + HIGH + 60 + row++ * ROW;
            line(f, p, &c[i], most, top, ink);
            (void)fprintf(
                f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x,
                y - 4, x + 28, y - 4, ink, c[i].dashed ? " stroke-dasharray=\"6 4\"" : "");
            svg_text(f, x + 36, y, "start", "#000", c[i].label);
        }
    }
    svg_end(f);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}
