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
#include <unistd.h>
#include <orrery/explain.h>
#include "codelets/cuda/nvml.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/array.h"
#include "runtime/base/buffer.h"
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

/* Shares of the whole time: of a gain that is worth a note, of one for which the program is to be arranged in another way, and of a line
 * without a gain. */
#define GAIN_LEAST 0.002
#define REARRANGE_LEAST 0.01
#define LINE_LEAST 0.005
/* Repetitions before they are called such; those of an evaluation that is called small, and its time. */
enum { OFTEN = 8, MANY = 100, SMALL_US = 100 };
/* Bytes of a page, and the microseconds of its first use. */
enum { PAGE = 4096 };
#define FAULT_US 0.25

/* A source line: its own time (kernels, copies of data, evaluations without kernels), and what is to be said of it. */
typedef struct {
    const char *file, *label;
    int line, remarks;
    double seconds, kernel, dearest, bytes, flops, memory, arithmetic, launches; /* of kernels: from `kernel` on */
    double gain;
    char text[700];
} source;

typedef struct {
    orr__note *fact;
    int nfact, n, capacity;
    source *of;
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

static void add(source *of, double gain, const char *fmt, ...) ORR_PRINTF(3, 4);
static void add(source *of, double gain, const char *fmt, ...)
{
    size_t at = strlen(of->text);
    va_list ap;
    va_start(ap, fmt);
    at += (size_t)snprintf(of->text + at, sizeof of->text - at, "; ");
    if (at < sizeof of->text)
        (void)orr__decimal_vprint(of->text + at, sizeof of->text - at, fmt, ap);
    va_end(ap);
    of->gain += gain;
    of->remarks++;
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

/* -- remarks ----------------------------------------------------------------------------------------------- */

/* By a part of the fuser's reason: the change after which the two lines can be one kernel. Others are in the nature of the operations. */
static const struct {
    const char *reason, *change;
} changes[] = {
    { "ORRERY_FUSE=off", "ORRERY_FUSE=on" },
    { "mixes axes", "an operation on the shape of the value itself (the reshape or transpose after both lines)" },
    { "too many to compute at each", "a read at one place, or fewer shifted reads" },
    { "by number", "an orr_slice or a mask in place of numbered reads" },
    { "already", "fewer arrays in one expression (orr_concat or one array of them)" },
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

/* The gain is the value's share of the line's bound, as a part of the time that was measured: a busy machine stretches both. */
static void remark_apart(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    const char *change = change_for(f->text);
    char where[280];
    if (!of || of->kernel <= 0)
        return;
    double moves = 1e-6 * orr__profile_move(orr__profile_now(), f->bytes) * of->launches,
           gain = of->kernel * (moves < bound_of(of) ? moves / bound_of(of) : 1);
    const char *with = place(where, sizeof where, of, f->of, f->of_line);
    if (change && gain >= REARRANGE_LEAST * s->total)
        add(of, gain, "not fused with %s: %s; %s would change it", with, f->text, change);
    else if (!change && !of->remarks && gain >= GAIN_LEAST * s->total)
        add(of, 0, "not fused with %s: %s", with, f->text);
}

static void remark_copy(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    double gain = f->n ? f->seconds * (double)f->part / (double)f->n : 0;
    if (of && f->part >= 2 && 2 * f->part >= f->n && gain >= GAIN_LEAST * s->total)
        add(of, gain,
            "the same %.3g MB are copied in %llu times; one orr_from before the loop, kept by orr_keep or in an outer "
            "scope, would change it",
            1e-6 * f->bytes / (double)f->n, (unsigned long long)f->n);
}

static void remark_read(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_BACK && s->fact[i].n >= 2 && s->fact[i].of && s->fact[i].of_line == f->line &&
            strcmp(s->fact[i].of, f->file) == 0)
            return; /* said there */
    if (of && f->n >= OFTEN && f->seconds >= GAIN_LEAST * s->total)
        add(of, f->seconds,
            "%llu reads copy %.3g MB each; orr_data, which copies nothing, fewer reads, or a smaller result would "
            "change it",
            (unsigned long long)f->n, 1e-6 * f->bytes / (double)f->n);
}

static bool same_line(const orr__note *f, const char *file, int line)
{
    return f->line == line && f->file && file && strcmp(f->file, file) == 0;
}

/* Seconds of the kernels of this name and line. */
static double kernel_named(const summary *s, const orr__note *f)
{
    double seconds = 0;
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_WORK && s->fact[i].line == f->line && s->fact[i].file && f->file &&
            strcmp(s->fact[i].file, f->file) == 0 && strcmp(s->fact[i].text, f->text) == 0)
            seconds += s->fact[i].seconds;
    return seconds;
}

static void remark_same(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    double gain = of && f->n ? kernel_named(s, f) * (double)f->part / (double)f->n : 0;
    bool said = of && strstr(of->text, "the same values") != NULL; /* of another kernel of this line */
    char where[280];
    for (int i = 0; i < s->nfact; i++)
        said = said || (s->fact[i].kind == ORR__NOTE_AGAIN && same_line(&s->fact[i], f->file, f->line) &&
                        s->fact[i].n >= f->part); /* with what one evaluation computes again */
    if (!of || said || f->part < (f->of ? 1 : OFTEN) || 2 * f->part < f->n || gain < GAIN_LEAST * s->total)
        return;
    if (f->of)
        add(of, gain,
            "the same values are computed as at %s, from the same inputs; that tensor, kept by orr_keep or in an outer "
            "scope, would change it",
            place(where, sizeof where, of, f->of, f->of_line));
    else
        add(of, gain,
            "the same values are computed from the same inputs in %llu evaluations; one orr_eval before the loop, of a "
            "tensor that orr_keep or an outer scope keeps, would change it",
            (unsigned long long)f->n);
}

/* The kinds of facts that name a part of a kernel's time. One note for all kernels to which a line does that. */
static const struct {
    orr__note_kind kind;
    double least;     /* share of the whole time */
    const char *text; /* with the kernels' lines */
} parts[] = {
    { ORR__NOTE_TURNED, REARRANGE_LEAST,
      "an operand is read across its rows, as after orr_transpose; a copy in the order of the reads, made once "
      "(orr_eval of the transposed tensor), would change it" },
    { ORR__NOTE_WIDE, 0.0002,
      "data of f32 becomes f64 here, and the kernels of line %s work with twice the bytes; an operand of f32 "
      "(orr_scalar, orr_cast to ORR_F32) in place of that of %s would change it" },
    { ORR__NOTE_ORDER, GAIN_LEAST,
      "a product of three matrices in the order that has more terms; the other two first, as A (B v) in place of "
      "(A B) v, would change it" },
    { ORR__NOTE_ZEROS, GAIN_LEAST,
      "nearly all elements of an operand are zero; orr_mul by the elements of a diagonal, or orr_take of the rows in "
      "place of a one-hot product, would change it" },
    { ORR__NOTE_UNREAD, GAIN_LEAST,
      "only a part of its elements is read; that part of the operands (orr_slice, orr_take), or orr_topk in place of "
      "a sort, would change it" },
    { ORR__NOTE_TILED, GAIN_LEAST,
      "elements that are equal along an axis are stored; an axis of length 1, along which operations repeat it "
      "without storing it, would change it" },
};

/* The line's kernels compute the same in most evaluations. */
static bool is_same(const summary *s, const char *file, int line)
{
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_SAME && same_line(&s->fact[i], file, line) && s->fact[i].part >= OFTEN &&
            2 * s->fact[i].part >= s->fact[i].n)
            return true;
    return false;
}

static void remark_part(summary *s, int first)
{
    const orr__note *f = &s->fact[first];
    size_t row = 0;
    double gain = 0, most = 0;
    char where[160] = "";
    while (row < sizeof parts / sizeof *parts && parts[row].kind != f->kind)
        row++;
    for (int i = 0; i < s->nfact && row < sizeof parts / sizeof *parts; i++) {
        const orr__note *g = &s->fact[i];
        if (g->kind != f->kind || !(*f->text ? strcmp(g->text, f->text) == 0 : same_line(g, f->file, f->line)))
            continue;
        if (i < first)
            return;
        const source *of = source_of(s, g->of, g->of_line);
        if (g->kind == ORR__NOTE_ORDER && of && is_same(s, g->of, g->of_line)) /* that product is not needed at all */
            return;
        if (g->kind == ORR__NOTE_ZEROS && g->a < 0.75 * (double)g->n)
            return;
        bool near = g->kind == ORR__NOTE_TURNED && of && 2 * of->memory >= of->kernel; /* near the bound all the same */
        double own = of && g->n && !near ? of->kernel * g->a / (double)g->n : 0;
        gain += own;
        if (own > most) {
            most = own;
            f = g;
        }
        char line[16];
        size_t at = strlen(where);
        (void)snprintf(line, sizeof line, "%s%d", at ? ", " : "", g->of_line);
        if (at + 16 < sizeof where && !strstr(where, line + (at ? 2 : 0)))
            (void)snprintf(where + at, sizeof where - at, "%s", line);
    }
    source *of = source_of(s, f->file, f->line);
    if (of && gain > 0 && gain >= parts[row].least * s->total)
        add(of, gain, parts[row].text, where, f->text);
}

/* -- values that are computed again --------------------------------------------------------------------------- */

/* The kernels that compute the values of this line: their time, and their work. */
static void kernels_of(summary *s, const char *file, int line, double *kernel, double *flops)
{
    const source *of = source_of(s, file, line);
    *kernel = of ? of->kernel : 0;
    *flops = of ? of->flops : 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        const source *by =
            g->kind == ORR__NOTE_INSIDE && same_line(g, file, line) ? source_of(s, g->of, g->of_line) : NULL;
        *kernel += by ? by->kernel : 0;
        *flops += by ? by->flops : 0;
    }
}

/* All that one evaluation computes again is one remark, at the line of the value from which it computes what is new. The time of a
 * computation is its part of its kernels' work, and half of the kernels' at most. */
static void remark_again(summary *s, int first)
{
    const orr__note *f = &s->fact[first], *last = NULL;
    double gain = 0, most = -1, kernel, flops;
    uint64_t n = 0;
    char where[280];
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *g = &s->fact[i];
        if (g->kind != ORR__NOTE_AGAIN || g->of_line != f->of_line || !g->of || strcmp(g->of, f->of) != 0)
            continue;
        if (i < first)
            return;
        if (g->n == 0)
            continue;
        kernels_of(s, g->file, g->line, &kernel, &flops);
        double own = flops > 0 && g->flops < 0.5 * flops ? kernel * g->flops / flops : 0.5 * kernel;
        gain += own;
        n = g->n > n ? g->n : n;
        if ((g->part > 0) + own / (s->total > 0 ? s->total : 1) > most) {
            most = (g->part > 0) + own / (s->total > 0 ? s->total : 1);
            last = g;
        }
    }
    source *of = last ? source_of(s, last->file, last->line) : NULL;
    if (of && n >= 2 && gain >= GAIN_LEAST * s->total)
        add(of, gain,
            "computed again %llu times, by the evaluation of %s; one orr_eval_all of all results that need it, or "
            "orr_eval of this value, would change it",
            (unsigned long long)n, place(where, sizeof where, of, f->of, f->of_line));
}

static void remark_back(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    double gain = f->seconds;
    char where[280];
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_READ && same_line(&s->fact[i], f->of, f->of_line))
            gain += s->fact[i].seconds;
    if (of && f->n >= 2 && gain >= GAIN_LEAST * s->total)
        add(of, gain, "%.3g MB that %s read come back unchanged, in %llu times; the tensor itself would change it",
            1e-6 * f->bytes / (double)f->n, place(where, sizeof where, of, f->of, f->of_line),
            (unsigned long long)f->n);
}

/* The value is written and read once, where it could stay in the cache. */
static void remark_early(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->of, f->of_line);
    const source *reader = source_of(s, f->file, f->line);
    double alone = f->n > f->part ? (double)(f->n - f->part) : 0, moves = 0, gain = 0;
    char where[280];
    of = source_of(s, f->of, f->of_line);
    if (!of || !reader || 2 * alone < (double)f->n || 2 * alone < reader->launches || 2 * alone < of->launches)
        return;
    moves = 1e-6 * orr__profile_move(orr__profile_now(), f->bytes / (double)f->n) * alone;
    gain += of->kernel * (moves < bound_of(of) ? moves / bound_of(of) : 1);
    gain += reader->kernel * (moves < bound_of(reader) ? moves / bound_of(reader) : 1);
    if (gain >= REARRANGE_LEAST * s->total)
        add(of, gain,
            "an evaluation ends with this value, which only %s reads; without that orr_eval both would be one kernel",
            place(where, sizeof where, of, f->file, f->line));
}

/* Plans of this line. *grown: those of more operations than the one before. */
static uint64_t plans_of(const summary *s, const orr__note *call, uint64_t *grown)
{
    uint64_t n = 0;
    *grown = 0;
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        if (f->kind == ORR__NOTE_PLAN && f->line == call->line && f->file && call->file &&
            strcmp(f->file, call->file) == 0) {
            n += f->n;
            *grown += f->part;
        }
    }
    return n;
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
static void remark_grown(summary *s, const orr__note *f)
{
    uint64_t grown;
    source *of = source_of(s, f->file, f->line);
    double gain = of && f->n ? of->kernel * (double)f->part / (double)(f->n + 1) : 0;
    for (int i = 0; i < s->nfact && f == growing(s); i++) {
        const orr__note *call = &s->fact[i];
        uint64_t plans = call->kind == ORR__NOTE_CALL ? plans_of(s, call, &grown) : 0;
        if (plans >= OFTEN && 2 * plans >= call->n && grows_with(f, (double)plans))
            gain += call->seconds - call->a - idle(s, call);
    }
    of = source_of(s, f->file, f->line);
    if (of && f->part >= OFTEN && 2 * f->part >= f->n && gain >= GAIN_LEAST * s->total)
        add(of, gain,
            "a value grows in %llu evaluations, and what it had is copied in each; a list of the parts and one "
            "orr_concat after the loop, or a variable of the last size, would change it",
            (unsigned long long)f->n);
}

/* Values that stay are written to memory that the process has not used before, a page at a time; and the memory ends. One line of a loop
 * tells it. */
static void remark_growth(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    double gain = f->bytes / PAGE * 1e-6 * FAULT_US;
    const orr__note *grown = growing(s);
    uint64_t more;
    (void)plans_of(s, f, &more);
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_AGAIN && s->fact[i].of_line == f->line && s->fact[i].of && f->file &&
            strcmp(s->fact[i].of, f->file) == 0 && s->fact[i].n > 2 * f->n)
            return; /* values of earlier steps stay since they are computed again */
    for (int i = 0; i < s->nfact; i++)
        if (s->fact[i].kind == ORR__NOTE_CALL &&
            (s->fact[i].bytes > f->bytes || (s->fact[i].bytes == f->bytes && &s->fact[i] < f)))
            return;
    if (of && f->n >= OFTEN && 2 * f->part >= f->n && f->bytes >= PAGE * (double)f->n && 2 * more < f->n &&
        !(grown && f->bytes <= 2 * grown->bytes) && 4 * f->bytes >= (double)orr__pool_get_stats().peak)
        add(of, gain,
            "values in memory grow by %.3g MB in %llu evaluations; a scope in the loop (orr_scope_begin, "
            "orr_scope_end), or orr_free, would change it",
            1e-6 * f->bytes, (unsigned long long)f->n);
}

static void remark_call(summary *s, const orr__note *f)
{
    source *of = source_of(s, f->file, f->line);
    double n = (double)f->n, planning = f->seconds - f->a - idle(s, f), rest = f->seconds - planning;
    uint64_t grown, plans = plans_of(s, f, &grown);
    if (!of || f->n < OFTEN || (2 * plans >= f->n && grows_with(growing(s), (double)plans)))
        return;
    if (2 * grown >= f->n && planning >= GAIN_LEAST * s->total)
        add(of, planning,
            "%llu plans for %llu evaluations, each of more operations than the one before, since values of earlier "
            "steps are computed "
            "again; one orr_eval in each step of what it hands to the next would change it",
            (unsigned long long)plans, (unsigned long long)f->n);
    else if (2 * plans >= f->n && planning >= GAIN_LEAST * s->total)
        add(of, planning,
            "%llu plans for %llu evaluations, since shapes or operations differ each time; equal shapes (padding), or "
            "numbers in tensors and orr_scalar, would change it",
            (unsigned long long)plans, (unsigned long long)f->n);
    else if (f->n >= MANY && rest < 1e-6 * SMALL_US * n && 4 * f->b < rest && rest - f->b >= GAIN_LEAST * s->total)
        add(of, rest - f->b,
            "%llu evaluations of %.3g us, whose kernels need %.2g us at the machine's speed; more work in each "
            "(orr_eval_all of several results, larger arrays), or orr_graph_build, would change it",
            (unsigned long long)f->n, 1e6 * rest / n, 1e6 * f->b / n);
}

static void remark(summary *s)
{
    for (int i = 0; i < s->nfact; i++) {
        const orr__note *f = &s->fact[i];
        switch (f->kind) {
        case ORR__NOTE_COPY: remark_copy(s, f); break;
        case ORR__NOTE_AGAIN: remark_again(s, i); break;
        case ORR__NOTE_BACK: remark_back(s, f); break;
        case ORR__NOTE_EARLY: remark_early(s, f); break;
        case ORR__NOTE_CALL:
            remark_growth(s, f);
            remark_call(s, f);
            break;
        case ORR__NOTE_READ: remark_read(s, f); break;
        case ORR__NOTE_SAME: remark_same(s, f); break;
        case ORR__NOTE_GROWN: remark_grown(s, f); break;
        default: remark_part(s, i); break;
        }
    }
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
    free(s->of);
}

/* -- output ------------------------------------------------------------------------------------------------ */

/* The text of a note after "note: ". */
static void describe(const summary *s, const source *of, char *to, size_t size)
{
    double bound = bound_of(of);
    int at = snprintf(to, size, "%.0f %% of the time", s->total > 0 ? 100 * of->seconds / s->total : 0);
    if (bound > 0 && of->kernel >= 0.5 * of->seconds)
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
    char text[900], file[1024];
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
    char text[900], file[1024], of_file[1024];
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
    char text[900];
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
    orr__notes_start();
    return ORR_OK;
}
