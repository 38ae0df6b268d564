/* Blocks of transformers: attention and dense layers, each added to its input and normalised.
 * Must not know: how attention is computed. */
#include "config.h"

#include <orrery/elementwise.h>
#include <orrery/layer.h>
#include <orrery/norm.h>
#include <orrery/ops.h>
#include "ops/nn/module.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* The term that a block adds to x: a function of x, or of normalised x. */
typedef orr_tensor *added(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *const *more);

/* x + f(x), normalised after the sum or before f, with dropout in training mode. */
static orr_tensor *step(orr__site at, const orr_module *m, const orr_module *norm, added *f, orr_tensor *x,
                        orr_tensor *const *more)
{
    bool first = m->whole[0] != 0;
    orr_tensor *y = f(at, m, first ? orr_forward_at(AT, norm, x) : x, more);
    if (m->training && m->real[0] > 0.0)
        y = orr_dropout_at(AT, y, m->real[0]);
    y = orr_add_at(AT, x, y);
    return first ? y : orr_forward_at(AT, norm, y);
}

enum { SELF, NORM1, EXPAND, CONTRACT, NORM2, MEMORY, NORM3 };

static orr_tensor *to_self(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *const *more)
{
    return orr_forward_all_at(AT, m->part[SELF], (orr_tensor *[]){ x, NULL, NULL, more[0] }, 4);
}

static orr_tensor *to_memory(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *const *more)
{
    return orr_forward_all_at(AT, m->part[MEMORY], (orr_tensor *[]){ x, more[0], NULL, more[1] }, 4);
}

static orr_tensor *through_dense(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *const *more)
{
    (void)more;
    x = orr_forward_at(AT, m->part[EXPAND], x);
    if (m->training && m->real[0] > 0.0)
        x = orr_dropout_at(AT, x, m->real[0]);
    return orr_forward_at(AT, m->part[CONTRACT], x);
}

static orr_tensor *encoder_forward(orr__site at, const orr_module *m, orr_tensor *const *in, int n)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *mask = n > 1 ? in[1] : NULL;
    orr_tensor *x = step(at, m, m->part[NORM1], to_self, in[0], &mask);
    x = orr_scope_return_at(AT, s, step(at, m, m->part[NORM2], through_dense, x, NULL));
    (void)orr_scope_end(s);
    return x;
}

static orr_tensor *decoder_forward(orr__site at, const orr_module *m, orr_tensor *const *in, int n)
{
    if (!in[1])
        return orr__poison(at, ORR_EINVAL, "the memory is NULL: a decoder's block attends to one");
    orr_scope *s = orr_scope_begin();
    orr_tensor *mask = n > 2 ? in[2] : NULL, *memory[2] = { in[1], n > 3 ? in[3] : NULL };
    orr_tensor *x = step(at, m, m->part[NORM1], to_self, in[0], &mask);
    x = step(at, m, m->part[NORM2], to_memory, x, memory);
    x = orr_scope_return_at(AT, s, step(at, m, m->part[NORM3], through_dense, x, NULL));
    (void)orr_scope_end(s);
    return x;
}

/* A block with its parts in the order of the enumeration. */
static orr_module *block(orr__site at, const char *kind, orr__forward_many *forward, int least, int most, int64_t width,
                         int64_t heads, int64_t hidden, orr_heads_options o, bool memory)
{
    orr_norm_options norm = { .eps = o.eps };
    orr_heads_options other = o;
    other.causal = false;
    other.window = 0;
    other.rotary = 0;
    other.alibi = false;
    orr_activation f = o.activation ? o.activation : ORR_ACTIVATION_RELU;
    orr_initialiser bias = o.no_bias ? ORR_INITIALISER_NONE : ORR_INITIALISER_DEFAULT;
    if (!(o.block_dropout >= 0.0 && o.block_dropout < 1.0)) {
        (void)orr__fail(at, ORR_EINVAL, "block_dropout %g must be in [0, 1)", o.block_dropout);
        return NULL;
    }
    orr_module *m = orr__module_of(kind, NULL, forward, least, most);
    orr_status st = m ? ORR_OK : ORR_ENOMEM;
    if (m) {
        m->whole[0] = o.norm_first;
        m->real[0] = o.block_dropout;
        m->apart = true;
    }
#define PART(name, part) st = st == ORR_OK ? orr__module_add_part(at, m, name, part) : st
    PART("attention", orr_multi_head_attention_at(AT, width, heads, &o));
    PART("norm1", orr_layer_norm_layer_at(AT, ORR_SHAPE(width), &norm));
    PART("expand", orr_dense_with_at(AT, ORR_F32, width, hidden, f, ORR_INITIALISER_DEFAULT, bias));
    PART("contract",
         orr_dense_with_at(AT, ORR_F32, hidden, width, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT, bias));
    PART("norm2", orr_layer_norm_layer_at(AT, ORR_SHAPE(width), &norm));
    if (memory) {
        PART("memory", orr_multi_head_attention_at(AT, width, heads, &other));
        if (st == ORR_OK)
            m->part[MEMORY]->apart = true; /* its keys are the memory's */
        PART("norm3", orr_layer_norm_layer_at(AT, ORR_SHAPE(width), &norm));
    }
#undef PART
    return orr__module_end(m, st);
}

orr_module *orr_encoder_block_at(const char *file, int line, int64_t width, int64_t heads, int64_t hidden,
                                 const orr_heads_options *options)
{
    return block(ORR__SITE(file, line, "encoder_block"), "encoder_block", encoder_forward, 1, 2, width, heads, hidden,
                 options ? *options : (orr_heads_options){ 0 }, false);
}

orr_module *orr_decoder_block_at(const char *file, int line, int64_t width, int64_t heads, int64_t hidden,
                                 const orr_heads_options *options)
{
    orr_heads_options o = options ? *options : (orr_heads_options){ 0 };
    o.causal = true;
    return block(ORR__SITE(file, line, "decoder_block"), "decoder_block", decoder_forward, 2, 4, width, heads, hidden,
                 o, true);
}
