/* Kernels in CUDA C, many in one compilation by NVRTC.
 * Must not know: what the kernels compute. */
#include "config.h"

#include <nvrtc.h>
#include <stdlib.h>
#include "codelets/emit/emit.h"
#include "tests/harness/harness.h"
#include "tests/codelets/nvrtc_unit.h"

enum { KERNELS = 24 }; /* in one compilation */

nvrtc_unit_counts nvrtc_unit_made;

static struct {
    orr__text t;
    int n, arch;
    bool machine, wide;
} unit;

void nvrtc_unit_compile(void)
{
    char arch[48], kind[16];
    const char *option[] = { arch, "--fmad=false", "-DORR_WIDE" };
    nvrtcProgram p = NULL;
    size_t size = 0;
    char *log = NULL;
    if (unit.n == 0)
        return;
    (void)snprintf(kind, sizeof kind, "%s", unit.machine ? "sm" : "compute");
    (void)snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", kind, unit.arch);
    bool made = !unit.t.failed && nvrtcCreateProgram(&p, unit.t.s, "kernels.cu", 0, NULL, NULL) == NVRTC_SUCCESS;
    ORR_CHECK(made);
    if (made) {
        nvrtcResult code = nvrtcCompileProgram(p, unit.wide ? 3 : 2, option);
        if (code != NVRTC_SUCCESS && nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS &&
            (log = calloc(size + 1, 1)) != NULL)
            (void)nvrtcGetProgramLog(p, log);
        ORR_CHECK_MSG(code == NVRTC_SUCCESS, "%s_%d: %s: %.1500s", kind, unit.arch, nvrtcGetErrorString(code),
                      log ? log : "");
        free(log);
        (void)nvrtcDestroyProgram(&p);
    }
    nvrtc_unit_made.compilations++;
    nvrtc_unit_made.kernels += unit.n;
    unit.n = 0;
    free(unit.t.s);
    unit.t = (orr__text){ 0 };
}

void nvrtc_unit_add(const orr__region *r, const char *what)
{
    orr__layout lay;
    ORR_CHECK_MSG(orr__emit_can(r, true), "%s", what);
    if (!orr__emit_can(r, true) || orr__layout_make(r, &orr__dialect_cuda, &lay) != ORR_OK)
        return;
    char *s = orr__emit(r, &orr__dialect_cuda, &lay, true);
    orr__layout_free(&lay);
    ORR_CHECK_MSG(s != NULL, "%s: %s", what, orr_error_message());
    if (!s)
        return;
    orr__text_addf(&unit.t, "#undef W\n#undef ORR_BLOCKS\n#undef ORR_MAD\n#define orr_kernel orr_kernel_%d\n", unit.n);
    orr__text_addf(&unit.t, "namespace k%d {\n#line 1 \"%s\"\n", unit.n, what);
    orr__text_add(&unit.t, s);
    orr__text_add(&unit.t, "}\n#undef orr_kernel\n");
    free(s);
    if (++unit.n == KERNELS)
        nvrtc_unit_compile();
}

void nvrtc_unit_for(int arch, bool machine, bool wide)
{
    nvrtc_unit_compile();
    unit.arch = arch;
    unit.machine = machine;
    unit.wide = wide;
}

bool nvrtc_unit_knows(int arch)
{
    int n = 0, known[64];
    bool found = false;
    if (nvrtcGetNumSupportedArchs(&n) != NVRTC_SUCCESS || n > 64 || nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
        return false;
    for (int i = 0; i < n; i++)
        found = found || known[i] == arch;
    return found;
}
