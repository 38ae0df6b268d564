/* Random graphs for tests: made from a seed, with the value of every node and how far an engine may be from it.
 * Must not know: engines. */
#ifndef ORR_TESTS_RANDOM_GRAPH_H
#define ORR_TESTS_RANDOM_GRAPH_H

#include "ops/ops.h"
#include "tests/harness/ops_help.h"

#define RG_VALUES 96
#define RG_ELEMENTS 32768

/* A value is exact when all that led to it must be the same to the last bit on every engine. Another value carries
 * a bound per element, and goes only into ops that are continuous: elsewhere a last bit could turn into any difference. */
typedef struct {
    orr_tensor *t;   /* as recorded                               */
    orr_tensor *ref; /* a leaf with its value                     */
    orr__scalar *v;  /* that value, of complex numbers the parts  */
    double *err;     /* bound per scalar; NULL: exact             */
    bool finite;
    bool sums; /* float sums or products led to it: not the same to the last bit in every tier */
} rg_value;

typedef struct {
    unsigned long long state;
    int n, last;                /* last: the latest result of an op, if it is not too small to be of use */
    int last_complex;           /* the same of the complex values; -1: there is none                     */
    int together[4], ntogether; /* results of the latest motif */
    rg_value v[RG_VALUES];
    char log[RG_VALUES][32]; /* what made each value */
} rg_graph;

/* The parameters of an op beside its operands. */
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

/* One op with its operands chosen. */
typedef struct {
    const char *name;
    orr_tensor *(*apply)(orr_tensor *const *in, int n, const rg_param *p);
    rg_param p;
    int nin, in[8];
    bool smooth;  /* may take operands that are not exact                                     */
    double ulps;  /* error of the op itself, in units of the result's last place; 0: exact      */
    double terms; /* it sums up so many products or terms: error in units of the sum of sizes   */
    double slack; /* a composition: error in units of the largest operand's last place          */
    bool square;  /* the slack is by the square of the largest operand                          */
    bool cancels; /* the op's own error is by what it gives for the operands' sizes            */
    bool sums;    /* there are float sums or products in it, as in those with terms or slack    */
} rg_step;

void rg_begin(rg_graph *g, unsigned long long seed);
void rg_end(rg_graph *g);
/* Number in [0, n). */
int rg_pick(rg_graph *g, int n);
/* A value that is there and is not complex, mostly the latest one, so that graphs become deep. */
int rg_any(rg_graph *g);
/* Adds a leaf with tame values; returns its number, -1 when the graph is full. */
int rg_leaf(rg_graph *g, orr_dtype d, orr_shape s);
/* Records the step, and takes its value and bounds; false when it was not fit (nothing is added then). */
bool rg_commit(rg_graph *g, const rg_step *s);
/* Chooses an op and operands that fit it; false: none this time. */
bool rg_choose(rg_graph *g, rg_step *s);
bool rg_choose_move(rg_graph *g, rg_step *s); /* of the ops that move elements or make tensors */
bool rg_choose_own(rg_graph *g, rg_step *s);  /* of what the tests define */
bool rg_choose_complex(rg_graph *g, rg_step *s);
bool rg_choose_science(rg_graph *g, rg_step *s); /* linear algebra, transforms, order, statistics */
bool rg_choose_network(rg_graph *g, rg_step *s); /* windows, normalisation, attention, scans, indices */
/* Adds the values of a few ops that often come together; fewer where one does not fit. */
void rg_motif(rg_graph *g);
/* Adds one value by a random op. */
bool rg_grow(rg_graph *g);

/* -- random_check.c -- */

/* Grows the graph of a seed to at most `ops` values by ops. */
void rg_build(rg_graph *g, unsigned long long seed, int ops);
/* The test of one process: graphs give what the reference evaluation gives. Environment: ORR_TEST_GRAPHS how many, or
 * ORR_TEST_SEEDS "first-end", or ORR_TEST_SEED one; ORR_TEST_NEEDS a word in the engine's name, else it is skipped;
 * ORR_TEST_COMPILES that kernels must have been compiled, and none in vain; ORR_TEST_RESULTS a file for a line per
 * result that must be the same to the last bit in every tier, or, where ORRERY_DETERMINISTIC is on, in every run. */
void rg_agree(void);
/* How many graphs a test takes: what ORR_TEST_GRAPHS says, else with ORR_TEST_FULL a thousand, else few. */
const char *rg_count(const char *few);
typedef struct {
    const char *name, *value;
} rg_setting;
/* Runs this program again with these settings, a NULL name at the end, and ORR_TEST_CHILD; its output comes through. */
int rg_start(const rg_setting *env);
/* Checks that it ended well; false: it was skipped. */
bool rg_wait(int pid);

#endif
