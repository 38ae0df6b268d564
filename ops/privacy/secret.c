/* Random bytes of the operating system, or, for tests, of Philox with a seed.
 * Must not know: distributions. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <orrery/privacy.h>
#include "ops/privacy/secret.h"
#include "runtime/base/fork.h"
#include "runtime/base/philox.h"

enum { FIRST = 256 }; /* limit of memory: first read: most calls need few bytes; up to 256 come at once */

static _Thread_local struct {
    bool seeded;
    uint64_t seed, calls, process;
} mine;

void orr_dp_seed(uint64_t seed)
{
    mine.seeded = true;
    mine.seed = seed;
    mine.calls = 0;
    mine.process = orr__fork_number();
}

void orr_dp_unseed(void)
{
    mine.seeded = false;
    mine.seed = 0;
}

void orr__secret_begin(orr__secret *s)
{
    if (mine.seeded && mine.process != orr__fork_number()) { /* a child draws other numbers than its parent */
        mine.process = orr__fork_number();
        mine.seed = orr__rand_mix(mine.seed, mine.process);
    }
    s->failed = false;
    s->seeded = mine.seeded;
    s->key = mine.seeded ? orr__rand_mix(mine.seed, mine.calls++) : 0;
    s->block = 0;
    s->at = s->have = 0;
}

static bool system_bytes(uint8_t *out, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(out, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        n -= (size_t)got;
    }
    return true;
}

void orr__secret_fill(orr__secret *s)
{
    s->have = s->have ? sizeof s->byte : FIRST;
    s->at = 0;
    if (!s->seeded && !s->failed)
        s->failed = !system_bytes(s->byte, s->have);
    if (s->seeded || s->failed)
        for (uint32_t i = 0; i < s->have; i += 16) {
            uint32_t w[4];
            orr__philox(s->key, s->block++, 4, w);
            memcpy(&s->byte[i], w, sizeof w);
        }
}

orr_status orr__secret_end(orr__site at, orr__secret *s)
{
    bool failed = s->failed;
    explicit_bzero(s, sizeof *s);
    return failed ? orr__fail(at, ORR_EIO, "the operating system has no random numbers (getrandom)") : ORR_OK;
}

uint64_t orr__secret_word(orr__secret *s)
{
    uint64_t w = 0;
    for (int i = 0; i < 8; i++)
        w = w << 8 | orr__secret_byte(s);
    return w;
}

uint64_t orr__secret_below(orr__secret *s, uint64_t n)
{
    int bits = n > 1 ? 64 - __builtin_clzll((unsigned long long)(n - 1)) : 0;
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX, x; /* limit of arithmetic */
    do {
        x = 0;
        for (int got = 0; got < bits; got += 8)
            x = x << 8 | orr__secret_byte(s);
        x &= mask;
    } while (x >= n);
    return x;
}
