/* Facts about a program's time, summed by source line, from which the notes of ORRERY_NOTES are made.
 * Must not know: the machine, plans; it has names, places and sums. */
#ifndef ORR_BASE_NOTES_H
#define ORR_BASE_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* True while facts are gathered: callers check it before they prepare one. */
extern atomic_bool orr__notes_on;
static inline bool orr__noting(void)
{
    return atomic_load_explicit(&orr__notes_on, memory_order_relaxed);
}

typedef enum {
    ORR__NOTE_WORK, /* a kernel: n launches of whole steps, seconds, bytes, flops; a: seconds at the speed of memory, b: of arithmetic */
    ORR__NOTE_CALL, /* an evaluation: n calls, seconds; a: of kernels meanwhile, b: of these at the machine's speed; bytes: by which the
                        values in memory have grown since the evaluation before, part: calls with such a growth */
    ORR__NOTE_PLAN, /* a plan that was made: n of them, seconds; content: its operations, part: plans with more than the one before    */
    ORR__NOTE_COPY, /* a copy of the program's data: n, part: with the same content as the one before, bytes, seconds                  */
    ORR__NOTE_AGAIN, /* a value that an earlier evaluation computed: n                                                                  */
    ORR__NOTE_INSIDE, /* the value of this line is computed in the kernel of line `of`                                                  */
    ORR__NOTE_APART, /* `of` makes a value of `bytes` that this line reads, and text says why the two are not one kernel                */
    ORR__NOTE_READ,   /* the program reads a value: n, bytes, seconds of the copy */
    ORR__NOTE_SAME,   /* a kernel, in one evaluation: n, part: with the same content of inputs as the one before */
    ORR__NOTE_TURNED, /* a kernel that reads `bytes`, a: of these, in an order in which neighbours lie far apart */
    ORR__NOTE_GROWN, /* a kernel of a new plan: n; content: its elements, reads: those of an operand; part: the operand is the value before */
    ORR__NOTE_WIDE /* f32 is cast to f64 here, and the kernel of line `of` computes with arrays of it                                 */
} orr__note_kind;

typedef struct orr__note {
    orr__note_kind kind;
    int line, of_line;
    const char *file, *of; /* files; live as long as the program, or are NULL */
    char text[128];        /* a label, or a reason                            */
    uint64_t n, part, content, reads;
    double seconds, bytes, flops, a, b;
} orr__note;

void orr__notes_start(void); /* forgets all facts of before */
void orr__notes_stop(void);
/* Adds the sums of *f to the fact of the same kind, places and text. `content`, if not 0, is compared with that of the call before. */
void orr__notes_add(const orr__note *f);
/* A copy of all facts, for free(); *n: how many. NULL: none, or no memory. */
orr__note *orr__notes_all(int *n);
/* A hash of some of the bytes, which is the same for equal contents. */
uint64_t orr__notes_content(const void *data, uint64_t bytes);
/* Seconds of all kernels so far: measured, and at the speed of the machine. */
void orr__notes_kernels(double *measured, double *ideal);

#endif
