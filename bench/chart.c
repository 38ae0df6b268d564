/* Draws records: a row of bars for each, the slowest beside its reference first.
 * Must not know: how they were measured. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "tools/svg.h"

enum { LEFT = 420, HALF = 260, BAR = 9, GAP = 8, TOP = 84, NAMES = 16 };
#define DECADES 2.0 /* on either side of 1; longer bars are cut and show their number */

static const char *const colours[NAMES] = { "#3b6ea5", "#d08a2e", "#5a9e5a", "#a35fa0", "#b5443c", "#4aa3a3",
                                            "#8c7a4f", "#777777", "#99b7d6", "#e3bd8a", "#a6cfa6", "#cfb0ce",
                                            "#dba09b", "#a5d3d3", "#c9bfa3", "#bbbbbb" };

typedef struct chart {
    FILE *f;
    const char *name[NAMES]; /* the peers of bars; the reference of each case is "reference"     */
    int nname;
} chart;

static int colour_of(chart *c, const char *name)
{
    int i = 0;
    while (i < c->nname && strcmp(c->name[i], name) != 0)
        i++;
    if (i == c->nname && i < NAMES)
        c->name[c->nname++] = name;
    return i < NAMES ? i : NAMES - 1;
}

/* The ratio for a peer's bar, as for the reference: above 1 Orrery is ahead. Peers have the record's unit; the
 * ratios of rates are inverted. */
static double peer_ratio(const bench_record *r, int i)
{
    bool rate = r->ratio > 0.0 && fabs(r->ratio - r->value / r->reference_value) < 1e-9 * r->ratio;
    return rate ? r->value / r->peer[i].value : r->peer[i].value / r->value;
}

static int peers_of(const bench_record *r)
{
    int n = 0;
    while (n < BENCH_PEERS && r->peer[n].name)
        n++;
    return n;
}

static double worst(const bench_record *r)
{
    double least = r->ratio;
    for (int i = 0; i < peers_of(r); i++)
        least = fmin(least, peer_ratio(r, i));
    return least;
}

static int by_worst(const void *a, const void *b)
{
    double x = worst(*(const bench_record *const *)a), y = worst(*(const bench_record *const *)b);
    return (x > y) - (x < y);
}

static void one_bar(chart *c, double y, double ratio, int colour)
{
    char text[32];
    double x = ratio > 0.0 ? fmax(-DECADES, fmin(DECADES, log10(ratio))) / DECADES * HALF : -HALF;
    double middle = LEFT + HALF;
    bool inside = x < -0.85 * HALF; /* the label is close */
    svg_bar(c->f, x < 0.0 ? middle + x : middle, y, fabs(x), BAR - 1, colours[colour]);
    (void)snprintf(text, sizeof text, "%.3g", ratio);
    (void)fputs("<g font-size=\"9\">", c->f);
    if (inside)
        svg_text(c->f, middle + x + 3, y + BAR - 1.5, "start", "#fff", text);
    else
        svg_text(c->f, x < 0.0 ? middle + x - 3 : middle + x + 3, y + BAR - 1, x < 0.0 ? "end" : "start", "#333", text);
    (void)fputs("</g>\n", c->f);
}

/* "key": "word" becomes word, "key": 12 becomes key 12. */
static void label_of(const bench_record *r, char *label, size_t size)
{
    size_t n = (size_t)snprintf(label, size, "%s ", r->name);
    for (const char *p = r->params, *colon; *p && n + 4 < size; p = *p ? p + 1 : p) {
        bool key = *p == '"' && (colon = strchr(p + 1, '"')) && colon[1] == ':';
        if (key && strncmp(colon + 1, ": \"", 3) == 0)
            p = colon + 3;
        else if (*p != '"' && *p != ':')
            label[n++] = *p;
    }
    (void)strcpy(label + n, n + 4 < size ? "" : "…");
}

static double row(chart *c, const bench_record *r, double y)
{
    char label[68];
    label_of(r, label, sizeof label);
    svg_text(c->f, LEFT - 8, y + BAR, "end", "#000", label);
    one_bar(c, y, r->ratio, colour_of(c, "reference"));
    y += BAR;
    for (int i = 0; i < peers_of(r); i++, y += BAR)
        one_bar(c, y, peer_ratio(r, i), colour_of(c, r->peer[i].name));
    return y + GAP;
}

static void axis(chart *c, double bottom)
{
    static const double at[] = { 0.01, 0.1, 0.5, 1, 2, 10, 100 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char text[16];
        double x = LEFT + HALF + log10(at[i]) / DECADES * HALF;
        svg_line(c->f, x, TOP - 6, x, bottom, at[i] == 1 ? "#000" : "#ddd");
        (void)snprintf(text, sizeof text, "%g", at[i]);
        svg_text(c->f, x, TOP - 10, "middle", "#555", text);
    }
}

int bench_draw(const char *path, const bench_record *record, int n, const char *machine)
{
    const bench_record **order = malloc(((size_t)n + 1) * sizeof *order);
    chart c = { .f = order ? fopen(path, "we") : NULL };
    double height = TOP, y = TOP;
    if (!c.f) {
        perror(path);
        free(order);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        order[i] = &record[i];
        height += BAR * (1 + peers_of(&record[i])) + GAP;
        (void)colour_of(&c, "reference");
        for (int k = 0; k < peers_of(&record[i]); k++)
            (void)colour_of(&c, record[i].peer[k].name);
    }
    qsort(order, (size_t)n, sizeof *order, by_worst);
    svg_begin(
        c.f, LEFT + 2 * HALF + 60, (int)height + 10 + (c.nname + 2) / 3 * 18, machine,
        "How many times as fast as each case's reference (a limit or a direct call) and as peers; right of 1 is ahead. "
        "The worst first.");
    axis(&c, height - GAP);
    for (int i = 0; i < n; i++)
        y = row(&c, order[i], y);
    for (int i = 0; i < c.nname; i++) {
        svg_bar(c.f, 20 + i % 3 * 300, height + i / 3 * 18, 12, 10, colours[i]);
        svg_text(c.f, 38 + i % 3 * 300, height + 9 + i / 3 * 18, "start", "#000", c.name[i]);
    }
    svg_end(c.f);
    int bad = ferror(c.f) != 0;
    bad |= fclose(c.f) != 0;
    if (bad)
        (void)fprintf(stderr, "orrery-bench: %s could not be written\n", path);
    free(order);
    return bad;
}
