/* Values for the tests of ops: every check evaluates by the reference evaluation, and by the engine where it runs.
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

/* Scalars in an element: 2 in a complex number, its parts. */
static inline int help_parts(orr_dtype dtype)
{
    return orr__is_complex(dtype) ? 2 : 1;
}
/* Elements of t in row-major order, as scalars of its dtype or of its parts. Free it. NULL and a failed check when it cannot be
 * had. */
orr__scalar *help_reference(orr_tensor *t);
orr__scalar *help_engine(orr_tensor *t);
/* The same as doubles, by the reference evaluation alone. */
double *help_doubles(orr_tensor *t);

/* |got − want| ≤ ulps · eps(dtype) · (|want| + scale); NaN is NaN; integers and bool are equal. Negative ulps: the same number, the
 * sign of a zero too. */
bool help_same(orr_dtype dtype, orr__scalar got, orr__scalar want, double ulps, double scale);
/* Checks dtype, shape and elements of `got`, reference and engine. `what` names the case. */
void help_check(orr_tensor *got, orr_dtype dtype, orr_shape shape, const orr__scalar *want, double ulps,
                const char *what);
/* The same with the elements as doubles, exact. */
void help_check_values(orr_tensor *got, orr_dtype dtype, orr_shape shape, const double *want);

/* Checks that t is poison of this status and that its message has `part` and this file's name in it. */
void help_poison(orr_tensor *t, orr_status status, const char *part, const char *file, int line);
#define HELP_POISON(t, status, part) help_poison((t), (status), (part), __FILE__, __LINE__)

/* Runs the cases of tests/golden/numpy/<file> whose op matches one of the names (NULL: all). */
void help_numpy(const char *file, const char *const *ops);

#endif
