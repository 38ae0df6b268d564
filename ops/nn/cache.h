/* The cache of keys and values as attention layers see it.
 * Must not know: layers. */
#ifndef ORR_OPS_NN_CACHE_H
#define ORR_OPS_NN_CACHE_H

#include <orrery/layer.h>
#include "runtime/base/status.h"

/* The number of earlier places; −1: no cached application is under way on this thread. */
int64_t orr__cache_place(void);
/* Appends *k and *v (batch, heads, n, width) of the layer m to the current cache, and replaces them by the keys and values
 * of all places. The mask (n, capacity) is true where one of the n queries sees a key. */
orr_status orr__cache_extend(orr__site at, const orr_module *m, int64_t window, orr_tensor **k, orr_tensor **v,
                             orr_tensor **mask);

#endif
