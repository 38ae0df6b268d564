/* Networks: initialisers, dense layers, composition, parameters by name, saving and loading.
 * Must not know: how an op computes; networks are composed of public ops. */
#ifndef ORRERY_NN_H
#define ORRERY_NN_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- initialisers ---------------------------------------------------------------------------------------- */

/** The rules of initialisers. fan_in and fan_out of a shape (…, in, out) are r·in and r·out, with r the product of
 * the leading axes; for rank 1 both are its length. Random rules use the next stream of orr_seed. */
typedef enum orr_initialiser_kind {
    ORR_INITIALISER_KIND_DEFAULT = 0, /**< U(−1/√fan_in, 1/√fan_in), as PyTorch's Linear                  */
    ORR_INITIALISER_KIND_NONE,        /**< for a bias: no bias                                            */
    ORR_INITIALISER_KIND_ZEROS,
    ORR_INITIALISER_KIND_CONSTANT,       /**< a                                                              */
    ORR_INITIALISER_KIND_UNIFORM,        /**< U(a, b)                                                        */
    ORR_INITIALISER_KIND_NORMAL,         /**< N(mean a, standard deviation b)                                */
    ORR_INITIALISER_KIND_GLOROT_UNIFORM, /**< U(−l, l), l = a·√(6/(fan_in+fan_out)); a: gain (Xavier)        */
    ORR_INITIALISER_KIND_GLOROT_NORMAL,  /**< N(0, a·√(2/(fan_in+fan_out)))                                  */
    ORR_INITIALISER_KIND_HE_UNIFORM,     /**< U(−l, l), l = a·√(3/fan_in); a: gain, √2 for ReLU (Kaiming)    */
    ORR_INITIALISER_KIND_HE_NORMAL       /**< N(0, a/√fan_in)                                                */
} orr_initialiser_kind;

/** The rule by which a parameter gets its first value: one of the ORR_INITIALISER_ constants, or
 * ORR_INITIALISER(kind, a, b). */
typedef struct orr_initialiser {
    orr_initialiser_kind kind;
    double a, b;
} orr_initialiser;

#define ORR_INITIALISER(kind, a, b) (ORR__VALUE(orr_initialiser){ (kind), (a), (b) })
#define ORR_INITIALISER_DEFAULT ORR_INITIALISER(ORR_INITIALISER_KIND_DEFAULT, 0.0, 0.0)
#define ORR_INITIALISER_NONE ORR_INITIALISER(ORR_INITIALISER_KIND_NONE, 0.0, 0.0)
#define ORR_INITIALISER_ZEROS ORR_INITIALISER(ORR_INITIALISER_KIND_ZEROS, 0.0, 0.0)
#define ORR_INITIALISER_CONSTANT(value) ORR_INITIALISER(ORR_INITIALISER_KIND_CONSTANT, (value), 0.0)
#define ORR_INITIALISER_UNIFORM(lo, hi) ORR_INITIALISER(ORR_INITIALISER_KIND_UNIFORM, (lo), (hi))
#define ORR_INITIALISER_NORMAL(mean, std) ORR_INITIALISER(ORR_INITIALISER_KIND_NORMAL, (mean), (std))
#define ORR_INITIALISER_GLOROT_UNIFORM ORR_INITIALISER(ORR_INITIALISER_KIND_GLOROT_UNIFORM, 1.0, 0.0)
#define ORR_INITIALISER_GLOROT_NORMAL ORR_INITIALISER(ORR_INITIALISER_KIND_GLOROT_NORMAL, 1.0, 0.0)
#define ORR_INITIALISER_HE_UNIFORM ORR_INITIALISER(ORR_INITIALISER_KIND_HE_UNIFORM, 1.4142135623730951, 0.0)
#define ORR_INITIALISER_HE_NORMAL ORR_INITIALISER(ORR_INITIALISER_KIND_HE_NORMAL, 1.4142135623730951, 0.0)

/** A tensor of `shape`, filled by the rule `how`.
 * @param shape  any; Glorot and He need fan_in > 0
 * dtypes:   floats.
 * @return   owned by the current scope; poison on ORR_EINVAL, ORR_ESHAPE, ORR_EDTYPE.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_initialiser_apply_at(const char *file, int line, orr_initialiser how, orr_dtype dtype,
                                             orr_shape shape);
#define orr_initialiser_apply(...) orr_initialiser_apply_at(ORR_HERE, __VA_ARGS__)

/* -- activations ----------------------------------------------------------------------------------------- */

/** Activations by number, for layers. */
typedef enum orr_activation {
    ORR_ACTIVATION_LINEAR = 0, /**< x                         */
    ORR_ACTIVATION_RELU,       /**< max(x, 0)                 */
    ORR_ACTIVATION_LEAKY_RELU, /**< x, or x/100 below 0       */
    ORR_ACTIVATION_ELU,        /**< x, or e^x − 1 below 0     */
    ORR_ACTIVATION_GELU,       /**< x·Φ(x), by erf            */
    ORR_ACTIVATION_GELU_TANH,  /**< its tanh approximation    */
    ORR_ACTIVATION_SILU,       /**< x·sigmoid(x)              */
    ORR_ACTIVATION_SIGMOID,
    ORR_ACTIVATION_TANH,
    ORR_ACTIVATION_SOFTPLUS,   /**< log(1 + e^x)              */
    ORR_ACTIVATION_MISH,       /**< x·tanh(softplus(x))       */
    ORR_ACTIVATION_HARDSWISH,  /**< x·clip(x + 3, 0, 6)/6     */
    ORR_ACTIVATION_SOFTMAX,    /**< over the last axis        */
    ORR_ACTIVATION_LOG_SOFTMAX /**< over the last axis        */
} orr_activation;

/** y = f(x).
 * @return   like x, owned by the current scope; poison on ORR_EINVAL (no such f), ORR_EDTYPE.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_activate_at(const char *file, int line, orr_tensor *x, orr_activation f);
#define orr_activate(...) orr_activate_at(ORR_HERE, __VA_ARGS__)

/* -- modules --------------------------------------------------------------------------------------------- */

/** A function with parameters. A module owns its variables, which belong to no scope, and the modules that it is
 * composed of. Only the values of its variables change, so threads may share it. Functions that make a module return
 * NULL on error and set the last error. If a module of a composition is NULL, the others are freed and the result is
 * NULL, so one check at the end is enough. The path of a variable has at most 63 bytes; a composition with a longer
 * one is refused (ORR_EINVAL). */
typedef struct orr_module orr_module;

/** y = f(x·W + b) with W (in, out) and b (out) in f32; W by `init`, b by the default rule U(−1/√in, 1/√in).
 * @param in, out  ≥ 1
 * @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
 * parameters: "weight", "bias". */
ORR_API orr_module *orr_dense_at(const char *file, int line, int64_t in, int64_t out, orr_activation f,
                                 orr_initialiser init);
#define orr_dense(...) orr_dense_at(ORR_HERE, __VA_ARGS__)
/** A dense layer like orr_dense with a given dtype and a given initialiser of the bias; ORR_INITIALISER_NONE: no
 * bias.
 * dtypes:   floats. */
ORR_API orr_module *orr_dense_with_at(const char *file, int line, orr_dtype dtype, int64_t in, int64_t out,
                                      orr_activation f, orr_initialiser weight, orr_initialiser bias);
#define orr_dense_with(...) orr_dense_with_at(ORR_HERE, __VA_ARGS__)

/** orr_activate as a module without parameters, for places where no layer takes an activation, such as after a
 * normalisation.
 * @return   to be freed with orr_module_free; NULL on ORR_EINVAL (no such f), ORR_ENOMEM. */
ORR_API orr_module *orr_activation_layer_at(const char *file, int line, orr_activation f);
#define orr_activation_layer(...) orr_activation_layer_at(ORR_HERE, __VA_ARGS__)

/** y = fn(x, user): a function of the program's own as a module. `user` must outlive the module. Variables that the
 * function uses must be added by orr_module_add_parameter, or belong to another module of the same composition. Saving is
 * refused while the first application has used a variable for which neither holds. */
ORR_API orr_module *orr_function_at(const char *file, int line, orr_tensor *(*fn)(orr_tensor *x, void *user),
                                    void *user);
#define orr_function(...) orr_function_at(ORR_HERE, __VA_ARGS__)

/** y = m[n−1] ∘ … ∘ m[0], applied to x: orr_sequential(ORR_MODULES(orr_dense(…), orr_dense(…), …)).
 * @return   a module that owns the m[i]; on error NULL, and the m[i] are freed. Each may occur once.
 * parameters: "0.weight", "0.bias", "1.weight" … */
ORR_API orr_module *orr_sequential_at(const char *file, int line, orr_module *const *m, int n);
#define orr_sequential(...) orr_sequential_at(ORR_HERE, __VA_ARGS__)
/** A list of modules in place: an array and its length. */
#define ORR_MODULES(...) ORR__ARRAY(orr_module *, __VA_ARGS__)

/** Applies m to x.
 * @return   a new tensor owned by the current scope; poison on the errors of its operations, ORR_EINVAL (m is NULL, or takes
 *           more than one input).
 * effects:  lazy. Safe from any thread. A layer with running statistics assigns them in training mode. */
ORR_API orr_tensor *orr_forward_at(const char *file, int line, const orr_module *m, orr_tensor *x);
#define orr_forward(...) orr_forward_at(ORR_HERE, __VA_ARGS__)
/** Applies m to n inputs, as the layer's constructor lists them: orr_forward_all(m, ORR_TENSORS(x, memory)). An optional
 * input may be NULL.
 * errors:   as orr_forward; ORR_EINVAL (m takes another number of inputs). */
ORR_API orr_tensor *orr_forward_all_at(const char *file, int line, const orr_module *m, orr_tensor *const *x, int n);
#define orr_forward_all(...) orr_forward_all_at(ORR_HERE, __VA_ARGS__)

/** y = x + m(x).
 * @return   a module that owns m; on error NULL, and m is freed.
 * parameters: "0.weight" … */
ORR_API orr_module *orr_residual_at(const char *file, int line, orr_module *m);
#define orr_residual(...) orr_residual_at(ORR_HERE, __VA_ARGS__)

/* -- modules of the program's own --------------------------------------------------------------------------- */

/** The application of a module of the program's own to n inputs. Parameters are those that orr_module_add_parameter
 * returned; parts are applied by orr_forward. */
typedef orr_tensor *orr_module_fn(const orr_module *m, orr_tensor *const *x, int n, void *user);

/** A module without parameters and parts yet, applied by `fn`. release(user), unless NULL, is called when the module is
 * freed.
 * @return   to be freed with orr_module_free; NULL on ORR_EINVAL (fn is NULL), ORR_ENOMEM; then release is not called. */
ORR_API orr_module *orr_module_new_at(const char *file, int line, const char *kind, orr_module_fn *fn, void *user,
                                      void (*release)(void *user));
#define orr_module_new(...) orr_module_new_at(ORR_HERE, __VA_ARGS__)
/** Adds a variable that starts as `value`. Optimisers change it, and it is saved.
 * @param name  at most 23 bytes, without a dot, once in the module
 * @return   the variable, borrowed; NULL on ORR_EINVAL, the error of `value`, ORR_ENOMEM. */
ORR_API orr_tensor *orr_module_add_parameter_at(const char *file, int line, orr_module *m, const char *name,
                                                orr_tensor *value);
#define orr_module_add_parameter(...) orr_module_add_parameter_at(ORR_HERE, __VA_ARGS__)
/** Adds a variable that optimisers do not change and that is saved with the parameters: statistics, a counter.
 * Otherwise as orr_module_add_parameter. */
ORR_API orr_tensor *orr_module_add_state_at(const char *file, int line, orr_module *m, const char *name,
                                            orr_tensor *value);
#define orr_module_add_state(...) orr_module_add_state_at(ORR_HERE, __VA_ARGS__)
/** Adds a module, whose parameters get the path "name.…"; name NULL: its number. m owns it from now on.
 * @return   `part`, borrowed; on error NULL, and `part` is freed. m then carries the error: without the part, the numbers of others
 *           would differ, so orr_forward gives a poison with it, and optimisers and files refuse m. */
ORR_API orr_module *orr_module_add_part_at(const char *file, int line, orr_module *m, const char *name,
                                           orr_module *part);
#define orr_module_add_part(...) orr_module_add_part_at(ORR_HERE, __VA_ARGS__)
/** Returns part number i, borrowed; NULL if there is none. */
ORR_API orr_module *orr_module_part(const orr_module *m, int i);

/** Switches m and its parts to training (true, the initial mode) or inference. The mode determines dropout and
 * the statistics of batch normalisation.
 * threads:  no other thread may apply m. */
ORR_API void orr_module_train(orr_module *m, bool training);
/** Returns whether m is in training mode; false for NULL. */
ORR_API bool orr_module_training(const orr_module *m);

/** Switches m to inference and folds each batch normalisation that directly follows a convolution without an activation into that
 * layer's weight and bias (a bias is added if there is none). The results are the same up to rounding. Other normalisations stay,
 * and so do those in modules of the program's own, which may apply their parts in any order. A folded normalisation has no
 * variables any more: an earlier optimiser of m cannot be used, and an earlier file of m is that of another network.
 * errors:   ORR_EINVAL (m is NULL; a batch normalisation keeps no statistics: then nothing changes), those of orr_eval.
 * threads:  no other thread may apply m. */
ORR_API orr_status orr_module_fold_at(const char *file, int line, orr_module *m);
#define orr_module_fold(...) orr_module_fold_at(ORR_HERE, __VA_ARGS__)

/* -- parameters ------------------------------------------------------------------------------------------ */

/** A variable of a module or an optimiser, and its path. Borrowed: orr_free is ORR_ESTATE, and the variable moves to no scope. */
typedef struct orr_parameter {
    char name[64];
    orr_tensor *variable;
} orr_parameter;

/** Writes up to `max` parameters, in the order of the modules.
 * @return   the number of all parameters. */
ORR_API int orr_module_parameters(const orr_module *m, orr_parameter *out, int max);
/** Writes up to `max` variables that are saved with the parameters and that no optimiser changes: running statistics.
 * @return   the number of all of them. */
ORR_API int orr_module_states(const orr_module *m, orr_parameter *out, int max);
/** Returns the parameter or state with this path, borrowed; NULL where there is none. */
ORR_API orr_tensor *orr_module_variable(const orr_module *m, const char *path);
/** Returns the number of elements of all parameters. */
ORR_API int64_t orr_module_size(const orr_module *m);
/** Frees the module, its modules and their variables, after orr_shutdown too. NULL is fine. A freed module, like every object that is
 * freed by its own function (optimisers, loaders, caches, checkpoints, …), is recognised: uses give ORR_EHANDLE and a second free
 * changes nothing, as orr_error_status tells. So does ORR_ESTATE for a part, which its composition frees. */
ORR_API void orr_module_free(orr_module *m);

/** Writes all parameters and states to the .npz file `path`, under their names. Evaluates them. Under mpirun every rank calls this,
 * rank 0 writes the file, and all ranks return its status.
 * errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM, and those of orr_eval; ORR_ESTATE (orr_function: a variable would not be
 *           saved). */
ORR_API orr_status orr_module_save_at(const char *file, int line, const orr_module *m, const char *path);
#define orr_module_save(...) orr_module_save_at(ORR_HERE, __VA_ARGS__)
/** Assigns to all parameters and states the arrays of their names in `path`, all or none. Ranks: if a value is distributed, all ranks
 * call it, and none keeps more than its part of an array; otherwise each rank reads independently.
 * errors:   ORR_EIO, ORR_EFORMAT, ORR_EDTYPE; a file of another network is refused with the first difference: ORR_EINVAL (a
 *           name is missing, or one too many), ORR_ESHAPE. */
ORR_API orr_status orr_module_load_at(const char *file, int line, orr_module *m, const char *path);
#define orr_module_load(...) orr_module_load_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
