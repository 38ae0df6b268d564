/* Convolution over one, two or three spatial axes.
 * Must not know: how an operation computes. */
#ifndef ORRERY_CONV_H
#define ORRERY_CONV_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The options of a convolution: one number per spatial axis, in the order of the axes. Zeros are the defaults. */
typedef struct orr_conv_options {
    int64_t stride[3];         /**< from one place of the kernel to the next; 0: 1                                 */
    int64_t dilation[3];       /**< from one element of the kernel to the next, in the input; 0: 1                 */
    int64_t padding[3];        /**< zeros in front of and behind the input                                         */
    int64_t before[3];         /**< more zeros in front                                                            */
    int64_t after[3];          /**< more zeros behind                                                              */
    bool same;                 /**< as much padding as keeps the length, the odd zero behind; the stride must be 1 */
    int64_t groups;            /**< parts of the channels that do not see each other; 0: 1                         */
    int64_t output_padding[3]; /**< of a transposed convolution: elements that the result is longer                */
} orr_conv_options;

/** y[n, o, i] = bias[o] + Σ over c and k of x[n, g·C/G + c, i·stride − before + k·dilation] · w[o, c, k], with zeros
 * outside of x, and g the group of channel o. The kernel is not turned round (cross-correlation, as in PyTorch). A depthwise
 * convolution has as many groups as channels. Data in the order N, spatial axes, C is permuted to this order by a view.
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

#ifdef __cplusplus
}
#endif
#endif
