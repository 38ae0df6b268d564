/* Sums facts in one table, found by a hash of their places.
 * Must not know: the meaning of a sum. */
#include "config.h"
#include "runtime/base/notes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/array.h"
#include "runtime/base/fork.h"
#include "runtime/base/hash.h"

/* The table is full with this many facts: a program has fewer lines. */
enum { SLOTS = 1 << 14, MOST = SLOTS / 2 };

atomic_bool orr__notes_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__note *row;
static int nrow, capacity, slot[SLOTS]; /* 1 + a row; 0: free */
static _Atomic uint64_t kernel_ns, ideal_ps, own_ns;
static _Atomic uint64_t
    waited_ns; /* of all threads: a wait beside another thread's launch takes from its time, once for each kernel */

/* Both forget: an entry lies where its key says, of places in one of two. */
enum { PLACES = 1 << 14, VALUES = 1 << 11 };
static struct {
    uint64_t key;
    orr__notes_place place;
} met[PLACES];
static orr__notes_value made[VALUES];

void orr__notes_start(void)
{
    static bool guarded;
    if (!guarded)
        orr__fork_guard(&lock);
    guarded = true;
    (void)pthread_mutex_lock(&lock);
    nrow = 0;
    memset(slot, 0, sizeof slot);
    memset((void *)met, 0, sizeof met);
    memset((void *)made, 0, sizeof made);
    atomic_store(&kernel_ns, 0);
    atomic_store(&waited_ns, 0);
    atomic_store(&own_ns, 0);
    atomic_store(&ideal_ps, 0);
    (void)pthread_mutex_unlock(&lock);
    atomic_store(&orr__notes_on, true);
}

void orr__notes_stop(void)
{
    atomic_store(&orr__notes_on, false);
}

static bool same_file(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same(const orr__note *a, const orr__note *b)
{
    bool by = a->kind == ORR__NOTE_SAME || (a->by_line == b->by_line && same_file(a->by, b->by));
    return a->kind == b->kind && a->kernel == b->kernel && a->line == b->line && a->of_line == b->of_line &&
           same_file(a->file, b->file) && same_file(a->of, b->of) && by && strcmp(a->text, b->text) == 0;
}

/* Under the lock: the row of this fact, new if there was none; NULL: the table is full. */
static orr__note *find(const orr__note *f)
{
    const int key[3] = { (int)f->kind, f->line, f->of_line };
    uint64_t h = orr__hash(f->text, strlen(f->text), orr__hash(key, sizeof key, f->kernel));
    size_t at = (size_t)h % SLOTS;
    for (; slot[at]; at = (at + 1) % SLOTS)
        if (same(&row[slot[at] - 1], f))
            return &row[slot[at] - 1];
    orr__note *more = nrow < MOST ? orr__array_reserve(row, &capacity, nrow + 1, sizeof *row) : NULL;
    if (!more)
        return NULL;
    row = more;
    row[nrow] = *f;
    row[nrow].n = row[nrow].part = row[nrow].content = row[nrow].reads = row[nrow].alike = 0;
    row[nrow].seconds = row[nrow].bytes = row[nrow].flops = row[nrow].effort = row[nrow].a = row[nrow].b = 0;
    slot[at] = ++nrow;
    return &row[nrow - 1];
}

/* Is the fact one of a sequence with the one before, of the content `before`? */
static bool follows(const orr__note *f, uint64_t before)
{
    if (f->kind == ORR__NOTE_GROWN)
        return before > 0 && f->reads == before && f->content > before;
    if (f->kind == ORR__NOTE_PLAN)
        return before > 0 && f->content > before;
    return f->kind == ORR__NOTE_CALL ? before > 0 && f->content > before : f->content && f->content == before;
}

void orr__notes_add(const orr__note *f)
{
    if (f->kind == ORR__NOTE_WORK) {
        double bound = f->a > f->b ? f->a : f->b, ideal = bound > 0 && bound < f->seconds ? bound : f->seconds;
        atomic_fetch_add_explicit(&kernel_ns, (uint64_t)(f->seconds * 1e9), memory_order_relaxed);
        atomic_fetch_add_explicit(&ideal_ps, (uint64_t)(ideal * 1e12), memory_order_relaxed);
    }
    (void)pthread_mutex_lock(&lock);
    orr__note *to = find(f);
    if (to) {
        to->part += f->part + follows(f, to->content);
        if (f->kind == ORR__NOTE_CALL && to->content)
            to->bytes += (double)f->content - (double)to->content;
        to->alike += f->reads && f->reads == to->reads;
        to->content = f->content;
        to->reads = f->reads;
        if (f->part && f->by) {
            to->by = f->by;
            to->by_line = f->by_line;
        }
        to->n += f->n;
        to->seconds += f->seconds;
        to->bytes += f->bytes;
        to->flops += f->flops;
        to->effort += f->effort;
        to->a += f->a;
        to->b += f->b;
    }
    (void)pthread_mutex_unlock(&lock);
}

/* Under the lock: the entry of the key, or the one of two that gives way to it. A place without a moment gives way to none with one. */
static size_t entry_of(uint64_t key)
{
    size_t i = (size_t)key % PLACES, other = i ^ 1;
    if (met[other].key == key && met[other].place.file)
        return other;
    uint64_t own = met[i].place.at - 1, its = met[other].place.at - 1; /* without a moment: the greatest number */
    bool stays = met[i].place.file && met[i].key != key && (!met[other].place.file || its < own);
    return stays ? other : i;
}

bool orr__notes_met(uint64_t key, orr__notes_place now, bool first, orr__notes_place *place)
{
    (void)pthread_mutex_lock(&lock);
    size_t i = entry_of(key);
    bool known = met[i].key == key && met[i].place.file, free = !met[i].place.file;
    if (known)
        *place = met[i].place;
    if (now.file && (known ? !first : free || met[i].place.at > 0 || now.at == 0)) {
        met[i].place = now;
        met[i].key = key;
    }
    (void)pthread_mutex_unlock(&lock);
    return known;
}

void orr__notes_made(const orr__notes_value *v)
{
    (void)pthread_mutex_lock(&lock);
    made[v->number % VALUES] = *v;
    (void)pthread_mutex_unlock(&lock);
}

bool orr__notes_value_of(uint64_t number, orr__notes_value *v)
{
    (void)pthread_mutex_lock(&lock);
    *v = made[number % VALUES];
    (void)pthread_mutex_unlock(&lock);
    return number && v->number == number;
}

/* The first use is a fact at once, and the second says that it was not the only one. */
void orr__notes_used(uint64_t number, const orr__notes_place *reader, orr__notes_place call, double part)
{
    (void)pthread_mutex_lock(&lock);
    orr__notes_value *v = &made[number % VALUES];
    bool known = number && v->number == number;
    bool same_call = known && v->call.line == call.line && same_file(v->call.file, call.file);
    orr__note f = { .kind = ORR__NOTE_EARLY }, unread = { .kind = ORR__NOTE_UNREAD };
    if (known && v->uses == 0 && reader && v->joins && !same_call) {
        v->reader = *reader;
        f.n = 1;
    } else if (known && v->uses == 1 && v->reader.file) {
        f.part = 1;
    }
    if (known) {
        unread.kernel = v->key;
        unread.n = v->uses == 0;
        unread.a = v->uses ? -v->unread : 1 - part;
        v->unread += unread.a;
        v->uses++;
        f.file = v->call.file;
        f.line = v->call.line;
        unread.file = unread.of = f.of = v->kernel.file;
        unread.line = unread.of_line = f.of_line = v->kernel.line;
        f.by = v->reader.file;
        f.by_line = v->reader.line;
        f.bytes = f.n ? v->bytes : 0;
    }
    (void)pthread_mutex_unlock(&lock);
    if (f.n || f.part)
        orr__notes_add(&f);
    if (unread.file && (unread.n || unread.a < 0)) {
        (void)snprintf(unread.text, sizeof unread.text, "later");
        orr__notes_add(&unread);
    }
}

orr__note *orr__notes_all(int *n)
{
    (void)pthread_mutex_lock(&lock);
    orr__note *copy = nrow ? malloc((size_t)nrow * sizeof *copy) : NULL;
    *n = copy ? nrow : 0;
    if (copy)
        memcpy(copy, row, (size_t)nrow * sizeof *copy);
    (void)pthread_mutex_unlock(&lock);
    return copy;
}

uint64_t orr__notes_content(const void *data, uint64_t bytes)
{
    enum { PIECE = 64, PIECES = 64 }; /* limit of memory */
    const char *p = data;
    uint64_t h = orr__hash(&bytes, sizeof bytes, 1);
    if (bytes <= PIECE * PIECES)
        return orr__hash(p, (size_t)bytes, h) | 1;
    for (uint64_t i = 0; i < PIECES; i++)
        h = orr__hash(p + (bytes - PIECE) / (PIECES - 1) * i, PIECE, h);
    return h | 1;
}

void orr__notes_wait(double seconds)
{
    atomic_fetch_add_explicit(&waited_ns, (uint64_t)(seconds * 1e9), memory_order_relaxed);
    atomic_fetch_add_explicit(&kernel_ns, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

double orr__notes_waited(void)
{
    return 1e-9 * (double)atomic_exchange_explicit(&waited_ns, 0, memory_order_relaxed);
}

double orr__notes_took(double seconds, bool launch)
{
    uint64_t ns = (uint64_t)(seconds * 1e9);
    if (launch)
        atomic_fetch_add_explicit(&waited_ns, ns, memory_order_relaxed);
    return 1e-9 * (double)(atomic_fetch_add_explicit(&own_ns, ns, memory_order_relaxed) + ns);
}

void orr__notes_kernels(double *measured, double *ideal)
{
    *measured = 1e-9 * (double)atomic_load_explicit(&kernel_ns, memory_order_relaxed);
    *ideal = 1e-12 * (double)atomic_load_explicit(&ideal_ps, memory_order_relaxed);
}
