/* Device texts of user-defined kernels: the names that they may use, then the user's text.
 * Must not know: compilers, devices. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/text.h"
#include "codelets/user/user.h"

static const char opencl_words[] =
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
    "#define ORR_OPENCL 1\n"
    "#define ORR_KERNEL __kernel void\n#define ORR_GLOBAL __global\n#define ORR_LOCAL __local\n#define ORR_DEVICE\n"
    "#define ORR_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define ORR_ITEM ((orr_int)get_global_id(0))\n#define ORR_LOCAL_ITEM ((int)get_local_id(0))\n"
    "#define ORR_GROUP ((orr_int)get_group_id(0))\n#define ORR_GROUP_SIZE ((int)get_local_size(0))\n"
    "typedef long orr_int;\n";

static const char cuda_words[] =
    "#define ORR_CUDA 1\n"
    "#define ORR_KERNEL extern \"C\" __global__ void\n#define ORR_GLOBAL\n#define ORR_LOCAL __shared__\n"
    "#define ORR_DEVICE static __device__\n"
    "#define ORR_BARRIER() __syncthreads()\n"
    "#define ORR_ITEM ((orr_int)blockIdx.x * (orr_int)blockDim.x + (orr_int)threadIdx.x)\n"
    "#define ORR_LOCAL_ITEM ((int)threadIdx.x)\n"
    "#define ORR_GROUP ((orr_int)blockIdx.x)\n#define ORR_GROUP_SIZE ((int)blockDim.x)\n"
    "typedef long long orr_int;\n";

/* Types in memory: bool is one byte, f16 and bf16 are their 16 bits. */
static const char *type_name(orr_dtype t, bool cuda)
{
    switch (t) {
    case ORR_I8: return cuda ? "signed char" : "char";
    case ORR_I16: return "short";
    case ORR_I32: return "int";
    case ORR_I64: return cuda ? "long long" : "long";
    case ORR_U16:
    case ORR_F16:
    case ORR_BF16: return "unsigned short";
    case ORR_U32: return "unsigned int";
    case ORR_U64: return cuda ? "unsigned long long" : "unsigned long";
    case ORR_F32: return "float";
    case ORR_F64: return "double";
    case ORR_C64: return "float2";
    case ORR_C128: return "double2";
    default: return "unsigned char";
    }
}

bool orr__user_text_can(const orr__region *r, bool cuda, bool fp64)
{
    if (!orr__region_is_users(r) || !(cuda ? orr__define_op(r->call.op)->k.cuda : orr__define_op(r->call.op)->k.opencl))
        return false;
    for (int i = 0; i < r->nin; i++)
        if (orr__has_f64((orr_dtype)r->in_dtype[i]) && !fp64)
            return false;
    return !orr__has_f64((orr_dtype)r->out_dtype[0]) || fp64;
}

char *orr__user_text(const orr__region *r, bool cuda, bool fp64)
{
    const orr__define *d = orr__define_op(r->call.op);
    orr__text t = { 0 };
    orr__text_add(&t, cuda ? cuda_words : opencl_words);
    orr__text_addf(&t, "#define ORR_FP64 %d\ntypedef %s orr_real;\n", fp64, fp64 ? "double" : "float");
    orr__text_add(&t, "typedef struct { orr_int rank, dim[8], count; } orr_array;\n");
    orr__text_addf(&t,
                   "typedef struct { orr_int items, lo, hi; orr_real param[%d]; orr_array out, in[%d]; } orr_args;\n",
                   fp64 ? ORR_MAX_KERNEL_PARAMS : 2 * ORR_MAX_KERNEL_PARAMS, r->nin);
    for (int i = 0; i < r->nin; i++)
        orr__text_addf(&t, "#define ORR_IN%d %s\n", i, type_name((orr_dtype)r->in_dtype[i], cuda));
    orr__text_addf(&t, "#define ORR_OUT %s\n", type_name((orr_dtype)r->out_dtype[0], cuda));
    orr__text_addf(&t, "#define %s orr_kernel\n#line 1 \"%s\"\n", d->k.entry, d->op.name);
    orr__text_add(&t, cuda ? d->k.cuda : d->k.opencl);
    orr__text_add(&t, "\n");
    return orr__text_end(&t, r->file, r->line, r->label);
}
