/* Within the field room: names of the functions compiled once per instruction set (-DORR__FIELD_ISA=portable|mulx).
 * Must not know: how a table is selected. */
#ifndef ORR_FIELD_KIT_H
#define ORR_FIELD_KIT_H

#include "codelets/field/constants.h"

#ifndef ORR__FIELD_ISA
#define ORR__FIELD_ISA portable
#endif
#define ORR__FK3(name, isa) orr__field_##name##_##isa
#define ORR__FK2(name, isa) ORR__FK3(name, isa)
#define ORR__FK(name) ORR__FK2(name, ORR__FIELD_ISA)

ORR__INLINE const orr__mod *orr__mod_of(orr__field f)
{
    return f == ORR__FR ? &orr__fr : &orr__fq;
}

/* rows.c */
int64_t ORR__FK(read)(orr__field f, orr__fe *z, const void *bytes, int64_t n);
void ORR__FK(write)(orr__field f, void *bytes, const orr__fe *x, int64_t n);
void ORR__FK(map)(orr__field f, orr__field_op op, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y,
                  int64_t sy, int64_t n);
void ORR__FK(axpy)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *x, int64_t n);
void ORR__FK(power)(orr__field f, orr__fe *z, const orr__fe *x, const uint64_t e[4], int64_t n);
void ORR__FK(sum)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, int64_t n);
void ORR__FK(dot)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy, int64_t n);
void ORR__FK(powers)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *b, int64_t n);
orr__fe ORR__FK(pow_one)(orr__fe x, const uint64_t e[4], const orr__mod *m);
orr__fe ORR__FK(invert_one)(orr__fe x, const orr__mod *m); /* the inverse of 0 is 0 */
/* invert.c */
int64_t ORR__FK(invert)(orr__field f, orr__fe *z, const orr__fe *x, int64_t n);
/* ntt.c */
void ORR__FK(ntt_columns)(const orr__ntt *p, orr__fe *y, int64_t width, const orr__fe *x, int64_t from, int64_t to,
                          void *work);
void ORR__FK(ntt_rows)(const orr__ntt *p, orr__fe *z, int64_t height, const orr__fe *y, int64_t width, int64_t from,
                       int64_t to, void *work);
/* poly.c */
void ORR__FK(evaluate)(orr__field f, orr__fe *z, const orr__fe *c, int64_t n, const orr__fe *x, int64_t m);
void ORR__FK(divide_linear)(orr__field f, orr__fe *quotient, orr__fe *remainder, const orr__fe *c, int64_t n,
                            const orr__fe *a);
bool ORR__FK(divide)(orr__field f, orr__fe *quotient, orr__fe *work, int64_t n, const orr__fe *divisor, int64_t m);
/* g1.c, g2.c */
extern const orr__curvekit ORR__FK(g1), ORR__FK(g2);
/* pairing.c */
bool ORR__FK(pairing)(const orr__g1 *p, const orr__g2 *q, int64_t n);
/* hash.c */
void ORR__FK(poseidon)(const orr__poseidon *p, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *first,
                       int64_t n);

extern const orr__fieldkit ORR__FK(kit);

#endif
