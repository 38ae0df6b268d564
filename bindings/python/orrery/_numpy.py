"""NumPy's names that the array API standard lacks, with NumPy's arguments, made from the functions of the library.

Must not know: how anything is computed.
"""
import builtins as _b
import difflib as _difflib
import itertools as _itertools
import math as _math
from collections import namedtuple as _namedtuple

from . import _convert, _core, _indexing, _standard as _s, linalg as _linalg
from ._core import Tensor
from ._standard import _as_float, _tensor

_ALIASES = """absolute=abs amax=max amin=min arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctan2=atan2 arctanh=atanh
around=round bool_=bool bitwise_not=bitwise_invert concatenate=concat conjugate=conj fix=trunc invert=bitwise_invert left_shift=bitwise_left_shift
mod=remainder power=pow right_shift=bitwise_right_shift true_divide=divide"""
_HINTS = {"ndarray": "Tensor", "dtype": "DType", "savez": "save_npz", "savez_compressed": "save_npz_deflated", "loadtxt": "load_csv",
          "genfromtxt": "load_csv", "savetxt": "save_csv", "frombuffer": "from_buffer", "fromfile": "load", "fromiter": "asarray",
          "vectorize": "define_elementwise", "frompyfunc": "define_elementwise", "memmap": "map_npy", "double": "float64", "single": "float32", "half": "float16", "intc": "int32", "int_": "int64", "csingle": "complex64",
          "cdouble": "complex128", "poly1d": "polyval", "matrix": "asarray", "histogram2d": "histogram",
          "set_printoptions": "asarray", "errstate": "isfinite", "vecmat": "matmul", "matvec": "matmul", "issubdtype": "isdtype", "floating": "isdtype", "integer": "isdtype",
          "signedinteger": "isdtype", "unsignedinteger": "isdtype", "inexact": "isdtype", "number": "isdtype", "packbits": "bitwise_left_shift"}


class _Absent(AttributeError):
    """The nearest name is looked for when somebody reads the message: hasattr() costs nothing."""

    def __str__(self):
        near = _HINTS.get(self.name) or next(iter(_difflib.get_close_matches(self.name, dir(self.obj), 1, 0.6)), None)
        return "module 'orrery' has no attribute %r%s" % (self.name, ": the nearest is orrery.%s" % near if near else "")


def install(module):
    """NumPy's other names of functions that the module has; an error for a name that it lacks."""
    for pair in _ALIASES.split():
        new, old = pair.split("=")
        setattr(module, new, getattr(module, old))

    def absent(name):
        raise _Absent(name=name, obj=module)
    module.__getattr__ = absent


def _flat(x):
    return _s.reshape(x, (x.size,))


def _along(x, axis):
    """x and the axis, or x as flat and its axis."""
    x = _tensor(x)
    return (_flat(x), 0) if axis is None else (x, axis % x.ndim if -x.ndim <= axis < x.ndim else axis)


def _at(x, axis, key):
    """x[…, key, …] on the axis."""
    return x[(slice(None),) * axis + (key,)]


def _each(xs):
    return [_tensor(x) for x in xs]


def _number(x):
    """A list, an array or a tensor as lists and numbers of Python."""
    return x.tolist() if hasattr(x, "tolist") else x


# -- shapes, joining, cutting --------------------------------------------------------------------------------------------


def _atleast(n, where):
    def f(*arrays):
        made = []
        for x in _each(arrays):
            while x.ndim < n:
                x = _s.expand_dims(x, where(x.ndim))
            made.append(x)
        return made[0] if len(made) == 1 else tuple(made)
    return _convert.named(f, "atleast_%dd" % n, "The arrays with %d axes at least." % n)


atleast_1d, atleast_2d = _atleast(1, lambda r: 0), _atleast(2, lambda r: 0)
atleast_3d = _atleast(3, lambda r: 0 if r < 2 else 2)


def vstack(tup):
    """The arrays one below the other; those of one axis are rows."""
    return _s.concat([atleast_2d(x) for x in tup], 0)


row_stack = vstack


def hstack(tup):
    """The arrays beside each other."""
    xs = [atleast_1d(x) for x in tup]
    return _s.concat(xs, 0 if xs[0].ndim == 1 else 1)


def dstack(tup):
    """The arrays along the third axis."""
    return _s.concat([atleast_3d(x) for x in tup], 2)


def column_stack(tup):
    """Arrays of one axis as columns, and others, beside each other."""
    return _s.concat([x if x.ndim > 1 else _s.reshape(x, (x.size, 1)) for x in _each(tup)], 1)


def array_split(ary, indices_or_sections, axis=0):
    """Parts of nearly equal length, the first ones longer by one; or the parts between places."""
    x, n = _tensor(ary), _number(indices_or_sections)
    if isinstance(n, int):
        if n < 1:
            raise ValueError("array_split(): the number of parts is not positive")
        length, longer = _b.divmod(x.shape[axis], n)
        n = [k * length + _b.min(k, longer) for k in range(1, n)]
    edges = [0, *n, x.shape[axis]]
    return [_at(x, axis % x.ndim, slice(a, b)) for a, b in zip(edges, edges[1:])]


def split(ary, indices_or_sections, axis=0):
    """Equal parts, or the parts between places."""
    x, n = _tensor(ary), _number(indices_or_sections)
    return _s.split(x, n, axis) if isinstance(n, int) else array_split(x, n, axis)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 1 if _tensor(ary).ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def append(arr, values, axis=None):
    """values after arr; without an axis both as flat."""
    a, v = _tensor(arr), _tensor(values)
    return _s.concat([_flat(a), _flat(v)] if axis is None else [a, v], 0 if axis is None else axis)


def _kept(x, axis, obj):
    """The places of an axis that obj leaves."""
    n = x.shape[axis]
    if isinstance(obj, slice):
        gone = set(range(n)[obj])
    elif getattr(obj, "dtype", None) is _core.bool or isinstance(obj, (list, tuple)) and obj and isinstance(obj[0], bool):
        gone = {k for k, g in enumerate(_number(obj)) if g}
    else:
        places = _number(obj)
        gone = {_indexing._place(k, n) % n for k in ([places] if isinstance(places, int) else places)}
    return [k for k in range(n) if k not in gone]


def delete(arr, obj, axis=None):
    """arr without the places that obj names along an axis."""
    x, axis = _along(arr, axis)
    return _core.take(x, _s.asarray(_kept(x, axis, obj), dtype="int64"), axis)


def insert(arr, obj, values, axis=None):
    """arr with values before the places that obj names along an axis."""
    x, axis = _along(arr, axis)
    n, places = x.shape[axis], _number(list(range(x.shape[axis]))[obj] if isinstance(obj, slice) else obj)
    v = _s.astype(_tensor(values), x.dtype)
    if isinstance(places, int):
        places = [places]
        v = _s.expand_dims(v, axis) if 0 < v.ndim < x.ndim else _s.moveaxis(v, 0, axis) if v.ndim == x.ndim and axis else v
        places *= v.shape[axis] if v.ndim == x.ndim else 1
    if _b.any(not -n <= k <= n for k in places):
        raise IndexError("insert(): a place of %s is out of range for an axis of length %d" % (places, n))
    places = [k + n if k < 0 else k for k in places]
    v = _s.broadcast_to(v, x.shape[:axis] + (len(places),) + x.shape[axis + 1:])
    order = sorted([(k, 0, n + i) for i, k in enumerate(places)] + [(k, 1, k) for k in range(n)])
    return _core.take(_s.concat([x, v], axis), _s.asarray([k for _, _, k in order], dtype="int64"), axis)


def fliplr(m):
    """The second axis backwards."""
    return _s.flip(_tensor(m), 1)


def flipud(m):
    """The first axis backwards."""
    return _s.flip(_tensor(m), 0)


def rot90(m, k=1, axes=(0, 1)):
    """Turned k times by 90 degrees in the plane of two axes."""
    return _core.rot90(_tensor(m), k % 4, *axes)


def tile(A, reps):
    """A repeated as a whole."""
    x, reps = _tensor(A), _number(reps)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    return _core.tile(x, (1,) * (x.ndim - len(reps)) + reps)


def repeat(a, repeats, axis=None):
    """Each element repeated; without an axis a as flat."""
    return _s.repeat(_tensor(a), repeats if isinstance(repeats, Tensor) and repeats.ndim else _number(repeats), axis)


def pad(array, pad_width, mode="constant", *more, constant_values=0):
    """array with elements before and after each axis: a constant, the edge's, or those of a reflection or of the next period."""
    x = _tensor(array)
    if not isinstance(mode, str):  # the library's own form: x, before, after, value
        return _core.pad(x, pad_width, mode, *more)
    width, value = (_pairs(_number(w), x.ndim) for w in (pad_width, constant_values))
    for axis, ((lo, hi), (first, last)) in enumerate(zip(width, value)):
        n = x.shape[axis]
        if mode == "constant":
            sides = [_s.full(x.shape[:axis] + (k,) + x.shape[axis + 1:], v, dtype=x.dtype) for k, v in ((lo, first), (hi, last))]
            x = _s.concat([sides[0], x, sides[1]], axis) if lo or hi else x
            continue
        if mode not in _PLACES:
            raise ValueError("pad(): the modes are constant, %s, not %r" % (", ".join(_PLACES), mode))
        if not n and (lo or hi):
            raise ValueError("pad(): an axis without elements has no %s" % mode)
        if lo or hi:
            x = _core.take(x, _s.asarray([_PLACES[mode](k, n) for k in range(-lo, n + hi)], dtype="int64"), axis)
    return x


def _folded(k, n):
    k %= 2 * n - 2 if n > 1 else 1
    return k if k < n else 2 * n - 2 - k


_PLACES = {"edge": lambda k, n: _b.min(_b.max(k, 0), n - 1), "wrap": lambda k, n: k % n, "reflect": _folded,
           "symmetric": lambda k, n: k % n if k // n % 2 == 0 else n - 1 - k % n}


def _pairs(w, rank):
    """NumPy's short forms of two numbers for each axis."""
    if not isinstance(w, (list, tuple)):
        return [(w, w)] * rank
    w = [tuple(_number(v)) if isinstance(_number(v), (list, tuple)) else v for v in w]
    if not isinstance(w[0], tuple):
        w = [tuple(w) if len(w) == 2 else (w[0], w[0])]
    w = [v if len(v) == 2 else v * 2 for v in w]
    if len(w) not in (1, rank):
        raise ValueError("pad(): %d pairs for %d axes" % (len(w), rank))
    return w * rank if len(w) == 1 else w


def transpose(a, axes=None):
    """The axes in another order; without one backwards. (orrery.matrix_transpose exchanges the last two.)"""
    return _tensor(a).transpose(*([] if axes is None else [axes]))


def rollaxis(a, axis, start=0):
    """An axis before another one."""
    x = _tensor(a)
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    return _s.moveaxis(x, axis, start - (axis < start))


def block(arrays):
    """Arrays in nested lists, joined: the innermost lists along the last axis, those around them along the axis before."""
    def depth(v):
        return 1 + _b.max(map(depth, v), default=0) if isinstance(v, list) else 0

    def rank(v):
        return _b.max(map(rank, v)) if isinstance(v, list) else _tensor(v).ndim
    deep = depth(arrays)
    n = _b.max(deep, rank(arrays))

    def joined(v, level):
        if isinstance(v, list):
            return _s.concat([joined(part, level - 1) for part in v], axis=-level)
        x = _tensor(v)
        return _s.reshape(x, (1,) * (n - x.ndim) + x.shape)
    return joined(arrays, deep)


def trim_zeros(filt, trim="fb"):
    """A sequence without the zeros at its front ("f") and back ("b")."""
    x = _tensor(filt)
    at = flatnonzero(x)
    first, last = (at[0].item(), at[-1].item() + 1) if at.size else (x.size, x.size)
    return x[first if "f" in trim.lower() else 0:last if "b" in trim.lower() else None]


def ndindex(*shape):
    """The indices of all places of a shape."""
    return _itertools.product(*map(range, shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape))


def ndenumerate(arr):
    """The indices and the elements of an array."""
    x = _tensor(arr)
    return zip(ndindex(x.shape), x.flat)


class _Flat:
    """x.flat: the elements of x in the order of its rows; an assignment changes x."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return (self.x[k] for k in ndindex(self.x.shape))

    def __len__(self):
        return self.x.size

    def __getitem__(self, key):
        return _flat(self.x)[key]

    def __setitem__(self, key, value):
        at = _s.arange(self.x.size)[key]
        self.x[unravel_index(at, self.x.shape)] = _flat(_tensor(value))[_s.arange(at.size) % _tensor(value).size] if at.ndim else value

    def __array__(self, dtype=None, copy=None):
        return _flat(self.x).__array__(dtype)


def broadcast_shapes(*shapes):
    """The common shape."""
    return _core.broadcast_arrays([_s.zeros(s) for s in shapes])[0].shape if shapes else ()


def ravel(a):
    """a as flat."""
    return _flat(_tensor(a))


def shape(a):
    return _tensor(a).shape


def size(a, axis=None):
    return _tensor(a).size if axis is None else _tensor(a).shape[axis]


def ndim(a):
    return _tensor(a).ndim


def copy(a):
    return _tensor(a).copy()


asanyarray = ascontiguousarray = _s.asarray


# -- creation ------------------------------------------------------------------------------------------------------------


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num points from start to stop, stop included if endpoint."""
    if isinstance(start, (Tensor, list)) or isinstance(stop, (Tensor, list)):
        a, b = _s.broadcast_arrays(_as_float(start), _as_float(stop))
        step = (b - a) / _b.max(num - 1 if endpoint else num, 1)
        k = _s.reshape(_s.arange(0, num, dtype="float64"), (num,) + (1,) * a.ndim)
        made = _s.moveaxis(a + k * step, 0, axis)
        made = made if dtype is None else _s.astype(made, dtype)
    else:
        made = _s.linspace(start, stop, num, endpoint, dtype=dtype, device=device)
        n = num - 1 if endpoint else num
        step = (stop - start) / n if n > 0 else _s.asarray(float("nan"))
    return (made, step) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """base to the powers of linspace."""
    made = _core.pow(_s.full((), float(base)), linspace(start, stop, num, endpoint))
    return made if dtype is None else _s.astype(made, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None):
    """num numbers from start to stop whose quotient is constant."""
    if start * stop <= 0:
        raise ValueError("geomspace(): start and stop have one sign and are not 0")
    sign = -1.0 if start < 0 else 1.0
    made = _powers(_b.abs(start), _b.abs(stop), num, endpoint)
    made = made * sign
    return made if dtype is None else _s.astype(made, dtype)


def _powers(a, b, num, endpoint):
    k = linspace(0.0, 1.0, num, endpoint)
    made = float(a) * _core.pow(_s.full((), b / a), k)
    return _s.concat([made[:-1], _s.full((1,), float(b))]) if endpoint and num > 1 else made


def identity(n, dtype=None):
    """The unit matrix."""
    return _s.eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype="float64"):
    """Ones on and below the diagonal k."""
    return _s.tril(_s.ones((N, N if M is None else M), dtype=dtype), k=k)


def vander(x, N=None, increasing=False):
    """The powers of x as columns."""
    x = _tensor(x)
    n = x.size if N is None else N
    columns = [_s.ones_like(x)] * _b.min(n, 1)
    while len(columns) < n:
        columns.append(columns[-1] * x)
    return _s.stack(columns if increasing else columns[::-1], 1) if n else _s.zeros((x.size, 0), dtype=x.dtype)


def indices(dimensions, dtype="int64", sparse=False):
    """The index of each place along each axis."""
    lines = [_s.reshape(_s.arange(0, n, dtype=dtype), (1,) * k + (n,) + (1,) * (len(dimensions) - 1 - k)) for k, n in enumerate(dimensions)]
    if sparse:
        return tuple(lines)
    return _s.stack([_s.broadcast_to(v, tuple(dimensions)) for v in lines]) if lines else _s.zeros((0,), dtype=dtype)


def _line(s):
    """The numbers of a slice: a step of 5j is five numbers with both ends."""
    start, step = s.start or 0, 1 if s.step is None else s.step
    return _s.linspace(start, s.stop, int(_b.abs(step))) if isinstance(step, complex) else _s.arange(start, s.stop, step)


class _Rows:
    """r_[1:4, 0, x]: slices, numbers and arrays one after another; c_ as columns."""

    def __init__(self, join):
        self.join = join

    def __getitem__(self, key):
        return self.join([_line(k) if isinstance(k, slice) else _tensor(k) for k in (key if isinstance(key, tuple) else (key,))])


class _Grid:
    """mgrid[0:2, 0:1:5j] and ogrid: the coordinates of a grid."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        lines = [_line(s) for s in keys]
        if _b.any("float" in v.dtype.name for v in lines):
            lines = [_as_float(v) for v in lines]
        if not isinstance(key, tuple):
            return lines[0]
        made = _s.meshgrid(*lines, indexing="ij")
        if self.sparse:
            return tuple(_s.reshape(v, (1,) * k + (v.size,) + (1,) * (len(lines) - 1 - k)) for k, v in enumerate(lines))
        return _s.stack(made)


mgrid, ogrid = _Grid(False), _Grid(True)
r_ = _Rows(lambda parts: _s.concat([atleast_1d(x) for x in parts]))
c_ = _Rows(column_stack)


def ix_(*args):
    """Lists of places as an index of all their combinations."""
    lines = [_s.nonzero(v)[0] if v.dtype is _core.bool else v for v in _each(args)]
    return tuple(_s.reshape(v, (1,) * k + (v.size,) + (1,) * (len(lines) - 1 - k)) for k, v in enumerate(lines))


def fromfunction(function, shape, *, dtype="float64", **kw):
    """function of the indices of the shape."""
    return function(*indices(shape, dtype), **kw)


def tril_indices(n, k=0, m=None):
    """The places on and below the diagonal k."""
    return _s.nonzero(tri(n, m, k, "bool"))


def triu_indices(n, k=0, m=None):
    """The places on and above the diagonal k."""
    return _s.nonzero(_core.logical_not(tri(n, m, k - 1, "bool")))


def tril_indices_from(arr, k=0):
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    return triu_indices(arr.shape[0], k, arr.shape[1])


def diag_indices(n, ndim=2):
    """The places of a diagonal."""
    return (_s.arange(n),) * ndim


def unravel_index(indices, shape):
    """Places of the flat array as indices."""
    k, made = _tensor(indices), []
    for n in reversed((shape,) if isinstance(shape, int) else shape):
        made.append(k % n)
        k = k // n
    return tuple(reversed(made))


def ravel_multi_index(multi_index, dims):
    """Indices as places of the flat array."""
    k = 0
    for i, n in zip(multi_index, dims):
        k = k * n + _tensor(i)
    return k


def diag(v, k=0):
    """The matrix with a diagonal, or the diagonal of a matrix."""
    v = _tensor(v)
    return _core.diag(v, k) if v.ndim == 1 else diagonal(v, k)


def diagflat(v, k=0):
    """The matrix whose diagonal are the elements of v."""
    return _core.diag(ravel(v), k)


class _Key:
    """s_[1:3, ::2]: the key of an index."""

    def __getitem__(self, key):
        return key


s_ = index_exp = _Key()


def _window(core):
    def window(M, *more):
        return core("float64", M, *more) if isinstance(M, int) else core(M, *more)
    return _convert.named(window, core.__name__, "A window of M numbers of float64; or of a dtype and their number. " + core.__doc__)


hamming, bartlett, blackman, kaiser, hann = map(_window, (_core.hamming, _core.bartlett, _core.blackman, _core.kaiser, _core.hann))
hanning = hann


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal of two axes, as the last axis."""
    x = _tensor(a)
    x = x if (axis1, axis2) == (x.ndim - 2, x.ndim - 1) else _s.moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    if not -rows < offset < columns:
        return x[..., :0, 0] if columns else x[..., 0, :0] if rows else _s.reshape(x, x.shape[:-2] + (0,))
    return _core.diagonal(x, offset)


def trace(a, offset=0, axis1=0, axis2=1):
    """The sum of a diagonal."""
    return _s.sum(diagonal(a, offset, axis1, axis2), axis=-1)


def fill_diagonal(a, val):
    """The diagonal of a gets other elements."""
    n = _b.min(a.shape)
    a[(_s.arange(n),) * a.ndim] = _number(val)


# -- element by element --------------------------------------------------------------------------------------------------


def _floats(f, name, doc):
    return _convert.named(lambda x: f(_as_float(x)), name, doc)


degrees = rad2deg = _floats(lambda x: x * 57.29577951308232, "degrees", "Radians as degrees.")
radians = deg2rad = _floats(lambda x: x * 0.017453292519943295, "radians", "Degrees as radians.")
exp2 = _floats(lambda x: _core.pow(_s.full((), 2.0, dtype=x.dtype), x), "exp2", "2 to the power x.")
cbrt = _floats(lambda x: _core.sign(x) * _core.pow(_core.abs(x), 1 / 3), "cbrt", "The cube root.")


def sinc(x):
    """sin(πx) / (πx), 1 at 0."""
    y = _as_float(x) * 3.141592653589793
    is_zero = y == 0
    return _core.where(is_zero, _s.ones_like(y), _core.sin(y) / _core.where(is_zero, _s.ones_like(y), y))


def angle(z, deg=False):
    """The angle to the positive real axis."""
    r = _core.angle(_as_float(z))
    return degrees(r) if deg else r


def modf(x):
    """The part behind the point, and the whole part."""
    x = _as_float(x)
    whole = _core.trunc(x)
    return _core.copysign(_core.where(_core.isinf(x), 0.0, x - whole), x), whole


def gcd(x1, x2):
    """The greatest common divisor."""
    a, b = _s.broadcast_arrays(*(_core.abs(v) for v in _each((x1, x2))))
    while bool(_s.any(b != 0)):
        a, b = _core.where(b == 0, a, b), _core.where(b == 0, 0, a % b)
    return a


def lcm(x1, x2):
    """The least common multiple."""
    a, b = _each((x1, x2))
    return _core.abs(a // gcd(a, b) * b)


def bitwise_count(x):
    """The number of ones among the bits of |x|."""
    v = _s.astype(_core.abs(_tensor(x)), "uint64")
    v = v - ((v >> 1) & 0x5555555555555555)
    v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
    return _s.astype((((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56, "uint8")


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """p without jumps of more than half a period, or discont, along an axis: whole periods are added."""
    x = _as_float(p)
    if not x.size:
        return x
    d, half = _s.diff(x, axis=axis), period / 2
    near = (d + half) % period - half
    near = _core.where((near == -half) & (d > 0), half, near)
    change = _core.where(_core.abs(d) < (half if discont is None else discont), 0.0, near - d)
    start = _s.zeros_like(_at(x, axis % x.ndim, slice(0, 1)))
    return x + _s.concat([start, cumsum(change, axis=axis)], axis)


def heaviside(x1, x2):
    """0 below 0, x2 at 0, 1 above."""
    x = _as_float(x1)
    both = _s.result_type(x, x2 if isinstance(x2, (int, float)) else _as_float(x2))
    r = _core.where(x == 0, _s.astype(_tensor(x2), both), _s.astype(x > 0, both))
    return _core.where(_core.isnan(x), _s.astype(x, both), r)


def rint(x):
    """The nearest integer as a float, of two the even one."""
    return _s.round(_as_float(x))


def fabs(x):
    """|x| as a float."""
    return _core.abs(_as_float(x))


def _truth(x):
    x = _tensor(x)
    return x if x.dtype.name == "bool" else x != 0


def logical_and(x1, x2):
    """Whether both are true; a number is, unless it is 0."""
    return _core.logical_and(_truth(x1), _truth(x2))


def logical_or(x1, x2):
    """Whether one is true; a number is, unless it is 0."""
    return _core.logical_or(_truth(x1), _truth(x2))


def logical_xor(x1, x2):
    """Whether one alone is true; a number is, unless it is 0."""
    return _core.logical_xor(_truth(x1), _truth(x2))


def logical_not(x):
    """Whether x is false; a number is, if it is 0."""
    return _core.logical_not(_truth(x))


def logaddexp2(x1, x2):
    """log₂(2^x1 + 2^x2)."""
    return _core.logaddexp(_tensor(x1) * 0.6931471805599453, _tensor(x2) * 0.6931471805599453) / 0.6931471805599453


def fmod(x1, x2):
    """The remainder with the sign of x1."""
    a, b = _tensor(x1), _tensor(x2)
    r = _core.remainder(_core.abs(a), _core.abs(b))
    return _core.where(_core.less(a, _s.zeros((), dtype=a.dtype)), -r, r)


def divmod(x1, x2):
    return _tensor(x1) // x2, _tensor(x1) % x2


def float_power(x1, x2):
    """x1 to the power x2, as float64 or complex128."""
    return _core.pow(*(_s.astype(v, "complex128" if "complex" in v.dtype.name else "float64") for v in _each((x1, x2))))


def _ignoring(core):
    def f(x1, x2):
        a, b = _s.broadcast_arrays(*_each((x1, x2)))
        if "float" not in a.dtype.name + b.dtype.name:
            return core(a, b)
        return _core.where(_core.isnan(a), b, _core.where(_core.isnan(b), a, core(a, b)))
    return f


fmax = _convert.named(_ignoring(_core.maximum), "fmax", "The greater one; NaN beside a number is ignored.")
fmin = _convert.named(_ignoring(_core.minimum), "fmin", "The lesser one; NaN beside a number is ignored.")


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of NaN and infinities."""
    x = _tensor(x)
    if "complex" in x.dtype.name:
        return nan_to_num(_core.real(x), copy, nan, posinf, neginf) + 1j * nan_to_num(_core.imag(x), copy, nan, posinf, neginf)
    if "float" not in x.dtype.name:
        return x
    f = _s.finfo(x.dtype)
    r = _core.where(_core.isnan(x), nan, x)
    r = _core.where(isposinf(x), f.max if posinf is None else posinf, r)
    return _core.where(isneginf(x), f.min if neginf is None else neginf, r)


def isposinf(x):
    x = _as_float(x)
    return x == float("inf")


def isneginf(x):
    x = _as_float(x)
    return x == float("-inf")


def iscomplexobj(x):
    return "complex" in _tensor(x).dtype.name


def isrealobj(x):
    return not iscomplexobj(x)


def iscomplex(x):
    x = _tensor(x)
    return _core.imag(x) != 0 if iscomplexobj(x) else _s.zeros(x.shape, dtype="bool")


def isreal(x):
    return _core.logical_not(iscomplex(x))


def isscalar(element):
    return isinstance(element, (bool, int, float, complex, str, bytes))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a − b| ≤ atol + rtol·|b|, and equal infinities."""
    a, b = _s.broadcast_arrays(*(_as_float(v) for v in (a, b)))
    is_finite = _core.logical_and(_core.isfinite(a), _core.isfinite(b))
    near = _core.less_equal(_core.abs(a - b), atol + rtol * _core.abs(b))
    r = _core.where(is_finite, near, a == b)
    return _core.logical_or(r, _core.logical_and(_core.isnan(a), _core.isnan(b))) if equal_nan else r


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_s.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal."""
    a, b = _each((a1, a2))
    return a.shape == b.shape and _equal(a, b, equal_nan)


def array_equiv(a1, a2):
    """Whether the elements are equal after broadcasting."""
    a, b = _each((a1, a2))
    try:
        a, b = _s.broadcast_arrays(a, b)
    except _core.ShapeError:
        return False
    return _equal(a, b, False)


def _equal(a, b, equal_nan):
    if (a.dtype is _core.bool) != (b.dtype is _core.bool):
        a, b = (_s.astype(v, "int8") if v.dtype is _core.bool else v for v in (a, b))
    if "floating" in _convert.kind_of(a.dtype) or "floating" in _convert.kind_of(b.dtype):
        a, b = _as_float(a), _as_float(b)
    r = a == b
    if equal_nan and "floating" in _convert.kind_of(a.dtype):
        r = _core.logical_or(r, _core.logical_and(_core.isnan(a), _core.isnan(b)))
    return bool(_s.all(r))


def interp(x, xp, fp, left=None, right=None, period=None):
    """The piecewise linear function through (xp, fp)."""
    x, xp, fp = (_as_float(v) for v in (x, xp, fp))
    if period is not None:
        period = _b.abs(period)
        x, xp, left, right = x % period, xp % period, None, None
        order = _s.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp, fp = _s.concat([xp[-1:] - period, xp, xp[:1] + period]), _s.concat([fp[-1:], fp, fp[:1]])
    r = _core.interp(x, xp, fp)
    r = r if left is None else _core.where(x < xp[0], left, r)
    return r if right is None else _core.where(x > xp[-1], right, r)


# -- choice ----------------------------------------------------------------------------------------------------------------


def where(condition, x1=None, x2=None, /):
    """x1 where the condition holds, x2 elsewhere; with the condition alone the places where it holds."""
    if (x1 is None) is not (x2 is None):
        raise ValueError("where() has both x1 and x2 or neither")
    return _s.nonzero(_tensor(condition)) if x1 is None else _s.where(_tensor(condition), x1, x2)


def take(a, indices, /, axis=None, *, mode="raise"):
    """a[…, indices, …]; without an axis a as flat. A place beyond the axis is an error, the nearest one ("clip"), or one of a period ("wrap")."""
    (x, axis), k = _along(a, axis), _tensor(indices)
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError("take(): mode is 'raise', 'clip' or 'wrap', not %r" % (mode,))
    return _core.take(x, k if mode == "raise" else k % x.shape[axis] if mode == "wrap" else _s.clip(k, 0, x.shape[axis] - 1), axis)


def put_along_axis(arr, indices, values, axis):
    """The elements of arr that the indices name along the axis become the values."""
    k = _tensor(indices)
    if axis is None:
        arr.flat[_flat(k)] = values
        return
    lines = [_s.reshape(_s.arange(n), (1,) * d + (n,) + (1,) * (k.ndim - 1 - d)) for d, n in enumerate(k.shape)]
    shape = list(arr.shape)
    shape[axis] = 1
    key = [_s.where(_s.asarray(n == 1 and m > 1), _s.arange(m).reshape((1,) * d + (m,) + (1,) * (k.ndim - 1 - d)), line)
           for d, (line, n, m) in enumerate(zip(lines, k.shape, shape))]
    key[axis] = k
    arr[tuple(key)] = values


def copyto(dst, src, where=True):
    """The elements of dst become those of src, where the condition holds."""
    dst[...] = src if where is True else _core.where(_tensor(where), _s.astype(_tensor(src), dst.dtype), dst)


def piecewise(x, condlist, funclist, *args, **kw):
    """A number, or a function of the elements, where each condition holds; one more for all others."""
    x = _tensor(x)
    one = not isinstance(condlist, (list, tuple)) or not condlist or isinstance(condlist[0], (bool, int)) and x.ndim
    masks = [_tensor(c) for c in ([condlist] if one else condlist)]
    if len(funclist) == len(masks) + 1:
        masks.append(_core.logical_not(_s.any(_s.stack(masks), axis=0)))
    if len(funclist) != len(masks):
        raise ValueError("piecewise(): %d conditions have %d or %d functions" % (len(masks), len(masks), len(masks) + 1))
    r = _s.zeros_like(x)
    for is_here, f in zip(masks, funclist):
        r[is_here] = f(x[is_here], *args, **kw) if callable(f) else f
    return r


def put(a, ind, v):
    """a's elements at places of the flat array get other values, which are repeated."""
    ind, v = _flat(_tensor(ind)), _flat(_s.astype(_tensor(v), a.dtype))
    if ind.size:
        _s.reshape(a, (a.size,))[ind] = _core.take(v, _s.arange(ind.size) % v.size, 0)


def choose(a, choices):
    """choices[a[…]][…]."""
    k, *choices = _s.broadcast_arrays(_tensor(a), *_each(choices))
    return _core.select(_core.take_along_axis(_s.stack(choices), _s.expand_dims(k, 0), 0), 0, 0)


def select(condlist, choicelist, default=0):
    """The choice of the first condition that holds."""
    if isinstance(condlist, Tensor):  # the library's own form: x, axis, index
        return _core.select(condlist, choicelist, default)
    r = default
    for c, v in reversed(_b.list(zip(condlist, choicelist))):
        r = _s.where(_tensor(c), v, r)
    return r


def compress(condition, a, axis=None):
    """The places of an axis at which the condition holds."""
    x, axis = _along(a, axis)
    return _core.take(x, _s.nonzero(_tensor(condition))[0], axis)


def extract(condition, arr):
    return compress(ravel(condition), arr)


def flatnonzero(a):
    """The places of the flat array that are not 0."""
    return _s.nonzero(ravel(a))[0]


def partition(a, kth, axis=-1, kind=None):
    """The elements in order, so that the kth is at its place."""
    x, axis = _along(a, axis)
    return _s.sort(x, axis=axis)


def argpartition(a, kth, axis=-1, kind=None):
    x, axis = _along(a, axis)
    return _s.argsort(x, axis=axis)


def lexsort(keys, axis=-1):
    """The order by the last key, then by those before it."""
    first, *others = _each(keys)
    order = _s.argsort(first, axis=axis)
    for k in others:
        order = _s.take_along_axis(order, _s.argsort(_s.take_along_axis(k, order, axis=axis), axis=axis), axis=axis)
    return order


def digitize(x, bins, right=False):
    """The numbers of the bins in which the elements are."""
    bins, x = _tensor(bins), _tensor(x)
    side = "left" if right else "right"
    if bins.size > 1 and bins[0].item() > bins[-1].item():
        return bins.size - _s.searchsorted(_core.flip(bins), x, side)
    return _s.searchsorted(bins, x, side)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """The distinct elements, or parts of an axis, in order, with their first places, the place of each element among them, and their counts."""
    x = _tensor(ar)
    if axis is not None:
        lines = _s.moveaxis(x, axis, 0)
        rows = [tuple(v) for v in _number(_s.reshape(lines, (lines.shape[0], lines.size // _b.max(lines.shape[0], 1))))]
        firsts, counts = {}, {}
        for k, v in enumerate(rows):
            firsts.setdefault(v, k)
            counts[v] = counts.get(v, 0) + 1
        values = sorted(firsts)
        places = {v: k for k, v in enumerate(values)}
        made = [_s.take(x, _s.asarray([firsts[v] for v in values], dtype="int64"), axis=axis), [firsts[v] for v in values],
                [places[v] for v in rows], [counts[v] for v in values]]
        made[1:] = [_s.asarray(v, dtype="int64") for v in made[1:]]
    else:
        made = _s.unique_all(x) if return_index or return_inverse or return_counts else [_s.unique_values(x)]
    wanted = [made[0]] + [m for m, w in zip(made[1:], (return_index, return_inverse, return_counts)) if w]
    return tuple(wanted) if len(wanted) > 1 else wanted[0]


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is one of others."""
    x, among = _tensor(element), _s.unique_values(_tensor(test_elements))
    if not among.size:
        return _s.full(x.shape, invert)
    k = _s.searchsorted(among, x)
    is_in = _core.take(among, _core.minimum(k, _s.asarray(among.size - 1, dtype=k.dtype)), 0) == x
    return _core.logical_not(is_in) if invert else is_in


def union1d(ar1, ar2):
    return _s.unique_values(append(ar1, ar2))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The values that both have; and their first places in each."""
    if not return_indices:
        a = _s.unique_values(_tensor(ar1))
        return a[isin(a, ar2)]
    a, b = (_s.unique_all(_tensor(v)) for v in (ar1, ar2))
    is_common = isin(a.values, b.values)
    common = a.values[is_common]
    return common, a.indices[is_common], b.indices[_s.searchsorted(b.values, common)]


def setdiff1d(ar1, ar2):
    a = _s.unique_values(_tensor(ar1))
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2):
    return _s.sort(append(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)))


# -- reductions ------------------------------------------------------------------------------------------------------------


def _running(f):
    def running(a, axis=None, dtype=None):
        x, axis = _along(a, axis)
        x = _s.astype(x, "int64") if x.dtype is _core.bool and dtype is None else x
        return f(x, axis=axis, dtype=dtype)
    return running


cumsum = _convert.named(_running(_s.cumulative_sum), "cumsum", "The sums of the first 1, 2, … elements; without an axis a as flat.")
cumprod = _convert.named(_running(_s.cumulative_prod), "cumprod", "The products of the first 1, 2, … elements.")


def ptp(a, axis=None, keepdims=False):
    """The greatest element less the least."""
    x = _tensor(a)
    return _s.max(x, axis=axis, keepdims=keepdims) - _s.min(x, axis=axis, keepdims=keepdims)


def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    """The q-percentiles of an axis; q is a number or a list."""
    q = _number(q)
    return quantile(a, [v / 100.0 for v in q] if isinstance(q, (list, tuple)) else q / 100.0, axis, method=method, keepdims=keepdims)


_BETWEEN = {"lower": _math.floor, "higher": _math.ceil, "nearest": _b.round, "midpoint": None}


def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    """The q-quantiles of an axis; q is a number or a list. Between two elements the method takes both by their distances, or one, or the mean."""
    x, q = _tensor(a), _number(q)
    if method == "linear":
        return _s.quantile(x, q, axis, keepdims=keepdims)
    if method not in _BETWEEN:
        raise ValueError("quantile(): the methods are linear, %s, not %r" % (", ".join(_BETWEEN), method))
    axes = sorted(k % x.ndim for k in (range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis))
    rest = [k for k in range(x.ndim) if k not in axes]
    line = _s.sort(_s.reshape(_s.permute_dims(x, rest + axes), [x.shape[k] for k in rest] + [_math.prod(x.shape[k] for k in axes)]))
    n, f = line.shape[-1], _BETWEEN[method]

    def at(p):
        places = [f(p * (n - 1))] if f else [_math.floor(p * (n - 1)), _math.ceil(p * (n - 1))]
        r = line[..., places[0]] if f else (_as_float(line[..., places[0]]) + line[..., places[1]]) / 2
        r = _core.where(_core.isnan(line[..., -1]), line[..., -1], r) if "floating" in _convert.kind_of(x.dtype) else r
        return _s.reshape(r, [1 if k in axes else m for k, m in enumerate(x.shape)]) if keepdims else r
    return _s.stack([at(p) for p in q]) if isinstance(q, (list, tuple)) else at(q)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean, weighted."""
    x = _as_float(a)
    w = _s.ones_like(x) if weights is None else _as_float(weights)
    if w.shape != x.shape:
        w = _s.broadcast_to(_s.reshape(w, (1,) * (axis % x.ndim) + (w.size,) + (1,) * (x.ndim - 1 - axis % x.ndim)), x.shape)
    scale = _s.sum(w, axis=axis, keepdims=keepdims)
    mean = _s.mean(x, axis=axis, keepdims=keepdims) if weights is None else _s.sum(x * w, axis=axis, keepdims=keepdims) / scale
    return (mean, scale) if returned else mean


def _nan(x):
    x = _tensor(x)
    return x, _core.isnan(x) if "floating" in _convert.kind_of(x.dtype) else _s.zeros(x.shape, dtype="bool")


def _without_nan(f, fill, name, doc):
    def without(a, axis=None, **kw):
        x, is_nan = _nan(a)
        return f(x if "floating" not in _convert.kind_of(x.dtype) else _core.where(is_nan, fill, x), axis=axis, **kw)
    return _convert.named(without, name, doc)


nansum, nanprod = (_without_nan(f, v, n, d) for f, v, n, d in
                   ((_s.sum, 0.0, "nansum", "The sum without NaN."), (_s.prod, 1.0, "nanprod", "The product without NaN.")))
nancumsum, nancumprod = (_without_nan(f, v, n, d) for f, v, n, d in
                         ((cumsum, 0.0, "nancumsum", "cumsum, NaN as 0."), (cumprod, 1.0, "nancumprod", "cumprod, NaN as 1.")))
nanargmax, nanargmin = (_without_nan(f, v, n, d) for f, v, n, d in
                        ((_s.argmax, float("-inf"), "nanargmax", "argmax without NaN."), (_s.argmin, float("inf"), "nanargmin", "argmin without NaN.")))


def _extreme(f, fill, name, doc):
    def extreme(a, axis=None, *, keepdims=False):
        x, is_nan = _nan(a)
        if "floating" not in _convert.kind_of(x.dtype):
            return f(x, axis=axis, keepdims=keepdims)
        r = f(_core.where(is_nan, fill, x), axis=axis, keepdims=keepdims)
        return _core.where(_s.all(is_nan, axis=axis, keepdims=keepdims), float("nan"), r)
    return _convert.named(extreme, name, doc)


nanmax = _extreme(_s.max, float("-inf"), "nanmax", "The greatest element without NaN.")
nanmin = _extreme(_s.min, float("inf"), "nanmin", "The least element without NaN.")


def nanmean(a, axis=None, *, keepdims=False):
    """The mean without NaN."""
    x, is_nan = _nan(_as_float(a))
    n = _s.sum(_s.astype(_core.logical_not(is_nan), x.dtype), axis=axis, keepdims=keepdims)
    return _s.sum(_core.where(is_nan, 0.0, x), axis=axis, keepdims=keepdims) / n


def nanvar(a, axis=None, ddof=0, *, keepdims=False):
    """The variance without NaN."""
    x, is_nan = _nan(_as_float(a))
    n = _s.sum(_s.astype(_core.logical_not(is_nan), x.dtype), axis=axis, keepdims=keepdims)
    off = _core.where(is_nan, 0.0, x - nanmean(x, axis=axis, keepdims=True) if x.ndim else x - x)
    r = _s.sum(_core.real(off * _core.conj(off)) if iscomplexobj(x) else off * off, axis=axis, keepdims=keepdims)
    return _core.where(n > ddof, r, float("nan")) / _core.maximum(n - ddof, _s.ones((), dtype=n.dtype))


def nanstd(a, axis=None, ddof=0, *, keepdims=False):
    return _core.sqrt(nanvar(a, axis, ddof, keepdims=keepdims))


def nanquantile(a, q, axis=None, *, keepdims=False):
    """Quantiles without NaN, along one axis or all."""
    x, along = _along(_as_float(a), axis)
    q = _number(q)
    if not x.shape[along]:
        x = _s.full(x.shape[:along] + (1,) + x.shape[along + 1:], float("nan"), dtype=x.dtype)
    s = _s.sort(_core.where(_core.isnan(x), float("inf"), x), axis=along)
    n = _s.sum(_s.astype(_core.logical_not(_core.isnan(x)), "float64"), axis=along, keepdims=True)
    made = []
    for p in q if isinstance(q, list) else [q]:
        at = _core.maximum(p * (n - 1.0), _s.zeros(()))
        below = _core.floor(at)
        lo, hi = (_core.take_along_axis(s, _s.astype(v, "int64"), along) for v in (below, _core.ceil(at)))
        share = _s.astype(at - below, x.dtype)
        made.append(_core.where(n > 0, lo + share * _core.where(share > 0, hi - lo, 0.0), float("nan")))
    made = [m if keepdims and axis is not None else _s.reshape(m, (1,) * _tensor(a).ndim) if keepdims else _s.squeeze(m, axis=along) for m in made]
    return _s.stack(made) if isinstance(q, list) else made[0]


def nanpercentile(a, q, axis=None, *, keepdims=False):
    q = _number(q)
    return nanquantile(a, [v / 100.0 for v in q] if isinstance(q, (list, tuple)) else q / 100.0, axis, keepdims=keepdims)


def nanmedian(a, axis=None, *, keepdims=False):
    return nanquantile(a, 0.5, axis, keepdims=keepdims)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of equal parts of a range."""
    x = _as_float(a)
    if not isinstance(bins, int):
        return _tensor(bins)
    if range is None:
        range = (_s.min(x).item(), _s.max(x).item()) if x.size else (0.0, 1.0)
    lo, hi = map(float, range)
    lo, hi = (lo - 0.5, hi + 0.5) if lo == hi else (lo, hi)
    return _s.linspace(lo, hi, bins + 1, dtype=x.dtype if x.dtype.name in ("float32", "float64") else "float64")


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of equal parts of a range, or of the parts between edges, and these edges."""
    x = _flat(_as_float(a))
    weights = weights if weights is None else _flat(_as_float(weights))
    edges = histogram_bin_edges(x, bins, range)
    counts = _core.histogram(x, _s.astype(edges, x.dtype)) if weights is None else _core.histogram(x, _s.astype(edges, x.dtype), weights)
    if density:
        counts = _as_float(counts) / _s.diff(edges) / _s.sum(_as_float(counts))
    return counts, edges


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """The covariances of variables, which are rows."""
    x = atleast_2d(_as_float(m))
    x = x if rowvar or _tensor(m).ndim == 1 else _s.matrix_transpose(x)
    if y is not None:
        other = atleast_2d(_as_float(y))
        x = _s.concat([x, other if rowvar or _tensor(y).ndim == 1 else _s.matrix_transpose(other)])
    x = x - _s.mean(x, axis=1, keepdims=True)
    r = x @ _s.matrix_transpose(_core.conj(x) if iscomplexobj(x) else x) / float(x.shape[1] - (ddof if ddof is not None else 0 if bias else 1))
    return r if r.size > 1 else _s.reshape(r, ())


def corrcoef(x, y=None, rowvar=True):
    """The correlations of variables, which are rows."""
    c = cov(x, y, rowvar)
    if not c.ndim:
        return c / c
    d = _core.sqrt(_core.real(diagonal(c)) if iscomplexobj(c) else diagonal(c))
    return _s.clip(c / _s.expand_dims(d, 1) / d, -1.0, 1.0) if not iscomplexobj(c) else c / _s.expand_dims(d, 1) / d


# -- differences, products -------------------------------------------------------------------------------------------------


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of the flat array, between others."""
    x = _flat(_tensor(ary))
    more = [None if v is None else _flat(_s.astype(_tensor(v), x.dtype)) for v in (to_begin, to_end)]
    return _s.concat([v for v in (more[0], _s.diff(x) if x.size else x, more[1]) if v is not None])


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, and one-sided differences of the order 1 or 2 at the ends. varargs: a distance, or coordinates, for all axes or
    for each. (orrery.gradients and orrery.grad are derivatives.)"""
    x = _as_float(f)
    axes = range(x.ndim) if axis is None else [axis % x.ndim] if isinstance(axis, int) else [k % x.ndim for k in axis]
    steps = _b.list(varargs) or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    if len(steps) != len(axes):
        raise TypeError("gradient(): %d distances for %d axes" % (len(steps), len(axes)))
    made = [_slopes(x, k, h, edge_order) for k, h in zip(axes, steps)]
    return made[0] if len(made) == 1 else tuple(made)


def _slopes(x, axis, h, order):
    n = x.shape[axis]
    if n < order + 1:
        raise ValueError("gradient(): an axis has %d elements, fewer than edge_order + 1" % n)
    h = _as_float(h) if not isinstance(h, (int, float)) else float(h)
    if isinstance(h, Tensor) and h.ndim:
        d = _s.reshape(_s.diff(h), (n - 1,) + (1,) * (x.ndim - 1 - axis))
        d = _s.astype(d, x.dtype) if "complex" not in x.dtype.name else d
    else:
        d = _s.full((n - 1,) + (1,) * (x.ndim - 1 - axis), h.item() if isinstance(h, Tensor) else h, dtype=x.dtype)

    def at(k):
        return _at(x, axis, slice(k, k + 1 or None))

    def between(a, b):
        return _at(x, axis, slice(a, b))
    a, b = d[:-1], d[1:]
    inside = (a * a * between(2, None) + (b * b - a * a) * between(1, -1) - b * b * between(None, -2)) / (a * b * (a + b)) if n > 2 else between(0, 0)
    if order == 1:
        ends = (at(1) - at(0)) / d[:1], (at(-1) - at(-2)) / d[-1:]
    else:
        a, b, y, z = d[:1], d[1:2], d[-2:-1], d[-1:]
        ends = (-(2 * a + b) / (a * (a + b)) * at(0) + (a + b) / (a * b) * at(1) - a / (b * (a + b)) * at(2),
                z / (y * (y + z)) * at(-3) - (z + y) / (y * z) * at(-2) + (2 * z + y) / (z * (y + z)) * at(-1))
    return _s.concat([ends[0], inside, ends[1]], axis)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of a line through points."""
    y = _as_float(y)
    axis %= y.ndim
    d = dx if x is None else _s.diff(_as_float(x))
    if x is not None and d.ndim == 1:
        d = _s.reshape(d, (d.size,) + (1,) * (y.ndim - 1 - axis))
    return _s.sum(d * (_at(y, axis, slice(1, None)) + _at(y, axis, slice(None, -1))) / 2.0, axis=axis)


def convolve(a, v, mode="full", *more):
    """The convolution of two sequences; of arrays of more axes that of the library."""
    x, w = _each((a, v))
    if x.ndim == w.ndim == 1 and w.size > x.size:
        x, w = w, x
    return _core.convolve(x, w, mode, *more)


def correlate(a, v, mode=None, *more):
    """Σ a[k + n]·conj(v[n]) of two sequences, where they overlap as a whole ("valid"), or at least in one element ("full"), or in the shape of
    the longer one ("same"); of arrays of more axes that of the library, "full" unless the mode is given."""
    x, w = _each((a, v))
    if x.ndim == w.ndim == 1 and not more:
        if w.size > x.size:
            return _core.conj(_s.flip(_core.correlate(w, x, mode or "valid")))
        return _core.correlate(x, w, mode or "valid")
    return _core.correlate(x, w, mode or "full", *more)


def dot(a, b):
    """The sum over the last axis of a and the last but one, or the only one, of b."""
    a, b = _each((a, b))
    if not a.ndim or not b.ndim:
        return a * b
    return _core.tensordot(a, b, [a.ndim - 1], [_b.max(b.ndim - 2, 0)])


def inner(a, b):
    """The sum over the last axes."""
    a, b = _each((a, b))
    return _core.tensordot(a, b, [a.ndim - 1], [b.ndim - 1]) if a.ndim and b.ndim else a * b


def vdot(a, b):
    """The sum of conj(a)·b of the flat arrays."""
    a, b = (_flat(v) for v in _each((a, b)))
    return _core.vecdot(a, b, -1)


def outer(a, b):
    """a[i]·b[j] of the flat arrays."""
    return _core.outer(ravel(a), ravel(b))


def kron(a, b):
    """Each element of a times b, in blocks."""
    a, b = _each((a, b))
    n = _b.max(a.ndim, b.ndim)
    a, b = (_s.reshape(v, (1,) * (n - v.ndim) + v.shape) for v in (a, b))
    r = _s.reshape(a, [m for k in a.shape for m in (k, 1)]) * _s.reshape(b, [m for k in b.shape for m in (1, k)])
    return _s.reshape(r, tuple(p * q for p, q in zip(a.shape, b.shape)))


def cross(a, b, axis=-1):
    """The cross product along an axis of length 3."""
    return _linalg.cross(*_each((a, b)), axis=axis)


def polyval(p, x):
    """The polynomial with coefficients p, the highest power first."""
    x = _tensor(x)
    r = _s.zeros_like(x)
    for c in (p[k] for k in range(len(p))):
        r = r * x + c
    return r


def polyfit(x, y, deg):
    """The coefficients of the polynomial of least squares, the highest power first."""
    a, y = vander(_as_float(x), deg + 1), _as_float(y)
    scale = _core.sqrt(_s.sum(a * a, axis=0))
    r = _core.lstsq(a / scale, _s.expand_dims(y, 1) if y.ndim == 1 else y, y.shape[0] * _s.finfo(y.dtype).eps)
    r = r if isinstance(r, Tensor) else r[0]
    return _s.squeeze(r, axis=1) / scale if y.ndim == 1 else r / _s.expand_dims(scale, 1)


def apply_along_axis(func1d, axis, arr, *args, **kw):
    """func1d of each line along an axis."""
    x = _s.moveaxis(_tensor(arr), axis, -1)
    lines = _s.reshape(x, (-1, x.shape[-1]))
    made = [_tensor(func1d(lines[k], *args, **kw)) for k in range(lines.shape[0])]
    r = _s.reshape(_s.stack(made), x.shape[:-1] + made[0].shape)
    for k in range(made[0].ndim):
        r = _s.moveaxis(r, x.ndim - 1 + k, axis % x.ndim + k)
    return r


def promote_types(type1, type2):
    return _s.result_type(type1, type2)


def iterable(y):
    return hasattr(y, "__iter__")


# -- methods ---------------------------------------------------------------------------------------------------------------


def _fill(self, value):
    """All elements become the value."""
    self[...] = value


def _sort_in_place(self, axis=-1, kind=None, *, descending=False, stable=True):
    """As of NumPy's arrays: the elements along an axis are put in order. (orrery.sort gives another tensor.)"""
    self[...] = _s.sort(self, axis, kind, descending=descending)


def _partition_in_place(self, kth, axis=-1, kind=None):
    """The elements along an axis are put in order, so that the kth is at its place."""
    self[...] = _s.sort(self, axis)


for _name in "cumsum cumprod dot take choose repeat diagonal trace put argpartition".split():
    setattr(Tensor, _name, globals()[_name])
Tensor.compress = lambda self, condition, axis=None: compress(condition, self, axis)
Tensor.sort, Tensor.partition = _sort_in_place, _partition_in_place
Tensor.flat = property(_Flat, lambda self, v: _Flat(self).__setitem__(slice(None), v))
Tensor.conjugate, Tensor.fill = (lambda self: _core.conj(self)), _fill

__all__ = [_n for _n, _v in globals().items() if not _n.startswith("_") and (getattr(_v, "__module__", "") == __name__ or _n in (
    "mgrid", "ogrid", "r_", "c_", "s_", "index_exp", "hamming", "bartlett", "blackman", "kaiser", "hann", "hanning", "asanyarray", "ascontiguousarray", *"degrees rad2deg radians deg2rad exp2 cbrt fmax fmin cumsum cumprod".split()))]
__all__.remove("install")
