/* A capture as text and as DOT, for people.
 * Must not know: how it is computed. */
#include "config.h"

#include "runtime/base/text.h"
#include "runtime/graph/capture.h"

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static void print_ints(FILE *to, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(to, "%s%lld", i ? " " : "", (long long)v[i]);
}

static void print_attr(FILE *to, const orr__node *n)
{
    static const char *const rop[] = { "sum", "prod", "max", "min", "any", "all" };
    switch (n->op->id) {
    case ORR__OP_REDUCE: fprintf(to, " %s mask=%#x", rop[n->attr.rop], n->attr.mask); break;
    case ORR__OP_ARGREDUCE: fprintf(to, " %s axis=%d", rop[n->attr.rop], n->attr.axis); break;
    case ORR__OP_IOTA:
    case ORR__OP_TAKE:
    case ORR__OP_SCATTER_ADD:
    case ORR__OP_CONCAT: fprintf(to, " axis=%d", n->attr.axis); break;
    case ORR__OP_SLICE:
        fprintf(to, " start=");
        print_ints(to, n->attr.start, n->shape.rank);
        fprintf(to, " step=");
        print_ints(to, n->attr.step, n->shape.rank);
        break;
    case ORR__OP_PERMUTE:
        fprintf(to, " perm=");
        for (int i = 0; i < n->shape.rank; i++)
            fprintf(to, "%s%d", i ? " " : "", n->attr.perm[i]);
        break;
    case ORR__OP_SOLVE:
        fprintf(to, "%s%s%s", n->attr.mask & ORR__TRI_LOWER ? " lower" : " upper",
                n->attr.mask & ORR__TRI_TRANSPOSE ? " transposed" : "", n->attr.mask & ORR__TRI_UNIT ? " unit" : "");
        break;
    case ORR__OP_CONST: fprintf(to, " %g", orr__scalar_f64(n->s[0], (orr_dtype)n->dtype)); break;
    default: break;
    }
}

void orr__capture_print(FILE *to, const orr__capture *p)
{
    fprintf(to, "graph: %d nodes, %d leaves, %d outputs\n", p->n, p->nleaf, p->nout);
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        bool leaf = p->leaf_of[i] >= 0;
        fprintf(to, "  %%%d = %s", i, leaf ? (p->leaf[p->leaf_of[i]] ? "value" : "placeholder") : n->op->name);
        for (int k = p->arg0[i]; k < p->arg0[i] + orr__capture_nin(p, i); k++)
            fprintf(to, " %%%d", p->arg[k]);
        if (!leaf)
            print_attr(to, n);
        fprintf(to, " : %s %s", orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s);
        char source[256];
        if (n->file)
            fprintf(to, "   %s:%d", orr__text_line(source, sizeof source, base_name(n->file)), n->line);
        fputc('\n', to);
    }
    fprintf(to, "  return");
    for (int i = 0; i < p->nout; i++)
        fprintf(to, " %%%d", p->out[i]);
    fputc('\n', to);
}

/* A scalar is its number; a reduction says which. */
static void dot_node(FILE *to, const orr__capture *p, int i)
{
    static const char *const rop[] = { "sum", "prod", "max", "min", "any", "all" };
    const orr__node *n = p->node[i];
    bool leaf = p->leaf_of[i] >= 0;
    if (!leaf && n->op->id == ORR__OP_CONST) {
        fprintf(to, "  n%d [label=\"%.6g\", shape=plaintext];\n", i, orr__scalar_f64(n->s[0], (orr_dtype)n->dtype));
        return;
    }
    bool reduce = n->op->id == ORR__OP_REDUCE || n->op->id == ORR__OP_ARGREDUCE;
    fprintf(to, "  n%d [label=\"%s%s%s\\n%s %s\"%s];\n", i, leaf ? "value" : n->op->name, !leaf && reduce ? " " : "",
            !leaf && reduce ? rop[n->attr.rop] : "", orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s,
            leaf ? ", style=filled" : "");
}

void orr__capture_dot(FILE *to, const orr__capture *p, void (*more)(FILE *to, const orr__capture *p, const void *arg),
                      const void *arg)
{
    fprintf(to, "digraph orrery {\n  rankdir=TB; node [shape=box, fontname=\"sans-serif\"];\n");
    for (int i = 0; i < p->n; i++) {
        dot_node(to, p, i);
        for (int k = p->arg0[i]; k < p->arg0[i] + orr__capture_nin(p, i); k++)
            fprintf(to, "  n%d -> n%d;\n", p->arg[k], i);
    }
    for (int i = 0; i < p->nout; i++)
        fprintf(to, "  n%d [peripheries=2];\n", p->out[i]);
    if (more)
        more(to, p, arg);
    fprintf(to, "}\n");
}
