/* Kernels in CUDA C, many in one compilation by NVRTC.
 * Must not know: what the kernels compute. */
#include "config.h"

#include <elf.h>
#include <nvrtc.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/emit.h"
#include "tests/harness/harness.h"
#include "tests/codelets/nvrtc_unit.h"

enum { KERNELS = 24 }; /* in one compilation */

nvrtc_unit_counts nvrtc_unit_made;

static struct {
    orr__text t;
    int n, arch;
    bool machine, wide, all;
    char what[KERNELS][80];
    int threads[KERNELS];
} unit;

static nvrtc_kernel *facts;
static int nfacts, room;

/* The number behind `word`, or before it; 0: there is none. */
static int before(const char *line, const char *end, const char *word)
{
    const char *p = strstr(line, word);
    if (!p || p >= end)
        return 0;
    while (p > line && (p[-1] == ' ' || (p[-1] >= '0' && p[-1] <= '9')))
        p--;
    return (int)strtol(p, NULL, 10);
}

/* The assembler's report on each kernel. */
static void read_report(const char *log)
{
    static const char entry[] = "Compiling entry function 'orr_kernel_";
    for (const char *p = log; (p = strstr(p, entry)) != NULL;) {
        p += sizeof entry - 1;
        long k = strtol(p, NULL, 10);
        const char *end = strstr(p, entry);
        end = end ? end : p + strlen(p);
        nvrtc_kernel *more = nfacts < room ? facts : realloc(facts, (size_t)(2 * room + 64) * sizeof *facts);
        if (!more || k < 0 || k >= KERNELS)
            return;
        room = nfacts < room ? room : 2 * room + 64;
        facts = more;
        nvrtc_kernel *f = &facts[nfacts++];
        *f = (nvrtc_kernel){ .number = (int)k,
                             .arch = unit.arch,
                             .wide = unit.wide,
                             .threads = unit.threads[k],
                             .registers = before(p, end, " registers"),
                             .stack = before(p, end, " bytes stack frame"),
                             .spills = before(p, end, " bytes spill stores") + before(p, end, " bytes spill loads"),
                             .shared = before(p, end, " bytes smem") };
        (void)snprintf(f->what, sizeof f->what, "%s", unit.what[k]);
    }
}

/* Machine code since sm_70: 16 bytes an instruction, of which the lowest 12 bits are the operation, bits 73 to 75 the width of an access
 * (as nvdisasm shows). */
static void read_text(nvrtc_kernel *f, const uint64_t *code, size_t words)
{
    enum {
        LDG = 0x981,
        LDG_PLAIN = 0x381,
        STG = 0x986,
        STG_PLAIN = 0x386,
        HMMA = 0x23c,
        TF32 = 0x237,
        DMMA = 0x23f,
        LDGSTS = 0xfae
    };
    static const int width[8] = { 1, 1, 2, 2, 4, 8, 16, 16 };
    for (size_t i = 0; i + 1 < words; i += 2) {
        int op = (int)(code[i] & 0xfff), bytes = width[code[i + 1] >> 9 & 7];
        if ((op == LDG || op == LDG_PLAIN) && bytes > f->load)
            f->load = bytes;
        if ((op == STG || op == STG_PLAIN) && bytes > f->store)
            f->store = bytes;
        f->matrix += op == HMMA || op == DMMA;
        f->ahead += op == LDGSTS;
    }
}

static void read_elf(const char *elf, size_t size, int from)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return;
    memcpy(&head, elf, sizeof head);
    const Elf64_Shdr *section = (const void *)(elf + head.e_shoff); /* both are aligned */
    const char *names = elf + section[head.e_shstrndx].sh_offset;
    static const char text[] = ".text.orr_kernel_";
    for (int s = 0; s < head.e_shnum; s++) {
        const char *name = names + section[s].sh_name;
        if (strncmp(name, text, sizeof text - 1) != 0)
            continue;
        for (int i = from; i < nfacts; i++)
            if (facts[i].number == strtol(name + sizeof text - 1, NULL, 10))
                read_text(&facts[i], (const void *)(elf + section[s].sh_offset), section[s].sh_size / 8);
    }
}

/* Reads the code. ORR_TEST_CUBINS names a folder for it and a table of the reports, which tests/double/sass reads. */
static void keep_code(nvrtcProgram p, int from)
{
    const char *folder = getenv("ORR_TEST_CUBINS");
    char path[600];
    size_t size = 0;
    char *code = NULL;
    if (nvrtcGetCUBINSize(p, &size) != NVRTC_SUCCESS || !(code = malloc(size)) ||
        nvrtcGetCUBIN(p, code) != NVRTC_SUCCESS) {
        free(code);
        return;
    }
    read_elf(code, size, from);
    if (!folder) {
        free(code);
        return;
    }
    (void)snprintf(path, sizeof path, "%.500s/%d.cubin", folder, nvrtc_unit_made.compilations);
    FILE *f = fopen(path, "we");
    if (f) {
        (void)fwrite(code, 1, size, f);
        (void)fclose(f);
    }
    free(code);
    (void)snprintf(path, sizeof path, "%.500s/kernels.tsv", folder);
    f = fopen(path, "ae");
    for (int i = from; f && i < nfacts; i++)
        (void)fprintf(f, "%d\t%d\t%s\tsm_%d\t%d\t%d\t%d\t%d\t%d\n", nvrtc_unit_made.compilations, facts[i].number,
                      facts[i].what, facts[i].arch, facts[i].threads, facts[i].registers, facts[i].stack,
                      facts[i].spills, facts[i].shared);
    if (f)
        (void)fclose(f);
}

const nvrtc_kernel *nvrtc_unit_facts(int *n)
{
    *n = nfacts;
    return facts;
}

static char *log_of(nvrtcProgram p)
{
    size_t size = 0;
    char *log = NULL;
    if (nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS && (log = calloc(size + 1, 1)) != NULL)
        (void)nvrtcGetProgramLog(p, log);
    return log;
}

void nvrtc_unit_compile(void)
{
    char arch[48], kind[16];
    const char *option[4] = { arch, "--fmad=false" };
    int options = 2;
    nvrtcProgram p = NULL;
    if (unit.n == 0)
        return;
    (void)snprintf(kind, sizeof kind, "%s", unit.machine ? "sm" : "compute");
    (void)snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", kind, unit.arch);
    if (unit.wide)
        option[options++] = "-DORR_WIDE";
    if (unit.machine)
        option[options++] = "--ptxas-options=-v";
    bool made = !unit.t.failed && nvrtcCreateProgram(&p, unit.t.s, "kernels.cu", 0, NULL, NULL) == NVRTC_SUCCESS;
    ORR_CHECK(made);
    if (made) {
        nvrtcResult code = nvrtcCompileProgram(p, options, option);
        char *log = log_of(p);
        ORR_CHECK_MSG(code == NVRTC_SUCCESS, "%s_%d: %s: %.1500s", kind, unit.arch, nvrtcGetErrorString(code),
                      log ? log : "");
        int from = nfacts;
        if (unit.machine && log)
            read_report(log);
        if (unit.machine && code == NVRTC_SUCCESS)
            keep_code(p, from);
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
    if (!unit.all && !orr_test_drawn())
        return;
    ORR_CHECK_MSG(orr__emit_can(r, true), "%s", what);
    if (!orr__emit_can(r, true) || orr__layout_make(r, &orr__dialect_cuda, &lay) != ORR_OK)
        return;
    char *s = orr__emit(r, &orr__dialect_cuda, &lay, true);
    orr__layout_free(&lay);
    ORR_CHECK_MSG(s != NULL, "%s: %s", what, orr_error_message());
    if (!s)
        return;
    orr__text_addf(&unit.t, "#undef W\n#undef ORR_BLOCKS\n#undef ORR_RESIDENT\n#define orr_kernel orr_kernel_%d\n",
                   unit.n);
    orr__text_addf(&unit.t, "namespace k%d {\n#line 1 \"%s\"\n", unit.n, what);
    orr__text_add(&unit.t, s);
    orr__text_add(&unit.t, "}\n#undef orr_kernel\n");
    const char *bounds = strstr(s, "__launch_bounds__(");
    unit.threads[unit.n] = bounds ? (int)strtol(bounds + strlen("__launch_bounds__("), NULL, 10) : 256;
    (void)snprintf(unit.what[unit.n], sizeof unit.what[0], "%s", what);
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

void nvrtc_unit_all(bool on)
{
    unit.all = on;
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
