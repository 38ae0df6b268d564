/* The bits of integer elements that are not the true value, against 128-bit arithmetic, for all pairs of extreme and random numbers.
 * Must not know: the way in which the bits are made. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include "ops/ops.h"
#include "tests/harness/harness.h"

__extension__ typedef __int128 wide;

enum { EACH = 14, PAIRS = EACH * EACH };

static const orr_dtype type[] = { ORR_I8, ORR_I16, ORR_I32, ORR_I64, ORR_U8, ORR_U16, ORR_U32, ORR_U64 };
enum { TYPES = sizeof type / sizeof *type };

static wide least_of(orr_dtype t)
{
    return orr__is_signed(t) ? -((wide)1 << (8 * orr_dtype_size(t) - 1)) : 0;
}

static wide most_of(orr_dtype t)
{
    return ((wide)1 << (8 * orr_dtype_size(t) - orr__is_signed(t))) - 1;
}

static bool holds(orr_dtype t, wide v)
{
    return v >= least_of(t) && v <= most_of(t);
}

static orr__scalar scalar_of(orr_dtype t, wide v)
{
    return orr__is_signed(t) ? (orr__scalar){ .i = (int64_t)v } : (orr__scalar){ .u = (uint64_t)v };
}

/* Bounds, numbers around 0 and around the root of the largest one, and random ones. */
static void draw(orr_dtype t, unsigned long long *state, wide *v)
{
    wide least = least_of(t), most = most_of(t), root = (wide)sqrt((double)most);
    const wide some[] = { least, least + 1, most, most - 1, 0, 1, 2, 3, root, root + 1, most / 2, most / 2 + 1 };
    for (int i = 0; i < EACH; i++) {
        v[i] = i < 12 ? some[i] : (wide)(int64_t)orr_test_rand(state);
        if (orr__is_signed(t) && i % 2 && i < 12)
            v[i] = -v[i];
        while (!holds(t, v[i]))
            v[i] /= 3;
    }
}

/* ⌊x / y⌋ and the true value of the others; *defined is false where there is none. */
static wide quotient(wide x, wide y, bool *defined)
{
    *defined = y != 0;
    if (!y)
        return 0;
    return x / y - (x % y != 0 && (x % y < 0) != (y < 0));
}

enum { ADD, SUB, MUL, DIVIDE, REMAINDER, LEFT, RIGHT, NEG, ABS, SQUARE, OPS };

static orr_tensor *record(int op, orr_tensor *x, orr_tensor *y)
{
    switch (op) {
    case ADD: return orr_add(x, y);
    case SUB: return orr_sub(x, y);
    case MUL: return orr_mul(x, y);
    case DIVIDE: return orr_floor_divide(x, y);
    case REMAINDER: return orr_remainder(x, y);
    case LEFT: return orr_bitwise_left_shift(x, y);
    case RIGHT: return orr_bitwise_right_shift(x, y);
    case NEG: return orr_neg(x);
    case ABS: return orr_abs(x);
    default: return orr_square(x);
    }
}

static bool is_right(int op, orr_dtype t, wide x, wide y)
{
    bool defined = true;
    wide r = 0;
    int bits = 8 * (int)orr_dtype_size(t);
    switch (op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: return x == 0 || y == 0 || (fabs((double)x * (double)y) < 0x1p100 && holds(t, x * y));
    case DIVIDE: r = quotient(x, y, &defined); break;
    case REMAINDER: defined = y != 0; break;
    case LEFT: return x == 0 || (y >= 0 && y < bits && holds(t, x * ((wide)1 << y)));
    case RIGHT: return x == 0 || y >= 0;
    case NEG: r = -x; break;
    case ABS: r = x < 0 ? -x : x; break;
    default: return is_right(MUL, t, x, x);
    }
    return defined && holds(t, r);
}

/* The bits of the last node of t's capture; NULL: no element can be wrong. */
static const uint8_t *bits_of(orr_tensor *t, orr__capture *p)
{
    orr__site at = ORR__SITE(__FILE__, __LINE__, "test");
    orr__node *node = orr__handle_node(t);
    bool made = node && orr__capture_make(at, &node, 1, p) == ORR_OK;
    ORR_CHECK_MSG(made, "%s", orr_error_message());
    if (!made)
        exit(1);
    orr__node *bits = node->op->wrapped ? node->op->wrapped(at, p, p->out[0]) : NULL;
    orr_tensor *b = bits ? orr__handle_new(bits) : NULL;
    const uint8_t *data = b ? orr_data(b) : NULL;
    ORR_CHECK_MSG(!b || data, "%s", orr_error_message());
    return data;
}

static void rows_are_exact(void)
{
    unsigned long long state = 11;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int k = 0; k < TYPES; k++) {
        wide v[EACH];
        char x[PAIRS * 8], y[PAIRS * 8];
        size_t size = orr_dtype_size(type[k]);
        draw(type[k], &state, v);
        for (int i = 0; i < PAIRS; i++) {
            orr__scalar_store(x + (size_t)i * size, type[k], scalar_of(type[k], v[i / EACH]));
            orr__scalar_store(y + (size_t)i * size, type[k], scalar_of(type[k], v[i % EACH]));
        }
        for (int op = 0; op < OPS; op++) {
            orr__capture p;
            orr_scope *s = orr_scope_begin();
            orr_tensor *a = orr_from(type[k], ORR_SHAPE(PAIRS), x), *b = orr_from(type[k], ORR_SHAPE(PAIRS), y);
            const uint8_t *bit = bits_of(record(op, a, b), &p);
            ORR_REQUIRE(bit);
            for (int i = 0; i < PAIRS; i++)
                ORR_CHECK_MSG(bit[i] == !is_right(op, type[k], v[i / EACH], v[i % EACH]), "%s op %d of %g and %g",
                              orr_dtype_name(type[k]), op, (double)v[i / EACH], (double)v[i % EACH]);
            orr__capture_free(&p);
            (void)orr_scope_end(s);
        }
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void casts_are_exact(void)
{
    static const double real[] = { NAN,     INFINITY, -INFINITY,     0,       -0.9,    -1,
                                   127.9,   128,      -128.9,        -129,    255.9,   256,
                                   32767.5, 65536,    -32769,        0x1p31,  -0x1p31, -0x1p31 - 1,
                                   0x1p32,  0x1p63,   0x1p63 - 1024, -0x1p63, 0x1p64,  0x1p64 - 2048 };
    enum { REALS = sizeof real / sizeof *real };
    unsigned long long state = 12;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int to = 0; to < TYPES; to++) {
        orr__capture p;
        orr_scope *s = orr_scope_begin();
        const uint8_t *bit = bits_of(orr_cast(orr_from(ORR_F64, ORR_SHAPE(REALS), real), type[to]), &p);
        for (int i = 0; i < REALS && bit; i++) {
            bool right = fabs(real[i]) < 0x1p100 && holds(type[to], (wide)trunc(real[i]));
            ORR_CHECK_MSG(bit[i] == !right, "%g as %s", real[i], orr_dtype_name(type[to]));
        }
        ORR_CHECK(bit != NULL);
        orr__capture_free(&p);
        for (int from = 0; from < TYPES; from++) {
            wide v[EACH];
            char x[EACH * 8];
            draw(type[from], &state, v);
            for (int i = 0; i < EACH; i++)
                orr__scalar_store(x + (size_t)i * orr_dtype_size(type[from]), type[from], scalar_of(type[from], v[i]));
            if (from == to)
                continue;
            bit = bits_of(orr_cast(orr_from(type[from], ORR_SHAPE(EACH), x), type[to]), &p);
            for (int i = 0; i < EACH && bit; i++)
                ORR_CHECK_MSG(bit[i] == !holds(type[to], v[i]), "%g of %s as %s", (double)v[i],
                              orr_dtype_name(type[from]), orr_dtype_name(type[to]));
            ORR_CHECK(bit != NULL);
            orr__capture_free(&p);
        }
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Sums and products of many elements, some of which only pass through values that do not fit. */
static void sums_are_wrong_by_their_value_alone(void)
{
    static const int64_t most = INT64_MAX, least = INT64_MIN;
    const int64_t v[4][3] = { { most, 1, -5 }, { most, 1, 0 }, { least, -1, most }, { 3, 0, least } };
    static const bool sum_is_wrong[] = { false, true, false, false };
    static const bool prod_is_wrong[] = { true, false, true, false };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_I64, ORR_SHAPE(4, 3), v);
    orr__capture p;
    const uint8_t *bit = bits_of(orr_sum(x, ORR_AXES(1), true), &p);
    orr__capture_free(&p);
    for (int i = 0; i < 4 && bit; i++)
        ORR_CHECK_MSG(bit[i] == sum_is_wrong[i], "sum %d", i);
    bit = bits_of(orr_prod(x, ORR_AXES(1), true), &p);
    orr__capture_free(&p);
    for (int i = 0; i < 4 && bit; i++)
        ORR_CHECK_MSG(bit[i] == prod_is_wrong[i], "product %d", i);
    bit = bits_of(orr_cumulative_sum(x, 1, false), &p);
    orr__capture_free(&p);
    static const bool running[4][3] = { { 0, 1, 0 }, { 0, 1, 1 }, { 0, 1, 0 }, { 0, 0, 0 } };
    for (int i = 0; i < 12 && bit; i++)
        ORR_CHECK_MSG(bit[i] == running[i / 3][i % 3], "running sum %d", i);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(rows_are_exact), ORR_TEST(casts_are_exact), ORR_TEST(sums_are_wrong_by_their_value_alone), { 0 }
    };
    return orr_test_main(argc, argv, "ops.wrapped", tests);
}
