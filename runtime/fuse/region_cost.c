/* The work and the bytes of a region, from its accesses and instructions.
 * Must not know: how long a region takes. */
#include "config.h"

#include "ops/instruction_cost.h"
#include "runtime/fuse/region.h"

/* Places that an access reads: along the axes on which it moves; along all axes if a register holds the place. */
static double places(const orr__region *r, const orr__access *a)
{
    double n = 1;
    for (int d = 0; d < r->rank; d++)
        if (a->placed || a->stride[d] != 0)
            n *= (double)(a->box >> d & 1 ? a->hi[d] - a->lo[d] : r->dim[d]);
    return n;
}

double orr__region_touched(const orr__region *r, int i)
{
    double all = (double)r->in_count[i], sum = 0;
    for (int k = 0; k < r->naccess; k++)
        sum += r->access[k].input == i ? places(r, &r->access[k]) : 0;
    return r->naccess && sum < all ? sum : all;
}

static double access_bytes(const orr__region *r, const orr__access *x)
{
    return (double)r->in_count[x->input] * (double)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
}

int orr__region_row_axis(const orr__region *r, const orr__access *x)
{
    for (int d = r->rank - 1; d >= 0; d--)
        if (r->dim[d] > 1 && (x->stride[d] == 1 || x->stride[d] == -1))
            return d;
    return -1;
}

int orr__region_inner_axis(const orr__region *r)
{
    double bytes[ORR__REGION_RANK] = { 0 };
    int best = r->rank - 1;
    for (int d = r->rank - 1; d >= 0 && r->rmask; d--)
        if (!(r->rmask >> d & 1) && r->dim[d] > 1) { /* of the result */
            bytes[d] += (double)r->out_count * (double)orr_dtype_size((orr_dtype)r->out_dtype[0]) * r->nout;
            break;
        }
    for (int a = 0; a < r->naccess && r->rmask; a++) {
        int d = r->access[a].input >= 0 ? orr__region_row_axis(r, &r->access[a]) : -1;
        if (d >= 0)
            bytes[d] += access_bytes(r, &r->access[a]);
    }
    for (int d = 0; d < r->rank && r->rmask; d++)
        best = bytes[d] > 2 * bytes[best] ? d : best;
    return best;
}

/* The effort that compiled loops of maps, folds and rows were measured to take, in additions of f32: a byte that is read, an element that is
 * read across the rows of its array, or by its number, beyond its bytes; and arithmetic of f64. */
#define WIDE 2.5
enum { ACROSS = 14, NUMBERED = 30 }; /* limit of a measurement */

/* The effort for an element that instruction i reads, beyond its bytes. */
static double beyond_bytes(const orr__region *r, int i, int inner)
{
    const orr__rinstr *in = &r->instr[i];
    const orr__access *x = in->a >= 0 ? &r->access[in->a] : NULL;
    if (!x || (in->kind != ORR__RI_LOAD && in->kind != ORR__RI_GATHER) || x->input < 0)
        return 0;
    if (in->kind == ORR__RI_GATHER && r->access[r->instr[in->x].a].stride[inner] != 0)
        return NUMBERED;
    int row = orr__region_row_axis(r, x);
    return row >= 0 && row != inner && x->stride[inner] != 0 && r->dim[inner] > 1 ? ACROSS : 0;
}

/* The effort of instruction i for a point of the iteration. */
static double effort_of(const orr__region *r, int i, int inner)
{
    const orr__rinstr *in = &r->instr[i];
    const orr__access *x = in->a >= 0 ? &r->access[in->a] : NULL;
    if (in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER) {
        bool moves = x->input >= 0 && (x->stride[inner] != 0 || in->kind == ORR__RI_GATHER);
        return beyond_bytes(r, i, inner) + (moves ? (double)orr_dtype_size((orr_dtype)r->in_dtype[x->input]) : 0);
    }
    double cost = in->kind == ORR__RI_FOLD ? ORR__COST_FOLD : orr__instruction_cost(in);
    orr_dtype dtype = in->kind == ORR__RI_EW ? (orr_dtype)r->instr[in->x].dtype : (orr_dtype)in->dtype;
    return in->kind == ORR__RI_PRODUCT ? 2 * (double)r->dim[r->rank - 1] : dtype == ORR_F64 ? WIDE * cost : cost;
}

/* The effort of a region of loops for a point of the iteration, of a product for an element of its result. */
static double effort(const orr__region *r, int inner)
{
    double sum = 0, points = 1;
    for (int d = 0; d < r->rank; d++)
        points *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr; i++)
        sum += effort_of(r, i, inner);
    if (r->loops == ORR__LOOPS_PRODUCT)
        return sum + (r->ninstr ? 0 : 2 * (double)r->dim[r->rank - 1]);
    for (int k = 0; k < r->nout; k++)
        sum += ORR__WRITTEN * (double)orr_dtype_size((orr_dtype)r->out_dtype[k]) * (double)r->out_count /
               (points > 1 ? points : 1);
    return sum + (r->rmask ? ORR__COST_FOLD * r->nout : 0);
}

double orr__region_effort(const orr__region *r)
{
    double points = 1;
    for (int d = 0; d < r->rank; d++)
        points *= (double)r->dim[d];
    return orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT ? points * effort(r, orr__region_inner_axis(r))
                                                                  : r->flops + r->bytes;
}

double orr__region_part(const orr__region *r, int i)
{
    int inner = orr__region_inner_axis(r);
    double all = effort(r, inner);
    return all > 0 ? effort_of(r, i, inner) / all : 0;
}

double orr__region_part_beyond(const orr__region *r, int i)
{
    int inner = orr__region_inner_axis(r);
    double all = effort(r, inner);
    return all > 0 ? beyond_bytes(r, i, inner) / all : 0;
}

double orr__region_part_wide(const orr__region *r)
{
    double part = 0;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        bool wide = in->kind == ORR__RI_EW ? r->instr[in->x].dtype == ORR_F64
                                           : in->kind == ORR__RI_FOLD && in->dtype == ORR_F64;
        part += wide ? (1 - 1 / WIDE) * orr__region_part(r, i) : 0;
    }
    return part;
}

void orr__region_cost(orr__region *r)
{
    double n = 1, per = 0;
    for (int d = 0; d < r->rank; d++)
        n *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr; i++)
        per += orr__instruction_cost(&r->instr[i]);
    if (r->loops == ORR__LOOPS_PRODUCT) {
        int64_t k = r->dim[r->rank - 1];
        per = k ? 2 + per / (double)k : 0;
    } else if (r->rmask) {
        per += r->nout;
    }
    r->flops = r->call.op ? orr__call_work(&r->call).flops : n * per;
    r->bytes = 0;
    for (int i = 0; i < r->nin; i++)
        r->bytes += orr__region_touched(r, i) * (double)orr_dtype_size((orr_dtype)r->in_dtype[i]);
    for (int k = 0; k < r->nout; k++)
        r->bytes += (double)r->out_count * (double)orr_dtype_size((orr_dtype)r->out_dtype[k]);
}
