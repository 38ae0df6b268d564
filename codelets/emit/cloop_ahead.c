/* Separate loops before and after the innermost loop, for work that compilers do not vectorise: contiguous elements of
 * f16 are converted by the processor's instructions, and elements are gathered.
 * Must not know: loops, the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/cloop_internal.h"
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

void orr__cloop_half_functions(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool any = false;
    for (int i = 0; i < r->nin; i++)
        any = any || r->in_dtype[i] == ORR_F16;
    for (int k = 0; k < r->nout; k++)
        any = any || is_f16_output(r, k);
    if (any)
        orr__text_add(c->t, widen_text);
}

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

/* Declares wide<n>_<copy>. With `axis` ≥ 0, it holds row p + copy of that axis. */
static void widen(const orr__cloop *c, int n, int most, const char *to, int copy, int axis)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    orr__text_addf(c->t,
                   "    orr_f32 wide%d_%d[%d] __attribute__((aligned(64)));\n    {\n    const orr_idx i%d = %s;\n", n,
                   copy, most, last, c->wide_from);
    if (axis >= 0)
        orr__text_addf(c->t, "    const orr_idx i%d = p + %d;\n", axis, copy);
    orr__text_addf(c->t, "    orr_widen(wide%d_%d, ", n, copy);
    orr__emit_array(c->t, r, &c->lay, &c->around, r->instr[n].a);
    orr__text_add(c->t, " + (");
    orr__emit_element(c->t, r, &c->lay, &c->around, &r->instr[n]);
    orr__text_addf(c->t, "), %s - i%d);\n    }\n", to, last);
}

static bool gathers(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    return in->kind == ORR__RI_GATHER && c->at[in->x] == c->r->rank - 1 && (!c->wanted || c->wanted[n]);
}

/* Marks the gathers of the loop and all the registers that they need. Returns false if there are no gathers, or if they
 * need random numbers. */
static bool find_gathers(const orr__cloop *c, bool *needed)
{
    const orr__region *r = c->r;
    bool any = false, drawn = false;
    for (int n = r->ninstr - 1; n >= 0; n--) {
        const orr__rinstr *in = &r->instr[n];
        needed[n] = needed[n] || gathers(c, n);
        any = any || needed[n];
        const int16_t from[3] = { in->x, in->y, in->z };
        for (int k = 0; k < 3; k++)
            if (needed[n] && from[k] >= 0)
                needed[from[k]] = true;
        drawn = drawn || (needed[n] && in->kind == ORR__RI_RANDOM);
    }
    return any && !drawn;
}

static void gather(const orr__cloop *c, const char *to, int most, const bool *needed)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    for (int n = 0; n < r->ninstr; n++)
        if (gathers(c, n))
            orr__text_addf(c->t, "    %s wide%d_0[%d] __attribute__((aligned(64)));\n",
                           orr__emit_type((orr_dtype)r->instr[n].dtype), n, most);
    orr__text_addf(c->t, "    for (orr_idx i%d = %s; i%d < %s; i%d++) {\n", last, c->wide_from, last, to, last);
    for (int n = 0; n < r->ninstr; n++) {
        if (!needed[n] || c->at[n] != last)
            continue;
        orr__cloop_value(c, n);
        if (gathers(c, n))
            orr__text_addf(c->t, "    wide%d_0[i%d - %s] = r%d;\n", n, last, c->wide_from, n);
    }
    orr__text_add(c->t, "    }\n");
    for (int n = 0; n < r->ninstr; n++)
        c->prepared[n] =
            c->prepared[n] || gathers(c, n) || (needed[n] && r->instr[n].kind == ORR__RI_PLACE && c->at[n] == last);
}

/* Elements are gathered by a separate loop if the work on them is that of a function. */
static void gather_ahead(const orr__cloop *c, const char *to, int most)
{
    bool *needed = calloc((size_t)c->r->ninstr + 1, sizeof *needed);
    if (!needed)
        c->t->failed = true;
    else if (orr__cloop_work(c) >= ORR__COST_FUNCTION && find_gathers(c, needed) && !orr__ablated(ORR__OFF_GATHERS))
        gather(c, to, most, needed);
    free(needed);
}

/* The loops for which nothing is prepared yet. */
static orr__cloop loops_from(const orr__cloop *c, const char *from)
{
    orr__cloop in = *c;
    memset(c->prepared, 0, (size_t)c->r->ninstr * sizeof *c->prepared);
    in.wide = c->prepared;
    in.wide_from = from;
    in.wide_copy = 0;
    return in;
}

orr__cloop orr__cloop_widen(const orr__cloop *c, const char *from, const char *to, int most)
{
    orr__cloop in = loops_from(c, from);
    for (int n = 0; n < c->r->ninstr; n++)
        if (widens(c, n) && (!c->wanted || c->wanted[n])) {
            widen(&in, n, most, to, 0, -1);
            c->prepared[n] = true;
        }
    gather_ahead(&in, to, most);
    return in;
}

orr__cloop orr__cloop_widen_rows(const orr__cloop *c, const char *from, const char *to, int most, int axis, int rows)
{
    orr__cloop in = loops_from(c, from);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (!widens(c, n) || c->r->instr[n].kind == ORR__RI_GATHER)
            continue;
        for (int row = 0; row < rows; row++)
            widen(&in, n, most, to, row, axis);
        c->prepared[n] = true;
    }
    return in;
}

bool orr__cloop_wide_value(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    bool wide = c->wide && c->wide[n];
    if (wide && in->kind != ORR__RI_PLACE)
        orr__text_addf(c->t, "    const %s r%d = wide%d_%d[i%d - %s];\n", orr__emit_type((orr_dtype)in->dtype), n, n,
                       c->wide_copy, c->r->rank - 1, c->wide_from);
    return wide;
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
    if (orr__ablated(ORR__OFF_HALVES) || r->rmask || r->per_row || c->side >= 0)
        return ORR_OK;
    if (!(c->lay.unrounded = orr__alloc_n((size_t)r->ninstr + 1, sizeof *c->lay.unrounded)))
        return ORR_ENOMEM;
    for (int n = 0; n < r->ninstr; n++)
        c->lay.unrounded[n] = c->at[n] == r->rank - 1 && only_stored(r, n);
    return ORR_OK;
}

orr__cloop orr__cloop_narrow_begin(const orr__cloop *c, const char *from, int most)
{
    orr__cloop in = *c;
    in.half_from = from;
    for (int k = 0; k < c->r->nout; k++)
        if (narrows(c, k))
            orr__text_addf(c->t, "    orr_f32 half%d[%d] __attribute__((aligned(64)));\n", k, most);
    return in;
}

bool orr__cloop_narrow_store(const orr__cloop *c, int k)
{
    orr_dtype from = (orr_dtype)c->r->instr[c->r->out_reg[k]].dtype;
    char reg[16];
    if (!narrows(c, k))
        return false;
    (void)snprintf(reg, sizeof reg, "r%d", c->r->out_reg[k]);
    orr__text_addf(c->t, "    half%d[i%d - %s] = ", k, c->r->rank - 1, c->half_from);
    if (orr__compute_dtype(from) == ORR_F32)
        orr__text_add(c->t, reg);
    else
        orr__emit_cast(c->t, from, ORR_F16, reg, true);
    orr__text_add(c->t, ";\n");
    return true;
}

void orr__cloop_narrow(const orr__cloop *c, const char *to)
{
    for (int k = 0; k < c->r->nout; k++)
        if (narrows(c, k))
            orr__text_addf(c->t, "    orr_narrow(to%d + (%s - q), half%d, %s - %s);\n", k, c->half_from, k, to,
                           c->half_from);
}
