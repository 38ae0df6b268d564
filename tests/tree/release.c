/* A release agrees with itself: one version everywhere, packages that want what bootstrap installs, a bill of materials of every library that
 * configure looks for, a check of the binary interface that sees a lost function.
 * Must not know: the packages' tools, which need not be here. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static char *page(const char *name)
{
    char path[4096];
    size_t size;
    (void)snprintf(path, sizeof path, "%.2000s/../../%s", orr_test_golden("."), name);
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    return text ? text : strdup("");
}

/* Runs a script in this program's folder, where $top is the source tree and $build the build folder; its exit status. */
static int run(const char *script)
{
    char line[8192];
    (void)snprintf(line, sizeof line, "build=${ORR_BUILDDIR:-$PWD} && cd '%s' && top='%.2000s/../..' && %s",
                   orr_test_tmp("."), orr_test_golden("."), script);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void one_version_everywhere(void)
{
    static const struct {
        const char *file, *before, *after;
    } place[] = { { "debian/changelog", "orrery (", "-" },
                  { "packaging/spack/spack_repo/orrery/packages/orrery/package.py", "    version(\"", "\")" },
                  { "packaging/guix/orrery.scm", "  (version \"", "\")" },
                  { "include/orrery/api.json", "\n \"version\": \"", "\"" } };
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        char want[128], *text = page(place[i].file);
        (void)snprintf(want, sizeof want, "%s%s%s", place[i].before, PACKAGE_VERSION, place[i].after);
        ORR_CHECK_MSG(strstr(text, want), "%s is not of version %s", place[i].file, PACKAGE_VERSION);
        free(text);
    }
    char series[64], *changes = page("CHANGELOG.md");
    (void)snprintf(series, sizeof series, "\n## %.*s", (int)(strrchr(PACKAGE_VERSION, '.') - PACKAGE_VERSION),
                   PACKAGE_VERSION);
    ORR_CHECK_MSG(strstr(changes, series), "CHANGELOG.md has no heading for %s", PACKAGE_VERSION);
    free(changes);
}

/* Lines "all NAME-dev …" of bootstrap's table. */
static void packages_want_what_bootstrap_installs(void)
{
    char *table = page("bootstrap"), *control = page("debian/control"), *save = NULL;
    int n = 0;
    for (char *line = strtok_r(table, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char use[16], name[64];
        if (sscanf(line, "%15s %63s", use, name) != 2 || strcmp(use[0] == '!' ? use + 1 : use, "all") != 0 ||
            !strcmp(name, "libc6-dev") || strlen(name) < 4 || strcmp(name + strlen(name) - 4, "-dev") != 0)
            continue;
        ORR_CHECK_MSG(strstr(control, name), "debian/control does not build with %s", name);
        n++;
    }
    ORR_CHECK(n > 10);
    free(table);
    free(control);
}

static void bill_of_materials_names_each_library(void)
{
    if (run("command -v python3 >/dev/null") != 0)
        ORR_SKIP("no python3 here");
    ORR_CHECK(
        run("export SOURCE_DATE_EPOCH=1000 && python3 $top/build-aux/sbom $top $build >a.json && "
            "python3 $top/build-aux/sbom $top $build >b.json && cmp a.json b.json && "
            "python3 -c 'import json; b = json.load(open(\"a.json\")); assert b[\"specVersion\"] == \"1.5\" and "
            "b[\"metadata\"][\"component\"][\"version\"] == \"" PACKAGE_VERSION "\"; "
            "assert [c for c in b[\"components\"] if c[\"name\"] == \"openblas\" and c[\"scope\"] == \"required\"]'") ==
        0);
    ORR_CHECK_MSG(
        run("mkdir -p other && { cat $top/configure.ac; echo 'ORR_LIB_OPTIONAL([NEW], [new], [new.h], [new], [f])'; } "
            ">other/configure.ac && ! python3 $top/build-aux/sbom other $build >c.json 2>c.txt && grep -q "
            "NEW c.txt") == 0,
        "a library without a row goes unseen");
}

/* The scripts parse; no parenthesis of Guix's definition is left open. */
static void recipes_parse(void)
{
    ORR_CHECK(
        run("sh -n $top/build-aux/port-check && sh -n $top/build-aux/abi-check && sh -n $top/debian/tests/installed && "
            "sh -n $top/debian/tests/python") == 0);
    char *text = page("packaging/guix/orrery.scm");
    int open = 0, least = 0;
    bool quoted = false, comment = false;
    for (const char *c = text; *c; c++) {
        comment = !quoted && *c == ';' ? true : comment && *c != '\n';
        quoted = quoted != (*c == '"' && !comment);
        open += quoted || comment ? 0 : (*c == '(') - (*c == ')');
        least = open < least ? open : least;
    }
    ORR_CHECK(open == 0 && least == 0 && !quoted);
    free(text);
    if (run("command -v python3 >/dev/null") != 0)
        ORR_SKIP("no python3 here");
    ORR_CHECK(
        run("python3 -c 'import ast, sys; [ast.parse(open(p).read()) for p in sys.argv[1:]]' $top/debian/tests/lessons "
            "$top/packaging/spack/spack_repo/orrery/packages/orrery/package.py") == 0);
    ORR_CHECK_MSG(run("python3 $top/tests/tree/recipes.py $top") == 0, "a recipe names what configure does not know");
}

/* In a folder without mmdebstrap, before anything is built. */
static void port_check_skips_where_no_other_system_is_to_be_had(void)
{
    ORR_CHECK(
        run("mkdir -p few && ln -sf $(command -v dirname) $(command -v id) few/ && sh=$(command -v sh) && "
            "{ PATH=$PWD/few ORR_PORT_DIR=$PWD/none $sh $top/build-aux/port-check oldest >skip.txt; test $? = 77; } "
            "&& grep -q '^port-check: SKIP: ' skip.txt && test ! -e none") == 0);
}

static void lost_functions_break_the_interface(void)
{
    if (run("command -v abidw >/dev/null && command -v abidiff >/dev/null") != 0)
        ORR_SKIP("no abidw and abidiff here (abigail-tools)");
    ORR_CHECK(
        run("mkdir -p h && printf 'struct s { int a; };\\nint f(struct s *);\\nint g(void);\\nint h(void);\\n' "
            ">h/lib.h && "
            "body='int f(struct s *x) { return x->a; } int g(void) { return 1; }' && "
            "{ echo '#include \"h/lib.h\"'; echo \"$body\"; } >old.c && cc -g -shared -fPIC old.c -o old.so && "
            "{ cat old.c; echo 'int h(void) { return 2; }'; } >more.c && cc -g -shared -fPIC more.c -o more.so && "
            "{ echo '#include \"h/lib.h\"'; echo 'int f(struct s *x) { return x->a; }'; } >less.c && cc -g -shared "
            "-fPIC less.c -o less.so && "
            "sed 's/int a;/long a;/' h/lib.h >h/other.h && sed 's/lib.h/other.h/' old.c >other.c && cc -g -shared "
            "-fPIC other.c -o other.so && "
            "abi=$top/build-aux/abi-check && $abi --write old.abi old.so h && $abi old.abi old.so h && $abi old.abi "
            "more.so h && "
            "! $abi old.abi less.so h >less.txt && grep -q 'g()' less.txt && ! $abi old.abi other.so h >other.txt") ==
        0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_version_everywhere),
                                      ORR_TEST(packages_want_what_bootstrap_installs),
                                      ORR_TEST(bill_of_materials_names_each_library),
                                      ORR_TEST(recipes_parse),
                                      ORR_TEST(port_check_skips_where_no_other_system_is_to_be_had),
                                      ORR_TEST(lost_functions_break_the_interface),
                                      { 0 } };
    return orr_test_main(argc, argv, "tree.release", tests);
}
