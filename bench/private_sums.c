/* Case private-sums: masked and plain sums beside libsodium and memory, Paillier beside GMP and python-phe.
 * Must not know: how they are computed. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { CLIENTS = 100, PARAMETERS = 1000000, NUMBERS = 2000, BITS = 2048 };

typedef struct private_case {
    orr_secagg_client *client[CLIENTS];
    orr_bytes shares[CLIENTS]; /* the secrets by which each client masks */
    int next;
    orr_tensor *vector, *rows;
    orr_paillier *key;
    orr_encrypted *encrypted, *table;
    orr_packing packing;
    unsigned long long read;
} private_case;

static int failed(void)
{
    return bench_failed("private-sums");
}

/* -- secure aggregation ---------------------------------------------------------------------------------------- */

/* Runs rounds 0 and 1 of the protocol, after which every client can mask once. */
static int join(private_case *p)
{
    orr_secagg_config c = {
        .clients = CLIENTS, .threshold = 67, .length = PARAMETERS, .encoding = { ORR_MOD_2_32, 12, CLIENTS }
    };
    orr_secagg_server *server = orr_secagg_server_new(&c);
    orr_status st = server ? ORR_OK : orr_error_status();
    for (int round = 0; st == ORR_OK && round < 2; round++) {
        for (int i = 0; st == ORR_OK && i < CLIENTS; i++) {
            orr_bytes in = { NULL, 0 }, out = { NULL, 0 };
            if (round == 0)
                p->client[i] = orr_secagg_client_new(&c, i, NULL);
            else
                st = orr_secagg_send(server, i, &in);
            if (st == ORR_OK)
                st = round == 0 ? orr_secagg_advertise(p->client[i], &out)
                                : orr_secagg_share_keys(p->client[i], &in, &out);
            if (st == ORR_OK)
                st = orr_secagg_receive(server, &out, 1, NULL);
            orr_bytes_free(&in);
            orr_bytes_free(&out);
        }
        if (st == ORR_OK)
            st = orr_secagg_close(server);
    }
    for (int i = 0; st == ORR_OK && i < CLIENTS; i++)
        st = orr_secagg_send(server, i, &p->shares[i]);
    orr_secagg_server_free(server);
    p->next = 0;
    return st == ORR_OK ? 0 : failed();
}

static void leave(private_case *p)
{
    for (int i = 0; i < CLIENTS; i++) {
        orr_secagg_client_free(p->client[i]);
        orr_bytes_free(&p->shares[i]);
        p->client[i] = NULL;
    }
}

static int mask_once(void *user)
{
    private_case *p = user;
    orr_bytes out = { NULL, 0 };
    if (p->next == CLIENTS) {
        double begin = bench_now();
        leave(p);
        if (join(p) != 0)
            return 1;
        bench_untimed(bench_now() - begin);
    }
    orr_status st = orr_secagg_mask(p->client[p->next], &p->shares[p->next], p->vector, &out);
    p->next++;
    orr_bytes_free(&out);
    return st == ORR_OK ? 0 : failed();
}

static int stream_once(void *user)
{
    (void)user;
    for (int i = 0; i < CLIENTS; i++)
        if (!peer_private_stream((size_t)PARAMETERS * 4))
            return 1;
    return 0;
}

static int sum_once(void *user)
{
    private_case *p = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(orr_additive_join(p->rows, ORR_MOD_2_32));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : failed();
}

static int read_once(void *user)
{
    private_case *p = user;
    const void *rows = orr_data(p->rows);
    p->read += rows ? peer_private_read(rows, (size_t)CLIENTS * PARAMETERS * 4) : 0;
    return rows ? 0 : failed();
}

static int rate(bench_sink *out, const char *what, int cores, double bytes, double t, double direct,
                const char *reference)
{
    bench_record r = { .name = "private-sums",
                       .metric = "rate",
                       .unit = "GB/s",
                       .value = 1e-9 * bytes / t,
                       .reference = reference,
                       .reference_value = 1e-9 * bytes / direct };
    (void)snprintf(r.params, sizeof r.params,
                   "\"what\": \"%s\", \"cores\": %d, \"clients\": %d, \"parameters\": %d, \"ms\": %.1f", what, cores,
                   CLIENTS, PARAMETERS, t * 1e3);
    r.ratio = bench_ratio(&r, true);
    return bench_add(out, &r);
}

static int aggregation(bench_sink *out, int rounds, private_case *p, int cores)
{
    static const bench_side mask = { NULL, mask_once, NULL }, stream = { NULL, stream_once, NULL };
    static const bench_side sum = { NULL, sum_once, NULL }, read = { NULL, read_once, NULL };
    double t = 0.0, direct = 0.0, bytes = 4.0 * PARAMETERS * CLIENTS;
    orr_scope *s = orr_scope_begin();
    p->vector = orr_rand(ORR_F32, ORR_SHAPE(PARAMETERS), -1, 1);
    p->rows = orr_randint(ORR_U32, ORR_SHAPE(CLIENTS, PARAMETERS), 0, 1000000);
    int rc = orr_eval_all(ORR_TENSORS(p->vector, p->rows)) != ORR_OK || join(p) != 0;
    if (rc == 0 && bench_interleave(&mask, &stream, p, rounds, 0.2, &t, &direct) == 0)
        rc = rate(out, "mask", cores, bytes, t, direct, "libsodium's ChaCha20, one core");
    if (rc == 0 && bench_interleave(&sum, &read, p, rounds, 0.2, &t, &direct) == 0)
        rc = rate(out, "sum", cores, bytes, t, direct, "reading the same memory, one core");
    leave(p);
    (void)orr_scope_end(s);
    return rc;
}

/* -- Paillier ---------------------------------------------------------------------------------------------------- */

static int encrypt_once(void *user)
{
    private_case *p = user;
    orr_encrypted *e = orr_paillier_encrypt(p->key, p->vector, p->packing);
    orr_encrypted_free(e);
    return e ? 0 : failed();
}

static int decrypt_once(void *user)
{
    private_case *p = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_tensor_status(orr_paillier_decrypt(p->key, p->encrypted, ORR_F64));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : failed();
}

static int add_once(void *user)
{
    private_case *p = user;
    orr_encrypted *e = orr_paillier_sum(p->table, 0);
    orr_encrypted_free(e);
    return e ? 0 : failed();
}

static int power_once(void *user)
{
    (void)user;
    return !peer_private_power(BITS);
}

/* The answers of peers given by --peer: lines "NAME numbers-per-second". Each peer runs once. */
static struct {
    int peer;
    char name[64];
    double rate;
} said[4 * BENCH_MOST_PEERS];
static int says;

static void ask_all(void)
{
    enum { MOST = sizeof said / sizeof *said };
    for (int i = 0; i < bench_opt.npeer && says == 0; i++) {
        FILE *f = popen(bench_opt.peer[i], "r");
        for (; f && says < MOST && fscanf(f, "%63s %lf", said[says].name, &said[says].rate) == 2; says++)
            said[says].peer = i;
        if (f)
            (void)pclose(f);
    }
    if (says == 0 && bench_opt.npeer > 0)
        (void)fprintf(stderr, "orrery-bench: private-sums: no figures of the peer '%s'\n", bench_opt.peer[0]);
}

static void add_peers(bench_record *r, const char *what)
{
    int n = 0;
    for (int i = 0; i < says; i++)
        if (!strcmp(said[i].name, what)) {
            r->peer[n].name = "python-phe, one core";
            r->peer[n++].value = said[i].rate;
        }
}

static int numbers(bench_sink *out, const char *what, const char *how, int cores, double count, double t, double power)
{
    bench_record r = { .name = "private-sums",
                       .metric = "rate",
                       .unit = "numbers/s",
                       .value = count / t,
                       .reference = "one mpz_powm modulo n^2 each, one core",
                       .reference_value = 1.0 / power };
    (void)snprintf(r.params, sizeof r.params, "\"what\": \"%s\", \"how\": \"%s\", \"cores\": %d, \"bits\": %d", what,
                   how, cores, BITS);
    add_peers(&r, what);
    r.ratio = bench_ratio(&r, true);
    return bench_add(out, &r);
}

static int homomorphic(bench_sink *out, int rounds, private_case *p, int cores)
{
    static const bench_side encrypt = { NULL, encrypt_once, NULL }, decrypt = { NULL, decrypt_once, NULL };
    static const bench_side add = { NULL, add_once, NULL }, power = { NULL, power_once, NULL };
    orr_scope *s = orr_scope_begin();
    orr_paillier *key = orr_paillier_generate(BITS), *public_key = orr_paillier_public(key);
    int rc = !key || !public_key ? failed() : 0;
    for (int packed = 0; rc == 0 && packed < 2; packed++) {
        int n = packed ? NUMBERS : 60;
        double t = 0.0, direct = 0.0;
        const char *how = packed ? "packed" : "one a ciphertext";
        p->packing = (orr_packing){ .fraction = 16, .most = 1000, .headroom = 100, .slots = packed ? 0 : 1 };
        p->vector = orr_rand(ORR_F64, ORR_SHAPE(n), -1000, 1000);
        p->key = key;
        p->encrypted = orr_paillier_encrypt(key, p->vector, p->packing);
        p->table =
            orr_paillier_encrypt(key, orr_rand(ORR_F64, ORR_SHAPE(20, packed ? 100 : 6), -1000, 1000), p->packing);
        rc = !p->encrypted || !p->table ? failed() : 0;
        p->key = public_key;
        if (rc == 0 && bench_interleave(&encrypt, &power, p, rounds, 0.2, &t, &direct) == 0)
            rc = numbers(out, "encrypt", packed ? "packed, public key" : "one a ciphertext, public key", cores, n, t,
                         direct);
        p->key = key;
        if (rc == 0 && bench_interleave(&encrypt, &power, p, rounds, 0.2, &t, &direct) == 0)
            rc = numbers(out, "encrypt", packed ? "packed, private key" : "one a ciphertext, private key", cores, n, t,
                         direct);
        if (rc == 0 && bench_interleave(&decrypt, &power, p, rounds, 0.2, &t, &direct) == 0)
            rc = numbers(out, "decrypt", how, cores, n, t, direct);
        if (rc == 0 && bench_interleave(&add, &power, p, rounds, 0.2, &t, &direct) == 0)
            rc = numbers(out, "sum", how, cores, packed ? 2000 : 120, t, direct);
        orr_encrypted_free(p->encrypted);
        orr_encrypted_free(p->table);
    }
    orr_paillier_free(public_key);
    orr_paillier_free(key);
    (void)orr_scope_end(s);
    return rc;
}

static bool wanted(const char *part)
{
    return !bench_opt.filter || !strcmp(bench_opt.filter, part);
}

/* Measures on one core, then on all. */
int bench_private_sums(bench_sink *out, int rounds)
{
    static private_case p;
    int rc = 0, cores = bench_cores();
    if (wanted("paillier"))
        ask_all();
    for (int k = 1; rc == 0 && k <= cores; k += cores > 1 ? cores - 1 : 1) {
        memset(&p, 0, sizeof p);
        if (orr_init(&(orr_config){ .workers = k }) != ORR_OK)
            return failed();
        if (wanted("aggregation"))
            rc = aggregation(out, rounds, &p, k);
        if (rc == 0 && wanted("paillier"))
            rc = homomorphic(out, rounds, &p, k);
        if (orr_shutdown() != ORR_OK)
            return failed();
    }
    return rc;
}
