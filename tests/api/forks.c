/* A forked child: random numbers and secrets are its own, never those of its parent again.
 * Must not know: how a child is recognised. */
#include "config.h"

#include <orrery.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/fork.h"
#include "runtime/base/private_file.h"
#include "runtime/base/secret.h"
#include "tests/harness/harness.h"

enum { BYTES = 4096 };

/* The bytes that `work` writes in a child, which starts the library again as its messages advise; their number, or -1. */
static int in_child(int (*work)(unsigned char *to), unsigned char *got)
{
    int fd[2], status = 0, n = -1;
    if (pipe(fd) != 0)
        return -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        unsigned char bytes[BYTES] = { 0 };
        bool ok = orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK;
        int size = ok ? work(bytes) : -1;
        _exit(size >= 0 && orr__write_all(fd[1], bytes, (size_t)size) ? 0 : 1);
    }
    (void)close(fd[1]);
    if (child > 0) {
        n = 0;
        for (ssize_t part; (part = read(fd[0], got + n, (size_t)(BYTES - n))) > 0;)
            n += (int)part;
        n = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? n : -1;
    }
    (void)close(fd[0]);
    return n;
}

/* Two children and the parent do the same work: all three must differ. */
static void all_differ(const char *what, int (*work)(unsigned char *to))
{
    unsigned char got[3][BYTES];
    int n[3];
    for (int i = 0; i < 2; i++)
        n[i] = in_child(work, got[i]);
    n[2] = work(got[2]);
    ORR_CHECK_MSG(n[0] > 0 && n[0] == n[1] && n[0] == n[2], "%s: %d, %d and %d bytes", what, n[0], n[1], n[2]);
    for (int i = 0; i < 3 && n[i] > 0; i++)
        for (int k = 0; k < i; k++)
            ORR_CHECK_MSG(memcmp(got[i], got[k], (size_t)n[i]) != 0, "%s: processes %d and %d are equal", what, k, i);
}

/* The elements of t. */
static int bytes_of(orr_tensor *t, unsigned char *to)
{
    size_t n = (size_t)orr_tensor_size(t) * orr_dtype_size(orr_tensor_dtype(t));
    return n <= BYTES && orr_read(t, to, n) == ORR_OK ? (int)n : -1;
}

static int uniform(unsigned char *to)
{
    return bytes_of(orr_rand(ORR_F32, ORR_SHAPE(64), 0, 1), to);
}

static int seeded(unsigned char *to)
{
    orr_seed(7);
    return bytes_of(orr_rand(ORR_F32, ORR_SHAPE(64), 0, 1), to);
}

static int dropout(unsigned char *to)
{
    return bytes_of(orr_dropout(orr_ones(ORR_F32, ORR_SHAPE(512)), 0.5), to);
}

static int gaussian_noise(unsigned char *to)
{
    return bytes_of(orr_dp_gaussian(orr_zeros(ORR_F32, ORR_SHAPE(64)), 1, 1), to);
}

static int laplace_noise(unsigned char *to)
{
    return bytes_of(orr_dp_laplace(orr_zeros(ORR_F32, ORR_SHAPE(64)), 1, 1), to);
}

static void random_numbers_of_a_child_are_others(void)
{
    unsigned char mine[BYTES], its[BYTES];
    orr_scope *s = orr_scope_begin();
    all_differ("uniform numbers", uniform);
    all_differ("dropout", dropout);
    all_differ("Gaussian noise", gaussian_noise);
    all_differ("Laplace noise", laplace_noise);
    orr_dp_seed(3); /* for tests: the same numbers in each run, not in each process */
    all_differ("Gaussian noise of a seed", gaussian_noise);
    orr_dp_unseed();
    int n = in_child(seeded, its);
    ORR_CHECK(n > 0 && seeded(mine) == n && memcmp(mine, its, (size_t)n) == 0);
    (void)orr_scope_end(s);
}

static void numbers_of_processes_differ(void)
{
    uint64_t mine = orr__fork_number(), its[2] = { 0 };
    int fd[2], status;
    ORR_REQUIRE(pipe(fd) == 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            uint64_t n = orr__fork_number();
            _exit(orr__write_all(fd[1], &n, sizeof n) ? 0 : 1);
        }
        ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        ORR_CHECK(read(fd[0], &its[i], sizeof its[i]) == (ssize_t)sizeof its[i]);
    }
    ORR_CHECK(its[0] && its[1] && its[0] != its[1] && its[0] != mine && its[1] != mine);
    (void)close(fd[0]);
    (void)close(fd[1]);
}

static void secrets_for_one_use_are_wiped_in_a_child(void)
{
#ifdef MADV_WIPEONFORK
    unsigned char *once = orr__secret_once(10000), *key = orr__secret_new(10000);
    int status;
    ORR_REQUIRE(once && key);
    memset(once, 1, 10000);
    memset(key, 1, 10000);
    pid_t child = fork();
    if (child == 0) {
        bool ok = true;
        for (int i = 0; i < 10000; i++)
            ok = ok && once[i] == 0 && key[i] == 1;
        orr__secret_free(once);
        orr__secret_free(key);
        _exit(ok ? 0 : 1);
    }
    ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    ORR_CHECK(once[9999] == 1 && key[9999] == 1);
    orr__secret_free(once);
    orr__secret_free(key);
#else
    ORR_SKIP("this system does not wipe pages in a child");
#endif
}

static orr_paillier *key;

static int ciphertext(unsigned char *to)
{
    orr_scope *s = orr_scope_begin();
    orr_bytes b = { 0 };
    orr_encrypted *e = orr_paillier_encrypt(key, orr_ones(ORR_I32, ORR_SHAPE(1)),
                                            (orr_packing){ .most = 10, .headroom = 1, .slots = 1 });
    int n = e && orr_encrypted_save(e, &b) == ORR_OK && b.size <= BYTES ? (int)b.size : -1;
    if (n > 0)
        memcpy(to, b.data, (size_t)n);
    orr_bytes_free(&b);
    orr_encrypted_free(e);
    (void)orr_scope_end(s);
    return n;
}

static int prepared_in_child(unsigned char *to)
{
    bool ok = orr_paillier_prepare(key, 2) == ORR_OK;
    int n = ok ? ciphertext(to) : -1;
    orr_paillier_free(key);
    return n;
}

static void prepared_noise_of_a_parent_is_not_used(void)
{
    key = orr_paillier_generate(2048);
    if (!key && orr_error_status() == ORR_EDEVICE)
        ORR_SKIP("built without GMP");
    ORR_REQUIRE(key);
    unsigned char first[BYTES];
    ORR_CHECK(orr_paillier_prepare(key, 8) == ORR_OK &&
              ciphertext(first) > 0); /* by now the noises are there, or some are */
    usleep(200000);
    all_differ("ciphertexts of 1", ciphertext);
    unsigned char its[BYTES];
    int n = in_child(prepared_in_child, its);
    ORR_CHECK(n > 0 && memcmp(first, its, (size_t)n) != 0);
    orr_paillier_free(key);
    key = NULL;
}

static orr_secagg_client *client;

static int advertised(unsigned char *to)
{
    orr_bytes b = { 0 };
    orr_status st = orr_secagg_advertise(client, &b);
    *to = st == ORR_ESTATE && strstr(orr_error_message(), "belongs to the process that made it");
    orr_bytes_free(&b);
    orr_secagg_client_free(client);
    return 1;
}

static void a_client_of_a_parent_is_refused(void)
{
    orr_secagg_config c = { .clients = 3, .threshold = 2, .length = 4, .encoding = { ORR_MOD_2_64, 12, 3 } };
    unsigned char refused = 0;
    client = orr_secagg_client_new(&c, 0, NULL);
    if (!client && orr_error_status() == ORR_EDEVICE)
        ORR_SKIP("built without libsodium");
    ORR_REQUIRE(client);
    ORR_CHECK(in_child(advertised, &refused) == 1 && refused == 1);
    orr_bytes b = { 0 };
    ORR_CHECK(orr_secagg_advertise(client, &b) == ORR_OK && b.size > 0);
    orr_bytes_free(&b);
    orr_secagg_client_free(client);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(numbers_of_processes_differ),          ORR_TEST(secrets_for_one_use_are_wiped_in_a_child),
        ORR_TEST(random_numbers_of_a_child_are_others), ORR_TEST(prepared_noise_of_a_parent_is_not_used),
        ORR_TEST(a_client_of_a_parent_is_refused),      { 0 }
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.forks", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
