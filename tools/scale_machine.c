/* Machines for orrery-scale: the built-in ones, and files of "name value" lines.
 * Must not know: what is simulated. */
#include "config.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "tools/scale.h"

/* Rates are f64. cpu: one process on each node; 63 of its 64 cores compute at three quarters of the rate of a core of the
 * measured machine. gpu: one process on each node, four GPUs with the f64 rates of tensor cores. Half of the f32 peak of the cores, and a
 * quarter of the bf16 peak of the GPUs, train a transformer. The message times of both are
 * those measured for StarPU-MPI between two processes, over links of 100 and 400 Gbit/s. Tiles are contiguous: MPI does not pack them. */
const scale_machine scale_known[] = {
    { .name = "cpu",
      .nodes_ranks = 1,
      .workers = 63,
      .gflops = { 12, 22, 26, 30, 8 },
      .task_us = 6,
      .latency_us = 60,
      .gbytes = 12.5,
      .message_us = 12,
      .step_us = 300,
      .sample_us = 0.9,
      .update_us = 60,
      .jitter = 0.01,
      .tile = 256,
      .order = 8192,
      .samples = 4096,
      .train_gflops = 1900,
      .sequences = 32 },
    { .name = "gpu",
      .nodes_ranks = 1,
      .workers = 4,
      .gflops = { 1500, 20000, 30000, 45000, 1000 },
      .task_us = 20,
      .latency_us = 60,
      .gbytes = 50,
      .message_us = 12,
      .device_gbytes = 50,
      .step_us = 400,
      .sample_us = 0.02,
      .update_us = 40,
      .jitter = 0.01,
      .tile = 2048,
      .order = 65536,
      .samples = 32768,
      .train_gflops = 300000,
      .sequences = 256 },
};
const int scale_known_count = sizeof scale_known / sizeof *scale_known;

typedef struct {
    const char *name;
    size_t at;
    double least, most;
    const char *what;
} field;

#define FIELD(name, least, most, what) { #name, offsetof(scale_machine, name), least, most, what }
#define RATE(name, kind)                                                                                               \
    { "gflops_" #name, offsetof(scale_machine, gflops) + (kind) * sizeof(double), 1e-6, 1e9, "Gflop/s of a worker" }
static const field fields[] = {
    FIELD(nodes_ranks, 1, 1024, "ranks on a node"),
    FIELD(cores, 0, 1e6, "cores of a node, 0: enough for all threads"),
    FIELD(bound, 0, 1, "1: ranks that share cores have one of them each, 0: threads move among all"),
    FIELD(workers, 1, 1024, "cores or GPUs of a rank that do tasks"),
    RATE(potrf, SCALE_POTRF),
    RATE(trsm, SCALE_TRSM),
    RATE(syrk, SCALE_SYRK),
    RATE(gemm, SCALE_GEMM),
    RATE(panel, SCALE_PANEL),
    FIELD(task_us, 0, 1e9, "microseconds of a task beside its work"),
    FIELD(element_ns, 0, 1e9, "of a core for each element of the matrix: its copy in the result"),
    FIELD(latency_us, 0, 1e9, "of a message"),
    FIELD(gbytes, 0, 1e9, "Gbyte/s of a rank's link, 0: no limit"),
    FIELD(message_us, 0, 1e9, "of the communication thread, at either end of a message"),
    FIELD(copy_gbytes, 0, 1e9, "Gbyte/s at which the thread copies a tile, at either end; 0: it copies nothing"),
    FIELD(poll, 0, 1, "part of a core that a rank's waiting threads take from its workers, where they have no other"),
    FIELD(device_gbytes, 0, 1e9, "Gbyte/s between GPU and host, 0: no GPU"),
    FIELD(step_us, 0, 1e9, "fixed part of a training step"),
    FIELD(sample_us, 0, 1e9, "part per sample"),
    FIELD(update_us, 0, 1e9, "of the optimiser"),
    FIELD(jitter, 0, 100, "mean delay of a step, as a part of it"),
    FIELD(train_gflops, 1e-6, 1e9, "Gflop/s of a rank in the passes of the transformer"),
    FIELD(tile, 1, 1e6, "rows of a tile"),
    FIELD(order, 1, 1e9, "of the matrix on one node"),
    FIELD(samples, 1, 1e9, "of the batch on one node"),
    FIELD(sequences, 1, 1e9, "of 512 tokens, of the transformer's batch on one node"),
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double *number(scale_machine *m, const field *f)
{
    return (double *)((char *)m + f->at);
}

bool scale_machine_set(scale_machine *m, const char *name, const char *value)
{
    char *end;
    double x = strtod(value, &end);
    if (strcmp(name, "name") == 0)
        return (size_t)snprintf(m->name, sizeof m->name, "%s", value) < sizeof m->name && *value;
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(name, fields[i].name) == 0 && end != value && !*end && x >= fields[i].least && x <= fields[i].most) {
            *number(m, &fields[i]) = x;
            return true;
        }
    return false;
}

bool scale_machine_read(const char *path, scale_machine *m, char *why, size_t size)
{
    char line[256], name[64], value[128], more[2];
    FILE *f;
    int at = 0;
    bool ok = true;
    for (int i = 0; i < scale_known_count; i++)
        if (strcmp(path, scale_known[i].name) == 0) {
            *m = scale_known[i];
            return true;
        }
    *m = scale_known[0];
    if (!(f = fopen(path, "re"))) {
        (void)snprintf(why, size, "no machine of this name, and no file that can be read");
        return false;
    }
    while (ok && fgets(line, sizeof line, f)) {
        at++;
        line[strcspn(line, "#\n")] = '\0';
        int n = sscanf(line, "%63s %127s %1s", name, value, more);
        ok = n < 1 || (n == 2 && scale_machine_set(m, name, value));
    }
    ok = ok && !ferror(f);
    (void)fclose(f);
    if (!ok)
        (void)snprintf(why, size, "line %d is no \"name value\" with a known name and a number in its bounds", at);
    return ok;
}

void scale_machine_print(FILE *f, const scale_machine *m)
{
    scale_machine copy = *m;
    (void)fprintf(f, "%-16s %s\n", "name", m->name);
    for (int i = 0; i < FIELDS; i++)
        (void)fprintf(f, "%-16s %-12.6g # %s\n", fields[i].name, *number(&copy, &fields[i]), fields[i].what);
}
