/* For tests of user-defined operations: engines by name, values read as doubles.
 * Must not know: what is defined. */
#include "config.h"

#include "tests/harness/define_help.h"

bool dh_is_cuda(void)
{
    static int cuda = -1; /* dh_start clears the variable */
    const char *backend = getenv("ORRERY_BACKEND");
    if (cuda < 0)
        cuda = backend && strcmp(backend, "cuda") == 0;
    return cuda;
}

bool dh_start(const dh_setting *s)
{
    static const char *const all[] = { "ORRERY_ENGINE",  "ORRERY_BACKEND", "ORRERY_INLINE_US", "STARPU_NCPU",
                                       "ORRERY_JIT",     "ORRERY_CC",      "ORRERY_CACHE_DIR", "STARPU_NCUDA",
                                       "ORRERY_TILE_US", "STARPU_SCHED",   "STARPU_CALIBRATE" };
    (void)dh_is_cuda();
    setenv("STARPU_OPENCL_ON_CPUS", "1", 1); /* StarPU searches for devices once in a process */
    setenv("STARPU_OPENCL_ONLY_ON_CPUS", "1", 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        unsetenv(all[i]);
    for (; s && s->name; s++)
        setenv(s->name, s->value, 1);
    orr_status st = orr_init(NULL);
    if (st == ORR_EDEVICE)
        orr_test_skip("%s", orr_error_message());
    else
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    return st == ORR_OK;
}

bool dh_worked(const char *word)
{
    static orr_stat s[256];
    int n = orr__engine_stats(s, 256);
    for (int i = 0; i < n && i < 256; i++)
        if (strstr(s[i].worker, word) && s[i].tasks > 0)
            return true;
    return false;
}

bool dh_read(orr_tensor *t, double *v, int64_t n)
{
    orr_dtype d = orr_tensor_dtype(t);
    bool ok = orr_tensor_size(t) == n;
    size_t size = orr_dtype_size(d), bytes = (size_t)n * size;
    char *p = malloc(bytes + 1);
    ok = ok && p && orr_read(t, p, bytes) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int64_t i = 0; ok && i < n; i++)
        v[i] = orr__scalar_f64(orr__scalar_load(p + (size_t)i * size, d), d);
    free(p);
    return ok;
}

orr_tensor *dh_leaf(orr_dtype d, const double *v, int64_t n)
{
    size_t size = orr_dtype_size(d);
    char *p = malloc((size_t)n * size + 1);
    for (int64_t i = 0; p && i < n; i++)
        orr__scalar_store(p + (size_t)i * size, d, orr__scalar_cast((orr__scalar){ .f = v[i] }, ORR_F64, d));
    orr_tensor *t = orr_from(d, ORR_SHAPE(n), p);
    free(p);
    return t;
}

void dh_refused(const orr_op *op, const char *words)
{
    ORR_CHECK_MSG(!op && orr_error_status() == ORR_EINVAL && strstr(orr_error_message(), words), "'%s' lacks '%s'",
                  orr_error_message(), words);
    orr_error_clear();
}
