/* Loops that collect strided elements into a block.
 * Must not know: dtypes, only their sizes. */
#include "config.h"

#include "codelets/cpu/vec.h"

/* An element of 16 bytes. */
typedef struct {
    uint64_t first, second;
} two_words;

/* Of 32 bytes. */
typedef struct {
    uint64_t word[4];
} four_words;

typedef struct {
    int64_t at[ORR_MAX_RANK + 1]; /* position on the outer axes        */
    int64_t offset, q;            /* of the run; position inside the run */
} cursor;

static void seek(cursor *c, const orr__vec_view *v, int64_t p)
{
    c->offset = 0;
    c->q = p;
    if (!v->outer)
        return;
    int64_t o = p / v->run;
    c->q = p - o * v->run;
    for (int d = v->outer - 1; d >= 0; d--) {
        int64_t rest = o / v->dim[d];
        c->at[d] = o - rest * v->dim[d];
        c->offset += c->at[d] * v->step[d];
        o = rest;
    }
}

static inline void next_run(cursor *c, const orr__vec_view *v)
{
    c->q = 0;
    for (int d = v->outer - 1; d >= 0; d--) {
        c->offset += v->step[d];
        if (++c->at[d] < v->dim[d])
            return;
        c->offset -= v->step[d] * v->dim[d];
        c->at[d] = 0;
    }
}

/* A box whose rows are neighbours in memory: every cache line is read once, as a whole. */
static inline int crosswise(const orr__vec_view *v, int64_t p, int64_t n)
{
    if (p != 0 || v->outer < 1 || n <= v->run || n > v->run * v->dim[v->outer - 1])
        return 0;
    int64_t step = v->step[v->outer - 1];
    return (step == 1 || step == -1) && (v->stride > 4 || v->stride < -4) && n % v->run == 0;
}

#define GATHER(name, U)                                                                                                \
    static void name##_across(U *restrict d, const orr__vec_view *v, int64_t rows)                                     \
    {                                                                                                                  \
        int64_t step = v->step[v->outer - 1];                                                                          \
        for (int64_t i = 0; i < v->run; i++) {                                                                         \
            const U *restrict s = (const U *)v->base + i * v->stride;                                                  \
            for (int64_t j = 0; j < rows; j++)                                                                         \
                d[j * v->run + i] = s[j * step];                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(void *restrict d_, const orr__vec_view *v, int64_t p, int64_t n)                                  \
    {                                                                                                                  \
        U *restrict d = d_;                                                                                            \
        int64_t stride = v->stride;                                                                                    \
        cursor c;                                                                                                      \
        if (crosswise(v, p, n)) {                                                                                      \
            name##_across(d, v, n / v->run);                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        seek(&c, v, p);                                                                                                \
        for (;;) {                                                                                                     \
            int64_t m = v->run - c.q < n ? v->run - c.q : n;                                                           \
            const U *restrict s = (const U *)v->base + (c.offset + c.q * stride);                                      \
            if (stride == 1)                                                                                           \
                for (int64_t i = 0; i < m; i++)                                                                        \
                    d[i] = s[i];                                                                                       \
            else if (stride == 0)                                                                                      \
                for (int64_t i = 0; i < m; i++)                                                                        \
                    d[i] = *s;                                                                                         \
            else                                                                                                       \
                for (int64_t i = 0; i < m; i++)                                                                        \
                    d[i] = s[i * stride];                                                                              \
            n -= m;                                                                                                    \
            if (n <= 0)                                                                                                \
                return;                                                                                                \
            d += m;                                                                                                    \
            next_run(&c, v);                                                                                           \
        }                                                                                                              \
    }
GATHER(gather1, uint8_t)
GATHER(gather2, uint16_t)
GATHER(gather4, uint32_t)
GATHER(gather8, uint64_t)
GATHER(gather16, two_words)
GATHER(gather32, four_words)

orr__gatherfn *const ORR__V(orr__vec_gather)[6] = { gather1, gather2, gather4, gather8, gather16, gather32 };

void ORR__V(orr__vec_index)(void *restrict d_, const orr__vec_view *v, int64_t p, int64_t n)
{
    int64_t *restrict d = d_;
    cursor c;
    seek(&c, v, p);
    while (n > 0) {
        int64_t m = v->run - c.q < n ? v->run - c.q : n, from = v->first + c.offset + c.q * v->stride;
        for (int64_t i = 0; i < m; i++)
            d[i] = from + i * v->stride;
        d += m;
        n -= m;
        next_run(&c, v);
    }
}

/* -- places on an axis, and their elements --------------------------------------------------------------------- */

#define PLACE(name, T)                                                                                                 \
    int64_t ORR__V(name)(int64_t *restrict d, const void *restrict x_, int64_t length, int64_t n)                      \
    {                                                                                                                  \
        const T *restrict x = x_;                                                                                      \
        int64_t bad = 0, first = 0;                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            int64_t k = x[i] < 0 ? x[i] + length : x[i];                                                               \
            int64_t ok = k >= 0 && k < length;                                                                         \
            bad |= !ok;                                                                                                \
            d[i] = ok ? k : 0;                                                                                         \
        }                                                                                                              \
        while (bad && x[first] >= -length && x[first] < length)                                                        \
            first++;                                                                                                   \
        return bad ? first : -1;                                                                                       \
    }
PLACE(orr__vec_place_i32, int32_t)
PLACE(orr__vec_place_i64, int64_t)

#define TAKE(name, U)                                                                                                  \
    static void name(void *restrict d_, const void *restrict from, const int64_t *restrict at,                         \
                     const int64_t *restrict place, int64_t by, int64_t n)                                             \
    {                                                                                                                  \
        U *restrict d = d_;                                                                                            \
        const U *restrict s = from;                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                                                \
            d[i] = s[at[i] + by * place[i]];                                                                           \
    }
TAKE(take1, uint8_t)
TAKE(take2, uint16_t)
TAKE(take4, uint32_t)
TAKE(take8, uint64_t)
TAKE(take16, two_words)
TAKE(take32, four_words)

orr__takefn *const ORR__V(orr__vec_take)[6] = { take1, take2, take4, take8, take16, take32 };
