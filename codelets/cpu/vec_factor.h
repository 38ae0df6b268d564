/* Body of vec_factor.c for one dtype. The includer defines REAL, LANE (an integer of the same size), MOST, ROOT and F,
 * which names a function.
 * Must not know: dtypes other than REAL. */

/* W: elements of a vector. LINE: elements of a cache line. VECTORS: vectors of rows side by side, whose sums hide each
 * other's latency. */
#define W ((int64_t)(ORR__VECTOR_BYTES / sizeof(REAL)))
#define LINE ((int64_t)(64 / sizeof(REAL)))
#define VECTORS (W < 16 ? 4 : 2)
#define PANEL (VECTORS * W)

typedef REAL F(vector) __attribute__((vector_size(ORR__VECTOR_BYTES)));

/* The columns of a panel in order: each less the contributions of the columns before it (lower: after it), in
 * registers. */
static void F(solve_panel)(const REAL *restrict m, bool upper, bool unit, int64_t n, REAL (*restrict x)[PANEL])
{
    for (int64_t s = 0; s < n; s++) {
        int64_t j = upper ? s : n - 1 - s;
        F(vector) own[VECTORS];
        memcpy(own, x[j], sizeof own);
        for (int64_t p = 0; p < s; p++) {
            int64_t k = upper ? p : n - 1 - p;
            F(vector) done[VECTORS];
            memcpy(done, x[k], sizeof done);
            for (int h = 0; h < VECTORS; h++)
                own[h] -= m[k * ORR__PLAIN + j] * done[h];
        }
        for (int h = 0; h < VECTORS && !unit; h++)
            own[h] /= m[j * ORR__PLAIN + j];
        memcpy(x[j], own, sizeof own);
    }
}

void F(solve)(const void *m, bool upper, bool unit, int64_t n, void *b, int64_t rows, int64_t ld)
{
    _Alignas(64) REAL x[ORR__PLAIN][PANEL] = { { 0 } };
    for (int64_t at = 0; at < rows; at += PANEL) {
        int64_t some = rows - at < PANEL ? rows - at : PANEL;
        REAL *here = (REAL *)b + at * ld;
        F(turn)(x[0], PANEL, here, ld, some, n);
        /* Prefetches the next rows, whose stride is too large for the hardware prefetcher. */
        for (int64_t i = at + PANEL; i < rows && i < at + 2 * PANEL; i++)
            for (int64_t j = 0; j < n; j += LINE)
                __builtin_prefetch((REAL *)b + i * ld + j, 1);
        F(solve_panel)(m, upper, unit, n, x);
        F(turn)(here, ld, x[0], PANEL, n, some);
    }
}

int64_t F(potrf)(void *to, int64_t n, int64_t ld)
{
    REAL *a = to, column[ORR__LEAF];
    for (int64_t i = 0; i < n; i++) {
        REAL d = a[i * ld + i];
        if (!(d > 0 && d <= MOST)) /* NaN and infinity too */
            return i + 1;
        d = ROOT(d);
        a[i * ld + i] = d;
        for (int64_t r = i + 1; r < n; r++)
            column[r] = a[r * ld + i] /= d;
        for (int64_t r = i + 1; r < n; r++) {
            REAL f = column[r], *row = a + r * ld;
            for (int64_t c = i + 1; c <= r; c++)
                row[c] -= f * column[c];
        }
    }
    return 0;
}

#undef PANEL
#undef VECTORS
#undef W
#undef LINE
