#!/usr/bin/env python3
"""Writes runtime/base/primes.h and codelets/field/constants.h: the moduli of BN254 and what follows from them, by plain integers of
Python."""
import os
import sys

r = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001
q = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47
R = 1 << 256


def limbs(v):
    return "{ { " + ", ".join(f"0x{v >> 64 * i & (1 << 64) - 1:016x}u" for i in range(4)) + " } }"


def mont(v, p):
    return limbs(v * R % p)


out = []


def put(text):
    out.append(text)


def write(path):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
    with open(os.path.join(sys.argv[1] if len(sys.argv) > 1 else root, path), "w") as f:
        f.write("\n".join(out) + "\n")
    out.clear()


put("""/* The moduli of BN254. Made by tests/golden/field/make_constants.py: do not edit.
 * Must not know: arithmetic. */
#ifndef ORR_BASE_PRIMES_H
#define ORR_BASE_PRIMES_H

#include "runtime/base/mont.h"
""")
for name, p in (("fr", r), ("fq", q)):
    put(f"static const orr__mod orr__{name} = {{")
    put(f"    .p = {limbs(p)},")
    put(f"    .one = {limbs(R % p)},")
    put(f"    .square = {limbs(R * R % p)},")
    put(f"    .inverse = 0x{-pow(p, -1, 1 << 64) % (1 << 64):016x}u,")
    put("};")
put("\n#endif")
write("runtime/base/primes.h")

put("""/* Numbers that follow from the moduli of BN254. Made by tests/golden/field/make_constants.py: do not edit.
 * Must not know: arithmetic. */
#ifndef ORR_FIELD_CONSTANTS_H
#define ORR_FIELD_CONSTANTS_H

#include "codelets/field/field.h"
#include "runtime/base/primes.h"
""")
for name, p in (("fr", r), ("fq", q)):

    def split(v):
        return "{ " + ", ".join(f"0x{v >> 52 * i & (1 << 52) - 1:013x}u" for i in range(5)) + " }"

    put(f"static const orr__mod52 orr__{name}52 = {{")
    put(f"    .p = {split(p)},")
    put(f"    .twice = {split(2 * p)},")
    put(f"    .inverse = 0x{-pow(p, -1, 1 << 52) % (1 << 52):013x}u,")
    put("};")
# Roots of unity: 5 generates the units of r.
two = 28
assert (r - 1) % (1 << two) == 0 and (r - 1) >> two & 1
root = pow(5, (r - 1) >> two, r)
assert pow(root, 1 << (two - 1), r) == r - 1
put("\n/* 5^((r - 1) / 2^28), of order 2^28, and its inverse; 5 generates the units. */")
put(f"static const orr__fe orr__fr_root = {mont(root, r)};")
put(f"static const orr__fe orr__fr_root_inverse = {mont(pow(root, -1, r), r)};")
put(f"static const orr__fe orr__fr_generator = {mont(5, r)};")
put(f"static const orr__fe orr__fr_half = {mont(pow(2, -1, r), r)};")
# Curves: y^2 = x^3 + 3 over Fq, y^2 = x^3 + 3/(9 + u) over Fq2 = Fq[u]/(u^2 + 1).


def mul2(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % q, (a[0] * b[1] + a[1] * b[0]) % q)


def pow2(a, e):
    z = (1, 0)
    while e:
        if e & 1:
            z = mul2(z, a)
        a = mul2(a, a)
        e >>= 1
    return z


def inv2(a):
    n = pow(a[0] * a[0] + a[1] * a[1], -1, q)
    return (a[0] * n % q, -a[1] * n % q)


def fq2(a):
    return "{ { " + limbs(a[0] * R % q) + ",\n      " + limbs(a[1] * R % q) + " } }"


xi = (9, 1)
b2 = mul2((3, 0), inv2(xi))
put("\n/* y^2 = x^3 + 3; over Fq2 = Fq[u]/(u^2 + 1) y^2 = x^3 + 3/(9 + u). The generators are those of Ethereum's EIP-197. */")
put(f"static const orr__fe orr__g1_b = {mont(3, q)};")
put(f"static const orr__fq2 orr__g2_b = {fq2(b2)};")
put(f"static const orr__fe orr__fq_half = {mont(pow(2, -1, q), q)};")
gx = (10857046999023057135944570762232829481370756359578518086990519993285655852781,
      11559732032986387107991004021392285783925812861821192530917403151452391805634)
gy = (8495653923123431417604973247489272438418190587263600148770280649306958101930,
      4082367875863433681332203403145435568316851327593401208105741076214120093531)
lhs, rhs = mul2(gy, gy), mul2(mul2(gx, gx), gx)
assert lhs == ((rhs[0] + b2[0]) % q, (rhs[1] + b2[1]) % q)
put(f"static const orr__g1 orr__g1_generator = {{ {mont(1, q)},\n    {mont(2, q)} }};")
put(f"static const orr__g2 orr__g2_generator = {{\n    {fq2(gx)},\n    {fq2(gy)} }};")
# Exponents, plain integers.
x = 4965661367192848881
assert q == 36 * x**4 + 36 * x**3 + 24 * x**2 + 6 * x + 1 and r == 36 * x**4 + 36 * x**3 + 18 * x**2 + 6 * x + 1
assert q % 4 == 3
put("\n/* Plain integers. (q + 1) / 4 is the exponent of a square root. */")
put(f"static const orr__fe orr__fq_root_exponent = {limbs((q + 1) // 4)};")
put(f"static const orr__fe orr__fq_above_half = {limbs((q - 1) // 2)};")
put("\n/* The pairing: q and r are polynomials of x. (9 + u)^(i (q^k - 1) / 6) for the Frobenius maps. */")
put(f"#define ORR__BN_X 0x{x:x}u")
for k in (1, 2, 3):
    put(f"static const orr__fq2 orr__frobenius_{k}[6] = {{")
    for i in range(6):
        put(f"    {fq2(pow2(xi, i * (q**k - 1) // 6))},")
    put("};")
put("\n#endif")
write("codelets/field/constants.h")
