/* The key of a node of a capture, without values: words that can be read from left to right, so that different graphs have different keys.
 * Must not know: how the graph is walked. */
#ifndef ORR_GRAPH_STRUCTURE_KEY_H
#define ORR_GRAPH_STRUCTURE_KEY_H

#include <string.h>
#include "runtime/graph/node.h"

/* The most bytes of a node, without its inputs. */
enum { ORR__KEY_NODE = 8 + sizeof(orr__attr) + ORR__ATTR_NUMBERS + (ORR_MAX_RANK + 3) * sizeof(int64_t) };

static inline uint8_t *orr__key_i32(uint8_t *to, int32_t v)
{
    memcpy(to, &v, sizeof v);
    return to + sizeof v;
}

/* Appends a few numbers without a call of memcpy. */
static inline uint8_t *orr__key_i64s(uint8_t *to, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++, to += sizeof *v)
        memcpy(to, &v[i], sizeof *v);
    return to;
}

/* Appends an attribute: as it is, or, if it is longer than a word, the words that are not zero behind a mask that says which these are,
 * since most end in zeros. */
static inline uint8_t *orr__key_field(uint8_t *to, const void *field, size_t size)
{
    int64_t word;
    if (size <= sizeof word) {
        memcpy(to, field, size);
        return to + size;
    }
    uint8_t *mask = to++;
    unsigned there = 0;
    for (size_t i = 0; i < size / sizeof word; i++) {
        memcpy(&word, (const char *)field + i * sizeof word, sizeof word);
        memcpy(to, &word, sizeof word);
        to += word ? sizeof word : 0;
        there |= (unsigned)(word != 0) << i;
    }
    *mask = (uint8_t)there;
    return to;
}

/* Appends all attributes that the operation has. */
static inline uint8_t *orr__key_attr(uint8_t *to, const orr__node *n)
{
    unsigned has = n->op->attrs;
#define ATTR(bit, type, field, length)                                                                                 \
    if (has & ORR__ATTR_##bit)                                                                                         \
        to = orr__key_field(to, &n->attr.field, sizeof n->attr.field);
    ORR__ATTRS(ATTR)
#undef ATTR
    return to;
}

/* The key of a leaf, which does not depend on the operation that made it. */
static inline uint8_t *orr__key_leaf(uint8_t *to, const orr__node *n)
{
    to = orr__key_i32(to, orr__op_leaf.id | n->dtype << 16 | n->shape.rank << 24);
    return orr__key_i64s(to, n->shape.dim, n->shape.rank);
}

/* Appends the place of a node that can fail at evaluation: its plan reports the error of this line and call, not of an equal graph's. */
static inline uint8_t *orr__key_place(uint8_t *to, const orr__node *n)
{
    const int64_t place[3] = { (int64_t)(intptr_t)n->file, (int64_t)(intptr_t)n->as, n->line };
    return orr__key_i64s(to, place, 3);
}

/* The key of a node with nin inputs, whose numbers follow. An element-wise operation omits the number of inputs, which its row has, and
 * the shape, which the inputs have. */
static inline uint8_t *orr__key_node(uint8_t *to, const orr__node *n, int nin)
{
    to = orr__key_i32(to, n->op->id | n->dtype << 16 | n->shape.rank << 24);
    if (n->op->id >= ORR__OP_EW)
        return to;
    to = orr__key_i32(to, nin);
    if (n->op->flags & ORR__OP_MAY_FAIL)
        to = orr__key_place(to, n);
    return orr__key_i64s(n->op->attrs ? orr__key_attr(to, n) : to, n->shape.dim, n->shape.rank);
}

/* The key of output i of an evaluation. It is below zero, where no node begins. */
static inline uint8_t *orr__key_output(uint8_t *to, int i)
{
    return orr__key_i32(to, ~i);
}

/* The mark before the first output that is not waited for. */
static inline uint8_t *orr__key_others(uint8_t *to)
{
    return orr__key_i32(to, INT32_MIN);
}

/* The mark before the first retained output. */
static inline uint8_t *orr__key_kept(uint8_t *to)
{
    return orr__key_i32(to, INT32_MIN + 1);
}

#endif
