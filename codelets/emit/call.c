/* Kernels of operations on whole arrays: their table, and the common text and words.
 * Must not know: devices, any single operation. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/call.h"
#include "ops/ops.h"
#include "runtime/base/minmax.h"

static const orr__emit_call *const table[ORR__OP_EW] = {
#define OP_NONE(name)
#define OP_LIBRARY(name)
#define OP_KERNEL(name) [ORR__OP_##name] = &orr__emit_kernel_##name,
#define OP(name, cpu, emit, doc) OP_##emit(name)
#include "ops/structural.def"
};

/* limit of a library: pointers that fit beside a struct of words, or beside a pointer to words */
enum { MOST_INPUTS = 96 };

const orr__emit_call *orr__emit_call_of(const orr__region *r)
{
    return r->call.op ? table[r->call.op->id] : NULL;
}

bool orr__emit_call_can(const orr__region *r, bool fp64)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    if (!k || r->nin < 1 || r->nin > MOST_INPUTS || r->nout != 1 || !r->call.in || r->call.out.rank > ORR_MAX_RANK)
        return false;
    /* A move needs no arithmetic, but the device must have the type. */
    if (r->out_dtype[0] >= ORR_DTYPE_COUNT || (orr__has_f64((orr_dtype)r->out_dtype[0]) && !fp64))
        return false;
    return !k->can || k->can(r);
}

/* The entry that the layout was made for. */
static const orr__emit_call *kernel(const orr__region *r, const orr__layout *l)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    return k && l->tile.matrix ? k->by_matrix : k;
}

static int in_at(const orr__region *r)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    int n = 0;
    while (!k->words && k->names[n])
        n++;
    return ORR__CALL_OWN + (k->words ? k->words(r) : n);
}

bool orr__emit_call_groups(const orr__region *r)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    return k && k->blocks;
}

void orr__emit_call_layout(const orr__region *r, const orr__dialect *d, orr__layout *l)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    bool groups = orr__emit_call_groups(r);
    if (d->matrix && k->by_matrix)
        l->tile = k->by_matrix->tile(r);
    l->out_at = in_at(r) + r->nin;
    l->group = groups ? d->group : 0;
    l->group_at = l->out_at + 1;
    l->scalar_at = l->nword = l->group_at + (groups ? ORR__GROUP_WORDS : 0);
    l->scratch = k->scratch ? 1 : 0;
}

/* The parameters of the kernel's text that are the same everywhere. */
static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    const orr__emit_call *k = kernel(r, l);
    orr__text_define(t, undo, "TYPE", "%s", orr__emit_type((orr_dtype)r->out_dtype[0]));
    orr__text_define(t, undo, "IN_TYPE", "%s", orr__emit_type((orr_dtype)r->in_dtype[0]));
    if (k->which)
        orr__text_define(t, undo, k->which, "1");
    if (k->parameters)
        k->parameters(t, undo, r, l);
}

static void helpers(orr__text *t, const orr__dialect *d, const orr__region *r, const orr__layout *l)
{
    const orr__emit_call *k = kernel(r, l);
    orr_dtype type = (orr_dtype)r->out_dtype[0];
    orr__text undo = { 0 };
    if (k->mad)
        orr__emit_mad(t, type, d);
    parameters(t, &undo, r, l);
    if (k->mad)
        orr__text_add(t, d->math[type == ORR_F64]);
    orr__text_add(t, k->helpers);
    if (k->mad)
        orr__text_add(t, d->unmath);
    orr__text_undefine(t, &undo);
}

static void own_words(orr__text *t, const char *const *names)
{
    for (int n = 0; names[n]; n++) {
        const char *space = strchr(names[n], ' '), *name = space ? space + 1 : names[n];
        int length = space ? (int)(space - names[n]) : 7;
        const char *type = space ? names[n] : "orr_idx";
        orr__text_addf(t, "    const %.*s %s = (%.*s)W(%d);\n", length, type, name, length, type, ORR__CALL_OWN + n);
    }
}

static void body(orr__text *t, const orr__region *r, const orr__layout *l)
{
    const orr__emit_call *k = kernel(r, l);
    orr__text undo = { 0 };
    parameters(t, &undo, r, l);
    for (int i = 0; i < r->nin; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "AT%d(at)", i);
        orr__text_define(t, &undo, name, "((orr_idx)W(%d) + (at))", in_at(r) + i);
        (void)snprintf(name, sizeof name, "IN%d(at)", i);
        orr__text_define(t, &undo, name, "in%d[AT%d(at)]", i, i);
    }
    orr__text_define(t, &undo, "OUT_AT(at)", "((orr_idx)W(%d) + (at))", l->out_at);
    orr__text_define(t, &undo, "OUT(at)", "out0[OUT_AT(at)]");
    if (k->flags)
        orr__text_define(t, &undo, "WRONG(number, value)", "ORR_WRONG(flag, number, value)");
    own_words(t, k->names);
    orr__text_add(t, k->body);
    orr__text_undefine(t, &undo);
}

void orr__emit_call_functions(orr__text *t, const orr__dialect *d, const orr__region *r, const orr__layout *l)
{
    const orr__emit_call *k = kernel(r, l);
    if (k && k->blocks)
        orr__text_addf(t, "#define ORR_SHARE %s\n#define ORR_GROUP %d\n", d->share, d->group);
    if (k && k->functions)
        k->functions(t, d, r);
    if (k && k->helpers)
        helpers(t, d, r, l);
}

orr_status orr__emit_refused(const orr__region *r, int64_t number)
{
    const orr__emit_call *k = orr__emit_call_of(r);
    return k && k->refuse ? k->refuse(r, number) : ORR_OK;
}

void orr__emit_divide(int64_t *word, int64_t n)
{
    word[0] = n;
    word[1] = orr__emit_divider(n);
}

void orr__emit_call_text(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l)
{
    if (l->group)
        orr__text_addf(t, "#define ORR_BLOCKS W(%d)\n%s", l->group_at + ORR__GROUP_BLOCKS, d->seat);
    else
        orr__text_addf(t, "%s    const orr_idx e = (orr_idx)W(%d) + i;\n", d->begin, ORR__CALL_FIRST);
    body(t, r, l);
}

bool orr__emit_call_words(const orr__launch *l, const orr__layout *lay, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t per = r->dim[0] > 0 ? r->out_count / r->dim[0] : 0, most = r->out_count;
    word[0] = (l->hi - l->lo) * per;
    word[ORR__CALL_FIRST] = l->lo * per;
    kernel(r, lay)->fill(l, word);
    for (int k = 0; k < r->nin; k++) {
        word[in_at(r) + k] = l->in_off ? -l->in_off[k] : 0;
        most = ORR__MAX(r->in_count[k], most);
    }
    word[lay->out_at] = l->out_off ? -l->out_off[0] : 0;
    if (lay->group)
        word[lay->group_at + ORR__GROUP_BLOCKS] = kernel(r, lay)->blocks(l);
    return most <= INT32_MAX - 65536;
}
