/* docs/ops.md is fresh, and one row added to a copy of the table makes a complete new operation, as
 * docs/adding-an-op.md documents.
 * Must not know: what the rows are. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include "ops/ops.h"
#include "ops/record.h"
#include "tests/harness/harness.h"

orr_tensor *orr_center_at(const char *file, int line, orr_tensor *x, orr_axes axes);
#include "tests/ops/guide_center.h"

/* The worked example of docs/adding-an-op.md. */
static const char new_row[] = "UNARY(  softsign,           FLOAT,   SAME,   6, x / (K(1.0) + fabs(x)),     "
                              "\"g/((1+abs(x))*(1+abs(x)))\", -10, 10, 2,\n"
                              "        \"x / (1 + |x|)\")\n";

static char *top_file(const char *name)
{
    char path[4200];
    size_t size;
    (void)snprintf(path, sizeof path, "%.2000s/%s", orr_test_golden("../.."), name);
    return (char *)orr_test_slurp(path, &size);
}

/* The output of a shell command; NULL if it fails. The caller frees it. */
static char *output(const char *command, int *status)
{
    size_t cap = 1u << 20, n;
    char *text = calloc(1, cap);
    FILE *f = text ? popen(command, "r") : NULL;
    n = f ? fread(text, 1, cap - 1, f) : 0;
    *status = f ? pclose(f) : -1;
    if (f && n < cap)
        return text;
    free(text);
    return NULL;
}

static void ops_doc_is_fresh(void)
{
    char top[2100], command[9000];
    int status, line = 1;
    (void)snprintf(top, sizeof top, "%.2000s", orr_test_golden("../.."));
    (void)snprintf(command, sizeof command,
                   "cd '%s' && LC_ALL=C awk -f build-aux/gen-ops.awk ops/elementwise.def include/orrery/ops.h "
                   "include/orrery/array.h include/orrery/random.h",
                   top);
    char *want = output(command, &status), *have = top_file("docs/ops.md");
    size_t i = 0;
    ORR_CHECK(want && have && status == 0);
    for (; want && have && have[i] && have[i] == want[i]; i++)
        line += have[i] == '\n';
    ORR_CHECK_MSG(want && have && have[i] == want[i], "docs/ops.md is stale from line %d on: run 'make docs-pages'",
                  line);
    free(want);
    free(have);
}

static void every_row_is_in_the_page(void)
{
    char *have = top_file("docs/ops.md");
    ORR_REQUIRE(have);
    for (int i = 0; i < orr__ew_count(); i++) {
        char call[80];
        (void)snprintf(call, sizeof call, "| `orr_%s(", orr__ew(ORR__OP_EW + i)->op.name);
        ORR_CHECK_MSG(strstr(have, call), "%s", call);
    }
    free(have);
}

/* The guide contains the example that is tested here. */
static void guide_shows_the_row_that_is_tried(void)
{
    char *guide = top_file("docs/adding-an-op.md");
    ORR_REQUIRE(guide);
    ORR_CHECK(strstr(guide, new_row));
    char *code = top_file("tests/ops/guide_center.h");
    ORR_CHECK(code && strstr(guide, code));
    free(code);
    free(guide);
}

static void guide_shows_a_composition_that_works(void)
{
    static const float v[] = { 1, 2, 6, 0, 4, 5 }, want[] = { -2, -1, 3, -3, 1, 2 };
    float got[6] = { 0 };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), v);
    ORR_CHECK(orr_read(orr_center_at(ORR_HERE, x, ORR_AXES(1)), got, sizeof got) == ORR_OK);
    ORR_CHECK(memcmp(got, want, sizeof got) == 0);
    ORR_CHECK(orr_tensor_status(orr_center_at(ORR_HERE, x, ORR_AXES(2))) == ORR_EAXIS);
    ORR_CHECK(orr_tensor_status(orr_center_at(ORR_HERE, NULL, ORR_AXES(0))) == ORR_EINVAL);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static bool put(const char *path, const char *a, const char *b, const char *c)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(a, f) >= 0 && fputs(b, f) >= 0 && fputs(c, f) >= 0;
    return f && fclose(f) == 0 && ok;
}

/* A program that finds the new row, applies it, computes its derivative, and uses its public function. */
static const char user[] =
    "#include \"ops/ew_op.h\"\n"
    "#include \"ops/expr.h\"\n"
    "#include <orrery/elementwise.h>\n"
    "orr_status orr__ew_reference(const struct orr__reference *j) { return j ? ORR_OK : ORR_OK; }\n"
    "orr_tensor *orr__ew_back(const struct orr__back *b, int k) { return b && k ? NULL : NULL; }\n"
    "int orr__ew_lower(struct orr__lowering *c, int i, const struct orr__view *v)\n"
    "{ return c && v ? i : 0; }\n"
    "bool orr__ew_distribute(orr__spread_rule *r) { return r != 0; }\n"
    "int orr__ew_identity(const orr__capture *p, int i) { return p ? i : 0; }\n"
    "orr__node *orr__wrapped_row(orr__site at, const orr__capture *p, int i) { (void)at; return p->node[i]; }\n"
    "int main(void)\n"
    "{\n"
    "    static const bool none[5] = { false };\n"
    "    orr__scalar z = { .f = 0 }, x = { .f = -3 }, v[5] = { x, z, z, z, { .f = 1 } };\n"
    "    const orr__ewrow *row = orr__ew_find(\"softsign\");\n"
    "    orr__expr e;\n"
    "    char m[99];\n"
    "    (void)sizeof orr_softsign(NULL);\n"
    "    return !(row && orr__ew_eval(row, ORR_F32, x, z, z).f == -0.75 &&\n"
    "             orr__expr_parse(row->deriv[0], &e, m, sizeof m) == ORR_OK &&\n"
    "             orr__expr_eval(&e, ORR_F64, v, none).f == 1.0 / 16);\n"
    "}\n";

static void one_row_makes_a_whole_operation(void)
{
    char top[1024], dir[1024], path[1100], command[9000];
    const char *build = getenv("ORR_BUILDDIR");
    int status;
    (void)snprintf(top, sizeof top, "%.1000s", orr_test_golden("../.."));
    (void)snprintf(dir, sizeof dir, "%.1000s", orr_test_tmp("row"));
    free(output("cc --version 2>&1", &status));
    if (status != 0)
        ORR_SKIP("no C compiler called cc");
    (void)snprintf(command, sizeof command, "mkdir -p '%s/ops' '%s/include/orrery'", dir, dir);
    free(output(command, &status));
    char *def = top_file("ops/elementwise.def"), *end = def ? strstr(def, "#undef UNARY") : NULL;
    ORR_REQUIRE(end);
    char *rest = strdup(end);
    *end = '\0';
    (void)snprintf(path, sizeof path, "%s/ops/elementwise.def", dir);
    ORR_CHECK(put(path, def, new_row, rest ? rest : ""));
    (void)snprintf(path, sizeof path, "%s/user.c", dir);
    ORR_CHECK(put(path, user, "", ""));
    free(rest);
    free(def);
    (void)snprintf(
        command, sizeof command,
        "cd '%s' && LC_ALL=C awk -f build-aux/gen-elementwise.awk '%s/ops/elementwise.def' "
        "> '%s/include/orrery/elementwise.h' && "
        "c() { cc -std=gnu11 -D_GNU_SOURCE -I'%s' -I'%s/include' -I'%s' -Iinclude -I. \"$@\"; } && "
        "c -o '%s/user' '%s/user.c' ops/table.c ops/ew_eval.c ops/expr.c ops/expr_eval.c "
        "runtime/base/convert.c runtime/base/dtype.c runtime/base/decimal.c -lm -pthread 2>&1 && '%s/user' && "
        "for f in ops/ew_record.c codelets/cpu/vec_*.c; do "
        "c -Wmissing-prototypes -Werror -DORR__ISA=base -fsyntax-only $f || exit 1; done 2>&1",
        top, dir, dir, dir, dir, build ? build : ".", dir, dir, dir);
    char *said = output(command, &status);
    ORR_CHECK_MSG(said && status == 0, "%.1500s", said ? said : "");
    free(said);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(ops_doc_is_fresh),
                                      ORR_TEST(every_row_is_in_the_page),
                                      ORR_TEST(guide_shows_the_row_that_is_tried),
                                      ORR_TEST(guide_shows_a_composition_that_works),
                                      ORR_TEST(one_row_makes_a_whole_operation),
                                      { 0 } };
    return orr_test_main(argc, argv, "ops.doc", tests);
}
