/* Body of pool_sum.c for one dtype. REAL, WIDE (an index of the tables of loops) and F, which names a function, are defined by the file
 * that includes it.
 * Must not know: dtypes other than REAL. */

/* Sums of rows that arrive one by one. */
typedef struct {
    REAL total[SPAN], part[SPAN];
    const void *row[TOGETHER];
    const REAL *of[TOGETHER]; /* the rows of a line, if there are fewer than TOGETHER */
    int64_t many, rows, n;    /* their number; rows that wait; elements of each */
    bool begun;               /* `total` has the sum of others                    */
} F(rows);

static void F(add_waiting)(F(rows) * r)
{
    if (r->rows > 0)
        orr__cpu_vec()->box[WIDE](r->begun ? r->part : r->total, r->row, r->rows, 1, 1, r->n, NULL);
    for (int64_t j = 0; j < r->n && r->rows > 0 && r->begun; j++)
        r->total[j] += r->part[j];
    r->begun = r->begun || r->rows > 0;
    r->rows = 0;
}

static void F(add)(F(rows) * r, const REAL *row)
{
    r->row[r->rows++] = row;
    if (r->rows == TOGETHER)
        F(add_waiting)(r);
}

/* Of no rows: zeros. A single row is its own sum. */
static const REAL *F(sum_of)(F(rows) * r)
{
    if (!r->begun && r->rows == 1)
        return r->row[0];
    F(add_waiting)(r);
    if (!r->begun)
        memset(r->total, 0, (size_t)r->n * sizeof *r->total);
    return r->total;
}

/* Calls F(add) with each row of x that windows in row (i0, i1) have, from element `at` on. */
static void F(each_row)(F(rows) * r, const orr__pool *v, const REAL *x, int64_t i0, int64_t i1, int64_t at)
{
    int64_t f0, n0, f1, n1;
    orr__pool_window(v, 0, i0, &f0, &n0);
    orr__pool_window(v, 1, i1, &f1, &n1);
    for (int64_t t0 = 0; t0 < n0; t0++)
        for (int64_t t1 = 0; t1 < n1; t1++)
            F(add)(r, x + ((f0 + t0 * v->dilation[0]) * v->x[1] + f1 + t1 * v->dilation[1]) * v->x[2] + at);
}

/* y[i] for `count` windows whose elements are inside of the row: `from` has the sum of their rows, from the first element on. */
static void F(neighbours)(const orr__pool *v, const REAL *restrict from, int64_t count, REAL *restrict y)
{
    int64_t s = v->stride[2], taps = v->window[2], e = v->dilation[2];
    static const REAL one[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    if (s == 1 && taps <= (int64_t)(sizeof one / sizeof *one)) {
        orr__cpu_vec()->taps[WIDE](y, (const void *const[]){ from }, 1, one, taps, e, count);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        y[i] = from[i * s];
    for (int64_t t = 1; t < taps; t++)
        for (int64_t i = 0; i < count; i++)
            y[i] += from[i * s + t * e];
}

/* A row of windows, (i0, i1), and the sums of its rows. */
typedef struct {
    const orr__pool *v;
    const REAL *x;
    int64_t i0, i1;
    F(rows) rows;
} F(line);

static inline void F(begin)(F(line) * l, int64_t i0, int64_t i1)
{
    const orr__pool *v = l->v;
    int64_t f0, n0, f1, n1, k = 0;
    l->i0 = i0;
    l->i1 = i1;
    orr__pool_window(v, 0, i0, &f0, &n0);
    orr__pool_window(v, 1, i1, &f1, &n1);
    l->rows.many = n0 * n1;
    for (int64_t t0 = 0; t0 < n0 && l->rows.many < TOGETHER; t0++)
        for (int64_t t1 = 0; t1 < n1; t1++)
            l->rows.of[k++] = l->x + ((f0 + t0 * v->dilation[0]) * v->x[1] + f1 + t1 * v->dilation[1]) * v->x[2];
}

/* Adds the rows from element `at` on; `n` elements of each. */
static inline void F(add_rows)(F(line) * l, int64_t at, int64_t n)
{
    F(rows) *r = &l->rows;
    r->rows = 0;
    r->begun = false;
    r->n = n;
    if (r->many >= TOGETHER) {
        F(each_row)(r, l->v, l->x, l->i0, l->i1, at);
        return;
    }
    for (; r->rows < r->many; r->rows++)
        r->row[r->rows] = r->of[r->rows] + at;
}

/* y[i] for n windows from number a on, which are inside of the row. */
static void F(whole_windows)(F(line) * l, int64_t a, int64_t n, REAL *y)
{
    const orr__pool *v = l->v;
    F(rows) *r = &l->rows;
    int64_t s = v->stride[2], taps = v->window[2], e = v->dilation[2];
    F(add_rows)(l, a * s - v->before[2], (n - 1) * s + (taps - 1) * e + 1);
    if (r->rows == 0 || r->begun || s > 2 || e > 1) {
        F(neighbours)(v, F(sum_of)(r), n, y + a);
        return;
    }
    ahead(r->row[0], v->stride[1] * v->x[2] * (int64_t)sizeof(REAL));
    orr__cpu_vec()->box[WIDE](y + a, r->row, r->rows, taps, s, n, r->total);
}

/* Window i of a row. A division for the number of its elements would take longer than their sum. */
static inline REAL F(few)(const F(line) * l, int64_t i)
{
    const orr__pool *v = l->v;
    int64_t at = i * v->stride[2] - v->before[2], end = at + v->window[2] * v->dilation[2];
    REAL sum = 0;
    for (int64_t j = at; j < end; j += v->dilation[2])
        for (int64_t k = 0; j >= 0 && j < v->x[2] && k < l->rows.many; k++)
            sum += l->rows.of[k][j];
    return sum;
}

/* y[i] for windows [a, b), parts of which are outside of the row. */
static void F(part_windows)(F(line) * l, int64_t a, int64_t b, REAL *y)
{
    const orr__pool *v = l->v;
    int64_t f, n, first = 0, e = v->dilation[2];
    bool few = v->window[2] <= PART && l->rows.many < TOGETHER;
    const REAL *total = NULL;
    for (int64_t i = a; i < b; i++) {
        if (few) {
            y[i] = F(few)(l, i);
            continue;
        }
        orr__pool_window(v, 2, i, &f, &n);
        int64_t end = f + (n - 1) * e + 1;
        if (n > 0 && (!total || f < first || end > first + l->rows.n)) {
            first = f;
            F(add_rows)(l, f, ORR__MIN(ORR__MAX(end - f, PART), v->x[2] - f));
            total = F(sum_of)(&l->rows);
        }
        y[i] = 0;
        for (int64_t t = 0; t < n; t++)
            y[i] += total[f - first + t * e];
    }
}

/* A window that is longer than a row of sums: the elements in eight columns. */
static REAL F(long_window)(const orr__pool *v, const REAL *x, int64_t i0, int64_t i1, int64_t i)
{
    int64_t f[ORR__POOL_AXES], n[ORR__POOL_AXES];
    const int64_t at[ORR__POOL_AXES] = { i0, i1, i }, *e = v->dilation;
    REAL column[8] = { 0 }, sum = 0;
    for (int d = 0; d < ORR__POOL_AXES; d++)
        orr__pool_window(v, d, at[d], &f[d], &n[d]);
    for (int64_t t0 = 0; t0 < n[0]; t0++)
        for (int64_t t1 = 0; t1 < n[1]; t1++) {
            const REAL *row = x + ((f[0] + t0 * e[0]) * v->x[1] + f[1] + t1 * e[1]) * v->x[2] + f[2];
            for (int64_t t = 0; t < n[2]; t++)
                column[t % 8] += row[t * e[2]];
        }
    for (int k = 0; k < 8; k++)
        sum += column[k];
    return sum;
}

/* y = the sums of all windows of the plane x. */
static void F(plane)(const orr__pool *v, const REAL *x, REAL *y)
{
    F(line) l;
    l.v = v;
    l.x = x;
    int64_t s = v->stride[2], before = v->before[2], reach = v->dilation[2] * (v->window[2] - 1) + 1;
    int64_t last = v->x[2] + before - reach, n = v->y[2], many = (SPAN - reach) / s + 1;
    int64_t lo = before > 0 ? (before + s - 1) / s : 0, hi = last < 0 ? 0 : last / s + 1;
    lo = ORR__MIN(lo, n);
    hi = ORR__MAX(lo, ORR__MIN(hi, n));
    for (int64_t i0 = 0; i0 < v->y[0]; i0++)
        for (int64_t i1 = 0; i1 < v->y[1]; i1++, y += n) {
            for (int64_t i = 0; i < n && reach > SPAN; i++)
                y[i] = F(long_window)(v, x, i0, i1, i);
            if (reach > SPAN)
                continue;
            F(begin)(&l, i0, i1);
            F(part_windows)(&l, 0, lo, y);
            for (int64_t a = lo; a < hi; a += many)
                F(whole_windows)(&l, a, ORR__MIN(many, hi - a), y);
            F(part_windows)(&l, hi, n, y);
        }
}

/* x[j] += y[i] for each element j of window i, for n windows from number a on, whose sum over rows is y. */
static void F(spread_windows)(const orr__pool *v, const REAL *restrict y, int64_t a, int64_t n, REAL *restrict x)
{
    int64_t s = v->stride[2];
    for (int64_t t = 0; t < v->window[2]; t++) {
        int64_t first = a * s - v->before[2] + t * v->dilation[2], lo = first < 0 ? (s - 1 - first) / s : 0;
        int64_t hi = first < v->x[2] ? ORR__MIN(n, (v->x[2] - first + s - 1) / s) : 0;
        for (int64_t i = lo; i < hi; i++)
            x[first + i * s] += y[i];
    }
}

/* x = for each element the sum of y over the windows that have it. */
static void F(spread_plane)(const orr__pool *v, const REAL *y, REAL *x)
{
    F(rows) r;
    int64_t n = v->y[2], first[2], end[2];
    for (int64_t j0 = 0; j0 < v->x[0]; j0++)
        for (int64_t j1 = 0; j1 < v->x[1]; j1++, x += v->x[2]) {
            windows_with(v, 0, j0, &first[0], &end[0]);
            windows_with(v, 1, j1, &first[1], &end[1]);
            memset(x, 0, (size_t)v->x[2] * sizeof *x);
            for (int64_t a = 0; a < n; a += SPAN) {
                r.rows = 0;
                r.begun = false;
                r.n = ORR__MIN(SPAN, n - a);
                for (int64_t i0 = first[0]; i0 < end[0]; i0++)
                    for (int64_t i1 = first[1]; i1 < end[1] && has(v, 0, j0, i0); i1++)
                        if (has(v, 1, j1, i1))
                            F(add)(&r, y + (i0 * v->y[1] + i1) * n + a);
                F(spread_windows)(v, F(sum_of)(&r), a, r.n, x);
            }
        }
}
