/* Kernels of sums of products and functions of field elements: one work item for each element of the result.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

void orr__emit_field_words(orr__text *t, const char *const *name, int n)
{
    for (int i = 0; i < n; i++)
        orr__text_addf(t, "#undef W_%s\n#define W_%s W(%d)\n", name[i], name[i], ORR__CALL_OWN + i);
}

void orr__emit_field_put(int64_t *word, orr__fe x)
{
    for (int i = 0; i < ORR__LIMBS; i++)
        word[i] = (int64_t)x.l[i];
}

static void element(orr__text *t, const char *name, orr__fe x)
{
    orr__text_addf(t, "ORR_FN orr_element %s(void) {\n    orr_element z;\n", name);
    for (int i = 0; i < 2 * ORR__LIMBS; i++)
        orr__text_addf(t, "    z.l[%d] = %uu;\n", i, (unsigned)(x.l[i / 2] >> i % 2 * 32 & UINT32_MAX));
    orr__text_add(t, "    return z;\n}\n");
}

static const char power_text[] = ORR__TEXT(ORR_CALL orr_element orr_power(orr_element x, orr_u32 e) {
    orr_element z = ORR_ONE;
    int bit = 31;
    while (bit > 0 && (e >> bit & 1u) == 0u)
        bit--;
    for (; bit >= 0 && e > 0u; bit--) {
        z = F(mul)(z, z);
        if (e >> bit & 1u)
            z = F(mul)(z, x);
    }
    return z;
});

void orr__emit_field_begin(orr__text *t, const orr__dialect *d, orr_dtype field)
{
    const orr__mod *m = orr__modulus(field);
    orr__emit_field_helpers(t, d, field);
    orr__text_addf(t, "#define F(name) ew_f##name##_%s\n#define ORR_ONE orr_one()\n", orr__emit_suffix(field));
    element(t, "orr_one", m->one);
    element(t, "orr_to_montgomery", m->square);
    orr__text_add(t, power_text);
    orr__text_add(
        t, "#define orr_word_element(z, n) \\\n"
           "    for (int k_ = 0; k_ < 8; k_++) (z).l[k_] = (orr_u32)((orr_u64)W((n) + k_ / 2) >> k_ % 2 * 32)\n");
}

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    orr_dtype in = (orr_dtype)r->in_dtype[0], out = (orr_dtype)r->out_dtype[0];
    orr__emit_field_begin(t, d, orr__is_field(in) ? in : out);
}

/* -- sums and products -------------------------------------------------------------------------------------------------- */

enum { LENGTH = ORR__CALL_OWN, ROWS, COLUMNS, SUMS_END };

static bool can_sums(const orr__region *r)
{
    return r->call.in[0].dim[2] > 0;
}

static int words_sums(const orr__region *r)
{
    (void)r;
    return SUMS_END - ORR__CALL_OWN;
}

static void fill_sums(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    word[LENGTH] = c->in[0].dim[2];
    word[ROWS] = c->out.dim[1];
    word[COLUMNS] = c->out.dim[2];
}

static void text_sums(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    (void)r;
    orr__text_addf(t, "    const orr_idx n = (orr_idx)W(%d), row = e / (orr_idx)W(%d);\n", LENGTH, COLUMNS);
    orr__text_addf(t, "    const orr_idx x = (orr_idx)W(%d) + row * n;\n", in_at);
    orr__text_addf(t,
                   "    const orr_idx y = (orr_idx)W(%d) + (row / (orr_idx)W(%d) * (orr_idx)W(%d) + "
                   "e %% (orr_idx)W(%d)) * n;\n",
                   in_at + 1, ROWS, COLUMNS, COLUMNS);
    orr__text_add(t, ORR__TEXT(orr_element z = F(mul)(in0[x], in1[y]);
                               for (orr_idx k = 1; k < n; k++) z = F(add)(z, F(mul)(in0[x + k], in1[y + k]));));
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = z;\n", l->out_at);
}

const orr__emit_call orr__emit_kernel_field_sums = {
    .can = can_sums, .words = words_sums, .fill = fill_sums, .functions = functions, .text = text_sums
};

/* -- functions ------------------------------------------------------------------------------------------------------------ */

enum { EXPONENT = ORR__CALL_OWN, ELEMENTS_END = EXPONENT + ORR__LIMBS };

/* Functions that refuse no element. */
static bool can_elements(const orr__region *r)
{
    int what = r->call.attr.index;
    return what == ORR__ELEMENTS_POW || what == ORR__ELEMENTS_LEAVE || what == ORR__ELEMENTS_OF_INTEGERS;
}

static int words_elements(const orr__region *r)
{
    (void)r;
    return ELEMENTS_END - ORR__CALL_OWN;
}

static void fill_elements(const orr__launch *l, int64_t *word)
{
    for (int i = 0; i < ORR__LIMBS; i++)
        word[EXPONENT + i] = l->region->call.attr.start[i];
    if (l->region->call.attr.index == ORR__ELEMENTS_LEAVE) { /* an item writes all limbs of an element */
        word[0] /= ORR__LIMBS;
        word[ORR__CALL_FIRST] /= ORR__LIMBS;
    }
}

static void text_elements(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr_dtype from = (orr_dtype)r->in_dtype[0];
    orr__text_addf(t, "    const orr_idx from = (orr_idx)W(%d) + e;\n    orr_element z;\n", in_at);
    switch (r->call.attr.index) {
    case ORR__ELEMENTS_POW:
        orr__text_addf(t,
                       "    const orr_element x = in0[from];\n    z = ORR_ONE;\n    for (int k = 255; k >= 0; k--) {\n"
                       "        z = F(mul)(z, z);\n        if ((orr_u64)W(%d + k / 64) >> k %% 64 & 1u)\n"
                       "            z = F(mul)(z, x);\n    }\n",
                       EXPONENT);
        break;
    case ORR__ELEMENTS_LEAVE:
        orr__text_add(t, ORR__TEXT(for (int k = 0; k < 8; k++) z.l[k] = k == 0; z = F(mul)(in0[from], z);));
        orr__text_addf(t,
                       "    for (int k = 0; k < 4; k++)\n        out0[(orr_idx)W(%d) + 4 * e + k] = "
                       "(orr_u64)z.l[2 * k + 1] << 32 | z.l[2 * k];\n",
                       l->out_at);
        return;
    default:
        orr__text_addf(
            t, "    const int less = %s;\n    const orr_u64 v = less ? 0u - (orr_u64)in0[from] : (orr_u64)in0[from];\n",
            orr__is_signed(from) ? "in0[from] < 0" : "0");
        orr__text_add(t, ORR__TEXT(for (int k = 0; k < 8; k++) z.l[k] = 0u; z.l[0] = (orr_u32)v;
                                   z.l[1] = (orr_u32)(v >> 32); z = F(mul)(z, orr_to_montgomery());
                                   if (less) z = F(sub)(F(zero)(), z);));
    }
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = z;\n", l->out_at);
}

const orr__emit_call orr__emit_kernel_field_elements = {
    .can = can_elements, .words = words_elements, .fill = fill_elements, .functions = functions, .text = text_elements
};
