/* The loops of the pack, on pointers and extents; codelets/share/ implements them.
 * Must not know: tensors, parties, the origin of keys. */
#ifndef ORR_OPS_SHARE_KERNELS_H
#define ORR_OPS_SHARE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <orrery/share.h>
#include "runtime/base/threshold.h"

/* out (m, n) = a (m, k) · b (k, n) modulo p; rows are ldo, lda and ldb elements apart. Operands and result are
 * reduced. */
void orr__p61_product(int64_t m, int64_t n, int64_t k, const uint64_t *a, int64_t lda, const uint64_t *b, int64_t ldb,
                      uint64_t *out, int64_t ldo);

/* The index of the first element that is not below p; −1: none. */
int64_t orr__p61_above(const uint64_t *x, int64_t n);

/* out = Σ row[i][first … first+n) modulo M, over `rows` rows; add: out + that. */
void orr__ring_sum(orr_modulus modulus, void *out, const void *const *row, int64_t rows, int64_t first, int64_t n,
                   bool add);

/* One stream of masks: the key of ChaCha20 with nonce 0 and little-endian words, and whether the mask is subtracted.
 * The struct has only bytes, so that it may be in memory for secrets. */
typedef struct {
    unsigned char key[32];
    bool minus;
} orr__mask;

/* Elements of a block of work, long enough to prefetch each row; bytes of scratch. */
enum { ORR__SHARE_BLOCK = ORR__KEPT_BYTES / 8, ORR__MASK_ROOM = ORR__T_FIRST_CACHE / 2 };
/* acc[i] ±= word first + i of every mask's stream, modulo 2^32 or 2^64; first is a multiple of 64. room: ORR__MASK_ROOM
 * bytes, which the caller wipes. false: this build has no ChaCha20. */
bool orr__mask_add(orr_modulus modulus, void *acc, int64_t first, int64_t n, const orr__mask *mask, int64_t masks,
                   unsigned char *room);

/* Element i of x (f32, f64 or a 64-bit integer dtype) as an integer modulo M. limit: the largest magnitude of the
 * integer. Returns the index of the first element that is not finite or beyond the limit; −1: all are encoded. */
int64_t orr__fixed_encode(orr_modulus modulus, int fraction, int64_t limit, orr_dtype dtype, const void *x, int64_t n,
                          void *out);
/* Integers modulo M to f64. */
void orr__fixed_decode(orr_modulus modulus, int fraction, const void *t, int64_t n, double *out);
/* Integers modulo M to i64. */
void orr__fixed_signed(orr_modulus modulus, const void *t, int64_t n, int64_t *out);

#endif
