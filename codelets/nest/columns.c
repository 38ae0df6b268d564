/* Nests of rows of kept elements, which are folded into a row, several columns at a time.
 * Must not know: the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"

static bool float_sum(const orr__cloop *c, int k)
{
    return c->r->rop[k] == ORR__RSUM && orr__is_float((orr_dtype)c->r->instr[c->r->out_reg[k]].dtype);
}

static bool any_float_sum(const orr__cloop *c)
{
    bool any = false;
    for (int k = 0; k < c->r->nout; k++)
        any = any || float_sum(c, k);
    return any;
}

static const char *type_of(const orr__cloop *c, int k)
{
    return orr__cloop_fold_type(c, orr__cloop_fold_number(c, k));
}

/* One step of each output's fold<k>, with the values of the current point. */
static void fold_steps(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++) {
        orr__part *step = orr__cloop_fold(c, ORR__FOLD_STEP, orr__cloop_fold_number(c, k));
        step->name = orr__cloop_name(c, "fold", k);
        step->at = c->r->search ? "where0" : NULL;
        step->to = !c->r->search
                       ? NULL
                       : orr__nest_say(c->n, "i%d%s", c->order[c->r->rank - 2], c->r->rmask & 1u ? " + W(0)" : "");
    }
}

/* Loads fold<k> from column `at`, and stores it back. */
static void begin_steps(const orr__cloop *c, const char *at)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__nest_set(c->n, "%s fold%d = acc%d[%s]", type_of(c, k), k, k, at);
    if (c->r->search)
        orr__nest_set(c->n, "orr_i64 where0 = place0[%s]", at);
}

static void end_steps(const orr__cloop *c, const char *at)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__nest_set(c->n, "acc%d[%s] = fold%d", k, at, k);
    if (c->r->search)
        orr__nest_set(c->n, "place0[%s] = where0", at);
}

static const char *column(const orr__cloop *c)
{
    return orr__nest_say(c->n, "i%d - q", c->r->rank - 1);
}

/* True if the values of row p, or of several rows from p on, are computed into blocks before they are folded: expensive
 * values, values with boxes, and joined rows. */
static bool has_values_first(const orr__cloop *c)
{
    return c->joins || orr__cloop_split(c) || orr__cloop_work(c) > ORR__COST_STORE;
}

/* The folds of column `to`, with the values at `from` in the blocks. */
static void fold_from_blocks(const orr__cloop *c, const char *to, const char *from)
{
    begin_steps(c, to);
    for (int k = 0; k < c->r->nout; k++)
        if (orr__cloop_is_first_fold(c, k))
            orr__cloop_load(c, ORR__LOAD_PLAIN, c->r->out_reg[k], orr__cloop_fold_array(c, k), from);
    fold_steps(c);
    end_steps(c, to);
}

/* Adds row p from its blocks. */
static void add_row_of_blocks(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    orr__nest_set(c->n, "const orr_idx i%d = p", c->order[last - 1]);
    orr__cloop_values(c, last - 1);
    const orr__cloop in = orr__cloop_parts(c);
    orr__cloop_fold_values(&in, "");
    orr__cloop_inner(c, "q", "e");
    fold_from_blocks(c, column(c), column(c));
    orr__nest_close(c->n, 1);
}

/* Rows of an operand that are apart in memory are copied, which repays if a row leaves most of a vector empty, or its vectors are slow. */
static bool repays_copies(const orr__region *r, int a)
{
    int64_t columns = r->dim[r->rank - 1], size = (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]);
    return size == 1 || (columns % ORR__CLOOP_BESIDE != 0 && (size < 4 || columns * size < ORR__CLOOP_APART));
}

bool orr__cloop_narrow_columns(const orr__region *r)
{
    int last = r->rank - 1;
    bool narrow = last > 0 && r->rmask == 1u << (last - 1) && r->dim[last] * ORR__CLOOP_BESIDE < ORR__CLOOP_BLOCK &&
                  r->dim[last - 1] >= 4 * ORR__CLOOP_BESIDE;
    for (int k = 0; k < r->nout; k++)
        narrow = narrow && !orr__is_compound((orr_dtype)r->instr[r->out_reg[k]].dtype);
    for (int a = 0; a < r->naccess; a++)
        narrow = narrow && (orr__cloop_way(r, a) != ORR__ROWS_APART || repays_copies(r, a));
    return narrow;
}

int orr__cloop_rows_beside(const orr__region *r)
{
    return orr__cloop_narrow_columns(r) && !orr__cloop_joins_not(r) ? ORR__CLOOP_BESIDE : 1;
}

bool orr__cloop_beside_in_memory(const orr__region *r)
{
    int work = 0;
    bool goes_on = orr__cloop_rows_beside(r) > 1;
    for (int i = 0; i < r->ninstr; i++)
        work += orr__instruction_cost(&r->instr[i]);
    for (int a = 0; a < r->naccess; a++)
        goes_on = goes_on && orr__cloop_way(r, a) == ORR__GOES_ON && !r->access[a].box;
    return goes_on && work <= ORR__COST_STORE;
}

/* Accumulators of an output: of each column, for each of the rows beside each other. */
static const char *accumulators(const orr__cloop *c)
{
    int beside = orr__cloop_rows_beside(c->r);
    return beside > 1 ? orr__nest_say(c->n, "(e - q) * %d", beside) : "e - q";
}

/* Short rows [p, to) as one block; the folds of its columns follow. */
static void add_joined_rows(const orr__cloop *c)
{
    const char *size = orr__cloop_size(c, c->r->rank - 1);
    const char *wide = orr__nest_say(c->n, "%s * %d", size, orr__cloop_rows_beside(c->r));
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx q = p * %s, e = to * %s", size, size);
    orr__cloop_join_block(c, ORR__CLOOP_BLOCK);
    orr__cloop_fold_values(c, "");
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "j", "0", "e - q", wide);
    orr__nest_set(c->n, "const orr_idx some = e - q - j < %s ? e - q - j : %s", wide, wide);
    (void)orr__nest_loop(c->n, ORR__LOOP_VECTOR, "k", "0", "some", NULL);
    fold_from_blocks(c, "k", "j + k");
    orr__nest_close(c->n, 3);
}

/* acc<k>[i] := acc<k>[i] combined with elements i of [from, to), at most `most`, of `rows` rows from p on. Rows beside each other are one row. */
static void add_rows(const orr__cloop *c, int rows, const char *from, const char *to, int most)
{
    int last = c->r->rank - 1, d = c->order[last - 1], beside = orr__cloop_rows_beside(c->r);
    orr__nest_block(c->n);
    orr__part **mark = c->n->end;
    orr__cloop_inner(c, from, to);
    begin_steps(c, column(c));
    for (int row = 0; row < rows; row++) {
        orr__cloop of_row = *c;
        of_row.row = row;
        orr__nest_block(c->n);
        orr__nest_set(c->n, "const orr_idx i%d = p + %d", d, row * beside);
        orr__cloop_values(&of_row, last - 1);
        orr__cloop_values(&of_row, last);
        fold_steps(c);
        orr__nest_close(c->n, 1);
    }
    end_steps(c, column(c));
    orr__nest_close(c->n, 1);
    if (beside == 1 || rows > 1) /* what is beyond some of the rows beside each other are accumulators of the others */
        orr__cloop_vectorise(c, mark, from, to);
    orr__cloop_widen_rows(c, mark, from, to, most, d, rows, beside);
    orr__nest_close(c->n, 1);
}

/* The float sums of ROWS rows are added to the total, whose rounding errors are kept. A sum of at most ROWS rows is the
 * total itself. */
static void join(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++) {
        if (!float_sum(c, k))
            continue;
        (void)orr__nest_loop(c->n, ORR__LOOP_VECTOR, "k", "0", "many", NULL);
        orr__nest_set(
            c->n, "const orr_f64 s = sum%d[k], x = acc%d[k], y = s + x, a = s < 0 ? -s : s, b = x < 0 ? -x : x", k, k);
        orr__nest_set(c->n, "lost%d[k] += a >= b ? (s - y) + x : (x - y) + s", k);
        orr__nest_set(c->n, "sum%d[k] = y", k);
        orr__nest_set(c->n, "acc%d[k] = 0", k);
        orr__nest_close(c->n, 1);
    }
}

/* Adds a few cache lines at a time of several rows, so that the lines of the next rows are prefetched in between. */
static void add_together(const orr__cloop *c)
{
    enum { columns = ORR__T_MAP_BLOCK / 4 }; /* of f32, of a block */
    int rows = ORR__T_ROWS_TOGETHER * orr__cloop_rows_beside(c->r);
    (void)orr__nest_loop(c->n, ORR__LOOP_WHOLE, "p", NULL, "to", orr__nest_say(c->n, "%d", rows));
    orr__cloop_blocks(c, "b", "f", "q", orr__nest_say(c->n, "(q + %s)", accumulators(c)), columns);
    orr__cloop_prefetch_rows(c, "b", "f", c->order[c->r->rank - 2], rows, rows / ORR__T_ROWS_TOGETHER);
    add_rows(c, ORR__T_ROWS_TOGETHER, "b", "f", columns);
    orr__nest_close(c->n, 2);
}

/* Rows [p, to). */
static void add_some_rows(const orr__cloop *c)
{
    bool first = has_values_first(c);
    if (!first && c->r->ninstr + c->r->nout <= ORR__COST_STORE)
        add_together(c);
    if (c->joins) {
        add_joined_rows(c);
        return;
    }
    int beside = orr__cloop_rows_beside(c->r);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "p", NULL, "to", beside > 1 ? orr__nest_say(c->n, "%d", beside) : NULL);
    if (beside > 1)
        orr__nest_set(c->n, "const orr_idx f = q + (to - p < %d ? to - p : %d) * (e - q)", beside, beside);
    if (first)
        add_row_of_blocks(c);
    else
        add_rows(c, 1, "q", beside > 1 ? "f" : "e", ORR__CLOOP_BLOCK);
    orr__nest_close(c->n, 1);
}

static void add_all_rows(const orr__cloop *c)
{
    const orr__region *r = c->r;
    orr__nest *n = c->n;
    int last = r->rank - 1, rows = ORR__CLOOP_ROWS * orr__cloop_rows_beside(r);
    const char *size = orr__cloop_size(c, c->order[last - 1]);
    bool sum = any_float_sum(c);
    orr__cloop_open(c, c->outer, last - 1);
    orr__cloop in = *c;
    if (c->joins) { /* as many rows as fit into a block and divide `rows` */
        orr__nest_set(n, "orr_idx together = %d", rows);
        orr__nest_set(n, "while (together * %s > %d)\n        together /= 2", orr__cloop_size(c, last),
                      ORR__CLOOP_BLOCK);
        orr__cloop_join_columns(c, ORR__CLOOP_BLOCK);
        orr__cloop_join_begin(c, ORR__CLOOP_BLOCK);
        in = orr__cloop_parts(c);
    }
    orr__nest_loop(n, ORR__LOOP_JUMPS, "p", "0", size, NULL)->at = "to";
    orr__nest_set(n, "to = %s", size);
    if (c->joins)
        orr__nest_set(n, "to = to - p < together ? to : p + together");
    if (sum)
        orr__nest_set(n, "to = to - p < %d - seen ? to : p + (%d - seen), seen += to - p", rows, rows);
    add_some_rows(&in);
    if (sum) {
        (void)orr__nest_if(n, "seen == %d", rows);
        join(c);
        orr__nest_set(n, "seen = 0");
        orr__nest_close(n, 1);
    }
    orr__nest_close(n, 1);
    orr__nest_close(c->n, last - 1 - c->outer);
    if (sum)
        join(c);
}

static void begin_row(const orr__cloop *c, int k, int block)
{
    int over = ORR__CLOOP_VECTOR; /* elements of the last vector beyond the last column */
    const char *acc = orr__cloop_name(c, "acc", k), *count = orr__nest_say(c->n, "%s + %d", accumulators(c), over);
    orr__cloop_declare(c, ORR__ARRAY_LOOSE, type_of(c, k), "acc", k, block + over);
    orr__part *clear = orr__cloop_fold(c, ORR__FOLD_CLEAR, orr__cloop_fold_number(c, k));
    clear->name = acc;
    clear->to = count;
    if (c->r->search) {
        orr__cloop_declare(c, ORR__ARRAY_LOOSE, "orr_i64", "place", 0, block + over);
        (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "k", "0", count, NULL);
        orr__nest_set(c->n, "place0[k] = -1");
        orr__nest_close(c->n, 1);
    }
    if (!float_sum(c, k))
        return;
    orr__cloop_declare(c, ORR__ARRAY_LOOSE, "orr_f64", "sum", k, block);
    orr__cloop_declare(c, ORR__ARRAY_LOOSE, "orr_f64", "lost", k, block);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "k", "0", "many", NULL);
    orr__nest_set(c->n, "sum%d[k] = lost%d[k] = 0", k, k);
    orr__nest_close(c->n, 1);
}

/* The accumulators of the rows beside each other are joined in order. */
static void join_beside(const orr__cloop *c, int k)
{
    int beside = orr__cloop_rows_beside(c->r);
    if (beside == 1)
        return;
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "j", "1", orr__nest_say(c->n, "%d", beside), NULL);
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "k", "0", "e - q", NULL);
    orr__part *step = orr__cloop_fold(c, ORR__FOLD_STEP, orr__cloop_fold_number(c, k));
    step->name = orr__nest_say(c->n, "acc%d[k]", k);
    step->from = orr__nest_say(c->n, "acc%d[j * (e - q) + k]", k);
    orr__nest_close(c->n, 2);
}

static void end_row(const orr__cloop *c, int k)
{
    orr__nest *n = c->n;
    if (float_sum(c, k)) {
        (void)orr__nest_loop(n, ORR__LOOP_STEPS, "k", "0", "many", NULL);
        orr__nest_set(n,
                      "acc%d[k] = sum%d[k] - sum%d[k] == 0 && lost%d[k] - lost%d[k] == 0 ? sum%d[k] + lost%d[k] : "
                      "sum%d[k]",
                      k, k, k, k, k, k, k, k);
        orr__nest_close(n, 1);
    }
    join_beside(c, k);
    (void)orr__nest_loop(n, ORR__LOOP_STEPS, "k", "0", "e - q", NULL);
    if (c->r->search)
        orr__nest_set(n, "const orr_i64 where = place0[k]");
    else
        orr__nest_set(n, "const %s fold = acc%d[k]", type_of(c, k), k);
    orr__nest_set(n, "const orr_idx i = at + q + k");
    orr__cloop_fold_store(c, k);
    orr__nest_close(n, 1);
}

/* Processes as many columns at a time as make a page of input: processors prefetch within pages. The accumulators then
 * fit into the second cache, at least. */
void orr__cloop_columns_of(const orr__cloop *c)
{
    const orr__region *r = c->r;
    const char *size = orr__cloop_size(c, r->rank - 1);
    int block = ORR__CLOOP_BLOCK;
    orr__cloop_blocks(c, "q", "e", "0", size, block);
    if (any_float_sum(c)) {
        orr__nest_set(c->n, "const orr_idx many = points > %d ? %s : 0", ORR__CLOOP_ROWS * orr__cloop_rows_beside(r),
                      accumulators(c));
        orr__nest_set(c->n, "orr_idx seen = 0");
    }
    for (int k = 0; k < r->nout; k++)
        begin_row(c, k, block);
    if (has_values_first(c))
        orr__cloop_fold_arrays(c);
    add_all_rows(c);
    for (int k = 0; k < r->nout; k++)
        end_row(c, k);
    orr__nest_close(c->n, 1);
    orr__nest_set(c->n, "at += %s", size);
}
