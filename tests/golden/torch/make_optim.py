# Makes optim.inc: parameters of a small network after 1 and 20 steps of PyTorch's optimisers.
# usage: python make_optim.py > optim.inc      (made with PyTorch 1.13.1, CPU)
import torch

def ramp(n, a, m, scale):
    return [((i * a) % m - m // 2) * scale for i in range(n)]

def problem(dtype):
    t = lambda v, *s: torch.tensor(v, dtype=dtype).reshape(*s)
    x = t(ramp(18, 7, 11, 0.25), 6, 3)
    y = torch.tensor([0, 1, 1, 0, 1, 0])
    p = [t(ramp(15, 5, 13, 0.125), 3, 5), t(ramp(5, 3, 7, 0.0625), 5),
         t(ramp(10, 7, 9, 0.25), 5, 2), t([0.125, -0.25], 2)]
    return x, y, [v.clone().requires_grad_(True) for v in p]

o = torch.optim
cases = [
    ("sgd", lambda p: o.SGD(p, lr=0.1), 0),
    ("sgd_decay", lambda p: o.SGD(p, lr=0.1, weight_decay=0.05), 0),
    ("sgd_momentum", lambda p: o.SGD(p, lr=0.05, momentum=0.9), 0),
    ("sgd_dampened", lambda p: o.SGD(p, lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01), 0),
    ("sgd_nesterov", lambda p: o.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01), 0),
    ("adam", lambda p: o.Adam(p, lr=0.01), 0),
    ("adam_decay", lambda p: o.Adam(p, lr=0.02, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.1), 0),
    ("adamw", lambda p: o.AdamW(p, lr=0.01, weight_decay=0.1), 0),
    ("rmsprop", lambda p: o.RMSprop(p, lr=0.01), 0),
    ("rmsprop_all", lambda p: o.RMSprop(p, lr=0.01, alpha=0.9, momentum=0.5, centered=True, weight_decay=0.05), 0),
    ("adagrad", lambda p: o.Adagrad(p, lr=0.05), 0),
    ("adagrad_all", lambda p: o.Adagrad(p, lr=0.05, lr_decay=0.1, weight_decay=0.05,
                                        initial_accumulator_value=0.2, eps=1e-8), 0),
    ("adam_clipped", lambda p: o.Adam(p, lr=0.01), 0.25),
    ("sgd_clipped", lambda p: o.SGD(p, lr=0.1), 0.25),
]

print("/* Made by make_optim.py with PyTorch", torch.__version__ + ": parameters w1, b1, w2, b2 after `step` steps. */")
for name, make, clip in cases:
    for dtype, dt in ((torch.float64, "ORR_F64"), (torch.float32, "ORR_F32")):
        x, y, p = problem(dtype)
        opt = make(p)
        for step in range(1, 21):
            opt.zero_grad()
            h = torch.tanh(x @ p[0] + p[1])
            torch.nn.functional.cross_entropy(h @ p[2] + p[3], y).backward()
            if clip:
                torch.nn.utils.clip_grad_norm_(p, clip)
            opt.step()
            if step in (1, 20):
                v = [u for q in p for u in q.detach().reshape(-1).tolist()]
                text = [("%.17g" if dtype == torch.float64 else "%.9g") % u for u in v]
                lines = [", ".join(text[i:i + 6]) for i in range(0, len(text), 6)]
                print('{ "%s", %s, %d, {\n    %s } },' % (name, dt, step, ",\n    ".join(lines)))
