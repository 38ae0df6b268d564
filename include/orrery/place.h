/* Planning before a run: the memory of an evaluation, the batch that fits, and the device of each part of a model.
 * Must not know: how a step is computed. */
#ifndef ORRERY_PLACE_H
#define ORRERY_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- memory of an evaluation ------------------------------------------------------------------------------- */

/** The plan of an evaluation in numbers. Bytes are of values: kernels, the runtime and unused pages are not counted. */
typedef struct orr_memory_plan {
    int64_t inputs;  /**< values that exist and that the evaluation reads                                        */
    int64_t results; /**< requested values, and new values of variables that do not use the memory of old ones   */
    int64_t work;    /**< results and temporaries: of all steps at once; of step after step, if they run on the
                          calling thread, alone or with a crew, or the limit requires that */
    int64_t scratch; /**< scratch of all tasks that run at a time                                                */
    int64_t host;    /**< peak in the host's memory: inputs, work and scratch, of an evaluation now              */
    int64_t most;    /**< the same for an evaluation at any time, whether work runs as tasks, or on the calling thread,
                          alone or with a crew, which needs less memory */
    int64_t device;  /**< peak in a device's memory, if it runs all steps that it can; 0: it can run none        */
    int steps, tasks;
    double seconds; /**< predicted time on one core                                                             */
} orr_memory_plan;

/** Plans the evaluation of t[0 … n) and this thread's pending assignments as orr_eval does, and runs nothing. The plan is kept for the
 * evaluation. Values that exist already need nothing.
 * errors:   those of orr_eval, except for memory and values; ORR_EINVAL (NULL, n < 1). Safe from any thread. */
ORR_API orr_status orr_plan_memory_at(const char *file, int line, orr_tensor *const *t, int n, orr_memory_plan *out);
#define orr_plan_memory(...) orr_plan_memory_at(ORR_HERE, __VA_ARGS__)

/** Records the work of one batch: writes up to `max` tensors to be evaluated to `out`.
 * @return  their number; < 0: an error, with the last error of the thread set. */
typedef int orr_batch_fn(int64_t batch, orr_tensor **out, int max, void *user);

/** A choice of batch sizes. */
typedef struct orr_batch_choice {
    int64_t largest; /**< the largest batch whose predicted peak is within the limit                  */
    int64_t fastest; /**< the batch with the least time per sample, up to the largest                  */
    int64_t peak;    /**< predicted peak of the fastest in the host's memory, orr_memory_plan.most     */
    double seconds;  /**< measured time of one evaluation of the fastest, the best of three            */
} orr_batch_choice;

/** Finds the largest batch in [1, most] that fits into `bytes` of memory, and the fastest. It plans batches by doubling and bisection,
 * and runs those whose predicted time per sample is at most twice the least, in three rounds or more after a warm-up; of batches with a
 * predicted time of half a second or more only the first. Among batches within 2 % of the least time per sample the smallest wins.
 * @param fn     called with batch sizes, each in a scope of its own
 * @param bytes  limit of orr_memory_plan.most; 0: the rest of ORRERY_MEMORY_LIMIT, or half of the machine's memory
 * errors:   ORR_EINVAL (NULL, most < 1), ORR_ENOMEM (a batch of 1 does not fit: the message has the bytes), those of fn and orr_eval. */
ORR_API orr_status orr_optimal_batch_at(const char *file, int line, orr_batch_fn *fn, void *user, int64_t most,
                                        int64_t bytes, orr_batch_choice *out);
#define orr_optimal_batch(...) orr_optimal_batch_at(ORR_HERE, __VA_ARGS__)

/* -- parts of a model on devices --------------------------------------------------------------------------- */

/** A part of a model. The parts of a list run in order. */
typedef struct orr_shard {
    const char *name;  /**< for messages; NULL: its number                    */
    int64_t bytes;     /**< memory while it is on a device                     */
    double flops;      /**< work of one pass                                   */
    int64_t out_bytes; /**< result that the next part reads                    */
} orr_shard;

/** A device that parts may be placed on. */
typedef struct orr_place_device {
    const char *name;
    int64_t bytes;           /**< memory for parts                                     */
    double flops_per_second; /**< > 0                                                  */
    double bytes_per_second; /**< of its link to the others, > 0                       */
    double latency;          /**< fixed seconds of a transfer, ≥ 0                     */
} orr_place_device;

/** The quantity that a placement minimises. */
typedef enum {
    ORR_PLACE_LATENCY,   /**< the time of one pass: work of all parts and transfers between neighbours               */
    ORR_PLACE_THROUGHPUT /**< the time of the busiest device: its parts' work, and transfers of their inputs         */
} orr_place_goal;

/** The quality of a placement. */
typedef struct orr_placement {
    double seconds; /**< of the placement, by the goal                                          */
    double bound;   /**< lower bound of all placements; equal to seconds if this one is optimal */
    bool optimal;
    int64_t nodes; /**< visited by the search                                                   */
} orr_placement;

/** Assigns n parts to m devices within the devices' memory, by branch and bound. A transfer between devices a and b takes the larger
 * latency plus the bytes at the rate of the slower link. Bounds come from paths without memory limits, and from Lagrangian prices of
 * memory (M. L. Fisher, "The Lagrangian relaxation method for solving integer programming problems", 1981).
 * @param contiguous  each device gets one run of neighbouring parts
 * @param device  [m] devices
 * @param device_of  [n] numbers: receives the device of each part
 * errors:   ORR_EINVAL (NULL, n or m out of 1 … 1024 and 1 … 64, a number that makes no sense), ORR_ENOMEM (no placement exists:
 *           the message names the violated limit). After 20 million nodes the best placement so far is returned; `bound` then
 *           limits its distance from the optimum. */
ORR_API orr_status orr_place_at(const char *file, int line, const orr_shard *shard, int n,
                                const orr_place_device *device, int m, bool contiguous, orr_place_goal goal,
                                int *device_of, orr_placement *out);
#define orr_place(...) orr_place_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
