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

/* The same for rows × cols. The last squares overlap those before. Walks the rows of the side with the longer stride, whose cache lines may
 * evict each other. */
static void F(turn)(REAL *to, int64_t tld, const REAL *from, int64_t fld, int64_t rows, int64_t cols)
{
    F(one) *t = (void *)to;
    const F(one) *f = (const void *)from;
    if (rows < 4 || cols < 4) {
        int64_t done = F(turn_few)(to, tld, from, fld, rows, cols);
        for (int64_t i = cols < 4 ? done : 0; i < rows; i++)
            for (int64_t j = cols < 4 ? 0 : done; j < cols; j++)
                t[j * tld + i] = f[i * fld + j];
        return;
    }
    int64_t outer = tld < fld ? rows : cols, inner = tld < fld ? cols : rows;
    int64_t of = tld < fld ? fld : 1, ot = tld < fld ? 1 : tld, nf = tld < fld ? 1 : fld, nt = tld < fld ? tld : 1;
    for (int64_t u = 0; u < outer; u += 4)
        for (int64_t v = 0; v < inner; v += 4) {
            int64_t o = u + 4 <= outer ? u : outer - 4, n = v + 4 <= inner ? v : inner - 4;
            F(turn_four)((REAL *)(t + o * ot + n * nt), tld, (const REAL *)(f + o * of + n * nf), fld, 4, 4);
        }
}
