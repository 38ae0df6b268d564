/* Variables whose new values depend on one another, read at the written element and elsewhere: writing over the old values gives
 * the same bits as writing beside them. Programs are random, interpreted and compiled, with small and large tiles, on processors
 * and on a device. ORR_TEST_FULL=1 runs more of them.
 * Must not know: how the planner finds what may be written over. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"

enum { VARS = 4, STEPS = 4, BYTES = 1 << 21 };

/* A program: the seed determines the work of each step. Rows and columns. */
typedef struct {
    unsigned long long seed;
    orr_dtype dtype;
    int64_t rows, columns;
} program;

static int pick(unsigned long long *r, int n)
{
    return (int)((orr_test_rand(r) >> 33) % (unsigned long long)n);
}

/* The readable values: old ones, and the new ones of the first `made` variables. */
typedef struct {
    const program *p;
    orr_tensor *const *old, *now[VARS];
    int made;
    unsigned long long r;
} writer;

/* Reads an old or a new value unchanged: usually, or, in every other program, always, so that one kernel writes several. All
 * values are within some units of 0. */
static orr_tensor *look(writer *w)
{
    int64_t rows = w->p->rows, columns = w->p->columns;
    int k = pick(&w->r, VARS + w->made);
    orr_tensor *t = k < VARS ? w->old[k] : w->now[k - VARS];
    switch (w->p->seed % 2 ? 20 : pick(&w->r, 20)) {
    case 0: return orr_flip(t, ORR_AXES(1));
    case 1: return orr_flip(t, ORR_AXES(0));
    case 2: return orr_reshape(orr_transpose(t), ORR_SHAPE(rows, columns));
    case 3: return orr_slice_axis(t, 0, rows / 2, rows / 2 + 1, 1); /* one row, broadcast */
    case 4: return orr_mean(t, ORR_AXES(1), true);
    case 5: return orr_max(t, ORR_AXES(0), true);
    case 6: {
        orr_tensor *part[2] = { orr_slice_axis(t, 0, 1, rows, 1), orr_slice_axis(t, 0, 0, 1, 1) };
        return orr_concat(part, 2, 0); /* the element below */
    }
    case 7: return orr_reshape(orr_reshape(t, ORR_SHAPE(rows * columns)), ORR_SHAPE(rows, columns));
    default: return t;
    }
}

static orr_tensor *expression(writer *w, int depth)
{
    if (depth == 0)
        return look(w);
    orr_tensor *x = expression(w, depth - 1 - pick(&w->r, depth));
    switch (pick(&w->r, 7)) {
    case 0: return orr_tanh(x);
    case 1: return orr_exp(orr_neg(orr_abs(x)));
    case 2: return orr_log(orr_add(orr_abs(x), orr_scalar(1.0)));
    case 3: return orr_div(x, orr_add(orr_square(x), orr_scalar(1.0)));
    default: break;
    }
    orr_tensor *y = expression(w, depth - 1);
    switch (pick(&w->r, 3)) {
    case 0: return orr_mul(orr_add(x, y), orr_scalar(0.5));
    case 1: return orr_sub(orr_mul(x, orr_scalar(0.25)), y);
    default: return orr_maximum(x, y);
    }
}

/* Records the new values of all variables. copied: the variables that get another's old value unchanged. */
static void record(const program *p, orr_tensor *const *v, unsigned *copied)
{
    writer w = { .p = p, .old = v, .r = p->seed };
    *copied = 0;
    for (int k = 0; k < VARS; k++) {
        orr_tensor *t;
        if (pick(&w.r, 12) == 0) {
            *copied |= 1u << k;
            t = orr_detach(v[pick(&w.r, VARS)]);
        } else { /* of the previous variable, as Adam's parameter depends on its averages */
            t = orr_add(orr_mul(w.made ? w.now[w.made - 1] : v[k], orr_scalar(0.5)), expression(&w, 1 + pick(&w.r, 4)));
        }
        w.now[k] = orr_cast(orr_broadcast_to(t, ORR_SHAPE(p->rows, p->columns)), p->dtype);
        w.made++;
    }
    for (int k = 0; k < VARS; k++)
        ORR_CHECK_MSG(orr_assign(v[k], w.now[k]) == ORR_OK, "%s", orr_error_message());
}

static bool start(const program *p, orr_tensor **v)
{
    unsigned long long r = p->seed + 1;
    int64_t n = p->rows * p->columns;
    float *x = malloc((size_t)n * sizeof *x);
    for (int k = 0; k < VARS && x; k++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = (float)(orr_test_rand(&r) >> 40) * 0x1p-22f - 2.0f;
        v[k] = orr_keep(orr_variable(orr_cast(orr_from(ORR_F32, ORR_SHAPE(p->rows, p->columns), x), p->dtype)));
    }
    free(x);
    return x && orr_eval_all(v, VARS) == ORR_OK;
}

/* The number of new values in the memory of an old one that nothing read or that was read completely. */
static int count_in_place(orr_tensor *const *v, const orr__buffer *const *before, unsigned copied)
{
    int n = 0;
    for (int k = 0; k < VARS; k++)
        for (int j = 0; j < VARS && !(copied >> k & 1u); j++)
            n += orr__node_value(orr__handle_node(v[k])) == before[j];
    return n;
}

/* Runs all steps and appends the bytes of all values after each. hold: a tensor that needs the old values is held meanwhile. */
static int run(const program *p, bool hold, unsigned char *bytes)
{
    orr_tensor *v[VARS], *held[VARS];
    size_t size = (size_t)(p->rows * p->columns) * orr_dtype_size(p->dtype);
    int in_place = 0;
    orr_scope *all = orr_scope_begin();
    ORR_CHECK_MSG(start(p, v), "%s", orr_error_message());
    for (int s = 0; s < STEPS; s++) {
        const orr__buffer *before[VARS];
        unsigned copied;
        for (int k = 0; k < VARS; k++) {
            before[k] = orr__node_value(orr__handle_node(v[k]));
            held[k] = hold ? orr_keep(orr_neg(v[k])) : NULL;
        }
        orr_scope *inner = orr_scope_begin();
        record(p, v, &copied);
        (void)orr_scope_end(inner);
        ORR_CHECK_MSG(orr_eval_all(NULL, 0) == ORR_OK, "%s", orr_error_message());
        in_place += count_in_place(v, before, copied);
        for (int k = 0; k < VARS; k++, bytes += size) {
            ORR_CHECK_MSG(orr_read(v[k], bytes, size) == ORR_OK, "%s", orr_error_message());
            if (hold)
                ORR_CHECK(orr_free(held[k]) == ORR_OK);
        }
    }
    for (int k = 0; k < VARS; k++)
        ORR_CHECK(orr_free(v[k]) == ORR_OK);
    ORR_CHECK(orr_scope_end(all) == ORR_OK);
    return in_place;
}

static void compare(const program *p, int *in_place)
{
    static unsigned char here[STEPS * VARS * BYTES], elsewhere[STEPS * VARS * BYTES];
    size_t size = (size_t)(p->rows * p->columns) * orr_dtype_size(p->dtype);
    orr_test_alarm();
    ORR_REQUIRE(size <= BYTES);
    int none = run(p, true, elsewhere);
    ORR_CHECK_MSG(none == 0, "seed %llu: %d values were written over although they were held", p->seed, none);
    *in_place += run(p, false, here);
    for (size_t i = 0; i < STEPS * VARS; i++)
        if (memcmp(here + i * size, elsewhere + i * size, size) != 0) {
            size_t at = i * size;
            while (here[at] == elsewhere[at])
                at++;
            ORR_CHECK_MSG(false, "seed %llu, %s %lld × %lld: variable %zu after step %zu: element %zu is another",
                          p->seed, orr_dtype_name(p->dtype), (long long)p->rows, (long long)p->columns, i % VARS,
                          i / VARS, (at - i * size) / orr_dtype_size(p->dtype));
            return;
        }
}

/* Programs of many shapes; returns the number of values in the memory of an old one. */
static int programs(int n, unsigned long long seed)
{
    static const orr_dtype dtype[] = { ORR_F32, ORR_F16, ORR_F64, ORR_BF16 };
    static const int64_t shape[][2] = { { 256, 300 }, { 1, 40001 }, { 40001, 1 },
                                        { 1000, 64 }, { 64, 1000 }, { 700, 370 } };
    int in_place = 0;
    if (getenv("ORR_TEST_FULL"))
        n *= 20;
    for (int k = 0; k < n; k++) {
        const int64_t *s = shape[k % 6];
        compare(&(program){ seed + (unsigned)k, dtype[(k / 2) % 4], s[0], s[1] }, &in_place);
    }
    printf("    %d programs, %d values in the place of an old one\n", n, in_place);
    return in_place;
}

static int with(const char *jit, const char *fuse, const char *tile_us, const char *inline_us, int n)
{
    (void)setenv("ORRERY_JIT", jit, 1);
    (void)setenv("ORRERY_FUSE", fuse, 1);
    (void)setenv("ORRERY_TILE_US", tile_us, 1);
    (void)setenv("ORRERY_INLINE_US", inline_us, 1);
    int in_place = -1;
    if (orr_init(&(orr_config){ .backend = "cpu" }) == ORR_OK) {
        in_place = programs(n, 1000);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    (void)unsetenv("ORRERY_JIT");
    (void)unsetenv("ORRERY_FUSE");
    (void)unsetenv("ORRERY_TILE_US");
    (void)unsetenv("ORRERY_INLINE_US");
    return in_place;
}

static void interpreted(void)
{
    ORR_CHECK(with("off", "on", "auto", "0", 12) > 0);
}

static void interpreted_in_small_tiles(void)
{
    ORR_CHECK(with("off", "on", "20", "0", 12) > 0);
}

static void on_the_calling_thread(void)
{
    ORR_CHECK(with("off", "on", "auto", "1000000000", 12) > 0);
}

static void without_fusion(void)
{
    ORR_CHECK(with("off", "off", "auto", "0", 12) >= 0);
}

static void compiled(void)
{
    ORR_NEED_COMPILER();
    ORR_CHECK(with("wait", "on", "50", "0", 4) > 0);
}

static void random_memory_default_settings(void)
{
    ORR_CHECK(with("on", "on", "auto", "auto", 12) >= 0);
}

/* Devices have their own memory, so nothing is in place. Everything runs on the device, since processors round differently. */
static void on_a_device(void)
{
    (void)setenv("STARPU_NCPU", "0", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    if (orr_init(&(orr_config){ .engine = "starpu", .backend = "opencl" }) == ORR_OK) {
        (void)programs(4, 1000);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    } else {
        ORR_SKIP("no OpenCL: %s", orr_error_message());
    }
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("STARPU_NCPU");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(interpreted),
                                      ORR_TEST(interpreted_in_small_tiles),
                                      ORR_TEST(on_the_calling_thread),
                                      ORR_TEST(without_fusion),
                                      ORR_TEST(compiled),
                                      ORR_TEST(random_memory_default_settings),
                                      ORR_TEST(on_a_device),
                                      { 0 } };
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1); /* StarPU reads this once in a process */
    (void)setenv("STARPU_NCUDA", "0", 1);
    return orr_test_main(argc, argv, "api.inplace_order", tests);
}
