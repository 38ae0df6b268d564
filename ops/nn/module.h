/* A module's inside, shared by the files of this folder.
 * Must not know: optimisers. */
#ifndef ORR_OPS_NN_MODULE_H
#define ORR_OPS_NN_MODULE_H

#include <orrery/conv.h>
#include <orrery/nn.h>
#include "runtime/base/object.h"
#include "runtime/base/status.h"

enum { ORR__MODULE_NAME = 24 }; /* the longest name of a variable or a part, with its 0 */

/* The application of a module with one input, or with several. */
typedef orr_tensor *orr__forward(const char *file, int line, const orr_module *m, orr_tensor *x);
typedef orr_tensor *orr__forward_many(orr__site at, const orr_module *m, orr_tensor *const *x, int n);

struct orr_module {
    orr__forward *forward;   /* of one input; NULL: `many` is used        */
    orr__forward_many *many; /* of `least` to `most` inputs; NULL: one input */
    int least, most;
    const char *kind; /* for messages and orr_module_kind */
    bool owned;       /* part of a composition, which alone frees it */
    bool users;       /* calls a user's function, which may keep intermediate tensors */
    bool apart; /* each result is of its own place (batch, place, …), or of earlier ones by a cache; parts say so too */
    bool training;
    _Atomic uint64_t stranger; /* a variable that a function uses and the module does not own; 0: none */
    int nparam, nstate;
    char (*name)[ORR__MODULE_NAME];
    orr_tensor **param; /* changed by optimisers */
    char (*state_name)[ORR__MODULE_NAME];
    orr_tensor **state; /* saved with the parameters; no gradient */
    int npart;
    char (*part_name)[ORR__MODULE_NAME]; /* "": the part's number */
    orr_module **part;
    orr_activation activation;                    /* dense    */
    orr_tensor *(*fn)(orr_tensor *x, void *user); /* function */
    orr_module_fn *apply;                         /* orr_module_new */
    void (*release)(void *user);
    void *user;
    int64_t whole[5]; /* numbers of a layer: sizes, groups, heads, axes */
    double real[2];   /* eps and momentum, or a probability             */
    orr_status st;    /* of the first part that the program could not add, and its message; NULL: no memory for it */
    char *error;
};

extern const orr__object_kind orr__kind_module;
orr_module *orr__module_of(const char *kind, orr__forward *forward, orr__forward_many *many, int least, int most);
/* The dtype of products of layers on this thread; ORR_DTYPE_COUNT: that of their operands. */
orr_dtype orr__autocast(void);
/* Adds a variable that starts as `value` and that the module keeps. */
orr_status orr__module_add(orr__site at, orr_module *m, const char *name, orr_tensor *value);
orr_status orr__module_add_state(orr__site at, orr_module *m, const char *name, orr_tensor *value);
/* ORR_OK if m is a live module, and no addition of a part to it or to its parts has failed; else the last error. */
orr_status orr__module_check(orr__site at, const orr_module *m);
/* Keeps the last error as that of the module, unless st is ORR_OK: without an intended part, others have other numbers. */
void orr__module_spoil(orr_module *m, orr_status st);
/* Adds a part that the module frees; on error, also of a part that is NULL, the part is freed. name NULL: its number. */
orr_status orr__module_add_part(orr__site at, orr_module *m, const char *name, orr_module *part);
/* Returns the module if st is ORR_OK. Otherwise frees it and returns NULL. */
orr_module *orr__module_end(orr_module *m, orr_status st);
/* All parameters, then all states, with their paths. The caller frees the list. NULL on ORR_ENOMEM. */
orr_parameter *orr__module_list(const orr_module *m, int *n);
/* The first layer of m, itself or a part, that a cache cannot apply place after place, and its path, "" for m: it mixes the
 * places of a sequence, or needs more than one input. NULL: there is none. Parts of a program's own module are left out,
 * since the program decides to what they are applied. */
const orr_module *orr__module_mixes(const orr_module *m, char *path, size_t size);
/* True if a function of the module uses a variable that is none of p[0 … n). */
bool orr__module_stranger(const orr_module *m, const orr_parameter *p, int n);

bool orr__module_is_dense(const orr_module *m);
bool orr__module_is_sequence(const orr_module *m);
bool orr__module_is_batch_norm(const orr_module *m);
/* The options of a convolution; NULL if m is none. */
const orr_conv_options *orr__module_conv(const orr_module *m);

/* A callback for layers applied on this thread. Dense layers and convolutions call it with their input and their result
 * before the activation; it must keep these handles if it needs them later. */
typedef struct {
    void (*see)(void *user, const orr_module *m, orr_tensor *x, orr_tensor *z);
    void *user;
} orr__tap;
/* Sets the tap of this thread, NULL: none. Returns the previous one. */
const orr__tap *orr__module_tap(const orr__tap *tap);
void orr__module_seen(const orr_module *m, orr_tensor *x, orr_tensor *z);

/* Sets the last error to that of `t` (poison, stale) and returns it; ORR_OK for a sound tensor. */
orr_status orr__nn_check(orr__site at, const orr_tensor *t);
/* A variable that starts as `value` and belongs to no scope; NULL and last error on failure. */
orr_tensor *orr__nn_variable(orr__site at, orr_tensor *value);
/* Frees a kept variable; one that orr_shutdown has freed already is left alone. */
void orr__nn_drop(orr_tensor *v);
struct orr_optim;
/* Assigns the array p[i].name of `path` to p[i].variable, for all i or none. st: the status so far. o: of which they are the state;
 * NULL: none. Collective, also after an error, if any of the variables is distributed over ranks. */
orr_status orr__nn_load(orr__site at, orr_status st, const struct orr_optim *o, const orr_parameter *p, int n,
                        const char *path);
/* Replaces *t, a whole array with the status st, by the same array in the distribution of the variable. Collective. */
orr_status orr__nn_part(orr__site at, orr_status st, orr_tensor **t, orr_tensor *variable);
/* Writes n tensors into one .npz file, on rank 0. Collective; all ranks return the same status. st: the status of this rank so far. */
orr_status orr__nn_write(orr__site at, orr_status st, const char *path, const char *const *name, orr_tensor *const *t,
                         int n);
orr_status orr__nn_save(orr__site at, const orr_parameter *p, int n, const char *path);

#endif
