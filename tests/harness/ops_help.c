/* Values for the tests of ops, by the reference evaluation and by the engine.
 * Must not know: which op is tested. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/ops.h"
#include "tests/harness/ops_help.h"

static bool running;

int help_main(int argc, char **argv, const char *topic, const orr_test *tests)
{
    running = orr_init(NULL) == ORR_OK;
    bool absent = orr_error_status() == ORR_EDEVICE; /* the tests handle a missing device themselves */
    if (!running)
        printf("no engine: %s\n", orr_error_message());
    int rc = orr_test_main(argc, argv, topic, tests);
    if (running)
        (void)orr_shutdown();
    return running || absent ? rc : 1;
}

/* Elements as scalars; complex numbers as their two parts in sequence. */
static orr__scalar *unpack(const void *data, orr_dtype dtype, int64_t n)
{
    orr_dtype part = orr__part_dtype(dtype);
    n *= help_parts(dtype);
    orr__scalar *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = orr__scalar_load((const char *)data + (size_t)i * orr_dtype_size(part), part);
    return v;
}

static orr__scalar *reference(orr__capture *p, const orr__node *n)
{
    int64_t count = orr__shape_count(&n->shape);
    const void **leaf = calloc((size_t)p->nleaf + 1, sizeof *leaf);
    void *out = calloc((size_t)count + 1, orr_dtype_size((orr_dtype)n->dtype));
    orr__scalar *v = NULL;
    orr_status st = leaf && out ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; i < p->nleaf && st == ORR_OK; i++) {
        st = orr__buffer_sync(p->leaf[i]);
        leaf[i] = p->leaf[i]->host;
    }
    if (st == ORR_OK)
        st = orr__reference_eval(p, leaf, &out);
    if (st == ORR_OK)
        v = unpack(out, (orr_dtype)n->dtype, count);
    free(out);
    free(leaf);
    return v;
}

orr__scalar *help_reference(orr_tensor *t)
{
    orr__site at = ORR__SITE(__FILE__, __LINE__, "test");
    orr__capture p;
    orr__node *n;
    orr_tensor *bad;
    orr__scalar *v = NULL;
    const orr_tensor *c = t;
    orr_error_clear();
    if (orr__operands(at, 1, &c, NULL, &n, &bad) && orr__capture_make(at, &n, 1, &p) == ORR_OK) {
        if (orr__capture_verify(&p) == ORR_OK)
            v = reference(&p, n);
        orr__capture_free(&p);
    }
    ORR_CHECK_MSG(v != NULL, "%s", orr_error_message());
    return v;
}

orr__scalar *help_engine(orr_tensor *t)
{
    int64_t n = orr_tensor_size(t);
    orr_dtype dtype = orr_tensor_dtype(t);
    orr__scalar *v = NULL;
    if (n >= 0) {
        size_t bytes = (size_t)n * orr_dtype_size(dtype);
        void *data = malloc(bytes + 1);
        if (data && orr_read(t, data, bytes) == ORR_OK)
            v = unpack(data, dtype, n);
        free(data);
    }
    ORR_CHECK_MSG(v != NULL, "%s", orr_error_message());
    return v;
}

double *help_doubles(orr_tensor *t)
{
    orr__scalar *v = help_reference(t);
    int64_t n = orr_tensor_size(t);
    double *d = v ? malloc(((size_t)n + 1) * sizeof *d) : NULL;
    for (int64_t i = 0; d && i < n; i++)
        d[i] = orr__scalar_f64(v[i], orr_tensor_dtype(t));
    free(v);
    return d;
}

static double eps(orr_dtype dtype)
{
    return dtype == ORR_F64 ? 0x1p-52 : dtype == ORR_F32 ? 0x1p-23 : dtype == ORR_F16 ? 0x1p-10 : 0x1p-7;
}

bool help_same(orr_dtype dtype, orr__scalar got, orr__scalar want, double ulps, double scale)
{
    if (!orr__is_float(dtype))
        return got.u == want.u;
    if (isnan(want.f) || isinf(want.f))
        return isnan(want.f) ? isnan(got.f) : got.f == want.f;
    if (ulps < 0)
        return got.f == want.f && signbit(got.f) == signbit(want.f);
    return fabs(got.f - want.f) <= ulps * eps(dtype) * (fabs(want.f) + scale);
}

/* The first element that differs; -1: none. */
static int64_t differs(orr_dtype dtype, int64_t n, const orr__scalar *got, const orr__scalar *want, double ulps)
{
    double scale = 0;
    for (int64_t i = 0; i < n && orr__is_float(dtype); i++)
        if (isfinite(want[i].f))
            scale = fmax(scale, fabs(want[i].f));
    for (int64_t i = 0; i < n; i++)
        if (!help_same(dtype, got[i], want[i], ulps, scale))
            return i;
    return -1;
}

static void compare(orr__scalar *got, orr_dtype dtype, int64_t n, const orr__scalar *want, double ulps,
                    const char *what, const char *by)
{
    int64_t i = got ? differs(dtype, n, got, want, ulps) : -1;
    if (i >= 0)
        ORR_CHECK_MSG(false, "%s: %s: element %lld is %.17g, not %.17g", what, by, (long long)i,
                      orr__scalar_f64(got[i], dtype), orr__scalar_f64(want[i], dtype));
    free(got);
}

void help_check(orr_tensor *got, orr_dtype dtype, orr_shape shape, const orr__scalar *want, double ulps,
                const char *what)
{
    orr_shape s = orr_tensor_shape(got);
    bool fits = s.rank >= 0 && orr_tensor_dtype(got) == dtype && orr__shape_equal(&s, &shape);
    ORR_CHECK_MSG(fits, "%s: %s %s, not %s %s: %s", what, orr_dtype_name(orr_tensor_dtype(got)), orr__str(s).s,
                  orr_dtype_name(dtype), orr__str(shape).s, s.rank < 0 ? orr_error_message() : "");
    if (!fits)
        return;
    int64_t n = orr_tensor_size(got) * help_parts(dtype);
    dtype = orr__part_dtype(dtype);
    compare(help_reference(got), dtype, n, want, ulps, what, "reference");
    if (running)
        compare(help_engine(got), dtype, n, want, ulps, what, "engine");
}

void help_check_values(orr_tensor *got, orr_dtype dtype, orr_shape shape, const double *want)
{
    int64_t n = orr__shape_count(&shape);
    orr__scalar *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = orr__scalar_cast((orr__scalar){ .f = want[i] }, ORR_F64, dtype);
    if (v)
        help_check(got, dtype, shape, v, 0, "values");
    free(v);
}

void help_poison(orr_tensor *t, orr_status status, const char *part, const char *file, int line)
{
    char here[64];
    const char *text = orr_error_message();
    snprintf(here, sizeof here, ":%d: ", line);
    ORR_CHECK_MSG(orr_tensor_status(t) == status, "line %d: %s, not %s: %s", line,
                  orr_status_name(orr_tensor_status(t)), orr_status_name(status), text);
    ORR_CHECK_MSG(orr_error_status() == status, "line %d: last error is %s", line, orr_status_name(orr_error_status()));
    ORR_CHECK_MSG(strstr(text, part) != NULL, "line %d: no \"%s\" in \"%s\"", line, part, text);
    ORR_CHECK_MSG(strncmp(text, file, strlen(file)) == 0 && strstr(text, here) != NULL, "line %d: not the place: %s",
                  line, text);
    orr_error_clear();
}
