/* Work on the tiles of a matrix product: the nodes that are fused into it, and the same values as without fusion.
 * Must not know: how a product is computed. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "ops/ops.h"
#include "runtime/base/env.h"
#include "runtime/plan/plan.h"
#include "tests/harness/ops_help.h"

/* -- regions ------------------------------------------------------------------------------------------------ */

static orr__regions regions_of(orr_tensor *const *t, int n, int how)
{
    orr__site here = { "t.c", 1, "test" };
    orr__capture p;
    orr__regions rs;
    orr__node *node[8];
    memset(&rs, 0, sizeof rs);
    for (int i = 0; i < n; i++)
        node[i] = orr__handle_node(t[i]);
    ORR_CHECK(orr__capture_make(here, node, n, &p) == ORR_OK);
    ORR_CHECK_MSG(orr__fuse(here, &p, how, &rs) == ORR_OK, "%s", orr_error_message());
    orr__capture_free(&p);
    return rs;
}

static orr_tensor *filled(orr_dtype dtype, orr_shape shape, int seed)
{
    unsigned long long state = (unsigned long long)seed;
    int64_t n = orr__shape_count(&shape);
    float *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = (float)(int)(orr_test_rand(&state) % 7) - 3.0f;
    orr_tensor *t = v ? orr_cast(orr_from(ORR_F32, shape, v), dtype) : NULL;
    free(v);
    return t && orr_eval(t) == ORR_OK ? t : NULL;
}

/* The number of regions of a graph; *why: its reasons, which the caller frees. */
static int count(orr_tensor *const *t, int n, int how, const char *label, char **why)
{
    orr__regions rs = regions_of(t, n, how);
    bool found = label == NULL;
    size_t size = 0;
    FILE *to = why ? open_memstream(why, &size) : NULL;
    for (int i = 0; i < rs.n; i++)
        found = found || !strcmp(rs.region[i].label, label);
    for (int i = 0; i < rs.nreason && to; i++)
        fprintf(to, "%s\n", rs.reason[i]);
    if (to)
        (void)fclose(to);
    ORR_CHECK_MSG(found, "no region \"%s\" but \"%s\"", label ? label : "", rs.n ? rs.region[0].label : "");
    int regions = rs.n;
    orr__regions_free(&rs);
    return regions;
}

static void bias_and_activation_go_into_the_product(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = filled(ORR_F32, ORR_SHAPE(8, 4), 1), *b = filled(ORR_F32, ORR_SHAPE(4, 6), 2);
    orr_tensor *bias = filled(ORR_F32, ORR_SHAPE(6), 3), *z = orr_add(orr_matmul(a, b), bias);
    orr_tensor *y[3] = { orr_relu(z), z, orr_matmul(a, b) };
    ORR_CHECK(count(y, 1, ORR__FUSE_TILES, "matmul+add+relu", NULL) == 1);
    ORR_CHECK(count(y, 1, ORR__FUSE_ROWS, "matmul", NULL) == 2);
    ORR_CHECK(count(y, 2, ORR__FUSE_TILES, "matmul+add+relu", NULL) == 1);            /* also the value before relu */
    ORR_CHECK(count(y, 3, ORR__FUSE_TILES, "matmul+add+relu", NULL) == 1);            /* also the product itself    */
    orr_tensor *row = orr_add(orr_matmul(filled(ORR_F32, ORR_SHAPE(4), 4), b), bias); /* (1, 6) seen as (6) */
    ORR_CHECK(count(&row, 1, ORR__FUSE_TILES, "matmul+add", NULL) == 1);
    orr_tensor *half = orr_cast(orr_mul(orr_matmul(a, b), orr_rand(ORR_F32, ORR_SHAPE(8, 6), 0, 1)), ORR_F16);
    ORR_CHECK(count(&half, 1, ORR__FUSE_TILES, "matmul+random+mul+cast", NULL) == 1);
    orr_tensor *two = orr_add(orr_matmul(a, b), orr_matmul(orr_neg(a), b)); /* -a, one product, the other with + */
    ORR_CHECK(count(&two, 1, ORR__FUSE_TILES, "matmul+add", NULL) == 3);
    (void)orr_scope_end(s);
}

static double bytes_of(orr_tensor *t)
{
    orr__regions rs = regions_of(&t, 1, ORR__FUSE_TILES);
    double bytes = rs.n == 1 ? rs.region[0].bytes : -1;
    orr__regions_free(&rs);
    return bytes;
}

/* Otherwise a batch of a data set would be predicted to take as long as the whole set. */
static void a_slice_costs_what_is_read_of_it(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *data = filled(ORR_F32, ORR_SHAPE(1000, 20), 1), *w = filled(ORR_F32, ORR_SHAPE(20, 16), 2);
    orr_tensor *batch = orr_slice_axis(data, 0, 64, 128, 1);
    ORR_CHECK(bytes_of(orr_relu(orr_matmul(batch, w))) == 4.0 * (64 * 20 + 20 * 16 + 64 * 16));
    ORR_CHECK(bytes_of(orr_matmul(orr_slice_axis(w, 1, 0, 4, 1), orr_slice_axis(w, 0, 0, 4, 1))) ==
              4.0 * (20 * 4 + 4 * 16 + 320));
    ORR_CHECK(bytes_of(orr_neg(batch)) == 4.0 * 2 * 64 * 20);
    ORR_CHECK(bytes_of(orr_mul(batch, orr_slice_axis(data, 0, 5, 6, 1))) == 4.0 * (2 * 64 * 20 + 20));
    ORR_CHECK(bytes_of(orr_mul(batch, orr_slice_axis(data, 0, 128, 192, 1))) == 4.0 * 3 * 64 * 20);
    ORR_CHECK(bytes_of(orr_sum(orr_square(batch), ORR_AXES(1), false)) == 4.0 * (64 * 20 + 64));
    (void)orr_scope_end(s);
}

static void batches_with_one_right_factor_are_one_product(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = filled(ORR_F32, ORR_SHAPE(5, 8, 4), 1), *b = filled(ORR_F32, ORR_SHAPE(4, 6), 2);
    orr_tensor *y = orr_add(orr_matmul(a, b), filled(ORR_F32, ORR_SHAPE(6), 3));
    orr__regions rs = regions_of(&y, 1, ORR__FUSE_TILES);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 3 && rs.region[0].dim[0] == 40);
    orr__regions_free(&rs);
    y = orr_add(orr_matmul(a, b), filled(ORR_F32, ORR_SHAPE(8, 1), 3)); /* differs from row to row of a batch */
    rs = regions_of(&y, 1, ORR__FUSE_TILES);
    ORR_CHECK(rs.n == 1 && rs.region[0].rank == 4);
    orr__regions_free(&rs);
    (void)orr_scope_end(s);
}

/* Reshapes that mix axes one by one, but not together. */
static void reshapes_to_a_square_and_back(void)
{
    static const int64_t way[][2] = { { 3, 3 }, { 9, 1 }, { 1, 9 } };
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = filled(ORR_F32, ORR_SHAPE(1, 5), 1), *b = filled(ORR_F32, ORR_SHAPE(5, 9), 2);
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        float product[9], got[9];
        ORR_REQUIRE(orr_read(orr_matmul(a, b), product, sizeof product) == ORR_OK);
        orr_tensor *y = orr_reshape(orr_matmul(a, b), ORR_SHAPE(9));
        y = orr_reshape(orr_reshape(y, ORR_SHAPE(way[k][0], way[k][1])), ORR_SHAPE(9));
        y = orr_mul(y, orr_scalar(2.0));
        ORR_CHECK(count(&y, 1, ORR__FUSE_TILES, "matmul+mul", NULL) == 1);
        ORR_CHECK_MSG(orr_read(y, got, sizeof got) == ORR_OK, "%s", orr_error_message());
        for (int i = 0; i < 9; i++)
            ORR_CHECK(got[i] == 2 * product[i]);
    }
    (void)orr_scope_end(s);
}

static void refusals_have_reasons(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = filled(ORR_F32, ORR_SHAPE(8, 8), 1), *b = filled(ORR_F32, ORR_SHAPE(8, 8), 2);
    struct {
        orr_tensor *t;
        int regions;
        const char *why;
    } k[] = {
        { orr_exp(orr_transpose(orr_matmul(a, b))), 2, "does not read it element by element" },
        { orr_softmax(orr_add(orr_matmul(a, b), a), -1), 2, "folds rows" },
        { orr_sum(orr_matmul(a, b), ORR_ALL_AXES, false), 2, "its reader is a reduction" },
        { orr_add(orr_matmul(a, b), orr_matmul(b, a)), 2, "has a product already" },
        { orr_mul(orr_matmul(a, b), orr_exp(orr_matmul(orr_matmul(a, b), b))), 2, NULL },
    };
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        char *why = NULL;
        int n = count(&k[i].t, 1, ORR__FUSE_TILES, NULL, &why);
        ORR_CHECK_MSG(n == k[i].regions, "case %d: %d regions", (int)i, n);
        ORR_CHECK_MSG(!k[i].why || (why && strstr(why, k[i].why)), "case %d: %s", (int)i, why ? why : "");
        free(why);
    }
    (void)orr_scope_end(s);
}

/* -- values ------------------------------------------------------------------------------------------------- */

typedef struct {
    orr_dtype dtype;
    int act, bias, turned; /* bit 0: a is transposed, bit 1: b is */
    int64_t batch, m, n, k;
} kase;

enum { ACTS = 12, BIASES = 8 };

static orr_tensor *activated(orr_tensor *z, int act)
{
    switch (act) {
    case 0: return orr_relu(z);
    case 1: return orr_gelu(z);
    case 2: return orr_gelu_tanh(z);
    case 3: return orr_silu(z);
    case 4: return orr_sigmoid(z);
    case 5: return orr_tanh(z);
    case 6: return orr_softplus(z);
    case 7: return orr_mish(z);
    case 8: return orr_hardswish(z);
    case 9: return orr_elu(z, 1);
    case 10: return orr_leaky_relu(z, 0.01);
    default: return orr_where(orr_greater(z, orr_scalar(0)), z, orr_neg(z));
    }
}

static orr_tensor *with_bias(const kase *k, orr_tensor *z)
{
    orr_dtype t = k->dtype;
    switch (k->bias) {
    case 0: return z;
    case 1: return orr_add(z, filled(t, ORR_SHAPE(k->n), 3));
    case 2: return orr_add(z, filled(t, ORR_SHAPE(k->m, 1), 4));
    case 3: return orr_add(orr_mul(z, orr_scalar(0.125)), filled(t, ORR_SHAPE(k->m, k->n), 5));
    case 4: return orr_sub(orr_transpose(filled(t, ORR_SHAPE(k->n, k->m), 6)), z);
    case 5: return orr_mul(z, orr_cast(orr_bernoulli(orr_tensor_shape(z), 0.5), t));
    case 6: return orr_add(z, filled(t, orr_tensor_shape(z), 7)); /* another one for each batch */
    default: return orr_tril(z, 1);
    }
}

/* Two results of one product; the second has the first as its input. */
static void build(const kase *k, orr_tensor **y)
{
    orr_shape a = ORR_SHAPE(k->m, k->k), b = ORR_SHAPE(k->k, k->n);
    if (k->turned & 1)
        a = ORR_SHAPE(k->k, k->m);
    if (k->batch)
        a = ORR_SHAPE(k->batch, a.dim[0], a.dim[1]);
    if (k->turned & 2)
        b = k->batch ? ORR_SHAPE(k->batch, k->n, k->k) : ORR_SHAPE(k->n, k->k);
    orr_tensor *x = filled(k->dtype, a, 1), *w = filled(k->dtype, b, 2);
    orr_seed(9);
    y[0] = with_bias(k, orr_matmul(k->turned & 1 ? orr_transpose(x) : x, k->turned & 2 ? orr_transpose(w) : w));
    y[1] = activated(y[0], k->act);
}

/* The bytes of both results in sequence, or of the second alone; NULL after a failed check. */
static unsigned char *computed(const kase *k, bool both, size_t *size)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y[2];
    build(k, y);
    size_t one = (size_t)orr_tensor_size(y[1]) * orr_dtype_size(k->dtype);
    unsigned char *to = malloc(2 * one + 1);
    bool ok = to && (both ? orr_eval_all(y, 2) : orr_eval(y[1])) == ORR_OK && orr_read(y[1], to, one) == ORR_OK;
    ok = ok && (!both || orr_read(y[0], to + one, one) == ORR_OK);
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    *size = both ? 2 * one : one;
    (void)orr_scope_end(s);
    return to;
}

static void check_reference(const kase *k, const unsigned char *got)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y[2];
    build(k, y);
    orr__scalar *want = help_reference(y[1]);
    int64_t n = orr_tensor_size(y[1]);
    for (int64_t i = 0; want && i < n; i++) {
        orr__scalar v = orr__scalar_load(got + (size_t)i * orr_dtype_size(k->dtype), k->dtype);
        if (!help_same(k->dtype, v, want[i], 4, 1)) {
            ORR_CHECK_MSG(false, "%s, activation %d, bias %d: element %lld is %.9g, not %.9g", orr_dtype_name(k->dtype),
                          k->act, k->bias, (long long)i, v.f, want[i].f);
            break;
        }
    }
    free(want);
    (void)orr_scope_end(s);
}

/* Small integers: every product is exact, so all variants must agree to the bit. */
static bool agrees(const kase *k)
{
    bool ok = true;
    for (int both = 0; both < 2; both++) {
        size_t n, m;
        orr__env.fuse = false;
        unsigned char *apart = computed(k, both, &n);
        orr__env.fuse = true;
        unsigned char *fused = computed(k, both, &m);
        bool same = apart && fused && n == m && !memcmp(apart, fused, n);
        ORR_CHECK_MSG(same, "%s, activation %d, bias %d, turned %d, %lld × (%lld, %lld, %lld)",
                      orr_dtype_name(k->dtype), k->act, k->bias, k->turned, (long long)k->batch, (long long)k->m,
                      (long long)k->n, (long long)k->k);
        if (fused && same && !both)
            check_reference(k, fused);
        free(apart);
        free(fused);
        ok = ok && same;
    }
    return ok;
}

static const orr_dtype floats[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };

static void every_activation_and_dtype_as_without_fusion(void)
{
    for (int t = 0; t < 4; t++)
        for (int act = 0; act < ACTS; act++)
            for (int bias = 0; bias < BIASES; bias++) {
                kase k = { floats[t], act, bias, (act + bias) % 4, bias % 3 ? 0 : 3, 9, 13, 5 };
                if (!agrees(&k))
                    return;
            }
}

static void every_layout_as_without_fusion(void)
{
    static const int64_t size[][4] = { { 0, 1, 1, 1 }, { 0, 1, 40, 3 },   { 0, 40, 1, 3 },
                                       { 2, 1, 7, 4 }, { 3, 5, 1, 1 },    { 0, 6, 5, 0 },
                                       { 2, 3, 4, 0 }, { 0, 700, 33, 9 }, { 2, 600, 300, 4 } };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int turned = 0; turned < 4; turned++)
            for (int bias = 0; bias < BIASES; bias++) {
                kase k = {
                    floats[(i + (size_t)bias) % 4], bias, bias, turned, size[i][0], size[i][1], size[i][2], size[i][3]
                };
                if (!agrees(&k))
                    return;
            }
}

/* A product large enough for several panels. */
static void panels_as_one(void)
{
    for (int t = 0; t < 4; t += 2) {
        kase k = { floats[t], 0, 1 + t, t, 0, 1100, 1030, 3 };
        (void)agrees(&k);
    }
}

static void compiled_as_interpreted(void)
{
    int jit = orr__env.jit;
    for (int bias = 1; bias < BIASES; bias++)
        for (int batch = 0; batch <= 4; batch += 4) {
            kase k = { floats[bias % 4], bias, bias, batch ? 1 : 3, batch, 30, 40, 8 };
            if (batch) { /* large enough for a launch per batch, with the places of its own operands */
                k.m = 260;
                k.n = 64;
                k.k = 48;
            }
            size_t n, m;
            orr__env.jit = ORR__JIT_OFF;
            orr__plan_cache_clear();
            unsigned char *slow = computed(&k, true, &n);
            orr__env.jit = ORR__JIT_WAIT;
            orr__plan_cache_clear();
            unsigned char *fast = computed(&k, true, &m);
            ORR_CHECK_MSG(slow && fast && n == m && !memcmp(slow, fast, n), "%s, bias %d, batch %d",
                          orr_dtype_name(k.dtype), bias, batch);
            free(slow);
            free(fast);
        }
    orr__env.jit = jit;
    orr__plan_cache_clear();
}

/* A product of several tiles and tasks, if there are workers. */
static void tiles_as_one(void)
{
    int64_t tile = orr__env.tile_us, inline_us = orr__env.inline_us;
    orr__env.tile_us = 1;
    orr__env.inline_us = 0;
    for (int bias = 0; bias < BIASES; bias++) {
        kase k = { floats[bias % 4], bias, bias, bias % 4, bias % 2 ? 4 : 0, 260, 64, 48 };
        if (!agrees(&k))
            break;
        for (int again = 0; again < 2; again++) { /* the same bits every time */
            size_t n, m;
            unsigned char *one = computed(&k, true, &n), *two = computed(&k, true, &m);
            ORR_CHECK(one && two && n == m && !memcmp(one, two, n));
            free(one);
            free(two);
        }
    }
    orr__env.tile_us = tile;
    orr__env.inline_us = inline_us;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(bias_and_activation_go_into_the_product),
        ORR_TEST(a_slice_costs_what_is_read_of_it),
        ORR_TEST(batches_with_one_right_factor_are_one_product),
        ORR_TEST(reshapes_to_a_square_and_back),
        ORR_TEST(refusals_have_reasons),
        ORR_TEST(every_activation_and_dtype_as_without_fusion),
        ORR_TEST(every_layout_as_without_fusion),
        ORR_TEST(panels_as_one),
        ORR_TEST(compiled_as_interpreted),
        ORR_TEST(tiles_as_one),
        { 0 },
    };
    return help_main(argc, argv, "fuse.product", tests);
}
