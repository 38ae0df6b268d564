/* orrery-plan: reads parts and devices from a JSON file, places the parts, prints the result and draws it.
 * Must not know: how placements are found. */
#include "config.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tools/output.h"
#include "tools/svg.h"

enum { MOST_SHARDS = 1024, MOST_DEVICES = 64, WIDTH = 900, LEFT = 140, TOP = 70, ROW = 44 };

static const char usage[] =
    "usage: orrery-plan [--svg FILE] FILE.json\n"
    "  Places the parts of a model on devices under their memory limits (orr_place). The file:\n"
    "    {\"goal\": \"latency\" or \"throughput\", \"contiguous\": true or false,\n"
    "     \"devices\": [{\"name\": \"gpu0\", \"bytes\": 8e9, \"flops_per_second\": 1e13, \"bytes_per_second\": 1e10, "
    "\"latency\": 1e-5}],\n"
    "     \"shards\": [{\"name\": \"layer 0\", \"bytes\": 1e9, \"flops\": 2e12, \"out_bytes\": 4e6}]}\n"
    "  --svg FILE  draws a bar per device: its parts in the order of the list, and its free memory\n"
    "The exit status is 0 for a placement, 1 where there is none or the file is wrong, 2 for wrong arguments.\n";

typedef struct {
    orr_shard shard[MOST_SHARDS];
    orr_place_device device[MOST_DEVICES];
    int n, m, at[MOST_SHARDS];
    bool contiguous;
    orr_place_goal goal;
    orr_placement result;
} problem;

static int fail(const char *path, const char *why, const char *what)
{
    (void)fprintf(stderr, "orrery-plan: %s: %s%s\n", path, why, what);
    return 1;
}

/* Reads a number of an entry; `fallback` if it is missing and the fallback is not NaN. False if it is missing or not
 * a number. */
static bool number(const json_t *of, const char *key, double fallback, double *to)
{
    const json_t *v = json_object_get(of, key);
    *to = json_is_number(v) ? json_number_value(v) : fallback;
    return v ? json_is_number(v) : !isnan(fallback);
}

static bool whole(const json_t *of, const char *key, double fallback, int64_t *to)
{
    double x;
    if (!number(of, key, fallback, &x) || !(x >= 0.0 && x <= 9e18))
        return false;
    *to = (int64_t)x;
    return true;
}

static int read_devices(problem *p, const char *path, const json_t *list)
{
    char what[64];
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > MOST_DEVICES)
        return fail(path, "\"devices\" is a list of 1 to 64 devices", "");
    for (p->m = 0; p->m < (int)json_array_size(list); p->m++) {
        const json_t *v = json_array_get(list, (size_t)p->m);
        orr_place_device *d = &p->device[p->m];
        d->name = json_string_value(json_object_get(v, "name"));
        if (!whole(v, "bytes", NAN, &d->bytes) || !number(v, "flops_per_second", NAN, &d->flops_per_second) ||
            !number(v, "bytes_per_second", 1e10, &d->bytes_per_second) || !number(v, "latency", 0.0, &d->latency)) {
            (void)snprintf(what, sizeof what, "%d", p->m);
            return fail(path, "bytes, flops_per_second, bytes_per_second and latency are numbers: not so in device ",
                        what);
        }
    }
    return 0;
}

static int read_shards(problem *p, const char *path, const json_t *list)
{
    char what[64];
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > MOST_SHARDS)
        return fail(path, "\"shards\" is a list of 1 to 1024 parts", "");
    for (p->n = 0; p->n < (int)json_array_size(list); p->n++) {
        const json_t *v = json_array_get(list, (size_t)p->n);
        orr_shard *s = &p->shard[p->n];
        s->name = json_string_value(json_object_get(v, "name"));
        if (!whole(v, "bytes", NAN, &s->bytes) || !number(v, "flops", NAN, &s->flops) ||
            !whole(v, "out_bytes", 0.0, &s->out_bytes)) {
            (void)snprintf(what, sizeof what, "%d", p->n);
            return fail(path, "bytes, flops and out_bytes are numbers: not so in part ", what);
        }
    }
    return 0;
}

static int read_problem(problem *p, const char *path, const json_t *root)
{
    const json_t *goal = json_object_get(root, "goal"), *contiguous = json_object_get(root, "contiguous");
    const char *is = goal ? json_string_value(goal) : "latency";
    if (!is || (strcmp(is, "latency") != 0 && strcmp(is, "throughput") != 0))
        return fail(path, "\"goal\" is \"latency\" or \"throughput\"", "");
    if (contiguous && !json_is_boolean(contiguous))
        return fail(path, "\"contiguous\" is true or false", "");
    p->goal = *is == 'l' ? ORR_PLACE_LATENCY : ORR_PLACE_THROUGHPUT;
    p->contiguous = json_is_true(contiguous);
    return read_devices(p, path, json_object_get(root, "devices")) ||
           read_shards(p, path, json_object_get(root, "shards"));
}

static const char *name_of(const char *name, int i)
{
    static char text[2][32];
    static int turn;
    turn = !turn;
    (void)snprintf(text[turn], sizeof text[turn], "%d", i);
    return name ? name : text[turn];
}

static void print(const problem *p)
{
    printf("%-20s %14s %14s %8s  parts\n", "device", "bytes", "limit", "filled");
    for (int d = 0; d < p->m; d++) {
        int64_t used = 0;
        for (int i = 0; i < p->n; i++)
            used += p->at[i] == d ? p->shard[i].bytes : 0;
        printf("%-20.20s %14lld %14lld %6.1f %% ", name_of(p->device[d].name, d), (long long)used,
               (long long)p->device[d].bytes,
               p->device[d].bytes ? 100.0 * (double)used / (double)p->device[d].bytes : 0.0);
        for (int i = 0; i < p->n; i++)
            if (p->at[i] == d)
                printf(" %s", name_of(p->shard[i].name, i));
        (void)putchar('\n');
    }
    printf("%s %.6g s, ", p->goal == ORR_PLACE_LATENCY ? "latency" : "busiest device", p->result.seconds);
    if (p->result.optimal)
        printf("optimal (%lld nodes)\n", (long long)p->result.nodes);
    else
        printf("at most %.2f %% above the optimum (%lld nodes)\n", 100.0 * (p->result.seconds / p->result.bound - 1.0),
               (long long)p->result.nodes);
}

static int draw(const problem *p, const char *path)
{
    static const char *const colours[] = { "#4878a8", "#e08050", "#60a060", "#a070b0", "#c0a040", "#50a0a0" };
    int64_t most = 1;
    FILE *f = fopen(path, "we");
    if (!f)
        return fail(path, "cannot be written", "");
    for (int d = 0; d < p->m; d++)
        most = p->device[d].bytes > most ? p->device[d].bytes : most;
    svg_begin(f, WIDTH, TOP + p->m * ROW, "Placement", "memory of each device: its parts by number; white is free");
    for (int d = 0; d < p->m; d++) {
        double y = TOP + d * ROW, x = LEFT, scale = (WIDTH - LEFT - 20) / (double)most;
        svg_bar(f, LEFT - 1, y - 1, (double)p->device[d].bytes * scale + 2, ROW - 16, "#999");
        svg_bar(f, LEFT, y, (double)p->device[d].bytes * scale, ROW - 18, "#fff");
        svg_text(f, LEFT - 8, y + 17, "end", "#000", name_of(p->device[d].name, d));
        for (int i = 0; i < p->n; i++) {
            double w = (double)p->shard[i].bytes * scale;
            char text[16];
            if (p->at[i] != d)
                continue;
            svg_bar(f, x, y, w > 1.0 ? w - 1.0 : w, ROW - 18, colours[i % 6]);
            (void)snprintf(text, sizeof text, "%d", i);
            if (w > 14.0)
                svg_text(f, x + w / 2, y + 17, "middle", "#fff", text);
            x += w;
        }
    }
    svg_end(f);
    bool bad = ferror(f) != 0;
    return fclose(f) != 0 || bad ? fail(path, "cannot be written", "") : 0;
}

int main(int argc, char **argv)
{
    static problem p;
    const char *svg = NULL, *path = NULL;
    json_error_t error;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            (void)fputs(usage, stdout);
            return output_end("orrery-plan", 0);
        }
        if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc)
            svg = argv[++i];
        else if (argv[i][0] != '-' && !path)
            path = argv[i];
        else
            path = NULL, i = argc;
    }
    if (!path) {
        (void)fputs(usage, stderr);
        return 2;
    }
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        (void)fprintf(stderr, "orrery-plan: %s:%d: %s\n", path, error.line, error.text);
        return 1;
    }
    int rc = read_problem(&p, path, root);
    if (rc == 0 && orr_place(p.shard, p.n, p.device, p.m, p.contiguous, p.goal, p.at, &p.result) != ORR_OK)
        rc = orr_error_print(stderr);
    if (rc == 0)
        print(&p);
    if (rc == 0 && svg)
        rc = draw(&p, svg);
    json_decref(root);
    return output_end("orrery-plan", rc);
}
