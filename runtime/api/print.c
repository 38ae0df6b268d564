/* orr_print: a tensor laid out as NumPy does, long axes abbreviated.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/tensor.h>

#include <math.h>
#include <string.h>
#include "runtime/api/eval.h"
#include "runtime/api/number.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/decimal.h"
#include "runtime/base/element.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/signals.h"

/* As NumPy: with more elements than this, an axis shows its first and last three; lines end before this column. */
enum { ABBREVIATE_ABOVE = 1000, EDGE = 3, LINE = 75 }; /* limit of a format */

typedef struct {
    FILE *to;
    const char *data;
    orr_shape shape;
    int64_t stride[ORR_MAX_RANK];
    size_t size;
    bool abbreviate;
    orr__format format, imag; /* imag: of complex numbers, without the sign */
    bool is_complex;
    orr_dtype field;    /* of elements of a field; else 0 */
    int column, blanks; /* characters in this line; pending blanks at its end */
} page;

/* The next index to show after i along an axis; -1 at its end. *gap: some indices before it are omitted. */
static int64_t next_shown(const page *p, int axis, int64_t i, bool *gap)
{
    int64_t n = p->shape.dim[axis];
    *gap = p->abbreviate && n > 2 * EDGE && i == EDGE - 1;
    i = *gap ? n - EDGE : i + 1;
    return i < n ? i : -1;
}

static orr__scalar element(const page *p, int64_t offset)
{
    return orr__scalar_load(p->data + (size_t)offset * p->size, p->format.dtype);
}

static double imaginary(const page *p, int64_t offset)
{
    return orr__scalar_load(p->data + (size_t)offset * p->size + p->size / 2, p->format.dtype).f;
}

enum { WORD = 2 * ORR__NUMBER + 4 + ORR__ELEMENT_TEXT };

/* "1.5-2.j ": the sign stands before the digits, the j after them. */
static int put_element(const page *p, int64_t offset, char word[WORD])
{
    char im[ORR__NUMBER];
    if (p->field)
        return orr__element_text(p->field, p->data + (size_t)offset * p->size, word);
    int n = orr__format_put(&p->format, element(p, offset), word);
    if (!p->is_complex)
        return n;
    double v = imaginary(p, offset);
    int m = orr__format_put(&p->imag, (orr__scalar){ .f = fabs(v) }, im), first = (int)strspn(im, " "), last = m;
    while (last > first && im[last - 1] == ' ')
        last--;
    return n + snprintf(word + n, (size_t)(WORD - n), "%*s%c%.*sj%*s", first, "", signbit(v) && !isnan(v) ? '-' : '+',
                        last - first, im + first, m - last, "");
}

/* "(1.5-2j)", "2j": as Python prints one number. */
static void put_alone(page *p)
{
    char word[2][ORR__NUMBER], digits[ORR__ELEMENT_TEXT];
    if (p->field) {
        (void)orr__element_text(p->field, p->data, digits);
        fputs(digits, p->to);
        return;
    }
    orr__scalar re = element(p, 0), im = { .f = 0 };
    orr__format_alone(p->format.dtype, re, word[0]);
    if (!p->is_complex) {
        fputs(word[0], p->to);
        return;
    }
    im.f = imaginary(p, 0);
    orr__format_alone(p->format.dtype, im, word[1]);
    for (int k = 0; k < 2; k++) {
        size_t n = strlen(word[k]);
        if (n > 2 && strcmp(word[k] + n - 2, ".0") == 0)
            word[k][n - 2] = '\0';
    }
    if (re.f == 0 && !signbit(re.f))
        fprintf(p->to, "%sj", word[1]);
    else
        fprintf(p->to, "(%s%s%sj)", word[0], word[1][0] == '-' ? "" : "+", word[1]);
}

static void see_all(page *p, int axis, int64_t offset, int pass)
{
    bool gap;
    if (axis == p->shape.rank) {
        orr__format_see(&p->format, element(p, offset), pass);
        if (p->is_complex)
            orr__format_see(&p->imag, (orr__scalar){ .f = fabs(imaginary(p, offset)) }, pass);
        return;
    }
    for (int64_t i = 0; i >= 0; i = next_shown(p, axis, i, &gap))
        see_all(p, axis + 1, offset + i * p->stride[axis], pass);
}

/* Writes a word on the innermost axis: after a blank, or on a new line if this one is full. Its padding is written only if something
 * follows on the same line. */
static void put_word(page *p, const char *word, int n, bool first, int indent, int width)
{
    bool wrap = !first && p->column + 1 + n > width;
    if (wrap)
        fprintf(p->to, "\n%*s", indent, "");
    else if (!first)
        fprintf(p->to, "%*s", p->blanks + 1, "");
    p->column = wrap ? indent + n : p->column + !first + n;
    for (p->blanks = 0; p->blanks < n && word[n - 1 - p->blanks] == ' ';)
        p->blanks++;
    fwrite(word, 1, (size_t)(n - p->blanks), p->to);
}

static void put_row(page *p, int axis, int64_t offset)
{
    char word[WORD];
    int indent = axis + 1, width = LINE - p->shape.rank;
    bool first = true, gap = false;
    p->column = indent;
    for (int64_t i = 0; i >= 0; i = next_shown(p, axis, i, &gap)) {
        if (gap)
            put_word(p, "...", 3, false, indent, width);
        int n = put_element(p, offset + i * p->stride[axis], word);
        put_word(p, word, n, first, indent, width);
        first = false;
    }
    fprintf(p->to, "%*s", p->blanks, "");
}

/* `gap` is the result of next_shown on the way to this index. */
static void put_axis(page *p, int axis, int64_t offset)
{
    bool first = true, gap = false;
    fputc('[', p->to);
    if (axis == p->shape.rank - 1) {
        put_row(p, axis, offset);
    } else {
        for (int64_t i = 0; i >= 0; i = next_shown(p, axis, i, &gap)) {
            for (int k = 0; !first && k < (gap ? 2 : 1); k++) {
                if (k)
                    fputs("...", p->to);
                for (int line = p->shape.rank - axis - 1; line > 0; line--)
                    fputc('\n', p->to);
                fprintf(p->to, "%*s", axis + 1, "");
            }
            put_axis(p, axis + 1, offset + i * p->stride[axis]);
            first = false;
        }
    }
    fputc(']', p->to);
}

static void see_numbers(page *p)
{
    see_all(p, 0, 0, 0);
    orr__format_choose(&p->format);
    orr__format_choose(&p->imag);
    see_all(p, 0, 0, 1);
    orr__format_done(&p->format);
    orr__format_done(&p->imag);
}

static void put_page(page *p, int64_t count)
{
    if (p->shape.rank == 0) {
        put_alone(p);
    } else if (count == 0) {
        fputs("[]", p->to);
    } else {
        if (!p->field)
            see_numbers(p);
        put_axis(p, 0, 0);
    }
    fputc('\n', p->to);
}

orr_status orr_print_at(const char *file, int line, FILE *to, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(file, line, "print");
    orr__content what;
    orr__buffer *b;
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    orr_status st = orr__value_of(at, t, &b, &what);
    if (st != ORR_OK)
        return st;
    int64_t count = orr__shape_count(&what.shape);
    orr_dtype dtype = what.dtype;
    page p = { .to = to,
               .data = b->host,
               .shape = what.shape,
               .size = orr_dtype_size(dtype),
               .is_complex = orr__is_complex(dtype),
               .field = orr__is_field(dtype) ? dtype : (orr_dtype)0,
               .abbreviate = count > ABBREVIATE_ABOVE };
    orr__shape_strides(&p.shape, p.stride);
    orr__format_begin(&p.format, orr__part_dtype(dtype));
    orr__format_begin(&p.imag, orr__part_dtype(dtype));
    fprintf(to, "%s %s\n", orr_dtype_name(dtype), orr__str(p.shape).s);
    locale_t before = orr__point_begin();
    put_page(&p, count);
    orr__point_end(before);
    orr__buffer_unref(b);
    return orr__printed(at, to);
}
