/* The kernel of concat: elements are copied as stored, one work item each.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/call.h"

enum { ROW = ORR__CALL_OWN, ROW_BY, SPANS }; /* followed by the span of each input */

static int words(const orr__region *r)
{
    return SPANS - ORR__CALL_OWN + r->nin;
}

static void fill(const orr__launch *l, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t inner = 1;
    for (int d = r->call.attr.axis + 1; d < r->call.out.rank; d++)
        inner *= r->call.out.dim[d];
    orr__emit_divide(word + ROW, r->call.out.dim[r->call.attr.axis] * inner);
    for (int k = 0; k < r->nin; k++)
        word[SPANS + k] = r->call.in[k].dim[r->call.attr.axis] * inner;
}

static void text(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr__emit_quotient(t, "outer", "e", ROW);
    orr__text_addf(t, "    orr_idx at = e - outer * (orr_idx)W(%d);\n", ROW);
    for (int k = 0; k < r->nin; k++) {
        orr__text_addf(t, "    if (at >= 0 && at < (orr_idx)W(%d))\n", SPANS + k);
        orr__text_addf(t, "        out0[(orr_idx)W(%d) + e] = in%d[(orr_idx)W(%d) + outer * (orr_idx)W(%d) + at];\n",
                       l->out_at, k, in_at + k, SPANS + k);
        orr__text_addf(t, "    at -= (orr_idx)W(%d);\n", SPANS + k);
    }
}

const orr__emit_call orr__emit_kernel_concat = { .words = words, .fill = fill, .text = text };
