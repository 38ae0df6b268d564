/* A requested computation: its parameters and operands, the operations that it records, its answer.
 * Must not know: who asked, and when it runs. */
#ifndef ORR_SERVE_WORK_H
#define ORR_SERVE_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include "serve/array.h"
#include "serve/models.h"
#include "serve/store.h"

typedef enum serve_kind {
    SERVE_GEMM,
    SERVE_ELEMENTWISE,
    SERVE_REDUCE,
    SERVE_FIELD,
    SERVE_MSM,
    SERVE_PREDICT,
    SERVE_KEEP, /* keeps the body's array by name */
    SERVE_SHOW, /* sends a kept array             */
    SERVE_KINDS
} serve_kind;
/* "gemm", … */
const char *serve_kind_name(serve_kind k);

enum { SERVE_OPERANDS = 3 };

typedef struct serve_work {
    serve_kind kind;
    const serve_model *model; /* of a prediction */
    const serve_array_limits *most;
    int64_t small; /* largest bytes of operands for batching */
    bool npy;      /* the answer's form */
    serve_store *store;
    int client;          /* the owner of the kept arrays, and of the memory */
    double longest;      /* predicted seconds beyond which it is refused */
    int64_t booked;      /* bytes in the ledger for the operands, the run and its answer */
    double predicted;    /* seconds of the run */
    atomic_bool dropped; /* nobody waits for it any more: what has begun of it ends, the rest is not computed */
    _Atomic(orr_event *) stretch; /* of the evaluation under way, which a drop cancels */

    /* the body; NULL once it is read */
    serve_body *held; /* NULL: no body */
    char *body;
    size_t bytes;
    bool body_npy;
    json_t *query; /* parameters beside a .npy body */

    /* the content of the body */
    orr_tensor *x[SERVE_OPERANDS];     /* gemm: a, b, c                            */
    serve_value *kept[SERVE_OPERANDS]; /* the owner of x[i]; NULL: the work itself */
    int n;
    char result[SERVE_ARRAY_NAME + 1]; /* the name under which the result is kept; "": the result is sent */
    char *expression;
    int op; /* the operation of a reduction or on a field, or the curve */
    orr_axes axes;
    bool keepdims, transpose_a, transpose_b;
    double alpha, beta;

    char *key; /* works with equal keys may share an evaluation; NULL: it runs alone */
    serve_reply reply;
} serve_work;

/* A prediction from the bytes of the body and of the operands, before anything is planned. */
double serve_work_seconds(const serve_work *w);
/* Books bytes for the work until it or its answer ends. False: the reply has the reason. */
bool serve_work_book(serve_work *w, int64_t bytes);
/* Books the memory that the evaluation of t needs and `answer` bytes more, as the share of w of n works. False: that is too much, or the time
 * would be; the reply has the figures. An error of t itself is left to the evaluation. */
bool serve_work_afford(serve_work *w, orr_tensor *t, int64_t answer, int n);
/* Reads the body, then frees it. On false, the reply holds the reason. */
bool serve_work_understand(serve_work *w);
/* Computes n works, whose bodies are read and whose keys are equal where n > 1, and sets their replies. */
void serve_work_run(serve_work *const *w, int n);
/* Frees everything that the work owns. */
void serve_work_clear(serve_work *w);

/* True if an operand is {"array": NAME}; *name: NAME, or NULL where that is no text. */
bool serve_work_is_kept(const json_t *a, const char **name);
/* Takes the kept array as the next operand. NULL on error; the reply then holds the reason. */
orr_tensor *serve_work_take(serve_work *w, const char *operand, const char *name);
/* Evaluates t, unless the work is dropped. On false, the reply holds the reason. */
bool serve_work_eval(serve_work *w, orr_tensor *t);
/* Nobody waits for the work any more. Safe from any thread. */
void serve_work_drop(serve_work *w);
/* Evaluates t, keeps it as the result, and sets the reply. On false, ownership of t does not change. */
bool serve_work_keep(serve_work *w, orr_tensor *t);

#endif
