/* Copies slices of values.
 * Must not know: plans. */
#include "config.h"

#include "runtime/base/form.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/slice_copy.h"

/* True if the slice has all elements along axis d. */
static bool is_whole(const orr__node *n, const orr__node *of, int d)
{
    return n->shape.dim[d] == of->shape.dim[d] && n->attr.step[d] == 1;
}

bool orr__slice_is_copied(const orr__node *n)
{
    if (!(n->op->flags & ORR__OP_SLICES))
        return false;
    const orr__node *of = n->in[0];
    orr__buffer *b = orr__node_value(of);
    size_t bytes = orr__node_bytes(n);
    return b && !b->run && orr__form_none(b) && !of->placed && bytes > 0 && bytes <= ORR__T_CORE_CACHES;
}

bool orr__slice_is_adjacent(const orr__node *n, const orr__node *of)
{
    int d = 0;
    while (d < n->shape.rank && n->shape.dim[d] == 1)
        d++;
    bool all = d == n->shape.rank || n->attr.step[d] == 1;
    for (d++; d < n->shape.rank && all; d++)
        all = is_whole(n, of, d);
    return all;
}

/* Copies run by run: the last axes, as far as their elements are adjacent, are one run. */
static void copy(const orr__node *n, const orr__node *of, const char *from, char *to)
{
    int64_t stride[ORR_MAX_RANK], index[ORR_MAX_RANK] = { 0 };
    size_t run = orr_dtype_size((orr_dtype)n->dtype);
    int64_t by = (int64_t)run;
    for (int d = n->shape.rank - 1; d >= 0; d--) {
        from += n->attr.start[d] * by;
        stride[d] = n->attr.step[d] * by;
        by *= of->shape.dim[d];
    }
    int rank = n->shape.rank;
    while (rank > 0 && is_whole(n, of, rank - 1))
        run *= (size_t)n->shape.dim[--rank];
    if (rank > 0 && n->attr.step[rank - 1] == 1)
        run *= (size_t)n->shape.dim[--rank];
    for (;;) {
        memcpy(to, from, run);
        to += run;
        int d = rank - 1;
        while (d >= 0 && ++index[d] == n->shape.dim[d]) {
            from -= (index[d] - 1) * stride[d];
            index[d--] = 0;
        }
        if (d < 0)
            return;
        from += stride[d];
    }
}

orr_status orr__slices_copy(orr__capture *p)
{
    for (int i = 0; i < p->nslice; i++) {
        orr__slice_copy *s = &p->slice[i];
        orr__buffer *b = orr__node_value(s->of);
        orr_status st = orr__buffer_sync(b);
        if (st != ORR_OK)
            return st;
        if (!(s->copy = orr__buffer_new(orr__node_bytes(s->node))))
            return ORR_ENOMEM;
        copy(s->node, s->of, b->host, s->copy->host);
        p->leaf[s->leaf] = s->copy;
    }
    return ORR_OK;
}
