/* Points of BN254 in every instruction set, beside the affine law written out in GMP.
 * Must not know: tensors, how sums of multiples are made. */
#include "config.h"

#ifndef HAVE_GMP
#include "tests/harness/harness.h"

static void curves(void)
{
    ORR_SKIP("built without GMP");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(curves), { 0 } };
    return orr_test_main(argc, argv, "field.curves", tests);
}

#else

#include <stdio.h>
#include "codelets/field/constants.h"
#include "tests/field/field_help.h"

static unsigned long long seed = 254;
static mpz_t q, r;

/* -- the law over Fq2 in GMP; G1 has no imaginary parts ------------------------------------------------------------- */

typedef struct {
    mpz_t re, im;
} num;
typedef struct {
    num x, y;
    bool infinite;
} point;

static void num_init(num *z)
{
    mpz_inits(z->re, z->im, NULL);
}

static void num_clear(num *z)
{
    mpz_clears(z->re, z->im, NULL);
}

static void num_set(num *z, const num *x)
{
    mpz_set(z->re, x->re);
    mpz_set(z->im, x->im);
}

static void num_sub(num *z, const num *x, const num *y)
{
    mpz_sub(z->re, x->re, y->re);
    mpz_mod(z->re, z->re, q);
    mpz_sub(z->im, x->im, y->im);
    mpz_mod(z->im, z->im, q);
}

static void num_mul(num *z, const num *x, const num *y)
{
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    mpz_mul(a, x->re, y->re);
    mpz_submul(a, x->im, y->im);
    mpz_mul(b, x->re, y->im);
    mpz_addmul(b, x->im, y->re);
    mpz_mod(z->re, a, q);
    mpz_mod(z->im, b, q);
    mpz_clears(a, b, NULL);
}

static void num_invert(num *z, const num *x)
{
    mpz_t n;
    mpz_init(n);
    mpz_mul(n, x->re, x->re);
    mpz_addmul(n, x->im, x->im);
    ORR_CHECK(mpz_invert(n, n, q));
    mpz_mul(z->re, x->re, n);
    mpz_mod(z->re, z->re, q);
    mpz_mul(z->im, x->im, n);
    mpz_neg(z->im, z->im);
    mpz_mod(z->im, z->im, q);
    mpz_clear(n);
}

static bool num_same(const num *x, const num *y)
{
    return mpz_cmp(x->re, y->re) == 0 && mpz_cmp(x->im, y->im) == 0;
}

static void point_init(point *p)
{
    num_init(&p->x);
    num_init(&p->y);
    p->infinite = true;
}

static void point_clear(point *p)
{
    num_clear(&p->x);
    num_clear(&p->y);
}

static void point_set(point *z, const point *x)
{
    num_set(&z->x, &x->x);
    num_set(&z->y, &x->y);
    z->infinite = x->infinite;
}

static void point_add(point *z, const point *a, const point *b)
{
    num top, den, x, y;
    if (a->infinite || b->infinite) {
        point_set(z, a->infinite ? b : a);
        return;
    }
    num_init(&top), num_init(&den), num_init(&x), num_init(&y);
    z->infinite = false;
    if (!num_same(&a->x, &b->x)) {
        num_sub(&top, &b->y, &a->y);
        num_sub(&den, &b->x, &a->x);
    } else if (num_same(&a->y, &b->y)) {
        num_mul(&top, &a->x, &a->x);
        mpz_mul_ui(top.re, top.re, 3);
        mpz_mul_ui(top.im, top.im, 3);
        mpz_mul_ui(den.re, a->y.re, 2);
        mpz_mul_ui(den.im, a->y.im, 2);
    } else {
        z->infinite = true;
    }
    if (!z->infinite) {
        num_invert(&den, &den);
        num_mul(&top, &top, &den);
        num_mul(&x, &top, &top);
        num_sub(&x, &x, &a->x);
        num_sub(&x, &x, &b->x);
        num_sub(&y, &a->x, &x);
        num_mul(&y, &y, &top);
        num_sub(&y, &y, &a->y);
        num_set(&z->x, &x);
        num_set(&z->y, &y);
    }
    num_clear(&top), num_clear(&den), num_clear(&x), num_clear(&y);
}

static void point_multiply(point *z, const point *p, const mpz_t k)
{
    point s;
    point_init(&s);
    for (size_t i = mpz_sizeinbase(k, 2); i-- > 0;) {
        point_add(&s, &s, &s);
        if (mpz_tstbit(k, i))
            point_add(&s, &s, p);
    }
    point_set(z, &s);
    point_clear(&s);
}

/* A row of coordinates per point: 2 for G1, 4 for G2. */
static void point_from(point *z, const orr__fe *v, int g)
{
    mpz_set_ui(z->x.im, 0);
    mpz_set_ui(z->y.im, 0);
    field_to(z->x.re, ORR__FQ, v);
    field_to(z->y.re, ORR__FQ, v + g);
    if (g == 2) {
        field_to(z->x.im, ORR__FQ, v + 1);
        field_to(z->y.im, ORR__FQ, v + 3);
    }
    z->infinite = !(mpz_sgn(z->x.re) || mpz_sgn(z->x.im) || mpz_sgn(z->y.re) || mpz_sgn(z->y.im));
}

static bool point_is(const orr__fe *v, int g, const point *want)
{
    point p;
    point_init(&p);
    point_from(&p, v, g);
    bool same = p.infinite == want->infinite && (p.infinite || (num_same(&p.x, &want->x) && num_same(&p.y, &want->y)));
    point_clear(&p);
    return same;
}

/* -- shared by the tests -------------------------------------------------------------------------------------------- */

enum { ROW = 500 };
static orr__fe a[ROW * 4], b[ROW * 4], got[ROW * 4], scalar[ROW];
static mpz_t plain[ROW];

static const orr__curvekit *curve(const orr__fieldkit *k, int g)
{
    return g == 1 ? k->g1 : k->g2;
}

static const orr__fe *generator(int g)
{
    return g == 1 ? (const orr__fe *)&orr__g1_generator : (const orr__fe *)&orr__g2_generator;
}

static void begin(void)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    mpz_inits(q, r, NULL);
    field_prime(q, ORR__FQ);
    field_prime(r, ORR__FR);
    for (int i = 0; i < ROW; i++)
        mpz_init(plain[i]);
}

static void draw_scalars(void)
{
    for (int i = 0; i < ROW; i++) {
        field_random(plain[i], r, &seed);
        scalar[i] = field_from(ORR__FR, plain[i]);
    }
}

/* -- tests ------------------------------------------------------------------------------------------------------------ */

static void weighted_sum_of_multiples(void)
{
    enum { N = 1000 };
    static orr__g1 p[N], z;
    static orr__fe k[N];
    static orr__msmscalar s[N];
    orr__g1x sums[128];
    mpz_t i, x, y;
    begin();
    mpz_inits(i, x, y, NULL);
    mpz_set_str(x, "16652409288431843345827878098704751672816216909225321412024640667014731234531", 10);
    mpz_set_str(y, "7115767663493517574079120553440596052618020124464907008400419820176337840024", 10);
    for (int n = 0; n < N; n++) {
        mpz_set_ui(i, (unsigned long)n + 1);
        k[n] = field_from(ORR__FR, i);
    }
    FIELD_EACH_KIT(kit)
    {
        const orr__curvekit *g = kit->g1;
        g->multiply(p, &orr__g1_generator, 0, k, 1, N);
        for (int c = 2; c <= 12; c++) {
            void *work = aligned_alloc(64, (g->msm_work(N, c) + 63) / 64 * 64);
            orr__msm_scalars(s, k, N, c);
            for (int w = 0; w < orr__msm_windows(c); w++)
                g->msm_window(sums + w, p, s, N, w, c, work);
            g->msm_join(&z, sums, 1, c);
            ORR_CHECK_MSG(field_is(ORR__FQ, &z.x, x) && field_is(ORR__FQ, &z.y, y), "%s, %d bits", kit->name, c);
            free(work);
        }
    }
    mpz_clears(i, x, y, NULL);
}

static void sums(void)
{
    point pa, pb, want;
    begin();
    point_init(&pa), point_init(&pb), point_init(&want);
    for (int g = 1; g <= 2; g++)
        for (int done = 0; done < field_cases(10000); done += ROW) {
            const orr__curvekit *k = curve(orr__fieldkit_best(), g);
            if (done == 0) {
                draw_scalars();
                k->multiply(a, generator(g), 0, scalar, 1, ROW);
                draw_scalars();
                k->multiply(b, generator(g), 0, scalar, 1, ROW);
            } else { /* checked sums are the next terms */
                memcpy(a, got, sizeof a);
                memmove(b + 2 * g, b, sizeof *b * 2 * (size_t)g * (ROW - 1));
            }
            memcpy(b + 14 * g, a + 14 * g, sizeof *b * 2 * (size_t)g); /* equal points */
            k->neg(b + 18 * g, a + 18 * g, 1);
            memset(a + 40 * g, 0, sizeof *a * 2 * (size_t)g);
            memset(b + 44 * g, 0, sizeof *a * 2 * (size_t)g);
            memset(a + 60 * g, 0, sizeof *a * 2 * (size_t)g);
            memset(b + 60 * g, 0, sizeof *a * 2 * (size_t)g);
            FIELD_EACH_KIT(kit)
            {
                static orr__fe other[ROW * 4];
                curve(kit, g)->add(other, a, 1, b, 1, ROW);
                if (kit_ == 0)
                    memcpy(got, other, sizeof got);
                ORR_CHECK_MSG(memcmp(got, other, sizeof *got * 2 * (size_t)g * ROW) == 0, "%s", kit->name);
            }
            int bad = 0;
            for (int i = 0; i < ROW; i++) {
                point_from(&pa, a + 2 * g * i, g);
                point_from(&pb, b + 2 * g * i, g);
                point_add(&want, &pa, &pb);
                bad += !point_is(got + 2 * g * i, g, &want);
            }
            ORR_CHECK_MSG(bad == 0, "G%d: %d of %d differ", g, bad, ROW);
        }
    point_clear(&pa), point_clear(&pb), point_clear(&want);
}

static void multiples(void)
{
    point p, want;
    begin();
    point_init(&p), point_init(&want);
    for (int g = 1; g <= 2; g++) {
        draw_scalars();
        FIELD_EACH_KIT(kit)
        {
            const orr__curvekit *k = curve(kit, g);
            orr__fe six[24], one = orr__fr.one;
            k->multiply(a, generator(g), 0, scalar, 1, ROW);
            k->multiply(got, a, 1, scalar, 1, ROW); /* k·(k·G) */
            for (int i = 0; i < 40; i++) {
                point_from(&p, generator(g), g);
                point_multiply(&want, &p, plain[i]);
                ORR_CHECK_MSG(point_is(a + 2 * g * i, g, &want), "%s, G%d, %d", kit->name, g, i);
                point_multiply(&want, &want, plain[i]);
                ORR_CHECK_MSG(point_is(got + 2 * g * i, g, &want), "%s, G%d, %d", kit->name, g, i);
            }
            memset(six, 0, sizeof six);
            k->multiply(six, six, 1, &one, 0, 6);
            ORR_CHECK((six[0].l[0] | six[5].l[0]) == 0);
            /* (k + k')·G = k·G + k'·G for all others */
            for (int i = 0; i + 1 < ROW; i++)
                b[i] = scalar[i + 1];
            b[ROW - 1] = scalar[0];
            kit->map(ORR__FR, ORR__FADD, b, b, 1, scalar, 1, ROW);
            k->multiply(got, generator(g), 0, b, 1, ROW);
            k->multiply(a, generator(g), 0, scalar, 1, ROW);
            for (int i = 0; i < ROW; i++)
                memcpy(b + 2 * g * i, a + 2 * g * ((i + 1) % ROW), sizeof *a * 2 * (size_t)g);
            k->add(a, a, 1, b, 1, ROW);
            ORR_CHECK_MSG(memcmp(a, got, sizeof *a * 2 * (size_t)g * ROW) == 0, "%s, G%d", kit->name, g);
        }
    }
    point_clear(&p), point_clear(&want);
}

/* Some points, each with a scalar and its multiple; a step with one addition leads to the next scalar. */
enum { BASES = 50, BITS = 254 };
typedef struct {
    point power[BITS]; /* 2^i·p */
    point multiple;    /* k·p   */
    mpz_t k;
} walk;
static walk walks[BASES];

static void walks_begin(int g)
{
    static bool made;
    for (int j = 0; j < BASES; j++) {
        walk *w = &walks[j];
        for (int i = 0; !made && i < BITS; i++)
            point_init(&w->power[i]);
        if (!made) {
            point_init(&w->multiple);
            mpz_init(w->k);
        }
        field_random(w->k, r, &seed);
        point_from(&w->power[0], generator(g), g);
        point_multiply(&w->power[0], &w->power[0], w->k);
        for (int i = 1; i < BITS; i++)
            point_add(&w->power[i], &w->power[i - 1], &w->power[i - 1]);
        field_random(w->k, r, &seed);
        point_multiply(&w->multiple, &w->power[0], w->k);
    }
    made = true;
}

static void walk_on(walk *w)
{
    const unsigned bit = (unsigned)(orr_test_rand(&seed) % BITS);
    mpz_t step;
    mpz_init(step);
    mpz_setbit(step, bit);
    mpz_add(w->k, w->k, step);
    mpz_mod(w->k, w->k, r);
    point_add(&w->multiple, &w->multiple, &w->power[bit]);
    mpz_clear(step);
}

static void point_to(orr__fe *v, int g, const point *p)
{
    memset(v, 0, sizeof *v * 2 * (size_t)g);
    if (p->infinite)
        return;
    v[0] = field_from(ORR__FQ, p->x.re);
    v[g] = field_from(ORR__FQ, p->y.re);
    if (g == 2) {
        v[1] = field_from(ORR__FQ, p->x.im);
        v[3] = field_from(ORR__FQ, p->y.im);
    }
}

/* The compressed form, by its definition. */
static void point_bytes(unsigned char *to, int g, const point *p)
{
    mpz_t minus;
    memset(to, 0, 32 * (size_t)g);
    if (p->infinite) {
        to[32 * g - 1] = 0x40;
        return;
    }
    field_bytes(to, p->x.re);
    if (g == 2)
        field_bytes(to + 32, p->x.im);
    const mpz_t *y = mpz_sgn(p->y.im) ? &p->y.im : &p->y.re;
    mpz_init(minus);
    mpz_sub(minus, q, *y);
    if (mpz_cmp(*y, minus) > 0)
        to[32 * g - 1] |= 0x80;
    mpz_clear(minus);
}

static void random_multiples_and_their_bytes(void)
{
    static point want[ROW];
    static unsigned char bytes[ROW][64], packed[ROW * 64];
    begin();
    for (int i = 0; i < ROW; i++)
        point_init(&want[i]);
    for (int g = 1; g <= 2; g++) {
        const size_t width = 2 * (size_t)g, size = 32 * (size_t)g;
        walks_begin(g);
        for (int done = 0; done < field_cases(ROW); done += ROW) {
            for (int i = 0; i < ROW; i++) {
                walk *w = &walks[i % BASES];
                walk_on(w);
                point_to(a + width * (size_t)i, g, &w->power[0]);
                scalar[i] = field_from(ORR__FR, w->k);
                point_set(&want[i], &w->multiple);
                point_bytes(bytes[i], g, &want[i]);
            }
            FIELD_EACH_KIT(kit)
            {
                const orr__curvekit *k = curve(kit, g);
                int bad = 0, other = 0;
                k->multiply(got, a, 1, scalar, 1, ROW);
                k->compress(packed, got, ROW);
                for (int i = 0; i < ROW; i++) {
                    bad += !point_is(got + width * (size_t)i, g, &want[i]);
                    other += memcmp(packed + size * (size_t)i, bytes[i], size) != 0;
                }
                ORR_CHECK_MSG(bad == 0 && other == 0, "%s, G%d: %d multiples and %d compressed points of %d differ",
                              kit->name, g, bad, other, ROW);
                ORR_CHECK(k->check(got, ROW) == -1 && k->decompress(b, packed, ROW) == -1);
                ORR_CHECK_MSG(memcmp(b, got, sizeof *b * width * ROW) == 0, "%s, G%d", kit->name, g);
                for (int i = 0; i < ROW; i++) { /* a coordinate plus 1 is off the curve */
                    kit->map(ORR__FQ, ORR__FADD, got, got, 1, &orr__fq.one, 1, 1);
                    bad += k->check(got, 1) != 0;
                    memcpy(got, b + width * (size_t)((i + 1) % ROW), sizeof *got * width);
                }
                ORR_CHECK_MSG(bad == 0, "%s, G%d: %d points off the curve pass", kit->name, g, bad);
            }
        }
    }
    for (int i = 0; i < ROW; i++)
        point_clear(&want[i]);
}

/* A point of the twist whose order is not r: x is increased from 1 until x³ + b is a square; the group's cofactor is
 * large. */
static void points_that_are_none(void)
{
    begin();
    draw_scalars();
    FIELD_EACH_KIT(kit)
    for (int g = 1; g <= 2; g++) {
        const orr__curvekit *k = curve(kit, g);
        k->multiply(a, generator(g), 0, scalar, 1, ROW);
        ORR_CHECK(k->check(a, ROW) == -1);
        ORR_CHECK(k->check_order(a, 20) == -1);
        memcpy(b, a, sizeof a);
        kit->map(ORR__FQ, ORR__FADD, &b[2 * g * 300], &b[2 * g * 300], 1, &orr__fq.one, 1, 1);
        ORR_CHECK(k->check(b, ROW) == 300);
        ORR_CHECK(k->check(b, 300) == -1);
    }
    unsigned char bytes[64] = { 0 };
    orr__g2 p;
    const orr__curvekit *k = orr__fieldkit_best()->g2;
    for (bytes[0] = 1; k->decompress(&p, bytes, 1) >= 0;)
        bytes[0]++;
    ORR_CHECK(k->check(&p, 1) == -1);
    ORR_CHECK(k->check_order(&p, 1) == 0);
}

static void compressed_form(void)
{
    static unsigned char bytes[ROW * 64];
    begin();
    for (int g = 1; g <= 2; g++)
        FIELD_EACH_KIT(kit)
        {
            const orr__curvekit *k = curve(kit, g);
            const size_t size = 32 * (size_t)g, point_size = sizeof(orr__fe) * 2 * (size_t)g;
            draw_scalars();
            k->multiply(a, generator(g), 0, scalar, 1, ROW);
            memset(a, 0, point_size);
            k->compress(bytes, a, ROW);
            ORR_CHECK(bytes[size - 1] == 0x40 && bytes[0] == 0);
            ORR_CHECK(k->decompress(got, bytes, ROW) == -1);
            ORR_CHECK_MSG(memcmp(a, got, point_size * ROW) == 0, "%s, G%d", kit->name, g);
            /* -p differs only in the highest bit */
            k->neg(b, a, ROW);
            for (size_t i = 0; i < ROW; i++)
                if (!(bytes[size * i + size - 1] & 0x40))
                    bytes[size * i + size - 1] ^= 0x80;
            ORR_CHECK(k->decompress(got, bytes, ROW) == -1);
            ORR_CHECK(memcmp(b, got, point_size * ROW) == 0);
            bytes[size * 7 + size - 1] |= 0x3f; /* above q */
            ORR_CHECK(k->decompress(got, bytes, ROW) == 7);
            bytes[size * 3 + size - 1] |= 0x40; /* infinity with a coordinate */
            ORR_CHECK(k->decompress(got, bytes, ROW) == 3);
            bytes[size - 1] = 0xc0; /* infinity with a sign */
            ORR_CHECK(k->decompress(got, bytes, ROW) == 0);
            int refused = 0; /* about half of all x belong to no point */
            memset(bytes, 0, size);
            for (int x = 0; x < 200; x++) {
                bytes[0] = (unsigned char)x;
                refused += k->decompress(got, bytes, 1) == 0;
            }
            ORR_CHECK_MSG(refused > 60 && refused < 140, "%d", refused);
        }
}

/* Compares with multiples that are added one at a time. */
static void sum_of_multiples(const orr__fieldkit *kit, int g, int n, int c, int chunks, int kind)
{
    const orr__curvekit *k = curve(kit, g);
    const size_t width = 2 * (size_t)g;
    orr__fe want[4], z[4];
    orr__msmscalar *s = malloc((size_t)(n + 1) * sizeof *s);
    char *sum = malloc((size_t)(orr__msm_windows(c) * chunks) * k->sum);
    void *work = aligned_alloc(64, (k->msm_work(n, c) + 63) / 64 * 64);
    const int used = n < 5 ? 5 : n; /* the few distinct points are the first five */
    draw_scalars();
    k->multiply(a, generator(g), 0, scalar, 1, used);
    draw_scalars();
    for (int i = 0; i < used; i++) {
        if (kind == 1) /* few distinct ones */
            scalar[i] = scalar[i % 3], memcpy(a + width * (size_t)i, a + width * (size_t)(i % 5), sizeof *a * width);
        if (kind == 2) /* p and -p with the same scalar */
            scalar[i] = scalar[0], i % 2 ? k->neg(a + width * (size_t)i, a + width * (size_t)(i - 1), 1) : (void)0;
        if (kind == 3 && i % 3)
            memset(i % 3 == 1 ? &scalar[i] : a + width * (size_t)i, 0, sizeof *a * (i % 3 == 1 ? 1 : width));
    }
    memset(want, 0, sizeof want);
    k->multiply(b, a, 1, scalar, 1, n);
    for (int i = 0; i < n; i++)
        k->add(want, want, 1, b + width * (size_t)i, 1, 1);
    orr__msm_scalars(s, scalar, n, c);
    for (int w = 0; w < orr__msm_windows(c); w++)
        for (int i = 0; i < chunks; i++) {
            int from = n * i / chunks, to = n * (i + 1) / chunks;
            k->msm_window(sum + (size_t)(w * chunks + i) * k->sum, a + width * (size_t)from, s + from, to - from, w, c,
                          work);
        }
    k->msm_join(z, sum, chunks, c);
    ORR_CHECK_MSG(memcmp(z, want, sizeof *z * width) == 0, "%s, G%d, %d points, %d bits, %d chunks, kind %d", kit->name,
                  g, n, c, chunks, kind);
    free(s);
    free(sum);
    free(work);
}

static void sums_of_multiples(void)
{
    static const int count[] = { 0, 1, 2, 3, 17, 100, 500 };
    begin();
    FIELD_EACH_KIT(kit)
    for (int g = 1; g <= 2; g++)
        for (int i = 0; i < (orr_test_full() ? 7 : kit == orr__fieldkit_best() ? 6 : 5); i++)
            for (int kind = 0; kind < 4; kind++)
                sum_of_multiples(kit, g, count[i], orr__msm_bits(curve(kit, g), count[i], 1) + i % 3, 1 + i % 3, kind);
    for (int c = 2; c <= 16; c++)
        if (orr_test_due((unsigned)c, 3))
            sum_of_multiples(orr__fieldkit_best(), 1, 50, c, 2, 0);
}

/* Σ k_i·(m_i·G) = (Σ k_i·m_i)·G; the right side is a multiple, which is tested above. */
static void random_sums_of_multiples(void)
{
    enum { MOST = 12, WIDEST = 6 };
    static orr__fe m[ROW], points[ROW * 4];
    begin();
    for (int g = 1; g <= 2; g++) {
        const size_t width = 2 * (size_t)g;
        for (int i = 0; i < field_cases(200); i++) {
            const orr__fieldkit *kit = NULL;
            for (int n = i % 3; !(kit = orr__fieldkit_named(field_kit_name[n])); n--)
                ;
            const orr__curvekit *k = curve(kit, g);
            if (i % ROW == 0) {
                draw_scalars();
                memcpy(m, scalar, sizeof m);
                k->multiply(points, generator(g), 0, m, 1, ROW);
                draw_scalars();
            }
            const int n = (int)(orr_test_rand(&seed) % (MOST + 1)), c = 2 + (int)(orr_test_rand(&seed) % (WIDEST - 1));
            const int at = (int)(orr_test_rand(&seed) % (ROW - MOST)), to = (int)(orr_test_rand(&seed) % (ROW - MOST));
            orr__msmscalar s[MOST];
            orr__fe dot, want[4], z[4];
            char *sum = malloc((size_t)orr__msm_windows(c) * k->sum);
            void *work = aligned_alloc(64, (k->msm_work(n, c) + 64) / 64 * 64);
            orr__msm_scalars(s, scalar + to, n, c);
            for (int w = 0; w < orr__msm_windows(c); w++)
                k->msm_window(sum + (size_t)w * k->sum, points + width * (size_t)at, s, n, w, c, work);
            k->msm_join(z, sum, 1, c);
            kit->dot(ORR__FR, &dot, m + at, 1, scalar + to, 1, n);
            k->multiply(want, generator(g), 0, &dot, 1, 1);
            ORR_CHECK_MSG(memcmp(z, want, sizeof *z * width) == 0, "%s, G%d, %d points, %d bits", kit->name, g, n, c);
            free(sum);
            free(work);
        }
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(weighted_sum_of_multiples),
        ORR_TEST(sums),
        ORR_TEST(multiples),
        ORR_TEST(random_multiples_and_their_bytes),
        ORR_TEST(points_that_are_none),
        ORR_TEST(compressed_form),
        ORR_TEST(sums_of_multiples),
        ORR_TEST(random_sums_of_multiples),
        { 0 },
    };
    return orr_test_main(argc, argv, "field.curves", tests);
}

#endif
