/* Lesson 8: an expression that fuses, with its derivative, and a kernel in C for work that no expression describes.
 * Must not know: anything but the public headers. */
#include <orrery.h>

/* Rows lo … hi − 1 of the result: the longest run of equal neighbours in each. Several workers may share the rows. */
static int longest_run(const orr_kernel_args *a)
{
    int64_t n = a->in[0].shape.dim[1];
    for (int64_t r = a->lo; r < a->hi; r++) {
        const float *x = (const float *)a->in[0].data + r * n;
        int64_t best = n > 0, run = 1;
        for (int64_t i = 1; i < n; i++) {
            run = x[i] == x[i - 1] ? run + 1 : 1;
            best = run > best ? run : best;
        }
        ((float *)a->out)[r] = (float)best;
    }
    return 0;
}

/* (rows, columns) → (rows). */
static int rows_of(orr_kernel_args *a)
{
    if (a->in[0].shape.rank == 2) {
        a->out_shape = ORR_SHAPE(a->in[0].shape.dim[0]);
        return 0;
    }
    (void)snprintf(a->message, a->message_size, "a matrix is needed");
    return 1;
}

int main(void)
{
    /* x·tanh(log(1 + eˣ)); g: the derivative that arrives. An expression fuses, on every device. */
    orr_op *mish = orr_define_elementwise_with("my_mish", 1, "x*tanh(log1p(exp(x)))",
                                               ORR_TEXTS("g*(tanh(log1p(exp(x)))"
                                                         " + x*sigmoid(x)*(1 - square(tanh(log1p(exp(x))))))"));
    orr_op *runs = orr_define_kernel(&(orr_kernel_def){ .name = "longest_run",
                                                        .n_inputs = 1,
                                                        .dtypes = { 1u << ORR_F32 },
                                                        .shape = rows_of,
                                                        .rows = true,
                                                        .cpu = longest_run });
    if (!mish || !runs || orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 4), (float[]){ 1, 1, 1, 2, -1, 0, 0, 3 }), *g;
    orr_tensor *y = orr_apply(mish, ORR_TENSORS(x));
    float value[8], slope[8], run[2];
    if (orr_grad(y, ORR_TENSORS(x), &g) != ORR_OK || orr_read(y, value, sizeof value) != ORR_OK ||
        orr_read(g, slope, sizeof slope) != ORR_OK ||
        orr_read(orr_apply(runs, ORR_TENSORS(x)), run, sizeof run) != ORR_OK)
        return orr_error_print(stderr);
    printf("my_mish(2) = %.4f, its slope %.4f\n", value[3], slope[3]);
    printf("longest runs: %g and %g\n", run[0], run[1]);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
