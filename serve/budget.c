/* Counts the bytes of bodies.
 * Must not know: what is in them. */
#include "config.h"
#include "serve/budget.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_llong taken;
static long long most;

void serve_budget_limit(int64_t bytes)
{
    most = bytes;
}

bool serve_budget_take(size_t bytes)
{
    if (atomic_fetch_add(&taken, (long long)bytes) + (long long)bytes <= most)
        return true;
    atomic_fetch_sub(&taken, (long long)bytes);
    return false;
}

void serve_budget_give(size_t bytes)
{
    atomic_fetch_sub(&taken, (long long)bytes);
}

int64_t serve_budget_taken(void)
{
    return atomic_load(&taken);
}

struct serve_body {
    atomic_int refs;
    size_t room;
    char *text;
};

serve_body *serve_body_new(char *text, size_t room)
{
    serve_body *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    atomic_init(&b->refs, 1);
    b->room = room;
    b->text = text;
    return b;
}

void serve_body_ref(serve_body *b)
{
    atomic_fetch_add(&b->refs, 1);
}

void serve_body_unref(serve_body *b)
{
    if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
        return;
    free(b->text);
    serve_budget_give(b->room);
    free(b);
}
