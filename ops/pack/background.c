/* Blocks of a pack's work in the background: one asynchronous evaluation, a kernel for each block.
 * Must not know: what a block computes. */
#include "config.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/define.h>
#include <orrery/eval.h>
#include "ops/pack/background.h"
#include "runtime/base/buffer.h"

struct orr__background {
    orr__block_fn *fn;
    void *job;
    int64_t blocks;
    orr_event *event;
    orr_tensor **done; /* results of the kernels, kept until they are written */
    atomic_uchar *begun;
    atomic_int st;
};

static int run_block(const orr_kernel_args *a)
{
    int64_t item[2];
    orr__background *b;
    memcpy(item, a->in[0].data, sizeof item);
    uintptr_t address = (uintptr_t)item[0];
    memcpy(&b, &address, sizeof b);
    if (!atomic_exchange_explicit(&b->begun[item[1]], 1, memory_order_acq_rel)) {
        orr_status st = b->fn(b->job, item[1]);
        if (st != ORR_OK)
            atomic_store(&b->st, (int)st);
    }
    *(unsigned char *)a->out = 0;
    return 0;
}

static int one_byte(orr_kernel_args *a)
{
    a->out_dtype = ORR_U8;
    a->out_shape = ORR_SHAPE(1);
    return 0;
}

static void free_all(orr__background *b)
{
    for (int64_t i = 0; b->done && i < b->blocks; i++)
        if (b->done[i])
            (void)orr_free(b->done[i]);
    free(b->done);
    free(b->begun);
    free(b);
}

static orr_status record(orr__site at, orr__background *b)
{
    static const orr_kernel_def def = { .name = "pack_background",
                                        .n_inputs = 1,
                                        .dtypes = { 1u << ORR_I64 },
                                        .shape = one_byte,
                                        .cpu = run_block,
                                        .flops = ORR__BLOCK_FLOPS };
    orr_op *op = orr_define_kernel(&def);
    orr_scope *s = op ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : orr_error_status();
    for (int64_t i = 0; st == ORR_OK && i < b->blocks; i++) {
        int64_t which[2] = { (int64_t)(uintptr_t)b, i };
        orr_tensor *t = orr_apply(op, ORR_TENSORS(orr_from(ORR_I64, ORR_SHAPE(2), which)));
        st = orr_tensor_status(t);
        if (st == ORR_OK)
            b->done[i] = orr_keep(t);
    }
    if (s)
        (void)orr_scope_end(s);
    return st == ORR_OK ? orr_eval_async_at(at.file, at.line, b->done, (int)b->blocks, &b->event) : st;
}

orr__background *orr__background_start(orr__site at, int64_t blocks, orr__block_fn *fn, void *job)
{
    orr__background *b = orr__alloc(sizeof *b);
    if (!b)
        return (void)orr__fail_place(at, ORR_ENOMEM), NULL;
    b->fn = fn;
    b->job = job;
    b->blocks = blocks;
    b->begun = orr__alloc_n((size_t)blocks, sizeof *b->begun);
    b->done = orr__alloc_n((size_t)blocks, sizeof(orr_tensor *));
    if (b->begun && b->done && record(at, b) == ORR_OK)
        return b;
    free_all(b);
    return NULL;
}

bool orr__background_done(const orr__background *b)
{
    return !b || orr_event_done(b->event);
}

orr_status orr__background_wait(orr__background *b)
{
    if (!b)
        return ORR_OK;
    orr_status st = orr_wait(b->event);
    if (st == ORR_EHANDLE || st == ORR_ESTATE) { /* orr_shutdown has waited and freed it */
        orr_error_clear();
        st = ORR_OK;
    }
    if (st == ORR_OK)
        st = (orr_status)atomic_load(&b->st);
    free_all(b);
    return st;
}
