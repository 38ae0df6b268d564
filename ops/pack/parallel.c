/* Blocks of a pack's work on all workers: one kernel, whose operand holds the job and the block.
 * Must not know: what a block computes. */
#include "config.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/define.h>
#include <orrery/eval.h>
#include "ops/pack/parallel.h"
#include "runtime/base/buffer.h"

/* The state of one call. Values are passed here and not in tensors, which would keep copies of them. */
typedef struct {
    orr__block_fn *fn;
    void *job;
    atomic_uchar *begun; /* a kernel may be called twice, its block only once */
    atomic_flag noting;
    int64_t worst; /* lowest block that failed, −1: none */
    orr_status st;
    char text[640];
} work;

static void note(work *w, int64_t block, orr_status st)
{
    if (st == ORR_OK)
        return;
    while (atomic_flag_test_and_set_explicit(&w->noting, memory_order_acquire))
        ;
    if (w->worst < 0 || block < w->worst) {
        w->worst = block;
        w->st = st;
        (void)snprintf(w->text, sizeof w->text, "%s", orr_error_message());
    }
    atomic_flag_clear_explicit(&w->noting, memory_order_release);
}

static int run_block(const orr_kernel_args *a)
{
    int64_t item[2];
    work *w;
    memcpy(item, a->in[0].data, sizeof item);
    uintptr_t address = (uintptr_t)item[0];
    memcpy(&w, &address, sizeof w);
    if (!atomic_exchange_explicit(&w->begun[item[1]], 1, memory_order_acq_rel))
        note(w, item[1], w->fn(w->job, item[1]));
    *(unsigned char *)a->out = 0;
    return 0;
}

static int one_byte(orr_kernel_args *a)
{
    a->out_dtype = ORR_U8;
    a->out_shape = ORR_SHAPE(1);
    return 0;
}

static orr_tensor *record(orr_tensor *item, int64_t i, void *user)
{
    static const orr_kernel_def def = { .name = "pack_block",
                                        .n_inputs = 1,
                                        .dtypes = { 1u << ORR_I64 },
                                        .shape = one_byte,
                                        .cpu = run_block,
                                        .flops = ORR__BLOCK_FLOPS };
    (void)item;
    int64_t which[2] = { (int64_t)(uintptr_t)user, i };
    return orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_from(ORR_I64, ORR_SHAPE(2), which)));
}

orr_status orr__parallel(orr__site at, int64_t blocks, orr__block_fn *fn, void *job)
{
    if (blocks < 1)
        return ORR_OK;
    if (blocks == 1)
        return fn(job, 0);
    work w = { .fn = fn, .job = job, .noting = ATOMIC_FLAG_INIT, .worst = -1 };
    w.begun = orr__alloc_n((size_t)blocks, sizeof *w.begun);
    orr_tensor **done = orr__alloc_n((size_t)blocks, sizeof *done);
    orr_scope *s = w.begun && done ? orr_scope_begin() : NULL;
    orr_status st = s ? orr_par_map_at(at.file, at.line, blocks, record, NULL, &w, done) : ORR_ENOMEM;
    if (s)
        (void)orr_scope_end(s);
    free(done);
    free(w.begun);
    if (st == ORR_OK && w.worst >= 0)
        return orr__fail_text(w.st, w.text);
    return st == ORR_OK ? ORR_OK : orr__fail_place(at, st);
}
