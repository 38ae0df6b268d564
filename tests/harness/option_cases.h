/* Calls of the public functions that differ in an option alone: with equal operands, shapes and dtypes of the operands.
 * Must not know: engines, keys. */
#ifndef ORR_TESTS_OPTION_CASES_H
#define ORR_TESTS_OPTION_CASES_H

#include <orrery.h>

/* make(o, n), 0 ≤ o < options, records a call with option o on operands that depend on n alone, a length from 4 on. Random numbers are
 * those of a seed that it sets. */
typedef struct {
    const char *name;
    int options;
    orr_tensor *(*make)(int option, int64_t n);
} option_case;

/* The other facts of a call: a length, the dtype of operands that may have any, and work on the result. */
typedef struct {
    int64_t n;
    orr_dtype dtype;
    enum { OPTION_PLAIN, OPTION_CHAIN, OPTION_FOLD } then;
} option_variant;

extern const option_case option_cases[]; /* ends with an empty row */
int option_cases_count(void);
/* Records the call of a case in a variant. */
orr_tensor *option_case_record(const option_case *c, int option, const option_variant *v);

#endif
