/* A forked child: random numbers and secrets are its own, never those of its parent again.
 * Must not know: how a child is recognised. */
#include "config.h"

#include <orrery.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/fork.h"
#include "runtime/base/private_file.h"
#include "runtime/base/secret.h"
#include "tests/harness/harness.h"
#include "tests/share/parties.h"

enum { BYTES = 4096 };

/* The bytes that `work` writes in a child; their number, or -1. restart: the child starts the library again as its messages advise. */
static int child_does(int (*work)(unsigned char *to), unsigned char *got, bool restart)
{
    int fd[2], status = 0, n = -1;
    if (pipe(fd) != 0)
        return -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        unsigned char bytes[BYTES] = { 0 };
        bool ok = !restart || (orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
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

static int in_child(int (*work)(unsigned char *to), unsigned char *got)
{
    return child_does(work, got, true);
}

static int in_child_as_it_is(int (*work)(unsigned char *to), unsigned char *got)
{
    return child_does(work, got, false);
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

/* The values of a new small layer: an initialiser draws them. */
static int weights(unsigned char *to)
{
    orr_module *m = orr_dense(16, 4, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_parameter p = { 0 };
    int n = m && orr_module_parameters(m, &p, 1) > 0 ? bytes_of(p.variable, to) : -1;
    orr_module_free(m);
    return n;
}

static int attention(unsigned char *to)
{
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(1, 1, 16, 8));
    orr_attention_options o = { .dropout = 0.5 };
    return bytes_of(orr_attention(x, x, x, NULL, &o), to);
}

static int permutation(unsigned char *to)
{
    return bytes_of(orr_permutation(64), to);
}

static int gamma_numbers(unsigned char *to)
{
    return bytes_of(orr_gamma(ORR_F64, ORR_SHAPE(32), orr_scalar(2.0), orr_scalar(1.0)), to);
}

static int choice(unsigned char *to)
{
    return bytes_of(orr_choice(1000, 32), to);
}

static int discrete_gaussian(unsigned char *to)
{
    return bytes_of(orr_dp_discrete_gaussian(orr_zeros(ORR_I64, ORR_SHAPE(64)), 1, 50), to);
}

static int discrete_laplace(unsigned char *to)
{
    return bytes_of(orr_dp_discrete_laplace(orr_zeros(ORR_I64, ORR_SHAPE(64)), 50, 1), to);
}

static int responses(unsigned char *to)
{
    return bytes_of(orr_dp_randomised_response(orr_zeros(ORR_I64, ORR_SHAPE(64)), 1000, 0.5), to);
}

static int records(unsigned char *to)
{
    int64_t index[500], count = 0;
    if (orr_dp_poisson(500, 0.5, index, &count) != ORR_OK || count < 100)
        return -1;
    memcpy(to, index, 100 * sizeof *index);
    return 100 * (int)sizeof *index;
}

static int chosen(unsigned char *to)
{
    int64_t index[8];
    for (int i = 0; i < 8; i++)
        if (orr_dp_exponential(orr_zeros(ORR_F64, ORR_SHAPE(1000)), 1, 1, &index[i]) != ORR_OK)
            return -1;
    memcpy(to, index, sizeof index);
    return (int)sizeof index;
}

/* The first share alone: it is random. */
static int first_share(unsigned char *to, orr_tensor *shares)
{
    int n = bytes_of(shares, to);
    return n > 0 ? n / 4 : n;
}

static int additive_shares(unsigned char *to)
{
    return first_share(to, orr_additive_split(orr_zeros(ORR_U64, ORR_SHAPE(16)), 4, ORR_MOD_2_64));
}

static int shamir_shares(unsigned char *to)
{
    return first_share(to, orr_shamir_split(orr_zeros(ORR_U64, ORR_SHAPE(16)), 3, 4));
}

static int identity(unsigned char *to)
{
    unsigned char secret[64];
    return orr_secagg_identity(to, secret) == ORR_OK ? 32 : -1;
}

/* The weights after a step with all records: equal but for the noise. */
static int trained(unsigned char *to, bool secure)
{
    orr_module *m = orr_dense_with(ORR_F32, 4, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_CONSTANT(0.5),
                                   ORR_INITIALISER_CONSTANT(0.0));
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, m, NULL);
    orr_dp_options options = orr_dp_defaults();
    options.q = 1;
    options.secure = secure;
    orr_dp_sgd *t = orr_dp_sgd_new(m, o, &options);
    orr_parameter p = { 0 };
    int n =
        t && orr_dp_sgd_step(t, orr_ones(ORR_F32, ORR_SHAPE(8, 4)), orr_zeros(ORR_I64, ORR_SHAPE(8)), NULL) == ORR_OK &&
                orr_module_parameters(m, &p, 1) > 0
            ? bytes_of(p.variable, to)
            : -1;
    orr_dp_sgd_free(t);
    orr_optim_free(o);
    orr_module_free(m);
    return n;
}

static int trained_with_floats(unsigned char *to)
{
    return trained(to, false);
}

static int trained_with_integers(unsigned char *to)
{
    return trained(to, true);
}

/* Noise of the child of a child. */
static int in_grandchild(unsigned char *to)
{
    return in_child(gaussian_noise, to);
}

static void random_numbers_of_each_pack_are_others(void)
{
    static const struct {
        const char *what;
        int (*work)(unsigned char *to);
        bool sodium;
    } cases[] = {
        { "initial weights", weights, false },
        { "dropout of attention", attention, false },
        { "a permutation", permutation, false },
        { "gamma numbers", gamma_numbers, false },
        { "a choice", choice, false },
        { "the discrete Gaussian", discrete_gaussian, false },
        { "the discrete Laplace", discrete_laplace, false },
        { "randomised responses", responses, false },
        { "a Poisson sample", records, false },
        { "exponential mechanisms", chosen, false },
        { "additive shares", additive_shares, true },
        { "Shamir's shares", shamir_shares, true },
        { "identities", identity, true },
        { "private training", trained_with_floats, false },
        { "private training on a grid", trained_with_integers, false },
        { "noise of grandchildren", in_grandchild, false },
    };
    unsigned char open[32], secret[64];
    bool sodium = orr_secagg_identity(open, secret) == ORR_OK;
    orr_scope *s = orr_scope_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char before[BYTES];
        if (cases[i].sodium && !sodium)
            continue;
        ORR_CHECK_MSG(cases[i].work(before) > 0, "%s: %s", cases[i].what, orr_error_message()); /* all is prepared */
        all_differ(cases[i].what, cases[i].work);
    }
    (void)orr_scope_end(s);
}

static orr_tensor *recorded;

static int recorded_value(unsigned char *to)
{
    return bytes_of(recorded, to);
}

/* Tensors are values: a release that is recorded before a fork is one release, whichever process evaluates it. Another noise in the child
 * would be a second release. */
static void a_recorded_release_has_one_value(void)
{
    orr_scope *s = orr_scope_begin();
    unsigned char its[BYTES], mine[BYTES];
    recorded = orr_dp_gaussian(orr_ones(ORR_F32, ORR_SHAPE(64)), 1, 1);
    int n = in_child_as_it_is(recorded_value, its);
    ORR_CHECK(n < 0 || (n == recorded_value(mine) && memcmp(mine, its, (size_t)n) == 0));
    (void)orr_scope_end(s);
}

static orr_dp_sparse *sparse;
static orr_loader *loader;

static int refused(unsigned char *to)
{
    bool above = false;
    orr_tensor *batch[1] = { NULL };
    to[0] = orr_dp_sparse_ask(sparse, 1.0, &above) == ORR_ESTATE && strstr(orr_error_message(), "not to a forked one");
    to[1] = orr_loader_next(loader, batch) == -1 && orr_error_status() == ORR_ESTATE;
    orr_dp_sparse_free(sparse);
    orr_loader_free(loader);
    return 2;
}

static void objects_of_one_process_are_refused_in_a_child(void)
{
    orr_scope *s = orr_scope_begin();
    unsigned char got[BYTES] = { 0 };
    bool above = false;
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(100, 2)), *batch[1];
    sparse = orr_dp_sparse_new(5, 1, 2, false, 1);
    loader = orr_loader_new(&x, 1, &(orr_loader_options){ .batch = 2 });
    ORR_REQUIRE(sparse && loader);
    ORR_CHECK(orr_loader_next(loader, batch) == 2);
    ORR_CHECK(in_child_as_it_is(refused, got) == 2 && got[0] == 1 && got[1] == 1);
    ORR_CHECK(orr_dp_sparse_ask(sparse, -100.0, &above) == ORR_OK && !above && orr_loader_next(loader, batch) == 2);
    orr_dp_sparse_free(sparse);
    orr_loader_free(loader);
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

/* A child of the bare system call, in which no handler of the C library has run. */
static void children_of_a_bare_fork_are_others(void)
{
#ifdef MADV_WIPEONFORK
    orr_dp_budget *b = orr_dp_budget_new(ORR_DP_RDP, 3, 1e-5);
    uint64_t mine = orr__fork_number(), its[2] = { 0 };
    int fd[2], status = -1;
    ORR_REQUIRE(b && pipe(fd) == 0);
    for (int i = 0; i < 2; i++) {
        (void)fflush(stdout);
        long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        if (child == 0) {
            bool refused = orr_dp_budget_spend(b, ORR_DP_MECHANISM(ORR_DP_PURE, 0.1, 1), 1) == ORR_ESTATE;
            uint64_t n = orr__fork_number();
            _exit(refused && orr__write_all(fd[1], &n, sizeof n) ? 0 : 1);
        }
        ORR_CHECK(child > 0 && waitpid((pid_t)child, &status, 0) == child && status == 0);
        ORR_CHECK(read(fd[0], &its[i], sizeof its[i]) == (ssize_t)sizeof its[i]);
    }
    ORR_CHECK(its[0] && its[1] && its[0] != its[1] && its[0] != mine && its[1] != mine && orr__fork_number() == mine);
    (void)close(fd[0]);
    (void)close(fd[1]);
    orr_dp_budget_free(b);
#else
    ORR_SKIP("this system does not wipe pages in a child");
#endif
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

static orr_encrypted *encrypted;

/* A new noise for a ciphertext that was made before the fork. */
static int rerandomised(unsigned char *to)
{
    orr_bytes b = { 0 };
    orr_encrypted *e = orr_paillier_rerandomize(key, encrypted);
    int n = e && orr_encrypted_save(e, &b) == ORR_OK && b.size <= BYTES ? (int)b.size : -1;
    if (n > 0)
        memcpy(to, b.data, (size_t)n);
    orr_bytes_free(&b);
    orr_encrypted_free(e);
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
    orr_scope *s = orr_scope_begin();
    encrypted = orr_paillier_encrypt(key, orr_ones(ORR_I32, ORR_SHAPE(1)),
                                     (orr_packing){ .most = 10, .headroom = 1, .slots = 1 });
    ORR_CHECK(orr_paillier_prepare(key, 8) == ORR_OK);
    all_differ("a ciphertext with another noise", rerandomised);
    orr_encrypted_free(encrypted);
    (void)orr_scope_end(s);
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

static parties run;
static int in_round;

static int takes_part(unsigned char *to)
{
    orr_bytes in = { .data = to, .size = 1 }, out = { 0 };
    orr_status st = parties_answer(&run, in_round, 0, in_round > 0 ? &in : NULL, &out);
    *to = st == ORR_ESTATE && strstr(orr_error_message(), "belongs to the process that made it");
    orr_bytes_free(&out);
    return 1;
}

/* A second message of any round would give vectors or keys away. */
static void a_client_is_refused_in_a_child_in_each_round(void)
{
    bool ok = parties_open(&run, 3, 2, 4, ORR_MOD_2_64, true);
    if (!ok && orr_error_status() == ORR_EDEVICE)
        ORR_SKIP("built without libsodium");
    ORR_REQUIRE(ok);
    for (in_round = 0; in_round <= 4; in_round++) {
        unsigned char refused = 0;
        ORR_CHECK_MSG(in_child_as_it_is(takes_part, &refused) == 1 && refused == 1, "round %d", in_round);
        ORR_CHECK_MSG(parties_run(&run, in_round, in_round) == ORR_OK, "round %d: %s", in_round, orr_error_message());
    }
    ORR_CHECK(parties_sum_is_right(&run));
    parties_close(&run);
}

/* Work that ends with or without an error, as in a child, which has no engine. */
static void list(void)
{
    orr_device d[8];
    (void)orr_devices(d, 8);
}

static void read_hdf5(void)
{
    char **names;
    int n;
    if (orr_hdf5_names("there_is_none.h5", &names, &n) == ORR_OK)
        free(names);
}

static atomic_bool works;
static void *working(void *work)
{
    while (atomic_load(&works))
        ((void (*)(void))work)();
    return work;
}

/* A lock that another thread holds at the fork would never be released in the child. */
static void no_child_hangs_at(void (*work)(void))
{
    pthread_t thread;
    atomic_store(&works, true);
    work();
    ORR_REQUIRE(pthread_create(&thread, NULL, working, (void *)work) == 0);
    for (int i = 0; i < 40; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(20);
            work();
            _exit(7);
        }
        ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    atomic_store(&works, false);
    (void)pthread_join(thread, NULL);
}

static void a_child_of_a_process_at_work_does_not_hang(void)
{
    no_child_hangs_at(list);
    no_child_hangs_at(read_hdf5);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(numbers_of_processes_differ),
                                      ORR_TEST(children_of_a_bare_fork_are_others),
                                      ORR_TEST(secrets_for_one_use_are_wiped_in_a_child),
                                      ORR_TEST(random_numbers_of_a_child_are_others),
                                      ORR_TEST(random_numbers_of_each_pack_are_others),
                                      ORR_TEST(a_recorded_release_has_one_value),
                                      ORR_TEST(objects_of_one_process_are_refused_in_a_child),
                                      ORR_TEST(prepared_noise_of_a_parent_is_not_used),
                                      ORR_TEST(a_client_of_a_parent_is_refused),
                                      ORR_TEST(a_client_is_refused_in_a_child_in_each_round),
                                      ORR_TEST(a_child_of_a_process_at_work_does_not_hang),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.forks", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
