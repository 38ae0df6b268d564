/* Programs drawn at random, as text, and the side that computes them with Orrery.
 * Must not know: how a side computes.
 *
 * A program is lines of words. Values are t0, t1, …; a list has commas and no spaces; # begins a comment.
 *     t0 input f32 1000,3 -2 2      an array of this dtype and shape, uniform in [-2, 2)
 *     t1 index 500 1000             500 numbers i32 in 0 … 999
 *     t2 mul t0 0.5                 an operation (bench/random_ours.c lists them) of values and numbers
 *     t3,t4 grad t2 t0 t1           gradients of t2
 *     out t2 t3                     the results
 */
#ifndef ORR_BENCH_RANDOM_H
#define ORR_BENCH_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANDOM_FAMILIES 14
extern const char *const random_family[RANDOM_FAMILIES];

/* The programs that are drawn: the bytes of a program's largest array, approximately, of which `largest` is at least 32 KiB, and its dtype
 * (NULL: any). */
typedef struct random_kind {
    double least, largest;
    const char *dtype;
} random_kind;

/* bench/random_draw.c: the text of program `number` of a seed, a function of these arguments alone; the caller frees it. NULL: no
 * memory. */
char *random_draw(uint64_t seed, int number, int family, const random_kind *kind);

/* bench/simulations.c: named programs in the same form; the list ends with NULL. */
extern const char *const simulation[];
char *simulation_text(const char *name);

/* -- Orrery, in this process: bench/random_ours.c ----------------------------------------------------------- */

/* The work of a program, and a lower bound of its time on this machine. */
typedef struct random_work {
    double bytes, flops, products; /* of inputs and results; operations on elements; flops of products */
    double seconds;                /* the largest of the three times                                   */
    double elements;               /* of the largest array                                             */
    const char *bound;             /* its name: "memory", "arithmetic", "products"                     */
} random_work;

/* Reads the program at `path`, computes it once and writes samples of its results to the file `samples`. 0, or 1, and
 * orr_error_message or *why has the reason. */
int random_ours_prepare(const char *path, const char *samples, random_work *work, const char **why);
int random_ours_load(const char *path, const char **why); /* reads it alone */
int random_ours_once(void *unused);
/* Writes orr_explain of its results to a file. */
int random_ours_explain(const char *to);
void random_ours_drop(void);

#endif
