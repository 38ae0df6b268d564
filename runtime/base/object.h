/* Objects that users hold by address: modules, optimisers, loaders and others. An address is checked before it is followed, so that the
 * use of a freed object is an error and not a crash.
 * Must not know: the content of an object. */
#ifndef ORR_BASE_OBJECT_H
#define ORR_BASE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

/* A kind of objects: the noun of its messages, and the bytes of an object. Each object belongs to one kind for ever. */
typedef struct orr__object_kind {
    const char *noun;
    size_t bytes;
} orr__object_kind;

/* A new object of zeros; NULL: no memory, last error set. Thread-safe, as all functions here. */
void *orr__object_new(const orr__object_kind *kind);
/* Ends a live object. Its memory is cleared and serves another object of its kind after ORR__OBJECTS_RESTING others have ended. */
void orr__object_end(const orr__object_kind *kind, void *object);
enum { ORR__OBJECTS_RESTING = 4096 }; /* limit of memory */
/* True if `object` is a live object of the kind. The address may be any. */
bool orr__object_is(const orr__object_kind *kind, const void *object);
/* ORR_OK; else the last error and its status: ORR_EINVAL (NULL), ORR_EHANDLE (freed, or never one of the kind). */
orr_status orr__object_check(orr__site at, const orr__object_kind *kind, const void *object);
/* For a function of one that frees, or that has a value for NULL: true if there is such an object. Sets no error for NULL. */
bool orr__object_there(const char *op, const orr__object_kind *kind, const void *object);

#endif
