/* What a step reads, and plans as text and under check.
 * Must not know: StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/plan/make.h"

void orr__step_reads(const orr__step *s, int t, int i, int64_t *first, int64_t *end)
{
    const orr__region *r = s->region;
    *first = 0;
    *end = r->in_count[i];
    if (!orr__region_loops(r))
        return;
    int64_t rows0 = t * s->rows, rows1 = rows0 + s->rows < r->dim[0] ? rows0 + s->rows : r->dim[0];
    int64_t lo = INT64_MAX, hi = -1;
    for (int k = 0; k < r->naccess; k++) {
        const orr__access *a = &r->access[k];
        if (a->input != i)
            continue;
        if (a->placed)
            return; /* wherever an index says */
        int64_t from = a->offset, to = from;
        bool none = false;
        int axes = r->product && k >= 2 ? r->rank - 1 : r->rank; /* not along k */
        for (int d = 0; d < axes; d++) {
            int64_t begin = d ? 0 : rows0, stop = d ? r->dim[d] : rows1;
            if (a->box >> d & 1u) {
                begin = a->lo[d] > begin ? a->lo[d] : begin;
                stop = a->hi[d] < stop ? a->hi[d] : stop;
            }
            int64_t first_at = a->stride[d] * begin, last_at = a->stride[d] * (stop - 1);
            none = none || begin >= stop; /* nothing is iterated, nothing is read */
            from += first_at < last_at ? first_at : last_at;
            to += first_at < last_at ? last_at : first_at;
        }
        lo = !none && from < lo ? from : lo;
        hi = !none && to > hi ? to : hi;
    }
    if (hi < lo) {
        *end = 0;
        return;
    }
    *first = lo;
    *end = hi + 1;
}

bool orr__step_commutes(const orr__plan *p, const orr__step *s)
{
    return s->adds && s->part < s->parts - 1 && s->members < 2 && p->value[s->out[0]].over >= 0 &&
           !orr__env.deterministic;
}

static size_t local_bytes(const orr__value *v)
{
    return (size_t)v->tile * orr_dtype_size(v->dtype);
}

/* Does step i, inside a strip, read elsewhere than in its own tile what members from `head` on make? */
static bool strays(const orr__plan *p, int i, int head)
{
    const orr__step *s = &p->step[i];
    for (int k = 0; k < s->region->nin; k++) {
        const orr__value *v = &p->value[s->in[k]];
        for (int t = 0; t < s->ntiles && v->leaf < 0 && v->first >= head; t++) {
            int64_t first, end;
            orr__step_reads(s, t, k, &first, &end);
            if (end > first && (first < t * v->tile || end > (t + 1) * v->tile))
                return true;
        }
    }
    return false;
}

/* Members of a bundle have equally many tiles; what they keep to themselves nobody else touches. */
static const char *check_bundle(const orr__plan *p, int i)
{
    int head = orr__plan_head(p, i), end = p->step[head].members > 1 ? head + p->step[head].members : head + 1;
    const orr__step *s = &p->step[i];
    if (end > p->nstep || (end > head + 1 && s->ntiles != p->step[head].ntiles))
        return "a bundle of too many steps, or of unequal tiles";
    if (end > head + 1 && strays(p, i, head))
        return "a strip reads what is another's";
    for (int k = 0; k < s->region->nout + s->region->nin; k++) {
        const orr__value *v = &p->value[k < s->region->nout ? s->out[k] : s->in[k - s->region->nout]];
        if (v->local && (v->leaf >= 0 || v->output >= 0 || v->slot >= 0 || v->first < head || v->last >= end ||
                         v->scratch + local_bytes(v) > p->scratch_bytes))
            return "a bundle's own value is seen outside, or has no room";
    }
    return NULL;
}

/* Values of one bundle that live at the same time lie apart. */
static bool overlap(const orr__value *a, const orr__value *b)
{
    return a->local && b->local && b->last >= a->first && a->scratch < b->scratch + local_bytes(b) &&
           b->scratch < a->scratch + local_bytes(a);
}

/* Does an output of step i lie in the bytes of one that its bundle made before, and still reads? live[0 … *n): those. */
static bool crowds(const orr__plan *p, int i, int *live, int *n)
{
    const orr__step *s = &p->step[i];
    *n = orr__plan_head(p, i) == i ? 0 : *n;
    for (int k = 0; k < s->region->nout; k++) {
        const orr__value *v = &p->value[s->out[k]];
        int kept = 0;
        for (int l = 0; v->local && l < *n; l++) {
            if (overlap(v, &p->value[live[l]]))
                return true;
            if (p->value[live[l]].last >= i)
                live[kept++] = live[l];
        }
        if (v->local) {
            *n = kept;
            live[(*n)++] = s->out[k];
        }
    }
    return false;
}

/* Values of one slot live one after the other; one in place begins where the other is read last. Outputs stay. */
static bool collide(const orr__plan *p, int early, int late)
{
    const orr__value *a = &p->value[early], *b = &p->value[late];
    int end = a->output >= 0 ? p->nstep : a->last - (b->over == early);
    return end >= b->first || a->first > b->first;
}

static const char *check_step(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    const orr__region *r = s->region;
    if (!s->cpu || s->ntiles < 1 || s->rows < 1)
        return "a step without a kernel or rows";
    if ((int64_t)s->ntiles * s->rows < r->dim[0])
        return "tiles do not cover the step";
    for (int k = 0; k < r->nin; k++) {
        const orr__value *v = s->in[k] >= 0 && s->in[k] < p->nvalue ? &p->value[s->in[k]] : NULL;
        if (!v || (v->leaf < 0 && v->first >= i) || v->count != r->in_count[k] || v->dtype != (orr_dtype)r->in_dtype[k])
            return "an input that is not there, or of another size";
    }
    for (int k = 0; k < r->nin; k++)
        if (p->value[s->in[k]].heir >= 0 && p->value[p->value[s->in[k]].heir].first < i)
            return "a leaf is read after its heir is written";
    for (int k = 0; k < r->nout; k++) {
        const orr__value *v = s->out[k] >= 0 && s->out[k] < p->nvalue ? &p->value[s->out[k]] : NULL;
        if (!v || v->leaf >= 0 || v->first != i || v->ntiles != s->ntiles ||
            v->count != r->out_count * (s->partial ? s->ntiles : 1))
            return "an output that is not its own, or of another size";
    }
    return NULL;
}

/* Values of one slot come in the order of their numbers, so each has to do with the one before it alone. */
static orr_status check_slots(const orr__plan *p)
{
    int *latest = malloc(((size_t)p->nslot + 1) * sizeof *latest);
    orr_status st = latest ? ORR_OK : orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_ENOMEM, "no memory to plan");
    for (int k = 0; latest && k < p->nslot; k++)
        latest[k] = -1;
    for (int i = 0; st == ORR_OK && i < p->nvalue; i++) {
        int slot = p->value[i].slot;
        if (slot >= 0 && latest[slot] >= 0 && collide(p, latest[slot], i))
            st = orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_EINTERNAL, "values %d and %d share memory while both live",
                           latest[slot], i);
        if (slot >= 0)
            latest[slot] = i;
    }
    free(latest);
    return st;
}

orr_status orr__plan_verify(const orr__plan *p)
{
    int *live = malloc(((size_t)p->nvalue + 1) * sizeof *live), n = 0;
    if (!live)
        return orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_ENOMEM, "no memory to plan");
    for (int i = 0; i < p->nstep; i++) {
        const char *why = check_step(p, i);
        if (!why && crowds(p, i, live, &n))
            why = "an output over a value of its bundle that lives";
        if (!why)
            why = check_bundle(p, i);
        if (why) {
            free(live);
            return orr__fail(ORR__SITE(p->step[i].region->file, p->step[i].region->line, p->step[i].region->label),
                             ORR_EINTERNAL, "step %d: %s", i, why);
        }
    }
    free(live);
    return check_slots(p);
}

static bool inside(const orr__plan *p, int i)
{
    return p->step[orr__plan_head(p, i)].members > 1;
}

static void print_bundle(FILE *to, const orr__plan *p, int i)
{
    double us = 0;
    for (int k = i; k < i + p->step[i].members; k++)
        us += p->step[k].cost.us;
    if (p->step[i].ntiles > 1)
        fprintf(to, "  strips through %d steps, %d tasks, %.0f µs\n", p->step[i].members, p->step[i].ntiles, us);
    else
        fprintf(to, "  bundle of %d steps, one task, %.0f µs\n", p->step[i].members, us);
}

void orr__plan_print(FILE *to, const orr__plan *p)
{
    int tasks = 0;
    for (int i = 0; i < p->nstep; i++)
        tasks += orr__plan_tasks(p, i);
    fprintf(to, "plan: %d steps, %d tasks, %d values, %d slots, %.0f µs on one core, %zu bytes (%zu one by one)\n",
            p->nstep, tasks, p->nvalue, p->nslot, p->us, p->bytes_all, p->bytes_peak);
    if (p->nkept > 0)
        fprintf(to, "  keeps %zu bytes for their holders, so that %zu bytes of old values can be written over\n",
                p->kept_bytes, p->spared_bytes);
    else if (p->kept_bytes > 0)
        fprintf(
            to,
            "  old values stay for who holds what is made of them: keeping that would take %zu bytes and spare %zu\n",
            p->kept_bytes, p->spared_bytes);
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        if (s->members > 1)
            print_bundle(to, p, i);
        char part[64] = "";
        if (s->parts > 1)
            (void)snprintf(part, sizeof part, " (%spart %d of %d%s)", s->adds ? "adds " : "", s->part + 1, s->parts,
                           orr__step_commutes(p, s) ? ", in any order" : "");
        fprintf(to, "  %sstep %d: \"%s\" %d × %lld rows%s, %.0f µs, cpu%s%s: ", inside(p, i) ? "  " : "", i,
                s->region->label, s->ntiles, (long long)s->rows,
                s->graph     ? " (graph)"
                : s->partial ? " (partial)"
                             : part,
                s->cost.us, s->opencl ? " opencl" : "", s->cuda ? " cuda" : "");
        for (int k = 0; k < s->region->nout; k++)
            fprintf(to, "v%d ", s->out[k]);
        fprintf(to, "<-");
        for (int k = 0; k < s->region->nin; k++)
            fprintf(to, " v%d", s->in[k]);
        fputc('\n', to);
    }
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        fprintf(to, "  v%d: %s × %lld", i, orr_dtype_name(v->dtype), (long long)v->count);
        if (v->leaf >= 0 && v->heir >= 0)
            fprintf(to, ", leaf %d, whose memory v%d may have\n", v->leaf, v->heir);
        else if (v->leaf >= 0)
            fprintf(to, ", leaf %d\n", v->leaf);
        else if (v->local)
            fprintf(to, ", steps %d…%d, in its bundle at %zu\n", v->first, v->last, v->scratch);
        else
            fprintf(to, ", %d tiles of %lld, steps %d…%d, %s %d%s\n", v->ntiles, (long long)v->tile, v->first, v->last,
                    v->output >= p->nout - p->nkept ? "kept as output"
                    : v->output >= 0                ? "output"
                                                    : "slot",
                    v->output >= 0 ? v->output : v->slot, v->over >= 0 ? ", in place" : "");
    }
}
