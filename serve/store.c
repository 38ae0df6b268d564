/* The table of kept arrays: a list for each client.
 * Must not know: requests, and what is computed. */
#include "config.h"
#include "serve/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "serve/queue.h"
#include "serve/tokens.h"

typedef struct entry {
    struct entry *next;
    serve_value *v;
    double used;
    char name[SERVE_ARRAY_NAME + 1];
} entry;

/* The arrays of a client; the latest first. */
typedef struct client {
    entry *first;
    int count;
    int64_t bytes;
} client;

struct serve_store {
    pthread_mutex_t lock;
    client of[SERVE_TOKENS_MOST + 1]; /* client -1, without a token, first */
    int most, count;
    int64_t bytes_most, all_most, bytes;
    double keep;
};

serve_store *serve_store_new(int most, int64_t bytes, int64_t all, double keep)
{
    serve_store *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    (void)pthread_mutex_init(&s->lock, NULL);
    s->most = most;
    s->bytes_most = bytes;
    s->all_most = all;
    s->keep = keep;
    return s;
}

bool serve_store_is_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    size_t n = strlen(name);
    return n > 0 && n <= SERVE_ARRAY_NAME && name[0] != '.' && strspn(name, allowed) == n;
}

/* -- lists, under the lock ----------------------------------------------------------------------------------- */

static entry **find(client *c, const char *name)
{
    entry **at = &c->first;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static void count(serve_store *s, client *c, int entries, int64_t bytes)
{
    c->count += entries;
    c->bytes += bytes;
    s->count += entries;
    s->bytes += bytes;
}

static void forget(serve_store *s, client *c, entry **at)
{
    entry *e = *at;
    *at = e->next;
    count(s, c, -1, -(int64_t)e->v->room);
    serve_value_unref(e->v);
    free(e);
}

static json_t *describe(const char *name, const serve_value *v)
{
    orr_shape shape = orr_tensor_shape(v->t);
    json_t *dims = json_array();
    for (int k = 0; dims && k < shape.rank; k++)
        (void)json_array_append_new(dims, json_integer((json_int_t)shape.dim[k]));
    return dims ? json_pack("{s:s, s:s, s:o, s:I}", "array", name, "dtype", orr_dtype_name(orr_tensor_dtype(v->t)),
                            "shape", dims, "bytes", (json_int_t)v->room)
                : NULL;
}

/* True if `bytes` more, in place of `old`, are within the limits; else *wrong is the answer. */
static bool allowed(const serve_store *s, const client *c, const entry *old, int64_t bytes, serve_reply *wrong)
{
    int64_t less = old ? (int64_t)old->v->room : 0;
    if (bytes > s->bytes_most || bytes > s->all_most)
        *wrong = serve_problem(413, "limit", "the array has %lld bytes, and a client may keep %lld", (long long)bytes,
                               (long long)(s->bytes_most < s->all_most ? s->bytes_most : s->all_most));
    else if (!old && c->count >= s->most)
        *wrong = serve_problem(507, "limit", "a client keeps %d arrays at most: delete one", s->most);
    else if (c->bytes - less + bytes > s->bytes_most)
        *wrong = serve_problem(507, "limit", "a client keeps %lld bytes of arrays at most: delete some",
                               (long long)s->bytes_most);
    else if (s->bytes - less + bytes > s->all_most)
        *wrong = serve_problem(507, "limit", "the service keeps %lld bytes of arrays at most, of all clients together",
                               (long long)s->all_most);
    return wrong->status == 0;
}

/* -- calls --------------------------------------------------------------------------------------------------- */

bool serve_store_allows(serve_store *s, int owner, const char *name, int64_t bytes, serve_reply *wrong)
{
    client *c = &s->of[owner + 1];
    pthread_mutex_lock(&s->lock);
    bool ok = allowed(s, c, *find(c, name), bytes, wrong);
    pthread_mutex_unlock(&s->lock);
    return ok;
}

serve_reply serve_store_put(serve_store *s, int owner, const char *name, serve_value *v)
{
    serve_reply r = { 0 };
    entry *e = calloc(1, sizeof *e);
    json_t *says = describe(name, v);
    if (!e || !says) {
        free(e);
        json_decref(says);
        return serve_problem(503, "ORR_ENOMEM", "there is no memory");
    }
    memcpy(e->name, name, strlen(name) + 1);
    e->v = v;
    e->used = serve_now();
    client *c = &s->of[owner + 1];
    pthread_mutex_lock(&s->lock);
    entry **old = find(c, name);
    bool replaces = *old != NULL, ok = allowed(s, c, *old, (int64_t)v->room, &r);
    if (ok) {
        if (replaces)
            forget(s, c, old);
        atomic_fetch_add(&v->refs, 1);
        e->next = c->first;
        c->first = e;
        count(s, c, 1, (int64_t)v->room);
    }
    pthread_mutex_unlock(&s->lock);
    if (ok)
        return serve_reply_json(replaces ? 200 : 201, says);
    json_decref(says);
    free(e);
    return r;
}

serve_value *serve_store_get(serve_store *s, int owner, const char *name)
{
    serve_value *v = NULL;
    pthread_mutex_lock(&s->lock);
    entry *e = *find(&s->of[owner + 1], name);
    if (e) {
        e->used = serve_now();
        v = e->v;
        atomic_fetch_add(&v->refs, 1);
    }
    pthread_mutex_unlock(&s->lock);
    return v;
}

serve_reply serve_store_none(const char *operand)
{
    return serve_problem(
        404, "array", "%s: there is no array of this name, or no more; /v1/arrays lists those that are there", operand);
}

serve_reply serve_store_list(serve_store *s, int owner)
{
    json_t *list = json_array();
    double now = serve_now();
    client *c = &s->of[owner + 1];
    pthread_mutex_lock(&s->lock);
    int64_t bytes = c->bytes;
    for (entry *e = c->first; list && e; e = e->next) {
        json_t *one = describe(e->name, e->v);
        if (!one || json_object_set_new(one, "expires", json_real(e->used + s->keep - now)) != 0 ||
            json_array_append(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
        json_decref(one);
    }
    pthread_mutex_unlock(&s->lock);
    return serve_reply_json(200, list ? json_pack("{s:o, s:I}", "arrays", list, "bytes", (json_int_t)bytes) : NULL);
}

serve_reply serve_store_delete(serve_store *s, int owner, const char *name)
{
    serve_reply r;
    client *c = &s->of[owner + 1];
    pthread_mutex_lock(&s->lock);
    entry **at = find(c, name);
    if (*at) {
        r = serve_reply_json(200, describe(name, (*at)->v));
        forget(s, c, at);
    } else {
        r = serve_store_none("the path");
    }
    pthread_mutex_unlock(&s->lock);
    return r;
}

void serve_store_expire(serve_store *s, double now)
{
    pthread_mutex_lock(&s->lock);
    for (client *c = s->of; s->count > 0 && c <= &s->of[SERVE_TOKENS_MOST]; c++)
        for (entry **at = &c->first; *at;) {
            if ((*at)->used + s->keep < now)
                forget(s, c, at);
            else
                at = &(*at)->next;
        }
    pthread_mutex_unlock(&s->lock);
}

void serve_store_count(serve_store *s, int *arrays, int64_t *bytes)
{
    pthread_mutex_lock(&s->lock);
    *arrays = s->count;
    *bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
}

void serve_store_free(serve_store *s)
{
    for (client *c = s ? s->of : NULL; s && c <= &s->of[SERVE_TOKENS_MOST]; c++)
        while (c->first)
            forget(s, c, &c->first);
    if (s)
        (void)pthread_mutex_destroy(&s->lock);
    free(s);
}
