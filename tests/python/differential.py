"""Small cases drawn at random, with the corners of each dtype, as NumPy computes them: the same value, dtype and shape, or an
exception where NumPy raises one. The exceptions of ours where NumPy gives a value are the decisions of docs/python.md; `may` names
them. ORR_TEST_FULL=1 takes forty times the cases, ORR_TEST_SEED another seed.
"""
import copy
import operator
import os
import pickle
import random
import warnings

from check import end, fail, numpy_or_skip, o

np = numpy_or_skip()
warnings.simplefilter("ignore")
np.seterr(all="ignore")
CASES = 200000 if os.environ.get("ORR_TEST_FULL") else 5000
R = random.Random(int(os.environ.get("ORR_TEST_SEED", "43")))
INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
ALL = ["bool"] + INTS + FLOATS + ["complex64", "complex128"]
ERRORS = (ValueError, TypeError, IndexError, OverflowError)
NO_SIGN = 1e-300  # equal, but zeros may have either sign: NumPy takes any of equal elements
ABOUT = {"float16": 4e-3, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-12, "complex128": 1e-12}  # of functions that round


def kind(t):
    return np.dtype(t).kind


def outcome(f):
    try:
        return f(), None
    except Exception as e:  # noqa: BLE001
        return None, e


def plain(v):
    return np.asarray(v) if isinstance(v, o.Tensor) else [plain(x) for x in v] if isinstance(v, (tuple, list)) else v


def equal(g, w, rtol):
    if isinstance(w, (tuple, list)):
        return len(g) == len(w) and all(equal(p, q, rtol) for p, q in zip(g, w))
    if not isinstance(w, (np.ndarray, np.generic)):
        return type(g) is type(w) and (g == w or g != g and w != w)
    g, w = np.asarray(g), np.asarray(w)
    if g.shape != w.shape or g.dtype != w.dtype:
        return False
    if w.dtype.kind not in "fc":
        return np.array_equal(g, w)
    if rtol:
        return np.allclose(g, w, rtol=rtol, atol=rtol, equal_nan=True)
    zero = w == 0
    return np.array_equal(g, w, equal_nan=True) and (w.dtype.kind == "c" or np.array_equal(np.signbit(g[zero]), np.signbit(w[zero])))


def check(what, ours, theirs, rtol=0.0, may=()):
    want, refused = outcome(theirs)
    got, error = outcome(lambda: plain(ours()))
    if error is not None and not isinstance(error, ERRORS + (o.Error,)):
        fail("%s: %s: %s" % (what, type(error).__name__, error))
    elif refused is not None and error is None:
        fail("%s: %r, and NumPy raises %s: %s" % (what, got, type(refused).__name__, refused))
    elif refused is None and error is not None and not isinstance(error, may):
        fail("%s: %s: %s, and NumPy gives %r" % (what, type(error).__name__, error, want))
    elif refused is None and error is None and not equal(got, want, rtol):
        fail("%s: %r, not %r" % (what, got, want))


# -- arrays and numbers ---------------------------------------------------------------------------------------------------------


def number(t):
    """An element of the dtype, often one at a corner."""
    if t == "bool":
        return R.random() < 0.5
    if kind(t) in "iu":
        low, high = np.iinfo(t).min, np.iinfo(t).max
        return R.choice([0, 1, 2, 3, 7, low, low + 1, high, high - 1, R.randint(low, high), R.randint(max(low, -9), 9)])
    if kind(t) == "f":
        f = np.finfo(t)
        return R.choice([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, float("nan"), float("inf"), -float("inf"), float(f.max),
                         float(f.tiny), R.gauss(0, 3), R.gauss(0, 3), float(R.randint(-9, 9))])
    return tame(t)


def tame(t):
    """A small one, with which sums and products are exact or finite."""
    if kind(t) in "biu":
        return R.random() < 0.5 if t == "bool" else R.randint(0 if kind(t) == "u" else -9, 9)
    return R.gauss(0, 3) if kind(t) == "f" else complex(R.gauss(0, 3), R.gauss(0, 3))


def shape(most=3):
    return tuple(R.choice([0, 1, 2, 3, 3, 4]) for _ in range(R.randint(0, most)))


def beside(s):
    """A shape that mostly broadcasts with s."""
    s = tuple(1 if R.random() < 0.2 else n for n in s[R.choice([0, 0, 0, 1]):])
    return s + (5,) if R.random() < 0.06 else s


def array(t, s, draw=number):
    a = np.empty(s, t)
    for i in np.ndindex(*s):
        a[i] = draw(t)
    return a


def drawn_axis(rank):
    return R.randint(-rank - 1, rank)


# -- operators ------------------------------------------------------------------------------------------------------------------

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
             "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
             ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge, "divmod": divmod}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def undefined(name, t, u):
    """The standard leaves open what an operator does with the dtypes: ours is an error."""
    a, b = kind(t), kind(u)
    signs = {a, b} == {"i", "u"} and "uint64" in (t, u)
    arithmetic = name not in COMPARISONS and name not in "&|^" and name not in ("/", "+", "*")
    return (signs and name != "/" or a == b == "b" and arithmetic or
            name in COMPARISONS[2:] + ("//", "%", "divmod") and "c" in a + b)


def applied(name, a, b):
    """Of arrays; NumPy takes a root where the exponent is one element, which is another number for −∞ and −0."""
    if name != "**":
        return OPERATORS[name](a, b)
    a, b = map(np.array, np.broadcast_arrays(a, b))  # each with its elements in memory
    return np.power(a.reshape(-1), b.reshape(-1)).reshape(a.shape)


def far(name, *arrays):
    """Powers that complex numbers have in NumPy's own way: of 0, and with many digits lost."""
    return name == "**" and any(kind(a.dtype) == "c" for a in arrays) and any((a == 0).any() or (abs(a) > 9).any() for a in arrays)


def rounding(name, t):
    return ABOUT.get(t, 0) if name == "**" or kind(t) == "c" else 0


def tensors():
    name, t = R.choice(list(OPERATORS)), R.choice(ALL)
    f, u, s = OPERATORS[name], t if R.random() < 0.7 else R.choice(ALL), shape()
    a, b = array(t, s), array(u, beside(s))
    if far(name, a, b):
        return
    empty = o.InvalidError if name == "**" and (not a.size or not b.size or {"uint64"} < {t, u}) else ()

    def theirs():  # the dtypes alone decide
        c = np.result_type(a.dtype, b.dtype)
        r = applied(name, a.astype(c), b.astype(c))
        if not isinstance(r, (bool, tuple)) and r.shape != np.broadcast_shapes(a.shape, b.shape):
            raise ValueError("an old NumPy compares the arrays as objects")
        if isinstance(r, bool):
            raise ValueError("shapes")
        return r
    check("%s %r %s %s %r" % (t, a.tolist(), name, u, b.tolist()), lambda: f(o.asarray(a), o.asarray(b)), theirs,
          max(rounding(name, t), rounding(name, u)), (o.DtypeError, *([empty] if empty else [])) if undefined(name, t, u) else empty)


def python_number():
    return R.choice([True, False, 0, 1, -1, 2, 3, 7, -3, 100, 200, 300, -200, 40000, 70000, 2**31, 2**32, -2**31 - 1, 2**53 + 1, 2**63,
                     2**64 - 1, 2**64, -2**63, 2**100, 0.0, -0.0, 1.0, 2.0, 0.5, -1.5, 2.5, 1e300, float("nan"), float("inf"), 1j, 1 + 2j])


def numbers():
    """A Python number takes the dtype of the tensor, as in NumPy 2; comparisons of integers are exact."""
    name, t, v, left = R.choice(list(OPERATORS)), R.choice(ALL), python_number(), R.random() < 0.5
    f, a, k = OPERATORS[name], array(t, shape(2)), kind(t)
    of = "b" if isinstance(v, bool) else "i" if isinstance(v, int) else "f" if isinstance(v, float) else "c"

    def theirs():
        if name in COMPARISONS and k in "biu" and of in "bif":
            return np.array([f(v, x) if left else f(x, v) for x in a.ravel().tolist()], bool).reshape(a.shape)
        c = np.dtype(t)
        if of == "c" and k != "c":
            c = np.dtype("complex64" if t in ("float16", "float32") else "complex128")
        elif k in "biu" and (of == "f" or name == "/"):
            c = np.dtype("float64")
        elif k == "b" and of == "i":
            c = np.dtype("int64")
        if of == "i" and c.kind in "iu" and not np.iinfo(c).min <= v <= np.iinfo(c).max:
            raise OverflowError("no value of the dtype")
        b = np.asarray(v if c.kind in "iub" else complex(v) if c.kind == "c" else float(v)).astype(c)
        return applied(name, b, a.astype(c)) if left else applied(name, a.astype(c), b)
    open_ = undefined(name, t, {"b": t if k in "if" else "bool", "i": t if k != "b" else "int64", "f": t if k in "fc" else "float64",
                                "c": "complex128"}[of])
    sure = name in COMPARISONS and k in "biu" and of in "bif"
    if far(name, a, np.asarray(complex(v)) if of == "c" or k == "c" else np.ones(())):
        return
    check("%r %s %s %r" % (v, name, t, a.tolist()) if left else "%s %r %s %r" % (t, a.tolist(), name, v),
          lambda: f(v, o.asarray(a)) if left else f(o.asarray(a), v), theirs,
          ABOUT[t if k in "fc" else "complex64"] if name == "**" and k not in "b" or k == "c" or of == "c" else 0,
          () if sure else o.InvalidError if name == "**" and not a.size and of == "i" and k in "iu" else (o.DtypeError, OverflowError) if open_ or of == "b" else ())


def arrays_on_the_left():
    name, t, s = R.choice(list(OPERATORS)), R.choice(["int32", "int64", "float32", "float64"]), shape(2)
    f, a, b = OPERATORS[name], array(t, s, tame), array(t, s, tame)
    what = "array %s %r %s %r" % (t, a.tolist(), name, b.tolist())
    check(what, lambda: f(a, o.asarray(b)), lambda: f(a, b), rounding(name, t), o.DtypeError if undefined(name, t, t) else ())
    r, _ = outcome(lambda: f(a, o.asarray(b)))
    if r is not None and not isinstance(r, (o.Tensor, tuple)):
        fail("%s: %s" % (what, type(r)))


def in_place():
    """An operation in place changes neither dtype nor shape."""
    some = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex128"]
    name = R.choice("iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split())
    t, s, f = R.choice(some), shape(2), getattr(operator, name)
    u = t if R.random() < 0.4 else R.choice(some)
    a, b = array(t, s, tame), array(u, beside(s) if R.random() < 0.8 else (2,) + s, tame)
    symbol = {"iadd": "+", "isub": "-", "imul": "*", "itruediv": "/", "ifloordiv": "//", "imod": "%", "ipow": "**", "iand": "&",
              "ior": "|", "ixor": "^", "ilshift": "<<", "irshift": ">>"}[name]
    whole, part = a.copy(), o.asarray(a)
    check("%s %r %s %s %r" % (t, a.tolist(), name, u, b.tolist()), lambda: f(part, o.asarray(b)), lambda: f(whole, b),
          max(rounding(symbol, t), rounding(symbol, u)) or (1e-5 if t == "float32" else 0),
          o.DtypeError if undefined(symbol, t, u) or not b.ndim and t != u else o.InvalidError if not a.size else ())


def of_one():
    t = R.choice(ALL)
    a = array(t, shape())
    name, f = R.choice([
        ("-", operator.neg), ("+", operator.pos), ("abs", abs), ("~", operator.invert), ("bool", bool), ("int", int), ("float", float),
        ("index", operator.index), ("len", len), ("hash", hash), ("tolist", lambda x: x.tolist()), ("item", lambda x: x.item()),
        ("iteration", lambda x: [np.asarray(v) for v in x])])
    if name in ("int", "float") and a.shape and a.size == 1:
        return  # an exception from NumPy 2.4 on
    may = o.DtypeError if t == "bool" and name in ("+", "abs") else ValueError if name == "bool" and not a.size else ()
    check("%s %s %r" % (name, t, a.tolist()), lambda: f(o.asarray(a)), lambda: f(a), ABOUT.get(t, 0) if kind(t) == "c" else 0, may)


# -- indices, assignments, conversions ------------------------------------------------------------------------------------------


def one_key(n):
    k = R.random()
    if k < 0.25:
        return R.randint(-n - 1, n)
    if k < 0.6:
        def bound():
            return R.choice([None, None] + list(range(-n - 2, n + 3)) + [10**9, -10**9, 2**63 - 1, -2**63, 2**70, -2**70])
        return slice(bound(), bound(), R.choice([None, 1, 2, 3, -1, -2, -3, 0, 10**9, -10**9, 2**63 - 1, -2**63, 2**70]))
    if k < 0.72:
        return np.array([R.randrange(-n, n) for _ in range(R.randint(0, 3))] if n else [], dtype=R.choice(["int64", "int8"]))
    if k < 0.82:
        return np.array([R.random() < 0.5 for _ in range(n if R.random() < 0.8 else n + 1)], dtype=bool)
    return R.choice([None, Ellipsis, 1.0, "a", np.int64(0), np.float64(0), 1j, [0], [], [0.5], np.array(1.5), np.uint8(0)])


def ours_of(k):
    return o.asarray(k) if isinstance(k, np.ndarray) else k


def index():
    s = shape()
    a = np.arange(int(np.prod(s)), dtype=R.choice(["int64", "float32", "uint8"])).reshape(s)
    key = tuple(one_key(s[i] if i < len(s) else 2) for i in range(R.randint(0, len(s) + 1)))
    ours = tuple(ours_of(k) for k in key)
    if len(key) == 1 and R.random() < 0.5:
        key, ours = key[0], ours[0]
    _, refused = outcome(lambda: a[key])
    if "out of bounds" in str(refused):
        got, _ = outcome(lambda: o.asarray(a)[ours].size)
        if got == 0:
            return  # a decision: places of an empty result are not looked at
    check("%s[%r]" % (s, key), lambda: o.asarray(a)[ours], lambda: a[key])
    v = R.choice([0, 1, -1, 300, -200, 2.0, 1j, True])
    fits = not isinstance(v, int) or a.dtype.kind == "f" or np.iinfo(a.dtype).min <= v <= np.iinfo(a.dtype).max

    def assigned(x, k):
        x[k] = v
        if not fits:
            raise OverflowError("no value of the dtype")
        return x
    check("%s %s[%r] = %r" % (a.dtype, s, key, v), lambda: assigned(o.asarray(a), ours) if fits else o.asarray(a).__setitem__(ours, v),
          lambda: assigned(a.copy(), key))


def assign():
    some = ["int8", "int64", "float32", "float64", "complex128", "bool"]
    s, t, u = shape(2), R.choice(some), R.choice(some)
    a, key = array(t, s, tame), tuple(slice(None) if R.random() < 0.5 else slice(R.randint(0, 2), None) for _ in s)
    full = a[key].shape
    some_axes = [(1,) + full, (1, 1) + full, full + (2,)] if s else []  # NumPy 2.4 puts no array of one element into an array without axes
    v = array(u, R.choice([full, full[1:], ()] + some_axes), tame)

    def assigned(x, v):
        x[key] = v
        return x
    check("%s %s[%r] = %s %r" % (t, s, key, u, v.tolist()), lambda: assigned(o.asarray(a), o.asarray(v)), lambda: assigned(a.copy(), v),
          may=o.DtypeError if kind(u) == "c" != kind(t) else ())


def convert():
    t, u = R.choice(ALL), R.choice(ALL)
    a = array(t, shape(2), number if kind(t) not in "fc" or kind(u) in "fcb" else lambda t: abs(tame(t)))
    check("astype %s %s %r" % (t, u, a.tolist()), lambda: o.astype(o.asarray(a), u), lambda: a.astype(u),
          may=o.DtypeError if kind(t) == "c" and kind(u) not in "cb" else ())
    v = python_number()

    def theirs():
        if isinstance(v, complex) and kind(u) not in "cb":
            raise TypeError("a complex number")
        if kind(u) in "iu" and not (v == v and abs(v) != float("inf") and np.iinfo(u).min <= int(v) <= np.iinfo(u).max):
            raise OverflowError("no value of the dtype")
        return np.asarray([int(v) if kind(u) in "iu" else bool(v) if u == "bool" else float(v) if kind(u) == "f" else v] * 2, dtype=u)
    check("asarray([%r], %s)" % (v, u), lambda: o.asarray([v, v], dtype=u), theirs)


def store():
    t = R.choice(ALL)
    a = array(t, shape())
    x, what = o.asarray(a), "%s %s" % (t, a.shape)
    check("pickle " + what, lambda: pickle.loads(pickle.dumps(x, R.randint(0, pickle.HIGHEST_PROTOCOL))), lambda: a)
    check("copy " + what, lambda: copy.copy(x), lambda: a)
    check("deepcopy " + what, lambda: copy.deepcopy([x])[0], lambda: a)
    check("bytes " + what, lambda: x.tobytes(), lambda: a.tobytes())
    check("dtype " + what, lambda: pickle.loads(pickle.dumps(x.dtype)) is x.dtype and copy.deepcopy(x.dtype) is x.dtype, lambda: True)
    text = str(x) + repr(x)
    for v in a.ravel().tolist() if kind(t) == "f" else []:
        if v != v and "nan" not in text or abs(v) == float("inf") and "inf" not in text or v == 0 and str(v)[0] == "-" and "-0" not in text:
            fail("%s %r is written as %s" % (t, a.tolist(), text))


# -- functions ------------------------------------------------------------------------------------------------------------------


def product():
    t = R.choice(INTS + FLOATS + ["complex128"])
    k = R.choice([0, 1, 2, 3])
    a = array(t, R.choice([(k,), (2, k), (3, 2, k), (), (2, 0, k)]), number if kind(t) in "iu" else tame)
    b = array(t, R.choice([(k,), (k, 2), (3, k, 2), (1, k, 2), (), (k + 1,)]), number if kind(t) in "iu" else tame)
    check("%s %r @ %r" % (t, a.tolist(), b.tolist()), lambda: o.asarray(a) @ o.asarray(b), lambda: np.matmul(a, b),
          {"float16": 5e-2}.get(t, ABOUT.get(t, 0)))


def reduction():
    name, t, s, keep = R.choice("sum prod mean min max any all var argmin argmax count_nonzero cumulative_sum".split()), R.choice(ALL), shape(), R.random() < 0.3
    exact = name in ("min", "max", "any", "all", "argmin", "argmax", "count_nonzero")
    a = array(t, s, number if exact or kind(t) in "iu" else tame)
    axes = [None] + [drawn_axis(len(s))] * 3 + [tuple(R.sample(range(len(s)), R.randint(0, len(s))))]
    options = {"axis": R.choice(axes), **({} if name.startswith("cumulative") else {"keepdims": keep})}
    if not a.size and name[:3] in ("min", "max", "arg") or not s and options["axis"] is not None:
        return  # decisions: an empty result has no place to be asked for; a tensor without axes has no axis 0
    may = o.DtypeError if name in ("min", "max", "argmin", "argmax") and kind(t) == "c" else \
        (ValueError, TypeError) if name.startswith("cumulative") and options["axis"] is None else \
        TypeError if name.startswith("arg") and isinstance(options["axis"], tuple) else ()
    check("%s %s %s %r" % (name, t, options, a.tolist()), lambda: getattr(o, name)(o.asarray(a), **options),
          lambda: np.asarray(getattr(np, {"cumulative_sum": "cumsum"}.get(name, name))(a, **options)), NO_SIGN if exact else {"float16": 5e-2}.get(t, ABOUT.get(t, 0)), may)


EXACT = "square floor ceil trunc round isnan isinf isfinite signbit conj real imag logical_not sign".split()


def wide(a):
    """Where floats are wanted, integers become float64; NumPy makes float16 and float32 of narrow ones."""
    return a.astype("float64") if kind(a.dtype) in "biu" else a


def function():
    name, t = R.choice(EXACT + "sqrt exp log log2 log10 log1p expm1 sin cos tan sinh cosh tanh arctan".split()), R.choice(ALL)
    a = array(t, shape())
    if name in ("floor", "ceil", "trunc") and kind(t) in "iu" or name == "sign" and kind(t) == "c" or kind(t) == "c" and name not in EXACT:
        return  # NumPy 1 makes floats of integers, and has another sign
    check("%s %s %r" % (name, t, a.tolist()), lambda: getattr(o, name.replace("arc", "a"))(o.asarray(a)),
          lambda: getattr(np, name)(a if name in EXACT else wide(a)),
          0 if name in EXACT and kind(t) != "c" else ABOUT.get(t, 1e-12),
          o.DtypeError if name in EXACT and t == "bool" or name == "logical_not" else ())


def function_of_two():
    name, t, s = R.choice("maximum minimum hypot copysign nextafter logaddexp remainder floor_divide".split()), R.choice(ALL), shape(2)
    a, b = array(t, s), array(t, beside(s))
    floats = name in ("hypot", "copysign", "nextafter", "logaddexp")
    check("%s %s %r %r" % (name, t, a.tolist(), b.tolist()), lambda: getattr(o, name)(o.asarray(a), o.asarray(b)),
          lambda: getattr(np, name)(*map(wide, (a, b)) if floats else (a, b)),
          ABOUT.get(t, 1e-12 if floats else 0) if name in ("hypot", "logaddexp", "maximum", "minimum") else 0,
          o.DtypeError if kind(t) == "c" or t in ("bool", "float16") else ())


def order():
    t, s = R.choice(["bool"] + INTS + FLOATS), shape(2)
    a, axis = array(t, s), drawn_axis(len(s))
    x, what = o.asarray(a), "%s %s %r" % (t, axis, a.tolist())
    if s:
        check("sort " + what, lambda: o.sort(x, axis=axis), lambda: np.sort(a, axis=axis), NO_SIGN)
        check("argsort " + what, lambda: o.argsort(x, axis=axis), lambda: np.argsort(a, axis=axis, kind="stable"))
        check("nonzero " + what, lambda: o.nonzero(x), lambda: np.nonzero(a))
    check("unique " + what, lambda: tuple(o.unique_counts(x)), lambda: np.unique(a, equal_nan=False, return_counts=True), NO_SIGN)
    line, side, v = np.sort(array(t, (R.randint(0, 5),))), R.choice(["left", "right"]), number(t)
    if t != "bool":
        check("searchsorted %s %r %r" % (t, line.tolist(), a.tolist()), lambda: o.searchsorted(o.asarray(line), x, side=side),
              lambda: np.searchsorted(line, a, side=side))
    check("%r in %s %r" % (v, t, a.tolist()), lambda: v in x, lambda: bool(np.any(a == np.asarray(v, t))))
    c, d = array("bool", beside(s)), array(t, beside(s))
    check("where %r %s %r %r" % (c.tolist(), t, a.tolist(), d.tolist()), lambda: o.where(o.asarray(c), x, o.asarray(d)),
          lambda: np.where(c, a, d))


def form():
    """Functions of shapes."""
    s = shape()
    if not s:
        return
    a = np.arange(int(np.prod(s)), dtype="float32").reshape(s)
    x, p, q, k = o.asarray(a), drawn_axis(len(s)), drawn_axis(len(s)), R.choice([0, 1, 2, -1, 5])
    to = tuple(R.choice([-1, 0, 1, 2, 3, a.size]) for _ in range(R.randint(0, 3)))
    order_ = tuple(R.randint(-len(s), len(s) - 1) for _ in s)
    wider = R.choice([(2,) + s, tuple(3 if n == 1 else n for n in s), s[1:], s + (1,), (0,) + s, (-1,) + s])
    b = np.ones(tuple(n if R.random() < 0.8 else n + 1 for n in s), "float32")
    cases = {
        "reshape": (lambda: o.reshape(x, to), lambda: a.reshape(to)), "squeeze": (lambda: o.squeeze(x, p), lambda: np.squeeze(a, p)),
        "expand_dims": (lambda: o.expand_dims(x, axis=p), lambda: np.expand_dims(a, p)),
        "broadcast_to": (lambda: o.broadcast_to(x, wider), lambda: np.broadcast_to(a, wider)),
        "permute": (lambda: o.permute_dims(x, order_), lambda: np.transpose(a, order_)),
        "roll": (lambda: o.roll(x, k, axis=p), lambda: np.roll(a, k, axis=p)), "flip": (lambda: o.flip(x, axis=p), lambda: np.flip(a, p)),
        "repeat": (lambda: o.repeat(x, k, axis=p), lambda: np.repeat(a, k, axis=p)),
        "stack": (lambda: o.stack([x, o.asarray(b)], axis=p), lambda: np.stack([a, b], axis=p)),
        "concat": (lambda: o.concat([x, o.asarray(b)], axis=p), lambda: np.concatenate([a, b], axis=p)),
        "moveaxis": (lambda: o.moveaxis(x, p, q), lambda: np.moveaxis(a, p, q)),
        "diff": (lambda: o.diff(x, abs(k) or 1, axis=p), lambda: np.diff(a, abs(k) or 1, axis=p)),
        "linspace": (lambda: o.linspace(p, q, k, endpoint=p < q), lambda: np.linspace(p, q, k, endpoint=p < q)),
        "arange": (lambda: o.arange(p / 2, q, k or 1), lambda: np.arange(p / 2, q, k or 1)),
        "eye": (lambda: o.eye(k, abs(p), k=q), lambda: np.eye(k, abs(p), q))}
    name = R.choice(list(cases))
    empty = name == "repeat" and k < 0 and not a.size  # NumPy does not look at the number then
    check("%s %s %s" % (name, s, (p, q, k, to, order_, wider, b.shape)), *cases[name], 1e-6 if name == "linspace" else 0,
          o.Error if empty else ())


GROUPS = {tensors: 8, numbers: 8, arrays_on_the_left: 2, in_place: 3, of_one: 4, index: 8, assign: 2, convert: 3, store: 1, product: 2,
          reduction: 5, function: 3, function_of_two: 2, order: 2, form: 5}
for group in R.choices(list(GROUPS), GROUPS.values(), k=CASES):
    group()
end()
