/* From a region to one C99 file whose loops compilers vectorise, and the argument words of a launch.
 * Must not know: compilers, caches, threads. */
#ifndef ORR_NEST_CLOOP_H
#define ORR_NEST_CLOOP_H

#include "codelets/codelet.h"

/* The compiled function, named orr_kernel. in[i] and out[k] are as in orr__launch (element 0 of the whole array).
 * Returns an odd number if tier 0 must do the whole launch: a scalar that bounds a maximum, minimum or clip is NaN, or an index is out of
 * range. Otherwise the launch is done, and if orr__emit_c_watches, bit k + 1 says that output k has an element that is not finite; else 0. */
typedef int orr__cfn(void *const *in, void *const *out, const int64_t *word);

/* MAP and REDUCE regions; false for regions that only tier 0 computes. */
bool orr__emit_c_can(const orr__region *r);
/* NUL-terminated text, freed by the caller; NULL: last error. It includes no header and needs only the C and math
 * libraries. It depends on instructions, dtypes, rank, reduced axes and the class of each access per axis (none, unit,
 * any), not on sizes: regions with equal texts may share one compiled function, but each launch needs its own words.
 * Results equal the interpreter's to the last bit, except that float sums and products are folded in blocks of 1024
 * values. The interpreter folds so only in regions with few registers and rows of at most 1024 values: sums in f64 may
 * differ in their last places. Compile with -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv. */
char *orr__emit_c(const orr__region *r);
/* Bytes, *size of them, that are equal for regions with equal texts and sizes; much cheaper than the text. The caller
 * frees them. NULL: last error. */
void *orr__emit_c_content(const orr__region *r, size_t *size);
/* Prints them as one line of numbers after the label. Lines of many programs are a corpus, of which a developer's program
 * makes the regions again (tests/harness/region_corpus.h). */
void orr__emit_c_print(FILE *to, const orr__region *r);
/* The nests that a region may have, with the cost of a row in additions of f32, or a reason against it. One is chosen, and
 * returned. */
enum { ORR__NEST_EACH, ORR__NEST_SIDE, ORR__NEST_JOINED, ORR__NEST_OFFERS };
typedef struct orr__nest_offer {
    const char *name, *no;
    double cost;
    bool chosen;
} orr__nest_offer;
int orr__cloop_offers(const orr__region *r, orr__nest_offer offer[ORR__NEST_OFFERS]);
/* The nests between which measurements decide, and their number: the chosen one, then those that cost little more. Their bits are equal. */
int orr__cloop_near(const orr__region *r, int nest[ORR__NEST_OFFERS]);
/* The rows that a fold of narrow columns folds beside each other (1: none): the accumulators of each are joined at the end, in order. The
 * interpreter does the same. */
int orr__cloop_rows_beside(const orr__region *r);
/* Bytes of memory in which a launch keeps values of long rows from one pass to the next. Its pointer follows the inputs
 * in in[]. 0: none. */
size_t orr__emit_c_keeps(const orr__region *r);
/* An access that reads a copy of its elements. The copy has all axes in the order of the iteration. Strides are in
 * elements; axis 0 has the rows of the launch. */
typedef struct {
    int input;
    int64_t stride[ORR__REGION_RANK], count; /* elements of a row of axis 0; if the axis does not move it, of all */
    bool by_row;                             /* axis 0 moves the access */
} orr__packed;
/* The number of copies. Their pointers, by number, follow in in[] after the inputs and the memory for rows. Second
 * function: is access a copied? */
int orr__emit_c_packs(const orr__region *r);
bool orr__emit_c_packed(const orr__region *r, int a, orr__packed *p);
/* While ORRERY_CHECK looks for numbers that are not finite: the kernel looks at its outputs in registers, which costs no memory access. */
bool orr__emit_c_watches(const orr__region *r);
/* The number of argument words of a launch. */
int orr__emit_c_words(const orr__region *r);
/* The word with the distance of the data: in the core's own caches; beyond them, so that work-heavy maps, and
 * reductions, prefetch their next input; beyond all caches, so that light maps prefetch too, and outputs are stored past
 * the caches. */
enum { ORR__CLOOP_NEAR, ORR__CLOOP_FAR, ORR__CLOOP_PAST, ORR__CLOOP_REACHES };
/* The word by whose power of 2 the prefetch distance is multiplied. */
enum { ORR__CLOOP_REACH_AT = 1, ORR__CLOOP_AHEAD_AT = 2 };
/* Fills the words for one launch. With `packs`, some operands are read from copies. Allocates nothing. */
void orr__emit_c_args(const orr__launch *l, bool packs, int64_t *word);
/* Fills all words except the last, those of scalars. They are equal in all launches of the same rows of a region.
 * Returns their end. */
int64_t *orr__emit_c_places(const orr__launch *l, bool packs, int64_t *word);

#endif
