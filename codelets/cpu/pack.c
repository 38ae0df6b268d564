/* A launch of compiled loops that read copies: parts of axis 0, each as large as fits into a core's caches.
 * Must not know: why a copy pays, the text of loops. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/turn.h"
#include "codelets/nest/cloop.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* The most copies of a region. */
enum { MOST = 16 };

/* Copies rows [lo, hi) of access a to `to`, in the order of p. */
static void copy(const orr__launch *l, int a, const orr__packed *p, int64_t lo, int64_t hi, char *to)
{
    const orr__region *r = l->region;
    const orr__access *x = &r->access[a];
    size_t size = orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    int last = r->rank - 1, across = -1;
    int64_t index[ORR__REGION_RANK] = { 0 };
    for (int d = 0; d < last; d++) {
        int64_t best = across < 0 ? 0 : x->stride[across], s = x->stride[d];
        if (s && r->dim[d] > 1 && (across < 0 || (s < 0 ? -s : s) < (best < 0 ? -best : best)))
            across = d;
    }
    orr__sheet s = { .across = across < 0 ? 1
                               : across   ? r->dim[across]
                                          : hi - lo,
                     .along = r->dim[last],
                     .from_across = across < 0 ? 0 : x->stride[across],
                     .from_along = x->stride[last],
                     .to_across = across < 0 ? 0 : p->stride[across] };
    for (int d = 0; d >= 0;) {
        int64_t from = x->offset + lo * x->stride[0] - (l->in_off ? l->in_off[x->input] : 0), into = 0;
        for (int k = 0; k < last; k++) {
            from += index[k] * x->stride[k];
            into += index[k] * p->stride[k];
        }
        s.from = (const char *)l->in[x->input] + from * (int64_t)size;
        s.to = to + into * (int64_t)size;
        orr__turn(&s, size);
        for (d = last - 1; d >= 0; index[d--] = 0)
            if (d != across && x->stride[d] && ++index[d] < (d ? r->dim[d] : hi - lo))
                break;
    }
}

bool orr__cpu_packed_launch(orr__cfn *fn, const orr__launch *l, int64_t *word)
{
    const orr__region *r = l->region;
    struct {
        orr__packed p;
        int access;
        int64_t bytes; /* of a row, or of all rows */
        char *at;
    } copies[MOST];
    int64_t fixed = 0, by_row = 0, rows = l->hi - l->lo, step = rows;
    int n = 0;
    for (int a = 0; a < r->naccess && n < MOST; a++)
        if (orr__emit_c_packed(r, a, &copies[n].p)) {
            copies[n].access = a;
            copies[n].bytes = copies[n].p.count * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[copies[n].p.input]);
            *(copies[n].p.by_row ? &by_row : &fixed) += copies[n].bytes + (copies[n].p.by_row ? 0 : ORR__CACHE_LINE);
            n++;
        }
    if (by_row && !(r->rmask & 1u)) {
        step = ORR__CACHE_SHARE / by_row / ORR__VECTOR * ORR__VECTOR;
        step = ORR__MAX(ORR__VECTOR, step);
        step = ORR__MIN(rows, step);
    }
    char *memory = orr__scratch_for(ORR__FOR_COPIES, (size_t)(fixed + by_row * step + ORR__CACHE_LINE * (n + 1)));
    void *in[64];
    int nin = r->nin + (orr__emit_c_keeps(r) > 0);
    if (!memory || nin + n > (int)(sizeof in / sizeof *in))
        return false;
    memcpy(in, l->in, (size_t)nin * sizeof *in);
    for (int k = 0; k < n; k++) {
        in[nin + k] = copies[k].at = memory;
        memory += (copies[k].bytes * (copies[k].p.by_row ? step : 1) + ORR__CACHE_LINE - 1) / ORR__CACHE_LINE *
                  ORR__CACHE_LINE;
        if (!copies[k].p.by_row)
            copy(l, copies[k].access, &copies[k].p, l->lo, l->hi, copies[k].at);
    }
    orr__launch part = *l;
    part.in = in;
    for (part.lo = l->lo; part.lo < l->hi; part.lo = part.hi) {
        part.hi = l->hi - part.lo < step ? l->hi : part.lo + step;
        for (int k = 0; k < n; k++)
            if (copies[k].p.by_row)
                copy(l, copies[k].access, &copies[k].p, part.lo, part.hi, copies[k].at);
        orr__emit_c_args(&part, true, word);
        if (fn(in, l->out, word) != 0)
            return false;
    }
    return true;
}
