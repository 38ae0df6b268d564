/* Parser of expressions over table rows, by recursive descent.
 * Must not know: what is done with an expression. */
#include "config.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ops/expr.h"

#define MAX_DEPTH 48 /* nesting, so that no text can exhaust the stack */

typedef struct {
    const char *text, *at;
    orr__expr *e;
    char *message;
    size_t size;
    int depth;
} parser;

/* All parsing functions return the number of a node, or -1 after this. The first message stands. */
static int fail(parser *p, const char *at, const char *fmt, ...) ORR_PRINTF(3, 4);
static int fail(parser *p, const char *at, const char *fmt, ...)
{
    va_list ap;
    if (!p->size || p->message[0])
        return -1;
    int n = snprintf(p->message, p->size, "column %d: ", (int)(at - p->text) + 1);
    if (n < 0 || (size_t)n >= p->size)
        return -1;
    va_start(ap, fmt);
    (void)vsnprintf(p->message + n, p->size - (size_t)n, fmt, ap);
    va_end(ap);
    return -1;
}

static char peek(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
    return *p->at;
}

static bool take(parser *p, const char *token)
{
    size_t n = strlen(token);
    (void)peek(p);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool same(const orr__expr_node *a, const orr__expr_node *b)
{
    return a->kind == b->kind && memcmp(&a->number, &b->number, sizeof a->number) == 0 && a->name == b->name &&
           a->row == b->row && memcmp(a->arg, b->arg, sizeof a->arg) == 0;
}

static int add(parser *p, const orr__expr_node *v)
{
    orr__expr *e = p->e;
    for (int i = 0; i < e->n; i++)
        if (same(&e->node[i], v))
            return i;
    if (e->n == ORR__EXPR_NODES)
        return fail(p, p->at, "the expression is too long (%d parts at most)", ORR__EXPR_NODES);
    e->node[e->n] = *v;
    return e->n++;
}

static int add_row(parser *p, const char *name, int a, int b, int c)
{
    const orr__ewrow *row = orr__ew_find(name);
    int arity = b < 0 ? 1 : c < 0 ? 2 : 3;
    if (!row || row->arity != arity)
        return fail(p, p->at, "no function %s of %d operands", name, arity);
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_ROW, .row = row, .arg = { a, b, c } });
}

static int expression(parser *p);

/* A decimal number, with a point in every locale. */
static int number(parser *p)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    char *end;
    double v = strtod(p->at, &end);
    if (c) {
        (void)uselocale(old);
        freelocale(c);
    }
    if (end == p->at)
        return fail(p, p->at, "a number expected");
    p->at = end;
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_NUMBER, .number = v });
}

static int call(parser *p, const char *start, const orr__ewrow *row)
{
    int arg[3] = { -1, -1, -1 }, n = 0;
    do {
        if (n == row->arity)
            return fail(p, p->at, "%s takes %d operand%s", row->op.name, n, n == 1 ? "" : "s");
        if ((arg[n++] = expression(p)) < 0)
            return -1;
    } while (take(p, ","));
    if (!take(p, ")"))
        return fail(p, p->at, "')' expected");
    if (n != row->arity)
        return fail(p, start, "%s takes %d operands, not %d", row->op.name, row->arity, n);
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_ROW, .row = row, .arg = { arg[0], arg[1], arg[2] } });
}

static int word(parser *p)
{
    static const char names[] = "xyzrg";
    const char *start = p->at;
    char name[32];
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') {
        if (n < sizeof name - 1)
            name[n++] = *p->at;
        p->at++;
    }
    name[n] = '\0';
    if (take(p, "(")) {
        const orr__ewrow *row = orr__ew_find(name);
        return row ? call(p, start, row) : fail(p, start, "no function is called %s", name);
    }
    const char *at = n == 1 ? strchr(names, name[0]) : NULL;
    if (!at)
        return fail(p, start, "%s is none of the names x, y, z, r, g", name);
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_NAME, .name = (int)(at - names) });
}

static int primary(parser *p)
{
    char c = peek(p);
    if (take(p, "(")) {
        int v = expression(p);
        return v < 0 ? -1 : take(p, ")") ? v : fail(p, p->at, "')' expected");
    }
    if (isdigit((unsigned char)c) || c == '.')
        return number(p);
    if (isalpha((unsigned char)c))
        return word(p);
    return c ? fail(p, p->at, "'%c' where a value should start", c) : fail(p, p->at, "a value expected, not the end");
}

static int unary(parser *p)
{
    if (peek(p) != '-')
        return primary(p);
    int v = -1;
    p->at++;
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->at, "nested too deeply");
    if ((v = unary(p)) >= 0) {
        orr__expr_node *n = &p->e->node[v];
        v = n->kind == ORR__EXPR_NUMBER ? add(p, &(orr__expr_node){ .kind = ORR__EXPR_NUMBER, .number = -n->number })
                                        : add_row(p, "neg", v, -1, -1);
    }
    p->depth--;
    return v;
}

static int chain(parser *p, const char *first, const char *first_row, const char *second, const char *second_row,
                 int (*operand)(parser *))
{
    int v = operand(p);
    while (v >= 0) {
        const char *row = take(p, first) ? first_row : take(p, second) ? second_row : NULL;
        if (!row)
            break;
        int b = operand(p);
        v = b < 0 ? -1 : add_row(p, row, v, b, -1);
    }
    return v;
}

static int term(parser *p)
{
    return chain(p, "*", "mul", "/", "div", unary);
}

static int sum(parser *p)
{
    return chain(p, "+", "add", "-", "sub", term);
}

static int expression(parser *p)
{
    static const struct {
        const char *token, *row;
    } compare[] = {
        { "<=", "less_equal" }, { ">=", "greater_equal" }, { "==", "equal" },
        { "!=", "not_equal" },  { "<", "less" },           { ">", "greater" },
    };
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->at, "nested too deeply");
    int v = sum(p);
    for (size_t i = 0; v >= 0 && i < sizeof compare / sizeof *compare; i++)
        if (take(p, compare[i].token)) {
            int b = sum(p);
            v = b < 0 ? -1 : add_row(p, compare[i].row, v, b, -1);
            break;
        }
    p->depth--;
    return v;
}

orr_status orr__expr_parse(const char *text, orr__expr *out, char *message, size_t size)
{
    parser p = { text, text, out, message, size, 0 };
    if (size)
        message[0] = '\0';
    memset(out, 0, sizeof *out);
    int v = expression(&p);
    if (v >= 0 && peek(&p))
        v = fail(&p, p.at, "'%c' where the end or an operator should be", *p.at);
    if (v >= 0 && v != out->n - 1) /* the value is an earlier node only if it is all there is, or was written twice */
        out->n = v + 1;
    return v < 0 ? ORR_EFORMAT : ORR_OK;
}
