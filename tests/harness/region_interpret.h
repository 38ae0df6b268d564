/* For tests of codelets: a run of a region on the block interpreter.
 * Must not know: which backend is tested. */
#ifndef ORR_TESTS_REGION_INTERPRET_H
#define ORR_TESTS_REGION_INTERPRET_H

#include "codelets/cpu/cpu.h"
#include "tests/harness/region_cases.h"

/* Runs on the interpreter and writes to `to` instead of the run's outputs. Arrays are given by the address of
 * element 0. */
bool rc_interpret(const rc_run *run, void *const *to);

#endif
