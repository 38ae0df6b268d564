"""The cases of `orrery-bench network` for PyTorch and JAX, in f32: the same networks from values of their own.

Must not know: what it is compared with. Names and sizes are those of bench/networks.c.
"""

import numpy as np

import memory

BATCH = {"lenet5": (128, 1, 28, 28), "resnet18-32": (32, 3, 32, 32), "resnet18-224": (16, 3, 224, 224),
         "tiny-gpt": (8, 128), "bert-block": (8, 128, 768), "lstm": (32, 100, 256)}
LAYER = {"attention-8x8x256x64": [(8, 8, 256, 64)] * 3, "attention-1x12x1024x64-causal": [(1, 12, 1024, 64)] * 3,
         "batch-norm": [(32, 64, 56, 56), (64,), (64,)], "group-norm": [(32, 64, 56, 56), (64,), (64,)],
         "layer-norm": [(4096, 768), (768,), (768,)], "average-pool": [(32, 64, 56, 56)]}
CLASSES = {"lenet5": 10, "resnet18-32": 10, "resnet18-224": 1000, "tiny-gpt": 128}
RATE = 1e-4


def inputs(name, kind):
    shape = BATCH[name]
    shape = (1,) + shape[1:] if kind == "infer" else shape
    if name == "tiny-gpt":
        x = (np.arange(shape[0] * shape[1]) * 40503 % 128).reshape(shape)
        return x, x
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    return x, np.arange(shape[0]) * 40503 % CLASSES.get(name, 1)


# -- PyTorch ------------------------------------------------------------------------------------------------------------

def torch_net(torch, name):
    nn, F = torch.nn, torch.nn.functional

    def conv(a, b, k, s):
        return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b))

    class Block(nn.Module):
        def __init__(self, a, b, s):
            super().__init__()
            self.first, self.second = conv(a, b, 3, s), conv(b, b, 3, 1)
            self.shorter = conv(a, b, 1, s) if a != b else nn.Identity()

        def forward(self, x):
            return F.relu(self.second(F.relu(self.first(x))) + self.shorter(x))

    class Layer(nn.Module):
        """A transformer's block with an attention that PyTorch fuses."""

        def __init__(self, width, heads, hidden, causal, first):
            super().__init__()
            self.heads, self.causal, self.first = heads, causal, first
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.expand, self.contract = nn.Linear(width, hidden), nn.Linear(hidden, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

        def attend(self, x):
            q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
            return self.out(y.transpose(1, 2).flatten(2))

        def forward(self, x):
            if self.first:
                x = x + self.attend(self.norm1(x))
                return x + self.contract(F.gelu(self.expand(self.norm2(x))))
            x = self.norm1(x + self.attend(x))
            return self.norm2(x + self.contract(F.gelu(self.expand(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(128, 128), nn.Parameter(0.02 * torch.randn(128, 128))
            self.blocks = nn.Sequential(*(Layer(128, 4, 512, True, True) for _ in range(4)))
            self.norm, self.head = nn.LayerNorm(128), nn.Linear(128, 128, bias=False)

        def forward(self, x):
            return self.head(self.norm(self.blocks(self.tokens(x) + self.positions)))

    class Lstm(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTM(256, 256, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0]

    if name == "lenet5":
        return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                             nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                             nn.Linear(84, 10))
    if name.startswith("resnet18"):
        large = name.endswith("224")
        parts, a = [conv(3, 64, 7 if large else 3, 2 if large else 1), nn.ReLU()], 64
        if large:
            parts.append(nn.MaxPool2d(3, 2, 1))
        for k in range(4):
            for b in range(2):
                parts.append(Block(a, 64 << k, 2 if k and not b else 1))
                a = 64 << k
        return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, CLASSES[name]))
    return {"tiny-gpt": Gpt, "bert-block": lambda: Layer(768, 12, 3072, False, False), "lstm": Lstm}[name]()


def torch_layer(torch, name):
    F = torch.nn.functional
    return {"attention-8x8x256x64": lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
            "attention-1x12x1024x64-causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            "batch-norm": lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
            "group-norm": lambda x, w, b: F.group_norm(x, 8, w, b),
            "layer-norm": lambda x, w, b: F.layer_norm(x, (768,), w, b),
            "average-pool": lambda x: F.avg_pool2d(x, 3, 2)}[name]


def torch_once(torch, compiled, name, kind):
    wrap = (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f)
    if name in LAYER:
        x = [torch.randn(s) for s in LAYER[name]]
        f = torch_layer(torch, name)
        if kind == "forward":
            f = wrap(f)
            return lambda: f(*x)
        leaf = [t.requires_grad_() for t in x]
        g = wrap(lambda *x: f(*x).square().sum())

        def gradient():
            with torch.enable_grad():
                return torch.autograd.grad(g(*leaf), leaf)
        return gradient
    net = torch_net(torch, name)
    x, label = (torch.from_numpy(a) for a in inputs(name, kind))
    if kind == "infer":
        net.eval()
        f = wrap(net)

        def infer():
            with torch.inference_mode():
                return f(x)
        return infer
    opt = torch.optim.AdamW(net.parameters(), lr=RATE) if name == "tiny-gpt" else torch.optim.SGD(net.parameters(), lr=RATE)

    def loss_of():
        y = net(x)
        if name not in CLASSES:
            return y.square().mean()
        return torch.nn.functional.cross_entropy(y.flatten(0, -2), label.flatten())
    loss_of = wrap(loss_of)

    def step():
        with torch.enable_grad():
            opt.zero_grad(set_to_none=True)
            loss = loss_of()
            loss.backward()
            opt.step()
        return loss.item()
    return step


# -- JAX ----------------------------------------------------------------------------------------------------------------

def jax_net(jax, name):
    """Parameters, states, and f(parameters, states, x, training) → y, states."""
    jnp, lax, draw = jax.numpy, jax.lax, np.random.default_rng(2)

    def zeros(*shape):
        return jnp.zeros(shape, jnp.float32)

    def ones(n):
        return jnp.ones(n, jnp.float32)

    def normal(*shape):
        return jnp.asarray(draw.standard_normal(shape, np.float32) * 0.05)

    def window(x, w, s, pad):
        return lax.conv_general_dilated(x, w, (s, s), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))

    def dense(x, p):
        return x @ p[0] + p[1]

    def linear(a, b):
        return (normal(a, b), zeros(b))

    def pool(x, k, s, pad):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, k, k), (1, 1, s, s), ((0, 0), (0, 0), (pad, pad), (pad, pad)))

    if name == "lenet5":
        params = [(normal(6, 1, 5, 5), zeros(6, 1, 1)), (normal(16, 6, 5, 5), zeros(16, 1, 1)),
                  linear(400, 120), linear(120, 84), linear(84, 10)]

        def lenet(p, s, x, training):
            x = pool(jax.nn.relu(window(x, p[0][0], 1, 2) + p[0][1]), 2, 2, 0)
            x = pool(jax.nn.relu(window(x, p[1][0], 1, 0) + p[1][1]), 2, 2, 0).reshape(x.shape[0], -1)
            return dense(jax.nn.relu(dense(jax.nn.relu(dense(x, p[2])), p[3])), p[4]), s
        return params, [], lenet
    if name.startswith("resnet18"):
        large, params, states, plan, a = name.endswith("224"), [], [], [], 64

        def unit(a, b, k, s):
            params.append((normal(b, a, k, k), ones(b), zeros(b)))
            states.append((zeros(b), ones(b)))
            plan.append(s)
            return len(plan) - 1
        stem, blocks = unit(3, 64, 7 if large else 3, 2 if large else 1), []
        for k in range(4):
            for b in range(2):
                s = 2 if k and not b else 1
                blocks.append((unit(a, 64 << k, 3, s), unit(64 << k, 64 << k, 3, 1), unit(a, 64 << k, 1, s) if a != 64 << k else None))
                a = 64 << k
        params.append(linear(512, CLASSES[name]))

        def resnet(p, s, x, training):
            new = list(s)

            def apply(i, x):
                w, gain, bias = p[i]
                y = window(x, w, plan[i], w.shape[2] // 2)
                mean, var = s[i]
                if training:
                    mean, var = y.mean((0, 2, 3)), y.var((0, 2, 3))
                    new[i] = (0.9 * s[i][0] + 0.1 * mean, 0.9 * s[i][1] + 0.1 * var)
                scale = gain * lax.rsqrt(var + 1e-5)
                return y * scale[:, None, None] + (bias - mean * scale)[:, None, None]
            x = jax.nn.relu(apply(stem, x))
            x = pool(x, 3, 2, 1) if large else x
            for first, second, shorter in blocks:
                y = apply(second, jax.nn.relu(apply(first, x)))
                x = jax.nn.relu(y + (x if shorter is None else apply(shorter, x)))
            return dense(x.mean((2, 3)), p[-1]), new
        return params, states, resnet

    def norm(x, p):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p[0] + p[1]

    def layer(width, hidden):
        return {"qkv": linear(width, 3 * width), "out": linear(width, width), "expand": linear(width, hidden),
                "contract": linear(hidden, width), "norm1": (ones(width), zeros(width)),
                "norm2": (ones(width), zeros(width))}

    def block(p, x, heads, causal, first):
        def attend(x):
            q, k, v = (t.reshape(*t.shape[:2], heads, -1) for t in jnp.split(dense(x, p["qkv"]), 3, -1))
            return dense(jax.nn.dot_product_attention(q, k, v, is_causal=causal).reshape(x.shape), p["out"])

        def wide(x):
            return dense(jax.nn.gelu(dense(x, p["expand"]), approximate=False), p["contract"])
        if first:
            x = x + attend(norm(x, p["norm1"]))
            return x + wide(norm(x, p["norm2"]))
        x = norm(x + attend(x), p["norm1"])
        return norm(x + wide(x), p["norm2"])

    if name == "tiny-gpt":
        params = {"tokens": normal(128, 128), "positions": normal(128, 128), "blocks": [layer(128, 512) for _ in range(4)],
                  "norm": (ones(128), zeros(128)), "head": normal(128, 128)}

        def gpt(p, s, x, training):
            h = p["tokens"][x] + p["positions"]
            for b in p["blocks"]:
                h = block(b, h, 4, True, True)
            return norm(h, p["norm"]) @ p["head"], s
        return params, [], gpt
    if name == "bert-block":
        return layer(768, 3072), [], lambda p, s, x, training: (block(p, x, 12, False, False), s)
    params = (normal(256, 1024), normal(256, 1024), zeros(1024))

    def lstm(p, s, x, training):
        inside = jnp.swapaxes(x @ p[0] + p[2], 0, 1)

        def cell(carry, a):
            h, c = carry
            i, f, g, o = jnp.split(a + h @ p[1], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = zeros(x.shape[0], 256)
        return jnp.swapaxes(lax.scan(cell, (zero, zero), inside)[1], 0, 1), s
    return params, [], lstm


def jax_layer(jax, name):
    jnp = jax.numpy

    def scaled(x, w, b, axes, shape):
        mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + 1e-5), w.reshape(shape), b.reshape(shape)

    def attention(causal):
        def f(q, k, v):
            y = jax.nn.dot_product_attention(*(jnp.swapaxes(t, 1, 2) for t in (q, k, v)), is_causal=causal)
            return jnp.swapaxes(y, 1, 2)
        return f

    def batch(x, w, b):
        y, w, b = scaled(x, w, b, (0, 2, 3), (-1, 1, 1))
        return y * w + b

    def group(x, w, b):
        y, w, b = scaled(x.reshape(32, 8, 8, 56, 56), w, b, (2, 3, 4), (-1, 1, 1))
        return y.reshape(x.shape) * w + b

    def rows(x, w, b):
        y, w, b = scaled(x, w, b, (1,), (-1,))
        return y * w + b

    def average(x):
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 3, 3), (1, 1, 2, 2), "VALID") / 9
    return {"attention-8x8x256x64": attention(False), "attention-1x12x1024x64-causal": attention(True), "batch-norm": batch,
            "group-norm": group, "layer-norm": rows, "average-pool": average}[name]


def jax_once(jax, name, kind):
    jnp, wait = jax.numpy, jax.block_until_ready
    if name in LAYER:
        draw = np.random.default_rng(1)
        x = [jnp.asarray(draw.standard_normal(s, np.float32)) for s in LAYER[name]]
        f = jax_layer(jax, name)
        if kind == "gradient":
            f = jax.grad(lambda *x, f=f: jnp.sum(jnp.square(f(*x))), argnums=tuple(range(len(x))))
        f = jax.jit(f)
        return lambda: wait(f(*x))
    params, states, net = jax_net(jax, name)
    x, label = (jnp.asarray(a) for a in inputs(name, kind))
    if kind == "infer":
        f = jax.jit(lambda p, s, x: net(p, s, x, False)[0])
        return lambda: wait(f(params, states, x))
    adam = name == "tiny-gpt"

    def loss_of(p, s):
        y, s = net(p, s, x, True)
        if name not in CLASSES:
            return jnp.mean(jnp.square(y)), s
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(y), label[..., None], axis=-1)), s

    def update(state):
        p, s, m, v, t = state
        (loss, s), g = jax.value_and_grad(loss_of, has_aux=True)(p, s)
        t = t + 1
        if adam:
            m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
            v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
            rate, root = RATE / (1 - 0.9**t), jnp.sqrt(1 - 0.999**t)
            p = jax.tree.map(lambda p, a, b: p * (1 - 0.01 * RATE) - rate * a / (jnp.sqrt(b) / root + 1e-8), p, m, v)
        else:
            p = jax.tree.map(lambda p, b: p - RATE * b, p, g)
        return (p, s, m, v, t), loss
    zeros = jax.tree.map(jnp.zeros_like, params) if adam else ()
    update = jax.jit(update, donate_argnums=0)
    state = [(params, states, zeros, jax.tree.map(jnp.copy, zeros), jnp.float32(0))]

    def step():
        state[0], loss = update(state[0])
        return float(loss)
    return step


def peak(torch, compiled, name):
    """Bytes by which resident memory grew at most in three calls, after those of LeNet-5; and no checksum."""
    def calls(name, kind):
        once = torch_once(torch, compiled, name, kind)
        for _ in range(3):
            once()
    calls("lenet5", "train")
    before = memory.settle()
    memory.forget_peak()
    calls(*name[8:].split("/"))
    return memory.status("VmHWM") - before, 0


def prepared(once):
    """The function, after two calls, which compile."""
    for _ in range(2):
        once()
    return 0.0, once
