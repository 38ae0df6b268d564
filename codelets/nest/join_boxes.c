/* Boxes of joined rows: a range of all elements, and a mask of the columns inside of it.
 * Must not know: what the loops compute. */
#include "config.h"

#include "codelets/nest/internal.h"

/* Boxes with the same columns share an array. */
void orr__cloop_join_number(const orr__region *r, int16_t *column)
{
    int last = r->rank - 1, n = 0;
    for (int a = 0; a < r->naccess; a++) {
        const orr__access *x = &r->access[a];
        bool boxed = x->box >> last & 1u;
        column[a] = -1;
        for (int b = 0; b < a && boxed; b++)
            if (column[b] >= 0 && r->access[b].lo[last] == x->lo[last] && r->access[b].hi[last] == x->hi[last])
                column[a] = column[b];
        if (boxed && column[a] < 0)
            column[a] = (int16_t)n++;
    }
}

/* The word with the first column of access a's box. */
static int columns_word(const orr__cloop *c, int a)
{
    return orr__emit_by(c->r, &c->lay, a) + orr__emit_box_words(&c->r->access[a]) - 2;
}

/* Is access a the first that reads its columns<n>? */
bool orr__cloop_first_column(const orr__cloop *c, int a)
{
    bool first = c->lay.column[a] >= 0;
    for (int b = 0; b < a; b++)
        first = first && c->lay.column[b] != c->lay.column[a];
    return first;
}

/* Integers as wide as the widest value, so that a vector of them masks a vector of values. */
const char *orr__cloop_mask_type(const orr__cloop *c)
{
    return orr__emit_type(orr__cloop_widest(c) > 4 ? ORR_I64 : ORR_I32);
}

void orr__cloop_join_columns(const orr__cloop *c, int length)
{
    for (int a = 0; c->joins && a < c->r->naccess; a++)
        if (orr__cloop_first_column(c, a)) {
            int word = columns_word(c, a);
            orr__cloop_join_repeat(c, orr__cloop_mask_type(c), orr__cloop_name(c, "allowed", c->lay.column[a]), length,
                                   "k", orr__nest_say(c->n, "k >= W(%d) && k < W(%d) ? -1 : 0", word, word + 1));
        }
}

/* The range from the first element inside to the last, so that every element of it can be read. */
void orr__cloop_join_part(const orr__cloop *c, int a, int word)
{
    int last = c->r->rank - 1;
    const char *columns = orr__cloop_size(c, last), *from = "0", *to = "joined";
    if (c->r->access[a].box >> (last - 1) & 1u) {
        from = orr__nest_say(c->n, "W(%d) * %s", word, columns);
        to = orr__nest_say(c->n, "W(%d) * %s", word + 1, columns);
    }
    if (c->r->access[a].box >> last & 1u) {
        from = orr__nest_say(c->n, "%s + W(%d)", from, columns_word(c, a));
        to = orr__nest_say(c->n, "%s - %s + W(%d)", to, columns, columns_word(c, a) + 1);
    }
    orr__nest_set(c->n, "const orr_idx lo%d = %s, hi%d = part%d ? %s : lo%d", a, from, a, a, to, a);
}
