/* As many steps of a power iteration as fit into a time limit, or until Ctrl-C: a stretch of calls that a thread can cancel.
 * cc time_limit.c $(pkg-config --cflags --libs orrery) -lpthread -lm
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 20 /* of one evaluation */ };

static sem_t pressed;

/* A handler of signals may call little; the thread that it wakes may call all. */
static void on_signal(int number)
{
    (void)number;
    (void)sem_post(&pressed);
}

static void *watch(void *event)
{
    if (sem_wait(&pressed) == 0)
        (void)orr_cancel(event);
    return NULL;
}

/* x after some steps of x ← A x / |A x|. */
static orr_tensor *steps(orr_tensor *a, orr_tensor *x)
{
    for (int i = 0; i < STEPS; i++) {
        x = orr_matmul(a, x);
        x = orr_div(x, orr_sqrt(orr_sum(orr_square(x), ORR_ALL_AXES, true)));
    }
    return x;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.5, eigenvalue = 0;
    pthread_t watcher;
    int done = 0;

    if (sem_init(&pressed, 0, 0) != 0 || orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *r = orr_randn(ORR_F64, ORR_SHAPE(N, N), 0, 1 / sqrt(N)), *a = orr_matmul(orr_transpose(r), r);
    orr_tensor *x = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(N, 1)));
    if (orr_eval_all(ORR_TENSORS(a, x)) != ORR_OK)
        return orr_error_print(stderr);

    orr_event *stretch = orr_cancellable_begin(seconds); /* every call below is bound */
    if (!stretch || pthread_create(&watcher, NULL, watch, stretch) != 0 || signal(SIGINT, on_signal) == SIG_ERR)
        return orr_error_print(stderr);
    orr_status st = ORR_OK;
    while (st == ORR_OK) {
        orr_scope *step = orr_scope_begin();
        st = orr_assign(x, steps(a, x));
        if (st == ORR_OK && (st = orr_eval(x)) == ORR_OK)
            done += STEPS;
        (void)orr_scope_end(step);
    }
    if (st != ORR_ECANCELLED) /* the expected end */
        return orr_error_print(stderr);
    (void)orr_error_print(stdout);
    (void)sem_post(&pressed); /* if the limit was first, the watcher still waits */
    (void)pthread_join(watcher, NULL);
    if (orr_cancellable_end(stretch) != ORR_OK)
        return orr_error_print(stderr);

    /* The assignment that was cancelled is pending: this evaluation computes it. */
    if (orr_item(orr_sqrt(orr_sum(orr_square(orr_matmul(a, x)), ORR_ALL_AXES, false)), &eigenvalue) != ORR_OK)
        return orr_error_print(stderr);
    printf("after %d steps and the %d that were cancelled the largest eigenvalue is %.6f\n", done, STEPS, eigenvalue);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
