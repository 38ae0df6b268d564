/* For tests of codelets: hand-made regions, and their values computed one at a time.
 * Must not know: backends. */
#include "config.h"

#include "tests/harness/region_build.h"

void rb_begin(rb *b, rb_kind kind, int rank, const int64_t *dim)
{
    memset(b, 0, sizeof *b);
    b->r.search = kind == RB_ARGREDUCE;
    b->r.loops = kind == RB_MATMUL ? ORR__LOOPS_PRODUCT : ORR__LOOPS_MAP;
    b->r.call.slot = -1;
    b->r.rank = rank;
    memcpy(b->r.dim, dim, (size_t)rank * sizeof *dim);
    b->r.instr = b->instr;
    b->r.access = b->access;
    b->r.in = b->in;
    b->r.in_dtype = b->in_dtype;
    b->r.in_count = b->in_count;
    (void)snprintf(b->r.label, sizeof b->r.label, "test");
}

int rb_input(rb *b, orr_dtype t, int64_t count)
{
    b->in_dtype[b->r.nin] = (uint8_t)t;
    b->in_count[b->r.nin] = count;
    return b->r.nin++;
}

int rb_access(rb *b, int input, int64_t offset, const int64_t *stride)
{
    orr__access *a = &b->access[b->r.naccess];
    a->input = input;
    a->offset = offset;
    memcpy(a->stride, stride, (size_t)b->r.rank * sizeof *stride);
    return b->r.naccess++;
}

int rb_box(rb *b, int a, int d, int64_t lo, int64_t hi)
{
    b->access[a].box |= 1u << d;
    b->access[a].lo[d] = lo;
    b->access[a].hi[d] = hi;
    return a;
}

int rb_placed(rb *b, int input, int64_t stride, int64_t by)
{
    int64_t all[ORR_MAX_RANK] = { 0 };
    all[b->r.rank - 1] = stride;
    int a = rb_access(b, input, 0, all);
    b->access[a].placed = true;
    b->access[a].by = by;
    return a;
}

int rb_linear(rb *b, int input)
{
    int64_t stride[ORR_MAX_RANK], n = 1;
    for (int d = b->r.rank - 1; d >= 0; d--) {
        stride[d] = n;
        n *= b->r.dim[d];
    }
    return rb_access(b, input, 0, stride);
}

int rb_push(rb *b, orr__rikind kind, orr_dtype t, int op, int x, int y, int z, int a, int slot)
{
    b->instr[b->r.ninstr] =
        (orr__rinstr){ (uint8_t)kind, (uint8_t)t, (int16_t)op, (int16_t)x, (int16_t)y, (int16_t)z, (int16_t)a, slot };
    return b->r.ninstr++;
}

static int rb_slot(rb *b, orr__scalar s)
{
    b->scalar[b->nscalar] = s;
    return b->nscalar++;
}

int rb_load(rb *b, int access)
{
    return rb_push(b, ORR__RI_LOAD, (orr_dtype)b->in_dtype[b->access[access].input], 0, -1, -1, -1, access, -1);
}

int rb_scalar(rb *b, orr_dtype t, orr__scalar s)
{
    return rb_push(b, ORR__RI_SCALAR, t, 0, -1, -1, -1, -1, rb_slot(b, s));
}

int rb_iota(rb *b, orr_dtype t, int access, orr__scalar start, orr__scalar step)
{
    int slot = rb_slot(b, start);
    rb_slot(b, step);
    return rb_push(b, ORR__RI_IOTA, t, 0, -1, -1, -1, access, slot);
}

int rb_random(rb *b, int dist, orr_dtype t, int access, uint64_t seed, uint64_t s1, uint64_t s2)
{
    int slot = rb_slot(b, (orr__scalar){ .u = seed });
    rb_slot(b, (orr__scalar){ .u = s1 });
    rb_slot(b, (orr__scalar){ .u = s2 });
    return rb_push(b, ORR__RI_RANDOM, t, dist, -1, -1, -1, access, slot);
}

int rb_cast(rb *b, orr_dtype t, int x)
{
    return rb_push(b, ORR__RI_CAST, t, 0, x, -1, -1, -1, -1);
}

int rb_row(rb *b, const orr__ewrow *row, int x, int y, int z)
{
    orr_dtype t = row->to_bool ? ORR_BOOL : (orr_dtype)b->instr[row->cond ? y : x].dtype;
    return rb_push(b, ORR__RI_EW, t, row->op.id, x, row->arity > 1 ? y : -1, row->arity > 2 ? z : -1, -1, -1);
}

int rb_ew(rb *b, const char *name, int x, int y, int z)
{
    return rb_row(b, orr__ew_find(name), x, y, z);
}

void rb_out(rb *b, orr_dtype t, int reg)
{
    int k = b->r.nout++;
    b->r.out_reg[k] = (int16_t)reg;
    b->r.out_dtype[k] = (uint8_t)t;
    b->r.out_count = 1;
    for (int d = 0; d < b->r.rank; d++)
        b->r.out_count *= b->r.rmask & 1u << d ? 1 : b->r.dim[d];
}

/* -- values, one at a time ------------------------------------------------------------------------------ */

static orr__scalar rb_round(orr__scalar v, orr_dtype t)
{
    return orr__is_float(t) ? orr__scalar_cast(v, ORR_F64, t) : v;
}

static orr__scalar rb_iota_value(orr_dtype t, const orr__scalar *s, int64_t index)
{
    orr__scalar v;
    if (orr__is_float(t))
        v.f = s[0].f + s[1].f * (double)index;
    else
        v.u = s[0].u + s[1].u * (uint64_t)index;
    return orr__scalar_cast(v, orr__is_float(t) ? ORR_F64 : ORR_U64, t);
}

static bool rb_inside(const orr__access *a, const int64_t *i)
{
    bool all = true;
    for (int d = 0; d < ORR_MAX_RANK; d++)
        all = all && (!(a->box >> d & 1u) || (i[d] >= a->lo[d] && i[d] < a->hi[d]));
    return all;
}

/* Computes all registers at iteration point i. in: whole arrays. */
static void rb_values(const rb *b, const int64_t *i, const void *const *in, orr__scalar *reg)
{
    for (int n = 0; n < b->r.ninstr; n++) {
        const orr__rinstr *c = &b->instr[n];
        orr_dtype t = (orr_dtype)c->dtype;
        const orr__scalar *s = b->scalar + (c->slot < 0 ? 0 : c->slot);
        int64_t index = 0;
        if (c->a >= 0) {
            index = b->access[c->a].offset;
            for (int d = 0; d < b->r.rank; d++)
                index += i[d] * b->access[c->a].stride[d];
        }
        switch (c->kind) {
        case ORR__RI_INSIDE: reg[n].u = rb_inside(&b->access[c->a], i); break;
        case ORR__RI_LOAD:
            reg[n].u = 0;
            if (!rb_inside(&b->access[c->a], i))
                break;
            reg[n] = orr__scalar_load((const char *)in[b->access[c->a].input] + (size_t)index * orr_dtype_size(t), t);
            break;
        case ORR__RI_SCALAR: reg[n] = rb_round(*s, t); break;
        case ORR__RI_IOTA: reg[n] = rb_iota_value(t, s, index); break;
        case ORR__RI_RANDOM: reg[n] = orr__rand_value(c->op, t, s[0].u, s[1], s[2], (uint64_t)index); break;
        case ORR__RI_CAST: reg[n] = orr__scalar_cast(reg[c->x], (orr_dtype)b->instr[c->x].dtype, t); break;
        default: {
            const orr__ewrow *row = orr__ew(c->op);
            orr__scalar none = { .u = 0 };
            orr_dtype of = (orr_dtype)b->instr[row->cond ? c->y : c->x].dtype;
            reg[n] = orr__ew_eval(row, of, reg[c->x], c->y < 0 ? none : reg[c->y], c->z < 0 ? none : reg[c->z]);
        }
        }
    }
}

static bool rb_better(int rop, orr_dtype t, orr__scalar v, orr__scalar best)
{
    bool max = rop == ORR__RMAX;
    if (orr__is_float(t))
        return (v.f != v.f && best.f == best.f) || (max ? v.f > best.f : v.f < best.f);
    if (orr__is_signed(t))
        return max ? v.i > best.i : v.i < best.i;
    return max ? v.u > best.u : v.u < best.u;
}

/* Folds one more value by rop; count: values folded before. */
static void rb_fold(int rop, orr_dtype t, orr__scalar v, int64_t count, orr__scalar *acc)
{
    bool isf = orr__is_float(t), isset = isf ? v.f != 0 : v.u != 0;
    switch (rop) {
    case ORR__RSUM:
        if (isf)
            acc->f += v.f;
        else
            acc->u += v.u;
        break;
    case ORR__RPROD:
        if (isf)
            acc->f *= v.f;
        else
            acc->u *= v.u;
        break;
    case ORR__RANY: acc->u |= isset; break;
    case ORR__RALL: acc->u &= isset; break;
    default:
        if (count == 0 || rb_better(rop, t, v, *acc))
            *acc = v;
    }
}

static orr_dtype rb_type(const rb *b, int k)
{
    return (orr_dtype)b->r.instr[b->r.out_reg[k]].dtype;
}

/* An output element before anything has been folded into it. */
static orr__scalar rb_nothing(const rb *b, int k)
{
    orr__scalar one = { .u = 0 };
    int rop = b->r.rop[k];
    if (b->r.search || !b->r.rmask)
        return one;
    if (rop == ORR__RPROD && orr__is_float(rb_type(b, k)))
        one.f = 1;
    else if (rop == ORR__RPROD || rop == ORR__RALL)
        one.u = 1;
    return one;
}

/* Stores the folded value v as element `cell` of reduced output k. */
static void rb_store_fold(const rb *b, int k, int64_t cell, orr__scalar v, void *out)
{
    orr_dtype t = rb_type(b, k), to = (orr_dtype)b->r.out_dtype[k], made = t;
    if (b->r.rop[k] <= ORR__RPROD)
        made = orr__is_float(t) ? ORR_F64 : orr__is_signed(t) ? ORR_I64 : ORR_U64;
    orr__scalar_store((char *)out + (size_t)cell * orr_dtype_size(to), to, orr__scalar_cast(v, made, to));
}

void rb_reference(const rb *b, int64_t lo, int64_t hi, const void *const *in, void *const *out)
{
    const orr__region *r = &b->r;
    size_t cells = (size_t)r->out_count, n = (size_t)r->nout;
    orr__scalar *acc = calloc(cells * n + 1, sizeof *acc), reg[RB_INSTR];
    int64_t *count = calloc(cells ? cells : 1, sizeof *count), i[ORR_MAX_RANK] = { lo }, points = hi - lo;
    if (!acc || !count)
        abort();
    for (size_t c = 0; c < cells * n; c++)
        acc[c] = rb_nothing(b, (int)(c % n));
    for (int d = 1; d < r->rank; d++)
        points *= r->dim[d];
    for (int64_t p = 0; p < points; p++) {
        int64_t cell = 0, along = 0;
        for (int d = 0; d < r->rank; d++)
            if (r->rmask & 1u << d)
                along = i[d];
            else
                cell = cell * r->dim[d] + i[d];
        rb_values(b, i, in, reg);
        for (int k = 0; k < r->nout; k++) {
            orr_dtype to = (orr_dtype)r->out_dtype[k], from = rb_type(b, k);
            orr__scalar v = reg[r->out_reg[k]], *a = &acc[(size_t)cell * n + (size_t)k];
            if (orr__region_is_map(r)) {
                orr__scalar_store((char *)out[k] + (size_t)cell * orr_dtype_size(to), to,
                                  orr__scalar_cast(v, from, to));
            } else if (!r->search) {
                rb_fold(r->rop[k], from, v, count[cell], a);
            } else if ((count[cell] == 0 || rb_better(r->rop[k], from, v, *a))) {
                *a = v;
                ((int64_t *)out[0])[cell] = along;
            }
        }
        count[cell]++;
        for (int d = r->rank - 1; d >= 0 && ++i[d] == (d ? r->dim[d] : hi) && d; d--)
            i[d] = 0;
    }
    bool all = (r->rmask & 1u) != 0; /* axis 0 is reduced: every cell is written, even without rows */
    for (size_t c = 0; c < cells && r->rmask && !r->search; c++)
        for (int k = 0; k < r->nout && (count[c] || all); k++)
            rb_store_fold(b, k, (int64_t)c, acc[c * n + (size_t)k], out[k]);
    free(acc);
    free(count);
}
