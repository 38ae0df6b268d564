/* Matrix instructions and copies to shared memory that nobody waits for, as functions of a kernel. A target without them, and a compiler
 * that is not NVIDIA's, get a plain copy; the kernel's text multiplies by itself there.
 * Must not know: regions, the size of a tile. */
#include "config.h"

#include "codelets/emit/matrix.h"
#include "runtime/base/dtype.h"

const char *orr__emit_ahead_if(void)
{
    return "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n";
}

int orr__emit_matrix_arch(orr_dtype t)
{
    return t == ORR_F16 ? 1 : 800;
}

int orr__emit_matrix_deep(orr_dtype t)
{
    return orr__is_half(t) ? 16 : 8;
}

int orr__emit_matrix_run(orr_dtype t)
{
    return orr__is_half(t) ? 8 : 1;
}

void orr__emit_copies(orr__text *t, orr_dtype stored)
{
    static const char text[] =
#include "codelets/emit/kernels/copies.ctext"
        ;
    orr__text undo = { 0 };
    int size = (int)orr_dtype_size(stored), run = orr__emit_matrix_run(stored);
    orr__text_define(t, &undo, "TYPE", "%s", orr__emit_storage(stored));
    orr__text_define(t, &undo, "RUN", "%d", run);
    orr__text_define(t, &undo, "SIZE", "%d", size);
    orr__text_define(t, &undo, "BYTES", "%d", run * size);
    orr__text_define(t, &undo, "WAY", "\"%s\"", run * size == 16 ? "cg" : "ca");
    orr__text_add(t, text);
    orr__text_undefine(t, &undo);
}

void orr__emit_matrix(orr__text *t, orr_dtype stored)
{
    static const char text[] =
#include "codelets/emit/kernels/matrix.ctext"
        ;
    static const char *const kind[] = { [ORR_F16] = "F16", [ORR_BF16] = "BF16", [ORR_F32] = "TF32", [ORR_F64] = "F64" };
    orr__text undo = { 0 };
    orr__text_define(t, &undo, "TYPE", "%s", orr__emit_storage(stored));
    orr__text_define(t, &undo, kind[stored], "1");
    orr__text_define(t, &undo, "ARCH", "%d", orr__emit_matrix_arch(stored));
    orr__text_add(t, text);
    orr__text_undefine(t, &undo);
}
