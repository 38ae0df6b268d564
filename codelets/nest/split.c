/* A row with boxes in pieces: a loop for each of the usual sets of boxes, or for the interior of all boxes and for the borders.
 * Must not know: what the loops compute. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

bool orr__cloop_split(const orr__cloop *c)
{
    bool any = false;
    for (int a = 0; a < c->r->naccess; a++)
        any = any || c->r->access[a].box;
    return any && !orr__ablated(ORR__OFF_BORDERS);
}

/* Elements [whole, over) of the last axis are inside of all boxes. They begin at a vector of the output. */
static void interior(const orr__cloop *c)
{
    const char *size = orr__cloop_length(c);
    orr__nest_set(c->n, "orr_idx whole = 0, over = %s", size);
    for (int a = 0; a < c->r->naccess; a++)
        if (c->r->access[a].box)
            orr__nest_set(c->n, "whole = lo%d > whole ? lo%d : whole, over = hi%d < over ? hi%d : over", a, a, a, a);
    orr__nest_set(c->n, "whole = (whole + %d) / %d * %d", ORR__CLOOP_VECTOR - 1, ORR__CLOOP_VECTOR, ORR__CLOOP_VECTOR);
    (void)orr__nest_if(c->n, "over < whole");
    orr__nest_set(c->n, "whole = over = %s", size);
    orr__nest_close(c->n, 1);
}

/* The range of access a's box, whose words begin at `word`. */
static void range(const orr__cloop *c, int a, int word)
{
    int last = c->r->rank - 1;
    if (c->joins)
        orr__cloop_join_part(c, a, word);
    else if (c->r->access[a].box >> last & 1u)
        orr__nest_set(c->n, "const orr_idx lo%d = W(%d), hi%d = part%d ? W(%d) : W(%d)", a, word, a, a, word + 1, word);
    else
        orr__nest_set(c->n, "const orr_idx lo%d = 0, hi%d = part%d ? %s : 0", a, a, a, orr__cloop_size(c, last));
    orr__nest_set(c->n, "(void)lo%d, (void)hi%d", a, a);
}

orr__cloop orr__cloop_parts(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, outer = c->joins ? last - 1 : last;
    for (int a = 0; a < r->naccess; a++) {
        uint32_t box = r->access[a].box;
        int word = orr__emit_by(r, &c->lay, a);
        const char *part = "1";
        if (!box)
            continue;
        for (int d = 0; d < outer; d++)
            if (box >> d & 1u) {
                part = orr__nest_say(c->n, "%s & (i%d >= W(%d)) & (i%d < W(%d))", part, d, word, d, word + 1);
                word += 2;
            }
        orr__nest_set(c->n, "const int part%d = %s", a, part);
        range(c, a, word);
    }
    if (orr__cloop_split(c) && !c->nset)
        interior(c);
    orr__cloop in = *c;
    in.around.boxed = ORR__BOXED_RANGE;
    return in;
}

/* -- pieces ------------------------------------------------------------------------------------------------------------ */

/* Declares the number of the set that element `begins` is inside of, and `ends`, the first element after it in another one. */
static void find_here(const orr__cloop *c, const char *to)
{
    int next = 0;
    orr__nest_set(c->n, "orr_u64 set = 0");
    orr__nest_set(c->n, "ends = %s", to);
    for (int a = 0; a < c->r->naccess; a++) {
        if (c->lay.boxes[a] != next)
            continue;
        (void)orr__nest_if(c->n, "begins >= lo%d && begins < hi%d", a, a);
        orr__nest_set(c->n, "set |= (orr_u64)1 << %d, ends = hi%d < ends ? hi%d : ends", next++, a, a);
        orr__nest_else(c->n);
        (void)orr__nest_if(c->n, "lo%d > begins && lo%d < hi%d && lo%d < ends", a, a, a, a);
        orr__nest_set(c->n, "ends = lo%d", a);
        orr__nest_close(c->n, 2);
    }
}

/* A loop for each of the usual sets of boxes, and one for all others. */
static void sets(const orr__cloop *c, const char *from, const char *to, orr__piece *piece, void *arg)
{
    int all = c->nset + c->other_sets;
    orr__nest_loop(c->n, ORR__LOOP_JUMPS, "begins", from, to, NULL)->at = "ends";
    find_here(c, to);
    for (int s = 0; s < all; s++) {
        orr__cloop in = *c;
        in.around.boxed = s < c->nset ? ORR__BOXED_SET : ORR__BOXED_TESTED;
        in.around.inside = s < c->nset ? c->set[s] : 0;
        if (s > 0)
            orr__nest_else(c->n);
        if (s < all - 1)
            (void)orr__nest_if(c->n, "set == (orr_u64)0x%llx", (unsigned long long)c->set[s]);
        piece(&in, arg);
    }
    orr__nest_close(c->n, all); /* a branch less than sets, and the loop */
}

void orr__cloop_each_piece(const orr__cloop *c, const char *from, const char *to, orr__piece *piece, void *arg)
{
    orr__nest *n = c->n;
    if (c->nset) {
        sets(c, from, to, piece, arg);
        return;
    }
    orr__nest_set(n, "const orr_idx enters = whole < %s ? %s : whole < %s ? whole : %s", from, from, to, to);
    orr__nest_set(n, "const orr_idx leaves = over < enters ? enters : over < %s ? over : %s", to, to);
    (void)orr__nest_loop(n, ORR__LOOP_INT, "piece", "0", "3", NULL);
    orr__nest_set(n, "const orr_idx begins = piece == 0 ? %s : piece == 1 ? enters : leaves", from);
    orr__nest_set(n, "const orr_idx ends = piece == 0 ? enters : piece == 1 ? leaves : %s", to);
    (void)orr__nest_if(n, "piece == 1");
    orr__cloop all = *c;
    all.around.boxed = ORR__BOXED_ALL;
    piece(&all, arg);
    orr__nest_else(n);
    piece(c, arg);
    orr__nest_close(n, 2);
}

static bool put_around(orr__part *part, void *arg)
{
    const orr__around *around = arg;
    part->around.boxed = around->boxed;
    part->around.inside = around->inside;
    return true;
}

/* A copy of the innermost loop. */
static void piece_of_loop(const orr__cloop *c, void *loop)
{
    orr__part **mark = c->n->end, *copy = orr__nest_clone(c->n, loop);
    orr__around around = c->around;
    if (!copy)
        return;
    copy->from = "begins";
    copy->to = "ends";
    copy->how = around.boxed == ORR__BOXED_TESTED ? ORR__LOOP_ALONE : ORR__LOOP_VECTOR;
    orr__nest_each(&copy, put_around, &around);
    orr__nest_put(c->n, copy);
    if (around.boxed != ORR__BOXED_RANGE)
        orr__cloop_vectorise(c, mark, "begins", "ends");
    orr__cloop_widen(c, mark, "begins", "ends", ORR__CLOOP_BLOCK);
}

void orr__cloop_pieces(const orr__cloop *c, orr__part **mark, const char *from, const char *to)
{
    if (orr__cloop_split(c)) {
        orr__part *loop = orr__nest_take(c->n, mark);
        orr__cloop_each_piece(c, from, to, piece_of_loop, loop);
        return;
    }
    orr__cloop_vectorise(c, mark, from, to);
    orr__cloop_widen(c, mark, from, to, ORR__CLOOP_BLOCK);
}
