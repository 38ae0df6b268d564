/* Expressions over table rows: numbers, names, operators, calls. Derivatives and users' definitions are written in them.
 * Must not know: derivatives, devices. */
#ifndef ORR_OPS_EXPR_H
#define ORR_OPS_EXPR_H

#include "ops/ops.h"

/* The grammar is that of orr_define_elementwise in <orrery/define.h>. Names are x y z (operands), r (result), g
 * (cotangent). Operators stand for the rows add, sub, mul, div, neg, less …, where, logical_and ….
 * Equal subexpressions are one node: written twice, computed once. */
#define ORR__EXPR_NODES 256

struct orr__define;

typedef enum { ORR__EXPR_NUMBER, ORR__EXPR_NAME, ORR__EXPR_ROW } orr__expr_kind;

typedef struct {
    orr__expr_kind kind;
    double number;
    int name;   /* index in "xyzrg"                      */
    bool truth; /* a truth value; set only with a language */
    const orr__ewrow *row;
    const struct orr__define *def; /* the definition of a user's function; then row is NULL */
    int arg[3];                    /* earlier nodes, one for each operand */
} orr__expr_node;

/* Nodes in the order of evaluation; the last one is the value. Immutable. */
typedef struct orr__expr {
    int n;
    orr__expr_node node[ORR__EXPR_NODES];
} orr__expr;

/* Parses `text` (NUL-terminated; no character needs UTF-8). On failure `message` has the expected token and the
 * column, starting at 1: "column 7: ')' expected". ORR_EFORMAT; sets no last error. */
orr_status orr__expr_parse(const char *text, orr__expr *out, char *message, size_t size);

/* The language of users: fewer names, the kinds of values checked, operations on numbers computed at once, and calls of
 * definitions. */
typedef struct {
    int arity;       /* number of operands      */
    bool derivative; /* r and g exist too       */
    const struct orr__define *(*find)(const char *name, int *arity, bool *truth);
    const char *(*nearest)(const char *name); /* the nearest name of a function, or NULL */
} orr__expr_lang;
orr_status orr__expr_parse_in(const orr__expr_lang *lang, const char *text, orr__expr *out, char *message, size_t size);

/* Moves an expression into as little memory as it needs. Takes over e, which is from malloc. */
orr__expr *orr__expr_shrink(orr__expr *e);

/* Records the expression on tensors; unused names may be NULL. The result is always a new handle, owned by the
 * current scope; poison on errors. */
orr_tensor *orr__expr_record(orr__site at, const orr__expr *e, orr_tensor *x, orr_tensor *y, orr_tensor *z,
                             orr_tensor *r, orr_tensor *g);

/* Computes the expression on values of a float dtype. v[0 … 5) are x y z r g; is_bool[i]: v[i] is a bool. */
orr__scalar orr__expr_eval(const orr__expr *e, orr_dtype dtype, const orr__scalar v[5], const bool is_bool[5]);

#endif
