/* Copies of two axes, with any strides in the source.
 * Must not know: what is copied. */
#ifndef ORR_CPU_TURN_H
#define ORR_CPU_TURN_H

#include <stddef.h>
#include <stdint.h>

/* `across` is the axis along which the source has the smallest stride. */
typedef struct orr__sheet {
    const char *from;
    char *to;
    int64_t across, along;           /* lengths                          */
    int64_t from_across, from_along; /* strides in the source, in elements */
    int64_t to_across;               /* stride in the copy; the other stride is 1 */
} orr__sheet;

/* Elements have 1, 2, 4, 8 or 16 bytes. */
void orr__turn(const orr__sheet *s, size_t size);

#endif
