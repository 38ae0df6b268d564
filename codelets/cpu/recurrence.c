/* Recurrences by products with weights that are packed once: sequences side by side, step after step, forward and
 * backward.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "ops/nn/recurrence.h"
#include "runtime/base/held.h"
#include "runtime/base/minmax.h"

/* Sequences whose states and sums are in cache at a time: two of them are a panel of a product. */
enum { SIDE = ORR__LARGE_ROWS / 2 };

/* Packed weights, which are reused until the weights change. */
typedef struct {
    uint64_t content;
    int uses; /* guarded by the lock; the kernel has one */
    void *data;
} packed;

typedef struct {
    orr__recur r;
    const orr__vec *vec;
    const orr__launch *l;
    const char *const *in;
    bool wide;
    size_t z; /* bytes of an element */
    char *out;
    const void *right;
    packed *kept; /* NULL: `right` is scratch */
    char *sums, *gates, *dh, *dc, *c[2];
} job;

static void packed_unref(void *kept)
{
    packed *p = kept;
    if (p && --p->uses == 0) {
        free(orr__unhold(ORR_MEMORY_LIBRARIES, p->data));
        free(p);
    }
}

/* The product's right factor: terms × columns of w or its transpose. */
static orr__small factor(const job *j, bool back)
{
    int64_t n = j->r.hidden, wide = n * j->r.gates;
    orr__small s = { .b = j->in[j->r.w], .count = 1, .n = back ? n : wide, .k = back ? wide : n };
    s.b_row = back ? 1 : wide;
    s.b_col = back ? wide : 1;
    return s;
}

static bool pack(job *j, orr__own *own, bool back)
{
    orr__small s = factor(j, back);
    uint64_t content = j->l->known ? j->l->known[j->r.w].content : 0;
    size_t bytes = ((size_t)ORR__PACKED_ROOM(s.n, s.k) * j->z + 63) / 64 * 64;
    if (!content) {
        void *room = orr__scratch_for(ORR__FOR_FACTORS, bytes);
        if (room)
            j->vec->pack[j->wide](&s, room);
        j->right = room;
        return room != NULL;
    }
    (void)pthread_mutex_lock(&own->lock);
    packed *p = own->data;
    if (p && p->content == content)
        p->uses++;
    else
        p = NULL;
    (void)pthread_mutex_unlock(&own->lock);
    if (!p) {
        p = orr__alloc(sizeof *p);
        if (!p || !(p->data = aligned_alloc(64, bytes))) {
            free(p);
            (void)orr__fail(orr__cpu_site(j->l), ORR_ENOMEM, "no memory for %zu bytes of packed weights", bytes);
            return false;
        }
        (void)orr__hold(ORR_MEMORY_LIBRARIES, p->data);
        j->vec->pack[j->wide](&s, p->data);
        p->content = content;
        p->uses = 2;
        (void)pthread_mutex_lock(&own->lock);
        packed_unref(own->data);
        own->data = p;
        own->forget = packed_unref;
        (void)pthread_mutex_unlock(&own->lock);
    }
    j->kept = p;
    j->right = p->data;
    return true;
}

static void unpack(job *j, orr__own *own)
{
    if (!j->kept)
        return;
    (void)pthread_mutex_lock(&own->lock);
    packed_unref(j->kept);
    (void)pthread_mutex_unlock(&own->lock);
}

/* Element `at` of an array. */
static const char *element(const job *j, const char *array, int64_t at)
{
    return array + (size_t)at * j->z;
}

static bool within(const job *j, int64_t b, int64_t t)
{
    return j->r.length < 0 || t < ((const int64_t *)(const void *)j->in[j->r.length])[b];
}

/* -- forth ------------------------------------------------------------------------------------------------- */

/* The cells of sequences [b0, b0 + rows) at step number s, from sums that are already computed. */
static void cells(const job *j, int64_t b0, int64_t rows, int64_t s)
{
    const orr__recur *r = &j->r;
    int64_t n = r->hidden, t = orr__recur_step(r, s), before = orr__recur_step(r, s - 1);
    orr__cellfn *cell = j->vec->cell[r->cell][j->wide];
    for (int64_t i = 0; i < rows; i++) {
        int64_t b = b0 + i, row = b * r->planes * n;
        const char *x = element(j, j->in[0], (b * r->steps + t) * r->gates * n);
        const char *h = s ? element(j, j->out, row + before * n) : element(j, j->in[r->h], b * n), *state = h;
        char *gates = r->keeps ? j->out + (size_t)(row + (r->steps * r->states + r->kept * t) * n) * j->z : j->gates;
        char *to = j->out + (size_t)(row + t * n) * j->z, *c = NULL;
        if (r->c >= 0) {
            size_t place = (size_t)(i * n) * j->z;
            c = r->keeps ? j->out + (size_t)(row + (r->steps + t) * n) * j->z : j->c[s % 2] + place;
            state = s == 0     ? element(j, j->in[r->c], b * n)
                    : r->keeps ? element(j, j->out, row + (r->steps + before) * n)
                               : j->c[(s + 1) % 2] + place;
        }
        if (within(j, b, t)) {
            cell(j->sums + (size_t)(i * r->gates * n) * j->z, x, state, gates, c, to, n);
        } else {
            memcpy(to, h, (size_t)n * j->z);
            if (c)
                memcpy(c, state, (size_t)n * j->z);
            if (r->keeps)
                memset(gates, 0, (size_t)(r->kept * n) * j->z);
        }
        if (c && !r->keeps && s == r->steps - 1)
            memcpy(j->out + (size_t)(row + r->steps * n) * j->z, c, (size_t)n * j->z);
    }
}

static void forth(const job *j, int64_t b0, int64_t rows)
{
    const orr__recur *r = &j->r;
    int64_t n = r->hidden, wide = r->gates * n;
    orr__small p = factor(j, false);
    p.a_col = 1;
    p.c = j->sums;
    p.c_row = wide;
    p.m = rows;
    /* Sums begin with the inputs, except for a GRU. */
    bool inputs = r->cell != ORR_CELL_GRU;
    const char *bias = r->bias >= 0 ? j->in[r->bias] : NULL;
    for (int64_t s = 0; s < r->steps; s++) {
        int64_t t = orr__recur_step(r, s), before = orr__recur_step(r, s - 1);
        p.a = s ? element(j, j->out, (b0 * r->planes + before) * n) : element(j, j->in[r->h], b0 * n);
        p.a_row = s ? r->planes * n : n;
        j->vec->packed[j->wide](&p, j->right, inputs ? element(j, j->in[0], (b0 * r->steps + t) * wide) : bias,
                                inputs ? r->steps * wide : 0);
        cells(j, b0, rows, s);
    }
}

/* -- back -------------------------------------------------------------------------------------------------- */

static void cells_back(const job *j, int64_t b0, int64_t rows, int64_t s, char *d, int64_t d_row)
{
    const orr__recur *r = &j->r;
    int64_t n = r->hidden, t = orr__recur_step(r, s), before = orr__recur_step(r, s - 1);
    orr__cellbackfn *back = j->vec->cell_back[r->cell][j->wide];
    for (int64_t i = 0; i < rows; i++) {
        int64_t b = b0 + i, row = b * r->planes * n, own = r->c >= 0 ? r->steps : 0; /* planes of the states */
        const char *gates = element(j, j->in[0], row + (r->steps * r->states + r->kept * t) * n);
        const char *now = element(j, j->in[0], row + (own + t) * n);
        const char *old =
            s ? element(j, j->in[0], row + (own + before) * n) : element(j, j->in[r->c >= 0 ? r->c : r->h], b * n);
        const char *dy = element(j, j->in[1], (b * r->steps + t) * n);
        char *dh = j->dh + (size_t)(i * n) * j->z, *dc = j->dc + (size_t)(i * n) * j->z;
        char *to = d + (size_t)(i * d_row) * j->z;
        if (within(j, b, t)) {
            back(gates, old, now, dy, dh, dc, to, n);
        } else {
            j->vec->add[j->wide](dh, dy, n);
            memset(to, 0, (size_t)(r->back * n) * j->z);
        }
    }
}

static void back(const job *j, int64_t b0, int64_t rows)
{
    const orr__recur *r = &j->r;
    int64_t n = r->hidden, wide = r->back * n;
    size_t line = (size_t)n * j->z;
    orr__small p = factor(j, true);
    p.a_row = r->first ? wide : r->steps * wide;
    p.a_col = 1;
    p.c = j->dh;
    p.c_row = n;
    p.m = rows;
    memset(j->dh, 0, (size_t)rows * line);
    if (r->c >= 0)
        memcpy(j->dc, element(j, j->in[2], b0 * n), (size_t)rows * line);
    for (int64_t s = r->steps - 1; s >= 0; s--) {
        int64_t t = orr__recur_step(r, s);
        char *d = r->first ? j->sums : j->out + (size_t)((b0 * r->steps + t) * wide) * j->z;
        cells_back(j, b0, rows, s, d, p.a_row);
        p.a = d;
        if (s > 0 || r->first)
            j->vec->packed[j->wide](&p, j->right, j->dh, n);
    }
    for (int64_t i = 0; r->first && i < rows; i++) {
        char *to = j->out + (size_t)((b0 + i) * r->states) * line;
        memcpy(to, j->dh + (size_t)i * line, line);
        if (r->c >= 0)
            memcpy(to + line, j->dc + (size_t)i * line, line);
    }
}

/* -- launches ---------------------------------------------------------------------------------------------- */

/* Memory for the sums of `rows` sequences, a row of gates, four states. */
static bool room(job *j, int64_t rows)
{
    const orr__recur *r = &j->r;
    size_t line = ((size_t)r->hidden * j->z * (size_t)rows + 63) / 64 * 64;
    char *p = orr__scratch(line * (size_t)(r->back + 8));
    if (!p)
        return false;
    j->sums = p;
    j->gates = p + line * (size_t)r->back;
    j->dh = j->gates + 4 * line;
    j->dc = j->dh + line;
    j->c[0] = j->dc + line;
    j->c[1] = j->c[0] + line;
    return true;
}

static orr_status sequences(const orr__kernel *kernel, const orr__launch *l, orr__recur r,
                            void (*compute)(const job *j, int64_t b0, int64_t rows), bool turned)
{
    job j = { .r = r, .vec = kernel->vec, .l = l, .in = (const char *const *)l->in, .out = l->out[0] };
    j.wide = l->region->out_dtype[0] == ORR_F64;
    j.z = j.wide ? sizeof(double) : sizeof(float);
    if (l->hi <= l->lo || r.hidden == 0)
        return ORR_OK;
    int64_t side = ORR__MIN(SIDE, l->hi - l->lo);
    if (!room(&j, side) || !pack(&j, kernel->own, turned))
        return ORR_ENOMEM;
    for (int64_t b = l->lo; b < l->hi; b += side)
        compute(&j, b, ORR__MIN(side, l->hi - b));
    unpack(&j, kernel->own);
    return ORR_OK;
}

orr_status orr__cpu_kernel_recurrence(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    return sequences(kernel, l, orr__recur_of(&c->attr, c->in[0].dim[1], &c->in[2], false), forth, false);
}

orr_status orr__cpu_kernel_recurrence_grad(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    orr_shape h = { 2, { c->in[1].dim[0], c->in[1].dim[2] } };
    return sequences(kernel, l, orr__recur_of(&c->attr, c->in[1].dim[1], &h, true), back, true);
}
