#!/usr/bin/env python3
"""Writes poseidon.txt: for every width t the hash of 1, 2, …, t - 1 and of r - 1, r - 2, …, by plain integers of Python
and the rounds as the paper has them, without the sparse form. The constants are drawn as the paper's script does."""
import os

r = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001
FULL = 8
PARTIAL = [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68]


def grain(t, partial):
    state = [int(b) for v, n in ((1, 2), (0, 4), (254, 12), (t, 12), (FULL, 10), (partial, 10)) for b in f"{v:0{n}b}"]
    state += [1] * 30

    def step():
        b = state[62] ^ state[51] ^ state[38] ^ state[23] ^ state[13] ^ state[0]
        state.pop(0)
        state.append(b)
        return b

    for _ in range(160):
        step()
    while True:
        first, second = step(), step()
        if first:
            yield second


def integer(bits):
    v = 0
    for _ in range(254):
        v = 2 * v + next(bits)
    return v


def constants(t, partial):
    bits = grain(t, partial)
    c = []
    while len(c) < (FULL + partial) * t:
        v = integer(bits)
        if v < r:
            c.append(v)
    while True:
        x = [integer(bits) % r for _ in range(2 * t)]
        if len(set(x)) == 2 * t:
            break
    return c, [[pow(x[i] + x[t + j], -1, r) for j in range(t)] for i in range(t)]


def poseidon(values):
    t = len(values) + 1
    partial = PARTIAL[t - 2]
    c, m = constants(t, partial)
    s = [0] + values
    for i in range(FULL + partial):
        s = [v + k for v, k in zip(s, c[i * t:])]
        full = i < FULL // 2 or i >= FULL // 2 + partial
        s = [pow(v, 5, r) if full or j == 0 else v for j, v in enumerate(s)]
        s = [sum(a * v for a, v in zip(row, s)) % r for row in m]
    return s[0]


# Published by the authors of circom (circomlib's tests).
assert poseidon([1]) == 18586133768512220936620570745912940619677854269274689475585506675881198879027
assert poseidon([1, 2]) == 7853200120776062878684798364095072458815029376092732009249414926327459813530
assert poseidon([1, 2, 3, 4]) == 18821383157269793795438455681495246036402687001665670618754263018637548127333
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "poseidon.txt"), "w") as f:
    f.write("# Made by make_poseidon.py: t, the hash of 1, 2, …, t - 1, the hash of r - 1, r - 2, …, r - t + 1.\n")
    for t in range(2, 18):
        f.write(f"{t} {poseidon(list(range(1, t)))} {poseidon([r - i for i in range(1, t)])}\n")
