/* One sequence of connectionist temporal classification, on the processor, in f64.
 * Must not know: graphs, tiles. */
#ifndef ORR_OPS_NN_CTC_H
#define ORR_OPS_NN_CTC_H

#include "runtime/base/status.h"
#include <orrery/dtype.h>

/* Operands as they lie: logarithms (time, batch, classes) of f32 or f64, targets (batch, longest) and lengths of i64. */
typedef struct orr__ctc {
    orr__site at;
    orr_dtype dtype;
    int64_t time, batch, classes, longest, blank;
    const void *logp;
    const int64_t *target, *input_length, *target_length;
} orr__ctc;

/* The loss of sequence n into loss[n], or its gradient (time, classes) into gradient[n]; the other one is NULL.
 * errors: ORR_EINDEX, ORR_ENOMEM. */
orr_status orr__ctc_sequence(const orr__ctc *c, int64_t n, void *loss, void *gradient);

#endif
