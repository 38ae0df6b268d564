/* Predicted times of hand-made plans on imagined workers, beside what is easily counted.
 * Must not know: StarPU, kernels. */
#include "config.h"

#include <orrery.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/plan/makespan.h"
#include "runtime/plan/profile.h"
#include "tests/harness/harness.h"

/* Value 0 is a leaf; step i reads value i and writes value i + 1, of so many bytes. */
enum { STEPS = 2, ROWS = 8, BYTES = 4 * ROWS };
static orr__region region[STEPS];
static orr__step step[STEPS];
static orr__value value[STEPS + 1];
static orr__plan plan;
static int number[STEPS + 1] = { 0, 1, 2 };
static uint8_t dtype[] = { ORR_F32 };
static int64_t count[] = { ROWS };
static double task_us;

static void hand_made(int workers, int devices, bool placed, double bring_us)
{
    orr__models_forget();
    orr__plan_machine.workers = workers;
    orr__plan_machine.devices = devices;
    orr__plan_machine.placed = placed;
    orr__plan_machine.bring_us = bring_us;
    orr__plan_machine.bring_byte_us = bring_us / BYTES;
    task_us = orr__profile_now()->task_us;
    memset(&plan, 0, sizeof plan);
    memset(value, 0, sizeof value);
    for (int i = 0; i < STEPS; i++) {
        region[i] = (orr__region){
            .kind = ORR__G_TAKE, .rank = 1, .dim = { ROWS }, .nin = 1, .nout = 1, .key = 77u + (unsigned)i
        };
        region[i].label[0] = 'a';
        region[i].in_dtype = dtype;
        region[i].in_count = count;
        step[i] = (orr__step){
            .region = &region[i], .in = &number[i], .out = &number[i + 1], .size = ROWS, .rows = 1, .ntiles = ROWS
        };
    }
    plan.nvalue = STEPS + 1;
    plan.value = value;
    plan.step = step;
    plan.nstep = STEPS;
}

/* Each tile of step i; < 0: the device cannot. */
static void takes(int i, double cpu_us, double device_us)
{
    step[i].opencl = device_us < 0 ? NULL : (orr__kernel *)(void *)&region[i];
    for (int k = 0; k < 8; k++) {
        orr__model_add(&step[i], 1, ORR__ON_CPU, cpu_us);
        if (device_us >= 0)
            orr__model_add(&step[i], 1, ORR__ON_OPENCL, device_us);
    }
}

static void is(orr__way way, double want)
{
    double us = orr__plan_makespan(&plan, way);
    ORR_CHECK_MSG(us > want * 0.999 - 0.01 && us < want * 1.001 + 0.01, "way %d: %g us, not %g", (int)way, us, want);
}

static void tiles_share_the_workers_and_steps_wait(void)
{
    hand_made(4, 0, true, 0);
    takes(0, 100, -1);
    takes(1, 50, -1);
    is(ORR__CPU_ALONE, 2 * (100 + task_us) + 2 * (50 + task_us));
    is(ORR__MIXED, 2 * (100 + task_us) + 2 * (50 + task_us));
}

/* Two steps over the same rows, cut in two: each worker takes its half through both. */
static void strips_run_side_by_side(void)
{
    hand_made(2, 0, true, 0);
    for (int i = 0; i < STEPS; i++) {
        step[i].rows = ROWS / 2;
        step[i].ntiles = 2;
        for (int k = 0; k < 8; k++)
            orr__model_add(&step[i], ROWS / 2, ORR__ON_CPU, i ? 50 : 100);
    }
    step[0].members = STEPS;
    is(ORR__CPU_ALONE, 100 + 50 + task_us);
}

/* Three workers, eight tiles each of two steps: who asks nobody gives the slow one its share. */
static void a_policy_that_asks_no_models_waits_for_the_slowest(void)
{
    hand_made(2, 1, false, 0);
    takes(0, 100, 5000);
    takes(1, 100, 5000);
    is(ORR__CPU_ALONE, 8 * (100 + task_us));
    is(ORR__DEVICES_ALONE, 16 * (5000 + task_us));
    is(ORR__MIXED, 2 * (5000 + task_us));
    orr__plan_machine.placed = true;
    is(ORR__MIXED, 8 * (100 + task_us));
}

/* What processors made is brought to a device, tile by tile or whole; leaves cost nothing. */
static void copies_count(void)
{
    hand_made(1, 1, true, 1000);
    takes(0, 100, -1);
    takes(1, 200, 10);
    is(ORR__CPU_ALONE, 8 * (100 + task_us) + 8 * (200 + task_us));
    is(ORR__DEVICES_ALONE, 8 * (100 + task_us) + 8 * (1000 + 1000 + 10 + task_us));
    double mixed = orr__plan_makespan(&plan, ORR__MIXED);
    ORR_CHECK_MSG(mixed <= orr__plan_makespan(&plan, ORR__CPU_ALONE) + 0.01, "%g", mixed);
    takes(0, 100, 10);
    is(ORR__DEVICES_ALONE, 16 * (10 + task_us));
}

static void estimates_are_no_measurements(void)
{
    hand_made(2, 1, true, 0);
    takes(0, 100, 50);
    step[1].opencl = (orr__kernel *)(void *)&region[1];
    step[1].us = 800;
    ORR_CHECK(!orr__plan_measured(&plan));
    takes(1, 100, 50);
    ORR_CHECK(orr__plan_measured(&plan));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tiles_share_the_workers_and_steps_wait),
                                      ORR_TEST(strips_run_side_by_side),
                                      ORR_TEST(a_policy_that_asks_no_models_waits_for_the_slowest),
                                      ORR_TEST(copies_count),
                                      ORR_TEST(estimates_are_no_measurements),
                                      { 0 } };
    orr__env.machine = ORR__MACHINE_FIXED;
    return orr_test_main(argc, argv, "plan.makespan", tests);
}
