/* orrery-scale: simulates the distributed examples on machines of up to 1,024 nodes, prints tables and draws efficiencies.
 * Must not know: how a run is simulated, how a machine is measured. */
#include "config.h"
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "tools/output.h"
#include "tools/scale.h"
#include "tools/scale_chart.h"

enum { TRAINING = SCALE_GRAPHS, TRANSFORMER, PROGRAMS };
enum { MACHINES = 4, SETTINGS = 32, CURVES = 2 * PROGRAMS * MACHINES };
enum { LAYERS = 12, WIDTH = 768, WORDS = 20000, TOKENS = 512 };

static const char usage[] =
    "usage: orrery-scale [options]\n"
    "Simulates distributed_cholesky, products, LU factorisations, distributed_mnist (training) and the training of a\n"
    "transformer with 100 million parameters task by task and message by message, for 1, 2, 4, ... nodes.\n"
    "Weak scaling keeps the memory (matrices) or the batch (training) of a node, strong scaling that of all nodes.\n"
    "  --machine NAME     cpu, gpu, or a file of \"name value\" lines; up to four times (cpu and gpu)\n"
    "  --set NAME=VALUE   changes a number of every machine; --show lists the names\n"
    "  --show             prints the machines' numbers, which are the assumptions\n"
    "  --measure FILE     measures the tasks of this machine and writes a machine file\n"
    "  --check WIDTH      measures programs on the ranks at hand (mpirun -n 4 orrery-scale --check 512), steps of a\n"
    "                     network of this width with --set samples=N on each, and their tasks and messages by small\n"
    "                     runs, and prints the programs beside their simulation with these\n"
    "  --program NAME     cholesky, product, lu, training or transformer; up to five times (cholesky, training and\n"
    "                     transformer)\n"
    "  --scaling NAME     weak or strong (both)\n"
    "  --nodes N          the largest number of nodes (1024)\n"
    "  --strong N         strong scaling: the problem that would fill N nodes (16)\n"
    "  --grid PxQ         ranks of a matrix, for one number of nodes alone: --nodes N, N x nodes_ranks = P x Q\n"
    "  --broadcast NAME   tree, or direct as StarPU-MPI 1.3 sends (direct)\n"
    "  --reduce NAME      ring, tree, direct, doubling, halving, or least: the fastest but tree, as the library "
    "(least)\n"
    "  --bucket BYTES     of gradients (4194304)\n"
    "  --window N         panels under way; 0: all (two rounds over the grid, as the library)\n"
    "  --steps N          training steps (50)\n"
    "  --svg FILE         draws the efficiencies\n"
    "The exit status is 0, 1 where a file or the memory fails, 2 for wrong arguments.\n";

typedef struct {
    scale_machine machine[MACHINES];
    int machines, nodes, strong, window, steps, p, q, check;
    bool program[PROGRAMS], chosen, weak, fixed, tree, show;
    scale_reduce reduce;
    double bucket;
    const char *svg, *measure;
    scale_curve curve[CURVES];
    int curves;
} options;

static int complain(const char *what, const char *why)
{
    (void)fprintf(stderr, "orrery-scale: %s: %s\n", what, why);
    return 1;
}

/* The grid nearest to a square with no more rows than columns. */
static void grid(int ranks, int *p, int *q)
{
    for (*p = (int)sqrt((double)ranks); ranks % *p; (*p)--)
        continue;
    *q = ranks / *p;
}

static bool graph(const options *o, scale_which which, const scale_machine *m, int nodes, bool weak, scale_result *r,
                  double *size)
{
    scale_graph g = { .which = which, .tile = (int64_t)m->tile, .element = 8, .window = o->window, .tree = o->tree };
    double of = weak ? nodes : o->strong;
    if (o->p)
        g.p = o->p, g.q = o->q;
    else
        grid(nodes * (int)m->nodes_ranks, &g.p, &g.q);
    g.n = (int64_t)(m->order * sqrt(of));
    *size = (double)g.n;
    return scale_graph_run(m, &g, r);
}

/* The gradients of 784-width-width/2-10 in f32. */
static void gradients(int width, double bytes[3])
{
    bytes[0] = 4.0 * 785 * width;
    bytes[1] = 4.0 * (width + 1) * (width / 2);
    bytes[2] = 4.0 * (width / 2 + 1) * 10;
}

static scale_training steps_of(const options *o, const scale_machine *m, int nodes, const double *bytes, int layers)
{
    return (scale_training){ .ranks = nodes * (int)m->nodes_ranks,
                             .steps = o->steps,
                             .layers = layers,
                             .bytes = bytes,
                             .bucket = o->bucket,
                             .reduce = o->reduce,
                             .overlap = true,
                             .seed = 1 };
}

/* The network of the examples. */
static bool training(const options *o, const scale_machine *m, int nodes, bool weak, scale_result *r, double *size)
{
    double bytes[3];
    gradients(512, bytes);
    *size = m->samples * (weak ? nodes : o->strong);
    scale_training t = steps_of(o, m, nodes, bytes, 3);
    t.work_us = m->step_us + m->sample_us * *size / t.ranks;
    return scale_training_run(m, &t, r);
}

/* Layers of 12 width² parameters (attention 4, the network after it 8), and the words, which are read first: their gradient is the last.
 * The passes take 6 operations for each parameter and token. Each array is a layer of its own, so that sums start as early as in the
 * library. */
static bool transformer(const options *o, const scale_machine *m, int nodes, bool weak, scale_result *r, double *size)
{
    enum { ARRAYS = 6 }; /* of a layer: q, k, v, the output; to four times the width and back */
    static const int of[ARRAYS] = { 1, 1, 1, 1, 4, 4 };
    double bytes[1 + LAYERS * ARRAYS] = { 4.0 * WORDS * WIDTH }, all = bytes[0];
    for (int i = 0; i < LAYERS * ARRAYS; i++)
        all += bytes[1 + i] = 4.0 * WIDTH * WIDTH * of[i % ARRAYS];
    *size = m->sequences * (weak ? nodes : o->strong);
    scale_training t = steps_of(o, m, nodes, bytes, 1 + LAYERS * ARRAYS);
    t.work_us = 6 * all / 4 * TOKENS * *size / t.ranks / (m->train_gflops * 1e9) * 1e6;
    return scale_training_run(m, &t, r);
}

/* Work per second and node, relative to one node. */
static double efficiency(bool weak, double nodes, const scale_result *one, const scale_result *r)
{
    double work = weak && one->flops > 0 ? r->flops / one->flops : weak ? nodes : 1;
    return work * one->seconds / (nodes * r->seconds);
}

static const char *const programs[PROGRAMS] = { "cholesky", "product", "lu", "training", "transformer" };

static bool simulated(const options *o, int which, const scale_machine *m, int nodes, bool weak, scale_result *r,
                      double *size)
{
    return which < SCALE_GRAPHS ? graph(o, (scale_which)which, m, nodes, weak, r, size)
           : which == TRAINING  ? training(o, m, nodes, weak, r, size)
                                : transformer(o, m, nodes, weak, r, size);
}

static bool curve(options *o, int which, const scale_machine *m, int machine, bool weak)
{
    scale_curve *c = &o->curve[o->curves++];
    scale_result one = { 0 }, r;
    double size = 0;
    bool matrix = which < SCALE_GRAPHS;
    printf("\n%s, %s scaling, machine %s\n", programs[which], weak ? "weak" : "strong", m->name);
    printf("%6s %12s %12s %14s %8s %8s %10s %12s\n", "nodes", matrix ? "order" : "batch", "seconds",
           matrix ? "Gflop/s/node" : "samples/s", "effic.", "busy", "messages", "Gbyte sent");
    for (int nodes = o->p ? o->nodes : 1; nodes <= o->nodes; nodes *= 2) {
        if (!simulated(o, which, m, nodes, weak, &r, &size))
            return complain(m->name, "no memory for so many tiles") == 0;
        one = c->n == 0 ? r : one;
        double first = c->n == 0 ? nodes : c->nodes[0], e = efficiency(weak, nodes / first, &one, &r);
        printf("%6d %12.0f %12.5g %14.5g %8.3f %8.3f %10.4g %12.4g\n", nodes, size, r.seconds,
               (matrix ? r.flops * 1e-9 / nodes : size) / r.seconds, e, r.busy, r.messages, r.bytes * 1e-9);
        (void)fflush(stdout);
        c->nodes[c->n] = nodes;
        c->efficiency[c->n++] = e;
    }
    for (int i = 0; i < which; i++)
        c->panel += o->program[i];
    c->colour = machine;
    c->dashed = !weak;
    char label[sizeof c->label];
    (void)snprintf(label, sizeof label, "%s, %s: %s %.6g%s", m->name, weak ? "weak" : "strong",
                   matrix ? "order" : "batch",
                   matrix ? m->order * sqrt(weak ? 1 : o->strong)
                          : (which == TRAINING ? m->samples : m->sequences) * (weak ? 1 : o->strong),
                   weak ? " on one node" : "");
    memcpy(c->label, label, sizeof label);
    return true;
}

static int simulate(options *o)
{
    static const char *const name[PROGRAMS] = { "Cholesky factorisation", "product", "LU factorisation",
                                                "data-parallel training", "training of a transformer" };
    const char *panel[PROGRAMS];
    int panels = 0;
    for (int which = 0; which < PROGRAMS; which++)
        for (int i = 0; o->program[which] && i < o->machines; i++)
            for (int weak = 1; weak >= 0; weak--)
                if ((weak ? o->weak : o->fixed) && !curve(o, which, &o->machine[i], i, weak))
                    return 1;
    for (int which = 0; which < PROGRAMS; which++)
        if (o->program[which])
            panel[panels++] = name[which];
    if (o->svg && !scale_chart(o->svg, "work per second and node, beside one node; dashed: strong scaling", o->curve,
                               o->curves, panel, panels))
        return complain(o->svg, "cannot be written");
    return 0;
}

static int measure(const options *o)
{
    scale_machine m = o->machine[0];
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    (void)snprintf(m.name, sizeof m.name, "measured");
    const char *why;
    bool ok = scale_measure(&m, (int64_t)m.tile, &why);
    if (!ok && why)
        (void)complain("--measure", why);
    else if (!ok)
        (void)orr_error_print(stderr);
    if (orr_shutdown() != ORR_OK || !ok)
        return 1;
    FILE *f = fopen(o->measure, "we");
    if (!f)
        return complain(o->measure, "cannot be written");
    scale_machine_print(f, &m);
    ok = !ferror(f);
    ok = fclose(f) == 0 && ok;
    return ok ? 0 : complain(o->measure, "cannot be written");
}

/* Prints a measured efficiency beside a simulated one. measured: seconds of one rank and of all ranks, which do `work` times the work
 * of one; cores: the cores that the ranks share. */
static void compare(const char *what, int ranks, double work, double cores, const double measured[2], double simulated)
{
    double speed = work / fmin(ranks, cores);
    double e = speed * measured[0] / measured[1], s = speed * measured[0] / simulated;
    printf("%s\n  one rank %.4g ms; %d rank%s %.4g ms, simulated %.4g (%+.0f %%)\n"
           "  efficiency %.3f, simulated %.3f: %+.1f %%, %s 10 %%\n",
           what, measured[0] * 1e3, ranks, ranks == 1 ? "" : "s", measured[1] * 1e3, simulated * 1e3,
           100 * (simulated / measured[1] - 1), e, s, 100 * (s / e - 1),
           fabs(s / e - 1) <= 0.1 ? "within" : "NOT within");
}

/* The simulation is given the measured time of a rank's own work beside that of all other ranks, and the measured time of sums over
 * the ranks. Ranks end a step at different times and wait for the last one twice: for the gradients and for the end of the step.
 * The measured work contains one such wait; two works of half the data contain two. One wait is the time by which the two exceed
 * one work of all the data, less the fixed time of a work. Exchanges do not overlap the backward pass where ranks have no core for
 * them. The simulation is compared with all of it together. */
static bool check_training(const options *o, double cores, int ranks, bool prints)
{
    enum { FEW = 4096 };
    scale_machine m = o->machine[0];
    scale_result all;
    scale_checked c;
    double bytes[3], p = ranks;
    gradients(o->check, bytes);
    double many = bytes[0] + bytes[1] + bytes[2];
    if (!scale_check_training(o->check, (int64_t)m.samples, o->steps, FEW, &c))
        return false;
    m.nodes_ranks = ranks;
    m.cores = 0; /* the measured times already are those of all ranks on the cores */
    m.jitter = m.message_us = m.poll = m.device_gbytes = 0;
    m.latency_us = 1e6 * c.few / 2;
    m.gbytes = c.many > c.few && ranks > 1 ? 2 * (p - 1) / p * (many - FEW) / (c.many - c.few) * 1e-9 : 0;
    double turns = fmax(1, p / cores), fixed = turns * (2 * c.half_alone - c.alone);
    double wait = 2 * c.half_beside - c.beside - fixed;
    m.update_us = 1e6 * fmax(0, wait) * (ranks > 1);
    scale_training t = { .ranks = ranks,
                         .steps = 1,
                         .work_us = 1e6 * c.beside,
                         .layers = 3,
                         .bytes = bytes,
                         .bucket = o->bucket,
                         .reduce = SCALE_DIRECT,
                         .overlap = ranks < cores };
    (void)scale_training_run(&m, &t, &all);
    char what[200];
    (void)snprintf(
        what, sizeof what,
        "training, 784-%d-%d-10, %.0f samples on each of %d rank%s, %.0f cores; sums of %d bytes and of all gradients: "
        "%.3g and %.3g ms",
        o->check, o->check / 2, m.samples, ranks, ranks == 1 ? "" : "s", cores, FEW, c.few * 1e3, c.many * 1e3);
    if (prints)
        compare(what, ranks, ranks, cores, (double[2]){ c.alone, c.together }, all.seconds);
    if (prints)
        printf("  each rank's own work while all ranks compute, without exchanges: %.4g ms\n", c.beside * 1e3);
    return true;
}

static void print_machine(const scale_machine *m)
{
    if (orr_ranks() == 1)
        printf("this machine: %.4g Gflop/s, without tiles\n", m->gflops[SCALE_GEMM]);
    else
        printf(
            "this machine: potrf %.4g, trsm %.4g, syrk %.4g, gemm %.4g, panel %.4g Gflop/s; a task %.3g us beside, an "
            "element %.3g ns;\n"
            "  messages are copied at %.3g Gbyte/s; waiting threads take %.3f of a core\n",
            m->gflops[0], m->gflops[1], m->gflops[2], m->gflops[3], m->gflops[4], m->task_us, m->element_ns,
            m->copy_gbytes, m->poll);
}

/* Compares at the machine's rates. One rank computes by LAPACK or BLAS, without tiles; both efficiencies are relative to its time. A product has
 * tiles of at most 512. */
static bool check_graph(const options *o, scale_which which, double cores, int ranks, bool prints)
{
    scale_machine m = o->machine[0];
    scale_graph g = {
        .which = which, .n = (int64_t)m.order, .tile = (int64_t)m.tile, .element = 8, .window = o->window
    };
    scale_result all;
    scale_checked t;
    char what[120];
    const char *why;
    grid(ranks, &g.p, &g.q);
    m.cores = cores;
    m.nodes_ranks = ranks;
    if (which == SCALE_PRODUCT && ranks > 1 && (g.p == 1 || g.q == 1)) {
        if (prints)
            printf("product: all ranks compute it together on a grid of two rows and columns or more (mpirun -n 4)\n");
        return true;
    }
    if (which == SCALE_PRODUCT)
        g.tile = g.n / ranks < 512 ? g.tile : 512;
    if (!scale_measure_ranks(&m, &g, &t, &why)) {
        if (why)
            (void)complain("--check", why);
        return false;
    }
    if (prints)
        print_machine(&m);
    bool ok = scale_graph_run(&m, &g, &all);
    (void)snprintf(what, sizeof what, "%s, order %.0f, tiles of %lld, %d x %d ranks, %.0f cores", programs[which],
                   m.order, (long long)g.tile, g.p, g.q, cores);
    if (ok && prints)
        compare(what, ranks, 1, cores, (double[2]){ t.alone, t.together }, all.seconds);
    return ok;
}

static int check(const options *o)
{
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int ranks = orr_ranks();
    bool prints = orr_rank() == 0, ok = true;
    if (o->program
            [TRAINING]) /* first: StarPU-MPI's thread, which begins with a factorisation, takes part of a core from then on */
        ok = check_training(o, cores, ranks, prints);
    for (int which = 0; which < SCALE_GRAPHS; which++)
        if (ok && o->program[which])
            ok = check_graph(o, (scale_which)which, cores, ranks, prints);
    if (!ok)
        (void)orr_error_print(stderr);
    return orr_shutdown() == ORR_OK && ok ? 0 : 1;
}

/* -- command line --------------------------------------------------------------------------------------------- */

static bool number(const char *text, double least, double most, double *to)
{
    char *end;
    *to = strtod(text, &end);
    return end != text && !*end && *to >= least && *to <= most && floor(*to) == *to;
}

static bool whole(const char *text, int least, int most, int *to)
{
    double x;
    if (!number(text, least, most, &x))
        return false;
    *to = (int)x;
    return true;
}

static bool choose(const char *text, const char *const *word, int n, int *to)
{
    for (*to = 0; *to < n; (*to)++)
        if (strcmp(text, word[*to]) == 0)
            return true;
    return false;
}

static bool set_all(options *o, const char *text)
{
    char name[64];
    const char *value = strchr(text, '=');
    if (!value || (size_t)(value - text) >= sizeof name)
        return false;
    (void)snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    for (int i = 0; i < o->machines; i++)
        if (!scale_machine_set(&o->machine[i], name, value + 1))
            return false;
    return true;
}

static bool take(options *o, int which, const char *text)
{
    static const char *const scalings[] = { "weak", "strong" };
    static const char *const ways[] = { "direct", "tree" }, *const reductions[] = { "ring",     "tree",    "direct",
                                                                                    "doubling", "halving", "least" };
    int k = 0;
    char more;
    bool ok = true;
    switch (which) {
    case 'p':
        ok = choose(text, programs, PROGRAMS, &k);
        for (int i = 0; i < PROGRAMS && !o->chosen; i++)
            o->program[i] = false;
        o->program[k] = o->chosen = true;
        break;
    case 'c':
        ok = choose(text, scalings, 2, &k);
        *(k ? &o->weak : &o->fixed) = false;
        break;
    case 'n': ok = whole(text, 1, 1 << (SCALE_POINTS - 2), &o->nodes); break;
    case 't': ok = whole(text, 1, 1 << 20, &o->strong); break;
    case 'g': ok = sscanf(text, "%dx%d%c", &o->p, &o->q, &more) == 2 && o->p > 0 && o->q > 0; break;
    case 'b':
        ok = choose(text, ways, 2, &k);
        o->tree = k;
        break;
    case 'r':
        ok = choose(text, reductions, 6, &k);
        o->reduce = (scale_reduce)k;
        break;
    case 'C': ok = whole(text, 2, 1 << 16, &o->check); break;
    case 'k': ok = number(text, 1, 1e12, &o->bucket); break;
    case 'w': ok = whole(text, 0, 1 << 20, &o->window); break;
    case 's': ok = whole(text, 1, 1 << 20, &o->steps); break;
    default: ok = false;
    }
    return ok;
}

static int wrong(const char *what, const char *why)
{
    (void)complain(what, why);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option list[] = {
        { "machine", required_argument, NULL, 'm' },
        { "set", required_argument, NULL, '=' },
        { "show", no_argument, NULL, 'v' },
        { "measure", required_argument, NULL, 'M' },
        { "check", required_argument, NULL, 'C' },
        { "program", required_argument, NULL, 'p' },
        { "scaling", required_argument, NULL, 'c' },
        { "nodes", required_argument, NULL, 'n' },
        { "strong", required_argument, NULL, 't' },
        { "grid", required_argument, NULL, 'g' },
        { "broadcast", required_argument, NULL, 'b' },
        { "reduce", required_argument, NULL, 'r' },
        { "bucket", required_argument, NULL, 'k' },
        { "window", required_argument, NULL, 'w' },
        { "steps", required_argument, NULL, 's' },
        { "svg", required_argument, NULL, 'o' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    static options o = { .nodes = 1024,
                         .strong = 16,
                         .window = -1,
                         .steps = 50,
                         .program = { [SCALE_CHOLESKY] = true, [TRAINING] = true, [TRANSFORMER] = true },
                         .weak = true,
                         .fixed = true,
                         .reduce = SCALE_LEAST,
                         .bucket = 4 << 20 };
    const char *setting[SETTINGS];
    char why[160];
    int settings = 0;
    for (int c; (c = getopt_long(argc, argv, "h", list, NULL)) != -1;) {
        if (c == 'h') {
            (void)fputs(usage, stdout);
            return output_end("orrery-scale", 0);
        } else if (c == 'v') {
            o.show = true;
        } else if (c == 'M') {
            o.measure = optarg;
        } else if (c == 'o') {
            o.svg = optarg;
        } else if (c == '=' && settings < SETTINGS) {
            setting[settings++] = optarg;
        } else if (c == 'm') {
            if (o.machines == MACHINES)
                return wrong(optarg, "four machines are enough");
            if (!scale_machine_read(optarg, &o.machine[o.machines++], why, sizeof why))
                return wrong(optarg, why);
        } else if (c == '?' || !take(&o, c, optarg)) {
            if (c != '?')
                (void)complain(optarg, "no value of this option");
            (void)fputs(usage, stderr);
            return 2;
        }
    }
    if (optind < argc)
        return wrong(argv[optind], "no argument is expected here");
    for (int i = 0; o.machines == 0 && i < (o.measure ? 1 : scale_known_count); i++)
        o.machine[i] = scale_known[i];
    o.machines = o.machines ? o.machines : o.measure ? 1 : scale_known_count;
    for (int i = 0; i < settings; i++)
        if (!set_all(&o, setting[i]))
            return wrong(setting[i], "no NAME=VALUE with a known name and a number in its bounds");
    for (int i = 0; o.p && i < o.machines; i++)
        if (o.p * o.q != o.nodes * (int)o.machine[i].nodes_ranks)
            return wrong("--grid", "its places are not the ranks of --nodes nodes");
    for (int i = 0; o.show && i < o.machines; i++) {
        scale_machine_print(stdout, &o.machine[i]);
        (void)putchar('\n');
    }
    return output_end("orrery-scale", o.check ? check(&o) : o.measure ? measure(&o) : o.show ? 0 : simulate(&o));
}
