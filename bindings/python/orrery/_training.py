"""Gradients, planned functions, optimisers by name.

Must not know: how a gradient is computed.
"""
from . import _convert, _core
from ._core import Loader, Module, Tensor
from ._convert import asarray

__all__ = ["grad", "value_and_grad", "function", "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Lamb", "gradients", "Function",
           "function_layer", "par_map", "scan", "time_limit"]


def gradients(y, xs):
    """d(sum of y)/dx for each x of the list, recorded before y is evaluated. As with torch.autograd.grad it is an error if y does not depend on
    an x that was computed, or through whole numbers alone; grad_or_zeros, grad and value_and_grad give zeros there."""
    xs = list(xs)
    for x in xs:  # a copy of an array would have zeros
        if not isinstance(x, Tensor):
            raise TypeError("gradients(): xs are tensors from which y was computed, not %s" % type(x).__name__)
    return _core.grad(y, xs)


def _own(x):
    """x, a tensor, a list of them or None, as objects of their own: an assignment to them does not change x."""
    return x if x is None else _core.reshape(x, x.shape) if isinstance(x, Tensor) else [_own(t) for t in x]


def value_and_grad(fn, argnums=0):
    """A function that returns fn's value and its gradient by the arguments argnums: a number, or a tuple of numbers. The gradient by an
    argument that fn does not use, or through whole numbers alone, is zeros."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def both(*args, **kw):
        args = list(args)
        by = [_own(asarray(args[k])) for k in numbers]
        for k, x in zip(numbers, by):
            args[k] = _own(x)
        y = fn(*args, **kw)
        if not isinstance(y, Tensor):
            raise TypeError("value_and_grad(): the function returns %s, not a tensor" % type(y).__name__)
        g = _core.grad_or_zeros(y, by)
        return y, g[0] if isinstance(argnums, int) else tuple(g)
    return both


def grad(fn, argnums=0):
    """A function that returns fn's gradient: value_and_grad without the value."""
    both = value_and_grad(fn, argnums)
    return lambda *args, **kw: both(*args, **kw)[1]


class Function:
    """A function of tensors that is recorded and planned once for the dtypes and shapes of its arguments."""

    def __init__(self, fn):
        self.fn, self.graphs = fn, {}
        self.__doc__ = fn.__doc__

    def __call__(self, *args):
        args = [asarray(a) for a in args]
        key = tuple((a.dtype, a.shape) for a in args)
        graph = self.graphs.get(key)
        if graph is None:
            inputs = [_core.placeholder(t, s) for t, s in key]
            out = self.fn(*[_own(x) for x in inputs])
            outputs = [out] if isinstance(out, Tensor) else list(out)
            graph = self.graphs[key] = (_core.graph_build(inputs, outputs), len(outputs), isinstance(out, Tensor))
        results = _core.graph_submit(graph[0], args, graph[1])
        return results[0] if graph[2] else tuple(results)


def function(fn):
    """A decorator: the function's graph is planned once for each set of argument shapes."""
    return Function(fn)


def function_layer(fn):
    """A function of a tensor as a module, to stand among layers."""
    return _core.function(fn)


def par_map(fn, items):
    """fn(item, i) of each item as independent graphs, with all workers busy."""
    return _core.par_map(fn, [asarray(item) for item in items])


def scan(fn, carry, xs, steps=None, reverse=False):
    """carry, y = fn(carry, x[t]) for t = 0, 1, …: the last carry, and the y of all steps, stacked. carry, xs and y are tensors
    or lists of them, or None; without xs the number of steps is given. The steps are recorded one after another."""
    def part(t):
        return None if xs is None else xs[t] if isinstance(xs, Tensor) else [x[t] for x in xs]
    n = steps if xs is None else (xs if isinstance(xs, Tensor) else xs[0]).shape[0]
    if not n:
        raise ValueError("scan(): there is no step")
    made = []
    for t in reversed(range(n)) if reverse else range(n):
        carry, y = fn(_own(carry), part(t))
        made.append(y)
    if reverse:
        made.reverse()
    if made[0] is None:
        return carry, None
    return carry, (_core.stack(made, 0) if isinstance(made[0], Tensor) else
                   [_core.stack(list(line), 0) for line in zip(*made)])


class time_limit:
    """with time_limit(seconds): what this thread evaluates inside ends after that time with CancelledError; `cancel()`, from
    any thread, ends it at once."""

    def __init__(self, seconds=float("inf")):
        self.seconds = seconds

    def __enter__(self):
        self.event = _core.cancellable_begin(self.seconds)
        return self

    def cancel(self):
        _core.cancel(self.event)

    def __exit__(self, *unused):
        _core.cancellable_end(self.event)


def _optimiser(name):
    kind = name.lower()

    def make(of, **options):
        if isinstance(of, Module):
            return _core.optim_of_module(kind, of, **options)
        return _core.optim_new(kind, list(of), **options)
    return _convert.named(make, name, "An optimiser of a module or of a list of variables; options are the fields of orr_optim_options.")


SGD, Adam, AdamW, RMSprop, Adagrad, Lamb = (_optimiser(k) for k in "SGD Adam AdamW RMSprop Adagrad Lamb".split())


def _apply(self, *inputs):
    return _core.forward(self, inputs[0]) if len(inputs) == 1 else _core.forward_all(self, list(inputs))


def _batches(self):
    """The batches of one epoch, as lists of tensors."""
    while True:
        count, batch = self.next()
        if not count:
            return
        yield batch


Module.__call__ = _apply
Loader.__iter__ = _batches
Loader.__len__ = lambda self: self.batches()
