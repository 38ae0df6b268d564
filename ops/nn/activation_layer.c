/* The layer that is an activation alone.
 * Must not know: other layers. */
#include "config.h"

#include "ops/nn/module.h"

static orr_tensor *activation_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    return orr_activate_at(file, line, x, m->activation);
}

orr_module *orr_activation_layer_at(const char *file, int line, orr_activation f)
{
    if ((int)f < ORR_ACTIVATION_LINEAR || f > ORR_ACTIVATION_LOG_SOFTMAX) {
        (void)orr__fail(ORR__SITE(file, line, "activation_layer"), ORR_EINVAL, "no activation has number %d", (int)f);
        return NULL;
    }
    orr_module *m = orr__module_of("activation", activation_forward, NULL, 1, 1);
    if (m) {
        m->activation = f;
        m->apart = true;
    }
    return m;
}
