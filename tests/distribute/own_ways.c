/* Random programs over 1 to 4 ranks, in which each rank also does things of its own: it is late, frees or keeps its tensors, evaluates and
 * assigns values that do not lie over the ranks, has another memory limit, another cache of kernels, another compilation. Loops of C
 * compute the right values. ORR_TEST_SEED: one program; ORR_TEST_PROGRAMS: their number with each number of ranks.
 * Must not know: how a value moves. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "tests/harness/ranks.h"

enum { VALUES = 24, VARIABLES = 4, EDGE = 20, OWN = 2 };

typedef struct {
    unsigned long long state;
} source;

/* A tensor of n · n numbers and their right values. over: it is computed from a value that lies over ranks. gone: the program does not use it
 * any more; a rank may hold it. */
typedef struct {
    orr_tensor *t;
    double *right;
    bool over, used;
} value;

typedef struct {
    source all, mine; /* the same on all ranks; of this rank alone */
    int n, count;     /* edge; values                               */
    bool well, quick;
    orr_grid *grid;
    value v[VALUES], var[VARIABLES];
    orr_optim *optim;     /* of variable 0 */
    orr_tensor *own[OWN]; /* variables of this rank alone */
    double own_right[OWN];
    char log[4096];
} program;

static int draw(source *s, int n)
{
    s->state = s->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((s->state >> 33) % (unsigned)n);
}

static bool good(program *p, orr_status st, const char *what)
{
    if (st != ORR_OK && p->well) {
        ORR_CHECK_MSG(false, "%s: %s, after%s", what, orr_error_message(), p->log);
        p->well = false;
    }
    return st == ORR_OK;
}

static void remember(program *p, const char *what, int a, int b)
{
    char one[48];
    (void)snprintf(one, sizeof one, " %s(%d,%d)", what, a, b);
    size_t n = strlen(p->log), m = strlen(one);
    if (n + m >= sizeof p->log) { /* the latest ones matter */
        memmove(p->log, p->log + sizeof p->log / 2, n - sizeof p->log / 2 + 1);
        n = strlen(p->log);
    }
    memcpy(p->log + n, one, m + 1);
}

/* -- what all ranks do ----------------------------------------------------------------------------------------------------- */

static void compare(program *p, const value *x, const char *what)
{
    int n = p->n;
    double *got = malloc((size_t)(n * n) * sizeof *got);
    if (got && good(p, orr_read(x->t, got, (size_t)(n * n) * sizeof *got), what))
        for (int i = 0; i < n * n && p->well; i++)
            if (!(fabs(got[i] - x->right[i]) <= 1e-9 * (1 + fabs(x->right[i])))) {
                ORR_CHECK_MSG(false, "%s: element %d is %.17g, not %.17g, after%s", what, i, got[i], x->right[i],
                              p->log);
                p->well = false;
            }
    free(got);
}

/* Ends the program's use of value i. */
static void leave(program *p, int i)
{
    if (draw(&p->mine, 2))
        (void)orr_free(p->v[i].t);
    free(p->v[i].right);
    p->v[i] = p->v[--p->count];
}

static value *add(program *p, orr_tensor *t, double *right, bool over)
{
    if (p->count == VALUES)
        leave(p, draw(&p->all, VALUES));
    p->v[p->count] = (value){ .t = t, .right = right, .over = over };
    return &p->v[p->count++];
}

static double *numbers(const program *p)
{
    return malloc((size_t)(p->n * p->n) * sizeof(double));
}

static void leaf(program *p)
{
    double *r = numbers(p);
    for (int i = 0; i < p->n * p->n; i++)
        r[i] = (double)draw(&p->all, 2001) / 1000 - 1;
    add(p, orr_from(ORR_F64, ORR_SHAPE(p->n, p->n), r), r, false);
    remember(p, "leaf", p->count - 1, 0);
}

static double sum_of(const double *x, int n, int step)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[(size_t)i * (size_t)step];
    return s;
}

static value *any(program *p)
{
    int v = draw(&p->all, p->count + VARIABLES - 1);
    return v < p->count ? &p->v[v] : &p->var[v - p->count];
}

enum { ADD, MUL, SIN, PRODUCT, ROWS, COLUMNS, ALL, TRANSPOSE, SHARD, CYCLIC, WHOLE, OPS };

static void operate(program *p)
{
    static const char *const name[] = { "add",  "mul",       "sin",   "matmul", "rows", "columns",
                                        "mean", "transpose", "shard", "cyclic", "whole" };
    int n = p->n, op = draw(&p->all, OPS), axis = draw(&p->all, 2);
    const value *a = any(p), *b = any(p);
    const double *x = a->right, *y = b->right;
    double *r = numbers(p);
    bool over = a->over;
    orr_tensor *t = a->t;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *to = &r[i * n + j], v = x[i * n + j];
            *to = v;
            if (op == ADD)
                *to = 0.5 * (v + y[i * n + j]);
            else if (op == MUL)
                *to = v * y[i * n + j];
            else if (op == SIN)
                *to = sin(v);
            else if (op == PRODUCT) {
                *to = 0;
                for (int k = 0; k < n; k++)
                    *to += x[i * n + k] * y[k * n + j] / n;
            } else if (op == ROWS)
                *to = v - sum_of(x + i * n, n, 1) / n;
            else if (op == COLUMNS)
                *to = v - sum_of(x + j, n, n) / n;
            else if (op == TRANSPOSE)
                *to = x[j * n + i];
        }
    if (op == ALL)
        for (int i = 0; i < n * n; i++)
            r[i] = x[i] - sum_of(x, n * n, 1) / (n * n);
    switch (op) {
    case ADD: t = orr_mul(orr_add(t, b->t), orr_scalar(0.5)); break;
    case MUL: t = orr_mul(t, b->t); break;
    case SIN: t = orr_sin(t); break;
    case PRODUCT: t = orr_mul(orr_matmul(t, b->t), orr_scalar(1.0 / n)); break;
    case ROWS: t = orr_sub(t, orr_mean(t, ORR_AXES(1), true)); break;
    case COLUMNS: t = orr_sub(t, orr_mean(t, ORR_AXES(0), true)); break;
    case ALL: t = orr_sub(t, orr_mean(t, ORR_ALL_AXES, false)); break;
    case TRANSPOSE: t = orr_transpose(t); break;
    case SHARD: t = orr_shard(t, p->grid, ORR_AXES(axis)); break;
    case CYCLIC: t = orr_shard_cyclic(t, p->grid, ORR_AXES(axis), ORR_INDEX(3)); break;
    default: t = orr_replicate(t); break;
    }
    if (op == SHARD || op == CYCLIC || op == WHOLE)
        over = true;
    else if (op == ADD || op == MUL || op == PRODUCT)
        over = over || b->over;
    add(p, t, r, over);
    remember(p, name[op], (int)(a - p->v), op <= MUL || op == PRODUCT ? (int)(b - p->v) : axis);
}

static void assign(program *p)
{
    int n = p->n;
    value *to = &p->var[draw(&p->all, VARIABLES - 1)];
    const value *a = any(p);
    orr_tensor *t = orr_add(orr_mul(to->t, orr_scalar(0.5)), orr_mul(a->t, orr_scalar(0.25)));
    good(p, orr_assign(to->t, t), "assign");
    for (int i = 0; i < n * n; i++)
        to->right[i] = 0.5 * to->right[i] + 0.25 * a->right[i];
    to->over = to->over || a->over;
    remember(p, "assign", (int)(to - p->var), (int)(a - p->v));
}

/* A new value of the last variable, which nothing else reads, computed from a product with the old one that some ranks hold. */
static void replace(program *p)
{
    value *to = &p->var[VARIABLES - 1];
    const value *a = any(p);
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_mul(to->t, a->t);
    good(p, orr_assign(to->t, orr_add(orr_mul(to->t, orr_scalar(0.5)), orr_mul(y, orr_scalar(0.25)))), "replace");
    for (int i = 0; i < p->n * p->n; i++)
        to->right[i] = 0.5 * to->right[i] + 0.25 * to->right[i] * a->right[i];
    to->over = to->over || a->over;
    if (draw(&p->mine, 2))
        (void)orr_free(y);
    remember(p, "replace", (int)(to - p->var), (int)(a - p->v));
    good(p, orr_eval_all(NULL, 0), "eval_all after it");
    (void)orr_scope_end(s);
}

/* loss = mean((w − a)²), whose gradient is 2 (w − a) / n². */
static void step(program *p)
{
    int n = p->n;
    value *w = &p->var[0];
    const value *a = any(p);
    orr_tensor *d = orr_sub(w->t, orr_detach(a->t)), *l = orr_mean(orr_mul(d, d), ORR_ALL_AXES, false);
    if (a == w)
        return;
    good(p, orr_optim_step(p->optim, l), "step");
    for (int i = 0; i < n * n; i++)
        w->right[i] -= (double)n * n / 8 * 2 * (w->right[i] - a->right[i]) / ((double)n * n);
    w->over = w->over || a->over;
    if (draw(&p->mine, 2)) {
        (void)orr_free(d);
        (void)orr_free(l);
    }
    remember(p, "step", (int)(a - p->v), 0);
}

static void evaluate(program *p)
{
    const value *a = any(p), *b = any(p);
    orr_tensor *both[] = { a->t, b->t };
    orr_event *e = NULL;
    int way = draw(&p->all, 6);
    remember(p, "evaluate", way, (int)(a - p->v));
    if (way == 0)
        good(p, orr_eval(a->t), "eval");
    else if (way == 1)
        good(p, orr_eval_all(both, 2), "eval_all");
    else if (way == 2 && good(p, orr_eval_async(both, 2, &e), "eval_async"))
        good(p, orr_wait(e), "wait");
    else if (way == 3)
        good(p, orr_eval_all(NULL, 0), "eval_all of nothing");
    else if (way > 3)
        compare(p, a, "read");
}

/* -- what a rank does by itself --------------------------------------------------------------------------------------------- */

static void own_way(program *p)
{
    source *s = &p->mine;
    if (draw(s, p->quick ? 24 : 6) == 0)
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000L * draw(s, 31) }, NULL);
    int way = draw(s, 12), i = draw(s, p->count + VARIABLES);
    const value *a = i < p->count ? &p->v[i] : &p->var[i - p->count];
    if (way < 3 && !a->over) {
        if (way == 0)
            good(p, orr_eval(a->t), "own eval");
        else
            compare(p, a, "own read");
    } else if (way == 3) {
        int k = draw(s, OWN);
        double by = draw(s, 10);
        p->own_right[k] = 0.5 * p->own_right[k] + by;
        good(p, orr_assign(p->own[k], orr_add(orr_mul(p->own[k], orr_scalar(0.5)), orr_scalar(by))), "own assign");
    } else if (way == 4) {
        double got = NAN;
        int k = draw(s, OWN);
        if (good(p, orr_item(p->own[k], &got), "own item") && fabs(got - p->own_right[k]) > 1e-9 && p->well) {
            ORR_CHECK_MSG(false, "own variable: %g, not %g", got, p->own_right[k]);
            p->well = false;
        }
    } else if (way == 5 && !a->over) {
        (void)orr_sin(a->t); /* held by the scope */
    } else if (way == 6 && !a->over) {
        orr_tensor *t = orr_mul(orr_cos(a->t), orr_scalar(2));
        good(p, orr_eval(t), "own cos");
        (void)orr_free(t);
    }
}

/* -- programs ---------------------------------------------------------------------------------------------------------------- */

static void surroundings(source *s, unsigned long long seed)
{
    char cold[1024];
    int cache = draw(s, 3), limit = draw(s, 3), jit = draw(s, 4);
    (void)snprintf(cold, sizeof cold, "%s/cold%llu_%d_%d", getenv("ORR_TEST_RANKS"), seed, orr_test_rank(),
                   orr_test_ranks());
    (void)setenv("ORRERY_CACHE_DIR", cache == 0 ? cold : orr_test_kernels(), 1);
    if (limit == 0)
        (void)setenv("ORRERY_MEMORY_LIMIT", draw(s, 2) ? "64M" : "512M", 1);
    else
        (void)unsetenv("ORRERY_MEMORY_LIMIT");
    (void)setenv("ORRERY_JIT", jit == 0 ? "off" : jit == 1 ? "wait" : "on", 1);
}

static void begin(program *p, unsigned long long seed)
{
    int size = draw(&p->all, 6); /* parts of 64 kB and more may be written over */
    p->n = size > 1 ? 1 + draw(&p->all, EDGE) : size == 1 ? 1 + draw(&p->all, 4) : 183 + draw(&p->all, 8);
    p->grid = orr_grid_make(1, ((int64_t[]){ -1 }));
    for (int i = 0; i < 3; i++)
        leaf(p);
    for (int i = 0; i < VARIABLES; i++) {
        double *r = numbers(p);
        for (int k = 0; k < p->n * p->n; k++)
            r[k] = (double)draw(&p->all, 2001) / 1000 - 1;
        orr_tensor *t = orr_from(ORR_F64, ORR_SHAPE(p->n, p->n), r);
        p->var[i] = (value){ .right = r, .over = i == 1 };
        p->var[i].t = orr_variable(i == 1 ? orr_shard(t, p->grid, ORR_AXES(0)) : t);
    }
    for (int i = 0; i < OWN; i++)
        p->own[i] = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), p->own_right[i] = i));
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = (double)p->n * p->n / 8;
    p->optim = orr_optim_new(ORR_OPTIM_SGD, &p->var[0].t, 1, &o);
    p->well = p->grid && p->optim;
    ORR_CHECK_MSG(p->well, "seed %llu: %s", seed, orr_error_message());
}

static bool one(unsigned long long seed, int length, bool quick)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->quick = quick;
    p->all.state = seed * 2 + 1;
    p->mine.state = seed * 1000003 + (unsigned long long)orr_test_rank() * 7919 + 17;
    for (int i = 0; i < 8; i++) {
        (void)draw(&p->all, 2);
        (void)draw(&p->mine, 2);
    }
    surroundings(&p->mine, seed);
    bool up = orr_init(&(orr_config){ .workers = 1 + draw(&p->all, 2) }) == ORR_OK;
    ORR_CHECK_MSG(up, "%s", orr_error_message());
    if (!up) {
        free(p);
        return false;
    }
    orr_scope *s = orr_scope_begin();
    begin(p, seed);
    for (int i = 0; i < length && p->well; i++) {
        int way = draw(&p->all, 18);
        own_way(p);
        if (way == 0)
            leaf(p);
        else if (way < 8)
            operate(p);
        else if (way < 10)
            assign(p);
        else if (way == 10)
            step(p);
        else if (way > 15)
            replace(p);
        else if (way < 13 && p->count > 3)
            leave(p, draw(&p->all, p->count));
        else
            evaluate(p);
    }
    for (int i = 0; i < p->count && p->well; i++)
        compare(p, &p->v[i], "value at the end");
    for (int i = 0; i < VARIABLES && p->well; i++)
        compare(p, &p->var[i], "variable at the end");
    bool well = p->well;
    if (!well)
        printf("    seed %llu of %d ranks on rank %d\n", seed, orr_test_ranks(), orr_test_rank());
    orr_error_clear();
    orr_optim_free(p->optim);
    for (int i = 0; i < p->count; i++)
        free(p->v[i].right);
    for (int i = 0; i < VARIABLES; i++)
        free(p->var[i].right);
    orr_grid_free(p->grid);
    (void)orr_scope_end(s);
    free(p);
    orr_status st = orr_shutdown();
    ORR_CHECK_MSG(st == ORR_OK, "seed %llu: %s", seed, orr_error_message());
    return well && st == ORR_OK;
}

static void programs_agree_whatever_a_rank_does_by_itself(void)
{
    const char *alone = getenv("ORR_TEST_SEED"), *many = getenv("ORR_TEST_PROGRAMS");
    bool full = getenv("ORR_TEST_FULL") != NULL;
    unsigned long long first = alone ? strtoull(alone, NULL, 10) : 0;
    unsigned long long end = first + (alone ? 1 : many ? strtoull(many, NULL, 10) : full ? 400 : 2);
    for (unsigned long long seed = first; seed < end; seed++)
        if (!one(seed, full ? 200 : 60, !full))
            break;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(programs_agree_whatever_a_rank_does_by_itself), { 0 } };
    return orr_test_ranks_main(argc, argv, "own_ways", tests, (const int[]){ 1, 2, 3, 4, 0 });
}
