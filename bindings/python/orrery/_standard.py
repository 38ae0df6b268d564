"""Functions whose form in the Python array API standard is another than in C: defaults, keywords, named results.

They call the functions of the same meaning in _core; a function that is not here has the form of C.
"""
import builtins as _b
from collections import namedtuple as _namedtuple
from math import log10 as _log10
from operator import index as _index

from . import _convert, _core
from ._core import Tensor
from ._convert import asarray, from_dlpack  # noqa: F401
from ._indexing import other_shape as _other_shape, part as _part, parts as _parts

__all__ = """arange empty empty_like eye full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like astype
can_cast finfo iinfo isdtype result_type clip round pow where take take_along_axis broadcast_arrays broadcast_to concat expand_dims flip
moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted
unique_all unique_counts unique_inverse unique_values argsort sort cumulative_prod cumulative_sum max mean min prod std sum
var all any diff bincount tensordot vecdot matrix_transpose split quantile median softmax log_softmax logsumexp einsum topk outer
__array_namespace_info__""".split()


def _device(device):
    if device not in (None, "cpu"):
        raise ValueError("the device is 'cpu'; the library places work itself")


def _tensor(x):
    return x if isinstance(x, Tensor) else asarray(x)


# -- creation ------------------------------------------------------------------------------------------------------


def arange(start, /, stop=None, step=1, dtype=None, *, device=None):
    """start, start + step, … below stop. Integers give int64, others float64, unless dtype is given."""
    _device(device)
    if stop is None:
        start, stop = 0, start
    whole = _b.all(isinstance(v, int) for v in (start, stop, step))
    dtype = dtype or ("int64" if whole else "float64")
    return _core.arange_number(dtype, start, stop, step) if whole else _core.arange(dtype, start, stop, step)


def _filled(name, make):
    def f(shape, dtype=None, *, device=None):
        _device(device)
        return make("float64" if dtype is None else dtype, shape)
    return _convert.named(f, name, make.__doc__)


zeros, ones, empty = _filled("zeros", _core.zeros), _filled("ones", _core.ones), _filled("empty", _core.zeros)


def full(shape, fill_value, dtype=None, *, device=None):
    """Elements that are all fill_value, of its type unless dtype is given."""
    _device(device)
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    if isinstance(fill_value, complex):
        return _core.full_complex(dtype or "complex128", shape, fill_value.real, fill_value.imag)
    if dtype is None:
        dtype = "bool" if isinstance(fill_value, bool) else "int64" if isinstance(fill_value, int) else "float64"
    if isinstance(fill_value, bool):
        fill_value = int(fill_value)
    if _kind(dtype) == "complex floating":
        return _core.full_complex(dtype, shape, float(fill_value), 0.0)
    return _core.full_number(dtype, shape, _convert.held(fill_value, dtype))


def _like(make):
    def f(x, /, dtype=None, *, shape=None, device=None):
        return make(x.shape if shape is None else shape, dtype=dtype or x.dtype, device=device)
    return f


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)


def full_like(x, /, fill_value, dtype=None, *, shape=None, device=None):
    """Elements that are all fill_value, in the shape and dtype of x."""
    return full(x.shape if shape is None else shape, fill_value, dtype=dtype or x.dtype, device=device)


def eye(n_rows, n_cols=None, /, k=0, dtype=None, *, device=None):
    """Ones where column − row = k, zeros elsewhere."""
    _device(device)
    columns = n_rows if n_cols is None else n_cols
    return _core.eye(dtype or "float64", n_rows, columns, _b.max(-n_rows, _b.min(columns, k)))  # beyond a corner: zeros


def linspace(start, stop, /, num, endpoint=True, *, dtype=None, device=None):
    """num points from start to stop, stop included if endpoint."""
    _device(device)
    if isinstance(start, complex) or isinstance(stop, complex):
        start, stop, dtype = complex(start), complex(stop), dtype or "complex128"
        real = linspace(start.real, stop.real, num, endpoint=endpoint)
        imag = linspace(start.imag, stop.imag, num, endpoint=endpoint)
        return _core.cast(_core.add(real, _core.mul(imag, 1j)), dtype)
    if not endpoint and num >= 0:
        return linspace(start, stop, num + 1, dtype=dtype)[:-1]
    t = dtype or "float64"
    made = "float64" if _kind(t) != "real floating" else t
    r = _core.linspace(made, float(start), float(stop), num)
    return r if made is t else _core.cast(r, t)


def meshgrid(*arrays, indexing="xy", sparse=False, copy=True):
    """The coordinates of a grid; sparse: each along its own axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("meshgrid(): indexing is 'xy' or 'ij'")
    arrays, n = [reshape(a, (-1,)) for a in map(_tensor, arrays)], len(arrays)
    if sparse:
        axes = [1 - k if indexing == "xy" and k < 2 <= n else k for k in range(n)]
        return [reshape(a, (1,) * k + (a.size,) + (1,) * (n - 1 - k)) for k, a in zip(axes, arrays)]
    return _core.meshgrid(arrays, indexing == "ij") if arrays else []


def tril(x, /, k=0):
    return _core.tril(x, k)


def triu(x, /, k=0):
    return _core.triu(x, k)


# -- dtypes -----------------------------------------------------------------------------------------------------------


def astype(x, dtype, /, *, copy=True, device=None):
    """x with another dtype. Truncates floats to integers."""
    _device(device)
    return x if not copy and x.dtype is result_type(dtype) else _core.cast(x, dtype)


def _kind(dtype):
    return _convert.kind_of(result_type(dtype))


def isdtype(dtype, kind):
    """Whether the dtype is of the kind: a dtype, a name of the standard, or a tuple of these."""
    if isinstance(kind, tuple):
        return _b.any(isdtype(dtype, k) for k in kind)
    if not isinstance(kind, str):
        return result_type(dtype) is result_type(kind)
    own = _kind(dtype)
    groups = {"integral": ("signed integer", "unsigned integer"),
              "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating")}
    if kind not in groups and kind not in ("bool", "signed integer", "unsigned integer", "real floating", "complex floating"):
        raise ValueError("isdtype(): there is no kind %r" % (kind,))
    return own in groups.get(kind, (kind,))


def result_type(*arrays_and_dtypes):
    """The dtype to which tensors, dtypes and numbers promote. A number takes the dtype of the others, whatever its value, if it is of a
    kind that this dtype has."""
    kinds = [a.dtype if isinstance(a, Tensor) else a for a in arrays_and_dtypes]
    numbers = [k for k in kinds if isinstance(k, (bool, int, float, complex))]
    if len(numbers) == len(kinds) > 0:
        return asarray(_b.max(numbers, key=lambda v: (isinstance(v, complex), isinstance(v, float), not isinstance(v, bool)))).dtype
    common = [_core.zeros(k, ()) for k in kinds if not isinstance(k, (bool, int, float, complex))] + [type(v)(1) for v in numbers]
    if len(common) < 2:
        return common[0].dtype if common else _core.result_type(kinds)
    r, no = common[0], _core.zeros("bool", ())
    for v in common[1:]:
        r = _core.where(no, r, v)  # the rule of all operators
    return r.dtype


def can_cast(from_, to, /):
    """Whether from_ promotes to the dtype `to`, so that no value is lost."""
    return _core.can_cast(from_.dtype if isinstance(from_, Tensor) else from_, to)


_Finfo = _namedtuple("finfo", "bits eps max min smallest_normal dtype")
_Iinfo = _namedtuple("iinfo", "bits max min dtype")


def finfo(type, /):
    """The numbers of a float dtype, or of the parts of a complex one."""
    t = type.dtype if isinstance(type, Tensor) else result_type(type)
    f = _core.finfo(t)
    part = {"complex64": _core.float32, "complex128": _core.float64}.get(t.name, t)
    return _Finfo(f.bits, f.eps, f.max, f.min, f.smallest_normal, part)


def iinfo(type, /):
    """The numbers of an integer dtype."""
    t = type.dtype if isinstance(type, Tensor) else result_type(type)
    f = _core.iinfo(t)
    return _Iinfo(f.bits, f.max, f.min, t)


class __array_namespace_info__:
    """Facts about the namespace, as in the standard."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        return {"real floating": _core.float64, "complex floating": _core.complex128, "integral": _core.int64,
                "indexing": _core.int64}

    def dtypes(self, *, device=None, kind=None):
        names = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128").split()
        found = {n: getattr(_core, n) for n in names}
        return {n: t for n, t in found.items() if kind is None or isdtype(t, kind)}


# -- elements and places -----------------------------------------------------------------------------------------------


def clip(x, /, min=None, max=None, *, a_min=None, a_max=None):
    """x within min … max; None is no bound. NumPy's names are a_min and a_max."""
    x, min, max = _tensor(x), a_min if min is None else min, a_max if max is None else max
    if min is None and max is None:
        return _core.positive(x)
    if max is None:
        return _core.maximum(x, _bound(min, x))
    return _core.minimum(x if min is None else _core.maximum(x, _bound(min, x)), _bound(max, x))


def round(x, /, decimals=0):
    """The nearest whole number, or the nearest number of so many decimals; of two, the even one."""
    x, decimals = _tensor(x), _index(decimals)
    floating = "floating" in _kind(x.dtype)
    if decimals and "complex" in x.dtype.name:  # each part is divided by a real number
        return _core.complex(round(_core.real(x), decimals), round(_core.imag(x), decimals))
    if not decimals or decimals > 0 and not floating:
        return _core.round(x)
    if not floating:
        raise _core.DtypeError("round(): whole numbers have no tens here: write orrery.astype(x, 'float64')")
    power = 10.0 ** _b.min(_b.abs(decimals), int(_log10(finfo(x.dtype).max)))
    if decimals < 0:
        return _core.mul(_core.round(_core.div(x, power)), power)
    r = _core.div(_core.round(_core.mul(x, power)), power)
    return _core.where(_core.isfinite(r), r, x)  # of what leaves the range no decimals are so small


def _bound(v, x):
    return _core.cast(v, x.dtype) if isinstance(v, Tensor) and v.dtype is not x.dtype else v


def pow(x1, x2, /):
    """x1 to the power x2. A negative power of integers is an error, so that the value of a signed exponent is computed."""
    return _tensor(x1) ** x2 if not isinstance(x2, Tensor) else x1 ** x2


def take(x, indices, /, axis=None):
    """x[…, indices, …]; without an axis x has one."""
    if axis is None and x.ndim != 1:
        raise ValueError("take(): an array of %d axes needs the argument 'axis'" % x.ndim)
    return _core.take(x, _tensor(indices), 0 if axis is None else axis)


def take_along_axis(x, indices, /, axis=-1):
    """The elements of x that the indices name along the axis."""
    return _core.take_along_axis(x, indices, axis)


def where(condition, x1, x2, /):
    """x1 where the condition holds, x2 elsewhere. Two numbers of Python have the dtype of an array of them."""
    if isinstance(x1, (int, float, complex)) and isinstance(x2, (int, float, complex)):
        x1, x2 = asarray([x1, x2])
    return _core.where(condition, x1, x2)


def broadcast_arrays(*arrays):
    """The arrays, broadcast to their common shape."""
    return _core.broadcast_arrays(_b.list(arrays)) if arrays else []


def broadcast_to(x, /, shape):
    """x repeated to the shape."""
    return _core.broadcast_to(x, shape)


def concat(arrays, /, axis=0):
    """The arrays one after the other along an axis; axis None: as flat."""
    arrays = [_tensor(a) for a in arrays]
    if axis is None:
        return _core.concat([_core.reshape(a, [a.size]) for a in arrays], 0)
    return _core.concat(arrays, axis)


def stack(arrays, /, axis=0):
    """The arrays along a new axis."""
    return _core.stack([_tensor(a) for a in arrays], axis)


def unstack(x, /, axis=0):
    """The elements of an axis, without it."""
    if not -x.ndim <= axis < x.ndim:
        raise _core.AxisError("unstack(): the axis %d is out of range for %d axes" % (axis, x.ndim))
    return tuple(_parts(x, lambda t: _core.unstack(t, axis, t.shape[axis])))


def split(x, n, /, axis=0):
    """n equal parts, or the parts between the places of a list."""
    n = n if isinstance(n, int) else _b.list(n)
    return _parts(x, lambda t: _core.split(t, n, axis) if isinstance(n, int) else _core.cut(t, n, axis))


def expand_dims(x, /, axis=0):
    """x with a new axis of length 1."""
    for k in sorted(a % (x.ndim + len(axis)) for a in axis) if isinstance(axis, (tuple, list)) else [axis]:
        x = _part(x, lambda t: _core.expand_dims(t, k), True)
    return x


def squeeze(x, /, axis=None):
    """x without axes of length 1."""
    return _part(x, lambda t: _core.squeeze(t, axis), True)


def flip(x, /, axis=None):
    """x backwards along axes; None: along all."""
    return _part(x, lambda t: _core.flip(t, axis))


def moveaxis(x, source, destination, /):
    """Axes of x at other places."""
    return _part(x, lambda t: _core.moveaxis(t, source, destination))


def permute_dims(x, /, axes):
    """Axis k of the result is axis axes[k] of x."""
    return _part(x, lambda t: _core.permute(t, axes))


def repeat(x, repeats, /, axis=None):
    """Each element repeated; without an axis x as flat."""
    if isinstance(repeats, (list, tuple)):
        repeats = asarray(repeats)
    return _core.repeat_each(x, repeats, axis) if isinstance(repeats, Tensor) else _core.repeat(x, repeats, axis)


def reshape(x, /, shape, *, copy=None):
    """x's elements in another shape; one length may be -1. Unless `copy` is True, and where NumPy needs no copy, assignments to one are seen in the other."""
    shape = shape if isinstance(shape, int) else tuple(shape)
    return _core.reshape(x, shape) if copy else _other_shape(x, shape)


def roll(x, /, shift, axis=None):
    """Elements shifted along axes; those that leave at one end enter at the other."""
    if axis is None:
        return _core.reshape(_core.roll(_core.reshape(x, [x.size]), shift, 0), x.shape)
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = [shift] * len(axis)
    return _core.roll(x, shift, axis)


def tile(x, repetitions, /):
    """x repeated as a whole."""
    return _core.tile(x, repetitions)


def matrix_transpose(x, /):
    """The last two axes exchanged."""
    return _part(x, lambda t: _core.transpose(t))


# -- searching, sorting, sets ----------------------------------------------------------------------------------------------


def argmax(x, /, axis=None, *, keepdims=False):
    """The place of the greatest element."""
    return _core.argmax(x, axis, keepdims)


def argmin(x, /, axis=None, *, keepdims=False):
    """The place of the least element."""
    return _core.argmin(x, axis, keepdims)


def count_nonzero(x, /, axis=None, *, keepdims=False):
    """The number of elements that are not 0."""
    return _core.count_nonzero(x, axis, keepdims)


def nonzero(x, /):
    """The places of elements that are not 0, one tensor for each axis."""
    return tuple(_core.nonzero(x, x.ndim))


def searchsorted(x1, x2, /, side="left", sorter=None):
    """The places at which x2's elements keep x1 sorted."""
    if side not in ("left", "right"):
        raise ValueError("searchsorted(): side is 'left' or 'right'")
    x1 = _tensor(x1)
    return _core.searchsorted(x1 if sorter is None else _core.take(x1, _tensor(sorter), 0), _tensor(x2), side == "right")


def _sorts(core):
    def f(x, /, axis=-1, kind=None, *, descending=False, stable=True):
        if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
            raise ValueError("%s(): there is no kind %r; all are stable here" % (core.__name__, kind))
        x = _tensor(x)
        return core(_core.reshape(x, [x.size]), 0, descending) if axis is None else core(x, axis, descending)
    return _convert.named(f, core.__name__, core.__doc__)


sort, argsort = _sorts(_core.sort), _sorts(_core.argsort)


def topk(x, k, /, axis=-1, *, largest=True):
    """The k greatest, or least, elements and their places."""
    return _namedtuple("topk", "values indices")(*_core.topk(x, k, axis, largest))


_All = _namedtuple("unique_all", "values indices inverse_indices counts")
_Counts = _namedtuple("unique_counts", "values counts")
_Inverse = _namedtuple("unique_inverse", "values inverse_indices")


def unique_all(x, /):
    """The distinct elements, their first places, the place of each element among them, and their counts."""
    return _All(*_core.unique_all(x))


def unique_counts(x, /):
    """The distinct elements and their counts."""
    return _Counts(*_core.unique_counts(x))


def unique_inverse(x, /):
    """The distinct elements and the place of each element among them."""
    return _Inverse(*_core.unique_inverse(x))


def unique_values(x, /):
    """The distinct elements."""
    return _core.unique_values(x)


# -- reductions ------------------------------------------------------------------------------------------------------------------


def _cast(x, dtype):
    x = _tensor(x)
    return x if dtype is None else _core.cast(x, dtype)


def _chosen(x, where, other):
    """The elements that `where` chooses, in the place of the others one that leaves the result alone."""
    return x if where is None or where is True else _core.where(_tensor(where), x, other)


def _sums(core, neutral, join):
    def f(x, /, axis=None, dtype=None, *, keepdims=False, initial=None, where=None):
        r = core(_chosen(_cast(x, dtype), where, neutral), axis, keepdims)
        r = r if dtype is None or r.dtype is result_type(dtype) else _core.cast(r, dtype)
        return r if initial is None else join(r, initial)
    return _convert.named(f, core.__name__, core.__doc__)


def _extremes(core, join):
    def f(x, /, axis=None, *, keepdims=False, initial=None, where=None):
        x = _tensor(x)
        if initial is None:
            if where is not None and where is not True:
                raise ValueError("%s(): 'where' needs 'initial', the result where it chooses nothing" % core.__name__)
            return core(x, axis, keepdims)
        x = _chosen(x, where, initial)
        empty = not x.size and [k % x.ndim for k in ([axis] if isinstance(axis, int) else range(x.ndim) if axis is None else axis)]
        if empty and _b.any(not x.shape[k] for k in empty):
            return full([1 if k in empty else n for k, n in enumerate(x.shape) if keepdims or k not in empty], initial, dtype=x.dtype)
        return join(core(x, axis, keepdims), initial)
    return _convert.named(f, core.__name__, core.__doc__)


def _truths(core, neutral):
    def f(x, /, axis=None, *, keepdims=False, where=None):
        return core(_chosen(_tensor(x), where, neutral), axis, keepdims)
    return _convert.named(f, core.__name__, core.__doc__)


sum, prod = _sums(_core.sum, 0, _core.add), _sums(_core.prod, 1, _core.mul)
max, min = _extremes(_core.max, _core.maximum), _extremes(_core.min, _core.minimum)
all, any = _truths(_core.all, True), _truths(_core.any, False)


def logsumexp(x, /, axis=None, *, keepdims=False):
    """log Σ e^x."""
    return _core.logsumexp(_tensor(x), axis, keepdims)


def _as_float(x):
    """Integers and truth values as float64, as in NumPy."""
    x = _tensor(x)
    return _core.cast(x, "float64") if "floating" not in _convert.kind_of(x.dtype) else x


def _chosen_mean(x, where, axis, keepdims, less=0.0):
    """The mean of the elements that `where` chooses, of a divisor that is less."""
    where = _core.broadcast_to(_tensor(where), x.shape)
    n = _core.sum(_core.cast(where, x.dtype if "complex" not in x.dtype.name else "float64"), axis, keepdims)
    return _core.div(_core.sum(_chosen(x, where, 0), axis, keepdims), n - less if less else n)


def mean(x, /, axis=None, dtype=None, *, keepdims=False, where=None):
    """Σ x / n."""
    x = _cast(x, dtype)
    return _core.mean(x, axis, keepdims) if where is None or where is True else _chosen_mean(_as_float(x), where, axis, keepdims)


def var(x, /, axis=None, dtype=None, *, correction=0.0, ddof=0, keepdims=False, where=None):
    """Σ (x − mean)² / (n − correction). NumPy's name of the correction is ddof."""
    x, less = _cast(x, dtype), float(correction or ddof)
    if where is None or where is True:
        return _core.var(x, axis, less, keepdims)
    off = _core.abs(_as_float(x) - _chosen_mean(_as_float(x), where, axis, True))
    return _chosen_mean(off * off, where, axis, keepdims, less)


def std(x, /, axis=None, dtype=None, *, correction=0.0, ddof=0, keepdims=False, where=None):
    """The root of var."""
    if where is None or where is True:
        return _core.std(_cast(x, dtype), axis, float(correction or ddof), keepdims)
    return _core.sqrt(var(x, axis, dtype, correction=correction, ddof=ddof, keepdims=keepdims, where=where))


def _cumulative(core):
    def f(x, /, axis=None, dtype=None, *, include_initial=False):
        if axis is None and x.ndim != 1:
            raise ValueError("an array of %d axes needs the argument 'axis'" % x.ndim)
        r = core(_cast(x, dtype), 0 if axis is None else axis, include_initial)
        return r if dtype is None or r.dtype is result_type(dtype) else _core.cast(r, dtype)
    return _convert.named(f, core.__name__, core.__doc__)


cumulative_sum, cumulative_prod = _cumulative(_core.cumulative_sum), _cumulative(_core.cumulative_prod)


def diff(x, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times."""
    x = _tensor(x)
    ends = [v if v is None or _tensor(v).ndim else full([1 if k == axis % x.ndim else m for k, m in enumerate(x.shape)], v, dtype=result_type(x, v))
            for v in (prepend, append)]
    return _core.diff(x, axis, n, *ends)


def bincount(x, /, weights=None, minlength=0):
    """The counts, or the sums of weights, of 0, 1, … up to the greatest element, and of minlength numbers at least."""
    r = _core.bincount(_tensor(x), weights, -1)
    return r if r.shape[0] >= minlength else _core.pad(r, [0], [minlength - r.shape[0]], 0.0)


def quantile(x, q, /, axis=None, *, keepdims=False):
    """The q-quantiles of an axis; q is a number or a list."""
    r = _core.quantile(_as_float(x), q if isinstance(q, (list, tuple)) else [q], axis, keepdims)
    return r if isinstance(q, (list, tuple)) else _core.select(r, 0, 0)


def median(x, /, axis=None, *, keepdims=False):
    """The 0.5-quantile."""
    return _core.median(_as_float(x), axis, keepdims)


def softmax(x, /, axis=-1):
    """e^x divided by its sum along the axis."""
    return _core.softmax(x, axis)


def log_softmax(x, /, axis=-1):
    """The logarithm of softmax."""
    return _core.log_softmax(x, axis)


# -- products ----------------------------------------------------------------------------------------------------------------------


def einsum(text, /, *operands, optimize=None):
    """The sum of products that the text describes, as numpy.einsum; or each operand with its list of indices, and that of the result.
    (`optimize` has no effect: the order is chosen here.)"""
    if not isinstance(text, str):
        lists = (text, *operands)
        texts = ["".join("..." if k is Ellipsis else _LETTERS[k] for k in v) for v in lists[1::2] + lists[-1:] * (len(lists) % 2)]
        n = len(lists) // 2
        text, operands = ",".join(texts[:n]) + ("->" + texts[n] if len(texts) > n else ""), lists[:2 * n:2]
    return _core.einsum(text, _b.list(operands))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def outer(x1, x2, /):
    """y[i, j] = x1[i] · x2[j]."""
    return _core.outer(x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """Σ conj(x1)·x2 along an axis."""
    return _core.vecdot(x1, x2, axis)


def tensordot(x1, x2, /, axes=2):
    """Σ x1·x2 over axes: their number, or two lists."""
    if isinstance(axes, int):
        if not 0 <= axes <= _b.min(x1.ndim, x2.ndim):
            raise _core.AxisError("tensordot(): %d axes of %d and %d" % (axes, x1.ndim, x2.ndim))
        axes = (_b.list(_b.range(x1.ndim - axes, x1.ndim)), _b.list(_b.range(axes)))
    return _core.tensordot(x1, x2, _b.list(axes[0]), _b.list(axes[1]))
