/* Noise without a tensor, for compositions that add it.
 * Must not know: accounting. */
#ifndef ORR_OPS_PRIVACY_NOISE_H
#define ORR_OPS_PRIVACY_NOISE_H

#include <orrery/privacy.h>
#include "runtime/base/status.h"

orr_status orr__noise_key(orr__site at, uint64_t *key);
/* N(0, deviation²) in floats, lazily, and the discrete Gaussian in i64, drawn at once. Owned by the current scope;
 * poison on error. */
orr_tensor *orr__noise_normal(orr__site at, orr_dtype dtype, orr_shape shape, double deviation);
orr_tensor *orr__noise_gaussian_i64(orr__site at, orr_shape shape, double deviation);

#endif
