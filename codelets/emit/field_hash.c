/* The kernel of Poseidon hashes: one item per hash. The constants of its width are a table beside the kernel.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

enum { MOST = 9 }; /* the widest: a table of 44 kB, within the 64 kB of constants of every device */

static int width(const orr__region *r)
{
    const orr_shape *s = &r->call.in[0];
    return (int)s->dim[s->rank - 1] + 1;
}

static bool can(const orr__region *r)
{
    return width(r) <= MOST;
}

static const char *const names[] = { NULL };

static void fill(const orr__launch *l, int64_t *word)
{
    (void)l;
    (void)word;
}

static void table(orr__text *t, const orr__dialect *d, const char *name, const orr__fe *x, int64_t n)
{
    orr__text_addf(t, "%sorr_u32 %s[] = {\n", d->constant, name);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2 * ORR__LIMBS; k++)
            orr__text_addf(t, "%uu%s", (unsigned)(x[i].l[k / 2] >> k % 2 * 32 & UINT32_MAX), k < 7 ? "," : ",\n");
    orr__text_add(t, "};\n");
}

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    const orr__poseidon *p = orr__poseidon_get(width(r));
    orr__emit_field_functions(t, d, r);
    if (!p) {
        t->failed = true;
        return;
    }
    const int64_t n = p->t;
    table(t, d, "orr_first", p->first, n * p->full / 2);
    table(t, d, "orr_single", p->single, p->partial);
    table(t, d, "orr_last", p->last, n * p->full / 2);
    table(t, d, "orr_mds", p->mds, n * n);
    table(t, d, "orr_bridge", p->bridge, n * n);
    table(t, d, "orr_sparse", p->sparse, p->partial * (2 * n - 1));
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    const orr__poseidon *p = orr__poseidon_get(width(r));
    orr__emit_field_parameters(t, undo, r, l);
    t->failed = t->failed || !p;
    if (!p)
        return;
    orr__text_define(t, undo, "WIDTH", "%d", p->t);
    orr__text_define(t, undo, "HALF", "%d", p->full / 2);
    orr__text_define(t, undo, "PARTIAL", "%d", p->partial);
}

static const char helpers[] =
#include "codelets/emit/kernels/field_hash_functions.ctext"
    ;
static const char text[] =
#include "codelets/emit/kernels/field_hash.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_hash = { .can = can,
                                                     .names = names,
                                                     .fill = fill,
                                                     .functions = functions,
                                                     .helpers = helpers,
                                                     .body = text,
                                                     .parameters = parameters };
