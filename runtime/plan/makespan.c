/* A plan's tasks on workers that exist only as the time when each is free.
 * Must not know: StarPU, what a task computes. */
#include "config.h"
#include "runtime/plan/makespan.h"
#include "runtime/plan/profile.h"

#include <stdlib.h>

/* Memories in which a value is. */
enum { HOME = 1, AWAY = 2 };

typedef struct {
    bool cpus, devices;
    double *done;         /* by value: when it is there                                    */
    unsigned char *where; /* by value: in which memories; 0: a leaf, which is everywhere   */
    double *clock;        /* by worker: processors, then devices                           */
} room;

static orr__on device_of(const orr__step *s)
{
    return s->cuda ? ORR__ON_CUDA : ORR__ON_OPENCL;
}

static bool for_devices(const orr__step *s)
{
    return s->members <= 1 && (s->cuda || s->opencl);
}

/* µs to bring what tile t of s reads, as far as it is not in that memory. */
static double bring(const room *m, const orr__step *s, int t, unsigned memory)
{
    double us = 0;
    for (int i = 0; s->members <= 1 && i < s->region->nin; i++) {
        unsigned at = m->where[s->in[i]];
        int64_t first, end;
        if (at == 0 || at & memory)
            continue;
        orr__step_reads(s, t, i, &first, &end);
        double bytes = (double)(end - first) * (double)orr_dtype_size((orr_dtype)s->region->in_dtype[i]);
        us += orr__plan_machine.bring_us + bytes * orr__plan_machine.bring_byte_us;
    }
    return us;
}

/* Tile t that takes us[0] on a processor, us[1] on a device (< 0: cannot): when it is done. */
static double place(room *m, const orr__step *s, int t, double ready, const double us[2], unsigned *memory)
{
    int cpus = orr__plan_machine.workers, best = -1;
    double ends = 0, key = 0;
    for (int w = 0; w < cpus + orr__plan_machine.devices; w++) {
        bool device = w >= cpus;
        if (us[device] < 0)
            continue;
        double from = m->clock[w] > ready ? m->clock[w] : ready;
        double end = from + us[device] + bring(m, s, t, device ? AWAY : HOME);
        double by = orr__plan_machine.placed ? end : from;
        if (best < 0 || by < key || (by <= key && end > ends)) { /* nobody knows which of two idle ones: the slower */
            best = w;
            key = by;
            ends = end;
        }
    }
    if (best < 0)
        return -1;
    m->clock[best] = ends;
    *memory |= best >= cpus ? AWAY : HOME;
    return ends;
}

static int64_t rows_of_tile(const orr__step *s)
{
    return s->ntiles > 1 ? s->rows : s->region->dim[0];
}

/* What one tile takes on each kind; the members of a bundle or a strip one after the other, a graph's tasks evenly on all
 * processors. */
static void costs(const room *m, const orr__step *s, double us[2])
{
    orr__guess g[ORR__ON_COUNT];
    double task = orr__profile_now()->task_us;
    us[0] = us[1] = -1;
    if (s->graph) {
        us[0] = s->us / orr__plan_machine.workers;
        return;
    }
    if (s->members > 1) {
        us[0] = task;
        for (int k = 0; k < s->members; k++)
            us[0] += orr__model_guess(&s[k], rows_of_tile(&s[k]), ORR__ON_CPU).us;
        return;
    }
    (void)orr__model_guesses(s, 0, g);
    bool device = m->devices && for_devices(s);
    us[1] = device ? g[device_of(s)].us + task : -1;
    us[0] = m->cpus || !device ? g[ORR__ON_CPU].us + task : -1;
}

static bool step(room *m, const orr__step *s)
{
    int n = s->members > 1 ? s->members : 1;
    double ready = 0, last = 0, us[2];
    unsigned memory = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s[k].region->nin; i++)
            ready = m->done[s[k].in[i]] > ready ? m->done[s[k].in[i]] : ready;
    costs(m, s, us);
    for (int t = 0; t < s->ntiles; t++) {
        double end = place(m, s, t, ready, us, &memory);
        if (end < 0)
            return false;
        last = end > last ? end : last;
    }
    for (int k = 0; k < n; k++)
        for (int o = 0; o < s[k].region->nout; o++) {
            m->done[s[k].out[o]] = last;
            m->where[s[k].out[o]] = (unsigned char)memory;
        }
    return true;
}

double orr__plan_makespan(const orr__plan *p, orr__way way)
{
    int workers = orr__plan_machine.workers + orr__plan_machine.devices;
    room m = { .cpus = way != ORR__DEVICES_ALONE, .devices = way != ORR__CPU_ALONE };
    double us = -1;
    m.done = orr__alloc_n((size_t)p->nvalue + 1, sizeof *m.done);
    m.where = orr__alloc_n((size_t)p->nvalue + 1, 1);
    m.clock = orr__alloc_n((size_t)workers + 1, sizeof *m.clock);
    if (m.done && m.where && m.clock) {
        bool all = true;
        for (int i = 0; i < p->nstep && all; i += p->step[i].members > 1 ? p->step[i].members : 1)
            all = step(&m, &p->step[i]);
        us = all ? 0 : -1;
        for (int w = 0; w < workers && all; w++)
            us = m.clock[w] > us ? m.clock[w] : us;
    }
    free(m.done);
    free(m.where);
    free(m.clock);
    return us;
}

bool orr__plan_measured(const orr__plan *p)
{
    double all = 0, known = 0;
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        orr__guess g[ORR__ON_COUNT];
        if (!for_devices(s))
            continue;
        (void)orr__model_guesses(s, 0, g);
        all += g[ORR__ON_CPU].us * s->ntiles;
        if (g[ORR__ON_CPU].basis == ORR__MEASURED && g[device_of(s)].basis == ORR__MEASURED)
            known += g[ORR__ON_CPU].us * s->ntiles;
    }
    return all > 0 && known >= 0.9 * all;
}
