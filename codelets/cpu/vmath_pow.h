/* f64 powers for processors with fused multiply-adds.
 * Must not know: loops, processors without them. */
#ifndef ORR_CPU_VMATH_POW_H
#define ORR_CPU_VMATH_POW_H

#include "codelets/cpu/vmath_f64.h"

#if VM_FMA

/* log₂ x as a sum of two, to 2^-64: log(1 + f) = s·(2 + z·(2/3 + z·q)), s = f/(2 + f), z = s²; all except q in two
 * parts. */
VM_FN double vm_log2_pair(double x, double *low)
{
    double e, f = vm_split_any_f64(x, &e);
    double d = 2.0 + f, i = 1.0 / d, s = f * i, sl = (VM_FMA64(-s, d, f) - s * (f - (d - 2.0))) * i;
    double z = s * s, zl = VM_FMA64(s, s, -z) + 2.0 * s * sl;
    double q = 0x1.0e486ef312bc5p-3;
    q = VM_FMA64(q, z, 0x1.0f7f4964c8afbp-3);
    q = VM_FMA64(q, z, 0x1.3b1ef300fc08ap-3);
    q = VM_FMA64(q, z, 0x1.745ce9bc0d5f2p-3);
    q = VM_FMA64(q, z, 0x1.c71c722ddbd5ap-3);
    q = VM_FMA64(q, z, 0x1.24924924577f4p-2);
    q = VM_FMA64(q, z, 0x1.9999999999b33p-2);
    double a = VM_FMA64(q, z, 0x1.5555555555555p-1),
           al = VM_FMA64(q, z, 0x1.5555555555555p-1 - a) + 0x1.5555555555555p-55;
    double w = z * a, wl = VM_FMA64(z, a, -w) + VM_FMA64(z, al, zl * a);
    double h = 2.0 + w, hl = ((2.0 - h) + w) + wl;
    double p = s * h, pl = VM_FMA64(s, h, -p) + VM_FMA64(s, hl, sl * h);
    double g = p * 0x1.71547652b82fep0, gl = VM_FMA64(p, 0x1.71547652b82fep0, -g);
    gl = gl + VM_FMA64(p, 0x1.777d0ffda0d24p-56, pl * 0x1.71547652b82fep0);
    double r = e + g;
    *low = ((e - r) + g) + gl;
    return r;
}

/* The bits of x where those of the mask are set, else those of y. */
VM_FN double vm_where_bits(uint64_t mask, double x, double y)
{
    return vm_double((vm_bits64(x) & mask) | (vm_bits64(y) & ~mask));
}

/* The signs and special cases of pow; r is |x|^y, for all other arguments. Conditions on y alone are masks of bits: if y is one number for all
 * elements they are known before the loop, and compilers vectorise no loop with a choice by such a condition. */
VM_FN double vm_pow_edges(double x, double y, double r)
{
    double t = trunc(y), h = y * 0.5;
    uint64_t all = ~(uint64_t)0, whole = y == t ? all : 0, odd = h != trunc(h) ? whole & ~(all >> 1) : 0,
             zero = y == 0 ? all : 0;
    r = fabs(x) == 1.0 ? 1.0 : r;
    r = vm_where_bits(odd, x, r);
    r = ((x < 0) & (x != -(double)INFINITY)) ? vm_where_bits(whole, r, (double)NAN) : r;
    r = x == 1.0 ? 1.0 : r;
    return vm_where_bits(zero, 1.0, r);
}

VM_FN double vm_pow_f64(double x, double y)
{
    double a = fabs(x), low, l = vm_log2_pair(a, &low);
    l = a == 0 ? -(double)INFINITY : a == (double)INFINITY ? (double)INFINITY : l;
    double u = y * l, ul = VM_FMA64(y, l, -u) + y * low;
    ul = fabs(u) > 1100.0 ? 0.0 : ul;
    u = vm_max_f64(vm_min_f64(u, 1100.0), -1100.0);
    double magic = u < 0 ? VM_ROUND64 + 1623.0 : VM_ROUND64 + 423.0;
    double t = u + magic, f = (u - (t - magic)) + ul, p = 0x1.e820cc3d84f0cp-32; /* 2^-58 */
    p = VM_FMA64(p, f, 0x1.e6135f1997d4p-28);
    p = VM_FMA64(p, f, 0x1.b5260311cf324p-24);
    p = VM_FMA64(p, f, 0x1.62bfccd3299efp-20);
    p = VM_FMA64(p, f, 0x1.ffcbfbfd0e00ep-17);
    p = VM_FMA64(p, f, 0x1.4309130c70875p-13);
    p = VM_FMA64(p, f, 0x1.5d87fe78b30d5p-10);
    p = VM_FMA64(p, f, 0x1.3b2ab6fba0fa1p-7);
    p = VM_FMA64(p, f, 0x1.c6b08d704a0d6p-5);
    p = VM_FMA64(p, f, 0x1.ebfbdff82c59dp-3);
    p = VM_FMA64(p, f, 0x1.62e42fefa39efp-1);
    p = VM_FMA64(p, f, 1.0) * vm_double(vm_bits64(t) << 52) * (u < 0 ? 0x1p-600 : 0x1p600);
    return vm_pow_edges(x, y, x != x ? x : p);
}

#endif
#endif
