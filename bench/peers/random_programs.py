"""Reads the programs of `orrery-bench random` (bench/random.h has their form) and computes them with a peer's library.

Must not know: how a program was drawn, who asks.
"""
import numpy as np

SAMPLES = 65536  # as in bench/random_ours.c
WHOLE = ("input", "index", "out", "grad")


class Program:
    def __init__(self, path):
        self.inputs, self.steps, self.out = [], [], []
        with open(path, encoding="utf-8") as f:
            for line in f:
                word = line.split()
                if not word or word[0].startswith("#"):
                    continue
                if word[0] == "out":
                    self.out = word[1:]
                elif word[1] in ("input", "index"):
                    self.inputs.append(word)
                else:
                    self.steps.append((word[0].split(","), word[1], [operand(w) for w in word[2:]]))
        self.dead = self.last_uses()

    def last_uses(self):
        """For each step the values that nothing reads after it: without that, memory of eager peers would not come back."""
        alive, dead = set(self.out) | {word[0] for word in self.inputs}, []
        for names, _, args in reversed(self.steps):
            used = {a for a in args if isinstance(a, str)} | set(names)
            dead.append(used - alive)
            alive |= used
        return dead[::-1]


def operand(word):
    """A name stays text, also of a dtype; numbers are numbers, and lists tuples of whole numbers."""
    if word[0].isalpha():
        return word
    if "," in word:
        return tuple(int(x) for x in word.split(","))
    return float(word) if "." in word or "e" in word else int(word)


def axes(x):
    return x if isinstance(x, tuple) else (x,)


def fill(n, which, lo, hi):
    with np.errstate(over="ignore"):
        u = (np.arange(n, dtype=np.uint32) + np.uint32(77 * which)) * np.uint32(2654435761)
    lo, hi = np.float32(lo), np.float32(hi)
    return lo + (hi - lo) * ((u >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24))


def array(which, word):
    """The input as f32, or i32, and the dtype that it is to have."""
    if word[1] == "index":
        n, most = int(word[2]), float(word[3])
        return np.floor(np.minimum(fill(n, which, 0, most), np.float32(most - 1))).astype(np.int32), "i32"
    shape = tuple(int(x) for x in word[3].split(","))
    x = fill(int(np.prod(shape)), which, float(word[4]), float(word[5])).reshape(shape)
    return (np.floor(x).astype(np.int32) if word[2] == "i32" else x), word[2]


def slices(start, stop, by):
    return tuple(slice(*x) for x in zip(axes(start), axes(stop), axes(by)))


class OfNumpy:
    """Operations under the names of the programs; `xp` has NumPy's names."""

    names = {"i32": "int32", "i64": "int64", "f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}

    def __init__(self, xp):
        self.xp = xp
        for name in ("abs", "square", "sqrt", "reciprocal", "exp", "log1p", "sin", "cos", "tanh", "add", "maximum",
                     "minimum", "less", "greater", "less_equal", "greater_equal", "logical_and", "logical_or", "where",
                     "matmul", "reshape", "tril", "triu", "flip"):
            setattr(self, name, getattr(xp, name))
        self.neg, self.sub, self.mul, self.div = xp.negative, xp.subtract, xp.multiply, xp.divide

    def permute(self, x, order):
        return self.xp.transpose(x, order)

    def row_major(self, x):
        """A result as a C program reads it. NumPy's keep their operands' order; JAX has no other order."""
        return getattr(self.xp, "ascontiguousarray", lambda y: y)(x)

    def cast(self, x, dtype):
        return x.astype(self.names[dtype])

    def sigmoid(self, x):
        return 1 / (1 + self.xp.exp(-x))

    def silu(self, x):
        return x * self.sigmoid(x)

    def relu(self, x):
        return self.xp.maximum(x, 0)

    def gelu(self, x):
        return 0.5 * x * (1 + self.xp.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))

    def sum(self, x, axis, keep):
        return x.sum(axis=axes(axis), keepdims=bool(keep))

    def mean(self, x, axis, keep):
        return x.mean(axis=axes(axis), keepdims=bool(keep))

    def max(self, x, axis, keep):
        return x.max(axis=axes(axis), keepdims=bool(keep))

    def min(self, x, axis, keep):
        return x.min(axis=axes(axis), keepdims=bool(keep))

    def var(self, x, axis, keep):
        return x.var(axis=axes(axis), keepdims=bool(keep))

    def std(self, x, axis, keep):
        return x.std(axis=axes(axis), keepdims=bool(keep))

    def logsumexp(self, x, axis, keep):
        m = x.max(axis=axis, keepdims=True)
        y = self.xp.log(self.xp.exp(x - m).sum(axis=axis, keepdims=True)) + m
        return y if keep else y.squeeze(axis)

    def softmax(self, x, axis):
        e = self.xp.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def log_softmax(self, x, axis):
        return x - self.logsumexp(x, axis, 1)

    def argmax(self, x, axis, keep):
        return x.argmax(axis=axis, keepdims=bool(keep))

    def argmin(self, x, axis, keep):
        return x.argmin(axis=axis, keepdims=bool(keep))

    def slice(self, x, start, stop, by):
        return x[slices(start, stop, by)]

    def pad(self, x, lo, hi, value):
        return self.xp.pad(x, tuple(zip(axes(lo), axes(hi))), constant_values=value)

    def take(self, x, i, axis):
        return self.xp.take(x, i, axis=axis)

    def scatter_add(self, x, i, u, axis):
        y = x.copy()
        np.add.at(y, i, u)
        return y

    def concat(self, *x):
        return self.xp.concatenate(x[:-1], axis=x[-1])

    def cross_entropy(self, x, labels):
        raise NotImplementedError("no gradients, so no training")

    gradients = cross_entropy


class OfJax(OfNumpy):
    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax
        self.sigmoid, self.silu, self.relu, self.gelu = jax.nn.sigmoid, jax.nn.silu, jax.nn.relu, jax.nn.gelu
        self.softmax, self.log_softmax = jax.nn.softmax, jax.nn.log_softmax

    def logsumexp(self, x, axis, keep):
        return self.jax.nn.logsumexp(x, axis=axis, keepdims=bool(keep))

    def scatter_add(self, x, i, u, axis):
        return x.at[i].add(u)

    def cross_entropy(self, x, labels):
        return -self.xp.take_along_axis(self.jax.nn.log_softmax(x, -1), labels[:, None], -1).mean()

    def gradients(self, f, x):
        return self.jax.grad(f)(x)


class OfTorch:
    names = OfNumpy.names

    def __init__(self, torch):
        self.torch = torch
        nn = torch.nn.functional
        for name in ("abs", "square", "sqrt", "reciprocal", "exp", "log1p", "sin", "cos", "tanh", "sigmoid", "relu",
                     "neg", "add", "sub", "mul", "div", "logical_and", "logical_or", "where", "matmul", "reshape",
                     "tril", "triu"):
            setattr(self, name, getattr(torch, name))
        self.less, self.greater, self.less_equal, self.greater_equal = torch.lt, torch.gt, torch.le, torch.ge
        self.silu, self.nn = nn.silu, nn

    def row_major(self, x):
        """A result as a C program reads it: PyTorch otherwise leaves the transposition of a result to its reader."""
        return x.contiguous()

    def gelu(self, x):
        return self.nn.gelu(x, approximate="tanh")

    def maximum(self, x, y):
        return self.torch.clamp_min(x, y) if isinstance(y, (int, float)) else self.torch.maximum(x, y)

    def minimum(self, x, y):
        return self.torch.clamp_max(x, y) if isinstance(y, (int, float)) else self.torch.minimum(x, y)

    def cast(self, x, dtype):
        return x.to(getattr(self.torch, self.names[dtype]))

    def sum(self, x, axis, keep):
        return x.sum(axes(axis), keepdim=bool(keep))

    def mean(self, x, axis, keep):
        return x.mean(axes(axis), keepdim=bool(keep))

    def max(self, x, axis, keep):
        return x.amax(axes(axis), keepdim=bool(keep))

    def min(self, x, axis, keep):
        return x.amin(axes(axis), keepdim=bool(keep))

    def var(self, x, axis, keep):
        return x.var(axes(axis), correction=0, keepdim=bool(keep))

    def std(self, x, axis, keep):
        return x.std(axes(axis), correction=0, keepdim=bool(keep))

    def logsumexp(self, x, axis, keep):
        return self.torch.logsumexp(x, axis, bool(keep))

    def softmax(self, x, axis):
        return self.torch.softmax(x, axis)

    def log_softmax(self, x, axis):
        return self.torch.log_softmax(x, axis)

    def argmax(self, x, axis, keep):
        return x.argmax(axis, bool(keep))

    def argmin(self, x, axis, keep):
        return x.argmin(axis, bool(keep))

    def permute(self, x, order):
        return x.permute(order)

    def flip(self, x, axis):
        return self.torch.flip(x, axes(axis))

    def slice(self, x, start, stop, by):
        return x[slices(start, stop, by)]

    def pad(self, x, lo, hi, value):
        both = [n for pair in zip(reversed(axes(lo)), reversed(axes(hi))) for n in pair]
        return self.nn.pad(x, both, value=value)

    def take(self, x, i, axis):
        return self.torch.index_select(x, axis, i)

    def scatter_add(self, x, i, u, axis):
        return x.index_add(axis, i, u)

    def concat(self, *x):
        return self.torch.cat(x[:-1], x[-1])

    def cross_entropy(self, x, labels):
        return self.nn.cross_entropy(x, labels.long())

    def gradients(self, f, x):
        return self.torch.func.grad(f)(x)


def run(ops, program, value, until=None):
    """Computes the steps with `value` (a dict of names) up to `until`, and adds theirs to it."""
    for (names, op, args), dead in zip(program.steps, program.dead):
        if op == "grad":
            for name, y in zip(names, gradient(ops, program, value, args)):
                value[name] = y
        else:
            value[names[0]] = getattr(ops, op)(*(value.get(a, a) if isinstance(a, str) else a for a in args))
        if until in names:
            return value[until]
        for name in dead:
            value.pop(name, None)
    return None


def gradient(ops, program, value, args):
    inputs = {word[0]: value[word[0]] for word in program.inputs}

    def loss(x):
        return run(ops, program, inputs | dict(zip(args[1:], x)), args[0])
    return ops.gradients(loss, tuple(value[a] for a in args[1:]))


def function(ops, program):
    names = [word[0] for word in program.inputs]

    def f(*x):
        value = dict(zip(names, x))
        run(ops, program, value)
        return tuple(ops.row_major(value[name]) for name in program.out)
    return f


def write_samples(path, out):
    """Of each result (f64, in rows): its length, the mean, the number of values that follow, and these."""
    with open(path, "wb") as f:
        for y in out:
            y = y.reshape(-1)
            n = min(y.size, SAMPLES)
            if n < y.size:
                with np.errstate(over="ignore"):
                    place = np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
                at = (place * np.uint64(y.size) >> np.uint64(32)).astype(np.int64)
            else:
                at = slice(None)
            np.array([y.size, y.mean() if y.size else 0, n], np.float64).tofile(f)
            y[at].tofile(f)
