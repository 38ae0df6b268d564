/* Secure aggregation, the server's side: it forwards messages, adds masked vectors, and removes the masks from their
 * sum.
 * Must not know: secrets of clients, except those that clients reveal to unmask the sum. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery/ops.h>
#include "ops/pack/parallel.h"
#include "ops/record.h"
#include "ops/share/p61.h"
#include "ops/share/secagg.h"
#include "runtime/base/buffer.h"
#include "runtime/base/object.h"
#include "runtime/base/secret.h"

typedef enum { KEYS, SHARES, MASKED, CONFIRMED, UNMASKED, ENDED } stage;
static const orr__message answer_of[] = { ORR__KEYS, ORR__SHARES, ORR__MASKED, ORR__CONFIRMED, ORR__UNMASKED };

/* One client, as the server sees it. */
typedef struct {
    unsigned rounds;                             /* bit s: it has answered in stage s */
    orr_bytes keys, shares, signature, unmasked; /* bodies of its messages */
} client;

struct orr_secagg_server {
    orr__run_config r;
    stage stage;
    bool broken; /* the sum is wrong, since memory ran out during an addition */
    client *client;
    void *sum;
};

/* True if client i has answered in all stages before k. */
static bool alive_at(const orr_secagg_server *s, int i, stage k)
{
    unsigned due = (1u << k) - 1;
    if (!s->r.identities)
        due &= ~(1u << CONFIRMED);
    return (s->client[i].rounds & due) == due;
}

static bool answered(const orr_secagg_server *s, int i, stage k)
{
    return s->client[i].rounds >> k & 1u;
}

static int count(const orr_secagg_server *s, stage k)
{
    int n = 0;
    for (int i = 0; i < s->r.c.clients; i++)
        n += answered(s, i, k);
    return n;
}

static const orr__object_kind kind = { "server", sizeof(orr_secagg_server) };

orr_secagg_server *orr_secagg_server_new_at(const char *file, int line, const orr_secagg_config *config)
{
    orr__site at = ORR__SITE(file, line, "secagg_server_new");
    orr_secagg_server *s = orr__object_new(&kind);
    orr_status st = s ? orr__run_open(at, config, &s->r) : ORR_ENOMEM;
    if (st == ORR_OK) {
        s->client = orr__alloc_n((size_t)config->clients, sizeof *s->client);
        st = s->client ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    }
    if (st == ORR_OK)
        return s;
    orr_secagg_server_free(s);
    return NULL;
}

void orr_secagg_server_free(orr_secagg_server *s)
{
    if (!orr__object_there("secagg_server_free", &kind, s))
        return;
    for (int i = 0; s->client && i < s->r.c.clients; i++) {
        orr_bytes_free(&s->client[i].keys);
        orr_bytes_free(&s->client[i].shares);
        orr_bytes_free(&s->client[i].signature);
        orr_bytes_free(&s->client[i].unmasked);
    }
    if (s->sum)
        orr__wipe(s->sum, (size_t)s->r.c.length * s->r.width);
    free(s->sum);
    free(s->client);
    orr__run_close(&s->r);
    orr__object_end(&kind, s);
}

static orr_status need(orr__site at, const orr_secagg_server *s)
{
    orr_status there = orr__object_check(at, &kind, s);
    if (there != ORR_OK)
        return there;
    if (s->stage == ENDED)
        return orr__fail(at, ORR_ESTATE, "the run is over");
    if (s->broken)
        return orr__fail(at, ORR_ESTATE, "memory failed while vectors were added: the sum is lost, begin another run");
    return ORR_OK;
}

/* -- messages in ------------------------------------------------------------------------------------------------- */

/* True if, after `head` bytes, the body is a list of entries of this size with ascending clients. */
static bool is_list(const orr_secagg_server *s, orr__cursor c, size_t head, size_t entry)
{
    (void)orr__take(&c, head);
    int64_t n = (int64_t)orr__take_le(&c, 4), last = -1;
    bool ok = c.ok && c.left == (size_t)n * entry;
    for (int64_t i = 0; ok && i < n; i++)
        ok = orr__next_index(&c, &s->r, &last) && orr__take(&c, entry - 4);
    return ok;
}

/* True if there are shares for every other client that has sent its keys and for no other. Otherwise two clients
 * would not agree on a mask. */
static bool is_for_all(const orr_secagg_server *s, uint32_t from, orr__cursor c)
{
    (void)orr__take(&c, ORR__KEY);
    int64_t n = (int64_t)orr__take_le(&c, 4);
    bool ok = n == count(s, KEYS) - 1;
    for (int64_t i = 0; ok && i < n; i++) {
        uint32_t to = (uint32_t)orr__take_le(&c, 4);
        ok = to != from && answered(s, (int)to, KEYS) && orr__take(&c, ORR__SEALED);
    }
    return ok;
}

static bool body_fits(const orr_secagg_server *s, uint32_t from, const orr__cursor *c)
{
    switch (s->stage) {
    case KEYS: return c->left == (size_t)2 * ORR__KEY + (s->r.identities ? ORR__SIGN : 0);
    case SHARES: return is_list(s, *c, ORR__KEY, 4 + ORR__SEALED) && is_for_all(s, from, *c);
    case MASKED: return c->left == (size_t)s->r.c.length * s->r.width;
    case CONFIRMED: return c->left == ORR__SIGN;
    default: return is_list(s, *c, 0, 4 + 8 * ORR__WORDS);
    }
}

/* Checks one message; *c is its body. */
static orr_status look(orr__site at, const orr_secagg_server *s, const orr_bytes *in, uint32_t *from, orr__cursor *c)
{
    orr_status st = orr__message_open(at, &s->r, answer_of[s->stage], ORR__SERVER, in, from, c);
    if (st != ORR_OK)
        return st;
    if (!alive_at(s, (int)*from, s->stage))
        return orr__fail(at, ORR_ESTATE, "client %u has dropped out", *from);
    if (answered(s, (int)*from, s->stage))
        return orr__fail(at, ORR_EFORMAT, "client %u has answered before", *from);
    if (!body_fits(s, *from, c))
        return orr__fail(at, ORR_EFORMAT, "the message of client %u has a wrong length or a wrong list", *from);
    return ORR_OK;
}

static orr_status keep(orr__site at, const orr__cursor *c, orr_bytes *to)
{
    orr_status st = orr__bytes_new(at, to, c->left);
    if (st == ORR_OK && c->left > 0)
        memcpy(to->data, c->at, c->left);
    return st;
}

typedef struct {
    const orr_secagg_server *s;
    const void **row;
    int rows;
} addition;

static orr_status add_block(void *user, int64_t block)
{
    const addition *a = user;
    int64_t first = block * ORR__SHARE_BLOCK, left = a->s->r.c.length - first;
    orr__ring_sum(a->s->r.c.encoding.modulus, (char *)a->s->sum + (size_t)first * a->s->r.width, a->row, a->rows, first,
                  left < ORR__SHARE_BLOCK ? left : ORR__SHARE_BLOCK, true);
    return ORR_OK;
}

/* sum += vectors in the memory of the messages, which is aligned if the library made it. */
static orr_status add_vectors(orr__site at, orr_secagg_server *s, const void **row, int rows)
{
    size_t bytes = (size_t)s->r.c.length * s->r.width;
    void **copy = orr__alloc_n((size_t)rows + 1, sizeof *copy);
    if (copy && !s->sum)
        s->sum = orr__alloc(bytes);
    orr_status st = copy && s->sum ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; st == ORR_OK && i < rows; i++)
        if ((uintptr_t)row[i] % s->r.width != 0) {
            copy[i] = orr__alloc(bytes);
            if (copy[i])
                row[i] = memcpy(copy[i], row[i], bytes);
            else
                st = orr__fail_place(at, ORR_ENOMEM);
        }
    if (st == ORR_OK && rows > 0) {
        addition a = { s, row, rows };
        st = orr__parallel(at, (s->r.c.length + ORR__SHARE_BLOCK - 1) / ORR__SHARE_BLOCK, add_block, &a);
        s->broken = st != ORR_OK;
    }
    for (int i = 0; copy && i < rows; i++)
        free(copy[i]);
    free(copy);
    return st;
}

static orr_status receive_vectors(orr__site at, orr_secagg_server *s, const orr_bytes *in, int n, int *taken)
{
    const void **row = orr__alloc_n((size_t)n, sizeof *row);
    uint32_t *from = orr__alloc_n((size_t)n, sizeof *from);
    orr_status st = row && from ? ORR_OK : orr__fail_place(at, ORR_ENOMEM), added = st;
    int rows = 0;
    for (int i = 0; st == ORR_OK && i < n; i++) {
        orr__cursor c;
        st = look(at, s, &in[i], &from[rows], &c);
        if (st == ORR_OK) {
            row[rows] = c.at;
            s->client[from[rows++]].rounds |= 1u << MASKED;
        }
    }
    if (row && from)
        added = add_vectors(at, s, row, rows); /* sets no error on success */
    for (int i = 0; added != ORR_OK && i < rows; i++)
        s->client[from[i]].rounds &= ~(1u << MASKED);
    *taken = added == ORR_OK ? rows : 0;
    free(from);
    free(row);
    return added != ORR_OK ? added : st;
}

static orr_status receive_one(orr__site at, orr_secagg_server *s, const orr_bytes *in)
{
    orr__cursor c;
    uint32_t from;
    orr_status st = look(at, s, in, &from, &c);
    if (st != ORR_OK)
        return st;
    client *k = &s->client[from];
    st = keep(at, &c,
              s->stage == KEYS        ? &k->keys
              : s->stage == SHARES    ? &k->shares
              : s->stage == CONFIRMED ? &k->signature
                                      : &k->unmasked);
    if (st == ORR_OK)
        k->rounds |= 1u << s->stage;
    return st;
}

orr_status orr_secagg_receive_at(const char *file, int line, orr_secagg_server *s, const orr_bytes *in, int n,
                                 int *taken)
{
    orr__site at = ORR__SITE(file, line, "secagg_receive");
    int done = 0;
    orr_status st = need(at, s);
    if (st == ORR_OK && (n < 0 || (n > 0 && !in)))
        st = orr__fail(at, ORR_EINVAL, "%s", n < 0 ? "the number of messages is negative" : "the messages are NULL");
    if (st == ORR_OK && n > 0 && s->stage == MASKED) {
        st = receive_vectors(at, s, in, n, &done);
    } else {
        while (st == ORR_OK && done < n) {
            st = receive_one(at, s, &in[done]);
            done += st == ORR_OK;
        }
    }
    if (taken)
        *taken = done;
    return st;
}

/* -- the end of a round, messages out ------------------------------------------------------------------------------ */

orr_status orr_secagg_close_at(const char *file, int line, orr_secagg_server *s)
{
    orr__site at = ORR__SITE(file, line, "secagg_close");
    orr_status st = need(at, s);
    if (st != ORR_OK)
        return st;
    if (s->stage == UNMASKED)
        return orr__fail(at, ORR_ESTATE, "orr_secagg_result ends the last round");
    if (count(s, s->stage) < s->r.c.threshold)
        return orr__fail(at, ORR_ESTATE, "%d clients have answered in this round, and %d are needed",
                         count(s, s->stage), s->r.c.threshold);
    s->stage = s->stage == MASKED && !s->r.identities ? UNMASKED : s->stage + 1;
    return ORR_OK;
}

bool orr_secagg_alive(const orr_secagg_server *s, int index)
{
    return orr__object_there("secagg_alive", &kind, s) && index >= 0 && index < s->r.c.clients &&
           alive_at(s, index, s->stage == ENDED ? UNMASKED : s->stage);
}

static void write_list(const orr_secagg_server *s, stage k, orr__cursor *c)
{
    orr__write_le(c, (uint64_t)count(s, k), 4);
    for (int i = 0; i < s->r.c.clients; i++)
        if (answered(s, i, k))
            orr__write_le(c, (uint64_t)i, 4);
}

static orr_status send_keys(orr__site at, const orr_secagg_server *s, uint32_t to, orr_bytes *out)
{
    orr__cursor c;
    size_t body = 4;
    for (int i = 0; i < s->r.c.clients; i++)
        body += answered(s, i, KEYS) ? 4 + s->client[i].keys.size : 0;
    orr_status st = orr__message_new(at, &s->r, ORR__KEY_LIST, ORR__SERVER, to, body, out, &c);
    if (st != ORR_OK)
        return st;
    orr__write_le(&c, (uint64_t)count(s, KEYS), 4);
    for (int i = 0; i < s->r.c.clients; i++)
        if (answered(s, i, KEYS)) {
            orr__write_le(&c, (uint64_t)i, 4);
            orr__write(&c, s->client[i].keys.data, s->client[i].keys.size);
        }
    return ORR_OK;
}

/* The encrypted message of client i for client `to`; NULL: none. */
static const unsigned char *sealed_for(const client *i, uint32_t to)
{
    orr__cursor c = { i->shares.data, i->shares.size, true };
    (void)orr__take(&c, ORR__KEY);
    for (uint64_t n = orr__take_le(&c, 4); n > 0 && c.ok; n--) {
        bool here = orr__take_le(&c, 4) == to;
        const unsigned char *sealed = orr__take(&c, ORR__SEALED);
        if (here)
            return sealed;
    }
    return NULL;
}

static orr_status send_shares(orr__site at, const orr_secagg_server *s, uint32_t to, orr_bytes *out)
{
    orr__cursor c;
    size_t n = 0;
    for (int i = 0; i < s->r.c.clients; i++)
        n += (uint32_t)i != to && answered(s, i, SHARES) && sealed_for(&s->client[i], to);
    orr_status st = orr__message_new(at, &s->r, ORR__SHARE_LIST, ORR__SERVER, to, 4 + n * (4 + ORR__SEALED), out, &c);
    if (st != ORR_OK)
        return st;
    orr__write_le(&c, n, 4);
    for (int i = 0; i < s->r.c.clients; i++) {
        const unsigned char *sealed =
            (uint32_t)i != to && answered(s, i, SHARES) ? sealed_for(&s->client[i], to) : NULL;
        if (!sealed)
            continue;
        orr__write_le(&c, (uint64_t)i, 4);
        orr__write(&c, sealed, ORR__SEALED);
    }
    return ORR_OK;
}

static orr_status send_survivors(orr__site at, const orr_secagg_server *s, uint32_t to, orr_bytes *out)
{
    orr__cursor c;
    bool signatures = s->stage == UNMASKED && s->r.identities;
    size_t body = 4 + (size_t)count(s, MASKED) * 4;
    if (signatures)
        body += 4 + (size_t)count(s, CONFIRMED) * (4 + ORR__SIGN);
    orr_status st = orr__message_new(at, &s->r, s->stage == UNMASKED ? ORR__UNMASK : ORR__SURVIVORS, ORR__SERVER, to,
                                     body, out, &c);
    if (st != ORR_OK)
        return st;
    write_list(s, MASKED, &c);
    if (signatures)
        orr__write_le(&c, (uint64_t)count(s, CONFIRMED), 4);
    for (int i = 0; signatures && i < s->r.c.clients; i++)
        if (answered(s, i, CONFIRMED)) {
            orr__write_le(&c, (uint64_t)i, 4);
            orr__write(&c, s->client[i].signature.data, ORR__SIGN);
        }
    return ORR_OK;
}

orr_status orr_secagg_send_at(const char *file, int line, orr_secagg_server *s, int index, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "secagg_send");
    orr_status st = need(at, s);
    if (st != ORR_OK)
        return st;
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place for the message is NULL");
    if (s->stage == KEYS)
        return orr__fail(at, ORR_ESTATE, "round 0 has not been closed: there is nothing to send");
    if (!orr_secagg_alive(s, index))
        return orr__fail(at, ORR_EINVAL, "client %d does not take part in this round", index);
    switch (s->stage) {
    case SHARES: return send_keys(at, s, (uint32_t)index, out);
    case MASKED: return send_shares(at, s, (uint32_t)index, out);
    default: return send_survivors(at, s, (uint32_t)index, out);
    }
}

/* -- the sum ------------------------------------------------------------------------------------------------------- */

/* Scratch for the recovery of one secret of 32 bytes, in memory for secrets. */
typedef struct {
    uint64_t *points, *bary, *weight, *before; /* points of the shares; those for which `weight` was made */
    uint64_t *share;                           /* (ORR__WORDS, clients)                                   */
    bool *wrong;
    int made;
} recovery;

static recovery recovery_new(int n)
{
    recovery r = { .points = orr__secret_new(((size_t)4 + ORR__WORDS) * (size_t)n * sizeof *r.points) };
    r.wrong = orr__alloc_n((size_t)n, sizeof *r.wrong);
    if (r.points) {
        r.bary = r.points + n;
        r.weight = r.bary + n;
        r.before = r.weight + n;
        r.share = r.before + n;
    }
    return r;
}

static void recovery_free(recovery *r)
{
    orr__secret_free(r->points);
    free(r->wrong);
}

/* Collects all shares of client v's secret and returns their number. */
static int gather(const orr_secagg_server *s, int v, recovery *r)
{
    int k = 0, n = s->r.c.clients;
    for (int i = 0; i < n; i++) {
        if (!answered(s, i, UNMASKED))
            continue;
        orr__cursor c = { s->client[i].unmasked.data, s->client[i].unmasked.size, true };
        for (uint64_t left = orr__take_le(&c, 4); left > 0 && c.ok; left--) {
            bool here = orr__take_le(&c, 4) == (uint64_t)v, sound = here;
            const unsigned char *words = orr__take(&c, 8 * ORR__WORDS);
            for (int w = 0; here && w < ORR__WORDS; w++) {
                r->share[(size_t)w * (size_t)n + (size_t)k] = orr__get_le(words + 8 * w, 8);
                sound = sound && r->share[(size_t)w * (size_t)n + (size_t)k] < ORR__P61;
            }
            if (sound)
                r->points[k++] = (uint64_t)i + 1;
            if (here)
                break;
        }
    }
    return k;
}

/* True if the secret matches the public half of client v's key, or the commitment to its seed. */
static bool verify(const orr_secagg_server *s, int v, const unsigned char *secret)
{
    unsigned char have[ORR__KEY];
    if (answered(s, v, MASKED)) {
        orr__key_derive(secret, s->r.run, ORR__LABEL_COMMIT, (uint32_t)v, have);
        return memcmp(have, s->client[v].shares.data, ORR__KEY) == 0;
    }
    orr__key_public(secret, have);
    return memcmp(have, s->client[v].keys.data + ORR__KEY, ORR__KEY) == 0;
}

/* Recovers client v's seed if it stayed, its key if it dropped out. */
static orr_status recover(orr__site at, const orr_secagg_server *s, int v, recovery *r, unsigned char *secret)
{
    int n = s->r.c.clients, t = s->r.c.threshold, k = gather(s, v, r);
    uint64_t words[ORR__WORDS];
    if (k < t)
        return orr__fail(at, ORR_EFORMAT, "there are %d shares of a secret of client %d, and %d are needed", k, v, t);
    if (r->made == 0 || memcmp(r->before, r->points, (size_t)t * sizeof *r->points) != 0) {
        orr__lagrange_prepare(r->points, t, r->bary);
        orr__lagrange_at(r->points, r->bary, t, 0, r->weight);
        memcpy(r->before, r->points, (size_t)t * sizeof *r->points);
        r->made = 1;
    }
    for (int w = 0; w < ORR__WORDS; w++)
        orr__p61_product(1, 1, t, r->weight, t, r->share + (size_t)w * (size_t)n, 1, &words[w], 1);
    bool ok = orr__words_secret(words, secret) && verify(s, v, secret);
    for (int w = 0; !ok && w < ORR__WORDS; w++) {
        int found = orr__berlekamp_welch(r->points, r->share + (size_t)w * (size_t)n, k, t, &words[w], r->wrong);
        if (found < 0)
            return orr__fail_place(at, ORR_ENOMEM);
        if (found == 0)
            break;
        ok = w == ORR__WORDS - 1 && orr__words_secret(words, secret) && verify(s, v, secret);
    }
    orr__wipe(words, sizeof words);
    return ok ? ORR_OK
              : orr__fail(at, ORR_EFORMAT,
                          "shares of a secret of client %d are wrong, more than %d of %d that can be corrected", v,
                          (k - t) / 2, k);
}

typedef struct {
    orr__site at;
    const orr_secagg_server *s;
    const int *gone, *stays;
    int stay;
    const unsigned char *key; /* of the clients that dropped out */
    orr__mask *mask;
} job;

/* The masks of one dropped client in the vectors of the remaining ones. */
static orr_status agree_block(void *user, int64_t block)
{
    const job *j = user;
    orr_status st = ORR_OK;
    orr__mask *mask = j->mask + block * j->stay;
    for (int i = 0; st == ORR_OK && i < j->stay; i++) {
        const unsigned char *other = j->s->client[j->stays[i]].keys.data + ORR__KEY;
        if (!orr__pair_mask(j->key + (size_t)block * ORR__KEY, other, j->s->r.run, (uint32_t)j->gone[block],
                            (uint32_t)j->stays[i], &mask[i]))
            st = orr__fail(j->at, ORR_EFORMAT, "the public key of client %d is none of X25519", j->stays[i]);
    }
    orr__wipe_stack();
    return st;
}

/* Removes all masks from the sum. The mask that a dropped client would have added cancels that of the other client
 * of the pair. */
static orr_status unmask(orr__site at, orr_secagg_server *s)
{
    int n = s->r.c.clients, stay = count(s, MASKED), gone = count(s, SHARES) - stay, a = 0, b = 0;
    size_t masks = (size_t)stay * ((size_t)gone + 1);
    recovery r = recovery_new(n);
    int *list = orr__alloc_n((size_t)n, sizeof *list);
    orr__mask *mask = orr__secret_new(masks * sizeof *mask + ((size_t)gone + 1) * ORR__KEY);
    orr_status st = r.points && r.wrong && list && mask ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    unsigned char *key = st == ORR_OK ? (unsigned char *)(mask + masks) : NULL,
                  *spare = key ? key + (size_t)gone * ORR__KEY : NULL;
    for (int v = 0; st == ORR_OK && v < n; v++) {
        if (!answered(s, v, SHARES))
            continue;
        if (answered(s, v, MASKED)) {
            st = recover(at, s, v, &r, spare);
            if (st == ORR_OK)
                orr__key_derive(spare, s->r.run, ORR__LABEL_SELF, (uint32_t)v,
                                mask[(size_t)stay * (size_t)gone + (size_t)a].key);
            mask[(size_t)stay * (size_t)gone + (size_t)a].minus = true;
            list[gone + a++] = v;
        } else {
            st = recover(at, s, v, &r, key + (size_t)b * ORR__KEY);
            list[b++] = v;
        }
    }
    if (st == ORR_OK) {
        job j = { at, s, list, list + gone, stay, key, mask };
        st = orr__parallel(at, gone, agree_block, &j);
    }
    if (st == ORR_OK) {
        st = orr__mask_all(at, &s->r, s->sum, mask, (int64_t)masks);
        s->broken = st != ORR_OK;
    }
    orr__secret_free(mask);
    recovery_free(&r);
    free(list);
    orr__wipe_stack();
    return st;
}

orr_tensor *orr_secagg_result_at(const char *file, int line, orr_secagg_server *s, orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "secagg_result");
    if (need(at, s) != ORR_OK)
        return orr__handle_new(NULL);
    if (dtype != ORR_I64 && (dtype < ORR_F16 || dtype > ORR_F64))
        return orr__poison(at, ORR_EDTYPE, "the result is of a float dtype or int64, not %s", orr_dtype_name(dtype));
    if (s->stage != UNMASKED)
        return orr__poison(at, ORR_ESTATE, "the last round has not begun");
    if (count(s, UNMASKED) < s->r.c.threshold)
        return orr__poison(at, ORR_ESTATE, "%d clients have answered in the last round, and %d are needed",
                           count(s, UNMASKED), s->r.c.threshold);
    const orr_secagg_config *c = &s->r.c;
    orr_dtype made = dtype == ORR_I64 ? ORR_I64 : ORR_F64;
    orr_shape shape = ORR_SHAPE(c->length);
    void *data = orr__result_new(at, made, c->length);
    orr_status st = data ? unmask(at, s) : ORR_ENOMEM;
    if (st != ORR_OK)
        return orr__result(at, st, made, shape, data);
    if (made == ORR_I64)
        orr__fixed_signed(c->encoding.modulus, s->sum, c->length, data);
    else
        orr__fixed_decode(c->encoding.modulus, c->encoding.fraction, s->sum, c->length, data);
    s->stage = ENDED;
    orr_tensor *r = orr__result(at, ORR_OK, made, shape, data);
    return made == dtype ? r : orr_cast_at(file, line, r, dtype);
}
