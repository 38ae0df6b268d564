/* Repeated work allocates nothing: it records, evaluates, submits and frees in existing memory.
 * Must not know: whose memory it is. */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include "tests/harness/harness.h"

#if ORR_TEST_SANITIZED || !defined(__GLIBC__)
#define COUNTED false
static int calls;
#else
#define COUNTED true
/* Counts this thread's calls: workers and the compiler's threads may allocate. Volatile: a compiler knows that malloc changes no variable. */
static _Thread_local volatile int calls;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    calls++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    calls++;
    return __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    calls++;
    return __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
    calls++;
    return (*p = __libc_memalign(align, size)) ? 0 : 12 /* ENOMEM */;
}
#endif

typedef struct {
    orr_tensor *x, *w, *v;
    orr_graph *graph;
} setting;

static void one_op(const setting *s)
{
    ORR_CHECK(orr_eval(orr_mul(s->x, s->w)) == ORR_OK);
}

static void product(const setting *s)
{
    ORR_CHECK(orr_eval(orr_matmul(s->x, s->w)) == ORR_OK);
}

static void chain(const setting *s)
{
    orr_tensor *y = s->x;
    for (int i = 0; i < 100; i++)
        y = i % 3 ? orr_tanh(orr_add(y, s->w)) : orr_matmul(y, s->w);
    ORR_CHECK(orr_eval(orr_sum(y, ORR_ALL_AXES, false)) == ORR_OK);
}

static void built(const setting *s)
{
    orr_tensor *y;
    ORR_CHECK(orr_graph_submit(s->graph, ORR_TENSORS(s->x), &y, 1, NULL) == ORR_OK);
}

static void step(const setting *s)
{
    ORR_CHECK(orr_assign(s->v, orr_sub(s->v, orr_mul(s->w, orr_scalar(0.5)))) == ORR_OK);
    ORR_CHECK(orr_eval(s->v) == ORR_OK);
}

static void again(const char *what, void (*f)(const setting *s), const setting *s)
{
    enum { WARM = 200, TIMES = 1000 };
    int before = 0;
    for (int i = 0; i < WARM + TIMES; i++) {
        before = i == WARM ? calls : before;
        orr_scope *scope = orr_scope_begin();
        f(s);
        (void)orr_scope_end(scope);
    }
    ORR_CHECK_MSG(calls == before, "%s: %d allocations in %d rounds", what, calls - before, TIMES);
}

static void allocates_nothing(int64_t side)
{
    if (!COUNTED)
        ORR_SKIP("allocations are the sanitizer's here");
    orr_shape shape = ORR_SHAPE(side, side);
    ORR_REQUIRE(setenv("ORRERY_JIT", "off", 1) == 0 && orr_init(NULL) == ORR_OK);
    setting s = { .x = orr_full(ORR_F32, shape, 0.5), .w = orr_full(ORR_F32, shape, 0.25) };
    s.v = orr_variable(s.x);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(s.x, s.w, s.v)) == ORR_OK);
    orr_tensor *in = orr_placeholder(ORR_F32, shape), *out = orr_add(orr_matmul(in, s.w), s.v);
    ORR_REQUIRE((s.graph = orr_graph_build(&in, 1, &out, 1)) != NULL);
    again("an op", one_op, &s);
    again("a product", product, &s);
    if (side < 64) /* larger work becomes tasks of StarPU */
        again("a chain", chain, &s);
    again("a built graph", built, &s);
    again("a variable's step", step, &s);
    ORR_CHECK(orr_graph_free(s.graph) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_JIT") == 0);
}

static void allocation_counter_counts(void)
{
    if (!COUNTED)
        ORR_SKIP("allocations are the sanitizer's here");
    int before = calls;
    void *volatile p = malloc(10);
    free(p);
    ORR_CHECK(calls == before + 1);
}

static void small_work_allocates_nothing(void)
{
    allocates_nothing(1);
    allocates_nothing(4);
}

static void larger_work_allocates_nothing(void)
{
    allocates_nothing(64);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(allocation_counter_counts),
                                      ORR_TEST(small_work_allocates_nothing),
                                      ORR_TEST(larger_work_allocates_nothing),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.steady", tests);
}
