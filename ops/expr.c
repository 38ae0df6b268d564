/* Parser of expressions over table rows, by recursive descent.
 * Must not know: the use of an expression. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ops/expr.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"

#define MAX_DEPTH 48 /* limit of a format: nesting, so that no text can exhaust the stack */

typedef struct {
    const orr__expr_lang *lang; /* NULL: the table's own texts */
    const char *text, *at;
    orr__expr *e;
    char *message;
    size_t size;
    int depth;
} parser;

/* Records an error and returns -1; the first message is kept. All parsing functions return the number of a node, or
 * -1 after an error. */
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
    (void)orr__decimal_vprint(p->message + n, p->size - (size_t)n, fmt, ap);
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

/* Independent of the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool same(const orr__expr_node *a, const orr__expr_node *b)
{
    return a->kind == b->kind && memcmp(&a->number, &b->number, sizeof a->number) == 0 && a->name == b->name &&
           a->row == b->row && a->def == b->def && memcmp(a->arg, b->arg, sizeof a->arg) == 0;
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

static int add_number(parser *p, double v)
{
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_NUMBER, .number = v });
}

/* True if the operands are of the kinds that the row takes. *truth: the result is a truth value. */
static bool kinds_fit(parser *p, const char *at, const orr__ewrow *row, const int arg[3], bool *truth)
{
    const orr__expr_node *node = p->e->node;
    int first = row->cond ? 1 : 0;
    bool kind = node[arg[first]].truth;
    if (row->cond && !node[arg[0]].truth) {
        (void)fail(p, at, "the condition is a number; compare it: x != 0");
        return false;
    }
    for (int k = first; k < row->arity; k++)
        if (node[arg[k]].truth != kind) {
            (void)fail(p, at, "%s of a number and a truth value; t ? 1 : 0 is a number", row->op.name);
            return false;
        }
    if (!orr__ew_takes(row, kind ? ORR_BOOL : ORR_F32)) {
        (void)fail(p, at, "%s takes no %s", row->op.name, kind ? "truth values; t ? 1 : 0 is a number" : "floats");
        return false;
    }
    if (row->result == ORR__EW_PAIR) {
        (void)fail(p, at, "%s makes complex numbers, which expressions do not hold", row->op.name);
        return false;
    }
    *truth = row->to_bool || kind;
    return true;
}

/* `at`: the place in the text that an error message points to. */
static int add_call(parser *p, const char *at, const orr__ewrow *row, const int arg[3])
{
    orr__expr_node v = { .kind = ORR__EXPR_ROW, .row = row, .arg = { arg[0], arg[1], arg[2] } };
    bool numbers = p->lang != NULL;
    orr__scalar s[3] = { { .f = 0 }, { .f = 0 }, { .f = 0 } };
    if (!p->lang)
        return add(p, &v);
    if (!kinds_fit(p, at, row, arg, &v.truth))
        return -1;
    for (int k = 0; k < row->arity; k++) {
        numbers = numbers && p->e->node[arg[k]].kind == ORR__EXPR_NUMBER;
        s[k].f = p->e->node[arg[k]].number;
    }
    return numbers && !v.truth ? add_number(p, orr__ew_eval(row, ORR_F64, s[0], s[1], s[2]).f) : add(p, &v);
}

static int add_row(parser *p, const char *at, const char *name, int a, int b, int c)
{
    const orr__ewrow *row = orr__ew_find(name);
    int arity = b < 0 ? 1 : c < 0 ? 2 : 3;
    if (!row || row->arity != arity)
        return fail(p, at, "no function %s of %d operands", name, arity);
    return add_call(p, at, row, (const int[3]){ a, b, c });
}

static int expression(parser *p);

/* A decimal number with a point, whatever the locale. */
static int number(parser *p)
{
    ORR__IN_DEFAULT_FPMODE;
    const char *start = p->at;
    char *end;
    double v = orr__decimal(start, &end);
    if (end == start)
        return fail(p, start, "a number expected");
    for (const char *c = start; c < end; c++)
        if (is_letter(*c) && *c != 'e' && *c != 'E')
            return fail(p, start, "a decimal number expected");
    if (isinf(v))
        return fail(p, start, "the number is too large");
    p->at = end;
    return add_number(p, v);
}

/* Operands up to the closing parenthesis; false: the message is set. */
static bool operands(parser *p, const char *start, const char *name, int arity, int arg[3])
{
    int n = 0;
    do {
        if (n == arity) {
            (void)fail(p, p->at, "%s takes %d operand%s", name, n, n == 1 ? "" : "s");
            return false;
        }
        if ((arg[n++] = expression(p)) < 0)
            return false;
    } while (take(p, ","));
    if (!take(p, ")")) {
        (void)fail(p, p->at, "')' expected");
        return false;
    }
    if (n != arity)
        (void)fail(p, start, "%s takes %d operands, not %d", name, arity, n);
    return n == arity;
}

static int call(parser *p, const char *start, const char *name)
{
    const orr__ewrow *row = orr__ew_find(name);
    const struct orr__define *def = NULL;
    const char *near = NULL;
    int arg[3] = { -1, -1, -1 }, arity = row ? row->arity : 0;
    bool truth = false;
    if (!row && p->lang && !(def = p->lang->find(name, &arity, &truth)))
        near = p->lang->nearest(name);
    if (!row && !def)
        return near ? fail(p, start, "no function is called %s; did you mean %s?", name, near)
                    : fail(p, start, "no function is called %s", name);
    if (!operands(p, start, name, arity, arg))
        return -1;
    if (row)
        return add_call(p, start, row, arg);
    for (int k = 0; k < arity; k++)
        if (p->e->node[arg[k]].truth)
            return fail(p, start, "%s takes no truth values; t ? 1 : 0 is a number", name);
    return add(
        p, &(orr__expr_node){ .kind = ORR__EXPR_ROW, .def = def, .truth = truth, .arg = { arg[0], arg[1], arg[2] } });
}

/* True if x, y, z, r or g, by its number, exists here. */
static bool known(const parser *p, int name)
{
    return !p->lang || (name < 3 ? name < p->lang->arity : p->lang->derivative);
}

static int word(parser *p)
{
    static const char names[] = "xyzrg";
    static const char *const list[2][3] = { { "x", "x, y", "x, y, z" }, { "x, r, g", "x, y, r, g", "x, y, z, r, g" } };
    const char *start = p->at;
    char name[32];
    size_t n = 0;
    while (is_letter(*p->at) || is_digit(*p->at)) {
        if (n < sizeof name - 1)
            name[n++] = *p->at;
        p->at++;
    }
    name[n] = '\0';
    if (take(p, "("))
        return call(p, start, name);
    const char *at = n == 1 ? strchr(names, name[0]) : NULL;
    if (!at || !known(p, (int)(at - names)))
        return fail(p, start, "%s is none of the names %s", name,
                    p->lang ? list[p->lang->derivative][p->lang->arity - 1] : list[1][2]);
    return add(p, &(orr__expr_node){ .kind = ORR__EXPR_NAME, .name = (int)(at - names) });
}

static int primary(parser *p)
{
    char c = peek(p);
    if (take(p, "(")) {
        int v = expression(p);
        return v < 0 ? -1 : take(p, ")") ? v : fail(p, p->at, "')' expected");
    }
    if (is_digit(c) || c == '.')
        return number(p);
    if (is_letter(c))
        return word(p);
    if (c && (c < ' ' || c > '~'))
        return fail(p, p->at, "a byte that no expression has (0x%02x)", (unsigned)(unsigned char)c);
    return c ? fail(p, p->at, "'%c' where a value should start", c) : fail(p, p->at, "a value expected, not the end");
}

static int unary(parser *p)
{
    char c = peek(p);
    if (c != '-' && c != '!')
        return primary(p);
    const char *at = p->at++;
    int v = -1;
    if (++p->depth > MAX_DEPTH)
        return fail(p, at, "nested too deeply");
    if ((v = unary(p)) >= 0) {
        orr__expr_node *n = &p->e->node[v];
        v = c == '-' && n->kind == ORR__EXPR_NUMBER ? add_number(p, -n->number)
                                                    : add_row(p, at, c == '-' ? "neg" : "logical_not", v, -1, -1);
    }
    p->depth--;
    return v;
}

/* Operators of one precedence, from left to right: tokens and their rows, up to a NULL. */
static int chain(parser *p, const char *const *token, int (*operand)(parser *))
{
    int v = operand(p);
    while (v >= 0) {
        const char *const *t = token, *at = (peek(p), p->at);
        while (*t && !take(p, *t))
            t += 2;
        if (!*t)
            break;
        int b = operand(p);
        v = b < 0 ? -1 : add_row(p, at, t[1], v, b, -1);
    }
    return v;
}

static int term(parser *p)
{
    static const char *const token[] = { "*", "mul", "/", "div", NULL };
    return chain(p, token, unary);
}

static int sum(parser *p)
{
    static const char *const token[] = { "+", "add", "-", "sub", NULL };
    return chain(p, token, term);
}

static int compare(parser *p)
{
    static const char *const token[] = { "<=", "less_equal", ">=", "greater_equal", "==", "equal",
                                         "!=", "not_equal",  "<",  "less",          ">",  "greater" };
    int v = sum(p);
    const char *at = (peek(p), p->at);
    for (size_t i = 0; v >= 0 && i < sizeof token / sizeof *token; i += 2)
        if (take(p, token[i])) {
            int b = sum(p);
            return b < 0 ? -1 : add_row(p, at, token[i + 1], v, b, -1);
        }
    return v;
}

static int conjunction(parser *p)
{
    static const char *const token[] = { "&&", "logical_and", NULL };
    return chain(p, token, compare);
}

static int disjunction(parser *p)
{
    static const char *const token[] = { "||", "logical_or", NULL };
    return chain(p, token, conjunction);
}

static int expression(parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->at, "nested too deeply");
    int v = disjunction(p), a, b;
    const char *at = (peek(p), p->at);
    if (v >= 0 && take(p, "?")) {
        if ((a = expression(p)) < 0)
            return -1;
        if (!take(p, ":"))
            return fail(p, p->at, "':' expected");
        v = (b = expression(p)) < 0 ? -1 : add_row(p, at, "where", v, a, b);
    }
    p->depth--;
    return v;
}

orr_status orr__expr_parse_in(const orr__expr_lang *lang, const char *text, orr__expr *out, char *message, size_t size)
{
    parser p = { lang, text, text, out, message, size, 0 };
    if (size)
        message[0] = '\0';
    memset(out, 0, sizeof *out);
    int v = expression(&p);
    char c = v < 0 ? '\0' : peek(&p);
    if (c)
        v = c < ' ' || c > '~' ? fail(&p, p.at, "a byte that no expression has (0x%02x)", (unsigned)(unsigned char)c)
                               : fail(&p, p.at, "'%c' where the end or an operator should be", c);
    if (v >= 0 && v != out->n - 1) /* the value is an earlier node only if it is the whole text or was written twice */
        out->n = v + 1;
    return v < 0 ? ORR_EFORMAT : ORR_OK;
}

orr_status orr__expr_parse(const char *text, orr__expr *out, char *message, size_t size)
{
    return orr__expr_parse_in(NULL, text, out, message, size);
}
