/* Forms: the order of a value's elements in its buffer where that is the one in which a kernel reads them fastest, in place of row-major.
 * The value is there once: whoever else reads it turns it back first.
 * Must not know: which kernel, which order. */
#ifndef ORR_BASE_FORM_H
#define ORR_BASE_FORM_H

#include "runtime/base/buffer.h"

typedef struct orr__value_form orr__value_form;
struct orr__value_form {
    atomic_int refs;
    size_t scratch; /* bytes that `turn` needs */
    /* All elements from row-major to the form (back: from the form to row-major), in place. False: they lie as before. */
    bool (*turn)(const orr__value_form *f, void *host, void *scratch, bool back);
    bool (*same)(const orr__value_form *f,
                 const orr__value_form *g); /* of two with the same function: do elements lie alike? */
    void (*free)(orr__value_form *f);
};

enum { ORR__FORM_LEAST = 64 << 10 }; /* bytes of a value that is worth it */

orr__value_form *orr__form_ref(orr__value_form *f);
void orr__form_unref(orr__value_form *f); /* NULL is fine */

/* Before a run reads b[0 … n), to each of which it has a reference that was counted in order (atomic_fetch_add). form[i]: the one in which
 * its only reader takes b[i], NULL: none. lies[i] becomes the form in which b[i] lies until orr__form_leave, NULL: row-major.
 * A value is turned if the caller says so, and nobody but its node and this run has a reference; it is turned back, for good, if it
 * is needed otherwise. Waits for runs that read it as it lies. ORR_ENOMEM: it cannot be turned back. */
orr_status orr__forms_enter(orr__buffer *const *b, orr__value_form *const *form, const bool *turn,
                            const orr__value_form **lies, int n);
void orr__form_leave(orr__buffer *b);
/* Makes b row-major for a reader who has a reference. */
orr_status orr__form_undo(orr__buffer *b);
/* Nothing to do before b is read row-major: the reader has a reference. */
static inline bool orr__form_none(orr__buffer *b)
{
    return atomic_load(&b->form) == NULL;
}
void orr__forms_guard(void); /* their lock, against forks */

#endif
