/* The promises of notes, and the gains of the changes that they name: pairs of programs, one slow, the other as the note says. ORR_TEST_FULL=1.
 * Must not know: how a gain is estimated. */
#include "config.h"
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "tests/harness/harness.h"

#define F32 ORR_F32
#define SHAPE(...) ORR_SHAPE(__VA_ARGS__)
#define NUMBER(x) orr_scalar(x)

enum { STEPS = 16, ROWS = 1000, COLS = 1024, ALL = ROWS * COLS };

/* The needs of a pair: arrays of the first moment, and what it keeps from step to step. */
static orr_tensor *x, *y, *kept;
static float host[ALL];

/* Macros: each evaluation has a line of its own. */
#define eval(t) ORR_CHECK_MSG(orr_eval(t) == ORR_OK, "%s", orr_error_message())
/* The value that stands for the one before. */
#define keep(t)                                                                                                        \
    do {                                                                                                               \
        orr_tensor *next = orr_keep(t);                                                                                \
        eval(next);                                                                                                    \
        orr_free(kept);                                                                                                \
        kept = next;                                                                                                   \
    } while (0)

static orr_tensor *step_of(orr_tensor *t, int i)
{
    return orr_add(t, NUMBER(0.01 * i));
}

static orr_tensor *sums(orr_tensor *t)
{
    return orr_sum(t, ORR_AXES(1), false);
}

/* -- the pairs: step i of one, slow or mended; step −1 is what stands before the loop ------------------------------- */

static void widened(bool mended, int i)
{
    if (i < 0)
        keep(orr_full(mended ? F32 : ORR_F64, SHAPE(COLS), 0.5));
    else
        eval(sums(orr_sin(orr_mul(step_of(x, i), kept))));
}

static void widened_map(bool mended, int i)
{
    if (i < 0)
        keep(orr_full(mended ? F32 : ORR_F64, SHAPE(COLS), 0.5));
    else
        eval(orr_mul(step_of(x, i), kept));
}

static void widened_by_casts(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : step_of(x, i);
    if (i >= 0)
        eval(mended ? orr_tanh(v) : orr_cast(orr_tanh(orr_cast(v, ORR_F64)), F32));
}

static void drawn(bool mended, int i)
{
    orr_seed(7);
    if (i < 0)
        keep(orr_randn(F32, SHAPE(ROWS, COLS), 0, 1));
    else
        eval(orr_tanh(orr_add(step_of(x, i), mended ? kept : orr_randn(F32, SHAPE(ROWS, COLS), 0, 1))));
}

static void drawn_uniform(bool mended, int i)
{
    orr_seed(7);
    if (i < 0)
        keep(orr_rand(F32, SHAPE(ROWS, COLS), 0, 1));
    else
        eval(sums(orr_mul(step_of(x, i), mended ? kept : orr_rand(F32, SHAPE(ROWS, COLS), 0, 1))));
}

static void fixed_exp(bool mended, int i)
{
    if (i < 0)
        keep(orr_exp(y));
    else
        eval(orr_add(x, orr_mul(step_of(x, i), mended ? kept : orr_exp(y))));
}

static void fixed_part(bool mended, int i)
{
    if (i < 0)
        keep(orr_log1p(y));
    else
        eval(sums(orr_sin(orr_mul(step_of(x, i), mended ? kept : orr_log1p(y)))));
}

static void fixed_division(bool mended, int i)
{
    if (i < 0)
        keep(orr_div(y, orr_sqrt(orr_add(orr_square(y), NUMBER(1)))));
    else
        eval(orr_mul(step_of(x, i), mended ? kept : orr_div(y, orr_sqrt(orr_add(orr_square(y), NUMBER(1))))));
}

static void same(bool mended, int i)
{
    if (i < 0)
        keep(orr_softmax(y, 1));
    else
        eval(orr_matmul(mended ? kept : orr_softmax(y, 1),
                        step_of(orr_slice_axis(orr_reshape(x, SHAPE(COLS, ROWS)), 1, 0, 16, 1), i)));
}

static void sorted(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : step_of(x, i);
    if (i >= 0 && i < 4)
        eval(mended ? orr_max(v, ORR_AXES(1), false) : orr_select(orr_sort(v, 1, true), 1, 0));
}

static void unread(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_slice_axis(step_of(x, i), 0, 0, ROWS / 2, 1), *a, *b;
    if (i < 0)
        return;
    a = orr_matmul(mended ? orr_slice_axis(v, 0, 0, 50, 1) : v, orr_transpose(v));
    b = mended ? a : orr_slice_axis(a, 0, 0, 50, 1);
    eval(orr_sqrt(orr_abs(b)));
}

static void tiled(bool mended, int i)
{
    orr_tensor *row = orr_select(i < 0 ? y : step_of(y, i), 0, 3);
    if (i >= 0)
        eval(orr_mul(x, orr_sqrt(orr_log1p(mended ? row : orr_repeat(orr_expand_dims(row, 0), ROWS, 0)))));
}

static void tiled_mean(bool mended, int i)
{
    orr_tensor *row = orr_select(i < 0 ? y : step_of(y, i), 0, 3);
    if (i >= 0)
        eval(sums(orr_sub(x, mended ? orr_sin(row) : orr_sin(orr_tile(orr_expand_dims(row, 0), ORR_INDEX(ROWS, 1))))));
}

static void turned(bool mended, int i)
{
    orr_tensor *t = orr_transpose(orr_reshape(y, SHAPE(COLS, ROWS)));
    if (i < 0)
        keep(orr_add(t, NUMBER(0)));
    else
        eval(sums(orr_mul(step_of(x, i), mended ? kept : t)));
}

static void diagonal(bool mended, int i)
{
    orr_tensor *row = orr_select(i < 0 ? y : step_of(y, i), 0, 3);
    if (i >= 0 && i < 4)
        eval(mended ? orr_mul(x, row) : orr_matmul(x, orr_diag(row, 0)));
}

static void order(bool mended, int i)
{
    orr_tensor *a = orr_slice_axis(i < 0 ? x : step_of(x, i), 0, 0, 400, 1), *b = orr_reshape(y, SHAPE(COLS, ROWS)),
               *v = orr_slice(y, ORR_INDEX(0, 0), ORR_INDEX(ROWS, 4), ORR_INDEX(1, 1));
    if (i >= 0 && i < 4)
        eval(mended ? orr_matmul(a, orr_matmul(b, v)) : orr_matmul(orr_matmul(a, b), v));
}

static void copied(bool mended, int i)
{
    if (i < 0)
        keep(orr_from(F32, SHAPE(ROWS, COLS), host));
    else
        eval(sums(orr_exp(orr_mul(step_of(x, i), mended ? kept : orr_from(F32, SHAPE(ROWS, COLS), host)))));
}

static void reading(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_exp(step_of(x, i));
    if (i < 0)
        return;
    eval(v);
    ORR_CHECK(mended ? orr_data(v) != NULL : orr_read(v, host, sizeof host) == ORR_OK);
}

static void back(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_exp(step_of(x, i));
    if (i < 0)
        return;
    if (!mended)
        ORR_CHECK(orr_read(v, host, sizeof host) == ORR_OK);
    eval(sums(orr_mul(y, mended ? v : orr_from(F32, SHAPE(ROWS, COLS), host))));
}

static void early(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_sqrt(step_of(x, i));
    if (i < 0)
        return;
    if (!mended)
        eval(v);
    eval(orr_mul(v, NUMBER(2)));
}

static void early_sum(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_exp(step_of(x, i));
    if (i < 0)
        return;
    if (!mended)
        eval(v);
    eval(sums(v));
}

static void grown(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_slice_axis(step_of(x, i), 0, 0, ROWS / 4, 1);
    if (i < 0)
        keep(orr_add(orr_slice_axis(x, 0, 0, ROWS / 4, 1), NUMBER(0)));
    else if (mended)
        keep(v);
    else
        keep(orr_concat(ORR_TENSORS(kept, v), 0));
    if (i >= 0)
        eval(sums(orr_exp(step_of(x, i))));
}

static void small(bool mended, int i)
{
    for (int j = 0; j < 150 && i >= 0 && !mended; j++) {
        orr_scope *s = orr_scope_begin();
        eval(orr_sum(orr_mul(orr_select(x, 0, j), NUMBER(i)), ORR_ALL_AXES, false));
        (void)orr_scope_end(s);
    }
    if (i >= 0 && mended)
        eval(sums(orr_mul(orr_slice_axis(x, 0, 0, 150, 1), NUMBER(i))));
    if (i >= 0)
        eval(orr_sum(orr_exp(step_of(y, i)), ORR_AXES(0), false));
}

static void inverse(bool mended, int i)
{
    orr_tensor *m = orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(300, 300), ORR_INDEX(1, 1)),
               *b = orr_slice(y, ORR_INDEX(0, 0), ORR_INDEX(300, 1), ORR_INDEX(1, 1));
    m = orr_add(m, orr_mul(orr_eye(F32, 300, 300, 0), NUMBER(50 + i)));
    if (i >= 0)
        eval(mended ? orr_solve(m, b) : orr_matmul(orr_inv(m), b));
}

static void masked(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : step_of(x, i);
    if (i < 0)
        keep(orr_less(y, NUMBER(0.05)));
    else
        eval(sums(orr_where(kept, mended ? v : orr_tanh(orr_exp(v)), NUMBER(0))));
}

static void numbered(bool mended, int i)
{
    if (i < 0)
        keep(orr_arange(ORR_I64, 0, ROWS, 2));
    else
        eval(orr_mul(mended ? orr_slice_axis(x, 0, 0, ROWS, 2) : orr_take(x, kept, 0), NUMBER(1 + i)));
}

static void power(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : step_of(x, i);
    if (i < 0)
        keep(orr_full(F32, SHAPE(ROWS, COLS), 2));
    else
        eval(sums(mended ? orr_square(v) : orr_pow(v, kept)));
}

static void again(bool mended, int i)
{
    orr_tensor *v = i < 0 ? x : orr_exp(orr_sin(step_of(x, i))), *other = orr_max(v, ORR_AXES(1), false);
    if (i < 0)
        return;
    if (mended)
        ORR_CHECK(orr_eval_all(ORR_TENSORS(sums(v), other)) == ORR_OK);
    else {
        eval(sums(v));
        eval(other);
    }
}

static void halves(bool mended, int i)
{
    if (i < 0)
        keep(orr_cast(x, mended ? F32 : ORR_F16));
    else
        eval(orr_tanh(orr_mul(kept, orr_add(kept, orr_cast(NUMBER(0.01 * i), mended ? F32 : ORR_F16)))));
}

static void one_hot_sum(bool mended, int i)
{
    orr_tensor *table = i < 0 ? x : step_of(x, i);
    if (i < 0)
        keep(orr_randint(ORR_I64, SHAPE(1000), 0, ROWS));
    else if (i < 4)
        eval(sums(mended ? orr_take(table, kept, 0) : orr_matmul(orr_one_hot(kept, ROWS, F32), table)));
}

/* -- promise and gain ------------------------------------------------------------------------------------------ */

/* The program's own time; with notes, the part of their time that all of them together promise. */
static double run(void (*step)(bool mended, int i), bool mended, const char *notes, double *promised)
{
    orr__clock = CLOCK_THREAD_CPUTIME_ID;
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_JIT", "wait", 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    if (notes)
        (void)setenv("ORRERY_NOTES", notes, 1);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_seed(1);
    (void)unsetenv("ORRERY_NOTES");
    x = orr_keep(orr_rand(F32, SHAPE(ROWS, COLS), 0, 1));
    y = orr_keep(orr_rand(F32, SHAPE(ROWS, COLS), 0, 1));
    kept = NULL;
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
    double t0 = 0;
    for (int i = -2; i < STEPS; i++) { /* the second time, what stands before the loop is known */
        orr_scope *s = orr_scope_begin();
        if (i == 0)
            t0 = orr__now();
        step(mended, i < 0 ? -1 : i);
        (void)orr_scope_end(s);
    }
    double seconds = orr__now() - t0;
    orr_free(x);
    orr_free(y);
    orr_free(kept);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    size_t size;
    char *text = notes ? (char *)orr_test_slurp(notes, &size) : NULL, *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        const char *field = line;
        for (int k = 0; k < 3 && field; k++)
            field = strchr(field, '\t') ? strchr(field, '\t') + 1 : NULL;
        if (field && strncmp(line, "note\t", 5) == 0 && strstr(line, "would change it"))
            *promised += strtod(field, NULL);
        if (getenv("ORR_NOTES_SHOWN") && (strncmp(line, "note\t", 5) == 0 || strncmp(line, "line\t", 5) == 0))
            printf("    %s\n", line);
    }
    free(text);
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static const struct {
    const char *name;
    void (*step)(bool mended, int i);
} pairs[] = {
    { "f64 operand of sin", widened },
    { "f64 operand of mul", widened_map },
    { "casts to f64 and back", widened_by_casts },
    { "normal numbers again", drawn },
    { "uniform numbers again", drawn_uniform },
    { "exp of what is fixed", fixed_exp },
    { "log1p of what is fixed, beside sin", fixed_part },
    { "quotient and root of what is fixed", fixed_division },
    { "softmax again", same },
    { "sort for the first", sorted },
    { "product for 50 rows", unread },
    { "functions of a tiled row", tiled },
    { "a tiled row in a sum", tiled_mean },
    { "transposed operand", turned },
    { "product with a diagonal", diagonal },
    { "(A B) v", order },
    { "orr_from in each step", copied },
    { "orr_read in each step", reading },
    { "there and back", back },
    { "orr_eval between two maps", early },
    { "orr_eval before a sum", early_sum },
    { "a value that grows", grown },
    { "row by row", small },
    { "inverse", inverse },
    { "masked functions", masked },
    { "orr_take of each second", numbered },
    { "orr_pow with an array", power },
    { "two evaluations", again },
    { "functions of f16", halves },
    { "rows by one-hot vectors, summed", one_hot_sum },
};

static void a_note_promises_what_the_change_wins(void)
{
    enum { TIMES = 5 };
    char file[1024];
    if (!orr_test_full())
        ORR_SKIP("the long form (ORR_TEST_FULL=1) compares what notes promise with what changes win");
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("gain.tsv"));
    printf("%-36s %9s %9s\n", "", "promised", "won");
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const char *only = getenv("ORR_TEST_PAIR");
        double slow[TIMES], mended[TIMES], share[TIMES], promise = 0;
        if (only && !strstr(pairs[k].name, only))
            continue;
        (void)run(pairs[k].step, false, NULL, NULL); /* compiles the kernels */
        (void)run(pairs[k].step, true, NULL, NULL);
        for (int i = 0; i < TIMES; i++) {
            slow[i] = run(pairs[k].step, false, NULL, NULL);
            mended[i] = run(pairs[k].step, true, NULL, NULL);
            promise = 0;
            double with = run(pairs[k].step, false, file, &promise);
            share[i] = promise / with;
        }
        qsort(slow, TIMES, sizeof *slow, by_value);
        qsort(mended, TIMES, sizeof *mended, by_value);
        qsort(share, TIMES, sizeof *share, by_value);
        double won = 1 - mended[TIMES / 2] / slow[TIMES / 2], says = share[TIMES / 2];
        bool near = says > won - 0.05 && (says < won + 0.05 || says < 0.05), factor = says < 2 * won && won < 2 * says;
        printf("%-36s %7.0f %% %7.0f %%%s\n", pairs[k].name, 100 * says, 100 * won, near || factor ? "" : "   <--");
        (void)fflush(stdout);
        ORR_CHECK_MSG(near || factor, "%s: promised %.0f %%, won %.0f %%", pairs[k].name, 100 * says, 100 * won);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_note_promises_what_the_change_wins), { 0 } };
    return orr_test_main(argc, argv, "api.notes_gain", tests);
}
