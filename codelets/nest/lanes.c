/* Blocks that are folded in columns as their values are computed, without an array of these.
 * Must not know: the loops around blocks, the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

static const char *name_of(const orr__cloop *c, int number)
{
    return orr__cloop_name(c, "lane", number);
}

/* Do the bits of a fold depend on its order? Other folds fill vectors of bytes, too. */
static bool in_some_order(const orr__region *r)
{
    bool any = false;
    for (int n = 0; n < r->ninstr + r->nout; n++)
        if (orr__emit_folds(r, n)) {
            orr__region fold = orr__emit_fold_of(r, n);
            any = any || (orr__is_float((orr_dtype)fold.instr[fold.out_reg[0]].dtype) && orr__cloop_counted(&fold) < 0);
        }
    return any;
}

int64_t orr__cloop_of_cell(const orr__region *r)
{
    int64_t n = 1;
    for (int d = 0; d < r->rank; d++)
        n *= (r->rmask ? r->rmask >> d & 1u : d == r->rank - 1) ? r->dim[d] : 1;
    return n;
}

int orr__cloop_lanes(const orr__region *r)
{
    return orr__cloop_of_cell(r) <= ORR__CLOOP_SOME && in_some_order(r) ? ORR__CLOOP_SOME_LANES : ORR__CLOOP_LANES;
}

static const char *columns(const orr__cloop *c)
{
    return orr__nest_say(c->n, "%d", orr__cloop_lanes(c->r));
}

void orr__cloop_each_fold(const orr__cloop *c, int pass, void (*f)(const orr__cloop *c, int number))
{
    for (int n = 0; n < c->r->ninstr + c->r->nout; n++)
        if (orr__emit_folds(c->r, n) && orr__cloop_folds_in(c, n, pass))
            f(c, n);
}

void orr__cloop_folds(const orr__cloop *c, int pass, int how)
{
    for (int n = 0; n < c->r->ninstr + c->r->nout; n++)
        if (orr__emit_folds(c->r, n) && orr__cloop_folds_in(c, n, pass))
            (void)orr__cloop_fold(c, how, n);
}

int orr__cloop_counted(const orr__region *fold)
{
    const orr__rinstr *in = &fold->instr[fold->out_reg[0]];
    bool cast = in->kind == ORR__RI_CAST && orr__is_float((orr_dtype)in->dtype);
    orr_dtype t = (orr_dtype)(cast ? fold->instr[in->x].dtype : in->dtype);
    bool few = t == ORR_BOOL ||
               (orr__is_int(t) && orr_dtype_size(t) <= 2 && (!cast || orr_dtype_size((orr_dtype)in->dtype) >= 4));
    return fold->search || fold->rop[0] != ORR__RSUM || !few ? -1 : cast ? in->x : fold->out_reg[0];
}

const char *orr__cloop_column_type(const orr__cloop *c, int number)
{
    orr__region fold = orr__emit_fold_of(c->r, number);
    return orr__cloop_counted(&fold) >= 0 ? "orr_i32" : orr__cloop_fold_type(c, number);
}

void orr__cloop_lane_clear(const orr__cloop *c, int number)
{
    orr__part *clear = orr__cloop_fold(c, ORR__FOLD_CLEAR, number);
    clear->name = name_of(c, number);
    clear->to = columns(c);
}

void orr__cloop_lane(const orr__cloop *c, int number)
{
    orr__cloop_declare(c, ORR__ARRAY_LOOSE, orr__cloop_column_type(c, number), "lane", number, orr__cloop_lanes(c->r));
    orr__cloop_lane_clear(c, number);
}

/* Opens the branch for blocks that fill every column often enough, and whose vectors may be masked or whose columns are equally long. */
static void if_lanes(const orr__cloop *c)
{
    int vector = orr__cloop_maskable(c);
    const char *masks = vector ? orr__nest_say(c->n, "ORR_VECTOR >= %d || ", vector) : "";
    int lanes = orr__cloop_lanes(c->r);
    int few = lanes < ORR__CLOOP_LANES ? ORR__CLOOP_FEW : in_some_order(c->r) ? ORR__CLOOP_SOME : 3 * lanes / 2;
    (void)orr__nest_if(c->n, "e - q > %d && (%s(e - q) %% %d == 0)", few, masks, lanes);
}

static void lane_step(const orr__cloop *c, int number)
{
    orr__cloop_fold(c, ORR__FOLD_LANE, number)->name = orr__nest_say(c->n, "lane%d[l]", number);
}

static void lanes_of_block(const orr__cloop *c, const orr__part *body)
{
    int how = orr__cloop_lanes(c->r) < ORR__CLOOP_LANES ? ORR__LOOP_ONCE : 0; /* compilers take few elements apart */
    (void)orr__nest_loop(c->n, ORR__LOOP_VECTOR | ORR__LOOP_INT | how, "l", "0", columns(c), NULL);
    orr__nest_set(c->n, "const int lane = l");
    orr__nest_set(c->n, "const orr_idx i%d = q + l", c->r->rank - 1);
    orr__nest_put(c->n, orr__nest_clone(c->n, body));
    orr__nest_close(c->n, 1);
}

/* Fewer elements than columns, as a masked vector. */
static void rest_of_block(const orr__cloop *c, const orr__part *body, int vector)
{
    orr__nest *n = c->n;
    orr__nest_if(n, "ORR_VECTOR >= %d", vector)->how = ORR__MASK_COMPILED;
    (void)orr__nest_if(n, "j < e");
    orr__nest_set(n, "const orr_idx q = j");
    orr__cloop_left(c, "e - j");
    orr__part **mark = n->end;
    lanes_of_block(c, body);
    orr__cloop_mask(c, mark);
    orr__cloop_widen(c, mark, "q", "e", orr__cloop_lanes(c->r));
    orr__nest_set(n, "j = e");
    orr__nest_close(n, 2);
}

orr__part *orr__cloop_into_lanes(const orr__cloop *c, int pass, orr__part **mark)
{
    orr__cloop_each_fold(c, pass, lane_step);
    return orr__nest_take(c->n, mark);
}

void orr__cloop_by_lanes(const orr__cloop *c, const orr__part *body)
{
    orr__nest *n = c->n;
    int vector = orr__cloop_maskable(c);
    orr__nest_set(n, "orr_idx j = q");
    bool some = orr__cloop_lanes(c->r) < ORR__CLOOP_LANES;
    if (some)
        orr__cloop_prefetch(c, "q", "e", false);
    (void)orr__nest_loop(n, ORR__LOOP_WHOLE, "j", NULL, "e", columns(c));
    orr__nest_set(n, "const orr_idx q = j, e = j + %d", orr__cloop_lanes(c->r));
    orr__nest_set(n, "(void)e");
    if (!some)
        orr__cloop_prefetch(c, "q", "e", false);
    orr__part **mark = n->end;
    lanes_of_block(c, body);
    orr__cloop_widen(c, mark, "q", "e", orr__cloop_lanes(c->r));
    orr__nest_close(n, 1);
    if (vector)
        rest_of_block(c, body, vector);
}

void orr__cloop_lane_join(const orr__cloop *c, int number)
{
    orr__cloop_fold(c, ORR__FOLD_JOIN, number)->name = name_of(c, number);
}

void orr__cloop_fold_at_once(const orr__cloop *c, int pass, orr__part **mark)
{
    const orr__part *body = orr__cloop_into_lanes(c, pass, mark);
    if_lanes(c);
    orr__cloop_each_fold(c, pass, orr__cloop_lane);
    orr__cloop_by_lanes(c, body);
    orr__cloop_each_fold(c, pass, orr__cloop_lane_join);
    orr__nest_set(c->n, "continue");
    orr__nest_close(c->n, 1);
}
