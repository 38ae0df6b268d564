/* The table of ORRERY_* variables, their parsers, their values as text.
 * Must not know: the users of a setting. */
#include "config.h"
#include "runtime/base/ablation.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

typedef enum { CHOICE, SWITCH, SIZE, COUNT, AUTO, SEED, LIST, PATH, MECHANISMS } form;

enum { WORDS = 6 }; /* of one list, at most */

typedef struct {
    orr__env_row row;
    form form;
    size_t offset;
    const char *words[WORDS]; /* CHOICE: the value is the index in the list; LIST: word i is bit i */
} entry;

#define SIZES "bytes, or as 512K, 1.5M, 2GB, 3TiB in steps of 1024"
#define AT(field) offsetof(orr__settings, field)

#define NAME(upper, name) " " name
#define MECHANISM_NAMES ORR__MECHANISMS(NAME)
#define WORD(upper, name) name,
static const char *const mechanism[] = { ORR__MECHANISMS(WORD) };

/* clang-format off */
static const entry table[] = {
    { { "ORRERY_BACKEND", "auto cpu cuda opencl", "auto", "devices that may be used besides the CPU" },
      CHOICE, AT(backend), { "auto", "cpu", "cuda", "opencl" } },
    { { "ORRERY_ENGINE", "auto starpu serial", "auto",
        "the engine of tasks; auto: StarPU, and where it cannot start the serial engine" },
      CHOICE, AT(engine), { "auto", "starpu", "serial" } },
    { { "ORRERY_FUSE", "on off", "on", "whether neighbouring operations become one kernel" }, SWITCH, AT(fuse), { 0 } },
    { { "ORRERY_EXCESS_PRECISION", "on off", "on",
        "whether values of f16 and bf16 that stay inside of a kernel keep the precision of f32" },
      SWITCH, AT(excess_precision), { 0 } },
    { { "ORRERY_FALLBACK", "on off", "on", "whether work that a backend named by ORRERY_BACKEND lacks runs on the CPU (off: an error)" },
      SWITCH, AT(fallback), { 0 } },
    { { "ORRERY_DEVICE_COPIES", "on off", "off",
        "whether each value that a device computes is copied to host memory at once: a lost device then loses nothing, and a lost "
        "context of CUDA does not end the process" },
      SWITCH, AT(device_copies), { 0 } },
    { { "ORRERY_DETERMINISTIC", "on off", "off", "the same bits for any number of workers, any policy and any size of tile" },
      SWITCH, AT(deterministic), { 0 } },
    { { "ORRERY_FLUSH_DENORMALS", "off on count", "off",
        "whether kernels take subnormal numbers for zero, and write zero for them (on), which is faster; count: logs at the end which lines made most" },
      CHOICE, AT(flush_denormals), { "off", "on", "count" } },
    { { "ORRERY_CHECK", "off, or a comma list of nonfinite overflow bounds", "off",
        "evaluations wait, and log the line that made the first NaN or infinity of a result from finite numbers (nonfinite), an integer that "
        "is not the true value (overflow), or an index out of range (bounds)" },
      LIST, AT(check), { "nonfinite", "overflow", "bounds" } },
    { { "ORRERY_TF32", "on off", "off",
        "whether matrix products and convolutions of f32 on CUDA may round their operands to 10 bits (TF32), which is faster" },
      SWITCH, AT(tf32), { 0 } },
    { { "ORRERY_CUDA_GRAPHS", "on off", "on",
        "whether small steps that repeat on CUDA are launched as one CUDA graph (driver of CUDA 12.3 or newer)" },
      SWITCH, AT(cuda_graphs), { 0 } },
    { { "ORRERY_MEMORY_LIMIT", SIZES, "0",
        "host memory for tensors; 0: seven eighths of what the job's control group allows" },
      SIZE, AT(memory_limit), { 0 } },
    { { "ORRERY_SPILL_DIR", "directory", "", "of your own, on a disk, for tensors beyond ORRERY_MEMORY_LIMIT (without that: beyond seven eighths of the machine's memory)" },
      PATH, AT(spill_dir), { 0 } },
    { { "ORRERY_NODES", "a number", "1000000",
        "nodes that a thread records without an evaluation before the log names the line that records most; 0: never" },
      COUNT, AT(nodes), { 0 } },
    { { "ORRERY_IMAGE_LIMIT", "millions of pixels", "256",
        "the largest image that is read, since a small file may hold a large one; 0: as large as its bytes can hold" },
      COUNT, AT(image_limit), { 0 } },
    { { "ORRERY_INLINE_US", "auto, or microseconds", "auto",
        "work predicted below this runs on the calling thread; auto: by the cost of a task here" },
      AUTO, AT(inline_us), { 0 } },
    { { "ORRERY_SPIN_US", "auto, or microseconds", "auto",
        "the longest time that a helping worker spins for the next evaluation before it sleeps; auto: 500 where evaluations follow each other "
        "that closely, else 0; never while other threads want its core" },
      AUTO, AT(spin_us), { 0 } },
    { { "ORRERY_TILE_US", "auto, or microseconds", "auto",
        "work aimed at in one task; auto: by the cost of a task here, 200 or more, and few tasks for each worker" },
      AUTO, AT(tile_us), { 0 } },
    { { "ORRERY_MACHINE", "measured fixed", "measured",
        "whether plans go by numbers measured on this machine, once, or by fixed ones" },
      CHOICE, AT(machine), { "measured", "fixed" } },
    { { "ORRERY_PRINT", "comma list of graph fuse plan passes kernels nest", "", "stages of an evaluation to print to stderr" },
      LIST, AT(print), { "graph", "fuse", "plan", "passes", "kernels", "nest" } },
    { { "ORRERY_LOG", "error warn info debug", "warn", "the level of messages on stderr" },
      CHOICE, AT(log), { "error", "warn", "info", "debug" } },
    { { "ORRERY_SEED", "unsigned integer", "0", "default seed of the random functions" }, SEED, AT(seed), { 0 } },
    { { "ORRERY_JIT", "on off wait", "on",
        "whether kernels are compiled: on: those that take time, in the background; wait: all, before they run" },
      CHOICE, AT(jit), { "on", "off", "wait" } },
    { { "ORRERY_ISA", "auto sse2 avx2 avx512", "auto",
        "the widest vectors of kernels on x86-64, compiled or not; auto: those of the processor. Not of the BLAS library, "
        "which has settings of its own (OPENBLAS_CORETYPE=Haswell)" },
      CHOICE, AT(isa), { "auto", "sse2", "avx2", "avx512" } },
    { { "ORRERY_CC", "name or path", "", "the compiler of kernels; empty: the one that configure found" },
      PATH, AT(cc), { 0 } },
    { { "ORRERY_CACHE_DIR", "directory", "$XDG_CACHE_HOME/orrery or ~/.cache/orrery",
        "where compiled kernels are kept" },
      PATH, AT(cache_dir), { 0 } },
    { { "ORRERY_CACHE_SIZE", SIZES, "256M", "the largest size of that directory" },
      SIZE, AT(cache_size), { 0 } },
    { { "ORRERY_TRACE", "file", "", "where to write a trace of kernels and copies, for the viewers of Chrome and Perfetto; %p in it: the "
        "process number" },
      PATH, AT(trace), { 0 } },
    { { "ORRERY_NOTES", "file, or -", "", "where to write, at the end, notes by source line on what took the time and what would change it "
        "(docs/seeing.md); -: standard output; %p in it: the process number; a name that ends in .tsv: as rows for orrery-report" },
      PATH, AT(notes), { 0 } },
    { { "ORRERY_RANGES", "off nvtx itt papi", "off", "marks each launch with the kernel's name and source line, for the profilers of NVIDIA (libnvToolsExt) "
        "or Intel (libittnotify, or the file that INTEL_LIBITTNOTIFY64 names), or for counters of the processor (libpapi, with its own PAPI_EVENTS)" },
      CHOICE, AT(ranges), { "off", "nvtx", "itt", "papi" } },
    { { "ORRERY_PERF_MAP", "on off", "off", "whether the names of compiled kernels are written to /tmp/perf-PID.map, where perf looks for them" },
      SWITCH, AT(perf_map), { 0 } },
    { { "ORRERY_ENERGY", "directory", "", "the processors' energy counters, usually /sys/class/powercap: notes have the joules of each line "
        "(ORRERY_NOTES)" },
      PATH, AT(energy), { 0 } },
    { { "ORRERY_DUMP", "file", "", "where to write evaluations that end with an error, by a time limit, or (with ORRERY_CHECK) with a NaN, for "
        "orrery-replay; the second one goes to file.1; %p in it: the process number" },
      PATH, AT(dump), { 0 } },
    { { "ORRERY_DUMP_WHEN", "failed new all", "failed",
        "evaluations that ORRERY_DUMP writes: those that fail, the first one of each structure, all (256 at most)" },
      CHOICE, AT(dump_when), { "failed", "new", "all" } },
    { { "ORRERY_CACHE_SITE", "directory", "", "compiled kernels of the site, only read" }, PATH, AT(cache_site), { 0 } },
    { { "ORRERY_DEVICE_FILE", "file", "", "where to keep a list of the devices and their readings, for other programs" },
      PATH, AT(device_file), { 0 } },
    { { "ORRERY_NCCL", "on off", "on",
        "whether ranks exchange values in CUDA devices' memory by NCCL, where all of them have it (off: through host memory)" },
      SWITCH, AT(nccl), { 0 } },
    { { "ORRERY_RANKS", "auto off world", "auto",
        "the processes that work together; auto: those of the program's communicator, else all that mpirun or srun started; off: each "
        "works alone; world: as auto, and MPI is started where no launcher is recognised, too" },
      CHOICE, AT(ranks), { "auto", "off", "world" } },
    { { "ORRERY_RANK_DEVICES", "auto, or a number", "auto",
        "CUDA devices that each rank of a machine takes; auto: those that the ranks there see are divided among them" },
      AUTO, AT(rank_devices), { 0 } },
    { { "ORRERY_RANK_TIMEOUT", "seconds", "20",
        "how long a rank under mpirun or srun may be silent before the others end, and a tenth of the time in which all come to orr_init; "
        "0: for ever" },
      COUNT, AT(rank_timeout), { 0 } },
    { { "ORRERY_ABLATE", "comma list of" MECHANISM_NAMES, "", "optional mechanisms to switch off, for measuring" },
      MECHANISMS, AT(ablated), { 0 } },
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

orr__settings orr__env = {
    .fuse = true,
    .excess_precision = true,
    .fallback = true,
    .nccl = true,
    .jit = ORR__JIT_OFF,
    .cache_size = (size_t)256 << 20,
    .nodes = 1000000,
    .image_limit = 256,
    .inline_us = -1,
    .spin_us = -1,
    .tile_us = -1,
    .log = 1,
    .rank_devices = -1,
    .rank_timeout = 20,
};

static const orr__site site = { NULL, 0, "environment" };

static orr_status wrong(const entry *e, const char *value)
{
    bool words = e->form == CHOICE || e->form == SWITCH;
    /* limit of a format */
    return orr__fail(site, ORR_EENV, "%s=%.200s%s makes no sense; %s %s", e->row.name, value,
                     strlen(value) > 200 ? "…" : "", words ? "it is one of:" : "it takes:", e->row.values);
}

static int find_word(const entry *e, const char *s, size_t n)
{
    for (int i = 0; i < WORDS && e->words[i]; i++)
        if (strlen(e->words[i]) == n && strncmp(e->words[i], s, n) == 0)
            return i;
    return -1;
}

/* Decimal digits, also with leading zeros, or 0x and hexadecimal digits. Returns the text behind them; NULL: no number. */
static const char *digits(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = isdigit((unsigned char)*s) ? strtoull(s, &end, s[0] == '0' && tolower((unsigned char)s[1]) == 'x' ? 16 : 10)
                                      : 0;
    return isdigit((unsigned char)*s) && !errno ? end : NULL;
}

static bool parse_number(const char *s, uint64_t max, uint64_t *out)
{
    const char *end = digits(s, out);
    return end && !*end && *out <= max;
}

/* A number of bytes, or a number, perhaps with a point, and one of K M G T (steps of 1024) in either case, perhaps with B or iB. */
static bool parse_size(const char *s, uint64_t max, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *end = digits(s, out);
    double fraction = 0, place = 1;
    if (!end)
        return false;
    bool point = *end == '.' && isdigit((unsigned char)end[1]);
    if (point)
        for (end++; isdigit((unsigned char)*end); end++)
            fraction += (*end - '0') * (place /= 10);
    const char *p = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (p) {
        uint64_t unit = 1ull << 10 * (p - units + 1);
        if (__builtin_mul_overflow(*out, unit, out) ||
            __builtin_add_overflow(*out, (uint64_t)(fraction * (double)unit + 0.5), out))
            return false;
        end++;
        end += *end == 'i' && (end[1] == 'B' || end[1] == 'b');
    }
    end += *end == 'B' || (p && *end == 'b');
    return !*end && (p || !point) && *out <= max;
}

/* `on` and `off` for other words that mean them. */
static const char *on_or_off(const char *s)
{
    static const char *const on[] = { "1", "yes", "true" }, *const off[] = { "0", "no", "false" };
    for (int i = 0; i < 3; i++) {
        if (strcasecmp(s, on[i]) == 0)
            return "on";
        if (strcasecmp(s, off[i]) == 0)
            return "off";
    }
    return s;
}

static bool parse_switch(const char *s, bool *out)
{
    *out = strcmp(on_or_off(s), "on") == 0;
    return *out || strcmp(on_or_off(s), "off") == 0;
}

static bool parse_list(const entry *e, const char *s, unsigned *out)
{
    *out = 0;
    s = strcmp(on_or_off(s), "off") == 0 ? "" : s;
    while (*s) {
        size_t n = strcspn(s, ",");
        int i = find_word(e, s, n);
        if (i < 0)
            return false;
        *out |= 1u << i;
        s += n + (s[n] == ',');
    }
    return true;
}

static bool parse_mechanisms(const char *s, uint64_t *out)
{
    for (*out = 0; *s;) {
        size_t n = strcspn(s, ","), i = 0;
        while (i < ORR__MECHANISM_COUNT && (strlen(mechanism[i]) != n || strncmp(mechanism[i], s, n) != 0))
            i++;
        if (i == ORR__MECHANISM_COUNT)
            return false;
        *out |= (uint64_t)1 << i;
        s += n + (s[n] == ',');
    }
    return true;
}

/* A path is made absolute, so that it stays valid when the program changes its directory. A bare name of a compiler is left to PATH, and
 * "-" for standard output stays. */
static bool parse_path(const char *s, bool name, char *to, size_t size)
{
    size_t n = 0;
    if (*s != '/' && (!name || strchr(s, '/'))) {
        if (!getcwd(to, size))
            return false;
        n = strlen(to);
        if (n && to[n - 1] != '/' && n + 1 < size)
            to[n++] = '/';
    }
    bool ok = *s && n + strlen(s) < size;
    if (ok)
        strcpy(to + n, s);
    return ok;
}

static bool parse(const entry *e, const char *s, orr__settings *to)
{
    void *field = (char *)to + e->offset;
    uint64_t n = 0;
    bool ok = true;
    switch (e->form) {
    case CHOICE: {
        int i = find_word(e, on_or_off(s), strlen(on_or_off(s)));
        ok = i >= 0;
        memcpy(field, &i, sizeof i);
        break;
    }
    case SWITCH: ok = parse_switch(s, field); break;
    case SIZE:
        ok = parse_size(s, SIZE_MAX, &n);
        memcpy(field, &n, sizeof(size_t));
        break;
    case AUTO:
        if (strcmp(s, "auto") == 0) {
            memcpy(field, &(int64_t){ -1 }, sizeof(int64_t));
            break;
        }
        /* fall through */
    case COUNT:
        ok = parse_number(s, INT64_MAX, &n);
        memcpy(field, &n, sizeof n);
        break;
    case SEED:
        ok = parse_number(s, UINT64_MAX, &n);
        memcpy(field, &n, sizeof n);
        break;
    case LIST: ok = parse_list(e, s, field); break;
    case MECHANISMS: ok = parse_mechanisms(s, field); break;
    case PATH:
        ok = parse_path(s, e->offset == AT(cc) || (e->offset == AT(notes) && strcmp(s, "-") == 0), field,
                        sizeof to->cache_dir);
        break;
    }
    return ok;
}

unsigned orr__name_distance(const char *a, const char *b)
{
    unsigned row[64];
    size_t nb = strnlen(b, 63);
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; a[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < nb; j++) {
            unsigned best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            best = best < diagonal + 1 ? best : diagonal + 1;
            row[j + 1] = best < row[j] + 1 ? best : row[j] + 1;
        }
    }
    return row[nb];
}

/* An unknown name with the prefix ORRERY_ is an error, since a typing error would otherwise go unnoticed. */
static orr_status check_names(void)
{
    for (char **e = environ; e && *e; e++) {
        if (strncmp(*e, "ORRERY_", 7) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
        size_t best = 0;
        unsigned least = ~0u;
        for (size_t i = 0; i < ROWS; i++) {
            unsigned d = orr__name_distance(name, table[i].row.name);
            if (d < least) {
                least = d;
                best = i;
            }
        }
        if (least > 0) {
            char all[1024] = "";
            for (size_t i = 0, n = 0; i < ROWS && n < sizeof all; i++)
                n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? " " : "", table[i].row.name);
            return orr__fail(site, ORR_EENV, "%s is not known; did you mean %s? There are: %s", name,
                             table[best].row.name, all);
        }
    }
    return ORR_OK;
}

bool orr__base_is_there(const char *name, const char *path)
{
    struct stat st;
    char above[1024];
    size_t n = strnlen(path, sizeof above - 1);
    memcpy(above, path, n);
    while (n > 1 && above[n - 1] == '/')
        n--;
    if (strcmp(name, "XDG_CACHE_HOME") == 0) /* the specification lets programs make it */
        while (n > 1 && above[--n] != '/')
            ;
    above[n] = '\0';
    return stat(n ? above : "/", &st) == 0 && S_ISDIR(st.st_mode);
}

/* The variable whose directory holds the cache; its value, or NULL. */
static const char *cache_base(const char **name)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool cache = xdg && *xdg == '/';
    *name = cache ? "XDG_CACHE_HOME" : "HOME";
    return cache ? xdg : home && *home == '/' ? home : NULL;
}

bool orr__has_cache_base(void)
{
    const char *name, *base = cache_base(&name);
    return base && orr__base_is_there(name, base);
}

/* A home directory that does not exist is not made. */
static void default_cache_dir(char *to, size_t size)
{
    const char *name, *base = cache_base(&name);
    bool there = base && orr__base_is_there(name, base);
    int n = there ? snprintf(to, size, "%s%s/orrery", base, name[0] == 'H' ? "/.cache" : "") : 0;
    if (n <= 0 || (size_t)n >= size)
        to[0] = '\0'; /* no directory for a cache */
}

static void report_places(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *xdg = getenv("XDG_CACHE_HOME"), *name, *base = cache_base(&name);
    if (xdg && *xdg && *xdg != '/' && !atomic_flag_test_and_set(&said))
        orr__log(1, "XDG_CACHE_HOME=%s is ignored: it must be an absolute path", xdg);
    if (!orr__env.cache_dir[0] && base)
        orr__log(2, "%s=%s is not there, so nothing is kept for later processes; ORRERY_CACHE_DIR names another place",
                 name, base);
}

orr_status orr__env_load(void)
{
    orr_status st = ORR_OK;
    orr__settings s = { .fuse = true };
    for (size_t i = 0; i < ROWS; i++) {
        const entry *e = &table[i];
        const char *value = getenv(e->row.name);
        if (value && !*value)
            value = NULL; /* an empty value counts as not set */
        if (e->form == PATH && !value) {
            if (e->offset == AT(cache_dir))
                default_cache_dir(s.cache_dir, sizeof s.cache_dir);
            continue;
        }
        if (!parse(e, value ? value : e->row.fallback, &s) && st == ORR_OK)
            st = wrong(e, value ? value : e->row.fallback);
    }
    orr_status names = check_names();
    st = names == ORR_OK ? st : names;
    if (st != ORR_OK) {
        orr__env.ranks = s.ranks;
        return st;
    }
    if (s.ablated >> ORR__OFF_JIT & 1u)
        s.jit = ORR__JIT_OFF;
    orr__env = s;
    report_places();
    return ORR_OK;
}

static void show(const entry *e, char *buf, size_t size)
{
    const void *field = (const char *)&orr__env + e->offset;
    int i = 0;
    uint64_t n = 0;
    switch (e->form) {
    case CHOICE:
        memcpy(&i, field, sizeof i);
        snprintf(buf, size, "%s", i >= 0 && i < WORDS && e->words[i] ? e->words[i] : "?");
        break;
    case SWITCH: snprintf(buf, size, "%s", *(const bool *)field ? "on" : "off"); break;
    case LIST:
        snprintf(buf, size, "%s", *(const unsigned *)field ? "" : e->row.fallback);
        for (size_t w = 0, at = 0; w < 5 && e->words[w] && at < size; w++)
            if (*(const unsigned *)field >> w & 1u)
                at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? "," : "", e->words[w]);
        break;
    case MECHANISMS:
        buf[0] = '\0';
        for (size_t w = 0, at = 0; w < ORR__MECHANISM_COUNT && at < size; w++)
            if (orr__env.ablated >> w & 1u)
                at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? "," : "", mechanism[w]);
        break;
    case PATH: snprintf(buf, size, "%s", (const char *)field); break;
    case AUTO:
        memcpy(&n, field, sizeof n);
        if (n == UINT64_MAX)
            snprintf(buf, size, "auto");
        else
            snprintf(buf, size, "%llu", (unsigned long long)n);
        break;
    default:
        memcpy(&n, field, sizeof n);
        snprintf(buf, size, "%llu", (unsigned long long)n);
        break;
    }
}

const char *orr__env_shared(size_t i, char *buf, size_t size)
{
    static const size_t shared[] = { AT(check), AT(dump), AT(dump_when) };
    _Static_assert(sizeof shared / sizeof *shared <= ORR__ENV_SHARED, "their number");
    size_t at = 0;
    if (i >= sizeof shared / sizeof *shared)
        return NULL;
    while (table[at].offset != shared[i])
        at++;
    show(&table[at], buf, size);
    if (table[at].form == PATH && *buf)
        (void)snprintf(buf, size, "a file");
    return table[at].row.name;
}

const orr__env_row *orr__env_table(size_t i, char *buf, size_t size)
{
    if (i >= ROWS)
        return NULL;
    if (buf && size)
        show(&table[i], buf, size);
    return &table[i].row;
}
