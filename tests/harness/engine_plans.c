/* Hand-made plans, and a backend with scripted kernels: for tests of engines alone.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"

#include "tests/harness/engine_plans.h"

atomic_int fake_turns;

/* The number of times that the words are in the file. */
static int heard_in(int fd, const char *words)
{
    char text[4096];
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    int n = 0;

    text[got > 0 ? got : 0] = '\0';
    for (const char *p = text; (p = strstr(p, words)); p++)
        n++;
    return n;
}

orr_status fake_launch(orr__kernel *k, const orr__launch *l)
{
    fake *f = (fake *)(void *)k;
    const orr__region *r = l->region;
    double *out = l->out[0], total = 0, until = orr__now() + f->seconds;
    int64_t out_off = l->out_off ? l->out_off[0] : 0;

    atomic_fetch_add(&f->launches, 1);
    atomic_store(&f->turn, 1 + atomic_fetch_add(&fake_turns, 1));
    bool fails = f->fail_row >= l->lo && f->fail_row < l->hi;
    while (fails && orr__now() < until)
        ;
    if (fails)
        return orr__fail(ORR__SITE("user.c", 7, "fake"), ORR_EINDEX, "row %lld is bad", (long long)f->fail_row);
    for (int64_t i = l->lo; i < l->hi; i++) {
        double x = f->add + (l->scalar ? l->scalar[0].f : 0);
        for (int a = 0; a < r->naccess; a++) {
            const double *in = l->in[r->access[a].input];
            x += in[r->access[a].offset + r->access[a].stride[0] * i - (l->in_off ? l->in_off[a] : 0)];
        }
        if (f->sum)
            total += x;
        else
            out[i - out_off] = x;
    }
    if (f->sum)
        out[0] = total;
    while (orr__now() < until && (!f->gate || !atomic_load(f->gate)) &&
           (!f->heard || heard_in(f->heard, f->words) < f->times) &&
           (!f->wanted || orr__cpu_blas_get_threads() != f->wanted))
        ;
    atomic_store(&f->threads, orr__cpu_blas_get_threads());
    return ORR_OK;
}

const orr__backend fake_backend = { .name = "fake", .launch = fake_launch };

hand *hand_new(void)
{
    hand *h = calloc(1, sizeof *h);

    atomic_init(&h->plan.refs, 1 << 20); /* prevents the cache from freeing the plan */
    h->plan.step = h->step;
    h->plan.value = h->value;
    h->plan.out = h->outs;
    h->plan.memory.slot_bytes = h->slot_bytes;
    atomic_init(&h->plan.state, h->state);
    h->plan.nscalar = 1;
    h->plan.us = 1e6;
    return h;
}

int hand_leaf(hand *h, int64_t count)
{
    int v = h->plan.nvalue++;

    h->value[v] = (orr__value){ .dtype = ORR_F64,
                                .count = count,
                                .tile = count,
                                .ntiles = 1,
                                .output = -1,
                                .leaf = h->plan.nleaf++,
                                .slot = -1,
                                .donor = -1,
                                .recipient = -1,
                                .first = -1 };
    return v;
}

int hand_step(hand *h, int64_t rows, int ntiles, bool sum, int n, const int *in)
{
    int s = h->plan.nstep++, v = h->plan.nvalue++;
    orr__region *r = &h->region[s];
    orr__step *st = &h->step[s];
    bool partial = sum && ntiles > 1;

    *r = (orr__region){ .call.slot = -1,
                        .rank = 1,
                        .dim = { rows },
                        .rmask = sum,
                        .naccess = n,
                        .access = h->access[s],
                        .nin = n,
                        .in_count = h->in_count[s],
                        .in_dtype = h->in_dtype[s],
                        .nout = 1,
                        .out_count = sum ? 1 : rows,
                        .key = 1000 + sum,
                        .out_dtype = { ORR_F64 },
                        .flops = (double)rows };
    snprintf(r->label, sizeof r->label, "%s", sum ? "fake sum" : "fake map");
    *st = (orr__step){ .region = r,
                       .cpu = (orr__kernel *)(void *)&h->kernel[s],
                       .ntiles = ntiles,
                       .partial = partial,
                       .rows = (rows + ntiles - 1) / ntiles,
                       .in = h->in[s],
                       .out = &h->out[s],
                       .cost = { .us = 1e5 } };
    for (int i = 0; i < n; i++) {
        h->in[s][i] = in[i];
        h->in_count[s][i] = h->value[in[i]].count;
        h->in_dtype[s][i] = ORR_F64;
        h->access[s][i] = (orr__access){ .input = i, .stride = { 1 } };
        h->value[in[i]].last = s;
    }
    h->kernel[s].sum = sum;
    h->kernel[s].fail_row = -1;
    h->out[s] = v;
    h->slot_bytes[s] = (size_t)(partial ? ntiles : sum ? 1 : rows) * sizeof(double);
    h->value[v] = (orr__value){ .dtype = ORR_F64,
                                .count = (int64_t)(h->slot_bytes[s] / sizeof(double)),
                                .tile = partial || sum ? 1 : st->rows,
                                .ntiles = ntiles,
                                .leaf = -1,
                                .output = -1,
                                .slot = s,
                                .donor = -1,
                                .recipient = -1,
                                .first = s,
                                .last = s };
    h->plan.memory.nslot = s + 1;
    return v;
}

void hand_output(hand *h, int v)
{
    h->value[v].output = h->plan.nout;
    h->value[v].slot = -1;
    h->outs[h->plan.nout++] = v;
}

orr__buffer *ramp(int64_t n, double first)
{
    orr__buffer *b = orr__buffer_new((size_t)n * sizeof(double));

    for (int64_t i = 0; b && i < n; i++)
        ((double *)b->host)[i] = first + (double)i;
    return b;
}

orr_status hand_run(hand *h, orr__buffer *const *leaf, double scalar, orr__buffer **out)
{
    orr__scalar s = { .f = scalar };
    orr__run *run = NULL;
    orr_status st = orr__engine_execute(HERE, &h->plan, leaf, &s, out, &run);

    if (st == ORR_OK && (st = orr__run_wait(run)) != ORR_OK)
        for (int i = 0; i < h->plan.nout; i++)
            orr__buffer_unref(out[i]);
    orr__run_unref(run);
    return st;
}

bool is_ramp(orr__buffer *b, int64_t n, double first, double step)
{
    if (orr__buffer_sync(b) != ORR_OK)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (((double *)b->host)[i] != first + step * (double)i)
            return false;
    return true;
}

orr_status engine_up(const char *engine)
{
    orr_config c = { .engine = engine };
    orr_status st = orr__env_load();

    orr__exec_cpu = &fake_backend;
    return st == ORR_OK ? orr__engine_start(HERE, &c) : st;
}
