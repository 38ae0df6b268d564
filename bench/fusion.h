/* The cases of orrery-bench fusion, and the sides that compute them.
 * Must not know: how a side computes. */
#ifndef ORR_BENCH_FUSION_H
#define ORR_BENCH_FUSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "bench/hand.h"

#define FUSION_LARGE ((int64_t)1 << 24)
#define FUSION_SMALL ((int64_t)1 << 12)

typedef struct fusion_case {
    const char *name, *what;
    hand_id id;
    int ops;            /* a chain's length; 0: no chain                             */
    int nin;            /* arrays read, of the case's shape                          */
    float lo[3], hi[3]; /* the ranges of their values                                */
    double read, write; /* elements that must cross memory, per element of the shape */
    bool mask;          /* the result is bool                                        */
    bool wide, half;    /* also measured in f64, bf16                                */
    int64_t large;      /* elements of the large size                                */
    double tolerance;   /* relative, between the sides' checksums                    */
} fusion_case;

extern const fusion_case fusion_cases[]; /* ends with name NULL */
const fusion_case *fusion_find(const char *name);

extern const char *const fusion_dtype[HAND_DTYPES]; /* "float32", … */

/* One case at one size, the same for every side. */
typedef struct fusion_work {
    const fusion_case *c;
    int dtype; /* a hand_dtype */
    int64_t n;
} fusion_work;

/* Bytes that must cross memory in one call. */
double fusion_bytes(const fusion_work *w);
/* Fills x with n values in [lo, hi), a function of the index and `which` alone, so that all sides have equal data. */
void fusion_fill(float *x, int64_t n, int which, float lo, float hi);

/* Calls `once` once to warm up, then at least 3 times until `seconds` are filled; a first call longer than that is the
 * only one. Returns the median seconds per call; < 0: failed. `once` returns seconds, too. */
double fusion_time(double (*once)(void *), void *user, double seconds);

/* A side has three functions: prepare (returns 0 and a checksum: the sum over its outputs of mean |y|), run, drop. */

/* -- Orrery in this process: bench/fusion_ours.c ----------------------------------------------------------- */

int fusion_ours_prepare(const fusion_work *w, double *checksum);
int fusion_ours_once(void *unused);
void fusion_ours_drop(void);

/* -- C loops in this process, on `threads` threads: bench/fusion_hand.c ------------------------------------- */

typedef struct fusion_hand fusion_hand;
fusion_hand *fusion_hand_new(const fusion_work *w, int threads); /* NULL: no memory */
void fusion_hand_free(fusion_hand *h);
double fusion_hand_checksum(fusion_hand *h);
/* Seconds of one call of the loop, compiled by -O3 -march=native, or with -ffast-math as well; < 0: failed. */
double fusion_hand_once(fusion_hand *h, bool fast);
/* Seconds of STREAM's triad on as many bytes as the case; < 0: failed. */
double fusion_triad_once(fusion_hand *h);

/* -- other processes, with requests line by line: bench/fusion_child.c --------------------------------------- */

typedef struct fusion_child {
    pid_t pid;
    int to, from;
    char name[48];
    bool ready; /* it has prepared the present case */
} fusion_child;

/* Starts a program that prints "ready NAME" and then answers "prepare CASE DTYPE N" with "ok CHECKSUM" or "no REASON",
 * "run SECONDS" with seconds per call (and, for Orrery, those in kernels), "drop" with "ok", until its input ends. Between
 * requests it is stopped, so that its waiting threads use no core. argv's program is found on the PATH. one_core: it is
 * bound to one. Returns 0, or 1 after a printed error. */
int fusion_child_start(fusion_child *c, char *const argv[], bool one_core);
/* Starts this program as a side that computes with Orrery under these settings of the environment (NULL at the end). isa:
 * its ORRERY_ISA; NULL: that of this process. The limit avx2 also applies to the libraries that a side calls. */
int fusion_start_self(fusion_child *c, const char *isa, char *const settings[]);
/* Start this program as the side that computes with Orrery on `workers` workers, and a peer given by --peer. Return as
 * above. keeps_pages: malloc reuses the peer's pages, as Orrery's pool does. By default glibc maps a fresh result of more
 * than 32 MiB in each call, and page faults then take most of a peer's time. */
int fusion_start_ours(fusion_child *c, int workers, bool fuse);
int fusion_start_peer(fusion_child *c, const char *peer, const char *isa, int workers, bool keeps_pages);
/* Returns 0 and the answer, or 1 if the child has ended. */
int fusion_child_ask(fusion_child *c, const char *line, char *answer, size_t size);
void fusion_child_end(fusion_child *c);

#endif
