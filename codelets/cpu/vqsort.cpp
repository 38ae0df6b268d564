/* Keys in order by Highway's vqsort: the C++ of its interface behind a C function. Versions before 1.0.7 have faults in pairs of 64
 * bits and in floats with NaN, so keys are numbers without sign of at most 64 bits.
 * Must not know: elements, rows, this library's instruction sets. */
#include "config.h"

#include <hwy/contrib/sort/vqsort.h>

extern "C" {
#include "codelets/cpu/vqsort.h"
}

extern "C" bool orr__vqsort(int log, void *keys, int64_t n)
{
    const hwy::Sorter sort;
    const hwy::SortAscending up;
    const size_t count = static_cast<size_t>(n);
    if (log == 2)
        sort(static_cast<uint32_t *>(keys), count, up);
    else
        sort(static_cast<uint64_t *>(keys), count, up);
    return true;
}
