/* Memory on disk: blocks beyond the memory limit are mapped from files without names in ORRERY_SPILL_DIR.
 * Must not know: plans. */
#ifndef ORR_BASE_SPILL_H
#define ORR_BASE_SPILL_H

#include "runtime/base/buffer.h"

/* Smaller blocks stay in memory: a file for each costs more than it gains. */
#define ORR__SPILL_LEAST ((size_t)16 << 10)

/* From now on blocks are made in `dir`; "": none. ORR_EENV: not a writable directory of this user. */
orr_status orr__spill_start(orr__site at, const char *dir);
void orr__spill_stop(void); /* existing blocks stay */
bool orr__spill_on(void);
/* A zeroed block of at least `bytes`; *cap becomes its size. NULL: last error set, for example on a full disk. */
void *orr__spill_get(size_t bytes, size_t *cap);
void orr__spill_put(void *block, size_t cap);
/* True if p points into such a block. */
bool orr__spill_holds(const void *p);
/* For a block in a file, else nothing. on: places far from each other are read and written, so nothing around them is read, until as many
 * calls with `false`. soon: n parts of `bytes` at p and every `step` bytes are needed soon. */
void orr__spill_scatter(const void *p, bool on);
void orr__spill_soon(const void *p, size_t bytes, int64_t n, int64_t step);
/* Bytes [from, end) of a buffer are not needed for now: if they are in a file, their memory is released. */
void orr__spill_rest(const orr__buffer *b, size_t from, size_t end);
void orr__spill_stats(orr__pool_stats *s);
void orr__spill_peak_reset(void);

#endif
