#!/usr/bin/env python3
"""Makes block_cyclic.txt: the Cholesky factor of a matrix of order N, then the product of two matrices, with 60 digits (mpmath),
written as the nearest f64 in hexadecimal. The matrices are functions of the indices; tests/distribute/tiles.c has the same.

    make_block_cyclic.py
"""
import os
from mpmath import mp, mpf, cholesky, matrix

mp.dps = 60
N, M, K = 29, 23, 31

spd = matrix(N, N)
for i in range(N):
    for j in range(N):
        spd[i, j] = mpf(1.0 / (1 + abs(i - j) + (i * j) % 5)) if i != j else mpf(N)
factor = cholesky(spd)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "block_cyclic.txt"), "w") as f:
    for i in range(N):
        f.write(" ".join(float(factor[i, j]).hex() for j in range(i + 1)) + "\n")
    for i in range(M):
        row = []
        for j in range(N):
            row.append(float(sum(mpf((i * 7 + k * 3) % 11 - 5) / 8 * mpf(1.0 / (1 + j + k)) for k in range(K))).hex())
        f.write(" ".join(row) + "\n")
