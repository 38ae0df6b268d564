#!/usr/bin/env python3
"""Expected values of the element-wise functions, computed in high precision and rounded once.

Writes f32.txt f64.txt f16.txt bf16.txt (mpmath, exact fractions) and ints.txt (NumPy) beside itself:
    <row> <operands> <lines>          then per line: operands and result, as hexadecimal bit patterns
    <row> <dtype> <operands> <lines>  (ints.txt)
Rows, their domains and operand counts are read from ops/elementwise.def; what they mean is written here anew.
Python 3 with numpy and mpmath. The files are committed: tests do not run this.
"""
import math
import os
import random
import re
import struct
import sys
from fractions import Fraction

import mpmath as mp
import numpy as np

mp.mp.prec = 2400  # sin(1e308) needs 1100 bits of pi
NAN, INF = float("nan"), float("inf")
HERE = os.path.dirname(os.path.abspath(__file__))


class Format:
    """A binary float format: p bits of significand, exponents emin to emax."""

    def __init__(self, name, bits, p, emax):
        self.name, self.bits, self.p, self.emax, self.emin = name, bits, p, emax, 1 - emax
        self.mbits = p - 1
        self.max = float(Fraction(2**p - 1) * Fraction(2) ** (emax - p + 1))
        self.tiny = float(Fraction(2) ** self.emin)                   # least normal
        self.sub = float(Fraction(2) ** (self.emin - self.mbits))     # least subnormal
        self.eps = float(Fraction(2) ** (1 - p))

    def encode(self, v):
        """Bits of v (Fraction, mpf, int or float), rounded to nearest, ties to even."""
        top = 1 << (self.bits - 1)
        inf = ((2 * self.emax + 1) << self.mbits)
        if isinstance(v, float):
            if math.isnan(v):
                return inf | (1 << (self.mbits - 1))
            if math.isinf(v):
                return inf | (top if v < 0 else 0)
            if v == 0:
                return top if math.copysign(1, v) < 0 else 0
            v = Fraction(v)
        if isinstance(v, mp.mpf):
            if mp.isnan(v):
                return self.encode(NAN)
            if mp.isinf(v):
                return self.encode(INF if v > 0 else -INF)
            if v == 0:
                return 0
            if mp.mag(v) > 3000:
                return self.encode(INF if v > 0 else -INF)
            if mp.mag(v) < -3000:
                return 0 if v > 0 else top
            v = Fraction(*mp.libmp.to_rational(v._mpf_))
        v = Fraction(v)
        sign, a = (top, -v) if v < 0 else (0, v)
        if a == 0:
            return 0
        e = a.numerator.bit_length() - a.denominator.bit_length()
        while Fraction(2) ** e > a:
            e -= 1
        while Fraction(2) ** (e + 1) <= a:
            e += 1
        e = max(e, self.emin)
        q = a / Fraction(2) ** (e - self.mbits)
        n, rest = divmod(q.numerator, q.denominator)
        n += 2 * rest > q.denominator or (2 * rest == q.denominator and n & 1)
        if n == 1 << self.p:
            n, e = n >> 1, e + 1
        if e > self.emax:
            return sign | inf
        if n < 1 << self.mbits:
            return sign | n
        return sign | ((e + self.emax) << self.mbits) | (n - (1 << self.mbits))

    def decode(self, b):
        s = -1.0 if b >> (self.bits - 1) else 1.0
        m, e = b & ((1 << self.mbits) - 1), (b >> self.mbits) & (2 * self.emax + 1)
        if e == 2 * self.emax + 1:
            return NAN if m else s * INF
        if e == 0:
            return s * math.ldexp(m, self.emin - self.mbits)
        return s * math.ldexp(m + (1 << self.mbits), e - self.emax - self.mbits)

    def near(self, v):
        return self.decode(self.encode(v))


FORMATS = [Format("f32", 32, 24, 127), Format("f64", 64, 53, 1023), Format("f16", 16, 11, 15),
           Format("bf16", 16, 8, 127)]


def neg0(v):
    return v == 0 and math.copysign(1, v) < 0


def nan_any(*v):
    return any(math.isnan(x) for x in v)


def zero(like):
    return math.copysign(0.0, like)


def finite(*v):
    return all(math.isfinite(x) for x in v)


def exact(op):
    """x op y of finite, nonzero-result operands is exact in fractions; the rest is IEEE, which float64 follows."""
    def f(x, y):
        if finite(x, y) and x != 0 and y != 0:
            r = op(Fraction(x), Fraction(y))
            if r != 0:
                return r
        with np.errstate(all="ignore"):
            return float(op(np.float64(x), np.float64(y)))
    return f


def fma(x, y, z):
    if nan_any(x, y, z):
        return NAN
    s = math.copysign(1, x) * math.copysign(1, y)
    if math.isinf(x) or math.isinf(y):
        if x == 0 or y == 0 or (math.isinf(z) and math.copysign(1, z) != s):
            return NAN
        return s * INF
    if math.isinf(z):
        return z
    r = Fraction(x) * Fraction(y) + Fraction(z)
    if r != 0:
        return r
    return s * 0.0 if (x == 0 or y == 0) and math.copysign(1, z) == s else 0.0


def floor_divide(x, y):
    if nan_any(x, y) or math.isinf(x):
        return NAN if not (math.isinf(x) and y == 0) else math.copysign(INF, x) * math.copysign(1, y)
    s = math.copysign(1, x) * math.copysign(1, y)
    if y == 0:
        return NAN if x == 0 else s * INF
    if x == 0:
        return s * 0.0
    if math.isinf(y):
        return 0.0 if s > 0 else -1.0
    r = Fraction(x) / Fraction(y)
    return Fraction(r.__floor__()) if r.__floor__() else 0.0


def remainder(x, y):
    if nan_any(x, y) or math.isinf(x) or y == 0:
        return NAN
    if x == 0:
        return zero(y)
    if math.isinf(y):
        return x if (x < 0) == (y < 0) else y
    r = Fraction(x) - Fraction(y) * (Fraction(x) / Fraction(y)).__floor__()
    return r if r else zero(y)


def power(x, y):
    if x == 0 or x in (1, -1) or y == 0 or not finite(x, y):
        with np.errstate(all="ignore"):
            return float(np.power(np.float64(x), np.float64(y)))
    if x < 0 and y != math.floor(y):
        return NAN
    a = mp.exp(mp.mpf(y) * mp.log(abs(mp.mpf(x))))
    return -a if x < 0 and Fraction(y) % 2 == 1 else a


def hypot(x, y):
    if math.isinf(x) or math.isinf(y):
        return INF
    if nan_any(x, y):
        return NAN
    return mp.sqrt(mp.mpf(x) ** 2 + mp.mpf(y) ** 2)


def atan2(x, y):
    if nan_any(x, y):
        return NAN
    right = math.copysign(1, y) > 0
    s = math.copysign(1, x)
    if x == 0 or (math.isinf(y) and not math.isinf(x)):
        return zero(x) if right else s * mp.pi
    if math.isinf(x):
        return s * mp.pi / 2 if not math.isinf(y) else s * mp.pi / 4 * (1 if right else 3)
    if y == 0:
        return s * mp.pi / 2
    return mp.atan2(x, y)


def logaddexp(x, y):
    if nan_any(x, y):
        return NAN
    if INF in (x, y):
        return INF
    hi, lo = max(x, y), min(x, y)
    if lo == -INF:
        return hi + 0.0  # log(1) is +0
    return mp.mpf(hi) + mp.log1p(mp.exp(mp.mpf(lo) - mp.mpf(hi)))


def real(f, **at):
    """f(mpf) for finite arguments; `at` gives zero (by sign), inf, ninf; NaN stays."""
    def g(x):
        if math.isnan(x):
            return NAN
        if math.isinf(x):
            return at["inf"] if x > 0 else at["ninf"]
        if x == 0 and "zero" in at:
            return at["zero"](x)
        r = f(mp.mpf(x))
        return NAN if isinstance(r, mp.mpc) else r
    return g


same = lambda x: x  # noqa: E731
half_pi = mp.pi / 2


def pole(x):
    return math.copysign(INF, x)


def rounding(f):
    def g(x):
        if not finite(x) or x == 0:
            return x
        r = f(Fraction(x))
        return Fraction(r) if r else zero(x)
    return g


def half_even(q):
    return round(q)  # Fraction: ties to even


def pick(better):
    def f(x, y):
        if nan_any(x, y):
            return NAN
        if x == 0 and y == 0 and neg0(x) != neg0(y):
            return None  # which zero is left open
        return x if better(x, y) else y
    return f


maximum, minimum = pick(lambda x, y: x > y), pick(lambda x, y: x < y)


def clip(x, y, z):
    m = maximum(x, y)
    return None if m is None else minimum(m, z)


def left_limit(f):
    """x·h(x) with h -> 1 at +inf and underflowing at -inf: -0 there."""
    return real(f, inf=INF, ninf=-0.0, zero=same)


def softplus(x):
    return x + mp.log1p(mp.exp(-x)) if x > 0 else mp.log1p(mp.exp(x))


def sigma(x):
    e = mp.exp(-abs(x))
    return 1 / (1 + e) if x > 0 else e / (1 + e)


def mish(x):
    t = mp.exp(-abs(x))
    n, d = (1 + 2 * t, 2 * t * t) if x > 0 else (t * (t + 2), mp.mpf(2))
    return x * n / (n + d)


def phi(x):
    return x if x > 100 else mp.mpf("-1e-2000") if x < -100 else x * mp.erfc(-x / mp.sqrt(2)) / 2


def erfc_(x):
    return mp.mpf(2) if x < -100 else mp.mpf("1e-2000") if x > 100 else mp.erfc(x)


def erf_(x):
    return mp.mpf(1) if x > 100 else mp.mpf(-1) if x < -100 else mp.erf(x)


def hardswish(x):
    if math.isnan(x):
        return NAN
    if x <= -3:
        return 0.0
    return x if x >= 3 or x == 0 else Fraction(x) * (Fraction(x) + 3) / 6


def leaky(x, y):
    return x if x >= 0 else exact(lambda a, b: a * b)(x, y)


def elu(x, y):
    if x > 0:
        return x
    e = -1.0 if x == -INF else x if x == 0 or math.isnan(x) else mp.expm1(mp.mpf(x))
    if isinstance(e, float) or y == 0 or not finite(y):
        with np.errstate(all="ignore"):
            return float(np.float64(y) * np.float64(float(e) if float(e) else -1e-300 if e != 0 else e))
    return mp.mpf(y) * e


def capped(f, limit):
    """mpmath takes forever on e^(10^308); beyond `limit` the value is out of every format anyhow."""
    return lambda x: f(mp.mpf(limit) if x > limit else -mp.mpf(limit) if x < -limit else x)


def domain(f, ok):
    return lambda x: f(x) if ok(x) else NAN


def sign(x):
    return x if math.isnan(x) else float((x > 0) - (x < 0))


def nextafter(fmt):
    def f(x, y):
        if x == y and x == 0:
            return None
        t = np.float32 if fmt.name == "f32" else np.float64
        with np.errstate(all="ignore"):
            return float(np.nextafter(t(x), t(y)))
    return f


def rows_of(fmt):
    mul = exact(lambda a, b: a * b)
    div = exact(lambda a, b: a / b)
    return {
        "add": exact(lambda a, b: a + b), "sub": exact(lambda a, b: a - b), "mul": mul, "div": div,
        "floor_divide": floor_divide, "remainder": remainder, "pow": power, "fma": fma,
        "neg": lambda x: -x, "positive": same, "abs": abs, "sign": sign, "square": lambda x: mul(x, x),
        "reciprocal": lambda x: div(1.0, x),
        "sqrt": domain(real(mp.sqrt, inf=INF, ninf=NAN, zero=same), lambda x: not x < 0),
        "rsqrt": domain(real(lambda x: 1 / mp.sqrt(x), inf=0.0, ninf=NAN, zero=pole), lambda x: not x < 0),
        "hypot": hypot, "ceil": rounding(math.ceil), "floor": rounding(math.floor), "trunc": rounding(math.trunc),
        "round": rounding(half_even),
        "copysign": lambda x, y: None if math.isnan(x) or math.isnan(y) else math.copysign(x, y),
        "nextafter": nextafter(fmt), "signbit": lambda x: None if math.isnan(x) else math.copysign(1, x) < 0,
        "isfinite": math.isfinite, "isinf": math.isinf, "isnan": math.isnan,
        "maximum": maximum, "minimum": minimum, "clip": clip, "where": lambda x, y, z: y if x else z,
        "equal": lambda x, y: x == y, "not_equal": lambda x, y: x != y, "less": lambda x, y: x < y,
        "less_equal": lambda x, y: x <= y, "greater": lambda x, y: x > y, "greater_equal": lambda x, y: x >= y,
        "exp": real(capped(mp.exp, 3000), inf=INF, ninf=0.0),
        "expm1": real(capped(mp.expm1, 3000), inf=INF, ninf=-1.0, zero=same),
        "log": domain(real(mp.log, inf=INF, ninf=NAN, zero=lambda x: -INF), lambda x: not x < 0),
        "log1p": domain(real(lambda x: -INF if x == -1 else mp.log1p(x), inf=INF, ninf=NAN, zero=same),
                        lambda x: not x < -1),
        "log2": domain(real(lambda x: mp.log(x) / mp.log(2), inf=INF, ninf=NAN, zero=lambda x: -INF), lambda x: not x < 0),
        "log10": domain(real(mp.log10, inf=INF, ninf=NAN, zero=lambda x: -INF), lambda x: not x < 0),
        "logaddexp": logaddexp,
        "sin": real(mp.sin, inf=NAN, ninf=NAN, zero=same), "cos": real(mp.cos, inf=NAN, ninf=NAN),
        "tan": real(mp.tan, inf=NAN, ninf=NAN, zero=same),
        "asin": domain(real(mp.asin, inf=NAN, ninf=NAN, zero=same), lambda x: not abs(x) > 1),
        "acos": domain(real(lambda x: 0.0 if x == 1 else mp.acos(x), inf=NAN, ninf=NAN), lambda x: not abs(x) > 1),
        "atan": real(mp.atan, inf=half_pi, ninf=-half_pi, zero=same), "atan2": atan2,
        "sinh": real(capped(mp.sinh, 3000), inf=INF, ninf=-INF, zero=same),
        "cosh": real(capped(mp.cosh, 3000), inf=INF, ninf=INF),
        "tanh": real(capped(mp.tanh, 700), inf=1.0, ninf=-1.0, zero=same),
        "asinh": real(lambda x: mp.sign(x) * mp.log1p(abs(x) + x * x / (1 + mp.sqrt(x * x + 1))),
                      inf=INF, ninf=-INF, zero=same),
        "acosh": domain(real(lambda x: 0.0 if x == 1 else mp.acosh(x), inf=INF, ninf=NAN), lambda x: not x < 1),
        "atanh": domain(real(lambda x: x * mp.inf if abs(x) == 1 else mp.log1p(2 * x / (1 - x)) / 2, inf=NAN, ninf=NAN,
                             zero=same), lambda x: not abs(x) > 1),
        "erf": real(erf_, inf=1.0, ninf=-1.0, zero=same), "erfc": real(erfc_, inf=0.0, ninf=2.0),
        "sigmoid": real(capped(sigma, 3000), inf=1.0, ninf=0.0),
        "softplus": real(lambda x: x if x > 3000 else capped(softplus, 3000)(x), inf=INF, ninf=0.0),
        "relu": lambda x: x if math.isnan(x) or x > 0 else 0.0, "prelu": leaky, "elu_with": elu,
        "silu": left_limit(lambda x: x if x > 3000 else x * capped(sigma, 3000)(x)),
        "mish": left_limit(lambda x: x if x > 3000 else mish(max(x, mp.mpf(-3000)))),
        "gelu_tanh": left_limit(lambda x: x if x > 100 else mp.mpf("-1e-2000") if x < -100 else
                                x * sigma(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x ** 3))),
        "gelu": left_limit(phi), "hardswish": hardswish,
        "real": same, "conj": same, "imag": lambda x: 0.0,
        "angle": lambda x: x if math.isnan(x) else 2 * half_pi if math.copysign(1, x) < 0 else 0.0,
    }


def table():
    text = open(os.path.join(HERE, "../../../ops/elementwise.def"), encoding="utf-8").read()
    out = []
    for m in re.finditer(r"^(UNARY|BINARY|TERNARY)(?:_C)?\(\s*(\w+),\s*(\w+),\s*(\w+),(.*?)\"\)$", text, re.M | re.S):
        lo, hi, _ = re.findall(r"(-?[\d.]+),\s*(-?[\d.]+),\s*(\d+),\s*\"[^\"]*$", m[5])[-1]
        if m[4] == "PAIR":  # complex results: tests/golden/complex
            continue
        out.append((m[2], m[3], m[4], ["UNARY", "BINARY", "TERNARY"].index(m[1]) + 1, float(lo), float(hi)))
    return out


def special(fmt):
    s = [0.0, fmt.sub, fmt.tiny - fmt.sub, fmt.tiny, fmt.near(1e-4), 1 - fmt.eps / 2, 1.0, 1 + fmt.eps, 0.5, 1.5, 2.5,
         3.0, 20.0, 80.0, 88.5, 90.0, 100.0, 104.0, 709.5, 745.0, 11.25, 12.5, 14.0, 38.0, 9.0, 5.75, 1000.0, 1e10,
         1 / fmt.eps - 0.5, fmt.max, INF]
    s = [fmt.near(v) for v in s]
    return [v for a in s for v in (a, -a)] + [NAN]


def few(fmt):
    return [0.0, -0.0, fmt.sub, -fmt.tiny, 1.0, -1.0, 1.5, -2.0, 3.0, fmt.near(-0.3), fmt.max, -fmt.max, INF, -INF, NAN]


def samples(fmt, rnd, lo, hi, n):
    out = []
    for i in range(n):
        if i % 4:
            v = rnd.uniform(lo, hi)
        else:  # magnitudes of all sizes
            v = math.exp(rnd.uniform(math.log(max(fmt.tiny, 1e-30)), math.log(max(abs(lo), abs(hi)))))
            v = v if lo >= 0 or rnd.random() < 0.5 else -v
            v = v if lo <= v <= hi else rnd.uniform(lo, hi)
        out.append(fmt.near(v))
    return out


def write_floats(fmt):
    rnd = random.Random("orrery " + fmt.name)
    rows, n = rows_of(fmt), 64 if fmt.bits > 16 else 24
    w = fmt.bits // 4
    with open(os.path.join(HERE, fmt.name + ".txt"), "w") as out:
        for name, types, result, arity, lo, hi in table():
            if types in ("INT", "INTBOOL", "BOOL") or (types == "WIDE" and fmt.bits == 16):
                continue
            f, lines = rows[name], []
            if arity == 1:
                args = [(x,) for x in special(fmt)] + [(x,) for x in samples(fmt, rnd, lo, hi, n)]
            elif arity == 2:
                s = few(fmt)
                args = [(x, y) for x in s for y in s]
                args += list(zip(samples(fmt, rnd, lo, hi, n), samples(fmt, rnd, lo, hi, n)))
            else:
                s = [0.0, -0.0, 1.0, -1.5, fmt.max, INF, NAN]
                first = [0.0, 1.0] if result == "COND" else s
                args = [(x, y, z) for x in first for y in s for z in s]
                args += list(zip(*[samples(fmt, rnd, lo, hi, n) for _ in range(3)])) if result != "COND" else []
            for a in args:
                r = f(*a)
                if r is None:
                    continue
                code = f"{int(r)}" if result == "TRUTH" else f"{fmt.encode(r):0{w}x}"
                lines.append(" ".join([f"{fmt.encode(x):0{w}x}" for x in a] + [code]))
            out.write(f"{name} {arity} {len(lines)}\n" + "\n".join(lines) + "\n")


def int_rows(t):
    bits, info = 8 * t().itemsize, np.iinfo(t)

    def pow_(x, y):
        if y < 0:
            return t(1) if x == 1 else t(1 - 2 * (int(y) % 2)) if x == -1 else t(0)  # 1/x^|y|, cut
        return t(np.array(pow(int(x), int(y), 1 << bits), dtype=np.uint64).astype(t))

    def shift(left):
        def f(x, y):
            if y < 0 or y >= bits:
                return t(-1) if not left and x < 0 else t(0)
            return np.left_shift(x, y) if left else np.right_shift(x, y)
        return f
    one = {"neg": np.negative, "positive": np.positive, "abs": np.absolute, "sign": np.sign, "square": np.square,
           "ceil": np.positive, "floor": np.positive, "trunc": np.positive, "round": np.positive,
           "isfinite": lambda x: 1, "isinf": lambda x: 0, "isnan": lambda x: 0, "relu": lambda x: max(x, t(0)),
           "bitwise_invert": np.invert, "real": np.real, "imag": np.imag, "conj": np.conj}
    two = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "floor_divide": np.floor_divide,
           "remainder": np.remainder, "pow": pow_, "maximum": np.maximum, "minimum": np.minimum, "equal": np.equal,
           "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal, "greater": np.greater,
           "greater_equal": np.greater_equal, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
           "bitwise_xor": np.bitwise_xor, "bitwise_left_shift": shift(True), "bitwise_right_shift": shift(False)}
    three = {"clip": lambda x, y, z: np.minimum(np.maximum(x, y), z)}
    values = sorted({info.min, info.max, info.min + 1, 0, 1, 2, 3, 7, bits - 1, bits, 100,
                     info.min // 3, info.max // 3} | ({-1, -2, -7, -bits} if info.min < 0 else set()))
    return one, two, three, [t(v) for v in values]


def write_ints():
    names = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
             "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
    with open(os.path.join(HERE, "ints.txt"), "w") as out, np.errstate(all="ignore"):
        def put(name, dtype, arity, lines):
            out.write(f"{name} {dtype} {arity} {len(lines)}\n" + "\n".join(lines) + "\n")

        def code(v):
            return f"{int(v) & (2**64 - 1):x}"
        for dtype, t in names.items():
            one, two, three, v = int_rows(t)
            for n, f in one.items():
                put(n, dtype, 1, [f"{code(x)} {code(f(x))}" for x in v])
            for n, f in two.items():
                put(n, dtype, 2, [f"{code(x)} {code(y)} {code(f(x, y))}" for x in v for y in v])
            few_ = v[:3] + v[-3:]
            for n, f in three.items():
                put(n, dtype, 3, [f"{code(x)} {code(y)} {code(z)} {code(f(x, y, z))}"
                                  for x in few_ for y in few_ for z in few_])
            put("where", dtype, 3, [f"{c} {code(v[1])} {code(v[-2])} {code(v[1] if c else v[-2])}" for c in (0, 1)])
        b = [np.bool_(False), np.bool_(True)]
        for n, f in {"logical_not": np.logical_not, "bitwise_invert": np.invert}.items():
            put(n, "bool", 1, [f"{code(x)} {code(f(x))}" for x in b])
        for n in ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "maximum",
                  "minimum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
            put(n, "bool", 2, [f"{code(x)} {code(y)} {code(getattr(np, n)(x, y))}" for x in b for y in b])


for fmt in FORMATS:
    if len(sys.argv) < 2 or fmt.name in sys.argv[1:]:
        write_floats(fmt)
if len(sys.argv) < 2 or "ints" in sys.argv[1:]:
    write_ints()
