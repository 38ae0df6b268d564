/* The machine's profile and the performance models, for people.
 * Must not know: how they are measured. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <orrery/info.h>
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"
#include "runtime/cost/model.h"
#include "runtime/cost/profile.h"

typedef struct {
    orr_perfmodel *model;
    int n, max;
} list;

static void add(orr__class *c, orr__on on, const orr__timed *t, void *arg)
{
    list *l = arg;
    if (l->n < l->max) {
        orr_perfmodel *m = &l->model[l->n];
        double fitted = orr__model_fitted(c->kernel, c->row, on, t->size);
        *m = (orr_perfmodel){ .samples = t->n,
                              .size_us = t->size,
                              .mean_us = t->us,
                              .deviation_us = sqrt(t->spread),
                              .predicted_us = fitted > 0 ? fitted : t->us };
        (void)snprintf(m->kernel, sizeof m->kernel, "%s", c->label);
        (void)snprintf(m->device, sizeof m->device, "%s", orr__on_name[on]);
    }
    l->n++;
}

/* Before orr_init the profile is read from its file. */
static orr_status look(void)
{
    orr_status st = orr__engine_running() ? ORR_OK : orr__env_load();
    if (st == ORR_OK && !orr__engine_running())
        orr__models_load();
    return st;
}

orr_status orr_perfmodel_list(orr_perfmodel *models, int max, int *count)
{
    list l = { models, 0, models ? max : 0 };
    if (!count)
        return orr__fail(ORR__SITE(NULL, 0, "model_list"), ORR_EINVAL, "count is NULL");
    orr_status st = look();
    if (st == ORR_OK)
        orr__models_each(add, &l);
    *count = l.n;
    return st;
}

orr_status orr_perfmodel_clear(int *removed)
{
    orr_status st = look();
    int n = st == ORR_OK ? orr__models_clear() : 0;
    if (removed)
        *removed = n > 0 ? n : 0;
    return st != ORR_OK ? st : n < 0 ? ORR_EIO : ORR_OK;
}

orr_status orr_machine_measure(bool again)
{
    return orr__engine_measure(ORR__SITE(NULL, 0, "machine_measure"), again);
}

int orr_machine_list(orr_machine_number *numbers, int max)
{
    orr__profile now = *orr__profile_now(), fixed = orr__profile_fixed;
    const orr__profile_row *row;
    int n = 0;
    for (; (row = orr__profile_table((size_t)n)); n++)
        if (numbers && n < max) {
            orr_machine_number *to = &numbers[n];
            *to = (orr_machine_number){ .value = *orr__profile_at(&now, row), .fixed = *orr__profile_at(&fixed, row) };
            (void)snprintf(to->name, sizeof to->name, "%s", row->name);
            (void)snprintf(to->unit, sizeof to->unit, "%s", row->unit);
            (void)snprintf(to->meaning, sizeof to->meaning, "%s", row->meaning);
        }
    return n;
}
