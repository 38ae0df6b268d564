#!/usr/bin/env python3
"""Makes standard.txt beside it: functions of the array standard in every dtype, special values included. Needs numpy.

The format is that of make_numpy.py; a complex number is two numbers. ulps -1: the same bits, the signs of zeros among them.
Results of f32 and c64 are computed in f64 and rounded once. Products of more than two complex numbers have no infinities: what
inf·0 makes of the parts depends on their order, which the standard leaves open.
"""
import re

import numpy as np

FLAT = -2**31
NAN, INF = float("nan"), float("inf")
SPECIAL = [1.5, -0.0, NAN, -INF, 0.0, -2.25, INF, 0.75]
INTEGERS = ["int16", "uint64"]
REAL, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
NUMBERS = INTEGERS + REAL + COMPLEX
ALL = ["bool"] + NUMBERS
EXACT = -1
rng = np.random.default_rng(2024)
lines = []


def number(v):
    if isinstance(v, (complex, np.complexfloating)):
        return number(float(v.real)) + " " + number(float(v.imag))
    if isinstance(v, (bool, np.bool_, int, np.integer)):
        return str(int(v))
    v = float(v)
    return "nan" if v != v else re.sub(r"\.?0*p", "p", v.hex()) if abs(v) != INF else "inf" if v > 0 else "-inf"


def array(word, a):
    a = np.asarray(a)
    return " ".join([word, a.dtype.name, str(a.ndim)] + [str(d) for d in a.shape] + [number(v) for v in a.ravel()])


def case(op, ins, params, out, ulps=EXACT):
    lines.append(" ".join(["case", op, str(ulps), str(len(params))] + [number(p) for p in params]))
    lines.extend(array("in", a) for a in ins)
    lines.append(array("out", out))


def kind(d):
    return np.dtype(d).kind


def part(d):
    return {"complex64": "float32", "complex128": "float64"}.get(d, d)


def special(shape, d):
    """Special values in turn; of complex numbers, every pair of them is met in a few tensors."""
    n = int(np.prod(shape))
    if kind(d) == "f":
        return np.resize(SPECIAL, n).reshape(shape).astype(d)
    if kind(d) == "c":
        v = np.empty(n, d)
        v.real, v.imag = np.resize(SPECIAL, n), rng.permutation(np.resize(SPECIAL, n))
        return v.reshape(shape)
    return plain(shape, d)


def plain(shape, d):
    if kind(d) == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind(d) in "iu":
        return rng.integers(0 if kind(d) == "u" else -9, 10, shape).astype(d)
    v = rng.standard_normal(shape)
    v = v + 1j * rng.standard_normal(shape) if kind(d) == "c" else v
    return ((v * 16).round() / 16).astype(d)  # few digits in the file


def some_nan(shape, d):
    """Ordinary numbers, and one that is not a number."""
    v = plain(shape, d)
    if kind(d) in "fc" and v.size:
        v.ravel()[-1] = complex(NAN, NAN) if kind(d) == "c" else NAN
    return v


def wide(a):
    return a.astype({"f": "float64", "c": "complex128"}.get(a.dtype.kind, a.dtype))


def pairs(d):
    """Two operands that meet in every pair of special values, and in ordinary numbers."""
    if kind(d) not in "fc":
        return plain((4, 5), d), plain((4, 5), d)
    if kind(d) == "f":
        return np.repeat(SPECIAL, 8).astype(d), np.tile(SPECIAL, 8).astype(d)
    v = np.array([complex(a, b) for a in SPECIAL[:7:2] + [INF] for b in SPECIAL[:4]], d)
    return np.tile(v, 2), np.concatenate([np.roll(v, 7), v])


np.seterr(all="ignore")

# -- elements -------------------------------------------------------------------------------------------------
for d in ALL:
    a, b = pairs(d)
    case("equal", [a, b], [], np.equal(a, b))
    case("not_equal", [a, b], [], np.not_equal(a, b))
    c = rng.integers(0, 2, a.shape).astype(bool)
    case("where", [c, a, b], [], np.where(c, a, b))
    c = np.array([True, False]).reshape([2] + [1] * a.ndim)
    case("where", [c, a[..., :1], b], [], np.where(c, a[..., :1], b))
    if d == "bool":
        continue
    case("positive", [a], [], +a)
    if kind(d) in "fc":  # part by part
        for name, f in [("add", np.add), ("sub", np.subtract)]:
            case(name, [a, b], [], f(a, b))
        for name, f in [("mul", np.multiply), ("div", np.divide)]:
            case(name, [a, b], [], f(a, b), 4)
        for name in ["isfinite", "isinf", "isnan"]:
            case(name, [b], [], getattr(np, name)(b))
    if kind(d) == "c":
        r = np.array([0.5 - 1.5j, 2.5 + 3.5j, -0.2 + 0.7j, complex(NAN, 2.5), complex(INF, -0.4)], d)
        case("round", [r], [], np.round(r))

# -- moves ----------------------------------------------------------------------------------------------------
for d in ALL:
    x, v = special((2, 3, 3), d), special((5,), d)
    case("eye:" + d, [], [2, 4, 1], np.eye(2, 4, 1, dtype=d))
    for name in ["zeros_like", "ones_like"]:
        case(name, [x], [], getattr(np, name)(x))
    case("full_like", [v], [1], np.full_like(v, 1))
    for i in range(2):
        case("meshgrid", [v[:3], v[3:]], [0, i], np.meshgrid(v[:3], v[3:])[i])
    for to in COMPLEX if kind(d) != "c" else COMPLEX + ["bool"]:
        case("cast:" + to, [x], [], x.astype(to))
    for shape in [(3, 6), (-1,)]:
        case("reshape", [x], shape, x.reshape(shape))
    case("permute", [x], (2, 0, 1), x.transpose(2, 0, 1))
    case("transpose", [x], [], x.swapaxes(-1, -2))
    case("broadcast_to", [x[:1, :, :1]], (2, 3, 3), np.broadcast_to(x[:1, :, :1], (2, 3, 3)))
    for i in range(2):
        case("broadcast_arrays", [x[:1, :, :1], v[:3]], [i], np.broadcast_arrays(x[:1, :, :1], v[:3])[i])
    case("squeeze", [x[:1, :, :1]], [1, 2], np.squeeze(x[:1, :, :1], 2))
    case("expand_dims", [x], [-2], np.expand_dims(x, -2))
    for axes in [(0, -1), (1,)]:
        case("flip", [x], [len(axes), *axes], np.flip(x, axes))
    case("flip", [x], [-1], np.flip(x))
    case("moveaxis", [x], [0, 2], np.moveaxis(x, 0, 2))
    case("roll", [x], [2, -1, 2, 0], np.roll(x, (2, -1), (2, 0)))
    case("roll", [x], [5, FLAT], np.roll(x, 5))
    case("repeat", [x], [2, 1], np.repeat(x, 2, 1))
    case("repeat", [x], [3, FLAT], np.repeat(x, 3))
    case("repeat_each", [v, np.array([2, 0, 1, 3, 1])], [0], np.repeat(v, [2, 0, 1, 3, 1]))
    case("tile", [x[0]], (2, 1, 2), np.tile(x[0], (2, 1, 2)))
    case("concat", [x, x[:, :1]], [1], np.concatenate([x, x[:, :1]], 1))
    case("stack", [x[0], x[1]], [-1], np.stack([x[0], x[1]], -1))
    for i in range(3):
        case("unstack", [x], [1, 3, i], x[:, i])
    case("diagonal", [x], [1], np.diagonal(x, 1, -2, -1))
    case("tril", [x], [0], np.tril(x))
    case("triu", [x], [1], np.triu(x, 1))
    for axis in [0, -1, FLAT]:
        i = rng.integers(-2, 2, (2, 2))
        case("take", [x, i], [axis], np.take(x, i, None if axis == FLAT else axis))
    i = rng.integers(-3, 3, (2, 4, 3))
    case("take_along_axis", [x, i], [1], np.take_along_axis(x, i, 1))
    case("fftshift", [x], [], np.fft.fftshift(x))
    case("fftshift", [x], [1], np.fft.fftshift(x, 1))
    case("ifftshift", [x], [], np.fft.ifftshift(x))
    case("ifftshift", [x], [1, 2], np.fft.ifftshift(x, (1, 2)))

# -- counts and sets --------------------------------------------------------------------------------------------


def sets(x):
    """Different elements in the order of their real, then their imaginary parts, NaN the greatest; each NaN is different."""
    flat = list(x.ravel())
    key = lambda z: (z.real != z.real, 0 if z.real != z.real else z.real, z.imag != z.imag, 0 if z.imag != z.imag else z.imag)
    order = sorted(range(len(flat)), key=lambda i: key(flat[i]))
    first, inverse, counts = [], np.zeros(len(flat), "int64"), []
    for i in order:
        if not first or flat[i] != flat[first[-1]]:
            first.append(i)
            counts.append(0)
        counts[-1] += 1
        inverse[i] = len(first) - 1
    return x.ravel()[first].astype(x.dtype), np.array(first, "int64"), inverse.reshape(x.shape), np.array(counts, "int64")


for d in ALL:
    x = special((2, 2, 4), d)
    for axes in [(0,), (1, 2), (0, 1, 2)]:
        case("count_nonzero", [x], [0, *axes], np.sum(x != 0, axis=axes))
        for name in ["any", "all"]:
            for v in [x, x[..., :1] * 0]:
                case(name, [v], [1, len(axes), *axes], getattr(np, name)(v, axis=axes, keepdims=True))
    for n in range(3):
        case("nonzero", [x], [n], np.nonzero(x)[n])
    for v in [np.concatenate([x[0], x[0, :2]]), x[:0], x.ravel()[0]]:
        v = np.asarray(v)
        r = sets(v)
        if not np.isnan(v.real).any() and not np.isnan(v.imag).any():  # NumPy has other places for them
            t = np.unique(v, return_index=True, return_inverse=True, return_counts=True)
            assert all(np.array_equal(np.ravel(p), np.ravel(q)) for p, q in zip(r, t)), (r, t)
        for n in range(4):
            case("unique_all", [v], [n], r[n])
        case("unique_values", [v], [], r[0])
        for n in range(2):
            case("unique_counts", [v], [n], r[3 * n])
            case("unique_inverse", [v], [n], r[2 * n])

# -- sums and products ------------------------------------------------------------------------------------------


def sum_dtype(d):
    return d if kind(d) in "fc" else "uint64" if kind(d) == "u" else "int64"


def parts(f, a):
    """f of the parts: what NumPy's division of complex numbers by a count makes of infinities is its own."""
    if a.dtype.kind != "c":
        return f(a)
    r = np.empty(np.shape(f(a.real)), a.dtype)
    r.real, r.imag = f(a.real), f(a.imag)
    return r


AXES = [(0,), (-1,), (0, 2), (0, 1, 2)]
for d in ALL:
    t = sum_dtype(d)
    for x in [special((2, 2, 4), d), some_nan((2, 3, 2), d), plain((2, 0, 3), d)]:
        w = wide(x) if kind(d) in "fc" else x.astype(t)
        tame = (w.ndim and kind(d) != "c") or not np.isinf(w.real).any()
        for axes in AXES:
            keep = int(rng.integers(2))
            kw = dict(axis=axes, keepdims=bool(keep))
            p = [keep, len(axes), *axes]
            case("sum", [x], p, parts(lambda a: np.sum(a, **kw), w).astype(t), 4)
            if tame:
                case("prod", [x], p, np.prod(w, **kw).astype(t), 8)
            if kind(d) in "fc":
                count = np.float64(np.prod([x.shape[i] for i in axes]))
                case("mean", [x], p, parts(lambda a: np.sum(a, **kw) / count, w).astype(d), 4)
                if w.size:
                    for ddof in [0, 1]:
                        var = sum(np.var(a, ddof=ddof, **kw) for a in ([w.real, w.imag] if kind(d) == "c" else [w]))
                        case("var", [x], [ddof, *p], np.asarray(var).astype(part(d)), 16)
                        case("std", [x], [ddof, *p], np.sqrt(var).astype(part(d)), 16)
        for axis in [1, -1]:
            for initial in range(2):
                pads = [(int(initial) if i == axis % 3 else 0, 0) for i in range(3)]
                y = parts(lambda a: np.cumsum(a, axis), w)
                case("cumulative_sum", [x], [axis, initial], np.pad(y, pads).astype(t), 8)
                if tame:
                    y = np.pad(np.cumprod(w, axis), pads, constant_values=1)
                    case("cumulative_prod", [x], [axis, initial], y.astype(t), 8)

# -- products -----------------------------------------------------------------------------------------------------
SHAPES = [((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 3)), ((2, 1, 3, 4), (3, 4, 2)), ((2, 3, 4), (4,)), ((3, 0), (0, 2)), ((0, 3), (3, 2))]


def product(a, b):
    """By the definition: what a BLAS makes of infinite complex numbers is its own."""
    return np.matmul(wide(a), wide(b)) if a.dtype.kind in "fc" else np.matmul(a, b)


for d in NUMBERS:
    for sa, sb in SHAPES:
        for f in [plain, some_nan]:
            if f is some_nan and kind(d) not in "fc":
                continue
            a, b = f(sa, d), plain(sb, d)
            case("matmul", [a, b], [], product(a, b).astype(d), 8)
    if kind(d) == "f":
        a, b = special((4, 4), d), np.eye(4, dtype=d)
        case("matmul", [a, b], [], np.einsum("ij,jk->ik", wide(a), wide(b)).astype(d), 0)
    a, b = plain((2, 3, 2), d), plain((2, 3, 2), d)
    for of_a, of_b in [((1, 2), (1, 0)), ((-1,), (0,)), ((2, 0), (0, 2))]:
        case("tensordot", [a, b], [*of_a, *of_b], np.tensordot(wide(a), wide(b), (of_a, of_b)).astype(d), 8)
    case("tensordot", [a[0], b[0]], [], np.tensordot(wide(a[0]), wide(b[0]), 0).astype(d), 8)
    for sa, sb, axis in [((3, 4), (3, 4), -1), ((2, 3, 4), (3, 1), -2), ((4,), (2, 4), -1), ((2, 0), (2, 0), -1)]:
        for f in [plain, some_nan]:
            a, b = f(sa, d), plain(sb, d)
            r = np.sum(np.conj(wide(a)) * wide(b), axis, dtype=wide(a).dtype)
            case("vecdot", [a, b], [axis], r.astype(d), 8)
    a = plain((3, 4), d)
    case("diff", [a], [1, 2], np.diff(wide(a), 2, 1).astype(d), 4)
    a, b = special((8,), d), special((5,), d)
    case("outer", [a, b], [], np.multiply.outer(a, b).astype(d), 0)
    a, b = plain((4, 3), d), plain((1, 3), d)
    if kind(d) != "u":
        case("cross", [a, b], [-1], np.cross(wide(a), wide(b)).astype(d), 8)

# -- transforms of several axes -----------------------------------------------------------------------------------
NORM = ["backward", "ortho", "forward"]
for d in REAL + COMPLEX:
    x = plain((2, 3, 2), d)
    to = "complex128" if part(d) == "float64" else "complex64"
    for i, (n, axes) in enumerate([((), ()), ((3, 5), (0, 2)), ((2,), (1,)), ((4, 6, 2), (2, 0, 1))]):
        p = [i % 3, len(axes), *n, *axes]
        kw = dict(s=n or None, axes=axes or None, norm=NORM[i % 3])
        for name in ["fftn", "ifftn"]:
            case(name, [x], p, getattr(np.fft, name)(wide(x), **kw).astype(to), 16)
        if kind(d) == "f":
            case("rfftn", [x], p, np.fft.rfftn(wide(x), **kw).astype(to), 16)
        else:
            case("irfftn", [x], p, np.fft.irfftn(wide(x), **kw).astype(part(d)), 16)
    for n in [1, 2, 5, 8]:
        for step in [1, 0.25]:
            if kind(d) == "f":
                case("fftfreq:" + d, [], [n, step], np.fft.fftfreq(n, step).astype(d), 1)
                case("rfftfreq:" + d, [], [n, step], np.fft.rfftfreq(n, step).astype(d), 1)
with open(__file__.replace("make_standard.py", "standard.txt"), "w") as out:
    out.write("\n".join(lines) + "\n")
