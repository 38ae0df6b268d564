/* One step of a recurrent cell for the units of a sequence, forward and backward, for f32 and f64.
 * Must not know: products, steps, sequences. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"

/* A sigmoid without fused multiply-adds computes the same steps as the table's operation. */
#ifndef EW_WHOLE
#define SIGMOID(t, REAL)                                                                                               \
    static inline REAL vm_sigmoid_##t(REAL x)                                                                          \
    {                                                                                                                  \
        REAL e = vm_exp_##t(x >= 0 ? -x : x);                                                                          \
        return (x >= 0 ? (REAL)1 : e) / ((REAL)1 + e);                                                                 \
    }
SIGMOID(f32, float)
SIGMOID(f64, double)
#endif

/* A cell without gates: h = `state`, a function of the sums s. */
#define RNN(name, REAL, state)                                                                                         \
    static void name(const void *sums_, const void *x_, const void *before_, void *restrict gates_,                    \
                     void *restrict state_, void *restrict h_, int64_t n)                                              \
    {                                                                                                                  \
        const REAL *s = sums_;                                                                                         \
        REAL *restrict h = h_;                                                                                         \
        (void)x_, (void)before_, (void)gates_, (void)state_;                                                           \
        for (int64_t k = 0; k < n; k++)                                                                                \
            h[k] = state;                                                                                              \
    }

/* The backward step of a cell without gates: d = `slope`, a function of the cotangent y. */
#define RNN_BACK(name, REAL, slope)                                                                                    \
    static void name(const void *gates_, const void *before_, const void *now_, const void *dy_, void *restrict dh_,   \
                     void *restrict dc_, void *restrict d_, int64_t n)                                                 \
    {                                                                                                                  \
        const REAL *now = now_, *dy = dy_;                                                                             \
        REAL *restrict dh = dh_, *restrict d = d_;                                                                     \
        (void)gates_, (void)before_, (void)dc_;                                                                        \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const REAL y = dy[k] + dh[k];                                                                              \
            d[k] = slope;                                                                                              \
            dh[k] = 0;                                                                                                 \
        }                                                                                                              \
    }

#define LOOPS(t, REAL)                                                                                                 \
    static void lstm_##t(const void *sums_, const void *x_, const void *before_, void *restrict gates_,                \
                         void *restrict state_, void *restrict h_, int64_t n)                                          \
    {                                                                                                                  \
        const REAL *s = sums_, *before = before_;                                                                      \
        REAL *restrict gates = gates_, *restrict c = state_, *restrict h = h_;                                         \
        (void)x_;                                                                                                      \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            REAL in = vm_sigmoid_##t(s[k]), keep = vm_sigmoid_##t(s[n + k]), new = vm_tanh_##t(s[2 * n + k]);          \
            REAL out = vm_sigmoid_##t(s[3 * n + k]), now = keep * before[k] + in * new;                                \
            gates[k] = in;                                                                                             \
            gates[n + k] = keep;                                                                                       \
            gates[2 * n + k] = new;                                                                                    \
            gates[3 * n + k] = out;                                                                                    \
            c[k] = now;                                                                                                \
            h[k] = out * vm_tanh_##t(now);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static void gru_##t(const void *sums_, const void *x_, const void *before_, void *restrict gates_,                 \
                        void *restrict state_, void *restrict h_, int64_t n)                                           \
    {                                                                                                                  \
        const REAL *s = sums_, *x = x_, *before = before_;                                                             \
        REAL *restrict gates = gates_, *restrict h = h_;                                                               \
        (void)state_;                                                                                                  \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            REAL r = vm_sigmoid_##t(x[k] + s[k]), z = vm_sigmoid_##t(x[n + k] + s[n + k]);                             \
            REAL new = vm_tanh_##t(x[2 * n + k] + r * s[2 * n + k]);                                                   \
            gates[k] = r;                                                                                              \
            gates[n + k] = z;                                                                                          \
            gates[2 * n + k] = new;                                                                                    \
            gates[3 * n + k] = s[2 * n + k];                                                                           \
            h[k] = new + z *(before[k] - new);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    RNN(rnn_##t, REAL, vm_tanh_##t(s[k]))                                                                              \
    RNN(rnn_relu_##t, REAL, s[k] <= 0 ? 0 : s[k])                                                                      \
    static void lstm_back_##t(const void *gates_, const void *before_, const void *now_, const void *dy_,              \
                              void *restrict dh_, void *restrict dc_, void *restrict d_, int64_t n)                    \
    {                                                                                                                  \
        const REAL *gates = gates_, *before = before_, *now = now_, *dy = dy_;                                         \
        REAL *restrict dh = dh_, *restrict dc = dc_, *restrict d = d_;                                                 \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            REAL in = gates[k], keep = gates[n + k], new = gates[2 * n + k], out = gates[3 * n + k];                   \
            REAL y = dy[k] + dh[k], by = vm_tanh_##t(now[k]), all = dc[k] + y * out * ((1 - by) * (1 + by));           \
            d[k] = all * new *in *(1 - in);                                                                            \
            d[n + k] = all * before[k] * keep * (1 - keep);                                                            \
            d[2 * n + k] = all * in * ((1 - new) * (1 + new));                                                         \
            d[3 * n + k] = y * by * out * (1 - out);                                                                   \
            dc[k] = all * keep;                                                                                        \
            dh[k] = 0;                                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void gru_back_##t(const void *gates_, const void *before_, const void *now_, const void *dy_,               \
                             void *restrict dh_, void *restrict dc_, void *restrict d_, int64_t n)                     \
    {                                                                                                                  \
        const REAL *gates = gates_, *before = before_, *dy = dy_;                                                      \
        REAL *restrict dh = dh_, *restrict d = d_;                                                                     \
        (void)now_, (void)dc_;                                                                                         \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            REAL r = gates[k], z = gates[n + k], new = gates[2 * n + k], product = gates[3 * n + k];                   \
            REAL y = dy[k] + dh[k], sum = y * (1 - z) * ((1 - new) * (1 + new));                                       \
            d[k] = sum * product * r * (1 - r);                                                                        \
            d[n + k] = y * (before[k] - new) * z * (1 - z);                                                            \
            d[2 * n + k] = sum * r;                                                                                    \
            d[3 * n + k] = sum;                                                                                        \
            dh[k] = y * z;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    RNN_BACK(rnn_back_##t, REAL, ((1 - now[k]) * (1 + now[k])) * y)                                                    \
    RNN_BACK(rnn_relu_back_##t, REAL, now[k] > 0 ? y : 0)

LOOPS(f32, float)
LOOPS(f64, double)

orr__cellfn *const ORR__V(orr__vec_cell)[ORR__CELLS][2] = {
    { rnn_f32, rnn_f64 }, { rnn_relu_f32, rnn_relu_f64 }, { lstm_f32, lstm_f64 }, { gru_f32, gru_f64 }
};
orr__cellbackfn *const ORR__V(orr__vec_cell_back)[ORR__CELLS][2] = { { rnn_back_f32, rnn_back_f64 },
                                                                     { rnn_relu_back_f32, rnn_relu_back_f64 },
                                                                     { lstm_back_f32, lstm_back_f64 },
                                                                     { gru_back_f32, gru_back_f64 } };
