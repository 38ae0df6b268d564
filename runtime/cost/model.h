/* Times of tasks, per kernel, class of sizes and kind of device. They are measured as tasks run, fitted across sizes for a new class, and
 * estimated from bytes and flops for a new kernel.
 * Must not know: StarPU. */
#ifndef ORR_COST_MODEL_H
#define ORR_COST_MODEL_H

#include "runtime/fuse/region.h"

typedef enum { ORR__ON_CPU, ORR__ON_OPENCL, ORR__ON_CUDA, ORR__ON_COUNT } orr__on;
extern const char *const orr__on_name[ORR__ON_COUNT]; /* "CPU", "OpenCL", "CUDA" */

/* The measurements on one kind of device. `size`: µs of a core with round numbers, see orr__profile_fixed. */
typedef struct orr__timed {
    uint32_t n, odd;         /* samples; consecutive ones that were far off */
    double us, size, spread; /* means; variance of us                     */
} orr__timed;

/* One kernel at one class of sizes; lives as long as the process. */
typedef struct orr__class {
    uint64_t kernel;
    uint32_t shape; /* hash of the extents of a task, in steps of a quarter of an octave */
    uint32_t row;   /* the same without the number of its rows                           */
    int kind;
    char label[64];
    orr__timed on[ORR__ON_COUNT];
    double told[ORR__ON_COUNT]; /* us when plans were last told of news */
    bool anew[ORR__ON_COUNT];   /* reset in this process: earlier samples do not come back */
    struct orr__class *next;
} orr__class;

/* The cost of a region, as the models know it. */
typedef struct orr__cost {
    double us;         /* predicted for all of it on one CPU core                              */
    double size;       /* the same by round numbers (orr__cost_size)                           */
    orr__class *class; /* of its tasks; NULL: they are not measured */
} orr__cost;

/* The class of tasks of `rows` rows of axis 0 of a region, found or made. NULL: no memory. */
orr__class *orr__model_class(const orr__region *r, int64_t rows);
/* The size of a task of `rows` rows of a region with dim0 rows. */
double orr__task_size(const orr__cost *c, int64_t rows, int64_t dim0);
/* Counts a task of this size that took `us` µs. */
void orr__model_add(orr__class *c, double size, orr__on on, double us);
/* A number that changes whenever a class has so many samples that its mean tells more than before. */
unsigned orr__models_news(void);

typedef enum { ORR__MEASURED, ORR__FITTED, ORR__ESTIMATED } orr__basis;
typedef struct {
    double us;
    orr__basis basis;
} orr__guess;
/* The time of a task of `rows` rows. */
orr__guess orr__model_guess(const orr__region *r, const orr__cost *c, int64_t rows, orr__on on);

/* The time of the whole region on one CPU core: from the times of its kernel's tasks if plans use measurements, else predicted. */
double orr__model_expect(const orr__region *r);
/* The fit across a kernel's classes with these rows, or with any if there are none, at one size; 0: no class. */
double orr__model_fitted(uint64_t kernel, uint32_t row, orr__on on, double size);

/* The file of this host; unused with ORRERY_MACHINE=fixed. Load fills an empty table and omits poisoned entries.
 * Store merges with the entries of other processes; it does nothing if nothing was measured. */
void orr__models_load(void);
void orr__models_store(void);
int orr__models_clear(void);  /* memory and file; number of entries; -1: the file stays (last error) */
int orr__models_forget(void); /* memory alone; number of entries    */
void orr__models_each(void (*f)(orr__class *c, orr__on on, const orr__timed *t, void *arg), void *arg);
void orr__models_guard(void); /* protects its locks across forks */

/* -- parts of it, for tests ------------------------------------------------------------------------------- */

typedef struct {
    double size, us, weight;
} orr__sample;
/* log us = a + b log size by weighted least squares, 0.2 ≤ b ≤ 1.2; b = 1 if sizes do not differ. False: no samples. */
bool orr__fit(const orr__sample *s, int n, double *a, double *b);
/* Adds a sample. False: it was far off and not counted. *reset: it shows that all earlier ones were poison, and
 * replaces them. */
bool orr__timed_add(orr__timed *t, double size, double us, bool *reset);
/* Puts the times of a class from a file into the table. Of two entries the one with more samples stays. */
void orr__model_put(const orr__class *c, orr__on on, const orr__timed *t);
/* Drops classes that depart by more than 8 times from the fit of their kernel's others, with a line of log each. Returns their number. */
int orr__models_purge(void);

#endif
