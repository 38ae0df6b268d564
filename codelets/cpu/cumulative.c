/* Sums and products along an axis: one running value per line. Lines that are neighbours in memory are computed side by
 * side.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "codelets/cpu/half.h"
#include "runtime/base/element.h"
#include "runtime/base/threshold.h"

enum { LINES = 4 * ORR__VECTOR }; /* lines side by side: their values stay in registers and the first cache */
/* Contiguous lines that are computed in parallel, since each waits for its previous sum. More lines evict each other's
 * cache lines. */
enum { CHAINS = 4 };

/* start: one initial value per line, or NULL. */
typedef void scan_fn(const void *from, const void *start, void *to, int64_t outer, int64_t length, int64_t inner);

/* Floats are computed one size wider and rounded once, when they are stored. */
#define SCAN(name, T, WIDE, load, store, op, identity)                                                                 \
    static void name(const void *from, const void *start, void *to, int64_t outer, int64_t length, int64_t inner)      \
    {                                                                                                                  \
        int64_t done = 0;                                                                                              \
        for (; inner == 1 && outer - done >= CHAINS; done += CHAINS) {                                                 \
            const T *x = (const T *)from + done * length;                                                              \
            T *y = (T *)to + done * length;                                                                            \
            WIDE value[CHAINS];                                                                                        \
            _Pragma("GCC unroll 4") for (int i = 0; i < CHAINS; i++) value[i] =                                        \
                start ? ((const WIDE *)start)[done + i] : (WIDE)identity;                                              \
            for (int64_t k = 0; k < length; k++)                                                                       \
                _Pragma("GCC unroll 4") for (int i = 0; i < CHAINS; i++)                                               \
                {                                                                                                      \
                    value[i] = value[i] op load(x[i * length + k]);                                                    \
                    y[i * length + k] = store(value[i]);                                                               \
                }                                                                                                      \
        }                                                                                                              \
        for (int64_t o = done; o < outer; o++)                                                                         \
            for (int64_t first = 0; first < inner; first += LINES) {                                                   \
                const T *x = (const T *)from + o * length * inner + first;                                             \
                T *y = (T *)to + o * length * inner + first;                                                           \
                int64_t n = inner - first < LINES ? inner - first : LINES;                                             \
                WIDE value[LINES];                                                                                     \
                for (int64_t i = 0; i < n; i++)                                                                        \
                    value[i] = start ? ((const WIDE *)start)[o * inner + first + i] : (WIDE)identity;                  \
                for (int64_t k = 0; k < length; k++, x += inner, y += inner)                                           \
                    for (int64_t i = 0; i < n; i++) {                                                                  \
                        value[i] = value[i] op load(x[i]);                                                             \
                        y[i] = store(value[i]);                                                                        \
                    }                                                                                                  \
            }                                                                                                          \
    }
/* Elements of a field. */
#define FIELD_SCAN(name, dtype, op, identity)                                                                          \
    static void name(const void *from, const void *start, void *to, int64_t outer, int64_t length, int64_t inner)      \
    {                                                                                                                  \
        const orr__mod *m = orr__modulus(dtype);                                                                       \
        for (int64_t o = 0; o < outer; o++)                                                                            \
            for (int64_t i = 0; i < inner; i++) {                                                                      \
                const orr__fe *x = (const orr__fe *)from + o * length * inner + i;                                     \
                orr__fe *y = (orr__fe *)to + o * length * inner + i;                                                   \
                orr__fe value = start ? ((const orr__fe *)start)[o * inner + i] : identity;                            \
                for (int64_t k = 0; k < length; k++)                                                                   \
                    y[k * inner] = value = op(value, x[k * inner], m);                                                 \
            }                                                                                                          \
    }
FIELD_SCAN(sum_fr254, ORR_FR254, fe_add, ((orr__fe){ { 0 } }))
FIELD_SCAN(sum_fq254, ORR_FQ254, fe_add, ((orr__fe){ { 0 } }))
FIELD_SCAN(prod_fr254, ORR_FR254, fe_mul, m->one)
FIELD_SCAN(prod_fq254, ORR_FQ254, fe_mul, m->one)

/* Products of complex numbers. */
#define COMPLEX_SCAN(name, T)                                                                                          \
    static void name(const void *from, const void *start, void *to, int64_t outer, int64_t length, int64_t inner)      \
    {                                                                                                                  \
        (void)start;                                                                                                   \
        for (int64_t o = 0; o < outer; o++)                                                                            \
            for (int64_t i = 0; i < inner; i++) {                                                                      \
                const T *x = (const T *)from + 2 * (o * length * inner + i);                                           \
                T *y = (T *)to + 2 * (o * length * inner + i);                                                         \
                double re = 1, im = 0;                                                                                 \
                for (int64_t k = 0; k < length; k++, x += 2 * inner, y += 2 * inner) {                                 \
                    double a = (double)x[0], b = (double)x[1], next = k ? re * a - im * b : a;                         \
                    im = k ? re * b + im * a : b;                                                                      \
                    re = next;                                                                                         \
                    y[0] = (T)re;                                                                                      \
                    y[1] = (T)im;                                                                                      \
                }                                                                                                      \
            }                                                                                                          \
    }
COMPLEX_SCAN(prod_c64, float)
COMPLEX_SCAN(prod_c128, double)

#define SCANS(word, op, identity)                                                                                      \
    SCAN(word##_f16, uint16_t, float, vh_from_f16, vh_to_f16, op, identity)                                            \
    SCAN(word##_bf16, uint16_t, float, vh_from_bf16, vh_to_bf16, op, identity)                                         \
    SCAN(word##_f32, float, double, (double), (float), op, identity)                                                   \
    SCAN(word##_f64, double, double, (double), (double), op, identity)                                                 \
    SCAN(word##_i64, uint64_t, uint64_t, (uint64_t), (uint64_t), op, identity)                                         \
    static scan_fn *word##_of(orr_dtype t)                                                                             \
    {                                                                                                                  \
        return t == ORR_F16     ? word##_f16                                                                           \
               : t == ORR_BF16  ? word##_bf16                                                                          \
               : t == ORR_F32   ? word##_f32                                                                           \
               : t == ORR_F64   ? word##_f64                                                                           \
               : t == ORR_FR254 ? word##_fr254                                                                         \
               : t == ORR_FQ254 ? word##_fq254                                                                         \
                                : word##_i64;                                                                          \
    }
SCANS(sum, +, 0)
SCANS(prod, *, 1)

/* The values from which the chunks of a line start. A chunk's own sum or product counts only where no value on the way to
 * its end can overflow or underflow: the values are those of one pass over the line. */
typedef void starts_fn(const void *from, const void *ends, const void *bounds, void *to, int64_t outer, int64_t chunks,
                       int64_t length, int64_t inner);
#define FITS_SUM(value, bound, WIDE) ((double)fabs((double)(value)) + (double)(bound) < WIDE##_LARGEST)
#define FITS_PROD(value, bound, WIDE) (fabs(log2(fabs((double)(value)))) + (double)(bound) < WIDE##_POWERS)
#define float_LARGEST 1e38   /* limit of arithmetic */
#define float_POWERS 120     /* limit of arithmetic */
#define double_LARGEST 1e308 /* limit of arithmetic */
#define double_POWERS 1000   /* limit of arithmetic */
#define STARTS(name, T, WIDE, load, op, identity, fits)                                                                \
    static void name(const void *from, const void *ends, const void *bounds, void *to, int64_t outer, int64_t chunks,  \
                     int64_t length, int64_t inner)                                                                    \
    {                                                                                                                  \
        for (int64_t o = 0; o < outer; o++)                                                                            \
            for (int64_t i = 0; i < inner; i++) {                                                                      \
                WIDE value = (WIDE)identity;                                                                           \
                for (int64_t c = o * chunks; c < (o + 1) * chunks; c++) {                                              \
                    const T *x = (const T *)from + c * length * inner + i;                                             \
                    ((WIDE *)to)[c * inner + i] = value;                                                               \
                    if (fits(value, ((const WIDE *)bounds)[c * inner + i], WIDE))                                      \
                        value = value op((const WIDE *)ends)[c * inner + i];                                           \
                    else                                                                                               \
                        for (int64_t k = 0; k < length && !isnan(value); k++)                                          \
                            value = value op load(x[k * inner]);                                                       \
                }                                                                                                      \
            }                                                                                                          \
    }
#define STARTS_OF(word, op, identity, fits)                                                                            \
    STARTS(word##_starts_f16, uint16_t, float, vh_from_f16, op, identity, fits)                                        \
    STARTS(word##_starts_bf16, uint16_t, float, vh_from_bf16, op, identity, fits)                                      \
    STARTS(word##_starts_f32, float, double, (double), op, identity, fits)                                             \
    STARTS(word##_starts_f64, double, double, (double), op, identity, fits)                                            \
    static starts_fn *word##_starts_of(orr_dtype t)                                                                    \
    {                                                                                                                  \
        return t == ORR_F16    ? word##_starts_f16                                                                     \
               : t == ORR_BF16 ? word##_starts_bf16                                                                    \
               : t == ORR_F32  ? word##_starts_f32                                                                     \
                               : word##_starts_f64;                                                                     \
    }
STARTS_OF(sum, +, 0, FITS_SUM)
STARTS_OF(prod, *, 1, FITS_PROD)

orr_status orr__cpu_kernel_cumulative_starts(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0], wide = (orr_dtype)r->out_dtype[0];
    int64_t chunks = r->call.out.dim[1], inner = r->call.out.dim[2], length = r->call.in[0].dim[2];
    size_t row = (size_t)(l->lo * chunks * inner), z = orr_dtype_size(wide);
    starts_fn *fn = r->call.attr.rop == ORR__RSUM ? sum_starts_of(t) : prod_starts_of(t);
    fn((const char *)l->in[0] + row * (size_t)length * orr_dtype_size(t), (const char *)l->in[1] + row * z,
       (const char *)l->in[2] + row * z, (char *)l->out[0] + row * z, l->hi - l->lo, chunks, length, inner);
    return ORR_OK;
}

static orr_status scan(const orr__launch *l, scan_fn *fn)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.out;
    int axis = r->call.attr.axis;
    size_t z = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    int64_t per = r->dim[0] ? r->out_count / r->dim[0] : 0, inner = 1, length = s->dim[axis];
    for (int d = axis + 1; d < s->rank; d++)
        inner *= s->dim[d];
    int64_t line = length * inner, outer = line ? (l->hi - l->lo) * per / line : 0;
    const char *from = (const char *)l->in[0] + (size_t)(l->lo * per) * z, *start = NULL;
    if (r->call.nin > 1 && line) /* one initial value per line */
        start =
            (const char *)l->in[1] + (size_t)(l->lo * per / line * inner) * orr_dtype_size((orr_dtype)r->in_dtype[1]);
    fn(from, start, (char *)l->out[0] + (size_t)(l->lo * per) * z, outer, length, inner);
    return ORR_OK;
}

orr_status orr__cpu_kernel_cumulative_sum(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return scan(l, sum_of((orr_dtype)l->region->out_dtype[0]));
}

orr_status orr__cpu_kernel_cumulative_prod(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    orr_dtype t = (orr_dtype)l->region->out_dtype[0];
    return scan(l, t == ORR_C64 ? prod_c64 : t == ORR_C128 ? prod_c128 : prod_of(t));
}

orr_status orr__cpu_kernel_cumulative_from(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    orr_dtype t = (orr_dtype)l->region->out_dtype[0];
    return scan(l, l->region->call.attr.rop == ORR__RSUM ? sum_of(t) : prod_of(t));
}
