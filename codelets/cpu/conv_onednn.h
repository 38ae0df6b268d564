/* Convolutions by oneDNN, where configure found it.
 * Must not know: launches, plans. */
#ifndef ORR_CPU_CONV_ONEDNN_H
#define ORR_CPU_CONV_ONEDNN_H

#include "ops/conv.h"

/* Channels [lo, hi) of all images of y ('y') or x ('x'), or of w ('w'), in f32; the other two arrays are given. False: it
 * does not do this, or does it slower, and nothing is written that counts. */
bool orr__conv_onednn(const orr__conv *v, char of, int64_t lo, int64_t hi, const char *x, const char *w, const char *y,
                      char *to);

#endif
