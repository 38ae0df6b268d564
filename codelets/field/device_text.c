/* The text of the devices' field kernels in a dialect.
 * Must not know: devices, compilers. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/field/constants.h"

static const char kernels[] =
#include "codelets/field/device_text.h"
    ;

static const char opencl[] = "typedef uint u32;\ntypedef ulong u64;\ntypedef long i64;\n"
                             "#define KERNEL __kernel void\n#define FN static inline\n#define GLOBAL __global\n"
                             "#define CONST const\n#define UNROLL\n#define ID ((i64)get_global_id(0))\n";
static const char cuda[] = "typedef unsigned int u32;\ntypedef unsigned long long u64;\ntypedef long long i64;\n"
                           "#define KERNEL extern \"C\" __global__ void\n#define FN static __device__ __forceinline__\n"
                           "#define GLOBAL\n#define CONST const\n#define UNROLL _Pragma(\"unroll\")\n"
                           "#define ID ((i64)blockIdx.x * blockDim.x + threadIdx.x)\n";

char *orr__field_device_text(orr__field f, bool for_cuda)
{
    const orr__mod *m = f == ORR__FR ? &orr__fr : &orr__fq;
    const size_t size = sizeof kernels + sizeof cuda + 512;
    char *text = malloc(size);
    if (!text)
        return NULL;
    int n = snprintf(text, size, "%s#define ORR_INVERSE %uu\n#define ORR_P { ", for_cuda ? cuda : opencl,
                     (unsigned)(m->inverse & UINT32_MAX));
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, size - (size_t)n, "%uu%s", (unsigned)(m->p.l[i / 2] >> i % 2 * 32 & UINT32_MAX),
                      i < 7 ? ", " : " }\n");
    (void)snprintf(text + n, size - (size_t)n, "%s", kernels);
    return text;
}
