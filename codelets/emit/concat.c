/* The kernel of concat: elements are copied as stored, one work item each.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/call.h"

static const char *const names[] = { "row", "orr_i64 row_by", NULL };
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

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    orr__text list = { 0 };
    (void)l;
    for (int k = 0; k < r->nin; k++)
        orr__text_addf(&list, "PART(IN%d, W(%d)) ", k, SPANS + k);
    orr__text_define(t, undo, "PARTS", "%s", list.s ? list.s : "");
    t->failed = t->failed || list.failed;
    free(list.s);
}

static const char text[] =
#include "codelets/emit/kernels/concat.ctext"
    ;
const orr__emit_call orr__emit_kernel_concat = {
    .words = words, .names = names, .fill = fill, .body = text, .parameters = parameters
};
