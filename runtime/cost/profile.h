/* The rates and costs of this machine on which plans depend: measured once per host and kept, or fixed numbers.
 * Must not know: StarPU. */
#ifndef ORR_COST_PROFILE_H
#define ORR_COST_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Per µs on one core, where not said otherwise. */
typedef struct orr__profile {
    double stream;         /* bytes read and written over arrays that no cache holds                   */
    double cached;         /* the same over arrays that the second cache holds                         */
    double stream_all;     /* of arrays that no cache holds, all cores together                        */
    double math;           /* additions of f32 in a compiled loop that this is as good as (exp: 20)    */
    double gemm32, gemm64; /* flops of a matrix product                                            */
    double kernel_us;      /* a launch with nothing to do                                              */
    double task_us;        /* one of many tasks with nothing to do                                     */
    double latency_us;     /* one task alone: data registered, submitted, waited for                   */
    double quality;        /* the share of samples that no other work interrupted, of the worst number */
    double date;           /* of the measurement, s since 1970; 0: never                                */
} orr__profile;

/* The numbers in force: fixed ones with ORRERY_DETERMINISTIC, ORRERY_MACHINE=fixed, and until measured ones are there. */
const orr__profile *orr__profile_now(void);
extern const orr__profile orr__profile_fixed;
/* Plans that are there stay as they are: kernels may be compiled for them. NULL: the fixed ones. */
void orr__profile_use(const orr__profile *p);

/* The file of this host. false: none, or none that can be believed (one line of log). */
bool orr__profile_load(orr__profile *p);
bool orr__profile_store(const orr__profile *p); /* false: it could not be kept (one line of log) */

/* Part of the names of files of what depends on ORRERY_ISA. */
const char *orr__profile_vectors(void);

/* Whether measuring again could find better numbers. */
bool orr__profile_good(const orr__profile *p);
/* The better of two measurements, number by number: other work only slows a machine down. */
void orr__profile_join(orr__profile *p, const orr__profile *other);

/* Samples of one number, while other work may interrupt. */
typedef struct {
    bool everyone; /* all threads of the process count, not the calling one alone */
    long before;
    int clean, all;
    double best, any; /* the least of the clean ones, of all; 0: none yet */
} orr__samples;
void orr__sample_begin(orr__samples *s);
void orr__sample_end(orr__samples *s, double value); /* > 0; clean if nothing was preempted since the beginning */
static inline double orr__samples_best(const orr__samples *s)
{
    return s->clean ? s->best : s->any;
}
void orr__samples_judge(orr__profile *p, const orr__samples *s); /* lowers p's quality to theirs */

/* Measures the fields that need no engine: memory, arithmetic, launches. 0.1 s. Other fields stay. Ends early when *stop. */
void orr__profile_measure(orr__profile *p, const atomic_bool *stop);
/* Every number is one that a computer may have. */
bool orr__profile_plausible(const orr__profile *p);

/* Row i of the table, for people; false at its end. */
typedef struct {
    const char *name, *unit, *meaning;
    size_t offset;
    double low, high;
} orr__profile_row;
const orr__profile_row *orr__profile_table(size_t i);
static inline double *orr__profile_at(orr__profile *p, const orr__profile_row *row)
{
    return (double *)(void *)((char *)p + row->offset);
}

/* µs that one core spends on moving so many bytes: those that the second cache may hold, then the rest. */
double orr__profile_move(const orr__profile *p, double bytes);
/* Derived bounds: predicted µs below which work runs on the calling thread; µs aimed at in a task. */
double orr__inline_us(void);
double orr__task_worth(void);

#endif
