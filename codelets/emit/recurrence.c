/* The kernels of recurrences: one launch per step. A group multiplies the states of some sequences by the weights of
 * some units through shared memory, then computes their cells. No other group has these sums.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <string.h>
#include "codelets/emit/call.h"
#include "ops/nn/recurrence.h"

/* A tile has ROWS sequences and UNITS units, a sum for each item; the sums are computed DEEP terms at a time. */
enum { UNITS = ORR__EMIT_WARP, ROWS = ORR__EMIT_GROUP / UNITS, DEEP = ORR__EMIT_TERMS };

/* step: the number of the launch's step, in the order in which states follow each other. −1: the cotangents of the
 * first states. */
#define WORDS(X) X(first) X(rows) X(steps) X(hidden) X(planes) X(step)
#define NAME(name) #name,
#define NUMBER(name) name##_,
static const char *const names[] = { WORDS(NAME) NULL };
enum { WORDS(NUMBER) OWN };

/* A gradient has the cotangents of all steps after its states; weights have two axes. */
static bool gradient(const orr__call *c)
{
    return c->in[1].rank == 3;
}

static orr__recur recur_of(const orr__call *c)
{
    orr_shape h = c->in[2];
    if (gradient(c))
        h = ORR_SHAPE(c->in[1].dim[0], c->in[1].dim[2]);
    return orr__recur_of(&c->attr, c->in[gradient(c)].dim[1], &h, gradient(c));
}

static bool can(const orr__region *r)
{
    return r->out_dtype[0] == ORR_F32 || r->out_dtype[0] == ORR_F64;
}

/* -- launches ---------------------------------------------------------------------------------------------- */

static void fill(const orr__launch *l, int64_t *word)
{
    orr__recur f = recur_of(&l->region->call);
    const int64_t own[OWN] = { l->lo,    l->hi - l->lo, f.steps,
                               f.hidden, f.planes,      gradient(&l->region->call) ? f.steps - 1 : 0 };
    memcpy(word + ORR__CALL_OWN, own, sizeof own);
    word[0] = l->hi > l->lo && f.hidden > 0;
}

static bool next(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    int64_t *own = word + ORR__CALL_OWN;
    if (!gradient(c))
        return ++own[step_] < own[steps_];
    return --own[step_] >= (recur_of(c).first ? -1 : 0);
}

static int64_t blocks(const orr__launch *l)
{
    orr__recur f = recur_of(&l->region->call);
    return (l->hi - l->lo + ROWS - 1) / ROWS * ((f.hidden + UNITS - 1) / UNITS);
}

/* Bytes per sequence: the part of its states' cotangents that goes to the step before; and the cotangents of the sums
 * of two steps, if they are not a result. */
static size_t scratch(const orr__launch *l)
{
    orr__recur f = recur_of(&l->region->call);
    size_t each = (size_t)f.states + (f.first ? 2 * (size_t)f.back : 0);
    return each * (size_t)(l->hi - l->lo) * (size_t)f.hidden *
           (l->region->out_dtype[0] == ORR_F64 ? sizeof(double) : sizeof(float));
}

/* -- text -------------------------------------------------------------------------------------------------- */

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    static const char *const cells[] = {
        [ORR_CELL_RNN] = "RNN", [ORR_CELL_RNN_RELU] = "RNN_RELU", [ORR_CELL_LSTM] = "LSTM", [ORR_CELL_GRU] = "GRU"
    };
    orr__recur f = recur_of(&r->call);
    const struct {
        const char *name;
        int number; /* −1: not defined */
    } in[] = { { "X(at)", 0 },   { "G(at)", 1 },   { "GC(at)", f.c >= 0 ? 2 : -1 }, { "WEIGHT(at)", f.w },
               { "H(at)", f.h }, { "C(at)", f.c }, { "BIAS(at)", f.bias },          { "LENGTH(at)", f.length } },
      is[] = { { "ROWS", ROWS },         { "UNITS", UNITS },      { "DEEP", DEEP },
               { "GATES", f.gates },     { "KEPT", f.kept },      { "BACK", f.back },
               { "STATES", f.states },   { cells[f.cell], 1 },    { "REVERSE", f.reverse - 1 },
               { "KEEPS", f.keeps - 1 }, { "FIRST", f.first - 1 } };
    (void)l;
    for (size_t k = 0; k < sizeof in / sizeof *in; k++)
        if (in[k].number >= 0)
            orr__text_define(t, undo, in[k].name, "IN%d(at)", in[k].number);
    for (size_t k = 0; k < sizeof is / sizeof *is; k++)
        if (is[k].number >= 0)
            orr__text_define(t, undo, is[k].name, "%d", is[k].number);
}

static const char functions[] =
#include "codelets/emit/kernels/recurrence_functions.ctext"
    ;
static const char text[] =
#include "codelets/emit/kernels/recurrence.ctext"
    ;
const orr__emit_call orr__emit_kernel_recurrence = { .can = can,
                                                     .names = names,
                                                     .fill = fill,
                                                     .body = text,
                                                     .parameters = parameters,
                                                     .blocks = blocks,
                                                     .mad = true,
                                                     .helpers = functions,
                                                     .next = next };
const orr__emit_call orr__emit_kernel_recurrence_grad = { .can = can,
                                                          .names = names,
                                                          .fill = fill,
                                                          .body = text,
                                                          .which = "GRAD",
                                                          .parameters = parameters,
                                                          .blocks = blocks,
                                                          .mad = true,
                                                          .helpers = functions,
                                                          .scratch = scratch,
                                                          .next = next };
