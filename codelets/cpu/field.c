/* Kernels on elements of BN254's fields: functions, sums, transforms, polynomials, hashes. Operands and results are plain integers.
 * Linear kernels work on them as they are; the others multiply by 2^256 first, or afterwards.
 * Must not know: plans, StarPU, instruction sets. */
#include "config.h"

#include <stdatomic.h>
#include "codelets/cpu/field.h"

enum { BLOCK = 512 };

const orr__fieldkit *orr__cpu_fieldkit(void)
{
    static _Atomic(const orr__fieldkit *) kit; /* asking the processor costs more than a small call */
    const orr__fieldkit *k = atomic_load_explicit(&kit, memory_order_relaxed);
    if (!k) {
        k = orr__fieldkit_best();
        atomic_store_explicit(&kit, k, memory_order_relaxed);
    }
    return k;
}

orr_status orr__cpu_field_check(const orr__launch *l, orr__field f, int operand, const orr__fe *x, int64_t first,
                                int64_t n)
{
    const orr__fe p = orr__mod_of(f)->p;
    for (int64_t i = 0; i < n; i++)
        if (x[i].l[3] >= p.l[3] && !fe_below(x[i], p))
            return orr__fail(orr__cpu_site(l), ORR_EINDEX, "element %lld of operand %d is not below the modulus of %s",
                             (long long)(first + i), operand, f == ORR__FR ? "fr254" : "fq254");
    return ORR_OK;
}

void orr__cpu_field_enter(orr__field f, orr__fe *z, const orr__fe *x, int64_t n)
{
    orr__cpu_fieldkit()->map(f, ORR__FMUL, z, x, 1, &orr__mod_of(f)->square, 0, n);
}

void orr__cpu_field_leave(orr__field f, orr__fe *z, const orr__fe *x, int64_t n)
{
    static const orr__fe one = { { 1 } };
    orr__cpu_fieldkit()->map(f, ORR__FMUL, z, x, 1, &one, 0, n);
}

/* -- functions ----------------------------------------------------------------------------------------------------------- */

static orr_status function(const orr__launch *l, orr__field f, int64_t at, int64_t n)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__mod *m = orr__mod_of(f);
    const orr__attr *a = &l->region->call.attr;
    const orr__fe *x = (const orr__fe *)l->in[0] + at;
    const orr__fe *y = l->region->call.nin > 1 ? (const orr__fe *)l->in[1] + at : x;
    orr__fe *z = (orr__fe *)l->out[0] + at;
    uint64_t e[ORR__LIMBS];
    orr_status st = orr__cpu_field_check(l, f, 0, x, at, n);
    if (st == ORR_OK && y != x)
        st = orr__cpu_field_check(l, f, 1, y, at, n);
    if (st != ORR_OK)
        return st;
    switch (a->index) {
    case ORR__ELEMENTS_ADD: k->map(f, ORR__FADD, z, x, 1, y, 1, n); break;
    case ORR__ELEMENTS_SUB: k->map(f, ORR__FSUB, z, x, 1, y, 1, n); break;
    case ORR__ELEMENTS_NEG: k->map(f, ORR__FNEG, z, x, 1, x, 1, n); break;
    case ORR__ELEMENTS_MUL:
    case ORR__ELEMENTS_SQUARE:
        k->map(f, ORR__FMUL, z, x, 1, a->index == ORR__ELEMENTS_MUL ? y : x, 1, n);
        k->map(f, ORR__FMUL, z, z, 1, &m->square, 0, n);
        break;
    case ORR__ELEMENTS_INVERSE: {
        int64_t zero = k->invert(f, z, x, n);
        if (zero >= 0)
            return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "element %lld is 0 and has no inverse",
                             (long long)(at + zero));
        orr__cpu_field_leave(f, z, z, n); /* x stood for x/2^256, its inverse for 2^256/x */
        orr__cpu_field_leave(f, z, z, n);
        break;
    }
    default:
        for (int i = 0; i < ORR__LIMBS; i++)
            e[i] = (uint64_t)a->start[i];
        orr__cpu_field_enter(f, z, x, n);
        k->power(f, z, z, e, n);
        orr__cpu_field_leave(f, z, z, n);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_field_elements(const orr__kernel *kernel, const orr__launch *l)
{
    orr_status st = ORR_OK;
    (void)kernel;
    for (int64_t at = l->lo; at < l->hi && st == ORR_OK; at += BLOCK)
        st = function(l, (orr__field)l->region->call.attr.axis, at, l->hi - at < BLOCK ? l->hi - at : BLOCK);
    return st;
}

orr_status orr__cpu_kernel_field_sums(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    orr__field f = (orr__field)c->attr.axis;
    int64_t n = c->in[0].dim[1];
    orr_status st = ORR_OK;
    (void)kernel;
    for (int64_t row = l->lo; row < l->hi && st == ORR_OK; row++) {
        const orr__fe *x = (const orr__fe *)l->in[0] + row * n;
        orr__fe *z = (orr__fe *)l->out[0] + row;
        st = orr__cpu_field_check(l, f, 0, x, row * n, n);
        if (st == ORR_OK && c->nin > 1) {
            const orr__fe *y = (const orr__fe *)l->in[1] + row * n;
            st = orr__cpu_field_check(l, f, 1, y, row * n, n);
            if (st == ORR_OK) {
                k->dot(f, z, x, 1, y, 1, n);
                orr__cpu_field_enter(f, z, z, 1);
            }
        } else if (st == ORR_OK) {
            k->sum(f, z, x, 1, n);
        }
    }
    return st;
}

/* -- transforms ------------------------------------------------------------------------------------------------------------ */

/* Linear: the powers of the root are in Montgomery's form, the data is not. */
static orr_status begin(const orr__launch *l, int64_t n, orr__ntt *t)
{
    const orr__call *c = &l->region->call;
    orr__fe shift = orr__fr.one;
    int log = 0;
    orr_status st = ORR_OK;
    while ((int64_t)1 << log < n)
        log++;
    if (c->nin > 1) {
        shift = *(const orr__fe *)l->in[1];
        st = orr__cpu_field_check(l, ORR__FR, 1, &shift, 0, 1);
        if (st == ORR_OK && fe_is_zero(shift))
            st = orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "the shift of a coset is 0");
        orr__cpu_field_enter(ORR__FR, &shift, &shift, 1);
    }
    if (st == ORR_OK && !orr__ntt_make(t, log, c->attr.index != 0, &shift))
        st = orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for a transform of 2^%d elements", log);
    return st;
}

orr_status orr__cpu_kernel_field_transform(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    const int64_t n = c->out.dim[c->out.rank - 2];
    orr__ntt t;
    (void)kernel;
    orr_status st = begin(l, n, &t);
    if (st != ORR_OK)
        return st;
    const int64_t na = (int64_t)1 << t.ka, nb = (int64_t)1 << t.kb;
    size_t work = (orr__ntt_work(&t) + 63) / 64 * 64;
    char *scratch = orr__scratch(work + (t.ka ? (size_t)n * sizeof(orr__fe) : 0));
    orr__fe *y = (orr__fe *)(void *)(scratch + work);
    st = scratch ? ORR_OK : ORR_ENOMEM;
    for (int64_t row = l->lo; row < l->hi && st == ORR_OK; row++) {
        const orr__fe *x = (const orr__fe *)l->in[0] + row * n;
        orr__fe *z = (orr__fe *)l->out[0] + row * n;
        st = orr__cpu_field_check(l, ORR__FR, 0, x, row * n, n);
        if (st != ORR_OK)
            break;
        k->ntt_columns(&t, y, nb, x, 0, nb, scratch);
        k->ntt_rows(&t, z, na, t.ka ? y : x, nb, 0, na, scratch);
    }
    orr__ntt_free(&t);
    return st;
}

/* The columns or the rows of a long transform. Iteration: transform · blocks + block; a block has the result's axis 3 of them. */
static orr_status half(const orr__launch *l, bool columns)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const int64_t *dim = l->region->call.out.dim;
    const int64_t blocks = dim[1], other = dim[2], each = dim[3], n = blocks * other * each;
    orr__ntt t;
    orr_status st = begin(l, n, &t);
    if (st != ORR_OK)
        return st;
    const int64_t na = (int64_t)1 << t.ka, nb = (int64_t)1 << t.kb;
    char *scratch = orr__scratch(orr__ntt_work(&t));
    st = scratch ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK && other != (columns ? na : nb))
        st = orr__fail(orr__cpu_site(l), ORR_EINTERNAL, "a transform is cut in another way");
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++) {
        const int64_t first = i / blocks * n, from = i % blocks * each;
        const orr__fe *x = (const orr__fe *)l->in[0] + first;
        orr__fe *z = (orr__fe *)l->out[0] + first;
        for (int64_t j = 0; columns && j < na && st == ORR_OK; j++)
            st = orr__cpu_field_check(l, ORR__FR, 0, x + j * nb + from, first + j * nb + from, each);
        if (st != ORR_OK)
            break;
        if (columns)
            k->ntt_columns(&t, z, each, x, from, from + each, scratch);
        else
            k->ntt_rows(&t, z, each, x, l->region->call.in[0].dim[3], from, from + each, scratch);
    }
    orr__ntt_free(&t);
    return st;
}

orr_status orr__cpu_kernel_field_columns(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return half(l, true);
}

orr_status orr__cpu_kernel_field_rows(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return half(l, false);
}

/* -- polynomials ------------------------------------------------------------------------------------------------------------- */

/* Linear in the coefficients. Iteration: polynomial · places + place. */
orr_status orr__cpu_kernel_field_values(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    orr__field f = (orr__field)c->attr.axis;
    const int64_t n = c->in[0].dim[1], m = c->in[1].dim[0];
    const orr__fe *all = l->in[0], *places = l->in[1];
    int64_t checked = -1;
    orr_status st = ORR_OK;
    (void)kernel;
    for (int64_t at = l->lo, count; at < l->hi && st == ORR_OK; at += count) {
        const int64_t p = at / m, first = at % m;
        orr__fe x[64];
        count = l->hi - at < m - first ? l->hi - at : m - first;
        count = count < 64 ? count : 64;
        if (p != checked)
            st = orr__cpu_field_check(l, f, 0, all + p * n, p * n, n);
        checked = p;
        if (st == ORR_OK)
            st = orr__cpu_field_check(l, f, 1, places + first, first, count);
        if (st != ORR_OK)
            break;
        orr__cpu_field_enter(f, x, places + first, count);
        k->evaluate(f, (orr__fe *)l->out[0] + at, all + p * n, n, x, count);
    }
    return st;
}

orr_status orr__cpu_kernel_field_division(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    orr__field f = (orr__field)c->attr.axis;
    const int64_t n = c->in[0].dim[0], m = c->in[1].dim[0];
    orr_status st = orr__cpu_field_check(l, f, 0, l->in[0], 0, n);
    (void)kernel;
    if (st == ORR_OK)
        st = orr__cpu_field_check(l, f, 1, l->in[1], 0, m);
    if (st != ORR_OK)
        return st;
    orr__fe *divisor = orr__scratch((size_t)(m + n) * sizeof *divisor), *rest = divisor + m, *z = l->out[0];
    if (!divisor)
        return ORR_ENOMEM;
    orr__cpu_field_enter(f, divisor, l->in[1], m);
    orr__cpu_field_enter(f, rest, l->in[0], n);
    if (!k->divide(f, z, rest, n, divisor, m))
        return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "the last coefficient of the divisor, number %lld, is 0",
                         (long long)(m - 1));
    orr__cpu_field_leave(f, z, z, n - m + 1);
    orr__cpu_field_leave(f, z + (n - m + 1), rest, m - 1);
    return ORR_OK;
}

/* -- the hash ---------------------------------------------------------------------------------------------------------------- */

orr_status orr__cpu_kernel_field_hash(const orr__kernel *kernel, const orr__launch *l)
{
    enum { ROWS = 64 };
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr_shape *s = &l->region->call.in[0];
    const int64_t n = s->dim[s->rank - 2];
    const orr__poseidon *p = orr__poseidon_get((int)n + 1);
    orr__fe x[ROWS * (ORR__POSEIDON_MAX - 1)];
    orr_status st = ORR_OK;
    (void)kernel;
    if (!p)
        return orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the constants of Poseidon");
    for (int64_t at = l->lo; at < l->hi; at += ROWS) {
        const int64_t rows = l->hi - at < ROWS ? l->hi - at : ROWS;
        const orr__fe *from = (const orr__fe *)l->in[0] + at * n;
        orr__fe *z = (orr__fe *)l->out[0] + at;
        st = orr__cpu_field_check(l, ORR__FR, 0, from, at * n, rows * n);
        if (st != ORR_OK)
            return st;
        orr__cpu_field_enter(ORR__FR, x, from, rows * n);
        k->poseidon(p, z, x, n, NULL, rows);
        orr__cpu_field_leave(ORR__FR, z, z, rows);
    }
    return st;
}
