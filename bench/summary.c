/* Draws docs/summary.svg: the range of each section of docs/benchmarks.md, from docs/benchmarks-summary.txt on the input.
 * Must not know: how anything is measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/svg.h"

enum { LEFT = 330, WIDTH = 760, TOP = 78, ROW = 22, MOST = 20 };

typedef struct {
    char label[120];
    double least, largest;
} range;

static double place(double ratio)
{
    const double low = log(0.4), high = log(70);
    return LEFT + (WIDTH - LEFT - 40) * (log(ratio) - low) / (high - low);
}

static void draw_axis(int bottom)
{
    static const double at[] = { 0.5, 1, 2, 5, 10, 30 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%g", at[i]);
        svg_line(stdout, place(at[i]), TOP - 6, place(at[i]), bottom, at[i] == 1 ? "#000" : "#ddd");
        svg_text(stdout, place(at[i]), TOP - 10, "middle", "#555", text);
    }
}

static void draw_range(const range *r, double y)
{
    char text[32];
    double one = place(1), from = place(r->least), to = place(r->largest);
    svg_text(stdout, LEFT - 10, y + 11, "end", "#000", r->label);
    if (from < one)
        svg_bar(stdout, from, y, fmin(to, one) - from, 12, "#b5483a"); /* behind */
    if (to > one)
        svg_bar(stdout, fmax(from, one), y, to - fmax(from, one), 12, "#3b6ea5");
    (void)snprintf(text, sizeof text, "%g to %g", r->least, r->largest);
    svg_text(stdout, to + 6, y + 11, "start", "#333", text);
}

int main(void)
{
    range r[MOST];
    char line[300];
    int n = 0;
    while (n < MOST && fgets(line, sizeof line, stdin))
        if (*line != '#' && sscanf(line, "%119[^|] | %lf | %lf", r[n].label, &r[n].least, &r[n].largest) == 3) {
            for (size_t k = strlen(r[n].label); k > 0 && r[n].label[k - 1] == ' ';)
                r[n].label[--k] = 0;
            n++;
        }
    if (n == 0)
        return (void)fprintf(stderr, "usage: summary < docs/benchmarks-summary.txt > docs/summary.svg\n"), EXIT_FAILURE;
    svg_begin(stdout, WIDTH, TOP + n * ROW + 12, "How many times as fast as peers, on two cores of a processor",
              "The worst and the best case of each section of docs/benchmarks.md. Left of 1 (red) Orrery is behind.");
    draw_axis(TOP + n * ROW);
    for (int i = 0; i < n; i++)
        draw_range(&r[i], TOP + i * ROW + 4);
    svg_end(stdout);
    return 0;
}
