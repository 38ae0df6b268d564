/* Subnormal numbers: processors compute with them by microcode, some hundred times slower than with others.
 * Must not know: StarPU. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/element.h"
#include "runtime/engine/denormals.h"

enum { LINES = 256, TOLD = 5 }; /* lines of the program that are remembered, and told */

typedef struct {
    const char *file;
    char op[64];
    int line;
    uint64_t subnormal, all;
} line_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static line_count counted[LINES];
static int nlines;

#define COUNT(name, word, exponent, fraction)                                                                          \
    static uint64_t name(const void *p, int64_t n)                                                                     \
    {                                                                                                                  \
        const word *v = p;                                                                                             \
        uint64_t count = 0;                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                \
            count += (v[i] & (word)(exponent)) == 0 && (v[i] & (word)(fraction)) != 0;                                 \
        return count;                                                                                                  \
    }
COUNT(count_f16, uint16_t, 0x7c00, 0x03ff)
COUNT(count_bf16, uint16_t, 0x7f80, 0x007f)
COUNT(count_f32, uint32_t, 0x7f800000, 0x007fffff)
COUNT(count_f64, uint64_t, 0x7ff0000000000000, 0x000fffffffffffff)

static uint64_t count(orr_dtype part, const void *p, int64_t n)
{
    switch (part) {
    case ORR_F16: return count_f16(p, n);
    case ORR_BF16: return count_bf16(p, n);
    case ORR_F32: return count_f32(p, n);
    case ORR_F64: return count_f64(p, n);
    default: return 0;
    }
}

static void add(orr__site at, uint64_t subnormal, uint64_t all)
{
    (void)pthread_mutex_lock(&lock);
    int i = 0;
    while (i < nlines && !(counted[i].line == at.line && counted[i].file == at.file && !strcmp(counted[i].op, at.op)))
        i++;
    if (i == nlines && nlines < LINES) {
        counted[i] = (line_count){ .file = at.file, .line = at.line };
        (void)snprintf(counted[i].op, sizeof counted[i].op, "%s", at.op);
        nlines++;
    }
    if (i < nlines) {
        counted[i].subnormal += subnormal;
        counted[i].all += all;
    }
    (void)pthread_mutex_unlock(&lock);
}

void orr__denormals_count(const orr__launch *l)
{
    const orr__region *r = l->region;
    uint64_t subnormal = 0, all = 0;
    bool whole = l->lo == 0 && l->hi == r->dim[0];
    int64_t row = whole || r->dim[0] == 0 ? 0 : r->out_count / r->dim[0];
    for (int k = 0; k < r->nout; k++) {
        orr_dtype t = (orr_dtype)r->out_dtype[k], part = orr__part_dtype(t);
        int64_t n = whole ? r->out_count : (l->hi - l->lo) * row, parts = part == t ? 1 : 2;
        if (!orr__is_float(part))
            continue;
        subnormal += count(part, (const char *)l->out[k] + (size_t)(l->lo * row) * orr_dtype_size(t), n * parts);
        all += (uint64_t)(n * parts);
    }
    if (subnormal)
        add(orr__region_site(r), subnormal, all);
}

static int more_first(const void *a, const void *b)
{
    const line_count *x = a, *y = b;
    return (x->subnormal < y->subnormal) - (x->subnormal > y->subnormal);
}

void orr__denormals_report(void)
{
    (void)pthread_mutex_lock(&lock);
    qsort(counted, (size_t)nlines, sizeof *counted, more_first);
    for (int i = 0; i < nlines && i < TOLD; i++)
        orr__log(1,
                 "%s:%d: %s: %llu of %llu numbers written are subnormal, which are slow to compute with; "
                 "ORRERY_FLUSH_DENORMALS=on takes them for zero",
                 counted[i].file ? counted[i].file : "?", counted[i].line, counted[i].op,
                 (unsigned long long)counted[i].subnormal, (unsigned long long)counted[i].all);
    nlines = 0;
    (void)pthread_mutex_unlock(&lock);
}
