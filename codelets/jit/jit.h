/* Tier 1 of the CPU backend: C text is compiled in the background, kept in memory and on disk, and used when ready.
 * Must not know: regions, launches, the meaning of the text. */
#ifndef ORR_JIT_JIT_H
#define ORR_JIT_JIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

/* The function orr_kernel of a text, as orr__cfn of codelets/nest/cloop.h. */
typedef int orr__jit_fn(void *const *in, void *const *out, const int64_t *word);

typedef enum { ORR__JIT_COLD, ORR__JIT_ASKED, ORR__JIT_READY, ORR__JIT_NEVER } orr__jit_state;
/* A look at the index, which a request with a text may join. */
typedef enum { ORR__JIT_NO_LOOK, ORR__JIT_LOOKS, ORR__JIT_JOINED } orr__jit_looks;
struct orr__code;

/* A text to be made by the thread that compiles it. make returns it (malloc'ed), or NULL: the kernel is never compiled. `of` belongs to the
 * request, which ends with drop(of). */
typedef struct orr__jit_source {
    char *(*make)(const void *of);
    void (*drop)(void *of);
    void *of;
} orr__jit_source;

/* The transition of one kernel from tier 0 to tier 1. Shared by all kernels with its content, and by the queue. */
typedef struct orr__jit {
    _Atomic(orr__jit_fn *) fn;      /* NULL: still tier 0. Set once, valid until orr__jit_unref */
    atomic_uint_least64_t ns;       /* spent in tier 0; add to it only while COLD or ASKED      */
    atomic_uint_least64_t launches; /* … number of them; a lost update is harmless            */
    atomic_uint_least64_t retry;    /* orr__now in ns before which it is not requested again  */
    int tries;                      /* failures for temporary reasons                           */
    atomic_int state;               /* orr__jit_state                                           */
    atomic_int refs;
    int words;              /* the caller's                                             */
    struct orr__code *code; /* keeps fn loaded; written before fn                       */
    uint64_t seen;          /* the caller's hint: equal for regions of equal content */
    char label[64];
    char *text;             /* while ASKED: of the request, or …                        */
    orr__jit_source source; /* … its maker; neither: the index alone is looked at       */
    atomic_int looks;       /* while ASKED: orr__jit_looks                             */
    atomic_bool looked;     /* the index was looked at once                           */
    struct orr__jit *next;  /* in the queue                                             */
    void *content;          /* of orr__jit_of, else NULL                                */
    size_t content_size;
    uint64_t content_hash;
    struct orr__jit *next_known; /* … in the table of these                            */
} orr__jit;

orr__jit *orr__jit_new(uint64_t hint, const char *label); /* NULL: last error */
/* The kernel with that content, which it takes over (malloc'ed, `size` bytes; NULL: last error). Equal content means equal texts. An
 * existing kernel gets one more reference: a plan that is made again has the compiled kernels of the former one without making their
 * texts. */
orr__jit *orr__jit_of(void *content, size_t size, uint64_t hint, const char *label);
void orr__jit_unref(orr__jit *j);

/* True if this kernel should be compiled now: by ORRERY_JIT, by the time spent in tier 0, or because a kernel with an equal hint was
 * compiled. Costs a few loads. */
bool orr__jit_hot(const orr__jit *j);
/* True if a request would have an effect now. */
bool orr__jit_open(const orr__jit *j);
/* True if another text for the same work, which may be a little faster, should be compiled now. Its ns count the time spent without it. */
bool orr__jit_repays(const orr__jit *j);
/* Takes over `text` (malloc'ed; NULL: the kernel is never compiled). A kernel in memory is available at once; any other is queued. Only the
 * first caller's text counts. Never waits. */
void orr__jit_ask(orr__jit *j, char *text);
/* The same with a text that is made in the background. It takes over the source. */
void orr__jit_ask_later(orr__jit *j, orr__jit_source source);
/* Asks for a new kernel with content, if an earlier process has compiled it: it is loaded in the background. Otherwise it stays COLD. */
void orr__jit_look(orr__jit *j);
/* False: the text of a request would be of no use. */
bool orr__jit_wants(const orr__jit *j);
/* True if a kernel with an equal hint was compiled, so that its text may be in memory. */
bool orr__jit_seen(const orr__jit *j);
/* A number that identifies the text of fn's code; texts of other code have other numbers. */
uint64_t orr__jit_text(const orr__jit *j);
/* Returns when the kernel is READY or NEVER, or the library stops. */
void orr__jit_wait(orr__jit *j);
/* True while a compiler is at work. It has a low priority, so a thread that spins would keep the core from it. */
bool orr__jit_compiles(void);
void orr__jit_written(void); /* waits until the cache has all kernels that are in use */

/* orr_init: requests take effect from here on. Threads start with the first request. */
void orr__jit_start(void);
/* orr_shutdown: kills a running compiler, joins the threads, drops unused kernels from memory. */
void orr__jit_stop(void);
/* Between a begin and its end, no kernel is compiled but while a caller waits for one. begins: waits for compilers under way. */
void orr__jit_pause(bool begins);

typedef struct {
    uint64_t compiled, disk_hits, memory_hits, failures;
    int in_memory; /* kernels loaded        */
    size_t bytes;  /* of their machine code */
} orr__jit_stats;
orr__jit_stats orr__jit_get_stats(void);

/* -- the directory, for users ---------------------------------------------------------------------------- */

typedef struct orr__cache_info {
    char key[65], label[64], compiler[192], facts[128];
    uint64_t bytes, source_bytes; /* of the file, of the text in it */
    double seconds;               /* compile time                   */
    int64_t used;                 /* seconds since the epoch        */
    bool site;
} orr__cache_info;

/* Calls f for each valid entry of the directory and of the site layer. ORR_EIO: it cannot be read; the message has the reason. */
orr_status orr__cache_each(void (*f)(const orr__cache_info *e, void *arg), void *arg);
/* Removes all entries of the user's own directory. Returns their number, or -1 if the directory cannot be used or an entry cannot be
 * removed; the message has the reason. */
int orr__cache_clear(void);

#endif
