/* The bytes that say what a node of a capture is, values apart: words that can be read from left to right, so that different
 * graphs have different keys.
 * Must not know: how the graph is walked. */
#ifndef ORR_GRAPH_KEY_H
#define ORR_GRAPH_KEY_H

#include <string.h>
#include "runtime/graph/node.h"

/* The most that a node takes, its inputs apart. */
enum { ORR__KEY_NODE = 8 + sizeof(orr__attr) + ORR_MAX_RANK * sizeof(int64_t) };

static inline uint8_t *orr__key_i32(uint8_t *to, int32_t v)
{
    memcpy(to, &v, sizeof v);
    return to + sizeof v;
}

/* A few numbers, of which there is no need to call memcpy. */
static inline uint8_t *orr__key_i64s(uint8_t *to, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++, to += sizeof *v)
        memcpy(to, &v[i], sizeof *v);
    return to;
}

static inline uint8_t *orr__key_attr(uint8_t *to, const orr__node *n)
{
    const orr__attr *a = &n->attr;
    unsigned has = n->op->attrs;
    int rank = n->shape.rank;
    if (has & ORR__ATTR_AXIS)
        to = orr__key_i32(to, a->axis);
    if (has & ORR__ATTR_INDEX)
        to = orr__key_i32(to, a->index);
    if (has & ORR__ATTR_MASK)
        to = orr__key_i32(to, (int32_t)a->mask);
    if (has & (ORR__ATTR_ROP | ORR__ATTR_DIST))
        to = orr__key_i32(to, a->rop | a->dist << 8);
    if (has & ORR__ATTR_PERM) {
        memcpy(to, a->perm, sizeof a->perm);
        to += sizeof a->perm;
    }
    if (has & ORR__ATTR_START)
        to = orr__key_i64s(to, a->start, rank);
    if (has & ORR__ATTR_STEP)
        to = orr__key_i64s(to, a->step, rank);
    return to;
}

/* A leaf has one key for all operations that made it. */
static inline uint8_t *orr__key_leaf(uint8_t *to, const orr__node *n)
{
    to = orr__key_i32(to, orr__op_leaf.id | n->dtype << 16 | n->shape.rank << 24);
    return orr__key_i64s(to, n->shape.dim, n->shape.rank);
}

/* A node with so many inputs, whose numbers follow. Of an element-wise op its row knows how many they are, and they its shape. */
static inline uint8_t *orr__key_node(uint8_t *to, const orr__node *n, int nin)
{
    to = orr__key_i32(to, n->op->id | n->dtype << 16 | n->shape.rank << 24);
    if (n->op->id >= ORR__OP_EW)
        return to;
    to = orr__key_i32(to, nin);
    return orr__key_i64s(n->op->attrs ? orr__key_attr(to, n) : to, n->shape.dim, n->shape.rank);
}

/* Output i of an evaluation. No node begins with a number below zero. */
static inline uint8_t *orr__key_output(uint8_t *to, int i)
{
    return orr__key_i32(to, ~i);
}

/* Before the first of the outputs that are not waited for. */
static inline uint8_t *orr__key_others(uint8_t *to)
{
    return orr__key_i32(to, INT32_MIN);
}

/* Before the first of those that are only kept. */
static inline uint8_t *orr__key_kept(uint8_t *to)
{
    return orr__key_i32(to, INT32_MIN + 1);
}

#endif
