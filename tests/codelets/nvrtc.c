/* CUDA C of every kind of kernel, compiled by NVRTC, which needs no GPU: every row, dtype and layout, reductions,
 * rows that read their folds, products, moves, casts, random numbers. The assembler's report on machine code is checked: registers, local
 * memory, resident blocks. By default a part of the kernels, drawn; with ORR_TEST_FULL=1 everything for all architectures.
 * Must not know: GPUs, launches. */
#include "config.h"

#ifndef HAVE_NVRTC
#include "tests/harness/harness.h"

static void nvrtc(void)
{
    ORR_SKIP("built without NVRTC");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(nvrtc), { 0 } };
    return orr_test_main(argc, argv, "codelets.nvrtc", tests);
}

#else

#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "ops/field/field.h"
#include "ops/nn/recurrence.h"
#include "runtime/base/env.h"
#include "tests/harness/harness.h"
#include "tests/codelets/nvrtc_unit.h"
#include "tests/harness/region_build.h"

static const int wanted[] = { 80, 75, 90, 100, 120 }; /* everything is for the first one */

/* -- regions -------------------------------------------------------------------------------------------------------- */

enum { CONTIGUOUS, BROADCAST, STRIDED, REVERSED, SCALAR, LAYOUTS };
static const char *const layout_name[] = { "contiguous", "broadcast", "strided", "reversed", "scalar" };

static int operand(rb *b, orr_dtype t, int layout)
{
    const int64_t n = b->r.dim[1];
    const int64_t stride[LAYOUTS][2] = { { n, 1 }, { 0, 1 }, { 3 * n, 3 }, { -n, -1 }, { 0, 0 } };
    if (layout == SCALAR)
        return rb_scalar(b, t, orr__scalar_cast((orr__scalar){ .f = 2 }, ORR_F64, t));
    return rb_load(b, rb_access(b, rb_input(b, t, 10000), layout == REVERSED ? 9999 : 0, stride[layout]));
}

/* A region of rows from number *i on, as many as it holds, with operands in layouts from `layout` on. */
static void rows_region(orr_dtype t, int *i, int layout)
{
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    int reg[2][LAYOUTS], acc = -1, n = 0;
    char what[96] = "";
    rb_begin(&b, RB_MAP, 2, dim);
    for (int k = 0; k < LAYOUTS; k++) {
        reg[0][k] = operand(&b, t, k);
        reg[1][k] = t == ORR_BOOL ? reg[0][k] : k < 2 ? operand(&b, ORR_BOOL, k) : reg[1][k % 2];
    }
    for (; *i < orr__ew_count() && n < 16; ++*i) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + *i);
        if (!orr__ew_takes_scalars(row, t))
            continue;
        int x = reg[row->cond][layout % LAYOUTS], y = reg[0][(layout + 1) % LAYOUTS],
            z = reg[0][(layout + 2) % LAYOUTS];
        int v = rb_row(&b, row, x, y, z);
        if (row->to_bool && t != ORR_BOOL)
            v = rb_cast(&b, t, v);
        acc = acc < 0 ? v : rb_ew(&b, "maximum", acc, v, -1);
        if (n++ == 0)
            (void)snprintf(what, sizeof what, "rows from %s on, %s, %s first", row->op.name, orr_dtype_name(t),
                           layout_name[layout]);
    }
    if (acc < 0)
        return;
    rb_out(&b, t, acc);
    nvrtc_unit_add(&b.r, what);
}

static void every_row(orr_dtype t, int layout)
{
    for (int i = 0; i < orr__ew_count();)
        rows_region(t, &i, layout);
}

static void every_cast(orr_dtype from)
{
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    char what[64];
    for (int to = 0; to < ORR__SCALAR_DTYPES; to += ORR__REGION_OUTS) {
        rb_begin(&b, RB_MAP, 2, dim);
        int x = operand(&b, from, CONTIGUOUS);
        for (int k = to; k < ORR__SCALAR_DTYPES && k < to + ORR__REGION_OUTS; k++)
            rb_out(&b, (orr_dtype)k, rb_cast(&b, (orr_dtype)k, x));
        (void)snprintf(what, sizeof what, "%s to %s and on", orr_dtype_name(from), orr_dtype_name((orr_dtype)to));
        nvrtc_unit_add(&b.r, what);
    }
}

/* All rows of a field, on operands of every layout. */
static void field_rows(orr_dtype t)
{
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    rb_begin(&b, RB_MAP, 2, dim);
    int x = operand(&b, t, CONTIGUOUS), y = operand(&b, t, (CONTIGUOUS + 1) % LAYOUTS);
    int sum = rb_ew(&b, "add", rb_ew(&b, "mul", x, y, -1), rb_ew(&b, "square", y, -1, -1), -1);
    int which = rb_ew(&b, "equal", sum, rb_ew(&b, "neg", x, -1, -1), -1);
    rb_out(&b, t, rb_ew(&b, "where", which, rb_ew(&b, "sub", x, sum, -1), rb_ew(&b, "positive", y, -1, -1)));
    rb_out(&b, ORR_BOOL, rb_ew(&b, "not_equal", x, y, -1));
    nvrtc_unit_add(&b.r, orr_dtype_name(t));
}

/* A call of an operation on fields: the shapes and dtypes of its operands and result; what: the number of its
 * function. */
static void field_call(const orr__op *op, int what, int nin, orr_shape *in, const orr_dtype *from, orr_shape out,
                       orr_dtype to)
{
    static rb b;
    char name[64];
    rb_begin(&b, RB_MAP, 2, (int64_t[]){ 1, 4 });
    for (int i = 0; i < nin; i++)
        (void)rb_input(&b, from[i], orr__shape_count(&in[i]));
    b.r.nout = 1;
    b.r.out_dtype[0] = (uint8_t)to;
    b.r.out_count = orr__shape_count(&out);
    b.r.call.op = op;
    b.r.call.attr.index = what;
    b.r.call.attr.start[0] = 1;
    b.r.call.nin = nin;
    b.r.call.in = in;
    b.r.call.out = out;
    (void)snprintf(name, sizeof name, "%s %d of %d, %s", op->name, what, nin, orr_dtype_name(from[0]));
    nvrtc_unit_add(&b.r, name);
}

static void field_calls(void)
{
    orr_shape rows[] = { ORR_SHAPE(2, 8), ORR_SHAPE_0D }, stacks[] = { ORR_SHAPE(2, 3, 8), ORR_SHAPE(2, 4, 8) },
              parts[] = { ORR_SHAPE(1, 2, 64, 32), ORR_SHAPE_0D }, points[] = { ORR_SHAPE(9, 2), ORR_SHAPE(9, 4) },
              line = ORR_SHAPE(9), places[] = { ORR_SHAPE(2, 5), ORR_SHAPE(9) };
    static const orr_dtype r[] = { ORR_FR254, ORR_FR254 }, q[] = { ORR_FQ254, ORR_FQ254 },
                           window[] = { ORR_FQ254, ORR_U64 };
    for (int f = 0; f < 2; f++) {
        const orr_dtype *t = f ? q : r, field = t[0];
        field_call(&orr__op_field_sums, 0, 2, stacks, t, ORR_SHAPE(2, 3, 4), field);
        field_call(&orr__op_field_elements, ORR__ELEMENTS_POW, 1, &line, t, line, field);
        field_call(&orr__op_field_elements, ORR__ELEMENTS_LEAVE, 1, &line, t, ORR_SHAPE(9, 4), ORR_U64);
        field_call(&orr__op_field_elements, ORR__ELEMENTS_INVERSE, 1, &line, t, line, field);
        field_call(&orr__op_field_elements, ORR__ELEMENTS_NOT_ZERO, 1, &line, t, line, field);
        field_call(&orr__op_field_elements, ORR__ELEMENTS_ENTER, 1, &points[1], (orr_dtype[]){ ORR_U64 }, line, field);
        field_call(&orr__op_field_values, 0, 2, places, t, ORR_SHAPE(2, 9), field);
        for (int d = ORR_I8; d <= ORR_U64; d++)
            field_call(&orr__op_field_elements, ORR__ELEMENTS_AS_INTEGERS, 1, &line, t, line, (orr_dtype)d);
        for (int d = ORR_BOOL; d <= ORR_U64; d++)
            field_call(&orr__op_field_elements, ORR__ELEMENTS_OF_INTEGERS, 1, &line, (orr_dtype[]){ (orr_dtype)d },
                       line, field);
    }
    for (int nin = 1; nin <= 2; nin++) {
        field_call(&orr__op_field_transform, 0, nin, rows, r, rows[0], ORR_FR254);
        field_call(&orr__op_field_columns, 0, nin, rows, r, parts[0], ORR_FR254);
        field_call(&orr__op_field_rows, 1, nin, parts, r, parts[0], ORR_FR254);
    }
    for (int what = 0; what < 3; what++)
        field_call(&orr__op_field_points,
                   what == 0   ? ORR__POINTS_CHECK
                   : what == 1 ? ORR__POINTS_NEG
                               : ORR__POINTS_CONTAINS,
                   1, points, q, what < 2 ? points[0] : line, what < 2 ? ORR_FQ254 : ORR_BOOL);
    field_call(&orr__op_field_hash, 0, 1, rows, r, ORR_SHAPE(2), ORR_FR254);
    field_call(&orr__op_field_digits, 5, 1, &line, r, points[1], ORR_U64);
    field_call(&orr__op_field_windows, 5, 2, points, window, ORR_SHAPE(51, 16), ORR_U64);
}

static orr_dtype folded(int rop, orr_dtype t)
{
    if (rop == ORR__RANY || rop == ORR__RALL)
        return ORR_BOOL;
    if (rop >= ORR__RMAX || orr__is_float(t))
        return t;
    return orr__is_signed(t) ? ORR_I64 : ORR_U64;
}

static void every_fold(orr_dtype t)
{
    static const char *const name[] = { "sum", "prod", "max", "min", "any", "all" };
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    char what[64];
    for (int rop = ORR__RSUM; rop <= ORR__RALL; rop++)
        for (int arg = 0; arg < 1 + (rop == ORR__RMAX || rop == ORR__RMIN); arg++) {
            rb_begin(&b, arg ? RB_ARGREDUCE : RB_REDUCE, 2, dim);
            b.r.rop[0] = rop;
            b.r.rmask = 1u + (uint32_t)(rop + arg) % 2;
            rb_out(&b, arg ? ORR_I64 : folded(rop, t), operand(&b, t, (int)t % SCALAR));
            (void)snprintf(what, sizeof what, "%s%s of %s", arg ? "where " : "", name[rop], orr_dtype_name(t));
            nvrtc_unit_add(&b.r, what);
        }
    rb_begin(&b, RB_MAP, 2, dim);
    b.r.loops = ORR__LOOPS_ROWS;
    int x = operand(&b, t, CONTIGUOUS), most = -1;
    for (int rop = ORR__RSUM; rop <= ORR__RALL; rop++) {
        int v = rb_push(&b, ORR__RI_FOLD, folded(rop, t), rop, x, -1, -1, -1, -1);
        most = rop == ORR__RMAX ? v : most;
        if (rop < ORR__REGION_OUTS)
            rb_out(&b, folded(rop, t), v);
    }
    b.r.out_reg[0] = (int16_t)rb_push(&b, ORR__RI_FOLD, folded(ORR__RSUM, t), ORR__RSUM,
                                      rb_ew(&b, "equal", x, most, -1), -1, -1, -1, -1);
    (void)snprintf(what, sizeof what, "folds of rows of %s", orr_dtype_name(t));
    nvrtc_unit_add(&b.r, what);
}

/* Folds of a product of elements, with and without an instruction equal to the fold. */
static void field_folds(void)
{
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    char what[64];
    for (int k = 0; k < 12; k++) {
        const orr_dtype t = k % 2 ? ORR_FQ254 : ORR_FR254;
        const int rop = k / 2 % 2 ? ORR__RPROD : ORR__RSUM;
        rb_begin(&b, k < 8 ? RB_REDUCE : RB_MAP, 2, dim);
        int x = operand(&b, t, CONTIGUOUS);
        if (k % 8 >= 4)
            x = rb_ew(&b, "mul", x, operand(&b, t, CONTIGUOUS), -1);
        if (k < 8) {
            b.r.rop[0] = rop;
            b.r.rmask = 1u + (unsigned)rop % 2;
        } else {
            b.r.loops = ORR__LOOPS_ROWS;
            x = rb_ew(&b, "sub", x, rb_push(&b, ORR__RI_FOLD, t, rop, x, -1, -1, -1, -1), -1);
        }
        rb_out(&b, t, x);
        (void)snprintf(what, sizeof what, "fold %d of %s", k, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Softmax, log-softmax and a normalisation. */
static void row_patterns(orr_dtype t)
{
    static rb b;
    const int64_t dim[3] = { 4, 10, 20 };
    char what[64];
    for (int k = 0; k < 3; k++) {
        rb_begin(&b, RB_MAP, 3, dim);
        b.r.loops = ORR__LOOPS_ROWS;
        int x = rb_load(&b, rb_access(&b, rb_input(&b, t, 9999), 7, (int64_t[]){ 500, 20, k == 2 ? -1 : 1 }));
        int most = rb_push(&b, ORR__RI_FOLD, t, k == 2 ? ORR__RSUM : ORR__RMAX, x, -1, -1, -1, -1);
        int d = rb_ew(&b, "sub", x, most, -1), e = rb_ew(&b, k == 2 ? "square" : "exp", d, -1, -1);
        int sum = rb_push(&b, ORR__RI_FOLD, t, ORR__RSUM, e, -1, -1, -1, -1);
        rb_out(&b, t,
               k == 0   ? rb_ew(&b, "div", e, sum, -1)
               : k == 1 ? rb_ew(&b, "sub", d, rb_ew(&b, "log", sum, -1, -1), -1)
                        : rb_ew(&b, "mul", d, rb_ew(&b, "rsqrt", sum, -1, -1), -1));
        (void)snprintf(what, sizeof what, "row pattern %d of %s", k, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Light work on contiguous arrays, whose only cost is the access to memory: maps, with an operand that is the same for all rows too; a
 * fold; a row that reads its fold. */
static void streams(orr_dtype t)
{
    static const char *const name[] = { "map", "bias", "fold", "row" };
    static rb b;
    char what[64];
    for (int k = 0; k < 4; k++) {
        rb_begin(&b, k == 2 ? RB_REDUCE : RB_MAP, 2, (int64_t[]){ 10, 64 });
        b.r.rop[0] = ORR__RSUM;
        b.r.rmask = k == 2 ? 2 : 0;
        b.r.loops = k == 3 ? ORR__LOOPS_ROWS : ORR__LOOPS_MAP;
        int x = rb_load(&b, rb_access(&b, rb_input(&b, t, 640), 0, (int64_t[]){ 64, 1 }));
        if (k < 2) {
            int y = rb_load(&b, rb_access(&b, rb_input(&b, t, 640), 0, (int64_t[]){ k ? 0 : 64, 1 }));
            x = rb_ew(&b, "relu", rb_ew(&b, "add", x, y, -1), -1, -1);
        } else if (k == 3) {
            x = rb_ew(&b, "sub", x, rb_push(&b, ORR__RI_FOLD, t, ORR__RMAX, x, -1, -1, -1, -1), -1);
        }
        rb_out(&b, t, x);
        (void)snprintf(what, sizeof what, "stream: %s of %s", name[k], orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Alone, with work on it, and by the large tile. */
static void products(orr_dtype t)
{
    static rb b;
    const int64_t dim[4] = { 3, 70, 80, 90 }, enough = orr__emit_large_tiles;
    char what[64];
    for (int k = 0; k < 3; k++) {
        rb_begin(&b, RB_MATMUL, 4, dim);
        int in = rb_input(&b, t, 100000), other = rb_input(&b, t, 100000);
        (void)rb_access(&b, in, 0, (int64_t[]){ 6300, 90, 0, 1 });
        (void)rb_access(&b, other, 0, (int64_t[]){ 0, 0, 1, 80 });
        if (k == 1) {
            int p = rb_push(&b, ORR__RI_PRODUCT, t, 0, -1, -1, -1, -1, -1);
            int bias = rb_load(&b, rb_access(&b, rb_input(&b, t, 80), 0, (int64_t[]){ 0, 0, 1, 0 }));
            rb_out(&b, ORR_F32, rb_cast(&b, ORR_F32, rb_ew(&b, "relu", rb_ew(&b, "add", p, bias, -1), -1, -1)));
            rb_out(&b, t, p);
        } else {
            rb_out(&b, t, -1);
        }
        b.r.out_count = 3 * 70 * 80;
        orr__emit_large_tiles = k == 2 ? 1 : enough;
        (void)snprintf(what, sizeof what, "product%s of %s%s",
                       k == 1   ? " and more"
                       : k == 2 ? ", large tile,"
                                : "",
                       orr_dtype_name(t), orr__env.tf32 ? ", TF32" : "");
        nvrtc_unit_add(&b.r, what);
        orr__emit_large_tiles = enough;
    }
}

static void products_of_every_dtype(void)
{
    static const orr_dtype real[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16, ORR_F32 };
    for (int t = 0; t < 5; t++) {
        orr__env.tf32 = t == 4;
        products(real[t]);
    }
    orr__env.tf32 = false;
}

static void moves(orr_dtype t)
{
    static const orr__op *const kernel[] = { &orr__op_scatter_add, &orr__op_concat };
    static rb b;
    orr_shape shape[3] = { ORR_SHAPE(3, 4), ORR_SHAPE(5), ORR_SHAPE(5, 4) };
    char what[64];
    for (int k = 0; k < 2; k++) {
        if (k == 0 && t == ORR_BOOL)
            continue;
        rb_begin(&b, RB_MAP, 2, (int64_t[]){ 3, 4 });
        (void)rb_input(&b, t, 12);
        if (k == 0)
            (void)rb_input(&b, t == ORR_F64 ? ORR_U64 : orr__is_float(t) || t == ORR_BOOL ? ORR_I32 : t, 5);
        (void)rb_input(&b, t, 20);
        b.r.nout = 1;
        b.r.out_dtype[0] = (uint8_t)t;
        b.r.out_count = 12;
        b.r.call.op = kernel[k];
        b.r.call.out = shape[0];
        b.r.call.in = shape;
        (void)snprintf(what, sizeof what, "move %d of %s", k, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Convolution, pooling and resizing, whose sources depend only on dtypes. */
static void windows(orr_dtype t)
{
    static const orr__op *const kernel[] = { &orr__op_conv,      &orr__op_conv_data,    &orr__op_conv_weights,
                                             &orr__op_pool_max,  &orr__op_pool_pick,    &orr__op_pool_spread,
                                             &orr__op_pool_pick, &orr__op_resize,       &orr__op_resize_back,
                                             &orr__op_pool_sum,  &orr__op_pool_sum_back };
    static rb b;
    orr_shape shape[2] = { ORR_SHAPE(1, 1, 4), ORR_SHAPE(1, 1, 4) };
    char what[64];
    for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
        orr_dtype second = k == 6 ? ORR_I64 : t;
        rb_begin(&b, RB_MAP, 2, (int64_t[]){ 1, 4 });
        (void)rb_input(&b, t, 4);
        if (kernel[k]->arity > 1)
            (void)rb_input(&b, second, 4);
        b.r.nout = 1;
        b.r.out_dtype[0] = (uint8_t)second;
        b.r.out_count = 4;
        b.r.call.op = kernel[k];
        b.r.call.out = shape[0];
        b.r.call.in = shape;
        (void)snprintf(what, sizeof what, "%s of %s", kernel[k]->name, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Attention with and without dropout and a mask, forward and backward. */
static void attentions(orr_dtype t)
{
    static rb b;
    orr_shape shape[8] = { ORR_SHAPE(1, 1, 4, 4) };
    const orr_dtype to = orr__is_half(t) ? ORR_F32 : t;
    char what[64];
    for (int k = 0; k < 8; k++) {
        bool back = k & 1, drops = k & 2, masked = k & 4;
        rb_begin(&b, RB_MAP, 2, (int64_t[]){ 4, 4 });
        for (int i = 0; i < 3 + 2 * back; i++)
            (void)rb_input(&b, back && i < 2 ? to : t, 16);
        shape[2] = ORR_SHAPE(1, 1, 4, masked ? 100 : 4); /* heads of up to 64 numbers, and up to 128 */
        if (drops) {
            (void)rb_input(&b, ORR_U64, 1);
            (void)rb_input(&b, ORR_I64, 1); /* numbers of heads */
        }
        if (masked)
            (void)rb_input(&b, to, 16);
        b.r.nout = 1;
        b.r.out_dtype[0] = (uint8_t)to;
        b.r.out_count = 16;
        b.r.call.op = back ? &orr__op_attention_grad : &orr__op_attention;
        b.r.call.out = shape[0];
        b.r.call.in = shape;
        (void)snprintf(what, sizeof what, "%s of %s%s%s", b.r.call.op->name, orr_dtype_name(t),
                       drops ? ", dropout" : "", masked ? ", mask" : "");
        nvrtc_unit_add(&b.r, what);
    }
}

/* The loss of sequences without alignments, and its gradient. */
static void sequences(orr_dtype t)
{
    static rb b;
    orr_shape shape[4] = { ORR_SHAPE(4, 2, 3), ORR_SHAPE(2, 2), ORR_SHAPE(2), ORR_SHAPE(2) };
    const orr_shape out[2] = { ORR_SHAPE(2), ORR_SHAPE(2, 4, 3) };
    char what[64];
    for (int k = 0; k < 2; k++) {
        rb_begin(&b, RB_MAP, 2, (int64_t[]){ 2, k ? 12 : 1 });
        (void)rb_input(&b, t, 24);
        for (int i = 1; i < 4; i++)
            (void)rb_input(&b, ORR_I64, orr__shape_count(&shape[i]));
        b.r.nout = 1;
        b.r.out_dtype[0] = (uint8_t)t;
        b.r.out_count = orr__shape_count(&out[k]);
        b.r.call.op = k ? &orr__op_ctc_grad : &orr__op_ctc_loss;
        b.r.call.out = out[k];
        b.r.call.in = shape;
        (void)snprintf(what, sizeof what, "%s of %s", b.r.call.op->name, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Recurrences of every cell with and without lengths, forward, backward, and backward to the first states alone. */
static void recurrences(orr_dtype t)
{
    static rb b;
    char what[80];
    for (int k = 0; k < 6 * (ORR_CELL_GRU + 1); k++) {
        int cell = k / 6, back = k % 3, at = 0;
        bool lstm = cell == ORR_CELL_LSTM, gru = cell == ORR_CELL_GRU, lengths = k % 6 / 3;
        int64_t wide = (lstm ? 16 : gru ? 12 : 4);
        orr_shape shape[8], state = ORR_SHAPE(2, 4);
        shape[at++] = back ? ORR_SHAPE(2, 15, 4) : ORR_SHAPE(2, 3, wide);
        if (back)
            shape[at++] = ORR_SHAPE(2, 3, 4);
        if (back && lstm)
            shape[at++] = state;
        shape[at++] = ORR_SHAPE(4, wide);
        shape[at++] = state;
        if (lstm)
            shape[at++] = state;
        if (gru && !back)
            shape[at++] = ORR_SHAPE(wide);
        rb_begin(&b, RB_MAP, 2, (int64_t[]){ 2, 4 });
        for (int i = 0; i < at; i++)
            (void)rb_input(&b, t, orr__shape_count(&shape[i]));
        if (lengths) {
            (void)rb_input(&b, ORR_I64, 2);
            shape[at++] = ORR_SHAPE(2);
        }
        b.r.nout = 1;
        b.r.out_dtype[0] = (uint8_t)t;
        b.r.out_count = 8;
        b.r.call.op = back ? &orr__op_recurrence_grad : &orr__op_recurrence;
        b.r.call.attr.index = cell;
        b.r.call.attr.mask = (lengths ? ORR__RECUR_LENGTHS | ORR__RECUR_REVERSE : 0) |
                             (back == 2 ? ORR__RECUR_FIRST : 0) | (gru && !back ? ORR__RECUR_BIAS : 0) |
                             (k % 2 && cell > 1 && !back ? ORR__RECUR_KEEPS : 0);
        b.r.call.nin = at;
        b.r.call.out = ORR_SHAPE(2, 1, 4);
        b.r.call.in = shape;
        (void)snprintf(what, sizeof what, "%s of cell %d, %s, case %d", b.r.call.op->name, cell, orr_dtype_name(t),
                       k % 6);
        nvrtc_unit_add(&b.r, what);
    }
}

/* Two places and the elements there: one along the last axis, one not. */
static int gathered(rb *b, orr_dtype t)
{
    int table = rb_input(b, t, 400), reg[2];
    for (int k = 0; k < 2; k++) {
        int i = rb_load(b, rb_placed(b, rb_input(b, k ? ORR_I64 : ORR_I32, 20), k, 0));
        b->access[b->r.naccess - 1].placed = false;
        i = rb_push(b, ORR__RI_PLACE, ORR_I64, 0, i, -1, -1, rb_placed(b, -1, k, 20), -1);
        reg[k] = rb_push(b, ORR__RI_GATHER, t, 0, i, -1, -1, rb_placed(b, table, !k, 20), -1);
    }
    return t == ORR_BOOL ? rb_ew(b, "logical_and", reg[0], reg[1], -1) : rb_ew(b, "maximum", reg[0], reg[1], -1);
}

/* Gathers in a map, a fold and a row. */
static void gathers(orr_dtype t)
{
    static rb b;
    char what[64];
    for (int k = 0; k < 3; k++) {
        rb_begin(&b, k == 1 ? RB_REDUCE : RB_MAP, 2, (int64_t[]){ 10, 20 });
        b.r.rop[0] = ORR__RMAX;
        b.r.rmask = k == 1 ? 1 : 0;
        b.r.loops = k == 2 ? ORR__LOOPS_ROWS : ORR__LOOPS_MAP;
        int x = gathered(&b, t);
        rb_out(&b, t, k == 2 ? rb_push(&b, ORR__RI_FOLD, t, ORR__RMAX, x, -1, -1, -1, -1) : x);
        (void)snprintf(what, sizeof what, "gather %d of %s", k, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

/* Accesses with a box: in a map, in several folds at once, in rows. */
static void parts(orr_dtype t)
{
    static rb b;
    char what[64];
    for (int k = 0; k < 3; k++) {
        rb_begin(&b, k == 1 ? RB_REDUCE : RB_MAP, 2, (int64_t[]){ 10, 20 });
        b.r.rmask = k == 1 ? 1 : 0;
        b.r.loops = k == 2 ? ORR__LOOPS_ROWS : ORR__LOOPS_MAP;
        int x = rb_load(&b, rb_box(&b, rb_access(&b, rb_input(&b, t, 400), -8, (int64_t[]){ 20, 1 }), 1, 8, 20));
        int in = rb_push(&b, ORR__RI_INSIDE, ORR_BOOL, 0, -1, -1, -1,
                         rb_box(&b, rb_access(&b, -1, 0, (int64_t[]){ 0, 0 }), 0, 2, 5), -1);
        int y = rb_ew(&b, "where", in, x, operand(&b, t, BROADCAST));
        b.r.rop[0] = ORR__RMAX;
        b.r.rop[1] = ORR__RSUM;
        b.r.rop[2] = ORR__RMIN;
        rb_out(&b, t, k == 2 ? rb_push(&b, ORR__RI_FOLD, t, ORR__RMAX, y, -1, -1, -1, -1) : y);
        if (k < 2)
            rb_out(&b, k ? folded(ORR__RSUM, t) : t, x);
        if (k == 1)
            rb_out(&b, t, x);
        (void)snprintf(what, sizeof what, "part %d of %s", k, orr_dtype_name(t));
        nvrtc_unit_add(&b.r, what);
    }
}

static void random_numbers(orr_dtype t)
{
    static rb b;
    const int64_t dim[2] = { 10, 20 };
    char what[64];
    rb_begin(&b, RB_MAP, 2, dim);
    int a = rb_linear(&b, -1);
    rb_out(&b, t, rb_random(&b, ORR__DBITS, t, a, 1, 0, 0));
    rb_out(&b, t, rb_random(&b, orr__is_float(t) ? ORR__DUNIFORM : ORR__DINTEGERS, t, a, 1, 0, 9));
    rb_out(&b, t, rb_random(&b, orr__is_float(t) ? ORR__DNORMAL : ORR__DPERMUTATION, t, a, 1, 200, 0));
    if (t != ORR_BOOL)
        rb_out(&b, t, rb_iota(&b, t, a, (orr__scalar){ .u = 0 }, (orr__scalar){ .u = 1 }));
    (void)snprintf(what, sizeof what, "random numbers of %s", orr_dtype_name(t));
    nvrtc_unit_add(&b.r, what);
}

/* Everything except the rows. */
static void the_rest(orr_dtype t)
{
    every_cast(t);
    every_fold(t);
    moves(t);
    gathers(t);
    parts(t);
    random_numbers(t);
    if (orr__is_float(t)) {
        streams(t);
        row_patterns(t);
        products(t);
    }
    if (orr__is_float(t))
        attentions(t);
    if (t == ORR_F32 || t == ORR_F64) {
        windows(t);
        sequences(t);
        recurrences(t);
    }
}

/* -- tests ---------------------------------------------------------------------------------------------------------- */

/* Threads index tables of their own: those of fields, of digits, and of CUDA's reduction of large angles in sin, cos, tan. */
static int stack_allowed(const char *what)
{
    bool angles = strncmp(what, "rows from", 9) == 0 || strncmp(what, "random numbers", 14) == 0;
    return strncmp(what, "field_", 6) == 0 ? 1024 : angles ? 64 : 0;
}

/* Kernels that wait for memory: their blocks hide each other's latency. */
static bool moves_memory(const char *what)
{
    static const char *const is[] = { "stream",   "rows from",   "sum",  "prod of", "max of", "min of", "where ",
                                      "folds of", "row pattern", "move", "gather",  "random", "any of", "all of" };
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        if (strncmp(what, is[i], strlen(is[i])) == 0)
            return true;
    return false;
}

/* Resident blocks of a multiprocessor: 64 K registers, given in eights to a thread; 1024 threads on sm_75, else 1536 at least; 64 KB of
 * shared memory, of which each block takes 1 KB more. */
static int blocks_of(const nvrtc_kernel *k)
{
    int by_registers = 65536 / ((k->registers + 7) / 8 * 8 * k->threads),
        by_threads = (k->arch == 75 ? 1024 : 1536) / k->threads, by_shared = 65536 / (k->shared + 1024);
    int least = by_registers < by_threads ? by_registers : by_threads;
    return least < by_shared ? least : by_shared;
}

/* Products, and attention of halves, use the matrix instructions that the target has for their dtype, and copies that run ahead. */
static void check_matrices(const nvrtc_kernel *f)
{
    bool half = strstr(f->what, "float16") != NULL, product = strncmp(f->what, "product", 7) == 0,
         attends = half && strncmp(f->what, "attention of", 12) == 0,
         exact = strstr(f->what, "float32") && !strstr(f->what, "TF32"),
         has = f->arch >= 80 || (half && !strstr(f->what, "bfloat16")), is = (product || attends) && !exact && has;
    ORR_CHECK_MSG(is == (f->matrix > 0), "sm_%d, %s: %d matrix instructions", f->arch, f->what, f->matrix);
    ORR_CHECK_MSG(!(product || attends) || f->arch < 80 || f->ahead > 0, "sm_%d, %s: no copy runs ahead", f->arch,
                  f->what);
    ORR_CHECK_MSG(!product || f->arch < 80 || f->registers <= 128, "sm_%d, %s: %d registers", f->arch, f->what,
                  f->registers);
}

/* Spans of contiguous arrays move 16 bytes at a time. */
static void check_widths(const nvrtc_kernel *f)
{
    bool stream = strncmp(f->what, "stream", 6) == 0, fold = strstr(f->what, "fold of") != NULL;
    ORR_CHECK_MSG(!stream || (f->load == 16 && (fold || f->store == 16)), "sm_%d, %s: loads of %d, stores of %d bytes",
                  f->arch, f->what, f->load, f->store);
}

static void check_machine_code(void)
{
    static int checked;
    int n;
    const nvrtc_kernel *k = nvrtc_unit_facts(&n);
    for (; checked < n; checked++) {
        const nvrtc_kernel *f = &k[checked];
        ORR_CHECK_MSG(f->spills == 0 && f->stack <= stack_allowed(f->what),
                      "sm_%d, %s: %d bytes of stack, %d of spills", f->arch, f->what, f->stack, f->spills);
        ORR_CHECK_MSG(blocks_of(f) >= (moves_memory(f->what) ? 4 : 1),
                      "sm_%d, %s: %d registers, %d bytes shared: %d blocks", f->arch, f->what, f->registers, f->shared,
                      blocks_of(f));
        check_widths(f);
        check_matrices(f);
    }
}

static void need(int i)
{
    if (!nvrtc_unit_knows(wanted[i]))
        ORR_SKIP("this NVRTC does not know sm_%d", wanted[i]);
}

static void all_of_it(int i, bool machine)
{
    nvrtc_unit_for(wanted[i], machine, false);
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
        for (int layout = 0; layout < LAYOUTS; layout++)
            every_row((orr_dtype)t, layout);
        the_rest((orr_dtype)t);
    }
    field_rows(ORR_FR254);
    field_rows(ORR_FQ254);
    field_calls();
    field_folds();
    nvrtc_unit_compile();
}

/* Down to machine code, which shows kernels that exceed an architecture's memory or registers. */
static void selection(int i)
{
    nvrtc_unit_for(wanted[i], true, true);
    static const orr_dtype real[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
    for (int t = 0; t < 4; t++)
        for (int k = 0, row = 0; k < 3; k++)
            rows_region(real[t], &row, CONTIGUOUS);
    for (int t = 0; t < 4; t++) {
        every_fold(real[t]);
        row_patterns(real[t]);
        streams(real[t]);
    }
    moves(ORR_F32);
    windows(ORR_F32);
    windows(ORR_F64);
    attentions(ORR_F32);
    attentions(ORR_F64);
    sequences(ORR_F32);
    recurrences(ORR_F32);
    gathers(ORR_F32);
    random_numbers(ORR_I64);
    field_rows(ORR_FR254);
    field_rows(ORR_FQ254);
    field_calls();
    field_folds();
    nvrtc_unit_compile();
}

static void every_row_dtype_and_layout_compiles(void)
{
    need(0);
    all_of_it(0, orr_test_full());
    ORR_CHECK_MSG(nvrtc_unit_made.kernels > (orr_test_full() ? 200 : 30), "%d kernels", nvrtc_unit_made.kernels);
    printf("  %d kernels in %d compilations\n", nvrtc_unit_made.kernels, nvrtc_unit_made.compilations);
}

/* A kernel or two of those that need the most registers and memory. */
static void largest(int i)
{
    nvrtc_unit_for(wanted[i], true, true);
    row_patterns(ORR_F32);
    products(ORR_F64);
    attentions(ORR_F64);
    nvrtc_unit_compile();
}

/* In the short form one architecture has the selection. */
static void architecture(int i)
{
    need(i);
    if (orr_test_full() && i > 0)
        all_of_it(i, true);
    if (orr_test_full() || wanted[i] == 90)
        selection(i);
    else
        largest(i);
    check_machine_code();
}

#define ARCH(number, i)                                                                                                \
    static void kernels_compile_for_sm_##number(void)                                                                  \
    {                                                                                                                  \
        architecture(i);                                                                                               \
    }
ARCH(80, 0)
ARCH(75, 1)
ARCH(90, 2)
ARCH(100, 3)
ARCH(120, 4)

/* Each has few enough kernels that all are drawn. */
static void wide_accesses(orr_dtype one, orr_dtype other)
{
    int before, after;
    need(2);
    (void)nvrtc_unit_facts(&before);
    nvrtc_unit_for(90, true, false);
    streams(one);
    streams(other);
    nvrtc_unit_compile();
    (void)nvrtc_unit_facts(&after);
    ORR_CHECK_MSG(after - before == 8, "%d kernels", after - before);
    check_machine_code();
}

/* None is left out; in the short form, for an architecture whose matrix instructions are few, or for one with all. */
static void tensor_cores_compute_products_and_attention(void)
{
    static const int arch[] = { 75, 90, 80, 100, 120 };
    int before, after;
    for (size_t i = 0; i < (orr_test_full() ? sizeof arch / sizeof *arch : 2); i++) {
        if (!nvrtc_unit_knows(arch[i]) || !orr_test_due((unsigned)i, 2))
            continue;
        (void)nvrtc_unit_facts(&before);
        nvrtc_unit_for(arch[i], true, i == 0);
        nvrtc_unit_all(true);
        products_of_every_dtype();
        if (i == 1 || orr_test_full())
            attentions(i % 2 ? ORR_BF16 : ORR_F16);
        nvrtc_unit_compile();
        nvrtc_unit_all(false);
        (void)nvrtc_unit_facts(&after);
        ORR_CHECK_MSG(after - before >= 15, "sm_%d: %d kernels", arch[i], after - before);
        check_machine_code();
    }
}

static void spans_of_f32_and_f64_move_16_bytes(void)
{
    wide_accesses(ORR_F32, ORR_F64);
}

static void spans_of_halves_move_16_bytes(void)
{
    wide_accesses(ORR_F16, ORR_BF16);
}

/* Compiles as for an existing device: with the library's options, by the NVRTC that is found at run time. */
static void nvrtc_backend_makes_machine_code(void)
{
    static const char text[] = "extern \"C\" __global__ void orr_kernel(float *x) { x[threadIdx.x] += 1; }";
    orr__cu_image image;
    need(2);
    ORR_REQUIRE(orr__env_load() == ORR_OK);
    orr_status st = orr__cu_compile(ORR__SITE(NULL, 0, "add"), text, 90, false, &image);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st != ORR_OK)
        return;
    ORR_CHECK(image.size > 500 && memcmp(image.data, "\177ELF", 4) == 0);
    ORR_CHECK_MSG(strstr(image.facts, " registers, ") && strstr(image.compiler, " sm_90"), "%s; %s", image.facts,
                  image.compiler);
    free(image.data);
    st = orr__cu_compile(ORR__SITE(NULL, 0, "add"), text, 999, true, &image); /* of the future: PTX */
    ORR_REQUIRE(st == ORR_OK);
    ORR_CHECK(strstr((const char *)image.data, ".target sm_") && image.data[image.size - 1] == '\0');
    free(image.data);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(nvrtc_backend_makes_machine_code),
        ORR_TEST(every_row_dtype_and_layout_compiles),
        ORR_TEST(spans_of_f32_and_f64_move_16_bytes),
        ORR_TEST(spans_of_halves_move_16_bytes),
        ORR_TEST(tensor_cores_compute_products_and_attention),
        ORR_TEST(kernels_compile_for_sm_75),
        ORR_TEST(kernels_compile_for_sm_80),
        ORR_TEST(kernels_compile_for_sm_90),
        ORR_TEST(kernels_compile_for_sm_100),
        ORR_TEST(kernels_compile_for_sm_120),
        { 0 },
    };
    return orr_test_main(argc, argv, "codelets.nvrtc", tests);
}

#endif
