/* Connectionist temporal classification: one sequence on the processor, in f64, and the recording of the operations.
 * Must not know: tiles. */
#ifndef ORR_OPS_NN_CTC_H
#define ORR_OPS_NN_CTC_H

#include "runtime/base/status.h"
#include "runtime/graph/node.h"

/* Operands in memory: logarithms (time, batch, classes) of f32 or f64, targets (batch, longest) and lengths of i64. */
typedef struct orr__ctc {
    orr__site at;
    orr_dtype dtype;
    int64_t time, batch, classes, longest, blank;
    const void *logp;
    const int64_t *target, *input_length, *target_length;
} orr__ctc;

/* Writes the loss of sequence n to loss[n], or its gradient (time, classes) to gradient[n]; the other pointer is NULL.
 * errors: ORR_EINDEX, ORR_ENOMEM. */
orr_status orr__ctc_sequence(const orr__ctc *c, int64_t n, void *loss, void *gradient);

enum { ORR__CTC_OPERANDS = 4 };
orr__node *orr__ctc_record(orr__site at, const orr__op *op, const orr_shape *shape, orr__node *const *in,
                           int32_t blank);

#endif
