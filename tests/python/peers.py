"""Arrays of PyTorch and JAX, both ways by DLPack: every dtype that both have, without axes, empty, strided, read-only, versioned."""
import importlib
import sys


def found(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch, jax = found("torch"), found("jax")  # before the library, which Debian's PyTorch wants
if not torch and not jax:
    print("skip: neither torch nor jax")
    sys.exit(77)
from check import end, fail, numpy_or_skip, o, raises, same, tried  # noqa: E402

np = numpy_or_skip()
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
SHAPES = [(), (0,), (3,), (2, 3, 4), (2, 0, 3), (1, 1)]


def numbers(t, shape):
    k = np.arange(int(np.prod(shape))).reshape(shape)
    return k % 2 == 1 if t == "bool" else k * (1 + 2j) if t.startswith("complex") else k


def wide(t):
    """As NumPy has it."""
    return np.asarray(o.astype(t, "float32") if t.dtype.name == "bfloat16" else t)


def both_ways(peer, t, shape, a, back, numpy_of):
    what = "%s %s %s" % (peer, t, shape)
    x = tried(what, lambda: o.from_dlpack(a))
    if x is None:
        return
    if x.dtype.name != t or x.shape != shape:
        fail("%s becomes %s %s" % (what, x.dtype, x.shape))
    same(what, wide(x), numbers(t, shape).astype(wide(x).dtype))
    b = tried(what + " back", lambda: back(x))
    if b is not None and (str(b.dtype).rpartition(".")[2] != t or tuple(b.shape) != shape):
        fail("%s comes back as %s %s" % (what, b.dtype, tuple(b.shape)))
    elif b is not None:
        same(what + " back", numpy_of(b), numbers(t, shape).astype(numpy_of(b).dtype))


if torch:
    old = int(torch.__version__.partition(".")[0]) < 2  # has no bool in DLPack
    for t in TYPES:
        for shape in SHAPES if hasattr(torch, t) and not (old and t == "bool") else []:
            a = torch.tensor(numbers(t, shape).tolist(), dtype=getattr(torch, t)).reshape(shape)
            both_ways("torch", t, shape, a, torch.from_dlpack, lambda b: (b.float() if b.dtype is torch.bfloat16 else b).numpy())
    m = torch.arange(120.0).reshape(4, 5, 6)
    for k, v in enumerate((m[::2], m.permute(2, 0, 1), m[:, 1:2, ::3], m[0].expand(3, 5, 6), m[:, 2])):
        same("torch, strides %d" % k, o.from_dlpack(v), v.numpy())
        same("torch, a copy of strides %d" % k, o.asarray(v), v.numpy())
    refuses = RuntimeError if old else BufferError  # of PyTorch
    raises(refuses, lambda: o.from_dlpack(torch.ones(3, requires_grad=True)))
    raises(refuses, lambda: o.from_dlpack(torch.ones(3, dtype=torch.complex64).conj()))
    source = o.arange(4) * 2
    out = torch.from_dlpack(source)
    out += 1  # its own memory: an older consumer cannot be told that it is read-only
    same("torch writes into a copy", out.numpy(), np.arange(4) * 2 + 1)
    same("what torch had a copy of", source, np.arange(4) * 2)
if jax:
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    for t in TYPES:
        for shape in SHAPES:
            a = jnp.asarray(numbers(t, shape)).astype(t)
            both_ways("jax", t, shape, a, jnp.from_dlpack, lambda b: np.asarray(b.astype("float32") if b.dtype == jnp.bfloat16 else b))
    m = jnp.arange(24.0).reshape(2, 3, 4)
    same("jax, transposed", o.from_dlpack(m.T), np.asarray(m).T)
    same("jax, a part", o.from_dlpack(m[:, 1:, ::2]), np.asarray(m)[:, 1:, ::2])

# Read-only memory, with versions and without.
a = np.arange(5.0)
a.flags.writeable = False
same("read-only", o.asarray(a), a)
x = o.arange(5.0)
for version in (None, (0, 8), (1, 0), (1, 1)):
    capsule = x.__dlpack__(max_version=version)
    if ("versioned" in repr(capsule)) != (version is not None and version[0] >= 1):
        fail("a capsule for version %s: %r" % (version, capsule))
    same("version %s" % (version,), o._core.from_capsule(capsule), np.arange(5.0))
raises(BufferError, lambda: x.__dlpack__(copy=False))
raises(TypeError, lambda: o._core.from_capsule(capsule), "used")
end()
