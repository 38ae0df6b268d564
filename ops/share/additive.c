/* Additive sharing: n − 1 uniform tensors, and the secret minus their sum.
 * Must not know: other schemes. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "ops/pack/parallel.h"
#include "ops/record.h"
#include "ops/share/p61.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

typedef struct {
    orr__site at;
    orr_modulus m;
    size_t width; /* bytes of an element */
    int64_t n;    /* elements of one row */
    int64_t rows;
    const char *from;
    char *to;
    const void **row;
} job;

static int64_t extent(const job *j, int64_t block)
{
    int64_t left = j->n - block * ORR__SHARE_BLOCK;
    return left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK;
}

/* Replaces sum by secret − sum. */
static void subtract_from(orr_modulus m, const void *secret, void *sum, int64_t n)
{
    if (m == ORR_MOD_2_32)
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)sum)[i] = ((const uint32_t *)secret)[i] - ((uint32_t *)sum)[i];
    else if (m == ORR_MOD_2_64)
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)sum)[i] = ((const uint64_t *)secret)[i] - ((uint64_t *)sum)[i];
    else
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)sum)[i] = orr__p61_sub(((const uint64_t *)secret)[i], ((uint64_t *)sum)[i]);
}

static orr_status split_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK, n = extent(j, block);
    orr_status st = ORR_OK;
    for (int64_t r = 0; st == ORR_OK && r < j->rows - 1; r++)
        st = orr__ring_random(j->at, j->m, j->to + (size_t)(r * j->n + first) * j->width, n);
    if (st != ORR_OK)
        return st;
    char *last = j->to + (size_t)((j->rows - 1) * j->n + first) * j->width;
    orr__ring_sum(j->m, last, j->row, j->rows - 1, first, n, false);
    subtract_from(j->m, j->from + (size_t)first * j->width, last, n);
    return ORR_OK;
}

static orr_status join_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK;
    orr__ring_sum(j->m, j->to + (size_t)first * j->width, j->row, j->rows, first, extent(j, block), false);
    return ORR_OK;
}

static orr_status run(job *j, const void *rows, orr__block_fn *fn)
{
    j->row = orr__alloc_n((size_t)j->rows, sizeof *j->row);
    for (int64_t r = 0; j->row && r < j->rows; r++)
        j->row[r] = (const char *)rows + (size_t)(r * j->n) * j->width;
    orr_status st = j->row ? orr__parallel(j->at, (j->n + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK, fn, j)
                           : orr__fail_place(j->at, ORR_ENOMEM);
    free(j->row);
    return st;
}

orr_tensor *orr_additive_split_at(const char *file, int line, orr_tensor *secret, int n, orr_modulus modulus)
{
    orr__site at = ORR__SITE(file, line, "additive_split");
    orr__operand_data o;
    orr_shape shape;
    if (n < 2)
        return orr__poison(at, ORR_EINVAL, "a secret has 2 additive shares or more, not %d", n);
    if (orr__need_sodium(at) != ORR_OK)
        return orr__handle_new(NULL);
    if (!orr__operand_ring(at, secret, "the secret", modulus, &o))
        return o.bad;
    bool fits = orr__shape_of_shares(at, &o.shape, n, &shape);
    job j = { .at = at, .m = modulus, .width = orr_dtype_size(o.dtype), .n = o.n, .rows = n, .from = o.data };
    j.to = fits ? orr__result_new(at, o.dtype, n * o.n) : NULL;
    orr_status st = j.to ? run(&j, j.to, split_block) : orr_error_status();
    orr__operand_close(&o);
    return orr__result(at, st, o.dtype, shape, j.to);
}

orr_tensor *orr_additive_join_at(const char *file, int line, orr_tensor *shares, orr_modulus modulus)
{
    orr__site at = ORR__SITE(file, line, "additive_join");
    orr__operand_data o;
    if (!orr__operand_ring(at, shares, "the shares", modulus, &o))
        return o.bad;
    if (o.shape.rank < 1 || o.shape.dim[0] < 1) {
        orr__operand_close(&o);
        return orr__poison(at, ORR_ESHAPE, "there is no share: axis 0 counts them");
    }
    orr_shape shape = { .rank = o.shape.rank - 1 };
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = o.shape.dim[i + 1];
    int64_t rows = o.shape.dim[0];
    job j = { .at = at, .m = modulus, .width = orr_dtype_size(o.dtype), .n = o.n / rows, .rows = rows };
    j.to = orr__result_new(at, o.dtype, j.n);
    orr_status st = j.to ? run(&j, o.data, join_block) : ORR_ENOMEM;
    orr__operand_close(&o);
    return orr__result(at, st, o.dtype, shape, j.to);
}
