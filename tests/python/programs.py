"""Random programs of some twenty statements beside NumPy: operations on results of operations, parts, assignments to parts, and
evaluations at any place. Elements that both compute without rounding are the same bits, others differ by a rounding that a wider NumPy
measures. ORR_TEST_FULL=1 takes forty times the programs, ORR_TEST_SEED another seed, ORR_TEST_ONE one program, which is printed.
"""
import os
import random
import warnings

from check import end, fail, numpy_or_skip, o

np = numpy_or_skip()
if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    np._set_promotion_state("weak")  # the dtypes of NumPy 2 (NEP 50)
warnings.simplefilter("ignore")
np.seterr(all="ignore")
PROGRAMS = 4000 if os.environ.get("ORR_TEST_FULL") else 100
SEED = int(os.environ.get("ORR_TEST_SEED", "43"))
ONE = os.environ.get("ORR_TEST_ONE")
INTS = ("int8", "int32", "int64", "uint8")
WIDE = {"float32": "float64", "float64": "longdouble", "complex64": "complex128", "complex128": "clongdouble"}
MANY = 4000  # elements of an array


class Name:
    """A name of the program: our tensor, NumPy's array, the same in a wider dtype, and whether it is exact."""

    def __init__(self, ours, theirs, wide, exact):
        self.ours, self.theirs, self.wide, self.exact = ours, theirs, wide, exact

    @property
    def kind(self):
        return self.theirs.dtype.kind

    @property
    def shape(self):
        return self.theirs.shape


class Impossible(Exception):
    """The statement is not for these operands."""


def widened(a):
    return a.astype(WIDE.get(a.dtype.name, a.dtype))


class Program:
    def __init__(self, seed):
        self.r, self.names, self.text, self.seed = random.Random(seed), [], [], seed
        for _ in range(self.r.randint(1, 3)):
            self.leaf()

    # -- operands

    def leaf(self, shape=None, kind=None):
        r = self.r
        shape = tuple(r.choice([1, 2, 3, 4, 7, 16, 0] if r.random() < 0.1 else [1, 2, 3, 4, 7, 16]) for _ in range(r.randint(0, 3))) \
            if shape is None else shape
        if r.random() < 0.08 and len(shape) == 1:
            shape = (r.randint(100, 3000),)
        t = r.choice(["float32"] * 3 + ["float64"] * 3 + list(INTS) + ["bool", "complex64", "complex128"]) if kind is None else kind
        g = np.random.default_rng(r.randrange(2**32))
        k = np.dtype(t).kind
        a = g.integers(0, 2, shape).astype(bool) if k == "b" else g.integers(-8 if k == "i" else 0, 9, shape).astype(t) if k in "iu" else \
            g.integers(-8, 9, shape).astype(t) / np.dtype(t).type(4) if k == "f" and r.random() < 0.4 else \
            g.normal(size=shape).astype(t) if k == "f" else (g.normal(size=shape) + 1j * g.normal(size=shape)).astype(t)
        a = np.asarray(a)
        self.add("leaf(%s, %s)" % (shape, t), o.asarray(a), a.copy(), widened(a), True)
        return self.names[-1]

    def add(self, text, ours, theirs, wide, exact):
        self.text.append("v%d = %s" % (len(self.names), text))
        self.names.append(Name(ours, theirs, wide, exact))

    def pick(self, kinds="biufc", exact=False, rank=0):
        fit = [k for k, n in enumerate(self.names[-12:], max(0, len(self.names) - 12)) if n.kind in kinds and (n.exact or not exact) and
               len(n.shape) >= rank]
        if not fit:
            raise Impossible
        return self.r.choice(fit)

    def beside(self, k):
        """A name that broadcasts with name k and has its dtype; at times a new one."""
        n = self.names[k]
        for _ in range(4):
            j = self.pick()
            m = self.names[j]
            try:
                shape = np.broadcast_shapes(n.shape, m.shape)
            except ValueError:
                continue
            if m.theirs.dtype == n.theirs.dtype and np.prod(shape) <= MANY:
                return j
        shape = tuple(1 if self.r.random() < 0.2 else s for s in n.shape[self.r.choice([0, 0, 0, 1]):])
        self.leaf(shape, n.theirs.dtype.name)
        return len(self.names) - 1

    def apply(self, text, ks, ours, theirs, exact=None):
        """ours and theirs of the names' values; a rounding function keeps results inexact."""
        ns = [self.names[k] for k in ks]
        try:
            a = np.asarray(theirs(*[n.theirs for n in ns]))
            w = np.asarray(theirs(*[n.wide for n in ns]))
        except (ValueError, TypeError, IndexError, NotImplementedError, OverflowError):  # an AxisError is a ValueError
            raise Impossible
        if a.size > MANY or a.dtype.name in ("float16", "object") or a.ndim > 8:
            raise Impossible
        if a.dtype.kind in "fc" and (not np.isfinite(w).all() or a.size and abs(w).max() > 1e6):
            raise Impossible  # of the values no digit is sure any more
        t = ours(*[n.ours for n in ns])
        is_exact = all(n.exact for n in ns) and (exact if exact is not None else False)
        self.add(text % tuple("v%d" % k for k in ks), t, a, w, is_exact or a.dtype.kind in "biu")

    # -- statements

    def arithmetic(self):
        name = self.r.choice(["+", "-", "*"])
        k = self.pick("iufc")
        j = self.beside(k)
        f = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}[name]
        if self.r.random() < 0.3:
            k, j = j, k
        self.apply("%s " + name + " %s", [k, j], f, f, self.names[k].kind != "c")

    def with_number(self):
        k = self.pick("iufc")
        v = self.r.choice([2, 3, -1, 0]) if self.names[k].kind in "iu" else self.r.choice([2.0, 0.5, -1.0, 3.0, 0.1, 1])
        if self.names[k].kind == "u":
            v = abs(v)
        name = self.r.choice(["+", "-", "*", "rsub"] + (["/"] if self.names[k].kind == "f" and v else []))
        f = {"+": lambda a: a + v, "-": lambda a: a - v, "*": lambda a: a * v, "rsub": lambda a: v - a, "/": lambda a: a / v}[name]
        self.apply("%%s %s %r" % (name, v), [k], f, f, v != 0.1)

    def smooth(self):
        name = self.r.choice("sin cos tanh exp arctan sqrt log1p square reciprocal expm1".split())
        k = self.pick("f")

        def theirs(a):
            if name == "exp" or name == "expm1":
                return getattr(np, name)(-abs(a))
            if name in ("sqrt", "log1p"):
                return getattr(np, name)(abs(a) + a.dtype.type(0.5))
            return 1 / (1 + a * a) if name == "reciprocal" else getattr(np, name)(a)

        def ours(a):
            if name == "exp" or name == "expm1":
                return getattr(o, name)(-abs(a))
            if name in ("sqrt", "log1p"):
                return getattr(o, name)(abs(a) + 0.5)
            return 1 / (1 + a * a) if name == "reciprocal" else getattr(o, name.replace("arc", "a"))(a)
        self.apply(name + "(%s)", [k], ours, theirs)

    def compare(self):
        k = self.pick("iuf", exact=True)
        j = self.beside(k)
        if not self.names[j].exact:
            raise Impossible
        name = self.r.choice(["<", "<=", "==", "!=", ">"])
        f = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, ">": lambda a, b: a > b}[name]
        self.apply("%s " + name + " %s", [k, j], f, f)

    def extreme(self):
        k = self.pick("iuf")
        j = self.beside(k)
        name = self.r.choice(["maximum", "minimum"])
        self.apply(name + "(%s, %s)", [k, j], getattr(o, name), getattr(np, name), True)

    def rounded(self):
        k = self.pick("f", exact=True)
        name = self.r.choice(["floor", "ceil", "trunc", "sign", "round"])
        self.apply(name + "(%s)", [k], getattr(o, name), getattr(np, name), True)

    def whole(self):
        """Of integers and truth values."""
        k = self.pick("iub")
        j = self.beside(k)
        f = self.r.choice([lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b])
        self.apply("bits(%s, %s)", [k, j], f, f)

    def choose(self):
        k = self.pick("b")
        try:
            i = self.pick("iuf")
        except Impossible:
            i = self.pick()
        j = self.beside(i)
        self.apply("where(%s, %s, %s)", [k, i, j], o.where, np.where, True)

    def cast(self):
        k = self.pick(exact=True)
        t = self.r.choice(["float32", "float64", "int32", "int64", "complex128"])
        n = self.names[k]
        if n.kind == "c" and t != "complex128" or n.kind == "f" and t.startswith("int") and n.theirs.size and abs(n.theirs).max() > 1e5:
            raise Impossible
        a = n.theirs.astype(t)
        self.add("v%d.astype(%s)" % (k, t), o.astype(n.ours, t), a, widened(a), True)

    def reduce(self):
        k = self.pick("iufc", rank=1)
        n = self.names[k]
        name = self.r.choice("sum mean max min prod var cumulative_sum argmax argmin sort any all count_nonzero".split())
        axis = self.r.choice([None] + list(range(-len(n.shape), len(n.shape))))
        keep = self.r.random() < 0.3
        if name in ("mean", "var") and n.kind not in "fc" or name in ("max", "min", "sort") and n.kind == "c" or name == "prod" and n.theirs.size > 40:
            raise Impossible
        if name in ("argmax", "argmin", "any", "all", "count_nonzero") and (not n.exact or n.kind == "c"):
            raise Impossible
        if name == "sort":
            return self.apply("sort(%s)", [k], o.sort, np.sort, True)
        if name == "cumulative_sum":
            axis = axis or 0
            return self.apply("cumulative_sum(%%s, %s)" % axis, [k], lambda a: o.cumulative_sum(a, axis=axis), lambda a: np.cumsum(a, axis=axis))
        if not n.theirs.size:
            raise Impossible
        opts = {"axis": axis, "keepdims": keep}
        self.apply("%s(%%s, %s)" % (name, opts), [k], lambda a: getattr(o, name)(a, **opts), lambda a: getattr(np, name)(a, **opts),
                   name in ("max", "min"))

    def product(self):
        k = self.pick("iufc", rank=1)
        n = self.names[k]
        self.leaf(self.r.choice([(n.shape[-1],), (n.shape[-1], self.r.choice([1, 2, 5]))]), n.theirs.dtype.name)
        self.apply("%s @ %s", [k, len(self.names) - 1], lambda a, b: a @ b, lambda a, b: np.matmul(a, b))

    def key(self, shape):
        def one(n):
            c = self.r.random()
            if c < 0.25 and n:
                return self.r.randint(-n, n - 1)
            return slice(None) if c < 0.4 else slice(self.r.choice([None, 0, 1, -2]), self.r.choice([None, n, -1, 2]), self.r.choice([None, None, 2, -1]))
        return tuple(one(n) for n in shape[:self.r.randint(0, len(shape))])

    def part(self):
        """Views in NumPy, parts in ours: changes of one are seen in the other."""
        k = self.pick(rank=1)
        n = self.names[k]
        s, c = n.shape, self.r.random()
        if c < 0.4:
            key = self.key(s)
            if len(key) == len(s) and all(isinstance(x, int) for x in key):
                raise Impossible
            f, text = (lambda a: a[key]), "%%s[%r]" % (key,)
            ours = f
        elif c < 0.6:
            axes = list(range(len(s)))
            self.r.shuffle(axes)
            ours, f, text = (lambda a: o.permute_dims(a, axes)), (lambda a: np.transpose(a, axes)), "permute(%%s, %s)" % axes
        elif c < 0.75:
            axis = self.r.randrange(len(s))
            ours, f, text = (lambda a: o.flip(a, axis=axis)), (lambda a: np.flip(a, axis)), "flip(%%s, %d)" % axis
        else:
            axis = self.r.randrange(-len(s) - 1, len(s) + 1)
            ours, f, text = (lambda a: o.expand_dims(a, axis=axis)), (lambda a: np.expand_dims(a, axis)), "expand_dims(%%s, %d)" % axis
        self.apply(text, [k], ours, f, True)
        m = self.names[-1]  # views, not the copies that apply makes of scalars
        m.theirs, m.wide = f(n.theirs), f(n.wide)

    def form(self):
        """Copies in other shapes."""
        k = self.pick(rank=1)
        s = self.names[k].shape
        axis = self.r.randrange(len(s))
        name, ours, theirs = self.r.choice([
            ("roll", lambda a: o.roll(a, 1, axis=axis), lambda a: np.roll(a, 1, axis)),
            ("repeat", lambda a: o.repeat(a, 2, axis=axis), lambda a: np.repeat(a, 2, axis)),
            ("concat", lambda a: o.concat([a, a], axis=axis), lambda a: np.concatenate([a, a], axis)),
            ("stack", lambda a: o.stack([a, a], axis=axis), lambda a: np.stack([a, a], axis)),
            ("take", lambda a: o.take(a, o.asarray([0, -1, 0]), axis=axis), lambda a: np.take(a, [0, -1, 0], axis)),
            ("tile", lambda a: o.tile(a, (2, 1)), lambda a: np.tile(a, (2, 1))),
            ("flat", lambda a: o.reshape(a, (-1,), copy=True), lambda a: a.reshape(-1).copy()),
            ("copy", lambda a: a.copy(), lambda a: a.copy())])
        self.apply("%s(%%s, axis %d)" % (name, axis), [k], ours, theirs, True)

    def change(self):
        """An assignment to elements, or an operation on a part in place."""
        k = self.pick(rank=1)
        n = self.names[k]
        key = self.key(n.shape)
        key = key if key else (Ellipsis,)
        if not n.theirs.flags.writeable:
            raise Impossible
        part = n.theirs[key]
        c = self.r.random()
        if c < 0.4:
            v = self.r.choice([0, 1, 2]) if n.kind != "b" else True
            n.theirs[key] = v
            n.wide[key] = v
            n.ours[key] = v
            self.text.append("v%d[%r] = %r" % (k, key, v))
        elif c < 0.7 and n.kind in "iufc":
            v = self.r.choice([1, 2])
            text = "v%d[%r] += %r" % (k, key, v)
            n.theirs[key] += v
            n.wide[key] += v
            n.ours[key] += v
            self.text.append(text)
        else:
            j = self.pick()
            m = self.names[j]
            if m.theirs.dtype != n.theirs.dtype or m.kind != "b" and not m.exact and n.exact and n.kind not in "fc":
                raise Impossible
            value, wide = m.theirs.copy(), m.wide.copy()
            try:
                if np.broadcast_shapes(value.shape, part.shape) != part.shape:
                    raise Impossible
            except ValueError:
                raise Impossible
            n.theirs[key] = value
            n.wide[key] = wide
            n.ours[key] = m.ours
            self.text.append("v%d[%r] = v%d" % (k, key, j))
            if not m.exact:
                self.inexact(n)
            return
        if n.kind in "fc":
            self.inexact(n)

    def inexact(self, n):
        """A value that rounds is among the elements of all names that share memory."""
        for m in self.names:
            if m is n or np.shares_memory(m.theirs, n.theirs):
                m.exact = m.kind in "biu"

    def evaluate(self):
        k = self.pick()
        self.text.append("v%d.eval()" % k)
        self.names[k].ours.eval()

    def compute(self):
        k = self.pick()
        self.text.append("compare v%d" % k)
        self.judge(k)

    STATEMENTS = {"arithmetic": 6, "with_number": 3, "smooth": 4, "compare": 2, "extreme": 2, "rounded": 1, "whole": 1, "choose": 2,
                  "cast": 1, "reduce": 4, "product": 2, "part": 4, "form": 3, "change": 3, "evaluate": 1, "compute": 1}

    # -- judgement

    def judge(self, k):
        n = self.names[k]
        got, want = np.asarray(n.ours), n.theirs
        if got.dtype != want.dtype or got.shape != want.shape:
            return self.differs(k, "%s %s, not %s %s" % (got.dtype, got.shape, want.dtype, want.shape))
        if n.kind in "biu" or n.exact:
            if not np.array_equal(got, want, equal_nan=n.kind in "fc"):
                self.differs(k, "%r, not %r" % (got.tolist(), want.tolist()))
            return
        if not want.size:
            return
        eps = np.finfo(want.dtype).eps
        scale = max(1.0, float(abs(n.wide).max()), *(float(abs(m.wide).max()) for m in self.names if m.kind in "fc" and m.wide.size))
        off, own = abs(got - n.wide).max(), abs(want - n.wide).max()
        if not off <= 64 * own + 400 * eps * scale:
            self.differs(k, "off by %.3g (NumPy by %.3g): %r, not %r" % (off, own, got.tolist(), want.tolist()))

    def differs(self, k, text):
        raise AssertionError("v%d: %s" % (k, text[:600]))

    def run(self):
        try:
            for _ in range(self.r.randint(6, 26)):
                try:
                    getattr(self, self.r.choices(list(self.STATEMENTS), self.STATEMENTS.values())[0])()
                except Impossible:
                    pass
            order = list(range(len(self.names)))
            self.r.shuffle(order)
            if self.r.random() < 0.5:
                o.eval_all([self.names[k].ours for k in order[:self.r.randint(1, len(order))]])
            for k in order:
                self.judge(k)
        except Exception as e:  # noqa: BLE001
            fail("ORR_TEST_ONE=%d: %s: %s\n  %s" % (self.seed, type(e).__name__, e, "\n  ".join(self.text)))


def main():
    for k in [int(ONE)] if ONE else range(SEED * 10**6, SEED * 10**6 + PROGRAMS):
        p = Program(k)
        p.run()
        if ONE:
            print("\n".join(p.text))
    end()


main()
