/* Random tensors and their streams: each call uses the next stream number of its thread.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdatomic.h>
#include <orrery/random.h>
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/philox.h"
#include "runtime/graph/thread_state.h"
#include "ops/lowering.h"
#include "ops/random.h"
#include "ops/record.h"
#include "ops/reference.h"

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i,
                       orr__rand_value(j->node->attr.dist, j->out.dtype, j->s[0].u, j->s[1], j->s[2], (uint64_t)i));
    return ORR_OK;
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__node *n = c->p->node[i];
    orr__access a = orr__view_access(&n->shape, v, -1);
    a.file = n->file;
    a.line = n->line;
    return c->instr(c, (orr__rinstr){ ORR__RI_RANDOM, n->dtype, (int16_t)n->attr.dist, -1, -1, -1, c->access(c, a),
                                      c->p->scalar0[i] });
}

const orr__op orr__op_random = {
    .id = ORR__OP_random,
    .name = "random",
    .pattern = ORR__PATTERN_ELEMENT,
    .attrs = ORR__ATTR_DIST,
    .flags = ORR__OP_BY_PLACE | ORR__OP_ORIGIN,
    .flops = 30,
    .reference = reference,
    .lower = lower,
};

/* A thread that has not called orr_seed uses the default seed. The upper half of the stream number tells such
 * threads apart; it is assigned in the order of their first calls. After a shutdown (a new epoch of the handles) all
 * threads start from the beginning. */
static atomic_uint_least64_t ticket; /* upper half: epoch; lower half: number of threads so far */

static _Thread_local struct {
    bool begun;
    unsigned epoch;
    uint64_t seed, stream, process;
} mine;

static uint64_t thread_number(unsigned epoch)
{
    uint64_t old = atomic_load(&ticket), new;
    do {
        new = (unsigned)(old >> 32) == epoch ? old + 1 : ((uint64_t)epoch << 32) + 1;
    } while (!atomic_compare_exchange_weak(&ticket, &old, new));
    return (uint32_t)new - 1;
}

void orr_seed(uint64_t seed)
{
    mine.begun = true;
    mine.epoch = orr__handles_epoch();
    mine.seed = seed;
    mine.stream = 0;
    mine.process = orr__fork_number();
}

static void begin(void)
{
    unsigned now = orr__handles_epoch();
    uint64_t process = orr__fork_number();
    if (mine.begun && mine.epoch == now && mine.process == process)
        return;
    if (mine.begun && mine.epoch == now) { /* a child draws other numbers than its parent and its siblings */
        mine.seed = orr__rand_mix(mine.seed, process);
        mine.process = process;
        return;
    }
    mine.begun = true;
    mine.epoch = now;
    mine.seed = process ? orr__rand_mix(orr__env.seed, process) : orr__env.seed;
    mine.stream = thread_number(now) << 32;
    mine.process = process;
}

void orr__random_state(uint64_t state[2])
{
    begin();
    state[0] = mine.seed;
    state[1] = mine.stream;
}

void orr__random_restore(const uint64_t state[2])
{
    begin();
    mine.seed = state[0];
    mine.stream = state[1];
}

uint64_t orr__next_stream(void)
{
    begin();
    return orr__rand_mix(mine.seed, mine.stream++);
}

static orr__node *draw(orr__site at, int dist, orr_dtype dtype, const orr_shape *shape, orr__scalar s1, orr__scalar s2,
                       uint64_t key)
{
    orr__node *n = orr__node_new(at, &orr__op_random, dtype, shape, 0, NULL);
    if (n) {
        n->attr.dist = (uint8_t)dist;
        n->nscalar = 3;
        n->s[0].u = key;
        n->s[1] = s1;
        n->s[2] = s2;
    }
    return n;
}

/* offset + scale · (standard draw), in a float dtype. key NULL: the thread's next stream. */
static orr_tensor *scaled(orr__site at, int dist, orr_dtype dtype, const orr_shape *shape, double scale, double offset,
                          const uint64_t *key)
{
    orr_tensor *bad;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, shape, &bad))
        return bad;
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    orr__scalar none = { .u = 0 };
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *r = orr__handle_new(draw(at, dist, dtype, shape, none, none, key ? *key : orr__next_stream()));
    if (scale != 1)
        r = orr_mul_at(at.file, at.line, r, orr_scalar_at(at.file, at.line, scale));
    if (offset != 0)
        r = orr_add_at(at.file, at.line, r, orr_scalar_at(at.file, at.line, offset));
    return orr__compose_end(at, scope, r);
}

/* x rounded to dtype. Other than float dtypes are refused elsewhere; x is returned unchanged. */
static double as(orr_dtype dtype, double x)
{
    return orr__is_float(dtype)
               ? orr__scalar_cast(orr__scalar_cast((orr__scalar){ .f = x }, ORR_F64, dtype), dtype, ORR_F64).f
               : x;
}

/* The spacing of the numbers drawn from [0, 1). */
static double step_of(orr_dtype dtype)
{
    return dtype == ORR_F64 ? 0x1p-53 : dtype == ORR_F32 ? 0x1p-24 : dtype == ORR_F16 ? 0x1p-11 : 0x1p-8;
}

/* The next smaller number of dtype; x is normal. */
static double below(orr_dtype dtype, double x)
{
    int e;
    double m = frexp(x, &e), ulp = ldexp(step_of(dtype), e);
    return x - (m == 0.5 ? ulp / 2 : ulp);
}

/* Numbers in [lo, hi). The largest draws may round to hi; they are replaced by the next smaller number. */
static orr_tensor *uniform(orr__site at, orr_dtype dtype, const orr_shape *shape, double lo, double hi,
                           const uint64_t *key)
{
    ORR__IN_DEFAULT_FPMODE;
    if (!(isfinite(lo) && isfinite(hi) && lo <= hi))
        return orr__poison(at, ORR_EINVAL, "no interval from %g to %g", lo, hi);
    double scale = as(dtype, hi - lo), first = as(dtype, lo), end = as(dtype, hi);
    if (orr__is_float(dtype) && !(isfinite(scale) && isfinite(first) && isfinite(end)))
        return orr__poison(at, ORR_EINVAL, "the interval from %g to %g is beyond %s", lo, hi, orr_dtype_name(dtype));
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *r = scaled(at, ORR__DUNIFORM, dtype, shape, hi - lo, lo, key);
    if (first < end && as(dtype, as(dtype, scale * (1 - step_of(dtype))) + first) >= end)
        r = orr_minimum_at(at.file, at.line, r, orr_scalar_at(at.file, at.line, below(dtype, end)));
    return orr__compose_end(at, scope, r);
}

static orr_tensor *normal(orr__site at, orr_dtype dtype, const orr_shape *shape, double mean, double std,
                          const uint64_t *key)
{
    if (!(isfinite(mean) && isfinite(std) && std >= 0))
        return orr__poison(at, ORR_EINVAL, "no normal distribution with mean %g and standard deviation %g", mean, std);
    return scaled(at, ORR__DNORMAL, dtype, shape, std, mean, key);
}

orr_tensor *orr_rand_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double lo, double hi)
{
    ORR__IN_DEFAULT_FPMODE;
    return uniform(ORR__SITE(file, line, "rand"), dtype, &shape, lo, hi, NULL);
}

orr_tensor *orr_rand_keyed_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double lo, double hi,
                              uint64_t key)
{
    ORR__IN_DEFAULT_FPMODE;
    return uniform(ORR__SITE(file, line, "rand_keyed"), dtype, &shape, lo, hi, &key);
}

orr_tensor *orr_randn_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double mean, double std)
{
    ORR__IN_DEFAULT_FPMODE;
    return normal(ORR__SITE(file, line, "randn"), dtype, &shape, mean, std, NULL);
}

orr_tensor *orr_randn_keyed_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double mean, double std,
                               uint64_t key)
{
    ORR__IN_DEFAULT_FPMODE;
    return normal(ORR__SITE(file, line, "randn_keyed"), dtype, &shape, mean, std, &key);
}

/* True if dtype can hold the integer v. */
static bool holds(orr_dtype dtype, int64_t v)
{
    orr__scalar s = orr__scalar_cast((orr__scalar){ .i = v }, ORR_I64, dtype);
    return !(orr__is_unsigned(dtype) && v < 0) && orr__scalar_cast(s, dtype, ORR_I64).i == v;
}

orr_tensor *orr_randint_at(const char *file, int line, orr_dtype dtype, orr_shape shape, int64_t lo, int64_t hi)
{
    orr__site at = ORR__SITE(file, line, "randint");
    orr_tensor *bad;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__is_int(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no integer dtype", orr_dtype_name(dtype));
    if (hi <= lo)
        return orr__poison(at, ORR_EINVAL, "no integers from %lld to below %lld", (long long)lo, (long long)hi);
    if (!holds(dtype, lo) || !holds(dtype, hi - 1))
        return orr__poison(at, ORR_EDTYPE, "%s does not hold %lld to %lld", orr_dtype_name(dtype), (long long)lo,
                           (long long)(hi - 1));
    orr__scalar first = { .i = lo }, range = { .u = (uint64_t)hi - (uint64_t)lo };
    return orr__handle_new(draw(at, ORR__DINTEGERS, dtype, &shape, first, range, orr__next_stream()));
}

orr_tensor *orr_permutation_at(const char *file, int line, int64_t n)
{
    orr__site at = ORR__SITE(file, line, "permutation");
    orr_tensor *bad;
    orr_shape shape = ORR_SHAPE(n);
    if (!orr__shape_ok(at, &shape, &bad))
        return bad;
    return orr__handle_new(draw(at, ORR__DPERMUTATION, ORR_I64, &shape, (orr__scalar){ .i = n },
                                (orr__scalar){ .u = 0 }, orr__next_stream()));
}

orr_tensor *orr_bernoulli_at(const char *file, int line, orr_shape shape, double p)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "bernoulli");
    orr_tensor *bad;
    if (!orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!(p >= 0 && p <= 1))
        return orr__poison(at, ORR_EINVAL, "%g is no probability", p);
    orr__scalar none = { .u = 0 };
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *u = orr__handle_new(draw(at, ORR__DUNIFORM, ORR_F32, &shape, none, none, orr__next_stream()));
    return orr__compose_end(at, scope, orr_less_at(file, line, u, orr_scalar_at(file, line, p)));
}
