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

static int words(const orr__region *r)
{
    (void)r;
    return 0;
}

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

/* A table's element is assembled where it is used: not every language allows constant arrays of elements. */
static const char functions_text[] =
    "#define orr_constant(z, table, n) for (int k_ = 0; k_ < 8; k_++) (z).l[k_] = table[8 * (n) + k_]\n" ORR__TEXT(
        ORR_CALL orr_element orr_fifth(orr_element x) {
            const orr_element y = F(mul)(x, x);
            return F(mul)(F(mul)(y, y), x);
        });

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    const orr__poseidon *p = orr__poseidon_get(width(r));
    orr__emit_field_begin(t, d, ORR_FR254);
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
    orr__text_addf(t, "#define WIDTH %d\n#define HALF %d\n#define PARTIAL %d\n", p->t, p->full / 2, p->partial);
    orr__text_add(t, functions_text);
}

/* The rounds of codelets/field/hash.c. */
static void full_rounds(orr__text *t, const char *constants, const char *last)
{
    orr__text_addf(t,
                   "    for (int r = 0; r < HALF; r++) {\n        for (int i = 0; i < WIDTH; i++) {\n"
                   "            orr_constant(c, %s, r * WIDTH + i);\n            s[i] = orr_fifth(F(add)(s[i], c));\n"
                   "        }\n        for (int i = 0; i < WIDTH; i++) {\n            y[i] = F(zero)();\n"
                   "            for (int j = 0; j < WIDTH; j++) {\n"
                   "                if (r == HALF - 1) { orr_constant(c, %s, i * WIDTH + j); }\n"
                   "                else { orr_constant(c, orr_mds, i * WIDTH + j); }\n"
                   "                y[i] = F(add)(y[i], F(mul)(s[j], c));\n            }\n        }\n"
                   "        for (int i = 0; i < WIDTH; i++)\n            s[i] = y[i];\n    }\n",
                   constants, last);
}

static const char partial_text[] = ORR__TEXT(for (int r = 0; r < PARTIAL; r++) {
    orr_element head;
    orr_constant(c, orr_single, r);
    head = orr_fifth(F(add)(s[0], c));
    orr_constant(c, orr_sparse, r * (2 * WIDTH - 1));
    s[0] = F(mul)(head, c);
    for (int i = 1; i < WIDTH; i++) {
        orr_constant(c, orr_sparse, r * (2 * WIDTH - 1) + i);
        s[0] = F(add)(s[0], F(mul)(s[i], c));
        orr_constant(c, orr_sparse, r * (2 * WIDTH - 1) + WIDTH + i - 1);
        s[i] = F(add)(s[i], F(mul)(head, c));
    }
});

static void text(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    (void)r;
    orr__text_addf(
        t,
        "    orr_element s[WIDTH], y[WIDTH], c;\n    s[0] = F(zero)();\n    for (int i = 1; i < WIDTH; i++)\n"
        "        s[i] = in0[(orr_idx)W(%d) + e * (WIDTH - 1) + i - 1];\n",
        in_at);
    full_rounds(t, "orr_first", "orr_bridge");
    orr__text_add(t, partial_text);
    full_rounds(t, "orr_last", "orr_mds");
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = s[0];\n", l->out_at);
}

const orr__emit_call orr__emit_kernel_field_hash = {
    .can = can, .words = words, .fill = fill, .functions = functions, .text = text
};
