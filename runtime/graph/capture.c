/* Captures the part of the graph that an evaluation needs, and writes down its structural key.
 * Must not know: what an op means, how it is computed. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include "runtime/base/notes.h"
#include "runtime/base/pool.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/structure_key.h"
#include "runtime/graph/donation.h"
#include "runtime/graph/slice_copy.h"
#include "runtime/graph/thread_state.h"

typedef struct {
    orr__node *node;
    int next;
} frame;

/* Growing arrays of one capture; a failed growth sets `oom` and the walk ends. */
typedef struct {
    orr__capture *p;
    frame *stack;
    int depth, stack_cap;
    uint64_t epoch;
    bool lightly, counts, slices;
    int most; /* nodes, and depth; a walk beyond ends */
    orr__site at;
    orr_status st;          /* not OK: a cycle, or poison */
    orr__donor_state donor; /* of the leaf that ended the walk */
    bool oom;
} walk;

static uint64_t epoch; /* under the graph lock */

uint64_t orr__walk_epoch(void)
{
    return ++epoch;
}

static bool grow(walk *w, void *array, int *cap, int need, size_t size)
{
    if (need <= *cap)
        return true;
    int c = *cap ? *cap : 64;
    while (c < need)
        c *= 2;
    void *more = orr__pool_must_fail() ? NULL : realloc(*(void **)array, (size_t)c * size);
    if (!more) {
        w->oom = true;
        return false;
    }
    *(void **)array = more;
    *cap = c;
    return true;
}

/* Reserves `size` more bytes of the key. */
static bool reserve_more(walk *w, size_t size)
{
    orr__capture *p = w->p;
    size_t c = p->key_cap ? 2 * p->key_cap : 2048;
    while (c < p->key_size + size)
        c *= 2;
    uint8_t *more = orr__pool_must_fail() ? NULL : realloc(p->key, c);
    if (!more) {
        w->oom = true;
        return false;
    }
    p->key = more;
    p->key_cap = c;
    return true;
}

static inline bool reserve(walk *w, size_t size)
{
    return w->p->key_size + size <= w->p->key_cap || reserve_more(w, size);
}

static bool more_nodes(walk *w, int need)
{
    orr__capture *p = w->p;
    int cap = p->node_cap, c;
    if (!(c = cap, grow(w, &p->node, &c, need, sizeof *p->node)) ||
        !(c = cap, grow(w, &p->arg0, &c, need, sizeof *p->arg0)) ||
        !(c = cap, grow(w, &p->leaf_of, &c, need, sizeof *p->leaf_of)) ||
        !(c = cap, grow(w, &p->scalar0, &c, need, sizeof *p->scalar0)))
        return false;
    p->node_cap = c;
    return true;
}

static inline bool grow_nodes(walk *w, int need)
{
    return need <= w->p->node_cap || more_nodes(w, need);
}

static bool more_leaves(walk *w, int need)
{
    orr__capture *p = w->p;
    int c = p->leaf_cap;
    if (!grow(w, &p->leaf_node, &c, need, sizeof *p->leaf_node) ||
        !(c = p->leaf_cap, grow(w, &p->placed, &c, need, sizeof *p->placed)) ||
        !(c = p->leaf_cap, grow(w, &p->leaf, &c, need, sizeof *p->leaf)))
        return false;
    p->leaf_cap = c;
    return true;
}

static inline bool grow_leaves(walk *w, int need)
{
    return need <= w->p->leaf_cap || more_leaves(w, need);
}

static bool too_many(walk *w)
{
    w->st = ORR_ESTATE;
    return false;
}

/* Gives n the next number, and reserves the bytes of its key. False: no memory. */
static inline bool next_number(walk *w, orr__node *n, int nin)
{
    orr__capture *p = w->p;
    if (p->n == w->most)
        return too_many(w);
    if (!reserve(w, ORR__KEY_NODE + (size_t)nin * sizeof(int32_t)))
        return false;
    if (!w->lightly) {
        if (!grow_nodes(w, p->n + 1))
            return false;
        p->node[p->nheld++] = orr__node_ref(n);
        p->arg0[p->n] = p->narg;
        p->leaf_of[p->n] = -1;
        p->scalar0[p->n] = p->nscalar;
    }
    n->index = p->n++;
    return true;
}

/* The variable has an earlier value again: what reads n was recorded from a value that was not computed. */
static ORR__COLD bool is_undone(walk *w, const orr__node *n)
{
    w->st =
        orr__fail(w->at, ORR_ECANCELLED,
                  "the graph reads a value that %s:%d assigned to a variable, and that was not computed, since its "
                  "evaluation was cancelled or has failed: the variable has its old value; record again what reads it",
                  n->file ? n->file : "?", n->line);
    return false;
}

/* Numbers n as a leaf: its value exists, or is given at submission (NULL: a placeholder). */
static inline __attribute__((always_inline)) bool number_leaf(walk *w, orr__node *n, orr__buffer *value)
{
    orr__capture *p = w->p;
    if (n->undone)
        return is_undone(w, n);
    if (!next_number(w, n, 0) || !grow_leaves(w, p->nleaf + 1))
        return false;
    if (!w->lightly)
        p->leaf_of[n->index] = p->nleaf;
    else if (grow_nodes(w, p->nheld + 1))
        p->node[p->nheld++] = orr__node_ref(n);
    else
        return false;
    n->mark = w->epoch;
    p->leaf_node[p->nleaf] = n->index;
    p->placed[p->nleaf] = n->placed;
    p->leaf[p->nleaf++] = value; /* owned by the node */
    p->key_size = (size_t)(orr__key_leaf(p->key + p->key_size, n) - p->key);
    return true;
}

/* The work of n if an evaluation did it before; else, that it reads values of such nodes. Inputs have been counted already. */
static ORR__COLD void note_again(const walk *w, const orr__node *n)
{
    /* limit of a promise: the time of a kernel of its own is all its node's: the note bounds it */
    enum { KERNEL = 1 << 10 };
    orr__note f = { .kind = ORR__NOTE_AGAIN, .of = w->at.file, .of_line = w->at.line };
    const orr_shape *in = &n->in[0]->shape;
    double flops = (double)orr__shape_count(&n->shape) * (n->op->flops > 1 ? (double)n->op->flops : 1);
    if (n->op->pattern == ORR__PATTERN_FOLD)
        flops = (double)orr__shape_count(in);
    else if (n->op->pattern == ORR__PATTERN_PRODUCT && in->rank > 0)
        flops *= 2 * (double)in->dim[in->rank - 1];
    else if (n->op->pattern == ORR__PATTERN_KERNEL)
        flops *= KERNEL;
    for (int k = 0; k < (n->computed ? 1 : n->nin); k++) {
        const orr__node *x = n->computed ? n : n->in[k];
        f.file = x->file;
        f.line = x->line;
        f.n = n->computed ? 1 : 0;
        f.part = !f.n;
        f.flops = f.n ? flops : 0;
        f.bytes = f.n ? (double)orr__node_bytes(n) : 0;
        if (f.n || (x->computed == ORR__COMPUTED_OFTEN && x->nin > 0 && !orr__node_value(x)))
            orr__notes_add(&f);
    }
}

/* Numbers n, whose inputs all have numbers. */
static inline bool number(walk *w, orr__node *n, int nin)
{
    orr__capture *p = w->p;
    orr__node *const *in = n->in;
    if (!next_number(w, n, nin))
        return false;
    p->flags |= n->op->flags;
    p->folds = p->folds || (w->slices && orr__slice_copy_folds(n->op));
    if (w->counts) {
        p->again = p->again || n->computed == ORR__COMPUTED_OFTEN;
        if (orr__noting() && nin > 0)
            note_again(w, n);
        if (n->computed < ORR__COMPUTED_OFTEN)
            n->computed++;
    }
    uint8_t *to = orr__key_node(p->key + p->key_size, n, nin);
    for (int k = 0; k < nin; k++)
        to = orr__key_i32(to, in[k]->index);
    p->key_size = (size_t)(to - p->key);
    if (n->nscalar) {
        if (!grow(w, &p->scalar, &p->scalar_cap, p->nscalar + 3, sizeof *p->scalar))
            return false;
        for (int k = 0; k < n->nscalar; k++)
            p->scalar[p->nscalar++] = n->s[k];
    }
    if (w->lightly)
        return true;
    if (!grow(w, &p->arg, &p->arg_cap, p->narg + nin, sizeof *p->arg))
        return false;
    for (int k = 0; k < nin; k++)
        p->arg[p->narg++] = in[k]->index;
    return true;
}

/* Numbers n, a slice of the value of `of`, as a leaf that is copied later. */
static bool number_slice(walk *w, orr__node *n, orr__node *of)
{
    orr__capture *p = w->p;
    if (of->undone)
        return is_undone(w, of);
    if (orr__donors_exist && (w->donor = orr__donor_state_of(orr__node_value(of))) != ORR__DONOR_FREE)
        return false;
    if (!grow(w, &p->slice, &p->slice_cap, p->nslice + 1, sizeof *p->slice))
        return false;
    p->slice[p->nslice++] = (orr__slice_copy){ orr__node_ref(n), orr__node_ref(of), p->nleaf, NULL };
    p->strided = p->strided || !orr__slice_is_adjacent(n, of);
    return number_leaf(w, n, NULL);
}

/* Numbers n, or puts it on the stack until its inputs have numbers. False: poison, no memory, or a donor of another thread's evaluation. */
static bool meet(walk *w, orr__node *n)
{
    orr__buffer *value = orr__node_value(n);
    int role = n->op->role, nin = n->nin;
    if (orr__donors_exist && value && (w->donor = orr__donor_state_of(value)) != ORR__DONOR_FREE)
        return false;
    if (value || role == ORR__ROLE_VALUE || role == ORR__ROLE_PLACEHOLDER)
        return number_leaf(w, n, value);
    if (role == ORR__ROLE_POISON) {
        w->st = orr__fail_text(n->poison->status, n->poison->text);
        return false;
    }
    if (w->slices && orr__slice_is_copied(n))
        return number_slice(w, n, n->in[0]);
    n->mark = w->epoch;
    if (nin == 0)
        return number(w, n, 0);
    if (w->depth == w->most)
        return too_many(w);
    if (!grow(w, &w->stack, &w->stack_cap, w->depth + 1, sizeof *w->stack))
        return false;
    n->index = -1; /* on the stack */
    w->stack[w->depth++] = (frame){ n, role == ORR__ROLE_THROUGH ? nin - 1 : 0 };
    return true;
}

/* Visits inputs of the node on top of the stack until one is put on the stack above it, or all have numbers. */
static inline bool meet_inputs(walk *w)
{
    int top = w->depth - 1;
    const orr__node *n = w->stack[top].node;
    for (int k = w->stack[top].next; k < n->nin; k++) {
        orr__node *x = n->in[k];
        if (x->mark != w->epoch) {
            orr__buffer *value = orr__donors_exist ? NULL : orr__node_value(x);
            if (!(value ? number_leaf(w, x, value) : meet(w, x)))
                return false;
            if (w->depth - 1 > top) {
                w->stack[top].next = k + 1;
                return true;
            }
        } else if (x->index < 0) {
            w->st = orr__fail(w->at, ORR_EGRAPH, "the graph has a cycle through %s", x->op->name);
            return false;
        }
    }
    w->depth--;
    if (n->op->role != ORR__ROLE_THROUGH)
        return number(w, w->stack[top].node, n->nin);
    w->stack[top].node->index = n->in[n->nin - 1]->index;
    return true;
}

/* Numbers everything that `root` needs. False: a cycle or poison, or no memory. */
static bool visit(walk *w, orr__node *root)
{
    bool well = root->mark == w->epoch || meet(w, root);
    while (well && w->depth)
        well = meet_inputs(w);
    return well;
}

/* The thread's next capture reuses the arrays of a finished one: small graphs cost no malloc. */
enum { SPARE_NODES = 4096 }; /* limit of memory */

static void arrays_free(orr__capture *p)
{
    free(p->node);
    free(p->behind);
    free(p->arg0);
    free(p->arg);
    free(p->leaf_of);
    free(p->scalar0);
    free(p->out);
    free(p->leaf_node);
    free(p->leaf);
    free(p->placed);
    free(p->scalar);
    free(p->slice);
    free(p->key);
    memset(p, 0, sizeof *p);
}

static void arrays_take(orr__tls *tls, walk *w)
{
    w->stack = tls->stack;
    w->stack_cap = tls->stack_cap;
    tls->stack = NULL;
    tls->stack_cap = 0;
    if (!tls->have_spare) {
        memset(w->p, 0, sizeof *w->p);
        return;
    }
    *w->p = tls->spare;
    tls->have_spare = false;
}

/* `out` is allocated first; without it there are no arrays. */
static void arrays_give(orr__tls *tls, orr__capture *p)
{
    if (!p->out)
        return;
    if (tls->have_spare || p->node_cap > SPARE_NODES || p->arg_cap > 4 * SPARE_NODES ||
        p->scalar_cap > 4 * SPARE_NODES || p->key_cap > 64 * SPARE_NODES || p->out_cap > SPARE_NODES) {
        arrays_free(p);
        return;
    }
    tls->spare = *p;
    tls->have_spare = true;
    p->out = NULL;
}

void orr__captures_thread_exit(orr__tls *tls)
{
    if (tls->have_spare)
        arrays_free(&tls->spare);
    tls->have_spare = false;
    free(tls->stack);
    tls->stack = NULL;
    tls->stack_cap = 0;
}

/* Adds an output, for which out and behind have space. */
static bool number_output(walk *w, orr__node *root, bool others, bool kept)
{
    orr__capture *p = w->p;
    orr__node *behind = root;
    int i = root->index;
    if (!reserve(w, 3 * sizeof(int32_t)))
        return false;
    uint8_t *to = p->key + p->key_size;
    to = others ? orr__key_others(to) : to;
    to = orr__key_output(kept ? orr__key_kept(to) : to, i);
    p->key_size = (size_t)(to - p->key);
    while (!orr__node_value(behind) && behind->op->role == ORR__ROLE_THROUGH)
        behind = behind->in[behind->nin - 1];
    p->behind[p->nout] = behind != root ? orr__node_ref(behind) : NULL;
    p->out[p->nout++] = i;
    return true;
}

static bool grow_outputs(walk *w, int need)
{
    orr__capture *p = w->p;
    int c = p->out_cap;
    if (need <= c)
        return true;
    if (!grow(w, &p->out, &c, need, sizeof *p->out) ||
        !(c = p->out_cap, grow(w, &p->behind, &c, need, sizeof *p->behind)))
        return false;
    p->out_cap = c;
    return true;
}

/* Walks from all roots. Returns the number of evaluations with donors that had ended before. */
static uint64_t walk_all(walk *w, const orr__capture_roots *r)
{
    orr__graph_lock();
    uint64_t ended = orr__donors_released();
    w->epoch = ++epoch;
    w->depth = 0;
    w->donor = ORR__DONOR_FREE;
    for (int i = 0; i < r->nout && visit(w, r->out[i]); i++)
        if (!number_output(w, r->out[i], i == r->nfirst, i == r->nout - r->nretained))
            break;
    orr__graph_unlock();
    return ended;
}

/* Empties a capture and keeps its arrays. */
static void forget(orr__capture *p)
{
    for (int i = 0; i < p->nheld; i++)
        orr__node_unref(p->node[i]);
    for (int i = 0; i < p->nout; i++)
        orr__node_unref(p->behind[i]);
    for (int i = 0; i < p->nslice; i++) {
        orr__node_unref(p->slice[i].node);
        orr__node_unref(p->slice[i].of);
        orr__buffer_unref(p->slice[i].copy);
    }
    p->nheld = p->n = p->nout = p->nleaf = p->nscalar = p->narg = p->nslice = 0;
    p->key_size = 0;
    p->flags = 0;
    p->again = p->strided = p->folds = false;
}

/* As many as the nodes of a kernel and its operands may be: a graph of more is no work for at once. */
enum { MOST_AT_ONCE = 2 * ORR__T_REGION_OPS };

static orr_status capture(orr__site at, const orr__capture_roots *roots, bool lightly, orr__capture *p)
{
    orr__tls *tls = orr__tls_get();
    walk w = { .p = p,
               .at = at,
               .st = ORR_OK,
               .lightly = lightly,
               .counts = roots->counts,
               .slices = roots->slices,
               .most = roots->at_once ? MOST_AT_ONCE : INT_MAX };
    arrays_take(tls, &w);
    bool ready = grow_outputs(&w, roots->nout + 1) && grow_nodes(&w, 1) && reserve(&w, 4);
    while (ready) {
        uint64_t ended = walk_all(&w, roots);
        if (w.donor == ORR__DONOR_FREE)
            break;
        forget(p);
        if (roots->at_once) {
            w.st = ORR_ESTATE;
            break;
        }
        if ((w.st = orr__donor_wait(at, w.donor, ended)) != ORR_OK)
            break;
    }
    if (w.stack_cap <= SPARE_NODES && !tls->stack) {
        tls->stack = w.stack;
        tls->stack_cap = w.stack_cap;
    } else {
        free(w.stack);
    }
    if (w.oom)
        w.st = orr__fail(at, ORR_ENOMEM, "no memory to capture the graph");
    if (w.st != ORR_OK)
        orr__capture_free(p);
    p->nfirst = roots->nfirst;
    p->nretained = roots->nretained;
    return w.st;
}

orr_status orr__capture_make_roots(orr__site at, const orr__capture_roots *roots, orr__capture *p)
{
    return capture(at, roots, false, p);
}

orr_status orr__capture_make_light(orr__site at, const orr__capture_roots *roots, orr__capture *p)
{
    return capture(at, roots, true, p);
}

orr_status orr__capture_make(orr__site at, orr__node *const *out, int nout, orr__capture *p)
{
    return orr__capture_make_roots(at, &ORR__ROOTS(out, nout, nout), p);
}

void orr__capture_free(orr__capture *p)
{
    forget(p);
    arrays_give(orr__tls_get(), p);
}
