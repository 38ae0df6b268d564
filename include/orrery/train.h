/* Training around the optimiser's step: learning rates, half precision, recomputation, averages, early stopping.
 * Must not know: how an op computes. */
#ifndef ORRERY_TRAIN_H
#define ORRERY_TRAIN_H

#include <orrery/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- learning rates ---------------------------------------------------------------------------------------- */

/** The rules of learning rates, with lr the peak, t the step (0, 1, …) and s = t / steps:
 *  STEP       lr·factor^⌊t/every⌋
 *  COSINE     least + (lr − least)·(1 + cos πs)/2, and least after `steps`
 *  ONE_CYCLE  up from lr/start to lr in the fraction `rise` of the steps, then down to lr/start/end, both along a cosine
 *             (L. Smith, N. Topin, 2018; PyTorch's OneCycleLR)
 *  CONSTANT   lr
 * All rules begin with a linear warm-up: in step t < warm_up the rate is (t + 1)/warm_up of the rule's rate at its step 0,
 * and the rule counts its steps from the end of the warm-up. */
typedef enum orr_schedule_kind {
    ORR_SCHEDULE_CONSTANT = 0,
    ORR_SCHEDULE_STEP,
    ORR_SCHEDULE_COSINE,
    ORR_SCHEDULE_ONE_CYCLE
} orr_schedule_kind;

/** A rule and its numbers. */
typedef struct orr_schedule {
    orr_schedule_kind kind;
    double lr;
    int64_t warm_up; /**< steps; 0: none                          */
    int64_t steps;   /**< COSINE, ONE_CYCLE: of the rule          */
    double least;    /**< COSINE                                  */
    int64_t every;   /**< STEP                                    */
    double factor;   /**< STEP                                    */
    double rise;     /**< ONE_CYCLE: 0: 0.3                       */
    double start;    /**< ONE_CYCLE: 0: 25                        */
    double end;      /**< ONE_CYCLE: 0: 1e4                       */
} orr_schedule;

/** Returns the learning rate of step t: orr_optim_set_lr(o, orr_schedule_lr(&s, orr_optim_steps(o))). NaN for an unknown rule,
 * or if the rule needs `steps` or `every` and that is below 1. */
ORR_API double orr_schedule_lr(const orr_schedule *s, int64_t t);

/** Reduction of the learning rate when the loss stops improving. Begin with the first three fields set and the
 * others 0. */
typedef struct orr_plateau {
    double factor;    /**< of the learning rate, in (0, 1)                             */
    int patience;     /**< tolerated number of values that are no better                */
    double threshold; /**< better is below best·(1 − threshold), of a positive best; PyTorch's is 1e-4 */
    double least;     /**< the lowest learning rate                                     */
    double best;      /**< so far                                                       */
    int64_t seen;     /**< values                                                       */
    int waited;       /**< values since the best one or the last change                 */
} orr_plateau;
/** Reads the next loss and returns the new learning rate: lr, or factor·lr. A NaN is no better. */
ORR_API double orr_plateau_lr(orr_plateau *p, double lr, double loss);

/** End of training when the loss stops improving. Begin with `patience` and `threshold` set and the others 0. */
typedef struct orr_early_stop {
    int patience;     /**< tolerated number of values that are no better  */
    double threshold; /**< better is below best − threshold               */
    double best;      /**< so far                                         */
    int64_t seen;     /**< values                                         */
    int64_t at;       /**< the number of the best value, from 0           */
} orr_early_stop;
/** Reads the next loss; true: stop, since more than `patience` values were no better. */
ORR_API bool orr_early_stop_update(orr_early_stop *e, double loss);

/* -- half precision ---------------------------------------------------------------------------------------- */

/** Mixed precision: from now on the products of this thread's dense layers have operands in `dtype`, f16 or bf16, and
 * results in f32. Parameters, statistics, losses and optimisers stay in f32. ORR_F32: off.
 * @return   the dtype before; ORR_F32 at first. Another dtype changes nothing (ORR_EDTYPE is the last error). */
ORR_API orr_dtype orr_autocast_at(const char *file, int line, orr_dtype dtype);
#define orr_autocast(...) orr_autocast_at(ORR_HERE, __VA_ARGS__)

/** The scale of losses whose gradients would underflow in f16. Begin with all 0: scale 65536, doubled after 2000 steps without
 * an overflow, halved after one. */
typedef struct orr_loss_scale {
    double scale;    /**< of the next loss, finite and above 0 */
    int interval;    /**< steps                              */
    int64_t good;    /**< steps since the last change        */
    int64_t skipped; /**< steps skipped because of their gradients */
} orr_loss_scale;
/** One step down the gradient of scale·loss, divided by the scale. If every gradient is finite, the step is as orr_optim_step;
 * otherwise no variable changes, the step does not count, and the scale is halved. Evaluates the gradients for this check.
 * @param stepped  set to whether a step was made; NULL: not needed
 * errors:   as orr_optim_step, and those of orr_eval. */
ORR_API orr_status orr_optim_step_scaled_at(const char *file, int line, orr_optim *o, orr_tensor *loss,
                                            orr_loss_scale *scale, bool *stepped);
#define orr_optim_step_scaled(...) orr_optim_step_scaled_at(ORR_HERE, __VA_ARGS__)

/* -- memory ------------------------------------------------------------------------------------------------ */

/** orr_forward(m, x) whose gradient computes the intermediate values again instead of keeping them, which trades time for memory
 * (T. Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016). The same random numbers are drawn again, and running
 * statistics are updated once.
 * @param m  must outlive the gradients recorded through it; a function of the program's own must be pure
 * @return   as orr_forward.
 * grad:     by x and by the parameters of m, also second derivatives. Record it before a parameter is assigned. */
ORR_API orr_tensor *orr_recompute_at(const char *file, int line, const orr_module *m, orr_tensor *x);
#define orr_recompute(...) orr_recompute_at(ORR_HERE, __VA_ARGS__)

/* -- averages ---------------------------------------------------------------------------------------------- */

/** A moving average of a module's parameters, in f32, or the parameter's dtype if that is wider. One thread at a
 * time. */
typedef struct orr_average orr_average;
/** An average that starts at the present values.
 * @param decay  in [0, 1)
 * @return   to be freed with orr_average_free; the module must outlive it; NULL on ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_average *orr_average_new_at(const char *file, int line, const orr_module *m, double decay);
#define orr_average_new(...) orr_average_new_at(ORR_HERE, __VA_ARGS__)
/** average = decay·average + (1 − decay)·parameter, for all of them. Lazy, as orr_assign. */
ORR_API orr_status orr_average_update_at(const char *file, int line, orr_average *a);
#define orr_average_update(...) orr_average_update_at(ORR_HERE, __VA_ARGS__)
/** Exchanges averages and parameters. Call it before an evaluation of the network, and again after it. */
ORR_API orr_status orr_average_swap_at(const char *file, int line, orr_average *a);
#define orr_average_swap(...) orr_average_swap_at(ORR_HERE, __VA_ARGS__)
/** Frees the average, not the module. NULL is fine. */
ORR_API void orr_average_free(orr_average *a);

#ifdef __cplusplus
}
#endif
#endif
