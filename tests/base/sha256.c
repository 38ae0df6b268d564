/* SHA-256 by the processor's instructions and without: published examples, and sums of every length and division.
 * Must not know: what is hashed. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "runtime/base/sha256.h"
#include "tests/harness/harness.h"

static const char *hex(const unsigned char digest[32])
{
    static char text[65];
    for (int i = 0; i < 32; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

/* Of n times the text. */
static const char *of(const char *text, int n)
{
    unsigned char digest[32];
    orr__sha256 s;
    orr__sha256_begin(&s);
    for (int i = 0; i < n; i++)
        orr__sha256_add(&s, text, strlen(text));
    orr__sha256_end(&s, digest);
    return hex(digest);
}

/* FIPS 180-4's examples, and NIST's of a million letters. */
static void examples(void)
{
    static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    ORR_CHECK(!strcmp(of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    ORR_CHECK(!strcmp(of("abc", 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    ORR_CHECK(!strcmp(of(long_text, 1), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    ORR_CHECK(!strcmp(of("aaaaaaaaaa", 100000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

/* The digests of the first n bytes of 0, 7, 14 … modulo 256, n = 0 … 300, each in two pieces, hashed again: hashlib of Python. */
static void every_length(void)
{
    unsigned char byte[300], digest[32];
    orr__sha256 all, s;
    for (int i = 0; i < 300; i++)
        byte[i] = (unsigned char)(7 * i);
    orr__sha256_begin(&all);
    for (size_t n = 0; n <= 300; n++) {
        orr__sha256_begin(&s);
        orr__sha256_add(&s, byte, n / 3);
        orr__sha256_add(&s, byte + n / 3, n - n / 3);
        orr__sha256_end(&s, digest);
        orr__sha256_add(&all, digest, sizeof digest);
    }
    orr__sha256_end(&all, digest);
    ORR_CHECK_MSG(!strcmp(hex(digest), "3b05b530351f50663ba5ac734c246d169eafec6b57c70dc6dc94cad39d04aad8"), "%s",
                  hex(digest));
}

static void without_instructions(void)
{
    ORR_CHECK(!orr__sha256_choose(false));
    examples();
    every_length();
}

static void by_instructions(void)
{
    if (!orr__sha256_choose(true))
        ORR_SKIP("this processor has no instructions for SHA-256");
    examples();
    every_length();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(without_instructions), ORR_TEST(by_instructions), { 0 } };
    return orr_test_main(argc, argv, "base.sha256", tests);
}
