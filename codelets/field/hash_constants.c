/* Poseidon's constants: the Grain generator, the Cauchy matrix, and the sparse form of the partial rounds.
 * Must not know: how hashes are computed.
 * Source: Grassi, Khovratovich, Rechberger, Roy, Schofnegger, "Poseidon: A New Hash Function for Zero-Knowledge Proof
 * Systems" (USENIX Security 2021), appendices B and F; numbers of rounds for 128 bits, as in circom. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/field/kit.h"
#include "runtime/base/fork.h"

enum { FULL = 8, T = ORR__POSEIDON_MAX };
static const int partial_rounds[T - 1] = { 56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68 };

/* -- the Grain generator -------------------------------------------------------------------------------------------- */

/* The last 80 bits; the oldest is at `at`. */
typedef struct grain {
    unsigned char bit[80];
    int at;
} grain;

static int grain_step(grain *g)
{
    static const int tap[] = { 62, 51, 38, 23, 13, 0 };
    int b = 0;
    for (int i = 0; i < 6; i++)
        b ^= g->bit[(g->at + tap[i]) % 80];
    g->bit[g->at] = (unsigned char)b;
    g->at = (g->at + 1) % 80;
    return b;
}

/* Of each pair of bits, the second is used if the first is 1. */
static int grain_bit(grain *g)
{
    while (!grain_step(g))
        (void)grain_step(g);
    return grain_step(g);
}

static void grain_begin(grain *g, int t, int full, int partial)
{
    const struct {
        int value, bits;
    } field[] = { { 1, 2 }, { 0, 4 }, { 254, 12 }, { t, 12 }, { full, 10 }, { partial, 10 } };
    int at = 0;
    for (int i = 0; i < 6; i++)
        for (int b = field[i].bits - 1; b >= 0; b--)
            g->bit[at++] = (unsigned char)(field[i].value >> b & 1);
    while (at < 80) /* limit of a format */
        g->bit[at++] = 1;
    g->at = 0;
    for (int i = 0; i < 160; i++)
        (void)grain_step(g);
}

/* 254 bits, the highest first. */
static orr__fe grain_integer(grain *g)
{
    orr__fe x = { { 0 } };
    for (int i = 253; i >= 0; i--)
        x.l[i / 64] |= (uint64_t)grain_bit(g) << i % 64;
    return x;
}

/* Integers that are not below r are discarded and drawn again. */
static orr__fe grain_element(grain *g)
{
    orr__fe x = grain_integer(g);
    while (!fe_below(x, orr__fr.p))
        x = grain_integer(g);
    return fe_enter(x, &orr__fr);
}

/* The same, but reduced modulo r, which is above 2^253. */
static orr__fe grain_remainder(grain *g)
{
    orr__fe x = grain_integer(g), zero = { { 0 } };
    return fe_enter(fe_below(x, orr__fr.p) ? x : fe_sub(x, zero, &(orr__mod){ .p = orr__fr.p }), &orr__fr);
}

/* -- matrices ----------------------------------------------------------------------------------------------------------- */

static orr__fe mul(orr__fe x, orr__fe y)
{
    return fe_mul(x, y, &orr__fr);
}

static orr__fe add(orr__fe x, orr__fe y)
{
    return fe_add(x, y, &orr__fr);
}

static orr__fe invert(orr__fe x)
{
    (void)orr__fieldkit_best()->invert(ORR__FR, &x, &x, 1);
    return x;
}

static void product(int n, orr__fe *c, const orr__fe *a, const orr__fe *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            orr__fe s = { { 0 } };
            for (int k = 0; k < n; k++)
                s = add(s, mul(a[i * n + k], b[k * n + j]));
            c[i * n + j] = s;
        }
}

/* Gauss-Jordan elimination. Every square submatrix of a Cauchy matrix is regular, and the matrix here is a product of
 * such matrices. */
static void inverse(int n, orr__fe *z, const orr__fe *a)
{
    orr__fe w[T * T];
    memcpy(w, a, (size_t)(n * n) * sizeof *w);
    for (int i = 0; i < n * n; i++)
        z[i] = i % (n + 1) ? (orr__fe){ { 0 } } : orr__fr.one;
    for (int c = 0; c < n; c++) {
        int p = c;
        while (p < n - 1 && fe_is_zero(w[p * n + c]))
            p++;
        for (int j = 0; j < n && p != c; j++) {
            orr__fe s = w[p * n + j];
            w[p * n + j] = w[c * n + j];
            w[c * n + j] = s;
            s = z[p * n + j];
            z[p * n + j] = z[c * n + j];
            z[c * n + j] = s;
        }
        orr__fe k = invert(w[c * n + c]);
        for (int j = 0; j < n; j++) {
            w[c * n + j] = mul(w[c * n + j], k);
            z[c * n + j] = mul(z[c * n + j], k);
        }
        for (int i = 0; i < n; i++) {
            orr__fe m = w[i * n + c];
            for (int j = 0; j < n && i != c; j++) {
                w[i * n + j] = fe_sub(w[i * n + j], mul(m, w[c * n + j]), &orr__fr);
                z[i * n + j] = fe_sub(z[i * n + j], mul(m, z[c * n + j]), &orr__fr);
            }
        }
    }
}

/* -- the sparse form ------------------------------------------------------------------------------------------------------ */

/* Constants of lanes other than the first pass a partial round's S-box unchanged. They are therefore multiplied by the
 * matrix and added to the next round's. */
static void push_constants(int t, int partial, const orr__fe *mds, orr__fe *c, orr__fe *single)
{
    for (int i = 0; i < partial; i++, c += t) {
        single[i] = c[0];
        for (int row = 0; row < t; row++)
            for (int k = 1; k < t; k++)
                c[t + row] = add(c[t + row], mul(mds[row * t + k], c[k]));
    }
}

/* From the last partial round on, its matrix A = (a v; w B) is S·(1 0; 0 B) with S = (a v/B; w 1). The second factor
 * commutes with the round's S-box and is moved to the matrix of the round before. */
static void sparse_form(int t, int partial, const orr__fe *mds, orr__fe *bridge, orr__fe *sparse)
{
    orr__fe a[T * T], b[T * T], inverse_b[T * T], wide[T * T];
    const int n = t - 1;
    memcpy(a, mds, (size_t)(t * t) * sizeof *a);
    for (int round = partial - 1; round >= 0; round--) {
        orr__fe *s = sparse + round * (2 * t - 1);
        for (int i = 0; i < n; i++)
            memcpy(b + i * n, a + (i + 1) * t + 1, (size_t)n * sizeof *b);
        inverse(n, inverse_b, b);
        s[0] = a[0];
        for (int j = 0; j < n; j++) {
            s[1 + j] = (orr__fe){ { 0 } };
            for (int k = 0; k < n; k++)
                s[1 + j] = add(s[1 + j], mul(a[1 + k], inverse_b[k * n + j]));
            s[t + j] = a[(j + 1) * t];
        }
        memset(wide, 0, sizeof wide);
        wide[0] = orr__fr.one;
        for (int i = 0; i < n; i++)
            memcpy(wide + (i + 1) * t + 1, b + i * n, (size_t)n * sizeof *b);
        product(t, a, wide, mds);
    }
    memcpy(bridge, a, (size_t)(t * t) * sizeof *a);
}

static orr__poseidon *make(int t)
{
    const int partial = partial_rounds[t - 2];
    const size_t rounds = (size_t)(FULL + partial), width = (size_t)t;
    const size_t sparse = (size_t)partial * (2 * width - 1);
    orr__poseidon *p =
        malloc(sizeof *p + (rounds * width + (size_t)partial + 2 * width * width + sparse) * sizeof(orr__fe));
    if (!p)
        return NULL;
    orr__fe *c = (orr__fe *)(void *)(p + 1), *single = c + rounds * width, *mds = single + partial;
    orr__fe *bridge = mds + width * width, *s = bridge + width * width, x[2 * T];
    grain g;
    grain_begin(&g, t, FULL, partial);
    for (size_t i = 0; i < rounds * width; i++)
        c[i] = grain_element(&g);
    for (bool again = true; again;) { /* until they differ; the first draw suffices */
        again = false;
        for (int i = 0; i < 2 * t; i++) {
            x[i] = grain_remainder(&g);
            for (int j = 0; j < i; j++)
                again = again || fe_equal(x[i], x[j]);
        }
    }
    for (int i = 0; i < t; i++)
        for (int j = 0; j < t; j++)
            mds[i * t + j] = invert(add(x[i], x[t + j]));
    push_constants(t, partial, mds, c + FULL / 2 * t, single);
    sparse_form(t, partial, mds, bridge, s);
    *p = (orr__poseidon){ .t = t, .full = FULL, .partial = partial, .first = c, .single = single, .mds = mds };
    p->last = c + (FULL / 2 + partial) * t;
    p->bridge = bridge;
    p->sparse = s;
    return p;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__GUARDED_IN_FORKS(lock)

const orr__poseidon *orr__poseidon_get(int t)
{
    static orr__poseidon *made[T + 1];
    if (t < ORR__POSEIDON_MIN || t > T)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!made[t])
        made[t] = make(t);
    const orr__poseidon *p = made[t];
    pthread_mutex_unlock(&lock);
    return p;
}
