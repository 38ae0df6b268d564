/* The .npy format: header, data, element order. Shared by .npy and .npz.
 * Must not know: where the bytes are. */
#ifndef ORR_API_NPY_H
#define ORR_API_NPY_H

#include <orrery/tensor.h>
#include "runtime/api/file_source.h"
#include "runtime/base/buffer.h"

typedef struct {
    orr_dtype dtype;
    orr_shape shape;
    bool fortran; /* the first axis varies fastest */
    bool swapped; /* the other byte order */
} orr__npy;

/* Reads the header (magic included). */
orr_status orr__npy_header(orr__source *s, orr__npy *h);
/* Parses the Python dictionary of a header, n characters. */
orr_status orr__npy_dict(orr__source *s, const char *text, size_t n, orr__npy *h);
/* Reads the elements that follow, row-major and in our byte order, into a new buffer; then the source must end. */
orr_status orr__npy_data(orr__source *s, const orr__npy *h, orr__buffer **b);
/* Header and data, as a tensor; poison with the last error. Closes s. */
orr_tensor *orr__npy_tensor(orr__source *s);
/* A leaf with the buffer (its reference is taken over) as its value; poison on error, or if st is an error already. */
orr_tensor *orr__io_leaf(orr__site at, orr_status st, orr_dtype dtype, const orr_shape *shape, orr__buffer *b);

/* Writes the header for a row-major tensor; returns its length. bfloat16: ORR_EDTYPE, and 0. */
enum { ORR__NPY_HEADER = 512 };
size_t orr__npy_format(orr__site at, orr_dtype dtype, const orr_shape *shape, char buf[ORR__NPY_HEADER]);

/* Reverses the bytes of n elements in place. */
void orr__swap_bytes(void *data, int64_t n, size_t size);
/* Copies elements with the first axis fastest to row-major order. */
void orr__fortran_to_c(const void *from, void *to, const orr_shape *shape, size_t size);

/* As orr_wrap_bytes; messages name the file `path`. */
orr_tensor *orr__npy_wrap(orr__site at, const char *path, void *data, size_t bytes, size_t *used,
                          void (*release)(void *elements, void *user), void *user);

#endif
