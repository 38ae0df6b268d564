/* Tensors as values: scopes that own them, creation, reading back, printing.
 * Must not know: how a value is computed. */
#ifndef ORRERY_TENSOR_H
#define ORRERY_TENSOR_H

#include <stdbool.h>
#include <orrery/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor, or poison: a tensor that carries an error. The pointer is a checked name, not an address: a stale or
 * foreign one is recognised (ORR_EHANDLE) and never followed. Every operation refuses NULL. */
typedef struct orr_tensor orr_tensor;
/** A list in place. Lists are two arguments everywhere, an array and its length; ORR_TENSORS(x, y) writes both, as
 * in orr_eval_all(ORR_TENSORS(x, y)) and orr_concat(ORR_TENSORS(x, y), 0). */
#define ORR_TENSORS(...) ORR__ARRAY(orr_tensor *, __VA_ARGS__)
/** A list of texts in place, and its length: ORR_TEXTS("x", "y"). */
#define ORR_TEXTS(...) ORR__ARRAY(const char *, __VA_ARGS__)
/** Owner of the tensors that its thread makes while it is the innermost scope. */
typedef struct orr_scope orr_scope;

/* -- scopes ------------------------------------------------------------------------------------------ */

/** Opens a scope on the calling thread, which owns the tensors made from now on. Scopes nest. Tensors made outside
 * every scope live until orr_free or orr_shutdown.
 * @return   NULL on ORR_ENOMEM. */
ORR_API orr_scope *orr_scope_begin(void);
/** Closes `s`, and open scopes inside it, and frees the tensors that it owns.
 * errors:   ORR_EINVAL (`s` is not an open scope of the calling thread). */
ORR_API orr_status orr_scope_end_at(const char *file, int line, orr_scope *s);
#define orr_scope_end(...) orr_scope_end_at(ORR_HERE, __VA_ARGS__)
/** Removes `t` from all scopes; orr_free it later.
 * @return   `t`. */
ORR_API orr_tensor *orr_keep_at(const char *file, int line, orr_tensor *t);
#define orr_keep(...) orr_keep_at(ORR_HERE, __VA_ARGS__)
/** Moves `t` to the scope outside `s`, or out of all scopes where `s` is the outermost.
 * @return   `t`; poison on ORR_ENOMEM. */
ORR_API orr_tensor *orr_scope_return_at(const char *file, int line, orr_scope *s, orr_tensor *t);
#define orr_scope_return(...) orr_scope_return_at(ORR_HERE, __VA_ARGS__)
/** Frees one tensor now, whatever scope owns it. NULL is fine.
 * errors:   ORR_EHANDLE (a second time).
 * threads:  safe from any thread, also while others use `t`: calls that have begun end as if before it, later ones
 *           give ORR_EHANDLE. */
ORR_API orr_status orr_free_at(const char *file, int line, orr_tensor *t);
#define orr_free(...) orr_free_at(ORR_HERE, __VA_ARGS__)

/* -- queries (nothing runs) -------------------------------------------------------------------------- */

/** Returns ORR_OK, the error of a poison, or ORR_EHANDLE for any other pointer. Leaves the last error as it is. */
ORR_API orr_status orr_tensor_status(const orr_tensor *t);
/** Returns the shape; rank −1 for poison and any other pointer. */
ORR_API orr_shape orr_tensor_shape(const orr_tensor *t);
/** Returns the element type; ORR_DTYPE_COUNT for poison and any other pointer. */
ORR_API orr_dtype orr_tensor_dtype(const orr_tensor *t);
/** Returns the number of elements; −1 for poison and any other pointer. */
ORR_API int64_t orr_tensor_size(const orr_tensor *t);

/* -- creation: all return a tensor owned by the current scope, poison on error --------------------------- */

/** Copies `shape` elements of `dtype`, row-major, from `data` now.
 * errors:   ORR_EINVAL (NULL), ORR_ESHAPE, ORR_EDTYPE, ORR_ENOMEM. */
ORR_API orr_tensor *orr_from_at(const char *file, int line, orr_dtype dtype, orr_shape shape, const void *data);
#define orr_from(...) orr_from_at(ORR_HERE, __VA_ARGS__)
/** Uses the caller's memory without a copy.
 * The memory must stay unchanged until `release(data, user)` is called: once, from any thread, after the last use; it must
 * not evaluate. If
 * release is NULL, the memory must stay unchanged until orr_shutdown. On error release is not called. `data` must be
 * aligned to the element's size.
 * errors:   as orr_from; ORR_EINVAL (not aligned). */
ORR_API orr_tensor *orr_wrap_at(const char *file, int line, orr_dtype dtype, orr_shape shape, void *data,
                                void (*release)(void *data, void *user), void *user);
#define orr_wrap(...) orr_wrap_at(ORR_HERE, __VA_ARGS__)
/** Zeros. Errors of this and the next functions: ORR_ESHAPE, ORR_EDTYPE. */
ORR_API orr_tensor *orr_zeros_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
/** Ones. */
ORR_API orr_tensor *orr_ones_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
/** Elements that are all `value`, converted; ORR_EDTYPE where an integer dtype does not hold it. */
ORR_API orr_tensor *orr_full_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double value);
/** Elements that are all `value`, as orr_full, for integers that no double holds: orr_full_number(ORR_U64,
 * ORR_SHAPE(2), ORR_UNSIGNED(UINT64_MAX)). With ORR_SHAPE_0D the result is a number for operations; orr_scalar takes
 * only doubles. */
ORR_API orr_tensor *orr_full_number_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_number value);
/** Elements that are all re + i·im, of a complex dtype; ORR_EDTYPE for others. With ORR_SHAPE_0D the result is a complex
 * number for operations. */
ORR_API orr_tensor *orr_full_complex_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double re,
                                        double im);
/** A 0-d constant without a dtype of its own: an operation gives it the dtype of the other operand, or ORR_EDTYPE if
 * that is an integer dtype that does not hold the value. By itself it is f64. */
ORR_API orr_tensor *orr_scalar_at(const char *file, int line, double value);
/** The complex number re + i·im as a 0-d constant without a dtype of its own: an operation gives it the dtype of a complex
 * operand; beside a float it has the complex dtype of that width (c64 for f16, bf16 and f32, c128 for f64), and the result
 * is complex; beside integers and bool it is c128. By itself it is c128, as are the results of operations on numbers
 * alone. errors, in operations that take no complex numbers: ORR_EDTYPE. */
ORR_API orr_tensor *orr_scalar_complex_at(const char *file, int line, double re, double im);
/** start, start+step, … below stop, or above it for step < 0; ⌈(stop−start)/step⌉ elements.
 * errors:   ORR_EINVAL (step 0, NaN), ORR_EDTYPE (bool; an integer dtype that does not hold all of them). */
ORR_API orr_tensor *orr_arange_at(const char *file, int line, orr_dtype dtype, double start, double stop, double step);
/** As orr_arange; for three integers and an integer dtype each element and the length are exact. */
ORR_API orr_tensor *orr_arange_number_at(const char *file, int line, orr_dtype dtype, orr_number start, orr_number stop,
                                         orr_number step);
/** n points from start to stop, both included: start + i·(stop−start)/(n−1). Float dtypes. */
ORR_API orr_tensor *orr_linspace_at(const char *file, int line, orr_dtype dtype, double start, double stop, int64_t n);
/** Ones where column − row = k, zeros elsewhere. */
ORR_API orr_tensor *orr_eye_at(const char *file, int line, orr_dtype dtype, int64_t rows, int64_t cols, int64_t k);
#define orr_zeros(...) orr_zeros_at(ORR_HERE, __VA_ARGS__)
#define orr_ones(...) orr_ones_at(ORR_HERE, __VA_ARGS__)
#define orr_full(...) orr_full_at(ORR_HERE, __VA_ARGS__)
#define orr_full_number(...) orr_full_number_at(ORR_HERE, __VA_ARGS__)
#define orr_full_complex(...) orr_full_complex_at(ORR_HERE, __VA_ARGS__)
#define orr_scalar(...) orr_scalar_at(ORR_HERE, __VA_ARGS__)
#define orr_scalar_complex(...) orr_scalar_complex_at(ORR_HERE, __VA_ARGS__)
#define orr_arange(...) orr_arange_at(ORR_HERE, __VA_ARGS__)
#define orr_arange_number(...) orr_arange_number_at(ORR_HERE, __VA_ARGS__)
#define orr_linspace(...) orr_linspace_at(ORR_HERE, __VA_ARGS__)
#define orr_eye(...) orr_eye_at(ORR_HERE, __VA_ARGS__)

/* -- variables ------------------------------------------------------------------------------------------- */

/** A variable whose first value is that of `t`. It is used like a tensor; an operation uses its value at the time of
 * recording. Owned by the current scope; orr_keep it to hold it longer. */
ORR_API orr_tensor *orr_variable_at(const char *file, int line, orr_tensor *t);
#define orr_variable(...) orr_variable_at(ORR_HERE, __VA_ARGS__)
/** Replaces the value of the variable `v` by that of `t`, which has the same shape and dtype.
 * Lazy: this thread's next evaluation, of any tensor, computes the new value; orr_eval_all(NULL, 0) waits for it. Operations
 * recorded before the call use the old value, and pointers from orr_data keep it. A large new value is computed in the
 * memory of the old one if no reader of that is left (donation, docs/tuning.md). If memory or a device fails during that
 * computation, reading `v` gives ORR_ESTATE until the next assignment.
 * A loop that assigns and does not evaluate is submitted in parts, each of some thousand operations: before a round of
 * assignments, the values of the round before are computed as by orr_eval_async. With two parts under way the call waits,
 * so that the memory of such a loop is bounded. Values, random numbers, gradients and errors are those of a program
 * without these submissions (docs/planning.md, "Loops without an evaluation").
 * errors:   ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (`v` is no variable).
 * threads:  a reader in another thread sees the value before or after the assignment. */
ORR_API orr_status orr_assign_at(const char *file, int line, orr_tensor *v, orr_tensor *t);
#define orr_assign(...) orr_assign_at(ORR_HERE, __VA_ARGS__)
/** orr_assign(v[i], t[i]) for i = 0 … n − 1, all or none: on an error, also ORR_ENOMEM, no variable has changed. Each
 * t[i] is the value before the call: {a, b} = {b, a} exchanges two variables. A variable that occurs twice gets the
 * last value.
 * errors:   as orr_assign; ORR_EINVAL (n is negative, a list is NULL). */
ORR_API orr_status orr_assign_all_at(const char *file, int line, orr_tensor *const *v, orr_tensor *const *t, int n);
#define orr_assign_all(...) orr_assign_all_at(ORR_HERE, __VA_ARGS__)

/* -- reading back (these evaluate) ----------------------------------------------------------------------- */

/** Copies the elements, row-major, into `buf` of `bytes` bytes, the exact size of `t` in its dtype. Evaluates `t`. Elements of
 * another dtype are those of orr_cast: orr_read(orr_cast(t, ORR_F64), y, n * sizeof *y).
 * errors:   those of orr_eval; ORR_EINVAL (`bytes` is too small or too large; the message has the required number, and
 *           nothing is written or computed). */
ORR_API orr_status orr_read_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes);
#define orr_read(...) orr_read_at(ORR_HERE, __VA_ARGS__)
/** Returns the elements in place, row-major, read-only, valid as long as `t` lives (not its variable). Evaluates `t`.
 * NULL on error. */
ORR_API const void *orr_data_at(const char *file, int line, orr_tensor *t);
#define orr_data(...) orr_data_at(ORR_HERE, __VA_ARGS__)
/** Sets *value to the one element of `t`, of any rank and size 1, as a double. Evaluates `t`.
 * errors:   those of orr_eval; ORR_ESHAPE (more or fewer elements than one), ORR_EDTYPE (an integer beyond 2⁵³ that
 *           no double holds; orr_item_number returns it; a complex one: orr_item_complex). */
ORR_API orr_status orr_item_at(const char *file, int line, orr_tensor *t, double *value);
#define orr_item(...) orr_item_at(ORR_HERE, __VA_ARGS__)
/** Sets *value to the one element of `t` exactly: floats as ORR_F64, bool and signed integers as ORR_I64, unsigned
 * ones as ORR_U64. Otherwise as orr_item. */
ORR_API orr_status orr_item_number_at(const char *file, int line, orr_tensor *t, orr_number *value);
#define orr_item_number(...) orr_item_number_at(ORR_HERE, __VA_ARGS__)
/** Sets *re and *im to the parts of the one element of `t`; *im is 0 for a real dtype. Otherwise as orr_item.
 * errors:   those of orr_item; ORR_EINVAL (re or im is NULL). */
ORR_API orr_status orr_item_complex_at(const char *file, int line, orr_tensor *t, double *re, double *im);
#define orr_item_complex(...) orr_item_complex_at(ORR_HERE, __VA_ARGS__)
/** Prints dtype, shape and elements to `to`, NumPy-like, with long axes abbreviated. Evaluates `t`.
 * errors:   those of orr_eval, ORR_EIO. */
ORR_API orr_status orr_print_at(const char *file, int line, FILE *to, orr_tensor *t);
#define orr_print(...) orr_print_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
