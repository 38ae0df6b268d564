/* Secure aggregation, a client's side: new keys, shares of them for the other clients, a masked vector, and the shares
 * that unmask the sum.
 * Must not know: the server's state, the transport. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "ops/pack/parallel.h"
#include "ops/share/p61.h"
#include "ops/share/secagg.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/secret.h"
#include "runtime/base/threshold.h"

typedef enum { TO_ADVERTISE, TO_SHARE, TO_MASK, TO_CONFIRM, TO_UNMASK, ENDED } stage;
static const char *const stage_name[] = { "advertise", "share_keys", "mask", "confirm", "unmask", "nothing any more" };

/* The whole struct is in memory for secrets. */
struct orr_secagg_client {
    uint64_t process; /* orr__fork_number + 1; a child that took part too would give the difference of vectors away */
    orr__run_config r;
    uint32_t index;
    stage stage;
    bool identity;
    unsigned char sign[ORR__SIGN];
    unsigned char channel[ORR__KEY], channel_public[ORR__KEY]; /* key pair for the encryption of shares */
    unsigned char masking[ORR__KEY], masking_public[ORR__KEY]; /* key pair for the masks of pairs */
    unsigned char seed[ORR__KEY];                              /* of this client's own mask          */
    uint64_t own[2][ORR__WORDS];                               /* shares of its own key and seed */
    /* Public, in ordinary memory, one per client: */
    unsigned char *keys;   /* both public keys of each client that advertised  */
    unsigned char *sealed; /* messages of the others, encrypted for this client */
    unsigned char *state;  /* bits below                                        */
    unsigned char *list;   /* the list that was confirmed                       */
    size_t list_size;
};
enum { HAS_KEYS = 1, HAS_SHARED = 2, HAS_MASKED = 4 };

static orr_status need(orr__site at, const orr_secagg_client *c, stage s, const orr_bytes *out)
{
    if (!c)
        return orr__fail(at, ORR_EINVAL, "the client is NULL");
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place for the message is NULL");
    if (c->process != orr__fork_number() + 1)
        return orr__fail(at, ORR_ESTATE,
                         "the client belongs to the process that made it, of which this one was forked: "
                         "masks are used once. Make a client in this process");
    if (c->stage != s)
        return orr__fail(at, ORR_ESTATE, "client %u is at another round: it expects %s", c->index,
                         stage_name[c->stage]);
    return ORR_OK;
}

orr_secagg_client *orr_secagg_client_new_at(const char *file, int line, const orr_secagg_config *config, int index,
                                            const unsigned char *secret_key)
{
    orr__site at = ORR__SITE(file, line, "secagg_client_new");
    orr_secagg_client *c = orr__secret_once(sizeof *c);
    orr_status st = c ? orr__run_open(at, config, &c->r) : ORR_ENOMEM;
    if (st == ORR_OK && (index < 0 || index >= config->clients))
        st = orr__fail(at, ORR_EINVAL, "clients have numbers 0 to %d, not %d", config->clients - 1, index);
    if (st == ORR_OK && !secret_key != !config->identities)
        st = orr__fail(at, ORR_EINVAL, "%s",
                       secret_key ? "there is a secret key, and the config has no identities"
                                  : "the config has identities, and the secret key is NULL");
    if (st == ORR_OK) {
        size_t n = (size_t)config->clients;
        c->process = orr__fork_number() + 1;
        c->index = (uint32_t)index;
        c->identity = secret_key != NULL;
        if (secret_key)
            memcpy(c->sign, secret_key, ORR__SIGN);
        if (secret_key && memcmp(secret_key + ORR__KEY, c->r.identities + (size_t)index * ORR__KEY, ORR__KEY) != 0)
            st = orr__fail(at, ORR_EINVAL, "the secret key is not the one of identity %d", index);
        c->keys = orr__alloc_n(n, (size_t)2 * ORR__KEY);
        c->sealed = orr__alloc_n(n, ORR__SEALED);
        c->state = orr__alloc_n(n, 1);
        if (!c->keys || !c->sealed || !c->state)
            st = orr__fail_place(at, ORR_ENOMEM);
    }
    if (st == ORR_OK)
        st = orr__secret_random(at, c->channel, ORR__KEY);
    if (st == ORR_OK)
        st = orr__secret_random(at, c->masking, ORR__KEY);
    if (st == ORR_OK)
        st = orr__secret_random(at, c->seed, ORR__KEY);
    if (st == ORR_OK) {
        orr__key_public(c->channel, c->channel_public);
        orr__key_public(c->masking, c->masking_public);
        orr__wipe_stack();
        return c;
    }
    orr_secagg_client_free(c);
    return NULL;
}

void orr_secagg_client_free(orr_secagg_client *c)
{
    if (!c)
        return;
    orr__run_close(&c->r);
    free(c->keys);
    free(c->sealed);
    free(c->state);
    free(c->list);
    orr__secret_free(c);
}

/* -- round 0 --------------------------------------------------------------------------------------------------- */

orr_status orr_secagg_advertise_at(const char *file, int line, orr_secagg_client *c, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_advertise");
    orr__cursor to;
    orr_status st = need(at, c, TO_ADVERTISE, out);
    size_t body = (size_t)2 * ORR__KEY + (st == ORR_OK && c->identity ? ORR__SIGN : 0);
    if (st == ORR_OK)
        st = orr__message_new(at, &c->r, ORR__KEYS, c->index, ORR__SERVER, body, out, &to);
    if (st != ORR_OK)
        return st;
    const unsigned char *keys = to.at;
    orr__write(&to, c->channel_public, ORR__KEY);
    orr__write(&to, c->masking_public, ORR__KEY);
    if (c->identity) {
        size_t size;
        unsigned char *text = orr__signed_keys(&c->r, c->index, keys, &size);
        if (!text) {
            orr_bytes_free(out);
            return orr__fail_place(at, ORR_ENOMEM);
        }
        orr__sign(c->sign, text, size, to.at);
        free(text);
    }
    orr__wipe_stack();
    c->stage = TO_SHARE;
    return ORR_OK;
}

/* -- round 1 --------------------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, ORR__KEY);
}

/* Checks that no key occurs twice: a server that passes one client's key as another's would learn their masks. */
static orr_status check_distinct(orr__site at, const orr_secagg_client *c, int n)
{
    unsigned char *all = orr__alloc_n((size_t)n, (size_t)2 * ORR__KEY), *p = all;
    if (!all)
        return orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; i < c->r.c.clients; i++)
        if (c->state[i] & HAS_KEYS) {
            memcpy(p, c->keys + (size_t)i * 2 * ORR__KEY, (size_t)2 * ORR__KEY);
            p += (size_t)2 * ORR__KEY;
        }
    qsort(all, (size_t)n * 2, ORR__KEY, by_bytes);
    bool twice = false;
    for (int i = 1; i < 2 * n; i++)
        twice = twice || memcmp(all + (size_t)i * ORR__KEY, all + (size_t)(i - 1) * ORR__KEY, ORR__KEY) == 0;
    free(all);
    return twice ? orr__fail(at, ORR_EFORMAT, "the list of public keys has a key twice") : ORR_OK;
}

static orr_status check_signature(orr__site at, const orr_secagg_client *c, uint32_t index, const unsigned char *keys,
                                  const unsigned char *signature)
{
    size_t size;
    unsigned char *text = orr__signed_keys(&c->r, index, keys, &size);
    if (!text)
        return orr__fail_place(at, ORR_ENOMEM);
    bool ok = orr__signed(c->r.identities + (size_t)index * ORR__KEY, text, size, signature);
    free(text);
    return ok ? ORR_OK : orr__fail(at, ORR_EFORMAT, "the public keys of client %u are not signed by it", index);
}

/* Reads the list of public keys into c->keys. */
static orr_status take_keys(orr__site at, orr_secagg_client *c, orr__cursor *in, int *count)
{
    size_t entry = 4 + (size_t)2 * ORR__KEY + (c->identity ? ORR__SIGN : 0);
    int64_t n = (int64_t)orr__take_le(in, 4), last = -1;
    orr_status st = ORR_OK;
    memset(c->state, 0, (size_t)c->r.c.clients);
    if (!in->ok || n > c->r.c.clients || in->left != (size_t)n * entry)
        return orr__fail(at, ORR_EFORMAT, "the list of public keys has a wrong length");
    if (n < c->r.c.threshold)
        return orr__fail(at, ORR_EFORMAT, "the list has the public keys of %lld clients, and %d are needed",
                         (long long)n, c->r.c.threshold);
    for (int64_t i = 0; st == ORR_OK && i < n; i++) {
        if (!orr__next_index(in, &c->r, &last))
            return orr__fail(at, ORR_EFORMAT, "the list of public keys has no client, or one twice, at place %lld",
                             (long long)i);
        const unsigned char *keys = orr__take(in, (size_t)2 * ORR__KEY);
        memcpy(c->keys + (size_t)last * 2 * ORR__KEY, keys, (size_t)2 * ORR__KEY);
        c->state[last] = HAS_KEYS;
        if (c->identity)
            st = check_signature(at, c, (uint32_t)last, keys, orr__take(in, ORR__SIGN));
    }
    const unsigned char *own = c->keys + (size_t)c->index * 2 * ORR__KEY;
    if (st == ORR_OK && (!(c->state[c->index] & HAS_KEYS) || memcmp(own, c->channel_public, ORR__KEY) != 0 ||
                         memcmp(own + ORR__KEY, c->masking_public, ORR__KEY) != 0))
        return orr__fail(at, ORR_EFORMAT, "the list does not have the public keys of client %u as it sent them",
                         c->index);
    *count = (int)n;
    return st == ORR_OK ? check_distinct(at, c, (int)n) : st;
}

/* Shares of key and seed, in memory for secrets: (n, 2·ORR__WORDS), in the order of the clients. */
static orr_status split_secrets(orr__site at, const orr_secagg_client *c, int n, uint64_t *share)
{
    uint64_t *points = orr__alloc_n((size_t)n, sizeof *points), *both = orr__secret_new(2 * ORR__WORDS * sizeof *both);
    orr_status st = points && both ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0, k = 0; st == ORR_OK && i < c->r.c.clients; i++)
        if (c->state[i] & HAS_KEYS)
            points[k++] = (uint64_t)i + 1;
    if (st == ORR_OK) {
        orr__secret_words(c->masking, both);
        orr__secret_words(c->seed, both + ORR__WORDS);
        st = orr__shamir_split(at, both, (int64_t)2 * ORR__WORDS, c->r.c.threshold, points, n, share,
                               (int64_t)2 * ORR__WORDS);
    }
    orr__secret_free(both);
    free(points);
    return st;
}

/* The shares of this client's secrets for client `to`, encrypted with the key that the two agree on. */
static orr_status seal_for(orr__site at, const orr_secagg_client *c, uint32_t to, const uint64_t *share,
                           unsigned char *room, unsigned char *sealed)
{
    unsigned char *key = room, *plain = room + ORR__KEY;
    orr__cursor p = { plain, ORR__PLAIN, true };
    orr__write_le(&p, c->index, 4);
    orr__write_le(&p, to, 4);
    for (int w = 0; w < 2 * ORR__WORDS; w++)
        orr__write_le(&p, share[w], 8);
    if (!orr__key_agree(c->channel, c->keys + (size_t)to * 2 * ORR__KEY, c->r.run, ORR__LABEL_SHARES,
                        c->index < to ? c->index : to, c->index < to ? to : c->index, key))
        return orr__fail(at, ORR_EFORMAT, "the public key of client %u is none of X25519", to);
    orr_status st = orr__secret_random(at, sealed, ORR__NONCE);
    if (st == ORR_OK)
        orr__seal(key, c->r.run, plain, sealed);
    return st;
}

static orr_status write_shares(orr__site at, orr_secagg_client *c, int n, orr__cursor *to)
{
    size_t words = (size_t)n * 2 * ORR__WORDS;
    uint64_t *share = orr__secret_new(words * sizeof *share + ORR__KEY + ORR__PLAIN);
    if (!share)
        return orr__fail_place(at, ORR_ENOMEM);
    orr_status st = split_secrets(at, c, n, share);
    unsigned char commitment[ORR__KEY];
    orr__key_derive(c->seed, c->r.run, ORR__LABEL_COMMIT, c->index, commitment);
    orr__write(to, commitment, ORR__KEY);
    orr__write_le(to, (uint64_t)n - 1, 4);
    const uint64_t *s = share;
    for (int i = 0; st == ORR_OK && i < c->r.c.clients; i++) {
        if (!(c->state[i] & HAS_KEYS))
            continue;
        if ((uint32_t)i == c->index) {
            memcpy(c->own, s, sizeof c->own);
        } else {
            unsigned char sealed[ORR__SEALED];
            st = seal_for(at, c, (uint32_t)i, s, (unsigned char *)(share + words), sealed);
            orr__write_le(to, (uint64_t)i, 4);
            orr__write(to, sealed, sizeof sealed);
        }
        s += 2 * ORR__WORDS;
    }
    orr__secret_free(share);
    orr__wipe_stack();
    return st;
}

orr_status orr_secagg_share_keys_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                    orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_share_keys");
    orr__cursor from, to;
    uint32_t sender;
    int n = 0;
    orr_status st = need(at, c, TO_SHARE, out);
    if (st == ORR_OK)
        st = orr__message_open(at, &c->r, ORR__KEY_LIST, c->index, in, &sender, &from);
    if (st == ORR_OK)
        st = take_keys(at, c, &from, &n);
    if (st == ORR_OK)
        st = orr__message_new(at, &c->r, ORR__SHARES, c->index, ORR__SERVER,
                              ORR__KEY + 4 + (size_t)(n - 1) * (4 + ORR__SEALED), out, &to);
    if (st != ORR_OK)
        return st;
    st = write_shares(at, c, n, &to);
    if (st == ORR_OK)
        c->stage = TO_MASK;
    else
        orr_bytes_free(out);
    return st;
}

/* -- round 2 --------------------------------------------------------------------------------------------------- */

static orr_status take_shares(orr__site at, orr_secagg_client *c, orr__cursor *in, int *others)
{
    int64_t n = (int64_t)orr__take_le(in, 4), last = -1;
    if (!in->ok || n > c->r.c.clients - 1 || in->left != (size_t)n * (4 + ORR__SEALED))
        return orr__fail(at, ORR_EFORMAT, "the list of encrypted shares has a wrong length");
    if (n + 1 < c->r.c.threshold)
        return orr__fail(at, ORR_EFORMAT, "%lld clients have shared their keys, and %d are needed", (long long)n + 1,
                         c->r.c.threshold);
    for (int i = 0; i < c->r.c.clients; i++)
        c->state[i] &= HAS_KEYS;
    for (int64_t i = 0; i < n; i++) {
        if (!orr__next_index(in, &c->r, &last) || last == c->index || !(c->state[last] & HAS_KEYS))
            return orr__fail(at, ORR_EFORMAT, "the list of encrypted shares has a wrong client at place %lld",
                             (long long)i);
        memcpy(c->sealed + (size_t)last * ORR__SEALED, orr__take(in, ORR__SEALED), ORR__SEALED);
        c->state[last] |= HAS_SHARED;
    }
    c->state[c->index] |= HAS_SHARED;
    *others = (int)n;
    return ORR_OK;
}

typedef struct {
    orr__site at;
    const orr_secagg_client *c;
    const int *other; /* clients with which this one shares masks; the last mask is its own */
    int others;
    orr__mask *mask;
    int64_t most;
    orr_dtype dtype;
    const char *x;
    char *y;
} job;

enum { AGREEMENTS = 4 * ORR__T_SHARE }; /* agreements per task, of some 50 us each */

static orr_status agree_block(void *user, int64_t block)
{
    const job *j = user;
    orr_status st = ORR_OK;
    for (int64_t i = block * AGREEMENTS; st == ORR_OK && i < j->others && i < (block + 1) * AGREEMENTS; i++)
        if (!orr__pair_mask(j->c->masking, j->c->keys + ((size_t)j->other[i] * 2 + 1) * ORR__KEY, j->c->r.run,
                            j->c->index, (uint32_t)j->other[i], &j->mask[i]))
            st = orr__fail(j->at, ORR_EFORMAT, "the public key of client %d is none of X25519", j->other[i]);
    orr__wipe_stack();
    return st;
}

static orr_status mask_block(void *user, int64_t block)
{
    const job *j = user;
    const orr_secagg_config *c = &j->c->r.c;
    int64_t first = block * ORR__SHARE_BLOCK, left = c->length - first;
    int64_t n = left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK;
    char *y = j->y + (size_t)first * j->c->r.width;
    unsigned char *room = orr__secret_new(ORR__MASK_ROOM);
    if (!room)
        return orr__fail_place(j->at, ORR_ENOMEM);
    int64_t bad = orr__fixed_encode(c->encoding.modulus, c->encoding.fraction, j->most, j->dtype,
                                    j->x + (size_t)first * orr_dtype_size(j->dtype), n, y);
    if (bad < 0)
        (void)orr__mask_add(c->encoding.modulus, y, first, n, j->mask, j->others + 1, room);
    else
        orr__wipe(y, (size_t)n * j->c->r.width);
    orr__secret_free(room);
    orr__wipe_stack();
    return bad < 0 ? ORR_OK
                   : orr__fail(j->at, ORR_EINDEX, "element %lld of the vector is no number of magnitude at most %.17g",
                               (long long)(first + bad), orr_fixed_limit(c->encoding));
}

static orr_status mask_vector(orr__site at, const orr_secagg_client *c, int others, const orr__operand_data *o, char *y)
{
    int *other = orr__alloc_n((size_t)others + 1, sizeof *other), k = 0;
    job j = { .at = at, .c = c, .other = other, .others = others, .dtype = o->dtype, .x = o->data, .y = y };
    j.mask = orr__secret_new(((size_t)others + 1) * sizeof *j.mask);
    j.most = orr__fixed_most(at, c->r.c.encoding);
    orr_status st = other && j.mask ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; st == ORR_OK && i < c->r.c.clients; i++)
        if (c->state[i] & HAS_SHARED && (uint32_t)i != c->index)
            other[k++] = i;
    if (st == ORR_OK) {
        orr__key_derive(c->seed, c->r.run, ORR__LABEL_SELF, c->index, j.mask[others].key);
        st = orr__parallel(at, (others + AGREEMENTS - 1) / AGREEMENTS, agree_block, &j);
    }
    if (st == ORR_OK)
        st = orr__parallel(at, (c->r.c.length + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK, mask_block, &j);
    orr__secret_free(j.mask);
    free(other);
    return st;
}

orr_status orr_secagg_mask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in, orr_tensor *x,
                              orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_mask");
    orr__cursor from, to;
    uint32_t sender;
    int others = 0;
    orr__operand_data o;
    orr_status st = need(at, c, TO_MASK, out);
    if (st == ORR_OK)
        st = orr__message_open(at, &c->r, ORR__SHARE_LIST, c->index, in, &sender, &from);
    if (st == ORR_OK)
        st = take_shares(at, c, &from, &others);
    if (st != ORR_OK)
        return st;
    if (!orr__operand_number(at, x, "the vector", &o))
        return orr_tensor_status(o.bad);
    if (o.n != c->r.c.length)
        st = orr__fail(at, ORR_ESHAPE, "the vector has %lld elements, and the run's have %lld", (long long)o.n,
                       (long long)c->r.c.length);
    if (st == ORR_OK)
        st = orr__message_new(at, &c->r, ORR__MASKED, c->index, ORR__SERVER, (size_t)c->r.c.length * c->r.width, out,
                              &to);
    if (st == ORR_OK) {
        st = mask_vector(at, c, others, &o, (char *)to.at);
        if (st != ORR_OK)
            orr_bytes_free(out);
    }
    orr__operand_close(&o);
    if (st == ORR_OK)
        c->stage = c->identity ? TO_CONFIRM : TO_UNMASK;
    return st;
}

/* -- rounds 3 and 4 ---------------------------------------------------------------------------------------------- */

/* Reads the list of clients whose vectors arrived; *size: its bytes. */
static orr_status take_survivors(orr__site at, orr_secagg_client *c, orr__cursor *in, size_t *size)
{
    size_t before = in->left;
    int64_t n = (int64_t)orr__take_le(in, 4), last = -1;
    if (!in->ok || n > c->r.c.clients || in->left < (size_t)n * 4)
        return orr__fail(at, ORR_EFORMAT, "the list of clients that stay has a wrong length");
    if (n < c->r.c.threshold)
        return orr__fail(at, ORR_EFORMAT,
                         "%lld clients stay, and %d are needed: this client does not unmask a sum of fewer vectors",
                         (long long)n, c->r.c.threshold);
    for (int i = 0; i < c->r.c.clients; i++)
        c->state[i] &= HAS_KEYS | HAS_SHARED;
    for (int64_t i = 0; i < n; i++) {
        if (!orr__next_index(in, &c->r, &last) || !(c->state[last] & HAS_SHARED))
            return orr__fail(at, ORR_EFORMAT, "the list of clients that stay has a wrong client at place %lld",
                             (long long)i);
        c->state[last] |= HAS_MASKED;
    }
    *size = before - in->left;
    return ORR_OK;
}

orr_status orr_secagg_confirm_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_confirm");
    orr__cursor from, to;
    uint32_t sender;
    size_t bytes = 0, size;
    orr_status st = need(at, c, TO_CONFIRM, out);
    if (st == ORR_OK)
        st = orr__message_open(at, &c->r, ORR__SURVIVORS, c->index, in, &sender, &from);
    if (st == ORR_OK)
        st = take_survivors(at, c, &from, &bytes);
    if (st == ORR_OK && from.left > 0)
        st = orr__fail(at, ORR_EFORMAT, "the list of clients that stay has a wrong length");
    if (st != ORR_OK)
        return st;
    c->list = orr__alloc(bytes);
    unsigned char *text = c->list ? orr__signed_list(&c->r, from.at - bytes, bytes, &size) : NULL;
    st = text ? orr__message_new(at, &c->r, ORR__CONFIRMED, c->index, ORR__SERVER, ORR__SIGN, out, &to)
              : orr__fail_place(at, ORR_ENOMEM);
    if (st == ORR_OK) {
        memcpy(c->list, from.at - bytes, bytes);
        c->list_size = bytes;
        orr__sign(c->sign, text, size, to.at);
        orr__wipe_stack();
        c->stage = TO_UNMASK;
    } else {
        free(c->list);
        c->list = NULL;
    }
    free(text);
    return st;
}

/* Checks that at least t of the remaining clients have signed the same list. */
static orr_status check_confirmations(orr__site at, const orr_secagg_client *c, orr__cursor *in)
{
    size_t size;
    int64_t n = (int64_t)orr__take_le(in, 4), last = -1;
    int sound = 0;
    if (!in->ok || n > c->r.c.clients || in->left != (size_t)n * (4 + ORR__SIGN))
        return orr__fail(at, ORR_EFORMAT, "the list of signatures has a wrong length");
    unsigned char *text = orr__signed_list(&c->r, c->list, c->list_size, &size);
    if (!text)
        return orr__fail_place(at, ORR_ENOMEM);
    for (int64_t i = 0; i < n && orr__next_index(in, &c->r, &last); i++) {
        const unsigned char *signature = orr__take(in, ORR__SIGN);
        sound += c->state[last] & HAS_MASKED &&
                 orr__signed(c->r.identities + (size_t)last * ORR__KEY, text, size, signature);
    }
    free(text);
    return sound >= c->r.c.threshold
               ? ORR_OK
               : orr__fail(at, ORR_EFORMAT, "%d clients have signed the list of those that stay, and %d are needed",
                           sound, c->r.c.threshold);
}

/* This client's share of another client's seed or key; false: the message cannot be decrypted or is for other
 * clients. */
static bool unseal_from(const orr_secagg_client *c, uint32_t from, unsigned char *room, uint64_t *words)
{
    unsigned char *key = room, *plain = room + ORR__KEY;
    bool stays = c->state[from] & HAS_MASKED;
    if (from == c->index) {
        memcpy(words, c->own[stays], sizeof c->own[0]);
        return true;
    }
    if (!orr__key_agree(c->channel, c->keys + (size_t)from * 2 * ORR__KEY, c->r.run, ORR__LABEL_SHARES,
                        c->index < from ? c->index : from, c->index < from ? from : c->index, key) ||
        !orr__unseal(key, c->r.run, c->sealed + (size_t)from * ORR__SEALED, plain) || orr__get_le(plain, 4) != from ||
        orr__get_le(plain + 4, 4) != c->index)
        return false;
    bool ok = true;
    for (int w = 0; w < ORR__WORDS; w++) {
        words[w] = orr__get_le(plain + 8 + 8 * (w + (stays ? ORR__WORDS : 0)), 8);
        ok = ok && words[w] < ORR__P61;
    }
    return ok;
}

static orr_status write_unmasked(orr__site at, const orr_secagg_client *c, orr_bytes *out)
{
    enum { ENTRY = 4 + 8 * ORR__WORDS };
    int n = 0, k = 0;
    orr__cursor to;
    for (int i = 0; i < c->r.c.clients; i++)
        n += (c->state[i] & HAS_SHARED) != 0;
    unsigned char *room = orr__secret_new(ORR__KEY + ORR__PLAIN + (size_t)n * ENTRY),
                  *entries = room + ORR__KEY + ORR__PLAIN;
    if (!room)
        return orr__fail_place(at, ORR_ENOMEM);
    to = (orr__cursor){ entries, (size_t)n * ENTRY, true };
    for (int i = 0; i < c->r.c.clients; i++) {
        uint64_t words[ORR__WORDS];
        if (!(c->state[i] & HAS_SHARED) || !unseal_from(c, (uint32_t)i, room, words))
            continue;
        k++;
        orr__write_le(&to, (uint64_t)i, 4);
        for (int w = 0; w < ORR__WORDS; w++)
            orr__write_le(&to, words[w], 8);
        orr__wipe(words, sizeof words);
    }
    orr_status st = orr__message_new(at, &c->r, ORR__UNMASKED, c->index, ORR__SERVER, 4 + (size_t)k * ENTRY, out, &to);
    if (st == ORR_OK) {
        orr__write_le(&to, (uint64_t)k, 4);
        orr__write(&to, entries, (size_t)k * ENTRY);
    }
    orr__secret_free(room);
    orr__wipe_stack();
    return st;
}

orr_status orr_secagg_unmask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_unmask");
    orr__cursor from;
    uint32_t sender;
    size_t bytes = 0;
    orr_status st = need(at, c, TO_UNMASK, out);
    if (st == ORR_OK)
        st = orr__message_open(at, &c->r, ORR__UNMASK, c->index, in, &sender, &from);
    if (st == ORR_OK)
        st = take_survivors(at, c, &from, &bytes);
    if (st == ORR_OK && c->identity && (bytes != c->list_size || memcmp(from.at - bytes, c->list, bytes) != 0))
        st = orr__fail(at, ORR_EFORMAT, "the list of clients that stay is not the one that client %u has signed",
                       c->index);
    if (st == ORR_OK && !(c->state[c->index] & HAS_MASKED))
        st = orr__fail(at, ORR_EFORMAT, "the list of clients that stay does not have client %u", c->index);
    if (st == ORR_OK && c->identity)
        st = check_confirmations(at, c, &from);
    else if (st == ORR_OK && from.left > 0)
        st = orr__fail(at, ORR_EFORMAT, "the list of clients that stay has a wrong length");
    if (st == ORR_OK)
        st = write_unmasked(at, c, out);
    if (st == ORR_OK)
        c->stage = ENDED;
    return st;
}
