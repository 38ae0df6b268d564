/* Secure aggregation: sums with and without drop-outs are exact, a lying server or a stranger causes an error, and no message
 * through the server contains a client's vector.
 * Must not know: how masks are made. */
#include "config.h"
#include <stdio.h>
#include "ops/share/secagg.h"
#include "tests/share/parties.h"

#ifdef HAVE_SODIUM
static bool says(orr_status have, orr_status st, const char *part)
{
    bool same = have == st && strstr(orr_error_message(), part);
    ORR_CHECK_MSG(same, "%s instead of \"%s\": %s", orr_status_name(have), part, orr_error_message());
    return same;
}

static void sums_are_exact_whoever_drops_out(void)
{
    static const struct {
        int n, t, lost[5]; /* the numbers lost in each round */
        bool identities;
        orr_modulus m;
        int64_t length;
    } cases[] = {
        { 2, 2, { 0 }, false, ORR_MOD_2_64, 1 },
        { 3, 2, { 0, 0, 1, 0, 0 }, false, ORR_MOD_2_32, 100 },
        { 10, 6, { 1, 1, 1, 0, 1 }, false, ORR_MOD_2_64, 40001 },
        { 10, 7, { 0, 0, 3, 0, 0 }, true, ORR_MOD_2_32, 20000 },
        { 10, 6, { 0, 1, 1, 1, 1 }, true, ORR_MOD_2_64, 333 },
        { 12, 12, { 0 }, true, ORR_MOD_2_64, 17 },
        { 33, 17, { 3, 3, 4, 0, 6 }, false, ORR_MOD_2_32, 50000 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        parties p;
        bool ok = parties_open(&p, cases[c].n, cases[c].t, cases[c].length, cases[c].m, cases[c].identities);
        ORR_CHECK_MSG(ok, "case %zu: %s", c, orr_error_message());
        for (int r = 0, i = 1; ok && r < 5; r++) /* neighbours, at both ends of pairs */
            for (int k = 0; k < cases[c].lost[r]; k++, i += 2)
                p.lost_in[i % cases[c].n] = r;
        if (ok)
            ORR_CHECK_MSG(parties_run(&p, 0, 4) == ORR_OK, "case %zu: %s", c, orr_error_message());
        if (ok)
            ORR_CHECK_MSG(parties_sum_is_right(&p), "case %zu: %s", c, orr_error_message());
        parties_close(&p);
    }
}

static void messages_come_in_any_order_and_several_at_once(void)
{
    enum { N = 9 };
    parties p;
    bool ok = parties_open(&p, N, 5, 30000, ORR_MOD_2_64, false);
    ORR_REQUIRE(ok && parties_run(&p, 0, 1) == ORR_OK);
    orr_bytes in[N] = { { 0 } }, out[N] = { { 0 } };
    int taken = -1;
    for (int i = 0; i < N; i++) {
        int who = (i * 4 + 2) % N;
        ORR_CHECK(orr_secagg_send(p.server, who, &in[who]) == ORR_OK);
        ORR_CHECK(parties_answer(&p, 2, who, &in[who], &out[i]) == ORR_OK);
    }
    /* One copy is at an address that is not aligned for 64-bit words. */
    unsigned char *odd = malloc(out[3].size + 1);
    orr_bytes list[N + 1], made = out[3];
    ORR_REQUIRE(odd);
    memcpy(odd + 1, out[3].data, out[3].size);
    memcpy(list, out, sizeof out);
    list[3].data = odd + 1;
    list[N] = out[0]; /* a duplicate */
    (void)says(orr_secagg_receive(p.server, list, N + 1, &taken), ORR_EFORMAT, "has answered before");
    ORR_CHECK(taken == N);
    ORR_CHECK(orr_secagg_close(p.server) == ORR_OK && parties_run(&p, 4, 4) == ORR_OK);
    ORR_CHECK_MSG(parties_sum_is_right(&p), "%s", orr_error_message());
    ORR_CHECK(made.data == out[3].data);
    for (int i = 0; i < N; i++) {
        orr_bytes_free(&in[i]);
        orr_bytes_free(&out[i]);
    }
    free(odd);
    parties_close(&p);
}

/* Searches every message to the server, and the server's answers, for blocks of a client's encoded vector. */
typedef struct {
    uint64_t *encoded[MOST_PARTIES];
    int64_t n;
    long looked, found;
} search;

static void look(void *user, int round, int from, int to, orr_bytes *message)
{
    search *s = user;
    (void)round;
    (void)from;
    (void)to;
    for (size_t at = 0; at + 16 <= message->size; at++)
        for (int i = 0; i < 10; i++)
            s->found += memcmp(message->data + at, s->encoded[i] + s->n / 2, 16) == 0 ||
                        memcmp(message->data + at, s->encoded[i], 16) == 0;
    s->looked++;
}

static void no_vector_is_in_the_clear(void)
{
    parties p;
    search s = { .n = 2000 };
    ORR_REQUIRE(parties_open(&p, 10, 6, s.n, ORR_MOD_2_64, false));
    for (int i = 0; i < 10; i++) {
        s.encoded[i] = malloc((size_t)s.n * 8);
        for (int64_t k = 0; s.encoded[i] && k < s.n; k++)
            s.encoded[i][k] = (uint64_t)(int64_t)nearbyint(ldexp(p.x[i][k], p.config.encoding.fraction));
    }
    p.spy = look;
    p.user = &s;
    p.lost_in[2] = p.lost_in[5] = p.lost_in[6] = 2;
    ORR_CHECK_MSG(parties_run(&p, 0, 4) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(s.looked > 60 && s.found == 0, "%ld of %ld", s.found, s.looked);
    ORR_CHECK(parties_sum_is_right(&p));
    for (int i = 0; i < 10; i++)
        free(s.encoded[i]);
    parties_close(&p);
}

/* Masked vectors of equal vectors differ: each bit is 1 in half of the cases. */
static void masked_vectors_are_uniform(void)
{
    enum { N = 50000 };
    parties p;
    orr_bytes in = { 0 }, out = { 0 };
    ORR_REQUIRE(parties_open(&p, 3, 2, N, ORR_MOD_2_64, false) && parties_run(&p, 0, 1) == ORR_OK);
    memset(p.x[1], 0, N * sizeof(double));
    ORR_REQUIRE(orr_secagg_send(p.server, 1, &in) == ORR_OK && parties_answer(&p, 2, 1, &in, &out) == ORR_OK);
    for (int bit = 0; bit < 64; bit++) {
        int ones = 0;
        for (int i = 0; i < N; i++)
            ones += out.data[ORR__HEADER + 8 * i + bit / 8] >> bit % 8 & 1;
        ORR_CHECK_MSG(fabs(ones - N / 2.0) < 5 * sqrt(N / 4.0), "bit %d: %d", bit, ones);
    }
    orr_bytes_free(&in);
    orr_bytes_free(&out);
    parties_close(&p);
}

/* One byte of each message is changed, or the message is cut or extended: an error or, if other shares or signatures compensate
 * for it, the right sum; never another sum. */
typedef struct {
    int round, kind;
    bool to_server;
    unsigned long long seed;
    bool done;
} mutation;

static void mutate(void *user, int round, int from, int to, orr_bytes *message)
{
    mutation *m = user;
    (void)from;
    if (m->done || round != m->round || (to < 0) != m->to_server || message->size == 0)
        return;
    m->done = true;
    size_t at = (size_t)(orr_test_rand(&m->seed) % message->size);
    if (m->kind == 0) {
        message->data[at] ^= (unsigned char)(1u << orr_test_rand(&m->seed) % 8);
    } else if (m->kind == 1) {
        message->size = at;
    } else {
        orr_bytes longer = { calloc(1, message->size + 8), message->size + 8 };
        memcpy(longer.data, message->data, message->size);
        orr_bytes_free(message);
        *message = longer;
    }
}

static void changed_messages_never_change_the_sum(void)
{
    int rounds = getenv("ORR_TEST_FULL") ? 2000 : 150, errors = 0, right = 0;
    for (int i = 0; i < rounds; i++) {
        parties p;
        mutation m = { .round = i % 5, .kind = i / 5 % 3, .to_server = i / 15 % 2, .seed = (unsigned)i, .done = false };
        ORR_REQUIRE(parties_open(&p, 7, 4, 50, ORR_MOD_2_64, i % 2));
        p.spy = mutate;
        p.user = &m;
        p.lost_in[5] = 2;
        orr_status st = parties_run(&p, 0, 4);
        if (st != ORR_OK) {
            errors++;
            ORR_CHECK_MSG(st == ORR_EFORMAT || st == ORR_ESTATE, "%s: %s", orr_status_name(st), orr_error_message());
        } else if (m.round == 2 && m.to_server && m.kind == 0) {
            right++; /* a client may change its own vector */
        } else {
            bool sum = parties_sum_is_right(&p);
            right += sum;
            errors += !sum;
            ORR_CHECK_MSG(sum || orr_error_status() == ORR_EFORMAT, "mutation %d: a wrong sum", i);
        }
        orr_error_clear();
        parties_close(&p);
    }
    ORR_CHECK_MSG(errors > rounds / 2 && right > rounds / 20, "%d errors, %d right of %d", errors, right, rounds);
}

/* A client that sends wrong shares in the last round. */
static void lie(void *user, int round, int from, int to, orr_bytes *message)
{
    const int *liars = user;
    if (round != 4 || to >= 0 || from >= *liars)
        return;
    for (size_t at = ORR__HEADER + 4; at + 44 <= message->size; at += 44)
        message->data[at + 4] ^= 1;
}

static void wrong_shares_are_corrected_or_named(void)
{
    for (int liars = 1; liars <= 4; liars++) {
        parties p;
        ORR_REQUIRE(parties_open(&p, 10, 6, 100, ORR_MOD_2_64, false));
        p.spy = lie;
        p.user = &liars;
        p.lost_in[9] = 2; /* nine send shares, six are needed: one may lie */
        ORR_CHECK(parties_run(&p, 0, 4) == ORR_OK);
        bool right = parties_sum_is_right(&p);
        ORR_CHECK_MSG(right == (liars == 1), "%d liars: %s", liars, orr_error_message());
        if (!right)
            ORR_CHECK_MSG(orr_error_status() == ORR_EFORMAT && strstr(orr_error_message(), "of client "), "%s",
                          orr_error_message());
        orr_error_clear();
        parties_close(&p);
    }
}

/* A server that puts its own key into the list: with identities every client refuses. */
static void swap_keys(void *user, int round, int from, int to, orr_bytes *message)
{
    (void)user;
    (void)from;
    if (round == 1 && to == 0)
        message->data[message->size - 90] ^= 1; /* in the last client's keys */
}

static void swapped_keys_are_noticed(void)
{
    parties p;
    ORR_REQUIRE(parties_open(&p, 5, 4, 10, ORR_MOD_2_64, true));
    p.spy = swap_keys;
    (void)says(parties_run(&p, 0, 4), ORR_EFORMAT, "client 4 are not signed by it");
    parties_close(&p);
}

/* A server that sends clients different lists learns nothing from either: they do not answer a second time, nor an unsigned list. */
static void two_lists_get_one_answer(void)
{
    parties p;
    orr_bytes in = { 0 }, out = { 0 };
    ORR_REQUIRE(parties_open(&p, 5, 3, 10, ORR_MOD_2_64, false) && parties_run(&p, 0, 2) == ORR_OK);
    ORR_CHECK(orr_secagg_send(p.server, 1, &in) == ORR_OK && orr_secagg_unmask(p.client[1], &in, &out) == ORR_OK);
    orr_bytes_free(&out);
    (void)says(orr_secagg_unmask(p.client[1], &in, &out), ORR_ESTATE, "nothing any more");
    /* a list with fewer than the threshold */
    orr_bytes_free(&in);
    ORR_CHECK(orr_secagg_send(p.server, 2, &in) == ORR_OK);
    orr_bytes few = { malloc(in.size), in.size - 12 };
    memcpy(few.data, in.data, few.size);
    orr__put_le(few.data + 32, few.size - ORR__HEADER, 8);
    few.data[ORR__HEADER] = 2;
    (void)says(orr_secagg_unmask(p.client[2], &few, &out), ORR_EFORMAT, "2 clients stay, and 3 are needed");
    free(few.data);
    orr_bytes_free(&in);
    parties_close(&p);
    /* with identities: a list other than the signed one */
    ORR_REQUIRE(parties_open(&p, 5, 3, 10, ORR_MOD_2_64, true) && parties_run(&p, 0, 3) == ORR_OK);
    ORR_CHECK(orr_secagg_send(p.server, 1, &in) == ORR_OK);
    in.data[ORR__HEADER] = 4; /* the fifth is missing; the next bytes are not the signatures' count */
    ORR_CHECK(orr_secagg_unmask(p.client[1], &in, &out) == ORR_EFORMAT);
    orr_bytes_free(&in);
    ORR_CHECK(orr_secagg_send(p.server, 1, &in) == ORR_OK);
    for (size_t at = in.size - 3 * 68 + 4; at < in.size; at += 68)
        in.data[at] ^= 1; /* three of five signatures */
    (void)says(orr_secagg_unmask(p.client[1], &in, &out), ORR_EFORMAT, "2 clients have signed");
    orr_bytes_free(&in);
    parties_close(&p);
}

static void wrong_calls_say_so(void)
{
    parties p, q;
    orr_bytes in = { 0 }, out = { 0 };
    ORR_REQUIRE(parties_open(&p, 4, 3, 10, ORR_MOD_2_64, false) && parties_open(&q, 4, 3, 10, ORR_MOD_2_64, false));
    orr_secagg_config c = p.config;
    c.threshold = 2;
    ORR_CHECK(!orr_secagg_server_new(&c) && says(orr_error_status(), ORR_EINVAL, "more than half"));
    c = p.config;
    c.clients = 1;
    ORR_CHECK(!orr_secagg_server_new(&c) && says(orr_error_status(), ORR_EINVAL, "2 to 65535"));
    c = p.config;
    c.encoding.addends = 3;
    ORR_CHECK(!orr_secagg_server_new(&c) && says(orr_error_status(), ORR_EINVAL, "room for 3 addends"));
    c.encoding = (orr_fixed){ ORR_MOD_P61, 1, 9 };
    ORR_CHECK(!orr_secagg_client_new(&c, 0, NULL) && says(orr_error_status(), ORR_EINVAL, "2^61 - 1"));
    c = p.config;
    c.length = 0;
    ORR_CHECK(!orr_secagg_client_new(&c, 0, NULL) && says(orr_error_status(), ORR_ESHAPE, "not 0"));
    ORR_CHECK(!orr_secagg_client_new(&p.config, 4, NULL) && says(orr_error_status(), ORR_EINVAL, "0 to 3"));
    ORR_CHECK(!orr_secagg_client_new(&p.config, 0, p.key[0]) && says(orr_error_status(), ORR_EINVAL, "no identities"));
    ORR_CHECK(!orr_secagg_client_new(NULL, 0, NULL) && says(orr_error_status(), ORR_EINVAL, "config is NULL"));
    (void)says(orr_secagg_advertise(NULL, &out), ORR_EINVAL, "NULL");
    (void)says(orr_secagg_advertise(p.client[0], NULL), ORR_EINVAL, "NULL");
    (void)says(orr_secagg_unmask(p.client[0], &in, &out), ORR_ESTATE, "advertise");
    (void)says(orr_secagg_close(p.server), ORR_ESTATE, "0 clients have answered");
    (void)says(orr_secagg_send(p.server, 0, &out), ORR_ESTATE, "round 0");
    (void)says(orr_secagg_receive(NULL, NULL, 0, NULL), ORR_EINVAL, "NULL");
    (void)says(orr_secagg_receive(p.server, &in, 1, NULL), ORR_EFORMAT, "no message");
    ORR_CHECK(orr_tensor_status(orr_secagg_result(p.server, ORR_F32)) == ORR_ESTATE);
    ORR_CHECK(!orr_secagg_alive(p.server, -1) && !orr_secagg_alive(NULL, 0) && orr_secagg_alive(p.server, 3));

    /* another session's message */
    c = p.config;
    c.session[0] ^= 1;
    orr_secagg_client *stranger = orr_secagg_client_new(&c, 0, NULL);
    ORR_CHECK(stranger && orr_secagg_advertise(stranger, &out) == ORR_OK);
    (void)says(orr_secagg_receive(p.server, &out, 1, NULL), ORR_EFORMAT, "another run");
    orr_bytes_free(&out);
    orr_secagg_client_free(stranger);

    /* after a vector that overflows or is too short, another may be given */
    ORR_REQUIRE(parties_run(&p, 0, 1) == ORR_OK && orr_secagg_send(p.server, 0, &in) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    (void)says(orr_secagg_mask(p.client[0], &in, orr_ones(ORR_F32, ORR_SHAPE(9)), &out), ORR_ESHAPE, "9 elements");
    (void)says(orr_secagg_mask(p.client[0], &in, orr_full(ORR_F64, ORR_SHAPE(10), 1e16), &out), ORR_EINDEX,
               "element 0");
    (void)says(orr_secagg_mask(p.client[0], &in, orr_ones(ORR_BOOL, ORR_SHAPE(10)), &out), ORR_EDTYPE, "bool");
    (void)says(orr_secagg_mask(p.client[0], &in, NULL, &out), ORR_EINVAL, "NULL");
    ORR_CHECK(!out.data && orr_secagg_mask(p.client[0], &in, orr_ones(ORR_F64, ORR_SHAPE(10)), &out) == ORR_OK);
    (void)says(orr_secagg_receive(q.server, &out, 1, NULL), ORR_ESTATE, "another round");
    orr_bytes_free(&out);
    /* shares for another client */
    (void)says(orr_secagg_mask(p.client[1], &in, orr_ones(ORR_F64, ORR_SHAPE(10)), &out), ORR_EFORMAT,
               "from the server to client 0, and this is client 1");
    orr_bytes_free(&in);
    (void)orr_scope_end(s);
    parties_close(&p);
    parties_close(&q);
    orr_secagg_client_free(NULL);
    orr_secagg_server_free(NULL);
    orr_bytes_free(NULL);
}
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_SODIUM
    static const orr_test tests[] = {
        ORR_TEST(sums_are_exact_whoever_drops_out),
        ORR_TEST(messages_come_in_any_order_and_several_at_once),
        ORR_TEST(no_vector_is_in_the_clear),
        ORR_TEST(masked_vectors_are_uniform),
        ORR_TEST(changed_messages_never_change_the_sum),
        ORR_TEST(wrong_shares_are_corrected_or_named),
        ORR_TEST(swapped_keys_are_noticed),
        ORR_TEST(two_lists_get_one_answer),
        ORR_TEST(wrong_calls_say_so),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "share secagg", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
#else
    (void)argc;
    (void)argv;
    printf("built without libsodium (libsodium-dev)\norr-test: 0 0 1\n");
    return 77;
#endif
}
