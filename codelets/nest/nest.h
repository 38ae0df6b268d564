/* The loop nest of a kernel as data: a tree of few kinds of parts, which builders make, transforms change, and printers write.
 * Must not know: the words of a language, the shapes of loops.
 *
 * Positions and conditions are expressions in the common subset of the dialects. They and the parts live as long as the nest. A failure is
 * kept in the nest's text, and later calls have no effect. */
#ifndef ORR_NEST_NEST_H
#define ORR_NEST_NEST_H

#include "codelets/emit/emit.h"

/* The kinds of parts. X(kind, word for people):
 * LOOP      `body` for each `name` from `from` (NULL: from where it is) to `to`, `step` (NULL: 1) at a time
 * MASK      `body` if `at` holds (NULL: always), else `other`; nothing if both are empty
 * SET       a number of the loops, by the statement `at`
 * ARRAY     `step` elements of type `at` on the stack (NULL: one), or the address `from`
 * LET       register n by its instruction; of a random number, from the bits at `at`
 * LOAD      register n from element `at` of array `name`
 * STORE     register or output n to element `at` of `name`
 * FOLD      a part of fold n
 * COPY      elements from memory to an array or back, by the statement `at`
 * PREFETCH  the elements of access n for [from, to) of axis `row`, `step` elements later */
#define ORR__PARTS(X)                                                                                                  \
    X(LOOP, "loop")                                                                                                    \
    X(MASK, "if")                                                                                                      \
    X(SET, "set")                                                                                                      \
    X(ARRAY, "array")                                                                                                  \
    X(LET, "let")                                                                                                      \
    X(LOAD, "load")                                                                                                    \
    X(STORE, "store")                                                                                                  \
    X(FOLD, "fold")                                                                                                    \
    X(COPY, "copy")                                                                                                    \
    X(PREFETCH, "prefetch")
#define ORR__PART_KIND(kind, word) ORR__PART_##kind,
#define ORR__PART_WORD(kind, word) word,
typedef enum orr__partkind { ORR__PARTS(ORR__PART_KIND) ORR__PART_KINDS } orr__partkind;

/* The way of a part, a set of bits for a LOOP, a number for others. */
enum {
    ORR__LOOP_STEPS = 0,
    ORR__LOOP_VECTOR = 1,    /* its elements are independent: to be vectorised                                   */
    ORR__LOOP_ONCE = 2,      /* …, as one vector, not several side by side                                        */
    ORR__LOOP_ALONE = 4,     /* not to be vectorised                                                             */
    ORR__LOOP_INT = 8,       /* the index is an int: a number of a vector's element                               */
    ORR__LOOP_WHOLE = 16,    /* while a whole step is left                                                       */
    ORR__LOOP_JUMPS = 32,    /* the body sets `at`, where the next turn begins                                    */
    ORR__LOOP_UNROLLED = 64, /* all turns side by side                                                            */
    ORR__LOOP_PACED = 256,   /* four vectors at a time, by ORR_PACE or the compiler's own way                    */
    ORR__LOOP_BOUND = 128,   /* each work item, or group of them, has one turn, that of the statements `at`       */
    ORR__MASK_COMPILED = 1,  /* the compiler knows whether `at` holds                                              */
    ORR__ARRAY_LOOSE = 1,    /* not aligned to a cache line                                                      */
    ORR__LOAD_PLAIN = 0,     /* the array has registers,                                                         */
    ORR__LOAD_KEPT,          /* registers with truth values as integers,                                          */
    ORR__LOAD_STORED,        /* or elements as in memory                                                         */
    ORR__STORE_PLAIN = 0,    /* a register                                                                       */
    ORR__STORE_OUTPUT,       /* output n, from the value `from` of dtype `dtype`                                   */
    ORR__STORE_UNROUNDED,    /* output n as f32, although it is f16                                              */
    ORR__FOLD_BEGIN = 0,     /* acc<n> and lost<n>, of no values                                                  */
    ORR__FOLD_CLEAR,         /* the first `to` elements of array `name`, of no values                              */
    ORR__FOLD_STEP,          /* the register, or `from`, into `name`; of a search, its place `to` into `at`          */
    ORR__FOLD_LANE,          /* the register into column `name`, of a masked loop only where it exists           */
    ORR__FOLD_BLOCK,         /* `to` elements from `from` on into acc<n>                                          */
    ORR__FOLD_JOIN,          /* the columns `name`, or of an item another sum `from`, into acc<n>                   */
    ORR__FOLD_END,           /* `fold` from acc<n>, or `where` of a search; of the items of a group, fold<n> of all */
    ORR__FOLD_VALUE,         /* register n from acc<n>, or from element `at` of columns                             */
};

typedef struct orr__part {
    orr__partkind kind;
    int how, n, row; /* row: which of several rows of the same loop; of PREFETCH, the axis */
    const char *name, *at, *from, *to, *step;
    orr_dtype dtype;
    orr__around around; /* the loops around it */
    struct orr__part *body, *other, *next, *up;
} orr__part;

typedef struct orr__nest {
    orr__text *t; /* counts the steps of work */
    struct orr__nest_piece *pieces;
    int parts;
    orr__part *root, *in, **end, none;
} orr__nest;

void orr__nest_begin(orr__nest *n, orr__text *t);
void orr__nest_free(orr__nest *n);
/* A string that lives as long as the nest. */
const char *orr__nest_say(orr__nest *n, const char *fmt, ...) ORR_PRINTF(2, 3);

/* Parts go after the former one. Those that open a body are closed again. A pointer is never NULL. */
orr__part *orr__nest_add(orr__nest *n, orr__partkind kind, int how, int number);
orr__part *orr__nest_loop(orr__nest *n, int how, const char *name, const char *from, const char *to, const char *step);
orr__part *orr__nest_if(orr__nest *n, const char *fmt, ...) ORR_PRINTF(2, 3);
void orr__nest_else(orr__nest *n);
void orr__nest_block(orr__nest *n);
void orr__nest_close(orr__nest *n, int bodies);
void orr__nest_set(orr__nest *n, const char *fmt, ...) ORR_PRINTF(2, 3);
void orr__nest_copy(orr__nest *n, const char *fmt, ...) ORR_PRINTF(2, 3);
void orr__nest_array(orr__nest *n, int how, const char *type, const char *name, const char *size);
void orr__nest_address(orr__nest *n, const char *type, const char *name, const char *address);

/* Transforms change all that was added since `mark`, a former n->end. Takes these parts out of the tree; adds such parts again; a copy of them. */
orr__part *orr__nest_take(orr__nest *n, orr__part **mark);
void orr__nest_put(orr__nest *n, orr__part *list);
orr__part *orr__nest_clone(orr__nest *n, const orr__part *list);
/* Calls f for each part of the list and below; false removes the part. */
void orr__nest_each(orr__part **list, bool (*f)(orr__part *part, void *arg), void *arg);

/* Is there a part of this kind and number in the list? */
bool orr__nest_has(const orr__part *list, orr__partkind kind, int n);

const char *orr__part_word(orr__partkind kind);
/* verify.c: false, with a reason, if a part reads a register, an array or a sum that is not there. */
bool orr__nest_verify(const orr__nest *n, const orr__region *r, char *why, size_t size);
/* print.c: a line for each part, for people. */
void orr__nest_print(FILE *to, const orr__nest *n, const orr__region *r);

#endif
