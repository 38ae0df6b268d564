/* The share of each sender in the one thread that receives requests: a bucket for each, which runs empty at a constant rate.
 * Must not know: HTTP. */
#include "config.h"
#include "serve/pace.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

static const double share = 0.15, burst = 0.005,
                    lately = 2; /* of the thread; seconds at once; seconds for which a sender counts as present */

static struct {
    double debt[SERVE_SENDERS], at[SERVE_SENDERS];
    int last;              /* the sender of the latest call */
    double seen, other_at; /* of that sender, and of the latest other one */
} book;

int serve_sender_of(int client, const struct sockaddr *address)
{
    const unsigned char *byte = NULL;
    size_t n = 0;
    uint32_t hash = 2166136261u; /* FNV-1a */
    if (client >= 0)
        return client;
    if (address && address->sa_family == AF_INET) {
        byte = (const unsigned char *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
        n = sizeof(struct in_addr);
    } else if (address && address->sa_family == AF_INET6) {
        byte = (const unsigned char *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        n = sizeof(struct in6_addr) / 2; /* a site has all the others */
    }
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return SERVE_TOKENS_MOST + (int)(hash % SERVE_ADDRESSES);
}

double serve_pace(int sender, double seconds, double now)
{
    if (book.last != sender) {
        book.other_at = book.seen;
        book.last = sender;
    }
    book.seen = now;
    double left = book.debt[sender] - share * (now - book.at[sender]);
    book.debt[sender] = (left > 0 ? left : 0) + seconds;
    book.at[sender] = now;
    if (now - book.other_at > lately) { /* alone: nobody waits for it */
        book.debt[sender] = 0;
        return now;
    }
    return book.debt[sender] > burst ? now + (book.debt[sender] - burst) / share : now;
}
