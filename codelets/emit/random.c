/* Counter-based random numbers in kernels: runtime/base/philox_core.h is a part of their text.
 * Must not know: devices, streams. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/emit.h"

/* The host's functions, in the dialects' words. */
static const char names_text[] = "#define RAND_FN ORR_FN\n#define RAND_MULHI orr_mulhi\n#define RAND_CLZ orr_clz\n"
                                 "#define int32_t orr_i32\n#define int64_t orr_i64\n"
                                 "#define uint32_t orr_u32\n#define uint64_t orr_u64\n";
static const char core_text[] =
#include "codelets/emit/philox_text.h"
    "#undef int32_t\n#undef int64_t\n#undef uint32_t\n#undef uint64_t\n#undef RAND_F64\n#undef RAND_PERMUTATION\n";

void orr__emit_random_helpers(orr__text *t, const orr__region *r, bool fp64)
{
    bool any = false, permutes = false;
    for (int i = 0; i < r->ninstr; i++) {
        bool random = r->instr[i].kind == ORR__RI_RANDOM;
        any = any || random;
        permutes = permutes || (random && r->instr[i].op == ORR__DPERMUTATION);
    }
    if (!any)
        return;
    orr__text_add(t, names_text);
    orr__text_add(t, fp64 ? "#define RAND_F64\n" : "");
    orr__text_add(t, permutes ? "#define RAND_PERMUTATION\n" : "");
    orr__text_add(t, core_text);
}

/* Uniform and normal numbers are made as floats; a region that needs another dtype has a cast. */
bool orr__emit_random_can(const orr__rinstr *in, bool fp64)
{
    orr_dtype t = (orr_dtype)in->dtype;
    switch (in->op) {
    case ORR__DBITS:
    case ORR__DINTEGERS:
    case ORR__DPERMUTATION: return true;
    case ORR__DUNIFORM: return orr__is_float(t);
    case ORR__DNORMAL: return orr__is_float(t) && fp64;
    default: return false;
    }
}

/* The source of a number: 32 or 64 random bits, or 0 for a normal number in f64. */
int orr__emit_random_bits(const orr__rinstr *in)
{
    bool wide = orr_dtype_size((orr_dtype)in->dtype) == 8;
    return in->op == ORR__DNORMAL ? 0 : in->op == ORR__DINTEGERS || wide ? 64 : 32;
}

static void uniform(orr__text *t, const orr__rinstr *in, int n, const char *drawn)
{
    orr__text_addf(t, "    const %s r%d = orr__u01_%s(%s);\n", orr__emit_type((orr_dtype)in->dtype), n,
                   orr__emit_suffix((orr_dtype)in->dtype), drawn);
}

static void normal(orr__text *t, const orr__rinstr *in, int n, const char *drawn)
{
    orr_dtype dtype = (orr_dtype)in->dtype;
    char round[32] = ""; /* empty: the brackets stay without effect */
    if (orr__is_half(dtype))
        (void)snprintf(round, sizeof round, "orr_round_%s", orr__emit_suffix(dtype));
    orr__text_addf(t, "    const %s r%d = %s((%s)%s);\n", orr__emit_type(dtype), n, round, orr__emit_type(dtype),
                   drawn);
}

/* One declaration, from `drawn`; if that is NULL, from element q<n> of the seed in argument word `word`. */
void orr__emit_random(orr__text *t, const orr__rinstr *in, int n, int word, const char *drawn, bool fp64)
{
    orr_dtype dtype = (orr_dtype)in->dtype, made = in->op == ORR__DBITS ? ORR_U64 : ORR_I64;
    char one[96], name[16];
    if (in->op == ORR__DPERMUTATION)
        (void)snprintf(one, sizeof one, "orr__rand_permutation((orr_u64)W(%d), (orr_u64)W(%d), (orr_u64)q%d)", word,
                       word + 1, n);
    else if (in->op == ORR__DNORMAL)
        (void)snprintf(one, sizeof one, "orr__rand_normal_f64((orr_u64)W(%d), (orr_u64)q%d)", word, n);
    else
        (void)snprintf(one, sizeof one, "orr__rand_bits%d((orr_u64)W(%d), (orr_u64)q%d)", orr__emit_random_bits(in),
                       word, n);
    drawn = drawn ? drawn : one;
    if (in->op == ORR__DUNIFORM || in->op == ORR__DNORMAL) {
        (in->op == ORR__DUNIFORM ? uniform : normal)(t, in, n, drawn);
        return;
    }
    if (in->op == ORR__DINTEGERS)
        orr__text_addf(t, "    const orr_i64 n%d = orr__between(%s, W(%d), (orr_u64)W(%d));\n", n, drawn, word + 1,
                       word + 2);
    else
        orr__text_addf(t, "    const %s n%d = %s;\n", orr__emit_type(made), n, drawn);
    (void)snprintf(name, sizeof name, "n%d", n);
    orr__text_addf(t, "    const %s r%d = ", orr__emit_type(dtype), n);
    orr__emit_cast(t, made, dtype, name, fp64);
    orr__text_add(t, ";\n");
}
