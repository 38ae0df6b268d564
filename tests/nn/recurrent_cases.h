/* Recurrent layers beside PyTorch's values and gradients (tests/golden/torch/make_recurrent.py).
 * Must not know: where they are computed. */
#ifndef ORR_TESTS_NN_RECURRENT_CASES_H
#define ORR_TESTS_NN_RECURRENT_CASES_H

#include "tests/nn/near.h"

static const char recurrent_file[] = "torch/recurrent.npz";

static inline orr_tensor *recurrent_array(const char *name, int packed, const char *which)
{
    char text[64];
    if (packed < 0)
        (void)snprintf(text, sizeof text, "%s.%s", name, which);
    else
        (void)snprintf(text, sizeof text, "%s%d.%s", name, packed, which);
    return near_load(recurrent_file, text);
}

/* second: also second derivatives, which are computed step by step. */
static inline void recurrent_layer(const char *name, orr_cell cell, orr_recurrent_options o, bool second)
{
    char path[64];
    orr_module *m = orr_recurrent(cell, 4, 6, &o);
    ORR_REQUIRE(m);
    (void)snprintf(path, sizeof path, "torch/%s.npz", name);
    ORR_CHECK_MSG(orr_module_load(m, orr_test_golden(path)) == ORR_OK, "%s", orr_error_message());
    for (int k = 0; k < 4; k++) { /* in training the gates are kept, otherwise they are computed again */
        int packed = k % 2;
        orr_module_train(m, k < 2);
        orr_scope *s = orr_scope_begin();
        bool lstm = cell == ORR_CELL_LSTM;
        int n = lstm ? 5 : 4;
        orr_tensor *x = near_load(recurrent_file, "x"), *lengths = packed ? near_load(recurrent_file, "lengths") : NULL,
                   *g[5], *d[3];
        orr_tensor *first[2] = { recurrent_array(name, -1, "state0"),
                                 lstm ? recurrent_array(name, -1, "state1") : NULL },
                   *state[2] = { first[0], first[1] };
        orr_tensor *y = orr_recurrent_forward(m, x, lengths, state),
                   *loss = orr_sum(orr_square(y), ORR_ALL_AXES, false), *squares = orr_scalar(0);
        for (int i = 0; i < 1 + lstm; i++)
            loss = orr_add(loss, orr_sum(orr_mul(state[i], orr_square(state[i])), ORR_ALL_AXES, false));
        orr_tensor *by[5] = { x, orr_module_variable(m, "l0.hidden"), orr_module_variable(m, "l0.hidden_bias"),
                              first[0], first[1] };
        ORR_CHECK_MSG(orr_grad(loss, by, n, g) == ORR_OK, "%s", orr_error_message());
        for (int i = 0; i < n; i++)
            squares = orr_add(squares, orr_sum(orr_square(g[i]), ORR_ALL_AXES, false));
        orr_tensor *again[3] = { by[0], by[1], by[3] };
        bool twice = second && k < 2;
        ORR_CHECK_MSG(!twice || orr_grad(squares, again, 3, d) == ORR_OK, "%s", orr_error_message());
        near_same(y, recurrent_array(name, packed, "y"), 2e-6, name);
        near_same(state[0], recurrent_array(name, packed, "last0"), 2e-6, name);
        if (lstm)
            near_same(state[1], recurrent_array(name, packed, "last1"), 2e-6, name);
        near_same(g[0], recurrent_array(name, packed, "dx"), 1e-5, name);
        near_same(g[1], recurrent_array(name, packed, "dw"), 1e-5, name);
        near_same(g[2], recurrent_array(name, packed, "db"), 1e-5, name);
        near_same(g[3], recurrent_array(name, packed, "dstate0"), 1e-5, name);
        if (lstm)
            near_same(g[4], recurrent_array(name, packed, "dstate1"), 1e-5, name);
        static const char *const of[3] = { "ddx", "ddw", "ddstate" };
        for (int i = 0; twice && i < 3; i++)
            near_same(d[i], recurrent_array(name, packed, of[i]), 1e-4, name);
        (void)orr_scope_end(s);
    }
    orr_module_free(m);
}

/* second: the second derivatives, too. The short form of a test of devices has one of the layers (orr_test_due). */
static inline void recurrent_every_layer(bool second)
{
    orr_recurrent_options deep = { .layers = 2, .bidirectional = true };
    if (second || orr_test_due(0, 3))
        recurrent_layer("lstm", ORR_CELL_LSTM, deep, second);
    if (second || orr_test_due(1, 3))
        recurrent_layer("gru", ORR_CELL_GRU, deep, second);
    if (second || orr_test_due(2, 3))
        recurrent_layer("rnn", ORR_CELL_RNN, (orr_recurrent_options){ 0 }, second);
}

#endif
