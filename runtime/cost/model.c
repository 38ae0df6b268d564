/* The table of tasks' times, and predictions from it.
 * Must not know: StarPU, files. */
#include "config.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/cost/model.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/hash.h"
#include "runtime/base/held.h"
#include "runtime/cost/cost.h"

enum { BUCKETS = 1024, LOCKS = 16, ALIKE = 64 };

const char *const orr__on_name[ORR__ON_COUNT] = { "CPU", "OpenCL", "CUDA" };

/* By kernel: one bucket holds all sizes of it. Readers need no lock: classes are only added, at the head. */
static orr__class *_Atomic bucket[BUCKETS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
/* Locks of the numbers in a bucket's classes. */
static pthread_mutex_t lock[LOCKS] = { [0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER };
/* Per kind of region and device: the mean of log(us / size), and the number of classes in it. Written under
 * `adding`. */
static struct {
    _Atomic double log;
    atomic_int n;
} usual[ORR__REGION_CLASSES][ORR__ON_COUNT];

void orr__models_guard(void)
{
    orr__fork_guard(&adding);
    for (int i = 0; i < LOCKS; i++)
        orr__fork_guard(&lock[i]);
}

static size_t bucket_of(uint64_t kernel)
{
    return (size_t)(kernel ^ kernel >> 32) % BUCKETS;
}

static orr__class *find(uint64_t kernel, uint32_t shape)
{
    orr__class *c = atomic_load_explicit(&bucket[bucket_of(kernel)], memory_order_acquire);
    while (c && (c->kernel != kernel || c->shape != shape))
        c = c->next;
    return c;
}

static orr__class *find_or_add(const orr__class *like)
{
    orr__class *c = find(like->kernel, like->shape);
    if (c)
        return c;
    pthread_mutex_lock(&adding);
    if (!(c = find(like->kernel, like->shape)) && (c = calloc(1, sizeof *c))) {
        size_t h = bucket_of(like->kernel);
        (void)orr__hold(ORR_MEMORY_MODELS, c);
        c->kernel = like->kernel;
        c->shape = like->shape;
        c->row = like->row;
        c->kind = like->kind;
        memcpy(c->label, like->label, sizeof c->label);
        c->next = atomic_load(&bucket[h]);
        atomic_store_explicit(&bucket[h], c, memory_order_release);
    }
    pthread_mutex_unlock(&adding);
    return c;
}

/* -- which class, which size ---------------------------------------------------------------------------------- */

static int64_t quarter_octaves(int64_t extent)
{
    return extent <= 16 ? extent : llround(4 * log2((double)extent)); /* limit of a measurement */
}

/* The extents that tasks of more or fewer rows share. */
static uint32_t row_of(const orr__region *r)
{
    int64_t facts[ORR__REGION_RANK + 1] = { r->rmask };
    for (int i = 1; i < r->rank && i < ORR__REGION_RANK; i++)
        facts[i] = quarter_octaves(r->dim[i]);
    uint64_t h = orr__hash(facts, sizeof facts, 0);
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t shape_of(const orr__region *r, int64_t rows)
{
    int64_t facts[ORR__REGION_RANK + 2] = { quarter_octaves(rows) };
    for (int i = 1; i < r->rank && i < ORR__REGION_RANK; i++)
        facts[i] = quarter_octaves(r->dim[i]);
    facts[ORR__REGION_RANK] = quarter_octaves(r->out_count);
    facts[ORR__REGION_RANK + 1] = r->rmask;
    uint64_t h = orr__hash(facts, sizeof facts, 0);
    for (int i = 0; r->call.op && i < r->nin; i++) { /* its cost may depend on its inputs alone */
        int64_t count = quarter_octaves(r->in_count[i]);
        h = orr__hash(&count, sizeof count, h);
    }
    return (uint32_t)(h ^ h >> 32);
}

orr__class *orr__model_class(const orr__region *r, int64_t rows)
{
    orr__class like = { .kernel = r->key, .shape = shape_of(r, rows), .row = row_of(r), .kind = orr__region_class(r) };
    (void)snprintf(like.label, sizeof like.label, "%s", r->label[0] ? r->label : "unnamed");
    return find_or_add(&like);
}

static double part_of(int64_t rows, int64_t dim0)
{
    return dim0 > 0 ? (double)rows / (double)dim0 : 1;
}

double orr__task_size(const orr__cost *c, int64_t rows, int64_t dim0)
{
    double size = c->size * part_of(rows, dim0);
    return ORR__MAX(size, 0.01);
}

/* -- samples --------------------------------------------------------------------------------------------------- */

static void note_usual(const orr__class *c, orr__on on, const orr__timed *t)
{
    pthread_mutex_lock(&adding);
    int n = atomic_load(&usual[c->kind][on].n);
    double mean = atomic_load(&usual[c->kind][on].log);
    /* limit of a measurement */
    atomic_store(&usual[c->kind][on].log, mean + (log(t->us / t->size) - mean) / (n < 32 ? n + 1 : 32));
    atomic_store(&usual[c->kind][on].n, n + 1);
    pthread_mutex_unlock(&adding);
}

static atomic_uint news = 1;

unsigned orr__models_news(void)
{
    return atomic_load_explicit(&news, memory_order_relaxed);
}

/* True if a mean departs from the one that plans know. A mean from another day, or under other loads, changes
 * slowly: plans are told on the way. */
static bool departs(double us, double told)
{
    static const double departure = 1 + ORR__T_DOUBT / 100.0;
    return us > departure * told || told > departure * us;
}

/* True for 4, 16, 64, … samples. */
static bool tells_more(uint32_t n)
{
    return n >= ORR__T_SETTLED && (n & (n - 1)) == 0 && (n & 0x55555555u) != 0;
}

void orr__model_add(orr__class *c, double size, orr__on on, double us)
{
    bool reset = false;
    if (!c)
        return;
    pthread_mutex_t *m = &lock[bucket_of(c->kernel) % LOCKS];
    pthread_mutex_lock(m);
    double before = c->on[on].us;
    bool counted = orr__timed_add(&c->on[on], size, us, &reset);
    orr__timed now = c->on[on];
    bool tells = counted && (tells_more(now.n) || (now.n >= ORR__T_SETTLED && departs(now.us, c->told[on])));
    if (tells)
        c->told[on] = now.us;
    c->anew[on] = c->anew[on] || reset;
    pthread_mutex_unlock(m);
    if (reset)
        orr__log(2, "performance model of %s on %s is reset: %.0f us expected, %.0f us measured", c->label,
                 orr__on_name[on], before, us);
    if (counted && now.n == ORR__T_SETTLED)
        note_usual(c, on, &now);
    if (tells)
        atomic_fetch_add_explicit(&news, 1, memory_order_relaxed);
}

void orr__model_put(const orr__class *like, orr__on on, const orr__timed *t)
{
    orr__class *c = find_or_add(like);
    if (!c)
        return;
    pthread_mutex_t *m = &lock[bucket_of(c->kernel) % LOCKS];
    pthread_mutex_lock(m);
    bool take = t->n > c->on[on].n && !c->anew[on];
    if (take) {
        c->on[on] = *t;
        c->told[on] = t->us;
    }
    pthread_mutex_unlock(m);
    if (take && t->n >= ORR__T_SETTLED)
        note_usual(c, on, t);
}

/* -- predictions ------------------------------------------------------------------------------------------------- */

static orr__timed read_timed(const orr__class *c, orr__on on)
{
    pthread_mutex_t *m = &lock[bucket_of(c->kernel) % LOCKS];
    pthread_mutex_lock(m);
    orr__timed t = c->on[on];
    pthread_mutex_unlock(m);
    return t;
}

/* Fits the times across the classes of one kernel, without the class `but`: those with these rows, or all of them. */
static bool fit_classes(uint64_t kernel, const uint32_t *row, const orr__class *but, orr__on on, int least, double *a,
                        double *b)
{
    orr__sample s[ALIKE];
    int n = 0;
    for (orr__class *c = atomic_load(&bucket[bucket_of(kernel)]); c && n < ALIKE; c = c->next) {
        bool fits = c->kernel == kernel && c != but && (!row || c->row == *row);
        orr__timed t = fits ? read_timed(c, on) : (orr__timed){ 0 };
        if (t.n >= ORR__T_SETTLED)
            s[n++] = (orr__sample){ t.size, t.us, t.n < 16 ? t.n : 16 }; /* limit of a measurement */
    }
    return n >= least && orr__fit(s, n, a, b);
}

/* The time of the class with these rows whose tasks are nearest to this size; 0: none is within the doubt of a prediction. Other classes of the
 * kernel may differ by factors, so that a line through all of them may miss each. */
static double seen_near(uint64_t kernel, uint32_t row, orr__on on, double size)
{
    double us = 0, nearest = log(1 + ORR__T_DOUBT / 100.0);
    for (orr__class *c = atomic_load(&bucket[bucket_of(kernel)]); c; c = c->next) {
        orr__timed t = c->kernel == kernel && c->row == row ? read_timed(c, on) : (orr__timed){ 0 };
        if (t.n >= ORR__T_SETTLED && fabs(log(t.size / size)) < nearest) {
            nearest = fabs(log(t.size / size));
            us = t.us * size / t.size;
        }
    }
    return us;
}

/* The time of an element depends on the length of its row (vectors, rests, caches), so classes with the same rows tell more than others. */
double orr__model_fitted(uint64_t kernel, uint32_t row, orr__on on, double size)
{
    double a, b, near = seen_near(kernel, row, on, size);
    if (near > 0)
        return near;
    bool fits = fit_classes(kernel, &row, NULL, on, 1, &a, &b) || fit_classes(kernel, NULL, NULL, on, 1, &a, &b);
    return fits ? exp(a + b * log(size)) : 0;
}

/* The estimate if nothing of this kind was measured. Devices are assumed to be fast, so that they are tried. */
static double estimate(const orr__cost *c, double size, double part, orr__on on)
{
    static const double faster[ORR__ON_COUNT] = { 1, 8, 20 }, launch[ORR__ON_COUNT] = { 0, 20, 10 };
    return on == ORR__ON_CPU ? c->us * part : launch[on] + size / faster[on];
}

orr__guess orr__model_guess(const orr__region *r, const orr__cost *c, int64_t rows, orr__on on)
{
    orr__timed t = c->class ? read_timed(c->class, on) : (orr__timed){ 0 };
    double size = orr__task_size(c, rows, r->dim[0]);
    if (t.n >= ORR__T_SETTLED)
        return (orr__guess){ t.us * size / t.size, ORR__MEASURED };
    double fitted = orr__model_fitted(r->key, row_of(r), on, size);
    if (fitted > 0)
        return (orr__guess){ fitted, ORR__FITTED };
    if (t.n > 0)
        return (orr__guess){ t.us * size / t.size, ORR__FITTED };
    if (on != ORR__ON_CPU && atomic_load(&usual[orr__region_class(r)][on].n) > 0)
        return (orr__guess){ size * exp(atomic_load(&usual[orr__region_class(r)][on].log)), ORR__FITTED };
    return (orr__guess){ estimate(c, size, part_of(rows, r->dim[0]), on), ORR__ESTIMATED };
}

/* Times measured under other loads, with other neighbours, are only a guide: they change the prediction by a factor
 * of 8 at most. */
double orr__model_expect(const orr__region *r)
{
    double us = orr__cost_predict(r), size = orr__cost_size(r);
    if (orr__env.deterministic || orr__env.machine == ORR__MACHINE_FIXED || !(size > 0))
        return us;
    double seen = orr__model_fitted(r->key, row_of(r), ORR__ON_CPU, size);
    return seen > 8 * us ? 8 * us : seen > us / 8 ? seen : seen > 0 ? us / 8 : us;
}

/* -- all of them ---------------------------------------------------------------------------------------------------- */

void orr__models_each(void (*f)(orr__class *c, orr__on on, const orr__timed *t, void *arg), void *arg)
{
    for (int h = 0; h < BUCKETS; h++)
        for (orr__class *c = atomic_load(&bucket[h]); c; c = c->next)
            for (int on = 0; on < ORR__ON_COUNT; on++) {
                orr__timed t = read_timed(c, (orr__on)on);
                if (t.n > 0)
                    f(c, (orr__on)on, &t, arg);
            }
}

/* anew: earlier samples do not come back. */
static void forget(orr__class *c, orr__on on, bool anew)
{
    pthread_mutex_t *m = &lock[bucket_of(c->kernel) % LOCKS];
    pthread_mutex_lock(m);
    c->on[on] = (orr__timed){ 0 };
    c->anew[on] = anew;
    pthread_mutex_unlock(m);
}

static void count_one(orr__class *c, orr__on on, const orr__timed *t, void *arg)
{
    (void)c, (void)on, (void)t;
    ++*(int *)arg;
}

int orr__models_forget(void)
{
    int n = 0;
    orr__models_each(count_one, &n);
    for (int h = 0; h < BUCKETS; h++)
        for (orr__class *c = atomic_load(&bucket[h]); c; c = c->next)
            for (int on = 0; on < ORR__ON_COUNT; on++)
                forget(c, (orr__on)on, false);
    for (int k = 0; k < ORR__REGION_CLASSES; k++)
        for (int on = 0; on < ORR__ON_COUNT; on++)
            atomic_store(&usual[k][on].n, 0);
    return n;
}

static void purge_one(orr__class *c, orr__on on, const orr__timed *t, void *arg)
{
    double a, b;
    if (!fit_classes(c->kernel, NULL, c, on, 2, &a, &b))
        return;
    double expected = exp(a + b * log(t->size));
    if (t->us < 8 * expected && t->us > expected / 8)
        return;
    orr__log(2, "performance model of %s on %s is reset: %.0f us measured, %.0f us expected from its other sizes",
             c->label, orr__on_name[on], t->us, expected);
    ++*(int *)arg;
    forget(c, on, true);
}

int orr__models_purge(void)
{
    int n = 0;
    orr__models_each(purge_one, &n);
    return n;
}
