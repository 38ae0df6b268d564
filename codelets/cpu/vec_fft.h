/* Fourier transforms of one row for REAL numbers, named by F. No include guard.
 * Must not know: how plans are made.
 *
 * Stockham's form (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7).
 * A stage reads x[k + s·(q + m·j)], transforms over j < p, and writes y[k + s·(p·q + r)], r < p. In both, s numbers are contiguous. */

enum { F(LANES) = ORR__FFT_LANES_BYTES / (2 * sizeof(REAL)) };

#define STAGE_BEGIN                                                                                                    \
    for (int64_t q = 0; q < m; q++) {                                                                                  \
        const REAL *restrict cr = xr + s * q, *restrict ci = xi + s * q;                                               \
        REAL *restrict dr = yr + s * p * q, *restrict di = yi + s * p * q;
#define LOOP for (int64_t k = 0; k < s; k++)
#define RE(j) cr[k + s * m * (j)]
#define IM(j) ci[k + s * m * (j)]
#define PUT(r, re, im)                                                                                                 \
    do {                                                                                                               \
        REAL u_ = (re), v_ = (im), c_ = tw[((r)-1) * m + q], d_ = tw[(p - 1) * m + ((r)-1) * m + q];                   \
        dr[k + s * (r)] = u_ * c_ - v_ * d_;                                                                           \
        di[k + s * (r)] = u_ * d_ + v_ * c_;                                                                           \
    } while (0)

static inline __attribute__((always_inline)) void F(step2)(int64_t m, int64_t s, const REAL *restrict tw,
                                                           const REAL *restrict xr, const REAL *restrict xi,
                                                           REAL *restrict yr, REAL *restrict yi)
{
    enum { p = 2 };
    STAGE_BEGIN
    LOOP
    {
        REAL ar = RE(0), ai = IM(0), br = RE(1), bi = IM(1);
        dr[k] = ar + br;
        di[k] = ai + bi;
        PUT(1, ar - br, ai - bi);
    }
}
}

static inline __attribute__((always_inline)) void F(step3)(int64_t m, int64_t s, const REAL *restrict tw,
                                                           const REAL *restrict xr, const REAL *restrict xi,
                                                           REAL *restrict yr, REAL *restrict yi)
{
    enum { p = 3 };
    const REAL half = (REAL)0.5, root = (REAL)0.86602540378443865;
    STAGE_BEGIN
    LOOP
    {
        REAL sr = RE(1) + RE(2), si = IM(1) + IM(2), tr = RE(0) - half * sr, ti = IM(0) - half * si;
        REAL er = root * (IM(1) - IM(2)), ei = root * (RE(2) - RE(1));
        REAL ar = RE(0), ai = IM(0);
        dr[k] = ar + sr;
        di[k] = ai + si;
        PUT(1, tr + er, ti + ei);
        PUT(2, tr - er, ti - ei);
    }
}
}

#define FOUR                                                                                                           \
    REAL ar = RE(0) + RE(2), ai = IM(0) + IM(2), br = RE(0) - RE(2), bi = IM(0) - IM(2);                               \
    REAL er = RE(1) + RE(3), ei = IM(1) + IM(3), fr = RE(1) - RE(3), fi = IM(1) - IM(3);                               \
    dr[k] = ar + er;                                                                                                   \
    di[k] = ai + ei;                                                                                                   \
    PUT(1, br + fi, bi - fr);                                                                                          \
    PUT(2, ar - er, ai - ei);                                                                                          \
    PUT(3, br - fi, bi + fr);

/* The first stage: neighbours in memory have neighbouring q. */
static void F(first4)(int64_t m, const REAL *restrict tw, const REAL *restrict cr, const REAL *restrict ci,
                      REAL *restrict yr, REAL *restrict yi)
{
    enum { p = 4, k = 0, s = 1 };
    for (int64_t q = 0; q < m; q++) {
        REAL x0 = cr[q], x1 = cr[q + m], x2 = cr[q + 2 * m], x3 = cr[q + 3 * m];
        REAL y0 = ci[q], y1 = ci[q + m], y2 = ci[q + 2 * m], y3 = ci[q + 3 * m];
        REAL ar = x0 + x2, ai = y0 + y2, br = x0 - x2, bi = y0 - y2;
        REAL er = x1 + x3, ei = y1 + y3, fr = x1 - x3, fi = y1 - y3;
        REAL *restrict dr = yr + 4 * q, *restrict di = yi + 4 * q;
        dr[0] = ar + er;
        di[0] = ai + ei;
        PUT(1, br + fi, bi - fr);
        PUT(2, ar - er, ai - ei);
        PUT(3, br - fi, bi + fr);
    }
}

static inline __attribute__((always_inline)) void F(step4)(int64_t m, int64_t s, const REAL *restrict tw,
                                                           const REAL *restrict xr, const REAL *restrict xi,
                                                           REAL *restrict yr, REAL *restrict yi)
{
    enum { p = 4 };
    STAGE_BEGIN
    LOOP
    {
        FOUR
    }
}
}

static inline __attribute__((always_inline)) void F(step5)(int64_t m, int64_t s, const REAL *restrict tw,
                                                           const REAL *restrict xr, const REAL *restrict xi,
                                                           REAL *restrict yr, REAL *restrict yi)
{
    enum { p = 5 };
    const REAL c1 = (REAL)0.30901699437494742, c2 = (REAL)-0.80901699437494742, s1 = (REAL)0.95105651629515357,
               s2 = (REAL)0.58778525229247313;
    STAGE_BEGIN
    LOOP
    {
        REAL ar = RE(1) + RE(4), ai = IM(1) + IM(4), br = RE(1) - RE(4), bi = IM(1) - IM(4);
        REAL er = RE(2) + RE(3), ei = IM(2) + IM(3), fr = RE(2) - RE(3), fi = IM(2) - IM(3);
        REAL zr = RE(0), zi = IM(0);
        REAL ur = zr + c1 * ar + c2 * er, ui = zi + c1 * ai + c2 * ei, vr = s1 * bi + s2 * fi, vi = s1 * br + s2 * fr;
        REAL gr = zr + c2 * ar + c1 * er, gi = zi + c2 * ai + c1 * ei, hr = s2 * bi - s1 * fi, hi = s2 * br - s1 * fr;
        dr[k] = zr + ar + er;
        di[k] = zi + ai + ei;
        PUT(1, ur + vr, ui - vi);
        PUT(4, ur - vr, ui + vi);
        PUT(2, gr + hr, gi - hi);
        PUT(3, gr - hr, gi + hi);
    }
}
}

/* With as many contiguous numbers as lanes: straight-line code; else a loop over the numbers. */
#define STAGE(name, step)                                                                                              \
    static void name(int64_t m, int64_t s, const REAL *restrict tw, const REAL *restrict xr, const REAL *restrict xi,  \
                     REAL *restrict yr, REAL *restrict yi)                                                             \
    {                                                                                                                  \
        if (s == F(LANES))                                                                                             \
            step(m, F(LANES), tw, xr, xi, yr, yi);                                                                     \
        else                                                                                                           \
            step(m, s, tw, xr, xi, yr, yi);                                                                            \
    }
STAGE(F(stage2), F(step2))
STAGE(F(stage3), F(step3))
STAGE(F(stage4), F(step4))
STAGE(F(stage5), F(step5))
#undef STAGE

/* Any radix, by its definition. root: cosines, then sines, of −2π·i/p. */
static void F(stage_any)(int p, int64_t m, int64_t s, const REAL *restrict tw, const REAL *restrict root,
                         const REAL *restrict xr, const REAL *restrict xi, REAL *restrict yr, REAL *restrict yi)
{
    STAGE_BEGIN
    for (int r = 0; r < p; r++)
        LOOP
        {
            REAL sr = RE(0), si = IM(0);
            for (int j = 1; j < p; j++) {
                REAL c = root[j * r % p], d = root[p + j * r % p];
                sr += RE(j) * c - IM(j) * d;
                si += RE(j) * d + IM(j) * c;
            }
            if (r)
                PUT(r, sr, si);
            else
                dr[k] = sr, di[k] = si;
        }
}
}

/* -- a stage of two steps ---------------------------------------------------------------------------------------------
 *
 * Point r + p·i of w ≤ LANES transforms over j < P goes to y, times factors. The factors of a stage are common to all lanes, or one per
 * lane. xj and yj are the strides of points of x and y, xn and yn those of transforms, tj and tn those of factors. */

enum { F(PLAIN), F(INNER) /* none for r = 0 */, F(OUTER), F(OUTER_LANES) };

typedef struct {
    const REAL *xr, *xi;
    int64_t xj, xn;
    REAL *yr, *yi;
    int64_t yj, yn;
    const REAL *tr, *ti;
    int64_t tj, tn, count;
} F(steps);

#define X(j) const REAL x##j = xr[k + (j)*xj], y##j = xi[k + (j)*xj];
#define OUT(r, re, im)                                                                                                 \
    do {                                                                                                               \
        const REAL u_ = (re), v_ = (im);                                                                               \
        if (kind == F(PLAIN) || (kind == F(INNER) && (r) == 0)) {                                                      \
            zr[k + (r)*yj] = u_;                                                                                       \
            zi[k + (r)*yj] = v_;                                                                                       \
        } else {                                                                                                       \
            const int64_t t_ = (r)*tj + (kind == F(OUTER_LANES) ? k : 0);                                              \
            const REAL c_ = tr[t_], d_ = ti[t_];                                                                       \
            zr[k + (r)*yj] = u_ * c_ - v_ * d_;                                                                        \
            zi[k + (r)*yj] = u_ * d_ + v_ * c_;                                                                        \
        }                                                                                                              \
    } while (0)
#define STEP(P)                                                                                                        \
    static inline __attribute__((always_inline)) void F(points##P)(const int kind, const int64_t w,                    \
                                                                   const F(steps) * e)                                 \
    {                                                                                                                  \
        const int64_t xj = e->xj, yj = e->yj, tj = e->tj;                                                              \
        for (int64_t i = 0; i < e->count; i++) {                                                                       \
            const REAL *restrict xr = e->xr + i * e->xn, *restrict xi = e->xi + i * e->xn;                             \
            const REAL *restrict tr = e->tr + i * e->tn, *restrict ti = e->ti + i * e->tn;                             \
            REAL *restrict zr = e->yr + i * e->yn, *restrict zi = e->yi + i * e->yn;                                   \
            ORR__NO_ALIAS                                                                                              \
            for (int64_t k = 0; k < w; k++) {                                                                          \
                BODY##P                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void F(radix##P)(int kind, int64_t w, const F(steps) * e)                                                   \
    {                                                                                                                  \
        enum { G = F(LANES) };                                                                                         \
        if (w != G)                                                                                                    \
            F(points##P)(kind, w, e);                                                                                  \
        else if (kind == F(PLAIN))                                                                                     \
            F(points##P)(F(PLAIN), G, e);                                                                              \
        else if (kind == F(INNER))                                                                                     \
            F(points##P)(F(INNER), G, e);                                                                              \
        else if (kind == F(OUTER))                                                                                     \
            F(points##P)(F(OUTER), G, e);                                                                              \
        else                                                                                                           \
            F(points##P)(F(OUTER_LANES), G, e);                                                                        \
    }

#define BODY2                                                                                                          \
    X(0) X(1) OUT(0, x0 + x1, y0 + y1);                                                                                \
    OUT(1, x0 - x1, y0 - y1);
STEP(2)

#define BODY3                                                                                                          \
    const REAL half = (REAL)0.5, root = (REAL)0.86602540378443865;                                                     \
    X(0) X(1) X(2) const REAL sr = x1 + x2, si = y1 + y2, ar = x0 - half * sr, ai = y0 - half * si;                    \
    const REAL er = root * (y1 - y2), ei = root * (x2 - x1);                                                           \
    OUT(0, x0 + sr, y0 + si);                                                                                          \
    OUT(1, ar + er, ai + ei);                                                                                          \
    OUT(2, ar - er, ai - ei);
STEP(3)

#define BODY4                                                                                                          \
    X(0) X(1) X(2) X(3) const REAL ar = x0 + x2, ai = y0 + y2, br = x0 - x2, bi = y0 - y2;                             \
    const REAL er = x1 + x3, ei = y1 + y3, fr = x1 - x3, fi = y1 - y3;                                                 \
    OUT(0, ar + er, ai + ei);                                                                                          \
    OUT(1, br + fi, bi - fr);                                                                                          \
    OUT(2, ar - er, ai - ei);                                                                                          \
    OUT(3, br - fi, bi + fr);
STEP(4)

#define BODY5                                                                                                          \
    const REAL c1 = (REAL)0.30901699437494742, c2 = (REAL)-0.80901699437494742, s1 = (REAL)0.95105651629515357,        \
               s2 = (REAL)0.58778525229247313;                                                                         \
    X(0) X(1) X(2) X(3) X(4) const REAL ar = x1 + x4, ai = y1 + y4, br = x1 - x4, bi = y1 - y4;                        \
    const REAL er = x2 + x3, ei = y2 + y3, fr = x2 - x3, fi = y2 - y3;                                                 \
    const REAL ur = x0 + c1 * ar + c2 * er, ui = y0 + c1 * ai + c2 * ei, vr = s1 * bi + s2 * fi,                       \
               vi = s1 * br + s2 * fr;                                                                                 \
    const REAL gr = x0 + c2 * ar + c1 * er, gi = y0 + c2 * ai + c1 * ei, hr = s2 * bi - s1 * fi,                       \
               hi = s2 * br - s1 * fr;                                                                                 \
    OUT(0, x0 + ar + er, y0 + ai + ei);                                                                                \
    OUT(1, ur + vr, ui - vi);                                                                                          \
    OUT(4, ur - vr, ui + vi);                                                                                          \
    OUT(2, gr + hr, gi - hi);                                                                                          \
    OUT(3, gr - hr, gi + hi);
STEP(5)

/* The even points are a transform of four. So are the odd ones, times the eighth roots of unity. */
#define BODY8                                                                                                          \
    const REAL h = (REAL)0.70710678118654752;                                                                          \
    X(0) X(4) X(2) X(6) const REAL ar = x0 + x4, ai = y0 + y4, br = x0 - x4, bi = y0 - y4;                             \
    const REAL cr = x2 + x6, ci = y2 + y6, dr = x2 - x6, di = y2 - y6;                                                 \
    const REAL e0r = ar + cr, e0i = ai + ci, e2r = ar - cr, e2i = ai - ci;                                             \
    const REAL e1r = br + di, e1i = bi - dr, e3r = br - di, e3i = bi + dr;                                             \
    X(1) X(5) X(3) X(7) const REAL fr = x1 + x5, fi = y1 + y5, gr = x1 - x5, gi = y1 - y5;                             \
    const REAL pr = x3 + x7, pi = y3 + y7, qr = x3 - x7, qi = y3 - y7;                                                 \
    const REAL o0r = fr + pr, o0i = fi + pi, o2r = fi - pi, o2i = pr - fr;                                             \
    const REAL ur = gr + qi, ui = gi - qr, vr = gr - qi, vi = gi + qr;                                                 \
    const REAL o1r = h * (ur + ui), o1i = h * (ui - ur), o3r = h * (vi - vr), o3i = -h * (vr + vi);                    \
    OUT(0, e0r + o0r, e0i + o0i);                                                                                      \
    OUT(4, e0r - o0r, e0i - o0i);                                                                                      \
    OUT(1, e1r + o1r, e1i + o1i);                                                                                      \
    OUT(5, e1r - o1r, e1i - o1i);                                                                                      \
    OUT(2, e2r + o2r, e2i + o2i);                                                                                      \
    OUT(6, e2r - o2r, e2i - o2i);                                                                                      \
    OUT(3, e3r + o3r, e3i + o3i);                                                                                      \
    OUT(7, e3r - o3r, e3i - o3i);
STEP(8)

#undef BODY2
#undef BODY3
#undef BODY4
#undef BODY5
#undef BODY8
#undef STEP
#undef OUT
#undef X

static void F(step)(int radix, int kind, int64_t w, const F(steps) * e)
{
    switch (radix) {
    case 2: F(radix2)(kind, w, e); break;
    case 3: F(radix3)(kind, w, e); break;
    case 4: F(radix4)(kind, w, e); break;
    case 5: F(radix5)(kind, w, e); break;
    default: F(radix8)(kind, w, e);
    }
}

/* A stage of p = first · second: its points go from x to near memory, and from there to y. Lanes are the s contiguous numbers or, in the
 * first stage, neighbouring q, whose results are transposed. */
static void F(near)(const orr__fft *plan, int stage, int64_t m, int64_t s, REAL *const *x, REAL *const *y)
{
    enum { G = F(LANES) };
    REAL near[2][ORR__FFT_NEAR * G] __attribute__((aligned(64))),
        turned[2][ORR__FFT_NEAR * G] __attribute__((aligned(64)));
    const int p = plan->radix[stage], first = plan->first[stage], second = p / first;
    const REAL *inner = plan->near[stage], *outer = plan->twiddle[stage];
    const bool along_q = s == 1;
    const int64_t lanes = along_q ? m : s, far = along_q ? m : s * m;
    F(steps)
    one = { .xj = far * second, .xn = far, .yr = near[0], .yi = near[1], .yj = G, .yn = G * first },
    two = { .xr = near[0], .xi = near[1], .xj = G * first, .xn = G, .tj = first * m, .tn = m, .count = first };
    one.tr = inner;
    one.ti = inner + p;
    one.tj = second;
    one.tn = 1;
    one.count = second;
    two.yj = along_q ? G * first : s * first;
    two.yn = along_q ? G : s;
    for (int64_t q = 0; q < (along_q ? 1 : m); q++)
        for (int64_t k = 0; k < lanes; k += G) {
            const int64_t w = lanes - k < G ? lanes - k : G, at = along_q ? k : q;
            one.xr = x[0] + s * q + k;
            one.xi = x[1] + s * q + k;
            two.yr = along_q ? turned[0] : y[0] + s * p * q + k;
            two.yi = along_q ? turned[1] : y[1] + s * p * q + k;
            two.tr = outer + at;
            two.ti = outer + p * m + at;
            F(step)(first, F(INNER), w, &one);
            F(step)(second, m == 1 ? F(PLAIN) : along_q ? F(OUTER_LANES) : F(OUTER), w, &two);
            for (int c = 0; c < 2 && along_q; c++)
                TURN(y[c] + p * k, p, turned[c], G, p, w);
        }
}

/* Runs the stages on the numbers in a, s contiguous ones per point, with b as the other buffer. Returns the buffer with the result. */
static REAL **F(stages)(const orr__fft *plan, int64_t s, REAL **a, REAL **b)
{
    int64_t m = plan->n;
    for (int i = 0; i < plan->nstage; i++) {
        int p = plan->radix[i];
        const REAL *tw = plan->twiddle[i];
        m /= p;
        if (plan->first[i])
            F(near)(plan, i, m, s, a, b);
        else if (p == 4 && s == 1)
            F(first4)(m, tw, a[0], a[1], b[0], b[1]);
        else if (p == 4)
            F(stage4)(m, s, tw, a[0], a[1], b[0], b[1]);
        else if (p == 2)
            F(stage2)(m, s, tw, a[0], a[1], b[0], b[1]);
        else if (p == 3)
            F(stage3)(m, s, tw, a[0], a[1], b[0], b[1]);
        else if (p == 5)
            F(stage5)(m, s, tw, a[0], a[1], b[0], b[1]);
        else
            F(stage_any)(p, m, s, tw, plan->root[i], a[0], a[1], b[0], b[1]);
        s *= p;
        REAL **other = a;
        a = b;
        b = other;
    }
    return a;
}

/* The transform as a convolution with a chirp (L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier
 * transform", 1970). The convolution uses transforms of a length with small factors. */
static REAL **F(chirped)(const orr__fft *plan, REAL **a, REAL **b)
{
    int64_t n = plan->n, l = plan->inner->n;
    const REAL *cr = plan->chirp, *ci = cr + n, *fr = plan->filter, *fi = fr + l;
    for (int64_t k = 0; k < n; k++) {
        REAL u = a[0][k], v = a[1][k];
        a[0][k] = u * cr[k] - v * ci[k];
        a[1][k] = u * ci[k] + v * cr[k];
    }
    for (int64_t k = n; k < l; k++)
        a[0][k] = a[1][k] = 0;
    REAL **x = F(stages)(plan->inner, 1, a, b), **y = x == a ? b : a;
    for (int64_t k = 0; k < l; k++) {
        REAL u = x[0][k], v = x[1][k];
        x[0][k] = u * fr[k] - v * fi[k];
        x[1][k] = u * fi[k] + v * fr[k];
    }
    /* With real and imaginary parts exchanged a transform is the inverse one. */
    REAL *turned_x[2] = { x[1], x[0] }, *turned_y[2] = { y[1], y[0] };
    REAL **z = F(stages)(plan->inner, 1, turned_x, turned_y);
    REAL *zr = z[1], *zi = z[0];
    REAL **to = zr == a[0] ? a : b;
    for (int64_t k = 0; k < n; k++) {
        REAL u = zr[k], v = zi[k];
        to[0][k] = u * cr[k] - v * ci[k];
        to[1][k] = u * ci[k] + v * cr[k];
    }
    return to;
}

/* Splits pairs into real and imaginary parts; the next function joins them. */
static void F(apart)(int64_t n, const REAL *restrict from, REAL *restrict re, REAL *restrict im)
{
    for (int64_t k = 0; k < n; k++) {
        re[k] = from[2 * k];
        im[k] = from[2 * k + 1];
    }
}

static void F(paired)(int64_t n, const REAL *restrict re, const REAL *restrict im, REAL *restrict to)
{
    for (int64_t k = 0; k < n; k++) {
        to[2 * k] = re[k];
        to[2 * k + 1] = im[k];
    }
}

void F(row)(const orr__fft *plan, const void *in, void *out, bool inverse, void *scratch)
{
    int64_t n = plan->n, l = plan->inner ? plan->inner->n : n;
    REAL *w = scratch, *a[2] = { w, w + l }, *b[2] = { w + 2 * l, w + 3 * l };
    F(apart)(n, in, a[inverse], a[!inverse]);
    REAL **r = plan->inner ? F(chirped)(plan, a, b) : F(stages)(plan, 1, a, b);
    F(paired)(n, r[inverse], r[!inverse], out);
}

/* -- many columns together ------------------------------------------------------------------------------------------ */

enum { F(TILE) = 8, F(HALVES) = 64 };

/* The numbers of G lanes times their powers, or times the conjugates, as pairs. */
static void F(powers)(const orr__fft *plan, int64_t first, bool conjugate, const REAL *restrict re,
                      const REAL *restrict im, REAL *restrict to)
{
    enum { G = F(LANES) };
    const REAL sign = conjugate ? -1 : 1;
    const orr__fft_powers *w = &plan->whole;
    const REAL *restrict lr = plan->lane, *restrict li = lr + plan->n * G;
    for (int64_t k = 0; k < plan->n; k++) {
        int64_t t = k * first, c = t >> w->bits, f = t & (((int64_t)1 << w->bits) - 1);
        const double *coarse = w->coarse + c, *fine = w->fine + f;
        double cr = coarse[0], ci = coarse[w->ncoarse], fr = fine[0], fi = fine[(int64_t)1 << w->bits];
        REAL br = (REAL)(cr * fr - ci * fi), bi = (REAL)(cr * fi + ci * fr);
        for (int g = 0; g < G; g++) {
            REAL wr = br * lr[k * G + g] - bi * li[k * G + g], u = re[k * G + g], v = im[k * G + g];
            REAL wi = sign * (br * li[k * G + g] + bi * lr[k * G + g]);
            to[2 * (k * G + g)] = u * wr - v * wi;
            to[2 * (k * G + g) + 1] = u * wi + v * wr;
        }
    }
}

void F(lanes)(const orr__fft *plan, const void *in, int64_t ld, int count, int64_t first, void *out, bool inverse,
              void *scratch)
{
    enum { G = F(LANES), T = F(TILE) };
    const int64_t n = plan->n;
    REAL *w = scratch, *a[2] = { w, w + n * G }, *b[2] = { w + 2 * n * G, w + 3 * n * G };
    REAL *restrict re = a[inverse], *restrict im = a[!inverse], *to = out;
    for (int64_t k = 0; k < n; k++) {
        const REAL *restrict from = (const REAL *)in + 2 * k * ld;
        if (count == G)
            F(apart)(G, from, re + k * G, im + k * G);
        else
            for (int g = 0; g < G; g++) {
                re[k * G + g] = g < count ? from[2 * g] : 0;
                im[k * G + g] = g < count ? from[2 * g + 1] : 0;
            }
    }
    REAL **r = F(stages)(plan, G, a, b), *pairs = r == a ? b[0] : a[0];
    re = r[inverse];
    im = r[!inverse];
    if (!plan->lane) {
        F(paired)(n * G, re, im, to);
        return;
    }
    F(powers)(plan, first, inverse, re, im, pairs);
    for (int64_t k = 0; k < n; k += T) /* a tile of points for each lane: whole cache lines */
        for (int64_t g = 0, most = n - k < T ? n - k : T; g < count; g += 4)
            if (most == T && g + 4 <= count)
                for (int64_t i = k; i < k + T; i += 4)
                    TURN_PAIRS(to + 2 * (g * n + i), n, pairs + 2 * (i * G + g), G);
            else
                for (int64_t h = g; h < g + 4 && h < count; h++)
                    for (int64_t i = k; i < k + most; i++)
                        memcpy(to + 2 * (h * n + i), pairs + 2 * (i * G + h), 2 * sizeof *to);
}

/* -- real numbers ------------------------------------------------------------------------------------------------------ */

/* E and O are the transforms of the even and odd numbers, X = E + w^k·O, and E + i·O is the transform of the pairs (H. V. Sorensen et al.,
 * "Real-valued fast Fourier transform algorithms", IEEE Trans. ASSP 35, 1987). */
void F(half)(const orr__fft_powers *whole, const void *in, void *out, int64_t lo, int64_t hi, bool inverse)
{
    const int64_t h = whole->n / 2, size = (int64_t)1 << whole->bits;
    const REAL *restrict x = in, half = (REAL)0.5;
    REAL *restrict y = out;
    if (lo == 0 && inverse) { /* the transform of real numbers is real there */
        y[0] = x[0] + x[2 * h];
        y[1] = x[0] - x[2 * h];
    } else if (lo == 0) {
        y[0] = x[0] + x[1];
        y[1] = 0;
    }
    if (hi > h && !inverse) {
        y[2 * h] = x[0] - x[1];
        y[2 * h + 1] = 0;
    }
    int64_t end = hi < h ? hi : h;
    for (int64_t k = lo > 1 ? lo : 1, next; k < end; k = next) {
        REAL wr[F(HALVES)], wi[F(HALVES)], br[F(HALVES)], bi[F(HALVES)];
        int64_t c = k >> whole->bits, first = c * size;
        double cr = whole->coarse[c], ci = whole->coarse[whole->ncoarse + c];
        const double *restrict fr = whole->fine + (k - first), *restrict fi = fr + size;
        next = first + size < end ? first + size : end;
        next = next - k > F(HALVES) ? k + F(HALVES) : next;
        int64_t n = next - k;
        for (int64_t i = 0; i < n; i++) {
            wr[i] = (REAL)(cr * fr[i] - ci * fi[i]);
            wi[i] = (REAL)(cr * fi[i] + ci * fr[i]);
        }
        for (int64_t i = 0; i < n; i++) {
            br[i] = x[2 * (h - k - i)];
            bi[i] = -x[2 * (h - k - i) + 1];
        }
        const REAL *restrict a = x + 2 * k;
        REAL *restrict z = y + 2 * k;
        if (inverse)
            for (int64_t i = 0; i < n; i++) {
                REAL ar = a[2 * i], ai = a[2 * i + 1], dr = ar - br[i], di = ai - bi[i];
                z[2 * i] = ar + br[i] - (wr[i] * di - wi[i] * dr);
                z[2 * i + 1] = ai + bi[i] + (wr[i] * dr + wi[i] * di);
            }
        else
            for (int64_t i = 0; i < n; i++) {
                REAL ar = a[2 * i], ai = a[2 * i + 1], dr = ar - br[i], di = ai - bi[i];
                z[2 * i] = half * (ar + br[i] + (wr[i] * di + wi[i] * dr));
                z[2 * i + 1] = half * (ai + bi[i] - (wr[i] * dr - wi[i] * di));
            }
    }
}

/* -- one factor for each number -------------------------------------------------------------------------------------------- */

void F(times)(const void *x, const void *w, int64_t apart, void *out, int64_t n, bool conjugate)
{
    const REAL *restrict from = x, *restrict re = w, *restrict im = re + apart, sign = conjugate ? -1 : 1;
    REAL *restrict to = out;
    for (int64_t k = 0; k < n; k++) {
        REAL u = from[2 * k], v = from[2 * k + 1], c = re[k], d = sign * im[k];
        to[2 * k] = u * c - v * d;
        to[2 * k + 1] = u * d + v * c;
    }
}

#undef STAGE_BEGIN
#undef LOOP
#undef RE
#undef IM
#undef PUT
#undef FOUR
