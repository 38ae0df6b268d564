/* The kernels of convolutions: one work item per element of the result, which sums its terms in a fixed order.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/conv.h"

/* Words by name, in this order: lengths of x, w and y, stride, dilation, zeros in front, first image nf, images nn,
 * groups, input and output channels of a group. */
static const char *const names[] = { "xa", "xb", "xc", "wa", "wb", "wc", "ya", "yb", "yc", "sa", "sb", "sc",
                                     "da", "db", "dc", "pa", "pb", "pc", "nf", "nn", "ng", "nc", "no" };
enum { WORDS = sizeof names / sizeof *names };

static int words(const orr__region *r)
{
    (void)r;
    return WORDS;
}

static void fill(int64_t *word, const orr__conv *v, int64_t first, int64_t n)
{
    const int64_t *const three[] = { v->x, v->w, v->y, v->stride, v->dilation, v->before };
    for (int k = 0; k < 6; k++)
        memcpy(word + ORR__CALL_OWN + 3 * k, three[k], 3 * sizeof *word);
    memcpy(word + ORR__CALL_OWN + 18, (int64_t[]){ first, first + n, v->groups, v->c, v->o }, 5 * sizeof *word);
}

static void begin(orr__text *t, const orr__region *r)
{
    for (int k = 0; k < WORDS; k++)
        orr__text_addf(t, "    const orr_idx %s = (orr_idx)W(%d);\n", names[k], ORR__CALL_OWN + k);
    orr__text_addf(t, "    orr_idx q = e;\n    %s sum = 0;\n", orr__emit_type((orr_dtype)r->out_dtype[0]));
}

static void end(orr__text *t, const orr__layout *l)
{
    orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = sum;\n", l->out_at);
}

/* Declares the variables of `list`, the first of which moves fastest, from the number q. */
static void unravel(orr__text *t, const char *const list[][2], int n)
{
    for (int k = 0; k < n; k++)
        orr__text_addf(t, "    const orr_idx %s = q %% %s; q /= %s;\n", list[k][0], list[k][1], list[k][1]);
}

/* sum += in<a>[position in x or y] · in<b>[…], and the closing braces of the loops. */
static void term(orr__text *t, int in_at, const char *a, const char *b, const char *closing)
{
    orr__text_addf(t, "    sum += in0[(orr_idx)W(%d) + %s] * in1[(orr_idx)W(%d) + %s];\n    %s\n", in_at, a, in_at + 1,
                   b, closing);
}

#define X_AT "((((n * ng + g) * nc + c) * xa + ja) * xb + jb) * xc + jc"
#define W_AT "((((g * no + o) * nc + c) * wa + ka) * wb + kb) * wc + kc"
#define Y_AT "((((n * ng + g) * no + o) * ya + ia) * yb + ib) * yc + ic"

static void text_y(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    static const char *const list[][2] = {
        { "ic", "yc" }, { "ib", "yb" }, { "ia", "ya" }, { "o", "no" }, { "g", "ng" }
    };
    begin(t, r);
    unravel(t, list, 5);
    orr__text_add(t, "    const orr_idx n = q;\n    for (orr_idx c = 0; c < nc; c++)\n");
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t,
            "    for (orr_idx k%c = 0; k%c < w%c; k%c++) {\n"
            "    const orr_idx j%c = i%c * s%c - p%c + k%c * d%c;\n    if (j%c < 0 || j%c >= x%c) continue;\n",
            *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d);
    term(t, in_at, X_AT, W_AT, "}}}");
    end(t, l);
}

static void text_x(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    static const char *const list[][2] = {
        { "jc", "xc" }, { "jb", "xb" }, { "ja", "xa" }, { "c", "nc" }, { "g", "ng" }
    };
    begin(t, r);
    unravel(t, list, 5);
    orr__text_add(t, "    const orr_idx n = q;\n    for (orr_idx o = 0; o < no; o++)\n");
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t,
            "    for (orr_idx k%c = 0; k%c < w%c; k%c++) {\n"
            "    const orr_idx i%c = (j%c + p%c - k%c * d%c) / s%c;\n"
            "    if (j%c + p%c - k%c * d%c < 0 || (j%c + p%c - k%c * d%c) %% s%c != 0 || i%c >= y%c) continue;\n",
            *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d);
    term(t, in_at, Y_AT, W_AT, "}}}");
    end(t, l);
}

static void text_w(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    static const char *const list[][2] = {
        { "kc", "wc" }, { "kb", "wb" }, { "ka", "wa" }, { "c", "nc" }, { "o", "no" }
    };
    begin(t, r);
    unravel(t, list, 5);
    orr__text_add(t, "    const orr_idx g = q;\n    for (orr_idx n = nf; n < nn; n++)\n");
    for (const char *d = "abc"; *d; d++)
        orr__text_addf(
            t,
            "    for (orr_idx i%c = 0; i%c < y%c; i%c++) {\n"
            "    const orr_idx j%c = i%c * s%c - p%c + k%c * d%c;\n    if (j%c < 0 || j%c >= x%c) continue;\n",
            *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d, *d);
    term(t, in_at, X_AT, Y_AT, "}}}");
    end(t, l);
}

#define CONV(name, letter, x, w, y)                                                                                    \
    static void fill_##name(const orr__launch *l, int64_t *word)                                                       \
    {                                                                                                                  \
        const orr__call *c = &l->region->call;                                                                         \
        orr__conv v = orr__conv_of(&c->attr, (x), (w), (y));                                                           \
        int64_t first, n;                                                                                              \
        orr__conv_images(c, l->lo, l->hi, &first, &n);                                                                 \
        fill(word, &v, first, n);                                                                                      \
        if (c->parts)                                                                                                  \
            memcpy(word, (int64_t[]){ l->region->out_count, 0 }, 2 * sizeof *word);                                    \
    }                                                                                                                  \
    const orr__emit_call orr__emit_kernel_##name = { .words = words, .fill = fill_##name, .text = text_##letter };
CONV(conv, y, &c->in[0], &c->in[1], &c->out)
CONV(conv_data, x, &c->out, &c->in[1], &c->in[0])
CONV(conv_weights, w, &c->in[0], &c->out, &c->in[1])
