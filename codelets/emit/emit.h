/* From a region to the text of one kernel, in any of the dialects; and the argument words of a launch.
 * Must not know: devices, compilers, queues. */
#ifndef ORR_EMIT_EMIT_H
#define ORR_EMIT_EMIT_H

#include "codelets/codelet.h"
#include "codelets/emit/text.h"
#include "runtime/base/threshold.h"

/* A language in which kernels are written, as a set of words. The emitter knows nothing else of it. */
typedef struct orr__dialect {
    const char *name;
    const char *prelude;  /* types orr_i8 … orr_f64, ORR_FN, bit casts, the few functions that differ        */
    const char *kernel;   /* qualifiers of the kernel function                                                 */
    const char *global;   /* qualifier of a pointer to global memory                                           */
    const char *constant; /* qualifiers of a constant array beside the kernel                                */
    const char *words;    /* the parameter for words that do not fit by value                                  */
    const char *begin;    /* declares `i`, the number of the output element, from the work item                */
    const char *end;
    int group;            /* work items of a group that folds together, a power of two                         */
    const char *grouped;  /* qualifiers of a kernel with groups of that size                                   */
    const char *seat;     /* declares `block`, the group's number (below ORR_BLOCKS), and `me`, the item's in it */
    const char *share;    /* qualifier of a group's shared memory                                               */
    const char *prelude2; /* of such kernels: ORR_BARRIER; ORR_FENCE, a barrier for global memory too; orr_least(p, v),
                            which atomically makes *p ≤ v; orr_swap(p, v), which atomically makes *p = v and returns
                            the previous value */
    const char *fma[2];   /* for f32, f64: a preprocessor expression, true if fma is one fast instruction      */
    const char *math[2];  /* for f32, f64: maps the C math names to functions of the type; unmath reverts it    */
    const char *unmath;
    const char *size; /* the items of a group of a kernel without groups that fold; NULL where wide is 0      */
    int wide;         /* bytes that a work item moves best at a time; 0: it computes one element            */
    bool matrix;      /* some devices have matrix instructions, and copies to shared memory that run ahead (matrix.h) */
    bool by_value;    /* words may be a struct passed by value                                             */
    bool arrays;      /* the kernel takes two arrays of pointers, not one parameter per pointer            */
} orr__dialect;

extern const orr__dialect orr__dialect_opencl, orr__dialect_cuda, orr__dialect_c;

/* Facts of devices: items of a warp, which read memory together; of a group; rows of a matrix instruction. Tiles follow from them: an item
 * has CELLS × CELLS sums in its registers, and a step of a sum has the terms of a line of f32. */
enum {
    ORR__EMIT_WARP = 32,
    ORR__EMIT_GROUP = 8 * ORR__EMIT_WARP,
    ORR__EMIT_MATRIX_ROWS = 16
}; /* limit of the machine */
enum { ORR__EMIT_CELLS = 4, ORR__EMIT_TERMS = ORR__VECTOR };
/* Of a large device. */
enum { ORR__EMIT_MULTIPROCESSORS = ORR__T_DEVICE_GROUPS / 8 };
/* Items of a group of a user's kernel that sets no number. */
enum { ORR__EMIT_USER = 2 * ORR__EMIT_WARP };

/* Arguments by value: every OpenCL 1.2 device accepts 1024 bytes of them. */
enum { ORR__EMIT_ARG_BYTES = 1024 }; /* limit of the machine */

/* How an access moves along an axis: a part of the text, and so of a kernel's key. Behind ANY: ANY + n moves by n elements, 2 to
 * ORR__STEP_NEAR, along the innermost axis of a C kernel, whose compiler then loads whole vectors and chooses among their elements. */
enum { ORR__MOVE_NONE, ORR__MOVE_UNIT, ORR__MOVE_ANY };

/* How a kernel computes an output element: one work item alone; the items of a group together (folds; several elements per group when there
 * is little to fold); or a group computes a tile of a matrix product. Words of the last two, at group_at: */
enum {
    ORR__GROUP_BLOCKS, /* number of groups                                                                      */
    ORR__GROUP_SHAPE,  /* log2 of the items that fold an element; + 16 if neighbouring items have different elements */
    ORR__GROUP_COUNT,  /* values that an element is folded from                                                 */
    ORR__GROUP_PARTS,  /* log2 of the groups that share an element's values                                     */
    ORR__GROUP_STAGE,  /* 0 one stage; 1 parts are folded into scratch memory, 2 the parts into the element     */
    ORR__GROUP_WORDS
};

/* The part of a product, or of attention, that a group computes. */
typedef struct orr__tile {
    int rows, cols;
    int resident; /* groups that a multiprocessor holds at once */
    bool ahead;   /* the next terms are copied to shared memory during a step */
    bool matrix;  /* matrix instructions compute it where the target has them */
} orr__tile;

/* The properties of a region besides its instructions, and the position of each argument word. Argument words are 64-bit. Those of matmul
 * are in product.c, those of calls in call.h. All others:
 *   0                 number of output elements; of a region with rows, of rows
 *   1                 index at which axis 0 starts (for arg-reductions)
 *   2 …               size of each axis; of axis 0, hi - lo
 *   2 + rank …        unless linear: the divisors by each of these sizes (orr_quotient in dialect.c)
 *   at[a]             offset of access a, then its strides of kind ORR__MOVE_ANY in axis order, then `by` of gathers,
 *                     or begin and end of its box for each axis of that
 *   out_at + k        offset of output k
 *   span_at           of a layout with spans: whole spans are contiguous and aligned in all arrays
 *   scalar_at …       scalars in instruction order, each in its register's representation */
typedef struct orr__layout {
    int nword, out_at, scalar_at;
    int span, span_axis;     /* elements that a work item computes together, along this axis; <= 1: one     */
    int span_at, span_bytes; /* its word; bytes of the widest access                                     */
    orr__tile tile;          /* of a product, or of attention */
    int group, group_at;     /* items of a group and the position of its words; 0: no groups */
    bool by_value;
    bool alone;      /* each item folds an element alone; set by the launcher, the text is the same          */
    int scratch;     /* bytes a part of the parameter before the words: memory between a reduction's stages; 0: none */
    bool flag;       /* a parameter before the words: the report of wrong indices, see below      */
    bool linear;     /* a map in which every access is contiguous or a single element: the axes are not needed */
    bool *unrounded; /* ninstr: registers that their store rounds to f16; NULL: none               */
    bool no_nan;     /* the kernel has checked that the scalars of bounded instructions are not NaN      */
    int32_t *at;     /* naccess word numbers */
    uint8_t *move;   /* naccess × ORR_MAX_RANK */
    int8_t *boxes;   /* naccess: numbers of different boxes, -1: no box; only of C loops */
    bool *packed;    /* naccess: the access reads a copy, pack<a>; NULL: none */
    bool *joined;    /* naccess: the access reads join<a>, from the block's first element on; NULL: none */
    int16_t *column; /* of joined rows, naccess: the n of columns<n>, which has all bits set where the box allows the
                       column, from the block's first element on; -1: every column. NULL: rows are not joined */
} orr__layout;

/* The way in which the text at an element learns that it is inside of the box of an access. */
typedef enum orr__boxed {
    ORR__BOXED_AXES,   /* the index on each axis is compared                                                    */
    ORR__BOXED_RANGE,  /* lo<a>, hi<a> are the range of the innermost loop inside of access a's box                */
    ORR__BOXED_ALL,    /* the innermost loop is inside of all boxes                                             */
    ORR__BOXED_SET,    /* it is inside of the boxes of the set `inside`, bit g: box g, and of no others              */
    ORR__BOXED_TESTED, /* the kernel's variable `set` is the set; no vector is loaded where it is tested            */
} orr__boxed;

/* The loops around an instruction, as far as its text depends on them. A loop gives its body a copy with its own changes. All zeros: a
 * kernel of a device, or the text outside of all innermost loops. */
typedef struct orr__around {
    orr__boxed boxed;
    uint64_t inside;
    int masked; /* the loop is one vector, of which `left` elements, from `lane` 0 on, exist: bytes of the narrowest; else 0 */
    bool near; /* functions use their near form, and set `far` if an argument is too large for it        */
} orr__around;

/* The flag has ORR__FLAG_INTS ints for each of orr__emit_flags(region) indices, in instruction order. The first int is the least number of
 * a wrong index, and INT32_MAX before. If the index with number WANTED is wrong, the last two ints receive its value. A kernel may run
 * again to find it. */
enum { ORR__FLAG_LEAST, ORR__FLAG_WANTED, ORR__FLAG_LOW, ORR__FLAG_HIGH, ORR__FLAG_INTS };
int orr__emit_flags(const orr__region *r);
/* For messages: the user's call site, the axis, and its length, of index n. */
orr__site orr__emit_flag_of(const orr__region *r, int n, int *axis, int64_t *length);

/* The near form's function of an instruction, for arguments that are not large; NULL: none. */
const char *orr__emit_near(const orr__rinstr *in);

/* fp64 false: refuses regions that need double. */
bool orr__emit_can(const orr__region *r, bool fp64);
/* Do its work items compute in groups? */
bool orr__emit_groups(const orr__region *r);
orr_status orr__layout_make(const orr__region *r, const orr__dialect *d, orr__layout *l);
void orr__layout_free(orr__layout *l);
bool orr__layout_equal(const orr__layout *a, const orr__layout *b, const orr__region *r);

/* The NUL-terminated text, which the caller frees; NULL with the last error set. The kernel is named orr_kernel. Its parameters are inputs,
 * outputs, flag and scratch memory by the layout, and words (struct by value or pointer). If the compiler's command line defines ORR_WIDE,
 * indices have 64 bits, else 32. */
char *orr__emit(const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64);

/* The words of a launch. Returns whether 32-bit indices suffice. */
bool orr__emit_words(const orr__launch *l, const orr__layout *lay, bool fp64, int64_t *word);

/* The work items of a launch: at least `items`, in groups of `group`; 0: of any size. */
typedef struct orr__geometry {
    int64_t items;
    int group;
} orr__geometry;
orr__geometry orr__emit_geometry(const orr__layout *l, const int64_t *word);

/* Kernels in several launches (reductions in two, calls) have a scratch memory of this many bytes as a parameter; 0: NULL. orr__emit_next
 * turns the words of a launch into those of the next; false: that was the last. */
size_t orr__emit_scratch(const orr__launch *l, const orr__layout *lay, const int64_t *word);
bool orr__emit_next(const orr__launch *l, const orr__layout *lay, int64_t *word);
/* The error of a kernel that defines the meaning of flag `number` itself; ORR_OK: a wrong index. */
orr_status orr__emit_refused(const orr__region *r, int64_t number);

/* Writes the words of the scalars in instruction order; returns the position after them. */
int64_t *orr__emit_scalar_words(const orr__launch *l, bool fp64, int64_t *word);

/* -- within the room ----------------------------------------------------------------------------------- */

/* Shared helper functions, each in all dialects. */
enum {
    ORR__NEED_F16 = 1,
    ORR__NEED_BF16 = 2,
    ORR__NEED_NARROW64 = 4, /* f64 to f16 or bf16 in one rounding */
};
const char *orr__emit_type(orr_dtype t); /* "orr_f32": in a register                     */
/* The type of the number of a vector's lane beside elements of `size` bytes: a comparison of such numbers is the vector's mask. */
const char *orr__emit_lane(int size);
const char *orr__emit_storage(orr_dtype t);   /* "orr_u16" for f16: in memory                 */
const char *orr__emit_suffix(orr_dtype t);    /* "f32"                                        */
int orr__emit_scalars(const orr__rinstr *in); /* the number of scalar words of an instruction */
orr_dtype orr__emit_operand(const orr__region *r, const orr__rinstr *in); /* of an EW instruction's function */
bool orr__emit_instr_can(const orr__region *r, const orr__rinstr *in, bool fp64);
bool orr__emit_random_can(const orr__rinstr *in, bool fp64);
/* True for a maximum, minimum or clip with scalar bounds, which are in y, and z. */
bool orr__emit_bounded(const orr__region *r, const orr__rinstr *in);

void orr__emit_helpers(orr__text *t, unsigned need);
/* The types of complex numbers, if the region has any, or has numbers that may be their parts. */
void orr__emit_compound(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_functions(orr__text *t, const orr__dialect *d, const orr__region *r, bool fp64);
/* The helpers of field elements (ew_f… of ops/ew_prelude.h), as functions that are not inlined: ew_fmul_fr254, … */
void orr__emit_field_helpers(orr__text *t, const orr__dialect *d, orr_dtype field);
void orr__emit_random_helpers(orr__text *t, const orr__region *r, bool fp64);
/* Expressions: the value named x of dtype `from`, converted to `to`; an argument word; an element number. */
void orr__emit_cast(orr__text *t, orr_dtype from, orr_dtype to, const char *x, bool fp64);
void orr__emit_word(orr__text *t, orr_dtype dtype, int word, bool fp64);
void orr__emit_index(orr__text *t, const orr__region *r, const orr__layout *l, int a, bool wide);
/* The name of the array that access a reads. */
void orr__emit_array(orr__text *t, const orr__region *r, const orr__layout *l, int a);
/* Is access a known to be inside of its box, or known to be outside, or neither? */
typedef enum { ORR__READ_TESTED, ORR__READ_NEVER, ORR__READ_ALWAYS } orr__reading;
orr__reading orr__emit_reading(const orr__region *r, const orr__layout *l, const orr__around *around, int a);
/* The element as an instruction reads it, at its place. Second function: the word of a placed access. */
void orr__emit_element(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in);
int orr__emit_by(const orr__region *r, const orr__layout *l, int a);
/* The number of words of a box. The words, filled in for rows from `row` on; returns the next word. An expression: is the current point
 * inside of access a's box? */
int orr__emit_box_words(const orr__access *a);
int64_t *orr__emit_box_fill(const orr__access *a, int64_t row, int64_t *word);
void orr__emit_inside(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around, int a);
/* Text: reports to the flag that index number `number`, of those from int `flag` on, has the wrong value `index`. */
void orr__emit_wrong(orr__text *t, int flag, const char *number, const char *index);
int orr__emit_random_bits(
    const orr__rinstr *in); /* source of a number: 32 or 64 random bits; 0: a normal number       */
/* Statements. *scalar: the next scalar word. Random number n has its index in q<n>, its seed in `word`. */
void orr__emit_random(orr__text *t, const orr__rinstr *in, int n, int word, const char *drawn, bool fp64);
void orr__emit_value(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around, int n,
                     int *scalar, bool fp64);
/* The stored value, and the end of the statement. */
void orr__emit_stored(orr__text *t, const orr__region *r, int k, orr_dtype from, const char *x, bool fp64);
/* Word m of orr_quotient for divisor d. */
int64_t orr__emit_divider(int64_t d);
/* Assigns words to accesses from number `first` on, starting at `word`; returns the word after the last. */
int orr__layout_accesses(const orr__region *r, orr__layout *l, int first, int word);
/* Fills these words; returns whether 32-bit indices suffice. */
bool orr__emit_access_words(const orr__launch *l, const orr__layout *lay, int first, int64_t *word);
/* Can 32 bits hold every element number of access a, which begins at `offset` and has `rows` rows on axis 0? */
bool orr__emit_narrow(const orr__region *r, const orr__access *a, int64_t offset, int64_t rows);

/* group.c: kernels whose groups fold. */
/* Folds are numbered: a FOLD instruction by its own number, output k of a reduction by ninstr + k. Does this fold exist? Second function:
 * the fold as a reduction with one output. */
bool orr__emit_folds(const orr__region *r, int number);
orr__region orr__emit_fold_of(const orr__region *r, int number);
void orr__emit_group_functions(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_group_begin(orr__text *t, const orr__dialect *d, const orr__layout *l);
void orr__emit_group_join(orr__text *t, const orr__region *fold, int number, bool fp64); /* declares fold<number> */
void orr__emit_group_words(const orr__launch *l, const orr__layout *lay, int64_t *word);
/* codelets/nest/device.c: the loops of a map, a reduction or rows; false: no memory, or a nest that is wrong. */
bool orr__emit_loops(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64);
/* product.c */
/* Defines orr_mad(x, y, z) = x·y + z of the type, with one rounding where that is fast. */
void orr__emit_mad(orr__text *t, orr_dtype type, const orr__dialect *d);
/* For tests: the number of large tiles from which on a product is computed by them. */
extern int64_t orr__emit_large_tiles;
bool orr__emit_product_can(const orr__region *r, bool fp64);
void orr__emit_product_layout(const orr__region *r, const orr__dialect *d, orr__layout *l);
void orr__emit_product_helpers(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l);
void orr__emit_product(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64);
bool orr__emit_product_words(const orr__launch *l, const orr__layout *lay, int64_t *word);
/* Reductions: the accumulator's dtype; the declaration of `fold`; one step with the value; the store. */
orr_dtype orr__emit_fold_dtype(const orr__region *r, bool fp64);
/* The table row by which a sum or a product folds. */
int16_t orr__emit_fold_row(const orr__region *r);
void orr__emit_fold_begin(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_fold_step(orr__text *t, const orr__region *r, bool fp64);

#endif
