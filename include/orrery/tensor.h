/* Tensors as values: scopes that own them, creation, reading back, printing.
 * Must not know: how a value is computed. */
#ifndef ORRERY_TENSOR_H
#define ORRERY_TENSOR_H

#include <stdbool.h>
#include <orrery/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor, or an error on its way (poison). The pointer is a checked name, not an address: a stale or
 * foreign one is recognised (ORR_EHANDLE), never followed. NULL is an error to every op. */
typedef struct orr_tensor orr_tensor;
/** Lists are two arguments everywhere: an array and its length. ORR_TENSORS(x, y) writes both in place, as in
 * orr_eval_all(ORR_TENSORS(x, y)) and orr_concat(ORR_TENSORS(x, y), 0). */
#define ORR_TENSORS(...) ORR__ARRAY(orr_tensor *, __VA_ARGS__)
/** Owner of the tensors made while it is its thread's innermost scope. */
typedef struct orr_scope orr_scope;

/* -- scopes ------------------------------------------------------------------------------------------ */

/** Opens a scope on the calling thread; tensors made from now on belong to it. Scopes nest.
 * Tensors made outside every scope live until orr_free or orr_shutdown. NULL on ORR_ENOMEM. */
ORR_API orr_scope *orr_scope_begin(void);
/** Closes `s` (and scopes inside it that are still open): frees the tensors that it owns.
 * Errors: ORR_EINVAL when `s` is not an open scope of the calling thread. */
ORR_API orr_status orr_scope_end_at(const char *file, int line, orr_scope *s);
#define orr_scope_end(...) orr_scope_end_at(ORR_HERE, __VA_ARGS__)
/** Takes `t` out of all scopes; orr_free it later. Returns `t`. */
ORR_API orr_tensor *orr_keep_at(const char *file, int line, orr_tensor *t);
#define orr_keep(...) orr_keep_at(ORR_HERE, __VA_ARGS__)
/** Hands `t` to the scope outside `s` (to none when `s` is the outermost). Returns `t`; poison on ORR_ENOMEM. */
ORR_API orr_tensor *orr_scope_return_at(const char *file, int line, orr_scope *s, orr_tensor *t);
#define orr_scope_return(...) orr_scope_return_at(ORR_HERE, __VA_ARGS__)
/** Frees one tensor now, whoever owns it. NULL is fine. A second time: ORR_EHANDLE. Safe from any thread, while others use it, too:
 * their calls under way end as if it came later, the next give ORR_EHANDLE. */
ORR_API orr_status orr_free_at(const char *file, int line, orr_tensor *t);
#define orr_free(...) orr_free_at(ORR_HERE, __VA_ARGS__)

/* -- asking (nothing runs) --------------------------------------------------------------------------- */

/** ORR_OK, or the error that a poison carries (ORR_EHANDLE for what is no tensor). Sets no last error. */
ORR_API orr_status orr_tensor_status(const orr_tensor *t);
/** Shape; rank -1 for poison and what is no tensor. */
ORR_API orr_shape orr_tensor_shape(const orr_tensor *t);
/** Element type; ORR_DTYPE_COUNT for poison and what is no tensor. */
ORR_API orr_dtype orr_tensor_dtype(const orr_tensor *t);
/** Number of elements; -1 for poison and what is no tensor. */
ORR_API int64_t orr_tensor_size(const orr_tensor *t);

/* -- creation: all return a tensor owned by the current scope, poison on error --------------------------- */

/** Copies `shape` elements of `dtype`, row-major, from `data` now. Errors: EINVAL (NULL), ESHAPE, EDTYPE, ENOMEM. */
ORR_API orr_tensor *orr_from_at(const char *file, int line, orr_dtype dtype, orr_shape shape, const void *data);
#define orr_from(...) orr_from_at(ORR_HERE, __VA_ARGS__)
/** Uses the user's memory without a copy. It must stay unchanged until `release(data, user)` is called, once, from
 * any thread, when the last use has ended (release may be NULL: then until orr_shutdown). On error release is
 * not called. `data` must be aligned to the element's size. */
ORR_API orr_tensor *orr_wrap_at(const char *file, int line, orr_dtype dtype, orr_shape shape, void *data,
                                void (*release)(void *data, void *user), void *user);
#define orr_wrap(...) orr_wrap_at(ORR_HERE, __VA_ARGS__)
/** Every element is 0. Errors of this and the others below: ESHAPE, EDTYPE. */
ORR_API orr_tensor *orr_zeros_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
/** Every element is 1. */
ORR_API orr_tensor *orr_ones_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
/** Every element is `value` (converted; EDTYPE when a fraction or out of range for an integer dtype). */
ORR_API orr_tensor *orr_full_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double value);
/** The same, for integers that no double is: orr_full_number(ORR_U64, ORR_SHAPE(2), ORR_UNSIGNED(UINT64_MAX)). With ORR_SHAPE_0D it is
 * such a number for an operation; orr_scalar takes doubles. */
ORR_API orr_tensor *orr_full_number_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_number value);
/** A 0-d constant without a dtype of its own: in an op it takes the other operand's. A fraction that meets
 * integers, or a number out of their range, is EDTYPE. Alone it is f64. */
ORR_API orr_tensor *orr_scalar_at(const char *file, int line, double value);
/** start, start+step, … below stop (above it when step < 0). Length ⌈(stop−start)/step⌉. EINVAL: step 0, NaN.
 * EDTYPE: bool, and an integer dtype that does not hold all of them. */
ORR_API orr_tensor *orr_arange_at(const char *file, int line, orr_dtype dtype, double start, double stop, double step);
/** The same; of three integers in an integer dtype each element and the length are exact. */
ORR_API orr_tensor *orr_arange_number_at(const char *file, int line, orr_dtype dtype, orr_number start, orr_number stop,
                                         orr_number step);
/** n points from start to stop, both included: start + i·(stop−start)/(n−1). Float dtypes. The interval may be longer than the
 * largest number. */
ORR_API orr_tensor *orr_linspace_at(const char *file, int line, orr_dtype dtype, double start, double stop, int64_t n);
/** Ones where column − row = k, zeros elsewhere. */
ORR_API orr_tensor *orr_eye_at(const char *file, int line, orr_dtype dtype, int64_t rows, int64_t cols, int64_t k);
#define orr_zeros(...) orr_zeros_at(ORR_HERE, __VA_ARGS__)
#define orr_ones(...) orr_ones_at(ORR_HERE, __VA_ARGS__)
#define orr_full(...) orr_full_at(ORR_HERE, __VA_ARGS__)
#define orr_full_number(...) orr_full_number_at(ORR_HERE, __VA_ARGS__)
#define orr_scalar(...) orr_scalar_at(ORR_HERE, __VA_ARGS__)
#define orr_arange(...) orr_arange_at(ORR_HERE, __VA_ARGS__)
#define orr_arange_number(...) orr_arange_number_at(ORR_HERE, __VA_ARGS__)
#define orr_linspace(...) orr_linspace_at(ORR_HERE, __VA_ARGS__)
#define orr_eye(...) orr_eye_at(ORR_HERE, __VA_ARGS__)

/* -- variables ------------------------------------------------------------------------------------------- */

/** A variable that starts as the value of `t`. It is used like a tensor; an op that reads it takes the value that
 * it has when the op is recorded. Owned by the current scope; orr_keep it to hold it longer. */
ORR_API orr_tensor *orr_variable_at(const char *file, int line, orr_tensor *t);
#define orr_variable(...) orr_variable_at(ORR_HERE, __VA_ARGS__)
/** Replaces the value of the variable `v` by that of `t`, which has the same shape and dtype.
 * Lazy: this thread's next evaluation, of any tensor, computes the new value; orr_eval_all(NULL, 0) waits for it. Operations
 * recorded before the call use the old value, and pointers from orr_data keep it. A large new value is computed in the
 * memory of the old one where nothing can read that any more (donation, docs/tuning.md). If memory or a device fails in the
 * middle of that, reading `v` gives ORR_ESTATE until it is assigned anew.
 * errors:   ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (`v` is no variable).
 * threads:  a reader in another thread sees the value before or after the assignment. */
ORR_API orr_status orr_assign_at(const char *file, int line, orr_tensor *v, orr_tensor *t);
#define orr_assign(...) orr_assign_at(ORR_HERE, __VA_ARGS__)
/** orr_assign(v[i], t[i]) for i = 0 … n − 1, all or none: on an error, ORR_ENOMEM too, no variable has changed. Each t[i] is
 * the value that it has before the call: {a, b} = {b, a} exchanges two variables. Of a variable that occurs twice the last
 * value counts. Errors: as orr_assign, and EINVAL when n is negative or a list NULL. */
ORR_API orr_status orr_assign_all_at(const char *file, int line, orr_tensor *const *v, orr_tensor *const *t, int n);
#define orr_assign_all(...) orr_assign_all_at(ORR_HERE, __VA_ARGS__)

/* -- reading back (these evaluate) ----------------------------------------------------------------------- */

/** Copies the elements, row-major, into `buf` of `bytes` bytes. Errors: EINVAL when `bytes` is too short (the
 * message says how many are needed; nothing is written), and whatever evaluation says. */
ORR_API orr_status orr_read_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes);
#define orr_read(...) orr_read_at(ORR_HERE, __VA_ARGS__)
/** The elements in place, row-major, read-only; valid while `t` (not its variable's value) lives. NULL on error. */
ORR_API const void *orr_data_at(const char *file, int line, orr_tensor *t);
#define orr_data(...) orr_data_at(ORR_HERE, __VA_ARGS__)
/** The one element of `t` (any rank, size 1), converted to double. ESHAPE when there is not exactly one; EDTYPE when it is an integer
 * that no double is (beyond 2⁵³): orr_item_number has it. */
ORR_API orr_status orr_item_at(const char *file, int line, orr_tensor *t, double *value);
#define orr_item(...) orr_item_at(ORR_HERE, __VA_ARGS__)
/** The same as a number of its kind, exactly: floats as ORR_F64, bool and signed integers as ORR_I64, unsigned ones as ORR_U64. */
ORR_API orr_status orr_item_number_at(const char *file, int line, orr_tensor *t, orr_number *value);
#define orr_item_number(...) orr_item_number_at(ORR_HERE, __VA_ARGS__)
/** Prints dtype, shape and elements, NumPy-like, long axes abbreviated, to `to`. */
ORR_API orr_status orr_print_at(const char *file, int line, FILE *to, orr_tensor *t);
#define orr_print(...) orr_print_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
