/* The kernels of resizing along an axis, forward and backward: one work item per element of the result. Positions are
 * integers, and their fraction is rounded once, so that f32 is precise enough.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/resize.h"

enum { FROM = ORR__CALL_OWN, TO, INNER, INNER_BY, MODE, CORNERS, END };

static int words(const orr__region *r)
{
    (void)r;
    return END - ORR__CALL_OWN;
}

static void fill(int64_t *word, const orr__resize *v)
{
    word[FROM] = v->from;
    word[TO] = v->to;
    orr__emit_divide(word + INNER, v->inner);
    word[MODE] = v->mode;
    word[CORNERS] = v->corners;
}

static void fill_to(const orr__launch *l, int64_t *word)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    fill(word, &v);
}

static void fill_from(const orr__launch *l, int64_t *word)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.out, &l->region->call.in[0]);
    fill(word, &v);
}

/* `at`: the element's place on the axis, of length `length`. s = (to·by_one + shift)/by is the position of element
 * `to`. */
static void begin(orr__text *t, const char *at, const char *length)
{
    orr__emit_quotient(t, "line", "e", INNER);
    orr__text_addf(t,
                   "    const orr_i64 m = W(%d), n = W(%d), mode = W(%d), corners = W(%d);\n"
                   "    const orr_idx inner = (orr_idx)W(%d), within = e - line * inner;\n"
                   "    const orr_idx %s = line %% (orr_idx)%s, outer = line / (orr_idx)%s;\n"
                   "    const orr_i64 by = corners ? (m > 1 ? m - 1 : 1) : 2 * m, shift = corners ? 0 : n - m;\n"
                   "    const orr_i64 by_one = corners ? (m > 1 ? n - 1 : 0) : 2 * n;\n",
                   TO, FROM, MODE, CORNERS, INNER, at, length, length);
}

/* The `count` neighbours of element `to` from `first` on, and their weights. */
static void neighbours(orr__text *t, const char *type)
{
    /* The integer part of s goes to `first`, the fraction to f. */
    orr__text_addf(t,
                   "    orr_i64 up = by_one * to + shift;\n"
                   "    if (mode == %d && up < 0)\n        up = 0;\n"
                   "    orr_i64 first = (up >= 0 ? up : up - by + 1) / by, count = 1;\n"
                   "    const %s f = (%s)(up - first * by) / (%s)by, g = 1 - f, u = f + 1, v = g + 1, a = (%s)-0.75f;\n"
                   "    %s w0 = 1, w1 = 0, w2 = 0, w3 = 0;\n",
                   ORR_RESIZE_LINEAR, type, type, type, type, type);
    orr__text_addf(t,
                   "    if (mode == %d || mode == %d)\n        first = to * n / m;\n"
                   "    if (mode == %d)\n        first = (2 * (orr_i64)to + 1) * n / (2 * m);\n"
                   "    if (mode == %d) {\n        count = (((orr_i64)to + 1) * n + m - 1) / m - first;\n"
                   "        w0 = w1 = w2 = w3 = 1 / (%s)count;\n    }\n",
                   ORR_RESIZE_NEAREST, ORR_RESIZE_AREA, ORR_RESIZE_NEAREST_CENTRE, ORR_RESIZE_AREA, type);
    orr__text_addf(t,
                   "    if (mode == %d) {\n        count = 2;\n        w0 = g;\n        w1 = f;\n    }\n"
                   "    if (mode == %d) {\n        count = 4;\n        first -= 1;\n"
                   "        w0 = ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;\n"
                   "        w1 = ((a + 2) * f - (a + 3)) * f * f + 1;\n"
                   "        w2 = ((a + 2) * g - (a + 3)) * g * g + 1;\n"
                   "        w3 = ((a * v - 5 * a) * v + 8 * a) * v - 4 * a;\n    }\n"
                   "    for (orr_i64 k = 0; k < count; k++) {\n        orr_i64 at = first + k;\n"
                   "        at = at < 0 ? 0 : at < n ? at : n - 1;\n"
                   "        const %s w = k == 0 ? w0 : k == 1 ? w1 : k == 2 ? w2 : w3;\n",
                   ORR_RESIZE_LINEAR, ORR_RESIZE_CUBIC, type);
}

static void text_to(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    const char *type = orr__emit_type((orr_dtype)r->out_dtype[0]);
    begin(t, "to", "m");
    orr__text_addf(t, "    %s sum = 0;\n", type);
    neighbours(t, type);
    orr__text_addf(
        t,
        "        sum += w * in0[(orr_idx)W(%d) + (outer * (orr_idx)n + (orr_idx)at) * inner + within];\n    }\n"
        "    out0[(orr_idx)W(%d) + e] = sum;\n",
        in_at, l->out_at);
}

/* An element is the sum, in order, of the results that read it: those near its own place. */
static void text_from(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    enum { NEAR = 3 };
    const char *type = orr__emit_type((orr_dtype)r->out_dtype[0]);
    begin(t, "from", "n");
    orr__text_addf(t,
                   "    %s sum = 0;\n"
                   "    orr_i64 lo = by_one ? ((from - %d) * by - shift) / by_one - %d : 0;\n"
                   "    orr_i64 hi = by_one ? ((from + %d) * by - shift) / by_one + %d : m;\n"
                   "    lo = lo < 0 ? 0 : lo;\n    hi = hi < m ? hi : m;\n"
                   "    for (orr_i64 to = lo; to < hi; to++) {\n",
                   type, NEAR, NEAR, NEAR, NEAR);
    neighbours(t, type);
    orr__text_addf(t,
                   "        if (at == from)\n"
                   "            sum += w * in0[(orr_idx)W(%d) + (outer * (orr_idx)m + (orr_idx)to) * inner + within];\n"
                   "    }\n    }\n    out0[(orr_idx)W(%d) + e] = sum;\n",
                   in_at, l->out_at);
}

const orr__emit_call orr__emit_kernel_resize = { .words = words, .fill = fill_to, .text = text_to };
const orr__emit_call orr__emit_kernel_resize_back = { .words = words, .fill = fill_from, .text = text_from };
