/* Checkpoints: saves the parts of a run to two generations of .npz files, and loads them.
 * Must not know: the file format, the rules of optimisers. */
#include "config.h"
#include <orrery/checkpoint.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery/distribute.h>
#include <orrery/eval.h>
#include <orrery/io.h>
#include "ops/nn/checkpoint.h"
#include "ops/nn/data_parallel.h"
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "ops/record.h"
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/shape.h"
#include "runtime/base/temporary.h"
#include "runtime/ranks/ranks.h"

enum { NAME = 64, ENTRY = 2 * NAME + 2 }; /* bytes of a part's name, and of an array's */

typedef struct {
    char name[NAME];
    orr_tensor *variable;
    orr_module *module;
    orr_optim *optim;
    void *data;
    size_t bytes;
    const orr__checkpoint_state *state; /* of `object`; NULL: another part */
    void *object;
} part;

struct orr_checkpoint {
    char path[4000];
    part *part;
    int n, cap;
    int64_t generation;
    double saved; /* time of the last save, of loading or of creation */
};

/* An array of the file: a variable, memory, or the bytes of an object. */
typedef struct {
    char name[ENTRY];
    orr_tensor *variable;
    const orr_optim *optim; /* of which it is state; NULL: none */
    void *data;
    size_t bytes;
    const orr__checkpoint_state *state;
    void *object;
} entry;

/* The parts as arrays, and further numbers. */
typedef struct {
    entry *at;
    int n, cap;
    double *number; /* steps and learning rate of each optimiser */
    uint64_t generator[2];
    int64_t generation;
} arrays;

static volatile sig_atomic_t caught;

/* -- the list ---------------------------------------------------------------------------------------------- */

static const orr__object_kind kind = { "checkpoint", sizeof(orr_checkpoint) };

orr_checkpoint *orr_checkpoint_new_at(const char *file, int line, const char *path)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_new");
    orr_checkpoint *c = NULL;
    if (!path || !*path || strlen(path) >= sizeof c->path - 16)
        (void)orr__fail(at, ORR_EINVAL, "the path is %s", !path ? "NULL" : *path ? "too long" : "empty");
    else if ((c = orr__object_new(&kind))) {
        (void)snprintf(c->path, sizeof c->path, "%s", path);
        c->saved = orr__now();
    }
    return c;
}

void orr_checkpoint_free(orr_checkpoint *c)
{
    if (!orr__object_there("checkpoint_free", &kind, c))
        return;
    free(c->part);
    orr__object_end(&kind, c);
}

/* The checkpoint and all its parts still exist. */
static orr_status check(orr__site at, const orr_checkpoint *c)
{
    orr_status st = orr__object_check(at, &kind, c);
    for (int i = 0; st == ORR_OK && i < c->n; i++) {
        const part *p = &c->part[i];
        const orr__object_kind *of = p->module ? &orr__kind_module : p->optim ? &orr__kind_optim : NULL;
        const void *object = p->module ? (void *)p->module : p->optim ? (void *)p->optim : p->object;
        of = p->state ? p->state->kind : of;
        if (of && !orr__object_is(of, object))
            st = orr__fail(at, ORR_EHANDLE, "the %s \"%s\" was freed before the checkpoint",
                           p->optim ? "optimiser" : of->noun, p->name);
    }
    return st;
}

static orr_status add(orr__site at, orr_checkpoint *c, const char *name, part p)
{
    orr_status st = orr__object_check(at, &kind, c);
    if (st != ORR_OK)
        return st;
    if (!name)
        return orr__fail(at, ORR_EINVAL, "the name is NULL");
    if (!*name || strlen(name) >= NAME || strchr(name, '/'))
        return orr__fail(at, ORR_EINVAL, "the name \"%.80s\" is empty, has a '/' or more than %d bytes", name,
                         NAME - 1);
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->part[i].name, name))
            return orr__fail(at, ORR_EINVAL, "there is a part \"%s\" already", name);
    part *more = orr__array_reserve(c->part, &c->cap, c->n + 1, sizeof *more);
    if (!more)
        return ORR_ENOMEM;
    c->part = more;
    (void)snprintf(p.name, sizeof p.name, "%s", name);
    c->part[c->n++] = p;
    return ORR_OK;
}

orr_status orr_checkpoint_add_variable_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                          orr_tensor *variable)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_add_variable");
    orr_status st = orr__nn_check(at, variable);
    if (st != ORR_OK)
        return st;
    if (!orr__handle_is_variable(variable))
        return orr__fail(at, ORR_EINVAL, "\"%s\" is no variable: its value cannot change", name ? name : "?");
    return add(at, c, name, (part){ .variable = variable });
}

orr_status orr_checkpoint_add_module_at(const char *file, int line, orr_checkpoint *c, const char *name, orr_module *m)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_add_module");
    orr_status st = orr__module_check(at, m);
    return st == ORR_OK ? add(at, c, name, (part){ .module = m }) : st;
}

orr_status orr_checkpoint_add_optim_at(const char *file, int line, orr_checkpoint *c, const char *name, orr_optim *o)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_add_optim");
    orr_status st = orr__object_check(at, &orr__kind_optim, o);
    return st == ORR_OK ? add(at, c, name, (part){ .optim = o }) : st;
}

orr_status orr_checkpoint_add_bytes_at(const char *file, int line, orr_checkpoint *c, const char *name, void *data,
                                       size_t bytes)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_add_bytes");
    if (!data || bytes == 0)
        return orr__fail(at, ORR_EINVAL, "the memory is %s", data ? "empty" : "NULL");
    return add(at, c, name, (part){ .data = data, .bytes = bytes });
}

orr_status orr__checkpoint_add_state(orr__site at, orr_checkpoint *c, const char *name,
                                     const orr__checkpoint_state *how, void *object)
{
    orr_status st = orr__object_check(at, how->kind, object);
    return st == ORR_OK ? add(at, c, name, (part){ .state = how, .object = object }) : st;
}

/* -- arrays of a file -------------------------------------------------------------------------------------- */

/* An array "PART" or "PART/NAME". false: no memory. */
static bool append(arrays *a, const char *of, const char *name, entry e)
{
    entry *more = orr__array_reserve(a->at, &a->cap, a->n + 1, sizeof *more);
    if (!more)
        return false;
    a->at = more;
    (void)snprintf(e.name, sizeof e.name, "%s%s%s", of, *name ? "/" : "", name);
    a->at[a->n++] = e;
    return true;
}

static bool append_variables(arrays *a, const char *of, const orr_optim *o, const orr_parameter *p, int n)
{
    bool ok = p != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = append(a, of, p[i].name, (entry){ .variable = p[i].variable, .optim = o });
    return ok;
}

static bool append_optim(arrays *a, const part *p, double *number)
{
    int n = orr_optim_state(p->optim, NULL, 0);
    orr_parameter *state = orr__alloc_n((size_t)n + 1, sizeof *state);
    if (state)
        (void)orr_optim_state(p->optim, state, n);
    number[0] = (double)p->optim->t;
    number[1] = orr_optim_lr(p->optim);
    bool ok = append_variables(a, p->name, p->optim, state, n) &&
              append(a, p->name, "steps and rate", (entry){ .data = number, .bytes = 2 * sizeof *number });
    free(state);
    return ok;
}

static bool append_module(arrays *a, const part *p)
{
    int n;
    orr_parameter *list = orr__module_list(p->module, &n);
    bool ok = append_variables(a, p->name, NULL, list, n);
    free(list);
    return ok;
}

/* Lists the parts as arrays; the program's memory is not copied. */
static bool collect(const orr_checkpoint *c, arrays *a)
{
    *a = (arrays){ .number = orr__alloc_n(2 * (size_t)c->n + 1, sizeof *a->number) };
    bool ok = a->number &&
              append(a, "checkpoint", "generation", (entry){ .data = &a->generation, .bytes = sizeof a->generation }) &&
              append(a, "checkpoint", "generator", (entry){ .data = a->generator, .bytes = sizeof a->generator });
    for (int i = 0; ok && i < c->n; i++) {
        const part *p = &c->part[i];
        ok = p->module  ? append_module(a, p)
             : p->optim ? append_optim(a, p, &a->number[2 * i])
                        : append(a, p->name, "",
                                 (entry){ .variable = p->variable,
                                          .data = p->data,
                                          .bytes = p->bytes,
                                          .state = p->state,
                                          .object = p->object });
    }
    return ok;
}

static void arrays_free(arrays *a)
{
    free(a->at);
    free(a->number);
}

static void file_name(const orr_checkpoint *c, int64_t generation, char *path, size_t size)
{
    (void)snprintf(path, size, "%s.%d.npz", c->path, (int)(generation & 1));
}

/* -- saving ------------------------------------------------------------------------------------------------ */

/* The bytes of an object; NULL: an error. */
static orr_tensor *state_of(orr__site at, const entry *e)
{
    size_t bytes = 0;
    void *data = e->state->save(at, e->object, &bytes);
    orr_tensor *t = data ? orr_from_at(at.file, at.line, ORR_U8, ORR_SHAPE((int64_t)bytes), data) : NULL;
    free(data);
    return t;
}

/* The entry as a tensor that a file can hold: bytes as u8, bfloat16 as float32. */
static orr_tensor *storable(orr__site at, const entry *e)
{
    if (e->state)
        return state_of(at, e);
    if (!e->variable)
        return orr_from_at(at.file, at.line, ORR_U8, ORR_SHAPE((int64_t)e->bytes), e->data);
    return orr_tensor_dtype(e->variable) == ORR_BF16 ? orr_cast_at(at.file, at.line, e->variable, ORR_F32)
                                                     : e->variable;
}

static orr_status write_file(orr__site at, const arrays *a, const char *path)
{
    const char **name = orr__alloc_n((size_t)a->n, sizeof *name);
    orr_tensor **t = orr__alloc_n((size_t)a->n, sizeof *t);
    orr_status st = name && t ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < a->n; i++) {
        name[i] = a->at[i].name;
        t[i] = storable(at, &a->at[i]);
        st = t[i] ? ORR_OK : orr_error_status();
    }
    st = orr__nn_write(at, st, path, name, t, a->n);
    free(name);
    free(t);
    return st;
}

static bool is_damage(orr_status st)
{
    return st == ORR_EFORMAT || st == ORR_EIO;
}

/* *g: the generation of a file; 0: no such file; −1: damaged, with the last error set. Lack of memory is an error. */
static orr_status generation_of(orr__site at, const char *path, int64_t *g)
{
    unsigned char bytes[sizeof *g];
    *g = 0;
    orr__temporary_sweep(path);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return ORR_OK;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_read_at(at.file, at.line, orr_load_npz_at(at.file, at.line, path, "checkpoint/generation"),
                                bytes, sizeof bytes);
    if (st == ORR_OK)
        memcpy(g, bytes, sizeof *g);
    *g = st == ORR_OK && *g > 0 ? *g : -1;
    (void)orr_scope_end(s);
    (void)orr__fail_as(at, st);
    return st == ORR_ENOMEM || st == ORR_EDEVICE ? st : ORR_OK;
}

/* The newest generation in the files. A new run over old files continues from it, so that its files are newer. */
static orr_status newest_generation(orr__site at, const orr_checkpoint *c, int64_t *newest)
{
    char path[4096];
    orr_status st = ORR_OK;
    *newest = 0;
    for (int i = 0; i < 2 && st == ORR_OK; i++) {
        int64_t g;
        file_name(c, i, path, sizeof path);
        st = generation_of(at, path, &g);
        *newest = g > *newest ? g : *newest;
    }
    if (st == ORR_OK)
        orr_error_clear(); /* a damaged file is overwritten */
    return st;
}

orr_status orr_checkpoint_save_at(const char *file, int line, orr_checkpoint *c)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_save");
    char path[4096];
    arrays a;
    orr_status there = check(at, c);
    if (there != ORR_OK)
        return there;
    orr_scope *s = orr_scope_begin();
    orr_status st = s && collect(c, &a) ? ORR_OK : ORR_ENOMEM;
    int64_t newest = c->generation;
    if (st == ORR_OK && newest == 0)
        st = newest_generation(at, c, &newest);
    st = orr__ranks_agree(at, st);
    if (st == ORR_OK) {
        a.generation = newest + 1;
        orr__random_state(a.generator);
        file_name(c, a.generation, path, sizeof path);
        st = write_file(at, &a, path);
    }
    st = orr__ranks_agree(at, st);
    if (st == ORR_OK) {
        c->generation = a.generation;
        c->saved = orr__now();
    }
    if (s)
        arrays_free(&a);
    (void)orr_scope_end(s);
    return st;
}

/* -- loading ----------------------------------------------------------------------------------------------- */

static orr_status check_names(orr__site at, const arrays *a, const char *path)
{
    char **name;
    int n;
    orr_status st = orr_npz_names_at(at.file, at.line, path, &name, &n);
    if (st != ORR_OK)
        return st;
    for (int i = 0; st == ORR_OK && (i < a->n || i < n); i++)
        if (i >= n || i >= a->n || strcmp(name[i], a->at[i].name) != 0)
            st = orr__fail(at, ORR_EINVAL, "%s is of another run: array %d is \"%s\", and \"%s\" is expected", path, i,
                           i < n ? name[i] : "missing", i < a->n ? a->at[i].name : "none");
    orr_npz_names_free(name);
    return st;
}

static orr_status check_fit(orr__site at, const entry *e, const orr_tensor *t, const char *path)
{
    orr_shape have = orr_tensor_shape(t), want = e->variable ? orr_tensor_shape(e->variable)
                                                 : e->state  ? ORR_SHAPE(orr_tensor_size(t))
                                                             : ORR_SHAPE((int64_t)e->bytes);
    orr_dtype d = e->variable ? orr_tensor_dtype(e->variable) : ORR_U8;
    if (!orr__shape_equal(&have, &want))
        return orr__fail(at, ORR_ESHAPE, "%s: \"%s\" has shape %s, and the run has %s", path, e->name, orr__str(have).s,
                         orr__str(want).s);
    if (orr_tensor_dtype(t) != (d == ORR_BF16 ? ORR_F32 : d))
        return orr__fail(at, ORR_EDTYPE, "%s: \"%s\" has %s, and the run has %s", path, e->name,
                         orr_dtype_name(orr_tensor_dtype(t)), orr_dtype_name(d));
    return ORR_OK;
}

/* Passes the bytes of a file to their object. */
static orr_status prepare_state(orr__site at, const entry *e, const char *path, orr_tensor *t)
{
    size_t bytes = (size_t)orr_tensor_size(t);
    void *data = orr__alloc(bytes + 1);
    orr_status st = data ? orr_read_at(at.file, at.line, t, data, bytes) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = e->state->prepare(at, e->object, path, data, bytes);
    free(data);
    return st;
}

static orr_status read_array(orr__site at, const entry *e, const char *path, orr_tensor **value, unsigned char *memory)
{
    orr_tensor *t = orr_load_npz_at(at.file, at.line, path, e->name);
    t = orr__optim_fit(at, e->optim, e->variable, t);
    orr_status st = orr__nn_check(at, t);
    if (st == ORR_OK)
        st = check_fit(at, e, t, path);
    if (st == ORR_OK && e->state)
        st = prepare_state(at, e, path, t);
    else if (st == ORR_OK && !e->variable)
        st = orr_read_at(at.file, at.line, t, memory, e->bytes);
    (void)orr__fail_as(at, st);
    if (!e->variable)
        return orr__ranks_agree(at, st);
    if (st == ORR_OK)
        t = orr_cast_at(at.file, at.line, t, orr_tensor_dtype(e->variable));
    if (orr__ranks() > 1)
        st = orr__nn_part(at, st, &t, e->variable);
    *value = t;
    return st;
}

/* Reads the values of variables to `value`, and all arrays in memory to `memory`, one after another. */
static orr_status read_file(orr__site at, const arrays *a, const char *path, orr_tensor **variable, orr_tensor **value,
                            int *n, unsigned char *memory)
{
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < a->n; i++) {
        const entry *e = &a->at[i];
        orr_tensor *t = NULL;
        orr_scope *s = orr_scope_begin(); /* ranks with a part do not keep the whole */
        st = read_array(at, e, path, &t, memory);
        if (st == ORR_OK && e->variable) {
            variable[*n] = e->variable;
            value[(*n)++] = s ? orr_scope_return_at(at.file, at.line, s, t) : t;
        }
        memory += e->variable ? 0 : e->bytes; /* 0 bytes of an object */
        if (s)
            (void)orr_scope_end(s);
    }
    return st;
}

static void take_over(orr_checkpoint *c, arrays *a, const unsigned char *memory)
{
    for (int i = 0; i < a->n; i++)
        if (a->at[i].state) {
            a->at[i].state->load(a->at[i].object);
        } else if (!a->at[i].variable) {
            memcpy(a->at[i].data, memory, a->at[i].bytes);
            memory += a->at[i].bytes;
        }
    for (int i = 0; i < c->n; i++)
        if (c->part[i].optim) {
            c->part[i].optim->t = (int64_t)a->number[2 * i];
            (void)orr_optim_set_lr(c->part[i].optim, a->number[2 * i + 1]);
        }
    orr__random_restore(a->generator);
    c->generation = a->generation;
    c->saved = orr__now();
}

static orr_status load_file(orr__site at, orr_checkpoint *c, arrays *a, const char *path)
{
    size_t bytes = 1;
    int n = 0;
    for (int i = 0; i < a->n; i++)
        bytes += a->at[i].variable ? 0 : a->at[i].bytes;
    unsigned char *memory = orr__alloc(bytes);
    orr_tensor **variable = orr__alloc_n((size_t)a->n, sizeof *variable),
               **value = orr__alloc_n((size_t)a->n, sizeof *value);
    orr_status st = memory && variable && value ? check_names(at, a, path) : ORR_ENOMEM;
    st = orr__ranks_agree(at, st);
    if (st == ORR_OK)
        st = read_file(at, a, path, variable, value, &n, memory);
    if (st == ORR_OK)
        st = orr_assign_all_at(at.file, at.line, variable, value, n);
    if (st == ORR_OK)
        take_over(c, a, memory);
    free(memory);
    free(variable);
    free(value);
    return st;
}

static orr_status greatest(orr__site at, orr_dtype dtype, void *x, int n)
{
    if (orr__ranks() == 1)
        return ORR_OK;
    orr__exchange e = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = dtype,
                        .group = orr__group_all(),
                        .in = x,
                        .out = x,
                        .count = n,
                        .name = "checkpoint" };
    return orr__exchange_wait(at, &e);
}

/* Checks that all ranks see the same files. */
static orr_status check_generations(orr__site at, orr_status st, const orr_checkpoint *c, const int64_t g[2])
{
    int64_t ends[4] = { g[0], g[1], -g[0], -g[1] };
    st = orr__ranks_agree(at, st);
    if (st == ORR_OK)
        st = greatest(at, ORR_I64, ends, 4);
    return st != ORR_OK || (ends[0] == -ends[2] && ends[1] == -ends[3])
               ? st
               : orr__fail(at, ORR_ERANK,
                           "the ranks see different files %s.0.npz and %s.1.npz: they must be on a disk that all ranks "
                           "see, or the same on each",
                           c->path, c->path);
}

/* True if the file was damaged for some rank and no other error occurred: the other generation is then read. */
static bool damaged(orr__site at, orr_status st)
{
    uint8_t is[2] = { is_damage(st), st != ORR_OK && st != ORR_ERANK && !is_damage(st) };
    return greatest(at, ORR_U8, is, 2) == ORR_OK && is[0] && !is[1];
}

orr_status orr_checkpoint_load_at(const char *file, int line, orr_checkpoint *c, bool *found)
{
    orr__site at = ORR__SITE(file, line, "checkpoint_load");
    char path[2][4096];
    int64_t g[2];
    arrays a;
    if (found)
        *found = false;
    orr_status there = check(at, c);
    if (there != ORR_OK)
        return there;
    orr_status st = ORR_OK;
    for (int i = 0; i < 2; i++) {
        file_name(c, i, path[i], sizeof path[i]);
        orr_status one = generation_of(at, path[i], &g[i]);
        st = st == ORR_OK ? one : st;
        if (g[i] < 0)
            orr__log(1, "%s is left out: %s", path[i], orr_error_message());
    }
    st = check_generations(at, st, c, g);
    if (st != ORR_OK || (g[0] == 0 && g[1] == 0))
        return st;
    orr_scope *s = orr_scope_begin();
    st = orr__ranks_agree(at, s && collect(c, &a) ? ORR_OK : ORR_ENOMEM);
    bool room = st == ORR_OK;
    st = room ? ORR_EFORMAT : st;
    for (int turn = 0; room && turn < 2 && (turn == 0 || damaged(at, st)); turn++) {
        int i = (g[1] > g[0]) ^ turn; /* the newer one, then the other */
        if (g[i] <= 0)
            continue;
        if (turn == 1 && g[1 - i] > 0)
            orr__log(1, "%s is left out: %s", path[1 - i], orr_error_message());
        st = load_file(at, c, &a, path[i]);
    }
    if (s)
        arrays_free(&a);
    (void)orr_scope_end(s);
    if (st == ORR_OK)
        orr_error_clear();
    if (found)
        *found = st == ORR_OK;
    return st;
}

int64_t orr_checkpoint_generation(const orr_checkpoint *c)
{
    return orr__object_there("checkpoint_generation", &kind, c) ? c->generation : 0;
}

/* -- time -------------------------------------------------------------------------------------------------- */

static void note(int signal)
{
    (void)signal;
    caught = 1;
}

orr_status orr_checkpoint_catch_at(const char *file, int line, int number)
{
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART };
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, NULL) != 0)
        return orr__fail(ORR__SITE(file, line, "checkpoint_catch"), ORR_EINVAL, "signal %d cannot be caught: %s",
                         number, strerror(errno));
    return ORR_OK;
}

bool orr_checkpoint_stopping(void)
{
    return caught;
}

bool orr_checkpoint_due(const orr_checkpoint *c, double seconds)
{
    return caught || (orr__object_there("checkpoint_due", &kind, c) && orr__now() - c->saved >= seconds);
}
