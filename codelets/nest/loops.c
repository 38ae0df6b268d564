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
    orr__emit_array(&t, c->r, &c->lay, a);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_element(const orr__cloop *c, int n)
{
    orr__text t = { 0 };
    orr__emit_element(&t, c->r, &c->lay, &c->r->instr[n]);
    return orr__cloop_said(c, &t);
}

const char *orr__cloop_address(const orr__cloop *c, int n)
{
    return orr__nest_say(c->n, "%s + (%s)", orr__cloop_array(c, c->r->instr[n].a), orr__cloop_element(c, n));
}

const char *orr__cloop_stored(const orr__cloop *c, int a)
{
    return orr__emit_storage((orr_dtype)c->r->in_dtype[c->r->access[a].input]);
}

const char *orr__cloop_name(const orr__cloop *c, const char *name, int n)
{
    return orr__nest_say(c->n, "%s%d", name, n);
}

const char *orr__cloop_length(const orr__cloop *c)
{
    return c->joins ? "joined" : orr__cloop_size(c, c->r->rank - 1);
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
    if (c->side >= 0 && orr__cloop_is_turned(c, i)) {
        orr__cloop_turned(c, i);
        return;
    }
    orr__part *let = orr__nest_add(c->n, ORR__PART_LET, 0, i);
    let->around = c->around;
    let->row = c->row;
}

void orr__cloop_declare(const orr__cloop *c, int how, const char *type, const char *name, int n, int elements)
{
    orr__nest_array(c->n, how, type, orr__cloop_name(c, name, n), orr__nest_say(c->n, "%d", elements));
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

void orr__cloop_fold_block(const orr__cloop *c, int number, const char *from, const char *count)
{
    orr__part *fold = orr__cloop_fold(c, ORR__FOLD_BLOCK, number);
    fold->from = from;
    fold->to = count;
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

void orr__cloop_along(const orr__cloop *c, int how, int axis, const char *from, const char *to)
{
    (void)orr__nest_loop(c->n, how, orr__cloop_name(c, "i", axis), from, to, NULL);
}

void orr__cloop_open(const orr__cloop *c, int from, int to)
{
    for (int p = from; p < to; p++) {
        orr__cloop_along(c, ORR__LOOP_STEPS, c->order[p], "0", orr__cloop_size(c, c->order[p]));
        orr__cloop_values(c, p);
    }
}

void orr__cloop_inner(const orr__cloop *c, const char *from, const char *to)
{
    bool alone = c->around.boxed == ORR__BOXED_TESTED;
    orr__cloop_along(c, alone ? ORR__LOOP_ALONE : ORR__LOOP_VECTOR, c->r->rank - 1, from, to);
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
    const char *size = orr__cloop_size(c, last);
    if (c->r->dim[last] > ORR__CLOOP_BLOCK)
        orr__cloop_blocks(c, "q", "e", "0", size, ORR__CLOOP_BLOCK);
    else { /* one turn: the first total needs no care */
        (void)orr__nest_loop(c->n, ORR__LOOP_STEPS, "q", "0", "1", NULL);
        orr__nest_set(c->n, "const orr_idx e = %s", size);
    }
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
