/* orr_loader: a thread that assembles batches ahead of the program, in bounded memory.
 * Must not know: layers, devices, plans. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include <orrery/loader.h>
#include "ops/nn/data_parallel.h"
#include "ops/nn/folder.h"
#include "ops/nn/module.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/philox.h"
#include "runtime/base/shape.h"
#include "runtime/graph/node.h"
#include "runtime/ranks/ranks.h"

#define AT at.file, at.line

typedef struct {
    orr_tensor *t;    /* the loader's own handle; NULL: of a folder */
    const char *data; /* NULL: of a folder */
    orr_dtype dtype;
    orr_shape shape;
    size_t bytes; /* of an example */
} array;

/* A batch that is ready: memory for each array. count: examples; 0: the end of an epoch; −1: an error. here: those of this
 * rank. */
typedef struct {
    int64_t count, here;
    void **data;
    orr_status st; /* status and message of an error; message NULL: none */
    char *message;
} ready;

struct orr_loader {
    orr_loader_options o;
    int n;
    array *a;
    orr__folder *folder; /* the source of arrays 0 and 1; NULL: arrays in memory */
    orr__site at;        /* the call that made the loader */
    int64_t examples;
    uint64_t process; /* that made the loader: the thread is not in a forked one */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t changed;
    bool stop;
    ready *ring; /* o.ahead entries */
    int first, used;
};

/* -- one batch ---------------------------------------------------------------------------------------------- */

/* `from` moved by (dy, dx) along its last two axes, mirrored or not. */
static void augment(const array *a, const char *from, char *to, int64_t dy, int64_t dx, bool mirror)
{
    size_t z = orr_dtype_size(a->dtype);
    int r = a->shape.rank;
    int64_t w = a->shape.dim[r - 1], h = a->shape.dim[r - 2], planes = 1;
    for (int d = 1; d < r - 2; d++)
        planes *= a->shape.dim[d];
    for (int64_t p = 0; p < planes; p++)
        for (int64_t y = 0; y < h; y++)
            for (int64_t x = 0; x < w; x++, to += z) {
                int64_t sy = y + dy, sx = (mirror ? w - 1 - x : x) + dx;
                if (sy < 0 || sy >= h || sx < 0 || sx >= w)
                    memset(to, 0, z);
                else
                    memcpy(to, from + (size_t)((p * h + sy) * w + sx) * z, z);
            }
}

static void copy_example(const orr_loader *l, int i, uint64_t epoch, int64_t example, const char *from, char *to)
{
    const array *a = &l->a[i];
    if (i > 0 || (l->o.crop == 0 && !l->o.flip)) {
        memcpy(to, from, a->bytes);
        return;
    }
    uint64_t key = orr__rand_mix(l->o.seed ^ 0x6c6f61646572u, epoch), at = 3 * (uint64_t)example;
    uint64_t span = 2 * (uint64_t)l->o.crop + 1;
    int64_t dy = orr__rand_integers(key, at, -l->o.crop, span), dx = orr__rand_integers(key, at + 1, -l->o.crop, span);
    augment(a, from, to, dy, dx, l->o.flip && (orr__rand_bits64(key, at + 2) & 1));
}

/* Writes example number `example` of array i. With a folder, `image` is memory for one image. */
static orr_status add_example(const orr_loader *l, int i, uint64_t epoch, int64_t example, char *image, char *to)
{
    const array *a = &l->a[i];
    orr_status st = ORR_OK;
    int64_t label = 0;
    const char *from = a->data ? a->data + (size_t)example * a->bytes : image;
    if (l->folder && i == 0)
        st = orr__folder_read(l->at, l->folder, example, (unsigned char *)image);
    if (l->folder && i == 1) {
        label = l->folder->label[example];
        from = (const char *)&label;
    }
    if (st == ORR_OK)
        copy_example(l, i, epoch, example, from, to);
    return st;
}

static void free_ready(const orr_loader *l, ready *r)
{
    for (int i = 0; r->data && i < l->n; i++)
        free(r->data[i]);
    free(r->data);
    free(r->message);
    *r = (ready){ 0 };
}

static ready assemble(const orr_loader *l, uint64_t epoch, const orr__perm *order, int64_t first, int64_t count)
{
    ready r = { .count = count, .data = calloc((size_t)l->n, sizeof(void *)) };
    char *image = l->folder ? malloc(l->a[0].bytes + 1) : NULL;
    r.st = r.data && (image || !l->folder) ? ORR_OK : ORR_ENOMEM;
    int64_t mine;
    orr__grid_part(l->o.grid, count, &mine, &r.here);
    for (int i = 0; r.st == ORR_OK && i < l->n; i++) {
        char *to = r.data[i] = malloc((size_t)r.here * l->a[i].bytes + 1);
        r.st = to ? ORR_OK : ORR_ENOMEM;
        for (int64_t k = first + mine; r.st == ORR_OK && k < first + mine + r.here; k++, to += l->a[i].bytes) {
            int64_t example = l->o.shuffle ? (int64_t)orr__perm_at(order, (uint64_t)k) : k;
            r.st = add_example(l, i, epoch, example, image, to);
        }
    }
    free(image);
    if (r.st != ORR_OK) {
        r.count = -1;
        r.message = r.st == ORR_ENOMEM ? NULL : strdup(orr_error_message());
        orr_error_clear();
    }
    return r;
}

/* -- the thread --------------------------------------------------------------------------------------------- */

/* Waits for a free entry of the ring and puts r there; false: the loader is being freed. */
static bool put(orr_loader *l, ready r)
{
    (void)pthread_mutex_lock(&l->lock);
    while (l->used == l->o.ahead && !l->stop)
        (void)pthread_cond_wait(&l->changed, &l->lock);
    bool goes_on = !l->stop;
    if (goes_on)
        l->ring[(l->first + l->used++) % l->o.ahead] = r;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
    if (!goes_on)
        free_ready(l, &r);
    return goes_on;
}

static void *run(void *p)
{
    orr_loader *l = p;
    bool goes_on = true;
    for (uint64_t epoch = 0; goes_on; epoch++) {
        orr__perm order = orr__perm_make(orr__rand_mix(l->o.seed, epoch), (uint64_t)l->examples);
        for (int64_t first = 0; goes_on && first < l->examples; first += l->o.batch) {
            int64_t left = l->examples - first, count = left < l->o.batch ? left : l->o.batch;
            if (count == l->o.batch || !l->o.drop_last)
                goes_on = put(l, assemble(l, epoch, &order, first, count));
        }
        goes_on = goes_on && put(l, (ready){ 0 });
    }
    return NULL;
}

/* -- the public functions ------------------------------------------------------------------------------------ */

static orr_status take_array(orr__site at, orr_loader *l, int i, orr_tensor *t)
{
    orr_status st = orr__nn_check(at, t);
    if (st != ORR_OK)
        return st;
    array *a = &l->a[i];
    a->shape = orr_tensor_shape(t);
    a->dtype = orr_tensor_dtype(t);
    if (a->shape.rank < 1 || a->shape.dim[0] < 1 || (i > 0 && a->shape.dim[0] != l->examples))
        return orr__fail(at, ORR_ESHAPE, "array %d of shape %s does not have the examples of array 0 %s along axis 0",
                         i, orr__str(a->shape).s, orr__str(l->a[0].shape).s);
    if (i == 0 && a->shape.rank < 3 && (l->o.crop > 0 || l->o.flip))
        return orr__fail(at, ORR_ESHAPE, "array 0 of shape %s is not (examples, …, height, width) to crop and flip",
                         orr__str(a->shape).s);
    l->examples = a->shape.dim[0];
    if ((st = orr_eval_at(AT, t)) != ORR_OK)
        return st;
    orr__node *n = orr__handle_node(t);
    a->t = n ? orr_keep_at(AT, orr__handle_new(orr__node_ref(n))) : NULL;
    a->data = a->t ? orr_data_at(AT, a->t) : NULL;
    orr_shape one = a->shape;
    one.dim[0] = 1;
    a->bytes = (size_t)orr__shape_count(&one) * orr_dtype_size(a->dtype);
    return a->data || a->bytes == 0 ? ORR_OK : orr_error_status();
}

static const orr__object_kind kind = { "loader", sizeof(orr_loader) };

/* A new loader without arrays and thread. */
static orr_loader *loader_of(orr__site at, int n, const orr_loader_options *options)
{
    if (n < 1 || !options) {
        (void)orr__fail(at, ORR_EINVAL, n < 1 ? "there is no array" : "the options are NULL: a batch is needed");
        return NULL;
    }
    if (options->batch < 1 || options->crop < 0 || options->ahead < 0) {
        (void)orr__fail(at, ORR_EINVAL, "batch %lld must be at least 1, crop %lld and ahead %lld at least 0",
                        (long long)options->batch, (long long)options->crop, (long long)options->ahead);
        return NULL;
    }
    orr_loader *l = orr__object_new(&kind);
    if (!l)
        return NULL;
    l->o = *options;
    l->o.grid = NULL; /* until the loader has its own */
    l->o.ahead = l->o.ahead ? l->o.ahead : 2;
    l->n = n;
    l->at = at;
    l->process = orr__fork_number();
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->changed, NULL);
    l->a = orr__alloc_n((size_t)n, sizeof *l->a);
    l->ring = orr__alloc_n((size_t)l->o.ahead, sizeof *l->ring);
    if (l->a && l->ring &&
        (!options->grid || (l->o.grid = orr__grid_make(at, options->grid->axes, options->grid->extent))))
        return l;
    orr_loader_free(l);
    return NULL;
}

/* Checks that an epoch has batches, and that a crop leaves some of each image. */
static orr_status check_lengths(orr__site at, const orr_loader *l)
{
    const orr_shape *s = &l->a[0].shape;
    int64_t crop = l->o.crop;
    if (l->o.drop_last && l->o.batch > l->examples)
        return orr__fail(at, ORR_EINVAL,
                         "a batch of %lld is longer than the %lld examples, and a short batch is left out",
                         (long long)l->o.batch, (long long)l->examples);
    if (crop > 0 && (crop >= s->dim[s->rank - 2] || crop >= s->dim[s->rank - 1]))
        return orr__fail(at, ORR_EINVAL,
                         "a crop of %lld moves images of %lld x %lld out of view: it is less than both lengths",
                         (long long)crop, (long long)s->dim[s->rank - 2], (long long)s->dim[s->rank - 1]);
    return ORR_OK;
}

/* Returns the loader if st is ORR_OK and its thread starts. Otherwise frees it and returns NULL. */
static orr_loader *start(orr__site at, orr_loader *l, orr_status st)
{
    if (st == ORR_OK)
        st = check_lengths(at, l);
    if (st == ORR_OK && !(l->started = pthread_create(&l->thread, NULL, run, l) == 0))
        st = orr__fail(at, ORR_ENOMEM, "no thread to read ahead on");
    if (st == ORR_OK)
        return l;
    orr_loader_free(l);
    return NULL;
}

orr_loader *orr_loader_new_at(const char *file, int line, orr_tensor *const *arrays, int n,
                              const orr_loader_options *options)
{
    orr__site at = ORR__SITE(file, line, "loader_new");
    orr_loader *l = loader_of(at, arrays ? n : 0, options);
    orr_status st = ORR_OK;
    for (int i = 0; l && st == ORR_OK && i < n; i++)
        st = take_array(at, l, i, arrays[i]);
    return l ? start(at, l, st) : NULL;
}

orr_loader *orr_loader_of_folder_at(const char *file, int line, const char *path, int64_t channels, int64_t height,
                                    int64_t width, const orr_loader_options *options)
{
    orr__site at = ORR__SITE(file, line, "loader_of_folder");
    orr_loader *l = loader_of(at, 2, options);
    if (!l)
        return NULL;
    if (!(l->folder = orr__folder_open(at, path, channels, height, width))) {
        orr_loader_free(l);
        return NULL;
    }
    l->examples = l->folder->examples;
    l->a[0] = (array){ .dtype = ORR_U8,
                       .shape = ORR_SHAPE(l->examples, channels, height, width),
                       .bytes = (size_t)(channels * height * width) };
    l->a[1] = (array){ .dtype = ORR_I64, .shape = ORR_SHAPE(l->examples), .bytes = sizeof(int64_t) };
    return start(at, l, ORR_OK);
}

int orr_loader_classes(const orr_loader *l)
{
    return orr__object_there("loader_classes", &kind, l) && l->folder ? l->folder->classes : 0;
}

int orr_loader_arrays(const orr_loader *l)
{
    return orr__object_there("loader_arrays", &kind, l) ? l->n : 0;
}

const char *orr_loader_class(const orr_loader *l, int k)
{
    return k >= 0 && k < orr_loader_classes(l) ? l->folder->name[k] : NULL;
}

static void release(void *data, void *user)
{
    (void)user;
    free(data);
}

int64_t orr_loader_next_at(const char *file, int line, orr_loader *l, orr_tensor **batch)
{
    orr__site at = ORR__SITE(file, line, "loader_next");
    if (orr__object_check(at, &kind, l) != ORR_OK)
        return -1;
    if (!batch) {
        (void)orr__fail(at, ORR_EINVAL, "the list is NULL");
        return -1;
    }
    if (l->process != orr__fork_number()) {
        (void)orr__fail(at, ORR_ESTATE,
                        "this loader belongs to the process that made it, with the thread that reads ahead: a forked "
                        "process makes its own");
        return -1;
    }
    (void)pthread_mutex_lock(&l->lock);
    while (l->used == 0)
        (void)pthread_cond_wait(&l->changed, &l->lock);
    ready r = l->ring[l->first];
    l->first = (l->first + 1) % l->o.ahead;
    l->used--;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < l->n; i++)
        batch[i] = NULL;
    for (int i = 0; i < l->n && r.count > 0; i++) {
        orr_shape s = l->a[i].shape;
        s.dim[0] = r.here;
        batch[i] = orr_wrap_at(AT, l->a[i].dtype, s, r.data[i], release, NULL);
        if (l->o.grid)
            batch[i] = orr__of_part(at, batch[i], l->o.grid, r.count);
        if (orr__nn_check(at, batch[i]) != ORR_OK) {
            r.count = -1; /* tensors made so far are freed with the scope */
            break;
        }
        r.data[i] = NULL;
    }
    if (r.count < 0 && r.message)
        (void)orr__fail(at, r.st, "%s", orr__fail_words(l->at, r.message));
    else if (r.count < 0 && orr_error_status() == ORR_OK)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for a batch of %lld examples", (long long)l->o.batch);
    int64_t count = r.count;
    free_ready(l, &r);
    return count;
}

int64_t orr_loader_batches(const orr_loader *l)
{
    return orr__object_there("loader_batches", &kind, l)
               ? (l->examples + (l->o.drop_last ? 0 : l->o.batch - 1)) / l->o.batch
               : 0;
}

static void stop(orr_loader *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->stop = true;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
    if (l->started)
        (void)pthread_join(l->thread, NULL);
}

void orr_loader_free(orr_loader *l)
{
    if (!orr__object_there("loader_free", &kind, l))
        return;
    bool mine = l->process == orr__fork_number(); /* in a child the lock may be held, by a thread that is not there */
    if (mine)
        stop(l);
    for (int k = 0; l->ring && k < l->used; k++)
        free_ready(l, &l->ring[(l->first + k) % l->o.ahead]);
    for (int i = 0; l->a && i < l->n; i++)
        orr__nn_drop(l->a[i].t);
    orr__folder_free(l->folder);
    if (mine) {
        (void)pthread_mutex_destroy(&l->lock);
        (void)pthread_cond_destroy(&l->changed);
    }
    orr_grid_free(l->o.grid);
    free(l->ring);
    free(l->a);
    orr__object_end(&kind, l);
}
