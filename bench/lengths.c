/* Case lengths: rows of 1 to 200 elements of every dtype, in programs of one kernel: the time of an element beside that in rows of one
 * element less. A cliff is a length of more than NEAR elements that takes STEP times as long as a neighbour.
 * Must not know: other cases. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

#define STEP 1.5
#define SECONDS 0.0008 /* of the calls of a round */
enum { LONGEST = 200, NEAR = 8, ELEMENTS = 1 << 17, MORE = 5, AGAIN = 3 };

/* Operands of `rows` rows of `length` elements: contiguous; a part of longer rows; in columns; one number for each element of a row, for each
 * row, and the places of rows. */
typedef struct {
    int64_t rows, length;
    orr_tensor *x, *part, *turned, *of_row, *of_column, *places;
} operands;

/* The number of results. */
typedef int program(const operands *o, orr_tensor **out);

static int map(const operands *o, orr_tensor **out)
{
    out[0] = orr_mul(orr_add(o->x, o->part), o->x);
    return 1;
}

static int bias(const operands *o, orr_tensor **out)
{
    out[0] = orr_add(orr_mul(o->x, o->of_row), o->of_column);
    return 1;
}

static int turned(const operands *o, orr_tensor **out)
{
    out[0] = orr_sub(o->x, o->turned);
    return 1;
}

static int border(const operands *o, orr_tensor **out)
{
    orr_tensor *p = orr_pad(o->x, ORR_INDEX(0, 1), ORR_INDEX(0, 1), 0.0);
    out[0] = orr_add(orr_add(orr_slice(p, ORR_INDEX(0, 0), ORR_INDEX(o->rows, o->length), ORR_NO_INDEX),
                             orr_slice(p, ORR_INDEX(0, 2), ORR_INDEX(o->rows, o->length + 2), ORR_NO_INDEX)),
                     o->x);
    return 1;
}

static int gathered(const operands *o, orr_tensor **out)
{
    out[0] = orr_add(orr_take(o->part, o->places, 0), o->x);
    return 1;
}

static int one_fold(const operands *o, orr_tensor **out)
{
    out[0] = orr_sum(orr_mul(o->x, o->part), ORR_AXES(1), false);
    return 1;
}

static int centred(const operands *o, orr_tensor **out)
{
    out[0] = orr_sub(o->x, orr_max(o->x, ORR_AXES(1), true));
    return 1;
}

static int softmax(const operands *o, orr_tensor **out)
{
    out[0] = orr_softmax(o->x, 1);
    return 1;
}

static int norm(const operands *o, orr_tensor **out)
{
    orr_tensor *c = orr_sub(o->x, orr_mean(o->x, ORR_AXES(1), true));
    out[0] = orr_div(c, orr_sqrt(orr_add(orr_mean(orr_square(c), ORR_AXES(1), true), orr_scalar(1e-3))));
    return 1;
}

static int four_folds(const operands *o, orr_tensor **out)
{
    out[0] = orr_sum(o->x, ORR_AXES(1), false);
    out[1] = orr_max(o->x, ORR_AXES(1), false);
    out[2] = orr_min(o->x, ORR_AXES(1), false);
    out[3] = orr_sum(orr_square(o->x), ORR_AXES(1), false);
    return 4;
}

static int columns(const operands *o, orr_tensor **out)
{
    out[0] = orr_sum(orr_mul(o->x, o->part), ORR_AXES(0), false);
    return 1;
}

static int place(const operands *o, orr_tensor **out)
{
    out[0] = orr_argmax(o->x, 1, false);
    return 1;
}

static const struct {
    const char *name;
    program *of;
    bool floats; /* alone */
} kind[] = {
    { "map", map, false },           { "bias", bias, false },
    { "turned", turned, false },     { "border", border, false },
    { "gathered", gathered, false }, { "one fold", one_fold, false },
    { "centred", centred, false },   { "softmax", softmax, true },
    { "norm", norm, true },          { "four folds", four_folds, false },
    { "columns", columns, false },   { "argmax", place, false },
};
enum { KINDS = sizeof kind / sizeof *kind };

static const orr_dtype dtype[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16, ORR_I32, ORR_I64, ORR_I8, ORR_U8, ORR_U16 };
enum { DTYPES = sizeof dtype / sizeof *dtype };

static orr_tensor *numbers(orr_dtype t, int64_t rows, int64_t length)
{
    return orr_cast(orr_rand(ORR_F32, ORR_SHAPE(rows, length), 0.0, 9.0), t);
}

/* False: a printed error. */
static bool make(operands *o, orr_dtype t, int64_t length)
{
    int64_t rows = ELEMENTS / length;
    *o = (operands){ .rows = rows, .length = length, .x = numbers(t, rows, length) };
    orr_tensor *longer = numbers(t, rows, length + MORE), *other = numbers(t, length, rows);
    o->part = orr_slice(longer, ORR_INDEX(0, 2), ORR_INDEX(rows, length + 2), ORR_NO_INDEX);
    o->turned = orr_transpose(other);
    o->of_row = numbers(t, 1, length);
    o->of_column = numbers(t, rows, 1);
    o->places = orr_cast(orr_rand(ORR_F32, ORR_SHAPE(rows), 0.0, (double)rows), ORR_I32);
    return orr_eval_all(ORR_TENSORS(o->x, longer, other, o->of_row, o->of_column, o->places)) == ORR_OK ||
           bench_failed("lengths") == 0;
}

static bool once(const operands *o, int k)
{
    orr_tensor *out[4];
    orr_scope *s = orr_scope_begin();
    int n = kind[k].of(o, out);
    orr_status st = orr_eval_all(out, n);
    (void)orr_scope_end(s);
    return st == ORR_OK || bench_failed("lengths") == 0;
}

/* The least ns of an element, of `rounds` rounds; < 0: failed. */
static double measure(const operands *o, int k, int rounds)
{
    double least = INFINITY;
    for (int r = 0; r < rounds; r++)
        for (double begin = bench_now(), now = begin; now < begin + SECONDS;) {
            if (!once(o, k))
                return -1.0;
            double then = bench_now();
            least = fmin(least, then - now);
            now = then;
        }
    return 1e9 * least / (double)(o->rows * o->length);
}

static double one(int k, orr_dtype t, int64_t length, int rounds)
{
    operands o;
    orr_scope *s = orr_scope_begin();
    double ns = make(&o, t, length) && once(&o, k) ? measure(&o, k, rounds) : -1.0;
    (void)orr_scope_end(s);
    return ns;
}

static double step_of(const double *ns, int length)
{
    return fmax(ns[length] / ns[length - 1], ns[length - 1] / ns[length]);
}

/* Two lengths that look like a cliff are measured again, since other work on the machine may have made it. */
static bool is_cliff(double *ns, int k, orr_dtype t, int length, int rounds)
{
    for (int i = 0; i < AGAIN && step_of(ns, length) > STEP; i++)
        for (int l = length - 1; l <= length; l++) {
            double again = one(k, t, l, rounds);
            ns[l] = again > 0.0 ? fmin(ns[l], again) : ns[l];
        }
    return step_of(ns, length) > STEP;
}

static int sweep(bench_sink *out, int k, orr_dtype t, int rounds, int *cliffs)
{
    double ns[LONGEST + 1];
    int worst = NEAR + 1, found = 0;
    for (int l = 1; l <= LONGEST; l++)
        if ((ns[l] = one(k, t, l, rounds)) < 0.0)
            return 1;
    for (int l = NEAR + 1; l <= LONGEST; l++)
        if (is_cliff(ns, k, t, l, rounds)) {
            (void)fprintf(bench_table(out), "cliff: %s of %s, rows of %d and %d: %.3f and %.3f ns an element\n",
                          kind[k].name, orr_dtype_name(t), l - 1, l, ns[l - 1], ns[l]);
            found++;
        }
    for (int l = NEAR + 1; l <= LONGEST; l++)
        worst = step_of(ns, l) > step_of(ns, worst) ? l : worst;
    bench_record r = { .name = "lengths", .metric = "time of an element", .unit = "ns", .reference = "a neighbour" };
    (void)snprintf(r.params, sizeof r.params, "\"program\": \"%s\", \"dtype\": \"%s\", \"rows of\": %d, \"cliffs\": %d",
                   kind[k].name, orr_dtype_name(t), worst, found);
    r.value = fmax(ns[worst], ns[worst - 1]);
    r.reference_value = fmin(ns[worst], ns[worst - 1]);
    r.ratio = bench_ratio(&r, false);
    *cliffs += found;
    return bench_add(out, &r);
}

static bool asked(const char *name)
{
    return !bench_opt.filter || !*bench_opt.filter || strcmp(bench_opt.filter, name) == 0;
}

int bench_lengths(bench_sink *out, int rounds)
{
    int rc = 0, cliffs = 0, pairs = 0;
    bench_await_kernels(true);
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("lengths");
    for (int k = 0; k < KINDS && rc == 0; k++)
        for (int d = 0; d < DTYPES && rc == 0; d++) {
            bool is_float = d < 4;
            if (!asked(kind[k].name) || (kind[k].floats && !is_float))
                continue;
            rc = sweep(out, k, dtype[d], rounds, &cliffs);
            pairs += LONGEST - NEAR;
        }
    (void)fprintf(bench_table(out), "lengths: %d of %d neighbours differ by more than %.1f\n", cliffs, pairs, STEP);
    bench_await_kernels(false);
    return orr_shutdown() == ORR_OK ? rc : bench_failed("lengths");
}
