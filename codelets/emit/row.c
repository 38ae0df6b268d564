/* Kernels of maps that read folds of their rows: one pass over the row per level of dependent folds, then the outputs.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/emit/span.h"
#include "runtime/base/minmax.h"

/* Of each register: the length of the chain of folds that it waits for, whether it differs along the row, whether the
 * pass being written needs it, its first scalar word. */
typedef struct {
    int16_t pass;
    int32_t scalar;
    bool varies, need;
} fact;

typedef struct {
    orr__text *t;
    const orr__region *r;
    const orr__layout *l;
    orr__item_span span;
    char index[16], base[48];
    fact *of;
    int passes;
    bool fp64;
} row;

static void learn(row *w)
{
    const orr__region *r = w->r;
    int last = r->rank - 1, scalar = w->l->scalar_at;
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        const int16_t operand[3] = { in->x, in->y, in->z };
        fact *f = &w->of[n];
        f->varies = in->a >= 0 &&
                    (w->l->move[in->a * ORR_MAX_RANK + last] != ORR__MOVE_NONE || (r->access[in->a].box >> last & 1u));
        for (int k = 0; k < 3; k++)
            if (operand[k] >= 0) {
                f->varies = f->varies || w->of[operand[k]].varies;
                f->pass = f->pass > w->of[operand[k]].pass ? f->pass : w->of[operand[k]].pass;
            }
        if (in->kind == ORR__RI_FOLD) {
            f->varies = false;
            f->pass++;
        }
        w->passes = ORR__MAX(f->pass, w->passes);
        f->scalar = scalar;
        scalar += orr__emit_scalars(in);
    }
}

static bool folds_in(const row *w, int n, int pass)
{
    const orr__rinstr *in = &w->r->instr[n];
    return in->kind == ORR__RI_FOLD && w->of[in->x].pass == pass;
}

static void value(row *w, int n)
{
    int scalar = w->of[n].scalar;
    const orr__around around = { .held = w->l->span > 1 && w->of[n].varies };
    orr__emit_value(w->t, w->r, w->l, &around, n, &scalar, w->fp64);
}

static bool reads(const void *arg, int n)
{
    const row *w = arg;
    return w->of[n].need && w->of[n].varies;
}

/* Instructions with one value for the whole row that are known once the folds before `pass` are complete. */
static void outside(row *w, int pass)
{
    for (int n = 0; n < w->r->ninstr; n++)
        if (!w->of[n].varies && w->of[n].pass == pass && w->r->instr[n].kind != ORR__RI_FOLD)
            value(w, n);
}

static void begin_loop(row *w, bool stores)
{
    int last = w->r->rank - 1;
    if (w->l->span <= 1) {
        orr__text_addf(w->t, "    for (orr_idx i%d = (orr_idx)lane; i%d < end; i%d += (orr_idx)lanes) {\n", last, last,
                       last);
        return;
    }
    orr__text_add(
        w->t,
        "    for (orr_idx head = (orr_idx)(lane * ORR_SPAN); head < end; head += (orr_idx)(lanes * ORR_SPAN)) {\n");
    orr__emit_span_loads(&w->span);
    orr__emit_span_values(&w->span, stores);
}

static void begin_spans(row *w)
{
    int last = w->r->rank - 1;
    (void)snprintf(w->index, sizeof w->index, "i%d", last);
    (void)snprintf(w->base, sizeof w->base, "line * (orr_idx)W(%d) + ", 2 + last);
    w->span = (orr__item_span){
        .t = w->t, .r = w->r, .l = w->l, .index = w->index, .end = "end", .base = w->base, .reads = reads, .arg = w
    };
    if (w->l->span > 1)
        orr__text_addf(w->t, "    const int whole = (int)W(%d), gap = 1;\n", w->l->span_at);
}

/* The loop along the row, with the values on which those marked `need` depend. */
static void along(row *w, bool stores)
{
    const orr__region *r = w->r;
    for (int n = r->ninstr - 1; n >= 0; n--) {
        const orr__rinstr *in = &r->instr[n];
        const int16_t operand[3] = { in->x, in->y, in->z };
        for (int k = 0; k < 3 && w->of[n].need && w->of[n].varies; k++)
            if (operand[k] >= 0)
                w->of[operand[k]].need = true;
    }
    begin_loop(w, stores);
    for (int n = 0; n < r->ninstr; n++)
        if (reads(w, n))
            value(w, n);
}

/* Places are computed even where a box excludes the element. */
static void begin(row *w, int pass)
{
    for (int n = 0; n < w->r->ninstr; n++)
        w->of[n].need = w->r->instr[n].kind == ORR__RI_PLACE && w->of[n].pass == pass;
}

/* The outcome is rounded to its dtype, as any value. */
static void conclude(row *w, int n)
{
    orr__region fold = orr__emit_fold_of(w->r, n);
    orr_dtype to = (orr_dtype)w->r->instr[n].dtype;
    char name[16];
    orr__emit_group_join(w->t, &fold, n, w->fp64);
    (void)snprintf(name, sizeof name, "fold%d", n);
    orr__text_addf(w->t, "    const %s r%d = ", orr__emit_type(to), n);
    orr__emit_cast(w->t, orr__emit_fold_dtype(&fold, w->fp64), to, name, w->fp64);
    orr__text_add(w->t, ";\n");
}

static void pass(row *w, int number)
{
    const orr__region *r = w->r;
    begin(w, number);
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(w, n, number)) {
            orr__text_addf(w->t, "    orr_acc%d acc%d = orr_first%d();\n", n, n, n);
            w->of[r->instr[n].x].need = true;
        }
    along(w, false);
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(w, n, number)) {
            orr__region fold = orr__emit_fold_of(r, n);
            orr__text_add(w->t, w->l->span > 1 ? "        if (at < end)\n" : "");
            orr__emit_group_step(w->t, &fold, n, NULL);
        }
    orr__text_add(w->t, w->l->span > 1 ? "    }\n    }\n" : "    }\n");
    for (int n = 0; n < r->ninstr; n++)
        if (folds_in(w, n, number))
            conclude(w, n);
}

static void stores(row *w)
{
    const orr__region *r = w->r;
    for (int k = 0; k < r->nout; k++) {
        char reg[16];
        (void)snprintf(reg, sizeof reg, "r%d", r->out_reg[k]);
        orr__emit_store(w->t, r, w->l, k, (orr_dtype)r->instr[r->out_reg[k]].dtype, reg, w->fp64);
    }
    orr__text_add(w->t, "    }\n");
}

static void outputs(row *w)
{
    const orr__region *r = w->r;
    int last = r->rank - 1;
    if (r->per_row) {
        orr__text_add(w->t, "    if (live && lane == 0) {\n    const orr_idx i = line;\n");
        stores(w);
        return;
    }
    begin(w, w->passes);
    for (int k = 0; k < r->nout; k++)
        w->of[r->out_reg[k]].need = true;
    along(w, true);
    if (w->l->span > 1) {
        for (int k = 0; k < r->nout; k++)
            orr__emit_span_keep(&w->span, k, r->out_reg[k], w->fp64);
        orr__text_add(w->t, "    }\n");
        orr__emit_span_stores(&w->span);
        orr__text_add(w->t, "    }\n");
        return;
    }
    orr__text_addf(w->t, "    const orr_idx i = line * (orr_idx)W(%d) + i%d;\n", 2 + last, last);
    stores(w);
}

bool orr__emit_rows(orr__text *t, const orr__region *r, const orr__layout *l, bool fp64)
{
    row w = { .t = t, .r = r, .l = l, .fp64 = fp64 };
    if (!(w.of = orr__alloc_n((size_t)r->ninstr + 1, sizeof *w.of)))
        return false;
    learn(&w);
    begin_spans(&w);
    orr__text_addf(t, "    const orr_idx end = live ? (orr_idx)W(%d) : 0;\n", 2 + r->rank - 1);
    orr__emit_axes(t, r, (1u << (r->rank - 1)) - 1, "line");
    outside(&w, 0);
    for (int p = 0; p < w.passes; p++) {
        pass(&w, p);
        outside(&w, p + 1);
    }
    outputs(&w);
    free(w.of);
    return true;
}
