/* Optimisers: gradient steps on variables, with PyTorch's formulas and defaults.
 * Must not know: how an op computes; it is written with public ops alone. */
#ifndef ORRERY_OPTIM_H
#define ORRERY_OPTIM_H

#include <orrery/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Variables, their state (kept variables of their own) and the number of steps made. One thread at a time. */
typedef struct orr_optim orr_optim;

/** With p a variable, g its gradient, t = 1, 2, … the step, wd the weight decay:
 *  SGD      g += wd·p;  m = momentum·m + (1−dampening)·g (t = 1: m = g);  p −= lr·m, or, Nesterov, lr·(g + momentum·m)
 *  ADAM     g += wd·p;  m += (1−β1)(g−m);  v += (1−β2)(g²−v);  p −= lr/(1−β1^t) · m / (√v/√(1−β2^t) + eps)
 *  ADAMW    p *= 1 − lr·wd; then as ADAM without wd
 *  RMSPROP  g += wd·p;  v += (1−alpha)(g²−v);  d = g/(√v + eps), centred: a += (1−alpha)(g−a), √(v−a²);
 *           m = momentum·m + d;  p −= lr·m
 *  ADAGRAD  g += wd·p;  v += g²;  p −= lr/(1 + (t−1)·lr_decay) · g/(√v + eps)
 * f16 and bf16 variables: state and arithmetic in f32, rounded once when assigned. */
typedef enum orr_optim_kind {
    ORR_OPTIM_SGD,
    ORR_OPTIM_ADAM,
    ORR_OPTIM_ADAMW,
    ORR_OPTIM_RMSPROP,
    ORR_OPTIM_ADAGRAD
} orr_optim_kind;

/** Settings; start from orr_optim_defaults. A field that a kind's formula does not name is not looked at. */
typedef struct orr_optim_options {
    double lr;           /**< learning rate, ≥ 0                                          */
    double weight_decay; /**< ≥ 0                                                         */
    double momentum;     /**< SGD, RMSPROP: ≥ 0                                           */
    double dampening;    /**< SGD                                                         */
    double beta1, beta2; /**< ADAM, ADAMW: in [0, 1)                                      */
    double alpha;        /**< RMSPROP: in [0, 1]                                          */
    double eps;          /**< ≥ 0                                                         */
    double lr_decay;     /**< ADAGRAD: ≥ 0                                                */
    double initial;      /**< ADAGRAD: v at the start, ≥ 0                                */
    double clip_norm;    /**< orr_optim_step clips to this global norm first; 0: it does not */
    bool nesterov;       /**< SGD: needs momentum > 0 and dampening 0                     */
    bool centred;        /**< RMSPROP                                                     */
} orr_optim_options;

/** PyTorch's defaults of `kind`; for SGD, which has none there, lr is 0.001. */
ORR_API orr_optim_options orr_optim_defaults(orr_optim_kind kind);

/** An optimiser of the n variables v[i] (float dtypes), which must outlive it. NULL options: the defaults.
 * @return   to free with orr_optim_free; NULL on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EHANDLE. */
ORR_API orr_optim *orr_optim_new_at(const char *file, int line, orr_optim_kind kind, orr_tensor *const *v, int n,
                                    const orr_optim_options *options);
#define orr_optim_new(...) orr_optim_new_at(ORR_HERE, __VA_ARGS__)
/** Like orr_optim_new, of all parameters of a module. */
ORR_API orr_optim *orr_optim_of_module_at(const char *file, int line, orr_optim_kind kind, const orr_module *m,
                                          const orr_optim_options *options);
#define orr_optim_of_module(...) orr_optim_of_module_at(ORR_HERE, __VA_ARGS__)
/** Frees the optimiser and its state, not the variables. NULL is fine. */
ORR_API void orr_optim_free(orr_optim *o);

/** One step down the gradient of `loss` (its sum): orr_grad, clipping where asked for, update, orr_assign.
 * Lazy: the step is computed at this thread's next evaluation, so `orr_optim_step(o, loss); orr_item(loss, &x);`
 * makes one pass of all. `loss` keeps the value before the step. Graphs of successive steps are alike: the plan is
 * made once. Where nothing is held that would need the old values, new ones take over their memory (orr_assign).
 * Errors: what `loss` carries, and those of orr_grad; then no variable has changed. */
ORR_API orr_status orr_optim_step_at(const char *file, int line, orr_optim *o, orr_tensor *loss);
#define orr_optim_step(...) orr_optim_step_at(ORR_HERE, __VA_ARGS__)
/** Like orr_optim_step, with gradients that you bring: grads[i] of v[i]'s shape. No clipping. */
ORR_API orr_status orr_optim_apply_at(const char *file, int line, orr_optim *o, orr_tensor *const *grads);
#define orr_optim_apply(...) orr_optim_apply_at(ORR_HERE, __VA_ARGS__)

/** Scales all grads[i] by min(1, max_norm/(‖grads‖₂ + 1e-6)), ‖·‖₂ over all of them together; replaces the array's
 * entries by the scaled tensors.
 * @return   the norm before, 0-d, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_clip_grad_norm_at(const char *file, int line, orr_tensor **grads, int n, double max_norm);
#define orr_clip_grad_norm(...) orr_clip_grad_norm_at(ORR_HERE, __VA_ARGS__)

/** The learning rate of the steps to come. Changing it does not change the plan. EINVAL: negative, not finite. */
ORR_API orr_status orr_optim_set_lr_at(const char *file, int line, orr_optim *o, double lr);
#define orr_optim_set_lr(...) orr_optim_set_lr_at(ORR_HERE, __VA_ARGS__)
ORR_API double orr_optim_lr(const orr_optim *o); /**< 0 for NULL */
/** Steps made. */
ORR_API int64_t orr_optim_steps(const orr_optim *o); /**< 0 for NULL */

/** State variables ("0.momentum", "0.square", "0.mean", …); writes up to `max`, returns how many there are. Borrowed. */
ORR_API int orr_optim_state(const orr_optim *o, orr_parameter *out, int max);
/** Writes state and step count to the .npz file `path`, and under "optimiser" what they are of: kind, state variables of each
 * variable, variables. Evaluates. */
ORR_API orr_status orr_optim_save_at(const char *file, int line, const orr_optim *o, const char *path);
#define orr_optim_save(...) orr_optim_save_at(ORR_HERE, __VA_ARGS__)
/** Takes state and step count from `path`. All or nothing. Errors as orr_module_load; EINVAL: the file is of another kind of
 * optimiser, or of one with other options that need other state, or of another number of variables. */
ORR_API orr_status orr_optim_load_at(const char *file, int line, orr_optim *o, const char *path);
#define orr_optim_load(...) orr_optim_load_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
