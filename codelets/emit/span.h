/* The elements that a work item computes together.
 * Must not know: devices, the languages' words. */
#ifndef ORR_EMIT_SPAN_H
#define ORR_EMIT_SPAN_H

#include "codelets/emit/emit.h"

/* Decides l->span and l->span_axis, from moves, dtypes and instructions only. */
void orr__emit_span_layout(const orr__region *r, const orr__dialect *d, orr__layout *l);
/* May this launch, whose other words are known, move whole spans? */
bool orr__emit_span_whole(const orr__launch *l, const orr__layout *lay, const int64_t *word);
void orr__emit_span_types(orr__text *t, const orr__region *r, const orr__layout *l);
/* The move of access a along the span's axis; is a span of the access contiguous where the arguments allow it? */
int orr__emit_span_move(const orr__layout *l, int a);
bool orr__emit_span_runs(const orr__region *r, const orr__layout *l, int a);

#endif
