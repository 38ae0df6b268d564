/* Random graphs: functions and kernels that the tests define.
 * Must not know: engines. */
#include "config.h"

#include <orrery/define.h>
#include "tests/harness/random_graph.h"

/* Reverses the order of rows, for any dtype. */
static int backwards(const orr_kernel_args *a)
{
    int64_t n = a->out_shape.rank ? a->out_shape.dim[0] : 1;
    size_t row = orr_dtype_size(a->out_dtype);
    for (int d = 1; d < a->out_shape.rank; d++)
        row *= (size_t)a->out_shape.dim[d];
    for (int64_t i = a->lo; i < a->hi; i++)
        memcpy((char *)a->out + (size_t)i * row, (const char *)a->in[0].data + (size_t)(n - 1 - i) * row, row);
    return 0;
}

static const char backwards_text[] =
    "ORR_KERNEL own_backwards(ORR_GLOBAL const ORR_IN0 *x, ORR_GLOBAL ORR_OUT *y, const orr_args a)\n"
    "{\n"
    "    orr_int i = ORR_ITEM, n = a.out.count / a.out.dim[0], row = a.lo + i / n;\n"
    "    if (i < a.items)\n"
    "        y[i] = x[(a.out.dim[0] - 1 - row) * n + i % n];\n"
    "}\n";

static orr_tensor *apply_own(orr_tensor *const *in, int n, const rg_param *p)
{
    (void)n;
    if (p->axis == 0) /* continuous, and exact in every dtype that is rounded once */
        return orr_apply(orr_define_elementwise("own_bend", 2, "x > y ? x - y : 0.5*(x - y)"),
                         ORR_TENSORS(in[0], in[1]));
    if (p->axis == 1)
        return orr_apply(orr_define_elementwise_with("own_hat", 1, "maximum(0, 1 - abs(x))",
                                                     ORR_TEXTS("g*(abs(x) < 1 ? -sign(x) : 0)")),
                         ORR_TENSORS(in[0]));
    return orr_apply(orr_define_kernel(&(orr_kernel_def){ .name = "own_backwards",
                                                          .n_inputs = 1,
                                                          .rows = true,
                                                          .cpu = backwards,
                                                          .opencl = backwards_text,
                                                          .cuda = backwards_text }),
                     ORR_TENSORS(in[0]));
}

bool rg_choose_own(rg_graph *g, rg_step *s)
{
    static const char *const names[] = { "own_bend", "own_hat", "own_backwards" };
    int i = g->last;
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    s->p.axis = rg_pick(g, 3);
    s->nin = s->p.axis == 0 ? 2 : 1;
    s->in[0] = i;
    if (s->p.axis == 0)
        s->in[1] = orr__is_float(d) ? rg_leaf(g, d, orr_tensor_shape(g->v[i].t)) : -1;
    s->apply = apply_own;
    s->name = names[s->p.axis];
    s->smooth = true;
    s->ulps = s->p.axis == 1 ? 2 : 0;
    return (s->p.axis == 2 || orr__is_float(d)) && s->in[s->nin - 1] >= 0;
}
