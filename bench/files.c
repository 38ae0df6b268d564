/* Case files: one tensor of 1 GB as a safetensors file, beside plain system calls on as many bytes and the safetensors
 * package.
 * Must not know: the format. */
#include "config.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/side.h"

enum { NUMBERS = 250000000, PIECE = 8 << 20 };

#define BYTES ((size_t)NUMBERS * sizeof(float))
#define CASE_SECONDS 60 /* no further round begins after this time */

static char ours_path[256], plain_path[256];
static float *numbers;
static orr_tensor *tensor;

/* Writes a file's pages to the disk and drops them from memory. */
static int forgotten(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0;
    return fd < 0 || close(fd) != 0 || rc;
}

static int ours_write(void)
{
    const char *name = "data";
    return orr_save_safetensors(ours_path, &name, 1, &tensor, 1) != ORR_OK;
}

static int plain_write(void)
{
    int fd = open(plain_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = fd < 0;
    for (size_t at = 0; at < BYTES && !rc;) {
        ssize_t n = write(fd, (const char *)numbers + at, BYTES - at < PIECE ? BYTES - at : PIECE);
        rc = n <= 0;
        at += rc ? 0 : (size_t)n;
    }
    rc = rc || fsync(fd) != 0;
    return fd < 0 || close(fd) != 0 || rc;
}

static int ours_cached(void)
{
    orr_scope *s = orr_scope_begin();
    int rc = orr_eval(orr_load_safetensors(ours_path, "data")) != ORR_OK;
    return orr_scope_end(s) != ORR_OK || rc;
}

static int ours_mapped(void)
{
    orr_scope *s = orr_scope_begin();
    const float *x = orr_data(orr_map_safetensors(ours_path, "data"));
    float touched = 0; /* touches each page, as the peers do */
    for (int i = 0; x && i < NUMBERS; i += 1024)
        touched += x[i];
    return orr_scope_end(s) != ORR_OK || !x || isnan(touched);
}

static int plain_cached(void)
{
    int fd = open(plain_path, O_RDONLY | O_CLOEXEC), rc = fd < 0;
    for (size_t at = 0; at < BYTES && !rc;) {
        ssize_t n = read(fd, (char *)numbers + at, BYTES - at < PIECE ? BYTES - at : PIECE);
        rc = n <= 0;
        at += rc ? 0 : (size_t)n;
    }
    return fd < 0 || close(fd) != 0 || rc;
}

static int ours_read(void)
{
    return forgotten(ours_path) || ours_cached();
}

static int plain_read(void)
{
    return forgotten(plain_path) || plain_cached();
}

static const struct {
    const char *name;
    int (*ours)(void), (*plain)(void);
} works[] = { { "write", ours_write, plain_write },
              { "read", ours_read, plain_read },
              { "read-cached", ours_cached, plain_cached },
              { "read-mapped", ours_mapped, plain_cached } };

static double time_of(int (*work)(void))
{
    double begin = bench_now();
    return work() == 0 ? bench_now() - begin : -1.0;
}

static int one(bench_sink *out, side_peers *peers, size_t which)
{
    enum { MOST = 100 };
    double a[MOST], b[MOST], end = bench_now() + CASE_SECONDS;
    int all = peers->rounds, rounds = all < MOST ? all : MOST, rc = 0;
    char what[64];
    (void)snprintf(what, sizeof what, "science:file-%s", works[which].name);
    side_prepare(peers, what, 0, 0, -1);
    for (int r = 0; r < rounds && rc == 0; r++) {
        a[r] = time_of(works[which].ours);
        b[r] = time_of(works[which].plain);
        rc = a[r] < 0 || b[r] < 0;
        side_round(peers, r, 0.5);
        peers->rounds = rounds = bench_now() > end ? r + 1 : rounds;
    }
    if (rc) {
        rc = bench_failed("files");
    } else {
        bench_record r = { .name = "files",
                           .metric = "time",
                           .unit = "ms",
                           .value = 1e3 * bench_median(a, rounds),
                           .reference = "the system's own calls",
                           .reference_value = 1e3 * bench_median(b, rounds) };
        (void)snprintf(r.params, sizeof r.params, "\"work\": \"%s\", \"bytes\": %zu", works[which].name, BYTES);
        r.ratio = bench_ratio(&r, false);
        side_add(peers, &r, 1e3);
        rc = bench_add(out, &r);
    }
    peers->rounds = all;
    return rc;
}

int bench_files(bench_sink *out, int rounds)
{
    const char *folder = getenv("TMPDIR");
    side_peers peers;
    (void)snprintf(ours_path, sizeof ours_path, "%s/orrery-bench-%ld.safetensors", folder ? folder : "/tmp",
                   (long)getpid());
    (void)snprintf(plain_path, sizeof plain_path, "%s/orrery-bench-%ld.bytes", folder ? folder : "/tmp",
                   (long)getpid());
    numbers = malloc(BYTES);
    int rc = !numbers || side_start(&peers, NULL, bench_cores(), rounds) != 0 || orr_init(NULL) != ORR_OK;
    if (!rc) {
        for (size_t i = 0; i < NUMBERS; i++)
            numbers[i] = (float)(i % 8191) / 8191;
        orr_scope *s = orr_scope_begin();
        tensor = orr_from(ORR_F32, ORR_SHAPE(NUMBERS), numbers);
        rc = orr_eval(tensor) != ORR_OK || ours_write() || plain_write();
        for (size_t k = 0; k < sizeof works / sizeof *works && rc == 0; k++)
            if (!bench_opt.filter || !strcmp(bench_opt.filter, works[k].name))
                rc = one(out, &peers, k);
        (void)orr_scope_end(s);
        (void)orr_shutdown();
        side_end(&peers);
    }
    (void)remove(ours_path);
    (void)remove(plain_path);
    free(numbers);
    return rc;
}
