/* Clients and a server of one run in one process; a test may lose, repeat or change their messages.
 * Must not know: what a test wants to see. */
#ifndef ORR_TESTS_SHARE_PARTIES_H
#define ORR_TESTS_SHARE_PARTIES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { MOST_PARTIES = 40 };

typedef struct {
    orr_secagg_config config;
    orr_secagg_client *client[MOST_PARTIES];
    orr_secagg_server *server;
    unsigned char identity[MOST_PARTIES * 32], key[MOST_PARTIES][64];
    int lost_in[MOST_PARTIES]; /* the round in which the client's answer is lost; −1: none */
    double *x[MOST_PARTIES];
    /* Called with every message to the server (to < 0), or to a client, before it is delivered; may change it. */
    void (*spy)(void *user, int round, int from, int to, orr_bytes *message);
    void *user;
} parties;

static inline bool parties_open(parties *p, int n, int t, int64_t length, orr_modulus m, bool identities)
{
    memset(p, 0, sizeof *p);
    p->config = (orr_secagg_config){ .clients = n, .threshold = t, .length = length, .encoding = { m, 12, n } };
    memset(p->config.session, 0x5a, sizeof p->config.session);
    bool ok = n <= MOST_PARTIES;
    for (int i = 0; ok && identities && i < n; i++)
        ok = orr_secagg_identity(p->identity + (size_t)i * 32, p->key[i]) == ORR_OK;
    p->config.identities = identities ? p->identity : NULL;
    p->server = ok ? orr_secagg_server_new(&p->config) : NULL;
    unsigned long long seed = (unsigned long long)n * 77u;
    double limit = orr_fixed_limit(p->config.encoding);
    limit = limit < 1000.0 ? limit : 1000.0;
    for (int i = 0; ok && i < n; i++) {
        p->lost_in[i] = -1;
        p->client[i] = orr_secagg_client_new(&p->config, i, identities ? p->key[i] : NULL);
        p->x[i] = calloc((size_t)length, sizeof(double));
        ok = p->client[i] && p->x[i];
        for (int64_t k = 0; ok && k < length; k++)
            p->x[i][k] = ((double)orr_test_rand(&seed) / 9223372036854775808.0 - 1.0) * limit;
    }
    return ok && p->server;
}

static inline void parties_close(parties *p)
{
    for (int i = 0; i < p->config.clients; i++) {
        orr_secagg_client_free(p->client[i]);
        free(p->x[i]);
    }
    orr_secagg_server_free(p->server);
}

/* The answer of client i in round r. */
static inline orr_status parties_answer(parties *p, int r, int i, const orr_bytes *in, orr_bytes *out)
{
    orr_secagg_client *c = p->client[i];
    switch (r) {
    case 0: return orr_secagg_advertise(c, out);
    case 1: return orr_secagg_share_keys(c, in, out);
    case 2: {
        orr_scope *s = orr_scope_begin();
        orr_status st = orr_secagg_mask(c, in, orr_from(ORR_F64, ORR_SHAPE(p->config.length), p->x[i]), out);
        (void)orr_scope_end(s);
        return st;
    }
    case 3: return orr_secagg_confirm(c, in, out);
    default: return orr_secagg_unmask(c, in, out);
    }
}

/* Runs rounds first … last and closes each except the protocol's last; returns the first error. */
static inline orr_status parties_run(parties *p, int first, int last)
{
    orr_status st = ORR_OK;
    for (int r = first; st == ORR_OK && r <= last; r++) {
        if (r == 3 && !p->config.identities)
            continue;
        for (int i = 0; st == ORR_OK && i < p->config.clients; i++) {
            orr_bytes in = { 0 }, out = { 0 };
            if (!orr_secagg_alive(p->server, i))
                continue;
            if (r > 0)
                st = orr_secagg_send(p->server, i, &in);
            if (st == ORR_OK && r > 0 && p->spy)
                p->spy(p->user, r, -1, i, &in);
            if (st == ORR_OK && p->lost_in[i] != r)
                st = parties_answer(p, r, i, r > 0 ? &in : NULL, &out);
            if (st == ORR_OK && p->lost_in[i] != r) {
                if (p->spy)
                    p->spy(p->user, r, i, -1, &out);
                st = orr_secagg_receive(p->server, &out, 1, NULL);
            }
            orr_bytes_free(&in);
            orr_bytes_free(&out);
        }
        if (st == ORR_OK && r < 4)
            st = orr_secagg_close(p->server);
    }
    return st;
}

/* True if the result is the exact sum of the encoded vectors that arrived. */
static inline bool parties_sum_is_right(parties *p)
{
    int64_t n = p->config.length;
    int f = p->config.encoding.fraction;
    int64_t *have = malloc((size_t)n * sizeof *have);
    orr_scope *s = orr_scope_begin();
    orr_tensor *sum = orr_secagg_result(p->server, ORR_I64);
    bool ok = have && orr_read(sum, have, (size_t)n * sizeof *have) == ORR_OK;
    for (int64_t k = 0; ok && k < n; k++) {
        int64_t want = 0;
        for (int i = 0; i < p->config.clients; i++)
            if (p->lost_in[i] < 0 || p->lost_in[i] > 2)
                want += (int64_t)nearbyint(ldexp(p->x[i][k], f));
        ok = have[k] == want;
    }
    (void)orr_scope_end(s);
    free(have);
    return ok;
}

#endif
