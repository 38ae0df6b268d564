/* Convolution, pooling and resizing over one, two or three spatial axes.
 * Must not know: how an operation computes. */
#ifndef ORRERY_CONV_H
#define ORRERY_CONV_H

#include <orrery/nn.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The options of a convolution: one number per spatial axis, in the order of the axes. Zeros are the defaults. */
typedef struct orr_conv_options {
    int64_t stride[3];         /**< from one place of the kernel to the next; 0: 1                                 */
    int64_t dilation[3];       /**< from one element of the kernel to the next, in the input; 0: 1                 */
    int64_t padding[3];        /**< zeros before and after the input                                               */
    int64_t before[3];         /**< more zeros before                                                              */
    int64_t after[3];          /**< more zeros after                                                               */
    bool same;                 /**< padding that keeps the length, an odd zero after; the stride must be 1 */
    int64_t groups;            /**< independent parts of the channels; 0: 1                                        */
    int64_t output_padding[3]; /**< of a transposed convolution: elements added to the result's length             */
} orr_conv_options;

/** y[n, o, i] = bias[o] + Σ over c and k of x[n, g·C/G + c, i·stride − before + k·dilation] · w[o, c, k], with zeros outside
 * of x, and g the group of channel o. The kernel is not reversed (cross-correlation, as in PyTorch). A depthwise convolution
 * has as many groups as channels. Data in the order N, spatial axes, C is permuted to this order by a view.
 * @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
 * @param w     (O, C/G, spatial axes of the kernel); G divides C and O
 * @param bias  (O), or NULL for none
 * @param o     options; NULL: the defaults
 * @return   (N, O, …), along each axis (before + length + after − dilation·(kernel − 1) − 1)/stride + 1, rounded down; owned
 *           by the current scope; poison on ORR_ESHAPE (also a kernel beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   f16 bf16 f32 f64, promoted; f16 and bf16 are summed in f32 and rounded once.
 * grad:     dx = conv_transpose(g, w), dw = conv_weights(x, g), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_conv_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_tensor *bias,
                                const orr_conv_options *o);
#define orr_conv(...) orr_conv_at(ORR_HERE, __VA_ARGS__)

/** The transposed convolution, the derivative of orr_conv by its input: x[n, c, j] = bias[c] + Σ of y[n, o, i] · w[o, c, k]
 * over the o of the group and the i and k with i·stride − before + k·dilation = j.
 * @param y     (N, O, L), (N, O, H, W) or (N, O, D, H, W)
 * @param w     (O, C/G, spatial axes of the kernel); G divides O
 * @param bias  (C), or NULL for none
 * @param o     options; NULL: the defaults. Padding makes the result smaller. output_padding is below the stride or the
 *              dilation. `same` is for orr_conv.
 * @return   (N, C, …), along each axis (length − 1)·stride − before − after + dilation·(kernel − 1) + output_padding + 1;
 *           owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   as orr_conv.
 * grad:     dy = conv(g, w), dw = conv_weights(g, y), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_conv_transpose_at(const char *file, int line, orr_tensor *y, orr_tensor *w, orr_tensor *bias,
                                          const orr_conv_options *o);
#define orr_conv_transpose(...) orr_conv_transpose_at(ORR_HERE, __VA_ARGS__)

/** The correlation of an input and a result of orr_conv, the derivative by its kernel: w[o, c, k] = Σ over n and i of
 * x[n, g·C/G + c, i·stride − before + k·dilation] · y[n, o, i].
 * @param x       (N, C, …), as of orr_conv    @param y  (N, O, …), as its result
 * @param kernel  the lengths of the kernel's spatial axes
 * @param o       the options of that convolution; NULL: the defaults
 * @return   (O, C/G, …kernel), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   as orr_conv.
 * grad:     dx = conv_transpose(y, g), dy = conv(x, g).      cost: 2·|y|·C/G·|kernel| flop.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_conv_weights_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_shape kernel,
                                        const orr_conv_options *o);
#define orr_conv_weights(...) orr_conv_weights_at(ORR_HERE, __VA_ARGS__)

/* -- pooling --------------------------------------------------------------------------------------------- */

/** The options of pooling: one number per spatial axis, in the order of the axes. Zeros are the defaults. */
typedef struct orr_pool_options {
    int64_t window[3];    /**< elements of a window                                                                */
    int64_t stride[3];    /**< from one window to the next; 0: the window                                          */
    int64_t dilation[3];  /**< from one element of a window to the next, in the input; 0: 1                        */
    int64_t padding[3];   /**< before and after the input; at most half of a window                                */
    bool round_up;        /**< a last window may exceed the padded input, if it begins before its end              */
    bool exclude_padding; /**< an average has elements of the input only                                           */
    int64_t size[3]; /**< adaptive, instead of all above: the lengths of the result, 1 for global pooling. Window i of
                               an axis has the elements from i·length/size, rounded down, to (i + 1)·length/size, rounded up */
} orr_pool_options;

/** The maximum of each window. A NaN is the maximum; padding never is.
 * @param x  (N, C, L), (N, C, H, W) or (N, C, D, H, W)
 * @param o  options: the window, or the size
 * @return   (N, C, …), along each axis (length + 2·padding − dilation·(window − 1) − 1)/stride + 1, or the size; owned by the
 *           current scope; poison on ORR_ESHAPE (a window beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   f16 bf16 f32 f64.      grad: g to the first maximum of each window.      cost: 1 per element of a window.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_max_pool_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o);
#define orr_max_pool(...) orr_max_pool_at(ORR_HERE, __VA_ARGS__)
/** The places of the maxima of orr_max_pool: i64, numbers of elements in the spatial axes of x, in row-major order; of
 * equal maxima the first. No gradient. */
ORR_API orr_tensor *orr_max_pool_indices_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o);
#define orr_max_pool_indices(...) orr_max_pool_indices_at(ORR_HERE, __VA_ARGS__)
/** Zeros of shape (N, C, …size) with y's elements at `indices`, as orr_max_pool_indices numbers them. Elements with the same
 * index are added.
 * @param y, indices  of one shape    @param size  lengths of the spatial axes
 * @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. An index out of range is found by evaluation
 *           (ORR_EINDEX).
 * dtypes:   y floats, indices integers.      grad: g at the indices.      cost: 1 per element. */
ORR_API orr_tensor *orr_max_unpool_at(const char *file, int line, orr_tensor *y, orr_tensor *indices, orr_shape size);
#define orr_max_unpool(...) orr_max_unpool_at(ORR_HERE, __VA_ARGS__)
/** The mean of each window. Padding counts as zeros, unless exclude_padding; elements beyond the padding (round_up) do
 * not count. Parameters, result and dtypes as orr_max_pool.
 * grad:     g, divided by the same counts, to all elements of each window.      cost: 2 per element of a window. */
ORR_API orr_tensor *orr_average_pool_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o);
#define orr_average_pool(...) orr_average_pool_at(ORR_HERE, __VA_ARGS__)
/** (Σ x^p)^(1/p) over each window, NaN for a negative sum; padding and elements beyond it count as zeros. p > 0. Parameters, result and
 * dtypes as orr_max_pool; no adaptive size. grad: by the formula; at a window of zeros with p > 1 it is NaN. */
ORR_API orr_tensor *orr_lp_pool_at(const char *file, int line, orr_tensor *x, double p, const orr_pool_options *o);
#define orr_lp_pool(...) orr_lp_pool_at(ORR_HERE, __VA_ARGS__)

/* -- resizing -------------------------------------------------------------------------------------------- */

/** The interpolation of an element. When an axis of length n is resized to m, element i of the result is at place
 * s = (i + 1/2)·n/m − 1/2 of the input, or, with corners aligned, at s = i·(n − 1)/(m − 1). */
typedef enum orr_resize_mode {
    ORR_RESIZE_NEAREST = 0,   /**< the element number i·n/m, rounded down                            */
    ORR_RESIZE_LINEAR,        /**< linear between the two neighbours of s: bilinear, trilinear        */
    ORR_RESIZE_CUBIC,         /**< cubic convolution over four neighbours, with a = −3/4 (Keys 1981)  */
    ORR_RESIZE_AREA,          /**< the mean of elements i·n/m (down) to (i + 1)·n/m (up)              */
    ORR_RESIZE_NEAREST_CENTRE /**< the element nearest to s                                           */
} orr_resize_mode;

/** x with other lengths of its spatial axes, one axis after the other. Neighbours beyond the border are the elements at the
 * border.
 * @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
 * @param size  the lengths of the spatial axes, ≥ 1
 * @param align_corners  for ORR_RESIZE_LINEAR and ORR_RESIZE_CUBIC: the first and last elements stay where they are
 * @return   (N, C, …size), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   f16 bf16 f32 f64; f16 and bf16 are computed in f32 and rounded once.
 * grad:     the transposed sums.      cost: 2 per neighbour and element, for each axis.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_resize_at(const char *file, int line, orr_tensor *x, orr_shape size, orr_resize_mode mode,
                                  bool align_corners);
#define orr_resize(...) orr_resize_at(ORR_HERE, __VA_ARGS__)

/* -- layers ---------------------------------------------------------------------------------------------- */

/** y = f(conv(x, w, b)): orr_conv_layer(3, 64, ORR_SHAPE(7, 7), &(orr_conv_options){ .stride = { 2, 2 } }, f, init).
 * @param in, out  channels, ≥ 1; the groups divide them
 * @param kernel   the lengths of the kernel's one, two or three spatial axes
 * @param o        options, copied; NULL: the defaults
 * @param weight   rule for w, whose fan_in is |kernel|·in/groups and fan_out |kernel|·out (transposed:
 *                 of out/groups and in); the default rule is PyTorch's
 * @param bias     rule for b; ORR_INITIALISER_NONE: no bias
 * @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
 * dtypes:   f32.      parameters: "weight" (out, in/groups, …), "bias" (out). */
ORR_API orr_module *orr_conv_layer_at(const char *file, int line, int64_t in, int64_t out, orr_shape kernel,
                                      const orr_conv_options *o, orr_activation f, orr_initialiser weight,
                                      orr_initialiser bias);
#define orr_conv_layer(...) orr_conv_layer_at(ORR_HERE, __VA_ARGS__)
/** As orr_conv_layer with a transposed convolution. parameters: "weight" (in, out/groups, …), "bias" (out). */
ORR_API orr_module *orr_conv_transpose_layer_at(const char *file, int line, int64_t in, int64_t out, orr_shape kernel,
                                                const orr_conv_options *o, orr_activation f, orr_initialiser weight,
                                                orr_initialiser bias);
#define orr_conv_transpose_layer(...) orr_conv_transpose_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_max_pool as a module without parameters. The options are copied. */
ORR_API orr_module *orr_max_pool_layer_at(const char *file, int line, const orr_pool_options *o);
#define orr_max_pool_layer(...) orr_max_pool_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_average_pool as a module without parameters. The options are copied. */
ORR_API orr_module *orr_average_pool_layer_at(const char *file, int line, const orr_pool_options *o);
#define orr_average_pool_layer(...) orr_average_pool_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_lp_pool as a module without parameters. The options are copied. p > 0. */
ORR_API orr_module *orr_lp_pool_layer_at(const char *file, int line, double p, const orr_pool_options *o);
#define orr_lp_pool_layer(...) orr_lp_pool_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_max_unpool to the lengths `size` as a module without parameters. inputs: y, indices. */
ORR_API orr_module *orr_max_unpool_layer_at(const char *file, int line, orr_shape size);
#define orr_max_unpool_layer(...) orr_max_unpool_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_resize to the lengths `size` as a module without parameters. */
ORR_API orr_module *orr_resize_layer_at(const char *file, int line, orr_shape size, orr_resize_mode mode,
                                        bool align_corners);
#define orr_resize_layer(...) orr_resize_layer_at(ORR_HERE, __VA_ARGS__)
/** (N, …) to (N, the product of the others), as a module without parameters. */
ORR_API orr_module *orr_flatten_layer_at(const char *file, int line);
#define orr_flatten_layer() orr_flatten_layer_at(ORR_HERE)

#ifdef __cplusplus
}
#endif
#endif
