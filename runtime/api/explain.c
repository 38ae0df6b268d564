/* orr_explain: the regions and steps of a graph in words and as a picture.
 * Must not know: how a kernel computes. */
#include "config.h"

#include <orrery/explain.h>
#include <stdlib.h>
#include "codelets/nest/cloop.h"
#include "ops/define.h"
#include "runtime/api/eval.h"
#include "runtime/api/explain.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/signals.h"
#include "runtime/base/text.h"
#include "runtime/distribute/partition.h"
#include "runtime/engine/block_cyclic.h"

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

/* Captures t (if it is evaluated already, the capture has one leaf and no step). */
static orr_status capture(orr__site at, FILE *to, orr_tensor *t, orr__capture *p)
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
    orr_status st = orr__capture_make(at, &n, 1, p);
    if (st == ORR_OK && (st = orr__capture_verify(p)) != ORR_OK)
        orr__capture_free(p);
    return st;
}

static double node_bytes(const orr__node *n)
{
    return (double)orr__node_bytes(n);
}

/* The pattern of node i; a leaf has none. */
static int form_of(const orr__capture *p, int i)
{
    return p->leaf_of[i] >= 0 ? ORR__PATTERN_NONE : p->node[i]->op->pattern;
}

static bool is_view(const orr__capture *p, int i)
{
    return form_of(p, i) == ORR__PATTERN_VIEW;
}

static bool is_uniform(const orr__capture *p, int i)
{
    return p->leaf_of[i] < 0 && (p->node[i]->op->flags & ORR__OP_UNIFORM);
}

/* Bytes that node i would move as a kernel of its own: every input read, the result written. Constants and views move their stored
 * bytes. */
static double bytes_alone(const orr__capture *p, int i, bool stored)
{
    bool view = is_view(p, i);
    double sum = node_bytes(p->node[i]), from = view ? node_bytes(p->node[p->arg[p->arg0[i]]]) : 0;
    if (form_of(p, i) == ORR__PATTERN_NONE || ((is_uniform(p, i) || view) && !stored))
        return 0;
    if (view)
        return sum + (from < sum ? from : sum);
    for (int k = 0; k < orr__capture_nin(p, i); k++) {
        int x = p->arg[p->arg0[i] + k];
        sum += is_uniform(p, x) ? 0 : node_bytes(p->node[x]);
    }
    return sum;
}

static const char *bytes_text(double bytes, char buf[32])
{
    static const char *const unit[] = { "B", "kB", "MB", "GB", "TB" };
    int u = 0;
    for (; bytes >= 999.5 && u < 4; u++)
        bytes /= 1000;
    (void)snprintf(buf, 32, bytes < 10 && u ? "%.1f %s" : "%.0f %s", bytes, unit[u]); /* limit of a format */
    return buf;
}

static void explain_node(FILE *to, const orr__capture *p, int i, const char *where)
{
    const orr__node *n = p->node[i];
    char name[64], source[80], line[96], type[256];
    (void)snprintf(name, sizeof name, "%s%s%s", n->as ? n->as : "", n->as ? ": " : "", n->op->name);
    (void)snprintf(type, sizeof type, "%s %s", orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s);
    (void)snprintf(line, sizeof line, "%s:%d", orr__text_line(source, sizeof source, base_name(n->file)), n->line);
    fprintf(to, "    %%%-3d %-16s %-24s %-24s %s\n", i, name, type, line, where);
}

/* The region that stores node i; -1: none. */
static int maker_of(const orr__regions *rs, int i)
{
    for (int k = 0; k < rs->n; k++)
        for (int o = 0; o < rs->region[k].nout; o++)
            if (rs->region[k].out[o] == i)
                return k;
    return -1;
}

static void explain_reads(FILE *to, const orr__capture *p, const orr__regions *rs, int k)
{
    const orr__region *r = &rs->region[k];
    char size[32];
    for (int i = 0; i < r->nin; i++) {
        const orr__node *n = p->node[r->in[i]];
        int from = maker_of(rs, r->in[i]);
        fprintf(to, "    reads %%%d %s %s, %s", r->in[i], orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s,
                bytes_text(node_bytes(n), size));
        if (from < 0)
            fprintf(to, ", %s\n", n->op->role == ORR__ROLE_PLACEHOLDER ? "given at submission" : "an existing value");
        else
            fprintf(to, ", of kernel %d; not fused: %s\n", from,
                    orr__plan_fusion() == ORR__FUSE_NONE ? "ORRERY_FUSE=off" : orr__fuse_why(rs, r->in[i], from, k));
    }
}

/* Returns the bytes that the region's nodes would move as kernels of their own. */
static double explain_nodes(FILE *to, const orr__capture *p, const orr__regions *rs, int k)
{
    double apart = 0;
    char size[32], where[64];
    for (int i = 0; i < p->n; i++) {
        bool stored = maker_of(rs, i) == k;
        if (rs->home[i] != k || form_of(p, i) == ORR__PATTERN_NONE || (is_uniform(p, i) && !stored))
            continue;
        apart += bytes_alone(p, i, stored);
        (void)snprintf(where, sizeof where, "%s, %s", stored ? "-> memory" : "stays in the kernel",
                       bytes_text(node_bytes(p->node[i]), size));
        explain_node(to, p, i, is_view(p, i) && !stored ? "an index map" : where);
    }
    return apart;
}

/* The step of a region; the first one if a long sum was split into several. */
static const orr__step *step_of(const orr__plan *plan, const orr__region *r)
{
    for (int i = 0; i < plan->nstep; i++)
        if (orr__region_class(plan->step[i].region) == orr__region_class(r) &&
            plan->step[i].region->out[0] == r->out[0])
            return &plan->step[i];
    return NULL;
}

/* The way in which a step computes on a CPU. */
static const char *way_of(const orr__step *s)
{
    const orr__region *r = s->region;
    if (r->loops == ORR__LOOPS_PRODUCT)
        return "BLAS, or loops of our own";
    return r->call.op ? orr__cpu_library(r) : orr__cpu_tier(s->cpu);
}

static double explain_region(FILE *to, const orr__capture *p, const orr__regions *rs, int k, const orr__plan *plan)
{
    const orr__region *r = &rs->region[k];
    const orr__step *s = step_of(plan, r);
    char moved[32], alone[32];
    fprintf(to, "kernel %d  %s\n  over (", k, r->label);
    for (int d = 0; d < r->rank; d++)
        fprintf(to, "%s%lld", d ? ", " : "", (long long)r->dim[d]);
    fprintf(to, ")%s, %.3g flop, predicted %.0f µs on one core\n", r->rmask ? ", reduced" : "", r->flops,
            orr__cost_predict(r));
    fprintf(to, "  key %016llx, CPU: %s%s", (unsigned long long)r->key, s ? way_of(s) : "no step of its own",
            !s          ? ""
            : s->cuda   ? "; CUDA"
            : s->opencl ? "; OpenCL"
                        : "");
    if (s)
        fprintf(to, "; %d tile%s", s->ntiles, s->ntiles == 1 ? "" : "s");
    if (s && s->graph)
        fprintf(to, ", a graph of %d tasks", orr__plan_tasks(plan, (int)(s - plan->step)));
    fputc('\n', to);
    if (!r->call.op && r->loops != ORR__LOOPS_PRODUCT && orr__emit_c_can(r))
        orr__explain_nests(to, s ? s->region : r, s ? s->cpu : NULL);
    if (s)
        orr__explain_cost(to, plan, s);
    explain_reads(to, p, rs, k);
    double apart = explain_nodes(to, p, rs, k);
    fprintf(to, "    reads and writes %s; one kernel per call: %s\n", bytes_text(r->bytes, moved),
            bytes_text(apart, alone));
    return apart;
}

/* Lists needed nodes without a home region: the views, or the others. */
static void explain_homeless(FILE *to, const orr__capture *p, const orr__regions *rs, const bool *live, bool views,
                             const char *heading)
{
    bool first = true;
    for (int i = 0; i < p->n; i++) {
        if (!live[i] || rs->home[i] >= 0 || form_of(p, i) == ORR__PATTERN_NONE || is_uniform(p, i) ||
            is_view(p, i) != views)
            continue;
        if (first)
            fprintf(to, "%s\n", heading);
        first = false;
        explain_node(to, p, i, views ? "an index map" : "");
    }
}

/* Lists needed nodes that have no home region. */
static void explain_repeated(FILE *to, const orr__capture *p, const orr__regions *rs)
{
    bool *live = orr__alloc_n((size_t)p->n + 1, sizeof *live);
    for (int k = 0; live && k < p->nout; k++)
        live[p->out[k]] = true;
    for (int i = p->n; live && i-- > 0;)
        for (int k = 0; live[i] && k < orr__capture_nin(p, i); k++)
            live[p->arg[p->arg0[i] + k]] = true;
    if (live) {
        explain_homeless(to, p, rs, live, false, "computed again in several kernels, which is cheaper than a buffer:");
        explain_homeless(to, p, rs, live, true, "read as they lie, in no kernel of their own:");
    }
    free(live);
}

/* Small kernels that run one after another in one task. */
static void explain_bundles(FILE *to, const orr__plan *plan)
{
    int tasks = 0, bundles = 0;
    for (int i = 0; i < plan->nstep; i++) {
        const orr__step *s = &plan->step[i];
        tasks += orr__plan_tasks(plan, i);
        bundles += orr__bundle_size(s) > 1;
        if (orr__bundle_size(s) == 1)
            continue;
        fprintf(to, "one task for %d small kernels: %s … %s\n", s->bundle.members, s->region->label,
                plan->step[i + s->bundle.members - 1].region->label);
    }
    if (bundles)
        fprintf(to, "%d tasks in all\n", tasks);
}

/* The time of each lane for a call that waits; the least is taken, unless measured times of earlier runs say otherwise. */
static void explain_lanes(FILE *to, const orr__plan *plan)
{
    static const char *const name[ORR__LANES] = { "the calling thread", "a crew", "tasks" };
    orr__offer offer[ORR__LANES];
    if (!orr__engine_offers(plan, offer))
        return;
    fputs("lanes:", to);
    for (int k = 0; k < ORR__LANES; k++)
        if (offer[k].no)
            fprintf(to, "%s %s: no, %s", k ? ";" : "", name[k], offer[k].no);
        else
            fprintf(to, "%s %s: %.0f µs", k ? ";" : "", name[k], offer[k].us);
    fputc('\n', to);
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void explain_all(FILE *to, const orr__capture *p, const orr__regions *rs, const orr__plan *plan)
{
    double moved = 0, apart = 0;
    char a[32], b[32], c[32];
    fprintf(to, "%d recorded node%s, %d kernel%s\n", p->n, plural(p->n), rs->n, plural(rs->n));
    for (int k = 0; k < rs->n; k++) {
        apart += explain_region(to, p, rs, k, plan);
        moved += rs->region[k].bytes;
    }
    explain_repeated(to, p, rs);
    fprintf(to, "bytes moved: %s; one kernel per call: %s (%.1f times); saved: %s\n", bytes_text(moved, a),
            bytes_text(apart, b), moved > 0 ? apart / moved : 1, bytes_text(apart > moved ? apart - moved : 0, c));
    for (int k = 0; k < rs->nreason; k++)
        fprintf(to, "not fused: %s\n", rs->reason[k]);
    explain_bundles(to, plan);
    explain_lanes(to, plan);
    orr__explain_placed(to, plan);
    orr__explain_regret(to);
}

/* The capture that is planned, and its regions. */
static orr_status fuse(orr__site at, const orr__capture *p, orr__moved *moved, orr__regions *rs)
{
    orr_status st = ORR_OK;
    *moved = (orr__moved){ .any = false };
    if (orr__plan_fusion() != ORR__FUSE_NONE)
        st = orr__move_reshapes(at, p, moved);
    if (st == ORR_OK && (st = orr__fuse(at, moved->any ? &moved->q : p, orr__plan_fusion(), rs)) != ORR_OK)
        orr__moved_free(moved);
    return st;
}

orr_status orr_explain_at(const char *file, int line, FILE *to, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(file, line, "explain");
    orr__capture p;
    orr__regions rs;
    orr__moved moved;
    orr__plan *plan;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = capture(at, to, t, &p)) != ORR_OK)
        return st;
    if (orr__partition_needed(&p) && ((st = orr__partition_explain(to, at, &p, orr__block_cyclic_can())) != ORR_OK ||
                                      (st = orr__partition_local(at, orr__block_cyclic_can(), &p)) != ORR_OK)) {
        orr__capture_free(&p);
        return st;
    }
    if ((st = orr__plan_get(at, &p, &plan)) == ORR_OK) {
        if ((st = fuse(at, &p, &moved, &rs)) == ORR_OK) {
            locale_t before = orr__point_begin();
            explain_all(to, moved.any ? &moved.q : &p, &rs, plan);
            orr__point_end(before);
            orr__regions_free(&rs);
            orr__moved_free(&moved);
            st = orr__printed(at, to);
        }
        orr__plan_unref(plan);
    }
    orr__capture_free(&p);
    return st;
}

/* A frame around the nodes of each region. Leaves, and nodes that several regions compute, are outside. */
static void print_clusters(FILE *to, const orr__capture *p, const void *arg)
{
    const orr__regions *rs = arg;
    for (int k = 0; k < rs->n; k++) {
        fprintf(to,
                "  subgraph cluster_%d { label=\"kernel %d: %s\"; fontname=\"sans-serif\"; style=rounded; color=blue;",
                k, k, rs->region[k].label);
        for (int i = 0; i < p->n; i++)
            if (rs->home[i] == k)
                fprintf(to, " n%d;", i);
        fprintf(to, " }\n");
    }
}

orr_status orr_explain_dot_at(const char *file, int line, FILE *to, orr_tensor *t, bool fused)
{
    ORR__IN_DEFAULT_FPMODE;
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(file, line, "explain_dot");
    orr__capture p;
    orr__regions rs;
    orr__moved moved;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = capture(at, to, t, &p)) != ORR_OK)
        return st;
    if (!fused) {
        orr__capture_dot(to, &p, NULL, NULL);
    } else if ((st = fuse(at, &p, &moved, &rs)) == ORR_OK) {
        orr__capture_dot(to, moved.any ? &moved.q : &p, print_clusters, &rs);
        orr__regions_free(&rs);
        orr__moved_free(&moved);
    }
    orr__capture_free(&p);
    return st == ORR_OK ? orr__printed(at, to) : st;
}
