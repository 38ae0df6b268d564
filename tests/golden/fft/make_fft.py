#!/usr/bin/env python3
"""Makes fft.txt beside it: transforms by numpy.fft in f64. Needs numpy.

One case:  <name> <kind> <norm> <n> <axis> <real input: 1> <rows> <columns> <elements' parts> <rows> <columns> <parts> <real: 1>
"""
import os

import numpy as np

rng = np.random.default_rng(5)
NORM = ["backward", "ortho", "forward"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fft.txt"), "w") as out:
    def parts(a):
        real = not np.iscomplexobj(a)
        v = a.ravel() if real else a.ravel().view(np.float64)
        return f"{a.shape[0]} {a.shape[1]} " + " ".join(repr(float(x)) for x in v)

    def case(name, x, n, axis, norm):
        r = getattr(np.fft, name)(x, n, axis, NORM[norm])
        out.write(f"{name} {norm} {n or 0} {axis} {int(not np.iscomplexobj(x))} {parts(x)} "
                  f"{int(not np.iscomplexobj(r))} {parts(r)}\n")

    def numbers(rows, cols, real):
        x = rng.standard_normal((rows, cols)).round(6)
        return x if real else x + 1j * rng.standard_normal((rows, cols)).round(6)
    for i, n in enumerate([1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 15, 16, 17, 21, 25, 31, 32, 48, 64, 97, 105]):
        for name in ("fft", "ifft"):
            case(name, numbers(2 if n < 40 else 1, n, False), None, 1, i % 3)
        case("rfft", numbers(1, n, True), None, 1, i % 3)
        case("irfft", numbers(1, n // 2 + 1, False), n, 1, (i + 1) % 3)
        case("hfft", numbers(1, n // 2 + 1, False), n, 1, (i + 2) % 3)
        case("ihfft", numbers(1, n, True), None, 1, i % 3)
    for name in ("fft", "ifft", "rfft", "irfft"):
        for n in (4, 9):
            case(name, numbers(6, 3, name == "rfft"), n, 0, 0)
    case("fft", numbers(3, 4, True), None, 0, 0)
