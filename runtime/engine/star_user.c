/* Performance models of kernels that users define, one for each definition.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "ops/define.h"
#include "runtime/engine/star.h"

typedef struct model {
    struct model *next;
    const orr__define *user;
    struct starpu_perfmodel model;
    char symbol[80];
} model;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static model *all; /* as many as there are definitions; they stay */

struct starpu_perfmodel *orr__star_user_model(const orr__region *r, struct starpu_perfmodel *like)
{
    model *m;

    pthread_mutex_lock(&lock);
    for (m = all; m && m->user != r->user;)
        m = m->next;
    if (!m && (m = orr__alloc(sizeof *m))) {
        m->user = r->user;
        (void)snprintf(m->symbol, sizeof m->symbol, "orr_user_%s_%d", r->user->op.name, r->user->k.version);
        m->model.type = like->type;
        m->model.size_base = like->size_base;
        m->model.footprint = like->footprint;
        m->model.symbol = m->symbol;
        m->next = all;
        all = m;
    }
    pthread_mutex_unlock(&lock);
    return m ? &m->model : like;
}
