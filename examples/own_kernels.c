/* A user-defined activation and a user-defined kernel: a small network learns a rate whose running sum is a given
 * curve.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>

enum { POINTS = 256, HIDDEN = 24, STEPS = 300 };

static orr_op *snake, *running_sum;

/* -- an element-wise operation, which fuses with its neighbours on every device ----------------------------- */

static bool define_snake(void)
{
    snake = orr_define_elementwise_with("snake", 2, "x + square(sin(y*x))/y",                  /* x + sin²(y·x)/y */
                                        ORR_TEXTS("g*(1 + sin(2*y*x))",                        /* by x */
                                                  "g*(x*sin(2*y*x)/y - square(sin(y*x)/y))")); /* by y */
    return snake != NULL;
}

/* -- a kernel, for work that no expression describes. Rows are independent, so that several workers may share them --- */

static int sum_rows(const orr_kernel_args *a)
{
    int64_t n = a->out_shape.dim[1];
    for (int64_t r = a->lo; r < a->hi; r++) {
        const float *x = (const float *)a->in[0].data + r * n;
        float *y = (float *)a->out + r * n;
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            y[i] = (float)(sum += x[i]);
    }
    return 0;
}

/* One source for OpenCL C and CUDA C: a work item sums a row. `y` begins at row lo. */
static const char device_text[] =
    "ORR_KERNEL sum_rows(ORR_GLOBAL const ORR_IN0 *x, ORR_GLOBAL ORR_OUT *y, const orr_args a)\n"
    "{\n"
    "    orr_int r = ORR_ITEM, n = a.out.dim[1];\n"
    "    float sum = 0, lost = 0;\n"
    "    if (r >= a.items)\n"
    "        return;\n"
    "    for (orr_int i = 0; i < n; i++) {\n"
    "        float v = x[(a.lo + r) * n + i] - lost, next = sum + v;\n"
    "        lost = (next - sum) - v;\n"
    "        sum = next;\n"
    "        y[r * n + i] = sum;\n"
    "    }\n"
    "}\n";

static int check_shape(orr_kernel_args *a)
{
    if (a->out_shape.rank == 2)
        return 0;
    (void)snprintf(a->message, a->message_size, "a matrix is needed, whose rows are summed");
    return 1;
}

static int64_t one_item_a_row(const orr_kernel_args *a)
{
    return a->hi - a->lo;
}

/* x[i] is a term of every sum from i on: the cotangent is summed from the end. */
static orr_tensor *sum_rows_back(const orr_kernel_back *b, int k)
{
    orr_tensor *g = orr_flip(b->g, ORR_AXES(1));
    return k == 0 ? orr_flip(orr_apply(running_sum, ORR_TENSORS(g)), ORR_AXES(1)) : NULL;
}

static bool define_running_sum(void)
{
    running_sum = orr_define_kernel(&(orr_kernel_def){ .name = "running_sum",
                                                       .n_inputs = 1,
                                                       .dtypes = { 1u << ORR_F32 },
                                                       .shape = check_shape,
                                                       .rows = true,
                                                       .cpu = sum_rows,
                                                       .opencl = device_text,
                                                       .cuda = device_text,
                                                       .entry = "sum_rows",
                                                       .items = one_item_a_row,
                                                       .vjp = sum_rows_back,
                                                       .flops = 1 });
    return running_sum != NULL;
}

/* -- the network ---------------------------------------------------------------------------------------------- */

typedef struct {
    orr_tensor *w1, *b1, *slope, *w2, *b2;
} net;

static orr_tensor *weights(int64_t m, int64_t n, double spread)
{
    return orr_variable(orr_randn(ORR_F32, ORR_SHAPE(m, n), 0, spread));
}

/* t: (POINTS, 1). Returns the running sum of the rate, scaled by the step of t: (1, POINTS). */
static orr_tensor *curve(const net *p, orr_tensor *t)
{
    orr_tensor *hidden = orr_apply(snake, ORR_TENSORS(orr_add(orr_matmul(t, p->w1), p->b1), p->slope));
    orr_tensor *rate = orr_add(orr_matmul(hidden, p->w2), p->b2);
    return orr_mul(orr_apply(running_sum, ORR_TENSORS(orr_transpose(rate))), orr_scalar(4.0 / POINTS));
}

static orr_status train(const net *p, orr_optim *opt, orr_tensor *t, orr_tensor *target, double *loss_value)
{
    for (int step = 1; step <= STEPS; step++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_mse(curve(p, t), target);
        orr_status st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_item(loss, loss_value);
        if (st == ORR_OK && (step == 1 || step % 100 == 0))
            printf("step %3d   loss %.6f\n", step, *loss_value);
        if (st == ORR_OK && step == STEPS)
            st = orr_explain(stdout, curve(p, t)); /* snake is part of a fused kernel, running_sum a step of its own */
        (void)orr_scope_end(s);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

int main(void)
{
    double loss = INFINITY;
    if (!define_snake() || !define_running_sum() || orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(7);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_reshape(orr_linspace(ORR_F32, -2, 2, POINTS), ORR_SHAPE(POINTS, 1));
    orr_tensor *target = orr_transpose(orr_add(orr_sin(orr_mul(t, orr_scalar(3))), orr_mul(t, orr_scalar(0.5))));
    target = orr_sub(target, orr_scalar(sin(-6) - 1)); /* a running sum begins at 0 */
    net p = { weights(1, HIDDEN, 1.0), weights(1, HIDDEN, 1.0), orr_variable(orr_ones(ORR_F32, ORR_SHAPE(1, HIDDEN))),
              weights(HIDDEN, 1, 0.2), weights(1, 1, 0.1) };
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 0.01;
    orr_optim *opt = orr_optim_new(ORR_OPTIM_ADAM, (orr_tensor *[]){ p.w1, p.b1, p.slope, p.w2, p.b2 }, 5, &options);
    int rc = 0;
    if (!opt || train(&p, opt, t, target, &loss) != ORR_OK)
        rc = orr_error_print(stderr);
    else if (!(loss < 0.005))
        rc = (printf("the curve was not learnt\n"), 1);
    else
        printf("the curve was learnt\n");
    orr_optim_free(opt);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
