/* The tuned numbers of runtime/base/threshold.def: ORR__T_name.
 * Must not know: the users of a number. */
#ifndef ORR_BASE_THRESHOLD_H
#define ORR_BASE_THRESHOLD_H

#define THRESHOLD(name, value, unit, reason, command) ORR__T_##name = (value),
enum {
#include "runtime/base/threshold.def"
};
#undef THRESHOLD

/* Facts of processors: bytes of a cache line; elements of f32 of the widest vector, which is one. */
enum { ORR__CACHE_LINE = 64, ORR__VECTOR = ORR__CACHE_LINE / 4 }; /* limit of the machine */

/* Sizes that follow from the caches of a core. */
enum {
    ORR__CACHE_SHARE = ORR__T_CORE_CACHES / 4, /* bytes of one array among the four that a kernel usually has   */
    ORR__KEPT_BYTES = ORR__CACHE_SHARE / 2,    /* of values that a block of rows keeps between its passes       */
    ORR__KEPT_OF_LONG =
        ORR__T_CORE_CACHES / 4 * 3,            /* of values that a long row keeps: all but the share of its input */
    ORR__NEAR_ALL = ORR__CACHE_SHARE / 4,      /* elements of f32 of such an array                              */
    ORR__NEAR_ROW = ORR__T_FIRST_CACHE / 4,    /* of the longest row that the next pass finds in the first cache */
    ORR__LONG_ROW = ORR__T_CORE_CACHES / 8,    /* of the longest row that the next pass finds beside its result  */
    ORR__LONG_LINE = ORR__T_CORE_CACHES / 4,   /* of a line that leaves no place for another                    */
    ORR__LARGE_VALUE = 2 * ORR__T_FIRST_CACHE, /* bytes of the smallest value that is worth a decision of its own  */
};

/* Chunks of a line that is cut: some for each core, so that none waits long for the last one. */
enum { ORR__LINE_CHUNKS = 4 * ORR__T_FEW_LINES };
/* Flops that take as long as a long plan, at one flop a ns. */
enum { ORR__LONG_FLOPS = 1000 * ORR__T_LONG_PLAN };
/* The most elements of a block: those of the narrowest type. */
enum { ORR__BLOCK_ELEMENTS = ORR__T_MAP_BLOCK };
/* Measurements after which a clear difference is believed; the first runs of a plan, which compile kernels and copy data. */
enum { ORR__CLEAR = ORR__T_SETTLED / 2 };
/* µs that members spin where calls follow each other that closely. */
enum { ORR__CREW_SPIN = 5 * ORR__T_CREW_WAKE };

#endif
