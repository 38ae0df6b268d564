/* Reductions: blocks of values are folded into accumulators, either as runs of reduced elements or as rows of kept
 * ones. A search keeps places of values instead.
 * Must not know: how values are computed. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/cpu.h"
#include "codelets/nest/cloop.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum { ROWS = 64 }; /* limit of order: rows of a column's float sum that are added in order */

/* The state of one output. */
typedef struct {
    int result, rop;
    orr_dtype t, wide, to;       /* of the register, the accumulator, the output */
    size_t esize, wsize, tosize; /* bytes of one                           */
    bool sum;                    /* rounding errors are kept               */
    orr__argfn *find;            /* of a search, by runs and by rows; else NULL */
    orr__argrowfn *find_row;
    char *out;
    orr__accroom first; /* the identity                                     */
    size_t apart;       /* bytes from one accumulator to the next           */
    char *acc;          /* for one block: orr__acc, of fields orr__accroom  */
    char *row;
} fold;

typedef struct {
    orr__vrun v;
    int n;
    fold fold[ORR__REGION_OUTS];
    int64_t outer, reduced, inner;
    int64_t strip;  /* columns with accumulators: whole blocks */
    int64_t beside; /* rows of few columns with accumulators of their own (codelets/nest/columns.c) */
    int64_t *at;    /* of a search: places, in the output; -1: none yet */
    int64_t along;  /* … position of the launch's first row */
} job;

/* The neutral element: 0, 1, or the value that any other replaces. */
orr__accroom orr__fold_identity(int rop, orr_dtype t)
{
    orr__accroom a = { .element = { { 0 } } };
    orr__scalar s = { .u = rop == ORR__RPROD || rop == ORR__RALL };
    if (orr__is_field(t)) {
        a.element = orr__element_of(t, rop == ORR__RPROD);
        return a;
    }
    bool max = rop == ORR__RMAX || rop == ORR__RANY, extreme = rop == ORR__RMAX || rop == ORR__RMIN;
    int bits = 8 * (int)orr_dtype_size(t);
    if (orr__is_float(t))
        s.f = extreme ? (max ? -(double)INFINITY : (double)INFINITY) : (double)s.u;
    else if (extreme && orr__is_signed(t))
        s.i = max ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits);
    else if (extreme && !max)
        s.u = t == ORR_BOOL ? 1 : UINT64_MAX >> (64 - bits);
    orr__scalar_store(&a.acc.v, t, s);
    return a;
}

/* Bytes per value in a row; a search also keeps its values there. */
static size_t row_bytes(const fold *f)
{
    return ORR__MAX(8, f->wsize);
}

/* Accumulator i of the block. */
static orr__acc *acc_at(const fold *f, int64_t i)
{
    return (orr__acc *)(void *)(f->acc + (size_t)i * f->apart);
}

/* The state of outputs cell, cell + 1, … before their first value. */
static void begin_cells(job *j, const fold *f, int64_t cell, int64_t n)
{
    j->at = (int64_t *)(void *)(f->out + (size_t)cell * f->tosize);
    if (f->find)
        for (int64_t i = 0; i < n; i++)
            j->at[i] = j->reduced > 0 ? -1 : 0;
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(acc_at(f, i), &f->first, f->apart);
}

static void begin_fold(job *j, const orr__launch *l, int n)
{
    const orr__kernel *k = j->v.k;
    const orr__region *r = l->region;
    fold *f = &j->fold[n];
    f->result = k->result[n];
    f->rop = k->rop[n];
    f->t = orr__compute_dtype((orr_dtype)k->folded[n]);
    f->wide = r->search ? f->t : orr__fold_dtype(f->rop, f->t);
    f->to = (orr_dtype)r->out_dtype[n];
    f->esize = orr_dtype_size(f->t);
    f->wsize = orr_dtype_size(f->wide);
    f->tosize = orr_dtype_size(f->to);
    f->sum = f->rop == ORR__RSUM && orr__is_float(f->t);
    f->first = orr__fold_identity(f->rop, f->wide);
    f->apart = orr__is_field(f->wide) ? sizeof(orr__accroom) : sizeof(orr__acc);
    f->find = r->search ? k->vec->arg[f->rop != ORR__RMAX][f->t] : NULL;
    f->find_row = r->search ? k->vec->argrow[f->rop != ORR__RMAX][f->t] : NULL;
    f->out = l->out[n];
    if (!(r->rmask & 1u) && r->dim[0] > 0)
        f->out += (size_t)(l->lo * (r->out_count / r->dim[0])) * f->tosize;
}

/* The extents of the three kinds of axes, and the strip. The part of a row in a strip is longer than the read-ahead of a file. */
static void measure(job *j, const orr__kernel *k, const orr__launch *l)
{
    j->outer = j->reduced = j->inner = 1;
    for (int d = 0; d < k->rank; d++)
        *(d < k->nouter                 ? &j->outer
          : d < k->nouter + k->nreduced ? &j->reduced
                                        : &j->inner) *= d == k->first ? l->hi - l->lo : k->dim[d];
    j->strip = k->block;
    j->beside = k->rows ? orr__cloop_rows_beside(l->region) : 1;
    if (j->beside > 1)
        j->strip = ORR__MAX(j->strip, j->inner * j->beside);
    else if (k->rows)
        j->strip *= ORR__MAX(1, ORR__MIN((j->inner + k->block - 1) / k->block, ORR__NEAR_ALL / 2 / k->block));
}

static orr_status begin(job *j, const orr__kernel *k, const orr__launch *l)
{
    measure(j, k, l);
    size_t block = (size_t)j->strip, each = 0;
    j->v.k = k;
    j->n = k->nout;
    for (int i = 0; i < j->n; i++) {
        begin_fold(j, l, i);
        each += j->fold[i].apart + row_bytes(&j->fold[i]);
    }
    orr_status st = orr__vrun_begin(&j->v, k, l, block * each);
    if (st != ORR_OK)
        return st;
    char *room = j->v.more;
    for (int i = 0; i < j->n; i++) {
        j->fold[i].acc = room;
        room += block * j->fold[i].apart;
    }
    for (int i = 0; i < j->n; i++) {
        j->fold[i].row = room;
        room += block * row_bytes(&j->fold[i]);
    }
    j->along = l->region->rmask & 1u ? l->lo : 0;
    return ORR_OK;
}

/* Stores n accumulated values from f->row to outputs cell, cell + 1, … */
static void put(const job *j, const fold *f, int64_t cell, int64_t n)
{
    orr__cast_of(j->v.k->vec, f->wide, f->to)(f->out + (size_t)cell * f->tosize, f->row, n);
}

void orr__fold_end(orr__acc *a, int rop, orr_dtype t)
{
    if (rop == ORR__RSUM && orr__is_float(t) && isfinite(a->v.f) && isfinite(a->lost))
        a->v.f += a->lost;
}

/* The values of n accumulators, to f->row. */
static void end_accumulators(const fold *f, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        orr__accroom a;
        memcpy(&a, acc_at(f, i), f->apart);
        orr__fold_end(&a.acc, f->rop, f->t);
        memcpy(f->row + (size_t)i * f->wsize, &a, f->wsize);
    }
}

/* Reduced axes innermost. Short runs: several cells per block. */
static void fold_runs(job *j)
{
    const orr__kernel *k = j->v.k;
    const fold *end = j->fold + j->n;
    int64_t cells = ORR__MAX(1, k->block / ORR__MAX(1, j->reduced));
    for (int64_t c = 0; c < j->outer && j->v.st == ORR_OK; c += cells) {
        int64_t m = ORR__MIN(cells, j->outer - c);
        for (fold *f = j->fold; f < end; f++)
            begin_cells(j, f, c, m);
        for (int64_t q = 0; q < j->reduced; q += k->block) {
            int64_t n = j->reduced - q < k->block ? j->reduced - q : k->block;
            orr__vrun_block(&j->v, c * j->reduced + q, m * n);
            for (fold *f = j->fold; f < end; f++) {
                const char *x = j->v.reg[f->result];
                orr__foldfn *take_in = k->vec->fold[f->rop][f->t];
                orr__argfn *find = f->find;
                for (int64_t i = 0; i < m && find; i++)
                    find(f->row, &j->at[i], x + (size_t)(i * n) * f->esize, n, j->along + q);
                for (int64_t i = 0; i < m && !find; i++)
                    take_in(acc_at(f, i), x + (size_t)(i * n) * f->esize, n);
            }
        }
        for (const fold *f = j->fold; f < end && !f->find; f++) { /* a search has stored its places */
            end_accumulators(f, m);
            put(j, f, c, m);
        }
    }
}

/* Adds the sums of at least ROWS rows, in columns [c, c + n) of f->row, to the totals, whose rounding errors are kept (Neumaier). */
static void join_rows(fold *f, int64_t c, int64_t n)
{
    double *row = (double *)(void *)f->row + c;
    orr__acc *acc = acc_at(f, c);
    for (int64_t i = 0; i < n; i++) {
        double s = acc[i].v.f, x = row[i], t = s + x;
        acc[i].lost += fabs(s) >= fabs(x) ? (s - t) + x : (x - t) + s;
        acc[i].v.f = t;
        row[i] = 0;
    }
}

/* Folds m rows of n values of the current block, columns c and on of the strip; `seen` rows were folded before. */
static void fold_rows(const job *j, fold *f, int64_t m, int64_t c, int64_t n, int64_t seen)
{
    const char *x = j->v.reg[f->result];
    char *row = f->row + (size_t)c * f->wsize;
    orr__foldrowfn *take_in = j->v.k->vec->foldrow[f->rop][f->t];
    orr__argrowfn *find = f->find_row;
    int64_t some;
    for (int64_t i = 0; i < m; i += some, x += (size_t)(some * n) * f->esize) {
        int64_t lane = (seen + i) % j->beside;
        some = ORR__MIN(j->beside - lane, m - i);
        if (find)
            find(row, j->at + c, x, n, j->along + seen + i);
        else
            take_in(row + (size_t)(lane * n) * f->wsize, x, some * n);
        if (f->sum && (seen + i + some) % (ROWS * j->beside) == 0)
            join_rows(f, c, n * j->beside);
    }
}

/* Row r of the strip of n columns that begins at element `from`, a block at a time; m short rows are one block. */
static void fold_strip(job *j, int64_t from, int64_t m, int64_t n, int64_t r)
{
    for (int64_t c = 0; c < n && j->v.st == ORR_OK; c += j->v.k->block) {
        int64_t some = ORR__MIN(n - c, j->v.k->block);
        orr__vrun_block(&j->v, from + c, m * some);
        for (fold *f = j->fold; f < j->fold + j->n; f++)
            fold_rows(j, f, m, c, some, r);
    }
}

/* Kept axes innermost: n of them from column c on, in the group o of outer axes. Short rows: several per block. */
static void fold_columns(job *j, int64_t o, int64_t c, int64_t n)
{
    int64_t rows = n == j->inner && n > 0 ? ORR__MAX(1, j->v.k->block / n) : 1, cell = o * j->inner + c;
    fold *end = j->fold + j->n;
    for (fold *f = j->fold; f < end; f++) {
        begin_cells(j, f, cell, n * j->beside);
        for (int64_t i = 0; i < n * j->beside; i++)
            memcpy(f->row + (size_t)i * f->wsize, &f->first, f->wsize);
    }
    for (int64_t r = 0; r < j->reduced; r += rows) {
        int64_t m = j->reduced - r < rows ? j->reduced - r : rows;
        fold_strip(j, (o * j->reduced + r) * j->inner + c, m, n, r);
    }
    for (fold *f = j->fold; f < end && !f->find; f++) {
        if (f->sum) {
            join_rows(f, 0, n * j->beside);
            end_accumulators(f, n * j->beside);
        }
        for (int64_t i = 1; i < j->beside; i++)
            j->v.k->vec->foldrow[f->rop][f->wide](f->row, f->row + (size_t)(i * n) * f->wsize, n);
        put(j, f, cell, n);
    }
}

orr_status orr__cpu_reduce(const orr__kernel *k, const orr__launch *l)
{
    job j;
    orr_status st = begin(&j, k, l);
    if (st != ORR_OK)
        return st;
    if (!k->rows) {
        fold_runs(&j);
        return j.v.st;
    }
    for (int64_t o = 0; o < j.outer && j.v.st == ORR_OK; o++)
        for (int64_t c = 0; c < j.inner; c += j.strip)
            fold_columns(&j, o, c, ORR__MIN(j.inner - c, j.strip));
    return j.v.st;
}
