/* Within the room: the interface of the files that write C loops.
 * Must not know: compilers, launches. */
#ifndef ORR_EMIT_CLOOP_INTERNAL_H
#define ORR_EMIT_CLOOP_INTERNAL_H

#include "codelets/emit/cloop.h"
#include "codelets/emit/emit.h"
#include "ops/instruction_cost.h"
#include "runtime/base/threshold.h"

/* Elements of the inner axis whose accumulators or values are on the stack. */
enum { ORR__CLOOP_BLOCK = 1024 };
/* A block is folded in this many columns, which a fixed tree then joins. A few values are folded in order. */
enum { ORR__CLOOP_LANES = 32 };
/* The largest number of elements of a vector. */
enum { ORR__CLOOP_VECTOR = 16 };
/* The most sets of boxes that get a loop each. */
enum { ORR__CLOOP_SETS = 8 };
/* Rows of a column-wise float sum that are added in order before their total joins the others. */
enum { ORR__CLOOP_ROWS = 64 };

/* A kernel being written. Loops are listed in `order`, the outermost first; the last one is to be vectorised. Register n is computed inside
 * loop at[n] and outside the next loop; -1: outside all loops. */
typedef struct {
    orr__text *t;
    const orr__region *r;
    orr__layout lay;
    int side;                       /* the axis along which short rows are computed side by side, -1: rows are long */
    bool joins;                     /* short rows are walked as one: the axis before the last has no loop */
    bool pitched;                   /* so are the elements between the rows, whose values are dropped */
    int nset;                       /* sets of boxes, a bit of lay.boxes each, with a loop each; 0: none */
    uint64_t set[ORR__CLOOP_SETS];
    bool other_sets; /* elements are inside of other sets, too */
    int order[ORR_MAX_RANK], outer; /* `outer`: the number of kept axes outside everything else */
    int16_t *at;
    int32_t *scalar;
    int16_t *pass;  /* of a row: the length of the chain of folds that a register waits for; of a map: its stage */
    bool *prepared; /* the memory of `wide` */

    /* The loops around the text being written. They give their bodies a copy of the kernel with their own changes: a function that returns
     * a kernel returns that of the loops after its text. */
    orr__around around;
    bool drawn; /* random bits are drawn before the loop, as far as orr__cloop_draws         */
    const bool
        *wide; /* registers in wide<n>_<wide_copy>, from element wide_from on; places: they were gathered; NULL: none */
    const char *wide_from;
    int wide_copy;
    const char *half_from; /* the first element of half<k>, of outputs that become f16 after the loop */
    const bool *wanted;    /* registers of the loop; NULL: all */
} orr__cloop;

/* Words: 0 the first row, then those at ORR__CLOOP_REACH_AT, ORR__CLOOP_AHEAD_AT and ORR__CLOOP_LEADS_AT, then the offset of each output,
 * the size of each axis, and the rest as in orr__layout. */
enum { ORR__CLOOP_LEADS_AT = 3, ORR__CLOOP_OUT_AT = 4 };
static inline int orr__cloop_size_at(const orr__region *r, int axis)
{
    return ORR__CLOOP_OUT_AT + r->nout + axis;
}

orr_status orr__cloop_begin(orr__cloop *c, const orr__region *r);
void orr__cloop_end(orr__cloop *c);
/* The word with the step of access a along an axis along which it moves by any step. */
int orr__cloop_step_word(const orr__cloop *c, int a, int axis);

/* cloop_boxes.c: finds the sets of boxes that elements are inside of, and chooses those with loops of their own. The second function, after
 * orr__cloop_parts: the loop over pieces [begin, end) of [from, to) on the last axis, each inside of one set, with the `loops` of each set. */
orr_status orr__cloop_find_sets(orr__cloop *c);
void orr__cloop_each_set(const orr__cloop *c, const char *from, const char *to, const char *begin, const char *end,
                         void (*loops)(const orr__cloop *c, void *arg), void *arg);
/* cloop_pack.c: does access a read a copy? Its array is then pack<a>, else in<input>. */
bool orr__cloop_packs(const orr__region *r, int a);
/* cloop_join.c: are the last two axes of a map walked as one because its rows are short? Text before the loops over blocks: copies of
 * values that repeat in each row, and `joined`, the length of the joined axis. Text in a block [q, e): join<a> of each access that does not
 * continue from row to row. */
bool orr__cloop_joins(const orr__region *r);
bool orr__cloop_join_moves(const orr__region *r, int a); /* does access a need join<a>? */
/* Do all moving accesses have rows at one distance, larger than a row? `joined` then counts the elements between the rows, too. The functions
 * before the kernel; the elements of block [q, to) of an output, written from line<k>_out to their rows. */
bool orr__cloop_pitched(const orr__region *r);
void orr__cloop_join_functions(const orr__cloop *c);
void orr__cloop_join_rows(const orr__cloop *c, int k, const char *to);
/* For each access the number n of the array columns<n> of its box, -1: none. Text before all loops: these arrays. Text before the loops
 * over blocks: the range of joined rows that are inside of access a's box, whose words begin at `word`. */
void orr__cloop_join_number(const orr__region *r, int16_t *column);
void orr__cloop_join_columns(const orr__cloop *c, int length);
void orr__cloop_join_part(const orr__cloop *c, int a, int word);
void orr__cloop_join_begin(const orr__cloop *c, int length);
void orr__cloop_join_block(const orr__cloop *c, int length);
/* Bytes of the widest type in the innermost loop, at least those of f32. */
int orr__cloop_widest(const orr__cloop *c);
/* The type of an array that keeps values of register n from one loop to the next. Truth values are as wide as the widest type: a loop over
 * bytes and wider numbers is vectorised for as many elements as a vector has bytes, or not at all. Second function: the register, loaded
 * again from such an array. */
const char *orr__cloop_kept(const orr__cloop *c, int n);
void orr__cloop_keep_again(const orr__cloop *c, int n, const char *from);
/* The instructions in loop `pos`, or those of passes from … to (inclusive). */
void orr__cloop_values(const orr__cloop *c, int pos);
void orr__cloop_passes(const orr__cloop *c, int pos, int from, int to);
/* Opens the loops from … to (exclusive), with the instructions of each. */
void orr__cloop_open(const orr__cloop *c, int from, int to);
void orr__cloop_close(const orr__cloop *c, int from, int to);
/* Instruction i, in its loop. */
void orr__cloop_value(const orr__cloop *c, int i);
/* True if register n is in memory as it is, contiguous along the last axis. */
bool orr__cloop_lies(const orr__cloop *c, int n);
/* Random numbers of neighbouring elements have blocks in common. These calls precede an innermost loop over [q, e) of the last axis, of at
 * most ORR__CLOOP_BLOCK elements. They draw the bits of instruction i (or of all instructions of the innermost loop) for the whole range,
 * where that saves time. In loops with `drawn`, orr__cloop_value reads them from there. */
void orr__cloop_ahead(const orr__cloop *c, int i);
orr__cloop orr__cloop_all_ahead(const orr__cloop *c);
bool orr__cloop_draws(const orr__cloop *c, int i); /* are the bits of i drawn ahead? */
/* Writes the helpers of these draws, before the kernel. */
void orr__cloop_random_functions(const orr__cloop *c);
/* Before an innermost loop along the last axis: the range of each box, and the range [whole, over) that is inside of all boxes. */
orr__cloop orr__cloop_parts(const orr__cloop *c);
/* The first opens the loop over blocks [q, e) of [from, to) on the last axis, of `length` ≤ ORR__CLOOP_OUT elements. The second opens the
 * loop over blocks [b, f) of [q, e). The third opens the innermost loop over a block. */
void orr__cloop_blocks(const orr__cloop *c, const char *from, const char *to, int length);
void orr__cloop_parts_of_block(const orr__cloop *c);
void orr__cloop_inner(const orr__cloop *c, const char *from, const char *to);
/* The innermost loop, closed, with this body: vector by vector where the body allows it, the last vector masked. The body's own arrays hold
 * whole vectors; its loads and its outputs touch only elements that exist. */
int orr__cloop_maskable(const orr__cloop *c); /* the least ORR_VECTOR for which the loop is masked; 0: never */
/* Declares the numbers of elements of the last vector: `left` are loaded, `live` are stored. The compiler does not see that both are equal:
 * it would leave the elements beyond undefined, and the arithmetic on a denormal one among them takes a hundred cycles. */
void orr__cloop_left(orr__text *t, const char *count);
void orr__cloop_run(const orr__cloop *c, const char *from, const char *to, void (*body)(const orr__cloop *c, void *arg),
                    void *arg);
/* cloop_near.c: does the loop have functions with a near form? The second writes such `loops`, which must write to the kernel's own arrays
 * only: by near forms, then once more where an argument is too large for these. It writes other loops once. */
bool orr__cloop_has_near(const orr__cloop *c);
void orr__cloop_sure(const orr__cloop *c, void (*loops)(const orr__cloop *c, void *arg), void *arg);
/* Is a row with boxes split into its interior and its borders? The second writes the innermost loop over a block, closed: as one loop, or
 * in pieces with the body each. */
bool orr__cloop_split(const orr__cloop *c);
void orr__cloop_pieces(const orr__cloop *c, const char *from, const char *to,
                       void (*body)(const orr__cloop *c, void *arg), void *arg);
/* The body of a map in stages, each a loop over the block. The calls: the number of stages (which sets c->pass); the text before all loops;
 * the values of one stage, inside its loop. orr__cloop_flops is the share of instruction n in the work. */
int orr__cloop_stages(const orr__cloop *c);
void orr__cloop_stage_begin(const orr__cloop *c, int stages);
void orr__cloop_stage_values(const orr__cloop *c, int stage, int stages);
int orr__cloop_flops(const orr__cloop *c, int n);
int orr__cloop_work(const orr__cloop *c); /* of all stages, per point          */
/* Returns if there are no elements: no input may then be read. */
void orr__cloop_nothing(const orr__cloop *c);
/* Outputs too large for caches (orr__cloop_reach) are stored past them. The calls, in order: functions before the kernel; before its loops;
 * in a block before the innermost loop; stores inside of that loop; after it; after all loops. */
void orr__cloop_stream_functions(const orr__cloop *c);
void orr__cloop_stream_begin(const orr__cloop *c);
void orr__cloop_stream_block(const orr__cloop *c);
void orr__cloop_stream_stores(const orr__cloop *c);
void orr__cloop_stream_pass(const orr__cloop *c, const char *to);
void orr__cloop_stream_end(const orr__cloop *c);
int64_t orr__cloop_reach(const orr__launch *l);
/* Bit a: access a has a stream of memory of its own. Clear: another access at a constant distance reads the same lines first. */
int64_t orr__cloop_leads(const orr__region *r);
/* cloop_ahead.c: elements of f16, and gathered elements. First the functions before the kernel. Then the text before an innermost loop over
 * [from, to) of the last axis, of at most `most` elements, a multiple of 16: contiguous elements of f16 become f32, and elements with much
 * work are gathered. The `rows` variant converts rows p, p + 1, … on `axis`, and wide_copy selects the row. Then, inside of the loop, the
 * register if it was prepared so. */
void orr__cloop_half_functions(const orr__cloop *c);
orr__cloop orr__cloop_widen(const orr__cloop *c, const char *from, const char *to, int most);
orr__cloop orr__cloop_widen_rows(const orr__cloop *c, const char *from, const char *to, int most, int axis, int rows);
bool orr__cloop_wide_value(const orr__cloop *c, int n);
/* Registers of a map that are read by outputs only are not rounded to f16. The next calls: before such a loop; a store inside of
 * it, if the output is of f16; after it, to<k>, which begins at element q. */
orr_status orr__cloop_leave_rounding(orr__cloop *c);
orr__cloop orr__cloop_narrow_begin(const orr__cloop *c, const char *from, int most);
bool orr__cloop_narrow_store(const orr__cloop *c, int k);
void orr__cloop_narrow(const orr__cloop *c, const char *to);
/* In a block [from, to): prefetches the next input. The `rows` variant prefetches for the `rows` places on axis d after those from p on. */
void orr__cloop_prefetch(const orr__cloop *c, const char *from, const char *to);
void orr__cloop_prefetch_rows(const orr__cloop *c, const char *from, const char *to, int d, int rows);
/* cloop_row_plan.c: the passes over rows of a map that reads folds of them. */
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
bool orr__rowplan_make(orr__rowplan *w, const orr__cloop *c, int64_t length, size_t bytes,
                       bool in_place); /* keeps at most `bytes`; false: no memory; free in any case */
void orr__rowplan_free(orr__rowplan *w);
/* Marks the instructions that pass number `pass` needs: the operands of its folds, or of the outputs. */
void orr__rowplan_want(orr__rowplan *w, int pass, bool decide);
bool orr__rowplan_inner(const orr__rowplan *w, int n); /* is register n computed in the inner loop? */
bool orr__cloop_folds_in(const orr__cloop *c, int instr, int pass);
/* cloop_short.c: the axis along which short rows are computed side by side, -1: none. orr__cloop_as_rows turns a reduction of such rows
 * into a map that reads folds of them; the caller frees its arrays. */
int orr__cloop_side(const orr__region *r);
bool orr__cloop_as_rows(const orr__region *r, orr__region *rows);
void orr__cloop_short(const orr__cloop *c);
void orr__cloop_short_functions(const orr__cloop *c); /* before the kernel */
void orr__cloop_map(const orr__cloop *c);
void orr__cloop_rows(const orr__cloop *c);
void orr__cloop_reduce(const orr__cloop *c);
/* Before the kernel, for the reduction of r's register out_reg[0] by rop: the functions orr_first_<number> (the neutral value) and
 * orr_block_<number> (folds n values into *acc, and a float sum's rounding errors into *lost). Sums and products also have
 * orr_join_<number>, for a block whose columns are already folded. */
void orr__cloop_fold_functions(orr__text *t, const orr__region *r, int number);
/* The number of columns in which n values are folded, which determines the bits. 1: in order. */
int orr__cloop_columns(const orr__region *r, int64_t n);
/* The functions of a search, which fold a run into orr_found. */
void orr__cloop_find_functions(orr__text *t, const orr__region *r, int number);
/* A block [q, e) whose values are folded as they are computed, without an array. The calls, in order: declares lane<number>; opens the
 * branch for blocks that fill every column often enough, and whose vectors may be masked or whose columns are equally long; the loop over
 * [q, e) by the number of columns, with `values` and their steps for each, up to element j, where fewer than a full set are left; a step
 * with the register's value; joins lane<number> with acc<number>. */
void orr__cloop_lane(const orr__cloop *c, int number);
void orr__cloop_if_lanes(const orr__cloop *c);
void orr__cloop_by_lanes(const orr__cloop *c, bool prefetch, void (*values)(const orr__cloop *c, void *arg), void *arg);
void orr__cloop_lane_step(const orr__cloop *c, int number);
void orr__cloop_lane_join(const orr__cloop *c, int number);
/* The result in acc<number> and lost<number>, as an expression. */
void orr__cloop_outcome(orr__text *t, const orr__region *r, int number);

#endif
