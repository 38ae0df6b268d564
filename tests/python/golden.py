"""The golden cases of the C suite through Python: element-wise bits, and the results of NumPy in tests/golden/numpy.

usage: golden.py [CALLS]     CALLS: a file for the calls and the bits of their results, which the other languages replay

Of tests/golden these are not here: modules, optimisers and keys (torch/attention, encoder, decoder, lstm, gru, rnn, recurrent, train, optim,
private/paillier), since a line of CALLS has tensors and numbers only; budgets of privacy (private/account), which are numbers without a tensor;
private/wrong, masks and field/make_constants, which test functions within the library; refused and printed files of io, which have no bits.
"""
import math
import os
import struct
import sys

from check import end, fail, o
from recorder import Recorder

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden")
recording = sys.argv[1] if len(sys.argv) > 1 else None
c = Recorder(o._core, recording)
NAMES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
         "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def size(name):
    return getattr(o, name).itemsize


def tensor(bits, name, shape=None):
    """Of a list of bit patterns."""
    n = size(name)
    mask = (1 << 8 * n) - 1
    return c.from_bytes(name, [len(bits)] if shape is None else shape, b"".join((b & mask).to_bytes(n, "little") for b in bits))


def case_ends():
    if recording:
        c.end_()


def bits_of(t):
    if recording:
        c.is_(t)
    data, n = t.tobytes(), t.dtype.itemsize
    return [int.from_bytes(data[k:k + n], "little") for k in range(0, len(data), n)]


def floats(bits, name):
    """The doubles of bit patterns."""
    if name == "float64":
        return list(struct.unpack("<%dd" % len(bits), struct.pack("<%dQ" % len(bits), *bits)))
    if name == "float32":
        return list(struct.unpack("<%df" % len(bits), struct.pack("<%dI" % len(bits), *bits)))
    if name == "float16":
        return list(struct.unpack("<%de" % len(bits), struct.pack("<%dH" % len(bits), *bits)))
    return list(struct.unpack("<%df" % len(bits), struct.pack("<%dI" % len(bits), *[b << 16 for b in bits])))


def near(got, want, name, ulps, scale):
    """The rule of the C suite: ulps·ε, of the number and of the largest one."""
    if not math.isfinite(want):
        return math.isnan(got) if math.isnan(want) else got == want
    if ulps < 0:
        return got == want and math.copysign(1, got) == math.copysign(1, want)
    return abs(got - want) <= ulps * 2.0 ** (1 - DIGITS[name]) * (abs(want) + scale)


def close(got, want, name, ulps):
    if math.isnan(want) or math.isinf(want) or got == want:
        return math.isnan(got) if math.isnan(want) else got == want
    step = max(math.ulp(want) * 2.0 ** (53 - DIGITS[name]), {"float16": 2.0**-24, "float64": 5e-324}.get(name, 2.0**-133))
    return abs(got - want) <= ulps * step


def elementwise(file, ulps):
    with open(os.path.join(GOLDEN, "elementwise", file)) as f:
        lines = iter(f.read().splitlines())
    tested = 0
    for head in lines:
        parts = head.split()
        row, operands, n = parts[0], int(parts[-2]), int(parts[-1])
        name = NAMES[parts[1] if len(parts) == 4 else file[:-4]]
        table = [[int(w, 16) for w in next(lines).split()] for _ in range(n)]
        x = [tensor([line[k] for line in table], name) for k in range(operands)]
        if row == "where":
            x[0] = c.cast(x[0], "bool")
        r = getattr(c, row)(*x)
        kind = r.dtype.name
        mask = (1 << 8 * size(kind)) - 1
        got, want = bits_of(r), [line[-1] & mask for line in table]
        if "float" in kind:
            got, want = floats(got, kind), floats(want, kind)
            wrong = [k for k in range(n) if not close(got[k], want[k], kind, ulps)]
        else:
            wrong = [k for k in range(n) if got[k] != want[k]]
        if wrong:
            fail("%s of %s, %s: case %d: %r, not %r" % (row, name, file, wrong[0], got[wrong[0]], want[wrong[0]]))
        tested += 1
        case_ends()
    if not tested:
        fail("no case in " + file)


def number(word):
    return float.fromhex(word) if "x" in word else float(word)


def array(words):
    """A tensor's dtype, shape and numbers."""
    name, rank = next(words), int(next(words))
    shape = [int(next(words)) for _ in range(rank)]
    count = math.prod(shape) * (2 if name.startswith("complex") else 1)
    return name, shape, [number(next(words)) if "float" in name or "complex" in name else int(next(words))
                         for _ in range(count)]


def made(name, shape, numbers):
    code = {"bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
            "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}.get(name)
    if code:
        return c.from_bytes(name, shape, struct.pack("<%d%s" % (len(numbers), code), *numbers))
    return c.cast(c.from_bytes("float32", shape, struct.pack("<%df" % len(numbers), *numbers)), name)


def axes(p, at):
    n = int(p[at])
    return None if n < 0 else [int(v) for v in p[at + 1:at + 1 + n]]


def whole(p):
    return [int(v) for v in p]


def sliced(x, p):
    n = int(p[0])
    return c.slice(x[0], whole(p[1:1 + n]), whole(p[1 + n:1 + 2 * n]), whole(p[1 + 2 * n:1 + 3 * n]))


CALLS = {
    "cast": lambda x, p, to: c.cast(x[0], to), "arange": lambda x, p, to: c.arange(to, *p),
    "linspace": lambda x, p, to: c.linspace(to, p[0], p[1], int(p[2])), "eye": lambda x, p, to: c.eye(to, *whole(p)),
    "one_hot": lambda x, p, to: c.one_hot(x[0], int(p[0]), to), "slice": lambda x, p, to: sliced(x, p),
    "reshape": lambda x, p, to: c.reshape(x[0], whole(p)), "permute": lambda x, p, to: c.permute(x[0], whole(p)),
    "broadcast_to": lambda x, p, to: c.broadcast_to(x[0], whole(p)), "matmul": lambda x, p, to: c.matmul(*x),
    "matmul_tt": lambda x, p, to: c.matmul(c.transpose(x[0]), c.transpose(x[1])),
    "pad": lambda x, p, to: c.pad(x[0], whole(p[1:1 + len(p) // 2]), whole(p[1 + len(p) // 2:]), p[0]),
    "concat": lambda x, p, to: c.concat(x, int(p[0])), "stack": lambda x, p, to: c.stack(x, int(p[0])),
    "squeeze": lambda x, p, to: c.squeeze(x[0], axes(p, 0)), "flip": lambda x, p, to: c.flip(x[0], axes(p, 0)),
    "argmin": lambda x, p, to: c.argmin(x[0], int(p[0]) if p[0] > -99 else None, bool(p[1])),
    "argmax": lambda x, p, to: c.argmax(x[0], int(p[0]) if p[0] > -99 else None, bool(p[1])),
}
for _name in "sum prod mean min max any all norm logsumexp".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], axes(p, 1), bool(p[0]))
for _name in "var std".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], axes(p, 2), p[0], bool(p[1]))
for _name in "cumulative_sum cumulative_prod sort argsort".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], int(p[0]), bool(p[1]))
for _name in "expand_dims slice_axis select take scatter_add softmax log_softmax tril triu transpose cross_entropy mse".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x, *whole(p))


def halves(p):
    """The two lists of equal length that the parameters are."""
    v = whole(p)
    return v[:len(v) // 2], v[len(v) // 2:]


def along(axis):
    """The axis, or None for all (ORR_FLAT)."""
    return None if axis == -2**31 else int(axis)


# The calls of tests/harness/array_numpy.c.
for _name in "zeros_like ones_like full_like outer kron searchsorted histogram gather_nd mask_select argwhere".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x, *([bool(p[0])] if f is c.searchsorted else p))
for _name in "diag diagonal swapaxes repeat repeat_each rot90 take_along_axis vecdot scatter_nd".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x, *whole(p))
for _name in "moveaxis roll".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], *halves(p))
for _name in "add sub mul div equal not_equal isnan isinf isfinite positive where logdet cholesky".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x)
CALLS.update({
    "tile": lambda x, p, to: c.tile(x[0], whole(p)), "scatter": lambda x, p, to: c.scatter(*x, int(p[0]), int(p[1])),
    "count_nonzero": lambda x, p, to: c.count_nonzero(x[0], whole(p[1:]), bool(p[0])),
    "diff": lambda x, p, to: c.diff(x[0], int(p[0]), int(p[1]), *x[1:]),
    "bincount": lambda x, p, to: c.bincount(x[0], x[1] if len(x) > 1 else None, int(p[0])),
    "quantile": lambda x, p, to: c.quantile(x[0], p[2:], along(p[0]), bool(p[1])),
    "median": lambda x, p, to: c.median(x[0], along(p[0]), bool(p[1])), "covariance": lambda x, p, to: c.covariance(x[0], p[0]),
    "correlation": lambda x, p, to: c.correlation(x[0]),
    "tensordot": lambda x, p, to: c.tensordot(x[0], x[1], *halves(p)),
    "nonzero": lambda x, p, to: c.nonzero(x[0], x[0].ndim)[int(p[0])],
    "topk": lambda x, p, to: c.topk(x[0], int(p[0]), int(p[1]), bool(p[2]))[0],
    "unique": lambda x, p, to: c.unique_all(x[0])[int(p[0])],
    "meshgrid": lambda x, p, to: c.meshgrid(x, bool(p[0]))[int(p[1])],
    "split": lambda x, p, to: c.split(x[0], int(p[0]), int(p[1]))[int(p[2])],
    "cut": lambda x, p, to: c.cut(x[0], whole(p[2:]), int(p[0]))[int(p[1])],
    "unstack": lambda x, p, to: c.unstack(x[0], int(p[0]), int(p[1]))[int(p[2])],
    "broadcast_arrays": lambda x, p, to: c.broadcast_arrays(x)[int(p[0])],
})


def lengths_and_axes(p):
    """Of a transform: the number of axes, lengths, axes; no axes: all, with their own lengths."""
    n = int(p[1])
    return (whole(p[2:2 + n]), whole(p[2 + n:2 + 2 * n])) if n else (None, None)


def power_sum(w, power, x):
    """A sum of powers of eigenvalues, which does not depend on their order."""
    t = w
    for _ in range(1, int(power)):
        t = c.mul(t, w)
    t = c.sum(t, [-1], False)
    return t if x.dtype.name.startswith("complex") else c.real(t)


def magnitude(t, of):
    """Without signs, which a decomposition leaves open."""
    return c.abs(t) if of else t


for _name in "round isfinite unique_values solve inv det svdvals eigvalsh expm".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x)
for _name in "fftshift ifftshift".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], whole(p) or None)
for _name in "fftn ifftn rfftn irfftn".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], *lengths_and_axes(p), int(p[0]))
for _name in "fftfreq rfftfreq".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(to, int(p[0]), p[1])
for _name in "unique_all unique_counts unique_inverse".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0])[int(p[0])]
for _name in "trace matrix_power cross".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(*x, *whole(p))
for _name in "pinv matrix_rank".split():
    CALLS[_name] = lambda x, p, to, f=getattr(c, _name): f(x[0], p[0])
CALLS.update({
    "solve_triangular": lambda x, p, to: c.solve_triangular(*x, *[bool(v) for v in p]),
    "slogdet": lambda x, p, to: c.slogdet(x[0])[int(p[0])], "lu": lambda x, p, to: c.lu(x[0])[int(p[0])],
    "qr": lambda x, p, to: c.qr(x[0], bool(p[0]))[int(p[1])], "eigh": lambda x, p, to: magnitude(c.eigh(x[0])[int(p[0])], p[0]),
    "svd": lambda x, p, to: magnitude(c.svd(x[0], bool(p[0]))[int(p[1])], p[1] != 1),
    "eigvals": lambda x, p, to: power_sum(c.eigvals(x[0]), p[0], x[0]), "eig": lambda x, p, to: power_sum(c.eig(x[0])[0], p[0], x[0]),
    "lstsq": lambda x, p, to: c.lstsq(*x, p[0])[int(p[1])], "cond": lambda x, p, to: c.cond(x[0], int(p[0])),
    "matrix_norm": lambda x, p, to: c.matrix_norm(x[0], int(p[0]), bool(p[1])),
    "vector_norm": lambda x, p, to: c.vector_norm(x[0], [int(p[2])], bool(p[1]), p[0]),
})


def numpys(file, least):
    """The cases of operations in CALLS; the others have parameters in a form of their own."""
    with open(os.path.join(GOLDEN, "numpy", file)) as f:
        words = iter(f.read().split())
    run = 0
    for word in words:  # "case"
        op, ulps, n = next(words), float(next(words)), int(next(words))
        p = [number(next(words)) for _ in range(n)]
        op, _, to = op.partition(":")
        x, word = [], next(words)
        while word == "in":
            x.append(array(words))
            word = next(words)
        kind, shape, want = array(words)
        call = CALLS.get(op) or (op.startswith("einsum=") and (lambda x, p, to: c.einsum(op[7:], x)))
        if not call:
            continue
        t = call([made(*a) for a in x], p, to)
        run += 1
        if t.dtype.name != kind or list(t.shape) != shape:
            fail("%s, case %s %s: %s %s, not %s %s" % (file, op, p, t.dtype, t.shape, kind, shape))
            continue
        if kind.startswith("complex"):
            t, part = c.stack([c.real(t), c.imag(t)], -1), "float32" if kind == "complex64" else "float64"
        else:
            part = kind
        got = bits_of(t)
        if "float" in part:
            got, scale = floats(got, part), max([abs(v) for v in want if math.isfinite(v)], default=0.0)
            bad = [k for k in range(len(want)) if not near(got[k], want[k], part, ulps, scale)]
        else:
            bits = 8 * size(part)
            bad = [k for k in range(len(want)) if got[k] != int(want[k]) % (1 << bits)]
        if bad:
            fail("%s, case %s %s: %r, not %r" % (file, op, p, got[bad[0]], want[bad[0]]))
        case_ends()
    if run < least:
        fail("%s: %d cases were run" % (file, run))


def complex_functions(name, part, least):
    """The rule of tests/ops/complex.c: an error is relative to the number's size; flag 1: signs of zeros and infinities count."""
    eps = 2.0 ** (1 - DIGITS[part])

    def as_wanted(got, want, limit, strict):
        if math.isnan(want) or math.isinf(want) or want == 0 and (strict or got == 0):
            return math.isnan(got) if math.isnan(want) else got == want and (not strict or math.copysign(1, got) == math.copysign(1, want)) \
                or math.isinf(want) and math.isinf(got) and not strict
        return math.isfinite(got) and abs(got - want) <= limit
    with open(os.path.join(GOLDEN, "complex", "c64.txt" if name == "complex64" else "c128.txt")) as f:
        lines, run = iter(f.read().splitlines()), 0
    for head in lines:
        op, arity, n = head.split()
        rows = [next(lines).split() for _ in range(int(n))]
        numbers = [floats([int(w, 16) for w in row[1:]], part) for row in rows]
        x = [made(name, [int(n)], [v for row in numbers for v in row[2 * k:2 * k + 2]]) for k in range(int(arity))]
        r = getattr(c, op)(*x)
        flat = floats(bits_of(c.stack([c.real(r), c.imag(r)], -1) if "complex" in r.dtype.name else c.stack([r, c.mul(r, 0.0)], -1)), part)
        for k, row in enumerate(numbers):
            want = row[-2:] if "complex" in r.dtype.name else row[-2:-1]
            size = math.hypot(*[v if math.isfinite(v) else 0.0 for v in row[-2:]])
            limit = (1 if op in "add sub neg conj real imag".split() else 40 if op == "pow" else 8) * eps * size + 2.0 ** (-126 if part == "float32" else -1022)
            if not all(as_wanted(g, w, limit, rows[k][0] == "1") for g, w in zip(flat[2 * k:], want)):
                fail("%s of %s: %s gives %s, not %s" % (op, name, row[:-2], flat[2 * k:2 * k + 2], row[-2:]))
                break
        run += 1
        case_ends()
    if run < least:
        fail("complex: %d functions" % run)


def transforms(least):
    """The cases of tests/ops/fft.c, in both widths."""
    with open(os.path.join(GOLDEN, "fft", "fft.txt")) as f:
        words, run = iter(f.read().split()), 0

    def values():
        real, shape = int(next(words)), [int(next(words)), int(next(words))]
        return real, shape, [float(next(words)) for _ in range(math.prod(shape) * (1 if real else 2))]
    for op in words:
        norm, n, axis = int(next(words)), int(next(words)), int(next(words))
        real, shape, numbers = values()
        result_real, to, want = values()
        x = made("float64" if real else "complex128", shape, numbers)
        for narrow in (False, True):
            t = getattr(c, op)(c.cast(x, "float32" if real else "complex64") if narrow else x, n, axis, norm)
            r = c.cast(t, "float64" if result_real else "complex128")
            got = struct.unpack("<%dd" % len(want), b"".join(b.to_bytes(r.dtype.itemsize, "little") for b in bits_of(r)))
            size = max([abs(v) for v in want], default=0.0) + 1e-3
            if list(t.shape) != to or max((abs(g - w) for g, w in zip(got, want)), default=0.0) > (2e-6 if narrow else 8e-14) * size:
                fail("%s of %s, norm %d: %s" % (op, shape, norm, t.shape))
        run += 1
        case_ends()
    if run < least:
        fail("fft: %d cases" % run)


def cotangents():
    """Those of JAX, as in tests/ops/complex.c."""
    with open(os.path.join(GOLDEN, "complex", "gradients.txt")) as f:
        lines = f.read().splitlines()
    for line in lines:
        op, *words = line.split()
        v = [float.fromhex(w) for w in words]
        z, w = made("complex128", [], v[:2]), made("complex128", [], v[2:4])
        f = getattr(c, op)
        y = f(z, w) if op in ("add", "sub", "mul", "div", "pow") else f(z)
        kind = y.dtype.name
        g, = c.vjp(y, made(kind, [], v[4:6] if kind == "complex128" else v[4:5]), [z])
        re, im = floats(bits_of(c.stack([c.real(g), c.imag(g)], -1)), "float64")
        if math.hypot(re - v[6], im - v[7]) > 1e-12 * (1 + math.hypot(v[6], v[7])):
            fail("the cotangent of %s: (%g, %g), not (%g, %g)" % (op, re, im, v[6], v[7]))
        case_ends()


def long_transforms():
    """Elements of long transforms, as in tests/ops/fft.c."""
    def samples(n, imaginary):
        return [((5 * j * j + 31337 * j + 17 if imaginary else 7919 * j * j + 104729 * j) % 8191) / 4096 - 1 for j in range(n)]
    with open(os.path.join(GOLDEN, "fft", "long.txt")) as f:
        lines = [line.split() for line in f.read().splitlines()]
    for real, n in sorted({(int(w[0]), int(w[1])) for w in lines}):
        x = made("float64", [n], samples(n, False))
        y = c.rfft(x, 0, 0, "ortho") if real else c.fft(c.complex(x, made("float64", [n], samples(n, True))), 0, 0, "ortho")
        for w in lines:
            if (int(w[0]), int(w[1])) == (real, n):
                at = c.select(y, 0, int(w[2]))
                re, im = floats(bits_of(c.stack([c.real(at), c.imag(at)], -1)), "float64")
                if math.hypot(re - float(w[3]) / math.sqrt(n), im - float(w[4]) / math.sqrt(n)) > 2e-14 * math.log2(n):
                    fail("element %s of a transform of %d" % (w[2], n))
        case_ends()


def path(*parts):
    """Of a golden file, as a word of the calls."""
    return os.path.realpath(os.path.join(GOLDEN, *parts))


def loaded(what, call, want):
    """The bits of what a call reads, beside `want`: the dtype's name, the shape and the numbers, or None."""
    try:
        t = call()
    except o.Error as e:
        if "built without" not in str(e):
            fail("%s: %s" % (what, e))
        return
    data = bits_of(t)
    name = t.dtype.name
    numbers = floats(data, name) if "float" in name else [v - (1 << 8 * size(name)) if name[0] == "i" and v >> 8 * size(name) - 1 else v for v in data]
    if want and (name, list(t.shape), numbers) != want:
        fail("%s: %s %s %s" % (what, name, t.shape, numbers[:5]))
    case_ends()


def files():
    """Arrays in files of other programs: element k as tests/golden/io/make_io.py says."""
    for name in sorted(os.listdir(path("io"))):
        at = path("io", name)
        if name.startswith("c_"):
            code, k = name[2:4], [7 * n % 23 for n in range(15)]
            numbers = [n % 3 == 0 for n in range(15)] if code[0] == "b" else [v - 5 for v in k] if code[0] == "i" else \
                [(v - 5) / 4 for v in k] if code[0] == "f" else k
            kind = "bool" if code[0] == "b" else {"i": "int", "u": "uint", "f": "float"}[code[0]] + str(8 * int(code[1]))
            loaded(name, lambda: c.load(at), (kind, [3, 5], numbers))
        elif ".idx" in name:
            loaded(name, lambda: c.load_idx(at), None)
        elif name.endswith(".npy") and not name.startswith(("no_", "rank9")):
            loaded(name, lambda: c.load(at), None)
        elif name in ("stored.npz", "deflated.npz"):
            for member in o.npz_names(at):
                loaded(name + " " + member, lambda: c.load_npz(at, member), None)
    loaded("peer.csv", lambda: c.load_csv(path("io", "peer.csv"), "float64", ord(","), 1), None)


def pictures(least):
    """Images as other programs decode them; those of JPEG may differ by 2, as in tests/api/images.c."""
    values, run = path("images", "values.npz"), 0
    for name in o.npz_names(values):
        at = path("images", name)
        at += ".png" if os.path.exists(at + ".png") else ".jpg"
        want = o.load_npz(values, name)
        try:
            t = c.load(at)
        except o.Error as e:
            if "built without" in str(e):
                return
            raise
        got, far = bits_of(t), 0 if at.endswith("png") else 2
        n = t.dtype.itemsize
        wanted = [int.from_bytes(want.tobytes()[k:k + n], "little") for k in range(0, want.size * n, n)]
        if t.dtype is not want.dtype or t.shape != want.shape or any(abs(g - w) > far for g, w in zip(got, wanted)):
            fail("the image " + name)
        run += 1
        case_ends()
    if run < least:
        fail("%d images" % run)


def distributions(least):
    """Draws beside exact distribution functions: the largest distance is below that of one sample in 10⁵ (Kolmogorov's law)."""
    draws, run = 512, 0
    with open(path("random", "cdf.txt")) as f:
        lines = f.read().splitlines()
    for k, line in enumerate(lines):
        name, *words = line.split()
        a, b = [made("float64", [1], [float(w)]) for w in words[:2]]
        c.seed(1000 + k)
        t = {"gamma": lambda: c.gamma("float64", [draws], a, 1.0), "beta": lambda: c.beta("float64", [draws], a, b),
             "poisson": lambda: c.poisson("float64", [draws], a), "binomial": lambda: c.binomial("float64", [draws], a, b),
             "exponential": lambda: c.mul(c.neg(c.log(c.sub(1.0, c.rand("float64", [draws], 0.0, 1.0)))), a)}[name]()
        got = sorted(floats(bits_of(t), "float64"))
        points = [float(w) for w in words[5:]]
        for at, p in zip(points[::2], points[1::2]):
            below = sum(v <= at for v in got) / draws
            if abs(below - p) > math.sqrt(math.log(2e5) / 2 / draws):
                fail("%s(%s): P(X <= %g) is %g, not %g" % (name, words[:2], at, below, p))
                break
        run += 1
        case_ends()
    for call in (lambda: c.randn("float32", [3, 5], 1.0, 2.0), lambda: c.randint("int32", [7], -3, 9), lambda: c.permutation(20),
                 lambda: c.bernoulli([40], 0.25), lambda: c.rand_keyed("float16", [9], 0.0, 1.0, 7), lambda: c.choice(30, 6)):
        c.seed(7)
        bits_of(call())
        case_ends()
    if run < least:
        fail("%d distributions" % run)


def elements(name, numbers, shape):
    """Elements of a field, which are integers of 256 bits."""
    return c.from_bytes(name, shape, b"".join(v.to_bytes(32, "little") for v in numbers))


def fields():
    with open(path("field", "poseidon.txt")) as f:
        lines = [line.split() for line in f if line[0] != "#"]
    modulus = 21888242871839275222246405745257275088548364400416034343698204186575808495617
    for t, *hashes in lines:
        n = int(t) - 1
        for k, want in enumerate(hashes):
            x = elements("fr254", [modulus - v if k else v for v in range(1, n + 1)], [1, n])
            got = int.from_bytes(c.is_of(c.poseidon(x)) if recording else c.poseidon(x).tobytes(), "little")
            if got != int(want):
                fail("poseidon of %d elements: %d" % (n, got))
            case_ends()
    with open(path("field", "points.txt")) as f:
        lines = [line.split() for line in f if line[0] != "#"]
    for curve in (1, 2):
        rows = [w for w in lines if w[0] == str(curve)]
        k = elements("fr254", [int(w[1]) for w in rows], [len(rows)])
        shape = [len(rows), 2] if curve == 1 else [len(rows), 2, 2]
        want = elements("fq254", [int(v) for w in rows for v in w[2:-1]], shape)
        p = c.curve_multiply(curve - 1, c.curve_generator(curve - 1), k)
        packed = c.curve_compress(curve - 1, p)
        for what, t, bytes_ in (("multiples", p, want.tobytes()), ("compressed points", packed, bytes.fromhex("".join(w[-1] for w in rows))),
                                ("points again", c.curve_decompress(curve - 1, packed), want.tobytes())):
            if recording:
                c.is_(t)
            if t.tobytes() != bytes_:
                fail("%s of curve %d" % (what, curve))
        for t in (c.curve_add(curve - 1, p, p), c.curve_double(curve - 1, p), c.curve_neg(curve - 1, p)):
            if recording:
                c.is_(t)
        case_ends()


def shares(least):
    """Secrets from shares, as galois computes them. The call has no form in Fortran, whose lists know their length alone."""
    run = 0
    with open(path("private", "shamir.txt")) as f:
        lines = [[int(w) for w in line.split()] for line in f]
    for threshold, k, secret, *rest in lines:
        try:
            t = o.shamir_join(o.asarray([[v] for v in rest[k:]], dtype="uint64"), rest[:k], threshold)
        except o.Error as e:
            if "built without" in str(e):
                return
            raise
        if t.tolist() != [secret]:
            fail("a secret of %d shares" % k)
        run += 1
    if run < least:
        fail("%d secrets" % run)


def torchs(file, cases):
    """Values and gradients of PyTorch: by name, the inputs of which there are gradients, and the call."""
    def golden(name, dtype=None):
        t = o.load_npz(path("torch", file), name)
        return o.astype(t, dtype) if dtype and "float" in t.dtype.name else t

    for dtype, bound in (("float64", 1e-11), ("float32", 3e-5)):
        for name, of, call in cases:
            x = [golden("%s.%s" % (name, k), dtype) for k in of]
            y = call(lambda k: golden(k if "." in k else "%s.%s" % (name, k), dtype), *x)
            has = {n for n in NAMES_IN[file] if n.startswith(name + ".")}
            loss = name + ".loss" in has
            weight = None if loss else golden(name + ".c", dtype)
            wanted = [golden(name + (".loss" if loss else ".y"), "float64")] + [golden("%s.d%s" % (name, k), "float64") for k in of]
            g = c.grad(c.sum(y, None, False), x) if loss else c.vjp(y, weight, x)
            for what, t, want in zip(["value", *of], [y, *g], wanted):
                got, w = floats(bits_of(t), dtype), floats([int.from_bytes(want.tobytes()[k:k + 8], "little") for k in range(0, 8 * want.size, 8)], "float64")
                scale = max([abs(v) for v in w], default=0.0)
                if t.shape != want.shape or any(abs(a - b) > bound * (abs(b) + scale) for a, b in zip(got, w)):
                    fail("%s of %s, %s: %s, not %s" % (what, name, dtype, got[:3], w[:3]))
            case_ends()


NAMES_IN = {name: o.npz_names(path("torch", name)) for name in ("norm.npz", "loss.npz")}
NORMS = [
    ("layer1", "xwb", lambda g, x, w, b: c.layer_norm(x, 1, w, b, 1e-5)), ("layer2", "xwb", lambda g, x, w, b: c.layer_norm(x, 2, w, b, 1e-3)),
    ("rms", "xw", lambda g, x, w: c.rms_norm(x, 1, w, 1e-5)), ("group", "xwb", lambda g, x, w, b: c.group_norm(x, 3, w, b, 1e-5)),
    ("instance", "xwb", lambda g, x, w, b: c.instance_norm(x, w, b, 1e-5)),
    ("local", "x", lambda g, x: c.local_response_norm(x, 3, 0.3, 0.75, 1.5)), ("local4", "x", lambda g, x: c.local_response_norm(x, 4, 0.3, 0.75, 1.5)),
    ("rotary", "x", lambda g, x: c.rotary(x, 3, 10000.0, True)), ("rotary_halves", "x", lambda g, x: c.rotary(x, 3, 10000.0, False))]
LOSSES = [
    ("mse", "xy", lambda g, x, y: c.mse_loss(x, y, "sum")), ("l1", "xy", lambda g, x, y: c.l1_loss(x, y, "mean")),
    ("huber", "xy", lambda g, x, y: c.huber_loss(x, y, 0.7, "none")), ("kl", "x", lambda g, x: c.kl_loss(x, g("y"), False, "batch_mean")),
    ("hinge_embedding", "x", lambda g, x: c.hinge_embedding_loss(x, g("y"), 0.8, "mean")),
    ("similarity", "xy", lambda g, x, y: c.cosine_similarity(x, y, 1, 1e-8))] + [
    ("ctc_" + r, "x", lambda g, x, r=r: c.ctc_loss(c.log_softmax(x, -1), g("target"), g("il"), g("tl"), 0, True, r)) for r in ("mean", "sum", "none")]

elementwise("ints.txt", 0)
for name, ulps in (("f32", 4), ("f64", 4), ("f16", 1), ("bf16", 1)):
    elementwise(name + ".txt", ulps)
for name, least in (("views.txt", 200), ("reduce.txt", 700), ("matmul.txt", 60), ("index.txt", 200), ("along.txt", 700),
                    ("array.txt", 500), ("standard.txt", 1300), ("triangles.txt", 100), ("linalg.txt", 1100)):
    numpys(name, least)
complex_functions("complex64", "float32", 30)
complex_functions("complex128", "float64", 30)
transforms(60)
cotangents()
long_transforms()
if not recording or not set(path()) & set(" \t\n"):  # a path is one word of the calls
    files()
    pictures(30)
distributions(20)
fields()
shares(100)
torchs("norm.npz", NORMS)
torchs("loss.npz", LOSSES)
end()
