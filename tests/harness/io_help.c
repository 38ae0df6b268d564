/* Shared by the tests of files: the content of the golden files, and tensors with that content.
 * Must not know: how a file is parsed. */
#include "config.h"

#include "tests/harness/io_help.h"

#include <string.h>

const char *golden_io(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "io/%s", name);
    return orr_test_golden(path);
}

/* Element k of every golden file, as written by make_io.py. */
static double expected(orr_dtype t, int64_t k)
{
    double v = (double)(k * 7 % 23);
    return t == ORR_BOOL ? k % 3 == 0 : orr__is_float(t) ? (v - 5) / 4 : orr__is_signed(t) ? v - 5 : v;
}

void check_golden(const char *what, orr_tensor *t, orr_dtype dtype, orr_shape shape)
{
    orr_shape s = orr_tensor_shape(t);
    if (!orr_test_check(orr_tensor_status(t) == ORR_OK, "loads", __FILE__, __LINE__, "%s: %s", what,
                        orr_error_message()))
        return;
    ORR_CHECK_MSG(orr_tensor_dtype(t) == dtype, "%s: %s", what, orr_dtype_name(orr_tensor_dtype(t)));
    ORR_CHECK_MSG(orr__shape_equal(&s, &shape), "%s: %s", what, orr__str(s).s);
    const char *p = orr_data(t);
    ORR_REQUIRE(p != NULL);
    for (int64_t k = 0; k < orr__shape_count(&s); k++) {
        double v = orr__scalar_f64(orr__scalar_load(p + (size_t)k * orr_dtype_size(dtype), dtype), dtype);
        ORR_CHECK_MSG(v == expected(dtype, k), "%s: element %lld is %g, not %g", what, (long long)k, v,
                      expected(dtype, k));
    }
}

orr_tensor *golden_tensor(orr_dtype t, orr_shape shape)
{
    char data[8 * 64];
    for (int64_t k = 0; k < orr__shape_count(&shape); k++) {
        orr__scalar v = { .f = expected(t, k) };
        orr__scalar_store(data + (size_t)k * orr_dtype_size(t), t, orr__scalar_cast(v, ORR_F64, t));
    }
    return orr_from(t, shape, data);
}

uint32_t orr_test_crc32(const unsigned char *p, size_t n)
{
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c;
}

size_t orr_test_change(unsigned char *p, size_t n, size_t room, unsigned long long *r)
{
    static const unsigned char edges[] = { 0x00, 0xff, 0x7f, 0x80, 0x01, '(', ')', ',', '\'', '9', ' ', 'O' };
    size_t at = n ? orr_test_rand(r) % n : 0, k = 1 + orr_test_rand(r) % 8;
    switch (orr_test_rand(r) % 6) {
    case 0: return at; /* cut */
    case 1:
        if (n)
            p[at] ^= (unsigned char)(1u << orr_test_rand(r) % 8);
        return n;
    case 2: /* a run of one special byte */
        memset(p + at, edges[orr_test_rand(r) % sizeof edges], at + k <= n ? k : n - at);
        return n;
    case 3: /* random bytes */
        for (size_t i = at; i < n && i < at + k; i++)
            p[i] = (unsigned char)orr_test_rand(r);
        return n;
    case 4: /* an insertion */
        k = n + k <= room ? k : 0;
        memmove(p + at + k, p + at, n - at);
        return n + k;
    default: /* a removal */
        k = at + k <= n ? k : n - at;
        memmove(p + at, p + at + k, n - at - k);
        return n - k;
    }
}
