/* Arithmetic of the BN254 fields and curves, on pointers and extents: one table of kernels per instruction set.
 * Must not know: tensors, tasks, devices. Timing is not constant anywhere in this room. */
#ifndef ORR_FIELD_FIELD_H
#define ORR_FIELD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/mont.h"

/* A prime in limbs of 52 bits, for AVX-512 IFMA. */
typedef struct orr__mod52 {
    uint64_t p[5], twice[5]; /* the prime, and twice the prime */
    uint64_t inverse;        /* -1/p mod 2^52 */
} orr__mod52;

/* c[0] + c[1]·u with u² = -1. */
typedef struct orr__fq2 {
    orr__fe c[2];
} orr__fq2;

/* Affine points. (0, 0) is on neither curve and stands for the point at infinity. */
typedef struct orr__g1 {
    orr__fe x, y;
} orr__g1;
typedef struct orr__g2 {
    orr__fq2 x, y;
} orr__g2;

/* The same in XYZZ coordinates: x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ²; ZZ = 0 at infinity. */
typedef struct orr__g1x {
    orr__fe x, y, zz, zzz;
} orr__g1x;
typedef struct orr__g2x {
    orr__fq2 x, y, zz, zzz;
} orr__g2x;

typedef enum orr__field { ORR__FR, ORR__FQ } orr__field;
typedef enum orr__field_op { ORR__FADD, ORR__FSUB, ORR__FMUL, ORR__FNEG, ORR__FSQUARE } orr__field_op;

enum {
    ORR__NTT_MAX = 28,         /* r - 1 has 28 factors of two */
    ORR__POSEIDON_MIN = 2,     /* widths that have parameters */
    ORR__POSEIDON_MAX = 17,
};

/* -- transforms ------------------------------------------------------------------------------------------------- */

/* A transform of length 2^k, X[j] = Σ_i x[i] (s w^j)^i with w of order 2^k. Made once, then read by any threads. */
typedef struct orr__ntt {
    int k;            /* the length is 2^k                                                           */
    int ka, kb;       /* as columns of length 2^ka, then rows of length 2^kb; ka 0: one pass         */
    bool inverse;     /* x from X                                                                    */
    bool coset;       /* s is not 1                                                                  */
    orr__fe w;        /* of order 2^k, or its inverse                                                */
    orr__fe s;        /* factor of each next element of the input; inverse: of the output            */
    orr__fe scale;    /* of all elements of the output                                              */
    orr__fe *wa, *wb; /* powers of w^(2^kb) and w^(2^ka), half as many as the lengths            */
} orr__ntt;

/* -- the hash ---------------------------------------------------------------------------------------------------- */

/* Poseidon of one width over r: x^5, eight full rounds, constants of the Grain generator as the paper's script makes
 * them (field 1, S-box 0, 254 bits), which are circom's. Partial rounds are in their sparse form. */
typedef struct orr__poseidon {
    int t, full, partial;
    const orr__fe *first;  /* t per full round of the first half */
    const orr__fe *single; /* one per partial round */
    const orr__fe *last;   /* t per full round of the second half */
    const orr__fe *mds;    /* t·t, rows */
    const orr__fe *bridge; /* t·t: instead of mds in the last round of the first half */
    const orr__fe *sparse; /* per partial round: the first row (t), the first column without its head (t - 1) */
} orr__poseidon;

/* Of width t, made at first use; NULL: no memory. Never freed. */
const orr__poseidon *orr__poseidon_get(int t);

/* -- curves -------------------------------------------------------------------------------------------------------- */

/* A scalar as the windows of a sum of multiples read it. */
typedef struct orr__msmscalar {
    uint64_t l[4];
} orr__msmscalar;

enum { ORR__MSM_BITS = 20 };

/* A curve's kernels on rows of affine points (orr__g1 or orr__g2). Strides in points. */
typedef struct orr__curvekit {
    size_t point, sum,
        coordinate; /* bytes: of a point, of a sum in XYZZ, of a coordinate and so of a compressed point */
    double cost;    /* of a point in a window of a sum of multiples, in products of coordinates */
    void (*add)(void *z, const void *x, int64_t sx, const void *y, int64_t sy, int64_t n);
    void (*neg)(void *z, const void *x, int64_t n);
    /* k: elements of r. */
    void (*multiply)(void *z, const void *x, int64_t sx, const orr__fe *k, int64_t sk, int64_t n);
    /* -1, or the index of the first point that is not on the curve; that is not of order r. */
    int64_t (*check)(const void *x, int64_t n);
    int64_t (*check_order)(const void *x, int64_t n);
    void (*compress)(void *bytes, const void *x, int64_t n);
    /* -1, or the index of the first that is no point of the curve. */
    int64_t (*decompress)(void *z, const void *bytes, int64_t n);
    /* Σ k_i·p_i: for every chunk of points and window of c bits one sum, sums[window·chunks + chunk]; then their join, an
     * affine point. work: msm_work bytes, 64-byte aligned. */
    size_t (*msm_work)(int64_t n, int c);
    void (*msm_window)(void *sum, const void *points, const orr__msmscalar *k, int64_t n, int window, int c,
                       void *work);
    void (*msm_join)(void *z, const void *sums, int64_t chunks, int c);
} orr__curvekit;

/* Windows of c bits for all of a scalar; the c that makes n points cheapest for so many workers. */
int orr__msm_windows(int c);
int orr__msm_bits(const orr__curvekit *g, int64_t n, int workers);
void orr__msm_scalars(orr__msmscalar *z, const orr__fe *k, int64_t n, int c);

/* -- the table --------------------------------------------------------------------------------------------------- */

/* Where no stride is said, elements follow each other. Outputs may be inputs where an element is written after it was
 * read for the last time: that holds for all element-wise kernels. */
typedef struct orr__fieldkit {
    const char *name; /* "portable", "mulx", "ifma" */

    /* From 32 bytes each, little-endian: -1, or the index of the first value that is not below the prime. */
    int64_t (*read)(orr__field f, orr__fe *z, const void *bytes, int64_t n);
    void (*write)(orr__field f, void *bytes, const orr__fe *x, int64_t n);
    /* Strides in elements. y of an operation with one operand is not read. */
    void (*map)(orr__field f, orr__field_op op, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy,
                int64_t n);
    void (*axpy)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *x, int64_t n); /* z += a[0]·x */
    /* -1, or the index of the first zero; z is 0 where x is. */
    int64_t (*invert)(orr__field f, orr__fe *z, const orr__fe *x, int64_t n);
    /* z = x^e with a plain integer e; 0^0 is 1. */
    void (*power)(orr__field f, orr__fe *z, const orr__fe *x, const uint64_t e[4], int64_t n);
    void (*sum)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, int64_t n);
    void (*dot)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy, int64_t n);
    /* z[i] = a·b^i */
    void (*powers)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *b, int64_t n);

    /* The transform's pieces: columns [from, to) of x into y, then rows [from, to) of y into z; z may be x, not y.
     * With ka 0 there are no columns, one row, and y is x. work: orr__ntt_work bytes, 64-byte aligned. y holds blocks of
     * `width` columns one behind the other, z blocks of `height` rows: 2^kb and 2^ka are one block, row-major and in order; less, a
     * multiple of 8 that divides them, where pieces are whole blocks: each piece writes memory of its own. */
    void (*ntt_columns)(const orr__ntt *p, orr__fe *y, int64_t width, const orr__fe *x, int64_t from, int64_t to,
                        void *work);
    void (*ntt_rows)(const orr__ntt *p, orr__fe *z, int64_t height, const orr__fe *y, int64_t width, int64_t from,
                     int64_t to, void *work);

    /* n hashes of t - 1 elements each, which lie sx apart; the first lane begins with `first` (NULL: 0). */
    void (*poseidon)(const orr__poseidon *p, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *first, int64_t n);

    /* Σ c[i] x^i for m places. */
    void (*evaluate)(orr__field f, orr__fe *z, const orr__fe *c, int64_t n, const orr__fe *x, int64_t m);
    /* c = (x - a)·quotient + remainder, by Ruffini: n - 1 and 1 elements. */
    void (*divide_linear)(orr__field f, orr__fe *quotient, orr__fe *remainder, const orr__fe *c, int64_t n,
                          const orr__fe *a);
    /* work holds the n coefficients of the dividend and becomes the remainder in its first m - 1; the quotient has
     * n - m + 1. false: the divisor's last coefficient, of m, is zero. */
    bool (*divide)(orr__field f, orr__fe *quotient, orr__fe *work, int64_t n, const orr__fe *divisor, int64_t m);

    const orr__curvekit *g1, *g2;
    /* Is the product of e(p_i, q_i) 1? All points on their curves and of order r. */
    bool (*pairing)(const orr__g1 *p, const orr__g2 *q, int64_t n);
} orr__fieldkit;

/* The fastest that this processor runs; a name that is here and runs: that one, else NULL. */
const orr__fieldkit *orr__fieldkit_best(void);
const orr__fieldkit *orr__fieldkit_named(const char *name);

/* shift: NULL for none. false: no memory, or k is not 0 … 28. */
bool orr__ntt_make(orr__ntt *p, int k, bool inverse, const orr__fe *shift);
void orr__ntt_free(orr__ntt *p);
/* Bytes of scratch memory for one caller. */
size_t orr__ntt_work(const orr__ntt *p);

#endif
