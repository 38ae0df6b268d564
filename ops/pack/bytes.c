/* Bytes for the caller, wiped when freed.
 * Must not know: their content. */
#include "config.h"
#include <stdlib.h>
#include "ops/pack/bytes.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

orr_status orr__bytes_new(orr__site at, orr_bytes *b, size_t size)
{
    b->data = orr__alloc(size ? size : 1);
    b->size = b->data ? size : 0;
    return b->data ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
}

void orr_bytes_free(orr_bytes *b)
{
    if (!b)
        return;
    if (b->data)
        orr__wipe(b->data, b->size);
    free(b->data);
    b->data = NULL;
    b->size = 0;
}
