/* Training that resumes where it was stopped: run it, end it with Ctrl-C, kill -TERM or kill -9, and run it again.
 *
 *     ./resume_training [STEPS [PATH]]       PATH.0.npz and PATH.1.npz hold the state; 20000 steps, ./resume
 *
 * examples/slurm/requeue.sbatch runs it as a job that requeues itself. Exit status: 0 done, 75 stopped by a signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <orrery.h>

enum { WIDTH = 64, BATCH = 128, STOPPED = 75 };

/* One step towards y = sin(sum of x). Returns the loss before the step. */
static double train_step(orr_module *m, orr_optim *o)
{
    double loss = -1.0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(BATCH, WIDTH), -1.0, 1.0);
    orr_tensor *y = orr_sin(orr_sum(x, ORR_AXES(1), true));
    orr_tensor *e = orr_sub(orr_forward(m, x), y), *l = orr_mean(orr_mul(e, e), ORR_ALL_AXES, false);
    if (orr_optim_step(o, l) != ORR_OK || orr_item(l, &loss) != ORR_OK)
        loss = -1.0;
    (void)orr_scope_end(s);
    return loss;
}

static int run(int64_t steps, const char *path)
{
    int64_t step = 0;
    bool found;
    orr_module *m = orr_sequential(ORR_MODULES(orr_dense(WIDTH, 128, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                               orr_dense(128, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_ADAM, m, NULL);
    orr_checkpoint *c = orr_checkpoint_new(path);
    if (!m || !o || !c || orr_checkpoint_add_module(c, "network", m) != ORR_OK ||
        orr_checkpoint_add_optim(c, "adam", o) != ORR_OK ||
        orr_checkpoint_add_bytes(c, "step", &step, sizeof step) != ORR_OK || orr_checkpoint_load(c, &found) != ORR_OK)
        return orr_error_print(stderr);
    printf("%s at step %lld\n", found ? "going on" : "beginning", (long long)step);
    double loss = 0.0;
    while (step < steps && !orr_checkpoint_stopping()) {
        if ((loss = train_step(m, o)) < 0.0)
            return orr_error_print(stderr);
        step++;
        if (isatty(STDERR_FILENO) && step % 100 == 0)
            (void)fprintf(stderr, "\rstep %lld of %lld, loss %.4f ", (long long)step, (long long)steps, loss);
        if (orr_checkpoint_due(c, 10.0) && orr_checkpoint_save(c) != ORR_OK)
            return orr_error_print(stderr);
    }
    if (orr_checkpoint_save(c) != ORR_OK)
        return orr_error_print(stderr);
    printf("%s at step %lld, loss %.6f, generation %lld\n", step < steps ? "stopped" : "done", (long long)step, loss,
           (long long)orr_checkpoint_generation(c));
    orr_checkpoint_free(c);
    orr_optim_free(o);
    orr_module_free(m);
    return step < steps ? STOPPED : 0;
}

int main(int argc, char **argv)
{
    /* Before orr_init, which takes a while: the signal may arrive at once. */
    if (orr_checkpoint_catch(SIGTERM) != ORR_OK || orr_checkpoint_catch(SIGINT) != ORR_OK || orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    int rc = run(argc > 1 ? strtoll(argv[1], NULL, 10) : 20000, argc > 2 ? argv[2] : "resume");
    return orr_shutdown() == ORR_OK ? rc : 1;
}
