/* C loops of maps that see folds of their rows: for each row one pass per fold that waits for another, then the outputs.
 * Must not know: what the instructions compute. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_room.h"

static bool folds_in(const orr__cloop *c, int instr, int pass)
{
    const orr__rinstr *in = &c->r->instr[instr];
    return in->kind == ORR__RI_FOLD && c->pass[in->x] == pass;
}

static void declare(orr__cloop *c, int n)
{
    orr__region fold = orr__cloop_fold_of(c->r, n);
    orr__text_addf(c->t, "    %s acc%d = orr_first_%d();\n    orr_f64 lost%d = 0;\n    %s block%d[%d];\n",
                   orr__emit_type(orr__emit_fold_dtype(&fold, true)), n, n, n,
                   orr__emit_type((orr_dtype)c->r->instr[c->r->instr[n].x].dtype), n, ORR__CLOOP_BLOCK);
}

/* The outcome is a value like any other, rounded to its dtype. */
static void conclude(orr__cloop *c, int n)
{
    orr__region fold = orr__cloop_fold_of(c->r, n);
    orr_dtype wide = orr__emit_fold_dtype(&fold, true), to = (orr_dtype)c->r->instr[n].dtype;
    char name[16];
    (void)snprintf(name, sizeof name, "fold%d", n);
    orr__text_addf(c->t, "    const %s %s = ", orr__emit_type(wide), name);
    orr__cloop_outcome(c->t, &fold, n);
    orr__text_addf(c->t, ";\n    const %s r%d = ", orr__emit_type(to), n);
    orr__emit_cast(c->t, wide, to, name, true);
    orr__text_add(c->t, ";\n");
}

/* Values are computed anew in each pass that needs them; the compiler leaves out what a pass does not. */
static void pass(orr__cloop *c, int number)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last);
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(c, n, number))
            declare(c, n);
    orr__text_addf(c->t, "    for (orr_idx q = 0; q < W(%d); q += %d) {\n", size, ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const orr_idx e = W(%d) - q < %d ? W(%d) : q + %d;\n", size, ORR__CLOOP_BLOCK, size,
                   ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = q; i%d < e; i%d++) {\n", last, last, last);
    orr__cloop_passes(c, last, 0, number);
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(c, n, number))
            orr__text_addf(c->t, "    block%d[i%d - q] = r%d;\n", n, last, r->instr[n].x);
    orr__text_add(c->t, "    }\n");
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(c, n, number))
            orr__text_addf(c->t, "    orr_block_%d(&acc%d, &lost%d, block%d, e - q);\n", n, n, n, n);
    orr__text_add(c->t, "    }\n");
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(c, n, number))
            conclude(c, n);
}

void orr__cloop_rows(orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, size = orr__cloop_size_at(r, last), passes = 0;
    for (int n = 0; n < r->ninstr; n++)
        if (c->pass[n] > passes)
            passes = c->pass[n];
    orr__cloop_nothing(c);
    orr__text_add(c->t, "    orr_idx at = 0;\n");
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, last);
    for (int p = 0; p < passes; p++) {
        pass(c, p);
        orr__cloop_passes(c, last - 1, p + 1, p + 1);
    }
    orr__text_addf(c->t, "    ORR_LOOP\n    for (orr_idx i%d = 0; i%d < W(%d); i%d++) {\n", last, last, size, last);
    orr__cloop_passes(c, last, 0, passes);
    orr__cloop_stores(c);
    orr__text_addf(c->t, "    }\n    at += W(%d);\n", size);
    orr__cloop_close(c, 0, last);
}
