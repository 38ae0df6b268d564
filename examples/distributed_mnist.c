/* Trains a network on Fashion-MNIST with every batch sharded over the ranks: mpirun -n 4 distributed_mnist. One process,
 * without mpirun, does the same steps with the same losses.
 * Must not know: anything but the public headers.
 *
 * usage: distributed_mnist [--epochs N] [--steps N] [--batch N] [--lr X] [--seed N] [--shard-state 0|1] [--losses FILE]
 *                          [--checkpoint PATH] [--data DIR] */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include "fashion_mnist.h"
#include "options.h"

typedef struct settings {
    int64_t epochs, steps; /* per epoch at most; 0: all */
    int64_t batch, seed, shard_state;
    double lr;
    const char *losses, *checkpoint, *data;
} settings;

typedef struct run {
    settings o;
    orr_grid *ranks;
    orr_module *net;
    orr_optim *optim;
    orr_checkpoint *checkpoint;
    int64_t epochs_done;
    FILE *losses;
} run;

/* One pass over the images. The mean is over the whole batch, although each rank has only its share. */
static orr_status train_epoch(run *r, orr_loader *loader, double *mean)
{
    orr_status st = ORR_OK;
    double sum = 0;
    int64_t steps = 0;
    while (st == ORR_OK) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *batch[2];
        double loss = 0;
        int64_t n = orr_loader_next(loader, batch);
        if (n > 0) {
            orr_tensor *l = orr_cross_entropy(orr_forward(r->net, scaled(batch[0])), batch[1]);
            st = orr_optim_step(r->optim, l);
            st = st == ORR_OK ? orr_item(l, &loss) : st;
            sum += loss;
            steps++;
            if (r->losses)
                fprintf(r->losses, "%.9g\n", loss);
        }
        (void)orr_scope_end(s);
        if (n < 0)
            st = orr_error_status();
        if (n <= 0 || steps == r->o.steps)
            break;
    }
    *mean = steps ? sum / (double)steps : 0;
    return st;
}

static orr_status accuracy(const run *r, const dataset *d, double *result)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *images = orr_shard(d->images, r->ranks, ORR_AXES(0)),
               *labels = orr_shard(d->labels, r->ranks, ORR_AXES(0));
    orr_module_train(r->net, false);
    orr_tensor *output = orr_forward(r->net, scaled(images));
    orr_module_train(r->net, true);
    orr_status st = share_right(output, labels, result);
    (void)orr_scope_end(s);
    return st;
}

static orr_status checkpoint(run *r)
{
    if (!r->o.checkpoint)
        return ORR_OK;
    r->checkpoint = orr_checkpoint_new(r->o.checkpoint);
    orr_status st = r->checkpoint ? orr_checkpoint_add_module(r->checkpoint, "net", r->net) : orr_error_status();
    if (st == ORR_OK)
        st = orr_checkpoint_add_optim(r->checkpoint, "optim", r->optim);
    if (st == ORR_OK)
        st = orr_checkpoint_add_bytes(r->checkpoint, "epochs", &r->epochs_done, sizeof r->epochs_done);
    return st == ORR_OK ? orr_checkpoint_load(r->checkpoint, NULL) : st;
}

static orr_status train(run *r, const dataset *d, const dataset *test)
{
    bool speaks = orr_rank() == 0;
    /* The order of the images is a function of the seed. Each epoch has a seed of its own, so that a resumed run reads new
     * orders. */
    orr_status st = ORR_OK;
    while (st == ORR_OK && r->epochs_done < r->o.epochs) {
        orr_loader_options lo = { .batch = r->o.batch,
                                  .shuffle = true,
                                  .drop_last = true,
                                  .seed = (uint64_t)(r->o.seed + 1000 * r->epochs_done),
                                  .grid = r->ranks };
        orr_loader *loader = orr_loader_new(((orr_tensor *[]){ d->images, d->labels }), 2, &lo);
        double start = seconds(), loss = 0, right = 0;
        st = loader ? train_epoch(r, loader, &loss) : orr_error_status();
        double used = seconds() - start;
        orr_loader_free(loader);
        st = st == ORR_OK ? accuracy(r, test, &right) : st;
        r->epochs_done++;
        if (st == ORR_OK && r->checkpoint)
            st = orr_checkpoint_save(r->checkpoint);
        if (st == ORR_OK && speaks)
            printf("epoch %lld   loss %.4f   test accuracy %.4f   %.1f s\n", (long long)r->epochs_done, loss, right,
                   used);
    }
    return st;
}

static orr_status start(run *r)
{
    dataset d, test;
    orr_status st = load_dataset(r->o.data, r->o.batch, &d, &test);
    if (st != ORR_OK)
        return st;
    orr_seed((uint64_t)r->o.seed);
    r->net = orr_sequential(ORR_MODULES(orr_dense(784, 512, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT),
                                        orr_batch_norm_layer(512, NULL),
                                        orr_dense(512, 256, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(256, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = r->o.lr;
    r->optim = r->net ? orr_optim_of_module(ORR_OPTIM_ADAM, r->net, &options) : NULL;
    r->ranks = orr_grid_make(1, ((int64_t[]){ -1 }));
    if (!r->optim || !r->ranks)
        return orr_error_status();
    orr_data_parallel_options p = { .grid = r->ranks, .shard_state = r->o.shard_state != 0 };
    st = orr_data_parallel(r->net, r->optim, &p);
    st = st == ORR_OK ? checkpoint(r) : st;
    if (st == ORR_OK && orr_rank() == 0)
        printf("%s, %d ranks, batches of %lld, %lld parameters\n", orr_engine_name(), orr_ranks(),
               (long long)r->o.batch, (long long)orr_module_size(r->net));
    return st == ORR_OK ? train(r, &d, &test) : st;
}

int main(int argc, char **argv)
{
    run r = { .o = { .epochs = 3, .batch = 256, .lr = 1e-3, .seed = 3, .data = FASHION_MNIST } };
    settings *o = &r.o;
    const option table[] = {
        { "--epochs", .whole = &o->epochs, .most = 1e9 },
        { "--steps", .whole = &o->steps, .most = 1e9 },
        { "--batch", .whole = &o->batch, .least = 1, .most = 1e9 },
        { "--lr", .real = &o->lr, .most = 1e9 },
        { "--seed", .whole = &o->seed, .most = 1e9 },
        { "--shard-state", .whole = &o->shard_state, .most = 1 },
        { "--losses", .text = &o->losses },
        { "--checkpoint", .text = &o->checkpoint },
        { "--data", .text = &o->data },
        { 0 },
    };
    int done = read_options(
        argc, argv,
        "usage: distributed_mnist [--epochs N] [--steps N] [--batch N] [--lr X] [--seed N] [--shard-state 0|1]\n"
        "                         [--losses FILE] [--checkpoint PATH] [--data DIR]\n"
        "DIR holds the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n",
        table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    if (r.o.losses && orr_rank() == 0)
        r.losses = fopen(r.o.losses, "w");
    int rc = start(&r) == ORR_OK ? 0 : orr_error_print(stderr);
    if (r.losses && fclose(r.losses) != 0)
        rc = 1;
    orr_checkpoint_free(r.checkpoint);
    orr_optim_free(r.optim);
    orr_module_free(r.net);
    orr_grid_free(r.ranks);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
