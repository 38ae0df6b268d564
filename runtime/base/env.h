/* The table of ORRERY_* environment variables: name, values, default, meaning; parsed once at init.
 * Must not know: the users of a setting. */
#ifndef ORR_BASE_ENV_H
#define ORR_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef enum { ORR__BACKEND_AUTO, ORR__BACKEND_CPU, ORR__BACKEND_CUDA, ORR__BACKEND_OPENCL } orr__backend_choice;
typedef enum { ORR__ENGINE_AUTO, ORR__ENGINE_STARPU, ORR__ENGINE_SERIAL } orr__engine_choice;
typedef enum { ORR__DENORMALS_KEPT, ORR__DENORMALS_FLUSHED, ORR__DENORMALS_COUNTED } orr__denormals_choice;
typedef enum { ORR__JIT_ON, ORR__JIT_OFF, ORR__JIT_WAIT } orr__jit_choice;
typedef enum { ORR__ISA_AUTO, ORR__ISA_SSE2, ORR__ISA_AVX2, ORR__ISA_AVX512 } orr__isa_choice;
typedef enum { ORR__RANKS_AUTO, ORR__RANKS_OFF, ORR__RANKS_WORLD } orr__ranks_choice;
typedef enum { ORR__RANGES_OFF, ORR__RANGES_NVTX, ORR__RANGES_ITT } orr__ranges_choice;
typedef enum { ORR__DUMP_FAILED, ORR__DUMP_NEW, ORR__DUMP_ALL } orr__dump_choice;
typedef enum { ORR__MACHINE_MEASURED, ORR__MACHINE_FIXED } orr__machine_choice;
enum { ORR__CHECK_NONFINITE = 1, ORR__CHECK_OVERFLOW = 2, ORR__CHECK_BOUNDS = 4 };
enum { ORR__PRINT_GRAPH = 1, ORR__PRINT_FUSE = 2, ORR__PRINT_PLAN = 4, ORR__PRINT_PASSES = 8, ORR__PRINT_KERNELS = 16,
       ORR__PRINT_NEST = 32 };

/* The settings in force. orr__env_load fills them; tests may write to them between init and shutdown. */
typedef struct {
    int backend;            /* ORRERY_BACKEND        auto cpu cuda opencl                    */
    int engine;             /* ORRERY_ENGINE         auto starpu serial                      */
    bool fuse;              /* ORRERY_FUSE           on off                                  */
    bool excess_precision;  /* ORRERY_EXCESS_PRECISION on off                                */
    bool fallback;          /* ORRERY_FALLBACK       on off                                  */
    bool device_copies;     /* ORRERY_DEVICE_COPIES  on off                                  */
    int flush_denormals;    /* ORRERY_FLUSH_DENORMALS off on count                           */
    unsigned check;         /* ORRERY_CHECK         comma list, bits ORR__CHECK_…            */
    bool deterministic;     /* ORRERY_DETERMINISTIC  on off                                  */
    bool tf32;              /* ORRERY_TF32           on off                                  */
    bool cuda_graphs;       /* ORRERY_CUDA_GRAPHS    on off                                  */
    size_t memory_limit;    /* ORRERY_MEMORY_LIMIT   bytes with K M G T suffix, 0: none      */
    char spill_dir[1024];   /* ORRERY_SPILL_DIR      for values beyond that limit, "": none      */
    int64_t nodes;          /* ORRERY_NODES          without an evaluation before a warning; 0: none */
    int64_t image_limit;    /* ORRERY_IMAGE_LIMIT    millions of pixels; 0: none             */
    int64_t inline_us;      /* ORRERY_INLINE_US      work predicted below this runs on the calling thread; −1: auto */
    int64_t spin_us;        /* ORRERY_SPIN_US        of a helper that waits for the next evaluation; −1: auto        */
    int64_t tile_us;        /* ORRERY_TILE_US        work aimed at per task; −1: auto         */
    int machine;            /* ORRERY_MACHINE        measured fixed                          */
    unsigned print;         /* ORRERY_PRINT          comma list: graph fuse plan passes kernels nest */
    int log;                /* ORRERY_LOG            error warn info debug (0…3)             */
    uint64_t seed;          /* ORRERY_SEED           default seed of orr_rand*               */
    int jit;                /* ORRERY_JIT            on off wait; off before orr__env_load   */
    int isa;                /* ORRERY_ISA           auto sse2 avx2 avx512                    */
    char cc[1024];          /* ORRERY_CC             "": the one that configure found        */
    char cache_dir[1024];   /* ORRERY_CACHE_DIR      directory of the kernel cache           */
    size_t cache_size;      /* ORRERY_CACHE_SIZE     bytes that it may hold                  */
    char trace[1024];       /* ORRERY_TRACE          file, "": none                          */
    char notes[1024];       /* ORRERY_NOTES          file, "-": standard output, "": none    */
    int ranges;             /* ORRERY_RANGES         off nvtx itt                            */
    bool perf_map;          /* ORRERY_PERF_MAP       on off                                  */
    char energy[1024];      /* ORRERY_ENERGY         directory of power capping, "": none    */
    char dump[1024];        /* ORRERY_DUMP           file, "": none                          */
    int dump_when;          /* ORRERY_DUMP_WHEN      failed new all                          */
    char cache_site[1024];  /* ORRERY_CACHE_SITE     read-only kernels of the site, "": none */
    char device_file[1024]; /* ORRERY_DEVICE_FILE   registry of devices, "": none           */
    bool nccl;              /* ORRERY_NCCL         on off                                    */
    int ranks;              /* ORRERY_RANKS         auto off world                           */
    int64_t rank_devices;   /* ORRERY_RANK_DEVICES number; −1: auto                           */
    int64_t rank_timeout;   /* ORRERY_RANK_TIMEOUT  seconds, 0: none                         */
    uint64_t ablated;       /* ORRERY_ABLATE        comma list of mechanisms (ablation.h), one bit each */
} orr__settings;
extern orr__settings orr__env;

/* Reads the environment into orr__env. A wrong value gives ORR_EENV and a message that lists the valid ones. An unknown ORRERY_ variable
 * is an error too; the message has the nearest name. After an error, only orr__env.ranks is of the environment: it says whether other ranks
 * wait to hear of the error. */
orr_status orr__env_load(void);

typedef struct {
    const char *name, *values, *fallback, *meaning;
} orr__env_row;
/* Row i of the table, with its value in force written to buf; NULL at the end. */
const orr__env_row *orr__env_table(size_t i, char *buf, size_t size);

/* The name of the i-th setting by which an evaluation of several ranks does more or less, and its value in buf, of a file whether there is
 * one: all ranks must have the same. NULL at the end, after ORR__ENV_SHARED settings at most. */
enum { ORR__ENV_SHARED = 4 };
const char *orr__env_shared(size_t i, char *buf, size_t size);

/* True if there is a directory for caches: that of XDG_CACHE_HOME, or the home directory. */
bool orr__has_cache_base(void);
/* True if the directory exists that a variable names as a base for caches; for XDG_CACHE_HOME, the one above it. */
bool orr__base_is_there(const char *name, const char *path);

/* The number of letters to insert, remove or exchange between two names (those beyond 63 of b do not count). */
unsigned orr__name_distance(const char *a, const char *b);

/* One line to stderr when ORRERY_LOG admits the level (0 error … 3 debug). */
void orr__log(int level, const char *fmt, ...) ORR_PRINTF(2, 3);

#endif
