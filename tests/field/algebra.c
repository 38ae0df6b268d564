/* Tensors of field elements beside integers of GMP: sums, products, matrices, running sums, integers as elements, and random programs of
 * structural operations.
 * Must not know: kernels. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

#ifdef HAVE_GMP
#include <gmp.h>

static unsigned long long seed = 97;
static const orr_dtype fields[2] = { ORR_FR254, ORR_FQ254 };
static mpz_t prime;

static bool begin(orr_scope **s, int f)
{
    static const char *const text[] = { "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
                                        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47" };
    static bool begun;
    if (!begun) {
        mpz_init(prime);
        begun = orr_init(NULL) == ORR_OK;
    }
    mpz_set_str(prime, text[f], 16);
    *s = orr_scope_begin();
    return begun && *s;
}

static int64_t below(int64_t n)
{
    return (int64_t)(orr_test_rand(&seed) % (uint64_t)n);
}

static void *memory(int64_t n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    if (!p)
        exit(99);
    return p;
}

/* -- arrays of integers ------------------------------------------------------------------------------------------------ */

typedef struct {
    orr_shape s;
    int64_t n;
    mpz_t *v;
} array;

static array array_new(orr_shape s)
{
    array a = { s, 1, NULL };
    for (int d = 0; d < s.rank; d++)
        a.n *= s.dim[d];
    a.v = memory(a.n, sizeof *a.v);
    for (int64_t i = 0; i < a.n; i++)
        mpz_init(a.v[i]);
    return a;
}

static void array_free(array *a)
{
    for (int64_t i = 0; i < a->n; i++)
        mpz_clear(a->v[i]);
    free(a->v);
    a->v = NULL;
}

/* A random array with the ends of the field and small numbers among its elements. */
static array array_random(orr_shape s)
{
    array a = array_new(s);
    for (int64_t i = 0; i < a.n; i++) {
        uint64_t l[5];
        for (int k = 0; k < 5; k++)
            l[k] = orr_test_rand(&seed);
        if (l[4] % 8)
            mpz_import(a.v[i], 4, -1, 8, 0, 0, l);
        else
            mpz_set_ui(a.v[i], l[0] % 3);
        if (l[4] % 16 == 0)
            mpz_sub(a.v[i], prime, a.v[i]);
        mpz_mod(a.v[i], a.v[i], prime);
    }
    return a;
}

static orr_tensor *tensor_of(const array *a, orr_dtype f)
{
    unsigned char *bytes = memory(a->n, 32);
    for (int64_t i = 0; i < a->n; i++)
        (void)mpz_export(bytes + 32 * i, NULL, -1, 1, 0, 0, a->v[i]);
    orr_tensor *t = orr_from(f, a->s, bytes);
    free(bytes);
    return t;
}

static void index_of(const orr_shape *s, int64_t i, int64_t *index)
{
    for (int d = s->rank - 1; d >= 0; d--) {
        index[d] = i % s->dim[d];
        i /= s->dim[d];
    }
}

static int64_t place_of(const orr_shape *s, const int64_t *index)
{
    int64_t i = 0;
    for (int d = 0; d < s->rank; d++)
        i = i * s->dim[d] + index[d];
    return i;
}

/* The number of elements that differ; all of them after an error. */
static int64_t differ(orr_tensor *t, const array *a)
{
    orr_shape s = orr_tensor_shape(t);
    unsigned char *bytes = memory(a->n, 32), want[32];
    int64_t bad = 0;
    bool fits = s.rank == a->s.rank;
    for (int d = 0; fits && d < s.rank; d++)
        fits = s.dim[d] == a->s.dim[d];
    if (!fits || orr_read(t, bytes, (size_t)a->n * 32) != ORR_OK) {
        ORR_CHECK_MSG(false, "%s", fits ? orr_error_message() : "another shape");
        bad = a->n + 1;
    }
    for (int64_t i = 0; fits && i < a->n; i++) {
        memset(want, 0, sizeof want);
        (void)mpz_export(want, NULL, -1, 1, 0, 0, a->v[i]);
        bad += memcmp(want, bytes + 32 * i, sizeof want) != 0;
    }
    free(bytes);
    return bad;
}

/* -- folds --------------------------------------------------------------------------------------------------------------- */

static array folded(const array *x, uint32_t mask, bool keep, bool product)
{
    orr_shape s = { 0 }, kept = x->s;
    for (int d = 0; d < x->s.rank; d++) {
        if (mask >> d & 1u)
            kept.dim[d] = 1;
        if (keep || !(mask >> d & 1u))
            s.dim[s.rank++] = kept.dim[d];
    }
    array z = array_new(s);
    for (int64_t i = 0; i < z.n; i++)
        mpz_set_ui(z.v[i], product);
    for (int64_t i = 0; i < x->n; i++) {
        int64_t at[ORR_MAX_RANK];
        index_of(&x->s, i, at);
        for (int d = 0; d < x->s.rank; d++)
            at[d] = mask >> d & 1u ? 0 : at[d];
        mpz_t *to = &z.v[place_of(&kept, at)];
        if (product)
            mpz_mul(*to, *to, x->v[i]);
        else
            mpz_add(*to, *to, x->v[i]);
        mpz_mod(*to, *to, prime);
    }
    return z;
}

static orr_axes axes_of(uint32_t mask)
{
    orr_axes a = { 0, { 0 } };
    for (int d = 0; d < ORR_MAX_RANK; d++)
        if (mask >> d & 1u)
            a.axis[a.n++] = d;
    return a;
}

static void folds(void)
{
    static const orr_shape shape[] = {
        { 0, { 0 } }, { 1, { 1 } },    { 1, { 1000 } },    { 2, { 30, 40 } }, { 3, { 7, 11, 13 } },
        { 1, { 0 } }, { 2, { 0, 3 } }, { 2, { 2, 9001 } }, { 1, { 20000 } },  { 4, { 3, 4, 5, 6 } },
    };
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (uint32_t mask = 0; mask < 1u << shape[i].rank; mask++) {
                orr_scope *s;
                ORR_REQUIRE(begin(&s, f));
                array x = array_random(shape[i]);
                orr_tensor *t = tensor_of(&x, fields[f]);
                bool keep = (mask + i) % 2;
                for (int product = 0; product < 2; product++) {
                    array z = folded(&x, mask, keep, product);
                    orr_tensor *r = product ? orr_prod(t, axes_of(mask), keep) : orr_sum(t, axes_of(mask), keep);
                    ORR_CHECK_MSG(differ(r, &z) == 0, "%s %d of shape %zu, axes %u", product ? "product" : "sum", f, i,
                                  (unsigned)mask);
                    array_free(&z);
                }
                array_free(&x);
                (void)orr_scope_end(s);
            }
}

/* -- matrices ------------------------------------------------------------------------------------------------------------- */

/* (b, m, n) · (b, n, k), or without b. */
static array product_of(const array *x, const array *y)
{
    int r = x->s.rank;
    int64_t m = x->s.dim[r - 2], n = x->s.dim[r - 1], k = y->s.dim[r - 1], b = m * n > 0 ? x->n / (m * n) : 1;
    orr_shape s = x->s;
    s.dim[r - 1] = k;
    array z = array_new(s);
    for (int64_t i = 0; i < b * m; i++)
        for (int64_t j = 0; j < k; j++) {
            for (int64_t l = 0; l < n; l++)
                mpz_addmul(z.v[i * k + j], x->v[i * n + l], y->v[(i / m * n + l) * k + j]);
            mpz_mod(z.v[i * k + j], z.v[i * k + j], prime);
        }
    return z;
}

static void matrices(void)
{
    static const int64_t size[][4] = { { 1, 1, 1, 1 },    { 1, 5, 7, 3 },    { 3, 4, 6, 5 },     { 1, 33, 40, 29 },
                                       { 2, 1, 1000, 1 }, { 1, 1, 9000, 2 }, { 1, 2, 20000, 1 }, { 2, 3, 0, 4 } };
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
            orr_scope *s;
            ORR_REQUIRE(begin(&s, f));
            const int64_t b = size[i][0], m = size[i][1], n = size[i][2], k = size[i][3];
            array x = array_random(ORR_SHAPE(b, m, n)), y = array_random(ORR_SHAPE(b, n, k)), z = product_of(&x, &y);
            orr_tensor *tx = tensor_of(&x, fields[f]), *ty = tensor_of(&y, fields[f]);
            ORR_CHECK_MSG(differ(orr_matmul(tx, ty), &z) == 0, "product %zu of field %d", i, f);
            if (b == 1) { /* vectors, a batch beside a matrix, and expressions of products */
                orr_tensor *x2 = orr_reshape(tx, ORR_SHAPE(m, n)), *y2 = orr_reshape(ty, ORR_SHAPE(n, k));
                ORR_CHECK(differ(orr_matmul(tx, y2), &z) == 0);
                ORR_CHECK(differ(orr_reshape(orr_matmul(x2, ty), ORR_SHAPE(1, m, k)), &z) == 0);
                ORR_CHECK(differ(orr_reshape(orr_einsum("ij,jk->ik", ORR_TENSORS(x2, y2)), ORR_SHAPE(1, m, k)), &z) ==
                          0);
                orr_tensor *row = orr_matmul(orr_reshape(orr_slice_axis(x2, 0, 0, 1, 1), ORR_SHAPE(n)), y2);
                array first = { { 1, { k } }, k, z.v };
                ORR_CHECK(differ(row, &first) == 0);
            }
            array_free(&x);
            array_free(&y);
            array_free(&z);
            (void)orr_scope_end(s);
        }
}

/* -- running sums ----------------------------------------------------------------------------------------------------------- */

static array running(const array *x, int axis, bool product)
{
    array z = array_new(x->s);
    int64_t inner = 1;
    for (int d = axis + 1; d < x->s.rank; d++)
        inner *= x->s.dim[d];
    for (int64_t i = 0; i < x->n; i++) {
        if (i / inner % x->s.dim[axis] == 0)
            mpz_set(z.v[i], x->v[i]);
        else if (product)
            mpz_mul(z.v[i], z.v[i - inner], x->v[i]);
        else
            mpz_add(z.v[i], z.v[i - inner], x->v[i]);
        mpz_mod(z.v[i], z.v[i], prime);
    }
    return z;
}

static void running_sums(void)
{
    static const orr_shape shape[] = {
        { 1, { 1 } }, { 1, { 777 } }, { 2, { 20, 30 } }, { 3, { 4, 5, 6 } }, { 2, { 2, 150000 } }
    };
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (int axis = 0; axis < shape[i].rank; axis++) {
                orr_scope *s;
                ORR_REQUIRE(begin(&s, f));
                array x = array_random(shape[i]);
                orr_tensor *t = tensor_of(&x, fields[f]);
                for (int product = 0; product < 2; product++) {
                    array z = running(&x, axis, product);
                    orr_tensor *r = product ? orr_cumulative_prod(t, axis, false) : orr_cumulative_sum(t, axis, false);
                    ORR_CHECK_MSG(differ(r, &z) == 0, "running %d of shape %zu, axis %d", product, i, axis);
                    array_free(&z);
                }
                array_free(&x);
                (void)orr_scope_end(s);
            }
}

/* -- integers ---------------------------------------------------------------------------------------------------------------- */

#define INTEGERS(T, dtype, is_signed)                                                                                  \
    do {                                                                                                               \
        T v_[64], back_[64];                                                                                           \
        array a_ = array_new(ORR_SHAPE(64));                                                                           \
        for (int i_ = 0; i_ < 64; i_++) {                                                                              \
            v_[i_] = (T)(orr_test_rand(&seed) >> below(64));                                                           \
            v_[i_] = i_ == 0   ? (T)0                                                                                  \
                     : i_ == 1 ? (T)-1                                                                                 \
                     : i_ == 2 ? (T)(is_signed ? 1ull << (8 * sizeof(T) - 1) : 1)                                      \
                               : v_[i_];                                                                               \
            if (is_signed)                                                                                             \
                mpz_set_si(a_.v[i_], (long)v_[i_]);                                                                    \
            else                                                                                                       \
                mpz_set_ui(a_.v[i_], (unsigned long)v_[i_]);                                                           \
            mpz_mod(a_.v[i_], a_.v[i_], prime);                                                                        \
        }                                                                                                              \
        orr_tensor *x_ = orr_cast(orr_from(dtype, ORR_SHAPE(64), v_), fields[f]);                                      \
        ORR_CHECK_MSG(differ(x_, &a_) == 0, "%s", orr_dtype_name(dtype));                                              \
        ORR_CHECK_MSG(orr_read(orr_cast(x_, dtype), back_, sizeof back_) == ORR_OK, "%s", orr_error_message());        \
        ORR_CHECK_MSG(memcmp(v_, back_, sizeof v_) == 0, "%s", orr_dtype_name(dtype));                                 \
        array_free(&a_);                                                                                               \
    } while (0)

static void integers(void)
{
    for (int f = 0; f < 2; f++)
        for (int round = 0; round < 20; round++) {
            orr_scope *s;
            ORR_REQUIRE(begin(&s, f));
            INTEGERS(int8_t, ORR_I8, true);
            INTEGERS(int16_t, ORR_I16, true);
            INTEGERS(int32_t, ORR_I32, true);
            INTEGERS(int64_t, ORR_I64, true);
            INTEGERS(uint8_t, ORR_U8, false);
            INTEGERS(uint16_t, ORR_U16, false);
            INTEGERS(uint32_t, ORR_U32, false);
            INTEGERS(uint64_t, ORR_U64, false);
            (void)orr_scope_end(s);
        }
}

static void refused(orr_tensor *t, orr_status status, const char *words)
{
    orr_status st = orr_eval(t);
    ORR_CHECK_MSG(st == status && strstr(orr_error_message(), words), "%s, not %s", orr_error_message(), words);
}

static void integers_that_do_not_fit(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s, 0));
    static const char *const text[] = {
        "1", "128", "18446744073709551616",
        "21888242871839275222246405745257275088548364400416034343698204186575808495488"
    };
    orr_tensor *x = orr_field_parse(ORR_FR254, text, 4); /* the last is −129 */
    refused(orr_cast(orr_slice_axis(x, 0, 0, 2, 1), ORR_I8), ORR_EINDEX, "element 1 is no value of int8");
    refused(orr_cast(x, ORR_U64), ORR_EINDEX, "element 2 is no value of uint64");
    refused(orr_cast(x, ORR_I64), ORR_EINDEX, "element 2 is no value of int64");
    refused(orr_add(x, orr_scalar(0.5)), ORR_EDTYPE, "the scalar 0.5 is no integer of 64 bits, as beside");
    refused(orr_cast(orr_slice_axis(x, 0, 3, 4, 1), ORR_I8), ORR_EINDEX, "element 0 is no value of int8");
    int16_t small = 0;
    ORR_CHECK(orr_read(orr_cast(orr_slice_axis(x, 0, 3, 4, 1), ORR_I16), &small, sizeof small) == ORR_OK);
    ORR_CHECK(small == -129);
    refused(orr_cast(x, ORR_F64), ORR_EDTYPE, "fr254 does not become float64");
    refused(orr_cast(x, ORR_FQ254), ORR_EDTYPE, "fr254 does not become fq254");
    refused(orr_cast(orr_ones(ORR_F32, ORR_SHAPE(2)), ORR_FR254), ORR_EDTYPE, "float32 does not become fr254");
    bool yes[4];
    orr_tensor *zeros = orr_mul(x, orr_cast(orr_from(ORR_BOOL, ORR_SHAPE(4), (bool[]){ 1, 0, 1, 0 }), ORR_FR254));
    ORR_CHECK(orr_read(orr_cast(zeros, ORR_BOOL), yes, sizeof yes) == ORR_OK);
    ORR_CHECK(yes[0] && !yes[1] && yes[2] && !yes[3]);
    double any = 0, all = 1;
    ORR_CHECK(orr_item(orr_any(zeros, ORR_ALL_AXES, false), &any) == ORR_OK && any == 1);
    ORR_CHECK(orr_item(orr_all(zeros, ORR_ALL_AXES, false), &all) == ORR_OK && all == 0);
    (void)orr_scope_end(s);
}

static void no_gradients(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s, 0));
    orr_tensor *x = orr_ones(ORR_FR254, ORR_SHAPE(3)), *g = NULL;
    orr_status st = orr_grad(orr_sum(orr_square(x), ORR_ALL_AXES, false), &x, 1, &g);
    ORR_CHECK_MSG(st == ORR_EDTYPE && strstr(orr_error_message(), "fr254"), "%s", orr_error_message());
    (void)orr_scope_end(s);
}

/* -- random programs ------------------------------------------------------------------------------------------------------------ */

enum { MOST = 6000, STEPS = 8 };

/* Element i of the result is element from[i] of x. */
static array gathered(const array *x, orr_shape s, const int64_t *from)
{
    array z = array_new(s);
    for (int64_t i = 0; i < z.n; i++)
        mpz_set(z.v[i], x->v[from[i]]);
    return z;
}

static array of_index(const array *x, orr_shape s, void (*map)(const int64_t *, int64_t *, const void *),
                      const void *with)
{
    int64_t n = 1;
    for (int d = 0; d < s.rank; d++)
        n *= s.dim[d];
    int64_t *from = memory(n, sizeof *from);
    for (int64_t i = 0; i < n; i++) {
        int64_t at[ORR_MAX_RANK], source[ORR_MAX_RANK];
        index_of(&s, i, at);
        map(at, source, with);
        from[i] = place_of(&x->s, source);
    }
    array z = gathered(x, s, from);
    free(from);
    return z;
}

typedef struct {
    int rank, axis;
    int64_t a, b;
    int perm[ORR_MAX_RANK];
    const int64_t *list;
} move;

static void by_perm(const int64_t *at, int64_t *source, const void *with)
{
    const move *m = with;
    for (int d = 0; d < m->rank; d++)
        source[m->perm[d]] = at[d];
}
/* Positions a + b·place along the axis. */
static void by_line(const int64_t *at, int64_t *source, const void *with)
{
    const move *m = with;
    memcpy(source, at, sizeof *at * ORR_MAX_RANK);
    source[m->axis] = m->a + m->b * at[m->axis];
}
static void by_list(const int64_t *at, int64_t *source, const void *with)
{
    const move *m = with;
    memcpy(source, at, sizeof *at * ORR_MAX_RANK);
    source[m->axis] = m->list[at[m->axis]];
}

static void join(array *x, const array *y, int axis, bool before)
{
    const array *first = before ? y : x, *second = before ? x : y;
    orr_shape s = x->s;
    s.dim[axis] += y->s.dim[axis];
    array z = array_new(s);
    for (int64_t i = 0; i < z.n; i++) {
        int64_t at[ORR_MAX_RANK];
        index_of(&s, i, at);
        const array *from = at[axis] < first->s.dim[axis] ? first : second;
        at[axis] -= from == second ? first->s.dim[axis] : 0;
        mpz_set(z.v[i], from->v[place_of(&from->s, at)]);
    }
    array_free(x);
    *x = z;
}

/* Applies one step of a program to both, and appends its name to `log`. */
static orr_tensor *step(orr_tensor *t, array *x, orr_dtype f, char *log, size_t size)
{
    static const char *const name[] = { "permute", "slice",   "flip",   "take",   "concat",  "pad",
                                        "square",  "sum",     "prod",   "runsum", "runprod", "matmul",
                                        "where",   "reshape", "subneg", "integer" };
    const int what = (int)below(16), axis = x->s.rank ? (int)below(x->s.rank) : 0;
    move m = { .rank = x->s.rank, .axis = axis, .b = 1 };
    int64_t list[64];
    orr_shape s = x->s;
    array z = { { 0 }, 0, NULL }, y;
    if ((x->s.rank == 0 && what != 6 && what != 14) || x->n == 0)
        return t;
    (void)snprintf(log + strlen(log), size - strlen(log), " %s", name[what]);
    switch (what) {
    case 0:
        for (int d = 0; d < s.rank; d++)
            m.perm[d] = (d + axis) % s.rank;
        for (int d = 0; d < s.rank; d++)
            s.dim[d] = x->s.dim[m.perm[d]];
        z = of_index(x, s, by_perm, &m);
        orr_axes p = { s.rank, { 0 } };
        memcpy(p.axis, m.perm, sizeof m.perm);
        t = orr_permute(t, p);
        break;
    case 1:
        m.a = below(s.dim[axis]);
        m.b = 1 + below(3);
        s.dim[axis] = (s.dim[axis] - m.a + m.b - 1) / m.b;
        t = orr_slice_axis(t, axis, m.a, x->s.dim[axis], m.b);
        z = of_index(x, s, by_line, &m);
        break;
    case 2:
        m.a = s.dim[axis] - 1;
        m.b = -1;
        t = orr_flip(t, ORR_AXES(axis));
        z = of_index(x, s, by_line, &m);
        break;
    case 3:
        s.dim[axis] = 1 + below(12);
        for (int64_t i = 0; i < s.dim[axis]; i++)
            list[i] = below(x->s.dim[axis]);
        m.list = list;
        t = orr_take(t, orr_from(ORR_I64, ORR_SHAPE(s.dim[axis]), list), axis);
        z = of_index(x, s, by_list, &m);
        break;
    case 4:
        y = array_random(s);
        orr_tensor *u = tensor_of(&y, f);
        bool before = below(2);
        t = before ? orr_concat(ORR_TENSORS(u, t), axis) : orr_concat(ORR_TENSORS(t, u), axis);
        join(x, &y, axis, before);
        array_free(&y);
        return t;
    case 5: {
        orr_index lo = { s.rank, { 0 } };
        lo.v[axis] = 1 + below(2);
        s.dim[axis] = lo.v[axis];
        y = array_new(s);
        for (int64_t i = 0; i < y.n; i++)
            mpz_sub_ui(y.v[i], prime, 5);
        t = orr_pad(t, lo, ORR_NO_INDEX, -5);
        join(x, &y, axis, true);
        array_free(&y);
        return t;
    }
    case 6:
        for (int64_t i = 0; i < x->n; i++) {
            mpz_mul(x->v[i], x->v[i], x->v[i]);
            mpz_add_ui(x->v[i], x->v[i], 3);
            mpz_mod(x->v[i], x->v[i], prime);
        }
        return orr_add(orr_square(t), orr_scalar(3));
    case 7:
    case 8:
        z = folded(x, 1u << axis, what == 7, what == 8);
        t = what == 8 ? orr_prod(t, ORR_AXES(axis), false) : orr_sum(t, ORR_AXES(axis), true);
        break;
    case 9:
    case 10:
        z = running(x, axis, what == 10);
        t = what == 10 ? orr_cumulative_prod(t, axis, false) : orr_cumulative_sum(t, axis, false);
        break;
    case 11: {
        if (s.rank < 2)
            return t;
        orr_shape by = s;
        by.dim[s.rank - 2] = s.dim[s.rank - 1];
        by.dim[s.rank - 1] = 1 + below(4);
        y = array_random(by);
        z = product_of(x, &y);
        t = orr_matmul(t, tensor_of(&y, f));
        array_free(&y);
        break;
    }
    case 12: {
        y = array_random(s);
        orr_tensor *other = tensor_of(&y, f), *same = orr_equal(t, orr_scalar(3));
        t = orr_where(orr_logical_or(same, orr_not_equal(other, orr_scalar(1))), t, other);
        for (int64_t i = 0; i < x->n; i++)
            if (mpz_cmp_ui(x->v[i], 3) != 0 && mpz_cmp_ui(y.v[i], 1) == 0)
                mpz_set(x->v[i], y.v[i]);
        array_free(&y);
        return t;
    }
    case 13: x->s = ORR_SHAPE(x->s.dim[0], x->n / x->s.dim[0]); return orr_reshape(t, x->s);
    case 14:
        for (int64_t i = 0; i < x->n; i++) {
            mpz_ui_sub(x->v[i], 7, x->v[i]);
            mpz_mod(x->v[i], x->v[i], prime);
        }
        return orr_neg(orr_sub(t, orr_scalar(7)));
    default: { /* 1 where an element is 3: converted to an integer and back */
        orr_tensor *three = orr_cast(orr_equal(t, orr_scalar(3)), f);
        t = orr_add(t, orr_cast(orr_cast(three, ORR_I16), f));
        for (int64_t i = 0; i < x->n; i++)
            if (mpz_cmp_ui(x->v[i], 3) == 0)
                mpz_set_ui(x->v[i], 4);
        return t;
    }
    }
    array_free(x);
    *x = z;
    return t;
}

static void random_programs(void)
{
    const int programs = getenv("ORR_TEST_FULL") ? 20000 : 300;
    for (int k = 0; k < programs; k++) {
        const int f = k % 2;
        char log[256] = "";
        orr_scope *s;
        ORR_REQUIRE(begin(&s, f));
        orr_shape shape = { 1 + (int)below(3), { 0 } };
        for (int d = 0; d < shape.rank; d++)
            shape.dim[d] = 1 + below(7);
        array x = array_random(shape);
        orr_tensor *t = tensor_of(&x, fields[f]);
        for (int i = 0; i < STEPS && x.n < MOST; i++)
            t = step(t, &x, fields[f], log, sizeof log);
        ORR_CHECK_MSG(differ(t, &x) == 0, "program %d:%s", k, log);
        array_free(&x);
        (void)orr_scope_end(s);
    }
}
#else
static void folds(void)
{
    ORR_SKIP("built without GMP");
}
#define matrices folds
#define running_sums folds
#define integers folds
#define integers_that_do_not_fit folds
#define no_gradients folds
#define random_programs folds
#endif

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(folds),
        ORR_TEST(matrices),
        ORR_TEST(running_sums),
        ORR_TEST(integers),
        ORR_TEST(integers_that_do_not_fit),
        ORR_TEST(no_gradients),
        ORR_TEST(random_programs),
        { 0 },
    };
    return orr_test_main(argc, argv, "field.algebra", tests);
}
