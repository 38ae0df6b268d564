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
    int ops;            /* a chain's length; 0: no chain                                               */
    int nin;            /* arrays read, of the case's shape                                            */
    float lo[3], hi[3]; /* their values' ranges                                                        */
    double read, write; /* elements that must cross memory, per element of the shape                   */
    bool mask;          /* the result is bool                                                          */
    bool wide, half;    /* also measured in f64, bf16                                                  */
    int64_t large;      /* elements of the large size                                                  */
    double tolerance;   /* relative, between the sides' checksums                                      */
} fusion_case;

extern const fusion_case fusion_cases[]; /* ends with name NULL */
const fusion_case *fusion_find(const char *name);

extern const char *const fusion_dtype[HAND_DTYPES]; /* "float32", … */

/* One case at one size, the same for every side. */
typedef struct fusion_work {
    const fusion_case *c;
    int dtype; /* hand_dtype */
    int64_t n;
} fusion_work;

/* Bytes that must cross memory in one call. */
double fusion_bytes(const fusion_work *w);
/* Fills x with n values in [lo, hi), a function of the index and `which` alone, so that all sides have the same. */
void fusion_fill(float *x, int64_t n, int which, float lo, float hi);

/* Median of calls that fill `seconds`, at least 3, after one that warms up; a call longer than that is all. Seconds per
 * call; < 0: failed. `once` returns seconds, too. */
double fusion_time(double (*once)(void *), void *user, double seconds);

/* A side takes: prepare (returns 0 and a checksum: the sum over its outputs of mean |y|), run, drop. */

/* -- ours, in this process: bench/fusion_ours.c ------------------------------------------------------------ */

int fusion_ours_prepare(const fusion_work *w, double *checksum);
int fusion_ours_once(void *unused);
void fusion_ours_drop(void);

/* -- C loops in this process, on `threads` threads: bench/fusion_hand.c ------------------------------------- */

typedef struct fusion_hand fusion_hand;
fusion_hand *fusion_hand_new(const fusion_work *w, int threads); /* NULL: no memory */
void fusion_hand_free(fusion_hand *h);
double fusion_hand_checksum(fusion_hand *h);
/* Seconds of one call: the loop as compiled by -O3 -march=native, or with -ffast-math as well; < 0: failed. */
double fusion_hand_once(fusion_hand *h, bool fast);
/* Seconds that STREAM's triad takes for as many bytes as the case; < 0: failed. */
double fusion_triad_once(fusion_hand *h);

/* -- other processes, which are asked line by line: bench/fusion_child.c ------------------------------------- */

typedef struct fusion_child {
    pid_t pid;
    int to, from;
    char name[48];
    bool ready; /* it holds the case at hand */
} fusion_child;

/* Starts a program that says "ready NAME" and then answers "prepare CASE DTYPE N" with "ok CHECKSUM" or "no REASON",
 * "run SECONDS" with seconds per call (and, ours, those in kernels), "drop" with "ok", until its input ends. It is
 * stopped while it is not asked, so that its waiting threads use no core. argv's program is found on the PATH.
 * one_core: it is bound to one. Returns 0, or 1 and has said why. */
int fusion_child_start(fusion_child *c, char *const argv[], bool one_core);
/* This program again, as a side that computes with Orrery under these settings of the environment (NULL at the end).
 * isa: an ORRERY_ISA for it, NULL: that of this process. Limited to avx2, the libraries that a side calls are limited too. */
int fusion_start_self(fusion_child *c, const char *isa, char *const settings[]);
/* This program again, as the side that computes with Orrery on so many workers; a peer given by --peer. Returns as above.
 * keeps_pages: malloc gives the peer the pages that it has had before, as Orrery's pool does. By default glibc maps a fresh
 * result of more than 32 MiB anew in each call, and page faults are then most of a peer's time. */
int fusion_start_ours(fusion_child *c, int workers, bool fuse);
int fusion_start_peer(fusion_child *c, const char *peer, const char *isa, int workers, bool keeps_pages);
/* Returns 0 and the answer, or 1 when it is gone. */
int fusion_child_ask(fusion_child *c, const char *line, char *answer, size_t size);
void fusion_child_end(fusion_child *c);

#endif
