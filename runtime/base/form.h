/* Forms: the order of a value's elements in its buffer if it is not row-major, but the order that its kernel reads fastest. A value
 * exists in one order only: any other reader converts it back first.
 * Must not know: which kernel, which order. */
#ifndef ORR_BASE_FORM_H
#define ORR_BASE_FORM_H

#include "runtime/base/buffer.h"

typedef struct orr__value_form orr__value_form;
struct orr__value_form {
    atomic_int refs;
    size_t scratch; /* bytes that `turn` needs */
    /* Converts all elements from row-major to the form (back: from the form to row-major), in place. False: the order is unchanged. */
    bool (*turn)(const orr__value_form *f, void *host, void *scratch, bool back);
    bool (*same)(const orr__value_form *f,
                 const orr__value_form *g); /* of two with the same function: is the order of the elements equal? */
    void (*free)(orr__value_form *f);
};

orr__value_form *orr__form_ref(orr__value_form *f);
void orr__form_unref(orr__value_form *f); /* NULL is fine */

/* To be called before a run reads b[0 … n). The run has a reference to each, counted in order (atomic_fetch_add). form[i]: the form that
 * the only reader of b[i] takes, NULL: none. lies[i] receives the form of b[i] until orr__form_leave, NULL: row-major. A value is
 * converted if turn[i] is set and only its node and this run have references. It is converted back, for good, if the run needs another
 * order. Waits for runs that read it in its form. ORR_ENOMEM: it cannot be converted back. */
orr_status orr__forms_enter(orr__buffer *const *b, orr__value_form *const *form, const bool *turn,
                            const orr__value_form **lies, int n);
void orr__form_leave(orr__buffer *b);
/* Makes b row-major for a reader that has a reference. */
orr_status orr__form_undo(orr__buffer *b);
/* True if b is row-major already. The reader has a reference. */
static inline bool orr__form_none(orr__buffer *b)
{
    return atomic_load(&b->form) == NULL;
}
void orr__forms_guard(void); /* guards the lock of all forms against forks */

#endif
