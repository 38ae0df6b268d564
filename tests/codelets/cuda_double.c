/* The CUDA backend against the double of CUDA's libraries: discovery, compilation and the kernel cache, arguments,
 * errors by injection. No test here needs a GPU or shows the behaviour of one.
 * Must not know: StarPU. */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>
#include <orrery/info.h>
#include "codelets/jit/jit.h"
#include "runtime/base/clock.h"
#include "tests/harness/cuda_help.h"
#include "tests/harness/region_build.h"

#define HERE ORR__SITE("user.c", 7, "add")

static void look_again(void)
{
    orr__cu_forget();
    orr__cu_look_again();
}

/* x + y + scalar, two inputs. */
static void sum_region(rb *b, int64_t n)
{
    rb_begin(b, RB_MAP, 1, &n);
    int x = rb_load(b, rb_linear(b, rb_input(b, ORR_F32, n)));
    int y = rb_load(b, rb_linear(b, rb_input(b, ORR_F32, n)));
    rb_out(b, ORR_F32, rb_ew(b, "add", rb_ew(b, "add", x, y, -1), rb_scalar(b, ORR_F32, (orr__scalar){ .f = 3 }), -1));
}

static orr__launch launch_of(const rb *b, void **in, void **out)
{
    return (orr__launch){
        .region = &b->r, .hi = b->r.dim[0], .in = in, .out = out, .scalar = b->scalar, .queue = cu.stream
    };
}

/* One launch of x + y + 3 on 1000 elements; counts right values. */
static orr_status add_up(int *right)
{
    static rb b;
    enum { N = 1000 };
    float x[N], y[N], z[N];
    orr__kernel *k = NULL;
    sum_region(&b, N);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 2 * x[i];
    }
    void *in[] = { cuda_buffer(x, sizeof x), cuda_buffer(y, sizeof y) }, *out[] = { cuda_buffer(z, sizeof z) };
    orr__launch l = launch_of(&b, in, out);
    orr_status st = orr__cuda.prepare(&b.r, &k);
    st = st == ORR_OK ? orr__cuda.launch(k, &l) : st;
    *right = 0;
    if (st == ORR_OK && cuda_fetch(z, out[0], sizeof z))
        for (int i = 0; i < N; i++)
            *right += z[i] == 3 * (float)i + 3;
    orr__cuda.release(k);
    cuda_drop(in[0]);
    cuda_drop(in[1]);
    cuda_drop(out[0]);
    return st;
}

/* -- discovery ------------------------------------------------------------------------------------------------------- */

static void devices_are_found_in_less_than_a_second(void)
{
    char why[320];
    double best = 1e9;
    for (int i = 0; i < 10 && best >= 1; i++) { /* a single delay of the machine must not fail the test */
        double t0 = orr__now();
        look_again();
        ORR_CHECK(orr__cuda.probe(why, sizeof why));
        best = orr__now() - t0 < best ? orr__now() - t0 : best;
    }
    ORR_CHECK_MSG(best < 1, "%g s", best);
    ORR_CHECK(orr__cu_look()->devices == 1 && orr__cu_look()->arch == 90);
    ORR_CHECK(strcmp(orr__cu_look()->name, "double 0") == 0);
}

static void probe_reports_reason(void)
{
    char why[320] = "";
    const char *path = orr__cu_path;
    cu.state->devices = 0;
    look_again();
    ORR_CHECK(!orr__cuda.probe(why, sizeof why) && strstr(why, "no device"));
    cu.state->devices = 1;
    cu.state->init_code = 100;
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "CUDA_ERROR_NO_DEVICE"), "%s", why);
    cu.state->init_code = 0;
    cu.state->major = 3;
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "too old"), "%s", why);
    cu.state->major = 9;
    cu.state->major = 7; /* NVRTC's oldest is 75 */
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "as old as sm_70"), "%s", why);
    cu.state->major = 9;
    orr__cu_path = "/nowhere/libcuda.so.1";
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "/nowhere/libcuda.so.1"), "%s", why);
    orr__cu_path = path;
    orr__cu_nvrtc_path = "/nowhere/libnvrtc.so";
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "no NVRTC"), "%s", why);
    orr__cu_nvrtc_path = path;
    look_again();
    ORR_CHECK(orr__cuda.probe(NULL, 0));
}

static void compiler_that_is_newer_than_the_driver_is_named(void)
{
    char why[320] = "";
    cu.state->driver_version = 12040;
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && orr__cu_left_out() && strstr(why, "CUDA 12.4") &&
                      strstr(why, "machine code of NVRTC 13.77") && strstr(why, "libnvrtc.so.12"),
                  "%s", why);
    cu.state->driver_version = 13000; /* machine code of one major version is loaded */
    look_again();
    ORR_CHECK_MSG(orr__cuda.probe(why, sizeof why) && !orr__cu_left_out(), "%s", why);
    cu.state->arch[2] = 91; /* NVRTC does not know the device: PTX */
    look_again();
    ORR_CHECK_MSG(!orr__cuda.probe(why, sizeof why) && strstr(why, "PTX of NVRTC 13.77"), "%s", why);
    cu.state->driver_version = 14000;
    look_again();
    ORR_CHECK_MSG(orr__cuda.probe(why, sizeof why), "%s", why);
    cu.state->arch[2] = 90;
    cu.state->driver_version = 0;
    look_again();
}

/* -- compilation and the cache ----------------------------------------------------------------------------------------- */

static char facts[128], compiler[192];

static void note(const orr__cache_info *e, void *arg)
{
    (*(int *)arg)++;
    memcpy(facts, e->facts, sizeof facts);
    memcpy(compiler, e->compiler, sizeof compiler);
}

static void kernel_is_compiled_once_and_found_on_disk(void)
{
    int right, kernels = 0, compiles, loads;
    (void)orr__cache_clear();
    compiles = cu.state->compiles;
    ORR_REQUIRE(add_up(&right) == ORR_OK);
    ORR_CHECK(right == 1000 && cu.state->compiles == compiles + 1);
    ORR_CHECK_MSG(strcmp(cu.state->options, "--gpu-architecture=sm_90 --fmad=false --ptxas-options=-v ") == 0, "%s",
                  cu.state->options);
    ORR_CHECK(orr__cache_each(note, &kernels) == ORR_OK && kernels == 1);
    ORR_CHECK_MSG(strcmp(facts, "40 registers, 8192 B shared, 0 B local, occupancy 75 %") == 0, "%s", facts);
    ORR_CHECK_MSG(strcmp(compiler, "nvrtc 13.77 sm_90") == 0, "%s", compiler);
    orr__cuda.stop();
    loads = cu.state->loads;
    ORR_REQUIRE(add_up(&right) == ORR_OK); /* the first one's unit is gone: loaded from the disk */
    ORR_CHECK(right == 1000 && cu.state->compiles == compiles + 1 && cu.state->loads == loads + 1);
    orr__cuda.stop();
    cu.state->arch[2] = 91; /* NVRTC no longer supports sm_90: PTX for one that it supports */
    ORR_REQUIRE(add_up(&right) == ORR_OK);
    ORR_CHECK(right == 1000 && cu.state->compiles == compiles + 2);
    ORR_CHECK_MSG(strcmp(cu.state->options, "--gpu-architecture=compute_80 --fmad=false ") == 0, "%s",
                  cu.state->options);
    cu.state->arch[2] = 90;
    orr__cuda.stop();
}

/* A launch that was enqueued reads its module until it has ended, which its kernel need not. */
static void modules_outlive_their_launches(void)
{
    enum { MANY = 200 };
    int right, loads = cu.state->loads, unloads = cu.state->unloads;
    for (int i = 0; i < 3; i++)
        ORR_CHECK(add_up(&right) == ORR_OK && right == 1000);
    ORR_CHECK_MSG(cu.state->loads <= loads + 1 && cu.state->unloads == unloads, "%d loads, %d unloads",
                  cu.state->loads - loads, cu.state->unloads - unloads);
    for (int i = 0; i < MANY; i++) { /* idle ones do not add up */
        char text[200];
        (void)snprintf(text, sizeof text, "extern \"C\" __global__ void orr_kernel(int x) { (void)(x + %d); }", i);
        orr__cu_unit_put(orr__cu_unit_get(HERE, text, false));
    }
    ORR_CHECK_MSG(cu.state->unloads == unloads + 1, "%d unloads", cu.state->unloads - unloads);
    ORR_CHECK_MSG(cu.state->torn == 0, "%d modules unloaded under their launches", cu.state->torn);
}

static void foreign_cache_entry_is_not_loaded(void)
{
    int right, compiles = cu.state->compiles;
    orr__cuda.stop();
    ORR_REQUIRE(add_up(&right) == ORR_OK && cu.state->compiles == compiles);
    orr__cuda.stop();
    char command[1200];
    (void)snprintf(command, sizeof command,
                   "for f in '%s'/*.krn; do printf x | dd of=\"$f\" bs=1 seek=900 conv=notrunc 2>/dev/null; done",
                   orr__env.cache_dir);
    ORR_REQUIRE(system(command) == 0); /* NOLINT(cert-env33-c): a test */
    ORR_REQUIRE(add_up(&right) == ORR_OK);
    ORR_CHECK(right == 1000 && cu.state->compiles == compiles + 1);
}

static void message_has_compiler_error(void)
{
    orr__cu_image image;
    cu.state->compile_code = 6;
    ORR_CHECK(orr__cu_compile(HERE, "nonsense", 90, false, &image) == ORR_EDEVICE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "user.c:7") && strstr(orr_error_message(), "NVRTC_ERROR_COMPILATION") &&
                      strstr(orr_error_message(), "the double does not compile"),
                  "%s", orr_error_message());
    cu.state->compile_code = 0;
    ORR_CHECK(orr__cu_compile(HERE, "extern \"C\" __global__ void orr_kernel(int x) { nonsense = x; }", 90, false,
                              &image) == ORR_EDEVICE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "nonsense") != NULL, "%s", orr_error_message());
}

/* -- arguments --------------------------------------------------------------------------------------------------------- */

static void launch_parameters_equal_emitted_declaration(void)
{
    static rb b;
    enum { N = 1000 };
    orr__kernel *k = NULL;
    orr__layout lay;
    int64_t word[64];
    float x[N] = { 0 };
    sum_region(&b, N);
    ORR_REQUIRE(orr__layout_make(&b.r, &orr__dialect_cuda, &lay) == ORR_OK && lay.nword <= 64 && lay.by_value);
    void *in[] = { cuda_buffer(x, sizeof x), cuda_buffer(x, sizeof x) }, *out[] = { cuda_buffer(x, sizeof x) };
    orr__launch l = launch_of(&b, in, out);
    l.lo = 100;
    l.hi = 900;
    l.in_off = (int64_t[]){ 50, 100 };
    l.out_off = (int64_t[]){ 100 };
    cu.state->no_execution = 1;
    ORR_REQUIRE(orr__cuda.prepare(&b.r, &k) == ORR_OK && orr__cuda.launch(k, &l) == ORR_OK);
    cu.state->no_execution = 0;
    ORR_CHECK(orr__emit_words(&l, &lay, true, word) && word[0] == 800);
    ORR_CHECK(cu.state->block == 128 && cu.state->grid == 2); /* four elements an item */
    ORR_REQUIRE(cu.state->params == 4);
    ORR_CHECK(cu.state->param_size[3] == (size_t)lay.nword * 8);
    ORR_CHECK(memcmp(cu.state->param, &in[0], 8) == 0 && memcmp(cu.state->param + 8, &in[1], 8) == 0);
    ORR_CHECK(memcmp(cu.state->param + 16, &out[0], 8) == 0);
    ORR_CHECK(memcmp(cu.state->param + 24, word, (size_t)lay.nword * 8) == 0);
    orr__cuda.release(k);
    orr__layout_free(&lay);
    cuda_drop(in[0]);
    cuda_drop(in[1]);
    cuda_drop(out[0]);
}

/* -- errors ------------------------------------------------------------------------------------------------------------ */

static void failures_have_a_status_and_a_name(void)
{
    int right;
    cu.state->launch_code = 701;
    ORR_CHECK(add_up(&right) == ORR_EDEVICE && strstr(orr_error_message(), "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
    ORR_CHECK(!strstr(orr_error_message(), "lost"));
    cu.state->launch_code = 700;
    ORR_CHECK_MSG(add_up(&right) == ORR_EDEVICE && strstr(orr_error_message(), "has lost this device"), "%s",
                  orr_error_message());
    cu.state->launch_code = 2;
    ORR_CHECK(add_up(&right) == ORR_ENOMEM);
    cu.state->launch_code = 0;
    orr__cu_units_stop();
    cu.state->load_code = 200;
    ORR_CHECK(add_up(&right) == ORR_EDEVICE &&
              strstr(orr_error_message(), "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"));
    cu.state->load_code = 0;
    ORR_CHECK(add_up(&right) == ORR_OK && right == 1000);
}

static void sticky_errors_are_known(void)
{
    ORR_CHECK(orr__cu_sticky(226) && orr__cu_sticky(719) && orr__cu_sticky(721));
    ORR_CHECK(!orr__cu_sticky(2) && !orr__cu_sticky(701) && !orr__cu_sticky(720)); /* refused, not lost */
}

static void launch_without_context_is_error(void)
{
    void *before;
    int right;
    ORR_REQUIRE(orr__cu(NULL)->pop(&before) == ORR__CU_OK);
    ORR_CHECK(add_up(&right) == ORR_EDEVICE && strstr(orr_error_message(), "no context"));
    ORR_CHECK(orr__cu(NULL)->push(before) == ORR__CU_OK);
}

/* A sum in two stages: its scratch memory belongs to the stream and is allocated once. */
static void scratch_memory_is_allocated_once(void)
{
    static rb b;
    const int64_t n = 100000;
    orr__kernel *k = NULL;
    float *x = calloc((size_t)n, sizeof *x), got = 0;
    ORR_REQUIRE(x != NULL);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(i % 7);
    rb_begin(&b, RB_REDUCE, 1, &n);
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 1;
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n))));
    void *in[] = { cuda_buffer(x, (size_t)n * sizeof *x) }, *out[] = { cuda_buffer(&got, sizeof got) };
    orr__launch l = launch_of(&b, in, out);
    ORR_REQUIRE(orr__cuda.prepare(&b.r, &k) == ORR_OK);
    orr__cuda.stop();
    int allocs = cu.state->allocs, launches = cu.state->launches;
    for (int i = 0; i < 3; i++)
        ORR_CHECK_MSG(orr__cuda.launch(k, &l) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(cu.state->allocs == allocs + 1 && cu.state->launches == launches + 6);
    ORR_CHECK(cuda_fetch(&got, out[0], sizeof got) && got == (float)(n / 7 * 21 + 0 + 1 + 2 + 3 + 4));
    orr__cuda.stop();
    cu.state->alloc_code = 2;
    ORR_CHECK(orr__cuda.launch(k, &l) == ORR_ENOMEM);
    cu.state->alloc_code = 0;
    ORR_CHECK(orr__cuda.launch(k, &l) == ORR_OK);
    orr__cuda.release(k);
    cuda_drop(in[0]);
    cuda_drop(out[0]);
    free(x);
}

static void memory_for_the_exact_size_is_enough(void)
{
    orr__cu_address p = 0;
    size_t have = 0, memory = cu.state->memory, used = cu.state->used;
    cu.state->memory = used + 80000; /* less than 2¹⁷ */
    ORR_CHECK_MSG(orr__cu_stream_memory_grow(HERE, &p, &have, 70000) == ORR_OK && have == 70000, "%s",
                  orr_error_message());
    ORR_CHECK(orr__cu_stream_memory_grow(HERE, &p, &have, 90000) == ORR_ENOMEM && p == 0 && have == 0);
    cu.state->memory = memory;
    ORR_CHECK(cu.state->used == used);
}

static void every_flag_has_an_address(void)
{
    orr__cu_address at[3] = { 0 };
    int32_t *flag[3];
    for (int i = 0; i < 3; i++)
        flag[i] = orr__cu_flag_take(&at[i]);
    for (int i = 0; i < 3; i++) {
        ORR_CHECK(flag[i] != NULL && at[i] - at[0] == (orr__cu_address)((char *)flag[i] - (char *)flag[0]));
        orr__cu_flag_put(flag[i]);
    }
}

/* The launch does not wait; the caller checks after its own wait. */
static void index_error_is_known_after_launch(void)
{
    static rb b;
    float x[4] = { 1, 2, 3, 4 }, y[3];
    int32_t index[3] = { 0, 9, -1 };
    orr__after after;
    orr__kernel *k = NULL;
    rb_begin(&b, RB_MAP, 1, (int64_t[]){ 3 });
    int table = rb_input(&b, ORR_F32, 4);
    int at = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I32, 3)));
    at = rb_push(&b, ORR__RI_PLACE, ORR_I64, 0, at, -1, -1, rb_placed(&b, -1, 1, 4), -1);
    rb_out(&b, ORR_F32, rb_push(&b, ORR__RI_GATHER, ORR_F32, 0, at, -1, -1, rb_placed(&b, table, 0, 1), -1));
    void *in[] = { cuda_buffer(x, sizeof x), cuda_buffer(index, sizeof index) }, *out[] = { cuda_buffer(y, sizeof y) };
    orr__launch l = launch_of(&b, in, out);
    l.after = &after;
    ORR_REQUIRE(orr__cuda.prepare(&b.r, &k) == ORR_OK);
    int waits = cu.state->waits;
    ORR_REQUIRE(orr__cuda.launch(k, &l) == ORR_OK && after.check != NULL);
    ORR_CHECK(cu.state->waits == waits);
    ORR_CHECK(orr__cu(NULL)->wait(cu.stream) == ORR__CU_OK && after.check(&after) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "(number 1)") && strstr(orr_error_message(), "length 4"), "%s",
                  orr_error_message());
    index[1] = 2;
    ORR_REQUIRE(orr__cu(NULL)->to_device((orr__cu_address)(uintptr_t)in[1], index, sizeof index, cu.stream) == 0);
    ORR_REQUIRE(orr__cuda.launch(k, &l) == ORR_OK && after.check != NULL);
    ORR_CHECK(after.check(&after) == ORR_OK && cuda_fetch(y, out[0], sizeof y));
    ORR_CHECK(y[0] == 1 && y[1] == 3 && y[2] == 4);
    waits = cu.state->waits; /* an earlier stage of a launch that fails may still write its flag */
    cu.state->launch_code = 701;
    ORR_CHECK(orr__cuda.launch(k, &l) == ORR_EDEVICE && cu.state->waits > waits);
    cu.state->launch_code = 0;
    orr__cuda.release(k);
    for (int i = 0; i < 2; i++)
        cuda_drop(in[i]);
    cuda_drop(out[0]);
}

static void compile_leaves_no_files(void)
{
    orr__cuda.stop();
    ORR_CHECK_MSG(cu.state->used == 0, "%zu bytes", cu.state->used);
    ORR_CHECK_MSG(cu.state->loads == cu.state->unloads, "%d modules loaded, %d unloaded", cu.state->loads,
                  cu.state->unloads);
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
}

/* The double and the declarations are this project's; the names, at least, must be NVIDIA's. */
static void nccl_of_this_machine_has_all_that_is_called(void)
{
    const char *path = orr__cu_nccl_path, *why = "";
    orr__cu_nccl_path = NULL;
    orr__cu_forget();
    const orr__nccl *n = orr__cu_nccl(&why);
    int version = 0;
    bool there = n && n->version(&version) == 0, names = n && n->init_config && strcmp(n->error(0), "no error") == 0;
    orr__cu_nccl_path = path;
    orr__cu_forget();
    if (!n && !strstr(why, " has no "))
        ORR_SKIP("%s", why);
    ORR_CHECK_MSG(there && version >= 2700, "%s, version %d", why, version);
    ORR_CHECK(version < ORR__NCCL_CONFIG_SINCE || names);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(devices_are_found_in_less_than_a_second),
        ORR_TEST(probe_reports_reason),
        ORR_TEST(compiler_that_is_newer_than_the_driver_is_named),
        ORR_TEST(kernel_is_compiled_once_and_found_on_disk),
        ORR_TEST(modules_outlive_their_launches),
        ORR_TEST(foreign_cache_entry_is_not_loaded),
        ORR_TEST(message_has_compiler_error),
        ORR_TEST(launch_parameters_equal_emitted_declaration),
        ORR_TEST(failures_have_a_status_and_a_name),
        ORR_TEST(sticky_errors_are_known),
        ORR_TEST(launch_without_context_is_error),
        ORR_TEST(scratch_memory_is_allocated_once),
        ORR_TEST(memory_for_the_exact_size_is_enough),
        ORR_TEST(every_flag_has_an_address),
        ORR_TEST(index_error_is_known_after_launch),
        ORR_TEST(compile_leaves_no_files),
        ORR_TEST(nccl_of_this_machine_has_all_that_is_called),
        { 0 },
    };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    (void)setenv("ORRERY_CACHE_DIR", orr_test_tmp("cache"), 1); /* that of a run has the kernels of other programs */
    (void)orr__env_load();
    if (cuda_has_gxx() && cuda_use_double())
        cuda_enter_double();
    return orr_test_main(argc, argv, "codelets.cuda_double", cu.ok ? tests : none);
}
