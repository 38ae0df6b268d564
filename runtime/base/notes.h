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
    ORR__NOTE_CALL, /* an evaluation: n calls, seconds; a: of kernels meanwhile, b: of these at the machine's speed; content: 1 + bytes of
                        the values in memory, bytes: their growth from call to call, part: calls with a growth; flops: bytes of the values
                        that the calls themselves left in memory */
    ORR__NOTE_PLAN, /* a plan that was made: n of them, seconds; content: its operations, part: plans with more than the one before; reads: a
                       hash of its operations, shapes and dtypes, alike: plans in which these are those of the one before               */
    ORR__NOTE_COPY, /* a copy of the program's data: n, part: with the same content as the one before, bytes, seconds                  */
    ORR__NOTE_AGAIN, /* the evaluation of line `of` computes a value that an earlier one computed: n, flops; part: others that it had not */
    ORR__NOTE_INSIDE, /* the value of this line is computed in the kernel of line `of`                                                  */
    ORR__NOTE_APART, /* `of` makes a value of `bytes` that this line reads, and text says why the two are not one kernel; part: others read it
                        too                                                                                             */
    ORR__NOTE_AFTER, /* this line's kernel reads the value that the kernel of line `of` computed in an evaluation before */
    ORR__NOTE_READ, /* the program reads a value: n, bytes, seconds of the copy */
    ORR__NOTE_BACK, /* orr_from copies what the program read at line `of`: n, bytes, seconds */
    ORR__NOTE_SAME, /* a kernel, in one evaluation: n, part: with inputs of which one had been computed before; of: where first; by: the
                       evaluation that did it last */
    ORR__NOTE_GROWN, /* a kernel of a new plan: n; content: its elements, reads: those of an operand; part: the operand is the value before;
                        bytes: of its result beyond that operand */
    /* A change here would save a part of the time of the kernel of line `of`: n facts, a: the sum of their parts, between 0 and 1; b: of how
     * many facts the part is one of the kernel's arithmetic alone; by: the other line that takes part. */
    ORR__NOTE_TURNED, /* an operand is read in an order in which neighbours lie far apart                        */
    ORR__NOTE_WIDE,   /* data of f64 that comes from here widens f32 at line `by`, and the kernel computes with it */
    ORR__NOTE_ORDER,  /* of three matrices, the product of the other two first would have fewer terms            */
    ORR__NOTE_ZEROS,  /* a product, nearly all of whose terms are zero                                           */
    ORR__NOTE_UNREAD, /* a value of which all kernels that read it read a part                                   */
    ORR__NOTE_TILED,  /* elements that are equal along an axis are computed or folded one by one                 */
    ORR__NOTE_DRAWN,  /* random numbers are drawn that an evaluation before drew                                 */
    ORR__NOTE_RUN, /* elements are read by numbers, which are those of a slice; part: the numbers are not the program's */
    ORR__NOTE_MASKED,  /* values are computed of which a mask drops nearly all                                    */
    ORR__NOTE_ALIKE,   /* an operand of a function is an array of equal numbers */
    ORR__NOTE_INVERSE, /* an inverse is computed, of which a product with few columns is used                    */
    ORR__NOTE_FIXED,   /* a kernel computes values that change among others that do not                           */
    ORR__NOTE_EARLY /* the evaluation here ended with the value of line `of`, which only the kernel of line `by` reads: n values, part: those
                       that others read too, bytes                                                              */
} orr__note_kind;

typedef struct orr__note {
    orr__note_kind kind;
    int line, of_line, by_line;
    const char *file, *of, *by; /* files; live as long as the program, or are NULL */
    char text[128];             /* a label, or a reason                            */
    uint64_t n, part, content, reads, alike;
    uint64_t kernel;                            /* the key of the kernel that is meant; 0: all of the line */
    double seconds, bytes, flops, effort, a, b; /* effort: of a kernel, in additions of f32, with its bytes */
} orr__note;

void orr__notes_start(void); /* forgets all facts of before */
void orr__notes_stop(void);
/* Adds the sums of *f to the fact of the same kind, places and text. `content`, if not 0, is compared with that of the call before. */
void orr__notes_add(const orr__note *f);
/* A copy of all facts, for free(); *n: how many. NULL: none, or no memory. */
orr__note *orr__notes_all(int *n);
/* A place of the program, and a moment: the number of an evaluation, or 0. */
typedef struct {
    const char *file;
    int line;
    uint64_t at;
} orr__notes_place;
/* The place stored with this key, if one is known: true, and *place is it. Then, and without one, `now` is stored; a known one stays if
 * `first`. Old ones are forgotten. */
bool orr__notes_met(uint64_t key, orr__notes_place now, bool first, orr__notes_place *place);
/* A result of an evaluation: the number of its content, the lines of its kernel and of the evaluation, and that by which it is f64. A copy
 * of the program's data: its number, and a hash of it. */
typedef struct {
    uint64_t number, content, key;               /* key: of its kernel */
    orr__notes_place kernel, call, wide, reader; /* reader: the line of the first kernel that reads it */
    double bytes, unread;                        /* unread: the part that its only reader leaves, 0: there are more */
    int uses;                                    /* kernels that read it  */
    bool joins;                                  /* its kernel could be one with the reader */
} orr__notes_value;
void orr__notes_made(const orr__notes_value *v);
/* A copy of the value of this number; false: none is known. */
bool orr__notes_value_of(uint64_t number, orr__notes_value *v);
/* One more use of the value, by a kernel of the evaluation at `call` that reads this part of it; reader NULL: no kernel that could be one with
 * its own. */
void orr__notes_used(uint64_t number, const orr__notes_place *reader, orr__notes_place call, double part);
/* A hash of some of the bytes, which is the same for equal contents. */
uint64_t orr__notes_content(const void *data, uint64_t bytes);
/* A thread has waited for a compiler, inside of a launch: no time of a kernel or of an evaluation that a change of the program could win. */
void orr__notes_wait(double seconds);
/* The seconds of such waits since the last call, of all threads. */
double orr__notes_waited(void);
/* The notes themselves took these seconds, `launch`: inside of one. They are no time of the program. Returns the sum so far. */
double orr__notes_took(double seconds, bool launch);
/* Seconds of all kernels so far: measured, with waits for compilers; and at the speed of the machine. */
void orr__notes_kernels(double *measured, double *ideal);

#endif
