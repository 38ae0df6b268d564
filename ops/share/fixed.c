/* Fixed point: tensors of numbers as integers modulo M, and back.
 * Must not know: the use of the integers. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <orrery/ops.h>
#include "ops/pack/parallel.h"
#include "ops/record.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"

typedef struct {
    orr__site at;
    orr_fixed f;
    int64_t most, n;
    orr_dtype dtype; /* of the numbers */
    const char *from;
    char *to;
} job;

double orr_fixed_limit(orr_fixed f)
{
    ORR__IN_DEFAULT_FPMODE;
    int64_t most = orr__fixed_most(ORR__SITE(NULL, 0, "fixed_limit"), f);
    return most < 0 ? -1.0 : ldexp((double)most, -f.fraction);
}

static int64_t extent(const job *j, int64_t block)
{
    int64_t left = j->n - block * ORR__SHARE_BLOCK;
    return left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK;
}

static orr_status encode_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK;
    int64_t bad = orr__fixed_encode(j->f.modulus, j->f.fraction, j->most, j->dtype,
                                    j->from + (size_t)first * orr_dtype_size(j->dtype), extent(j, block),
                                    j->to + (size_t)first * orr_dtype_size(orr__modulus_dtype(j->f.modulus)));
    if (bad < 0)
        return ORR_OK;
    return orr__fail(j->at, ORR_EINDEX, "element %lld is no number of magnitude at most %.17g",
                     (long long)(first + bad), ldexp((double)j->most, -j->f.fraction));
}

static orr_status decode_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK, n = extent(j, block);
    const char *from = j->from + (size_t)first * orr_dtype_size(orr__modulus_dtype(j->f.modulus));
    if (j->dtype == ORR_I64)
        orr__fixed_signed(j->f.modulus, from, n, (int64_t *)(void *)j->to + first);
    else
        orr__fixed_decode(j->f.modulus, j->f.fraction, from, n, (double *)(void *)j->to + first);
    return ORR_OK;
}

orr_tensor *orr_fixed_encode_at(const char *file, int line, orr_tensor *x, orr_fixed format)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "fixed_encode");
    orr__operand_data o;
    int64_t most = orr__fixed_most(at, format);
    if (most < 0)
        return orr__handle_new(NULL);
    if (!orr__operand_number(at, x, "x", &o))
        return o.bad;
    orr_dtype dtype = orr__modulus_dtype(format.modulus);
    job j = { .at = at, .f = format, .most = most, .n = o.n, .dtype = o.dtype, .from = o.data };
    j.to = orr__result_new(at, dtype, o.n);
    int64_t blocks = (o.n + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK;
    orr_status st = j.to ? orr__parallel(at, blocks, encode_block, &j) : ORR_ENOMEM;
    orr__operand_close(&o);
    return orr__result(at, st, dtype, o.shape, j.to);
}

orr_tensor *orr_fixed_decode_at(const char *file, int line, orr_tensor *t, orr_fixed format, orr_dtype dtype)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "fixed_decode");
    orr__operand_data o;
    if (orr__fixed_most(at, format) < 0)
        return orr__handle_new(NULL);
    if (dtype != ORR_I64 && (dtype < ORR_F16 || dtype > ORR_F64))
        return orr__poison(at, ORR_EDTYPE, "the result is of a float dtype or int64, not %s", orr_dtype_name(dtype));
    if (!orr__operand_ring(at, t, "t", format.modulus, &o))
        return o.bad;
    orr_dtype made = dtype == ORR_I64 ? ORR_I64 : ORR_F64;
    job j = { .at = at, .f = format, .n = o.n, .dtype = made, .from = o.data };
    j.to = orr__result_new(at, made, o.n);
    int64_t blocks = (o.n + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK;
    orr_status st = j.to ? orr__parallel(at, blocks, decode_block, &j) : ORR_ENOMEM;
    orr__operand_close(&o);
    orr_tensor *r = orr__result(at, st, made, o.shape, j.to);
    return made == dtype ? r : orr_cast_at(file, line, r, dtype);
}
