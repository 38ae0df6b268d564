#!/usr/bin/env python3
"""Makes linalg.txt beside it: matrices, and what NumPy and SciPy make of them. Needs numpy and scipy.

The format is that of make_numpy.py. Inputs are of moderate condition; results of f32 are computed in float64 and rounded once.
Vectors are compared as absolute values, since their signs are arbitrary.
"""
import numpy as np
import scipy.linalg as sl

rng = np.random.default_rng(1909)
NAN, INF = float("nan"), float("inf")
lines = []


def number(v):
    if isinstance(v, (bool, np.bool_, int, np.integer)):
        return str(int(v))
    v = float(v)
    return "nan" if v != v else v.hex() if abs(v) != INF else ("inf" if v > 0 else "-inf")


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
SQUARE = [(0, 0), (1, 1), (2, 2), (5, 5), (3, 4, 4), (0, 3, 3), (2, 0, 0), (2, 2, 3, 3)]
ANY = [(3, 5), (5, 3), (4, 4), (1, 4), (4, 1), (0, 3), (3, 0), (2, 4, 3), (2, 3, 4), (0, 2, 3), (1, 1)]

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

with open(__file__.replace("make_linalg.py", "linalg.txt"), "w") as f:
    f.write("\n".join(lines) + "\n")
