/* Loops of a work item over the elements of a span.
 * Must not know: devices, the languages' words. */
#ifndef ORR_EMIT_SPAN_H
#define ORR_EMIT_SPAN_H

#include "codelets/emit/emit.h"

/* The kernel has declared head, the number of the span's first element; gap, the distance to the next; whole: the span is contiguous and
 * aligned, and all of its elements exist. */
typedef struct orr__item_span {
    orr__text *t;
    const orr__region *r;
    const orr__layout *l;
    const char *index;                     /* the variable that numbers elements       */
    uint32_t axes;                         /* whose places follow from it; 0: it is a place itself */
    const char *end;                       /* elements from this number on do not exist */
    const char *base;                      /* of outputs: the elements before number 0, as "text + " */
    bool (*reads)(const void *arg, int n); /* does the loop read instruction n? NULL: each one */
    const void *arg;
} orr__item_span;

/* Decides l->span and l->span_axis, from moves, dtypes and instructions only. */
void orr__emit_span_layout(const orr__region *r, const orr__dialect *d, orr__layout *l);
/* May this launch, whose other words are known, move whole spans? */
bool orr__emit_span_whole(const orr__launch *l, const orr__layout *lay, const int64_t *word);
void orr__emit_span_types(orr__text *t, const orr__region *r, const orr__layout *l);
/* Declares and loads ld<n> for each LOAD that the loop reads. */
void orr__emit_span_loads(const orr__item_span *s);
/* Begins the loop over u, the elements: declares `at`, the index, the axes; and before it, if `stores`, st<k> for each output. The caller
 * closes the loop. */
void orr__emit_span_values(const orr__item_span *s, bool stores);
/* Output k of the element is this register. */
void orr__emit_span_keep(const orr__item_span *s, int k, int reg, bool fp64);
void orr__emit_span_stores(const orr__item_span *s);

#endif
