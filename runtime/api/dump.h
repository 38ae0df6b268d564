/* Dumps of evaluations: their content in memory, the file, and the hook of evaluations.
 * Must not know: how a value is computed. */
#ifndef ORR_API_DUMP_H
#define ORR_API_DUMP_H

#include "runtime/api/blame.h"
#include "runtime/base/env.h"
#include "runtime/graph/capture.h"

typedef struct {
    const char *op; /* its name; "leaf": an input */
    const char *file, *as;
    int line, nscalar, nin, leaf; /* leaf: the number of the input, −1: none */
    bool weak, known;
    orr_dtype dtype;
    orr_shape shape;
    orr__attr attr;
    orr__scalar s[3];
    const int32_t *arg;
    unsigned char digest[32]; /* of the value, if `known` */
} orr__dump_node;

typedef struct {
    int node;
    size_t bytes;
    const void *data; /* not aligned; NULL: the dump has the digest alone */
    unsigned char digest[32];
} orr__dump_leaf;

typedef struct {
    int node;
    bool known;
    unsigned char digest[32];
} orr__dump_result;

enum { ORR__DUMP_TEXTS = 5 };
typedef struct {
    union {
        struct {
            const char *reason, *version, *machine, *settings, *plan;
        };
        const char *text[ORR__DUMP_TEXTS];
    };
    int n, nleaf, nout;
    bool steps; /* every node that is no leaf has a digest */
    orr__dump_node *node;
    orr__dump_leaf *leaf;
    orr__dump_result *out;
    int32_t *arg; /* of all nodes */
    char *bytes;  /* the file, to which texts and data point; NULL: they are borrowed */
} orr__dump;

/* Writes the file as a whole or not at all. */
orr_status orr__dump_write(orr__site at, const char *path, const orr__dump *d);
/* Reads and checks the file: its digest, every length and number. *d is empty after an error. */
orr_status orr__dump_read(orr__site at, const char *path, orr__dump *d);
void orr__dump_free(orr__dump *d);
void orr__dump_digest(const void *data, size_t bytes, unsigned char digest[32]);
/* 16 digits of a digest, for people. */
const char *orr__dump_short(const unsigned char digest[32], char text[17]);
/* "file.c:33: matmul f32 (64, 10)" */
const char *orr__dump_step(const orr__dump_node *n, char *text, size_t size);

/* The graph of a dump as nodes, one reference each in *nodes, for orr__dump_undo. */
orr_status orr__dump_nodes(orr__site at, const orr__dump *d, orr__node ***nodes);
void orr__dump_undo(const orr__dump *d, orr__node **nodes);
/* The complete value of a node in host memory. */
orr_status orr__dump_value(orr__site at, orr__node *n, orr__buffer **value);

/* -- the hook of evaluations: orr_dump, ORRERY_DUMP -------------------------------------------------------- */

typedef struct {
    orr__capture p; /* keeps the ancestors of the roots */
    orr__node *const *root;
    orr__node *
        *whole; /* by leaf, of a graph over ranks: the whole value of a leaf of which this rank has a part; else NULL */
    bool made, over_ranks;
} orr__dumping;
/* orr_dump of this thread; NULL: none. */
struct orr__dump_asking;
extern _Thread_local struct orr__dump_asking *orr__dump_asked __attribute__((tls_model("initial-exec")));
/* True if the settings or this thread's orr_dump ask for a file. */
static inline bool orr__dump_wanted(void)
{
    return *orr__env.dump || orr__dump_asked;
}
void orr__dump_begin(orr__site at, const orr__capture_roots *roots, orr__dumping *d);
/* The same of an evaluation over ranks, by all of them: gathers the inputs. Rank 0 will write the file, as of one process. */
void orr__dump_begin_over_ranks(orr__site at, const orr__capture_roots *roots, orr__dumping *d, orr__check_eval *eval);
/* After the evaluation, which had this status, and in which a check found a fault. Keeps the last error. */
void orr__dump_end(orr__site at, orr__dumping *d, orr_status st, bool not_finite);

#endif
