/* Expressions over table rows: numbers, names, operators, calls. Derivatives are written in them.
 * Must not know: derivatives, devices. */
#ifndef ORR_OPS_EXPR_H
#define ORR_OPS_EXPR_H

#include "ops/ops.h"

/* Grammar:  expr  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *           sum   = term { ("+" | "-") term }
 *           term  = unary { ("*" | "/") unary }
 *           unary = "-" unary | number | name | row "(" expr { "," expr } ")" | "(" expr ")"
 * Names are x y z (operands), r (result), g (cotangent). Operators stand for the rows add, sub, mul, div, neg, less … .
 * Equal subexpressions are one node: written twice, computed once. */
#define ORR__EXPR_NODES 64

typedef enum { ORR__EXPR_NUMBER, ORR__EXPR_NAME, ORR__EXPR_ROW } orr__expr_kind;

typedef struct {
    orr__expr_kind kind;
    double number;
    int name; /* index in "xyzrg"                      */
    const orr__ewrow *row;
    int arg[3]; /* nodes before this one; row->arity of them */
} orr__expr_node;

/* Nodes in an order in which they can be computed; the last one is the value. Immutable. */
typedef struct orr__expr {
    int n;
    orr__expr_node node[ORR__EXPR_NODES];
} orr__expr;

/* Parses `text` (NUL-terminated, UTF-8 nowhere needed). On failure `message` says what was expected and at which
 * column, starting at 1: "column 7: ')' expected". ORR_EFORMAT; sets no last error. */
orr_status orr__expr_parse(const char *text, orr__expr *out, char *message, size_t size);

/* Records the expression on tensors; names that it does not use may be NULL. The result is always a fresh handle,
 * owned by the current scope; poison on errors. */
orr_tensor *orr__expr_record(orr__site at, const orr__expr *e, orr_tensor *x, orr_tensor *y, orr_tensor *z,
                             orr_tensor *r, orr_tensor *g);

/* Computes it on values of dtype (a float dtype), v[0…5) being x y z r g; bool[i]: v[i] is a bool. */
orr__scalar orr__expr_eval(const orr__expr *e, orr_dtype dtype, const orr__scalar v[5], const bool is_bool[5]);

#endif
