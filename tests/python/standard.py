"""The functions of the array API standard beside NumPy's: values, shapes, dtypes."""
import warnings

from check import end, fail, numpy_or_skip, o, raises, same, tried

np = numpy_or_skip()
warnings.simplefilter("ignore")
rng = np.random.default_rng(43)
ALIAS = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
         "atanh": "arctanh", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "bitwise_invert": "invert",
         "pow": "power", "concat": "concatenate", "permute_dims": "transpose"}


def values(dtype, shape=(3, 4)):
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.random(shape) < 0.5
    if t.kind in "iu":
        return rng.integers(1, 7, shape).astype(t)
    if t.kind == "c":
        return (rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape)).astype(t)
    return rng.uniform(0.1, 0.9, shape).astype(t)


def elementwise():
    kinds = ["bool", "int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "complex64", "complex128"]
    only_ints = {n for n in dir(o) if n.startswith("bitwise")}
    for category, name, ours in o._core.STANDARD:
        if category != "Element-wise" or name in ("clip", "round", "reciprocal"):
            continue
        f, g = getattr(o, name), getattr(np, ALIAS.get(name, name), None)
        tested = 0
        for t in kinds:
            kind = np.dtype(t).kind
            a, b = values(t), values(t, (4,))
            args = None
            for some in ((a,), (a, b)):
                try:
                    want = g(*some)
                    args = some
                    break
                except (TypeError, ValueError):
                    continue
            if args is None or name in only_ints and kind not in "iub" or kind in "iub" and want.dtype.kind == "f":
                continue  # the standard has no such dtype for the function
            try:
                got = f(*[o.asarray(x) for x in args])
            except o.DtypeError:
                continue
            if name == "acosh":
                got, want = f(o.asarray(a + 1)), g(a + 1)
            if name in ("pow",) and kind in "iu" or name == "sign" and kind == "c":
                continue
            same("%s %s" % (name, t), got, want, rtol=3e-6 if want.dtype in ("f4", "c8") else 1e-13)
            tested += 1
        if not tested:
            fail("%s was compared for no dtype" % name)


def operators():
    x, y = values("f8"), values("f8", (4,))
    a, b = o.asarray(x), o.asarray(y)
    for k, fn in enumerate([lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, lambda p, q: p // q,
                            lambda p, q: p % q, lambda p, q: p**q, lambda p, q: 2 - p, lambda p, q: 2 / p, lambda p, q: p < q,
                            lambda p, q: p >= 0.5, lambda p, q: p != q, lambda p, q: -p, lambda p, q: abs(p - 1), lambda p, q: 1.5 * p]):
        same("operator %d" % k, fn(a, b), fn(x, y), rtol=1e-14)
    i, j = values("i4"), values("i4", (4,))
    for k, fn in enumerate([lambda p, q: p & q, lambda p, q: p | 1, lambda p, q: p ^ q, lambda p, q: p << 2, lambda p, q: ~p,
                            lambda p, q: p // q, lambda p, q: p % 3, lambda p, q: p + 1]):
        same("integer operator %d" % k, fn(o.asarray(i), o.asarray(j)), fn(i, j))
    same("matmul", o.asarray(x) @ o.asarray(x.T), x @ x.T, rtol=1e-14)
    same("array and tensor", x + o.asarray(x), x + x)
    assert float(o.asarray(2.5)) == 2.5 and int(o.asarray(7)) == 7 and bool(o.asarray(True)) and complex(o.asarray(1j)) == 1j
    assert [10, 11, 12][o.asarray(1)] == 11 and len(a) == 3
    raises(ValueError, lambda: bool(a))


def reductions():
    x, i = values("f4", (2, 3, 4)), values("i4", (2, 3, 4))
    for axis in (None, 0, -1, (0, 2), ()):
        for keep in (False, True):
            for name in "sum prod mean max min std var any all".split():
                same("%s %s %s" % (name, axis, keep), getattr(o, name)(o.asarray(x), axis=axis, keepdims=keep),
                     getattr(np, name)(x.astype("f8"), axis=axis, keepdims=keep).astype("?" if name in ("any", "all") else "f4"), rtol=1e-6)
    same("sum of integers", o.sum(o.asarray(i)), i.sum(dtype="i8"))
    same("sum with dtype", o.sum(o.asarray(x), dtype=o.float64), x.astype("f8").sum(), rtol=1e-14)
    same("argmax", o.argmax(o.asarray(x)), x.argmax())
    same("argmin", o.argmin(o.asarray(x), axis=1, keepdims=True), x.argmin(axis=1, keepdims=True))
    same("count", o.count_nonzero(o.asarray(x > 0.5), axis=0), np.count_nonzero(x > 0.5, axis=0))
    same("cumulative", o.cumulative_sum(o.asarray(x), axis=1), np.cumsum(x, axis=1), rtol=1e-6)
    same("var, correction", o.var(o.asarray(x), correction=1), x.astype("f8").var(ddof=1).astype("f4"), rtol=1e-6)
    same("method", o.asarray(x).sum(axis=1), x.sum(axis=1), rtol=1e-6)


def shapes():
    x = np.arange(24).reshape(2, 3, 4)
    a = o.asarray(x)
    same("reshape", o.reshape(a, (4, -1)), x.reshape(4, -1))
    same("method reshape", a.reshape(6, 4), x.reshape(6, 4))
    same("permute", o.permute_dims(a, (2, 0, 1)), x.transpose(2, 0, 1))
    same("transpose", a.transpose(), x.transpose())
    same("mT", a.mT, np.swapaxes(x, 1, 2))
    same("concat", o.concat([a, a], axis=1), np.concatenate([x, x], axis=1))
    same("concat flat", o.concat([a, a], axis=None), np.concatenate([x, x], axis=None))
    same("stack", o.stack([a, a], axis=-1), np.stack([x, x], axis=-1))
    same("flip", o.flip(a), np.flip(x))
    same("roll", o.roll(a, 5), np.roll(x, 5))
    same("roll axes", o.roll(a, (1, -1), axis=(0, 2)), np.roll(x, (1, -1), axis=(0, 2)))
    same("repeat", o.repeat(a, 2, axis=1), np.repeat(x, 2, axis=1))
    same("repeat each", o.repeat(a, o.asarray([1, 2, 0]), axis=1), np.repeat(x, [1, 2, 0], axis=1))
    same("tile", o.tile(a, (2, 1)), np.tile(x, (2, 1)))
    same("squeeze", o.squeeze(o.asarray(x[:1]), 0), x[0])
    same("expand", o.expand_dims(a, axis=1), np.expand_dims(x, 1))
    same("moveaxis", o.moveaxis(a, 0, -1), np.moveaxis(x, 0, -1))
    same("broadcast", o.broadcast_to(a, (5, 2, 3, 4)), np.broadcast_to(x, (5, 2, 3, 4)))
    for p, q in zip(o.unstack(a, axis=1), np.moveaxis(x, 1, 0)):
        same("unstack", p, q)
    for p, q in zip(o.meshgrid(o.arange(3), o.arange(2)), np.meshgrid(np.arange(3), np.arange(2))):
        same("meshgrid", p, q)
    for p, q in zip(o.split(a, [1, 3], axis=2), np.split(x, [1, 3], axis=2)):
        same("split", p, q)
    for m, n, of in ((5, 3, (5, 2)), (5, 3, (5,)), (3, 5, (3, 2))):
        g = np.random.default_rng(3)
        p, q = g.normal(size=(m, n)), g.normal(size=of)
        for what, got, want in zip("x residuals rank s".split(), o.linalg.lstsq(o.asarray(p), o.asarray(q), rcond=None), np.linalg.lstsq(p, q, rcond=None)):
            same("lstsq %s %s" % (of, what), got, want, 1e-12, dtype=what != "rank")
    same("take", o.take(a, o.asarray([2, 0]), axis=1), np.take(x, [2, 0], axis=1))
    same("along", o.take_along_axis(a, o.argsort(a, descending=True)), x[..., ::-1])


def creation():
    same("arange", o.arange(1, 10, 3), np.arange(1, 10, 3))
    same("arange floats", o.arange(0.5, 2, 0.25), np.arange(0.5, 2, 0.25))
    same("linspace", o.linspace(0, 1, 5), np.linspace(0, 1, 5), rtol=1e-15)
    same("linspace, open", o.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, endpoint=False), rtol=1e-15)
    same("eye", o.eye(3, 4, k=1, dtype=o.float32), np.eye(3, 4, 1, "f4"))
    same("full", o.full((2, 2), 3), np.full((2, 2), 3))
    same("full complex", o.full((2,), 1j), np.full((2,), 1j))
    same("full large", o.full((2,), 2**63 + 1, dtype="uint64"), np.full((2,), 2**63 + 1, "u8"))
    same("zeros", o.zeros((2, 0), dtype="int8"), np.zeros((2, 0), "i1"))
    same("ones like", o.ones_like(o.zeros(3, dtype=o.float32)), np.ones(3, "f4"))
    same("lists", o.asarray([[1, 2], [3, 4]]), np.asarray([[1, 2], [3, 4]]))
    same("floats", o.asarray([[1, 2.5]]), np.asarray([[1, 2.5]]))
    same("complex", o.asarray([1, 2j]), np.asarray([1, 2j]))
    same("numbers beside scalars", o.asarray([2, 2, np.float32(1.5)], dtype="float32"), np.asarray([2, 2, 1.5], "float32"))
    same("floats beside scalars", o.asarray([np.float32(1.5), 2.7], dtype="int64"), np.asarray([1, 2]))
    same("bools", o.asarray([True, False]), np.asarray([True, False]))
    same("tril", o.tril(o.ones((3, 3)), k=-1), np.tril(np.ones((3, 3)), -1))
    assert o.asarray([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]] and o.asarray(3.5).tolist() == 3.5
    assert o.zeros((2, 0)).tolist() == [[], []]
    raises(ValueError, lambda: o.asarray([[1, 2], [3]]))
    for t in "int8 uint16 float32 complex64 bool".split():
        assert o.asarray(1, dtype=t).dtype is getattr(o, t), t
    raises(TypeError, lambda: o.result_type(o.int64, o.uint64), "promote")
    assert o.result_type(o.int64, 1.0) is o.float64 and o.result_type(o.int8, o.float32) is o.float32
    for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
        for u in "bool int32 uint8 float16 float32 complex64".split() if t != "uint64" else ["bool", "uint8", "float32", "complex64"]:
            assert o.result_type(getattr(o, t), getattr(o, u)).name == np.result_type(t, u).name, (t, u)
    assert o.result_type(o.uint8, -1) is o.uint8 and o.result_type(o.complex64, 2.0) is o.complex64
    assert o.result_type(o.float32, 1.5) is o.float32 and o.result_type(o.int8, o.uint8) is o.int16
    assert o.isdtype(o.int8, "integral") and not o.isdtype(o.float32, ("integral", "bool")) and o.can_cast(o.int8, o.int16)
    assert o.finfo(o.float32).eps == np.finfo("f4").eps and o.iinfo(o.uint8).max == 255


def orders_and_sets():
    x = np.array([[3, 1, 2, 3], [0, 5, 1, 0]])
    a = o.asarray(x)
    same("sort", o.sort(a), np.sort(x))
    same("argsort", o.argsort(a, axis=0), np.argsort(x, axis=0, kind="stable"))
    same("unique", o.unique_values(a), np.unique(x))
    u, n = o.unique_counts(a)
    same("counts", n, np.unique(x, return_counts=True)[1])
    same("inverse", o.unique_all(a).inverse_indices, np.unique(x, return_inverse=True)[1].reshape(x.shape))
    same("nonzero", o.nonzero(a)[1], x.nonzero()[1])
    same("searchsorted", o.searchsorted(o.asarray([1, 2, 4]), a, side="right"), np.searchsorted([1, 2, 4], x, side="right"))
    same("where", o.where(a > 2, a, 0), np.where(x > 2, x, 0))
    same("clip", o.clip(a, 1, 3), np.clip(x, 1, 3))
    same("clip, one side", o.clip(a, max=2), np.clip(x, None, 2))
    same("diff", o.diff(a), np.diff(x))
    same("diff, twice", o.diff(a, 2, axis=0), np.diff(x, 2, axis=0))
    for least in (0, 9):
        same("bincount", o.bincount(o.asarray([1, 3, 3]), minlength=least), np.bincount([1, 3, 3], minlength=least))


def extensions():
    x = values("f8", (4, 4)) + np.eye(4) * 3
    a = o.asarray(x)
    n = np.linalg
    for name in ("inv", "det"):
        same(name, getattr(o.linalg, name)(a), getattr(n, name)(x), rtol=1e-12)
    same("solve", o.linalg.solve(a, o.asarray(x[0])), n.solve(x, x[0]), rtol=1e-12)
    s = x @ x.T
    same("cholesky", o.linalg.cholesky(o.asarray(s)), n.cholesky(s), rtol=1e-12)
    same("upper", o.linalg.cholesky(o.asarray(s), upper=True), n.cholesky(s).T, rtol=1e-12)
    same("eigenvalues", o.linalg.eigh(o.asarray(s)).eigenvalues, n.eigvalsh(s), rtol=1e-12)
    u, d, v = o.linalg.svd(o.asarray(x[:3]), full_matrices=False)
    same("svd", u @ (d[:, None] * v), x[:3], rtol=1e-12)
    q, r = o.linalg.qr(a)
    same("qr", q @ r, x, rtol=1e-12)
    for k in ("fro", "nuc", 1, 2, np.inf, -1, -2, -np.inf):
        same("norm %s" % k, o.linalg.matrix_norm(a, ord=k), n.norm(x, k), rtol=1e-12)
        same("condition %s" % k, o.linalg.cond(a, k), n.cond(x, k), rtol=1e-9)
    same("condition", o.linalg.cond(a), n.cond(x), rtol=1e-9)
    same("vector norm", o.linalg.vector_norm(a, axis=1, ord=3), n.norm(x, 3, axis=1), rtol=1e-12)
    same("power", o.linalg.matrix_power(a, 3), n.matrix_power(x, 3), rtol=1e-12)
    same("trace", o.linalg.trace(a, offset=1), np.trace(x, 1), rtol=1e-12)
    same("cross", o.linalg.cross(o.asarray(x[:, :3]), o.asarray(x[:, 1:])), np.cross(x[:, :3], x[:, 1:]), rtol=1e-12)
    same("tensordot", o.tensordot(a, a, axes=1), np.tensordot(x, x, 1), rtol=1e-12)
    same("vecdot", o.vecdot(a, a), (x * x).sum(-1), rtol=1e-12)
    same("einsum", o.einsum("ij,jk->ki", a, a), np.einsum("ij,jk->ki", x, x), rtol=1e-12)
    same("pinv", o.linalg.pinv(o.asarray(x[:2])), n.pinv(x[:2]), rtol=1e-12)
    same("rank", o.linalg.matrix_rank(a), np.asarray(n.matrix_rank(x)))
    sign, log = o.linalg.slogdet(a)
    same("slogdet", log, n.slogdet(x)[1], rtol=1e-12)
    z = values("c16", (4, 6))
    f = np.fft
    for name in "fft ifft fftn ifftn".split():
        for norm in ("backward", "ortho", "forward"):
            same(name, getattr(o.fft, name)(o.asarray(z), norm=norm), getattr(f, name)(z, norm=norm), rtol=1e-13)
    for name in "rfft rfftn ihfft".split():
        same(name, getattr(o.fft, name)(o.asarray(z.real.copy())), getattr(f, name)(z.real), rtol=1e-13)
    for name in "irfft hfft".split():
        same(name, getattr(o.fft, name)(o.asarray(z), n=10), getattr(f, name)(z, n=10), rtol=1e-13)
    same("fft n axis", o.fft.fft(o.asarray(z), n=5, axis=0), f.fft(z, n=5, axis=0), rtol=1e-13)
    same("fftn s", o.fft.fftn(o.asarray(z), s=(3, 8), axes=(0, 1)), f.fftn(z, s=(3, 8), axes=(0, 1)), rtol=1e-13)
    same("freq", o.fft.fftfreq(7, d=0.5), f.fftfreq(7, 0.5), rtol=1e-15)
    same("shift", o.fft.fftshift(o.asarray(z), axes=1), f.fftshift(z, axes=1))


def corners():
    """Cases that the array API's own tests found."""
    x = np.arange(6.0).reshape(2, 3)
    for mask in (True, False):
        same("0-d mask", o.asarray(x)[o.asarray(mask)], x[np.asarray(mask)])
        same("truth value", o.asarray(x)[mask], x[mask])
    same("0-d mask of 0-d", o.asarray(2.0)[o.asarray(True)], np.asarray(2.0)[np.asarray(True)])
    raises(IndexError, lambda: o.asarray(x)[o.asarray([True, False, True])])
    same("linspace without its end", o.linspace(0.0, 1.0, 3, endpoint=False), np.linspace(0.0, 1.0, 3, endpoint=False))
    same("no points", o.linspace(0.0, 1.0, 0, endpoint=False), np.linspace(0.0, 1.0, 0, endpoint=False))
    for kind, want in (("complex64", "complex64"), ("complex128", "complex128"), ("float32", "complex64"),
                       ("float64", "complex128"), ("float16", "complex64"), ("int8", "complex128")):
        a = np.asarray([1, 0]).astype(kind)
        assert o.result_type(getattr(o, kind), 1j) is getattr(o, want)
        for name, f in (("add", lambda v: v + (1 + 2j)), ("from the left", lambda v: 2j * v), ("power", lambda v: v ** 2j)):
            got = f(o.asarray(a))
            assert got.dtype is getattr(o, want), (kind, name, got.dtype)
            same("complex number, %s of %s" % (name, kind), got, f(a.astype(want)), rtol=1e-6)
    for k in (2, 3, -2, -3, 2**63, -2**63 - 1):
        same("eye %d" % k, o.eye(2, 3, k=k), np.eye(2, 3, max(-9, min(9, k))))
    assert o.result_type(o.bool, True) is o.bool and o.result_type(o.float32, 1, True) is o.float32
    same("new axis by position", o.expand_dims(o.asarray(x), 1), np.expand_dims(x, 1))
    a = np.stack([np.diag([4.0, 2.0, 0.1]), np.diag([1.0, 0.9, 0.5])])
    cut = np.asarray([0.1, 0.6])
    same("pinv by matrix", o.linalg.pinv(o.asarray(a), rtol=o.asarray(cut)), np.linalg.pinv(a, cut), rtol=1e-14)
    same("rank by matrix", o.linalg.matrix_rank(o.asarray(a), rtol=o.asarray(cut)), np.asarray([2, 2]))


def names():
    ns = o.asarray(1.0).__array_namespace__(api_version="2024.12")
    assert ns is o and o.__array_namespace_info__().default_dtypes()["real floating"] is o.float64
    for category, name, ours in o._core.STANDARD:
        home = o.linalg if category.endswith("linalg") else o.fft if category.endswith("fft") else o
        if not callable(getattr(home, name, None)):
            fail("%s of %s is missing" % (name, category))
        elif not getattr(home, name).__doc__ and "_like" not in name and name not in ("tril", "triu"):
            fail("%s has no text" % name)


def dtypes_of_numpy():
    """A dtype is equal to NumPy's, and NumPy takes it; `x.dtype == np.float32` that is False for ever is a wrong branch of a program."""
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
        d, n, other = getattr(o, name), np.dtype(name), "int8" if name != "int8" else "int16"
        for equal in (n, n.type, name, n.str, d):
            assert d == equal and equal == d and not d != equal, (name, equal)
        for apart in (np.dtype(other), np.dtype(other).type, other, getattr(o, other), None, 3, [], "no dtype", "a::b, c", object):
            assert d != apart and not d == apart, (name, apart)
        assert hash(d) == hash(n) and {n: 1}[d] == 1 and d.kind == n.kind and d.type is n.type and np.dtype(d) == n and np.zeros(2, d).dtype == n, name
        assert np.ones(2).astype(d).dtype == n and np.result_type(d, "int8") == np.result_type(n, "int8"), name
    assert o.float32 != np.dtype(">f4") and o.float32 == np.dtype("<f4")
    assert o.float64 == float and o.int64 == int and o.bool == bool and o.complex128 == complex and o.float32 != float
    assert o.bfloat16 == "bfloat16" and o.bfloat16 != np.float16 and o.bfloat16.kind == "f" and hash(o.bfloat16) == hash(o.bfloat16)
    raises(TypeError, lambda: np.dtype(o.bfloat16))


for group in (names, dtypes_of_numpy, elementwise, operators, reductions, shapes, creation, orders_and_sets, extensions, corners):
    tried(group.__name__, group)
end()
