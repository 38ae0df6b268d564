/* Matrix products of every layout and dtype on the CPU, beside plain loops.
 * Must not know: StarPU, plans. */
#include "config.h"

#include <sys/resource.h>
#include "tests/harness/cpu_launch.h"

typedef struct {
    orr__region r;
    orr__access access[2];
    int32_t in[2];
    uint8_t in_dtype[2];
    int64_t in_count[2];
} product;

/* Sets the layout of operand o: its axes (the region's numbers) in the given order, outermost first. */
static void lay(product *p, int o, const int *axis, int n, int64_t pad, bool flip)
{
    orr__access *a = &p->access[o];
    int64_t count = 1;
    memset(a, 0, sizeof *a);
    a->input = o;
    for (int i = n - 1; i >= 0; i--) {
        int64_t dim = p->r.dim[axis[i]];
        a->stride[axis[i]] = count;
        count *= dim ? dim + (i == n - 1 ? pad : 0) : 1;
        if (flip && i == n - 2 && dim > 0) {
            a->offset += (dim - 1) * a->stride[axis[i]];
            a->stride[axis[i]] = -a->stride[axis[i]];
        }
    }
    p->in_count[o] = count;
}

static void begin(product *p, orr_dtype t, int nb, const int64_t *dim)
{
    memset(p, 0, sizeof *p);
    p->r = (orr__region){ .loops = ORR__LOOPS_PRODUCT,
                          .rank = nb + 3,
                          .naccess = 2,
                          .access = p->access,
                          .nin = 2,
                          .in = p->in,
                          .in_dtype = p->in_dtype,
                          .in_count = p->in_count,
                          .nout = 1,
                          .call.slot = -1,
                          .out_count = 1 };
    for (int d = 0; d < nb + 3; d++) {
        p->r.dim[d] = dim[d];
        p->r.out_count *= d < nb + 2 ? dim[d] : 1;
    }
    p->r.out_dtype[0] = p->in_dtype[0] = p->in_dtype[1] = (uint8_t)t;
}

static int64_t element(const product *p, int o, const int64_t *i)
{
    int64_t e = p->access[o].offset;
    for (int d = 0; d < p->r.rank; d++)
        e += i[d] * p->access[o].stride[d];
    return e;
}

static bool check_product(const product *p, orr_dtype t, const void *a, const void *b, const void *c)
{
    const orr__region *r = &p->r;
    int64_t i[ORR__REGION_RANK] = { 0 };
    for (int64_t e = 0; e < r->out_count; e++) {
        int64_t rest = e;
        for (int d = r->rank - 2; d >= 0; d--) {
            i[d] = rest % r->dim[d];
            rest /= r->dim[d];
        }
        double sum = 0;
        for (int64_t k = 0; k < r->dim[r->rank - 1]; k++) {
            i[r->rank - 1] = k;
            sum += value_at(a, t, element(p, 0, i)) * value_at(b, t, element(p, 1, i));
        }
        orr__scalar want = orr__is_int(t) ? orr__scalar_cast((orr__scalar){ .i = (int64_t)sum }, ORR_I64, t) /* wraps */
                                          : orr__scalar_cast((orr__scalar){ .f = sum }, ORR_F64, t);
        if (value_at(c, t, e) != orr__scalar_f64(want, t)) {
            ORR_CHECK_MSG(false, "%s: element %lld is %g, should be %g", orr_dtype_name(t), (long long)e,
                          value_at(c, t, e), sum);
            return false;
        }
    }
    ORR_CHECK(true);
    return true;
}

/* Computes in `cuts` ranges, into memory full of NaN. */
static bool multiply(const product *p, orr_dtype t, int cuts)
{
    void *in[2] = { small_numbers(t, p->in_count[0]), small_numbers(t, p->in_count[1]) };
    size_t bytes = (size_t)p->r.out_count * orr_dtype_size(t);
    char *c = malloc(bytes + 8);
    bool ok = c != NULL;
    if (ok)
        memset(c, 0xff, bytes + 8);
    for (int i = 0; i < cuts && ok; i++)
        ok = launch_rows(&p->r, p->r.dim[0] * i / cuts, p->r.dim[0] * (i + 1) / cuts, in, c, NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    ok = ok && check_product(p, t, in[0], in[1], c);
    for (int i = 0; i < 8 && ok; i++)
        ok = (unsigned char)c[bytes + (size_t)i] == 0xff;
    ORR_CHECK(ok);
    free(in[0]);
    free(in[1]);
    free(c);
    return ok;
}

static const orr_dtype factors[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16, ORR_I8, ORR_U16, ORR_I32, ORR_U32, ORR_I64 };
enum { FACTORS = sizeof factors / sizeof *factors };

static void matmul_of_every_layout(void)
{
    static const int64_t size[][3] = { { 5, 7, 3 },  { 1, 6, 9 },   { 8, 1, 4 },
                                       { 1, 1, 12 }, { 33, 17, 1 }, { 64, 20, 31 } };
    static const int order_a[2][2] = { { 0, 2 }, { 2, 0 } }, order_b[2][2] = { { 2, 1 }, { 1, 2 } };
    product p;
    for (int t = 0; t < FACTORS; t++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int way = 0; way < 64; way++) {
                begin(&p, factors[t], 0, size[s]);
                lay(&p, 0, order_a[way & 1], 2, way >> 1 & 1, way >> 2 & 1);
                lay(&p, 1, order_b[way >> 3 & 1], 2, way >> 4 & 1, way >> 5 & 1);
                if (!multiply(&p, factors[t], way % 3 + 1))
                    return;
            }
}

/* Sizes between BLAS' own limits, where a product may be several calls: uneven pieces on all sides, sums of several. */
static void matmul_in_pieces(void)
{
    static const int64_t size[][3] = { { 50, 130, 300 },  { 131, 67, 513 }, { 3, 1000, 999 }, { 700, 9, 777 },
                                       { 100, 320, 256 }, { 131, 259, 67 }, { 48, 197, 191 }, { 300, 64, 250 },
                                       { 64, 97, 450 },   { 50, 70, 900 },  { 17, 65, 1793 }, { 64, 64, 64 },
                                       { 48, 80, 256 },   { 150, 128, 33 } };
    static const int order_a[2][2] = { { 0, 2 }, { 2, 0 } }, order_b[2][2] = { { 2, 1 }, { 1, 2 } };
    product p;
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int way = 0; way < 8; way++) {
            begin(&p, ORR_F32, 0, size[s]);
            lay(&p, 0, order_a[way & 1], 2, way >> 1 & 1, false);
            lay(&p, 1, order_b[way >> 2 & 1], 2, way >> 1 & 1, false);
            if (!multiply(&p, ORR_F32, way % 3 + 1))
                return;
        }
}

/* Factors that must be converted or packed are converted piece by piece: long sums are correct, and no whole copies
 * are made. */
static void matmul_of_many_terms(void)
{
    static const int64_t dim[][3] = { { 1, 130, 66000 }, { 2, 1, 140000 }, { 1, 3, 70001 } };
    static const orr_dtype types[] = { ORR_F16, ORR_BF16, ORR_F32, ORR_F64 };
    product p;
    for (int s = 0; s < 3; s++)
        for (int t = s; t < 4; t += s ? 1 : 2) {
            struct rusage before, after;
            begin(&p, types[t], 0, dim[s]);
            lay(&p, 0, (const int[]){ 0, 2 }, 2, t & 1, t > 1);
            lay(&p, 1, (const int[]){ 2, 1 }, 2, 1, t > 1);
            void *in[2] = { small_numbers(types[t], p.in_count[0]), small_numbers(types[t], p.in_count[1]) };
            double c[2 * 130];
            (void)launch_rows(&p.r, 0, 0, in, c, NULL);
            ORR_CHECK(getrusage(RUSAGE_SELF, &before) == 0);
            ORR_CHECK_MSG(launch_rows(&p.r, 0, dim[s][0], in, c, NULL) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(getrusage(RUSAGE_SELF, &after) == 0);
            ORR_CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 20 << 10, "%ld kB of copies",
                          after.ru_maxrss - before.ru_maxrss);
            (void)check_product(&p, types[t], in[0], in[1], c);
            free(in[0]);
            free(in[1]);
        }
}

/* Each width of a tile, whole and partial vectors, up to the largest small product, and beyond. */
static void matmul_of_few_columns(void)
{
    static const orr_dtype types[] = { ORR_F32, ORR_F64, ORR_BF16 };
    static const int order_b[2][2] = { { 2, 1 }, { 1, 2 } };
    product p;
    for (int t = 0; t < 3; t++)
        for (int64_t n = 2; n <= 66; n += n < 20 ? 1 : 4)
            for (int64_t m = 2; m <= 17; m += 3)
                for (int way = 0; way < 2; way++) {
                    begin(&p, types[t], 0, (const int64_t[]){ m, n, n == 64 ? 64 : 7 + n % 13 });
                    lay(&p, 0, (const int[]){ 0, 2 }, 2, 0, false);
                    lay(&p, 1, order_b[way], 2, m == 5, false);
                    if (!multiply(&p, types[t], m == 2 ? 1 : 2))
                        return;
                }
}

/* Memory of exact sizes: the rows and the columns of the right factor in turn are contiguous. */
static void few_rows_of(orr_dtype t, int64_t m, int64_t n, int64_t k, bool across, bool add, const char *isa)
{
    int64_t lda = k + 1, ldb = across ? k + 2 : n + 3, ldc = n + 1, bad = 0;
    int64_t count[3] = { (m - 1) * lda + k, across ? (n - 1) * ldb + k : (k - 1) * ldb + n, (m - 1) * ldc + n };
    void *a = small_numbers(t, count[0]), *b = small_numbers(t, count[1]), *c = small_numbers(t, count[2]),
         *old = small_numbers(t, count[2]);
    memcpy(old, c, (size_t)count[2] * orr_dtype_size(t));
    const orr__small s = { a, b, c, 1, m, n, k, 0, lda, 1, 0, across ? 1 : ldb, across ? ldb : 1, ldc, add };
    orr__cpu_vec()->few[t == ORR_F64](&s);
    for (int64_t e = 0; e < count[2]; e++) {
        double sum = add || e % ldc >= n ? value_at(old, t, e) : 0;
        for (int64_t p = 0; p < k && e % ldc < n; p++)
            sum += value_at(a, t, e / ldc * lda + p) * value_at(b, t, p * s.b_row + e % ldc * s.b_col);
        bad += value_at(c, t, e) != sum;
    }
    ORR_CHECK_MSG(bad == 0, "%s, %lld x %lld x %lld%s%s, %s: %lld wrong elements", orr_dtype_name(t), (long long)m,
                  (long long)n, (long long)k, across ? ", across" : "", add ? ", added" : "", isa, (long long)bad);
    free(a);
    free(b);
    free(c);
    free(old);
}

static void products_of_few_rows(void)
{
    static const char *const isa[] = { "base", "v3", "v4" };
    static const int64_t n[] = { 1, 16, 17, 65, 130, 201 }, k[] = { 1, 15, 16, 33, 131, 4100 };
    for (int s = 0; s < 3; s++) {
        if (!orr__cpu_use(isa[s]))
            continue;
        for (int way = 0; way < 8; way++)
            for (int64_t m = 2 + way % 3; m < 16; m += 3)
                for (int i = 0; i < 6; i++)
                    few_rows_of(way & 1 ? ORR_F64 : ORR_F32, m, n[i], k[(i + m) % 6], way & 2, way & 4, isa[s]);
    }
    for (int wide = 0; wide < 2; wide++) /* from beyond the caches */
        few_rows_of(wide ? ORR_F64 : ORR_F32, 3, 701, 901, false, false, "its own");
    (void)orr__cpu_use(NULL);
}

/* By BLAS or by loops of our own, before and after the choice. */
static void matmul_of_few_rows(void)
{
    static const int order_a[2][2] = { { 0, 2 }, { 2, 0 } }, order_b[2][2] = { { 2, 1 }, { 1, 2 } };
    static const orr_dtype types[] = { ORR_F32, ORR_F64, ORR_F16 };
    product p;
    for (int t = 0; t < 3; t++)
        for (int64_t m = 2; m < 17; m += 3)
            for (int way = 0; way < 16; way++) {
                begin(&p, types[t], 0, (const int64_t[]){ m, 70 + 31 * (way % 3), 90 + 17 * m });
                lay(&p, 0, order_a[way & 1], 2, way >> 2 & 1, false);
                lay(&p, 1, order_b[way >> 1 & 1], 2, way >> 3 & 1, false);
                if (!multiply(&p, types[t], way % 2 + 1))
                    return;
            }
}

static void matmul_of_batches(void)
{
    static const int64_t dims[][5] = {
        { 3, 2, 4, 5, 6 }, { 5, 3, 3, 22, 17 }, { 2, 2, 9, 64, 64 }, { 1, 40, 2, 3, 4 }, { 3, 1, 17, 1, 5 }
    };
    product p;
    for (int t = 0; t < FACTORS; t++)
        for (int way = 0; way < 20; way++) {
            const int64_t *dim = dims[way / 4];
            begin(&p, factors[t], 2, dim);
            lay(&p, 0, way & 1 ? (const int[]){ 1, 0, 2, 4 } : (const int[]){ 0, 1, 4, 2 }, 4, 0, false);
            lay(&p, 1, way & 2 ? (const int[]){ 4, 3 } : (const int[]){ 0, 1, 4, 3 }, way & 2 ? 2 : 4, 0, false);
            if (!multiply(&p, factors[t], way % 4 + 1))
                return;
        }
}

/* An operand of one repeated element: strides 0. */
static void matmul_of_broadcasts(void)
{
    product p;
    for (int t = 0; t < FACTORS; t++)
        for (int way = 0; way < 4; way++) {
            begin(&p, factors[t], 0, (const int64_t[]){ 6, 5, 4 });
            lay(&p, 0, (const int[]){ 0, 2 }, way & 1 ? 1 : 2, 0, false);
            lay(&p, 1, (const int[]){ 2, 1 }, way & 2 ? 1 : 2, 0, false);
            if (!multiply(&p, factors[t], 1))
                return;
        }
}

static void matmul_of_nothing(void)
{
    static const int64_t dim[][3] = { { 3, 4, 0 }, { 0, 4, 5 }, { 3, 0, 5 }, { 0, 0, 0 } };
    product p;
    for (int t = 0; t < FACTORS; t++)
        for (int s = 0; s < 4; s++) {
            begin(&p, factors[t], 0, dim[s]);
            lay(&p, 0, (const int[]){ 0, 2 }, 2, 0, false);
            lay(&p, 1, (const int[]){ 2, 1 }, 2, 0, false);
            if (!multiply(&p, factors[t], 1))
                return;
        }
}

static void integer_products_wrap(void)
{
    product p;
    int8_t a[3] = { 100, 100, 100 }, b[3] = { 100, 7, 1 }, c = 0;
    begin(&p, ORR_I8, 0, (const int64_t[]){ 1, 1, 3 });
    lay(&p, 0, (const int[]){ 0, 2 }, 2, 0, false);
    lay(&p, 1, (const int[]){ 2, 1 }, 2, 0, false);
    ORR_CHECK(launch_rows(&p.r, 0, 1, (void *[]){ a, b }, &c, NULL) == ORR_OK);
    ORR_CHECK(c == (int8_t)(uint8_t)10800);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(matmul_of_every_layout),
        ORR_TEST(matmul_in_pieces),
        ORR_TEST(matmul_of_many_terms),
        ORR_TEST(products_of_few_rows),
        ORR_TEST(matmul_of_few_rows),
        ORR_TEST(matmul_of_few_columns),
        ORR_TEST(matmul_of_batches),
        ORR_TEST(matmul_of_broadcasts),
        ORR_TEST(matmul_of_nothing),
        ORR_TEST(integer_products_wrap),
        { 0 },
    };
    return orr_test_main(argc, argv, "codelets.cpu_matmul", tests);
}
