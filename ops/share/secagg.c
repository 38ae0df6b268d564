/* Secure aggregation: the run's config, the format of messages, masks on all workers.
 * Must not know: one side's state. */
#include "config.h"
#include <stdlib.h>
#include "ops/pack/parallel.h"
#include "ops/share/p61.h"
#include "ops/share/secagg.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

enum { MOST_CLIENTS = 65535, FORM = 1 }; /* limit of a format */
static const char magic[4] = { 'O', 'R', 'R', 'A' };

/* -- the run ----------------------------------------------------------------------------------------------- */

static orr_status check(orr__site at, const orr_secagg_config *c)
{
    orr_status st = orr__need_sodium(at);
    if (st != ORR_OK)
        return st;
    if (!c)
        return orr__fail(at, ORR_EINVAL, "the config is NULL");
    if (c->clients < 2 || c->clients > MOST_CLIENTS)
        return orr__fail(at, ORR_EINVAL, "a run has 2 to %d clients, not %d", MOST_CLIENTS, c->clients);
    if (c->threshold <= c->clients / 2 || c->threshold > c->clients)
        return orr__fail(at, ORR_EINVAL, "the threshold is more than half of the %d clients and at most all, not %d",
                         c->clients, c->threshold);
    if (c->length < 1 || c->length > (INT64_C(1) << 40))
        return orr__fail(at, ORR_ESHAPE, "a vector has 1 to 2^40 elements, not %lld", (long long)c->length);
    if (orr__fixed_most(at, c->encoding) < 0)
        return orr_error_status();
    if (c->encoding.modulus == ORR_MOD_P61)
        return orr__fail(at, ORR_EINVAL, "vectors are masked modulo 2^32 or 2^64, not 2^61 - 1");
    if (c->encoding.addends < c->clients)
        return orr__fail(at, ORR_EINVAL, "the encoding has room for %lld addends, and there are %d clients",
                         (long long)c->encoding.addends, c->clients);
    return ORR_OK;
}

/* The name of the run, a digest of the config: parties refuse messages of a run with another config. */
static orr_status name(orr__site at, orr__run_config *r)
{
    const orr_secagg_config *c = &r->c;
    size_t keys = r->identities ? (size_t)c->clients * ORR__KEY : 0;
    unsigned char *b = orr__alloc(128 + keys);
    if (!b)
        return orr__fail_place(at, ORR_ENOMEM);
    orr__cursor to = { b, 128 + keys, true };
    orr__write(&to, "orrery secagg", 13);
    orr__write_le(&to, FORM, 4);
    orr__write_le(&to, (uint64_t)c->clients, 4);
    orr__write_le(&to, (uint64_t)c->threshold, 4);
    orr__write_le(&to, (uint64_t)c->length, 8);
    orr__write_le(&to, (uint64_t)c->encoding.modulus, 4);
    orr__write_le(&to, (uint64_t)c->encoding.fraction, 4);
    orr__write_le(&to, (uint64_t)c->encoding.addends, 8);
    orr__write(&to, c->session, sizeof c->session);
    orr__write_le(&to, keys, 8);
    orr__write(&to, r->identities, keys);
    orr__digest(b, (size_t)(to.at - b), r->run, ORR__RUN);
    free(b);
    return ORR_OK;
}

orr_status orr__run_open(orr__site at, const orr_secagg_config *config, orr__run_config *r)
{
    orr_status st = check(at, config);
    if (st != ORR_OK)
        return st;
    r->c = *config;
    r->c.identities = NULL;
    r->width = orr_dtype_size(orr__modulus_dtype(config->encoding.modulus));
    if (config->identities) {
        r->identities = orr__alloc_n((size_t)config->clients, ORR__KEY);
        if (!r->identities)
            return orr__fail_place(at, ORR_ENOMEM);
        memcpy(r->identities, config->identities, (size_t)config->clients * ORR__KEY);
    }
    return name(at, r);
}

void orr__run_close(orr__run_config *r)
{
    free(r->identities);
    r->identities = NULL;
}

/* -- messages ------------------------------------------------------------------------------------------------ */

orr_status orr__message_new(orr__site at, const orr__run_config *r, orr__message kind, uint32_t from, uint32_t to,
                            size_t body, orr_bytes *out, orr__cursor *c)
{
    if (orr__bytes_new(at, out, ORR__HEADER + body) != ORR_OK)
        return ORR_ENOMEM;
    *c = (orr__cursor){ out->data, out->size, true };
    orr__write(c, magic, sizeof magic);
    orr__write_le(c, FORM, 1);
    orr__write_le(c, (uint64_t)kind, 1);
    orr__write_le(c, 0, 2);
    orr__write_le(c, from, 4);
    orr__write_le(c, to, 4);
    orr__write(c, r->run, ORR__RUN);
    orr__write_le(c, body, 8);
    *c = (orr__cursor){ out->data + ORR__HEADER, body, true };
    return ORR_OK;
}

typedef struct {
    char text[24];
} party_name;

static party_name party(uint32_t number)
{
    party_name p = { "the server" };
    if (number != ORR__SERVER)
        (void)snprintf(p.text, sizeof p.text, "client %u", number);
    return p;
}

orr_status orr__message_open(orr__site at, const orr__run_config *r, orr__message kind, uint32_t to,
                             const orr_bytes *in, uint32_t *from, orr__cursor *c)
{
    if (!in || (!in->data && in->size > 0))
        return orr__fail(at, ORR_EINVAL, "the message is NULL");
    *c = (orr__cursor){ in->data, in->size, true };
    const unsigned char *head = orr__take(c, sizeof magic);
    unsigned version = (unsigned)orr__take_le(c, 1), is = (unsigned)orr__take_le(c, 1);
    (void)orr__take_le(c, 2);
    uint32_t sender = (uint32_t)orr__take_le(c, 4), receiver = (uint32_t)orr__take_le(c, 4);
    const unsigned char *run = orr__take(c, ORR__RUN);
    uint64_t body = orr__take_le(c, 8);
    (void)orr__take(c, ORR__HEADER - 40);
    if (!c->ok || memcmp(head, magic, sizeof magic) != 0)
        return orr__fail(at, ORR_EFORMAT, "these %zu bytes are no message of a secure aggregation", in->size);
    if (version != FORM)
        return orr__fail(at, ORR_EFORMAT, "the message has version %u, this library version %d", version, FORM);
    if (memcmp(run, r->run, ORR__RUN) != 0)
        return orr__fail(at, ORR_EFORMAT, "the message belongs to another run, or its sender has another config");
    if (body != c->left)
        return orr__fail(at, ORR_EFORMAT,
                         "the message is truncated or too long: %llu bytes are announced, %zu are there",
                         (unsigned long long)body, c->left);
    if (is != (unsigned)kind)
        return orr__fail(at, ORR_ESTATE, "the message is of another round (kind %u, where kind %u is due)", is,
                         (unsigned)kind);
    bool by_server = to != ORR__SERVER;
    if (receiver != to)
        return orr__fail(at, ORR_EFORMAT, "the message is from %s to %s, and this is %s", party(sender).text,
                         party(receiver).text, party(to).text);
    if (by_server ? sender != ORR__SERVER : sender >= (uint32_t)r->c.clients)
        return orr__fail(at, ORR_EFORMAT, "the message is from %s, and one from %s is due", party(sender).text,
                         by_server ? "the server" : "a client of this run");
    *from = sender;
    return ORR_OK;
}

bool orr__next_index(orr__cursor *c, const orr__run_config *r, int64_t *last)
{
    int64_t index = (int64_t)orr__take_le(c, 4);
    bool ok = c->ok && index > *last && index < r->c.clients;
    *last = index;
    return ok;
}

static unsigned char *to_sign(const orr__run_config *r, const char *label, uint32_t index, const void *data,
                              size_t bytes, size_t *size)
{
    size_t words = strlen(label);
    *size = words + ORR__RUN + 4 + bytes;
    unsigned char *b = orr__alloc(*size);
    orr__cursor c = { b, b ? *size : 0, b != NULL };
    orr__write(&c, label, words);
    orr__write(&c, r->run, ORR__RUN);
    orr__write_le(&c, index, 4);
    orr__write(&c, data, bytes);
    return b;
}

unsigned char *orr__signed_keys(const orr__run_config *r, uint32_t index, const unsigned char *keys, size_t *size)
{
    return to_sign(r, "orrery secagg keys", index, keys, 2 * ORR__KEY, size);
}

unsigned char *orr__signed_list(const orr__run_config *r, const unsigned char *list, size_t bytes, size_t *size)
{
    return to_sign(r, "orrery secagg survivors", 0, list, bytes, size);
}

/* -- secrets --------------------------------------------------------------------------------------------------- */

/* Seven bytes per element, four in the last. */
void orr__secret_words(const unsigned char *secret, uint64_t *words)
{
    for (int i = 0; i < ORR__WORDS; i++)
        words[i] = orr__get_le(secret + 7 * i, i < ORR__WORDS - 1 ? 7 : 4);
}

bool orr__words_secret(const uint64_t *words, unsigned char *secret)
{
    uint64_t beyond = words[ORR__WORDS - 1] >> 32;
    for (int i = 0; i < ORR__WORDS; i++) {
        beyond |= words[i] >> 56;
        orr__put_le(secret + 7 * i, words[i], i < ORR__WORDS - 1 ? 7 : 4);
    }
    return beyond == 0;
}

typedef struct {
    orr__site at;
    const orr__run_config *r;
    char *acc;
    const orr__mask *mask;
    int64_t masks;
} job;

static orr_status mask_block(void *user, int64_t block)
{
    job *j = user;
    int64_t first = block * ORR__SHARE_BLOCK, left = j->r->c.length - first;
    unsigned char *room = orr__secret_new(ORR__MASK_ROOM);
    if (!room)
        return orr__fail_place(j->at, ORR_ENOMEM);
    bool ok = orr__mask_add(j->r->c.encoding.modulus, j->acc + (size_t)first * j->r->width, first,
                            left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK, j->mask, j->masks, room);
    orr__secret_free(room);
    orr__wipe_stack();
    return ok ? ORR_OK : orr__need_sodium(j->at);
}

orr_status orr__mask_all(orr__site at, const orr__run_config *r, void *acc, const orr__mask *mask, int64_t masks)
{
    job j = { at, r, acc, mask, masks };
    return orr__parallel(at, (r->c.length + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK, mask_block, &j);
}
