/* The kernels of convolutions: one work item per element of the result, which sums its terms in a fixed order.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/conv.h"

/* Words by name, in this order: lengths of x, w and y, stride, dilation, zeros in front, first image nf, images nn,
 * groups, input and output channels of a group. */
static const char *const names[] = { "xa", "xb", "xc", "wa", "wb", "wc", "ya", "yb", "yc", "sa", "sb", "sc",
                                     "da", "db", "dc", "pa", "pb", "pc", "nf", "nn", "ng", "nc", "no", NULL };

static void fill(int64_t *word, const orr__conv *v, int64_t first, int64_t n)
{
    const int64_t *const three[] = { v->x, v->w, v->y, v->stride, v->dilation, v->before };
    for (int k = 0; k < 6; k++)
        memcpy(word + ORR__CALL_OWN + 3 * k, three[k], 3 * sizeof *word);
    memcpy(word + ORR__CALL_OWN + 18, (int64_t[]){ first, first + n, v->groups, v->c, v->o }, 5 * sizeof *word);
}

static const char text[] =
#include "codelets/emit/kernels/conv.ctext"
    ;

#define CONV(name, kind, x, w, y)                                                                                      \
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
    const orr__emit_call orr__emit_kernel_##name = { .names = names, .fill = fill_##name, .body = text, .which = kind };
CONV(conv, "OF_Y", &c->in[0], &c->in[1], &c->out)
CONV(conv_data, "OF_X", &c->out, &c->in[1], &c->in[0])
CONV(conv_weights, "OF_W", &c->in[0], &c->out, &c->in[1])
