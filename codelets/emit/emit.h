/* From a region to the text of one kernel, in any of the dialects; and the argument words of a launch.
 * Must not know: devices, compilers, queues. */
#ifndef ORR_EMIT_EMIT_H
#define ORR_EMIT_EMIT_H

#include "codelets/codelet.h"
#include "codelets/emit/text.h"

/* A language in which kernels are written: its words. The emitter has no other knowledge of it. */
typedef struct orr__dialect {
    const char *name;
    const char *prelude;  /* types orr_i8 … orr_f64, ORR_FN, bit casts, the few functions that differ        */
    const char *kernel;   /* qualifiers of the kernel function                                                 */
    const char *global;   /* qualifier of a pointer to array memory                                            */
    const char *constant; /* qualifiers of an array of constants beside the kernel                           */
    const char *words;    /* the parameter that carries more words than fit by value                           */
    const char *begin;    /* from work item to `i`, the number of the output element                           */
    const char *end;
    int group;           /* work items that fold together, a power of two                                     */
    const char *grouped; /* qualifiers of a kernel whose groups have that size                                */
    const char *seat;    /* declares `block`, the group's number (below ORR_BLOCKS), and `me`, the item's in it */
    const char *share;   /* qualifier of memory that a group shares                                            */
    const char
        *prelude2; /* of such kernels: ORR_BARRIER; ORR_FENCE, the same for array memory too; orr_least(p, v), which
                            atomically makes *p ≤ v; orr_swap(p, v), which atomically makes *p = v and is what it was */
    const char *fma[2];  /* for f32, f64: a preprocessor expression, whether fma is one fast instruction      */
    const char *math[2]; /* for f32, f64: maps the C math names to functions of the type; unmath undoes it     */
    const char *unmath;
    bool by_value; /* words may be a struct passed by value                                             */
    bool arrays;   /* the kernel takes two arrays of pointers, not one parameter per pointer            */
} orr__dialect;

extern const orr__dialect orr__dialect_opencl, orr__dialect_cuda, orr__dialect_c;

/* Arguments by value: every OpenCL 1.2 device accepts 1024 bytes of them. */
enum { ORR__EMIT_ARG_BYTES = 1024 };

/* How an access moves along an axis; part of the text, and so of a kernel's key. */
enum { ORR__MOVE_NONE, ORR__MOVE_UNIT, ORR__MOVE_ANY };

/* How a kernel computes an output element: one work item by itself; items of a group together (folds: several elements
 * to a group when there is little to fold); or a group a tile of a matrix product. Words of the last two, at group_at: */
enum {
    ORR__GROUP_BLOCKS, /* number of groups                                                                      */
    ORR__GROUP_SHAPE,  /* log2 of the items that fold an element; + 16: neighbours in the group are elements     */
    ORR__GROUP_COUNT,  /* values that an element is folded from                                                 */
    ORR__GROUP_PARTS,  /* log2 of the groups that share an element's values                                     */
    ORR__GROUP_STAGE,  /* 0 all at once; 1 parts are folded into scratch memory, 2 these into the element       */
    ORR__GROUP_WORDS
};

/* The facts of a region beside its instructions, and the position of each argument word. Argument words are 64-bit; those
 * of matmul are in product.c, those of take, scatter_add, concat and pad in move.c, of the others:
 *   0                 number of output elements; of a region with rows, of rows
 *   1                 index at which axis 0 starts (for arg-reductions)
 *   2 …               size of each axis; of axis 0, hi - lo
 *   2 + rank …        unless linear: the divisors by each of these sizes (orr_quotient in dialect.c)
 *   at[a]             offset of access a, then its strides of kind ORR__MOVE_ANY in axis order, then `by` of gathers,
 *                     or begin and end of its box for each axis of that
 *   out_at + k        offset of output k
 *   scalar_at …       scalars in instruction order, each in its register's representation */
typedef struct orr__layout {
    int nword, out_at, scalar_at;
    int group, group_at; /* items of a group and where its words are; 0: items are by themselves */
    bool by_value;
    bool alone;      /* each item folds an element by itself; the launcher sets it, the text is the same     */
    int scratch;     /* a parameter before the words: memory between the stages of a reduction, bytes a part; 0: none */
    bool flag;       /* a parameter before the words: the report of wrong indices, see below      */
    bool linear;     /* a map in which every access is contiguous or a single element: no axis is needed */
    bool parts;      /* lo<a>, hi<a> say where the innermost loop is inside of access a's box           */
    bool whole;      /* the innermost loop at hand is inside of all boxes                                */
    bool rest;       /* it is one vector, of which `left` elements, from `lane` 0 on, are there          */
    bool bases;      /* base<a> is the begin of the row at hand, of accesses that orr__emit_based says     */
    bool near;       /* functions take their near form, and `far` says where an argument is too large for it */
    int here;        /* the group of boxes that the innermost loop at hand is inside of, and of no other; -1: any */
    bool *unrounded; /* ninstr: registers that their store rounds to f16; NULL: none               */
    bool no_nan;     /* the kernel has seen to it that the scalars of bounded instructions are no NaN    */
    int16_t *at;     /* naccess word numbers */
    uint8_t *move;   /* naccess × ORR_MAX_RANK */
    int8_t *boxes;   /* naccess: groups of equal boxes, no two of which meet; NULL: they may. -1: no box */
    bool *packed;    /* naccess: those that read a copy, pack<a>; NULL: none */
    bool *joined;    /* naccess: those that read join<a>, from the block's first element on; NULL: none */
    int8_t *
        column; /* of joined rows, naccess: columns<n> has all bits where the box allows the column, from the block's first
                       element on; -1: every column. NULL: rows are not joined                     */
} orr__layout;

/* The flag has so many ints for each of orr__emit_flags(region) indices, in the order of their instructions. The least
 * number of a wrong one goes to the first, which is INT32_MAX before; the index with number WANTED, if that one is wrong,
 * to the last two. A kernel may run again to find it. */
enum { ORR__FLAG_LEAST, ORR__FLAG_WANTED, ORR__FLAG_LOW, ORR__FLAG_HIGH, ORR__FLAG_INTS };
int orr__emit_flags(const orr__region *r);
/* Index n for messages: the user's line, the axis, and its length. */
orr__site orr__emit_flag_of(const orr__region *r, int n, int *axis, int64_t *length);

/* The function of an instruction that has a near form for arguments that are not large; NULL: it has none. */
const char *orr__emit_near(const orr__region *r, const orr__rinstr *in);

/* Without fp64: nothing that needs double. */
bool orr__emit_can(const orr__region *r, bool fp64);
/* Do its work items work in groups? */
bool orr__emit_groups(const orr__region *r);
orr_status orr__layout_make(const orr__region *r, const orr__dialect *d, orr__layout *l);
void orr__layout_free(orr__layout *l);
bool orr__layout_equal(const orr__layout *a, const orr__layout *b, const orr__region *r);

/* The text, NUL-terminated, the caller frees it; NULL with the last error set. The kernel is called orr_kernel. Its
 * parameters: inputs, outputs, flag and scratch memory by the layout, words (struct by value or pointer). With
 * ORR_WIDE defined by the compiler's command line indices have 64 bits, else 32. */
char *orr__emit(const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64);

/* The words of a launch. Returns whether 32-bit indices suffice. */
bool orr__emit_words(const orr__launch *l, const orr__layout *lay, bool fp64, int64_t *word);

/* How a launch is laid over work items: at least `items` of them, in groups of `group`, 0: of any size. */
typedef struct orr__geometry {
    int64_t items;
    int group;
} orr__geometry;
orr__geometry orr__emit_geometry(const orr__layout *l, const int64_t *word);

/* Kernels in several launches (reductions in two, calls) have scratch memory, of so many bytes, as their parameter; 0: NULL. The words
 * of each next launch are made of the last one's; false: that was the last. */
size_t orr__emit_scratch(const orr__launch *l, const orr__layout *lay, const int64_t *word);
bool orr__emit_next(const orr__launch *l, const orr__layout *lay, int64_t *word);
/* The error of a kernel that says itself what flag `number` means; ORR_OK: an index. */
orr_status orr__emit_refused(const orr__region *r, int64_t number);

/* Writes the scalars' words in instruction order; returns the position behind them. */
int64_t *orr__emit_scalar_words(const orr__launch *l, bool fp64, int64_t *word);

/* -- within the room ----------------------------------------------------------------------------------- */

/* Shared helper functions, each in all dialects. */
enum {
    ORR__NEED_F16 = 1,
    ORR__NEED_BF16 = 2,
    ORR__NEED_NARROW64 = 4, /* f64 to f16 or bf16 in one rounding */
};
const char *orr__emit_type(orr_dtype t);      /* "orr_f32": as it sits in a register          */
const char *orr__emit_storage(orr_dtype t);   /* "orr_u16" for f16: as it sits in memory      */
const char *orr__emit_suffix(orr_dtype t);    /* "f32"                                        */
int orr__emit_scalars(const orr__rinstr *in); /* how many scalar words an instruction has     */
orr_dtype orr__emit_operand(const orr__region *r, const orr__rinstr *in); /* of an EW instruction's function */
bool orr__emit_instr_can(const orr__region *r, const orr__rinstr *in, bool fp64);
bool orr__emit_random_can(const orr__rinstr *in, bool fp64);
/* A maximum, minimum or clip whose bounds are scalars: they are in y, and z. */
bool orr__emit_bounded(const orr__region *r, const orr__rinstr *in);

void orr__emit_helpers(orr__text *t, unsigned need);
/* The types of complex numbers, where the region has any, or numbers that may be their parts. */
void orr__emit_compound(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_functions(orr__text *t, const orr__dialect *d, const orr__region *r, bool fp64);
/* The helpers of elements of a field (ew_f… of ops/ew_prelude.h), as functions that are called: ew_fmul_fr254, … */
void orr__emit_field_helpers(orr__text *t, const orr__dialect *d, orr_dtype field);
void orr__emit_random_helpers(orr__text *t, const orr__rinstr *in, unsigned *done, bool fp64); /* *done: 0 at first */
/* As expressions: x, the name of a value of dtype `from`, as `to`; an argument word. */
void orr__emit_cast(orr__text *t, orr_dtype from, orr_dtype to, const char *x, bool fp64);
void orr__emit_word(orr__text *t, orr_dtype dtype, int word, bool fp64);
void orr__emit_index(orr__text *t, const orr__region *r, const orr__layout *l, int a, bool wide);
/* Is the row at hand of access a in base<a>? */
bool orr__emit_based(const orr__region *r, const orr__layout *l, int a);
/* The name of the array that access a reads. */
void orr__emit_array(orr__text *t, const orr__region *r, const orr__layout *l, int a);
/* The same as an instruction reads it, at its place; the word of a placed access. */
void orr__emit_element(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in);
int orr__emit_by(const orr__region *r, const orr__layout *l, int a);
/* Words of a box, filled in for rows from `row` on; the next word. As an expression: is the present point in that of access
 * a? */
int orr__emit_box_words(const orr__access *a);
int64_t *orr__emit_box_fill(const orr__access *a, int64_t row, int64_t *word);
void orr__emit_inside(orr__text *t, const orr__region *r, const orr__layout *l, int a);
/* Tells the flag that index number `number` of those that begin at int `flag`, with value `index`, is wrong. */
void orr__emit_wrong(orr__text *t, int flag, const char *number, const char *index);
int orr__emit_random_bits(
    const orr__rinstr *in); /* source of a number: 32 or 64 random bits; 0: a normal number       */
/* As statements. *scalar: next scalar word. Random number n has its index in q<n>, its seed in `word`. */
void orr__emit_random(orr__text *t, const orr__rinstr *in, int n, int word, const char *drawn, bool fp64);
void orr__emit_value(orr__text *t, const orr__region *r, const orr__layout *l, int n, int *scalar, bool fp64);
void orr__emit_store(orr__text *t, const orr__region *r, const orr__layout *l, int k, orr_dtype from, const char *x,
                     bool fp64);
/* The stored value, and the end of the statement. */
void orr__emit_stored(orr__text *t, const orr__region *r, int k, orr_dtype from, const char *x, bool fp64);
/* Declares i<axis> for each axis in `mask`, from `from`, their row-major number. */
void orr__emit_axes(orr__text *t, const orr__region *r, uint32_t mask, const char *from);
/* Word m of orr_quotient for divisor d. */
int64_t orr__emit_divider(int64_t d);
/* Words of accesses from number `first` on, the first of them at `word`; the word after the last. */
int orr__layout_accesses(const orr__region *r, orr__layout *l, int first, int word);
/* Fills them; whether 32-bit indices suffice. */
bool orr__emit_access_words(const orr__launch *l, const orr__layout *lay, int first, int64_t *word);
/* Can 32 bits hold every element number of access a, which begins at `offset` and has `rows` on axis 0? */
bool orr__emit_narrow(const orr__region *r, const orr__access *a, int64_t offset, int64_t rows);

/* group.c: kernels whose groups fold. */
/* Folds have numbers: a FOLD instruction its own, output k of a reduction ninstr + k. Is there one; as a reduction of one
 * output. */
bool orr__emit_folds(const orr__region *r, int number);
orr__region orr__emit_fold_of(const orr__region *r, int number);
void orr__emit_group_functions(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_group_begin(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l);
void orr__emit_group_step(orr__text *t, const orr__region *fold, int number, const char *where);
void orr__emit_group_join(orr__text *t, const orr__region *fold, int number, bool fp64); /* declares fold<number> */
void orr__emit_group_words(const orr__launch *l, const orr__layout *lay, int64_t *word);
void orr__emit_reduce(orr__text *t, const orr__region *r, const orr__layout *l, bool fp64);
/* row.c */
bool orr__emit_rows(orr__text *t, const orr__region *r, const orr__layout *l, bool fp64); /* false: no memory */
/* move.c, product.c */
/* orr_mad(x, y, z) = x·y + z of the type, in one rounding where that is fast. */
void orr__emit_mad(orr__text *t, orr_dtype type, const orr__dialect *d);
bool orr__emit_product_can(const orr__region *r, bool fp64);
void orr__emit_product_layout(const orr__region *r, orr__layout *l);
void orr__emit_product_helpers(orr__text *t, const orr__region *r, const orr__dialect *d);
void orr__emit_product(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64);
bool orr__emit_product_words(const orr__launch *l, const orr__layout *lay, int64_t *word);
/* Reductions: the accumulator's dtype; `fold` declared, one step with the value, stored. */
orr_dtype orr__emit_fold_dtype(const orr__region *r, bool fp64);
/* The row that a sum or a product folds by. */
int16_t orr__emit_fold_row(const orr__region *r);
void orr__emit_fold_begin(orr__text *t, const orr__region *r, bool fp64);
void orr__emit_fold_step(orr__text *t, const orr__region *r, bool fp64);

#endif
