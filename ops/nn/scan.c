/* orr_scan: a body for each step, recorded step by step or captured once and run in a loop.
 * Must not know: cells. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/nn/module.h"
#include "ops/nn/scan.h"
#include "ops/nn/scan_loop.h"
#include "ops/record.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* Checks that a carry has the same shape and dtype after a step. */
static orr_status check_carry(orr__site at, orr_tensor *old, orr_tensor *new, int i)
{
    orr_status st = new ? orr__nn_check(at, new) : orr__fail(at, ORR_EINVAL, "the body made carry[%d] NULL", i);
    if (st != ORR_OK)
        return st;
    orr_shape a = orr_tensor_shape(old), b = orr_tensor_shape(new);
    if (!orr__shape_equal(&a, &b))
        return orr__fail(at, ORR_ESHAPE, "carry %d of shape %s becomes %s: a step must keep it", i, orr__str(a).s,
                         orr__str(b).s);
    if (orr_tensor_dtype(old) != orr_tensor_dtype(new))
        return orr__fail(at, ORR_EDTYPE, "carry %d of %s becomes %s: a step must keep it", i,
                         orr_dtype_name(orr_tensor_dtype(old)), orr_dtype_name(orr_tensor_dtype(new)));
    return ORR_OK;
}

/* Calls fn on `carry` and x and checks the result; `old` has capacity for the carry. */
static orr_status step(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, orr_tensor **carry, orr_tensor *const *x,
                       orr_tensor **y, orr_tensor **old, void *user)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < l->n_carry; i++)
        old[i] = carry[i];
    for (int i = 0; i < l->n_y; i++)
        y[i] = NULL;
    fn(carry, x, y, user);
    for (int i = 0; i < l->n_carry && st == ORR_OK; i++)
        st = check_carry(at, old[i], carry[i], i);
    for (int i = 0; i < l->n_y && st == ORR_OK; i++)
        st = y[i] ? orr__nn_check(at, y[i]) : orr__fail(at, ORR_EINVAL, "the body gave no y[%d]: it is NULL", i);
    return st;
}

orr_status orr__scan_steps(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, bool reverse, void *user)
{
    orr_tensor **old = orr__alloc_n((size_t)l->n_carry + 1, sizeof(orr_tensor *));
    orr_status st = old ? ORR_OK : ORR_ENOMEM;
    for (int64_t k = 0; st == ORR_OK && k < l->steps; k++) {
        int64_t t = reverse ? l->steps - 1 - k : k;
        st = step(at, fn, l, l->carry, l->x + t * l->n_x, l->y + t * l->n_y, old, user);
    }
    free(old);
    return st;
}

/* -- loops ------------------------------------------------------------------------------------------------- */

/* Captures the body as a graph. Inputs: carry and x of step 0; outputs: carry and y. Adds the variables that the body reads. */
static orr_graph *capture(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, void *user, orr_tensor **w,
                          orr__scan_reads *reads)
{
    int in = l->n_carry + l->n_x, out = l->n_carry + l->n_y;
    orr_tensor **place = w, **result = w + in, **old = result + out;
    for (int i = 0; i < in; i++) {
        orr_tensor *t = i < l->n_carry ? l->carry[i] : l->x[i - l->n_carry];
        place[i] = orr_placeholder_at(AT, orr_tensor_dtype(t), orr_tensor_shape(t));
        if (i < l->n_carry)
            result[i] = place[i];
    }
    uint64_t before[2], after[2];
    orr__random_state(before);
    if (step(at, fn, l, result, place + l->n_carry, result + l->n_carry, old, user) != ORR_OK)
        return NULL;
    orr__random_state(after);
    if (memcmp(before, after, sizeof before) != 0) {
        (void)orr__fail(at, ORR_EGRAPH,
                        "the body draws random numbers (dropout, orr_rand), and a loop would repeat those of the first "
                        "step in all others: unroll the scan, or draw them before and pass them as x");
        return NULL;
    }
    orr_graph *g = orr_graph_build_at(AT, place, in, result, out); /* new values of variables are computed now */
    if (g && orr__scan_reads_body(at, reads, result, out) != ORR_OK) {
        (void)orr_graph_free(g);
        return NULL;
    }
    return g;
}

static orr_status loop(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, bool reverse, void *user,
                       orr__scan_reads *reads)
{
    int in = l->n_carry + l->n_x, out = l->n_carry + l->n_y;
    orr_tensor **w = orr__alloc_n((size_t)(in + out) * 2 + (size_t)l->n_carry + 1, sizeof *w);
    orr_scope *scope = w ? orr_scope_begin() : NULL;
    if (!scope) {
        free(w);
        return ORR_ENOMEM;
    }
    orr_graph *g = capture(at, fn, l, user, w, reads);
    orr_status st = g ? ORR_OK : orr_error_status();
    for (int64_t k = 0; st == ORR_OK && k < l->steps; k++) {
        int64_t t = reverse ? l->steps - 1 - k : k;
        orr_scope *s = orr_scope_begin();
        orr_tensor **result = w + in;
        for (int i = 0; i < in; i++)
            w[i] = i < l->n_carry ? l->carry[i] : l->x[t * l->n_x + i - l->n_carry];
        st = orr_graph_submit_at(AT, g, w, in, result, out, NULL);
        for (int i = 0; st == ORR_OK && i < out; i++) {
            orr_tensor *kept = orr_scope_return_at(AT, s, result[i]);
            orr__node *node = orr__handle_node(kept);
            if (node && !node->poison)
                node->as = at.op;
            *(i < l->n_carry ? &l->carry[i] : &l->y[t * l->n_y + i - l->n_carry]) = kept;
        }
        (void)orr_scope_end(s);
    }
    for (int i = 0; st == ORR_OK && i < l->n_carry; i++)
        l->carry[i] = orr_scope_return_at(AT, scope, l->carry[i]);
    for (int64_t i = 0; st == ORR_OK && i < l->steps * l->n_y; i++)
        l->y[i] = orr_scope_return_at(AT, scope, l->y[i]);
    (void)orr_graph_free(g);
    (void)orr_scope_end(scope);
    free(w);
    return st;
}

/* -- the public function ------------------------------------------------------------------------------------ */

static orr_status check(orr__site at, orr_scan_fn *fn, const orr_scan_lists *l, int64_t *steps)
{
    if (!fn || !l || (l->n_carry > 0 && !l->carry) || (l->n_x > 0 && !l->x) || (l->n_y > 0 && !l->y))
        return orr__fail(at, ORR_EINVAL, "the %s NULL", fn ? "lists are" : "body is");
    if (l->n_carry < 0 || l->n_x < 0 || l->n_y < 0 || l->n_carry + l->n_x == 0)
        return orr__fail(at, ORR_EINVAL, "%d carries, %d inputs, %d outputs: there must be a carry or an input",
                         l->n_carry, l->n_x, l->n_y);
    *steps = l->steps;
    for (int i = 0; i < l->n_carry; i++)
        if (orr__nn_check(at, l->carry[i]) != ORR_OK)
            return orr_error_status();
    for (int i = 0; i < l->n_x; i++) {
        if (orr__nn_check(at, l->x[i]) != ORR_OK)
            return orr_error_status();
        orr_shape s = orr_tensor_shape(l->x[i]), first = orr_tensor_shape(l->x[0]);
        if (s.rank < 1 || s.dim[0] != first.dim[0])
            return orr__fail(at, ORR_ESHAPE, "inputs 0 and %d of shapes %s and %s differ in their steps", i,
                             orr__str(first).s, orr__str(s).s);
        *steps = s.dim[0];
    }
    return *steps >= 1 ? ORR_OK : orr__fail(at, ORR_EINVAL, "there must be a step, not %lld", (long long)*steps);
}

/* Each result carries the latest error, which is of status st. */
static orr_status fail_all(const orr_scan_lists *l, orr_status st)
{
    for (int i = 0; i < l->n_carry + l->n_y; i++)
        *(i < l->n_carry ? &l->carry[i] : &l->y[i - l->n_carry]) = orr__handle_new(NULL);
    return st;
}

orr_status orr_scan_at(const char *file, int line, orr_scan_fn *fn, const orr_scan_lists *lists, void *user,
                       const orr_scan_options *options)
{
    orr__site at = ORR__SITE(file, line, "scan");
    orr_scan_options o = options ? *options : (orr_scan_options){ 0 };
    int64_t steps = 0;
    orr_status st = check(at, fn, lists, &steps);
    if (st != ORR_OK)
        return st;
    size_t nx = (size_t)lists->n_x, ny = (size_t)lists->n_y, n = (size_t)steps;
    orr_tensor **w = orr__alloc_n(n * (nx + 2 * ny) + 1, sizeof *w);
    orr_scope *scope = w ? orr_scope_begin() : NULL;
    if (!scope) {
        free(w);
        return fail_all(lists, orr__fail(at, ORR_ENOMEM, "no memory for %lld steps", (long long)steps));
    }
    orr_tensor **x = w, **y = w + n * nx, **line_of = y + n * ny;
    orr_scan_lists each = *lists;
    each.x = x;
    each.y = y;
    each.steps = steps;
    for (int64_t t = 0; t < steps; t++)
        for (int i = 0; i < lists->n_x; i++)
            x[t * lists->n_x + i] = orr_select_at(AT, lists->x[i], 0, t);
    orr__scan_reads reads = { 0 };
    uint64_t random[2];
    orr__random_state(random);
    for (int i = 0; o.loop && i < lists->n_carry + lists->n_x; i++)
        orr__scan_reads_operand(&reads, i < lists->n_carry ? lists->carry[i] : lists->x[i - lists->n_carry]);
    st = o.loop ? loop(at, fn, &each, o.reverse, user, &reads) : orr__scan_steps(at, fn, &each, o.reverse, user);
    for (int i = 0; st == ORR_OK && i < lists->n_y; i++) {
        for (int64_t t = 0; t < steps; t++)
            line_of[t] = y[t * lists->n_y + i];
        lists->y[i] = orr_stack_at(AT, line_of, (int)steps, 0);
    }
    if (st == ORR_OK && o.loop)
        st = orr__scan_remember(at, fn, lists, user, o.reverse, steps, &reads, random);
    orr__scan_reads_free(&reads);
    for (int i = 0; st == ORR_OK && i < lists->n_y; i++)
        lists->y[i] = orr_scope_return_at(AT, scope, lists->y[i]);
    for (int i = 0; st == ORR_OK && i < lists->n_carry; i++)
        lists->carry[i] = orr_scope_return_at(AT, scope, lists->carry[i]);
    (void)orr_scope_end(scope);
    free(w);
    return st == ORR_OK ? st : fail_all(lists, st);
}
