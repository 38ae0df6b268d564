/* A check of a nest: every register, array and sum, and every name in a position, a condition or a statement, is there where it is read.
 * Must not know: the shapes of nests, their text. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/nest.h"

/* The names and registers of the bodies around a part, the last ones innermost. */
typedef struct {
    const orr__region *r;
    struct {
        const char *s;
        size_t n;
    } * name;
    int *reg;
    int names, regs, most;
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

static bool has_name(const scope *s, const char *name, size_t n)
{
    bool any = false;
    for (int i = s->names - 1; i >= 0 && !any; i--)
        any = s->name[i].n == n && strncmp(s->name[i].s, name, n) == 0;
    return any;
}

static void declare(scope *s, const char *name, size_t n)
{
    if (s->names == s->most) {
        size_t most = 2 * (size_t)s->most + 64;
        void *more = realloc(s->name, most * sizeof *s->name);
        if (!more) {
            (void)snprintf(s->why, s->size, "no memory");
            return;
        }
        s->name = more;
        s->most = (int)most;
    }
    s->name[s->names].s = name;
    s->name[s->names++].n = n;
}

static void demand(scope *s, bool holds, const orr__part *p, const char *what)
{
    if (!holds && !*s->why)
        (void)snprintf(s->why, s->size, "%s of %s %d is not there", what, orr__part_word(p->kind), p->n);
}

/* -- the names of expressions and statements ------------------------------------------------------------------------ */

static bool is_one_of(const char *s, size_t n, const char *const *words)
{
    while (*words && (strlen(*words) != n || strncmp(*words, s, n) != 0))
        words++;
    return *words != NULL;
}

/* Words of the language, macros, what every kernel has, and the outcome of a fold, of which `begun` has made sure. */
static bool is_given(const char *s, size_t n)
{
    static const char *const words[] = { "const", "void", "sizeof",  "return",   "continue", "while",
                                         "for",   "if",   "define",  "blockIdx", "blockDim", "threadIdx",
                                         "in",    "out",  "scratch", NULL };
    static const char *const numbered[] = { "in", "out", "pack", "fold", NULL };
    bool given = isupper((unsigned char)*s) || *s == '_' || is_one_of(s, n, words);
    for (int i = 0; numbered[i] && !given; i++) {
        size_t stem = strlen(numbered[i]);
        given = strncmp(s, numbered[i], stem) == 0 && stem < n && stem + strspn(s + stem, "0123456789") >= n;
    }
    return given;
}

/* Each name in `text` is declared before, or there by a type before it; NULL: no text. */
static void names(scope *s, const orr__part *p, const char *text)
{
    static const char *const types[] = { "int", "char", NULL };
    int depth = 0, list = -1;         /* of brackets; of the list of names that a type declares, -1: none */
    bool typed = false, next = false; /* a name that is declared follows */
    for (const char *at = text; at && *at && !*s->why;) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        bool member = at > text && (at[-1] == '.' || (at[-1] == '>' && at - text > 1 && at[-2] == '-'));
        if (n > 0 && !isdigit((unsigned char)*at) && !member) {
            bool calls = at[n] == '(';
            if (!calls && (strncmp(at, "orr_", 4) == 0 || is_one_of(at, n, types))) {
                typed = true;
            } else if (typed || next) {
                list = depth;
                typed = next = false;
                declare(s, at, n);
            } else if (!calls && !is_given(at, n)) {
                bool reg = *at == 'r' && strspn(at + 1, "0123456789") == n - 1;
                if (reg ? !has_reg(s, (int)strtol(at + 1, NULL, 10)) : !has_name(s, at, n))
                    (void)snprintf(s->why, s->size, "%.*s of %s is not there", (int)n, at, orr__part_word(p->kind));
            }
        } else if (n == 0) {
            n = *at == '"' ? strcspn(at + 1, "\"") + 2 : 1;
            depth += *at == '(' || *at == '[' ? 1 : *at == ')' || *at == ']' ? -1 : 0;
            next = *at == ',' && list == depth;
            list = *at == ';' ? -1 : list;
            typed = typed && (*at == ' ' || *at == '*');
            for (; next && (at[n] == ' ' || at[n] == '*'); at++)
                ;
        }
        at += n;
    }
}

/* -- parts ------------------------------------------------------------------------------------------------------------ */

/* A register of a fold's operand, or its sum acc<n>. */
static void fold(scope *s, const orr__part *p)
{
    char acc[24];
    int length = snprintf(acc, sizeof acc, "acc%d", p->n);
    if (p->how == ORR__FOLD_STEP || p->how == ORR__FOLD_LANE)
        demand(s, p->from || has_reg(s, orr__emit_fold_of(s->r, p->n).out_reg[0]), p, "the value");
    else if (p->how != ORR__FOLD_BEGIN && p->how != ORR__FOLD_CLEAR)
        demand(s, has_name(s, acc, (size_t)length), p, "the sum");
    if (p->how == ORR__FOLD_VALUE && orr__emit_fold_of(s->r, p->n).search)
        demand(s, p->at != NULL, p, "the place");
    if (p->how == ORR__FOLD_END)
        names(s, p, "int fold, where");
}

static void body_of(scope *s, const orr__part *list)
{
    int names = s->names, regs = s->regs;
    list_of(s, list);
    s->names = names;
    s->regs = regs;
}

static void loop(scope *s, const orr__part *p)
{
    int before = s->names;
    names(s, p, p->from);
    if (p->how & ORR__LOOP_BOUND)
        names(s, p, p->at);
    else if (p->from)
        declare(s, p->name, strlen(p->name));
    else
        names(s, p, p->name);
    if (p->how & ORR__LOOP_JUMPS && p->from)
        declare(s, p->at, strlen(p->at));
    names(s, p, p->to);
    names(s, p, p->step);
    body_of(s, p->body);
    s->names = before;
}

static void part(scope *s, const orr__part *p)
{
    const orr__rinstr *in = p->kind == ORR__PART_LET ? &s->r->instr[p->n] : NULL;
    bool array = p->kind == ORR__PART_ARRAY, begins = p->kind == ORR__PART_FOLD && p->how == ORR__FOLD_BEGIN;
    if (p->kind == ORR__PART_LOOP) {
        loop(s, p);
        return;
    }
    names(s, p, p->from);
    names(s, p, p->to);
    names(s, p, p->step);
    names(s, p, array ? NULL : p->at);
    if (array || begins)
        declare(s, p->name, strlen(p->name));
    else
        names(s, p, p->name);
    if (p->kind == ORR__PART_FOLD)
        fold(s, p);
    demand(s, !in || (has_reg(s, in->x) && has_reg(s, in->y) && has_reg(s, in->z)), p, "an operand");
    demand(s, p->kind != ORR__PART_STORE || p->how != ORR__STORE_PLAIN || has_reg(s, p->n), p, "the register");
    if (in || p->kind == ORR__PART_LOAD || (p->kind == ORR__PART_FOLD && p->how == ORR__FOLD_VALUE))
        s->reg[s->regs++] = p->n;
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
    s.reg = orr__alloc_n(most, sizeof *s.reg);
    if (s.reg)
        list_of(&s, n->root);
    else
        (void)snprintf(why, size, "no memory");
    free(s.name);
    free(s.reg);
    return !*why;
}
