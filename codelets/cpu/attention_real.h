/* Body of attention.c for one dtype. REAL, WIDE (an index of the tables of loops), EXP and F, which names a function,
 * are defined by the file that includes it.
 * Must not know: dtypes other than REAL. */

/* c (m × n, row stride ldc) = scale·a·b, added to the present contents with `add`. ta, tb: the operand is stored
 * transposed. */
static void F(gemm)(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double scale, const REAL *a, int64_t lda,
                    const REAL *b, int64_t ldb, bool add, REAL *c, int64_t ldc)
{
    orr__mat left = { .p = (const void *)a, .rows = m, .cols = k },
             right = { .p = (const void *)b, .rows = k, .cols = n };
    orr__gemm_scaled(WIDE ? ORR_F64 : ORR_F32, scale, &left, ta, lda ? lda : 1, &right, tb, ldb ? ldb : 1, add, c, ldc);
}

/* The scores of queries [i0, i1) and keys [j0, j1) of one head, row stride j1 − j0: the mask is added, hidden keys are
 * −inf. */
static void F(scores)(const job *w, int64_t head, int64_t i0, int64_t i1, int64_t j0, int64_t j1, REAL *s)
{
    const orr__attend *a = &w->a;
    int64_t n = j1 - j0, b = head / a->heads, h = head % a->heads, kv = b * a->kv + h / a->group;
    F(gemm)
    (false, true, i1 - i0, n, a->width, a->scale, (const REAL *)w->q + (head * a->queries + i0 - w->row0) * a->width, a->width,
     (const REAL *)w->k + ((kv - w->kv0) * a->keys + j0) * a->width, a->width, 0, s, n);
    for (int64_t i = i0; i < i1; i++, s += n) {
        int64_t lo = orr__attend_lo(a, i) - j0, hi = orr__attend_hi(a, i) - j0;
        if (w->mask) {
            const REAL *m = (const REAL *)w->mask + b * a->step[0] + h * a->step[1] + i * a->step[2] + j0 * a->step[3];
            for (int64_t c = 0; c < n; c++)
                s[c] += m[c * a->step[3]];
        }
        for (int64_t c = 0; c < lo && c < n; c++)
            s[c] = -INFINITY;
        for (int64_t c = hi < 0 ? 0 : hi; c < n; c++)
            s[c] = -INFINITY;
    }
}

/* Writes the dropout factors of one row's keys [j0, j1) to z. */
static void F(drop)(const job *w, int64_t head, int64_t i, int64_t j0, int64_t j1, REAL *z)
{
    REAL grown = (REAL)(1 / (1 - w->a.drop));
    float keep = (float)(1.0 - w->a.drop);
    uint64_t at = (uint64_t)((w->number[head] * w->a.queries + i) * w->a.keys + j0);
    for (int64_t c = 0; c < j1 - j0; c++)
        z[c] = orr__u01_f32(orr__rand_bits32(w->key, at + (uint64_t)c)) < keep ? grown : 0;
}

/* Queries [i0, i1) of one head, i1 − i0 ≤ w->rows: the online softmax (M. Milakov, N. Gimelshein, "Online normalizer
 * calculation for softmax", 2018; T. Dao et al., "FlashAttention", 2022). */
static void F(forward)(const job *w, int64_t head, int64_t i0, int64_t i1, void *memory)
{
    const orr__attend *a = &w->a;
    int64_t rows = i1 - i0, wide = a->value + 1, kv = head / a->heads * a->kv + head % a->heads / a->group;
    REAL *s = memory, *z = s + w->rows * w->cols, *most = z + w->cols,
         *out = (REAL *)w->out + (head * a->queries + i0) * wide;
    double *sum = w->sum;
    memset(out, 0, (size_t)(rows * wide) * sizeof *out);
    for (int64_t r = 0; r < rows; r++) {
        most[r] = -INFINITY;
        sum[r] = 0;
    }
    int64_t first = orr__attend_lo(a, i0), last = orr__attend_hi(a, i1 - 1);
    for (int64_t j0 = first; j0 < last; j0 += w->cols) {
        int64_t j1 = j0 + w->cols < last ? j0 + w->cols : last, n = j1 - j0;
        F(scores)(w, head, i0, i1, j0, j1, s);
        for (int64_t r = 0; r < rows; r++) {
            REAL *x = s + r * n, top = (REAL)w->vec->greatest[WIDE](x, n);
            top = top > most[r] ? top : most[r];
            if (top == -INFINITY) { /* no key is seen, or all scores are NaN */
                for (int64_t c = 0; c < n; c++) {
                    x[c] = isnan(x[c]) ? x[c] : 0;
                    sum[r] += (double)x[c];
                }
                continue;
            }
            REAL less = EXP(most[r] - top);
            sum[r] = sum[r] * (double)less + w->vec->exp[WIDE](x, n, (double)top);
            most[r] = top;
            for (int64_t d = 0; less != 1 && d < a->value; d++)
                out[r * wide + d] *= less;
            if (a->drop > 0) {
                F(drop)(w, head, i0 + r, j0, j1, z);
                for (int64_t c = 0; c < n; c++)
                    x[c] *= z[c];
            }
        }
        F(gemm)
        (false, false, rows, a->value, n, 1, s, n, (const REAL *)w->v + ((kv - w->kv0) * a->keys + j0) * a->value, a->value, 1,
         out, wide);
    }
    for (int64_t r = 0; r < rows; r++) {
        bool none = sum[r] == 0; /* NaN is a sum */
        REAL by = none ? 0 : (REAL)(1 / sum[r]);
        for (int64_t d = 0; d < a->value; d++)
            out[r * wide + d] *= by;
        out[r * wide + a->value] = none ? (REAL)-INFINITY : (REAL)((double)most[r] + log(sum[r]));
    }
}

/* One tile of the gradient: P from the saved logarithms to s, (dP − mean)·P to d. */
static void F(tile)(const job *w, int64_t head, int64_t i0, int64_t i1, int64_t j0, int64_t j1, const double *mean,
                    REAL *s, REAL *d, REAL *z)
{
    const orr__attend *a = &w->a;
    int64_t n = j1 - j0, wide = a->value + 1, kv = head / a->heads * a->kv + head % a->heads / a->group;
    const REAL *g = (const REAL *)w->g + (head * a->queries + i0) * wide,
               *o = (const REAL *)w->o + (head * a->queries + i0) * wide;
    F(scores)(w, head, i0, i1, j0, j1, s);
    F(gemm)
    (false, true, i1 - i0, n, a->value, 1, g, wide, (const REAL *)w->v + ((kv - w->kv0) * a->keys + j0) * a->value, a->value, 0, d,
     n);
    for (int64_t r = 0; r < i1 - i0; r++) {
        REAL *p = s + r * n, *x = d + r * n, less = (REAL)mean[r], lse = o[r * wide + a->value];
        if (lse == -INFINITY) {
            memset(p, 0, (size_t)n * sizeof *p);
            memset(x, 0, (size_t)n * sizeof *x);
            continue;
        }
        (void)w->vec->exp[WIDE](p, n, (double)lse);
        if (a->drop > 0) {
            F(drop)(w, head, i0 + r, j0, j1, z);
            for (int64_t c = 0; c < n; c++) {
                x[c] = p[c] * (x[c] * z[c] - less);
                p[c] *= z[c];
            }
        } else
            for (int64_t c = 0; c < n; c++)
                x[c] = p[c] * (x[c] - less);
        int64_t lo = orr__attend_lo(a, i0 + r) - j0, hi = orr__attend_hi(a, i0 + r) - j0;
        for (int64_t c = 0; isnan(lse) && c < n; c++) /* NaN does not reach hidden keys, in whatever tile they are */
            if (c < lo || c >= hi)
                p[c] = x[c] = 0;
    }
}

/* All gradients of one head of k and v. */
static void F(backward)(const job *w, int64_t kv, void *memory)
{
    const orr__attend *a = &w->a;
    int64_t wide = a->value + 1, head0 = kv / a->kv * a->heads + kv % a->kv * a->group;
    int64_t length = a->group * a->queries * a->width + a->keys * (a->width + a->value);
    REAL *dq = (REAL *)w->out + kv * length, *dk = dq + a->group * a->queries * a->width, *dv = dk + a->keys * a->width;
    REAL *s = memory, *d = s + w->rows * w->cols, *z = d + w->rows * w->cols;
    memset(dq, 0, (size_t)length * sizeof *dq);
    for (int64_t e = 0; e < a->group; e++) {
        int64_t head = head0 + e;
        const REAL *g = (const REAL *)w->g + head * a->queries * wide,
                   *o = (const REAL *)w->o + head * a->queries * wide;
        const REAL *q = (const REAL *)w->q + (head * a->queries - w->row0) * a->width,
                   *k = (const REAL *)w->k + (kv - w->kv0) * a->keys * a->width;
        REAL *to = dq + e * a->queries * a->width;
        for (int64_t i = 0; i < a->queries; i++) {
            double sum = -(double)g[i * wide + a->value];
            for (int64_t c = 0; c < a->value; c++)
                sum += (double)g[i * wide + c] * (double)o[i * wide + c];
            w->sum[i] = sum;
        }
        for (int64_t j0 = 0; j0 < a->keys; j0 += w->cols) {
            int64_t j1 = j0 + w->cols < a->keys ? j0 + w->cols : a->keys, n = j1 - j0;
            for (int64_t i0 = 0; i0 < a->queries; i0 += w->rows) {
                int64_t i1 = i0 + w->rows < a->queries ? i0 + w->rows : a->queries, m = i1 - i0;
                if (orr__attend_lo(a, i0) >= j1 || orr__attend_hi(a, i1 - 1) <= j0)
                    continue;
                F(tile)(w, head, i0, i1, j0, j1, w->sum + i0, s, d, z);
                F(gemm)(true, false, n, a->value, m, 1, s, n, g + i0 * wide, wide, 1, dv + j0 * a->value, a->value);
                F(gemm)
                (false, false, m, a->width, n, a->scale, d, n, k + j0 * a->width, a->width, 1, to + i0 * a->width,
                 a->width);
                F(gemm)
                (true, false, n, a->width, m, a->scale, d, n, q + i0 * a->width, a->width, 1, dk + j0 * a->width,
                 a->width);
            }
        }
    }
}
