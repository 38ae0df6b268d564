/* For tests of the CPU backend's whole-array kernels: operands of small integers, one launch.
 * Must not know: what is computed. */
#ifndef ORR_TESTS_CPU_LAUNCH_H
#define ORR_TESTS_CPU_LAUNCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/harness/harness.h"
#include "codelets/cpu/cpu.h"

int64_t small_number(int64_t below);

/* Small integers, which are exact in every dtype. */
void *small_numbers(orr_dtype t, int64_t n);

double value_at(const void *p, orr_dtype t, int64_t i);

orr_status launch_rows(const orr__region *r, int64_t lo, int64_t hi, void *const *in, void *out, const orr__scalar *s);

#endif
