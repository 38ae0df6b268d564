/* Within the room: the interface of the files that write C loops.
 * Must not know: compilers, launches. */
#ifndef ORR_EMIT_CLOOP_ROOM_H
#define ORR_EMIT_CLOOP_ROOM_H

#include "codelets/emit/cloop.h"
#include "codelets/emit/emit.h"

/* Elements of the inner axis whose accumulators or values lie on the stack. */
enum { ORR__CLOOP_BLOCK = 1024 };
/* A block is folded in so many columns, then these in a fixed tree; few values in their order. */
enum { ORR__CLOOP_LANES = 32 };
/* The most elements of a vector. */
enum { ORR__CLOOP_VECTOR = 16 };
/* The most elements of the inner axis that are computed before they are stored past the caches. */
enum { ORR__CLOOP_OUT = 256 };
/* Elements of the longest row whose values are kept there from one pass to the next. Longer ones are kept in the launch's memory. */
enum { ORR__CLOOP_ROW = 8192 };
/* Bytes of such values on the stack, at most. */
enum { ORR__CLOOP_KEPT = 128 << 10 };
/* The most boxes that get a loop each. */
enum { ORR__CLOOP_GROUPS = 4 };
/* Rows of a float sum of columns that are added in their order before their total joins the others. */
enum { ORR__CLOOP_ROWS = 64 };

/* A kernel being written. Loops stand in `order`, the outermost first; the last one is the one to become vector code.
 * Register n is computed inside loop at[n] and outside the next one, -1: outside all. */
typedef struct {
    orr__text *t;
    const orr__region *r;
    orr__layout lay;
    int side;                       /* the axis along which short rows stand side by side, -1: rows are long */
    bool joins;                     /* short rows are walked as one: there is no loop over the axis before the last */
    int groups;                     /* of boxes (lay.boxes), each of which gets a loop where it is; 0: none does */
    int order[ORR_MAX_RANK], outer; /* `outer`: how many of them are kept axes outside everything else */
    int16_t *at, *scalar;
    int16_t *pass; /* of a row: how many folds, one after the other, a register waits for; of a map: its stage */
    bool *ahead;   /* its random bits are there for the loop being written */
    bool *
        wide; /* its elements are there, in wide<n>_<wide_copy>, from element wide_from on; a place: they are gathered */
    const char *wide_from;
    int wide_copy;
    const char *half_from; /* where half<k>, of outputs that become f16 after the loop, begins */
    const bool *wanted;    /* registers of the loop being written; NULL: all */
} orr__cloop;

/* Words: 0 the first row, ORR__CLOOP_REACH_AT, ORR__CLOOP_AHEAD_AT, ORR__CLOOP_LEADS_AT, where each output starts, each axis's size, then as orr__layout
 * says. */
enum { ORR__CLOOP_LEADS_AT = 3, ORR__CLOOP_OUT_AT = 4 };
static inline int orr__cloop_size_at(const orr__region *r, int axis)
{
    return ORR__CLOOP_OUT_AT + r->nout + axis;
}

orr_status orr__cloop_begin(orr__cloop *c, const orr__region *r);
void orr__cloop_end(orr__cloop *c);

/* cloop_pack.c: does access a read a copy? Its array is pack<a> then, else in<input>. */
bool orr__cloop_packs(const orr__region *r, int a);
/* cloop_join.c: are the last two axes of a map walked as one, its rows being short? Before the loops over blocks of it: copies of what is
 * the same in each row; `joined`, its length. In a block [q, e): join<a> of each access that does not go on from row to row. */
bool orr__cloop_joins(const orr__region *r);
bool orr__cloop_join_moves(const orr__region *r, int a); /* is access a one of those? */
/* For each access the array columns<n> of its box, -1: none. Before all loops: these arrays; before those over blocks: where joined rows
 * are inside of access a's box, whose words begin at `word`. */
void orr__cloop_join_number(const orr__region *r, int8_t *column);
void orr__cloop_join_columns(orr__cloop *c, int length);
void orr__cloop_join_part(orr__cloop *c, int a, int word);
void orr__cloop_join_begin(orr__cloop *c, int length);
void orr__cloop_join_block(orr__cloop *c, int length);
/* Bytes of the widest type in the innermost loop, at least those of f32. */
int orr__cloop_widest(const orr__cloop *c);
/* The type of an array that keeps values of register n from one loop to the next. Truths are as wide as the widest: a loop over bytes
 * and numbers becomes code for as many numbers as a vector has bytes, or none. The register again, from such an array. */
const char *orr__cloop_kept(const orr__cloop *c, int n);
void orr__cloop_keep_again(orr__cloop *c, int n, const char *from);
/* Instructions that stand in loop `pos`; of passes from … to (inclusive). */
void orr__cloop_values(orr__cloop *c, int pos);
void orr__cloop_passes(orr__cloop *c, int pos, int from, int to);
/* Opens the loops from … to (exclusive), with the instructions of each. */
void orr__cloop_open(orr__cloop *c, int from, int to);
void orr__cloop_close(orr__cloop *c, int from, int to);
/* Instruction i, in its loop. */
void orr__cloop_value(orr__cloop *c, int i);
/* Does register n lie in memory as it is, element after element of the last axis? */
bool orr__cloop_lies(const orr__cloop *c, int n);
/* Random numbers of neighbouring elements have blocks in common. These go before an innermost loop over [q, e) of the last
 * axis, at most ORR__CLOOP_BLOCK elements: they have the bits of instruction i (of all that stand in the innermost loop)
 * made for all of it, where that helps; orr__cloop_value takes them from there. */
void orr__cloop_ahead(orr__cloop *c, int i);
void orr__cloop_all_ahead(orr__cloop *c);
bool orr__cloop_draws(const orr__cloop *c, int i); /* is i such an instruction? */
/* Writes the helpers for that, before the kernel. */
void orr__cloop_random_functions(orr__cloop *c);
/* Before an innermost loop along the last axis: where it is inside of boxes, which is one range for each; [whole, over) is inside
 * of all. */
void orr__cloop_parts(orr__cloop *c);
/* Opens the loop over blocks [q, e) of [from, to) on the last axis, of `length` elements, at most ORR__CLOOP_OUT; over blocks
 * [b, f) of [q, e). Opens the innermost loop over a block. */
void orr__cloop_blocks(orr__cloop *c, const char *from, const char *to, int length);
void orr__cloop_parts_of_block(orr__cloop *c);
void orr__cloop_inner(orr__cloop *c, const char *from, const char *to);
/* That loop, closed, with this body: a vector at a time where that can be said, the last of them with some elements less. Arrays of
 * the body's own get whole vectors; its loads and its outputs are of the elements that are there. */
int orr__cloop_maskable(const orr__cloop *c); /* the ORR_VECTOR of the kernel from which on that is so; 0: never */
void orr__cloop_run(orr__cloop *c, const char *from, const char *to, void (*body)(orr__cloop *c, void *arg), void *arg);
/* cloop_near.c: does the loop have functions with a near form? Such `loops`, which write to the kernel's own arrays alone, by near forms; then
 * once more, where an argument is too large for these. Other loops as they are. */
bool orr__cloop_has_near(const orr__cloop *c);
void orr__cloop_sure(orr__cloop *c, void (*loops)(orr__cloop *c, void *arg), void *arg);
/* Is a row with boxes split into its interior and its borders? The innermost loop over a block, closed: once, or in pieces, each with
 * the body. */
bool orr__cloop_split(const orr__cloop *c);
void orr__cloop_pieces(orr__cloop *c, const char *from, const char *to, void (*body)(orr__cloop *c, void *arg),
                       void *arg);
/* The body of a map in stages, each a loop over the block: how many (they are in c->pass from then on); before all loops; one
 * stage's values, inside its loop. And the share of instruction n in it. */
int orr__cloop_stages(orr__cloop *c);
void orr__cloop_stage_begin(orr__cloop *c, int stages);
void orr__cloop_stage_values(orr__cloop *c, int stage, int stages);
int orr__cloop_flops(const orr__cloop *c, int n);
int orr__cloop_work(const orr__cloop *c); /* of all stages, for a point        */
/* Returns when there are no elements: then no input may be read. */
void orr__cloop_nothing(orr__cloop *c);
/* Outputs too large for caches (orr__cloop_reach) are stored past them: functions before the kernel; before its loops;
 * in a block, before the innermost loop; as stores in that; after it; and after all loops. */
void orr__cloop_stream_functions(orr__cloop *c);
void orr__cloop_stream_begin(orr__cloop *c);
void orr__cloop_stream_block(orr__cloop *c);
void orr__cloop_stream_stores(orr__cloop *c);
void orr__cloop_stream_pass(orr__cloop *c, const char *to);
void orr__cloop_stream_end(orr__cloop *c);
int64_t orr__cloop_reach(const orr__launch *l);
/* Bit a: access a has a stream of memory of its own; another access, a constant distance away, reads the same lines first. */
int64_t orr__cloop_leads(const orr__region *r);
/* cloop_ahead.c: elements of f16, and gathered ones. Functions before the kernel. Before an innermost loop over [from, to) of the last axis, of
 * at most `most` elements, a multiple of 16: those of f16 that lie one after the other become f32, or those of `rows` rows from p on, on `axis`,
 * where wide_copy tells the row; those of which much is computed are gathered. Inside of it: the register, if it is such a one; after it. */
void orr__cloop_half_functions(orr__cloop *c);
void orr__cloop_widen(orr__cloop *c, const char *from, const char *to, int most);
void orr__cloop_widen_rows(orr__cloop *c, const char *from, const char *to, int most, int axis, int rows);
bool orr__cloop_wide_value(orr__cloop *c, int n);
void orr__cloop_widened(orr__cloop *c);
/* From here on registers that are outputs and nothing else are not rounded to f16. Before such a loop; a store, inside of it, if the output
 * is of f16; after it: to<k>, which begins at element q. */
void orr__cloop_leave_rounding(orr__cloop *c);
void orr__cloop_narrow_begin(orr__cloop *c, const char *from, int most);
bool orr__cloop_narrow_store(orr__cloop *c, int k);
void orr__cloop_narrow(orr__cloop *c, const char *to);
/* In a block [from, to): prefetches the next input; the same of the `rows` places on axis d that come after those from p
 * on. */
void orr__cloop_prefetch(orr__cloop *c, const char *from, const char *to);
void orr__cloop_prefetch_rows(orr__cloop *c, const char *from, const char *to, int d, int rows);
/* cloop_row_plan.c: the passes over rows of a map that sees folds of them. */
typedef struct {
    orr__cloop *c;
    int passes;     /* of folds; the outputs' is one more                                    */
    int *first;     /* the pass that computes a register of the inner loop, -1: none does     */
    float *cost;    /* of computing it anew                                                  */
    bool *kept;     /* from pass to pass, a row's values                                     */
    bool *wanted;   /* by the pass at hand                                                   */
    size_t left;    /* bytes left for kept values                                            */
    int64_t length; /* elements of what is kept of a register                               */
    bool in_place;  /* folds read values where they lie in memory                            */
} orr__rowplan;
bool orr__rowplan_make(orr__rowplan *w, orr__cloop *c, int64_t length, size_t bytes,
                       bool in_place); /* at most `bytes` are kept; false: no memory; to be freed anyway */
void orr__rowplan_free(orr__rowplan *w);
/* Marks the instructions of pass number `pass`: those behind its folds, or behind the outputs. */
void orr__rowplan_want(orr__rowplan *w, int pass, bool decide);
bool orr__rowplan_inner(const orr__rowplan *w, int n); /* is register n computed in the inner loop? */
bool orr__cloop_folds_in(const orr__cloop *c, int instr, int pass);
/* cloop_short.c: the axis along which short rows are computed side by side, -1: they are not. A reduction of such rows as a map that
 * sees folds of them; its arrays are the caller's to free. */
int orr__cloop_side(const orr__region *r);
bool orr__cloop_as_rows(const orr__region *r, orr__region *rows);
void orr__cloop_short(orr__cloop *c);
void orr__cloop_short_functions(orr__cloop *c); /* before the kernel */
void orr__cloop_map(orr__cloop *c);
void orr__cloop_rows(orr__cloop *c);
void orr__cloop_reduce(orr__cloop *c);
/* Before the kernel, for the reduction of r's register out_reg[0] by rop: the functions orr_first_<number> (the neutral
 * value) and orr_block_<number> (folds n values into *acc; a float sum's rounding errors into *lost). For sums and products
 * orr_join_<number>, too: a block whose columns have been folded already. */
void orr__cloop_fold_functions(orr__text *t, const orr__region *r, int number);
/* The columns in which n values are folded, whose order decides the bits: 1, one value after the other. */
int orr__cloop_columns(const orr__region *r, int64_t n);
/* The same of a search: a run is folded into orr_found. */
void orr__cloop_find_functions(orr__text *t, const orr__region *r, int number);
/* The same for a block [q, e) whose values are folded as they are computed, without an array: declares lane<number>; opens what
 * is done when each column has values enough, and vectors may have some elements less or all columns are equally long; the loop over [q, e)
 * by so many as there are columns, `values` with their steps for each of these, up to element j, where less than so many are left;
 * a step, with the register's value; joins lane<number> with acc<number>. */
void orr__cloop_lane(orr__cloop *c, int number);
void orr__cloop_if_lanes(orr__cloop *c);
void orr__cloop_by_lanes(orr__cloop *c, bool prefetch, void (*values)(orr__cloop *c, void *arg), void *arg);
void orr__cloop_lane_step(orr__cloop *c, int number);
void orr__cloop_lane_join(orr__cloop *c, int number);
/* The result in acc<number> and lost<number>, as an expression. */
void orr__cloop_outcome(orr__text *t, const orr__region *r, int number);

#endif
