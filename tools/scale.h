/* Shared by the files of orrery-scale: machines, the two simulated programs, their results.
 * Must not know: where a machine's numbers come from. */
#ifndef ORR_TOOLS_SCALE_H
#define ORR_TOOLS_SCALE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Kinds of tasks. PANEL: factors the columns of an LU panel with row exchanges. */
typedef enum { SCALE_POTRF, SCALE_TRSM, SCALE_SYRK, SCALE_GEMM, SCALE_PANEL, SCALE_KINDS } scale_kind;
typedef enum { SCALE_CHOLESKY, SCALE_PRODUCT, SCALE_LU, SCALE_GRAPHS } scale_which;
/* The algorithm of a sum over ranks; LEAST: as the library, the one of DIRECT, DOUBLING, HALVING and RING that takes the least time. */
typedef enum { SCALE_RING, SCALE_TREE, SCALE_DIRECT, SCALE_DOUBLING, SCALE_HALVING, SCALE_LEAST } scale_reduce;

/* A machine of equal nodes, and the sizes of the problems for it. All numbers are 0 or more; scale_machine.c has their bounds. */
typedef struct {
    char name[64];
    /* compute */
    double nodes_ranks;         /* ranks on a node                                                            */
    double cores;               /* of a node, for workers and communication threads; 0: enough for all        */
    double bound;               /* 1: ranks that share cores have one each; 0: threads move among all of them */
    double workers;             /* of a rank: processor cores or GPUs that do tasks                           */
    double gflops[SCALE_KINDS]; /* of a worker, by kind of task                                               */
    double task_us;             /* overhead of a task                                                         */
    double element_ns;          /* of a core, to copy one element of the matrix to the result                 */
    /* messages */
    double latency_us, gbytes; /* of a rank's link; gbytes/s in each direction                        */
    double message_us;         /* of the communication thread, at either end of a message             */
    double copy_gbytes;        /* gbytes/s at which the thread copies a tile, at either end; 0: it copies nothing */
    double poll; /* fraction of a core that a rank's waiting threads take from its workers, if they have no other */
    double device_gbytes; /* between a GPU and the host, which messages cross at both ends; 0: no GPU */
    /* a training step */
    double step_us, sample_us; /* forward and backward pass: fixed part, part per sample, on all of a rank's workers */
    double update_us;          /* the optimiser */
    double jitter;             /* mean delay of a rank's step by other load, relative to the step */
    double train_gflops;       /* of a rank in the passes of the transformer */
    /* problems */
    double tile, order; /* of the factorisation: rows of a tile; of the matrix on one node     */
    double samples;     /* of training: the batch on one node                                  */
    double sequences;   /* of the transformer: the batch on one node                           */
} scale_machine;

/* A product or a factorisation of n × n matrices in tiles on a p × q grid of ranks, as runtime/engine/starpu/block_cyclic.c and lu_over_ranks.c
 * insert it. */
typedef struct {
    scale_which which;
    int64_t n, tile, element; /* element: bytes */
    int p, q, window;         /* window: panels in progress; 0: all, < 0: as many as in the library */
    bool tree;                /* tiles travel along a binomial tree; else the owner sends to each reader */
    bool keeps;               /* of LU: both triangles, so rows are exchanged on the left of a panel too */
} scale_graph;

/* Steps of data-parallel training. */
typedef struct {
    int ranks, steps;
    double work_us; /* forward and backward pass on a rank's batch               */
    int layers;
    const double *bytes; /* gradients of each layer, in the order of the forward pass */
    double bucket;       /* bytes                                                     */
    scale_reduce reduce;
    bool overlap; /* buckets are reduced during the backward pass */
    uint64_t seed;
} scale_training;

typedef struct {
    double seconds;             /* of the graph, or of a step on average */
    double flops;               /* of the graph */
    double busy, communicating; /* fractions of the time: workers with tasks, communication threads with messages */
    double messages, bytes;     /* sent by all ranks */
} scale_result;

/* Simulates a run. False: no memory. */
bool scale_graph_run(const scale_machine *m, const scale_graph *g, scale_result *r);
bool scale_training_run(const scale_machine *m, const scale_training *t, scale_result *r);
/* A sum of an array over the ranks. busy: the part of the seconds in which a rank's thread and link are busy, so that another sum waits;
 * messages: of each rank, in sequence. */
typedef struct {
    double seconds, busy, messages;
} scale_sum;
scale_sum scale_reduction(const scale_machine *m, scale_reduce how, int ranks, double bytes);
/* Seconds of the communication thread at either end of a message. */
double scale_handle_seconds(const scale_machine *m, double bytes);
/* The factor by which tasks slow down where threads poll on the workers' cores. */
double scale_polled(const scale_machine *m);
/* Seconds of a task on tiles of b × b, alone on its node; PANEL: of its diagonal tile. */
double scale_task_seconds(const scale_machine *m, scale_kind kind, int64_t b);

/* scale_machine.c: a file of lines "name value", "#" begins a comment; or one of the machines that the tool knows. */
extern const scale_machine scale_known[];
extern const int scale_known_count;
/* Reads a machine file. On false, `why` holds the error and its line. */
bool scale_machine_read(const char *path, scale_machine *m, char *why, size_t size);
/* Sets a number of the machine. False if there is no such number, or it is out of its bounds. */
bool scale_machine_set(scale_machine *m, const char *name, const char *value);
void scale_machine_print(FILE *f, const scale_machine *m);
/* scale_measure.c: measures this machine's times of tasks and steps with the library; other numbers stay. On false, *why is the reason,
 * or NULL, and the library then has the error. */
bool scale_measure(scale_machine *m, int64_t tile, const char **why);
/* scale_check.c: seconds of one rank's work while the others rest (alone), of the same work on every rank at one time (beside), and of
 * the work of all together; of sums over the ranks of a short array (few) and of arrays like all gradients (many); of work on half as
 * much data, alone and on every rank. Graphs: the least of several. Steps: the median, since the way in which ranks share cores
 * differs from step to step. */
typedef struct {
    double alone, beside, together, few, many, half_alone, half_beside;
} scale_checked;
/* Collective. On false, the library has the error. Training: steps of 784-width-width/2-10 with `samples` samples on each rank, and sums
 * of `few` bytes and of arrays like the gradients. */
bool scale_check_training(int width, int64_t samples, int steps, double few, scale_checked *c);
/* scale_ranks.c: measures a graph on one rank and on all, and the times of its tasks and of messages between the ranks at hand, which share
 * m->cores cores of one machine. Rank 0 has the result. Collective. On false, as in scale_measure. */
bool scale_measure_ranks(scale_machine *m, const scale_graph *g, scale_checked *c, const char **why);

#endif
