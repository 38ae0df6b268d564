/* The moves of accesses, which are part of a kernel's key, and the argument words of a launch.
 * Must not know: the languages' words. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/emit/call.h"
#include "codelets/emit/span.h"

enum { SCRATCH_BYTES = 32 }; /* limit of memory: of one accumulator, at most */

/* True if element number = offset + row-major number of the iteration point. Axes of size 1 do not count. */
static bool contiguous(const orr__region *r, const orr__access *a)
{
    int64_t expect = 1;
    if (a->box)
        return false;
    for (int d = r->rank - 1; d >= 0; d--) {
        if (r->dim[d] != 1 && a->stride[d] != expect)
            return false;
        expect *= r->dim[d];
    }
    return true;
}

static bool still(const orr__region *r, const orr__access *a)
{
    if (a->box)
        return false;
    for (int d = 0; d < r->rank; d++)
        if (r->dim[d] != 1 && a->stride[d] != 0)
            return false;
    return true;
}

int orr__emit_scalars(const orr__rinstr *in)
{
    switch (in->kind) {
    case ORR__RI_SCALAR: return 1;
    case ORR__RI_IOTA: return 2;
    case ORR__RI_RANDOM: return in->op == ORR__DINTEGERS ? 3 : in->op == ORR__DPERMUTATION ? 2 : 1;
    default: return 0;
    }
}

int orr__emit_flags(const orr__region *r)
{
    const orr__emit_call *call = orr__emit_call_of(r);
    int n = call ? call->flags : 0;
    for (int i = 0; i < r->ninstr; i++)
        n += r->instr[i].kind == ORR__RI_PLACE;
    return n;
}

orr__site orr__emit_flag_of(const orr__region *r, int n, int *axis, int64_t *length)
{
    for (int i = 0; i < r->ninstr; i++) {
        const orr__access *a = r->instr[i].kind == ORR__RI_PLACE ? &r->access[r->instr[i].a] : NULL;
        if (!a || n-- > 0)
            continue;
        *axis = r->instr[i].op;
        *length = a->by;
        return ORR__SITE(a->file, a->line, a->as ? a->as : "take");
    }
    *axis = r->call.attr.axis;
    *length = r->call.in[0].dim[r->call.attr.axis];
    return orr__region_site(r);
}

static bool by_value(const orr__region *r, const orr__dialect *d, const orr__layout *l)
{
    return d->by_value && (l->nword + r->nin + r->nout + l->flag + (l->scratch > 0)) * 8 <= ORR__EMIT_ARG_BYTES;
}

int orr__layout_accesses(const orr__region *r, orr__layout *l, int first, int word)
{
    for (int a = first; a < r->naccess; a++) {
        const orr__access *c = &r->access[a];
        uint8_t *move = l->move + (size_t)a * ORR_MAX_RANK;
        l->at[a] = word++;
        if (l->linear)
            move[0] = still(r, c) ? ORR__MOVE_NONE : ORR__MOVE_UNIT;
        for (int k = 0; k < r->rank && !l->linear; k++) {
            move[k] = r->dim[k] == 1 || c->stride[k] == 0 ? ORR__MOVE_NONE
                      : c->stride[k] == 1                 ? ORR__MOVE_UNIT
                                                          : ORR__MOVE_ANY;
            word += move[k] == ORR__MOVE_ANY;
        }
        word += c->placed + orr__emit_box_words(c);
    }
    return word;
}

orr_status orr__layout_make(const orr__region *r, const orr__dialect *d, orr__layout *l)
{
    size_t n = r->naccess > 0 ? (size_t)r->naccess : 1;
    memset(l, 0, sizeof *l);
    l->at = orr__alloc_n(n, sizeof *l->at);
    l->move = orr__alloc_n(n, ORR_MAX_RANK);
    if (!l->at || !l->move) {
        orr__layout_free(l);
        return ORR_ENOMEM;
    }
    l->flag = orr__emit_flags(r) > 0;
    if (r->loops == ORR__LOOPS_PRODUCT || r->call.op) {
        if (r->loops == ORR__LOOPS_PRODUCT) {
            l->group = d->group;
            orr__emit_product_layout(r, d, l);
        } else {
            orr__emit_call_layout(r, d, l);
        }
        l->by_value = by_value(r, d, l);
        return ORR_OK;
    }
    l->group = r->rmask || orr__region_rows(r) ? d->group : 0;
    l->scratch = r->rmask ? r->nout * SCRATCH_BYTES : 0;
    l->linear = !l->group;
    for (int a = 0; a < r->naccess && l->linear; a++)
        l->linear = contiguous(r, &r->access[a]) || still(r, &r->access[a]);
    int word = 2 + (l->linear ? 1 : 2) * r->rank;
    word = orr__layout_accesses(r, l, 0, word);
    orr__emit_span_layout(r, d, l);
    l->span_at = word;
    word += l->span > 1;
    l->group_at = word;
    word += l->group ? ORR__GROUP_WORDS : 0;
    l->out_at = word;
    l->scalar_at = word += r->nout;
    for (int i = 0; i < r->ninstr; i++)
        word += orr__emit_scalars(&r->instr[i]);
    l->nword = word;
    l->by_value = by_value(r, d, l);
    return ORR_OK;
}

void orr__layout_free(orr__layout *l)
{
    free(l->at);
    free(l->move);
    free(l->packed);
    free(l->joined);
    free(l->column);
    free(l->boxes);
    free(l->unrounded);
    l->packed = l->joined = NULL;
    l->boxes = NULL;
    l->column = NULL;
    l->at = NULL;
    l->move = NULL;
}

bool orr__layout_equal(const orr__layout *a, const orr__layout *b, const orr__region *r)
{
    return a->nword == b->nword && a->group == b->group && a->linear == b->linear && a->by_value == b->by_value &&
           memcmp(&a->tile, &b->tile, sizeof a->tile) == 0 &&
           memcmp(a->move, b->move, (size_t)r->naccess * ORR_MAX_RANK) == 0;
}

bool orr__emit_narrow(const orr__region *r, const orr__access *a, int64_t offset, int64_t rows)
{
    int64_t lo = offset, hi = offset;
    for (int d = 0; d < r->rank; d++) {
        int64_t n = d == 0 ? rows : r->dim[d], reach;
        int64_t s = a->stride[d];
        if (n < 1 || s == INT64_MIN || !orr__mul64(n - 1, s < 0 ? -s : s, &reach) || reach > INT32_MAX)
            return false;
        if (s < 0)
            lo -= reach;
        else
            hi += reach;
        if (lo < INT32_MIN || hi > INT32_MAX)
            return false;
    }
    return hi - lo <= INT32_MAX;
}

int64_t orr__emit_divider(int64_t d)
{
    int shift = 31;
    if (d < 1 || d > INT32_MAX)
        return 0; /* no division, or 64-bit indices, which need no divider */
    while ((int64_t)1 << (shift - 31) < d)
        shift++;
    return (int64_t)shift << 32 | (int64_t)(((uint64_t)1 << shift) / (uint64_t)d + 1);
}

static int64_t scalar_word(const orr__scalar *s, orr_dtype t, bool fp64)
{
    orr__scalar v = *s;
    int64_t w = 0;
    if (!orr__is_float(t))
        return v.i;
    if (t == ORR_F64 && fp64) {
        memcpy(&w, &v.f, sizeof v.f);
        return w;
    }
    if (orr__is_half(t))
        v = orr__scalar_cast(v, ORR_F64, t);
    float f = (float)v.f;
    memcpy(&w, &f, sizeof f); /* in the low bytes: hosts and devices are little-endian */
    return w;
}

/* The dtype in which scalars are passed: IOTA computes in f64; the scalars of RANDOM are ints. */
static orr_dtype scalar_dtype(const orr__rinstr *in)
{
    if (in->kind == ORR__RI_SCALAR)
        return (orr_dtype)in->dtype;
    if (in->kind == ORR__RI_RANDOM)
        return ORR_I64;
    return orr__is_float((orr_dtype)in->dtype) ? ORR_F64 : ORR_I64;
}

int64_t *orr__emit_scalar_words(const orr__launch *l, bool fp64, int64_t *word)
{
    const orr__region *r = l->region;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        for (int k = 0, n = in->slot < 0 ? 0 : orr__emit_scalars(in); k < n; k++)
            *word++ = scalar_word(&l->scalar[in->slot + k], scalar_dtype(in), fp64);
    }
    return word;
}

bool orr__emit_access_words(const orr__launch *l, const orr__layout *lay, int first, int64_t *word)
{
    const orr__region *r = l->region;
    bool fits = true;
    for (int a = first; a < r->naccess; a++) {
        const orr__access *c = &r->access[a];
        const uint8_t *move = lay->move + (size_t)a * ORR_MAX_RANK;
        int at = lay->at[a];
        int64_t offset = c->offset + l->lo * c->stride[0];
        if (c->input >= 0) {
            offset -= l->in_off ? l->in_off[c->input] : 0;
            fits = fits &&
                   (c->placed ? r->in_count[c->input] <= INT32_MAX : orr__emit_narrow(r, c, offset, l->hi - l->lo));
        }
        word[at++] = offset;
        for (int d = 0; d < r->rank && !lay->linear; d++)
            if (move[d] == ORR__MOVE_ANY)
                word[at++] = c->stride[d];
        if (c->placed)
            word[at] = c->by;
        (void)orr__emit_box_fill(c, l->lo, word + at + c->placed);
    }
    return fits;
}

orr__geometry orr__emit_geometry(const orr__layout *l, const int64_t *word)
{
    if (!l->group || word[0] == 0)
        return (orr__geometry){ l->span > 1 ? (word[0] + l->span - 1) / l->span : word[0], l->group };
    return (orr__geometry){ word[l->group_at + ORR__GROUP_BLOCKS] * l->group, l->group };
}

bool orr__emit_words(const orr__launch *l, const orr__layout *lay, bool fp64, int64_t *word)
{
    const orr__region *r = l->region;
    if (r->loops == ORR__LOOPS_PRODUCT) {
        bool fits = orr__emit_product_words(l, lay, word);
        (void)orr__emit_scalar_words(l, fp64, word + lay->scalar_at);
        return fits;
    }
    if (r->call.op)
        return orr__emit_call_words(l, lay, word);
    bool axis0_kept = !(r->rmask & 1u), fits = true;
    int64_t items = 1, rows = l->hi - l->lo, row = 1;
    for (int d = 0; d < r->rank; d++) {
        word[2 + d] = d == 0 ? rows : r->dim[d];
        if (!lay->linear)
            word[2 + r->rank + d] = orr__emit_divider(word[2 + d]);
        if (!(r->rmask & 1u << d)) {
            items *= word[2 + d];
            row *= d == 0 || (r->loops == ORR__LOOPS_PER_ROW && d == r->rank - 1) ? 1 : r->dim[d];
        }
        fits = fits && word[2 + d] <= INT32_MAX;
    }
    word[0] = items;
    word[1] = l->lo;
    fits = orr__emit_access_words(l, lay, 0, word) && fits;
    for (int k = 0; k < r->nout; k++) {
        int64_t offset = (axis0_kept ? l->lo * row : 0) - (l->out_off ? l->out_off[k] : 0);
        word[lay->out_at + k] = offset;
        fits = fits && offset >= INT32_MIN && offset <= INT32_MAX && offset + items <= INT32_MAX;
    }
    if (lay->span > 1)
        word[lay->span_at] = orr__emit_span_whole(l, lay, word);
    if (lay->group)
        orr__emit_group_words(l, lay, word);
    (void)orr__emit_scalar_words(l, fp64, word + lay->scalar_at);
    return fits && items <= INT32_MAX - 65536; /* a launch is rounded up to whole groups */
}
