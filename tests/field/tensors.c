/* The public functions of the field pack beside GMP, known answers and points made by a script; refusals and their
 * messages.
 * Must not know: kernels. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

#ifdef HAVE_GMP
#include <gmp.h>
#endif

static unsigned long long seed = 31;

static bool begin(orr_scope **s)
{
    static bool begun;
    if (!begun)
        begun = orr_init(NULL) == ORR_OK;
    *s = orr_scope_begin();
    return begun && *s;
}

static const orr_dtype fields[2] = { ORR_FR254, ORR_FQ254 };

static orr_tensor *element(orr_dtype f, const char *text)
{
    return orr_reshape(orr_field_parse(f, &text, 1), ORR_SHAPE_0D);
}

/* The limbs of elements; valid while the scope is open. */
static const void *limbs(orr_tensor *t)
{
    return orr_data(orr_field_limbs(t));
}

static bool is(orr_tensor *x, int64_t i, const char *want)
{
    char text[ORR_FIELD_TEXT] = "";
    if (orr_field_text(x, i, text) != ORR_OK)
        printf("%s\n", orr_error_message());
    else if (strcmp(text, want) != 0)
        printf("%s, not %s\n", text, want);
    return strcmp(text, want) == 0;
}

static bool same(orr_tensor *x, orr_tensor *y)
{
    double v = 0;
    orr_status st = orr_item(orr_all(orr_equal(x, y), ORR_ALL_AXES, false), &v);
    if (st != ORR_OK)
        printf("%s\n", orr_error_message());
    return st == ORR_OK && v == 1;
}

/* -- known answers --------------------------------------------------------------------------------------------------- */

static void known_powers(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    orr_tensor *x = orr_field_pow(element(ORR_FR254, "7"), (uint64_t[4]){ 100 });
    orr_tensor *y = orr_field_pow(element(ORR_FR254, "0xb"), (uint64_t[4]){ 90 });
    ORR_CHECK(is(orr_mul(x, y), 0, "9192055152839282440913030839886167192405085982227993205325211644946726821020"));
    (void)orr_scope_end(s);
}

static void known_sum_of_multiples(void)
{
    enum { N = 1000 };
    orr_scope *s;
    static uint64_t k[N][4];
    ORR_REQUIRE(begin(&s));
    for (int i = 0; i < N; i++)
        k[i][0] = (uint64_t)i + 1;
    orr_tensor *scalars = orr_from(ORR_FR254, ORR_SHAPE(N), k);
    orr_tensor *points = orr_curve_multiply(ORR_G1, orr_curve_generator(ORR_G1), scalars);
    orr_tensor *z = orr_curve_msm(ORR_G1, points, scalars);
    ORR_CHECK(is(z, 0, "16652409288431843345827878098704751672816216909225321412024640667014731234531"));
    ORR_CHECK(is(z, 1, "7115767663493517574079120553440596052618020124464907008400419820176337840024"));
    ORR_CHECK(same(orr_curve_msm(ORR_G1, orr_zeros(ORR_FQ254, ORR_SHAPE(0, 2)), orr_zeros(ORR_FR254, ORR_SHAPE(0))),
                   orr_zeros(ORR_FQ254, ORR_SHAPE(2))));
    (void)orr_scope_end(s);
}

/* -- beside GMP ------------------------------------------------------------------------------------------------------- */

#ifdef HAVE_GMP
enum { ROW = 1000 };
static mpz_t prime, za[ROW], zb[ROW], expected;
static uint64_t la[ROW][4], lb[ROW][4];

static void draw(int f, bool no_zero)
{
    static const char *const text[] = { "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
                                        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47" };
    static bool begun;
    if (!begun) {
        mpz_inits(prime, expected, NULL);
        for (int i = 0; i < ROW; i++)
            mpz_inits(za[i], zb[i], NULL);
        begun = true;
    }
    mpz_set_str(prime, text[f], 16);
    for (int i = 0; i < 2 * ROW; i++) {
        mpz_t *z = i < ROW ? &za[i] : &zb[i - ROW];
        uint64_t l[5];
        for (int k = 0; k < 5; k++)
            l[k] = orr_test_rand(&seed);
        if (l[4] % 8)
            mpz_import(*z, 4, -1, 8, 0, 0, l);
        else
            mpz_set_ui(*z, l[0] % 3);
        if (l[4] % 16 == 0)
            mpz_sub(*z, prime, *z);
        mpz_mod(*z, *z, prime);
        if (no_zero && mpz_sgn(*z) == 0)
            mpz_set_ui(*z, 1);
        uint64_t *to = i < ROW ? la[i] : lb[i - ROW];
        memset(to, 0, sizeof la[0]);
        (void)mpz_export(to, NULL, -1, 8, 0, 0, *z);
    }
}

static bool equals(const uint64_t *v, const mpz_t w)
{
    uint64_t l[4] = { 0 };
    mpz_t z;
    mpz_init(z);
    mpz_mod(z, w, prime);
    (void)mpz_export(l, NULL, -1, 8, 0, 0, z);
    mpz_clear(z);
    return memcmp(l, v, sizeof l) == 0;
}

/* expected = function `what` of za[i], zb[i]. */
static void compute(int what, int i, const mpz_t e)
{
    switch (what) {
    case 0: mpz_add(expected, za[i], zb[i]); break;
    case 1: mpz_sub(expected, za[i], zb[i]); break;
    case 2: mpz_mul(expected, za[i], zb[i]); break;
    case 3: mpz_neg(expected, za[i]); break;
    case 4: mpz_mul(expected, za[i], za[i]); break;
    case 5: (void)mpz_invert(expected, za[i], prime); break;
    default: mpz_powm(expected, za[i], e, prime);
    }
}

static void functions(void)
{
    static const char *const name[] = { "add", "sub", "mul", "neg", "square", "inverse", "pow" };
    const int cases = getenv("ORR_TEST_FULL") ? 100000 : 10000;
    mpz_t e;
    mpz_init(e);
    for (int f = 0; f < 2; f++)
        for (int done = 0; done < cases; done += ROW) {
            orr_scope *s;
            ORR_REQUIRE(begin(&s));
            draw(f, true);
            uint64_t power[4] = { orr_test_rand(&seed), done % 3 ? orr_test_rand(&seed) : 0, 0,
                                  (uint64_t)done / ROW % 2 };
            mpz_import(e, 4, -1, 8, 0, 0, power);
            orr_tensor *x = orr_from(fields[f], ORR_SHAPE(ROW), la), *y = orr_from(fields[f], ORR_SHAPE(ROW), lb);
            orr_tensor *z[] = { orr_add(x, y), orr_sub(x, y),        orr_mul(x, y),          orr_neg(x),
                                orr_square(x), orr_field_inverse(x), orr_field_pow(x, power) };
            for (int what = 0; what < 7; what++) {
                const uint64_t(*v)[4] = limbs(z[what]);
                int bad = v ? 0 : ROW;
                for (int i = 0; v && i < ROW; i++) {
                    compute(what, i, e);
                    bad += !equals(v[i], expected);
                }
                ORR_CHECK_MSG(bad == 0, "%s of field %d: %d of %d differ; %s", name[what], f, bad, ROW,
                              v ? "" : orr_error_message());
            }
            (void)orr_scope_end(s);
        }
    mpz_clear(e);
}

static void broadcasting_and_views(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    draw(0, false);
    orr_tensor *x = orr_from(ORR_FR254, ORR_SHAPE(20, 1), la), *y = orr_from(ORR_FR254, ORR_SHAPE(30), lb);
    orr_tensor *z = orr_mul(x, y);
    ORR_REQUIRE(orr_tensor_shape(z).rank == 2);
    const uint64_t(*v)[4] = limbs(orr_permute(z, ORR_AXES(1, 0)));
    ORR_REQUIRE(v);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++) {
            mpz_mul(expected, za[i], zb[j]);
            ORR_CHECK(equals(v[j * 20 + i], expected));
        }
    (void)orr_scope_end(s);
}

static void sums_and_dots(void)
{
    orr_scope *s;
    for (int f = 0; f < 2; f++) {
        ORR_REQUIRE(begin(&s));
        draw(f, false);
        orr_tensor *x = orr_from(fields[f], ORR_SHAPE(10, 100), la), *y = orr_from(fields[f], ORR_SHAPE(10, 100), lb);
        const uint64_t(*row)[4] = limbs(orr_field_sum(x, -1));
        const uint64_t(*column)[4] = limbs(orr_field_sum(x, 0));
        const uint64_t(*dot)[4] = limbs(orr_field_dot(x, y));
        ORR_REQUIRE(row && column && dot);
        for (int i = 0; i < 10; i++) {
            mpz_t d;
            mpz_init(d);
            mpz_set_ui(expected, 0);
            for (int j = 0; j < 100; j++) {
                mpz_add(expected, expected, za[i * 100 + j]);
                mpz_addmul(d, za[i * 100 + j], zb[i * 100 + j]);
            }
            ORR_CHECK(equals(row[i], expected));
            ORR_CHECK(equals(dot[i], d));
            mpz_clear(d);
        }
        for (int j = 0; j < 100; j++) {
            mpz_set_ui(expected, 0);
            for (int i = 0; i < 10; i++)
                mpz_add(expected, expected, za[i * 100 + j]);
            ORR_CHECK(equals(column[j], expected));
        }
        (void)orr_scope_end(s);
    }
    /* A line that is summed in pieces: each element of a row of ROW occurs 71 times. */
    enum { TIMES = 71 };
    ORR_REQUIRE(begin(&s));
    orr_tensor *x = orr_from(ORR_FQ254, ORR_SHAPE(1, ROW), la), *y = orr_from(ORR_FQ254, ORR_SHAPE(1, ROW), lb);
    x = orr_reshape(orr_broadcast_to(x, ORR_SHAPE(TIMES, ROW)), ORR_SHAPE(TIMES * ROW));
    y = orr_reshape(orr_broadcast_to(y, ORR_SHAPE(TIMES, ROW)), ORR_SHAPE(TIMES * ROW));
    const uint64_t *dot = limbs(orr_field_dot(x, y)), *sum = limbs(orr_field_sum(x, 0));
    ORR_REQUIRE(dot && sum);
    mpz_set_ui(expected, 0);
    for (int i = 0; i < ROW; i++)
        mpz_addmul(expected, za[i], zb[i]);
    mpz_mul_ui(expected, expected, TIMES);
    ORR_CHECK(equals(dot, expected));
    mpz_set_ui(expected, 0);
    for (int i = 0; i < ROW; i++)
        mpz_add(expected, expected, za[i]);
    mpz_mul_ui(expected, expected, TIMES);
    ORR_CHECK(equals(sum, expected));
    (void)orr_scope_end(s);
}

/* The values of a polynomial at s·w^j, by Horner's rule in GMP. */
static void transforms(void)
{
    mpz_t w, at;
    mpz_inits(w, at, NULL);
    for (int k = 0; k <= 8; k++)
        for (int coset = 0; coset < 2; coset++) {
            orr_scope *s;
            ORR_REQUIRE(begin(&s));
            draw(0, false);
            const int n = 1 << k, rows = n <= ROW / 3 ? 3 : 1;
            orr_tensor *x = orr_from(ORR_FR254, ORR_SHAPE(rows, n), la);
            orr_tensor *shift = coset ? element(ORR_FR254, "7") : NULL, *y = orr_field_ntt(x, shift);
            const uint64_t(*v)[4] = limbs(y);
            ORR_REQUIRE(v);
            mpz_sub_ui(at, prime, 1);
            mpz_fdiv_q_2exp(at, at, (mp_bitcnt_t)k);
            mpz_set_ui(w, 5);
            mpz_powm(w, w, at, prime);
            for (int row = 0; row < rows; row++) {
                mpz_set_ui(at, coset ? 7 : 1);
                for (int j = 0; j < n; j++) {
                    mpz_set_ui(expected, 0);
                    for (int i = n - 1; i >= 0; i--) {
                        mpz_mul(expected, expected, at);
                        mpz_add(expected, expected, za[row * n + i]);
                        mpz_mod(expected, expected, prime);
                    }
                    ORR_CHECK(equals(v[row * n + j], expected));
                    mpz_mul(at, at, w);
                    mpz_mod(at, at, prime);
                }
            }
            ORR_CHECK(same(orr_field_ntt_inverse(y, shift), x));
            (void)orr_scope_end(s);
        }
    mpz_clears(w, at, NULL);
}

/* A long transform is computed in halves: its values beside those of the polynomial, at some positions. */
static void long_transforms(void)
{
    for (int k = 14; k <= 17; k++)
        for (int coset = 0; coset < 2; coset++) {
            orr_scope *s;
            ORR_REQUIRE(begin(&s));
            const int64_t n = (int64_t)1 << k;
            draw(0, false);
            orr_tensor *row = orr_from(ORR_FR254, ORR_SHAPE(512), la);
            orr_tensor *x = orr_reshape(orr_broadcast_to(row, ORR_SHAPE(n / 512, 512)), ORR_SHAPE(n));
            /* c[i] = row[i mod 512] + i */
            orr_tensor *count = orr_reshape(orr_arange(ORR_U64, 0, (double)n, 1), ORR_SHAPE(n, 1));
            count = orr_concat(ORR_TENSORS(count, orr_zeros(ORR_U64, ORR_SHAPE(n, 3))), 1);
            x = orr_add(x, orr_field_from_limbs(ORR_FR254, count));
            orr_tensor *shift = coset ? element(ORR_FR254, "7") : NULL, *y = orr_field_ntt(x, shift);
            mpz_sub_ui(expected, prime, 1);
            mpz_fdiv_q_2exp(expected, expected, (mp_bitcnt_t)k);
            uint64_t e[4] = { 0 };
            (void)mpz_export(e, NULL, -1, 8, 0, 0, expected);
            orr_tensor *w = orr_field_pow(element(ORR_FR254, "5"), e);
            for (int64_t j = 1; j < n; j += n / 5 + 3) {
                orr_tensor *place = orr_field_pow(w, (uint64_t[4]){ (uint64_t)j });
                place = coset ? orr_mul(place, shift) : place;
                ORR_CHECK(
                    same(orr_field_poly_eval(x, place), orr_reshape(orr_slice_axis(y, 0, j, j + 1, 1), ORR_SHAPE_0D)));
            }
            ORR_CHECK(same(orr_field_ntt_inverse(y, shift), x));
            (void)orr_scope_end(s);
        }
}

static void polynomials(void)
{
    for (int f = 0; f < 2; f++) {
        orr_scope *s;
        ORR_REQUIRE(begin(&s));
        draw(f, true);
        enum { N = 300, M = 70 };
        orr_tensor *c = orr_from(fields[f], ORR_SHAPE(N), la), *x = orr_from(fields[f], ORR_SHAPE(7, 10), lb);
        const uint64_t(*v)[4] = limbs(orr_field_poly_eval(c, x));
        ORR_REQUIRE(v);
        for (int j = 0; j < M; j++) {
            mpz_set_ui(expected, 0);
            for (int i = N - 1; i >= 0; i--) {
                mpz_mul(expected, expected, zb[j]);
                mpz_add(expected, expected, za[i]);
                mpz_mod(expected, expected, prime);
            }
            ORR_CHECK(equals(v[j], expected));
        }
        orr_tensor *d = orr_from(fields[f], ORR_SHAPE(M), lb);
        orr_field_division q = orr_field_poly_divide(c, d);
        /* c(t) = q(t)·d(t) + rest(t) at more points than the degree. */
        orr_tensor *t = orr_from(fields[f], ORR_SHAPE(N + 1), la);
        orr_tensor *sum = orr_add(orr_mul(orr_field_poly_eval(q.quotient, t), orr_field_poly_eval(d, t)),
                                  orr_field_poly_eval(q.remainder, t));
        ORR_CHECK(same(sum, orr_field_poly_eval(c, t)));
        ORR_CHECK(orr_tensor_shape(q.remainder).dim[0] == M - 1);
        (void)orr_scope_end(s);
    }
    /* A polynomial that is evaluated in pieces is 1 + x + … + x^(n-1) = (x^n - 1)/(x - 1). */
    orr_scope *s;
    enum { LONG = 40000 };
    ORR_REQUIRE(begin(&s));
    orr_tensor *one = element(ORR_FR254, "1"), *x = element(ORR_FR254, "123456789012345678901234567890");
    orr_tensor *c = orr_broadcast_to(one, ORR_SHAPE(LONG));
    orr_tensor *top = orr_sub(orr_field_pow(x, (uint64_t[4]){ LONG }), one);
    orr_tensor *quotient = orr_mul(top, orr_field_inverse(orr_sub(x, one)));
    ORR_CHECK(same(orr_field_poly_eval(c, x), quotient));
    (void)orr_scope_end(s);
}
#else
static void functions(void)
{
    ORR_SKIP("built without GMP");
}
#define broadcasting_and_views functions
#define sums_and_dots functions
#define transforms functions
#define long_transforms functions
#define polynomials functions
#endif

/* Rows of the table in one kernel, with constants, views, pads and choices. */
static void fused_arithmetic(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    orr_tensor *x = element(ORR_FR254, "5"), *y = element(ORR_FR254, "7");
    orr_tensor *z = orr_sub(orr_mul(orr_add(x, y), orr_square(x)), orr_neg(orr_mul(y, orr_scalar(-3))));
    ORR_CHECK(is(z, 0, "279")); /* 12·25 − (−(−21)) */
    ORR_CHECK(is(orr_sub(x, y), 0, "21888242871839275222246405745257275088548364400416034343698204186575808495615"));
    orr_tensor *row =
        orr_pad(orr_concat(ORR_TENSORS(orr_broadcast_to(x, ORR_SHAPE(2)), orr_reshape(y, ORR_SHAPE(1))), 0),
                ORR_INDEX(1), ORR_INDEX(2), 9);
    static const char *const want[] = { "9", "5", "5", "7", "9", "9" };
    for (int i = 0; i < 6; i++)
        ORR_CHECK(is(row, i, want[i]));
    orr_tensor *which = orr_equal(row, orr_scalar(5));
    orr_tensor *chosen = orr_where(which, orr_mul(row, orr_scalar(2)), orr_ones(ORR_FR254, ORR_SHAPE(6)));
    static const char *const got[] = { "1", "10", "10", "1", "1", "1" };
    for (int i = 0; i < 6; i++)
        ORR_CHECK(is(chosen, i, got[i]));
    ORR_CHECK(same(orr_slice(row, ORR_INDEX(ORR_END), ORR_INDEX(ORR_END), ORR_INDEX(-1)),
                   orr_take(row, orr_from(ORR_I64, ORR_SHAPE(6), (int64_t[]){ 5, 4, 3, 2, 1, 0 }), 0)));
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ORR_REQUIRE(f);
    ORR_CHECK(orr_print(f, orr_reshape(row, ORR_SHAPE(2, 3))) == ORR_OK);
    (void)fclose(f);
    ORR_CHECK_MSG(strcmp(text, "fr254 (2, 3)\n[[9 5 5]\n [7 9 9]]\n") == 0, "%s", text);
    free(text);
    (void)orr_scope_end(s);
}

/* -- hashes and trees --------------------------------------------------------------------------------------------------- */

static void hashes(void)
{
    FILE *f = fopen(orr_test_golden("field/poseidon.txt"), "r");
    char line[512], first[100], second[100];
    int t, seen = 0;
    ORR_REQUIRE(f);
    while (fgets(line, sizeof line, f)) {
        orr_scope *s;
        uint64_t x[16][4] = { { 0 } };
        if (sscanf(line, "%d %99s %99s", &t, first, second) != 3)
            continue;
        ORR_REQUIRE(begin(&s));
        for (int i = 0; i < t - 1; i++)
            x[i][0] = (uint64_t)i + 1;
        orr_tensor *h = orr_poseidon(orr_from(ORR_FR254, ORR_SHAPE(t - 1), x));
        ORR_CHECK(is(h, 0, first));
        seen++;
        (void)orr_scope_end(s);
    }
    (void)fclose(f);
    ORR_CHECK(seen == 16);
}

static void trees(void)
{
    for (int arity = 2; arity <= 5; arity++) {
        enum { MOST = 625 };
        static uint64_t leaf[MOST][4];
        orr_scope *s;
        ORR_REQUIRE(begin(&s));
        int64_t n = arity * arity * arity;
        for (int64_t i = 0; i < n; i++)
            leaf[i][0] = orr_test_rand(&seed);
        orr_tensor *leaves = orr_from(ORR_FR254, ORR_SHAPE(n), leaf), *tree = orr_merkle_tree(leaves, arity);
        orr_tensor *root = orr_merkle_root(tree), *level = leaves;
        for (int64_t m = n; m > 1; m /= arity)
            level = orr_poseidon(orr_reshape(level, ORR_SHAPE(m / arity, arity)));
        ORR_CHECK(same(root, orr_reshape(level, ORR_SHAPE_0D)));
        for (int64_t i = 0; i < n; i += 1 + n / 7) {
            double yes = 0, no = 1, elsewhere = 1;
            orr_tensor *value = orr_reshape(orr_slice_axis(leaves, 0, i, i + 1, 1), ORR_SHAPE_0D);
            orr_tensor *proof = orr_merkle_proof(tree, arity, i);
            ORR_CHECK(orr_item(orr_merkle_verify(root, value, i, proof), &yes) == ORR_OK && yes == 1);
            orr_tensor *wrong = orr_add(value, element(ORR_FR254, "1"));
            ORR_CHECK(orr_item(orr_merkle_verify(root, wrong, i, proof), &no) == ORR_OK && no == 0);
            ORR_CHECK(orr_item(orr_merkle_verify(root, value, (i + 1) % n, proof), &elsewhere) == ORR_OK &&
                      elsewhere == 0);
        }
        (void)orr_scope_end(s);
    }
}

/* -- points --------------------------------------------------------------------------------------------------------------- */

enum { POINTS = 24 };

/* Reads the scalars and points of a curve in points.txt, and the compressed forms as bytes. */
static int read_points(orr_curve c, uint64_t k[][4], uint64_t v[][16], unsigned char bytes[][64])
{
    FILE *f = fopen(orr_test_golden("field/points.txt"), "r");
    char line[1024], *word[8];
    int n = 0;
    while (f && fgets(line, sizeof line, f)) {
        const int g = c == ORR_G1 ? 1 : 2, words = 3 + 2 * g;
        int have = 0;
        for (char *w = strtok(line, " \n"); w && have < 8; w = strtok(NULL, " \n"))
            word[have++] = w;
        if (have != words || atoi(word[0]) != g || n == POINTS)
            continue;
        if (orr_read(orr_field_parse(ORR_FR254, (const char *const[]){ word[1] }, 1), k[n], sizeof k[n]) != ORR_OK ||
            orr_read(orr_field_parse(ORR_FQ254, (const char *const *)word + 2, 2 * g), v[n],
                     (size_t)(2 * g) * 4 * sizeof v[n][0]) != ORR_OK)
            break;
        for (int i = 0; i < 32 * g; i++) {
            unsigned b = 0;
            (void)sscanf(word[words - 1] + 2 * i, "%2x", &b);
            bytes[n][i] = (unsigned char)b;
        }
        n++;
    }
    if (f)
        (void)fclose(f);
    return n;
}

static void points(void)
{
    for (int c = 0; c < 2; c++) {
        static uint64_t k[POINTS][4], v[POINTS][16], tight[POINTS * 16];
        static unsigned char bytes[POINTS][64], packed[POINTS * 64];
        const orr_curve curve = (orr_curve)c;
        const size_t row = c == 0 ? 8 : 16, size = c == 0 ? 32 : 64;
        orr_scope *s;
        ORR_REQUIRE(begin(&s));
        ORR_REQUIRE(read_points(curve, k, v, bytes) == POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            memcpy(tight + i * row, v[i], row * 8);
            memcpy(packed + i * size, bytes[i], size);
        }
        orr_shape shape = c == 0 ? ORR_SHAPE(POINTS, 2) : ORR_SHAPE(POINTS, 2, 2);
        orr_tensor *scalar = orr_from(ORR_FR254, ORR_SHAPE(POINTS), k), *p = orr_from(ORR_FQ254, shape, tight);
        orr_tensor *g = orr_curve_generator(curve);
        ORR_CHECK(same(orr_curve_multiply(curve, g, scalar), p));
        /* Sums of neighbours, doubles and negatives are multiples by sums, doubles and negatives. */
        orr_tensor *next =
            orr_concat(ORR_TENSORS(orr_slice_axis(scalar, 0, 1, POINTS, 1), orr_slice_axis(scalar, 0, 0, 1, 1)), 0);
        orr_tensor *q = orr_concat(ORR_TENSORS(orr_slice_axis(p, 0, 1, POINTS, 1), orr_slice_axis(p, 0, 0, 1, 1)), 0);
        ORR_CHECK(same(orr_curve_add(curve, p, q), orr_curve_multiply(curve, g, orr_add(scalar, next))));
        ORR_CHECK(same(orr_curve_double(curve, p), orr_curve_multiply(curve, g, orr_add(scalar, scalar))));
        ORR_CHECK(same(orr_curve_neg(curve, p), orr_curve_multiply(curve, g, orr_neg(scalar))));
        orr_tensor *small = orr_from(ORR_U8, ORR_SHAPE(POINTS, (int64_t)size), packed);
        ORR_CHECK(same(orr_curve_compress(curve, p), small));
        ORR_CHECK(same(orr_curve_decompress(curve, small), p));
        ORR_CHECK(same(orr_curve_contains(curve, p), orr_ones(ORR_BOOL, ORR_SHAPE(POINTS))));
        ORR_CHECK(same(orr_curve_in_group(curve, p), orr_ones(ORR_BOOL, ORR_SHAPE(POINTS))));
        /* Σ k_i (k_i G) = (Σ k_i²) G */
        ORR_CHECK(same(orr_curve_msm(curve, p, scalar), orr_curve_multiply(curve, g, orr_field_dot(scalar, scalar))));
        (void)orr_scope_end(s);
    }
}

/* Σ k_i (m_i G) = (Σ k_i m_i) G, with enough points for several chunks. */
static void long_sums_of_multiples(void)
{
    enum { N = 140000, KINDS = 1000 };
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    uint64_t(*k)[4] = calloc(N, sizeof *k), (*m)[4] = calloc(KINDS, sizeof *m);
    int64_t *place = malloc(N * sizeof *place);
    ORR_REQUIRE(k && m && place);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 4; j++)
            k[i][j] = orr_test_rand(&seed) >> (j == 3 ? 3 : 0);
        place[i] = (int64_t)(orr_test_rand(&seed) % KINDS);
    }
    for (int i = 0; i < KINDS; i++)
        m[i][0] = orr_test_rand(&seed);
    orr_tensor *scalars = orr_from(ORR_FR254, ORR_SHAPE(N), k), *kinds = orr_from(ORR_FR254, ORR_SHAPE(KINDS), m);
    orr_tensor *at = orr_from(ORR_I64, ORR_SHAPE(N), place);
    scalars = orr_neg(scalars);
    orr_tensor *g = orr_curve_generator(ORR_G1);
    orr_tensor *points = orr_take(orr_curve_multiply(ORR_G1, g, kinds), at, 0);
    orr_tensor *want = orr_curve_multiply(ORR_G1, g, orr_field_dot(scalars, orr_take(kinds, at, 0)));
    ORR_CHECK(same(orr_curve_msm(ORR_G1, points, scalars), want));
    free(k);
    free(m);
    free(place);
    (void)orr_scope_end(s);
}

/* e(aG, bH) e(-abG, H) = 1 */
static void pairings(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    orr_tensor *a = element(ORR_FR254, "123456789"), *b = element(ORR_FR254, "987654321987654321");
    orr_tensor *g = orr_curve_generator(ORR_G1), *h = orr_curve_generator(ORR_G2);
    orr_tensor *ab = orr_neg(orr_mul(a, b));
    orr_tensor *p = orr_stack(ORR_TENSORS(orr_curve_multiply(ORR_G1, g, a), orr_curve_multiply(ORR_G1, g, ab)), 0);
    orr_tensor *q = orr_stack(ORR_TENSORS(orr_curve_multiply(ORR_G2, h, b), h), 0);
    double yes = 0, no = 1;
    ORR_CHECK(orr_item(orr_curve_pairing_check(p, q), &yes) == ORR_OK && yes == 1);
    q = orr_stack(ORR_TENSORS(orr_curve_multiply(ORR_G2, h, a), h), 0);
    ORR_CHECK(orr_item(orr_curve_pairing_check(p, q), &no) == ORR_OK && no == 0);
    (void)orr_scope_end(s);
}

/* -- refusals ------------------------------------------------------------------------------------------------------------- */

static void refused(orr_tensor *t, orr_status st, const char *words)
{
    orr_status got = orr_eval(t);
    ORR_CHECK_MSG(got == st, "%s, not %s", orr_status_name(got), orr_status_name(st));
    ORR_CHECK_MSG(strstr(orr_error_message(), words) != NULL, "%s: no \"%s\"", orr_error_message(), words);
}

static void refusals(void)
{
    static const uint64_t r[4] = { 0x43e1f593f0000001u, 0x2833e84879b97091u, 0xb85045b68181585du, 0x30644e72e131a029u };
    static const uint64_t off[2][4] = { { 1 }, { 3 } };
    uint64_t v[3][4] = { { 5 } };
    unsigned char bytes[2][32] = { { 1 }, { 4 } };
    double number;
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    memcpy(v[2], r, sizeof r);
    orr_tensor *x = orr_from(ORR_FQ254, ORR_SHAPE(3), v),
               *good = orr_from(ORR_FR254, ORR_SHAPE(2), v); /* r is below q */
    orr_tensor *point = orr_from(ORR_FQ254, ORR_SHAPE(2), off), *g = orr_curve_generator(ORR_G1);
    ORR_CHECK(orr_eval(orr_add(x, x)) == ORR_OK);
    refused(orr_from(ORR_FR254, ORR_SHAPE(3), v), ORR_EINDEX, "element 2 is not below the modulus of fr254");
    refused(orr_field_from_limbs(ORR_FR254, orr_from(ORR_U64, ORR_SHAPE(3, 4), v)), ORR_EINDEX,
            "element 2 is not below the modulus of fr254");
    refused(orr_field_from_limbs(ORR_FR254, orr_zeros(ORR_U64, ORR_SHAPE(3))), ORR_ESHAPE, "(…, 4)");
    refused(orr_field_from_limbs(ORR_U64, orr_zeros(ORR_U64, ORR_SHAPE(3, 4))), ORR_EDTYPE, "no field");
    refused(orr_wrap(ORR_FR254, ORR_SHAPE(2), v, NULL, NULL), ORR_EDTYPE, "orr_from");
    ORR_CHECK(!orr_data(good) && strstr(orr_error_message(), "orr_read"));
    ORR_CHECK(orr_item(orr_slice_axis(good, 0, 0, 1, 1), &number) == ORR_EDTYPE);
    ORR_CHECK(orr_save("field.npy", good) == ORR_EDTYPE && strstr(orr_error_message(), "orr_field_limbs"));
    ORR_CHECK(orr_save("field.csv", good) == ORR_EDTYPE);
    ORR_CHECK(orr_save("field.safetensors", good) == ORR_EDTYPE);
    refused(orr_cast(good, ORR_F32), ORR_EDTYPE, "fr254 does not become float32");
    refused(orr_cast(orr_zeros(ORR_F32, ORR_SHAPE(2)), ORR_FR254), ORR_EDTYPE, "float32 does not become fr254");
    refused(orr_add(good, orr_zeros(ORR_U64, ORR_SHAPE(2))), ORR_EDTYPE, "do not promote");
    refused(orr_add(good, orr_slice_axis(x, 0, 0, 2, 1)), ORR_EDTYPE, "fr254 and fq254 do not promote");
    refused(orr_add(good, orr_scalar(0.5)), ORR_EDTYPE, "0.5");
    refused(orr_full(ORR_FR254, ORR_SHAPE(2), 0.5), ORR_EDTYPE, "0.5");
    refused(orr_arange(ORR_FR254, 0, 3, 1), ORR_EDTYPE, "is a field");
    refused(orr_rand(ORR_FR254, ORR_SHAPE(2), 0, 1), ORR_EDTYPE, "is a field");
    refused(orr_less(good, good), ORR_EDTYPE, "fr254");
    refused(orr_exp(good), ORR_EDTYPE, "fr254");
    refused(orr_mean(good, ORR_AXES(0), false), ORR_EDTYPE, "fr254");
    refused(orr_max(good, ORR_AXES(0), false), ORR_EDTYPE, "fr254");
    refused(orr_matmul(orr_zeros(ORR_FR254, ORR_SHAPE(2, 2)), orr_zeros(ORR_FQ254, ORR_SHAPE(2, 2))), ORR_EDTYPE,
            "fr254");
    refused(orr_matmul(orr_zeros(ORR_FR254, ORR_SHAPE(2, 2)), orr_zeros(ORR_FR254, ORR_SHAPE(3, 2))), ORR_ESHAPE,
            "inner dimensions differ");
    refused(orr_sort(good, 0, false), ORR_EDTYPE, "fr254");
    refused(orr_add(good, orr_zeros(ORR_FR254, ORR_SHAPE(3))), ORR_ESHAPE, "broadcast");
    refused(orr_field_inverse(good), ORR_ENUMERIC, "element 1 is 0");
    refused(orr_field_ntt(orr_zeros(ORR_FR254, ORR_SHAPE(3)), NULL), ORR_ESHAPE, "power of two");
    refused(orr_field_ntt(x, NULL), ORR_EDTYPE, "fq254");
    refused(orr_field_ntt(good, element(ORR_FR254, "0")), ORR_ENUMERIC, "shift");
    refused(orr_field_poly_divide(good, good).quotient, ORR_ENUMERIC, "number 1, is 0");
    refused(orr_poseidon(orr_zeros(ORR_FR254, ORR_SHAPE(17))), ORR_ESHAPE, "1 to 16");
    refused(orr_poseidon(x), ORR_EDTYPE, "fq254");
    refused(orr_poseidon(orr_zeros(ORR_U64, ORR_SHAPE(2))), ORR_EDTYPE, "uint64");
    refused(orr_merkle_tree(orr_zeros(ORR_FR254, ORR_SHAPE(3)), 2), ORR_ESHAPE, "2^depth");
    refused(orr_merkle_proof(orr_merkle_tree(good, 2), 2, 2), ORR_EINDEX, "leaf 2");
    refused(orr_curve_add(ORR_G1, g, point), ORR_EINDEX, "point 0 of operand 1 is not on the curve");
    refused(orr_curve_msm(ORR_G1, orr_stack(ORR_TENSORS(g, point), 0), good), ORR_EINDEX, "point 1 of operand 0");
    refused(orr_curve_msm(ORR_G1, orr_stack(ORR_TENSORS(g, g, g), 0), x), ORR_EDTYPE, "fq254");
    refused(orr_curve_msm(ORR_G1, orr_stack(ORR_TENSORS(g, g, g), 0), good), ORR_ESHAPE, "(3, 2)");
    ORR_CHECK(same(orr_curve_contains(ORR_G1, orr_stack(ORR_TENSORS(g, point), 0)),
                   orr_from(ORR_BOOL, ORR_SHAPE(2), (bool[]){ true, false })));
    refused(orr_curve_decompress(ORR_G1, orr_from(ORR_U8, ORR_SHAPE(2, 32), bytes)), ORR_EINDEX, "bytes number 1");
    refused(orr_field_parse(ORR_U64, NULL, 0), ORR_EDTYPE, "no field");
    refused(orr_field_parse(ORR_FR254, (const char *const[]){ "1", "x" }, 2), ORR_EFORMAT, "text 1");
    refused(orr_field_parse(ORR_FR254, (const char *const[]){ "-1" }, 1), ORR_EFORMAT, "text 0");
    refused(orr_field_parse(
                ORR_FR254,
                (const char *const[]){ "0", "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001" }, 2),
            ORR_EINDEX, "element 1");
    (void)orr_scope_end(s);
}

/* On G2 a point of the curve may have an order other than r: 4 + 0u is the x of one. */
static void points_outside_the_group(void)
{
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    int found = 0;
    for (int x = 1; x < 20; x++) {
        unsigned char bytes[64] = { (unsigned char)x };
        double in = 1, on = 0;
        orr_tensor *p = orr_curve_decompress(ORR_G2, orr_from(ORR_U8, ORR_SHAPE(64), bytes));
        if (orr_eval(p) != ORR_OK)
            continue;
        ORR_CHECK(orr_item(orr_curve_contains(ORR_G2, p), &on) == ORR_OK && on == 1);
        ORR_CHECK(orr_item(orr_curve_in_group(ORR_G2, p), &in) == ORR_OK && in == 0);
        orr_tensor *g = orr_reshape(orr_curve_generator(ORR_G1), ORR_SHAPE(1, 2));
        refused(orr_curve_pairing_check(g, orr_reshape(p, ORR_SHAPE(1, 2, 2))), ORR_EINDEX, "order r");
        found++;
    }
    ORR_CHECK(found > 0);
    (void)orr_scope_end(s);
}

/* The number of plans that were made so far. */
static long plans(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool ok = f && orr_metrics_json(f) == ORR_OK && fclose(f) == 0;
    const char *at = ok ? strstr(text, "\"made\":") : NULL;
    long n = at ? strtol(at + 7, NULL, 10) : -1;
    free(text);
    return n;
}

static void texts_of_elements_make_no_plans(void)
{
    enum { N = 300 };
    int64_t v[N];
    orr_scope *s;
    ORR_REQUIRE(begin(&s));
    for (int i = 0; i < N; i++)
        v[i] = i - 150;
    orr_tensor *x = orr_square(orr_cast(orr_from(ORR_I64, ORR_SHAPE(N), v), ORR_FR254));
    ORR_CHECK(is(x, 0, "22500"));
    long before = plans();
    for (int i = 0; i < N; i++) {
        char want[32];
        (void)snprintf(want, sizeof want, "%d", (i - 150) * (i - 150));
        ORR_CHECK(is(x, i, want));
    }
    ORR_CHECK(before > 0 && plans() == before);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(texts_of_elements_make_no_plans),
        ORR_TEST(known_powers),
        ORR_TEST(known_sum_of_multiples),
        ORR_TEST(functions),
        ORR_TEST(broadcasting_and_views),
        ORR_TEST(sums_and_dots),
        ORR_TEST(transforms),
        ORR_TEST(long_transforms),
        ORR_TEST(polynomials),
        ORR_TEST(fused_arithmetic),
        ORR_TEST(hashes),
        ORR_TEST(trees),
        ORR_TEST(points),
        ORR_TEST(long_sums_of_multiples),
        ORR_TEST(pairings),
        ORR_TEST(refusals),
        ORR_TEST(points_outside_the_group),
        { 0 },
    };
    int rc = orr_test_main(argc, argv, "field.tensors", tests);
    orr_shutdown();
    return rc;
}
