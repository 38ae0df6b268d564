/* Activations by name, and those with a number as parameter.
 * Must not know: modules. */
#include "config.h"
#include <orrery/elementwise.h>
#include <orrery/nn.h>
#include <orrery/ops.h>
#include "runtime/base/fpmode.h"
#include "runtime/graph/node.h"

orr_tensor *orr_elu_at(const char *file, int line, orr_tensor *x, double alpha)
{
    ORR__IN_DEFAULT_FPMODE;
    return orr_elu_with_at(file, line, x, orr_scalar_at(file, line, alpha));
}

orr_tensor *orr_leaky_relu_at(const char *file, int line, orr_tensor *x, double slope)
{
    ORR__IN_DEFAULT_FPMODE;
    return orr_prelu_at(file, line, x, orr_scalar_at(file, line, slope));
}

orr_tensor *orr_activate_at(const char *file, int line, orr_tensor *x, orr_activation f)
{
    switch (f) {
    case ORR_ACTIVATION_LINEAR: return orr_positive_at(file, line, x);
    case ORR_ACTIVATION_RELU: return orr_relu_at(file, line, x);
    case ORR_ACTIVATION_LEAKY_RELU: return orr_leaky_relu_at(file, line, x, 0.01);
    case ORR_ACTIVATION_ELU: return orr_elu_at(file, line, x, 1.0);
    case ORR_ACTIVATION_GELU: return orr_gelu_at(file, line, x);
    case ORR_ACTIVATION_GELU_TANH: return orr_gelu_tanh_at(file, line, x);
    case ORR_ACTIVATION_SILU: return orr_silu_at(file, line, x);
    case ORR_ACTIVATION_SIGMOID: return orr_sigmoid_at(file, line, x);
    case ORR_ACTIVATION_TANH: return orr_tanh_at(file, line, x);
    case ORR_ACTIVATION_SOFTPLUS: return orr_softplus_at(file, line, x);
    case ORR_ACTIVATION_MISH: return orr_mish_at(file, line, x);
    case ORR_ACTIVATION_HARDSWISH: return orr_hardswish_at(file, line, x);
    case ORR_ACTIVATION_SOFTMAX: return orr_softmax_at(file, line, x, -1);
    case ORR_ACTIVATION_LOG_SOFTMAX: return orr_log_softmax_at(file, line, x, -1);
    }
    return orr__poison(ORR__SITE(file, line, "activate"), ORR_EINVAL, "no activation has number %d", (int)f);
}
