/* Separate loops before and after the innermost loop, for work that compilers do not vectorise: contiguous elements of
 * f16 are converted by the processor's instructions, and elements are gathered.
 * Must not know: loops, the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

/* Converts as many elements at a time as the loop loads afterwards: a load wider than the preceding stores stalls. The
 * last few elements are converted together with some that were converted before. A loop of whole vectors may read
 * beyond the last element. */
static const char widen_text[] =
    "#ifdef __GNUC__\n#define ORR_INLINE __attribute__((always_inline))\n#else\n#define ORR_INLINE\n#endif\n"
    "#if defined(__GNUC__) && defined(__F16C__) && ORR_VECTOR > 0\n"
    "enum { orr_many = ORR_VECTOR / 4 };\n"
    "typedef short orr_halves __attribute__((vector_size(ORR_VECTOR / 2)));\n"
    "typedef orr_f32 orr_singles __attribute__((vector_size(ORR_VECTOR)));\n"
    "#if ORR_VECTOR == 64\n"
    "#define ORR_SINGLES(h) __builtin_ia32_vcvtph2ps512_mask(h, (orr_singles){ 0 }, (short)-1, 4)\n"
    "#define ORR_HALVES(s) __builtin_ia32_vcvtps2ph512_mask(s, 0, (orr_halves){ 0 }, (short)-1)\n"
    "#else\n"
    "#define ORR_SINGLES(h) __builtin_ia32_vcvtph2ps256(h)\n"
    "#define ORR_HALVES(s) __builtin_ia32_vcvtps2ph256(s, 0)\n"
    "#endif\n"
    "ORR_INLINE ORR_FN void orr_widen_many(orr_f32 *to, const orr_u16 *from)\n{\n"
    "    orr_halves h;\n    __builtin_memcpy(&h, from, sizeof h);\n"
    "    const orr_singles s = ORR_SINGLES(h);\n    __builtin_memcpy(to, &s, sizeof s);\n}\n"
    "ORR_INLINE ORR_FN void orr_narrow_many(orr_u16 *to, const orr_f32 *from)\n{\n"
    "    orr_singles s;\n    __builtin_memcpy(&s, from, sizeof s);\n"
    "    const orr_halves h = (orr_halves)ORR_HALVES(s);\n    __builtin_memcpy(to, &h, sizeof h);\n}\n"
    "#define ORR_MANY(to, from, function) \\\n    if (n >= orr_many) { \\\n"
    "        for (; n - k >= orr_many; k += orr_many) \\\n            function(to + k, from + k); \\\n"
    "        if (k < n) \\\n            function(to + (n - orr_many), from + (n - orr_many)); \\\n        k = n; \\\n  "
    "  }\n"
    "#else\n#define ORR_MANY(to, from, function)\n#endif\n"
    "#if defined(__aarch64__) && defined(__ARM_FP16_FORMAT_IEEE)\n" /* such loops become NEON or SVE */
    "#define ORR_TO_SINGLE(from) *(const __fp16 *)(from)\n#define ORR_TO_HALF(to, x) *(__fp16 *)(to) = (__fp16)(x)\n"
    "#else\n"
    "#define ORR_TO_SINGLE(from) orr_f16_to_f32(*(from))\n#define ORR_TO_HALF(to, x) *(to) = orr_f32_to_f16(x)\n"
    "#endif\n"
    "ORR_INLINE ORR_FN void orr_widen(orr_f32 *to, const orr_u16 *from, orr_idx n)\n{\n    orr_idx k = 0;\n"
    "    ORR_MANY(to, from, orr_widen_many)\n"
    "    for (; k < n; k++)\n        to[k] = ORR_TO_SINGLE(from + k);\n"
    "    for (; k > 0 && k % 16 != 0; k++)\n        to[k] = 0;\n}\n"
    "ORR_INLINE ORR_FN void orr_narrow(orr_u16 *to, const orr_f32 *from, orr_idx n)\n{\n    orr_idx k = 0;\n"
    "    ORR_MANY(to, from, orr_narrow_many)\n"
    "    for (; k < n; k++)\n        ORR_TO_HALF(to + k, from[k]);\n}\n";

static bool is_f16_output(const orr__region *r, int k)
{
    return r->out_dtype[k] == ORR_F16;
}

void orr__cloop_half_functions(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    bool any = false;
    for (int i = 0; i < r->nin; i++)
        any = any || r->in_dtype[i] == ORR_F16;
    for (int k = 0; k < r->nout; k++)
        any = any || is_f16_output(r, k);
    if (any)
        orr__text_add(t, widen_text);
}

/* Parts that are changed. `done`: registers in wide<n>_<row>, from element `from` on; places: their elements were gathered. */
typedef struct {
    const orr__cloop *c;
    const char *from;
    bool *done;
} change;

/* Registers are loaded. */
static bool read_wide(orr__part *part, void *arg)
{
    const change *ch = arg;
    const orr__cloop *c = ch->c;
    if (part->kind != ORR__PART_LET || !ch->done[part->n])
        return true;
    part->kind = ORR__PART_LOAD;
    part->how = ORR__LOAD_PLAIN;
    part->name = orr__nest_say(c->n, "wide%d_%d", part->n, part->row);
    part->at = orr__nest_say(c->n, "i%d - %s", c->r->rank - 1, ch->from);
    return c->r->instr[part->n].kind != ORR__RI_PLACE;
}

static void change_nodes(const change *ch, orr__part *list)
{
    change to = *ch;
    orr__nest_each(&list, read_wide, &to);
    orr__nest_put(ch->c->n, list);
}

/* -- f16 ------------------------------------------------------------------------------------------------------------ */

static bool widens(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    int last = c->r->rank - 1;
    bool reads = in->kind == ORR__RI_LOAD || (in->kind == ORR__RI_GATHER && c->at[in->x] < last);
    if (!reads || in->dtype != ORR_F16 || c->at[n] != last || orr__ablated(ORR__OFF_HALVES))
        return false;
    const orr__access *a = &c->r->access[in->a];
    return c->r->in_dtype[a->input] == ORR_F16 && c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_UNIT &&
           orr__emit_reading(c->r, &c->lay, &c->around, in->a) == ORR__READ_ALWAYS;
}

/* Declares wide<n>_<row>. With `axis` ≥ 0, it holds row p + row of that axis. */
static void widen(const change *ch, int n, int most, const char *to, int row, int axis)
{
    const orr__cloop *c = ch->c;
    int last = c->r->rank - 1;
    orr__nest_array(c->n, 0, "orr_f32", orr__nest_say(c->n, "wide%d_%d", n, row), orr__nest_say(c->n, "%d", most));
    orr__nest_block(c->n);
    orr__nest_set(c->n, "const orr_idx i%d = %s", last, ch->from);
    if (axis >= 0)
        orr__nest_set(c->n, "const orr_idx i%d = p + %d", axis, row);
    orr__nest_copy(c->n, n, "orr_widen(wide%d_%d, %s + (%s), %s - i%d)", n, row, orr__cloop_array(c, c->r->instr[n].a),
                   orr__cloop_element(c, n), to, last);
    orr__nest_close(c->n, 1);
}

/* Widens those registers of the list that may be. */
static void widen_list(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most, int axis,
                       int rows)
{
    bool *done = calloc((size_t)c->r->ninstr + 1, sizeof *done);
    if (!done) {
        c->n->t->failed = true;
        return;
    }
    const change ch = { c, from, done };
    orr__part *list = orr__nest_take(c->n, mark);
    for (int n = 0; n < c->r->ninstr; n++) {
        done[n] = widens(c, n) && (axis < 0 || c->r->instr[n].kind != ORR__RI_GATHER) &&
                  orr__nest_has(list, ORR__PART_LET, n);
        for (int row = 0; row < rows && done[n]; row++)
            widen(&ch, n, most, to, row, axis);
    }
    change_nodes(&ch, list);
    free(done);
}

/* -- gathers -------------------------------------------------------------------------------------------------------- */

static bool gathers(const orr__cloop *c, const orr__part *list, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[in->x] == c->r->rank - 1 && orr__nest_has(list, ORR__PART_LET, n);
}

/* Marks the gathers of the loop and all the registers that they need. Returns false if there are no gathers, or if they
 * need random numbers. */
static bool find_gathers(const orr__cloop *c, const orr__part *list, bool *needed)
{
    const orr__region *r = c->r;
    bool any = false, drawn = false;
    for (int n = r->ninstr - 1; n >= 0; n--) {
        const orr__rinstr *in = &r->instr[n];
        needed[n] = needed[n] || gathers(c, list, n);
        any = any || needed[n];
        const int16_t from[3] = { in->x, in->y, in->z };
        for (int k = 0; k < 3; k++)
            if (needed[n] && from[k] >= 0)
                needed[from[k]] = true;
        drawn = drawn || (needed[n] && in->kind == ORR__RI_RANDOM);
    }
    return any && !drawn;
}

/* Leaves those registers marked that the list no longer computes. */
static void gather(const change *ch, const orr__part *list, const char *to, int most)
{
    const orr__cloop *c = ch->c;
    const orr__region *r = c->r;
    int last = r->rank - 1;
    for (int n = 0; n < r->ninstr; n++)
        if (gathers(c, list, n))
            orr__nest_array(c->n, 0, orr__emit_type((orr_dtype)r->instr[n].dtype), orr__nest_say(c->n, "wide%d_0", n),
                            orr__nest_say(c->n, "%d", most));
    (void)orr__cloop_along(c, ORR__LOOP_STEPS, last, ch->from, to);
    for (int n = 0; n < r->ninstr; n++) {
        bool gathered = gathers(c, list, n);
        if (ch->done[n] && c->at[n] == last)
            orr__cloop_value(c, n);
        if (gathered)
            orr__cloop_store(c, n, orr__nest_say(c->n, "wide%d_0", n), orr__nest_say(c->n, "i%d - %s", last, ch->from));
        ch->done[n] = gathered || (ch->done[n] && r->instr[n].kind == ORR__RI_PLACE && c->at[n] == last);
    }
    orr__nest_close(c->n, 1);
}

/* Elements are gathered by a separate loop if the work on them is that of a function. */
static void gather_list(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most)
{
    bool *needed = calloc((size_t)c->r->ninstr + 1, sizeof *needed);
    const change ch = { c, from, needed };
    if (!needed) {
        c->n->t->failed = true;
    } else if (orr__cloop_work(c) >= ORR__COST_FUNCTION && find_gathers(c, *mark, needed) &&
               !orr__ablated(ORR__OFF_GATHERS)) {
        orr__part *list = orr__nest_take(c->n, mark);
        gather(&ch, list, to, most);
        change_nodes(&ch, list);
    }
    free(needed);
}

void orr__cloop_widen(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most)
{
    gather_list(c, mark, from, to, most);
    widen_list(c, mark, from, to, most, -1, 1);
}

void orr__cloop_widen_rows(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most, int axis,
                           int rows)
{
    widen_list(c, mark, from, to, most, axis, rows);
}

/* -- outputs ---------------------------------------------------------------------------------------------------------- */

static bool narrows(const orr__cloop *c, int k)
{
    return c->lay.unrounded && is_f16_output(c->r, k);
}

/* True if the register is read by outputs only. */
static bool only_stored(const orr__region *r, int n)
{
    bool stored = false, read = false;
    for (int k = 0; k < r->nout; k++)
        stored = stored || (is_f16_output(r, k) && r->out_reg[k] == n);
    for (int i = n + 1; i < r->ninstr; i++)
        read = read || r->instr[i].x == n || r->instr[i].y == n || r->instr[i].z == n;
    return stored && !read;
}

orr_status orr__cloop_leave_rounding(orr__cloop *c)
{
    const orr__region *r = c->r;
    if (orr__ablated(ORR__OFF_HALVES) || r->rmask || r->loops == ORR__LOOPS_PER_ROW || c->side >= 0)
        return ORR_OK;
    if (!(c->lay.unrounded = orr__alloc_n((size_t)r->ninstr + 1, sizeof *c->lay.unrounded)))
        return ORR_ENOMEM;
    for (int n = 0; n < r->ninstr; n++)
        c->lay.unrounded[n] = c->at[n] == r->rank - 1 && only_stored(r, n);
    return ORR_OK;
}

typedef struct {
    const orr__cloop *c;
    const char *from;
} narrowed;

static bool leave_unrounded(orr__part *part, void *arg)
{
    const narrowed *to = arg;
    const orr__cloop *c = to->c;
    if (part->kind != ORR__PART_STORE || part->how != ORR__STORE_OUTPUT || !narrows(c, part->n))
        return true;
    part->how = ORR__STORE_UNROUNDED;
    part->name = orr__cloop_name(c, "half", part->n);
    part->at = orr__nest_say(c->n, "i%d - %s", c->r->rank - 1, to->from);
    return true;
}

void orr__cloop_narrow(const orr__cloop *c, orr__part **mark, const char *from, const char *to, int most)
{
    narrowed n = { c, from };
    if (!c->lay.unrounded)
        return;
    orr__part *list = orr__nest_take(c->n, mark);
    for (int k = 0; k < c->r->nout; k++)
        if (narrows(c, k))
            orr__nest_array(c->n, 0, "orr_f32", orr__cloop_name(c, "half", k), orr__nest_say(c->n, "%d", most));
    orr__nest_each(&list, leave_unrounded, &n);
    orr__nest_put(c->n, list);
    for (int k = 0; k < c->r->nout; k++)
        if (narrows(c, k))
            orr__nest_copy(c->n, k, "orr_narrow(to%d + (%s - q), half%d, %s - %s)", k, from, k, to, from);
}
