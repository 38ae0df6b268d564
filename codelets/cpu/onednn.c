/* oneDNN, opened at first use.
 * Must not know: what is computed. */
#include "config.h"

#ifdef HAVE_ONEDNN
#include <pthread.h>
#define ORR_ONEDNN_OWN_NAMES
#include "codelets/cpu/onednn.h"
#include "runtime/base/library.h"

orr__onednn_functions orr__onednn;

#define SYMBOL(name) { #name, &orr__onednn.name },
static const orr__symbol symbol[] = { ORR__ONEDNN_EVERY(SYMBOL) ORR__ONEDNN_VERSION(SYMBOL) };
static orr__library library = ORR__LIBRARY(ONEDNN_FILE, symbol);

/* Kernels of plans keep their primitives, and go with the plan. The library keeps others as well: 1024 of all sizes by default. */
enum { PRIMITIVES = 32 }; /* limit of memory */

static void bound(void)
{
    (void)orr__onednn.dnnl_set_primitive_cache_capacity(PRIMITIVES);
}

bool orr__onednn_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (orr__library_open(&library) != NULL)
        return false;
    (void)pthread_once(&once, bound);
    return true;
}

void *orr__onednn_openmp(const char *name)
{
    return orr__library_find(&library, name);
}
#else
/* ISO C forbids an empty file. */
typedef int orr__no_onednn;
#endif
