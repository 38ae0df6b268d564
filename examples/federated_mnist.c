/* Ten simulated clients train one network on images of their own; the server adds their updates without seeing any of them.
 * Three clients drop out in every round, after their masks are in the others' vectors.
 * Must not know: anything but the public headers.
 *
 * usage: federated_mnist [--rounds N] [--data DIR] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include "fashion_mnist.h"
#include "options.h"

enum { CLIENTS = 10, THRESHOLD = 7, IMAGES = 1000, BATCH = 50, STEPS = 20, PARAMETERS = 4 };
static const int drops_out[] = { 2, 5, 7 };

typedef struct federation {
    dataset train, test;
    orr_module *net;
    orr_parameter parameter[PARAMETERS];
    int64_t length; /* of an update: all parameters in sequence */
    unsigned char identity[CLIENTS * 32], key[CLIENTS][64];
} federation;

static int drops(int client)
{
    for (size_t i = 0; i < sizeof drops_out / sizeof *drops_out; i++)
        if (drops_out[i] == client)
            return 1;
    return 0;
}

/* -- data and network ---------------------------------------------------------------------------------------- */

/* The parameters as one vector. */
static orr_tensor *flat(const federation *f)
{
    orr_tensor *part[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        part[i] = orr_reshape(f->parameter[i].variable, ORR_SHAPE(-1));
    return orr_concat(part, PARAMETERS, 0);
}

static orr_status set_parameters(const federation *f, orr_tensor *vector)
{
    int64_t at = 0;
    for (int i = 0; i < PARAMETERS; i++) {
        int64_t n = orr_tensor_size(f->parameter[i].variable);
        orr_tensor *part = orr_slice_axis(vector, 0, at, at + n, 1);
        orr_status st =
            orr_assign(f->parameter[i].variable, orr_reshape(part, orr_tensor_shape(f->parameter[i].variable)));
        if (st != ORR_OK)
            return st;
        at += n;
    }
    return orr_eval_all(NULL, 0);
}

/* The update of client i: the change of the common parameters by training on its own images. */
static orr_tensor *learn(const federation *f, orr_tensor *common, int i)
{
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_SGD);
    options.lr = 0.05;
    orr_optim *opt = set_parameters(f, common) == ORR_OK ? orr_optim_of_module(ORR_OPTIM_SGD, f->net, &options) : NULL;
    orr_status st = opt ? ORR_OK : orr_error_status();
    for (int step = 0; st == ORR_OK && step < STEPS; step++) {
        orr_scope *s = orr_scope_begin();
        int64_t from = i * IMAGES + step * BATCH % IMAGES;
        orr_tensor *x = scaled(orr_slice_axis(f->train.images, 0, from, from + BATCH, 1));
        orr_tensor *y = orr_slice_axis(f->train.labels, 0, from, from + BATCH, 1);
        orr_tensor *loss = orr_cross_entropy(orr_forward(f->net, x), y);
        st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_eval(loss);
        (void)orr_scope_end(s);
    }
    orr_tensor *update = orr_sub(flat(f), common);
    (void)orr_eval(update);
    orr_optim_free(opt);
    return update;
}

/* -- one aggregation ------------------------------------------------------------------------------------------- */

/* The answer of client i in this round of the protocol. */
static orr_status answer(int round, orr_secagg_client *c, const orr_bytes *in, orr_tensor *update, orr_bytes *out)
{
    switch (round) {
    case 0: return orr_secagg_advertise(c, out);
    case 1: return orr_secagg_share_keys(c, in, out);
    case 2: return orr_secagg_mask(c, in, update, out);
    case 3: return orr_secagg_confirm(c, in, out);
    default: return orr_secagg_unmask(c, in, out);
    }
}

/* The protocol's messages are passed in memory; a service would send them. */
static orr_status exchange(orr_secagg_server *server, orr_secagg_client *const *client, orr_tensor *const *update)
{
    orr_status st = ORR_OK;
    for (int round = 0; st == ORR_OK && round < 5; round++) {
        for (int i = 0; st == ORR_OK && i < CLIENTS; i++) {
            orr_bytes in = { NULL, 0 }, out = { NULL, 0 };
            if (!orr_secagg_alive(server, i) || (round == 2 && drops(i)))
                continue;
            if (round > 0)
                st = orr_secagg_send(server, i, &in);
            if (st == ORR_OK)
                st = answer(round, client[i], &in, update[i], &out);
            if (st == ORR_OK)
                st = orr_secagg_receive(server, &out, 1, NULL);
            orr_bytes_free(&in);
            orr_bytes_free(&out);
        }
        if (st == ORR_OK && round < 4)
            st = orr_secagg_close(server);
    }
    return st;
}

static orr_tensor *aggregate(federation *f, int number, orr_tensor *const *update)
{
    orr_secagg_config config = { .clients = CLIENTS,
                                 .threshold = THRESHOLD,
                                 .length = f->length,
                                 .encoding = { ORR_MOD_2_32, 20, CLIENTS },
                                 .identities = f->identity };
    config.session[0] = (unsigned char)number;
    orr_secagg_server *server = orr_secagg_server_new(&config);
    orr_secagg_client *client[CLIENTS] = { NULL };
    orr_status st = server ? ORR_OK : orr_error_status();
    for (int i = 0; st == ORR_OK && i < CLIENTS; i++) {
        client[i] = orr_secagg_client_new(&config, i, f->key[i]);
        st = client[i] ? ORR_OK : orr_error_status();
    }
    if (st == ORR_OK)
        st = exchange(server, client, update);
    orr_tensor *sum = st == ORR_OK ? orr_secagg_result(server, ORR_F32) : NULL;
    for (int i = 0; i < CLIENTS; i++)
        orr_secagg_client_free(client[i]);
    orr_secagg_server_free(server);
    return sum;
}

/* The largest difference between the server's sum and the plain sum of the remaining clients' updates. */
static orr_status compare(orr_tensor *sum, orr_tensor *const *update, double *most)
{
    orr_tensor *clear = NULL;
    for (int i = 0; i < CLIENTS; i++)
        if (!drops(i))
            clear = clear ? orr_add(clear, update[i]) : update[i];
    return orr_item(orr_max(orr_abs(orr_sub(sum, clear)), ORR_ALL_AXES, false), most);
}

static orr_status accuracy(const federation *f, double *result)
{
    return share_right(orr_forward(f->net, scaled(f->test.images)), f->test.labels, result);
}

static orr_status run_round(federation *f, int number, orr_tensor **common)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *update[CLIENTS], *sum = NULL;
    double most = 0.0, acc = 0.0;
    int stay = CLIENTS - (int)(sizeof drops_out / sizeof *drops_out);
    for (int i = 0; i < CLIENTS; i++)
        update[i] = learn(f, *common, i);
    sum = aggregate(f, number, update);
    orr_status st = compare(sum, update, &most);
    orr_tensor *next = orr_add(*common, orr_div(sum, orr_scalar(stay)));
    if (st == ORR_OK)
        st = set_parameters(f, next);
    if (st == ORR_OK)
        st = accuracy(f, &acc);
    if (st == ORR_OK)
        printf("round %d: %d of %d simulated clients stay; the sum differs by %.1e; test accuracy %.4f\n", number, stay,
               CLIENTS, most, acc);
    if (st == ORR_OK && !(most < stay * ldexp(1.0, -20))) {
        printf("that is more than fixed point explains\n");
        st = ORR_EINTERNAL;
    }
    *common = orr_scope_return(s, next);
    (void)orr_scope_end(s);
    return st;
}

static orr_status run(federation *f, int64_t rounds, const char *dir)
{
    orr_status st = load_dataset(dir, CLIENTS * IMAGES, &f->train, &f->test);
    for (int i = 0; st == ORR_OK && i < CLIENTS; i++)
        st = orr_secagg_identity(f->identity + (size_t)i * 32, f->key[i]);
    if (st != ORR_OK)
        return st;
    f->length = orr_module_size(f->net);
    if (orr_module_parameters(f->net, f->parameter, PARAMETERS) != PARAMETERS)
        return ORR_EINTERNAL;
    orr_tensor *common = flat(f);
    st = orr_eval(common);
    for (int number = 1; st == ORR_OK && number <= rounds; number++)
        st = run_round(f, number, &common);
    memset(f->key, 0, sizeof f->key);
    return st;
}

int main(int argc, char **argv)
{
    const char *dir = FASHION_MNIST;
    int64_t rounds = 3;
    const option table[] = {
        { "--rounds", .whole = &rounds, .least = 1, .most = 1e6 },
        { "--data", .text = &dir },
        { 0 },
    };
    int done = read_options(
        argc, argv,
        "usage: federated_mnist [--rounds N] [--data DIR]\n"
        "DIR holds the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n",
        table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(3);
    static federation f;
    orr_scope *s = orr_scope_begin();
    f.net = orr_sequential(ORR_MODULES(orr_dense(784, 32, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                       orr_dense(32, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    int rc = f.net && run(&f, rounds, dir) == ORR_OK ? 0 : 1;
    if (rc != 0 && orr_error_status() != ORR_OK)
        (void)orr_error_print(stderr);
    orr_module_free(f.net);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
