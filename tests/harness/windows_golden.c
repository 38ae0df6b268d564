/* The calls of conv.h that the cases of tests/golden/conv name.
 * Must not know: how a value is computed. */
#include "config.h"

#include <orrery/conv.h>
#include "tests/harness/numpy_case.h"

#define I(k) (int64_t) c->p[k]
#define CASE(name, expr)                                                                                               \
    static orr_tensor *run_##name(const numpy_case *c)                                                                 \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }

static orr_tensor *gradient(orr_tensor *y, orr_tensor *by)
{
    orr_tensor *g = NULL;
    (void)orr_grad(orr_sum(y, ORR_ALL_AXES, false), &by, 1, &g);
    return g;
}

/* Parameters: the number of the result, then the options, as make_conv.py writes them. */
typedef orr_tensor *convolution(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_tensor *bias,
                                const orr_conv_options *o);

static orr_tensor *by_options(const numpy_case *c, convolution *f)
{
    int ask = (int)c->p[0], biased = c->nin - 2 - (ask > 0);
    orr_conv_options o = { .same = c->p[1] != 0, .groups = I(2) };
    for (int d = 0; d < 3; d++) {
        o.stride[d] = I(3 + d);
        o.dilation[d] = I(6 + d);
        o.before[d] = I(9 + d);
        o.after[d] = I(12 + d);
        o.output_padding[d] = I(15 + d);
    }
    orr_tensor *y = f(ORR_HERE, c->in[0], c->in[1], biased ? c->in[2] : NULL, &o), *g = c->in[c->nin - 1];
    if (ask == 0)
        return y;
    if (ask <= 3)
        return gradient(orr_mul(g, y), c->in[ask - 1]);
    orr_tensor *by = gradient(orr_mul(g, orr_mul(y, y)), c->in[ask - 4]);
    return gradient(orr_mul(by, by), c->in[5 - ask]);
}
CASE(convolution, by_options(c, orr_conv_at))
CASE(transposed, by_options(c, orr_conv_transpose_at))

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
const numpy_row numpy_window_rows[] = { ROW(convolution), ROW(transposed), { NULL, NULL } };
