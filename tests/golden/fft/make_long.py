#!/usr/bin/env python3
"""Makes long.txt beside it: single elements of long transforms, by mpmath with 40 digits. Needs mpmath; a minute.

One case:  <real input: 1> <length> <element> <real part> <imaginary part>
The input, exact in f32: element j has the parts ((7919·j² + 104729·j) mod 8191)/4096 − 1, ((5·j² + 31337·j + 17) mod 8191)/4096 − 1.
"""
import os

import mpmath as mp

mp.mp.dps = 40
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "long.txt"), "w") as out:
    for real, n in ((0, 65536), (0, 98304), (0, 100000), (0, 75625), (0, 65537), (1, 131072), (1, 200000), (1, 150000),
                    (0, 69632), (1, 131074), (1, 65539),
                    # rows of two steps a stage: with and without a rest of each kind
                    *((0, n) for n in (256, 270, 320, 375, 384, 512, 600, 625, 675, 1000, 1024, 1280, 1331, 2048, 2430, 4096,
                                       6561, 8192, 15625, 20160, 32768)), (1, 2048), (1, 3000)):
        x = [mp.mpc((7919 * j * j + 104729 * j) % 8191 - 4096, 0 if real else (5 * j * j + 31337 * j + 17) % 8191 - 4096)
             / 4096 for j in range(n)]
        w = [mp.expjpi(mp.mpf(-2 * t) / n) for t in range(n)]
        for k in (0, 1, 300 % (n // 2), n // 3, n // 2, n // 2 if real else n - 1):
            y = mp.fsum(x[j] * w[j * k % n] for j in range(n))
            out.write(f"{real} {n} {k} {mp.nstr(y.real, 20)} {mp.nstr(y.imag, 20)}\n")
