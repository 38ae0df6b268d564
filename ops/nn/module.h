/* A module's inside, shared by the files of this folder.
 * Must not know: optimisers. */
#ifndef ORR_OPS_NN_MODULE_H
#define ORR_OPS_NN_MODULE_H

#include <orrery/nn.h>
#include "runtime/base/status.h"

#define ORR__MODULE_PARAMETERS 4

struct orr_module {
    orr_tensor *(*forward)(const char *file, int line, const orr_module *m, orr_tensor *x);
    bool owned; /* part of a composition: only that one frees it */
    bool users; /* calls a function of the user's, which may keep intermediate tensors */
    int nparam;
    const char *name[ORR__MODULE_PARAMETERS];
    orr_tensor *param[ORR__MODULE_PARAMETERS];
    int npart;
    orr_module **part;
    orr_activation activation;                    /* dense    */
    orr_tensor *(*fn)(orr_tensor *x, void *user); /* function */
    void *user;
};

orr_module *orr__module_new(orr_tensor *(*forward)(const char *file, int line, const orr_module *m, orr_tensor *x));
/* Adds a variable that starts as `value` and that the module keeps. */
orr_status orr__module_add(orr__site at, orr_module *m, const char *name, orr_tensor *value);

bool orr__module_is_dense(const orr_module *m);

/* Sets the last error to that of `t` (poison, stale) and returns it; ORR_OK for a sound tensor. */
orr_status orr__nn_check(orr__site at, const orr_tensor *t);
/* A variable with the value of `value` that belongs to no scope; NULL and last error on failure. */
orr_tensor *orr__nn_variable(orr__site at, orr_tensor *value);
/* Frees a kept variable; one that orr_shutdown has freed already is left alone. */
void orr__nn_drop(orr_tensor *v);
/* p[i].variable := the array p[i].name of `path`, for all i or none. */
orr_status orr__nn_load(orr__site at, const orr_parameter *p, int n, const char *path);
orr_status orr__nn_save(orr__site at, const orr_parameter *p, int n, const char *path);

#endif
