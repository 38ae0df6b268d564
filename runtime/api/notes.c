/* Notes as a compiler prints them: what a source line costs, the share of the machine's bound that it reaches, and the change by which time
 * can be won; the dearest first.
 * Must not know: how facts are gathered, kernels. */
#include "config.h"
#include "runtime/api/notes.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <orrery/explain.h>
#include "codelets/cuda/nvml.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/array.h"
#include "runtime/base/buffer.h"
#include "runtime/base/clock.h"
#include "runtime/base/decimal.h"
#include "runtime/base/energy.h"
#include "runtime/base/env.h"
#include "runtime/base/notes.h"
#include "runtime/base/regret.h"
#include "runtime/base/signals.h"
#include "runtime/base/text.h"
#include "runtime/base/trace.h"
#include "runtime/cost/machine.h"
#include "runtime/cost/profile.h"

/* Shares of the whole time: of a gain that is worth a note, and of a line without a gain. */
#define GAIN_LEAST 0.02  /* limit of a promise */
#define LINE_LEAST 0.005 /* limit of a promise */
/* Repetitions before they are called such; those of an evaluation that is called small, and its time. */
enum { OFTEN = 8, MANY = 100, SMALL_US = 100, START_US = 2 }; /* limit of a promise */
/* Times the bytes' time at the machine's speed that moving them may take, as on a busy machine. Beyond it a kernel is slow for other reasons. */
enum { BUSY = 3 }; /* limit of a promise */
/* Bytes of a page, and the seconds of its first use, which are measured when the notes begin. */
enum { PAGE = 4096 };
static double fault_seconds;

/* A source line: its own time (kernels, copies of data, evaluations without kernels), and what is to be said of it. */
typedef struct {
    const char *file, *label;
    int line, remarks;
    double seconds, kernel, dearest, bytes, flops, effort, memory, arithmetic,
        launches; /* of kernels: from `kernel` on */
    double gain;
    char text[1000];
} source;

typedef struct {
    orr__note *fact;
    int nfact, n, capacity;
    source *of;
    struct advice *change;
    int nchange, changes;
    double total, joules; /* joules: of the processors since the notes began, 0: not measured */
    bool failed;          /* no memory */
} summary;

static source *source_of(summary *s, const char *file, int line)
{
    for (int i = 0; i < s->n; i++)
        if (s->of[i].line == line && (s->of[i].file == file || (file && strcmp(s->of[i].file, file) == 0)))
            return &s->of[i];
    source *more = file ? orr__array_reserve(s->of, &s->capacity, s->n + 1, sizeof *more) : NULL;
    s->failed = s->failed || (file && !more);
    if (!more)
        return NULL;
    s->of = more;
    memset((void *)&more[s->n], 0, sizeof *more);
    more[s->n].file = file;
    more[s->n].line = line;
    return &more[s->n++];
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* "line 35", or with its file if that is another one. */
static const char *place(char *to, size_t size, const source *at, const char *file, int line)
{
    if (file && strcmp(file, at->file) == 0 && line == at->line)
        return "another kernel of this line";
    if (file && strcmp(file, at->file) == 0)
        (void)snprintf(to, size, "line %d", line);
    else
        (void)snprintf(to, size, "%s:%d", file ? base_name(file) : "?", line);
    return to;
}

/* -- sums -------------------------------------------------------------------------------------------------- */

static void sum_work(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    s->total += f->seconds;
    if (!of)
        return;
    of->seconds += f->seconds;
    of->kernel += f->seconds;
    of->bytes += f->bytes;
    of->flops += f->flops;
    of->effort += f->effort;
    of->memory += f->a;
    of->arithmetic += f->b;
    of->launches += (double)f->n;
    if (f->seconds >= of->dearest) {
        of->dearest = f->seconds;
        of->label = f->text;
    }
}

/* Seconds of an evaluation's line that were neither kernels nor plans. */
static double idle(const summary *s, const orr__note *call)
{
    double plans = 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        if (f->kind == ORR__NOTE_PLAN && f->line == call->line && f->file && call->file &&
            strcmp(f->file, call->file) == 0)
            plans += f->seconds;
    }
    double left = call->seconds - call->a - plans;
    return left > 0 ? left : 0;
}

static void sum(summary *s)
{
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        double own = f->kind == ORR__NOTE_CALL                                                             ? idle(s, f)
                     : f->kind == ORR__NOTE_COPY || f->kind == ORR__NOTE_READ || f->kind == ORR__NOTE_PLAN ? f->seconds
                                                                                                           : 0;
        source *of = own > 0 ? source_of(s, f->file, f->line) : NULL;
        if (f->kind == ORR__NOTE_WORK)
            sum_work(s, f);
        s->total += own;
        if (of)
            of->seconds += own;
    }
}

/* -- changes ----------------------------------------------------------------------------------------------- */

/* A change that the reader can make: the line that has to change, and what that wins: seconds of kernels of some lines, and others. A
 * second of a kernel can be won once: what one change wins is not left for the next. */
enum { CLAIMS = 8 };
typedef struct advice {
    int source; /* the line that has to change: its number among s->of */
    double other;
    int n;
    bool joint;    /* a share of a claim is worth no more than the least share of all */
    double yields; /* another change is said in its place that wins less by up to this part */
    struct {
        int source;
        double seconds;
    } claim[CLAIMS];
    char text[480];
} advice;

static void claim(summary *s, advice *a, const char *file, int line, double seconds)
{
    source *of = source_of(s, file, line);
    int i = 0, number = of ? (int)(of - s->of) : -1;
    while (i < a->n && a->claim[i].source != number)
        i++;
    if (!of || seconds <= 0 || i == CLAIMS)
        return;
    a->claim[i].source = number;
    seconds += i < a->n ? a->claim[i].seconds : 0;
    a->claim[i].seconds = seconds < of->kernel ? seconds : of->kernel;
    a->n = i < a->n ? a->n : i + 1;
}

/* The gain of a change of what is left of the kernels' time; left NULL: of all. */
static double gain_of(const advice *a, const double *left)
{
    double sum = 0, least = 1;
    for (int i = 0; i < a->n; i++) {
        double most = a->claim[i].seconds,
               now = left && left[a->claim[i].source] < most ? left[a->claim[i].source] : most;
        least = now < least * most ? now / most : least;
        sum += now;
    }
    for (int i = 0; i < a->n && a->joint; i++)
        sum = (i ? sum : 0) + least * a->claim[i].seconds;
    return sum + a->other;
}

/* Adds a change at this line. */
static void propose(summary *s, const char *file, int line, advice *a, const char *fmt, ...) ORR_PRINTF(5, 6);
static void propose(summary *s, const char *file, int line, advice *a, const char *fmt, ...)
{
    source *of = gain_of(a, NULL) >= GAIN_LEAST * s->total ? source_of(s, file, line) : NULL;
    advice *more = of ? orr__array_reserve(s->change, &s->changes, s->nchange + 1, sizeof *more) : NULL;
    s->failed = s->failed || (of && !more);
    if (!more)
        return;
    s->change = more;
    a->source = (int)(of - s->of);
    va_list ap;
    va_start(ap, fmt);
    (void)orr__decimal_vprint(a->text, sizeof a->text, fmt, ap);
    va_end(ap);
    s->change[s->nchange++] = *a;
}

static void add(source *of, double gain, const char *text)
{
    size_t at = strlen(of->text);
    (void)snprintf(of->text + at, sizeof of->text - at, "; %s", text);
    of->gain += gain;
    of->remarks++;
}

/* Of two changes that win the same, the one that makes a value needless is the first, not the one that moves it less. */
static double weight(const advice *a, double gain)
{
    return gain * (1 - a->yields);
}

/* The changes in the order of what they win, each of what those before have left. One that has lost half of it is said by those. */
static void choose(summary *s)
{
    double *left = orr__alloc_n((size_t)s->n + 1, sizeof *left);
    s->failed = s->failed || !left;
    for (int i = 0; i < s->n && left; i++)
        left[i] = s->of[i].kernel;
    for (int best = 0; best >= 0 && left;) {
        double most = GAIN_LEAST * s->total;
        best = -1;
        for (int i = 0; i < s->nchange; i++) {
            double now = gain_of(&s->change[i], left), before = best < 0 ? most : weight(&s->change[best], most);
            if (*s->change[i].text && now >= GAIN_LEAST * s->total && weight(&s->change[i], now) >= before &&
                2 * now > gain_of(&s->change[i], NULL)) {
                most = now;
                best = i;
            }
        }
        for (int i = 0; best >= 0 && i < s->change[best].n; i++) {
            double *of = &left[s->change[best].claim[i].source];
            *of = *of > s->change[best].claim[i].seconds ? *of - s->change[best].claim[i].seconds : 0;
        }
        if (best >= 0) {
            add(&s->of[s->change[best].source], most, s->change[best].text);
            *s->change[best].text = 0;
        }
    }
    free(left);
}

static bool is_at(const char *file, int line, const char *of, int of_line)
{
    return line == of_line && file && of && strcmp(file, of) == 0;
}

static bool same_line(const orr__note *f, const char *file, int line)
{
    return is_at(f->file, f->line, file, line);
}

/* By a part of the fuser's reason: the change after which the two lines can be one kernel. Others are in the nature of the operations. */
static const struct {
    const char *reason, *change;
} changes[] = {
    { "ORRERY_FUSE=off", "ORRERY_FUSE=on" },
    { "mixes axes", "an operation on the shape of the value itself (the reshape or transpose after both lines)" },
    { "buffers already", "fewer arrays in one expression (orr_concat or one array of them)" },
};

static const char *change_for(const char *reason)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (strstr(reason, changes[i].reason))
            return changes[i].change;
    return NULL;
}

/* Seconds of the line's kernels at the machine's speed. */
static double bound_of(const source *of)
{
    return of->memory > of->arithmetic ? of->memory : of->arithmetic;
}

/* The part of the time of a line's kernels in which they move these bytes, n times. */
static double moves(const source *of, double bytes, double n)
{
    double most = BUSY * 1e-6 * orr__profile_move(orr__profile_now(), bytes) * n,
           part = of->effort > bytes * n ? of->kernel * bytes * n / of->effort : of->kernel;
    return part < most ? part : most;
}

static void change_apart(summary *s, const orr__note *f)
{
    const source *of = source_of(s, f->file, f->line);
    const char *change = change_for(f->text);
    char where[280];
    advice a = { 0 };
    if (!of || of->kernel <= 0 || !change || f->part > 0) /* read by others, it is stored all the same */
        return;
    const char *with = place(where, sizeof where, of, f->of, f->of_line);
    claim(s, &a, f->file, f->line, moves(of, f->bytes, of->launches));
    propose(s, f->file, f->line, &a, "not fused with %s: %s; %s would change it", with, f->text, change);
}

/* The reason alone, at lines that have no note. */
static void remark_apart(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    char where[280], text[480];
    if (!of || of->remarks || change_for(f->text) || moves(of, f->bytes, of->launches) < LINE_LEAST * s->total)
        return;
    (void)snprintf(text, sizeof text, "not fused with %s: %s", place(where, sizeof where, of, f->of, f->of_line),
                   f->text);
    add(of, 0, text);
}

/* The fact of this kind whose line, or whose other line, is this one. */
static const orr__note *fact_at(const summary *s, orr__note_kind kind, const char *file, int line, bool other)
{
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        if (f->kind == kind && (other ? is_at(f->of, f->of_line, file, line) : same_line(f, file, line)))
            return f;
    }
    return NULL;
}

/* The data that the program read at line `of` come back here: the line to change is this one. */
static void change_back(summary *s, const orr__note *f)
{
    const source *of = source_of(s, f->file, f->line);
    const orr__note *read = fact_at(s, ORR__NOTE_READ, f->of, f->of_line, false);
    char where[280];
    advice a = { .other = f->seconds + (read ? read->seconds : 0) };
    a.other += 1e-6 * orr__profile_move(orr__profile_now(), 2 * f->bytes); /* both sides could be one kernel */
    if (of && f->n >= 2)
        propose(s, f->file, f->line, &a,
                "%.3g MB that %s read come back unchanged, in %llu times; the tensor itself would change it",
                1e-6 * f->bytes / (double)f->n, place(where, sizeof where, of, f->of, f->of_line),
                (unsigned long long)f->n);
}

static void change_copy(summary *s, const orr__note *f)
{
    const orr__note *back = fact_at(s, ORR__NOTE_BACK, f->file, f->line, false);
    advice a = { .other = f->n ? f->seconds * (double)f->part / (double)f->n : 0 };
    if (f->part >= 2 && 2 * f->part >= f->n && !(back && back->n >= 2))
        propose(s, f->file, f->line, &a,
                "the same %.3g MB are copied in %llu times; one orr_from before the loop, kept by orr_keep or in an "
                "outer scope, would change it",
                1e-6 * f->bytes / (double)f->n, (unsigned long long)f->n);
}

static void change_read(summary *s, const orr__note *f)
{
    const orr__note *back = fact_at(s, ORR__NOTE_BACK, f->file, f->line, true);
    advice a = { .other = f->seconds };
    if (f->n >= OFTEN && !(back && back->n >= 2))
        propose(s, f->file, f->line, &a,
                "%llu reads copy %.3g MB each; orr_data, which copies nothing, fewer reads, or a smaller result would "
                "change it",
                (unsigned long long)f->n, 1e-6 * f->bytes / (double)f->n);
}

/* -- values that are computed again ------------------------------------------------------------------------ */

/* Seconds of the kernels of this name and line in one evaluation. */
static double kernel_named(const summary *s, const orr__note *f)
{
    double seconds = 0, evaluations = 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        bool is = same_line(g, f->file, f->line) && strcmp(g->text, f->text) == 0;
        seconds += is && g->kind == ORR__NOTE_WORK ? g->seconds : 0;
        evaluations += is && g->kind == ORR__NOTE_SAME ? (double)g->n : 0;
    }
    return evaluations > 0 ? seconds / evaluations : 0;
}

/* The kernel computed the same in most evaluations. */
static bool is_same(const orr__note *f)
{
    return f->kind == ORR__NOTE_SAME && f->part >= (f->of ? 1 : OFTEN) && 2 * f->part >= f->n;
}

/* A value of the line that is the same in most evaluations; NULL: none. */
static const orr__note *same_at(const summary *s, const char *file, int line)
{
    for (int i = 0; i < s->nfact; i++)
        if (is_same(&s->fact[i]) && same_line(&s->fact[i], file, line))
            return &s->fact[i];
    return NULL;
}

/* The line of the last value that is computed from that of f, and is the same each time: to keep that one is enough, if no value that
 * changes is computed from those before it. */
static const orr__note *last_same(const summary *s, const orr__note *f)
{
    for (int steps = 0; steps < 16; steps++) {
        const orr__note *next = NULL;
        bool other = false;
        for (int i = 0; i < s->nfact && !other; i++) {
            const orr__note *g = &s->fact[i];
            if ((g->kind != ORR__NOTE_APART && g->kind != ORR__NOTE_AFTER) ||
                !is_at(g->of, g->of_line, f->file, f->line) || same_line(g, f->file, f->line))
                continue;
            const orr__note *reader = same_at(s, g->file, g->line);
            other = !reader;
            next = reader ? reader : next;
        }
        if (other || !next)
            return f;
        f = next;
    }
    return f;
}

/* " (with those of lines 12, 13)", which the kernel of this line computes. */
static void inside(const summary *s, const orr__note *f, char *to, size_t size)
{
    size_t at = 0;
    *to = 0;
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_INSIDE && is_at(s->fact[i].of, s->fact[i].of_line, f->file, f->line) &&
            is_at(s->fact[i].file, f->line, f->file, f->line) && at + 32 < size)
            at += (size_t)snprintf(to + at, size - at, "%s%d", at ? ", " : " (with those of line ", s->fact[i].line);
    if (at)
        (void)snprintf(to + at, size - at, ")");
}

/* One note for all kernels whose values the last one's replaces. */
static void change_same(summary *s, const orr__note *f)
{
    const orr__note *most = NULL, *last = last_same(s, f);
    double best = 0;
    char where[280], evaluation[280] = "", values[100];
    advice a = { 0 };
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_AGAIN && same_line(&s->fact[i], last->file, last->line) &&
            s->fact[i].n >= last->part)
            return; /* said there */
    for (int i = 0; i < s->nfact && is_same(f); i++) {
        const orr__note *g = &s->fact[i], *end = is_same(g) ? last_same(s, g) : NULL;
        if (!end || !same_line(end, last->file, last->line))
            continue;
        if (g < f)
            return;
        double own = kernel_named(s, g) * (double)g->part;
        claim(s, &a, g->file, g->line, own);
        if (own > best) {
            best = own;
            most = g;
        }
    }
    const source *of = most ? source_of(s, last->file, last->line) : NULL;
    if (!of)
        return;
    if (most->by && !is_at(most->by, most->by_line, last->file, last->line))
        (void)snprintf(evaluation, sizeof evaluation, ", as by that of %s",
                       place(where, sizeof where, of, most->by, most->by_line));
    inside(s, last, values, sizeof values);
    if (most->of)
        propose(s, last->file, last->line, &a,
                "the same values are computed as at %s, from the same inputs; that tensor, kept by orr_keep or in an "
                "outer scope, would change it",
                place(where, sizeof where, of, most->of, most->of_line));
    else
        propose(s, last->file, last->line, &a,
                "the same values%s are computed from the same inputs in %llu evaluations%s; one orr_eval before the "
                "loop, of a tensor that orr_keep or an outer scope keeps, would change it",
                values, (unsigned long long)most->n, evaluation);
}

/* The kernels that compute the values of this line: their time, and their work; their claim for a part of the time. */
static void kernels_of(summary *s, const orr__note *f, double *kernel, double *effort, advice *a, double part)
{
    const source *of = source_of(s, f->file, f->line);
    *kernel = of ? of->kernel : 0;
    *effort = of ? of->effort : 0;
    if (of && a)
        claim(s, a, f->file, f->line, part * of->kernel);
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        const source *by =
            g->kind == ORR__NOTE_INSIDE && same_line(g, f->file, f->line) ? source_of(s, g->of, g->of_line) : NULL;
        *kernel += by ? by->kernel : 0;
        *effort += by ? by->effort : 0;
        if (by && a)
            claim(s, a, g->of, g->of_line, part * by->kernel);
    }
}

/* All that one evaluation computes again is one change, at the line of the value from which it computes what is new. The time of a
 * computation is its part of its kernels' effort, and half of the kernels' at most. */
static void change_again(summary *s, int first)
{
    const orr__note *f = &s->fact[first], *last = NULL;
    double most = -1, kernel, effort;
    uint64_t n = 0;
    char where[280];
    advice a = { 0 };
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        if (g->kind != ORR__NOTE_AGAIN || !is_at(g->of, g->of_line, f->of, f->of_line))
            continue;
        if (i < first)
            return;
        if (g->n == 0)
            continue;
        kernels_of(s, g, &kernel, &effort, NULL, 0);
        /* limit of a promise */
        double own = effort > 0 && g->flops < 0.5 * effort ? kernel * g->flops / effort : 0.5 * kernel;
        if (own <= 0)
            continue;
        kernels_of(s, g, &kernel, &effort, &a, own / kernel);
        n = g->n > n ? g->n : n;
        if ((g->part > 0) + own / (s->total > 0 ? s->total : 1) > most) {
            most = (g->part > 0) + own / (s->total > 0 ? s->total : 1);
            last = g;
        }
    }
    const source *of = last ? source_of(s, last->file, last->line) : NULL;
    if (of && n >= 2)
        propose(s, last->file, last->line, &a,
                "computed again %llu times, by the evaluation of %s; one orr_eval_all of all results that need it, or "
                "orr_eval of this value, would change it",
                (unsigned long long)n, place(where, sizeof where, of, f->of, f->of_line));
}

/* -- parts of kernels -------------------------------------------------------------------------------------- */

/* The kinds of facts that name a part of a kernel's time. One note for all kernels to which a line does that. */
static const struct {
    orr__note_kind kind;
    const char *text; /* @: the kernels' lines; &: the other line that takes part */
} parts[] = {
    { ORR__NOTE_TURNED,
      "the kernel of @ reads this operand across its rows, as after orr_transpose; a copy in the order "
      "of the reads, made once (orr_eval of the transposed tensor), would change it" },
    { ORR__NOTE_WIDE,
      "by this f64 operand, data of f32 becomes f64 here&, and the kernels of @ work in f64; an operand of f32 "
      "(orr_scalar, orr_cast to ORR_F32) would change it" },
    { ORR__NOTE_ORDER,
      "a product of three matrices, or a sum of a product, in the order that has more terms; the other two first, as "
      "A (B v) in place of (A B) v, or the sum of one operand, would change it" },
    { ORR__NOTE_ZEROS,
      "nearly all elements of an operand are zero; orr_mul by the elements of a diagonal, orr_take of the rows in "
      "place of a one-hot product, or orr_slice in place of a convolution, would change it" },
    { ORR__NOTE_UNREAD, "only a part of its elements is read; that part of the operands (orr_slice, orr_take), or "
                        "orr_topk in place of a sort, would change it" },
    { ORR__NOTE_TILED, "elements that are equal along an axis are computed one by one (@); an axis of length 1, along "
                       "which operations repeat it without storing it, would change it" },
    { ORR__NOTE_DRAWN, "random numbers are drawn that an evaluation before drew (@); one orr_eval of them before the "
                       "loop, of a tensor that orr_keep or an outer scope keeps, would change it" },
    { ORR__NOTE_RUN,
      "the numbers by which elements are read (@) are those of a slice; orr_slice, which copies nothing, "
      "would change it" },
    { ORR__NOTE_MASKED,
      "a mask drops nearly all that is computed here; the elements that it keeps alone (orr_slice, orr_take, "
      "orr_mask_select before the computation) would change it" },
    { ORR__NOTE_ALIKE, "the second operand of a function is an array of equal numbers; orr_scalar, or for a power "
                       "orr_square, orr_sqrt or "
                       "products, would change it" },
    { ORR__NOTE_INVERSE,
      "an inverse is computed for a product with few columns; orr_solve of the matrix and these columns "
      "would change it" },
    { ORR__NOTE_FIXED,
      "values that do not change are computed again in each evaluation, by the kernel of @; one orr_eval of "
      "them before the loop, of a tensor that orr_keep or an outer scope keeps, would change it" },
};

/* Kernels that read the value of this line, of which no element but a few would be there: the time in which they read it. */
static void claim_readers(summary *s, advice *a, const char *file, int line)
{
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        bool early = g->kind == ORR__NOTE_EARLY, apart = g->kind == ORR__NOTE_APART;
        const source *of = (early || apart) && is_at(g->of, g->of_line, file, line)
                               ? source_of(s, early ? g->by : g->file, early ? g->by_line : g->line)
                               : NULL;
        if (of)
            claim(s, a, of->file, of->line,
                  moves(of, early && g->n ? g->bytes / (double)g->n : g->bytes / 2, of->launches));
    }
}

/* The least time of a line's kernels: that in which kernels that do little else move as many bytes. */
static double least_of(const summary *s, const source *of)
{
    double rate = 0, own = of->launches > 0 ? of->bytes / of->launches : 0;
    for (int i = 0; i < s->n; i++) {
        const source *other = &s->of[i];
        double each = other->launches > 0 ? other->bytes / other->launches : 0;
        bool mover = other->effort < 1.6 * other->bytes && each > 0.5 * own && each < 2 * own; /* limit of a promise */
        if (mover && !is_at(other->file, other->line, of->file, of->line) && other->launches >= OFTEN &&
            other->kernel > 0 && other->bytes > rate * other->kernel)
            rate = other->bytes / other->kernel;
    }
    return rate > 0 ? of->bytes / rate : 0;
}

/* The kernel that a fact names, of all of its line: its time and work. */
static source kernel_of(const summary *s, const source *line, const orr__note *f)
{
    source of = *line;
    of.kernel = 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        if (g->kind != ORR__NOTE_WORK || !f->kernel || g->kernel != f->kernel || !same_line(g, f->of, f->of_line))
            continue;
        of.kernel += g->seconds;
        of.bytes = g->bytes;
        of.effort = g->effort;
        of.launches = (double)g->n;
    }
    return of.kernel > 0 ? of : *line;
}

/* The part of the kernels' time that a change saves. Without a part of their arithmetic they still move their bytes. */
static double saved_of(const summary *s, const source *line, const orr__note *f)
{
    source of = kernel_of(s, line, f);
    double n = (double)f->n;
    if (f->kind == ORR__NOTE_FIXED) /* of the evaluations in which it was so */
        n = of.launches > n ? of.launches : n;
    double saved = of.kernel * f->a / n, most = of.kernel - least_of(s, &of);
    return f->b <= 0 || saved < most ? saved : most > 0 ? most : 0;
}

static void change_part(summary *s, int first)
{
    const orr__note *f = &s->fact[first], *most = f;
    size_t row = 0;
    double best = 0;
    char where[280], lines[160] = "", by[300] = "", text[480] = "";
    advice a = { .yields = f->kind == ORR__NOTE_ORDER
                               ? 0.3
                               : 0 }; /* a product with rows of one-hot vectors, summed, is needless */
    size_t at = 0;
    while (row < sizeof parts / sizeof *parts && parts[row].kind != f->kind)
        row++;
    for (int i = 0; i < s->nfact && row < sizeof parts / sizeof *parts; i++) {
        const orr__note *g = &s->fact[i];
        const source *of =
            g->kind == f->kind && same_line(g, f->file, f->line) ? source_of(s, g->of, g->of_line) : NULL;
        if (!of)
            continue;
        if (i < first)
            return;
        if (g->kind == ORR__NOTE_ZEROS && g->a < 0.75 * (double)g->n) /* limit of a promise */
            continue;
        if (g->kind == ORR__NOTE_RUN && g->part > 0)
            continue;
        if (g->kind == ORR__NOTE_UNREAD && g->a < 0.5 * (double)g->n) /* limit of a promise */
            continue;
        double own = g->n ? saved_of(s, of, g) : 0;
        claim(s, &a, g->of, g->of_line, own);
        if (g->kind == ORR__NOTE_TILED && own > 0)
            claim_readers(s, &a, g->of, g->of_line);
        if (own > best) {
            best = own;
            most = g;
        }
        char line[16];
        size_t end = strlen(lines);
        (void)snprintf(line, sizeof line, "%s%d", end ? ", " : "line ", g->of_line);
        if (own > 0 && end + 16 < sizeof lines && !strstr(lines, line + (end ? 2 : 5)))
            (void)snprintf(lines + end, sizeof lines - end, "%s", line);
    }
    const source *of = best > 0 ? source_of(s, f->file, f->line) : NULL;
    if (!of)
        return;
    if (most->by && !is_at(most->by, most->by_line, f->file, f->line))
        (void)snprintf(by, sizeof by, " at %s", place(where, sizeof where, of, most->by, most->by_line));
    for (const char *p = parts[row].text; *p && at + 1 < sizeof text; at = strlen(text)) {
        size_t plain = strcspn(p, "@&");
        (void)snprintf(text + at, sizeof text - at, "%.*s%s", (int)plain, p,
                       p[plain] == '@'   ? lines
                       : p[plain] == '&' ? by
                                         : "");
        p += plain + (p[plain] != 0);
    }
    propose(s, f->file, f->line, &a, "%s", text);
}

/* A loop hands its value on to its next step: the kernel of line `by` ran before the first kernel of line `of` did. */
static bool goes_round(const summary *s, const orr__note *f)
{
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_WORK) {
            if (same_line(&s->fact[i], f->of, f->of_line))
                return false;
            if (same_line(&s->fact[i], f->by, f->by_line))
                return true;
        }
    return false;
}

/* The value is written and read once, where it could stay in the cache. The line to change is that of the evaluation. */
static void change_early(summary *s, const orr__note *f)
{
    const source *at = source_of(s, f->file, f->line), *of, *reader;
    double alone = f->n > f->part ? (double)(f->n - f->part) : 0, bytes = f->n ? f->bytes / (double)f->n : 0;
    char where[280], by[280];
    advice a = { .joint = true, .yields = 0.1 };
    const orr__note *unread = fact_at(s, ORR__NOTE_UNREAD, f->of, f->of_line, false);
    if (unread && 2 * unread->a >= (double)unread->n) /* said there */
        return;
    (void)source_of(s, f->of, f->of_line);
    (void)source_of(s, f->by, f->by_line);
    if (!(at = source_of(s, f->file, f->line)) || !(of = source_of(s, f->of, f->of_line)) ||
        !(reader = source_of(s, f->by, f->by_line)) || goes_round(s, f) || same_at(s, f->of, f->of_line) ||
        2 * alone < (double)f->n || 2 * alone < reader->launches || 2 * alone < of->launches)
        return;
    claim(s, &a, f->of, f->of_line, moves(of, bytes, alone));
    claim(s, &a, f->by, f->by_line, moves(reader, bytes, alone));
    propose(s, f->file, f->line, &a,
            "this evaluation ends with the value of %s, which only %s reads; without it both would be one kernel, "
            "which would change it",
            place(where, sizeof where, at, f->of, f->of_line), place(by, sizeof by, at, f->by, f->by_line));
}

/* -- evaluations ------------------------------------------------------------------------------------------- */

/* Plans of this line. *grown: those of more operations than the one before; *alike: of the same ones with other numbers. */
static uint64_t plans_of(const summary *s, const orr__note *call, uint64_t *grown, uint64_t *alike)
{
    uint64_t n = 0;
    *grown = *alike = 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        if (f->kind == ORR__NOTE_PLAN && same_line(f, call->file, call->line)) {
            n += f->n;
            *grown += f->part;
            *alike += f->alike;
        }
    }
    return n;
}

/* Seconds of an evaluation's line in which plans were made. */
static double planning_of(const summary *s, const orr__note *call)
{
    double seconds = call->seconds - call->a - idle(s, call);
    return seconds > 0 ? seconds : 0;
}

/* The value that grows in most steps; NULL: none. Its plans and its memory are said with it. */
static const orr__note *growing(const summary *s)
{
    const orr__note *of = NULL;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        if (f->kind == ORR__NOTE_GROWN && f->part >= OFTEN && 2 * f->part >= f->n && (!of || f->part > of->part))
            of = f;
    }
    return of;
}

static bool grows_with(const orr__note *grown, double steps)
{
    return grown && steps <= 1.5 * (double)grown->n + 2;
}

/* Of n copies of a growing value, one in which all parts have their place would do, with one plan. */
static void change_grown(summary *s, const orr__note *f)
{
    uint64_t grown, alike;
    const source *of = source_of(s, f->file, f->line);
    advice a = { 0 };
    if (!of || f->part < OFTEN || 2 * f->part < f->n)
        return;
    claim(s, &a, f->file, f->line, of->kernel * (double)f->part / (double)(f->n + 1));
    for (int i = 0; i < s->nfact && f == growing(s); i++) {
        const orr__note *call = &s->fact[i];
        uint64_t plans = call->kind == ORR__NOTE_CALL ? plans_of(s, call, &grown, &alike) : 0;
        if (plans >= OFTEN && 2 * plans >= call->n && grows_with(f, (double)plans))
            a.other += planning_of(s, call);
    }
    propose(s, f->file, f->line, &a,
            "a value grows in %llu evaluations, and what it had is copied in each; a list of the parts and one "
            "orr_concat after the loop, or a variable of the last size, would change it",
            (unsigned long long)f->n);
}

/* Values that stay are written to memory that the process has not used before, a page at a time; and the memory ends. The line of a loop
 * that leaves most tells it. */
static void change_growth(summary *s, const orr__note *f)
{
    advice a = { .other = f->bytes / PAGE * fault_seconds };
    const orr__note *grown = growing(s);
    uint64_t more, alike;
    (void)plans_of(s, f, &more, &alike);
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_AGAIN && is_at(s->fact[i].of, s->fact[i].of_line, f->file, f->line) &&
            s->fact[i].n > 2 * f->n)
            return; /* values of earlier steps stay since they are computed again */
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_CALL &&
            (s->fact[i].flops > f->flops || (s->fact[i].flops == f->flops && &s->fact[i] < f)))
            return;
    if (a.other > f->seconds)
        a.other = f->seconds;
    if (f->n >= OFTEN && 2 * f->part >= f->n && f->bytes >= PAGE * (double)f->n && 2 * more < f->n &&
        !(grown && f->bytes <= 2 * grown->bytes) && 4 * f->bytes >= (double)orr__pool_get_stats().peak)
        propose(s, f->file, f->line, &a,
                "values in memory grow by %.3g MB in %llu evaluations; a scope in the loop (orr_scope_begin, "
                "orr_scope_end), or orr_free, would change it",
                1e-6 * f->bytes, (unsigned long long)f->n);
}

static void change_call(summary *s, const orr__note *f)
{
    double n = (double)f->n, planning = planning_of(s, f), rest = f->seconds - planning;
    uint64_t grown, alike, plans = plans_of(s, f, &grown, &alike);
    bool often = 2 * plans >= f->n, small = f->n >= MANY && rest < 1e-6 * SMALL_US * n && 4 * f->b < rest;
    /* of kernels, what starting them takes: one of many evaluations may compute much, as new values of variables that are due */
    double starts = f->a - f->b < 1e-6 * START_US * n ? f->a - f->b : 1e-6 * START_US * n;
    advice a = { .other = (often ? planning : 0) + (small ? idle(s, f) + (starts > 0 ? starts : 0) : 0) };
    if (f->n < OFTEN || (often && grows_with(growing(s), (double)plans)))
        return;
    if (2 * grown >= f->n)
        propose(s, f->file, f->line, &a,
                "%llu plans for %llu evaluations, each of more operations than the one before, since values of earlier "
                "steps are computed "
                "again; one orr_eval in each step of what it hands to the next would change it",
                (unsigned long long)plans, (unsigned long long)f->n);
    else if (often && 2 * alike >= plans)
        propose(s, f->file, f->line, &a,
                "%llu plans for %llu evaluations, of the same operations at other places each time; one operation on "
                "the whole array (a reduction by an axis in place of a loop over slices) would change it",
                (unsigned long long)plans, (unsigned long long)f->n);
    else if (often)
        propose(s, f->file, f->line, &a,
                "%llu plans for %llu evaluations, since shapes or operations differ each time; equal shapes (padding), "
                "or numbers in tensors and orr_scalar, would change it",
                (unsigned long long)plans, (unsigned long long)f->n);
    else if (small)
        propose(s, f->file, f->line, &a,
                "%llu evaluations of %.3g us, whose kernels need %.2g us at the machine's speed; more work in each "
                "(orr_eval_all of several results, larger arrays), or orr_graph_build, would change it",
                (unsigned long long)f->n, 1e6 * rest / n, 1e6 * f->b / n);
}

static void change(summary *s, int i)
{
    const orr__note *f = &s->fact[i];
    switch (f->kind) {
    case ORR__NOTE_COPY: change_copy(s, f); break;
    case ORR__NOTE_AGAIN: change_again(s, i); break;
    case ORR__NOTE_APART: change_apart(s, f); break;
    case ORR__NOTE_BACK: change_back(s, f); break;
    case ORR__NOTE_EARLY: change_early(s, f); break;
    case ORR__NOTE_CALL:
        change_growth(s, f);
        change_call(s, f);
        break;
    case ORR__NOTE_READ: change_read(s, f); break;
    case ORR__NOTE_SAME: change_same(s, f); break;
    case ORR__NOTE_GROWN: change_grown(s, f); break;
    default: change_part(s, i); break;
    }
}

static void remark(summary *s)
{
    for (int i = 0; i < s->nfact; i++)
        change(s, i);
    choose(s);
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_APART)
            remark_apart(s, &s->fact[i]);
}

/* -- energy ------------------------------------------------------------------------------------------------ */

/* When the notes began. No packages: they are not measured; GPUs' joules are negative without NVML. */
static orr__energy at_first;
static double gpus_at_first;

static void measure_energy(void)
{
    char why[1400];
    at_first.n = 0;
    if (!*orr__env.energy || !orr__nvml_energy(&gpus_at_first))
        gpus_at_first = -1;
    if (*orr__env.energy && !orr__energy_read(orr__env.energy, &at_first, why, sizeof why))
        orr__log(1, "ORRERY_ENERGY: notes have %s: %s",
                 gpus_at_first < 0 ? "no joules" : "the joules of the GPUs alone", why);
}

static double joules(void)
{
    char why[1400];
    orr__energy now;
    double gpus = 0;
    bool both = gpus_at_first >= 0 && orr__nvml_energy(&gpus);
    double sum = both ? gpus - gpus_at_first : 0;
    return at_first.n > 0 && orr__energy_read(orr__env.energy, &now, why, sizeof why)
               ? sum + orr__energy_between(&at_first, &now)
               : sum;
}

/* The time of pages that are used for the first time. */
static void measure_faults(void)
{
    enum { PAGES = 256 }; /* limit of search */
    double t0 = orr__now();
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fault_seconds = 0;
    if (p == MAP_FAILED)
        return;
    for (int i = 0; i < PAGES; i++)
        ((volatile char *)p)[i * PAGE] = 1;
    (void)munmap(p, PAGES * PAGE);
    fault_seconds = (orr__now() - t0) / PAGES;
}

static int by_gain(const void *x, const void *y)
{
    const source *a = x, *b = y;
    return a->gain != b->gain ? (a->gain < b->gain) - (a->gain > b->gain)
                              : (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static void summarise(summary *s)
{
    memset(s, 0, sizeof *s);
    s->fact = orr__notes_all(&s->nfact);
    sum(s);
    s->joules = joules();
    remark(s);
    if (s->n)
        qsort(s->of, (size_t)s->n, sizeof *s->of, by_gain);
}

static void forget(summary *s)
{
    free(s->fact);
    free(s->change);
    free(s->of);
}

/* -- output ------------------------------------------------------------------------------------------------ */

/* The text of a note after "note: ". */
static void describe(const summary *s, const source *of, char *to, size_t size)
{
    double bound = bound_of(of);
    int at = snprintf(to, size, "%.0f %% of the time", s->total > 0 ? 100 * of->seconds / s->total : 0);
    if (bound > 0 && of->kernel >= 0.5 * of->seconds) /* limit of a promise */
        at +=
            snprintf(to + at, size - (size_t)at, ", %.2f of the %s bound", bound < of->kernel ? bound / of->kernel : 1,
                     of->memory > of->arithmetic ? "memory" : "arithmetic");
    if (s->joules > 0 && s->total > 0)
        at += snprintf(to + at, size - (size_t)at, ", %.3g J", s->joules * of->seconds / s->total);
    (void)snprintf(to + at, size - (size_t)at, "%s", of->text);
}

static bool is_shown(const summary *s, const source *of)
{
    return of->gain > 0 || of->seconds >= LINE_LEAST * s->total;
}

static void print(FILE *to, const summary *s)
{
    char text[1200], file[1024];
    for (int i = 0; i < s->n; i++) {
        if (!is_shown(s, &s->of[i]))
            continue;
        describe(s, &s->of[i], text, sizeof text);
        fprintf(to, "%s:%d: note: %s\n", orr__text_line(file, sizeof file, s->of[i].file), s->of[i].line, text);
    }
    if (s->failed)
        (void)fputs("orrery: note: some lines are missing for want of memory\n", to);
}

/* The same as rows of fields with tabs between them, for orrery-report; docs/seeing.md lists the fields. */
static void print_rows(FILE *to, const summary *s)
{
    const orr__profile *p = orr__profile_now();
    orr__regret regret = orr__regret_now();
    char text[1200], file[1024], of_file[1024];
    fprintf(to, "orrery-notes\t1\n");
    fprintf(to, "machine\t%d\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", orr__machine_here.workers, p->stream,
            p->stream_all, p->cached, p->math, p->gemm32, p->gemm64);
    fprintf(to, "regret\t%llu\t%.6g\n", (unsigned long long)regret.trials, regret.excess);
    for (int i = 0; i < s->n; i++) {
        const source *of = &s->of[i];
        (void)orr__text_line(file, sizeof file, of->file);
        fprintf(to, "line\t%s\t%d\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.0f\t%s\n", file, of->line, of->seconds,
                of->kernel, of->bytes, of->flops, of->memory, of->arithmetic, of->launches, of->label ? of->label : "");
        describe(s, of, text, sizeof text);
        if (is_shown(s, of))
            fprintf(to, "note\t%s\t%d\t%.9g\t%s\n", file, of->line, of->gain, text);
    }
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        bool apart = f->kind == ORR__NOTE_APART;
        if ((apart || f->kind == ORR__NOTE_INSIDE) && f->file && f->of)
            fprintf(to, "%s\t%s\t%d\t%s\t%d\t%.0f\t%s\n", apart ? "apart" : "inside",
                    orr__text_line(file, sizeof file, f->file), f->line, orr__text_line(of_file, sizeof of_file, f->of),
                    f->of_line, f->bytes, f->text);
    }
}

static void trace_notes(const summary *s)
{
    char text[1200];
    for (int i = 0; i < s->n; i++) {
        if (!is_shown(s, &s->of[i]))
            continue;
        describe(s, &s->of[i], text, sizeof text);
        orr__trace_note(s->of[i].file, s->of[i].line, s->of[i].gain, text);
    }
}

/* to NULL: into the trace alone. */
static void write_all(FILE *to, bool rows, bool traced)
{
    summary s;
    ORR__GUARD_WRITES;
    ORR__WITH_POINT;
    summarise(&s);
    if (to && rows)
        print_rows(to, &s);
    else if (to)
        print(to, &s);
    if (traced)
        trace_notes(&s);
    forget(&s);
}

orr_status orr_notes(FILE *to)
{
    orr__site at = ORR__SITE(NULL, 0, "notes");
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (!orr__noting())
        return orr__fail(at, ORR_ESTATE, "no notes are taken: set ORRERY_NOTES before orr_init");
    write_all(to, false, false);
    return orr__printed(at, to);
}

/* -- the file of ORRERY_NOTES ------------------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static bool traced; /* the trace that runs is to have the notes */
static pid_t owner;
static char path_now[1100];

/* A forked child leaves the file to its parent. */
void orr__notes_close(void)
{
    (void)pthread_mutex_lock(&lock);
    FILE *to = out;
    bool into_trace = traced;
    out = NULL;
    traced = false;
    orr__notes_stop();
    (void)pthread_mutex_unlock(&lock);
    if ((!to && !into_trace) || getpid() != owner)
        return;
    size_t n = strlen(path_now);
    write_all(to, n > 4 && strcmp(path_now + n - 4, ".tsv") == 0, into_trace);
    if (!to)
        return;
    ORR__GUARD_WRITES;
    bool bad = fflush(to) != 0 || ferror(to);
    bad = (to != stdout && fclose(to) != 0) || bad;
    if (bad)
        orr__log(1, "notes: %s could not be written whole: is the disk full?", path_now);
}

orr_status orr__notes_open(const char *path)
{
    static bool at_exit;
    orr__site at = { NULL, 0, "environment" };
    if (out || traced || (!*path && !orr__tracing()))
        return ORR_OK;
    if (!orr__text_path(path_now, sizeof path_now, path))
        return orr__fail(at, ORR_EENV, "the name of the file of notes is too long");
    FILE *to = !*path ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path_now, "we");
    if (*path && !to)
        return orr__fail(at, ORR_EIO, "ORRERY_NOTES=%s: %s; it names the file to write", path_now, strerror(errno));
    owner = getpid();
    if (!at_exit)
        at_exit = atexit(orr__notes_close) == 0;
    out = to;
    traced = orr__tracing();
    measure_energy();
    measure_faults();
    orr__notes_start();
    return ORR_OK;
}
