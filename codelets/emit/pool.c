/* The kernels of pooling: one work item per window. In the gradient, one per element, which searches or adds the windows
 * that contain it.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"
#include "ops/pool.h"

/* Words by name: lengths of x and y, window, stride, dilation, zeros in front. */
static const char *const names[] = { "xa", "xb", "xc", "ya", "yb", "yc", "wa", "wb", "wc", "sa",
                                     "sb", "sc", "da", "db", "dc", "pa", "pb", "pc", NULL };

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

static const char text[] =
#include "codelets/emit/kernels/pool.ctext"
    ;

#define POOL(name, kind, filler)                                                                                       \
    const orr__emit_call orr__emit_kernel_##name = { .names = names, .fill = filler, .body = text, .which = kind };
POOL(pool_max, "MAX", fill_out)
POOL(pool_pick, "PICK", fill_out)
POOL(pool_spread, "SPREAD", fill_in)
POOL(pool_sum, "SUM", fill_out)
POOL(pool_sum_back, "SUM_BACK", fill_back)
