/* Hand-made plans, and a backend with scripted kernels: for tests of engines alone.
 * Must not know: planner, fuser, real kernels. */
#ifndef ORR_TESTS_ENGINE_PLANS_H
#define ORR_TESTS_ENGINE_PLANS_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/execution.h"
#include "tests/harness/harness.h"

#ifdef HAVE_STARPU
#define NEED_STARPU
#else
#define NEED_STARPU ORR_SKIP("built without StarPU")
#endif

#define HERE ORR__SITE(__FILE__, __LINE__, "test")

/* out[i] = add + scalar[0] + Σ in[k][offset + stride·i], f64; with `sum`, the sum of that over the rows instead. */
typedef struct fake {
    bool sum;
    double add;
    int64_t fail_row;        /* the launch that contains it fails; -1: none */
    double seconds;          /* duration of a launch */
    const atomic_bool *gate; /* a launch waits until this is set; NULL: no gate */
    int heard, times;        /* > 0: a launch waits until the file contains the words that often */
    const char *words;
    int wanted;         /* > 0: a launch waits until BLAS may use that many threads */
    atomic_int threads; /* … number of BLAS threads at the end of the last launch   */
    atomic_int launches;
    atomic_int turn; /* position of the last launch among those of all kernels */
} fake;

extern atomic_int fake_turns;

orr_status fake_launch(orr__kernel *k, const orr__launch *l);

extern const orr__backend fake_backend;

/* A plan with one allocation; steps and values are added in order. */
enum { FAKE_STEPS = 64, FAKE_INS = 80 };

typedef struct {
    orr__plan plan;
    orr__step step[FAKE_STEPS];
    orr__value value[FAKE_STEPS + FAKE_INS];
    orr__region region[FAKE_STEPS];
    orr__access access[FAKE_STEPS][FAKE_INS];
    int in[FAKE_STEPS][FAKE_INS], out[FAKE_STEPS], outs[16];
    int64_t in_count[FAKE_STEPS][FAKE_INS];
    uint8_t in_dtype[FAKE_STEPS][FAKE_INS];
    size_t slot_bytes[FAKE_STEPS];
    _Alignas(orr__plan_state) char state[sizeof(orr__plan_state) + FAKE_STEPS * sizeof(orr__step_state)];
    fake kernel[FAKE_STEPS];
} hand;

hand *hand_new(void);

int hand_leaf(hand *h, int64_t count);

/* Adds a step over `rows` rows in ntiles tiles that reads n values (stride 1); returns its result. partial: one row
 * per tile. */
int hand_step(hand *h, int64_t rows, int ntiles, bool sum, int n, const int *in);

void hand_output(hand *h, int v);

/* A buffer of n doubles: first, first + 1, … */
orr__buffer *ramp(int64_t n, double first);

/* Runs the plan and waits; the caller releases out. */
orr_status hand_run(hand *h, orr__buffer *const *leaf, double scalar, orr__buffer **out);

bool is_ramp(orr__buffer *b, int64_t n, double first, double step);

orr_status engine_up(const char *engine);

#endif
