/* Finds the fastest settings for a program of the user by running it.
 * Must not know: the program's work. */
#include "config.h"
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "tools/output.h"
#include "tools/tune.h"

volatile sig_atomic_t tune_stop;

static void on_signal(int sig)
{
    (void)sig;
    tune_stop = 1;
}

static int usage(FILE *to, int rc)
{
    (void)fputs(
        "usage: orrery-tune [options] [--] PROGRAM [ARGUMENTS]\n"
        "Runs PROGRAM again and again over policies x worker counts x tile settings, or over the variables of --vary.\n"
        "After each round the slower half of the settings is dropped. The last few run --runs times each, and their\n"
        "medians are compared. The unchanged environment (\"as it is\") is never dropped.\n"
        "  --policies LIST   values of STARPU_SCHED (lws,ws,eager,dmda,dmdas)\n"
        "  --workers LIST    values of STARPU_NCPU (all cores, half of them, one less)\n"
        "  --tiles LIST      values of ORRERY_TILE_US (100,200,500,1000)\n"
        "  --vary NAME=LIST  values of any variable, ORRERY_FUSE=on,off, in place of the three above where those are "
        "not\n"
        "                    given too; up to five times\n"
        "  --metric WORD     smaller is better: the last number after WORD in the program's output\n"
        "                    (without it: the time that the whole program takes)\n"
        "  --runs N          runs of each of the last settings (7)\n"
        "  --limit SECONDS   a run that takes longer is ended and loses (600)\n"
        "  --output PREFIX   writes PREFIX.env, to be sourced by a batch script, and PREFIX.svg (orrery-tune)\n"
        "  --show            the program's own output too\n",
        to);
    return rc;
}

/* Splits a list of values. False if there are too many, too long ones, or none. */
static bool split(tune_variable *v, const char *list)
{
    v->n = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n >= sizeof v->word[0] || v->n == TUNE_WORDS)
            return false;
        if (n) {
            memcpy(v->word[v->n], list, n);
            v->word[v->n++][n] = '\0';
        }
        list += n + (list[n] == ',');
    }
    return v->n > 0;
}

/* Reads "NAME=a,b": sets the variable of that name, or the first free one. */
static bool vary(tune_options *o, const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    tune_variable *v = o->var, *end = &o->var[TUNE_VARS];
    while (v < end && v->name[0] && (strncmp(v->name, text, n) != 0 || v->name[n]))
        v++;
    if (v == end || n == 0 || n >= sizeof v->name || text[n] != '=' || (*text >= '0' && *text <= '9'))
        return false;
    (void)snprintf(v->name, sizeof v->name, "%.*s", (int)n, text);
    return split(v, text + n + 1);
}

/* All cores that this process may use, one less, and half of them. */
static void default_workers(tune_variable *w)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const int want[3] = { n, n - 1, n / 2 };
    for (int i = 0; i < 3; i++) {
        bool again = want[i] < 1;
        for (int k = 0; k < i; k++)
            again = again || want[k] == want[i];
        if (!again)
            (void)snprintf(w->word[w->n++], sizeof w->word[0], "%d", want[i]);
    }
}

/* Gives variables without values on the command line the usual ones. */
static void complete(tune_options *o)
{
    tune_variable *v = o->var;
    if (!v[TUNE_SCHED].n)
        (void)split(&v[TUNE_SCHED], "lws,ws,eager,dmda,dmdas");
    if (!v[TUNE_WORKERS].n)
        default_workers(&v[TUNE_WORKERS]);
    if (!v[TUNE_TILES].n)
        (void)split(&v[TUNE_TILES], "100,200,500,1000");
}

/* The number of points; 0: too many. */
static int points(const tune_options *o)
{
    enum { MOST = 10000 };
    int n = 1;
    for (int v = 0; v < TUNE_VARS && n <= MOST; v++)
        n *= o->var[v].n ? o->var[v].n : 1;
    return n <= MOST ? n + 1 : 0;
}

static tune_point *grid(const tune_options *o, int n)
{
    tune_point *p = calloc((size_t)n, sizeof *p);
    for (int i = 1; p && i < n; i++) {
        int at = i - 1;
        for (int v = 0; v < TUNE_VARS; v++) {
            const tune_variable *x = &o->var[v];
            if (x->n == 0)
                continue;
            (void)snprintf(p[i].value[v], sizeof p[i].value[v], "%s", x->word[at % x->n]);
            at /= x->n;
        }
    }
    return p;
}

/* -- the end ------------------------------------------------------------------------------------------------- */

static int cannot_write(const tune_options *o)
{
    (void)fprintf(stderr, "orrery-tune: %s.env or .svg cannot be written: %s\n", o->prefix, strerror(errno));
    return 1;
}

/* True if the output files can be written. Checked before the race, which may take hours. An existing file is not
 * changed. */
static bool writable(const tune_options *o)
{
    static const char *const ends[] = { "env", "svg" };
    char path[1100];
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        (void)snprintf(path, sizeof path, "%s.%s", o->prefix, ends[i]);
        FILE *f = fopen(path, "ae");
        ok = f && fclose(f) == 0;
    }
    return ok;
}

static int report(const tune_options *o, const tune_point *p, int n, int *order)
{
    char env[1100], svg[1100], name[96];
    tune_sort(p, n, order);
    if (isatty(STDERR_FILENO))
        (void)fprintf(stderr, "\r%110s\r", "");
    if (p[0].why[0] || p[0].runs == 0) {
        (void)fprintf(stderr,
                      "orrery-tune: %s: %s with unchanged settings; without that result no settings can be compared\n",
                      o->program[0], p[0].why[0] ? p[0].why : "it never ran to its end");
        return 1;
    }
    tune_table(stdout, o, p, order, n);
    int best = order[0] != 0 && tune_beats(&p[order[0]], &p[0]) ? order[0] : 0;
    (void)snprintf(env, sizeof env, "%s.env", o->prefix);
    (void)snprintf(svg, sizeof svg, "%s.svg", o->prefix);
    if (!tune_env(env, o, p, best) || !tune_chart(svg, o, p, order, n))
        return cannot_write(o);
    tune_name(o, &p[best], name, sizeof name);
    if (best)
        printf("\nfastest: %s, %.2f times as fast as it is\n", name, p[0].median / p[best].median);
    else
        printf("\nNothing is faster than the settings as they are, beyond the scatter of the runs.\n");
    printf("chart: %s; for a batch script: . %s%s\n", svg, strchr(env, '/') ? "" : "./", env); /* sh searches PATH */
    return tune_stop ? 130 : 0;
}

static int bad(const char *what, const char *value)
{
    (void)fprintf(stderr, "orrery-tune: %s: %s makes no sense\n", what, value);
    return usage(stderr, 2);
}

typedef struct {
    tune_options o;
    bool chosen; /* --vary: only the named variables vary    */
    int runs;
} settings;

/* Parses the command line. -1: go on; else the exit status. */
static int parse(int argc, char **argv, settings *s)
{
    static const struct option known[] = { { "policies", 1, NULL, 'p' }, { "workers", 1, NULL, 'w' },
                                           { "tiles", 1, NULL, 't' },    { "vary", 1, NULL, 'v' },
                                           { "metric", 1, NULL, 'm' },   { "runs", 1, NULL, 'r' },
                                           { "limit", 1, NULL, 'l' },    { "output", 1, NULL, 'o' },
                                           { "show", 0, NULL, 's' },     { "help", 0, NULL, 'h' },
                                           { "version", 0, NULL, 'V' },  { 0 } };
    int c;
    while ((c = getopt_long(argc, argv, "+h", known, NULL)) != -1) {
        switch (c) {
        case 'p':
        case 'w':
        case 't':
            if (!split(&s->o.var[c == 'p' ? TUNE_SCHED : c == 'w' ? TUNE_WORKERS : TUNE_TILES], optarg))
                return bad("the list", optarg);
            break;
        case 'v':
            if (!vary(&s->o, optarg))
                return bad("--vary", optarg);
            s->chosen = true;
            break;
        case 'm': s->o.metric = optarg; break;
        case 'r':
            s->runs = atoi(optarg);
            if (s->runs < 1 || s->runs > TUNE_RUNS)
                return bad("--runs", optarg);
            break;
        case 'l':
            s->o.limit = atof(optarg);
            if (!(s->o.limit > 0))
                return bad("--limit", optarg);
            break;
        case 'o': s->o.prefix = optarg; break;
        case 's': s->o.show = true; break;
        case 'h': return usage(stdout, 0);
        case 'V': return printf("orrery-tune %s\n", orr_version()) < 0;
        default: return usage(stderr, 2);
        }
    }
    return optind < argc ? -1 : usage(stderr, 2);
}

static int tune(int argc, char **argv)
{
    settings s = {
        .o = { .prefix = "orrery-tune",
               .limit = 600,
               .var = { { .name = "STARPU_SCHED" }, { .name = "STARPU_NCPU" }, { .name = "ORRERY_TILE_US" } } },
        .runs = 7
    };
    int n, rc = parse(argc, argv, &s);
    if (rc >= 0)
        return rc;
    s.o.program = argv + optind;
    if (!s.chosen)
        complete(&s.o);
    if ((n = points(&s.o)) == 0)
        return bad("the lists", "a grid of more than 10000 settings");
    if (!writable(&s.o))
        return cannot_write(&s.o);
    tune_point *p = grid(&s.o, n);
    int *order = calloc((size_t)n, sizeof *order);
    struct sigaction quit = { .sa_handler = on_signal };
    if (p && order && sigaction(SIGINT, &quit, NULL) == 0 && sigaction(SIGTERM, &quit, NULL) == 0) {
        (void)tune_race(&s.o, p, n, 3, s.runs);
        rc = report(&s.o, p, n, order);
    } else {
        (void)fprintf(stderr, "orrery-tune: %s\n", strerror(errno));
        rc = 1;
    }
    free(order);
    free(p);
    return rc;
}

int main(int argc, char **argv)
{
    return output_end("orrery-tune", tune(argc, argv));
}
