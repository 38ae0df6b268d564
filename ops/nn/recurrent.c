/* Recurrent layers: recurrences in layers and directions.
 * Must not know: how a recurrence runs. */
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
#include "ops/nn/recurrence.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* Numbers of the layer. whole: cell, in, hidden, directions; real: dropout. There is a part for each layer and
 * direction. */
enum { INPUT, HIDDEN, INPUT_BIAS, HIDDEN_BIAS };

static int gates_of(orr_cell cell)
{
    return cell == ORR_CELL_LSTM ? 4 : cell == ORR_CELL_GRU ? 3 : 1;
}

/* One product weights the inputs of all steps, since these need no state; the weights are read once. It includes both biases,
 * except for a GRU, which multiplies its second bias. */
static orr_tensor *weigh_inputs(orr__site at, orr_cell cell, const orr_module *part, orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x), w = orr_tensor_shape(part->param[INPUT]);
    x = orr_reshape_at(AT, x, ORR_SHAPE(s.dim[0] * s.dim[1], s.dim[2]));
    x = orr_matmul_at(AT, x, part->param[INPUT]);
    for (int i = INPUT_BIAS; i < part->nparam && i <= (cell == ORR_CELL_GRU ? INPUT_BIAS : HIDDEN_BIAS); i++)
        x = orr_add_at(AT, x, part->param[i]);
    return orr_reshape_at(AT, x, ORR_SHAPE(s.dim[0], s.dim[1], w.dim[1]));
}

/* More layers are taken for a mistake: recording them would take minutes. */
enum { LAYERS_MOST = 1024 }; /* limit of a format */

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

/* The first states of part k: those given, or zeros. */
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

/* Runs part k on x (batch, steps, in). lengths: of the sequences, or NULL. carry: the first states, replaced by the
 * last ones. */
static orr_tensor *run(orr__site at, const orr_module *m, int k, orr_tensor *x, orr_tensor *lengths, orr_tensor **carry)
{
    const orr_module *part = m->part[k];
    orr_cell cell = (orr_cell)m->whole[0];
    orr__recurs r = { .cell = cell,
                      .reverse = k % m->whole[3] != 0,
                      .keeps = m->training,
                      .x = weigh_inputs(at, cell, part, x),
                      .w = part->param[HIDDEN],
                      .h = carry[0],
                      .c = cell == ORR_CELL_LSTM ? carry[1] : NULL,
                      .bias = cell == ORR_CELL_GRU && part->nparam > HIDDEN_BIAS ? part->param[HIDDEN_BIAS] : NULL,
                      .lengths = lengths };
    orr_tensor *y = orr__recurrence(at, &r, carry);
    if (!lengths)
        return y;
    int64_t steps = orr_tensor_shape(x).dim[1];
    orr_tensor *t = orr_arange_at(AT, ORR_I64, 0, (double)steps, 1);
    orr_tensor *within = orr_greater_at(AT, orr_expand_dims_at(AT, lengths, 1), t);
    return orr_where_at(AT, orr_expand_dims_at(AT, within, 2), y, orr_scalar_at(AT, 0));
}

/* Runs all parts; last[i·npart + k]: state i of part k at the end. */
static orr_tensor *run_all(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *lengths,
                           orr_tensor *const *state, orr_tensor **last)
{
    int states = m->whole[0] == ORR_CELL_LSTM ? 2 : 1, directions = (int)m->whole[3];
    int64_t batch = orr_tensor_shape(x).dim[0];
    orr_dtype dtype = orr_tensor_dtype(m->part[0]->param[0]);
    for (int k = 0; k < m->npart; k += directions) {
        orr_tensor *y[2], *carry[2] = { NULL, NULL };
        for (int d = 0; d < directions; d++) {
            if (first_states(at, m, k + d, batch, dtype, state, states, carry) != ORR_OK)
                return orr__handle_new(NULL);
            y[d] = run(at, m, k + d, x, lengths, carry);
            for (int i = 0; i < states; i++)
                last[i * m->npart + k + d] = carry[i];
        }
        x = directions > 1 ? orr_concat_at(AT, y, 2, 2) : y[0];
        if (m->training && m->real[0] > 0.0 && k + directions < m->npart)
            x = orr_dropout_at(AT, x, m->real[0]);
    }
    return x;
}

static orr_tensor *apply(orr__site at, const orr_module *m, orr_tensor *x, orr_tensor *lengths, orr_tensor **state)
{
    if (check_inputs(at, m, x, lengths) != ORR_OK)
        return orr__handle_new(NULL);
    int states = m->whole[0] == ORR_CELL_LSTM ? 2 : 1;
    orr_tensor **last = orr__alloc_n((size_t)(states * m->npart), sizeof *last), *y;
    orr_scope *scope = last ? orr_scope_begin() : NULL;
    if (!scope) {
        free(last);
        return orr__poison(at, ORR_ENOMEM, "no memory for %d parts", m->npart);
    }
    if (lengths)
        lengths = orr_cast_at(AT, lengths, ORR_I64);
    y = run_all(at, m, x, lengths, state, last);
    for (int i = 0; state && orr_tensor_status(y) == ORR_OK && i < states; i++)
        state[i] = orr_scope_return_at(AT, scope, orr_stack_at(AT, last + i * m->npart, m->npart, 0));
    y = orr_scope_return_at(AT, scope, y);
    (void)orr_scope_end(scope);
    free(last);
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
    if (orr__module_check(at, m) != ORR_OK)
        return orr__handle_new(NULL);
    if (m->many != recurrent_forward)
        return orr__poison(at, ORR_EINVAL, "the module is no recurrent layer");
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
    if (layers < 1 || layers > LAYERS_MOST || !(o.dropout >= 0.0 && o.dropout < 1.0)) {
        (void)orr__fail(at, ORR_EINVAL, "layers %d must be 1 to %d, and dropout %g in [0, 1)", layers, LAYERS_MOST,
                        o.dropout);
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
