/* The simulation of orrery-scale against times computed by hand, and the tool's output.
 * Must not know: the library. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/harness/harness.h"
#include "tests/harness/tile_messages.h"
#include "tools/scale.h"

static const scale_machine plain = {
    .nodes_ranks = 1, .workers = 1, .gflops = { 2, 3, 4, 5, 2.5 }, .step_us = 90, .sample_us = 1, .update_us = 10
};

static double took(const scale_machine *m, scale_kind kind, int64_t tile)
{
    return scale_task_seconds(m, kind, tile);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static scale_result run_graph(scale_which which, const scale_machine *m, int tiles, int p, int q, int window, bool tree,
                              bool keeps)
{
    scale_graph g = { .which = which,
                      .n = tiles * 64,
                      .tile = 64,
                      .element = 8,
                      .p = p,
                      .q = q,
                      .window = window,
                      .tree = tree,
                      .keeps = keeps };
    scale_result r = { 0 };
    ORR_CHECK(scale_graph_run(m, &g, &r));
    return r;
}

static scale_result factorise(const scale_machine *m, int tiles, int p, int q, int window, bool tree)
{
    return run_graph(SCALE_CHOLESKY, m, tiles, p, q, window, tree, false);
}

static double all_work(const scale_machine *m, int tiles)
{
    double n = tiles;
    return n * took(m, SCALE_POTRF, 64) + n * (n - 1) / 2 * (took(m, SCALE_TRSM, 64) + took(m, SCALE_SYRK, 64)) +
           n * (n - 1) * (n - 2) / 6 * took(m, SCALE_GEMM, 64);
}

static void task_time_is_flops_over_rate(void)
{
    scale_machine m = plain;
    ORR_CHECK(near(took(&m, SCALE_POTRF, 300), 300.0 * 300 * 300 / 3 / 2e9));
    ORR_CHECK(near(took(&m, SCALE_GEMM, 300), 300.0 * 300 * 300 * 2 / 5e9));
    m.task_us = 7;
    ORR_CHECK(near(took(&m, SCALE_SYRK, 300), 300.0 * 300 * 300 / 4e9 + 7e-6));
}

static void one_worker_takes_the_sum_of_all_tasks(void)
{
    for (int tiles = 1; tiles < 20; tiles += 3)
        for (int window = -1; window < 4; window++) {
            scale_result r = factorise(&plain, tiles, 1, 1, window, false);
            ORR_CHECK_MSG(near(r.seconds, all_work(&plain, tiles)), "%d tiles: %g", tiles, r.seconds);
            ORR_CHECK(near(r.busy, 1) && r.messages == 0 && r.bytes == 0);
        }
}

/* With a worker for each tile and messages that take no time, only the longest path through the graph remains. */
static void infinite_machine_takes_the_longest_way(void)
{
    static const int grid[][2] = { { 1, 1 }, { 2, 3 }, { 4, 1 } };
    scale_machine m = plain;
    m.workers = 400;
    double step = took(&m, SCALE_TRSM, 64) + took(&m, SCALE_POTRF, 64);
    double update =
        took(&m, SCALE_SYRK, 64) > took(&m, SCALE_GEMM, 64) ? took(&m, SCALE_SYRK, 64) : took(&m, SCALE_GEMM, 64);
    for (int g = 0; g < 3; g++)
        for (int tiles = 3; tiles < 20; tiles += 4) {
            /* The last update of a diagonal tile is a syrk; those before may be longer gemms. */
            double least = took(&m, SCALE_POTRF, 64) + (tiles - 1) * (step + took(&m, SCALE_SYRK, 64));
            double most = took(&m, SCALE_POTRF, 64) + (tiles - 1) * (step + update);
            double t = factorise(&m, tiles, grid[g][0], grid[g][1], 0, false).seconds;
            ORR_CHECK_MSG(t >= least * (1 - 1e-9) && t <= most * (1 + 1e-9), "%d tiles: %g of %g ... %g", tiles, t,
                          least, most);
        }
    m.gflops[SCALE_GEMM] = 50; /* now both bounds are equal */
    double t = factorise(&m, 17, 2, 3, 0, false).seconds;
    ORR_CHECK(near(t, took(&m, SCALE_POTRF, 64) +
                          16 * (took(&m, SCALE_TRSM, 64) + took(&m, SCALE_POTRF, 64) + took(&m, SCALE_SYRK, 64))));
}

/* A rank for each row of tiles: the factor of a diagonal tile is sent to the next rank, which does one row of its work. */
static void pipeline_of_ranks_adds_messages(void)
{
    scale_machine m = plain;
    m.workers = 100;
    m.gflops[SCALE_GEMM] = 1e3;
    m.latency_us = 40;
    m.gbytes = 0;
    double step = took(&m, SCALE_TRSM, 64) + took(&m, SCALE_SYRK, 64) + took(&m, SCALE_POTRF, 64);
    for (int tiles = 2; tiles < 9; tiles++)
        ORR_CHECK(near(factorise(&m, tiles, tiles, 1, 0, false).seconds,
                       took(&m, SCALE_POTRF, 64) + (tiles - 1) * (step + 40e-6)));
    m.gbytes = 2;
    m.message_us = 5;
    m.device_gbytes = 8;
    double bytes = 64 * 64 * 8, message = 40e-6 + 2 * 5e-6 + bytes / 2e9 + 2 * bytes / 8e9;
    scale_result r = factorise(&m, 2, 2, 1, 0, false);
    ORR_CHECK(near(r.seconds, took(&m, SCALE_POTRF, 64) + step + message));
    ORR_CHECK(r.messages == 1 && near(r.bytes, bytes));
}

/* One tile to many readers: its owner's link is busy once for each, or a tree halves the number. */
static void broadcasts_are_direct_or_trees(void)
{
    enum { RANKS = 9 };
    scale_machine m = plain;
    m.gflops[0] = m.gflops[1] = m.gflops[2] = m.gflops[3] = 1e9;
    m.workers = 100;
    m.gbytes = 1e-3;
    double wire = 64 * 64 * 8 / 1e6;
    /* The diagonal tile goes to eight ranks; later columns overlap: at least the eight messages are in sequence. */
    double direct = factorise(&m, RANKS, RANKS, 1, 0, false).seconds,
           tree = factorise(&m, RANKS, RANKS, 1, 0, true).seconds;
    ORR_CHECK(direct >= (RANKS - 1) * wire && tree >= 4 * wire);
    ORR_CHECK(near(factorise(&m, 2, 2, 1, 0, true).seconds, factorise(&m, 2, 2, 1, 0, false).seconds));
}

/* The plan of the simulation is that of the library, whose bytes tests/distribute/tiles.c compares with the same counts. */
static void messages_are_those_of_the_library(void)
{
    static const int grid[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 3, 1 }, { 2, 2 }, { 1, 4 }, { 2, 3 } };
    for (int g = 0; g < 7; g++)
        for (int tiles = 1; tiles < 12; tiles += 3) {
            int64_t want = tile_messages_of_cholesky(tiles, grid[g][0], grid[g][1]);
            double is = factorise(&plain, tiles, grid[g][0], grid[g][1], -1, false).messages;
            ORR_CHECK_MSG(near(is, (double)want), "%d tiles on %d x %d: %g messages, not %lld", tiles, grid[g][0],
                          grid[g][1], is, (long long)want);
        }
}

/* The work of an LU factorisation whose copies take no time: a panel of m tiles is b³ (m − 1/3) operations. */
static double lu_work(const scale_machine *m, int tiles)
{
    double work = 0, b = 64;
    for (int k = 0; k < tiles; k++) {
        double below = tiles - k - 1;
        work += b * b * b * (below + 2.0 / 3) / (m->gflops[SCALE_PANEL] * 1e9) + below * took(m, SCALE_TRSM, 64) +
                below * below * took(m, SCALE_GEMM, 64);
    }
    return work;
}

static double graph_work(scale_which which, const scale_machine *m, int tiles)
{
    double n = tiles;
    return which == SCALE_LU ? lu_work(m, tiles) : n * n * n * took(m, SCALE_GEMM, 64);
}

/* The tasks are those of the graph, whatever the grid and the window: one worker does them in the sum of their times, and several ranks have them all. */
static void products_and_lu_do_all_their_work(void)
{
    static const int grid[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 3, 1 }, { 2, 2 }, { 1, 4 }, { 2, 3 }, { 4, 4 } };
    scale_machine m = plain;
    for (int which = SCALE_PRODUCT; which <= SCALE_LU; which++)
        for (int tiles = 1; tiles < 14; tiles += 3)
            for (int g = 0; g < 8; g++)
                for (int kind = 0; kind < 4; kind++) {
                    m.latency_us = kind ? 30 : 0;
                    m.message_us = kind ? 3 : 0;
                    m.workers = kind > 1 ? 3 : 1;
                    int p = grid[g][0], q = grid[g][1];
                    scale_result r = run_graph((scale_which)which, &m, tiles, p, q, kind == 3 ? 1 : -1, kind == 2,
                                               which == SCALE_LU && kind % 2);
                    double work = graph_work((scale_which)which, &m, tiles);
                    ORR_CHECK_MSG(near(r.busy * r.seconds * p * q * m.workers, work),
                                  "%d: %d tiles on %d x %d: %g of %g", which, tiles, p, q,
                                  r.busy * r.seconds * p * q * m.workers, work);
                    ORR_CHECK_MSG(p * q > 1 || m.workers > 1 || near(r.seconds, work), "%d: %g s, not %g", which,
                                  r.seconds, work);
                }
}

/* A panel is one task, so with a worker for each tile the way through all panels remains: panel, the rows of the next column, its update. */
static void lu_takes_its_longest_way(void)
{
    scale_machine m = plain;
    m.workers = 400;
    double way = 0, b = 64;
    for (int k = 0; k < 9; k++)
        way += b * b * b * (9 - k - 1.0 / 3) / (m.gflops[SCALE_PANEL] * 1e9) +
               (k < 8 ? took(&m, SCALE_TRSM, 64) + took(&m, SCALE_GEMM, 64) : 0);
    ORR_CHECK(near(run_graph(SCALE_LU, &m, 9, 2, 3, 0, false, false).seconds, way));
    m.latency_us =
        40; /* a panel's rows, what is taken of them, and the new top: to the column of the next panel, up and down */
    double with = run_graph(SCALE_LU, &m, 2, 2, 1, 0, false, false).seconds, step = 0;
    m.latency_us = 0;
    step = run_graph(SCALE_LU, &m, 2, 2, 1, 0, false, false).seconds;
    /* Tile (1, 0) up, its rows' exchanges to rank 1, the rows up, the top down. */
    ORR_CHECK_MSG(near(with - step, 4 * 40e-6), "%g", with - step);
    /* A product's first tile cannot begin before another rank's operand has come. */
    m.latency_us = 40;
    ORR_CHECK(
        near(run_graph(SCALE_PRODUCT, &m, 2, 2, 2, 0, false, false).seconds, 40e-6 + 2 * took(&m, SCALE_GEMM, 64)));
}

/* As messages_are_those_of_the_library: tests/distribute/tiles.c compares the library's bytes with the same counts. */
static void bytes_of_products_and_lu_are_those_of_the_library(void)
{
    static const int grid[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 3, 1 }, { 2, 2 }, { 1, 4 }, { 2, 3 }, { 3, 5 } };
    for (int g = 0; g < 8; g++)
        for (int tiles = 1; tiles < 14; tiles += 3) {
            int p = grid[g][0], q = grid[g][1];
            for (int keeps = 0; keeps < 2; keeps++) {
                double want = (double)tile_bytes_of_lu(tiles, 64, p, q, keeps),
                       is = run_graph(SCALE_LU, &plain, tiles, p, q, -1, false, keeps).bytes;
                ORR_CHECK_MSG(near(is, want), "LU of %d tiles on %d x %d, keeps %d: %g bytes, not %g", tiles, p, q,
                              keeps, is, want);
            }
            if (tiles < p || tiles < q)
                continue; /* a rank without tiles of the result gets no operands */
            double want = 8.0 * (double)tile_elements_of_product(64 * tiles, 64 * tiles, 64 * tiles, p, q),
                   is = run_graph(SCALE_PRODUCT, &plain, tiles, p, q, -1, false, false).bytes;
            ORR_CHECK_MSG(near(is, want), "product of %d tiles on %d x %d: %g bytes, not %g", tiles, p, q, is, want);
        }
}

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time for each task grows with the logarithm of the number of tasks at most: 64 times the tasks, on 16 times the ranks. */
static void time_is_near_linear_in_tasks(void)
{
    scale_machine m = scale_known[0];
    double each[2], n[2] = { 64, 256 };
    for (int k = 0; k < 2; k++) {
        double least = INFINITY;
        for (int i = 0; i < (k ? 2 : 8); i++) {
            double from = cpu_seconds();
            (void)factorise(&m, (int)n[k], k ? 8 : 2, k ? 8 : 2, -1, false);
            least = fmin(least, cpu_seconds() - from);
        }
        each[k] = least / (n[k] * n[k] * n[k] / 6);
    }
    ORR_CHECK_MSG(each[1] < 5 * each[0], "%g ns a task, then %g", each[0] * 1e9, each[1] * 1e9);
}

static void busy_time_is_the_work(void)
{
    scale_machine m = plain;
    m.latency_us = 30;
    m.gbytes = 1;
    m.message_us = 9;
    m.workers = 3;
    for (int tree = 0; tree < 2; tree++) {
        scale_result r = factorise(&m, 24, 2, 3, -1, tree);
        ORR_CHECK(near(r.busy * r.seconds * 6 * 3, all_work(&m, 24)));
        ORR_CHECK(near(r.communicating * r.seconds * 6, r.messages * 2 * 9e-6));
        ORR_CHECK(near(r.flops, pow(24 * 64, 3) / 3));
    }
}

/* If messages take no time, a task is always ready: ranks that share a core keep it busy to the end. */
static void ranks_share_cores(void)
{
    scale_machine m = plain;
    m.cores = 1;
    for (m.nodes_ranks = 1; m.nodes_ranks <= 6; m.nodes_ranks++)
        ORR_CHECK(near(factorise(&m, 12, (int)m.nodes_ranks, 1, 0, false).seconds, all_work(&m, 12)));
    m.nodes_ranks = 4;
    m.poll = 0.125;
    ORR_CHECK(near(factorise(&m, 12, 2, 2, 0, false).seconds, 2 * all_work(&m, 12)));
    m.poll = 0;
    m.cores = 2;
    m.bound = 1; /* ranks 0 and 2 have one core, 1 and 3 the other */
    double t = factorise(&m, 12, 2, 2, 0, false).seconds;
    ORR_CHECK_MSG(t >= all_work(&m, 12) / 2 && t < all_work(&m, 12), "%g", t);
    m.bound = 0;
    double moving = factorise(&m, 12, 2, 2, 0, false).seconds;
    ORR_CHECK_MSG(moving >= all_work(&m, 12) / 2 && moving < all_work(&m, 12), "%g", moving);
    m.cores = 8; /* enough for four workers and four threads */
    double enough = factorise(&m, 12, 2, 2, 0, false).seconds;
    m.cores = 0;
    ORR_CHECK(near(enough, factorise(&m, 12, 2, 2, 0, false).seconds) && enough < t);
    m.cores = 1; /* two tasks in sequence, a message between: the thread's time counts once at either end */
    m.nodes_ranks = 2;
    m.message_us = 11;
    double step = took(&m, SCALE_TRSM, 64) + took(&m, SCALE_SYRK, 64) + took(&m, SCALE_POTRF, 64);
    ORR_CHECK(near(factorise(&m, 2, 2, 1, 0, false).seconds, took(&m, SCALE_POTRF, 64) + step + 22e-6));
    m.copy_gbytes = 4; /* at either end, too */
    double copied = 64 * 64 * 8 / 4e9;
    ORR_CHECK(near(factorise(&m, 2, 2, 1, 0, false).seconds, took(&m, SCALE_POTRF, 64) + step + 22e-6 + 2 * copied));
}

/* A rank's tiles are copied on one core before the tasks; ranks that share cores do that in turns. */
static void result_is_copied_first(void)
{
    scale_machine m = plain;
    double n = 12 * 64, all = n * n * 3e-9;
    m.element_ns = 3;
    ORR_CHECK(near(factorise(&m, 12, 1, 1, 0, false).seconds, all_work(&m, 12) + all));
    m.workers = 7; /* one of them copies */
    double with = factorise(&m, 12, 2, 2, 0, false).seconds;
    m.element_ns = 0;
    ORR_CHECK(near(with - factorise(&m, 12, 2, 2, 0, false).seconds, all / 4));
    m.element_ns = 3;
    m.workers = m.cores = 1;
    m.nodes_ranks = 4;
    ORR_CHECK(near(factorise(&m, 12, 2, 2, 0, false).seconds, all_work(&m, 12) + all));
}

static void same_arguments_give_the_same_bits(void)
{
    scale_machine m = scale_known[0];
    for (int ranks = 1; ranks <= 16; ranks *= 4) {
        scale_result a = factorise(&m, 40, ranks / 2 + 1, 2, -1, false),
                     b = factorise(&m, 40, ranks / 2 + 1, 2, -1, false);
        ORR_CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
    double bytes[] = { 1e6, 2e6 };
    scale_training t = {
        .ranks = 64, .steps = 9, .work_us = 1000, .layers = 2, .bytes = bytes, .bucket = 1e6, .overlap = true, .seed = 4
    };
    scale_result a, b;
    ORR_CHECK(scale_training_run(&m, &t, &a) && scale_training_run(&m, &t, &b) && memcmp(&a, &b, sizeof a) == 0);
    t.seed = 5;
    ORR_CHECK(scale_training_run(&m, &t, &b) && a.seconds != b.seconds);
}

static double step_of(const scale_machine *m, int ranks, int layers, double bucket, scale_reduce how, bool overlap)
{
    double bytes[] = { 4e6, 4e6, 4e6 };
    scale_training t = { .ranks = ranks,
                         .steps = 3,
                         .work_us = m->step_us + 10 * m->sample_us,
                         .layers = layers,
                         .bytes = bytes,
                         .bucket = bucket,
                         .reduce = how,
                         .overlap = overlap,
                         .seed = 1 };
    scale_result r = { 0 };
    ORR_CHECK(scale_training_run(m, &t, &r));
    return r.seconds;
}

static double seconds_of(const scale_machine *m, scale_reduce how, int ranks, double bytes)
{
    return scale_reduction(m, how, ranks, bytes).seconds;
}

static void training_step_is_pass_reduction_and_update(void)
{
    scale_machine m = plain;
    double work = 100e-6, update = 10e-6;
    ORR_CHECK(near(step_of(&m, 1, 1, 1e6, SCALE_RING, true), work + update));
    ORR_CHECK(near(step_of(&m, 64, 1, 1e6, SCALE_RING, true), work + update)); /* messages take no time */
    m.latency_us = 20;
    m.gbytes = 10;
    m.message_us = 3;
    ORR_CHECK(near(seconds_of(&m, SCALE_RING, 8, 4e6), 14 * (26e-6 + 4e6 / 8 / 1e10)));
    ORR_CHECK(near(seconds_of(&m, SCALE_TREE, 8, 4e6), 6 * (26e-6 + 4e6 / 1e10)));
    ORR_CHECK(near(seconds_of(&m, SCALE_TREE, 9, 4e6), 8 * (26e-6 + 4e6 / 1e10)));
    ORR_CHECK(near(seconds_of(&m, SCALE_DIRECT, 8, 4e6), 2 * (20e-6 + 7 * (6e-6 + 4e6 / 8 / 1e10))));
    ORR_CHECK(near(seconds_of(&m, SCALE_DOUBLING, 9, 4e6), 5 * (26e-6 + 4e6 / 1e10)));
    ORR_CHECK(near(seconds_of(&m, SCALE_HALVING, 8, 4e6), 6 * 26e-6 + 14 * 4e6 / 8 / 1e10));
    ORR_CHECK(near(seconds_of(&m, SCALE_LEAST, 1000, 4), seconds_of(&m, SCALE_DOUBLING, 1000, 4)));
    ORR_CHECK(near(seconds_of(&m, SCALE_LEAST, 1000, 4e7), seconds_of(&m, SCALE_HALVING, 1000, 4e7)));
    ORR_CHECK(seconds_of(&m, SCALE_RING, 1, 4e6) == 0);
    double sum = seconds_of(&m, SCALE_RING, 8, 4e6), busy = scale_reduction(&m, SCALE_RING, 8, 4e6).busy;
    ORR_CHECK(near(busy, 14 * (6e-6 + 4e6 / 8 / 1e10)));
    ORR_CHECK(near(step_of(&m, 8, 1, 1e6, SCALE_RING, true), work + sum + update));
    /* Three equal layers, a bucket each, the first ready after a third and two ninths of the pass: latencies overlap. */
    double first = work * 5 / 9, second = fmax(first + busy, work * 7 / 9), third = fmax(second + busy, work);
    ORR_CHECK(near(step_of(&m, 8, 3, 1e6, SCALE_RING, true), third + sum + update));
    ORR_CHECK(near(step_of(&m, 8, 3, 1e6, SCALE_RING, false), work + 2 * busy + sum + update));
    /* One bucket of 12 Mbyte in pieces of 4 MiB. */
    double piece = 4 << 20, rest = 12e6 - 2 * piece;
    double pieces = 2 * scale_reduction(&m, SCALE_RING, 8, piece).busy + seconds_of(&m, SCALE_RING, 8, rest);
    ORR_CHECK(near(step_of(&m, 8, 3, 1e9, SCALE_RING, true), work + pieces + update));
}

/* The mean of the longest of n exponential delays: the sum of 1/k, k = 1 … n. */
static void jitter_is_the_longest_of_all_ranks(void)
{
    scale_machine m = plain;
    m.jitter = 0.1;
    double bytes = 1, harmonic = 0;
    for (int k = 1; k <= 32; k++)
        harmonic += 1.0 / k;
    scale_training t = {
        .ranks = 32, .steps = 20000, .work_us = 100, .layers = 1, .bytes = &bytes, .bucket = 1, .seed = 3
    };
    scale_result r = { 0 };
    ORR_CHECK(scale_training_run(&m, &t, &r));
    ORR_CHECK_MSG(fabs(r.seconds - (100e-6 * (1 + 0.1 * harmonic) + 10e-6)) < 1e-6, "%g", r.seconds);
}

static void machine_files_are_read_and_refused(void)
{
    char why[160], path[1024];
    scale_machine m, back;
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("machine"));
    ORR_REQUIRE(scale_machine_read("gpu", &m, why, sizeof why) && m.workers == 4);
    m.latency_us = 12.5;
    FILE *f = fopen(path, "we");
    ORR_REQUIRE(f);
    scale_machine_print(f, &m);
    ORR_REQUIRE(fclose(f) == 0 && scale_machine_read(path, &back, why, sizeof why));
    ORR_CHECK(strcmp(back.name, "gpu") == 0 && back.latency_us == 12.5 &&
              back.gflops[SCALE_GEMM] == m.gflops[SCALE_GEMM]);
    static const char *const bad[] = { "latency_us", "latency_us x", "latency_us -1", "workers 0",
                                       "colour 3",   "tile nan",     "tile 1 2" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f = fopen(path, "we");
        ORR_REQUIRE(f && fprintf(f, "# a comment\n%s\n", bad[i]) > 0 && fclose(f) == 0);
        ORR_CHECK_MSG(!scale_machine_read(path, &m, why, sizeof why) && strstr(why, "line 2"), "%s: %s", bad[i], why);
    }
    ORR_CHECK(!scale_machine_read("/nowhere/at/all", &m, why, sizeof why));
}

static int run(const char *arguments, char *out, size_t size)
{
    char line[4096];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%s' && ./tools/orrery-scale %s 2>&1", build ? build : ".", arguments);
    FILE *f = popen(line, "r");
    if (!f)
        return -1;
    size_t n = fread(out, 1, size - 1, f);
    out[n] = '\0';
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void tool_prints_and_draws(void)
{
    static char out[1 << 16], again[1 << 16];
    char arguments[1200], svg[1024];
    (void)snprintf(svg, sizeof svg, "%s", orr_test_tmp("scale.svg"));
    (void)snprintf(arguments, sizeof arguments, "--nodes 8 --set order=2048 --svg '%s'", svg);
    ORR_CHECK_MSG(run(arguments, out, sizeof out) == 0 && strstr(out, "cholesky, weak scaling, machine gpu"), "%s",
                  out);
    ORR_CHECK(run(arguments, again, sizeof again) == 0 && strcmp(out, again) == 0);
    size_t size = 0;
    char *picture = (char *)orr_test_slurp(svg, &size);
    ORR_CHECK(picture && strstr(picture, "data-parallel training") && strstr(picture, "</svg>\n"));
    free(picture);
    ORR_CHECK(run("--show", out, sizeof out) == 0 && strstr(out, "latency_us"));
    ORR_CHECK(run("--help", out, sizeof out) == 0 && strstr(out, "usage:"));
    ORR_CHECK(run("--nodes 0", out, sizeof out) == 2 && strstr(out, "usage:"));
    ORR_CHECK(run("--machine nowhere", out, sizeof out) == 2 && strstr(out, "no machine of this name"));
    ORR_CHECK(run("--set latency=3", out, sizeof out) == 2 && run("--grid 2x2 --nodes 3", out, sizeof out) == 2);
    ORR_CHECK(run("--nodes 1 --set order=512 --svg /nowhere/a.svg", out, sizeof out) == 1);
}

/* The efficiency in the row of so many nodes, of the only table; NaN: there is none. */
static double efficiency(const char *arguments, int nodes)
{
    static char out[1 << 14];
    char start[64];
    double skip, is = NAN;
    ORR_CHECK_MSG(run(arguments, out, sizeof out) == 0, "%s", out);
    (void)snprintf(start, sizeof start, "\n%6d ", nodes);
    const char *row = strstr(out, start);
    ORR_CHECK_MSG(row && sscanf(row, "%lf %lf %lf %lf %lf", &skip, &skip, &skip, &skip, &is) == 5, "%s", out);
    return is;
}

/* At least 0.9 for the transformer, and 0.7 for a factorisation on GPUs, which takes two minutes. */
static void weak_scaling_reaches_1024_nodes(void)
{
    bool all = getenv("ORR_TEST_FULL") != NULL;
    double cpu = efficiency("--machine cpu --program transformer --scaling weak", 1024),
           gpu = efficiency("--machine gpu --program transformer --scaling weak", 1024),
           cholesky = all ? efficiency("--machine gpu --program cholesky --scaling weak", 1024) : NAN;
    printf("  of one node's at 1,024: transformer %.3f (cpu), %.3f (gpu), Cholesky %.3f (gpu)\n", cpu, gpu, cholesky);
    ORR_CHECK(cpu >= 0.9 && gpu >= 0.9 && (!all || cholesky >= 0.7));
}

/* One process: both steps are equal, except for other load on the machine. */
static void tool_measures_steps_beside_their_simulation(void)
{
    static char out[1 << 12];
    double alone = 0, together = 0, simulated = 0;
    ORR_CHECK_MSG(run("--check 16 --set samples=64 --steps 3 --set order=300 --set tile=100", out, sizeof out) == 0,
                  "%s", out);
    ORR_CHECK_MSG(strstr(out, "cholesky, order 300, tiles of 100, 1 x 1 ranks") && strstr(out, "efficiency"), "%s",
                  out);
    const char *line = strstr(out, "training, 784-16-8-10, 64 samples on each of 1 rank"),
               *times = strstr(out, "one rank");
    times = line ? strstr(line, "one rank") : times;
    ORR_CHECK_MSG(line && times &&
                      sscanf(times, "one rank %lf ms; 1 rank %lf ms, simulated %lf", &alone, &together, &simulated) ==
                          3,
                  "%s", out);
    ORR_CHECK(alone > 0 && together > 0 && simulated > 0);
    ORR_CHECK(run("--check 1", out, sizeof out) == 2);
    ORR_CHECK_MSG(run("--check 16 --program product --program lu --set order=300 --set tile=100", out, sizeof out) ==
                          0 &&
                      strstr(out, "product, order 300, tiles of 100, 1 x 1 ranks") &&
                      strstr(out, "lu, order 300, tiles of 100, 1 x 1 ranks") && !strstr(out, "training"),
                  "%s", out);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(task_time_is_flops_over_rate),
                                      ORR_TEST(one_worker_takes_the_sum_of_all_tasks),
                                      ORR_TEST(infinite_machine_takes_the_longest_way),
                                      ORR_TEST(pipeline_of_ranks_adds_messages),
                                      ORR_TEST(broadcasts_are_direct_or_trees),
                                      ORR_TEST(messages_are_those_of_the_library),
                                      ORR_TEST(products_and_lu_do_all_their_work),
                                      ORR_TEST(lu_takes_its_longest_way),
                                      ORR_TEST(bytes_of_products_and_lu_are_those_of_the_library),
                                      ORR_TEST(time_is_near_linear_in_tasks),
                                      ORR_TEST(busy_time_is_the_work),
                                      ORR_TEST(ranks_share_cores),
                                      ORR_TEST(result_is_copied_first),
                                      ORR_TEST(same_arguments_give_the_same_bits),
                                      ORR_TEST(training_step_is_pass_reduction_and_update),
                                      ORR_TEST(jitter_is_the_longest_of_all_ranks),
                                      ORR_TEST(machine_files_are_read_and_refused),
                                      ORR_TEST(tool_prints_and_draws),
                                      ORR_TEST(weak_scaling_reaches_1024_nodes),
                                      ORR_TEST(tool_measures_steps_beside_their_simulation),
                                      { NULL, NULL } };
    return orr_test_main(argc, argv, "tools/scale", tests);
}
