/* Runs a program with its trace and notes, and writes one HTML file of both; draws the roofline as SVG.
 * Must not know: the meaning of a kernel. */
#include "config.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/output.h"
#include "tools/svg.h"

static const char usage[] =
    "NAME\n"
    "  orrery-report - one self-contained HTML page on what a program did\n"
    "SYNOPSIS\n"
    "  orrery-report [-o FILE.html] [--roofline FILE.svg] PROGRAM [ARGUMENT…]\n"
    "OPTIONS\n"
    "  -o FILE.html          the page; orrery-report.html otherwise\n"
    "  --roofline FILE.svg   also draws the roofline by source line\n"
    "The page has the notes (ORRERY_NOTES), a time line of lanes (ORRERY_TRACE) with zoom by wheel and keys, the "
    "roofline,\n"
    "memory by owner, kernels with what is not fused and why, and the regret of trials. It needs no network.\n"
    "EXIT STATUS\n"
    "  that of the program; 1 if the page cannot be written; 2: wrong arguments.\n";

static const char page[] =
#include "tools/report_text.h"
    ;

/* Spans beyond these are left out. */
enum { SPANS_MOST = 300000 };

/* Strings by number. They are as the trace has them: escaped for JSON. */
typedef struct {
    char **text;
    int n, capacity, *slot, slots;
} words;

typedef struct {
    words names, places;
    int nspans;
} report;

static int fail(const char *what, const char *of)
{
    (void)fprintf(stderr, "orrery-report: %s%s\n", what, of);
    return 1;
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    for (; *s; s++)
        h = 33 * h + (unsigned char)*s;
    return h;
}

/* Makes room for one more; false: no memory. */
static bool grow(words *w)
{
    if (w->n < w->capacity)
        return true;
    int capacity = w->capacity ? 2 * w->capacity : 256;
    char **text = realloc(w->text, (size_t)capacity * sizeof *text);
    int *slot = text ? calloc(2 * (size_t)capacity, sizeof *slot) : NULL;
    w->text = text ? text : w->text;
    if (!slot)
        return false;
    free(w->slot);
    w->slot = slot;
    w->capacity = capacity;
    w->slots = 2 * capacity;
    for (int i = 0; i < w->n; i++) {
        unsigned at = hash(w->text[i]) % (unsigned)w->slots;
        while (slot[at])
            at = (at + 1) % (unsigned)w->slots;
        slot[at] = i + 1;
    }
    return true;
}

/* The number of a string; 0 if there is no memory. */
static int number(words *w, const char *s)
{
    if (!grow(w))
        return 0;
    unsigned at = hash(s) % (unsigned)w->slots;
    for (; w->slot[at]; at = (at + 1) % (unsigned)w->slots)
        if (strcmp(w->text[w->slot[at] - 1], s) == 0)
            return w->slot[at] - 1;
    if (!(w->text[w->n] = strdup(s)))
        return 0;
    w->slot[at] = ++w->n;
    return w->n - 1;
}

/* -- the trace, an event a line ---------------------------------------------------------------------------- */

/* The string behind `"key":"`, still escaped. */
static const char *string_of(const char *line, const char *key, char *to, size_t size)
{
    char want[32];
    size_t n = 0;
    (void)snprintf(want, sizeof want, "\"%s\":\"", key);
    const char *p = strstr(line, want);
    for (p = p ? p + strlen(want) : NULL; p && *p && *p != '"' && n + 3 < size; p++) {
        if (*p == '\\' && p[1])
            to[n++] = *p++;
        to[n++] = *p;
    }
    to[n] = '\0';
    return to;
}

static double number_of(const char *line, const char *key)
{
    char want[32];
    (void)snprintf(want, sizeof want, "\"%s\":", key);
    const char *p = strstr(line, want);
    return p ? strtod(p + strlen(want), NULL) : 0;
}

static void take_span(report *r, FILE *out, const char *line)
{
    char name[512], place[2048], kind[32];
    if (r->nspans >= SPANS_MOST)
        return;
    (void)string_of(line, "cat", kind, sizeof kind);
    fprintf(out, "%s[%.0f,%.1f,%.1f,%d,%d,%d]", r->nspans++ ? "," : "", number_of(line, "tid"), number_of(line, "ts"),
            number_of(line, "dur"), number(&r->names, string_of(line, "name", name, sizeof name)),
            number(&r->places, string_of(line, "at", place, sizeof place)),
            strcmp(kind, "kernel") == 0 ? 0
            : strcmp(kind, "call") == 0 ? 1
                                        : 2);
}

/* Values of one counter follow each other in the page, so each has a text of its own. */
typedef struct {
    char name[64];
    char *text;
    size_t size;
    FILE *f;
} counter;
enum { COUNTERS = 24 };

static void take_count(counter *all, const char *line)
{
    char name[64];
    (void)string_of(line, "name", name, sizeof name);
    for (counter *c = all; c < all + COUNTERS; c++) {
        bool is_new = !c->f && (c->f = open_memstream(&c->text, &c->size));
        if (is_new)
            (void)snprintf(c->name, sizeof c->name, "%s", name);
        if (!c->f)
            return;
        if (strcmp(c->name, name) == 0) {
            fprintf(c->f, "%s[%.0f,%.0f]", is_new ? "" : ",", number_of(line, "ts"), number_of(line, "value"));
            return;
        }
    }
}

static void put_words(FILE *out, const char *name, const words *w)
{
    fprintf(out, ",\n\"%s\":[", name);
    for (int i = 0; i < w->n; i++) {
        fprintf(out, "%s\"", i ? "," : "");
        for (const char *p = w->text[i]; *p; p++)
            if (*p == '<')
                (void)fputs("\\u003c", out);
            else
                (void)putc(*p, out);
        (void)putc('"', out);
    }
    (void)putc(']', out);
}

static void put_counts(FILE *out, counter *all)
{
    fprintf(out, ",\n\"counts\":{");
    for (counter *c = all; c < all + COUNTERS && c->f; c++) {
        (void)fclose(c->f);
        fprintf(out, "%s\"%s\":[%s]", c > all ? "," : "", c->name, c->text);
        free(c->text);
    }
    (void)putc('}', out);
}

static void put_trace(FILE *out, FILE *trace)
{
    report r = { .nspans = 0 };
    counter counts[COUNTERS] = { 0 };
    char *line = NULL, *tracks = NULL, name[256];
    size_t size = 0, length = 0;
    FILE *t = open_memstream(&tracks, &length);
    fprintf(out, "\"spans\":[");
    while (trace && getline(&line, &size, trace) > 0)
        if (strncmp(line, "{\"ph\":\"X\"", 9) == 0)
            take_span(&r, out, line);
        else if (strncmp(line, "{\"ph\":\"C\"", 9) == 0)
            take_count(counts, line);
        else if (strncmp(line, "{\"ph\":\"M\"", 9) == 0 && t)
            fprintf(t, "%s\"%.0f\":\"%s\"", ftell(t) > 0 ? "," : "", number_of(line, "tid"),
                    string_of(strstr(line, "args") ? strstr(line, "args") : line, "name", name, sizeof name));
    free(line);
    if (t)
        (void)fclose(t);
    fprintf(out, "],\n\"tracks\":{%s}", tracks ? tracks : "");
    free(tracks);
    put_words(out, "names", &r.names);
    put_words(out, "places", &r.places);
    put_counts(out, counts);
    for (int i = 0; i < r.names.n; i++)
        free(r.names.text[i]);
    for (int i = 0; i < r.places.n; i++)
        free(r.places.text[i]);
    free(r.names.text);
    free(r.names.slot);
    free(r.places.text);
    free(r.places.slot);
}

/* A text as the content of a string of JSON inside of HTML. */
static void put_text(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '\n' || *s == '\t')
            (void)fputs(*s == '\n' ? "\\n" : "\\t", out);
        else if (*s == '"' || *s == '\\' || *s == '<' || (unsigned char)*s < 0x20)
            fprintf(out, "\\u%04x", (unsigned char)*s);
        else
            (void)putc(*s, out);
}

/* The whole file, with a 0 behind it; the caller frees it. NULL: it cannot be read. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "re");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    size_t n = text && fseek(f, 0, SEEK_SET) == 0 ? fread(text, 1, (size_t)size, f) : 0;
    if (text)
        text[n] = '\0';
    if (f)
        (void)fclose(f);
    return text;
}

static bool write_page(const char *path, const char *program, const char *trace, const char *notes)
{
    const char *mark = strstr(page, "@DATA@");
    FILE *out = fopen(path, "we"), *from = fopen(trace, "re");
    if (out && mark) {
        (void)fwrite(page, 1, (size_t)(mark - page), out);
        fprintf(out, "{\"program\":\"");
        put_text(out, program);
        fprintf(out, "\",\n");
        put_trace(out, from);
        fprintf(out, ",\n\"notes\":\"");
        put_text(out, notes);
        fprintf(out, "\"}");
        (void)fputs(mark + 6, out);
    }
    if (from)
        (void)fclose(from);
    bool bad = !out || ferror(out);
    return !((out && fclose(out) != 0) || bad);
}

/* -- the roofline as SVG ----------------------------------------------------------------------------------- */

enum { WIDTH = 900, HEIGHT = 460, LEFT = 70, TOP = 60, RIGHT = 20, BOTTOM = 40 };

static double x_of(double intensity)
{
    double e = log10(fmin(1e3, fmax(1e-3, intensity)));
    return LEFT + (e + 3) / 6 * (WIDTH - LEFT - RIGHT);
}

/* rate: flops per µs. */
static double y_of(double rate)
{
    double e = log10(fmin(1e7, fmax(10, rate)));
    return HEIGHT - BOTTOM - (e - 1) / 6 * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(FILE *f, double stream, double peak)
{
    char text[40];
    for (int e = -3; e <= 3; e++) {
        (void)snprintf(text, sizeof text, "1e%d%s", e, e == 3 ? " flop/byte" : "");
        svg_text(f, x_of(pow(10, e)), HEIGHT - 15, e == 3 ? "end" : "middle", "#555", text);
    }
    for (int e = 1; e <= 7; e++) {
        (void)snprintf(text, sizeof text, "%g Gflop/s", pow(10, e - 3));
        svg_text(f, LEFT - 4, y_of(pow(10, e)) + 4, "end", "#555", e % 2 ? text : "");
    }
    svg_line(f, x_of(1e-3), y_of(stream * 1e-3), x_of(peak / stream), y_of(peak), "#b4541a");
    svg_line(f, x_of(peak / stream), y_of(peak), x_of(1e3), y_of(peak), "#b4541a");
}

static bool draw_roofline(const char *path, const char *notes)
{
    double workers = 1, stream = 1, all = 1, cached = 1, math = 1, gemm = 1;
    FILE *f = fopen(path, "we");
    const char *machine = strstr(notes, "\nmachine\t");
    if (!f)
        return false;
    if (machine)
        (void)sscanf(machine, " machine %lf %lf %lf %lf %lf %lf", &workers, &stream, &all, &cached, &math, &gemm);
    svg_begin(f, WIDTH, HEIGHT, "Roofline by source line",
              "lines: memory and arithmetic of this machine; a square: the kernels of a line");
    draw_axes(f, all, fmax(gemm, math * workers));
    for (const char *p = notes; (p = strstr(p, "\nline\t")); p++) {
        char file[1024], text[1100];
        int line = 0;
        double seconds, kernel, bytes, flops;
        if (sscanf(p, "\nline\t%1023[^\t]\t%d\t%lf\t%lf\t%lf\t%lf", file, &line, &seconds, &kernel, &bytes, &flops) !=
                6 ||
            kernel <= 0 || bytes <= 0 || flops <= 0)
            continue;
        const char *slash = strrchr(file, '/');
        double x = x_of(flops / bytes), y = y_of(1e-6 * flops / kernel);
        (void)snprintf(text, sizeof text, "%s:%d", slash ? slash + 1 : file, line);
        svg_bar(f, x - 3, y - 3, 6, 6, "#4878a8");
        svg_text(f, x + 6, y - 5, "start", "#000", text);
    }
    svg_end(f);
    bool bad = ferror(f) != 0;
    return fclose(f) == 0 && !bad;
}

/* -- the program ------------------------------------------------------------------------------------------- */

/* Runs it; returns its exit status, −1: it could not be run. */
static int run(char **argv, const char *trace, const char *notes)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (setenv("ORRERY_TRACE", trace, 1) == 0 && setenv("ORRERY_NOTES", notes, 1) == 0)
            (void)execvp(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    const char *html = "orrery-report.html", *svg = NULL, *base = getenv("TMPDIR");
    char folder[500], trace[600], tsv[600];
    int i = 1;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, stdout);
        return output_end("orrery-report", 0);
    }
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (strcmp(argv[i], "-o") == 0)
            html = argv[i + 1];
        else if (strcmp(argv[i], "--roofline") == 0)
            svg = argv[i + 1];
        else
            break;
    if (i >= argc || argv[i][0] == '-') {
        (void)fputs(usage, stderr);
        return 2;
    }
    (void)snprintf(folder, sizeof folder, "%.400s/orrery-report-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return fail("no folder: ", folder);
    (void)snprintf(trace, sizeof trace, "%s/trace", folder);
    (void)snprintf(tsv, sizeof tsv, "%s/notes.tsv", folder);
    int rc = run(argv + i, trace, tsv);
    char *notes = slurp(tsv);
    if (rc < 0)
        rc = fail("cannot run ", argv[i]);
    else if (!notes || !*notes)
        rc = fail("the program has not started Orrery: ", argv[i]);
    else if (!write_page(html, argv[i], trace, notes))
        rc = fail("cannot write ", html);
    else if (svg && !draw_roofline(svg, notes))
        rc = fail("cannot write ", svg);
    free(notes);
    (void)unlink(trace);
    (void)unlink(tsv);
    (void)rmdir(folder);
    return output_end("orrery-report", rc);
}
