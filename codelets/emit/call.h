/* Kernels of operations that take whole arrays, as text: one struct of callbacks per operation, a table of them.
 * Must not know: devices, any single operation. */
#ifndef ORR_EMIT_CALL_H
#define ORR_EMIT_CALL_H

#include "codelets/emit/emit.h"

/* Words of a launch: 0 work items, 1 the first element of the launch in the output, then the kernel's own (sizes with
 * what divides by them), then where the inputs and the output start. */
enum { ORR__CALL_FIRST = 1, ORR__CALL_OWN = 2 };

typedef struct orr__emit_call {
    int flags;                                         /* indices that a launch may refuse: one flag each           */
    bool (*can)(const orr__region *r);                 /* NULL: whatever the shared checks admit                    */
    int (*words)(const orr__region *r);                /* how many words of its own                                 */
    void (*fill)(const orr__launch *l, int64_t *word); /* writes them; may correct words 0 and 1                    */
    void (*text)(orr__text *t, const orr__region *r, const orr__layout *l, int in_at); /* of element e, or of a group */
    /* NULL: each work item has an element e. Else items work in groups of ORR_GROUP, with memory ORR_SHARE: so many groups. */
    int64_t (*blocks)(const orr__launch *l);
    void (*functions)(orr__text *t, const orr__dialect *d,
                      const orr__region *r); /* text before the kernel; NULL: none */
    /* The error of a refusal of the kernel, by its number; NULL: a wrong index. */
    orr_status (*refuse)(const orr__region *r, int64_t number);
    /* A kernel in several launches: bytes that they share, at `scratch`, whose type orr_part `functions` says; the words of the launch
     * after the one with these, word 0 too, false: there is none. NULL: one launch. */
    size_t (*scratch)(const orr__launch *l);
    bool (*next)(const orr__launch *l, int64_t *word);
} orr__emit_call;

#define OP_NONE(name)
#define OP_LIBRARY(name)
#define OP_KERNEL(name) extern const orr__emit_call orr__emit_kernel_##name;
#define OP(name, cpu, emit, doc) OP_##emit(name)
#include "ops/structural.def"
#undef OP_LIBRARY
#undef OP_KERNEL
#undef OP_NONE

/* The operation's row; NULL: devices have no kernel for it. */
const orr__emit_call *orr__emit_call_of(const orr__region *r);

bool orr__emit_call_groups(const orr__region *r);
bool orr__emit_call_can(const orr__region *r, bool fp64);
void orr__emit_call_layout(const orr__region *r, const orr__dialect *d, orr__layout *l);
void orr__emit_call_text(orr__text *t, const orr__region *r, const orr__dialect *d, const orr__layout *l);
void orr__emit_call_functions(orr__text *t, const orr__dialect *d, const orr__region *r);
bool orr__emit_call_words(const orr__launch *l, const orr__layout *lay, int64_t *word);

/* For the kernels: q := n / word `size`; a size and its divider as two words. */
void orr__emit_quotient(orr__text *t, const char *q, const char *n, int size);
void orr__emit_divide(int64_t *word, int64_t n);

#endif
