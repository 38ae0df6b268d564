/* Operations of a Cholesky factorisation on tiles in a device's memory, beside loops: cuSOLVER and cuBLAS on a GPU, or their
 * double.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "ops/ops.h"
#include "tests/harness/cuda_help.h"

enum { N = 344, BLOCK = 128, REST = N - 2 * BLOCK, LD = BLOCK + 3 };

#define NEED                                                                                                           \
    do {                                                                                                               \
        if (!cu.ok)                                                                                                    \
            ORR_SKIP("%s", cu.why);                                                                                    \
        if (!orr__cuda.tiles())                                                                                        \
            ORR_SKIP("no cuSOLVER or no cuBLAS here");                                                                 \
    } while (0)

/* Tiles in f64, rows LD apart, in host memory. */
typedef struct {
    double v[BLOCK * LD];
} tile;

static tile x, a, b, got;
static orr__region region;

/* Fills a tile; of a triangular factor, the elements above the diagonal must not be read. */
static void fill(tile *t, int seed, bool lower)
{
    for (int r = 0; r < BLOCK; r++)
        for (int c = 0; c < LD; c++)
            t->v[r * LD + c] = lower && c > r ? NAN : (r * 7 + c * 3 + seed) % 11 / 11.0 - 0.4;
    for (int r = 0; r < BLOCK && lower; r++)
        t->v[r * (LD + 1)] = 40 + r % 3;
}

static void *away(const tile *t, orr_dtype type)
{
    static float f[BLOCK * LD];
    for (int i = 0; i < BLOCK * LD; i++)
        f[i] = (float)t->v[i];
    return type == ORR_F64 ? cuda_buffer(t->v, sizeof t->v) : cuda_buffer(f, sizeof f);
}

static void home(void *p, orr_dtype type)
{
    static float f[BLOCK * LD];
    if (type == ORR_F64) {
        ORR_CHECK(cuda_fetch(got.v, p, sizeof got.v));
        return;
    }
    ORR_CHECK(cuda_fetch(f, p, sizeof f));
    for (int i = 0; i < BLOCK * LD; i++)
        got.v[i] = (double)f[i];
}

/* Applies the operation to x on the device, into `got`. Returns the device's status. */
static orr_status done(orr__tileop op, orr_dtype type)
{
    orr__after after;
    void *p[3] = { away(&x, type), away(&a, type), away(&b, type) };
    orr__tilejob j = { .op = op, .dtype = type, .n = N, .region = &region, .queue = cu.stream, .after = &after };
    for (int k = 0; k < 3; k++)
        j.at[k] = (orr__tileat){ p[k], LD };
    orr_status st = orr__cuda.tile(&j);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    home(p[0], type);
    for (int k = 0; k < 3; k++)
        cuda_drop(p[k]);
    return st == ORR_OK && after.check ? after.check(&after) : st;
}

/* The number of wrong elements of `got` in rows × cols (lower: in its triangle). */
static int wrong(const tile *want, int rows, int cols, bool lower, double tolerance)
{
    int n = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < (lower ? r + 1 : cols); c++)
            n += !(fabs(got.v[r * LD + c] - want->v[r * LD + c]) <= tolerance);
    return n;
}

static double dot(const double *p, const double *q, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += p[k] * q[k];
    return sum;
}

static const struct {
    orr_dtype dtype;
    double tolerance;
} types[] = { { ORR_F32, 2e-4 }, { ORR_F64, 1e-12 } };

static void updates(void)
{
    static tile want;
    NEED;
    for (int t = 0; t < 2; t++) {
        fill(&x, 1, false);
        fill(&a, 2, false);
        fill(&b, 3, false);
        want = x;
        for (int r = 0; r < REST; r++)
            for (int c = 0; c < BLOCK; c++)
                want.v[r * LD + c] -= dot(a.v + r * LD, b.v + c * LD, BLOCK);
        ORR_CHECK(done((orr__tileop){ ORR__GEMM, 2, 1, 0 }, types[t].dtype) == ORR_OK);
        ORR_CHECK(wrong(&want, REST, BLOCK, false, types[t].tolerance) == 0);
        want = x;
        for (int r = 0; r < BLOCK; r++)
            for (int c = 0; c <= r; c++)
                want.v[r * LD + c] -= dot(a.v + r * LD, a.v + c * LD, BLOCK);
        ORR_CHECK(done((orr__tileop){ ORR__SYRK, 1, 1, 0 }, types[t].dtype) == ORR_OK);
        ORR_CHECK(wrong(&want, BLOCK, BLOCK, true, types[t].tolerance) == 0);
    }
}

static void solves(void)
{
    static tile want;
    NEED;
    for (int t = 0; t < 2; t++) {
        fill(&x, 1, false);
        fill(&a, 2, true);
        want = x;
        for (int r = 0; r < REST; r++) /* row · L⁻ᵀ */
            for (int c = 0; c < BLOCK; c++)
                want.v[r * LD + c] = (x.v[r * LD + c] - dot(want.v + r * LD, a.v + c * LD, c)) / a.v[c * (LD + 1)];
        ORR_CHECK(done((orr__tileop){ ORR__TRSM, 2, 0, 0 }, types[t].dtype) == ORR_OK);
        ORR_CHECK(wrong(&want, REST, BLOCK, false, types[t].tolerance) == 0);
    }
}

static void factors(void)
{
    static tile want;
    NEED;
    for (int t = 0; t < 2; t++) {
        fill(&x, 5, true);
        want = x;
        for (int c = 0; c < REST; c++)
            for (int r = c; r < REST; r++) {
                double v = x.v[r * LD + c] - dot(want.v + r * LD, want.v + c * LD, c);
                want.v[r * LD + c] = r == c ? sqrt(v) : v / want.v[c * (LD + 1)];
            }
        ORR_CHECK_MSG(done((orr__tileop){ ORR__POTRF, 2, 2, 2 }, types[t].dtype) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(wrong(&want, REST, REST, true, types[t].tolerance) == 0);
    }
}

static void cholesky_names_first_nonpositive_minor(void)
{
    static const double values[] = { -1, 0, NAN, INFINITY };
    static const int places[] = { 0, 31, 87 };
    NEED;
    for (int i = 0; i < 24; i++) {
        char want[64];
        int at = places[i / 4 % 3];
        fill(&x, 5, true);
        x.v[at * (LD + 1)] = values[i % 4];
        (void)snprintf(want, sizeof want, "leading minor of order %d is not", 2 * BLOCK + at + 1);
        ORR_CHECK(done((orr__tileop){ ORR__POTRF, 2, 2, 2 }, types[i / 12].dtype) == ORR_ENUMERIC);
        ORR_CHECK_MSG(strstr(orr_error_message(), want) != NULL, "%g at %d: %s", values[i % 4], at,
                      orr_error_message());
    }
}

/* True if the tile can still be computed elsewhere. */
static void tile_failure_reports_whether_it_began(void)
{
    orr__after after;
    NEED;
    if (cu.real)
        ORR_SKIP("a real device does not fail on demand");
    fill(&x, 5, true);
    for (int i = 0; i < 2; i++) {
        void *p = away(&x, ORR_F64);
        orr__tilejob j = { .op = { ORR__POTRF, 2, 2, 2 },
                           .dtype = ORR_F64,
                           .n = N,
                           .at = { { p, LD } },
                           .region = &region,
                           .queue = cu.stream,
                           .after = &after };
        cu.state->tile_code = i ? 0 : 13;
        cu.state->launch_code = i ? 719 : 0;
        ORR_CHECK(orr__cuda.tile(&j) == ORR_EDEVICE && j.begun == (i == 1) && !after.check);
        cu.state->tile_code = cu.state->launch_code = 0;
        cuda_drop(p);
    }
}

static void compile_leaves_no_files(void)
{
    NEED;
    orr__cuda.stop();
    if (!cu.real)
        ORR_CHECK_MSG(cu.state->used == 0 && cu.state->handles == 0, "%zu bytes, %d handles", cu.state->used,
                      cu.state->handles);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(updates),
        ORR_TEST(solves),
        ORR_TEST(factors),
        ORR_TEST(cholesky_names_first_nonpositive_minor),
        ORR_TEST(tile_failure_reports_whether_it_began),
        ORR_TEST(compile_leaves_no_files),
        { 0 },
    };
    static orr_shape matrix = { 2, { N, N } };
    region = (orr__region){
        .call = { .op = &orr__op_cholesky, .in = &matrix }, .rank = 2, .dim = { N, N }, .file = "user.c", .line = 7
    };
    (void)snprintf(region.label, sizeof region.label, "cholesky");
    cuda_start();
    return orr_test_main(argc, argv, "codelets.cuda_tile", tests);
}
