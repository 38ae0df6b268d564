#!/usr/bin/env python3
"""Makes c64.txt and c128.txt beside it: complex functions of a few numbers. Needs numpy, mpmath.

One function:   <name> <operands> <lines>
One line:       <flag> <parts of the operands> <parts of the result>   in hexadecimal digits of their bits
flag 0: the result is exact to its last bits, by mpmath; 1: a special value, by the C library (NumPy calls it), with the
signs of zeros and infinities; 2: the same without these signs, which the C standard leaves open.
"""
import os
import struct
import sys

import mpmath as mp
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
mp.mp.prec = 400
rng = np.random.default_rng(7)
INF, NAN = float("inf"), float("nan")

ONE = {"exp": (mp.exp, np.exp), "log": (mp.log, np.log), "sqrt": (mp.sqrt, np.sqrt), "sin": (mp.sin, np.sin),
       "cos": (mp.cos, np.cos), "tan": (mp.tan, np.tan), "asin": (mp.asin, np.arcsin), "acos": (mp.acos, np.arccos),
       "atan": (mp.atan, np.arctan), "sinh": (mp.sinh, np.sinh), "cosh": (mp.cosh, np.cosh),
       "tanh": (mp.tanh, np.tanh), "asinh": (mp.asinh, np.arcsinh), "acosh": (mp.acosh, np.arccosh),
       "atanh": (mp.atanh, np.arctanh), "log2": (lambda z: mp.log(z, 2), None), "log10": (mp.log10, None),
       "log1p": (lambda z: mp.log(1 + z), None), "expm1": (lambda z: mp.exp(z) - 1, None),
       "reciprocal": (lambda z: 1 / z, None), "square": (lambda z: z * z, None), "neg": (lambda z: -z, np.negative),
       "conj": (mp.conj, np.conj), "sign": (lambda z: z / abs(z), None), "abs": (abs, np.abs),
       "angle": (mp.arg, np.angle), "real": (mp.re, np.real), "imag": (mp.im, np.imag)}
TWO = {"add": (lambda x, y: x + y, None), "sub": (lambda x, y: x - y, None), "mul": (lambda x, y: x * y, None),
       "div": (lambda x, y: x / y, None), "pow": (lambda x, y: mp.exp(y * mp.log(x)), None)}
OSCILLATES = {"exp": 1, "sinh": 1, "cosh": 1, "tanh": 1, "sin": 0, "cos": 0, "tan": 0}


def write(name, c, f):
    code, digits = ("<f", 8) if f is np.float32 else ("<d", 16)

    def bits(v):
        return struct.pack(code, v)[::-1].hex().zfill(digits)

    def parts(z):
        return f"{bits(f(z.real))} {bits(f(z.imag))}"

    def rounded(z):
        z = mp.mpc(z)
        return c(complex(f(float(z.real)), f(float(z.imag)))) if f is np.float64 else \
            c(complex(f(mp.nstr(z.real, 30)), f(mp.nstr(z.imag, 30))))

    def random(n, scale):
        return (rng.standard_normal(n) * scale).astype(f)
    edges = [0.0, -0.0, 1.0, -1.0, -2.0, INF, -INF, NAN]
    special = [c(complex(a, b)) for a in edges for b in edges]
    plain = [c(complex(a, b)) for s in (0.1, 1, 3, 8) for a, b in zip(random(8, s), random(8, s))]
    plain += [c(complex(a, b)) for a, b in ((1.0001, 1e-5), (-1, 1e-4), (1e-6, 1e-6), (0.6, 0.8), (1e-9, 3), (30, 2),
                                            (2e9, -1e9), (1e-20, 1e-18), (-5e15, 2.0), (0.3, 1e-12))]
    with open(os.path.join(HERE, name + ".txt"), "w") as out, np.errstate(all="ignore"):
        for fn, (exact, library) in ONE.items():
            lines = []
            for z in (special if library else []):
                r = c(library(np.array([z], dtype=c))[0])
                x = [float(z.real), float(z.imag)]
                odd = [not np.isfinite(v) for v in x]
                loose = any(np.isnan(x)) or all(odd) or (fn in OSCILLATES and odd[OSCILLATES[fn]])
                loose = loose or (fn in OSCILLATES and any(odd)) or np.isnan(r.real) or np.isnan(r.imag)
                lines.append(f"{2 if loose else 1} {parts(z)} {parts(r)}")
            for z in plain:
                if fn in OSCILLATES and max(abs(z.real), abs(z.imag)) > 1e3 or fn == "expm1" and abs(z) > 80:
                    continue
                lines.append(f"0 {parts(z)} {parts(rounded(exact(mp.mpc(complex(z)))))}")
            out.write(f"{fn} 1 {len(lines)}\n" + "\n".join(lines) + "\n")
        for fn, (exact, _) in TWO.items():
            lines = []
            for x, y in zip(plain, plain[5:] + plain[:5]):
                if fn == "pow" and (abs(y) > 6 or abs(x) > 1e3 or abs(x) < 1e-3):
                    continue
                r = exact(mp.mpc(complex(x)), mp.mpc(complex(y)))
                lines.append(f"0 {parts(x)} {parts(y)} {parts(rounded(r))}")
            out.write(f"{fn} 2 {len(lines)}\n" + "\n".join(lines) + "\n")


write("c64", np.complex64, np.float32)
write("c128", np.complex128, np.float64)
