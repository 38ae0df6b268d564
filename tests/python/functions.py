"""Functions whose C form has lists with lengths, callbacks, structs and memory of the program: each in its form of Python."""
import ast
import os
import threading
import time

os.environ["ORRERY_CHECK"] = "nonfinite"  # a reason for a line of the log

from check import end, fail, o, raises  # noqa: E402

lines = []
o.log_to(lambda level, text: lines.append((level, text, threading.current_thread().name)))


def same(what, got, want):
    if got != want:
        fail("%s: %r, not %r" % (what, got, want))


def heard(what, events, wanted, wait=20.0):
    """Something of `events`, which another thread fills, is as wanted."""
    until = time.monotonic() + wait
    while time.monotonic() < until:
        if any(wanted(e) for e in list(events)):
            return
        time.sleep(0.01)
    fail("%s: %r" % (what, events[:5]))


# Memory of the program.
place = bytearray(32)
o.read_async(o.asarray([1.0, 2.0, 3.0, 4.0]) * 2, place).wait()
same("read_async", list(memoryview(place).cast("d")), [2.0, 4.0, 6.0, 8.0])
raises((TypeError, BufferError), lambda: o.read_async(o.ones(4), bytes(32)))
raises(o.Error, lambda: o.read_async(o.ones(4), bytearray(31)))
event = o.read_async(o.ones(4), place)
raises(BufferError, lambda: place.extend(b"0"))  # it is lent
event.wait()
del event
place.extend(b"0")
x = o.placeholder("float32", (3,))
g = o.graph_build([x], [x + 1, x * 2])
sums, products = bytearray(12), bytearray(12)
g.submit_into([o.asarray([1.0, 2.0, 3.0], dtype="float32")], [sums, products])
same("submit_into", [list(memoryview(m).cast("f")) for m in (sums, products)], [[2.0, 3.0, 4.0], [2.0, 4.0, 6.0]])
raises(TypeError, lambda: g.submit_into([o.ones(3, dtype="float32")], [3, 4]))

# Lists with their lengths, buffers of characters, large integers.
same("dp_orders", (len(o.dp_orders()), round(o.dp_orders()[0], 9)), (151, 1.1))
assert o.npy_header("float32", (2, 3)).startswith(b"\x93NUMPY") and len(o.npy_header("float32", (2, 3))) % 64 == 0
raises(o.Error, lambda: o.npy_header("bfloat16", (2,)))
seven = o.full((1,), 7, dtype="fr254")
same("field_text", o.field_text(seven, 0), "7")
same("field_pow", o.field_text(o.field_pow(seven, 20), 0), str(7**20))
raises(OverflowError, lambda: o.field_pow(seven, 1 << 256))
raises(OverflowError, lambda: o.field_pow(seven, -1))
grid = o.grid_make([1])
raises(TypeError, lambda: o.grid_make(1))
parts, devices = [{"bytes": 10, "flops": 1.0}] * 3, [{"bytes": 100, "flops_per_second": 1.0, "bytes_per_second": 1.0}] * 2
found, how = o.place(parts, devices, goal="throughput")
same("place", (sorted(found)[:2], how.optimal), ([0, 0], True))
raises(TypeError, lambda: o.place([{"size": 1}], devices, goal="latency"), "no option")
shares = o.shamir_split(o.asarray([5, 6], dtype="uint64"), 2, 4)
same("shamir_join", o.shamir_join(shares[1:3], [2, 3], 2).tolist(), [5, 6])
raises(ValueError, lambda: o.shamir_join(shares[1:3], [2], 2), "elements")
bad = o.concat([shares[:1] + 1, shares[1:]])
secret, wrong = o.shamir_correct(bad, [1, 2, 3, 4], 2)
same("shamir_correct", (secret.tolist(), wrong), ([5, 6], [2, 0, 0, 0]))

# Structs that calls change.
p = o.plateau(factor=0.5, patience=1)
same("plateau", [p.lr(1.0, v) for v in (3.0, 3.0, 3.0)], [1.0, 1.0, 0.5])
same("its fields", (p.state().factor, p.state().best), (0.5, 3.0))
stop = o.early_stop({"patience": 1})
same("early_stop", [stop.update(v) for v in (1.0, 2.0, 2.0)], [False, False, True])
raises(TypeError, lambda: o.plateau(nothing=1))
raises(TypeError, lambda: o.plateau_lr(stop, 1.0, 1.0))
assert o.dp_defaults().clip >= 0

# Loaders.
loader = o.loader_new([o.arange(10), o.arange(20).reshape(10, 2)], batch=4)
seen = [[t.shape for t in batch] for batch in loader]
same("batches", (len(seen), len(loader), loader.arrays()), (len(loader), len(seen), 2))
same("a batch", seen[0], [(4,), (4, 2)])
same("the next epoch", len(list(loader)), len(seen))

# Callbacks of the call.
best = o.optimal_batch(lambda n: [o.ones((n, 4)).sum()], 8, 1 << 30)
if not 1 <= best.fastest <= best.largest <= 8:
    fail("optimal_batch: %r" % (best,))
raises(ZeroDivisionError, lambda: o.optimal_batch(lambda n: 1 / 0, 8, 1 << 30))
raises(TypeError, lambda: o.optimal_batch(lambda n: 5, 8, 1 << 30), "list")
net = o.sequential([o.dense(3, 2, "linear", "default")])
data, labels = o.ones((5, 3), dtype="float32"), o.asarray([0, 1, 0, 1, 0])
sums, norms = net.dp_clipped_grads(lambda y, t: o.dp_cross_entropy(y, t), data, labels, None, "flat", 1.0)
same("dp_clipped_grads", ([t.shape for t in sums], norms.shape), ([(3, 2), (2,)], (5,)))
carry, ys = o.scan(lambda c, v: (c + v, c * v), o.asarray(0.0), o.asarray([1.0, 2.0, 3.0]))
same("scan", (carry.item(), ys.tolist()), (6.0, [0.0, 2.0, 9.0]))
carry, ys = o.scan(lambda c, v: ([c[0] * 2], None), [o.asarray(1.0)], None, steps=5, reverse=True)
same("scan without inputs", (carry[0].item(), ys), (32.0, None))

# Callbacks of threads of the library.
(o.asarray([1.0, 0.0]) / 0.0).eval()
heard("log_to", lines, lambda e: "functions.py" in e[1] and e[0] in range(4) and e[2] == "orrery")
kinds = []
raises(o.Error, lambda: o.devices_watch(1e9, lambda devices, changed: None))
o.devices_watch(0.05, lambda devices, changed: kinds.append((devices, changed)))
heard("devices_watch", kinds, lambda e: len(e[0]) > 0 and e[0][0].name and e[1] > 0)
o.devices_watch(0.05, None)
o.progress_to(lambda done, planned: None)
o.progress_to(None)
o.log_to(None)
raises(TypeError, lambda: o.log_to(3))
# The stubs have all names, and the tensor's operators.
folder = os.path.dirname(o.__file__)
with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as f:
    tree = ast.parse(f.read())
names = {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names} | {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
names = (names | {n.targets[0].id for n in tree.body if isinstance(n, ast.Assign)}) - {None}
public = {n for n in dir(o) if not n.startswith("_")} - {"STANDARD", "VERSION", "from_buffer", "from_bytes", "from_capsule", "init"}
if public - names or {n for n in names - public if not n.startswith("__")}:
    fail("the stubs of the package lack %s and have %s more" % (sorted(public - names), sorted(names - public)))
with open(os.path.join(folder, "_core.pyi"), encoding="utf-8") as f:
    tensor = next(n for n in ast.parse(f.read()).body if getattr(n, "name", None) == "Tensor")
of_stub = {n.name for n in tensor.body if isinstance(n, ast.FunctionDef)} | {n.target.id for n in tensor.body if isinstance(n, ast.AnnAssign)}
lacking = [n for n in dir(o.Tensor) if n.startswith("__") and n not in dir(object) and n not in of_stub and "array" not in n and "dlpack" not in n]
if set(lacking) - {"__copy__", "__deepcopy__", "__module__", "__release_buffer__", "__buffer__"}:
    fail("the stubs of Tensor lack %s" % lacking)
end()
