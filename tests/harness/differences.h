/* Derivatives beside central differences, along random directions: first ones, and those of first ones.
 * Must not know: which function is differentiated. */
#ifndef ORR_TESTS_DIFFERENCES_H
#define ORR_TESTS_DIFFERENCES_H

#include "tests/harness/ops_help.h"

enum { DIFFERENCES_MOST = 8 /* operands */ };

typedef orr_tensor *differences_of(orr_tensor *const *x);

/* A function of some operands. The value may be complex, and so are the operands where the dtype is. */
typedef struct {
    const char *name;
    differences_of *of;
    int n; /* operands */
    orr_shape shape[DIFFERENCES_MOST];
    int order; /* tested up to: 1 or 2 */
} differences_row;

/* Operands of float64 or complex128: numbers between −1 and 1, no two alike. A gradient by a complex z = x + i·y is
 * ∂L/∂x − i·∂L/∂y of the real L. */
void help_differences(const differences_row *row, orr_dtype dtype);
/* The derivative of the row's order is refused: ORR_EGRAPH with `part` in its message. */
void help_no_derivative(const differences_row *row, orr_dtype dtype, const char *part);

#endif
