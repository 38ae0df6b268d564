/* The rooms' ranks and the operations' names: reads the source tree and finds #includes of a higher rank, circles of headers, device
 * headers outside their places, and operations named outside their own files and the tables.
 * Must not know: what any file does. */
#include "config.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "ops/ops.h"
#include "runtime/plan/passes.h"
#include "tests/harness/harness.h"

/* The longest matching prefix decides; ranks are in tenths. A file may include files of its own rank or a lower one. */
typedef struct room {
    const char *prefix;
    int rank;
} room;

static const room rooms[] = {
    { "include/", 0 },       { "runtime/base/", 0 },        { "runtime/ranks/", 5 },   { "runtime/graph/", 10 },
    { "ops/", 20 },          { "runtime/distribute/", 25 }, { "runtime/fuse/", 30 },   { "codelets/", 40 },
    { "runtime/cost/", 50 }, { "runtime/plan/", 60 },       { "runtime/engine/", 70 }, { "runtime/api/", 80 },
};

/* Users of the public headers, which no room may include. */
static const char *const users[] = { "examples/", "tools/", "bench/", "serve/" };

/* Foreign headers, and the places that may include them. */
typedef struct guard {
    const char *header, *place[4];
} guard;

static const guard guards[] = {
    { "starpu", { "runtime/engine/", "runtime/ranks/mpi.c", "bench/peer_starpu.c", "tests/engine/starpu_" } },
    { "mpi.h", { "runtime/ranks/mpi.c", "runtime/engine/starpu/", "tests/distribute/", "examples/lessons/10" } },
    { "CL/", { "codelets/opencl/", "runtime/engine/", "tests/engine/opencl.c", "tests/field/device.c" } },
    { "cuda", { "codelets/cuda/", "runtime/engine/", "tests/double/" } },
    { "cublas", { "codelets/cuda/" } },
    { "nvrtc", { "codelets/cuda/", "tests/codelets/nvrtc_unit.c", "tests/api/define", "tests/field/device.c" } },
    { "cudnn", { "codelets/cuda/" } },
    { "nccl", { "codelets/cuda/" } },
    { "cusolver", { "codelets/cuda/" } },
    { "cblas.h", { "codelets/cpu/", "bench/peer_blas.c", "tests/" } },
    { "sodium", { "ops/share/", "codelets/share/", "bench/peer_private.c" } },
    { "hwy/", { "codelets/cpu/vqsort.cpp" } },
    { "gmp.h", { "ops/paillier/", "bench/peer_private.c", "tests/" } },
    { "lapacke.h", { "codelets/cpu/", "bench/peer_blas.c" } },
};

/* Headers that include headers. `gone`: it is in no circle. */
enum { HEADERS = 2048, EDGES = 16384 };
static struct {
    char path[128];
    bool gone;
} headers[HEADERS];
static int edge[EDGES][2], nheader, nedge;

static char root[2048];
static int seen;

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static int rank_of(const char *path)
{
    size_t best = 0;
    int rank = -1;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (starts(path, rooms[i].prefix) && strlen(rooms[i].prefix) > best) {
            best = strlen(rooms[i].prefix);
            rank = rooms[i].rank;
        }
    return rank;
}

static bool is_user(const char *path)
{
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (starts(path, users[i]))
            return true;
    return false;
}

/* "x.h" in file a/b.c may mean x.h or a/x.h. Writes the one that exists in the tree; false if neither does. */
static bool resolve(const char *from, const char *name, char *out, size_t size)
{
    char full[4096];
    struct stat st;
    (void)snprintf(out, size, "%s", name);
    (void)snprintf(full, sizeof full, "%s/%s", root, out);
    if (stat(full, &st) == 0)
        return true;
    const char *slash = strrchr(from, '/');
    (void)snprintf(out, size, "%.*s%s", slash ? (int)(slash - from + 1) : 0, from, name);
    (void)snprintf(full, sizeof full, "%s/%s", root, out);
    return stat(full, &st) == 0;
}

static void check_system(const char *file, int line, const char *name)
{
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) {
        bool allowed = !starts(name, guards[i].header);
        for (int k = 0; k < 4 && guards[i].place[k]; k++)
            allowed = allowed || starts(file, guards[i].place[k]);
        ORR_CHECK_MSG(allowed, "%s:%d includes <%s>", file, line, name);
    }
}

static bool is_header(const char *path)
{
    size_t n = strlen(path);
    return n > 2 && !strcmp(path + n - 2, ".h");
}

static int number_of(const char *path)
{
    int n = 0;
    while (n < nheader && strcmp(headers[n].path, path) != 0)
        n++;
    if (n == nheader && n < HEADERS)
        (void)snprintf(headers[nheader++].path, sizeof headers->path, "%s", path);
    return n;
}

static void note_edge(const char *from, const char *to)
{
    if (!is_header(from) || !is_header(to))
        return;
    ORR_REQUIRE(nedge < EDGES && nheader + 2 <= HEADERS);
    edge[nedge][0] = number_of(from);
    edge[nedge++][1] = number_of(to);
}

static void check_include(const char *file, int line, const char *name, bool quoted)
{
    char target[1024];
    seen++;
    check_system(file, line, name);
    ORR_CHECK_MSG(!strstr(name, ".."), "%s:%d includes %s: write it from the root of the tree", file, line, name);
    bool own = quoted ? resolve(file, name, target, sizeof target) : starts(name, "orrery");
    if (!quoted)
        (void)snprintf(target, sizeof target, "include/%s", name);
    if (!own)
        return; /* a system header, or a generated one */
    note_edge(file, target);
    int from = rank_of(file), to = rank_of(target);
    if (is_user(file))
        ORR_CHECK_MSG(to < 0 || starts(target, "include/"), "%s:%d is a user of the library and includes %s", file,
                      line, target);
    else if (from >= 0)
        ORR_CHECK_MSG(to >= 0 && to <= from, "%s:%d (rank %d) includes %s (rank %d)", file, line, from, target, to);
    if (starts(file, "include/"))
        ORR_CHECK_MSG(starts(target, "include/"), "%s:%d: a public header includes %s", file, line, target);
}

/* The name "orr__op_<name>" or "ORR__OP_<name>" of an operation of ops/structural.def in a line of a file other than its
 * own or the table. */
static const char *named_operation(const char *text)
{
    for (const char *at = text; (at = strcasestr(at, "orr__op_")); at += 8)
        for (int i = 0; i < orr__structural_count(); i++) {
            const char *name = orr__structural[i]->name;
            size_t n = strlen(name);
            if (strncmp(at + 8, name, n) == 0 && !isalnum((unsigned char)at[8 + n]) && at[8 + n] != '_')
                return name;
        }
    return NULL;
}

/* True if the file may name an operation: its own file, and the files that distinguish a user's kernel from others. */
static bool may_name(const char *file)
{
    return starts(file, "ops/") || starts(file, "tests/") || starts(file, "codelets/user/");
}

/* Files about a few rows: the rounding of halves, the source of maximum, minimum and clip, and of sine and cosine; the rows of fields. */
static bool names_rows(const char *file)
{
    static const char *const files[] = {
        "ops/rounding.h",   "codelets/emit/value.c",     "codelets/nest/kernel.c",
        "codelets/cpu/vec", "codelets/cpu/field_rows.c", "runtime/plan/partial_product.c"
    };
    bool found = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        found = found || starts(file, files[i]);
    return found;
}

static void check_file(const char *file)
{
    char path[4096], text[1024], name[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, file);
    FILE *f = fopen(path, "re");
    ORR_REQUIRE(f);
    for (int line = 1; fgets(text, sizeof text, f); line++) {
        if (sscanf(text, " # include \"%511[^\"]\"", name) == 1)
            check_include(file, line, name, true);
        else if (sscanf(text, " # include <%511[^>]>", name) == 1)
            check_include(file, line, name, false);
        const char *operation = may_name(file) ? NULL : named_operation(text);
        ORR_CHECK_MSG(!operation, "%s:%d names the operation %s: ask its contract", file, line, operation);
        ORR_CHECK_MSG(may_name(file) || !strstr(text, "ORR__EW_") || names_rows(file),
                      "%s:%d names an element-wise row: give the table a column", file, line);
    }
    (void)fclose(f);
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h") || !strcmp(dot, ".def") || !strcmp(dot, ".cpp") ||
                   !strcmp(dot, ".cu"));
}

static void check_folder(const char *folder)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        char name[2048];
        struct stat st;
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%.1024s/%.512s", folder, e->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", root, name);
        if (stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            check_folder(name);
        else if (is_source(name))
            check_file(name);
    }
    (void)closedir(d);
}

/* Reads all files, once. */
static void read_tree(void)
{
    static const char *const folders[] = { "include", "runtime", "ops",      "codelets", "tools",
                                           "bench",   "serve",   "examples", "tests" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders && (i || !seen); i++)
        check_folder(folders[i]);
}

static void includes_respect_ranks(void)
{
    read_tree();
    ORR_CHECK_MSG(seen > 100, "only %d includes found below %s", seen, root);
}

/* Removes headers that include no other one until none is removed: the others are in circles, or include one. */
static void headers_include_each_other_in_no_circle(void)
{
    bool more = true;
    read_tree();
    ORR_CHECK_MSG(nedge > 100, "only %d includes of headers by headers found", nedge);
    while (more) {
        static bool includes[HEADERS];
        memset(includes, 0, sizeof includes);
        for (int e = 0; e < nedge; e++)
            includes[edge[e][0]] = includes[edge[e][0]] || !headers[edge[e][1]].gone;
        more = false;
        for (int n = 0; n < nheader; n++) {
            more = more || (!headers[n].gone && !includes[n]);
            headers[n].gone = headers[n].gone || !includes[n];
        }
    }
    for (int n = 0; n < nheader; n++)
        ORR_CHECK_MSG(headers[n].gone, "%s is in a circle of includes, or includes one", headers[n].path);
}

static void each_pass_of_the_planner_has_its_file(void)
{
    int n = 0;
    for (const orr__pass *pass; (pass = orr__plan_pass(n)); n++) {
        char path[4096];
        struct stat st;
        (void)snprintf(path, sizeof path, "%s/runtime/plan/%s.c", root, pass->name);
        ORR_CHECK_MSG(stat(path, &st) == 0, "the pass %s has no runtime/plan/%s.c", pass->name, pass->name);
    }
    ORR_CHECK_MSG(n > 10, "only %d passes", n);
}

static void longer_prefix_wins(void)
{
    ORR_CHECK(rank_of("runtime/base/buffer.h") == 0 && rank_of("ops/nn/clip.c") == 20 &&
              rank_of("runtime/api/eval.c") == 80);
    ORR_CHECK(rank_of("tests/harness/harness.h") == -1 && rank_of("config.h") == -1);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(longer_prefix_wins),
                                      ORR_TEST(includes_respect_ranks),
                                      ORR_TEST(headers_include_each_other_in_no_circle),
                                      ORR_TEST(each_pass_of_the_planner_has_its_file),
                                      { 0 } };
    (void)snprintf(root, sizeof root, "%.2000s/../..", orr_test_golden("."));
    return orr_test_main(argc, argv, "layers", tests);
}
