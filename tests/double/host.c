/* The double's pinned memory of the host, and copies, which work in streams may read and write late.
 * Must not know: Orrery. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "tests/double/double.h"

enum { PINS = 4096 };

typedef struct {
    const char *p; /* NULL: this entry is free */
    size_t bytes;
} pin;

static pin pins[PINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool within(const pin *k, const char *p)
{
    return k->p && p >= k->p && p < k->p + k->bytes;
}

void cuda_double_pin(void *p, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINS && p; i++)
        if (!pins[i].p) {
            pins[i] = (pin){ p, bytes };
            break;
        }
    pthread_mutex_unlock(&lock);
}

void cuda_double_unpin(void *p)
{
    size_t bytes = 0;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINS && !found; i++)
        if (pins[i].p && pins[i].p == p) {
            bytes = pins[i].bytes;
            pins[i].p = NULL;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    if (!cuda_double_strict())
        return;
    if (!found)
        cuda_double_quit("host memory is freed that was not allocated, or twice", p, 0, 0);
    if (cuda_double_uses(p, bytes))
        cuda_double_quit("host memory is freed that work under way uses", p, bytes, 0);
}

bool cuda_double_pinned(const void *p)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINS && !found; i++)
        found = p && pins[i].p == p;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Can a device use this byte: is it its own, or pinned? */
static bool reachable(const void *p)
{
    bool found = cuda_double_owns(p, 1);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINS && !found; i++)
        found = within(&pins[i], p);
    pthread_mutex_unlock(&lock);
    return found;
}

typedef struct {
    char *to;
    const char *from;
    size_t to_row, from_row, width, rows;
    char *owned; /* a copy of memory that is not pinned */
} copy;

static int move(void *arg)
{
    DEVICE_WORK;
    const copy *c = arg;
    for (size_t y = 0; y < c->rows; y++)
        memcpy(c->to + y * c->to_row, (c->owned ? c->owned : c->from) + y * c->from_row, c->width);
    free(c->owned);
    return 0;
}

int cuda_double_copy(void *to, size_t to_row, const void *from, size_t from_row, size_t width, size_t rows,
                     void *stream)
{
    copy c = { to, from, to_row, from_row, width, rows, NULL };
    size_t all = rows ? (rows - 1) * from_row + width : 0;
    if (cuda_double_capturing(stream))
        return cuda_double_add_node(stream, move, NULL, &c, sizeof c);
    if (!cuda_double_strict() || all == 0)
        return move(&c);
    if (!reachable(from) && (c.owned = malloc(all)) != NULL)
        memcpy(c.owned, from, all);
    int code = cuda_double_enqueue(stream, move, &c, sizeof c);
    if (!reachable(to))
        cuda_double_drain(stream);
    return code;
}
