/* The file of models: times of tasks, and choices between variants of kernels, for later processes on this host. It has a line for each
 * class and kind of device, and for each choice.
 * Must not know: the use of the numbers. */
#include "config.h"
#include "runtime/base/minmax.h"
#include "runtime/cost/model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/variants.h"
#include "runtime/base/env.h"
#include "runtime/base/decimal.h"
#include "runtime/base/checked_file.h"
#include "runtime/cost/profile.h"

/* The number is increased when a line, a size or a kernel's key changes its meaning. */
#define HEAD "orrery models 2"
enum { LEAST = 2 };           /* samples that are worth keeping */
enum { CHOICES_MOST = 4096 }; /* limit of memory: each process reads and writes them all */

/* The name depends on the vectors in use, and on the mode, since times do. */
static void file_name(char *name, size_t size)
{
    char kind[32];
    (void)snprintf(kind, sizeof kind, "models%s%s", orr__profile_vectors(),
                   orr__env.flush_denormals == ORR__DENORMALS_FLUSHED ? "-flushed" : "");
    orr__sealed_name(kind, name, size);
}

static bool put_choice(const char *line)
{
    uint64_t kernel;
    uint32_t size;
    int n, chosen;
    if (sscanf(line, "choice %" SCNx64 " %" SCNx32 " %d %d", &kernel, &size, &n, &chosen) != 4)
        return false;
    orr__variants_put(kernel, size, n, chosen);
    return true;
}

static bool put_line(const char *line)
{
    if (put_choice(line))
        return true;
    orr__class c = { 0 };
    orr__timed t = { 0 };
    int kind, on, at = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNx32 " %" SCNx32 " %d %d %" SCNu32 " %lf %lf %lf %n", &c.kernel, &c.shape,
               &c.row, &kind, &on, &t.n, &t.us, &t.size, &t.spread, &at) != 9 ||
        at == 0 || kind < 0 || kind >= ORR__REGION_CLASSES || on < 0 || on >= ORR__ON_COUNT ||
        !(t.us > 0 && t.us < 1e12 && t.size > 0 && t.size < 1e12 && t.spread >= 0)) /* limit of a measurement */
        return false;
    c.kind = kind;
    (void)snprintf(c.label, sizeof c.label, "%s", line + at);
    orr__model_put(&c, (orr__on)on, &t);
    return true;
}

/* Reads the file into the table. False: there is none, or a line is not of this format. */
static bool take_in(void)
{
    char name[128], why[700], *save = NULL;
    file_name(name, sizeof name);
    char *body = orr__sealed_read(name, HEAD, true, why, sizeof why);
    bool ok = true;
    if (!body) {
        if (why[0])
            orr__log(2, "performance models are empty: %s", why);
        return false;
    }
    locale_t before = orr__point_begin();
    for (char *line = strtok_r(body, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ok = put_line(line) && ok;
    orr__point_end(before);
    free(body);
    return ok;
}

void orr__models_load(void)
{
    (void)orr__models_forget();
    (void)orr__variants_forget();
    if (orr__env.machine == ORR__MACHINE_FIXED)
        return;
    (void)take_in();
    (void)orr__models_purge();
}

typedef struct {
    char *text;
    size_t size, room;
    int choices;
    bool failed, used; /* used: the choices to be added */
} body;

static void add_text(body *b, const char *line, int n)
{
    size_t need = b->size + (size_t)n + 1;
    if (need > b->room) {
        size_t room = 2 * need + 4096;
        char *more = realloc(b->text, room);
        if (!more) {
            b->failed = true;
            return;
        }
        b->text = more;
        b->room = room;
    }
    memcpy(b->text + b->size, line, (size_t)n + 1);
    b->size += (size_t)n;
}

static void add_line(orr__class *c, orr__on on, const orr__timed *t, void *arg)
{
    body *b = arg;
    char line[256];
    if (t->n < LEAST || b->failed)
        return;
    add_text(b, line,
             snprintf(line, sizeof line,
                      "%016" PRIx64 " %08" PRIx32 " %08" PRIx32 " %d %d %" PRIu32 " %.6g %.6g %.6g %s\n", c->kernel,
                      c->shape, c->row, (int)c->kind, (int)on, t->n, t->us, t->size, t->spread, c->label));
}

/* A plan of each shape of a program has choices: those of this process come first. */
static void add_choice(const orr__variants *v, int chosen, void *arg)
{
    body *b = arg;
    char line[96];
    if (!b->failed && atomic_load(&v->used) == b->used && b->choices++ < CHOICES_MOST)
        add_text(b, line,
                 snprintf(line, sizeof line, "choice %016" PRIx64 " %08" PRIx32 " %d %d\n", v->kernel, v->size, v->n,
                          chosen));
}

void orr__models_store(void)
{
    char name[128], why[700];
    body b = { 0 };
    if (orr__env.machine == ORR__MACHINE_FIXED || !orr__env.cache_dir[0])
        return;
    bool older = take_in();
    locale_t before = orr__point_begin();
    orr__models_each(add_line, &b);
    for (int used = 1; used >= 0; used--) {
        b.used = used;
        orr__variants_each(add_choice, &b);
    }
    orr__point_end(before);
    file_name(name, sizeof name);
    if ((b.text || older) && !b.failed && !orr__sealed_write(name, HEAD, b.text ? b.text : "", why, sizeof why))
        orr__log(2, "performance models are not kept: %s", why);
    free(b.text);
}

int orr__models_clear(void)
{
    char name[128];
    int n = orr__models_forget();
    (void)orr__variants_forget();
    file_name(name, sizeof name);
    int gone = orr__sealed_remove(name);
    if (gone >= 0)
        return ORR__MAX(n, gone);
    (void)orr__fail(ORR__SITE(NULL, 0, "models"), ORR_EIO, "%s in %s cannot be removed: %s", name, orr__env.cache_dir,
                    strerror(errno));
    return -1;
}
