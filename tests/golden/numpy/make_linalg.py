#!/usr/bin/env python3
"""Makes linalg.txt beside it: matrices, and what NumPy and SciPy make of them. Needs numpy and scipy.

The format is that of make_numpy.py. Inputs are of moderate condition; results of f32 are computed in float64 and rounded once.
Vectors are compared as absolute values, since their signs are arbitrary.
"""
import re

import numpy as np
import scipy.linalg as sl

rng = np.random.default_rng(1909)
NAN, INF = float("nan"), float("inf")
lines = []


def number(v):
    if isinstance(v, (complex, np.complexfloating)):
        return number(float(v.real)) + " " + number(float(v.imag))
    if isinstance(v, (bool, np.bool_, int, np.integer)):
        return str(int(v))
    v = float(v)
    short = re.sub(r"\.?0*p", "p", v.hex()) if abs(v) != INF else ""
    return "nan" if v != v else short if short else ("inf" if v > 0 else "-inf")


def array(word, a):
    a = np.asarray(a)
    return " ".join([word, a.dtype.name, str(a.ndim)] + [str(d) for d in a.shape] + [number(v) for v in a.ravel()])


def case(op, ins, params, out, ulps):
    lines.append(" ".join(["case", op, str(ulps), str(len(params))] + [number(p) for p in params]))
    lines.extend(array("in", a) for a in ins)
    lines.append(array("out", out))


def matrix(shape, t, diagonal=0.0):
    a = rng.standard_normal(shape) + diagonal * np.eye(*shape[-2:])
    return a.astype(t)


def each(f, a, shape):
    """f on every matrix of the batch."""
    out = np.zeros(a.shape[:-2] + shape)
    for i in np.ndindex(a.shape[:-2]):
        out[i] = f(a[i])
    return out


ULPS = 400
SQUARE = [(0, 0), (1, 1), (4, 4), (2, 3, 3), (0, 3, 3), (2, 0, 0), (2, 1, 2, 2)]
ANY = [(3, 5), (5, 3), (4, 4), (1, 4), (4, 1), (0, 3), (3, 0), (2, 4, 3), (0, 2, 3), (1, 1)]

for t in ["float32", "float64"]:
    for shape in SQUARE:
        a = matrix(shape, t, 3)
        w = a.astype("float64")
        n = shape[-1]
        for k in ([(n, 1), (n, 3)] if len(shape) < 4 else [(n, 2)]):
            b = matrix(shape[:-2] + k, t)
            case("solve", [a, b], [], np.linalg.solve(w, b.astype("float64")).astype(t), ULPS)
        b = matrix((n, 1), t)[:, 0]
        want = each(lambda m: np.linalg.solve(m, b.astype("float64")), w, (n,))
        case("solve", [a, b], [], want.astype(t), ULPS)
        case("inv", [a], [], np.linalg.inv(w).astype(t), ULPS)
        case("det", [a], [], np.linalg.det(w).astype(t), ULPS)
        sign, log = np.linalg.slogdet(w)
        case("slogdet", [a], [0], sign.astype(t), 0)
        case("slogdet", [a], [1], log.astype(t), ULPS)
        s = ((w + np.swapaxes(w, -1, -2)) / 2).astype(t)
        s[..., np.triu_indices(n, 1)[0], np.triu_indices(n, 1)[1]] = 77  # not read
        w, v = np.linalg.eigh(s.astype("float64"))
        case("eigvalsh", [s], [], w.astype(t), ULPS)
        case("eigh", [s], [0], w.astype(t), ULPS)
        case("eigh", [s], [1], np.abs(v).astype(t), ULPS * 8)
    for shape in ANY:
        a = matrix(shape, t)
        w = a.astype("float64")
        m, n = shape[-2:]
        k = min(m, n)
        for complete in [0, 1]:
            wide = m if complete else k
            q = each(lambda x: np.linalg.qr(x, "complete" if complete else "reduced")[0], w, (m, wide))
            r = each(lambda x: np.linalg.qr(x, "complete" if complete else "reduced")[1], w, (wide, n))
            if not (complete and m > n):
                case("qr", [a], [complete, 0], q.astype(t), ULPS)
            case("qr", [a], [complete, 1], r.astype(t), ULPS)
        u, s, vh = np.linalg.svd(w, full_matrices=False)
        case("svdvals", [a], [], s.astype(t), ULPS)
        case("svd", [a], [0, 0], np.abs(u).astype(t), ULPS * 8)
        case("svd", [a], [0, 1], s.astype(t), ULPS)
        case("svd", [a], [0, 2], np.abs(vh).astype(t), ULPS * 8)
        p = each(lambda x: sl.lu(x, p_indices=True)[0] if x.size else np.arange(m), w, (m,))
        inverse = np.argsort(p, -1).astype("int64")  # SciPy's p has A = (L U)[p]
        l = each(lambda x: sl.lu(x)[1] if x.size else np.zeros((m, k)), w, (m, k))
        u = each(lambda x: sl.lu(x)[2] if x.size else np.zeros((k, n)), w, (k, n))
        case("lu", [a], [0], inverse, 0)
        case("lu", [a], [1], l.astype(t), ULPS)
        case("lu", [a], [2], u.astype(t), ULPS)
    # broadcasting, singular and rank-deficient matrices, NaN, large and small determinants
    a, b = matrix((2, 1, 3, 3), t, 3), matrix((4, 3, 2), t)
    case("solve", [a, b], [], np.linalg.solve(a.astype("float64"), b.astype("float64")).astype(t), ULPS)
    zero = np.array([[1, 2], [2, 4]], t)
    case("det", [zero], [], np.array(0, t), 0)
    case("slogdet", [zero], [0], np.array(0, t), 0)
    case("slogdet", [zero], [1], np.array(-INF, t), 0)
    case("svdvals", [np.ones((3, 2), t)], [], np.array([6**0.5, 0], t), ULPS)
    case("eigvalsh", [np.zeros((3, 3), t)], [], np.zeros(3, t), 0)
    big = np.diag(np.array([1e30, 1e30, 1e-30, -1e-30], t))
    case("det", [big], [], np.array(-1, t), ULPS)
    nan = np.array([[NAN, 1], [1, 2]], t)
    case("det", [nan], [], np.array(NAN, t), 0)
    case("inv", [nan], [], np.full((2, 2), NAN, t), 0)
    case("lu", [nan], [0], np.array([0, 1]), 0)

# least squares, functions of matrices, norms
for t in ["float32", "float64"]:
    eps = float(np.finfo(t).eps)
    for shape in [(3, 5), (5, 3), (1, 4), (0, 3), (3, 0), (2, 4, 3), (0, 2, 3)]:
        m, n = shape[-2:]
        a, b = matrix(shape, t), matrix(shape[:-2] + (m, 2), t)
        wa, wb = a.astype("float64"), b.astype("float64")
        empty = np.zeros(shape[:-2] + (n, m))
        pinv = each(lambda x: np.linalg.pinv(x, rcond=eps * max(m, n)), wa, (n, m)) if min(m, n) else empty
        case("lstsq", [a, b], [-1, 0], (pinv @ wb).astype(t), ULPS * 4)
        case("lstsq", [a, b], [-1, 1], np.full(shape[:-2], min(m, n)), 0)
        case("lstsq", [a, b], [-1, 2], np.linalg.svd(wa, compute_uv=False).astype(t), ULPS)
        case("pinv", [a], [-1], pinv.astype(t), ULPS * 4)
        case("matrix_rank", [a], [-1], np.full(shape[:-2], min(m, n)), 0)
        for k in [0, 1, -2]:
            case("trace", [a], [k], np.trace(wa, k, -2, -1).astype(t), ULPS)
        for kind, o in enumerate(["fro", "nuc", 1, 2, INF, -1, -2, -INF]):
            for keep in [0, 1] if kind in [0, 3] else [0]:
                if min(m, n):
                    case("matrix_norm", [a], [kind, keep], np.linalg.norm(wa, o, (-2, -1), bool(keep)).astype(t), ULPS)
                elif kind < 5:
                    case("matrix_norm", [a], [kind, 0], np.zeros(shape[:-2], t), 0)
        if min(m, n):
            case("cond", [a], [3], np.linalg.cond(wa, 2).astype(t), ULPS * 8)
            case("cond", [a], [6], np.linalg.cond(wa, -2).astype(t), ULPS * 8)
    for shape in [(0, 0), (1, 1), (3, 3), (2, 4, 4), (0, 3, 3)]:
        a = matrix(shape, t, 2)
        w = a.astype("float64")
        for power in [0, 1, 2, 5, -3]:
            case("matrix_power", [a], [power], np.linalg.matrix_power(w, power).astype(t), ULPS * 8)
        if shape[-1]:
            case("cond", [a], [2], np.linalg.cond(w, 1).astype(t), ULPS * 8)
            case("cond", [a], [0], np.linalg.cond(w, "fro").astype(t), ULPS * 8)
        for scale in [0.01, 1, 20] if t == "float64" else [0.01, 1]:
            x = (a * scale).astype(t)
            case("expm", [x], [], each(sl.expm, x.astype("float64"), shape[-2:]).astype(t), ULPS * 40)
    for shape in [(0, 0), (1, 1), (3, 3), (5, 5), (2, 4, 4), (0, 3, 3)]:
        a = matrix(shape, t)
        w = np.linalg.eigvals(a.astype("float64"))
        for power in [1, 2, 3]:
            case("eigvals", [a], [power], (w**power).sum(-1).real.astype(t), ULPS * 8)
        case("eig", [a], [2], (w**2).sum(-1).real.astype(t), ULPS * 8)
    # rank-deficient: 4 x 3 of rank 2, exactly
    a = np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1], [0, 2, 2]], t)
    b = rng.standard_normal(4).astype(t)
    for m in [a, a.T.copy()]:
        r = b[: m.shape[0]]
        want = np.linalg.pinv(m.astype("float64"), rcond=1e-6) @ r.astype("float64")
        case("lstsq", [m, r], [1e-5, 0], want.astype(t), ULPS * 4)
        case("lstsq", [m, r], [1e-5, 1], np.array(2), 0)
        case("pinv", [m], [1e-5], np.linalg.pinv(m.astype("float64"), rcond=1e-6).astype(t), ULPS * 4)
        case("matrix_rank", [m], [1e-5], np.array(2), 0)
    case("matrix_rank", [np.zeros((2, 2), t)], [-1], np.array(0), 0)
    case("pinv", [np.zeros((2, 3), t)], [-1], np.zeros((3, 2), t), 0)
    case("expm", [np.array([[0, 1], [0, 0]], t)], [], np.array([[1, 1], [0, 1]], t), 4)
    case("expm", [np.diag([-90.0, 0, 30]).astype(t)], [], np.diag(np.exp([-90.0, 0, 30])).astype(t), ULPS * 8)
    x = matrix((3, 4), t)
    x[0, 0] = 0
    w = x.astype("float64")
    for order in [2, 1, 0, 3, 0.5, INF, -INF, -1]:
        y = w if order != -1 else w[1:]
        for axis in [0, -1]:
            v = (x if order != -1 else x[1:])
            case("vector_norm", [v], [order, 0, axis], np.linalg.norm(y, order, axis).astype(t), ULPS)
    case("vector_norm", [np.zeros((2, 0), t)], [INF, 1, 1], np.zeros((2, 1), t), 0)
    case("vector_norm", [np.zeros((2, 0), t)], [3, 0, 1], np.zeros(2, t), 0)
    u, v = matrix((2, 3), t), matrix((3, 1, 3), t)
    case("cross", [u, v], [-1], np.cross(u.astype("float64"), v.astype("float64")).astype(t), ULPS)
    u, v = matrix((3, 2), t), matrix((3, 2), t)
    case("cross", [u, v], [0], np.cross(u.astype("float64"), v.astype("float64"), axis=0).astype(t), ULPS)
a = rng.integers(-9, 9, (3, 3))
case("trace", [a.astype("int32")], [0], np.trace(a), 0)
case("cross", [a, a[::-1].copy()], [-1], np.cross(a, a[::-1]), 0)

# complex: what differs from real matrices, each function once or twice
def cmatrix(shape, t, diagonal=0.0):
    return (matrix(shape, "float64", diagonal) + 1j * rng.standard_normal(shape)).astype(t)


def ceach(f, a, shape):
    out = np.zeros(a.shape[:-2] + shape, "complex128")
    for i in np.ndindex(a.shape[:-2]):
        out[i] = f(a[i])
    return out


CU = 800
for t in ["complex64", "complex128"]:
    real = "float32" if t == "complex64" else "float64"
    eps = float(np.finfo(real).eps)
    for shape in [(0, 0), (1, 1), (3, 3), (2, 2, 2)] if t == "complex128" else [(3, 3)]:
        a, n = cmatrix(shape, t, 3), shape[-1]
        w = a.astype("complex128")
        b = cmatrix(shape[:-2] + (n, 2), t)
        case("solve", [a, b], [], np.linalg.solve(w, b.astype("complex128")).astype(t), CU)
        case("inv", [a], [], np.linalg.inv(w).astype(t), CU)
        case("det", [a], [], np.linalg.det(w).astype(t), CU)
        sign, log = np.linalg.slogdet(w)
        case("slogdet", [a], [0], sign.astype(t), CU)
        case("slogdet", [a], [1], log.astype(real), CU)
        s = (w @ np.swapaxes(w, -1, -2).conj() / 4 + np.eye(n)).astype(t)
        h = ((w + np.swapaxes(w, -1, -2).conj()) / 2).astype(t)
        for x in [s, h]:
            x[..., np.triu_indices(n, 1)[0], np.triu_indices(n, 1)[1]] = 77j  # not read
            x[..., np.arange(n), np.arange(n)] = x[..., np.arange(n), np.arange(n)].real
        low = np.tril(s.astype("complex128"))
        full = low + np.swapaxes(np.tril(low, -1), -1, -2).conj()
        case("cholesky", [s], [], ceach(np.linalg.cholesky, full, (n, n)).astype(t), CU)
        values, v = np.linalg.eigh(h.astype("complex128"))
        case("eigvalsh", [h], [], values.astype(real), CU)
        case("eigh", [h], [0], values.astype(real), CU)
        case("eigh", [h], [1], np.abs(v).astype(real), CU * 8)
        for lower, turned, unit in [(1, 0, 0), (0, 0, 0), (1, 1, 0), (0, 1, 1)]:
            m = (np.tril(w) if lower else np.triu(w)) * 1
            if unit:
                m[..., np.arange(n), np.arange(n)] = 1
            m = np.swapaxes(m, -1, -2) if turned else m
            case("solve_triangular", [a, b], [lower, turned, unit],
                 np.linalg.solve(m, b.astype("complex128")).astype(t), CU * 4)
        values = np.linalg.eigvals(w)
        for power in [1, 2]:
            case("eigvals", [a], [power], (values**power).sum(-1).astype(t), CU * 8)
        case("eig", [a], [2], (values**2).sum(-1).astype(t), CU * 8)
        for power in [0, 3, -2]:
            case("matrix_power", [a], [power], np.linalg.matrix_power(w, power).astype(t), CU * 8)
        case("expm", [a], [], ceach(sl.expm, w, shape[-2:]).astype(t), CU * 40)
    for shape in [(2, 3), (3, 2), (1, 3), (0, 3), (2, 3, 2), (3, 0)] if t == "complex128" else [(3, 2)]:
        a, (m, n) = cmatrix(shape, t), shape[-2:]
        w, k = a.astype("complex128"), min(shape[-2:])
        case("qr", [a], [0, 0], ceach(lambda x: np.linalg.qr(x)[0], w, (m, k)).astype(t), CU)
        case("qr", [a], [0, 1], ceach(lambda x: np.linalg.qr(x)[1], w, (k, n)).astype(t), CU)
        u, s, vh = np.linalg.svd(w, full_matrices=False)
        case("svdvals", [a], [], s.astype(real), CU)
        case("svd", [a], [0, 0], np.abs(u).astype(real), CU * 8)
        case("svd", [a], [0, 1], s.astype(real), CU)
        case("svd", [a], [0, 2], np.abs(vh).astype(real), CU * 8)
        l = ceach(lambda x: sl.lu(x)[1] if x.size else np.zeros((m, k)), w, (m, k))
        u = ceach(lambda x: sl.lu(x)[2] if x.size else np.zeros((k, n)), w, (k, n))
        case("lu", [a], [1], l.astype(t), CU)
        case("lu", [a], [2], u.astype(t), CU)
        b = cmatrix(shape[:-2] + (m, 2), t)
        p = ceach(lambda x: np.linalg.pinv(x, rcond=eps * max(m, n)), w, (n, m)) if k else np.zeros(shape[:-2] + (n, m), t)
        case("lstsq", [a, b], [-1, 0], (p @ b.astype("complex128")).astype(t), CU * 4)
        case("lstsq", [a, b], [-1, 1], np.full(shape[:-2], k), 0)
        case("lstsq", [a, b], [-1, 2], s.astype(real), CU)
        case("pinv", [a], [-1], p.astype(t), CU * 4)
        case("matrix_rank", [a], [-1], np.full(shape[:-2], k), 0)
        case("trace", [a], [0], np.trace(w, 0, -2, -1).astype(t), CU)
        for kind, o in enumerate(["fro", "nuc", 1, 2, INF, -1, -2, -INF]):
            if k:
                case("matrix_norm", [a], [kind, 0], np.linalg.norm(w, o, (-2, -1)).astype(real), CU)
        if k:
            case("cond", [a], [3], np.linalg.cond(w, 2).astype(real), CU * 8)
            for order in [2, 1, 0, 3, INF, -INF]:
                case("vector_norm", [a], [order, 0, -1], np.linalg.norm(w, order, -1).astype(real), CU)
    a = cmatrix((3, 3), t)
    case("cond", [a], [2], np.linalg.cond(a.astype("complex128"), 1).astype(real), CU * 8)
    u, v = cmatrix((2, 3), t), cmatrix((2, 3), t)
    case("cross", [u, v], [-1], np.cross(u.astype("complex128"), v.astype("complex128")).astype(t), CU)
    singular = np.array([[1, 1j], [1j, -1]], t)
    case("det", [singular], [], np.array(0, t), 0)
    case("slogdet", [singular], [1], np.array(-INF, real), 0)
    case("matrix_rank", [singular], [1e-5], np.array(1), 0)
    big = np.diag(np.array([1e30j, 1e30, 1e-30, -1e-30], t))
    case("det", [big], [], np.array(-1j, t), CU)

with open(__file__.replace("make_linalg.py", "linalg.txt"), "w") as f:
    f.write("\n".join(lines) + "\n")
