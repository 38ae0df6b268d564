/* Collects the content of a value that lies over ranks on rank 0, piece by piece.
 * Must not know: files, tensors, how messages travel. */
#ifndef ORR_DISTRIBUTE_COLLECT_H
#define ORR_DISTRIBUTE_COLLECT_H

#include "runtime/base/threshold.h"
#include "runtime/graph/distribution.h"

/* A piece of a value's bytes: whole elements, the next ones in row-major order. */
typedef orr_status orr__take_piece(void *to, const void *data, size_t bytes);

/* Collective. The value has shape `global`, elements of `size` bytes and the distribution d; this rank has `local`. Rank 0 alone passes
 * pieces to `take`, of at most ORR__PIECE bytes or one element. A rank holds only a few pieces in addition to its elements. After an
 * error of `take`, which is the status on rank 0, the remaining pieces are exchanged but not passed to `take`. */
enum { ORR__PIECE = 4 * ORR__T_CORE_CACHES };
orr_status orr__collect(orr__site at, const orr__distribution *d, const orr_shape *global, size_t size,
                        const void *local, orr__take_piece *take, void *to);

#endif
