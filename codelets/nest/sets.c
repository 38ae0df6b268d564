/* The sets of boxes that elements are inside of. The most usual ones get a loop each, in which the text knows which accesses read, as in a
 * concatenation or a sum of shifted arrays.
 * Must not know: loops. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

/* BOXES: different boxes, at most, a bit each. CELLS: cells between the ends of boxes that are looked at, at most. */
enum { BOXES = 64, CELLS = 4096 }; /* limit of search */

typedef struct {
    uint64_t boxes;
    double elements;
} set;

/* The cells: along axis d, cut[d][k] ≤ i < cut[d][k + 1] for k < n[d]. */
typedef struct {
    const orr__region *r;
    int nbox, box[BOXES]; /* an access with each of the boxes */
    int n[ORR__REGION_RANK];
    int64_t cut[ORR__REGION_RANK][2 * BOXES + 2];
    int nset;
    set *sets;
} cells;

static bool equal_boxes(const orr__access *a, const orr__access *b)
{
    return a->box == b->box && !memcmp(a->lo, b->lo, sizeof a->lo) && !memcmp(a->hi, b->hi, sizeof a->hi);
}

/* Numbers different boxes. False: there are none, or too many. */
static bool number_boxes(cells *k, int8_t *boxes)
{
    for (int a = 0; a < k->r->naccess; a++) {
        int g = 0;
        boxes[a] = -1;
        if (!k->r->access[a].box)
            continue;
        while (g < k->nbox && !equal_boxes(&k->r->access[a], &k->r->access[k->box[g]]))
            g++;
        if (g == BOXES)
            return false;
        if (g == k->nbox)
            k->box[k->nbox++] = a;
        boxes[a] = (int8_t)g;
    }
    return k->nbox > 0;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Cuts axis d at the ends of its boxes. */
static void cut_axis(cells *k, int d)
{
    int64_t *cut = k->cut[d], dim = k->r->dim[d];
    int n = 0, kept = 1;
    cut[n++] = 0;
    cut[n++] = dim;
    for (int g = 0; g < k->nbox; g++) {
        const orr__access *a = &k->r->access[k->box[g]];
        for (int end = 0; end < 2 && a->box >> d & 1u; end++) {
            int64_t at = end ? a->hi[d] : a->lo[d];
            if (at > 0 && at < dim)
                cut[n++] = at;
        }
    }
    qsort(cut, (size_t)n, sizeof *cut, ascending);
    for (int m = 1; m < n; m++)
        if (cut[m] != cut[kept - 1])
            cut[kept++] = cut[m];
    k->n[d] = kept - 1;
}

static bool inside(const orr__access *a, const int64_t *begin, int rank)
{
    bool in = true;
    for (int d = 0; d < rank; d++)
        in = in && (!(a->box >> d & 1u) || (a->lo[d] <= begin[d] && begin[d] < a->hi[d]));
    return in;
}

/* Adds cell number `cell` to its set. */
static void add_cell(cells *k, int64_t cell)
{
    set c = { 0, 1 };
    int64_t begin[ORR__REGION_RANK];
    for (int d = 0; d < k->r->rank; d++) {
        const int64_t *cut = k->cut[d] + cell % k->n[d];
        begin[d] = cut[0];
        c.elements *= (double)(cut[1] - cut[0]);
        cell /= k->n[d];
    }
    for (int g = 0; g < k->nbox; g++)
        c.boxes |= (uint64_t)inside(&k->r->access[k->box[g]], begin, k->r->rank) << g;
    int s = 0;
    while (s < k->nset && k->sets[s].boxes != c.boxes)
        s++;
    if (s == k->nset)
        k->sets[k->nset++] = (set){ c.boxes, 0 };
    k->sets[s].elements += c.elements;
}

static int largest_first(const void *a, const void *b)
{
    const set *x = a, *y = b;
    return x->elements != y->elements ? (x->elements < y->elements ? 1 : -1)
                                      : (x->boxes > y->boxes) - (x->boxes < y->boxes);
}

/* Finds the sets, the largest first. False: there are too many cells. */
static bool find_sets(cells *k, orr__text *t)
{
    int64_t n = 1;
    for (int d = 0; d < k->r->rank; d++) {
        cut_axis(k, d);
        n = n > CELLS ? n : n * k->n[d];
    }
    if (n > CELLS || !(k->sets = orr__alloc_n((size_t)n + 1, sizeof *k->sets)))
        return false;
    for (int64_t cell = 0; cell < n && orr__text_work(t, (size_t)(k->nbox + k->nset)); cell++)
        add_cell(k, cell);
    qsort(k->sets, (size_t)k->nset, sizeof *k->sets, largest_first);
    return true;
}

/* Chooses the sets with loops of their own. There are none if most elements are inside of all boxes: the row is then split into its interior
 * and its borders. */
static void choose(orr__cloop *c, const cells *k)
{
    double all = 1;
    for (int d = 0; d < k->r->rank; d++)
        all *= (double)k->r->dim[d];
    for (int s = 0; s < k->nset && s < ORR__CLOOP_SETS; s++) {
        if (s > 0 && (k->sets[s].elements * ORR__T_RARE_SET < all || (s + 1) * k->r->ninstr > 2 * ORR__T_REGION_OPS))
            break;
        c->set[c->nset++] = k->sets[s].boxes;
    }
    c->other_sets = c->nset < k->nset;
}

orr_status orr__cloop_find_sets(orr__cloop *c)
{
    cells *k = orr__alloc(sizeof *k);
    c->lay.boxes = orr__alloc_n((size_t)c->r->naccess + 1, sizeof *c->lay.boxes);
    if (!k || !c->lay.boxes) {
        free(k);
        return ORR_ENOMEM;
    }
    k->r = c->r;
    bool ranges = !c->joins || !orr__cloop_has_columns(c->r); /* boxes of joined rows are if they allow every column */
    if (!orr__ablated(ORR__OFF_BORDERS) && ranges && number_boxes(k, c->lay.boxes) && find_sets(k, c->n->t))
        choose(c, k);
    free(k->sets);
    free(k);
    return ORR_OK;
}
