/* Wrong, malicious and numerous definitions, and definitions by several threads at once.
 * Must not know: how a definition is kept. */
#include "config.h"

#include <locale.h>
#include <pthread.h>
#include "tests/harness/define_help.h"

static orr_op *unary(const char *text)
{
    return orr_define_elementwise("tried_and_wrong", 1, text);
}

static void texts_that_do_not_parse_say_where(void)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "", "column 1: a value expected" },
        { "x +", "column 4: a value expected, not the end" },
        { "x=1", "column 2: '=' where the end or an operator should be" },
        { "x; exit(1)", "column 2: ';'" },
        { "f()", "column 1: no function is called f" },
        { "system(x)", "column 1: no function is called system" },
        { "x /* comment */", "column 4: '*' where a value should start" },
        { "x // y", "column 4: '/' where a value should start" },
        { "x\"y\"", "column 2: '\"'" },
        { "x[0]", "column 2: '['" },
        { "x->y", "column 3: '>' where a value should start" },
        { "x.y", "column 2: '.'" },
        { "x++", "column 3: '+' where a value should start" },
        { "(float)x", "column 2: float is none of the names x" },
        { "{x}", "column 1: '{'" },
        { "x ? 1 : 2", "column 3: the condition is a number" },
        { "x > 0 ? 1", "column 10: ':' expected" },
        { "x > 0 ? 1 : x > 1", "where of a number and a truth value" },
        { "sigm(x)", "did you mean sigmoid?" },
        { "fabs(x)", "did you mean abs?" },
        { "max(x, 0)", "did you mean maximum?" },
        { "exp(x, x)", "exp takes 1 operand" },
        { "pow(x)", "pow takes 2 operands, not 1" },
        { "y", "column 1: y is none of the names x" },
        { "r", "column 1: r is none of the names x" },
        { "x > 0 > 0", "column 7: '>'" },
        { "(x > 0) * 2", "mul of a number and a truth value" },
        { "bitwise_and(x, x)", "bitwise_and takes no floats" },
        { "exp(x > 0)", "exp takes no truth values" },
        { "!x", "logical_not takes no floats" },
        { "0x10 * x", "a decimal number expected" },
        { "1e999 * x", "the number is too large" },
        { "1..2", "column 3: '.'" },
        { "x \xc2\xb7 x", "a byte that no expression has (0xc2)" },
        { "x\x01", "(0x01)" },
        { "x\n\n  +\n  q", "column 10: q is none" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        dh_refused(unary(wrong[i].text), wrong[i].words);
    dh_refused(orr_define_elementwise_with("tried_and_wrong", 1, "x*x", ORR_TEXTS("g*z")),
               "the derivative by x, column 3: z is none");
    dh_refused(orr_define_elementwise_with("tried_and_wrong", 1, "x*x", ORR_TEXTS("x > 0")),
               "a derivative is a number");
    dh_refused(orr_define_elementwise_with("tried_and_wrong", 1, "x > 0", ORR_TEXTS("g")),
               "a truth value has no derivative");
    ORR_CHECK(orr_op_find("tried_and_wrong") == NULL);
}

static void invalid_arguments_are_refused(void)
{
    static const char *const names[] = {
        "",        "1a",       "a b",    "a-b",      "x",   "g",
        "exp",     "where",    "matmul", "int",      "for", "new",
        "kernel",  "__global", "_a",     "orr_mine", "a;b", "a_name_that_goes_on_for_ever_and_ever_and_ever",
        "ünïcode", "threadIdx"
    };
    static const char *const none[2] = { NULL, NULL };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        dh_refused(orr_define_elementwise(names[i], 1, "x"), "the name");
    dh_refused(orr_define_elementwise(NULL, 1, "x"), "name is NULL");
    dh_refused(orr_define_elementwise("odd_one", 0, "x"), "0 operands");
    dh_refused(orr_define_elementwise("odd_one", 4, "x"), "4 operands");
    dh_refused(orr_define_elementwise_with("odd_one", 2, "x", ORR_TEXTS("g")), "1 derivatives for 2 operands");
    dh_refused(orr_define_elementwise_with("odd_one", 1, "x", ORR_TEXTS("g", "g")), "2 derivatives for 1 operands");
    dh_refused(orr_define_elementwise_at(ORR_HERE, "odd_one", 1, NULL, NULL, 0), "the expression is NULL");
    dh_refused(orr_define_elementwise_at(ORR_HERE, "odd_one", 1, "x", none, 1), "derivative 0 is NULL");
    dh_refused(orr_define_elementwise_at(ORR_HERE, "odd_one", 1, "x", none, -3), "derivatives for 1 operands");
    dh_refused(orr_define_kernel(NULL), "definition is NULL");
    ORR_CHECK(orr_op_name(NULL) == NULL && orr_op_arity(NULL) == -1 && orr_op_find(NULL) == NULL);
}

/* The names of all functions on tensors in the headers: orr_NAME_at. */
static void operation_names_are_reserved(void)
{
    static const char *const headers[] = { "ops.h", "random.h", "array.h", "fft.h", "norm.h", "sequence.h" };
    int found = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char path[1200];
        size_t size = 0;
        (void)snprintf(path, sizeof path, "%s/../../include/orrery/%s", orr_test_golden(""), headers[h]);
        char *text = (char *)orr_test_slurp(path, &size);
        ORR_REQUIRE(text != NULL);
        for (char *p = text, *end; (p = strstr(p, " *orr_")) && (end = strstr(p, "_at(")); p = end) {
            *end++ = '\0';
            dh_refused(orr_define_elementwise(p + strlen(" *orr_"), 1, "x + 1"), "is an operation of the library");
            found++;
        }
        free(text);
    }
    ORR_CHECK_MSG(found > 40, "%d", found);
}

static int nothing(const orr_kernel_args *a)
{
    (void)a;
    return 0;
}

static void invalid_kernel_definition_is_refused(void)
{
    orr_kernel_def good = { .name = "fine", .n_inputs = 1, .cpu = nothing }, d;
    dh_refused(orr_define_kernel(&(orr_kernel_def){ .n_inputs = 1, .cpu = nothing }), "name is NULL");
    dh_refused(orr_define_kernel(&(orr_kernel_def){ .name = "while", .n_inputs = 1, .cpu = nothing }), "a word of C");
    d = good, d.n_inputs = 0;
    dh_refused(orr_define_kernel(&d), "n_inputs");
    d = good, d.n_inputs = 9;
    dh_refused(orr_define_kernel(&d), "n_inputs");
    d = good, d.n_params = 4;
    dh_refused(orr_define_kernel(&d), "n_params");
    d = good, d.cpu = NULL;
    dh_refused(orr_define_kernel(&d), "nothing can compute it");
    d = good, d.entry = "a b";
    dh_refused(orr_define_kernel(&d), "entry");
    d = good, d.flops = NAN;
    dh_refused(orr_define_kernel(&d), "flops");
    d = good, d.group = -1;
    dh_refused(orr_define_kernel(&d), "group");
    d = good, d.dtypes[0] = 1u << ORR_DTYPE_COUNT;
    dh_refused(orr_define_kernel(&d), "dtypes");
    orr_op *op = orr_define_kernel(&good);
    ORR_CHECK(op && orr_define_kernel(&good) == op);
    d = good, d.version = 2;
    dh_refused(orr_define_kernel(&d), "fine is defined otherwise already");
    dh_refused(orr_define_elementwise("fine", 1, "x"), "fine is defined otherwise already");
    dh_refused(orr_define_elementwise("calls_fine", 1, "fine(x)"), "no function is called fine");
}

static void same_definition_gives_same_op(void)
{
    orr_op *op = orr_define_elementwise_with("same_again", 1, "x*x+1", ORR_TEXTS("2*g*x"));
    ORR_CHECK(op && orr_define_elementwise_with("same_again", 1, "x*x+1", ORR_TEXTS("2*g*x")) == op &&
              orr_op_find("same_again") == op);
    ORR_CHECK(strcmp(orr_op_name(op), "same_again") == 0 && orr_op_arity(op) == 1);
    dh_refused(orr_define_elementwise_with("same_again", 1, "x*x+2", ORR_TEXTS("2*g*x")), "tests/api/define_misuse.c");
    dh_refused(orr_define_elementwise("same_again", 1, "x*x+1"), "defined otherwise already");
    dh_refused(orr_define_elementwise("same_again", 2, "x*x+1"), "defined otherwise already");
}

static void definitions_outlive_runs_of_the_library(void)
{
    orr_op *op = orr_define_elementwise("long_lived", 1, "3*x"); /* before orr_init */
    double got;
    ORR_CHECK(orr_op_find("long_lived") == op);
    for (int i = 0; i < 3; i++) {
        if (!DH_START(DH_SERIAL))
            return;
        orr_tensor *y = orr_apply(op, ORR_TENSORS(orr_full(ORR_F32, ORR_SHAPE(1), i)));
        ORR_CHECK(dh_read(y, &got, 1) && got == 3 * i && orr_define_elementwise("long_lived", 1, "3*x") == op);
        ORR_CHECK(orr_shutdown() == ORR_OK);
        ORR_CHECK(orr_eval(y) != ORR_OK); /* the tensor belonged to the previous run */
        y = orr_apply(op, ORR_TENSORS(orr_full(ORR_F32, ORR_SHAPE(1), 1)));
        ORR_CHECK(orr_eval(y) == ORR_ESTATE);
    }
}

static void foreign_op_pointer_is_error(void)
{
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(2)), *none = NULL;
    orr_op *op = orr_define_elementwise("two_handed", 2, "x-y");
    ORR_CHECK(orr_eval(orr_apply((orr_op *)NULL, ORR_TENSORS(x))) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply((orr_op *)(void *)x, ORR_TENSORS(x))) == ORR_EHANDLE);
    ORR_CHECK(orr_eval(orr_apply((orr_op *)(void *)&x, ORR_TENSORS(x))) == ORR_EHANDLE);
    ORR_CHECK(orr_eval(orr_apply((orr_op *)(uintptr_t)0xfffffffbu, ORR_TENSORS(x))) == ORR_EHANDLE);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x))) == ORR_EINVAL &&
              strstr(orr_error_message(), "two_handed: takes 2 operands"));
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, x, x))) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, none))) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply_at(ORR_HERE, op, NULL, 2, NULL, 0)) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply_at(ORR_HERE, op, &x, -1, NULL, 0)) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply_with(op, ORR_TENSORS(x, x), ORR_PARAMS(1))) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, orr_ones(ORR_I32, ORR_SHAPE(2))))) == ORR_EDTYPE);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(orr_ones(ORR_I32, ORR_SHAPE(2)), orr_ones(ORR_I32, ORR_SHAPE(2))))) ==
                  ORR_EDTYPE &&
              strstr(orr_error_message(), "orr_cast"));
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, orr_ones(ORR_F32, ORR_SHAPE(3))))) == ORR_ESHAPE);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, orr_reshape(x, ORR_SHAPE(5))))) == ORR_ESHAPE); /* poison travels */
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void hostile_text_gives_a_message(void)
{
    static char text[40000];
    memset(text, '(', 10000);
    dh_refused(unary(text), "nested too deeply");
    memset(text, '-', 10000);
    dh_refused(unary(text), "nested too deeply");
    memset(text, '!', 10000);
    dh_refused(unary(text), "nested too deeply");
    for (int i = 0; i < 2000; i++)
        memcpy(text + 5 * i, "x>0?x", 6);
    dh_refused(unary(text), "");
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    dh_refused(unary(text), "longer than");
    char *to = text;
    for (int i = 0; i < 300; i++)
        to += sprintf(to, "%sx*%d.5", i ? "+" : "", i);
    dh_refused(unary(text), "the expression is too long");
    memset(text, '9', 400);
    text[400] = '\0';
    dh_refused(unary(text), "too large");
    memset(text, 'a', 9000);
    memcpy(text + 9000, "(x)", 4);
    dh_refused(unary(text), "no function is called aaa");
}

/* Each definition calls the previous one twice: the size grows as 2ⁿ and is limited. */
static void deep_definitions_are_refused(void)
{
    char name[24], text[64];
    orr_op *op = orr_define_elementwise("tower0", 1, "x+1");
    int i;
    for (i = 1; op && i < 40; i++) {
        (void)snprintf(name, sizeof name, "tower%d", i);
        (void)snprintf(text, sizeof text, "tower%d(tower%d(x))", i - 1, i - 1);
        op = orr_define_elementwise(name, 1, text);
    }
    dh_refused(op, "operations");
    ORR_CHECK(i > 8 && i < 12);
    op = orr_define_elementwise("stack0", 1, "x");
    for (i = 1; op && i < 40; i++) {
        (void)snprintf(name, sizeof name, "stack%d", i);
        (void)snprintf(text, sizeof text, "stack%d(x)", i - 1);
        op = orr_define_elementwise(name, 1, text);
    }
    dh_refused(op, "calls deep");
}

static void thousand_definitions_work(void)
{
    char name[24], text[32];
    orr_op *op[1000];
    double got;
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof name, "of_many_%d", i);
        (void)snprintf(text, sizeof text, "x + %d", i);
        op[i] = orr_define_elementwise(name, 1, text);
        ORR_CHECK(op[i] && (i == 0 || op[i] != op[i - 1]));
    }
    for (int i = 0; i < 1000; i += 111)
        ORR_CHECK(dh_read(orr_apply(op[i], ORR_TENSORS(orr_zeros(ORR_F32, ORR_SHAPE(1)))), &got, 1) && got == i);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void *define_some(void *arg)
{
    orr_op **op = arg;
    char name[24];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof name, "by_threads_%d", i);
        op[i] = orr_define_elementwise_with(name, 1, "x*x", ORR_TEXTS("2*g*x"));
    }
    return NULL;
}

static void threads_share_equal_definitions(void)
{
    static orr_op *op[8][100];
    pthread_t thread[8];
    for (int t = 0; t < 8; t++)
        ORR_REQUIRE(pthread_create(&thread[t], NULL, define_some, op[t]) == 0);
    for (int t = 0; t < 8; t++)
        (void)pthread_join(thread[t], NULL);
    for (int i = 0; i < 100; i++)
        for (int t = 0; t < 8; t++)
            ORR_CHECK(op[t][i] && op[t][i] == op[0][i]);
}

static void numbers_have_a_point_in_every_locale(void)
{
    double got;
    if (!orr_test_comma())
        ORR_SKIP("localedef is missing");
    orr_op *op = orr_define_elementwise("with_a_point", 1, "x*0.5 + 1.25e-1");
    dh_refused(orr_define_elementwise("with_a_comma", 1, "x*0,5"), "',' where the end");
    (void)setlocale(LC_ALL, "C");
    if (!DH_START(DH_SERIAL))
        return;
    ORR_CHECK(dh_read(orr_apply(op, ORR_TENSORS(orr_ones(ORR_F64, ORR_SHAPE(1)))), &got, 1) && got == 0.625);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(texts_that_do_not_parse_say_where),
                                      ORR_TEST(invalid_arguments_are_refused),
                                      ORR_TEST(operation_names_are_reserved),
                                      ORR_TEST(invalid_kernel_definition_is_refused),
                                      ORR_TEST(same_definition_gives_same_op),
                                      ORR_TEST(definitions_outlive_runs_of_the_library),
                                      ORR_TEST(foreign_op_pointer_is_error),
                                      ORR_TEST(hostile_text_gives_a_message),
                                      ORR_TEST(deep_definitions_are_refused),
                                      ORR_TEST(thousand_definitions_work),
                                      ORR_TEST(threads_share_equal_definitions),
                                      ORR_TEST(numbers_have_a_point_in_every_locale),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.define_misuse", tests);
}
