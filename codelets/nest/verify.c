/* A check of a nest: every register, array and sum is there where it is read.
 * Must not know: the shapes of nests, their text. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/nest.h"

/* The names and registers of the bodies around a part, the last ones innermost. */
typedef struct {
    const orr__region *r;
    const char **name;
    int *reg;
    int names, regs;
    char *why;
    size_t size;
} scope;

static void list_of(scope *s, const orr__part *list);

static bool has_reg(const scope *s, int n)
{
    bool any = n < 0;
    for (int i = s->regs - 1; i >= 0 && !any; i--)
        any = s->reg[i] == n;
    return any;
}

/* Is the array of an element such as "acc3[i1 - q]", or of a span "ld0.v", there, or memory? */
static bool has_array(const scope *s, const char *name)
{
    size_t n = strcspn(name, "[.");
    bool any = strncmp(name, "out", 3) == 0;
    for (int i = s->names - 1; i >= 0 && !any; i--)
        any = strlen(s->name[i]) == n && strncmp(s->name[i], name, n) == 0;
    return any;
}

static void demand(scope *s, bool holds, const orr__part *p, const char *what)
{
    if (!holds && !*s->why)
        (void)snprintf(s->why, s->size, "%s of %s %d is not there", what, orr__part_word(p->kind), p->n);
}

static void operands(scope *s, const orr__part *p)
{
    const orr__rinstr *in = &s->r->instr[p->n];
    demand(s, has_reg(s, in->x) && has_reg(s, in->y) && has_reg(s, in->z), p, "an operand");
}

/* acc<n>, which a fold of blocks needs. */
static void begun(scope *s, const orr__part *p)
{
    char acc[24];
    (void)snprintf(acc, sizeof acc, "acc%d", p->n);
    demand(s, has_array(s, acc), p, "the sum");
}

static void fold(scope *s, const orr__part *p)
{
    const orr__region fold = orr__emit_fold_of(s->r, p->n);
    if (p->how == ORR__FOLD_BEGIN)
        s->name[s->names++] = p->name;
    if (p->how == ORR__FOLD_BLOCK || p->how == ORR__FOLD_JOIN || p->how == ORR__FOLD_END || p->how == ORR__FOLD_VALUE)
        begun(s, p);
    if ((p->how == ORR__FOLD_STEP || p->how == ORR__FOLD_LANE) && !p->from)
        demand(s, has_reg(s, fold.out_reg[0]), p, "the value");
    if (p->name && strchr(p->name, '['))
        demand(s, has_array(s, p->name), p, "the array");
    if (p->how == ORR__FOLD_VALUE)
        s->reg[s->regs++] = p->n;
}

static void body_of(scope *s, const orr__part *list)
{
    int names = s->names, regs = s->regs;
    list_of(s, list);
    s->names = names;
    s->regs = regs;
}

static void part(scope *s, const orr__part *p)
{
    switch (p->kind) {
    case ORR__PART_ARRAY: s->name[s->names++] = p->name; break;
    case ORR__PART_LET:
        operands(s, p);
        s->reg[s->regs++] = p->n;
        break;
    case ORR__PART_LOAD:
        demand(s, has_array(s, p->name), p, "the array");
        s->reg[s->regs++] = p->n;
        break;
    case ORR__PART_STORE:
        demand(s, has_array(s, p->name), p, "the array");
        demand(s, p->how != ORR__STORE_PLAIN || has_reg(s, p->n), p, "the register");
        break;
    case ORR__PART_FOLD: fold(s, p); break;
    default: break;
    }
    body_of(s, p->body);
    body_of(s, p->other);
}

static void list_of(scope *s, const orr__part *list)
{
    for (; list && !*s->why; list = list->next)
        part(s, list);
}

bool orr__nest_verify(const orr__nest *n, const orr__region *r, char *why, size_t size)
{
    size_t most = (size_t)n->parts + 1;
    scope s = { .r = r, .why = why, .size = size };
    *why = '\0';
    s.name = orr__alloc_n(most, sizeof *s.name);
    s.reg = orr__alloc_n(most, sizeof *s.reg);
    if (s.name && s.reg)
        list_of(&s, n->root);
    else
        (void)snprintf(why, size, "no memory");
    free(s.name);
    free(s.reg);
    return !*why;
}
