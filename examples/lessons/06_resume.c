/* Lesson 6: a run that is killed at any moment goes on from its last checkpoint.
 *
 *     ./06_resume [STEP]     a process that dies by SIGKILL before that step
 *
 * Must not know: anything but the public headers. */
#include <signal.h>
#include <stdlib.h>
#include <orrery.h>

enum { STEPS = 60, EVERY = 20 };

/* One step of Newton's method for the square roots of 1 … 4, damped so that it takes its time. */
static orr_status one_step(orr_tensor *x, orr_tensor *a)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *newton = orr_mul(orr_scalar(0.5), orr_add(x, orr_div(a, x)));
    orr_status st = orr_assign(x, orr_add(orr_mul(x, orr_scalar(0.9)), orr_mul(newton, orr_scalar(0.1))));
    st = st == ORR_OK ? orr_eval(x) : st;
    (void)orr_scope_end(s);
    return st;
}

int main(int argc, char **argv)
{
    int64_t step = 0, dies = argc > 1 ? strtoll(argv[1], NULL, 10) : -1;
    bool found;
    if (orr_checkpoint_catch(SIGTERM) != ORR_OK || orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_arange(ORR_F64, 1, 5, 1), *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(4), 3));
    orr_checkpoint *c = orr_checkpoint_new("roots"); /* roots.0.npz and roots.1.npz, in turn */
    if (!c || orr_checkpoint_add_variable(c, "x", x) != ORR_OK ||
        orr_checkpoint_add_bytes(c, "step", &step, sizeof step) != ORR_OK || orr_checkpoint_load(c, &found) != ORR_OK)
        return orr_error_print(stderr);
    printf("%s at step %lld\n", found ? "going on" : "beginning", (long long)step);
    (void)fflush(stdout);
    for (; step < STEPS && !orr_checkpoint_stopping();) {
        if (step == dies)
            (void)raise(SIGKILL);
        if (one_step(x, a) != ORR_OK)
            return orr_error_print(stderr);
        step++;
        if (step % EVERY == 0 && orr_checkpoint_save(c) != ORR_OK) /* orr_checkpoint_due(c, 60) goes by the clock */
            return orr_error_print(stderr);
    }
    double root[4];
    if (orr_checkpoint_save(c) != ORR_OK || orr_read(x, root, sizeof root) != ORR_OK)
        return orr_error_print(stderr);
    printf("step %lld: %.6f %.6f %.6f %.6f\n", (long long)step, root[0], root[1], root[2], root[3]);
    orr_checkpoint_free(c);
    (void)orr_scope_end(s);
    int rc = step < STEPS ? 75 : 0; /* 75: stopped by SIGTERM, to be queued again */
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
