/* Reading values back: orr_read, orr_data, orr_item, orr_field_text.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/distribute.h>
#include <orrery/field.h>
#include <orrery/tensor.h>

#include <string.h>
#include "runtime/api/eval.h"
#include "runtime/api/event.h"
#include "runtime/base/clock.h"
#include "runtime/base/element.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/notes.h"
#include "runtime/graph/distribution.h"

/* Checks the memory for the value of t before anything is computed. */
static orr_status check_room(orr__site at, orr_tensor *t, const void *buf, size_t bytes, orr__content *what)
{
    orr_status st = orr__content_of(at, t, what);
    if (st != ORR_OK)
        return st;
    size_t need = (size_t)orr__shape_count(&what->shape) * orr_dtype_size(what->dtype);
    if (!buf && need)
        st = orr__fail(at, ORR_EINVAL, "the buffer is NULL");
    else if (bytes != need)
        st = orr__fail(at, ORR_EINVAL,
                       "the buffer has %zu bytes; %s of %s needs %zu: pass the tensor's exact size, or orr_cast the "
                       "tensor to the buffer's dtype",
                       bytes, orr__str(what->shape).s, orr_dtype_name(what->dtype), need);
    return st == ORR_OK ? ORR_OK : orr__not_read(at, st, t);
}

void orr__note_taken(orr__site at, orr__buffer *b, const void *data, uint64_t bytes)
{
    orr__notes_place before;
    orr__notes_used(orr__buffer_number(b), NULL, (orr__notes_place){ at.file, at.line, 0 }, 1);
    if (data && bytes)
        (void)orr__notes_met(orr__notes_content(data, bytes), (orr__notes_place){ at.file, at.line, 0 }, false,
                             &before);
}

orr_status orr_read_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes)
{
    orr__site at = ORR__SITE(file, line, "read");
    orr__buffer *b;
    orr__content what;
    orr_status st = check_room(at, t, buf, bytes, &what);
    if (st == ORR_OK)
        st = orr__value_of(at, t, &b, NULL);
    if (st != ORR_OK)
        return st;
    double t0 = orr__noting() ? orr__now() : 0;
    st = orr__land(b, what.dtype, orr__shape_count(&what.shape), buf);
    if (t0 > 0)
        orr__note_taken(at, b, buf, bytes);
    if (t0 > 0)
        orr__notes_add(&(orr__note){ .kind = ORR__NOTE_READ,
                                     .file = file,
                                     .line = line,
                                     .n = 1,
                                     .bytes = (double)bytes,
                                     .seconds = orr__now() - t0 });
    orr__buffer_unref(b);
    return st;
}

/* The evaluation is submitted; the wait for the event copies. */
static orr_status read_later(orr__site at, orr_tensor *t, const orr__content *what, void *buf, orr_event *e)
{
    orr__run *run = NULL;
    orr__buffer *b = NULL;
    orr__node *node;
    orr__calls_over();
    orr__stop *outer = orr__event_enter(e);
    orr_status st = orr__nodes_to_eval(at, &t, 1, NULL, &node);
    if (st == ORR_OK)
        st = orr__eval_nodes(at, &node, 1, &run);
    orr__stop_ends(outer);
    orr__event_adopt(e, run);
    if (st == ORR_OK)
        st = orr__node_value_ref(at, node, &b);
    orr__calls_over();
    if (st == ORR_OK && (st = orr__event_awaits(e, b)) != ORR_OK)
        orr__buffer_unref(b);
    if (st == ORR_OK)
        orr__event_lands(e, b, what->dtype, orr__shape_count(&what->shape), buf);
    return st;
}

orr_status orr_read_async_at(const char *file, int line, orr_tensor *t, void *buf, size_t bytes, orr_event **event)
{
    orr__site at = ORR__SITE(file, line, "read_async");
    orr__content what;
    if (!event)
        return orr__not_read(at, orr__fail(at, ORR_EINVAL, "event is NULL"), t);
    *event = NULL;
    orr_status st = check_room(at, t, buf, bytes, &what);
    orr_event *e = st == ORR_OK ? orr__event_new(at, HUGE_VAL) : NULL;
    if (st == ORR_OK && (!e || !orr__event_reserve(e, 1)))
        st = orr__not_read(at, ORR_ENOMEM, t);
    if (st == ORR_OK)
        st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__distributions_exist() ? orr_read_at(file, line, t, buf, bytes) /* all ranks take part */
                                        : read_later(at, t, &what, buf, e);
    if (st == ORR_OK)
        *event = e;
    else if (e)
        orr__event_drop(e);
    return orr__fail_place(at, st);
}

/* The pointer lives as long as the tensor, whose node keeps the buffer. For a tensor that lies over ranks it lives as long as the
 * current scope, which owns the whole value. */
const void *orr_data_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "data");
    orr__buffer *b;
    const orr__node *n = orr__handle_node(t);
    if (orr__is_field(orr_tensor_dtype(t))) {
        (void)orr__fail(at, ORR_EDTYPE, "memory of %s has another form: write orr_read",
                        orr_dtype_name(orr_tensor_dtype(t)));
        return NULL;
    }
    if (n && orr__distributions_exist() && !n->poison) {
        if (orr_eval_at(file, line, t) != ORR_OK)
            return NULL;
        if (orr__handle_node(t)->placed)
            t = orr_replicate_at(file, line, t);
    }
    if (orr__value_of(at, t, &b, NULL) != ORR_OK)
        return NULL;
    atomic_fetch_add_explicit(&b->readers, 1, memory_order_relaxed);
    const void *p = b->host;
    if (orr__noting())
        orr__note_taken(at, b, p, b->bytes);
    orr__buffer_unref(b);
    return p;
}

/* The only element, as a scalar of its dtype; a complex one as two scalars of its parts' dtype. */
static orr_status item(orr__site at, orr_tensor *t, orr__scalar *v, orr_dtype *dtype)
{
    orr__content what;
    orr__buffer *b;
    orr_status st = orr__content_of(at, t, &what);
    if (st != ORR_OK)
        return st;
    if (orr__shape_count(&what.shape) != 1)
        return orr__fail(at, ORR_ESHAPE, "a tensor of shape %s has %lld elements, not one", orr__str(what.shape).s,
                         (long long)orr__shape_count(&what.shape));
    if (orr__is_field(what.dtype))
        return orr__fail(at, ORR_EDTYPE, "the element is of %s; write orr_field_text or orr_read",
                         orr_dtype_name(what.dtype));
    st = orr__value_of(at, t, &b, NULL);
    if (st != ORR_OK)
        return st;
    *dtype = what.dtype;
    orr_dtype part = orr__part_dtype(what.dtype);
    v[0] = orr__scalar_load(b->host, part);
    if (part != what.dtype)
        v[1] = orr__scalar_load((const char *)b->host + orr_dtype_size(part), part);
    orr__buffer_unref(b);
    return ORR_OK;
}

/* True if a double holds the integer exactly. The largest 64-bit integers would round to values outside their type. */
static bool is_double(orr__scalar v, orr_dtype dtype)
{
    double d = orr__scalar_f64(v, dtype);
    if (orr__is_float(dtype))
        return true;
    return orr__is_signed(dtype) ? d < 0x1p63 && (int64_t)d == v.i : d < 0x1p64 && (uint64_t)d == v.u;
}

orr_status orr_item_at(const char *file, int line, orr_tensor *t, double *value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "item");
    orr__scalar e[2] = { { .u = 0 }, { .u = 0 } }, v;
    orr_dtype dtype;
    if (!value)
        return orr__fail(at, ORR_EINVAL, "the place for the value is NULL");
    orr_status st = item(at, t, e, &dtype);
    v = e[0];
    if (st == ORR_OK && orr__is_complex(dtype))
        return orr__fail(at, ORR_EDTYPE, "the element is %s; write orr_item_complex", orr_dtype_name(dtype));
    if (st == ORR_OK && !is_double(v, dtype))
        st = orr__is_signed(dtype)
                 ? orr__fail(at, ORR_EDTYPE, "%lld is no double; write orr_item_number", (long long)v.i)
                 : orr__fail(at, ORR_EDTYPE, "%llu is no double; write orr_item_number", (unsigned long long)v.u);
    if (st == ORR_OK)
        *value = orr__scalar_f64(v, dtype);
    return st;
}

orr_status orr_item_number_at(const char *file, int line, orr_tensor *t, orr_number *value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "item_number");
    orr__scalar e[2] = { { .u = 0 }, { .u = 0 } }, v;
    orr_dtype dtype;
    if (!value)
        return orr__fail(at, ORR_EINVAL, "the place for the value is NULL");
    orr_status st = item(at, t, e, &dtype);
    if (st != ORR_OK)
        return st;
    v = e[0];
    if (orr__is_complex(dtype))
        return orr__fail(at, ORR_EDTYPE, "the element is %s; write orr_item_complex", orr_dtype_name(dtype));
    *value = orr__is_float(dtype)    ? ORR_REAL(v.f)
             : dtype == ORR_BOOL     ? ORR_INTEGER(v.u != 0)
             : orr__is_signed(dtype) ? ORR_INTEGER(v.i)
                                     : ORR_UNSIGNED(v.u);
    return ORR_OK;
}

orr_status orr_item_complex_at(const char *file, int line, orr_tensor *t, double *re, double *im)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "item_complex");
    orr__scalar v[2] = { { .u = 0 }, { .u = 0 } };
    orr_dtype dtype;
    if (!re || !im)
        return orr__fail(at, ORR_EINVAL, "the place for a part is NULL");
    orr_status st = item(at, t, v, &dtype);
    if (st != ORR_OK)
        return st;
    bool is_complex = orr__is_complex(dtype);
    *re = is_complex ? v[0].f : orr__scalar_f64(v[0], dtype);
    *im = is_complex ? v[1].f : 0;
    return ORR_OK;
}

orr_status orr_field_text_at(const char *file, int line, orr_tensor *x, int64_t i, char text[ORR_FIELD_TEXT])
{
    _Static_assert((int)ORR_FIELD_TEXT >= (int)ORR__ELEMENT_TEXT, "an element's digits");
    orr__site at = ORR__SITE(file, line, "field_text");
    orr__content what;
    orr__buffer *b;
    if (!text)
        return orr__fail(at, ORR_EINVAL, "the place for the text is NULL");
    orr_status st = orr__content_of(at, x, &what);
    if (st != ORR_OK)
        return st;
    if (!orr__is_field(what.dtype))
        return orr__fail(at, ORR_EDTYPE, "x is %s, and elements of a field are needed: fr254 or fq254",
                         orr_dtype_name(what.dtype));
    int64_t n = orr__shape_count(&what.shape);
    if (i < 0 || i >= n)
        return orr__fail(at, ORR_EINDEX, "element %lld is out of range for %lld elements", (long long)i, (long long)n);
    if ((st = orr__value_of(at, x, &b, NULL)) != ORR_OK)
        return st;
    (void)orr__element_text(what.dtype, (const char *)b->host + (size_t)i * orr_dtype_size(what.dtype), text);
    orr__buffer_unref(b);
    return ORR_OK;
}
