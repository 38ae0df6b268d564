/* Kernels of sums, products and functions of field elements: one work item per element of the result.
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

/* CONSTANT: the exponent (for an inverse, the modulus less 2), the modulus, or the largest integer. */
enum { CONSTANT = ORR__CALL_OWN, STEP = CONSTANT + ORR__LIMBS, END, ELEMENTS_END };

/* An item inverts a product of elements by a power, some 380 products, and separates it by three products per element.
 * Few items are slow, too. */
enum { MOST_ELEMENTS = 64, LEAST_ITEMS = 4096 };

static int words_elements(const orr__region *r)
{
    (void)r;
    return ELEMENTS_END - ORR__CALL_OWN;
}

static orr_dtype field_of(const orr__region *r)
{
    orr_dtype in = (orr_dtype)r->in_dtype[0];
    return orr__is_field(in) ? in : (orr_dtype)r->out_dtype[0];
}

static void fill_elements(const orr__launch *l, int64_t *word)
{
    const orr__attr *a = &l->region->call.attr;
    const orr_dtype to = (orr_dtype)l->region->out_dtype[0];
    orr__fe p = orr__modulus(field_of(l->region))->p;
    p.l[0] -= a->index == ORR__ELEMENTS_INVERSE ? 2 : 0;
    orr__emit_field_put(word + CONSTANT, p);
    word[STEP] = word[END] = 0;
    if (a->index == ORR__ELEMENTS_POW) {
        for (int i = 0; i < ORR__LIMBS; i++)
            word[CONSTANT + i] = a->start[i];
    } else if (a->index == ORR__ELEMENTS_AS_INTEGERS) {
        word[CONSTANT] = (int64_t)(UINT64_MAX >> (64 - 8 * orr__dtype_size(to) + orr__is_signed(to)));
    } else if (a->index == ORR__ELEMENTS_LEAVE) { /* an item writes all limbs of an element */
        word[0] /= ORR__LIMBS;
        word[ORR__CALL_FIRST] /= ORR__LIMBS;
    } else if (a->index == ORR__ELEMENTS_INVERSE) { /* the stride of an item's elements is the number of items */
        const int64_t n = word[0];
        int64_t each = n / LEAST_ITEMS;
        each = each < 1 ? 1 : each > MOST_ELEMENTS ? MOST_ELEMENTS : each;
        word[END] = word[ORR__CALL_FIRST] + n;
        word[STEP] = word[0] = (n + each - 1) / each;
    }
}

/* z := x to the power in the words. */
static void power_by_words(orr__text *t, const char *z, const char *x)
{
    orr__text_addf(t,
                   "    %s = ORR_ONE;\n    for (int k = 255; k >= 0; k--) {\n        %s = F(mul)(%s, %s);\n"
                   "        if ((orr_u64)W(%d + k / 64) >> k %% 64 & 1u)\n            %s = F(mul)(%s, %s);\n    }\n",
                   z, z, z, z, CONSTANT, z, z, x);
}

static void text_inverse(orr__text *t, const orr__layout *l, int in_at)
{
    orr__text_addf(t,
                   "    const orr_idx x0 = (orr_idx)W(%d), z0 = (orr_idx)W(%d), step = (orr_idx)W(%d), "
                   "end = (orr_idx)W(%d);\n",
                   in_at, l->out_at, STEP, END);
    orr__text_add(
        t, ORR__TEXT(orr_element z = ORR_ONE; orr_element u; orr_idx last = e; for (orr_idx i = e; i < end; i += step) {
            const orr_element x = in0[x0 + i];
            last = i;
            if (orr_is_zero(x)) {));
                orr__emit_wrong(t, 0, "i", "(orr_i64)0");
    orr__text_add(t, ORR__TEXT(
            } else {
                out0[z0 + i] = z;
                z = F(mul)(z, x);
            }
        }));
    power_by_words(t, "u", "z");
    orr__text_add(t, ORR__TEXT(for (orr_idx i = last;; i -= step) {
                      const orr_element x = in0[x0 + i];
                      if (!orr_is_zero(x)) {
                          out0[z0 + i] = F(mul)(u, out0[z0 + i]);
                          u = F(mul)(u, x);
                      }
                      if (i == e)
                          break;
                  }));
}

/* z := the canonical integer x, which must be below the modulus. */
static void text_enter(orr__text *t, int in_at)
{
    orr__text_addf(t,
                   "    int less = 0;\n    for (int k = 0; k < 4; k++) {\n"
                   "        const orr_u64 v = in0[(orr_idx)W(%d) + 4 * e + k], m = (orr_u64)W(%d + k);\n"
                   "        z.l[2 * k] = (orr_u32)v;\n        z.l[2 * k + 1] = (orr_u32)(v >> 32);\n"
                   "        less = v < m || (v == m && less);\n    }\n    if (!less) {\n",
                   in_at, CONSTANT);
    orr__emit_wrong(t, 0, "e", "(orr_i64)0");
    orr__text_add(t, "    }\n    z = F(mul)(z, orr_to_montgomery());\n");
}

/* An element is its integer or, where `less` is 0, the negative of it. */
static void text_as_integers(orr__text *t, const orr__region *r, const orr__layout *l)
{
    orr__text_addf(t, "    int less = 0;\n    const int negative = %d;\n",
                   orr__is_signed((orr_dtype)r->out_dtype[0]) ? 1 : 0);
    orr__text_add(t, ORR__TEXT(orr_u32 high = 0u; for (int k = 0; k < 8; k++) z.l[k] = k == 0; z = F(mul)(in0[from], z);
                               for (int k = 2; k < 8; k++) high |= z.l[k]; if (negative && high) {
                                   less = 1;
                                   z = F(sub)(F(zero)(), z);
                                   high = 0u;
                                   for (int k = 2; k < 8; k++)
                                       high |= z.l[k];
                               } const orr_u64 v = (orr_u64)z.l[1] << 32 | z.l[0];));
    orr__text_addf(t, "    if (high || v > (orr_u64)W(%d) + (orr_u64)less) {\n", CONSTANT);
    orr__emit_wrong(t, 0, "e", "(orr_i64)0");
    orr__text_addf(t, "    }\n    out0[(orr_idx)W(%d) + e] = less ? 0u - v : v;\n", l->out_at);
}

static void functions_elements(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    functions(t, d, r);
    orr__text_add(t, ORR__TEXT(ORR_FN int orr_is_zero(orr_element x) {
                      orr_u32 any = 0u;
                      for (int k = 0; k < 8; k++)
                          any |= x.l[k];
                      return any == 0u;
                  }));
}

static void text_elements(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr_dtype from = (orr_dtype)r->in_dtype[0];
    if (r->call.attr.index == ORR__ELEMENTS_INVERSE) {
        text_inverse(t, l, in_at);
        return;
    }
    orr__text_addf(t, "    const orr_idx from = (orr_idx)W(%d) + e;\n    orr_element z;\n", in_at);
    switch (r->call.attr.index) {
    case ORR__ELEMENTS_POW:
        orr__text_add(t, "    const orr_element x = in0[from];\n");
        power_by_words(t, "z", "x");
        break;
    case ORR__ELEMENTS_LEAVE:
        orr__text_add(t, ORR__TEXT(for (int k = 0; k < 8; k++) z.l[k] = k == 0; z = F(mul)(in0[from], z);));
        orr__text_addf(t,
                       "    for (int k = 0; k < 4; k++)\n        out0[(orr_idx)W(%d) + 4 * e + k] = "
                       "(orr_u64)z.l[2 * k + 1] << 32 | z.l[2 * k];\n",
                       l->out_at);
        return;
    case ORR__ELEMENTS_AS_INTEGERS: text_as_integers(t, r, l); return;
    case ORR__ELEMENTS_ENTER: text_enter(t, in_at); break;
    case ORR__ELEMENTS_NOT_ZERO:
        orr__text_add(t, "    z = in0[from];\n    if (orr_is_zero(z)) {\n");
        orr__emit_wrong(t, 0, "e", "(orr_i64)0");
        orr__text_add(t, "    }\n");
        break;
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

static orr_status refuse_element(const orr__region *r, int64_t number)
{
    return orr__element_refused(orr__region_site(r), r->call.attr.index, number, (orr_dtype)r->out_dtype[0]);
}

const orr__emit_call orr__emit_kernel_field_elements = { .flags = 1,
                                                         .words = words_elements,
                                                         .fill = fill_elements,
                                                         .functions = functions_elements,
                                                         .text = text_elements,
                                                         .refuse = refuse_element };

/* -- polynomials ---------------------------------------------------------------------------------------------------------- */

enum { COEFFICIENTS = ORR__CALL_OWN, PLACES, VALUES_END };

static int words_values(const orr__region *r)
{
    (void)r;
    return VALUES_END - ORR__CALL_OWN;
}

static void fill_values(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    word[COEFFICIENTS] = c->in[0].dim[1];
    word[PLACES] = c->in[1].dim[0];
}

/* Horner's rule. Missing coefficients are 0. */
static void text_values(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    (void)r;
    orr__text_addf(t,
                   "    const orr_idx n = (orr_idx)W(%d), m = (orr_idx)W(%d), c = (orr_idx)W(%d) + e / m * n;\n"
                   "    const orr_element x = in1[(orr_idx)W(%d) + e %% m];\n",
                   COEFFICIENTS, PLACES, in_at, in_at + 1);
    orr__text_add(t, ORR__TEXT(orr_element z = F(zero)();
                               for (orr_idx k = n; k > 0; k--) z = F(add)(F(mul)(z, x), in0[c + k - 1]);));
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = z;\n", l->out_at);
}

const orr__emit_call orr__emit_kernel_field_values = {
    .words = words_values, .fill = fill_values, .functions = functions, .text = text_values
};
