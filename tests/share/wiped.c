/* After their owner is freed, keys, seeds and shares are neither in this process's memory nor in the files that it wrote; while
 * they are in use, they are not in a core dump.
 * Must not know: how they are used. */
#include "config.h"
#include "ops/share/secagg.h"
#include "runtime/base/secret.h"
#include "tests/harness/memory_search.h"
#include "tests/share/parties.h"

static char folder[2048];

static void nowhere(const needle *n)
{
    long memory = memory_count(n), files = folder_count(n, folder);
    ORR_CHECK_MSG(memory == 0, "%s is in memory %ld times", n->name, memory);
    ORR_CHECK_MSG(files == 0, "%s is in files %ld times", n->name, files);
}

/* The search itself finds existing bytes. */
static void the_search_finds_what_is_there(void)
{
    NEED_MEMORY_SEARCH();
    unsigned char key[32], *copy = malloc(40), *secret = orr__secret_new(100);
    ORR_REQUIRE(copy && secret && orr__secret_random(ORR__SITE(NULL, 0, "test"), key, sizeof key) == ORR_OK);
    memcpy(copy + 3, key, sizeof key);
    memcpy(secret + 50, key, sizeof key);
    needle n = needle_of("the key", key, sizeof key);
    orr__wipe(key, sizeof key);
    long there = memory_count(&n);
    ORR_CHECK_MSG(there == 2, "%ld", there);
    ORR_CHECK(memory_is_not_dumped(secret) && !memory_is_not_dumped(copy));
    FILE *f = fopen(orr_test_tmp("found"), "we");
    ORR_REQUIRE(f && setvbuf(f, NULL, _IONBF, 0) == 0); /* a buffer would be a further copy */
    (void)fwrite(copy, 1, 40, f);
    (void)fclose(f);
    ORR_CHECK(folder_count(&n, folder) == 1);
    (void)remove(orr_test_tmp("found"));
    orr__wipe(copy, 40);
    free(copy);
    orr__secret_free(secret);
    nowhere(&n);
}

#ifdef HAVE_SODIUM
/* A client's block is its state. The searched bytes are read from it by the sizes that are known here: the random bytes in it
 * are the keys and the seed. */
static void clients_and_server_leave_nothing(void)
{
    NEED_MEMORY_SEARCH();
    enum { N = 6, KEYS = 3 * N };
    parties p;
    needle n[KEYS + N];
    ORR_REQUIRE(parties_open(&p, N, 4, 40000, ORR_MOD_2_64, true));
    p.lost_in[3] = 2;
    ORR_REQUIRE(parties_run(&p, 0, 1) == ORR_OK);
    for (int i = 0; i < N; i++) {
        /* The public halves identify the 32 bytes before them as secret keys. */
        orr_bytes in = { 0 };
        const unsigned char *c = (const unsigned char *)p.client[i];
        unsigned char pub[32];
        int got = 0;
        for (size_t at = 0; at + 64 <= 4096 - 64 && got < 2; at++) {
            orr__key_public(c + at, pub);
            if (memcmp(pub, c + at + 32, 32) == 0) {
                n[3 * i + got] = needle_of(got ? "a masking key" : "a channel key", c + at, 32);
                if (++got == 2)
                    n[3 * i + 2] = needle_of("a seed", c + at + 64, 32);
                at += 63;
            }
        }
        ORR_REQUIRE(got == 2);
        n[KEYS + i] = needle_of("a vector", p.x[i] + 1000, 32);
        ORR_CHECK(memory_is_not_dumped(c) && memory_count(&n[3 * i]) >= 1);
        orr_bytes_free(&in);
    }
    ORR_CHECK_MSG(parties_run(&p, 2, 4) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(parties_sum_is_right(&p), "%s", orr_error_message());
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 40000; k++)
            p.x[i][k] = 0;
    memset(p.key, 0, sizeof p.key);
    parties_close(&p);
    for (int i = 0; i < KEYS; i++)
        nowhere(&n[i]);
}

/* Encoded vectors: a vector before it is masked, which must not be in the server's memory. */
static void encoded_vectors_are_nowhere(void)
{
    NEED_MEMORY_SEARCH();
    parties p;
    needle n[5];
    ORR_REQUIRE(parties_open(&p, 5, 3, 40000, ORR_MOD_2_64, false));
    for (int i = 0; i < 5; i++) {
        uint64_t e[4];
        for (int k = 0; k < 4; k++)
            e[k] = (uint64_t)(int64_t)nearbyint(ldexp(p.x[i][20000 + k], p.config.encoding.fraction));
        n[i] = needle_of("an encoded vector", e, sizeof e);
        orr__wipe(e, sizeof e);
    }
    ORR_CHECK(parties_run(&p, 0, 2) == ORR_OK);
    for (int i = 0; i < 5; i++)
        nowhere(&n[i]);
    ORR_CHECK(parties_run(&p, 4, 4) == ORR_OK && parties_sum_is_right(&p));
    for (int i = 0; i < 5; i++)
        nowhere(&n[i]);
    parties_close(&p);
}

/* A secret that was shared and joined leaves no tensor, block or coefficient. */
static void shared_secrets_leave_nothing(void)
{
    NEED_MEMORY_SEARCH();
    enum { N = 40000 };
    uint64_t *x = malloc(N * sizeof *x);
    unsigned long long seed = 8;
    ORR_REQUIRE(x);
    for (int i = 0; i < N; i++)
        x[i] = orr_test_rand(&seed) >> 4;
    needle first = needle_of("a shared secret", x + 20, 32), last = needle_of("a shared secret", x + N - 50, 32);
    static const int64_t points[] = { 1, 2, 3, 4, 5 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *shares = orr_shamir_split(orr_wrap(ORR_U64, ORR_SHAPE(N), x, NULL, NULL), 3, 5);
    orr_tensor *back = orr_shamir_correct(shares, points, 3, NULL);
    const uint64_t *y = orr_data(back);
    ORR_CHECK(y && memcmp(x, y, N * sizeof *x) == 0);
    orr_tensor *added = orr_additive_split(back, 4, ORR_MOD_P61);
    ORR_CHECK(orr_eval(orr_additive_join(added, ORR_MOD_P61)) == ORR_OK);
    (void)orr_scope_end(s);
    orr__wipe(x, N * sizeof *x);
    nowhere(&first);
    nowhere(&last);
    free(x);
}
#endif

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(the_search_finds_what_is_there),
#ifdef HAVE_SODIUM
        ORR_TEST(clients_and_server_leave_nothing),
        ORR_TEST(encoded_vectors_are_nowhere),
        ORR_TEST(shared_secrets_leave_nothing),
#endif
        { 0 },
    };
    /* Caches, traces and logs are written to the searched folder. */
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp(""));
    (void)setenv("ORRERY_CACHE_DIR", folder, 1);
    (void)setenv("ORRERY_TRACE", orr_test_tmp("trace.json"), 1);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "share wiped", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
