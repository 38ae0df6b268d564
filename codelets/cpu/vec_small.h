/* Body of vec_small.c for one dtype: products of small matrices, tile by tile in registers. The includer defines REAL,
 * F, and V, which names the vector operations VEC, MASK, ALL, MASK_OF, SOME, PUT and FMA.
 * Must not know: dtypes other than REAL, the callers. */

/* Elements of a vector. */
#define W ((int64_t)(sizeof(V(VEC)) / sizeof(REAL)))

/* Stores the first n elements of x. The sums of a tile stay in registers: the compiler does not see that `from` is one of them. */
static inline __attribute__((always_inline)) void F(put_some)(REAL *to, V(VEC) x, int64_t n)
{
    REAL from[W];
    int64_t at = 0;
    IN_REGISTER(x);
    memcpy(from, &x, sizeof x);
#pragma GCC unroll 4
    for (int64_t w = W / 2; w > 0; w /= 2)
        if (n & w) {
            memcpy(to + at, from + at, (size_t)w * sizeof *to);
            at += w;
        }
}

/* `rows` rows of `vectors` vectors of c; with `part`, the last vector has `rest` elements. Each sum is one chain, in
 * the order of k. */
static inline __attribute__((always_inline)) void F(tile)(const orr__smalltile *t, const int rows, const int vectors,
                                                          const bool part)
{
    V(VEC) sum[ROWS_MOST][VECTORS_MOST];
    const REAL *a = t->a, *b = t->b;
    const V(MASK) mask = V(MASK_OF)(t->rest);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            if (!t->from)
                sum[r][v] = V(ALL)(0);
            else if (part && v == vectors - 1)
                sum[r][v] = V(SOME)((const REAL *)t->from + r * t->from_row + v * W, mask);
            else
                memcpy(&sum[r][v], (const REAL *)t->from + r * t->from_row + v * W, sizeof sum[r][v]);
    for (int64_t p = 0; p < t->k; p++, a += t->a_col, b += t->b_row) {
        V(VEC) right[VECTORS_MOST];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            if (part && v == vectors - 1)
                right[v] = V(SOME)(b + v * W, mask);
            else
                memcpy(&right[v], b + v * W, sizeof right[v]);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            V(VEC) left = V(ALL)(a[r * t->a_row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r][v] = V(FMA)(left, right[v], sum[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        REAL *to = (REAL *)t->c + r * t->c_row;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            V(VEC) x = sum[r][v];
            IN_REGISTER(x); /* the compiler does not see that it is a sum, which it would keep in memory */
            if (part && v == vectors - 1)
                V(PUT)(to + v * W, mask, x, t->rest);
            else
                memcpy(to + v * W, &x, sizeof x);
        }
    }
}

#define TILE(rows, vectors)                                                                                            \
    static void F(tile##rows##x##vectors)(const orr__smalltile *t)                                                     \
    {                                                                                                                  \
        if (t->rest)                                                                                                   \
            F(tile)(t, rows, vectors, true);                                                                           \
        else                                                                                                           \
            F(tile)(t, rows, vectors, false);                                                                          \
    }
EACH_TILE(TILE)
#undef TILE

/* Two panels, the second `apart` elements of b behind the first, times one row: twice the sums of a tile, so that both multipliers are busy,
 * and two streams from memory. */
static void F(row)(const orr__smalltile *t, int64_t apart)
{
    V(VEC) sum[2][VECTORS_MOST];
    const REAL *a = t->a, *b = t->b;
#pragma GCC unroll 2
    for (int v = 0; v < 2; v++)
        if (t->from)
            memcpy(sum[v], (const REAL *)t->from + v * VECTORS_MOST * W, sizeof sum[v]);
        else
            memset(sum[v], 0, sizeof sum[v]);
    for (int64_t p = 0; p < t->k; p++, a += t->a_col, b += t->b_row) {
        V(VEC) left = V(ALL)(*a), right;
#pragma GCC unroll 8
        for (int v = 0; v < 2 * VECTORS_MOST; v++) {
            memcpy(&right, b + v / VECTORS_MOST * apart + v % VECTORS_MOST * W, sizeof right);
            sum[v / VECTORS_MOST][v % VECTORS_MOST] = V(FMA)(left, right, sum[v / VECTORS_MOST][v % VECTORS_MOST]);
        }
    }
    memcpy(t->c, sum, sizeof sum);
}

/* Columns [0, n) of all m rows of c, `vectors` vectors at a time; the rows of the right factor are contiguous. */
static void F(columns)(orr__smalltile t, int64_t m, int64_t vectors)
{
    const REAL *a = t.a, *from = t.from;
    REAL *c = t.c;
#define TILE(rows, vectors) [rows][vectors] = F(tile##rows##x##vectors),
    static void (*const tiles[ROWS_MOST + 1][VECTORS_MOST + 1])(const orr__smalltile *) = { EACH_TILE(TILE) };
#undef TILE
    int64_t most = vectors > 2 ? ROWS_OF_WIDE : ROWS_MOST, rows;
    for (int64_t i = 0; i < m; i += rows) {
        int64_t tall = (m - i + most - 1) / most;
        rows = (m - i + tall - 1) / tall;
        t.a = a + i * t.a_row;
        t.c = c + i * t.c_row;
        t.from = from ? from + i * t.from_row : NULL;
        tiles[rows][vectors](&t);
    }
}

/* All columns, in panels of as many vectors as a tile has. The elements `ahead` of those of the right factor come to the caches; 0: none. */
static void F(multiply)(const orr__small *s, orr__smalltile t, const REAL *b, REAL *c, int64_t ahead)
{
    int64_t left = (s->n + W - 1) / W;
    for (int64_t j = 0; j < s->n;) {
        int64_t panels = (left + VECTORS_MOST - 1) / VECTORS_MOST, vectors = (left + panels - 1) / panels;
        t.rest = j + vectors * W > s->n ? s->n % W : 0;
        t.b = b + j;
        t.c = c + j;
        t.from = s->add ? t.c : NULL;
        for (int64_t r = 0; ahead && r < t.k; r++)
            for (int64_t v = 0; v < vectors * W; v += (int64_t)(ORR__CACHE_LINE / sizeof(REAL)))
                __builtin_prefetch(b + j + ahead + r * t.b_row + v, 0, 2);
        F(columns)(t, s->m, vectors);
        j += vectors * W;
        left -= vectors;
    }
}

/* Copies `rows` × `cols` elements of a matrix to contiguous rows with row stride ld. */
static void F(in_order)(const REAL *from, int64_t row, int64_t col, int64_t rows, int64_t cols, REAL *to, int64_t ld)
{
    if (row == 1 && col != 1)
        F(turn)(to, ld, from, col, cols, rows);
    else if (col == 1)
        for (int64_t i = 0; i < rows; i++)
            memcpy(to + i * ld, from + i * row, (size_t)cols * sizeof *to);
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                to[i * ld + j] = from[i * row + j * col];
}

static orr__smalltile F(tile_of)(const orr__small *s)
{
    return (orr__smalltile){ .a = s->a,
                             .k = s->k,
                             .a_row = s->a_row,
                             .a_col = s->a_col,
                             .b_row = s->b_row,
                             .c_row = s->c_row,
                             .from_row = s->c_row };
}

void F(small)(const orr__small *s)
{
    _Alignas(64) REAL copy[ORR__SMALL * ORR__SMALL];
    bool copies = s->b_col != 1 && s->n > 1;
    int64_t ld = (s->n + W - 1) / W * W;
    orr__smalltile t = F(tile_of)(s);
    const REAL *a = s->a, *b = s->b;
    REAL *c = s->c;
    t.b_row = copies ? ld : s->b_row;
    /* A processor does not read ahead of masked loads alone (Zen 5). */
    bool far = !copies && s->n < W && s->count * s->b_next * (int64_t)sizeof(REAL) > ORR__T_CORE_CACHES;
    for (int64_t q = 0; q < s->count; q++, a += s->a_next, b += s->b_next, c += s->m * s->c_row) {
        if (copies && (q == 0 || s->b_next))
            F(in_order)(b, s->b_row, s->b_col, s->k, s->n, copy, ld);
        t.a = a;
        F(multiply)(s, t, copies ? copy : b, c, far ? s->b_next : 0);
    }
}

/* Some terms of all columns are copied, panel by panel, and multiplied by some rows. These are copied too if a row's
 * terms have a stride. */
void F(large)(const orr__small *s, double scale, void *room)
{
    const int64_t panel = VECTORS_MOST * W, panels = (s->n + panel - 1) / panel;
    REAL *right = room, *left = right + panels * panel * ORR__LARGE_TERMS;
    orr__smalltile t = F(tile_of)(s);
    bool copies = s->a_col != 1;
    t.b_row = panel;
    t.a_col = 1;
    t.a_row = copies ? ORR__LARGE_TERMS : s->a_row;
    for (int64_t p = 0; p < s->k; p += t.k) {
        t.k = s->k - p < ORR__LARGE_TERMS ? s->k - p : ORR__LARGE_TERMS;
        bool add = s->add || p > 0;
        for (int64_t j = 0, cols; j < s->n; j += cols) {
            cols = s->n - j < panel ? s->n - j : panel;
            REAL *to = right + j * ORR__LARGE_TERMS;
            F(in_order)((const REAL *)s->b + p * s->b_row + j * s->b_col, s->b_row, s->b_col, t.k, cols, to, panel);
            for (int64_t r = 0; r < t.k && scale != 1; r++)
                for (int64_t q = 0; q < cols; q++)
                    to[r * panel + q] *= (REAL)scale;
        }
        for (int64_t i = 0, rows; i < s->m; i += rows) {
            rows = s->m - i < ORR__LARGE_ROWS ? s->m - i : ORR__LARGE_ROWS;
            const REAL *a = (const REAL *)s->a + i * s->a_row + p * s->a_col;
            if (copies)
                F(in_order)(a, s->a_row, s->a_col, rows, t.k, left, ORR__LARGE_TERMS);
            for (int64_t j = 0, cols; j < s->n; j += cols) {
                cols = s->n - j < panel ? s->n - j : panel;
                t.b = right + j * ORR__LARGE_TERMS;
                t.rest = cols % W;
                t.a = copies ? left : a;
                t.c = (REAL *)s->c + i * s->c_row + j;
                t.from = add ? t.c : NULL;
                F(columns)(t, rows, (cols + W - 1) / W);
            }
        }
    }
}

/* Some terms of all columns at a time: as many rows of the right factor are streams from memory, and the sums stay in the caches. Rows from
 * beyond the caches are often a power of two apart, so that few of them share a set, and are prefetched. */
static void F(few_in_order)(const orr__small *s)
{
    orr__smalltile t = F(tile_of)(s);
    orr__small some = *s;
    bool far = (size_t)(s->k * s->n) * sizeof(REAL) > ORR__T_CORE_CACHES;
    int64_t terms = far ? ORR__FEW_TERMS / 2 : ORR__FEW_TERMS;
    for (int64_t p = 0; p < s->k; p += t.k) {
        t.k = s->k - p < terms ? s->k - p : terms;
        t.a = (const REAL *)s->a + p * s->a_col;
        some.add = s->add || p > 0;
        F(multiply)(&some, t, (const REAL *)s->b + p * s->b_row, s->c, far && p + 2 * t.k <= s->k ? t.k * s->b_row : 0);
    }
}

static inline REAL F(total)(V(VEC) x)
{
    REAL lane[W];
    IN_REGISTER(x);
    memcpy(lane, &x, sizeof x);
    for (int64_t w = W / 2; w > 0; w /= 2)
        for (int64_t l = 0; l < w; l++)
            lane[l] += lane[l + w];
    return lane[0];
}

/* The terms from p on, `some` of them, or as many as a vector has, of `rows` × `columns` sums, which are contiguous in both factors. */
static inline __attribute__((always_inline)) void F(dots_at)(const orr__smalltile *t, const int rows, const int columns,
                                                             int64_t p, int64_t some, V(VEC) sum[ROWS_MOST][DOTS_MOST])
{
    V(VEC) left, right[DOTS_MOST];
    const REAL *a = (const REAL *)t->a + p, *b = (const REAL *)t->b + p;
    const V(MASK) mask = V(MASK_OF)(some);
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
        __builtin_prefetch(b + j * t->b_row + ORR__FEW_AHEAD, 0, 2);
        if (some)
            right[j] = V(SOME)(b + j * t->b_row, mask);
        else
            memcpy(&right[j], b + j * t->b_row, sizeof right[j]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        if (some)
            left = V(SOME)(a + r * t->a_row, mask);
        else
            memcpy(&left, a + r * t->a_row, sizeof left);
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            sum[r][j] = V(FMA)(left, right[j], sum[r][j]);
    }
}

/* Each sum has as many partial sums as a vector has elements. */
static inline __attribute__((always_inline)) void F(dots)(const orr__smalltile *t, const int rows, const int columns)
{
    V(VEC) sum[ROWS_MOST][DOTS_MOST];
    int64_t p = 0;
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            sum[r][j] = V(ALL)(0);
    for (; p + W <= t->k; p += W)
        F(dots_at)(t, rows, columns, p, 0, sum);
    if (p < t->k)
        F(dots_at)(t, rows, columns, p, t->k - p, sum);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++) {
            REAL *c = (REAL *)t->c + r * t->c_row + j, total = F(total)(sum[r][j]);
            *c = t->from ? *c + total : total;
        }
}

#define DOTS(rows, columns)                                                                                            \
    static void F(dots##rows##x##columns)(const orr__smalltile *t)                                                     \
    {                                                                                                                  \
        F(dots)(t, rows, columns);                                                                                     \
    }
EACH_DOTS(DOTS)
#undef DOTS

/* The rows of the right factor are its columns in memory. */
static void F(few_across)(const orr__small *s)
{
#define DOTS(rows, columns) [rows][columns] = F(dots##rows##x##columns),
    static void (*const dots[ROWS_MOST + 1][DOTS_MOST + 1])(const orr__smalltile *) = { EACH_DOTS(DOTS) };
#undef DOTS
    orr__smalltile t = F(tile_of)(s);
    t.b_row = s->b_col;
    int64_t tall = (s->m + ROWS_MOST - 1) / ROWS_MOST;
    for (int64_t p = 0; p < s->k; p += t.k) {
        t.k = s->k - p < ORR__FEW_ACROSS ? s->k - p : ORR__FEW_ACROSS;
        for (int64_t j = 0, columns; j < s->n; j += columns) {
            columns = s->n - j < DOTS_MOST ? s->n - j : DOTS_MOST;
            t.b = (const REAL *)s->b + j * s->b_col + p;
            for (int64_t i = 0, rows; i < s->m; i += rows) {
                rows = (s->m - i + tall - 1) / tall < ROWS_MOST ? (s->m - i + tall - 1) / tall : ROWS_MOST;
                t.a = (const REAL *)s->a + i * s->a_row + p;
                t.c = (REAL *)s->c + i * s->c_row + j;
                t.from = s->add || p > 0 ? t.c : NULL;
                dots[rows][columns](&t);
            }
        }
    }
}

void F(few)(const orr__small *s)
{
    (s->b_col == 1 || s->n == 1 ? F(few_in_order) : F(few_across))(s);
}

/* Panels of columns; all terms of a panel are contiguous. */
void F(pack)(const orr__small *s, void *to)
{
    const int64_t panel = VECTORS_MOST * W;
    for (int64_t j = 0; j < s->n; j += panel)
        F(in_order)
    ((const REAL *)s->b + j * s->b_col, s->b_row, s->b_col, s->k, s->n - j < panel ? s->n - j : panel,
     (REAL *)to + j * s->k, panel);
}

void F(packed)(const orr__small *s, const void *right, const void *from, int64_t from_row)
{
    const int64_t panel = VECTORS_MOST * W;
    orr__smalltile t = F(tile_of)(s);
    t.b_row = panel;
    t.from_row = from_row;
    for (int64_t j = 0, cols; j < s->n; j += cols) {
        bool two = s->m == 1 && s->n - j >= 2 * panel;
        cols = two ? 2 * panel : s->n - j < panel ? s->n - j : panel;
        t.b = (const REAL *)right + j * s->k;
        t.c = (REAL *)s->c + j;
        t.from = from ? (const REAL *)from + j : NULL;
        t.rest = cols % W;
        if (two)
            F(row)(&t, panel * s->k);
        else
            F(columns)(t, s->m, (cols + W - 1) / W);
    }
}

#undef W
