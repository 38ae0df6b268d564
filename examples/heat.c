/* The heat equation on a square plate: steps by slices and orr_pad, several in one evaluation, beside a plain loop; a picture.
 * Must not know: anything but the public headers, and the writer of SVG text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "svg.h"

enum { N = 256, CELL = 4, SIDE = N / CELL /* of the picture, in cells */ };
static const double RATE = 0.2;

/* u + RATE · (the four neighbours' sum − 4 u); the border of the plate stays 0. */
static orr_tensor *step(orr_tensor *u)
{
    orr_tensor *p = orr_pad(u, ORR_INDEX(1, 1), ORR_INDEX(1, 1), 0.0), *sum = NULL;
    static const int at[4][2] = { { 0, 1 }, { 2, 1 }, { 1, 0 }, { 1, 2 } };
    for (int i = 0; i < 4; i++) {
        orr_tensor *x =
            orr_slice(p, ORR_INDEX(at[i][0], at[i][1]), ORR_INDEX(at[i][0] + N, at[i][1] + N), ORR_NO_INDEX);
        sum = sum ? orr_add(sum, x) : x;
    }
    orr_tensor *change = orr_sub(sum, orr_mul(u, orr_scalar(4.0)));
    return orr_add(u, orr_mul(change, orr_scalar(RATE)));
}

/* The same step by hand, in double precision. */
static void step_by_hand(const double *u, double *to)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double up = i ? u[(i - 1) * N + j] : 0.0, down = i + 1 < N ? u[(i + 1) * N + j] : 0.0;
            double left = j ? u[i * N + j - 1] : 0.0, right = j + 1 < N ? u[i * N + j + 1] : 0.0, x = u[i * N + j];
            to[i * N + j] = x + RATE * (up + down + left + right - 4.0 * x);
        }
}

/* The initial state: two hot bars and a warm disc. */
static double start(int i, int j)
{
    bool bar = abs(i - 60) < 6 || abs(j - 170) < 9;
    return bar ? 1.0 : hypot(i - 170, j - 80) < 40 ? 0.7 : 0.0;
}

/* Draws the field as coloured cells, each the mean of CELL² elements: cold is blue, hot is yellow. */
static int draw(const char *path, orr_tensor *u)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *cells = orr_mean(orr_reshape(u, ORR_SHAPE(SIDE, CELL, SIDE, CELL)), ORR_AXES(1, 3), false);
    const float *x = orr_data(cells);
    FILE *f = x ? fopen(path, "we") : NULL;
    int rc = f ? 0 : 1;
    if (rc)
        perror(path);
    else {
        svg_begin(f, 8 * SIDE, 8 * SIDE, "", "");
        for (int i = 0; i < SIDE * SIDE; i++) {
            double heat = fmin(1.0, fmax(0.0, (double)x[i]));
            char colour[8];
            (void)snprintf(colour, sizeof colour, "#%02x%02x%02x", (int)(255 * sqrt(heat)) & 255,
                           (int)(220 * heat * heat) & 255, (int)(160 * (1 - heat)) & 255);
            svg_bar(f, 8.0 * (i % SIDE), 8.0 * (double)(i / SIDE), 8, 8, colour);
        }
        svg_end(f);
        rc = fclose(f) != 0;
    }
    (void)orr_scope_end(s);
    return rc;
}

/* Replaces *u by its state after `steps` steps, `at_once` of them in each evaluation. */
static int run(orr_tensor **u, int steps, int at_once)
{
    for (int done = 0; done < steps; done += at_once) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *next = *u;
        for (int i = 0; i < at_once && done + i < steps; i++)
            next = step(next);
        if (orr_eval(next) != ORR_OK)
            return orr_error_print(stderr);
        (void)orr_keep(next);
        (void)orr_scope_end(s);
        (void)orr_free(*u);
        *u = next;
    }
    return 0;
}

static double difference(orr_tensor *u, const float *first, int steps)
{
    double *a = malloc(sizeof *a * N * N), *b = malloc(sizeof *b * N * N), worst = a && b ? 0.0 : INFINITY;
    const float *x = orr_data(u);
    for (int i = 0; a && b && i < N * N; i++)
        a[i] = (double)first[i];
    for (int i = 0; a && b && i < steps; i++) {
        step_by_hand(a, b);
        memcpy(a, b, sizeof *a * N * N);
    }
    for (int i = 0; a && b && i < N * N; i++)
        worst = x ? fmax(worst, fabs(a[i] - (double)x[i])) : INFINITY;
    free(a);
    free(b);
    return worst;
}

static int whole(const char *text, int otherwise)
{
    char *end;
    long n = text ? strtol(text, &end, 10) : otherwise;
    return text && (*end || n < 1 || n > 1000000) ? -1 : (int)n;
}

int main(int argc, char **argv)
{
    int steps = whole(argc > 1 ? argv[1] : NULL, 200), at_once = whole(argc > 2 ? argv[2] : NULL, 10);
    const char *picture = argc > 3 ? argv[3] : NULL;
    if (steps < 0 || at_once < 0 || argc > 4) {
        (void)fprintf(stderr, "usage: heat [STEPS [STEPS-IN-AN-EVALUATION [PICTURE.svg]]]\n");
        return 2;
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    static float first[N * N];
    for (int i = 0; i < N * N; i++)
        first[i] = (float)start(i / N, i % N);
    orr_scope *s = orr_scope_begin();
    orr_tensor *u = orr_keep(orr_from(ORR_F32, ORR_SHAPE(N, N), first));
    int rc = run(&u, steps, at_once);
    double worst = rc ? INFINITY : difference(u, first, steps);
    printf("%d steps on %d × %d, %d in an evaluation\n", steps, N, N, at_once);
    printf("largest difference to the loop: %.2e: %s\n", worst, worst < 1e-4 ? "right" : "WRONG");
    if (rc == 0 && picture)
        rc = draw(picture, u);
    (void)orr_free(u);
    (void)orr_scope_end(s);
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    return rc || !(worst < 1e-4);
}
