/* Shape arithmetic with checked sizes, axes, shapes as text.
 * Must not know: tensors, devices. */
#include "config.h"
#include "runtime/base/shape.h"

#include <stdio.h>
#include <string.h>

bool orr__mul64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool orr__shape_valid(const orr_shape *s)
{
    if (s->rank < 0 || s->rank > ORR_MAX_RANK)
        return false;
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] < 0)
            return false;
    return orr__shape_count(s) >= 0;
}

/* An empty dimension does not excuse the others: (0, 2^62, 2^62) would overflow the strides. */
int64_t orr__shape_count(const orr_shape *s)
{
    int64_t n = 1;
    bool empty = false;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] == 0)
            empty = true;
        else if (!orr__mul64(n, s->dim[i], &n))
            return -1;
    }
    return n > INT64_MAX / 8 ? -1 : empty ? 0 : n;
}

bool orr__shape_broadcast(const orr_shape *a, const orr_shape *b, orr_shape *out)
{
    orr_shape r = { .rank = a->rank > b->rank ? a->rank : b->rank };
    for (int i = 0; i < r.rank; i++) {
        int ia = i - (r.rank - a->rank), ib = i - (r.rank - b->rank);
        int64_t da = ia < 0 ? 1 : a->dim[ia], db = ib < 0 ? 1 : b->dim[ib];
        if (da != db && da != 1 && db != 1)
            return false;
        r.dim[i] = da == 1 ? db : da;
    }
    if (orr__shape_count(&r) < 0)
        return false;
    *out = r;
    return true;
}

void orr__shape_strides(const orr_shape *s, int64_t stride[ORR_MAX_RANK])
{
    int64_t n = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->dim[i];
    }
}

int orr__axis(int axis, int rank)
{
    if (axis < -rank || axis >= rank)
        return -1;
    return axis < 0 ? axis + rank : axis;
}

bool orr__axes_mask(orr_axes a, int rank, uint32_t *mask)
{
    if (a.n > ORR_MAX_RANK)
        return false;
    if (a.n < 0) {
        *mask = (1u << rank) - 1u;
        return a.n == -1;
    }
    uint32_t m = 0;
    for (int i = 0; i < a.n; i++) {
        int k = orr__axis(a.axis[i], rank);
        if (k < 0 || (m & (1u << k)))
            return false;
        m |= 1u << k;
    }
    *mask = m;
    return true;
}

char *orr_shape_format(orr_shape s, char *buf, size_t size)
{
    if (!buf || size < 2)
        return buf;
    if (s.rank < 0 || s.rank > ORR_MAX_RANK) {
        snprintf(buf, size, "(rank %d)", s.rank);
        return buf;
    }
    size_t n = 0;
    buf[n++] = '(';
    buf[n] = '\0';
    for (int i = 0; i < s.rank; i++) {
        int w = snprintf(buf + n, size - n, "%s%lld", i ? ", " : "", (long long)s.dim[i]);
        if (w < 0 || (size_t)w >= size - n)
            return buf;
        n += (size_t)w;
    }
    snprintf(buf + n, size - n, "%s)", s.rank == 1 ? "," : "");
    return buf;
}

orr__shape_str orr__str(orr_shape s)
{
    orr__shape_str r;
    orr_shape_format(s, r.s, sizeof r.s);
    return r;
}

bool orr__shape_squeeze_equal(const orr_shape *a, const orr_shape *b)
{
    int x = 0, y = 0;
    for (;;) {
        while (x < a->rank && a->dim[x] == 1)
            x++;
        while (y < b->rank && b->dim[y] == 1)
            y++;
        if (x == a->rank || y == b->rank)
            return x == a->rank && y == b->rank;
        if (a->dim[x++] != b->dim[y++])
            return false;
    }
}
