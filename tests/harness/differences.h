/* Derivatives beside central differences along random directions: first derivatives, and second ones as derivatives
 * of these.
 * Must not know: which function is differentiated. */
#ifndef ORR_TESTS_DIFFERENCES_H
#define ORR_TESTS_DIFFERENCES_H

#include "tests/harness/ops_help.h"

enum { DIFFERENCES_MOST = 8 /* operands */ };

typedef orr_tensor *differences_of(orr_tensor *const *x);

/* A function of several operands. Its value may be complex; its operands are complex if the dtype is. */
typedef struct {
    const char *name;
    differences_of *of;
    int n; /* operands */
    orr_shape shape[DIFFERENCES_MOST];
    int order; /* highest order tested: 1 or 2 */
} differences_row;

/* Checks the derivatives. Operands of float64 or complex128: numbers between −1 and 1, all different. The gradient
 * by a complex z = x + i·y is ∂L/∂x − i·∂L/∂y of the real L. */
void help_differences(const differences_row *row, orr_dtype dtype);
/* Checks that the derivative of the row's order is refused: ORR_EGRAPH with `part` in its message. */
void help_no_derivative(const differences_row *row, orr_dtype dtype, const char *part);

#endif
