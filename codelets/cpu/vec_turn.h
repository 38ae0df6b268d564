/* Transposes of small matrices of one dtype. The includer defines REAL, LANE (an integer of the same size) and F, which
 * names a function.
 * Must not know: other dtypes, the use of a transpose. */

/* The instruction set's widest vectors: gcc keeps copies of wider ones in memory. */
#ifndef ORR__VECTOR_BYTES
#if defined(__AVX512F__)
#define ORR__VECTOR_BYTES 64
#elif defined(__AVX__)
#define ORR__VECTOR_BYTES 32
#else
#define ORR__VECTOR_BYTES 16
#endif
#endif

/* Selects four of the eight elements of a and b. */
#ifndef VEC_PICK
#ifdef __clang__
#define VEC_PICK(a, b, lanes, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VEC_PICK(a, b, lanes, ...) __builtin_shuffle(a, b, (lanes){ __VA_ARGS__ })
#endif
#endif

typedef REAL F(four) __attribute__((vector_size(4 * sizeof(REAL))));
/* Accessed in place: memcpy to an array element becomes two moves of 16 bytes on AVX2, and the next load of 32 bytes
 * waits for both. */
typedef REAL F(four_at) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef REAL F(one) __attribute__((may_alias));
typedef LANE F(lanes) __attribute__((vector_size(4 * sizeof(REAL))));

/* to[j][i] = from[i][j] of 4 × 4, of which `rows` are read and `cols` are written, at least two of each. */
static inline void F(turn_four)(REAL *to, int64_t tld, const REAL *from, int64_t fld, int64_t rows, int64_t cols)
{
    F(four) r0 = *(const F(four_at) *)from, r1 = *(const F(four_at) *)(from + fld);
    F(four) r2 = r0, r3 = r1;
    if (rows > 2)
        r2 = *(const F(four_at) *)(from + 2 * fld);
    if (rows > 3)
        r3 = *(const F(four_at) *)(from + 3 * fld);
    if (sizeof(REAL) == 8) { /* exchanges within 16 bytes first, then halves of vectors */
        F(four) a = VEC_PICK(r0, r1, F(lanes), 0, 4, 2, 6), b = VEC_PICK(r0, r1, F(lanes), 1, 5, 3, 7);
        F(four) c = VEC_PICK(r2, r3, F(lanes), 0, 4, 2, 6), d = VEC_PICK(r2, r3, F(lanes), 1, 5, 3, 7);
        r0 = VEC_PICK(a, c, F(lanes), 0, 1, 4, 5);
        r1 = VEC_PICK(b, d, F(lanes), 0, 1, 4, 5);
        r2 = VEC_PICK(a, c, F(lanes), 2, 3, 6, 7);
        r3 = VEC_PICK(b, d, F(lanes), 2, 3, 6, 7);
    } else {
        F(four) a = VEC_PICK(r0, r1, F(lanes), 0, 4, 1, 5), b = VEC_PICK(r0, r1, F(lanes), 2, 6, 3, 7);
        F(four) c = VEC_PICK(r2, r3, F(lanes), 0, 4, 1, 5), d = VEC_PICK(r2, r3, F(lanes), 2, 6, 3, 7);
        r0 = VEC_PICK(a, c, F(lanes), 0, 1, 4, 5);
        r1 = VEC_PICK(a, c, F(lanes), 2, 3, 6, 7);
        r2 = VEC_PICK(b, d, F(lanes), 0, 1, 4, 5);
        r3 = VEC_PICK(b, d, F(lanes), 2, 3, 6, 7);
    }
    *(F(four_at) *)to = r0;
    *(F(four_at) *)(to + tld) = r1;
    if (cols > 2)
        *(F(four_at) *)(to + 2 * tld) = r2;
    if (cols > 3)
        *(F(four_at) *)(to + 3 * tld) = r3;
}

/* The same for rows × cols, of which one is two or three. Vectors reach into the next row, which is there: of `from` it is read, and of `to`
 * it is written later. The rest is left; returns its first row or column. */
static int64_t F(turn_few)(REAL *to, int64_t tld, const REAL *from, int64_t fld, int64_t rows, int64_t cols)
{
    int64_t done = 0;
    if (cols == 2 && fld >= 2)
        for (; done + 5 <= rows; done += 4)
            F(turn_four)(to + done, tld, from + done * fld, fld, 4, 2);
    else if (cols == 3 && fld >= 3)
        for (; done + 5 <= rows; done += 4)
            F(turn_four)(to + done, tld, from + done * fld, fld, 4, 3);
    else if (rows == 2 && tld == 2)
        for (; done + 5 <= cols; done += 4)
            F(turn_four)(to + done * tld, tld, from + done, fld, 2, 4);
    else if (rows == 3 && tld == 3)
        for (; done + 5 <= cols; done += 4)
            F(turn_four)(to + done * tld, tld, from + done, fld, 3, 4);
    return done;
}

#if ORR__VECTOR_BYTES > 16 && defined(__AVX2__)
/* Numbers of 4 bytes in units of 16 bytes, from two vectors: every second one of each, by four and by eight bytes; every second unit. */
#if ORR__VECTOR_BYTES == 64
#define TURN_LOW_4 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define TURN_HIGH_4 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define TURN_LOW_8 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define TURN_HIGH_8 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define TURN_EVEN 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define TURN_ODD 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#else
#define TURN_LOW_4 0, 8, 1, 9, 4, 12, 5, 13
#define TURN_HIGH_4 2, 10, 3, 11, 6, 14, 7, 15
#define TURN_LOW_8 0, 1, 8, 9, 4, 5, 12, 13
#define TURN_HIGH_8 2, 3, 10, 11, 6, 7, 14, 15
#define TURN_EVEN 0, 1, 2, 3, 8, 9, 10, 11
#define TURN_ODD 4, 5, 6, 7, 12, 13, 14, 15
#endif
typedef int F(wide) __attribute__((vector_size(ORR__VECTOR_BYTES)));
typedef int F(wide_at) __attribute__((vector_size(ORR__VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));
enum { F(SIDE) = ORR__VECTOR_BYTES / sizeof(REAL), F(UNIT) = 16 / sizeof(REAL) };

/* to[j][i] = from[i][j] of a square whose sides are vectors: lines are written at once. Pairs of rows, of these, and of units are exchanged. */
static inline void F(turn_square)(REAL *to, int64_t tld, const REAL *from, int64_t fld)
{
    F(wide) r[F(SIDE)], t[F(SIDE)];
#pragma GCC unroll 16
    for (int i = 0; i < F(SIDE); i++)
        r[i] = *(const F(wide_at) *)(from + i * fld);
#pragma GCC unroll 16
    for (int i = 0; i < F(SIDE) && sizeof(REAL) == 4; i += 2) {
        t[i] = VEC_PICK(r[i], r[i + 1], F(wide), TURN_LOW_4);
        t[i + 1] = VEC_PICK(r[i], r[i + 1], F(wide), TURN_HIGH_4);
    }
#pragma GCC unroll 16
    for (int i = 0; i < F(SIDE) && sizeof(REAL) == 4; i += 4)
#pragma GCC unroll 16
        for (int k = 0; k < 2; k++) {
            r[i + 2 * k] = VEC_PICK(t[i + k], t[i + k + 2], F(wide), TURN_LOW_8);
            r[i + 2 * k + 1] = VEC_PICK(t[i + k], t[i + k + 2], F(wide), TURN_HIGH_8);
        }
#pragma GCC unroll 16
    for (int i = 0; i < F(SIDE) && sizeof(REAL) == 8; i += 2) {
        F(wide) x = r[i], y = r[i + 1];
        r[i] = VEC_PICK(x, y, F(wide), TURN_LOW_8);
        r[i + 1] = VEC_PICK(x, y, F(wide), TURN_HIGH_8);
    }
#pragma GCC unroll 16
    for (int i = 0; i < F(UNIT); i++) {
        F(wide) even = VEC_PICK(r[i], r[i + F(UNIT)], F(wide), TURN_EVEN);
        F(wide) odd = VEC_PICK(r[i], r[i + F(UNIT)], F(wide), TURN_ODD);
#if ORR__VECTOR_BYTES == 64
        F(wide) *s = r + i + 2 * F(UNIT), *u = s + F(UNIT);
        F(wide) even2 = VEC_PICK(*s, *u, F(wide), TURN_EVEN), odd2 = VEC_PICK(*s, *u, F(wide), TURN_ODD);
        *s = VEC_PICK(even, even2, F(wide), TURN_ODD);
        *u = VEC_PICK(odd, odd2, F(wide), TURN_ODD);
        even = VEC_PICK(even, even2, F(wide), TURN_EVEN);
        odd = VEC_PICK(odd, odd2, F(wide), TURN_EVEN);
#endif
        r[i] = even;
        r[i + F(UNIT)] = odd;
    }
#pragma GCC unroll 16
    for (int i = 0; i < F(SIDE); i++)
        *(F(wide_at) *)(to + i * tld) = r[i];
}
#undef TURN_LOW_4
#undef TURN_HIGH_4
#undef TURN_LOW_8
#undef TURN_HIGH_8
#undef TURN_EVEN
#undef TURN_ODD
#else
enum { F(SIDE) = 4 };
static inline void F(turn_square)(REAL *to, int64_t tld, const REAL *from, int64_t fld)
{
    F(turn_four)(to, tld, from, fld, 4, 4);
}
#endif

/* The same for rows × cols, both at least `side`, 4 or that of turn_square. The last squares overlap those before. Walks the rows of the side with
 * the longer stride, whose cache lines may evict each other. */
static inline void F(turn_squares)(REAL *to, int64_t tld, const REAL *from, int64_t fld, int64_t rows, int64_t cols,
                                   int64_t side)
{
    F(one) *t = (void *)to;
    const F(one) *f = (const void *)from;
    int64_t outer = tld < fld ? rows : cols, inner = tld < fld ? cols : rows;
    int64_t of = tld < fld ? fld : 1, ot = tld < fld ? 1 : tld, nf = tld < fld ? 1 : fld, nt = tld < fld ? tld : 1;
    for (int64_t u = 0; u < outer; u += side)
        for (int64_t v = 0; v < inner; v += side) {
            int64_t o = u + side <= outer ? u : outer - side, n = v + side <= inner ? v : inner - side;
            REAL *square = (REAL *)(t + o * ot + n * nt);
            if (side == 4)
                F(turn_four)(square, tld, (const REAL *)(f + o * of + n * nf), fld, 4, 4);
            else
                F(turn_square)(square, tld, (const REAL *)(f + o * of + n * nf), fld);
        }
}

/* The same for any rows × cols. Small squares turn the rest of those of vectors. The compiler does not inline the function: its size would change
 * the code of its callers. */
static __attribute__((noinline)) void F(turn)(REAL *to, int64_t tld, const REAL *from, int64_t fld, int64_t rows,
                                              int64_t cols)
{
    int64_t r = rows / F(SIDE) * F(SIDE), c = cols / F(SIDE) * F(SIDE);
    if (rows < 4 || cols < 4) {
        F(one) *t = (void *)to;
        const F(one) *f = (const void *)from;
        int64_t done = F(turn_few)(to, tld, from, fld, rows, cols);
        for (int64_t i = cols < 4 ? done : 0; i < rows; i++)
            for (int64_t j = cols < 4 ? 0 : done; j < cols; j++)
                t[j * tld + i] = f[i * fld + j];
        return;
    }
    if (F(SIDE) == 4 || r == 0 || c == 0) {
        F(turn_squares)(to, tld, from, fld, rows, cols, 4);
        return;
    }
    F(turn_squares)(to, tld, from, fld, r, c, F(SIDE));
    if (c < cols) {
        c = c < cols - 4 ? c : cols - 4;
        F(turn_squares)(to + c * tld, tld, from + c, fld, r, cols - c, 4);
    }
    if (r < rows) {
        r = r < rows - 4 ? r : rows - 4;
        F(turn_squares)(to + r, tld, from + r * fld, fld, rows - r, cols, 4);
    }
}
