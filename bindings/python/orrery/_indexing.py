"""x[key] and x[key] = value, with all kinds of NumPy's indices; parts of tensors, which NumPy calls views."""
from . import _core
from ._core import Tensor
from ._convert import asarray

_END = -2**63
_RECORDED = 1024  # assignments to an object before they are computed, so that a loop of them has some megabytes of nodes at most


def _is_array(k):
    return isinstance(k, (Tensor, list)) or hasattr(k, "dtype") and hasattr(k, "shape")


def _spread(x, key):
    """The key as a list with one entry for each axis of x, and None for new axes; a mask becomes its indices."""
    parts, used = [], 0
    for k in key:
        if _is_array(k):
            k = asarray(k)
            if k.dtype is _core.bool and k.ndim:
                if x.shape[used:used + k.ndim] != k.shape:
                    raise IndexError("a mask of the shape %s for axes of lengths %s" % (k.shape, x.shape[used:used + k.ndim]))
                parts += _core.nonzero(k, k.ndim)
                used += k.ndim
                continue
            if k.dtype is _core.bool:
                raise IndexError("a truth value is no index: write a mask with axes")
        if k is not None and k is not Ellipsis:
            used += 1
        parts.append(k)
    if used > x.ndim:
        raise IndexError("%d indices for %d axes" % (used, x.ndim))
    dots = [k for k, p in enumerate(parts) if p is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index has one '...' at most")
    at = dots[0] if dots else len(parts)
    return parts[:at] + [slice(None)] * (x.ndim - used) + parts[at + 1:]


def _number(v, otherwise):
    return otherwise if v is None else v.__index__()


def _views(x, parts):
    """Applies slices, integers and new axes; returns the view and the arrays that are left, by their axes of it."""
    start, stop, step = [], [], []
    for p in parts:
        if isinstance(p, slice):
            start.append(_number(p.start, _END))
            stop.append(_number(p.stop, _END))
            step.append(_number(p.step, 1))
        elif p is not None:
            start.append(_END)
            stop.append(_END)
            step.append(1)
    if any(isinstance(p, slice) and p != slice(None) for p in parts):
        x = _core.slice(x, start, stop, step)
    arrays, axis = {}, 0
    for p in parts:
        if p is None:
            x = _core.expand_dims(x, axis)
        elif isinstance(p, Tensor):
            arrays[axis] = p
        elif not isinstance(p, slice):
            if not hasattr(p, "__index__") or isinstance(p, bool):
                raise IndexError("%r is no index: integers, slices, '...', None, and arrays of integers or bools are" % (p,))
            x = _core.select(x, axis, p.__index__())
            continue
        axis += 1
    return x, arrays


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
    """Makes a part of a tensor, step by step: a list from its end, so that parts of parts share it."""
    __slots__ = "step", "before"

    def __init__(self, step, before):
        self.step, self.before = step, before

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


def _tied(x, y, step):
    if isinstance(x, Tensor) and y is not x:
        whole, steps = _whole(x)
        y._tie((whole, _Steps(step, steps)))
    return y


def part(x, step):
    """step(x), a part of x, which it keeps: assignments to one of them are seen in the other."""
    return _tied(x, step(x), step)


def parts(x, step):
    """The parts that step(x) lists."""
    return [_tied(x, y, lambda t, k=k: step(t)[k]) for k, y in enumerate(step(x))]


def get(x, key):
    key = key if isinstance(key, tuple) else (key,)
    if any(_is_array(k) or isinstance(k, bool) for k in key) or len(key) >= x.ndim and all(hasattr(k, "__index__") for k in key):
        return _get(x, key)  # copies, as NumPy's
    return part(x, lambda t: _get(t, key))


def _get(x, key):
    key = key if isinstance(key, tuple) else (key,)
    if len(key) == 1 and isinstance(key[0], bool):
        key = (asarray(key[0]),)
    if len(key) == 1 and isinstance(key[0], Tensor) and key[0].dtype is _core.bool:
        mask, lengths = key[0], x.shape[:key[0].ndim]
        if mask.ndim and len(lengths) == mask.ndim and all(m in (0, n) for m, n in zip(mask.shape, lengths)):
            return _core.mask_select(x, mask if mask.shape == lengths else _core.zeros("bool", lengths))  # without elements: none
        if mask.ndim:
            raise IndexError("a mask of the shape %s for axes of lengths %s" % (mask.shape, x.shape))
        # x once or not at all, along a new first axis
        return _core.take(_core.expand_dims(x, 0), _core.nonzero(_core.reshape(key[0], [1]), 1)[0], 0)
    parts = _spread(x, key)
    arrays = [k for k, p in enumerate(parts) if isinstance(p, Tensor)]
    if arrays:  # an integer beside arrays is one of them, as in NumPy
        parts = [asarray(p.__index__()) if p is not None and not isinstance(p, (slice, Tensor)) else p for p in parts]
        arrays = [k for k, p in enumerate(parts) if isinstance(p, Tensor)]
    adjacent = not arrays or arrays == list(range(arrays[0], arrays[0] + len(arrays)))
    view, left = _views(x, parts)
    return _gathered(view, left, adjacent) if left else view


def put(x, key, value):
    """Item assignment: the object gets a new value; for a part, its whole does."""
    value = value if isinstance(value, (int, float, complex, Tensor)) else asarray(value)
    whole, steps = _whole(x)
    places = _core.reshape(_core.arange("int64", 0, whole.size, 1), whole.shape)
    places = _get(steps(places) if steps else places, key)
    if isinstance(value, Tensor):
        if value.dtype is not x.dtype:
            value = _core.cast(value, x.dtype)
    else:
        value = asarray(value, dtype=x.dtype)
    value = _core.reshape(_core.broadcast_to(value, places.shape), [-1] if places.size else [0])
    flat = _core.scatter(_core.reshape(whole, [whole.size]), _core.reshape(places, [places.size]), value, 0, "set")
    if whole._become(_core.reshape(flat, whole.shape)) % _RECORDED == 0:
        whole.eval()


def in_place(operator):
    """x += y and the like: the elements of a part change in its whole, other names get the result."""
    def change(x, y):
        r = operator(x, y)
        if _whole(x)[1] is None:
            return r
        put(x, Ellipsis, r)
        return x
    return change
