/* The table of fusion's cases and their data.
 * Must not know: how a side computes. */
#include "config.h"
#include <string.h>
#include "bench/fusion.h"

#define ROWS_LARGE ((int64_t)4096 * HAND_COLS)
#define CHAIN(k)                                                                                                       \
    {                                                                                                                  \
        .name = "chain" #k, .what = #k " ops: multiply, add, maximum, subtract", .id = HAND_CHAIN##k, .ops = k,        \
        .nin = 1, .lo = { -1 }, .hi = { 1 }, .read = 1, .write = 1, .large = FUSION_LARGE, .tolerance = 1e-3           \
    }

const fusion_case fusion_cases[] = {
    { "poly6",
      "leaky_relu of a quadratic of a*x+b",
      HAND_POLY6,
      0,
      1,
      { -2 },
      { 2 },
      1,
      1,
      false,
      true,
      true,
      FUSION_LARGE,
      1e-3 },
    { "silu", "silu(a*x+b)", HAND_SILU, 0, 1, { -4 }, { 4 }, 1, 1, false, true, true, FUSION_LARGE, 1e-3 },
    { "gelu",
      "gelu, tanh form, of a*x+b",
      HAND_GELU,
      0,
      1,
      { -4 },
      { 4 },
      1,
      1,
      false,
      true,
      false,
      FUSION_LARGE,
      1e-3 },
    { "black-scholes",
      "call and put prices",
      HAND_BLACK_SCHOLES,
      0,
      3,
      { 10, 10, 1 },
      { 50, 50, 2 },
      3,
      2,
      false,
      true,
      false,
      FUSION_LARGE,
      1e-3 },
    { "compare",
      "a*b-4.1*a > 2.5*b",
      HAND_COMPARE,
      0,
      2,
      { -8, -8 },
      { 8, 8 },
      2,
      0,
      true,
      true,
      false,
      FUSION_LARGE,
      1e-3 },
    { "softmax", "of rows of 1024", HAND_SOFTMAX, 0, 1, { -4 }, { 4 }, 1, 1, false, false, true, ROWS_LARGE, 1e-3 },
    { "layer-norm",
      "of rows of 1024, gain and bias",
      HAND_LAYER_NORM,
      0,
      1,
      { -2 },
      { 3 },
      1,
      1,
      false,
      false,
      true,
      ROWS_LARGE,
      1e-3 },
    { "dropout-norm",
      "layer norm of dropout(x)+residual, rows of 1024",
      HAND_DROPOUT_NORM,
      0,
      2,
      { -2, -1 },
      { 3, 1 },
      2,
      1,
      false,
      false,
      false,
      ROWS_LARGE,
      0.03 },
    { "embedding",
      "layer norm of a table's rows by number, scaled, rows of 1024",
      HAND_EMBEDDING,
      0,
      1,
      { -2 },
      { 3 },
      1,
      1,
      false,
      false,
      false,
      ROWS_LARGE,
      1e-3 },
    { "sum-squares",
      "sum of x*x",
      HAND_SUM_SQUARES,
      0,
      1,
      { -1 },
      { 1 },
      1,
      0,
      false,
      true,
      false,
      FUSION_LARGE,
      1e-3 },
    { "columns",
      "mean and deviation of 1024 columns",
      HAND_COLUMNS,
      0,
      1,
      { -1 },
      { 2 },
      1,
      0,
      false,
      false,
      false,
      FUSION_LARGE,
      1e-3 },
    { "adam",
      "a step: parameters, mean, square",
      HAND_ADAM,
      0,
      2,
      { -1, -1 },
      { 1, 1 },
      4,
      3,
      false,
      false,
      false,
      FUSION_LARGE,
      1e-3 },
    CHAIN(4),
    CHAIN(8),
    CHAIN(16),
    CHAIN(32),
    { 0 },
};

const char *const fusion_dtype[HAND_DTYPES] = { "float32", "float64", "bfloat16" };

const fusion_case *fusion_find(const char *name)
{
    for (const fusion_case *c = fusion_cases; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

double fusion_bytes(const fusion_work *w)
{
    static const double size[HAND_DTYPES] = { 4, 8, 2 };
    return (double)w->n * ((w->c->read + w->c->write) * size[w->dtype] + (w->c->mask ? 1 : 0));
}

void fusion_fill(float *x, int64_t n, int which, float lo, float hi)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = ((uint32_t)i + 77u * (uint32_t)which) * 2654435761u;
        x[i] = lo + (hi - lo) * ((float)(u >> 8) * 0x1p-24f);
    }
}
