/* The nests that can compute the rows of a region, and the choice among them: the least cost of those without a reason against them.
 * Must not know: the text of a nest. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"
#include "ops/instruction_cost.h"
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/regret.h"

/* Places of boxes that are looked at. */
enum { CUTS = 16 }; /* limit of search */

/* The operands and results of a region, for the costs of its rows. */
typedef struct {
    int side;                    /* the axis along which rows could be side by side, -1: none        */
    int work;                    /* of an element, in additions                                      */
    int folds, in_order, passes; /* in_order: folds without columns                                  */
    int some;                    /* folds with few columns                                           */
    int extremes; /* those of one instruction a step with many columns, which are joined in half of the time */
    int waits;    /* searches of floats: a step has several instructions that wait for each other */
    int turned;   /* the cost of transposing an element of each operand and result    */
    int strided;  /* that of copying an element of each operand with a stride         */
    int halves;   /* operands and results of f16                                      */
    int gathered; /* rows that are found                                              */
    int found;    /* elements of a row that are, each by itself                       */
    int copied, masks,
        apart;    /* operands whose elements are copied for joined rows, one by one; masked; copied row by row */
    int starts;   /* of the copies of values of a row */
    int lines;    /* the cost of lines that each element of a row reads again */
    int boxed;    /* operands with boxes */
    int operands; /* that are loaded                                                  */
    int cuts; /* places inside of a row where boxes begin and end, ascending, from 0 on, and its end: a loop for each piece */
    int64_t cut[CUTS];
    bool packed; /* one of them is copied                                            */
    bool masked; /* a vector at the end of a row can be masked (orr__cloop_maskable) */
    bool narrow; /* a value in memory has one or two bytes */
    bool far;    /* the operands and results exceed the caches of a core */
} parts;

/* Bytes of the vectors of kernels on this processor, as ORR_VECTOR. */
static int vector_bytes(void)
{
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (orr__env.isa != ORR__ISA_SSE2 && orr__env.isa != ORR__ISA_AVX2 && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return 4 * ORR__VECTOR;
    if (orr__env.isa != ORR__ISA_SSE2 && __builtin_cpu_supports("avx2"))
        return 2 * ORR__VECTOR;
#endif
    return 0;
}

/* Can a vector of these elements be masked? f16 is, in arrays of f32. */
static bool masks(orr_dtype t)
{
    return vector_bytes() >= (orr_dtype_size(t) >= 4 || t == ORR_F16 ? 2 * ORR__VECTOR : 4 * ORR__VECTOR);
}

static int turn_of(orr_dtype t)
{
    return orr_dtype_size(t) == 1 ? ORR__COST_TURN_1 : orr_dtype_size(t) == 2 ? ORR__COST_TURN_2 : ORR__COST_TURN;
}

/* Copying an element of an operand with a stride: into rows of its own, or, of one byte, one by one as it is read. */
static int copy_of(orr_dtype t)
{
    return orr_dtype_size(t) == 1 ? 2 * ORR__COST_TURN_1 + ORR__COST_STORE / 2
                                  : ORR__COST_TURN_2 * ORR__MAX((int)orr_dtype_size(t) / 4, 1);
}

/* An operand with one value for each row costs no element its transposition, nor does one whose neighbours in memory are in neighbouring rows. */
static int turn_of_operand(const orr__access *a, orr_dtype t, int64_t along, int side)
{
    int64_t across = side < 0 ? 0 : a->stride[side];
    bool moves = (along != 0 && across != 0 && across != 1);
    bool together = (along == 1 || across == -1); /* squares, or vectors in reverse order */
    return a->box ? ORR__COST_BOX : !moves ? 0 : together ? turn_of(t) : ORR__MAX(turn_of(t), ORR__COST_TURN_2);
}

static void cut_row(parts *p, int64_t at)
{
    int k = 0;
    while (k < p->cuts && p->cut[k] < at)
        k++;
    if (k == 0 || k == p->cuts || p->cut[k] == at || p->cuts == CUTS) /* 0 and the end of the row are there */
        return;
    memmove(p->cut + k + 1, p->cut + k, (size_t)(p->cuts - k) * sizeof *p->cut);
    p->cut[k] = at;
    p->cuts++;
}

/* Do neighbours along an outer axis share lines, and does what is read until the next of them exceed the caches? */
static bool reads_again(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int64_t inner = ORR__CACHE_LINE;
    bool again = false;
    for (int d = r->rank - 1; d >= 0; d--) {
        int64_t of_line = orr__cloop_of_line(r, number, d);
        again = again || (d < r->rank - 1 && a->stride[d] && of_line > 1 && inner > ORR__T_CORE_CACHES);
        inner *= a->stride[d] ? (r->dim[d] + of_line - 1) / of_line : 1;
    }
    return again;
}

static void add_operand(parts *p, const orr__region *r, const orr__rinstr *in)
{
    const orr__access *a = &r->access[in->a];
    orr_dtype t = (orr_dtype)r->in_dtype[a->input];
    int64_t along = r->rank ? a->stride[r->rank - 1] : 0;
    p->turned += turn_of_operand(a, t, along, p->side);
    p->strided += along != 0 && along != 1 ? copy_of(t) : 0;
    p->halves += t == ORR_F16 && along == 1;
    if (r->rank > 2 && !orr__cloop_may_pack(r, in->a) && orr__cloop_may_tile(r) < 0 && reads_again(r, in->a))
        p->lines += ORR__COST_LINE / orr__cloop_of_line(r, in->a, r->rank - 1);
    p->operands++;
    p->boxed += a->box != 0;
    p->narrow = p->narrow || orr_dtype_size(t) < 4;
    if (r->rank && a->box >> (r->rank - 1) & 1u) {
        cut_row(p, a->lo[r->rank - 1]);
        cut_row(p, a->hi[r->rank - 1]);
    }
    p->packed = p->packed || (along != 0 && along != 1);
    p->masked = p->masked && !a->box && (along == 0 || along == 1 || orr__cloop_may_pack(r, in->a)) && masks(t);
}

/* Does a place change along a row? */
static bool moves_along(const orr__region *r, int n)
{
    const orr__rinstr *in = &r->instr[n];
    return in->kind == ORR__RI_LOAD ? r->access[in->a].stride[r->rank - 1] != 0 : in->x < 0 || moves_along(r, in->x);
}

static void add_instruction(parts *p, const orr__region *r, const orr__rinstr *in)
{
    p->work += orr__instruction_cost(in);
    switch (in->kind) {
    case ORR__RI_LOAD: add_operand(p, r, in); break;
    case ORR__RI_GATHER:
        p->gathered++;
        p->found += r->rank && moves_along(r, in->x);
        p->turned += ORR__MAX(turn_of((orr_dtype)in->dtype), ORR__COST_TURN_2);
        p->masked = false;
        break;
    case ORR__RI_PLACE: p->masked = false; break;
    default: break;
    }
}

/* The copies of joined rows. Those of rows at one distance are none. */
static void add_copies(parts *p, const orr__region *r)
{
    bool pitched = orr__cloop_join_pitched(r);
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        if (in->kind != ORR__RI_LOAD && in->kind != ORR__RI_GATHER && in->kind != ORR__RI_IOTA)
            continue;
        orr__way way = orr__cloop_way(r, in->a);
        p->copied += way == ORR__SAME_COLUMN || way == ORR__ROWS_ANYWHERE ||
                     (in->kind == ORR__RI_IOTA && orr__cloop_join_moves(r, in->a));
        if (way == ORR__SAME_COLUMN) /* a value of the row, or its index, whose copy is a loop of its own */
            p->starts += 2 * ORR__COST_ROW + (in->kind == ORR__RI_IOTA ? ORR__COST_LOOP : 0);
        p->apart += way == ORR__ROWS_APART && !pitched;
        p->masks += r->access[in->a].box != 0;
    }
}

/* A few values are folded in order, all others in columns, which a tree joins. */
static void add_fold(parts *p, const orr__region *r, int n)
{
    orr__region fold = orr__emit_fold_of(r, n);
    bool sum = fold.rop[0] == ORR__RSUM || fold.rop[0] == ORR__RPROD;
    int64_t length = r->dim[r->rank - 1];
    bool narrow = orr__dtype_size(orr__compute_dtype((orr_dtype)r->instr[fold.out_reg[0]].dtype)) < sizeof(float);
    bool some = !r->search && !narrow && length > ORR__CLOOP_FEW && length <= ORR__CLOOP_SOME;
    p->folds++;
    p->some += some;
    p->extremes += !sum && !r->search && !some;
    p->in_order += sum && !some && orr__cloop_columns(&fold, length) == 1;
    p->waits += r->search && orr__is_float((orr_dtype)r->instr[fold.out_reg[0]].dtype);
}

/* The most folds in a chain that an output waits for: the passes before that of the outputs. */
static int chain_of(const orr__region *r)
{
    int16_t *chain = orr__alloc_n((size_t)r->ninstr + 1, sizeof *chain);
    int most = 0;
    for (int n = 0; chain && n < r->ninstr; n++) {
        int folds = orr__cloop_most(&r->instr[n], chain, 0) + (r->instr[n].kind == ORR__RI_FOLD);
        chain[n] = (int16_t)folds;
        most = ORR__MAX(folds, most);
    }
    free(chain);
    return most;
}

static parts parts_of(const orr__region *r, bool sides, bool joins)
{
    parts p = { .masked = true,
                .far = orr__cloop_bytes(r) >= ORR__T_CORE_CACHES,
                .cuts = 2,
                .cut = { 0, r->rank ? r->dim[r->rank - 1] : 1 },
                .side = sides ? orr__cloop_side_axis(r) : -1 };
    for (int n = 0; n < r->ninstr; n++) {
        add_instruction(&p, r, &r->instr[n]);
        if (r->instr[n].kind == ORR__RI_FOLD)
            add_fold(&p, r, n);
    }
    for (int k = 0; k < r->nout; k++) {
        p.turned += r->rmask || r->loops == ORR__LOOPS_PER_ROW ? 0 : turn_of((orr_dtype)r->out_dtype[k]);
        p.halves += r->out_dtype[k] == ORR_F16;
        p.narrow = p.narrow || orr_dtype_size((orr_dtype)r->out_dtype[k]) < 4;
        p.masked = p.masked && masks((orr_dtype)r->out_dtype[k]);
        if (r->rmask)
            add_fold(&p, r, r->ninstr + k);
    }
    if (joins)
        add_copies(&p, r);
    p.passes = (p.folds ? chain_of(r) : 0) + (!r->rmask && r->loops != ORR__LOOPS_PER_ROW);
    return p;
}

/* The end of a row: a masked vector, for which nothing else is ready if its operands have just been copied; else element by element. A row
 * that is one masked vector prefetches each operand, since Zen 5 does not follow masked loads, and still waits for some of them. */
static int64_t cost_of_end(const parts *p, int64_t length)
{
    int64_t vector = p->narrow && !p->masked ? 2 * ORR__CLOOP_VECTOR : ORR__CLOOP_VECTOR;
    int64_t rest = length % vector, empty = rest ? vector - rest : 0;
    return !p->masked  ? p->work * rest
           : p->packed ? p->work * ORR__MIN(rest, ORR__COST_FOLD)
           : empty     ? ORR__COST_MASK * (p->far && length < vector ? 3 * p->operands : 1) + p->work * empty / vector
                       : 0;
}

/* A row by itself: loops begin, with an address for each operand, and it has an end, and folds. */
static double cost_of_each(const parts *p, int64_t length)
{
    int trees = 2 * (p->folds - p->in_order - p->some) - p->extremes;
    int64_t ends = 0;
    for (int k = 0; k + 1 < p->cuts; k++) {
        int64_t piece = p->cut[k + 1] - p->cut[k];
        ends += piece * ORR__T_RARE_SET < length ? p->work * piece : cost_of_end(p, piece);
    }
    return (double)(ORR__COST_LOOP * (ORR__MAX(p->operands / 2, 1) + p->cuts - 2) + ends +
                    ORR__COST_BOX * p->boxed * (p->cuts - 1) +
                    (p->strided + p->lines + (ORR__COST_STRIDED + ORR__COST_TAKE) * p->found +
                     ORR__COST_FOLD * (p->in_order + p->waits)) *
                        length +
                    ORR__COST_TREE / 2 * trees + ORR__COST_SOME * (p->narrow ? 2 : 1) * p->some +
                    ORR__COST_PASS * (p->passes > 1 ? p->passes - 1 : 0) + ORR__COST_HALVES * p->halves);
}

/* Fewer rows side by side are fewer vectors whose work overlaps. */
static double cost_of_side(const parts *p, const orr__region *r, int64_t length)
{
    double loops = (double)(ORR__COST_SIDE * ORR__MAX(p->passes, 1) + p->work) / orr__cloop_side_of(r);
    return (double)length * (p->turned + loops + (double)(ORR__COST_STORE * p->folds) / ORR__CLOOP_VECTOR);
}

/* The trees of several folded rows overlap, and so do their first steps. */
static double cost_of_joined(const parts *p, const orr__region *r, int64_t length)
{
    bool rows = r->rmask >> (r->rank - 1) & 1u;
    int trees = ORR__COST_TREE / 4 * (p->folds - p->in_order - p->some + p->extremes) + ORR__COST_SOME / 3 * p->some;
    int folds = rows ? ORR__COST_LOOP + trees + ORR__COST_FOLD * (p->in_order + p->waits) * (int)length : 0;
    int row = ORR__COST_ROW * (p->gathered + 2 * p->apart) + p->starts + folds;
    int vector = ORR__COST_STORE * (p->copied + p->apart) + ORR__COST_STORE / 2 * p->masks;
    return (double)(row + vector * length / ORR__CLOOP_VECTOR);
}

/* Costs: of a row, in additions of f32. All nests have the vectors of its elements; the others are what a nest has besides. */
int orr__cloop_offers(const orr__region *r, orr__nest_offer offer[ORR__NEST_OFFERS])
{
    const char *no_side = orr__cloop_side_not(r), *no_join = orr__cloop_joins_not(r);
    int64_t length = r->rank ? r->dim[r->rank - 1] : 1;
    const parts p = parts_of(r, !no_side, !no_join);
    double vectors = (double)(p.work * length) / ORR__CLOOP_VECTOR;
    offer[ORR__NEST_EACH] = (orr__nest_offer){ .name = "one by one", .cost = vectors + cost_of_each(&p, length) };
    offer[ORR__NEST_SIDE] = (orr__nest_offer){ .name = "side by side", .no = no_side };
    offer[ORR__NEST_JOINED] = (orr__nest_offer){ .name = "joined", .no = no_join };
    if (!no_side)
        offer[ORR__NEST_SIDE].cost = vectors + cost_of_side(&p, r, length);
    if (!no_join)
        offer[ORR__NEST_JOINED].cost = vectors + cost_of_joined(&p, r, length);
    if (orr__cloop_rows_beside(r) > 1)
        offer[orr__cloop_beside_in_memory(r) ? ORR__NEST_JOINED : ORR__NEST_EACH].no =
            "rows are folded beside each other";
    int best = offer[ORR__NEST_EACH].no ? ORR__NEST_JOINED : ORR__NEST_EACH; /* which has no reason against it */
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        best = !offer[k].no && offer[k].cost < offer[best].cost ? k : best;
    offer[best].chosen = true;
    return best;
}

int orr__cloop_near(const orr__region *r, int nest[ORR__NEST_OFFERS])
{
    orr__nest_offer offer[ORR__NEST_OFFERS];
    int n = 1, best = nest[0] = orr__cloop_offers(r, offer);
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        if (!offer[k].no && k != best && offer[k].cost <= (1 + ORR__REGRET_MOST) * offer[best].cost)
            nest[n++] = k;
    return n;
}

bool orr__cloop_chooses(const orr__region *r, int nest)
{
    orr__nest_offer offer[ORR__NEST_OFFERS];
    if (nest == ORR__NEST_SIDE ? orr__cloop_side_not(r) : nest == ORR__NEST_JOINED ? orr__cloop_joins_not(r) : NULL)
        return false;
    if (r->nest)
        return r->nest == nest + 1;
    return orr__cloop_offers(r, offer) == nest;
}
