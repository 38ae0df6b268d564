/* C loops whose random numbers are drawn before an innermost loop, for all of its elements at once.
 * Must not know: the readers of the numbers. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_internal.h"

static const char lanes_text[] =
#include "codelets/emit/lanes_text.h"
    ;

/* Pairs by Box and Muller, equal to those that orr_rand_normal computes one by one. vr_words64 of (·, 2) gives the two
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

void orr__cloop_random_functions(const orr__cloop *c)
{
    bool any = false, normal = false;
    for (int i = 0; i < c->r->ninstr; i++) {
        any = any || orr__cloop_draws(c, i);
        normal = normal || (orr__cloop_draws(c, i) && c->r->instr[i].op == ORR__DNORMAL);
    }
    if (any)
        orr__text_add(c->t, lanes_text);
    if (normal)
        orr__text_addf(c->t, normals_text, ORR__CLOOP_BLOCK);
}

void orr__cloop_ahead(const orr__cloop *c, int i)
{
    const orr__rinstr *in = &c->r->instr[i];
    int last = c->r->rank - 1, bits = orr__emit_random_bits(in);
    const char *type = bits == 32 ? "orr_u32" : bits == 64 ? "orr_u64" : "orr_f64";
    if (!orr__cloop_draws(c, i))
        return;
    orr__text_addf(c->t, "    orr_i64 first%d;\n    {\n    const orr_idx i%d = q;\n    first%d = ", i, last, i);
    orr__emit_index(c->t, c->r, &c->lay, in->a, true);
    orr__text_addf(c->t, ";\n    }\n    %s buffer%d[%d + VR_SPARE] __attribute__((aligned(64)));\n", type, i,
                   ORR__CLOOP_BLOCK);
    orr__text_addf(c->t, "    const %s *const drawn%d = %s%.0d(buffer%d, (orr_u64)W(%d), (orr_u64)first%d, e - q%s);\n",
                   type, i, bits ? "vr_words" : "orr_normals", bits, i, c->scalar[i], i, bits == 64 ? ", 1" : "");
}

orr__cloop orr__cloop_all_ahead(const orr__cloop *c)
{
    orr__cloop in = *c;
    in.drawn = true;
    for (int i = 0; i < c->r->ninstr; i++)
        orr__cloop_ahead(c, i);
    return in;
}

void orr__cloop_value(const orr__cloop *c, int i)
{
    int scalar = c->scalar[i];
    char drawn[32];
    if (orr__cloop_wide_value(c, i))
        return;
    if (!c->drawn || !orr__cloop_draws(c, i)) {
        orr__emit_value(c->t, c->r, &c->lay, &c->around, i, &scalar, true);
        return;
    }
    (void)snprintf(drawn, sizeof drawn, "drawn%d[i%d - q]", i, c->r->rank - 1);
    orr__emit_random(c->t, &c->r->instr[i], i, scalar, drawn, true);
}
