/* The share of each sender in the one thread that receives requests.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_PACE_H
#define ORR_SERVE_PACE_H

#include <sys/socket.h>
#include "serve/tokens.h"

/* A sender: a client, or an address that has not shown a token yet (many addresses may be one sender). */
enum { SERVE_ADDRESSES = 256, SERVE_SENDERS = SERVE_TOKENS_MOST + SERVE_ADDRESSES };
int serve_sender_of(int client, const struct sockaddr *address);

/* Books `seconds` of the thread for a sender; the time (serve_now) at which they may be spent. While others send too, a sender gets a quarter
 * of the thread, in the long run. One thread may call it. */
double serve_pace(int sender, double seconds, double now);

#endif
