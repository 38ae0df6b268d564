/* The table of inner loops over contiguous blocks: element-wise operations, casts, folds; one table per instruction set.
 * Must not know: regions, threads, which table is in use. */
#ifndef ORR_CPU_VEC_H
#define ORR_CPU_VEC_H

#include "codelets/cpu/fft.h"
#include "ops/ew_id.h"
#include "runtime/base/element.h"
#include "runtime/base/threshold.h"

/* dst[i] = row(x[i], y[i], z[i]) on register types. dst overlaps none of the operands. Operands that a row does not have may be NULL. */
typedef void orr__vecfn(void *restrict dst, const void *x, const void *y, const void *z, int64_t n);
/* dst[i] = x[i] in another dtype. f16 and bf16 are represented by their bits. */
typedef void orr__castfn(void *restrict dst, const void *restrict x, int64_t n);
/* Rounds x[i] to the nearest f16 or bf16; it stays an f32. */
typedef void orr__roundfn(float *x, int64_t n);

/* The state of a sum: a total and its rounding errors. Any other fold keeps its value in the first bytes; a fold of field elements keeps an
 * element, in an orr__accroom. */
typedef struct {
    union {
        double f;
        int64_t i;
        uint64_t u;
    } v;
    double lost;
} orr__acc;
typedef union {
    orr__acc acc;
    orr__fe element;
} orr__accroom;

/* Folds a block into acc, which is f64, i64, u64 for sums and products of numbers, else the register's type. */
typedef void orr__foldfn(orr__acc *acc, const void *x, int64_t n);
/* Folds x[i] into acc[i]; acc is an array of the types above, without rounding errors. */
typedef void orr__foldrowfn(void *restrict acc, const void *restrict x, int64_t n);
/* The extreme value of a block and its position: the first of equal values, a NaN before all others. *at < 0: no value yet. */
typedef void orr__argfn(void *value, int64_t *at, const void *x, int64_t n, int64_t first);
/* The same for n positions at once, each combined with its value number k. */
typedef void orr__argrowfn(void *restrict value, int64_t *restrict at, const void *restrict x, int64_t n, int64_t k);
/* c[j] += a · b[j], wrapping. Unsigned types of 1, 2, 4, 8 bytes also serve signed ones. */
typedef void orr__axpyfn(void *restrict c, const void *a, const void *restrict b, int64_t n);
/* best[i]: the greatest of x[i·step + off[t]] over t < terms, at least one, of windows i < n. at[i]: its place, i·step + off[t], as i32 for
 * f32, else i64. Of equal values the first, of NaN the last. */
typedef void orr__windowsfn(void *best, void *at, const void *x, const int64_t *off, int64_t terms, int64_t step,
                            int64_t n);
/* to[i·step + t] = h[i] where at[i] = first + i·step + t, else 0, for i < n and t < step. at: as above. */
typedef void orr__spreadfn(void *restrict to, const void *restrict at, const void *restrict h, int64_t first,
                           int64_t step, int64_t n);
/* y[i] = Σ w[r·taps + t] · x[r][i + t·apart] over r < rows, t < taps. */
typedef void orr__tapsfn(void *restrict y, const void *const *x, int64_t rows, const void *w, int64_t taps,
                         int64_t apart, int64_t n);
/* y[i] = Σ x[r][i·by + t] over r < rows, t < taps; by: 1 or 2. total: memory for n·by + taps numbers, if taps > 4. */
typedef void orr__boxfn(void *restrict y, const void *const *x, int64_t rows, int64_t taps, int64_t by, int64_t n,
                        void *restrict total);
/* acc[i] += x[i] in the stored dtype, rounded to it. */
typedef orr__foldrowfn orr__addfn;
/* dst[i]: element index[i] of a random stream, in its natural type (see orr__vec.random). */
typedef void orr__randfn(void *restrict dst, const int64_t *restrict index, uint64_t seed, int64_t n);

/* How consecutive iterations walk through an array: `run` elements with a stride, then the outer axes advance. */
typedef struct {
    const void *base; /* the first element; NULL: the map yields the index itself */
    int64_t first;    /* index of the first element                             */
    int64_t run, stride;
    int outer;
    int64_t dim[ORR_MAX_RANK + 1], step[ORR_MAX_RANK + 1]; /* outer axes */
} orr__vec_view;

/* Copies elements [p, p + n) of the walk to dst. */
typedef void orr__gatherfn(void *restrict dst, const orr__vec_view *v, int64_t p, int64_t n);
/* dst[i] = the place on an axis of the given length that index x[i] (i32 or i64) denotes, or 0. Returns the number of the first index out
 * of range, -1: none. */
typedef int64_t orr__placefn(int64_t *restrict dst, const void *restrict x, int64_t length, int64_t n);
/* Rows of `inner` elements: row place[j] of `to` is updated by row j of `from`, in order; rows with place[j] < 0 are skipped. */
typedef void orr__updatefn(void *restrict to, const void *restrict from, const int64_t *restrict place, int64_t n,
                           int64_t inner);
enum { ORR__UPDATE_ADD, ORR__UPDATE_MUL, ORR__UPDATE_MIN, ORR__UPDATE_MAX, ORR__UPDATES };
/* dst[i] = from[at[i] + by · place[i]] */
typedef void orr__takefn(void *restrict dst, const void *restrict from, const int64_t *restrict at,
                         const int64_t *restrict place, int64_t by, int64_t n);
/* dst[i] = start + step · index[i] */
typedef void orr__affinefn(void *restrict dst, const int64_t *restrict index, orr__scalar start, orr__scalar step,
                           int64_t n);

/* b ← b·M⁻¹ for `rows` rows of b, row stride ld. M is n × n, n ≤ ORR__PLAIN, with row stride ORR__PLAIN. */
typedef void orr__solvefn(const void *m, bool upper, bool unit, int64_t n, void *b, int64_t rows, int64_t ld);
/* orr__factor.potrf for n ≤ ORR__LEAF. */
typedef int64_t orr__potrffn(void *a, int64_t n, int64_t ld);

/* Small matrices of one shape, row-major and contiguous, factored side by side, each in its vector lane. m, n and k are at most
 * ORR__LANES_MOST. room: ORR__LANES_ROOM bytes for the elements of one matrix. The bits of a result do not depend on count. */
enum { ORR__LANES_MOST = 32 }; /* limit of order */
#define ORR__LANES_ROOM(elements) ((size_t)(elements)*64)
typedef struct {
    const void *a, *b; /* m × n, n × k */
    void *out;
    int64_t m, n, k, count;
    bool turned;             /* solve: Aᵀ                                                   */
    bool complete, triangle; /* qr: as many columns of Q as rows; R only                    */
} orr__lanes;
/* A⁻¹·B, m = n; room: n·(n + k) elements. Returns 0, or the number of the first pivot that is 0, from 1, of matrix number *which. */
typedef int64_t orr__lanessolvefn(const orr__lanes *s, void *room, int64_t *which);
/* to[c · tld + r] = from[r · fld + c] for rows × cols elements, in squares that fit into the first cache. */
typedef void orr__transposefn(void *to, int64_t tld, const void *from, int64_t fld, int64_t rows, int64_t cols);
/* Both triangles in rows of n + 1; the last element is the number of the matrix row at that position. room: m·(2n + 1) elements. */
typedef void orr__laneslufn(const orr__lanes *s, void *room);
/* For each column of Q one row: the column, followed by a row of R, with LAPACK's signs. room: m·n + n + rows · (m + n) elements. */
typedef void orr__lanesqrfn(const orr__lanes *s, void *room);

/* Sorts n keys, unsigned numbers. False: they are permuted, not sorted. scratch: space for n. */
typedef bool orr__sortfn(void *keys, int64_t n, void *scratch);
/* The keys of n elements of a dtype (order.h); returns the number of floats that are −0. The second makes elements from keys: ±0 as 0, NaN
 * as any NaN. */
typedef int64_t orr__keysfn(orr_dtype t, const void *x, void *key, int64_t n, bool descending);
typedef void orr__valuesfn(orr_dtype t, const void *key, void *y, int64_t n, bool descending);
/* c_q = a_q · b_q for q < count, n and k at most ORR__SMALL. Element (i, j) of a_q is at a[q·a_next + i·a_row + j·a_col], of b_q likewise.
 * c_q has row stride c_row, and follows the previous one at distance m · c_row. A sum is one chain in the order of k: its bits depend on no
 * extent, and not on count. With `add` the chains begin with the contents of c. */
enum { ORR__SMALL = 64 }; /* limit of order */
typedef struct {
    const void *a, *b;
    void *c;
    int64_t count, m, n, k;
    int64_t a_next, a_row, a_col, b_next, b_row, b_col, c_row;
    bool add;
} orr__small;
typedef void orr__smallfn(const orr__small *s);
/* The same for one product of any size, with the right factor times `scale`. room: ORR__LARGE_ROOM(n) elements. Limits of order. */
enum { ORR__LARGE_TERMS = 256, ORR__LARGE_ROWS = 6 * ORR__VECTOR, ORR__LARGE_PANEL = 4 * ORR__VECTOR };
#define ORR__LARGE_ROOM(n)                                                                                             \
    (ORR__LARGE_TERMS * (((n) + 2 * ORR__LARGE_PANEL - 1) / ORR__LARGE_PANEL * ORR__LARGE_PANEL + ORR__LARGE_ROWS))
typedef void orr__largefn(const orr__small *s, double scale, void *room);
/* The same for few rows: the right factor is read once, in place, and its rows or its columns are contiguous; in the second case the left
 * factor's rows are, too, and a sum has as many chains as a vector has elements, in each ORR__FEW_ACROSS terms, a limit of order.
 * ORR__FEW_TERMS: rows of the right factor that are read at a time. ORR__FEW_AHEAD: elements by which a prefetch leads a read. */
enum { ORR__FEW_ACROSS = 4096 };                    /* limit of order */
enum { ORR__FEW_TERMS = 16, ORR__FEW_AHEAD = 320 }; /* limit of the machine */

/* A right factor packed in panels of columns, for products without a copy. room: ORR__PACKED_ROOM(n, k) elements. The second is a product
 * of any size with the packed factor; s->b is not read. The order of a sum is that of the product above. The chains begin with the rows of
 * `from`, NULL: with zeros; s->add is not read. */
#define ORR__PACKED_ROOM(n, k)                                                                                         \
    ((((n) + ORR__LARGE_PANEL - 1) / ORR__LARGE_PANEL * ORR__LARGE_PANEL + ORR__LARGE_PANEL) * (k))
typedef void orr__packfn(const orr__small *s, void *to);
typedef void orr__packedfn(const orr__small *s, const void *right, const void *from, int64_t from_row);

/* A step of a recurrent cell for n units of a sequence; the gates are contiguous. sums: of the products and, except for a GRU, of x.
 * before: the previous state, c of an LSTM, h of a GRU. The gates are kept, and for a GRU the product of n (ops/nn/recurrence.h). */
typedef void orr__cellfn(const void *sums, const void *x, const void *before, void *restrict gates,
                         void *restrict state, void *restrict h, int64_t n);
/* The cotangents d from that of h, dy + dh, and from dc. dh and dc become those of the step before, dh without the product. now: the state
 * after the step. */
typedef void orr__cellbackfn(const void *gates, const void *before, const void *now, const void *dy, void *restrict dh,
                             void *restrict dc, void *restrict d, int64_t n);
enum { ORR__CELLS = 4 };

/* True if all n elements are finite. */
typedef bool orr__finitefn(const void *x, int64_t n);
/* The greatest of n elements; −inf if n is 0. */
typedef double orr__greatestfn(const void *row, int64_t n);
/* x[i] = e^(x[i] − shift); returns the sum. */
typedef double orr__expfn(void *row, int64_t n, double shift);

enum { ORR__ROWS = ORR__EW_END - ORR__OP_EW, ORR__ROPS = ORR__RALL + 1 };
enum {
    ORR__RAND_BITS32,
    ORR__RAND_BITS64,
    ORR__RAND_F16,
    ORR__RAND_BF16,
    ORR__RAND_F32,
    ORR__RAND_F64,
    ORR__RAND_NORMAL,
    ORR__RAND_KINDS
};

typedef struct {
    const char *isa;
    orr__vecfn *const *row[ORR_DTYPE_COUNT]; /* [operands' register dtype][row]; NULL: does not apply */
#define VEC_ROW(dtype, name)
#define VEC_FUNCTION(field, type) type *field;
#define VEC_PAIR(field, type, first, second) type *field[2];
#define VEC_REALS(field, type) type *field[2];
#define VEC_TABLE(field, type) type *const *field;
#define VEC_TABLES(field, type, n) type *const(*field)[n];
#include "codelets/cpu/vec.def"
} orr__vec;
extern const orr__vec orr__vec_base, orr__vec_v3, orr__vec_v4, orr__vec_sve;

/* These are the same for every instruction set (field_rows.c). */
extern orr__vecfn *const orr__vec_rows_fr254[], *const orr__vec_rows_fq254[];
extern orr__foldfn orr__vec_sum_fr254, orr__vec_sum_fq254, orr__vec_product_fr254, orr__vec_product_fq254;
extern orr__foldrowfn orr__vec_sumrow_fr254, orr__vec_sumrow_fq254, orr__vec_productrow_fr254,
    orr__vec_productrow_fq254;

/* The functions of one instruction set. */
#ifdef ORR__ISA
#define ORR__V_PASTE_(name, isa) name##_##isa
#define ORR__V_PASTE(name, isa) ORR__V_PASTE_(name, isa)
#define ORR__V(name) ORR__V_PASTE(name, ORR__ISA)
/* Selects elements of two vectors by their numbers. */
#ifdef __clang__
#define VEC_PICK(a, b, places, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VEC_PICK(a, b, places, ...) __builtin_shuffle(a, b, (places){ __VA_ARGS__ })
#endif
#define VEC_ROW(dtype, name) extern orr__vecfn *const ORR__V(orr__vec_rows_##name)[];
#define VEC_FUNCTION(field, type) extern type ORR__V(orr__vec_##field);
#define VEC_PAIR(field, type, first, second) extern type ORR__V(orr__vec_##first), ORR__V(orr__vec_##second);
#define VEC_REALS(field, type) VEC_PAIR(field, type, field##_f32, field##_f64)
#define VEC_TABLE(field, type) extern type *const ORR__V(orr__vec_##field)[];
#define VEC_TABLES(field, type, n) extern type *const ORR__V(orr__vec_##field)[][n];
#include "codelets/cpu/vec.def"
#endif

#endif
