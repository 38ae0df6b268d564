/* Draws programs of the random families, as text.
 * Must not know: the sides that compute them, time. */
#include "config.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/random.h"

enum { MOST_VALUES = 512, MOST_RANK = 4 };

typedef struct shape {
    int rank;
    int64_t n[MOST_RANK];
} shape;

typedef struct draw {
    uint64_t state;
    const char *dtype;
    double bytes; /* of the largest array */
    char *text;
    size_t length, capacity;
    bool failed;
    int values;
    shape shape[MOST_VALUES];
} draw;

/* -- chance ---------------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t bits(draw *d)
{
    uint64_t z = d->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double uniform(draw *d, double lo, double hi)
{
    return lo + (hi - lo) * (double)(bits(d) >> 11) * 0x1p-53;
}

static int64_t between(draw *d, int64_t lo, int64_t hi) /* both ends included */
{
    return hi <= lo ? lo : lo + (int64_t)(bits(d) % (uint64_t)(hi - lo + 1));
}

static bool chance(draw *d, double p)
{
    return uniform(d, 0.0, 1.0) < p;
}

/* A length between lo and hi, uniform in its logarithm; half of the lengths are odd, some are powers of two. */
static int64_t length(draw *d, double lo, double hi)
{
    if (!(hi > lo))
        return lo < 1.0 ? 1 : (int64_t)lo;
    double x = exp(uniform(d, log(lo), log(hi)));
    if (chance(d, 0.25))
        x = exp2(floor(log2(x)));
    int64_t n = (int64_t)x;
    if (chance(d, 0.5))
        n |= 1;
    return n < 1 ? 1 : n;
}

/* -- text ------------------------------------------------------------------------------------------------ */

static void say(draw *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void vsay(draw *d, const char *format, va_list arg)
{
    va_list again;
    va_copy(again, arg);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (d->length + (size_t)n + 2 > d->capacity) {
        size_t capacity = 2 * d->capacity + (size_t)n + 256;
        char *more = realloc(d->text, capacity);
        d->failed |= !more;
        if (!more)
            return;
        d->text = more;
        d->capacity = capacity;
    }
    d->length += (size_t)vsnprintf(d->text + d->length, d->capacity - d->length, format, arg);
}

static void say(draw *d, const char *format, ...)
{
    va_list arg;
    va_start(arg, format);
    vsay(d, format, arg);
    va_end(arg);
}

/* Adds a new value of this shape; the format is the text after its name. */
static int put(draw *d, shape s, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int put(draw *d, shape s, const char *format, ...)
{
    va_list arg;
    int v = d->values < MOST_VALUES ? d->values++ : MOST_VALUES - 1;
    d->shape[v] = s;
    say(d, "t%d ", v);
    va_start(arg, format);
    vsay(d, format, arg);
    va_end(arg);
    say(d, "\n");
    return v;
}

#define SHAPE(...) ((shape){ (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), { __VA_ARGS__ } })

static const char *list(shape s, char to[96])
{
    size_t n = 0;
    for (int i = 0; i < s.rank; i++)
        n += (size_t)snprintf(to + n, 96 - n, "%s%lld", i ? "," : "", (long long)s.n[i]);
    return to;
}

static double size_of(const char *dtype)
{
    return !strcmp(dtype, "f64") ? 8 : !strcmp(dtype, "bf16") || !strcmp(dtype, "f16") ? 2 : 4;
}

static int input_of(draw *d, const char *dtype, shape s, double lo, double hi)
{
    char buf[96];
    return put(d, s, "input %s %s %g %g", dtype, list(s, buf), lo, hi);
}

static int input(draw *d, shape s)
{
    return input_of(d, d->dtype, s, -2, 2);
}

/* -- shapes and pieces ----------------------------------------------------------------------------------- */

static bool integers(const draw *d)
{
    return d->dtype[0] == 'i';
}

static double elements(const draw *d)
{
    return d->bytes / size_of(d->dtype);
}

/* A shape (m, n) of about `size` elements: short rows, long ones, or nearly square. */
static shape matrix(draw *d, double size)
{
    double kind = uniform(d, 0, 1);
    int64_t n = kind < 0.25  ? length(d, 2, 48)
                : kind < 0.5 ? length(d, fmin(4096, sqrt(size)), fmax(fmin(4096, sqrt(size)) + 1, size / 8))
                             : length(d, sqrt(size) / 8 + 1, sqrt(size) * 8 + 2);
    int64_t m = (int64_t)(size / (double)n);
    if (m > 2 && chance(d, 0.5))
        m |= 1;
    return SHAPE(m < 2 ? 2 : m, n);
}

static shape any_shape(draw *d)
{
    double size = elements(d), kind = uniform(d, 0, 1);
    if (kind < 0.3)
        return SHAPE(length(d, size * 0.7, size));
    if (kind < 0.75)
        return matrix(d, size);
    int64_t k = length(d, 2, 64);
    shape s = matrix(d, size / (double)k);
    return chance(d, 0.5) ? SHAPE(k, s.n[0], s.n[1]) : SHAPE(s.n[0], k, s.n[1]);
}

/* A number that every float dtype holds exactly. */
static double number(draw *d)
{
    double x = (double)between(d, -12, 12) / 8;
    return fabs(x) < 0.1 ? 0.75 : x;
}

/* C does not fix the order in which arguments are evaluated, and each draw advances the generator: one call never
 * has two draws. */

/* Applies one more element-wise operation to t; `other` broadcasts to t's shape. Values stay of the order of 1. */
static int step(draw *d, int t, int other)
{
    shape s = d->shape[t];
    int u;
    if (integers(d))
        switch (between(d, 0, 6)) {
        case 0: return put(d, s, "add t%d t%d", t, other);
        case 1: return put(d, s, "sub t%d %lld", t, (long long)between(d, -9, 9));
        case 2: return put(d, s, "mul t%d %lld", t, (long long)between(d, -3, 3));
        case 3: return put(d, s, "maximum t%d t%d", t, other);
        case 4: return put(d, s, "minimum t%d %lld", t, (long long)between(d, 3, 99));
        case 5: return put(d, s, "abs t%d", t);
        default: return put(d, s, "neg t%d", t);
        }
    switch (between(d, 0, 19)) {
    case 0: return put(d, s, "mul t%d %g", t, number(d));
    case 1: return put(d, s, "add t%d %g", t, number(d));
    case 2:
    case 3: return put(d, s, "add t%d t%d", t, other);
    case 4: return put(d, s, "sub t%d t%d", t, other);
    case 5: u = put(d, s, "sigmoid t%d", t); return put(d, s, "mul t%d t%d", u, other);
    case 6: return put(d, s, "maximum t%d %g", t, number(d));
    case 7: return put(d, s, "minimum t%d t%d", t, other);
    case 8: return put(d, s, "abs t%d", t);
    case 9: u = put(d, s, "tanh t%d", t); return put(d, s, "mul t%d t%d", t, u);
    case 10: return put(d, s, "sin t%d", t);
    case 11: return put(d, s, "cos t%d", t);
    case 12:
        u = put(d, s, "abs t%d", t);
        u = put(d, s, "neg t%d", u);
        return put(d, s, "exp t%d", u);
    case 13: u = put(d, s, "abs t%d", t); return put(d, s, "log1p t%d", u);
    case 14:
        u = put(d, s, "abs t%d", t);
        u = put(d, s, "add t%d 0.5", u);
        return put(d, s, "sqrt t%d", u);
    case 15:
        u = put(d, s, "square t%d", t);
        u = put(d, s, "add t%d 1", u);
        return put(d, s, "div t%d t%d", t, u);
    case 16: return put(d, s, "silu t%d", t);
    case 17: return put(d, s, "relu t%d", t);
    case 18: return put(d, s, "gelu t%d", t);
    default: return put(d, s, "tanh t%d", t);
    }
}

static int steps(draw *d, int t, int other, int n)
{
    for (int i = 0; i < n; i++)
        t = step(d, t, chance(d, 0.3) ? t : other);
    return t;
}

static int some_steps(draw *d, int t, int most)
{
    return steps(d, t, t, (int)between(d, 0, most));
}

static int other_input(draw *d, shape s);

/* One to `most` steps, with another input. */
static int steps_with_another(draw *d, int t, int most)
{
    int other = other_input(d, d->shape[t]);
    return steps(d, t, other, (int)between(d, 1, most));
}

/* An input that broadcasts to s: of its shape, or with some axes of length 1. */
static int other_input(draw *d, shape s)
{
    if (chance(d, 0.5))
        for (int i = 0; i < s.rank; i++)
            if (chance(d, 0.5))
                s.n[i] = 1;
    return input(d, s);
}

static const char *const reductions[] = { "mean", "max", "min", "std", "var", "mean", "logsumexp", "sum" };

/* Reduces t along an axis; sums are scaled to the order of 1. */
static int reduce(draw *d, int t, int axis, bool keep)
{
    shape s = d->shape[t], r = s;
    int64_t n = s.n[axis];
    if (keep)
        r.n[axis] = 1;
    else {
        for (int i = axis; i + 1 < s.rank; i++)
            r.n[i] = s.n[i + 1];
        r.rank--;
    }
    const char *how = reductions[between(d, 0, (int64_t)(sizeof reductions / sizeof *reductions) - 1)];
    if (strcmp(how, "sum") != 0)
        return put(d, r, "%s t%d %d %d", how, t, axis, keep);
    int u = put(d, s, "mul t%d %.3g", t, 1.0 / sqrt((double)n));
    return put(d, r, "sum t%d %d %d", u, axis, keep);
}

static int slice(draw *d, int t, const int64_t *from, const int64_t *to, const int64_t *by)
{
    shape s = d->shape[t], a = s, b = s, c = s, r = s;
    char x[96], y[96], z[96];
    for (int i = 0; i < s.rank; i++) {
        a.n[i] = from[i];
        b.n[i] = to[i];
        c.n[i] = by ? by[i] : 1;
        r.n[i] = (b.n[i] - a.n[i] + c.n[i] - 1) / c.n[i];
    }
    return put(d, r, "slice t%d %s %s %s", t, list(a, x), list(b, y), list(c, z));
}

static int pad(draw *d, int t, int64_t by, double value)
{
    shape s = d->shape[t], lo = s;
    char x[96];
    for (int i = 0; i < s.rank; i++) {
        lo.n[i] = by;
        s.n[i] += 2 * by;
    }
    return put(d, s, "pad t%d %s %s %g", t, list(lo, x), list(lo, (char[96]){ 0 }), value);
}

/* -- families -------------------------------------------------------------------------------------------- */

static void chain(draw *d)
{
    shape s = any_shape(d);
    int x = input(d, s), y = other_input(d, s);
    say(d, "out t%d\n", steps(d, x, y, (int)between(d, 3, 24)));
}

static int softmax_or_norm(draw *d, int t, int axis)
{
    shape s = d->shape[t];
    double kind = uniform(d, 0, 1);
    if (kind < 0.25)
        return put(d, s, "%s t%d %d", chance(d, 0.5) ? "softmax" : "log_softmax", t, axis);
    shape one = s, gain = s;
    one.n[axis] = 1;
    for (int i = 0; i < s.rank; i++)
        gain.n[i] = i == axis ? s.n[i] : 1;
    if (kind < 0.75) { /* standardised */
        int mean = put(d, one, "mean t%d %d 1", t, axis), var = put(d, one, "var t%d %d 1", t, axis);
        int c = put(d, s, "sub t%d t%d", t, mean);
        int e = put(d, one, "add t%d 0.01", var);
        int root = put(d, one, "sqrt t%d", e);
        int y = put(d, s, "div t%d t%d", c, root);
        if (chance(d, 0.5))
            return y;
        y = put(d, s, "mul t%d t%d", y, input(d, gain));
        return put(d, s, "add t%d t%d", y, input(d, gain));
    }
    int r = reduce(d, t, axis, true);
    return step(d, t, r);
}

static void along(draw *d, int axis)
{
    shape s = matrix(d, elements(d));
    int t = input(d, s);
    t = some_steps(d, t, 4);
    if (chance(d, 0.6)) {
        t = softmax_or_norm(d, t, axis);
        t = some_steps(d, t, 4);
    }
    if (chance(d, 0.5))
        t = some_steps(d, reduce(d, t, axis, false), 3);
    say(d, "out t%d\n", t);
}

static void rows(draw *d)
{
    along(d, 1);
}

static void columns(draw *d)
{
    along(d, 0);
}

static void mixed(draw *d)
{
    if (chance(d, 0.5)) { /* both axes of a matrix */
        shape s = matrix(d, elements(d));
        int t = some_steps(d, input(d, s), 3);
        int r = reduce(d, t, 1, true), c = reduce(d, t, 0, true);
        if (chance(d, 0.5)) {
            int u = put(d, s, "sub t%d t%d", t, r);
            u = put(d, s, "sub t%d t%d", u, c);
            say(d, "out t%d\n", some_steps(d, u, 3));
        } else
            say(d, "out t%d t%d t%d\n", r, c, put(d, (shape){ 0 }, "mean t%d 0,1 0", t));
        return;
    }
    int64_t k = length(d, 2, 96);
    shape m = matrix(d, elements(d) / (double)k);
    shape s = chance(d, 0.5) ? SHAPE(m.n[0], k, m.n[1]) : SHAPE(k, m.n[0], m.n[1]);
    int t = some_steps(d, input(d, s), 3);
    switch (between(d, 0, 2)) {
    case 0: t = put(d, SHAPE(s.n[1]), "mean t%d 0,2 0", t); break;
    case 1: t = reduce(d, t, 1, false); break;
    default: t = put(d, SHAPE(1, s.n[1], 1), "max t%d 0,2 1", t); t = put(d, s, "sub t%d t%d", input(d, s), t);
    }
    say(d, "out t%d\n", some_steps(d, t, 3));
}

static void views(draw *d)
{
    double size = elements(d);
    if (chance(d, 0.4)) { /* transposes */
        shape s = matrix(d, size), r = SHAPE(s.n[1], s.n[0]);
        int t = some_steps(d, input(d, s), 3);
        t = put(d, r, "permute t%d 1,0", t);
        t = steps_with_another(d, t, 4);
        if (chance(d, 0.3) && !integers(d))
            t = reduce(d, t, (int)between(d, 0, 1), false);
        say(d, "out t%d\n", t);
        return;
    }
    int64_t k = length(d, 2, 64);
    shape m = matrix(d, size / (double)k), s = SHAPE(m.n[0], k, m.n[1]), r;
    static const int order[5][3] = { { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int t = some_steps(d, input(d, s), 2);
    if (chance(d, 0.5)) {
        int64_t from[3], to[3], by[3];
        for (int i = 0; i < 3; i++) {
            from[i] = between(d, 0, s.n[i] / 4);
            to[i] = s.n[i] - between(d, 0, s.n[i] / 4);
            by[i] = chance(d, 0.7) ? 1 : 2;
        }
        t = slice(d, t, from, to, by);
        s = d->shape[t];
    }
    const int *p = order[between(d, 0, 4)];
    r = SHAPE(s.n[p[0]], s.n[p[1]], s.n[p[2]]);
    t = put(d, r, "permute t%d %d,%d,%d", t, p[0], p[1], p[2]);
    if (chance(d, 0.3))
        t = put(d, r, "flip t%d %lld", t, (long long)between(d, 0, 2));
    t = steps_with_another(d, t, 5);
    if (chance(d, 0.3)) {
        char buf[96];
        shape f = SHAPE(r.n[0] * r.n[1], r.n[2]);
        t = put(d, f, "reshape t%d %s", t, list(f, buf));
        t = some_steps(d, t, 2);
    }
    say(d, "out t%d\n", t);
}

/* A weighted sum of t's neighbours, of t's shape with `border`, else smaller by the radius on each side. */
static int stencil(draw *d, int t, int radius, bool border)
{
    shape s = d->shape[t];
    int64_t from[MOST_RANK], to[MOST_RANK];
    int sum = -1, p = border ? pad(d, t, radius, chance(d, 0.5) ? 0.0 : 0.5) : t;
    shape whole = d->shape[p];
    bool box = s.rank < 3 && chance(d, 0.3), squares = chance(d, 0.2);
    int total = 1, width = 2 * radius + 1;
    for (int i = 0; i < s.rank; i++)
        total *= width;
    for (int place = 0; place < total; place++) {
        int rest = place, off[MOST_RANK], away = 0;
        for (int i = 0; i < s.rank; i++, rest /= width) {
            off[i] = rest % width;
            away += off[i] != radius;
        }
        if (!box && away > 1)
            continue;
        for (int i = 0; i < s.rank; i++) {
            from[i] = off[i];
            to[i] = whole.n[i] - 2 * radius + off[i];
        }
        int u = slice(d, p, from, to, NULL);
        shape r = d->shape[u];
        u = squares && away ? put(d, r, "square t%d", u) : put(d, r, "mul t%d %g", u, number(d) / (box ? 9 : 4));
        sum = sum < 0 ? u : put(d, r, "add t%d t%d", sum, u);
    }
    shape r = d->shape[sum];
    return squares ? put(d, r, "sqrt t%d", put(d, r, "abs t%d", sum)) : sum;
}

static void stencils(draw *d)
{
    double size = elements(d), kind = uniform(d, 0, 1);
    shape s;
    if (kind < 0.2)
        s = SHAPE(length(d, size / 2, size));
    else if (kind < 0.85) {
        int64_t n = length(d, fmin(16, sqrt(size)) + 1, fmax(17, fmin(size / 16, 16 * sqrt(size))));
        s = SHAPE((int64_t)fmax(8, size / (double)n), n < 8 ? 8 : n);
    } else {
        int64_t k = (int64_t)fmax(8, cbrt(size));
        s = SHAPE(k, k | 1, k);
    }
    int t = some_steps(d, input(d, s), 2);
    int n = chance(d, 0.4) ? 2 : 1;
    bool border = chance(d, 0.6);
    for (int i = 0; i < n; i++) {
        t = stencil(d, t, s.rank < 3 && chance(d, 0.25) ? 2 : 1, border);
        t = some_steps(d, t, 2);
    }
    say(d, "out t%d\n", t);
}

static void pairs(draw *d)
{
    double most = fmin(elements(d), 4e6);
    int64_t n = length(d, fmax(8, sqrt(most) / 4), sqrt(most) * 4 + 9), m = (int64_t)fmax(4, most / (double)n);
    int64_t k = length(d, 2, 9);
    bool same = chance(d, 0.4);
    if (same)
        m = n = (int64_t)fmax(8, sqrt(most));
    shape big = SHAPE(n, m);
    int a = input(d, SHAPE(n, k)), b = same ? a : input(d, SHAPE(m, k)), d2;
    if (chance(d, 0.5)) { /* one coordinate at a time, as in forces */
        d2 = -1;
        int64_t dims = k < 4 ? k : 3;
        for (int64_t c = 0; c < dims; c++) {
            int x = slice(d, a, (int64_t[]){ 0, c }, (int64_t[]){ n, c + 1 }, NULL);
            int y = slice(d, b, (int64_t[]){ 0, c }, (int64_t[]){ m, c + 1 }, NULL);
            y = put(d, SHAPE(1, m), "permute t%d 1,0", y);
            int u = put(d, big, "sub t%d t%d", x, y);
            u = put(d, big, "square t%d", u);
            d2 = d2 < 0 ? u : put(d, big, "add t%d t%d", d2, u);
        }
    } else {
        int x = put(d, SHAPE(n, 1, k), "reshape t%d %lld,1,%lld", a, (long long)n, (long long)k);
        int y = put(d, SHAPE(1, m, k), "reshape t%d 1,%lld,%lld", b, (long long)m, (long long)k);
        int u = put(d, SHAPE(n, m, k), "sub t%d t%d", x, y);
        u = chance(d, 0.7) ? put(d, SHAPE(n, m, k), "square t%d", u) : put(d, SHAPE(n, m, k), "abs t%d", u);
        d2 = put(d, big, "sum t%d 2 0", u);
    }
    int f;
    switch (between(d, 0, 3)) {
    case 0: f = put(d, big, "exp t%d", put(d, big, "mul t%d -0.5", d2)); break;
    case 1: f = put(d, big, "sqrt t%d", put(d, big, "add t%d 0.0625", d2)); break;
    case 2: f = put(d, big, "reciprocal t%d", put(d, big, "add t%d 0.5", d2)); break;
    default: f = d2;
    }
    if (chance(d, 0.3)) {
        int w = input(d, SHAPE(1, m));
        f = put(d, big, "mul t%d t%d", f, w);
    }
    const char *how = chance(d, 0.6) ? "mean" : chance(d, 0.5) ? "min" : "max";
    say(d, "out t%d\n", put(d, SHAPE(n), "%s t%d 1 0", how, f));
}

static void gather(draw *d)
{
    shape s = matrix(d, elements(d));
    int64_t n = s.n[0], m = s.n[1], k = length(d, fmax(2, (double)n / 4), (double)n * 1.5 + 3);
    int x = input(d, s);
    int i = put(d, SHAPE(k), "index %lld %lld", (long long)k, (long long)n), t;
    shape r = SHAPE(k, m);
    switch (between(d, 0, 3)) {
    case 0: /* rows, and a chain or a reduction of them */
        t = steps_with_another(d, put(d, r, "take t%d t%d 0", x, i), 5);
        if (chance(d, 0.5))
            t = reduce(d, t, 1, false);
        break;
    case 1: { /* columns */
        int64_t c = length(d, 1, (double)m + 1);
        int j = put(d, SHAPE(c), "index %lld %lld", (long long)c, (long long)m);
        t = some_steps(d, put(d, SHAPE(n, c), "take t%d t%d 1", x, j), 4);
        break;
    }
    case 2: { /* rows added to other rows */
        int u = some_steps(d, input(d, r), 3);
        t = some_steps(d, put(d, s, "scatter_add t%d t%d t%d 0", x, i, u), 3);
        break;
    }
    default: { /* messages along the edges of a graph */
        int j = put(d, SHAPE(k), "index %lld %lld", (long long)k, (long long)n);
        int u = put(d, r, "take t%d t%d 0", x, i), v = put(d, r, "take t%d t%d 0", x, j);
        u = some_steps(d, put(d, r, "sub t%d t%d", u, v), 3);
        t = put(d, s, "scatter_add t%d t%d t%d 0", x, j, u);
    }
    }
    say(d, "out t%d\n", t);
}

static int scaled_product(draw *d, int a, int b, shape r, int64_t k)
{
    int t = put(d, r, "matmul t%d t%d", a, b);
    return put(d, r, "mul t%d %.3g", t, 1.0 / sqrt((double)k));
}

static void products(draw *d)
{
    double limit = fmin(1200, 8 + sqrt(elements(d)));
    int64_t m = length(d, 4, limit * 2), k = length(d, 8, limit), n = length(d, 4, limit);
    int a = some_steps(d, input(d, SHAPE(m, k)), 3), b, t;
    if (chance(d, 0.5))
        b = put(d, SHAPE(k, n), "permute t%d 1,0", input(d, SHAPE(n, k)));
    else
        b = some_steps(d, input(d, SHAPE(k, n)), 2);
    shape r = SHAPE(m, n);
    t = scaled_product(d, a, b, r, k);
    t = put(d, r, "add t%d t%d", t, input(d, SHAPE(1, n)));
    t = some_steps(d, t, 4);
    if (chance(d, 0.3))
        t = put(d, r, "softmax t%d 1", t);
    else if (chance(d, 0.3))
        t = reduce(d, t, (int)between(d, 0, 1), false);
    say(d, "out t%d\n", t);
}

static void batched(draw *d)
{
    double size = fmin(elements(d), 4e6);
    int64_t m = length(d, 2, 64), k = length(d, 2, 64), n = length(d, 2, 64);
    int64_t most = m * k > k * n ? m * k : k * n, b = (int64_t)(size / (double)(most > m * n ? most : m * n));
    b = b < 2 ? 2 : b > 20000 ? 20000 : b;
    int x = some_steps(d, input(d, SHAPE(b, m, k)), 2), t;
    if (chance(d, 0.4)) { /* attention without its projections */
        int y = input(d, SHAPE(b, n, k)), v = input(d, SHAPE(b, n, k));
        t = scaled_product(d, x, put(d, SHAPE(b, k, n), "permute t%d 0,2,1", y), SHAPE(b, m, n), k);
        t = put(d, SHAPE(b, m, n), "softmax t%d 2", t);
        t = put(d, SHAPE(b, m, k), "matmul t%d t%d", t, v);
    } else {
        t = scaled_product(d, x, input(d, chance(d, 0.7) ? SHAPE(b, k, n) : SHAPE(1, k, n)), SHAPE(b, m, n), k);
        t = some_steps(d, t, 3);
    }
    say(d, "out t%d\n", t);
}

/* A condition on inputs and exact numbers only, so that rounding cannot change it. */
static int condition(draw *d, int x, int y)
{
    static const char *const compare[] = { "less", "greater", "less_equal", "greater_equal" };
    const char *how = compare[between(d, 0, 3)];
    shape s = d->shape[x];
    return chance(d, 0.5) ? put(d, s, "%s t%d t%d", how, x, y)
                          : put(d, s, "%s t%d %g", how, x, integers(d) ? (double)between(d, -1, 1) : number(d));
}

static void masks(draw *d)
{
    shape s = matrix(d, elements(d));
    int x = input(d, s), y = other_input(d, s), c = condition(d, x, y), t;
    if (chance(d, 0.5)) {
        int e = condition(d, x, y);
        c = put(d, s, "%s t%d t%d", chance(d, 0.5) ? "logical_and" : "logical_or", c, e);
    }
    int u = some_steps(d, x, 3), axis = (int)between(d, 0, 1);
    shape r = SHAPE(s.n[!axis]);
    switch (integers(d) ? 0 : between(d, 0, 4)) {
    case 0: t = some_steps(d, put(d, s, "where t%d t%d t%d", c, u, y), 3); break;
    case 1: { /* the mean of the chosen elements */
        const char *wide = strcmp(d->dtype, "f64") == 0 ? "f64" : "f32";
        int v = put(d, s, "where t%d t%d 0", c, u), w = put(d, s, "cast t%d %s", c, wide);
        v = put(d, s, "cast t%d %s", v, wide);
        v = put(d, r, "mean t%d %d 0", v, axis);
        w = put(d, r, "mean t%d %d 0", w, axis);
        t = put(d, r, "div t%d t%d", v, put(d, r, "add t%d 0.125", w));
        break;
    }
    case 2: /* a triangle, as in causal attention */
        t = put(d, s, "%s t%d 0", chance(d, 0.5) ? "tril" : "triu", u);
        t = some_steps(d, t, 2);
        break;
    case 3:
        t = put(d, s, "where t%d t%d -9", c, u);
        t = put(d, s, "softmax t%d 1", t);
        break;
    default: t = put(d, r, "argmax t%d %d 0", x, axis);
    }
    say(d, "out t%d\n", t);
}

static void concatenation(draw *d)
{
    shape s = matrix(d, elements(d)), r;
    int axis = (int)between(d, 0, 1), n = (int)between(d, 2, 4), part[4];
    r = s;
    r.n[axis] = 0;
    for (int i = 0; i < n; i++) {
        shape p = s;
        p.n[axis] = length(d, 1, fmax(2, 2.0 * (double)s.n[axis] / n));
        part[i] = some_steps(d, input(d, p), 3);
        r.n[axis] += p.n[axis];
    }
    int t = d->values++;
    d->shape[t] = r;
    say(d, "t%d concat", t);
    for (int i = 0; i < n; i++)
        say(d, " t%d", part[i]);
    say(d, " %d\n", axis);
    t = some_steps(d, t, 4);
    if (!integers(d) && chance(d, 0.4))
        t = reduce(d, t, (int)between(d, 0, 1), false);
    say(d, "out t%d\n", t);
}

static void outputs(draw *d)
{
    shape s = matrix(d, elements(d) / 2);
    int t = some_steps(d, input(d, s), 4), y = other_input(d, s), n = (int)between(d, 2, 6), out[6];
    for (int i = 0; i < n; i++) {
        int u = steps(d, t, y, (int)between(d, 1, 4));
        out[i] = chance(d, 0.4) ? reduce(d, u, (int)between(d, 0, 1), false) : u;
        if (chance(d, 0.5))
            t = u;
    }
    say(d, "out");
    for (int i = 0; i < n; i++)
        say(d, " t%d", out[i]);
    say(d, "\n");
}

/* A network of random widths, its loss, and its parameters after a step of descent, with momentum or Adam's
 * averages. */
static void training(draw *d)
{
    static const char *const activation[] = { "relu", "tanh", "silu", "sigmoid" };
    int layers = (int)between(d, 1, 3), p[8], g[8], np = 0;
    int64_t batch = length(d, 8, 512), width = length(d, 4, 900), last = 0;
    int x = input(d, SHAPE(batch, width)), t = x;
    const char *f = activation[between(d, 0, 3)];
    bool classes = chance(d, 0.6);
    for (int l = 0; l <= layers; l++) {
        last = l == layers ? length(d, 2, classes ? 40 : 200) : length(d, 8, 600);
        shape r = SHAPE(batch, last);
        int w = p[np++] = input_of(d, d->dtype, SHAPE(width, last), -0.1, 0.1);
        int b = p[np++] = input_of(d, d->dtype, SHAPE(1, last), -0.1, 0.1);
        t = put(d, r, "matmul t%d t%d", t, w);
        t = put(d, r, "add t%d t%d", t, b);
        if (l < layers)
            t = put(d, r, "%s t%d", f, t);
        width = last;
    }
    shape r = SHAPE(batch, last);
    int loss;
    if (classes) {
        int labels = put(d, SHAPE(batch), "index %lld %lld", (long long)batch, (long long)last);
        loss = put(d, (shape){ 0 }, "cross_entropy t%d t%d", t, labels);
    } else {
        int u = put(d, r, "sub t%d t%d", t, input(d, r));
        loss = put(d, (shape){ 0 }, "mean t%d 0,1 0", put(d, r, "square t%d", u));
    }
    for (int i = 0; i < np; i++) {
        g[i] = d->values++;
        d->shape[g[i]] = d->shape[p[i]];
        say(d, "%st%d", i ? "," : "", g[i]);
    }
    say(d, " grad t%d", loss);
    for (int i = 0; i < np; i++)
        say(d, " t%d", p[i]);
    say(d, "\n");
    int how = (int)between(d, 0, 2), more[16], nm = 0;
    for (int i = 0; i < np; i++) {
        shape s = d->shape[p[i]];
        int u = g[i];
        if (how > 0) {
            int m = input_of(d, d->dtype, s, -0.1, 0.1);
            m = put(d, s, "mul t%d 0.875", m);
            u = put(d, s, "mul t%d 0.125", u);
            u = put(d, s, "add t%d t%d", m, u);
            more[nm++] = u;
        }
        if (how > 1) {
            int v = input_of(d, d->dtype, s, 0, 0.1), q = put(d, s, "square t%d", g[i]);
            v = put(d, s, "mul t%d 0.96875", v);
            q = put(d, s, "mul t%d 0.03125", q);
            v = put(d, s, "add t%d t%d", v, q);
            more[nm++] = v;
            u = put(d, s, "div t%d t%d", u, put(d, s, "add t%d 0.0625", put(d, s, "sqrt t%d", v)));
        }
        p[i] = put(d, s, "sub t%d t%d", p[i], put(d, s, "mul t%d 0.0625", u));
    }
    say(d, "out t%d", loss);
    for (int i = 0; i < np; i++)
        say(d, " t%d", p[i]);
    for (int i = 0; i < nm; i++)
        say(d, " t%d", more[i]);
    say(d, "\n");
}

/* -- the list -------------------------------------------------------------------------------------------- */

const char *const random_family[RANDOM_FAMILIES] = {
    "chain",  "rows",     "columns", "mixed", "views",  "stencils", "pairs",
    "gather", "products", "batched", "masks", "concat", "outputs",  "training",
};

static const struct {
    void (*draw)(draw *d);
    bool halves, integers; /* also drawn in f16 and bf16; in i32 */
} row[RANDOM_FAMILIES] = {
    { chain, true, true },     { rows, true, false },      { columns, true, false }, { mixed, true, false },
    { views, true, true },     { stencils, true, false },  { pairs, false, false },  { gather, true, false },
    { products, true, false }, { batched, true, false },   { masks, true, true },    { concatenation, true, true },
    { outputs, true, false },  { training, false, false },
};

static const char *draw_dtype(draw *d, int family)
{
    double p = uniform(d, 0, 1);
    if (p < 0.08 && row[family].integers)
        return "i32";
    if (p < 0.2 && row[family].halves)
        return chance(d, 0.7) ? "bf16" : "f16";
    return p < 0.45 ? "f64" : "f32";
}

char *random_draw(uint64_t seed, int number, int family, const random_kind *kind)
{
    draw *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->state = seed * 0xD1342543DE82EF95u + (uint64_t)number;
    d->state = bits(d);
    d->dtype = draw_dtype(d, family);
    d->dtype = kind->dtype ? kind->dtype : d->dtype;
    d->bytes = exp2(uniform(d, log2(fmax(kind->least, 0x1p14)), log2(fmax(kind->largest, 0x1p15))));
    say(d, "# %s, %s, program %d of seed %llu\n", random_family[family], d->dtype, number, (unsigned long long)seed);
    row[family].draw(d);
    char *text = d->text;
    if (d->failed || d->values >= MOST_VALUES) {
        free(text);
        text = NULL;
    }
    free(d);
    return text;
}
