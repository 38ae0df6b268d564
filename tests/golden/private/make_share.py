#!/usr/bin/env python3
"""Makes shamir.txt, wrong.txt and masks.txt beside it: polynomials over 2^61 - 1 by galois, BLAKE2b by hashlib, X25519 and
ChaCha20 from their RFCs, written here in plain integers. Wants galois and NumPy (PyPI).

usage: make_share.py [CASES DIR]    so many of each in DIR/private/, which tests read by ORR_TEST_GOLDEN=DIR"""
import hashlib
import os
import random
import struct
import sys

import galois
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 0
if CASES:
    HERE = os.path.join(sys.argv[2], "private")
    os.makedirs(HERE, exist_ok=True)
P = 2**61 - 1
GF = galois.GF(P)
rng = random.Random(20)


def polynomials():
    """threshold, shares, secret, points, values"""
    for case in range(CASES or 120):
        t = rng.randint(1, 12)
        k = rng.randint(t, 20)
        coefficients = [rng.randrange(P) for _ in range(t)]
        if case % 10 == 0:
            coefficients = [rng.choice([0, 1, P - 1]) for _ in range(t)]
        points = rng.sample(range(1, 40), k) if case % 3 else [rng.randrange(1, P) for _ in range(k)]
        f = galois.Poly(list(reversed(coefficients)), field=GF)
        yield t, points, [int(v) for v in f(GF(points))], coefficients[0]


def write_shamir():
    with open(os.path.join(HERE, "shamir.txt"), "w") as out:
        for t, points, values, secret in polynomials():
            print(t, len(points), secret, *points, *values, file=out)


def write_wrong():
    """As above, with as many wrong values as can be corrected, or fewer; at the end whose they are."""
    with open(os.path.join(HERE, "wrong.txt"), "w") as out:
        for t, points, values, secret in polynomials():
            most = (len(points) - t) // 2
            bad = sorted(rng.sample(range(len(points)), rng.randint(0, most)))
            for i in bad:
                values[i] = (values[i] + rng.randrange(1, P)) % P
            print(t, len(points), secret, *points, *values, len(bad), *bad, file=out)


def x25519(k, u):
    """RFC 7748, section 5."""
    p = 2**255 - 19
    k = bytearray(k)
    k[0] &= 248
    k[31] = k[31] & 127 | 64
    k = int.from_bytes(k, "little")
    x1 = int.from_bytes(u, "little") & (2**255 - 1)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in range(254, -1, -1):
        bit = k >> t & 1
        if swap ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a, c * b, a * a, b * b
        x3, z3 = (da + cb) ** 2 % p, x1 * (da - cb) ** 2 % p
        e = (aa - bb) % p
        x2, z2 = aa * bb % p, e * (aa + 121665 * e) % p
    if swap:
        x2, x3, z2, z3 = x3, x2, z3, z2
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")


def chacha20(key, counter):
    """64 bytes of the stream with a 64-bit counter and nonce 0 (D. J. Bernstein, 2008)."""
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    x = list(state)

    def quarter(a, b, c, d):
        for i, j, k, r in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[i] = (x[i] + x[j]) & 0xFFFFFFFF
            x[k] ^= x[i]
            x[k] = (x[k] << r | x[k] >> (32 - r)) & 0xFFFFFFFF

    for _ in range(10):
        for q in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                  (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(*q)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, state)))


def derive(secret, run, label, number):
    return hashlib.blake2b(run + label + struct.pack("<I", number), digest_size=32, key=secret).digest()


def write_masks():
    """Two secret keys, a run, two clients' numbers; the key of their mask; a block's number, the block."""
    base = (9).to_bytes(32, "little")
    with open(os.path.join(HERE, "masks.txt"), "w") as out:
        for case in range(CASES or 40):
            a, b, run = rng.randbytes(32), rng.randbytes(32), rng.randbytes(16)
            i, j = rng.randrange(65535), rng.randrange(65535)
            common = x25519(a, x25519(b, base))
            assert case >= 40 or common == x25519(b, x25519(a, base))
            key = derive(derive(common, run, b"m", min(i, j)), run, b"m", max(i, j))
            block = rng.choice([0, 1, 2, rng.randrange(2**20), 2**32 - 1, 2**32, 2**33 + 5])
            print(a.hex(), b.hex(), run.hex(), i, j, key.hex(), block, chacha20(key, block).hex(), file=out)


assert chacha20(bytes(32), 0)[:8].hex() == "76b8e0ada0f13d90"
write_shamir()
write_wrong()
write_masks()
