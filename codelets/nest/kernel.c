/* From a region to one C99 file: types, helper functions, the kernel around its loops.
 * Must not know: compilers, launches. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "ops/ew_id.h"
#include "runtime/base/env.h"

/* The math and half-float functions are those of the interpreter's loops: they vectorise, and both tiers give the same
 * bits. */
static const char vmath_text[] =
#include "codelets/emit/vmath_text.h"
    ;
static const char half_text[] =
#include "codelets/emit/half_text.h"
    ;

/* For each C math name in the table of operations, the function for T. */
static const char math_f32[] = "#undef EW_M\n#define EW_M(n) vm_##n##_f32\n"
#include "codelets/emit/names_text.h"
    ;
static const char math_f64[] = "#undef EW_M\n#define EW_M(n) vm_##n##_f64\n"
#include "codelets/emit/names_text.h"
    ;

/* These passes turn a choice between values into jumps, and loops with jumps do not vectorise. The pragmas on loops
 * promise that an output overlaps an input only in the same element. A loop with
 * ORR_ALONE is not vectorised. clang does not see that a loop from q to q + 64 has 64 turns, since the sum may wrap; gcc computes addresses
 * better from such an index. */
static const char first_text[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                                 "#pragma GCC optimize(\"no-tree-pre\", \"no-thread-jumps\", "
                                 "\"no-tree-loop-distribute-patterns\")\n"
                                 "#define ORR_LOOP _Pragma(\"GCC ivdep\")\n"
                                 "#define ORR_VECTOR_LOOP _Pragma(\"GCC ivdep\") _Pragma(\"GCC unroll 1\")\n"
                                 "#define ORR_PACED_LOOP ORR_LOOP\n"
                                 "#define ORR_TURNS(i, from, n) for (orr_idx i = from; i < from + n; i++) {\n"
                                 "#else\n"
                                 "#define ORR_TURNS(i, from, n) for (int turn = 0; turn < n; turn++) { "
                                 "const orr_idx i = from + turn;\n"
                                 "#define ORR_LOOP _Pragma(\"clang loop vectorize(assume_safety)\")\n"
                                 "#define ORR_VECTOR_LOOP _Pragma(\"clang loop vectorize(assume_safety) "
                                 "unroll(disable)\")\n"
                                 "#define ORR_PACED_LOOP _Pragma(\"clang loop vectorize(assume_safety) "
                                 "interleave_count(4)\")\n"
                                 "#endif\n"
                                 "#if defined(__AVX512BW__) && defined(__AVX512VL__)\n"
                                 "#define ORR_VECTOR 64\n"
                                 "#elif defined(__AVX2__)\n"
                                 "#define ORR_VECTOR 32\n"
                                 "#else\n"
                                 "#define ORR_VECTOR 0\n"
                                 "#endif\n"
                                 "#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX2__)\n"
                                 "#define ORR_PACE(type, n) type pace[n] __attribute__((aligned(64)));\n"
                                 "#define ORR_STEP(i) pace[i] = 0;\n"
                                 "#define ORR_PACED __asm__ volatile(\"\" : : \"r\"(pace) : \"memory\");\n"
                                 "#else\n"
                                 "#define ORR_PACE(type, n)\n"
                                 "#define ORR_STEP(i)\n"
                                 "#define ORR_PACED\n"
                                 "#endif\n"
                                 "#ifdef __GNUC__\n"
                                 "#define ORR_ALONE __asm__ volatile(\"\");\n"
                                 "#define ORR_PREFETCH(at, cache) __builtin_prefetch(at, 0, cache)\n"
                                 "#else\n"
                                 "#define ORR_ALONE\n"
                                 "#define ORR_PREFETCH(at, cache) (void)(at)\n"
                                 "#endif\n"
                                 "#define ORR_WIDE 1\n";

/* Declarations that replace the headers; the texts include none. */
static const char headers_text[] =
    "typedef orr_i32 int32_t;\ntypedef orr_i64 int64_t;\ntypedef orr_i16 int16_t;\ntypedef orr_u16 uint16_t;\n"
    "typedef orr_u32 uint32_t;\ntypedef orr_u64 uint64_t;\n"
    "#define memcpy __builtin_memcpy\n#define INFINITY __builtin_inff()\n"
    "#define NAN __builtin_nanf(\"\")\n";

/* The emitter's names for conversions, as branch-free functions. */
static const char half_names[] = "#define orr_f16_to_f32 vh_from_f16\n#define orr_f32_to_f16 vh_to_f16\n"
                                 "#define orr_bf16_to_f32 vh_from_bf16\n#define orr_f32_to_bf16 vh_to_bf16\n"
                                 "#define orr_round_f16 vh_round_f16\n#define orr_round_bf16 vh_round_bf16\n"
                                 "#define orr_f64_round_f16(x) vh_round_f16(vh_odd(x))\n"
                                 "#define orr_f64_round_bf16(x) vh_round_bf16(vh_odd(x))\n"
                                 "#undef orr_fit_f16\n#define orr_fit_f16 vh_fit_f16\n"
                                 "#undef orr_fit_bf16\n#define orr_fit_bf16 vh_fit_bf16\n"
                                 "#undef orr_pack_f16\n#define orr_pack_f16 vh_pack_f16\n"
                                 "#define orr_pack_bf16 vh_pack_bf16\n";

/* The larger and the smaller of x and y, of equal values x. y must not be NaN. One instruction each. */
static const char bounds_text[] = "ORR_FN orr_f32 orr_above_f32(orr_f32 x, orr_f32 y) { return y > x ? y : x; }\n"
                                  "ORR_FN orr_f32 orr_below_f32(orr_f32 x, orr_f32 y) { return y < x ? y : x; }\n"
                                  "ORR_FN orr_f64 orr_above_f64(orr_f64 x, orr_f64 y) { return y > x ? y : x; }\n"
                                  "ORR_FN orr_f64 orr_below_f64(orr_f64 x, orr_f64 y) { return y < x ? y : x; }\n";

/* A choice between extrema of one and two bytes, by bits: gcc takes a masked extremum of these for one instruction, and fails if its first
 * operand is in an array of the kernel. */
static const char choice_text[] =
    "#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512BW__)\n"
    "#define ORR_CHOICE(n, t) ORR_FN t orr_choice_##n(orr_u8 x, t y, t z) "
    "{ return (t)((y & (t)-(t)x) | (z & (t)((t)x - 1))); }\n"
    "ORR_CHOICE(i8, orr_i8)\nORR_CHOICE(u8, orr_u8)\nORR_CHOICE(i16, orr_i16)\nORR_CHOICE(u16, orr_u16)\n"
    "#define orr_where_i8 orr_choice_i8\n#define orr_where_u8 orr_choice_u8\n"
    "#define orr_where_i16 orr_choice_i16\n#define orr_where_u16 orr_choice_u16\n"
    "#endif\n";

/* Normal numbers as in codelets/cpu/vec_rand.c. */
static const char circle_text[] =
    "ORR_FN orr_f64 orr_circle(orr_f64 x, int which) { orr_f64 s, c; vm_normal_circle(x, &s, &c); return which ? c : "
    "s; }\n"
    "#define log vm_normal_log\n#define sin(x) orr_circle(x, 0)\n#define cos(x) orr_circle(x, 1)\n";

/* True if the region is a map whose instructions read folds of their row. */
static bool can_rows(const orr__region *r)
{
    if (!orr__region_is_map(r) || r->rank < 1 || r->rank > ORR_MAX_RANK || r->nout < 1)
        return false;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->kind == ORR__RI_FOLD ? in->op > ORR__RALL : !orr__emit_instr_can(r, in, true))
            return false;
    }
    return true;
}

static bool has_field(const orr__region *r)
{
    for (int i = 0; i < r->ninstr; i++)
        if (orr__is_field((orr_dtype)r->instr[i].dtype))
            return true;
    return false;
}

bool orr__emit_c_can(const orr__region *r)
{
    if (has_field(r)) /* codelets/field/ is several times faster than compiled table rows */
        return false;
    bool folds = orr__region_loops(r) && r->rmask;
    return orr__region_rows(r) ? can_rows(r) : (folds || orr__region_is_map(r)) && orr__emit_can(r, true);
}

static bool has_half(const orr__region *r)
{
    bool any = false;
    for (int i = 0; i < r->ninstr; i++)
        any = any || orr__is_half((orr_dtype)r->instr[i].dtype);
    for (int k = 0; k < r->nout; k++)
        any = any || orr__is_half((orr_dtype)r->out_dtype[k]);
    return any;
}

/* Is register n an extremum with an operand in an array? */
static bool is_extremum(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    bool is = in->kind == ORR__RI_EW && (in->op == ORR__EW_maximum || in->op == ORR__EW_minimum ||
                                         in->op == ORR__EW_clip || in->op == ORR__EW_relu);
    const int16_t operand[] = { in->x, in->y, in->z };
    bool any = false;
    for (int k = 0; is && k < 3; k++)
        any = any || (operand[k] >= 0 && orr__nest_has(c->n->root, ORR__PART_LOAD, operand[k]));
    return any;
}

static bool has_narrow_choice(const orr__cloop *c)
{
    bool any = false;
    for (int i = 0; i < c->r->ninstr; i++) {
        const orr__rinstr *in = &c->r->instr[i];
        any = any || (in->kind == ORR__RI_EW && in->op == ORR__EW_where && orr__is_int((orr_dtype)in->dtype) &&
                      orr_dtype_size((orr_dtype)in->dtype) < 4 && (is_extremum(c, in->y) || is_extremum(c, in->z)));
    }
    return any;
}

static void functions(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    orr__dialect d = orr__dialect_c;
    d.math[0] = math_f32;
    d.math[1] = math_f64;
    orr__text_add(t, first_text);
    orr__text_add(t, d.prelude);
    orr__emit_compound(t, r, true);
    orr__text_add(t, headers_text);
    orr__text_add(t, vmath_text);
    if (has_half(r)) {
        orr__text_add(t, half_text);
        orr__emit_helpers(t, ORR__NEED_F16 | ORR__NEED_BF16 | ORR__NEED_NARROW64);
        orr__text_add(t, half_names);
    }
    orr__text_add(t, bounds_text);
    orr__text_add(t, circle_text);
    orr__emit_random_helpers(t, r, true);
    orr__cloop_random_functions(c, t);
    orr__text_add(t, "#undef log\n#undef sin\n#undef cos\n");
    orr__emit_functions(t, &d, r, true);
    if (has_narrow_choice(c))
        orr__text_add(t, choice_text);
}

/* A kernel whose scalar bounds are NaN leaves the launch to the interpreter. */
static void give_up_on_nan(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (!orr__emit_bounded(r, in))
            continue;
        orr__text_add(t, "    {\n");
        const int16_t bound[2] = { in->y, in->op == ORR__EW_clip ? in->z : -1 };
        for (int k = 0; k < 2 && bound[k] >= 0; k++) {
            const char *type = orr__emit_type((orr_dtype)r->instr[bound[k]].dtype);
            orr__text_addf(t, "    const %s bound%d = ", type, k);
            orr__emit_word(t, (orr_dtype)r->instr[bound[k]].dtype, c->scalar[bound[k]], true);
            orr__text_addf(t, ";\n    if (bound%d != bound%d)\n        return 1;\n", k, k);
        }
        orr__text_add(t, "    }\n");
    }
}

/* An axis of length 0 is left to the interpreter. An out-of-range index is left to it when it is found. */
static bool give_up_on_places(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    if (orr__emit_flags(r) == 0)
        return false;
    orr__text_add(t, "    orr_i64 bad = 0;\n");
    for (int i = 0; i < r->ninstr; i++)
        if (r->instr[i].kind == ORR__RI_PLACE)
            orr__text_addf(t, "    if (W(%d) <= 0)\n        return 1;\n", orr__emit_by(r, &c->lay, r->instr[i].a));
    return true;
}

bool orr__emit_c_watches(const orr__region *r)
{
    bool all = (orr__env.check & ORR__CHECK_NONFINITE) && orr__region_is_map(r) && !orr__region_rows(r), any = false;
    for (int k = 0; k < r->nout && all; k++) {
        orr_dtype t = (orr_dtype)r->out_dtype[k];
        any = any || orr__is_float(t);
        all = orr__is_float(t) ? t == ORR_F32 || t == ORR_F64 : !orr__is_complex(t);
    }
    return all && any && !orr__emit_c_packs(r);
}

/* The top bit of odd<k> says that output k has an element that is not finite. */
static void watch(const orr__region *r, orr__text *t)
{
    for (int k = 0; k < r->nout; k++)
        if (orr__is_float((orr_dtype)r->out_dtype[k]))
            orr__text_addf(t, "    orr_u%d odd%d = 0;\n", r->out_dtype[k] == ORR_F64 ? 64 : 32, k);
}

static void say_watched(const orr__region *r, orr__text *t)
{
    for (int k = 0; k < r->nout; k++)
        if (orr__is_float((orr_dtype)r->out_dtype[k]))
            orr__text_addf(t, " | (int)(odd%d >> %d) << %d", k, r->out_dtype[k] == ORR_F64 ? 63 : 31, k + 1);
}

/* Argument words become constants of the kernel: no store can alias them. */
static void kernel(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    orr__text_add(t, "int orr_kernel(void *const *in, void *const *out, const orr_i64 *word)\n{\n    (void)in;\n");
    for (int i = 0; i < c->lay.nword; i++)
        orr__text_addf(t, "    const orr_i64 w%d = word[%d];\n", i, i);
    orr__text_add(t, "#define W(n) w##n\n");
    for (int i = 0; i < r->nin; i++) {
        const char *type = orr__emit_storage((orr_dtype)r->in_dtype[i]);
        orr__text_addf(t, "    const %s *const in%d = in[%d];\n", type, i, i);
    }
    for (int a = 0, n = r->nin + (orr__emit_c_keeps(r) > 0); a < r->naccess; a++)
        if (c->lay.packed[a])
            orr__text_addf(t, "    const %s *const pack%d = in[%d];\n",
                           orr__emit_storage((orr_dtype)r->in_dtype[r->access[a].input]), a, n++);
    for (int k = 0; k < r->nout; k++) {
        const char *type = orr__emit_storage((orr_dtype)r->out_dtype[k]);
        orr__text_addf(t, "    %s *const out%d = out[%d];\n", type, k, k);
    }
    give_up_on_nan(c, t);
    bool places = give_up_on_places(c, t);
    if (c->watches)
        watch(r, t);
    orr__cloop_write(c, t);
    orr__text_add(t, places ? "    return (bad != 0)" : "    return 0");
    if (c->watches)
        say_watched(r, t);
    orr__text_add(t, ";\n}\n");
}

/* The text of a kernel whose nest is made. */
static void text(const orr__cloop *c, orr__text *t)
{
    const orr__region *r = c->r;
    functions(c, t);
    orr__cloop_half_functions(c, t);
    orr__cloop_past_functions(c, t);
    orr__cloop_join_functions(c, t);
    orr__cloop_turn_functions(c, t);
    for (int n = 0; n < r->ninstr + r->nout; n++)
        if (orr__emit_folds(r, n)) {
            orr__region fold = orr__emit_fold_of(r, n);
            (fold.search ? orr__cloop_find_functions : orr__cloop_fold_functions)(t, &fold, n);
        }
    kernel(c, t);
}

bool orr__cloop_is_sound(const orr__cloop *c)
{
    char why[64];
    if (orr__env.print & ORR__PRINT_NEST)
        orr__nest_print(stderr, c->n, c->r);
    if (orr__nest_verify(c->n, c->r, why, sizeof why))
        return true;
    (void)orr__fail(orr__region_site(c->r), ORR_EINTERNAL, "the nest of a kernel is wrong: %s", why);
    return false;
}

/* Makes the nest of a region, or of `rows`, the same as rows. False: the text has failed. */
static bool make(orr__cloop *c, const orr__region *r, orr__region *rows)
{
    orr__text *t = c->n->t;
    if (r->rmask && orr__cloop_side(r) >= 0) {
        t->failed = !orr__cloop_as_rows(r, rows);
        r = rows;
    }
    t->failed = t->failed || orr__cloop_begin(c, r) != ORR_OK;
    if (!t->failed)
        (c->side >= 0          ? orr__cloop_short
         : orr__region_rows(r) ? orr__cloop_rows
         : r->rmask            ? orr__cloop_reduce
                               : orr__cloop_map)(c);
    return !t->failed;
}

char *orr__emit_c(const orr__region *r)
{
    orr__text t = { 0 };
    orr__nest nest;
    orr__region rows = { 0 };
    if (!orr__emit_c_can(r)) {
        (void)orr__fail(orr__region_site(r), ORR_EINVAL, "no C loops for this kind of region");
        return NULL;
    }
    orr__cloop c = { .n = &nest, .fp64 = true, .watches = orr__emit_c_watches(r) };
    orr__nest_begin(&nest, &t);
    bool sound = !make(&c, r, &rows) || orr__cloop_is_sound(&c);
    if (sound && !t.failed)
        text(&c, &t);
    orr__cloop_end(&c);
    orr__nest_free(&nest);
    free(rows.instr);
    return sound ? orr__text_end(&t, r->file, r->line, r->label) : NULL;
}
