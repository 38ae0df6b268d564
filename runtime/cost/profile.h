/* The rates and costs of this machine on which plans depend: measured once per host and kept, or fixed numbers.
 * Must not know: StarPU. */
#ifndef ORR_COST_PROFILE_H
#define ORR_COST_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Rates per µs on one core, unless stated otherwise. */
typedef struct orr__profile {
    double stream;         /* bytes read and written over arrays that no cache holds                   */
    double cached;         /* the same over arrays that the second cache holds                         */
    double stream_all;     /* of arrays that no cache holds, all cores together                        */
    double math;           /* arithmetic of a compiled loop, in additions of f32 (an exp counts as 20) */
    double gemm32, gemm64; /* flops of a matrix product                                            */
    double kernel_us;      /* an empty launch                                                          */
    double task_us;        /* an empty task among many                                                 */
    double latency_us;     /* one task alone: data registered, submitted, waited for                   */
    double quality;        /* share of samples that no other work interrupted, of the worst number */
    double date;           /* of the measurement, s since 1970; 0: never                                */
} orr__profile;

/* The profile in force: the fixed one with ORRERY_DETERMINISTIC, with ORRERY_MACHINE=fixed, and until one is measured. */
const orr__profile *orr__profile_now(void);
extern const orr__profile orr__profile_fixed;
/* Puts a profile in force; NULL: the fixed one. Existing plans stay as they are: kernels may be compiled for them. */
void orr__profile_use(const orr__profile *p);

/* Reads the file of this host. False: there is none, or it is not plausible (one line of log). */
bool orr__profile_load(orr__profile *p);
bool orr__profile_store(const orr__profile *p); /* false: it could not be written (one line of log) */

/* The part of file names that depends on ORRERY_ISA. */
const char *orr__profile_vectors(void);

/* True if measuring again could find better numbers, and the last measurement is some time ago. now: seconds since the epoch. */
bool orr__profile_due(const orr__profile *p, double now);
/* The better of two measurements, number by number: other work only slows a machine down. */
void orr__profile_join(orr__profile *p, const orr__profile *other);

/* Samples of one number, while other work may interrupt. */
typedef struct {
    bool everyone; /* preemptions of all threads of the process count, not of the calling one alone */
    long before;
    int clean, all;
    double best, any; /* least of the clean samples; least of all; 0: none yet */
} orr__samples;
void orr__sample_begin(orr__samples *s);
void orr__sample_end(orr__samples *s, double value); /* value > 0; clean if nothing was preempted since the beginning */
static inline double orr__samples_best(const orr__samples *s)
{
    return s->clean ? s->best : s->any;
}
void orr__samples_judge(orr__profile *p, const orr__samples *s); /* lowers p's quality to theirs */

/* Measures the fields that need no engine: memory, arithmetic, launches. 0.1 s. Other fields stay. Ends early when *stop. */
void orr__profile_measure(orr__profile *p, const atomic_bool *stop);
/* True if every number is one that a computer may have, and if they fit together. */
bool orr__profile_plausible(const orr__profile *p);

/* Row i of the table, for people; NULL at its end. */
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

/* µs in which one core moves so many bytes: up to the size of the second cache at the rate of that cache, the rest
 * at the rate of memory. */
double orr__profile_move(const orr__profile *p, double bytes);
/* Derived bounds: predicted µs below which work runs on the calling thread; µs of a task to aim at. */
double orr__inline_us(void);
double orr__task_worth(void);

#endif
