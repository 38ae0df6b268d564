/* Values for the tests of ops: every check uses the reference evaluation, and the engine where it runs.
 * Must not know: which op is tested. */
#ifndef ORR_TESTS_OPS_HELP_H
#define ORR_TESTS_OPS_HELP_H

#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include <orrery/random.h>
#include <orrery/tensor.h>
#include "runtime/base/dtype.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"

/* Runs the tests inside orr_init and orr_shutdown. */
int help_main(int argc, char **argv, const char *topic, const orr_test *tests);

/* Scalars per element: 2 for a complex number, its parts. */
static inline int help_parts(orr_dtype dtype)
{
    return orr__is_complex(dtype) ? 2 : 1;
}
/* The elements of t in row-major order, as scalars of its dtype or of the dtype of its parts. The caller frees them. NULL after
 * a failed check. */
orr__scalar *help_reference(orr_tensor *t);
orr__scalar *help_engine(orr_tensor *t);
/* The elements as doubles, by the reference evaluation alone. */
double *help_doubles(orr_tensor *t);

/* True if |got − want| ≤ ulps · eps(dtype) · (|want| + scale), both are NaN, or integers or bool are equal. Negative ulps:
 * exactly the same number, including the sign of a zero. */
bool help_same(orr_dtype dtype, orr__scalar got, orr__scalar want, double ulps, double scale);
/* Checks dtype, shape and elements of `got`, by reference and engine. `what` names the case. */
void help_check(orr_tensor *got, orr_dtype dtype, orr_shape shape, const orr__scalar *want, double ulps,
                const char *what);
/* The same check with the elements as doubles, exactly. */
void help_check_values(orr_tensor *got, orr_dtype dtype, orr_shape shape, const double *want);

/* Checks that t is poison with this status and that its message contains `part` and this file's name. */
void help_poison(orr_tensor *t, orr_status status, const char *part, const char *file, int line);
#define HELP_POISON(t, status, part) help_poison((t), (status), (part), __FILE__, __LINE__)

/* Runs the cases of tests/golden/numpy/<file> whose op matches one of the names (NULL: all). */
void help_numpy(const char *file, const char *const *ops);
/* Runs some of its cases, in an order that the seed decides; returns their number. */
int help_numpy_some(const char *file, unsigned long long seed, int cases);

#endif
