/* Refuses waits that would not end.
 * Must not know: the work that is waited for. */
#include "config.h"
#include "runtime/base/callback.h"
#include "runtime/base/exit.h"

_Thread_local const char *orr__callback __attribute__((tls_model("initial-exec")));

orr_status orr__may_wait(orr__site at)
{
    if (orr__exit_is_here())
        return orr__fail(
            at, ORR_ESTATE,
            "the process is about to end: exit was called, and the library's workers have stopped. A handler "
            "that evaluates is registered with atexit after orr_init, so that it runs before");
    if (orr__callback)
        return orr__fail(
            at, ORR_ESTATE,
            "called by %s, which runs inside an evaluation, perhaps on a worker: it can neither evaluate nor "
            "wait for an evaluation. Evaluate before, and pass the value",
            orr__callback);
    return ORR_OK;
}
