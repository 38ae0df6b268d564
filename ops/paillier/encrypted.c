/* Encrypted tensors: encryption, decryption, conversion to and from bytes.
 * Must not know: arithmetic on them. */
#include "config.h"
#ifdef HAVE_GMP
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/ops.h>
#include "ops/pack/bytes.h"
#include "ops/pack/parallel.h"
#include "ops/paillier/paillier.h"
#include "ops/record.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"
#include "runtime/base/shape.h"

enum { FORM = 1 };
static const char magic[4] = { 'O', 'R', 'R', 'C' };

static int64_t row_length(const orr_shape *s)
{
    return s->rank > 0 ? s->dim[s->rank - 1] : 1;
}

const orr__object_kind orr__kind_encrypted = { "encrypted tensor", sizeof(orr_encrypted) };

orr_encrypted *orr__encrypted_new(orr__site at, orr__public *pub, const orr_shape *shape, int fraction, int slots,
                                  int slot_bits)
{
    orr_encrypted *e = orr__object_new(&orr__kind_encrypted);
    if (!e)
        return (void)orr__fail_place(at, ORR_ENOMEM), NULL;
    int64_t n = orr__shape_count(shape), row = row_length(shape);
    e->pub = orr__public_ref(pub);
    e->shape = *shape;
    e->fraction = fraction;
    e->slots = slots;
    e->slot_bits = slot_bits;
    e->count = n > 0 ? n / row * ((row + slots - 1) / slots) : 0;
    mpz_init(e->bound);
    e->limbs = orr__alloc_n((size_t)e->count * 2 * (size_t)pub->limbs + 1, sizeof *e->limbs);
    if (e->limbs)
        return e;
    orr_encrypted_free(e);
    return (void)orr__fail_place(at, ORR_ENOMEM), NULL;
}

void orr_encrypted_free(orr_encrypted *e)
{
    if (!orr__object_there("encrypted_free", &orr__kind_encrypted, e))
        return;
    mpz_clear(e->bound);
    orr__public_unref(e->pub);
    free(e->limbs);
    orr__object_end(&orr__kind_encrypted, e);
}

orr_shape orr_encrypted_shape(const orr_encrypted *e)
{
    return orr__object_there("encrypted_shape", &orr__kind_encrypted, e) ? e->shape : (orr_shape){ .rank = -1 };
}

int orr_encrypted_slots(const orr_encrypted *e)
{
    return orr__object_there("encrypted_slots", &orr__kind_encrypted, e) ? e->slots : 0;
}

/* Checks that numbers of both signs fit into a slot of s bits: bound < 2^(s−1). */
orr_status orr__check_bound(orr__site at, const orr_encrypted *e)
{
    if (mpz_sizeinbase(e->bound, 2) < (size_t)e->slot_bits)
        return ORR_OK;
    return orr__fail(at, ORR_EINDEX,
                     "the result may have %zu bits and a sign, and slots have %d: encrypt with more headroom",
                     mpz_sizeinbase(e->bound, 2), e->slot_bits);
}

/* Returns the largest integer of a packing, and its slots and their bits. −1: the packing is not valid. */
static int64_t layout(orr__site at, const orr__public *pub, orr_packing p, int64_t row, int *slots, int *slot_bits)
{
    double b = rint(ldexp(p.most, p.fraction));
    if (p.fraction < 0 || p.fraction > ORR_FIXED_MOST)
        return orr__fail(at, ORR_EINVAL, "the fraction has 0 to %d bits, not %d", ORR_FIXED_MOST, p.fraction), -1;
    if (!(p.most > 0.0) || !(b >= 1.0) || !(b < 0x1p62))
        return orr__fail(at, ORR_EINVAL, "the largest number times 2^fraction is 1 to 2^62, not %g", b), -1;
    if (!(p.headroom >= 1.0) || !(p.headroom <= 0x1p62))
        return orr__fail(at, ORR_EINVAL, "the headroom is 1 to 2^62, not %g", p.headroom), -1;
    mpz_t room, most;
    mpz_init_set_d(room, ceil(p.headroom));
    mpz_init_set_d(most, b);
    mpz_mul(room, room, most);
    int bits = (int)mpz_sizeinbase(room, 2) + 1, fit = (pub->bits - 2) / bits;
    mpz_clear(room);
    mpz_clear(most);
    if (p.slots < 0 || p.slots > fit)
        return orr__fail(at, ORR_EINVAL, "%d slots of %d bits fit into a key of %d, not %d", fit, bits, pub->bits,
                         p.slots),
               -1;
    *slots = p.slots ? p.slots : fit;
    if (*slots > row && row > 0)
        *slots = (int)row;
    *slot_bits = *slots == 1 ? pub->bits - 2 : bits;
    return (int64_t)b;
}

typedef struct {
    orr__site at;
    const orr_paillier *key;
    orr_encrypted *e;
    const orr_encrypted *from;
    int64_t row, per_row; /* numbers and ciphertexts of a row */
    int64_t *v;           /* in memory for secrets            */
    double *out;
    int64_t *integers;
} job;

static mp_limb_t *ciphertext(const orr_encrypted *e, int64_t i)
{
    return e->limbs + i * 2 * e->pub->limbs;
}

/* The numbers in ciphertext i: *first is the first one; returns how many. */
static int numbers_of(const job *j, const orr_encrypted *e, int64_t i, int64_t *first)
{
    int64_t in_row = i % j->per_row * e->slots, left = j->row - in_row;
    *first = i / j->per_row * j->row + in_row;
    return (int)(left < e->slots ? left : e->slots);
}

static orr_status noise_for(const job *j, mp_limb_t *noise, mp_limb_t *room)
{
    return orr__noise_take(j->key, noise) ? ORR_OK : orr__paillier_noise(j->at, j->key->pub, j->key->priv, noise, room);
}

static orr_status encrypt_block(void *user, int64_t i)
{
    const job *j = user;
    const orr__public *pub = j->key->pub;
    mp_limb_t *m = orr__secret_new((orr__paillier_room(pub) + 3 * (size_t)pub->limbs) * sizeof *m);
    if (!m)
        return orr__fail_place(j->at, ORR_ENOMEM);
    mp_limb_t *noise = m + pub->limbs, *room = noise + 2 * pub->limbs;
    int64_t first;
    int n = numbers_of(j, j->e, i, &first);
    orr_status st = noise_for(j, noise, room);
    orr__pack(pub, j->v + first, n, j->e->slots, j->e->slot_bits, m, room);
    if (st == ORR_OK)
        orr__paillier_encrypt(pub, m, noise, ciphertext(j->e, i), room);
    orr__secret_free(m);
    orr__wipe_stack();
    return st;
}

orr_encrypted *orr_paillier_encrypt_at(const char *file, int line, orr_paillier *key, orr_tensor *x,
                                       orr_packing packing)
{
    orr__site at = ORR__SITE(file, line, "paillier_encrypt");
    orr__operand_data o;
    int slots = 1, bits = 0;
    if (orr__object_check(at, &orr__kind_paillier, key) != ORR_OK)
        return NULL;
    if (!orr__operand_number(at, x, "x", &o))
        return NULL;
    int64_t most = layout(at, key->pub, packing, row_length(&o.shape), &slots, &bits);
    job j = { .at = at, .key = key };
    orr_status st = most >= 0 ? ORR_OK : ORR_EINVAL;
    if (st == ORR_OK) {
        j.e = orr__encrypted_new(at, key->pub, &o.shape, packing.fraction, slots, bits);
        j.v = orr__secret_new(((size_t)o.n + 1) * sizeof *j.v);
        st = j.e && j.v ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    }
    if (st == ORR_OK) {
        mpz_set_si(j.e->bound, (long)most);
        j.row = row_length(&o.shape);
        j.per_row = (j.row + slots - 1) / slots;
        int64_t bad = orr__fixed_encode(ORR_MOD_2_64, packing.fraction, most, o.dtype, o.data, o.n, j.v);
        if (bad >= 0)
            st = orr__fail(at, ORR_EINDEX, "element %lld is no number of magnitude at most %.17g", (long long)bad,
                           ldexp((double)most, -packing.fraction));
    }
    if (st == ORR_OK)
        st = orr__parallel(at, j.e->count, encrypt_block, &j);
    orr__secret_free(j.v);
    orr__operand_close(&o);
    if (st == ORR_OK)
        return j.e;
    orr_encrypted_free(j.e);
    return NULL;
}

static orr_status rerandomize_block(void *user, int64_t i)
{
    const job *j = user;
    const orr__public *pub = j->key->pub;
    mp_limb_t *noise = orr__secret_new((orr__paillier_room(pub) + 2 * (size_t)pub->limbs) * sizeof *noise);
    if (!noise)
        return orr__fail_place(j->at, ORR_ENOMEM);
    mp_limb_t *room = noise + 2 * pub->limbs;
    orr_status st = noise_for(j, noise, room);
    if (st == ORR_OK)
        orr__paillier_mul(pub, ciphertext(j->e, i), ciphertext(j->from, i), noise, room);
    orr__secret_free(noise);
    orr__wipe_stack();
    return st;
}

static orr_status same_key(orr__site at, const orr__public *a, const orr__public *b)
{
    if (memcmp(a->id, b->id, sizeof a->id) == 0)
        return ORR_OK;
    return orr__fail(at, ORR_EINVAL, "the ciphertexts belong to key %02x%02x%02x%02x…, this is key %02x%02x%02x%02x…",
                     a->id[0], a->id[1], a->id[2], a->id[3], b->id[0], b->id[1], b->id[2], b->id[3]);
}

orr_encrypted *orr_paillier_rerandomize_at(const char *file, int line, orr_paillier *key, const orr_encrypted *a)
{
    orr__site at = ORR__SITE(file, line, "paillier_rerandomize");
    if (orr__object_check(at, &orr__kind_paillier, key) != ORR_OK ||
        orr__object_check(at, &orr__kind_encrypted, a) != ORR_OK)
        return NULL;
    if (same_key(at, a->pub, key->pub) != ORR_OK)
        return NULL;
    orr_encrypted *e = orr__encrypted_new(at, a->pub, &a->shape, a->fraction, a->slots, a->slot_bits);
    if (!e)
        return NULL;
    mpz_set(e->bound, a->bound);
    job j = { .at = at, .key = key, .e = e, .from = a };
    if (orr__parallel(at, e->count, rerandomize_block, &j) == ORR_OK)
        return e;
    orr_encrypted_free(e);
    return NULL;
}

/* -- decryption -------------------------------------------------------------------------------------------------- */

static orr_status decrypt_block(void *user, int64_t i)
{
    const job *j = user;
    const orr_encrypted *e = j->from;
    mp_limb_t *m = orr__secret_new((orr__paillier_room(e->pub) + (size_t)e->pub->limbs) * sizeof *m);
    if (!m)
        return orr__fail_place(j->at, ORR_ENOMEM);
    int64_t first;
    int n = numbers_of(j, e, i, &first);
    orr__paillier_decrypt(e->pub, j->key->priv, ciphertext(e, i), m, m + e->pub->limbs);
    orr_status st = ORR_OK;
    if (!orr__unpack_begin(e->pub, e->slots, e->slot_bits, m, m + e->pub->limbs))
        st = orr__fail(j->at, ORR_EFORMAT, "ciphertext %lld holds no packed numbers: it was changed", (long long)i);
    for (int k = 0; st == ORR_OK && k < n; k++) {
        if (j->out)
            j->out[first + k] = orr__unpack_double(m, k, e->slot_bits, e->fraction);
        else if (!orr__unpack_integer(m, k, e->slot_bits, &j->integers[first + k]))
            st = orr__fail(j->at, ORR_EINDEX, "the integer of element %lld does not fit into int64",
                           (long long)first + k);
    }
    orr__secret_free(m);
    orr__wipe_stack();
    return st;
}

orr_tensor *orr_paillier_decrypt_at(const char *file, int line, const orr_paillier *key, const orr_encrypted *e,
                                    orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "paillier_decrypt");
    if (orr__object_check(at, &orr__kind_paillier, key) != ORR_OK ||
        orr__object_check(at, &orr__kind_encrypted, e) != ORR_OK)
        return orr__handle_new(NULL);
    if (!key->priv)
        return orr__poison(at, ORR_EINVAL, "the key has no private half");
    if (same_key(at, e->pub, key->pub) != ORR_OK)
        return orr__handle_new(NULL);
    if (dtype != ORR_I64 && (dtype < ORR_F16 || dtype > ORR_F64))
        return orr__poison(at, ORR_EDTYPE, "the result is of a float dtype or int64, not %s", orr_dtype_name(dtype));
    orr_dtype made = dtype == ORR_I64 ? ORR_I64 : ORR_F64;
    int64_t n = orr__shape_count(&e->shape);
    void *data = orr__result_new(at, made, n);
    job j = { .at = at, .key = key, .from = e, .out = made == ORR_F64 ? data : NULL, .integers = data };
    j.row = row_length(&e->shape);
    j.per_row = (j.row + e->slots - 1) / e->slots;
    orr_status st = data ? orr__parallel(at, e->count, decrypt_block, &j) : ORR_ENOMEM;
    orr_tensor *r = orr__result(at, st, made, e->shape, data);
    return made == dtype ? r : orr_cast_at(file, line, r, dtype);
}

/* -- bytes -------------------------------------------------------------------------------------------------------- */

orr_status orr_encrypted_save_at(const char *file, int line, const orr_encrypted *e, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "encrypted_save");
    orr_status st = orr__object_check(at, &orr__kind_encrypted, e);
    if (st != ORR_OK)
        return st;
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place is NULL");
    size_t limbs = (size_t)e->count * 2 * (size_t)e->pub->limbs, bound = mpz_size(e->bound);
    size_t head = 4 + 4 + ORR_PAILLIER_ID + 4 * 4 + (size_t)e->shape.rank * 8 + 4 + bound * 8;
    st = orr__bytes_new(at, out, head + limbs * 8);
    if (st != ORR_OK)
        return st;
    orr__cursor c = { out->data, out->size, true };
    orr__write(&c, magic, sizeof magic);
    orr__write_le(&c, FORM, 4);
    orr__write(&c, e->pub->id, ORR_PAILLIER_ID);
    orr__write_le(&c, (uint64_t)e->fraction, 4);
    orr__write_le(&c, (uint64_t)e->slots, 4);
    orr__write_le(&c, (uint64_t)e->slot_bits, 4);
    orr__write_le(&c, (uint64_t)e->shape.rank, 4);
    for (int i = 0; i < e->shape.rank; i++)
        orr__write_le(&c, (uint64_t)e->shape.dim[i], 8);
    orr__write_le(&c, bound, 4);
    for (size_t i = 0; i < bound; i++)
        orr__write_le(&c, mpz_getlimbn(e->bound, (mp_size_t)i), 8);
    for (size_t i = 0; i < limbs; i++)
        orr__write_le(&c, e->limbs[i], 8);
    return ORR_OK;
}

/* True if c is below n² and has no common factor with n, as every ciphertext. */
static bool is_ciphertext(const orr__public *pub, const mp_limb_t *c)
{
    mp_size_t l = 2 * pub->limbs, used = l;
    if (mpn_cmp(c, pub->n2, l) >= 0)
        return false;
    while (used > 0 && c[used - 1] == 0)
        used--;
    mpz_t a, n, g;
    mpz_init(g);
    mpz_gcd(g, mpz_roinit_n(a, c, used), mpz_roinit_n(n, pub->n, pub->limbs));
    bool one = mpz_cmp_ui(g, 1) == 0;
    mpz_clear(g);
    return one;
}

static orr_status check_block(void *user, int64_t i)
{
    const job *j = user;
    if (is_ciphertext(j->e->pub, ciphertext(j->e, i)))
        return ORR_OK;
    return orr__fail(j->at, ORR_EFORMAT, "number %lld is no ciphertext of this key", (long long)i);
}

orr_encrypted *orr_encrypted_load_at(const char *file, int line, const orr_paillier *key, const orr_bytes *in)
{
    orr__site at = ORR__SITE(file, line, "encrypted_load");
    if (orr__object_check(at, &orr__kind_paillier, key) != ORR_OK)
        return NULL;
    if (!in || (!in->data && in->size > 0))
        return (void)orr__fail(at, ORR_EINVAL, "the bytes are NULL"), NULL;
    orr__cursor c = { in->data, in->size, true };
    const unsigned char *head = orr__take(&c, sizeof magic);
    unsigned form = (unsigned)orr__take_le(&c, 4);
    const unsigned char *id = orr__take(&c, ORR_PAILLIER_ID);
    uint64_t fraction = orr__take_le(&c, 4), slots = orr__take_le(&c, 4), bits = orr__take_le(&c, 4);
    orr_shape shape = { 0 };
    uint64_t rank = orr__take_le(&c, 4);
    if (!c.ok || memcmp(head, magic, sizeof magic) != 0)
        return (void)orr__fail(at, ORR_EFORMAT, "these %zu bytes are no encrypted tensor", in->size), NULL;
    if (form != FORM)
        return (void)orr__fail(at, ORR_EFORMAT, "the encrypted tensor has version %u, this library version %d", form,
                               FORM),
               NULL;
    orr__public other = { 0 };
    memcpy(other.id, id, sizeof other.id);
    if (same_key(at, &other, key->pub) != ORR_OK)
        return (void)orr__fail_text(ORR_EFORMAT, orr_error_message()), NULL;
    shape.rank = rank <= ORR_MAX_RANK ? (int)rank : -1;
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = (int64_t)orr__take_le(&c, 8);
    uint64_t bound = orr__take_le(&c, 4), most = (uint64_t)key->pub->bits - 2;
    /* limit of a format */
    bool sound = c.ok && shape.rank >= 0 && orr__shape_valid(&shape) && fraction <= 1 << 20 && slots >= 1 &&
                 bits >= 2 && slots <= most && bits <= most && slots * bits <= most &&
                 bound <= (uint64_t)key->pub->limbs && c.left / 8 >= bound;
    int64_t n = sound ? orr__shape_count(&shape) : -1, row = sound ? row_length(&shape) : 1;
    int64_t count = n > 0 ? n / row * ((row + (int64_t)slots - 1) / (int64_t)slots) : 0;
    size_t each = (size_t)key->pub->limbs * 16;
    if (!sound || n < 0 || (c.left - bound * 8) / each != (size_t)count || (c.left - bound * 8) % each != 0)
        return (void)orr__fail(at, ORR_EFORMAT, "the encrypted tensor is truncated, or its header makes no sense"),
               NULL;
    orr_encrypted *e = orr__encrypted_new(at, key->pub, &shape, (int)fraction, (int)slots, (int)bits);
    if (!e)
        return NULL;
    for (uint64_t i = 0; i < bound; i++) {
        mpz_t limb;
        mp_limb_t x = orr__take_le(&c, 8);
        mpz_init_set_ui(limb, x);
        mpz_mul_2exp(limb, limb, (mp_bitcnt_t)i * 64);
        mpz_add(e->bound, e->bound, limb);
        mpz_clear(limb);
    }
    for (size_t i = 0; i < (size_t)count * each / 8; i++)
        e->limbs[i] = orr__take_le(&c, 8);
    job j = { .at = at, .e = e };
    orr_status st = orr__check_bound(at, e) == ORR_OK
                        ? orr__parallel(at, count, check_block, &j)
                        : orr__fail(at, ORR_EFORMAT, "the encrypted tensor's bound does not fit its slots");
    if (st == ORR_OK)
        return e;
    orr_encrypted_free(e);
    return NULL;
}

#endif
