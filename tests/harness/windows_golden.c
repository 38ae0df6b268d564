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

/* Parameters: the number of the result, then the options, as written by make_conv.py. */
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

/* Pooling and resizing: the number of the result, then the options, as written by make_pool.py. */
enum { VALUE, BY_X, INDICES, UNPOOLED, TWICE };

/* The value of f, or a derivative of it, as the case requests. */
static orr_tensor *asked(const numpy_case *c, orr_tensor *y)
{
    if (c->p[0] == VALUE)
        return y;
    if (c->p[0] == BY_X)
        return gradient(orr_mul(c->in[1], y), c->in[0]);
    orr_tensor *by = gradient(orr_mul(c->in[1], orr_mul(y, y)), c->in[0]);
    return gradient(orr_mul(by, by), c->in[0]);
}

static orr_pool_options pool_of(const numpy_case *c)
{
    orr_pool_options o = { .round_up = c->p[2] != 0, .exclude_padding = c->p[3] != 0 };
    for (int d = 0; d < 3; d++) {
        o.window[d] = I(4 + d);
        o.stride[d] = I(7 + d);
        o.dilation[d] = I(10 + d);
        o.padding[d] = I(13 + d);
        o.size[d] = I(16 + d);
    }
    return o;
}

static orr_tensor *maxpool(const numpy_case *c)
{
    orr_pool_options o = pool_of(c);
    orr_shape size = { orr_tensor_shape(c->in[0]).rank - 2, { I(16), I(17), I(18) } };
    return c->p[0] == INDICES    ? orr_max_pool_indices(c->in[0], &o)
           : c->p[0] == UNPOOLED ? orr_max_unpool(c->in[0], c->in[1], size)
                                 : asked(c, orr_max_pool(c->in[0], &o));
}

static orr_tensor *averagepool(const numpy_case *c)
{
    orr_pool_options o = pool_of(c);
    return asked(c, orr_average_pool(c->in[0], &o));
}

static orr_tensor *lppool(const numpy_case *c)
{
    orr_pool_options o = pool_of(c);
    return asked(c, orr_lp_pool(c->in[0], c->p[1], &o));
}

static orr_tensor *interpolate(const numpy_case *c)
{
    orr_shape size = { orr_tensor_shape(c->in[0]).rank - 2, { I(3), I(4), I(5) } };
    return asked(c, orr_resize(c->in[0], size, (orr_resize_mode)c->p[1], c->p[2] != 0));
}
CASE(maxpool, maxpool(c))
CASE(averagepool, averagepool(c))
CASE(lppool, lppool(c))
CASE(interpolate, interpolate(c))

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
const numpy_row numpy_window_rows[] = { ROW(convolution), ROW(transposed),  ROW(maxpool),  ROW(averagepool),
                                        ROW(lppool),      ROW(interpolate), { NULL, NULL } };
