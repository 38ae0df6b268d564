/* Compiler, flags and processor: the part of a kernel's key besides its text.
 * Must not know: files of the cache. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/env.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef ORR_DEFAULT_CC
#define ORR_DEFAULT_CC "cc"
#endif

/* No -ffast-math: tiers agree on NaN, infinities, signed zeros and the order of sums. */
const char *const orr__cflags[] = { "-O3",
                                    "-fPIC",
                                    "-shared",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fwrapv",
                                    "-fno-strict-aliasing",
                                    "-w",
#ifdef __x86_64__
                                    "-mno-mmx", /* configure.ac has the reason */
#endif
                                    NULL };

static bool is_program(const char *path)
{
    struct stat st;
    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool look_up(const char *name, char path[1024])
{
    const char *p = getenv("PATH");
    if (strchr(name, '/')) {
        (void)snprintf(path, 1024, "%s", name);
        return is_program(path);
    }
    for (p = p ? p : "/usr/local/bin:/usr/bin:/bin"; *p; p += strcspn(p, ":"), p += *p == ':') {
        int n = (int)strcspn(p, ":");
        /* Relative entries of PATH depend on the working directory and are not used to find compilers. */
        /* limit of a format */
        if (n > 0 && p[0] == '/' && snprintf(path, 1024, "%.*s/%s", n, p, name) < 1024 && is_program(path))
            return true;
    }
    return false;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
/* The level within the limit of ORRERY_ISA; NULL: the processor has no more than the limit. */
static const char *limited(void)
{
    if (orr__env.isa == ORR__ISA_SSE2 && __builtin_cpu_supports("avx"))
        return "-march=x86-64";
    if (orr__env.isa == ORR__ISA_AVX2 && __builtin_cpu_supports("avx512f"))
        return "-march=x86-64-v3";
    return NULL;
}
#endif

/* -march=native queries the real processor, even under a simulator that presents another one (valgrind); there the
 * level of the simulated processor is used. If the interpreter must not use the fused multiply-adds of the processor,
 * kernels must not either: the math functions take other steps without them. */
static void choose_arch(char arch[40])
{
    (void)snprintf(arch, 40, "-march=native");
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
#if defined(HAVE_ISA_V3)
    bool loops = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    bool loops = false;
#endif
    if (!loops && __builtin_cpu_supports("fma"))
        (void)snprintf(arch, 40, "-march=x86-64");
    const char *preload = getenv("LD_PRELOAD");
    if (preload && strstr(preload, "vgpreload")) {
        bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
        (void)snprintf(arch, 40, "-march=x86-64%s", v3 ? "-v3" : "");
    }
    if (limited() && strcmp(arch, "-march=x86-64") != 0)
        (void)snprintf(arch, 40, "%s", limited());
#elif !defined(__i386__)
    (void)snprintf(arch, 40, "-mcpu=native");
#endif
}

/* Compilers prefer 256 bits on processors that slowed down under wider vectors. Processors since Ice Lake and Zen 4,
 * which have VBMI2, do not slow down; with wider vectors exponentials take two thirds of the time. */
static const char *choose_width(const char *arch)
{
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (strcmp(arch, "-march=native") == 0 && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2"))
        return "-mprefer-vector-width=512";
#else
    (void)arch;
#endif
    return NULL;
}

/* The properties that -march=native reads. */
static void add_processor(orr__sha256 *s)
{
    static const char *const keys[] = { "vendor_id",        "cpu family",  "model",
                                        "stepping",         "flags",       "CPU implementer",
                                        "CPU architecture", "CPU variant", "CPU part",
                                        "Features",         "cpu",         "isa" };
    static const size_t nkeys = sizeof keys / sizeof *keys;
    struct utsname u;
    char *line = NULL;
    size_t capacity = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (uname(&u) == 0)
        orr__sha256_text(s, u.machine);
    while (f && getline(&line, &capacity, f) > 0 && line[0] != '\n')
        for (size_t i = 0; i < nkeys; i++) {
            size_t n = strlen(keys[i]);
            if (strncmp(line, keys[i], n) == 0 && strspn(line + n, " \t") == strcspn(line + n, ":"))
                orr__sha256_text(s, line);
        }
    free(line);
    if (f)
        (void)fclose(f);
}

static void add_file(orr__sha256 *s, const char *path)
{
    char real[PATH_MAX];
    struct stat st;
    memset(&st, 0, sizeof st);
    orr__sha256_text(s, path);
    orr__sha256_text(s, realpath(path, real) ? real : "");
    (void)stat(path, &st);
    int64_t fact[3] = { (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec };
    orr__sha256_add(s, fact, sizeof fact);
}

static orr__compiled ask_version(orr__compiler *c, int stop_fd)
{
    char said[512];
    const char *argv[] = { c->path, "--version", NULL };
    orr__spawned how = orr__spawn(argv, "/tmp", false, orr__compile_limit, stop_fd, said, sizeof said);
    said[strcspn(said, "\n")] = '\0';
    switch (how) {
    case ORR__RAN: (void)snprintf(c->version, sizeof c->version, "%.127s", said); return ORR__COMPILED;
    case ORR__STOPPED: return ORR__INTERRUPTED;
    case ORR__TOO_LONG:
    case ORR__STALLED:
        orr__say(ORR__SAY_CC_HANGS, "no kernels are compiled for now: %s --version does not end", c->path);
        break;
    case ORR__CANNOT_RUN:
    case ORR__CANNOT_RUN_NOW:
        orr__say(ORR__SAY_CC_GONE, "no kernels are compiled for now: %s cannot be run%s%.200s", c->path,
                 said[0] ? ": " : "", said);
        break;
    case ORR__KILLED:
    case ORR__RAN_BADLY:
        orr__say(ORR__SAY_CC_FAILS, "no kernels are compiled for now: %s --version fails%s%.200s", c->path,
                 said[0] ? ": " : "", said);
    }
    return ORR__NOT_NOW;
}

bool orr__compiler_look(orr__compiler *c)
{
    const char *name = orr__env.cc[0] ? orr__env.cc : ORR_DEFAULT_CC;
    orr__sha256 s;
    memset(c, 0, sizeof *c);
    /* The compiler that configure found may be at another path on this machine. */
    const char *base = strrchr(name, '/');
    if (!look_up(name, c->path) && (orr__env.cc[0] || !base || !look_up(base + 1, c->path)) &&
        (orr__env.cc[0] || !look_up("cc", c->path))) {
        orr__say(ORR__SAY_CC_GONE,
                 "no kernels are compiled, and the slower interpreter runs them: there is no compiler %s. "
                 "Set ORRERY_CC to another compiler, or ORRERY_JIT=off to run without one",
                 name);
        return false;
    }
    choose_arch(c->arch);
    c->width = choose_width(c->arch);
    orr__sha256_begin(&s);
    orr__sha256_text(&s, PACKAGE_VERSION);
    uint32_t abi = ORR__CACHE_ABI;
    orr__sha256_add(&s, &abi, sizeof abi);
    add_file(&s, c->path);
    for (int i = 0; orr__cflags[i]; i++)
        orr__sha256_text(&s, orr__cflags[i]);
    orr__sha256_text(&s, c->arch);
    orr__sha256_text(&s, c->width ? c->width : "");
    add_processor(&s);
    orr__sha256_end(&s, c->facts);
    return true;
}

orr__compiled orr__compiler_find(orr__compiler *c, int stop_fd)
{
    orr__sha256 s;
    if (!orr__compiler_look(c))
        return ORR__NO_COMPILER;
    orr__compiled asked = ask_version(c, stop_fd);
    if (asked != ORR__COMPILED)
        return asked;
    orr__sha256_begin(&s);
    orr__sha256_add(&s, c->facts, sizeof c->facts);
    orr__sha256_text(&s, c->version);
    orr__sha256_end(&s, c->id);
    return ORR__COMPILED;
}

/* An installation changes the file's times, or at least that of its state. */
bool orr__content_key(const orr__compiler *c, const void *content, size_t size, orr__key *key)
{
    Dl_info here;
    struct stat st;
    if (!dladdr(orr__cflags, &here) || !here.dli_fname || stat(here.dli_fname, &st) != 0)
        return false;
    const int64_t file[] = { (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec,
                             (int64_t)st.st_ctim.tv_sec, (int64_t)st.st_ctim.tv_nsec };
    orr__sha256 s;
    orr__sha256_begin(&s);
    orr__sha256_add(&s, c->facts, sizeof c->facts);
    orr__sha256_add(&s, file, sizeof file);
    orr__sha256_add(&s, content, size);
    orr__sha256_end(&s, key->byte);
    return true;
}

void orr__compiler_key(const orr__compiler *c, const char *text, orr__key *key)
{
    orr__sha256 s;
    orr__sha256_begin(&s);
    orr__sha256_add(&s, c->id, sizeof c->id);
    orr__sha256_text(&s, text);
    orr__sha256_end(&s, key->byte);
}
