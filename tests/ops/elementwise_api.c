/* The public element-wise functions, evaluated by the library, against the goldens.
 * Must not know: which engine or kernel computes. */
#include "config.h"

#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include "ops/ew_id.h"
#include "tests/ops/golden_ew.h"
#include "tests/harness/harness.h"

typedef union {
    orr_tensor *(*one)(const char *, int, orr_tensor *);
    orr_tensor *(*two)(const char *, int, orr_tensor *, orr_tensor *);
    orr_tensor *(*three)(const char *, int, orr_tensor *, orr_tensor *, orr_tensor *);
} function;

static const function functions[] = {
#define UNARY(name, ...) { .one = orr_##name##_at },
#define BINARY(name, ...) { .two = orr_##name##_at },
#define TERNARY(name, ...) { .three = orr_##name##_at },
#include "ops/elementwise.def"
};

static orr_tensor *call(const golden_block *b, orr_tensor *const t[3])
{
    function f = functions[b->row->op.id - ORR__OP_EW];
    return b->row->arity == 1   ? f.one(ORR_HERE, t[0])
           : b->row->arity == 2 ? f.two(ORR_HERE, t[0], t[1])
                                : f.three(ORR_HERE, t[0], t[1], t[2]);
}

static orr_tensor *tensor(const orr__scalar *v, int n, orr_dtype t)
{
    size_t size = orr_dtype_size(t);
    unsigned char *p = malloc((size_t)n * size + 1);
    for (int i = 0; p && i < n; i++)
        orr__scalar_store(p + (size_t)i * size, t, v[i]);
    orr_tensor *x = orr_from(t, ORR_SHAPE(n), p);
    free(p);
    return x;
}

static void compare(const golden_block *b, void *user)
{
    int *wrong = user, bad = 0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[3] = { NULL, NULL, NULL };
    orr_dtype d = golden_result_dtype(b);
    for (int k = 0; k < b->row->arity; k++)
        t[k] = tensor(b->in[k], b->n, k == 0 && b->row->cond ? ORR_BOOL : b->dtype);
    size_t size = orr_dtype_size(d);
    unsigned char *got = calloc((size_t)b->n, size);
    orr_status st = orr_read(call(b, t), got, (size_t)b->n * size);
    ORR_CHECK_MSG(got && st == ORR_OK, "%s: %s", b->row->op.name, orr_error_message());
    for (int i = 0; got && st == ORR_OK && i < b->n; i++) {
        double ulps;
        char text[200];
        orr__scalar v = orr__scalar_load(got + (size_t)i * size, d);
        bool ok = golden_close(b, i, v, &ulps);
        *wrong += !ok;
        if (!ok && bad++ < 3)
            ORR_CHECK_MSG(ok, "%s (%.1f ulp)", golden_text(b, i, v, text, sizeof text), ulps);
    }
    free(got);
    (void)orr_scope_end(s);
}

static void against(const char *file)
{
    int wrong = 0;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(golden_each(file, compare, &wrong));
    ORR_CHECK_MSG(wrong == 0, "%s: %d wrong", file, wrong);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void f32_functions_keep_the_promised_ulps(void)
{
    against("f32.txt");
}
static void f64_functions_keep_the_promised_ulps(void)
{
    against("f64.txt");
}
static void f16_functions_round_once_more(void)
{
    against("f16.txt");
}
static void bf16_functions_round_once_more(void)
{
    against("bf16.txt");
}
static void int_and_bool_functions_are_as_in_numpy(void)
{
    against("ints.txt");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(f32_functions_keep_the_promised_ulps),   ORR_TEST(f64_functions_keep_the_promised_ulps),
        ORR_TEST(f16_functions_round_once_more),          ORR_TEST(bf16_functions_round_once_more),
        ORR_TEST(int_and_bool_functions_are_as_in_numpy), { 0 }
    };
    return orr_test_main(argc, argv, "ops.elementwise_api", tests);
}
