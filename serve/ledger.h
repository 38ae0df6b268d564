/* The holdings of each client among the resources that all clients share, and the rule of shares.
 * Must not know: what the resources are used for. */
#ifndef ORR_SERVE_LEDGER_H
#define ORR_SERVE_LEDGER_H

#include "serve/reply.h"
#include "serve/tokens.h"

typedef enum serve_resource {
    SERVE_MEMORY, /* bytes of bodies, their parsed texts, work under way, kept arrays, and answers until they are sent */
    SERVE_WORKS,  /* requests that wait or are computed */
    SERVE_JOBS,   /* jobs in whatever state             */
    SERVE_RESOURCES
} serve_resource;

/* shared: there are several clients (tokens). Else one client may hold all. */
void serve_ledger_open(bool shared);
bool serve_ledger_shared(void);
/* most: of all clients together. option: its name on the command line, for messages. */
void serve_ledger_limit(serve_resource r, int64_t most, const char *option);

/* Books n more of r for a client (a number of its token, -1: none). If there are several clients, a client may hold as much as it leaves
 * free, after this: one alone gets half, and another one always finds half of the rest. False: *why is the answer (413: n never fits; 429:
 * the client holds too much; 503: all clients do); nothing is booked. Thread-safe. */
bool serve_ledger_take(int client, serve_resource r, int64_t n, serve_reply *why);
/* Books what a client holds from before this process, whatever its share. False: it is more than what is free. */
bool serve_ledger_carry(int client, serve_resource r, int64_t n);
void serve_ledger_give(int client, serve_resource r, int64_t n);
int64_t serve_ledger_held(int client, serve_resource r);
/* Of all clients. */
int64_t serve_ledger_taken(serve_resource r);
/* Counts a refusal; the number of refusals of a client. */
uint64_t serve_ledger_refused(int client);

#endif
