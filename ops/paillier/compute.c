/* Arithmetic of encrypted tensors: products of ciphertexts encrypt sums of numbers, powers encrypt multiples.
 * Must not know: encryption. */
#include "config.h"
#ifdef HAVE_GMP
#include <stdlib.h>
#include <string.h>
#include "ops/pack/parallel.h"
#include "ops/paillier/paillier.h"
#include "ops/record.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/base/threshold.h"

/* Output i is Π in[outer·terms·inner + k·inner + rest]^w over k, where i = outer·inner + rest. The weight w depends on k or
 * i. */
typedef struct {
    orr__site at;
    const orr_encrypted *a, *b; /* b: of an addition */
    orr_encrypted *e;
    int64_t terms, inner, block;
    const int64_t *weight; /* NULL: all 1                                    */
    int64_t by_term, by_output,
        per_weight;   /* weight of term k of output i: weight[k·by_term + i/per_weight·by_output] */
    const int64_t *x; /* of an addition of plain numbers */
    int64_t row, per_row;
} job;

static mp_limb_t *at_place(const orr_encrypted *e, int64_t i)
{
    return e->limbs + i * 2 * e->pub->limbs;
}

static uint64_t magnitude(int64_t w)
{
    return w < 0 ? 0 - (uint64_t)w : (uint64_t)w;
}

/* Π c^|w| over the terms whose weight has this sign, with one sequence of squarings for all terms (Straus). */
static void power_product(const job *j, int64_t i, bool negative, mp_limb_t *acc, mp_limb_t *room)
{
    const orr__public *pub = j->a->pub;
    mp_size_t l = 2 * pub->limbs;
    const int64_t *w = j->weight ? j->weight + i / j->per_weight * j->by_output : NULL;
    const mp_limb_t *from = at_place(j->a, i / j->inner * j->terms * j->inner + i % j->inner);
    uint64_t all = 0;
    for (int64_t k = 0; k < j->terms; k++)
        if (!w ? !negative : (w[k * j->by_term] < 0) == negative)
            all |= w ? magnitude(w[k * j->by_term]) : 1;
    mpn_zero(acc, l);
    acc[0] = 1;
    bool one = true;
    for (int bit = all ? 63 - __builtin_clzll(all) : -1; bit >= 0; bit--) {
        if (!one)
            orr__paillier_mul(pub, acc, acc, acc, room);
        for (int64_t k = 0; k < j->terms; k++) {
            int64_t v = w ? w[k * j->by_term] : 1;
            if ((v < 0) != negative || !(magnitude(v) >> bit & 1))
                continue;
            if (one)
                mpn_copyi(acc, from + k * j->inner * l, l);
            else
                orr__paillier_mul(pub, acc, acc, from + k * j->inner * l, room);
            one = false;
        }
    }
}

/* acc / other mod n². All ciphertexts have inverses; loaded ones were checked. */
static orr_status divide(const job *j, mp_limb_t *acc, const mp_limb_t *other, mp_limb_t *room)
{
    mp_size_t l = 2 * j->a->pub->limbs, used = l;
    while (used > 0 && other[used - 1] == 0)
        used--;
    mpz_t o, n2, r;
    mpz_init(r);
    bool ok = mpz_invert(r, mpz_roinit_n(o, other, used), mpz_roinit_n(n2, j->a->pub->n2, l)) != 0;
    if (ok) {
        mp_limb_t *x = room + 4 * l;
        mpn_zero(x, l);
        mpn_copyi(x, mpz_limbs_read(r), (mp_size_t)mpz_size(r));
        orr__paillier_mul(j->a->pub, acc, acc, x, room);
    }
    mpz_clear(r);
    return ok ? ORR_OK : orr__fail(j->at, ORR_EFORMAT, "a number is no ciphertext of its key");
}

static orr_status combine_block(void *user, int64_t block)
{
    const job *j = user;
    mp_size_t l = 2 * j->a->pub->limbs;
    mp_limb_t *acc = orr__alloc_n(8 * (size_t)l, sizeof *acc);
    if (!acc)
        return orr__fail_place(j->at, ORR_ENOMEM);
    mp_limb_t *other = acc + l, *room = other + l;
    orr_status st = ORR_OK;
    int64_t end = (block + 1) * j->block < j->e->count ? (block + 1) * j->block : j->e->count;
    for (int64_t i = block * j->block; st == ORR_OK && i < end; i++) {
        power_product(j, i, false, acc, room);
        if (j->weight) {
            power_product(j, i, true, other, room);
            if (other[0] != 1 || !mpn_zero_p(other + 1, l - 1))
                st = divide(j, acc, other, room);
        }
        mpn_copyi(at_place(j->e, i), acc, l);
    }
    free(acc);
    return st;
}

static orr_encrypted *run(orr__site at, job *j, int64_t work, orr__block_fn *fn)
{
    j->at = at;
    enum { WORTH = 64 * ORR__T_SHARE }; /* products, of about a µs, that are worth a task */
    j->block = work < WORTH ? WORTH / (work > 0 ? work : 1) : 1;
    orr_status st = orr__check_bound(at, j->e);
    if (st == ORR_OK)
        st = orr__parallel(at, (j->e->count + j->block - 1) / j->block, fn, j);
    if (st == ORR_OK)
        return j->e;
    orr_encrypted_free(j->e);
    return NULL;
}

/* -- sums of two ---------------------------------------------------------------------------------------------- */

static orr_status add_block(void *user, int64_t block)
{
    const job *j = user;
    mp_size_t l = 2 * j->a->pub->limbs;
    mp_limb_t *room = orr__alloc_n(4 * (size_t)l, sizeof *room);
    if (!room)
        return orr__fail_place(j->at, ORR_ENOMEM);
    for (int64_t i = block * j->block; i < j->e->count && i < (block + 1) * j->block; i++)
        orr__paillier_mul(j->a->pub, at_place(j->e, i), at_place(j->a, i), at_place(j->b, i), room);
    free(room);
    return ORR_OK;
}

orr_encrypted *orr_paillier_add_at(const char *file, int line, const orr_encrypted *a, const orr_encrypted *b)
{
    orr__site at = ORR__SITE(file, line, "paillier_add");
    if (orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK ||
        orr__object_check(at, &orr__kind_encrypted, b) != ORR_OK)
        return NULL;
    if (memcmp(a->pub->id, b->pub->id, sizeof a->pub->id) != 0)
        return (void)orr__fail(at, ORR_EINVAL, "a belongs to key %02x%02x%02x%02x…, b to key %02x%02x%02x%02x…",
                               a->pub->id[0], a->pub->id[1], a->pub->id[2], a->pub->id[3], b->pub->id[0], b->pub->id[1],
                               b->pub->id[2], b->pub->id[3]),
               NULL;
    if (!orr__shape_equal(&a->shape, &b->shape))
        return (void)orr__fail(at, ORR_ESHAPE, "the shapes differ: %s and %s", orr__str(a->shape).s,
                               orr__str(b->shape).s),
               NULL;
    if (a->fraction != b->fraction || a->slots != b->slots || a->slot_bits != b->slot_bits)
        return (void)orr__fail(at, ORR_EINVAL,
                               "the packings differ: %d slots of %d bits, fraction %d, and %d of %d, fraction %d",
                               a->slots, a->slot_bits, a->fraction, b->slots, b->slot_bits, b->fraction),
               NULL;
    job j = { .a = a, .b = b };
    j.e = orr__encrypted_new(at, a->pub, &a->shape, a->fraction, a->slots, a->slot_bits);
    if (!j.e)
        return NULL;
    mpz_add(j.e->bound, a->bound, b->bound);
    return run(at, &j, 2, add_block);
}

static orr_status add_plain_block(void *user, int64_t block)
{
    const job *j = user;
    const orr__public *pub = j->a->pub;
    mp_size_t l = pub->limbs;
    mp_limb_t *m = orr__alloc_n(12 * (size_t)l, sizeof *m), *t = m + l, *room = t + 2 * l;
    if (!m)
        return orr__fail_place(j->at, ORR_ENOMEM);
    for (int64_t i = block * j->block; i < j->e->count && i < (block + 1) * j->block; i++) {
        int64_t in_row = i % j->per_row * j->e->slots, left = j->row - in_row;
        orr__pack(pub, j->x + i / j->per_row * j->row + in_row, (int)(left < j->e->slots ? left : j->e->slots),
                  j->e->slots, j->e->slot_bits, m, room);
        mpn_mul_n(t, m, pub->n, l);
        (void)mpn_add_1(t, t, 2 * l, 1);
        orr__paillier_mul(pub, at_place(j->e, i), at_place(j->a, i), t, room);
    }
    free(m);
    return ORR_OK;
}

/* x as integers with this fraction, and their largest magnitude. NULL: last error set. */
static int64_t *integers(orr__site at, orr_tensor *x, const char *name, int fraction, orr_shape *shape, uint64_t *most)
{
    orr__operand_data o;
    if (fraction < 0 || fraction > ORR_FIXED_MOST)
        return (void)orr__fail(at, ORR_EINVAL, "the fraction has 0 to %d bits, not %d", ORR_FIXED_MOST, fraction), NULL;
    if (!orr__operand_number(at, x, name, &o))
        return NULL;
    int64_t limit = (int64_t)1 << 62, *v = orr__alloc_n((size_t)o.n + 1, sizeof *v);
    int64_t bad = v ? orr__fixed_encode(ORR_MOD_2_64, fraction, limit, o.dtype, o.data, o.n, v) : -1;
    if (!v) {
        (void)orr__fail_place(at, ORR_ENOMEM);
    } else if (bad >= 0) {
        (void)orr__fail(at, ORR_EINDEX, "element %lld of %s is no number below 2^62 with %d bits of fraction",
                        (long long)bad, name, fraction);
        free(v);
        v = NULL;
    }
    *most = 0;
    for (int64_t i = 0; v && i < o.n; i++) {
        uint64_t m = magnitude(v[i]);
        *most = m > *most ? m : *most;
    }
    *shape = o.shape;
    orr__operand_close(&o);
    return v;
}

orr_encrypted *orr_paillier_add_plain_at(const char *file, int line, const orr_encrypted *a, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "paillier_add_plain");
    orr_shape shape;
    uint64_t most;
    if (orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK)
        return NULL;
    int64_t *v = integers(at, x, "x", a->fraction, &shape, &most);
    if (!v)
        return NULL;
    job j = { .a = a, .x = v };
    if (orr__shape_equal(&shape, &a->shape))
        j.e = orr__encrypted_new(at, a->pub, &a->shape, a->fraction, a->slots, a->slot_bits);
    else
        (void)orr__fail(at, ORR_ESHAPE, "the shapes differ: %s and %s", orr__str(a->shape).s, orr__str(shape).s);
    if (j.e) {
        j.row = shape.rank > 0 ? shape.dim[shape.rank - 1] : 1;
        j.per_row = (j.row + a->slots - 1) / a->slots;
        mpz_add_ui(j.e->bound, a->bound, most);
        j.e = run(at, &j, 3, add_plain_block);
    }
    free(v);
    return j.e;
}

/* -- multiples, sums and dots ------------------------------------------------------------------------------------ */

static int64_t bits_of(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 1;
}

orr_encrypted *orr_paillier_mul_plain_at(const char *file, int line, const orr_encrypted *a, orr_tensor *w,
                                         int fraction)
{
    orr__site at = ORR__SITE(file, line, "paillier_mul_plain");
    orr_shape shape;
    uint64_t most;
    if (orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK)
        return NULL;
    int64_t *v = integers(at, w, "w", fraction, &shape, &most);
    if (!v)
        return NULL;
    job j = { .a = a, .terms = 1, .inner = 1, .weight = v, .per_weight = 1 };
    orr_shape rows = a->shape;
    int64_t row = rows.rank > 0 ? rows.dim[rows.rank - 1] : 1;
    if (rows.rank > 0)
        rows.dim[rows.rank - 1] = 1;
    bool fits = true;
    if (orr__shape_count(&shape) == 1) {
        j.by_output = 0;
    } else if (orr__shape_equal(&shape, &rows)) {
        j.by_output = 1;
        j.per_weight = (row + a->slots - 1) / a->slots;
    } else if (orr__shape_equal(&shape, &a->shape) && a->slots == 1) {
        j.by_output = 1;
    } else {
        fits = false;
        (void)orr__fail(at, ORR_ESHAPE, "w has shape %s: it is one number, one for each row (%s)%s", orr__str(shape).s,
                        orr__str(rows).s,
                        a->slots == 1 ? ", or one for each element" : ", since slots share a ciphertext");
    }
    j.e = fits ? orr__encrypted_new(at, a->pub, &a->shape, a->fraction + fraction, a->slots, a->slot_bits) : NULL;
    if (j.e) {
        mpz_mul_ui(j.e->bound, a->bound, most ? most : 1);
        j.e = run(at, &j, 2 * bits_of(most), combine_block);
    }
    free(v);
    return j.e;
}

/* The sum over one axis, with weights w; w NULL: all 1. */
static orr_encrypted *reduce(orr__site at, const orr_encrypted *a, int axis, const int64_t *w, uint64_t most,
                             const mpz_t total, int fraction)
{
    int k = orr__axis(axis, a->shape.rank);
    if (k < 0)
        return (void)orr__fail(at, ORR_EAXIS, "axis %d is out of range for shape %s", axis, orr__str(a->shape).s), NULL;
    bool last = k == a->shape.rank - 1;
    if (last && a->slots > 1)
        return (void)orr__fail(at, ORR_EAXIS,
                               "%d numbers of the last axis share a ciphertext: sum them after decryption, or encrypt "
                               "with one slot",
                               a->slots),
               NULL;
    orr_shape shape = { .rank = a->shape.rank - 1 };
    int64_t row = a->shape.dim[a->shape.rank - 1];
    job j = { .a = a,
              .terms = a->shape.dim[k],
              .inner = last ? 1 : (row + a->slots - 1) / a->slots,
              .weight = w,
              .by_term = 1,
              .per_weight = 1 };
    for (int i = 0; i < a->shape.rank; i++) {
        if (i != k)
            shape.dim[i - (i > k)] = a->shape.dim[i];
        if (i > k && i < a->shape.rank - 1)
            j.inner *= a->shape.dim[i];
    }
    j.e = orr__encrypted_new(at, a->pub, &shape, a->fraction + fraction, a->slots, a->slot_bits);
    if (!j.e)
        return NULL;
    mpz_mul(j.e->bound, a->bound, total);
    return run(at, &j, j.terms * bits_of(most), combine_block);
}

orr_encrypted *orr_paillier_sum_at(const char *file, int line, const orr_encrypted *a, int axis)
{
    orr__site at = ORR__SITE(file, line, "paillier_sum");
    if (orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK)
        return NULL;
    int k = orr__axis(axis, a->shape.rank);
    mpz_t total;
    mpz_init_set_si(total, k >= 0 ? (long)a->shape.dim[k] : 1);
    orr_encrypted *e = reduce(at, a, axis, NULL, 1, total, 0);
    mpz_clear(total);
    return e;
}

orr_encrypted *orr_paillier_dot_at(const char *file, int line, const orr_encrypted *a, orr_tensor *w, int axis,
                                   int fraction)
{
    orr__site at = ORR__SITE(file, line, "paillier_dot");
    orr_shape shape;
    uint64_t most;
    if (orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK)
        return NULL;
    int64_t *v = integers(at, w, "w", fraction, &shape, &most);
    if (!v)
        return NULL;
    int k = orr__axis(axis, a->shape.rank);
    orr_encrypted *e = NULL;
    if (shape.rank != 1 || (k >= 0 && shape.dim[0] != a->shape.dim[k])) {
        (void)orr__fail(at, ORR_ESHAPE, "w has shape %s: it has one axis, as long as the axis of a that goes",
                        orr__str(shape).s);
    } else {
        mpz_t total;
        mpz_init(total);
        for (int64_t i = 0; i < shape.dim[0]; i++)
            mpz_add_ui(total, total, magnitude(v[i]));
        e = reduce(at, a, axis, v, most, total, fraction);
        mpz_clear(total);
    }
    free(v);
    return e;
}

#endif
