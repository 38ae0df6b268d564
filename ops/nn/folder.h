/* Images in the subfolders of a folder as examples, whose labels are the subfolders.
 * Must not know: batches, orders, augmentation. */
#ifndef ORR_OPS_NN_FOLDER_H
#define ORR_OPS_NN_FOLDER_H

#include <stdint.h>
#include "runtime/base/status.h"

typedef struct orr__folder {
    char **name; /* of the classes, sorted */
    int classes;
    char **file; /* path of each example, by class, sorted */
    int *label;
    int64_t examples;
    int64_t channels, height, width;
} orr__folder;

/* Lists the images. NULL: last error set. */
orr__folder *orr__folder_open(orr__site at, const char *path, int64_t channels, int64_t height, int64_t width);
/* Writes the example as u8 (channels, height, width). Safe from any thread. */
orr_status orr__folder_read(orr__site at, const orr__folder *f, int64_t example, unsigned char *to);
void orr__folder_free(orr__folder *f);

#endif
