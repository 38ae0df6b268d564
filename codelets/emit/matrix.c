/* Matrix instructions and copies to shared memory that nobody waits for, as functions of a kernel. A target without them, and a compiler
 * that is not NVIDIA's, get a plain copy; the kernel's text multiplies by itself there.
 * Must not know: regions, the size of a tile. */
#include "config.h"

#include "codelets/emit/matrix.h"
#include "runtime/base/dtype.h"

#define AHEAD "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"

const char *orr__emit_ahead_if(void)
{
    return AHEAD;
}

const char *orr__emit_matrix_if(orr_dtype t)
{
    return t == ORR_F16 ? "#if defined(__CUDA_ARCH__)\n" : AHEAD;
}

int orr__emit_matrix_deep(orr_dtype t)
{
    return orr__is_half(t) ? 16 : 8;
}

int orr__emit_matrix_run(orr_dtype t)
{
    return orr__is_half(t) ? 8 : 1;
}

static const char copies[] =
    "typedef struct alignas(16) { orr_u32 w[4]; } orr_chunk;\n" AHEAD
    "ORR_FN void orr_sent(void) { asm volatile(\"cp.async.commit_group;\" ::: \"memory\"); }\n"
    "ORR_FN void orr_arrived(void) { asm volatile(\"cp.async.wait_group 1;\" ::: \"memory\"); }\n"
    "#else\n"
    "ORR_FN void orr_sent(void) {}\nORR_FN void orr_arrived(void) {}\n"
    "#endif\n";

/* The rest of a run is 0. */
void orr__emit_copies(orr__text *t, orr_dtype stored)
{
    const char *type = orr__emit_storage(stored);
    int size = (int)orr_dtype_size(stored), run = orr__emit_matrix_run(stored);
    orr__text_add(t, copies);
    orr__text_addf(t,
                   "ORR_FN void orr_copy(%s *to, const %s *from, int bytes)\n{\n" AHEAD
                   "    asm volatile(\"cp.async.%s.shared.global [%%0], [%%1], %d, %%2;\" ::\n"
                   "                 \"r\"((orr_u32)__cvta_generic_to_shared(to)), "
                   "\"l\"(__cvta_generic_to_global(from)), \"r\"(bytes) : \"memory\");\n"
                   "#else\n",
                   type, type, run * size == 16 ? "cg" : "ca", run * size);
    if (run > 1)
        orr__text_addf(t,
                       "    if (bytes == 16) {\n        *(orr_chunk *)to = *(const orr_chunk *)from;\n        return;\n"
                       "    }\n");
    orr__text_addf(t,
                   "    for (int e = 0; e < %d; e++)\n        to[e] = e * %d < bytes ? from[e] : (%s)0;\n"
                   "#endif\n}\n",
                   run, size, type);
}

/* Eight rows of eight halves for each of four registers; `turned` exchanges rows and columns. */
static const char fragment_of_halves[] =
    "ORR_FN void orr_fragment(orr_register *r, const orr_u16 *p, int across, int along, int turned)\n{\n"
    "    const orr_u32 at = (orr_u32)__cvta_generic_to_shared(p);\n    (void)across;\n    (void)along;\n"
    "    if (turned)\n"
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "                     : \"=r\"(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(at) : \"memory\");\n"
    "    else\n"
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "                     : \"=r\"(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(at) : \"memory\");\n}\n";

static void fragment(orr__text *t, orr_dtype stored)
{
    bool wide = stored == ORR_F64;
    if (orr__is_half(stored)) {
        orr__text_add(t, fragment_of_halves);
        return;
    }
    orr__text_addf(t,
                   "ORR_FN void orr_fragment(orr_register *r, const %s *p, int across, int along, int turned)\n{\n"
                   "    (void)turned;\n    ORR_UNROLLED\n    for (int i = 0; i < 4; i++) {\n"
                   "        const %s x = p[i %% 2 * 8 * across + i / 2 * 4 * along];\n        %s\n    }\n}\n",
                   orr__emit_storage(stored), orr__emit_storage(stored),
                   wide ? "r[i] = x;" : "asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(r[i]) : \"f\"(x));");
}

#define HALVES(shape, type, a, b)                                                                                      \
    "    asm volatile(\"mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, {" a "}, {" b   \
    "}, {%0, %1, %2, %3};\"\n"                                                                                         \
    "                 : \"+f\"(c0[0]), \"+f\"(c0[1]), \"+f\"(c1[0]), \"+f\"(c1[1])"
#define WHOLE(shape, type)                                                                                             \
    HALVES(shape, type, "%4, %5, %6, %7", "%8, %9")                                                                    \
    " : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b0), \"r\"(b1));\n"
#define HALF(type, a, b)                                                                                               \
    HALVES("m16n8k8", type, "%4, %5", "%6")                                                                            \
    " : \"r\"(a[" #a "]), \"r\"(a[" #a " + 1]), \"r\"(" b "));\n"
#define QUARTER(c, a, b)                                                                                               \
    "    asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\"\n"           \
    "                 : \"+d\"(" c "[0]), \"+d\"(" c "[1]) : \"d\"(a[" #a "]), \"d\"(" b "));\n"

static const char multiply_f16[] = "#if __CUDA_ARCH__ >= 800\n" WHOLE("m16n8k16", "f16") "#else\n" HALF("f16", 0, "b0")
    HALF("f16", 2, "b1") "#endif\n";
static const char multiply_bf16[] = WHOLE("m16n8k16", "bf16");
static const char multiply_tf32[] = WHOLE("m16n8k8", "tf32");
static const char multiply_f64[] =
    "#if __CUDA_ARCH__ >= 900\n"
    "    asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
    "{%0, %1, %2, %3};\"\n"
    "                 : \"+d\"(c0[0]), \"+d\"(c0[1]), \"+d\"(c1[0]), \"+d\"(c1[1])\n"
    "                 : \"d\"(a[0]), \"d\"(a[1]), \"d\"(a[2]), \"d\"(a[3]), \"d\"(b0), \"d\"(b1));\n"
    "#else\n" QUARTER("c0", 0, "b0") QUARTER("c1", 1, "b0") QUARTER("c0", 2, "b1") QUARTER("c1", 3, "b1") "#endif\n";

/* Two neighbours of a row in one register, the lower one first. */
static void pair(orr__text *t, orr_dtype stored)
{
    const char *name = orr__emit_suffix(stored);
    orr__text_addf(
        t,
        "ORR_FN orr_register orr_pair(orr_f32 x, orr_f32 y)\n{\n" AHEAD "    orr_register r;\n"
        "    asm(\"cvt.rn.%sx2.f32 %%0, %%1, %%2;\" : \"=r\"(r) : \"f\"(y), \"f\"(x));\n    return r;\n#else\n"
        "    return (orr_u32)orr_f32_to_%s(y) << 16 | orr_f32_to_%s(x);\n#endif\n}\n",
        name, name, name);
}

/* The registers of a 16 × deep fragment: of lane 4 g + s, register i has the elements of row g + 8 (i mod 2) from column
 * n s + 4 n ⌊i/2⌋ on, where n is the elements of a register. Those of the second operand are its columns' in the same way. Of the sum,
 * c0 are the elements (g, 2 s) and (g, 2 s + 1), c1 those of row g + 8. */
void orr__emit_matrix(orr__text *t, orr_dtype stored)
{
    bool wide = stored == ORR_F64;
    const char *type = wide ? "orr_f64" : "orr_f32";
    orr__text_add(t, orr__emit_matrix_if(stored));
    orr__text_addf(t, "typedef %s orr_register;\n", wide ? "orr_f64" : "orr_u32");
    fragment(t, stored);
    orr__text_addf(t,
                   "ORR_FN void orr_mma(%s *c0, %s *c1, const orr_register *a, orr_register b0, orr_register b1)\n{\n",
                   type, type);
    orr__text_add(t, stored == ORR_F16    ? multiply_f16
                     : stored == ORR_BF16 ? multiply_bf16
                     : wide               ? multiply_f64
                                          : multiply_tf32);
    orr__text_add(t, "}\n");
    if (orr__is_half(stored))
        pair(t, stored);
    orr__text_add(t, "#endif\n");
}
