/* Views of nodes: how an operation maps the places of its result to places of its operands.
 * Must not know: how nodes are grouped, devices. */
#include "config.h"

#include <string.h>
#include "ops/ew_id.h"
#include "ops/lowering.h"

orr__view orr__view_identity(int rank)
{
    orr__view v;
    memset(&v, 0, sizeof v);
    v.taken = -1;
    for (int d = 0; d < rank; d++) {
        v.ax[d] = (int8_t)d;
        v.mul[d] = 1;
    }
    return v;
}

orr__view orr__view_still(const orr__view *v)
{
    orr__view w = *v;
    memset(w.off, 0, sizeof w.off);
    memset(w.mul, 0, sizeof w.mul);
    memset(w.too, 0, sizeof w.too);
    memset(w.more, 0, sizeof w.more);
    memset(w.ax, -1, sizeof w.ax);
    w.taken = -1;
    return w;
}

void orr__view_carry(orr__view *w, int a, const orr__view *v, int k)
{
    w->ax[a] = v->ax[k];
    w->off[a] = v->off[k];
    w->mul[a] = v->mul[k];
    w->too[a] = v->too[k];
    w->more[a] = v->more[k];
    if (k == v->taken)
        w->taken = (int8_t)a;
}

orr__access orr__view_access(const orr_shape *s, const orr__view *v, int input)
{
    orr__access a = { .input = input };
    int64_t rm[ORR_MAX_RANK];
    orr__shape_strides(s, rm);
    for (int d = 0; d < s->rank; d++) {
        a.offset += v->off[d] * rm[d];
        if (v->ax[d] >= 0)
            a.stride[v->ax[d]] += v->mul[d] * rm[d];
        a.stride[v->too[d]] += v->more[d] * rm[d];
    }
    a.box = v->box;
    memcpy(a.lo, v->lo, sizeof a.lo);
    memcpy(a.hi, v->hi, sizeof a.hi);
    a.placed = v->taken >= 0;
    a.by = a.placed ? v->mul[v->taken] * rm[v->taken] : 0;
    return a;
}

static int64_t floor_div(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

bool orr__view_narrow(const int64_t *dim, orr__view *v, int a, int64_t n)
{
    int d = v->ax[a];
    int64_t off = v->off[a], mul = v->mul[a], lo = 0, hi;
    if (d < 0 || !mul)
        return off >= 0 && off < n;
    if (mul > 0) { /* −off ≤ mul·i < n − off */
        lo = -floor_div(off, mul);
        hi = -floor_div(off - n, mul);
    } else { /* off − n < −mul·i ≤ off */
        lo = floor_div(off - n, -mul) + 1;
        hi = floor_div(off, -mul) + 1;
    }
    bool boxed = v->box >> d & 1u;
    int64_t from = boxed ? v->lo[d] : 0, to = boxed ? v->hi[d] : dim[d];
    lo = lo > from ? lo : from;
    hi = hi < to ? hi : to;
    if (lo >= hi)
        return false;
    if (boxed || lo > 0 || hi < dim[d]) {
        v->box |= 1u << d;
        v->lo[d] = lo;
        v->hi[d] = hi;
    }
    return true;
}

bool orr__view_same_box(const orr__view *a, const orr__view *b)
{
    return a->box == b->box && !memcmp(a->lo, b->lo, sizeof a->lo) && !memcmp(a->hi, b->hi, sizeof a->hi);
}

bool orr__view_equal(const orr__view *a, const orr__view *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->ax[d] != b->ax[d] || a->off[d] != b->off[d] || (a->ax[d] >= 0 && a->mul[d] != b->mul[d]) ||
            a->more[d] != b->more[d] || a->too[d] != b->too[d])
            return false;
    return a->taken == b->taken && orr__view_same_box(a, b) &&
           (a->taken < 0 || (a->place == b->place && a->mul[a->taken] == b->mul[b->taken]));
}

int16_t orr__lower_inside(orr__lowering *c, const orr__view *v)
{
    orr__access a = { .input = -1, .box = v->box };
    memcpy(a.lo, v->lo, sizeof a.lo);
    memcpy(a.hi, v->hi, sizeof a.hi);
    return (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1, c->access(c, a), -1 });
}

int orr__lower_choose(orr__lowering *c, orr_dtype dtype, const orr__view *v, int x, int other)
{
    int16_t in = orr__lower_inside(c, v);
    return c->instr(c,
                    (orr__rinstr){ ORR__RI_EW, (uint8_t)dtype, ORR__EW_where, in, (int16_t)x, (int16_t)other, -1, -1 });
}

int orr__lower_complex(orr__lowering *c, orr_dtype part, int re, int im)
{
    return c->instr(c, (orr__rinstr){ ORR__RI_EW, (uint8_t)orr__complex_of(part), ORR__EW_complex, (int16_t)re,
                                      (int16_t)im, -1, -1, -1 });
}
