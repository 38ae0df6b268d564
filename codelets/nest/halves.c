/* The functions that convert f16 by the processor's instructions, and outputs of f16, which become f16 in a loop after the innermost one.
 * Must not know: loops, the meaning of instructions. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

/* Converts as many elements at a time as the loop loads afterwards: a load wider than the preceding stores stalls, and so does one of elements
 * from two of them. The last few elements are a masked vector, or, without masks, are converted together with some that were converted
 * before. A loop of whole vectors may read beyond the last element. */
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
    "#if ORR_VECTOR == 64\n"
    "ORR_INLINE ORR_FN void orr_widen_few(orr_f32 *to, const orr_u16 *from, orr_u16 left)\n{\n"
    "    orr_u16 half[orr_many];\n    ORR_VECTOR_LOOP\n    for (int l = 0; l < orr_many; l++)\n"
    "        half[l] = (orr_u16)l < left ? from[l] : 0;\n    orr_widen_many(to, half);\n}\n"
    "ORR_INLINE ORR_FN void orr_narrow_few(orr_u16 *to, const orr_f32 *from, orr_u16 left)\n{\n"
    "    orr_u16 half[orr_many];\n    orr_narrow_many(half, from);\n    ORR_VECTOR_LOOP\n"
    "    for (int l = 0; l < orr_many; l++)\n        if ((orr_u16)l < left)\n            to[l] = half[l];\n}\n"
    "#define ORR_MANY(to, from, name) \\\n    for (; n - k >= orr_many; k += orr_many) \\\n"
    "        name##_many(to + k, from + k); \\\n    if (k < n) \\\n"
    "        name##_few(to + k, from + k, (orr_u16)(n - k)); \\\n    return;\n"
    "#else\n"
    "#define ORR_MANY(to, from, name) \\\n    if (n >= orr_many) { \\\n"
    "        for (; n - k >= orr_many; k += orr_many) \\\n            name##_many(to + k, from + k); \\\n"
    "        if (k < n) \\\n            name##_many(to + (n - orr_many), from + (n - orr_many)); \\\n        k = n; "
    "\\\n"
    "    }\n#endif\n"
    "#else\n#define ORR_MANY(to, from, name)\n#endif\n"
    "#if defined(__aarch64__) && defined(__ARM_FP16_FORMAT_IEEE)\n" /* such loops become NEON or SVE */
    "#define ORR_TO_SINGLE(from) *(const __fp16 *)(from)\n#define ORR_TO_HALF(to, x) *(__fp16 *)(to) = (__fp16)(x)\n"
    "#else\n"
    "#define ORR_TO_SINGLE(from) orr_f16_to_f32(*(from))\n#define ORR_TO_HALF(to, x) *(to) = orr_f32_to_f16(x)\n"
    "#endif\n"
    "ORR_INLINE ORR_FN void orr_widen(orr_f32 *to, const orr_u16 *from, orr_idx n)\n{\n    orr_idx k = 0;\n"
    "    ORR_MANY(to, from, orr_widen)\n"
    "    for (; k < n; k++)\n        to[k] = ORR_TO_SINGLE(from + k);\n"
    "    for (; k > 0 && k % 16 != 0; k++)\n        to[k] = 0;\n}\n"
    "ORR_INLINE ORR_FN void orr_narrow(orr_u16 *to, const orr_f32 *from, orr_idx n)\n{\n    orr_idx k = 0;\n"
    "    ORR_MANY(to, from, orr_narrow)\n"
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
        read = read || orr__cloop_reads(&r->instr[i], n);
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
            orr__cloop_declare(c, 0, "orr_f32", "half", k, most);
    orr__nest_each(&list, leave_unrounded, &n);
    orr__nest_put(c->n, list);
    for (int k = 0; k < c->r->nout; k++)
        if (narrows(c, k))
            orr__nest_copy(c->n, "orr_narrow(to%d + (%s - q), half%d, %s - %s)", k, from, k, to, from);
}
