/* Recurrence: scans over an axis, and the layers RNN, LSTM and GRU on them.
 * Must not know: how an op computes. */
#ifndef ORRERY_RECURRENT_H
#define ORRERY_RECURRENT_H

#include <orrery/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One step of a scan: replaces the n_carry tensors of `carry` by their next values, of the same shapes and dtypes, and sets the
 * n_y tensors of y, from the step's inputs x. It records and evaluates nothing. */
typedef void orr_scan_fn(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user);

/** The tensors of a scan: lists and their lengths. */
typedef struct orr_scan_lists {
    orr_tensor **carry;    /**< the first values; replaced by the last ones    */
    orr_tensor *const *x;  /**< (steps, …): step t gets x[i][t]                 */
    orr_tensor **y;        /**< set to (steps, …)                               */
    int n_carry, n_x, n_y; /**< each may be 0, but not n_carry and n_x both     */
    int64_t steps;         /**< used only if n_x is 0                           */
} orr_scan_lists;

/** Options of a scan. All zero: unrolled, forwards. */
typedef struct orr_scan_options {
    bool
        reverse; /**< from the last step to the first; y keeps the order of x                                           */
    bool loop; /**< the body is captured once as a graph, which runs now for each step: memory of one step, results with
                       values. A gradient through them records the steps again, by fn and user, which must be valid then, and
                       the variables that fn reads must not have been assigned since (ORR_EGRAPH). A body that draws random
                       numbers is refused (ORR_EGRAPH): each step needs others */
} orr_scan_options;

/** carry, y[t] = fn(carry, x[t]) for t = 0, 1, … Unrolled, the steps are recorded one after another: lazy, with gradients
 * through time, and equal scans share one plan.
 * @param options  NULL: all zero
 * errors:   ORR_EINVAL (a list or fn is NULL, there is no step), ORR_ESHAPE, ORR_EDTYPE (lengths differ; a carry changes), and
 *           for a loop those of orr_graph_build and orr_graph_submit; then every carry and y is poison. Owned by the current
 *           scope.
 * threads:  safe from any thread. */
ORR_API orr_status orr_scan_at(const char *file, int line, orr_scan_fn *fn, const orr_scan_lists *lists, void *user,
                               const orr_scan_options *options);
#define orr_scan(...) orr_scan_at(ORR_HERE, __VA_ARGS__)

/** The cells of recurrent layers, with σ = sigmoid and h the last output:
 *  RNN   h' = f(x·W + a + h·U + b), f tanh or ReLU
 *  LSTM  i, f, o = σ(…), g = tanh(…) of x·W + a + h·U + b in the order i f g o;  c' = f·c + i·g;  h' = o·tanh(c')
 *  GRU   r, z = σ(…) of the same;  n = tanh(x·Wn + an + r·(h·Un + bn));  h' = (1 − z)·n + z·h, in the order r z n */
typedef enum orr_cell { ORR_CELL_RNN, ORR_CELL_RNN_RELU, ORR_CELL_LSTM, ORR_CELL_GRU } orr_cell;

/** Options of recurrent layers. All zero: one layer, one direction, biases. */
typedef struct orr_recurrent_options {
    int layers;         /**< stacked layers, at most 1024; 0: 1                                                 */
    bool bidirectional; /**< a second cell runs from the end; its outputs follow those of the first             */
    bool no_bias;
    double dropout; /**< in [0, 1), between layers in training mode                                         */
} orr_recurrent_options;

/** A recurrent layer: (batch, steps, in) → (batch, steps, hidden), or 2·hidden with two directions.
 * inputs: x, and the lengths of the sequences (batch), integers, or NULL. From its length on the outputs of a sequence are 0 and
 * its state stays. A length beyond the steps means all steps, and one below 0 means 0: neither is an error.
 * parameters, of layer l and direction "" or "_reverse": "l0.input" (in, gates·hidden), "l0.hidden" (hidden, gates·hidden),
 * "l0.input_bias", "l0.hidden_bias", from U(−1/√hidden, 1/√hidden): the transposes of PyTorch's. */
ORR_API orr_module *orr_recurrent_at(const char *file, int line, orr_cell cell, int64_t in, int64_t hidden,
                                     const orr_recurrent_options *options);
#define orr_recurrent(...) orr_recurrent_at(ORR_HERE, __VA_ARGS__)
/** Applies a recurrent layer with its states.
 * @param lengths  as above, or NULL
 * @param state    {h}, or for an LSTM {h, c}, each (layers·directions, batch, hidden): the first states, NULL for zeros; replaced
 *                 by the last ones. state NULL: zeros, and the last states are not needed
 * @return   as orr_forward. */
ORR_API orr_tensor *orr_recurrent_forward_at(const char *file, int line, const orr_module *m, orr_tensor *x,
                                             orr_tensor *lengths, orr_tensor **state);
#define orr_recurrent_forward(...) orr_recurrent_forward_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
