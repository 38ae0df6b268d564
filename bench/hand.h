/* C loops as a user would write them, to measure against.
 * Must not know: Orrery. */
#ifndef ORR_BENCH_HAND_H
#define ORR_BENCH_HAND_H

#include <stdint.h>

typedef enum hand_id {
    HAND_POLY6,
    HAND_SILU,
    HAND_GELU,
    HAND_BLACK_SCHOLES,
    HAND_COMPARE,
    HAND_SOFTMAX,
    HAND_LAYER_NORM,
    HAND_SUM_SQUARES,
    HAND_COLUMNS,
    HAND_ADAM,
    HAND_DROPOUT_NORM,
    HAND_EMBEDDING,
    HAND_CHAIN4,
    HAND_CHAIN8,
    HAND_CHAIN16,
    HAND_CHAIN32,
    HAND_IDS
} hand_id;

typedef enum hand_dtype { HAND_F32, HAND_F64, HAND_BF16, HAND_DTYPES } hand_dtype;

/* Constants of the cases, shared by every side. */
#define HAND_COLS 1024 /* of a row, in the cases that have rows */
#define HAND_A 1.5
#define HAND_B 0.25
#define HAND_C2 0.7
#define HAND_C1 (-0.3)
#define HAND_C0 (-0.1)
#define HAND_ALPHA 0.01
#define HAND_EPS 1e-5
#define HAND_RATE 0.02 /* interest, Black-Scholes */
#define HAND_SIGMA 0.3
#define HAND_DROP 0.1
#define HAND_LR 1e-3
#define HAND_BETA1 0.9
#define HAND_BETA2 0.999
#define HAND_ADAM_EPS 1e-8
#define HAND_MUL 0.75
#define HAND_FLOOR (-0.5)
#define HAND_SUB 0.125

/* The row of the embedding's table for row r of n: each row once if n is a power of two, and no neighbours in
 * sequence. */
static inline int32_t hand_row_of(int64_t r, int64_t n)
{
    return (int32_t)((r * 40503 + 17) % n);
}

typedef struct hand_args {
    void *in[4]; /* Adam: p, g, m, v; writes p, m, v; embedding: in[3] has the rows' numbers, int32_t */
    void *out[2];
    double step; /* Adam: t                                             */
    uint32_t seed;
    double *partial; /* this thread's sums: 1, or 2 · HAND_COLS            */
} hand_args;

/* Computes elements [lo, hi), or rows if the case has rows. */
typedef void hand_loop(const hand_args *a, int64_t lo, int64_t hi);

hand_loop *hand_plain(hand_id id, hand_dtype d); /* -O3 -march=native              */
hand_loop *hand_fast(hand_id id, hand_dtype d);  /* -O3 -march=native -ffast-math  */
void hand_triad_plain(const float *a, const float *b, float *c, int64_t lo, int64_t hi);
void hand_triad_fast(const float *a, const float *b, float *c, int64_t lo, int64_t hi);

#endif
