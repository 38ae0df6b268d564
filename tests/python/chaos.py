"""Random calls of all functions, methods and operators, with wrong types, shapes and dead objects, from threads and around forks:
exceptions only, and memory stays flat. ORR_TEST_CALLS calls, ORR_TEST_SEED; with ORR_TEST_FULL a million."""
import faulthandler
import itertools
import operator
import os
import random
import resource
import sys
import tempfile
import threading
import time
import traceback

os.environ.setdefault("ORRERY_MEMORY_LIMIT", "256M")  # random lengths ask for more than a machine has
from check import end, fail, o  # noqa: E402

FULL = bool(os.environ.get("ORR_TEST_FULL"))
CALLS = int(os.environ.get("ORR_TEST_CALLS", "1000000" if FULL else "6000"))
SEED = int(os.environ.get("ORR_TEST_SEED", str(random.randrange(10**6)) if FULL else "43"))
MOST = 4 << 30  # bytes of the process: one call gets an exception, not the machine's memory
faulthandler.enable()
os.chdir(tempfile.mkdtemp())  # functions that save take random names
# Functions that wait for others, or whose work is long by its nature.
SKIPPED = {"device_memory", "machine_measure", "cache_clear", "perfmodel_clear", "init", "pause", "paillier_generate", "checkpoint_catch",
           "notes", "log_to", "progress_to", "devices_watch", "optimal_batch", "seed", "warmup", "from_capsule", "cancellable_begin"}
# With something of Orrery among the operands: 2**70 ** 2**31 and [1, 2] * 2**31 are Python's own work, and take 19 and 34 GB.
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.pow, operator.eq, operator.lt,
             operator.and_, operator.lshift, operator.getitem, operator.neg, operator.invert, len, bool, float, int, repr, hash,
             lambda x: list(itertools.islice(x, 100))]


def callables(space):
    names = [n for n in dir(space) if not n.startswith("_") and n not in SKIPPED]
    return [getattr(space, n) for n in names if callable(getattr(space, n)) and not isinstance(getattr(space, n), type)]


def dead_module():
    lent = []
    o.module_new("own", lambda m, xs: lent.append(m) or xs[0])(o.ones(2)).eval()
    return lent[0]


def handles():
    net = o.sequential([o.dense(2, 2, "relu", "default"), o.dropout_layer(0.5)])
    x = o.placeholder("float64", (2,))
    return [net, o.dense(2, 2, "tanh", "default"), o.Adam(net, lr=0.1), o.SGD([o.variable(o.ones(2))]), dead_module(),
            o.graph_build([x], [x + 1]), o.loader_new([o.ones((4, 2))], batch=2), o.plateau(patience=1),
            o.eval_async([o.ones(3) + 1]), o.average_new(net, 0.9)]


TARGETS = callables(o._core) * 2 + callables(o) + callables(o.linalg) + callables(o.fft) + callables(o.random) + OPERATORS * 20
OWN = tuple({type(h) for h in handles()} | {o.Tensor, type(o.float32)})
METHODS = {t: callables(t) for t in {type(h) for h in handles()} | {o.Tensor}}
MAKERS = [lambda r: None, lambda r: r.choice([0, 1, -1, 2, 3, 2**31, 2**70, -(2**63)]), lambda r: r.choice([0.5, -2.0, float("nan"), float("inf")]),
          lambda r: 1j, lambda r: r.choice(["a", "float32", "ij,jk->ik", "mean", "\0", "ü"]), lambda r: b"ab", lambda r: bytearray(16),
          lambda r: r.choice([(), (0,), (2, 3), [1, 2], [2, -1], [1.5], [True, False]]), lambda r: {"lr": 1}, lambda r: object(),
          lambda r: (lambda *a: a[0]), lambda r: (lambda *a: 1 / 0), lambda r: r.choice([o.float32, o.int8, o.bool, o.complex64]),
          lambda r: slice(None, None, r.choice([1, -1, 2, 0])), lambda r: Ellipsis]
SHAPES = [(), (0,), (2,), (3,), (2, 2), (2, 3), (0, 3), (1, 2, 2), (1, 2, 4, 4)]
KINDS = "bool int8 int64 uint8 float16 bfloat16 float32 float64 complex64 complex128".split()


class Caller:
    def __init__(self, seed):
        self.r, self.kept = random.Random(seed), []
        self.renew()

    def renew(self):
        self.kept = []  # a variable's new value that does not fit into memory is tried again by each evaluation
        self.kept = handles()

    def thing(self):
        k = self.r.random()
        if k < 0.4:
            return o.astype(o.full(self.r.choice(SHAPES), self.r.choice([0, 1, 3])), self.r.choice(KINDS))
        if k < 0.6:
            return self.r.choice(self.kept)
        if k < 0.65:
            return [self.thing() for _ in range(self.r.randrange(3))]
        return self.r.choice(MAKERS)(self.r)

    def one(self):
        f, args = self.r.choice(TARGETS), [self.thing() for _ in range(self.r.randrange(5))]
        if f in OPERATORS and not any(isinstance(a, OWN) for a in args):
            args[:1] = [self.r.choice(self.kept)]
        if args and type(args[0]) in METHODS and self.r.random() < 0.6:
            f = self.r.choice(METHODS[type(args[0])])
        kw = {self.r.choice(["axis", "dtype", "k", "options", "lr", "keepdims"]): self.thing()} if self.r.random() < 0.1 else {}
        try:
            v = f(*args, **kw)
            if self.r.random() < 0.3:
                repr(v) if self.r.random() < 0.3 else v.eval()
            if isinstance(v, o.Tensor) and v.size < 100 or type(v) in METHODS:
                self.kept[self.r.randrange(len(self.kept))] = v
        except (SystemError, AssertionError) as e:
            fail("%s%r raises %s: %s" % (getattr(f, "__name__", f), args, type(e).__name__, e))
        except Exception:  # noqa: BLE001
            pass

    def run(self, n):
        try:
            for k in range(n):
                self.one()
                if k % 500 == 499:
                    self.renew()
        except Exception:  # noqa: BLE001
            fail("a thread ends: " + traceback.format_exc())


def forked():
    """A child gets an exception or an answer from each call, and ends."""
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        c = Caller.__new__(Caller)
        c.r, c.kept = random.Random(SEED), [None]
        for _ in range(20):
            try:
                c.one()
            except BaseException:  # noqa: BLE001
                pass
        os._exit(7)
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            if os.waitstatus_to_exitcode(status) != 7:
                fail("a forked child ends with %d" % os.waitstatus_to_exitcode(status))
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    fail("a forked child hangs")


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10


if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer's shadow is of terabytes
    resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST))
print("seed %d, %d calls" % (SEED, CALLS))
callers = [Caller(SEED + k) for k in range(3)]
rounds, sizes = max(4, CALLS // 30000), []
for n in range(rounds):
    faulthandler.dump_traceback_later(240, exit=True)  # a hang
    threads = [threading.Thread(target=c.run, args=(CALLS // rounds // 3,)) for c in callers]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    faulthandler.cancel_dump_traceback_later()  # its thread would be missed in a forked process
    forked()
    for c in callers:
        c.renew()
    sizes.append(resident())
    if FULL:
        print("%d calls, %d KiB" % (CALLS // rounds * (n + 1), sizes[-1]), flush=True)
if FULL and sizes[-1] > 1.1 * sizes[len(sizes) // 2]:
    fail("the process grows: KiB %s" % sizes)
if (o.ones(3) + 1).sum().item() != 6.0:
    fail("a sum is wrong after all")
sys.stdout.flush()
end()
