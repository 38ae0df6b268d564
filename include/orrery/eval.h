/* Evaluation, events, explicit graphs, gradients; init and shutdown.
 * Must not know: what runs where. */
#ifndef ORRERY_EVAL_H
#define ORRERY_EVAL_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Settings for orr_init. Zero or NULL in a field: the environment decides (docs/environment.md), which also wins
 * where both speak. */
typedef struct orr_config {
    const char *engine;  /**< "auto", "starpu", "serial"                             */
    const char *backend; /**< "auto", "cpu", "cuda", "opencl"                        */
    int workers;         /**< CPU workers; 0: STARPU_NCPU, else all cores of the cpuset */
    size_t memory_limit; /**< bytes of host memory for tensors; 0: 7/8 of what the job's control group allows */
    uint64_t seed;       /**< default seed of the random functions                   */
} orr_config;

/** Starts the library: reads the environment, probes devices, starts the workers. NULL: environment decides.
 * Errors: ORR_EENV (a wrong ORRERY_* value), ORR_ESTATE (already started), ORR_EDEVICE. Call from one thread. */
ORR_API orr_status orr_init_at(const char *file, int line, const orr_config *config);
#define orr_init(...) orr_init_at(ORR_HERE, __VA_ARGS__)
/** Waits for work under way, frees all tensors and scopes of all threads, stops the workers. A second time:
 * ORR_ESTATE. orr_init may follow. No other thread may be inside the library. */
ORR_API orr_status orr_shutdown(void);
/** "major.minor.patch" of the library in use. */
ORR_API const char *orr_version(void);

/* -- evaluation ------------------------------------------------------------------------------------------ */

/** Computes `t` and this thread's pending assignments, and waits. Afterwards `t` holds its value; what it was
 * made from may be freed. Values that variables are assigned may still be under way on return; whoever reads one waits
 * for it, and should it fail, is told why: then the variable has no value until it is assigned anew. It is computed in IEEE
 * 754's default mode (to nearest, gradual underflow, no traps), whatever mode this thread is in. Errors: what poison
 * carries, ORR_ESTATE, ORR_ENOMEM, ORR_EINDEX, ORR_EDEVICE. */
ORR_API orr_status orr_eval_at(const char *file, int line, orr_tensor *t);
#define orr_eval(...) orr_eval_at(ORR_HERE, __VA_ARGS__)
/** Several outputs at once: what they share is computed once. n may be 0 (then only pending assignments). */
ORR_API orr_status orr_eval_all_at(const char *file, int line, orr_tensor *const *t, int n);
#define orr_eval_all(...) orr_eval_all_at(ORR_HERE, __VA_ARGS__)

/** Compiles every kernel that evaluating `t` needs and waits for that; computes nothing. Afterwards orr_eval(t), and what
 * has the same kernels, runs at full speed from the first time on. With ORRERY_JIT=off, or without a compiler, nothing
 * happens. Errors: as orr_eval before it runs. */
ORR_API orr_status orr_warmup_at(const char *file, int line, orr_tensor *t);
#define orr_warmup(...) orr_warmup_at(ORR_HERE, __VA_ARGS__)

/** Work under way. Free it with orr_wait. A checked name, not an address, as tensors are; so is orr_graph. */
typedef struct orr_event orr_event;
/** Like orr_eval_all, but returns when the work is submitted. On success *event is to be waited for. */
ORR_API orr_status orr_eval_async_at(const char *file, int line, orr_tensor *const *t, int n, orr_event **event);
#define orr_eval_async(...) orr_eval_async_at(ORR_HERE, __VA_ARGS__)
/** Waits, frees the event, returns how the work ended. NULL: ORR_EINVAL. A second time:
 * ORR_EHANDLE. Safe from any thread: of several one waits, the others get ORR_EHANDLE. */
ORR_API orr_status orr_wait_at(const char *file, int line, orr_event *event);
#define orr_wait(...) orr_wait_at(ORR_HERE, __VA_ARGS__)
/** Whether the work has ended, or was waited for. Does not block, does not free. Safe from any thread. */
ORR_API bool orr_event_done(const orr_event *event);

/** What orr_par_map calls for item i, on the calling thread, in order. It records and returns a tensor; it evaluates
 * nothing. item: items[i], NULL without items. */
typedef orr_tensor *orr_map_fn(orr_tensor *item, int64_t i, void *user);
/** results[i] = the value of fn(items[i], i, user), for i = 0 … n − 1: independent graphs, all workers busy, the order
 * kept. Items may differ in shape and cost; equal graphs share one plan. What fn makes beside its result is freed; the
 * results belong to the current scope, evaluated. items may be NULL. An item that fails leaves its poison, or where its
 * evaluation fails a tensor that tells whoever reads it (NULL where fn gave NULL); the others are computed all the same,
 * and the error of the first item in their order is returned. Blocks. Random functions called in fn
 * draw in the order of the items. Errors: ORR_EINVAL, ORR_ESTATE, and those of orr_eval. Safe from any thread. */
ORR_API orr_status orr_par_map_at(const char *file, int line, int64_t n, orr_map_fn *fn, orr_tensor *const *items,
                                  void *user, orr_tensor **results);
#define orr_par_map(...) orr_par_map_at(ORR_HERE, __VA_ARGS__)

/* -- explicit graphs: build once, submit often ------------------------------------------------------------- */

typedef struct orr_graph orr_graph;
/** A stand-in for a value that is given at submission. */
ORR_API orr_tensor *orr_placeholder_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
#define orr_placeholder(...) orr_placeholder_at(ORR_HERE, __VA_ARGS__)
/** Plans `outputs` as a function of the placeholders `inputs`. What else they reach is captured: constants by
 * value; a variable by name, its value being read at each submission. EGRAPH: a placeholder is missing in
 * `inputs`, or an input is no placeholder, or twice. NULL on error. Free with orr_graph_free. */
ORR_API orr_graph *orr_graph_build_at(const char *file, int line, orr_tensor *const *inputs, int n_inputs,
                                      orr_tensor *const *outputs, int n_outputs);
#define orr_graph_build(...) orr_graph_build_at(ORR_HERE, __VA_ARGS__)
/** Runs the graph on `values` (one per input, same shape and dtype); results[i] becomes a new tensor of the current
 * scope. event NULL: waits; else returns when submitted. Thread-safe: several submissions may be under way. */
ORR_API orr_status orr_graph_submit_at(const char *file, int line, orr_graph *g, orr_tensor *const *values,
                                       orr_tensor **results, orr_event **event);
#define orr_graph_submit(...) orr_graph_submit_at(ORR_HERE, __VA_ARGS__)
/** Work under way is not disturbed, and neither are other threads' submissions of it. NULL is fine. A second time: ORR_EHANDLE.
 * Safe from any thread. */
ORR_API orr_status orr_graph_free(orr_graph *g);

/* -- gradients ------------------------------------------------------------------------------------------- */

/** d(sum of y)/d(x[i]) as new tensors (lazy, and differentiable again) in grads[i]; an x that y does not depend on
 * gets zeros. y and x: float dtypes (EDTYPE). Reverse mode: Griewank & Walther, Evaluating Derivatives, ch. 3.
 * Take the gradient before you evaluate: a tensor that holds its value has forgotten what it was made from, and one that an
 * evaluation computes on the way to new values of variables may hold its value from then on (docs/tuning.md). EGRAPH when a
 * gradient would flow into such a tensor and an x may stand behind it; orr_detach it where it is a constant. orr_scalar is no
 * x: ops make constants of their own from it.
 * On error every grads[i] is poison and the status is returned. */
ORR_API orr_status orr_grad_at(const char *file, int line, orr_tensor *y, orr_tensor *const *x, int n,
                               orr_tensor **grads);
#define orr_grad(...) orr_grad_at(ORR_HERE, __VA_ARGS__)
/** Like orr_grad, with the cotangent `seed` of y's shape and dtype: seed · dy/dx. */
ORR_API orr_status orr_vjp_at(const char *file, int line, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n,
                              orr_tensor **grads);
#define orr_vjp(...) orr_vjp_at(ORR_HERE, __VA_ARGS__)
/** The value of t, through which no gradient flows. */
ORR_API orr_tensor *orr_detach_at(const char *file, int line, orr_tensor *t);
#define orr_detach(...) orr_detach_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
