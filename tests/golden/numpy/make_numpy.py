#!/usr/bin/env python3
"""Makes the text files beside it: inputs, and what NumPy makes of them. Needs numpy.

One case:   case <op> <ulps> <number of parameters> <parameters>
            in <dtype> <rank> <dimensions> <elements>      (for each operand)
            out <dtype> <rank> <dimensions> <elements>
Floats are hexadecimal, so nothing is lost. Results of float dtypes are computed in float64 and rounded once.
"""
import numpy as np

END = -2**63
FLAT = -2**31
rng = np.random.default_rng(20240229)
NAN, INF = float("nan"), float("inf")


def number(v):
    if isinstance(v, (bool, np.bool_, int, np.integer)):
        return str(int(v))
    v = float(v)
    return "nan" if v != v else v.hex() if abs(v) != INF else ("inf" if v > 0 else "-inf")


def array(word, a):
    a = np.asarray(a)
    return " ".join([word, a.dtype.name, str(a.ndim)] + [str(d) for d in a.shape] + [number(v) for v in a.ravel()])


class File:
    def __init__(self, name):
        self.name, self.lines = name, []

    def case(self, op, ins, params, out, ulps=4):
        self.lines.append(" ".join(["case", op, str(ulps), str(len(params))] + [number(p) for p in params]))
        self.lines += [array("in", a) for a in ins]
        self.lines.append(array("out", out))

    def write(self):
        with open(__file__.replace("make_numpy.py", self.name + ".txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")


def floats(shape, dtype="float32", scale=2.0):
    return (rng.standard_normal(shape) * scale).astype(dtype)


def ints(shape, dtype="int32", lo=-9, hi=10):
    if np.dtype(dtype).kind == "u":
        lo = 0
    return rng.integers(lo, hi, shape).astype(dtype)


def some(shape, dtype):
    kind = np.dtype(dtype).kind
    return floats(shape, dtype) if kind == "f" else rng.integers(0, 2, shape).astype(bool) if kind == "b" else ints(shape, dtype)


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]

# -- views and creation -----------------------------------------------------------------------------------

f = File("views")
x = ints((2, 3, 4), "int64", -99, 99)
for shape in [(6, 4), (-1,), (4, -1, 2), (2, 3, 4, 1), (1, 24, 1)]:
    f.case("reshape", [x], shape, x.reshape(shape))
f.case("reshape", [x[:1, :1, :1]], [], x[:1, :1, :1].reshape(()))
f.case("reshape", [np.zeros((0, 3), "float32")], (3, 0, 2), np.zeros((3, 0, 2), "float32"))
for axes in [(2, 0, 1), (0, 2, 1), (-1, -2, -3), (0, 1, 2)]:
    f.case("permute", [x], axes, x.transpose(axes))
f.case("transpose", [x], [], x.swapaxes(-1, -2))
f.case("transpose", [np.zeros((3, 0), "int8")], [], np.zeros((0, 3), "int8"))
for a, shape in [(x[:1], (5, 3, 4)), (x[:, :1, :], (2, 3, 4)), (np.float32(3.5), (2, 2)), (x[0, 0], (3, 2, 4)),
                 (x[:1, :1, :1], (2, 0, 3)), (x[0], (3, 4))]:
    f.case("broadcast_to", [a], shape, np.broadcast_to(a, shape))
y = floats((1, 3, 1, 2))
for axes in [(0,), (2,), (0, 2), (-4, -2), ()]:
    f.case("squeeze", [y], [len(axes), *axes], np.squeeze(y, axes))
f.case("squeeze", [y], [-1], np.squeeze(y))
for axis in [0, 1, 4, -1, -5]:
    f.case("expand_dims", [y], [axis], np.expand_dims(y, axis))
f.case("expand_dims", [np.int16(7)], [-1], np.array([7], "int16"))
z = np.arange(11, dtype="int16")
bounds = [(None, None), (2, 9), (-4, None), (None, -3), (9, 2), (-100, 100), (100, -100), (3, 3), (0, 1), (-1, -12), (10, None)]
for a, b in bounds:
    for step in [1, 2, 3, 100, -1, -2, -3, -100]:
        p = [1, END if a is None else a, END if b is None else b, step]
        f.case("slice", [z], p, z[a:b:step])
f.case("slice", [x], [3, 1, END, 0, END, 0, 3, 1, -1, 2], x[1:, :0:-1, 0:3:2])
f.case("slice", [x], [2, END, END, END, END, -1, -2], x[::-1, ::-2])
f.case("slice", [x.astype("float64")], [2, 0, 1, 0, END, 1, 1], x.astype("float64")[0:0, 1:])
f.case("slice_axis", [x], [1, END, END, -1], x[:, ::-1])
f.case("slice_axis", [x], [-1, 3, 0, -2], x[..., 3:0:-2])
f.case("slice_axis", [np.zeros((0, 2), "uint8")], [0, END, END, -1], np.zeros((0, 2), "uint8"))
f.case("select", [x], [1, -1], x[:, -1])
f.case("select", [z], [0, 4], z[4])
for axes in [(0,), (1, -1), (0, 1, 2)]:
    f.case("flip", [x], [len(axes), *axes], np.flip(x, axes))
f.case("flip", [x], [-1], np.flip(x))
special = np.array([0.0, -0.0, 1.5, -1.5, 2.5, 0.49, 127, 200, -3, 250.7])
for a in DTYPES:
    for b in DTYPES:
        v = special[np.abs(special) < 127.5] if np.dtype(b).kind != "f" or np.dtype(a).kind != "f" else special
        if np.dtype(a).kind == "u" or np.dtype(b).kind == "u":
            v = np.abs(v)
        v = v.astype(a)
        f.case("cast:" + b, [v], [], v.astype(b), 0)
for a, b in [("float32", "int8"), ("float64", "uint8"), ("float64", "int64"), ("float32", "uint64"), ("float16", "int16")]:
    v = np.array([NAN, INF, -INF, 1e30 if a != "float16" else 6e4, -1e30 if a != "float16" else -6e4], a)
    i = np.iinfo(b)
    f.case("cast:" + b, [v], [], np.array([0, i.max, i.min, i.max, i.min], b), 0)
f.case("cast:uint8", [np.array([-1, 300, -129, 65536 + 7], "int64")], [], np.array([255, 44, 127, 7], "uint8"), 0)
f.case("cast:int8", [np.array([200, 2**64 - 1], "uint64")], [], np.array([-56, -1], "int8"), 0)
f.case("cast:float16", [np.array([65519, 65520, 1e-8, 2**-24, -2**-25, 1 + 2**-11, NAN])], [],
       np.array([65519, 65520, 1e-8, 2**-24, -2**-25, 1 + 2**-11, NAN]).astype("float16"), 0)
for a, b, c in [(0, 5, 1), (5, 0, -2), (0, 0, 1), (3, 2, 1), (-7, 8, 3)]:
    for d in ["int8", "int64", "float32", "float64"]:
        f.case("arange:" + d, [], [a, b, c], np.arange(a, b, c, dtype=d), 0)
f.case("arange:float32", [], [0, 1, 0.125], np.arange(0, 1, 0.125, dtype="float32"), 0)
f.case("arange:float64", [], [0.1, 0.75, 0.1], 0.1 + 0.1 * np.arange(7), 1)
f.case("arange:uint8", [], [250, 240, -3], np.arange(250, 240, -3, dtype="uint8"), 0)
for a, b, n in [(0, 1, 11), (-2, 3.3, 7), (1, 1, 3), (5, -5, 2), (2, 9, 1), (0, 1, 0)]:
    for d in ["float32", "float64"]:
        f.case("linspace:" + d, [], [a, b, n], np.linspace(a, b, n).astype(d), 1)
for r, c, k in [(3, 3, 0), (2, 4, 1), (4, 2, -2), (3, 3, 7), (0, 2, 0)]:
    f.case("eye:float32", [], [r, c, k], np.eye(r, c, k, dtype="float32"), 0)
f.case("eye:bool", [], [2, 3, 0], np.eye(2, 3, dtype=bool), 0)
f.write()

# -- reductions ---------------------------------------------------------------------------------------------

f = File("reduce")


def over(a, axes):
    return None if axes is None else tuple(axes)


def params(axes, keep, *more):
    return [*more, int(keep)] + ([-1] if axes is None else [len(axes), *axes])


def sum_dtype(d):
    k = np.dtype(d).kind
    return np.dtype(d) if k == "f" else np.dtype("uint64") if k == "u" else np.dtype("int64")


AXES = [(0,), (1,), (-1,), (0, 2), (1, 2), (0, 1, 2), None, ()]
for d in DTYPES:
    a = some((2, 3, 4), d)
    for axes in AXES if d in ("int32", "float32", "float64") else [(1,), (0, -1), None]:
        keep = bool(rng.integers(2))
        kw = dict(axis=over(a, axes), keepdims=keep)
        w = a.astype("float64") if a.dtype.kind == "f" else a.astype(sum_dtype(d))
        f.case("sum", [a], params(axes, keep), np.sum(w, **kw).astype(sum_dtype(d)))
        small = np.clip(w, -2, 2) if a.dtype.kind != "u" else np.clip(w, 0, 2)
        small = (small + 1 if a.dtype.kind != "b" else small).astype(d)
        ws = small.astype(w.dtype)
        f.case("prod", [small], params(axes, keep), np.prod(ws, **kw).astype(sum_dtype(d)))
        for op in ["min", "max"]:
            f.case(op, [a], params(axes, keep), getattr(np, op)(a, **kw) if axes != () else a, 0)
        sparse = a * (rng.random(a.shape) < 0.1).astype(d)
        for op in ["any", "all"]:
            f.case(op, [sparse if op == "any" else a], params(axes, keep), getattr(np, op)((sparse if op == "any" else a) != 0, **kw) if axes != () else (sparse if op == "any" else a) != 0, 0)
        if a.dtype.kind == "f":
            f.case("mean", [a], params(axes, keep), np.mean(w, **kw).astype(d))
            f.case("norm", [a], params(axes, keep), np.sqrt(np.sum(w * w, **kw)).astype(d))
            if d != "float16":
                f.case("logsumexp", [a], params(axes, keep), np.log(np.sum(np.exp(w), **kw)).astype(d))
            if axes != ():
                for ddof in [0, 1, 0.5]:
                    var = np.sum((w - np.mean(w, axis=over(a, axes), keepdims=True)) ** 2, **kw)
                    n = w.size / max(1, np.sum(w, **kw).size)
                    f.case("var", [a], params(axes, keep, ddof), (var / (n - ddof)).astype(d), 16)
                    f.case("std", [a], params(axes, keep, ddof), np.sqrt(var / (n - ddof)).astype(d), 16)
    for axis in [0, 1, -1, FLAT]:
        for op in ["argmin", "argmax"]:
            keep = bool(rng.integers(2))
            f.case(op, [a], [axis, int(keep)], getattr(np, op)(a, axis=None if axis == FLAT else axis, keepdims=keep).astype("int64"), 0)
# a mean far above the spread: one pass with squares would lose everything
far = (1e4 + rng.standard_normal((2, 50))).astype("float32")
f.case("var", [far], params((1,), False, 0), np.var(far.astype("float64"), axis=1).astype("float32"), 64)
for v in [[1, NAN, 3], [NAN, NAN], [INF, -INF, 0], [INF, INF], [-INF, -INF], [-0.0, 0.0], [1000.0, 1000.5], [-1000, -1001]]:
    for d in ["float32", "float64"]:
        a = np.array(v, d)
        w = a.astype("float64")
        with np.errstate(all="ignore"):
            for op in ["sum", "prod", "min", "max", "mean"]:
                f.case(op, [a], params(None, False), getattr(np, op)(w).astype(d))
            f.case("logsumexp", [a], params(None, False), np.logaddexp.reduce(w).astype(d))
            f.case("any", [a], params(None, False), np.any(a))
            f.case("all", [a], params(None, False), np.all(a))
        for op in ["argmin", "argmax"]:
            f.case(op, [a], [0, 0], np.int64(getattr(np, op)(a)), 0)
e = np.zeros((3, 0, 2), "float32")
for axes in [(1,), (0, 1), None]:
    kw = dict(axis=over(e, axes))
    f.case("sum", [e], params(axes, False), np.sum(e, **kw))
    f.case("prod", [e], params(axes, False), np.prod(e, **kw))
    f.case("any", [e], params(axes, False), np.any(e, **kw))
    f.case("all", [e], params(axes, False), np.all(e, **kw))
    f.case("norm", [e], params(axes, False), np.sum(e, **kw))
    f.case("mean", [e], params(axes, False), np.sum(e, **kw) * NAN)
    f.case("logsumexp", [e], params(axes, False), np.sum(e, **kw) - INF)
for axes in [(0,), (2,)]:
    f.case("sum", [e], params(axes, True), np.sum(e, axis=axes, keepdims=True))
    f.case("max", [e], params(axes, False), np.max(e, axis=axes))
f.case("argmax", [e], [0, 0], np.argmax(e, axis=0).astype("int64"))
s = np.float64(-2.5)
for op, want in [("sum", s), ("prod", s), ("mean", s), ("max", s), ("norm", -s), ("logsumexp", s)]:
    f.case(op, [s], params(None, False), want)
f.case("sum", [np.array([2**62, 2**62, 2**62], "int64")], params(None, False), np.int64(3 * 2**62 - 2**64), 0)
f.case("prod", [np.array([2**32, 2**32 + 1], "uint64")], params(None, False), np.uint64(2**32), 0)
f.case("max", [np.array([2**63 + 1, 2**63], "uint64")], params(None, False), np.uint64(2**63 + 1), 0)
long = rng.random(100).astype("float32")
f.case("sum", [np.tile(long, 30)], params(None, False), np.sum(np.tile(long, 30).astype("float64")).astype("float32"), 1)
f.write()

# -- matmul -----------------------------------------------------------------------------------------------

f = File("matmul")
SHAPES = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 3)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
          ((2, 3, 4), (2, 4, 5)), ((1, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5)),
          ((2, 2, 1, 2, 3), (3, 3, 2)), ((1, 1), (1, 1)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((3, 4), (4, 0)),
          ((0,), (0,)), ((0, 3, 4), (4, 5)), ((2, 3, 0), (2, 0, 5)), ((9, 17), (17, 5)), ((1, 64), (64, 1)), ((64, 1), (1, 5))]
for sa, sb in SHAPES:
    for d in ["float32", "float64"]:
        a, b = floats(sa, d, 1), floats(sb, d, 1)
        f.case("matmul", [a, b], [], np.matmul(a.astype("float64"), b.astype("float64")).astype(d), 8)
for sa, sb in SHAPES[:10] + SHAPES[13:17]:
    a, b = ints(sa, "int32"), ints(sb, "int64")
    f.case("matmul", [a, b], [], np.matmul(a.astype("int64"), b), 0)
a, b = ints((3, 4), "int8", -128, 127), ints((4, 2), "int8", -128, 127)
f.case("matmul", [a, b], [], np.matmul(a, b), 0)
a, b = floats((5, 6), "float16", 1), floats((6, 4), "float16", 1)
f.case("matmul", [a, b], [], np.matmul(a.astype("float64"), b.astype("float64")).astype("float16"), 8)
a, b = floats((5, 6), "float32", 1), floats((6, 4), "float64", 1)
f.case("matmul", [a, b], [], np.matmul(a.astype("float64"), b), 8)
a, b = floats((6, 5), "float32", 1), floats((4, 6), "float32", 1)
f.case("matmul_tt", [a, b], [], np.matmul(a.T.astype("float64"), b.T.astype("float64")).astype("float32"), 8)
a, b = floats((2, 6, 5), "float64", 1), floats((2, 4, 6), "float64", 1)
f.case("matmul_tt", [a, b], [], np.matmul(a.swapaxes(1, 2), b.swapaxes(1, 2)), 8)
f.write()

# -- indexing, joining, softmax -------------------------------------------------------------------------------

f = File("index")
x = floats((3, 2, 3))
for axis in [0, 1, 2, -1, FLAT]:
    n = x.size if axis == FLAT else x.shape[axis]
    for si in [(), (2,), (2, 3), (0,)]:
        for d in ["int64", "int32", "uint8", "int8"]:
            i = rng.integers(0 if d == "uint8" else -min(n, 100), min(n, 100), si).astype(d)
            f.case("take", [x, i], [axis], np.take(x, i.astype("int64"), None if axis == FLAT else axis), 0)
for d in ["bool", "int8", "uint64", "float16", "float64"]:
    a = some((5, 2), d)
    f.case("take", [a, np.array([[4, -5], [0, 0]], "int64")], [0], np.take(a, [[4, -5], [0, 0]], 0), 0)


def scatter(a, i, u, axis):
    r = np.array(a, dtype="float64" if a.dtype.kind == "f" else a.dtype)
    shape = r.shape
    if axis == FLAT:
        r = r.reshape(-1)
        axis = 0
    r = np.moveaxis(r, axis, 0).copy()
    u = np.moveaxis(np.broadcast_to(u, shape_of(r, i, axis)), range(axis, axis + i.ndim), range(i.ndim))
    np.add.at(r, i.astype("int64"), u.astype(r.dtype))
    return np.moveaxis(r, 0, axis).reshape(shape).astype(a.dtype)


def shape_of(moved, i, axis):
    rest = moved.shape[1:]
    return rest[:axis] + i.shape + rest[axis:]


for d in ["float32", "float64", "int32", "uint8"]:
    a = some((3, 2, 3), d)
    for axis in [0, 1, 2, FLAT]:
        for si in [(), (6,), (2, 2), (0,)]:
            n = a.size if axis == FLAT else a.shape[axis]
            i = rng.integers(-n, n, si)
            moved = a.reshape(-1) if axis == FLAT else np.moveaxis(a, axis, 0)
            full = shape_of(moved, i, 0 if axis == FLAT else axis)
            u = some(full, d)
            f.case("scatter_add", [a, i, u], [axis], scatter(a, i, u, axis), 16)
a, i = floats((4, 3)), np.array([1, 1, -1])
f.case("scatter_add", [a, i, np.float32(2.5)], [0], scatter(a, i, np.float32(2.5), 0), 8)
for si in [(), (4,), (2, 3)]:
    i = rng.integers(-1, 6, si)
    f.case("one_hot:float32", [i], [5], (i[..., None] == np.arange(5)).astype("float32"), 0)
f.case("one_hot:bool", [np.array([3, 0], "uint8")], [4], np.array([[0, 0, 0, 1], [1, 0, 0, 0]], bool), 0)
f.case("one_hot:int64", [np.array([3, 0], "int32")], [0], np.zeros((2, 0), "int64"), 0)
for shape in [(4, 4), (3, 5), (2, 5, 3), (0, 3)]:
    a = some(shape, "float32")
    for k in [0, 1, -2, 9, -9]:
        f.case("tril", [a], [k], np.tril(a, k), 0)
        f.case("triu", [a], [k], np.triu(a, k), 0)
b = some((3, 3), "bool")
f.case("triu", [b], [1], np.triu(b, 1), 0)
for axis in [0, 1, -1]:
    shapes = [[2, 3, 4] for _ in range(3)]
    for n, s in enumerate(shapes):
        s[axis] = n * 2
    parts = [floats(s) for s in shapes]
    f.case("concat", parts, [axis], np.concatenate(parts, axis), 0)
p, q = floats((2, 2), "float32"), floats((1, 2), "float64")
f.case("concat", [p, q], [0], np.concatenate([p, q], 0), 0)
p, q = ints((2, 2), "int8"), ints((2, 1), "int32")
f.case("concat", [p, q], [1], np.concatenate([p, q], 1), 0)
f.case("concat", [p], [0], p, 0)
many = [floats((1, 2), "float64") for _ in range(12)]
f.case("concat", many, [0], np.concatenate(many, 0), 0)
for axis in [0, 1, 2, -1]:
    parts = [floats((2, 3)) for _ in range(3)]
    f.case("stack", parts, [axis], np.stack(parts, axis), 0)
f.case("stack", [np.float32(1), np.float32(2)], [0], np.array([1, 2], "float32"), 0)
a = floats((3, 2))
for lo, hi, v in [((1, 2), (0, 3), 0), ((0, 0), (2, 0), 1.5), ((0, 0), (0, 0), 9), ((1, 1), (1, 1), NAN)]:
    f.case("pad", [a], [v, *lo, *hi], np.pad(a, list(zip(lo, hi)), constant_values=v), 0)
f.case("pad", [np.zeros((0, 2), "int32")], [7, 1, 0, 1, 1], np.full((2, 3), 7, "int32"), 0)


def softmax(a, axis):
    e = np.exp(a - a.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(a, axis):
    s = a - a.max(axis, keepdims=True)
    return s - np.log(np.exp(s).sum(axis, keepdims=True))


for d, shape in [("float32", (3, 7)), ("float64", (2, 3, 4)), ("float16", (4, 5)), ("float32", (6,))]:
    a = floats(shape, d, 4)
    for axis in [0, -1]:
        w = a.astype("float64")
        f.case("softmax", [a], [axis], softmax(w, axis).astype(d), 16)
        f.case("log_softmax", [a], [axis], log_softmax(w, axis).astype(d), 16)
big = np.array([[1e4, 1e4 + 1, 0], [-1e4, -1e4, -1e4], [-INF, 0, 1]], "float32")
f.case("softmax", [big], [1], softmax(big.astype("float64"), 1).astype("float32"), 16)
f.case("log_softmax", [big], [1], log_softmax(big.astype("float64"), 1).astype("float32"), 16)
f.case("softmax", [np.zeros((2, 0), "float32")], [1], np.zeros((2, 0), "float32"))
f.case("softmax", [np.zeros((0, 2), "float32")], [1], np.zeros((0, 2), "float32"))
for d in ["float32", "float64"]:
    for shape in [(6, 10), (2, 3, 4), (5,)]:
        a = floats(shape, d, 3)
        labels = rng.integers(0, shape[-1], shape[:-1]).astype("int32" if d == "float32" else "uint8")
        picked = np.take_along_axis(log_softmax(a.astype("float64"), -1), labels.astype("int64")[..., None], -1)
        f.case("cross_entropy", [a, labels], [], (-picked.mean()).astype(d), 16)
    bad = floats((3, 4), d)
    f.case("cross_entropy", [bad, np.array([0, 4, 1])], [], np.array(NAN, d))
    f.case("cross_entropy", [bad, np.array([0, -1, 1])], [], np.array(NAN, d))
    a, b = floats((3, 4), d), floats((3, 4), d)
    f.case("mse", [a, b], [], np.mean((a.astype("float64") - b.astype("float64")) ** 2).astype(d), 16)
f.write()

# -- triangles ------------------------------------------------------------------------------------------------

f = File("triangles")
NAN = float("nan")


def positive(shape, d):
    x = rng.standard_normal(shape)
    return (x @ x.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(d)


for d in ["float32", "float64"]:
    for s in [(1, 1), (2, 2), (3, 3), (16, 16), (17, 17), (35, 35), (3, 4, 4), (2, 1, 5, 5), (0, 0), (0, 3, 3), (2, 0, 0)]:
        a = positive(s, d)
        out = np.linalg.cholesky(a.astype("float64")).astype(d)
        f.case("cholesky", [np.where(np.tri(s[-1], dtype=bool), a, NAN).astype(d)], [], out, 64)
SYSTEMS = [((1, 1), (1,)), ((4, 4), (4,)), ((4, 4), (4, 3)), ((18, 18), (18,)), ((35, 35), (35, 2)), ((7, 7), (7, 40)),
           ((5, 5), (2, 3, 5, 2)), ((2, 4, 4), (4, 3)), ((2, 4, 4), (4,)), ((2, 1, 4, 4), (3, 4, 2)), ((0, 0), (0,)),
           ((0, 0), (0, 3)), ((3, 3), (3, 0)), ((0, 2, 2), (2, 2)), ((2, 18, 18), (2, 18, 1))]
FLAGS = [(1, 0, 0), (0, 1, 1), (1, 1, 0), (0, 0, 0), (0, 1, 0), (1, 0, 1)]
for sa, sb in SYSTEMS:
    for lower, turned, unit in FLAGS if sa[-1] < 16 else FLAGS[2:4]:
        d = "float64" if sa[-1] % 2 == 0 or unit else "float32"
        n = sa[-1]
        a = (rng.standard_normal(sa) / np.sqrt(max(n, 1)) + 2 * np.eye(n)).astype(d)
        b = floats(sb, d)
        read = np.tri(n, k=-unit, dtype=bool) if lower else np.tri(n, k=-unit, dtype=bool).T
        m = np.where(read, a.astype("float64"), 0) + unit * np.eye(n)
        m = m.swapaxes(-1, -2) if turned else m
        bb = b.astype("float64")
        x = np.linalg.solve(m, bb[:, None])[..., 0] if bb.ndim == 1 else np.linalg.solve(m, bb)
        f.case("solve_triangular", [np.where(read, a, NAN).astype(d), b], [lower, turned, unit], x.astype(d), 256)
for d in ["float32", "float64"]:
    for s in [(1, 1), (2, 2), (16, 16), (35, 35), (3, 4, 4), (2, 1, 5, 5), (0, 0), (0, 3, 3), (2, 0, 0)]:
        a = positive(s, d)
        sign, out = np.linalg.slogdet(a.astype("float64"))
        assert (sign == 1).all()
        f.case("logdet", [np.where(np.tri(s[-1], dtype=bool), a, NAN).astype(d)], [], out.astype(d), 64)
f.write()

# -- operations along an axis, by their contracts: axis, options, lengths and steps per axis -----------------
f = File("along")
rng = np.random.default_rng(20261123)
ALONG = [((7,), 0), ((1,), -1), ((0,), 0), ((3, 5), 0), ((3, 5), 1), ((2, 3, 4), 1), ((2, 70, 3), -2), ((4, 0, 3), 2), ((3, 200), -1)]


def summed(a, axis, initial):
    d = sum_dtype(a.dtype)
    with np.errstate(all="ignore"):
        y = np.cumsum(a, axis, dtype="float64" if d.kind == "f" else d).astype(d)
    pads = [(int(initial) if i == axis % a.ndim else 0, 0) for i in range(a.ndim)]
    return np.pad(y, pads)


for s, axis in ALONG:
    for d in DTYPES:
        a = some(s, d)
        for initial in range(2):
            f.case("cumulative_sum", [a], [axis, initial], summed(a, axis, initial), 300 if d == "float16" else 2)
f.case("cumulative_sum", [np.array([1, INF, -INF, 2], "float32")], [0, 0], np.array([1, INF, NAN, NAN], "float32"))
f.case("cumulative_sum", [np.array([2**62, 2**62, 5], "int64")], [0, 0], np.array([2**62, -2**63, 5 - 2**63], "int64"))


def order(a, axis, descending):
    """Stable; NumPy sorts NaN to the end; descending, equal elements keep their order too."""
    if not descending:
        return np.argsort(a, axis, kind="stable")
    rank = np.unique(a, return_inverse=True)[1].reshape(a.shape)
    rank = np.where(a != a, a.size, rank.max(initial=0) - rank)
    return np.argsort(rank, axis, kind="stable")


for s, axis in ALONG:
    for d in DTYPES:
        a = some(s, d)
        if a.dtype.kind == "f" and a.size > 2:
            a.ravel()[rng.integers(0, a.size, 4)] = [NAN, INF, -INF, 0]
        for descending in range(2):
            at = order(a, axis, descending)
            f.case("sort", [a], [axis, descending], np.take_along_axis(a, at, axis))
            f.case("argsort", [a], [axis, descending], at)

for s, axis in ALONG:
    for d in ["bool", "int16", "uint64", "float16", "float32", "float64"]:
        a = some(s, d)
        for length, step in [(1, 1), (2, 1), (3, 2), (3, 5)]:
            if length > s[axis]:
                continue
            out = np.lib.stride_tricks.sliding_window_view(a, length, axis)
            every = tuple(slice(None, None, step) if i == axis % a.ndim else slice(None) for i in range(out.ndim))
            f.case("sliding_window", [a], [axis] + [length] * a.ndim + [step] * a.ndim, out[every])

rng = np.random.default_rng(20261125)
for s, axis in ALONG:
    for d in DTYPES if s[-1] < 9 and len(s) < 3 else ["float32", "int64"]:
        a = some(s, d) if np.dtype(d).kind != "f" else (1 + 0.05 * rng.standard_normal(s)).astype(d)
        if a.size > 9:
            a.ravel()[-2] = 0
        for initial in range(2):
            with np.errstate(all="ignore"):
                t = sum_dtype(a.dtype)
                y = np.cumprod(a, axis, dtype="float64" if t.kind == "f" else t).astype(t)
            pads = [(int(initial) if i == axis % a.ndim else 0, 0) for i in range(a.ndim)]
            f.case("cumulative_prod", [a], [axis, initial], np.pad(y, pads, constant_values=1), 300 if d == "float16" else 2)
for s, axis in ALONG:
    for d in ["bool", "int8", "int64", "uint16", "float16", "float32", "float64"] if s[-1] < 9 else ["float32"]:
        a = some(s, d)
        if a.dtype.kind == "f" and a.size > 2:
            a.ravel()[rng.integers(0, a.size, 4)] = [NAN, INF, -INF, 0]
        n = a.shape[axis]
        for largest in range(2):
            for k in sorted({0, 1, n // 3, n - 1, n}):
                if 0 <= k <= n:
                    f.case("top_places", [a], [axis, largest] + [k] * a.ndim, np.take(order(a, axis, largest), range(k), axis))
rng = np.random.default_rng(20261124)
MODES = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (2, 1), (0, 0)]  # nearest, linear, cubic, area, nearest centre


def resizing(n, m, mode, corners):
    """The matrix (m, n) of a resizing of n elements to m."""
    w = np.zeros((m, n))
    for i in range(m):
        s = (i * (n - 1) / (m - 1) if m > 1 else 0.0) if corners else (i + 0.5) * n / m - 0.5
        if mode == 1:
            s = max(s, 0.0)
        at = int(np.floor(s))
        f = s - at
        keys = lambda x: (1.25 * x - 2.25) * x * x + 1 if x <= 1 else ((-0.75 * x + 3.75) * x - 6) * x + 3
        taps = {0: [(i * n // m, 1.0)], 1: [(at, 1 - f), (at + 1, f)], 2: [(at + t, keys(abs(t - f))) for t in range(-1, 3)],
                3: [(j, 1 / (-(-(i + 1) * n // m) - i * n // m)) for j in range(i * n // m, -(-(i + 1) * n // m))],
                4: [((2 * i + 1) * n // (2 * m), 1.0)]}[mode]
        for j, v in taps:
            w[i, min(max(j, 0), n - 1)] += v
    return w


for s, axis in [((7,), 0), ((1,), -1), ((3, 5), 0), ((2, 3, 4), 1), ((2, 7, 3), -2)]:
    for d in ["float32", "float64"]:
        a = floats(s, d)
        for length, step in [(1, 1), (2, 1), (3, 2), (3, 5)]:
            if length <= s[axis]:
                line = np.lib.stride_tricks.sliding_window_view(a, length, axis).max(-1)
                line = np.moveaxis(line[tuple(slice(None, None, step) if i == axis % a.ndim else slice(None)
                                              for i in range(a.ndim))], axis, -1)
                f.case("pool_max", [a], [axis] + [length] * a.ndim + [step] * a.ndim, line.reshape(-1, 1, line.shape[-1]))
        for k, (mode, corners) in enumerate(MODES):
            for m in (2, 9):
                n = s[axis]
                up = np.moveaxis(np.tensordot(a.astype("float64"), resizing(n, m, mode, corners), (axis, 1)), -1, axis)
                down = np.moveaxis(np.tensordot(a.astype("float64"), resizing(m, n, mode, corners), (axis, 0)), -1, axis)
                f.case("resize", [a], [axis, k] + [m] * a.ndim, up.astype(d), 16)
                f.case("resize_back", [a], [axis, k] + [m] * a.ndim, down.astype(d), 16)
rng = np.random.default_rng(20261128)
for s, axis in [((7,), 0), ((1,), -1), ((3, 5), 0), ((2, 3, 4), 1), ((2, 7, 3), -2)]:
    for d in ["float32", "float64"]:
        a = floats(s, d)
        line = np.moveaxis(a, axis, -1).reshape(-1, 1, s[axis]).astype("float64")
        for length, step in [(1, 1), (2, 1), (3, 2), (3, 5)]:
            if length <= s[axis]:
                total = np.lib.stride_tricks.sliding_window_view(line, length, -1).sum(-1)[..., ::step]
                back = np.zeros(line.shape)
                for i in range(total.shape[-1]):
                    back[..., i * step:i * step + length] += line[..., i:i + 1]
                f.case("pool_sum", [a], [axis] + [length] * a.ndim + [step] * a.ndim, total.astype(d), 8)
                f.case("pool_sum_back", [a], [axis] + [length] * a.ndim + [step] * a.ndim, back.astype(d), 8)
f.write()

# -- array.h: creation by example, rearranging, choosing by index ---------------------------------------------
f = File("array")
rng = np.random.default_rng(20261124)
x, v = ints((2, 3, 4), "int64", -99, 99), floats((5,), "float32")
f.case("zeros_like", [v], [], np.zeros_like(v), 0)
f.case("ones_like", [x], [], np.ones_like(x), 0)
f.case("full_like", [x], [7], np.full_like(x, 7), 0)
for k in [0, 2, -3]:
    f.case("diag", [v], [k], np.diag(v, k), 0)
    f.case("diag", [np.zeros(0, "int8")], [k], np.diag(np.zeros(0, "int8"), k), 0)
f.case("diag", [x[0]], [1], np.stack([np.diag(r, 1) for r in x[0]]), 0)
for k in [0, 1, 3, -1, -2, 4, -3, 9, -9]:
    f.case("diagonal", [x], [k], np.diagonal(x, k, -2, -1), 0)
    f.case("diagonal", [floats((4, 2))[:, :0]], [k], np.zeros(0, "float32"), 0)
for a, b in [((0,), (2,)), ((-1,), (0,)), ((0, 2), (1, 0)), ((), ()), ((2, 0, 1), (0, 1, 2))]:
    f.case("moveaxis", [x], [*a, *b], np.moveaxis(x, a, b), 0)
f.case("swapaxes", [x], [0, -1], np.swapaxes(x, 0, -1), 0)
for axis in [0, 1, -1, FLAT]:
    for n in [0, 1, 3]:
        f.case("repeat", [x], [n, axis], np.repeat(x, n, None if axis == FLAT else axis), 0)
    n = 24 if axis == FLAT else x.shape[axis]
    r = rng.integers(0, 4, n)
    f.case("repeat_each", [x, r], [axis], np.repeat(x, r, None if axis == FLAT else axis), 0)
f.case("repeat_each", [v, np.array([2], "uint8")], [0], np.repeat(v, [2]), 0)
f.case("repeat_each", [v, np.zeros(5, "int32")], [0], v[:0], 0)
for shift, axes in [((1,), (0,)), ((-1,), (2,)), ((5, -7), (1, 2)), ((3,), (FLAT,)), ((1, 1), (2, 2)), ((0,), (1,)), ((10**12 + 1,), (-1,))]:
    f.case("roll", [x], [*shift, *axes], np.roll(x, shift[0], None) if axes[0] == FLAT else np.roll(x, shift, axes), 0)
f.case("roll", [v[:0]], [3, 0], v[:0], 0)
for k in range(-1, 6):
    f.case("rot90", [x], [k, 0, 1], np.rot90(x, k, (0, 1)), 0)
    f.case("rot90", [x], [k, -1, 1], np.rot90(x, k, (-1, 1)), 0)
for n in [(2,), (1, 2), (3, 1, 2), (2, 1, 1, 2), (0,), (2, 0, 1), ()]:
    f.case("tile", [x], n, np.tile(x, n), 0)
f.case("tile", [np.float32(2.5)], [2, 3], np.tile(np.float32(2.5), (2, 3)), 0)
for n, axis in [(2, 0), (3, 1), (2, -1), (1, 1)]:
    for i in range(n):
        f.case("split", [x], [n, axis, i], np.split(x, n, axis)[i], 0)
for places, axis in [((1, 3), 2), ((), 0), ((0, 2, -1, 4), 2)]:
    for i in range(len(places) + 1):
        f.case("cut", [x], [axis, i, *places], np.split(x, [p % 4 if p < 0 else p for p in places], axis)[i], 0)
for axis in [0, 1, -1]:
    for i in range(x.shape[axis]):
        f.case("unstack", [x], [axis, x.shape[axis], i], np.moveaxis(x, axis, 0)[i], 0)
lines = [floats((3,)), ints((2,)), some((4,), "bool")]
for n in [1, 2, 3]:
    for matrix in range(2):
        for i in range(n):
            f.case("meshgrid", lines[:n], [matrix, i], np.meshgrid(*lines[:n], indexing="ij" if matrix else "xy")[i], 0)
many = [x[:1, :, :1], v[:4], np.int8(3)]
for i in range(3):
    f.case("broadcast_arrays", many, [i], np.broadcast_arrays(*many)[i], 0)
for axis in [0, 1, 2, -1]:
    for d in ["int64", "int8", "uint16"]:
        shape = list(x.shape)
        n = shape[axis]
        shape[axis] = 5
        i = rng.integers(0 if d == "uint16" else -n, n, shape).astype(d)
        f.case("take_along_axis", [x, i], [axis], np.take_along_axis(x, i.astype("int64"), axis), 0)
i = rng.integers(0, 4, (2, 1, 3))
f.case("take_along_axis", [x, i], [2], np.take_along_axis(x, i, 2), 0)
f.case("take_along_axis", [v, np.zeros(0, "int64")], [0], v[:0], 0)
for m in [1, 2, 3]:
    for lead in [(), (4,), (2, 3), (0,)]:
        i = np.stack([rng.integers(-x.shape[d], x.shape[d], lead) for d in range(m)], -1)
        f.case("gather_nd", [x, i], [], x[tuple(i[..., d] for d in range(m))], 0)

MODES = [lambda y, i, u: y.__setitem__(i, u), np.add.at, np.multiply.at, np.minimum.at, np.maximum.at]
for mode in range(5):
    for d in ["bool", "int16", "uint64", "float32", "float64"]:
        if mode == 1 and d == "bool":
            continue
        for axis, lead in [(0, (6,)), (1, (2, 2)), (-1, ()), (FLAT, (5,))]:
            a = some((3, 2, 3), d)
            flat = a.reshape(-1) if axis == FLAT else a
            k = 0 if axis == FLAT else axis % 3
            i = rng.integers(-flat.shape[k], flat.shape[k], lead)
            u = some(flat.shape[:k] + lead + flat.shape[k + 1:], d)
            y = np.moveaxis(flat.copy(), k, 0).copy()
            um = np.moveaxis(u, range(k, k + len(lead)), range(len(lead)))
            for at in np.ndindex(*lead):
                MODES[mode](y, (np.array([i[at]]),) if mode else (int(i[at]),), um[at][None] if mode else um[at])
            f.case("scatter", [a, i, u], [axis, mode], np.moveaxis(y, 0, k).reshape(a.shape), 16)
        i = np.stack([rng.integers(-2, 2, (4,)), rng.integers(-3, 3, (4,))], -1)
        a, u = some((2, 3, 2), d), some((4, 2), d)
        y = a.copy()
        for n in range(4):
            MODES[mode](y, (np.array([i[n, 0]]), np.array([i[n, 1]])) if mode else (i[n, 0], i[n, 1]), u[n][None] if mode else u[n])
        f.case("scatter_nd", [a, i, u], [mode], y, 16)
half = np.array([1.5, 2.5, -1, 3], "float16")
f.case("scatter", [half, np.array([0, 0, 1]), np.array([2, 2, 0.5], "float16")], [0, 2], np.array([6, 1.25, -1, 3], "float16"), 0)
for shape, behind in [((5,), ()), ((3, 4), ()), ((3,), (2,)), ((), (3,)), ((0, 2), ())]:
    m = rng.random(shape) < 0.5
    a = ints(shape + behind)
    f.case("mask_select", [a, np.asarray(m)], [], a[m] if shape else a[None][[bool(m)]], 0)
for d in DTYPES:
    a = some((3, 4), d) * (rng.random((3, 4)) < 0.5).astype(d)
    f.case("argwhere", [a], [], np.argwhere(a), 0)
    for n in range(2):
        f.case("nonzero", [a], [n], np.nonzero(a)[n], 0)
    for axes in [(0,), (0, 1), ()]:
        f.case("count_nonzero", [a], [1, *axes], np.sum(a != 0, axis=axes, keepdims=True), 0)
f.case("argwhere", [np.float32(NAN)], [], np.zeros((1, 0), "int64"), 0)
f.case("argwhere", [np.zeros((2, 0), "int8")], [], np.zeros((0, 2), "int64"), 0)
for d in DTYPES:
    line, v = np.sort(some((9,), d)), some((2, 7), d)
    for right in range(2):
        f.case("searchsorted", [line, v], [right], np.searchsorted(line, v, "right" if right else "left"), 0)
        f.case("searchsorted", [line[:0], v], [right], np.zeros((2, 7), "int64"), 0)
line = np.array([-INF, -1, -0.0, 0.0, 2, INF, NAN, NAN], "float64")
for right in range(2):
    f.case("searchsorted", [line, line], [right], np.searchsorted(line, line, "right" if right else "left"), 0)
f.case("searchsorted", [np.arange(5, dtype="int8"), np.int32(300)], [0], np.int64(5), 0)
a = some((3, 8), "float32")
for axis, k in [(0, 2), (1, 5), (-1, 8), (1, 0)]:
    for largest in range(2):
        f.case("topk", [a], [k, axis, largest], np.take_along_axis(a, np.take(order(a, axis, largest), range(k), axis), axis), 0)
for d in DTYPES:
    for shape in [(3, 5), (20,), (0,), ()]:
        a = some(shape, d).round() if np.dtype(d).kind == "f" else some(shape, d)
        a = np.asarray(a)
        if a.dtype.kind == "f" and a.size > 9:
            a.ravel()[[1, 5]] = NAN
        v, i, inv, c = np.unique(a, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
        inv = inv.reshape(a.shape)
        for n, r in enumerate([v, i, inv, c]):
            f.case("unique", [a], [n], r, 0)
for d in ["int32", "uint8", "float32", "float64"]:
    a = some((3, 5), d)
    for n in [0, 1, 2, 4]:
        for axis in [0, -1]:
            f.case("diff", [a], [axis, n], np.diff(a, min(n, a.shape[axis]), axis), 8)
    f.case("diff", [a, a[:, :1], a[:, :2]], [1, 2], np.diff(a, 2, 1, a[:, :1], a[:, :2]), 8)
a = rng.integers(0, 6, (3, 4))
f.case("bincount", [a], [-1], np.bincount(a.ravel()), 0)
f.case("bincount", [a.astype("uint8")], [9], np.bincount(a.ravel(), minlength=9), 0)
f.case("bincount", [a[:0]], [-1], np.zeros(0, "int64"), 0)
w = floats((3, 4), "float64")
f.case("bincount", [a, w], [6], np.bincount(a.ravel(), w.ravel(), 6), 16)
a, edges = floats((50,), "float64"), np.linspace(-2, 2.5, 8)
a[:4] = [NAN, INF, -2, 2.5]
f.case("histogram", [a, edges], [], np.histogram(a, edges)[0], 0)
w = floats((50,), "float32")
f.case("histogram", [a, edges, w], [], np.histogram(a, edges, weights=w.astype("float64"))[0].astype("float32"), 32)
a = floats((4, 7), "float64")
for axis in [0, 1, FLAT]:
    for keep in range(2):
        kw = dict(axis=None if axis == FLAT else axis, keepdims=bool(keep))
        q = [0, 1, 0.5, 0.3, 0.99]
        f.case("quantile", [a], [axis, keep, *q], np.quantile(a, q, **kw), 16)
        f.case("median", [a], [axis, keep], np.median(a, **kw), 16)
        f.case("median", [a.astype("float32")], [axis, keep], np.median(a.astype("float32").astype("float64"), **kw).astype("float32"), 4)
a[1, 2] = NAN
f.case("quantile", [a], [1, 0, 0.25], np.quantile(a, [0.25], axis=1), 16)
f.case("median", [a.astype("float16")], [0, 0], np.median(a.astype("float16").astype("float64"), axis=0).astype("float16"), 4)
for d in ["float32", "float64"]:
    a = floats((6, 3), d)
    w = a.astype("float64")
    for ddof in [0, 1]:
        f.case("covariance", [a], [ddof], np.cov(w, rowvar=False, ddof=ddof).astype(d), 64)
    f.case("correlation", [a], [], np.corrcoef(w, rowvar=False).astype(d), 64)
a = floats((2, 5, 2), "float64")
f.case("covariance", [a], [1], np.stack([np.cov(m, rowvar=False) for m in a]), 64)

for text in ["ij,jk->ik", "ij,jk", "ji,jk->ki", "ij,kj->ik", "bij,bjk->bik", "ij,ij->", "ij,ij->i", "i,j->ij", "i,i", "ii->i", "ii", "ij->ji",
             "ij->", "iij->j", "ij,jk,kl->il", "a,ab,b->", "ijk,jil->kl", "ab,bc,cd,de,ea->", "ijkl,jm,kn->imnl", "b...,b->...", "...ij,...jk->...ik",
             "...i,...i->...", "i...->...", "ab,ab,ab->ab", "abc,c->ba", "ij,jk,lm->ikm", "xi,xj,xk->ijk", "Ab,bC->CA", "ij , jk -> ik", ",ij->ij"]:
    terms = text.split("->")[0].replace(" ", "").split(",")
    length = dict(zip("abcdeijklmnxAbC", [3, 2, 4, 2, 3, 3, 4, 2, 3, 2, 2, 5, 3, 2, 3]))
    for d in ["float64", "int32"] if len(terms) < 4 else ["float64"]:
        ins = []
        for t in terms:
            t = t.replace("...", "12" if t.count("j") else "2")
            ins.append(some([length.get(c, 2) for c in t], d) if t else np.asarray(some((), d)))
        r = np.einsum(text, *ins)
        f.case("einsum=" + text.replace(" ", ""), ins, [], np.asarray(r).astype(d), 64)
a, b = floats((3, 1), "float32"), floats((4, 2), "float32")
f.case("einsum=ij,jk->ik", [a, b], [], np.einsum("ij,jk->ik", np.repeat(a, 4, 1), b), 8)
f.case("einsum=ij,jk->ik", [np.zeros((3, 0), "float32"), np.zeros((0, 2), "float32")], [], np.zeros((3, 2), "float32"), 0)
many = [floats((2, 2), "float64") for _ in range(10)]
f.case("einsum=ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak", many, [], np.linalg.multi_dot(many), 64)
a, b = floats((2, 3, 4), "float64"), floats((4, 3, 5), "float64")
for of_a, of_b in [((1, 2), (1, 0)), ((-1,), (0,)), ((), ()), ((2, 1), (0, 1))]:
    f.case("tensordot", [a, b], [*of_a, *of_b], np.tensordot(a, b, (of_a, of_b)), 16)
for sa, sb, axis in [((3, 4), (3, 4), -1), ((2, 3, 4), (3, 4), -2), ((4,), (2, 4), -1), ((2, 1, 3), (5, 3), -1)]:
    for d in ["float64", "int16"]:
        a, b = some(sa, d), some(sb, d)
        rank = max(len(sa), len(sb))
        f.case("vecdot", [a, b], [axis], (a * b).sum(axis, dtype=d), 8)
a, b = ints((3,), "int64"), ints((4,), "int16")
f.case("outer", [a, b], [], np.outer(a, b), 0)
for sa, sb in [((2, 3), (3, 2)), ((2,), (3,)), ((2, 2), (3,)), ((2,), (2, 1, 3)), ((), (2,))]:
    a, b = np.asarray(some(sa, "float32")), np.asarray(some(sb, "float32"))
    f.case("kron", [a, b], [], np.kron(a, b), 2)
f.write()
