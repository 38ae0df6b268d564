/* Kernels on whole arrays on the CPU, scatter_add and concat, beside plain loops.
 * Must not know: StarPU, plans. */
#include "config.h"

#include "ops/ops.h"
#include "tests/harness/cpu_launch.h"

/* -- scatter_add ---------------------------------------------------------------------------------------------- */

typedef struct {
    orr__region r;
    uint8_t in_dtype[3];
    int64_t in_count[3];
    int32_t in[3];
    orr_shape in_shape[3];
} whole;

static void input(whole *w, orr_dtype t, orr_shape s)
{
    int k = w->r.nin++;
    w->in_dtype[k] = (uint8_t)t;
    w->in_shape[k] = s;
    w->in_count[k] = orr__shape_count(&s);
}

static void begin_whole(whole *w, const orr__op *op, orr_dtype t, orr_shape out)
{
    memset(w, 0, sizeof *w);
    w->r = (orr__region){ .call = { .op = op, .in = w->in_shape, .out = out },
                          .rank = out.rank ? out.rank : 1,
                          .dim = { 1 },
                          .in = w->in,
                          .in_dtype = w->in_dtype,
                          .in_count = w->in_count,
                          .nout = 1,
                          .out_count = orr__shape_count(&out),
                          .file = "user.c",
                          .line = 7 };
    for (int d = 0; d < out.rank; d++)
        w->r.dim[d] = out.dim[d];
    w->r.out_dtype[0] = (uint8_t)t;
    (void)snprintf(w->r.label, sizeof w->r.label, "scatter_add");
}

/* The shape of the updates along `axis` of s by indices of shape m. */
static orr_shape taken(orr_shape s, int axis, orr_shape m)
{
    orr_shape o = { .rank = 0 };
    for (int d = 0; d < axis; d++)
        o.dim[o.rank++] = s.dim[d];
    for (int d = 0; d < m.rank; d++)
        o.dim[o.rank++] = m.dim[d];
    for (int d = axis + 1; d < s.rank; d++)
        o.dim[o.rank++] = s.dim[d];
    return o;
}

static void indices(void *p, orr_dtype t, int64_t n, int64_t length)
{
    for (int64_t i = 0; i < n; i++) {
        orr__scalar v = { .i = small_number(length) - (orr__is_signed(t) && small_number(2) ? length : 0) };
        orr__scalar_store((char *)p + (size_t)i * orr_dtype_size(t), t, v);
    }
}

static void an_index_out_of_range_is_an_error(void)
{
    whole w;
    static const int64_t bad[] = { 5, -6, INT64_MAX, INT64_MIN };
    float x[10] = { 0 }, got[9] = { 0 }, base[10] = { 0 };
    for (int i = 0; i < 4; i++) {
        int64_t ix[3] = { 0, bad[i], 1 };
        begin_whole(&w, &orr__op_scatter_add, ORR_F32, ORR_SHAPE(5, 2));
        input(&w, ORR_F32, ORR_SHAPE(5, 2));
        input(&w, ORR_I64, ORR_SHAPE(3));
        input(&w, ORR_F32, ORR_SHAPE(3, 2));
        orr_status st = launch_rows(&w.r, 0, w.r.dim[0], (void *[]){ x, ix, got }, base, NULL);
        char number[32];
        (void)snprintf(number, sizeof number, "index %lld ", (long long)bad[i]);
        ORR_CHECK(st == ORR_EINDEX);
        ORR_CHECK_MSG(strstr(orr_error_message(), number) && strstr(orr_error_message(), "user.c:7") &&
                          strstr(orr_error_message(), "axis 0") && strstr(orr_error_message(), "5"),
                      "%s", orr_error_message());
    }
}

static void scatter_add_adds_in_every_dtype(void)
{
    whole w;
    orr_shape s = ORR_SHAPE(3, 4, 5);
    for (int t = ORR_I8; t <= ORR_F64; t++)
        for (int axis = 0; axis < 3; axis++) {
            orr_dtype d = (orr_dtype)t;
            orr_shape u = taken(s, axis, ORR_SHAPE(9));
            int64_t inner = axis == 0 ? 20 : axis == 1 ? 5 : 1, len = s.dim[axis];
            begin_whole(&w, &orr__op_scatter_add, d, s);
            w.r.call.attr.axis = axis;
            input(&w, d, s);
            input(&w, ORR_I32, ORR_SHAPE(9));
            input(&w, d, u);
            void *x = small_numbers(d, 60), *up = small_numbers(d, w.in_count[2]), *got = small_numbers(d, 60);
            int32_t ix[9];
            double want[60];
            indices(ix, ORR_I32, 9, len);
            for (int64_t e = 0; e < 60; e++)
                want[e] = value_at(x, d, e);
            for (int64_t e = 0; e < w.in_count[2]; e++) {
                int64_t i = ix[e / inner % 9];
                want[(e / (inner * 9) * len + (i < 0 ? i + len : i)) * inner + e % inner] += value_at(up, d, e);
            }
            ORR_CHECK(launch_rows(&w.r, 0, w.r.dim[0], (void *[]){ x, ix, up }, got, NULL) == ORR_OK);
            for (int64_t e = 0; e < 60; e++)
                ORR_CHECK(value_at(got, d, e) == want[e]);
            free(x);
            free(up);
            free(got);
        }
}

/* -- concat ---------------------------------------------------------------------------------------------------- */

static void concat_joins_along_any_axis(void)
{
    whole w;
    for (int axis = 0; axis < 3; axis++)
        for (int cuts = 1; cuts < 4; cuts++) {
            orr_shape s[3] = { ORR_SHAPE(2, 3, 4), ORR_SHAPE(2, 3, 4), ORR_SHAPE(2, 3, 4) }, o = s[0];
            s[1].dim[axis] = 0;
            s[2].dim[axis] = 5;
            o.dim[axis] += 5;
            begin_whole(&w, &orr__op_concat, ORR_I32, o);
            w.r.call.attr.axis = axis;
            int32_t *x[3], *got = small_numbers(ORR_I32, w.r.out_count);
            for (int k = 0; k < 3; k++) {
                input(&w, ORR_I32, s[k]);
                x[k] = small_numbers(ORR_I32, w.in_count[k]);
            }
            for (int c = 0; c < cuts; c++)
                ORR_CHECK(launch_rows(&w.r, o.dim[0] * c / cuts, o.dim[0] * (c + 1) / cuts, (void **)x, got, NULL) ==
                          ORR_OK);
            for (int64_t e = 0; e < w.r.out_count; e++) {
                int64_t i[3] = { e / (o.dim[1] * o.dim[2]), e / o.dim[2] % o.dim[1], e % o.dim[2] };
                int k = i[axis] < s[0].dim[axis] ? 0 : 2;
                i[axis] -= k ? s[0].dim[axis] : 0;
                ORR_CHECK(got[e] == x[k][(i[0] * s[k].dim[1] + i[1]) * s[k].dim[2] + i[2]]);
            }
            for (int k = 0; k < 3; k++)
                free(x[k]);
            free(got);
        }
}

/* Joins two inputs of a and b columns, in rows of 70, by dtype. */
static void join_columns(orr_dtype t, int64_t a, int64_t b)
{
    enum { ROWS = 70 };
    whole w;
    size_t z = orr_dtype_size(t);
    orr_shape s[2] = { ORR_SHAPE(ROWS, a), ORR_SHAPE(ROWS, b) };
    begin_whole(&w, &orr__op_concat, t, ORR_SHAPE(ROWS, a + b));
    w.r.call.attr.axis = 1;
    char *x[2], *got = small_numbers(t, w.r.out_count);
    for (int k = 0; k < 2; k++) {
        input(&w, t, s[k]);
        x[k] = small_numbers(t, w.in_count[k]);
        for (size_t i = 0; i < (size_t)w.in_count[k] * z; i++)
            x[k][i] = (char)(i * 7 + (size_t)k);
    }
    for (int c = 0; c < 3; c++)
        ORR_CHECK(launch_rows(&w.r, ROWS * c / 3, ROWS * (c + 1) / 3, (void **)x, got, NULL) == ORR_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        const char *row = got + (size_t)(i * (a + b)) * z;
        ORR_CHECK(memcmp(row, x[0] + (size_t)(i * a) * z, (size_t)a * z) == 0);
        ORR_CHECK(memcmp(row + (size_t)a * z, x[1] + (size_t)(i * b) * z, (size_t)b * z) == 0);
    }
    for (int k = 0; k < 2; k++)
        free(x[k]);
    free(got);
}

static void concat_copies_runs_of_any_length(void)
{
    for (int64_t a = 1; a < 12; a++)
        for (int64_t b = 1; b < 6; b++) {
            join_columns(ORR_F16, a, b);
            join_columns(ORR_F32, a, b);
            join_columns(ORR_F64, b, a);
        }
}

static void backend_describes_itself(void)
{
    ORR_CHECK(strstr(orr__cpu_describe(), "kernels"));
    int n = orr__cpu_blas_get_threads();
    orr__cpu_blas_threads(1);
    ORR_CHECK(orr__cpu_blas_get_threads() == 1);
    orr__cpu_blas_threads(n);
    ORR_CHECK(orr__cpu_blas_get_threads() == n);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(an_index_out_of_range_is_an_error), ORR_TEST(scatter_add_adds_in_every_dtype),
        ORR_TEST(concat_joins_along_any_axis),       ORR_TEST(concat_copies_runs_of_any_length),
        ORR_TEST(backend_describes_itself),          { 0 },
    };
    return orr_test_main(argc, argv, "codelets.cpu_whole", tests);
}
