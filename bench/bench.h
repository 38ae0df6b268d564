/* The interface of a case of orrery-bench: its records, its clock.
 * Must not know: any single case.
 *
 * To add a case: a function in a file of its own in bench/, one row in bench/cases.c, the file in Makefile.am. */
#ifndef ORR_BENCH_BENCH_H
#define ORR_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_MOST_PEERS 8 /* programs given by --peer */
#define BENCH_PEERS (2 * BENCH_MOST_PEERS + 4)

/* A measured number beside its reference. */
typedef struct bench_record {
    const char *name;          /* the case                                                               */
    char params[160];          /* JSON members: "\"n\": 1024"                                            */
    const char *metric, *unit; /* "time", "ms"                                                           */
    double value;
    const char *reference;  /* its reference, measured in the same run                                */
    double reference_value; /* same unit                                                              */
    double ratio;           /* 1: equal to the reference, larger: better; see bench_ratio             */
    struct {
        const char *name;
        double value;
    } peer[BENCH_PEERS]; /* name NULL: no more                   */
} bench_record;

typedef struct bench_sink bench_sink;

typedef struct bench_case {
    const char *group, *name, *what;
    int (*run)(bench_sink *out, int rounds); /* 0, or 1 after an error that it has printed to stderr */
} bench_case;

extern const bench_case bench_cases[]; /* ends with name NULL */

/* Options of the command line other than the cases. */
typedef struct bench_options {
    const char *filter;                 /* "poly6/float32" of "fusion:poly6/float32", or NULL          */
    const char *peer[BENCH_MOST_PEERS]; /* shell commands of programs that bench/peers/ describes      */
    int npeer;
    double seconds;       /* of the case soak; 0: the case's default */
    bool least;           /* the fastest round counts instead of the median, for machines in use by others */
    const char *markdown; /* the file for the table of the case ablation, or NULL */
    /* Of the cases random, pause and first: */
    uint64_t seed;
    bool seeded;         /* a seed was given; else the case draws one      */
    int programs;        /* 0: the case's default                          */
    int megabytes;       /* of the largest array; 0: the case's default    */
    bool large;          /* f32 alone, in arrays of 10⁶ elements or more   */
    const char *family;  /* the only one to draw, or NULL                  */
    const char *isa;     /* ORRERY_ISA of a second Orrery side, or NULL    */
    const char *program; /* a file with a program instead of drawn ones    */
    const char *keep;    /* the folder for programs and their explanations */
} bench_options;
extern bench_options bench_opt;

/* -- sink ------------------------------------------------------------------------------------------------ */

bench_sink *bench_sink_new(FILE *table); /* the table for readers is printed to this file */
void bench_sink_free(bench_sink *s);
FILE *bench_table(const bench_sink *s);
/* Keeps a copy and prints it. Returns 0, or 1 if there is no memory. */
int bench_add(bench_sink *s, const bench_record *r);
/* Notes facts about the machine for the head of the table and the JSON file. Called while the engine runs. */
void bench_note_machine(bench_sink *s);
int bench_write_json(const bench_sink *s, const char *path);
int bench_write_svg(const bench_sink *s, const char *path);
/* bench/chart.c: draws bars of each record's ratios, the worst first. 0, or 1 after a printed error. */
int bench_draw(const char *path, const bench_record *record, int n, const char *machine);

/* -- time ------------------------------------------------------------------------------------------------ */

double bench_now(void);                 /* seconds, monotonic                             */
double bench_median(double *x, int n);  /* sorts x                                        */
double bench_typical(double *x, int n); /* the median, or the least with --least; sorts x */
void bench_settle(void);                /* lets the threads of a BLAS fall asleep         */
int bench_cores(void);                  /* of this process's cpuset                       */
/* Compiles kernels at their first use, unless ORRERY_JIT is set. For cases that stop the library, and its compiler with it, after
 * every turn, and whose turns begin with an untimed call. */
void bench_await_kernels(bool on);
/* For times: reference/value; for rates: value/reference. */
double bench_ratio(const bench_record *r, bool larger_is_better);

/* One side of a comparison. `start` and `stop` (NULL: none) are not timed. `once` is called until its calls fill `seconds`; it
 * returns the seconds of a call, or less than 0 on failure. */
typedef struct bench_side {
    int (*start)(void *user);
    int (*once)(void *user);
    void (*stop)(void *user);
} bench_side;

/* Rounds of A, B, A, B …, so that a slow period of the machine affects both. Each round yields the median of its calls; the
 * result is the median of the rounds, in seconds per call. 0, or 1 if a side failed. */
int bench_interleave(const bench_side *a, const bench_side *b, void *user, int rounds, double seconds, double *ta,
                     double *tb);

/* Called within `once`: excludes that many of its seconds. */
void bench_untimed(double seconds);

/* Prints the library's last error with the name of the case. Returns 1. */
int bench_failed(const char *name);

/* -- peers ----------------------------------------------------------------------------------------------- */

/* bench/peer_blas.c: C = op(A)·op(B), f32, row-major, by a direct call of the BLAS on `threads` threads. */
void peer_blas_threads(int threads);
void peer_blas_gemm(bool ta, bool tb, int m, int n, int k, const float *a, const float *b, float *c);
/* Replaces the lower triangle of a (row-major) by its Cholesky factor, by LAPACK's function, if the library has it. 0, or not
 * positive definite. */
bool peer_blas_has_potrf(void);
int peer_blas_potrf(bool f64, int n, void *a);
/* bench/peer_lapack.c: "qr" (Q, R), "svd", "eigh", "eig", "solve", "lstsq" of f64 matrices of order n in columns, by LAPACK's own
 * function on a copy. 0, or its error. out: 2·n² + n numbers; memory: from peer_lapack_memory. */
bool peer_lapack_there(void);
void *peer_lapack_memory(int n);
int peer_lapack(const char *what, int n, const double *a, const double *b, double *out, void *memory);
/* bench/peer_starpu.c: starts StarPU with this policy. Then: seconds for `n` empty tasks from the first submission to the end,
 * each with one handle to read and one to write; independent, or each dependent on the previous one. *submitted (unless NULL):
 * the part of the seconds until the last submission. */
int peer_starpu_start(const char *policy);
double peer_starpu_tasks(int n, bool chain, double *submitted);
void peer_starpu_stop(void);

/* bench/peer_onednn.c: the convolution of images (n, c, side, side) by (o, c/groups, kernel, kernel), forward, by the data or by
 * the weights (0, 1, 2), as oneDNN's own primitive. NULL: no library, or no such primitive. */
typedef struct peer_conv peer_conv;
typedef struct peer_conv_shape {
    int n, c, side, o, kernel, stride, padding, dilation, groups;
} peer_conv_shape;
peer_conv *peer_onednn_conv(int pass, const peer_conv_shape *s, int threads);
double peer_onednn_once(void *conv); /* seconds of a call; < 0: failed */
void peer_onednn_free(peer_conv *c);
/* bench/peer_private.c: encrypts bytes by libsodium's ChaCha20; sums all words; computes r^n mod n² by mpz_powm. False: this
 * build lacks the library. */
bool peer_private_stream(size_t bytes);
unsigned long long peer_private_read(const void *from, size_t bytes);
bool peer_private_power(int bits);
/* n products of elements modulo r, each with its remainder, by GMP. */
bool peer_private_products(int n);

int bench_fusion(bench_sink *out, int rounds);
void bench_fusion_list(void);
/* Computes fusion's cases for requests on standard input, instead of measuring. Returns the exit status. */
int bench_serve(void);
int bench_train(bench_sink *out, int rounds);
int bench_privacy(bench_sink *out, int rounds);
int bench_gemm(bench_sink *out, int rounds);
int bench_cholesky(bench_sink *out, int rounds);
int bench_conv(bench_sink *out, int rounds);
int bench_linalg(bench_sink *out, int rounds);
int bench_files(bench_sink *out, int rounds);
int bench_memory(bench_sink *out, int rounds);
int bench_network(bench_sink *out, int rounds);
int bench_network_memory(bench_sink *out, int rounds);
int bench_mlp_step(bench_sink *out, int rounds);
extern const bench_side bench_mlp_ours; /* the step alone, on bench_mlp_state() */
void *bench_mlp_state(void);
int bench_tile(bench_sink *out, int rounds);
int bench_record_ops(bench_sink *out, int rounds);
int bench_graphs(bench_sink *out, int rounds);
int bench_task(bench_sink *out, int rounds);
int bench_submit(bench_sink *out, int rounds);
int bench_replay(bench_sink *out, int rounds);
int bench_eval_small(bench_sink *out, int rounds);
int bench_private_sums(bench_sink *out, int rounds);
int bench_science(bench_sink *out, int rounds);
int bench_private_field(bench_sink *out, int rounds);
int bench_soak(bench_sink *out, int rounds);
int bench_serving(bench_sink *out, int rounds);
int bench_startup(bench_sink *out, int rounds);
int bench_bandwidth(bench_sink *out, int rounds);
int bench_nodes(bench_sink *out, int rounds);
/* The work of orrery-bench --start in the process measured by bench_startup. Returns the exit status. */
int bench_start(const char *side);
int bench_ablation(bench_sink *out, int rounds);
int bench_random(bench_sink *out, int rounds);
int bench_lengths(bench_sink *out, int rounds);
int bench_pause(bench_sink *out, int rounds);
int bench_first(bench_sink *out, int rounds);
int bench_crowd(bench_sink *out, int rounds);
int bench_host(bench_sink *out, int rounds);
int bench_data_set(bench_sink *out, int rounds);
int bench_simulations(bench_sink *out, int rounds);
int bench_batch(bench_sink *out, int rounds);
int bench_recipes(bench_sink *out, int rounds);

#endif
