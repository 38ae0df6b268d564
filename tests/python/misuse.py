"""Wrong calls raise exceptions that say where and why; threads do not disturb each other; memory does not grow."""
import os
import random
import threading

from check import end, fail, o, raises

x = o.asarray([[1.0, 2.0], [3.0, 4.0]])
raises(o.ShapeError, lambda: x + o.asarray([1.0, 2.0, 3.0]), os.path.basename(__file__))
raises(ValueError, lambda: x @ o.asarray([1.0, 2.0, 3.0]), "matmul")
raises(TypeError, lambda: x + "a")
raises(o.DtypeError, lambda: o.arange(3) + o.ones(3, dtype="uint64"), "write orrery.cast(y, orrery.int64)")  # names of Python
raises(TypeError, lambda: o.randn("float32", 3), "randn(dtype, shape, mean, std)")
raises(TypeError, lambda: o.ones(3, dtype="quadruple"), "'float64'")
raises(TypeError, lambda: o.Adam([o.variable(o.ones(2))], lr="a"), "'lr' is a number")
raises(TypeError, lambda: o.zeros(3, 4), "zeros()")
raises(ValueError, lambda: bool(o.ones(2) > 0), "any() or all()")
assert o.ones((2, 3)).sum(1).tolist() == [3.0, 3.0]
raises(TypeError, lambda: "%s" % format(o.ones(3), ".2f"), "format")
assert f"{o.asarray(2.5):.2f} {o.asarray(3)}" == "2.50 3"
raises(TypeError, lambda: o.sqrt("a"), "sqrt(): 'x'")
raises(TypeError, lambda: o.sqrt())
raises(TypeError, lambda: o.sqrt(x, 1, 2), "1 arguments at most")
raises(TypeError, lambda: o.sqrt(x, y=1), "no argument 'y'")
raises(TypeError, lambda: o.sqrt(x, x=x), "twice")
raises(o.AxisError, lambda: o.sum(x, axis=5))
raises(TypeError, lambda: o.sum(x, axis="a"))
raises(TypeError, lambda: o.sum(x, axis=0.5))
raises(TypeError, lambda: o.zeros("a"))
raises(o.ShapeError, lambda: o.zeros((-1,)))
raises(o.ShapeError, lambda: o.zeros((1,) * 9))
raises(TypeError, lambda: o.zeros(2, dtype="float31"))
raises(OverflowError, lambda: o.asarray(2**70))
raises(o.DtypeError, lambda: o.asarray([1, 2]) & 1.5)
raises(ValueError, lambda: o.fft.fft(x, norm="none"), "backward")
raises(TypeError, lambda: o.SGD([o.variable(x)], lr=0.1, rate=2), "rate")
raises(TypeError, lambda: o.Tensor())
raises(o.NumericError, lambda: o.linalg.inv(o.zeros((2, 2))).eval())
raises(OSError, lambda: o.load("/nowhere/file.npy"))
raises(o.Error, lambda: o.asarray([1.0]).item() and o.take(x, o.asarray([7]), axis=0).eval())
raises(ValueError, lambda: x.item())

# Modules belong to one owner.
part = o.dense(2, 2, "relu", "default")
whole = o.sequential([part, o.dense(2, 1, "linear", "default")])
raises(o.Error, lambda: o.sequential([part]), "belongs")
one = o.dense(2, 2, "relu", "default")
raises(o.Error, lambda: o.sequential([one, one]), "twice")
raises(TypeError, lambda: o.sequential([x]))
del whole
part(o.zeros((1, 2), dtype=o.float32)).eval()
raises(TypeError, lambda: part("a"))


# Random calls of every function with random things: exceptions only.
def things():
    return random.choice([None, 1, -1, 0.5, "a", b"ab", True, lambda *a: a[0], 1j, [], [1, 2], (0,), {}, x, o.asarray([1, 2]), o.asarray(True),
                          o.float32, "float32", [x, x], [x, None], object(), part, 2**70, float("nan"), o.zeros((0, 3)), -(2**63)])


random.seed(int(os.environ.get("ORR_TEST_SEED", "43")))
skipped = {"device_memory", "prefetch", "machine_measure", "cache_clear", "perfmodel_clear", "devices_save", "evict",
           "checkpoint_catch", "init", "dp_budget_keep", "loader_of_folder", "grid_free", "paillier_generate", "sleep"}
names = [n for n in dir(o._core) if callable(getattr(o._core, n)) and not n.startswith("_") and n not in skipped and
         not isinstance(getattr(o._core, n), type) and not n.startswith(("save", "metrics", "dp_", "secagg", "checkpoint", "cancel"))]
for call in range(int(os.environ.get("ORR_TEST_CALLS", "6000"))):
    f = getattr(o._core, random.choice(names))
    try:
        f(*[things() for _ in range(random.randrange(6))])
    except (o.Error, TypeError, ValueError, OverflowError, BufferError):
        pass
    except Exception as e:  # noqa: BLE001
        fail("%s raises %s: %s" % (f.__name__, type(e).__name__, e))

# Threads.
results = []


def work(k):
    total = 0.0
    for i in range(200):
        total += ((o.full((100,), float(k)) + i) * 2).sum().item()
        try:
            o.full((2,), 1.0) + o.full((3,), 1.0)
        except o.ShapeError as e:
            assert "shapes (2,) and (3,)" in str(e)
    results.append(total == sum((k + i) * 200.0 for i in range(200)))


threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
if results != [True] * 4:
    fail("results of threads: %s" % results)


def resident():
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


layer = o.function_layer(lambda v: v * 2)


def loop(n):
    w = o.variable(o.zeros((16, 16)))
    for k in range(n):
        a = o.full((16, 16), float(k % 7))
        b = o.sum(a @ a + w, axis=0)[3:9]
        b.item if k % 50 else b.tolist()
        o.value_and_grad(lambda v: (v * v).sum())(a)[1].eval()
        try:
            a + o.zeros((3,))
        except o.Error:
            pass
        memoryview(a)
        layer(a).eval()


loop(300)
before = resident()
loop(1500)
grown = resident() - before
if grown > 8 << 20:
    fail("the process has grown by %d bytes in a loop" % grown)
end()
