/* Data-parallel training with 1 to 4 ranks: each step has the loss of one process with the global batch; loaders,
 * batch normalisation, sharded state, accumulation, checkpoints of another number of ranks, the same bits in every
 * run.
 * Must not know: how gradients travel. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/ranks.h"

enum { EXAMPLES = 50, FEATURES = 12, CLASSES = 5, BATCH = 14, STEPS = 6 };

static bool up(void)
{
    bool ok = orr_init(NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void down(void)
{
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
}

typedef struct {
    orr_module *net;
    orr_optim *optim;
    orr_loader *loader;
    orr_grid *grid;
    orr_scope *scope;
} run;

typedef struct {
    bool parallel, shard_state, compress;
    int parts; /* of a batch: gradients are accumulated */
    orr_optim_kind kind;
} how;

static bool begin(run *r, const how *h)
{
    orr_seed(5);
    *r = (run){ .scope = orr_scope_begin() };
    r->net = orr_sequential(ORR_MODULES(orr_dense(FEATURES, 16, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT),
                                        orr_batch_norm_layer(16, NULL),
                                        orr_dense(16, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options o = orr_optim_defaults(h->kind);
    o.lr = 0.01;
    r->optim = orr_optim_of_module(h->kind, r->net, &o);
    r->grid = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(EXAMPLES, FEATURES), 0, 1, 11);
    orr_tensor *y = orr_cast(
        orr_floor(orr_mul(orr_rand_keyed(ORR_F32, ORR_SHAPE(EXAMPLES), 0, 1, 12), orr_scalar(CLASSES))), ORR_I64);
    orr_loader_options l = { .batch = BATCH, .shuffle = true, .seed = 3, .grid = h->parallel ? r->grid : NULL };
    r->loader = orr_loader_new(((orr_tensor *[]){ x, y }), 2, &l);
    bool ok = r->net && r->optim && r->loader;
    if (ok && h->parallel)
        ok = orr_data_parallel(
                 r->net, r->optim,
                 &(orr_data_parallel_options){ .shard_state = h->shard_state, .compress = h->compress }) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void end(run *r)
{
    orr_loader_free(r->loader);
    orr_optim_free(r->optim);
    orr_module_free(r->net);
    orr_grid_free(r->grid);
    (void)orr_scope_end(r->scope);
}

static orr_tensor *loss_of(run *r, orr_tensor *x, orr_tensor *y)
{
    return orr_cross_entropy(orr_forward(r->net, x), y);
}

/* Leaves out batches that earlier runs had. */
static void leave_out(run *r, int64_t batches)
{
    for (int64_t i = 0; i < batches; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *b[2];
        if (orr_loader_next(r->loader, b) == 0)
            (void)orr_loader_next(r->loader, b);
        (void)orr_scope_end(s);
    }
}

/* The loss of the next batch, before its step. */
static double step(run *r, const how *h)
{
    double loss = NAN;
    orr_scope *s = orr_scope_begin();
    orr_tensor *b[2];
    int64_t n = orr_loader_next(r->loader, b);
    if (n == 0)
        n = orr_loader_next(r->loader, b);
    ORR_CHECK(n > 0);
    orr_tensor *l = loss_of(r, b[0], b[1]);
    orr_status st = ORR_OK;
    if (h->parts > 1) {
        for (int i = 0; st == ORR_OK && i < h->parts; i++)
            st = orr_optim_accumulate(r->optim, orr_mul(l, orr_scalar(1.0 / h->parts)));
        st = st == ORR_OK ? orr_optim_step_accumulated(r->optim) : st;
    } else {
        st = orr_optim_step(r->optim, l);
    }
    ORR_CHECK_MSG(st == ORR_OK && orr_item(l, &loss) == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
    return loss;
}

static void train(const how *h, int steps, double *loss)
{
    run r;
    if (begin(&r, h))
        for (int i = 0; i < steps; i++)
            loss[i] = step(&r, h);
    end(&r);
}

static void check_same(const double *a, const double *b, const char *what)
{
    for (int i = 0; i < STEPS; i++)
        ORR_CHECK_MSG(fabs(a[i] - b[i]) <= 1e-5 * fabs(a[i]), "%s, step %d: %.9g, and %.9g in one process", what, i,
                      b[i], a[i]);
}

/* -- tests -------------------------------------------------------------------------------------------------- */

/* A plain run equals that of one process: each rank computes all of it. */
static void losses_are_those_of_one_process(void)
{
    static const orr_optim_kind kinds[] = { ORR_OPTIM_SGD, ORR_OPTIM_ADAM, ORR_OPTIM_LAMB };
    ORR_REQUIRE(up());
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double one[STEPS], many[STEPS], parts[STEPS];
        train(&(how){ .kind = kinds[k] }, STEPS, one);
        train(&(how){ .kind = kinds[k], .parallel = true }, STEPS, many);
        train(&(how){ .kind = kinds[k], .parallel = true, .shard_state = true }, STEPS, parts);
        check_same(one, many, "whole state");
        check_same(one, parts, "state in parts");
        ORR_CHECK(one[STEPS - 1] != one[0]);
    }
    down();
}

static void accumulated_gradients_are_those_of_one_process(void)
{
    ORR_REQUIRE(up());
    double one[STEPS], many[STEPS];
    train(&(how){ .kind = ORR_OPTIM_ADAM, .parts = 2 }, STEPS, one);
    train(&(how){ .kind = ORR_OPTIM_ADAM, .parts = 2, .parallel = true, .shard_state = true }, STEPS, many);
    check_same(one, many, "accumulated");
    down();
}

/* The batches of a sharding loader equal those of one that does not shard, including short ones. */
static void loaders_share_a_batch(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(EXAMPLES, 3), 0, 1, 4);
    orr_loader_options o = { .batch = 7, .shuffle = true, .seed = 9 };
    orr_loader *whole = orr_loader_new(&x, 1, &o);
    o.grid = g;
    orr_loader *parts = orr_loader_new(&x, 1, &o);
    ORR_CHECK(whole && parts);
    for (int batches = 0; whole && parts && batches < 20; batches++) {
        orr_tensor *a, *b;
        float va[21] = { 0 }, vb[21] = { 0 };
        int64_t n = orr_loader_next(whole, &a), m = orr_loader_next(parts, &b);
        ORR_CHECK(n == m);
        if (n <= 0 || m != n)
            continue;
        size_t bytes = (size_t)n * 3 * sizeof(float);
        ORR_CHECK(orr_read(a, va, bytes) == ORR_OK);
        ORR_CHECK_MSG(orr_read(b, vb, bytes) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(memcmp(va, vb, bytes) == 0);
    }
    orr_loader_free(whole);
    orr_loader_free(parts);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Each number of ranks resumes from the checkpoint of the previous one. */
static void a_checkpoint_goes_on_with_other_ranks(void)
{
    char path[1100];
    const char *folder = getenv("ORR_TEST_RANKS");
    (void)snprintf(path, sizeof path, "%s/run", folder ? folder : "/tmp");
    ORR_REQUIRE(up());
    how plain = { .kind = ORR_OPTIM_ADAM },
        parallel = { .kind = ORR_OPTIM_ADAM, .parallel = true, .shard_state = orr_ranks() % 2 == 0 };
    double one[STEPS];
    train(&plain, STEPS, one);
    run r;
    if (begin(&r, &parallel)) {
        bool found = false;
        int64_t at = 0;
        orr_checkpoint *c = orr_checkpoint_new(path);
        ORR_CHECK(orr_checkpoint_add_module(c, "net", r.net) == ORR_OK);
        ORR_CHECK(orr_checkpoint_add_optim(c, "optim", r.optim) == ORR_OK);
        ORR_CHECK(orr_checkpoint_add_bytes(c, "at", &at, sizeof at) == ORR_OK);
        ORR_CHECK_MSG(orr_checkpoint_load(c, &found) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(found == (orr_ranks() > 1) && at == (found ? orr_ranks() - 1 : 0));
        leave_out(&r, at);
        double loss = step(&r, &parallel);
        ORR_CHECK_MSG(fabs(loss - one[at]) <= 1e-5 * one[at], "step %d: %.9g, and %.9g in one process", (int)at, loss,
                      one[at]);
        at++;
        ORR_CHECK_MSG(orr_checkpoint_save(c) == ORR_OK, "%s", orr_error_message());
        orr_checkpoint_free(c);
    }
    end(&r);
    down();
}

/* One rank writes, including sharded values, and all ranks have its status. The others' paths do not exist. */
static void modules_and_optimisers_are_saved_by_one_rank(void)
{
    char path[1100];
    const char *folder = getenv("ORR_TEST_RANKS");
    ORR_REQUIRE(up());
    for (int shared = 0; shared < 2; shared++) {
        how h = { .kind = ORR_OPTIM_ADAM, .parallel = true, .shard_state = shared };
        run r, again;
        if (!begin(&r, &h))
            continue;
        double first = step(&r, &h), next = 0;
        for (int f = 0; f < 2; f++) {
            (void)snprintf(path, sizeof path, "%s/saved%d.npz", folder ? folder : "/tmp", f);
            const char *to = orr_rank() == 0 ? path : "/nowhere/at/all.npz";
            orr_status st = f ? orr_optim_save(r.optim, to) : orr_module_save(r.net, to);
            ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
            st = f ? orr_optim_save(r.optim, "/nowhere/at/all.npz") : orr_module_save(r.net, "/nowhere/at/all.npz");
            ORR_CHECK_MSG(st == ORR_EIO && strstr(orr_error_message(), "/nowhere/at/all"), "%s", orr_error_message());
        }
        orr_error_clear();
        next = step(&r, &h);
        end(&r);
        ORR_CHECK(orr_barrier() == ORR_OK);
        if (begin(&again, &h)) { /* resumes where the first run ended */
            ORR_CHECK(step(&again, &h) == first);
            (void)snprintf(path, sizeof path, "%s/saved0.npz", folder ? folder : "/tmp");
            ORR_CHECK_MSG(orr_module_load(again.net, path) == ORR_OK, "%s", orr_error_message());
            (void)snprintf(path, sizeof path, "%s/saved1.npz", folder ? folder : "/tmp");
            ORR_CHECK_MSG(orr_optim_load(again.optim, path) == ORR_OK, "%s", orr_error_message());
            double loss = step(&again, &h);
            ORR_CHECK_MSG(fabs(loss - next) <= 1e-6 * fabs(next), "%.9g, and %.9g without a file", loss, next);
        }
        end(&again);
        ORR_CHECK(orr_barrier() == ORR_OK);
    }
    down();
}

/* A file that is missing on one rank is an error on all, which names the rank; all continue. */
static void a_file_that_one_rank_lacks_is_told_to_all(void)
{
    char path[1100], none[1100];
    const char *folder = getenv("ORR_TEST_RANKS");
    int last = orr_test_ranks() - 1;
    (void)snprintf(path, sizeof path, "%s/lacking.npz", folder ? folder : "/tmp");
    (void)snprintf(none, sizeof none, "%s/elsewhere", folder ? folder : "/tmp");
    if (last == 0)
        return;
    ORR_REQUIRE(up());
    how h = { .kind = ORR_OPTIM_ADAM, .parallel = true, .shard_state = true };
    run r;
    if (begin(&r, &h)) {
        (void)step(&r, &h);
        ORR_CHECK_MSG(orr_optim_save(r.optim, path) == ORR_OK, "%s", orr_error_message());
        orr_status st = orr_optim_load(r.optim, orr_rank() == last ? none : path);
        ORR_CHECK_MSG(st == (orr_rank() == last ? ORR_EIO : ORR_ERANK) && strstr(orr_error_message(), none), "%s",
                      orr_error_message());
        ORR_CHECK_MSG(orr_optim_load(r.optim, path) == ORR_OK, "%s", orr_error_message());
        orr_checkpoint *c = orr_checkpoint_new(path), *d = orr_checkpoint_new(orr_rank() == last ? none : path);
        ORR_CHECK(orr_checkpoint_add_optim(c, "optim", r.optim) == ORR_OK);
        ORR_CHECK(orr_checkpoint_add_optim(d, "optim", r.optim) == ORR_OK);
        ORR_CHECK_MSG(orr_checkpoint_save(c) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_checkpoint_load(d, NULL) == ORR_ERANK && strstr(orr_error_message(), "different files"));
        ORR_CHECK_MSG(orr_checkpoint_load(c, NULL) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(isfinite(step(&r, &h)));
        orr_checkpoint_free(c);
        orr_checkpoint_free(d);
    }
    end(&r);
    down();
}

/* Rank 0 keeps the prediction of each step until the next one, as a program does that logs it; the others do not. The prediction reads
 * parameters that the step replaces. */
static void ranks_keep_what_they_like(void)
{
    enum { ROWS = 8, N = 1 << 16 };
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_module *net = orr_dense(N, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, net, NULL);
    ORR_CHECK(orr_data_parallel(net, o, &(orr_data_parallel_options){ .compress = false }) == ORR_OK);
    orr_tensor *x = orr_shard(orr_randn_keyed(ORR_F32, ORR_SHAPE(ROWS, N), 0, 1, 8), g, ORR_AXES(0));
    for (int t = 0; t < STEPS; t++) {
        orr_scope *step = orr_scope_begin();
        double loss = NAN;
        orr_tensor *y = orr_forward(net, x), *l = orr_mean(orr_square(y), ORR_ALL_AXES, false);
        if (orr_rank() > 0)
            orr_free(y);
        ORR_CHECK_MSG(orr_optim_step(o, l) == ORR_OK && orr_item(l, &loss) == ORR_OK && isfinite(loss), "step %d: %s",
                      t, orr_error_message());
        (void)orr_scope_end(step);
    }
    orr_optim_free(o);
    orr_module_free(net);
    /* An evaluation of each rank alone, whose results the ranks use together. */
    orr_tensor *x0 = orr_full(ORR_F32, ORR_SHAPE(ROWS, N), 3);
    orr_tensor *w = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(ROWS, N))), *z = orr_mul(w, x0), *u = orr_mul(z, x0);
    if (orr_rank() > 0)
        orr_free(z);
    ORR_CHECK(orr_assign(w, orr_add(w, u)) == ORR_OK && orr_eval_all(NULL, 0) == ORR_OK);
    double got = NAN;
    ORR_CHECK_MSG(orr_item(orr_sum(orr_shard(u, g, ORR_AXES(0)), ORR_ALL_AXES, false), &got) == ORR_OK, "%s",
                  orr_error_message());
    ORR_CHECK_MSG(fabs(got - 9.0 * ROWS * N) < 1, "%.9g", got);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* Of a state of 8 MB in two arrays, no rank holds more than one array and its shards. */
static void state_is_loaded_array_by_array(void)
{
    enum { WIDE = 2048, DEEP = 1024 };
    char path[1100];
    const char *folder = getenv("ORR_TEST_RANKS");
    if (orr_test_ranks() < 4)
        return;
    (void)snprintf(path, sizeof path, "%s/large.npz", folder ? folder : "/tmp");
    (void)setenv("ORRERY_MEMORY_LIMIT", "26M", 1);
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_module *net = orr_dense(DEEP, WIDE, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_ADAM, net, NULL);
    ORR_CHECK(orr_data_parallel(net, o, &(orr_data_parallel_options){ .grid = g, .shard_state = true }) == ORR_OK);
    ORR_CHECK_MSG(orr_optim_save(o, path) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(orr_optim_load(o, path) == ORR_OK, "%s", orr_error_message());
    orr_optim_free(o);
    orr_module_free(net);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
    (void)unsetenv("ORRERY_MEMORY_LIMIT");
}

static void the_same_bits_in_every_run(void)
{
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    ORR_REQUIRE(up());
    double a[STEPS], b[STEPS];
    how h = { .kind = ORR_OPTIM_ADAMW, .parallel = true, .shard_state = true };
    train(&h, STEPS, a);
    train(&h, STEPS, b);
    ORR_CHECK(memcmp(a, b, sizeof a) == 0);
    down();
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

/* -- gradients as bf16 ---------------------------------------------------------------------------------------- */

/* A mean of x · w has the gradient mean(x), whatever w is: after T steps of rate 1 w is w₀ − T · mean(x) + what the ranks have not sent. The latter
 * stays below (P + 1) roundings of one gradient. Without feedback the roundings of the T steps add up: T · 2⁻⁹ of the gradient. */
static void roundings_of_a_gradient_do_not_add_up(void)
{
    enum { N = 37, T = 64, ROWS = 12 };
    ORR_REQUIRE(up());
    for (int shared = 0; shared < 2; shared++) {
        orr_scope *s = orr_scope_begin();
        orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
        orr_module *net = orr_dense(N, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
        orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, net, &(orr_optim_options){ .lr = 1.0 });
        ORR_CHECK_MSG(orr_data_parallel(
                          net, o, &(orr_data_parallel_options){ .shard_state = shared, .compress = true }) == ORR_OK,
                      "%s", orr_error_message());
        orr_parameter p[2], state[2];
        ORR_CHECK(orr_module_parameters(net, p, 2) == 2 && orr_optim_state(o, state, 2) == 2);
        float first[N], last[N], x[ROWS][N], mean[N] = { 0 }, *unsent = calloc((size_t)orr_ranks() * N, sizeof *unsent);
        for (int i = 0; i < ROWS * N; i++)
            x[i / N][i % N] = (float)(1.0 + 0.3 * sin(0.7 * i));
        for (int i = 0; i < ROWS * N; i++)
            mean[i % N] += x[i / N][i % N] / ROWS;
        ORR_CHECK(orr_read(p[0].variable, first, sizeof first) == ORR_OK);
        orr_tensor *all = orr_shard(orr_from(ORR_F32, ORR_SHAPE(ROWS, N), x), g, ORR_AXES(0));
        for (int t = 0; t < T; t++) {
            orr_scope *step = orr_scope_begin();
            orr_status st = orr_optim_step(o, orr_mean(orr_forward(net, all), ORR_ALL_AXES, false));
            ORR_CHECK_MSG(st == ORR_OK && orr_eval(p[0].variable) == ORR_OK, "%s", orr_error_message());
            (void)orr_scope_end(step);
        }
        ORR_CHECK_MSG(orr_read(p[0].variable, last, sizeof last) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(unsent && orr_read(state[0].variable, unsent, (size_t)orr_ranks() * N * sizeof *unsent) == ORR_OK,
                      "%s", orr_error_message());
        for (int k = 0; unsent && k < N; k++) {
            double left = 0;
            for (int r = 0; r < orr_ranks(); r++)
                left += unsent[r * N + k];
            double want = first[k] - T * (double)mean[k] + left;
            ORR_CHECK_MSG(fabs(last[k] - want) <= 1e-4, "%d: %.9g, not %.9g", k, last[k], want);
            ORR_CHECK_MSG(fabs(left) <= (orr_ranks() + 1) / 128.0, "%d: %g is not sent", k, left);
        }
        free(unsent);
        orr_optim_free(o);
        orr_module_free(net);
        orr_grid_free(g);
        (void)orr_scope_end(s);
    }
    down();
}

/* The losses of a network: within 2 % of those of whole gradients after 40 steps, five roundings of bf16. */
static void compressed_gradients_train_as_whole_ones(void)
{
    enum { LONG = 40 };
    static const orr_optim_kind kinds[] = { ORR_OPTIM_SGD, ORR_OPTIM_ADAM };
    ORR_REQUIRE(up());
    for (int k = 0; k < 4; k++) {
        double whole[LONG], less[LONG];
        how h = { .kind = kinds[k / 2], .parallel = true, .shard_state = k % 2, .parts = k == 3 ? 2 : 1 };
        train(&h, LONG, whole);
        h.compress = true;
        train(&h, LONG, less);
        for (int i = 0; i < LONG; i++)
            ORR_CHECK_MSG(fabs(less[i] - whole[i]) <= 0.02 * whole[i],
                          "case %d, step %d: %.6g, and %.6g with whole gradients", k, i, less[i], whole[i]);
        ORR_CHECK(less[LONG - 1] < 0.9 * less[0]);
    }
    down();
}

/* The bytes that this rank has sent for gradients, by its trace. */
static double bytes_sent(const char *path)
{
    static const char *const name[] = { "\"all-reduce\"", "\"all-to-all\"", "\"all-gather\"" };
    size_t size = 0;
    char *text = (char *)orr_test_slurp(path, &size);
    double sum = 0;
    for (int k = 0; text && k < 3; k++)
        for (const char *p = text; (p = strstr(p, name[k])); p++) {
            const char *bytes = strstr(p, "\"bytes\":");
            sum += bytes ? strtod(bytes + sizeof "\"bytes\":" - 1, NULL) : 0;
        }
    free(text);
    (void)remove(path);
    return sum;
}

/* Of three steps of a layer with N inputs. Fixed rates choose the algorithm. */
static double bytes_of_steps(bool compress)
{
    enum { N = 1 << 16, ROWS = 8 };
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/bytes%d", getenv("ORR_TEST_RANKS"), orr_test_rank());
    (void)setenv("ORRERY_TRACE", path, 1);
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    if (!up())
        return 0;
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_module *net = orr_dense(N, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, net, NULL);
    ORR_CHECK(orr_data_parallel(net, o, &(orr_data_parallel_options){ .compress = compress }) == ORR_OK);
    orr_tensor *x = orr_shard(orr_randn_keyed(ORR_F32, ORR_SHAPE(ROWS, N), 0, 1, 8), g, ORR_AXES(0));
    for (int t = 0; t < 3; t++) {
        double loss = NAN;
        orr_tensor *l = orr_mean(orr_forward(net, x), ORR_ALL_AXES, false);
        ORR_CHECK_MSG(orr_optim_step(o, l) == ORR_OK && orr_item(l, &loss) == ORR_OK && isfinite(loss), "%s",
                      orr_error_message());
    }
    orr_optim_free(o);
    orr_module_free(net);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
    (void)unsetenv("ORRERY_TRACE");
    (void)unsetenv("ORRERY_DETERMINISTIC");
    return bytes_sent(path);
}

static void compressed_gradients_have_half_the_bytes(void)
{
    if (orr_test_ranks() == 1)
        return;
    double whole = bytes_of_steps(false), less = bytes_of_steps(true);
    ORR_CHECK_MSG(whole > 1e5 && less > 1e5 && less <= 0.502 * whole, "%.0f bytes, compressed %.0f", whole, less);
}

/* The sum of all ranks' roundings of parameter 0 that are not sent yet. */
static void sum_unsent(const orr_optim *o, double *sum)
{
    enum { MOST = 8 };
    orr_parameter state[MOST];
    int n = orr_optim_state(o, state, MOST);
    *sum = NAN;
    for (int i = 0; i < n && i < MOST; i++)
        if (!strcmp(state[i].name, "0.unsent"))
            ORR_CHECK_MSG(orr_item(orr_sum(state[i].variable, ORR_ALL_AXES, false), sum) == ORR_OK, "%s",
                          orr_error_message());
}

static void add_to(orr_checkpoint *c, const run *r)
{
    ORR_CHECK(orr_checkpoint_add_module(c, "net", r->net) == ORR_OK);
    ORR_CHECK(orr_checkpoint_add_optim(c, "optim", r->optim) == ORR_OK);
}

/* A run that goes on from its checkpoint has the bits of one that was not interrupted. Another number of ranks has the same sum. */
static void what_is_not_sent_is_in_a_checkpoint(void)
{
    char path[1100];
    const char *folder = getenv("ORR_TEST_RANKS");
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    ORR_REQUIRE(up());
    for (int shared = 0; shared < 2; shared++) {
        how h = { .kind = ORR_OPTIM_SGD, .parallel = true, .shard_state = shared, .compress = true };
        double whole[2 * STEPS], sum = 0, before = 0;
        train(&h, 2 * STEPS, whole);
        for (int ranks = orr_ranks() - 1; ranks <= orr_ranks() + 1; ranks++) {
            run r; /* loads the file of one rank less; writes the file of this number of ranks; goes on with it */
            bool other = ranks < orr_ranks(), writes = ranks == orr_ranks(), found = false;
            (void)snprintf(path, sizeof path, "%s/unsent%d%d", folder ? folder : "/tmp", shared,
                           other ? ranks : orr_ranks());
            orr_checkpoint *c = orr_checkpoint_new(path);
            if (begin(&r, &h)) {
                add_to(c, &r);
                leave_out(&r, writes ? 0 : STEPS);
                if (!writes)
                    ORR_CHECK_MSG(orr_checkpoint_load(c, &found) == ORR_OK && found == (ranks > 0), "%s",
                                  orr_error_message());
                sum_unsent(r.optim, &sum);
                if (other && found)
                    ORR_CHECK((sum != 0) == (ranks > 1)); /* one rank has sent all */
                else if (!other && !writes)
                    ORR_CHECK(sum == before && (orr_ranks() == 1 || sum != 0));
                for (int i = 0; i < STEPS && (!other || found); i++) {
                    double loss = step(&r, &h), want = whole[writes ? i : STEPS + i];
                    ORR_CHECK_MSG(other ? fabs(loss - want) <= 0.02 * want : loss == want,
                                  "step %d of %d: %.9g, not %.9g", i, ranks, loss, want);
                }
                sum_unsent(r.optim, &before);
                if (writes)
                    ORR_CHECK_MSG(orr_checkpoint_save(c) == ORR_OK, "%s", orr_error_message());
            }
            orr_checkpoint_free(c);
            end(&r);
        }
    }
    down();
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

static void ranks_with_other_options_are_told(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_module *net = orr_dense(3, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, net, NULL);
    orr_status st = orr_data_parallel(net, o, &(orr_data_parallel_options){ .compress = orr_rank() == 0 });
    if (orr_ranks() > 1)
        ORR_CHECK_MSG(st == ORR_ERANK && strstr(orr_error_message(), "rank 1 has 0, 0"), "%s", orr_error_message());
    else
        ORR_CHECK(st == ORR_OK);
    orr_error_clear();
    ORR_CHECK(orr_data_parallel(net, o, &(orr_data_parallel_options){ .compress = true }) == ORR_OK);
    orr_optim_free(o);
    orr_module_free(net);
    (void)orr_scope_end(s);
    down();
}

/* Ranks that begin with different parameters continue with those of rank 0. */
static void parameters_are_those_of_rank_0(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_seed(100 + (uint64_t)orr_rank());
    orr_module *net = orr_dense(3, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_SGD, net, NULL);
    orr_parameter p[2];
    ORR_CHECK_MSG(orr_data_parallel(net, o, NULL) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_module_parameters(net, p, 2) == 2);
    float got[6] = { 0 }, want[6] = { 0 };
    ORR_CHECK(orr_read(p[0].variable, got, sizeof got) == ORR_OK);
    orr_seed(100);
    orr_module *first = orr_dense(3, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    ORR_CHECK(orr_module_parameters(first, p, 2) == 2);
    ORR_CHECK(orr_read(p[0].variable, want, sizeof want) == ORR_OK);
    ORR_CHECK(memcmp(got, want, sizeof got) == 0);
    orr_optim_free(o);
    orr_module_free(net);
    orr_module_free(first);
    (void)orr_scope_end(s);
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(parameters_are_those_of_rank_0),
        ORR_TEST(ranks_with_other_options_are_told),
        ORR_TEST(roundings_of_a_gradient_do_not_add_up),
        ORR_TEST(compressed_gradients_train_as_whole_ones),
        ORR_TEST(compressed_gradients_have_half_the_bytes),
        ORR_TEST(what_is_not_sent_is_in_a_checkpoint),
        ORR_TEST(loaders_share_a_batch),
        ORR_TEST(losses_are_those_of_one_process),
        ORR_TEST(accumulated_gradients_are_those_of_one_process),
        ORR_TEST(a_checkpoint_goes_on_with_other_ranks),
        ORR_TEST(modules_and_optimisers_are_saved_by_one_rank),
        ORR_TEST(a_file_that_one_rank_lacks_is_told_to_all),
        ORR_TEST(ranks_keep_what_they_like),
        ORR_TEST(state_is_loaded_array_by_array),
        ORR_TEST(the_same_bits_in_every_run),
        { 0 },
    };
    return orr_test_ranks_main(argc, argv, "training", tests, (const int[]){ 1, 2, 3, 4, 0 });
}
