/* Creation: from the user's memory; the identity matrix.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/record.h"
#include "runtime/base/clock.h"
#include "runtime/base/element.h"
#include "runtime/base/notes.h"

orr__node *orr__rec_leaf(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__buffer *b)
{
    orr__node *n = orr__node_new(at, &orr__op_leaf, dtype, shape, 0, NULL);
    if (!n) {
        orr__buffer_unref(b);
    } else {
        orr__buffer_number(b);
        atomic_init(&n->value, b);
    }
    return n;
}

/* Checks the arguments of orr_from and orr_wrap. */
static bool memory_ok(orr__site at, orr_dtype dtype, const orr_shape *shape, const void *data, size_t *bytes,
                      orr_tensor **bad)
{
    if (!orr__dtype_any(at, dtype, bad) || !orr__shape_ok(at, shape, bad))
        return false;
    *bytes = (size_t)orr__shape_count(shape) * orr_dtype_size(dtype);
    if (data || !*bytes)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "data is NULL");
    return false;
}

/* A copy, and if the program read the same content before, the place of that. */
static void note_copy(orr__site at, orr__buffer *b, const void *data, uint64_t bytes, double seconds)
{
    enum { LARGE = 4096 }; /* limit of the machine: fewer bytes are equal by chance */
    orr__notes_place read = { 0 };
    uint64_t content = orr__notes_content(data, bytes);
    orr__note f = { ORR__NOTE_COPY,         at.line,           .file = at.file, .n = 1, .content = content,
                    .bytes = (double)bytes, .seconds = seconds };
    orr__notes_add(&f);
    if (bytes >= LARGE)
        orr__notes_made(&(orr__notes_value){ .number = orr__buffer_number(b), .content = content });
    if (bytes < LARGE || !orr__notes_met(content, read, true, &read))
        return;
    f.kind = ORR__NOTE_BACK;
    f.of = read.file;
    f.of_line = read.line;
    orr__notes_add(&f);
}

orr_tensor *orr_from_at(const char *file, int line, orr_dtype dtype, orr_shape shape, const void *data)
{
    orr__site at = ORR__SITE(file, line, "from");
    orr_tensor *bad;
    size_t bytes;
    if (!memory_ok(at, dtype, &shape, data, &bytes, &bad))
        return bad;
    double t0 = orr__noting() ? orr__now() : 0;
    orr__buffer *b = orr__buffer_new(bytes);
    if (!b) { /* the pool has set the error */
        (void)orr__fail_place(at, ORR_ENOMEM);
        return orr__handle_new(NULL);
    }
    if (orr__is_field(dtype)) {
        int64_t wrong = orr__elements_enter(dtype, b->host, data, orr__shape_count(&shape));
        if (wrong >= 0) {
            orr__buffer_unref(b);
            return orr__poison(at, ORR_EINDEX, "element %lld is not below the modulus of %s", (long long)wrong,
                               orr_dtype_name(dtype));
        }
    } else if (bytes) {
        memcpy(b->host, data, bytes);
    }
    if (orr__noting())
        note_copy(at, b, data, bytes, orr__now() - t0);
    return orr__handle_new(orr__rec_leaf(at, dtype, &shape, b));
}

orr_tensor *orr_wrap_at(const char *file, int line, orr_dtype dtype, orr_shape shape, void *data,
                        void (*release)(void *data, void *user), void *user)
{
    orr__site at = ORR__SITE(file, line, "wrap");
    orr_tensor *bad;
    size_t bytes;
    if (!memory_ok(at, dtype, &shape, data, &bytes, &bad))
        return bad;
    if (orr__is_field(dtype))
        return orr__poison(at, ORR_EDTYPE, "elements of %s have no C type that can be wrapped: copy them by orr_from",
                           orr_dtype_name(dtype));
    size_t least = orr_dtype_size(orr__part_dtype(dtype));
    if ((uintptr_t)data % least)
        return orr__poison(at, ORR_EINVAL, "data is not aligned to %zu bytes, the size of %s", least,
                           orr_dtype_name(orr__part_dtype(dtype)));
    /* The node is made before the buffer: freeing a buffer calls release, which must not be called on an error. */
    orr__node *n = orr__node_new(at, &orr__op_leaf, dtype, &shape, 0, NULL);
    orr__buffer *b = n ? orr__buffer_wrap(data, bytes, release, user) : NULL;
    if (n && !b) {
        orr__node_unref(n);
        return orr__poison(at, ORR_ENOMEM, "no memory for a tensor");
    }
    if (n)
        atomic_init(&n->value, b);
    return orr__handle_new(n);
}

orr_tensor *orr_eye_at(const char *file, int line, orr_dtype dtype, int64_t rows, int64_t cols, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "eye");
    orr_tensor *bad;
    orr_shape shape = ORR_SHAPE(rows, cols);
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *d = orr__diagonals(at, rows, cols);
    orr_tensor *which = orr__handle_new(orr__rec_const(at, ORR_I64, &ORR_SHAPE_0D, (orr__scalar){ .i = k }));
    orr_tensor *r = orr_equal_at(file, line, d, which);
    return orr__compose_end(at, scope, orr_cast_at(file, line, r, dtype));
}
