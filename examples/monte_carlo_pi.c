/* Pi by a billion random points: the share of a square's points inside the circle. Points are drawn where they are
 * counted, so that memory stays constant. A point depends only on its seed and number, so that the count does not
 * depend on the number of workers.
 * Must not know: how points are drawn. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <orrery.h>

enum { BATCH = 1 << 26 }; /* points of one evaluation, which never form an array */

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The number of points inside the circle, out of n; −1 on an error. */
static int64_t inside(int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_number hits = { ORR_I64, 0, -1, 0 };
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(n), -1, 1), *y = orr_rand(ORR_F32, ORR_SHAPE(n), -1, 1);
    orr_tensor *in = orr_less_equal(orr_add(orr_square(x), orr_square(y)), orr_scalar(1));
    (void)orr_item_number(orr_sum(in, ORR_ALL_AXES, false), &hits);
    (void)orr_scope_end(s);
    return hits.i;
}

int main(int argc, char **argv)
{
    int64_t points = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000000, hits = 0;
    if (points < 1) {
        (void)fprintf(stderr, "usage: %s [points]\n", argv[0]);
        return 2;
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(20261123);
    double begin = seconds();
    for (int64_t done = 0; done < points;) {
        int64_t n = points - done < BATCH ? points - done : BATCH, more = inside(n);
        if (more < 0)
            return orr_error_print(stderr);
        hits += more;
        done += n;
    }
    double pi = 4 * (double)hits / (double)points, spread = 4 * sqrt(0.7853981634 * 0.2146018366 / (double)points);
    printf("%" PRId64 " of %" PRId64 " points in the circle: pi = %.6f, %.1f standard deviations off\n", hits, points,
           pi, fabs(pi - 3.14159265358979) / spread);
    printf("%.2f s, %.0f million points a second, %.0f KiB of tensors at most\n", seconds() - begin,
           (double)points * 1e-6 / (seconds() - begin), (double)orr_memory_stats().peak / 1024);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
