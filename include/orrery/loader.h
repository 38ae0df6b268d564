/* Batches of examples, shuffled, augmented and read ahead on a thread of their own.
 * Must not know: the content of examples. */
#ifndef ORRERY_LOADER_H
#define ORRERY_LOADER_H

#include <orrery/distribute.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a loader. All zero but `batch`: in order, the last batch may be short, two batches are read ahead. */
typedef struct orr_loader_options {
    int64_t batch;  /**< examples, ≥ 1                                                                            */
    bool shuffle;   /**< another order in each epoch, a function of seed and epoch                                */
    bool drop_last; /**< a short last batch is left out; then batch ≤ number of examples                        */
    uint64_t seed;
    int ahead; /**< most batches that are ready, not counting those that the program holds; 0: 2               */
    int64_t
        crop; /**< array 0 shifts by up to so many places (< lengths) along its last two axes, zeros enter; 0: none */
    orr_grid *grid; /**< batches are cut along its axis 0, and each rank assembles its part; NULL: they are not cut */
    bool flip;      /**< array 0 is mirrored along its last axis, each example with probability 1/2                 */
} orr_loader_options;

/** A source of batches. One thread at a time; a forked process is refused (ORR_ESTATE). */
typedef struct orr_loader orr_loader;

/** A loader of n arrays with the same number of examples along axis 0: images and labels. They are evaluated, and kept until the
 * loader is freed. Crop and flip depend on seed, epoch and example alone, so runs are reproducible whatever the timing.
 * @return   to be freed with orr_loader_free, before orr_shutdown; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and the errors of
 *           orr_eval. */
ORR_API orr_loader *orr_loader_new_at(const char *file, int line, orr_tensor *const *arrays, int n,
                                      const orr_loader_options *options);
#define orr_loader_new(...) orr_loader_new_at(ORR_HERE, __VA_ARGS__)
/** A loader of the PNG and JPEG files in the subfolders of `path`: batch[0] is u8 (batch, channels, height, width), batch[1] i64
 * (batch), the numbers of the subfolders, which are sorted by name. The files (.png, .jpg, .jpeg) are listed now, and read on the
 * loader's thread in each epoch, so that memory holds only a few batches.
 * @param channels  1: colours are converted to luma (ITU-R BT.601); 3: grey becomes three equal colours; alpha is left out
 * @param height, width  images of other sizes are resized (orr_resize, linear)
 * @return   as orr_loader_new; also ORR_EIO (a folder cannot be read), ORR_EINVAL (there are no images). A file that cannot be read
 *           is an error of the orr_loader_next whose batch needs it; the next call continues after that batch. */
ORR_API orr_loader *orr_loader_of_folder_at(const char *file, int line, const char *path, int64_t channels,
                                            int64_t height, int64_t width, const orr_loader_options *options);
#define orr_loader_of_folder(...) orr_loader_of_folder_at(ORR_HERE, __VA_ARGS__)
/** Returns the number of subfolders; 0 for a loader of arrays, and for NULL. */
ORR_API int orr_loader_classes(const orr_loader *l);
/** Returns the name of subfolder k, borrowed; NULL where there is none. */
ORR_API const char *orr_loader_class(const orr_loader *l, int k);
/** Returns the number of tensors of a batch; 0 for NULL. */
ORR_API int orr_loader_arrays(const orr_loader *l);
/** Sets batch[0 … n−1] to the next examples of each array, owned by the current scope.
 * @param batch  [orr_loader_arrays(l)] tensors
 * @return   their number; 0 at the end of an epoch, after which the next one begins; −1 on ORR_ENOMEM, ORR_EINVAL (NULL), and
 *           for a folder on the errors of orr_load_image. */
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
