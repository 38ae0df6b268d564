/* For tests of codelets: hand-made regions, and their values computed one at a time.
 * Must not know: backends. */
#ifndef ORR_TESTS_REGION_BUILD_H
#define ORR_TESTS_REGION_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/codelet.h"
#include "ops/ops.h"
#include "runtime/base/philox.h"

enum { RB_INSTR = 200, RB_ACCESS = 96, RB_INPUTS = 16, RB_SCALARS = 128 };

typedef struct {
    orr__region r;
    orr__rinstr instr[RB_INSTR];
    orr__access access[RB_ACCESS];
    int32_t in[RB_INPUTS];
    uint8_t in_dtype[RB_INPUTS];
    int64_t in_count[RB_INPUTS];
    orr__scalar scalar[RB_SCALARS];
    int nscalar;
} rb;

/* Loops, and products. */
typedef enum { RB_MAP, RB_REDUCE, RB_ARGREDUCE, RB_MATMUL } rb_kind;

void rb_begin(rb *b, rb_kind kind, int rank, const int64_t *dim);

int rb_input(rb *b, orr_dtype t, int64_t count);

int rb_access(rb *b, int input, int64_t offset, const int64_t *stride);

/* Limits access `a` to lo ≤ i[d] < hi. */
int rb_box(rb *b, int a, int d, int64_t lo, int64_t hi);

/* An access to a place or a gathered element, moving along the last axis. */
int rb_placed(rb *b, int input, int64_t stride, int64_t by);

/* A row-major access over all axes. */
int rb_linear(rb *b, int input);

int rb_push(rb *b, orr__rikind kind, orr_dtype t, int op, int x, int y, int z, int a, int slot);

int rb_load(rb *b, int access);

int rb_scalar(rb *b, orr_dtype t, orr__scalar s);

int rb_iota(rb *b, orr_dtype t, int access, orr__scalar start, orr__scalar step);

int rb_random(rb *b, int dist, orr_dtype t, int access, uint64_t seed, uint64_t s1, uint64_t s2);

int rb_cast(rb *b, orr_dtype t, int x);

int rb_row(rb *b, const orr__ewrow *row, int x, int y, int z);

int rb_ew(rb *b, const char *name, int x, int y, int z);

void rb_out(rb *b, orr_dtype t, int reg);

/* Computes rows [lo, hi) by the rules of codelets/codelet.h; in, out: whole arrays. */
void rb_reference(const rb *b, int64_t lo, int64_t hi, const void *const *in, void *const *out);

#endif
