/* Short cases of orrery-bench ablation: one for each mechanism that the other cases do not reach.
 * Must not know: mechanisms, how a case is timed. */
#include "config.h"
#include <string.h>
#include <orrery.h>
#include "bench/ablation_cases.h"
#include "bench/bench.h"

typedef struct ablated_case {
    const char *name;
    int64_t rows, cols; /* of the case's first array */
    int n;              /* operations, or layers     */
    orr_tensor *(*record)(const struct ablated_case *c);
    double pause; /* seconds of the caller's own work after each evaluation */
} ablated_case;

static struct {
    const ablated_case *c;
    orr_tensor *x, *y, *factor, *variable[2];
    orr_graph *graph;
} g;

static orr_tensor *element_wise(const ablated_case *c)
{
    orr_tensor *z = g.x;
    for (int i = 0; i < c->n; i++)
        z = i & 1 ? orr_add(z, g.y) : orr_mul(z, g.y);
    return z;
}

static orr_tensor *products(const ablated_case *c)
{
    orr_tensor *z = g.x;
    for (int i = 0; i < c->n; i++)
        z = orr_matmul(z, g.y);
    return z;
}

/* Independent small products, and one sum of all of them. */
static orr_tensor *branches(const ablated_case *c)
{
    orr_tensor *sum = NULL;
    for (int i = 0; i < c->n; i++) {
        orr_tensor *z = orr_matmul(orr_mul(g.x, orr_scalar(1.0 + i)), g.y);
        sum = sum ? orr_add(sum, z) : z;
    }
    return sum;
}

static orr_tensor *layers(const ablated_case *c)
{
    orr_tensor *z = g.x;
    for (int i = 0; i < c->n; i++)
        z = orr_relu(orr_matmul(z, g.y));
    return orr_sum(z, ORR_AXES(-1), false);
}

static orr_tensor *gram(const ablated_case *c)
{
    (void)c;
    return orr_matmul(orr_transpose(g.x), g.x);
}

static orr_tensor *sum_of_rows(const ablated_case *c)
{
    (void)c;
    return orr_sum(orr_square(g.x), ORR_AXES(0), false);
}

static orr_tensor *columns_of_cosines(const ablated_case *c)
{
    (void)c;
    return orr_sum(orr_cos(g.x), ORR_AXES(0), false);
}

static orr_tensor *mean_and_deviation(const ablated_case *c)
{
    (void)c;
    return orr_div(orr_sub(g.x, orr_mean(g.x, ORR_AXES(-1), true)), orr_std(g.x, ORR_AXES(-1), 0.0, true));
}

static orr_tensor *factor(const ablated_case *c)
{
    (void)c;
    return orr_cholesky(g.factor);
}

/* n steps of the heat equation. */
static orr_tensor *stencils(const ablated_case *c)
{
    static const int at[4][2] = { { 0, 1 }, { 2, 1 }, { 1, 0 }, { 1, 2 } };
    orr_tensor *u = g.x;
    for (int i = 0; i < c->n; i++) {
        orr_tensor *p = orr_pad(u, ORR_INDEX(1, 1), ORR_INDEX(1, 1), 0.0), *sum = NULL;
        for (int k = 0; k < 4; k++) {
            orr_tensor *z = orr_slice(p, ORR_INDEX(at[k][0], at[k][1]),
                                      ORR_INDEX(at[k][0] + c->rows, at[k][1] + c->cols), ORR_NO_INDEX);
            sum = sum ? orr_add(sum, z) : z;
        }
        u = orr_add(u, orr_mul(orr_sub(sum, orr_mul(u, orr_scalar(4.0))), orr_scalar(0.2)));
    }
    return u;
}

/* Both neighbours of a value that is expensive to compute. */
static orr_tensor *neighbours_of_exp(const ablated_case *c)
{
    orr_tensor *e = orr_exp(orr_sin(g.x));
    orr_tensor *left = orr_slice(e, ORR_INDEX(0, 0), ORR_INDEX(ORR_END, c->cols - 2), ORR_NO_INDEX);
    orr_tensor *right = orr_slice(e, ORR_INDEX(0, 2), ORR_INDEX(ORR_END, c->cols), ORR_NO_INDEX);
    return orr_sub(left, right);
}

/* The same function of x, recorded twice. */
static orr_tensor *repeated(const ablated_case *c)
{
    (void)c;
    return orr_mul(orr_add(orr_exp(orr_sin(g.x)), g.y), orr_sub(orr_exp(orr_sin(g.x)), g.y));
}

/* The same product, recorded n times. */
static orr_tensor *equal_products(const ablated_case *c)
{
    orr_tensor *z = orr_matmul(g.x, g.y);
    for (int i = 1; i < c->n; i++)
        z = orr_mul(z, orr_matmul(g.x, g.y));
    return z;
}

/* The first rows of a function of all rows, times a narrow matrix. */
static orr_tensor *first_rows(const ablated_case *c)
{
    orr_tensor *e = orr_exp(orr_sin(g.x));
    orr_tensor *few = orr_slice(e, ORR_INDEX(0, 0), ORR_INDEX(c->rows / 8, ORR_END), ORR_NO_INDEX);
    return orr_matmul(few, orr_slice(g.y, ORR_INDEX(0, 0), ORR_INDEX(c->cols, 8), ORR_NO_INDEX));
}

/* 64 rows of a data set that is normalised as a whole and stays lazy. */
static orr_tensor *batch_of_set(const ablated_case *c)
{
    orr_tensor *z = orr_div(orr_sub(g.x, orr_scalar(0.5)), orr_scalar(0.3));
    z = orr_reshape(z, ORR_SHAPE(c->rows, c->cols / 4, 4));
    return orr_sum(orr_slice(z, ORR_INDEX(c->rows / 2), ORR_INDEX(c->rows / 2 + 64), ORR_NO_INDEX), ORR_AXES(-1),
                   false);
}

/* n layers over the rows as images: 3 x 3 kernels, each followed by a rectifier if n is above 1. */
static orr_tensor *convolutions(const ablated_case *c)
{
    orr_tensor *w = orr_reshape(orr_slice(g.y, ORR_INDEX(0, 0), ORR_INDEX(32 * 32 * 9 / 8, 8), ORR_NO_INDEX),
                                ORR_SHAPE(32, 32, 3, 3));
    orr_tensor *x = orr_reshape(g.x, ORR_SHAPE(c->rows / (32 * c->cols), 32, c->cols, c->cols));
    for (int i = 0; i < c->n; i++) {
        x = orr_conv(x, w, NULL, &(orr_conv_options){ .same = true });
        x = c->n > 1 ? orr_relu(x) : x;
    }
    return x;
}

/* exp of the negative squared distance of each pair of rows, summed. */
static orr_tensor *pairs(const ablated_case *c)
{
    orr_tensor *a = orr_reshape(g.x, ORR_SHAPE(c->rows, 1, c->cols)),
               *b = orr_reshape(g.x, ORR_SHAPE(1, c->rows, c->cols));
    orr_tensor *far = orr_sum(orr_square(orr_sub(a, b)), ORR_AXES(-1), false);
    return orr_sum(orr_exp(orr_neg(far)), ORR_AXES(-1), false);
}

static orr_tensor *turned(const ablated_case *c)
{
    (void)c;
    return orr_sum(orr_mul(orr_transpose(g.x), g.y), ORR_AXES(-1), false);
}

static orr_tensor *sorted(const ablated_case *c)
{
    (void)c;
    return orr_sort(g.x, -1, false);
}

/* Rows of three computed numbers each from x and y, side by side. */
static orr_tensor *joined(const ablated_case *c)
{
    orr_tensor *part[] = { orr_relu(orr_sub(g.x, g.y)), orr_mul(orr_add(g.x, g.y), orr_scalar(0.5)) };
    orr_tensor *rows = orr_concat(part, 2, 1);
    return orr_mul(orr_add(rows, orr_scalar((double)c->n)), rows);
}

/* n operations, each of which rounds to f16. */
static orr_tensor *halves(const ablated_case *c)
{
    orr_tensor *z = orr_cast(g.x, ORR_F16), *y = orr_cast(g.y, ORR_F16);
    for (int i = 0; i < c->n; i++)
        z = i & 1 ? orr_add(z, y) : orr_mul(z, y);
    return z;
}

/* A function whose time depends on its arguments more than a prediction by operation counts shows. */
static orr_tensor *powers(const ablated_case *c)
{
    orr_tensor *z = g.x;
    for (int i = 0; i < c->n; i++)
        z = orr_pow(orr_add(z, g.y), g.x);
    return z;
}

/* An optimiser's step without its gradient: two variables whose old values have no owner. */
static orr_tensor *two_variables(const ablated_case *c)
{
    (void)c;
    orr_tensor *m = orr_add(orr_mul(g.variable[0], orr_scalar(0.9)), g.x);
    orr_tensor *w = orr_sub(g.variable[1], orr_mul(m, orr_scalar(1e-3)));
    return orr_assign(g.variable[0], m) == ORR_OK && orr_assign(g.variable[1], w) == ORR_OK ? w : NULL;
}

/* A row at another place in each evaluation. */
static orr_tensor *row_by_row(const ablated_case *c)
{
    static int64_t place;
    return orr_sum(orr_mul(orr_select(g.x, 0, place++ % c->rows), orr_scalar(2)), ORR_ALL_AXES, false);
}

static const ablated_case cases[] = {
    { "element-wise 1, 4x4", 4, 4, 1, element_wise, 0 },
    { "element-wise 100, 4x4", 4, 4, 100, element_wise, 0 },
    { "element-wise 8, 1024x1024", 1024, 1024, 8, element_wise, 0 },
    { "products 10, 4x4", 4, 4, 10, products, 0 },
    { "products 10, 64x64", 64, 64, 10, products, 0 },
    { "product 128", 128, 128, 1, products, 0 },
    { "product 512", 512, 512, 1, products, 0 },
    { "products 8, 256x256", 256, 256, 8, products, 0 },
    { "branches 64, 32x32", 32, 32, 64, branches, 0 },
    { "branches 16, 128x128", 128, 128, 16, branches, 0 },
    { "layers 6, 512x256", 512, 256, 6, layers, 0 },
    { "gram 262144x16", 1 << 18, 16, 1, gram, 0 },
    { "rows summed, 1048576x4", 1 << 20, 4, 1, sum_of_rows, 0 },
    { "columns of cosines, 131072x8", 1 << 17, 8, 1, columns_of_cosines, 0 },
    { "rows normalised, 2048x512", 2048, 512, 1, mean_and_deviation, 0 },
    { "rows normalised, 512x50257", 512, 50257, 1, mean_and_deviation, 0 },
    { "factor 1024", 1024, 1024, 1, factor, 0 },
    { "stencil 1, 1024x1024", 1024, 1024, 1, stencils, 0 },
    { "stencil 1, 4096x4096", 4096, 4096, 1, stencils, 0 },
    { "stencil 4, 512x512", 512, 512, 4, stencils, 0 },
    { "neighbours of exp, 1024x1024", 1024, 1024, 1, neighbours_of_exp, 0 },
    { "repeated, 1024x1024", 1024, 1024, 1, repeated, 0 },
    { "equal products 2, 256x256", 256, 256, 2, equal_products, 0 },
    { "first rows, 1024x1024", 1024, 1024, 1, first_rows, 0 },
    { "batch of a set, 65536x64", 1 << 16, 64, 1, batch_of_set, 0 },
    { "rows normalised, 131072x6", 1 << 17, 6, 1, mean_and_deviation, 0 },
    { "row by row, 16384x64", 1 << 14, 64, 1, row_by_row, 0 },
    { "row by row, 16384x4096", 1 << 14, 4096, 1, row_by_row, 0 },
    { "pairs, 1024x3", 1024, 3, 1, pairs, 0 },
    { "turned, 1024x1024", 1024, 1024, 1, turned, 0 },
    { "convolution, 16x32x32x32", 16 * 32 * 32, 32, 1, convolutions, 0 },
    { "convolutions 4, 4x32x32x32", 4 * 32 * 32, 32, 4, convolutions, 0 },
    { "sorted, 64x16384", 64, 16384, 1, sorted, 0 },
    { "joined, 131072x3", 1 << 17, 3, 1, joined, 0 },
    { "halves 7, 1024x1024", 1024, 1024, 7, halves, 0 },
    { "powers 4, 16x1024", 16, 1024, 4, powers, 0 },
    { "convolutions 4, 8x32x64x64", 8 * 32 * 64, 64, 4, convolutions, 0 },
    { "two variables, 1024x1024", 1024, 1024, 1, two_variables, 0 },
    { "product 512, then 5 ms of the caller's", 512, 512, 1, products, 5e-3 },
    { NULL, 0, 0, 0, NULL, 0 },
};

const char *ablation_case(int i)
{
    return cases[i].name;
}

void ablation_drop(void)
{
    (void)orr_free(g.x);
    (void)orr_free(g.y);
    (void)orr_free(g.factor);
    for (int i = 0; i < 2; i++)
        (void)orr_free(g.variable[i]);
    memset(&g, 0, sizeof g);
}

int ablation_prepare(const char *name)
{
    const ablated_case *c = cases;
    ablation_drop();
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    if (!c->name)
        return 1;
    orr_scope *s = orr_scope_begin();
    bool square = c->record == products || c->record == branches || c->record == layers || c->record == factor;
    g.c = c;
    orr_seed(1);
    g.x = orr_rand(ORR_F32, ORR_SHAPE(c->rows, c->cols), 0.0, 1.0);
    g.y = orr_rand(ORR_F32, square ? ORR_SHAPE(c->cols, c->cols) : ORR_SHAPE(c->rows, c->cols), 0.0,
                   2.0 / (double)c->cols);
    orr_status st = orr_eval_all(ORR_TENSORS(g.x, g.y));
    if (st == ORR_OK && c->record == factor) {
        g.factor = orr_add(orr_matmul(g.x, orr_transpose(g.x)),
                           orr_mul(orr_eye(ORR_F32, c->rows, c->rows, 0), orr_scalar((double)c->rows)));
        st = orr_eval(g.factor);
    }
    if (st == ORR_OK) {
        (void)orr_keep(g.x);
        (void)orr_keep(g.y);
        if (g.factor)
            (void)orr_keep(g.factor);
        for (int i = 0; i < 2 && c->record == two_variables; i++)
            g.variable[i] = orr_keep(orr_variable(g.y));
        st = orr_warmup(c->record(c));
    } else {
        memset(&g, 0, sizeof g);
    }
    (void)orr_scope_end(s);
    return st != ORR_OK;
}

int ablation_once(void *unused)
{
    (void)unused;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(g.c->record(g.c));
    (void)orr_scope_end(s);
    double end = bench_now() + g.c->pause;
    static volatile double work;
    while (g.c->pause > 0 && bench_now() < end) /* a fixed time: spinning workers would affect the next evaluation */
        work = work + 1.0;
    return st == ORR_OK ? 0 : bench_failed("ablation");
}
