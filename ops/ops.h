/* The table of operations: primitives and element-wise rows, their meaning and their derivatives.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_OPS_H
#define ORR_OPS_OPS_H

#include "runtime/graph/node.h"
#include "runtime/graph/capture.h"

/* The classes of dtypes that a row takes. */
typedef enum {
    ORR__TFLOAT = 1, /* f16 bf16 f32 f64          */
    ORR__TINT = 2,   /* signed and unsigned ints  */
    ORR__TBOOL = 4,
    ORR__TNUMERIC = ORR__TFLOAT | ORR__TINT,
    ORR__TINTBOOL = ORR__TINT | ORR__TBOOL,
    ORR__TALL = 7,
    ORR__TWIDE = 8, /* f32 f64 only               */
    ORR__TCOMPLEX = 16,
    ORR__TFIELD = 32
} orr__tclass;

/* The dtype of a row's result, by that of its operands. */
typedef enum {
    ORR__EW_SAME,  /* the operands'                                       */
    ORR__EW_TRUTH, /* bool (comparisons, isnan …)                         */
    ORR__EW_COND,  /* that of y and z; operand x is bool (where)          */
    ORR__EW_PART,  /* of complex operands, the dtype of the parts (abs)   */
    ORR__EW_PAIR   /* the complex dtype with parts of the operands' dtype */
} orr__ewresult;

/* One row of ops/elementwise.def. `value` is a C expression in the operands x, y, z; the derivatives are expressions
 * of ops/expr.c in x, y, z, the result r and the cotangent g; NULL or "": not differentiable (gradient zero). */
typedef struct orr__ewrow {
    orr__op op;              /* id = ORR__OP_EW + index                                           */
    int arity;               /* 1, 2, 3                                                           */
    unsigned types;          /* orr__tclass of the operands                                       */
    bool to_bool;            /* result is bool (comparisons, isnan …), else the operands' dtype    */
    bool cond;               /* operand x is bool and y, z carry the dtype (where)                */
    uint8_t result, cresult; /* orr__ewresult, and that of complex operands               */
    int flops;               /* rough cost per element, for the planner: 1 add, ~20 exp            */
    const char *value, *deriv[3];
    const char *cvalue, *cderiv[3]; /* of complex operands; NULL: the row takes none; "=": the text above */
    const char *fvalue;             /* of elements of a field; NULL: the row takes none                   */
    double lo, hi;                  /* domain of dense accuracy samples                                  */
    int ulp;                        /* accuracy promised, f32 and f64, every engine                      */
    const char *doc;
} orr__ewrow;

int orr__ew_count(void);
extern const orr__ewrow orr__ew_rows[]; /* by id − ORR__OP_EW */
const orr__ewrow *orr__ew(int id);      /* NULL: no row's id  */
const orr__ewrow *orr__ew_find(const char *name);
int16_t orr__fold_row(int rop); /* the row that joins two values of a sum or a product */

/* The structural operations: ids from ORR__OP_ROLES on, contracts, the table. */
enum {
    ORR__OP_BEFORE = ORR__OP_ROLES - 1,
#define OP(name, cpu, emit, doc) ORR__OP_##name,
#include "ops/structural.def"
    ORR__OP_END
};
#define OP(name, cpu, emit, doc) extern const orr__op orr__op_##name;
#include "ops/structural.def"
extern const orr__op *const orr__structural[];
static inline int orr__structural_count(void)
{
    return ORR__OP_END - ORR__OP_ROLES;
}
/* True if the row takes operands of t (cond: y, z). */
static inline bool orr__ew_takes(const orr__ewrow *row, orr_dtype t)
{
    unsigned has = t == ORR_BOOL        ? ORR__TBOOL
                   : orr__is_int(t)     ? ORR__TINT
                   : orr__is_float(t)   ? ORR__TFLOAT
                   : orr__is_complex(t) ? ORR__TCOMPLEX
                   : orr__is_field(t)   ? ORR__TFIELD
                                        : 0;
    if (t == ORR_F32 || t == ORR_F64)
        has |= ORR__TWIDE;
    return (row->types & has) != 0;
}
/* The dtype of the result for operands of t; the row takes t. */
static inline orr_dtype orr__ew_result(const orr__ewrow *row, orr_dtype t)
{
    int result = orr__is_complex(t) ? row->cresult : row->result;
    return result == ORR__EW_TRUTH  ? ORR_BOOL
           : result == ORR__EW_PART ? orr__part_dtype(t)
           : result == ORR__EW_PAIR ? orr__complex_of(t)
                                    : t;
}
/* True if an operand or the result, for operands of t, is no orr__scalar. */
static inline bool orr__ew_is_compound(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_compound(t) || row->result == ORR__EW_PAIR;
}
/* True if the row takes operands of t and all its values are scalars. */
static inline bool orr__ew_takes_scalars(const orr__ewrow *row, orr_dtype t)
{
    return orr__ew_takes(row, t) && !orr__ew_is_compound(row, t);
}
/* The value expression for operands of t. */
static inline const char *orr__ew_value(const orr__ewrow *row, orr_dtype t)
{
    return orr__is_complex(t) ? row->cvalue : orr__is_field(t) ? row->fvalue : row->value;
}
const char *orr__ew_prelude(void); /* text of ops/ew_prelude.h, comments left out, for emitters */

/* Apply an element-wise row to values as registers hold them: the plain definition, used by the reference evaluation. dtype
 * is that of the operands (for cond: of y). orr__ew_eval_at works in memory, on any dtype, and does not round results to
 * f16 or bf16; orr__ew_eval rounds them and has no complex numbers. */
void orr__ew_eval_at(const orr__ewrow *row, orr_dtype dtype, void *r, const void *x, const void *y, const void *z);
orr__scalar orr__ew_eval(const orr__ewrow *row, orr_dtype dtype, orr__scalar x, orr__scalar y, orr__scalar z);

/* Records row `row` on up to three operands: weak scalars, promotion, casts, broadcasts, type check. */
orr_tensor *orr__ew_record(orr__site at, const orr__ewrow *row, const orr_tensor *x, const orr_tensor *y,
                           const orr_tensor *z);

/* Cotangent of operand 0, 1 or 2 of a recorded row: g times the derivative, as new nodes (so it can be differentiated
 * again). x, y, z: the operands as recorded, r the result, g its cotangent; y, z may be NULL where the row has none.
 * NULL when the row has no derivative by that operand; poison on errors. */
orr_tensor *orr__ew_vjp(orr__site at, const orr__ewrow *row, int operand, orr_tensor *x, orr_tensor *y, orr_tensor *z,
                        orr_tensor *r, orr_tensor *g);

/* Reference evaluation of a capture, node by node, no fusion, sums in long double. leaf: host pointers, row-major.
 * out[i]: the caller's memory for output i. ORR_EINDEX if an index is out of range. */
orr_status orr__reference_eval(const orr__capture *p, const void *const *leaf, void *const *out);

#endif
