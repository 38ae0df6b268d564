/* Kernels of sums, products and functions of field elements: one work item per element of the result.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

void orr__emit_field_put(int64_t *word, orr__fe x)
{
    for (int i = 0; i < ORR__LIMBS; i++)
        word[i] = (int64_t)x.l[i];
}

static orr_dtype field_of(const orr__region *r)
{
    orr_dtype in = (orr_dtype)r->in_dtype[0];
    return orr__is_field(in) ? in : (orr_dtype)r->out_dtype[0];
}

static void limbs(orr__text *t, orr__text *undo, const char *name, orr__fe x)
{
    const uint64_t *l = x.l;
    const uint64_t low = UINT32_MAX;
    orr__text_define(t, undo, name, "{ %uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu }", (unsigned)(l[0] & low),
                     (unsigned)(l[0] >> 32), (unsigned)(l[1] & low), (unsigned)(l[1] >> 32), (unsigned)(l[2] & low),
                     (unsigned)(l[2] >> 32), (unsigned)(l[3] & low), (unsigned)(l[3] >> 32));
}

void orr__emit_field_parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    (void)l;
    orr__text_define(t, undo, "F(name)", "ew_f##name##_%s", orr__emit_suffix(field_of(r)));
}

void orr__emit_field_functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    static const char text[] =
#include "codelets/emit/kernels/field_functions.ctext"
        ;
    const orr__mod *m = orr__modulus(field_of(r));
    orr__text undo = { 0 };
    orr__emit_field_helpers(t, d, field_of(r));
    orr__emit_field_parameters(t, &undo, r, NULL);
    limbs(t, &undo, "LIMBS_OF_ONE", m->one);
    limbs(t, &undo, "LIMBS_OF_SQUARE", m->square);
    orr__text_add(t, text);
    orr__text_undefine(t, &undo);
}

/* -- sums and products -------------------------------------------------------------------------------------------------- */

static const char *const names_sums[] = { "length", "rows", "columns", NULL };
enum { LENGTH = ORR__CALL_OWN, ROWS, COLUMNS };

static bool can_sums(const orr__region *r)
{
    return r->call.in[0].dim[2] > 0;
}

static void fill_sums(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    word[LENGTH] = c->in[0].dim[2];
    word[ROWS] = c->out.dim[1];
    word[COLUMNS] = c->out.dim[2];
}

static const char text_sums[] =
#include "codelets/emit/kernels/field_sums.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_sums = { .can = can_sums,
                                                     .names = names_sums,
                                                     .fill = fill_sums,
                                                     .functions = orr__emit_field_functions,
                                                     .body = text_sums,
                                                     .parameters = orr__emit_field_parameters };

/* -- functions ------------------------------------------------------------------------------------------------------------ */

/* CONSTANT: the exponent (for an inverse, the modulus less 2), the modulus, or the largest integer. */
static const char *const names_elements[] = { "step", "end", NULL };
enum { STEP = ORR__CALL_OWN, END, CONSTANT, ELEMENTS_END = CONSTANT + ORR__LIMBS };

/* An item inverts a product of elements by a power, three products for two bits, and separates it by three products per element: of so many
 * elements, the power takes twice as long. A multiprocessor has a warp of items at least. */
enum { MOST_ELEMENTS = ORR__LIMBS * 64 * 3 / 2 / 3 / 2, LEAST_ITEMS = ORR__EMIT_MULTIPROCESSORS * ORR__EMIT_WARP };

static int words_elements(const orr__region *r)
{
    (void)r;
    return ELEMENTS_END - ORR__CALL_OWN;
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

static void parameters_elements(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    static const char *const what[] = {
        [ORR__ELEMENTS_INVERSE] = "INVERSE",
        [ORR__ELEMENTS_POW] = "POW",
        [ORR__ELEMENTS_LEAVE] = "LEAVE",
        [ORR__ELEMENTS_ENTER] = "ENTER",
        [ORR__ELEMENTS_NOT_ZERO] = "NOT_ZERO",
        [ORR__ELEMENTS_AS_INTEGERS] = "AS_INTEGERS",
        [ORR__ELEMENTS_OF_INTEGERS] = "OF_INTEGERS",
    };
    orr_dtype in = (orr_dtype)r->in_dtype[0], out = (orr_dtype)r->out_dtype[0];
    orr__emit_field_parameters(t, undo, r, l);
    orr__text_define(t, undo, what[r->call.attr.index], "1");
    orr__text_define(t, undo, "CONSTANT(k)", "W(%d + (k))", CONSTANT);
    if (orr__is_signed(orr__is_field(in) ? out : in))
        orr__text_define(t, undo, "SIGNED", "1");
}

static orr_status refuse_element(const orr__region *r, int64_t number)
{
    return orr__element_refused(orr__region_site(r), r->call.attr.index, number, (orr_dtype)r->out_dtype[0]);
}

static const char text_elements[] =
#include "codelets/emit/kernels/field_elements.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_elements = { .flags = 1,
                                                         .words = words_elements,
                                                         .names = names_elements,
                                                         .fill = fill_elements,
                                                         .functions = orr__emit_field_functions,
                                                         .body = text_elements,
                                                         .parameters = parameters_elements,
                                                         .refuse = refuse_element };

/* -- polynomials ---------------------------------------------------------------------------------------------------------- */

static const char *const names_values[] = { "coefficients", "places", NULL };
enum { COEFFICIENTS = ORR__CALL_OWN, PLACES };

static void fill_values(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    word[COEFFICIENTS] = c->in[0].dim[1];
    word[PLACES] = c->in[1].dim[0];
}

static const char text_values[] =
#include "codelets/emit/kernels/field_values.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_values = { .names = names_values,
                                                       .fill = fill_values,
                                                       .functions = orr__emit_field_functions,
                                                       .body = text_values,
                                                       .parameters = orr__emit_field_parameters };
