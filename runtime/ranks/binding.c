/* The devices that each rank of a machine uses.
 * Must not know: what a device is, how ranks learn of each other. */
#include "config.h"
#include "runtime/ranks/ranks.h"

void orr__rank_devices(int devices, int ranks, int local, int64_t asked, int *first, int *count)
{
    int from = ranks > 0 ? (int)((int64_t)local * devices / ranks) : 0;
    int to = ranks > 0 ? (int)((int64_t)(local + 1) * devices / ranks) : devices;
    *first = from;
    *count = to > from ? to - from : 1;
    if (asked >= 0) {
        *count = asked < devices ? (int)asked : devices;
        *first = *count ? (int)((int64_t)local * *count % devices) : 0;
    }
    if (devices <= 0)
        *first = *count = 0;
}
