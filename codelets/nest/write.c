/* The nest of a kernel as text: all loops, conditions, stores and folds of all kernels, in all dialects, are written here.
 * Must not know: the shapes of nests. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include "codelets/nest/internal.h"

typedef struct {
    orr__text *t;
    const orr__cloop *c;
} writer;

static void parts(const writer *w, const orr__part *list);

/* The number of turns of a loop from q to "q + 64", as text; NULL: it is another loop. */
static const char *turns(const orr__part *l)
{
    size_t n = l->from ? strlen(l->from) : 0;
    const char *number = n && strncmp(l->to, l->from, n) == 0 && strncmp(l->to + n, " + ", 3) == 0 ? l->to + n + 3 : "";
    bool known = *number && number[strspn(number, "0123456789")] == '\0';
    return known && l->how & ORR__LOOP_VECTOR && !(l->how & ORR__LOOP_INT) && !l->step ? number : NULL;
}

static void loop(const writer *w, const orr__part *l)
{
    orr__text *t = w->t;
    const char *number = turns(l);
    if (l->how & ORR__LOOP_BOUND) {
        orr__text_add(t, l->at);
        parts(w, l->body);
        orr__text_add(t, w->c->device->end);
        return;
    }
    orr__text_add(t, l->how & ORR__LOOP_PACED      ? "    ORR_PACED_LOOP\n"
                     : l->how & ORR__LOOP_ONCE     ? "    ORR_VECTOR_LOOP\n"
                     : l->how & ORR__LOOP_VECTOR   ? "    ORR_LOOP\n"
                     : l->how & ORR__LOOP_UNROLLED ? "    ORR_UNROLLED\n"
                                                   : "");
    if (number) {
        orr__text_addf(t, "    ORR_TURNS(%s, %s, %s)\n", l->name, l->from, number);
        parts(w, l->body);
        orr__text_add(t, "    }\n");
        return;
    }
    orr__text_add(t, "    for (");
    if (l->from)
        orr__text_addf(t, "%s %s = %s", l->how & ORR__LOOP_INT ? "int" : "orr_idx", l->name, l->from);
    if (l->from && l->how & ORR__LOOP_JUMPS)
        orr__text_addf(t, ", %s", l->at);
    if (l->how & ORR__LOOP_WHOLE)
        orr__text_addf(t, "; %s - %s >= %s; ", l->to, l->name, l->step);
    else
        orr__text_addf(t, "; %s < %s; ", l->name, l->to);
    if (l->how & ORR__LOOP_JUMPS)
        orr__text_addf(t, "%s = %s", l->name, l->at);
    else
        orr__text_addf(t, l->step ? "%s += %s" : "%s++", l->name, l->step);
    orr__text_add(t, l->how & ORR__LOOP_ALONE ? ") {\n    ORR_ALONE\n" : ") {\n");
    parts(w, l->body);
    orr__text_add(t, "    }\n");
}

static void mask(const writer *w, const orr__part *m)
{
    orr__text *t = w->t;
    bool compiled = m->how == ORR__MASK_COMPILED;
    if (!m->body && !m->other)
        return;
    if (m->at)
        orr__text_addf(t, compiled ? "#if %s\n" : "    if (%s)\n", m->at);
    orr__text_add(t, compiled ? "" : "    {\n");
    parts(w, m->body);
    if (m->other) {
        orr__text_add(t, compiled ? "#else\n" : "    } else {\n");
        parts(w, m->other);
    }
    orr__text_add(t, compiled ? "#endif\n" : "    }\n");
}

static void array(const writer *w, const orr__part *a)
{
    if (a->from)
        orr__text_addf(w->t, "    %s *const %s = %s;\n", a->at, a->name, a->from);
    else if (!a->step)
        orr__text_addf(w->t, "    %s %s;\n", a->at, a->name);
    else
        orr__text_addf(w->t, "    %s %s[%s]%s;\n", a->at, a->name, a->step,
                       a->how == ORR__ARRAY_LOOSE ? "" : " __attribute__((aligned(64)))");
}

static void let(const writer *w, const orr__part *l)
{
    const orr__cloop *c = w->c;
    int scalar = c->scalar[l->n];
    if (l->at)
        orr__emit_random(w->t, &c->r->instr[l->n], l->n, scalar, l->at, c->fp64);
    else
        orr__emit_value(w->t, c->r, &c->lay, &l->around, l->n, &scalar, c->fp64);
}

static void load(const writer *w, const orr__part *l)
{
    const orr__region *r = w->c->r;
    const orr__rinstr *in = &r->instr[l->n];
    orr_dtype from = l->how == ORR__LOAD_STORED ? (orr_dtype)r->in_dtype[r->access[in->a].input] : ORR_BOOL;
    bool half = orr__is_half(from);
    orr__text_addf(w->t, "    const %s r%d = ", orr__emit_type((orr_dtype)in->dtype), l->n);
    if (half)
        orr__text_addf(w->t, "orr_%s_to_f32(", orr__emit_suffix(from));
    orr__text_addf(w->t, "%s[%s]%s;\n", l->name, l->at,
                   half                                                ? ")"
                   : l->how == ORR__LOAD_KEPT && in->dtype == ORR_BOOL ? " != 0"
                                                                       : "");
}

static void if_live(const writer *w, const orr__part *s)
{
    if (s->around.masked)
        orr__text_addf(w->t, "if ((%s)lane < live) ", orr__emit_lane(s->around.masked));
}

/* Stores an element of an output, and notes whether its exponent has all bits set. */
static void store_watched(const writer *w, const orr__part *s)
{
    const orr__region *r = w->c->r;
    bool wide = r->out_dtype[s->n] == ORR_F64;
    orr__text_add(w->t, "    ");
    if_live(w, s);
    orr__text_addf(w->t, "{\n    const orr_f%d stored = ", wide ? 64 : 32);
    orr__emit_stored(w->t, r, s->n, s->dtype, s->from, w->c->fp64);
    orr__text_addf(w->t, "    %s[%s] = stored;\n    odd%d |= (orr_f%d_bits(stored) & %s) + %s;\n    }\n", s->name,
                   s->at, s->n, wide ? 64 : 32, wide ? "0x7ff0000000000000ul" : "0x7f800000u",
                   wide ? "0x10000000000000ul" : "0x800000u");
}

static void store(const writer *w, const orr__part *s)
{
    const orr__region *r = w->c->r;
    if (s->how == ORR__STORE_OUTPUT && w->c->watches && orr__is_float((orr_dtype)r->out_dtype[s->n])) {
        store_watched(w, s);
        return;
    }
    orr__text_add(w->t, "    ");
    if (s->how == ORR__STORE_OUTPUT)
        if_live(w, s);
    orr__text_addf(w->t, "%s[%s] = ", s->name, s->at);
    if (s->how == ORR__STORE_OUTPUT) {
        orr__emit_stored(w->t, r, s->n, s->dtype, s->from, w->c->fp64);
        return;
    }
    if (s->how == ORR__STORE_PLAIN)
        orr__text_addf(w->t, "r%d", s->n);
    else if (orr__compute_dtype(s->dtype) == ORR_F32)
        orr__text_add(w->t, s->from);
    else
        orr__emit_cast(w->t, s->dtype, ORR_F16, s->from, true);
    orr__text_add(w->t, ";\n");
}

/* -- folds ------------------------------------------------------------------------------------------------------ */

/* Opens the block of a sum or product in a masked loop: lanes that do not exist have its first value. */
static void choose_live(const writer *w, const orr__part *f, const orr__region *fold)
{
    int value = fold->out_reg[0];
    const char *type = orr__emit_type((orr_dtype)w->c->r->instr[value].dtype);
    orr__text_addf(
        w->t,
        "    {\n    const %s chosen = (%s)lane < live ? r%d : (%s)orr_first_%d();\n    {\n    const %s r%d = chosen;\n",
        type, orr__emit_lane(f->around.masked), value, type, f->n, type, value);
}

static void step(const writer *w, const orr__part *f, const orr__region *fold, const char *wide)
{
    orr__text *t = w->t;
    const char *place = f->dtype == ORR_I32 ? "orr_i32" : "orr_i64";
    bool masked = f->how == ORR__FOLD_LANE && f->around.masked;
    if (masked)
        choose_live(w, f, fold);
    orr__text_addf(t, "    {\n    %s fold = ", wide);
    if (f->step) /* the first value of a column */
        orr__text_addf(t, "%s ? orr_first_%d() : ", f->step, f->n);
    orr__text_addf(t, "%s;\n", f->name);
    if (f->from)
        orr__text_addf(t, "    const %s r%d = %s;\n", wide, fold->out_reg[0], f->from);
    if (fold->search)
        orr__text_addf(t, "    %s where = %s;\n    const %s at = (%s)(%s);\n", place, f->at, place, place, f->to);
    orr__emit_fold_step(t, fold, true);
    orr__text_addf(t, "    %s = fold;\n", f->name);
    if (fold->search)
        orr__text_addf(t, "    %s = where;\n", f->at);
    orr__text_add(t, masked ? "    }\n    }\n    }\n" : "    }\n");
}

/* A column of integers. */
static void count(const writer *w, const orr__part *f, int counted)
{
    orr__text_addf(w->t, "    %s += ", f->name);
    if (f->around.masked)
        orr__text_addf(w->t, "(%s)lane >= live ? 0 : ", orr__emit_lane(f->around.masked));
    orr__text_addf(w->t, "(orr_i32)r%d;\n", counted);
}

/* The outcome is rounded to the register's dtype, as any value. */
static void rounded(const writer *w, const orr__part *f, const orr__region *fold)
{
    orr_dtype to = (orr_dtype)w->c->r->instr[f->n].dtype;
    char name[24];
    (void)snprintf(name, sizeof name, "fold%d", f->n);
    orr__text_addf(w->t, "    const %s r%d = ", orr__emit_type(to), f->n);
    orr__emit_cast(w->t, orr__emit_fold_dtype(fold, w->c->fp64), to, name, w->c->fp64);
    orr__text_add(w->t, ";\n");
}

static void value(const writer *w, const orr__part *f, const orr__region *fold)
{
    if (fold->search) {
        orr__text_addf(w->t, "    const orr_i64 r%d = where%d[%s];\n", f->n, f->n, f->at);
        return;
    }
    orr__text_addf(w->t, "    const %s fold%d = ", orr__emit_type(orr__emit_fold_dtype(fold, true)), f->n);
    if (f->at)
        orr__text_addf(w->t, "acc%d[%s]", f->n, f->at);
    else
        orr__cloop_outcome(w->t, fold, f->n);
    orr__text_add(w->t, ";\n");
    rounded(w, f, fold);
}

static void end(const writer *w, const orr__part *f, const orr__region *fold, const char *wide)
{
    if (fold->search) {
        orr__text_addf(w->t, "    const orr_i64 where = acc%d.where;\n", f->n);
        return;
    }
    orr__text_addf(w->t, "    const %s fold = ", wide);
    orr__cloop_outcome(w->t, fold, f->n);
    orr__text_add(w->t, ";\n");
}

/* By one of the items that fold together. */
static void fold_of_item(const writer *w, const orr__part *f, const orr__region *fold)
{
    int n = f->n;
    if (f->how == ORR__FOLD_BEGIN)
        orr__text_addf(w->t, "    orr_acc%d acc%d = orr_first%d();\n", n, n, n);
    else if (f->how == ORR__FOLD_STEP)
        orr__text_addf(w->t, "    acc%d = orr_step%d(acc%d, r%d%s%s);\n", n, n, n, fold->out_reg[0], f->to ? ", " : "",
                       f->to ? f->to : "");
    else if (f->how == ORR__FOLD_JOIN)
        orr__text_addf(w->t, "    acc%d = orr_join%d(acc%d, %s);\n", n, n, n, f->from);
    else
        orr__emit_group_join(w->t, fold, n, w->c->fp64);
    if (f->how == ORR__FOLD_VALUE)
        rounded(w, f, fold);
}

static void fold(const writer *w, const orr__part *f)
{
    const orr__region r = orr__emit_fold_of(w->c->r, f->n);
    const char *wide = orr__emit_type(orr__emit_fold_dtype(&r, true));
    if (w->c->device) {
        fold_of_item(w, f, &r);
        return;
    }
    switch (f->how) {
    case ORR__FOLD_BEGIN:
        orr__text_addf(w->t, "    %s acc%d = orr_first_%d();\n    orr_f64 lost%d = 0;\n", r.search ? "orr_found" : wide,
                       f->n, f->n, f->n);
        break;
    case ORR__FOLD_CLEAR:
        orr__text_addf(w->t, "    for (orr_idx l = 0; l < %s; l++)\n        %s[l] = orr_first_%d()%s;\n", f->to,
                       f->name, f->n, r.search ? ".value" : "");
        break;
    case ORR__FOLD_STEP:
    case ORR__FOLD_LANE:
        if (f->how == ORR__FOLD_LANE && orr__cloop_counted(&r) >= 0)
            count(w, f, orr__cloop_counted(&r));
        else
            step(w, f, &r, wide);
        break;
    case ORR__FOLD_BLOCK:
        orr__text_addf(w->t, "    orr_block_%d(&acc%d, &lost%d, %s, %s);\n", f->n, f->n, f->n, f->from, f->to);
        break;
    case ORR__FOLD_JOIN:
        if (orr__cloop_counted(&r) >= 0)
            orr__text_addf(w->t,
                           "    {\n    orr_i32 total = 0;\n    ORR_VECTOR_LOOP\n    for (int l = 0; l < %d; l++)\n"
                           "        total += %s[l];\n    orr_add_%d(&acc%d, &lost%d, (%s)total);\n    }\n",
                           orr__cloop_lanes(w->c->r), f->name, f->n, f->n, f->n, wide);
        else
            orr__text_addf(w->t, "    orr_add_%d(&acc%d, &lost%d, orr_tree%d_%d(%s));\n", f->n, f->n, f->n,
                           orr__cloop_lanes(w->c->r), f->n, f->name);
        break;
    case ORR__FOLD_END: end(w, f, &r, wide); break;
    default: value(w, f, &r); break;
    }
}

static void prefetch(const writer *w, const orr__part *p)
{
    const orr__region *r = w->c->r;
    int axis = p->row, input = r->access[p->n].input;
    if (p->at)
        orr__text_addf(w->t, "    if (%s)\n", p->at);
    orr__text_addf(
        w->t, "    for (orr_idx i%d = %s; i%d < %s; i%d += %d)\n        ORR_PREFETCH(in%d + (%s << W(%d)) + (", axis,
        p->from, axis, p->to, axis, orr__cloop_of_line(r, p->n, axis), input, p->step, ORR__CLOOP_AHEAD_AT);
    orr__emit_index(w->t, r, &w->c->lay, p->n, false);
    orr__text_addf(w->t, "), %d);\n", p->how);
}

static void parts(const writer *w, const orr__part *list)
{
    for (const orr__part *at = list; at && !w->t->failed; at = at->next)
        switch (at->kind) {
        case ORR__PART_LOOP: loop(w, at); break;
        case ORR__PART_MASK: mask(w, at); break;
        case ORR__PART_SET: orr__text_addf(w->t, "    %s;\n", at->at); break;
        case ORR__PART_ARRAY: array(w, at); break;
        case ORR__PART_LET: let(w, at); break;
        case ORR__PART_LOAD: load(w, at); break;
        case ORR__PART_STORE: store(w, at); break;
        case ORR__PART_FOLD: fold(w, at); break;
        case ORR__PART_COPY: orr__text_addf(w->t, "    %s;\n", at->at); break;
        default: prefetch(w, at); break;
        }
}

void orr__cloop_write(const orr__cloop *c, orr__text *t)
{
    parts(&(writer){ t, c }, c->n->root);
}
