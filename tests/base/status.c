/* The thread's last error, hashes, the clock.
 * Must not know: tensors. */
#include "config.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/status.h"
#include "tests/harness/harness.h"

#include <pthread.h>
#include <string.h>

static void message_names_file_line_and_op(void)
{
    orr_status st =
        orr__fail(ORR__SITE("mlp.c", 41, "matmul"), ORR_ESHAPE, "inner dimensions differ: %d and %d", 784, 748);
    ORR_CHECK(st == ORR_ESHAPE);
    ORR_CHECK(orr_error_status() == ORR_ESHAPE);
    ORR_CHECK_MSG(strcmp(orr_error_message(), "mlp.c:41: matmul: inner dimensions differ: 784 and 748") == 0, "%s",
                  orr_error_message());
    orr__fail(ORR__SITE(NULL, 0, "memory"), ORR_ENOMEM, "gone");
    ORR_CHECK(strcmp(orr_error_message(), "memory: gone") == 0);
    orr_error_clear();
    ORR_CHECK(orr_error_status() == ORR_OK && orr_error_message()[0] == '\0');
}

static void message_may_quote_the_last_one(void)
{
    orr__fail(ORR__SITE(NULL, 0, "a"), ORR_EIO, "first");
    orr__fail(ORR__SITE(NULL, 0, "b"), ORR_EIO, "after <%s>", orr_error_message());
    ORR_CHECK_MSG(strcmp(orr_error_message(), "b: after <a: first>") == 0, "%s", orr_error_message());
    orr__fail_text(ORR_EINVAL, orr_error_message() + 3);
    ORR_CHECK_MSG(strcmp(orr_error_message(), "after <a: first>") == 0, "%s", orr_error_message());
}

static void long_messages_are_cut(void)
{
    char file[3000];
    memset(file, 'f', sizeof file - 1);
    file[sizeof file - 1] = '\0';
    orr__fail(ORR__SITE(file, 1, file), ORR_EIO, "%s", file);
    ORR_CHECK(strlen(orr_error_message()) < 1024);
    orr__fail_text(ORR_EIO, file);
    ORR_CHECK(strlen(orr_error_message()) == 1023);
}

static void *other_thread(void *arg)
{
    *(bool *)arg = orr_error_status() == ORR_OK;
    orr__fail(ORR__SITE(NULL, 0, "other"), ORR_EIO, "theirs");
    return NULL;
}

static void errors_are_per_thread(void)
{
    orr__fail(ORR__SITE(NULL, 0, "mine"), ORR_EINVAL, "kept");
    bool clean = false;
    pthread_t t;
    ORR_REQUIRE(pthread_create(&t, NULL, other_thread, &clean) == 0);
    pthread_join(t, NULL);
    ORR_CHECK(clean);
    ORR_CHECK(strcmp(orr_error_message(), "mine: kept") == 0);
}

static void statuses_have_names(void)
{
    ORR_CHECK(strcmp(orr_status_name(ORR_OK), "ORR_OK") == 0);
    ORR_CHECK(strcmp(orr_status_name(ORR_EFORMAT), "ORR_EFORMAT") == 0);
    ORR_CHECK(strcmp(orr_status_name(ORR_EINTERNAL), "ORR_EINTERNAL") == 0);
    ORR_CHECK(orr_status_name((orr_status)-1) != NULL && orr_status_name((orr_status)1000) != NULL);
}

/* Every bit of the input changes about half of the output bits. */
static void hash_spreads_every_bit(void)
{
    unsigned char data[40] = { 0 };
    uint64_t h = orr__hash(data, sizeof data, 1);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        int n = __builtin_popcountll(h ^ orr__hash(data, sizeof data, 1));
        ORR_CHECK_MSG(n > 12 && n < 52, "bit %zu changes %d", bit, n);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void hash_tells_lengths_and_seeds_apart(void)
{
    unsigned char zeros[64] = { 0 };
    uint64_t seen[65];
    for (size_t n = 0; n <= 64; n++) {
        seen[n] = orr__hash(zeros, n, 0);
        ORR_CHECK(seen[n] != orr__hash(zeros, n, 1));
        for (size_t m = 0; m < n; m++)
            ORR_CHECK(seen[m] != seen[n]);
    }
    ORR_CHECK(orr__hash(NULL, 0, 0) == orr__hash(NULL, 0, 0));
}

static void clock_does_not_go_back(void)
{
    double t = orr__now();
    for (int i = 0; i < 1000; i++) {
        double u = orr__now();
        ORR_CHECK(u >= t);
        t = u;
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(message_names_file_line_and_op),
        ORR_TEST(message_may_quote_the_last_one),
        ORR_TEST(long_messages_are_cut),
        ORR_TEST(errors_are_per_thread),
        ORR_TEST(statuses_have_names),
        ORR_TEST(hash_spreads_every_bit),
        ORR_TEST(hash_tells_lengths_and_seeds_apart),
        ORR_TEST(clock_does_not_go_back),
        { 0 },
    };
    return orr_test_main(argc, argv, "base.status", tests);
}
