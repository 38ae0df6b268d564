/* Inside of the JIT: the directory's entries, the compiler, loaded kernels.
 * Must not know: regions, launches. */
#ifndef ORR_JIT_INSIDE_H
#define ORR_JIT_INSIDE_H

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>
#include "codelets/jit/jit.h"
#include "runtime/base/private_file.h"
#include "runtime/base/sha256.h"

/* Counted up when a key or a file would mean something else than before. */
enum { ORR__CACHE_ABI = 2 };

typedef struct {
    unsigned char byte[32];
} orr__key;
void orr__key_hex(const orr__key *k, char hex[65]);

/* jit_log.c: one line of level warn per cause, until orr__say_again. */
typedef enum {
    ORR__SAY_DIR,
    ORR__SAY_SITE,
    ORR__SAY_TMP,
    ORR__SAY_STORE,
    ORR__SAY_CC_GONE,
    ORR__SAY_CC_FAILS,
    ORR__SAY_CC_HANGS,
    ORR__SAY_LOAD,
    ORR__SAY_THREAD,
    ORR__SAY_LOCK
} orr__cause;
void orr__say(orr__cause c, const char *fmt, ...) ORR_PRINTF(2, 3);
void orr__say_again(void);

/* -- cache_entry.c: the layout of a file ---------------------------------------------------------------------------- */

typedef struct {
    char label[64], compiler[192], facts[128];
    double seconds;
    const char *source; /* source_size bytes, no NUL */
    size_t source_size;
    const unsigned char *code; /* the shared object         */
    size_t code_size;
} orr__entry;
/* false: no memory. */
bool orr__entry_pack(const orr__key *k, const orr__entry *e, orr__bytes *out);
/* Checks all of it; *e points into the bytes. key NULL: any, given in *found. */
bool orr__entry_unpack(const orr__bytes *b, const orr__key *k, orr__entry *e, orr__key *found);

/* -- cache.c, cache_sweep.c: the directory ---------------------------------------------------------------------- */

typedef struct {
    int dir, site; /* -1: there is none */
    char path[1024];
} orr__cache;
void orr__cache_open(orr__cache *c); /* from orr__env */
void orr__cache_close(orr__cache *c);
/* The verified bytes of an entry, or false: a miss. Free out->data. */
bool orr__cache_get(orr__cache *c, const orr__key *k, orr__bytes *out, orr__entry *e);
/* False when it could not be kept (said). */
bool orr__cache_put(orr__cache *c, const orr__key *k, const orr__entry *e);
/* So that one process compiles and the others wait for it: an fd, or -1 (no lock; goes on without). Gives up after
 * `seconds`, or when *stop. */
int orr__cache_lock(orr__cache *c, const orr__key *k, double seconds, const atomic_bool *stop);
void orr__cache_unlock(orr__cache *c, const orr__key *k, int lock);
/* Oldest entries go until the rest fits into `most` bytes; leftovers of killed processes go. */
void orr__cache_sweep(orr__cache *c, size_t most);
bool orr__is_entry(const char *name);
bool orr__is_lock(const char *name);

/* -- compiler.c, spawn.c, compile.c ------------------------------------------------------------------------ */

typedef struct {
    char path[1024];
    char version[128];    /* first line of --version */
    char arch[40];        /* -march=… */
    const char *width;    /* a flag about the vectors' width; NULL: as the compiler likes */
    unsigned char id[32]; /* of path, file, version, flags, processor, our version */
} orr__compiler;
extern const char *const orr__cflags[]; /* NULL at the end; -march comes from orr__compiler */
void orr__compiler_key(const orr__compiler *c, const char *text, orr__key *key);

typedef enum {
    ORR__RAN,
    ORR__RAN_BADLY,
    ORR__KILLED, /* from outside: by the kernel, which has no memory, or by somebody */
    ORR__CANNOT_RUN,
    ORR__CANNOT_RUN_NOW, /* no process, descriptor or memory to be had */
    ORR__TOO_LONG,       /* more processor time than it may            */
    ORR__STALLED,        /* no processor time at all for so long       */
    ORR__STOPPED
} orr__spawned;
/* Seconds of the processor that a program and its children may take, whatever the machine's load; and of the clock without any of
 * that: it waits for what does not come. Without /proc both are of the clock. */
typedef struct {
    double work, rest;
} orr__patience;
/* Runs argv[0] (a path) with stdin from /dev/null, its output's beginning in `said`, TMPDIR = tmp; kills it and its
 * children when patience ends or stop_fd becomes readable. RAN: status 0. */
orr__spawned orr__spawn(const char *const *argv, const char *tmp, orr__patience patience, int stop_fd, char *said,
                        size_t size);

typedef enum {
    ORR__COMPILED,
    ORR__BAD_TEXT,    /* the same text fails again                          */
    ORR__TOO_MUCH,    /* of the processor's time: less optimisation is less */
    ORR__NOT_NOW,     /* no memory, no disk space, no process: may pass      */
    ORR__NO_COMPILER, /* it cannot be run                                   */
    ORR__INTERRUPTED
} orr__compiled;
/* The compiler and its flags, or a logged reason: NO_COMPILER is permanent, NOT_NOW may pass. Runs the compiler once for its
 * version. */
orr__compiled orr__compiler_find(orr__compiler *c, int stop_fd);
/* The shared object of a text; plainly: with less optimisation. Errors are logged. */
orr__compiled orr__compile(const orr__compiler *c, const orr__cache *cache, const char *text, bool plainly, int stop_fd,
                           orr__bytes *out, double *seconds);
extern orr__patience orr__compile_limit; /* tests shorten it */

/* elf.c: nothing is missing of this shared object. */
bool orr__elf_whole(const unsigned char *code, size_t size);

/* -- loaded_kernels.c: kernels in memory ------------------------------------------------------------------------------- */

typedef struct orr__code {
    atomic_int refs;
    unsigned char text_key[32];
    void *handle; /* of dlopen; NULL: a text that does not compile */
    orr__jit_fn *fn;
    size_t bytes;
    struct orr__code *newer, *older;
} orr__code;
void orr__text_key(const char *text, unsigned char key[32]);
/* A reference, or NULL. */
orr__code *orr__memory_find(const unsigned char text_key[32]);
/* Loads verified bytes and keeps the result; NULL: said. code NULL: remembers a failure. */
orr__code *orr__memory_load(const unsigned char text_key[32], const unsigned char *code, size_t size, const char *dir);
void orr__code_unref(orr__code *c);
void orr__memory_clear(void);
void orr__memory_count(int *kernels, size_t *bytes);
extern int orr__memory_most; /* kept kernels without a user   */

#endif
