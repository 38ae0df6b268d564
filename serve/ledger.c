/* The holdings of each client among the resources that all clients share. One lock: a booking is a few additions.
 * Must not know: what the resources are used for. */
#include "config.h"
#include "serve/ledger.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    bool shared;
    struct {
        int64_t most, taken, of[SERVE_TOKENS_MOST + 1]; /* client -1, without a token, first */
        const char *option;
    } r[SERVE_RESOURCES];
    uint64_t refused[SERVE_TOKENS_MOST + 1];
} book = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
    const char *one, *many;
} unit[SERVE_RESOURCES] = { { "byte of memory", "bytes of memory" }, { "request", "requests" }, { "job", "jobs" } };

void serve_ledger_open(bool shared)
{
    book.shared = shared;
}

bool serve_ledger_shared(void)
{
    return book.shared;
}

void serve_ledger_limit(serve_resource r, int64_t most, const char *option)
{
    book.r[r].most = most;
    book.r[r].option = option;
}

static serve_reply refusal(serve_resource r, int64_t n, int64_t mine, int64_t free, int64_t most)
{
    const char *option = book.r[r].option, *name = n == 1 ? unit[r].one : unit[r].many;
    if (n > most || (book.shared && n > (most + 1) / 2))
        return serve_problem(413, "limit", "%lld %s are wanted, and %lld is the most (%s)", (long long)n, name,
                             (long long)(book.shared ? (most + 1) / 2 : most), option);
    if (n > free)
        return serve_problem(503, "limit", "%lld %s are wanted, and %lld of %lld are free (%s); try again",
                             (long long)n, name, (long long)free, (long long)most, option);
    return serve_problem(
        429, "limit",
        "%lld more %s are wanted, this client holds %lld, and %lld of %lld are free for all (%s): wait for "
        "its earlier requests, or fetch and delete their results",
        (long long)n, name, (long long)mine, (long long)free, (long long)most, option);
}

bool serve_ledger_take(int client, serve_resource r, int64_t n, serve_reply *why)
{
    (void)pthread_mutex_lock(&book.lock);
    int64_t *mine = &book.r[r].of[client + 1], held = *mine, most = book.r[r].most, free = most - book.r[r].taken;
    bool ok = n <= 0 || (n <= free && (!book.shared || held + n <= free));
    if (ok) {
        *mine += n;
        book.r[r].taken += n;
    } else {
        book.refused[client + 1]++;
    }
    (void)pthread_mutex_unlock(&book.lock);
    if (!ok)
        *why = refusal(r, n, held, free, most);
    return ok;
}

bool serve_ledger_carry(int client, serve_resource r, int64_t n)
{
    (void)pthread_mutex_lock(&book.lock);
    bool ok = n <= book.r[r].most - book.r[r].taken;
    if (ok) {
        book.r[r].of[client + 1] += n;
        book.r[r].taken += n;
    }
    (void)pthread_mutex_unlock(&book.lock);
    return ok;
}

void serve_ledger_give(int client, serve_resource r, int64_t n)
{
    (void)pthread_mutex_lock(&book.lock);
    book.r[r].of[client + 1] -= n;
    book.r[r].taken -= n;
    (void)pthread_mutex_unlock(&book.lock);
}

int64_t serve_ledger_held(int client, serve_resource r)
{
    (void)pthread_mutex_lock(&book.lock);
    int64_t n = book.r[r].of[client + 1];
    (void)pthread_mutex_unlock(&book.lock);
    return n;
}

int64_t serve_ledger_taken(serve_resource r)
{
    (void)pthread_mutex_lock(&book.lock);
    int64_t n = book.r[r].taken;
    (void)pthread_mutex_unlock(&book.lock);
    return n;
}

uint64_t serve_ledger_refused(int client)
{
    (void)pthread_mutex_lock(&book.lock);
    uint64_t n = book.refused[client + 1];
    (void)pthread_mutex_unlock(&book.lock);
    return n;
}
