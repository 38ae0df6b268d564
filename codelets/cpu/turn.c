/* Copies that permute axes, by blocks of vectors.
 * Must not know: what is copied. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/turn.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* A side of a block that is transposed, a line of f32; the rows of the source that are prefetched: a line of each. */
enum { BLOCK = ORR__VECTOR, AHEAD = ORR__T_AHEAD / ORR__CACHE_LINE };

/* The rows of the source that are prefetched: all but the first, if the second cache does not hold them. */
static int64_t far_rows(const orr__sheet *s, int64_t size)
{
    return s->along * s->from_along * size > ORR__CACHE_SHARE ? s->along : 0;
}

/* Prefetches, for a block of rows of `bytes` bytes, a later block; `left`: the rows from `row` on. They are pages apart, so the processor does
 * not read them ahead by itself. Inline by force: the compiler drops calls of a function that only prefetches. */
__attribute__((always_inline)) static inline void prefetch(const void *row, int64_t step, int64_t rows, int64_t left,
                                                           int64_t bytes)
{
    enum { IN_L2 = 2 };
    const char *at = (const char *)row + AHEAD * step;
    rows = ORR__MIN(rows, left - AHEAD);
    for (int64_t k = 0; k < rows; k++, at += step) {
        for (int64_t b = 0; b < bytes - 1; b += ORR__CACHE_LINE)
            __builtin_prefetch(at + b, 0, IN_L2);
        __builtin_prefetch(at + bytes - 1, 0, IN_L2);
    }
}

/* Blocks fit into the first cache. */
#define TURN(name, type)                                                                                               \
    static void name(const orr__sheet *s)                                                                              \
    {                                                                                                                  \
        const type *from = (const type *)(const void *)s->from;                                                        \
        type *to = (type *)(void *)s->to;                                                                              \
        for (int64_t u0 = 0; u0 < s->across; u0 += BLOCK)                                                              \
            for (int64_t v0 = 0; v0 < s->along; v0 += BLOCK) {                                                         \
                int64_t u1 = u0 + BLOCK < s->across ? u0 + BLOCK : s->across;                                          \
                int64_t v1 = v0 + BLOCK < s->along ? v0 + BLOCK : s->along;                                            \
                for (int64_t u = u0; u < u1; u++)                                                                      \
                    for (int64_t v = v0; v < v1; v++)                                                                  \
                        to[u * s->to_across + v] = from[u * s->from_across + v * s->from_along];                       \
            }                                                                                                          \
    }
typedef struct {
    uint64_t half[2];
} both;
TURN(turn1, uint8_t)
TURN(turn2, uint16_t)
TURN(turn4, uint32_t)
TURN(turn8, uint64_t)
TURN(turn16, both)

#if defined(__GNUC__) && (!defined(__clang__) || __clang_major__ >= 12)
typedef uint16_t eight __attribute__((vector_size(16), aligned(2)));
typedef int16_t small __attribute__((vector_size(16)));

#define LOW8(a, b) SHUFFLE8(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH8(a, b) SHUFFLE8(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#ifdef __clang__
#define SHUFFLE8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE8(a, b, ...) __builtin_shuffle(a, b, (small){ __VA_ARGS__ })
#endif

/* Eight elements across, contiguous in the source, by eight along: three steps of interleaving. */
static inline void turn8x8(const uint16_t *from, int64_t step, uint16_t *to, int64_t row)
{
    eight x[8], y[8];
    for (int k = 0; k < 8; k++)
        memcpy(&x[k], from + k * step, sizeof x[k]);
    for (int k = 0; k < 4; k++) {
        y[2 * k] = LOW8(x[k], x[k + 4]);
        y[2 * k + 1] = HIGH8(x[k], x[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        x[2 * k] = LOW8(y[k], y[k + 4]);
        x[2 * k + 1] = HIGH8(y[k], y[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        y[2 * k] = LOW8(x[k], x[k + 4]);
        y[2 * k + 1] = HIGH8(x[k], x[k + 4]);
    }
    for (int k = 0; k < 8; k++)
        memcpy(to + k * row, &y[k], sizeof y[k]);
}

static void turn2_side_by_side(const orr__sheet *s)
{
    const uint16_t *from = (const uint16_t *)(const void *)s->from;
    uint16_t *to = (uint16_t *)(void *)s->to;
    int64_t across = s->across & ~(int64_t)7, along = s->along & ~(int64_t)7, far = far_rows(s, 2);
    for (int64_t u0 = 0; u0 < across; u0 += 2 * BLOCK)
        for (int64_t v = 0; v < along; v += 8) {
            prefetch(from + u0 + v * s->from_along, 2 * s->from_along, 8, far - v, ORR__CACHE_LINE);
            for (int64_t u = u0; u < across && u < u0 + 2 * BLOCK; u += 8)
                turn8x8(from + u + v * s->from_along, s->from_along, to + u * s->to_across + v, s->to_across);
        }
    for (int64_t u = 0; u < s->across; u++)
        for (int64_t v = u < across ? along : 0; v < s->along; v++)
            to[u * s->to_across + v] = from[u + v * s->from_along];
}
#else
#define turn2_side_by_side turn2
#endif

/* In runs, so that cache lines of one set do not evict each other: four lines of the result at a time, and a quarter of the first cache. */
static void turn_side_by_side(const orr__sheet *s, int64_t size)
{
    enum { TO_RUN = 4 * BLOCK };
    const int64_t from_run = ORR__T_FIRST_CACHE / 4 / TO_RUN / size;
    int64_t columns = s->from_along > s->to_across ? from_run : s->across, far = far_rows(s, size);
    for (int64_t u = 0; u < s->across; u += columns)
        for (int64_t v = 0; v < s->along; v += TO_RUN) {
            int64_t rows = ORR__MIN(TO_RUN, s->along - v), n = ORR__MIN(columns, s->across - u);
            const char *from = s->from + (u + v * s->from_along) * size;
            prefetch(from, size * s->from_along, rows, far - v, size * ORR__MIN(n, from_run));
            orr__cpu_vec()->transpose[size == 8](s->to + (u * s->to_across + v) * size, s->to_across, from,
                                                 s->from_along, rows, n);
        }
}

void orr__turn(const orr__sheet *s, size_t size)
{
    switch (size) {
    case 1: turn1(s); return;
    case 2: (s->from_across == 1 ? turn2_side_by_side : turn2)(s); return;
    case 4: s->from_across == 1 ? turn_side_by_side(s, 4) : turn4(s); return;
    case 8: s->from_across == 1 ? turn_side_by_side(s, 8) : turn8(s); return;
    default: turn16(s); return;
    }
}
