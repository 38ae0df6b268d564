"""x[key] and x[key] = value, with all kinds of NumPy's indices; parts of tensors, which NumPy calls views."""
import operator as _operator
from itertools import accumulate as _accumulate

from . import _core
from ._core import Tensor
from ._convert import asarray, kind_of

_END = -2**63
_RECORDED = 1024  # assignments to an object before they are computed, so that a loop of them has some megabytes of nodes at most


def _is_array(k):
    return isinstance(k, (Tensor, list, range)) or hasattr(k, "dtype") and hasattr(k, "shape")


def _as_index(k):
    """An array among the indices as a tensor of integers or bools."""
    k = asarray(list(k) if isinstance(k, range) else k)
    kind = kind_of(k.dtype)
    if k.size == 0 and k.dtype is _core.float64:
        return _core.cast(k, "int64")  # an empty list
    if "integer" not in kind and kind != "bool":
        raise IndexError("an index array has integers or bools, not %s" % k.dtype)
    if kind == "bool" and not k.ndim:
        raise IndexError("a truth value is no index: write a mask with axes")
    return k


def _is_mask(k):
    return isinstance(k, Tensor) and k.dtype is _core.bool


def _check_mask(mask, lengths):
    """A mask without elements chooses none, whatever the lengths are."""
    if len(lengths) != mask.ndim or any(m not in (0, n) for m, n in zip(mask.shape, lengths)):
        raise IndexError("a mask of the shape %s for axes of lengths %s" % (mask.shape, lengths))


def _axes_of(k):
    """The number of axes that an index is for."""
    return 0 if k is None or k is Ellipsis else k.ndim if _is_mask(k) else 1


def _spread(x, key):
    """The key as a list with one entry for each axis of x, and None for new axes; a mask becomes its indices."""
    key = [_as_index(k) if _is_array(k) else k for k in key]
    used = sum(_axes_of(k) for k in key)
    if used > x.ndim:
        raise IndexError("%d indices for %d axes" % (used, x.ndim))
    dots = [n for n, k in enumerate(key) if k is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index has one '...' at most")
    at = dots[0] if dots else len(key)
    parts, axis = [], 0
    for k in key[:at] + [slice(None)] * (x.ndim - used) + key[at + 1:]:
        lengths = x.shape[axis:axis + _axes_of(k)]
        if _is_mask(k):
            _check_mask(k, lengths)
            parts += _core.nonzero(k, k.ndim)
        else:
            parts.append(k if k is None or isinstance(k, (slice, Tensor)) else _place(k, lengths[0]))
        axis += len(lengths)
    return parts


def _place(k, n):
    """An integer as a place on an axis of n elements."""
    if not hasattr(k, "__index__") or isinstance(k, bool):
        raise IndexError("%r is no index: integers, slices, '...', None, and arrays of integers or bools are" % (k,))
    k = k.__index__()
    if not -n <= k < n:
        raise IndexError("index %d is out of range for an axis of length %d" % (k, n))
    return k


def _bounds(s, n):
    """start, stop and step of a slice of n elements, in the form of the library."""
    start, stop, step = s.indices(n)
    if not range(start, stop, step):
        return 0, 0, 1
    return start, _END if stop < 0 else stop, max(-n, min(n, step))


def _views(x, parts):
    """Applies slices, integers and new axes; returns the view and the arrays that are left, by their axes of it."""
    if any(isinstance(p, slice) and p != slice(None) for p in parts):
        of = [p if isinstance(p, slice) else slice(None) for p in parts if p is not None]
        x = _core.slice(x, *zip(*[_bounds(s, n) for s, n in zip(of, x.shape)]))
    arrays, axis = {}, 0
    for p in parts:
        if p is None:
            x = _core.expand_dims(x, axis)
        elif isinstance(p, Tensor):
            arrays[axis] = p
        elif not isinstance(p, slice):
            x = _core.select(x, axis, p)
            continue
        axis += 1
    return x, arrays


def _parted(key):
    """Whether '...' stands between the key's arrays, also where it is for no axis."""
    places = [k for k, p in enumerate(key) if p is not None and p is not Ellipsis and not isinstance(p, slice)]
    return any(p is Ellipsis and places[0] < k < places[-1] for k, p in enumerate(key))


def _gathered(x, arrays, adjacent):
    """NumPy's result of several arrays of integers, which broadcast."""
    axes = sorted(arrays)
    if len(axes) == 1 and adjacent:
        return _core.take(x, arrays[axes[0]], axes[0])
    indices = _core.broadcast_arrays([arrays[a] for a in axes])
    rank = indices[0].ndim
    rest = [a for a in range(x.ndim) if a not in arrays]
    front = _core.permute(x, axes + rest)
    r = _core.gather_nd(front, _core.stack([_core.cast(i, "int64") for i in indices], -1))
    if adjacent:  # the arrays' axes stand where the first of them was
        before = axes[0]
        order = list(range(rank, rank + before)) + list(range(rank)) + list(range(rank + before, r.ndim))
        r = _core.permute(r, order)
    return r


class _Steps:
    """Makes a part of a tensor, step by step: a list from its end, so that parts of parts share it. `rows`: the part is a range of the whole's
    elements, in their order."""
    __slots__ = "step", "before", "rows"

    def __init__(self, step, before, rows):
        self.step, self.before, self.rows = step, before, rows and (before is None or before.rows)

    def __call__(self, t):
        steps = self
        todo = []
        while steps:
            todo.append(steps.step)
            steps = steps.before
        while todo:
            t = todo.pop()(t)
        return t


def _whole(x):
    """The tensor whose part x is, and the steps to it; of others x itself."""
    return x._base or (x, None)


def _tied(x, y, step, rows=False):
    if isinstance(x, Tensor) and y is not x:
        whole, steps = _whole(x)
        y._tie((whole, _Steps(step, steps, rows)))
    return y


def part(x, step, rows=False):
    """step(x), a part of x, which it keeps: assignments to one of them are seen in the other."""
    return _tied(x, step(x), step, rows)


def _ends(lengths):
    """The products of the first 1, 2, … lengths."""
    return list(_accumulate(lengths, _operator.mul))


def other_shape(x, shape):
    """x's elements in another shape: a part of x, or a copy where x's elements have not one distance along each axis of the shape, as in NumPy."""
    y = _core.reshape(x, shape)
    whole, steps = _whole(x)
    if steps is not None and not steps.rows and x.ndim > 1 and x.size:
        axes = [k for k, n in enumerate(x.shape) if n > 1]
        lengths = [x.shape[k] for k in axes]
        places = _core.reshape(steps(_core.reshape(_core.arange("int64", 0, whole.size, 1), whole.shape)), [x.size])
        first, *others = _core.take(places, asarray([0] + [x.size // n for n in _ends(lengths)]), 0).tolist()
        far = [v - first for v in others]
        joined = [a == b * n for a, b, n in zip(far, far[1:], lengths[1:])]  # the axis goes on where the next one ends
        if not {n for n, is_one in zip(_ends(lengths), joined) if not is_one} <= set(_ends(y.shape)):
            return y
    return _tied(x, y, lambda t: _core.reshape(t, shape), True)


def parts(x, step):
    """The parts that step(x) lists."""
    return [_tied(x, y, lambda t, k=k: step(t)[k]) for k, y in enumerate(step(x))]


def _keys(key):
    """The key as a tuple, in which numbers of other libraries are Python's."""
    key = key if isinstance(key, tuple) else (key,)
    return tuple(k.item() if getattr(k, "shape", None) == () and hasattr(k, "item") and not isinstance(k, Tensor) else k for k in key)


def get(x, key):
    if type(key) is int:  # most keys are; the others take ten times as long
        y = _core.select(x, 0, key)
        return _tied(x, y, lambda t: _core.select(t, 0, key), True) if y.ndim else y
    if type(key) is slice and x.ndim:
        bounds = _bounds(key, x.shape[0])
        return part(x, lambda t: _another(t, _core.slice_axis(t, 0, *bounds)), bounds[2] == 1)
    key = _keys(key)
    if any(_is_array(k) or isinstance(k, bool) for k in key) or len(key) >= x.ndim and all(hasattr(k, "__index__") for k in key):
        return _get(x, key)  # copies, as NumPy's
    return part(x, lambda t: _another(t, _get(t, key)))


def _another(x, y):
    """y, but as an object of its own, which has x as its whole."""
    return _core.reshape(x, x.shape) if y is x else y


def _get(x, key):
    if len(key) == 1 and isinstance(key[0], bool):
        key = (asarray(key[0]),)
    if len(key) == 1 and isinstance(key[0], Tensor) and key[0].dtype is _core.bool:
        mask, lengths = key[0], x.shape[:key[0].ndim]
        if mask.ndim:
            _check_mask(mask, lengths)
            return _core.mask_select(x, mask if mask.shape == lengths else _core.zeros("bool", lengths))
        # x once or not at all, along a new first axis
        return _core.take(_core.expand_dims(x, 0), _core.nonzero(_core.reshape(key[0], [1]), 1)[0], 0)
    parts = _spread(x, key)
    arrays = [k for k, p in enumerate(parts) if isinstance(p, Tensor)]
    if arrays:  # an integer beside arrays is one of them, as in NumPy
        parts = [asarray(p) if isinstance(p, int) else p for p in parts]
        arrays = [k for k, p in enumerate(parts) if isinstance(p, Tensor)]
    adjacent = not arrays or arrays == list(range(arrays[0], arrays[0] + len(arrays))) and not _parted(key)
    view, left = _views(x, parts)
    return _gathered(view, left, adjacent) if left else view


def _change(x, value):
    """The object gets another value."""
    if x._become(value) % _RECORDED == 0:
        x.eval()


def put(x, key, value):
    """Item assignment: the object gets a new value; for a part, its whole does."""
    key = _keys(key)
    value = value if isinstance(value, (int, float, complex, Tensor)) else asarray(value)
    whole, steps = _whole(x)
    places = _core.reshape(_core.arange("int64", 0, whole.size, 1), whole.shape)
    places = _get(steps(places) if steps else places, key)
    if isinstance(value, Tensor):
        if value.dtype is not x.dtype:
            value = _core.cast(value, x.dtype)
    else:
        value = asarray(value, dtype=x.dtype)
    if value.ndim > places.ndim and set(value.shape[:value.ndim - places.ndim]) == {1}:
        value = _core.reshape(value, value.shape[value.ndim - places.ndim:])
    value = _core.reshape(_core.broadcast_to(value, places.shape), [-1] if places.size else [0])
    flat = _core.scatter(_core.reshape(whole, [whole.size]), _core.reshape(places, [places.size]), value, 0, "set")
    _change(whole, _core.reshape(flat, whole.shape))


_KINDS = ("bool", "unsigned integer", "signed integer", "real floating", "complex floating")


def _into(x, r):
    """The result r of an operation on x in place: it keeps x's shape and dtype."""
    if r.shape != x.shape:
        raise _core.ShapeError("a result of the shape %s does not fit into one of %s" % (r.shape, x.shape))
    if r.dtype is x.dtype:
        return r
    if _KINDS.index(kind_of(r.dtype)) > _KINDS.index(kind_of(x.dtype)):
        raise _core.DtypeError("a result of %s does not fit into %s" % (r.dtype, x.dtype))
    return _core.cast(r, x.dtype)


def in_place(operator):
    """x += y and the like change the object x, or the whole whose part it is. Without axes only a variable changes: others are numbers
    as NumPy's scalars, and the name gets another one."""
    def change(x, y):
        r = _into(x, operator(x, y))
        if _whole(x)[1] is not None:
            put(x, Ellipsis, r)
        elif x.ndim:
            _change(x, r)
        elif not x._assign(r):
            return r
        return x
    return change
