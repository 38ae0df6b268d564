/* Within the room: the interface of the files that make the nests of C kernels.
 * Must not know: compilers, launches. */
#ifndef ORR_NEST_INTERNAL_H
#define ORR_NEST_INTERNAL_H

#include "codelets/nest/cloop.h"
#include "codelets/nest/nest.h"
#include "ops/instruction_cost.h"
#include "runtime/base/threshold.h"

/* Elements of the inner axis whose accumulators or values are on the stack. */
enum { ORR__CLOOP_BLOCK = 1024 }; /* limit of order */
/* A block is folded in this many columns, which a fixed tree then joins; one of up to ORR__CLOOP_SOME values in fewer, whose tree is shorter. A
 * few values are folded in order (orr__cloop_columns). */
enum { ORR__CLOOP_LANES = 32, ORR__CLOOP_FEW = 16 };       /* limit of order */
enum { ORR__CLOOP_SOME = 128, ORR__CLOOP_SOME_LANES = 8 }; /* limit of order */
/* The largest number of elements of a vector. */
enum { ORR__CLOOP_VECTOR = 16 }; /* limit of order */
/* The most sets of boxes that get a loop each. */
enum { ORR__CLOOP_SETS = 8 };
/* Rows of few columns that are folded beside each other, if there are four times as many: each has its own accumulators. */
enum { ORR__CLOOP_BESIDE = 16 }; /* limit of order */
/* Bytes of a row of these that is copied. */
enum { ORR__CLOOP_APART = 48 }; /* limit of order */
/* Rows of a column-wise float sum that are added in order before their total joins the others. */
enum { ORR__CLOOP_ROWS = 64 }; /* limit of order */

/* The kernel of a region, and the place in its nest where parts are added. Axes are listed in `order`, the outermost first; the last one is to
 * be vectorised. Register n is computed inside loop at[n] and outside the next loop; -1: outside all loops. */
typedef struct {
    orr__nest *n;
    const orr__region *r;
    orr__layout lay;
    int side;     /* the axis along which short rows are computed side by side, -1: rows are long */
    int width;    /* the number of such rows                                                        */
    int block;    /* the axis along which rows are taken in blocks, -1: none                        */
    bool joins;   /* short rows are walked as one: the axis before the last has no loop */
    bool pitched; /* so are the elements between the rows, whose values are dropped */
    int nset;     /* sets of boxes, a bit of lay.boxes each, with a loop each; 0: none */
    uint64_t set[ORR__CLOOP_SETS];
    bool other_sets;                /* elements are inside of other sets, too */
    int order[ORR_MAX_RANK], outer; /* `outer`: the number of kept axes outside everything else */
    int16_t *at;
    int32_t *scalar;
    int16_t *pass; /* of a row: the length of the chain of folds that a register waits for; of a map: its stage */

    /* Parts get these. A function that returns a kernel returns that of the loops after its parts. */
    orr__around around;
    int row; /* the number of a row, of several in one loop */

    const orr__dialect *device; /* of a kernel of a device; NULL: a C kernel */
    bool watches;               /* orr__emit_c_watches                       */
    bool fp64;
} orr__cloop;

/* Words: 0 the first row, then those at ORR__CLOOP_REACH_AT, ORR__CLOOP_AHEAD_AT and ORR__CLOOP_LEADS_AT, then the offset of each output,
 * the size of each axis, and the rest as in orr__layout. */
enum { ORR__CLOOP_LEADS_AT = 3, ORR__CLOOP_OUT_AT = 4 };
static inline int orr__cloop_size_at(const orr__region *r, int axis)
{
    return ORR__CLOOP_OUT_AT + r->nout + axis;
}

/* Does an instruction read register n? The largest number that its operands have in `of`, at least `least`. */
static inline bool orr__cloop_reads(const orr__rinstr *in, int n)
{
    return in->x == n || in->y == n || in->z == n;
}
int orr__cloop_most(const orr__rinstr *in, const int16_t *of, int least);
bool orr__cloop_read_as(const orr__region *r, int a, int kind); /* does an instruction of this kind read access a? */

/* arguments.c: the kernel without its nest; of one with a layout and an order, the places of registers; the word with the step of access a
 * along an axis along which it moves by any step. */
orr_status orr__cloop_begin(orr__cloop *c, const orr__region *r);
orr_status orr__cloop_place(orr__cloop *c);
void orr__cloop_end(orr__cloop *c);
int orr__cloop_step_word(const orr__cloop *c, int a, int axis);
/* kernel.c: prints the nest where that is asked for; false, with the last error, if it is wrong. write.c: its text. */
bool orr__cloop_is_sound(const orr__cloop *c);
void orr__cloop_write(const orr__cloop *c, orr__text *t);

/* -- the nests of the kinds of regions ------------------------------------------------------------------------- */

void orr__cloop_map(const orr__cloop *c);
void orr__cloop_rows(const orr__cloop *c);
void orr__cloop_reduce(const orr__cloop *c);
void orr__cloop_short(const orr__cloop *c);
/* Of reductions: runs.c, if the last axis is reduced; columns.c. For both, of fold k of the region: its number; the type of the value of
 * this number; whether its operand is one contiguous array in each iteration of the outer loops, whether it is the first of its operand;
 * its store to element i of the output. Arrays of the operands that are not such arrays: their name; all of them; elements [q, e) of the
 * innermost run to them, from `fill` on. */
void orr__cloop_runs(const orr__cloop *c);
void orr__cloop_columns_of(const orr__cloop *c);
int orr__cloop_fold_number(const orr__cloop *c, int k);
const char *orr__cloop_fold_type(const orr__cloop *c, int number);
bool orr__cloop_folds_array(const orr__cloop *c, int k);
bool orr__cloop_is_first_fold(const orr__cloop *c, int k);
void orr__cloop_fold_store(const orr__cloop *c, int k);
const char *orr__cloop_fold_array(const orr__cloop *c, int k);
void orr__cloop_fold_arrays(const orr__cloop *c);
void orr__cloop_fold_values(const orr__cloop *c, const char *fill);
/* device.c, span.c: a work item's elements [first, end), along `index`, from which the places on `axes` follow (0: it is a place). Outputs
 * have `base` (as "text + ") elements before. */
typedef struct {
    const char *index, *first, *head, *end, *base; /* head: the first element, of spans */
    uint32_t axes;
} orr__elements;
/* Transforms the parts since `mark`, which compute one element, to those of the span from `head` on, with `gap` from one element to the
 * next; `whole`: they are contiguous, aligned, and all there. */
void orr__cloop_span(const orr__cloop *c, const orr__elements *e, orr__part **mark);
/* Declares i<axis> for each of these axes from the row-major number `from` over them. */
void orr__cloop_axes(const orr__cloop *c, uint32_t axes, const char *from);
/* side.c: the axis along which short rows are computed side by side, -1: none, that along which they could be, and how many at a time.
 * orr__cloop_as_rows turns a reduction of such rows into a map that reads folds of them; the caller frees its arrays. */
int orr__cloop_side(const orr__region *r);
int orr__cloop_side_axis(const orr__region *r);
int orr__cloop_side_of(const orr__region *r);
bool orr__cloop_as_rows(const orr__region *r, orr__region *rows);
/* Within a block [q, e) of rows side by side: has n one value per row? Opens the loop over the rows, or that along their elements, if there are any
 * and not one value per row; the place of such an element or value in arrays of the block; loads row<n>. */
bool orr__cloop_is_of_row(const orr__cloop *c, int n);
void orr__cloop_side_by_side(const orr__cloop *c, int how);
void orr__cloop_along_row(const orr__cloop *c, bool elements);
const char *orr__cloop_side_place(const orr__cloop *c, bool elements);
void orr__cloop_row_again(const orr__cloop *c, int n);
/* side_fold.c: the arrays of fold n, a step with the current element, and the sum of its columns. */
void orr__cloop_side_begin(const orr__cloop *c, int n);
void orr__cloop_side_step(const orr__cloop *c, int n);
void orr__cloop_side_join(const orr__cloop *c, int n);
/* turn.c: the functions before the kernel; is register n read from a transposed block, and from there; the blocks of gathered accesses or of the
 * others. turn_out.c: output k from the array made<k>. Are blocks contiguous in an output, and may be stored past the caches? */
void orr__cloop_turn_functions(const orr__cloop *c, orr__text *t);
bool orr__cloop_is_turned(const orr__cloop *c, int n);
bool orr__cloop_finds_along(const orr__cloop *c, int n); /* are its places found there, along the row? */
void orr__cloop_turned(const orr__cloop *c, int n);
void orr__cloop_turn_in(const orr__cloop *c, bool gathered);
void orr__cloop_turn_out(const orr__cloop *c, int k);
bool orr__cloop_goes_past(const orr__cloop *c);
/* row_plan.c: the passes over rows of a map that reads folds of them. */
typedef struct {
    const orr__cloop *c;
    int passes;     /* passes of folds; the outputs have one more                            */
    int *first;     /* the pass that computes a register of the inner loop, -1: none does     */
    float *cost;    /* flops of its recomputation                                            */
    bool *kept;     /* a row's values are kept from pass to pass                             */
    bool *wanted;   /* by the current pass                                                   */
    size_t left;    /* bytes left for kept values                                            */
    int64_t length; /* elements kept of a register                                          */
    bool in_place;  /* folds read values directly from memory                                */
} orr__rowplan;
/* Plans the passes of w, of which c, left, length and in_place are known, and calls `nest` with it. */
void orr__rowplan_nest(orr__rowplan w, void (*nest)(orr__rowplan *w));
/* Marks the instructions that pass number `pass` needs: the operands of its folds, or of the outputs. */
void orr__rowplan_want(orr__rowplan *w, int pass, bool decide);
/* The values of the inner loop that the pass needs, those of former passes from keep<n>, whose element is `at`. */
void orr__rowplan_values(orr__rowplan *w, int pass, const char *at);
bool orr__rowplan_inner(const orr__rowplan *w, int n); /* is register n computed in the inner loop? */
bool orr__cloop_folds_in(const orr__cloop *c, int instr, int pass);

/* -- loops.c: parts and loops ---------------------------------------------------------------------------------- */

/* Expressions: the number of the element of access a; whether the point is inside of its box; its array; the element that instruction n reads
 * there; its address; the type of its elements. `name` with a number; the size of an axis; the length of the innermost loops. */
const char *orr__cloop_said(const orr__cloop *c, orr__text *t); /* a text, which it frees */
const char *orr__cloop_index(const orr__cloop *c, int a, bool wide);
const char *orr__cloop_inside(const orr__cloop *c, int a);
const char *orr__cloop_array(const orr__cloop *c, int a);
const char *orr__cloop_element(const orr__cloop *c, int n);
const char *orr__cloop_address(const orr__cloop *c, int n);
const char *orr__cloop_stored(const orr__cloop *c, int a);
const char *orr__cloop_name(const orr__cloop *c, const char *name, int n);
const char *orr__cloop_size(const orr__cloop *c, int axis);
const char *orr__cloop_length(const orr__cloop *c);
/* Parts: the array `name`<n>; instruction i; register n from an array; to one; output k from the value `from` to an element of `name`,
 * from its register, or to element i of memory; a part of a fold, or that of elements from `from` on. */
void orr__cloop_declare(const orr__cloop *c, int how, const char *type, const char *name, int n, int elements);
void orr__cloop_value(const orr__cloop *c, int i);
void orr__cloop_load(const orr__cloop *c, int how, int n, const char *name, const char *at);
void orr__cloop_store(const orr__cloop *c, int n, const char *name, const char *at);
void orr__cloop_output(const orr__cloop *c, int k, orr_dtype dtype, const char *from, const char *name, const char *at);
void orr__cloop_output_register(const orr__cloop *c, int k, const char *name, const char *at);
void orr__cloop_output_value(const orr__cloop *c, int k, orr_dtype dtype, const char *from);
void orr__cloop_outputs(const orr__cloop *c); /* all of them from their registers */
orr__part *orr__cloop_fold(const orr__cloop *c, int how, int number);
void orr__cloop_fold_block(const orr__cloop *c, int number, const char *from, const char *count);
/* The instructions in loop `pos`, or those of passes from … to (inclusive). */
void orr__cloop_values(const orr__cloop *c, int pos);
void orr__cloop_passes(const orr__cloop *c, int pos, int from, int to);
/* Opens: the loop along an axis; the loops from … to (exclusive), with the instructions of each; the innermost loop;
 * the loop over blocks [index, end) of [from, to). */
void orr__cloop_along(const orr__cloop *c, int how, int axis, const char *from, const char *to);
void orr__cloop_open(const orr__cloop *c, int from, int to);
void orr__cloop_inner(const orr__cloop *c, const char *from, const char *to);
void orr__cloop_run_blocks(const orr__cloop *c); /* [q, e) of the last axis, whose index is q outside of inner loops */
void orr__cloop_blocks(const orr__cloop *c, const char *index, const char *end, const char *from, const char *to,
                       int length);
/* Returns if there are no elements: no input may then be read. */
void orr__cloop_nothing(const orr__cloop *c);
/* True if register n is in memory as it is, contiguous along the last axis. */
bool orr__cloop_lies(const orr__cloop *c, int n);
/* Before an innermost loop along the last axis: the range of each box, and the range [whole, over) that is inside of all boxes. */
orr__cloop orr__cloop_parts(const orr__cloop *c);
/* Bytes of the widest type in the innermost loop, at least those of f32. */
int orr__cloop_widest(const orr__cloop *c);
int orr__cloop_maskable(const orr__cloop *c); /* the least ORR_VECTOR for which the loop is masked; 0: never */
/* Declares the numbers of elements of the last vector: `left` are loaded, `live` are stored. The compiler does not see that both are equal:
 * it would leave the elements beyond undefined, and the arithmetic on a denormal one among them takes a hundred cycles. */
void orr__cloop_left(const orr__cloop *c, const char *count);
/* Does the innermost loop move elements of one or two bytes, and can all be masked? */
bool orr__cloop_moves_narrow(const orr__cloop *c);
/* Is the loop unrolled over several vectors by ORR_PACE? Its array, for `length` elements. */
bool orr__cloop_is_paced(const orr__cloop *c);
void orr__cloop_pace(const orr__cloop *c, int length);

/* -- transforms of the parts since `mark` ------------------------------------------------------------------------ */

/* The innermost loop vector by vector where its body allows it, the last vector masked. The body's own arrays hold whole vectors; its loads
 * and its outputs touch only elements that exist. The second: it is masked. */
void orr__cloop_vectorise(const orr__cloop *c, orr__part **mark, const char *from, const char *to);
void orr__cloop_mask(const orr__cloop *c, orr__part **mark);
/* split.c: the innermost loop over a block: vector by vector, or, of a row with boxes, in pieces. Its parts: has the region boxes? Opens the
 * loop over pieces [begins, ends) of [from, to) of a row, and calls `piece` with each kind of them: what is inside of one set of boxes, or the
 * interior and the borders. It comes after orr__cloop_parts. */
void orr__cloop_pieces(const orr__cloop *c, orr__part **mark, const char *from, const char *to);
bool orr__cloop_split(const orr__cloop *c);
typedef void orr__piece(const orr__cloop *in, void *arg);
void orr__cloop_each_piece(const orr__cloop *c, const char *from, const char *to, orr__piece *piece, void *arg);
/* sets.c: finds the sets of boxes that elements are inside of, and chooses those with loops of their own. */
orr_status orr__cloop_find_sets(orr__cloop *c);
/* near.c: does the loop have functions with a near form? The second computes parts, which must write to the kernel's own arrays only, by near
 * forms, then once more where an argument is too large for these. */
bool orr__cloop_has_near(const orr__cloop *c);
void orr__cloop_sure(const orr__cloop *c, orr__part **mark);
/* random.c: random numbers of neighbouring elements have blocks in common. Those of innermost loops over parts of [q, e), of at most
 * ORR__CLOOP_BLOCK elements, are drawn before, for the whole range. Are the numbers of i? The functions before the kernel. */
void orr__cloop_draw(const orr__cloop *c, orr__part **mark);
bool orr__cloop_draws(const orr__cloop *c, int i);
void orr__cloop_random_functions(const orr__cloop *c, orr__text *t);
/* ahead.c: before innermost loops over [from, to) of the last axis, of at most `most` elements, a multiple of 16: contiguous elements of f16
 * become f32, and elements with much work are gathered. The `rows` variant converts `rows` rows from p on along `axis`, `apart`
 * from each other. */
void orr__cloop_widen(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most);
void orr__cloop_widen_rows(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most, int axis,
                           int rows, int apart);
/* halves.c: outputs of f16 become f16 after the loops. Registers that only such outputs read are not rounded before. The functions before the
 * kernel, for both files. */
void orr__cloop_narrow(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most);
orr_status orr__cloop_leave_rounding(orr__cloop *c);
void orr__cloop_half_functions(const orr__cloop *c, orr__text *t);

/* -- parts of kernels ---------------------------------------------------------------------------------------------- */

/* pack.c: does access a read a copy, or would it if rows are computed one by one? Its array is then pack<a>, else in<input>. */
bool orr__cloop_packs(const orr__region *r, int a);
bool orr__cloop_may_pack(const orr__region *r, int a);
/* tile.c: the axis along which the rows of a map are taken in blocks, if no other nest is chosen, -1: none; that along which operands could be
 * transposed by tiles; is access a one that is? The loops around a row, after which `at` is the number of its first element, and of a tiled one around
 * the part [b, f): returns how many. join<a> of a part that begins at q. */
int orr__cloop_block(const orr__region *r);
int orr__cloop_may_tile(const orr__region *r);
bool orr__cloop_tiles(const orr__region *r, int a);
int orr__cloop_open_blocks(const orr__cloop *c);
void orr__cloop_tile_block(const orr__cloop *c);
/* join.c: are the last two axes of a map walked as one because its rows are short? How an access moves from one row to the next: ROWS_ANYWHERE
 * are gathered, by the instruction of the second function (-1: none), PLACES lead to them alone. */
bool orr__cloop_joins(const orr__region *r);
typedef enum {
    ORR__GOES_ON,
    ORR__SAME_ROW,
    ORR__SAME_COLUMN,
    ORR__ROWS_APART,
    ORR__ROWS_ANYWHERE,
    ORR__PLACES,
    ORR__OTHER
} orr__way;
orr__way orr__cloop_way(const orr__region *r, int a);
/* The most elements of a joined row. Rows that are folded by themselves have ends and joins of columns, which longer rows hide. */
static inline int orr__cloop_join_most(const orr__region *r)
{
    return r->rmask >> (r->rank - 1) & 1u ? ORR__CLOOP_BLOCK / 4 : ORR__T_SHORT_ROW;
}
int orr__cloop_gatherer(const orr__region *r, int a);
bool orr__cloop_has_columns(const orr__region *r); /* has an access a box along the last axis? */
/* The reason against rows that are joined, or side by side; NULL: none. choice.c: does the region have this nest? */
const char *orr__cloop_joins_not(const orr__region *r);
/* Do rows have so few columns that a fold leaves vectors empty? Are they rows beside each other that are folded from memory? */
bool orr__cloop_narrow_columns(const orr__region *r);
bool orr__cloop_beside_in_memory(const orr__region *r);
const char *orr__cloop_side_not(const orr__region *r);
bool orr__cloop_chooses(const orr__region *r, int nest);
bool orr__cloop_join_moves(const orr__region *r, int a); /* does access a need join<a>? */
bool orr__cloop_join_copies_rows(const orr__region *r, int a);
bool orr__cloop_join_copies(const orr__cloop *c); /* is any access copied row by row? */
/* Are copies begun for longer blocks, since rows end in each of them? The arrays that are filled before must be few of all elements. */
bool orr__cloop_join_is_long(const orr__cloop *c);
/* Is register n of joined rows one number per row that only places of gathered rows are made from? It is computed where the rows are copied. */
bool orr__cloop_is_place(const orr__region *r, int n);
/* Do all moving accesses have rows at one distance, larger than a row? `joined` then counts the elements between the rows, too. */
bool orr__cloop_pitched(const orr__region *r);
bool orr__cloop_join_pitched(const orr__region *r); /* if they were joined */
/* join_rows.c: the functions before the kernel. Parts before the loops over blocks: copies of values that repeat in each row, and `joined`, the
 * length of the joined axis. In a block [q, e): join<a> of each access that does not go on from row to row. Of pitched rows, the elements of block
 * [q, to) of an output, written from line<k>_out to their rows. */
void orr__cloop_join_functions(const orr__cloop *c, orr__text *t);
void orr__cloop_join_begin(const orr__cloop *c, int length);
void orr__cloop_join_block(const orr__cloop *c, int length);
void orr__cloop_join_rows(const orr__cloop *c, int k, const char *to);
/* The array `name` has the value of each `column` of a row, as often as blocks of `length` elements read it. */
void orr__cloop_join_repeat(const orr__cloop *c, const char *type, const char *name, int length, const char *column,
                            const char *value);
/* join_boxes.c: for each access the number n of the array columns<n> of its box, -1: none. Before all loops: these arrays, of integers of this
 * type. Before the loops over blocks: the range of joined rows that are inside of access a's box, whose words begin at `word`. Is access a the
 * first that reads its columns<n>? */
void orr__cloop_join_number(const orr__region *r, int16_t *column);
const char *orr__cloop_mask_type(const orr__cloop *c);
void orr__cloop_join_columns(const orr__cloop *c, int length);
void orr__cloop_join_part(const orr__cloop *c, int a, int word);
bool orr__cloop_first_column(const orr__cloop *c, int a);
/* stage.c: the body of a map in stages, each a loop over the block. The number of stages (which sets c->pass); before all loops; the values of
 * one stage, inside its loop. orr__cloop_flops is the share of instruction n in the work of all stages, per point. */
int orr__cloop_stages(const orr__cloop *c);
void orr__cloop_stage_begin(const orr__cloop *c, int stages);
void orr__cloop_stage_values(const orr__cloop *c, int stage, int stages);
int orr__cloop_flops(const orr__cloop *c, int n);
int orr__cloop_work(const orr__cloop *c);
/* The type of an array that keeps values of register n from one loop to the next. Truth values are as wide as the widest type: a loop over
 * bytes and wider numbers is vectorised for as many elements as a vector has bytes, or not at all. */
const char *orr__cloop_kept(const orr__cloop *c, int n);
/* past.c: outputs too large for caches (orr__cloop_reach) are stored past them. In order: functions before the kernel; before its loops; in a
 * block before the innermost loop; stores inside of that loop; after it; after all loops. Is the work so little that this pays? */
void orr__cloop_past_functions(const orr__cloop *c, orr__text *t);
void orr__cloop_past_begin(const orr__cloop *c, int elements); /* of a block */
void orr__cloop_past_block(const orr__cloop *c);
void orr__cloop_past_stores(const orr__cloop *c);
void orr__cloop_past_copy(const orr__cloop *c, const char *to);
void orr__cloop_past_end(const orr__cloop *c);
bool orr__cloop_pays(const orr__cloop *c);
int64_t orr__cloop_bytes(const orr__region *r); /* of its runs and outputs; 0: too few to matter */
int64_t orr__cloop_reach(const orr__launch *l);
int64_t orr__cloop_most_reach(const orr__cloop *c); /* of all rows. A branch that is never taken has its price */
/* The target caches of a PREFETCH, as __builtin_prefetch numbers them. */
enum { ORR__IN_L1 = 3, ORR__IN_L2 = 2 }; /* limit of arithmetic */
/* prefetch.c: in a block [from, to), prefetches the next input. The `rows` variant prefetches for the `rows` places on axis d after those from p
 * on. */
bool orr__cloop_rows_apart(const orr__cloop *c);
void orr__cloop_prefetch(const orr__cloop *c, const char *from, const char *to, bool masked);
void orr__cloop_prefetch_rows(const orr__cloop *c, const char *from, const char *to, int d, int rows, int apart);
/* In a block of rows side by side, the next block's elements of accesses whose neighbours in memory are in neighbouring rows: each element of a
 * row is a stream of its own, and there are more than a processor follows. */
void orr__cloop_prefetch_side(const orr__cloop *c);
/* In the loop over rows, a row that is gathered later. */
void orr__cloop_prefetch_gathered(const orr__cloop *c);
/* In a block [q, e) of joined rows, the rows that are gathered for the next one, of up to `length` elements. */
void orr__cloop_prefetch_joined(const orr__cloop *c, int length);
int orr__cloop_of_line(const orr__region *r, int a,
                       int axis); /* elements of access a along an axis that are in a line, at least one */
/* Bit a, of the first ORR__CLOOP_LEADS accesses: access a has a stream of memory of its own. Clear: another access at a constant distance reads
 * the same lines first. */
enum { ORR__CLOOP_LEADS = 63 }; /* limit of arithmetic */
int64_t orr__cloop_leads(const orr__region *r);

/* -- fold.c, find.c: folds of blocks --------------------------------------------------------------------------------- */

/* Before the kernel, for the reduction of r's register out_reg[0] by rop: the functions orr_first_<number> (the neutral value) and
 * orr_block_<number> (folds n values into *acc, and a float sum's rounding errors into *lost). Sums and products also have
 * orr_join_<number>, for a block whose columns are already folded. */
void orr__cloop_fold_functions(orr__text *t, const orr__region *r, int number);
/* The functions of a search, which fold a run into orr_found. */
void orr__cloop_find_functions(orr__text *t, const orr__region *r, int number);
/* The number of columns in which n values are folded, which determines the bits. 1: in order. That of values folded as they are computed. */
int orr__cloop_columns(const orr__region *r, int64_t n);
int orr__cloop_lanes(const orr__region *r);
/* The values of a cell: as many as the reduced elements, or as a row. */
int64_t orr__cloop_of_cell(const orr__region *r);
/* The result in acc<number> and lost<number>, as an expression. */
void orr__cloop_outcome(orr__text *t, const orr__region *r, int number);
/* Calls f for the number of each fold of a pass; a reduction has one pass. The second adds such a part of each. */
void orr__cloop_each_fold(const orr__cloop *c, int pass, void (*f)(const orr__cloop *c, int number));
void orr__cloop_folds(const orr__cloop *c, int pass, int how);
/* lanes.c: a block [q, e) whose values are folded as they are computed, without an array. The values since `mark`, for the folds of a pass: such
 * a block if it is long enough, after which the loop over blocks goes on. */
void orr__cloop_fold_at_once(const orr__cloop *c, int pass, orr__part **mark);
/* Its parts: declares lane<number>; clears it; the values since `mark` with a step for each fold, taken out of the tree as a `body`; the body
 * over [q, e) by the number of columns, up to element j, where fewer than a full set are left; joins lane<number> with acc<number>. */
void orr__cloop_lane(const orr__cloop *c, int number);
/* The register of integers of at most two bytes that a fold adds as they are, or as floats that equal them; -1: none. Its columns are integers
 * of four bytes, which a block does not exceed. The type of a fold's columns. */
int orr__cloop_counted(const orr__region *fold);
const char *orr__cloop_column_type(const orr__cloop *c, int number);
void orr__cloop_lane_clear(const orr__cloop *c, int number);
orr__part *orr__cloop_into_lanes(const orr__cloop *c, int pass, orr__part **mark);
void orr__cloop_by_lanes(const orr__cloop *c, const orr__part *body);
void orr__cloop_lane_join(const orr__cloop *c, int number);

#endif
