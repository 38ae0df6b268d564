/* Products of few columns and terms: our own loops or BLAS, by measurement on this machine.
 * Must not know: batches, the use of a product. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/variants.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"

/* ROWS: the most rows that are timed. */
enum { ROWS = ORR__SMALL, LOOPS = 0, BLAS = 1 };

typedef struct {
    bool wide, ta, tb;
    int64_t m, n, k;
} kind;

/* Rounds an extent of rows or terms to a class. Columns are not rounded, because they fill vectors or do not. */
static int64_t like(int64_t extent)
{
    int64_t most = extent <= 4 ? 4 : 8;
    while (most < extent && most < ORR__SMALL)
        most += most < ORR__SMALL / 2 ? 8 : 16;
    return most;
}

static kind kind_of(const orr__region *r)
{
    int last = r->rank - 1;
    const orr__access *a = &r->access[0], *b = &r->access[1];
    return (kind){ .wide = r->in_dtype[a->input] == ORR_F64,
                   .ta = a->stride[last] != 1 && a->stride[last - 2] == 1,
                   .tb = b->stride[last - 1] != 1 && b->stride[last] == 1,
                   .m = like(r->dim[last - 2]),
                   .n = r->dim[last - 1],
                   .k = like(r->dim[last]) };
}

/* Time of a product in ns. memory: space for three matrices. */
static double time_of(const kind *s, int way, char *memory)
{
    size_t z = s->wide ? sizeof(double) : sizeof(float), matrix = (size_t)(ORR__SMALL * ORR__SMALL) * z;
    int64_t lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n,
            times = ORR__SMALL * ORR__SMALL * ORR__SMALL / (s->m * s->n * s->k) + 1; /* the work of the largest one */
    orr__mat a = { .p = memory, .rows = s->m, .cols = s->k }, b = { .p = memory + matrix, .rows = s->k, .cols = s->n };
    orr__small own = { .a = a.p, .b = b.p, .c = memory + 2 * matrix, .count = 1, .m = s->m, .n = s->n, .k = s->k };
    own.a_row = s->ta ? 1 : lda;
    own.a_col = s->ta ? lda : 1;
    own.c_row = s->n;
    own.b_row = s->tb ? 1 : ldb;
    own.b_col = s->tb ? ldb : 1;
    double t0 = orr__now();
    for (int64_t i = 0; i < times; i++)
        if (way == LOOPS)
            orr__cpu_vec()->small[s->wide](&own);
        else
            orr__gemm(s->wide ? ORR_F64 : ORR_F32, &a, s->ta, lda, &b, s->tb, ldb, false, own.c, s->n);
    return (orr__now() - t0) * 1e9 / (double)times;
}

/* Measurements, as many as there may be. */
static void compare(const kind *s, orr__variants *v)
{
    static const double once_s = 1.5e-5; /* limit of a measurement */
    bool timed;
    size_t bytes = 3 * ORR__SMALL * ORR__SMALL * sizeof(double);
    if (!orr__regret_leave(once_s))
        return;
    char *memory = calloc(1, bytes);
    int place = memory ? orr__cpu_blas_enter() : 0;
    int way = orr__variants_next(v, &timed);
    do {
        double t0 = orr__cpu_time();
        if (place && timed)
            orr__variants_time(v, way, time_of(s, way, memory));
        orr__regret_report(once_s, orr__cpu_time() - t0);
        way = orr__variants_next(v, &timed);
    } while (place && timed && orr__regret_leave(once_s));
    if (place)
        orr__cpu_blas_leave(place, true);
    free(memory);
}

/* A single row or column takes another path in BLAS. The two variants differ in the last bits: the choice is made
 * before a kernel's first launch, and not at all with ORRERY_DETERMINISTIC. */
bool orr__product_is_small(const orr__region *r)
{
    int64_t n = r->dim[r->rank - 2], k = r->dim[r->rank - 1];
    orr_dtype t = (orr_dtype)r->in_dtype[r->access[0].input];
    bool vector = r->rank == 3 && (n == 1 || r->dim[0] == 1), timed;
    if (!orr__is_float(t) || vector || n < 1 || n > ORR__SMALL || k < 1 || k > ORR__SMALL)
        return false;
    if (orr__env.deterministic)
        return true;
    kind s = kind_of(r);
    const char *isa = orr__cpu_vec()->isa;
    int64_t facts[6] = { s.wide, s.ta, s.tb, s.m, s.n, s.k };
    uint64_t key = orr__hash(isa, strlen(isa), 0x5a12), h = orr__hash(facts, sizeof facts, 0);
    orr__variants *v = orr__variants_of(key, (uint32_t)(h ^ h >> 32), 2);
    int way = orr__variants_next(v, &timed);
    if (timed) {
        compare(&s, v);
        way = orr__variants_next(v, &timed);
    }
    return way == LOOPS || timed;
}
