/* Readers of files, of state and of settings: any bytes give a value or an error with a message, in memory that follows from their
 * number, and nothing stays.
 * Must not know: how a reader works. */
#include "config.h"
#include "tests/fuzz/packs.h"

#include <dirent.h>
#include <orrery.h>
#include <orrery/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "codelets/jit/internal.h"
#include "ops/privacy/ledger.h"
#include "runtime/base/buffer.h"
#include "runtime/base/checked_file.h"
#include "runtime/base/env.h"
#include "runtime/base/sha256.h"
#include "runtime/base/starpu_variables.h"
#include "runtime/cost/model.h"
#include "runtime/cost/profile.h"
#include "tests/harness/harness.h"
#include "tests/harness/io_help.h"

/* Memory for each byte of a file: elements of 8 bytes from text of two, and copies; the largest expansion of deflate, each bit of
 * which may be a pixel. */
enum { PER_BYTE = 16, PER_DEFLATED = 9 * 1032, LITTLE = 1 << 17, PATH = 64 };

void fuzz_failed(const char *what, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: not so: %s; the last error is: %s\n", file, line, what, orr_error_message());
    abort();
}

bool fuzz_begin(void)
{
    (void)setenv("ORRERY_LOG", "error", 1);
    (void)setenv("ORRERY_JIT", "off", 1); /* the bytes are of interest, not the speed of what they describe */
    return orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK;
}

void fuzz_end(void)
{
    fuzz_packs_end();
    (void)orr_shutdown();
}

/* -- files ------------------------------------------------------------------------------------------------------ */

/* The bytes as a file in memory, with its path. */
static int file_of(const unsigned char *data, size_t size, char path[PATH])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_expect(fd >= 0 && (size == 0 || write(fd, data, size) == (ssize_t)size));
    (void)snprintf(path, PATH, "/proc/self/fd/%d", fd);
    return fd;
}

static bool is_refusal(orr_status st)
{
    return st == ORR_EFORMAT || st == ORR_EDTYPE || st == ORR_ESHAPE || st == ORR_EINVAL;
}

/* Checks a tensor that was read from `size` bytes, and frees it. */
static void check(orr_tensor *t, size_t size, size_t per_byte)
{
    orr_status st = orr_tensor_status(t);
    fuzz_expect(orr__pool_get_stats().peak <= LITTLE + size * per_byte);
    fuzz_expect(st == ORR_OK || is_refusal(st));
    if (st == ORR_OK)
        fuzz_expect(orr_data(t) != NULL);
    else
        fuzz_expect(orr_error_status() == st && strstr(orr_error_message(), "tests/fuzz/targets.c:"));
    orr_free(t);
    fuzz_expect(orr__pool_get_stats().live == 0);
}

static void begin(void)
{
    orr_error_clear();
    orr__pool_peak_reset();
}

#define FILE_TARGET(NAME, PER, CALL)                                                                                   \
    static void NAME(const unsigned char *data, size_t size)                                                           \
    {                                                                                                                  \
        char path[PATH];                                                                                               \
        int fd = file_of(data, size, path);                                                                            \
        begin();                                                                                                       \
        check(CALL, size, PER);                                                                                        \
        (void)close(fd);                                                                                               \
    }

FILE_TARGET(npy, PER_BYTE, orr_load(path))
FILE_TARGET(npy_map, PER_BYTE, orr_map_npy(path))
FILE_TARGET(idx, PER_DEFLATED, orr_load_idx(path))
FILE_TARGET(safetensors, PER_BYTE, orr_load_safetensors(path, "float32"))
FILE_TARGET(safetensors_map, PER_BYTE, orr_map_safetensors(path, "float64"))
FILE_TARGET(csv, PER_BYTE, orr_load_csv(path, ORR_F64, ',', 0))
FILE_TARGET(tsv, PER_BYTE, orr_load_csv(path, ORR_I16, '\t', 1))

static void npz(const unsigned char *data, size_t size)
{
    char path[PATH], **names = NULL;
    int n = 0, fd = file_of(data, size, path);
    begin();
    check(orr_load_npz(path, "a"), size, PER_DEFLATED);
    orr_status st = orr_npz_names(path, &names, &n);
    fuzz_expect(st == ORR_OK || is_refusal(st));
    for (int i = 0; i < n && i < 4; i++) {
        orr_tensor *t = orr_load_npz(path, names[i]);
        fuzz_expect(orr_tensor_status(t) == ORR_OK || is_refusal(orr_tensor_status(t)));
        orr_free(t);
    }
    if (st == ORR_OK)
        orr_npz_names_free(names);
    (void)close(fd);
}

static void image(const unsigned char *data, size_t size)
{
    begin();
    orr_tensor *t = orr_load_image_bytes(data, size);
    if (orr_tensor_status(t) == ORR_EDEVICE)
        orr_free(t); /* built without this format */
    else
        check(t, size, PER_DEFLATED);
}

/* Corrects the checksums of a PNG's chunks. */
static void seal_png(unsigned char *p, size_t n)
{
    for (size_t at = 8; at + 12 <= n;) {
        size_t size = (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | (size_t)p[at + 3];
        if (size > n - at - 12)
            return;
        uint32_t c = orr_test_crc32(p + at + 4, size + 4);
        for (int k = 0; k < 4; k++)
            p[at + 8 + size + (size_t)k] = (unsigned char)(c >> (24 - 8 * k));
        at += size + 12;
    }
}

/* -- state of a run ------------------------------------------------------------------------------------------------- */

static unsigned char *copy_of(const char *text, size_t *size)
{
    *size = strlen(text);
    return (unsigned char *)strdup(text);
}

/* A checkpoint's path has no suffix: the files are PATH.0.npz and PATH.1.npz. */
static const char *run_path(void)
{
    return orr_test_tmp("run");
}

/* A run with a part of each kind. */
typedef struct run {
    orr_module *m;
    orr_optim *o;
    orr_dp_budget *b;
    orr_checkpoint *c;
    double bytes[3];
} run;

static void run_begin(run *r)
{
    *r = (run){ .bytes = { 1, 2, 3 } };
    r->m = orr_dense(2, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_ZEROS);
    r->o = orr_optim_of_module(ORR_OPTIM_ADAM, r->m, NULL);
    r->b = orr_dp_budget_new(ORR_DP_RDP, 3.0, 1e-5);
    r->c = orr_checkpoint_new(run_path());
    fuzz_expect(r->m && r->o && r->b && r->c && orr_checkpoint_add_module(r->c, "net", r->m) == ORR_OK &&
                orr_checkpoint_add_optim(r->c, "adam", r->o) == ORR_OK &&
                orr_checkpoint_add_budget(r->c, "budget", r->b) == ORR_OK &&
                orr_checkpoint_add_bytes(r->c, "bytes", r->bytes, sizeof r->bytes) == ORR_OK);
}

static void run_end(run *r)
{
    orr_checkpoint_free(r->c);
    orr_dp_budget_free(r->b);
    orr_optim_free(r->o);
    orr_module_free(r->m);
}

static void generation(char path[1024], int i)
{
    (void)snprintf(path, 1024, "%s.%d.npz", run_path(), i);
}

static unsigned char *make_checkpoint(int i, size_t *size)
{
    char path[1024];
    run r;
    if (i > 0)
        return NULL;
    run_begin(&r);
    generation(path, 1);
    bool ok = orr_dp_budget_spend(r.b, ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, 1.1, 0.1), 5) == ORR_OK &&
              orr_checkpoint_save(r.c) == ORR_OK;
    run_end(&r);
    unsigned char *bytes = ok ? orr_test_slurp(path, size) : NULL;
    (void)unlink(path);
    return bytes;
}

static void checkpoint(const unsigned char *data, size_t size)
{
    char path[1024];
    bool found = false;
    run r;
    generation(path, 1);
    FILE *f = fopen(path, "wb");
    fuzz_expect(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    run_begin(&r);
    begin();
    orr_status st = orr_checkpoint_load(r.c, &found);
    fuzz_expect(found == (st == ORR_OK) && (st == ORR_OK || is_refusal(st)));
    fuzz_expect(found || (r.bytes[0] == 1 && r.bytes[2] == 3)); /* all or nothing */
    fuzz_expect(orr_checkpoint_save(r.c) == ORR_OK);
    run_end(&r);
    generation(path, 0);
    (void)unlink(path);
    generation(path, 1);
    (void)unlink(path);
}

static void module(const unsigned char *data, size_t size)
{
    char path[PATH];
    int fd = file_of(data, size, path);
    orr_module *m = orr_dense(2, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_ZEROS);
    begin();
    orr_status st = orr_module_load(m, path);
    fuzz_expect(st == ORR_OK || is_refusal(st));
    orr_module_free(m);
    (void)close(fd);
}

static unsigned char *make_module(int i, size_t *size)
{
    if (i > 0)
        return NULL;
    const char *path = orr_test_tmp("module.npz");
    orr_module *m = orr_dense(2, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_ZEROS);
    unsigned char *bytes = m && orr_module_save(m, path) == ORR_OK ? orr_test_slurp(path, size) : NULL;
    orr_module_free(m);
    return bytes;
}

static unsigned char *make_ledger(int i, size_t *size)
{
    orr__site at = ORR__SITE(__FILE__, __LINE__, "fuzz");
    orr__dp_use use[] = { { { ORR_DP_GAUSSIAN, 1.1, 0.01 }, 700 }, { { ORR_DP_PURE, 0.5, 1 }, 1 } };
    orr__ledger l = { "", ORR_DP_PLD, 3, 1e-5, 2 - i, use };
    char *text = i < 2 ? orr__ledger_text(at, &l, (orr__ledger_place){ 0 }) : NULL;
    *size = text ? strlen(text) : 0;
    return (unsigned char *)text;
}

/* Corrects the checksum in the last line. */
static void seal_text(unsigned char *data, size_t size)
{
    enum { SUM_LINE = 21 };
    char *text = size > SUM_LINE ? strndup((char *)data, size - SUM_LINE) : NULL;
    char *end = text ? strchr(text, '\n') : NULL;
    char *packed = NULL;
    if (end) {
        *end = '\0';
        packed = orr__sealed_pack(text, end + 1);
    }
    if (packed && strlen(packed) == size)
        memcpy(data, packed, size);
    free(packed);
    free(text);
}

static void ledger(const unsigned char *data, size_t size)
{
    orr__ledger l;
    orr__ledger_place place;
    begin();
    orr_status st = orr__ledger_parse(ORR__SITE(__FILE__, __LINE__, "fuzz"), "the text", data, size, &l, &place);
    fuzz_expect(st == ORR_OK || st == ORR_EFORMAT);
    for (int i = 0; i < l.n; i++)
        fuzz_expect(l.use[i].times >= 0 && orr__dp_check(ORR__SITE(NULL, 0, "fuzz"), l.use[i].m) == ORR_OK);
    orr__ledger_clear(&l);
}

/* -- files of the cache --------------------------------------------------------------------------------------------- */

static void kernel(const unsigned char *data, size_t size)
{
    orr__bytes b = { .data = malloc(size + 1), .size = size };
    orr__entry e;
    orr__key found;
    fuzz_expect(b.data != NULL);
    memcpy(b.data, data, size);
    if (orr__entry_unpack(&b, NULL, &e, &found))
        fuzz_expect(e.source_size <= size && e.code_size <= size &&
                    (!orr__elf_whole(e.code, e.code_size) || e.code_size > 64));
    (void)orr__elf_whole(b.data, size);
    free(b.data);
}

static unsigned char *make_kernel(int i, size_t *size)
{
    orr__bytes b = { 0 };
    size_t n = 0;
    unsigned char *code = i == 0 ? orr_test_slurp("/proc/self/exe", &n) : NULL;
    orr__entry e = { .source = "void f(void) {}",
                     .source_size = 15,
                     .code = code,
                     .code_size = n < 4096 ? n : 4096,
                     .label = "fuzz",
                     .compiler = "cc",
                     .facts = "x86" };
    orr__key k = { { 1 } };
    bool ok = code && orr__entry_pack(&k, &e, &b);
    free(code);
    *size = b.size;
    return ok ? b.data : NULL;
}

/* A text with a checksum in the folder of caches, under the name of this machine. */
static void models(const unsigned char *data, size_t size)
{
    char kind[64], name[128], why[600], *body = strndup((const char *)data, size);
    (void)snprintf(kind, sizeof kind, "models%s", orr__profile_vectors());
    orr__sealed_name(kind, name, sizeof name);
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", orr_test_tmp("cache"));
    fuzz_expect(body && orr__sealed_write(name, "orrery models 2", body, why, sizeof why));
    orr__models_load();
    free(body);
}

static unsigned char *make_models(int i, size_t *size)
{
    return i == 0
               ? copy_of("1f2e3d4c5b6a7988 10 2 1 0 5 12.5 1024 0.25 add+mul\nchoice 1f2e3d4c5b6a7988 10 3 1\n", size)
               : NULL;
}

/* The name of the file of the machine's profile, which has the number of cores in it. */
static const char *machine_name(void)
{
    static char name[300];
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", orr_test_tmp("cache"));
    fuzz_expect(name[0] || orr__profile_store(&orr__profile_fixed));
    DIR *d = name[0] ? NULL : opendir(orr__env.cache_dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "machine", 7) == 0)
            (void)snprintf(name, sizeof name, "%s", e->d_name);
    if (d)
        (void)closedir(d);
    return name;
}

static const char machine_head[] = "orrery machine 2";

static void machine(const unsigned char *data, size_t size)
{
    char why[600], *body = strndup((const char *)data, size);
    orr__profile p = orr__profile_fixed;
    fuzz_expect(body && orr__sealed_write(machine_name(), machine_head, body, why, sizeof why));
    if (orr__profile_load(&p))
        fuzz_expect(orr__profile_plausible(&p));
    free(body);
}

static unsigned char *make_machine(int i, size_t *size)
{
    char why[600];
    char *body = i == 0 ? orr__sealed_read(machine_name(), machine_head, false, why, sizeof why) : NULL;
    *size = body ? strlen(body) : 0;
    return (unsigned char *)body;
}

static void devices(const unsigned char *data, size_t size)
{
    char path[PATH];
    orr_device d[2];
    int n = 0, fd = file_of(data, size, path);
    begin();
    orr_status st = orr_devices_load(path, d, 2, &n);
    fuzz_expect(st == ORR_OK ? n >= 0 : st == ORR_EFORMAT || st == ORR_EIO);
    (void)close(fd);
}

static unsigned char *make_devices(int i, size_t *size)
{
    const char *path = orr_test_tmp("devices");
    return i == 0 && orr_devices_save(path) == ORR_OK ? orr_test_slurp(path, size) : NULL;
}

/* -- settings ------------------------------------------------------------------------------------------------------- */

/* NAME=VALUE, where a number stands for the name of a row. */
static void setting(const unsigned char *data, size_t size, const char *(*name)(size_t i), orr_status (*load)(void))
{
    size_t i = size ? data[0] : 0;
    while (i > 0 && !name(i))
        i /= 2;
    char *value = size > 1 ? strndup((const char *)data + 1, size - 1) : NULL;
    if (!value || strchr(name(i), '#')) {
        free(value);
        return;
    }
    const char *was = getenv(name(i));
    char *before = was ? strdup(was) : NULL;
    (void)setenv(name(i), value, 1);
    begin();
    orr_status st = load();
    fuzz_expect(st == ORR_OK || (st == ORR_EENV && strstr(orr_error_message(), name(i))));
    if (before)
        (void)setenv(name(i), before, 1);
    else
        (void)unsetenv(name(i));
    free(before);
    free(value);
}

static const char *own_name(size_t i)
{
    char value[2048];
    const orr__env_row *row = orr__env_table(i, value, sizeof value);
    return row ? row->name : NULL;
}

static orr_status own_load(void)
{
    orr__settings before = orr__env;
    orr_status st = orr__env_load();
    orr__env = before;
    return st;
}

static void environment(const unsigned char *data, size_t size)
{
    setting(data, size, own_name, own_load);
}

static const char *starpu_name(size_t i)
{
    const orr__starpu_row *row = orr__starpu_variable(i, NULL, 0);
    return row ? row->name : NULL;
}

static orr_status starpu_load(void)
{
    const orr__starpu_machine machine = { .processors = 4, .cores = 4, .workers = 4 };
    return orr__starpu_variables_check(ORR__SITE(__FILE__, __LINE__, "fuzz"), &machine);
}

static void starpu_environment(const unsigned char *data, size_t size)
{
    setting(data, size, starpu_name, starpu_load);
}

static unsigned char *make_setting(int i, size_t *size)
{
    static const char *const values[] = { "\x01"
                                          "auto",
                                          "\x07"
                                          "1.5M",
                                          "\x0c"
                                          "12",
                                          "\x10"
                                          "graph,plan",
                                          "\x20"
                                          "0-3,7" };
    return i < 5 ? copy_of(values[i], size) : NULL;
}

/* -- texts in memory ------------------------------------------------------------------------------------------------- */

/* The fields of a foreign array. The address of its data must be trusted, so its lengths here are those of the data, or impossible. */
static void deleted(orr_dlpack_versioned *v)
{
    ++*(int *)v->manager;
}

static void dlpack(const unsigned char *data, size_t size)
{
    static double elements[1 << 12];
    static const int64_t lengths[] = { 0, 1, 2, 3, 4, -1, INT64_MIN, -((int64_t)1 << 40) };
    unsigned char b[16] = { 0 };
    int deletions = 0;
    memcpy(b, data, size < sizeof b ? size : sizeof b);
    int64_t shape[4], strides[4];
    for (int i = 0; i < 4; i++) {
        shape[i] = lengths[b[i] % 8];
        strides[i] = b[4 + i] % 61;
    }
    orr_dlpack_versioned v = { .major = 1 + b[8] / 128u, .manager = &deletions, .deleter = deleted };
    v.array = (orr_dlpack_array){ .data = elements,
                                  .device_type = b[9] % 4,
                                  .ndim = b[10] % 16 < 5 ? b[10] % 16 : b[10] - 128,
                                  .code = b[11],
                                  .bits = b[12],
                                  .lanes = b[13],
                                  .shape = b[14] & 1 ? NULL : shape,
                                  .strides = b[14] & 2 ? NULL : strides };
    if (v.array.ndim > 4 && v.array.ndim <= ORR_MAX_RANK)
        return;
    begin();
    orr_tensor *t = orr_from_dlpack(&v);
    orr_status st = orr_tensor_status(t);
    fuzz_expect(st == ORR_OK || is_refusal(st) || st == ORR_EDEVICE || st == ORR_ENOMEM);
    fuzz_expect(st != ORR_OK || orr_tensor_size(t) == 0 || orr_data(t));
    orr_free(t);
    fuzz_expect(deletions == (st == ORR_OK));
}

static unsigned char *make_dlpack(int i, size_t *size)
{
    static const unsigned char sound[16] = { 2, 3, 4, 1, 12, 4, 1, 1, 0, 1, 4, 2, 64, 1, 0, 0 };
    unsigned char *bytes = i == 0 ? malloc(sizeof sound) : NULL;
    if (bytes)
        memcpy(bytes, sound, *size = sizeof sound);
    return bytes;
}

static void expression(const unsigned char *data, size_t size)
{
    char *text = strndup((const char *)data, size < 400 ? size : 400);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(3));
    begin();
    orr_tensor *y = orr_expression(text, ORR_TENSORS(x));
    fuzz_expect(orr_tensor_status(y) == ORR_OK ? orr_eval(y) == ORR_OK : orr_error_status() != ORR_OK);
    (void)orr_scope_end(s);
    free(text);
}

static unsigned char *make_expression(int i, size_t *size)
{
    static const char *const texts[] = { "x*sigmoid(2*x)", "x > 0 ? exp(-x) : 1e-3*abs(x)", "(x+1)*(x-2)/3.5" };
    return i < 3 ? copy_of(texts[i], size) : NULL;
}

/* -- dumps ------------------------------------------------------------------------------------------------------ */

/* Printed, not replayed: a dump is as much to be trusted as a program. */
static void dump(const unsigned char *data, size_t size)
{
    char path[PATH];
    int fd = file_of(data, size, path);
    FILE *nowhere = fopen("/dev/null", "w");
    fuzz_expect(nowhere);
    orr_status st = orr_dump_print(nowhere, path);
    fuzz_expect(st == ORR_OK || (st == ORR_EFORMAT && *orr_error_message()));
    (void)fclose(nowhere);
    (void)close(fd);
}

static unsigned char *make_dump(int i, size_t *size)
{
    static const float x[6] = { 1, 2, 3, 4, 5, 6 };
    const char *path = orr_test_tmp("dump");
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(2, 3), x), *y = orr_exp(orr_add(t, orr_scalar(1)));
    y = i ? orr_matmul(y, orr_transpose(t)) : orr_sum(y, ORR_AXES(1), false);
    bool ok = i < 2 && orr_dump(path, &y, 1) == ORR_OK;
    (void)orr_scope_end(s);
    return ok ? orr_test_slurp(path, size) : NULL;
}

static void seal_dump(unsigned char *data, size_t size)
{
    orr__sha256 h;
    if (size < 32)
        return;
    orr__sha256_begin(&h);
    orr__sha256_add(&h, data, size - 32);
    orr__sha256_end(&h, data + size - 32);
}

const fuzz_target fuzz_targets[] = {
    { "npy", npy, { "io/c_f4_le.npy", "io/fortran_f4_be.npy", "io/version2_f4.npy" }, NULL, NULL, 0 },
    { "npy-map", npy_map, { "io/c_f4_le.npy" }, NULL, NULL, 0 },
    { "npz", npz, { "io/stored.npz", "io/other.npz", "io/deflated.npz", "io/twice.npz" }, NULL, NULL, 0 },
    { "idx", idx, { "io/i4.idx", "io/u1.idx.gz" }, NULL, NULL, 0 },
    { "safetensors", safetensors, { "io/peer.safetensors" }, NULL, NULL, 0 },
    { "safetensors-map", safetensors_map, { "io/peer.safetensors" }, NULL, NULL, 0 },
    { "csv", csv, { "io/peer.csv" }, NULL, NULL, 0 },
    { "tsv", tsv, { "io/peer.csv" }, NULL, NULL, 0 },
    { "image",
      image,
      { "images/rgb8.png", "images/palette_alpha.png", "images/grey1_interlaced.png", "images/rgba16_interlaced.png",
        "images/colour.jpg", "images/progressive.jpg", "images/grey.jpg" },
      NULL,
      seal_png,
      0 },
    { "checkpoint", checkpoint, { NULL }, make_checkpoint, NULL, 200 },
    { "module", module, { NULL }, make_module, NULL, 0 },
    { "ledger", ledger, { NULL }, make_ledger, seal_text, 0 },
    { "kernel", kernel, { NULL }, make_kernel, NULL, 0 },
    { "environment", environment, { NULL }, make_setting, NULL, 0 },
    { "starpu-environment", starpu_environment, { NULL }, make_setting, NULL, 0 },
    { "dlpack", dlpack, { NULL }, make_dlpack, NULL, 0 },
    { "secagg", fuzz_secagg, { NULL }, fuzz_make_secagg, NULL, 500 },
    { "paillier-key", fuzz_paillier_key, { NULL }, fuzz_make_paillier_key, NULL, 300 },
    { "encrypted", fuzz_encrypted, { NULL }, fuzz_make_encrypted, NULL, 300 },
    { "devices", devices, { NULL }, make_devices, NULL, 0 },
    { "models", models, { NULL }, make_models, NULL, 500 },
    { "machine", machine, { NULL }, make_machine, NULL, 500 },
    { "dump", dump, { NULL }, make_dump, seal_dump, 0 },
    { "expression", expression, { NULL }, make_expression, NULL, 200 },
    { 0 },
};
