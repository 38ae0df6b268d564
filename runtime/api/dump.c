/* Writes dumps: on request, and of evaluations that fail, are new, or all (ORRERY_DUMP).
 * Must not know: the form of the file. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/dump.h>
#include <orrery/eval.h>
#include "ops/exchange.h"
#include "ops/ops.h"
#include "runtime/api/dump.h"
#include "runtime/api/eval.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"

typedef struct orr__dump_asking {
    const char *path;
    bool written;
    orr_status st;
} asking;
_Thread_local asking *orr__dump_asked __attribute__((tls_model("initial-exec")));

/* A graph that must not be in a file, or cannot be: the reason; NULL: none. */
static const char *refusal(const orr__dumping *d)
{
    const orr__capture *p = &d->p;
    for (int i = 0; i < p->n; i++)
        if (p->node[i]->once)
            return "it has random numbers that protect one release";
        else if (p->leaf_of[i] < 0 && orr__is_exchange(p->node[i]->op))
            return "the ranks exchange values in it";
        else if (p->leaf_of[i] >= 0 && p->placed[p->leaf_of[i]] && !(d->whole && d->whole[p->leaf_of[i]]))
            return "its values are distributed over ranks";
    return NULL;
}

void orr__dump_begin(orr__site at, const orr__capture_roots *roots, orr__dumping *d)
{
    orr__capture_roots all = *roots;
    all.counts = false;
    *d = (orr__dumping){ .root = roots->out };
    d->made = orr__capture_make_roots(at, &all, &d->p) == ORR_OK;
}

void orr__dump_begin_over_ranks(orr__site at, const orr__capture_roots *roots, orr__dumping *d, orr__check_eval *eval)
{
    orr__dump_begin(at, roots, d);
    d->over_ranks = true;
    orr__node **todo = d->made ? orr__alloc_n((size_t)d->p.nleaf + 1, sizeof *todo) : NULL;
    d->whole = todo ? orr__alloc_n((size_t)d->p.nleaf + 1, sizeof *d->whole) : NULL;
    int n = 0;
    for (int k = 0; k < d->p.nleaf && d->whole; k++)
        if (d->p.placed[k] && (d->whole[k] = orr__rec_distribute(at, orr__node_ref(d->p.node[d->p.leaf_node[k]]), 0)))
            todo[n++] = d->whole[k];
    if (n > 0 && eval(at, todo, n) != ORR_OK)
        orr_error_clear(); /* the file is refused, and not the evaluation */
    free(todo);
}

static void forget(orr__dumping *d)
{
    for (int k = 0; k < d->p.nleaf && d->whole; k++)
        orr__node_unref(d->whole[k]);
    free(d->whole);
    orr__capture_free(&d->p);
    d->made = false;
}

/* -- content ----------------------------------------------------------------------------------------------- */

static void describe_nodes(const orr__capture *p, orr__dump *d)
{
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        orr__dump_node *to = &d->node[i];
        bool leaf = p->leaf_of[i] >= 0;
        *to = (orr__dump_node){ .op = leaf ? "leaf" : n->op->name,
                                .file = n->file,
                                .as = n->as,
                                .line = n->line,
                                .leaf = p->leaf_of[i],
                                .weak = n->weak,
                                .dtype = (orr_dtype)n->dtype,
                                .shape = n->shape,
                                .nin = orr__capture_nin(p, i),
                                .arg = p->arg + p->arg0[i] };
        if (leaf)
            continue;
        if (n->op->flags & ORR__OP_PLACES) { /* stands for its operand: one process has the whole value */
            to->nin = 1;
            continue;
        }
        to->attr = n->attr;
        to->nscalar = n->nscalar;
        memcpy(to->s, n->s, sizeof to->s);
    }
}

static orr_status describe_leaves(orr__site at, const orr__dumping *from, orr__dump *d)
{
    const orr__capture *p = &from->p;
    orr_status st = ORR_OK;
    for (int k = 0; k < p->nleaf && st == ORR_OK; k++) {
        orr__buffer *b;
        orr__dump_leaf *l = &d->leaf[k];
        if (!p->leaf[k])
            return orr__fail(at, ORR_EGRAPH, "a placeholder has no value");
        l->node = p->leaf_node[k];
        orr__node *whole = from->whole ? from->whole[k] : NULL;
        if ((st = orr__dump_value(at, whole ? whole : p->node[l->node], &b)) != ORR_OK)
            return st;
        l->bytes = orr__node_bytes(p->node[l->node]);
        l->data = b->host; /* its node, which the capture holds, keeps the buffer */
        orr__dump_digest(l->data, l->bytes, l->digest);
        orr__buffer_unref(b);
    }
    return st;
}

static void describe_results(orr__site at, const orr__dumping *from, orr__dump *d)
{
    for (int k = 0; k < d->nout; k++) {
        orr__buffer *b;
        d->out[k].node = from->p.out[k];
        if (!orr__node_value(from->root[k]) || from->root[k]->placed ||
            orr__dump_value(at, from->root[k], &b) != ORR_OK)
            continue;
        d->out[k].known = true;
        orr__dump_digest(b->host, orr__node_bytes(from->root[k]), d->out[k].digest);
        orr__buffer_unref(b);
    }
}

static char *settings_text(void)
{
    char *text = NULL, value[1200];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    const orr__env_row *row;
    for (size_t i = 0; f && (row = orr__env_table(i, value, sizeof value)); i++)
        if (strcmp(row->name, "ORRERY_DUMP") != 0 && strcmp(row->name, "ORRERY_DUMP_WHEN") != 0)
            fprintf(f, "%s=%s\n", row->name, value);
    if (f)
        (void)fclose(f);
    return text;
}

static char *plan_text(orr__site at, const orr__capture *p)
{
    char *text = NULL;
    size_t size = 0;
    orr__plan *plan;
    if (orr__plan_get(at, p, &plan) != ORR_OK)
        return NULL;
    FILE *f = open_memstream(&text, &size);
    if (f) {
        orr__plan_print(f, plan);
        (void)fclose(f);
    }
    orr__plan_unref(plan);
    return text;
}

static orr_status write_dump(orr__site at, const orr__dumping *from, const char *path, const char *reason)
{
    const orr__capture *p = &from->p;
    orr__dump d = { .n = p->n, .nleaf = p->nleaf, .nout = p->nout };
    const char *why = refusal(from);
    if (why)
        return orr__fail(at, ORR_EGRAPH, "the evaluation is not written to %s: %s", path, why);
    char *settings = settings_text(), *plan = from->over_ranks ? NULL : plan_text(at, p);
    d.reason = reason;
    d.version = orr_version();
    d.machine = orr__engine_name();
    d.settings = settings;
    d.plan = plan;
    d.node = orr__alloc_n((size_t)d.n + 1, sizeof *d.node);
    d.leaf = orr__alloc_n((size_t)d.nleaf + 1, sizeof *d.leaf);
    d.out = orr__alloc_n((size_t)d.nout + 1, sizeof *d.out);
    orr_status st = d.node && d.leaf && d.out ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        describe_nodes(p, &d);
        st = describe_leaves(at, from, &d);
    }
    if (st == ORR_OK) {
        describe_results(at, from, &d);
        st = orr__dump_write(at, path, &d);
    }
    orr__dump_free(&d);
    free(settings);
    free(plan);
    return st;
}

/* -- decisions --------------------------------------------------------------------------------------------- */

enum { FILES_MOST = 256, KEYS_MOST = 4096 }; /* limit of memory */

/* The record of the files of ORRERY_DUMP; another name begins anew. */
static struct {
    pthread_mutex_t lock;
    char of[sizeof orr__env.dump];
    int files, nseen;
    uint64_t seen[KEYS_MOST]; /* keys of structures */
} written = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock. */
static void begin_anew(void)
{
    if (strcmp(written.of, orr__env.dump) == 0)
        return;
    (void)snprintf(written.of, sizeof written.of, "%s", orr__env.dump);
    written.files = written.nseen = 0;
}

/* The name of the next file: the variable's, then with .1, .2, …; false: there are enough. */
static bool next_name(char *to, size_t size)
{
    (void)pthread_mutex_lock(&written.lock);
    begin_anew();
    int n = written.files++;
    (void)pthread_mutex_unlock(&written.lock);
    if (n >= FILES_MOST || !orr__text_path(to, size - 16, orr__env.dump))
        return false;
    if (n)
        (void)snprintf(to + strlen(to), 16, ".%d", n);
    return true;
}

/* True for the first evaluation of this structure. */
static bool is_new(const orr__capture *p)
{
    uint64_t h = orr__hash(p->key, p->key_size, 0);
    bool is = true;
    (void)pthread_mutex_lock(&written.lock);
    begin_anew();
    for (int i = 0; i < written.nseen && is; i++)
        is = written.seen[i] != h;
    is = is && written.nseen < KEYS_MOST;
    if (is)
        written.seen[written.nseen++] = h;
    (void)pthread_mutex_unlock(&written.lock);
    return is;
}

static void dump_by_environment(orr__site at, const orr__dumping *d, orr_status st, bool not_finite, const char *error)
{
    char path[1200], reason[1200];
    bool failed = st != ORR_OK || not_finite;
    bool wanted = orr__env.dump_when == ORR__DUMP_ALL || (orr__env.dump_when == ORR__DUMP_NEW ? is_new(&d->p) : failed);
    if (!*orr__env.dump || !wanted || (d->over_ranks && orr__rank() != 0) || !next_name(path, sizeof path))
        return;
    (void)snprintf(reason, sizeof reason, "%s",
                   st != ORR_OK ? error
                   : not_finite ? "a check has found a result wrong"
                                : "ORRERY_DUMP_WHEN");
    if (write_dump(at, d, path, reason) == ORR_OK)
        orr__log(failed ? 1 : 2, "the evaluation of %s:%d is in %s: %s", at.file ? at.file : "?", at.line, path,
                 reason);
    else
        orr__log(1, "no dump: %s", orr_error_message());
}

void orr__dump_end(orr__site at, orr__dumping *d, orr_status st, bool not_finite)
{
    char error[1024];
    if (!d->made)
        return;
    (void)snprintf(error, sizeof error, "%s", orr_error_message());
    asking *mine = orr__dump_asked;
    orr__dump_asked = NULL; /* values that are read now are no part of it */
    if (mine && !mine->written) {
        if (!d->over_ranks || orr__rank() == 0)
            mine->st = write_dump(at, d, mine->path, st == ORR_OK ? "orr_dump" : error);
        mine->written = true;
    }
    dump_by_environment(at, d, st, not_finite, error);
    orr__dump_asked = mine;
    forget(d);
    if (st != ORR_OK)
        (void)orr__fail_text(st, error);
}

/* Values that exist already are inputs and results at once. */
static orr_status dump_values(orr__site at, orr_tensor *const *t, int n)
{
    orr__node **node = orr__alloc_n((size_t)n + 1, sizeof *node);
    orr__dumping d;
    if (!node)
        return ORR_ENOMEM;
    orr_status st = orr__tensor_nodes(at, t, n, "tensor", node);
    if (st == ORR_OK) {
        orr__capture_roots roots = ORR__ROOTS(node, n, n);
        orr__dump_begin(at, &roots, &d);
        orr__dump_end(at, &d, ORR_OK, false);
    }
    free(node);
    return st;
}

orr_status orr_dump_at(const char *file, int line, const char *path, orr_tensor *const *t, int n)
{
    orr__site at = ORR__SITE(file, line, "dump");
    asking mine = { .path = path };
    if (!path || n < 1)
        return orr__fail(at, ORR_EINVAL, path ? "there is no tensor" : "the path is NULL");
    orr__dump_asked = &mine;
    orr_status st = orr_eval_all_at(file, line, t, n);
    if (st == ORR_OK && !mine.written)
        st = dump_values(at, t, n);
    orr__dump_asked = NULL;
    return st == ORR_OK ? orr__fail_place(at, mine.st) : st;
}
