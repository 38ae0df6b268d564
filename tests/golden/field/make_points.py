#!/usr/bin/env python3
"""Multiples of the generators of G1 and G2, their sums and compressed forms, by the affine law on Python's integers.

Writes points.txt: lines of "curve k x… y… compressed", where k·G is (x, y)."""
import os
import random

q = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47
r = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001


def mul(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % q, (a[0] * b[1] + a[1] * b[0]) % q)


def sub(a, b):
    return ((a[0] - b[0]) % q, (a[1] - b[1]) % q)


def inv(a):
    n = pow(a[0] * a[0] + a[1] * a[1], -1, q)
    return (a[0] * n % q, -a[1] * n % q)


def add(p, s):
    if p is None or s is None:
        return p or s
    if p[0] != s[0]:
        m = mul(sub(s[1], p[1]), inv(sub(s[0], p[0])))
    elif p[1] == s[1]:
        m = mul(mul((3, 0), mul(p[0], p[0])), inv(mul((2, 0), p[1])))
    else:
        return None
    x = sub(sub(mul(m, m), p[0]), s[0])
    return (x, sub(mul(m, sub(p[0], x)), p[1]))


def times(k, p):
    z = None
    for bit in bin(k)[2:]:
        z = add(z, z)
        if bit == "1":
            z = add(z, p)
    return z


def compressed(p, parts):
    if p is None:
        b = bytearray(32 * parts)
        b[-1] |= 0x40
        return b.hex()
    b = bytearray(b"".join(v.to_bytes(32, "little") for v in p[0][:parts]))
    minus = sub((0, 0), p[1])
    if tuple(reversed(p[1])) > tuple(reversed(minus)):
        b[-1] |= 0x80
    return b.hex()


generator = {
    1: ((1, 0), (2, 0)),
    2: ((10857046999023057135944570762232829481370756359578518086990519993285655852781,
         11559732032986387107991004021392285783925812861821192530917403151452391805634),
        (8495653923123431417604973247489272438418190587263600148770280649306958101930,
         4082367875863433681332203403145435568316851327593401208105741076214120093531)),
}
random.seed(254)
scalars = [0, 1, 2, 3, 5, r - 1, r - 2, (r - 1) // 2, 1 << 253] + [random.randrange(r) for _ in range(15)]
with open(os.path.join(os.path.dirname(__file__), "points.txt"), "w") as f:
    f.write("# Made by make_points.py: curve, k, the coordinates of k·G, its compressed form.\n")
    for g in (1, 2):
        for k in scalars:
            p = times(k, generator[g])
            c = [str(v) for part in (p or ((0, 0), (0, 0))) for v in part[:g]]
            f.write(" ".join([str(g), str(k)] + c + [compressed(p, g)]) + "\n")
