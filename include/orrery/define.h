/* Functions and kernels of your own: an element-wise expression that joins fusion like a built-in row, or source per
 * backend that becomes a codelet with its performance model.
 * Must not know: how a value is computed.
 *
 * A definition belongs to the process, not to a run of the library: it may be made before orr_init, stays valid
 * after orr_shutdown and the next orr_init, and is never freed (4096 at most). The same definition made again
 * returns the same op; a different definition under a used name is ORR_EINVAL. A name is a C identifier of at most
 * 31 characters that is no operation of Orrery's, no operand name (x y z r g) and no keyword of C, OpenCL C or CUDA
 * C. All functions here are safe from any thread. */
#ifndef ORRERY_DEFINE_H
#define ORRERY_DEFINE_H

#include <stdbool.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An operation of the program's own. The pointer is a checked name, not an address. */
typedef struct orr_op orr_op;

/* -- element-wise ---------------------------------------------------------------------------------------- */

/** Defines an element-wise operation r = expression(x, y, z) and lets Orrery differentiate it; orr_define_elementwise_with
 * takes the derivatives from the caller.
 *     orr_define_elementwise("swish2", 1, "x * sigmoid(2*x)")
 *     orr_define_elementwise_with("pinball", 2, "x > 0 ? y*x : (y-1)*x", ORR_TEXTS("g*(x > 0 ? y : y-1)", "g*x"))
 * A derivative is an expression in x y z, the result r and the cotangent g, and includes the factor g; "" if no gradient
 * flows.
 *
 * The language (spaces are free; numbers have a decimal point in every locale):
 *
 *     expr    = or [ "?" expr ":" expr ]
 *     or      = and { "||" and }
 *     and     = compare { "&&" compare }
 *     compare = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
 *     sum     = term { ( "+" | "-" ) term }
 *     term    = unary { ( "*" | "/" ) unary }
 *     unary   = ( "-" | "!" ) unary | number | name | function "(" expr { "," expr } ")" | "(" expr ")"
 *     number  = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
 *     name    = "x" | "y" | "z", as many as the arity; in derivatives also "r" | "g"
 *
 * A function is any row of docs/ops.md that takes floats or truth values (exp, where, maximum, isnan …), or an op that was
 * defined before. Comparisons give truth values, which only ? && || ! == != and such rows take. There are no statements,
 * assignments, or calls of C; the parser refuses all else and reports the column. No compiler sees the text: it becomes
 * nodes of built-in rows, so the function exists on every device and in every dialect.
 *
 * @param arity  1, 2 or 3    @param derivatives  one for each operand; n_derivatives 0: automatic
 * @return   the op, for orr_apply; NULL on ORR_EINVAL (the message has column and reason), ORR_ENOMEM.
 * dtypes:   f16 bf16 f32 f64, promoted and broadcast as by the built-in functions; f16 and bf16 are computed in f32 and
 *           rounded once. If the result is a truth value, the tensor is bool and has no derivative.
 * limits:   256 terms and 48 levels in a text of 16 KiB, 512 operations including called ops, calls nested 16 deep. */
ORR_API orr_op *orr_define_elementwise_at(const char *file, int line, const char *name, int arity,
                                          const char *expression, const char *const *derivatives, int n_derivatives);
#define orr_define_elementwise(...) orr_define_elementwise_at(ORR_HERE, __VA_ARGS__, NULL, 0)
#define orr_define_elementwise_with(...) orr_define_elementwise_at(ORR_HERE, __VA_ARGS__)

/** Called as orr_expression(text, ORR_TENSORS(x, y)). The same language without a definition: the value of `text` for each
 * element of the n operands x, y, z, as orr_apply computes it for a defined op. No definition is stored, so the number of
 * texts is not limited.
 * @return   a tensor owned by the current scope; poison on ORR_EINVAL (the message has the error and its column),
 *           ORR_EDTYPE, ORR_ESHAPE, ORR_ENOMEM.
 * grad:     the expression differentiated.      effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_expression_at(const char *file, int line, const char *text, orr_tensor *const *x, int n);
#define orr_expression(...) orr_expression_at(ORR_HERE, __VA_ARGS__)

/* -- kernels --------------------------------------------------------------------------------------------- */

/** Largest number of operands of a kernel. */
#define ORR_MAX_KERNEL_INPUTS 8
/** Largest number of parameters of a kernel, not counting its operands. */
#define ORR_MAX_KERNEL_PARAMS 3

/** One operand of a kernel: contiguous, row-major, read-only. */
typedef struct orr_kernel_array {
    const void *data; /**< NULL while only shapes are requested */
    orr_dtype dtype;
    orr_shape shape;
} orr_kernel_array;

/** The arguments of a kernel's functions. */
typedef struct orr_kernel_args {
    int n_inputs, n_params;
    const orr_kernel_array *in; /**< n_inputs of them                                                      */
    const double *param;        /**< n_params of them                                                      */
    void *out;                  /**< the whole result, contiguous; rows lo … hi−1 of axis 0 are to be written  */
    orr_dtype out_dtype;
    orr_shape out_shape;
    int64_t lo, hi; /**< 0 and the length of axis 0 (1 when there is none), unless `rows` is set   */
    void *user;     /**< as in the definition                                                  */
    char *message;  /**< message_size bytes for the reason of a failure                         */
    size_t message_size;
} orr_kernel_args;

/** The arguments of a kernel's derivative. */
typedef struct orr_kernel_back {
    int n_inputs, n_params;
    orr_tensor *const *in;
    orr_tensor *out, *g; /**< the result, and its cotangent */
    const double *param;
    void *user;
} orr_kernel_back;

/** Definition of a kernel. Zero and NULL fields have the stated meaning; texts are copied. A kernel is a pure
 * function of its inputs and parameters: equal calls may be computed once, and a call may be computed again. */
typedef struct orr_kernel_def {
    const char *name;
    int version;  /**< part of the name of its performance model: raise it when the kernel changes */
    int n_inputs; /**< 1 … ORR_MAX_KERNEL_INPUTS                                                     */
    int n_params; /**< 0 … ORR_MAX_KERNEL_PARAMS                                                     */
    /** Dtypes that input k may have: 1u << ORR_F32 | 1u << ORR_F64; 0: all. Operands are not cast. */
    unsigned dtypes[ORR_MAX_KERNEL_INPUTS];
    /** Sets out_shape and out_dtype, which on entry are those of input 0; NULL: the result is like input 0. Returns
     * 0, or another number if the operands do not fit, with the reason in `message`. Called when the op is applied. */
    int (*shape)(orr_kernel_args *a);
    /** True: rows of the result (axis 0) are independent, so the kernel may be called for ranges of rows, at the same
     * time. */
    bool rows;
    /** Bit k: input k has as many rows as the result, and row i of the result depends only on row i of it. A row may depend on
     * all of the other inputs. If an input with a bit is distributed over ranks (docs/distributed-tensors.md), each rank computes
     * the rows that it has, and the kernel sees only these. 0: every rank computes the whole. */
    unsigned row_inputs;
    /** The C function; 0 is success. Called from any thread, several at a time. NULL: none; a device must run the
     * kernel. */
    int (*cpu)(const orr_kernel_args *a);
    /** OpenCL C 1.2 and CUDA C; NULL: none. docs/your-own-kernels.md lists the names that the text may use. */
    const char *opencl, *cuda;
    const char *entry; /**< name of the kernel function in these texts; NULL: as `name`       */
    /** Work items of a launch; NULL: one for each element of the rows lo … hi−1 of the result. */
    int64_t (*items)(const orr_kernel_args *a);
    int group; /**< work items in a group; 0: 64, or the device's limit                 */
    /** Returns the cotangent of input k, of its shape and dtype, composed of orr_ functions; NULL: no gradient flows.
     * If the function is NULL, orr_grad through this kernel is an error that names the kernel. */
    orr_tensor *(*vjp)(const orr_kernel_back *b, int k);
    double flops; /**< estimate per element of the result, for the planner; 0: 1                           */
    void *user;   /**< passed to the functions; must live as long as the process                 */
} orr_kernel_def;

/** Defines a kernel of the program's own as an operation.
 * An evaluation runs it as a step by itself, between fused ones, on the backend that StarPU expects to be fastest. An
 * error of the C function or the device compiler fails the evaluation with its message (ORR_EDEVICE). If there is a C
 * function, it replaces a device text that does not compile, with one log line.
 * @return   the op, for orr_apply; NULL on ORR_EINVAL (the message names the field and the reason), ORR_ENOMEM. */
ORR_API orr_op *orr_define_kernel_at(const char *file, int line, const orr_kernel_def *def);
#define orr_define_kernel(...) orr_define_kernel_at(ORR_HERE, __VA_ARGS__)

/* -- use ------------------------------------------------------------------------------------------------- */

/** Applies an op of the program's own: orr_apply(op, ORR_TENSORS(x, y)), or for a kernel that takes numbers
 * orr_apply_with(op, ORR_TENSORS(x, y), ORR_PARAMS(0.5, 2)). New numbers need no new plan.
 * @return   a tensor owned by the current scope; poison on ORR_EINVAL (no op, another number of operands or params),
 *           ORR_EDTYPE, ORR_ESHAPE.
 * grad:     as defined.      effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_apply_at(const char *file, int line, const orr_op *op, orr_tensor *const *x, int n,
                                 const double *params, int n_params);
#define orr_apply(...) orr_apply_at(ORR_HERE, __VA_ARGS__, NULL, 0)
#define orr_apply_with(...) orr_apply_at(ORR_HERE, __VA_ARGS__)
/** The numbers for orr_apply_with: an array and its length. */
#define ORR_PARAMS(...) ORR__ARRAY(double, __VA_ARGS__)

/** Returns the op of this name; NULL, without an error, if there is none. */
ORR_API orr_op *orr_op_find(const char *name);
/** Returns the name of an op, valid for ever; NULL for any other pointer. */
ORR_API const char *orr_op_name(const orr_op *op);
/** Returns the number of operands; −1 for any other pointer. */
ORR_API int orr_op_arity(const orr_op *op);

#ifdef __cplusplus
}
#endif
#endif
