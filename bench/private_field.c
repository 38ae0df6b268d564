/* Case private-field: elements, transforms, hashes and sums of multiples of BN254 beside GMP's products and peers.
 * Must not know: other cases. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { ELEMENTS = 1 << 18, POINTS = 1 << 20, TRANSFORM = 20, HASHES = 1 << 14, PRODUCTS = 1 << 12, FEW = 1 << 10 };

typedef struct field_case {
    orr_tensor *x, *y, *pairs, *points, *scalars, *few, *few_scalars;
    int log;
} field_case;

static int failed(void)
{
    return bench_failed("private-field");
}

static int evaluated(orr_scope *s, orr_tensor *t)
{
    orr_status st = orr_eval(t);
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : failed();
}

static int product_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    return evaluated(s, orr_mul(f->x, f->y));
}

static int inverse_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    return evaluated(s, orr_field_inverse(f->x));
}

static int transform_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    return evaluated(s, orr_field_ntt(f->pairs, NULL));
}

static int hash_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    return evaluated(s, orr_poseidon(orr_reshape(orr_slice_axis(f->x, 0, 0, 2 * HASHES, 1), ORR_SHAPE(HASHES, 2))));
}

static int msm_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    const int64_t n = (int64_t)1 << f->log;
    return evaluated(
        s, orr_curve_msm(ORR_G1, orr_slice_axis(f->points, 0, 0, n, 1), orr_slice_axis(f->scalars, 0, 0, n, 1)));
}

static int multiples_once(void *user)
{
    field_case *f = user;
    orr_scope *s = orr_scope_begin();
    return evaluated(s, orr_curve_multiply(ORR_G1, f->few, f->few_scalars));
}

static int gmp_once(void *user)
{
    (void)user;
    return !peer_private_products(PRODUCTS);
}

/* The answers of peers given by --peer: lines "NAME seconds". Each peer runs once. */
static struct {
    char name[64];
    double seconds;
} said[4 * BENCH_MOST_PEERS];
static int says;

static void ask_all(void)
{
    enum { MOST = sizeof said / sizeof *said };
    for (int i = 0; i < bench_opt.npeer && says == 0; i++) {
        FILE *f = popen(bench_opt.peer[i], "r");
        for (; f && says < MOST && fscanf(f, "%63s %lf", said[says].name, &said[says].seconds) == 2;)
            says++;
        if (f)
            (void)pclose(f);
    }
}

/* Adds a record: t seconds for `count` operations, each of which takes the reference `direct` seconds. */
static int add(bench_sink *out, const char *what, int log, int cores, double count, double t, double direct,
               const char *reference)
{
    bench_record r = { .name = "private-field",
                       .metric = "time",
                       .unit = "ns",
                       .value = 1e9 * t / count,
                       .reference = reference,
                       .reference_value = 1e9 * direct };
    (void)snprintf(r.params, sizeof r.params, "\"what\": \"%s\", \"log2\": %d, \"cores\": %d, \"ms\": %.2f", what, log,
                   cores, t * 1e3);
    char name[64];
    (void)snprintf(name, sizeof name, "%s-%d-%d", what, log, cores);
    for (int i = 0, n = 0; i < says && n < BENCH_PEERS; i++)
        if (strcmp(said[i].name, name) == 0) {
            r.peer[n].name = "zksnake (arkworks)";
            r.peer[n++].value = 1e9 * said[i].seconds / count;
        }
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

static orr_tensor *random_elements(int64_t n)
{
    orr_tensor *low = orr_randint(ORR_U64, ORR_SHAPE(n, 3), 0, INT64_MAX);
    orr_tensor *high = orr_randint(ORR_U64, ORR_SHAPE(n, 1), 1, (int64_t)1 << 61);
    return orr_field_from_limbs(ORR_FR254, orr_concat(ORR_TENSORS(low, high), 1));
}

static int measure(bench_sink *out, int rounds, int cores)
{
    static const bench_side gmp = { NULL, gmp_once, NULL }, multiples = { NULL, multiples_once, NULL };
    static const struct {
        const char *what;
        bench_side side;
        int log;
        double products; /* of each */
        const char *reference;
    } part[] = {
        { "product", { NULL, product_once, NULL }, 18, 1, "a product and remainder by GMP, one core" },
        { "inverse", { NULL, inverse_once, NULL }, 18, 1, "a product and remainder by GMP, one core" },
        { "transform", { NULL, transform_once, NULL }, TRANSFORM, TRANSFORM / 2, "its products by GMP, one core" },
        { "hash", { NULL, hash_once, NULL }, 14, 240, "a hash's 240 products by GMP, one core" },
    };
    field_case f = { .log = 0 };
    double t = 0, direct = 0;
    orr_scope *s = orr_scope_begin();
    f.x = random_elements(ELEMENTS);
    f.y = random_elements(ELEMENTS);
    f.pairs = random_elements((int64_t)1 << TRANSFORM);
    f.few_scalars = orr_slice_axis(f.y, 0, 0, FEW, 1);
    f.few = orr_curve_multiply(ORR_G1, orr_curve_generator(ORR_G1), orr_slice_axis(f.x, 0, 0, FEW, 1));
    /* Sums of pairs make many different points from few. */
    f.points = orr_reshape(
        orr_curve_add(ORR_G1, orr_reshape(f.few, ORR_SHAPE(FEW, 1, 2)), orr_slice_axis(f.few, 0, 0, POINTS / FEW, 1)),
        ORR_SHAPE(POINTS, 2));
    f.scalars = random_elements(POINTS);
    int rc = orr_eval_all(ORR_TENSORS(f.x, f.y, f.pairs, f.few_scalars, f.few, f.points, f.scalars)) != ORR_OK
                 ? failed()
                 : 0;
    for (size_t i = 0; rc == 0 && i < sizeof part / sizeof *part; i++)
        if (bench_interleave(&part[i].side, &gmp, &f, rounds, 0.2, &t, &direct) == 0)
            rc = add(out, part[i].what, part[i].log, cores, (double)((int64_t)1 << part[i].log), t,
                     direct * part[i].products / PRODUCTS, part[i].reference);
    for (f.log = 16; rc == 0 && f.log <= 20; f.log += 2) {
        static const bench_side msm = { NULL, msm_once, NULL };
        if (bench_interleave(&msm, &multiples, &f, rounds, 0.2, &t, &direct) == 0)
            rc = add(out, "msm", f.log, cores, (double)((int64_t)1 << f.log), t, direct / FEW,
                     "multiples one by one, as many cores");
    }
    (void)orr_scope_end(s);
    return rc;
}

/* Measures on one core, then on all. */
int bench_private_field(bench_sink *out, int rounds)
{
    int rc = 0, cores = bench_cores();
    ask_all();
    for (int k = 1; rc == 0 && k <= cores; k += cores > 1 ? cores - 1 : 1) {
        if (orr_init(&(orr_config){ .workers = k }) != ORR_OK)
            return failed();
        rc = measure(out, rounds, k);
        if (orr_shutdown() != ORR_OK)
            return failed();
    }
    return rc;
}
