/* The section "Use it in your program" of docs/building.md: its commands run unchanged, on an installation in a folder of the test.
 * Must not know: what the library computes. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/ranks.h"

/* The text between the first `from` and the next `to` after it; NULL: not found. *rest: the text after it. The caller
 * frees the result. */
static char *between(const char *text, const char *from, const char *to, const char **rest)
{
    const char *begin = strstr(text, from), *end = begin ? strstr(begin += strlen(from), to) : NULL;
    if (rest)
        *rest = end ? end + strlen(to) : "";
    return end ? strndup(begin, (size_t)(end - begin)) : NULL;
}

static char *slurp(const char *folder, const char *name)
{
    char path[4096];
    size_t size;
    (void)snprintf(path, sizeof path, "%.2000s/%s", folder, name);
    return (char *)orr_test_slurp(path, &size);
}

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && ok;
}

/* Runs the script in a folder of this program. False: it fails; its output is printed. */
static bool run(const char *name, const char *script)
{
    char line[4096], output[1024];
    size_t size;
    (void)snprintf(output, sizeof output, "%s", orr_test_tmp("output"));
    bool written = write_file(orr_test_tmp(name), script);
    (void)snprintf(line, sizeof line, "cd '%s' && sh -e '%s' >'%s' 2>&1", orr_test_tmp("."), orr_test_tmp(name),
                   output);
    int status = written ? system(line) : -1; /* NOLINT(cert-env33-c): a test */
    char *text = (char *)orr_test_slurp(output, &size);
    ORR_CHECK_MSG(status == 0, "%s: exit status %d, output:\n%s", name, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                  text ? text : "");
    free(text);
    return status == 0;
}

static bool have(const char *command)
{
    char line[256];
    (void)snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0; /* NOLINT(cert-env33-c) */
}

static struct {
    char *program, *install, *cc, *cmake_lists, *cmake; /* blocks of README.md and docs/building.md */
    char *prefix;                                       /* where the test installs */
} readme;

/* NULL, or the reason why nothing can be installed here. */
static const char *begin(void)
{
    const char *build = getenv("ORR_BUILDDIR"), *rest;
    char *makefile = slurp(build ? build : ".", "Makefile"), *text = slurp(orr_test_golden("../.."), "README.md");
    char *building = slurp(orr_test_golden("../.."), "docs/building.md");
    if (!makefile)
        return "no Makefile here";
    char *sanitizer = between(makefile, "\nSANITIZE_FLAGS = ", "\n", NULL);
    char *prefix = between(makefile, "\nprefix = ", "\n", NULL), *libdir = between(makefile, "\nlibdir = ", "\n", NULL);
    ORR_CHECK(text && building && sanitizer && prefix && libdir);
    const char *why = NULL;
    if (!text || !building || !sanitizer || !prefix || !libdir)
        why = "a page or the Makefile cannot be read";
    else if (*sanitizer)
        why = "a library with a sanitizer serves only programs with one";
    else if (strcmp(libdir, "${exec_prefix}/lib") != 0 && strcmp(libdir, "${prefix}/lib") != 0)
        why = "the library's folder is not lib below the prefix";
    else if (!have("make") || !have("cc") || !have("pkg-config"))
        why = "no make, cc or pkg-config here";
    if (!why) {
        char path[2048];
        readme.program = between(text, "```c\n", "```", NULL);
        const char *section = strstr(building, "\n## Use it in your program\n");
        readme.install = between(section ? section : "", "```sh\n", "```", &rest);
        readme.cc = between(rest, "```sh\n", "```", &rest);
        readme.cmake_lists = between(rest, "```cmake\n", "```", &rest);
        readme.cmake = between(rest, "```sh\n", "```", &rest);
        (void)snprintf(path, sizeof path, "%s%s", orr_test_tmp("root"), prefix);
        readme.prefix = strdup(path);
    }
    free(libdir);
    free(prefix);
    free(sanitizer);
    free(building);
    free(text);
    free(makefile);
    return why;
}

/* Another prefix would relink this build; DESTDIR is used instead. The commands before and after are the page's. */
static bool install(void)
{
    static const char commands[] = "prefix=$HOME/.local\n"
                                   "(cd build && ../configure --prefix=\"$prefix\" && make install)\n";
    char script[4096];
    ORR_CHECK_MSG(readme.install && strcmp(readme.install, commands) == 0,
                  "docs/building.md's installation is now:\n%s", readme.install ? readme.install : "(none)");
    ORR_CHECK(readme.program && write_file(orr_test_tmp("ten_lines.c"), readme.program));
    (void)snprintf(script, sizeof script, "unset MAKEFLAGS MFLAGS MAKELEVEL\nmake -s -C '%s' install DESTDIR='%s'\n",
                   getenv("ORR_BUILDDIR") ? getenv("ORR_BUILDDIR") : ".", orr_test_tmp("root"));
    return run("install", script);
}

/* Runs the page's commands, then checks that `program` loads the library of the installation. */
static void use(const char *name, const char *commands, const char *program)
{
    char script[8192];
    ORR_REQUIRE(commands);
    (void)snprintf(script, sizeof script,
                   "unset LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CMAKE_PREFIX_PATH MAKEFLAGS MFLAGS\n"
                   "prefix='%s'\n%s"
                   "LD_TRACE_LOADED_OBJECTS=1 %s | grep -F \"$prefix/lib/liborrery.so\" ||\n"
                   "  { echo 'it does not load the installed library:'; LD_TRACE_LOADED_OBJECTS=1 %s; exit 1; }\n"
                   "%s | grep '^ *\\[*0\\.' || { echo 'it prints no probabilities'; exit 1; }\n",
                   readme.prefix, commands, program, program, program);
    (void)run(name, script);
}

static void readme_program_compiles_with_cc_and_pkg_config(void)
{
    const char *why = begin();
    if (why)
        ORR_SKIP("%s", why);
    if (install())
        use("use_cc", readme.cc, "./ten_lines");
}

/* One line for each example, in a copy of their folder: nothing else of the source tree is needed. */
static void every_example_compiles_with_one_line(void)
{
    char script[4096];
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    (void)snprintf(script, sizeof script,
                   "mkdir -p examples && cp '%s'/*.c '%s'/*.h examples\n"
                   "export PKG_CONFIG_PATH='%s/lib/pkgconfig'\n"
                   "for example in examples/*.c; do\n"
                   "  cc $example $(pkg-config --define-prefix --cflags --libs orrery) -lm -o example ||\n"
                   "    { echo \"$example does not compile\"; exit 1; }\n"
                   "done\n",
                   orr_test_golden("../../examples"), orr_test_golden("../../examples"), readme.prefix);
    (void)run("use_examples", script);
}

/* The reason why this installation has no Fortran module that a program can use; NULL. */
static const char *fortran_lacks(void)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/lib/liborrery-fortran.a", readme.prefix ? readme.prefix : "");
    if (!readme.prefix)
        return "there is no installation";
    return access(path, R_OK) == 0 ? NULL : "there is no Fortran module";
}

/* Every other example, by turns, with its blanks between. */
static const char *examples_due(const char *const *names, char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = 0; names[i]; i++)
        if (orr_test_due(i, 2) && n < size)
            n += (size_t)snprintf(text + n, size - n, " %s", names[i]);
    ORR_CHECK(n > 0 && n < size);
    return text;
}

/* Fashion-MNIST is read where it is installed. */
static void cxx_examples_compile_with_one_line_and_are_right(void)
{
    static const char *const names[] = { "ten_lines", "fashion_mnist", "heat", "linear_regression", NULL };
    char script[4096], due[256];
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    if (!have("c++"))
        ORR_SKIP("no c++ here");
    (void)snprintf(script, sizeof script,
                   "mkdir -p cxx && cp '%s'/*.cpp cxx\n"
                   "export PKG_CONFIG_PATH='%s/lib/pkgconfig' LD_LIBRARY_PATH='%s/lib'\n"
                   "data=/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz\n"
                   "for name in%s; do\n"
                   "  c++ -std=c++17 cxx/$name.cpp $(pkg-config --define-prefix --cflags --libs orrery) -o cxx/$name\n"
                   "  test $name = fashion_mnist && ! test -r $data || timeout 100 cxx/$name 50 >$name.lines\n"
                   "done\n"
                   "! test -e fashion_mnist.lines || ! test -r $data || grep 'test accuracy: 0.[78]' fashion_mnist.lines\n",
                   orr_test_golden("../../examples"), readme.prefix, readme.prefix,
                   examples_due(names, due, sizeof due));
    (void)run("use_cxx", script);
}

static void cmake_has_components(void)
{
    char script[4096];
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    if (!have("cmake") || !have("c++"))
        ORR_SKIP("no cmake or c++ here");
    (void)snprintf(script, sizeof script,
                   "mkdir -p components && cp '%s/ten_lines.cpp' components\n"
                   "cat >components/CMakeLists.txt <<'TEXT'\n"
                   "cmake_minimum_required(VERSION 3.16)\nproject(components CXX)\n"
                   "find_package(orrery REQUIRED COMPONENTS C CXX%s)\n"
                   "find_package(orrery QUIET COMPONENTS Cobol)\n"
                   "if(orrery_FOUND)\n  message(FATAL_ERROR \"a component that does not exist\")\nendif()\n"
                   "add_executable(ten_lines ten_lines.cpp)\ntarget_link_libraries(ten_lines orrery::cxx)\n"
                   "TEXT\nunset MAKEFLAGS MFLAGS\ncmake -S components -B components/build -DCMAKE_PREFIX_PATH='%s'\n"
                   "cmake --build components/build\ncomponents/build/ten_lines\n",
                   orr_test_golden("../../examples"), fortran_lacks() ? "" : " Fortran", readme.prefix);
    (void)run("components_of_cmake", script);
}

/* Fashion-MNIST is read where it is installed. */
static void fortran_examples_compile_with_one_line_and_are_right(void)
{
#ifdef ORR_FC
    static const char *const names[] = { "ten_lines",        "linear_regression", "heat",          "ftorch_tensor",
                                         "ftorch_simplenet", "ftorch_resnet",     "fashion_mnist", NULL };
    char script[4096], due[256];
    if (fortran_lacks())
        ORR_SKIP("%s", fortran_lacks());
    (void)snprintf(script, sizeof script,
                   "mkdir -p fortran && cp '%s'/*.f90 fortran && cd fortran\n"
                   "export PKG_CONFIG_PATH='%s/lib/pkgconfig' LD_LIBRARY_PATH='%s/lib'\n"
                   "data=/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz\n"
                   "for name in%s; do\n"
                   "  %s $name.f90 $(pkg-config --define-prefix --cflags --libs orrery-fortran) -o $name\n"
                   "  if test $name = fashion_mnist; then ! test -r $data || timeout 100 ./$name 50 >lines\n"
                   "  else timeout 100 ./$name; fi\n"
                   "done\n"
                   "! test -e lines || ! test -r $data || grep 'test accuracy: 0.[78]' lines\n",
                   orr_test_golden("../../examples"), readme.prefix, readme.prefix,
                   examples_due(names, due, sizeof due), ORR_FC);
    (void)run("use_fortran_examples", script);
#else
    ORR_SKIP("configure found no Fortran compiler");
#endif
}

static void a_fortran_program_gives_its_communicator(void)
{
    char script[4096];
    if (fortran_lacks())
        ORR_SKIP("%s", fortran_lacks());
    if (!have("mpif90") || orr_test_ranks_lack())
        ORR_SKIP("no mpif90, or %s", orr_test_ranks_lack() ? orr_test_ranks_lack() : "no mpirun");
    /* The module's source beside the program: mpif90 may be another compiler than the module's. */
    (void)snprintf(
        script, sizeof script,
        "export PKG_CONFIG_PATH='%s/lib/pkgconfig' LD_LIBRARY_PATH='%s/lib' STARPU_NCPU=1\n"
        "mpif90 '%s/share/orrery/orrery.f90' '%s' $(pkg-config --define-prefix --libs orrery-fortran) -o communicator\n"
        "timeout 100 mpirun -n 4 ./communicator >lines\n"
        "grep 'rank 1: 499500' lines && grep 'rank 3: 499500' lines && test $(wc -l <lines) -eq 2\n",
        readme.prefix, readme.prefix, readme.prefix, orr_test_golden("../../examples/communicator.f90"));
    orr_test_ranks_environment();
    (void)run("use_fortran", script);
}

/* The team's threads evaluate, each a graph of its own, between regions in which they compute. */
static void evaluations_run_in_an_openmp_region(void)
{
    static const char program[] = "#include <orrery.h>\n"
                                  "#include <stdio.h>\n"
                                  "int main(void)\n"
                                  "{\n"
                                  "    int wrong = 0;\n"
                                  "    if (orr_init(NULL) != ORR_OK)\n"
                                  "        return orr_error_print(stderr);\n"
                                  "#pragma omp parallel for num_threads(4) reduction(+ : wrong)\n"
                                  "    for (int i = 0; i < 40; i++) {\n"
                                  "        double sum = 0;\n"
                                  "        orr_scope *s = orr_scope_begin();\n"
                                  "        orr_tensor *x = orr_arange(ORR_F64, 0.0, 1000.0 + i, 1.0);\n"
                                  "        wrong += orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) != ORR_OK;\n"
                                  "        wrong += sum != (1000.0 + i) * (999.0 + i) / 2;\n"
                                  "        wrong += orr_scope_end(s) != ORR_OK;\n"
                                  "    }\n"
                                  "    return wrong != 0 || orr_shutdown() != ORR_OK;\n"
                                  "}\n";
    char script[4096];
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    if (system("echo 'int main(void) { return 0; }' | cc -fopenmp -xc -o /dev/null - 2>/dev/null") != 0) /* NOLINT */
        ORR_SKIP("cc has no OpenMP");
    ORR_CHECK(write_file(orr_test_tmp("openmp.c"), program));
    (void)snprintf(script, sizeof script,
                   "export PKG_CONFIG_PATH='%s/lib/pkgconfig' LD_LIBRARY_PATH='%s/lib'\n"
                   "cc -fopenmp openmp.c $(pkg-config --define-prefix --cflags --libs orrery) -o openmp\n"
                   "timeout 100 ./openmp\n",
                   readme.prefix, readme.prefix);
    (void)run("use_openmp", script);
}

static void readme_program_compiles_with_cmake(void)
{
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    if (!have("cmake"))
        ORR_SKIP("no cmake here");
    ORR_CHECK(readme.cmake_lists && write_file(orr_test_tmp("CMakeLists.txt"), readme.cmake_lists));
    use("use_cmake", readme.cmake, "build/ten_lines");
}

/* find_package(orrery VERSION): the installed series and nothing newer. */
static void cmake_takes_compatible_versions_only(void)
{
    static const struct {
        const char *version;
        int found;
    } request[] = { { "0.2", 1 }, { "0.2.0", 1 }, { "0.2.0 EXACT", 1 }, { "0.0", 0 }, { "0.3", 0 }, { "1.0", 0 } };
    char script[4096];
    if (!readme.prefix)
        ORR_SKIP("there is no installation");
    if (!have("cmake"))
        ORR_SKIP("no cmake here");
    size_t n = (size_t)snprintf(script, sizeof script,
                                "mkdir -p versions\ncat >versions/CMakeLists.txt <<'TEXT'\n"
                                "cmake_minimum_required(VERSION 3.16)\nproject(versions C)\n");
    for (size_t i = 0; i < sizeof request / sizeof *request; i++)
        n += (size_t)snprintf(script + n, sizeof script - n,
                              "find_package(orrery %s QUIET)\nif(%sorrery_FOUND)\n"
                              "  message(FATAL_ERROR \"version %s\")\nendif()\n",
                              request[i].version, request[i].found ? "NOT " : "", request[i].version);
    (void)snprintf(script + n, sizeof script - n,
                   "TEXT\nunset MAKEFLAGS MFLAGS\ncmake -S versions -B versions/build -DCMAKE_PREFIX_PATH='%s'\n",
                   readme.prefix);
    (void)run("versions_of_cmake", script);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(readme_program_compiles_with_cc_and_pkg_config),
        ORR_TEST(every_example_compiles_with_one_line),
        ORR_TEST(cxx_examples_compile_with_one_line_and_are_right),
        ORR_TEST(cmake_has_components),
        ORR_TEST(evaluations_run_in_an_openmp_region),
        ORR_TEST(fortran_examples_compile_with_one_line_and_are_right),
        ORR_TEST(a_fortran_program_gives_its_communicator),
        ORR_TEST(readme_program_compiles_with_cmake),
        ORR_TEST(cmake_takes_compatible_versions_only),
        { 0 },
    };
    int rc = orr_test_main(argc, argv, "installed", tests);
    free(readme.program);
    free(readme.install);
    free(readme.cc);
    free(readme.cmake_lists);
    free(readme.cmake);
    free(readme.prefix);
    return rc;
}
