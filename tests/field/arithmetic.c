/* Arithmetic of the BN254 fields, its transforms and polynomials, in every instruction set, beside GMP.
 * Must not know: tensors, curves. */
#include "config.h"

#ifndef HAVE_GMP
#include "tests/harness/harness.h"

static void fields(void)
{
    ORR_SKIP("built without GMP");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(fields), { 0 } };
    return orr_test_main(argc, argv, "field.arithmetic", tests);
}

#else

#include "tests/field/field_help.h"

enum { ROW = 500 };
static unsigned long long seed = 20;

/* -- known answers --------------------------------------------------------------------------------------------------- */

static void known_powers(void)
{
    mpz_t want, x;
    mpz_init(x);
    mpz_init_set_str(want, "9192055152839282440913030839886167192405085982227993205325211644946726821020", 10);
    FIELD_EACH_KIT(k)
    {
        orr__fe v[2];
        mpz_set_ui(x, 7);
        v[0] = field_from(ORR__FR, x);
        mpz_set_ui(x, 11);
        v[1] = field_from(ORR__FR, x);
        k->power(ORR__FR, &v[0], &v[0], (uint64_t[4]){ 100 }, 1);
        k->power(ORR__FR, &v[1], &v[1], (uint64_t[4]){ 90 }, 1);
        k->map(ORR__FR, ORR__FMUL, v, v, 1, v + 1, 1, 1);
        ORR_CHECK_MSG(field_is(ORR__FR, v, want), "%s", k->name);
    }
    mpz_clears(want, x, NULL);
}

static void values_from_the_modulus_on_are_refused(void)
{
    mpz_t p, x;
    mpz_inits(p, x, NULL);
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        FIELD_EACH_KIT(k)
        {
            unsigned char b[3 * 32], again[3 * 32];
            orr__fe z[3];
            mpz_sub_ui(x, p, 1);
            field_bytes(b, x);
            mpz_set_ui(x, 0);
            field_bytes(b + 32, x);
            mpz_sub_ui(x, p, 2);
            field_bytes(b + 64, x);
            ORR_CHECK(k->read((orr__field)f, z, b, 3) == -1);
            k->write((orr__field)f, again, z, 3);
            ORR_CHECK(memcmp(b, again, sizeof b) == 0);
            field_bytes(b + 32, p);
            ORR_CHECK(k->read((orr__field)f, z, b, 3) == 1);
            mpz_add_ui(x, p, 1);
            field_bytes(b + 32, x);
            ORR_CHECK(k->read((orr__field)f, z, b, 3) == 1);
            memset(b + 64, 255, 32);
            ORR_CHECK(k->read((orr__field)f, z, b + 64, 1) == 0);
        }
    }
    mpz_clears(p, x, NULL);
}

/* -- beside GMP --------------------------------------------------------------------------------------------------------- */

static mpz_t p, a[ROW], b[ROW], want[ROW];
static orr__fe ea[ROW], eb[ROW], got[ROW];

static void begin(void)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    mpz_init(p);
    for (int i = 0; i < ROW; i++)
        mpz_inits(a[i], b[i], want[i], NULL);
}

static void draw(orr__field f, bool no_zero)
{
    for (int i = 0; i < ROW; i++) {
        field_random(a[i], p, &seed);
        field_random(b[i], p, &seed);
        if (no_zero && mpz_sgn(a[i]) == 0)
            mpz_set_ui(a[i], 1);
        ea[i] = field_from(f, a[i]);
        eb[i] = field_from(f, b[i]);
    }
}

static int wrong(orr__field f)
{
    int n = 0;
    for (int i = 0; i < ROW; i++)
        n += !field_is(f, &got[i], want[i]);
    return n;
}

static void element_wise(void)
{
    static const char *const name[] = { "add", "sub", "mul", "neg", "square" };
    begin();
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        for (int done = 0; done < field_cases(20000); done += ROW) {
            draw((orr__field)f, false);
            for (int op = ORR__FADD; op <= ORR__FSQUARE; op++) {
                for (int i = 0; i < ROW; i++) {
                    if (op == ORR__FADD)
                        mpz_add(want[i], a[i], b[i]);
                    else if (op == ORR__FSUB)
                        mpz_sub(want[i], a[i], b[i]);
                    else if (op == ORR__FNEG)
                        mpz_neg(want[i], a[i]);
                    else
                        mpz_mul(want[i], a[i], op == ORR__FMUL ? b[i] : a[i]);
                    mpz_mod(want[i], want[i], p);
                }
                FIELD_EACH_KIT(k)
                {
                    k->map((orr__field)f, (orr__field_op)op, got, ea, 1, eb, 1, ROW);
                    int bad = wrong((orr__field)f);
                    ORR_CHECK_MSG(bad == 0, "%s of field %d, %s: %d of %d differ", name[op], f, k->name, bad, ROW);
                }
            }
        }
    }
}

static void strides_and_places(void)
{
    begin();
    field_prime(p, ORR__FR);
    draw(ORR__FR, false);
    FIELD_EACH_KIT(k)
    {
        orr__fe z[20], same[20];
        for (int n = 0; n <= 20; n++) {
            k->map(ORR__FR, ORR__FMUL, z, ea, 3, eb, 0, n);
            for (int i = 0; i < n; i++) {
                mpz_mul(want[0], a[3 * i], b[0]);
                mpz_mod(want[0], want[0], p);
                ORR_CHECK(field_is(ORR__FR, &z[i], want[0]));
            }
            memcpy(same, ea, sizeof same);
            k->map(ORR__FR, ORR__FSUB, same, same, 1, eb, 1, n);
            k->map(ORR__FR, ORR__FSUB, z, ea, 1, eb, 1, n);
            ORR_CHECK(memcmp(same, z, (size_t)n * sizeof *z) == 0);
        }
    }
}

static void inverses(void)
{
    begin();
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        for (int done = 0; done < field_cases(20000); done += ROW) {
            draw((orr__field)f, true);
            for (int i = 0; i < ROW; i++)
                ORR_CHECK(mpz_invert(want[i], a[i], p));
            FIELD_EACH_KIT(k)
            {
                ORR_CHECK(k->invert((orr__field)f, got, ea, ROW) == -1);
                int bad = wrong((orr__field)f);
                ORR_CHECK_MSG(bad == 0, "field %d, %s: %d of %d differ", f, k->name, bad, ROW);
            }
        }
    }
    FIELD_EACH_KIT(k)
    {
        static orr__fe z[1200];
        for (int i = 0; i < 1200; i++)
            z[i] = ea[i % ROW];
        memset(&z[700], 0, sizeof *z);
        memset(&z[1100], 0, sizeof *z);
        ORR_CHECK(k->invert(ORR__FQ, z, z, 1200) == 700);
        for (int i = 0; i < 1200; i++)
            if (i == 700 || i == 1100)
                ORR_CHECK((z[i].l[0] | z[i].l[1] | z[i].l[2] | z[i].l[3]) == 0);
            else
                ORR_CHECK(field_is(ORR__FQ, &z[i], want[i % ROW]));
    }
}

static void powers(void)
{
    begin();
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        for (int done = 0; done < field_cases(20000); done += ROW) {
            uint64_t e[4];
            mpz_t n;
            for (int i = 0; i < 4; i++)
                e[i] = orr_test_rand(&seed);
            for (int i = 1 + done / ROW % 4; i < 4; i++) /* one limb to four */
                e[i] = 0;
            if (done / ROW % 5 == 0)
                e[0] %= 20;
            mpz_init(n);
            mpz_import(n, 4, -1, 8, 0, 0, e);
            draw((orr__field)f, false);
            for (int i = 0; i < ROW; i++)
                mpz_powm(want[i], a[i], n, p);
            FIELD_EACH_KIT(k)
            {
                k->power((orr__field)f, got, ea, e, ROW);
                int bad = wrong((orr__field)f);
                ORR_CHECK_MSG(bad == 0, "field %d, %s: %d of %d differ", f, k->name, bad, ROW);
            }
            mpz_clear(n);
        }
    }
}

static void sums_and_dots(void)
{
    mpz_t s, d;
    begin();
    mpz_inits(s, d, NULL);
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        for (int n = 0, done = 0; done < field_cases(29); done++, n = n < 20 ? n + 1 : n < ROW ? n + 60 : 0) {
            if (done % ROW < 29)
                draw((orr__field)f, false);
            const int at = done % (ROW - n + 1);
            mpz_set_ui(s, 0);
            mpz_set_ui(d, 0);
            for (int i = 0; i < n; i++) {
                mpz_add(s, s, a[at + i]);
                mpz_addmul(d, a[at + i], b[i]);
            }
            mpz_mod(s, s, p);
            mpz_mod(d, d, p);
            FIELD_EACH_KIT(k)
            {
                orr__fe z;
                k->sum((orr__field)f, &z, ea + at, 1, n);
                ORR_CHECK(field_is((orr__field)f, &z, s));
                k->dot((orr__field)f, &z, ea + at, 1, eb, 1, n);
                ORR_CHECK(field_is((orr__field)f, &z, d));
            }
        }
    }
    mpz_clears(s, d, NULL);
}

/* -- transforms ----------------------------------------------------------------------------------------------------------- */

static void transform(const orr__fieldkit *k, const orr__ntt *t, orr__fe *z, const orr__fe *x)
{
    orr__fe *y = malloc(sizeof *y << t->k);
    void *work = aligned_alloc(64, orr__ntt_work(t));
    int64_t na = (int64_t)1 << t->ka, nb = (int64_t)1 << t->kb;
    if (t->ka == 0) {
        k->ntt_rows(t, z, 1, x, nb, 0, 1, work);
    } else { /* in uneven pieces, as in tasks */
        for (int64_t i = 0; i < nb; i += 11)
            k->ntt_columns(t, y, nb, x, i, i + 11 < nb ? i + 11 : nb, work);
        for (int64_t i = 0; i < na; i += 13)
            k->ntt_rows(t, z, na, y, nb, i, i + 13 < na ? i + 13 : na, work);
    }
    free(y);
    free(work);
}

/* X[j] = Σ x[i] (s w^j)^i with w = 5^((r - 1)/2^k), by Horner's rule in GMP at some positions j. */
static void check_transform(const orr__fieldkit *kit, int k, bool coset)
{
    const int64_t n = (int64_t)1 << k;
    orr__fe *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    mpz_t *v = malloc((size_t)n * sizeof *v), w, s, at, sum;
    orr__ntt t, back;
    mpz_inits(w, s, at, sum, NULL);
    field_prime(p, ORR__FR);
    mpz_sub_ui(at, p, 1);
    mpz_fdiv_q_2exp(at, at, (mp_bitcnt_t)k);
    mpz_set_ui(w, 5);
    mpz_powm(w, w, at, p);
    mpz_set_ui(s, coset ? 5 : 1);
    orr__fe shift = field_from(ORR__FR, s);
    for (int64_t i = 0; i < n; i++) {
        mpz_init(v[i]);
        field_random(v[i], p, &seed);
        x[i] = field_from(ORR__FR, v[i]);
    }
    ORR_CHECK(orr__ntt_make(&t, k, false, &shift) && orr__ntt_make(&back, k, true, &shift));
    transform(kit, &t, y, x);
    for (int64_t j = 0; j < n; j += 1 + n / 17) {
        mpz_powm_ui(at, w, (unsigned long)j, p);
        mpz_mul(at, at, s);
        mpz_mod(at, at, p);
        mpz_set_ui(sum, 0);
        for (int64_t i = n - 1; i >= 0; i--) {
            mpz_mul(sum, sum, at);
            mpz_add(sum, sum, v[i]);
            mpz_mod(sum, sum, p);
        }
        ORR_CHECK_MSG(field_is(ORR__FR, &y[j], sum), "%s, 2^%d, coset %d, place %lld", kit->name, k, coset,
                      (long long)j);
    }
    transform(kit, &back, y, y);
    ORR_CHECK_MSG(memcmp(x, y, (size_t)n * sizeof *x) == 0, "%s, 2^%d and back, coset %d", kit->name, k, coset);
    orr__ntt_free(&t);
    orr__ntt_free(&back);
    for (int64_t i = 0; i < n; i++)
        mpz_clear(v[i]);
    mpz_clears(w, s, at, sum, NULL);
    free(x);
    free(y);
    free(v);
}

static void transforms(void)
{
    begin();
    FIELD_EACH_KIT(kit)
    {
        for (int k = 0; k <= 13; k++)
            for (int coset = 0; coset < 2; coset++)
                check_transform(kit, k, coset);
        check_transform(kit, 16, true);
    }
}

/* All values of short ones: rows of lengths up to 2^5, each with its own shift. */
static void random_transforms(void)
{
    enum { LONGEST = 5 };
    mpz_t w, s, at, sum;
    begin();
    mpz_inits(w, s, at, sum, NULL);
    field_prime(p, ORR__FR);
    for (int done = 0; done < field_cases(200); done++) {
        const int k = done % (LONGEST + 1), n = 1 << k, from = done % (ROW - (1 << LONGEST));
        const orr__fieldkit *kit = NULL;
        orr__fe y[1 << LONGEST];
        orr__ntt t, back;
        for (int i = done / (LONGEST + 1) % 3; !(kit = orr__fieldkit_named(field_kit_name[i])); i--)
            ;
        if (done % ROW == 0)
            draw(ORR__FR, true);
        mpz_set(s, a[(from + 77) % ROW]);
        orr__fe shift = ea[(from + 77) % ROW];
        ORR_CHECK(orr__ntt_make(&t, k, false, &shift) && orr__ntt_make(&back, k, true, &shift));
        transform(kit, &t, y, eb + from);
        mpz_sub_ui(at, p, 1);
        mpz_fdiv_q_2exp(at, at, (mp_bitcnt_t)k);
        mpz_set_ui(w, 5);
        mpz_powm(w, w, at, p);
        mpz_set(at, s);
        int bad = 0;
        for (int j = 0; j < n; j++) {
            mpz_set_ui(sum, 0);
            for (int i = n - 1; i >= 0; i--) {
                mpz_mul(sum, sum, at);
                mpz_add(sum, sum, b[from + i]);
                mpz_mod(sum, sum, p);
            }
            bad += !field_is(ORR__FR, &y[j], sum);
            mpz_mul(at, at, w);
            mpz_mod(at, at, p);
        }
        transform(kit, &back, y, y);
        ORR_CHECK_MSG(bad == 0, "%s, 2^%d: %d of %d values differ", kit->name, k, bad, n);
        ORR_CHECK_MSG(memcmp(y, eb + from, (size_t)n * sizeof *y) == 0, "%s, 2^%d and back", kit->name, k);
        orr__ntt_free(&t);
        orr__ntt_free(&back);
    }
    mpz_clears(w, s, at, sum, NULL);
}

static void transforms_that_are_none(void)
{
    orr__ntt t;
    orr__fe zero = { { 0 } };
    ORR_CHECK(!orr__ntt_make(&t, 29, false, NULL));
    ORR_CHECK(!orr__ntt_make(&t, -1, false, NULL));
    ORR_CHECK(!orr__ntt_make(&t, 3, true, &zero));
}

/* -- polynomials ---------------------------------------------------------------------------------------------------------- */

static void polynomial_values(void)
{
    begin();
    for (int f = 0; f < 2; f++) {
        field_prime(p, (orr__field)f);
        for (int n = 0, done = 0; done < field_cases(41 * 9); done += 9, n = (n + 1) % 41) {
            draw((orr__field)f, false);
            for (int j = 0; j < 9; j++) {
                mpz_set_ui(want[j], 0);
                for (int i = n - 1; i >= 0; i--) {
                    mpz_mul(want[j], want[j], b[j]);
                    mpz_add(want[j], want[j], a[i]);
                    mpz_mod(want[j], want[j], p);
                }
            }
            FIELD_EACH_KIT(k)
            {
                orr__fe q[40], rest;
                k->evaluate((orr__field)f, got, ea, n, eb, 9);
                for (int j = 0; j < 9; j++)
                    ORR_CHECK(field_is((orr__field)f, &got[j], want[j]));
                k->divide_linear((orr__field)f, q, &rest, ea, n, eb); /* its remainder is the value at that point */
                ORR_CHECK(field_is((orr__field)f, &rest, want[0]));
            }
        }
    }
}

/* c = d·quotient + remainder, multiplied out by GMP. */
static void division(void)
{
    enum { ONCE = 145 * 3 }; /* pairs of lengths, in each kit */
    begin();
    field_prime(p, ORR__FR);
    for (int done = 0; done < field_cases(ONCE); done += ONCE)
        FIELD_EACH_KIT(k)
    for (int n = 1; n <= 30; n += 3)
        for (int m = 1; m <= n; m++) {
            orr__fe quotient[30], work[30];
            mpz_t x, y;
            mpz_inits(x, y, NULL);
            draw(ORR__FR, false);
            if (mpz_sgn(b[m - 1]) == 0)
                mpz_set_ui(b[m - 1], 3), eb[m - 1] = field_from(ORR__FR, b[m - 1]);
            memcpy(work, ea, sizeof work);
            ORR_CHECK(k->divide(ORR__FR, quotient, work, n, eb, m));
            for (int i = 0; i < n; i++) {
                if (i < m - 1)
                    field_to(x, ORR__FR, &work[i]);
                else
                    mpz_set_ui(x, 0);
                for (int j = 0; j < m; j++)
                    if (i - j >= 0 && i - j <= n - m) {
                        field_to(y, ORR__FR, &quotient[i - j]);
                        mpz_addmul(x, y, b[j]);
                    }
                mpz_mod(x, x, p);
                ORR_CHECK_MSG(mpz_cmp(x, a[i]) == 0, "%s: %d by %d, coefficient %d", k->name, n, m, i);
            }
            if (m == 2) {
                orr__fe minus, rest, same[30];
                mpz_sub(x, p, b[0]);
                mpz_mod(x, x, p);
                minus = field_from(ORR__FR, x);
                eb[1] = field_from(ORR__FR, (mpz_set_ui(y, 1), y));
                memcpy(work, ea, sizeof work);
                ORR_CHECK(k->divide(ORR__FR, quotient, work, n, eb, 2));
                k->divide_linear(ORR__FR, same, &rest, ea, n, &minus);
                ORR_CHECK(memcmp(same, quotient, (size_t)(n - 1) * sizeof *same) == 0);
                ORR_CHECK(memcmp(&rest, work, sizeof rest) == 0);
            }
            memset(&eb[m - 1], 0, sizeof *eb);
            ORR_CHECK(!k->divide(ORR__FR, quotient, work, n, eb, m));
            mpz_clears(x, y, NULL);
        }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(known_powers),
        ORR_TEST(values_from_the_modulus_on_are_refused),
        ORR_TEST(element_wise),
        ORR_TEST(strides_and_places),
        ORR_TEST(inverses),
        ORR_TEST(powers),
        ORR_TEST(sums_and_dots),
        ORR_TEST(transforms),
        ORR_TEST(random_transforms),
        ORR_TEST(polynomial_values),
        ORR_TEST(transforms_that_are_none),
        ORR_TEST(division),
        { 0 },
    };
    return orr_test_main(argc, argv, "field.arithmetic", tests);
}

#endif
