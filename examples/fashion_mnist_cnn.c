/* Trains a small residual network on Fashion-MNIST, draws its learning curve and a sheet of the misclassified images.
 * Must not know: anything but the public headers.
 *
 * usage: fashion_mnist_cnn [--epochs N] [--batch N] [--lr X] [--images N] [--seed N] [--data DIR] [--out DIR]
 *
 * DIR of --out gets learning_curve.svg and mistakes.png: a row for each class, and around each image a frame in the colour of
 * the predicted class. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include "fashion_mnist.h"
#include "options.h"
#include "svg.h"

enum { CLASSES = 10, SIDE = 28, TESTED = 1000, MOST_EPOCHS = 100 };

static const char *const class_name[CLASSES] = { "T-shirt", "trousers", "pullover", "dress", "coat",
                                                 "sandal",  "shirt",    "sneaker",  "bag",   "boot" };
static const unsigned char colour[CLASSES][3] = { { 230, 25, 75 },  { 60, 180, 75 },  { 255, 225, 25 },
                                                  { 0, 130, 200 },  { 245, 130, 48 }, { 145, 30, 180 },
                                                  { 70, 240, 240 }, { 240, 50, 230 }, { 170, 110, 40 },
                                                  { 128, 128, 128 } };

typedef struct settings {
    int64_t epochs, batch, images, seed;
    double lr;
    const char *data, *out;
} settings;

typedef struct curve {
    double loss[MOST_EPOCHS], accuracy[MOST_EPOCHS];
    int n;
} curve;

/* -- the network -------------------------------------------------------------------------------------------- */

/* A 3 × 3 convolution and a batch normalisation. */
static orr_module *normalised(int64_t in, int64_t out)
{
    return orr_sequential(
        ORR_MODULES(orr_conv_layer(in, out, ORR_SHAPE(3, 3), &(orr_conv_options){ .padding = { 1, 1 } },
                                   ORR_ACTIVATION_LINEAR, ORR_INITIALISER_HE_NORMAL, ORR_INITIALISER_NONE),
                    orr_batch_norm_layer(out, NULL)));
}

static orr_module *block(int64_t width)
{
    return orr_residual(orr_sequential(
        ORR_MODULES(normalised(width, width), orr_activation_layer(ORR_ACTIVATION_RELU), normalised(width, width))));
}

static orr_module *network(void)
{
    orr_pool_options half = { .window = { 2, 2 } }, all = { .window = { 7, 7 } };
    return orr_sequential(ORR_MODULES(
        normalised(1, 16), orr_activation_layer(ORR_ACTIVATION_RELU), orr_max_pool_layer(&half), /* 14 × 14 */
        normalised(16, 32), orr_activation_layer(ORR_ACTIVATION_RELU), block(32),
        orr_activation_layer(ORR_ACTIVATION_RELU), orr_max_pool_layer(&half), /* 7 × 7 */
        normalised(32, 64), orr_activation_layer(ORR_ACTIVATION_RELU), block(64),
        orr_activation_layer(ORR_ACTIVATION_RELU), orr_average_pool_layer(&all), orr_flatten_layer(),
        orr_dense(64, CLASSES, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
}

static orr_tensor *planes(orr_tensor *images)
{
    return orr_reshape(scaled(images), ORR_SHAPE(-1, 1, SIDE, SIDE));
}

/* -- training ------------------------------------------------------------------------------------------------- */

static orr_status train_epoch(orr_module *net, orr_optim *opt, const orr_schedule *schedule, orr_loader *loader,
                              progress *p)
{
    orr_status st = ORR_OK;
    for (int64_t count = 1; st == ORR_OK && count > 0;) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *batch[2];
        double loss = 0.0;
        count = orr_loader_next(loader, batch);
        st = count < 0 ? orr_error_status() : ORR_OK;
        if (count > 0) {
            orr_tensor *l = orr_cross_entropy(orr_forward(net, planes(batch[0])), batch[1]);
            st = orr_optim_set_lr(opt, orr_schedule_lr(schedule, orr_optim_steps(opt)));
            if (st == ORR_OK)
                st = orr_optim_step(opt, l);
            if (st == ORR_OK)
                st = orr_item(l, &loss); /* evaluates loss, gradients, statistics and the step together */
            progress_step(p, loss);
        }
        (void)orr_scope_end(s);
    }
    return st;
}

/* The class that the network gives to each test image. */
static orr_status classify(orr_module *net, const dataset *d, int64_t *seen)
{
    orr_status st = ORR_OK;
    orr_module_train(net, false);
    for (int64_t i = 0; st == ORR_OK && i < d->n; i += TESTED) {
        orr_scope *s = orr_scope_begin();
        int64_t n = d->n - i < TESTED ? d->n - i : TESTED;
        orr_tensor *x = planes(orr_slice_axis(d->images, 0, i, i + n, 1));
        st = orr_read(orr_argmax(orr_forward(net, x), -1, false), seen + i, (size_t)n * sizeof *seen);
        (void)orr_scope_end(s);
    }
    orr_module_train(net, true);
    return st;
}

static double accuracy(const dataset *d, const int64_t *seen)
{
    const unsigned char *label = orr_data(d->labels);
    int64_t right = 0;
    for (int64_t i = 0; label && i < d->n; i++)
        right += label[i] == seen[i];
    return (double)right / (double)d->n;
}

static orr_status train(const settings *o, orr_module *net, orr_optim *opt, const dataset *d, const dataset *test,
                        int64_t *seen, curve *c)
{
    orr_loader_options options = {
        .batch = o->batch, .shuffle = true, .drop_last = true, .seed = (uint64_t)o->seed, .flip = true
    };
    orr_loader *loader = orr_loader_new(ORR_TENSORS(d->images, d->labels), &options);
    orr_status st = loader ? ORR_OK : orr_error_status();
    orr_schedule schedule = { .kind = ORR_SCHEDULE_ONE_CYCLE,
                              .lr = o->lr,
                              .steps = o->epochs * orr_loader_batches(loader) };
    for (int64_t epoch = 1; st == ORR_OK && epoch <= o->epochs; epoch++) {
        progress p = progress_begin(epoch, o->epochs, orr_loader_batches(loader), o->batch);
        st = train_epoch(net, opt, &schedule, loader, &p);
        double used = seconds() - p.start;
        if (st == ORR_OK)
            st = classify(net, test, seen);
        if (st == ORR_OK) {
            c->loss[c->n] = p.sum / (double)p.steps;
            c->accuracy[c->n++] = accuracy(test, seen);
            progress_end(&p, "", c->accuracy[c->n - 1], used);
        }
    }
    orr_loader_free(loader);
    return st;
}

/* -- pictures --------------------------------------------------------------------------------------------------- */

static int draw_curve(const char *path, const curve *c)
{
    enum { LEFT = 60, TOP = 70, WIDTH = 520, HEIGHT = 260 };
    FILE *f = fopen(path, "w");
    if (!f)
        return 1;
    double most = 0.0, least = 1.0;
    for (int i = 0; i < c->n; i++) {
        most = fmax(most, c->loss[i]);
        least = fmin(least, c->accuracy[i]);
    }
    least = floor(least * 20.0) / 20.0;
    svg_begin(f, 660, 380, "A residual network on Fashion-MNIST",
              "blue, left: accuracy on the test images; orange, right: loss of an epoch");
    for (int k = 0; k <= 4; k++) {
        char text[32];
        double y = TOP + HEIGHT - HEIGHT * k / 4.0;
        svg_line(f, LEFT, y, LEFT + WIDTH, y, "#ddd");
        (void)snprintf(text, sizeof text, "%.3f", least + (1.0 - least) * k / 4.0);
        svg_text(f, LEFT - 6, y + 4, "end", "#1f77b4", text);
        (void)snprintf(text, sizeof text, "%.2f", most * k / 4.0);
        svg_text(f, LEFT + WIDTH + 6, y + 4, "start", "#ff7f0e", text);
    }
    double x[2] = { 0 }, a[2] = { 0 }, l[2] = { 0 };
    for (int i = 0; i < c->n; i++) {
        char text[16];
        x[1] = LEFT + WIDTH * (i + 0.5) / c->n;
        a[1] = TOP + HEIGHT - HEIGHT * (c->accuracy[i] - least) / (1.0 - least);
        l[1] = TOP + HEIGHT - HEIGHT * c->loss[i] / most;
        svg_bar(f, x[1] - 3, a[1] - 3, 6, 6, "#1f77b4");
        svg_bar(f, x[1] - 3, l[1] - 3, 6, 6, "#ff7f0e");
        if (i > 0) {
            svg_line(f, x[0], a[0], x[1], a[1], "#1f77b4");
            svg_line(f, x[0], l[0], x[1], l[1], "#ff7f0e");
        }
        (void)snprintf(text, sizeof text, "%d", i + 1);
        svg_text(f, x[1], TOP + HEIGHT + 18, "middle", "#555", text);
        x[0] = x[1];
        a[0] = a[1];
        l[0] = l[1];
    }
    svg_end(f);
    return fclose(f) != 0;
}

/* Draws a row for each class: its colour, then misclassified images of it, in a frame of the predicted class's colour. */
static orr_status draw_mistakes(const char *path, const dataset *d, const int64_t *seen)
{
    enum { COLUMNS = 16, FRAME = 3, CELL = SIDE + 2 * FRAME + 2, WIDTH = COLUMNS * CELL };
    static unsigned char sheet[CLASSES * CELL][WIDTH][3];
    int used[CLASSES] = { 0 };
    const unsigned char *label = orr_data(d->labels), *pixel = orr_data(d->images);
    memset(sheet, 255, sizeof sheet);
    for (int64_t i = -CLASSES; label && pixel && i < d->n; i++) {
        int row = i < 0 ? (int)(i + CLASSES) : label[i], other = i < 0 ? row : (int)seen[i], column = used[row];
        if (column == COLUMNS || (i >= 0 && other == row))
            continue;
        used[row]++;
        for (int y = 0; y < CELL - 2; y++)
            for (int x = 0; x < CELL - 2; x++) {
                int py = y - FRAME, px = x - FRAME;
                bool inside = i >= 0 && py >= 0 && py < SIDE && px >= 0 && px < SIDE;
                for (int k = 0; k < 3; k++)
                    sheet[row * CELL + y][column * CELL + x][k] =
                        inside ? pixel[(i * SIDE + py) * SIDE + px] : colour[other][k];
            }
    }
    return orr_save(path, orr_from(ORR_U8, ORR_SHAPE(CLASSES * CELL, WIDTH, 3), sheet));
}

static orr_status draw(const settings *o, const dataset *d, const int64_t *seen, const curve *c)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/learning_curve.svg", o->out);
    if (draw_curve(path, c) != 0) {
        perror(path);
        return ORR_EIO;
    }
    printf("\ndrawn: %s", path);
    (void)snprintf(path, sizeof path, "%s/mistakes.png", o->out);
    orr_status st = draw_mistakes(path, d, seen);
    if (st == ORR_EDEVICE) { /* built without libpng */
        printf("\nnot drawn: %s\n", orr_error_message());
        orr_error_clear();
        return ORR_OK;
    }
    printf(", %s\nrows:", path);
    for (int k = 0; k < CLASSES; k++)
        printf(" %s", class_name[k]);
    printf("\n");
    return st;
}

/* A digest (FNV-1a) that is equal for two runs if all bits of their parameters are equal. */
static uint64_t digest(const orr_module *net)
{
    orr_parameter p[64];
    uint64_t h = 0xcbf29ce484222325u;
    int n = orr_module_parameters(net, p, 64);
    for (int i = 0; i < n && i < 64; i++) {
        const unsigned char *byte = orr_data(p[i].variable);
        size_t bytes = (size_t)orr_tensor_size(p[i].variable) * sizeof(float);
        for (size_t k = 0; byte && k < bytes; k++)
            h = (h ^ byte[k]) * 0x100000001b3u;
    }
    return h;
}

/* -- the run ------------------------------------------------------------------------------------------------------ */

/* Keeps the first n images of a set that has more. */
static void keep(dataset *d, int64_t n)
{
    if (n <= 0 || n >= d->n)
        return;
    d->n = n;
    d->images = orr_slice_axis(d->images, 0, 0, n, 1);
    d->labels = orr_slice_axis(d->labels, 0, 0, n, 1);
}

static orr_status run(const settings *o, orr_module *net, orr_optim *opt)
{
    dataset d, test;
    static curve c;
    orr_status st = load_dataset(o->data, o->batch, &d, &test);
    if (st != ORR_OK)
        return st;
    keep(&d, o->images);
    keep(&test, o->images);
    printf("%s\n%lld images, %lld to test on; %lld parameters; batches of %lld; seed %lld\n", orr_engine_name(),
           (long long)d.n, (long long)test.n, (long long)orr_module_size(net), (long long)o->batch, (long long)o->seed);
    int64_t *seen = calloc((size_t)test.n, sizeof *seen);
    st = seen ? train(o, net, opt, &d, &test, seen, &c) : ORR_ENOMEM;
    if (st == ORR_OK && o->epochs == 0)
        st = classify(net, &test, seen);
    if (st == ORR_OK && *o->out)
        st = draw(o, &test, seen, &c);
    if (st == ORR_OK) {
        printf("\n");
        orr_stats_print(stdout);
        printf("\nparameters: %016llx\ntest accuracy: %.4f\n", (unsigned long long)digest(net), accuracy(&test, seen));
    }
    free(seen);
    return st;
}

/* -- command line ---------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    settings o = { .epochs = 6, .batch = 128, .lr = 4e-3, .seed = 3, .data = FASHION_MNIST, .out = "" };
    const option table[] = {
        { "--epochs", .whole = &o.epochs, .most = MOST_EPOCHS },
        { "--batch", .whole = &o.batch, .least = 1, .most = 1e9 },
        { "--lr", .real = &o.lr, .most = 1e9 },
        { "--images", .whole = &o.images, .most = 1e9 },
        { "--seed", .whole = &o.seed, .most = 1e9 },
        { "--data", .text = &o.data },
        { "--out", .text = &o.out },
        { 0 },
    };
    int done = read_options(
        argc, argv,
        "usage: fashion_mnist_cnn [--epochs N] [--batch N] [--lr X] [--images N] [--seed N] [--data DIR] [--out DIR]\n"
        "--images: a quick try with the first N images to learn from, and to test on\n"
        "--data: the four IDX files of Fashion-MNIST, gzip or unpacked (Debian: dataset-fashion-mnist)\n"
        "--out: gets learning_curve.svg and mistakes.png; without it nothing is drawn\n",
        table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed((uint64_t)o.seed);
    orr_scope *s = orr_scope_begin();
    orr_module *net = network();
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    orr_optim *opt = net ? orr_optim_of_module(ORR_OPTIM_ADAM, net, &options) : NULL;

    int rc = opt && run(&o, net, opt) == ORR_OK ? 0 : 1;
    if (rc != 0 && orr_error_status() != ORR_OK)
        (void)orr_error_print(stderr);
    orr_optim_free(opt);
    orr_module_free(net);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
