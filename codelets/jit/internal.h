/* Internals of the JIT: the directory's entries, the compiler, loaded kernels.
 * Must not know: regions, launches. */
#ifndef ORR_JIT_INTERNAL_H
#define ORR_JIT_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>
#include "codelets/jit/jit.h"
#include "runtime/base/private_file.h"
#include "runtime/base/sha256.h"

/* Incremented when the meaning of a key or a file changes. */
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
/* Checks the whole file; *e points into the bytes. key NULL: any key, returned in *found. */
bool orr__entry_unpack(const orr__bytes *b, const orr__key *k, orr__entry *e, orr__key *found);

/* -- cache.c, cache_sweep.c: the directory ---------------------------------------------------------------------- */

typedef struct {
    int dir, site; /* -1: there is none */
    char path[1024];
} orr__cache;
void orr__cache_open(orr__cache *c); /* from orr__env */
void orr__cache_close(orr__cache *c);
/* The verified bytes of an entry, or false: a miss. The caller frees out->data. */
bool orr__cache_get(orr__cache *c, const orr__key *k, orr__bytes *out, orr__entry *e);
/* False if it could not be stored (logged). */
bool orr__cache_put(orr__cache *c, const orr__key *k, const orr__entry *e);
/* A lock by which one process compiles and the others wait: an fd, or -1 (no lock; continue without). Gives up after
 * `seconds`, or when *stop is set. */
int orr__cache_lock(orr__cache *c, const orr__key *k, double seconds, const atomic_bool *stop);
void orr__cache_unlock(orr__cache *c, const orr__key *k, int lock);
/* Removes the oldest entries until the rest fits into `most` bytes, and leftovers of killed processes. */
void orr__cache_sweep(orr__cache *c, size_t most);
/* cache_index.c: which entry has the kernel of a content. The caller frees out->data; NULL: there is no index. */
void orr__index_read(int dir, bool site, orr__bytes *out);
bool orr__index_find(const orr__bytes *index, const orr__key *content, orr__key *entry);
void orr__index_add(int dir, const orr__key *content, const orr__key *entry);
void orr__index_remove(int dir);
bool orr__is_entry(const char *name);
bool orr__is_lock(const char *name);

/* -- compiler.c, spawn.c, compile.c ------------------------------------------------------------------------ */

typedef struct {
    char path[1024];
    char version[128];       /* first line of --version */
    char arch[40];           /* -march=… */
    const char *width;       /* a flag for the vectors' width; NULL: the compiler's choice */
    unsigned char facts[32]; /* of path, file, flags, processor, our version */
    unsigned char id[32];    /* of facts and version */
} orr__compiler;
extern const char *const orr__cflags[]; /* NULL-terminated; -march comes from orr__compiler */
void orr__compiler_key(const orr__compiler *c, const char *text, orr__key *key);

typedef enum {
    ORR__RAN,
    ORR__RAN_BADLY,
    ORR__KILLED, /* by a signal from outside: the kernel without memory, or a user */
    ORR__CANNOT_RUN,
    ORR__CANNOT_RUN_NOW, /* no process, descriptor or memory available */
    ORR__TOO_LONG,       /* exceeded the limit of processor time       */
    ORR__STALLED,        /* used no processor time for the limit of wall time */
    ORR__STOPPED
} orr__spawned;
/* Limits in seconds. work: processor time of a program and its children, whatever the machine's load. rest: wall time
 * without any processor time, in which the program waits for an event that does not come. Without /proc both are wall
 * time. */
typedef struct {
    double work, rest;
} orr__patience;
/* Runs argv[0] (a path) with stdin from /dev/null, the beginning of its output in `said`, and TMPDIR = tmp. Kills it
 * and its children when a limit is reached or stop_fd becomes readable. RAN: status 0. polite: cores are first of all
 * for processes of usual priority. */
orr__spawned orr__spawn(const char *const *argv, const char *tmp, bool polite, orr__patience patience, int stop_fd,
                        char *said, size_t size);

typedef enum {
    ORR__COMPILED,
    ORR__BAD_TEXT,    /* the same text fails again                          */
    ORR__TOO_MUCH,    /* processor time: less optimisation takes less */
    ORR__NOT_NOW,     /* no memory, no disk space, no process: may be temporary */
    ORR__NO_COMPILER, /* it cannot be run                                   */
    ORR__INTERRUPTED
} orr__compiled;
/* Finds the compiler's file and its flags, without running it. False: there is none (logged). */
bool orr__compiler_look(orr__compiler *c);
/* Runs the compiler once for its version. NO_COMPILER is permanent, NOT_NOW may be temporary (logged). */
orr__compiled orr__compiler_find(orr__compiler *c, int stop_fd);
/* A key of a kernel's content: texts of equal content are equal if the same file of this library makes them. False: that file is not known. */
bool orr__content_key(const orr__compiler *c, const void *content, size_t size, orr__key *key);
/* The shared object of a text; plainly: with less optimisation. Errors are logged. */
orr__compiled orr__compile(const orr__compiler *c, const orr__cache *cache, const char *text, bool plainly, int stop_fd,
                           orr__bytes *out, double *seconds);
extern orr__patience orr__compile_limit; /* tests shorten it */

/* elf.c: true if the shared object is complete. */
bool orr__elf_whole(const unsigned char *code, size_t size);

/* -- loaded_kernels.c: kernels in memory ------------------------------------------------------------------------------- */

typedef struct orr__code {
    atomic_int refs;
    unsigned char text_key[32];
    void *handle; /* of dlopen; NULL: the text does not compile */
    orr__jit_fn *fn;
    size_t bytes;
    struct orr__code *newer, *older;
} orr__code;
void orr__memory_guard(void); /* once: no thread holds the lock of these kernels during a fork */
void orr__text_key(const char *text, unsigned char key[32]);
void orr__text_key_of(const char *text, size_t size, unsigned char key[32]); /* a text without its NUL */
/* A reference, or NULL. */
orr__code *orr__memory_find(const unsigned char text_key[32]);
/* Loads verified bytes and keeps the result; NULL: failed (logged). code NULL: remembers a failure. */
orr__code *orr__memory_load(const unsigned char text_key[32], const unsigned char *code, size_t size, const char *dir);
void orr__code_unref(orr__code *c);
/* perf_map.c: with ORRERY_PERF_MAP=on, gives the code its name in perf's map. Called before the code runs. */
void orr__perf_map(const orr__code *c, const char *label);
void orr__memory_clear(void);
void orr__memory_count(int *kernels, size_t *bytes);
extern int orr__memory_most; /* kept kernels without a user   */

#endif
