/* Convolutions by oneDNN, if configure found it. Primitives and reordered kernels are kept between launches.
 * Must not know: launches, plans. */
#ifndef ORR_CPU_CONV_ONEDNN_H
#define ORR_CPU_CONV_ONEDNN_H

#include "ops/conv.h"
#include "runtime/base/form.h"

typedef struct orr__own orr__own; /* codelets/cpu/cpu.h */

/* Channels [lo, hi) of all images of y ('y') or x ('x'), or of w ('w'), in f32; the other two arrays are operands. */
typedef struct {
    const orr__conv *v;
    char of;
    int64_t lo, hi;
    const char *x, *w, *y; /* NULL: the result, which is `to`                                     */
    char *to;
    int block;                   /* channels in a block of x or y, if they are stored in blocks         */
    bool block_x, block_y;       /* false: row-major                                                     */
    uint64_t content;            /* of w: equal numbers mean equal values; 0: unknown */
    const orr__value_form *form; /* of w, by orr__conv_onednn_form; NULL: row-major                       */
    bool once;                   /* w is reordered at most once for many jobs                            */
} orr__conv_job;

/* The most images of a job: their reordered copies stay in the second cache. */
int64_t orr__conv_onednn_images(const orr__conv_job *j);
/* `own` keeps the primitives of the first launch. False: the library does not support this or is slower, and the result
 * is not valid. Values in blocks are never refused where orr__conv_onednn_blocks promised. */
bool orr__conv_onednn(orr__own *own, const orr__conv_job *j);
/* Adds to *f, NULL before the first job, the part of w that the job reads, in the library's layout. The job has no
 * addresses. False: the library reads that part row-major, or in more bytes, or the part is not separate. */
bool orr__conv_onednn_form(orr__own *own, const orr__conv_job *j, orr__value_form **f);
/* Have jobs added all of w? */
bool orr__conv_onednn_formed(const orr__value_form *f, const orr__conv *v);
/* Does the library accept x (bit 0) and y (bit 1) in blocks of `block` channels, by a kernel for this processor? */
unsigned orr__conv_onednn_blocks(const orr__conv *v, char of, int block);

#endif
