/* orr_check and ORRERY_CHECK=nonfinite: the line that made the first NaN or infinity from finite numbers is named, with the element and its
 * operands, and nothing is said of programs whose results are finite.
 * Must not know: how the line is found. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <orrery/optim.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/pool.h"
#include "tests/harness/check_help.h"
#include "tests/harness/harness.h"

enum { N = 100000, PLACE = 77123 };

static void names(const char *text, int line, const char *op, const char *more)
{
    char place[64];
    (void)snprintf(place, sizeof place, "check.c:%d: %s: ", line, op);
    ORR_CHECK_MSG(strstr(text, place) && strstr(text, more), "\"%s\" should have \"%s\" and \"%s\"", text, place, more);
}

/* Numbers of which only that at PLACE is 0. */
static orr_tensor *one_zero(orr_dtype t)
{
    orr_tensor *i = orr_arange(ORR_I64, 0, N, 1);
    return orr_cast(orr_not_equal(i, orr_full(ORR_I64, ORR_SHAPE_0D, PLACE)), t);
}

static void the_line_of_a_quotient_is_named(void)
{
    orr_test_check_begin("off", NULL, "off");
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = one_zero(type[k]), *y = orr_mul(x, orr_scalar(2)), *z = orr_neg(x);
        orr_tensor *quotient = orr_div(y, z);
        int line = __LINE__ - 1;
        orr_tensor *end = orr_sum(orr_square(orr_add(quotient, orr_scalar(1))), ORR_ALL_AXES, false);
        ORR_CHECK(orr_check(end) == ORR_ENUMERIC);
        names(orr_error_message(), line, "div", "element [77123] is ");
        names(orr_error_message(), line, "div", "nan, made from 0 and -0");
        ORR_CHECK(orr_check(end) == ORR_ENUMERIC && strstr(orr_error_message(), "evaluated before"));
        orr_tensor *fine = orr_max(x, ORR_ALL_AXES, false);
        ORR_CHECK_MSG(orr_check(fine) == ORR_OK && orr_check(fine) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_check(orr_arange(ORR_I32, 0, 4, 1)) == ORR_OK);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_test_heard.n == 0);
    orr_test_check_end();
}

static void infinities_overflows_and_data_are_told_apart(void)
{
    float data[] = { 1, 2, NAN, 4 };
    orr_test_check_begin("off", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = one_zero(ORR_F32), *l = orr_log(x), *zero = orr_mul(l, orr_scalar(0));
    ORR_CHECK(orr_check(zero) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "log", "is -inf, made from 0");
    orr_tensor *half = orr_cast(orr_mul(x, orr_scalar(1e6)), ORR_F16);
    ORR_CHECK(orr_check(half) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "cast", "is inf, made from 1000000");
    orr_tensor *big = orr_matmul(orr_full(ORR_F32, ORR_SHAPE(3, 4), 1e30), orr_full(ORR_F32, ORR_SHAPE(4, 2), 1e30));
    ORR_CHECK(orr_check(orr_relu(big)) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "matmul", "element [0, 0] is inf, made from finite numbers");
    orr_tensor *given = orr_from(ORR_F32, ORR_SHAPE(2, 2), data);
    ORR_CHECK(orr_check(orr_sum(orr_exp(given), ORR_ALL_AXES, false)) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "data", "element [1, 0] is nan");
    orr_tensor *z = orr_div(orr_cast(x, ORR_C64), orr_cast(orr_sub(x, x), ORR_C64));
    ORR_CHECK(orr_check(z) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "div", "not finite");
    ORR_CHECK(orr_check(orr_sum(orr_full(ORR_F16, ORR_SHAPE(3, 70000), 1), ORR_AXES(1), false)) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 1, "sum", "is inf, made from finite numbers");
    (void)orr_scope_end(s);
    orr_test_check_end();
}

static orr_tensor *bad_log(int *line)
{
    orr_tensor *x = one_zero(ORR_F32), *y = orr_log(x);
    *line = __LINE__ - 1;
    return orr_reshape(y, ORR_SHAPE(100, 1000));
}

/* Views, folds, products, gathers, joins and masks between the line and the result. */
static void the_way_back_leads_through_every_kind_of_operation(void)
{
    enum { KINDS = 9 };
    orr_test_check_begin("off", NULL, "off");
    for (int k = 0; k < KINDS; k++) {
        orr_scope *s = orr_scope_begin();
        int line;
        orr_tensor *y = bad_log(&line), *w = orr_ones(ORR_F32, ORR_SHAPE(1000, 3)), *out = NULL, *g = NULL;
        orr_tensor *mask = orr_full(ORR_F32, ORR_SHAPE(100, 1000), -INFINITY);
        switch (k) {
        case 0: out = orr_permute(orr_flip(y, ORR_AXES(1)), ORR_AXES(1, 0)); break;
        case 1: out = orr_slice(y, ORR_INDEX(70, 100), ORR_INDEX(100, 1000), ORR_INDEX(7, 23)); break;
        case 2: out = orr_max(orr_exp(orr_neg(orr_mean(y, ORR_AXES(1), false))), ORR_ALL_AXES, false); break;
        case 3: out = orr_relu(orr_neg(orr_matmul(y, w))); break;
        case 4: out = orr_concat(ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(2, 1000)), y), 0); break;
        case 5: out = orr_take(y, orr_from(ORR_I64, ORR_SHAPE(2), (int64_t[]){ 3, 77 }), 0); break;
        case 6: out = orr_add(orr_where(orr_less(orr_exp(y), orr_scalar(9)), y, mask), orr_softmax(mask, 1)); break;
        case 7: out = orr_cumulative_sum(orr_roll(y, ORR_INDEX(5), ORR_AXES(1)), 1, false); break;
        default:
            ORR_CHECK(orr_grad(orr_sum(orr_square(y), ORR_ALL_AXES, false), &w, 1, &g) == ORR_OK);
            out = orr_add(orr_sum(g, ORR_ALL_AXES, false),
                          orr_sum(orr_pad(y, ORR_INDEX(1, 1), ORR_INDEX(0, 2), 3), ORR_ALL_AXES, false));
            break;
        }
        ORR_CHECK_MSG(orr_check(out) == ORR_ENUMERIC, "%d", k);
        if (k != 1 && k != 6)
            names(orr_error_message(), line, "log", "element [77123] is -inf, made from 0");
        else if (k == 1)
            names(orr_error_message(), line, "log", "element [");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *mask = orr_full(ORR_F32, ORR_SHAPE(4, 5), -INFINITY);
    orr_tensor *shifted = orr_sub(mask, orr_max(mask, ORR_AXES(1), true));
    ORR_CHECK(orr_check(orr_exp(shifted)) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 2, "sub", "made from -inf and -inf");
    (void)orr_scope_end(s);
    orr_test_check_end();
}

/* An infinity that the program wrote, as the start of a search for a minimum, has a line, too. */
static void a_number_that_stands_in_the_program_is_named(void)
{
    orr_test_check_begin("off", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = one_zero(ORR_F64);
    for (int k = 0; k < 5; k++) {
        orr_tensor *inf = orr_full(ORR_F64, ORR_SHAPE(1), (double)INFINITY);
        int line = __LINE__ - 1;
        orr_tensor *results[] = { orr_concat(ORR_TENSORS(x, inf), 0),
                                  orr_minimum(inf, orr_reshape(inf, ORR_SHAPE(1, 1))),
                                  orr_flip(orr_maximum(x, inf), ORR_AXES(0)),
                                  orr_sum(orr_add(x, inf), ORR_ALL_AXES, false), inf };
        ORR_CHECK(orr_check(results[k]) == ORR_ENUMERIC);
        names(orr_error_message(), line, "number", "is inf, which stands in the program");
    }
    ORR_CHECK(orr_check(orr_add(orr_sum(x, ORR_ALL_AXES, false), orr_scalar((double)INFINITY))) == ORR_ENUMERIC);
    names(orr_error_message(), __LINE__ - 1, "number", "is inf, which stands in the program");
    (void)orr_scope_end(s);
    orr_test_check_end();
}

/* Folds, products and views of many elements: of their operands the parts that the suspected element needs are computed, and a long fold is
 * searched piece by piece. */
static void the_element_is_found_among_millions(void)
{
    enum { ROWS = 2100, COLUMNS = 1000, KINDS = 9 };
    orr_test_check_begin("off", NULL, "off");
    for (int k = 0; k < KINDS; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *i = orr_reshape(orr_arange(ORR_I32, 0, ROWS * COLUMNS, 1), ORR_SHAPE(ROWS, COLUMNS));
        orr_tensor *x = orr_cast(orr_not_equal(i, orr_full(ORR_I32, ORR_SHAPE_0D, 1500 * COLUMNS + 321)), ORR_F32);
        orr_tensor *y = orr_log(x), *out = NULL;
        int line = __LINE__ - 1;
        switch (k) {
        case 0: out = orr_sum(orr_square(y), ORR_ALL_AXES, false); break;
        case 1: out = orr_min(y, ORR_ALL_AXES, false); break;
        case 2: out = orr_softmax(orr_neg(y), 1); break;
        case 3: out = orr_softmax(orr_neg(y), 0); break;
        case 4: out = orr_mean(orr_square(orr_sub(y, orr_mean(y, ORR_AXES(0), true))), ORR_ALL_AXES, false); break;
        case 5: out = orr_matmul(orr_permute(y, ORR_AXES(1, 0)), orr_ones(ORR_F32, ORR_SHAPE(ROWS, 2))); break;
        case 6: out = orr_sum(orr_reshape(orr_flip(y, ORR_AXES(0, 1)), ORR_SHAPE(-1, 7)), ORR_AXES(1), false); break;
        case 7: out = orr_logsumexp(orr_neg(orr_reshape(y, ORR_SHAPE(-1))), ORR_AXES(0), false); break;
        default:
            out = orr_sum(orr_mul(orr_slice(y, ORR_INDEX(ROWS - 3, 0), ORR_INDEX(ORR_END, COLUMNS), ORR_INDEX(-3, 1)),
                                  orr_ones(ORR_F32, ORR_SHAPE(ROWS / 3, 1))),
                          ORR_AXES(0), false);
            break;
        }
        ORR_CHECK_MSG(orr_check(out) == ORR_ENUMERIC, "kind %d", k);
        names(orr_error_message(), line, "log", "element [1500, 321] is -inf, made from 0");
        (void)orr_scope_end(s);
    }
    orr_test_check_end();
}

/* Infinities of a mask that disappear, and NaN that a choice drops. */
static void finite_results_are_not_blamed(void)
{
    orr_test_check_begin("nonfinite", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = one_zero(ORR_F32), *is_zero = orr_equal(x, orr_scalar(0));
    orr_tensor *masked = orr_softmax(orr_where(is_zero, orr_full(ORR_F32, ORR_SHAPE_0D, -INFINITY), x), 0);
    orr_tensor *chosen = orr_where(is_zero, orr_scalar(1), orr_div(x, x));
    ORR_CHECK(orr_eval_all(ORR_TENSORS(masked, chosen)) == ORR_OK);
    ORR_CHECK_MSG(orr_test_heard.n == 0, "%s", orr_test_heard.last);
    (void)orr_scope_end(s);
    orr_test_check_end();
}

/* Results that compiled loops write, alone or after a product: element `bad` is 0/0; NOWHERE: all are finite. */
enum { SEEN = 4099, NOWHERE = -1, KINDS_OF_LOOPS = 5 };
static orr_tensor *written(int kind, orr_dtype t, int64_t bad)
{
    enum { LEFT = 4 };
    orr_tensor *i = orr_arange(ORR_I64, 0, SEEN, 1);
    orr_tensor *x = orr_cast(orr_not_equal(i, orr_full(ORR_I64, ORR_SHAPE_0D, (double)bad)), t);
    if (orr_eval(x) != ORR_OK)
        return NULL;
    orr_tensor *y = orr_add(orr_div(x, x), orr_scalar(1));
    switch (kind) {
    case 0: return y;
    case 1: return orr_greater(y, orr_scalar(0)); /* no result that can be other than finite */
    case 2: return orr_mul(orr_reshape(x, ORR_SHAPE(SEEN, 1)), orr_reshape(y, ORR_SHAPE(1, SEEN)));
    case 3:
        return orr_div(orr_matmul(orr_reshape(x, ORR_SHAPE(SEEN, 1)), orr_ones(t, ORR_SHAPE(1, LEFT))),
                       orr_reshape(x, ORR_SHAPE(SEEN, 1)));
    default: return orr_where(orr_equal(x, orr_scalar(0)), orr_scalar(3), y);
    }
}

static void compiled_loops_see_their_results(void)
{
    static const char *const lane[] = { NULL, "0" };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_F16 };
    static const int64_t place[] = { NOWHERE, 0, 1024, SEEN - 1 };
    for (int k = 0; k < 2; k++)
        for (int kind = 0; kind < KINDS_OF_LOOPS; kind++)
            for (int t = 0; t < 3; t++)
                for (int at = 0; at < 4; at++) {
                    orr_test_check_begin("nonfinite", lane[k], "wait");
                    orr_scope *s = orr_scope_begin();
                    orr_tensor *y = written(kind, type[t], place[at]);
                    bool bad = at > 0 && kind != 1 && kind != 4;
                    orr_status st = y ? orr_check(y) : orr_error_status();
                    bool late = bad && strstr(orr_error_message(), "evaluated before");
                    ORR_CHECK_MSG(st == (bad ? ORR_ENUMERIC : ORR_OK) && !late, "kind %d, %s, element %lld: %s", kind,
                                  orr_dtype_name(type[t]), (long long)place[at], orr_status_name(st));
                    (void)orr_scope_end(s);
                    orr_test_check_end();
                }
}

/* Steps of a variable, whose value overflows at the tenth step; the bits are those without a check. */
static void steps(double *value)
{
    orr_tensor *v = orr_variable(orr_full(ORR_F32, ORR_SHAPE(N), 1.5));
    for (int i = 0; i < 12; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_sum(orr_square(v), ORR_ALL_AXES, false), *g = NULL;
        ORR_CHECK(orr_grad(loss, &v, 1, &g) == ORR_OK);
        ORR_CHECK(orr_assign(v, orr_add(v, orr_mul(g, orr_scalar(2000)))) == ORR_OK);
        ORR_CHECK_MSG(orr_eval(loss) == ORR_OK, "%s", orr_error_message());
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_item(orr_sum(v, ORR_ALL_AXES, false), value) == ORR_OK);
    ORR_CHECK(orr_free(v) == ORR_OK);
}

static void training_goes_on_and_is_said_once_a_line(void)
{
    static const char *const lane[] = { NULL, "0" }, *const jit[] = { "off", "wait" };
    for (int k = 0; k < 4; k++) {
        double with, without;
        orr_test_check_begin("nonfinite", lane[k % 2], jit[k / 2]);
        steps(&with);
        ORR_CHECK_MSG(k > 0 || (orr_test_heard.n >= 1 && orr_test_heard.n <= 3), "%d: %s", orr_test_heard.n,
                      orr_test_heard.last);
        orr_test_check_end();
        orr_test_check_begin("off", lane[k % 2], jit[k / 2]);
        steps(&without);
        ORR_CHECK(orr_test_heard.n == 0 && memcmp(&with, &without, sizeof with) == 0);
        orr_test_check_end();
    }
}

/* Steps of Adam on STATE numbers, of which the quotient of step 6 is not finite in one place. Returns the most bytes of values after the first
 * two steps. */
enum { STATE = 1 << 20, ODD_STEP = 6 };
static size_t adam(float *value, int *line)
{
    orr_scope *all = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_full(ORR_F32, ORR_SHAPE(STATE), 0.5));
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, &w, 1, NULL);
    for (int i = 0; i <= ODD_STEP; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *at = orr_arange(ORR_I64, 0, STATE, 1), *x = orr_full(ORR_F32, ORR_SHAPE(STATE), 2);
        if (i == ODD_STEP)
            x = orr_cast(orr_not_equal(at, orr_full(ORR_I64, ORR_SHAPE_0D, PLACE)), ORR_F32);
        ORR_CHECK(orr_eval(x) == ORR_OK);
        if (i == 2)
            orr__pool_peak_reset();
        *line = __LINE__ + 1;
        orr_tensor *loss = orr_mean(orr_div(orr_square(w), x), ORR_ALL_AXES, false);
        ORR_CHECK(orr_optim_step(o, loss) == ORR_OK && orr_eval_all(&loss, 1) == ORR_OK);
        (void)orr_scope_end(s);
    }
    size_t peak = orr__pool_get_stats().peak;
    ORR_CHECK(orr_read(w, value, STATE * sizeof *value) == ORR_OK);
    orr_optim_free(o);
    (void)orr_scope_end(all);
    return peak;
}

/* The moments are written over: of seven arrays at a time two are the variable, which the loss reads, and two the moments. */
static void moments_stay_in_place(void)
{
    static const char *const lane[] = { NULL, "0" }, *const jit[] = { "off", "wait" };
    float *value[2] = { malloc(STATE * sizeof(float)), malloc(STATE * sizeof(float)) };
    ORR_REQUIRE(value[0] && value[1]);
    for (int k = 0; k < 4; k++) {
        int line = 0;
        orr_test_check_begin("off", lane[k % 2], jit[k / 2]);
        size_t without = adam(value[0], &line);
        orr_test_check_end();
        orr_test_check_begin("nonfinite", lane[k % 2], jit[k / 2]);
        size_t with = adam(value[1], &line);
        ORR_CHECK_MSG(with <= (7 * STATE + STATE / 4) * sizeof(float), "%zu bytes, %zu without a check", with, without);
        if (k == 0) /* a line is named once in a process */
            names(orr_test_heard.last, line, "div", "element [77123] is inf, made from 0.2");
        ORR_CHECK_MSG(orr_test_heard.n == (k == 0), "%d: %s", orr_test_heard.n, orr_test_heard.last);
        orr_test_check_end();
        ORR_CHECK(memcmp(value[0], value[1], STATE * sizeof(float)) == 0);
    }
    free(value[0]);
    free(value[1]);
}

/* Results of a graph that is submitted explicitly, as tensors and in the program's memory; of many elements, a row first. */
static void explicit_graphs_are_checked(void)
{
    enum { MANY = 3 << 17 };
    char place[64];
    float *data = malloc(MANY * sizeof *data), *to = malloc(MANY * sizeof *to);
    ORR_REQUIRE(data && to);
    for (int i = 0; i < MANY; i++)
        data[i] = i == MANY - 5 ? 0 : 1 + (float)(i % 100);
    orr_test_check_begin("nonfinite", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *in = orr_placeholder(ORR_F32, ORR_SHAPE(MANY)), *twice = orr_mul(in, orr_scalar(2));
    orr_tensor *quotient = orr_div(in, twice);
    (void)snprintf(place, sizeof place, "check.c:%d: div: ", __LINE__ - 1);
    orr_tensor *out[] = { orr_add(quotient, orr_scalar(1)), orr_max(twice, ORR_ALL_AXES, false) };
    orr_graph *g = orr_graph_build(&in, 1, out, 2);
    ORR_REQUIRE(g);
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(MANY), data), *y[2];
    double most = 0;
    ORR_CHECK_MSG(orr_graph_submit(g, &x, 1, y, 2, NULL) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_item(y[1], &most) == ORR_OK && most == 200);
    char element[32];
    (void)snprintf(element, sizeof element, "element [%d] is ", MANY - 5);
    ORR_CHECK_MSG(orr_test_heard.n == 1 && strstr(orr_test_heard.last, place) && strstr(orr_test_heard.last, element),
                  "%d: %s", orr_test_heard.n, orr_test_heard.last);
    float greatest = 0;
    const orr_buffer into[] = { { to, MANY * sizeof *to }, { &greatest, sizeof greatest } };
    orr_event *e;
    ORR_CHECK_MSG(orr_graph_submit_into(g, &x, 1, into, 2, &e) == ORR_OK && orr_wait(e) == ORR_OK, "%s",
                  orr_error_message());
    ORR_CHECK(greatest == 200 && isnan(to[MANY - 5]) && to[0] == 1.5f && to[MANY - 1] == 1.5f);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    (void)orr_scope_end(s);
    orr_test_check_end();
    free(data);
    free(to);
}

static void *thread(void *failures)
{
    char place[64];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 20; i++) {
        orr_tensor *x = one_zero(ORR_F32), *y = orr_log(orr_add(x, orr_scalar(i % 2)));
        (void)snprintf(place, sizeof place, "check.c:%d: log: ", __LINE__ - 1);
        orr_status st = orr_check(y);
        *(int *)failures += st != (i % 2 ? ORR_OK : ORR_ENUMERIC);
        *(int *)failures +=
            st == ORR_ENUMERIC && (!strstr(orr_error_message(), place) ||
                                   !strstr(orr_error_message(), "element [77123] is -inf, made from 0"));
    }
    (void)orr_scope_end(s);
    return NULL;
}

static void threads_check_for_themselves(void)
{
    pthread_t other[3];
    int failures[4] = { 0 };
    orr_test_check_begin("off", NULL, "on");
    for (int i = 0; i < 3; i++)
        ORR_REQUIRE(pthread_create(&other[i], NULL, thread, &failures[i]) == 0);
    (void)thread(&failures[3]);
    for (int i = 0; i < 3; i++)
        (void)pthread_join(other[i], NULL);
    ORR_CHECK(failures[0] + failures[1] + failures[2] + failures[3] == 0);
    orr_test_check_end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_line_of_a_quotient_is_named),
                                      ORR_TEST(infinities_overflows_and_data_are_told_apart),
                                      ORR_TEST(the_way_back_leads_through_every_kind_of_operation),
                                      ORR_TEST(a_number_that_stands_in_the_program_is_named),
                                      ORR_TEST(the_element_is_found_among_millions),
                                      ORR_TEST(finite_results_are_not_blamed),
                                      ORR_TEST(compiled_loops_see_their_results),
                                      ORR_TEST(training_goes_on_and_is_said_once_a_line),
                                      ORR_TEST(moments_stay_in_place),
                                      ORR_TEST(explicit_graphs_are_checked),
                                      ORR_TEST(threads_check_for_themselves),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.check", tests);
}
