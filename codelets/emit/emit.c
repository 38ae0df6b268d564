/* From a region to the text of one kernel: its parts in order.
 * Must not know: devices, compilers, queues. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/emit/call.h"
#include "codelets/emit/matrix.h"
#include "codelets/emit/span.h"
#include "ops/ops.h"

bool orr__emit_instr_can(const orr__region *r, const orr__rinstr *in, bool fp64)
{
    orr_dtype t = (orr_dtype)in->dtype;
    if (t >= ORR_DTYPE_COUNT || (orr__has_f64(t) && !fp64))
        return false;
    switch (in->kind) {
    case ORR__RI_INSIDE:
    case ORR__RI_PLACE: return true;
    case ORR__RI_GATHER:
    case ORR__RI_LOAD: return r->in_dtype[r->access[in->a].input] < ORR_DTYPE_COUNT;
    case ORR__RI_SCALAR:
    case ORR__RI_CAST: return true;
    case ORR__RI_IOTA: return t != ORR_BOOL && (fp64 || !orr__is_float(t));
    case ORR__RI_RANDOM: return orr__emit_random_can(in, fp64);
    case ORR__RI_EW: return orr__ew(in->op) != NULL;
    case ORR__RI_FOLD: return orr__region_rows(r) && in->op <= ORR__RALL;
    case ORR__RI_PRODUCT: return r->loops == ORR__LOOPS_PRODUCT;
    default: return false;
    }
}

/* The outputs, and the instructions from number `first` on. */
static bool can_values(const orr__region *r, int first, bool fp64)
{
    for (int i = first; i < r->ninstr; i++)
        if (!orr__emit_instr_can(r, &r->instr[i], fp64))
            return false;
    for (int k = 0; k < r->nout; k++)
        if (orr__has_f64((orr_dtype)r->out_dtype[k]) && !fp64)
            return false;
    return true;
}

bool orr__emit_can(const orr__region *r, bool fp64)
{
    if (r->call.op)
        return orr__emit_call_can(r, fp64);
    if (r->nout < 1 || r->nout > ORR__REGION_OUTS)
        return false;
    if (r->loops == ORR__LOOPS_PRODUCT)
        return orr__emit_product_can(r, fp64) && can_values(r, 1, fp64);
    return r->rank >= 1 && r->rank <= ORR_MAX_RANK && can_values(r, 0, fp64);
}

bool orr__emit_groups(const orr__region *r)
{
    return orr__region_rows(r) || r->rmask || r->loops == ORR__LOOPS_PRODUCT || orr__emit_call_groups(r);
}

static unsigned needs_of_dtype(orr_dtype t, bool fp64)
{
    if (!orr__is_half(t))
        return 0;
    return (t == ORR_F16 ? ORR__NEED_F16 : ORR__NEED_BF16) | (fp64 ? ORR__NEED_NARROW64 : 0u);
}

static unsigned needs(const orr__region *r, bool fp64)
{
    unsigned need = 0;
    for (int i = 0; i < r->ninstr; i++)
        need |= needs_of_dtype((orr_dtype)r->instr[i].dtype, fp64);
    for (int k = 0; k < r->nout; k++)
        need |= needs_of_dtype((orr_dtype)r->out_dtype[k], fp64);
    return need;
}

/* Groups that a multiprocessor holds at once, which bounds the registers of an item: folds and rows wait for memory and hide it by each
 * other; numbers of f64 are two registers each. Before sm_80, large tiles need all registers. */
static void resident(orr__text *t, const orr__region *r, const orr__layout *l)
{
    if (l->tile.ahead)
        orr__text_addf(t, "%s#define ORR_RESIDENT %d\n#else\n#define ORR_RESIDENT 1\n#endif\n", orr__emit_ahead_if(),
                       l->tile.resident);
    else
        orr__text_addf(t, "#define ORR_RESIDENT %d\n",
                       r->loops == ORR__LOOPS_PRODUCT ? 2
                       : !r->call.op                  ? 4
                       : r->out_dtype[0] == ORR_F64   ? 1
                                                      : 2);
}

static void parameters(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l)
{
    if (l->by_value)
        orr__text_addf(t, "typedef struct { orr_i64 v[%d]; } orr_words;\n#define W(n) p.v[n]\n", l->nword);
    else
        orr__text_add(t, "#define W(n) p[n]\n");
    if (l->group)
        resident(t, r, l);
    orr__text_addf(t, "%s orr_kernel(", l->group ? d->grouped : d->kernel);
    for (int i = 0; i < r->nin && !d->arrays; i++)
        orr__text_addf(t, "%sconst %s *in%d, ", d->global, orr__emit_storage((orr_dtype)r->in_dtype[i]), i);
    for (int k = 0; k < r->nout && !d->arrays; k++)
        orr__text_addf(t, "%s%s *out%d, ", d->global, orr__emit_storage((orr_dtype)r->out_dtype[k]), k);
    if (d->arrays)
        orr__text_add(t, "void *const *in, void *const *out, ");
    if (l->flag)
        orr__text_addf(t, "%sorr_i32 *flag, ", d->global);
    if (l->scratch)
        orr__text_addf(t, "%sorr_part *scratch, ", d->global);
    orr__text_addf(t, "%sp)\n{\n", l->by_value ? "const orr_words " : d->words);
    for (int i = 0; i < r->nin && d->arrays; i++)
        orr__text_addf(t, "    const %s *in%d = in[%d];\n", orr__emit_storage((orr_dtype)r->in_dtype[i]), i, i);
    for (int k = 0; k < r->nout && d->arrays; k++)
        orr__text_addf(t, "    %s *out%d = out[%d];\n", orr__emit_storage((orr_dtype)r->out_dtype[k]), k, k);
}

/* Reports to the flag that index `number` has the wrong value v. */
static const char wrong_text[] =
#include "codelets/emit/kernels/wrong.ctext"
    ;

/* The text before the kernel. */
static void functions(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    orr__text_add(t, d->prelude);
    orr__emit_compound(t, r, fp64);
    if (l->group || l->flag || l->scratch || l->span > 1)
        orr__text_add(t, d->prelude2);
    if (l->flag)
        orr__text_add(t, wrong_text);
    orr__emit_helpers(t, needs(r, fp64));
    orr__emit_random_helpers(t, r, fp64);
    orr__emit_functions(t, d, r, fp64);
    orr__emit_call_functions(t, d, r, l);
    if (l->span > 1)
        orr__emit_span_types(t, r, l);
    if (r->loops == ORR__LOOPS_PRODUCT)
        orr__emit_product_helpers(t, r, d, l);
    else if (l->group && !r->call.op)
        orr__emit_group_functions(t, r, fp64);
}

static bool body(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    if (r->loops != ORR__LOOPS_PRODUCT && !r->call.op)
        return orr__emit_loops(t, r, d, l, fp64);
    if (r->loops == ORR__LOOPS_PRODUCT)
        orr__emit_product(t, r, d, l, fp64);
    else
        orr__emit_call_text(t, r, d, l);
    orr__text_add(t, d->end);
    return true;
}

char *orr__emit(const orr__region *r, const orr__dialect *d, const orr__layout *l, bool fp64)
{
    orr__text t = { 0 };
    functions(&t, r, d, l, fp64);
    parameters(&t, r, d, l);
    bool ok = body(&t, r, d, l, fp64);
    orr__text_add(&t, "}\n");
    t.failed = t.failed || !ok;
    return orr__text_end(&t, r->file, r->line, r->label);
}
