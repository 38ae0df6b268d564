"""Methods of tensors in NumPy's and the standard's form."""
import functools as _functools
import operator as _operator
import sys as _sys

from . import _convert, _core, _indexing, _standard
from ._core import Tensor


def _namespace(self, /, *, api_version=None):
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError("the array API standard's version here is 2024.12")
    return _sys.modules[__package__]


def _dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    if dl_device not in (None, (1, 0)):
        raise BufferError("the value is in host memory")
    versioned = max_version is not None and max_version[0] >= 1
    if copy is None and _sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] in _WRITES_READ_ONLY:
        copy = True
    if copy is False and not versioned:
        raise BufferError("a tensor is a value, and DLPack before 1.0 cannot say that its memory is read-only: take a copy")
    copied = bool(copy) or not versioned
    t = _convert.rebuilt(self.dtype, self.shape, self.tobytes()) if copied else self
    return t._dlpack(versioned, copied)


_WRITES_READ_ONLY = {"torch"}  # packages that ask for DLPack 1.0 and do not heed its read-only flag


def _array(self, dtype=None, copy=None):
    import numpy
    a = numpy.asarray(memoryview(self))
    return a if dtype is None or a.dtype == dtype else a.astype(dtype)


def _as_arrays(v):
    if isinstance(v, Tensor):
        return _array(v)
    if type(v) in (list, tuple):
        return type(v)(_as_arrays(e) for e in v)
    return {k: _as_arrays(e) for k, e in v.items()} if type(v) is dict else v


def _as_own(v):
    """Of what NumPy would be asked for again: an array becomes a tensor, a number of NumPy one of Python."""
    import numpy
    return _standard.asarray(v) if isinstance(v, numpy.ndarray) else v.item() if isinstance(v, numpy.generic) else v


def _ufunc(self, function, method, *arguments, **options):
    """A function of NumPy of elements is the one here of that name. It is NumPy's on arrays where there is none, and for its other methods and
    arguments."""
    import numpy
    if not all(isinstance(v, (Tensor, numpy.ndarray, numpy.generic)) or not hasattr(v, "__array_ufunc__") for v in arguments):
        return NotImplemented
    own = getattr(_sys.modules[__package__], function.__name__, None) if method == "__call__" and not options else None
    if not own:
        return getattr(function, method)(*_as_arrays(arguments), **_as_arrays(options))
    return own(*map(_as_own, arguments))


def _iter(self):
    if not self.ndim:
        raise TypeError("a tensor without axes has no elements to go through")
    return (self[k] for k in range(self.shape[0]))  # a list of them could be longer than memory


def _reshape(self, *shape, copy=None):
    return _standard.reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape, copy=copy)


def _transpose(self, *axes):
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    return _indexing.part(self, lambda t: _core.permute(t, axes))


def _T(self):
    return self if self.ndim < 2 else _mT(self) if self.ndim == 2 else _transpose(self)


def _mT(self):
    return _indexing.part(self, _core.transpose)


def _to_device(self, device, /, *, stream=None):
    if device != "cpu":
        raise ValueError("to_device(): the device is 'cpu'; the library places work itself")
    return self


def _repr(self):
    first, _, rest = str(self).partition("\n")
    return "Tensor(%s: %s)" % (first, rest) if "\n" not in rest else "Tensor(%s:\n%s)" % (first, rest)


def _format(self, spec):
    """A tensor without axes is formatted as its number."""
    return object.__format__(self, spec) if self.ndim else format(self.item(), spec)


def _round(self, digits=None):
    """round(t[0], 2), as of NumPy's scalars."""
    return round(self.item(), digits)


def _view(self, dtype):
    """Complex numbers as pairs of their parts along the last axis, or pairs as complex numbers: a copy, unlike NumPy's."""
    t = _standard.empty((), dtype=dtype).dtype
    pairs = {"complex64": "float32", "complex128": "float64"}
    if t is self.dtype:
        return self
    if self.ndim and pairs.get(self.dtype.name) == t.name:
        return _core.reshape(_core.stack([_core.real(self), _core.imag(self)], self.ndim), (*self.shape[:-1], 2 * self.shape[-1]))
    if self.ndim and pairs.get(t.name) == self.dtype.name and self.shape[-1] % 2 == 0:
        return _core.complex(self[..., ::2], self[..., 1::2])
    raise _core.DtypeError("view(): %s %s is not seen as %s here, only complex numbers as pairs of floats: write orrery.astype for values" % (
        self.dtype.name, self.shape, t.name))


def _set_real(self, v):
    self[...] = v if "complex" not in self.dtype.name else _core.complex(_core.real(self) * 0 + v, _core.imag(self))


def _set_imag(self, v):
    if "complex" not in self.dtype.name:
        raise TypeError("imag: a tensor of %s has no imaginary part to assign" % self.dtype.name)
    self[...] = _core.complex(_core.real(self), _core.imag(self) * 0 + v)


def _contains(self, v):
    is_equal = self == v
    return bool(_core.any(is_equal)) if isinstance(is_equal, Tensor) else False


_PLAIN = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def _numpy_dtype(self):
    """NumPy's dtype of the same elements: NumPy asks for this attribute where it expects a dtype."""
    import numpy
    try:
        return numpy.dtype(self.name)
    except TypeError:
        raise AttributeError("NumPy has no dtype %s" % self.name) from None


def _dtype_equal(self, other):
    """As of NumPy's dtypes: equal to NumPy's of the same elements, to its name, and to the type of Python that stands for it."""
    if isinstance(other, _core.DType):
        return self is other
    numpy = _sys.modules.get("numpy")
    if not isinstance(other, (str, type, numpy.dtype) if numpy else (str, type)):
        return NotImplemented
    if isinstance(other, str) and other == self.name or isinstance(other, type) and _PLAIN.get(other) == self.name:
        return True
    try:
        n = numpy.dtype(other) if numpy and other is not object else None
        return n is not None and n.name == self.name and n.isnative
    except (TypeError, ValueError, SyntaxError):  # any text
        return False


@_functools.cache
def _dtype_hash(name):
    try:
        import numpy
        return hash(numpy.dtype(name))
    except (ImportError, TypeError):
        return hash(name)


def _kind(self):
    name = self.name
    return {"bo": "b", "in": "i", "ui": "u", "fl": "f", "bf": "f", "co": "c"}.get(name[:2], "V")


def _asked_by_numpy(method):
    """A method that np.mean(x) and its kin call with NumPy's arguments, of which those that are None are none."""
    @_functools.wraps(method)
    def f(self, *args, **options):
        if options.pop("out", None) is not None:
            raise TypeError("out=: a tensor is a value, which is not written; use the result")
        if "dtype" in options and options["dtype"] is None:
            del options["dtype"]
        return method(self, *args, **options)
    return f


def _install():
    for name in _standard.__all__:
        if hasattr(_core, name) and hasattr(Tensor, name) or name in ("astype", "unstack", "concat"):
            setattr(Tensor, name, getattr(_standard, name))
    more = {"__array_namespace__": _namespace, "__dlpack__": _dlpack, "__dlpack_device__": lambda self: (1, 0),
            "__array__": _array, "__array_ufunc__": _ufunc, "__getitem__": _indexing.get, "__setitem__": _indexing.put,
            "__iter__": _iter, "__reversed__": lambda self: _iter(_standard.flip(self, 0)) if self.ndim else _iter(self), "__repr__": _repr, "__format__": _format, "__round__": _round, "reshape": _reshape, "transpose": _transpose, "T": property(_T),
            "mT": property(_mT), "device": property(lambda self: "cpu"), "to_device": _to_device,
            "nbytes": property(lambda self: self.size * self.dtype.itemsize), "tolist": _convert.to_lists,
            "itemsize": property(lambda self: self.dtype.itemsize), "numpy": lambda self: _array(self),
            "flatten": lambda self: _core.reshape(self, [self.size]), "ravel": lambda self: _reshape(self, self.size),
            "copy": lambda self: _core.reshape(self, self.shape), "dot": lambda self, other: _core.matmul(self, other),
            "__contains__": _contains, "view": _view,
            "__reduce__": lambda self: (_convert.rebuilt, (self.dtype.name, self.shape, self.tobytes())),
            "__divmod__": lambda self, other: (self // other, self % other),
            "__rdivmod__": lambda self, other: (other // self, other % self),
            "conj": lambda self: _core.conj(self), "real": property(lambda self: _core.real(self), _set_real),
            "imag": property(lambda self: _core.imag(self), _set_imag), "__copy__": lambda self: _core.reshape(self, self.shape),
            "__deepcopy__": lambda self, memo: _core.reshape(self, self.shape)}
    for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
        more["__i%s__" % name.strip("_")] = _indexing.in_place(getattr(_operator, name))
    for name, value in more.items():
        setattr(Tensor, name, value)
    for name in "max min mean sum prod var std any all argmax argmin cumsum cumprod clip round".split():
        if hasattr(Tensor, name):
            setattr(Tensor, name, _asked_by_numpy(getattr(Tensor, name)))
    _core.DType.__str__, _core.DType.char = (lambda self: self.name), property(lambda self: _numpy_dtype(self).char)
    _core.DType.__eq__, _core.DType.__hash__ = _dtype_equal, lambda self: _dtype_hash(self.name)
    _core.DType.dtype, _core.DType.kind, _core.DType.type = property(_numpy_dtype), property(_kind), property(lambda self: _numpy_dtype(self).type)
    _core.DType.__call__ = lambda self, x=0: _core.cast(_standard.asarray(x), self)  # float32(3)


_install()
