/* Counter-based random numbers in kernels: runtime/base/philox.h in the common subset of the dialects, equal to the
 * last bit.
 * Must not know: devices, streams. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/emit.h"

#define TEXT(...) #__VA_ARGS__ "\n"

static const char bits_text[] = TEXT(ORR_FN void orr_philox(orr_u64 key, orr_u64 lo, orr_u64 hi, orr_u32 *out) {
    orr_u32 k0 = (orr_u32)key, k1 = (orr_u32)(key >> 32);
    orr_u32 c0 = (orr_u32)lo, c1 = (orr_u32)(lo >> 32), c2 = (orr_u32)hi, c3 = (orr_u32)(hi >> 32);
    for (int round = 0; round < 10; round++) {
        const orr_u64 p0 = (orr_u64)0xD2511F53u * c0, p1 = (orr_u64)0xCD9E8D57u * c2;
        const orr_u32 n0 = (orr_u32)(p1 >> 32) ^ c1 ^ k0, n2 = (orr_u32)(p0 >> 32) ^ c3 ^ k1;
        c1 = (orr_u32)p1;
        c3 = (orr_u32)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}) TEXT(ORR_FN orr_u32 orr_rand_bits32(orr_u64 seed, orr_u64 i) {
    orr_u32 w[4];
    orr_philox(seed, i >> 2, 0, w);
    const orr_u32 a = i & 1 ? w[1] : w[0], b = i & 1 ? w[3] : w[2];
    return i & 2 ? b : a;
}) TEXT(ORR_FN orr_u64 orr_rand_bits64(orr_u64 seed, orr_u64 i) {
    orr_u32 w[4];
    orr_philox(seed, i >> 1, 1, w);
    const orr_u32 lo = i & 1 ? w[2] : w[0], hi = i & 1 ? w[3] : w[1];
    return (orr_u64)hi << 32 | lo;
}) TEXT(ORR_FN orr_f32 orr_u01_f32(orr_u32 word) { return (orr_f32)(orr_i32)(word >> 8) * 5.9604644775390625e-8f; })
    TEXT(ORR_FN orr_f32 orr_u01_f16(orr_u32 word) { return (orr_f32)(orr_i32)(word >> 21) * 4.8828125e-4f; })
        TEXT(ORR_FN orr_f32 orr_u01_bf16(orr_u32 word) { return (orr_f32)(orr_i32)(word >> 24) * 0.00390625f; })
            TEXT(ORR_FN orr_i64 orr_between(orr_u64 x, orr_i64 lo, orr_u64 range) {
                return (orr_i64)((orr_u64)lo + (range ? orr_mulhi(x, range) : x));
            });

static const char f64_text[] =
    TEXT(ORR_FN orr_f64 orr_u01_f64(orr_u64 word) { return (orr_f64)(orr_i64)(word >> 11) * 1.1102230246251565e-16; })
        TEXT(ORR_FN orr_f64 orr_rand_normal(orr_u64 seed, orr_u64 i) {
            orr_u32 w[4];
            orr_philox(seed, i >> 1, 2, w);
            const orr_u64 a = (orr_u64)w[1] << 32 | w[0], b = (orr_u64)w[3] << 32 | w[2];
            const orr_f64 radius = sqrt(-2.0 * log((orr_f64)((a >> 11) + 1) * 1.1102230246251565e-16));
            const orr_f64 angle = (orr_f64)(b >> 11) * 1.1102230246251565e-16 * 6.283185307179586476925286766559;
            return radius * (i & 1 ? sin(angle) : cos(angle));
        });

static const char permutation_text[] = TEXT(ORR_FN orr_u64 orr_perm_mix(orr_u64 x, orr_u64 key) {
    x = (x + key) * 0x9e3779b97f4a7c15UL;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93UL;
    return x ^ x >> 32 ^ x >> 47;
}) TEXT(ORR_FN orr_i64 orr_rand_permutation(orr_u64 seed, orr_u64 n, orr_u64 i) {
    orr_u64 key[16];
    const orr_u64 one = 1;
    for (int k = 0; k < 16; k += 2) {
        orr_u32 w[4];
        orr_philox(seed, (orr_u64)k, 3, w);
        key[k] = (orr_u64)w[1] << 32 | w[0];
        key[k + 1] = (orr_u64)w[3] << 32 | w[2];
    }
    const int bits = n > 4 ? 64 - orr_clz(n - 1) : 2;
    const int right = bits / 2;
    const orr_u64 right_mask = (one << right) - 1, left_mask = (one << (bits - right)) - 1;
    orr_u64 x = i;
    do {
        orr_u64 l = x >> right, r = x & right_mask;
        for (int k = 0; k < 16; k += 2) {
            l ^= orr_perm_mix(r, key[k]) & left_mask;
            r ^= orr_perm_mix(l, key[k + 1]) & right_mask;
        }
        x = l << right | r;
    } while (x >= n);
    return (orr_i64)x;
});

void orr__emit_random_helpers(orr__text *t, const orr__rinstr *in, unsigned *done, bool fp64)
{
    if (!(*done & 1u))
        orr__text_add(t, bits_text);
    if (fp64 && !(*done & 1u))
        orr__text_add(t, f64_text);
    if (in->op == ORR__DPERMUTATION && !(*done & 2u))
        orr__text_add(t, permutation_text);
    *done |= 1u | (in->op == ORR__DPERMUTATION ? 2u : 0u);
}

/* Uniform and normal numbers are made as floats; a region that needs another dtype has a cast. */
bool orr__emit_random_can(const orr__rinstr *in, bool fp64)
{
    orr_dtype t = (orr_dtype)in->dtype;
    switch (in->op) {
    case ORR__DBITS:
    case ORR__DINTEGERS:
    case ORR__DPERMUTATION: return true;
    case ORR__DUNIFORM: return orr__is_float(t);
    case ORR__DNORMAL: return orr__is_float(t) && fp64;
    default: return false;
    }
}

/* The source of a number: 32 or 64 random bits, or 0 for a normal number in f64. */
int orr__emit_random_bits(const orr__rinstr *in)
{
    bool wide = orr_dtype_size((orr_dtype)in->dtype) == 8;
    return in->op == ORR__DNORMAL ? 0 : in->op == ORR__DINTEGERS || wide ? 64 : 32;
}

static void uniform(orr__text *t, const orr__rinstr *in, int n, const char *drawn)
{
    orr__text_addf(t, "    const %s r%d = orr_u01_%s(%s);\n", orr__emit_type((orr_dtype)in->dtype), n,
                   orr__emit_suffix((orr_dtype)in->dtype), drawn);
}

static void normal(orr__text *t, const orr__rinstr *in, int n, const char *drawn)
{
    orr_dtype dtype = (orr_dtype)in->dtype;
    char round[32] = ""; /* empty: the brackets stay without effect */
    if (orr__is_half(dtype))
        (void)snprintf(round, sizeof round, "orr_round_%s", orr__emit_suffix(dtype));
    orr__text_addf(t, "    const %s r%d = %s((%s)%s);\n", orr__emit_type(dtype), n, round, orr__emit_type(dtype),
                   drawn);
}

/* One declaration, from `drawn`; if that is NULL, from element q<n> of the seed in argument word `word`. */
void orr__emit_random(orr__text *t, const orr__rinstr *in, int n, int word, const char *drawn, bool fp64)
{
    orr_dtype dtype = (orr_dtype)in->dtype, made = in->op == ORR__DBITS ? ORR_U64 : ORR_I64;
    char one[96], name[16];
    if (in->op == ORR__DPERMUTATION)
        (void)snprintf(one, sizeof one, "orr_rand_permutation((orr_u64)W(%d), (orr_u64)W(%d), (orr_u64)q%d)", word,
                       word + 1, n);
    else if (in->op == ORR__DNORMAL)
        (void)snprintf(one, sizeof one, "orr_rand_normal((orr_u64)W(%d), (orr_u64)q%d)", word, n);
    else
        (void)snprintf(one, sizeof one, "orr_rand_bits%d((orr_u64)W(%d), (orr_u64)q%d)", orr__emit_random_bits(in),
                       word, n);
    drawn = drawn ? drawn : one;
    if (in->op == ORR__DUNIFORM || in->op == ORR__DNORMAL) {
        (in->op == ORR__DUNIFORM ? uniform : normal)(t, in, n, drawn);
        return;
    }
    if (in->op == ORR__DINTEGERS)
        orr__text_addf(t, "    const orr_i64 n%d = orr_between(%s, W(%d), (orr_u64)W(%d));\n", n, drawn, word + 1,
                       word + 2);
    else
        orr__text_addf(t, "    const %s n%d = %s;\n", orr__emit_type(made), n, drawn);
    (void)snprintf(name, sizeof name, "n%d", n);
    orr__text_addf(t, "    const %s r%d = ", orr__emit_type(dtype), n);
    orr__emit_cast(t, made, dtype, name, fp64);
    orr__text_add(t, ";\n");
}
