/* Transfers in the trace, as reported by the copies of tiles (tile_data.c).
 * Must not know: plans, tasks, why something is copied. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include "runtime/base/clock.h"
#include "runtime/base/trace.h"
#include "runtime/engine/starpu/starpu.h"

/* The tracks of memories follow those of workers. */
enum { NODES = 64, TRACK0 = ORR__TRACE_TRACKS - NODES };

static char memory[NODES][40];

/* An asynchronous copy ends when StarPU's model of the bus predicts it, since its real end is not reported. */
void orr__star_trace_copy(unsigned from, unsigned to, size_t bytes, double t0, int answer)
{
    double t1 = orr__now(), predicted = starpu_transfer_predict(from, to, bytes) * 1e-6;
    bool later = answer == -EAGAIN;
    orr__trace_arg arg[] = { { "bytes", NULL, (double)bytes },
                             { "from", memory[from % NODES], 0 },
                             { "to", memory[to % NODES], 0 },
                             { "predicted_us", NULL, predicted * 1e6 },
                             { "end", later ? "predicted" : "measured", 0 } };

    if (later && predicted > t1 - t0)
        t1 = t0 + predicted;
    orr__trace_span("transfer", "copy", (orr__trace_at){ NULL, 0, TRACK0 + (int)(to % NODES), t0, t1 }, arg,
                    (int)(sizeof arg / sizeof *arg));
}

void orr__star_trace_start(void)
{
    unsigned n = starpu_memory_nodes_get_count();

    if (!orr__tracing() || n > NODES)
        return;
    for (unsigned i = 0; i < n; i++) {
        char text[64];
        (void)starpu_memory_node_get_name(i, memory[i], sizeof memory[i]);
        (void)snprintf(text, sizeof text, "copies to %.39s", memory[i]);
        orr__trace_track(TRACK0 + (int)i, text);
    }
}
