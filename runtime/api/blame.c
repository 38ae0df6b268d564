/* Blame: the first element of a value that a check has found, and the line, the operation and the element in words.
 * Must not know: the fault that is looked for, plans. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include "ops/record.h"
#include "runtime/api/blame.h"
#include "runtime/base/decimal.h"

orr__node *orr__blame_any(orr__site at, orr__node *bits)
{
    static const orr_shape scalar = { .rank = 0 };
    uint32_t all = bits ? (1u << bits->shape.rank) - 1 : 0;
    return orr__rec_reshape(at, all ? orr__rec_reduce(at, bits, ORR__RANY, all, ORR_BOOL) : bits, &scalar);
}

orr__node *orr__blame_first(orr__site at, orr__node *bits)
{
    if (!bits)
        return NULL;
    const orr_shape scalar = { .rank = 0 }, line = ORR_SHAPE(orr__shape_count(&bits->shape));
    orr__node *bad = orr__rec_reshape(at, bits, &line),
              *number = orr__rec_iota(at, ORR_I64, &line, 0, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = 1 }),
              *count = orr__rec_const(at, ORR_I64, &line, (orr__scalar){ .i = line.dim[0] });
    orr__node *first = orr__rec_where(at, bad, number, count);
    return orr__rec_reshape(at, orr__rec_reduce(at, first, ORR__RMIN, 1, ORR_I64), &scalar);
}

orr__node *orr__blame_elements(orr__site at, orr__node *n, int64_t e, int64_t count)
{
    const orr_shape line = ORR_SHAPE(orr__shape_count(&n->shape)), some = ORR_SHAPE(count);
    return orr__rec_slice(at, orr__rec_reshape(at, orr__node_ref(n), &line), &some, &e, (int64_t[]){ 1 });
}

orr__scalar orr__blame_number(const orr__node *n, bool *known)
{
    orr__buffer *b = n ? orr__node_value(n) : NULL;
    *known = b && orr__buffer_sync(b) == ORR_OK;
    return *known ? orr__scalar_load(b->host, (orr_dtype)n->dtype) : (orr__scalar){ .i = 0 };
}

bool orr__blame_is_set(const orr__node *bit)
{
    bool known;
    orr__scalar v = orr__blame_number(bit, &known);
    return known && v.u != 0;
}

void orr__blame_append(char *text, size_t size, const char *fmt, ...)
{
    va_list args;
    size_t at = strlen(text);
    va_start(args, fmt);
    (void)orr__decimal_vprint(text + at, size - at, fmt, args);
    va_end(args);
}

void orr__blame_place(char *text, size_t size, const orr_shape *shape, int64_t e)
{
    int64_t index[ORR_MAX_RANK];
    for (int d = shape->rank - 1; d >= 0; d--) {
        index[d] = e % shape->dim[d];
        e /= shape->dim[d];
    }
    orr__blame_append(text, size, shape->rank ? "element [" : "the element");
    for (int d = 0; d < shape->rank; d++)
        orr__blame_append(text, size, "%lld%s", (long long)index[d], d < shape->rank - 1 ? ", " : "]");
}

void orr__blame_value(char *text, size_t size, const orr__node *n)
{
    bool known;
    orr_dtype t = (orr_dtype)n->dtype;
    orr__scalar v = orr__blame_number(n, &known);
    if (!known)
        orr__blame_append(text, size, "unknown");
    else if (orr__is_float(t))
        orr__blame_append(text, size, "%.9g", orr__scalar_f64(v, t));
    else if (orr__is_signed(t))
        orr__blame_append(text, size, "%lld", (long long)v.i);
    else
        orr__blame_append(text, size, "%llu", (unsigned long long)v.u);
}

const char *orr__blame_name(const orr__capture *p, int i)
{
    static const char *const fold[] = { "sum", "prod", "max", "min", "any", "all" };
    const orr__node *n = p->node[i];
    return p->leaf_of[i] >= 0                    ? "data"
           : n->as                               ? n->as
           : n->op->flags & ORR__OP_UNIFORM      ? "number"
           : n->op->pattern == ORR__PATTERN_FOLD ? fold[n->attr.rop]
                                                 : n->op->name;
}

bool orr__blame_is_new(const char *file, int line)
{
    enum { PLACES = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const char *file;
        int line;
    } said[PLACES];
    static int nsaid;
    bool seen = false;
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < nsaid && !seen; i++)
        seen = said[i].line == line && said[i].file == file;
    seen = seen || nsaid == PLACES;
    if (!seen) {
        said[nsaid].file = file;
        said[nsaid++].line = line;
    }
    (void)pthread_mutex_unlock(&lock);
    return !seen;
}

bool orr__blame_may_repeat(const orr__capture *p)
{
    bool may = true;
    for (int i = 0; i < p->n && may; i++)
        may = !p->node[i]->once;
    return may;
}
