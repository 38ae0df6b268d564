/* The kernels of connectionist temporal classification: a group of items computes one sequence, shares its states, and
 * steps through its times. Sums over alignments are kept as logarithms in the widest float of the device.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <string.h>
#include "codelets/emit/call.h"

/* first: the sequence of the launch's first group. each: numbers of scratch memory per sequence. */
static const char *const names[] = { "first", "times", "batch", "classes", "longest", "blank", "each", NULL };
enum { WORDS = sizeof names / sizeof *names - 1 };

static bool gradient(const orr__call *c)
{
    return c->out.rank == 3;
}

/* Rows of states: for a gradient those of all times, otherwise those of a time and of the one before; then two for the
 * backward pass. */
static int64_t rows(const orr__call *c)
{
    return gradient(c) ? c->in[0].dim[0] + 2 : 2;
}

static int64_t numbers(const orr__call *c)
{
    return rows(c) * (2 * c->in[1].dim[1] + 1);
}

static void fill(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *p = c->in[0].dim,
                  own[WORDS] = { l->lo, p[0], p[1], p[2], c->in[1].dim[1], c->attr.index, numbers(c) };
    memcpy(word + ORR__CALL_OWN, own, sizeof own);
    word[0] = l->hi - l->lo;
}

static int64_t blocks(const orr__launch *l)
{
    return l->hi - l->lo;
}

static size_t scratch(const orr__launch *l)
{
    return (size_t)((l->hi - l->lo) * numbers(&l->region->call)) * sizeof(double);
}

/* A refusal's number identifies the fault: for each sequence the two lengths, then the labels. */
static int64_t refusals(const orr__call *c)
{
    return c->in[1].dim[1] + 2;
}

static bool can(const orr__region *r)
{
    const orr__call *c = &r->call;
    return (r->out_dtype[0] == ORR_F32 || r->out_dtype[0] == ORR_F64) &&
           refusals(c) < INT32_MAX / (c->in[0].dim[1] + 1);
}

static orr_status refuse(const orr__region *r, int64_t number)
{
    const orr__call *c = &r->call;
    orr__site at = orr__region_site(r);
    long long n = number / refusals(c), k = number % refusals(c), classes = c->in[0].dim[2];
    if (k < 2)
        return orr__fail(at, ORR_EINDEX, "the %s length of sequence %lld is not in 0 … %lld", k ? "target" : "input", n,
                         (long long)(k ? c->in[1].dim[1] : c->in[0].dim[0]));
    return orr__fail(at, ORR_EINDEX, "label %lld of sequence %lld is no class of %lld, or the blank %lld", k - 2, n,
                     classes, (long long)c->attr.index);
}

static const char functions[] =
#include "codelets/emit/kernels/ctc_functions.ctext"
    ;
static const char text[] =
#include "codelets/emit/kernels/ctc.ctext"
    ;
#define KERNEL(kind)                                                                                                   \
    {                                                                                                                  \
        .flags = 1, .can = can, .names = names, .fill = fill, .body = text, .which = kind, .blocks = blocks,           \
        .helpers = functions, .refuse = refuse, .scratch = scratch                                                     \
    }
const orr__emit_call orr__emit_kernel_ctc_loss = KERNEL(NULL);
const orr__emit_call orr__emit_kernel_ctc_grad = KERNEL("GRAD");
