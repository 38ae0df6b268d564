/* C loops whose random numbers are drawn before an innermost loop, for all of its elements at once.
 * Must not know: the readers of the numbers. */
#include "config.h"

#include <stdio.h>
#include "codelets/nest/internal.h"

static const char lanes_text[] =
#include "codelets/emit/lanes_text.h"
    ;

/* Pairs by Box and Muller, equal to those that orr__rand_normal_f64 computes one by one. vr_words64 of (·, 2) gives the two
 * numbers of a pair. */
static const char normals_text[] =
    "ORR_FN const orr_f64 *orr_normals(orr_f64 *to, orr_u64 seed, orr_u64 first, orr_i64 n)\n{\n"
    "    orr_u64 word[%d + VR_SPARE];\n"
    "    const orr_i64 skip = (orr_i64)(first & 1);\n"
    "    (void)vr_words64(word, seed, first - (orr_u64)skip, n + skip, 2);\n"
    "    for (orr_i64 i = 0; i < n + skip; i += 2) {\n"
    "        const orr_f64 x = (orr_f64)(orr_i64)((word[i] >> 11) + 1) * 1.1102230246251565e-16;\n"
    "        const orr_f64 radius = sqrt(-2.0 * log(x));\n"
    "        const orr_f64 angle = (orr_f64)(orr_i64)(word[i + 1] >> 11) * 1.1102230246251565e-16"
    " * 6.283185307179586476925286766559;\n"
    "        to[i] = radius * cos(angle);\n        to[i + 1] = radius * sin(angle);\n    }\n"
    "    return to + skip;\n}\n";

bool orr__cloop_draws(const orr__cloop *c, int i)
{
    const orr__rinstr *in = &c->r->instr[i];
    int last = c->r->rank - 1;
    return in->kind == ORR__RI_RANDOM && in->op != ORR__DPERMUTATION && c->at[i] == last &&
           c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_UNIT;
}

void orr__cloop_random_functions(const orr__cloop *c, orr__text *t)
{
    bool any = false, normal = false;
    for (int i = 0; i < c->r->ninstr; i++) {
        any = any || orr__cloop_draws(c, i);
        normal = normal || (orr__cloop_draws(c, i) && c->r->instr[i].op == ORR__DNORMAL);
    }
    if (any)
        orr__text_add(t, lanes_text);
    if (normal)
        orr__text_addf(t, normals_text, ORR__CLOOP_BLOCK);
}

/* Draws the bits of instruction i for elements [q, e). */
static void draw(const orr__cloop *c, int i)
{
    const orr__rinstr *in = &c->r->instr[i];
    int last = c->r->rank - 1, bits = orr__emit_random_bits(in);
    const char *type = bits == 32 ? "orr_u32" : bits == 64 ? "orr_u64" : "orr_f64";
    orr__nest_set(c->n, "orr_i64 first%d", i);
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = q", last);
    orr__nest_set(c->n, "first%d = %s", i, orr__cloop_index(c, in->a, true));
    orr__nest_close(c->n, 1);
    orr__nest_array(c->n, 0, type, orr__cloop_name(c, "buffer", i),
                    orr__nest_say(c->n, "%d + VR_SPARE", ORR__CLOOP_BLOCK));
    const char *words = bits ? orr__nest_say(c->n, "vr_words%d", bits) : "orr_normals";
    orr__nest_address(c->n, orr__nest_say(c->n, "const %s", type), orr__cloop_name(c, "drawn", i),
                      orr__nest_say(c->n, "%s(buffer%d, (orr_u64)W(%d), (orr_u64)first%d, e - q%s)", words, i,
                                    c->scalar[i], i, bits == 64 ? ", 1" : ""));
}

static bool read_drawn(orr__part *part, void *arg)
{
    const orr__cloop *c = arg;
    if (part->kind == ORR__PART_LET && orr__cloop_draws(c, part->n))
        part->at = orr__nest_say(c->n, "drawn%d[i%d - q]", part->n, c->r->rank - 1);
    return true;
}

void orr__cloop_draw(const orr__cloop *c, orr__part **mark)
{
    orr__cloop of = *c;
    orr__part *list = orr__nest_take(c->n, mark);
    for (int i = 0; i < c->r->ninstr; i++)
        if (orr__cloop_draws(c, i) && orr__nest_has(list, ORR__PART_LET, i))
            draw(c, i);
    orr__nest_each(&list, read_drawn, &of);
    orr__nest_put(c->n, list);
}
