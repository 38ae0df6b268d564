/* For tests of codelets: graphs through the real fuser, one region at a time, beside the reference evaluation.
 * Must not know: which backend, plans. */
#include "config.h"

#include "runtime/base/env.h"
#include "tests/harness/region_graphs.h"

enum { GRAPH_NODES = 256 };

/* The array of node i in row-major order, or a leaf's own memory. */
static void *rg_array(const orr__capture *p, void **array, int i)
{
    i = orr__fuse_strip(p, i);
    if (p->leaf_of[i] >= 0)
        return p->leaf[p->leaf_of[i]]->host;
    if (!array[i])
        array[i] = rc_new((orr_dtype)p->node[i]->dtype, orr__shape_count(&p->node[i]->shape));
    return array[i];
}

static bool rg_region(const orr__capture *p, const orr__region *r, void **array, int cuts)
{
    static rb b;
    memset(&b, 0, sizeof b);
    b.r = *r;
    if (p->nscalar > 0)
        memcpy(b.scalar, p->scalar, (size_t)p->nscalar * sizeof *p->scalar);
    rc_run run = { .b = &b };
    for (int i = 0; i < r->nin; i++) {
        run.in[i] = rg_array(p, array, r->in[i]);
        run.in_n[i] = r->in_count[i];
    }
    for (int k = 0; k < r->nout; k++) {
        run.out[k] = rg_array(p, array, r->out[k]);
        run.out_n[k] = r->out_count;
    }
    if ((r->rmask & 1u) || (r->call.op && !orr__call_cuts(&r->call)) || (orr__region_rows(r) && r->rank == 1))
        cuts = 1; /* a second launch would write the same elements */
    for (int c = 0; c < cuts; c++) {
        run.lo = r->dim[0] * c / cuts;
        run.hi = r->dim[0] * (c + 1) / cuts;
        if (!rc_launch(&run))
            return false;
    }
    return true;
}

void rg_check(const char *what, orr_tensor *t, int how, double ulp)
{
    rg_check_terms(what, t, how, ulp, 0);
}

void rg_check_terms(const char *what, orr_tensor *t, int how, double ulp, double size)
{
    if (!orr_test_drawn())
        return;
    orr__site at = ORR__SITE(NULL, 0, what);
    orr__node *node = orr__handle_node(t);
    orr__capture p;
    orr__regions rs = { 0 };
    void *array[GRAPH_NODES] = { NULL };
    const void *leaf[16] = { NULL };
    ORR_REQUIRE(node && orr__capture_make(at, &node, 1, &p) == ORR_OK);
    ORR_REQUIRE(p.n <= GRAPH_NODES && p.nleaf <= 16 && p.nscalar <= RB_SCALARS);
    bool kept = orr__env.excess_precision;
    orr__env.excess_precision = false; /* the reference rounds each result */
    ORR_CHECK_MSG(orr__fuse(at, &p, how, &rs) == ORR_OK, "%s", orr_error_message());
    orr__env.excess_precision = kept;
    for (int i = 0; i < p.nleaf; i++)
        leaf[i] = p.leaf[i]->host;
    orr_dtype dtype = (orr_dtype)node->dtype;
    int64_t n = orr__shape_count(&node->shape);
    void *want = rc_new(dtype, n);
    bool ok = orr__reference_eval(&p, leaf, &want) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int i = 0; i < rs.n && ok; i++)
        ok = rg_region(&p, &rs.region[i], array, rs.region[i].dim[0] > 1 ? 2 : 1);
    if (ok)
        (void)rc_same_terms(what, dtype, rg_array(&p, array, p.out[0]), want, n, ulp, size);
    for (int i = 0; i < p.n; i++)
        free(array[i]);
    free(want);
    orr__regions_free(&rs);
    orr__capture_free(&p);
}

void graphs_equal_reference(void)
{
    orr_scope *s = orr_scope_begin();
    float data[12 * 30];
    rc_fill(data, ORR_F32, 12 * 30, 0.5, 3);
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(12, 30), data), *half = orr_cast(x, ORR_F16);
    orr_tensor *centred = orr_sub(x, orr_mean(x, ORR_AXES(0), true));
    orr_tensor *y[] = {
        orr_softmax(x, -1),
        orr_std(x, ORR_AXES(0), 1.0, false),
        orr_div(centred, orr_std(x, ORR_AXES(0), 0.0, true)),
        orr_argmax(orr_transpose(x), 1, false),
        orr_sum(orr_gelu_tanh(half), ORR_AXES(1), false),
        orr_any(orr_greater(x, orr_scalar(2.9)), ORR_ALL_AXES, false),
        orr_add(orr_rand(ORR_F32, ORR_SHAPE(5, 6), 1.0, 2.0), orr_cast(orr_permutation(6), ORR_F32)),
        orr_randint(ORR_I32, ORR_SHAPE(40), -3, 900),
        orr_tril(orr_flip(x, ORR_AXES(1)), 2),
        orr_mul(orr_arange(ORR_F64, 0.0, 3.0, 0.1), orr_scalar(2)),
        orr_prod(orr_slice_axis(x, 1, 28, 3, -5), ORR_AXES(0), true),
        orr_logsumexp(orr_cast(x, ORR_BF16), ORR_ALL_AXES, false),
    };
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        char what[32];
        (void)snprintf(what, sizeof what, "graph %d", (int)i);
        ORR_CHECK_MSG(orr_tensor_status(y[i]) == ORR_OK, "%s: %s", what, orr_error_message());
        rg_check(what, y[i], true, i == 2 ? 64 : 8); /* 2: differences of similar numbers */
        rg_check(what, y[i], false, i == 2 ? 64 : 8);
    }
    (void)orr_scope_end(s);
}
