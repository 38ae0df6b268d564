/* Parts of checkpoints whose objects make their own bytes.
 * Must not know: the objects. */
#ifndef ORR_OPS_NN_CHECKPOINT_H
#define ORR_OPS_NN_CHECKPOINT_H

#include <orrery/checkpoint.h>
#include "runtime/base/object.h"
#include "runtime/base/status.h"

/* `prepare` reads the bytes of a file and checks them without a change of the object's state; `load` takes them over when all parts are
 * checked. */
typedef struct orr__checkpoint_state {
    const orr__object_kind *kind;
    void *(*save)(orr__site at, void *object, size_t *bytes); /* to free; NULL: last error set */
    orr_status (*prepare)(orr__site at, void *object, const char *where, const void *data, size_t bytes);
    void (*load)(void *object);
} orr__checkpoint_state;

/* Adds an object (borrowed) under a name of its own. Errors: as orr_checkpoint_add_variable, ORR_EHANDLE. */
orr_status orr__checkpoint_add_state(orr__site at, orr_checkpoint *c, const char *name,
                                     const orr__checkpoint_state *how, void *object);

#endif
