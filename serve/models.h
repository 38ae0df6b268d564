/* Saved modules by name: a folder of model files, each the description of a module beside its weights.
 * Must not know: requests. */
#ifndef ORR_SERVE_MODELS_H
#define ORR_SERVE_MODELS_H

#include <jansson.h>
#include <orrery.h>

typedef struct serve_model {
    char name[64];
    orr_dtype dtype; /* of inputs, which are cast to it */
    orr_shape input; /* of one sample; a request's x has one more axis before these, or none */
    double seconds;  /* of a sample, predicted */
    int64_t result;  /* elements of its result */
    orr_module *module;
    json_t *file; /* the file's content */
} serve_model;

typedef struct serve_models serve_models;

/* Reads all NAME.json of the folder (NULL: no models). NULL on error, with the reason in `why`. */
serve_models *serve_models_load(const char *folder, char *why, size_t size);
void serve_models_free(serve_models *m);
const serve_model *serve_models_find(const serve_models *m, const char *name);
/* [{"name", "dtype", "input", "parameters", "module"}] */
json_t *serve_models_json(const serve_models *m);

#endif
