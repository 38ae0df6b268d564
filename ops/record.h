/* How the structural ops record their primitives: small builders of nodes that can be chained.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_RECORD_H
#define ORR_OPS_RECORD_H

#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/ops.h"

/* Builders take over the reference of `n` and return a new one. NULL gives NULL and leaves the last error, so that
 * calls nest; orr__handle_new makes the poison at the end. A builder that has nothing to do returns `n`. */
orr__node *orr__rec_cast(orr__site at, orr__node *n, orr_dtype dtype);
orr__node *orr__rec_reshape(orr__site at, orr__node *n, const orr_shape *shape);   /* same count */
orr__node *orr__rec_broadcast(orr__site at, orr__node *n, const orr_shape *shape); /* must fit */
orr__node *orr__rec_permute(orr__site at, orr__node *n, const int *perm);
orr__node *orr__rec_slice(orr__site at, orr__node *n, const orr_shape *shape, const int64_t *start,
                          const int64_t *step);
/* n at `start` inside of `shape`; all other elements are v. */
orr__node *orr__rec_pad(orr__site at, orr__node *n, const orr_shape *shape, const int64_t *start, orr__scalar v);
/* The operands joined along the axis; takes over their references. */
orr__node *orr__rec_concat(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, int n, orr__node **node);
/* A reduction over the axes in mask, which have length 1 in the result; mask 0 is a cast. */
orr__node *orr__rec_reduce(orr__site at, orr__node *n, int rop, uint32_t mask, orr_dtype dtype);
orr__node *orr__rec_const(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__scalar v);
/* start + step·i[axis]; the scalars use the member for the dtype (float dtypes: f). */
orr__node *orr__rec_iota(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, orr__scalar start,
                         orr__scalar step);
/* The complex numbers with these parts, of f32 or f64. Takes over both references; NULL if one is NULL. */
orr__node *orr__rec_complex(orr__site at, orr__node *re, orr__node *im);
/* The real or imaginary part of a complex node. */
orr__node *orr__rec_part(orr__site at, orr__node *n, bool imag);
/* a or b, which are bool. */
orr__node *orr__rec_or(orr__site at, orr__node *a, orr__node *b);
/* A row of ew_id.h on a and b, of one shape. Takes over both references; NULL if one is NULL. */
orr__node *orr__rec_two(orr__site at, int row, orr_dtype dtype, orr__node *a, orr__node *b);
/* A node of the operation of n, with its attributes and name, for the shape and the operands, whose references it takes over. */
orr__node *orr__rec_like(orr__site at, const orr__node *n, orr_dtype dtype, const orr_shape *shape, int nin,
                         orr__node *const *in);
/* Is an element of n, a float or complex node, NaN or infinite? */
orr__node *orr__rec_not_finite(orr__site at, orr__node *n);
/* a where cond, which is bool, is true, else b. Takes over the references; NULL if one is NULL. */
orr__node *orr__rec_where(orr__site at, orr__node *cond, orr__node *a, orr__node *b);
/* An operation on one operand, without attributes. */
orr__node *orr__rec_one(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, orr__node *n);

/* Checks one operand and returns its node. false: return *bad. */
bool orr__operand(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad);
/* Poison for the labels of classes, of which each row of `logits`, its last axis, has one. */
orr_tensor *orr__labels_poison(orr__site at, const orr__node *logits, const orr__node *labels);
/* One operand of a float dtype. */
bool orr__operand_float(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad);
/* One operand of a float or complex dtype; of an ordered, that is not complex, dtype. */
bool orr__operand_inexact(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad);
bool orr__operand_ordered(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad);
/* A linear operation on a complex tensor, part by part: complex(f(real z), f(imag z)). `with` is passed to f. */
typedef orr_tensor *orr__linear(orr__site at, orr_tensor *part, const void *with);
orr_tensor *orr__by_parts(orr__site at, orr_tensor *z, orr__linear *f, const void *with);
/* The dtype in which a composition on `t` computes: f32 for f16 and bf16, else t. */
orr_dtype orr__wide(orr_dtype t);

/* `s` with the axes in mask removed, or with length 1 if `keep`. */
orr_shape orr__shape_reduced(const orr_shape *s, uint32_t mask, bool keep);
/* The axes in mask as a list for the public functions. */
orr_axes orr__axes_of(uint32_t mask);
/* Product of the dimensions in mask. */
int64_t orr__shape_count_of(const orr_shape *s, uint32_t mask);
/* (axis 0, all others): a shape for orr_reshape, which cannot find the number of columns of no rows by itself. */
orr_shape orr__shape_rows(const orr_shape *s);
bool orr__shape_ok(orr__site at, const orr_shape *s, orr_tensor **bad);
bool orr__dtype_any(orr__site at, orr_dtype t, orr_tensor **bad);
/* True if t is a dtype other than those of fields. */
bool orr__dtype_ok(orr__site at, orr_dtype t, orr_tensor **bad);
/* A leaf with the value in b. Takes over the reference of b. NULL: no memory. */
orr__node *orr__rec_leaf(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__buffer *b);
/* Poison for an axis, or a list of axes, that does not fit the shape. */
orr_tensor *orr__axis_poison(orr__site at, int axis, const orr_shape *s);
orr_tensor *orr__axes_poison(orr__site at, orr_axes axes, const orr_shape *s);
/* A user's number as a value of dtype; EDTYPE (last error set) for a fraction or a number out of range in an integer
 * dtype. */
bool orr__scalar_from(orr__site at, orr_dtype dtype, double value, orr__scalar *out);
/* ew_record.c: for dtypes without promotion, the dtype to write in orr_cast, and which of the two is cast. */
const char *orr__cast_words(orr_dtype a, orr_dtype b, orr_dtype *from);
/* The dtype that operands promote to. Weak scalars follow the others; a complex one makes it complex: of its own width for a
 * float, complex128 for integers and bool. false: the operands *a and *b have none; *dtype is that of those before *b. */
bool orr__common_dtype(int n, orr__node *const *node, orr_dtype *dtype, int *a, int *b);
/* The complex dtype beside a complex number. */
orr_dtype orr__complex_beside(orr_dtype t);
/* A weak scalar as a constant of a dtype; v is its real value in it, as a constant of the dtype has it. */
orr__node *orr__rec_weak(orr__site at, const orr__node *n, orr_dtype dtype, const orr_shape *shape, orr__scalar v);
/* false: n is a complex number, and the dtype is not complex (EDTYPE, last error set). */
bool orr__weak_kind_fits(orr__site at, const orr__node *n, orr_dtype dtype);
/* orr__common_dtype with the checks: EDTYPE names the cast, or the scalar that is no value of the dtype. */
bool orr__promote_nodes(orr__site at, int n, orr__node *const *node, orr_dtype *dtype);

/* label.c: integers x, each of which names one of n classes, as u64: those that name none are n or more, negative ones, too. *ignored: one
 * that names none on purpose; NULL: there is none. */
orr_tensor *orr__label(orr__site at, orr_tensor *x, int64_t n, const int64_t *ignored);

/* indexing.c: an index tensor as operations take it, i32 or i64; a new reference. */
orr__node *orr__index_operand(orr__site at, const orr__node *index);
/* `s` with axis k replaced by the dimensions of `by`. */
bool orr__index_shape(orr__site at, const orr_shape *s, int k, const orr_shape *by, orr_shape *out, orr_tensor **bad);
/* Operands and axis of an operation that reads or writes by index. `from` is x's shape, flat if the axis is
 * ORR_FLAT. */
bool orr__index_axis(orr__site at, orr__node *const *in, int axis, orr_shape *from, int *k, orr_tensor **bad);

/* field/: a builder that casts elements to another dtype or integers to elements; the product (…, m, n) times (…, n,
 * k), whose shapes fit and give `to`. */
orr__node *orr__rec_field_cast(orr__site at, orr__node *n, orr_dtype dtype);
orr_tensor *orr__field_product(orr__site at, orr_tensor *a, orr_tensor *b, orr_shape to);

/* reduce.c: checks a reduction of x over mask; poison for an extremum of no elements. */
const char *orr__reduce_verify(const orr__node *n, const orr__node *x, uint32_t mask);
orr_tensor *orr__reduce_nothing(orr__site at, const orr_shape *s);

/* in[1] · op(in[0])⁻¹ for tensors of ranks and dtypes that fit; mask: ORR__TRI_…. */
orr_tensor *orr__solve_right(orr__site at, orr_tensor *a, orr_tensor *b, unsigned mask);

/* column − row, i64, shape (rows, cols). */
orr_tensor *orr__diagonals(orr__site at, int64_t rows, int64_t cols);

/* Reads and restores seed and next stream of the calling thread's generator. */
void orr__random_state(uint64_t state[2]);
void orr__random_restore(const uint64_t state[2]);

/* Begins the scope of a composition. NULL: no memory for one, and the caller's scope owns the intermediate tensors. */
static inline orr_scope *orr__compose_begin(orr__site at)
{
    return orr__scope_composing(at.op);
}
/* Ends it and moves its result to the caller's scope. `s` may be NULL. */
orr_tensor *orr__compose_end(orr__site at, orr_scope *s, orr_tensor *result);

#endif
