/* From a region to one C99 file whose loops compilers turn into vector code; and the argument words of a launch.
 * Must not know: compilers, caches, threads. */
#ifndef ORR_EMIT_CLOOP_H
#define ORR_EMIT_CLOOP_H

#include "codelets/codelet.h"

/* The compiled function, named orr_kernel. in[i], out[k] as in orr__launch (element 0 of the whole array). 0: done; else
 * tier 0 has to do it (again): a scalar that bounds a maximum, minimum or clip is NaN, or an index is out of range. */
typedef int orr__cfn(void *const *in, void *const *out, const int64_t *word);

/* MAP and REDUCE regions; false for regions that only tier 0 computes. */
bool orr__emit_c_can(const orr__region *r);
/* NUL-terminated text, freed by the caller; NULL: last error. It includes nothing, needs only the C and math libraries
 * and depends on instructions, dtypes, rank, reduced axes and each access's class per axis (none, unit, any), not on
 * sizes: regions with equal texts may share one compiled function, but each launch needs its own words.
 * Results are the interpreter's to the last bit, save that float sums and products are folded in blocks of 1024 values,
 * which the interpreter's are only in regions of few registers and rows of no more: sums in f64 may differ in their last
 * places. To be compiled with -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv. */
char *orr__emit_c(const orr__region *r);
/* Bytes that are equal for regions of equal texts and sizes, *size of them, which the caller frees: much cheaper than the text. NULL: last
 * error. */
void *orr__emit_c_content(const orr__region *r, size_t *size);
/* Bytes of memory in which a launch keeps values of long rows from one pass to the next: in[] behind the inputs; 0: none. */
size_t orr__emit_c_keeps(const orr__region *r);
/* An access that reads a copy of its elements: all axes in the order of the iteration, the steps in elements; of axis 0 the launch's
 * rows. */
typedef struct {
    int input;
    int64_t stride[ORR__REGION_RANK], count; /* elements of a row of axis 0, or of all where that does not move it */
    bool by_row;                             /* axis 0 moves it */
} orr__packed;
/* How many there are: their copies, by number, are in[] behind the inputs and the memory for rows. Is access a one? */
int orr__emit_c_packs(const orr__region *r);
bool orr__emit_c_packed(const orr__region *r, int a, orr__packed *p);
/* How many words a launch of this region has. */
int orr__emit_c_words(const orr__region *r);
/* Of these, the one that says how far the data is: in the core's own caches; beyond them, so that all that computes much, by the
 * element or by the row, prefetches its next input; beyond all, so that light maps do too and store past the caches. */
enum { ORR__CLOOP_NEAR, ORR__CLOOP_FAR, ORR__CLOOP_PAST, ORR__CLOOP_REACHES };
/* And the one by whose power of 2 the distance of prefetches is multiplied. */
enum { ORR__CLOOP_REACH_AT = 1, ORR__CLOOP_AHEAD_AT = 2 };
/* Fills them for one launch, some of whose operands may be read from copies (packs); allocates nothing. */
void orr__emit_c_args(const orr__launch *l, bool packs, int64_t *word);
/* All but the last, which are those of scalars: the same in every launch of the same rows of a region. Returns their end. */
int64_t *orr__emit_c_places(const orr__launch *l, bool packs, int64_t *word);

#endif
