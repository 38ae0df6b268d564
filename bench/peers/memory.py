"""The cases of `orrery-bench peak-memory` for PyTorch.

Must not know: what it is compared with. Names, sizes and values are those of bench/memory_ours.c.
"""
import ctypes
import gc

BATCH, WIDTH, STEPS, CHAIN, SMALL, RATE, LENGTH = 8192, [784, 1024, 1024, 10], 3, 32, 64, 0.01, 1 << 24
ROWS, SIDE, LAYERS = 64, 2048, 3


def status(key):
    with open("/proc/self/status") as f:
        return next(1024 * int(line.split()[1]) for line in f if line.startswith(key))


def settle():
    """Free memory goes back to the system, as on our side before a measurement; the resident bytes that are left."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return status("VmRSS")


def forget_peak():
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")


def values(torch, m, n, scale):
    x = torch.remainder(torch.arange(m * n, dtype=torch.int32), 1021).to(torch.float32)
    return x.div_(1021).sub_(0.5).mul_(scale).reshape(m, n)


def train(torch, compiled, x, w, opt):
    total = 0.0

    def loss_of(x):
        for i, a in enumerate(w):
            x = torch.relu(x @ a) if i + 1 < len(w) else x @ a
        return (x * x).mean()

    if compiled:
        loss_of = torch.compile(loss_of, dynamic=False)
    for _ in range(STEPS):
        with torch.enable_grad():
            opt.zero_grad(set_to_none=True)
            loss = loss_of(x)
            loss.backward()
            opt.step()
        total += loss.item() / STEPS
    return total


def mlp(torch, compiled, scale):
    w = [torch.nn.Parameter(values(torch, a, b, 0.05)) for a, b in zip(WIDTH, WIDTH[1:])]
    return train(torch, compiled, values(torch, BATCH // scale, WIDTH[0], 1.0), w, torch.optim.SGD(w, lr=RATE))


def adam(torch, compiled, scale):
    n = SIDE // 8 if scale > 1 else SIDE
    w = [torch.nn.Parameter(values(torch, n, n, 0.05)) for _ in range(LAYERS)]
    return train(torch, compiled, values(torch, ROWS, n, 1.0), w, torch.optim.Adam(w))


def chain(torch, compiled, scale):
    def f(y):
        for i in range(CHAIN):
            y = y + 0.25 if i % 2 else y * 0.75
        return y

    with torch.no_grad():
        x = torch.full((LENGTH // scale,), 0.5)
        return (torch.compile(f) if compiled else f)(x).mean().item()


def peak(torch, compiled, name):
    """Bytes by which resident memory grew at most, after a run in small; and the checksum."""
    case = {"mlp": mlp, "adam": adam, "chain": chain}[name]
    case(torch, compiled, SMALL)
    before = settle()
    forget_peak()
    checksum = case(torch, compiled, 1)
    return status("VmHWM") - before, checksum
