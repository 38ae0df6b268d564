/* Evaluation, events, explicit graphs, gradients; init and shutdown.
 * Must not know: devices, workers. */
#ifndef ORRERY_EVAL_H
#define ORRERY_EVAL_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Settings for orr_init. A field of zero or NULL leaves the choice to the environment (docs/environment.md), which
 * also wins where both are set. */
typedef struct orr_config {
    const char *engine;  /**< "auto", "starpu", "serial"                             */
    const char *backend; /**< "auto", "cpu", "cuda", "opencl"                        */
    int workers; /**< CPU workers; 0: STARPU_NCPU, else all cores of the cpuset, which ranks on the same cores divide, and
                               at most those of the job's control group and OMP_NUM_THREADS */
    size_t memory_limit;  /**< bytes of host memory for tensors; 0: 7/8 of the limit of the job's control group */
    uint64_t seed;        /**< default seed of the random functions                   */
    bool flush_denormals; /**< kernels take subnormal numbers for zero, and write zero for them: faster, other bits */
    /** The processes that are to be the ranks: a pointer to an MPI_Comm of the program, which has started MPI
     * (docs/embedding.md). NULL: all processes that mpirun or srun started. It is read in orr_init, which duplicates it: orr_init and
     * orr_shutdown are collective over its processes, and others need not call them. The program may free it afterwards. ORRERY_RANKS=off
     * makes each process work alone all the same. */
    const void *communicator;
    /** The same for a Fortran program: a pointer to the INTEGER of its communicator (comm%MPI_VAL in mpi_f08). */
    const int *communicator_fortran;
} orr_config;

/** The version of the public structs and enumerations, which a program has from the headers that it was compiled with. A release that adds
 * a field or an enumerator increments it. */
#define ORR_HEADERS 3
/** Starts the library: reads the environment, probes devices, starts the workers. NULL: the environment decides.
 * @param headers  ORR_HEADERS of the program; orr_init passes it
 * errors:   ORR_EENV (a wrong ORRERY_* value), ORR_ESTATE (already started), ORR_EDEVICE, ORR_EINVAL (the program was compiled with the
 *           headers of another version, in which structs may have other fields: compile it again).
 * threads:  one thread at a time. */
ORR_API orr_status orr_init_at(const char *file, int line, int headers, const orr_config *config);
#define orr_init(...) orr_init_at(ORR_HERE, ORR_HEADERS, __VA_ARGS__)
/** Waits for work under way, frees all tensors and scopes of all threads, stops the workers. orr_init may follow.
 * A warning in the log counts the tensors that no scope owned (variables apart) and the events that were never ended.
 * A program may end without it, from any thread and with work under way: exit then stops the workers, and does not wait for
 * results.
 * errors:   ORR_ESTATE (not started; called by a kernel's function).
 * threads:  no other thread may be inside the library. */
ORR_API orr_status orr_shutdown(void);
/** Gives the cores to the program: waits for the work under way and for compilers, after which the library's threads sleep.
 * Until the orr_resume of each orr_pause, an evaluation runs on its calling thread alone, an asynchronous one before the call returns, and
 * no kernel is compiled but with ORRERY_JIT=wait. Workers wake for what only they can do, until that has ended: copies from and to devices,
 * operations that only a device has, factorisations over ranks. Without a pause, workers sleep 2 ms after the last evaluation; a pause
 * saves these, and keeps short evaluations between parallel regions of the program from waking them (docs/embedding.md).
 * errors:   ORR_ESTATE (not started; called by a kernel's function).
 * threads:  safe from any thread. */
ORR_API orr_status orr_pause(void);
/** Ends the pause of one orr_pause: the next evaluation that gains by it wakes the workers.
 * errors:   ORR_ESTATE (no orr_pause before it).
 * threads:  safe from any thread. */
ORR_API orr_status orr_resume(void);
/** Version of the library in use, "major.minor.patch". */
ORR_API const char *orr_version(void);

/* -- evaluation ------------------------------------------------------------------------------------------ */

/** Computes `t` and this thread's pending assignments, and waits for `t`.
 * Afterwards `t` holds its value, and the tensors that it was computed from may be freed. Of these, tensors that the program
 * still holds keep no value: a later evaluation computes them again, a random one with the same numbers. The third evaluation
 * that needs one keeps its value if that costs less than computing it once more. If they are
 * needed again, request them together by orr_eval_all. New values of variables may
 * still be in computation on return; a reader waits for them. If such a computation fails, the variable has no value
 * until its next assignment, and reading it gives the error. Kernels run in IEEE 754's default mode (to nearest,
 * gradual underflow unless flush_denormals, no traps), whatever mode this thread is in.
 * errors:   the error of a poison, ORR_ESTATE, ORR_ENOMEM, ORR_EINDEX, ORR_ENUMERIC, ORR_EDEVICE.
 * threads:  safe from any thread, but ORR_ESTATE in functions that an evaluation calls: of a kernel, or for the release of memory. */
ORR_API orr_status orr_eval_at(const char *file, int line, orr_tensor *t);
#define orr_eval(...) orr_eval_at(ORR_HERE, __VA_ARGS__)
/** Computes `t` if that is a known plan of one small step, some 100 µs at most, which this thread runs without a wait; else does nothing.
 * A binding of a language whose lock is held while C runs calls it first, since releasing the lock may take longer than such a step.
 * @return   true: t has its value. false, also for every error: call orr_eval.
 * threads:  safe from any thread. */
ORR_API bool orr_eval_brief_at(const char *file, int line, orr_tensor *t);
#define orr_eval_brief(...) orr_eval_brief_at(ORR_HERE, __VA_ARGS__)
/** Computes several tensors at once, and shared subexpressions once: orr_eval_all(ORR_TENSORS(x, y)). n may be 0:
 * only the pending assignments. It then waits for all new values of this thread's variables, also for those that were
 * submitted before because much work was pending (orr_assign).
 * errors:   as orr_eval; ORR_EINVAL (n is negative, the list is NULL).
 * threads:  safe from any thread. */
ORR_API orr_status orr_eval_all_at(const char *file, int line, orr_tensor *const *t, int n);
#define orr_eval_all(...) orr_eval_all_at(ORR_HERE, __VA_ARGS__)

/** Evaluates `t` like orr_eval, and checks that it has neither NaN nor infinity.
 * If it has, the ancestors of `t` are computed again, and the message has the line, operation and element that made the first such number from
 * finite ones, and the numbers that an element-wise operation had. Of several such lines, the first recorded one is named. A value
 * that overwrites no number of a result is not seen: a NaN that `orr_where` drops, for example. `t` keeps its value.
 * ORRERY_CHECK=nonfinite does this for all evaluations and submissions; it logs the message once for each line instead of an error. Over ranks
 * the check is collective, as the evaluation is, and every rank has the message.
 * errors:   ORR_ENUMERIC (not finite; if `t` was evaluated before, the message has no line), those of orr_eval.
 * threads:  safe from any thread; blocks. */
ORR_API orr_status orr_check_at(const char *file, int line, orr_tensor *t);
#define orr_check(...) orr_check_at(ORR_HERE, __VA_ARGS__)

/** Compiles every kernel that the evaluation of `t` needs, waits for that, and computes nothing.
 * Afterwards orr_eval(t), and any graph with the same kernels, runs at full speed from the first evaluation on. With
 * ORRERY_JIT=off, or without a compiler, the call does nothing.
 * errors:   as orr_eval before it runs.
 * threads:  safe from any thread. */
ORR_API orr_status orr_warmup_at(const char *file, int line, orr_tensor *t);
#define orr_warmup(...) orr_warmup_at(ORR_HERE, __VA_ARGS__)

/** An evaluation under way, freed by orr_wait. A checked name, not an address, like a tensor; so is orr_graph. */
typedef struct orr_event orr_event;
/** Submits an evaluation like orr_eval_all and returns before it ends. The caller must pass *event to orr_wait.
 * errors:   as orr_eval_all, as far as they are known at submission; then *event is NULL.
 * threads:  safe from any thread. */
ORR_API orr_status orr_eval_async_at(const char *file, int line, orr_tensor *const *t, int n, orr_event **event);
#define orr_eval_async(...) orr_eval_async_at(ORR_HERE, __VA_ARGS__)
/** Waits for the evaluation, frees the event, and returns the evaluation's status. After an error that was not known at submission, the
 * variables whose new values it would have computed have their old ones, as after orr_cancel.
 * errors:   that status; ORR_EINVAL (NULL), ORR_EHANDLE (a second time).
 * threads:  safe from any thread; of several callers one waits, the others get ORR_EHANDLE. */
ORR_API orr_status orr_wait_at(const char *file, int line, orr_event *event);
#define orr_wait(...) orr_wait_at(ORR_HERE, __VA_ARGS__)
/** orr_read without a wait: submits the evaluation of `t`, and orr_wait(event) copies the value to `buf`, which belongs to the call until
 * then. `t` may be freed at once.
 * errors:   as orr_read and orr_eval_async; then *event is NULL.
 * threads:  safe from any thread. */
ORR_API orr_status orr_read_async_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes,
                                     orr_event **event);
#define orr_read_async(...) orr_read_async_at(ORR_HERE, __VA_ARGS__)
/** Returns whether the evaluation has ended, or was waited for. Neither blocks nor frees.
 * threads:  safe from any thread. */
ORR_API bool orr_event_done(const orr_event *event);

/** Cancels the evaluation of an event, or a stretch of calls (orr_cancellable_begin), and returns at once. Tasks that have begun end, the
 * others do not run. Values that are not computed then give ORR_ECANCELLED to orr_wait and to every reader; orr_wait is still called.
 * An evaluation that has ended stays as it is. One that computes new values of variables leaves all of them as they were before their
 * assignments, or, if it ends before it is stopped, has assigned all. Old values therefore stay in memory until it has ended; new
 * ones that an earlier evaluation without an event was refused memory for are computed in any case. A tensor that
 * was recorded from such a new value, and is not computed yet, gives ORR_ECANCELLED with the line of the assignment: record it again.
 * A pending assignment of such a tensor does, too, in the next evaluation, and its variable keeps its old value.
 * With several ranks the variables have their old values from orr_wait on, at the same place in the program on each.
 * An evaluation over ranks ends on all of them, each of which gets ORR_ECANCELLED: one rank need cancel it. Its exchanges take place
 * all the same, so that no rank waits for another.
 * errors:   ORR_EINVAL (NULL), ORR_EHANDLE (the wait for it has ended).
 * threads:  safe from any thread, also while another one waits, and from the function of orr_progress_to. */
ORR_API orr_status orr_cancel_at(const char *file, int line, orr_event *event);
#define orr_cancel(...) orr_cancel_at(ORR_HERE, __VA_ARGS__)
/** Computes `t` like orr_eval, in `seconds` from now on at most, except that work that has begun then ends: within some 10 ms on a
 * processor, longer if it is one call of a library (a large product, a factorisation, a sort) or of a function of the program. The wait
 * for values that other evaluations compute ends, too. After ORR_ECANCELLED nothing has changed: `t` has no value, this thread's
 * assignments are pending, and a later evaluation computes all of it. Old values of variables stay in memory until it has ended.
 * Over ranks the first limit that passes counts for all, also for those that called orr_eval: each gets ORR_ECANCELLED.
 * @param seconds  0 or more; INFINITY: no limit
 * errors:   as orr_eval; ORR_ECANCELLED; ORR_EINVAL (the limit is negative or NaN).
 * threads:  safe from any thread. */
ORR_API orr_status orr_eval_for_at(const char *file, int line, orr_tensor *t, double seconds);
#define orr_eval_for(...) orr_eval_for_at(ORR_HERE, __VA_ARGS__)
/** Begins a stretch of this thread's calls that another thread can cancel by orr_cancel(event), and that a time limit ends: in between,
 * every call that evaluates (orr_eval, orr_read, orr_cg, …) is bounded as by orr_eval_for, and gives ORR_ECANCELLED once the stretch is
 * cancelled or `seconds` have passed. Stretches nest; the first that ends counts. Work submitted in a stretch without a wait stays bound
 * after its end. Pending work that the library submits by itself (orr_assign) is not bound.
 * @return   to be given to orr_cancellable_end of the same thread, not to orr_wait; NULL on ORR_EINVAL (the limit is negative or NaN),
 *           ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_event *orr_cancellable_begin_at(const char *file, int line, double seconds);
#define orr_cancellable_begin(...) orr_cancellable_begin_at(ORR_HERE, __VA_ARGS__)
/** Ends the innermost stretch of this thread, and frees the event.
 * errors:   ORR_EINVAL (NULL; the event of an evaluation; not this thread's innermost stretch), ORR_EHANDLE (a second time).
 * threads:  the one that began the stretch. */
ORR_API orr_status orr_cancellable_end_at(const char *file, int line, orr_event *event);
#define orr_cancellable_end(...) orr_cancellable_end_at(ORR_HERE, __VA_ARGS__)

/** Takes the progress of an evaluation: the tasks that are done, of those planned (on the calling thread: steps). It may cancel
 * (orr_cancel), and must not evaluate: ORR_ESTATE. */
typedef void orr_progress_fn(int64_t done, int64_t planned, void *user);
/** Reports the progress of evaluations to `fn`: by each thread that waits for one, ten times a second at most and one call at a time. An
 * evaluation of less than a tenth of a second is not reported; another one ends with done = planned unless it fails. NULL: no reports,
 * which is the default. When it returns, the former function is not called any more, unless a call of it has called this. Errors: none.
 * threads:  safe from any thread, also before orr_init. */
ORR_API void orr_progress_to(orr_progress_fn *fn, void *user);

/** Callback of orr_par_map for item i: records and returns a tensor, and evaluates nothing. item is items[i], NULL
 * without items. Calls come on the calling thread, in order. */
typedef orr_tensor *orr_map_fn(orr_tensor *item, int64_t i, void *user);
/** Computes results[i] = fn(items[i], i, user) for i = 0 … n − 1 as independent graphs, with all workers busy.
 * Items may differ in shape and cost; equal graphs share one plan. Random functions in fn draw in the order of the
 * items. If one item fails, the others are still computed. A poison from fn stays in results[i]; after a failed
 * evaluation, reading results[i] gives the error; NULL stays NULL.
 * @return   the error of the first failed item. results[i] are evaluated and owned by the current scope; other
 *           tensors that fn makes are freed.
 * errors:   ORR_EINVAL, ORR_ESTATE, and those of orr_eval.
 * threads:  safe from any thread; blocks. */
ORR_API orr_status orr_par_map_at(const char *file, int line, int64_t n, orr_map_fn *fn, orr_tensor *const *items,
                                  void *user, orr_tensor **results);
#define orr_par_map(...) orr_par_map_at(ORR_HERE, __VA_ARGS__)

/* -- explicit graphs: build once, submit often ------------------------------------------------------------- */

/** A planned function of placeholders, built once and submitted often. */
typedef struct orr_graph orr_graph;
/** A stand-in for a value that is given at submission.
 * @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. */
ORR_API orr_tensor *orr_placeholder_at(const char *file, int line, orr_dtype dtype, orr_shape shape);
#define orr_placeholder(...) orr_placeholder_at(ORR_HERE, __VA_ARGS__)
/** Plans `outputs` as a function of the placeholders `inputs`.
 * Other tensors that the outputs reach are captured: constants by value, variables by name, so that their values are read at
 * each submission. Random numbers are those of the recording in each submission; noise of differential privacy is refused
 * (ORR_EGRAPH). If any of them, or a value at submission, is distributed over ranks, all ranks build and submit the graph in
 * the same way; its results are distributed as those of orr_eval.
 * @return   to be freed with orr_graph_free; NULL on ORR_EGRAPH (a placeholder is missing in `inputs`; an input is
 *           no placeholder, or occurs twice), ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_graph *orr_graph_build_at(const char *file, int line, orr_tensor *const *inputs, int n_inputs,
                                      orr_tensor *const *outputs, int n_outputs);
#define orr_graph_build(...) orr_graph_build_at(ORR_HERE, __VA_ARGS__)
/** Runs the graph on `values`, one per input, of its shape and dtype. results[i], one per output, becomes a new tensor of the
 * current scope.
 * event NULL: waits for the results; else returns when the work is submitted. Values may be results of submissions under way,
 * which are not waited for: the work begins after theirs, and a failure is passed on. They may be freed at once.
 * errors:   as orr_eval; ORR_EINVAL (a list of another length; the message has both), ORR_ESHAPE, ORR_EDTYPE.
 * threads:  safe from any thread; several submissions may be under way. */
ORR_API orr_status orr_graph_submit_at(const char *file, int line, orr_graph *g, orr_tensor *const *values,
                                       int n_values, orr_tensor **results, int n_results, orr_event **event);
#define orr_graph_submit(...) orr_graph_submit_at(ORR_HERE, __VA_ARGS__)
/** Memory of the program, and its length. */
typedef struct orr_buffer {
    void *data;
    size_t bytes;
} orr_buffer;
/** One orr_buffer in place, and a list of them with its length: ORR_BUFFERS(ORR_BUFFER(y, sizeof y), ORR_BUFFER(z, sizeof z)). */
#define ORR_BUFFER(data, bytes) (ORR__VALUE(orr_buffer){ (data), (bytes) })
#define ORR_BUFFERS(...) ORR__ARRAY(orr_buffer, __VA_ARGS__)
/** orr_graph_submit whose results are computed in the program's memory, without a copy and without tensors: output i in to[i], row-major,
 * of exactly its bytes, aligned to the size of its element. An output that is an input or another output, or of a field (which orr_read
 * gives in another form), is copied at the end. The memory belongs to the call until it returns, with an event until orr_wait; after an
 * error its content is undefined.
 * errors:   as orr_graph_submit; ORR_EINVAL (memory of another length, NULL, not aligned, or that overlaps with another result or with a
 *           value that the graph reads); ORR_ESTATE (the graph is distributed over ranks).
 * threads:  as orr_graph_submit. */
ORR_API orr_status orr_graph_submit_into_at(const char *file, int line, orr_graph *g, orr_tensor *const *values,
                                            int n_values, const orr_buffer *to, int n_results, orr_event **event);
#define orr_graph_submit_into(...) orr_graph_submit_into_at(ORR_HERE, __VA_ARGS__)
/** Frees the graph. Submitted work continues. NULL is fine.
 * errors:   ORR_EHANDLE (a second time).
 * threads:  safe from any thread; submissions of other threads continue. */
ORR_API orr_status orr_graph_free(orr_graph *g);

/* -- gradients ------------------------------------------------------------------------------------------- */

/** grads[i] = d(sum of y)/d(x[i]) as new tensors, lazy and differentiable again. It is zeros for an array, a variable or a
 * constant that y does not use, behind orr_detach, and where the derivative is 0 (orr_floor, orr_round, orr_sign).
 * Reverse mode: Griewank & Walther, Evaluating Derivatives, ch. 3. Record the gradient before the evaluation: a tensor
 * that holds its value has lost its inputs, and a tensor that an evaluation computes for new values of variables may
 * hold its value from then on (docs/tuning.md). orr_detach marks such a tensor as a constant. Results
 * of orr_graph_submit and of functions that evaluate (orr_par_map, orr_cg, …) have no history either. orr_scalar
 * cannot be an x, since operations make constants of their own from it.
 * dtypes:   y and x are floats.
 * @return   on error the status, and every grads[i] is poison.
 * errors:   ORR_EDTYPE; ORR_EINVAL (an x is orr_scalar); ORR_EGRAPH (a gradient would flow into a tensor that has lost its inputs and
 *           may depend on an x, into a former value of an x that was assigned since, or into an operation without a derivative; or
 *           y does not depend on an x that was computed, as a part of what y used; or y depends on an x through whole numbers and truth
 *           values alone, such as orr_argmax, comparisons and casts). The message has the line of that tensor. */
ORR_API orr_status orr_grad_at(const char *file, int line, orr_tensor *y, orr_tensor *const *x, int n,
                               orr_tensor **grads);
#define orr_grad(...) orr_grad_at(ORR_HERE, __VA_ARGS__)
/** grads[i] as of orr_grad, where y may be any function of x[0 … n): zeros for every x that it does not use, or through whole numbers and
 * truth values alone, which are constant piece by piece. */
ORR_API orr_status orr_grad_or_zeros_at(const char *file, int line, orr_tensor *y, orr_tensor *const *x, int n,
                                        orr_tensor **grads);
#define orr_grad_or_zeros(...) orr_grad_or_zeros_at(ORR_HERE, __VA_ARGS__)
/** grads[i] = seed · dy/d(x[i]), with the cotangent `seed` of y's shape and dtype. Otherwise as orr_grad. */
ORR_API orr_status orr_vjp_at(const char *file, int line, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n,
                              orr_tensor **grads);
#define orr_vjp(...) orr_vjp_at(ORR_HERE, __VA_ARGS__)
/** The value of t, through which no gradient flows.
 * @return   owned by the current scope. */
ORR_API orr_tensor *orr_detach_at(const char *file, int line, orr_tensor *t);
#define orr_detach(...) orr_detach_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
