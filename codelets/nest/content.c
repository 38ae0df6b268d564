/* The content of a region, as bytes: all data on which its text depends.
 * Must not know: the text. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/cloop.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"

enum { HEAD = 16 + ORR__REGION_RANK + 4 * ORR__REGION_OUTS };
enum { INSTRUCTION = 8, ACCESS = 6 + 3 * ORR__REGION_RANK, INPUT = 2 };

static int64_t *put_all(int64_t *at, const int64_t *value, int n)
{
    memcpy(at, value, (size_t)n * sizeof *at);
    return at + n;
}

static int64_t *put_head(int64_t *at, const orr__region *r)
{
    const int64_t head[] = { (int64_t)orr__env.ablated | (int64_t)r->nest << 60 | (int64_t)orr__emit_c_watches(r) << 62,
                             r->loops,
                             r->search,
                             r->rmask,
                             r->rank,
                             r->ninstr,
                             r->naccess,
                             r->nin,
                             r->nout,
                             r->out_count };
    at = put_all(at, head, sizeof head / sizeof *head);
    at = put_all(at, r->dim, r->rank);
    for (int k = 0; k < r->nout; k++) {
        const int64_t output[] = { r->out_reg[k], r->out_dtype[k], r->rop[k] };
        at = put_all(at, output, sizeof output / sizeof *output);
    }
    return at;
}

/* Scalar slots are numbered from the region's first one: scalars are words in instruction order, wherever the capture
 * has them. */
static int64_t *put_instructions(int64_t *at, const orr__region *r)
{
    int32_t first = -1;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        first = first < 0 ? in->slot : first;
        const int64_t word[INSTRUCTION] = { in->kind, in->dtype, in->op, in->x,
                                            in->y,    in->z,     in->a,  in->slot < 0 ? INT64_MIN : in->slot - first };
        at = put_all(at, word, INSTRUCTION);
    }
    return at;
}

static int64_t *put_accesses(int64_t *at, const orr__region *r)
{
    for (int k = 0; k < r->naccess; k++) {
        const orr__access *a = &r->access[k];
        const int64_t word[] = { a->input, a->offset, a->box, a->placed, a->by };
        at = put_all(at, word, sizeof word / sizeof *word);
        at = put_all(at, a->stride, r->rank);
        if (a->box) {
            at = put_all(at, a->lo, r->rank);
            at = put_all(at, a->hi, r->rank);
        }
    }
    for (int i = 0; i < r->nin; i++) {
        const int64_t word[INPUT] = { r->in_dtype[i], r->in_count[i] };
        at = put_all(at, word, INPUT);
    }
    return at;
}

void *orr__emit_c_content(const orr__region *r, size_t *size)
{
    size_t most = HEAD + (size_t)r->ninstr * INSTRUCTION + (size_t)r->naccess * ACCESS + (size_t)r->nin * INPUT;
    int64_t *content = orr__alloc_n(most, sizeof *content);
    if (content)
        *size = (size_t)(put_accesses(put_instructions(put_head(content, r), r), r) - content) * sizeof *content;
    return content;
}

void orr__emit_c_print(FILE *to, const orr__region *r)
{
    size_t size = 0;
    int64_t *content = orr__emit_c_content(r, &size);
    if (!content)
        return;
    flockfile(to);
    fprintf(to, "kernel %s :", r->label);
    for (size_t i = 0; i < size / sizeof *content; i++)
        fprintf(to, " %" PRId64, content[i]);
    fputc('\n', to);
    funlockfile(to);
    free(content);
}
