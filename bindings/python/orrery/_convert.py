"""Values from and to Python: numbers, nested lists, buffers, DLPack, pickled bytes."""
import array as _array
import atexit as _atexit
import threading as _threading

from . import _core
from ._core import Tensor

__all__ = ["asarray", "array", "from_dlpack"]
_CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
          "float32": "f", "float64": "d"}  # of the module array


def _flatten(x, shape, depth, out):
    if not isinstance(x, (list, tuple)):
        if len(shape) != depth:
            raise ValueError("asarray(): lists of different depths")
        out.append(x)
        return
    if len(shape) == depth or len(x) != shape[depth]:
        raise ValueError("asarray(): lists of different lengths or depths")
    for part in x:
        _flatten(part, shape, depth + 1, out)


def _of_numbers(flat, shape, name):
    """A list of Python's numbers as a tensor of the dtype that is named: each is a value of it, or an exception says so."""
    if name.startswith("complex"):
        pairs = _array.array("d", [p for v in flat for p in (complex(v).real, complex(v).imag)])
        return _core.from_bytes("complex128", shape, pairs)
    if name == "bool":
        return _core.from_bytes("bool", shape, bytes(map(bool, flat)))
    if "int" in name:
        return _core.from_bytes(name, shape, _array.array(_CODES[name], map(int, flat)))
    return _core.from_bytes("float64", shape, _array.array("d", map(float, flat)))


def _of_list(x, dtype):
    shape, first = [], x
    while isinstance(first, (list, tuple)):
        shape.append(len(first))
        first = first[0] if first else None
        if len(shape) > 8:
            raise ValueError("asarray(): more than 8 axes")
    flat = []
    _flatten(x, shape, 0, flat)
    if any(not isinstance(v, (bool, int, float, complex)) for v in flat):
        parts = [_core.select(asarray([v], dtype=dtype), 0, 0) if isinstance(v, (bool, int, float, complex)) else asarray(v, dtype=dtype)
                 for v in flat]
        return _core.reshape(_core.stack(parts, 0), shape + list(parts[0].shape))
    name = dtype and _core.result_type([dtype]).name
    if not name:
        name = ("complex128" if any(isinstance(v, complex) for v in flat) else
                "float64" if not flat or any(isinstance(v, float) for v in flat) else
                "bool" if all(isinstance(v, bool) for v in flat) else "uint64" if max(flat) > 2**63 - 1 else "int64")
    return _of_numbers(flat, shape, name)


def _of_number(x, dtype):
    if dtype is None:
        dtype = ("bool" if isinstance(x, bool) else "int64" if isinstance(x, int) and -2**63 <= x < 2**63 else "uint64"
                 if isinstance(x, int) else "complex128" if isinstance(x, complex) else "float64")
    if isinstance(x, complex):
        return _core.full_complex(dtype, (), x.real, x.imag)
    return _core.full_number(dtype, (), held(x, dtype))


def held(x, dtype):
    """A number for full_number: an integer of more than 64 bits is a float beside float dtypes."""
    return float(x) if isinstance(x, int) and not -2**63 <= x < 2**64 and "float" in _core.result_type([dtype]).name else x


def asarray(obj, /, dtype=None, *, device=None, copy=None):
    """A tensor of a number, nested lists, an array or a tensor.

    Arrays are copied, so that a later change of theirs changes no tensor. copy=False shares the memory: it must not be
    changed as long as the tensor, or one computed from it, lives.
    """
    if device not in (None, "cpu"):
        raise ValueError("asarray(): the device is 'cpu'; the library places work itself")
    if isinstance(obj, Tensor):
        same = dtype is None or obj.dtype is _core.result_type([obj.dtype]) and _same(obj.dtype, dtype)
        if copy is False and not same:
            raise ValueError("asarray(): another dtype needs a copy")
        return _core.cast(obj, dtype) if not same else _core.reshape(obj, obj.shape) if copy else obj
    if isinstance(obj, (bool, int, float, complex)):
        if copy is False:
            raise ValueError("asarray(): a number has no memory to share")
        return _of_number(obj, dtype)
    if isinstance(obj, (list, tuple, range)):
        if copy is False:
            raise ValueError("asarray(): a list has no memory to share")
        t = _of_list(list(obj) if isinstance(obj, range) else obj, dtype)
    else:
        try:
            memoryview(obj)
        except (TypeError, BufferError, ValueError):
            if not hasattr(obj, "__dlpack__"):
                raise TypeError("asarray(): no tensor can be made of %s" % type(obj).__name__) from None
            t = from_dlpack(obj, copy=True if copy is None else copy)
        else:
            t = _core.from_buffer(obj, copy is False)
    if dtype is None or _same(t.dtype, dtype):
        return t
    if copy is False:
        raise ValueError("asarray(): another dtype needs a copy")
    return _core.cast(t, dtype)


def array(obj, /, dtype=None, *, device=None, copy=True, ndmin=0):
    """asarray, of a tensor a copy unless `copy` is None or False; with ndmin axes at least, new ones before the others."""
    t = asarray(obj, dtype, device=device, copy=copy if isinstance(obj, Tensor) or not copy else None)
    return _core.reshape(t, (1,) * (ndmin - t.ndim) + t.shape) if t.ndim < ndmin else t


def _same(dtype, other):
    return dtype is _core.result_type([other])


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor on the array of another library, without a copy where its memory is row-major. The array must not be
    changed as long as the tensor lives; copy=True makes it independent."""
    if device not in (None, "cpu"):
        raise ValueError("from_dlpack(): the device is 'cpu'")
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__()
    t = _core.from_capsule(capsule)
    return _core.from_bytes(t.dtype, t.shape, t.tobytes()) if copy else t


def _start_delivery():
    """The thread that calls functions of the program for the library: of the log, of progress, of changes of devices."""
    _threading.Thread(target=_core._deliver, name="orrery", daemon=True).start()
    _atexit.register(_core._listen_no_more)


def rebuilt(name, shape, data):
    """A tensor from its pickled parts."""
    return _core.from_bytes(name, shape, data)


def to_lists(t):
    """Nested lists of Python's numbers."""
    name = t.dtype.name
    if name == "bfloat16":
        return to_lists(_core.cast(t, "float32"))
    data, shape = t.tobytes(), t.shape
    if name.startswith("complex"):
        parts = _array.array("f" if name == "complex64" else "d", data)
        flat = [complex(re, im) for re, im in zip(parts[::2], parts[1::2])]
    elif name == "float16":
        flat = memoryview(_core.cast(t, "float32").tobytes()).cast("f").tolist()
    elif name == "bool":
        flat = [v != 0 for v in data]
    else:
        code = _CODES.get(name)
        if not code:
            raise TypeError("tolist(): Python has no numbers of type %s" % name)
        flat = memoryview(data).cast(code).tolist()
    for n in reversed(shape[1:]):
        flat = [flat[k:k + n] for k in range(0, len(flat), n)] if n else [[] for _ in range(_product(shape[:-1]))]
        shape = shape[:-1]
    return flat if t.shape else flat[0]


def _product(numbers):
    p = 1
    for n in numbers:
        p *= n
    return p


def kind_of(dtype):
    """The kind of a DType, by the names of the standard."""
    name = dtype.name
    return ("bool" if name == "bool" else "signed integer" if name.startswith("int") else "unsigned integer"
            if name.startswith("uint") else "complex floating" if name.startswith("complex") else "real floating"
            if "float" in name else name)


def named(f, name, doc):
    """The function f with a name for messages, and a text."""
    f.__name__ = f.__qualname__ = name
    f.__doc__ = doc
    return f
