/* Operations of a Cholesky factorisation on a device's worker; if the device fails, on the host with copies of the tiles.
 * Must not know: the order of the operations, what the device's calls are. */
#include "config.h"
#include <stdlib.h>
#include "codelets/cholesky.h"
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"

#ifdef ORR__STAR_CUDA

static atomic_bool warned;

static size_t tile_bytes(void *buffer)
{
    size_t rows = STARPU_MATRIX_GET_NY(buffer), cols = STARPU_MATRIX_GET_NX(buffer);
    return ((rows - 1) * STARPU_MATRIX_GET_LD(buffer) + cols) * STARPU_MATRIX_GET_ELEMSIZE(buffer);
}

/* Copies in, computes, copies out: slow but correct. */
static orr_status on_host(const orr__tilejob *j, int tiles, void *buffers[])
{
    orr__launch l = { .region = j->region, .queue = j->queue };
    orr__tileat at[3] = { { NULL, 0 } };
    int64_t minor = 0;
    orr_status st = ORR_OK;

    for (int k = 0; k < tiles && st == ORR_OK; k++) {
        at[k] = (orr__tileat){ orr__alloc(tile_bytes(buffers[k])), j->at[k].ld };
        st = at[k].p ? orr__exec_cuda->read(&l, j->at[k].p, 0, at[k].p, tile_bytes(buffers[k])) : ORR_ENOMEM;
    }
    if (st == ORR_OK)
        st = orr__cholesky_tile(&j->op, j->dtype, j->n, at, &minor);
    if (st == ORR_OK && minor)
        st = orr__cholesky_fail(j->region, j->matrix, minor);
    if (st == ORR_OK)
        st = orr__exec_cuda->write(&l, j->at[0].p, 0, at[0].p, tile_bytes(buffers[0]));
    for (int k = 0; k < tiles; k++)
        free(at[k].p);
    return st;
}

orr_status orr__star_tile(orr__tilejob *j, void *buffers[])
{
    int tile[2][2], tiles = 1 + orr__cholesky_reads(&j->op, tile);

    for (int k = 0; k < tiles; k++)
        j->at[k] =
            (orr__tileat){ (void *)STARPU_MATRIX_GET_PTR(buffers[k]), (int64_t)STARPU_MATRIX_GET_LD(buffers[k]) };
    orr_status st = orr__exec_cuda->tile(j);
    if ((st == ORR_EDEVICE || st == ORR_ENOMEM) && orr__env.fallback && !j->begun) {
        orr__log(atomic_exchange(&warned, true) ? 3 : 1, "cholesky: a tile is done again on the host: %s",
                 orr_error_message());
        atomic_fetch_add_explicit(&orr__device_did.redone, 1, memory_order_relaxed);
        st = on_host(j, tiles, buffers);
    }
    return st;
}

#endif
