/* Values in a form: converted in place, shared by runs that read the form, converted back for other readers.
 * Must not know: kernels, plans. */
#include "config.h"
#include "runtime/base/form.h"
#include "runtime/base/threshold.h"

#include <pthread.h>
#include <sys/mman.h>
#include "runtime/base/fork.h"
#include "runtime/base/pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER; /* a run has called orr__form_leave */

void orr__forms_guard(void)
{
    orr__fork_guard(&lock);
}

orr__value_form *orr__form_ref(orr__value_form *f)
{
    atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
    return f;
}

void orr__form_unref(orr__value_form *f)
{
    if (f && atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) == 1)
        f->free(f);
}

static bool same(const orr__value_form *f, const orr__value_form *g)
{
    return f == g || (f && g && f->same == g->same && f->same(f, g));
}

/* -- under the lock --------------------------------------------------------------------------------------------------- */

/* The scratch memory comes from the system and is released at once; the pool would keep it. */
static bool turn(orr__buffer *b, const orr__value_form *f, bool back)
{
    if (!orr__pool_book(f->scratch))
        return false;
    void *p = orr__pool_must_fail()
                  ? MAP_FAILED
                  : mmap(NULL, f->scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool ok = p != MAP_FAILED && f->turn(f, b->host, p, back);
    if (p != MAP_FAILED)
        (void)munmap(p, f->scratch);
    orr__pool_unbook(f->scratch);
    return ok;
}

static bool possible(const orr__buffer *b)
{
    return b->cap > 0 && !b->spilled && b->bytes >= ORR__LARGE_VALUE && !b->stays_plain &&
           atomic_load(&b->readers) == 0 && !atomic_load(&b->exclusive_to) && !atomic_load(&b->overwritten);
}

/* A reader that counts itself after this check finds the form set, and waits for the lock. */
static bool turned(orr__buffer *b, orr__value_form *f)
{
    enum { OURS = 2 }; /* the node's reference and the run's */
    if (!possible(b))
        return false;
    atomic_store(&b->form, f);
    int refs = atomic_load(&b->refs);
    if (refs - atomic_load(&b->ordered) == OURS && turn(b, f, false)) {
        (void)orr__form_ref(f);
        return true;
    }
    atomic_store(&b->form, NULL);
    orr_error_clear();
    return false;
}

static orr_status undo(orr__buffer *b)
{
    orr__value_form *f = atomic_load(&b->form);
    while (f && b->form_users > 0) {
        (void)pthread_cond_wait(&left, &lock);
        f = atomic_load(&b->form);
    }
    if (!f)
        return ORR_OK;
    if (!turn(b, f, true))
        return orr__fail(ORR__SITE(NULL, 0, "read"), ORR_ENOMEM,
                         "no memory to put %zu bytes in order that lie as a kernel reads them", b->bytes);
    atomic_store(&b->form, NULL);
    b->stays_plain = true;
    orr__form_unref(f);
    return ORR_OK;
}

/* A run that waits here uses no value in a form yet, so no two runs wait for each other. */
static orr_status undo_others(orr__buffer *const *b, orr__value_form *const *form, int n)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < n && st == ORR_OK; i++) {
        const orr__value_form *f = b[i] ? atomic_load(&b[i]->form) : NULL;
        if (f && !same(f, form[i]))
            st = undo(b[i]);
    }
    return st;
}

/* -- for runs and readers --------------------------------------------------------------------------------------------- */

orr_status orr__forms_enter(orr__buffer *const *b, orr__value_form *const *form, const bool *turn,
                            const orr__value_form **lies, int n)
{
    (void)pthread_mutex_lock(&lock);
    orr_status st = undo_others(b, form, n);
    for (int i = 0; i < n; i++) {
        orr__value_form *f = st == ORR_OK && b[i] ? form[i] : NULL;
        bool there = f && (atomic_load(&b[i]->form) || (turn[i] && turned(b[i], f)));
        lies[i] = there ? f : NULL;
        if (there)
            b[i]->form_users++;
    }
    (void)pthread_mutex_unlock(&lock);
    return st;
}

void orr__form_leave(orr__buffer *b)
{
    (void)pthread_mutex_lock(&lock);
    if (--b->form_users == 0)
        (void)pthread_cond_broadcast(&left);
    (void)pthread_mutex_unlock(&lock);
}

orr_status orr__form_undo(orr__buffer *b)
{
    (void)pthread_mutex_lock(&lock);
    orr_status st = undo(b);
    (void)pthread_mutex_unlock(&lock);
    return st;
}
