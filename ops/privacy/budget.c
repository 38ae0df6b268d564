/* Budgets: uses are booked before they happen, and refused beyond the limit; in memory, in a file of several processes, and in
 * checkpoints.
 * Must not know: the formulas of accountants; tensors; the form of a ledger. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ops/nn/checkpoint.h"
#include "ops/privacy/budget.h"
#include "ops/privacy/ledger.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/secret.h"

/* If the other entries stay, `times` of the entry `recent` may grow to `safe`. */
struct orr_dp_budget {
    orr__ledger l;
    char *path; /* of the file that has the uses as well; NULL: none */
    unsigned allow;
    uint64_t process; /* that made the budget */
    int recent;
    int64_t safe;
    bool ahead;         /* of its file, by a checkpoint without a ledger: the next write has both */
    orr__ledger loaded; /* from a checkpoint, checked; no uses: none */
};

static const orr__object_kind kind = { "budget", sizeof(orr_dp_budget) };

orr_dp_budget *orr_dp_budget_new_at(const char *file, int line, orr_dp_accountant how, double epsilon, double delta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_new");
    if (orr__dp_check_delta(at, how, delta) != ORR_OK)
        return NULL;
    if (!(epsilon > 0.0 && isfinite(epsilon))) {
        (void)orr__fail(at, ORR_EINVAL, "ε must be finite and > 0, not %g", epsilon);
        return NULL;
    }
    orr_dp_budget *b = orr__object_new(&kind);
    if (!b) {
        (void)orr__fail_place(at, ORR_ENOMEM);
        return NULL;
    }
    *b = (orr_dp_budget){ .l = { .how = how, .epsilon = epsilon, .delta = delta },
                          .process = orr__fork_number(),
                          .recent = -1 };
    return b;
}

void orr_dp_budget_free(orr_dp_budget *b)
{
    if (!orr__object_there("dp_budget_free", &kind, b))
        return;
    orr__ledger_clear(&b->l);
    orr__ledger_clear(&b->loaded);
    free(b->path);
    orr__object_end(&kind, b);
}

orr_status orr_dp_budget_allow_at(const char *file, int line, orr_dp_budget *b, unsigned what)
{
    orr__site at = ORR__SITE(file, line, "dp_budget_allow");
    orr_status st = orr__object_check(at, &kind, b);
    if (st == ORR_OK && (what & ~(unsigned)(ORR_DP_OLDER | ORR_DP_MOVED)))
        st = orr__fail(at, ORR_EINVAL, "%u is no sum of ORR_DP_OLDER and ORR_DP_MOVED", what);
    if (st == ORR_OK)
        b->allow = what;
    return st;
}

/* -- two states of one budget -------------------------------------------------------------------------------- */

static double spent_of(orr__site at, const orr_dp_budget *b, const orr__ledger *l)
{
    double spent = 0.0;
    (void)orr__dp_epsilon_of(at, b->l.how, l->use, l->n, b->l.delta, &spent);
    return spent;
}

/* Refuses an older state, `mine`, beside a newer one, `its`. */
static orr_status refuse_older(orr__site at, const orr_dp_budget *b, const char *older, const orr__ledger *mine,
                               const char *newer, const orr__ledger *its)
{
    if ((b->allow & ORR_DP_OLDER) || !orr__ledger_older(mine, its))
        return ORR_OK;
    return orr__fail(
        at, ORR_ESTATE,
        "%s has spent ε %.6g at δ %g, and %s has ε %.6g: a run does not go back. Where that is meant (a run "
        "that was cut after its checkpoint, a second process), orr_dp_budget_allow(b, ORR_DP_OLDER) "
        "continues from the larger numbers",
        older, spent_of(at, b, mine), b->l.delta, newer, spent_of(at, b, its));
}

static orr_status check_file(orr__site at, const orr_dp_budget *b, const char *path, const orr__ledger *in_file)
{
    const orr__ledger *l = &b->l;
    if (in_file->how != l->how || in_file->epsilon != l->epsilon || in_file->delta != l->delta)
        return orr__fail(at, ORR_EINVAL, "the ledger %s has the limit ε %g at δ %g%s, and this budget ε %g at δ %g%s",
                         path, in_file->epsilon, in_file->delta, in_file->how == ORR_DP_PLD ? " (PLD)" : " (RDP)",
                         l->epsilon, l->delta, l->how == ORR_DP_PLD ? " (PLD)" : " (RDP)");
    if (l->id[0] && strcmp(l->id, in_file->id) != 0)
        return orr__fail(at, ORR_ESTATE, "%s is another ledger than the one of this run: its number is %.8s, not %.8s",
                         path, in_file->id, l->id);
    return b->ahead ? ORR_OK : refuse_older(at, b, "the ledger", in_file, "this run", l);
}

/* Locks the budget's file and reads it. */
static orr_status lock_file(orr__site at, const orr_dp_budget *b, orr__ledger_file *f, orr__ledger *in_file)
{
    bool missing;
    orr_status st = orr__ledger_open(at, b->path, b->allow & ORR_DP_MOVED, f, in_file, &missing);
    if (st == ORR_OK && missing)
        return orr__fail(at, ORR_ESTATE, "the ledger %s was removed, and this run has spent ε %.6g at δ %g", b->path,
                         spent_of(at, b, &b->l), b->l.delta);
    if (st == ORR_OK && (st = check_file(at, b, b->path, in_file)) != ORR_OK) {
        orr__ledger_clear(in_file);
        orr__ledger_close(f);
    }
    return st;
}

/* Raises the uses to those of another process. */
static orr_status take_over(orr__site at, orr_dp_budget *b, const orr__ledger *from)
{
    int recent = b->recent;
    for (int i = 0; i < from->n; i++)
        if (recent != orr__ledger_find(&b->l, from->use[i].m) &&
            from->use[i].times > orr__ledger_times(&b->l, from->use[i].m))
            b->recent = -1;
    return orr__ledger_raise(at, &b->l, from);
}

/* Locks the budget's file and takes over its uses. */
static orr_status begin(orr__site at, orr_dp_budget *b, orr__ledger_file *f)
{
    orr__ledger in_file;
    orr_status st = lock_file(at, b, f, &in_file);
    if (st != ORR_OK)
        return st;
    st = take_over(at, b, &in_file);
    if (st != ORR_OK)
        orr__ledger_close(f);
    orr__ledger_clear(&in_file);
    return st;
}

/* The uses of all processes. */
static orr_status refresh(orr__site at, orr_dp_budget *b)
{
    orr__ledger_file f;
    orr_status st = b->path ? begin(at, b, &f) : ORR_OK;
    if (st == ORR_OK && b->path)
        orr__ledger_close(&f);
    return st;
}

/* -- ledgers --------------------------------------------------------------------------------------------------- */

static orr_status new_id(orr__site at, char id[ORR__LEDGER_ID])
{
    unsigned char byte[(ORR__LEDGER_ID - 1) / 2];
    orr_status st = orr__secret_random(at, byte, sizeof byte);
    for (size_t i = 0; st == ORR_OK && i < sizeof byte; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", byte[i]);
    return st;
}

/* The path from the root, by which a later change of the working directory has no effect; a link's target, since the file is replaced. */
static char *whole_path(const char *path)
{
    char *there = realpath(path, NULL);
    if (there || errno != ENOENT)
        return there;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    char *root = folder ? realpath(folder, NULL) : NULL;
    size_t size = root ? strlen(root) + strlen(name) + 2 : 0;
    char *whole = root ? malloc(size) : NULL;
    if (whole)
        (void)snprintf(whole, size, "%s/%s", strcmp(root, "/") ? root : "", name);
    int why = errno;
    free(root);
    free(folder);
    errno = why;
    return whole;
}

/* Makes the file with the uses so far. */
static orr_status start_file(orr__site at, orr_dp_budget *b, const char *path)
{
    if (b->l.id[0] && !(b->allow & ORR_DP_MOVED))
        return orr__fail(at, ORR_ESTATE,
                         "there is no ledger %s, and this run has one, number %.8s: give its path. If it is lost, "
                         "orr_dp_budget_allow(b, ORR_DP_MOVED) makes a new one with ε %.6g at δ %g",
                         path, b->l.id, spent_of(at, b, &b->l), b->l.delta);
    char before[ORR__LEDGER_ID];
    memcpy(before, b->l.id, sizeof before);
    orr_status st = b->l.id[0] ? ORR_OK : new_id(at, b->l.id);
    if (st == ORR_OK)
        st = orr__ledger_create(at, path, &b->l);
    if (st != ORR_OK)
        memcpy(b->l.id, before, sizeof before);
    return st;
}

/* Continues the file, which is locked. */
static orr_status join_file(orr__site at, orr_dp_budget *b, orr__ledger_file *f, const orr__ledger *in_file)
{
    orr_status st = check_file(at, b, f->path, in_file);
    if (st == ORR_OK)
        st = refuse_older(at, b, "this run", &b->l, "the ledger", in_file);
    bool write = (b->allow & ORR_DP_MOVED) || orr__ledger_older(in_file, &b->l);
    if (st == ORR_OK)
        st = take_over(at, b, in_file);
    if (st == ORR_OK)
        memcpy(b->l.id, in_file->id, sizeof b->l.id);
    return st == ORR_OK && write ? orr__ledger_write(f, &b->l) : st;
}

static orr_status keep(orr__site at, orr_dp_budget *b, const char *path)
{
    orr__ledger in_file;
    orr__ledger_file f;
    bool missing;
    orr_status st = orr__ledger_open(at, path, b->allow & ORR_DP_MOVED, &f, &in_file, &missing);
    if (st != ORR_OK)
        return st;
    if (missing) {
        st = start_file(at, b, path);
        if (st != ORR_EIO || errno != EEXIST)
            return st;
        st = orr__ledger_open(at, path, false, &f, &in_file, &missing); /* another process has made it meanwhile */
        if (st != ORR_OK || missing)
            return st != ORR_OK ? st : orr__fail(at, ORR_EIO, "the ledger %s appears and vanishes", path);
    }
    st = join_file(at, b, &f, &in_file);
    orr__ledger_clear(&in_file);
    orr__ledger_close(&f);
    return st;
}

/* Without a file, parent and child would each spend the rest. */
static orr_status check_process(orr__site at, const orr_dp_budget *b)
{
    if (b->path || b->process == orr__fork_number())
        return ORR_OK;
    return orr__fail(at, ORR_ESTATE,
                     "this budget belongs to the process that made it, not to a forked one: two processes spend one "
                     "budget if it is kept in a file before the fork (orr_dp_budget_keep)");
}

orr_status orr_dp_budget_keep_at(const char *file, int line, orr_dp_budget *b, const char *path)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_keep");
    orr_status st = orr__object_check(at, &kind, b);
    if (st == ORR_OK)
        st = check_process(at, b);
    if (st == ORR_OK && (!path || !*path))
        st = orr__fail(at, ORR_EINVAL, "the path is %s", path ? "empty" : "NULL");
    if (st == ORR_OK && b->path)
        st = orr__fail(at, ORR_ESTATE, "this budget is kept in %s already", b->path);
    if (st != ORR_OK)
        return st;
    char *whole = whole_path(path);
    if (!whole)
        return orr__fail(at, errno == ENOMEM ? ORR_ENOMEM : ORR_EIO, "%s: %s", path, strerror(errno));
    st = keep(at, b, whole);
    if (st == ORR_OK)
        b->path = whole;
    else
        free(whole);
    return st;
}

/* -- uses ------------------------------------------------------------------------------------------------------- */

static orr_status within(orr__site at, orr_dp_budget *b, orr_dp_accountant how, int entry, int64_t total, bool *yes)
{
    int64_t had = b->l.use[entry].times;
    double spent;
    b->l.use[entry].times = total;
    orr_status st = orr__dp_epsilon_of(at, how, b->l.use, b->l.n, b->l.delta, &spent);
    b->l.use[entry].times = had;
    *yes = spent <= b->l.epsilon;
    return st;
}

/* Raises *good from a total of the entry that fits to the largest that does. The first step is `step`. */
static orr_status grow(orr__site at, orr_dp_budget *b, orr_dp_accountant how, int entry, int64_t step, int64_t *good)
{
    int64_t bad = ORR__DP_MOST_TIMES + 1;
    bool yes = true;
    orr_status st = ORR_OK;
    for (; st == ORR_OK && yes && *good + step < bad; step *= 8) {
        st = within(at, b, how, entry, *good + step, &yes);
        if (yes)
            *good += step;
        else
            bad = *good + step;
    }
    while (st == ORR_OK && bad - *good > 1) {
        int64_t mid = *good + (bad - *good) / 2;
        st = within(at, b, how, entry, mid, &yes);
        if (yes)
            *good = mid;
        else
            bad = mid;
    }
    return st;
}

/* Finds the largest total of the entry that fits; it holds until another entry grows. The search with the slow
 * accountant starts at the result of the quick one. */
static orr_status find_safe(orr__site at, orr_dp_budget *b, int entry)
{
    if (b->recent == entry)
        return ORR_OK;
    int64_t had = b->l.use[entry].times, good = had;
    orr_status st = grow(at, b, ORR_DP_RDP, entry, 1, &good);
    if (st == ORR_OK && b->l.how == ORR_DP_PLD) {
        bool yes;
        st = within(at, b, b->l.how, entry, good, &yes);
        good = yes ? good : had;
        if (st == ORR_OK)
            st = grow(at, b, b->l.how, entry, (good - had) / 16 + 1, &good);
    }
    if (st == ORR_OK) {
        b->recent = entry;
        b->safe = good;
    }
    return st;
}

/* Finds the entry of m, which is added if it does not exist, and the largest total that fits. */
static orr_status find_entry(orr__site at, orr_dp_budget *b, orr_dp_mechanism m, int *entry)
{
    orr_status st = orr__ledger_set(at, &b->l, m, orr__ledger_times(&b->l, m));
    *entry = orr__ledger_find(&b->l, m);
    return st == ORR_OK ? find_safe(at, b, *entry) : st;
}

/* f: the budget's file, locked; NULL: it has none. */
static orr_status book(orr__site at, orr_dp_budget *b, orr__ledger_file *f, orr_dp_mechanism m, int64_t times)
{
    int entry = 0;
    orr_status st = find_entry(at, b, m, &entry);
    if (st != ORR_OK)
        return st;
    int64_t left = b->safe - b->l.use[entry].times;
    if (times > left)
        return orr__fail(
            at, ORR_ESTATE,
            "the budget of ε %g at δ %g is spent up to ε %.6g: of %s %g with q %g, %lld more uses fit, not %lld",
            b->l.epsilon, b->l.delta, spent_of(at, b, &b->l), orr__dp_kind_names[m.kind], m.noise, m.q, (long long)left,
            (long long)times);
    b->l.use[entry].times += times;
    st = f ? orr__ledger_write(f, &b->l) : ORR_OK;
    if (st != ORR_OK)
        b->l.use[entry].times -= times;
    else
        b->ahead = false;
    return st;
}

orr_status orr_dp_budget_spend_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m, int64_t times)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_spend");
    orr__ledger_file f;
    orr_status st = orr__dp_check_times(at, times);
    if (st == ORR_OK)
        st = orr__object_check(at, &kind, b);
    if (st == ORR_OK)
        st = orr__dp_check(at, m);
    if (st == ORR_OK)
        st = check_process(at, b);
    if (st == ORR_OK && b->l.id[0] && !b->path)
        st = orr__fail(at, ORR_ESTATE,
                       "this run has a ledger, number %.8s: call orr_dp_budget_keep with its path first", b->l.id);
    if (st != ORR_OK || m.q == 0.0 || times == 0)
        return st;
    if (!b->path)
        return book(at, b, NULL, m, times);
    int entry; /* the slow search, before others wait for the lock: it holds if they book uses of m alone */
    st = find_entry(at, b, m, &entry);
    if (st == ORR_OK)
        st = begin(at, b, &f);
    if (st == ORR_OK) {
        st = book(at, b, &f, m, times);
        orr__ledger_close(&f);
    }
    return st;
}

orr_status orr_dp_budget_left_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m, int64_t *times)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_left");
    int entry = 0;
    if (!times)
        return orr__fail(at, ORR_EINVAL, "the place for the number is NULL");
    orr_status st = orr__object_check(at, &kind, b);
    if (st == ORR_OK)
        st = orr__dp_check(at, m);
    if (st == ORR_OK)
        st = refresh(at, b);
    if (st == ORR_OK && m.q > 0.0)
        st = find_entry(at, b, m, &entry);
    if (st == ORR_OK)
        *times = m.q > 0.0 ? b->safe - b->l.use[entry].times : ORR__DP_MOST_TIMES;
    return st;
}

orr_status orr_dp_budget_spent_at(const char *file, int line, const orr_dp_budget *b, double *epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_spent");
    orr_status st = orr__object_check(at, &kind, b);
    if (st != ORR_OK)
        return st;
    if (!epsilon)
        return orr__fail(at, ORR_EINVAL, "the place for ε is NULL");
    if (!b->path)
        return orr__dp_epsilon_of(at, b->l.how, b->l.use, b->l.n, b->l.delta, epsilon);
    orr__ledger_file f;
    orr__ledger all;
    st = lock_file(at, b, &f, &all);
    if (st != ORR_OK)
        return st;
    orr__ledger_close(&f);
    st = orr__ledger_raise(at, &all, &b->l);
    if (st == ORR_OK)
        st = orr__dp_epsilon_of(at, b->l.how, all.use, all.n, b->l.delta, epsilon);
    orr__ledger_clear(&all);
    return st;
}

/* -- checkpoints -------------------------------------------------------------------------------------------------- */

orr_status orr__budget_check(orr__site at, const orr_dp_budget *b)
{
    return orr__object_check(at, &kind, b);
}

char *orr__budget_text(orr__site at, const orr_dp_budget *b)
{
    return orr__ledger_text(at, &b->l, (orr__ledger_place){ 0 });
}

orr_status orr__budget_prepare(orr__site at, orr_dp_budget *b, const char *where, const void *text, size_t size)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__ledger_place place;
    orr__ledger_clear(&b->loaded);
    orr_status st = orr__ledger_parse(at, where, text, size, &b->loaded, &place);
    if (st == ORR_OK && b->l.id[0] && b->loaded.id[0] && strcmp(b->l.id, b->loaded.id) != 0)
        st = orr__fail(at, ORR_ESTATE, "%s is of a run with another ledger, number %.8s, not %.8s", where, b->loaded.id,
                       b->l.id);
    if (st == ORR_OK)
        st = refresh(at, b);
    if (st == ORR_OK)
        st = refuse_older(at, b, where, &b->loaded, b->path ? b->path : "this run", &b->l);
    if (st == ORR_OK && b->path && b->loaded.id[0])
        st = refuse_older(at, b, b->path, &b->l, where, &b->loaded);
    if (st == ORR_OK)
        st = orr__ledger_raise(at, &b->loaded, &b->l);
    if (st != ORR_OK)
        orr__ledger_clear(&b->loaded);
    return st;
}

void orr__budget_load(orr_dp_budget *b)
{
    if (!b->loaded.n && !b->loaded.id[0])
        return;
    orr__dp_use *before = b->l.use;
    b->ahead = b->path && orr__ledger_older(&b->l, &b->loaded);
    b->l.use = b->loaded.use;
    b->l.n = b->loaded.n;
    if (!b->l.id[0])
        memcpy(b->l.id, b->loaded.id, sizeof b->l.id);
    b->recent = -1;
    b->loaded = (orr__ledger){ .use = before };
    orr__ledger_clear(&b->loaded);
}

static void *save_part(orr__site at, void *object, size_t *bytes)
{
    char *text = orr__budget_text(at, object);
    *bytes = text ? strlen(text) : 0;
    return text;
}

static orr_status prepare_part(orr__site at, void *object, const char *where, const void *data, size_t bytes)
{
    return orr__budget_prepare(at, object, where, data, bytes);
}

static void load_part(void *object)
{
    orr__budget_load(object);
}

static const orr__checkpoint_state state = { &kind, save_part, prepare_part, load_part };

orr_status orr_checkpoint_add_budget_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                        orr_dp_budget *b)
{
    return orr__checkpoint_add_state(ORR__SITE(file, line, "checkpoint_add_budget"), c, name, &state, b);
}
