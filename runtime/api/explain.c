/* orr_explain: the regions and steps of a graph in words and as a picture.
 * Must not know: how a kernel computes. */
#include "config.h"

#include <orrery/explain.h>
#include "runtime/api/eval.h"

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

/* Captures t (which may be evaluated already: then there is one leaf and no step). */
static orr_status capture(orr__site at, FILE *to, orr_tensor *t, orr__prog *p)
{
    orr__node *n;
    orr_tensor *bad;
    const orr_tensor *c = t;
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (!orr__operands(at, 1, &c, (const char *const[]){ "the tensor" }, &n, &bad)) {
        orr_status st = orr_tensor_status(bad);
        const orr__node *poison = orr__handle_node(bad);
        if (poison && poison->poison)
            (void)orr__fail_text(poison->poison->status, poison->poison->text);
        (void)orr_free_at(NULL, 0, bad);
        return st;
    }
    orr_status st = orr__prog_capture(at, &n, 1, p);
    if (st == ORR_OK && (st = orr__prog_verify(p)) != ORR_OK)
        orr__prog_free(p);
    return st;
}

static double node_bytes(const orr__node *n)
{
    return (double)orr__shape_count(&n->shape) * (double)orr_dtype_size((orr_dtype)n->dtype);
}

/* What the same nodes would move one kernel at a time: every input read, every result written. */
static double bytes_unfused(const orr__prog *p, const orr__regions *rs)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        int op = p->leaf_of[i] >= 0 ? ORR__OP_LEAF : p->node[i]->op->id;
        bool free_of_cost = op == ORR__OP_LEAF || op == ORR__OP_CONST || op == ORR__OP_PLACEHOLDER ||
                            op == ORR__OP_RESHAPE || op == ORR__OP_PERMUTE || op == ORR__OP_BROADCAST ||
                            op == ORR__OP_SLICE;
        if (free_of_cost || rs->home[i] < 0)
            continue;
        sum += node_bytes(p->node[i]);
        for (int k = 0; k < orr__prog_nin(p, i); k++) {
            const orr__node *x = p->node[p->arg[p->arg0[i] + k]];
            sum += x->op->id == ORR__OP_CONST ? 0 : node_bytes(x);
        }
    }
    return sum;
}

static void explain_region(FILE *to, const orr__prog *p, const orr__regions *rs, int k)
{
    const orr__region *r = &rs->region[k];
    double us = orr__plan_predict(r);
    fprintf(to, "kernel %d  %s\n  over (", k, r->label);
    for (int d = 0; d < r->rank; d++)
        fprintf(to, "%s%lld", d ? ", " : "", (long long)r->dim[d]);
    fprintf(to, ")%s, %.3g flop, %.3g bytes, predicted %.0f µs on one core\n", r->rmask ? ", reduced" : "", r->flops,
            r->bytes, us);
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        if (rs->home[i] != k || p->leaf_of[i] >= 0 || n->op->id == ORR__OP_CONST)
            continue;
        bool stored = false;
        for (int o = 0; o < r->nout; o++)
            stored = stored || r->out[o] == i;
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s%s", n->as ? n->as : "", n->as ? ": " : "", n->op->name);
        fprintf(to, "    %-16s %s %s  %s:%d%s\n", name, orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s,
                base_name(n->file), n->line, stored ? "  -> memory" : "");
    }
}

orr_status orr_explain_at(const char *file, int line, FILE *to, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "explain");
    orr__prog p;
    orr__regions rs;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = capture(at, to, t, &p)) != ORR_OK)
        return st;
    if ((st = orr__fuse(at, &p, orr__plan_fusion(), &rs)) == ORR_OK) {
        double moved = 0, apart = bytes_unfused(&p, &rs);
        fprintf(to, "%d recorded nodes, %d kernels\n", p.n, rs.n);
        for (int k = 0; k < rs.n; k++) {
            explain_region(to, &p, &rs, k);
            moved += rs.region[k].bytes;
        }
        fprintf(to, "bytes moved: %.4g, one kernel per call: %.4g (%.1f times)\n", moved, apart,
                moved > 0 ? apart / moved : 1);
        for (int k = 0; k < rs.nreason; k++)
            fprintf(to, "not fused: %s\n", rs.reason[k]);
        orr__regions_free(&rs);
        if (ferror(to))
            st = orr__fail(at, ORR_EIO, "writing failed");
    }
    orr__prog_free(&p);
    return st;
}

/* The nodes of each region in a frame; what is computed in several regions, and leaves, stand outside. */
static void print_clusters(FILE *to, const orr__prog *p, const void *arg)
{
    const orr__regions *rs = arg;
    for (int k = 0; k < rs->n; k++) {
        fprintf(to, "  subgraph cluster_%d { label=\"%s\"; style=rounded; color=blue;", k, rs->region[k].label);
        for (int i = 0; i < p->n; i++)
            if (rs->home[i] == k)
                fprintf(to, " n%d;", i);
        fprintf(to, " }\n");
    }
}

orr_status orr_explain_dot_at(const char *file, int line, FILE *to, orr_tensor *t, bool fused)
{
    orr__site at = ORR__SITE(file, line, "explain_dot");
    orr__prog p;
    orr__regions rs;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = capture(at, to, t, &p)) != ORR_OK)
        return st;
    if (!fused) {
        orr__prog_dot(to, &p, NULL, NULL);
    } else if ((st = orr__fuse(at, &p, orr__plan_fusion(), &rs)) == ORR_OK) {
        orr__prog_dot(to, &p, print_clusters, &rs);
        orr__regions_free(&rs);
    }
    orr__prog_free(&p);
    if (st == ORR_OK && ferror(to))
        st = orr__fail(at, ORR_EIO, "writing failed");
    return st;
}
