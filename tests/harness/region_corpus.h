/* Regions of a corpus: lines of numbers that programs print with ORRERY_PRINT=kernels, and drawn data for a launch.
 * Must not know: texts, compilers. */
#ifndef ORR_TESTS_REGION_CORPUS_H
#define ORR_TESTS_REGION_CORPUS_H

#include "tests/harness/region_build.h"

/* Makes the region of a line. False: the line is not one of this build's content, or the region is larger than rb. */
bool rco_read(const char *line, rb *b);

/* The arrays of one launch over all rows. The same region has the same data in every process. */
typedef struct {
    void *in[RB_INPUTS], *out[ORR__REGION_OUTS];
} rco_data;

/* Bytes of these arrays. */
double rco_bytes(const rb *b);
/* RCO_PLAIN: numbers from 0.05 to 2. RCO_ANY: of both signs, with infinities, NaN, zeros and denormal numbers. */
enum { RCO_PLAIN, RCO_ANY };
bool rco_draw(const rb *b, int how, rco_data *d);
void rco_free(rco_data *d);
/* A number for the bits of all outputs. All NaN count as the same. */
uint64_t rco_bits(const rb *b, const rco_data *d);

#endif
