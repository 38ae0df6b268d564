/* The results of orrery-tune: a table, a chart, a file for batch scripts.
 * Must not know: how the points were chosen. */
#include "config.h"
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/svg.h"
#include "tools/tune.h"

void tune_name(const tune_options *o, const tune_point *p, char *to, size_t size)
{
    static const char *const before[TUNE_KNOWN] = { "", "workers ", "tiles " }, *const after[TUNE_KNOWN] = { "", "",
                                                                                                             " us" };
    size_t n = 0;
    to[0] = '\0';
    for (int i = 0; i < TUNE_VARS && n < size; i++) {
        bool known = i < TUNE_KNOWN;
        if (p->value[i][0])
            n += (size_t)snprintf(to + n, size - n, "%s%s%s%s%s", n ? ", " : "", known ? before[i] : o->var[i].name,
                                  known ? "" : " ", p->value[i], known ? after[i] : "");
    }
    if (!n)
        (void)snprintf(to, size, "as it is");
}

bool tune_beats(const tune_point *a, const tune_point *b)
{
    return a->runs > 0 && b->runs > 0 && a->median + 2 * (a->spread + b->spread) < b->median;
}

static const char *unit(const tune_options *o)
{
    return o->metric ? o->metric : "seconds";
}

void tune_table(FILE *to, const tune_options *o, const tune_point *p, const int *order, int n)
{
    (void)fprintf(to, "%-40s %5s %12s %10s %10s\n", "settings", "runs", unit(o), "+-", "as it is/");
    for (int k = 0; k < n; k++) {
        const tune_point *q = &p[order[k]];
        char name[96];
        tune_name(o, q, name, sizeof name);
        if (q->why[0] || q->runs == 0)
            (void)fprintf(to, "%-40s %5d %s\n", name, q->runs, q->why[0] ? q->why : "its turn did not come");
        else
            (void)fprintf(to, "%-40s %5d %12.4g %10.2g %10.3f\n", name, q->runs, q->median, q->spread,
                          q->median > 0 ? p[0].median / q->median : 0.0);
    }
}

/* The program and its arguments, cut to the buffer; a control character becomes a space. */
static void program_line(const tune_options *o, char *to, size_t size)
{
    size_t n = 0;
    to[0] = '\0';
    for (int i = 0; o->program[i] && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%s", i ? " " : "", o->program[i]);
    for (char *c = to; *c; c++) /* the line must remain a comment */
        *c = (unsigned char)*c < 0x20 ? ' ' : *c;
}

enum { LEFT = 250, WIDE = 520, STEP = 22, TOP = 56 };

static void bar(FILE *f, const tune_options *o, const tune_point *q, int row, double scale, bool first)
{
    char name[96];
    int y = TOP + row * STEP;
    tune_name(o, q, name, sizeof name);
    svg_text(f, LEFT - 8, y + 13, "end", "#000", name);
    svg_bar(f, LEFT, y + 2, q->median * scale, STEP - 7, first ? "#8a8a8a" : q->out ? "#c6d3e0" : "#3b6ea5");
    for (int i = 0; i < q->runs; i++)
        (void)fprintf(f, "<circle cx=\"%.1f\" cy=\"%d\" r=\"2\" fill=\"#222\" fill-opacity=\"0.5\"/>\n",
                      LEFT + q->time[i] * scale, y + STEP / 2 - 1);
    (void)snprintf(name, sizeof name, "%.3g", q->median);
    svg_text(f, LEFT + WIDE + 72, y + 13, "end", "#555", name); /* a column, since dots lie beside the bar */
}

bool tune_chart(const char *path, const tune_options *o, const tune_point *p, const int *order, int n)
{
    FILE *f = fopen(path, "we");
    double most = 0;
    int rows = 0;
    if (!f)
        return false;
    for (int k = 0; k < n; k++)
        if (p[order[k]].runs > 0) {
            rows++;
            for (int i = 0; i < p[order[k]].runs; i++)
                most = p[order[k]].time[i] > most ? p[order[k]].time[i] : most;
        }
    char title[512], note[160];
    program_line(o, title, sizeof title);
    (void)snprintf(note, sizeof note,
                   "bar and number: median of the runs, %s; a dot is a run; grey: as it is; pale: left the race early", unit(o));
    svg_begin(f, LEFT + WIDE + 80, TOP + rows * STEP + 16, title, note);
    for (int k = 0, row = 0; k < n; k++)
        if (p[order[k]].runs > 0)
            bar(f, o, &p[order[k]], row++, most > 0 ? WIDE / most : 0, order[k] == 0);
    svg_end(f);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}

/* Writes an assignment that a shell reads back unchanged. */
static void export_line(FILE *f, const char *name, const char *value)
{
    const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+.:/%@";
    if (value[strspn(value, plain)] == '\0') {
        (void)fprintf(f, "export %s=%s\n", name, value);
        return;
    }
    (void)fprintf(f, "export %s='", name);
    for (const char *c = value; *c; c++) {
        if (*c == '\'')
            (void)fputs("'\\'", f); /* the end of the quotes, a quote; the next character reopens them */
        (void)fputc(*c, f);
    }
    (void)fputs("'\n", f);
}

bool tune_env(const char *path, const tune_options *o, const tune_point *p, int best)
{
    FILE *f = fopen(path, "we");
    char host[128] = "", day[32] = "", name[96], line[512];
    time_t t = time(NULL);
    struct tm tm;
    if (!f)
        return false;
    (void)gethostname(host, sizeof host - 1);
    if (gmtime_r(&t, &tm))
        (void)strftime(day, sizeof day, "%Y-%m-%d", &tm);
    program_line(o, line, sizeof line);
    (void)fprintf(f, "# Written by orrery-tune on %s, %s, for: %s\n", host, day, line);
    (void)fprintf(f, "# as it is: %.4g %s, median of %d runs\n", p[0].median, unit(o), p[0].runs);
    if (best == 0) {
        (void)fputs("# Nothing was faster than that beyond the scatter of the runs: nothing is set.\n", f);
    } else {
        tune_name(o, &p[best], name, sizeof name);
        (void)fprintf(f, "# %s: %.4g, median of %d runs\n", name, p[best].median, p[best].runs);
        for (int i = 0; i < TUNE_VARS; i++)
            if (p[best].value[i][0])
                export_line(f, o->var[i].name, p[best].value[i]);
    }
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}
