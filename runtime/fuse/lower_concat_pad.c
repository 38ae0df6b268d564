/* Lowers concat and pad: what they are made of is computed where it is, and chosen by place.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include "ops/ew_id.h"
#include "runtime/fuse/lower.h"

static int64_t down(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

/* v is there where, besides, 0 ≤ axis a < n: false when that is nowhere. */
static bool narrow(const orr__region *r, orr__lview *v, int a, int64_t n)
{
    int d = v->ax[a];
    int64_t off = v->off[a], mul = v->mul[a], lo = 0, hi;
    if (d < 0 || !mul)
        return off >= 0 && off < n;
    if (mul > 0) { /* −off ≤ mul·i < n − off */
        lo = -down(off, mul);
        hi = -down(off - n, mul);
    } else { /* off − n < −mul·i ≤ off */
        lo = down(off - n, -mul) + 1;
        hi = down(off, -mul) + 1;
    }
    bool part = v->box >> d & 1u;
    int64_t from = part ? v->lo[d] : 0, to = part ? v->hi[d] : r->dim[d];
    lo = lo > from ? lo : from;
    hi = hi < to ? hi : to;
    if (lo >= hi)
        return false;
    if (part || lo > 0 || hi < r->dim[d]) {
        v->box |= 1u << d;
        v->lo[d] = lo;
        v->hi[d] = hi;
    }
    return true;
}

/* The register that says whether the iteration is where v is there. */
static int16_t inside(orr__lowering *c, const orr__lview *v)
{
    orr__access a = { .input = -1, .box = v->box };
    memcpy(a.lo, v->lo, sizeof a.lo);
    memcpy(a.hi, v->hi, sizeof a.hi);
    int16_t at = orr__lower_access(c, a);
    for (int k = 0; k < c->r->ninstr; k++)
        if (c->r->instr[k].kind == ORR__RI_INSIDE && c->r->instr[k].a == at)
            return (int16_t)k;
    return (int16_t)orr__lower_instr(c, (orr__rinstr){ ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1, at, -1 });
}

static int choose(orr__lowering *c, int i, const orr__lview *part, int x, int other)
{
    return orr__lower_instr(c, (orr__rinstr){ ORR__RI_EW, c->p->node[i]->dtype, ORR__EW_where, inside(c, part),
                                              (int16_t)x, (int16_t)other, -1, -1 });
}

static bool same_box(const orr__lview *a, const orr__lview *b)
{
    return a->box == b->box && !memcmp(a->lo, b->lo, sizeof a->lo) && !memcmp(a->hi, b->hi, sizeof a->hi);
}

static int lower_pad(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__node *n = c->p->node[i];
    int x = orr__arg(c->p, i, 0);
    const orr_shape *s = &c->p->node[x]->shape;
    orr__lview w = *v;
    bool some = true;
    for (int a = 0; a < s->rank; a++) {
        w.off[a] -= n->attr.start[a];
        some = some && narrow(c->r, &w, a, s->dim[a]);
    }
    int in = some ? orr__lower_node(c, x, &w) : -1;
    if (some && same_box(&w, v))
        return in;
    int value = orr__lower_instr(
        c, (orr__rinstr){ ORR__RI_SCALAR, n->dtype, (int16_t)ORR__OP_CONST, -1, -1, -1, -1, c->p->scalar0[i] });
    return some ? choose(c, i, &w, in, value) : value;
}

/* From the last operand that is seen to the first. */
static int lower_concat(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__node *n = c->p->node[i];
    int reg = -1, axis = n->attr.axis;
    int64_t at = n->shape.dim[axis];
    for (int k = orr__capture_nin(c->p, i) - 1; k >= 0; k--) {
        int x = orr__arg(c->p, i, k);
        int64_t length = c->p->node[x]->shape.dim[axis];
        orr__lview w = *v;
        at -= length;
        w.off[axis] -= at;
        if (!narrow(c->r, &w, axis, length))
            continue;
        int in = orr__lower_node(c, x, &w);
        reg = reg < 0 || same_box(&w, v) ? in : choose(c, i, &w, in, reg);
    }
    return reg;
}

int orr__lower_parts(orr__lowering *c, int i, const orr__lview *v)
{
    int reg = (orr__op_of(c->p, i) == ORR__OP_PAD ? lower_pad : lower_concat)(c, i, v);
    if (reg >= 0)
        return reg;
    /* Nothing is seen of any: there is no such element. */
    return orr__lower_instr(
        c, (orr__rinstr){ ORR__RI_CAST, c->p->node[i]->dtype, (int16_t)ORR__OP_CAST, inside(c, v), -1, -1, -1, -1 });
}
