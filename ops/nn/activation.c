/* Activations by name.
 * Must not know: modules. */
#include "config.h"
#include <orrery/elementwise.h>
#include <orrery/nn.h>
#include <orrery/ops.h>
#include "runtime/graph/node.h"

orr_tensor *orr_activate_at(const char *file, int line, orr_tensor *x, orr_activation f)
{
    switch (f) {
    case ORR_LINEAR: return orr_positive_at(file, line, x);
    case ORR_RELU: return orr_relu_at(file, line, x);
    case ORR_LEAKY_RELU: return orr_leaky_relu_at(file, line, x, orr_scalar_at(file, line, 0.01));
    case ORR_ELU: return orr_elu_at(file, line, x, orr_scalar_at(file, line, 1.0));
    case ORR_GELU: return orr_gelu_erf_at(file, line, x);
    case ORR_GELU_TANH: return orr_gelu_tanh_at(file, line, x);
    case ORR_SILU: return orr_silu_at(file, line, x);
    case ORR_SIGMOID: return orr_sigmoid_at(file, line, x);
    case ORR_TANH: return orr_tanh_at(file, line, x);
    case ORR_SOFTPLUS: return orr_softplus_at(file, line, x);
    case ORR_MISH: return orr_mish_at(file, line, x);
    case ORR_HARDSWISH: return orr_hardswish_at(file, line, x);
    case ORR_SOFTMAX: return orr_softmax_at(file, line, x, -1);
    case ORR_LOG_SOFTMAX: return orr_log_softmax_at(file, line, x, -1);
    }
    return orr__poison(ORR__SITE(file, line, "activate"), ORR_EINVAL, "no activation has number %d", (int)f);
}
