/* Arguments for measuring rows: over all bit patterns, from the usual domain, and where functions are hard.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/ops/accuracy.h"
#include "tests/harness/harness.h"

const acc_size acc_table_size = { 1 << 20, 1 << 19 }, acc_test_size = { 3000, 2000 };

typedef struct {
    const orr__ewrow *row;
    orr_dtype dtype;
    unsigned long long state;
    acc_args *a;
    int room;
} maker;

static uint64_t bits(maker *m)
{
    return (uint64_t)orr_test_rand(&m->state);
}

static double unit(maker *m)
{
    return (double)(bits(m) >> 11) * 0x1p-53;
}

static double round_to(const maker *m, double x)
{
    return orr__scalar_cast((orr__scalar){ .f = x }, ORR_F64, m->dtype).f;
}

static double of_bits(const maker *m, uint64_t u)
{
    uint32_t w = (uint32_t)u;
    uint16_t h = (uint16_t)u;
    const void *p = m->dtype == ORR_F64 ? (const void *)&u : m->dtype == ORR_F32 ? (const void *)&w : (const void *)&h;
    return orr__scalar_load(p, m->dtype).f;
}

/* The n-th number of the dtype after x, which is finite. */
static double step(const maker *m, double x, int n)
{
    unsigned char b[8] = { 0 };
    uint64_t u = 0;
    uint32_t w;
    uint16_t h;
    orr__scalar_store(b, m->dtype, (orr__scalar){ .f = x });
    switch (orr_dtype_size(m->dtype)) {
    case 8: memcpy(&u, b, 8); break;
    case 4: memcpy(&w, b, 4), u = w; break;
    default: memcpy(&h, b, 2), u = h;
    }
    return of_bits(m, u + (uint64_t)(int64_t)n);
}

static int width(orr_dtype t)
{
    return (int)orr_dtype_size(t) * 8;
}

/* Any bit pattern: all exponents are equally likely. */
static double any(maker *m)
{
    return of_bits(m, bits(m) >> (64 - width(m->dtype)));
}

static double usual(maker *m)
{
    return round_to(m, m->row->lo + (m->row->hi - m->row->lo) * unit(m));
}

static void put(maker *m, double x, double y, double z)
{
    acc_args *a = m->a;
    const double v[3] = { x, y, z };
    if (a->n == m->room) {
        int room = m->room ? 2 * m->room : 4096;
        for (int k = 0; k < m->row->arity; k++) {
            double *p = realloc(a->in[k], (size_t)room * sizeof *p);
            if (!p)
                return; /* a->n stays, by which acc_args_make detects it */
            a->in[k] = p;
        }
        m->room = room;
    }
    for (int k = 0; k < m->row->arity; k++)
        a->in[k][a->n] = v[k];
    a->n++;
}

/* -- hard ones ------------------------------------------------------------------------------------------- */

/* Arguments at which results become subnormal, 0, infinite or saturated; ends of domains; other points where
 * functions change. */
static const double turns[] = { 0x1p-1074,
                                0x1p-1073,
                                0x0.8p-1022,
                                0x1p-1022,
                                0x1p-149,
                                0x1p-148,
                                0x0.8p-126,
                                0x1p-126,
                                0x1p-133,
                                0x1p-24,
                                0x1p-23,
                                0x1p-14,
                                0.5,
                                1,
                                2,
                                3,
                                4,
                                6,
                                10,
                                100,
                                1000,
                                1e10,
                                0.70710678118654752,
                                1.4142135623730951,
                                2.718281828459045,
                                0.36787944117144233,
                                0.34657359027997264,
                                0.69314718055994531,
                                1.0986122886681098,
                                2.3025850929940457,
                                4.17,
                                5.54,
                                8.31,
                                9.02,
                                9.1946,
                                10.0546,
                                12.2,
                                14.06,
                                15.9,
                                16.7,
                                17.33,
                                19.06,
                                26.543,
                                27.226,
                                30,
                                36.04,
                                36.74,
                                38.5,
                                44.0,
                                64,
                                80,
                                87.33655,
                                88.02969,
                                88.37626,
                                88.72283,
                                89.41599,
                                103.27893,
                                103.97208,
                                104,
                                126,
                                127,
                                128,
                                148,
                                149,
                                149.5,
                                150,
                                151,
                                512,
                                708.39642,
                                709.08957,
                                709.78271,
                                710.47586,
                                744.44007,
                                745.13322,
                                746,
                                1021,
                                1022,
                                1023,
                                1024,
                                1074,
                                1075,
                                5000,
                                65504,
                                65520,
                                0x1.fffffep127,
                                0x1.fffffffffffffp1023,
                                0x1.99999ap-4,
                                0x1p23,
                                0x1p24,
                                0x1p31,
                                0x1p52,
                                0x1p53,
                                0x1p62,
                                0x1p63,
                                1e22 };

static void around(maker *m, double x, int reach)
{
    x = round_to(m, x);
    for (int n = -reach; n <= reach; n++) {
        double y = isfinite(x) ? step(m, x, n) : x;
        put(m, y, 0, 0);
        put(m, -y, 0, 0);
    }
}

/* Multiples of π/4, and the doubles and floats that are closest to multiples of π/2. */
static void turning_points(maker *m)
{
    const double quarter = 0.78539816339744831;
    for (int k = 1; k <= 256; k++)
        around(m, quarter * k, 1);
    for (int e = 8; e < 1000; e++)
        for (int j = 0; j < 2; j++)
            put(m, round_to(m, ldexp(quarter, e) * (1 + unit(m))), 0, 0);
    around(m, 16367173 * 0x1p72, 1);
    around(m, 6381956970095103 * 0x1p797, 1);
    around(m, 1.570796326794896558 * 1e5, 2);
}

static void hard_unary(maker *m)
{
    put(m, NAN, 0, 0);
    around(m, INFINITY, 0);
    around(m, 0, 0);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        around(m, turns[i], 3);
    for (int e = -1074; e < 1024; e++)
        put(m, round_to(m, ldexp(1, e)), 0, 0), put(m, round_to(m, -ldexp(1, e)), 0, 0);
    around(m, 1, 200); /* for logarithms, and the inverse of cosine and tangent */
    for (int e = 1; e < 60; e++)
        for (int j = 0; j < 16; j++)
            put(m, round_to(m, 1 + ldexp(2 * unit(m) - 1, -e)), 0, 0);
    around(m, 0x1.195874p+1, 1); /* gelu: five products with accumulated roundings */
    turning_points(m);
}

static const double special[] = { 0.0,       -0.0, 1,   -1,   2,    -2,    3,   -3,   0.5, -0.5, INFINITY,
                                  -INFINITY, NAN,  1.5, -1.5, 1e-3, -1e-3, 100, -100, 7,   -7,   16777215 };

static double largest(const maker *m)
{
    static const uint64_t infinity[] = { 0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000 };
    return of_bits(m, infinity[m->dtype == ORR_F16 ? 0 : m->dtype == ORR_BF16 ? 1 : m->dtype == ORR_F32 ? 2 : 3] - 1);
}

static void specials(maker *m)
{
    enum { FEW = (int)(sizeof special / sizeof *special), N = FEW + 4 };
    double v[N] = { [FEW] = of_bits(m, 1), -of_bits(m, 1), largest(m), -largest(m) };
    for (int i = 0; i < FEW; i++)
        v[i] = round_to(m, special[i]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < (m->row->arity > 2 ? N : 1); k++)
                put(m, v[i], v[j], v[k]);
}

static bool is(const maker *m, const char *name)
{
    return !strcmp(m->row->op.name, name);
}

/* Bases near 1 with large exponents, results near overflow and underflow, integer exponents of negative bases. */
static void hard_pow(maker *m)
{
    double top = m->dtype == ORR_F64 ? 1030 : m->dtype == ORR_F16 ? 17 : 130;
    double x = fabs(any(m)), goal = (2.2 * unit(m) - 1.2) * top;
    switch (bits(m) % 4) {
    case 0: x = step(m, 1, (int)(bits(m) % 41) - 20); break;
    case 1: x = round_to(m, 1 + ldexp(unit(m) - 0.5, -(int)(bits(m) % 20))); break;
    case 2: put(m, round_to(m, -unit(m) * 8), (double)(int)(bits(m) % 60) - 30, 0); return;
    default: break;
    }
    double l = log2(x);
    put(m, x, round_to(m, isfinite(l) && l != 0 ? goal / l : goal), 0);
}

/* Operands that nearly cancel, nearly divide, or differ greatly. */
static void hard_binary(maker *m)
{
    double x = bits(m) & 1 ? any(m) : usual(m), y = x;
    if (!isfinite(x))
        return;
    if (is(m, "pow")) {
        hard_pow(m);
        return;
    }
    if (is(m, "logaddexp") && bits(m) & 1) { /* e^x + e^y near 1 */
        double p = unit(m);
        put(m, round_to(m, log(p)), round_to(m, log1p(-p)), 0);
        return;
    }
    switch (bits(m) % 4) {
    case 0: y = step(m, x, (int)(bits(m) % 9) - 4); break;
    case 1: y = round_to(m, x / (double)(1 + bits(m) % 1000)); break;
    case 2: y = round_to(m, x * ldexp(1 + unit(m), (int)(bits(m) % 60) - 30)); break;
    default: y = round_to(m, -x * (1 + ldexp(unit(m), -8))); break;
    }
    put(m, x, y, 0);
}

static void hard_ternary(maker *m)
{
    double x = usual(m), y = usual(m), z = round_to(m, -x * y);
    if (is(m, "clip"))
        put(m, x, fmin(y, z), fmax(y, z));
    else
        put(m, x, y, bits(m) & 1 ? z : step(m, z == 0 ? 1 : z, (int)(bits(m) % 9) - 4));
}

/* -- all of a row -------------------------------------------------------------------------------------------- */

static void unary_args(maker *m, acc_size size)
{
    int w = width(m->dtype);
    if (w == 16) {
        for (uint64_t u = 0; u < 65536; u += size.spread < 65536 ? 5 : 1)
            put(m, of_bits(m, u), 0, 0);
        m->a->domain = m->a->n;
        return;
    }
    for (int i = 0; i < size.domain; i++)
        put(m, usual(m), 0, 0);
    m->a->domain = m->a->n;
    uint64_t apart = (UINT64_MAX >> (64 - w)) / (uint64_t)size.spread;
    for (int i = 0; i < size.spread; i++)
        put(m, of_bits(m, (uint64_t)i * apart + bits(m) % apart), 0, 0);
    hard_unary(m);
}

bool acc_args_make(const orr__ewrow *row, orr_dtype dtype, acc_size size, acc_args *a)
{
    maker m = { .row = row, .dtype = dtype, .state = (unsigned long long)(row->op.id * 16 + (int)dtype), .a = a };
    int many = dtype == ORR_F32 ? 1 : 8;
    *a = (acc_args){ 0 };
    size.spread /= many;
    size.domain /= many;
    if (row->arity == 1) {
        unary_args(&m, size);
    } else {
        for (int i = 0; i < size.domain; i++) {
            double x = usual(&m), y = usual(&m);
            put(&m, x, y, row->arity > 2 ? usual(&m) : 0);
        }
        a->domain = a->n;
        for (int i = 0; i < size.spread / 2; i++) {
            double x = any(&m), y = any(&m);
            put(&m, x, y, row->arity > 2 ? any(&m) : 0);
        }
        for (int i = 0; i < size.spread / 2; i++)
            row->arity > 2 ? hard_ternary(&m) : hard_binary(&m);
        specials(&m);
    }
    if (a->n && m.room)
        return true;
    acc_args_free(a);
    return false;
}

void acc_args_free(acc_args *a)
{
    for (int k = 0; k < 3; k++)
        free(a->in[k]);
    *a = (acc_args){ 0 };
}

const char *acc_args_text(const acc_args *a, int i, char *buf, size_t size)
{
    int n = 0;
    buf[0] = '\0';
    for (int k = 0; k < 3 && a->in[k] && n >= 0 && (size_t)n < size; k++)
        n += snprintf(buf + n, size - (size_t)n, "%s%a", k ? ", " : "", a->in[k][i]);
    return buf;
}
