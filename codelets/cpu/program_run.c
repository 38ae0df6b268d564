/* Runs a program of block operations: memory, views of the inputs, block after block.
 * Must not know: the use of the values. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "runtime/base/minmax.h"
#include "runtime/base/philox.h"

/* -- views ------------------------------------------------------------------------------------------------ */

/* Fills n elements of `size` bytes at dst with the one at `value`. */
static void fill(void *dst, size_t size, const void *value, int64_t n)
{
    char *d = dst;
    if (n <= 0)
        return;
    memcpy(d, value, size);
    for (int64_t done = 1; done < n;) { /* doubling copies: few calls, any element size */
        int64_t more = done < n - done ? done : n - done;
        memcpy(d + (size_t)done * size, d, (size_t)more * size);
        done += more;
    }
}

static void make_view(const orr__vrun *v, const orr__access *a, size_t esize, orr__vec_view *w)
{
    const orr__kernel *k = v->k;
    w->first = a->offset;
    for (int d = 0; d < k->rank; d++)
        w->first += v->origin[d] * a->stride[d];
    w->base = a->input < 0 ? NULL : (const char *)v->l->in[a->input] + w->first * (int64_t)esize;
    w->run = 1;
    w->stride = 0;
    w->outer = 0;
    for (int d = k->rank - 1; d >= 0; d--) {
        if (v->dim[d] == 1)
            continue;
        if (w->run == 1)
            w->stride = a->stride[d];
        else if (a->stride[d] != w->stride * w->run) {
            w->outer = d + 1;
            break;
        }
        w->run *= v->dim[d];
    }
    for (int d = 0; d < w->outer; d++) {
        w->dim[d] = v->dim[d];
        w->step[d] = a->stride[d];
    }
}

/* The address of elements [p, p + n); NULL if they are not contiguous. */
static const char *lying(const orr__vec_view *w, int64_t p, int64_t n, size_t esize)
{
    int64_t offset = p;
    if (w->stride != 1 && n > 1)
        return NULL;
    if (w->outer) {
        int64_t o = p / w->run, q = p - o * w->run;
        if (q + n > w->run)
            return NULL;
        offset = q * w->stride;
        for (int d = w->outer - 1; d >= 0; d--) {
            int64_t rest = o / w->dim[d];
            offset += (o - rest * w->dim[d]) * w->step[d];
            o = rest;
        }
    } else if (w->stride != 1) {
        offset = p * w->stride;
    }
    return (const char *)w->base + offset * (int64_t)esize;
}

/* -- operations --------------------------------------------------------------------------------------------- */

void orr__into_register(const orr__vrun *v, orr_dtype from, orr_dtype to, void *dst, const void *src, int64_t n)
{
    const orr__vec *vec = v->k->vec;
    if (!orr__is_half(to)) {
        orr__cast_of(vec, from, to)(dst, src, n);
        return;
    }
    if (from != to) {
        orr__cast_of(vec, from, to)(v->half, src, n);
        src = v->half;
    }
    orr__cast_of(vec, to, ORR_F32)(dst, src, n);
}

static void load(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n)
{
    const orr__vec_view *w = &v->view[op->access];
    orr_dtype t = (orr_dtype)op->dtype;
    size_t esize = orr_dtype_size(t);
    const char *src = lying(w, p, n, esize);
    if (orr__is_half(t)) {
        if (!src) {
            v->k->vec->gather[1](v->half, w, p, n);
            src = (const char *)v->half;
        }
        orr__cast_of(v->k->vec, t, ORR_F32)(dst, src, n);
    } else if (src && op->out < 0 && !v->in_place) {
        v->reg[op->reg] = src;
    } else if (src) {
        memcpy(dst, src, (size_t)n * esize);
    } else {
        v->k->vec->gather[orr__size_log2(t)](dst, w, p, n);
    }
}

static void scalar(const orr__vrun *v, const orr__vop *op, void *dst, int64_t n)
{
    orr_dtype t = (orr_dtype)op->dtype, sits = orr__compute_dtype(t);
    orr__scalar s = v->scalar[op->scalar];
    uint64_t bits = 0;
    if (orr__is_float(t))
        s = orr__scalar_cast(s, ORR_F64, t);
    orr__scalar_store(&bits, sits, s);
    const orr__vec_view w = { .base = &bits, .run = n };
    v->k->vec->gather[orr__size_log2(sits)](dst, &w, 0, n);
}

static void iota(const orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n)
{
    orr_dtype t = (orr_dtype)op->dtype;
    const orr__vec *vec = v->k->vec;
    const orr__scalar *s = v->scalar + op->scalar;
    vec->index(v->index, &v->view[op->access], p, n);
    if (orr__is_float(t))
        vec->affine_f64(v->wide, v->index, s[0], s[1], n);
    else
        vec->affine_u64(v->wide, v->index, s[0], s[1], n);
    orr__into_register(v, orr__is_float(t) ? ORR_F64 : ORR_U64, t, dst, v->wide, n);
}

/* Integers, one at a time, into v->wide. */
static void integers(const orr__vrun *v, const orr__vop *op, const orr__scalar *s, int64_t n)
{
    const int64_t *index = v->index;
    int64_t *d = v->wide;
    if (op->dist == ORR__DINTEGERS) {
        for (int64_t i = 0; i < n; i++)
            d[i] = orr__rand_integers(s[0].u, (uint64_t)index[i], s[1].i, s[2].u);
    } else {
        orr__perm perm = orr__perm_make(s[0].u, s[1].u);
        for (int64_t i = 0; i < n; i++)
            d[i] = (int64_t)orr__perm_at(&perm, (uint64_t)index[i]);
    }
}

static void randoms(const orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n)
{
    orr_dtype t = (orr_dtype)op->dtype;
    const orr__vec *vec = v->k->vec;
    const orr__scalar *s = v->scalar + op->scalar;
    vec->index(v->index, &v->view[op->access], p, n);
    if (op->dist == ORR__DBITS) {
        bool wide = orr_dtype_size(t) == 8;
        vec->random[wide ? ORR__RAND_BITS64 : ORR__RAND_BITS32](v->wide, v->index, s[0].u, n);
        orr__into_register(v, wide ? ORR_U64 : ORR_U32, t, dst, v->wide, n);
    } else if (op->dist == ORR__DUNIFORM && orr__compute_dtype(t) == ORR_F32) {
        int kind = t == ORR_F16 ? ORR__RAND_F16 : t == ORR_BF16 ? ORR__RAND_BF16 : ORR__RAND_F32;
        vec->random[kind](dst, v->index, s[0].u, n);
    } else if (op->dist == ORR__DUNIFORM) {
        vec->random[ORR__RAND_F64](v->wide, v->index, s[0].u, n);
        orr__into_register(v, ORR_F64, t, dst, v->wide, n);
    } else if (op->dist == ORR__DNORMAL) {
        vec->random[ORR__RAND_NORMAL](v->wide, v->index, s[0].u, n);
        if (orr__is_half(t)) /* through f32, as orr__rand_value does */
            orr__cast_of(vec, ORR_F64, ORR_F32)(v->index, v->wide, n);
        orr__into_register(v, orr__is_half(t) ? ORR_F32 : ORR_F64, t, dst, orr__is_half(t) ? (void *)v->index : v->wide,
                           n);
    } else {
        integers(v, op, s, n);
        orr__into_register(v, ORR_I64, t, dst, v->wide, n);
    }
}

/* Folds each row of the block to one value. */
static void fold_rows(const orr__vrun *v, const orr__vop *op, char *dst, int64_t n)
{
    const orr__kernel *k = v->k;
    orr_dtype t = orr__compute_dtype((orr_dtype)op->from), wide = orr__fold_dtype(op->dist, t),
              to = (orr_dtype)op->dtype;
    size_t from = orr_dtype_size(t), size = orr_dtype_size(orr__compute_dtype(to));
    int64_t row = k->dim[k->rank - 1];
    orr__foldfn *fold = k->vec->fold[op->dist][t];
    const char *x = v->reg[op->x];
    for (int64_t i = 0; i < n; i += row) {
        orr__accroom room = orr__fold_identity(op->dist, wide);
        fold(&room.acc, x + (size_t)i * from, row);
        orr__fold_end(&room.acc, op->dist, t);
        orr__into_register(v, wide, to, dst + (size_t)(i / row) * size, &room, 1);
    }
}

/* Writes an output that has one element per row. */
static void pick_rows(const orr__vrun *v, const orr__vop *op, int64_t p, int64_t n)
{
    const orr__kernel *k = v->k;
    orr_dtype from = orr__compute_dtype((orr_dtype)op->from), to = (orr_dtype)op->dtype;
    size_t size = orr_dtype_size(to);
    int64_t row = k->dim[k->rank - 1];
    char *dst = v->out[op->out] + (size_t)(p / row) * size;
    const char *x = v->reg[op->x];
    orr__castfn *cast = orr__cast_of(k->vec, from, to);
    if (op->per_row)
        cast(dst, x, n / row);
    else
        for (int64_t i = 0; i < n; i += row)
            cast(dst + (size_t)(i / row) * size, x + (size_t)i * orr_dtype_size(from), 1);
}

/* n elements; each row is filled with its own value. */
static void spread_rows(const orr__vrun *v, const orr__vop *op, char *dst, int64_t n)
{
    size_t size = orr_dtype_size(orr__compute_dtype((orr_dtype)op->dtype));
    int64_t row = v->k->dim[v->k->rank - 1];
    const char *x = v->reg[op->x];
    for (int64_t i = 0; i < n; i += row)
        fill(dst + (size_t)i * size, size, x + (size_t)(i / row) * size, row);
}

static void run_op(orr__vrun *v, const orr__vop *op, int64_t p, int64_t n)
{
    const void **reg = v->reg;
    void *dst = NULL;
    if (op->kind == ORR__VPICK) {
        pick_rows(v, op, p, n);
        return;
    }
    if (op->out >= 0)
        dst = v->out[op->out] + (size_t)p * orr_dtype_size((orr_dtype)op->dtype);
    else
        dst = v->slot + (size_t)op->slot * v->slot_bytes;
    if (op->kind == ORR__VSTORE) {
        orr__cast_of(v->k->vec, orr__compute_dtype((orr_dtype)op->from), (orr_dtype)op->dtype)(dst, reg[op->x], n);
        return;
    }
    reg[op->reg] = dst;
    if (op->per_row && op->kind != ORR__VFOLD)
        n /= v->k->dim[v->k->rank - 1];
    switch ((orr__vkind)op->kind) {
    case ORR__VROW:
        op->row(dst, reg[op->x], op->y < 0 ? NULL : reg[op->y], op->z < 0 ? NULL : reg[op->z], n);
        if (op->round)
            op->round(dst, n);
        return;
    case ORR__VLOAD: load(v, op, dst, p, n); return;
    case ORR__VCAST:
        orr__into_register(v, orr__compute_dtype((orr_dtype)op->from), (orr_dtype)op->dtype, dst, reg[op->x], n);
        return;
    case ORR__VSCALAR: scalar(v, op, dst, n); return;
    case ORR__VIOTA: iota(v, op, dst, p, n); return;
    case ORR__VRANDOM: randoms(v, op, dst, p, n); return;
    case ORR__VFOLD: fold_rows(v, op, dst, n); return;
    case ORR__VSPREAD: spread_rows(v, op, dst, n); return;
    case ORR__VPLACE: orr__vrun_place(v, op, dst, p, n); return;
    case ORR__VTAKE: orr__vrun_take(v, op, dst, p, n); return;
    case ORR__VPART: orr__vrun_part(v, op, dst, p, n); return;
    case ORR__VINSIDE: orr__vrun_inside(v, op, dst, p, n); return;
    case ORR__VPICK:
    case ORR__VSTORE: return;
    }
}

void orr__vrun_block(orr__vrun *v, int64_t p, int64_t n)
{
    const orr__vop *op = v->k->op + v->k->nonce, *end = v->k->op + v->k->nop;
    for (; op < end; op++)
        run_op(v, op, p, n);
}

/* -- a launch ------------------------------------------------------------------------------------------------ */

static size_t up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

void orr__vrun_box(orr__vrun *v)
{
    const orr__kernel *k = v->k;
    v->total = 1;
    for (int d = 0; d < k->rank; d++)
        v->total *= v->dim[d];
    if (v->total <= 0)
        return;
    for (int a = 0; a < k->naccess; a++) {
        int input = k->access[a].input;
        make_view(v, &k->access[a], input < 0 ? 0 : orr_dtype_size((orr_dtype)v->l->region->in_dtype[input]),
                  &v->view[a]);
    }
    for (int o = 0; o < k->nonce; o++)
        run_op(v, &k->op[o], 0, ORR__MIN(v->total, k->block));
}

bool orr__vrun_overlaid(const orr__launch *l)
{
    for (int k = 0; k < l->region->nout; k++)
        for (int i = 0; i < l->region->nin; i++)
            if (l->in[i] == l->out[k])
                return true;
    return false;
}

orr_status orr__vrun_begin(orr__vrun *v, const orr__kernel *k, const orr__launch *l, size_t more)
{
    size_t block = (size_t)k->block, views = up((size_t)k->naccess * sizeof *v->view);
    size_t regs = up((size_t)k->nreg * sizeof *v->reg), slots = (size_t)k->nslot * k->slot_bytes;
    char *at = orr__scratch(views + regs + slots + 2 * up(8 * block) + up(2 * block) + more);
    if (!at)
        return ORR_ENOMEM;
    v->k = k;
    v->l = l;
    v->scalar = l->scalar ? l->scalar + orr__first_scalar(l->region) : NULL;
    v->st = ORR_OK;
    v->view = (orr__vec_view *)(void *)at;
    v->reg = (const void **)(void *)(at += views);
    v->slot = at += regs;
    v->slot_bytes = k->slot_bytes;
    v->index = (int64_t *)(void *)(at += slots);
    v->wide = at += up(8 * block);
    v->half = (uint16_t *)(void *)(at += up(8 * block));
    v->more = at + up(2 * block);
    v->in_place = orr__vrun_overlaid(l);
    for (int d = 0; d < k->rank; d++) {
        v->dim[d] = d == k->first ? l->hi - l->lo : k->dim[d];
        v->origin[d] = d == k->first ? l->lo : 0;
    }
    orr__vrun_box(v);
    return ORR_OK;
}

/* -- a few elements ------------------------------------------------------------------------------------------ */

enum { FEW = 64, FEW_SLOTS = 8, FEW_REGS = 64, FEW_BYTES = 8 * FEW }; /* limit of memory */

/* True if an access reads elements in their order, from its offset on, which a launch may change. */
static bool whole(const orr__kernel *k, const orr__access *a)
{
    int64_t step = 1;
    bool is = a->input >= 0 && !a->box && !a->placed;
    for (int d = k->rank - 1; d >= 0; step *= k->dim[d--])
        is = is && (k->dim[d] == 1 || a->stride[d] == step);
    return is;
}

static bool plain(const orr__kernel *k, const orr__vop *op)
{
    bool half = orr__is_half((orr_dtype)op->dtype) || orr__is_half((orr_dtype)op->from);
    if (half || op->per_row || orr_dtype_size((orr_dtype)op->dtype) > 8)
        return false;
    return op->kind == ORR__VROW || op->kind == ORR__VCAST || op->kind == ORR__VSCALAR || op->kind == ORR__VSTORE ||
           (op->kind == ORR__VLOAD && op->out < 0 && whole(k, &k->access[op->access]));
}

int64_t orr__vrun_may_few(const orr__kernel *k, const orr__region *r)
{
    int64_t n = 1;
    bool fits = orr__region_is_map(r) && !r->call.op && r->loops != ORR__LOOPS_PRODUCT && k->across < 0 &&
                k->nreg <= FEW_REGS && k->nslot <= FEW_SLOTS;
    for (int d = 0; d < k->rank && n <= FEW; d++)
        n *= k->dim[d];
    for (int o = 0; o < k->nop && fits; o++)
        fits = plain(k, &k->op[o]);
    return fits && n <= FEW ? n : 0;
}

orr_status orr__vrun_few(const orr__kernel *k, const orr__launch *l)
{
    _Alignas(64) char slot[FEW_SLOTS * FEW_BYTES];
    const void *reg[FEW_REGS];
    orr__vrun v;
    v.k = k;
    v.l = l;
    v.scalar = k->nonce > 0 && l->scalar ? l->scalar + orr__first_scalar(l->region) : NULL;
    v.st = ORR_OK;
    v.in_place = false;
    v.reg = reg;
    v.slot = slot;
    v.slot_bytes = FEW_BYTES;
    for (int n = 0; n < l->region->nout; n++)
        v.out[n] = l->out[n];
    for (const orr__vop *op = k->op, *end = op + k->nop; op < end; op++)
        if (op->kind == ORR__VLOAD) {
            const orr__access *a = &k->access[op->access];
            int64_t bytes = a->offset * (int64_t)orr_dtype_size((orr_dtype)l->region->in_dtype[a->input]);
            reg[op->reg] = (const char *)l->in[a->input] + bytes;
        } else {
            run_op(&v, op, 0, k->few);
        }
    return v.st;
}
