/* Builds modules from model files and loads their weights.
 * Must not know: requests. */
#include "config.h"
#include "serve/models.h"
#include "serve/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, DEPTH = 8 };

struct serve_models {
    int n;
    serve_model model[MOST];
};

/* The reading of one model file; why and size: the buffer for the reason of an error. */
typedef struct reading {
    const char *path;
    orr_dtype dtype;
    char *why;
    size_t size;
} reading;

static void *refuse(const reading *r, const char *what)
{
    (void)snprintf(r->why, r->size, "%s: %s", r->path, what);
    return NULL;
}

/* -- modules ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    orr_activation f;
} activations[] = {
    { "linear", ORR_ACTIVATION_LINEAR },
    { "relu", ORR_ACTIVATION_RELU },
    { "leaky_relu", ORR_ACTIVATION_LEAKY_RELU },
    { "elu", ORR_ACTIVATION_ELU },
    { "gelu", ORR_ACTIVATION_GELU },
    { "gelu_tanh", ORR_ACTIVATION_GELU_TANH },
    { "silu", ORR_ACTIVATION_SILU },
    { "sigmoid", ORR_ACTIVATION_SIGMOID },
    { "tanh", ORR_ACTIVATION_TANH },
    { "softplus", ORR_ACTIVATION_SOFTPLUS },
    { "mish", ORR_ACTIVATION_MISH },
    { "hardswish", ORR_ACTIVATION_HARDSWISH },
    { "softmax", ORR_ACTIVATION_SOFTMAX },
    { "log_softmax", ORR_ACTIVATION_LOG_SOFTMAX },
};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static int activation(const json_t *name)
{
    const char *text = json_string_value(name);
    for (int i = 0; text && i < ACTIVATIONS; i++)
        if (strcmp(activations[i].name, text) == 0)
            return i;
    return -1;
}

static orr_tensor *activate(orr_tensor *x, void *user)
{
    const orr_activation *f = user;
    return orr_activate(x, *f);
}

static orr_module *dense(const reading *r, json_t *d)
{
    int64_t in = 0, out = 0;
    json_t *name = NULL;
    int bias = 1, f = 0;
    json_error_t error;
    if (json_unpack_ex(d, &error, JSON_STRICT, "{s:I, s:I, s?o, s?b}", "in", &in, "out", &out, "activation", &name,
                       "bias", &bias) != 0)
        return refuse(r,
                      "\"dense\" is {\"in\", \"out\", \"activation\", \"bias\"}, of which the last two may be missing");
    if (name && (f = activation(name)) < 0)
        return refuse(r, "there is no such activation");
    orr_module *m = orr_dense_with(r->dtype, in, out, activations[f].f, ORR_INITIALISER_ZEROS,
                                   bias ? ORR_INITIALISER_ZEROS : ORR_INITIALISER_NONE);
    return m ? m : refuse(r, orr_error_message());
}

static orr_module *module(const reading *r, json_t *d, int depth);

static orr_module *sequential(const reading *r, json_t *parts, int depth)
{
    orr_module *m[64];
    int n = (int)json_array_size(parts);
    if (!json_is_array(parts) || n < 1 || n > 64)
        return refuse(r, "\"sequential\" is a list of 1 to 64 modules");
    for (int i = 0; i < n; i++)
        if (!(m[i] = module(r, json_array_get(parts, (size_t)i), depth + 1))) {
            while (i-- > 0)
                orr_module_free(m[i]);
            return NULL;
        }
    orr_module *all = orr_sequential(m, n);
    return all ? all : refuse(r, orr_error_message());
}

static orr_module *module(const reading *r, json_t *d, int depth)
{
    json_t *part;
    int f;
    if (depth > DEPTH)
        return refuse(r, "modules stand more than 8 deep in each other");
    if (json_object_size(d) != 1)
        return refuse(r, "a module is {\"dense\": …}, {\"sequential\": […]} or {\"activation\": NAME}");
    if ((part = json_object_get(d, "dense")))
        return dense(r, part);
    if ((part = json_object_get(d, "sequential")))
        return sequential(r, part, depth);
    if (!(part = json_object_get(d, "activation")))
        return refuse(r, "a module is {\"dense\": …}, {\"sequential\": […]} or {\"activation\": NAME}");
    if ((f = activation(part)) < 0)
        return refuse(r, "there is no such activation");
    return orr_function(activate, (void *)(uintptr_t)&activations[f].f);
}

/* -- files ------------------------------------------------------------------------------------------------- */

static bool plain_name(const char *s)
{
    return *s && *s != '.' && strlen(s) < 64 &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] == '\0';
}

static bool input(orr_shape *s, const json_t *dims)
{
    s->rank = (int)json_array_size(dims);
    if (!json_is_array(dims) || s->rank < 1 || s->rank >= ORR_MAX_RANK)
        return false;
    for (int k = 0; k < s->rank; k++) {
        s->dim[k] = json_integer_value(json_array_get(dims, (size_t)k));
        if (s->dim[k] < 1 || s->dim[k] > INT32_MAX)
            return false;
    }
    return true;
}

/* True if the module can compute one sample. */
static bool fits(const reading *r, serve_model *m)
{
    orr_shape one = { .rank = m->input.rank + 1, .dim = { 1 } };
    memcpy(one.dim + 1, m->input.dim, (size_t)m->input.rank * sizeof *one.dim);
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_forward(m->module, orr_zeros(m->dtype, one));
    orr_memory_plan plan = { 0 };
    bool ok = orr_plan_memory(&y, 1, &plan) == ORR_OK && orr_eval(y) == ORR_OK;
    if (!ok)
        (void)refuse(r, orr_error_message());
    m->seconds = plan.seconds;
    m->result = ok ? orr_tensor_size(y) : 0;
    (void)orr_scope_end(s);
    return ok;
}

static bool load(serve_model *m, const char *folder, const char *path, char *why, size_t size)
{
    reading r = { path, ORR_F32, why, size };
    const char *format = NULL, *dtype = "float32", *weights = NULL;
    char weights_path[4096];
    json_t *dims = NULL, *tree = NULL;
    json_error_t error;
    m->file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!m->file) {
        (void)snprintf(why, size, "%s: line %d: %s", path, error.line, error.text);
        return false;
    }
    if (json_unpack_ex(m->file, &error, JSON_STRICT, "{s:s, s?s, s:o, s:s, s:o}", "format", &format, "dtype", &dtype,
                       "input", &dims, "weights", &weights, "module", &tree) != 0)
        return refuse(&r, error.text) != NULL;
    if (strcmp(format, "orrery-model-1") != 0)
        return refuse(&r, "\"format\" is \"orrery-model-1\"") != NULL;
    m->dtype = r.dtype = serve_dtype(dtype);
    if (m->dtype != ORR_F32 && m->dtype != ORR_F64)
        return refuse(&r, "\"dtype\" is \"float32\" or \"float64\"") != NULL;
    if (!input(&m->input, dims))
        return refuse(&r, "\"input\" is the shape of one sample, 1 to 7 axes") != NULL;
    if (!plain_name(weights))
        return refuse(&r, "\"weights\" is the name of a .npz file beside this one") != NULL;
    if (!(m->module = module(&r, tree, 0)))
        return false;
    (void)snprintf(weights_path, sizeof weights_path, "%.2000s/%s", folder, weights);
    if (orr_module_load(m->module, weights_path) != ORR_OK)
        return refuse(&r, orr_error_message()) != NULL;
    return fits(&r, m);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const serve_model *)a)->name, ((const serve_model *)b)->name);
}

serve_models *serve_models_load(const char *folder, char *why, size_t size)
{
    serve_models *all = calloc(1, sizeof *all);
    DIR *d = folder && all ? opendir(folder) : NULL;
    if (!all || (folder && !d)) {
        (void)snprintf(why, size, "%s: %s", folder ? folder : "models", strerror(errno));
        free(all);
        return NULL;
    }
    bool ok = true;
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        char path[4096];
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".json") != 0 || !plain_name(e->d_name))
            continue;
        (void)snprintf(path, sizeof path, "%.2000s/%s", folder, e->d_name);
        if (all->n == MOST) {
            (void)snprintf(why, size, "%s: more than %d models", folder, MOST);
            ok = false;
            break;
        }
        serve_model *m = &all->model[all->n++];
        memcpy(m->name, e->d_name, n - 5);
        ok = load(m, folder, path, why, size);
    }
    if (d)
        (void)closedir(d);
    if (ok) {
        qsort(all->model, (size_t)all->n, sizeof *all->model, by_name);
        return all;
    }
    serve_models_free(all);
    return NULL;
}

void serve_models_free(serve_models *m)
{
    for (int i = 0; m && i < m->n; i++) {
        orr_module_free(m->model[i].module);
        json_decref(m->model[i].file);
    }
    free(m);
}

const serve_model *serve_models_find(const serve_models *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->model[i].name, name) == 0)
            return &m->model[i];
    return NULL;
}

json_t *serve_models_json(const serve_models *m)
{
    json_t *list = json_array();
    for (int i = 0; list && i < m->n; i++) {
        const serve_model *o = &m->model[i];
        json_t *one = json_pack("{s:s, s:s, s:O, s:I, s:O}", "name", o->name, "dtype", orr_dtype_name(o->dtype),
                                "input", json_object_get(o->file, "input"), "parameters",
                                (json_int_t)orr_module_size(o->module), "module", json_object_get(o->file, "module"));
        if (!one || json_array_append_new(list, one) != 0)
            return json_decref(list), NULL;
    }
    return list ? json_pack("{s:o}", "models", list) : NULL;
}
