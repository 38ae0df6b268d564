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
    orr__castfn *const *cast;                /* [from · ORR_DTYPE_COUNT + to], stored dtypes          */
    orr__roundfn *round_f16;
    orr__roundfn *round_bf16[2];         /* [0 any value, 1 a result of IEEE arithmetic on bf16 values]          */
    orr__foldfn *const *fold[ORR__ROPS]; /* [rop][register dtype]; any, all: bool only            */
    orr__foldrowfn *const *foldrow[ORR__ROPS];
    orr__argfn *const *arg[2]; /* [0 max, 1 min][register dtype]                        */
    orr__argrowfn *const *argrow[2];
    orr__axpyfn *const *axpy;                        /* [stored dtype], ints                                  */
    orr__addfn *add[2];                              /* of f32, f64                                           */
    orr__updatefn *const *set;                       /* [log2 of the element's bytes], at most 8              */
    orr__updatefn *const (*update)[ORR_DTYPE_COUNT]; /* [ORR__UPDATE_…][stored dtype]    */
    orr__randfn *const *random;                      /* u32, u64; f32 for f16, bf16, f32; f64 for f64, normal */
    orr__gatherfn *const *gather;                    /* [log2 of the element's bytes]                         */
    orr__gatherfn *index;                            /* the indices themselves, int64_t                       */
    orr__placefn *place[2];                          /* of i32, i64                                           */
    orr__takefn *const *take;                        /* [log2 of the element's bytes]                         */
    orr__affinefn *affine_f64, *affine_u64;
    orr__solvefn *solve[2]; /* of f32, f64                                         */
    orr__potrffn *potrf[2];
    orr__lanessolvefn *lanes_solve[2];
    orr__transposefn *transpose[2];
    orr__laneslufn *lanes_lu[2];
    orr__lanesqrfn *lanes_qr[2];
    orr__smallfn *small[2]; /* of f32, f64 */
    orr__largefn *large[2];
    orr__packfn *pack[2];
    orr__packedfn *packed[2];
    orr__cellfn *const (*cell)[2]; /* [orr_cell][of f32, f64] */
    orr__cellbackfn *const (*cell_back)[2];
    orr__fftfn *fft[2]; /* of complex numbers with parts of f32, f64 */
    orr__fftlanesfn *fft_lanes[2];
    orr__ffthalffn *fft_half[2];
    orr__ffttimesfn *fft_times[2];
    orr__sortfn *const *sort; /* [log2 of the key's bytes]; NULL: the instruction set has only radix sort */
    orr__keysfn *const *keys; /* likewise */
    orr__valuesfn *const *values;
    orr__greatestfn *greatest[2];
    orr__expfn *exp[2];
    orr__tapsfn *taps[2]; /* of f32, f64 */
    orr__boxfn *box[2];
    orr__windowsfn *windows[2];
    orr__spreadfn *spread[2];
    orr__finitefn *const *finite; /* [stored dtype], floats */
} orr__vec;

/* These are the same for every instruction set (field_rows.c). */
extern orr__vecfn *const orr__vec_rows_fr254[], *const orr__vec_rows_fq254[];
extern orr__foldfn orr__vec_sum_fr254, orr__vec_sum_fq254, orr__vec_product_fr254, orr__vec_product_fq254;
extern orr__foldrowfn orr__vec_sumrow_fr254, orr__vec_sumrow_fq254, orr__vec_productrow_fr254,
    orr__vec_productrow_fq254;

#define ORR__V_PASTE_(name, isa) name##_##isa
#define ORR__V_PASTE(name, isa) ORR__V_PASTE_(name, isa)
#define ORR__V(name) ORR__V_PASTE(name, ORR__ISA)

#define ORR__V_DECLARE(isa)                                                                                            \
    extern const orr__vec ORR__V_PASTE(orr__vec, isa);                                                                 \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_bool8, isa)[], *const ORR__V_PASTE(orr__vec_rows_i8, isa)[];   \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_i16, isa)[], *const ORR__V_PASTE(orr__vec_rows_i32, isa)[];    \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_i64, isa)[], *const ORR__V_PASTE(orr__vec_rows_u8, isa)[];     \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_u16, isa)[], *const ORR__V_PASTE(orr__vec_rows_u32, isa)[];    \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_u64, isa)[], *const ORR__V_PASTE(orr__vec_rows_f32, isa)[];    \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_f64, isa)[];                                                   \
    extern orr__vecfn *const ORR__V_PASTE(orr__vec_rows_c64, isa)[], *const ORR__V_PASTE(orr__vec_rows_c128, isa)[];   \
    extern orr__castfn *const ORR__V_PASTE(orr__vec_casts, isa)[];                                                     \
    extern orr__foldfn *const ORR__V_PASTE(orr__vec_folds, isa)[ORR__ROPS][ORR_DTYPE_COUNT];                           \
    extern orr__foldrowfn *const ORR__V_PASTE(orr__vec_foldrows, isa)[ORR__ROPS][ORR_DTYPE_COUNT];                     \
    extern orr__argfn *const ORR__V_PASTE(orr__vec_args, isa)[2][ORR_DTYPE_COUNT];                                     \
    extern orr__argrowfn *const ORR__V_PASTE(orr__vec_argrows, isa)[2][ORR_DTYPE_COUNT];                               \
    extern orr__axpyfn *const ORR__V_PASTE(orr__vec_axpys, isa)[];                                                     \
    extern orr__finitefn *const ORR__V_PASTE(orr__vec_finites, isa)[ORR_DTYPE_COUNT];                                  \
    extern orr__addfn ORR__V_PASTE(orr__vec_add_f32, isa), ORR__V_PASTE(orr__vec_add_f64, isa);                        \
    extern orr__updatefn *const ORR__V_PASTE(orr__vec_sets, isa)[];                                                    \
    extern orr__updatefn *const ORR__V_PASTE(orr__vec_updates, isa)[ORR__UPDATES][ORR_DTYPE_COUNT];                    \
    extern orr__randfn *const ORR__V_PASTE(orr__vec_randoms, isa)[];                                                   \
    extern orr__gatherfn *const ORR__V_PASTE(orr__vec_gathers, isa)[];                                                 \
    extern orr__placefn ORR__V_PASTE(orr__vec_place_i32, isa), ORR__V_PASTE(orr__vec_place_i64, isa);                  \
    extern orr__takefn *const ORR__V_PASTE(orr__vec_takes, isa)[];                                                     \
    extern orr__gatherfn ORR__V_PASTE(orr__vec_index, isa);                                                            \
    extern orr__affinefn ORR__V_PASTE(orr__vec_affine_f64, isa), ORR__V_PASTE(orr__vec_affine_u64, isa);               \
    extern orr__solvefn ORR__V_PASTE(orr__vec_solve_f32, isa), ORR__V_PASTE(orr__vec_solve_f64, isa);                  \
    extern orr__fftfn ORR__V_PASTE(orr__vec_fft_row_f32, isa), ORR__V_PASTE(orr__vec_fft_row_f64, isa);                \
    extern orr__fftlanesfn ORR__V_PASTE(orr__vec_fft_lanes_f32, isa), ORR__V_PASTE(orr__vec_fft_lanes_f64, isa);       \
    extern orr__ffthalffn ORR__V_PASTE(orr__vec_fft_half_f32, isa), ORR__V_PASTE(orr__vec_fft_half_f64, isa);          \
    extern orr__ffttimesfn ORR__V_PASTE(orr__vec_fft_times_f32, isa), ORR__V_PASTE(orr__vec_fft_times_f64, isa);       \
    extern orr__keysfn *const ORR__V_PASTE(orr__vec_keys, isa)[];                                                      \
    extern orr__valuesfn *const ORR__V_PASTE(orr__vec_values, isa)[];                                                  \
    extern orr__sortfn *const ORR__V_PASTE(orr__vec_sorts, isa)[];                                                     \
    extern orr__potrffn ORR__V_PASTE(orr__vec_potrf_f32, isa), ORR__V_PASTE(orr__vec_potrf_f64, isa);                  \
    extern orr__lanessolvefn ORR__V_PASTE(orr__vec_lanes_solve_f32, isa), ORR__V_PASTE(orr__vec_lanes_solve_f64, isa); \
    extern orr__transposefn ORR__V_PASTE(orr__vec_transpose_f32, isa), ORR__V_PASTE(orr__vec_transpose_f64, isa);      \
    extern orr__laneslufn ORR__V_PASTE(orr__vec_lanes_lu_f32, isa), ORR__V_PASTE(orr__vec_lanes_lu_f64, isa);          \
    extern orr__lanesqrfn ORR__V_PASTE(orr__vec_lanes_qr_f32, isa), ORR__V_PASTE(orr__vec_lanes_qr_f64, isa);          \
    extern orr__smallfn ORR__V_PASTE(orr__vec_small_f32, isa), ORR__V_PASTE(orr__vec_small_f64, isa);                  \
    extern orr__largefn ORR__V_PASTE(orr__vec_large_f32, isa), ORR__V_PASTE(orr__vec_large_f64, isa);                  \
    extern orr__packfn ORR__V_PASTE(orr__vec_pack_f32, isa), ORR__V_PASTE(orr__vec_pack_f64, isa);                     \
    extern orr__packedfn ORR__V_PASTE(orr__vec_packed_f32, isa), ORR__V_PASTE(orr__vec_packed_f64, isa);               \
    extern orr__cellfn *const ORR__V_PASTE(orr__vec_cells, isa)[ORR__CELLS][2];                                        \
    extern orr__cellbackfn *const ORR__V_PASTE(orr__vec_cells_back, isa)[ORR__CELLS][2];                               \
    extern orr__greatestfn ORR__V_PASTE(orr__vec_greatest_f32, isa), ORR__V_PASTE(orr__vec_greatest_f64, isa);         \
    extern orr__expfn ORR__V_PASTE(orr__vec_exp_f32, isa), ORR__V_PASTE(orr__vec_exp_f64, isa);                        \
    extern orr__tapsfn ORR__V_PASTE(orr__vec_taps_f32, isa), ORR__V_PASTE(orr__vec_taps_f64, isa);                     \
    extern orr__boxfn ORR__V_PASTE(orr__vec_box_f32, isa), ORR__V_PASTE(orr__vec_box_f64, isa);                        \
    extern orr__windowsfn ORR__V_PASTE(orr__vec_windows_f32, isa), ORR__V_PASTE(orr__vec_windows_f64, isa);            \
    extern orr__spreadfn ORR__V_PASTE(orr__vec_spread_f32, isa), ORR__V_PASTE(orr__vec_spread_f64, isa);               \
    extern orr__roundfn ORR__V_PASTE(orr__vec_round_f16, isa), ORR__V_PASTE(orr__vec_round_bf16, isa);                 \
    extern orr__roundfn ORR__V_PASTE(orr__vec_fit_bf16, isa)
ORR__V_DECLARE(base);
ORR__V_DECLARE(v3);
ORR__V_DECLARE(v4);
ORR__V_DECLARE(sve);

#endif
