/* A C++ program that uses every macro of the public headers that makes a list or a value in place.
 * tests/tools/programs.c compiles it, as strictly as it can, and runs it. */
#include <orrery.h>

static orr_tensor *twice(orr_tensor *x, void *)
{
    return orr_mul(x, orr_scalar(2));
}

static int made;

static orr_module *dense(int64_t in, int64_t out, orr_activation f)
{
    made++;
    return orr_dense_with(ORR_F32, in, out, f, ORR_INITIALISER_CONSTANT(0.5), ORR_INITIALISER_NONE);
}

static int scale(const orr_kernel_args *a)
{
    const float *x = static_cast<const float *>(a->in[0].data);
    float *y = static_cast<float *>(a->out);
    for (int64_t i = 0; i < a->in[0].shape.dim[0]; i++)
        y[i] = x[i] * static_cast<float>(a->param[0]);
    return 0;
}

static bool is(orr_tensor *t, double want)
{
    double x = 0;
    return orr_item(orr_sum(t, ORR_ALL_AXES, false), &x) == ORR_OK && x == want;
}

static bool all()
{
    const float six[] = { 1, 2, 3, 4, 5, 6 };
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), six);
    orr_op *hinge = orr_define_elementwise("hinge", 1, "x > 2 ? x : 0");
    orr_op *pin =
        orr_define_elementwise_with("pinball", 2, "x > 0 ? y*x : (y-1)*x", ORR_TEXTS("g*(x > 0 ? y : y-1)", "g*x"));
    orr_kernel_def def = {};
    def.name = "scaled";
    def.n_inputs = def.n_params = 1;
    def.cpu = scale;
    orr_op *scaled = orr_define_kernel(&def);
    orr_module *net = orr_sequential(ORR_MODULES(dense(3, 4, ORR_ACTIVATION_LINEAR), orr_function(twice, nullptr),
                                                 dense(4, 1, ORR_ACTIVATION_RELU)));
    orr_tensor *row = orr_select(x, 0, 1);
    bool ok = orr_tensor_shape(x).rank == 2 && orr_tensor_shape(x).dim[1] == 3 && made == 2;
    ok = ok && is(orr_slice(x, ORR_INDEX(0, 1), ORR_INDEX(ORR_END, ORR_END), ORR_NO_INDEX), 16);
    ok = ok && is(orr_max(x, ORR_AXES(0, -1), true), 6) && is(orr_full(ORR_F64, ORR_SHAPE_0D, 7), 7);
    ok = ok && is(orr_apply(hinge, ORR_TENSORS(x)), 18) && is(orr_apply(pin, ORR_TENSORS(x, x)), 91);
    ok = ok && is(orr_apply_with(scaled, ORR_TENSORS(row), ORR_PARAMS(0.5)), 7.5) && is(orr_forward(net, x), 42);
    orr_tensor *many = orr_zeros(ORR_F32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
    ok = ok && orr_tensor_status(many) == ORR_ESHAPE;
    orr_module_free(net);
    return ok;
}

int main()
{
    if (orr_init(nullptr) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    bool ok = all();
    orr_scope_end(s);
    return orr_shutdown() == ORR_OK && ok ? 0 : 1;
}
