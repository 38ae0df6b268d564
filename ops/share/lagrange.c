/* Interpolation modulo 2^61 − 1, in barycentric form.
 * Must not know: shares. */
#include "config.h"
#include "ops/share/p61.h"
#include "ops/share/share.h"

/* x[i] = 1/x[i], by one inversion (Montgomery). No x[i] is 0. The products are in room. */
static void invert_all(uint64_t *x, uint64_t *room, int n)
{
    uint64_t run = 1;
    for (int i = 0; i < n; i++) {
        room[i] = run;
        run = orr__p61_mul(run, x[i]);
    }
    run = orr__p61_inverse(run);
    for (int i = n - 1; i >= 0; i--) {
        uint64_t inverse = orr__p61_mul(run, room[i]);
        run = orr__p61_mul(run, x[i]);
        x[i] = inverse;
    }
}

void orr__lagrange_prepare(const uint64_t *points, int n, uint64_t *bary)
{
    for (int i = 0; i < n; i++) {
        uint64_t product = 1;
        for (int j = 0; j < n; j++)
            if (j != i)
                product = orr__p61_mul(product, orr__p61_sub(points[i], points[j]));
        bary[i] = orr__p61_inverse(product);
    }
}

void orr__lagrange_at(const uint64_t *points, const uint64_t *bary, int n, uint64_t x, uint64_t *weight)
{
    enum { SOME = 256 };
    uint64_t away[SOME], room[SOME], all = 1;
    for (int i = 0; i < n; i++) {
        if (points[i] == x) {
            for (int j = 0; j < n; j++)
                weight[j] = j == i;
            return;
        }
        all = orr__p61_mul(all, orr__p61_sub(x, points[i]));
    }
    for (int from = 0; from < n; from += SOME) {
        int most = n - from < SOME ? n - from : SOME;
        for (int i = 0; i < most; i++)
            away[i] = orr__p61_sub(x, points[from + i]);
        invert_all(away, room, most);
        for (int i = 0; i < most; i++)
            weight[from + i] = orr__p61_mul(all, orr__p61_mul(bary[from + i], away[i]));
    }
}
