"""A loop that keeps nothing keeps its memory: a training step, a slice of a new shape, a planned function, a gradient, a lent
array, a thread, and two wrong calls a round. ORR_TEST_SECONDS, 4; with ORR_TEST_FULL an hour."""
import array
import os
import threading
import time

from check import end, fail, o

FULL = bool(os.environ.get("ORR_TEST_FULL"))
SECONDS = float(os.environ.get("ORR_TEST_SECONDS", "3600" if FULL else "4"))
READINGS = 60
WARM = 12      # readings before the first that counts: kernels are compiled, pools and models fill
GROWTH = 8192 if SECONDS > 600 else 32768  # KiB: in an hour a quarter of a byte a round; in seconds kernels and pools still come on a busy machine


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10


net = o.sequential([o.dense(4, 16, "tanh", "default"), o.dense(16, 1, "linear", "default")])
adam = o.Adam(net, lr=0.01)
batch, target, long = o.random.normal(shape=(8, 4)), o.zeros((8, 1)), o.random.normal(shape=(64, 64))
planned = o.function(lambda x: o.exp(-x * x).sum(axis=0))


def refused(call):
    try:
        call()
    except (o.Error, TypeError, ValueError):
        return
    fail("a wrong call passes")


def one(n):
    loss = ((net(batch) - target) ** 2).mean()
    adam.step(loss)
    loss.eval()
    part = long[n % 60:n % 60 + 1 + n % 4, :1 + n % 63]
    if part.shape != (1 + n % 4, 1 + n % 63):
        fail("shape of a part: %s" % (part.shape,))
    part.sum().item()
    planned(part if n % 16 == 0 else long).eval()
    x = o.asarray(array.array("d", [1.0 + n % 3] * 8))
    if o.grad(lambda v: (v * v).sum())(x)[1].item() != 2.0 * (1 + n % 3):
        fail("a gradient is wrong in round %d" % n)
    refused(lambda: o.ones((2, 3)) + o.ones((4,)))
    refused(lambda: o.ones(3).reshape((2, 2)))


start, rounds, sizes = time.monotonic(), 0, []
while len(sizes) < READINGS:
    if rounds % 256 == 255:
        thread = threading.Thread(target=one, args=(rounds,))
        thread.start()
        thread.join()
    else:
        one(rounds)
    rounds += 1
    if time.monotonic() - start > SECONDS * (len(sizes) + 1) / READINGS:
        sizes.append(resident())
        if FULL:
            print("%6.0f s, %9d rounds, %d KiB" % (time.monotonic() - start, rounds, sizes[-1]), flush=True)
print("%d rounds, %d KiB after a fifth of the time, %d at the end" % (rounds, sizes[WARM], sizes[-1]))
if max(sizes[WARM:]) > sizes[WARM] + GROWTH:
    fail("the process grows: KiB %s" % sizes)
end()
