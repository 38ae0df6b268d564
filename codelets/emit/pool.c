/* The kernels of pooling: one work item per window. In the gradient, one per element, which searches or adds the windows
 * that contain it.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/pool.h"

/* Words by name: lengths of x and y, window, stride, dilation, zeros in front. */
static const char *const names[] = { "xa", "xb", "xc", "ya", "yb", "yc", "wa", "wb", "wc",
                                     "sa", "sb", "sc", "da", "db", "dc", "pa", "pb", "pc" };
enum { WORDS = sizeof names / sizeof *names };

static int words(const orr__region *r)
{
    (void)r;
    return WORDS;
}

static void fill(const orr__launch *l, int64_t *word, const orr_shape *x, const orr_shape *y)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, x, y);
    const int64_t *const three[] = { v.x, v.y, v.window, v.stride, v.dilation, v.before };
    for (int k = 0; k < 6; k++)
        memcpy(word + ORR__CALL_OWN + 3 * k, three[k], 3 * sizeof *word);
}

static void fill_out(const orr__launch *l, int64_t *word)
{
    fill(l, word, &l->region->call.in[0], &l->region->call.out);
}

static void fill_in(const orr__launch *l, int64_t *word)
{
    fill(l, word, &l->region->call.in[0], &l->region->call.in[1]);
}

static void fill_back(const orr__launch *l, int64_t *word)
{
    fill(l, word, &l->region->call.out, &l->region->call.in[0]);
}

static void begin(orr__text *t)
{
    for (int k = 0; k < WORDS; k++)
        orr__text_addf(t, "    const orr_idx %s = (orr_idx)W(%d);\n", names[k], ORR__CALL_OWN + k);
}

/* Opens three loops over the elements (ja, jb, jc) of window (ia, ib, ic). */
static void elements(orr__text *t)
{
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t,
            "    const orr_idx f%c = s%c ? i%c * s%c - p%c : (orr_idx)((orr_i64)i%c * x%c / y%c);\n"
            "    const orr_idx e%c = s%c ? f%c + w%c * d%c : (orr_idx)((((orr_i64)i%c + 1) * x%c + y%c - 1) / y%c);\n",
            *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d);
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t, "    for (orr_idx j%c = f%c; j%c < e%c; j%c += d%c) {\n    if (j%c < 0 || j%c >= x%c) continue;\n", *d,
            *d, *d, *d, *d, *d, *d, *d, *d);
}

/* `best` and its place `at` in the plane of window (ia, ib, ic); −1: the window has no element. */
static void search(orr__text *t, const orr__region *r, int in_at)
{
    const char *type = orr__emit_type((orr_dtype)r->in_dtype[0]);
    orr__text_addf(t, "    %s best = 0;\n    orr_idx at = -1;\n", type);
    elements(t);
    orr__text_addf(t,
                   "    const orr_idx here = (ja * xb + jb) * xc + jc;\n"
                   "    const %s v = in0[(orr_idx)W(%d) + plane * (xa * xb * xc) + here];\n"
                   "    if (at < 0 || v > best || v != v) {\n    best = v;\n    at = here;\n    }\n    }}}\n",
                   type, in_at);
}

static void window(orr__text *t)
{
    begin(t);
    orr__text_add(
        t, "    const orr_idx ic = e % yc, ib = e / yc % yb, ia = e / yc / yb % ya, plane = e / yc / yb / ya;\n");
}

static void text_max(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    window(t);
    search(t, r, in_at);
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = at < 0 ? -(%s)orr_bits_f32(0x7f800000u) : best;\n", l->out_at,
                   orr__emit_type((orr_dtype)r->out_dtype[0]));
}

static void text_pick(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    window(t);
    search(t, r, in_at);
    orr__text_addf(t,
                   "    out0[(orr_idx)W(%d) + e] = at < 0 ? 0 : in1[(orr_idx)W(%d) + plane * (xa * xb * xc) + at];\n",
                   l->out_at, in_at + 1);
}

static void text_sum(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    window(t);
    orr__text_addf(t, "    %s sum = 0;\n", orr__emit_type((orr_dtype)r->out_dtype[0]));
    elements(t);
    orr__text_addf(t,
                   "    sum += in0[(orr_idx)W(%d) + plane * (xa * xb * xc) + (ja * xb + jb) * xc + jc];\n    }}}\n"
                   "    out0[(orr_idx)W(%d) + e] = sum;\n",
                   in_at, l->out_at);
}

/* Opens three loops over the windows (ia, ib, ic) that may contain element (ua, ub, uc): on each axis those between the first and the last
 * that reach it. */
static void windows(orr__text *t, const orr__region *r)
{
    begin(t);
    orr__text_add(
        t, "    const orr_idx uc = e % xc, ub = e / xc % xb, ua = e / xc / xb % xa, plane = e / xc / xb / xa;\n");
    orr__text_addf(t, "    %s sum = 0;\n", orr__emit_type((orr_dtype)r->out_dtype[0]));
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t,
            "    orr_idx g%c = s%c ? u%c + p%c - (w%c - 1) * d%c : (orr_idx)((orr_i64)u%c * y%c / x%c) - 1;\n"
            "    g%c = s%c && g%c > 0 ? (g%c + s%c - 1) / s%c : g%c;\n    g%c = g%c > 0 ? g%c : 0;\n"
            "    const orr_idx h%c = s%c ? (u%c + p%c) / s%c : (orr_idx)(((orr_i64)u%c + 1) * y%c / x%c) + 1;\n",
            *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d);
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(t, "    for (orr_idx i%c = g%c; i%c <= h%c && i%c < y%c; i%c++) {\n", *d, *d, *d, *d, *d, *d,
                       *d);
}

static void text_spread(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    windows(t, r);
    search(t, r, in_at);
    orr__text_addf(t,
                   "    if (at == (ua * xb + ub) * xc + uc)\n"
                   "    sum += in1[(orr_idx)W(%d) + plane * (ya * yb * yc) + (ia * yb + ib) * yc + ic];\n    }}}\n"
                   "    out0[(orr_idx)W(%d) + e] = sum;\n",
                   in_at + 1, l->out_at);
}

static void text_sum_back(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    windows(t, r);
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(t, "    if ((u%c + p%c - i%c * s%c) %% d%c != 0) continue;\n", *d, *d, *d, *d, *d);
    orr__text_addf(t,
                   "    sum += in0[(orr_idx)W(%d) + plane * (ya * yb * yc) + (ia * yb + ib) * yc + ic];\n    }}}\n"
                   "    out0[(orr_idx)W(%d) + e] = sum;\n",
                   in_at, l->out_at);
}

const orr__emit_call orr__emit_kernel_pool_max = { .words = words, .fill = fill_out, .text = text_max };
const orr__emit_call orr__emit_kernel_pool_pick = { .words = words, .fill = fill_out, .text = text_pick };
const orr__emit_call orr__emit_kernel_pool_spread = { .words = words, .fill = fill_in, .text = text_spread };
const orr__emit_call orr__emit_kernel_pool_sum = { .words = words, .fill = fill_out, .text = text_sum };
const orr__emit_call orr__emit_kernel_pool_sum_back = { .words = words, .fill = fill_back, .text = text_sum_back };
