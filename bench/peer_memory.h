/* Copies between memories by the device's own API, opened at run time: the ceiling that ours are measured against.
 * Must not know: Orrery. */
#ifndef ORR_BENCH_PEER_MEMORY_H
#define ORR_BENCH_PEER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { PEER_TO_DEVICE, PEER_TO_HOST, PEER_ON_DEVICE, PEER_TO_OTHER, PEER_WAYS } peer_way;

typedef struct peer_memory peer_memory;
/* Memory for copies of up to `bytes` on device `index` of its kind ("cuda", "opencl"), and on `other` (-1: none). NULL: it cannot be
 * had. */
peer_memory *peer_memory_open(bool cuda, int index, int other, size_t bytes);
/* One copy, waited for. pinned: the host's side is memory that the driver gave. 0, or it failed (or there is no such way). */
int peer_memory_copy(peer_memory *m, peer_way way, bool pinned, size_t bytes);
void peer_memory_close(peer_memory *m);

#endif
