/* Kernels on elements of BN254's fields: functions, sums, transforms, polynomials, hashes. Elements are in Montgomery form.
 * Must not know: plans, StarPU, instruction sets. */
#include "config.h"

#include <stdatomic.h>
#include <string.h>
#include "codelets/cpu/field.h"

enum { BLOCK = 512 };

const orr__fieldkit *orr__cpu_fieldkit(void)
{
    static _Atomic(const orr__fieldkit *) kit; /* cached: querying the processor costs more than a small call */
    const orr__fieldkit *k = atomic_load_explicit(&kit, memory_order_relaxed);
    if (!k) {
        k = orr__fieldkit_best();
        atomic_store_explicit(&kit, k, memory_order_relaxed);
    }
    return k;
}

orr__field orr__cpu_field_of(const orr__launch *l, int operand)
{
    return l->region->in_dtype[operand] == ORR_FR254 ? ORR__FR : ORR__FQ;
}

/* -- integers ----------------------------------------------------------------------------------------------------------- */

/* Converts integers to elements: −|v| is p − |v|. */
static void of_integers(const orr__fieldkit *k, orr__field f, orr__fe *z, const char *x, orr_dtype from, int64_t n)
{
    const orr__mod *m = f == ORR__FR ? &orr__fr : &orr__fq;
    const size_t size = orr__dtype_size(from);
    for (int64_t i = 0; i < n; i++) {
        const orr__scalar v = orr__scalar_load(x + (size_t)i * size, from);
        const bool negative = orr__is_signed(from) && v.i < 0;
        z[i] = (orr__fe){ { negative ? 0u - v.u : v.u } };
        if (negative)
            z[i] = fe_neg(z[i], m);
    }
    k->map(f, ORR__FMUL, z, z, 1, &m->square, 0, n);
}

/* Returns -1, or the index of the first element that is not a value of the dtype. */
static int64_t as_integers(const orr__fieldkit *k, orr__field f, char *z, const orr__fe *x, orr_dtype to, int64_t n)
{
    const orr__mod *m = f == ORR__FR ? &orr__fr : &orr__fq;
    const size_t size = orr__dtype_size(to);
    const uint64_t most = UINT64_MAX >> (64 - 8 * size + orr__is_signed(to));
    orr__fe v[BLOCK];
    k->write(f, v, x, n);
    for (int64_t i = 0; i < n; i++) {
        orr__fe a = v[i];
        const bool negative = orr__is_signed(to) && (a.l[1] | a.l[2] | a.l[3]);
        if (negative)
            a = fe_neg(a, m);
        if ((a.l[1] | a.l[2] | a.l[3]) || a.l[0] > most + negative)
            return i;
        orr__scalar_store(z + (size_t)i * size, to, (orr__scalar){ .u = negative ? 0u - a.l[0] : a.l[0] });
    }
    return -1;
}

/* -- functions ----------------------------------------------------------------------------------------------------------- */

static orr_status refused(const orr__launch *l, int64_t number)
{
    const orr__region *r = l->region;
    return orr__element_refused(orr__cpu_site(l), r->call.attr.index, number, (orr_dtype)r->out_dtype[0]);
}

static orr_status function(const orr__launch *l, int64_t at, int64_t n)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__attr *a = &l->region->call.attr;
    const orr__field f = orr__cpu_field_of(l, 0);
    const orr__fe *x = (const orr__fe *)l->in[0] + at;
    orr__fe *z = (orr__fe *)l->out[0] + at;
    const orr_dtype from = (orr_dtype)l->region->in_dtype[0], to = (orr_dtype)l->region->out_dtype[0];
    uint64_t e[ORR__LIMBS];
    int64_t wrong;
    switch (a->index) {
    case ORR__ELEMENTS_INVERSE: wrong = k->invert(f, z, x, n); return wrong < 0 ? ORR_OK : refused(l, at + wrong);
    case ORR__ELEMENTS_ENTER:
        wrong = k->read(to == ORR_FR254 ? ORR__FR : ORR__FQ, z, x, n);
        return wrong < 0 ? ORR_OK : refused(l, at + wrong);
    case ORR__ELEMENTS_LEAVE: k->write(f, z, x, n); return ORR_OK;
    case ORR__ELEMENTS_OF_INTEGERS:
        of_integers(k, to == ORR_FR254 ? ORR__FR : ORR__FQ, z,
                    (const char *)l->in[0] + (size_t)at * orr__dtype_size(from), from, n);
        return ORR_OK;
    case ORR__ELEMENTS_AS_INTEGERS:
        wrong = as_integers(k, f, (char *)l->out[0] + (size_t)at * orr__dtype_size(to), x, to, n);
        return wrong < 0 ? ORR_OK : refused(l, at + wrong);
    case ORR__ELEMENTS_NOT_ZERO:
        for (int64_t i = 0; i < n; i++) {
            if (fe_is_zero(x[i]))
                return refused(l, i);
            z[i] = x[i];
        }
        return ORR_OK;
    default:
        for (int i = 0; i < ORR__LIMBS; i++)
            e[i] = (uint64_t)a->start[i];
        k->power(f, z, x, e, n);
        return ORR_OK;
    }
}

orr_status orr__cpu_kernel_field_elements(const orr__kernel *kernel, const orr__launch *l)
{
    orr_status st = ORR_OK;
    (void)kernel;
    for (int64_t at = l->lo; at < l->hi && st == ORR_OK; at += BLOCK)
        st = function(l, at, l->hi - at < BLOCK ? l->hi - at : BLOCK);
    return st;
}

/* An iteration is a row of the result; each of its elements is a sum of products. */
orr_status orr__cpu_kernel_field_sums(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    const orr__field f = orr__cpu_field_of(l, 0);
    const int64_t n = c->in[0].dim[2], m = c->out.dim[1], columns = c->out.dim[2];
    (void)kernel;
    for (int64_t row = l->lo; row < l->hi; row++) {
        const orr__fe *x = (const orr__fe *)l->in[0] + row * n, *y = (const orr__fe *)l->in[1] + row / m * columns * n;
        orr__fe *z = (orr__fe *)l->out[0] + row * columns;
        for (int64_t i = 0; i < columns; i++)
            k->dot(f, z + i, x, 1, y + i * n, 1, n);
    }
    return ORR_OK;
}

/* -- transforms ------------------------------------------------------------------------------------------------------------ */

static orr_status begin(const orr__launch *l, int64_t n, orr__ntt *t)
{
    const orr__call *c = &l->region->call;
    orr__fe shift = orr__fr.one;
    int log = 0;
    orr_status st = ORR_OK;
    while ((int64_t)1 << log < n)
        log++;
    if (c->nin > 1) /* the operand of an inverse transform is the inverse of the shift */
        shift = *(const orr__fe *)l->in[1];
    if (c->nin > 1 && c->attr.index)
        (void)orr__cpu_fieldkit()->invert(ORR__FR, &shift, &shift, 1);
    if (!orr__ntt_make(t, log, c->attr.index != 0, &shift))
        st = orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for a transform of 2^%d elements", log);
    return st;
}

orr_status orr__cpu_kernel_field_transform(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    const int64_t n = c->out.dim[c->out.rank - 1];
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
        k->ntt_columns(&t, y, nb, x, 0, nb, scratch);
        k->ntt_rows(&t, z, na, t.ka ? y : x, nb, 0, na, scratch);
    }
    orr__ntt_free(&t);
    return st;
}

/* The columns or the rows of a long transform. Iteration: transform · blocks + block; axis 3 of the result is the
 * length of a block. */
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

/* Iteration: polynomial · places + place. */
orr_status orr__cpu_kernel_field_values(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    const orr__field f = orr__cpu_field_of(l, 0);
    const int64_t n = c->in[0].dim[1], m = c->in[1].dim[0];
    const orr__fe *all = l->in[0], *places = l->in[1];
    (void)kernel;
    for (int64_t at = l->lo, count; at < l->hi; at += count) {
        const int64_t p = at / m, first = at % m;
        count = l->hi - at < m - first ? l->hi - at : m - first;
        k->evaluate(f, (orr__fe *)l->out[0] + at, all + p * n, n, places + first, count);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_field_division(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const orr__call *c = &l->region->call;
    const int64_t n = c->in[0].dim[0], m = c->in[1].dim[0];
    orr__fe *rest = orr__scratch((size_t)n * sizeof *rest), *z = l->out[0];
    (void)kernel;
    if (!rest)
        return ORR_ENOMEM;
    memcpy(rest, l->in[0], (size_t)n * sizeof *rest);
    if (!k->divide(orr__cpu_field_of(l, 0), z, rest, n, l->in[1], m))
        return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "the last coefficient of the divisor, number %lld, is 0",
                         (long long)(m - 1));
    memcpy(z + (n - m + 1), rest, (size_t)(m - 1) * sizeof *rest);
    return ORR_OK;
}

/* -- the hash ---------------------------------------------------------------------------------------------------------------- */

orr_status orr__cpu_kernel_field_hash(const orr__kernel *kernel, const orr__launch *l)
{
    const orr_shape *s = &l->region->call.in[0];
    const int64_t n = s->dim[s->rank - 1];
    const orr__poseidon *p = orr__poseidon_get((int)n + 1);
    (void)kernel;
    if (!p)
        return orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the constants of Poseidon");
    orr__cpu_fieldkit()->poseidon(p, (orr__fe *)l->out[0] + l->lo, (const orr__fe *)l->in[0] + l->lo * n, n, NULL,
                                  l->hi - l->lo);
    return ORR_OK;
}
