/* Kernels that users define: checked once, recorded as one node each.
 * Must not know: devices, compilers, plans. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "ops/define.h"
#include "runtime/base/callback.h"

enum { SOURCE_MOST = 1 << 20 }; /* limit of a format */

/* -- definition -------------------------------------------------------------------------------------------- */

static const char *wrong(const orr_kernel_def *k)
{
    if (k->n_inputs < 1 || k->n_inputs > ORR_MAX_KERNEL_INPUTS)
        return "n_inputs is not 1 to 8";
    if (k->n_params < 0 || k->n_params > ORR_MAX_KERNEL_PARAMS)
        return "n_params is not 0 to 3";
    if (!k->cpu && !k->opencl && !k->cuda)
        return "cpu, opencl and cuda are all NULL: nothing can compute it";
    if (k->entry && orr__define_bad_name(k->entry) && strcmp(k->entry, k->name) != 0)
        return "entry is no name that a kernel function may have";
    if ((k->opencl && strnlen(k->opencl, SOURCE_MOST + 1) > SOURCE_MOST) ||
        (k->cuda && strnlen(k->cuda, SOURCE_MOST + 1) > SOURCE_MOST))
        return "a text is longer than 1 MiB";
    if (k->group < 0 || k->group > 1024) /* limit of a format */
        return "group is not 0 to 1024";
    if (!(k->flops >= 0 && k->flops < 1e15)) /* limit of a format */
        return "flops is negative or no number";
    if (k->row_inputs >> k->n_inputs)
        return "row_inputs has a bit for an operand that there is not";
    for (int i = 0; i < k->n_inputs; i++)
        if (k->dtypes[i] >> ORR_DTYPE_COUNT)
            return "dtypes has a bit that is no dtype";
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same(const orr__define *a, const orr__define *b)
{
    const orr_kernel_def *x = &a->k, *y = &b->k;
    return x->version == y->version && x->n_inputs == y->n_inputs && x->n_params == y->n_params &&
           memcmp(x->dtypes, y->dtypes, sizeof x->dtypes) == 0 && x->shape == y->shape && x->rows == y->rows &&
           x->row_inputs == y->row_inputs && x->cpu == y->cpu && same_text(x->opencl, y->opencl) &&
           same_text(x->cuda, y->cuda) && same_text(x->entry, y->entry) && x->items == y->items &&
           x->group == y->group && x->vjp == y->vjp && !(x->flops < y->flops) && !(x->flops > y->flops) &&
           x->user == y->user;
}

static bool copy_text(const char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

orr_op *orr_define_kernel_at(const char *file, int line, const orr_kernel_def *k)
{
    orr__site at = ORR__SITE(file, line, "define_kernel");
    if (!k || !k->name) {
        (void)orr__fail(at, ORR_EINVAL, "the %s is NULL", k ? "name" : "definition");
        return NULL;
    }
    const char *bad = orr__define_bad_name(k->name), *why = bad ? NULL : wrong(k);
    if (bad || why) {
        (void)orr__fail(at, ORR_EINVAL, bad ? "the name \"%.40s\" %s" : "%s: %s", k->name, bad ? bad : why);
        return NULL;
    }
    orr__define *d = orr__alloc(sizeof *d);
    if (!d)
        return NULL;
    d->op = orr__op_user;
    d->op.version = k->version;
    d->kernel = true;
    d->arity = k->n_inputs;
    d->file = file;
    d->line = line;
    d->k = *k;
    for (int i = k->n_inputs; i < ORR_MAX_KERNEL_INPUTS; i++)
        d->k.dtypes[i] = 0;
    d->k.opencl = d->k.cuda = d->k.entry = NULL;
    bool there = copy_text(&d->op.name, k->name) && copy_text(&d->k.opencl, k->opencl) &&
                 copy_text(&d->k.cuda, k->cuda) && copy_text(&d->k.entry, k->entry ? k->entry : k->name);
    d->k.name = d->op.name;
    if (!there) {
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a definition");
        orr__define_free(d);
        return NULL;
    }
    return orr__define_add(at, d, same);
}

/* -- recording ----------------------------------------------------------------------------------------------- */

static const char *or_nothing(const char *message)
{
    return message[0] ? message : "no message";
}

/* The dtype of scalars without one: that of the first operand that has one. */
static orr_dtype weak_dtype(int n, orr__node *const *node)
{
    for (int i = 0; i < n; i++)
        if (!node[i]->weak)
            return (orr_dtype)node[i]->dtype;
    return ORR_F64;
}

static bool takes(orr__site at, const orr__define *d, int i, orr_dtype t)
{
    unsigned mask = d->k.dtypes[i];
    if (!mask || mask >> t & 1u)
        return true;
    char list[160] = "";
    for (int k = 0; k < ORR_DTYPE_COUNT; k++)
        if (mask >> k & 1u)
            (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "",
                           orr_dtype_name((orr_dtype)k));
    (void)orr__fail(at, ORR_EDTYPE, "x[%d] is %s; it may be %s: write orr_cast", i, orr_dtype_name(t), list);
    return false;
}

/* The result's shape and dtype, by the user's rule. */
static bool result_of(orr__site at, const orr__define *d, orr__node *const *in, const double *params, orr_shape *shape,
                      orr_dtype *dtype)
{
    orr_kernel_array array[ORR_MAX_KERNEL_INPUTS];
    char message[200] = "";
    for (int i = 0; i < d->arity; i++)
        array[i] = (orr_kernel_array){ NULL, (orr_dtype)in[i]->dtype, in[i]->shape };
    orr_kernel_args a = { .n_inputs = d->arity,
                          .n_params = d->k.n_params,
                          .in = array,
                          .param = params,
                          .out_dtype = array[0].dtype,
                          .out_shape = array[0].shape,
                          .user = d->k.user,
                          .message = message,
                          .message_size = sizeof message };
    orr_tensor *bad = NULL;
    int code = d->k.shape ? d->k.shape(&a) : 0;
    message[sizeof message - 1] = '\0';
    if (code) {
        (void)orr__fail(at, ORR_ESHAPE, "the operands do not fit: %s (%d)", or_nothing(message), code);
        return false;
    }
    *shape = a.out_shape;
    *dtype = a.out_dtype;
    if ((int)a.out_dtype < 0 || a.out_dtype >= ORR_DTYPE_COUNT)
        (void)orr__fail(at, ORR_EDTYPE, "its shape function gives %d as dtype, which is none", (int)a.out_dtype);
    else if (orr__shape_ok(at, shape, &bad))
        return true;
    else
        (void)orr_free_at(at.file, at.line, bad);
    return false;
}

orr__node *orr__define_call(orr__site at, const orr__define *d, orr__node *const *node, const double *params)
{
    orr__node *in[ORR_MAX_KERNEL_INPUTS] = { NULL }, *r = NULL;
    orr_dtype weak = weak_dtype(d->arity, node), dtype;
    orr_shape shape;
    orr__scalar v;
    bool ok = true;
    for (int i = 0; i < d->arity && ok; i++) {
        orr_dtype as = node[i]->weak == ORR__WEAK_COMPLEX ? orr__complex_beside(weak) : weak;
        if (!node[i]->weak)
            in[i] = orr__node_ref(node[i]);
        else if (orr__weak_kind_fits(at, node[i], as) && orr__scalar_from(at, as, node[i]->s[0].f, &v))
            in[i] = orr__rec_weak(at, node[i], as, &node[i]->shape, v);
        ok = in[i] && takes(at, d, i, (orr_dtype)in[i]->dtype);
    }
    if (ok && result_of(at, d, in, params, &shape, &dtype) &&
        (r = orr__node_new(at, &d->op, dtype, &shape, d->arity, in))) {
        r->attr.index = d->number;
        r->nscalar = (uint8_t)d->k.n_params;
        for (int i = 0; i < d->k.n_params; i++)
            r->s[i].f = params[i];
    }
    for (int i = 0; i < d->arity; i++)
        orr__node_unref(in[i]);
    return r;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    const orr__define *d = orr__define_node(b->node);
    double param[ORR_MAX_KERNEL_PARAMS] = { 0 };
    if (!d->k.vjp)
        return orr__poison(
            b->at, ORR_EGRAPH,
            "the kernel %s (%s:%d) has no derivative: give its definition a vjp, or orr_detach its result", d->op.name,
            b->node->file ? b->node->file : "?", b->node->line);
    for (int i = 0; i < d->k.n_params; i++)
        param[i] = b->node->s[i].f;
    orr_kernel_back back = { d->arity, d->k.n_params, b->in, b->out, b->g, param, d->k.user };
    orr_tensor *g = d->k.vjp(&back, k);
    orr_shape have, want = orr_tensor_shape(b->in[k]);
    if (!g || orr_tensor_status(g) != ORR_OK)
        return g;
    have = orr_tensor_shape(g);
    if (orr__shape_equal(&have, &want) && orr_tensor_dtype(g) == orr_tensor_dtype(b->in[k]))
        return g;
    return orr__poison(b->at, ORR_ESHAPE, "the vjp of %s gives %s %s for x[%d], which is %s %s", d->op.name,
                       orr_dtype_name(orr_tensor_dtype(g)), orr__str(have).s, k,
                       orr_dtype_name(orr_tensor_dtype(b->in[k])), orr__str(want).s);
}

/* -- evaluation ------------------------------------------------------------------------------------------------ */

orr_status orr__user_cpu(orr__site at, const orr__define *d, const orr_kernel_args *a)
{
    char message[320] = "";
    orr_kernel_args b = *a;
    if (!d->k.cpu)
        return orr__fail(at, ORR_EDEVICE, "the kernel %s has no C function, and no device ran it", d->op.name);
    b.user = d->k.user;
    b.message = message;
    b.message_size = sizeof message;
    const char *outer = orr__callback_begins(d->op.name);
    int code = d->k.cpu(&b);
    orr__callback_ends(outer);
    message[sizeof message - 1] = '\0';
    return code ? orr__fail(at, ORR_EDEVICE, "the kernel %s failed: %s (%d)", d->op.name, or_nothing(message), code)
                : ORR_OK;
}

static orr_status reference(const orr__reference *j)
{
    const orr__define *d = orr__define_node(j->node);
    orr_kernel_array in[ORR_MAX_KERNEL_INPUTS];
    double param[ORR_MAX_KERNEL_PARAMS] = { 0 };
    for (int i = 0; i < j->nin; i++) {
        const orr__array *x = &j->all[j->arg[i]];
        in[i] = (orr_kernel_array){ x->data, x->dtype, x->shape };
    }
    for (int i = 0; i < d->k.n_params; i++)
        param[i] = j->s[i].f;
    orr_kernel_args a = { .n_inputs = j->nin,
                          .n_params = d->k.n_params,
                          .in = in,
                          .param = param,
                          .out = j->out.data,
                          .out_dtype = j->out.dtype,
                          .out_shape = j->out.shape,
                          .hi = j->out.shape.rank ? j->out.shape.dim[0] : 1 };
    return j->out.count ? orr__user_cpu(ORR__SITE(j->node->file, j->node->line, d->op.name), d, &a) : ORR_OK;
}

/* A rank computes the rows of the result that it has of the operands by rows. All of these operands are cut in the
 * same way. */
static bool distribute(orr__spread_rule *r)
{
    unsigned by_rows = orr__define_node(r->node)->k.row_inputs;
    int64_t length = r->in[r->k]->shape.rank ? r->in[r->k]->shape.dim[0] : 0;
    if (r->from.kind != ORR__SHARDED || r->from.axis != 0 || !(by_rows >> r->k & 1u) || r->node->shape.rank < 1 ||
        r->node->shape.dim[0] != length)
        return false;
    for (int k = 0; k < r->nin; k++)
        if (by_rows >> k & 1u) {
            if (r->in[k]->shape.rank < 1 || r->in[k]->shape.dim[0] != length)
                return false;
            r->need[k] = r->from;
        }
    r->out = r->from;
    double per = orr__define_node(r->node)->k.flops;
    r->work = (double)orr__shape_count(&r->node->shape) * (per > 0 ? per : 1);
    return true;
}

static orr__workload work(const orr__call *c)
{
    double per = orr__define_op(c->op)->k.flops;
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * (per > 0 ? per : 1) };
}

static bool cuts(const orr__call *c)
{
    return orr__define_op(c->op)->k.rows;
}

const orr__op orr__op_user = {
    .kinds = ORR__TAKES_COMPLEX,
    .id = ORR__OP_user,
    .name = "user",
    .arity = -1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_INDEX,
    .flags = ORR__OP_MAY_FAIL,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .work = work,
    .cuts = cuts,
};
