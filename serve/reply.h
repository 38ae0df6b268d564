/* Answers: a status, a content type and bytes with their owner.
 * Must not know: connections. */
#ifndef ORR_SERVE_REPLY_H
#define ORR_SERVE_REPLY_H

#include <jansson.h>
#include <stdatomic.h>
#include <stddef.h>
#include <orrery.h>

/* A tensor that several answers may send pieces of and works may read; the last reference frees it. */
typedef struct serve_value {
    atomic_int refs;
    orr_tensor *t;
    size_t room; /* bytes in the ledger of its client, released at its end */
    int client;
} serve_value;

void serve_value_unref(serve_value *v); /* NULL is fine */

/* The body is `text`, then `tail`. */
typedef struct serve_reply {
    int status;       /* 0: there is none yet                        */
    const char *type; /* a literal                                   */
    char *text;       /* malloc's                                    */
    const void *tail; /* a literal's bytes, or the value's           */
    size_t n_text, n_tail;
    serve_value *value; /* owned reference, or NULL                    */
    int64_t room;       /* bytes in the ledger of `client`             */
    int client;
    char allow[32];    /* of a 405: the methods, or ""                */
    char location[64]; /* of a job, or ""                             */
} serve_reply;

#define SERVE_JSON "application/json"
#define SERVE_NPY "application/x-npy"
#define SERVE_PROBLEM "application/problem+json"

/* Takes ownership of the object. A NULL object (no memory for it) becomes a 503. */
serve_reply serve_reply_json(int status, json_t *object);
/* Takes ownership of text (malloc's); NULL as above. */
serve_reply serve_reply_text(int status, const char *type, char *text, size_t n);
serve_reply serve_reply_literal(const char *type, const char *text);
/* An RFC 9457 problem. code: "ORR_ESHAPE", or a code of the service. */
serve_reply serve_problem(int status, const char *code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The calling thread's last error, without this program's call site. */
serve_reply serve_problem_last(void);
void serve_reply_free(serve_reply *r);

#endif
