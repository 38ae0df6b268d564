/* Chains of element-wise operations in one pass: a block of elements goes through all of them. Per instruction set.
 * Must not know: why operations were put together. */
#include "config.h"

#include "codelets/field/pack.h"

/* Packs in a block: all registers of a chain stay in the first cache. */
enum { BLOCK = PACK > 1 ? 4 : 16 };

static void step(pk *z, orr__field_op op, const pk *x, const pk *y, int packs, const orr__mod *m)
{
    const pk zero = pk_all((orr__fe){ { 0 } });
    for (int i = 0; i < packs; i++)
        switch (op) {
        case ORR__FADD: z[i] = pk_add(x[i], y[i], m); break;
        case ORR__FSUB: z[i] = pk_sub(x[i], y[i], m); break;
        case ORR__FMUL: z[i] = pk_mul(x[i], y[i], m); break;
        case ORR__FNEG: z[i] = pk_sub(zero, x[i], m); break;
        case ORR__FSQUARE: z[i] = pk_mul(x[i], x[i], m); break;
        }
}

void ORR__FK(chain)(orr__field f, orr__fe *z, const orr__fe *const *in, const int64_t *stride, int nin,
                    const orr__field_step *steps, int nsteps, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    pk reg[ORR__FIELD_REGISTERS][BLOCK];
    for (int64_t at = 0; at < n; at += BLOCK * PACK) {
        const int64_t count = n - at < BLOCK * PACK ? n - at : BLOCK * PACK;
        const int packs = (int)((count + PACK - 1) / PACK);
        for (int k = 0; k < nin; k++)
            for (int i = 0; i < packs; i++)
                reg[k][i] = pk_load(in[k] + (at + i * PACK) * stride[k], stride[k], count - i * PACK);
        for (int k = 0; k < nsteps; k++)
            step(reg[nin + k], (orr__field_op)steps[k].op, reg[steps[k].x], reg[steps[k].y], packs, m);
        for (int i = 0; i < packs; i++)
            pk_store(z + at + i * PACK, 1, count - i * PACK, reg[nin + nsteps - 1][i], m);
    }
}
