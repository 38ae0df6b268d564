"""The cases of `orrery-bench privacy` for NumPy, JAX and Opacus: noise, and a private training step.

Must not know: what it is compared with. Network, sizes and rates are those of bench/private_dp.c; a batch has as many
examples as ours has on average.
"""
import itertools

import numpy as np

import train

BATCH, WIDTH, CLIP, SIGMA, RATE = 256, [784, 512, 256, 10], 1.0, 1.1, 1e-4


def batches():
    x, y = train.batches(100)
    x, y = x.reshape(-1, 784), y.reshape(-1)
    n = len(x) // BATCH
    return x[:n * BATCH].reshape(n, BATCH, 784), y[:n * BATCH].reshape(n, BATCH)


def numpy_noise(name, n):
    rng = np.random.default_rng(1)
    if name == "gaussian":
        return lambda: rng.standard_normal(n, dtype=np.float32)
    return lambda: rng.laplace(size=n).astype(np.float32)


def jax_noise(jax, name, n):
    draw = jax.jit(lambda key: (jax.random.normal if name == "gaussian" else jax.random.laplace)(key, (n,)))
    keys = (jax.random.key(i) for i in itertools.count())
    return lambda: jax.block_until_ready(draw(next(keys)))


def torch_noise(torch, name, n):
    if name == "gaussian":
        return lambda: torch.randn(n)
    zero, one = torch.zeros(n), torch.ones(n)
    return lambda: torch.distributions.Laplace(zero, one).sample()


def dense_layers(torch):
    layers = []
    for w, b in train.start_values(WIDTH):
        layer = torch.nn.Linear(*w.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(w).T)
            layer.bias.copy_(torch.from_numpy(b))
        layers += [layer, torch.nn.ReLU()]
    return layers[:-1]


def convolutions(torch):
    nn = torch.nn
    return [nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 16, 8, 2, padding=3), nn.ReLU(), nn.MaxPool2d(2, 1),
            nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.MaxPool2d(2, 1), nn.Flatten(), nn.Linear(512, 32), nn.ReLU(),
            nn.Linear(32, 10)]


def opacus_step(torch, name):
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    layers = convolutions(torch) if name.endswith("-cnn") else dense_layers(torch)
    net = GradSampleModule(torch.nn.Sequential(*layers))
    opt = DPOptimizer(torch.optim.Adam(net.parameters(), lr=RATE), noise_multiplier=SIGMA, max_grad_norm=CLIP,
                      expected_batch_size=BATCH)
    xs, ys = (torch.from_numpy(a) for a in batches())
    count = itertools.count()

    def once():
        i = next(count) % len(xs)
        with torch.enable_grad():
            opt.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(net(xs[i]), ys[i])
            loss.backward()
            opt.step()
        return loss.item()

    return once


def jax_step(jax, name):
    if name.endswith("-cnn"):
        raise ValueError("the network of convolutions is for Opacus")
    jnp = jax.numpy
    params = [(jnp.asarray(w), jnp.asarray(b)) for w, b in train.start_values(WIDTH)]
    xs, ys = batches()
    xs, ys = [jnp.asarray(x) for x in xs], [jnp.asarray(y.astype(np.int32)) for y in ys]
    zeros = jax.tree.map(jnp.zeros_like, params)

    def loss_of(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        return -jax.nn.log_softmax(x @ params[-1][0] + params[-1][1])[y]

    def update(state, key, x, y):
        params, m, v, t = state
        losses, g = jax.vmap(jax.value_and_grad(loss_of), (None, 0, 0))(params, x, y)
        leaves, tree = jax.tree.flatten(g)
        norm = jnp.sqrt(sum(jnp.sum(a.reshape(BATCH, -1) ** 2, 1) for a in leaves))
        factor = jnp.minimum(1.0, CLIP / norm)
        keys = jax.random.split(key, len(leaves))
        g = tree.unflatten([(jnp.tensordot(factor, a, 1) + SIGMA * CLIP * jax.random.normal(k, a.shape[1:])) / BATCH
                            for k, a in zip(keys, leaves)])
        t = t + 1
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
        rate, root = RATE / (1 - 0.9**t), jnp.sqrt(1 - 0.999**t)
        params = jax.tree.map(lambda p, a, b: p - rate * a / (jnp.sqrt(b) / root + 1e-8), params, m, v)
        return (params, m, v, t), jnp.mean(losses)

    update = jax.jit(update, donate_argnums=0)
    state = [(params, zeros, jax.tree.map(jnp.zeros_like, params), jnp.float32(0))]
    count = itertools.count()

    def once():
        i = next(count)
        state[0], loss = update(state[0], jax.random.key(i), xs[i % len(xs)], ys[i % len(xs)])
        return float(loss)

    return once


def prepared(once):
    for _ in range(3):
        once()
    return 0.0, once
