/* A product of two tiles by BLAS.
 * Must not know: StarPU, plans, where the tiles come from. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/product.h"
#include "codelets/tile_product.h"

orr_status orr__tile_product(const orr__tileproduct *p, orr_dtype t, const orr__tileat *at)
{
    orr__mat a = { .p = at[1].p, .rows = p->m, .cols = p->k }, b = { .p = at[2].p, .rows = p->k, .cols = p->n };
    size_t z = orr_dtype_size(t);

    if (p->k == 0) {
        for (int64_t i = 0; i < p->m && !p->add; i++)
            memset((char *)at[0].p + (size_t)(i * at[0].ld) * z, 0, (size_t)p->n * z);
        return ORR_OK;
    }
    bool plain = orr__gemm_unpacked(t, &a, &b, p->tb);
    int place = plain ? 1 : orr__cpu_blas_enter();
    if (!place)
        return orr__fail(ORR__SITE(NULL, 0, "matmul"), ORR_ENOMEM, "no memory for the buffers of BLAS");
    orr__gemm(t, &a, p->ta, at[1].ld, &b, p->tb, at[2].ld, p->add, at[0].p, at[0].ld);
    if (!plain)
        orr__cpu_blas_leave(place, true);
    return ORR_OK;
}
