/* The table of the element-wise functions.
 * Must not know: how a value is computed, devices. */
#include "config.h"

#include <string.h>
#include "ops/ew_id.h"
#include "ops/ew_op.h"

enum { RESULT_SAME, RESULT_TRUTH, RESULT_COND };

#define ROW(name_, n, types, result, cost, text, dx, dy, dz, lo, hi, ulp, doc)                                         \
    { { .id = ORR__EW_##name_,                                                                                         \
        .name = #name_,                                                                                                \
        .arity = n,                                                                                                    \
        .form = ORR__FORM_ELEMENT,                                                                                     \
        .flops = cost,                                                                                                 \
        .identity = orr__ew_identity,                                                                                  \
        .reference = orr__ew_reference,                                                                                \
        .vjp = orr__ew_back,                                                                                           \
        .lower = orr__ew_lower },                                                                                      \
      n,                                                                                                               \
      ORR__T##types,                                                                                                   \
      RESULT_##result == RESULT_TRUTH,                                                                                 \
      RESULT_##result == RESULT_COND,                                                                                  \
      cost,                                                                                                            \
      text,                                                                                                            \
      { dx, dy, dz },                                                                                                  \
      lo,                                                                                                              \
      hi,                                                                                                              \
      ulp,                                                                                                             \
      doc },

const orr__ewrow orr__ew_rows[] = {
#define UNARY(name, types, result, flops, value, dx, lo, hi, ulp, doc)                                                 \
    ROW(name, 1, types, result, flops, #value, dx, NULL, NULL, lo, hi, ulp, doc)
#define BINARY(name, types, result, flops, value, dx, dy, lo, hi, ulp, doc)                                            \
    ROW(name, 2, types, result, flops, #value, dx, dy, NULL, lo, hi, ulp, doc)
#define TERNARY(name, types, result, flops, value, dx, dy, dz, lo, hi, ulp, doc)                                       \
    ROW(name, 3, types, result, flops, #value, dx, dy, dz, lo, hi, ulp, doc)
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
