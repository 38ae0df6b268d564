/* For tests of codelets: rows of any length up to those that are neither joined nor side by side, through the real fuser, beside the reference
 * evaluation.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"

enum { POINTS = 2100, BETWEEN = 5, LARGEST = 9, FOLDS = 6 /* the first program with folds, whose sums may cancel */ };

/* Sums of f64 are not of both signs: those of the interpreter differ in their last places. */
static orr_tensor *table(orr_dtype t, int64_t rows, int64_t length)
{
    static char data[(POINTS + 17 * 300) * 2 * sizeof(double)];
    rc_fill(data, t, rows * length, t != ORR_F64 && (orr__is_signed(t) || orr__is_float(t)) ? -3 : 0, 3);
    return orr_from(t, ORR_SHAPE(rows, length), data);
}

static orr_tensor *bordered(orr_tensor *x, int64_t rows, int64_t length)
{
    orr_tensor *p = orr_pad(x, ORR_INDEX(0, 1), ORR_INDEX(0, 1), 0.0);
    orr_tensor *left = orr_slice(p, ORR_INDEX(0, 0), ORR_INDEX(rows, length), ORR_NO_INDEX);
    return orr_add(orr_add(left, orr_slice(p, ORR_INDEX(0, 2), ORR_INDEX(rows, length + 2), ORR_NO_INDEX)), x);
}

static orr_tensor *normed(orr_tensor *x)
{
    orr_tensor *d = orr_sub(x, orr_mean(x, ORR_AXES(-1), true));
    return orr_mul(d, orr_rsqrt(orr_add(orr_mean(orr_square(d), ORR_AXES(-1), true), orr_scalar(1e-2))));
}

/* Programs of each nest of rows: element by element beside values of columns and rows, parts of longer rows, turned and reversed rows, borders;
 * one fold and several, with rows and one value as results. */
static void rows_of(orr_dtype t, int64_t length)
{
    int64_t rows = POINTS / length + 17;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = table(t, rows, length), *longer = table(t, rows, length + BETWEEN), *other = table(t, length, rows);
    orr_tensor *part = orr_slice(longer, ORR_INDEX(0, 2), ORR_INDEX(rows, length + 2), ORR_NO_INDEX);
    orr_tensor *turned = orr_transpose(other), *column = orr_slice_axis(x, 1, 0, 1, 1),
               *row = orr_slice_axis(x, 0, 1, 2, 1);
    orr_tensor *cube = orr_reshape(table(t, 2 * rows, length), ORR_SHAPE(2, rows, length));
    orr_tensor *y[] = {
        orr_minimum(orr_maximum(x, part), x),
        orr_add(orr_mul(x, row), column),
        orr_sub(x, turned),
        orr_maximum(orr_flip(turned, ORR_AXES(0)), column),
        orr_maximum(orr_permute(cube, ORR_AXES(1, 0, 2)), orr_expand_dims(part, 1)),
        bordered(x, rows, length),
        orr_sum(orr_mul(x, part), ORR_AXES(1), false),
        orr_sub(x, orr_max(turned, ORR_AXES(1), true)),
        orr_argmax(x, 1, false),
        orr_add(orr_min(x, ORR_AXES(1), false), orr_sum(turned, ORR_AXES(1), false)),
        orr__is_float(t) ? orr_softmax(x, 1) : x,
        orr__is_float(t) && t != ORR_F64 ? normed(turned) : x,
    };
    for (size_t k = 0; k < sizeof y / sizeof *y; k++) {
        char what[64];
        (void)snprintf(what, sizeof what, "%s rows of %d: %d", orr_dtype_name(t), (int)length, (int)k);
        ORR_CHECK_MSG(orr_tensor_status(y[k]) == ORR_OK, "%s: %s", what, orr_error_message());
        rg_check_terms(what, y[k], ORR__FUSE_TILES, 64, k >= FOLDS ? LARGEST : 0);
    }
    (void)orr_scope_end(s);
}

void rows_of_any_length(void)
{
    static const int64_t length[] = { 3, 65, 129, 2, 33, 97, 128, 255, 16, 31, 64, 127, 200, 256, 257, 300 };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_I32, ORR_F16, ORR_BF16, ORR_I8, ORR_U16, ORR_I64 };
    enum { LENGTHS = sizeof length / sizeof *length, TYPES = sizeof type / sizeof *type };
    for (int k = 0; k < LENGTHS * TYPES;
         k += orr_test_full() ? 1 : 9) /* all pairs, or each length and each dtype twice */
        rows_of(type[k % TYPES], length[k / TYPES]);
}
