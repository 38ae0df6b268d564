/* Times of tasks: per kernel, class of sizes and kind of device, measured as they run; fitted across sizes where a class
 * is new; estimated from bytes and flops where the kernel is.
 * Must not know: StarPU. */
#ifndef ORR_COST_MODEL_H
#define ORR_COST_MODEL_H

#include "runtime/fuse/region.h"

typedef enum { ORR__ON_CPU, ORR__ON_OPENCL, ORR__ON_CUDA, ORR__ON_COUNT } orr__on;
extern const char *const orr__on_name[ORR__ON_COUNT]; /* "CPU", "OpenCL", "CUDA" */

/* The measurements on one kind of device. `size`: µs of a core with round numbers, see orr__profile_fixed. */
typedef struct orr__timed {
    uint32_t n, odd;         /* samples; those in a row that were far off */
    double us, size, spread; /* means; variance of us                     */
} orr__timed;

/* One kernel at one class of sizes; as long as the process. */
typedef struct orr__class {
    uint64_t kernel;
    uint32_t shape; /* of the extents of a task, in steps of a quarter of an octave */
    int kind;
    char label[64];
    orr__timed on[ORR__ON_COUNT];
    double told[ORR__ON_COUNT]; /* us when plans were last told of news */
    struct orr__class *next;
} orr__class;

/* The cost of a region, as the models know it. */
typedef struct orr__cost {
    double us;         /* predicted for all of it on one CPU core                              */
    double size;       /* the same by round numbers (orr__cost_size)                           */
    orr__class *class; /* of its tasks, each of so many rows; NULL: nothing is measured of them */
} orr__cost;

/* The class of tasks of so many rows of axis 0 of a region; found or made. NULL: no memory. */
orr__class *orr__model_class(const orr__region *r, int64_t rows);
/* The size of a task of `rows` rows of a region that has dim0. */
double orr__task_size(const orr__cost *c, int64_t rows, int64_t dim0);
/* Counts one that took so long. */
void orr__model_add(orr__class *c, double size, orr__on on, double us);
/* Changes whenever so many samples have come to a class that its mean tells more than before. */
unsigned orr__models_news(void);

typedef enum { ORR__MEASURED, ORR__FITTED, ORR__ESTIMATED } orr__basis;
typedef struct {
    double us;
    orr__basis basis;
} orr__guess;
/* The time of a task of `rows` rows. */
orr__guess orr__model_guess(const orr__region *r, const orr__cost *c, int64_t rows, orr__on on);

/* The whole region on one CPU core: by the times of its kernel's tasks where plans go by measurements, else predicted. */
double orr__model_expect(const orr__region *r);
/* The fit across a kernel's classes at one size; 0: none. */
double orr__model_fitted(uint64_t kernel, orr__on on, double size);

/* The file of this host, unless ORRERY_MACHINE=fixed. Load: into an empty table; poisoned entries are left out. Store:
 * joined with what other processes have put there; nothing when nothing was measured. */
void orr__models_load(void);
void orr__models_store(void);
int orr__models_clear(void);  /* memory and file; how many there were, -1: the file stays, and why */
int orr__models_forget(void); /* memory                             */
void orr__models_each(void (*f)(orr__class *c, orr__on on, const orr__timed *t, void *arg), void *arg);
void orr__models_guard(void); /* its locks, against forks */

/* -- parts of it, for tests ------------------------------------------------------------------------------- */

typedef struct {
    double size, us, weight;
} orr__sample;
/* log us = a + b log size by weighted least squares, 0.2 ≤ b ≤ 1.2; b = 1 where sizes do not differ. false: none. */
bool orr__fit(const orr__sample *s, int n, double *a, double *b);
/* One more sample. false: it was far off and not counted, or (*reset) it shows that all before were poison. */
bool orr__timed_add(orr__timed *t, double size, double us, bool *reset);
/* Puts a class into the table, as a file has it; the one with more samples stays. */
void orr__model_put(const orr__class *c, orr__on on, const orr__timed *t);
/* Drops classes that depart by more than 8 times from the fit of their kernel's others, with a line of log each; how many. */
int orr__models_purge(void);

#endif
