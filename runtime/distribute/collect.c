/* Collects the content of a value that lies over ranks on rank 0, piece by piece. The elements of a rank are in row-major order of the
 * whole, too, so each piece contains the next few of each rank.
 * Must not know: files, tensors, how messages travel. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/buffer.h"
#include "runtime/base/shape.h"
#include "runtime/distribute/collect.h"

/* The elements of one rank, and the next of them: number `next` of `count`, in the rank's own row-major order. */
typedef struct {
    const orr__distribution *d;
    const orr_shape *global;
    int64_t coordinate[ORR__GRID_AXES];
    orr_shape local;
    int last;       /* the last sharded axis: along later ones neighbours are neighbours in the whole, too */
    int64_t behind; /* elements of the later axes                                                */
    int64_t next, count;
} part;

/* The elements of rank r; none if a rank with a lower number has the same. Ranks of a grid are numbered row by row. */
static part part_of(const orr__distribution *d, const orr_shape *global, int r)
{
    part p = { .d = d, .global = global, .local = *global, .last = -1, .behind = 1 };
    bool first = true;
    for (int g = d->grid->axes - 1; g >= 0; g--) {
        const orr__spread *s = &d->along[g];
        int64_t extent = d->grid->extent[g], c = r % extent;
        r = (int)(r / extent);
        p.coordinate[g] = c;
        if (s->kind == ORR__SHARDED) {
            p.local.dim[s->axis] = orr__spread_places(*s, global->dim[s->axis], c, extent);
            p.last = s->axis > p.last ? s->axis : p.last;
        } else {
            first = first && c == 0;
        }
    }
    for (int a = p.last + 1; a < global->rank; a++)
        p.behind *= global->dim[a];
    p.count = first ? orr__shape_count(&p.local) : 0;
    return p;
}

/* The global place of place `local` of an axis; *left: the number of neighbouring places from there on. */
static int64_t place(const part *p, int axis, int64_t local, int64_t *left)
{
    *left = p->local.dim[axis] - local;
    for (int g = 0; g < p->d->grid->axes; g++) {
        const orr__spread *s = &p->d->along[g];
        if (s->kind != ORR__SHARDED || s->axis != axis)
            continue;
        int64_t in_block = s->block - local % s->block;
        *left = in_block < *left ? in_block : *left;
        return (local / s->block * p->d->grid->extent[g] + p->coordinate[g]) * s->block + local % s->block;
    }
    return local;
}

/* The number of neighbouring elements, from the next one on, that come before `end` in the whole; *first: the number of the first one in
 * the whole. */
static int64_t run(const part *p, int64_t end, int64_t *first)
{
    int64_t rest = p->next / p->behind, step = p->behind, left = 1, ignored;
    int64_t in_row = p->next % p->behind;
    *first = in_row;
    for (int a = p->last; a >= 0; a--) {
        *first += place(p, a, rest % p->local.dim[a], a == p->last ? &left : &ignored) * step;
        rest /= p->local.dim[a];
        step *= p->global->dim[a];
    }
    int64_t n = left * p->behind - in_row;
    return *first >= end ? 0 : n < end - *first ? n : end - *first;
}

/* The number of elements of p, from the next one on, that come before `end`. */
static int64_t count_before(part p, int64_t end)
{
    int64_t from = p.next, first, n;
    while (p.next < p.count && (n = run(&p, end, &first)) > 0)
        p.next += n;
    return p.next - from;
}

/* Copies the elements of p before `end` from `packed` to the piece that begins with element `begin`. */
static void unpack(part *p, int64_t begin, int64_t end, size_t size, const char *packed, char *piece)
{
    int64_t first, n;
    while (p->next < p->count && (n = run(p, end, &first)) > 0) {
        memcpy(piece + (size_t)(first - begin) * size, packed, (size_t)n * size);
        packed += (size_t)n * size;
        p->next += n;
    }
}

typedef struct {
    orr__site at;
    int ranks;
    part *of;              /* of all ranks on rank 0; of this one elsewhere */
    int64_t *sends, *gets; /* bytes                                          */
    char *packed, *piece;
    size_t size;
} collection;

/* Collects elements begin … end on rank 0. The elements that a rank sends are neighbours in its memory, so they need
 * no packing. */
static orr_status piece(collection *c, const char *local, int64_t begin, int64_t end)
{
    part *mine = c->of; /* rank 0's is the first */
    const char *from = local + (size_t)mine->next * c->size;
    c->sends[0] = count_before(*mine, end) * (int64_t)c->size;
    for (int r = 0; orr__rank() == 0 && r < c->ranks; r++)
        c->gets[r] = count_before(c->of[r], end) * (int64_t)c->size;
    orr_status st = orr__exchange_wait(c->at, &(orr__exchange){ .kind = ORR__EXCHANGE_ALL_TO_ALL,
                                                                .dtype = ORR_U8,
                                                                .group = orr__group_all(),
                                                                .in = from,
                                                                .out = c->packed,
                                                                .part = c->sends,
                                                                .from = c->gets,
                                                                .name = "collect" });
    const char *packed = c->packed;
    if (orr__rank() != 0)
        mine->next += c->sends[0] / (int64_t)c->size;
    for (int r = 0; st == ORR_OK && orr__rank() == 0 && r < c->ranks; r++) {
        unpack(&c->of[r], begin, end, c->size, packed, c->piece);
        packed += c->gets[r];
    }
    return st;
}

orr_status orr__collect(orr__site at, const orr__distribution *d, const orr_shape *global, size_t size,
                        const void *local, orr__take_piece *take, void *to)
{
    int64_t count = orr__shape_count(global), most = (int64_t)(ORR__PIECE / size);
    most = most < 1 ? 1 : most > count ? count : most;
    bool first = orr__rank() == 0;
    char text[256];
    orr__ranks_take_turn();
    collection c = { .at = at, .ranks = orr__ranks(), .size = size };
    c.of = orr__alloc_n(first ? (size_t)c.ranks : 1, sizeof *c.of);
    c.sends = orr__alloc_n((size_t)c.ranks, sizeof *c.sends);
    c.gets = orr__alloc_n((size_t)c.ranks, sizeof *c.gets);
    c.packed = orr__alloc(first ? (size_t)most * size + 1 : 1);
    c.piece = orr__alloc(first ? (size_t)most * size + 1 : 1);
    orr_status st = c.of && c.sends && c.gets && c.packed && c.piece ? ORR_OK : ORR_ENOMEM, taken = ORR_OK;
    if (st != ORR_OK) { /* the others would wait */
        (void)snprintf(text, sizeof text, "%s", orr_error_message());
        orr__ranks_fail(text);
        (void)orr__fail_text(st, text);
    }
    for (int r = 0; st == ORR_OK && r < (first ? c.ranks : 1); r++)
        c.of[r] = part_of(d, global, first ? r : orr__rank());
    for (int64_t begin = 0; st == ORR_OK && begin < count; begin += most) {
        int64_t end = begin + most < count ? begin + most : count;
        st = piece(&c, local, begin, end);
        if (st == ORR_OK && first && taken == ORR_OK)
            taken = take(to, c.piece, (size_t)(end - begin) * size);
    }
    free(c.of);
    free(c.sends);
    free(c.gets);
    free(c.packed);
    free(c.piece);
    return st != ORR_OK ? st : taken;
}
