/* Exchanges among devices by NCCL, on the doubles of CUDA and NCCL, with 2 to 4 ranks: every kind, reduction and dtype, beside
 * plain loops; the participants, and the reasons against NCCL.
 * Must not know: tensors, StarPU. */
#include "config.h"

#include <orrery.h>
#include <math.h>
#include "runtime/base/dtype.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/cuda_help.h"
#include "tests/harness/ranks.h"

static const orr__site here = { NULL, 0, "test" };

/* -- up and down ------------------------------------------------------------------------------------------- */

/* Starts the library without devices; each rank then has a device of the double. */
static bool start(void)
{
    orr_config c = { .engine = "serial" };
    bool ok = orr_init(&c) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    if (!ok)
        return false;
    ORR_CHECK_MSG(strstr(orr__cu_exchanges_text(), "there are no CUDA devices"), "%s", orr__cu_exchanges_text());
    if (!cuda_use_double()) {
        ORR_CHECK_MSG(false, "%s", cu.why);
        return false;
    }
    cu.state->devices = 8;
    cu.state->nccl_version = 0;
    cu.state->nccl_init_code = cu.state->nccl_id_code = cu.state->nccl_call_code = cu.state->nccl_async_code = 0;
    cu.state->nccl_stuck = cu.state->nccl_foreign = 0;
    return true;
}

static bool by_nccl(void)
{
    return strncmp(orr__cu_exchanges_text(), "NCCL ", 5) == 0;
}

/* Starts with one device for each rank; all ranks agreed on NCCL. */
static bool up(void)
{
    if (!start())
        return false;
    ORR_CHECK_MSG(orr__cu_exchanges_start(here, orr_rank()) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(by_nccl(), "%s", orr__cu_exchanges_text());
    ORR_CHECK(cu.state->nccl_comms == 1);
    bool entered = orr__cu(NULL)->push(NULL) == ORR__CU_OK; /* for the test's own memory */
    ORR_CHECK(entered);
    return by_nccl();
}

static void down(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(cu.state->nccl_comms == 0, "%d communicators stay", cu.state->nccl_comms);
    ORR_CHECK_MSG(cu.state->nccl_foreign == 0, "%d exchanges of memory that is no device's", cu.state->nccl_foreign);
    orr__cu_nccl_path = cuda_double_path();
    orr__cu_forget();
}

/* -- arrays: functions of rank and place ------------------------------------------------------------------- */

/* Small numbers, whose sums are exact in every dtype. */
static double number(orr_dtype t, int rank, int64_t i)
{
    int v = (int)((i * 7 + rank * 3 + i * rank) % 11) - (orr__is_unsigned(t) || t == ORR_BOOL ? 0 : 5);
    return t == ORR_BOOL ? v > 5 : v;
}

static orr_dtype part_of(orr_dtype t)
{
    return t == ORR_C64 ? ORR_F32 : t == ORR_C128 ? ORR_F64 : t;
}

/* Stores an element, or a part of a complex one. */
static void put(void *p, orr_dtype t, int64_t i, double v)
{
    orr_dtype one = part_of(t);
    orr__scalar_store((char *)p + (size_t)i * orr__dtype_size(one), one,
                      orr__scalar_cast((orr__scalar){ .f = v }, ORR_F64, one));
}

static double get(const void *p, orr_dtype t, int64_t i)
{
    orr_dtype one = part_of(t);
    return orr__scalar_f64(orr__scalar_load((const char *)p + (size_t)i * orr__dtype_size(one), one), one);
}

static int64_t parts_in(orr_dtype t)
{
    return part_of(t) == t ? 1 : 2;
}

static double reduced(orr_dtype t, orr__reduction reduction, int64_t i)
{
    double acc = number(t, 0, i);
    for (int r = 1; r < orr_ranks(); r++) {
        double v = number(t, r, i);
        if (reduction == ORR__REDUCTION_SUM)
            acc = t == ORR_BOOL ? acc != 0 || v != 0 : acc + v;
        else
            acc = reduction == ORR__REDUCTION_MAX ? fmax(acc, v) : fmin(acc, v);
    }
    return acc;
}

/* True if NCCL supports the reduction: sums of all dtypes except 16-bit integers, and extremes of integers. */
static bool carried(orr_dtype t, orr__reduction reduction)
{
    if (t == ORR_I16 || t == ORR_U16)
        return false;
    return reduction == ORR__REDUCTION_SUM || t == ORR_BOOL || (!orr__is_float(t) && !orr__is_complex(t));
}

/* Performs the exchange on arrays in host memory or in a device's. `in` and `out` are in host memory in any case. */
static orr_status exchange(orr__exchange *x, const void *in, size_t n_in, void *out, size_t n_out, bool on_device)
{
    x->values = true;
    x->on_device = on_device;
    x->in = on_device ? cuda_buffer(in, n_in) : in;
    x->out = on_device ? cuda_buffer(out, n_out) : out;
    orr_status st = orr__exchange_wait(here, x);
    if (on_device) {
        ORR_CHECK(cuda_fetch(out, x->out, n_out));
        cuda_drop((void *)(uintptr_t)x->in);
        cuda_drop(x->out);
    }
    return st;
}

/* -- tests ------------------------------------------------------------------------------------------------- */

static void reduce_once(orr__exchange_kind kind, orr_dtype t, orr__reduction reduction, int64_t part, bool on_device)
{
    int64_t n = part * orr_ranks(), each = parts_in(t), wrong = 0;
    bool whole = kind == ORR__EXCHANGE_ALL_REDUCE;
    int64_t first = whole ? 0 : part * orr_rank(), count = whole ? n : part, counts[8];
    size_t size = orr__dtype_size(t);
    void *in = calloc((size_t)n + 1, size), *out = calloc((size_t)n + 1, size);
    for (int64_t i = 0; i < n * each; i++)
        put(in, t, i, number(t, orr_rank(), i));
    for (int k = 0; k < orr_ranks(); k++)
        counts[k] = part;
    orr__exchange x = { .kind = kind,
                        .reduction = reduction,
                        .dtype = t,
                        .group = orr__group_all(),
                        .count = count,
                        .part = counts,
                        .from = counts,
                        .values = true };
    bool taken = orr__exchange_on_devices(&x);
    int calls = cu.state->nccl_calls;
    ORR_CHECK_MSG(taken == carried(t, reduction), "%s, reduction %d", orr_dtype_name(t), reduction);
    orr_status st = exchange(&x, in, (size_t)n * size, out, (size_t)count * size, on_device && taken);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(cu.state->nccl_calls == calls + (taken && n > 0));
    for (int64_t i = 0; i < count * each; i++)
        wrong += get(out, t, i) != reduced(t, reduction, first * each + i);
    ORR_CHECK_MSG(wrong == 0, "%s, kind %d, reduction %d, %lld: %lld wrong", orr_dtype_name(t), (int)kind, reduction,
                  (long long)part, (long long)wrong);
    free(in);
    free(out);
}

static void every_reduction_of_every_dtype(void)
{
    static const int64_t size[] = { 0, 1, 999, 70001 };
    ORR_REQUIRE(up());
    for (orr_dtype t = ORR_BOOL; t <= ORR_C128; t++)
        for (int r = ORR__REDUCTION_SUM; r <= ORR__REDUCTION_MIN; r++)
            for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
                if (orr__is_complex(t) && r != ORR__REDUCTION_SUM)
                    continue;
                if (size[s] > 1000 && t != ORR_F32 && t != ORR_I8)
                    continue;
                reduce_once(ORR__EXCHANGE_ALL_REDUCE, t, (orr__reduction)r, size[s], s % 2 == 0);
                reduce_once(ORR__EXCHANGE_REDUCE_SCATTER, t, (orr__reduction)r, size[s], s % 2 == 1);
            }
    down();
}

/* A NaN stays in a maximum; NCCL would drop it. */
static void a_maximum_of_floats_is_left_to_the_host(void)
{
    ORR_REQUIRE(up());
    float v[2] = { orr_rank() == 0 ? NAN : 1, (float)orr_rank() };
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_F32,
                        .group = orr__group_all(),
                        .in = v,
                        .out = v,
                        .count = 2,
                        .values = true };
    int calls = cu.state->nccl_calls;
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK && cu.state->nccl_calls == calls);
    ORR_CHECK(isnan(v[0]) && v[1] == (float)(orr_ranks() - 1));
    down();
}

/* NCCL's sums are not in the order of the ranks. */
static void deterministic_sums_are_left_to_the_host(void)
{
    ORR_REQUIRE(setenv("ORRERY_DETERMINISTIC", "1", 1) == 0 && up());
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F32, .group = orr__group_all(), .values = true };
    ORR_CHECK(!orr__exchange_on_devices(&x));
    x.kind = ORR__EXCHANGE_ALL_GATHER;
    ORR_CHECK(orr__exchange_on_devices(&x));
    down();
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

/* Moves numbers that identify their origin: 1000 · from + 100 · to + place. */
static void move_once(orr_dtype t, int64_t part, bool on_device)
{
    int n = orr_ranks(), me = orr_rank();
    int64_t counts[8], wrong = 0, all = part * n;
    size_t size = orr__dtype_size(t);
    char *in = calloc((size_t)all + 1, size), *out = calloc((size_t)all + 1, size),
         *want = calloc((size_t)all + 1, size);
    for (int k = 0; k < n; k++)
        counts[k] = part;
    orr__exchange x = { .dtype = t, .group = orr__group_all(), .part = counts, .from = counts, .count = all };
    for (int kind = ORR__EXCHANGE_ALL_GATHER; kind <= ORR__EXCHANGE_BROADCAST; kind++) {
        x.kind = (orr__exchange_kind)kind;
        x.root = n - 1;
        bool swap = kind == ORR__EXCHANGE_ALL_TO_ALL, cast = kind == ORR__EXCHANGE_BROADCAST;
        size_t n_in = (size_t)(kind == ORR__EXCHANGE_ALL_GATHER ? part : all) * size, n_out = (size_t)all * size;
        for (size_t i = 0; i < n_in; i++)
            in[i] = (char)(me * 37 + (int)(i % 101));
        memset(out, 0, n_out);
        for (int k = 0; k < n; k++)
            for (size_t i = 0; i < (size_t)part * size; i++) {
                size_t at = (size_t)k * (size_t)part * size + i;
                size_t source = swap ? (size_t)me * (size_t)part * size + i : cast ? at : i;
                want[at] = (char)((cast ? n - 1 : k) * 37 + (int)(source % 101));
            }
        ORR_CHECK_MSG(exchange(&x, in, n_in, out, n_out, on_device) == ORR_OK, "%s", orr_error_message());
        for (size_t i = 0; i < n_out; i++)
            wrong += out[i] != want[i];
        ORR_CHECK_MSG(wrong == 0, "%s, kind %d, %lld: %lld bytes wrong", orr_dtype_name(t), kind, (long long)part,
                      (long long)wrong);
    }
    free(in);
    free(out);
    free(want);
}

static void values_of_every_dtype_are_moved(void)
{
    ORR_REQUIRE(up());
    for (orr_dtype t = ORR_BOOL; t <= ORR_C128; t++)
        for (int64_t part = 0; part < 300; part += 149)
            move_once(t, part, part % 2 == 0);
    move_once(ORR_F64, 60000, true);
    move_once(ORR_F64, 60000, false);
    down();
}

/* Rows, columns and all of a grid: a communicator for each, opened once. */
static void groups_have_communicators(void)
{
    ORR_REQUIRE(up());
    int n = orr_ranks();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ n % 2 ? 1 : 2, -1 }));
    ORR_REQUIRE(g);
    for (int i = 0; i < 12; i++) {
        const orr__group *group = orr__grid_group(g, (unsigned)(1 + i % 3));
        float v[100], want = 0;
        for (int k = 0; k < 100; k++)
            v[k] = (float)(orr_rank() + 1);
        for (int k = 0; k < group->ranks; k++)
            want += (float)(group->rank[k] + 1);
        orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_F32, .group = group, .count = 100 };
        ORR_CHECK_MSG(exchange(&x, v, sizeof v, v, sizeof v, true) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(v[0] == want && v[99] == want);
    }
    ORR_CHECK_MSG(cu.state->nccl_comms <= 3, "%d communicators", cu.state->nccl_comms);
    orr_grid_free(g);
    down();
}

/* Arrays in a device's memory stay there; those in host memory are copied once each way. */
static void arrays_of_a_device_are_not_copied(void)
{
    enum { N = 100000 };
    static float v[N];
    ORR_REQUIRE(up());
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .dtype = ORR_F32,
                        .group = orr__group_all(),
                        .count = N,
                        .values = true,
                        .on_device = true };
    void *p = cuda_buffer(v, sizeof v);
    x.in = x.out = p;
    uint64_t in = cu.state->bytes_in, home = cu.state->bytes_home;
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    ORR_CHECK(cu.state->bytes_in == in && cu.state->bytes_home == home);
    cuda_drop(p);
    x.in = x.out = v;
    x.on_device = false;
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    ORR_CHECK(cu.state->bytes_in == in + sizeof v && cu.state->bytes_home == home + sizeof v);
    down();
}

/* Starts after make_so() on this rank. On every rank, the reason for MPI contains these words, and exchanges work. */
static void go_by_mpi(void (*make_so)(void), const char *words)
{
    if (!start())
        return;
    make_so();
    ORR_CHECK_MSG(orr__cu_exchanges_start(here, orr_rank()) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(!by_nccl() && strstr(orr__cu_exchanges_text(), words), "%s", orr__cu_exchanges_text());
    double v = 1;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .dtype = ORR_F64,
                        .group = orr__group_all(),
                        .in = &v,
                        .out = &v,
                        .count = 1,
                        .values = true };
    ORR_CHECK(!orr__exchange_on_devices(&x));
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK && v == orr_ranks());
    down();
}

static bool last(void)
{
    return orr_rank() == orr_ranks() - 1;
}

static void no_library(void)
{
    if (last())
        orr__cu_nccl_path = "/nowhere/libnccl.so.2";
    orr__cu_forget();
}

/* A library that exists but has none of NCCL's functions. */
static void old_library(void)
{
    static char path[1024];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%s/tests/driver/libcuda.so.1", build ? build : ".");
    if (last())
        orr__cu_nccl_path = path;
    orr__cu_forget();
}

static void off(void)
{
    orr__env.nccl = !last();
}

static void other_version(void)
{
    cu.state->nccl_version = last() ? 22705 : 22809;
}

static void refused(void)
{
    cu.state->nccl_init_code = last() ? 2 : 0;
    orr__env.rank_timeout = 2;
}

static void no_id(void)
{
    cu.state->nccl_id_code = 3;
}

static void without_nccl_values_go_by_mpi(void)
{
    go_by_mpi(no_library, "no NCCL: /nowhere/libnccl.so.2");
    go_by_mpi(old_library, "has no ncclGetVersion");
    go_by_mpi(off, "ORRERY_NCCL=off");
    orr__env.nccl = true;
    go_by_mpi(no_id, "ncclGetUniqueId");
}

static void ranks_that_differ_go_by_mpi(void)
{
    go_by_mpi(other_version, "has version 22809 of NCCL");
    go_by_mpi(refused, orr_test_rank() == orr_test_ranks() - 1
                           ? "ncclCommInitRank: unhandled system error (2)"
                           : "ncclCommInitRank: the other ranks do not come within 2 s");
}

static void ranks_that_share_a_device_go_by_mpi(void)
{
    ORR_REQUIRE(start());
    ORR_CHECK(orr__cu_exchanges_start(here, 0) == ORR_OK);
    ORR_CHECK_MSG(strstr(orr__cu_exchanges_text(), "ranks 0 and 1 share the device 0000:d0:00.0"), "%s",
                  orr__cu_exchanges_text());
    down();
}

/* A version before 2.10 has no bf16, and encodes its number in another way. */
static void an_old_version_has_no_bf16(void)
{
    ORR_REQUIRE(start());
    cu.state->nccl_version = 2708;
    ORR_CHECK(orr__cu_exchanges_start(here, orr_rank()) == ORR_OK);
    ORR_CHECK_MSG(strstr(orr__cu_exchanges_text(), "NCCL 2.7.8, "), "%s", orr__cu_exchanges_text());
    orr__exchange x = {
        .kind = ORR__EXCHANGE_ALL_REDUCE, .dtype = ORR_BF16, .group = orr__group_all(), .values = true
    };
    ORR_CHECK(!orr__exchange_on_devices(&x));
    x.dtype = ORR_F16;
    ORR_CHECK(orr__exchange_on_devices(&x));
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(every_reduction_of_every_dtype),
        ORR_TEST(a_maximum_of_floats_is_left_to_the_host),
        ORR_TEST(deterministic_sums_are_left_to_the_host),
        ORR_TEST(values_of_every_dtype_are_moved),
        ORR_TEST(groups_have_communicators),
        ORR_TEST(arrays_of_a_device_are_not_copied),
        ORR_TEST(without_nccl_values_go_by_mpi),
        ORR_TEST(ranks_that_differ_go_by_mpi),
        ORR_TEST(ranks_that_share_a_device_go_by_mpi),
        ORR_TEST(an_old_version_has_no_bf16),
        { 0 },
    };
    return orr_test_ranks_main(argc, argv, "distribute.nccl", tests, (const int[]){ 2, 3, 4, 0 });
}
