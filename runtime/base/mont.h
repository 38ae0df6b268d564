/* Inline Montgomery arithmetic of four 64-bit limbs, with the modulus as an argument; with ORR__FIELD_ADX by mulx, adcx and adox.
 * Must not know: which prime, arrays. Every operand and result is below the modulus, which is below 2^254. */
#ifndef ORR_BASE_MONT_H
#define ORR_BASE_MONT_H

#include <stdbool.h>
#include <stdint.h>

/* At -O1 gcc holds the address of each operand of the assembly in a separate register, and runs out of registers. */
#if defined(ORR__FIELD_ADX) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O2")
#endif

/* x·2^256 modulo a prime (Montgomery form), limbs from the lowest on, always below the prime. Zero is all zeros. */
typedef struct orr__fe {
    uint64_t l[4];
} orr__fe;

/* A prime below 2^254 and the constants of Montgomery's reduction. */
typedef struct orr__mod {
    orr__fe p;
    orr__fe one;      /* 2^256 mod p */
    orr__fe square;   /* 2^512 mod p */
    uint64_t inverse; /* -1/p mod 2^64 */
} orr__mod;

#define ORR__INLINE static inline __attribute__((always_inline, unused))

/* Builds without optimisation or with a sanitizer: the assembly needs more registers than they leave, and hundreds of inlined copies of
 * instrumented arithmetic take compilers minutes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORR__FIELD_CALLS
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORR__FIELD_CALLS
#endif
#ifdef ORR__FIELD_CALLS
#define ORR__ARITHMETIC static __attribute__((noinline, unused))
#else
#define ORR__ARITHMETIC ORR__INLINE
#endif

ORR__INLINE bool fe_is_zero(orr__fe x)
{
    return (x.l[0] | x.l[1] | x.l[2] | x.l[3]) == 0;
}

ORR__INLINE bool fe_equal(orr__fe x, orr__fe y)
{
    return ((x.l[0] ^ y.l[0]) | (x.l[1] ^ y.l[1]) | (x.l[2] ^ y.l[2]) | (x.l[3] ^ y.l[3])) == 0;
}

/* x < y, as integers. */
ORR__INLINE bool fe_below(orr__fe x, orr__fe y)
{
    for (int i = 3; i > 0; i--)
        if (x.l[i] != y.l[i])
            return x.l[i] < y.l[i];
    return x.l[0] < y.l[0];
}

#if defined(__x86_64__) && !defined(ORR__FIELD_CALLS)

ORR__ARITHMETIC orr__fe fe_add(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t a, b, c, d;
    __asm__("addq %[y0], %[x0]\n\tadcq %[y1], %[x1]\n\tadcq %[y2], %[x2]\n\tadcq %[y3], %[x3]\n\t"
            "movq %[x0], %[a]\n\tmovq %[x1], %[b]\n\tmovq %[x2], %[c]\n\tmovq %[x3], %[d]\n\t"
            "subq 0(%[m]), %[a]\n\tsbbq 8(%[m]), %[b]\n\tsbbq 16(%[m]), %[c]\n\tsbbq 24(%[m]), %[d]\n\t"
            "cmovncq %[a], %[x0]\n\tcmovncq %[b], %[x1]\n\tcmovncq %[c], %[x2]\n\tcmovncq %[d], %[x3]"
            : [x0] "+&r"(x.l[0]), [x1] "+&r"(x.l[1]), [x2] "+&r"(x.l[2]), [x3] "+&r"(x.l[3]), [a] "=&r"(a),
              [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
            : [y0] "rm"(y.l[0]), [y1] "rm"(y.l[1]), [y2] "rm"(y.l[2]), [y3] "rm"(y.l[3]), [m] "r"(m), "m"(m->p)
            : "cc");
    return x;
}

ORR__ARITHMETIC orr__fe fe_sub(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t a, b, c, d;
    __asm__("subq %[y0], %[x0]\n\tsbbq %[y1], %[x1]\n\tsbbq %[y2], %[x2]\n\tsbbq %[y3], %[x3]\n\t"
            "sbbq %[a], %[a]\n\tmovq %[a], %[b]\n\tmovq %[a], %[c]\n\tmovq %[a], %[d]\n\t"
            "andq 0(%[m]), %[a]\n\tandq 8(%[m]), %[b]\n\tandq 16(%[m]), %[c]\n\tandq 24(%[m]), %[d]\n\t"
            "addq %[a], %[x0]\n\tadcq %[b], %[x1]\n\tadcq %[c], %[x2]\n\tadcq %[d], %[x3]"
            : [x0] "+&r"(x.l[0]), [x1] "+&r"(x.l[1]), [x2] "+&r"(x.l[2]), [x3] "+&r"(x.l[3]), [a] "=&r"(a),
              [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
            : [y0] "rm"(y.l[0]), [y1] "rm"(y.l[1]), [y2] "rm"(y.l[2]), [y3] "rm"(y.l[3]), [m] "r"(m), "m"(m->p)
            : "cc");
    return x;
}

#else

ORR__INLINE uint64_t fe_carry(uint64_t x, uint64_t y, uint64_t *carry)
{
    unsigned __int128 s = (unsigned __int128)x + y + *carry;
    *carry = (uint64_t)(s >> 64);
    return (uint64_t)s;
}

ORR__INLINE uint64_t fe_borrow(uint64_t x, uint64_t y, uint64_t *borrow)
{
    unsigned __int128 s = (unsigned __int128)x - y - *borrow;
    *borrow = (uint64_t)(s >> 64) & 1;
    return (uint64_t)s;
}

/* x - p, or x if that is negative; x is below 2p. */
ORR__INLINE orr__fe fe_reduce(orr__fe x, const orr__mod *m)
{
    orr__fe z;
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++)
        z.l[i] = fe_borrow(x.l[i], m->p.l[i], &borrow);
    for (int i = 0; i < 4; i++)
        z.l[i] = borrow ? x.l[i] : z.l[i];
    return z;
}

ORR__ARITHMETIC orr__fe fe_add(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++)
        x.l[i] = fe_carry(x.l[i], y.l[i], &carry);
    return fe_reduce(x, m);
}

ORR__ARITHMETIC orr__fe fe_sub(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t borrow = 0, carry = 0;
    for (int i = 0; i < 4; i++)
        x.l[i] = fe_borrow(x.l[i], y.l[i], &borrow);
    for (int i = 0; i < 4; i++)
        x.l[i] = fe_carry(x.l[i], borrow ? m->p.l[i] : 0, &carry);
    return x;
}

#endif

#if defined(__x86_64__) && defined(ORR__FIELD_ADX) && !defined(ORR__FIELD_CALLS)

/* One step of the reduction: (t + u p) / 2^64 with u = -t0/p. The carry h of the previous row is added at the top. */
#define MONT_REDUCE                                                                                                    \
    "movq 96(%[m]), %%rdx\n\timulq %[t0], %%rdx\n\txorl %k[s], %k[s]\n\t"                                              \
    "mulxq 0(%[m]), %[s], %[v]\n\tadcxq %[t0], %[s]\n\tmovq %[v], %[t0]\n\t"                                           \
    "adcxq %[t1], %[t0]\n\tmulxq 8(%[m]), %[s], %[t1]\n\tadoxq %[s], %[t0]\n\t"                                        \
    "adcxq %[t2], %[t1]\n\tmulxq 16(%[m]), %[s], %[t2]\n\tadoxq %[s], %[t1]\n\t"                                       \
    "adcxq %[t3], %[t2]\n\tmulxq 24(%[m]), %[s], %[t3]\n\tadoxq %[s], %[t2]\n\t"                                       \
    "movl $0, %k[s]\n\tadcxq %[s], %[t3]\n\tadoxq %[h], %[t3]\n\t"
/* t += x·y_i; h is the carry out of the top. */
#define MONT_ROW(y)                                                                                                    \
    "movq " y ", %%rdx\n\txorl %k[s], %k[s]\n\t"                                                                       \
    "mulxq %[x0], %[s], %[h]\n\tadoxq %[s], %[t0]\n\tadcxq %[h], %[t1]\n\t"                                            \
    "mulxq %[x1], %[s], %[h]\n\tadoxq %[s], %[t1]\n\tadcxq %[h], %[t2]\n\t"                                            \
    "mulxq %[x2], %[s], %[h]\n\tadoxq %[s], %[t2]\n\tadcxq %[h], %[t3]\n\t"                                            \
    "mulxq %[x3], %[s], %[h]\n\tadoxq %[s], %[t3]\n\t"                                                                 \
    "movl $0, %k[s]\n\tadcxq %[s], %[h]\n\tadoxq %[s], %[h]\n\t"

/* x·y/2^256. The modulus leaves two bits of the top limb free, so that no row carries out of its fifth word. */
ORR__ARITHMETIC orr__fe fe_mul(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t s, h, v;
    orr__fe t;
    __asm__("movq %[y0], %%rdx\n\txorl %k[s], %k[s]\n\t"
            "mulxq %[x0], %[t0], %[t1]\n\tmulxq %[x1], %[s], %[t2]\n\tadoxq %[s], %[t1]\n\t"
            "mulxq %[x2], %[s], %[t3]\n\tadoxq %[s], %[t2]\n\tmulxq %[x3], %[s], %[h]\n\tadoxq %[s], %[t3]\n\t"
            "movl $0, %k[s]\n\tadoxq %[s], %[h]\n\t" MONT_REDUCE MONT_ROW("%[y1]") MONT_REDUCE MONT_ROW("%[y2]")
                MONT_REDUCE MONT_ROW("%[y3]") MONT_REDUCE
            "movq %[t0], %[s]\n\tmovq %[t1], %[h]\n\tmovq %[t2], %[v]\n\tmovq %[t3], %%rdx\n\t"
            "subq 0(%[m]), %[s]\n\tsbbq 8(%[m]), %[h]\n\tsbbq 16(%[m]), %[v]\n\tsbbq 24(%[m]), %%rdx\n\t"
            "cmovncq %[s], %[t0]\n\tcmovncq %[h], %[t1]\n\tcmovncq %[v], %[t2]\n\tcmovncq %%rdx, %[t3]"
            : [t0] "=&r"(t.l[0]), [t1] "=&r"(t.l[1]), [t2] "=&r"(t.l[2]), [t3] "=&r"(t.l[3]), [s] "=&r"(s),
              [h] "=&r"(h), [v] "=&r"(v)
            : [x0] "rm"(x.l[0]), [x1] "rm"(x.l[1]), [x2] "rm"(x.l[2]), [x3] "rm"(x.l[3]), [y0] "rm"(y.l[0]),
              [y1] "rm"(y.l[1]), [y2] "rm"(y.l[2]), [y3] "rm"(y.l[3]), [m] "r"(m), "m"(*m)
            : "rdx", "cc");
    return t;
}
#undef MONT_ROW
#undef MONT_REDUCE

#else

/* x·y/2^256, row by row, with one step of the reduction after each row. */
ORR__ARITHMETIC orr__fe fe_mul(orr__fe x, orr__fe y, const orr__mod *m)
{
    uint64_t t[4] = { 0 };
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        unsigned __int128 a = 0, b;
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            a += (unsigned __int128)x.l[j] * y.l[i] + t[j];
            t[j] = (uint64_t)a;
            a >>= 64;
        }
        uint64_t top = (uint64_t)a, u = t[0] * m->inverse;
        b = ((unsigned __int128)u * m->p.l[0] + t[0]) >> 64;
#pragma GCC unroll 4
        for (int j = 1; j < 4; j++) {
            b += (unsigned __int128)u * m->p.l[j] + t[j];
            t[j - 1] = (uint64_t)b;
            b >>= 64;
        }
        t[3] = top + (uint64_t)b;
    }
    orr__fe z = { { t[0], t[1], t[2], t[3] } }, s;
    unsigned __int128 d = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        d = (unsigned __int128)z.l[i] - m->p.l[i] - (uint64_t)(d >> 127);
        s.l[i] = (uint64_t)d;
    }
    return d >> 127 ? z : s;
}

#endif

ORR__INLINE orr__fe fe_neg(orr__fe x, const orr__mod *m)
{
    return fe_sub((orr__fe){ { 0 } }, x, m);
}

ORR__INLINE orr__fe fe_square(orr__fe x, const orr__mod *m)
{
    return fe_mul(x, x, m);
}

/* Conversion from a plain integer below the modulus, and back. */
ORR__INLINE orr__fe fe_enter(orr__fe x, const orr__mod *m)
{
    return fe_mul(x, m->square, m);
}

ORR__INLINE orr__fe fe_leave(orr__fe x, const orr__mod *m)
{
    return fe_mul(x, (orr__fe){ { 1 } }, m);
}

#endif
