/* Reductions: blocks of values folded into accumulators, either whole runs of reduced elements or rows of kept ones.
 * Must not know: how values are computed. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/cpu.h"

enum { ROWS = 64 }; /* of a column's float sum that are added in their order */

typedef struct {
    orr__vrun v;
    orr_dtype t, wide, to;       /* of the register, the accumulator, the output */
    size_t esize, wsize, tosize; /* bytes of one                                 */
    int64_t outer, reduced, inner;
    char *out;
    orr__acc first; /* the identity  */
    orr__acc *acc;  /* for one block */
    char *row;
    int64_t *at;
    int64_t along; /* ARGREDUCE: position of the launch's first row */
} job;

orr_dtype orr__fold_dtype(int rop, orr_dtype t)
{
    if (rop != ORR__RSUM && rop != ORR__RPROD)
        return t;
    return orr__is_float(t) ? ORR_F64 : orr__is_signed(t) ? ORR_I64 : ORR_U64;
}

/* What changes nothing: 0, 1, or what every value replaces. */
orr__acc orr__fold_identity(int rop, orr_dtype t)
{
    orr__acc a = { .v.u = 0 };
    orr__scalar s = { .u = rop == ORR__RPROD || rop == ORR__RALL };
    bool max = rop == ORR__RMAX || rop == ORR__RANY, extreme = rop == ORR__RMAX || rop == ORR__RMIN;
    int bits = 8 * (int)orr_dtype_size(t);
    if (orr__is_float(t))
        s.f = extreme ? (max ? -(double)INFINITY : (double)INFINITY) : (double)s.u;
    else if (extreme && orr__is_signed(t))
        s.i = max ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits);
    else if (extreme && !max)
        s.u = t == ORR_BOOL ? 1 : UINT64_MAX >> (64 - bits);
    orr__scalar_store(&a.v, t, s);
    return a;
}

static orr_status begin(job *j, const orr__kernel *k, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool arg = r->kind == ORR__G_ARGREDUCE;
    j->t = orr__compute_dtype((orr_dtype)k->folded);
    j->wide = arg ? j->t : orr__fold_dtype(k->rop, j->t);
    j->to = (orr_dtype)r->out_dtype[0];
    j->esize = orr_dtype_size(j->t);
    j->wsize = orr_dtype_size(j->wide);
    j->tosize = orr_dtype_size(j->to);
    j->first = orr__fold_identity(k->rop, j->wide);
    size_t block = (size_t)k->block;
    orr_status st = orr__vrun_begin(&j->v, k, l, block * (sizeof *j->acc + 8 + 8));
    if (st != ORR_OK)
        return st;
    j->acc = j->v.more;
    j->row = (char *)(j->acc + block);
    j->at = (int64_t *)(void *)(j->row + 8 * block);
    j->outer = j->reduced = j->inner = 1;
    for (int d = 0; d < k->rank; d++)
        *(d < k->nouter ? &j->outer : d < k->nouter + k->nreduced ? &j->reduced : &j->inner) *= j->v.dim[d];
    j->out = l->out[0];
    j->along = 0;
    if (r->rmask & 1u)
        j->along = l->lo;
    else if (r->dim[0] > 0)
        j->out += (size_t)(l->lo * (r->out_count / r->dim[0])) * j->tosize;
    return ORR_OK;
}

/* n accumulated values from j->row are outputs cell … */
static void put(const job *j, int64_t cell, int64_t n)
{
    orr__cast_of(j->v.k->vec, j->wide, j->to)(j->out + (size_t)cell * j->tosize, j->row, n);
}

void orr__fold_end(orr__acc *a, int rop, orr_dtype t)
{
    if (rop == ORR__RSUM && orr__is_float(t) && isfinite(a->v.f) && isfinite(a->lost))
        a->v.f += a->lost;
}

static void put_accumulators(const job *j, int64_t cell, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        orr__acc a = j->acc[i];
        orr__fold_end(&a, j->v.k->rop, j->t);
        memcpy(j->row + (size_t)i * j->wsize, &a.v, j->wsize);
    }
    put(j, cell, n);
}

/* Reduced axes innermost. Short runs: several cells to a block. */
static void fold_runs(job *j, orr__foldfn *fold)
{
    const orr__kernel *k = j->v.k;
    int64_t cells = j->reduced < k->block ? k->block / (j->reduced > 0 ? j->reduced : 1) : 1;
    for (int64_t c = 0; c < j->outer && j->v.st == ORR_OK; c += cells) {
        int64_t m = j->outer - c < cells ? j->outer - c : cells;
        for (int64_t i = 0; i < m; i++)
            j->acc[i] = j->first;
        for (int64_t q = 0; q < j->reduced; q += k->block) {
            int64_t n = j->reduced - q < k->block ? j->reduced - q : k->block;
            orr__vrun_block(&j->v, c * j->reduced + q, m * n);
            const char *x = j->v.reg[k->result];
            for (int64_t i = 0; i < m; i++)
                fold(&j->acc[i], x + (size_t)(i * n) * j->esize, n);
        }
        put_accumulators(j, c, m);
    }
}

/* The sums of at least ROWS rows, in j->row, join the others', whose rounding errors are kept (Neumaier). */
static void join_rows(job *j, int64_t n)
{
    double *row = (double *)(void *)j->row;
    for (int64_t i = 0; i < n; i++) {
        double s = j->acc[i].v.f, x = row[i], t = s + x;
        j->acc[i].lost += fabs(s) >= fabs(x) ? (s - t) + x : (x - t) + s;
        j->acc[i].v.f = t;
        row[i] = 0;
    }
}

/* Kept axes innermost: n of them from column c, in the group o of outer ones. Short rows: several to a block. */
static void fold_columns(job *j, orr__foldrowfn *fold, int64_t o, int64_t c, int64_t n)
{
    const orr__kernel *k = j->v.k;
    int64_t rows = n == j->inner && n > 0 ? k->block / n : 1, seen = 0;
    bool sum = k->rop == ORR__RSUM && orr__is_float(j->t);
    for (int64_t i = 0; i < n; i++) {
        memcpy(j->row + (size_t)i * j->wsize, &j->first.v, j->wsize);
        j->acc[i] = j->first;
    }
    for (int64_t r = 0; r < j->reduced; r += rows) {
        int64_t m = j->reduced - r < rows ? j->reduced - r : rows;
        orr__vrun_block(&j->v, (o * j->reduced + r) * j->inner + c, m * n);
        const char *x = j->v.reg[k->result];
        for (int64_t i = 0; i < m; i++) {
            fold(j->row, x + (size_t)(i * n) * j->esize, n);
            if (sum && ++seen % ROWS == 0)
                join_rows(j, n);
        }
    }
    if (sum) {
        join_rows(j, n);
        put_accumulators(j, o * j->inner + c, n);
    } else {
        put(j, o * j->inner + c, n);
    }
}

orr_status orr__cpu_reduce(const orr__kernel *k, const orr__launch *l)
{
    job j;
    orr_status st = begin(&j, k, l);
    if (st != ORR_OK)
        return st;
    if (!k->rows) {
        fold_runs(&j, k->vec->fold[k->rop][j.t]);
        return j.v.st;
    }
    for (int64_t o = 0; o < j.outer && j.v.st == ORR_OK; o++)
        for (int64_t c = 0; c < j.inner; c += k->block)
            fold_columns(&j, k->vec->foldrow[k->rop][j.t], o, c, j.inner - c < k->block ? j.inner - c : k->block);
    return j.v.st;
}

/* -- where the extreme is -------------------------------------------------------------------------------------- */

static void arg_runs(job *j, orr__argfn *find)
{
    const orr__kernel *k = j->v.k;
    int64_t *out = (int64_t *)(void *)j->out;
    for (int64_t c = 0; c < j->outer && j->v.st == ORR_OK; c++) {
        int64_t at = -1;
        for (int64_t q = 0; q < j->reduced; q += k->block) {
            int64_t n = j->reduced - q < k->block ? j->reduced - q : k->block;
            orr__vrun_block(&j->v, c * j->reduced + q, n);
            find(j->row, &at, j->v.reg[k->result], n, j->along + q);
        }
        out[c] = at < 0 ? 0 : at;
    }
}

/* Runs shorter than half a block. */
static void arg_short_runs(job *j, orr__argfn *find)
{
    const orr__kernel *k = j->v.k;
    int64_t *out = (int64_t *)(void *)j->out, cells = k->block / j->reduced;
    for (int64_t c = 0; c < j->outer && j->v.st == ORR_OK; c += cells) {
        int64_t m = j->outer - c < cells ? j->outer - c : cells;
        orr__vrun_block(&j->v, c * j->reduced, m * j->reduced);
        const char *x = j->v.reg[k->result];
        for (int64_t i = 0; i < m; i++) {
            out[c + i] = -1;
            find(j->row, &out[c + i], x + (size_t)(i * j->reduced) * j->esize, j->reduced, j->along);
        }
    }
}

static void arg_columns(job *j, orr__argrowfn *find, int64_t o, int64_t c, int64_t n)
{
    const orr__kernel *k = j->v.k;
    for (int64_t i = 0; i < n; i++)
        j->at[i] = j->reduced > 0 ? -1 : 0;
    memset(j->row, 0, 8 * (size_t)n);
    for (int64_t r = 0; r < j->reduced; r++) {
        orr__vrun_block(&j->v, (o * j->reduced + r) * j->inner + c, n);
        find(j->row, j->at, j->v.reg[k->result], n, j->along + r);
    }
    memcpy((int64_t *)(void *)j->out + o * j->inner + c, j->at, 8 * (size_t)n);
}

orr_status orr__cpu_argreduce(const orr__kernel *k, const orr__launch *l)
{
    job j;
    orr_status st = begin(&j, k, l);
    if (st != ORR_OK)
        return st;
    int which = k->rop == ORR__RMAX ? 0 : 1;
    if (!k->rows) {
        (j.reduced > 0 && j.reduced <= k->block / 2 ? arg_short_runs : arg_runs)(&j, k->vec->arg[which][j.t]);
        return j.v.st;
    }
    for (int64_t o = 0; o < j.outer && j.v.st == ORR_OK; o++)
        for (int64_t c = 0; c < j.inner; c += k->block)
            arg_columns(&j, k->vec->argrow[which][j.t], o, c, j.inner - c < k->block ? j.inner - c : k->block);
    return j.v.st;
}
