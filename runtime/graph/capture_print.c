/* A capture as text and as DOT, for people.
 * Must not know: how it is computed. */
#include "config.h"

#include "runtime/base/decimal.h"
#include "runtime/base/text.h"
#include "runtime/graph/capture.h"

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static const char *const rop_name[] = { "sum", "prod", "max", "min", "any", "all" };

/* Appends an attribute with its name; a list without the zeros at its end. */
static void append_field(char *text, size_t size, const char *name, const int64_t *v, size_t n)
{
    size_t at = strlen(text);
    while (n > 1 && !v[n - 1])
        n--;
    for (size_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s%s%lld", i ? "" : " ", i ? "" : name, i ? " " : "=",
                               (long long)v[i]);
}

char *orr__attr_text(const orr__node *n, char *text, size_t size)
{
    int64_t v[ORR_MAX_RANK];
    text[0] = 0;
#define ATTR(bit, type, field, length)                                                                                 \
    if (n->op->attrs & ORR__ATTR_##bit) {                                                                              \
        const size_t words = sizeof n->attr.field / sizeof(type);                                                      \
        for (size_t i = 0; i < words; i++)                                                                             \
            v[i] = ((const type *)&n->attr.field)[i];                                                                  \
        append_field(text, size, #field, v, words);                                                                    \
    }
    ORR__ATTRS(ATTR)
#undef ATTR
    return text;
}

static void print_attr(FILE *to, const orr__node *n)
{
    char text[ORR__ATTR_TEXT];
    if (n->op->pattern == ORR__PATTERN_FOLD)
        fprintf(to, " %s", rop_name[n->attr.rop]);
    fputs(orr__attr_text(n, text, sizeof text), to);
    if (n->op->flags & ORR__OP_UNIFORM)
        fprintf(to, " %g", orr__scalar_f64(n->s[0], (orr_dtype)n->dtype));
}

void orr__capture_print(FILE *to, const orr__capture *p)
{
    ORR__WITH_POINT;
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

/* A scalar is shown as its number, a reduction with its kind. */
static void dot_node(FILE *to, const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    bool leaf = p->leaf_of[i] >= 0;
    if (!leaf && (n->op->flags & ORR__OP_UNIFORM)) {
        fprintf(to, "  n%d [label=\"%.6g\", shape=plaintext];\n", i, orr__scalar_f64(n->s[0], (orr_dtype)n->dtype));
        return;
    }
    bool reduce = (n->op->attrs & ORR__ATTR_ROP) != 0;
    fprintf(to, "  n%d [label=\"%s%s%s\\n%s %s\"%s];\n", i, leaf ? "value" : n->op->name, !leaf && reduce ? " " : "",
            !leaf && reduce ? rop_name[n->attr.rop] : "", orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s,
            leaf ? ", style=filled" : "");
}

void orr__capture_dot(FILE *to, const orr__capture *p, void (*more)(FILE *to, const orr__capture *p, const void *arg),
                      const void *arg)
{
    ORR__WITH_POINT;
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
