/* A nest for people: a line for each part, indented by the bodies around it. Sizes of axes stand in their places.
 * Must not know: languages, the shapes of nests. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"

typedef struct {
    FILE *to;
    const orr__region *r;
} printer;

/* An expression, in which W(n) of an axis is its size. */
static void expression(const printer *p, const char *s)
{
    int first = orr__cloop_size_at(p->r, 0);
    while (*s) {
        char *end;
        long axis = strncmp(s, "W(", 2) == 0 ? strtol(s + 2, &end, 10) - first : -1;
        if (axis >= 0 && axis < p->r->rank) {
            fprintf(p->to, "%lld", (long long)p->r->dim[axis]);
            s = end + 1;
        } else {
            fputc(*s++, p->to);
        }
    }
}

static void word(const printer *p, const char *before, const char *s)
{
    if (!s)
        return;
    fputs(before, p->to);
    expression(p, s);
}

static const char *way_of(const orr__part *l)
{
    return l->how & (ORR__LOOP_VECTOR | ORR__LOOP_ONCE) ? "vector " : l->how & ORR__LOOP_ALONE ? "alone " : "";
}

static const char *const fold_words[] = {
    [ORR__FOLD_BEGIN] = "begin", [ORR__FOLD_CLEAR] = "clear", [ORR__FOLD_STEP] = "step", [ORR__FOLD_LANE] = "lane",
    [ORR__FOLD_BLOCK] = "block", [ORR__FOLD_JOIN] = "join",   [ORR__FOLD_END] = "end",   [ORR__FOLD_VALUE] = "value",
};

static void part(const printer *p, const orr__part *x)
{
    fprintf(p->to, "%s ", orr__part_word(x->kind));
    switch (x->kind) {
    case ORR__PART_LOOP:
        fprintf(p->to, "%s%s", way_of(x), x->name);
        word(p, " from ", x->from);
        word(p, " to ", x->to);
        word(p, " by ", x->step);
        break;
    case ORR__PART_MASK: word(p, "", x->at ? x->at : "always"); break;
    case ORR__PART_ARRAY:
        fprintf(p->to, "%s %s", x->at, x->name);
        word(p, " of ", x->step);
        word(p, " at ", x->from);
        break;
    case ORR__PART_LET:
        orr__region_print_instr(p->to, p->r, x->n);
        fputs(x->around.masked ? " masked" : "", p->to);
        fputs(x->around.near ? " near" : "", p->to);
        break;
    case ORR__PART_LOAD: fprintf(p->to, "r%d = %s[%s]", x->n, x->name, x->at); break;
    case ORR__PART_STORE: fprintf(p->to, "%s[%s] = %c%d", x->name, x->at, x->how ? '%' : 'r', x->n); break;
    case ORR__PART_FOLD:
        fprintf(p->to, "%d %s", x->n, fold_words[x->how]);
        word(p, " ", x->name);
        word(p, " of ", x->from);
        break;
    case ORR__PART_PREFETCH:
        fprintf(p->to, "@a%d", x->n);
        word(p, " from ", x->from);
        word(p, " to ", x->to);
        word(p, " ahead ", x->step);
        break;
    default: word(p, "", x->at); break;
    }
    fputc('\n', p->to);
}

static void list_of(const printer *p, const orr__part *list, int depth)
{
    for (; list; list = list->next) {
        fprintf(p->to, "%*s", 2 * depth, "");
        part(p, list);
        list_of(p, list->body, depth + 1);
        if (list->other)
            fprintf(p->to, "%*selse\n", 2 * depth, "");
        list_of(p, list->other, depth + 1);
    }
}

void orr__nest_print(FILE *to, const orr__nest *n, const orr__region *r)
{
    const printer p = { to, r };
    flockfile(to);
    fprintf(to, "nest %s\n", r->label);
    list_of(&p, n->root, 1);
    funlockfile(to);
}
