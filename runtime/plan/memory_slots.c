/* Memory slots: values of a plan share memory in turn; each gets the first free slot of its kind.
 * Must not know: why values live as long as they do, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/heap.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

/* Values of one kind have the same tiles and use the same handles, so the engine's dependencies order those that share a slot. The free
 * slots of a kind are a heap, with the lowest number on top. A slot becomes free with the end of its owner. */
typedef struct {
    orr__plan *p;
    int *kind, *base, *size, *heap; /* value -> kind; kind -> begin of its heap, size of its heap */
    int *owner;                     /* slot -> the value that has it now                                */
    int *gone, *next;               /* step -> first value that ends there; value -> next such value, -1 */
    int step;                       /* values that end before this step have freed their slots          */
} slots;

static bool has_memory(const orr__value *v)
{
    return v->leaf < 0 && !v->local;
}

typedef struct {
    size_t bytes;
    int64_t tile;
    int ntiles, dtype, value;
} cut;

static int by_cut(const void *x, const void *y)
{
    const cut *a = x, *b = y;
    return a->bytes != b->bytes     ? (a->bytes < b->bytes ? -1 : 1)
           : a->tile != b->tile     ? (a->tile < b->tile ? -1 : 1)
           : a->ntiles != b->ntiles ? (a->ntiles < b->ntiles ? -1 : 1)
           : a->dtype != b->dtype   ? (a->dtype < b->dtype ? -1 : 1)
                                    : a->value - b->value;
}

/* Numbers the kinds, and reserves heap space for as many slots as each kind has values. */
static bool find_kinds(slots *s)
{
    int n = 0, kinds = 0;
    cut *all = malloc(((size_t)s->p->nvalue + 1) * sizeof *all);
    if (!all)
        return false;
    for (int i = 0; i < s->p->nvalue; i++) {
        const orr__value *v = &s->p->value[i];
        if (has_memory(v))
            all[n++] = (cut){ orr__value_bytes(v), v->tile, v->ntiles, (int)v->dtype, i };
    }
    qsort(all, (size_t)n, sizeof *all, by_cut);
    for (int k = 0; k < n; k++) {
        bool same = k > 0 && all[k].bytes == all[k - 1].bytes && all[k].tile == all[k - 1].tile &&
                    all[k].ntiles == all[k - 1].ntiles && all[k].dtype == all[k - 1].dtype;
        if (!same) {
            s->base[kinds] = k;
            s->size[kinds++] = 0;
        }
        s->kind[all[k].value] = kinds - 1;
    }
    free(all);
    return true;
}

static bool is_less(const void *user, int a, int b)
{
    (void)user;
    return a < b;
}

static void push(slots *s, int kind, int slot)
{
    orr__heap_push(s->heap + s->base[kind], s->size[kind]++, slot, is_less, NULL);
}

static int pop(slots *s, int kind)
{
    return s->size[kind] ? orr__heap_pop(s->heap + s->base[kind], s->size[kind]--, is_less, NULL) : -1;
}

/* Frees the slots whose owner's last task is before the one that begins at step `head`, unless another value has the slot by now. */
static void take_up(slots *s, int head)
{
    for (; s->step < head; s->step++)
        for (int v = s->gone[s->step]; v >= 0; v = s->next[v])
            if (s->owner[s->p->value[v].slot] == v)
                push(s, s->kind[v], s->p->value[v].slot);
}

/* True if a small value gets memory of its own: a task that writes to used memory waits for its earlier readers,
 * which costs more than a little memory. False if all work is done on the calling thread. */
static bool spares(const orr__plan *p, size_t bytes)
{
    return bytes <= ORR__T_OWN_SLOT && p->us >= orr__inline_us();
}

/* The step after which the memory of v may hold another value. Work that a step posts goes on while later steps are computed, so its
 * memory is reused only AHEAD such steps later. */
static int end_of(const orr__plan *p, const orr__value *v)
{
    enum { AHEAD = 4 };
    int left = orr__step_posts(&p->step[v->first]) || orr__step_posts(&p->step[v->last]) ? AHEAD : 0, i = v->last;
    while (left > 0 && ++i < p->nstep)
        left -= orr__step_posts(&p->step[i]);
    return i < p->nstep ? orr__plan_head(p, i) : p->nstep;
}

/* Gives value i a slot. An output keeps its slot to the end. */
static void find_slot(slots *s, int i)
{
    orr__plan *p = s->p;
    orr__value *v = &p->value[i];
    take_up(s, orr__plan_head(p, v->first));
    int donor = orr__temporary_donor(p, v);
    if (donor >= 0)
        v->slot = p->value[donor].slot;
    else if (!spares(p, orr__value_bytes(v)))
        v->slot = pop(s, s->kind[i]);
    if (v->slot < 0 && v->output < 0) {
        v->slot = p->memory.nslot++;
        p->memory.slot_bytes[v->slot] = orr__value_bytes(v);
    }
    if (v->slot < 0)
        return;
    s->owner[v->slot] = i;
    if (v->output < 0) {
        int end = end_of(p, v);
        s->next[i] = s->gone[end];
        s->gone[end] = i;
    }
}

orr_status orr__pass_memory_slots(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nvalue + 1, steps = (size_t)p->nstep + 1;
    int *block = malloc((6 * n + steps) * sizeof *block);
    slots s = { .p = p };
    p->memory.slot_bytes = malloc(n * sizeof *p->memory.slot_bytes);
    bool ok = block && p->memory.slot_bytes;
    if (ok) {
        s.kind = block, s.base = block + n, s.size = block + 2 * n, s.heap = block + 3 * n, s.owner = block + 4 * n;
        s.next = block + 5 * n, s.gone = block + 6 * n;
        memset(s.gone, -1, steps * sizeof *s.gone);
        ok = find_kinds(&s);
    }
    for (int i = 0; ok && i < p->nvalue; i++)
        if (has_memory(&p->value[i]))
            find_slot(&s, i);
    free(block);
    return ok ? ORR_OK : orr__plan_enomem(planner);
}
