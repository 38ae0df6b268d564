/* Operands as memory, memory as results.
 * Must not know: any of the schemes. */
#include "config.h"
#include <stdlib.h>
#include <orrery/ops.h>
#include "ops/record.h"
#include "ops/share/p61.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"
#include "runtime/base/shape.h"

bool orr__operand_open(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o)
{
    orr__node *node;
    *o = (orr__operand_data){ 0 };
    if (!orr__operand(at, t, name, &node, &o->bad))
        return false;
    o->shape = orr_tensor_shape(t);
    o->dtype = orr_tensor_dtype(t);
    o->n = orr_tensor_size(t);
    if (orr__is_field(o->dtype)) {
        o->bad =
            orr__poison(at, ORR_EDTYPE, "%s is %s, and numbers are needed: orr_field_limbs has an element's as u64",
                        name, orr_dtype_name(o->dtype));
        return false;
    }
    o->scope = orr_scope_begin();
    o->data = o->scope ? orr_data_at(at.file, at.line, t) : NULL;
    if (o->data)
        return true;
    orr__operand_close(o);
    o->bad = orr__handle_new(NULL);
    return false;
}

void orr__operand_close(orr__operand_data *o)
{
    if (o->scope)
        (void)orr_scope_end(o->scope);
    o->scope = NULL;
}

orr_dtype orr__modulus_dtype(orr_modulus m)
{
    return m == ORR_MOD_2_32 ? ORR_U32 : m == ORR_MOD_2_64 || m == ORR_MOD_P61 ? ORR_U64 : ORR_DTYPE_COUNT;
}

bool orr__operand_ring(orr__site at, orr_tensor *t, const char *name, orr_modulus m, orr__operand_data *o)
{
    orr_dtype want = orr__modulus_dtype(m);
    if (want == ORR_DTYPE_COUNT) {
        o->bad = orr__poison(at, ORR_EINVAL, "no modulus has number %d", (int)m);
        return false;
    }
    if (!orr__operand_open(at, t, name, o))
        return false;
    int64_t above = -1;
    if (o->dtype == want && m == ORR_MOD_P61)
        above = orr__p61_above(o->data, o->n);
    if (o->dtype == want && above < 0)
        return true;
    orr__operand_close(o);
    o->bad = o->dtype != want ? orr__poison(at, ORR_EDTYPE, "%s must be %s, not %s: write orr_fixed_encode or orr_cast",
                                            name, orr_dtype_name(want), orr_dtype_name(o->dtype))
                              : orr__poison(at, ORR_EINDEX, "element %lld of %s is not below the modulus 2^61 - 1",
                                            (long long)above, name);
    return false;
}

bool orr__operand_number(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o)
{
    orr_dtype have = orr_tensor_dtype(t), to = have;
    if (have == ORR_BOOL) {
        o->bad = orr__poison(at, ORR_EDTYPE, "%s must be numbers, not bool: write orr_cast", name);
        return false;
    }
    if (have == ORR_F16 || have == ORR_BF16)
        to = ORR_F32;
    else if (have < ORR_F16 && have != ORR_U64)
        to = ORR_I64;
    if (to == have)
        return orr__operand_open(at, t, name, o);
    orr_scope *s = orr_scope_begin();
    bool ok = orr__operand_open(at, s ? orr_cast_at(at.file, at.line, t, to) : NULL, name, o);
    if (ok && o->scope) {
        (void)orr_scope_end(o->scope);
        o->scope = s; /* owns the cast tensor */
    } else if (s) {
        o->bad = orr_scope_return(s, o->bad);
        (void)orr_scope_end(s);
    }
    return ok;
}

int64_t orr__fixed_most(orr__site at, orr_fixed f)
{
    if (orr__modulus_dtype(f.modulus) == ORR_DTYPE_COUNT)
        return orr__fail(at, ORR_EINVAL, "no modulus has number %d", (int)f.modulus), -1;
    if (f.fraction < 0 || f.fraction > ORR_FIXED_MOST)
        return orr__fail(at, ORR_EINVAL, "the fraction has 0 to %d bits, not %d", ORR_FIXED_MOST, f.fraction), -1;
    if (f.addends < 1)
        return orr__fail(at, ORR_EINVAL, "a sum has 1 addend or more, not %lld", (long long)f.addends), -1;
    int64_t half = f.modulus == ORR_MOD_2_32   ? INT32_MAX
                   : f.modulus == ORR_MOD_2_64 ? INT64_MAX
                                               : (int64_t)(ORR__P61 / 2);
    return half / f.addends;
}

void *orr__result_new(orr__site at, orr_dtype dtype, int64_t n)
{
    int64_t bytes;
    void *p = NULL;
    if (orr__mul64(n, (int64_t)orr_dtype_size(dtype), &bytes))
        p = aligned_alloc(64, ((size_t)bytes + 127) / 64 * 64);
    if (!p)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for %lld elements", (long long)n);
    return p;
}

/* `user` is the number of bytes. The memory may hold a secret and is wiped. */
static void release(void *data, void *user)
{
    orr__wipe(data, (size_t)(uintptr_t)user);
    free(data);
}

orr_tensor *orr__result(orr__site at, orr_status st, orr_dtype dtype, orr_shape shape, void *data)
{
    int64_t n = orr__shape_count(&shape);
    void *bytes = (void *)(n > 0 ? (uintptr_t)n * orr_dtype_size(dtype) : 0);
    orr_tensor *t = st == ORR_OK ? orr_wrap_at(at.file, at.line, dtype, shape, data, release, bytes) : NULL;
    if (data && orr_tensor_status(t) != ORR_OK)
        release(data, bytes);
    return st == ORR_OK ? t : orr__handle_new(NULL);
}

bool orr__shape_of_shares(orr__site at, const orr_shape *s, int64_t n, orr_shape *out)
{
    if (s->rank == ORR_MAX_RANK)
        return orr__fail(at, ORR_ESHAPE, "the secret has rank %d: its shares would have one more", s->rank), false;
    out->rank = s->rank + 1;
    out->dim[0] = n;
    for (int i = 0; i < s->rank; i++)
        out->dim[i + 1] = s->dim[i];
    for (int i = out->rank; i < ORR_MAX_RANK; i++)
        out->dim[i] = 0;
    if (orr__shape_count(out) < 0)
        return orr__fail(at, ORR_ESHAPE, "%lld shares of shape %s are too many elements", (long long)n, orr__str(*s).s),
               false;
    return true;
}
