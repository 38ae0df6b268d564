/* Random graphs for tests: made from a seed, with the value of every node and a bound for an engine's error.
 * Must not know: engines. */
#ifndef ORR_TESTS_RANDOM_GRAPH_H
#define ORR_TESTS_RANDOM_GRAPH_H

#include "ops/ops.h"
#include "tests/harness/ops_help.h"

#define RG_VALUES 96
#define RG_ELEMENTS 32768

/* A value is exact if everything that it depends on must be equal to the last bit on every engine. Any other value
 * carries a bound per element and goes only into continuous ops: in others a change of the last bit could cause any
 * difference. */
typedef struct {
    orr_tensor *t;   /* as recorded                                 */
    orr_tensor *ref; /* a leaf with the value                       */
    orr__scalar *v;  /* the value; for complex numbers, their parts */
    double *err;     /* bound per scalar; NULL: exact               */
    bool finite;
    bool sums; /* depends on float sums or products: not equal to the last bit in every tier */
} rg_value;

typedef struct {
    unsigned long long state;
    int n, last;                /* last: the latest result of an op, unless it is too small */
    int last_complex;           /* the latest complex value; -1: none */
    int together[4], ntogether; /* results of the latest motif */
    rg_value v[RG_VALUES];
    char log[RG_VALUES][32]; /* the op of each value */
} rg_graph;

/* The parameters of an op, other than its operands. */
typedef struct {
    const orr__ewrow *row;
    const orr__op *op; /* with attr: a structural operation by its contract */
    orr__attr attr;
    orr_dtype d;
    orr_shape shape;
    orr_axes axes;
    orr_index a, b, c;
    int axis;
    bool keep;
    double x, y;
    uint64_t seed;
} rg_param;

/* An op with its chosen operands. */
typedef struct {
    const char *name;
    orr_tensor *(*apply)(orr_tensor *const *in, int n, const rg_param *p);
    rg_param p;
    int nin, in[8];
    bool smooth;  /* accepts operands that are not exact */
    double ulps;  /* error of the op itself, in units in the result's last place; 0: exact */
    double terms; /* number of summed products or terms: error in units of the sum of sizes */
    double slack; /* a composition: error in units in the largest operand's last place */
    bool square;  /* the slack is relative to the square of the largest operand */
    bool cancels; /* the op's own error is relative to its result for the operands' sizes */
    bool sums;    /* contains float sums or products, as do those with terms or slack */
} rg_step;

void rg_begin(rg_graph *g, unsigned long long seed);
void rg_end(rg_graph *g);
/* Number in [0, n). */
int rg_pick(rg_graph *g, int n);
/* An existing real value, usually the latest, so that graphs become deep. */
int rg_any(rg_graph *g);
/* Adds a leaf with tame values; returns its number, -1 if the graph is full. */
int rg_leaf(rg_graph *g, orr_dtype d, orr_shape s);
/* Records the step and computes its value and bounds. False if it was not suitable; nothing is added then. */
bool rg_commit(rg_graph *g, const rg_step *s);
/* Chooses an op and suitable operands. False: none this time. */
bool rg_choose(rg_graph *g, rg_step *s);
bool rg_choose_move(rg_graph *g, rg_step *s); /* of the ops that move elements or make tensors */
bool rg_choose_own(rg_graph *g, rg_step *s);  /* of user-defined ops */
bool rg_choose_complex(rg_graph *g, rg_step *s);
bool rg_choose_science(rg_graph *g, rg_step *s);     /* linear algebra, transforms, order, statistics */
bool rg_choose_network(rg_graph *g, rg_step *s);     /* windows, normalisation, attention, scans, indices */
bool rg_choose_convolution(rg_graph *g, rg_step *s); /* one of them, with an epilogue */
/* One of which each row is worth a task, so that calls with other epilogues have the same tiles. */
bool rg_choose_wide_convolution(rg_graph *g, rg_step *s);
/* Adds the values of several ops that often occur together; fewer if one does not fit. */
void rg_motif(rg_graph *g);
/* Adds calls whose maps read the result of an earlier call, which nobody else reads: it may be written over. */
void rg_over(rg_graph *g);
/* Adds one value by a random op. */
bool rg_grow(rg_graph *g);

/* random_boxes.c: grows a graph of shifted, joined and bordered arrays instead. */
void rg_boxes(rg_graph *g, unsigned long long seed, int ops);

/* -- random_check.c -- */

/* Grows the graph of a seed to at most `ops` values by ops; with ORR_TEST_BOXES, one of boxes. */
void rg_build(rg_graph *g, unsigned long long seed, int ops);
/* True if the engine agrees with the reference evaluation on the graph of a seed. */
bool rg_one(unsigned long long seed);
/* The test of one process: the engine agrees with the reference evaluation on random graphs. Environment:
 * ORR_TEST_GRAPHS, their number, or ORR_TEST_SEEDS, "first-end", or ORR_TEST_SEED, one seed; ORR_TEST_NEEDS, a word in
 * the engine's name, without which the test is skipped; ORR_TEST_COMPILES: kernels must have been compiled, all
 * successfully; ORR_TEST_RESULTS, a file for a line per result that must be equal to the last bit in every tier, or,
 * where ORRERY_DETERMINISTIC is on, in every run. */
void rg_agree(void);
/* The number of graphs of a test: ORR_TEST_GRAPHS, else a thousand with ORR_TEST_FULL, else `few`. */
const char *rg_count(const char *few);
typedef struct {
    const char *name, *value;
} rg_setting;
/* Starts this program with these settings, a NULL name at the end, and ORR_TEST_CHILD. Its output is passed through. */
int rg_start(const rg_setting *env);
/* Checks that the process ended without failures. False: it was skipped. */
bool rg_wait(int pid);

#endif
