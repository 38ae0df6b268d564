"""The cases of `orrery-bench fusion` with NumPy, numexpr, JAX and PyTorch: a class for each. Of Orrery's Python package the training cases.

Constants, data and checksum are those of bench/hand.h and bench/fusion_cases.c.
Must not know: who asks, and how long it takes.
"""
import os

import numpy as np

import conv
import linalg
import memory
import networks
import private
import random_programs
import science
import train

COLS, A, B, C2, C1, C0, ALPHA, EPS = 1024, 1.5, 0.25, 0.7, -0.3, -0.1, 0.01, 1e-5
RATE, SIGMA, DROP, LR, BETA1, BETA2, ADAM_EPS = 0.02, 0.3, 0.1, 1e-3, 0.9, 0.999, 1e-8
MUL, FLOOR, SUB, ROOT_HALF, GELU = 0.75, -0.5, 0.125, 0.7071067811865476, 0.7978845608028654
RANGES = {
    "poly6": [(-2, 2)], "silu": [(-4, 4)], "gelu": [(-4, 4)], "black-scholes": [(10, 50), (10, 50), (1, 2)],
    "compare": [(-8, 8), (-8, 8)], "softmax": [(-4, 4)], "layer-norm": [(-2, 3)],
    "dropout-norm": [(-2, 3), (-1, 1)], "embedding": [(-2, 3)], "sum-squares": [(-1, 1)], "columns": [(-1, 2)],
    "adam": [(-1, 1), (-1, 1)], "chain4": [(-1, 1)], "chain8": [(-1, 1)], "chain16": [(-1, 1)], "chain32": [(-1, 1)],
}
SMALL_CALLS = 200  # of one "run" of the small cases, as in bench/small.c
ROWS = ("softmax", "layer-norm", "dropout-norm", "embedding", "columns")


class No(Exception):
    pass


def fill(n, which, lo, hi):
    with np.errstate(over="ignore"):
        u = (np.arange(n, dtype=np.uint32) + np.uint32(77 * which)) * np.uint32(2654435761)
    lo, hi = np.float32(lo), np.float32(hi)
    return lo + (hi - lo) * ((u >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24))


def adam_rates(step):
    root = (1 - BETA2**step) ** 0.5
    return LR * root / (1 - BETA1**step), ADAM_EPS * root


class Numpy:
    """Also the form of the other peers: `xp` has NumPy's names."""

    xp = np
    once = None

    def __init__(self):
        self.name = "numpy " + np.__version__

    # -- what differs from peer to peer

    def array(self, x, dtype):
        if dtype == "bfloat16":
            raise No("no bfloat16")
        return x.astype(dtype)

    def indices(self, i):
        return i

    def compiled(self, f):
        return f

    def wait(self, y):
        return y

    def erf(self, x):
        raise No("no erf")

    def maximum(self, x, c):
        return np.maximum(x, c)

    def kept(self, x):
        mask = self.random.random(x.shape, dtype=np.float32) >= np.float32(DROP)
        return mask * x * np.float32(1 / (1 - DROP))

    def softmax(self, x):
        e = self.xp.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def layer_norm(self, x, gain, bias):
        c = x - x.mean(axis=-1, keepdims=True)
        return c / self.xp.sqrt((c * c).mean(axis=-1, keepdims=True) + EPS) * gain + bias

    def silu(self, t):
        return t / (1 + self.xp.exp(-t))

    def gelu(self, t):
        return 0.5 * t * (1 + self.xp.tanh(GELU * (t + 0.044715 * t * t * t)))

    def leaky(self, q):
        return self.xp.where(q > 0, q, ALPHA * q)

    def columns(self, x):
        return x.mean(axis=0), x.std(axis=0)

    def sum_squares(self, x):
        return (x * x).sum()

    # -- the cases

    def poly6(self, x):
        t = A * x + B
        return self.leaky((C2 * t + C1) * t + C0)

    def black_scholes(self, price, strike, t):
        root = SIGMA * self.xp.sqrt(t)
        d1 = (self.xp.log(price / strike) + (RATE + 0.5 * SIGMA * SIGMA) * t) / root
        n1 = 0.5 + 0.5 * self.erf(d1 * ROOT_HALF)
        n2 = 0.5 + 0.5 * self.erf((d1 - root) * ROOT_HALF)
        paid = strike * self.xp.exp(-RATE * t)
        call = price * n1 - paid * n2
        return call, call - price + paid

    def chain(self, ops):
        def f(x):
            t = x
            for _ in range(ops // 4):
                t = self.maximum(t * MUL + x, FLOOR) - SUB
            return t
        return f

    def adam(self, p, g, m, v, rate, eps):
        m = m + (1 - BETA1) * (g - m)
        v = v + (1 - BETA2) * (g * g - v)
        return p - rate * m / (self.xp.sqrt(v) + eps), m, v

    def function(self, case):
        return {
            "poly6": self.poly6, "silu": lambda x: self.silu(A * x + B), "gelu": lambda x: self.gelu(A * x + B),
            "black-scholes": self.black_scholes, "compare": lambda a, b: a * b - 4.1 * a > 2.5 * b,
            "softmax": self.softmax, "layer-norm": self.layer_norm,
            "dropout-norm": lambda x, r, gain, bias: self.layer_norm(self.kept(x) + r, gain, bias),
            "embedding": lambda x, i, gain, bias: self.layer_norm(x[i] * A, gain, bias),
            "sum-squares": self.sum_squares, "columns": self.columns, "adam": self.adam,
        }.get(case) or self.chain(int(case[5:]))

    def caller(self, case, inputs):
        """A function without arguments that computes the case once and returns its outputs."""
        f = self.compiled(self.function(case))
        if case != "adam":
            return lambda: self.wait(f(*inputs))
        p, g = inputs
        state = [p, p * 0, p * 0, 0]

        def step():
            state[3] += 1
            rate, eps = self.rates(state[3], p)
            state[:3] = self.wait(f(state[0], g, state[1], state[2], rate, eps))
            return state[0]
        return step

    def rates(self, step, like):
        return adam_rates(step)

    def training_step(self, name):
        raise No("no training")

    def network(self, name, kind):
        raise No("it has no networks")

    def science(self):
        return science.numpy_work, self.xp

    def private(self, name, n):
        if name == "private":
            raise No("no private training")
        return private.numpy_noise(name, n)

    def peak(self, name):
        raise No("its memory is not asked for")

    def product(self, x, y):
        return x @ y

    def small(self, case, n):
        """A chain of ops on n × n numbers, each evaluated at once, SMALL_CALLS times; or all in one where there is a compiler."""
        _, kind, ops = case.split(":")
        x, y = (self.array(np.full((n, n), v, np.float32), "float32") for v in (0.5, 0.25))

        def chain(x, y):
            for i in range(int(ops)):
                x = self.product(x, y) if kind == "product" else x + y if i & 1 else x * y
            return x
        f = self.compiled(chain)

        def once():
            for _ in range(SMALL_CALLS):
                z = f(x, y)
            self.wait(z)
        self.once = once
        return float(self.host(self.wait(f(x, y))).mean())

    def operations(self):
        return random_programs.OfNumpy(np)

    def random_input(self, x, dtype):
        return self.array(x, random_programs.OfNumpy.names[dtype])

    def random_caller(self, path):
        """The function of the program of the file, which has not been called, and its inputs."""
        program = random_programs.Program(path)
        inputs = [self.random_input(*random_programs.array(i, word)) for i, word in enumerate(program.inputs)]
        return self.compiled(random_programs.function(self.operations(), program)), inputs

    def random_program(self, path, samples):
        """Computes the program of the file once, and writes samples of its results."""
        f, inputs = self.random_caller(path)
        random_programs.write_samples(samples, [self.host(y) for y in self.wait(f(*inputs))])
        for _ in range(2):
            self.wait(f(*inputs))
        self.once = lambda: self.wait(f(*inputs))
        return 0.0

    def prepare(self, case, dtype, n):
        self.once = None
        if case.startswith("random:"):
            return self.random_program(case[7:], dtype)
        if case.startswith("conv:"):
            total, self.once = conv.prepared(self, case[5:])
            return total
        if case.startswith("linalg:"):
            total, self.once = linalg.prepared(self, case[7:], n)
            return total
        if case.startswith("network:"):
            total, self.once = networks.prepared(self.network(*case[8:].split("/")))
            return total
        if case.startswith("train:"):
            total, self.once = train.prepared(self.training_step(case[6:]))
            return total
        if case.startswith("private:"):
            total, self.once = private.prepared(self.private(case[8:], n))
            return total
        if case.startswith("science:"):
            total, self.once = science.prepared(self, *self.science(), case[8:], fill)
            return total
        if case.startswith("small:"):
            return self.small(case, n)
        self.random = np.random.default_rng(1)
        shape = (n // COLS, COLS) if case in ROWS else (n,)
        inputs = [self.array(fill(n, k, lo, hi).reshape(shape), dtype) for k, (lo, hi) in enumerate(RANGES[case])]
        if case == "embedding":
            inputs.append(self.indices((np.arange(n // COLS) * 40503 + 17) % (n // COLS)))
        if case in ("layer-norm", "dropout-norm", "embedding"):
            inputs += [self.array(np.full(COLS, c, np.float32), dtype) for c in (A, B)]
        once = self.caller(case, inputs)
        out = once()
        total = sum(float(np.abs(self.host(y)).mean()) for y in (out if isinstance(out, tuple) else (out,)))
        del out
        for _ in range(2):
            once()
        self.once = once
        return total

    def host(self, y):
        return np.asarray(y).astype(np.float64)


class Numexpr(Numpy):
    """Element-wise expressions as text; rows as a user would write them, with NumPy for the sums over rows."""

    def __init__(self):
        import numexpr
        self.ne = numexpr
        numexpr.set_num_threads(int(os.environ.get("NUMEXPR_NUM_THREADS", os.cpu_count())))
        self.name = "numexpr " + numexpr.__version__

    def text(self, text, **names):
        names = {k: np.float32(v) if isinstance(v, float) and self.dtype == "float32" else v for k, v in names.items()}
        return self.ne.evaluate(text, local_dict=names)

    def prepare(self, case, dtype, n):
        self.dtype = dtype
        if case in ("columns", "dropout-norm") or ":" in case:
            raise No("no one expression")
        return super().prepare(case, dtype, n)

    constants = dict(A=A, B=B, C2=C2, C1=C1, C0=C0, ALPHA=ALPHA, one=1.0, half=0.5, zero=0.0)

    def poly6(self, x):
        q = "((C2*(A*x+B)+C1)*(A*x+B)+C0)"
        return self.text(f"where({q}>zero, {q}, ALPHA*{q})", x=x, **self.constants)

    def function(self, case):
        c = self.constants
        gelu = "half*(A*x+B)*(one+tanh(G*((A*x+B)+D*(A*x+B)*(A*x+B)*(A*x+B))))"
        own = {
            "silu": lambda x: self.text("(A*x+B)/(one+exp(-(A*x+B)))", x=x, **c),
            "gelu": lambda x: self.text(gelu, x=x, G=GELU, D=0.044715, **c),
            "compare": lambda a, b: self.text("a*b-c1*a > c2*b", a=a, b=b, c1=4.1, c2=2.5),
            "sum-squares": lambda x: self.text("sum(x*x)", x=x),
        }
        return own.get(case) or super().function(case)

    def softmax(self, x):
        e = self.text("exp(x-m)", x=x, m=x.max(axis=-1, keepdims=True))
        return self.text("e/s", e=e, s=e.sum(axis=-1, keepdims=True))

    def layer_norm(self, x, gain, bias):
        c = self.text("x-m", x=x, m=x.mean(axis=-1, keepdims=True))
        var = self.text("c*c", c=c).mean(axis=-1, keepdims=True)
        return self.text("c/sqrt(v+eps)*gain+bias", c=c, v=var, eps=EPS, gain=gain, bias=bias)

    def adam(self, p, g, m, v, rate, eps):
        m = self.text("m+b*(g-m)", m=m, g=g, b=1 - BETA1)
        v = self.text("v+b*(g*g-v)", v=v, g=g, b=1 - BETA2)
        return self.text("p-rate*m/(sqrt(v)+eps)", p=p, m=m, v=v, rate=rate, eps=eps), m, v

    def chain(self, ops):
        text = "x"
        for _ in range(ops // 4):
            text = f"(maximum({text}*MUL+x, FLOOR)-SUB)"
        return lambda x: self.text(text, x=x, MUL=MUL, FLOOR=FLOOR, SUB=SUB)


class Jax(Numpy):
    def __init__(self):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        os.environ.setdefault("JAX_ENABLE_X64", "1")
        import jax
        import jax.numpy
        self.jax, self.xp, self.name = jax, jax.numpy, "jax " + jax.__version__
        self.key, self.calls = jax.random.key(1), 0

    def array(self, x, dtype):
        return self.xp.asarray(x).astype(dtype)

    def indices(self, i):
        return self.xp.asarray(i)

    def compiled(self, f):
        return self.jax.jit(f)

    def caller(self, case, inputs):
        if case != "dropout-norm":
            return super().caller(case, inputs)

        def body(call, x, r, gain, bias):
            mask = self.jax.random.bernoulli(self.jax.random.fold_in(self.key, call), 1 - DROP, x.shape)
            return self.layer_norm(self.xp.where(mask, x * (1 / (1 - DROP)), 0) + r, gain, bias)
        f = self.jax.jit(body)

        def once():
            self.calls += 1
            return self.wait(f(self.calls, *inputs))
        return once

    def wait(self, y):
        return self.jax.block_until_ready(y)

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def maximum(self, x, c):
        return self.xp.maximum(x, c)

    def softmax(self, x):
        return self.jax.nn.softmax(x, axis=-1)

    def rates(self, step, like):  # as arrays: else each step would be compiled
        return tuple(self.xp.asarray(r, like.dtype) for r in adam_rates(step))

    def training_step(self, name):
        return train.jax_step(self.jax, name)

    def operations(self):
        return random_programs.OfJax(self.jax)

    def network(self, name, kind):
        return networks.jax_once(self.jax, name, kind)

    def science(self):
        return science.jax_work, self.jax

    def private(self, name, n):
        return private.jax_step(self.jax, name) if name.startswith("private") else private.jax_noise(self.jax, name, n)


class Torch(Numpy):
    def __init__(self, compiled):
        import torch
        self.torch, self.xp = torch, torch
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
        torch.set_grad_enabled(False)
        self.compile = compiled
        self.name = ("torch.compile " if compiled else "torch ") + torch.__version__.split("+")[0]

    def array(self, x, dtype):
        return self.torch.from_numpy(x).to(getattr(self.torch, dtype))

    def indices(self, i):
        return self.torch.from_numpy(i)

    def compiled(self, f):
        if not self.compile:
            return f
        self.torch._dynamo.reset()
        return self.torch.compile(f, dynamic=False)

    def erf(self, x):
        return self.torch.erf(x)

    def maximum(self, x, c):
        return self.torch.clamp_min(x, c)

    def kept(self, x):
        return self.torch.nn.functional.dropout(x, DROP, True)

    def softmax(self, x):
        return self.torch.softmax(x, -1)

    def layer_norm(self, x, gain, bias):
        return self.torch.nn.functional.layer_norm(x, (COLS,), gain, bias, EPS)

    def silu(self, t):
        return self.torch.nn.functional.silu(t)

    def gelu(self, t):
        return self.torch.nn.functional.gelu(t, approximate="tanh")

    def leaky(self, q):
        return self.torch.nn.functional.leaky_relu(q, ALPHA)

    def columns(self, x):
        std, mean = self.torch.std_mean(x, 0, correction=0)
        return mean, std

    def rates(self, step, like):
        return tuple(self.torch.tensor(r, dtype=like.dtype) for r in adam_rates(step))

    def host(self, y):
        return y.double().numpy()

    def operations(self):
        return random_programs.OfTorch(self.torch)

    def training_step(self, name):
        if self.compile:
            self.torch._dynamo.reset()
        return train.torch_step(self.torch, self.compile, name)

    def network(self, name, kind):
        if self.compile:
            self.torch._dynamo.reset()
        return networks.torch_once(self.torch, self.compile, name, kind)

    def science(self):
        return science.torch_work, self.torch

    def private(self, name, n):
        return private.opacus_step(self.torch, name) if name.startswith("private") else private.torch_noise(self.torch, name, n)

    def peak(self, name):
        return (networks if name.startswith("network:") else memory).peak(self.torch, self.compile, name)


class Orrery(Numpy):
    """The package beside the library's own programs in C: what the language costs."""

    def __init__(self):
        import orrery
        self.orrery, self.name = orrery, "orrery in Python"

    def training_step(self, name):
        return train.orrery_step(self.orrery, name)

    def prepare(self, case, dtype, n):
        if not case.startswith("train:"):
            raise No("the package has the training cases alone")
        return super().prepare(case, dtype, n)
