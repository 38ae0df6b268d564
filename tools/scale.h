/* Inside of orrery-scale: machines, the two programs that it simulates, their results.
 * Must not know: where a machine's numbers come from. */
#ifndef ORR_TOOLS_SCALE_H
#define ORR_TOOLS_SCALE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum { SCALE_POTRF, SCALE_TRSM, SCALE_SYRK, SCALE_GEMM, SCALE_KINDS } scale_kind;
typedef enum { SCALE_RING, SCALE_TREE, SCALE_DIRECT } scale_reduce; /* how ranks add up an array */

/* A machine of equal nodes, and the problems that are its measure. All numbers are 0 or more; scale_machine.c has their bounds. */
typedef struct {
    char name[64];
    /* compute */
    double nodes_ranks;         /* ranks on a node                                                     */
    double cores;               /* of a node, for workers and communication threads; 0: enough for all */
    double bound;               /* 1: ranks that share cores have one of them each; 0: threads move among all */
    double workers;             /* of a rank: processor cores or GPUs that do tasks                    */
    double gflops[SCALE_KINDS]; /* of a worker, by kind of task                                        */
    double task_us;             /* beside the work of a task                                           */
    double element_ns;          /* of a core for each element of the matrix: its copy in the result    */
    /* messages */
    double latency_us, gbytes; /* of a rank's link; gbytes/s in each direction                        */
    double message_us;         /* of the communication thread, at either end of a message             */
    double copy_gbytes;        /* gbytes/s at which the thread copies a tile, at either end; 0: it copies nothing */
    double poll; /* part of a core that a rank's waiting threads take from its workers, where they have no other */
    double device_gbytes; /* between a GPU and the host, which messages cross at both ends; 0: no GPU */
    /* a training step */
    double step_us, sample_us; /* forward and backward pass: fixed part, part per sample, on all of a rank's workers */
    double update_us;          /* the optimiser                                                       */
    double jitter;             /* mean delay of a rank's step by other things, as a part of it        */
    /* problems */
    double tile, order; /* of the factorisation: rows of a tile; of the matrix on one node     */
    double samples;     /* of training: the batch on one node                                  */
} scale_machine;

/* A factorisation of an n × n matrix in tiles on a p × q grid of ranks, as runtime/engine/starpu/block_cyclic.c inserts it. */
typedef struct {
    int64_t n, tile, element; /* element: bytes */
    int p, q, window;         /* window: panels under way; 0: all, < 0: as many as the library has */
    bool tree;                /* a tile reaches its readers along a binomial tree, else its owner sends to each */
} scale_cholesky;

/* Steps of data-parallel training. */
typedef struct {
    int ranks, steps;
    double samples; /* of a rank's batch                                         */
    int layers;
    const double *bytes; /* gradients of each layer, in the order of the forward pass */
    double bucket;       /* bytes                                                     */
    scale_reduce reduce;
    bool overlap; /* buckets are reduced while the backward pass goes on       */
    uint64_t seed;
} scale_training;

typedef struct {
    double seconds;             /* of the factorisation, or of a step on average                  */
    double flops;               /* of the factorisation                                           */
    double busy, communicating; /* parts of the time: workers with tasks, communication threads with messages */
    double messages, bytes;     /* sent, all ranks                                                */
} scale_result;

/* false: no memory. */
bool scale_cholesky_run(const scale_machine *m, const scale_cholesky *c, scale_result *r);
bool scale_training_run(const scale_machine *m, const scale_training *t, scale_result *r);
/* Seconds for the sum of an array over ranks. */
double scale_reduce_seconds(const scale_machine *m, scale_reduce how, int ranks, double bytes);
/* Seconds of the communication thread at either end of a message. */
double scale_handle_seconds(const scale_machine *m, double bytes);
/* How many times longer tasks take where threads poll on the workers' cores. */
double scale_polled(const scale_machine *m);
/* Seconds of a task on tiles of b × b, alone on its node. */
double scale_task_seconds(const scale_machine *m, scale_kind kind, int64_t b);

/* scale_machine.c: a file of lines "name value", "#" begins a comment; or one of the machines that the tool knows. */
extern const scale_machine scale_known[];
extern const int scale_known_count;
/* false: `why` says what is wrong, and in which line. */
bool scale_machine_read(const char *path, scale_machine *m, char *why, size_t size);
/* false: there is no such number, or it is out of its bounds. */
bool scale_machine_set(scale_machine *m, const char *name, const char *value);
void scale_machine_print(FILE *f, const scale_machine *m);
/* scale_measure.c: this machine's times of tasks and steps, by the library; the others stay. false: *why, or NULL and the
 * library's last error. */
bool scale_measure(scale_machine *m, int64_t tile, const char **why);
/* scale_ranks.c: the times of tasks of a factorisation and of messages between the ranks at hand, which share m->cores cores of one
 * machine; rank 0 has them. Collective. false as above. */
bool scale_measure_ranks(scale_machine *m, int64_t tile, const int64_t grid[2], const char **why);
/* scale_check.c: the seconds of one rank's work while the others rest, of the same on every rank at one time, of the work of all
 * together; of sums over the ranks of a short array and of arrays like all gradients; of work on half as much data, alone and on every rank. The least of factorisations; of steps the median, since how ranks that
 * share cores take turns differs from step to step. */
typedef struct {
    double alone, beside, together, few, many, half_alone, half_beside;
} scale_checked;
/* Collective; false: the library's last error. Training steps of 784-width-width/2-10 with so many samples on each rank, and sums of
 * `few` bytes and of arrays like the gradients. */
bool scale_check_training(int width, int64_t samples, int steps, double few, scale_checked *c);
bool scale_check_cholesky(const scale_cholesky *c, int rounds, scale_checked *to);

#endif
