/* C loops over short rows. Neighbours along another axis are computed side by side: a vector holds one element each of several rows, and a
 * fold of a row is a loop of vector instructions. A block of rows is transposed on its way in and out.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "ops/instruction_cost.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* The number of rows side by side. */
static int side_of(const orr__region *r)
{
    return ORR__T_SIDE_BLOCK / (r->dim[r->rank - 1] <= ORR__CLOOP_LANES ? ORR__CLOOP_LANES : ORR__T_SHORT_ROW);
}

/* -- which rows ----------------------------------------------------------------------------------------------- */

/* The axis with the most rows side by side, up to a block; axes with neighbours in memory are preferred. */
static int axis_of(const orr__region *r)
{
    int side = -1;
    int64_t best = 0;
    for (int d = r->rank - 2; d >= 0; d--) {
        int64_t worth = ORR__MIN(r->dim[d], side_of(r));
        for (int a = 0; a < r->naccess; a++)
            worth += r->access[a].stride[d] == 1 ? side_of(r) / 2 : 0;
        if (r->dim[d] >= ORR__CLOOP_VECTOR && worth > best) {
            side = d;
            best = worth;
        }
    }
    return side;
}

const char *orr__cloop_side_not(const orr__region *r)
{
    int last = r->rank - 1;
    int64_t bytes = 0;
    if (r->rank < 2 || r->loops == ORR__LOOPS_PRODUCT || r->call.op || (r->rmask && r->rmask != 1u << last))
        return r->rank < 2 ? "there is one row" : "no rows are folded";
    if (orr__ablated(ORR__OFF_SHORT_ROWS))
        return "it is switched off";
    for (int d = 0; d < r->rank; d++)
        if (r->dim[d] <= 0)
            return "they are empty";
    if (r->dim[last] < 2 || r->dim[last] > ORR__T_SHORT_ROW)
        return "they are not short";
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_RANDOM || orr__is_compound((orr_dtype)in->dtype))
            return "they draw numbers, or pairs of them";
        bool read = in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER;
        if (read && (r->access[in->a].stride[last] != 0 || r->access[in->a].box))
            bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
    }
    for (int k = 0; k < r->nout; k++)
        bytes += ORR__T_SIDE_BLOCK * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[k]);
    return bytes > ORR__KEPT_BYTES ? "a block of rows is larger than its share of the caches"
           : axis_of(r) < 0        ? "no axis has the rows of a vector"
                                   : NULL;
}

int orr__cloop_side(const orr__region *r)
{
    return orr__cloop_side_not(r) || !orr__cloop_chooses(r, ORR__NEST_SIDE) ? -1 : axis_of(r);
}

bool orr__cloop_as_rows(const orr__region *r, orr__region *rows)
{
    *rows = *r;
    rows->instr = orr__alloc_n((size_t)(r->ninstr + r->nout), sizeof *rows->instr);
    if (!rows->instr)
        return false;
    for (int i = 0; i < r->ninstr; i++)
        rows->instr[i] = r->instr[i];
    for (int k = 0; k < r->nout; k++) {
        int n = rows->ninstr++;
        rows->instr[n] = (orr__rinstr){ ORR__RI_FOLD, 0, (int16_t)r->rop[k], r->out_reg[k], -1, -1, -1, -1 };
        orr__region fold = orr__emit_fold_of(rows, n);
        rows->instr[n].dtype = (uint8_t)(fold.search ? ORR_I64 : orr__emit_fold_dtype(&fold, true));
        rows->out_reg[k] = (int16_t)n;
    }
    rows->rmask = 0;
    rows->loops = ORR__LOOPS_PER_ROW;
    return true;
}

/* -- nest ------------------------------------------------------------------------------------------------------ */

typedef orr__rowplan rows;

/* Transposes of elements of 4 and of 8 bytes, as on processors elsewhere. */
static const char turn_text[] = "#define REAL orr_i32\n#define LANE orr_i32\n#define F(name) orr_##name##_4\n"
#include "codelets/nest/turn_text.h"
                                "#undef REAL\n#undef LANE\n#undef F\n"
                                "#define REAL orr_i64\n#define LANE orr_i64\n#define F(name) orr_##name##_8\n"
#include "codelets/nest/turn_text.h"
                                "#undef REAL\n#undef LANE\n#undef F\n";

void orr__cloop_short_functions(const orr__cloop *c, orr__text *t)
{
    if (orr__cloop_side(c->r) >= 0)
        orr__text_add(t, turn_text);
}

static int width(const rows *w)
{
    return side_of(w->c->r);
}

static int last_of(const rows *w)
{
    return w->c->r->rank - 1;
}

/* True if n has one value per row. */
static bool of_row(const rows *w, int n)
{
    return w->c->at[n] == last_of(w) - 1;
}

/* True if access a is transposed as a block. Other accesses have stride 1 or 0 along the rows side by side. */
static bool is_turned(const rows *w, int a)
{
    const orr__cloop *c = w->c;
    return c->r->access[a].box || c->lay.move[a * ORR_MAX_RANK + c->side] == ORR__MOVE_ANY;
}

/* True if n gathers elements at places that are known before the passes. */
static bool gathers(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[n] == last_of(w) && c->at[in->x] < last_of(w) && c->pass[in->x] == 0;
}

static bool loads(const rows *w, int n)
{
    const orr__rinstr *in = &w->c->r->instr[n];
    return gathers(w, n) || (in->kind == ORR__RI_LOAD && w->c->at[n] >= last_of(w) - 1 && is_turned(w, in->a));
}

/* The instruction whose block n reads: the first with the same access, or with the same access and places. */
static int block_of(const rows *w, int n)
{
    int first = n;
    for (int i = n - 1; i >= 0; i--)
        first = loads(w, i) && w->c->r->instr[i].a == w->c->r->instr[n].a && w->c->r->instr[i].x == w->c->r->instr[n].x
                    ? i
                    : first;
    return first;
}

/* Opens the loop over rows side by side, of computed values or of copies. */
static void side_by_side(const rows *w, int how)
{
    (void)orr__cloop_along(w->c, how, w->c->side, "q", "e");
}

static void along(const rows *w)
{
    (void)orr__cloop_along(w->c, ORR__LOOP_STEPS, last_of(w), "0", orr__cloop_size(w->c, last_of(w)));
}

/* The position in the current block of a row's value, and of an element. */
static const char *place_of_row(const rows *w)
{
    return orr__nest_say(w->c->n, "i%d - q", w->c->side);
}

static const char *place_of_element(const rows *w)
{
    return orr__nest_say(w->c->n, "i%d * %d + i%d - q", last_of(w), width(w), w->c->side);
}

static const char *place(const rows *w, int n)
{
    return w->c->at[n] == last_of(w) ? place_of_element(w) : place_of_row(w);
}

static const char *name_of(const rows *w, const char *name, int n)
{
    return orr__cloop_name(w->c, name, n);
}

static void row_again(const rows *w, int n)
{
    orr__cloop_load(w->c, ORR__LOAD_KEPT, n, name_of(w, "row", n), place_of_row(w));
}

static void declare_block(const rows *w, const char *type, const char *name, int elements)
{
    orr__nest_array(w->c->n, 0, type, name, orr__nest_say(w->c->n, "%d", elements));
}

/* -- copies in --------------------------------------------------------------------------------------------------- */

/* A stride that the compiler knows: rows in reverse order are copied vector by vector. */
static void turn_reversed(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    int a = c->r->instr[n].a, s = c->side;
    orr__nest_set(c->n, "const orr_idx i%d = 0", s);
    orr__nest_address(c->n, orr__nest_say(c->n, "const %s", orr__cloop_stored(c, a)), "from",
                      orr__nest_say(c->n, "%s + (%s)", orr__cloop_array(c, a), orr__cloop_index(c, a, false)));
    side_by_side(w, ORR__LOOP_STEPS);
    orr__nest_copy(c->n, a, "turned%d[%s] = from[-i%d]", n, place(w, n), s);
    orr__nest_close(c->n, 1);
}

/* The element size, 4 or 8 bytes, if the elements of a row are contiguous; else 0. */
static int squares(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__access *a = &c->r->access[c->r->instr[n].a];
    int size = (int)orr_dtype_size((orr_dtype)c->r->in_dtype[a->input]);
    return (size == 4 || size == 8) && c->at[n] == last_of(w) && !a->box && !a->placed && !gathers(w, n) &&
                   a->stride[last_of(w)] == 1
               ? size
               : 0;
}

static void turn_squares(const rows *w, int n, int size)
{
    const orr__cloop *c = w->c;
    int a = c->r->instr[n].a, last = last_of(w);
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = q, i%d = 0", c->side, last);
    orr__nest_copy(c->n, a, "orr_turn_%d((void *)turned%d, %d, (const void *)(%s + (%s)), W(%d), e - q, %s)", size, n,
                   width(w), orr__cloop_array(c, a), orr__cloop_index(c, a, false), orr__cloop_step_word(c, a, c->side),
                   orr__cloop_size(c, last));
    orr__nest_close(c->n, 1);
}

static void turn_each(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    const orr__rinstr *in = &c->r->instr[n];
    bool gathered = gathers(w, n), boxed = !gathered && c->r->access[in->a].box;
    side_by_side(w, ORR__LOOP_STEPS);
    if (gathered && of_row(w, in->x))
        row_again(w, in->x);
    const char *outside = boxed ? orr__nest_say(c->n, "!(%s) ? 0 : ", orr__cloop_inside(c, in->a)) : "";
    orr__nest_copy(c->n, in->a, "turned%d[%s] = %s%s[%s]", n, place(w, n), outside, orr__cloop_array(c, in->a),
                   orr__cloop_element(c, n));
    orr__nest_close(c->n, 1);
}

/* A block of transposed elements, as they are in memory. */
static void turn(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    int a = c->r->instr[n].a;
    bool row = c->at[n] < last_of(w), gathered = gathers(w, n);
    declare_block(w, orr__cloop_stored(c, a), name_of(w, "turned", n), row ? width(w) : ORR__T_SIDE_BLOCK);
    if (!gathered && squares(w, n)) {
        turn_squares(w, n, squares(w, n));
        return;
    }
    if (row)
        orr__nest_block(c->n);
    else
        along(w);
    if (gathered || c->r->access[a].box) {
        turn_each(w, n);
    } else {
        (void)orr__nest_if(c->n, "W(%d) == -1", orr__cloop_step_word(c, a, c->side));
        turn_reversed(w, n);
        orr__nest_else(c->n);
        turn_each(w, n);
        orr__nest_close(c->n, 1);
    }
    orr__nest_close(c->n, 1);
}

/* The blocks of transposed accesses, of gathered ones or of the others. */
static void turn_in(const rows *w, bool gathered)
{
    for (int n = 0; n < w->c->r->ninstr; n++)
        if (loads(w, n) && gathers(w, n) == gathered && block_of(w, n) == n)
            turn(w, n);
}

/* -- values ------------------------------------------------------------------------------------------------------ */

static void value(const rows *w, int n)
{
    if (loads(w, n))
        orr__cloop_load(w->c, ORR__LOAD_STORED, n, name_of(w, "turned", block_of(w, n)), place(w, n));
    else
        orr__cloop_value(w->c, n);
}

/* Declares row<n>: values of rows that other loops read. */
static void declare(const rows *w)
{
    const orr__cloop *c = w->c;
    for (int n = 0; n < c->r->ninstr; n++) {
        if (of_row(w, n))
            declare_block(w, orr__cloop_kept(c, n), name_of(w, "row", n), width(w));
        if (w->kept[n])
            declare_block(w, orr__cloop_kept(c, n), name_of(w, "keep", n), ORR__T_SIDE_BLOCK);
    }
}

static bool reads(const orr__rinstr *in, int n)
{
    return in->x == n || in->y == n || in->z == n;
}

/* Is row value n read by an instruction of the element loop that the pass needs? */
static bool wanted_by_elements(const rows *w, int n, int pass)
{
    const orr__region *r = w->c->r;
    bool any = false;
    for (int i = n + 1; i < r->ninstr; i++)
        any = any || (w->wanted[i] && orr__rowplan_inner(w, i) && reads(&r->instr[i], n)) ||
              (orr__cloop_folds_in(w->c, i, pass) && pass < w->passes && r->instr[i].x == n);
    for (int k = 0; k < r->nout; k++)
        any = any || (pass == w->passes && r->out_reg[k] == n);
    return any;
}

/* The values of the element loop that the pass needs. */
static void elements(rows *w, int pass)
{
    const orr__cloop *c = w->c;
    orr__rowplan_want(w, pass, false);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (of_row(w, n) && wanted_by_elements(w, n, pass))
            row_again(w, n);
        if (!w->wanted[n] || !orr__rowplan_inner(w, n))
            continue;
        if (w->kept[n] && w->first[n] < pass) {
            orr__cloop_load(c, ORR__LOAD_KEPT, n, name_of(w, "keep", n), place(w, n));
            continue;
        }
        value(w, n);
        if (w->kept[n])
            orr__cloop_store(c, n, name_of(w, "keep", n), place(w, n));
    }
}

/* -- folds ------------------------------------------------------------------------------------------------------- */

static int columns_of(const rows *w, const orr__region *fold)
{
    return orr__cloop_columns(fold, w->c->r->dim[last_of(w)]);
}

static const char *wide(const orr__region *fold)
{
    return orr__emit_type(orr__emit_fold_dtype(fold, true));
}

/* Joins the columns of the rows side by side, those of a vector of rows in registers. */
static void join_columns(const rows *w, int n, const orr__region *fold)
{
    const orr__cloop *c = w->c;
    int columns = columns_of(w, fold);
    if (columns == 1)
        return;
    (void)orr__nest_loop(c->n, ORR__LOOP_VECTOR | ORR__LOOP_INT, "l", "0", orr__nest_say(c->n, "%d", width(w)), NULL);
    for (int k = 0; k < columns; k++)
        orr__nest_set(c->n, "%s c%d = acc%d[l + %d]", wide(fold), k, n, k * width(w));
    for (int v = columns / 2; v > 0; v /= 2)
        for (int k = 0; k < v; k++) {
            orr__part *step = orr__cloop_fold(c, ORR__FOLD_STEP, n);
            step->name = name_of(w, "c", k);
            step->from = name_of(w, "c", k + v);
        }
    orr__nest_set(c->n, "acc%d[l] = c0", n);
    orr__nest_close(c->n, 1);
}

static void begin_fold(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    orr__region fold = orr__emit_fold_of(c->r, n);
    int columns = columns_of(w, &fold);
    const char *rows_of = orr__nest_say(c->n, "%d", width(w));
    declare_block(w, wide(&fold), name_of(w, "acc", n), columns * width(w));
    if (columns == 1) {
        orr__part *clear = orr__cloop_fold(c, ORR__FOLD_CLEAR, n);
        clear->name = name_of(w, "acc", n);
        clear->to = rows_of;
    }
    if (!fold.search)
        return;
    declare_block(w, "orr_i32", name_of(w, "where", n), width(w));
    (void)orr__nest_loop(c->n, ORR__LOOP_INT, "l", "0", rows_of, NULL);
    orr__nest_set(c->n, "where%d[l] = -1", n);
    orr__nest_close(c->n, 1);
}

static void fold_element(const rows *w, int n)
{
    const orr__cloop *c = w->c;
    orr__region fold = orr__emit_fold_of(c->r, n);
    int columns = columns_of(w, &fold);
    orr__part *step = orr__cloop_fold(c, ORR__FOLD_STEP, n);
    step->dtype = ORR_I32;
    step->at = orr__nest_say(c->n, "where%d[%s]", n, place_of_row(w));
    step->to = name_of(w, "i", last_of(w));
    if (columns == 1) {
        step->name = orr__nest_say(c->n, "acc%d[%s]", n, place_of_row(w));
        return;
    }
    step->name = orr__nest_say(c->n, "acc%d[i%d %% %d * %d + %s]", n, last_of(w), columns, width(w), place_of_row(w));
    step->step = orr__nest_say(c->n, "i%d < %d", last_of(w), columns);
}

static void each_fold(const rows *w, int pass, void (*f)(const rows *w, int n))
{
    for (int n = 0; n < w->c->r->ninstr; n++)
        if (orr__cloop_folds_in(w->c, n, pass))
            f(w, n);
}

static void join_fold(const rows *w, int n)
{
    orr__region fold = orr__emit_fold_of(w->c->r, n);
    join_columns(w, n, &fold);
}

static void fold_elements(rows *w, int pass)
{
    each_fold(w, pass, begin_fold);
    along(w);
    side_by_side(w, ORR__LOOP_VECTOR);
    elements(w, pass);
    each_fold(w, pass, fold_element);
    orr__nest_close(w->c->n, 2);
    each_fold(w, pass, join_fold);
}

static bool read_by_row(const rows *w, int n, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int i = n + 1; i < c->r->ninstr; i++)
        any = any ||
              (of_row(w, i) && c->pass[i] == pass && c->r->instr[i].kind != ORR__RI_FOLD && reads(&c->r->instr[i], n));
    return any;
}

static void row_value(const rows *w, int n)
{
    if (w->c->r->instr[n].kind == ORR__RI_FOLD)
        orr__cloop_fold(w->c, ORR__FOLD_VALUE, n)->at = place_of_row(w);
    else
        value(w, n);
    orr__cloop_store(w->c, n, name_of(w, "row", n), place_of_row(w));
}

/* The values of rows that are known after `pass` folds. */
static void row_values(const rows *w, int pass)
{
    const orr__cloop *c = w->c;
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || (of_row(w, n) && c->pass[n] == pass);
    if (!any)
        return;
    side_by_side(w, ORR__LOOP_VECTOR);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (of_row(w, n) && c->pass[n] < pass && read_by_row(w, n, pass))
            row_again(w, n);
        if (of_row(w, n) && c->pass[n] == pass)
            row_value(w, n);
    }
    orr__nest_close(c->n, 1);
}

/* -- outputs ------------------------------------------------------------------------------------------------------ */

static const char *place_of_output(const rows *w)
{
    const orr__cloop *c = w->c;
    return c->r->loops == ORR__LOOPS_PER_ROW ? place_of_row(w)
                                             : orr__nest_say(c->n, "i%d - q + i%d * %d", c->side, last_of(w), width(w));
}

static void declare_outputs(const rows *w)
{
    const orr__region *r = w->c->r;
    for (int k = 0; k < r->nout; k++)
        declare_block(w, orr__emit_storage((orr_dtype)r->out_dtype[k]), name_of(w, "made", k),
                      r->loops == ORR__LOOPS_PER_ROW ? width(w) : ORR__T_SIDE_BLOCK);
}

static void outputs(rows *w)
{
    const orr__cloop *c = w->c;
    if (c->r->loops == ORR__LOOPS_PER_ROW)
        orr__nest_block(c->n);
    else
        along(w);
    side_by_side(w, ORR__LOOP_VECTOR);
    elements(w, w->passes);
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_output_register(c, k, name_of(w, "made", k), place_of_output(w));
    orr__nest_close(c->n, 2);
}

static void turn_out(const rows *w, int k)
{
    const orr__cloop *c = w->c;
    int last = last_of(w);
    int size = (int)orr_dtype_size((orr_dtype)c->r->out_dtype[k]);
    const char *of_row = orr__nest_say(c->n, "(orr_idx)W(%d) + at + i%d * step", c->lay.out_at + k, c->side);
    const char *length = orr__cloop_size(c, last);
    if (c->r->loops != ORR__LOOPS_PER_ROW && (size == 4 || size == 8)) {
        orr__nest_copy(c->n, k,
                       "orr_turn_%d((void *)(out%d + ((orr_idx)W(%d) + (at + q * step) * %s)), step * %s, (void "
                       "*)made%d, %d, %s, e - q)",
                       size, k, c->lay.out_at + k, length, length, k, width(w), length);
        return;
    }
    if (c->r->loops == ORR__LOOPS_PER_ROW)
        orr__nest_block(c->n);
    else
        along(w);
    if (c->r->loops != ORR__LOOPS_PER_ROW)
        of_row = orr__nest_say(c->n, "(orr_idx)W(%d) + (at + i%d * step) * %s + i%d", c->lay.out_at + k, c->side,
                               length, last);
    side_by_side(w, ORR__LOOP_STEPS);
    orr__nest_copy(c->n, k, "out%d[%s] = made%d[%s]", k, of_row, k, place_of_output(w));
    orr__nest_close(c->n, 2);
}

/* Row-major numbers of rows: that of the first row side by side, and the step from one row to the next. */
static void number_rows(const rows *w)
{
    const orr__cloop *c = w->c;
    orr__nest_set(c->n, "orr_idx at = 0, step = 1");
    for (int d = 0; d < last_of(w); d++) {
        const char *size = orr__cloop_size(c, d);
        if (d > c->side)
            orr__nest_set(c->n, "step *= %s", size);
        if (d == c->side)
            orr__nest_set(c->n, "at *= %s", size);
        else
            orr__nest_set(c->n, "at = at * %s + i%d", size, d);
    }
}

static void block(rows *w)
{
    declare(w);
    row_values(w, 0);
    turn_in(w, true);
    for (int p = 0; p < w->passes; p++) {
        fold_elements(w, p);
        row_values(w, p + 1);
    }
    outputs(w);
}

static void blocks(rows *w)
{
    const orr__cloop *c = w->c;
    int outer = last_of(w) - 1;
    orr__cloop_nothing(c);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, outer);
    number_rows(w);
    orr__cloop_blocks(c, "q", "e", "0", orr__cloop_size(c, c->side), width(w));
    turn_in(w, false);
    declare_outputs(w);
    orr__part **mark = c->n->end;
    block(w);
    orr__cloop_sure(c, mark);
    for (int k = 0; k < c->r->nout; k++)
        turn_out(w, k);
    orr__nest_close(c->n, 1);
    orr__cloop_close(c, 0, outer);
}

void orr__cloop_short(const orr__cloop *c)
{
    rows w;
    if (orr__rowplan_make(&w, c, ORR__T_SIDE_BLOCK, ORR__KEPT_BYTES, false))
        blocks(&w);
    else
        c->n->t->failed = true;
    orr__rowplan_free(&w);
}
