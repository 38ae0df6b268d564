"""Ordinary programs of NumPy, each run with NumPy and with the package: equal values, dtypes and shapes.

Must not know: how an operation is computed. What is an error here by decision (docs/python.md) is not in them.
"""
import copy
import math
import pickle

import orrery as o
from check import end, fail, numpy_or_skip, raises

np = numpy_or_skip()
for module, name, of in ((np, "astype", lambda x, t: x.astype(t)), (np, "concat", np.concatenate), (np, "cumulative_sum", np.cumsum),
                         (np, "unique_counts", lambda x: type("counts", (), {"counts": np.unique(x, return_counts=True)[1]})),
                         (np, "unstack", lambda x, axis: tuple(np.moveaxis(x, axis, 0))), (np.linalg, "trace", np.trace)):
    if not hasattr(module, name):  # NumPy 1
        setattr(module, name, of)
DRAW = np.random.default_rng(0)
IMAGE, POINTS, SIGNAL = DRAW.random((32, 40)), DRAW.random((60, 2)), DRAW.random(128)


def image_filter(xp):
    padded = xp.zeros((34, 42))
    padded[1:-1, 1:-1] = xp.asarray(IMAGE)
    edges = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * padded[1:-1, 1:-1]
    return edges, edges.mean(), xp.abs(edges).max(), xp.clip(edges, 0, 1), (edges > 0).sum()


def weighted_windows(xp):
    image, weights, out = xp.asarray(IMAGE), xp.asarray([[1, 0, -1], [2, 0, -2], [1, 0, -1]]), xp.zeros((30, 38))
    for i in range(3):
        for j in range(3):
            out += float(weights[i, j]) * image[i:i + 30, j:j + 38]
    return out


def k_means(xp):
    x, centres = xp.asarray(POINTS), xp.asarray(POINTS[:4].copy())
    for _ in range(5):
        label = xp.argmin(((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1), axis=1)
        for k in range(4):
            if (label == k).any():
                centres[k] = x[label == k].mean(axis=0)
    return centres, label


def heat(xp):
    u = xp.zeros((20, 20))
    u[5:10, 5:10] = 100.0
    for _ in range(20):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u, u.sum(), u.max()


def attention(xp):
    q, k, v = (xp.asarray(IMAGE[n:n + 8, :16]) for n in (0, 8, 16))
    scores = q @ k.T / math.sqrt(16)
    scores -= scores.max(axis=-1, keepdims=True)
    weights = xp.exp(scores)
    weights /= weights.sum(-1, keepdims=True)
    y = weights @ v
    return weights, (y - y.mean(-1, keepdims=True)) / xp.sqrt(y.var(-1, keepdims=True) + 1e-5)


def sorting(xp):
    x = xp.asarray(POINTS[:, 0])
    order = x.argsort()
    return (order, x[order], xp.sort(x)[::-1], xp.searchsorted(xp.sort(x), xp.asarray([0.2, 0.5]), "right"), x[order][:5],
            xp.flip(xp.sort(x), 0), order.argsort())


def histogram(xp):
    bins = xp.astype(xp.floor(xp.asarray(POINTS[:, 0]) * 10), xp.int64)
    counts = xp.zeros(10, xp.int64)
    for k in range(10):
        counts[k] = (bins == k).sum()
    return counts, xp.unique_counts(bins).counts, xp.cumulative_sum(counts), counts.mean(), counts.std()


def low_pass(xp):
    signal = xp.asarray(SIGNAL)
    f = xp.fft.rfft(signal)
    f[20:] = 0
    return xp.fft.irfft(f, 128), xp.abs(f), f.real, f.imag, xp.fft.fftfreq(128), xp.fft.fftshift(signal), xp.fft.fft(signal, 64)


def regression(xp):
    x = xp.asarray(IMAGE)
    w = xp.arange(40, dtype=xp.float64) * 0.1
    y = x @ w
    fit = xp.linalg.solve(x.T @ x + 1e-3 * xp.eye(40), x.T @ y)
    for _ in range(3):
        w -= 1e-4 * (x.T @ (x @ w - y + 1))
    return fit, w, ((x @ fit - y) ** 2).mean()


def monte_carlo(xp):
    p = xp.asarray(POINTS)
    inside = p[:, 0] ** 2 + p[:, 1] ** 2 <= 1
    return 4 * inside.mean(), inside.sum(), inside.std(), p.mean(0), xp.round(p.var(0), 3)


def life(xp):
    cells = xp.asarray((IMAGE > 0.6).astype("int64"))
    for _ in range(4):
        near = sum(xp.roll(xp.roll(cells, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        cells = xp.astype((near == 3) | ((cells == 1) & (near == 2)), xp.int64)
    return cells, cells.sum()


def dictionary(xp):
    named = {k: xp.ones((n + 1,)) * n for n, k in enumerate("abc")}
    named["a"] += 1
    named["c"][0] = 9
    for k in named:
        named[k] = named[k] - 0.1
    return [*named.values(), sum(v.sum() for v in named.values())]


def pickled(xp):
    x = xp.asarray(POINTS)
    y = pickle.loads(pickle.dumps({"x": x, "sum": x.sum()}))
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    deep[0] = 0
    shallow *= 2
    return y["x"], y["sum"], y["x"] == x, deep, shallow, x


def slices_in_place(xp):
    a = xp.arange(20).reshape(4, 5)
    b = a[1:3]
    b *= 2
    b[:, 0] = -1
    a[a > 10] = 0
    a[::2] += 100
    a[[0, 3]] = a[[3, 0]]
    c = a.T
    c[0] = 7
    return a, b, c


def whole_in_place(xp):
    a = xp.asarray([1.0, 2.0, 3.0])
    b, view = a, a[1:]

    def change(v):
        v[0] = 99
        v += 1
    a += 1
    a /= 2
    a **= 2
    change(b)
    number = a.sum()
    same = number
    same += 1
    return a, b, view, number, same


def rows_and_columns(xp):
    a = xp.zeros((3, 4))
    a[1] = [1, 2, 3, 4]
    a[:, 2] = 5
    a[0, 1:3] = (7, 8)
    row = a[0]
    row += 5
    row[1] = 7
    a -= a.mean()
    a //= 0.5
    a %= 3
    return a, row, a.T, xp.stack([v.sum() for v in a])


def other_shapes(xp):
    """Parts of another shape where NumPy has a view, copies elsewhere."""
    a, b = xp.asarray(IMAGE[:4, :6].copy()), xp.arange(24).reshape(2, 3, 4)
    parts = [a.T.reshape(-1), a[:2].reshape(-1), a[::2].reshape(2, 2, 3), a[:, 1:3].reshape(-1), b[:, ::-1].reshape(2, 3, 2, 2), b.transpose(1, 0, 2).reshape(3, 8),
             b[1].ravel(), b[:, 0].reshape(8), b[:, :, 1].reshape(6)]
    for n, part in enumerate(parts):
        part[...] = n + 100
    return a, b, parts


def masks(xp):
    a = xp.asarray(POINTS)
    m, r = a > 0.5, a.copy()
    r[m] = 0
    r[~m] *= 2
    return r, a[m], xp.where(m, a, -a), m.any(axis=0), m.all(), xp.count_nonzero(m), xp.nonzero(m)[0], a[m].sum(), m.sum(1), m.mean(axis=0)


def products(xp):
    a, b = xp.asarray(IMAGE[:4, :5]), xp.asarray(IMAGE[:5, :6])
    return (xp.einsum("ij,jk->ik", a, b), xp.einsum("ij->j", a), xp.einsum("ij,ij->", a, a), xp.einsum("ii->i", a[:, :4]),
            xp.tensordot(a, b, 1), xp.outer(a[0], b[0]), a.dot(b), xp.linalg.matrix_power(a[:, :4], 3), xp.linalg.trace(a, offset=1))


def decompositions(xp):
    m, x = xp.asarray([[2.0, 1.0], [1.0, 3.0]]), xp.asarray(IMAGE)
    w, v = xp.linalg.eigh(m)
    u, s, vt = xp.linalg.svd(x, False)
    z = (x - x.mean(0)) / x.std(0)
    n, y = xp.asarray([[1, 2], [3, 4]]), xp.reshape(xp.asarray([float(k * k % 7) for k in range(24)]), (2, 3, 4))
    norms = [xp.linalg.norm(y), xp.linalg.norm(y, 1, (2, 0), True), xp.linalg.norm(x), xp.linalg.norm(x, "nuc"), xp.linalg.norm(n[0]),
             xp.linalg.norm(x, axis=1, keepdims=True), xp.linalg.multi_dot([m, m, m[0]]), xp.linalg.matrix_power(n, 5), n[range(2), range(2)]]
    return w, xp.abs(v), xp.linalg.det(m), xp.linalg.inv(m), s, (u * s) @ vt, z.T @ z / len(z), *norms


def dtypes(xp):
    i, f, u, c = xp.arange(5), xp.asarray([1, 2, 3], xp.float32), xp.asarray([200, 100], xp.uint8), xp.asarray([1 + 2j, 3 - 1j])
    t = xp.asarray([True, False, True])
    return (i * 2, i + 1, i // 2, i % 3, i ** 2, 2 ** i, -i, ~i, i << 1, f * 2, f * 2.5, f + 1j, f.sum(), f.mean(), f / 3, u + u, u.sum(), u * 2, u.max(),
            xp.prod(u), u.mean(), c.real, c * c, abs(c), c == 1 + 2j, t.sum(), t.mean(), t & (f > 1), xp.zeros(3, "int16"), xp.full((2,), 7),
            xp.full((2,), 7, "int8"), xp.zeros_like(f), xp.ones_like(i, "float32"), xp.linspace(0, 1, 5), xp.arange(0, 3, 1, "float32"))


def keys(xp):
    a = xp.arange(24).reshape(2, 3, 4)
    return (a[0], a[0, 1], a[..., 0], a[:, None], a[[0, 1], [1, 2]], a[:, [2, 0]], a[a % 2 == 0], a[-1, ::-1, ::2], a[xp.asarray([True, False])],
            a[0, a[0, :, 0] > 5], a.reshape(-1)[100:], a[1:, 1:].sum(), a.max(axis=1)[:, None] - a, xp.concat([a, a], 1), xp.stack([a, a], 1),
            xp.take(a, xp.asarray([2, 0]), 1), xp.repeat(a, 2, 0), xp.roll(a, (1, 2), (0, 1)), xp.unstack(a, axis=0), xp.triu(a[0], 1), xp.eye(2, 3, 1))


def numbers(xp):
    a = xp.asarray([1.567, 2.25])
    return (round(float(a[0]), 1), "%.2f" % a[1], f"{a[0]:.1f}", a.tolist(), a[1].item(), len(a), 2.25 in a, max(a), sum(a), [float(v) for v in a],
            [*zip(a, "xy")][0][1], bool((a < 3).all()), int(a[1]), xp.round(a, 1), a.round(2), a.round(60), list(a)[1], math.floor(a[1]))


def not_numbers(xp):
    a = xp.asarray([1.0, 2.0, np.nan])
    return (a == a, xp.where(a > 1, 1, 0), xp.where(a > 1, 1.5, 0), a < 2, xp.isnan(a), xp.max(a), xp.sum(a), xp.argmax(a), xp.sign(a), xp.round(xp.asarray([0.5, 1.5, 2.5])), 1 / xp.asarray([0.0, 1.0]),
            xp.log(xp.asarray([0.0, 1.0])), xp.sqrt(xp.asarray([-1.0])), xp.asarray(0.0) / 0.0, xp.exp(xp.asarray(1000.0)))


def leaves(v):
    return [w for u in v for w in leaves(u)] if isinstance(v, (list, tuple)) else [v]


def agree(name, got, want):
    if type(got) is not type(want) and not isinstance(got, o.Tensor):
        return fail("%s: %r in place of %r" % (name, got, want))
    want = np.asarray(want) if isinstance(got, o.Tensor) else want
    if isinstance(got, o.Tensor) and (got.dtype.name, got.shape) != (str(want.dtype), want.shape):
        return fail("%s: %s %s in place of %s %s" % (name, got.dtype, got.shape, want.dtype, want.shape))
    g = np.asarray(got)
    if not (got == want if g.dtype.kind == "U" else np.allclose(g, want, rtol=1e-6, atol=1e-9, equal_nan=True)):
        fail("%s:\n%s\nin place of\n%s" % (name, g, want))


def integers_and_floats(m):
    i, f, b = m.asarray([[1, 2], [3, 4]]), m.asarray([[0.5, 1.5], [2.5, -1.0]], dtype=m.float32), m.asarray([[True, False], [False, True]])
    z = m.asarray([[0.5, 1.5, -2.0, 3.0]]).view(complex)
    return [i * 0.5, i / i, i + f, f @ i, m.sqrt(i), (i > 2) * f, (i > 2) * i, b + (i > 2), b * b, 1 - b, m.where(b, i, 0.5), m.stack([i, f, b]),
            m.linalg.inv(i), m.fft.fft(i), m.tensordot(i, f, 1), i ** 0.5, 2.0 ** i, m.maximum(i, 1.5), m.mean(i == 2), i < f, z, (z * z).view(float)]


for program in (image_filter, weighted_windows, k_means, heat, attention, sorting, histogram, low_pass, regression, monte_carlo, life, dictionary, pickled,
                slices_in_place, whole_in_place, rows_and_columns, other_shapes, masks, products, decompositions, dtypes, keys, numbers, not_numbers, integers_and_floats):
    try:
        with np.errstate(all="ignore"):
            theirs, ours = leaves(program(np)), leaves(program(o))
    except Exception as e:  # noqa: BLE001
        fail("%s: %s: %s" % (program.__name__, type(e).__name__, e))
        continue
    if len(ours) != len(theirs):
        fail("%s: %d results, not %d" % (program.__name__, len(ours), len(theirs)))
    for k, (got, want) in enumerate(zip(ours, theirs)):
        agree("%s, result %d" % (program.__name__, k), got, want)

# Errors of the kind that a program for NumPy catches.
three = o.ones(3)
for kind, wrong in ((ValueError, lambda: o.arange(6).reshape(4, 2)), (IndexError, lambda: three[5]), (ValueError, lambda: three + o.ones(4)),
                    (ValueError, lambda: bool(three)), (TypeError, lambda: float(three)), (TypeError, lambda: complex(three)), (TypeError, lambda: int(three)),
                    (IndexError, lambda: three.sum(2)), (AttributeError, lambda: three.foo), (ValueError, lambda: o.ones((2, 3)) @ o.ones((2, 3))),
                    (TypeError, lambda: three.round(1.5)), (TypeError, lambda: three + "a"), (TypeError, lambda: three + None), (ValueError, lambda: three.__setitem__(slice(2), three)),
                    (ValueError, lambda: o.linalg.inv(o.zeros((2, 2))).eval()), (TypeError, lambda: len(o.asarray(1.0))), (TypeError, lambda: hash(three)),
                    (ValueError, lambda: o.max(o.zeros(0)).item()), (ValueError, lambda: o.zeros(-1)), (TypeError, lambda: o.zeros(3, "foo")),
                    (ValueError, lambda: o.tensordot(three, three, 2 ** 31)), (IndexError, lambda: three[1.5]), (IndexError, lambda: three[0, 0]), (ValueError, lambda: o.asarray([[1, 2], [3]])),
                    (ValueError, lambda: int(o.asarray(np.nan))), (TypeError, lambda: o.arange(3).__itruediv__(2)), (TypeError, lambda: o.arange(3).__iadd__(1.5))):
    raises(kind, wrong)
# Lists are no operands: == would be False without a word.
for wrong in (lambda: three == [1, 1, 1], lambda: three != (1, 1, 1), lambda: three + [1, 1, 1], lambda: [1, 1, 1] * three, lambda: three < [2, 2, 2]):
    raises(TypeError, wrong, "orrery.asarray")
end()
