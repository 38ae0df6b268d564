/* Recurrent layers: cells over the steps of sequences, in layers and directions.
 * Must not know: how a scan runs. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/norm.h>
#include <orrery/ops.h>
#include <orrery/random.h>
#include <orrery/recurrent.h>
#include "ops/nn/module.h"
#include "ops/nn/scan.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* The layer's numbers: whole: cell, in, hidden, directions; real: dropout. A part for each layer and direction. */
enum { INPUT, HIDDEN, INPUT_BIAS, HIDDEN_BIAS };

static int gates_of(orr_cell cell)
{
    return cell == ORR_CELL_LSTM ? 4 : cell == ORR_CELL_GRU ? 3 : 1;
}

/* A cell at work: its weights, and which steps lie within the sequences (NULL: all). */
typedef struct {
    orr__site at;
    orr_cell cell;
    int64_t hidden;
    const orr_module *part;
    orr_tensor *lengths;
    int64_t t, by; /* the step, which the scan does not tell, and 1 or −1 */
} work;

static orr_tensor *biased(const work *w, orr_tensor *y, int bias)
{
    orr__site at = w->at;
    return w->part->nparam > 2 ? orr_add_at(AT, y, w->part->param[bias]) : y;
}

/* The product of the last output, without a bias. */
static orr_tensor *weigh_state(const work *w, orr_tensor *h)
{
    orr__site at = w->at;
    return orr_matmul_at(AT, h, w->part->param[HIDDEN]);
}

/* Columns of gate number i. */
static orr_tensor *gate(const work *w, orr_tensor *all, int i)
{
    orr__site at = w->at;
    return orr_slice_axis_at(AT, all, 1, i * w->hidden, (i + 1) * w->hidden, 1);
}

/* One product for the inputs of all steps, which need no state: x[t], what the cell adds to at step t. The weights are read once. Both
 * biases are in it, but for a GRU, which multiplies its second one. */
static void weigh_inputs(const work *w, orr_tensor *whole, int64_t steps, orr_tensor **x)
{
    orr__site at = w->at;
    orr_shape s = orr_tensor_shape(whole);
    whole = orr_reshape_at(AT, whole, ORR_SHAPE(s.dim[0] * steps, s.dim[2]));
    orr_tensor *all = biased(w, orr_matmul_at(AT, whole, w->part->param[INPUT]), INPUT_BIAS);
    if (w->cell != ORR_CELL_GRU)
        all = biased(w, all, HIDDEN_BIAS);
    all = orr_reshape_at(AT, all, ORR_SHAPE(s.dim[0], steps, gates_of(w->cell) * w->hidden));
    for (int64_t t = 0; t < steps; t++)
        x[t] = orr_select_at(AT, all, 1, t);
}

/* The cells: x is the weighed input of the step. */
static void rnn(const work *w, orr_tensor **carry, orr_tensor *x)
{
    orr__site at = w->at;
    orr_tensor *sum = orr_add_at(AT, x, weigh_state(w, carry[0]));
    carry[0] = w->cell == ORR_CELL_RNN ? orr_tanh_at(AT, sum) : orr_relu_at(AT, sum);
}

static void lstm(const work *w, orr_tensor **carry, orr_tensor *x)
{
    orr__site at = w->at;
    orr_tensor *all = orr_add_at(AT, x, weigh_state(w, carry[0]));
    orr_tensor *in = orr_sigmoid_at(AT, gate(w, all, 0)), *keep = orr_sigmoid_at(AT, gate(w, all, 1));
    orr_tensor *new = orr_tanh_at(AT, gate(w, all, 2)), *out = orr_sigmoid_at(AT, gate(w, all, 3));
    carry[1] = orr_fma_at(AT, keep, carry[1], orr_mul_at(AT, in, new));
    carry[0] = orr_mul_at(AT, out, orr_tanh_at(AT, carry[1]));
}

static void gru(const work *w, orr_tensor **carry, orr_tensor *x)
{
    orr__site at = w->at;
    orr_tensor *b = biased(w, weigh_state(w, carry[0]), HIDDEN_BIAS);
    orr_tensor *r = orr_sigmoid_at(AT, orr_add_at(AT, gate(w, x, 0), gate(w, b, 0)));
    orr_tensor *z = orr_sigmoid_at(AT, orr_add_at(AT, gate(w, x, 1), gate(w, b, 1)));
    orr_tensor *n = orr_tanh_at(AT, orr_fma_at(AT, r, gate(w, b, 2), gate(w, x, 2)));
    carry[0] = orr_fma_at(AT, z, orr_sub_at(AT, carry[0], n), n);
}

static void body(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    work *w = user;
    orr__site at = w->at;
    int states = w->cell == ORR_CELL_LSTM ? 2 : 1;
    orr_tensor *old[2] = { carry[0], states > 1 ? carry[1] : NULL };
    (w->cell == ORR_CELL_LSTM ? lstm : w->cell == ORR_CELL_GRU ? gru : rnn)(w, carry, x[0]);
    y[0] = carry[0];
    if (w->lengths) {
        orr_tensor *within = orr_greater_at(AT, w->lengths, orr_scalar_at(AT, (double)w->t));
        for (int i = 0; i < states; i++)
            carry[i] = orr_where_at(AT, within, carry[i], old[i]);
        y[0] = orr_where_at(AT, within, y[0], orr_scalar_at(AT, 0));
    }
    w->t += w->by;
}

/* -- layers and directions ---------------------------------------------------------------------------------- */

static orr_status check_inputs(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *lengths)
{
    orr_shape s = orr_tensor_shape(x);
    if (orr__nn_check(at, x) != ORR_OK)
        return orr_error_status();
    if (s.rank != 3 || s.dim[2] != m->whole[1] || s.dim[1] < 1)
        return orr__fail(at, ORR_ESHAPE, "x of shape %s is not (batch, steps, %lld) with a step", orr__str(s).s,
                         (long long)m->whole[1]);
    if (!lengths)
        return ORR_OK;
    orr_shape l = orr_tensor_shape(lengths);
    if (orr__nn_check(at, lengths) != ORR_OK)
        return orr_error_status();
    if (l.rank != 1 || l.dim[0] != s.dim[0])
        return orr__fail(at, ORR_ESHAPE, "lengths of shape %s are not one for each sequence of x %s", orr__str(l).s,
                         orr__str(s).s);
    if (!orr__is_int(orr_tensor_dtype(lengths)))
        return orr__fail(at, ORR_EDTYPE, "lengths are %s, and integers are needed: write orr_cast(lengths, ORR_I64)",
                         orr_dtype_name(orr_tensor_dtype(lengths)));
    return ORR_OK;
}

/* The first states of part k: given, or zeros. */
static orr_status first_states(orr__site at, const orr_module *m, int k, int64_t batch, orr_dtype dtype,
                               orr_tensor *const *state, int states, orr_tensor **carry)
{
    orr_shape want = ORR_SHAPE(m->npart, batch, m->whole[2]);
    for (int i = 0; i < states; i++) {
        if (!state || !state[i]) {
            carry[i] = orr_zeros_at(AT, dtype, ORR_SHAPE(batch, m->whole[2]));
            continue;
        }
        orr_shape have = orr_tensor_shape(state[i]);
        if (orr__nn_check(at, state[i]) != ORR_OK)
            return orr_error_status();
        if (!orr__shape_equal(&have, &want))
            return orr__fail(at, ORR_ESHAPE, "state %d of shape %s is not (layers·directions, batch, hidden): %s", i,
                             orr__str(have).s, orr__str(want).s);
        carry[i] = orr_select_at(AT, state[i], 0, k);
    }
    return ORR_OK;
}

/* All parts on `whole` (batch, steps, in); y[0 … steps): the outputs; last[i·npart + k]: state i of part k at the end. `more` has
 * memory for 3·steps tensors. */
static orr_status run(orr__site at, const orr_module *m, orr_tensor *whole, int64_t steps, int64_t batch,
                      orr_tensor *lengths, orr_tensor *const *state, orr_tensor **y, orr_tensor **last,
                      orr_tensor **more)
{
    orr_tensor **weighed = more + 2 * steps;
    int states = m->whole[0] == ORR_CELL_LSTM ? 2 : 1, directions = (int)m->whole[3];
    orr_dtype dtype = orr_tensor_dtype(m->part[0]->param[0]);
    for (int k = 0; k < m->npart; k++) {
        bool reverse = k % directions != 0;
        orr_tensor *carry[2], **out = more + (reverse ? steps : 0);
        orr_status st = first_states(at, m, k, batch, dtype, state, states, carry);
        work w = { at,      (orr_cell)m->whole[0],   m->whole[2],     m->part[k],
                   lengths, reverse ? steps - 1 : 0, reverse ? -1 : 1 };
        orr_scan_lists lists = {
            .carry = carry, .x = weighed, .y = out, .n_carry = states, .n_x = 1, .n_y = 1, .steps = steps
        };
        weigh_inputs(&w, whole, steps, weighed);
        if (st == ORR_OK)
            st = orr__scan_steps(at, body, &lists, reverse, &w);
        if (st != ORR_OK)
            return st;
        for (int i = 0; i < states; i++)
            last[i * m->npart + k] = carry[i];
        if (k % directions != directions - 1)
            continue;
        for (int64_t t = 0; t < steps; t++) {
            y[t] = directions > 1 ? orr_concat_at(AT, ORR_TENSORS(more[t], more[steps + t]), 1) : more[t];
            if (m->training && m->real[0] > 0.0 && k + 1 < m->npart)
                y[t] = orr_dropout_at(AT, y[t], m->real[0]);
        }
        if (k + 1 < m->npart)
            whole = orr_stack_at(AT, y, (int)steps, 1);
    }
    return ORR_OK;
}

static orr_tensor *apply(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *lengths, orr_tensor **state)
{
    if (check_inputs(at, m, x, lengths) != ORR_OK)
        return orr__handle_new(NULL);
    orr_shape s = orr_tensor_shape(x);
    int states = m->whole[0] == ORR_CELL_LSTM ? 2 : 1;
    int64_t steps = s.dim[1];
    orr_tensor **w = orr__alloc_n((size_t)steps * 4 + (size_t)(states * m->npart), sizeof *w), *y = NULL;
    orr_scope *scope = w ? orr_scope_begin() : NULL;
    if (!scope) {
        free(w);
        return orr__poison(at, ORR_ENOMEM, "no memory for %lld steps", (long long)steps);
    }
    orr_tensor **last = w + 4 * steps;
    if (lengths)
        lengths = orr_expand_dims_at(AT, orr_cast_at(AT, lengths, ORR_I64), 1);
    if (run(at, m, x, steps, s.dim[0], lengths, state, w, last, w + steps) == ORR_OK) {
        y = orr_stack_at(AT, w, (int)steps, 1);
        for (int i = 0; state && i < states; i++)
            state[i] = orr_scope_return_at(AT, scope, orr_stack_at(AT, last + i * m->npart, m->npart, 0));
    } else
        y = orr__handle_new(NULL);
    y = orr_scope_return_at(AT, scope, y);
    (void)orr_scope_end(scope);
    free(w);
    return y;
}

static orr_tensor *recurrent_forward(orr__site at, const orr_module *m, orr_tensor *const *x, int n)
{
    return apply(at, m, x[0], n > 1 ? x[1] : NULL, NULL);
}

orr_tensor *orr_recurrent_forward_at(const char *file, int line, const orr_module *m, orr_tensor *x,
                                     orr_tensor *lengths, orr_tensor **state)
{
    orr__site at = ORR__SITE(file, line, "recurrent_forward");
    if (!m || m->many != recurrent_forward)
        return orr__poison(at, ORR_EINVAL, "the module is %s", m ? "no recurrent layer" : "NULL");
    return apply(at, m, x, lengths, state);
}

/* -- making one --------------------------------------------------------------------------------------------- */

static orr_tensor *part_forward(const char *file, int line, const orr_module *m, orr_tensor *x)
{
    (void)m, (void)x;
    return orr__poison(ORR__SITE(file, line, "forward"), ORR_EINVAL, "a cell is applied by its recurrent layer");
}

static orr_module *part(orr__site at, orr_cell cell, int64_t in, int64_t hidden, bool biased)
{
    ORR__IN_DEFAULT_FPMODE;
    double d = 1.0 / sqrt((double)hidden);
    int64_t wide = gates_of(cell) * hidden;
    orr_module *m = orr__module_of("cell", part_forward, NULL, 1, 1);
    orr_status st = m ? ORR_OK : ORR_ENOMEM;
    static const char *const name[] = { "input", "hidden", "input_bias", "hidden_bias" };
    for (int i = 0; st == ORR_OK && i < (biased ? 4 : 2); i++) {
        orr_shape s = i == INPUT ? ORR_SHAPE(in, wide) : i == HIDDEN ? ORR_SHAPE(hidden, wide) : ORR_SHAPE(wide);
        st = orr__module_add(at, m, name[i], orr_rand_at(AT, ORR_F32, s, -d, d));
    }
    return orr__module_end(m, st);
}

orr_module *orr_recurrent_at(const char *file, int line, orr_cell cell, int64_t in, int64_t hidden,
                             const orr_recurrent_options *options)
{
    orr__site at = ORR__SITE(file, line, "recurrent");
    orr_recurrent_options o = options ? *options : (orr_recurrent_options){ 0 };
    int layers = o.layers ? o.layers : 1, directions = o.bidirectional ? 2 : 1;
    if ((unsigned)cell > ORR_CELL_GRU) {
        (void)orr__fail(at, ORR_EINVAL, "no cell has number %d", (int)cell);
        return NULL;
    }
    if (layers < 1 || !(o.dropout >= 0.0 && o.dropout < 1.0)) {
        (void)orr__fail(at, ORR_EINVAL, "layers %d must be at least 1, and dropout %g in [0, 1)", layers, o.dropout);
        return NULL;
    }
    if (in < 1 || hidden < 1) {
        (void)orr__fail(at, ORR_ESHAPE, "sizes must be at least 1, not in %lld, hidden %lld", (long long)in,
                        (long long)hidden);
        return NULL;
    }
    orr_module *m = orr__module_of("recurrent", NULL, recurrent_forward, 1, 2);
    orr_scope *s = m ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : ORR_ENOMEM;
    if (m) {
        m->whole[0] = cell;
        m->whole[1] = in;
        m->whole[2] = hidden;
        m->whole[3] = directions;
        m->real[0] = o.dropout;
    }
    for (int k = 0; st == ORR_OK && k < layers * directions; k++) {
        char name[ORR__MODULE_NAME];
        (void)snprintf(name, sizeof name, "l%d%s", k / directions, k % directions ? "_reverse" : "");
        int64_t wide = k < directions ? in : hidden * directions;
        st = orr__module_add_part(at, m, name, part(at, cell, wide, hidden, !o.no_bias));
    }
    if (s)
        (void)orr_scope_end(s);
    return orr__module_end(m, st);
}
