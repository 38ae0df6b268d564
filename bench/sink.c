/* Keeps records, prints them, writes them as JSON.
 * Must not know: how they were measured. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/device.h>
#include <orrery/info.h>
#include "bench/bench.h"

struct bench_sink {
    int n, cap, nfact;
    bench_record *record;
    orr_fact fact[64];
    FILE *table;
};

bench_sink *bench_sink_new(FILE *table)
{
    bench_sink *s = calloc(1, sizeof *s);
    if (s)
        s->table = table;
    return s;
}

void bench_sink_free(bench_sink *s)
{
    if (s)
        free(s->record);
    free(s);
}

FILE *bench_table(const bench_sink *s)
{
    return s->table;
}

int bench_add(bench_sink *s, const bench_record *r)
{
    if (s->n == s->cap) {
        int cap = s->cap ? 2 * s->cap : 16;
        bench_record *more = realloc(s->record, (size_t)cap * sizeof *more);
        if (!more)
            return 1;
        s->record = more;
        s->cap = cap;
    }
    if (s->n == 0)
        (void)fprintf(s->table, "%-10s %-34s %12s %-10s %12s  %s\n", "case", "params", "value", "unit", "reference",
                      "ratio");
    s->record[s->n++] = *r;
    char params[sizeof r->params];
    size_t k = 0;
    for (const char *c = r->params; *c; c++)
        if (*c != '"')
            params[k++] = *c;
    params[k] = 0;
    (void)fprintf(s->table, "%-10s %-34s %12.4g %-10s", r->name, params, r->value, r->unit);
    if (r->reference)
        (void)fprintf(s->table, " %12.4g  %.3f  (%s)", r->reference_value, r->ratio, r->reference);
    for (int i = 0; i < BENCH_PEERS && r->peer[i].name; i++)
        if (!r->reference || strcmp(r->peer[i].name, r->reference) != 0) /* the best peer may be the reference */
            (void)fprintf(s->table, "  %s %.4g", r->peer[i].name, r->peer[i].value);
    (void)fputc('\n', s->table);
    (void)fflush(s->table);
    return 0;
}

void bench_note_machine(bench_sink *s)
{
    const int most = (int)(sizeof s->fact / sizeof *s->fact);
    int n = orr_info(s->fact, most);
    s->nfact = n < most ? n : most;
    (void)fprintf(s->table, "%s\n\n", orr_engine_name());
}

/* -- JSON ------------------------------------------------------------------------------------------------ */

static void text(FILE *f, const char *s)
{
    (void)fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            (void)fprintf(f, "\\%c", c);
        else if (c < 0x20)
            (void)fprintf(f, "\\u%04x", c);
        else
            (void)fputc(c, f);
    }
    (void)fputc('"', f);
}

static void number(FILE *f, double x)
{
    if (isfinite(x))
        (void)fprintf(f, "%.9g", x);
    else
        (void)fputs("null", f);
}

static void record(FILE *f, const bench_record *r)
{
    (void)fputs("    {\"case\": ", f);
    text(f, r->name);
    (void)fprintf(f, ", \"params\": {%s}, \"metric\": ", r->params);
    text(f, r->metric);
    (void)fputs(", \"unit\": ", f);
    text(f, r->unit);
    (void)fputs(", \"value\": ", f);
    number(f, r->value);
    (void)fputs(", \"reference\": {\"name\": ", f);
    text(f, r->reference);
    (void)fputs(", \"value\": ", f);
    number(f, r->reference_value);
    (void)fputs("}, \"ratio\": ", f);
    number(f, r->ratio);
    (void)fputs(", \"peers\": {", f);
    for (int i = 0; i < BENCH_PEERS && r->peer[i].name; i++) {
        (void)fputs(i ? ", " : "", f);
        text(f, r->peer[i].name);
        (void)fputs(": ", f);
        number(f, r->peer[i].value);
    }
    (void)fputs("}}", f);
}

int bench_write_json(const bench_sink *s, const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!f) {
        perror(path);
        return 1;
    }
    (void)fputs("{\n  \"machine\": {", f);
    for (int i = 0; i < s->nfact; i++) {
        (void)fputs(i ? ",\n    " : "\n    ", f);
        text(f, s->fact[i].name);
        (void)fputs(": ", f);
        text(f, s->fact[i].value);
    }
    (void)fputs("\n  },\n  \"records\": [\n", f);
    for (int i = 0; i < s->n; i++) {
        record(f, &s->record[i]);
        (void)fputs(i + 1 < s->n ? ",\n" : "\n", f);
    }
    (void)fputs("  ]\n}\n", f);
    int bad = ferror(f);
    if (f != stdout && fclose(f) != 0)
        bad = 1;
    if (bad)
        (void)fprintf(stderr, "orrery-bench: %s could not be written\n", path);
    return bad ? 1 : 0;
}

static const char *fact(const bench_sink *s, const char *name)
{
    for (int i = 0; i < s->nfact; i++)
        if (strcmp(s->fact[i].name, name) == 0)
            return s->fact[i].value;
    return "";
}

int bench_write_svg(const bench_sink *s, const char *path)
{
    char machine[256];
    (void)snprintf(machine, sizeof machine, "orrery-bench %s on %s, %s threads", fact(s, "orrery"),
                   fact(s, "processor"), fact(s, "threads allowed"));
    return bench_draw(path, s->record, s->n, machine);
}
