/* Building and changing the tree of a loop nest.
 * Must not know: the meaning of parts. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/nest.h"
#include "runtime/base/decimal.h"
#include "runtime/base/minmax.h"

const char *orr__part_word(orr__partkind kind)
{
    static const char *const words[] = { ORR__PARTS(ORR__PART_WORD) };
    return words[kind];
}

/* Bytes of parts and strings. */
enum { PIECE = 1 << 14 }; /* limit of memory */

typedef struct orr__nest_piece {
    struct orr__nest_piece *next;
    size_t used, size;
    max_align_t bytes[];
} piece;

void orr__nest_begin(orr__nest *n, orr__text *t)
{
    *n = (orr__nest){ .t = t };
    n->end = &n->root;
}

void orr__nest_free(orr__nest *n)
{
    while (n->pieces) {
        piece *next = n->pieces->next;
        free(n->pieces);
        n->pieces = next;
    }
}

static void *give(orr__nest *n, size_t bytes)
{
    piece *p = n->pieces;
    bytes = (bytes + sizeof *p->bytes - 1) / sizeof *p->bytes * sizeof *p->bytes;
    if (!orr__text_work(n->t, 1))
        return NULL;
    if (!p || p->size - p->used < bytes) {
        size_t size = ORR__MAX(bytes, (size_t)PIECE);
        if (!(p = malloc(sizeof *p + size))) {
            n->t->failed = true;
            return NULL;
        }
        *p = (piece){ .next = n->pieces, .size = size };
        n->pieces = p;
    }
    void *at = (char *)p->bytes + p->used;
    p->used += bytes;
    return at;
}

static const char *say(orr__nest *n, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int length = orr__decimal_vprint(NULL, 0, fmt, again);
    va_end(again);
    char *s = length < 0 ? NULL : give(n, (size_t)length + 1);
    if (s)
        (void)orr__decimal_vprint(s, (size_t)length + 1, fmt, ap);
    return s ? s : "";
}

const char *orr__nest_say(orr__nest *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *s = say(n, fmt, ap);
    va_end(ap);
    return s;
}

/* Parts of a nest that has failed are all the same one, outside of the tree. */
orr__part *orr__nest_add(orr__nest *n, orr__partkind kind, int how, int number)
{
    orr__part *part = give(n, sizeof *part);
    if (!part)
        return &n->none;
    n->parts++;
    *part = (orr__part){ .kind = kind, .how = how, .n = number, .up = n->in };
    *n->end = part;
    n->end = &part->next;
    return part;
}

static orr__part *enter(orr__nest *n, orr__part *part)
{
    if (part != &n->none) {
        n->in = part;
        n->end = &part->body;
    }
    return part;
}

orr__part *orr__nest_loop(orr__nest *n, int how, const char *name, const char *from, const char *to, const char *step)
{
    orr__part *part = orr__nest_add(n, ORR__PART_LOOP, how, -1);
    part->name = name;
    part->from = from;
    part->to = to;
    part->step = step;
    return enter(n, part);
}

orr__part *orr__nest_if(orr__nest *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr__part *part = orr__nest_add(n, ORR__PART_MASK, 0, -1);
    part->at = say(n, fmt, ap);
    va_end(ap);
    return enter(n, part);
}

void orr__nest_block(orr__nest *n)
{
    (void)enter(n, orr__nest_add(n, ORR__PART_MASK, 0, -1));
}

void orr__nest_else(orr__nest *n)
{
    if (n->in)
        n->end = &n->in->other;
}

void orr__nest_close(orr__nest *n, int bodies)
{
    for (int i = 0; i < bodies && n->in; i++) { /* none is open if the nest has failed */
        n->end = &n->in->next;
        n->in = n->in->up;
    }
}

void orr__nest_set(orr__nest *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr__nest_add(n, ORR__PART_SET, 0, -1)->at = say(n, fmt, ap);
    va_end(ap);
}

void orr__nest_copy(orr__nest *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr__nest_add(n, ORR__PART_COPY, 0, -1)->at = say(n, fmt, ap);
    va_end(ap);
}

void orr__nest_array(orr__nest *n, int how, const char *type, const char *name, const char *size)
{
    orr__part *part = orr__nest_add(n, ORR__PART_ARRAY, how, -1);
    part->at = type;
    part->name = name;
    part->step = size;
}

void orr__nest_address(orr__nest *n, const char *type, const char *name, const char *address)
{
    orr__part *part = orr__nest_add(n, ORR__PART_ARRAY, 0, -1);
    part->at = type;
    part->name = name;
    part->from = address;
}

orr__part *orr__nest_take(orr__nest *n, orr__part **mark)
{
    orr__part *list = *mark;
    *mark = NULL;
    n->end = mark;
    return list;
}

void orr__nest_put(orr__nest *n, orr__part *list)
{
    *n->end = list;
    while (*n->end) {
        (*n->end)->up = n->in;
        n->end = &(*n->end)->next;
    }
}

static orr__part *copy(orr__nest *n, const orr__part *part)
{
    orr__part *c = give(n, sizeof *c);
    if (!c)
        return NULL;
    n->parts++;
    *c = *part;
    c->next = NULL;
    c->body = orr__nest_clone(n, part->body);
    c->other = orr__nest_clone(n, part->other);
    return c;
}

orr__part *orr__nest_clone(orr__nest *n, const orr__part *list)
{
    orr__part *first = NULL, **end = &first;
    for (; list && (*end = copy(n, list)); list = list->next)
        end = &(*end)->next;
    return first;
}

void orr__nest_each(orr__part **list, bool (*f)(orr__part *part, void *arg), void *arg)
{
    while (*list) {
        orr__part *part = *list;
        orr__nest_each(&part->body, f, arg);
        orr__nest_each(&part->other, f, arg);
        if (f(part, arg))
            list = &part->next;
        else
            *list = part->next;
    }
}

bool orr__nest_has(const orr__part *list, orr__partkind kind, int n)
{
    bool any = false;
    for (; list && !any; list = list->next)
        any = (list->kind == kind && list->n == n) || orr__nest_has(list->body, kind, n) ||
              orr__nest_has(list->other, kind, n);
    return any;
}
