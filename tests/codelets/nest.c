/* The tree of a kernel's loops: a nest that reads what is not there is refused, transforms leave their copies alone, and people can read it.
 * Must not know: texts, compilers. */
#include "config.h"

#include "codelets/nest/nest.h"
#include "tests/harness/harness.h"
#include "tests/harness/region_build.h"

static rb b;
static orr__text text;

/* r1 = exp(r0), of 40 elements. */
static void exponential(void)
{
    rb_begin(&b, RB_MAP, 1, (const int64_t[]){ 40 });
    rb_out(&b, ORR_F32, rb_ew(&b, "exp", rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 40))), -1, -1));
    text = (orr__text){ 0 };
}

static bool is_sound(const orr__nest *n)
{
    char why[64];
    bool ok = orr__nest_verify(n, &b.r, why, sizeof why);
    ORR_CHECK(ok == !*why);
    return ok;
}

static void registers_are_there_where_they_are_read(void)
{
    orr__nest n;
    exponential();
    orr__nest_begin(&n, &text);
    (void)orr__nest_loop(&n, ORR__LOOP_VECTOR, "i0", "0", "40", NULL);
    (void)orr__nest_add(&n, ORR__PART_LET, 0, 0);
    (void)orr__nest_add(&n, ORR__PART_LET, 0, 1);
    orr__nest_close(&n, 1);
    ORR_CHECK(is_sound(&n));
    (void)orr__nest_add(&n, ORR__PART_LET, 0, 1); /* r0 ended with its loop */
    ORR_CHECK(!is_sound(&n));
    orr__nest_free(&n);
}

static void arrays_and_sums_are_there_where_they_are_read(void)
{
    for (int declared = 0; declared < 2; declared++) {
        orr__nest n;
        exponential();
        orr__nest_begin(&n, &text);
        if (declared)
            orr__nest_array(&n, 0, "orr_f32", "keep0", "40");
        orr__part *load = orr__nest_add(&n, ORR__PART_LOAD, ORR__LOAD_KEPT, 0);
        load->name = "keep0";
        load->at = "0";
        ORR_CHECK(is_sound(&n) == declared);
        orr__nest_free(&n);
    }
    orr__nest n;
    b.r.rmask = 1;
    orr__nest_begin(&n, &text);
    (void)orr__nest_add(&n, ORR__PART_FOLD, ORR__FOLD_END, b.r.ninstr);
    ORR_CHECK(!is_sound(&n));
    orr__nest_free(&n);
}

/* Statements, conditions and positions read declared names, which end with their body; members, calls and macros are no names. */
static void names_of_statements_are_there_where_they_are_read(void)
{
    static const struct {
        const char *first, *second;
        bool sound;
    } cases[] = {
        { "const orr_idx q = 0, e = q + 4", "e = q", true },       { "const orr_idx q = 0", "e = q", false },
        { "const orr_f32 *base = in0", "(void)base[W(2)]", true }, { "orr_idx q = f(1, e)", "(void)q", false },
        { "orr_idx q = f(1, 2), e", "q = s.left + e", false },     { "orr_idx s = 0", "ORR_STEP(s->left)", true }
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        orr__nest n;
        exponential();
        orr__nest_begin(&n, &text);
        orr__nest_set(&n, "%s", cases[k].first);
        orr__nest_set(&n, "%s", cases[k].second);
        ORR_CHECK_MSG(is_sound(&n) == cases[k].sound, "%s", cases[k].second);
        orr__nest_free(&n);
    }
    orr__nest n;
    exponential();
    orr__nest_begin(&n, &text);
    (void)orr__nest_loop(&n, 0, "i0", "0", "40", NULL);
    (void)orr__nest_if(&n, "i0 < 3");
    orr__nest_close(&n, 2);
    ORR_CHECK(is_sound(&n));
    (void)orr__nest_if(&n, "i0 < 3");
    ORR_CHECK(!is_sound(&n));
    orr__nest_free(&n);
}

static bool mask(orr__part *part, void *unused)
{
    (void)unused;
    part->around.masked = true;
    return part->kind != ORR__PART_SET;
}

/* A masked copy without the loop's numbers, beside the loop itself. */
static void a_changed_copy_leaves_the_original_alone(void)
{
    orr__nest n;
    exponential();
    orr__nest_begin(&n, &text);
    orr__part **mark = n.end;
    (void)orr__nest_loop(&n, 0, "i0", "0", "40", NULL);
    orr__nest_set(&n, "const int lane = %d", 3);
    (void)orr__nest_add(&n, ORR__PART_LET, 0, 0);
    orr__nest_close(&n, 1);
    orr__part *loop = orr__nest_take(&n, mark), *copy = orr__nest_clone(&n, loop);
    ORR_CHECK(n.root == NULL);
    orr__nest_each(&copy, mask, NULL);
    orr__nest_put(&n, copy);
    orr__nest_put(&n, loop);
    ORR_CHECK(n.root == copy && copy->next == loop && !loop->next);
    ORR_CHECK(copy->body->kind == ORR__PART_LET && copy->body->around.masked && !copy->body->next);
    ORR_CHECK(loop->body->kind == ORR__PART_SET && !loop->body->next->around.masked);
    ORR_CHECK(orr__nest_has(n.root, ORR__PART_LET, 0) && !orr__nest_has(n.root, ORR__PART_LET, 1));
    orr__nest_free(&n);
}

static void a_nest_is_printed_part_by_part(void)
{
    char line[600] = "";
    orr__nest n;
    FILE *f = tmpfile();
    ORR_REQUIRE(f != NULL);
    exponential();
    orr__nest_begin(&n, &text);
    (void)orr__nest_if(&n, "W(5) > 3");
    (void)orr__nest_loop(&n, ORR__LOOP_VECTOR, "i0", "0", "W(5)", NULL);
    (void)orr__nest_add(&n, ORR__PART_LET, 0, 1);
    orr__nest_close(&n, 1);
    orr__nest_else(&n);
    orr__nest_set(&n, "return 0");
    orr__nest_close(&n, 1);
    (void)snprintf(b.r.label, sizeof b.r.label, "exp");
    orr__nest_print(f, &n, &b.r);
    rewind(f);
    size_t size = fread(line, 1, sizeof line - 1, f);
    (void)fclose(f);
    ORR_CHECK_MSG(size > 0 && !strcmp(line, "nest exp\n"
                                            "  if 40 > 3\n"
                                            "    loop vector i0 from 0 to 40\n"
                                            "      let r1 = exp r0 : float32\n"
                                            "  else\n"
                                            "    set return 0\n"),
                  "%s", line);
    orr__nest_free(&n);
}

/* Memory that ends, or too many steps: the parts are none, and nothing is written to them. */
static void a_nest_that_fails_takes_no_more_parts(void)
{
    orr__nest n;
    exponential();
    text.steps = orr__text_steps;
    orr__nest_begin(&n, &text);
    (void)orr__nest_loop(&n, 0, "i0", "0", "40", NULL);
    orr__nest_close(&n, 1);
    ORR_CHECK(text.failed && text.endless && !n.root);
    ORR_CHECK(!strcmp(orr__nest_say(&n, "%d", 3), ""));
    orr__nest_free(&n);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(registers_are_there_where_they_are_read),
                                      ORR_TEST(arrays_and_sums_are_there_where_they_are_read),
                                      ORR_TEST(names_of_statements_are_there_where_they_are_read),
                                      ORR_TEST(a_changed_copy_leaves_the_original_alone),
                                      ORR_TEST(a_nest_is_printed_part_by_part),
                                      ORR_TEST(a_nest_that_fails_takes_no_more_parts),
                                      { NULL, NULL } };
    return orr_test_main(argc, argv, "nest", tests);
}
