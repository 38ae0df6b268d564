/* The strict mode of the double of CUDA's libraries: planted faults of a program on a device, each of which ends the process with a line
 * that names it; and the tests of the CUDA backend, none of which has such a fault.
 * Must not know: regions, plans. */
#include "config.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/cuda_help.h"

#define HERE ORR__SITE("user.c", 7, "add")

static bool ready;

/* Runs a planted fault in a process of its own; its message is compared. */
static void planted(void (*fault)(void), const char *said)
{
    char text[2000] = "";
    int to[2], status = 0;
    ORR_REQUIRE(pipe(to) == 0);
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)dup2(to[1], STDERR_FILENO);
        (void)alarm(60);
        fault();
        _exit(0);
    }
    (void)close(to[1]);
    for (size_t n = 0; n + 1 < sizeof text;) {
        ssize_t got = read(to[0], text + n, sizeof text - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    (void)close(to[0]);
    ORR_REQUIRE(waitpid(child, &status, 0) == child);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 99 && strstr(text, said), "status %d, \"%s\", not \"%s\"",
                  status, text, said);
}

static orr__cu_address four; /* floats on the device */
static const char zeros[1 << 13];
static volatile float sink;

static void *function_of(const char *text)
{
    void *f = NULL;
    orr__cu_unit *u = orr__cu_unit_get(HERE, text, false);
    return u && orr__cu_unit_function(HERE, u, &f) == ORR_OK ? f : NULL;
}

static int launch_in(void *stream, void *f, void **param, unsigned threads)
{
    return orr__cu(NULL)->launch(f, 1, 1, 1, threads, 1, 1, 0, stream, param, NULL);
}

/* A launch, and a wait for its end. */
static int launch(void *f, void **param, unsigned threads)
{
    int code = launch_in(cu.stream, f, param, threads);
    return code ? code : orr__cu(NULL)->wait(cu.stream);
}

#define STORE(index)                                                                                                   \
    "extern \"C\" __global__ void orr_kernel(float *p)\n{\n    if (threadIdx.x == 0)\n        p[" index "] = 1;\n}\n"

static void the_host_reads_the_device(void)
{
    sink = *(const float *)(uintptr_t)four;
}

static void a_kernel_writes_behind_the_end(void)
{
    void *param[] = { &four };
    (void)launch(function_of(STORE("64")), param, 1); /* 256 bytes: the next page is closed */
}

static void a_kernel_writes_a_little_behind_the_end(void)
{
    void *param[] = { &four };
    (void)launch(function_of(STORE("4")), param, 1);
    (void)orr__cu(NULL)->free(four);
}

static void a_kernel_reads_freed_memory(void)
{
    void *param[] = { &four };
    (void)orr__cu(NULL)->free(four);
    (void)launch(function_of(STORE("0")), param, 1);
}

static void a_module_is_unloaded_under_its_launch(void)
{
    orr__cu_image image;
    void *module = NULL, *f = NULL, *param[] = { &four };
    if (orr__cu_compile(HERE, STORE("0"), 90, false, &image) != ORR_OK ||
        orr__cu(NULL)->load(&module, image.data) != 0 || orr__cu(NULL)->function(&f, module, "orr_kernel") != 0)
        return;
    (void)launch_in(cu.stream, f, param, 1);
    (void)orr__cu(NULL)->unload(module);
}

static void pinned_memory_is_freed_twice(void)
{
    void *p = NULL;
    if (orr__cu(NULL)->host_alloc(&p, 64, 0) == ORR__CU_OK) {
        (void)orr__cu(NULL)->host_free(p);
        (void)orr__cu(NULL)->host_free(p);
    }
}

static void pinned_memory_is_freed_under_a_copy(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *p = NULL;
    if (d->host_alloc(&p, 16, 0) != ORR__CU_OK)
        return;
    memset(p, 0, 16);
    for (int i = 0; i < 64; i++) /* some of them wait */
        (void)d->to_device(four, p, 16, cu.stream);
    (void)d->host_free(p);
}

static void a_stream_does_not_wait_for_another(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *other = NULL, *f = function_of(STORE("0")), *param[] = { &four };
    if (d->stream_create(&other, 1) != ORR__CU_OK)
        return;
    (void)launch_in(cu.stream, f, param, 1);
    (void)launch_in(other, f, param, 1);
    (void)d->finish();
}

/* Ends the capture; its graph. */
static void *captured(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *graph = NULL, *exec = NULL;
    return d->capture_end(cu.stream, &graph) == ORR__CU_OK && d->graph_make(&exec, graph, 0) == ORR__CU_OK ? exec
                                                                                                           : NULL;
}

/* A graph of one launch. */
static void *graph_of(void *f, void **param, void **node)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *const *last = NULL;
    uint64_t id;
    size_t n = 0;
    int status = 0;
    if (d->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) != ORR__CU_OK ||
        launch_in(cu.stream, f, param, 1) != 0 ||
        d->capture_info(cu.stream, &status, &id, NULL, &last, NULL, &n) != ORR__CU_OK || n != 1)
        return NULL;
    *node = last[0];
    return captured();
}

static void a_node_has_stale_arguments(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    float zero[4] = { 0 };
    orr__cu_address now = (orr__cu_address)(uintptr_t)cuda_buffer(zero, sizeof zero);
    void *node, *f = function_of(STORE("0")), *param[] = { &four }, *exec = graph_of(f, param, &node);
    const orr__cu_kernel_node to = { f, 1, 1, 1, 1, 1, 1, 0, (void *[]){ &now }, NULL, NULL, NULL };
    if (!exec || d->graph_set(exec, node, &to) != ORR__CU_OK || d->graph_launch(exec, cu.stream) != ORR__CU_OK ||
        d->wait(cu.stream) != ORR__CU_OK || !cuda_fetch(zero, (void *)(uintptr_t)now, sizeof zero) || zero[0] != 1)
        return; /* such a launch is no fault */
    (void)d->free(now);
    (void)d->graph_launch(exec, cu.stream);
    (void)d->wait(cu.stream);
}

static void a_graph_is_launched_after_its_end(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *node, *param[] = { &four }, *exec = graph_of(function_of(STORE("0")), param, &node);
    (void)d->graph_end(exec);
    (void)d->graph_launch(exec, cu.stream);
}

static void a_graph_outlives_its_kernel(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    orr__cu_image image;
    void *module = NULL, *f = NULL, *node, *param[] = { &four };
    if (orr__cu_compile(HERE, STORE("0"), 90, false, &image) != ORR_OK || d->load(&module, image.data) != 0 ||
        d->function(&f, module, "orr_kernel") != 0)
        return;
    void *exec = graph_of(f, param, &node);
    (void)d->unload(module);
    (void)d->graph_launch(exec, cu.stream);
}

static void a_node_of_another_graph_is_set(void)
{
    void *node, *other, *f = function_of(STORE("0")), *param[] = { &four };
    const orr__cu_kernel_node to = { f, 1, 1, 1, 1, 1, 1, 0, param, NULL, NULL, NULL };
    void *exec = graph_of(f, param, &node);
    (void)graph_of(f, param, &other);
    (void)orr__cu(NULL)->graph_set(exec, other, &to);
}

static void memory_is_allocated_in_a_capture(void)
{
    orr__cu_address p;
    if (orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) == ORR__CU_OK)
        (void)orr__cu(NULL)->alloc(&p, 16);
}

static void a_capture_is_waited_for(void)
{
    if (orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) == ORR__CU_OK)
        (void)orr__cu(NULL)->wait(cu.stream);
}

static void a_copy_from_the_host_is_captured(void)
{
    float x[4] = { 0 };
    if (orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) == ORR__CU_OK)
        (void)orr__cu(NULL)->to_device(four, x, sizeof x, cu.stream);
}

static void replay(void *exec)
{
    if (orr__cu(NULL)->graph_launch(exec, cu.stream) == ORR__CU_OK)
        (void)orr__cu(NULL)->wait(cu.stream);
}

/* A transform of two numbers. */
static void a_graph_outlives_its_transform(void)
{
    const orr__cu_fft_library *f = orr__cu_fft(NULL);
    int plan = 0, length[1] = { 2 };
    if (f->plan_many(&plan, 1, length, length, 1, 2, length, 1, 2, ORR__FFT_C2C, 1) != 0 ||
        f->set_stream(plan, cu.stream) != 0 ||
        orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) != ORR__CU_OK ||
        f->complex_[0](plan, (void *)(uintptr_t)four, (void *)(uintptr_t)four, ORR__FFT_FORWARD) != 0)
        return;
    void *exec = captured();
    (void)f->destroy(plan);
    replay(exec);
}

/* A convolution of one number. */
static void a_graph_outlives_its_workspace(void)
{
    const orr__dnn *d = orr__cu_dnn(NULL);
    static const int one[4] = { 1, 1, 1, 1 }, none[2] = { 0, 0 };
    static const float alpha = 1, beta = 0;
    float x[4] = { 0 };
    void *handle, *t, *filter, *form, *space = cuda_buffer(zeros, sizeof zeros), *a = cuda_buffer(x, sizeof x),
                                      *b = cuda_buffer(x, sizeof x), *c = cuda_buffer(x, sizeof x);
    if (d->create(&handle) != 0 || d->set_stream(handle, cu.stream) != 0 || d->create_tensor(&t) != 0 ||
        d->create_filter(&filter) != 0 || d->create_conv(&form) != 0 || d->set_tensor(t, 0, 4, one, one) != 0 ||
        d->set_filter(filter, 0, ORR__DNN_NCHW, 4, one) != 0 ||
        d->set_conv(form, 2, none, one, one, ORR__DNN_CROSS_CORRELATION, 0) != 0 ||
        orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) != ORR__CU_OK ||
        d->forward(handle, &alpha, t, a, filter, b, form, ORR__DNN_ALGORITHM, space, sizeof zeros, &beta, t, c) != 0)
        return;
    void *exec = captured();
    cuda_drop(space);
    replay(exec);
}

/* Its report is read by the host. */
static void a_factorisation_is_captured(void)
{
    const orr__solver *s = orr__cu_solver(NULL);
    void *handle, *work = cuda_buffer(zeros, sizeof zeros);
    if (s->create(&handle) == 0 && s->set_stream(handle, cu.stream) == 0 &&
        orr__cu(NULL)->capture_begin(cu.stream, ORR__CU_CAPTURE_OF_THREAD) == ORR__CU_OK)
        (void)s->potrf[0](handle, 0, 1, (void *)(uintptr_t)four, 1, work, sizeof zeros / sizeof(float),
                          (void *)(uintptr_t)(four + 8));
}

/* The sum of two neighbours, of which one may already be the sum. */
static void a_barrier_is_missing(void)
{
    void *param[] = { &four };
    (void)launch(function_of("extern \"C\" __global__ void orr_kernel(float *p)\n{\n"
                             "    p[threadIdx.x] += p[(threadIdx.x + 1) % 4] + threadIdx.x;\n}\n"),
                 param, 4);
}

static void faults_are_named(void)
{
    if (!ready)
        ORR_SKIP("%s", cu.why);
    float zero[4] = { 0 };
    four = (orr__cu_address)(uintptr_t)cuda_buffer(zero, sizeof zero);
    planted(the_host_reads_the_device, "the host touches device memory: byte 0 of 16");
    planted(a_kernel_writes_behind_the_end, "device work touches memory behind the end: byte 256 of 16");
    planted(a_kernel_writes_a_little_behind_the_end, "device work wrote behind the end: byte 16 of 16");
    planted(a_kernel_reads_freed_memory, "device work touches freed memory: byte 0 of 16");
    planted(a_module_is_unloaded_under_its_launch, "a module is unloaded with its launches under way");
    planted(pinned_memory_is_freed_twice, "host memory is freed that was not allocated, or twice");
    planted(pinned_memory_is_freed_under_a_copy, "host memory is freed that work under way uses");
    planted(a_stream_does_not_wait_for_another,
            "work in a stream touches memory that another stream's work may still use");
    planted(a_node_has_stale_arguments,
            "a node of a graph touches freed memory: its arguments are stale: byte 0 of 16");
    planted(a_graph_is_launched_after_its_end, "a graph is launched after its end");
    planted(a_graph_outlives_its_kernel, "a graph launches a kernel whose module was unloaded");
    planted(a_node_of_another_graph_is_set, "a node is set that belongs to another graph");
    planted(memory_is_allocated_in_a_capture, "cuMemAlloc in a capture of this thread");
    planted(a_capture_is_waited_for, "cuStreamSynchronize in a capture of this thread");
    planted(a_copy_from_the_host_is_captured, "a copy in a capture of this thread");
    planted(a_graph_outlives_its_transform, "a graph has a transform whose plan has ended");
    planted(a_graph_outlives_its_workspace, "a node of a graph touches freed memory: its arguments are stale");
    planted(a_factorisation_is_captured, "a function of a library that is not captured in a capture of this thread");
    planted(a_barrier_is_missing, "a result depends on the order of the threads: a barrier is missing");
}

/* One stream, or a wait of the host between two: no fault. */
static void ordered_work_is_no_fault(void)
{
    if (!ready)
        ORR_SKIP("%s", cu.why);
    const orr__cu_driver *d = orr__cu(NULL);
    float value[4] = { 0 };
    void *other = NULL, *f = function_of(STORE("threadIdx.x + blockIdx.x"));
    orr__cu_address a = (orr__cu_address)(uintptr_t)cuda_buffer(value, sizeof value);
    void *param[] = { &a };
    ORR_REQUIRE(f && d->stream_create(&other, 1) == ORR__CU_OK);
    for (int i = 0; i < 20; i++) {
        ORR_CHECK(launch_in(other, f, param, 1) == 0 && launch_in(other, f, param, 1) == 0);
        ORR_CHECK(d->wait(other) == 0);
        ORR_CHECK(launch(f, param, 1) == 0);
    }
    ORR_CHECK(cuda_fetch(value, (void *)(uintptr_t)a, sizeof value) && value[0] == 1 && value[1] == 0);
    ORR_CHECK(d->stream_destroy(other) == 0);
    cuda_drop((void *)(uintptr_t)a);
}

/* A launch whose threads wait at different barriers is refused, and a text that does not compile is an error. */
static void kernels_without_sense_are_errors(void)
{
    if (!ready)
        ORR_SKIP("%s", cu.why);
    static const char split[] =
        "extern \"C\" __global__ void orr_kernel(float *p)\n{\n    if (threadIdx.x == 0)\n"
        "        __syncthreads();\n    else\n        __syncthreads();\n    p[threadIdx.x] = 1;\n}\n";
    float zero[4] = { 0 };
    orr__cu_address a = (orr__cu_address)(uintptr_t)cuda_buffer(zero, sizeof zero);
    void *param[] = { &a };
    void *f = function_of(split);
    ORR_REQUIRE(f != NULL);
    ORR_CHECK(launch(f, param, 4) != ORR__CU_OK);
    cu.state->lost_code = 0; /* such an error lasts */
    cu.state->compile_code = 6;
    ORR_CHECK(function_of("nonsense") == NULL && strstr(orr_error_message(), "NVRTC_ERROR_COMPILATION"));
    cu.state->compile_code = 0;
    orr_error_clear();
    cuda_drop((void *)(uintptr_t)a);
}

/* Neighbours' sums through shared memory, with and without a barrier before the read: under ThreadSanitizer (CUDA_DOUBLE_RACES=1), which ends
 * the process. */
static void sums_of_neighbours(bool barrier)
{
    char text[500];
    float zero[64] = { 0 };
    orr__cu_address a = (orr__cu_address)(uintptr_t)cuda_buffer(zero, sizeof zero);
    void *param[] = { &a }, *f;
    (void)snprintf(text, sizeof text,
                   "extern \"C\" __global__ void orr_kernel(float *p)\n{\n    __shared__ float s[64];\n"
                   "    s[threadIdx.x] = p[threadIdx.x];\n    %s\n    p[threadIdx.x] += s[63 - threadIdx.x];\n}\n",
                   barrier ? "__syncthreads();" : "");
    ORR_REQUIRE((f = function_of(text)) != NULL);
    ORR_CHECK(launch(f, param, 64) == 0);
    cuda_drop((void *)(uintptr_t)a);
}

static void ordered_threads_do_not_race(void)
{
    sums_of_neighbours(true);
}

static void threads_without_a_barrier_race(void)
{
    sums_of_neighbours(false);
}

int main(int argc, char **argv)
{
    static const orr_test races[] = { ORR_TEST(ordered_threads_do_not_race),
                                      ORR_TEST(threads_without_a_barrier_race),
                                      { 0 } };
    static const orr_test tests[] = { ORR_TEST(faults_are_named),
                                      ORR_TEST(ordered_work_is_no_fault),
                                      ORR_TEST(kernels_without_sense_are_errors),
                                      { 0 } };
    if (getenv("CUDA_DOUBLE_RACES")) {
        cuda_start();
        return orr_test_main(argc, argv, "codelets.cuda_races", races);
    }
    (void)orr__env_load();
    if (cuda_has_gxx() && cuda_use_double()) {
        cuda_enter_double();
        ready = cu.ok;
    }
    return orr_test_main(argc, argv, "codelets.cuda_strict", tests);
}
