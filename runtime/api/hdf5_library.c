/* libhdf5, opened at its first use.
 * Must not know: what is in a file. */
#include "config.h"

#ifdef HAVE_HDF5
#define ORR_HDF5_OWN_NAMES
#include "runtime/api/hdf5_library.h"
#include "runtime/base/library.h"

orr__hdf5_symbols orr__hdf5;

#define SYMBOL(name) { #name, &orr__hdf5.name },
static const orr__symbol symbol[] = { ORR__HDF5_FUNCTIONS(SYMBOL) ORR__HDF5_IDENTIFIERS(SYMBOL) };
static orr__library library = ORR__LIBRARY(HDF5_FILE, symbol);

const char *orr__hdf5_open(void)
{
    return orr__library_open(&library);
}
#else
/* ISO C forbids an empty translation unit. */
typedef int orr__no_hdf5;
#endif
