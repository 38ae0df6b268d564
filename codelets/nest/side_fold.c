/* Folds of short rows side by side: the sum of a row in as many columns as that of a long one, each an array of one value per row.
 * Must not know: loops around them. */
#include "config.h"

#include "codelets/nest/internal.h"

static bool counts(const orr__cloop *c, int n)
{
    orr__region fold = orr__emit_fold_of(c->r, n);
    return orr__cloop_counted(&fold) >= 0;
}

/* Integers are added in any order. */
static int columns_of(const orr__cloop *c, int n)
{
    orr__region fold = orr__emit_fold_of(c->r, n);
    return counts(c, n) ? 1 : orr__cloop_columns(&fold, c->r->dim[c->r->rank - 1]);
}

void orr__cloop_side_begin(const orr__cloop *c, int n)
{
    int columns = columns_of(c, n);
    const char *rows_of = orr__nest_say(c->n, "%d", c->width);
    orr__cloop_declare(c, 0, orr__cloop_column_type(c, n), "acc", n, columns * c->width);
    if (columns == 1) {
        orr__part *clear = orr__cloop_fold(c, ORR__FOLD_CLEAR, n);
        clear->name = orr__cloop_name(c, "acc", n);
        clear->to = rows_of;
    }
    if (!c->r->search)
        return;
    orr__cloop_declare(c, 0, "orr_i32", "where", n, c->width);
    (void)orr__nest_loop(c->n, ORR__LOOP_INT, "l", "0", rows_of, NULL);
    orr__nest_set(c->n, "where%d[l] = -1", n);
    orr__nest_close(c->n, 1);
}

void orr__cloop_side_step(const orr__cloop *c, int n)
{
    int columns = columns_of(c, n);
    orr__part *step = orr__cloop_fold(c, counts(c, n) ? ORR__FOLD_LANE : ORR__FOLD_STEP, n);
    if (c->r->search) {
        step->dtype = ORR_I32;
        step->at = orr__nest_say(c->n, "where%d[%s]", n, orr__cloop_side_place(c, false));
        step->to = orr__cloop_name(c, "i", c->r->rank - 1);
    }
    if (columns == 1) {
        step->name = orr__nest_say(c->n, "acc%d[%s]", n, orr__cloop_side_place(c, false));
        return;
    }
    step->name = orr__nest_say(c->n, "acc%d[i%d %% %d * %d + %s]", n, c->r->rank - 1, columns, c->width,
                               orr__cloop_side_place(c, false));
    step->step = orr__nest_say(c->n, "i%d < %d", c->r->rank - 1, columns);
}

/* Joins the columns of the rows side by side, those of a vector of rows in registers. */
void orr__cloop_side_join(const orr__cloop *c, int n)
{
    int columns = columns_of(c, n);
    if (columns == 1)
        return;
    (void)orr__nest_loop(c->n, ORR__LOOP_VECTOR | ORR__LOOP_INT, "l", "0", orr__nest_say(c->n, "%d", c->width), NULL);
    for (int k = 0; k < columns; k++)
        orr__nest_set(c->n, "%s c%d = acc%d[l + %d]", orr__cloop_fold_type(c, n), k, n, k * c->width);
    for (int v = columns / 2; v > 0; v /= 2)
        for (int k = 0; k < v; k++) {
            orr__part *step = orr__cloop_fold(c, ORR__FOLD_STEP, n);
            step->name = orr__cloop_name(c, "c", k);
            step->from = orr__cloop_name(c, "c", k + v);
        }
    orr__nest_set(c->n, "acc%d[l] = c0", n);
    orr__nest_close(c->n, 1);
}
