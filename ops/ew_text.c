/* The helpers of the value expressions as text, for the emitters of OpenCL C and CUDA C.
 * Must not know: which dialect. */
#include "config.h"
#include "ops/ops.h"

const char *orr__ew_prelude(void)
{
    static const char text[] =
#include "ops/ew_prelude_text.h"
        ;
    return text;
}
