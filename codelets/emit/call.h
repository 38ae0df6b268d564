/* Kernels of operations on whole arrays, as text: one struct of callbacks per operation, and a table of them.
 * Must not know: devices, any single operation. */
#ifndef ORR_EMIT_CALL_H
#define ORR_EMIT_CALL_H

#include "codelets/emit/emit.h"

/* Words of a launch: 0 the number of work items, 1 the first element of the launch in the output, then the kernel's own
 * words (sizes with their dividers), then the offsets of the inputs and of the output. */
enum { ORR__CALL_FIRST = 1, ORR__CALL_OWN = 2 };

typedef struct orr__emit_call {
    int flags;                                         /* number of flags: one for each index that may be refused   */
    bool (*can)(const orr__region *r);                 /* NULL: no further condition                                */
    int (*words)(const orr__region *r);                /* number of words of its own; NULL: those of `names`        */
    void (*fill)(const orr__launch *l, int64_t *word); /* writes them; may correct words 0 and 1                    */
    /* The kernel as a file of text, kernels/<name>.kernel, of element e, or of a group. Its parameters are macros: TYPE and IN_TYPE, the
     * types of the output and of input 0; IN0(at), …, and OUT(at), an element; AT0(at), …, and OUT_AT(at), its place in in0, …, out0; WRONG(number, value), the refusal of an index; `which`,
     * the kernel's own one if several share the text; and those of `parameters`. `names` are its own words, as variables of type orr_idx,
     * or of the type before the name. The list ends with NULL. */
    const char *body, *which, *const *names;
    void (*parameters)(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l);
    const char *
        helpers; /* a file of functions before the kernel, with the same parameters but IN, OUT and WRONG; NULL: none */
    bool mad;    /* orr_mad of the output's type comes first, and the C functions in `helpers` are those of this type */
    /* The number of groups of ORR_GROUP items with shared memory ORR_SHARE. NULL: no groups; each work item computes an
     * element e. */
    int64_t (*blocks)(const orr__launch *l);
    void (*functions)(orr__text *t, const orr__dialect *d,
                      const orr__region *r); /* text before the kernel, and before `helpers`; NULL: none */
    /* The error for a number that the kernel reports. NULL: the number means a wrong index. */
    orr_status (*refuse)(const orr__region *r, int64_t number);
    /* A kernel in several launches: `scratch` returns the bytes that the launches share, whose type orr_part is defined
     * by `functions`. `next` turns the words of one launch, word 0 included, into those of the next; false: that was
     * the last launch. NULL: one launch. */
    size_t (*scratch)(const orr__launch *l);
    bool (*next)(const orr__launch *l, int64_t *word);
    /* The kernel of a dialect with matrix instructions, and its tile; `matrix` of the tile is false where it cannot compute the region,
     * which this one then does. NULL: there is none. */
    const struct orr__emit_call *by_matrix;
    orr__tile (*tile)(const orr__region *r);
} orr__emit_call;

#define OP_NONE(name)
#define OP_LIBRARY(name)
#define OP_KERNEL(name) extern const orr__emit_call orr__emit_kernel_##name;
#define OP(name, cpu, emit, doc) OP_##emit(name)
#include "ops/structural.def"
#undef OP_LIBRARY
#undef OP_KERNEL
#undef OP_NONE

/* The operation's entry; NULL: devices have no kernel for it. */
const orr__emit_call *orr__emit_call_of(const orr__region *r);

bool orr__emit_call_groups(const orr__region *r);
bool orr__emit_call_can(const orr__region *r, bool fp64);
void orr__emit_call_layout(const orr__region *r, const orr__dialect *d, orr__layout *l);
void orr__emit_call_text(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l);
void orr__emit_call_functions(orr__text *t, const orr__dialect *d, const orr__region *r, const orr__layout *l);
bool orr__emit_call_words(const orr__launch *l, const orr__layout *lay, int64_t *word);

/* A size and its divider, as two words. */
void orr__emit_divide(int64_t *word, int64_t n);

#endif
