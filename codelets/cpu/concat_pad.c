/* Concatenation and padding: copies of contiguous runs.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/buffers.h"

void orr__cpu_fill(void *dst, size_t size, const void *value, int64_t n)
{
    char *d = dst;
    if (n <= 0)
        return;
    memcpy(d, value, size);
    for (int64_t done = 1; done < n;) { /* doubling copies: few calls, any element size */
        int64_t more = done < n - done ? done : n - done;
        memcpy(d + (size_t)done * size, d, (size_t)more * size);
        done += more;
    }
}

orr_status orr__cpu_concat(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    size_t z = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    int64_t inner = 1, per = r->dim[0] ? r->out_count / r->dim[0] : 0, from = l->lo * per, to = l->hi * per;
    for (int d = r->attr.axis + 1; d < r->shape.rank; d++)
        inner *= r->shape.dim[d];
    int64_t row = r->shape.dim[r->attr.axis] * inner;
    for (int64_t o = row ? from / row : 0; row && o * row < to; o++) {
        int64_t at = o * row;
        for (int k = 0; k < r->nin; k++) {
            int64_t len = r->in_shape[k].dim[r->attr.axis] * inner;
            int64_t a = at > from ? at : from, b = at + len < to ? at + len : to;
            if (a < b)
                memcpy((char *)l->out[0] + (size_t)a * z, (const char *)l->in[k] + (size_t)(o * len + a - at) * z,
                       (size_t)(b - a) * z);
            at += len;
        }
    }
    return ORR_OK;
}

/* Elements [from, to) of the output, which lie in one row of the last axis, beginning at row·width. */
static void pad_run(const orr__launch *l, int64_t row, int64_t from, int64_t to, const void *value, size_t z)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->in_shape[0];
    int last = r->shape.rank - 1;
    int64_t width = r->shape.dim[last], rest = row, src = 0, below = 1, low = r->attr.start[last];
    bool inside = true;
    char *out = l->out[0];
    for (int d = last - 1; d >= 0; d--) {
        int64_t i = rest % r->shape.dim[d] - r->attr.start[d];
        rest /= r->shape.dim[d];
        inside = inside && i >= 0 && i < s->dim[d];
        src += i * below;
        below *= s->dim[d];
    }
    int64_t a = row * width + low, b = a + s->dim[last]; /* the input's part of this row */
    a = a < from ? from : a;
    b = b > to ? to : b;
    if (!inside || a >= b) {
        orr__cpu_fill(out + (size_t)from * z, z, value, to - from);
        return;
    }
    orr__cpu_fill(out + (size_t)from * z, z, value, a - from);
    memcpy(out + (size_t)a * z, (const char *)l->in[0] + (size_t)(src * s->dim[last] + a - row * width - low) * z,
           (size_t)(b - a) * z);
    orr__cpu_fill(out + (size_t)b * z, z, value, to - b);
}

orr_status orr__cpu_pad(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->out_dtype[0];
    size_t z = orr_dtype_size(t);
    unsigned char value[8];
    orr__scalar_store(value, t, l->scalar[r->slot]);
    if (r->shape.rank == 0) {
        memcpy(l->out[0], l->in[0], z);
        return ORR_OK;
    }
    int64_t width = r->shape.dim[r->shape.rank - 1], per = r->dim[0] ? r->out_count / r->dim[0] : 0;
    for (int64_t e = l->lo * per, end = l->hi * per; e < end;) {
        int64_t row = e / width, to = (row + 1) * width < end ? (row + 1) * width : end;
        pad_run(l, row, e, to, value, z);
        e = to;
    }
    return ORR_OK;
}
