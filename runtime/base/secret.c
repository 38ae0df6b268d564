/* Memory for keys and other secrets, by mmap; random bytes, by getrandom.
 * Must not know: whose secrets they are. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef HAVE_GETRANDOM
#include <sys/random.h>
#endif
#include "runtime/base/buffer.h"
#include "runtime/base/pool.h"
#include "runtime/base/secret.h"

/* The first page of a block: the data for orr__secret_free, which a child needs too. An inaccessible page, the secret, and another
 * inaccessible page follow. */
typedef struct {
    size_t bytes; /* of the secret, in whole pages */
} header;

static size_t page(void)
{
    long n = sysconf(_SC_PAGESIZE);
    return n > 0 ? (size_t)n : 4096;
}

static void *secret(size_t bytes, bool once)
{
    size_t one = page();
    if (bytes > SIZE_MAX / 2 || orr__pool_must_fail()) {
        orr__pool_report(bytes);
        return NULL;
    }
    size_t mapped = (bytes + one - 1) / one * one + (bytes == 0) * one, all = mapped + 3 * one;
    unsigned char *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *p = base == MAP_FAILED ? NULL : base + 2 * one;
    if (!p || mprotect(base, one, PROT_READ | PROT_WRITE) != 0 || mprotect(p, mapped, PROT_READ | PROT_WRITE) != 0) {
        if (p)
            (void)munmap(base, all);
        orr__pool_report(bytes);
        return NULL;
    }
#ifdef MADV_DONTDUMP
    (void)madvise(p, mapped, MADV_DONTDUMP);
#endif
#ifdef MADV_WIPEONFORK
    if (once)
        (void)madvise(p, mapped, MADV_WIPEONFORK); /* an older system copies them: users compare the process as well */
#else
    (void)once;
#endif
    (void)mlock(p, mapped); /* beyond RLIMIT_MEMLOCK the memory stays unlocked */
    ((header *)(void *)base)->bytes = mapped;
    return p;
}

void *orr__secret_new(size_t bytes)
{
    return secret(bytes, false);
}

void *orr__secret_once(size_t bytes)
{
    return secret(bytes, true);
}

void orr__secret_free(void *p)
{
    if (!p)
        return;
    size_t one = page();
    unsigned char *base = (unsigned char *)p - 2 * one;
    size_t mapped = ((header *)(void *)base)->bytes;
    orr__wipe(p, mapped);
    (void)munlock(p, mapped);
    (void)munmap(base, mapped + 3 * one);
}

void orr__wipe(void *p, size_t bytes)
{
    if (bytes > 0)
        memset(p, 0, bytes);
    __asm__ volatile("" : : "r"(p) : "memory");
}

__attribute__((noinline)) void orr__wipe_stack(void)
{
    unsigned char room[24 * 1024];
    orr__wipe(room, sizeof room);
}

static bool from_device(unsigned char *p, size_t bytes)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && bytes > 0) {
        ssize_t n = read(fd, p, bytes);
        if (n <= 0 && errno != EINTR)
            break;
        p += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return bytes == 0;
}

orr_status orr__secret_random(orr__site at, void *p, size_t bytes)
{
    unsigned char *to = p;
#ifdef HAVE_GETRANDOM
    while (bytes > 0) {
        ssize_t n = getrandom(to, bytes < 4096 ? bytes : 4096, 0); /* limit of the machine */
        if (n < 0 && errno != EINTR)
            break;
        to += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
#endif
    if (bytes > 0 && !from_device(to, bytes))
        return orr__fail(at, ORR_EDEVICE, "the system gives no random bytes (getrandom, /dev/urandom): %s",
                         strerror(errno));
    return ORR_OK;
}

bool orr__secret_equal(const void *a, const void *b, size_t bytes)
{
    const volatile unsigned char *x = a, *y = b;
    unsigned char differ = 0;
    for (size_t i = 0; i < bytes; i++)
        differ = (unsigned char)(differ | (x[i] ^ y[i]));
    return differ == 0;
}
