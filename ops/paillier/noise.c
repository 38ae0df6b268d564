/* Noise that tasks in the background compute ahead; each is used once.
 * Must not know: the numbers that it hides. */
#include "config.h"
#ifdef HAVE_GMP
#include <pthread.h>
#include <stdlib.h>
#include "ops/pack/background.h"
#include "ops/paillier/paillier.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/secret.h"

enum { ABSENT, READY, USED };

typedef struct batch {
    struct batch *next;
    orr__background *work;
    const orr_paillier *key;
    orr__site at;
    int64_t count, first; /* all before `first` are used */
    mp_limb_t *limbs;     /* (count, 2·limbs of n), in memory for secrets */
    atomic_uchar *state;
} batch;

struct orr__noises {
    pthread_mutex_t lock;
    uint64_t process; /* whose they are: a child that used them too would give the difference of plaintexts away */
    batch *list;
};

static void batch_free(batch *b)
{
    orr__secret_free(b->limbs);
    free(b->state);
    free(b);
}

/* The noises of this process; NULL: there are none. In a child those of the parent are left alone, since a thread of the parent may have
 * held the lock. */
static orr__noises *mine(const orr_paillier *key)
{
    orr__noises *p = key->noises;
    return p && p->process == orr__fork_number() ? p : NULL;
}

static orr_status compute(void *job, int64_t i)
{
    batch *b = job;
    const orr_paillier *k = b->key;
    mp_limb_t *room = orr__secret_new(orr__paillier_room(k->pub) * sizeof *room);
    orr_status st = room ? orr__paillier_noise(b->at, k->pub, k->priv, b->limbs + i * 2 * k->pub->limbs, room)
                         : orr__fail_place(b->at, ORR_ENOMEM);
    orr__secret_free(room);
    orr__wipe_stack();
    if (st == ORR_OK)
        atomic_store_explicit(&b->state[i], READY, memory_order_release);
    return st;
}

orr_status orr_paillier_prepare_at(const char *file, int line, orr_paillier *key, int64_t count)
{
    orr__site at = ORR__SITE(file, line, "paillier_prepare");
    orr_status there = orr__object_check(at, &orr__kind_paillier, key);
    if (there != ORR_OK)
        return there;
    if (count < 0 || count > 1 << 20) /* limit of a format */
        return orr__fail(at, ORR_EINVAL, "0 to 2^20 noises are computed ahead, not %lld", (long long)count);
    if (count == 0)
        return ORR_OK;
    if (!mine(key)) {
        orr__noises *fresh = orr__alloc(sizeof *fresh);
        if (!fresh)
            return orr__fail_place(at, ORR_ENOMEM);
        (void)pthread_mutex_init(&fresh->lock, NULL);
        fresh->process = orr__fork_number();
        key->noises = fresh;
    }
    orr__noises *p = key->noises;
    if (p->list && p->list->work && !orr__background_done(p->list->work))
        return orr__fail(at, ORR_ESTATE, "noise of the last call is still being computed");
    batch *b = orr__alloc(sizeof *b);
    if (b) {
        b->limbs = orr__secret_once((size_t)count * 2 * (size_t)key->pub->limbs * sizeof *b->limbs);
        b->state = orr__alloc_n((size_t)count, sizeof *b->state);
    }
    if (!b || !b->limbs || !b->state) {
        if (b)
            batch_free(b);
        return orr__fail_place(at, ORR_ENOMEM);
    }
    b->key = key;
    b->at = ORR__SITE(NULL, 0, "paillier_prepare");
    b->count = count;
    b->work = orr__background_start(at, count, compute, b);
    if (!b->work) {
        batch_free(b);
        return orr_error_status();
    }
    (void)pthread_mutex_lock(&p->lock);
    b->next = p->list;
    p->list = b;
    (void)pthread_mutex_unlock(&p->lock);
    return ORR_OK;
}

static bool take_from(batch *b, mp_size_t limbs, mp_limb_t *noise)
{
    while (b->first < b->count && atomic_load_explicit(&b->state[b->first], memory_order_acquire) == USED)
        b->first++;
    for (int64_t i = b->first; i < b->count; i++) {
        if (atomic_load_explicit(&b->state[i], memory_order_acquire) != READY)
            continue;
        mp_limb_t *from = b->limbs + i * limbs;
        if (mpn_zero_p(from, limbs))
            continue; /* a child that was made without the handlers of fork: no noise is 0 */
        mpn_copyi(noise, from, limbs);
        orr__wipe(from, (size_t)limbs * sizeof *from);
        atomic_store_explicit(&b->state[i], USED, memory_order_relaxed);
        return true;
    }
    return false;
}

bool orr__noise_take(const orr_paillier *key, mp_limb_t *noise)
{
    orr__noises *p = mine(key);
    bool got = false;
    if (!p)
        return false;
    (void)pthread_mutex_lock(&p->lock);
    for (batch *b = p->list; b && !got; b = b->next)
        got = take_from(b, 2 * key->pub->limbs, noise);
    (void)pthread_mutex_unlock(&p->lock);
    return got;
}

void orr__noises_free(orr_paillier *key)
{
    orr__noises *p = mine(key);
    key->noises = NULL;
    if (!p)
        return;
    while (p->list) {
        batch *b = p->list;
        p->list = b->next;
        (void)orr__background_wait(b->work);
        batch_free(b);
    }
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

#endif
