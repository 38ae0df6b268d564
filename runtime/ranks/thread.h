/* The thread of a list of exchanges: its lock, its wake-up, its end.
 * Must not know: what the list holds, how an exchange is carried out. */
#ifndef ORR_RANKS_THREAD_H
#define ORR_RANKS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

typedef struct orr__thread {
    pthread_mutex_t lock; /* also of the list */
    pthread_cond_t wake;  /* signalled after a change of the list */
    pthread_t thread;
    bool running, ending;
} orr__thread;

#define ORR__THREAD_INITIALIZER                                                                                        \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER                                            \
    }

/* false: the thread could not be created. */
static inline bool orr__thread_start(orr__thread *s, void *(*serve)(void *))
{
    s->ending = false;
    s->running = pthread_create(&s->thread, NULL, serve, NULL) == 0;
    return s->running;
}

/* `serve` returns when the list is empty and the end is requested. */
static inline void orr__thread_stop(orr__thread *s)
{
    if (!s->running)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->running = false;
}

#endif
