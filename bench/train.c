/* Case train: whole training steps beside their matrix products alone and beside peers, in interleaved rounds.
 * Must not know: how a side computes. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/train.h"

#define TURN_SECONDS 0.3

typedef struct {
    const train_case *c;
    float *block, *x, *act[TRAIN_LAYERS + 1], *grad[TRAIN_LAYERS + 1], *w[TRAIN_LAYERS], *dw[TRAIN_LAYERS];
} products;

/* Allocates the arrays in one block, with small values. */
static int products_new(products *p, const train_case *c)
{
    size_t total = 0;
    p->c = c;
    for (int pass = 0; pass < 2; pass++) {
        float *at = p->block;
        for (int i = 0; i <= c->layers; i++) {
            size_t rows = (size_t)(c->batch * c->width[i]),
                   w = i < c->layers ? (size_t)(c->width[i] * c->width[i + 1]) : 0;
            if (!pass) {
                total += 2 * rows + 2 * w;
                continue;
            }
            p->act[i] = at;
            p->grad[i] = at + rows;
            if (w) {
                p->w[i] = at + 2 * rows;
                p->dw[i] = at + 2 * rows + w;
            }
            at += 2 * rows + 2 * w;
        }
        if (!pass && !(p->block = malloc(total * sizeof *p->block)))
            return 1;
        if (!pass)
            fusion_fill(p->block, (int64_t)total, 0, -0.01f, 0.01f);
    }
    return 0;
}

/* The step's products: one per layer forward; backward, one per layer for the weights and one for the activations,
 * except in the first layer, which needs none. */
static double products_once(void *user)
{
    products *p = user;
    const train_case *c = p->c;
    double begin = bench_now();
    for (int i = 0; i < c->layers; i++)
        peer_blas_gemm(false, false, c->batch, c->width[i + 1], c->width[i], p->act[i], p->w[i], p->act[i + 1]);
    for (int i = c->layers - 1; i >= 0; i--) {
        peer_blas_gemm(true, false, c->width[i], c->width[i + 1], c->batch, p->act[i], p->grad[i + 1], p->dw[i]);
        if (i > 0)
            peer_blas_gemm(false, true, c->batch, c->width[i], c->width[i + 1], p->grad[i + 1], p->w[i], p->grad[i]);
    }
    return bench_now() - begin;
}

static bool prepare(fusion_child *side, const train_case *c, double *losses)
{
    char line[96], answer[256];
    (void)snprintf(line, sizeof line, "prepare train:%s float32 %d\n", c->name, TRAIN_STEPS);
    if (fusion_child_ask(side, line, answer, sizeof answer) != 0) {
        (void)fprintf(stderr, "orrery-bench: %s: ended unasked in %s\n", side->name, c->name);
        return false;
    }
    if (sscanf(answer, "ok %lf", losses) == 1)
        return true;
    (void)fprintf(stderr, "orrery-bench: %s: %s left out: %s\n", side->name, c->name,
                  strncmp(answer, "no ", 3) == 0 ? answer + 3 : answer);
    return false;
}

static double time_of(fusion_child *side)
{
    char line[32], answer[256];
    (void)snprintf(line, sizeof line, "run %g\n", TURN_SECONDS);
    return fusion_child_ask(side, line, answer, sizeof answer) == 0 ? strtod(answer, NULL) : -1.0;
}

enum { MOST = BENCH_MOST_PEERS + 1 };
static char names[MOST][48]; /* records point to them */

static int add(bench_sink *out, const train_case *c, int rounds, double *const *t, const bool *there, int sides,
               double *direct)
{
    bench_record r = { .name = "train",
                       .metric = "time",
                       .unit = "ms",
                       .value = 1e3 * bench_typical(t[0], rounds),
                       .reference = "the step's GEMMs, direct BLAS, all cores",
                       .reference_value = 1e3 * bench_typical(direct, rounds) };
    (void)snprintf(r.params, sizeof r.params, "\"network\": \"%s\", \"batch\": %d", c->name, c->batch);
    r.ratio = bench_ratio(&r, false);
    for (int i = 1, k = 0; i < sides; i++)
        if (there[i] && k < BENCH_PEERS) {
            r.peer[k].name = names[i];
            r.peer[k++].value = 1e3 * bench_typical(t[i], rounds);
        }
    return bench_add(out, &r);
}

/* All sides start from the same values and read the same batches, so their losses must agree. */
static int measure(bench_sink *out, const train_case *c, fusion_child *side, int sides, int rounds)
{
    products p = { 0 };
    double *t[MOST + 1] = { NULL }, ours = 0.0;
    bool there[MOST] = { false };
    int rc = products_new(&p, c);
    for (int i = 0; i <= sides; i++)
        rc |= !(t[i] = calloc((size_t)rounds, sizeof(double)));
    for (int i = 0; i < sides && rc == 0; i++) {
        double losses = 0.0;
        there[i] = prepare(&side[i], c, i ? &losses : &ours);
        if (i && there[i] && !(fabs(losses - ours) <= c->tolerance)) {
            (void)fprintf(stderr, "orrery-bench: %s: %s: mean loss %.6f, ours %.6f\n", side[i].name, c->name, losses,
                          ours);
            there[i] = false;
        }
        rc = i == 0 && !there[0];
    }
    for (int r = 0; r < rounds && rc == 0; r++) {
        for (int i = 0; i < sides; i++)
            if (there[i] && (t[i][r] = time_of(&side[i])) < 0.0)
                there[i] = false;
        peer_blas_threads(bench_cores());
        t[sides][r] = fusion_time(products_once, &p, TURN_SECONDS);
        bench_settle();
        rc = !there[0];
    }
    if (rc == 0)
        rc = add(out, c, rounds, t, there, sides, t[sides]);
    for (int i = 0; i <= sides; i++)
        free(t[i]);
    free(p.block);
    return rc;
}

int bench_train(bench_sink *out, int rounds)
{
    fusion_child side[MOST];
    int sides = 0, rc = 0, did = 0;
    if (fusion_start_ours(&side[0], bench_cores(), true) != 0)
        return 1;
    sides = 1;
    for (int i = 0; i < bench_opt.npeer; i++)
        if (fusion_start_peer(&side[sides], bench_opt.peer[i], NULL, bench_cores(), true) == 0)
            sides++;
    for (int i = 0; i < sides; i++)
        memcpy(names[i], side[i].name, sizeof names[i]);
    for (const train_case *c = train_cases; c->name; c++)
        if (!bench_opt.filter || !strcmp(bench_opt.filter, c->name)) {
            did++;
            rc |= measure(out, c, side, sides, rounds);
        }
    for (int i = 0; i < sides; i++)
        fusion_child_end(&side[i]);
    if (!did)
        (void)fprintf(stderr, "orrery-bench: train has no case '%s'; mnist5, mlp and small are there\n",
                      bench_opt.filter);
    return rc | !did;
}
