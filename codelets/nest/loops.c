/* Loops around a region's instructions, of which the nests of all kinds of regions are made.
 * Must not know: the order of a kind's loops, the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* A gathered input is read in memory if its place is computed outside of the innermost loop. */
bool orr__cloop_lies(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    int last = c->r->rank - 1;
    bool still = in->kind == ORR__RI_GATHER && c->at[in->x] < last;
    return (in->kind == ORR__RI_LOAD || still) && !orr__is_half((orr_dtype)in->dtype) && !c->r->access[in->a].box &&
           c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_UNIT;
}

/* -- expressions ------------------------------------------------------------------------------------------------- */

const char *orr__cloop_said(const orr__cloop *c, orr__text *t)
{
    const char *s = t->s ? orr__nest_say(c->n, "%s", t->s) : "";
    c->n->t->failed = c->n->t->failed || t->failed;
    free(t->s);
    return s;
}

const char *orr__cloop_index(const orr__cloop *c, int a, bool wide)
{
    orr__text t = { 0 };
    orr__emit_index(&t, c->r, &c->lay, a, wide);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_inside(const orr__cloop *c, int a)
{
    orr__text t = { 0 };
    orr__emit_inside(&t, c->r, &c->lay, &c->around, a);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_array(const orr__cloop *c, int a)
{
    orr__text t = { 0 };
    orr__emit_array(&t, c->r, &c->lay, &c->around, a);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_element(const orr__cloop *c, int n)
{
    orr__text t = { 0 };
    orr__emit_element(&t, c->r, &c->lay, &c->around, &c->r->instr[n]);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_stored(const orr__cloop *c, int a)
{
    return orr__emit_storage((orr_dtype)c->r->in_dtype[c->r->access[a].input]);
}

const char *orr__cloop_name(const orr__cloop *c, const char *name, int n)
{
    return orr__nest_say(c->n, "%s%d", name, n);
}

const char *orr__cloop_size(const orr__cloop *c, int axis)
{
    return orr__nest_say(c->n, "W(%d)", orr__cloop_size_at(c->r, axis));
}

/* -- parts --------------------------------------------------------------------------------------------------------- */

void orr__cloop_value(const orr__cloop *c, int i)
{
    if (c->joins && c->r->instr[i].kind == ORR__RI_GATHER) {
        orr__cloop_load(c, ORR__LOAD_STORED, i, orr__cloop_name(c, "join", c->r->instr[i].a),
                        orr__nest_say(c->n, "i%d - q", c->r->rank - 1));
        return;
    }
    orr__part *let = orr__nest_add(c->n, ORR__PART_LET, 0, i);
    let->around = c->around;
    let->row = c->row;
}

void orr__cloop_load(const orr__cloop *c, int how, int n, const char *name, const char *at)
{
    orr__part *load = orr__nest_add(c->n, ORR__PART_LOAD, how, n);
    load->name = name;
    load->at = at;
}

void orr__cloop_store(const orr__cloop *c, int n, const char *name, const char *at)
{
    orr__part *store = orr__nest_add(c->n, ORR__PART_STORE, ORR__STORE_PLAIN, n);
    store->name = name;
    store->at = at;
}

void orr__cloop_output(const orr__cloop *c, int k, orr_dtype dtype, const char *from, const char *name, const char *at)
{
    orr__part *store = orr__nest_add(c->n, ORR__PART_STORE, ORR__STORE_OUTPUT, k);
    store->name = name;
    store->at = at;
    store->from = from;
    store->dtype = dtype;
}

void orr__cloop_output_register(const orr__cloop *c, int k, const char *name, const char *at)
{
    int n = c->r->out_reg[k];
    orr__cloop_output(c, k, (orr_dtype)c->r->instr[n].dtype, orr__cloop_name(c, "r", n), name, at);
}

void orr__cloop_output_value(const orr__cloop *c, int k, orr_dtype dtype, const char *from)
{
    orr__cloop_output(c, k, dtype, from, orr__cloop_name(c, "out", k),
                      orr__nest_say(c->n, "(orr_idx)W(%d) + i", c->lay.out_at + k));
}

void orr__cloop_outputs(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_output_value(c, k, (orr_dtype)c->r->instr[c->r->out_reg[k]].dtype,
                                orr__cloop_name(c, "r", c->r->out_reg[k]));
}

orr__part *orr__cloop_fold(const orr__cloop *c, int how, int number)
{
    orr__part *fold = orr__nest_add(c->n, ORR__PART_FOLD, how, number);
    fold->around = c->around;
    fold->name = orr__cloop_name(c, "acc", number);
    return fold;
}

void orr__cloop_passes(const orr__cloop *c, int pos, int from, int to)
{
    for (int i = 0; i < c->r->ninstr; i++)
        if (c->at[i] == pos && c->pass[i] >= from && c->pass[i] <= to && c->r->instr[i].kind != ORR__RI_FOLD)
            orr__cloop_value(c, i);
}

void orr__cloop_values(const orr__cloop *c, int pos)
{
    orr__cloop_passes(c, pos, 0, 0);
}

/* -- loops --------------------------------------------------------------------------------------------------------- */

const char *orr__cloop_along(const orr__cloop *c, int how, int axis, const char *from, const char *to)
{
    const char *name = orr__cloop_name(c, "i", axis);
    (void)orr__nest_loop(c->n, how, name, from, to, NULL);
    return name;
}

void orr__cloop_open(const orr__cloop *c, int from, int to)
{
    for (int p = from; p < to; p++) {
        (void)orr__cloop_along(c, ORR__LOOP_STEPS, c->order[p], "0", orr__cloop_size(c, c->order[p]));
        orr__cloop_values(c, p);
    }
}

void orr__cloop_close(const orr__cloop *c, int from, int to)
{
    orr__nest_close(c->n, to - from);
}

void orr__cloop_inner(const orr__cloop *c, const char *from, const char *to)
{
    bool alone = c->around.boxed == ORR__BOXED_TESTED;
    (void)orr__cloop_along(c, alone ? ORR__LOOP_ALONE : ORR__LOOP_VECTOR, c->r->rank - 1, from, to);
}

void orr__cloop_blocks(const orr__cloop *c, const char *index, const char *end, const char *from, const char *to,
                       int length)
{
    (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, index, from, to, orr__nest_say(c->n, "%d", length));
    orr__nest_set(c->n, "const orr_idx %s = %s - %s < %d ? %s : %s + %d", end, to, index, length, to, index, length);
}

void orr__cloop_run_blocks(const orr__cloop *c)
{
    int last = c->r->rank - 1;
    orr__cloop_blocks(c, "q", "e", "0", orr__cloop_size(c, last), ORR__CLOOP_BLOCK);
    orr__nest_set(c->n, "const orr_idx i%d = q", last);
    orr__nest_set(c->n, "(void)i%d", last);
}

void orr__cloop_nothing(const orr__cloop *c)
{
    for (int d = 0; d < c->r->rank; d++) {
        (void)orr__nest_if(c->n, "W(%d) <= 0", orr__cloop_size_at(c->r, d));
        orr__nest_set(c->n, "return 0");
        orr__nest_close(c->n, 1);
    }
}

/* -- boxes ----------------------------------------------------------------------------------------------------------- */

bool orr__cloop_split(const orr__cloop *c)
{
    bool any = false;
    for (int a = 0; a < c->r->naccess; a++)
        any = any || c->r->access[a].box;
    return any && !orr__ablated(ORR__OFF_BORDERS);
}

const char *orr__cloop_length(const orr__cloop *c)
{
    return c->joins ? "joined" : orr__cloop_size(c, c->r->rank - 1);
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

/* Changes the loops around parts, and whether their innermost loop is vectorised. */
static bool put_around(orr__part *part, void *arg)
{
    const orr__around *around = arg;
    part->around.boxed = around->boxed;
    part->around.inside = around->inside;
    return true;
}

/* A copy of the innermost loop, over [begins, ends) and inside of c's boxes. */
static void piece_of_loop(const orr__cloop *c, const orr__part *loop)
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
    orr__cloop_widen(c, mark, "begins", "ends", ORR__CLOOP_BLOCK);
}

void orr__cloop_pieces(const orr__cloop *c, orr__part **mark, const char *from, const char *to)
{
    orr__nest *n = c->n;
    if (!orr__cloop_split(c)) {
        orr__cloop_vectorise(c, mark, from, to);
        orr__cloop_widen(c, mark, from, to, ORR__CLOOP_BLOCK);
        return;
    }
    orr__part *loop = orr__nest_take(n, mark);
    if (c->nset) {
        orr__cloop_each_set(c, from, to, "begins", "ends");
        for (int s = 0; s < orr__cloop_sets(c); s++) {
            const orr__cloop in = orr__cloop_set_begin(c, s);
            piece_of_loop(&in, loop);
        }
        orr__cloop_sets_end(c);
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
    piece_of_loop(&all, loop);
    orr__nest_else(n);
    piece_of_loop(c, loop);
    orr__nest_close(n, 2);
}

/* -- vectors --------------------------------------------------------------------------------------------------------- */

/* AVX2 masks elements of four and eight bytes, AVX-512 elements of any size. */
int orr__cloop_maskable(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, least = 8;
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        if (c->at[n] < last)
            continue;
        if ((in->kind == ORR__RI_GATHER && !c->joins) || in->kind == ORR__RI_PLACE || in->kind == ORR__RI_RANDOM ||
            orr__is_compound((orr_dtype)in->dtype))
            return 0;
        if (in->kind == ORR__RI_LOAD) {
            int size = (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
            least = ORR__MIN(size, least);
            if (c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_ANY)
                return 0;
        }
    }
    for (int k = 0; k < r->nout; k++) {
        int size = (int)orr_dtype_size((orr_dtype)r->out_dtype[k]);
        least = ORR__MIN(size, least);
        if (orr__is_compound((orr_dtype)r->out_dtype[k]))
            return 0;
    }
    return (least < 4 ? 4 : 2) * ORR__VECTOR;
}

/* Bytes of the narrowest number that the innermost loop computes with. One vector of these goes with several vectors of wider ones. */
static int narrowest(const orr__cloop *c)
{
    int least = 8;
    for (int n = 0; n < c->r->ninstr; n++) {
        orr_dtype t = orr__compute_dtype((orr_dtype)c->r->instr[n].dtype);
        if (c->at[n] == c->r->rank - 1 && t != ORR_BOOL && orr_dtype_size(t) < 8)
            least = 4;
    }
    return least;
}

int orr__cloop_widest(const orr__cloop *c)
{
    int most = 4;
    for (int n = 0; n < c->r->ninstr; n++) {
        int size = (int)orr__dtype_size((orr_dtype)c->r->instr[n].dtype);
        most = c->at[n] == c->r->rank - 1 && size > most ? size : most;
    }
    return most;
}

bool orr__cloop_is_paced(const orr__cloop *c)
{
    return orr__cloop_work(c) > ORR__T_LIGHT;
}

void orr__cloop_pace(const orr__cloop *c, int length)
{
    orr__nest_set(c->n, "ORR_PACE(%s, %d)", orr__cloop_widest(c) > 4 ? "orr_u16" : "orr_u8", length);
}

void orr__cloop_left(const orr__cloop *c, const char *count)
{
    orr__nest_set(c->n, "const int left = (int)(%s)", count);
    orr__nest_set(c->n, "int live = left");
    orr__nest_set(c->n, "__asm__(\"\" : \"+r\"(live))");
}

static bool mask_part(orr__part *part, void *unused)
{
    (void)unused;
    part->around.masked = true;
    return true;
}

void orr__cloop_mask(const orr__cloop *c, orr__part **mark)
{
    orr__part *list = orr__nest_take(c->n, mark);
    orr__nest_each(&list, mask_part, NULL);
    orr__nest_put(c->n, list);
}

/* The body of the loop for `count` elements from v on. */
static void lanes(const orr__cloop *c, int how, const orr__part *loop, const char *count, bool paced)
{
    (void)orr__nest_loop(c->n, how | ORR__LOOP_INT, "lane", "0", count, NULL);
    orr__nest_set(c->n, "const orr_idx %s = v + lane", loop->name);
    if (paced)
        orr__nest_set(c->n, "ORR_STEP(lane)");
    orr__nest_put(c->n, orr__nest_clone(c->n, loop->body));
    orr__nest_close(c->n, 1);
}

void orr__cloop_vectorise(const orr__cloop *c, orr__part **mark, const char *from, const char *to)
{
    orr__nest *n = c->n;
    int vector = c->around.boxed == ORR__BOXED_TESTED ? 0 : orr__cloop_maskable(c);
    const char *count = orr__nest_say(n, "ORR_VECTOR / %d", narrowest(c));
    const char *many = orr__nest_say(n, "%d", ORR__T_MAP_BLOCK / orr__cloop_widest(c));
    orr__part *loop = vector ? orr__nest_take(n, mark) : NULL;
    if (!loop)
        return;
    orr__nest_if(n, "ORR_VECTOR >= %d", vector)->how = ORR__MASK_COMPILED;
    orr__nest_block(n);
    orr__nest_set(n, "const orr_idx end = %s", to);
    orr__nest_set(n, "orr_idx v = %s", from);
    if (orr__cloop_is_paced(c)) {
        (void)orr__nest_loop(n, ORR__LOOP_WHOLE, "v", NULL, "end", many);
        orr__cloop_pace(c, ORR__T_MAP_BLOCK / orr__cloop_widest(c));
        lanes(c, ORR__LOOP_VECTOR, loop, many, true);
        orr__nest_set(n, "ORR_PACED");
        orr__nest_close(n, 1);
    }
    (void)orr__nest_loop(n, ORR__LOOP_WHOLE, "v", NULL, "end", count);
    lanes(c, ORR__LOOP_ONCE, loop, count, false);
    orr__nest_close(n, 1);
    (void)orr__nest_if(n, "v < end");
    orr__cloop_left(c, "end - v");
    orr__part **masked = n->end;
    lanes(c, ORR__LOOP_ONCE, loop, count, false);
    orr__cloop_mask(c, masked);
    orr__nest_close(n, 2);
    orr__nest_else(n);
    orr__nest_put(n, loop);
    orr__nest_close(n, 1);
}
