/* Batches of examples, shuffled, augmented and read ahead on a thread of their own.
 * Must not know: what the examples are. */
#ifndef ORRERY_LOADER_H
#define ORRERY_LOADER_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a loader. All zero but `batch`: in order, the last batch may be short, two batches are read ahead. */
typedef struct orr_loader_options {
    int64_t batch;  /**< examples, ≥ 1                                                                            */
    bool shuffle;   /**< another order in each epoch, a function of seed and epoch                                */
    bool drop_last; /**< a short last batch is left out                                                           */
    uint64_t seed;
    int ahead;    /**< batches that are ready at most, beside those that the program holds; 0: 2                  */
    int64_t crop; /**< array 0 is moved by up to so many places along its last two axes, zeros come in; 0: not    */
    bool flip;    /**< array 0 is mirrored along its last axis, each example with probability 1/2                 */
} orr_loader_options;

/** A source of batches. One thread at a time. */
typedef struct orr_loader orr_loader;

/** A loader of n arrays with the same number of examples along axis 0: images and labels. They are evaluated, and kept until the
 * loader is freed. Crop and flip draw from seed, epoch and example alone, so runs repeat whatever the timing.
 * @return   to be freed with orr_loader_free, before orr_shutdown; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and the errors of
 *           orr_eval. */
ORR_API orr_loader *orr_loader_new_at(const char *file, int line, orr_tensor *const *arrays, int n,
                                      const orr_loader_options *options);
#define orr_loader_new(...) orr_loader_new_at(ORR_HERE, __VA_ARGS__)
/** Sets batch[0 … n−1] to the next examples of each array, owned by the current scope.
 * @return   their number; 0 at the end of an epoch, after which the next one begins; −1 on ORR_ENOMEM, ORR_EINVAL (NULL). */
ORR_API int64_t orr_loader_next_at(const char *file, int line, orr_loader *l, orr_tensor **batch);
#define orr_loader_next(...) orr_loader_next_at(ORR_HERE, __VA_ARGS__)
/** Returns the number of batches of an epoch; 0 for NULL. */
ORR_API int64_t orr_loader_batches(const orr_loader *l);
/** Stops the thread and frees the loader; batches that the program holds stay. NULL is fine. */
ORR_API void orr_loader_free(orr_loader *l);

#ifdef __cplusplus
}
#endif
#endif
