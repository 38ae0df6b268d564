/* Tiers as processes: this program with the tier's settings, which sends its results through a pipe.
 * Must not know: what the results should be. */
#include "config.h"

#include <errno.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "codelets/codelet.h"
#include "codelets/cpu/cpu.h"
#include "codelets/jit/jit.h"
#include "runtime/base/private_file.h"
#include "tests/ops/accuracy.h"

const char *const acc_tier_name[ACC_TIERS] = { "tier 0", "tier 0, no FMA", "tier 1", "tier 1, clang", "OpenCL" };

typedef struct {
    const char *name, *value;
} setting;

static const setting serial[] = { { "ORRERY_ENGINE", "serial" }, { "ORRERY_BACKEND", "cpu" }, { NULL, NULL } };
static const setting tier0[] = { { "ORRERY_JIT", "off" }, { NULL, NULL } };
static const setting tier1[] = { { "ORRERY_JIT", "wait" }, { NULL, NULL } };
static const setting clang[] = { { "ORRERY_JIT", "wait" }, { "ORRERY_CC", "clang" }, { NULL, NULL } };
static const setting opencl[] = { { "ORRERY_ENGINE", "starpu" },    { "ORRERY_BACKEND", "opencl" },
                                  { "ORRERY_FALLBACK", "off" },     { "ORRERY_INLINE_US", "0" },
                                  { "STARPU_NCPU", "0" },           { "STARPU_NCUDA", "0" },
                                  { "STARPU_OPENCL_ON_CPUS", "1" }, { "STARPU_OPENCL_ONLY_ON_CPUS", "1" },
                                  { "STARPU_SILENT", "1" },         { NULL, NULL } };

/* -- in the tier's process ------------------------------------------------------------------------------------ */

static orr_tensor *leaf(orr_dtype dtype, const double *v, int n)
{
    size_t size = orr_dtype_size(dtype);
    char *data = malloc((size_t)n * size);
    for (int i = 0; data && i < n; i++)
        orr__scalar_store(data + (size_t)i * size, dtype, (orr__scalar){ .f = v[i] });
    orr_tensor *t = orr_from(dtype, ORR_SHAPE(n), data);
    free(data);
    return t;
}

/* Computes the row on these arguments by the public functions: record, evaluate, read. out has space for n. */
static bool compute(const orr__ewrow *row, orr_dtype dtype, const acc_args *a, double *out)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *in[3] = { NULL };
    size_t size = orr_dtype_size(dtype), bytes = (size_t)a->n * size;
    char *data = malloc(bytes);
    for (int k = 0; k < row->arity; k++)
        in[k] = leaf(dtype, a->in[k], a->n);
    orr_tensor *t = orr__ew_record(ORR__SITE(__FILE__, __LINE__, row->op.name), row, in[0], in[1], in[2]);
    bool ok = data && orr_read(t, data, bytes) == ORR_OK;
    if (!ok)
        fprintf(stderr, "%s %s: %s\n", row->op.name, orr_dtype_name(dtype), orr_error_message());
    for (int i = 0; ok && i < a->n; i++)
        out[i] = orr__scalar_load(data + (size_t)i * size, dtype).f;
    free(data);
    (void)orr_scope_end(s);
    return ok;
}

static uint64_t kernels(void)
{
    orr__jit_stats s = orr__jit_get_stats();
    return s.compiled + s.disk_hits + s.memory_hits;
}

/* True if the tier itself did the work. before: the number of compiled kernels before it. */
static bool by_tier(int which, uint64_t before)
{
    orr_stat row[8];
    bool device = false;
    int n = orr_stats(row, 8);
    for (int i = 0; i < n && i < 8; i++)
        device = device || strstr(row[i].worker, "OpenCL");
    orr_stats_reset();
    return which == ACC_TIER0 || which == ACC_BASE ? true : which == ACC_OPENCL ? device : kernels() > before;
}

static bool serve_one(int which, int fd, const orr__ewrow *row, orr_dtype dtype, acc_size size)
{
    acc_args a;
    if (!acc_args_make(row, dtype, size, &a))
        return false;
    double *out = calloc((size_t)a.n, sizeof *out);
    uint64_t before = kernels();
    bool ok = out && compute(row, dtype, &a, out);
    char how = !ok ? 'x' : by_tier(which, before) ? 't' : 'o';
    ok = out && orr__write_all(fd, &how, 1) && orr__write_all(fd, out, (size_t)a.n * sizeof *out);
    free(out);
    acc_args_free(&a);
    return ok;
}

/* Describes the tier for readers. False: this machine does not have it. */
static bool describe(int which, char what[160])
{
    bool device = which == ACC_OPENCL;
    (void)snprintf(what, 160, "%s", device ? orr_engine_name() : orr__cpu_describe());
    return !device || strstr(what, "OpenCL");
}

bool acc_tier_main(int *status)
{
    const char *spec = getenv("ORR_ACC_TIER");
    int which, fd;
    acc_size size;
    if (!spec || sscanf(spec, "%d %d %d %d", &which, &fd, &size.spread, &size.domain) != 4)
        return false;
    char what[160] = "";
    bool ok = orr_init(NULL) == ORR_OK;
    if (which == ACC_BASE)
        (void)orr__cpu_use("base");
    if (!ok)
        (void)snprintf(what, sizeof what, "%s", orr_error_message());
    char there = ok && describe(which, what) ? 1 : 0;
    bool go = orr__write_all(fd, &there, 1) && orr__write_all(fd, what, sizeof what) && there;
    for (int i = 0; go && acc_row(i); i++)
        for (int d = 0; go && d < 4; d++)
            if (acc_takes(acc_row(i), acc_dtype[d]))
                go = serve_one(which, fd, acc_row(i), acc_dtype[d], size);
    if (ok)
        (void)orr_shutdown();
    *status = 0;
    return true;
}

/* -- in the process that judges --------------------------------------------------------------------------------- */

static void set(const setting *s)
{
    for (; s->name; s++)
        (void)setenv(s->name, s->value, 1);
}

static bool receive(int fd, void *data, size_t size)
{
    for (char *p = data; size > 0;) {
        ssize_t n = read(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

void acc_tier_start(acc_tier *t, int which, acc_size size, const char *cache)
{
    static const setting *const own[ACC_TIERS] = { tier0, tier0, tier1, clang, opencl };
    int fd[2];
    *t = (acc_tier){ .pid = -1, .fd = -1, .what = "it could not be started" };
    if (pipe(fd) != 0)
        return;
    (void)fflush(stdout);
    t->pid = fork();
    if (t->pid == 0) {
        char spec[80];
        (void)close(fd[0]);
        (void)snprintf(spec, sizeof spec, "%d %d %d %d", which, fd[1], size.spread, size.domain);
        (void)setenv("ORR_ACC_TIER", spec, 1);
        (void)setenv("ORRERY_CACHE_DIR", cache, 1);
        set(serial);
        set(own[which]);
        (void)execl("/proc/self/exe", "accuracy", (char *)NULL);
        _exit(127);
    }
    (void)close(fd[1]);
    t->fd = fd[0];
    char there = 0, what[160];
    if (t->pid > 0 && receive(t->fd, &there, 1) && receive(t->fd, what, sizeof what)) {
        what[sizeof what - 1] = '\0';
        memcpy(t->what, what, sizeof what);
        t->there = there;
    }
}

char acc_tier_next(acc_tier *t, int n, double *got)
{
    char how = 'x';
    if (!t->there || !receive(t->fd, &how, 1) || !receive(t->fd, got, (size_t)n * sizeof *got)) {
        t->there = false;
        return 'x';
    }
    return how;
}

void acc_tier_end(acc_tier *t)
{
    if (t->fd >= 0)
        (void)close(t->fd);
    if (t->pid > 0)
        (void)waitpid(t->pid, NULL, 0);
    *t = (acc_tier){ .pid = -1, .fd = -1 };
}
