/* Linear biases of attention from a given position on.
 * Must not know: layers. */
#ifndef ORR_OPS_NN_POSITION_H
#define ORR_OPS_NN_POSITION_H

#include "runtime/base/status.h"

/* orr_alibi with the first query at position `first` of the keys. */
orr_tensor *orr__alibi(orr__site at, orr_dtype dtype, int64_t heads, int64_t first, int64_t queries, int64_t keys);

#endif
