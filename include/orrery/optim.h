/* Optimisers: gradient steps on variables, with PyTorch's formulas and defaults.
 * Must not know: how an op computes; optimisers are composed of public ops. */
#ifndef ORRERY_OPTIM_H
#define ORRERY_OPTIM_H

#include <orrery/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An optimiser: variables, their state (variables of its own) and the number of steps made. One thread at a time. */
typedef struct orr_optim orr_optim;

/** With p a variable, g its gradient, t = 1, 2, … the step, wd the weight decay:
 *  SGD      g += wd·p;  m = momentum·m + (1−dampening)·g (t = 1: m = g);  p −= lr·m, or, Nesterov, lr·(g + momentum·m)
 *  ADAM     g += wd·p;  m += (1−β1)(g−m);  v += (1−β2)(g²−v);  p −= lr/(1−β1^t) · m / (√v/√(1−β2^t) + eps)
 *  ADAMW    p *= 1 − lr·wd; then as ADAM without wd
 *           amsgrad, for both: the greatest v so far in place of v
 *  LAMB     m, v as ADAM without wd;  u = m/(1−β1^t) / (√v/√(1−β2^t) + eps) + wd·p;  p −= lr·‖p‖/‖u‖·u, of each variable;
 *           where a norm is 0: lr·u (Y. You et al., "Large Batch Optimization for Deep Learning", 2020)
 *  RMSPROP  g += wd·p;  v += (1−alpha)(g²−v);  d = g/(√v + eps), centred: a += (1−alpha)(g−a), √(v−a²);
 *           m = momentum·m + d;  p −= lr·m
 *  ADAGRAD  g += wd·p;  v += g²;  p −= lr/(1 + (t−1)·lr_decay) · g/(√v + eps)
 * f16 and bf16 variables: state and arithmetic in f32, rounded once when assigned. */
typedef enum orr_optim_kind {
    ORR_OPTIM_SGD,
    ORR_OPTIM_ADAM,
    ORR_OPTIM_ADAMW,
    ORR_OPTIM_RMSPROP,
    ORR_OPTIM_ADAGRAD,
    ORR_OPTIM_LAMB
} orr_optim_kind;

/** Settings. In beta1, beta2, alpha and eps a 0 means the default of the kind, so (orr_optim_options){ .lr = 1e-3 } is Adam
 * with the usual numbers; a number such as 1e-300 has the effect of a 0. In all other fields 0 is 0: lr must be given (0 is
 * ORR_EINVAL; orr_optim_set_lr may make it 0 later), and ADAMW and LAMB have no weight decay unless it is. orr_optim_defaults sets
 * every field. A kind ignores the fields that its formula does not name. */
typedef struct orr_optim_options {
    double lr;           /**< learning rate, > 0                                         */
    double weight_decay; /**< ≥ 0                                                         */
    double momentum;     /**< SGD, RMSPROP: ≥ 0                                           */
    double dampening;    /**< SGD                                                         */
    double beta1, beta2; /**< ADAM, ADAMW, LAMB: in [0, 1); 0: 0.9 and 0.999              */
    double alpha;        /**< RMSPROP: in [0, 1]; 0: 0.99                                 */
    double eps;          /**< ≥ 0; 0: 1e-8, ADAGRAD 1e-10, LAMB 1e-6                      */
    double lr_decay;     /**< ADAGRAD: ≥ 0                                                */
    double initial;      /**< ADAGRAD: v at the start, ≥ 0                                */
    double clip_norm;    /**< orr_optim_step clips to this global norm first; 0: no clipping */
    bool nesterov;       /**< SGD: needs momentum > 0 and dampening 0                     */
    bool centred;        /**< RMSPROP                                                     */
    bool amsgrad;        /**< ADAM, ADAMW                                                 */
} orr_optim_options;

/** Returns PyTorch's defaults of `kind`; for SGD, where PyTorch has no default, lr is 0.001. */
ORR_API orr_optim_options orr_optim_defaults(orr_optim_kind kind);

/** An optimiser of the n variables v[i], which must outlive it. NULL options: the defaults.
 * dtypes:   floats.
 * @return   to be freed with orr_optim_free; NULL on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EHANDLE. */
ORR_API orr_optim *orr_optim_new_at(const char *file, int line, orr_optim_kind kind, orr_tensor *const *v, int n,
                                    const orr_optim_options *options);
#define orr_optim_new(...) orr_optim_new_at(ORR_HERE, __VA_ARGS__)
/** An optimiser like orr_optim_new of all parameters of a module. */
ORR_API orr_optim *orr_optim_of_module_at(const char *file, int line, orr_optim_kind kind, const orr_module *m,
                                          const orr_optim_options *options);
#define orr_optim_of_module(...) orr_optim_of_module_at(ORR_HERE, __VA_ARGS__)
/** Frees the optimiser and its state, not the variables. NULL is fine. */
ORR_API void orr_optim_free(orr_optim *o);

/** Records one step down the gradient of the sum of `loss`: orr_grad, clipping if it is set, update, orr_assign. Lazy:
 * this thread's next evaluation computes the step, so `orr_optim_step(o, loss); orr_item(loss, &x);` is one pass.
 * Steps that are recorded without an evaluation are submitted in parts (orr_assign): reading the loss seldom costs no more.
 * `loss` keeps the value before the step. Successive steps have graphs of one structure and share one plan. A new value
 * uses the memory of the old one if no reader of that is left (orr_assign).
 * A variable on which the loss does not depend has a gradient of zeros: weight decay and momentum still move it.
 * errors:   the error of `loss`, and those of orr_grad; ORR_EGRAPH (the loss depends on none of the variables). Then no variable
 *           has changed. */
ORR_API orr_status orr_optim_step_at(const char *file, int line, orr_optim *o, orr_tensor *loss);
#define orr_optim_step(...) orr_optim_step_at(ORR_HERE, __VA_ARGS__)
/** Records one step with the gradients of the caller: grads[i] of v[i]'s shape, one for each of the optimiser's variables.
 * No clipping. Otherwise as orr_optim_step.
 * errors:   as orr_optim_step; ORR_EINVAL (another number of gradients; the message has both). */
ORR_API orr_status orr_optim_apply_at(const char *file, int line, orr_optim *o, orr_tensor *const *grads, int n);
#define orr_optim_apply(...) orr_optim_apply_at(ORR_HERE, __VA_ARGS__)

/** Adds the gradients of the sum of `loss` to those accumulated since the last orr_optim_step_accumulated: a batch in parts.
 * Lazy, as orr_optim_step.
 * errors:   as orr_optim_step; then nothing is added. */
ORR_API orr_status orr_optim_accumulate_at(const char *file, int line, orr_optim *o, orr_tensor *loss);
#define orr_optim_accumulate(...) orr_optim_accumulate_at(ORR_HERE, __VA_ARGS__)
/** Records one step with the sum of the gradients of orr_optim_accumulate, clipped if that is set, and clears the sum.
 * Divide each loss by the number of parts for their mean.
 * errors:   as orr_optim_apply; ORR_ESTATE (nothing was accumulated). */
ORR_API orr_status orr_optim_step_accumulated_at(const char *file, int line, orr_optim *o);
#define orr_optim_step_accumulated(...) orr_optim_step_accumulated_at(ORR_HERE, __VA_ARGS__)

/** Scales all grads[i] by min(1, max_norm/(‖grads‖₂ + 1e-6)), ‖·‖₂ over all of them together, and replaces the
 * array's entries by the scaled tensors.
 * @return   the norm before, 0-d, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_clip_grad_norm_at(const char *file, int line, orr_tensor **grads, int n, double max_norm);
#define orr_clip_grad_norm(...) orr_clip_grad_norm_at(ORR_HERE, __VA_ARGS__)

/** Sets the learning rate of later steps. The plan stays the same.
 * errors:   ORR_EINVAL (negative, not finite). 0: the variables stay. */
ORR_API orr_status orr_optim_set_lr_at(const char *file, int line, orr_optim *o, double lr);
#define orr_optim_set_lr(...) orr_optim_set_lr_at(ORR_HERE, __VA_ARGS__)
/** Returns the learning rate; 0 for NULL. */
ORR_API double orr_optim_lr(const orr_optim *o); /**< 0 for NULL */
/** Returns the number of steps made; 0 for NULL. */
ORR_API int64_t orr_optim_steps(const orr_optim *o); /**< 0 for NULL */

/** Writes up to `max` state variables ("0.momentum", "0.square", "0.mean", …; "0.unsent": orr_data_parallel with compress). Borrowed.
 * @return   the number of all of them. */
ORR_API int orr_optim_state(const orr_optim *o, orr_parameter *out, int max);
/** Writes state and step count to the .npz file `path`, and under "optimiser" their kind, the number of variables,
 * and that of state variables of each. Evaluates them. Ranks: as orr_module_save.
 * errors:   as orr_module_save. */
ORR_API orr_status orr_optim_save_at(const char *file, int line, const orr_optim *o, const char *path);
#define orr_optim_save(...) orr_optim_save_at(ORR_HERE, __VA_ARGS__)
/** Reads state and step count from `path`, all or nothing. Ranks: as orr_module_load.
 * errors:   as orr_module_load; ORR_EINVAL (the file is of another kind of optimiser, of options with other state,
 *           or of another number of variables). */
ORR_API orr_status orr_optim_load_at(const char *file, int line, orr_optim *o, const char *path);
#define orr_optim_load(...) orr_optim_load_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
