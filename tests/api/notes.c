/* ORRERY_NOTES: the lines of a program at which time can be won come first, with the change that wins it.
 * Must not know: how facts are gathered. */
#include "config.h"
#include <fcntl.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/notes.h"
#include "tests/harness/harness.h"

enum { N = 1 << 20, PART = N / 4, STEPS = 24 };

/* Shares of time are those of the thread's own clock: other load on the machine does not move them. */
static void start(const char *file)
{
    orr__clock = CLOCK_THREAD_CPUTIME_ID;
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_JIT", "off", 1);
    (void)setenv("ORRERY_MACHINE", "fixed", 1);
    (void)setenv("ORRERY_NOTES", file, 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
}

/* Ends the library; `text` is then the file. */
static char text[1 << 16];
static void stop(const char *file)
{
    size_t size = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_NOTES");
    char *all = (char *)orr_test_slurp(file, &size);
    (void)snprintf(text, sizeof text, "%s", all ? all : "");
    free(all);
}

/* Line n of the notes, from 0. */
static const char *note(int n)
{
    static char line[2048];
    const char *p = text;
    for (int i = 0; i < n && p; i++)
        p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
    (void)snprintf(line, sizeof line, "%.*s", p ? (int)strcspn(p, "\n") : 0, p ? p : "");
    return line;
}

/* True if one of the first `most` notes is of this line and has these words. */
static bool has(int most, int line, const char *words)
{
    char place[64];
    (void)snprintf(place, sizeof place, "notes.c:%d: note: ", line);
    for (int i = 0; i < most; i++)
        if (strstr(note(i), place) && strstr(note(i), words))
            return true;
    return false;
}

static void three_planted_slownesses_are_the_first_three_notes(void)
{
    const char *file = orr_test_tmp("three");
    static float data[N];
    int copied = 0, wide = 0, meets = 0, tiny = 0;
    char words[64];
    for (int i = 0; i < N; i++)
        data[i] = (float)(i % 100);
    start(file);
    orr_tensor *half = orr_keep(orr_full(ORR_F64, ORR_SHAPE(1), 0.5));
    wide = __LINE__ - 1; /* the line to change: it makes f64 */
    orr_tensor *one = orr_keep(orr_full(ORR_F32, ORR_SHAPE(2), 1));
    ORR_CHECK(orr_eval(half) == ORR_OK && orr_eval(one) == ORR_OK);
    for (int i = 0; i < STEPS; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(N), data);
        copied = __LINE__ - 1;
        orr_tensor *y = orr_mul(orr_slice(x, ORR_INDEX(0), ORR_INDEX(PART), ORR_INDEX(1)), half);
        meets = __LINE__ - 1;
        orr_tensor *z = orr_exp(orr_sin(orr_add(y, orr_scalar(i))));
        ORR_CHECK(orr_eval(z) == ORR_OK);
        (void)orr_scope_end(s);
    }
    for (int i = 0; i < 5000; i++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_eval(orr_add(one, orr_scalar(i))) == ORR_OK);
        tiny = __LINE__ - 1;
        (void)orr_scope_end(s);
    }
    orr_free(half);
    orr_free(one);
    stop(file);
    ORR_CHECK_MSG(has(3, copied, "the same 4.19 MB are copied in 24 times; one orr_from before the loop"), "%s", text);
    (void)snprintf(words, sizeof words, "data of f32 becomes f64 here at line %d", meets);
    ORR_CHECK_MSG(has(3, wide, words), "%s", text);
    ORR_CHECK_MSG(has(3, tiny, "5000 evaluations of "), "%s", text);
    ORR_CHECK_MSG(!strstr(note(3), "would change it"), "%s", text);
}

static void values_computed_again_are_named_with_the_reason_against_fusion(void)
{
    const char *file = orr_test_tmp("again");
    int again = 0, apart = 0;
    start(file);
    orr_tensor *x = orr_keep(orr_full(ORR_F32, ORR_SHAPE(1024, 1024), 1));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < 60; i++) { /* the first evaluations, with their page faults, are a small share of the time */
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = orr_exp(orr_sin(orr_add(x, orr_scalar(i))));
        again = __LINE__ - 1;
        orr_tensor *z = orr_reshape(orr_transpose(y), ORR_SHAPE(4, 512, 512));
        ORR_CHECK(orr_eval(orr_sum(y, ORR_ALL_AXES, false)) == ORR_OK);
        orr_tensor *sum = orr_sum(orr_neg(z), ORR_AXES(1), false);
        apart = __LINE__ - 1;
        ORR_CHECK(orr_eval(sum) == ORR_OK);
        (void)orr_scope_end(s);
    }
    FILE *now = fopen(orr_test_tmp("now"), "w");
    ORR_REQUIRE(now);
    ORR_CHECK(orr_notes(now) == ORR_OK && orr_notes(NULL) == ORR_EINVAL);
    ORR_CHECK(ftell(now) > 0);
    (void)fclose(now);
    orr_free(x);
    stop(file);
    ORR_CHECK_MSG(has(9, again, "computed again "), "%s", text);
    ORR_CHECK_MSG(has(9, apart, "not fused with "), "%s", text);
    ORR_CHECK(orr_notes(stdout) == ORR_ESTATE);
}

/* An array to which each step appends, a value that no step evaluates, and numbers that are drawn again from the same seed. */
static void steps_that_repeat_the_ones_before_are_named(void)
{
    enum { PIECES = 40, LONG = 1 << 14 };
    char file[1024];
    int line = 0;
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("repeated"));
    for (int kind = 0; kind < 3; kind++) {
        start(file);
        orr_tensor *x = orr_keep(orr_full(ORR_F32, ORR_SHAPE(LONG), 0.25)), *all = orr_keep(orr_neg(x));
        ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(all) == ORR_OK);
        for (int i = 0; i < PIECES; i++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *next = all, *y = x;
            switch (kind) {
            case 0:
                y = next = orr_concat(ORR_TENSORS(all, x), 0);
                line = __LINE__ - 1;
                break;
            case 1:
                line = __LINE__; /* the facts of such a loop: the time of plans depends on what the program keeps */
                orr__notes_add(&(orr__note){ ORR__NOTE_PLAN, line, .file = __FILE__, .n = 1, .content = 9 + (uint64_t)i,
                                             .seconds = 1 });
                orr__notes_add(&(orr__note){ ORR__NOTE_CALL, line, .file = __FILE__, .n = 1, .seconds = 1 });
                break;
            default:
                orr_seed(1);
                y = orr_randn(ORR_F32, ORR_SHAPE(LONG), 0, 1);
                line = __LINE__ - 1;
            }
            ORR_CHECK(orr_eval(y) == ORR_OK);
            if (next != all) {
                orr_free(all);
                all = orr_keep(next);
            }
            (void)orr_scope_end(s);
        }
        orr_free(all);
        orr_free(x);
        stop(file);
        static const char *const words[] = { "a value grows in 4", "each of more operations than the one before",
                                             "the same values are computed from the same inputs in 40 evaluations" };
        ORR_CHECK_MSG(has(1, line, words[kind]), "%d, line %d\n%s", kind, line, text);
    }
}

/* Plans, their operands and results show it: each in a loop of its own. */
static void parts_of_kernels_in_vain_are_named(void)
{
    enum { SIDE = 256, TIMES = 12, KINDS = 16 };
    static const char *const words[KINDS] = {
        "nearly all elements of an operand are zero",
        "a product of three matrices, or a sum of a product, in the order that has more terms",
        "only a part of its elements is read",
        "elements that are equal along an axis are computed one by one",
        "this evaluation ends with the value of line",
        "MB that line",
        "the same values are computed from the same inputs in 24 evaluations",
        "an inverse is computed for a product with few columns",
        "a mask drops nearly all that is computed here",
        "values that do not change are computed again in each evaluation",
        "nearly all elements of an operand are zero",
        "elements that are equal along an axis are computed one by one",
        "is an array of equal numbers",
        "a sum of a product, in the order that has more terms",
        "data of f32 becomes f64 here",
        NULL,
    };
    static float back[SIDE * SIDE], weight[25];
    char file[1024];
    int line = 0;
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("parts"));
    weight[12] = 1;
    for (int kind = 0; kind < KINDS; kind++) {
        start(file);
        orr_scope *outer = orr_scope_begin();
        orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1),
                   *a = orr_rand(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1), *v = orr_ones(ORR_F32, ORR_SHAPE(SIDE, 1)),
                   *mask = orr_greater(a, orr_scalar(0.95)), *image = orr_reshape(x, ORR_SHAPE(1, 1, SIDE, SIDE)),
                   *filter = orr_from(ORR_F32, ORR_SHAPE(1, 1, 5, 5), weight), *half = orr_cast(a, ORR_F16),
                   *twos = orr_add(orr_full(ORR_F32, ORR_SHAPE(SIDE, SIDE), 2), orr_scalar(0));
        ORR_CHECK(orr_eval_all(ORR_TENSORS(x, a, v, mask, image, filter, half, twos)) == ORR_OK);
        for (int i = 0; i < TIMES; i++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *y = orr_add(x, orr_scalar(i)), *z = y;
            switch (kind) {
            case 0:
                z = orr_matmul(orr_diag(orr_reshape(orr_mul(v, orr_scalar(i + 1)), ORR_SHAPE(SIDE)), 0), y);
                line = __LINE__ - 1;
                break;
            case 1:
                z = orr_matmul(orr_matmul(y, a), v);
                line = __LINE__ - 1;
                break;
            case 2:
                z = orr_sort(y, 1, true);
                line = __LINE__ - 1;
                z = orr_exp(orr_slice(z, ORR_INDEX(0, 0), ORR_INDEX(SIDE, 3), ORR_INDEX(1, 1)));
                break;
            case 3:
                z = orr_tile(orr_add(v, orr_scalar(i)), ORR_INDEX(1, SIDE));
                line = __LINE__ - 1;
                break;
            case 4:
                z = orr_sqrt(y);
                ORR_CHECK(orr_eval(z) == ORR_OK);
                line = __LINE__ - 1;
                z = orr_mul(z, x);
                break;
            case 5:
                ORR_CHECK(orr_read(y, back, sizeof back) == ORR_OK);
                z = orr_mul(orr_from(ORR_F32, ORR_SHAPE(SIDE, SIDE), back), x);
                line = __LINE__ - 1;
                break;
            case 7:
                z = orr_inv(orr_add(y, orr_mul(orr_eye(ORR_F32, SIDE, SIDE, 0), orr_scalar(SIDE))));
                line = __LINE__ - 1;
                z = orr_matmul(z, v);
                break;
            case 8:
                z = orr_where(mask, orr_exp(orr_sin(y)), orr_scalar(0));
                line = __LINE__ - 1;
                break;
            case 9:
                z = orr_exp(orr_sin(x));
                line = __LINE__ - 1;
                z = orr_mul(z, orr_scalar(i + 1));
                break;
            case 10:
                z = orr_conv(orr_mul(image, orr_scalar(i + 1)), filter, NULL, NULL);
                line = __LINE__ - 1;
                break;
            case 11:
                z = orr_repeat(orr_add(orr_slice_axis(a, 0, 0, 1, 1), orr_scalar(i)), SIDE, 0);
                line = __LINE__ - 1;
                z = orr_add(orr_exp(orr_sin(z)), x);
                break;
            case 12:
                z = orr_pow(y, twos);
                line = __LINE__ - 1;
                z = orr_neg(z);
                break;
            case 13:
                z = orr_matmul(y, a);
                line = __LINE__ - 1;
                z = orr_sum(z, ORR_AXES(1), false);
                break;
            case 14:
                z = orr_cast(y, ORR_F64);
                line = __LINE__ - 1;
                z = orr_cast(orr_sin(z), ORR_F32);
                break;
            case 15: /* no numbers of f16 are looked at: no note, and no fault */
                z = orr_where(mask, half, orr_mul(half, orr_cast(orr_scalar(i), ORR_F16)));
                line = 0;
                break;
            default:
                z = orr_matmul(y, a);
                line = __LINE__ - 1; /* the plan of the next evaluation is the same */
                ORR_CHECK(orr_eval(z) == ORR_OK);
                z = orr_matmul(y, a);
            }
            ORR_CHECK(orr_eval(z) == ORR_OK);
            (void)orr_scope_end(s);
        }
        (void)orr_scope_end(outer);
        stop(file);
        ORR_CHECK_MSG(words[kind] ? has(2, line, words[kind]) : !strstr(text, "would change it"), "%d, line %d\n%s",
                      kind, line, text);
    }
}

/* The line to change is another one than that of the kernel whose time it takes. */
static void a_note_stands_at_the_line_to_change(void)
{
    enum { SIDE = 512, TIMES = 24, KINDS = 9 };
    static const char *const words[KINDS] = {
        "across its rows",
        "are those of a slice",
        "nearly all elements of an operand are zero",
        "random numbers are drawn that an evaluation before drew",
        "come back unchanged",
        "of the same operations at other places each time",
        "elements that are equal along an axis",
        "data of f32 becomes f64 here",
        "this evaluation ends",
    };
    static float back[SIDE * SIDE];
    static int64_t number[SIDE];
    char file[1024];
    double sum = 0;
    int line = 0;
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("places"));
    for (int i = 0; i < SIDE; i++)
        number[i] = i;
    for (int kind = 0; kind < KINDS; kind++) {
        start(file);
        orr_scope *outer = orr_scope_begin();
        orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1),
                   *w = orr_rand(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1), *eye = orr_eye(ORR_F32, SIDE, SIDE, 0),
                   *v = orr_ones(ORR_F32, ORR_SHAPE(SIDE, 1)), *numbers = orr_from(ORR_I64, ORR_SHAPE(SIDE), number);
        orr_tensor *state = orr_variable(x), *two = orr_concat(ORR_TENSORS(x, w), 0);
        ORR_CHECK(orr_eval_all(ORR_TENSORS(x, w, eye, v, numbers, two, state)) == ORR_OK);
        for (int i = 0; i < TIMES; i++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *y = orr_add(x, orr_scalar(i)), *z = y;
            switch (kind) {
            case 0:
                z = orr_transpose(w);
                line = __LINE__ - 1;
                z = orr_sum(orr_mul(y, z), ORR_AXES(1), false);
                break;
            case 1:
                z = orr_take(two, numbers, 0);
                line = __LINE__ - 1;
                ORR_CHECK(orr_eval(z) == ORR_OK);
                z = orr_mean(orr_mul(z, orr_scalar(i)), ORR_AXES(1), false);
                break;
            case 2:
                z = orr_matmul(y, eye);
                line = __LINE__ - 1;
                z = orr_mul(z, orr_scalar(2));
                break;
            case 3:
                orr_seed(1);
                z = orr_randn(ORR_F32, ORR_SHAPE(SIDE, SIDE), 0, 1);
                line = __LINE__ - 1;
                z = orr_add(z, y);
                break;
            case 4:
                ORR_CHECK(orr_eval(y) == ORR_OK);
                memcpy(back, orr_data(y), sizeof back);
                z = orr_from(ORR_F32, ORR_SHAPE(SIDE, SIDE), back);
                line = __LINE__ - 1;
                z = orr_mul(z, x);
                break;
            case 5:
                for (int64_t k = 0; k < SIDE && i == 0; k++) { /* once: its plans stay */
                    orr_tensor *column = orr_slice(x, ORR_INDEX(0, k), ORR_INDEX(SIDE, k + 1), ORR_INDEX(1, 1));
                    ORR_CHECK(orr_item(orr_sum(column, ORR_ALL_AXES, false), &sum) == ORR_OK);
                    line = __LINE__ - 1;
                }
                break;
            case 6:
                z = orr_tile(orr_add(v, orr_scalar(i)), ORR_INDEX(1, 8 * SIDE));
                line = __LINE__ - 1;
                z = orr_sum(z, ORR_ALL_AXES, false);
                break;
            case 7:
                z = orr_cast(y, ORR_F64);
                line = __LINE__ - 1;
                z = orr_sqrt(orr_add(z, orr_scalar(1)));
                break;
            default: /* each step needs the evaluation: its value is that of the next one */
                z = orr_sqrt(orr_add(state, orr_scalar(i)));
                ORR_CHECK(orr_assign(state, orr_mul(z, x)) == ORR_OK && orr_eval(state) == ORR_OK);
                line = __LINE__ - 1;
                z = v;
            }
            ORR_CHECK(orr_eval(z) == ORR_OK);
            (void)orr_scope_end(s);
        }
        (void)orr_scope_end(outer);
        stop(file);
        ORR_CHECK_MSG(has(kind == KINDS - 1 ? 99 : 1, line, words[kind]) == (kind < KINDS - 1), "%d, line %d\n%s", kind,
                      line, text);
    }
}

/* A conversion of data that do not change, a large value that is read in each step, results that stay: each in a run of its own, since a
 * busy machine may lengthen any of them. */
static void work_of_loops_in_vain_is_named(void)
{
    enum { ROWS = 500, COLUMNS = 1000, OFTEN = 40 };
    char file[1024];
    int line = 0;
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("loop"));
    float *to = malloc(sizeof(float) * ROWS * COLUMNS);
    ORR_REQUIRE(to);
    for (int kind = 0; kind < 3; kind++) {
        start(file);
        orr_scope *outer = orr_scope_begin();
        orr_tensor *x = orr_full(ORR_F64, ORR_SHAPE(ROWS, COLUMNS), 0.25), *y = orr_cast(x, ORR_F32);
        ORR_CHECK(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
        orr_tensor *w = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(COLUMNS, 1)));
        for (int i = 0; i < OFTEN && kind == 0; i++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *data = orr_exp(orr_cast(x, ORR_F32));
            line = __LINE__ - 1;
            orr_tensor *mean = orr_mean(orr_matmul(data, w), ORR_AXES(0), true);
            ORR_CHECK(orr_assign(w, orr_add(w, mean)) == ORR_OK && orr_eval(w) == ORR_OK);
            (void)orr_scope_end(s);
        }
        for (int i = 0; i < OFTEN && kind == 1; i++) {
            ORR_CHECK(orr_read(y, to, sizeof(float) * ROWS * COLUMNS) == ORR_OK && to[0] == 0.25f);
            line = __LINE__ - 1;
        }
        for (int i = 0; i < OFTEN && kind == 2; i++) {
            ORR_CHECK(orr_eval(orr_full(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), i)) == ORR_OK);
            line = __LINE__ - 1;
        }
        (void)orr_scope_end(outer);
        orr_free(w);
        stop(file);
        static const char *const words[] = { "the same values are computed from the same inputs in 40 evaluations",
                                             "40 reads copy 2 MB each", "values in memory grow by 78 MB in 40" };
        ORR_CHECK_MSG(has(1, line, words[kind]), "%s", text);
    }
    free(to);
}

/* A value of which the next evaluation reads a slice, a product with one-hot rows that is summed, f64 between two casts before a sum, powers
 * by equal numbers, of which one is a root, and a transform of what does not change beside a number that does. */
static void reasons_are_told_apart(void)
{
    enum { ROWS = 200, COLUMNS = 256, OFTEN = 12, KINDS = 6 };
    static const char *const words[KINDS] = { "only a part of its elements is read",
                                              "nearly all elements of an operand are zero",
                                              "data of f32 becomes f64 here",
                                              "an array of equal numbers",
                                              "the same values are computed from the same inputs in 12 evaluations",
                                              "the numbers by which elements are read" };
    char file[1024];
    int line = 0;
    (void)snprintf(file, sizeof file, "%s", orr_test_tmp("reasons"));
    for (int kind = 0; kind < KINDS; kind++) {
        start(file);
        orr_scope *outer = orr_scope_begin();
        orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), 0.25),
                   *half = orr_full(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), 0.5), *rows = orr_arange(ORR_I64, 0, ROWS, 1);
        ORR_CHECK(orr_eval_all(ORR_TENSORS(x, half, rows)) == ORR_OK);
        for (int i = 0; i < OFTEN; i++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *y = orr_add(x, orr_scalar(i)), *z = NULL;
            if (kind == 0) {
                y = orr_exp(y), line = __LINE__;
                ORR_CHECK(orr_eval(y) == ORR_OK);
                z = orr_neg(orr_slice_axis(y, 0, 0, 9, 1));
            } else if (kind == 1) {
                z = orr_sum(orr_matmul(orr_one_hot(rows, ROWS, ORR_F32), y), ORR_AXES(1), false), line = __LINE__;
            } else if (kind == 2) {
                y = orr_cast(y, ORR_F64), line = __LINE__;
                z = orr_sum(orr_cast(orr_exp(y), ORR_F32), ORR_AXES(1), false);
            } else if (kind == 3) {
                z = orr_sum(orr_pow(y, half), ORR_AXES(1), false), line = __LINE__;
            } else if (kind == 4) {
                y = orr_abs(orr_rfft(x, COLUMNS, 1, ORR_FFT_BACKWARD)), line = __LINE__;
                z = orr_sum(orr_mul(y, orr_scalar(i)), ORR_AXES(1), false);
            } else {
                z = orr_add(orr_take(x, rows, 0), orr_scalar(i)), line = __LINE__; /* rows cost no more than a slice */
            }
            ORR_CHECK(orr_eval(z) == ORR_OK);
            (void)orr_scope_end(s);
        }
        (void)orr_scope_end(outer);
        stop(file);
        ORR_CHECK_MSG(has(1, line, words[kind]) == (kind < KINDS - 1), "%s", text);
    }
}

static void plans_that_are_made_each_time_are_named(void)
{
    const char *file = orr_test_tmp("plans");
    int planned = 0;
    start(file);
    for (int i = 0; i < 60; i++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_eval(orr_full(ORR_F32, ORR_SHAPE(i + 1, 3), 2)) == ORR_OK);
        planned = __LINE__ - 1;
        (void)orr_scope_end(s);
    }
    stop(file);
    ORR_CHECK_MSG(has(1, planned, "60 plans for 60 evaluations"), "%s", text);
}

/* Such a kernel has no operand; its numbers are computed from their places, row by row of what was turned. */
static void numbers_drawn_in_a_turned_order_are_no_reads(void)
{
    const char *file = orr_test_tmp("turned");
    start(file);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_add(orr_transpose(orr_rand(ORR_F32, ORR_SHAPE(300, 200), 0, 1)), orr_scalar(1))) == ORR_OK);
    (void)orr_scope_end(s);
    stop(file);
    ORR_CHECK_MSG(*text && !strstr(text, "across"), "%s", text);
}

static void a_clean_program_has_no_advice(void)
{
    const char *file = orr_test_tmp("clean");
    start(file);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(1000, 1000), 0.5);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < 10; i++)
        ORR_CHECK(orr_eval(orr_sum(orr_exp(orr_mul(x, orr_scalar(i))), ORR_ALL_AXES, false)) == ORR_OK);
    (void)orr_scope_end(s);
    stop(file);
    ORR_CHECK_MSG(*text && !strstr(text, "would change it"), "%s", text);
}

/* Standard output is a file meanwhile. */
static void a_dash_is_standard_output(void)
{
    const char *file = orr_test_tmp("dash");
    (void)fflush(stdout);
    int before = dup(1), to = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ORR_REQUIRE(before >= 0 && to >= 0 && dup2(to, 1) == 1);
    (void)close(to);
    start("-");
    bool ok = orr_eval(orr_full(ORR_F32, ORR_SHAPE(100, 100), 0.5)) == ORR_OK;
    int line = __LINE__ - 1;
    stop(file);
    (void)dup2(before, 1);
    (void)close(before);
    ORR_CHECK_MSG(ok && has(9, line, "of the time"), "%s", text);
    ORR_CHECK(access("-", F_OK) != 0);
}

static void rows_are_for_the_report(void)
{
    const char *file = orr_test_tmp("rows.tsv");
    start(file);
    ORR_CHECK(orr_eval(orr_full(ORR_F32, ORR_SHAPE(100, 100), 0.5)) == ORR_OK);
    stop(file);
    ORR_CHECK_MSG(!strncmp(text, "orrery-notes\t1\n", 15) && strstr(text, "\nmachine\t") && strstr(text, "\nline\t"),
                  "%s", text);
    (void)setenv("ORRERY_NOTES", "/nowhere/notes", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EIO && strstr(orr_error_message(), "ORRERY_NOTES=/nowhere/notes"));
    (void)unsetenv("ORRERY_NOTES");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(three_planted_slownesses_are_the_first_three_notes),
        ORR_TEST(values_computed_again_are_named_with_the_reason_against_fusion),
        ORR_TEST(steps_that_repeat_the_ones_before_are_named),
        ORR_TEST(parts_of_kernels_in_vain_are_named),
        ORR_TEST(a_note_stands_at_the_line_to_change),
        ORR_TEST(work_of_loops_in_vain_is_named),
        ORR_TEST(reasons_are_told_apart),
        ORR_TEST(plans_that_are_made_each_time_are_named),
        ORR_TEST(numbers_drawn_in_a_turned_order_are_no_reads),
        ORR_TEST(a_clean_program_has_no_advice),
        ORR_TEST(a_dash_is_standard_output),
        ORR_TEST(rows_are_for_the_report),
        { 0 },
    };
    return orr_test_main(argc, argv, "api.notes", tests);
}
