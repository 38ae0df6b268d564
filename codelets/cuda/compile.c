/* From CUDA C to machine code: NVRTC, behind the kernel cache on disk.
 * Must not know: contexts, launches. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "codelets/jit/internal.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"

enum { OPTIONS = 6 };

/* The target of a compilation: PTX, which the driver compiles further, if NVRTC is older than the device. */
typedef struct {
    int major, minor, arch;
    bool ptx;
    char gpu[48];
} target;

static bool knows(const orr__nvrtc *n, int arch, int *below)
{
    int count = 0, all[128];
    *below = 0;
    if (n->arch_count(&count) != 0 || count < 0 || count > (int)(sizeof all / sizeof *all) || n->archs(all) != 0)
        return true; /* the compiler will report the error */
    for (int i = 0; i < count; i++) {
        if (all[i] == arch)
            return true;
        if (all[i] < arch && all[i] > *below)
            *below = all[i];
    }
    return false;
}

static orr_status choose(orr__site at, const orr__nvrtc *n, int arch, target *t)
{
    int below;
    memset(t, 0, sizeof *t);
    (void)n->version(&t->major, &t->minor);
    t->arch = arch;
    t->ptx = !knows(n, arch, &below);
    if (t->ptx && below == 0)
        return orr__fail(at, ORR_EDEVICE, "CUDA: NVRTC %d.%d compiles for no device as old as sm_%d", t->major,
                         t->minor, arch);
    if (t->ptx)
        t->arch = below;
    (void)snprintf(t->gpu, sizeof t->gpu, "--gpu-architecture=%s_%d", t->ptx ? "compute" : "sm", t->arch);
    return ORR_OK;
}

/* A driver loads machine code of each compiler of its own major version, and PTX of compilers that are not newer than itself. */
static orr_status loads(orr__site at, const target *t)
{
    int driver = orr__cu_version(), compiler = 1000 * t->major + 10 * t->minor;
    if (driver == 0 || t->major < driver / 1000 || (t->major == driver / 1000 && (!t->ptx || compiler <= driver)))
        return ORR_OK;
    return orr__fail(
        at, ORR_EDEVICE,
        "CUDA: the driver is of CUDA %d.%d and does not load the %s of NVRTC %d.%d: install a newer driver, or "
        "libnvrtc.so.%d",
        driver / 1000, driver % 1000 / 10, t->ptx ? "PTX" : "machine code", t->major, t->minor, driver / 1000);
}

/* Sums and products are rounded separately, as on the host; a kernel requests fma explicitly. */
static int options(const target *t, bool wide, const char *option[OPTIONS])
{
    int n = 0;
    option[n++] = t->gpu;
    option[n++] = "--fmad=false";
    if (!t->ptx)
        option[n++] = "--ptxas-options=-v";
    if (orr__env.flush_denormals == ORR__DENORMALS_FLUSHED)
        option[n++] = "--ftz=true";
    if (wide)
        option[n++] = "-DORR_WIDE";
    return n;
}

static void make_key(const target *t, const char *text, bool wide, orr__key *key)
{
    const char *option[OPTIONS];
    int n = options(t, wide, option);
    int32_t facts[3] = { ORR__CACHE_ABI, t->major, t->minor };
    orr__sha256 s;
    orr__sha256_begin(&s);
    orr__sha256_text(&s, "cuda");
    orr__sha256_text(&s, PACKAGE_VERSION);
    orr__sha256_add(&s, facts, sizeof facts);
    for (int i = 0; i < n; i++)
        orr__sha256_text(&s, option[i]);
    orr__sha256_text(&s, text);
    orr__sha256_end(&s, key->byte);
}

static char *log_of(const orr__nvrtc *n, void *program)
{
    size_t size = 0;
    char *log = NULL;
    if (n->log_size(program, &size) == 0 && (log = calloc(size + 1, 1)) != NULL && n->log(program, log) != 0)
        log[0] = '\0';
    return log;
}

/* The number before `word` in the assembler's report, 0 when the word is missing. */
static int before(const char *log, const char *word)
{
    const char *p = strstr(log, word);
    while (p && p > log && p[-1] == ' ')
        p--;
    while (p && p > log && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return p ? atoi(p) : 0;
}

static void describe(const char *log, orr__cu_image *out)
{
    int registers = log ? before(log, " registers") : 0;
    if (registers > 0)
        (void)snprintf(out->facts, sizeof out->facts, "%d registers, %d B shared, %d B local", registers,
                       before(log, " bytes smem"), before(log, " bytes stack frame"));
}

static orr_status fetch(orr__site at, const orr__nvrtc *n, void *program, const target *t, orr__cu_image *out)
{
    int code = t->ptx ? n->ptx_size(program, &out->size) : n->cubin_size(program, &out->size);
    if (code != 0 || out->size == 0)
        return orr__fail(at, ORR_EDEVICE, "CUDA: NVRTC has compiled it and gives no code: %s", n->error(code));
    out->data = orr__alloc(out->size);
    if (!out->data)
        return ORR_ENOMEM;
    code = t->ptx ? n->ptx(program, (char *)out->data) : n->cubin(program, (char *)out->data);
    return code == 0 ? ORR_OK : orr__fail(at, ORR_EDEVICE, "CUDA: NVRTC: %s", n->error(code));
}

/* The beginning of the compiler's log goes into the error message, all of it to the debug log. */
static orr_status compile_for(orr__site at, const orr__nvrtc *n, const target *t, const char *text, bool wide,
                              orr__cu_image *out)
{
    const char *option[OPTIONS];
    void *program = NULL;
    double t0 = orr__now();
    int code = n->create(&program, text, "kernel.cu", 0, NULL, NULL);
    if (code != 0)
        return orr__fail(at, ORR_EDEVICE, "CUDA: nvrtcCreateProgram: %s", n->error(code));
    code = n->compile(program, options(t, wide, option), option);
    char *log = log_of(n, program);
    orr_status st = ORR_OK;
    if (code != 0) {
        orr__log(3, "NVRTC for %s:\n%s\nof:\n%s", t->gpu, log ? log : "", text);
        st = orr__fail(at, ORR_EDEVICE, "CUDA: NVRTC %d.%d for sm_%d: %s: %.300s", t->major, t->minor, t->arch,
                       n->error(code), log && log[0] ? log : "no log");
    }
    if (st == ORR_OK)
        st = fetch(at, n, program, t, out);
    if (st == ORR_OK) {
        describe(log, out);
        out->seconds = orr__now() - t0;
        (void)snprintf(out->compiler, sizeof out->compiler, "nvrtc %d.%d %s_%d", t->major, t->minor,
                       t->ptx ? "compute" : "sm", t->arch);
    }
    free(log);
    (void)n->destroy(&program);
    return st;
}

static orr_status ready(orr__site at, int arch, const orr__nvrtc **n, target *t)
{
    const char *why;
    *n = orr__cu_nvrtc(&why);
    if (!*n)
        return orr__fail(at, ORR_EDEVICE, "CUDA: no NVRTC, which compiles the kernels (%s)", why);
    return choose(at, *n, arch, t);
}

orr_status orr__cu_compiles_for(orr__site at, int arch)
{
    const orr__nvrtc *n;
    target t;
    orr_status st = ready(at, arch, &n, &t);
    return st == ORR_OK ? loads(at, &t) : st;
}

orr_status orr__cu_compile(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out)
{
    const orr__nvrtc *n;
    target t;
    memset(out, 0, sizeof *out);
    orr_status st = ready(at, arch, &n, &t);
    if (st == ORR_OK && (st = compile_for(at, n, &t, text, wide, out)) != ORR_OK) {
        free(out->data);
        out->data = NULL;
    }
    return st;
}

static bool from_disk(orr__cache *c, const orr__key *key, orr__cu_image *out)
{
    orr__bytes b;
    orr__entry e;
    if (!orr__cache_get(c, key, &b, &e))
        return false;
    out->data = e.code_size > 0 ? malloc(e.code_size) : NULL;
    if (out->data) {
        memcpy(out->data, e.code, e.code_size);
        out->size = e.code_size;
        out->seconds = e.seconds;
        out->cached = true;
        (void)snprintf(out->compiler, sizeof out->compiler, "%.95s", e.compiler);
        (void)snprintf(out->facts, sizeof out->facts, "%s", e.facts);
    }
    free(b.data);
    return out->data != NULL;
}

static void put(orr__cache *c, const orr__key *key, const char *label, const char *text, const orr__cu_image *i)
{
    orr__entry e;
    memset(&e, 0, sizeof e);
    (void)snprintf(e.label, sizeof e.label, "%.63s", label);
    (void)snprintf(e.compiler, sizeof e.compiler, "%s", i->compiler);
    (void)snprintf(e.facts, sizeof e.facts, "%s", i->facts);
    e.seconds = i->seconds;
    e.source = text;
    e.source_size = strlen(text);
    e.code = i->data;
    e.code_size = i->size;
    (void)orr__cache_put(c, key, &e);
}

/* One process compiles; the others wait and then find the file. */
orr_status orr__cu_image_get(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out)
{
    enum { PATIENCE = 30 }; /* limit of patience */
    const orr__nvrtc *n;
    orr__cache cache;
    orr__key key;
    target t;
    memset(out, 0, sizeof *out);
    orr_status st = ready(at, arch, &n, &t);
    if (st != ORR_OK)
        return st;
    make_key(&t, text, wide, &key);
    orr__cache_open(&cache);
    if (!from_disk(&cache, &key, out)) {
        int held = orr__cache_lock(&cache, &key, PATIENCE, NULL);
        if (!from_disk(&cache, &key, out)) {
            st = compile_for(at, n, &t, text, wide, out);
            if (st == ORR_OK)
                put(&cache, &key, at.op, text, out);
        }
        orr__cache_unlock(&cache, &key, held);
    }
    orr__cache_close(&cache);
    if (st != ORR_OK) {
        free(out->data);
        out->data = NULL;
    }
    return st;
}

void orr__cu_image_keep(const char *label, const char *text, int arch, bool wide, const orr__cu_image *image)
{
    const orr__nvrtc *n;
    orr__cache cache;
    orr__key key;
    target t;
    if (ready(ORR__SITE(NULL, 0, label), arch, &n, &t) != ORR_OK)
        return;
    make_key(&t, text, wide, &key);
    orr__cache_open(&cache);
    put(&cache, &key, label, text, image);
    orr__cache_close(&cache);
}
