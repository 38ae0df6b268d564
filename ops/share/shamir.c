/* Shamir's sharing of tensors: shares and secrets as products of matrices modulo 2^61 − 1.
 * Must not know: the correction of one polynomial. */
#include "config.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "ops/pack/parallel.h"
#include "ops/record.h"
#include "ops/share/p61.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

enum { MOST_SHARES = 65535, STRIP = 512, TRIES = 6, COEFFICIENTS = ORR__SHARE_BLOCK }; /* limit of memory */

/* -- shares ---------------------------------------------------------------------------------------------- */

orr_status orr__shamir_split(orr__site at, const uint64_t *secret, int64_t count, int threshold, const uint64_t *points,
                             int n, uint64_t *out, int64_t ldo)
{
    int64_t strip = COEFFICIENTS / threshold > 4 ? COEFFICIENTS / threshold : 4;
    strip = strip < count ? strip : count;
    uint64_t *power = orr__secret_new((size_t)threshold * (size_t)(strip + 1) * sizeof *power);
    if (!power)
        return orr__fail_place(at, ORR_ENOMEM);
    uint64_t *c = power + threshold; /* (threshold, strip): secrets, then random coefficients */
    orr_status st = ORR_OK;
    for (int64_t from = 0; st == ORR_OK && from < count; from += strip) {
        int64_t most = count - from < strip ? count - from : strip;
        memcpy(c, secret + from, (size_t)most * sizeof *c);
        if (threshold > 1)
            st = orr__ring_random(at, ORR_MOD_P61, c + strip, (threshold - 1) * strip);
        for (int i = 0; st == ORR_OK && i < n; i++) {
            power[0] = 1;
            for (int j = 1; j < threshold; j++)
                power[j] = orr__p61_mul(power[j - 1], points[i]);
            orr__p61_product(1, most, threshold, power, threshold, c, strip, out + i * ldo + from, ldo);
        }
    }
    orr__secret_free(power);
    return st;
}

typedef struct {
    orr__site at;
    int64_t n; /* elements of the secret */
    int threshold, shares;
    const uint64_t *points, *from;
    uint64_t *to;
    atomic_llong *wrong; /* of joins: counts of wrong shares; NULL: a wrong share is an error */
} job;

static int64_t extent(const job *j, int64_t block)
{
    int64_t left = j->n - block * ORR__SHARE_BLOCK;
    return left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK;
}

static int64_t blocks_of(const job *j)
{
    return (j->n + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK;
}

static orr_status split_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK;
    return orr__shamir_split(j->at, j->from + first, extent(j, block), j->threshold, j->points, j->shares,
                             j->to + first, j->n);
}

orr_tensor *orr_shamir_split_at(const char *file, int line, orr_tensor *secret, int threshold, int n)
{
    orr__site at = ORR__SITE(file, line, "shamir_split");
    orr__operand_data o;
    orr_shape shape;
    if (n < 1 || n > MOST_SHARES)
        return orr__poison(at, ORR_EINVAL, "a secret has 1 to %d shares, not %d", MOST_SHARES, n);
    if (threshold < 1 || threshold > n)
        return orr__poison(at, ORR_EINVAL, "the threshold is 1 to the number of shares, %d, not %d", n, threshold);
    if (orr__need_sodium(at) != ORR_OK)
        return orr__handle_new(NULL);
    if (!orr__operand_ring(at, secret, "the secret", ORR_MOD_P61, &o))
        return o.bad;
    bool fits = orr__shape_of_shares(at, &o.shape, n, &shape);
    uint64_t *points = fits ? orr__alloc_n((size_t)n, sizeof *points) : NULL;
    for (int i = 0; points && i < n; i++)
        points[i] = (uint64_t)i + 1;
    job j = { .at = at, .n = o.n, .threshold = threshold, .shares = n, .points = points, .from = o.data };
    j.to = points ? orr__result_new(at, ORR_U64, n * o.n) : NULL;
    orr_status st = j.to ? orr__parallel(at, blocks_of(&j), split_block, &j) : orr_error_status();
    free(points);
    orr__operand_close(&o);
    return orr__result(at, st, ORR_U64, shape, j.to);
}

/* -- secrets --------------------------------------------------------------------------------------------- */

/* The memory of a strip of elements: rows of weights, predictions, and the wrong parties of each element. */
typedef struct {
    uint64_t *weight, *bary, *points, *predicted, *share;
    unsigned char *miss;      /* (shares, STRIP) */
    int errors[STRIP];        /* number of shares that are not on an element's polynomial */
    bool open[STRIP], *wrong; /* open: the element is undecided */
    int *base;                /* numbers of the `threshold` shares that define the polynomials, ascending */
} strip;

static void strip_free(strip *s)
{
    if (!s)
        return;
    free(s->weight);
    free(s->bary);
    free(s->points);
    orr__secret_free(s->predicted);
    orr__secret_free(s->share);
    free(s->miss);
    free(s->wrong);
    free(s->base);
    free(s);
}

static strip *strip_new(const job *j)
{
    size_t t = (size_t)j->threshold, k = (size_t)j->shares;
    strip *s = orr__alloc(sizeof *s);
    if (!s)
        return NULL;
    s->weight = orr__alloc_n(t, sizeof *s->weight);
    s->bary = orr__alloc_n(t, sizeof *s->bary);
    s->points = orr__alloc_n(t, sizeof *s->points);
    s->predicted = orr__secret_new((t + 2) * STRIP * sizeof *s->predicted);
    s->share = orr__secret_new(k * sizeof *s->share);
    s->miss = orr__alloc_n(k, STRIP);
    s->wrong = orr__alloc_n(k, sizeof *s->wrong);
    s->base = orr__alloc_n(t, sizeof *s->base);
    if (s->weight && s->bary && s->points && s->predicted && s->share && s->miss && s->wrong && s->base)
        return s;
    strip_free(s);
    return NULL;
}

/* Chooses the first `threshold` shares that s->wrong does not exclude. */
static void choose_base(const job *j, strip *s)
{
    int got = 0;
    for (int i = 0; i < j->shares && got < j->threshold; i++)
        if (!s->wrong[i]) {
            s->base[got] = i;
            s->points[got++] = j->points[i];
        }
    orr__lagrange_prepare(s->points, j->threshold, s->bary);
}

/* Evaluates the polynomials through the base: values at 0 to the first row of s->predicted; s->miss and s->errors of the other
 * shares. */
static void predict(const job *j, strip *s, int64_t first, int64_t n)
{
    uint64_t *zero = s->predicted, *value = zero + STRIP, *rows = value + STRIP;
    int t = j->threshold, b = 0;
    for (int i = 0; i < t; i++)
        memcpy(rows + (size_t)i * STRIP, j->from + s->base[i] * j->n + first, (size_t)n * sizeof *rows);
    orr__lagrange_at(s->points, s->bary, t, 0, s->weight);
    orr__p61_product(1, n, t, s->weight, t, rows, STRIP, zero, STRIP);
    memset(s->errors, 0, sizeof s->errors);
    for (int i = 0; i < j->shares; i++) {
        unsigned char *miss = s->miss + (size_t)i * STRIP;
        memset(miss, 0, STRIP);
        if (b < t && s->base[b] == i) {
            b++;
            continue;
        }
        const uint64_t *have = j->from + i * j->n + first;
        orr__lagrange_at(s->points, s->bary, t, j->points[i], s->weight);
        orr__p61_product(1, n, t, s->weight, t, rows, STRIP, value, STRIP);
        for (int64_t e = 0; e < n; e++) {
            miss[e] = value[e] != have[e];
            s->errors[e] += miss[e];
        }
    }
}

static void accept(const job *j, strip *s, int64_t first, int64_t e)
{
    j->to[first + e] = s->predicted[e];
    s->open[e] = false;
    for (int i = 0; i < j->shares && s->errors[e] > 0; i++)
        if (s->miss[(size_t)i * STRIP + (size_t)e])
            (void)atomic_fetch_add_explicit(&j->wrong[i], 1, memory_order_relaxed);
}

/* Decodes element e alone: its secret, and s->wrong. */
static orr_status decode(const job *j, strip *s, int64_t e, uint64_t *secret)
{
    for (int i = 0; i < j->shares; i++)
        s->share[i] = j->from[i * j->n + e];
    int found = orr__berlekamp_welch(j->points, s->share, j->shares, j->threshold, secret, s->wrong);
    if (found < 0)
        return orr__fail_place(j->at, ORR_ENOMEM);
    if (found > 0)
        return ORR_OK;
    return orr__fail(j->at, ORR_EFORMAT,
                     "more of the %d shares of element %lld are wrong than the %d that can be corrected", j->shares,
                     (long long)e, (j->shares - j->threshold) / 2);
}

/* The pattern of wrong shares of one element is tried on all others, since a wrong party is usually wrong
 * everywhere. */
static orr_status correct_strip(const job *j, strip *s, int64_t first, int64_t n)
{
    int most = (j->shares - j->threshold) / 2;
    orr_status st = ORR_OK;
    memset(s->wrong, 0, (size_t)j->shares * sizeof *s->wrong);
    for (int64_t e = 0; e < n; e++)
        s->open[e] = true;
    int64_t next = 0;
    for (int tries = 0; st == ORR_OK && tries < TRIES && next < n; tries++) {
        choose_base(j, s);
        predict(j, s, first, n);
        for (int64_t e = next; e < n; e++)
            if (s->open[e] && s->errors[e] <= most)
                accept(j, s, first, e);
        while (next < n && !s->open[next])
            next++;
        if (next < n)
            st = decode(j, s, first + next, &j->to[first + next]);
    }
    for (; st == ORR_OK && next < n; next++) {
        if (!s->open[next])
            continue;
        st = decode(j, s, first + next, &j->to[first + next]);
        for (int i = 0; st == ORR_OK && i < j->shares; i++)
            if (s->wrong[i])
                (void)atomic_fetch_add_explicit(&j->wrong[i], 1, memory_order_relaxed);
    }
    return st;
}

static orr_status check_strip(const job *j, strip *s, int64_t first, int64_t n)
{
    predict(j, s, first, n);
    for (int64_t e = 0; e < n; e++) {
        if (s->errors[e] > 0)
            return orr__fail(j->at, ORR_EFORMAT,
                             "the shares of element %lld lie on no polynomial of degree %d: some are wrong",
                             (long long)(first + e), j->threshold - 1);
        j->to[first + e] = s->predicted[e];
    }
    return ORR_OK;
}

static orr_status join_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK, n = extent(j, block);
    strip *s = strip_new(j);
    orr_status st = s ? ORR_OK : orr__fail_place(j->at, ORR_ENOMEM);
    if (s)
        choose_base(j, s);
    for (int64_t from = 0; st == ORR_OK && from < n; from += STRIP) {
        int64_t most = n - from < STRIP ? n - from : STRIP;
        st = j->wrong ? correct_strip(j, s, first + from, most) : check_strip(j, s, first + from, most);
    }
    strip_free(s);
    return st;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* k points as elements of the field; NULL and last error if one is not valid or two are equal. */
static uint64_t *points_of(orr__site at, const int64_t *points, int k)
{
    uint64_t *p = orr__alloc_n(2 * (size_t)k, sizeof *p);
    if (!p)
        return (void)orr__fail_place(at, ORR_ENOMEM), NULL;
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < k; i++) {
        if (points[i] < 1 || (uint64_t)points[i] >= ORR__P61)
            st = orr__fail(at, ORR_EINVAL, "point %d is %lld: points are 1 to 2^61 - 2", i, (long long)points[i]);
        p[i] = p[k + i] = (uint64_t)points[i];
    }
    if (st == ORR_OK)
        qsort(p + k, (size_t)k, sizeof *p, compare);
    for (int i = 1; st == ORR_OK && i < k; i++)
        if (p[k + i] == p[k + i - 1])
            st = orr__fail(at, ORR_EINVAL, "two shares are of the same point, %lld", (long long)p[k + i]);
    if (st == ORR_OK)
        return p;
    free(p);
    return NULL;
}

static orr_status check_shares(orr__site at, const orr_shape *s, const int64_t *points, int threshold)
{
    if (s->rank < 1)
        return orr__fail(at, ORR_ESHAPE, "there is no share: axis 0 counts them");
    if (!points)
        return orr__fail(at, ORR_EINVAL, "the points are NULL");
    if (threshold < 1)
        return orr__fail(at, ORR_EINVAL, "the threshold is 1 or more, not %d", threshold);
    if (s->dim[0] < threshold)
        return orr__fail(at, ORR_EINVAL, "there are %lld shares, and %d are needed", (long long)s->dim[0], threshold);
    if (s->dim[0] > MOST_SHARES)
        return orr__fail(at, ORR_EINVAL, "a secret has 1 to %d shares, not %lld", MOST_SHARES, (long long)s->dim[0]);
    return ORR_OK;
}

static orr_tensor *join(orr__site at, orr_tensor *shares, const int64_t *points, int threshold, atomic_llong *wrong)
{
    orr__operand_data o;
    orr_shape shape = { 0 };
    if (!orr__operand_ring(at, shares, "the shares", ORR_MOD_P61, &o))
        return o.bad;
    orr_status st = check_shares(at, &o.shape, points, threshold);
    int k = st == ORR_OK ? (int)o.shape.dim[0] : 0;
    job j = { .at = at, .threshold = threshold, .shares = k, .from = o.data, .wrong = wrong };
    uint64_t *p = st == ORR_OK ? points_of(at, points, k) : NULL;
    if (st == ORR_OK && !p)
        st = orr_error_status();
    if (st == ORR_OK) {
        j.points = p;
        j.n = o.n / k;
        shape.rank = o.shape.rank - 1;
        for (int i = 0; i < shape.rank; i++)
            shape.dim[i] = o.shape.dim[i + 1];
        j.to = orr__result_new(at, ORR_U64, j.n);
        st = j.to ? orr__parallel(at, blocks_of(&j), join_block, &j) : ORR_ENOMEM;
    }
    free(p);
    orr__operand_close(&o);
    return orr__result(at, st, ORR_U64, shape, j.to);
}

orr_tensor *orr_shamir_join_at(const char *file, int line, orr_tensor *shares, const int64_t *points, int threshold)
{
    return join(ORR__SITE(file, line, "shamir_join"), shares, points, threshold, NULL);
}

orr_tensor *orr_shamir_correct_at(const char *file, int line, orr_tensor *shares, const int64_t *points, int threshold,
                                  int64_t *wrong)
{
    orr__site at = ORR__SITE(file, line, "shamir_correct");
    orr_shape s = orr_tensor_shape(shares);
    int64_t k = s.rank > 0 && s.dim[0] <= MOST_SHARES ? s.dim[0] : 0;
    atomic_llong *count = orr__alloc_n((size_t)k + 1, sizeof *count);
    if (!count)
        return orr__handle_new(NULL);
    orr_tensor *r = join(at, shares, points, threshold, count);
    for (int64_t i = 0; wrong && i < k; i++)
        wrong[i] = atomic_load(&count[i]);
    free(count);
    return r;
}
