/* Values for files: the bytes of a value in order, whatever its distribution.
 * Must not know: formats. */
#ifndef ORR_API_STORED_H
#define ORR_API_STORED_H

#include "runtime/api/eval.h"
#include "runtime/api/file_sink.h"
#include "runtime/distribute/collect.h"

/* An evaluated value: dtype and shape of the whole, this rank's part of it, and the number of its distribution. */
typedef struct orr__stored {
    orr__content what;
    orr__buffer *part; /* a reference, valid on the host */
    int placed;
} orr__stored;

orr_status orr__stored_of(orr__site at, orr_tensor *t, orr__stored *v);
void orr__stored_free(orr__stored *v);          /* a zero or freed struct is fine */
size_t orr__stored_bytes(const orr__stored *v); /* of the whole */
/* Passes the bytes of the whole to `take`, in pieces of whole elements. Collective for a value that lies over ranks; then only rank 0
 * receives them. */
orr_status orr__stored_each(orr__site at, const orr__stored *v, orr__take_piece *take, void *to);
/* The bytes of the whole in memory: a reference, valid on the host. Collective for a value that lies over ranks; then only rank 0 has
 * them, and *whole is NULL on the others. */
orr_status orr__stored_whole(orr__site at, const orr__stored *v, orr__buffer **whole);
/* The same into a sink, which all ranks have opened if the value lies over ranks. */
orr_status orr__stored_write(orr__sink *s, const orr__stored *v);

#endif
