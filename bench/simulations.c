/* Simulations as programs in the form of the random ones: heat, gravity, k-means, a normalised data set; one step and ten.
 * Must not know: the sides that compute them, time. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/random.h"

typedef struct text {
    char *at;
    size_t length, capacity;
    int values;
} text;

/* Adds a line "tN …" and returns N. A line for `out` makes no new value. */
static int line(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int line(text *t, const char *format, ...)
{
    va_list arg;
    bool value = strncmp(format, "out", 3) != 0 && format[0] != '#';
    if (t->length + 160 > t->capacity) {
        size_t capacity = 2 * t->capacity + 4096;
        char *more = realloc(t->at, capacity);
        if (!more)
            return 0;
        t->at = more;
        t->capacity = capacity;
    }
    if (value)
        t->length += (size_t)snprintf(t->at + t->length, 24, "t%d ", t->values);
    va_start(arg, format);
    t->length += (size_t)vsnprintf(t->at + t->length, t->capacity - t->length - 2, format, arg);
    va_end(arg);
    t->at[t->length++] = '\n';
    t->at[t->length] = '\0';
    return value ? t->values++ : 0;
}

/* u' = u + (the four neighbours' sum − 4 u) / 8, with 0 outside. */
static void heat(text *t, int steps)
{
    enum { N = 1024 };
    static const int at[4][2] = { { 0, 1 }, { 2, 1 }, { 1, 0 }, { 1, 2 } };
    int u = line(t, "input f32 %d,%d 0 1", N, N);
    for (int s = 0; s < steps; s++) {
        int p = line(t, "pad t%d 1,1 1,1 0", u), sum = -1;
        for (int i = 0; i < 4; i++) {
            int x = line(t, "slice t%d %d,%d %d,%d 1,1", p, at[i][0], at[i][1], at[i][0] + N, at[i][1] + N);
            sum = sum < 0 ? x : line(t, "add t%d t%d", sum, x);
        }
        int four = line(t, "mul t%d 4", u);
        int difference = line(t, "sub t%d t%d", sum, four);
        int change = line(t, "mul t%d 0.125", difference);
        u = line(t, "add t%d t%d", u, change);
    }
    line(t, "out t%d", u);
}

/* Every body attracts every other: a_i = Σ_j m_j (x_j − x_i) / (|x_j − x_i|² + ε)^(3/2). */
static void gravity(text *t, int steps)
{
    enum { N = 4096 };
    int x = line(t, "input f32 %d,3 -1 1", N), v = line(t, "input f32 %d,3 -0.1 0.1", N);
    int mass = line(t, "input f32 1,%d 0 0.001", N);
    for (int s = 0; s < steps; s++) {
        int d[3], square = -1, a[3];
        for (int k = 0; k < 3; k++) {
            int c = line(t, "slice t%d 0,%d %d,%d 1,1", x, k, N, k + 1);
            int r = line(t, "permute t%d 1,0", c);
            d[k] = line(t, "sub t%d t%d", r, c);
            int q = line(t, "square t%d", d[k]);
            square = square < 0 ? q : line(t, "add t%d t%d", square, q);
        }
        int near = line(t, "add t%d 0.01", square);
        int root = line(t, "sqrt t%d", near);
        int cube = line(t, "mul t%d t%d", near, root);
        int w = line(t, "div t%d t%d", mass, cube);
        for (int k = 0; k < 3; k++) {
            int f = line(t, "mul t%d t%d", w, d[k]);
            a[k] = line(t, "sum t%d 1 1", f);
        }
        int all = line(t, "concat t%d t%d t%d 1", a[0], a[1], a[2]);
        int dv = line(t, "mul t%d 0.01", all);
        v = line(t, "add t%d t%d", v, dv);
        int dx = line(t, "mul t%d 0.01", v);
        x = line(t, "add t%d t%d", x, dx);
    }
    line(t, "out t%d t%d", x, v);
}

/* Assigns points to their nearest centres and moves centres to the means of their points. */
static void kmeans(text *t, int steps)
{
    enum { N = 50000, D = 8, K = 16 };
    int x = line(t, "input f32 %d,%d -1 1", N, D), c = line(t, "input f32 %d,%d -1 1", K, D);
    int nothing = line(t, "input f32 %d,%d 0 0", K, D), none = line(t, "input f32 %d,1 0 0", K);
    int one = line(t, "input f32 %d,1 1 1", N), nearest = 0;
    for (int s = 0; s < steps; s++) {
        int a = line(t, "reshape t%d %d,1,%d", x, N, D), b = line(t, "reshape t%d 1,%d,%d", c, K, D);
        int d = line(t, "sub t%d t%d", a, b);
        int q = line(t, "square t%d", d);
        int far = line(t, "sum t%d 2 0", q);
        nearest = line(t, "argmin t%d 1 0", far);
        int sum = line(t, "scatter_add t%d t%d t%d 0", nothing, nearest, x);
        int n = line(t, "scatter_add t%d t%d t%d 0", none, nearest, one);
        int some = line(t, "maximum t%d 1", n);
        c = line(t, "div t%d t%d", sum, some);
    }
    line(t, "out t%d", c);
}

/* A batch of a data set that is normalised as a whole: only the rows of the batch must be computed. */
static void batch(text *t, bool chosen)
{
    enum { N = 20000, D = 784, BATCH = 128 };
    int x = line(t, "input f32 %d,%d 0 1", N, D);
    int mean = line(t, "input f32 1,%d 0.4 0.6", D), std = line(t, "input f32 1,%d 0.2 0.3", D);
    int w = line(t, "input f32 %d,10 -0.1 0.1", D);
    int c = line(t, "sub t%d t%d", x, mean);
    int z = line(t, "div t%d t%d", c, std), b;
    if (chosen) {
        int i = line(t, "index %d %d", BATCH, N);
        b = line(t, "take t%d t%d 0", z, i);
    } else
        b = line(t, "slice t%d %d,0 %d,%d 1,1", z, N / 2, N / 2 + BATCH, D);
    int y = line(t, "matmul t%d t%d", b, w);
    line(t, "out t%d", y);
}

const char *const simulation[] = { "heat1",    "heat10",      "gravity1",   "gravity10", "kmeans1",
                                   "kmeans10", "batch-slice", "batch-take", NULL };

char *simulation_text(const char *name)
{
    text t = { 0 };
    int steps = strstr(name, "10") ? 10 : 1;
    line(&t, "# %s, f32", name);
    if (!strncmp(name, "heat", 4))
        heat(&t, steps);
    else if (!strncmp(name, "gravity", 7))
        gravity(&t, steps);
    else if (!strncmp(name, "kmeans", 6))
        kmeans(&t, steps);
    else
        batch(&t, !strcmp(name, "batch-take"));
    return t.at;
}
