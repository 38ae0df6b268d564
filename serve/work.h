/* A computation that was asked for: its parameters and operands, what it records, its answer.
 * Must not know: who asked, and when it runs. */
#ifndef ORR_SERVE_WORK_H
#define ORR_SERVE_WORK_H

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
    SERVE_KEEP, /* the body's array, by name */
    SERVE_SHOW, /* an array that is kept     */
    SERVE_KINDS
} serve_kind;
/* "gemm", … */
const char *serve_kind_name(serve_kind k);

enum { SERVE_OPERANDS = 3 };

typedef struct serve_work {
    serve_kind kind;
    const serve_model *model; /* of a prediction */
    const serve_array_limits *most;
    int64_t small; /* bytes of operands up to which it may be batched */
    bool npy;      /* the answer's form */
    serve_store *store;
    int client; /* whose arrays are kept there */

    /* the body; NULL once it is understood */
    serve_body *held; /* NULL: it is empty */
    char *body;
    size_t bytes;
    bool body_npy;
    json_t *query; /* parameters beside a .npy body */

    /* its content */
    orr_tensor *x[SERVE_OPERANDS];     /* gemm: a, b, c                               */
    serve_value *kept[SERVE_OPERANDS]; /* x[i] is its tensor; NULL: the work's own */
    int n;
    char result[SERVE_ARRAY_NAME + 1]; /* the name under which the result is kept; "": it is sent */
    char *expression;
    int op; /* of a reduction or a field; a curve */
    orr_axes axes;
    bool keepdims, transpose_a, transpose_b;
    double alpha, beta;

    char *key; /* works with equal keys may be one evaluation; NULL: not this one */
    serve_reply reply;
} serve_work;

/* Reads the body: false, and the reply says why. Frees it. */
bool serve_work_understand(serve_work *w);
/* Computes n works, understood and with equal keys where n > 1, and gives each its reply. */
void serve_work_run(serve_work *const *w, int n);
/* All that it owns. */
void serve_work_clear(serve_work *w);

/* Whether an operand is {"array": NAME}; *name: NAME, or NULL where that is no text. */
bool serve_work_is_kept(const json_t *a, const char **name);
/* The kept array becomes the next operand; NULL, and the reply says why. */
orr_tensor *serve_work_take(serve_work *w, const char *operand, const char *name);
/* Evaluates t, keeps it as the result, and makes the reply. false: t is the caller's, or its scope's, as before. */
bool serve_work_keep(serve_work *w, orr_tensor *t);

#endif
