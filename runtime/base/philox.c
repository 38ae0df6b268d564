/* The definition of a random node's elements, one at a time.
 * Must not know: streams, tensors, devices. */
#include "config.h"
#include "runtime/base/philox.h"

/* In the order of ORR__DBITS … in runtime/graph/node.h, a room above this one. */
enum { BITS, UNIFORM, NORMAL, INTEGERS, PERMUTATION };

uint64_t orr__rand_mix(uint64_t seed, uint64_t stream)
{
    uint32_t w[4];
    orr__philox(seed, stream, UINT64_MAX, w);
    return (uint64_t)w[1] << 32 | w[0];
}

static double uniform(orr_dtype dtype, uint64_t seed, uint64_t i)
{
    switch (dtype) {
    case ORR_F16: return (double)orr__u01_f16(orr__rand_bits32(seed, i));
    case ORR_BF16: return (double)orr__u01_bf16(orr__rand_bits32(seed, i));
    case ORR_F32: return (double)orr__u01_f32(orr__rand_bits32(seed, i));
    default: return orr__u01_f64(orr__rand_bits64(seed, i));
    }
}

/* f16 and bf16 are held in an f32 register before they are stored, hence rounded twice. */
static double normal(orr_dtype dtype, uint64_t seed, uint64_t i)
{
    float f = (float)orr__rand_normal_f64(seed, i);
    switch (dtype) {
    case ORR_F16: return (double)orr__f16_to_f32(orr__f32_to_f16(f));
    case ORR_BF16: return (double)orr__bf16_to_f32(orr__f32_to_bf16(f));
    case ORR_F32: return (double)f;
    default: return orr__rand_normal_f64(seed, i);
    }
}

orr__scalar orr__rand_value(int dist, orr_dtype dtype, uint64_t seed, orr__scalar s1, orr__scalar s2, uint64_t index)
{
    orr__scalar r = { .u = 0 };
    bool wide = orr_dtype_size(dtype) == 8;
    switch (dist) {
    case BITS:
        r.u = wide ? orr__rand_bits64(seed, index) : orr__rand_bits32(seed, index);
        return orr__scalar_cast(r, ORR_U64, dtype);
    case UNIFORM:
        r.f = uniform(dtype, seed, index);
        return orr__is_float(dtype) ? r : orr__scalar_cast(r, ORR_F64, dtype);
    case NORMAL:
        r.f = normal(dtype, seed, index);
        return orr__is_float(dtype) ? r : orr__scalar_cast(r, ORR_F64, dtype);
    case INTEGERS: r.i = orr__rand_integers(seed, index, s1.i, s2.u); return orr__scalar_cast(r, ORR_I64, dtype);
    case PERMUTATION: r.i = orr__rand_permutation(seed, s1.u, index); return orr__scalar_cast(r, ORR_I64, dtype);
    default: return r;
    }
}
