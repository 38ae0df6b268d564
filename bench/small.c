/* Case eval-small: the cost per op of evaluations of tiny graphs, recorded, evaluated and freed each time, beside a loop
 * of calls and beside peers that evaluate each op at once.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/side.h"

enum { REPEAT = 200, MOST_OPS = 100, MOST_SIDE = 4 };

typedef struct tiny {
    int ops, side; /* tensors are side × side */
    bool product;  /* matrix products, which no fuser joins; else multiplications and additions */
    bool graph;    /* an explicit graph, built once */
    orr_tensor *x, *y;
    orr_graph *built;
    float px[MOST_SIDE * MOST_SIDE], py[MOST_SIDE * MOST_SIDE], pz[2][MOST_SIDE * MOST_SIDE];
} tiny;

static orr_tensor *record(const tiny *t, orr_tensor *x)
{
    orr_tensor *z = x;
    for (int i = 0; i < t->ops; i++)
        z = t->product ? orr_matmul(z, t->y) : i & 1 ? orr_add(z, t->y) : orr_mul(z, t->y);
    return z;
}

static int start(void *user)
{
    tiny *t = user;
    orr_shape shape = ORR_SHAPE(t->side, t->side);
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("eval-small");
    t->x = orr_full(ORR_F32, shape, 0.5);
    t->y = orr_full(ORR_F32, shape, 0.25);
    if (orr_eval_all(ORR_TENSORS(t->x, t->y)) != ORR_OK)
        return bench_failed("eval-small");
    if (t->graph) {
        orr_tensor *in = orr_placeholder(ORR_F32, shape), *out = record(t, in);
        t->built = orr_graph_build(&in, 1, &out, 1);
        if (!t->built)
            return bench_failed("eval-small");
    }
    return 0;
}

static int ours_once(void *user)
{
    const tiny *t = user;
    orr_status st = ORR_OK;
    for (int i = 0; i < REPEAT && st == ORR_OK; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *z;
        st = t->graph ? orr_graph_submit(t->built, ORR_TENSORS(t->x), &z, 1, NULL) : orr_eval(record(t, t->x));
        (void)orr_scope_end(s);
    }
    return st == ORR_OK ? 0 : bench_failed("eval-small");
}

static void stop(void *user)
{
    tiny *t = user;
    (void)orr_graph_free(t->built);
    t->built = NULL;
    (void)orr_shutdown();
}

/* -- the peer: a loop with a function call per op -------------------------------------------------------- */

typedef void (*op)(int side, const float *x, const float *y, float *z);

static void add(int side, const float *x, const float *y, float *z)
{
    for (int i = 0; i < side * side; i++)
        z[i] = x[i] + y[i];
}

static void mul(int side, const float *x, const float *y, float *z)
{
    for (int i = 0; i < side * side; i++)
        z[i] = x[i] * y[i];
}

static void product(int side, const float *x, const float *y, float *z)
{
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            float sum = 0.0f;
            for (int k = 0; k < side; k++)
                sum += x[i * side + k] * y[k * side + j];
            z[i * side + j] = sum;
        }
}

static op volatile table[3] = { add, mul, product }; /* volatile: the compiler cannot inline the calls */

static int bare_once(void *user)
{
    tiny *t = user;
    for (int i = 0; i < REPEAT; i++) {
        const float *z = t->px;
        for (int k = 0; k < t->ops; k++) {
            table[t->product ? 2 : !(k & 1)](t->side, z, t->py, t->pz[k & 1]);
            z = t->pz[k & 1];
        }
    }
    return 0;
}

/* The final value of each element of x, which is the mean that peers must match. */
static double expected(const tiny *t)
{
    float z = t->px[0];
    for (int i = 0; i < t->ops; i++)
        z = t->product ? (float)t->side * z * t->py[0] : i & 1 ? z + t->py[0] : z * t->py[0];
    return (double)z;
}

static int one(bench_sink *out, tiny *t, side_peers *peers)
{
    static const bench_side ours = { start, ours_once, stop }, bare = { NULL, bare_once, NULL };
    enum { MOST = 1000 };
    static double a[MOST], b[MOST];
    int rounds = peers->rounds, rc = 0;
    char what[48];
    (void)snprintf(what, sizeof what, "small:%s:%d", t->product ? "product" : "mul-add", t->ops);
    side_prepare(peers, what, t->side, expected(t), 1e-4);
    for (int r = 0; r < rounds && rc == 0; r++) {
        rc = bench_interleave(&ours, &bare, t, 1, 0.05, &a[r], &b[r]);
        side_round(peers, r, 0.05);
    }
    if (rc != 0)
        return 1;
    double scale = 1e9 / REPEAT / t->ops;
    bench_record r = { .name = "eval-small",
                       .metric = "time per op",
                       .unit = "ns",
                       .value = scale * bench_typical(a, rounds),
                       .reference = "a loop that calls a C function per op",
                       .reference_value = scale * bench_typical(b, rounds) };
    (void)snprintf(r.params, sizeof r.params, "\"ops\": %d, \"n\": %d, \"op\": \"%s\", \"graph\": \"%s\"", t->ops,
                   t->side * t->side, t->product ? "product" : "multiply, add", t->graph ? "explicit" : "recorded");
    r.ratio = bench_ratio(&r, false);
    side_add(peers, &r, scale);
    return bench_add(out, &r);
}

int bench_eval_small(bench_sink *out, int rounds)
{
    static const int ops[] = { 1, 10, MOST_OPS }, side[] = { 1, MOST_SIDE };
    side_peers peers;
    int rc = side_start(&peers, NULL, 1, rounds);
    for (int kind = 0; kind < 4; kind++)
        for (int s = 0; s < 2; s++)
            for (int k = 0; rc == 0 && k < 3; k++) {
                tiny t = { .ops = ops[k], .side = side[s], .product = kind & 1, .graph = kind > 1 };
                for (int i = 0; i < MOST_SIDE * MOST_SIDE; i++) {
                    t.px[i] = 0.5f;
                    t.py[i] = 0.25f;
                }
                rc = one(out, &t, &peers);
            }
    side_end(&peers);
    return rc;
}
