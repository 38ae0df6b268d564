/* The numerical X-ray of a dump: each step in the program's precision and in wider reals beside it; the digits that are significant, the
 * steps that lose them, and the precision that would do.
 * Must not know: engines, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/dump.h>
#include "ops/reference_wide.h"
#include "runtime/api/dump.h"
#include "runtime/api/eval.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/signals.h"

/* An element is bad if it has lost half of the digits of the least precise dtype on its way; a step loses digits if this share of its elements is bad, and of none
 * of its operands: so a sum of many terms is named at the term that takes the last of half of the digits. Fewer bad elements than SOUND are none. */
#define BAD_SHARE 0.25 /* limit of a promise */
#define SOUND 0.01     /* limit of a promise */
/* Elements of one value beyond which the evaluation in wider reals would take many minutes. */
#define MOST ((int64_t)1 << 26)

enum { NARROWER = 2 }; /* dtypes that are tried in place of the program's */

/* The errors of a step's value, against wider reals. */
typedef struct {
    double unit;          /* the greatest unit roundoff of the steps up to it; of an input 0 */
    double share;         /* of bad elements                                                 */
    double beyond;        /* of elements that are not finite, but are in wider reals         */
    double digits, worst; /* decimal, of the median element, of the worst one                */
    double size;          /* the largest element                                             */
    double peak;          /* of a sum of several steps, the largest element on the way        */
} quality;

typedef struct {
    orr__dump d;
    orr__node **node;
    orr__wide *value;
    orr__real **narrow[NARROWER]; /* by step: rounded to a narrower dtype after each step */
    quality *quality;
    int *last;      /* the step that reads it last; results: none */
    uint8_t *lasts; /* LAST_…: what it lost is missing in a result, too */
    int found;
} xray;

enum { LAST_DIGITS = 1, LAST_RANGE = 2 };

static const orr_dtype narrower[NARROWER] = { ORR_F32, ORR_BF16 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The relative error of an element, infinite if it is not finite and should be; −1: it has none, as it should be 0, infinite, or below what the dtype holds. `noise`: what is left of
 * larger operands in the wider reals. */
static double error_of(orr__real own, orr__real wide, orr_dtype t, double noise)
{
    double least = t == ORR_F16 ? 0x1p-14 : t == ORR_F64 ? 0x1p-1022 : 0x1p-126;
    if (isfinite(wide) && !isfinite(own))
        return INFINITY;
    if (!isfinite(wide) || ORR__REAL(fabs)(wide) < least || ORR__REAL(fabs)(wide) <= (orr__real)noise)
        return -1;
    return (double)(ORR__REAL(fabs)(own - wide) / ORR__REAL(fabs)(wide));
}

static quality judge(const orr__real *own, const orr__array *of, const orr__real *wide, orr_dtype t, double unit,
                     double noise)
{
    double *error = orr__alloc_n((size_t)of->count + 1, sizeof *error), bad = sqrt(unit), most = -log10(unit);
    quality q = { .unit = unit, .digits = most, .worst = most };
    int64_t n = 0, nbad = 0, beyond = 0;
    for (int64_t i = 0; i < of->count && error; i++) {
        double e = error_of(own ? own[i] : orr__reference_get(of, i), wide[i], t, noise);
        if (isfinite(wide[i]) && ORR__REAL(fabs)(wide[i]) > (orr__real)q.size)
            q.size = (double)ORR__REAL(fabs)(wide[i]);
        if (e < 0)
            continue;
        error[n++] = e;
        nbad += e > bad;
        beyond += isinf(e);
    }
    if (n > 0) {
        qsort(error, (size_t)n, sizeof *error, by_size);
        q.share = (double)nbad / (double)n;
        q.beyond = (double)beyond / (double)n;
        q.digits = error[n / 2] > 0 ? fmin(most, fmax(0, -log10(error[n / 2]))) : most;
        q.worst = error[n - 1] > 0 ? fmin(most, fmax(0, -log10(error[n - 1]))) : most;
    }
    free(error);
    return q;
}

/* -- one step ---------------------------------------------------------------------------------------------- */

static bool is_float(const xray *x, int i)
{
    return orr__is_float(x->d.node[i].dtype);
}

/* The value in the program's precision, by the engine. */
static orr_status own_value(orr__site at, xray *x, int i)
{
    const orr__dump_node *n = &x->d.node[i];
    orr__buffer *b;
    orr_status st = n->leaf >= 0 ? ORR_OK : orr__eval_nodes(at, &x->node[i], 1, NULL);
    if (st == ORR_OK)
        st = orr__dump_value(at, x->node[i], &b);
    if (st != ORR_OK)
        return st;
    x->value[i].own = (orr__array){ n->dtype, n->shape, orr__shape_count(&n->shape), b->host };
    orr__buffer_unref(b); /* the node keeps it */
    return x->value[i].own.count <= MOST
               ? ORR_OK
               : orr__fail(ORR__SITE(n->file, n->line, n->op), ORR_EINVAL,
                           "the value has %lld elements; an X-ray takes up to %lld: run the program on less data",
                           (long long)x->value[i].own.count, (long long)MOST);
}

/* The step in wider reals, from operands that are `wide`, or narrow[k]. */
static orr_status wide_value(xray *x, int i, int narrow)
{
    const orr__dump_node *n = &x->d.node[i];
    const orr__wide **in = orr__alloc_n((size_t)n->nin + 1, sizeof *in);
    orr__wide *few = orr__alloc_n((size_t)n->nin + 1, sizeof *few), out = { .own = x->value[i].own };
    orr_status st = ORR_ENOMEM;
    out.wide = orr__alloc_n((size_t)out.own.count + 1, sizeof *out.wide);
    for (int k = 0; k < n->nin && in && few; k++) {
        few[k] = x->value[n->arg[k]];
        if (narrow >= 0)
            few[k].wide = x->narrow[narrow][n->arg[k]];
        in[k] = &few[k];
    }
    if (in && few && out.wide)
        st = orr__wide_eval(x->node[i], n->nin, in, &out);
    for (int64_t e = 0; st == ORR_OK && narrow >= 0 && e < out.own.count; e++)
        out.wide[e] = orr__wide_round(out.wide[e], narrower[narrow]);
    free(in);
    free(few);
    if (narrow < 0)
        x->value[i].wide = out.wide;
    else
        x->narrow[narrow][i] = out.wide;
    return st;
}

static void release(xray *x, int i)
{
    free(x->value[i].wide);
    x->value[i].wide = NULL;
    for (int k = 0; k < NARROWER; k++) {
        free(x->narrow[k][i]);
        x->narrow[k][i] = NULL;
    }
    orr__node_unref(x->node[i]);
    x->node[i] = NULL;
}

/* -- findings ---------------------------------------------------------------------------------------------- */

/* A step that has its digits ends the losses of its operands: log(1 + 1e-9) may have none, and 5 + log(1 + 1e-9) has all. */
static void mark_lasting(xray *x)
{
    for (int k = 0; k < x->d.nout; k++)
        x->lasts[x->d.out[k].node] = LAST_DIGITS | LAST_RANGE;
    for (int i = x->d.n - 1; i >= 0; i--) {
        const quality *q = &x->quality[i];
        unsigned through = !is_float(x, i) ? LAST_DIGITS | LAST_RANGE
                                           : (q->share >= SOUND ? LAST_DIGITS : 0) | (q->beyond > 0 ? LAST_RANGE : 0);
        for (int k = 0; k < x->d.node[i].nin; k++)
            x->lasts[x->d.node[i].arg[k]] |= (uint8_t)(x->lasts[i] & through);
    }
}

/* The step's result leaves the dtype's range, or becomes NaN, for operands that are finite. */
static bool report_range(FILE *to, xray *x, int i)
{
    const orr__dump_node *n = &x->d.node[i];
    const quality *q = &x->quality[i];
    char text[1200];
    bool lasts = x->lasts[i] & LAST_RANGE || (x->lasts[i] & LAST_DIGITS && q->share >= BAD_SHARE);
    if (q->beyond == 0 || !lasts)
        return false;
    for (int k = 0; k < n->nin; k++)
        if (x->quality[n->arg[k]].beyond > 0 || x->quality[n->arg[k]].share >= BAD_SHARE)
            return true; /* they were before, or an operand has lost its digits, as a difference that is 0 in place of a small one */
    fprintf(to,
            "%s: overflow: %.2g %% of its elements are not finite, and up to %.3g in wider reals; %s would keep them\n",
            orr__dump_step(n, text, sizeof text), 100 * q->beyond, q->size,
            n->dtype == ORR_F64 ? "a formula with smaller numbers" : "float64, or a formula with smaller numbers,");
    x->found++;
    return true;
}

/* The step has lost digits that its operands had. */
static void report(FILE *to, xray *x, int i)
{
    const orr__dump_node *n = &x->d.node[i];
    quality *q = &x->quality[i];
    double size = 0;
    char text[1200];
    if (report_range(to, x, i) || q->share < BAD_SHARE || !(x->lasts[i] & LAST_DIGITS))
        return;
    for (int k = 0; k < n->nin; k++) {
        const quality *p = &x->quality[n->arg[k]];
        if (p->share >= BAD_SHARE) /* they were lost before */
            return;
        size = fmax(size, p->peak);
    }
    bool cancels = size > 16 * q->size; /* limit of search */
    fprintf(to, "%s: %s: %.1f of %.1f digits are left in %.0f %% of its elements%s",
            orr__dump_step(n, text, sizeof text), cancels ? "cancellation" : "lost digits", q->digits, -log10(q->unit),
            100 * q->share, cancels ? ": " : "");
    if (cancels)
        fprintf(to, "operands up to %.3g leave %.3g", size, q->size);
    fprintf(to, "; %s, or a formula without the %s, would keep them\n",
            n->dtype == ORR_F64 ? "exact operands" : "float64 from the operands on", cancels ? "difference" : "step");
    x->found++;
}

static void table_row(FILE *to, const xray *x, int i)
{
    char text[1200];
    const quality *q = &x->quality[i];
    fprintf(to, "  %5.1f %5.1f  %s\n", q->digits, q->worst, orr__dump_step(&x->d.node[i], text, sizeof text));
}

/* The digits of the results if all steps were of a narrower dtype. */
static void propose(FILE *to, const xray *x)
{
    for (int t = 0; t < NARROWER; t++) {
        double digits = 99, most = -log10(orr__wide_roundoff(narrower[t]));
        bool any = false;
        for (int k = 0; k < x->d.nout; k++) {
            int i = x->d.out[k].node;
            if (!is_float(x, i) || orr__wide_roundoff(x->d.node[i].dtype) >= orr__wide_roundoff(narrower[t]))
                continue;
            quality q = judge(x->narrow[t][i], &x->value[i].own, x->value[i].wide, narrower[t],
                              orr__wide_roundoff(narrower[t]), 0);
            any = true;
            digits = q.digits < digits ? q.digits : digits;
        }
        if (any && digits >= most / 2)
            fprintf(to, "cast: all steps in %s would leave %.1f digits in the results, a relative error of %.0e\n",
                    orr_dtype_name(narrower[t]), digits, pow(10, -digits));
    }
}

static bool adds(const orr__dump_node *n)
{
    return strcmp(n->op, "add") == 0 || strcmp(n->op, "sub") == 0;
}

/* Nothing of large operands is left in a small result. */
static bool scales(const orr__dump_node *n)
{
    return strcmp(n->op, "mul") == 0 || strcmp(n->op, "div") == 0;
}

static orr_status step(orr__site at, xray *x, int i)
{
    const orr__dump_node *n = &x->d.node[i];
    orr_status st = own_value(at, x, i);
    double size = 0, unit = orr__is_float(n->dtype) ? orr__wide_roundoff(n->dtype) : 0;
    for (int k = -1; k < NARROWER && st == ORR_OK && is_float(x, i); k++)
        st = wide_value(x, i, k);
    for (int k = 0; k < n->nin && st == ORR_OK; k++) {
        size = fmax(size, x->quality[n->arg[k]].size);
        unit = fmax(unit, x->quality[n->arg[k]].unit);
    }
    if (st == ORR_OK && is_float(x, i)) {
        double noise = scales(n) ? 0 : ldexp(16, 1 - ORR__WIDE_BITS) * size;
        x->quality[i] = judge(NULL, &x->value[i].own, x->value[i].wide, n->dtype, unit, noise);
        if (n->leaf >= 0)
            x->quality[i].unit = 0;
        x->quality[i].peak = x->quality[i].size;
        for (int k = 0; k < n->nin; k++)
            if (adds(n) && x->quality[n->arg[k]].share < BAD_SHARE)
                x->quality[i].peak = fmax(x->quality[i].peak, x->quality[n->arg[k]].peak);
    }
    return st;
}

static orr_status look(orr__site at, FILE *to, xray *x)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < x->d.n; i++)
        for (int k = 0; k < x->d.node[i].nin; k++)
            x->last[x->d.node[i].arg[k]] = i;
    for (int k = 0; k < x->d.nout; k++)
        x->last[x->d.out[k].node] = -1;
    for (int i = 0; i < x->d.n && st == ORR_OK; i++) {
        st = step(at, x, i);
        for (int k = 0; k < x->d.node[i].nin && st == ORR_OK; k++)
            if (x->last[x->d.node[i].arg[k]] == i) {
                x->last[x->d.node[i].arg[k]] = -1;
                release(x, x->d.node[i].arg[k]);
            }
    }
    if (st == ORR_OK) {
        mark_lasting(x);
        for (int i = 0; i < x->d.n; i++)
            report(to, x, i);
        fprintf(to, "digits of the median and of the worst element, by step:\n");
        for (int i = 0; i < x->d.n; i++)
            if (is_float(x, i) && x->d.node[i].leaf < 0)
                table_row(to, x, i);
        propose(to, x);
    }
    return st;
}

static orr_status prepare(orr__site at, xray *x)
{
    size_t n = (size_t)x->d.n + 1;
    x->value = orr__alloc_n(n, sizeof *x->value);
    x->quality = orr__alloc_n(n, sizeof *x->quality);
    x->last = orr__alloc_n(n, sizeof *x->last);
    x->lasts = orr__alloc_n(n, sizeof *x->lasts);
    bool ok = x->value && x->quality && x->last && x->lasts;
    for (int k = 0; k < NARROWER; k++)
        ok = (x->narrow[k] = orr__alloc_n(n, sizeof *x->narrow[k])) && ok;
    return ok ? orr__dump_nodes(at, &x->d, &x->node) : ORR_ENOMEM;
}

static void forget(xray *x)
{
    for (int i = 0; x->node && i < x->d.n; i++)
        release(x, i);
    for (int k = 0; k < NARROWER; k++)
        free(x->narrow[k]);
    free(x->node);
    free(x->value);
    free(x->quality);
    free(x->last);
    free(x->lasts);
    orr__dump_free(&x->d);
}

orr_status orr_xray(FILE *to, const char *path, int *found)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(NULL, 0, "xray");
    xray x = { .found = 0 };
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    orr_status st = orr__need_running(at);
    if (st != ORR_OK || (st = orr__dump_read(at, path, &x.d)) != ORR_OK)
        return st;
    ORR__GUARD_WRITES;
    ORR__WITH_POINT;
    if ((st = prepare(at, &x)) == ORR_OK)
        st = look(at, to, &x);
    if (found)
        *found = x.found;
    forget(&x);
    return st == ORR_OK ? orr__printed(at, to) : st;
}
