/* A step of training as loops in double precision: two layers, their mean squared error, its gradients.
 * Must not know: tensors. */
#ifndef ORR_TESTS_USUAL_STEP_H
#define ORR_TESTS_USUAL_STEP_H

#include <string.h>

enum { ROWS = 64, IN = 512, WIDE = 512, OUT = 7, W1 = IN * WIDE, W2 = WIDE * OUT };
#define RATE 0.1

/* pred = relu(x·w + b)·u, loss = mean((pred − y)²); the operands of a step, in doubles */
typedef struct {
    double w[W1], b[WIDE], u[W2];
    double z[ROWS * WIDE], pred[ROWS * OUT], loss;
    double gw[W1], gb[WIDE], gu[W2];
} reference;
static reference ref;
static float hx[ROWS * IN], hy[ROWS * OUT];

static double relu(double v)
{
    return v > 0 ? v : 0;
}

/* Computes everything except the new weights. */
static void reference_pass(reference *r)
{
    static double d[ROWS * OUT];
    memset(r->gw, 0, sizeof r->gw);
    memset(r->gb, 0, sizeof r->gb);
    memset(r->gu, 0, sizeof r->gu);
    r->loss = 0;
    for (int n = 0; n < ROWS; n++) {
        double *z = &r->z[n * WIDE];
        memcpy(z, r->b, sizeof r->b);
        for (int i = 0; i < IN; i++)
            for (int k = 0; k < WIDE; k++)
                z[k] += hx[n * IN + i] * r->w[i * WIDE + k];
        for (int o = 0; o < OUT; o++) {
            double p = 0;
            for (int k = 0; k < WIDE; k++)
                p += relu(z[k]) * r->u[k * OUT + o];
            r->pred[n * OUT + o] = p;
            d[n * OUT + o] = 2.0 / (ROWS * OUT) * (p - hy[n * OUT + o]);
            r->loss += (p - hy[n * OUT + o]) * (p - hy[n * OUT + o]) / (ROWS * OUT);
        }
        for (int k = 0; k < WIDE; k++) {
            double dz = 0;
            for (int o = 0; o < OUT; o++) {
                r->gu[k * OUT + o] += relu(z[k]) * d[n * OUT + o];
                dz += d[n * OUT + o] * r->u[k * OUT + o];
            }
            dz = z[k] > 0 ? dz : 0;
            r->gb[k] += dz;
            for (int i = 0; i < IN; i++)
                r->gw[i * WIDE + k] += hx[n * IN + i] * dz;
        }
    }
}

static void reference_step(reference *r)
{
    for (int i = 0; i < W1; i++)
        r->w[i] -= RATE * r->gw[i];
    for (int i = 0; i < WIDE; i++)
        r->b[i] -= RATE * r->gb[i];
    for (int i = 0; i < W2; i++)
        r->u[i] -= RATE * r->gu[i];
}

#endif
