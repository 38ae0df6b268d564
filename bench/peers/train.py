"""The training cases of `orrery-bench train` for JAX, PyTorch and Orrery's own Python: same network, data and start values.

Must not know: what it is compared with. Names, sizes and rates are those of bench/train_ours.c.
"""
import gzip
import itertools
import os

import numpy as np

STEPS, DATA = 100, "/usr/share/datasets/fashion-mnist"
CASES = {
    "mnist5": ([784, 256, 256, 256, 256, 10], 100, "sgd", 0.01),
    "mlp": ([784, 512, 256, 10], 128, "adam", 1e-4),
    "small": ([784, 32, 10], 16, "adam", 1e-4),
}


def fill(n, which, lo, hi):
    """Values in [lo, hi) from a hash of their index (lowbias32, Wellons 2018)."""
    with np.errstate(over="ignore"):
        h = np.arange(n, dtype=np.uint32) + np.uint32(1000003 * (which + 1))
        h = (h ^ h >> np.uint32(16)) * np.uint32(0x7FEB352D)
        h = (h ^ h >> np.uint32(15)) * np.uint32(0x846CA68B)
    h ^= h >> np.uint32(16)
    lo, hi = np.float32(lo), np.float32(hi)
    return lo + (hi - lo) * ((h >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24))


def batches(batch):
    """Images as f32 in 0 … 1, labels; STEPS batches of each."""
    n = STEPS * batch
    if os.access(f"{DATA}/train-images-idx3-ubyte.gz", os.R_OK):
        with gzip.open(f"{DATA}/train-images-idx3-ubyte.gz") as f:
            x = np.frombuffer(f.read(16 + n * 784), np.uint8, offset=16).astype(np.float32) / np.float32(255)
        with gzip.open(f"{DATA}/train-labels-idx1-ubyte.gz") as f:
            y = np.frombuffer(f.read(8 + n), np.uint8, offset=8).astype(np.int64)
    else:
        x, y = fill(n * 784, 0, 0, 1), np.arange(n) % 10
    return x.reshape(STEPS, batch, 784), y.reshape(STEPS, batch)


def start_values(width):
    for i, (a, b) in enumerate(itertools.pairwise(width)):
        limit = np.sqrt(np.float32(6) / np.float32(a))
        yield fill(a * b, i, -limit, limit).reshape(a, b), np.zeros(b, np.float32)


def torch_step(torch, compiled, name):
    width, batch, how, lr = CASES[name]
    layers = []
    for w, b in start_values(width):
        layer = torch.nn.Linear(*w.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(w).T)
            layer.bias.copy_(torch.from_numpy(b))
        layers += [layer, torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers[:-1])
    kind = torch.optim.Adam if how == "adam" else torch.optim.SGD
    opt = kind(net.parameters(), lr=lr)
    x, y = (torch.from_numpy(a) for a in batches(batch))

    def loss_of(a, b):
        return torch.nn.functional.cross_entropy(net(a), b)

    if compiled:
        loss_of = torch.compile(loss_of, dynamic=False)

    def step(i):
        with torch.enable_grad():
            opt.zero_grad(set_to_none=True)
            loss = loss_of(x[i], y[i])
            loss.backward()
            opt.step()
        return loss.item()

    return step


def orrery_step(o, name):
    width, batch, how, lr = CASES[name]
    sizes = list(itertools.pairwise(width))
    net = o.sequential([o.dense(a, b, "relu" if i < len(sizes) - 1 else "linear", "default") for i, (a, b) in enumerate(sizes)])
    start = [v for pair in start_values(width) for v in pair]
    for (_, p), v in zip(net.parameters(), start, strict=True):
        o.assign(p, o.asarray(v))
    opt = (o.Adam if how == "adam" else o.SGD)(net, lr=lr)
    xs, ys = ([o.asarray(a[i]) for i in range(STEPS)] for a in batches(batch))

    def step(i):
        loss = o.cross_entropy(net(xs[i]), ys[i])
        opt.step(loss)
        return loss.item()

    return step


def jax_step(jax, name):
    jnp = jax.numpy
    width, batch, how, lr = CASES[name]
    params = [(jnp.asarray(w), jnp.asarray(b)) for w, b in start_values(width)]
    xs, ys = batches(batch)
    xs, ys = [jnp.asarray(x) for x in xs], [jnp.asarray(y.astype(np.int32)) for y in ys]
    zeros = jax.tree.map(jnp.zeros_like, params)

    def loss_of(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        logits = x @ params[-1][0] + params[-1][1]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=-1))

    def update(state, x, y):
        params, m, v, t = state
        loss, g = jax.value_and_grad(loss_of)(params, x, y)
        t = t + 1
        if how == "adam":
            m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
            v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
            rate, root = lr / (1 - 0.9**t), jnp.sqrt(1 - 0.999**t)
            params = jax.tree.map(lambda p, a, b: p - rate * a / (jnp.sqrt(b) / root + 1e-8), params, m, v)
        else:
            params = jax.tree.map(lambda p, b: p - lr * b, params, g)
        return (params, m, v, t), loss

    update = jax.jit(update, donate_argnums=0)
    state = [(params, zeros, jax.tree.map(jnp.zeros_like, params), jnp.float32(0))]

    def step(i):
        state[0], loss = update(state[0], xs[i], ys[i])
        return float(loss)

    return step


def prepared(step):
    """STEPS steps from the start values; the mean of their losses, and a call for each step after."""
    losses = [step(i) for i in range(STEPS)]
    count = itertools.count()
    return sum(losses) / STEPS, lambda: step(next(count) % STEPS)
