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

/* An evaluated operand. */
typedef struct {
    orr_scope *scope; /* owns tensors made from it */
    const void *data;
    orr_shape shape;
    orr_dtype dtype;
    int64_t n;
    orr_tensor *bad; /* the result of the function if the operand is refused */
} orr__operand_data;

/* Opens an operand. false: `bad` is set and is the last error; the operand need not be closed. */
bool orr__operand_open(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o);
/* As orr__operand_open, for elements of the ring, which are checked to be below M. */
bool orr__operand_ring(orr__site at, orr_tensor *t, const char *name, orr_modulus m, orr__operand_data *o);
/* As orr__operand_open, for dtypes that orr_fixed_encode takes, as f32, f64, i64 or u64. */
bool orr__operand_number(orr__site at, orr_tensor *t, const char *name, orr__operand_data *o);
void orr__operand_close(orr__operand_data *o);

orr_dtype orr__modulus_dtype(orr_modulus m); /* ORR_DTYPE_COUNT: no such modulus */
/* ⌊(⌈M/2⌉ − 1) / addends⌋; −1 and last error: no format */
int64_t orr__fixed_most(orr__site at, orr_fixed f);

/* Memory for a result of n elements; NULL and last error. */
void *orr__result_new(orr__site at, orr_dtype dtype, int64_t n);
/* The tensor with this memory. If st is an error, frees the memory and returns poison of the last error. */
orr_tensor *orr__result(orr__site at, orr_status st, orr_dtype dtype, orr_shape shape, void *data);
/* The shape (n, …); false: rank 8 already, or too many elements (last error). */
bool orr__shape_of_shares(orr__site at, const orr_shape *s, int64_t n, orr_shape *out);

/* Uniform elements of the ring. */
orr_status orr__ring_random(orr__site at, orr_modulus m, void *out, int64_t n);
/* Initialises libsodium; ORR_EDEVICE if this build has none. */
orr_status orr__need_sodium(orr__site at);

/* Sets row i of `out` (n rows, ldo elements apart) to f_j(points[i]) for the secrets j < count. Points are reduced and not 0. */
orr_status orr__shamir_split(orr__site at, const uint64_t *secret, int64_t count, int threshold, const uint64_t *points,
                             int n, uint64_t *out, int64_t ldo);
/* bary[i] = 1/Π(x_i − x_j) over all other points. Points are distinct. n² products. */
void orr__lagrange_prepare(const uint64_t *points, int n, uint64_t *bary);
/* Computes weight[i] with f(x) = Σ weight[i]·f(points[i]) for every f of degree below n; x may be one of the points. */
void orr__lagrange_at(const uint64_t *points, const uint64_t *bary, int n, uint64_t x, uint64_t *weight);
/* Finds the f of degree below t that passes through all but at most (k − t)/2 of the shares. *secret: f(0); wrong[i]:
 * share i is not on f. Returns 1: found; 0: no such f; −1: no memory, last error. */
int orr__berlekamp_welch(const uint64_t *points, const uint64_t *share, int k, int t, uint64_t *secret, bool *wrong);

#endif
