/* Targets of packs that read messages of other parties: secure aggregation, keys and ciphertexts of Paillier's encryption.
 * Must not know: how a message is made. */
#include "config.h"
#include "tests/fuzz/packs.h"

#include <stdlib.h>
#include <string.h>
#include "tests/share/parties.h"

static bool is_answer(orr_status st)
{
    return st == ORR_OK || st == ORR_EFORMAT || st == ORR_ESTATE || st == ORR_EINVAL;
}

/* A place for a message: the round, its direction, and the client. With `data` it is exchanged, else it is copied. */
typedef struct {
    int round, client;
    bool to_server;
    const unsigned char *data;
    size_t size;
    orr_bytes copied;
} place;

enum { CLIENTS = 3, ROUNDS = 5, PLACES = 2 * ROUNDS };

static place place_of(int i)
{
    return (place){ .round = i % ROUNDS, .to_server = i / ROUNDS % 2, .client = i / PLACES % CLIENTS };
}

static void exchange(void *user, int round, int from, int to, orr_bytes *message)
{
    place *p = user;
    if (round != p->round || (p->to_server ? from : to) != p->client)
        return;
    unsigned char *copy = malloc((p->data ? p->size : message->size) + 1);
    fuzz_expect(copy != NULL);
    if (p->data) {
        memcpy(copy, p->data, p->size);
        orr_bytes_free(message);
        *message = (orr_bytes){ copy, p->size };
    } else {
        memcpy(copy, message->data, message->size);
        p->copied = (orr_bytes){ copy, message->size };
    }
}

static bool with_sodium(void)
{
    unsigned char open[32], sign[64];
    return orr_secagg_identity(open, sign) == ORR_OK;
}

void fuzz_secagg(const unsigned char *data, size_t size)
{
    parties p;
    place at = place_of(size ? data[0] : 0);
    if (!size || !with_sodium())
        return;
    at.data = data + 1;
    at.size = size - 1;
    orr_scope *s = orr_scope_begin();
    fuzz_expect(parties_open(&p, CLIENTS, 2, 4, ORR_MOD_2_64, true));
    p.spy = exchange;
    p.user = &at;
    orr_status st = parties_run(&p, 0, 4);
    fuzz_expect(is_answer(st));
    fuzz_expect(is_answer(orr_eval(orr_secagg_result(p.server, ORR_I64))));
    parties_close(&p);
    (void)orr_scope_end(s);
}

unsigned char *fuzz_make_secagg(int i, size_t *size)
{
    static const unsigned char none[] = { 0 };
    parties p;
    place at = place_of(i);
    if (i >= PLACES)
        return NULL;
    unsigned char *seed = NULL;
    if (with_sodium() && parties_open(&p, CLIENTS, 2, 4, ORR_MOD_2_64, true)) {
        p.spy = exchange;
        p.user = &at;
        fuzz_expect(parties_run(&p, 0, 4) == ORR_OK);
        parties_close(&p);
    }
    const unsigned char *from = at.copied.data ? at.copied.data : none;
    *size = at.copied.size + 1;
    seed = malloc(*size);
    if (seed) {
        seed[0] = (unsigned char)i;
        memcpy(seed + 1, from, at.copied.size);
    }
    free(at.copied.data);
    return seed;
}

/* The key of all ciphertexts; NULL: built without GMP. */
static orr_paillier *key(void)
{
    static orr_paillier *made;
    static bool tried;
    if (!tried)
        made = orr_paillier_generate(2048);
    tried = true;
    return made;
}

void fuzz_paillier_key(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    fuzz_expect(copy != NULL);
    memcpy(copy, data, size);
    orr_paillier *k = orr_paillier_load(&(orr_bytes){ copy, size });
    orr_status st = orr_error_status();
    fuzz_expect(k || st == ORR_EFORMAT || st == ORR_EDEVICE || st == ORR_EINVAL);
    fuzz_expect(!k || orr_paillier_bits(k) >= 2048);
    orr_paillier_free(k);
    free(copy);
}

static unsigned char *of_bytes(orr_status st, orr_bytes *b, size_t *size)
{
    unsigned char *seed = st == ORR_OK ? malloc(b->size + 1) : NULL;
    if (seed)
        memcpy(seed, b->data, *size = b->size);
    orr_bytes_free(b);
    return seed;
}

unsigned char *fuzz_make_paillier_key(int i, size_t *size)
{
    orr_bytes b = { 0 };
    *size = 1;
    if (!key())
        return i == 0 ? calloc(1, 1) : NULL;
    return i < 2 ? of_bytes(orr_paillier_save(key(), i == 1, &b), &b, size) : NULL;
}

void fuzz_encrypted(const unsigned char *data, size_t size)
{
    orr_scope *s = orr_scope_begin();
    unsigned char *copy = malloc(size + 1);
    fuzz_expect(copy != NULL);
    memcpy(copy, data, size);
    orr_encrypted *e = key() ? orr_encrypted_load(key(), &(orr_bytes){ copy, size }) : NULL;
    orr_status st = orr_error_status();
    fuzz_expect(e || !key() || st == ORR_EFORMAT || st == ORR_EINVAL);
    if (e)
        (void)orr_eval(orr_paillier_decrypt(key(), e, ORR_F64));
    orr_encrypted_free(e);
    free(copy);
    (void)orr_scope_end(s);
}

unsigned char *fuzz_make_encrypted(int i, size_t *size)
{
    orr_bytes b = { 0 };
    *size = 1;
    if (i > 0 || !key())
        return i == 0 ? calloc(1, 1) : NULL;
    orr_scope *s = orr_scope_begin();
    orr_encrypted *e = orr_paillier_encrypt(key(), orr_ones(ORR_F64, ORR_SHAPE(2)),
                                            (orr_packing){ .fraction = 4, .most = 8, .headroom = 2 });
    unsigned char *seed = of_bytes(e ? orr_encrypted_save(e, &b) : ORR_EINVAL, &b, size);
    orr_encrypted_free(e);
    (void)orr_scope_end(s);
    return seed;
}

void fuzz_packs_end(void)
{
    orr_paillier_free(key());
}
