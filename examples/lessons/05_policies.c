/* Lesson 5: one program, measured under other policies and settings that the environment chooses.
 * Must not know: anything but the public headers. */
#include <stdlib.h>
#include <time.h>
#include <orrery.h>

enum { SIZE = 512, PARTS = 8, ROUNDS = 5 };

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Independent products, so that a policy has a choice. Returns the sum of all elements. */
static double work(void)
{
    double sum = -1;
    orr_scope *s = orr_scope_begin();
    orr_tensor *total = orr_scalar(0);
    for (int i = 0; i < PARTS; i++) {
        orr_tensor *a = orr_full(ORR_F32, ORR_SHAPE(SIZE, SIZE), i);
        orr_tensor *b = orr_eye(ORR_F32, SIZE, SIZE, 0);
        total = orr_add(total, orr_sum(orr_matmul(a, b), ORR_ALL_AXES, false));
    }
    (void)orr_item(total, &sum);
    (void)orr_scope_end(s);
    return sum;
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    double least = 1e9, sum = work(); /* the first round plans and compiles */
    for (int i = 0; i < ROUNDS; i++) {
        double begin = now();
        sum = work();
        double seconds = now() - begin;
        least = seconds < least ? seconds : least;
    }
    const char *policy = getenv("STARPU_SCHED");
    printf("policy %s: sum %.0f, least time %.1f ms\n", policy ? policy : "(default)", sum, 1e3 * least);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
