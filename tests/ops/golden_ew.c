/* Reader of tests/golden/elementwise/, and the measure of closeness.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ops/golden_ew.h"
#include "tests/harness/harness.h"

static const char *const dtype_names[ORR__SCALAR_DTYPES] = { "bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                                             "u32",  "u64", "f16", "bf16", "f32", "f64" };

static orr__scalar from_bits(uint64_t v, orr_dtype t)
{
    unsigned char b[8];
    for (int i = 0; i < 8; i++) /* the low bytes, whatever the machine's order: elements are in its own */
        b[i] = (unsigned char)(v >> 8 * i);
    uint64_t u = v;
    uint32_t w = (uint32_t)v;
    uint16_t h = (uint16_t)v;
    switch (orr_dtype_size(t)) {
    case 1: return orr__scalar_load(b, t);
    case 2: return orr__scalar_load(&h, t);
    case 4: return orr__scalar_load(&w, t);
    default: return orr__scalar_load(&u, t);
    }
}

orr_dtype golden_result_dtype(const golden_block *b)
{
    return b->row->to_bool ? ORR_BOOL : b->dtype;
}

/* The dtype of operand k in the file: the condition of `where` is a number of the block's dtype in float files. */
static orr__scalar operand(const golden_block *b, int k, uint64_t bits)
{
    if (k > 0 || !b->row->cond)
        return from_bits(bits, b->dtype);
    return (orr__scalar){ .u = bits != 0 };
}

static bool read_block(char **p, orr_dtype file_dtype, golden_block *b)
{
    char name[40], type[8];
    int used = 0, arity = 0;
    const char *form = file_dtype == ORR__SCALAR_DTYPES ? "%39s %7s %d %d%n" : "%39s %d %d%n";
    int got = file_dtype == ORR__SCALAR_DTYPES ? sscanf(*p, form, name, type, &arity, &b->n, &used)
                                               : sscanf(*p, form, name, &arity, &b->n, &used);
    b->dtype = file_dtype;
    for (int t = 0; t < ORR__SCALAR_DTYPES && file_dtype == ORR__SCALAR_DTYPES; t++)
        if (got == 4 && !strcmp(type, dtype_names[t]))
            b->dtype = (orr_dtype)t;
    b->row = got >= 3 ? orr__ew_find(name) : NULL;
    if (!b->row || b->row->arity != arity || b->dtype == ORR__SCALAR_DTYPES || b->n < 0)
        return false;
    *p += used;
    for (int k = 0; k <= arity; k++) {
        orr__scalar *v = calloc((size_t)b->n + 1, sizeof *v);
        if (!v)
            return false;
        if (k < arity)
            b->in[k] = v;
        else
            b->want = v;
    }
    for (int i = 0; i < b->n; i++) {
        char *end;
        for (int k = 0; k < arity; k++, *p = end)
            b->in[k][i] = operand(b, k, strtoull(*p, &end, 16));
        b->want[i] = from_bits(strtoull(*p, &end, 16), golden_result_dtype(b));
        if (end == *p)
            return false;
        *p = end;
    }
    while (**p == '\n')
        ++*p;
    return true;
}

bool golden_each(const char *file, void (*use)(const golden_block *b, void *user), void *user)
{
    char path[80], stem[8] = "";
    orr_dtype dtype = ORR__SCALAR_DTYPES;
    (void)snprintf(path, sizeof path, "elementwise/%s", file);
    (void)sscanf(file, "%7[a-z0-9]", stem);
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++)
        if (!strcmp(stem, dtype_names[t]))
            dtype = (orr_dtype)t;
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden(path), &size), *p = text;
    bool ok = text != NULL;
    while (ok && *p) {
        golden_block b = { 0 };
        ok = read_block(&p, dtype, &b);
        if (ok)
            use(&b, user);
        for (int k = 0; k < 3; k++)
            free(b.in[k]);
        free(b.want);
    }
    free(text);
    return ok;
}

double golden_ulps(orr_dtype t, double got, double want, double scale)
{
    int p = t == ORR_F64 ? 53 : t == ORR_F32 ? 24 : t == ORR_F16 ? 11 : 8;
    int emin = t == ORR_F64 ? -1022 : t == ORR_F16 ? -14 : -126;
    double top = t == ORR_F64   ? 0x1.fffffffffffffp1023
                 : t == ORR_F32 ? 0x1.fffffep127
                 : t == ORR_F16 ? 65504
                                : 0x1.fep127;
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (got == want)
        return signbit(got) == signbit(want) ? 0 : INFINITY;
    if (isinf(got) || isinf(want)) { /* infinity is the number after the largest */
        double other = isinf(got) ? want : got, inf = isinf(got) ? got : want;
        return signbit(other) != signbit(inf) ? INFINITY : 1 + golden_ulps(t, fabs(other), top, 0);
    }
    int e = emin;
    double m = fmax(fabs(want), isfinite(scale) ? fabs(scale) : 0);
    if (m > 0)
        (void)frexp(m, &e);
    e = e - 1 < emin ? emin : e - 1;
    return fabs(ldexp(got, -e) - ldexp(want, -e)) / ldexp(1, 1 - p);
}

bool golden_close(const golden_block *b, int i, orr__scalar got, double *ulps)
{
    orr_dtype t = golden_result_dtype(b);
    *ulps = 0;
    if (!orr__is_float(t))
        return got.u == b->want[i].u;
    double scale = 0;
    if (!strcmp(b->row->op.name, "logaddexp")) /* as documented in its row */
        scale = fmax(fabs(b->in[0][i].f), fabs(b->in[1][i].f));
    *ulps = golden_ulps(t, got.f, b->want[i].f, scale);
    return *ulps <= (orr__is_half(t) ? 1 : b->row->ulp + 0.5 * (b->row->ulp > 0));
}

const char *golden_text(const golden_block *b, int i, orr__scalar got, char *buf, size_t size)
{
    int n = snprintf(buf, size, "%s %s(", b->row->op.name, dtype_names[b->dtype]);
    for (int k = 0; k < b->row->arity && n > 0 && (size_t)n < size; k++)
        n += snprintf(buf + n, size - (size_t)n, "%s%.17g", k ? ", " : "",
                      orr__scalar_f64(b->in[k][i], k == 0 && b->row->cond ? ORR_BOOL : b->dtype));
    orr_dtype t = golden_result_dtype(b);
    if (n > 0 && (size_t)n < size)
        (void)snprintf(buf + n, size - (size_t)n, ") = %.17g, not %.17g", orr__scalar_f64(b->want[i], t),
                       orr__scalar_f64(got, t));
    return buf;
}
