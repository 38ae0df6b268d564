/* Copies between memories by the device's own API, opened at run time: the upper bound for Orrery's copies.
 * Must not know: Orrery. */
#ifndef ORR_BENCH_PEER_MEMORY_H
#define ORR_BENCH_PEER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { PEER_TO_DEVICE, PEER_TO_HOST, PEER_ON_DEVICE, PEER_TO_OTHER, PEER_WAYS } peer_way;

typedef struct peer_memory peer_memory;
/* Allocates memory for copies of up to `bytes` on device `index` of its kind ("cuda", "opencl"), and on `other` (-1: none). NULL
 * on failure. */
peer_memory *peer_memory_open(bool cuda, int index, int other, size_t bytes);
/* Makes one copy and waits for it. pinned: the host's memory was allocated by the driver. 0, or it failed (or the direction does
 * not exist). */
int peer_memory_copy(peer_memory *m, peer_way way, bool pinned, size_t bytes);
void peer_memory_close(peer_memory *m);

#endif
