/* Kinds of work by region key: their names, and the number of tasks and seconds of each worker.
 * Must not know: what a kind computes. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ops/ops.h"
#include "runtime/base/clock.h"
#include "runtime/base/fork.h"
#include "runtime/base/held.h"
#include "runtime/base/notes.h"
#include "runtime/base/trace.h"
#include "runtime/cost/profile.h"
#include "runtime/engine/execution.h"

enum { BUCKETS = 1024 };

/* Readers need no lock: kinds are only added, at the head, and never freed. */
static orr__work *_Atomic bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_workers; /* tallies per kind − 1 */
static orr__tally other_tally[1024];
static orr__work other = { .label = "other", .tally = other_tally };

void orr__works_guard(void)
{
    orr__fork_guard(&lock);
}

static orr__work *find(orr__work *k, uint64_t key)
{
    while (k && k->key != key)
        k = k->next;
    return k;
}

orr__work *orr__work_of(const orr__region *r)
{
    size_t h = (size_t)(r->key ^ r->key >> 32) % BUCKETS;
    orr__work *k = find(atomic_load_explicit(&bucket[h], memory_order_acquire), r->key);

    if (k)
        return k;
    pthread_mutex_lock(&lock);
    if (!(k = find(atomic_load(&bucket[h]), r->key)) && (k = calloc(1, sizeof *k))) {
        k->key = r->key;
        snprintf(k->label, sizeof k->label, "%s", r->label[0] ? r->label : "unnamed");
        k->tally = orr__hold(ORR_MEMORY_MODELS, calloc((size_t)n_workers + 1, sizeof *k->tally));
        (void)orr__hold(ORR_MEMORY_MODELS, k);
        k->next = atomic_load(&bucket[h]);
        atomic_store_explicit(&bucket[h], k, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return k ? k : &other;
}

/* Kinds live until the process ends, so a plan's state may keep them. */
orr__work *orr__work_of_step(const orr__plan *p, const orr__step *s)
{
    orr__plan_state *state = orr__plan_state_of(p);
    orr__work *k = state ? atomic_load_explicit(&state->step[s - p->step].work, memory_order_acquire) : NULL;

    if (!k) {
        k = orr__work_of(s->region);
        if (state)
            atomic_store_explicit(&state->step[s - p->step].work, k, memory_order_release);
    }
    return k;
}

/* Traces the prediction for each device, the device that ran the task, its time, and its regret. StarPU predicts a graph's tasks. */
static void trace(const orr__work *k, const orr__step *s, int t, orr__on on, orr__trace_at at)
{
    static const char *const predicted[ORR__ON_COUNT] = { "predicted_us_cpu", "predicted_us_opencl",
                                                          "predicted_us_cuda" };
    double us = 1e6 * (at.t1 - at.t0), best;
    orr__trace_arg arg[ORR__TRACE_ARGS] = { { "device", orr__on_name[on], 0 }, { "took_us", NULL, us } };
    orr__guess g[ORR__ON_COUNT];
    int n = 2;

    if (!s->graph) {
        best = orr__step_guesses(s, t, g);
        arg[n++] = (orr__trace_arg){ "regret_us", NULL, us > best ? us - best : 0 };
        for (int i = 0; i < ORR__ON_COUNT; i++)
            if (g[i].us >= 0)
                arg[n++] = (orr__trace_arg){ predicted[i], NULL, g[i].us };
    }
    orr__trace_span("kernel", k->label, at, arg, n);
}

/* Seconds in which the machine moves the bytes of a whole step, and computes its flops: all cores if a crew may do the step. */
static void bounds(const orr__step *s, bool whole, orr__note *f)
{
    const orr__profile *p = orr__profile_now();
    const orr__region *r = s->region;
    int workers = orr__machine_here.workers;
    bool wide = r->nout > 0 && orr_dtype_size((orr_dtype)r->out_dtype[0]) > 4;
    double rate = r->loops == ORR__LOOPS_PRODUCT ? wide ? p->gemm64 : p->gemm32 : wide ? p->math / 2 : p->math;
    double all = whole && s->shared ? workers : 1, stream = orr__profile_move(p, r->bytes);
    if (all > 1 && stream > r->bytes / p->stream_all) /* memory has one speed for all cores */
        stream = stream / all > r->bytes / p->stream_all ? stream / all : r->bytes / p->stream_all;
    f->a = 1e-6 * stream;
    f->b = 1e-6 * r->flops / (rate * all);
}

static void note(const orr__work *k, const orr__step *s, int t, orr__on on, double seconds)
{
    const orr__region *r = s->region;
    double share = t >= 0 && s->ntiles > 1 ? 1.0 / s->ntiles : 1, waited = orr__notes_waited();
    seconds = seconds > waited ? seconds - waited : 0;
    orr__note f = {
        .kind = ORR__NOTE_WORK, .kernel = r->key, .file = r->file, .line = r->line, .n = 1, .seconds = seconds
    };
    (void)snprintf(f.text, sizeof f.text, "%s", k->label);
    f.bytes = share * r->bytes;
    f.flops = share * r->flops;
    f.effort = share * orr__region_effort(r);
    f.n = t <= 0;
    if (on == ORR__ON_CPU && !s->graph)
        bounds(s, t < 0, &f);
    f.a *= share;
    f.b *= share;
    orr__notes_add(&f);
}

/* Elements that are not zero among the first `n` of a row of an operand. */
static int64_t filled(const void *data, orr_dtype dtype, int64_t at, int64_t stride, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += dtype == ORR_F64 ? ((const double *)data)[at + i * stride] != 0
                                : ((const float *)data)[at + i * stride] != 0;
    return sum;
}

/* The part of the products of one operand that are of zeros, by some rows along axis `along`: 0 unless nearly all are, in every row. */
static double zeros_of(const orr__region *r, const orr__access *a, const void *data, int down, int along, int64_t rows)
{
    enum { ROWS = 8, FEW = 16, MOST = 4096 }; /* limit of memory */
    int64_t n = r->dim[along] < MOST ? r->dim[along] : MOST, all = 0;
    orr_dtype dtype = (orr_dtype)r->in_dtype[a->input];
    if ((dtype != ORR_F32 && dtype != ORR_F64) || n < FEW || rows < 1)
        return 0;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t at = a->offset + a->stride[down] * ((rows - 1) * i / (ROWS - 1)), first = n < 2 * FEW ? n : 2 * FEW;
        int64_t some = filled(data, dtype, at, a->stride[along], first);
        if (some > (first + FEW - 1) / FEW)
            return 0;
        if ((some = filled(data, dtype, at, a->stride[along], n)) > (n + FEW - 1) / FEW)
            return 0;
        all += some;
    }
    return all ? 1 - (double)all / (double)(ROWS * n) : 0; /* zeros alone are a beginning, as of a variable */
}

/* The part of some elements of an array of f32, f64 or bool that are zero. *equal: all of these are one number. */
static double zeros_among(const void *data, orr_dtype dtype, int64_t first, int64_t end, bool *equal)
{
    enum { LOOKS = 1 << 10 }; /* limit of memory */
    int64_t n = end - first, step = n > LOOKS ? n / LOOKS | 1 : 1, looks = 0, zeros = 0;
    size_t size = orr_dtype_size(dtype);
    const char *bytes = data;
    *equal = n > 0;
    if (dtype != ORR_BOOL && dtype != ORR_F32 && dtype != ORR_F64)
        return 0;
    for (int64_t i = first; i < end && looks < LOOKS; i += step, looks++) {
        zeros += dtype == ORR_BOOL ? ((const bool *)data)[i] == 0 : filled(data, dtype, i, 1, 1) == 0;
        *equal = *equal && memcmp(bytes + (size_t)i * size, bytes + (size_t)first * size, size) == 0;
    }
    return looks > 0 ? (double)zeros / (double)looks : 0;
}

static double look_at_input(const orr__step *s, const orr__launch *l, int input, bool *equal)
{
    int64_t first = 0, end = s->region->in_count[input];
    if (s->ntiles > 1) /* others may be under way */
        orr__step_reads(s, 0, input, &first, &end);
    return zeros_among(l->in[input], (orr_dtype)s->region->in_dtype[input], first, end, equal);
}

/* The part of a kernel's arithmetic on which nothing but operand `k` of instruction `i` depends. */
static double part_behind(const orr__region *r, int i, int k)
{
    enum { MOST = 64 }; /* limit of memory */
    bool needed[MOST] = { false };
    double part = 0;
    if (r->ninstr > MOST)
        return 0;
    for (int o = 0; o < r->nout; o++)
        needed[r->out_reg[o]] = true;
    for (int j = r->ninstr - 1; j >= 0; j--) {
        const orr__rinstr *in = &r->instr[j];
        const int16_t operand[] = { in->x, in->y, in->z };
        for (int q = 0; q < 3 && needed[j]; q++)
            if (operand[q] >= 0 && !(j == i && q == k))
                needed[operand[q]] = true;
        part += needed[j] ? 0 : orr__region_part(r, j);
    }
    return part;
}

/* The line of the operation that reads this input of a kernel. */
static orr__notes_place place_of_reader(const orr__region *r, int input)
{
    orr__notes_place at = { r->file, r->line, 0 };
    if (input < 64) /* limit of memory */
        (void)orr__notes_met(orr__region_notes_key(r, ORR__NOTE_MASKED, UINT64_C(1) << input), (orr__notes_place){ 0 },
                             true, &at);
    return at;
}

/* Is the function with this second operand a few products, or a root of its first? */
static bool is_few_products(const orr__ewrow *row, double second)
{
    enum { POINTS = 2, FORMS = 7 };
    static const double point[POINTS] = { 2.5, 5 };
    int holds = (1 << FORMS) - 1;
    for (int i = 0; i < POINTS && row->arity == 2 && !row->to_bool && orr__ew_takes_scalars(row, ORR_F64); i++) {
        double x = point[i], root = sqrt(x);
        const double form[FORMS] = { x, x * x, x * x * x, x * x * x * x, root, 1 / x, 1 / root };
        double r =
            orr__ew_eval(row, ORR_F64, (orr__scalar){ .f = x }, (orr__scalar){ .f = second }, (orr__scalar){ .f = 0 })
                .f;
        for (int k = 0; k < FORMS; k++)
            holds &= fabs(r - form[k]) < 1e-6 * form[k] ? -1 : ~(1 << k); /* limit of a promise */
    }
    return holds && row->arity == 2;
}

/* A large operand of equal numbers: a function of two numbers, one of which is known, is a simpler one, or need not read it. Zeros are a beginning, as of a
 * variable. */
static void look_at_numbers_alike(const orr__step *s, const orr__launch *l)
{
    enum { LARGE = 4096, FUNCTION = 20, POWER = 6 }; /* limit of a promise */
    const orr__region *r = s->region;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i], *number = in->kind == ORR__RI_EW && in->y >= 0 ? &r->instr[in->y] : NULL;
        if (!number || number->kind != ORR__RI_LOAD || orr__ew(in->op)->flops < FUNCTION ||
            r->in_count[r->access[number->a].input] < LARGE)
            continue;
        bool equal = false;
        int input = r->access[number->a].input;
        double zeros = look_at_input(s, l, input, &equal), part = orr__region_part(r, in->y);
        if (equal && zeros < 1 && r->in_dtype[input] != ORR_BOOL &&
            is_few_products(orr__ew(in->op), r->in_dtype[input] == ORR_F64   ? *(const double *)l->in[input]
                                             : r->in_dtype[input] == ORR_F32 ? (double)*(const float *)l->in[input]
                                                                             : NAN))
            part += orr__region_part(r, i) * (1 - POWER / (double)orr__ew(in->op)->flops);
        orr__notes_place at = place_of_reader(r, input);
        orr__notes_add(&(orr__note){ ORR__NOTE_ALIKE, at.line, r->line, .kernel = r->key, .file = at.file,
                                     .of = r->file, .n = 1, .a = equal && zeros < 1 ? part : 0, .b = 1 });
    }
}

/* Does a zero as operand k make zero of any other operand? */
static bool is_zero_by(const orr__ewrow *row, int k)
{
    const orr__scalar zero = { .f = 0 }, two = { .f = 2 }, three = { .f = -3 };
    return row->arity == 2 && !row->to_bool && !row->cond && orr__ew_takes_scalars(row, ORR_F32) &&
           orr__ew_eval(row, ORR_F32, k ? two : zero, k ? zero : two, zero).f == 0 &&
           orr__ew_eval(row, ORR_F32, k ? three : zero, k ? zero : three, zero).f == 0;
}

/* Shares of elements that are nearly all: that a mask drops; that are zero, of an operand. */
#define DROPPED 0.75 /* limit of a promise */
#define ZEROS 0.85   /* limit of a promise */

/* An array that chooses between values, or that makes zeros of them, drops nearly all that the kernel has computed for it. */
static void look_at_masks(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    double most = -1;
    bool equal;
    int by = 0;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        const int16_t operand[] = { in->x, in->y, in->z };
        for (int k = 0; k < 2 && in->kind == ORR__RI_EW; k++) {
            const orr__rinstr *mask = operand[k] >= 0 ? &r->instr[operand[k]] : NULL;
            while (mask && mask->kind == ORR__RI_CAST)
                mask = &r->instr[mask->x];
            const orr__ewrow *row = orr__ew(in->op);
            if (!mask || mask->kind != ORR__RI_LOAD || r->access[mask->a].placed ||
                (row->cond ? k > 0 : !is_zero_by(row, k)))
                continue;
            int input = r->access[mask->a].input;
            double zeros = look_at_input(s, l, input, &equal);
            bool first_stays = row->cond && zeros < 1 - zeros;
            double none = first_stays ? 1 - zeros : zeros;
            int dropped = first_stays ? 2 : row->cond ? 1 : 1 - k;
            double part = none >= DROPPED && none < 1 ? none * part_behind(r, i, dropped) : 0;
            if (part > most)
                by = input;
            most = part > most ? part : most;
        }
    }
    orr__notes_place at = most > 0 ? place_of_reader(r, by) : (orr__notes_place){ r->file, r->line, 0 };
    if (most >= 0)
        orr__notes_add(&(orr__note){ ORR__NOTE_MASKED, at.line, r->line, .kernel = r->key, .file = at.file,
                                     .of = r->file, .n = 1, .a = most, .b = 1 });
}

/* A product of a kernel of its own, as a convolution, with an operand of zeros. */
static void look_at_call(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    double zeros = 0;
    for (int k = 0; k < r->call.nin && k < 2; k++) {
        bool equal;
        double of =
            zeros_among(l->in[k], (orr_dtype)r->in_dtype[k], 0, s->ntiles > 1 && k == 0 ? 0 : r->in_count[k], &equal);
        zeros = of > zeros && of < 1 ? of : zeros;
    }
    if (r->file && orr__call_work(&r->call).product && !(r->call.op->flags & ORR__OP_MAY_FAIL))
        orr__notes_add(&(orr__note){ ORR__NOTE_ZEROS, r->line, r->line, .kernel = r->key, .file = r->file,
                                     .of = r->file, .n = 1, .a = zeros > ZEROS ? zeros : 0 });
}

/* The numbers are those of a slice. */
static bool is_run(const orr__step *s, int input, const void *data)
{
    enum { LOOKS = 8, FEW = 16 }; /* limit of memory */
    bool wide = s->region->in_dtype[input] == ORR_I64;
    int64_t first = 0, end = s->region->in_count[input];
    if (s->ntiles > 1) /* others may be under way */
        orr__step_reads(s, 0, input, &first, &end);
    if (end - first < FEW || (!wide && s->region->in_dtype[input] != ORR_I32))
        return false;
#define AT(i) (wide ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i])
    int64_t step = AT(first + 1) - AT(first);
    bool run = step != 0;
    for (int64_t k = 0; k < LOOKS && run; k++) {
        int64_t i = first + (end - first - 2) * k / (LOOKS - 1);
        run = AT(i + 1) - AT(i) == step;
    }
    return run && AT(end - 1) - AT(first) == (end - first - 1) * step;
#undef AT
}

/* A kernel that only copies the elements is needless for a slice; another one reads a slice without the numbers. */
static void look_at_numbers(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    bool copies = !r->rmask;
    double part = 0;
    for (int i = 0; i < r->ninstr; i++) {
        copies = copies && r->instr[i].kind != ORR__RI_EW && r->instr[i].kind != ORR__RI_FOLD;
        part += r->instr[i].kind == ORR__RI_GATHER ? orr__region_part_beyond(r, i) : 0;
    }
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *place = &r->instr[i], *number = place->kind == ORR__RI_PLACE ? &r->instr[place->x] : NULL;
        if (!number || number->kind != ORR__RI_LOAD)
            continue;
        const orr__access *at = &r->access[place->a];
        int input = r->access[number->a].input;
        bool run = is_run(s, input, l->in[input]);
        orr__notes_add(&(orr__note){ ORR__NOTE_RUN, at->line, r->line, .file = at->file, .of = r->file, .n = 1,
                                     .a = !run     ? 0
                                          : copies ? 1
                                                   : part });
    }
}

void orr__work_look(const orr__step *s, const orr__launch *l)
{
    const orr__region *r = s->region;
    const orr__access *a = r->access;
    int m = r->rank - 3;
    if (r->call.op) {
        look_at_call(s, l);
        return;
    }
    if (r->file) {
        look_at_masks(s, l);
        look_at_numbers_alike(s, l);
    }
    if (r->loops != ORR__LOOPS_PRODUCT) {
        look_at_numbers(s, l);
        return;
    }
    if (r->rank < 3 || !r->file || a[0].box || a[1].box || a[0].input < 0 || a[1].input < 0)
        return;
    double part = zeros_of(r, &a[0], l->in[a[0].input], m, m + 2, m > 0 ? r->dim[m] : l->hi);
    if (part == 0)
        part = zeros_of(r, &a[1], l->in[a[1].input], m + 2, m + 1, r->dim[m + 2]);
    orr__notes_add(&(orr__note){ ORR__NOTE_ZEROS, r->line, r->line, .kernel = r->key, .file = r->file, .of = r->file,
                                 .n = 1, .a = part });
}

static orr__tally *tally_of(const orr__work *k, int worker)
{
    return k->tally && worker >= 0 && worker <= n_workers ? &k->tally[worker] : NULL;
}

uint32_t orr__work_begin(orr__work *k, int worker)
{
    orr__tally *t = tally_of(k, worker);
    uint64_t n = t ? atomic_fetch_add_explicit(&t->tasks, 1, memory_order_relaxed) : 0;

    return !t || orr__tracing() || orr__noting()
               ? 1
               : orr__time_stands_for(n, atomic_load_explicit(&t->ns, memory_order_relaxed));
}

static double ended(orr__work *k, const orr__step *s, int tile, orr__on on, int worker, double t0, uint32_t stands_for)
{
    double t1 = orr__now();
    orr__tally *t = tally_of(k, worker);
    int track = worker > 0 ? worker : ORR__TRACE_SELF;

    if (orr__tracing())
        trace(k, s, tile, on, (orr__trace_at){ s->region->file, s->region->line, track, t0, t1 });
    if (orr__noting()) {
        note(k, s, tile, on, t1 - t0);
        (void)orr__notes_took(orr__now() - t1, false);
    }
    if (!t)
        return t1;
    atomic_fetch_add_explicit(&t->ns, stands_for * (uint64_t)((t1 - t0) * 1e9), memory_order_relaxed);
    orr__histogram_add(&k->spread, t1 - t0, stands_for);
    return t1;
}

double orr__work_end(orr__work *k, const orr__step *s, int t, int worker, double t0, uint32_t stands_for)
{
    return ended(k, s, t, ORR__ON_CPU, worker, t0, stands_for);
}

double orr__work_done(orr__work *k, const orr__step *s, int t, orr__on on, int worker, double t0)
{
    (void)orr__work_begin(k, worker);
    return ended(k, s, t, on, worker, t0, 1);
}

int orr__works_workers(void)
{
    return n_workers;
}

void orr__works_each(void (*f)(orr__work *k, void *arg), void *arg)
{
    f(&other, arg);
    for (int h = 0; h < BUCKETS; h++)
        for (orr__work *k = atomic_load(&bucket[h]); k; k = k->next)
            f(k, arg);
}

static void resize(orr__work *k, void *arg)
{
    orr_status *st = arg;

    orr__histogram_clear(&k->spread);
    if (k != &other) {
        free(orr__unhold(ORR_MEMORY_MODELS, k->tally));
        if (!(k->tally = orr__hold(ORR_MEMORY_MODELS, calloc((size_t)n_workers + 1, sizeof *k->tally))))
            *st = ORR_ENOMEM;
    }
}

orr_status orr__works_start(orr__site at, int workers)
{
    orr_status st = ORR_OK;

    if (workers >= (int)(sizeof other_tally / sizeof *other_tally))
        return orr__fail(at, ORR_EDEVICE, "%d workers are more than can be counted", workers);
    n_workers = workers;
    memset((void *)other_tally, 0, sizeof other_tally);
    orr__works_each(resize, &st);
    return st == ORR_OK ? st : orr__fail(at, st, "no memory for the counters of %d workers", workers);
}
