/* Rules of every gradient: dtypes, operations that pass or stop it, operations without a derivative, unreachable
 * inputs.
 * Must not know: how a derivative is made. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "tests/harness/ops_help.h"

/* Gradients by the engine equal those by the reference evaluation, in every float dtype. */
static void gradients_keep_the_dtype(void)
{
    for (int d = ORR_F16; d <= ORR_F64; d++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(2, 2), (double[]){ 1, 2, -1, 0.5 }), (orr_dtype)d), *g;
        ORR_CHECK(orr_grad(orr_sum(orr_square(x), ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
        help_check_values(g, (orr_dtype)d, ORR_SHAPE(2, 2), (double[]){ 2, 4, -2, 1 });
        (void)orr_scope_end(s);
    }
}

static void gradient_passes_through_casts(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2), (float[]){ 1, 2 }), *g;
    orr_tensor *y = orr_mul(orr_cast(x, ORR_F64), orr_scalar(3));
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F32, ORR_SHAPE(2), (double[]){ 3, 3 });
    y = orr_mul(orr_cast(orr_cast(x, ORR_I32), ORR_F32), x); /* no gradient flows through integers */
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F32, ORR_SHAPE(2), (double[]){ 1, 2 });
    (void)orr_scope_end(s);
}

static void detach_stops_the_gradient(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 }), *g;
    ORR_CHECK(orr_grad(orr_mul(x, orr_detach(orr_square(x))), &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(2), (double[]){ 1, 4 });
    (void)orr_scope_end(s);
}

static void tensors_without_a_path_to_y_get_zeros(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[3] = { orr_ones(ORR_F32, ORR_SHAPE(2)), orr_ones(ORR_F64, ORR_SHAPE(1, 2)), NULL }, *g[3];
    x[2] = x[0];
    ORR_CHECK(orr_grad(orr_mul(x[0], orr_scalar(2)), x, 3, g) == ORR_OK);
    help_check_values(g[0], ORR_F32, ORR_SHAPE(2), (double[]){ 2, 2 });
    help_check_values(g[1], ORR_F64, ORR_SHAPE(1, 2), (double[]){ 0, 0 });
    help_check_values(g[2], ORR_F32, ORR_SHAPE(2), (double[]){ 2, 2 });
    ORR_CHECK(g[0] != g[2]);
    (void)orr_scope_end(s);
}

static void gradient_by_an_intermediate_and_by_y_itself(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 });
    orr_tensor *b = orr_square(a), *y = orr_mul(b, a), *x[3] = { b, y, a }, *g[3];
    ORR_CHECK(orr_grad(y, x, 3, g) == ORR_OK);
    help_check_values(g[0], ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 });
    help_check_values(g[1], ORR_F64, ORR_SHAPE(2), (double[]){ 1, 1 });
    help_check_values(g[2], ORR_F64, ORR_SHAPE(2), (double[]){ 3, 12 });
    (void)orr_scope_end(s);
}

static void vjp_takes_its_seed(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 }), *g;
    orr_tensor *seed = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 10, 100 });
    ORR_CHECK(orr_vjp(orr_square(x), seed, &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(2), (double[]){ 20, 400 });
    (void)orr_scope_end(s);
}

static void maximum_shares_the_gradient_among_equals(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(4), (double[]){ 1, 3, 3, 0 }), *g;
    ORR_CHECK(orr_grad(orr_max(x, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(4), (double[]){ 0, 0.5, 0.5, 0 });
    (void)orr_scope_end(s);
}

static void roots_of_zero_have_derivative_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_zeros(ORR_F64, ORR_SHAPE(3)), *g;
    ORR_CHECK(orr_grad(orr_norm(x, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(3), (double[]){ 0, 0, 0 });
    ORR_CHECK(orr_grad(orr_std(x, ORR_ALL_AXES, 0, false), &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(3), (double[]){ 0, 0, 0 });
    (void)orr_scope_end(s);
}

static void gradient_by_a_variable(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 })), *g;
    ORR_CHECK(orr_grad(orr_square(v), &v, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(2), (double[]){ 2, 4 });
    (void)orr_scope_end(s);
}

static void long_chains_need_no_stack(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE_0D, (double[]){ 1 }), *y = x, *g;
    for (int i = 0; i < 100000; i++)
        y = orr_add(y, x);
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK);
    double *d = help_doubles(g);
    ORR_CHECK(d && d[0] == 100001);
    free(d);
    (void)orr_scope_end(s);
}

static void gradient_is_recorded_before_evaluation(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 }), *y = orr_square(x), *g = NULL;
    ORR_CHECK(orr_eval(y) == ORR_OK);
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_EGRAPH);
    ORR_CHECK(orr_tensor_status(g) == ORR_EGRAPH);
    ORR_CHECK(strstr(orr_error_message(), "take the gradient before") != NULL);
    ORR_CHECK(orr_grad(y, &y, 1, &g) == ORR_OK);
    (void)orr_scope_end(s);
}

static void a_forgotten_intermediate_is_no_silent_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(2))), *h = orr_exp(w), *g = NULL;
    ORR_CHECK(orr_eval(h) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(h, w), &w, 1, &g) == ORR_EGRAPH);
    ORR_CHECK(strstr(orr_error_message(), "exp (") != NULL);
    ORR_CHECK(orr_grad(orr_mul(orr_detach(h), w), &w, 1, &g) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(orr_cast(orr_argmax(h, 0, true), ORR_F64), w), &w, 1, &g) == ORR_OK);
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, 2 }), *data = orr_square(x);
    ORR_CHECK(orr_eval(data) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(data, w), &w, 1, &g) == ORR_OK); /* it cannot depend on a variable */
    ORR_CHECK(orr_grad(orr_mul(data, x), &x, 1, &g) == ORR_EGRAPH);
    ORR_CHECK(orr_grad(orr_mul(data, x), &data, 1, &g) == ORR_OK);
    (void)orr_scope_end(s);
}

static void evaluated_data_that_x_is_not_behind_is_a_constant(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *older = orr_exp(orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 0, 0 })), *g = NULL;
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 3, 4 });
    orr_tensor *younger = orr_exp(orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 0, 0 }));
    orr_tensor *cut = orr_exp(orr_detach(orr_square(x))), *made = orr_mul(orr_square(x), younger);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(older, younger, cut, made)) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(orr_mul(older, younger), x), &x, 1, &g) == ORR_OK);
    help_check_values(g, ORR_F64, ORR_SHAPE(2), (double[]){ 1, 1 });
    ORR_CHECK(orr_grad(orr_mul(cut, x), &x, 1, &g) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(made, older), &x, 1, &g) == ORR_EGRAPH);
    orr_tensor *again = orr_add(made, orr_scalar(1)); /* values computed from it depend on it, too */
    ORR_CHECK(orr_eval(again) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(again, x), &x, 1, &g) == ORR_EGRAPH);
    orr_tensor *z = orr_square(orr_mul(x, younger)), *above = orr_exp(z); /* x that is no leaf */
    ORR_CHECK(orr_eval_all(ORR_TENSORS(z, above)) == ORR_OK);
    ORR_CHECK(orr_grad(orr_mul(above, z), &z, 1, &g) == ORR_EGRAPH);
    ORR_CHECK(orr_grad(orr_mul(orr_mul(older, made), z), &z, 1, &g) == ORR_OK); /* made before z */
    (void)orr_scope_end(s);
}

/* With many leaves in between, a superfluous error is allowed, a missing gradient is not. */
static void of_many_leaves_none_is_lost(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[100], *sum = orr_scalar(0), *g = NULL;
    for (int i = 0; i < 100; i++) {
        x[i] = orr_from(ORR_F64, ORR_SHAPE(1), (double[]){ i });
        sum = orr_add(sum, orr_square(x[i]));
    }
    ORR_CHECK(orr_eval(sum) == ORR_OK);
    for (int i = 0; i < 100; i++)
        ORR_CHECK(orr_grad(orr_mul(sum, x[i]), &x[i], 1, &g) == ORR_EGRAPH);
    (void)orr_scope_end(s);
}

static bool refused_by(orr_tensor *y, orr_tensor *x, const char *why)
{
    orr_tensor *g;
    orr_status st = orr_grad(y, &x, 1, &g);
    bool ok = st == ORR_EGRAPH && orr_tensor_status(g) == ORR_EGRAPH && strstr(orr_error_message(), why) != NULL;
    if (!ok)
        printf("    %s: %s\n", orr_status_name(st), orr_error_message());
    return ok;
}

static bool refused(orr_tensor *y, orr_tensor *x, const char *why)
{
    return refused_by(orr_sum(y, ORR_ALL_AXES, false), x, why);
}

static bool gradient_is(orr_tensor *y, orr_tensor *x, double want)
{
    orr_tensor *g;
    double v = NAN;
    bool ok = orr_grad(orr_sum(y, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK &&
              orr_item(orr_sum(g, ORR_ALL_AXES, false), &v) == ORR_OK && fabs(v - want) < 1e-5;
    if (!ok)
        printf("    %g in place of %g: %s\n", v, want, orr_error_message());
    return ok;
}

/* Results of graphs: no history, so an error names the call; what cannot flow to a result is no error. */
static void results_of_graphs_are_no_silent_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_full(ORR_F64, ORR_SHAPE(2, 2), 0.3)), *x = orr_variable(w), *r[4];
    orr_tensor *p[2] = { orr_placeholder(ORR_F64, ORR_SHAPE(2, 2)), orr_placeholder(ORR_F64, ORR_SHAPE(2, 2)) };
    orr_tensor *c = orr_full(ORR_F64, ORR_SHAPE(2, 2), 2);
    orr_tensor *out[4] = { orr_matmul(p[0], w), orr_square(p[1]), orr_mul(orr_detach(orr_exp(p[0])), c), p[1] };
    orr_graph *g = orr_graph_build(p, 2, out, 4);
    ORR_REQUIRE(g != NULL);
    orr_tensor *constant = orr_square(c), *value[2] = { x, constant };
    ORR_REQUIRE(orr_graph_submit(g, value, 2, r, 4, NULL) == ORR_OK);
    ORR_CHECK(refused(r[0], x, "graph_submit (") && strstr(orr_error_message(), "grad_rules.c") != NULL);
    ORR_CHECK(refused(orr_mul(r[0], x), w, "orr_detach"));
    ORR_CHECK(refused(orr_mul(r[1], constant), constant, "graph_submit ("));
    ORR_CHECK(refused(r[2], c, "graph_submit ("));
    ORR_CHECK(refused(r[3], constant, "graph_submit ("));
    ORR_CHECK(gradient_is(orr_mul(r[1], w), w, 16 * 4));                /* of constants alone */
    ORR_CHECK(gradient_is(orr_mul(orr_detach(r[0]), x), x, 2.4 * 0.3)); /* 4 elements of 0.18 */
    ORR_CHECK(gradient_is(orr_square(r[0]), r[0], 2 * 4 * 0.18));       /* a result may be an x */
    orr_tensor *q[4];
    ORR_REQUIRE(orr_graph_submit(g, ORR_TENSORS(constant, x), q, 4, NULL) == ORR_OK); /* the same graph, other values */
    ORR_CHECK(refused(orr_mul(q[1], x), x, "graph_submit ("));
    ORR_REQUIRE(orr_graph_submit(g, ORR_TENSORS(r[0], constant), q, 4, NULL) == ORR_OK); /* a result of a result */
    ORR_CHECK(refused(q[0], x, "graph_submit ("));
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    (void)orr_scope_end(s);
}

static orr_tensor *weights_of_steps;
static void steps_body(orr_tensor **c, orr_tensor *const *x, orr_tensor **y, void *user)
{
    (void)x;
    (void)user;
    c[0] = orr_tanh(orr_matmul(c[0], weights_of_steps));
    y[0] = c[0];
}

/* The value is that of a program in NumPy with the same steps. */
static void a_scan_in_a_loop_is_no_silent_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_full(ORR_F64, ORR_SHAPE(2, 2), 0.3)), *y;
    weights_of_steps = w;
    for (int loop = 0; loop < 2; loop++) {
        orr_tensor *c = orr_ones(ORR_F64, ORR_SHAPE(1, 2));
        ORR_CHECK(orr_scan(steps_body, &(orr_scan_lists){ .carry = &c, .y = &y, .n_carry = 1, .n_y = 1, .steps = 5 },
                           NULL, &(orr_scan_options){ .loop = loop }) == ORR_OK);
        ORR_CHECK(gradient_is(c, w, 2.01633));
        orr_tensor *gc, *gy, *last = orr_select(y, 0, 4);
        double both = 0;
        ORR_CHECK(orr_grad(orr_sum(last, ORR_ALL_AXES, false), ORR_TENSORS(w), &gy) == ORR_OK &&
                  orr_item(orr_sum(gy, ORR_ALL_AXES, false), &both) == ORR_OK && fabs(both - 2.01633) < 1e-5);
        ORR_CHECK(orr_grad(orr_sum(orr_add(c, last), ORR_ALL_AXES, false), ORR_TENSORS(w), &gc) == ORR_OK &&
                  orr_item(orr_sum(gc, ORR_ALL_AXES, false), &both) == ORR_OK && fabs(both - 2 * 2.01633) < 1e-5);
        if (loop) {
            ORR_CHECK(orr_assign(w, orr_full(ORR_F64, ORR_SHAPE(2, 2), 0.5)) == ORR_OK);
            ORR_CHECK(refused(c, w, "was assigned"));
        }
    }
    (void)orr_scope_end(s);
}

static orr_tensor *squared(orr_tensor *x, int64_t i, void *user)
{
    (void)i;
    (void)user;
    return orr_square(x);
}

static orr_tensor *times_weights(orr_tensor *x, void *user)
{
    (void)user;
    return orr_mul(x, weights_of_steps);
}

static void functions_that_evaluate_are_no_silent_zero(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(3))), *r, *b = orr_ones(ORR_F64, ORR_SHAPE(3, 1));
    weights_of_steps = orr_variable(orr_from(ORR_F64, ORR_SHAPE(3, 1), (double[]){ 1, 2, 3 }));
    ORR_CHECK(orr_par_map(1, squared, &x, NULL, &r) == ORR_OK && refused(r, x, "take the gradient before"));
    orr_cg_result of_cg;
    ORR_CHECK(orr_cg(times_weights, NULL, b, NULL, &of_cg) == ORR_OK &&
              refused(of_cg.x, b, "take the gradient before"));
    ORR_CHECK(refused(of_cg.x, weights_of_steps, "take the gradient before"));
    orr_lobpcg_result of_lobpcg;
    ORR_CHECK(orr_lobpcg(times_weights, NULL, b, true, NULL, &of_lobpcg) == ORR_OK &&
              refused(of_lobpcg.w, weights_of_steps, "take the gradient before"));
    double host[3];
    orr_tensor *y = orr_square(x);
    ORR_CHECK(orr_read(y, host, sizeof host) == ORR_OK && refused(y, x, "take the gradient before"));
    ORR_CHECK(gradient_is(orr_mask_select(x, orr_greater(x, orr_scalar(0))), x, 3));
    orr_tensor *cut = orr_exp(orr_detach(orr_square(x))); /* cut on purpose: a constant, evaluated or not */
    ORR_CHECK(gradient_is(orr_mul(cut, x), x, 3 * exp(1)));
    ORR_CHECK(orr_eval(cut) == ORR_OK && gradient_is(orr_mul(cut, x), x, 3 * exp(1)));
    orr_tensor *place = orr_cast(orr_argmax(orr_square(x), 0, true), ORR_F64);
    ORR_CHECK(orr_eval(place) == ORR_OK && gradient_is(orr_mul(place, x), x, 0));
    (void)orr_scope_end(s);
}

static void the_gradient_by_a_variable_assigned_since_is_an_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(2))), *y = orr_square(v), *other = orr_variable(v);
    ORR_CHECK(gradient_is(y, v, 4));
    ORR_CHECK(orr_assign(v, orr_mul(v, orr_scalar(3))) == ORR_OK);
    ORR_CHECK(refused(y, v, "assigned (") && refused(orr_mul(y, v), v, "assigned ("));
    ORR_CHECK(gradient_is(orr_mul(orr_detach(y), v), v, 2)); /* the former value as a constant */
    ORR_CHECK(gradient_is(orr_mul(y, other), other, 2));     /* another variable's gradient is none of its business */
    ORR_CHECK(gradient_is(orr_square(v), v, 12));
    ORR_CHECK(orr_eval(v) == ORR_OK && refused(y, v, "assigned ("));
    (void)orr_scope_end(s);
}

/* Values that are made from what y was made from, but after y, are no zeros; a constant y and an older x are. */
static void the_gradient_by_what_was_computed_after_y_is_an_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(3), (double[]){ 1, 2, 3 }), *y = orr_square(x), *g[2];
    orr_tensor *place = orr_from(ORR_I64, ORR_SHAPE(1), (int64_t[]){ 0 });
    orr_tensor *unused = orr_ones(ORR_F64, ORR_SHAPE(2)), *older = orr_exp(unused),
               *loss = orr_sum(y, ORR_ALL_AXES, false);
    orr_tensor *set = orr_scatter(x, place, orr_full(ORR_F64, ORR_SHAPE(1), 5), 0, ORR_SCATTER_SET);
    ORR_CHECK(refused_by(loss, set, "(scatter,") && refused_by(loss, orr_add(x, x), "(add,"));
    ORR_CHECK(refused_by(loss, orr_slice_axis(x, 0, 0, 2, 1), "record y anew") &&
              refused_by(loss, orr_detach(x), "(detach,"));
    ORR_CHECK(orr_eval(set) == ORR_OK && refused_by(loss, set, "(scatter,"));
    ORR_CHECK(orr_vjp(loss, orr_ones(ORR_F64, ORR_SHAPE_0D), (orr_tensor *[]){ x, set }, 2, g) == ORR_EGRAPH);
    ORR_CHECK(orr_tensor_status(g[0]) == ORR_EGRAPH && orr_tensor_status(g[1]) == ORR_EGRAPH);
    orr_tensor *both[2] = { unused, orr_ones(ORR_F64, ORR_SHAPE(2)) };
    ORR_CHECK(orr_grad(loss, both, 2, g) == ORR_OK && orr_grad(loss, &loss, 1, g) == ORR_OK);
    ORR_CHECK(refused_by(loss, older, "(exp,"));
    ORR_CHECK(orr_grad(x, (orr_tensor *[]){ x, set }, 2, g) == ORR_OK); /* a leaf is constant */
    ORR_CHECK(gradient_is(orr_square(set), set, 20));
    (void)orr_scope_end(s);
}

/* A part that was taken from x before y was computed from x is another tensor than x. A function may leave an argument of its own unused. */
static void the_gradient_by_what_y_does_not_use_is_an_error_if_it_was_computed(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(3), (double[]){ 1, 2, 3 }), *g[2];
    orr_tensor *part = orr_slice_axis(x, 0, 0, 2, 1), *again = orr_reshape(x, ORR_SHAPE(3, 1)), *y = orr_square(x);
    ORR_CHECK(refused(y, part, "does not depend on x[0] (slice") && strstr(orr_error_message(), "grad_rules.c"));
    ORR_CHECK(refused(y, again, "does not depend"));
    ORR_CHECK(orr_vjp(y, orr_ones(ORR_F64, ORR_SHAPE(3)), &part, 1, g) == ORR_EGRAPH);
    ORR_CHECK(orr_grad(y, (orr_tensor *[]){ x, part }, 2, g) == ORR_EGRAPH && strstr(orr_error_message(), "x[1]"));
    ORR_CHECK(orr_tensor_status(g[0]) == ORR_EGRAPH);
    ORR_CHECK(orr_grad_or_zeros(y, (orr_tensor *[]){ x, part }, 2, g) == ORR_OK);
    help_check_values(g[0], ORR_F64, ORR_SHAPE(3), (double[]){ 2, 4, 6 });
    help_check_values(g[1], ORR_F64, ORR_SHAPE(2), (double[]){ 0, 0 });
    ORR_CHECK(gradient_is(orr_square(part), part, 6) && gradient_is(orr_square(part), x, 6));
    orr_tensor *v = orr_variable(x);
    ORR_CHECK(orr_assign(v, orr_square(v)) == ORR_OK && gradient_is(y, v, 0)); /* a variable stays one */
    ORR_CHECK(orr_eval(part) == ORR_OK && refused(y, part, "does not depend"));
    (void)orr_scope_end(s);
}

/* PyTorch has no gradient there, either, and zeros for floor, round and sign. */
static void the_gradient_through_whole_numbers_alone_is_an_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(3), (double[]){ 1.5, 2.5, 0 }), *w = orr_ones(ORR_F64, ORR_SHAPE(3));
    orr_tensor *two = orr_full(ORR_F64, ORR_SHAPE(3), 2), *g[2], *whole = orr_argmax(x, 0, true);
    orr_tensor *above = orr_where(orr_greater(x, two), w, two);
    ORR_CHECK(refused(orr_mul(orr_cast(whole, ORR_F64), w), x, "argreduce (") && strstr(orr_error_message(), "alone"));
    ORR_CHECK(refused(orr_cast(orr_cast(x, ORR_I32), ORR_F64), x, "cast ("));
    ORR_CHECK(refused(above, x, "greater (") && gradient_is(above, orr_variable(x), 0));
    ORR_CHECK(orr_grad(above, (orr_tensor *[]){ w, x }, 2, g) == ORR_EGRAPH && strstr(orr_error_message(), "x[1]"));
    ORR_CHECK(orr_grad_or_zeros(above, (orr_tensor *[]){ w, x }, 2, g) == ORR_OK);
    help_check_values(g[0], ORR_F64, ORR_SHAPE(3), (double[]){ 0, 1, 0 });
    help_check_values(g[1], ORR_F64, ORR_SHAPE(3), (double[]){ 0, 0, 0 });
    ORR_CHECK(orr_eval(whole) == ORR_OK && refused(orr_mul(orr_cast(whole, ORR_F64), w), x, "argreduce ("));
    orr_tensor *tenth = orr_floor(orr_mul(x, w));
    ORR_CHECK(gradient_is(tenth, x, 0) && gradient_is(orr_round(x), x, 0) && gradient_is(orr_sign(x), x, 0));
    ORR_CHECK(gradient_is(orr_where(orr_greater(x, two), x, two), x, 1));
    ORR_CHECK(gradient_is(orr_mul(orr_detach(x), w), x, 0)); /* cut on purpose */
    ORR_REQUIRE(orr_grad(orr_sum(orr_where(orr_greater(x, two), x, two), ORR_ALL_AXES, false), &x, 1, g) == ORR_OK);
    ORR_CHECK(gradient_is(g[0], x, 0) && gradient_is(orr_mul(g[0], w), x, 0)); /* a second derivative of 0 */
    (void)orr_scope_end(s);
}

/* A scalar without a dtype becomes a number of each operation, so no gradient could flow to it. */
static void a_scalar_without_a_dtype_is_no_x(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_scalar(3), *g;
    ORR_CHECK(orr_grad(orr_square(x), &x, 1, &g) == ORR_EINVAL && strstr(orr_error_message(), "orr_full(") != NULL);
    ORR_CHECK(orr_tensor_status(g) == ORR_EINVAL);
    ORR_CHECK(orr_grad(orr_mul(orr_ones(ORR_F64, ORR_SHAPE(2)), x), &x, 1, &g) == ORR_EINVAL);
    orr_tensor *v = orr_variable(x), *full = orr_full(ORR_F64, ORR_SHAPE_0D, 3);
    ORR_CHECK(gradient_is(orr_square(v), v, 6) && gradient_is(orr_square(full), full, 6));
    (void)orr_scope_end(s);
}

/* The sum of a convolution of ones: each tap meets 16 or 12 or 9 elements of the 4 x 4 image. */
static void a_kernel_that_was_factored_has_its_gradient(void)
{
    orr_scope *s = orr_scope_begin();
    double w[9];
    for (int i = 0; i < 9; i++)
        w[i] = (double)(i / 3 + 1) * (i % 3 + 1);
    orr_tensor *x = orr_ones(ORR_F64, ORR_SHAPE(4, 4)), *k = orr_from(ORR_F64, ORR_SHAPE(3, 3), w);
    orr_tensor *y = orr_sum(orr_convolve(x, k, ORR_CONV_SAME, ORR_CONV_ZERO), ORR_ALL_AXES, false), *g[2];
    ORR_REQUIRE(orr_grad(y, ORR_TENSORS(k, x), g) == ORR_OK);
    help_check_values(g[0], ORR_F64, ORR_SHAPE(3, 3), (double[]){ 9, 12, 9, 12, 16, 12, 9, 12, 9 });
    help_check_values(g[1], ORR_F64, ORR_SHAPE(4, 4),
                      (double[]){ 25, 30, 30, 15, 30, 36, 36, 18, 30, 36, 36, 18, 15, 18, 18, 9 });
    (void)orr_scope_end(s);
}

/* d f/dx[k] at one point, for f with one operand or two. */
static double slope(orr_tensor *(*one)(const char *, int, orr_tensor *),
                    orr_tensor *(*two)(const char *, int, orr_tensor *, orr_tensor *), orr_dtype d, double x, double y,
                    int k)
{
    double v = NAN;
    orr_scope *s = orr_scope_begin();
    orr_tensor *in[2] = { orr_full(d, ORR_SHAPE(3), x), orr_full(d, ORR_SHAPE(3), y) }, *g = NULL;
    orr_tensor *f = one ? one(ORR_HERE, in[0]) : two(ORR_HERE, in[0], in[1]);
    ORR_CHECK(orr_grad(f, &in[k], 1, &g) == ORR_OK);
    ORR_CHECK(orr_item(orr_select(g, 0, 0), &v) == ORR_OK);
    (void)orr_scope_end(s);
    return v;
}

/* Arguments at which a square in the derivative would overflow, or is 0 below a fraction. The expected values are the
 * formulas' in f64; PyTorch's gradient of atan2 at the origin is 0 as well. */
static void derivatives_hold_where_squares_leave_the_range(void)
{
    static const double far[][2] = { { 300, 1 }, { 1000, 1 }, { 60000, 1 }, { -300, 0 }, { -1000, 0 }, { -60000, 0 } };
    for (int i = 0; i < 6; i++)
        ORR_CHECK(slope(orr_gelu_tanh_at, NULL, ORR_F16, far[i][0], 0, 0) == far[i][1]);
    for (int d = ORR_BF16; d <= ORR_F32; d++)
        for (int i = 0; i < 6; i++)
            ORR_CHECK(slope(orr_gelu_tanh_at, NULL, (orr_dtype)d, far[i][0] * 1e30, 0, 0) == far[i][1]);
    for (int d = ORR_F16; d <= ORR_F64; d++)
        for (int k = 0; k < 2; k++)
            ORR_CHECK(slope(NULL, orr_atan2_at, (orr_dtype)d, 0, 0, k) == 0);
    ORR_CHECK(fabs(slope(NULL, orr_atan2_at, ORR_F16, 300, 400, 0) - 0.0016) < 1e-5);
    ORR_CHECK(fabs(slope(NULL, orr_atan2_at, ORR_F16, 300, 400, 1) + 0.0012) < 1e-5);
    ORR_CHECK(fabs(slope(NULL, orr_atan2_at, ORR_F32, 3e-30, 4e-30, 0) / 1.6e29 - 1) < 1e-6);
    ORR_CHECK(fabs(slope(NULL, orr_atan2_at, ORR_F32, 3e30, 4e30, 1) / -1.2e-31 - 1) < 1e-6);
    ORR_CHECK(fabs(slope(orr_acosh_at, NULL, ORR_F16, 300, 0, 0) * 299.99833 - 1) < 2e-3);
    ORR_CHECK(fabs(slope(orr_acosh_at, NULL, ORR_F32, 1e20, 0, 0) / 1e-20 - 1) < 1e-6);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(gradients_keep_the_dtype),
                                      ORR_TEST(gradient_passes_through_casts),
                                      ORR_TEST(detach_stops_the_gradient),
                                      ORR_TEST(tensors_without_a_path_to_y_get_zeros),
                                      ORR_TEST(gradient_by_an_intermediate_and_by_y_itself),
                                      ORR_TEST(vjp_takes_its_seed),
                                      ORR_TEST(maximum_shares_the_gradient_among_equals),
                                      ORR_TEST(roots_of_zero_have_derivative_zero),
                                      ORR_TEST(gradient_by_a_variable),
                                      ORR_TEST(long_chains_need_no_stack),
                                      ORR_TEST(gradient_is_recorded_before_evaluation),
                                      ORR_TEST(a_forgotten_intermediate_is_no_silent_zero),
                                      ORR_TEST(evaluated_data_that_x_is_not_behind_is_a_constant),
                                      ORR_TEST(of_many_leaves_none_is_lost),
                                      ORR_TEST(results_of_graphs_are_no_silent_zero),
                                      ORR_TEST(a_scan_in_a_loop_is_no_silent_zero),
                                      ORR_TEST(functions_that_evaluate_are_no_silent_zero),
                                      ORR_TEST(the_gradient_by_a_variable_assigned_since_is_an_error),
                                      ORR_TEST(the_gradient_by_what_was_computed_after_y_is_an_error),
                                      ORR_TEST(the_gradient_by_what_y_does_not_use_is_an_error_if_it_was_computed),
                                      ORR_TEST(the_gradient_through_whole_numbers_alone_is_an_error),
                                      ORR_TEST(a_scalar_without_a_dtype_is_no_x),
                                      ORR_TEST(a_kernel_that_was_factored_has_its_gradient),
                                      ORR_TEST(derivatives_hold_where_squares_leave_the_range),
                                      { 0 } };
    return help_main(argc, argv, "ops.grad_rules", tests);
}
