# Makes train.npz: learning rates of PyTorch's schedules, parameters after steps of AMSGrad, and of LAMB by its paper, f64.
# usage: python make_train.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
S = torch.optim.lr_scheduler
out = {}

def rates(name, make, steps):
    o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    s = make(o)
    lr = []
    for _ in range(steps):
        lr.append(o.param_groups[0]["lr"])
        o.step()
        s.step()
    out[name] = np.array(lr)

rates("step", lambda o: S.StepLR(o, 3, 0.4), 10)
rates("cosine", lambda o: S.CosineAnnealingLR(o, 8, 0.05), 9)
rates("one_cycle", lambda o: S.OneCycleLR(o, 0.5, total_steps=20), 20)
o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
plateau = S.ReduceLROnPlateau(o, factor=0.5, patience=2, min_lr=0.1)
losses, lr = [3, 2, 2, 2.1, 2, 1.9, 1.95, 2, 2, 2, 2, 2, 2, 2, 2, 2], []
for loss in losses:
    plateau.step(loss)
    lr.append(o.param_groups[0]["lr"])
out["losses"], out["plateau"] = np.array(losses, dtype=float), np.array(lr)

p0, target = torch.randn(4, 3), torch.randn(4, 3)
out["p"], out["target"] = p0.numpy(), target.numpy()
scale = torch.tensor([1.0, 10.0, 0.1])
loss = lambda p, k: ((p - target) * scale).square().sum() * (1 if k % 3 else 5)
p = p0.clone().requires_grad_(True)
o = torch.optim.Adam([p], lr=0.05, amsgrad=True)
for k in range(12):
    o.zero_grad()
    loss(p, k).backward()
    o.step()
out["amsgrad"] = p.detach().numpy()

p, m, v = p0.clone(), torch.zeros_like(p0), torch.zeros_like(p0)
for k in range(12):
    x = p.clone().requires_grad_(True)
    loss(x, k).backward()
    g, t = x.grad, k + 1
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    u = m / (1 - 0.9 ** t) / ((v / (1 - 0.999 ** t)).sqrt() + 1e-6) + 0.01 * p
    p = p - 0.05 * p.norm() / u.norm() * u
out["lamb"] = p.numpy()
np.savez("train.npz", **out)
