/* Differential privacy: noise, mechanisms, accountants and budgets, training by clipped and noisy gradients.
 * Must not know: how an op computes; the functions are composed of public ops.
 *
 * A function of a data set is (ε, δ)-differentially private when for every two data sets that differ in one record, and
 * every set of outcomes, P(outcome | one) ≤ e^ε · P(outcome | other) + δ. Here "differ" means that one record is added or
 * removed. docs/private.md names the adversaries against which this holds, and those against which it does not. */
#ifndef ORRERY_PRIVACY_H
#define ORRERY_PRIVACY_H

#include <orrery/checkpoint.h>
#include <orrery/nn.h>
#include <orrery/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- accounting: the cost of a step ------------------------------------------------------------------------- */

/** Mechanisms that the accountants know. */
typedef enum orr_dp_kind {
    ORR_DP_GAUSSIAN =
        0, /**< normal noise; `noise` is σ: standard deviation / L2 sensitivity. The discrete Gaussian too, where q = 1 */
    ORR_DP_LAPLACE, /**< Laplace noise; `noise` is b: scale / L1 sensitivity. The discrete Laplace too                     */
    ORR_DP_PURE /**< any (ε, 0)-private mechanism (randomised response, exponential, sparse vector); `noise` is ε         */
} orr_dp_kind;

/** A mechanism on a Poisson sample: each record takes part independently with probability q; q = 1: all records. */
typedef struct orr_dp_mechanism {
    orr_dp_kind kind;
    double noise; /**< > 0, finite; its meaning follows from the kind */
    double q;     /**< in [0, 1]                                   */
} orr_dp_mechanism;

#define ORR_DP_MECHANISM(kind, noise, q) (ORR__VALUE(orr_dp_mechanism){ (kind), (noise), (q) })

/** The methods of adding up losses of privacy. Both give upper bounds. */
typedef enum orr_dp_accountant {
    ORR_DP_RDP =
        0, /**< Rényi divergences of 151 orders (Mironov 2017; Mironov, Talwar, Zhang 2019): fast; a few % too high */
    ORR_DP_PLD /**< distribution of the privacy loss, composed by FFT (Koskela et al. 2020; Doroshenko et al. 2022): tight;
                         δ ≥ 1e-10                                                                                      */
} orr_dp_accountant;

/** Rényi divergence of order alpha of one use of m, as an upper bound over both neighbours.
 * Gaussian, q = 1: α/(2σ²); q < 1: log E[((1−q) + q·e^((2z−1)/(2σ²)))^α]/(α−1), z ~ N(0, σ²): a sum for integer α, an integral of positive
 * terms for others. Laplace, q = 1: Mironov 2017, table II. Pure, and Laplace at q < 1 by amplification: the divergence of randomised
 * response, which is an upper bound.
 * @param alpha  > 1, finite        Errors: ORR_EINVAL.      Thread-safe; so are all functions up to budgets. */
ORR_API orr_status orr_dp_rdp_at(const char *file, int line, orr_dp_mechanism m, double alpha, double *rdp);
#define orr_dp_rdp(...) orr_dp_rdp_at(ORR_HERE, __VA_ARGS__)

/** The orders that ORR_DP_RDP uses, those of Opacus: 1.1, 1.2, … 10.9, 12, 13, … 63. Writes up to `max`; returns 151. */
ORR_API int orr_dp_orders(double *out, int max);

/** ε at δ of a mechanism whose divergence of order orders[i] is rdp[i]: the least over i of
 * rdp − (log δ + log α)/(α−1) + log((α−1)/α), and at least 0 (Balle et al. 2020, theorem 21; Canonne, Kamath, Steinke 2020).
 * @param order  receives the order of the least, or NULL      Errors: ORR_EINVAL (an order ≤ 1, δ not in (0, 1), n < 1,
 *               NULL, NaN). */
ORR_API orr_status orr_dp_rdp_epsilon_at(const char *file, int line, const double *orders, const double *rdp, int n,
                                         double delta, double *epsilon, double *order);
#define orr_dp_rdp_epsilon(...) orr_dp_rdp_epsilon_at(ORR_HERE, __VA_ARGS__)

/** ε at δ of `times` successive uses of m, each of which may depend on earlier results.
 * @param times  ≥ 0      Errors: ORR_EINVAL, ORR_ENOMEM (ORR_DP_PLD). */
ORR_API orr_status orr_dp_epsilon_at(const char *file, int line, orr_dp_accountant how, orr_dp_mechanism m,
                                     int64_t times, double delta, double *epsilon);
#define orr_dp_epsilon(...) orr_dp_epsilon_at(ORR_HERE, __VA_ARGS__)

/** δ at ε ≥ 0 of `times` uses of m, by ORR_DP_PLD. Otherwise as orr_dp_epsilon. */
ORR_API orr_status orr_dp_delta_at(const char *file, int line, orr_dp_mechanism m, int64_t times, double epsilon,
                                   double *delta);
#define orr_dp_delta(...) orr_dp_delta_at(ORR_HERE, __VA_ARGS__)

/** The least noise with which `times` uses of (kind, noise, q) stay within ε at δ, up to 1e-4 of it and never below.
 * ORR_DP_PURE: the largest ε of one use instead.
 * Errors: ORR_EINVAL (also if no noise up to 1e6 is enough, or 1e-2 is more than enough), ORR_ENOMEM. */
ORR_API orr_status orr_dp_find_noise_at(const char *file, int line, orr_dp_accountant how, orr_dp_kind kind, double q,
                                        int64_t times, double epsilon, double delta, double *noise);
#define orr_dp_find_noise(...) orr_dp_find_noise_at(ORR_HERE, __VA_ARGS__)

/** δ of one Gaussian mechanism at ε, exactly: Φ(1/(2σ) − εσ) − e^ε·Φ(−1/(2σ) − εσ) (Balle, Wang 2018). k uses with σ are
 * equivalent to one with σ/√k. Errors: ORR_EINVAL. */
ORR_API orr_status orr_dp_gaussian_delta_at(const char *file, int line, double sigma, double epsilon, double *delta);
#define orr_dp_gaussian_delta(...) orr_dp_gaussian_delta_at(ORR_HERE, __VA_ARGS__)
/** The ε at which orr_dp_gaussian_delta is δ; 0 if the value at ε = 0 is below δ already. */
ORR_API orr_status orr_dp_gaussian_epsilon_at(const char *file, int line, double sigma, double delta, double *epsilon);
#define orr_dp_gaussian_epsilon(...) orr_dp_gaussian_epsilon_at(ORR_HERE, __VA_ARGS__)
/** The σ at which orr_dp_gaussian_delta(σ, ε) is δ: less than the classical √(2·log(1.25/δ))/ε, and valid for every ε > 0. */
ORR_API orr_status orr_dp_gaussian_sigma_at(const char *file, int line, double epsilon, double delta, double *sigma);
#define orr_dp_gaussian_sigma(...) orr_dp_gaussian_sigma_at(ORR_HERE, __VA_ARGS__)

/* -- budgets ------------------------------------------------------------------------------------------------ */

/** A limit of ε at a δ, and the uses booked so far. It counts only reported uses, and cannot count a release of the data
 * that bypasses it. One thread at a time.
 * The uses are in memory: a run that ends and begins again has none, unless they are in a checkpoint
 * (orr_checkpoint_add_budget, orr_checkpoint_add_dp_sgd) or in a file (orr_dp_budget_keep). A forked child cannot spend a budget
 * that is in memory alone (ORR_ESTATE). */
typedef struct orr_dp_budget orr_dp_budget;

/** A new budget.
 * @param epsilon  > 0     @param delta  in (0, 1), for ORR_DP_PLD ≥ 1e-10
 * @return   to free with orr_dp_budget_free; NULL on ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_dp_budget *orr_dp_budget_new_at(const char *file, int line, orr_dp_accountant how, double epsilon,
                                            double delta);
#define orr_dp_budget_new(...) orr_dp_budget_new_at(ORR_HERE, __VA_ARGS__)
/** Books `times` ≥ 0 uses of m, all or none. Call it before the mechanism runs. A budget that is kept in a file is booked on disk when this
 * returns, together with the uses that other processes have booked meanwhile.
 * Errors: ORR_ESTATE: the budget would be exceeded (the message has the numbers), belongs to the process that forked this one, or has a
 * ledger that was removed, exchanged, set back or not yet given; then nothing is booked. ORR_EINVAL, ORR_ENOMEM, ORR_EIO,
 * ORR_EFORMAT. */
ORR_API orr_status orr_dp_budget_spend_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m,
                                          int64_t times);
#define orr_dp_budget_spend(...) orr_dp_budget_spend_at(ORR_HERE, __VA_ARGS__)
/** ε at the budget's δ of all booked uses, those of other processes in its file too; 0 if there are none. Errors: as
 * orr_dp_budget_spend. */
ORR_API orr_status orr_dp_budget_spent_at(const char *file, int line, const orr_dp_budget *b, double *epsilon);
#define orr_dp_budget_spent(...) orr_dp_budget_spent_at(ORR_HERE, __VA_ARGS__)
/** The number of further uses of m that would be booked; at most 2⁴⁰. Errors: as orr_dp_budget_spend. */
ORR_API orr_status orr_dp_budget_left_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m,
                                         int64_t *times);
#define orr_dp_budget_left(...) orr_dp_budget_left_at(ORR_HERE, __VA_ARGS__)
/** From now on the uses of b are in the file `path` as well, its ledger, which does not go back. If there is no such file, it is made with
 * the uses so far. Otherwise it is continued: its limit must be that of b, and its uses those of b. A run that begins anew, or
 * from an older checkpoint, has fewer uses than its ledger and is refused, with both ε; so is a ledger that has fewer uses than
 * the run, or is a copy of another file. Load a checkpoint first. Several processes may keep one budget in one file: the file is locked
 * while it is read and replaced, and all their uses count. After a kill at any moment the file has each use that was booked. Its
 * checksum finds damage; it is no protection from a person who may write the file.
 * @param path  its folder exists, on a file system with locks (flock) and hard links
 * Errors: ORR_ESTATE (see above, or b is kept already), ORR_EINVAL (no path; the ledger has another limit), ORR_EFORMAT (no
 * ledger, or a damaged one), ORR_EIO, ORR_ENOMEM. */
ORR_API orr_status orr_dp_budget_keep_at(const char *file, int line, orr_dp_budget *b, const char *path);
#define orr_dp_budget_keep(...) orr_dp_budget_keep_at(ORR_HERE, __VA_ARGS__)
/** Differences between a budget, its ledger and its checkpoints that are meant. */
typedef enum orr_dp_allow {
    ORR_DP_OLDER = 1, /**< one of them is older: a run that ended after its last checkpoint, a return to an older checkpoint, a second
                           process. The larger number of uses of each mechanism counts, and repeated uses count again */
    ORR_DP_MOVED = 2  /**< the ledger is a copy, because it was moved or restored, or is lost and made anew from b; no other copy is in
                           use */
} orr_dp_allow;
/** Allows these differences (a sum of orr_dp_allow) to later calls of orr_dp_budget_keep, orr_dp_budget_spend and orr_checkpoint_load; 0:
 * none, as in a new budget. Errors: ORR_EINVAL. */
ORR_API orr_status orr_dp_budget_allow_at(const char *file, int line, orr_dp_budget *b, unsigned what);
#define orr_dp_budget_allow(...) orr_dp_budget_allow_at(ORR_HERE, __VA_ARGS__)
/** Adds the uses of a budget (borrowed) to a checkpoint. orr_checkpoint_load takes them over; it refuses a checkpoint with fewer
 * uses than the budget has, and one of a run with another ledger (ORR_ESTATE, with both ε). Without a ledger nothing
 * finds that a checkpoint is loaded twice, or is an old one.
 * Errors: as orr_checkpoint_add_variable. */
ORR_API orr_status orr_checkpoint_add_budget_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                                orr_dp_budget *b);
#define orr_checkpoint_add_budget(...) orr_checkpoint_add_budget_at(ORR_HERE, __VA_ARGS__)
/** NULL is fine. The file of a ledger stays. */
ORR_API void orr_dp_budget_free(orr_dp_budget *b);

/* -- randomness ----------------------------------------------------------------------------------------------- */

/** For tests only: from here on the draws of this thread by functions of this header are a function of `seed`; an adversary who
 * knows it can remove the noise. Without this call they come from the operating system's generator (getrandom). */
ORR_API void orr_dp_seed(uint64_t seed);
/** This thread's draws come from the operating system's generator again. */
ORR_API void orr_dp_unseed(void);

/** A Poisson sample: each of the numbers 0 … n−1 is in it independently with probability q (to 2⁻⁶⁴, rounded down). Keep
 * the sample secret: the accountants' gain from sampling holds only against an adversary who does not know it.
 * @param index  an array of n numbers; the first *count are written, in ascending order
 * Errors: ORR_EINVAL (n < 0, q not in [0, 1], NULL), ORR_EIO (the system has no random numbers). Thread-safe. */
ORR_API orr_status orr_dp_poisson_at(const char *file, int line, int64_t n, double q, int64_t *index, int64_t *count);
#define orr_dp_poisson(...) orr_dp_poisson_at(ORR_HERE, __VA_ARGS__)

/* Noise is for one release: a tensor with noise has one value, and orr_graph_build refuses it until it is evaluated (ORR_EGRAPH), since all
 * submissions of a graph would have the same noise. */
/* -- mechanisms on numbers -------------------------------------------------------------------------------------- */

/** Laplace noise in floats. The privacy is limited by floating point and by Philox: the low bits of a noisy float leak
 * information about the value (Mironov, "On significance of the least significant bits", 2012), and Philox is no cryptographic
 * generator. If an adversary sees all digits, use orr_dp_discrete_laplace.
 * y = x + Laplace(sensitivity/epsilon), with independent noise for each element: (ε, 0)-private for an x of that L1
 * sensitivity.
 * @param x  a float dtype     @param sensitivity, epsilon  > 0, finite
 * @return   like x, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EIO.
 * effects:  lazy; fuses with its neighbours; its key comes from the operating system. grad: g. Safe from any thread. */
ORR_API orr_tensor *orr_dp_laplace_at(const char *file, int line, orr_tensor *x, double sensitivity, double epsilon);
#define orr_dp_laplace(...) orr_dp_laplace_at(ORR_HERE, __VA_ARGS__)
/** Gaussian noise in floats. The privacy is limited by floating point and by Philox: see orr_dp_laplace. If an adversary
 * sees all digits, use orr_dp_discrete_gaussian.
 * y = x + N(0, (sigma·sensitivity)²), for an x of that L2 sensitivity. Its cost is that of ORR_DP_GAUSSIAN with `sigma`.
 * Otherwise as orr_dp_laplace. */
ORR_API orr_tensor *orr_dp_gaussian_at(const char *file, int line, orr_tensor *x, double sensitivity, double sigma);
#define orr_dp_gaussian(...) orr_dp_gaussian_at(ORR_HERE, __VA_ARGS__)

/** y = x + Z for integers, P(Z = z) ∝ e^(−|z|·ε/sensitivity), independent for each element: (ε, 0)-private for an x of that
 * L1 sensitivity. The noise is drawn now, exactly, in integers, from the operating system's generator (Canonne, Kamath,
 * Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 2), and its memory is wiped after its last use.
 * The duration of a draw depends on its value.
 * @param x  i64; the sum wraps     @param sensitivity  ≥ 1     @param epsilon  > 0; sensitivity/epsilon in [2⁻¹⁰, 2³⁰]
 * @return   i64, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EIO. Safe from any thread. */
ORR_API orr_tensor *orr_dp_discrete_laplace_at(const char *file, int line, orr_tensor *x, int64_t sensitivity,
                                               double epsilon);
#define orr_dp_discrete_laplace(...) orr_dp_discrete_laplace_at(ORR_HERE, __VA_ARGS__)
/** y = x + Z for integers, P(Z = z) ∝ e^(−z²/(2s²)), s = sigma·sensitivity in [2⁻¹⁰, 2²⁶], for an x of that L2 sensitivity.
 * Its cost is at most that of ORR_DP_GAUSSIAN with `sigma` and q = 1 (Canonne, Kamath, Steinke 2020, theorem 4 and algorithm 3).
 * s² is rounded up to 30 bits. Otherwise as orr_dp_discrete_laplace. */
ORR_API orr_tensor *orr_dp_discrete_gaussian_at(const char *file, int line, orr_tensor *x, double sensitivity,
                                                double sigma);
#define orr_dp_discrete_gaussian(...) orr_dp_discrete_gaussian_at(ORR_HERE, __VA_ARGS__)

/** Randomised response: each category of x stays with probability e^ε/(e^ε + k − 1), and otherwise becomes one of the other k − 1
 * with equal probability (Warner 1965). Every single element is (ε, 0)-private, also against the collector. Drawn exactly.
 * @param x  i64 in 0 … k−1 (others are taken mod k)     @param k  ≥ 2     @param epsilon  in [2⁻²⁰, 64], rounded down to 30 bits
 * @return   i64, owned by the current scope; errors as orr_dp_discrete_laplace. Expected time per element: min(k, e^ε) draws. */
ORR_API orr_tensor *orr_dp_randomised_response_at(const char *file, int line, orr_tensor *x, int64_t k, double epsilon);
#define orr_dp_randomised_response(...) orr_dp_randomised_response_at(ORR_HERE, __VA_ARGS__)
/** An unbiased estimate of the number of true answers in one category among `total`, from `seen` such answers of randomised
 * response. */
ORR_API double orr_dp_response_estimate(double seen, double total, int64_t k, double epsilon);

/** The exponential mechanism: i with probability ∝ e^(ε·scores[i]/(2·sensitivity)) (McSherry, Talwar 2007): (ε, 0)-private if one
 * record changes no score by more than `sensitivity`. Scores are rounded to sensitivity·2⁻²⁰ and ε down to 30 bits (and by the
 * 2⁻²⁰ that rounding adds); then the draw is exact. Evaluates `scores`. Expected time: at most proportional to their number; it
 * depends on their values, so a measurement of it leaks.
 * @param scores  (n), n ≥ 1, any number dtype     @param epsilon  in [2⁻²⁰, 2²⁰]
 * Errors: ORR_EINVAL (a score not finite, or beyond 2³¹ sensitivities), ORR_ESHAPE, ORR_ENOMEM, ORR_EIO, and those of orr_read. */
ORR_API orr_status orr_dp_exponential_at(const char *file, int line, orr_tensor *scores, double sensitivity,
                                         double epsilon, int64_t *index);
#define orr_dp_exponential(...) orr_dp_exponential_at(ORR_HERE, __VA_ARGS__)

/** The sparse vector technique: reports which of a stream of queries are above a threshold; only those cost privacy. One thread
 * at a time; a forked process is refused (ORR_ESTATE). */
typedef struct orr_dp_sparse orr_dp_sparse;
/** A new sparse vector. All answers together are (ε, 0)-private for any number of queries, if one record changes no query
 * by more than `sensitivity`; at most `most` answers are "above" (Lyu, Su, Li, "Understanding the sparse vector technique",
 * 2017, algorithm 1, with their division of ε). Threshold and queries are rounded to sensitivity·2⁻²⁰ and noise is drawn
 * exactly.
 * @param monotone  adding a record moves all queries in one direction: less noise
 * @return   to free with orr_dp_sparse_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EIO. */
ORR_API orr_dp_sparse *orr_dp_sparse_new_at(const char *file, int line, double threshold, double sensitivity,
                                            int64_t most, bool monotone, double epsilon);
#define orr_dp_sparse_new(...) orr_dp_sparse_new_at(ORR_HERE, __VA_ARGS__)
/** Sets *above to whether the query's value is above the threshold, both with noise. Errors: ORR_ESTATE (`most`
 * answers were "above" already), ORR_EINVAL (not finite, beyond 2³¹ sensitivities), ORR_EIO. */
ORR_API orr_status orr_dp_sparse_ask_at(const char *file, int line, orr_dp_sparse *s, double query, bool *above);
#define orr_dp_sparse_ask(...) orr_dp_sparse_ask_at(ORR_HERE, __VA_ARGS__)
/** Wipes the noisy threshold and frees s. NULL is fine. */
ORR_API void orr_dp_sparse_free(orr_dp_sparse *s);

/* -- training ------------------------------------------------------------------------------------------------- */

/** A loss for each example from a network's output: (batch, …) → (batch). An example's loss may depend on that example alone. */
typedef orr_tensor *orr_dp_loss(orr_tensor *output, orr_tensor *target, void *user);
/** −log_softmax(output)[target]: output (batch, …, classes), target integers (batch, …); the mean over all axes but the first. */
ORR_API orr_tensor *orr_dp_cross_entropy(orr_tensor *output, orr_tensor *target, void *unused);
/** The mean of (output − target)² over all axes but the first. */
ORR_API orr_tensor *orr_dp_squared_error(orr_tensor *output, orr_tensor *target, void *unused);
/** A loss for each example as a function of parameters: params[i] is (batch, shape of parameter i…), a copy for each
 * example (by a view, without memory), and the result is (batch). Example: x·W is orr_matmul(orr_expand_dims(x, 1),
 * params[0]). */
typedef orr_tensor *orr_dp_losses(orr_tensor *const *params, int n, orr_tensor *x, orr_tensor *target, void *user);

/** The methods of clipping gradients. */
typedef enum orr_dp_clipping {
    ORR_DP_FLAT = 0,  /**< an example's whole gradient to norm C (Abadi et al. 2016)                                */
    ORR_DP_PER_LAYER, /**< each of L layers to C/√L; parameters of a function count as layers                       */
    ORR_DP_ADAPTIVE   /**< as FLAT; orr_dp_sgd adapts C to a quantile of the norms (Andrew et al. 2021)             */
} orr_dp_clipping;

/** Clipped sums of per-example gradients. Sound only if an example's loss depends on no other example: with normalisation over
 * the batch nothing is bounded. sums[i] = Σ_k weight[k] · g_ki · min(1, C/‖g_k‖), where g_ki is the gradient of example k's
 * loss by parameter i; no noise is added. No example's gradient is stored: ‖g_k‖ follows from each layer's input and the
 * cotangent of its output (Bu, Mao, Xu 2022), and the sum is the product or convolution of a plain step. Examples whose
 * gradient is not finite count as 0.
 * @param m        dense layers, convolutions, modules without parameters, and compositions in which each layer is applied once;
 *                 batch normalisation is refused
 * @param x        (batch, …)     @param target  (batch, …), or NULL     @param weight  (batch), or NULL: ones
 * @param clip     C > 0          @param sums  [orr_module_parameters(m, NULL, 0)] one for each parameter of m, in their order
 * @param norms    ‖g_k‖, (batch); NULL: not needed
 * Results are owned by the current scope. Errors: ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and those of orr_grad; then all are NULL.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_status orr_dp_clipped_grads_at(const char *file, int line, const orr_module *m, orr_dp_loss *loss,
                                           void *user, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                                           orr_dp_clipping clipping, double clip, orr_tensor **sums,
                                           orr_tensor **norms);
#define orr_dp_clipped_grads(...) orr_dp_clipped_grads_at(ORR_HERE, __VA_ARGS__)
/** orr_dp_clipped_grads for any `fn`: the gradients of all examples are computed together, in memory for batch ×
 * parameters. Sound only if an example's loss depends on no other example. */
ORR_API orr_status orr_dp_clipped_grads_of_function_at(const char *file, int line, orr_dp_losses *fn, void *user,
                                                       orr_tensor *const *params, int n, orr_tensor *x,
                                                       orr_tensor *target, orr_tensor *weight, orr_dp_clipping clipping,
                                                       double clip, orr_tensor **sums, orr_tensor **norms);
#define orr_dp_clipped_grads_of_function(...) orr_dp_clipped_grads_of_function_at(ORR_HERE, __VA_ARGS__)

/** Settings of private training; start from orr_dp_defaults and set at least q and sigma. */
typedef struct orr_dp_options {
    orr_dp_clipping clipping; /**< FLAT                                                                          */
    double clip;              /**< C, 1; ADAPTIVE: at the start                                                  */
    double sigma;             /**< noise multiplier: deviation of the noise / C; 1                               */
    double q;                 /**< probability with which a record is in a step, in (0, 1]; required           */
    int64_t
        most; /**< examples computed at a time, rounded up to a multiple of 32; 4096. A larger sample is computed in parts*/
    double quantile, rate; /**< ADAPTIVE: 0.5, 0.2                                                            */
    double count_sigma;    /**< ADAPTIVE: deviation of the count's noise, > sigma/2; required, e.g. q·n/20   */
    bool secure;           /**< noise is drawn exactly, on a grid, from the operating system: slower          */
    orr_dp_loss *loss;     /**< orr_dp_cross_entropy                                                          */
    void *user;            /**< for loss, or for the function of parameters                                   */
    orr_dp_budget *budget; /**< booked at each step; must outlive the trainer; NULL: no counting */
} orr_dp_options;

/** Returns the defaults above. */
ORR_API orr_dp_options orr_dp_defaults(void);

/** Private training of one model. One thread at a time. */
typedef struct orr_dp_sgd orr_dp_sgd;
/** A new trainer.
 * @param m, o   the network and an optimizer of any kind with exactly its parameters (orr_optim_of_module); both must outlive the result
 * @return   to free with orr_dp_sgd_free; NULL on ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_dp_sgd *orr_dp_sgd_new_at(const char *file, int line, const orr_module *m, orr_optim *o,
                                      const orr_dp_options *options);
#define orr_dp_sgd_new(...) orr_dp_sgd_new_at(ORR_HERE, __VA_ARGS__)
/** Like orr_dp_sgd_new for a function of parameters: the n variables that `o` has, in its order. options->loss is not used. */
ORR_API orr_dp_sgd *orr_dp_sgd_of_function_at(const char *file, int line, orr_dp_losses *fn, orr_tensor *const *params,
                                              int n, orr_optim *o, const orr_dp_options *options);
#define orr_dp_sgd_of_function(...) orr_dp_sgd_of_function_at(ORR_HERE, __VA_ARGS__)

/** One step of DP-SGD. Private only if an example's loss depends on no other example, and only for the parameters: ε does not cover `loss`.
 * The noise is that of orr_dp_gaussian, with its limits, unless options.secure is set. A step (Abadi et al., "Deep learning with
 * differential privacy", 2016): a Poisson sample of the records, the sum of their clipped gradients, N(0, (σC)²) added to each element,
 * divided by q·n; then the optimizer's step with the result. It costs ORR_DP_GAUSSIAN of σ and q, booked before the computation; this
 * includes ADAPTIVE clipping.
 * @param x, target   all records: (n, …), from which rows are drawn; target may be NULL
 * @param loss        the sample's mean loss before the step, NaN for an empty sample; or NULL
 * Errors: ORR_ESTATE (the budget; then nothing changes), ORR_ESHAPE, ORR_EIO, and those of orr_dp_clipped_grads and orr_eval. */
ORR_API orr_status orr_dp_sgd_step_at(const char *file, int line, orr_dp_sgd *t, orr_tensor *x, orr_tensor *target,
                                      double *loss);
#define orr_dp_sgd_step(...) orr_dp_sgd_step_at(ORR_HERE, __VA_ARGS__)
ORR_API double orr_dp_sgd_clip(const orr_dp_sgd *t);   /**< C now; 0 for NULL */
ORR_API int64_t orr_dp_sgd_steps(const orr_dp_sgd *t); /**< steps made; 0 for NULL */
/** Adds a trainer (borrowed) to a checkpoint: its clipping norm, its steps and, as orr_checkpoint_add_budget, its budget. The model and the
 * optimiser are parts of their own. Errors: as orr_checkpoint_add_variable. */
ORR_API orr_status orr_checkpoint_add_dp_sgd_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                                orr_dp_sgd *t);
#define orr_checkpoint_add_dp_sgd(...) orr_checkpoint_add_dp_sgd_at(ORR_HERE, __VA_ARGS__)
/** Frees the trainer, not the model or the optimizer. NULL is fine. */
ORR_API void orr_dp_sgd_free(orr_dp_sgd *t);

#ifdef __cplusplus
}
#endif
#endif
