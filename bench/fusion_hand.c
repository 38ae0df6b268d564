/* The C loops and the triad on all threads: their data, their shares, the final step of their reductions.
 * Must not know: Orrery, other processes. */
#include "config.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "bench/fusion.h"

enum { THREADS = 256 };
#define ALONE ((int64_t)1 << 16) /* below this number of elements one thread is faster than waking a second */

struct fusion_hand {
    fusion_work w;
    int threads;
    int64_t rows; /* cut into shares: rows or elements             */
    void *in[4], *out[2];
    float *triad[3];
    int64_t ntriad;
    double *partial; /* threads · 2 · HAND_COLS                        */
    double column[2 * HAND_COLS];
    double step, sum;
};

typedef struct part {
    fusion_hand *h;
    hand_loop *loop; /* NULL: the triad */
    hand_args args;
    int64_t lo, hi;
} part;

static const size_t size_of[HAND_DTYPES] = { 4, 8, 2 };

static void *aligned(size_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, bytes < ((size_t)1 << 21) ? 64 : (size_t)1 << 21, bytes ? bytes : 1) == 0 ? p : NULL;
}

static uint16_t half(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

static double value(const void *p, int dtype, int64_t i)
{
    if (dtype == HAND_F32)
        return (double)((const float *)p)[i];
    if (dtype == HAND_F64)
        return ((const double *)p)[i];
    uint32_t u = (uint32_t)((const uint16_t *)p)[i] << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return (double)f;
}

/* Converts x to an array of the dtype; frees x. */
static void *converted(float *x, int dtype, int64_t n)
{
    if (!x || dtype == HAND_F32)
        return x;
    void *p = aligned((size_t)n * size_of[dtype]);
    for (int64_t i = 0; p && i < n; i++) {
        if (dtype == HAND_F64)
            ((double *)p)[i] = (double)x[i];
        else
            ((uint16_t *)p)[i] = half(x[i]);
    }
    free(x);
    return p;
}

static void *filled(const fusion_work *w, int which, int64_t n, float lo, float hi)
{
    float *x = aligned((size_t)n * sizeof *x);
    if (x)
        fusion_fill(x, n, which, lo, hi);
    return converted(x, w->dtype, n);
}

static bool has_rows(hand_id id)
{
    return id == HAND_SOFTMAX || id == HAND_LAYER_NORM || id == HAND_DROPOUT_NORM || id == HAND_EMBEDDING ||
           id == HAND_COLUMNS;
}

static int32_t *row_numbers(int64_t n)
{
    int32_t *number = malloc((size_t)n * sizeof *number);
    for (int64_t r = 0; number && r < n; r++)
        number[r] = hand_row_of(r, n);
    return number;
}

/* Makes the arrays of the loops, in the order of hand_rows.h. */
static int loop_arrays(fusion_hand *h)
{
    const fusion_work *w = &h->w;
    const fusion_case *c = w->c;
    bool norm = c->id == HAND_LAYER_NORM || c->id == HAND_DROPOUT_NORM || c->id == HAND_EMBEDDING;
    int rc = 0;
    for (int i = 0; i < c->nin; i++) {
        int slot = norm && i == 1 ? 3 : i;
        h->in[slot] = filled(w, i, w->n, c->lo[i], c->hi[i]);
        rc |= !h->in[slot];
    }
    if (norm) {
        h->in[1] = filled(w, 0, HAND_COLS, (float)HAND_A, (float)HAND_A);
        h->in[2] = filled(w, 0, HAND_COLS, (float)HAND_B, (float)HAND_B);
        rc |= !h->in[1] || !h->in[2];
    }
    if (c->id == HAND_EMBEDDING)
        rc |= !(h->in[3] = row_numbers(w->n / HAND_COLS));
    for (int i = 2; c->id == HAND_ADAM && i < 4; i++) {
        h->in[i] = filled(w, 0, w->n, 0.0f, 0.0f);
        rc |= !h->in[i];
    }
    int outs = c->mask ? 1 : c->id == HAND_ADAM ? 0 : (int)c->write;
    for (int i = 0; i < outs; i++) {
        size_t bytes = (size_t)w->n * (c->mask ? 1 : size_of[w->dtype]);
        h->out[i] = aligned(bytes);
        rc |= !h->out[i];
        if (h->out[i])
            memset(h->out[i], 0, bytes);
    }
    return rc;
}

fusion_hand *fusion_hand_new(const fusion_work *w, int threads)
{
    fusion_hand *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->w = *w;
    h->threads = w->n < ALONE ? 1 : threads < THREADS ? threads : THREADS;
    h->rows = has_rows(w->c->id) ? w->n / HAND_COLS : w->n;
    /* Large cases: arrays far larger than every cache, the time scaled. Small ones: exactly the bytes of the case. */
    h->ntriad = w->n < ALONE ? (int64_t)(fusion_bytes(w) / 12.0) : FUSION_LARGE;
    int rc = loop_arrays(h);
    for (int i = 0; i < 3; i++) {
        h->triad[i] = aligned((size_t)h->ntriad * sizeof(float));
        if (h->triad[i])
            fusion_fill(h->triad[i], h->ntriad, i, 0.0f, 1.0f);
        rc |= !h->triad[i];
    }
    h->partial = calloc((size_t)h->threads * 2 * HAND_COLS, sizeof *h->partial);
    if (rc == 0 && h->partial)
        return h;
    fusion_hand_free(h);
    return NULL;
}

void fusion_hand_free(fusion_hand *h)
{
    if (!h)
        return;
    for (int i = 0; i < 4; i++)
        free(h->in[i]);
    for (int i = 0; i < 3; i++)
        free(h->triad[i]);
    free(h->out[0]);
    free(h->out[1]);
    free(h->partial);
    free(h);
}

/* -- parts ----------------------------------------------------------------------------------------------- */

static void *run_part(void *user)
{
    part *p = user;
    fusion_hand *h = p->h;
    if (p->loop)
        p->loop(&p->args, p->lo, p->hi);
    else
        hand_triad_plain(h->triad[0], h->triad[1], h->triad[2], p->lo, p->hi);
    return NULL;
}

static int run_parts(fusion_hand *h, hand_loop *loop, int64_t rows)
{
    part p[THREADS];
    pthread_t thread[THREADS];
    int n = h->threads, started = 0, rc = 0;
    for (int i = 0; i < n; i++) {
        p[i] = (part){ .h = h, .loop = loop, .lo = rows * i / n, .hi = rows * (i + 1) / n };
        memcpy(p[i].args.in, h->in, sizeof h->in);
        memcpy(p[i].args.out, h->out, sizeof h->out);
        p[i].args.step = h->step;
        p[i].args.seed = (uint32_t)h->step * 0x9e3779b9u;
        p[i].args.partial = h->partial + (size_t)i * 2 * HAND_COLS;
    }
    for (int i = 1; i < n && rc == 0; i++) {
        rc = pthread_create(&thread[i], NULL, run_part, &p[i]);
        started = rc == 0 ? i : started;
    }
    (void)run_part(&p[0]);
    for (int i = 1; i <= started; i++)
        (void)pthread_join(thread[i], NULL);
    return rc;
}

static void finish(fusion_hand *h)
{
    h->sum = 0.0;
    for (int i = 0; i < h->threads; i++)
        h->sum += h->partial[(size_t)i * 2 * HAND_COLS];
    if (h->w.c->id != HAND_COLUMNS)
        return;
    for (int c = 0; c < HAND_COLS; c++) {
        double sum = 0.0, square = 0.0;
        for (int i = 0; i < h->threads; i++) {
            sum += h->partial[(size_t)i * 2 * HAND_COLS + (size_t)c];
            square += h->partial[(size_t)i * 2 * HAND_COLS + HAND_COLS + (size_t)c];
        }
        double mean = sum / (double)h->rows;
        h->column[c] = mean;
        h->column[HAND_COLS + c] = sqrt(fmax(square / (double)h->rows - mean * mean, 0.0));
    }
}

double fusion_hand_once(fusion_hand *h, bool fast)
{
    hand_loop *loop = (fast ? hand_fast : hand_plain)(h->w.c->id, (hand_dtype)h->w.dtype);
    double begin = bench_now();
    h->step += 1.0;
    int rc = run_parts(h, loop, h->rows);
    finish(h);
    return rc == 0 ? bench_now() - begin : -1.0;
}

double fusion_triad_once(fusion_hand *h)
{
    double begin = bench_now();
    int rc = run_parts(h, NULL, h->ntriad);
    double seconds = bench_now() - begin;
    return rc == 0 ? seconds * fusion_bytes(&h->w) / (12.0 * (double)h->ntriad) : -1.0;
}

double fusion_hand_checksum(fusion_hand *h)
{
    const fusion_case *c = h->w.c;
    if (fusion_hand_once(h, false) < 0.0)
        return NAN;
    if (c->id == HAND_SUM_SQUARES)
        return h->sum;
    double total = 0.0;
    if (c->id == HAND_COLUMNS) {
        for (int i = 0; i < 2 * HAND_COLS; i++)
            total += fabs(h->column[i]);
        return total / HAND_COLS;
    }
    const void *y[2] = { c->id == HAND_ADAM ? h->in[0] : h->out[0], h->out[1] };
    for (int k = 0; k < 2 && y[k]; k++)
        for (int64_t i = 0; i < h->w.n; i++)
            total += c->mask ? (double)((const uint8_t *)y[k])[i] : fabs(value(y[k], h->w.dtype, i));
    return total / (double)h->w.n;
}
