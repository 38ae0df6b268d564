/* Helpers of the pack's functions: operands as memory, memory as results, random elements.
 * Must not know: any of the schemes. */
#ifndef ORR_OPS_SHARE_SHARE_H
#define ORR_OPS_SHARE_SHARE_H

#include <stdbool.h>
#include <orrery/share.h>
#include "ops/share/kernels.h"
#include "runtime/base/status.h"

/* The error of a function without libsodium. */
#define ORR__NO_SODIUM "this library was built without libsodium (Debian, Ubuntu: libsodium-dev)"

/* An operand, evaluated. */
typedef struct {
    orr_scope *scope; /* owns what was made of it */
    const void *data;
    orr_shape shape;
    orr_dtype dtype;
    int64_t n;
    orr_tensor *bad; /* the function's result where there is no operand */
} orr__operand_data;

/* Its elements; false: nothing is to be closed, `bad` is set and is the last error. */
bool orr__operand_open(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o);
/* The same, of elements of the ring, checked to be below M. */
bool orr__operand_ring(orr__site at, orr_tensor *t, const char *name, orr_modulus m, orr__operand_data *o);
/* The same, of what orr_fixed_encode takes, as f32, f64, i64 or u64. */
bool orr__operand_number(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o);
void orr__operand_close(orr__operand_data *o);

orr_dtype orr__modulus_dtype(orr_modulus m); /* ORR_DTYPE_COUNT: no such modulus */
/* ⌊(⌈M/2⌉ − 1) / addends⌋; −1 and last error: no format */
int64_t orr__fixed_most(orr__site at, orr_fixed f);

/* Memory for a result of n elements; NULL and last error. */
void *orr__result_new(orr__site at, orr_dtype dtype, int64_t n);
/* The tensor around it; where st is an error, the memory goes and the result is the last error's poison. */
orr_tensor *orr__result(orr__site at, orr_status st, orr_dtype dtype, orr_shape shape, void *data);
/* shape with n before it; false: rank 8 already, or too many elements (last error) */
bool orr__shape_of_shares(orr__site at, const orr_shape *s, int64_t n, orr_shape *out);

/* Elements of the ring, uniform. */
orr_status orr__ring_random(orr__site at, orr_modulus m, void *out, int64_t n);
/* Whether this build has libsodium, which is started; ORR_EDEVICE where not. */
orr_status orr__need_sodium(orr__site at);

enum { ORR__SHARE_BLOCK = 16384 }; /* elements of a block of work on one operand */

/* Row i of `out` (n rows, ldo elements apart) becomes f_j(points[i]) for `count` secrets, j < count. Points are reduced, not 0. */
orr_status orr__shamir_split(orr__site at, const uint64_t *secret, int64_t count, int threshold, const uint64_t *points,
                             int n, uint64_t *out, int64_t ldo);
/* bary[i] = 1/Π(x_i − x_j) over the other points, which all differ. n² products. */
void orr__lagrange_prepare(const uint64_t *points, int n, uint64_t *bary);
/* weight[i], by which f(x) = Σ weight[i]·f(points[i]) for every f of degree below n; x may be one of the points. */
void orr__lagrange_at(const uint64_t *points, const uint64_t *bary, int n, uint64_t x, uint64_t *weight);
/* f(0) for the f of degree below t that all but at most (k − t)/2 of the shares lie on, and wrong[i]: share i is none of
 * its values. 1: found; 0: there is none; −1: no memory, last error. */
int orr__berlekamp_welch(const uint64_t *points, const uint64_t *share, int k, int t, uint64_t *secret, bool *wrong);

#endif
