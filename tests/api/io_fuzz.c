/* HDF5 files with random changes, and loads whose memory is refused: every read returns a status and never crashes. Files of other
 * formats with changes are in tests/fuzz.
 * Must not know: how a file is parsed. */
#include "config.h"
#include <orrery/eval.h>
#include <orrery/io.h>
#include "runtime/base/buffer.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ORR_TEST_FULL=1: ALL_ROUNDS. */
enum { ALL_ROUNDS = 10000, FORKED_ROUNDS = 100, IMAGE = 7 };
#if defined(HAVE_PNG) && defined(HAVE_JPEG)
enum { IMAGES = 1 };
#else
enum { IMAGES = 0 };
#endif

static orr_tensor *load(const char *path, int kind)
{
    switch (kind) {
    case 0: return orr_load(path);
    case 1: return orr_load_npz(path, "a");
    case 2: return orr_load_idx(path);
    case 3: return orr_load_safetensors(path, "float32");
    case 4: return orr_map_safetensors(path, "float64");
    case IMAGE: return orr_load_image(path);
    default: return orr_load_csv(path, ORR_F64, ',', 0);
    }
}

static void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    ORR_REQUIRE(f != NULL);
    fwrite(data, 1, n, f);
    fclose(f);
}

static int rounds_of(int usual)
{
    return getenv("ORR_TEST_FULL") ? ALL_ROUNDS : usual;
}

static bool is_refusal(orr_status st)
{
    return st == ORR_EFORMAT || st == ORR_EDTYPE || st == ORR_ESHAPE || st == ORR_EINVAL;
}

/* Each file in a process of its own, since libhdf5 is responsible for its own reading; a wrong result of Orrery is the
 * process's exit status. */
enum { WRONG_STATUS = 77, SECONDS = 20 };

static void read_hdf5(const char *path)
{
    static const char *const sets[] = { "packed", "big", "float32", "scalar", "complex64" };
    char **names = NULL;
    int n = 0;
    bool right = true;
    (void)alarm(SECONDS);
    for (int k = 0; k < 5; k++) {
        orr_tensor *t = orr_load_hdf5(path, sets[k]);
        orr_status st = orr_tensor_status(t);
        right = right && (st == ORR_OK ? orr_data(t) != NULL : is_refusal(st));
        orr_free(t);
    }
    orr_status st = orr_hdf5_names(path, &names, &n);
    right = right && (st == ORR_OK || is_refusal(st));
    orr_npz_names_free(names);
    _exit(right && orr__pool_get_stats().live == 0 ? 0 : WRONG_STATUS);
}

static void fuzz_hdf5(const char *name, int seed)
{
    static unsigned char changed[1 << 17];
    size_t n;
    char from[600], path[600];
    int ended = 0;
    snprintf(from, sizeof from, "%s", orr_test_golden(name));
    snprintf(path, sizeof path, "%s", orr_test_tmp("fuzz.h5"));
    orr_tensor *t = orr_load_hdf5(from, "big");
    orr_status st = orr_tensor_status(t);
    orr_free(t);
    if (st == ORR_EDEVICE)
        ORR_SKIP("built without HDF5");
    unsigned char *file = orr_test_slurp(from, &n);
    ORR_REQUIRE(file != NULL && n < sizeof changed / 2);
    for (int i = 0; i < rounds_of(FORKED_ROUNDS); i++) {
        unsigned long long r = (unsigned long long)seed * 1000003 + (unsigned long long)i;
        size_t m = n;
        int status = 0;
        memcpy(changed, file, n);
        for (int k = 1 + (int)(orr_test_rand(&r) % 3); k > 0; k--)
            m = orr_test_change(changed, m, sizeof changed, &r);
        write_file(path, changed, m);
        pid_t child = fork();
        ORR_REQUIRE(child >= 0);
        if (child == 0)
            read_hdf5(path);
        ORR_REQUIRE(waitpid(child, &status, 0) == child);
        ORR_CHECK_MSG(!WIFEXITED(status) || WEXITSTATUS(status) != WRONG_STATUS, "change %d: a wrong status", i);
        ended += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    if (ended)
        printf("# libhdf5 ended the process for %d files\n", ended);
    free(file);
}

static void mutated_hdf5_gets_a_status(void)
{
    fuzz_hdf5("io/peer.h5", 20);
}

static void mutated_complex_hdf5_gets_a_status(void)
{
    fuzz_hdf5("io/complex.h5", 22);
}

/* libhdf5 1.10 loses memory of this file, and its exit prints "infinite loop closing library" to those who want its errors. */
static void a_damaged_hdf5_prints_nothing_at_the_exit(void)
{
    enum { PLACE = 809 };
    size_t n;
    char path[600], text[200];
    char **names = NULL;
    int pipes[2], status = 0, names_n = 0;
    snprintf(path, sizeof path, "%s", orr_test_tmp("damaged.h5"));
    unsigned char *file = orr_test_slurp(orr_test_golden("io/peer.h5"), &n);
    ORR_REQUIRE(file != NULL && n > PLACE && pipe(pipes) == 0);
    file[PLACE] ^= 255;
    write_file(path, file, n);
    free(file);
    (void)fflush(NULL);
    pid_t child = fork();
    ORR_REQUIRE(child >= 0);
    if (child == 0) {
        (void)(dup2(pipes[1], STDERR_FILENO), close(pipes[0]), close(pipes[1]));
        for (int k = 0; k < 3; k++)
            orr_free(orr_load_hdf5(path, "big"));
        (void)orr_hdf5_names(path, &names, &names_n);
        exit(0);
    }
    (void)close(pipes[1]);
    ssize_t printed = read(pipes[0], text, sizeof text - 1);
    text[printed > 0 ? printed : 0] = 0;
    (void)close(pipes[0]);
    ORR_REQUIRE(waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends with %d", status);
    ORR_CHECK_MSG(printed == 0, "printed: %s", text);
}

/* Each allocation fails in turn: an error, no leak, and the next load works. */
static void loads_survive_memory_that_is_refused(void)
{
    static const struct {
        const char *file;
        int kind;
    } files[] = {
        { "io/fortran_f4_be.npy", 0 },
        { "io/stored.npz", 1 },
        { "io/u1.idx.gz", 2 },
        { "io/peer.safetensors", 3 },
        { "io/peer.safetensors", 4 },
        { "io/peer.csv", 5 },
        { "images/rgba16_interlaced.png", IMAGE },
        { "images/colour.jpg", IMAGE },
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        if (files[f].kind == IMAGE && !IMAGES)
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s", orr_test_golden(files[f].file));
        int failures = 0;
        for (long n = 0; n < 40; n++) {
            orr__pool_trim(); /* so that headers of buffers are allocated, too */
            orr__pool_fail_after(n);
            orr_tensor *t = load(path, files[f].kind);
            orr__pool_fail_after(-1);
            orr_status st = orr_tensor_status(t);
            ORR_CHECK_MSG(st == ORR_OK || st == ORR_ENOMEM, "%s, %ld: %s", files[f].file, n, orr_error_message());
            failures += st == ORR_ENOMEM;
            orr_free(t);
            ORR_CHECK(orr__pool_get_stats().live == 0);
        }
        ORR_CHECK_MSG(failures >= 2 && failures < 40, "%s: %d", files[f].file, failures);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(mutated_hdf5_gets_a_status),
        ORR_TEST(mutated_complex_hdf5_gets_a_status),
        ORR_TEST(a_damaged_hdf5_prints_nothing_at_the_exit),
        ORR_TEST(loads_survive_memory_that_is_refused),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io_fuzz", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
