/* The table of the element-wise functions.
 * Must not know: how a value is computed, devices. */
#include "config.h"

#include <string.h>
#include "ops/ew_id.h"
#include "ops/ew_op.h"
#include "ops/wrapped.h"

#define COMPOUND_ROW(name_, n, classes, result_, cost, text, dx, dy, dz, cresult_, ctext, cdx, cdy, cdz, ftext, lo,    \
                     hi, ulp, doc)                                                                                     \
    { { .id = ORR__EW_##name_,                                                                                         \
        .name = #name_,                                                                                                \
        .arity = n,                                                                                                    \
        .kinds = (uint8_t)((((classes)&ORR__TCOMPLEX) ? ORR__TAKES_COMPLEX : 0) |                                      \
                           (((classes)&ORR__TFIELD) ? ORR__TAKES_FIELD : 0)),                                          \
        .pattern = ORR__PATTERN_ELEMENT,                                                                               \
        .flops = cost,                                                                                                 \
        .identity = orr__ew_identity,                                                                                  \
        .reference = orr__ew_reference,                                                                                \
        .wrapped = orr__wrapped_row,                                                                                   \
        .distribute = orr__ew_distribute,                                                                              \
        .vjp = orr__ew_back,                                                                                           \
        .lower = orr__ew_lower },                                                                                      \
      n,                                                                                                               \
      classes,                                                                                                         \
      ORR__EW_##result_ == ORR__EW_TRUTH,                                                                              \
      ORR__EW_##result_ == ORR__EW_COND,                                                                               \
      ORR__EW_##result_,                                                                                               \
      ORR__EW_##cresult_,                                                                                              \
      cost,                                                                                                            \
      text,                                                                                                            \
      { dx, dy, dz },                                                                                                  \
      ctext,                                                                                                           \
      { cdx, cdy, cdz },                                                                                               \
      ftext,                                                                                                           \
      lo,                                                                                                              \
      hi,                                                                                                              \
      ulp,                                                                                                             \
      doc },

#define ROW(name, n, types, result, cost, text, dx, dy, dz, lo, hi, ulp, doc)                                          \
    COMPOUND_ROW(name, n, ORR__T##types, result, cost, text, dx, dy, dz, SAME, NULL, NULL, NULL, NULL, NULL, lo, hi,   \
                 ulp, doc)

const orr__ewrow orr__ew_rows[] = {
#define UNARY(name, types, result, flops, value, dx, lo, hi, ulp, doc)                                                 \
    ROW(name, 1, types, result, flops, #value, dx, NULL, NULL, lo, hi, ulp, doc)
#define BINARY(name, types, result, flops, value, dx, dy, lo, hi, ulp, doc)                                            \
    ROW(name, 2, types, result, flops, #value, dx, dy, NULL, lo, hi, ulp, doc)
#define TERNARY(name, types, result, flops, value, dx, dy, dz, lo, hi, ulp, doc)                                       \
    ROW(name, 3, types, result, flops, #value, dx, dy, dz, lo, hi, ulp, doc)
#define UNARY_C(name, types, result, flops, value, dx, cresult, cvalue, cdx, lo, hi, ulp, doc)                         \
    COMPOUND_ROW(name, 1, ORR__T##types | ORR__TCOMPLEX, result, flops, #value, dx, NULL, NULL, cresult, #cvalue, cdx, \
                 NULL, NULL, NULL, lo, hi, ulp, doc)
#define BINARY_C(name, types, result, flops, value, dx, dy, cresult, cvalue, cdx, cdy, lo, hi, ulp, doc)               \
    COMPOUND_ROW(name, 2, ORR__T##types | ORR__TCOMPLEX, result, flops, #value, dx, dy, NULL, cresult, #cvalue, cdx,   \
                 cdy, NULL, NULL, lo, hi, ulp, doc)
#define TERNARY_C(name, types, result, flops, value, dx, dy, dz, cresult, cvalue, cdx, cdy, cdz, lo, hi, ulp, doc)     \
    COMPOUND_ROW(name, 3, ORR__T##types | ORR__TCOMPLEX, result, flops, #value, dx, dy, dz, cresult, #cvalue, cdx,     \
                 cdy, cdz, NULL, lo, hi, ulp, doc)
#define UNARY_CF(name, types, result, flops, value, dx, cresult, cvalue, cdx, fvalue, lo, hi, ulp, doc)                \
    COMPOUND_ROW(name, 1, ORR__T##types | ORR__TCOMPLEX | ORR__TFIELD, result, flops, #value, dx, NULL, NULL, cresult, \
                 #cvalue, cdx, NULL, NULL, #fvalue, lo, hi, ulp, doc)
#define BINARY_CF(name, types, result, flops, value, dx, dy, cresult, cvalue, cdx, cdy, fvalue, lo, hi, ulp, doc)      \
    COMPOUND_ROW(name, 2, ORR__T##types | ORR__TCOMPLEX | ORR__TFIELD, result, flops, #value, dx, dy, NULL, cresult,   \
                 #cvalue, cdx, cdy, NULL, #fvalue, lo, hi, ulp, doc)
#define TERNARY_CF(name, types, result, flops, value, dx, dy, dz, cresult, cvalue, cdx, cdy, cdz, fvalue, lo, hi, ulp, \
                   doc)                                                                                                \
    COMPOUND_ROW(name, 3, ORR__T##types | ORR__TCOMPLEX | ORR__TFIELD, result, flops, #value, dx, dy, dz, cresult,     \
                 #cvalue, cdx, cdy, cdz, #fvalue, lo, hi, ulp, doc)
#include "ops/elementwise.def"
};

int orr__ew_count(void)
{
    return (int)(sizeof orr__ew_rows / sizeof *orr__ew_rows);
}

const orr__ewrow *orr__ew(int id)
{
    return id < ORR__OP_EW || id >= ORR__EW_END ? NULL : &orr__ew_rows[id - ORR__OP_EW];
}

const orr__ewrow *orr__ew_find(const char *name)
{
    for (int i = 0; i < orr__ew_count(); i++)
        if (!strcmp(orr__ew_rows[i].op.name, name))
            return &orr__ew_rows[i];
    return NULL;
}
