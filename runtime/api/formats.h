/* Formats of files with one tensor, among which orr_load and orr_save select.
 * Must not know: the layout of any format. */
#ifndef ORR_API_FORMATS_H
#define ORR_API_FORMATS_H

#include <orrery/tensor.h>
#include "runtime/base/status.h"

/* The name under which orr_save puts a tensor into a file that holds several. */
#define ORR__ONE_NAME "data"

orr_tensor *orr__npy_load(orr__site at, const char *path);
orr_status orr__npy_save(orr__site at, const char *path, orr_tensor *t);
orr_tensor *orr__csv_load(orr__site at, const char *path);
orr_status orr__csv_save(orr__site at, const char *path, orr_tensor *t);

#endif
