/* Attention beside PyTorch's values and gradients (tests/golden/torch/make_attention.py), with every option.
 * Must not know: where it is computed. */
#ifndef ORR_TESTS_NN_ATTENTION_CASES_H
#define ORR_TESTS_NN_ATTENTION_CASES_H

#include "tests/nn/near.h"

static inline orr_tensor *attention_input(const char *name, const char *which)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s.%s", name, which);
    return near_load("torch/attention.npz", text);
}

static inline void attention_compare(const char *name, orr_dtype dtype, bool masked, orr_attention_options o)
{
    static const char *const names[] = { "q", "k", "v", "m" };
    char text[64];
    orr_scope *s = orr_scope_begin();
    orr_tensor *in[4] = { 0 }, *g[4];
    double bound = dtype == ORR_F64 ? 1e-12 : 2e-5;
    for (int i = 0; i < 3 + masked; i++) {
        in[i] = attention_input(name, names[i]);
        if (orr_tensor_dtype(in[i]) != ORR_BOOL)
            in[i] = orr_cast(in[i], dtype);
    }
    bool learned = masked && orr_tensor_dtype(in[3]) != ORR_BOOL;
    orr_tensor *y = orr_attention(in[0], in[1], in[2], in[3], &o);
    orr_status st = orr_vjp(y, orr_cast(attention_input(name, "c"), dtype), in, 3 + learned, g);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", name, orr_error_message());
    near_same(y, attention_input(name, "y"), bound, name);
    for (int i = 0; st == ORR_OK && i < 3 + learned; i++) {
        (void)snprintf(text, sizeof text, "%s.d%s", name, names[i]);
        near_golden(g[i], "torch/attention.npz", text, bound);
    }
    (void)orr_scope_end(s);
}

/* Of so many parts, the one that is due (orr_test_due); 1: all. */
static inline void attention_every_option(orr_dtype t, unsigned parts)
{
    orr_attention_options plain = { 0 }, causal = { .causal = true }, scaled = { .causal = true, .scale = 0.7 };
    if (orr_test_due(0, parts))
        attention_compare("full", t, false, plain);
    if (orr_test_due(1, parts))
        attention_compare("causal", t, false, scaled);
    if (orr_test_due(2, parts))
        attention_compare("cached", t, true, plain);
    if (orr_test_due(3, parts))
        attention_compare("cached", t, false, causal);
    if (orr_test_due(4, parts))
        attention_compare("window", t, true, plain);
    if (orr_test_due(5, parts))
        attention_compare("window", t, false, (orr_attention_options){ .causal = true, .window = 3 });
    if (orr_test_due(6, parts))
        attention_compare("band", t, false, (orr_attention_options){ .window = 4 });
    if (orr_test_due(7, parts))
        attention_compare("added", t, true, plain);
    if (orr_test_due(8, parts))
        attention_compare("seen", t, true, plain);
    if (orr_test_due(9, parts))
        attention_compare("grouped", t, false, causal);
    if (orr_test_due(10, parts))
        attention_compare("long", t, false, causal);
}

#endif
