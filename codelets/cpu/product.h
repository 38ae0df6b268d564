/* One matrix product, panel by panel of rows.
 * Must not know: batches, the use of the product. */
#ifndef ORR_CPU_PRODUCT_H
#define ORR_CPU_PRODUCT_H

#include <stdatomic.h>
#include "codelets/codelet.h"
#include "codelets/cpu/vec.h"
#include "runtime/base/threshold.h"

/* One operand of one product: rows × cols, element (r, c) at p + (r·rs + c·cs)·size. */
typedef struct {
    const char *p;
    int64_t rows, cols, rs, cs;
} orr__mat;

/* Memory of one launch. Large blocks belong to the pool, which reuses them for values later. They do not count as
 * values. */
typedef struct {
    void *p;
    size_t size, cap; /* bytes; cap: of a block of the pool, 0 for other memory */
} orr__room;

typedef struct {
    const orr__launch *l;
    const orr__vec *vec;
    orr_dtype dtype;        /* of the operands as stored           */
    orr_dtype blas;         /* dtype of the multiplication         */
    orr_dtype to;           /* of the product as stored: one of the two */
    size_t size;            /* of a stored operand's element       */
    bool small;             /* computed by our own loops: orr__product_is_small */
    orr__mat right, walked; /* the right factor as given, and as BLAS reads it … */
    bool ready, tb;         /* … valid when `ready`                             */
    int64_t ldb;
    orr__room a, b, c; /* packed operands, converted result   */
} orr__product;

/* True if plain loops finish before any other path has started. */
static inline bool orr__product_is_tiny(int64_t rows, int64_t cols, int64_t terms)
{
    enum { TINY = 4 * ORR__VECTOR }; /* multiplications */
    return rows * cols <= TINY && rows * cols * terms <= TINY;
}
/* c, contiguous and of dtype t, = a · b by plain loops. False: no loops for this dtype. */
bool orr__product_loops(orr_dtype t, const orr__mat *a, const orr__mat *b, void *c);
/* Is a product with all rows of a region computed by our own loops (orr__vec.small)? The answer also holds for a part
 * of its rows. */
bool orr__product_is_small(const orr__region *r);
void orr__product_begin(orr__product *w, const orr__launch *l, const orr__vec *vec, orr_dtype dtype, orr_dtype to);
static inline void orr__product_right(orr__product *w, orr__mat b)
{
    w->right = b;
    w->ready = false;
}
/* c, contiguous and of dtype `to`, = a · the right factor. */
orr_status orr__product_rows(orr__product *w, const orr__mat *a, void *c);
void orr__product_end(orr__product *w);

/* At least count · size bytes, 64-byte aligned; the contents may be lost. An empty orr__room is all zeros. */
orr_status orr__product_room(const orr__product *w, orr__room *room, int64_t count, size_t size);
void orr__room_end(orr__room *room);

/* gemm.c: c (rows of a × cols of b, row stride ldc, f32, f64 or complex) = a · b, + c with `add`. BLAS must be able to
 * read both; ta, tb: as their transposes. */
void orr__gemm(orr_dtype blas, const orr__mat *a, bool ta, int64_t lda, const orr__mat *b, bool tb, int64_t ldb,
               bool add, char *c, int64_t ldc);
/* The same for scale · a · b, of f32 or f64, if extents fit into int and BLAS has its buffers. */
void orr__gemm_scaled(orr_dtype blas, double scale, const orr__mat *a, bool ta, int64_t lda, const orr__mat *b, bool tb,
                      int64_t ldb, bool add, void *c, int64_t ldc);
/* True if BLAS computes this without its buffer. */
bool orr__gemm_unpacked(orr_dtype blas, const orr__mat *a, const orr__mat *b, bool tb);
/* As least_rows of a backend (codelets/codelet.h): loops of our own sum each element in one order, BLAS in one that depends on the rows. */
int64_t orr__gemm_least_rows(const orr__region *r);
/* Measures whether loops of our own are faster than BLAS here, until *stop. */
void orr__gemm_measure(const atomic_bool *stop);
#define ORR__GEMM_MOST ((int64_t)1 << 30) /* largest extent of one BLAS call: its dimensions are int */

#endif
