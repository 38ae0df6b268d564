/* For tests of codelets: random regions of arrays that lie in boxes of the iteration, as those of joins, shifts, borders and strides make
 * them. The arrays have no element outside of the boxes.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_tests.h"

enum { FEW = 16, MANY = 300, ARRAYS = 6, POINTS = 20000, WORK = 16 };

static const orr_dtype kinds[] = { ORR_F32, ORR_F64, ORR_I32,  ORR_F16, ORR_BF16, ORR_I8, ORR_U8,
                                   ORR_I16, ORR_U16, ORR_BOOL, ORR_U32, ORR_I64,  ORR_U64 };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An array with an element for each place of the box lo ≤ i < hi, flipped along some axes, of length 1 along others. */
static int array_of_box(rb *b, orr_dtype t, const int64_t *lo, const int64_t *hi)
{
    int64_t stride[ORR_MAX_RANK], offset = 0, count = 1;
    uint32_t box = 0;
    for (int d = b->r.rank - 1; d >= 0; d--) {
        int64_t kind = rsh_draw(12), n = hi[d] - lo[d];
        stride[d] = kind == 0 ? 0 : count;
        count *= kind == 0 ? 1 : n;
        if (kind == 1) {
            offset += (n - 1) * stride[d];
            stride[d] = -stride[d];
        } else if (kind == 2) { /* every second element */
            stride[d] *= 2;
            count *= 2;
        }
        offset -= lo[d] * stride[d];
        box |= (uint32_t)(n < b->r.dim[d]) << d;
    }
    int a = rb_access(b, rb_input(b, t, count), offset, stride);
    for (int d = 0; d < b->r.rank; d++)
        if (box >> d & 1u)
            (void)rb_box(b, a, d, lo[d], hi[d]);
    return a;
}

static int random_array(rb *b, orr_dtype t)
{
    int64_t lo[ORR_MAX_RANK] = { 0 }, hi[ORR_MAX_RANK];
    for (int d = 0; d < b->r.rank; d++) {
        int64_t n = hi[d] = b->r.dim[d], cut = rsh_draw(2) ? rsh_draw(n) : rsh_draw(n < 3 ? n : 3);
        switch (rsh_draw(5)) {
        case 0: lo[d] = cut; break;
        case 1: hi[d] = n - cut; break;
        case 2:
            lo[d] = cut;
            hi[d] = cut + 1 + rsh_draw(n - cut);
            break;
        default: break;
        }
    }
    return array_of_box(b, t, lo, hi);
}

/* The value of a random array, or of two that lie side by side. */
static int part(rb *b, orr_dtype t)
{
    int64_t lo[ORR_MAX_RANK] = { 0 }, hi[ORR_MAX_RANK];
    int d = (int)rsh_draw(b->r.rank), a;
    memcpy(hi, b->r.dim, sizeof hi);
    if (b->r.dim[d] < 2 || rsh_draw(3) == 0)
        return rb_load(b, random_array(b, t));
    hi[d] = 1 + rsh_draw(b->r.dim[d] - 1);
    a = array_of_box(b, t, lo, hi);
    int x = rb_load(b, a), in = rb_push(b, ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1, a, -1);
    lo[d] = hi[d];
    hi[d] = b->r.dim[d];
    return rb_ew(b, "where", in, x, rb_load(b, array_of_box(b, t, lo, hi)));
}

static void random_dims(int64_t dim[ORR_MAX_RANK], int *rank)
{
    int64_t most = POINTS;
    *rank = 1 + (int)rsh_draw(4);
    for (int d = *rank - 1; d >= 0; d--) {
        int64_t n = rsh_draw(6) == 0 ? 1 + rsh_draw(1200) : 1 + rsh_draw(70);
        dim[d] = n < most ? n : most;
        most /= dim[d];
    }
}

static void random_region(rb *b)
{
    static const char *const word[] = { "add", "maximum", "minimum", "sub" };
    int64_t dim[ORR_MAX_RANK];
    int rank;
    random_dims(dim, &rank);
    orr_dtype t = kinds[rsh_draw(KINDS)], from = t;
    bool folds = rsh_draw(3) == 0, sums = folds && rsh_draw(2) && t != ORR_BOOL;
    if (sums) /* few digits: the order of a sum does not change it */
        from = orr__is_unsigned(t) ? ORR_U8 : ORR_I8;
    rb_begin(b, folds ? RB_REDUCE : RB_MAP, rank, dim);
    int value = -1, first = -1;
    for (int n = 1 + (int)rsh_draw(ARRAYS); n > 0; n--) {
        int x = part(b, from);
        x = from == t ? x : rb_cast(b, t, x);
        int op = (int)rsh_draw(4);
        value = value < 0       ? x
                : t == ORR_BOOL ? rb_ew(b, "logical_xor", value, x, -1)
                                : rb_ew(b, word[op], value, x, -1);
        first = first < 0 ? x : first;
    }
    b->r.nest = (int)rsh_draw(4); /* 0: the chosen one */
    if (folds) {
        for (int n = t == ORR_BOOL ? 0 : WORK * (int)rsh_draw(2); n > 0; n--) /* rows of costly values can be joined */
            value = rb_ew(b, n & 1 ? "maximum" : "minimum", value, first, -1);
        int of = (int)rsh_draw(3); /* rows, columns, any */
        b->r.rmask = of < 2 && of < rank ? 1u << (rank - 1 - of) : 1u + (uint32_t)rsh_draw((1 << rank) - 1);
        b->r.nest = b->r.rmask >> (rank - 1) & 1u ? b->r.nest : 0; /* columns have one */
        b->r.rop[0] = sums ? ORR__RSUM : t == ORR_BOOL ? ORR__RANY : rsh_draw(2) ? ORR__RMAX : ORR__RMIN;
        bool wide = sums && !orr__is_float(t);
        rb_out(b, wide ? orr__is_unsigned(t) ? ORR_U64 : ORR_I64 : t, value);
        return;
    }
    rb_out(b, t, value);
    if (rsh_draw(3) == 0)
        rb_out(b, t, first);
}

void boxes_of_any_place(void)
{
    static rb b;
    const char *seed = getenv("ORR_TEST_SEED");
    rc_state += seed ? strtoull(seed, NULL, 10) : 0;
    for (int i = orr_test_full() ? MANY : FEW; i > 0; i--) {
        random_region(&b);
        rc_check("boxes", &b, b.r.rmask & 1u ? 1 : 1 + (int)rsh_draw(3), -2, 2, 0);
    }
}

/* One loop walks the rows. The value of each outer index, padded on that axis, is read before it, where no range of joined rows is known. */
void a_box_of_an_outer_axis_beside_joined_rows(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 3, (int64_t[]){ 7, 60, 60 });
    int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 7 * 60 * 60), 0, (int64_t[]){ 3600, 60, 1 }));
    int one = rb_box(&b, rb_access(&b, rb_input(&b, ORR_F32, 5), -1, (int64_t[]){ 1, 0, 0 }), 0, 1, 6);
    int row = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 60), 0, (int64_t[]){ 0, 0, 1 }));
    rb_out(&b, ORR_F32, rb_ew(&b, "add", rb_ew(&b, "sub", x, rb_load(&b, one), -1), row, -1));
    rc_check("outer box", &b, 3, -2, 2, 0);
}

/* Two arrays beside each other along each of the axes, folded along rows and along columns: of cheap and of costly values, which are joined. */
void folds_of_concatenated_arrays(void)
{
    static rb b;
    static const orr_dtype type[] = { ORR_U8, ORR_F32, ORR_I64 };
    static const int64_t dims[][3] = { { 11, 67, 26 }, { 3, 150, 23 }, { 2, 300, 2 }, { 40, 7, 130 } };
    for (int i = 0; i < 4 * 3 * 2; i++) {
        const int64_t *dim = dims[i % 4];
        int axis = i / 4 % 3, rows = i / 12;
        orr_dtype t = type[i % 3];
        int64_t lo[3] = { 0 }, hi[3], cut = 1 + dim[axis] / 3;
        memcpy(hi, dim, sizeof hi);
        rb_begin(&b, RB_REDUCE, 3, dim);
        hi[axis] = cut;
        int a = array_of_box(&b, t, lo, hi), x = rb_load(&b, a);
        int in = rb_push(&b, ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1, a, -1);
        lo[axis] = cut;
        hi[axis] = dim[axis];
        int y = rb_ew(&b, "where", in, x, rb_load(&b, array_of_box(&b, t, lo, hi)));
        for (int k = i & 1 ? WORK : 0; k > 0; k--)
            y = rb_ew(&b, k & 1 ? "maximum" : "minimum", y, x, -1);
        b.r.rmask = rows ? 4 : 2;
        b.r.rop[0] = ORR__RSUM;
        rb_out(&b, t == ORR_F32 ? ORR_F64 : t == ORR_U8 ? ORR_U64 : ORR_I64, y);
        rc_check("concatenated", &b, 2, 0, 9, 0);
    }
}

/* Indices along the rows, along the columns and along both, of any step, beside an operand that one loop walks, and one value per row. */
void indices_beside_joined_rows(void)
{
    static const orr_dtype type[] = { ORR_F32, ORR_I32, ORR_I64, ORR_F64, ORR_U8, ORR_I16 };
    static const int64_t rows[] = { 900, 401, 150, 101, 77, 64 }, columns[] = { 3, 7, 17, 31, 48, 63 };
    for (int t = 0; t < 6; t++) {
        static rb b;
        const int64_t m = rows[t], n = columns[t],
                      step[][3] = { { 0, 0, 1 }, { 0, 3, 0 }, { m * n, n, 1 }, { 5, 0, -2 }, { 1, 0, 0 } };
        rb_begin(&b, RB_MAP, 3, (int64_t[]){ 2, m, n });
        int x = rb_load(&b, rb_access(&b, rb_input(&b, type[t], 2 * m * n), 0, (int64_t[]){ m * n, n, 1 }));
        int y = rb_load(&b, rb_access(&b, rb_input(&b, type[t], 2 * m), 0, (int64_t[]){ m, 1, 0 }));
        orr__scalar start = { .i = 100 }, by = { .i = -7 };
        if (orr__is_float(type[t]))
            start.f = 0.5, by.f = 0.25;
        x = rb_ew(&b, "maximum", x, y, -1);
        for (int k = 0; k < 5; k++)
            x = rb_ew(&b, "add", x, rb_iota(&b, type[t], rb_access(&b, -1, 7, step[k]), start, by), -1);
        rb_out(&b, type[t], x);
        rc_check("indices", &b, 2, 0, 9, 0);
    }
}

/* No set of boxes gets a loop of its own. */
void more_boxes_than_a_set_holds(void)
{
    enum { BOXES = 80, APART = 5, LONG = 9, N = APART * BOXES + LONG };
    static rb b;
    rb_begin(&b, RB_MAP, 1, (int64_t[]){ N });
    int in = rb_input(&b, ORR_I32, N), sum = -1;
    for (int k = 0; k < BOXES; k++) {
        int x = rb_load(&b, rb_box(&b, rb_access(&b, in, 0, (int64_t[]){ 1 }), 0, k * APART, k * APART + LONG));
        sum = sum < 0 ? x : rb_ew(&b, "add", sum, x, -1);
    }
    rb_out(&b, ORR_I32, sum);
    rc_check("many boxes", &b, 2, -100, 100, 0);
}
