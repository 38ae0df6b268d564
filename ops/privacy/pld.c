/* The distribution of the privacy loss: discretised from above, composed by FFT.
 * Must not know: budgets, tensors.
 *
 * For neighbours with outcomes P and Q the loss is log(P/Q) under P, and δ(ε) = E[max(0, 1 − e^(ε − loss))]. A loss between
 * two points of a grid is divided between them so that its mass under P and under Q stays. This keeps δ at the points of the
 * grid and can only raise it between them ("connect the dots": Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022). Losses of
 * steps add, so their distributions convolve (Koskela, Jälkö, Honkela 2020). */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "ops/privacy/account.h"
#include "runtime/base/buffer.h"

enum { REMOVE, ADD, WAYS };
enum { LEAST_LOG2 = 17, MOST_LOG2 = 20 };

/* above[i], below[i]: mass under P, and under Q, of the losses (i − half)·h and larger. */
struct orr__pld {
    double h;
    int64_t n, half;
    double infinite[WAYS], *above[WAYS], *below[WAYS];
};

/* One step's distribution: x[2·(i mod n)] is the mass of loss i·h, −half ≤ i < half. */
typedef struct grid {
    double h, infinite, *x;
    int64_t n, half;
} grid;

static void put(grid *g, double loss, double mass)
{
    double cell = floor(loss / g->h);
    if (cell < (double)-g->half) {
        cell = (double)-g->half;
        loss = cell * g->h;
    }
    if (!(cell + 1.0 < (double)g->half)) {
        g->infinite += mass;
        return;
    }
    int64_t i = (int64_t)cell;
    double upper = mass * fmin(fmax(expm1(cell * g->h - loss) / expm1(-g->h), 0.0), 1.0);
    g->x[2 * ((i + g->n) % g->n)] += mass - upper;
    g->x[2 * ((i + 1 + g->n) % g->n)] += upper;
}

/* -- the sampled Gaussian: P = (1−q)·N(0, σ²) + q·N(1, σ²) and Q = N(0, σ²), or exchanged -- */

/* log(P/Q) at z, an increasing function; and its inverse. */
static double gaussian_loss(orr_dp_mechanism m, double z)
{
    double x = (2.0 * z - 1.0) / (2.0 * m.noise * m.noise);
    return m.q == 1.0 ? x : x > 30.0 ? log(m.q) + x + log1p((1.0 - m.q) / m.q * exp(-x)) : log1p(m.q * expm1(x));
}

static double gaussian_place(orr_dp_mechanism m, double loss)
{
    double s2 = m.noise * m.noise;
    if (m.q == 1.0)
        return s2 * loss + 0.5;
    double grown = loss > 30.0 ? INFINITY : expm1(loss) / m.q;
    return grown <= -1.0 ? -INFINITY : 0.5 + s2 * (isinf(grown) ? loss - log(m.q) : log1p(grown));
}

static double normal(double z)
{
    return 0.3989422804014327 * exp(-0.5 * z * z);
}

static double density(orr_dp_mechanism m, int way, double z)
{
    double d = normal(z / m.noise) / m.noise;
    return way == ADD ? d : (1.0 - m.q) * d + m.q * normal((z - 1.0) / m.noise) / m.noise;
}

/* Mass below z. */
static double lower_tail(orr_dp_mechanism m, int way, double z)
{
    double t = 0.5 * erfc(-z / m.noise * M_SQRT1_2);
    return way == ADD ? t : (1.0 - m.q) * t + m.q * 0.5 * erfc(-(z - 1.0) / m.noise * M_SQRT1_2);
}

static double upper_tail(orr_dp_mechanism m, int way, double z)
{
    double t = 0.5 * erfc(z / m.noise * M_SQRT1_2);
    return way == ADD ? t : (1.0 - m.q) * t + m.q * 0.5 * erfc((z - 1.0) / m.noise * M_SQRT1_2);
}

/* Panels end at the edges of the grid's cells and are short compared with σ, so that three Gauss points are exact up
 * to rounding. */
static void put_gaussian(grid *g, orr_dp_mechanism m, int way)
{
    static const double node[3] = { -0.7745966692414834, 0.0, 0.7745966692414834 };
    static const double weight[3] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };
    double most = (double)g->half * g->h, sign = way == ADD ? -1.0 : 1.0;
    double lo = fmax(-12.0 * m.noise, gaussian_place(m, -most)),
           hi = fmin(1.0 + 12.0 * m.noise, gaussian_place(m, most));
    double cell = floor(gaussian_loss(m, lo) / g->h);
    for (double z = lo; z < hi;) {
        double edge = gaussian_place(m, (cell + 1.0) * g->h), end = fmin(fmin(edge, z + m.noise / 16.0), hi);
        cell += edge <= end;
        double mid = 0.5 * (z + end), wide = 0.5 * (end - z);
        for (int k = 0; k < 3 && wide > 0.0; k++) {
            double at = mid + wide * node[k];
            put(g, sign * gaussian_loss(m, at), 2.0 * wide * weight[k] * density(m, way, at));
        }
        z = fmax(end, z);
    }
    /* The mass outside is assigned the largest loss that it can have. */
    if (way == REMOVE) {
        put(g, gaussian_loss(m, lo), lower_tail(m, way, lo));
        g->infinite += upper_tail(m, way, hi);
    } else {
        put(g, m.q == 1.0 ? INFINITY : -log1p(-m.q), lower_tail(m, way, lo));
        put(g, -gaussian_loss(m, hi), upper_tail(m, way, hi));
    }
}

/* -- mechanisms with bounded losses: a loss x becomes log(1 + q(e^x − 1)) in a sample -- */

static double sampled_loss(double q, double x)
{
    return q == 1.0 ? x : log1p(q * expm1(x));
}

static double whole_loss(double q, double loss)
{
    return q == 1.0 ? loss : log1p(expm1(loss) / q);
}

/* Adds a set on which the loss of the mechanism without sampling is x, of mass p under P and p·e^(−x) under Q. */
static void put_sampled(grid *g, double q, int way, double x, double p)
{
    double other = p * exp(-x), loss = sampled_loss(q, x);
    put(g, way == ADD ? -loss : loss, way == ADD ? other : (1.0 - q) * other + q * p);
}

static void put_pure(grid *g, orr_dp_mechanism m, int way)
{
    double keep = 1.0 / (1.0 + exp(-m.noise));
    put_sampled(g, m.q, way, m.noise, keep);
    put_sampled(g, m.q, way, -m.noise, keep * exp(-m.noise));
}

/* P = Lap(0, b), Q = Lap(1, b): loss 1/b left of 0, −1/b right of 1, and (1 − 2z)/b between, where P has density
 * e^(−z/b)/(2b). */
static void put_laplace(grid *g, orr_dp_mechanism m, int way)
{
    static const double node[3] = { -0.7745966692414834, 0.0, 0.7745966692414834 };
    static const double weight[3] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };
    double b = m.noise, most = 1.0 / b;
    put_sampled(g, m.q, way, most, 0.5);
    put_sampled(g, m.q, way, -most, 0.5 * exp(-most));
    double last = sampled_loss(m.q, most), x = -most, loss = sampled_loss(m.q, -most);
    for (double cell = floor(loss / g->h); x < most; cell++) {
        double to = (cell + 1.0) * g->h;
        double stop = to >= last ? most : whole_loss(m.q, to);
        while (x < stop) {
            double end = fmin(stop, x + 1.0 / 16.0), mid = 0.5 * (x + end), wide = 0.5 * (end - x);
            for (int k = 0; k < 3; k++) {
                double at = mid + wide * node[k], z = 0.5 * (1.0 - at * b);
                put_sampled(g, m.q, way, at, 2.0 * wide * weight[k] * 0.25 * exp(-z / b));
            }
            x = end;
        }
    }
}

static void put_mechanism(grid *g, orr_dp_mechanism m, int way)
{
    if (m.kind == ORR_DP_GAUSSIAN)
        put_gaussian(g, m, way);
    else if (m.kind == ORR_DP_LAPLACE)
        put_laplace(g, m, way);
    else
        put_pure(g, m, way);
}

/* -- composition ------------------------------------------------------------------------------------------- */

/* x^times for one complex number. */
static void power(double *x, int64_t times)
{
    double re = 1.0, im = 0.0, a = x[0], b = x[1];
    for (; times; times >>= 1) {
        double t = re;
        if (times & 1) {
            re = re * a - im * b;
            im = t * b + im * a;
        }
        t = a;
        a = a * a - b * b;
        b = 2.0 * t * b;
    }
    x[0] = re;
    x[1] = im;
}

/* A loss whose magnitude all steps together exceed with probability at most `tail`: Chernoff's bound by the divergences. */
static double widest(const orr__dp_use *use, int n, double tail)
{
    double order[ORR__DP_ORDERS], best = INFINITY;
    int orders = orr_dp_orders(order, ORR__DP_ORDERS);
    for (int i = 0; i < orders; i++) {
        double sum = -log(tail) / (order[i] - 1.0);
        for (int k = 0; k < n; k++)
            sum += (double)use[k].times * orr__dp_rdp(use[k].m, order[i]);
        best = fmin(best, sum);
    }
    return best;
}

/* Rounding to the grid adds at most h²/4 to the variance of a step's loss, which is about twice its divergence near order 1. */
static int log2_of(const orr__dp_use *use, int n, double range)
{
    int k = LEAST_LOG2;
    for (int i = 0; i < n; i++) {
        double variance = 2.0 * orr__dp_rdp(use[i].m, 1.1) / 1.1;
        while (k < MOST_LOG2 && pow(2.0 * range / (double)(1 << k), 2.0) > 1e-3 * variance)
            k++;
    }
    return k;
}

/* Suffix sums, from which δ(ε) follows. */
static void sum_up(orr__pld *p, int way, const double *x)
{
    double above = 0.0, below = 0.0;
    for (int64_t i = p->n - 1; i >= 0; i--) {
        int64_t cell = i - p->half;
        double mass = fmax(x[2 * ((cell + p->n) % p->n)] / (double)p->n, 0.0);
        above += mass;
        below += mass * exp(-(double)cell * p->h);
        p->above[way][i] = above;
        p->below[way][i] = below;
    }
}

static bool compose(orr__pld *p, const orr__dp_use *use, int n, const double *root)
{
    double *all = orr__alloc_n((size_t)p->n, 2 * sizeof *all), *one = orr__alloc_n((size_t)p->n, 2 * sizeof *one);
    for (int way = 0; all && one && way < WAYS; way++) {
        for (int64_t i = 0; i < p->n; i++) {
            all[2 * i] = 1.0;
            all[2 * i + 1] = 0.0;
        }
        for (int k = 0; k < n; k++) {
            grid g = { .h = p->h, .n = p->n, .half = p->half, .x = one };
            for (int64_t i = 0; i < 2 * p->n; i++)
                one[i] = 0.0;
            put_mechanism(&g, use[k].m, way);
            p->infinite[way] += (double)use[k].times * g.infinite;
            orr__fft(one, p->n, root, false);
            for (int64_t i = 0; i < p->n; i++) {
                double *a = &all[2 * i], *b = &one[2 * i], re = a[0];
                power(b, use[k].times);
                a[0] = re * b[0] - a[1] * b[1];
                a[1] = re * b[1] + a[1] * b[0];
            }
        }
        orr__fft(all, p->n, root, true);
        sum_up(p, way, all);
    }
    bool ok = all && one;
    free(one);
    free(all);
    return ok;
}

orr__pld *orr__pld_new(const orr__dp_use *use, int n, double floor)
{
    double tail = 1e-6 * floor, range = widest(use, n, tail);
    orr__pld *p = orr__alloc(sizeof *p);
    if (!p)
        return NULL;
    p->n = (int64_t)1 << log2_of(use, n, range);
    p->half = p->n / 2;
    p->h = range / (double)p->half;
    double *root = orr__alloc_n((size_t)p->n, sizeof *root);
    bool ok = root != NULL;
    for (int way = 0; way < WAYS; way++) {
        p->infinite[way] = tail; /* mass that may wrap around at the ends */
        p->above[way] = orr__alloc_n((size_t)p->n, sizeof(double));
        p->below[way] = orr__alloc_n((size_t)p->n, sizeof(double));
        ok = ok && p->above[way] && p->below[way];
    }
    if (ok) {
        orr__fft_roots(root, p->n);
        ok = compose(p, use, n, root);
    }
    free(root);
    if (ok)
        return p;
    orr__pld_free(p);
    return NULL;
}

void orr__pld_free(orr__pld *p)
{
    for (int way = 0; p && way < WAYS; way++) {
        free(p->above[way]);
        free(p->below[way]);
    }
    free(p);
}

double orr__pld_delta(const orr__pld *p, double epsilon)
{
    double worst = 0.0;
    for (int way = 0; way < WAYS; way++) {
        double cell = floor(epsilon / p->h) + 1.0 + (double)p->half, d = p->infinite[way];
        if (cell < (double)p->n)
            d += fmax(p->above[way][(int64_t)cell] - exp(epsilon) * p->below[way][(int64_t)cell], 0.0);
        worst = fmax(worst, d);
    }
    return fmin(worst, 1.0);
}

/* δ decreases with ε; in a cell it is above − e^ε·below. */
double orr__pld_epsilon(const orr__pld *p, double delta)
{
    double worst = 0.0;
    for (int way = 0; way < WAYS; way++) {
        double left = delta - p->infinite[way];
        if (left <= 0.0)
            return INFINITY;
        int64_t lo = p->half, hi = p->n; /* the first cell at which δ is small enough */
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            double at = (double)(mid - p->half) * p->h;
            if (p->above[way][mid] - exp(at) * p->below[way][mid] <= left)
                hi = mid;
            else
                lo = mid + 1;
        }
        if (lo == p->half && p->above[way][lo] - p->below[way][lo] <= left)
            continue;
        int64_t cell = lo < p->n ? lo : p->n - 1;
        worst = fmax(worst, log((p->above[way][cell] - left) / p->below[way][cell]));
    }
    return worst;
}
