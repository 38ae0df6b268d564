"""Gradients, modules with optimisers, planned functions, variables: values by hand and by known formulas."""
import math

from check import end, fail, o, raises


def near(what, got, want, tolerance=1e-9):
    got = got if isinstance(got, (int, float)) else got.item()
    if not abs(got - want) <= tolerance * max(1.0, abs(want)):
        fail("%s: %r, not %r" % (what, got, want))


value, slope = o.value_and_grad(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(o.asarray([1.0, 2.0]), o.asarray([3.0, 4.0]))
near("value", value, 19.0)
near("by x", slope[0][1], 16.0)
near("by y", slope[1][1], 4.0)
near("grad of a number", o.grad(o.sin)(0.3), math.cos(0.3))
near("second derivative", o.grad(lambda x: o.grad(o.sin)(x).sum())(0.3), -math.sin(0.3))



def assigning(x):
    """Assigns to its argument, and to a part of it."""
    x[0] = 3 * x[1]
    x[::-1] *= 0.5
    return x * x


at = o.asarray([1.0, 2.0, 4.0])
value, slope = o.value_and_grad(lambda x: assigning(x).sum())(at)  # (9 x₁² + x₁² + x₂²) / 4
near("value of a function that assigns to its argument", value, 14.0)
for k, want in enumerate([0.0, 10.0, 2.0]):
    near("gradient of a function that assigns to its argument", slope[k], want)
    near("the argument", at[k], [1.0, 2.0, 4.0][k])
    near("a planned function that assigns to its argument", o.function(assigning)(at)[k], [9.0, 1.0, 4.0][k])
near("second derivative", o.grad(lambda x: o.grad(lambda y: assigning(y).sum())(x)[1])(at)[1], 5.0)

w = o.variable(o.asarray([1.0, 1.0]))
before = w + 0
o.assign(w, w * 2)
near("a variable", w[0], 2.0)
near("its earlier value", before[0], 1.0)


@o.function
def scaled(x, y):
    """x·y + w."""
    return x * y + w, x - y


a, b = scaled([1.0, 2.0], [3.0, 4.0])
near("a planned function", a[1], 10.0)
near("its second result", b[1], -2.0)
o.assign(w, o.zeros(2))
near("variables by name", scaled([1.0, 2.0], [3.0, 4.0])[0][1], 8.0)
near("another shape", scaled([[1.0, 2.0]], [[3.0, 4.0]])[0][0, 1], 8.0)
if len(scaled.graphs) != 2:
    fail("graphs: %d" % len(scaled.graphs))

o.seed(1)
x = o.random.normal(shape=(64, 3), dtype="float32")
y = x @ o.asarray([[1.0], [-2.0], [0.5]], dtype="float32") + 3
for make in (o.Adam, o.SGD, o.AdamW, o.RMSprop, o.Adagrad, o.Lamb):
    net = o.sequential([o.dense(3, 8, "tanh", "default"), o.dense(8, 1, "linear", "glorot_uniform")])
    optimiser = make(net, lr=0.02)
    first = None
    for k in range(60):
        loss = o.mse(net(x), y)
        optimiser.step(loss)
        first = loss.item() if first is None else first
    if not loss.item() < first:
        fail("%s: the loss is %g after %g" % (optimiser, loss.item(), first))
    if optimiser.steps() != 60 or optimiser.lr() != 0.02:
        fail("steps: %s, rate: %s" % (optimiser.steps(), optimiser.lr()))

v = o.variable(o.asarray([2.0]))
sgd = o.SGD([v], lr=0.1)
sgd.step((v * v).sum())
near("a step", v[0], 1.6)
del v
v = net.module_variable("0.weight") if hasattr(net, "module_variable") else net.variable("0.weight")
if v.shape != (3, 8):
    fail("a parameter's shape: %s" % (v.shape,))
del net, optimiser
near("a parameter outlives its module's name", (v * 0).sum(), 0.0)
v[0] = 1.0
near("an assignment to a row of a parameter", v[0].sum(), 8.0)

# A gradient goes through hundreds of item assignments; d/dw of Σ_k k·w is Σ_k k.
w = o.variable(o.asarray(2.0))
rows = o.zeros(300)
for k in range(300):
    rows[k] = w * k
near("a gradient through assignments", o.gradients(rows.sum(), [w])[0], 299 * 150.0)

event = o.eval_async([o.ones((100,)) * 2])
event.wait()
if not event.done():
    fail("an event that was waited for is not done")
text = o.explain(o.exp(o.ones(10)) + 1)
if "kernel" not in text:
    fail("explain: %r" % text)
if not any(f.name == "cores" for f in o.info()):
    fail("info has no cores")
q = o.linalg.qr(o.asarray([[2.0, 0.0], [0.0, 3.0]]))
near("named results", abs(q.R[0, 0]).item(), 2.0)
conv = o.conv(o.ones((1, 1, 4, 4)), o.ones((1, 1, 2, 2)), stride=2)
if conv.shape != (1, 1, 2, 2) or conv[0, 0, 0, 0].item() != 4.0:
    fail("options as keywords: %s" % conv)

# A gradient by what was assigned after its use is no zero.
for line in ("x[0] = 5.0", "x[:2] += 1.0", "x[:2] = o.ones(2)", "x += 1.0", "x = x[:2]", "x = x.reshape(3, 1)"):
    names = {"o": o, "x": o.asarray([1.0, 2.0, 3.0])}
    used = (names["x"] * names["x"]).sum()
    exec(line, names)
    raises(o.GraphError, lambda: o.gradients(used, [names["x"]]), "recorded before x[0]")  # noqa: B023
    near("recorded anew after " + line, (o.gradients((names["x"] * names["x"]).sum(), [names["x"]])[0] / names["x"]).mean(), 2.0)

# A gradient by what y does not use, or uses through whole numbers alone, is an error; a function's argument may be unused.
x, other = o.asarray([1.0, 2.5, 3.0]), o.asarray([1.0])
part, used = x[:2], (x * x).sum()
raises(o.GraphError, lambda: o.gradients(used, [part]), "does not depend on x[0] (slice")
near("an array that is not used", o.gradients(used, [other])[0], 0.0)
for whole in (lambda v: o.astype(o.argmax(v), "float64") * other, lambda v: o.astype(o.astype(v, "int32"), "float64"),
              lambda v: o.where(v > 2.0, 1.0, other)):
    raises(o.GraphError, lambda: o.gradients(whole(x).sum(), [x]), "whole numbers")  # noqa: B023
    near("as a function", o.grad(lambda v: whole(v).sum())(x).sum(), 0.0)  # noqa: B023
near("floor and round", o.gradients((o.floor(x) + o.round(x)).sum(), [x])[0].sum(), 0.0)
near("an unused argument", o.grad(lambda a, b: (a * a).sum(), (0, 1))(x, x[:2])[1].sum(), 0.0)
near("the second derivative of a function of pieces", o.grad(lambda v: o.grad(lambda u: o.where(u > 2.0, 3 * u, u).sum())(v).sum())(x).sum(), 0.0)
slope = o.gradients(o.where(x > 2.0, 3 * x, x).sum(), [x])[0]
near("and recorded by hand", o.gradients(slope.sum(), [x])[0].sum(), 0.0)

for wrong in ([1.0], 1.0, memoryview(b"1")):
    raises(TypeError, lambda: o.gradients(o.ones(2).sum(), [wrong]), "xs are tensors")  # noqa: B023

# A variable whose elements are assigned stays one: its optimiser and its module see the value, its former uses have no gradient by it.
v = o.variable(o.asarray([1.0, 2.0]))
descent, used = o.SGD([v], lr=0.5), (v * v).sum()
v[0] = 5.0
raises(o.GraphError, lambda: o.gradients(used, [v]), "assigned")
descent.step((v * v).sum())
near("a step after an assignment to an element", v[0], 0.0)
v[:1] += 3.0
near("a variable whose part was changed", v[0], 3.0)
v -= 2.0
number = o.variable(o.asarray(1.0))
same, descent = number, o.SGD([v, number], lr=0.5)
number += 1.0
near("a variable without axes, in place", same, 2.0)
descent.step((v * v).sum() + number * number)
near("a step after operations in place", v.sum() + number, 0.0)
layer = o.dense(2, 1, "linear", "default")
weight = layer.variable("weight")
weight[...] = 1.0
near("a parameter whose elements were assigned", layer(o.ones((1, 2), dtype="float32"))[0, 0] - layer.variable("bias")[0], 2.0)

# The steps of a scan, and calls, have objects of their own.
def adding(c, x):
    c += x
    return c, c


start = o.asarray([1.0])
last, sums = o.scan(adding, start, o.asarray([[1.0], [2.0], [3.0]]))
near("the sums of a scan in place", sums[0, 0] * 100 + sums[1, 0] * 10 + sums[2, 0], 247.0)
near("the last sum, and the first value", last[0] * 10 + start[0], 71.0)
near("a gradient by an argument changed in place", o.grad(lambda x: (adding(x, x * x)[0] * x).sum())(o.asarray([1.0, 2.0])).sum(), 72.0)  # of (x + x²)²

# Functions of the program, called by the library.
near("par_map", o.par_map(lambda v, i: (v * v).sum() + i, [o.ones(3), o.ones(5)])[1], 6.0)
raises(ZeroDivisionError, lambda: o.par_map(lambda v, i: 1 / 0, [o.ones(3), o.ones(3)]))
raises(TypeError, lambda: o.par_map(lambda v, i: "a", [o.ones(3)]), "result")
kept = []
o.par_map(lambda v, i: kept.append(v) or v, [o.ones(3)])
matrix = o.asarray([[4.0, 1.0], [1.0, 3.0]])
solved = o.cg(lambda v: matrix @ v, o.asarray([1.0, 2.0]))
near("conjugate gradients", solved.x[0], 1.0 / 11)
layers = o.sequential([o.dense(2, 2, "linear", "default"), o.function_layer(lambda v: v * 0 + 5)])
found = []
cached = o.function_layer(lambda v: v * (found or found.append(o.full((2,), 3.0)) or found)[0])
near("a tensor that a layer makes and keeps", (cached(o.ones(2)) + cached(o.ones(2))).sum(), 12.0)
near("after its call", found[0].sum(), 6.0)
near("a function as a layer", layers(o.ones((1, 2), dtype="float32"))[0, 0], 5.0)
raises(NameError, lambda: o.function_layer(lambda v: undefined)(o.ones(3)))  # noqa: F821
lent = []
o.module_new("own", lambda m, xs: lent.append(m) or xs[0])(o.ones(2)).eval()
raises(o.Error, lambda: lent[0].train(True))
with o.time_limit(0.0):
    raises(o.CancelledError, lambda: (o.ones((10,)) * 3).eval())
with o.time_limit(60) as limit:
    near("within a limit", (o.ones((10,)) * 3).sum(), 30.0)
    limit.cancel()
    raises(o.CancelledError, lambda: (o.ones((10,)) * 4).eval())
near("after a limit", (o.ones((10,)) * 3).sum(), 30.0)
end()
