/* Arithmetic of the BN254 fields and curves, on pointers and extents: one table of kernels per instruction set.
 * Must not know: tensors, tasks, devices. No function of this room runs in constant time. */
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
    ORR__NTT_MAX = 28,      /* limit of a format: r - 1 has 28 factors of two */
    ORR__POSEIDON_MIN = 2,  /* widths that have parameters */
    ORR__POSEIDON_MAX = 17, /* limit of a format */
};

/* -- transforms ------------------------------------------------------------------------------------------------- */

/* A transform of length 2^k, X[j] = Σ_i x[i] (s w^j)^i with w of order 2^k. Immutable after it is made; any thread may read it. */
typedef struct orr__ntt {
    int k;            /* the length is 2^k                                                           */
    int ka, kb;       /* columns of length 2^ka, then rows of length 2^kb; ka 0: one pass            */
    bool inverse;     /* computes x from X                                                           */
    bool coset;       /* s is not 1                                                                  */
    orr__fe w;        /* of order 2^k, or its inverse                                                */
    orr__fe s;        /* s: factor from each element of the input to the next; inverse: of the output */
    orr__fe scale;    /* of all elements of the output                                              */
    orr__fe *wa, *wb; /* powers of w^(2^kb) and w^(2^ka), half the lengths each                  */
} orr__ntt;

/* -- the hash ---------------------------------------------------------------------------------------------------- */

/* Poseidon of one width over r: x^5, eight full rounds, constants of the Grain generator as in the paper's script (field 1, S-box 0, 254
 * bits), equal to circom's. Partial rounds are in sparse form. */
typedef struct orr__poseidon {
    int t, full, partial;
    const orr__fe *first;  /* t per full round of the first half */
    const orr__fe *single; /* one per partial round */
    const orr__fe *last;   /* t per full round of the second half */
    const orr__fe *mds;    /* t·t, rows */
    const orr__fe *bridge; /* t·t: replaces mds in the last round of the first half */
    const orr__fe *sparse; /* per partial round: the first row (t), the first column without its head (t - 1) */
} orr__poseidon;

/* The parameters for width t, made at first use; NULL: no memory. Never freed. */
const orr__poseidon *orr__poseidon_get(int t);

/* -- curves -------------------------------------------------------------------------------------------------------- */

/* A scalar in the form that the windows of a sum of multiples read. */
typedef struct orr__msmscalar {
    uint64_t l[4];
} orr__msmscalar;

enum { ORR__MSM_BITS = 20 }; /* limit of a format */

/* A curve's kernels on rows of affine points (orr__g1 or orr__g2). Strides are in points. */
typedef struct orr__curvekit {
    size_t point, sum,
        coordinate; /* bytes: of a point, of a sum in XYZZ, of a coordinate, which is also that of a compressed point */
    double cost;    /* of one point in one window of a sum of multiples, in products of coordinates */
    void (*add)(void *z, const void *x, int64_t sx, const void *y, int64_t sy, int64_t n);
    void (*neg)(void *z, const void *x, int64_t n);
    /* k: elements of r. */
    void (*multiply)(void *z, const void *x, int64_t sx, const orr__fe *k, int64_t sk, int64_t n);
    /* -1, or the index of the first point that is not on the curve. check_order: that is not of order r. */
    int64_t (*check)(const void *x, int64_t n);
    int64_t (*check_order)(const void *x, int64_t n);
    void (*compress)(void *bytes, const void *x, int64_t n);
    /* -1, or the index of the first encoding that is not a point of the curve. */
    int64_t (*decompress)(void *z, const void *bytes, int64_t n);
    /* Σ k_i·p_i: msm_window makes one sum per chunk of points and window of c bits, sums[window·chunks + chunk]; msm_join makes the affine
     * result. work: msm_work bytes, 64-byte aligned. */
    size_t (*msm_work)(int64_t n, int c);
    void (*msm_window)(void *sum, const void *points, const orr__msmscalar *k, int64_t n, int window, int c,
                       void *work);
    void (*msm_join)(void *z, const void *sums, int64_t chunks, int c);
} orr__curvekit;

/* The number of windows of c bits of a scalar; the cheapest c for n points and this number of workers. */
int orr__msm_windows(int c);
int orr__msm_bits(const orr__curvekit *g, int64_t n, int workers);
void orr__msm_scalars(orr__msmscalar *z, const orr__fe *k, int64_t n, int c);

/* -- the table --------------------------------------------------------------------------------------------------- */

/* Without a stride, elements are contiguous. An output may be an input if each element is written after its last read. That holds for all
 * element-wise kernels. */
typedef struct orr__fieldkit {
    const char *name; /* "portable", "mulx", "ifma" */

    /* Reads 32 bytes each, little-endian. Returns -1, or the index of the first value that is not below the prime. */
    int64_t (*read)(orr__field f, orr__fe *z, const void *bytes, int64_t n);
    void (*write)(orr__field f, void *bytes, const orr__fe *x, int64_t n);
    /* Strides are in elements. An operation with one operand does not read y. */
    void (*map)(orr__field f, orr__field_op op, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy,
                int64_t n);
    void (*axpy)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *x, int64_t n); /* z += a[0]·x */
    /* -1, or the index of the first zero; the inverse of 0 is 0. */
    int64_t (*invert)(orr__field f, orr__fe *z, const orr__fe *x, int64_t n);
    /* z = x^e with a plain integer e; 0^0 is 1. */
    void (*power)(orr__field f, orr__fe *z, const orr__fe *x, const uint64_t e[4], int64_t n);
    void (*sum)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, int64_t n);
    void (*dot)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy, int64_t n);
    /* z[i] = a·b^i */
    void (*powers)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *b, int64_t n);

    /* The parts of a transform: columns [from, to) of x into y, then rows [from, to) of y into z; z may be x, not y. With ka 0 there are no
     * columns, one row, and y is x. work: orr__ntt_work bytes, 64-byte aligned. y holds contiguous blocks of `width` columns, z blocks of
     * `height` rows. 2^kb and 2^ka give one block, row-major and in order. A smaller multiple of 8 that divides them gives separate blocks;
     * parts are then whole blocks, so that each writes memory of its own. */
    void (*ntt_columns)(const orr__ntt *p, orr__fe *y, int64_t width, const orr__fe *x, int64_t from, int64_t to,
                        void *work);
    void (*ntt_rows)(const orr__ntt *p, orr__fe *z, int64_t height, const orr__fe *y, int64_t width, int64_t from,
                     int64_t to, void *work);

    /* n hashes of t - 1 elements each, at stride sx. The first lane begins with `first` (NULL: 0). */
    void (*poseidon)(const orr__poseidon *p, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *first, int64_t n);

    /* Σ c[i] x^i for m places. */
    void (*evaluate)(orr__field f, orr__fe *z, const orr__fe *c, int64_t n, const orr__fe *x, int64_t m);
    /* c = (x - a)·quotient + remainder, by Ruffini: n - 1 and 1 elements. */
    void (*divide_linear)(orr__field f, orr__fe *quotient, orr__fe *remainder, const orr__fe *c, int64_t n,
                          const orr__fe *a);
    /* work holds the n coefficients of the dividend; its first m - 1 become the remainder. The quotient has n - m + 1. False: the last of
     * the divisor's m coefficients is zero. */
    bool (*divide)(orr__field f, orr__fe *quotient, orr__fe *work, int64_t n, const orr__fe *divisor, int64_t m);

    const orr__curvekit *g1, *g2;
    /* True if the product of e(p_i, q_i) is 1. All points must be on their curves and of order r. */
    bool (*pairing)(const orr__g1 *p, const orr__g2 *q, int64_t n);
} orr__fieldkit;

/* The fastest table for this processor; the table of that name, or NULL if it is missing or cannot run. */
const orr__fieldkit *orr__fieldkit_best(void);
const orr__fieldkit *orr__fieldkit_named(const char *name);

/* shift: NULL for 1. False: no memory, or k is not 0 … 28. */
bool orr__ntt_make(orr__ntt *p, int k, bool inverse, const orr__fe *shift);
void orr__ntt_free(orr__ntt *p);
/* Bytes of scratch memory for one caller. */
size_t orr__ntt_work(const orr__ntt *p);

#endif
