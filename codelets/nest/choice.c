/* The nests that can compute the rows of a region, and the choice among them: the least cost of those without a reason against them.
 * Must not know: the text of a nest. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "ops/instruction_cost.h"

/* True if a vector at the end of a row of a map can be masked (orr__cloop_maskable), so that no element is computed as a scalar. */
static bool masked(const orr__region *r)
{
    bool all = true;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        all = all && in->kind != ORR__RI_GATHER && in->kind != ORR__RI_PLACE;
        if (in->kind == ORR__RI_LOAD) {
            int64_t along = r->access[in->a].stride[r->rank - 1];
            all = all && !r->access[in->a].box && (along == 0 || along == 1);
        }
    }
    return all;
}

/* Is it copied, or read element by element? */
static bool is_strided(const orr__access *a, int last)
{
    return last >= 0 && a->stride[last] != 0 && a->stride[last] != 1;
}

static int folds_of(const orr__region *r)
{
    int folds = r->rmask ? r->nout : 0;
    for (int i = 0; i < r->ninstr; i++)
        folds += r->instr[i].kind == ORR__RI_FOLD;
    return folds;
}

/* Costs: of a row, in additions of f32. All nests have the vectors of its elements; the others are what a nest has besides. */
void orr__cloop_offers(const orr__region *r, orr__nest_offer offer[ORR__NEST_OFFERS])
{
    int64_t length = r->rank ? r->dim[r->rank - 1] : 1, rest = length % ORR__CLOOP_VECTOR, work = 0, turned = r->nout;
    int folds = folds_of(r), gathered = 0, copied = 0, strided = 0;
    for (int i = 0; i < r->ninstr; i++) {
        work += orr__instruction_cost(&r->instr[i]);
        turned += r->instr[i].kind == ORR__RI_LOAD;
        strided += r->instr[i].kind == ORR__RI_LOAD && is_strided(&r->access[r->instr[i].a], r->rank - 1);
        gathered += r->instr[i].kind == ORR__RI_GATHER;
        copied += r->instr[i].kind == ORR__RI_GATHER ||
                  (r->rank > 1 && r->instr[i].kind == ORR__RI_IOTA && orr__cloop_join_moves(r, r->instr[i].a));
    }
    double vectors = (double)(work * length) / ORR__CLOOP_VECTOR;
    int64_t empty = rest ? ORR__CLOOP_VECTOR - rest : 0; /* lanes of the masked vector */
    int64_t end = masked(r) ? work * empty / ORR__CLOOP_VECTOR : work * rest, turns = ORR__COST_TURN * turned * length;
    int64_t copies = ORR__COST_ROW * gathered + ORR__COST_STORE * copied * length / ORR__CLOOP_VECTOR;
    offer[ORR__NEST_EACH] =
        (orr__nest_offer){ .name = "one by one",
                           .cost = vectors + (double)(ORR__COST_LOOP + end + ORR__COST_TURN * strided * length) };
    offer[ORR__NEST_SIDE] = (orr__nest_offer){ .name = "side by side", .cost = vectors + (double)turns };
    offer[ORR__NEST_JOINED] = (orr__nest_offer){ .name = "joined", .cost = vectors + (double)copies };
    offer[ORR__NEST_JOINED].no = orr__cloop_joins_not(r);
    offer[ORR__NEST_SIDE].no = orr__cloop_side_not(r);
    if (!offer[ORR__NEST_SIDE].no && length > ORR__CLOOP_LANES && (length >= ORR__T_SHORT_ROW || folds < 2))
        offer[ORR__NEST_SIDE].no = "rows of so many elements fill vectors";
    if (!offer[ORR__NEST_SIDE].no && folds > 0)
        offer[ORR__NEST_EACH].no = "each fold of a short row ends in a tree";
    orr__nest_offer *best = NULL;
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        if (!offer[k].no && (!best || offer[k].cost < best->cost))
            best = &offer[k];
    best->chosen = true;
}

bool orr__cloop_chooses(const orr__region *r, int nest)
{
    orr__nest_offer offer[ORR__NEST_OFFERS];
    orr__cloop_offers(r, offer);
    return offer[nest].chosen;
}
