/* Encrypted tensors: results on ciphertexts equal those on the numbers, impossible requests are refused, and no prime, exponent or
 * number stays in memory.
 * Must not know: the arithmetic below. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

#ifdef HAVE_GMP
#include <orrery/paillier.h>
#include "ops/paillier/paillier.h"
#include "runtime/base/secret.h"
#include "tests/harness/memory_search.h"

static const orr__site here = { NULL, 0, "test" };
static orr_paillier *small, *large, *public_half; /* 512 bits, for many cases; 2048 bits */

static int cases(int full, int quick)
{
    return getenv("ORR_TEST_FULL") ? full : quick;
}

static bool says(const void *object, orr_status st, const char *part)
{
    bool same = !object && orr_error_status() == st && strstr(orr_error_message(), part);
    ORR_CHECK_MSG(same, "%s instead of \"%s\": %s", orr_status_name(orr_error_status()), part, orr_error_message());
    return same;
}

static bool poison_says(orr_tensor *t, orr_status st, const char *part)
{
    return says(NULL, st, part) && orr_tensor_status(t) == st;
}

static int64_t *random_integers(unsigned long long *seed, int64_t n, int bits)
{
    int64_t *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = (int64_t)orr_test_rand(seed) >> (63 - bits);
    return x;
}

/* Decrypts to integers; the caller frees the array. */
static bool integers_of(const orr_paillier *key, const orr_encrypted *e, int64_t *out, int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_read(orr_paillier_decrypt(key, e, ORR_I64), out, (size_t)n * sizeof *out);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
    return st == ORR_OK;
}

/* Checks every operation on rows × row numbers, packed or not, beside integers of C. */
static void operations(orr_paillier *key, int rows, int row, int slots, unsigned long long *seed)
{
    orr_scope *s = orr_scope_begin();
    int64_t n = (int64_t)rows * row, *a = random_integers(seed, n, 20), *b = random_integers(seed, n, 20);
    int64_t *w = random_integers(seed, rows, 12), *have = calloc((size_t)n, sizeof *have);
    orr_packing p = { .fraction = 0, .most = 1 << 20, .headroom = 4096.0 * rows + 8, .slots = slots };
    orr_shape shape = ORR_SHAPE(rows, row);
    orr_tensor *ta = orr_from(ORR_I64, shape, a), *tb = orr_from(ORR_I64, shape, b),
               *tw = orr_from(ORR_I64, ORR_SHAPE(rows), w);
    orr_encrypted *ea = orr_paillier_encrypt(key, ta, p), *eb = orr_paillier_encrypt(key, tb, p);
    ORR_CHECK_MSG(ea && eb, "%s", orr_error_message());
    if (ea && eb && integers_of(key, ea, have, n))
        ORR_CHECK(memcmp(a, have, (size_t)n * sizeof *a) == 0);
    orr_encrypted *sum = orr_paillier_add(ea, eb), *plain = orr_paillier_add_plain(ea, tb);
    orr_encrypted *fresh = orr_paillier_rerandomize(key, sum),
                  *scaled = orr_paillier_mul_plain(ea, orr_from(ORR_I64, ORR_SHAPE(rows, 1), w), 0);
    orr_encrypted *total = orr_paillier_sum(ea, 0), *dot = orr_paillier_dot(ea, tw, 0, 0);
    ORR_CHECK_MSG(sum && plain && fresh && scaled && total && dot, "%s", orr_error_message());
    if (sum && plain && fresh && scaled && total && dot) {
        orr_encrypted *same[] = { sum, plain, fresh };
        for (int k = 0; k < 3 && integers_of(key, same[k], have, n); k++)
            for (int64_t i = 0; i < n; i++)
                ORR_CHECK(have[i] == a[i] + b[i]);
        ORR_CHECK(memcmp(sum->limbs, fresh->limbs, (size_t)sum->pub->limbs * 16) != 0);
        if (integers_of(key, scaled, have, n))
            for (int64_t i = 0; i < n; i++)
                ORR_CHECK(have[i] == a[i] * w[i / row]);
        ORR_CHECK(orr_encrypted_shape(total).rank == 1 && orr_encrypted_shape(total).dim[0] == row);
        for (int kind = 0; kind < 2 && integers_of(key, kind ? dot : total, have, row); kind++)
            for (int64_t i = 0; i < row; i++) {
                int64_t want = 0;
                for (int64_t k = 0; k < rows; k++)
                    want += a[k * row + i] * (kind ? w[k] : 1);
                ORR_CHECK(have[i] == want);
            }
    }
    orr_encrypted *all[] = { ea, eb, sum, plain, fresh, scaled, total, dot };
    for (int i = 0; i < 8; i++)
        orr_encrypted_free(all[i]);
    free(a);
    free(b);
    free(w);
    free(have);
    (void)orr_scope_end(s);
}

static void operations_are_those_of_integers(void)
{
    unsigned long long seed = 21;
    int64_t done = 0, want = cases(100000, 8000);
    while (done < want) {
        int rows = 1 + (int)(orr_test_rand(&seed) % 9), row = 1 + (int)(orr_test_rand(&seed) % 90);
        operations(small, rows, row, (int)(orr_test_rand(&seed) % 4), &seed);
        done += (int64_t)rows * row;
    }
    operations(large, 3, 100, 0, &seed);
    operations(large, 2, 3, 1, &seed);
}

static void one_slot_has_every_axis(void)
{
    orr_scope *s = orr_scope_begin();
    int64_t x[24], have[24];
    for (int i = 0; i < 24; i++)
        x[i] = i * i - 100;
    orr_packing p = { .most = 1000, .headroom = 1e6, .slots = 1 };
    orr_encrypted *e = orr_paillier_encrypt(small, orr_from(ORR_I64, ORR_SHAPE(2, 3, 4), x), p);
    ORR_REQUIRE(e);
    static const int stride[] = { 12, 4, 1 }, length[] = { 2, 3, 4 };
    for (int axis = 0; axis < 3; axis++) {
        static const int64_t w[] = { 3, -7, 0, 11 };
        orr_encrypted *sum = orr_paillier_sum(e, axis - 3);
        orr_encrypted *dot = orr_paillier_dot(e, orr_from(ORR_I64, ORR_SHAPE(length[axis]), w), axis, 0);
        ORR_CHECK_MSG(sum && dot, "%s", orr_error_message());
        for (int kind = 0; kind < 2 && integers_of(small, kind ? dot : sum, have, 24 / length[axis]); kind++)
            for (int i = 0; i < 24 / length[axis]; i++) {
                int64_t want = 0;
                for (int k = 0; k < length[axis]; k++)
                    want += x[i / stride[axis] * stride[axis] * length[axis] + i % stride[axis] + k * stride[axis]] *
                            (kind ? w[k] : 1);
                ORR_CHECK_MSG(have[i] == want, "axis %d, place %d", axis, i);
            }
        orr_encrypted_free(sum);
        orr_encrypted_free(dot);
    }
    orr_encrypted *each = orr_paillier_mul_plain(e, orr_from(ORR_I64, ORR_SHAPE(2, 3, 4), x), 0);
    if (each && integers_of(small, each, have, 24))
        for (int i = 0; i < 24; i++)
            ORR_CHECK(have[i] == x[i] * x[i]);
    orr_encrypted_free(each);
    orr_encrypted_free(e);
    (void)orr_scope_end(s);
}

static void fractions_are_kept(void)
{
    orr_scope *s = orr_scope_begin();
    static const double x[] = { 1.25, -3.5, 1000.0625, -1e-9 };
    double y[4];
    orr_packing p = { .fraction = 10, .most = 1001, .headroom = 1 << 20 };
    orr_encrypted *e = orr_paillier_encrypt(public_half, orr_from(ORR_F64, ORR_SHAPE(4), x), p);
    orr_encrypted *third = orr_paillier_mul_plain(e, orr_scalar(0.375), 8);
    ORR_REQUIRE(e && third);
    ORR_CHECK(orr_encrypted_slots(e) == 4);
    ORR_CHECK_MSG(orr_read(orr_paillier_decrypt(large, third, ORR_F64), y, sizeof y) == ORR_OK, "%s",
                  orr_error_message());
    for (int i = 0; i < 4; i++)
        ORR_CHECK_MSG(y[i] == rint(x[i] * 1024) / 1024 * 0.375, "%g", y[i]);
    orr_encrypted *more = orr_paillier_add_plain(third, orr_full(ORR_F32, ORR_SHAPE(4), 0.5));
    ORR_REQUIRE(more);
    float f[4];
    ORR_CHECK(orr_read(orr_paillier_decrypt(large, more, ORR_F32), f, sizeof f) == ORR_OK && f[0] == 0.96875f);
    /* a scalar and an empty array */
    orr_encrypted *one = orr_paillier_encrypt(public_half, orr_scalar(7), p),
                  *none = orr_paillier_encrypt(large, orr_zeros(ORR_F32, ORR_SHAPE(0, 3)), p);
    double seven = 0;
    ORR_CHECK(one && orr_item(orr_paillier_decrypt(large, one, ORR_F64), &seven) == ORR_OK && seven == 7.0);
    ORR_CHECK_MSG(none && orr_tensor_size(orr_paillier_decrypt(large, none, ORR_F64)) == 0, "%s", orr_error_message());
    orr_encrypted *all[] = { e, third, more, one, none };
    for (int i = 0; i < 5; i++)
        orr_encrypted_free(all[i]);
    (void)orr_scope_end(s);
}

static void overflow_of_slots_is_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_packing p = { .fraction = 4, .most = 100, .headroom = 8 };
    orr_encrypted *e = orr_paillier_encrypt(small, orr_full(ORR_F32, ORR_SHAPE(9, 50), -100), p), *sum = e;
    ORR_REQUIRE(e);
    double y = 0;
    /* by the headroom eight fit; bits round up, so that a few more may */
    for (int k = 1; k < 3; k++) {
        orr_encrypted *next = orr_paillier_add(sum, sum);
        ORR_CHECK_MSG(next, "%s", orr_error_message());
        if (sum != e)
            orr_encrypted_free(sum);
        sum = next;
    }
    orr_encrypted *eight = orr_paillier_add(sum, sum);
    ORR_CHECK(eight &&
              orr_item(orr_min(orr_paillier_decrypt(small, eight, ORR_F64), ORR_ALL_AXES, false), &y) == ORR_OK &&
              y == -800);
    orr_encrypted *more = orr_paillier_add(eight, eight);
    (void)says(orr_paillier_add(more ? more : eight, eight), ORR_EINDEX, "more headroom");
    (void)says(orr_paillier_mul_plain(e, orr_scalar(1000), 0), ORR_EINDEX, "more headroom");
    (void)says(orr_paillier_sum(more ? more : eight, 0), ORR_EINDEX, "more headroom");
    (void)says(orr_paillier_add_plain(e, orr_full(ORR_F32, ORR_SHAPE(9, 50), 1e5)), ORR_EINDEX, "more headroom");
    (void)says(orr_paillier_encrypt(small, orr_full(ORR_F32, ORR_SHAPE(3), 100.5), p), ORR_EINDEX, "element 0");
    (void)says(orr_paillier_encrypt(small, orr_full(ORR_F32, ORR_SHAPE(3), (double)NAN), p), ORR_EINDEX, "element 0");
    orr_encrypted_free(e);
    orr_encrypted_free(sum);
    orr_encrypted_free(eight);
    orr_encrypted_free(more);
    (void)orr_scope_end(s);
}

static void wrong_calls_say_so(void)
{
    orr_scope *s = orr_scope_begin();
    orr_packing p = { .most = 100, .headroom = 100 }, q = p;
    orr_tensor *x = orr_ones(ORR_I32, ORR_SHAPE(3, 4));
    orr_encrypted *a = orr_paillier_encrypt(small, x, p), *b = orr_paillier_encrypt(large, x, p);
    ORR_REQUIRE(a && b);
    (void)says(orr_paillier_add(a, b), ORR_EINVAL, "b to key");
    (void)poison_says(orr_paillier_decrypt(large, a, ORR_F32), ORR_EINVAL, "belong to key");
    (void)says(orr_paillier_rerandomize(large, a), ORR_EINVAL, "belong to key");
    (void)poison_says(orr_paillier_decrypt(public_half, b, ORR_F32), ORR_EINVAL, "no private half");
    (void)poison_says(orr_paillier_decrypt(small, a, ORR_I32), ORR_EDTYPE, "int32");
    (void)poison_says(orr_paillier_decrypt(NULL, a, ORR_F32), ORR_EINVAL, "NULL");
    orr_encrypted *flat = orr_paillier_encrypt(small, orr_ones(ORR_I32, ORR_SHAPE(12)), p);
    (void)says(orr_paillier_add(a, flat), ORR_ESHAPE, "(3, 4) and (12,)");
    q.fraction = 2;
    orr_encrypted *finer = orr_paillier_encrypt(small, x, q);
    (void)says(orr_paillier_add(a, finer), ORR_EINVAL, "packings differ");
    (void)says(orr_paillier_sum(a, 1), ORR_EAXIS, "share a ciphertext");
    (void)says(orr_paillier_sum(a, 2), ORR_EAXIS, "axis 2");
    (void)says(orr_paillier_dot(a, x, 0, 0), ORR_ESHAPE, "one axis");
    (void)says(orr_paillier_dot(a, orr_ones(ORR_I32, ORR_SHAPE(4)), 0, 0), ORR_ESHAPE, "as long");
    (void)says(orr_paillier_mul_plain(a, x, 0), ORR_ESHAPE, "slots share");
    (void)says(orr_paillier_mul_plain(a, orr_scalar(1), 61), ORR_EINVAL, "61");
    (void)says(orr_paillier_add_plain(a, orr_ones(ORR_I32, ORR_SHAPE(4))), ORR_ESHAPE, "(4,)");
    (void)says(orr_paillier_add(NULL, a), ORR_EINVAL, "is NULL");
    (void)says(orr_paillier_encrypt(NULL, x, p), ORR_EINVAL, "NULL");
    (void)says(orr_paillier_encrypt(small, NULL, p), ORR_EINVAL, "NULL");
    (void)says(orr_paillier_encrypt(small, orr_ones(ORR_BOOL, ORR_SHAPE(3)), p), ORR_EDTYPE, "bool");
    q = (orr_packing){ .most = 0, .headroom = 1 };
    (void)says(orr_paillier_encrypt(small, x, q), ORR_EINVAL, "largest number");
    q = (orr_packing){ .most = 1, .headroom = 0.5 };
    (void)says(orr_paillier_encrypt(small, x, q), ORR_EINVAL, "headroom");
    q = (orr_packing){ .most = 1, .headroom = 1, .slots = 4000 };
    (void)says(orr_paillier_encrypt(small, x, q), ORR_EINVAL, "not 4000");
    q = (orr_packing){ .most = 1, .headroom = 1, .fraction = 61 };
    (void)says(orr_paillier_encrypt(small, x, q), ORR_EINVAL, "not 61");
    (void)says(orr_paillier_generate(1024), ORR_EINVAL, "1024");
    (void)says(orr_paillier_public(NULL), ORR_EINVAL, "NULL");
    ORR_CHECK(orr_paillier_prepare(small, -1) == ORR_EINVAL && orr_paillier_prepare(NULL, 1) == ORR_EINVAL);
    ORR_CHECK(orr_paillier_bits(NULL) == 0 && !orr_paillier_has_private(public_half) &&
              orr_paillier_has_private(large));
    ORR_CHECK(orr_encrypted_shape(NULL).rank == -1 && orr_encrypted_slots(NULL) == 0);
    orr_encrypted *all[] = { a, b, flat, finer };
    for (int i = 0; i < 4; i++)
        orr_encrypted_free(all[i]);
    (void)orr_scope_end(s);
}

static void keys_and_ciphertexts_survive_bytes(void)
{
    orr_scope *s = orr_scope_begin();
    orr_bytes pub = { 0 }, priv = { 0 }, data = { 0 };
    ORR_CHECK(orr_paillier_save(large, false, &pub) == ORR_OK && orr_paillier_save(large, true, &priv) == ORR_OK);
    ORR_CHECK(orr_paillier_save(public_half, true, &data) == ORR_EINVAL);
    orr_paillier *k = orr_paillier_load(&pub), *l = orr_paillier_load(&priv);
    ORR_REQUIRE(k && l);
    ORR_CHECK(!orr_paillier_has_private(k) && orr_paillier_has_private(l) && orr_paillier_bits(k) == 2048);
    double x[] = { 1, -2, 3.5 }, y[3];
    orr_encrypted *e = orr_paillier_encrypt(k, orr_from(ORR_F64, ORR_SHAPE(3), x),
                                            (orr_packing){ .fraction = 4, .most = 9, .headroom = 2 });
    ORR_CHECK(orr_encrypted_save(e, &data) == ORR_OK);
    orr_encrypted *f = orr_encrypted_load(l, &data);
    ORR_CHECK_MSG(f && orr_read(orr_paillier_decrypt(l, f, ORR_F64), y, sizeof y) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(memcmp(x, y, sizeof x) == 0);
    (void)says(orr_encrypted_load(small, &data), ORR_EFORMAT, "belong to key");
    /* truncated anywhere, longer, and changed */
    orr_bytes *all[] = { &pub, &priv, &data };
    unsigned long long seed = 22;
    for (int k3 = 0; k3 < 3; k3++) {
        for (int i = 0; i < 40; i++) {
            orr_bytes cut = { all[k3]->data, (size_t)(orr_test_rand(&seed) % all[k3]->size) };
            ORR_CHECK(k3 < 2 ? !orr_paillier_load(&cut) : !orr_encrypted_load(l, &cut));
            ORR_CHECK_MSG(orr_error_status() == ORR_EFORMAT, "%s", orr_error_message());
        }
        for (int i = 0; i < cases(200, 24); i++) {
            size_t place = i < 12 ? (size_t)i * 3 : (size_t)(orr_test_rand(&seed) % all[k3]->size);
            unsigned char before = all[k3]->data[place];
            all[k3]->data[place] ^= (unsigned char)(1u << orr_test_rand(&seed) % 8);
            if (k3 < 2) {
                orr_paillier *bad = orr_paillier_load(all[k3]);
                ORR_CHECK_MSG(!bad || place < 8, "kind %d, place %zu", k3, place);
                orr_paillier_free(bad);
            } else { /* never a crash; the numbers may differ, since bytes are not authenticated */
                orr_encrypted *bad = orr_encrypted_load(l, all[k3]);
                if (bad)
                    (void)orr_eval(orr_paillier_decrypt(l, bad, ORR_F64));
                orr_encrypted_free(bad);
            }
            all[k3]->data[place] = before;
        }
    }
    orr_bytes nothing = { NULL, 10 };
    orr_bytes weak = { 0 };
    ORR_CHECK(orr_paillier_save(small, true, &weak) == ORR_OK); /* made for this test alone */
    (void)says(orr_paillier_load(&weak), ORR_EFORMAT, "not 512");
    orr_bytes_free(&weak);
    (void)says(orr_paillier_load(&nothing), ORR_EINVAL, "NULL");
    (void)says(orr_paillier_load(NULL), ORR_EINVAL, "NULL");
    for (int i = 0; i < 3; i++)
        orr_bytes_free(all[i]);
    orr_encrypted_free(e);
    orr_encrypted_free(f);
    orr_paillier_free(k);
    orr_paillier_free(l);
    (void)orr_scope_end(s);
}

static void prepared_noise_is_used_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_packing p = { .most = 10, .headroom = 4, .slots = 1 };
    ORR_CHECK_MSG(orr_paillier_prepare(public_half, 8) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_paillier_prepare(public_half, 0) == ORR_OK);
    orr_encrypted *e[4];
    double y = 0;
    for (int i = 0; i < 4; i++) /* 8 + 4 ciphertexts, all of 1: all differ */
        e[i] = orr_paillier_encrypt(public_half, orr_ones(ORR_I32, ORR_SHAPE(3)), p);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < i; k++)
            ORR_CHECK(memcmp(e[i / 3]->limbs + (i % 3) * 64, e[k / 3]->limbs + (k % 3) * 64, 512) != 0);
    for (int i = 0; i < 4; i++) {
        ORR_CHECK(orr_item(orr_sum(orr_paillier_decrypt(large, e[i], ORR_F64), ORR_ALL_AXES, false), &y) == ORR_OK &&
                  y == 3);
        orr_encrypted_free(e[i]);
    }
    orr_paillier *k = orr__paillier_generate(here, 512);
    ORR_CHECK(orr_paillier_prepare(k, 50) == ORR_OK); /* freed while it is being computed */
    orr_paillier_free(k);
    (void)orr_scope_end(s);
}

static void keys_and_numbers_leave_nothing(void)
{
    NEED_MEMORY_SEARCH();
    orr_paillier *k = orr_paillier_generate(2048);
    ORR_REQUIRE(k);
    const orr__private *v = k->priv;
    needle n[] = { needle_of("p", v->p + 4, 64),
                   needle_of("q", v->q + 4, 64),
                   needle_of("p²", v->p2 + 4, 64),
                   needle_of("1/(−q)", v->hp + 4, 64),
                   needle_of("1/q", v->qinv, 64),
                   needle_of("1/q²", v->q2inv, 64),
                   needle_of("(p − 1)/2 + 1", v->p + 2, 64),
                   needle_of("numbers", "", 1),
                   needle_of("noise", "", 1) };
    ORR_CHECK(memory_is_not_dumped(v));
    ORR_CHECK(memory_count(&n[0]) >= 1);
    orr_bytes bytes = { 0 };
    ORR_CHECK(orr_paillier_save(k, true, &bytes) == ORR_OK);
    orr_paillier *again = orr_paillier_load(&bytes);
    orr_bytes_free(&bytes);
    /* Numbers in the test's memory, which the tensor wraps. */
    int64_t *x = malloc(600 * sizeof *x);
    unsigned long long seed = 23;
    for (int i = 0; i < 600; i++)
        x[i] = (int64_t)(orr_test_rand(&seed) >> 20);
    n[7] = needle_of("numbers", x + 300, 64);
    orr_scope *s = orr_scope_begin();
    orr_packing p = { .most = 0x1p44, .headroom = 2 };
    ORR_CHECK(orr_paillier_prepare(again, 3) == ORR_OK);
    orr_encrypted *e = orr_paillier_encrypt(again, orr_wrap(ORR_I64, ORR_SHAPE(600), x, NULL, NULL), p);
    const int64_t *y = orr_data(orr_paillier_decrypt(k, e, ORR_I64));
    ORR_CHECK_MSG(y && memcmp(x, y, 600 * sizeof *x) == 0, "%s", orr_error_message());
    (void)orr_scope_end(s);
    orr__wipe(x, 600 * sizeof *x);
    free(x);
    orr_encrypted_free(e);
    orr_paillier_free(again);
    orr_paillier_free(k);
    for (size_t i = 0; i + 1 < sizeof n / sizeof *n; i++) {
        long memory = memory_count(&n[i]), files = folder_count(&n[i], orr_test_tmp(""));
        ORR_CHECK_MSG(memory == 0 && files == 0, "%s: %ld times in memory, %ld in files", n[i].name, memory, files);
    }
}

static void begin(void)
{
    small = orr__paillier_generate(here, 512);
    large = orr_paillier_generate(2048);
    public_half = orr_paillier_public(large);
}
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_GMP
    static const orr_test tests[] = {
        ORR_TEST(operations_are_those_of_integers),
        ORR_TEST(one_slot_has_every_axis),
        ORR_TEST(fractions_are_kept),
        ORR_TEST(overflow_of_slots_is_refused),
        ORR_TEST(wrong_calls_say_so),
        ORR_TEST(keys_and_ciphertexts_survive_bytes),
        ORR_TEST(prepared_noise_is_used_once),
        ORR_TEST(keys_and_numbers_leave_nothing),
        { 0 },
    };
    (void)setenv("ORRERY_CACHE_DIR", orr_test_tmp(""), 1);
    (void)setenv("ORRERY_TRACE", orr_test_tmp("trace.json"), 1);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    begin();
    int rc = small && large && public_half ? orr_test_main(argc, argv, "paillier encrypted", tests) : 1;
    orr_status st = orr_shutdown();
    orr_paillier_free(small);
    orr_paillier_free(large);
    orr_paillier_free(public_half);
    return st == ORR_OK ? rc : 1;
#else
    (void)argc;
    (void)argv;
    printf("built without GMP (libgmp-dev)\norr-test: 0 0 1\n");
    return 77;
#endif
}
