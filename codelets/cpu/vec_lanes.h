/* Body of vec_lanes.c for one dtype. The includer defines REAL, LANE (an integer of the same size), MOST and LEAST (the
 * largest and the least normal number), ROOT and F, which names a function. Element e of the matrix in lane i is
 * x[e][i].
 * Must not know: dtypes other than REAL. */

#define W ((int64_t)(ORR__VECTOR_BYTES / sizeof(REAL)))
/* Sums of squares between LOW and HIGH have lost nothing to underflow or overflow. */
#define LOW (LEAST * (REAL)0x1p60)
#define HIGH (MOST * (REAL)0x1p-2)
#define SIGN ((LANE)((uint64_t)1 << (8 * sizeof(REAL) - 1)))

typedef REAL F(lane) __attribute__((vector_size(ORR__VECTOR_BYTES)));
typedef LANE F(mask) __attribute__((vector_size(ORR__VECTOR_BYTES)));

static inline F(lane) F(pick)(F(mask) which, F(lane) x, F(lane) other)
{
    return (F(lane))((which & (F(mask))x) | (~which & (F(mask))other));
}

static inline F(lane) F(size)(F(lane) x)
{
    return (F(lane))((F(mask))x & ~SIGN);
}

static inline F(lane) F(root)(F(lane) x)
{
    F(lane) y;
    for (int i = 0; i < W; i++)
        y[i] = ROOT(x[i]);
    return y;
}

static inline bool F(any)(F(mask) m)
{
    LANE all = 0;
    for (int i = 0; i < W; i++)
        all |= m[i];
    return all != 0;
}

void F(transpose)(void *to, int64_t tld, const void *from, int64_t fld, int64_t rows, int64_t cols)
{
    enum { SIDE = 16 };
    for (int64_t r = 0; r < rows; r += SIDE)
        for (int64_t c = 0; c < cols; c += SIDE)
            F(turn)
    ((REAL *)to + c * tld + r, tld, (const REAL *)from + r * fld + c, fld, rows - r < SIDE ? rows - r : SIDE,
     cols - c < SIDE ? cols - c : SIDE);
}

/* Loads `some` contiguous arrays of `size` elements into lanes, and zeros into the other lanes. */
static void F(lanes_of)(F(lane) * x, const void *from, int64_t size, int64_t some)
{
    if (some < W)
        memset(x, 0, (size_t)size * sizeof *x);
    F(turn)((REAL *)x, W, from, size, some, size);
}

/* Exchanges rows c and r in the lanes of `hit`: `cols` elements with stride `step`, rows with stride `row`. */
static void F(change_rows)(F(lane) * x, int64_t row, int64_t step, int64_t cols, int64_t c, int64_t r, F(mask) hit)
{
    for (int64_t j = 0; j < cols; j++) {
        F(lane) *p = x + c * row + j * step, *q = x + r * row + j * step, was = *p;
        *p = F(pick)(hit, *q, was);
        *q = F(pick)(hit, was, *q);
    }
}

/* The row of the largest element of column c, from row c on; *best: its magnitude. */
static F(mask) F(pivot_of)(const F(lane) * x, int64_t rs, int64_t rows, int64_t c, F(lane) * best)
{
    F(mask) at = (F(mask)){ 0 } + (LANE)c;
    *best = F(size)(x[c * rs]);
    for (int64_t r = c + 1; r < rows; r++) {
        F(lane) v = F(size)(x[r * rs]);
        F(mask) more = v > *best;
        *best = F(pick)(more, v, *best);
        at = (more & (LANE)r) | (~more & at);
    }
    return at;
}

/* The set of rows that are in any lane of `at`. */
static uint64_t F(rows_of)(F(mask) at)
{
    uint64_t rows = 0;
    for (int i = 0; i < W; i++)
        rows |= (uint64_t)1 << at[i];
    return rows;
}

/* Gaussian elimination with the largest pivot of each column. x (n × n) is destroyed, y (n × k) becomes the solution.
 * bad[i]: the first pivot of lane i that is 0, from 1. */
static void F(solve_lanes)(F(lane) * x, F(lane) * y, int64_t n, int64_t k, bool turned, F(mask) * bad)
{
    int64_t rs = turned ? 1 : n, cs = turned ? n : 1;
    *bad = (F(mask)){ 0 };
    for (int64_t c = 0; c < n; c++) {
        F(lane) best;
        F(mask) at = F(pivot_of)(x + c * cs, rs, n, c, &best);
        uint64_t rows = F(rows_of)(at);
        *bad |= (best == 0) & (*bad == 0) & (LANE)(c + 1);
        for (int64_t r = c + 1; r < n; r++)
            if (rows >> r & 1) {
                F(change_rows)(x + c * cs, rs, cs, n - c, c, r, at == (LANE)r);
                F(change_rows)(y, k, 1, k, c, r, at == (LANE)r);
            }
        F(lane) pivot = x[c * rs + c * cs];
        for (int64_t r = c + 1; r < n; r++) {
            F(lane) f = x[r * rs + c * cs] / pivot;
            for (int64_t j = c + 1; j < n; j++)
                x[r * rs + j * cs] -= f * x[c * rs + j * cs];
            for (int64_t j = 0; j < k; j++)
                y[r * k + j] -= f * y[c * k + j];
        }
    }
    for (int64_t c = n - 1; c >= 0; c--)
        for (int64_t j = 0; j < k; j++) {
            F(lane) v = y[c * k + j] /= x[c * rs + c * cs];
            for (int64_t r = 0; r < c; r++)
                y[r * k + j] -= x[r * rs + c * cs] * v;
        }
}

int64_t F(lanes_solve)(const orr__lanes *s, void *room, int64_t *which)
{
    int64_t n = s->n, k = s->k;
    F(lane) *x = room, *y = x + n * n;
    for (int64_t q = 0; q < s->count; q += W) {
        int64_t some = s->count - q < W ? s->count - q : W;
        F(mask) bad;
        F(lanes_of)(x, (const REAL *)s->a + q * n * n, n * n, some);
        F(lanes_of)(y, (const REAL *)s->b + q * n * k, n * k, some);
        F(solve_lanes)(x, y, n, k, s->turned, &bad);
        for (int64_t i = 0; i < some; i++)
            if (bad[i]) {
                *which = q + i;
                return bad[i];
            }
        F(turn)((REAL *)s->out + q * n * k, n * k, (const REAL *)y, W, n * k, some);
    }
    return 0;
}

/* Both triangles of x (m × n, row stride n + 1). The last column holds the row numbers, which are exchanged with the
 * rows. A pivot that is 0 leaves zeros below it. */
static void F(factor_lanes)(F(lane) * x, int64_t m, int64_t n)
{
    const int64_t ld = n + 1;
    for (int64_t c = 0; c < m && c < n; c++) {
        F(lane) best;
        F(mask) at = F(pivot_of)(x + c, ld, m, c, &best);
        uint64_t rows = F(rows_of)(at);
        for (int64_t r = c + 1; r < m; r++)
            if (rows >> r & 1)
                F(change_rows)(x, ld, 1, ld, c, r, at == (LANE)r);
        F(mask) none = best == 0;
        F(lane) pivot = F(pick)(none, (F(lane)){ 0 } + 1, x[c * ld + c]);
        for (int64_t r = c + 1; r < m; r++) {
            F(lane) f = x[r * ld + c] / pivot;
            x[r * ld + c] = f;
            for (int64_t j = c + 1; j < n; j++)
                x[r * ld + j] -= f * x[c * ld + j];
        }
    }
}

void F(lanes_lu)(const orr__lanes *s, void *room)
{
    const int64_t m = s->m, n = s->n, ld = n + 1;
    F(lane) *x = room, *a = x + m * ld;
    for (int64_t q = 0; q < s->count; q += W) {
        int64_t some = s->count - q < W ? s->count - q : W;
        F(lanes_of)(a, (const REAL *)s->a + q * m * n, m * n, some);
        for (int64_t r = 0; r < m; r++) {
            memcpy(x + r * ld, a + r * n, (size_t)n * sizeof *x);
            x[r * ld + n] = (F(lane)){ 0 } + (REAL)r;
        }
        F(factor_lanes)(x, m, n);
        F(turn)((REAL *)s->out + q * m * ld, m * ld, (const REAL *)x, W, m * ld, some);
    }
}

/* The norm of a column whose first element is `head`, in units: the unit is 1 if the sum of squares is in range, else
 * the largest element. `some`: there are non-zero elements below. False: the unit is 1 in every lane. */
static bool F(column_size)(const F(lane) * below, int64_t step, int64_t rows, F(lane) head, F(mask) * some,
                           F(lane) * unit, F(lane) * size)
{
    F(lane) sum = { 0 }, all = { 0 };
    for (int64_t r = 0; r < rows; r++) {
        sum += below[r * step] * below[r * step];
        all += F(size)(below[r * step]);
    }
    *some = all != 0;
    sum += head * head;
    *unit = (F(lane)){ 0 } + 1;
    *size = F(root)(sum);
    F(mask) odd = *some & ~((sum > LOW) & (sum < HIGH));
    if (!F(any)(odd))
        return false;
    F(lane) most = F(size)(head), part;
    for (int64_t r = 0; r < rows; r++)
        most = F(pick)(F(size)(below[r * step]) > most, F(size)(below[r * step]), most);
    part = head / most;
    sum = part * part;
    for (int64_t r = 0; r < rows; r++) {
        part = below[r * step] / most;
        sum += part * part;
    }
    *unit = F(pick)(odd, most, *unit);
    *size = F(pick)(odd, F(root)(sum), *size);
    return true;
}

/* x −= t·v·(vᵀ·x) for `cols` columns of x, with element stride x_step and column stride x_next. v is 1, followed by
 * v[0], v[v_step], … */
static void F(reflect)(const F(lane) * v, int64_t v_step, int64_t rows, F(lane) t, F(lane) * x, int64_t x_step,
                       int64_t x_next, int64_t cols)
{
    enum { TOGETHER = 4 };
    for (int64_t j = 0; j < cols;) {
        int64_t some = cols - j < TOGETHER ? 1 : TOGETHER;
        F(lane) *to = x + j * x_next, w[TOGETHER];
        if (some == TOGETHER) {
            for (int h = 0; h < TOGETHER; h++)
                w[h] = to[h * x_next];
            for (int64_t r = 1; r <= rows; r++)
                for (int h = 0; h < TOGETHER; h++)
                    w[h] += v[(r - 1) * v_step] * to[h * x_next + r * x_step];
            for (int h = 0; h < TOGETHER; h++)
                to[h * x_next] -= w[h] *= t;
            for (int64_t r = 1; r <= rows; r++)
                for (int h = 0; h < TOGETHER; h++)
                    to[h * x_next + r * x_step] -= v[(r - 1) * v_step] * w[h];
        } else {
            w[0] = to[0];
            for (int64_t r = 1; r <= rows; r++)
                w[0] += v[(r - 1) * v_step] * to[r * x_step];
            to[0] -= w[0] *= t;
            for (int64_t r = 1; r <= rows; r++)
                to[r * x_step] -= v[(r - 1) * v_step] * w[0];
        }
        j += some;
    }
}

/* Householder's reflections with LAPACK's signs. to: w rows, each a column of Q (none with `triangle`) followed by a
 * row of R. */
static void F(qr_lanes)(const orr__lanes *s, F(lane) * x, F(lane) * tau, F(lane) * to)
{
    int64_t m = s->m, n = s->n, k = m < n ? m : n, w = s->complete ? m : k;
    int64_t apart = s->triangle ? 0 : m, row = apart + n;
    for (int64_t c = 0; c < k; c++) {
        F(lane) *head = x + c * n + c, *below = head + n;
        F(mask) some;
        F(lane) unit, size;
        bool units = F(column_size)(below, n, m - c - 1, *head, &some, &unit, &size);
        F(lane) first = units ? *head / unit : *head;
        F(lane) beta = (F(lane))((F(mask))size | (~(F(mask))first & SIGN)), by = 1 / (first - beta);
        for (int64_t r = 0; r < m - c - 1; r++) {
            F(lane) v = (units ? below[r * n] / unit : below[r * n]) * by;
            below[r * n] = F(pick)(some, v, below[r * n]);
        }
        tau[c] = F(pick)(some, (beta - first) / beta, (F(lane)){ 0 });
        *head = F(pick)(some, beta * unit, *head);
        F(reflect)(below, n, m - c - 1, tau[c], head + 1, n, 1, n - c - 1);
    }
    for (int64_t i = 0; i < w; i++) {
        for (int64_t r = 0; r < apart; r++)
            to[i * row + r] = (F(lane)){ 0 } + (REAL)(r == i);
        for (int64_t c = 0; c < n; c++)
            to[i * row + apart + c] = c >= i ? x[i * n + c] : (F(lane)){ 0 };
    }
    for (int64_t c = k - 1; c >= 0 && apart; c--)
        F(reflect)(x + (c + 1) * n + c, n, m - c - 1, tau[c], to + c * row + c, 1, row, w - c);
}

void F(lanes_qr)(const orr__lanes *s, void *room)
{
    int64_t m = s->m, n = s->n, k = m < n ? m : n, w = s->complete ? m : k, length = w * ((s->triangle ? 0 : m) + n);
    F(lane) *x = room, *tau = x + m * n, *to = tau + k;
    for (int64_t q = 0; q < s->count; q += W) {
        int64_t some = s->count - q < W ? s->count - q : W;
        F(lanes_of)(x, (const REAL *)s->a + q * m * n, m * n, some);
        F(qr_lanes)(s, x, tau, to);
        F(turn)((REAL *)s->out + q * length, length, (const REAL *)to, W, length, some);
    }
}

#undef W
#undef LOW
#undef HIGH
#undef SIGN
