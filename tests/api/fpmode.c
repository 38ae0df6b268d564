/* The program's floating-point mode does not influence Orrery's results, and remains in force.
 * Must not know: how the mode is kept out. */
#include "config.h"
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined __SSE2__
#include <xmmintrin.h>
#endif
#include <orrery.h>
#include "tests/harness/harness.h"

enum { N = 120, SIZE = N * N, OUTS = 4 };
static float a[SIZE], b[SIZE], want[OUTS][SIZE], got[OUTS][SIZE];

/* Element-wise work, a product, sums of rows, and subnormal results. */
static void compute(float result[OUTS][SIZE])
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(N, N), a), *y = orr_from(ORR_F32, ORR_SHAPE(N, N), b);
    orr_tensor *t[OUTS] = { orr_div(orr_exp(x), orr_add(orr_sqrt(y), orr_tanh(x))), orr_matmul(x, y),
                            orr_sum(orr_log(y), ORR_AXES(1), false), orr_mul(orr_mul(y, y), y) };
    for (int k = 0; k < OUTS; k++)
        ORR_CHECK_MSG(orr_read(t[k], result[k], (size_t)orr_tensor_size(t[k]) * sizeof *result[k]) == ORR_OK, "%s",
                      orr_error_message());
    (void)orr_scope_end(s);
}

static void compare(const char *mode)
{
    memset(got, 0, sizeof got);
    compute(got);
    for (int k = 0; k < OUTS; k++)
        ORR_CHECK_MSG(memcmp(got[k], want[k], sizeof got[k]) == 0, "output %d differs with %s", k, mode);
}

static void in_modes(void)
{
    static const int rounding[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (int i = 0; i < 3; i++) {
        ORR_REQUIRE(fesetround(rounding[i]) == 0);
        compare("another rounding");
        ORR_CHECK(fegetround() == rounding[i]);
        ORR_CHECK(fesetround(FE_TONEAREST) == 0);
    }
#if defined __SSE2__
    unsigned was = _mm_getcsr();
    _mm_setcsr(was | 0x8040u); /* results and operands below the normal numbers are 0 */
    compare("flush to zero");
    ORR_CHECK((_mm_getcsr() & 0xffc0u) == ((was | 0x8040u) & 0xffc0u));
    _mm_setcsr((was & ~0x3fu) & ~0x1e80u); /* all exceptions trap, except that of a subnormal operand */
    compare("traps");
    ORR_CHECK((_mm_getcsr() & 0xffc0u) == ((was & ~0x1e80u) & 0xffc0u));
    _mm_setcsr(was);
#endif
}

/* The engine also starts in another mode, which its threads inherit. */
static void run(const char *engine, const char *tile_us)
{
    unsigned long long state = 5;
    for (int i = 0; i < SIZE; i++) {
        a[i] = (float)((double)(orr_test_rand(&state) >> 11) * 0x1p-51 - 1.0);
        b[i] = (float)((double)(orr_test_rand(&state) >> 11) * 0x1p-53 + 0x1p-30) * (i % 3 ? 1.0f : 0x1p-46f);
    }
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_ENGINE", engine, 1);
    setenv("ORRERY_TILE_US", tile_us, 1);
    setenv("ORRERY_JIT", orr_test_compiler() ? "wait" : "off", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    compute(want);
    in_modes();
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_REQUIRE(fesetround(FE_UPWARD) == 0);
    orr_status st = orr_init(NULL);
    ORR_CHECK(fegetround() == FE_UPWARD && fesetround(FE_TONEAREST) == 0);
    ORR_REQUIRE(st == ORR_OK);
    compare("workers started in another mode");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- recording ------------------------------------------------------------------------------------------------------- */

enum { CONSTANTS = 14, LONGEST = 64 };
typedef float constants[CONSTANTS][LONGEST];

/* Computations during recording: numbers with numbers, with tensors, as dtypes, ranges, definitions, steps. */
static void record(constants v)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(LONGEST), a), *t[CONSTANTS];
    orr_op *define = orr_define_elementwise("of_tenths", 1, "x * 0.1 + 0.7");
    int n = 0;
    t[n++] = orr_cast(orr_less(orr_scalar(NAN), orr_scalar(1.0)), ORR_F32);
    t[n++] = orr_sub(orr_scalar(INFINITY), orr_scalar(INFINITY));
    t[n++] = orr_div(orr_scalar(1.0), orr_scalar(3.0));
    t[n++] = orr_add(x, orr_scalar(0.1));
    t[n++] = orr_mul(x, orr_div(orr_scalar(1.0), orr_scalar(0.0)));
    t[n++] = orr_full(ORR_F16, ORR_SHAPE(3), 1.0 / 3.0);
    t[n++] = orr_linspace(ORR_F32, -1.0, 0.7, LONGEST);
    t[n++] = orr_arange(ORR_F64, 0.1, 3.0, 0.1);
    t[n++] = orr_apply(define, ORR_TENSORS(orr_scalar(0.3)));
    t[n++] = orr_apply(define, ORR_TENSORS(x));
    t[n++] = orr_var(x, ORR_AXES(0), 1.5, false);
    t[n++] = orr_rand_keyed(ORR_F32, ORR_SHAPE(LONGEST), -0.1, 0.3, 7);
    t[n++] = orr_pow(orr_scalar(0.0), orr_scalar(-1.0));
    t[n++] = orr_minimum(x, orr_scalar(0.3));
    ORR_CHECK(n == CONSTANTS);
    for (int i = 0; i < CONSTANTS; i++) {
        memset(v[i], 0, sizeof v[i]);
        orr_tensor *f = orr_cast(t[i], ORR_F32);
        ORR_CHECK_MSG(orr_tensor_status(f) == ORR_OK &&
                          orr_read(f, v[i], (size_t)orr_tensor_size(f) * sizeof *v[i]) == ORR_OK,
                      "%s", orr_error_message());
    }
    ORR_CHECK(orr_tensor_status(orr_full(ORR_I32, ORR_SHAPE(2), NAN)) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_arange(ORR_F32, 0.0, NAN, 1.0)) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

static void same_constants(constants wanted, const char *mode)
{
    static constants v;
    record(v);
    for (int i = 0; i < CONSTANTS; i++)
        ORR_CHECK_MSG(memcmp(v[i], wanted[i], sizeof v[i]) == 0, "constant %d is %.9g, not %.9g, with %s", i,
                      (double)v[i][0], (double)wanted[i][0], mode);
}

static void constants_use_default_fp_mode(void)
{
    static constants v;
    setenv("ORRERY_ENGINE", "serial", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    record(v);
    static const int rounding[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (int i = 0; i < 3; i++) {
        ORR_REQUIRE(fesetround(rounding[i]) == 0);
        same_constants(v, "another rounding");
        ORR_CHECK(fegetround() == rounding[i] && fesetround(FE_TONEAREST) == 0);
    }
#if defined __SSE2__
    unsigned was = _mm_getcsr();
    _mm_setcsr((was & ~0x3fu) & ~0x0e80u); /* invalid operation, division by zero, overflow, underflow trap */
    same_constants(v, "traps");
    ORR_CHECK((_mm_getcsr() & 0xffc0u) == ((was & ~0x0e80u) & 0xffc0u));
    _mm_setcsr(was);
#endif
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- functions that compute before, or beside, their kernels ----------------------------------------------------------------- */

enum { FUNCTIONS = 24, WIDE = 64 };

static double m[36], outer[9];

/* The last bits count: all values are f64. */
static void functions(double v[FUNCTIONS][WIDE])
{
    orr_scope *s = orr_scope_begin();
    const double q[3] = { 0.1, 0.37, 0.9 };
    orr_tensor *line = orr_from(ORR_F64, ORR_SHAPE(36), m), *square = orr_from(ORR_F64, ORR_SHAPE(6, 6), m),
               *t[FUNCTIONS];
    orr_tensor *head = orr_from(ORR_F64, ORR_SHAPE(1, 2, 6, 3), m), *knots = orr_sort(line, 0, false), *g = NULL;
    const char *path = orr_test_tmp("fpmode.csv");
    int n = 0;
    orr_seed(3);
    t[n++] = orr_hann(ORR_F64, 37);
    t[n++] = orr_kaiser(ORR_F64, 37, 8.6);
    t[n++] = orr_blackman(ORR_F64, 37);
    t[n++] = orr_bartlett(ORR_F64, 37);
    t[n++] = orr_quantile(line, q, 3, ORR_AXES(0), false);
    t[n++] = orr_svdvals(square);
    t[n++] = orr_eigh(square).w;
    t[n++] = orr_pinv(square, -1);
    t[n++] = orr_expm(square);
    t[n++] = orr_vector_norm(line, ORR_ALL_AXES, false, 3);
    t[n++] = orr_vector_norm(line, ORR_ALL_AXES, false, 0.7);
    t[n++] = orr_fftfreq(ORR_F64, 7, 0.3);
    t[n++] = orr_convolve(square, orr_from(ORR_F64, ORR_SHAPE(3, 3), outer), ORR_CONV_SAME, ORR_CONV_ZERO);
    t[n++] = orr_interp(line, knots, line);
    t[n++] = orr_covariance(square, 1);
    t[n++] = orr_attention(head, head, head, NULL, NULL);
    t[n++] = orr_elu(line, 0.3);
    t[n++] = orr_std(line, ORR_ALL_AXES, 1, false);
    t[n++] = orr_exponential(ORR_F64, ORR_SHAPE(9), 0.3);
    t[n++] = orr_gamma(ORR_F64, ORR_SHAPE(9), orr_scalar(0.3), orr_scalar(0.7));
    ORR_CHECK(orr_save_csv(path, square, ',') == ORR_OK);
    t[n++] = orr_load_csv(path, ORR_F64, ',', 0);
    t[n++] = orr_fft(line, 0, -1, ORR_FFT_ORTHO);
    ORR_CHECK(orr_grad(orr_mean(orr_pow(line, orr_scalar(3.1)), ORR_ALL_AXES, false), &line, 1, &g) == ORR_OK);
    t[n++] = g;
    for (int i = 0; i < n; i++) {
        memset(v[i], 0, sizeof v[i]);
        t[i] = orr_tensor_dtype(t[i]) == ORR_C128 ? orr_real(t[i]) : t[i];
        ORR_CHECK_MSG(orr_read(t[i], v[i], (size_t)orr_tensor_size(t[i]) * sizeof *v[i]) == ORR_OK, "%d: %s", i,
                      orr_error_message());
    }
    double epsilon = 0;
    orr_dp_mechanism mechanism = { .kind = ORR_DP_GAUSSIAN, .noise = 1.1, .q = 0.01 };
    ORR_CHECK_MSG(orr_dp_epsilon(ORR_DP_RDP, mechanism, 1000, 1e-5, &epsilon) == ORR_OK, "%s", orr_error_message());
    v[n++][0] = epsilon;
    ORR_CHECK(n == FUNCTIONS);
    (void)orr_scope_end(s);
}

static void functions_use_default_fp_mode(void)
{
    static double want64[FUNCTIONS][WIDE], got64[FUNCTIONS][WIDE];
    static const int rounding[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    unsigned long long state = 7;
    for (int i = 0; i < 36; i++)
        m[i] = (double)(orr_test_rand(&state) >> 11) * 0x1p-52 - 0.9;
    for (int i = 0; i < 9; i++)
        outer[i] = m[i / 3] * m[3 + i % 3];
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    functions(want64);
    for (int i = 0; i < 4; i++) {
#if defined __SSE2__
        unsigned was = _mm_getcsr();
        if (i == 3)
            _mm_setcsr(was | 0x8040u); /* subnormal operands and results are 0 */
#else
        if (i == 3)
            break;
#endif
        ORR_REQUIRE(i == 3 || fesetround(rounding[i]) == 0);
        functions(got64);
        ORR_CHECK(i == 3 || fegetround() == rounding[i]);
        ORR_CHECK(fesetround(FE_TONEAREST) == 0);
#if defined __SSE2__
        _mm_setcsr(was);
#endif
        for (int k = 0; k < FUNCTIONS; k++)
            ORR_CHECK_MSG(memcmp(want64[k], got64[k], sizeof want64[k]) == 0, "function %d differs in mode %d", k, i);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void calling_thread_uses_default_fp_mode(void)
{
    run("serial", "100");
}

static void workers_use_default_fp_mode(void)
{
    run("starpu", "5");
}

/* -- registers of long double ----------------------------------------------------------------------------------------- */

/* Casts between all dtypes, interpreted and compiled. A kernel that uses an MMX register leaves long double without one. */
static void casts_leave_the_registers_of_long_double(void)
{
    enum { LENGTH = 300 };
    volatile long double third = 1.0L / 3;
    setenv("ORRERY_ENGINE", "serial", 1);
    for (int tier = 0; tier < (orr_test_compiler() ? 2 : 1); tier++) {
        setenv("ORRERY_JIT", tier ? "wait" : "off", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        orr_scope *s = orr_scope_begin();
        orr_tensor *x[ORR_F64 + 1], *y[ORR_F64 + 1];
        for (int from = 0; from <= ORR_F64; from++)
            x[from] = orr_cast(orr_remainder(orr_arange(ORR_F64, 0, LENGTH, 1), orr_scalar(7)), (orr_dtype)from);
        ORR_CHECK_MSG(orr_eval_all(x, ORR_F64 + 1) == ORR_OK, "%s", orr_error_message());
        for (int from = tier ? ORR_F64 : 0; from <= ORR_F64; from++) { /* compilers take long */
            for (int to = 0; to <= ORR_F64; to++)
                y[to] = orr_cast(x[from], (orr_dtype)to);
            ORR_CHECK_MSG(orr_eval_all(y, ORR_F64 + 1) == ORR_OK, "%s", orr_error_message());
        }
        long double sum = 0;
        for (int i = 0; i < 8; i++) /* as many as there are registers */
            sum += third * (long double)(i + 1);
        ORR_CHECK_MSG(sum > 11.99L && sum < 12.01L, "%Lg", sum);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(constants_use_default_fp_mode),
                                      ORR_TEST(functions_use_default_fp_mode),
                                      ORR_TEST(calling_thread_uses_default_fp_mode),
                                      ORR_TEST(workers_use_default_fp_mode),
                                      ORR_TEST(casts_leave_the_registers_of_long_double),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.fpmode", tests);
}
