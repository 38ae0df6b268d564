/* Convolutions by oneDNN, where configure found it: primitives and reordered kernels are kept between launches.
 * Must not know: launches, plans. */
#ifndef ORR_CPU_CONV_ONEDNN_H
#define ORR_CPU_CONV_ONEDNN_H

#include "ops/conv.h"
#include "runtime/base/form.h"

typedef struct orr__own orr__own; /* codelets/cpu/cpu.h */

/* Channels [lo, hi) of all images of y ('y') or x ('x'), or of w ('w'), in f32; the other two arrays are given. */
typedef struct {
    const orr__conv *v;
    char of;
    int64_t lo, hi;
    const char *x, *w, *y; /* NULL: the result, `to`                                              */
    char *to;
    int block;                   /* channels in a block of x or y, where they lie in blocks             */
    bool block_x, block_y;       /* else they are row-major                                              */
    uint64_t content;            /* of w: values of equal numbers are equal; 0: nothing is known of them */
    const orr__value_form *form; /* in which w lies, by orr__conv_onednn_form; NULL: row-major            */
    bool once;                   /* w is reordered once for many jobs, if at all                         */
} orr__conv_job;

/* Images that a job is to have at most: copies of so many, reordered, stay in the second cache. */
int64_t orr__conv_onednn_images(const orr__conv_job *j);
/* `own` keeps the primitives of the first launch. False: the library does not do this, or does it slower, and nothing is written
 * that counts. Values that lie in blocks are never refused where orr__conv_onednn_blocks promised. */
bool orr__conv_onednn(orr__own *own, const orr__conv_job *j);
/* Adds to *f, NULL before the first job, the part of w that the job, which has no addresses, reads, as the library takes it. False: it takes
 * that row-major, or in more bytes, or the part does not lie apart. */
bool orr__conv_onednn_form(orr__own *own, const orr__conv_job *j, orr__value_form **f);
/* Have jobs added all of w? */
bool orr__conv_onednn_formed(const orr__value_form *f, const orr__conv *v);
/* Can the library take x (bit 0) and y (bit 1) in blocks of so many channels, by a kernel for this processor? */
unsigned orr__conv_onednn_blocks(const orr__conv *v, char of, int block);

#endif
