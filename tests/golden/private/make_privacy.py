# Makes account.inc: divergences by numerical integration (mpmath), ε by Opacus and by the privacy loss distributions of
# dp-accounting, exact Gaussians (mpmath); and clipped.inc: per-example clipped gradients by PyTorch and Opacus.
# usage: python make_privacy.py     (made with mpmath 1.4.1, Opacus 1.6.0, dp-accounting 0.6.0, PyTorch 2.15.0)
#
# Opacus' divergences of fractional orders are not used by themselves: a value is printed only when integration agrees.
import os
import sys
import warnings
warnings.filterwarnings("ignore")
import mpmath as mp
from dp_accounting.pld import privacy_loss_distribution as pld
from opacus.accountants.analysis import rdp as opacus

mp.mp.dps = 40
ORDERS = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))


def num(x):
    return "%.17g" % float(x)


def sampled(q, sigma, alpha):
    """Rényi divergence of the sampled Gaussian, by integration of its definition."""
    q, s, a = mp.mpf(q), mp.mpf(sigma), mp.mpf(alpha)
    density = lambda z: mp.exp(-z * z / (2 * s * s)) / (s * mp.sqrt(2 * mp.pi))
    f = lambda z: density(z) * ((1 - q) + q * mp.exp((2 * z - 1) / (2 * s * s))) ** a
    cuts = [-30 * s + k * s for k in range(int(30 + a / s + 31))]
    return mp.log(mp.quad(f, cuts)) / (a - 1)


def laplace(b, alpha):
    b, a = mp.mpf(b), mp.mpf(alpha)
    f = lambda x: mp.exp(-a * abs(x) / b + (a - 1) * abs(x - 1) / b) / (2 * b)
    return mp.log(mp.quad(f, [-mp.inf, -8, 0, 1, 9, mp.inf])) / (a - 1)


FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.stdout = open(os.path.join(FOLDER, "account.inc"), "w")
print("/* Made by make_privacy.py. */")
print("static const struct { double q, sigma, alpha, rdp; } sampled_rdp[] = {")
for q, sigma in ((0.04, 1.5), (256 / 60000, 1.1), (0.01, 4), (0.1, 2), (0.5, 0.7), (0.001, 1), (0.02, 0.5), (0.3, 10)):
    for alpha in (1.1, 1.5, 2, 2.5, 3, 5.7, 10.9, 12, 32, 63):
        print("    { %s, %s, %s, %s }," % (num(q), num(sigma), num(alpha), num(sampled(q, sigma, alpha))))
print("};")

print("static const struct { double b, alpha, rdp; } laplace_rdp[] = {")
for b in (0.5, 1, 3):
    for alpha in (1.1, 2, 4.5, 20):
        print("    { %s, %s, %s }," % (num(b), num(alpha), num(laplace(b, alpha))))
print("};")

cases = [(.04, 1.5, 2250, 1e-5), (.01, 4, 10000, 1e-5), (256 / 60000, 1.1, 14062, 1e-5), (.01, 1.1, 1000, 1e-5),
         (.001, 1, 10000, 1e-6), (.1, 2, 100, 1e-5), (1, 5, 10, 1e-5), (.02, .6, 50, 1e-5), (.25, 3, 400, 1e-7)]
print("static const struct { double q, sigma; long times; double delta, rdp, pld; } sampled_epsilon[] = {")
for q, sigma, times, delta in cases:
    rdp = opacus.compute_rdp(q=q, noise_multiplier=sigma, steps=times, orders=ORDERS)
    eps, order = opacus.get_privacy_spent(orders=ORDERS, rdp=rdp, delta=delta)
    one = float(sampled(q, sigma, order)) if q < 1 else order / (2 * sigma ** 2)
    assert abs(times * one - rdp[ORDERS.index(order)]) < 1e-9 * times * one, (q, sigma, order)
    p = pld.from_gaussian_mechanism(sigma, sampling_prob=q, value_discretization_interval=1e-4,
                                    use_connect_dots=True).self_compose(times)
    print("    { %s, %s, %d, %s, %s, %s }," % (num(q), num(sigma), times, num(delta), num(eps),
                                                num(p.get_epsilon_for_delta(delta))))
print("};")

print("static const struct { double q, b; long times; double delta, pld; } laplace_epsilon[] = {")
for q, b, times, delta in ((1, 1, 1, 1e-5), (1, 2, 10, 1e-5), (.1, 1, 50, 1e-6), (.01, .5, 500, 1e-5)):
    p = pld.from_laplace_mechanism(b, sampling_prob=q, value_discretization_interval=1e-4).self_compose(times)
    print("    { %s, %s, %d, %s, %s }," % (num(q), num(b), times, num(delta), num(p.get_epsilon_for_delta(delta))))
print("};")

print("static const struct { double sigma, epsilon, delta; } exact_gaussian[] = {")
phi = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
for sigma in (0.5, 5 / mp.sqrt(10), 1, 3, 20):
    for epsilon in (0, 0.1, 1, 2.594383381, 8):
        s, e = mp.mpf(sigma), mp.mpf(epsilon)
        d = phi(1 / (2 * s) - e * s) - mp.exp(e) * phi(-1 / (2 * s) - e * s)
        print("    { %s, %s, %s }," % (num(s), num(e), num(d)))
print("};")

# -- per-example clipped gradients: a loop over examples, and Opacus' hooks where they agree ------------------------------
import torch
from opacus import GradSampleModule

sys.stdout = open(os.path.join(FOLDER, "clipped.inc"), "w")
print("/* Made by make_privacy.py. */")

torch.set_default_dtype(torch.float64)


def ramp(n, a, m, scale):
    return [((i * a) % m - m // 2) * scale for i in range(n)]


def t(values, *shape):
    return torch.tensor(values).reshape(*shape)


class Net(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        for i, l in enumerate(self.layers):
            a, b = sizes[i], sizes[i + 1]
            l.weight.data = t(ramp(a * b, 5 + 2 * i, 13, 0.125), a, b).T.clone()
            l.bias.data = t(ramp(b, 3, 7, 0.0625), b)

    def forward(self, x):
        for l in self.layers[:-1]:
            x = torch.tanh(l(x))
        return self.layers[-1](x)


def loss_of(y, target):
    e = torch.nn.functional.cross_entropy(y.reshape(-1, y.shape[-1]), target.reshape(-1), reduction="none")
    return e.reshape(target.shape[0], -1).mean(1)


def show(name, kind, clip, sums, norms):
    v = [u for g in sums for u in g.reshape(-1).tolist()]
    text = lambda w: ", ".join("%.17g" % u for u in w)
    print('    { "%s", %s, %s, %d, { %s },\n      { %s } },' % (name, kind, num(clip), len(v), text(norms.tolist()), text(v)))


print("typedef struct clipped_case { const char *name; orr_dp_clipping clipping; double clip; int n; double norm[6], sum[160]; } "
      "clipped_case;")
print("static const clipped_case clipped[] = {")
for name, sizes, positions in (("rows", (3, 5, 2), 0), ("positions", (3, 4, 2), 2), ("long", (3, 4, 2), 5)):
    shape = (6, 3) if not positions else (6, positions, 3)
    x = t(ramp(6 * 3 * max(positions, 1), 7, 11, 0.25), *shape)
    target = torch.tensor([(i * 3) % 4 % 2 for i in range(6 * max(positions, 1))]).reshape(shape[:-1])
    net = Net(sizes)
    per = []
    for i in range(6):
        net.zero_grad()
        loss_of(net(x[i:i + 1]), target[i:i + 1]).sum().backward()
        per.append([p.grad.clone() for p in net.parameters()])
    per = [torch.stack(g) for g in zip(*per)]
    hooked = GradSampleModule(Net(sizes), loss_reduction="sum")
    loss_of(hooked(x), target).sum().backward()
    for a, p in zip(per, hooked.parameters()):
        assert torch.allclose(a, p.grad_sample, rtol=1e-12, atol=1e-14)
    order = [g.transpose(-1, -2) if g.dim() == 3 else g for g in per]  # ours are (in, out)
    each = torch.stack([g.reshape(6, -1).norm(dim=1) ** 2 for g in per], 1)
    total = each.sum(1).sqrt()
    for clip in (0.3, 100.0):
        c = torch.clamp(clip / total, max=1)
        show(name, "ORR_DP_FLAT", clip, [torch.einsum("b,b...->...", c, g) for g in order], total)
    clip = 0.4
    layer = each.reshape(6, -1, 2).sum(2).sqrt()
    c = torch.clamp(clip / layer.shape[1] ** 0.5 / layer, max=1)
    show(name, "ORR_DP_PER_LAYER", clip,
         [torch.einsum("b,b...->...", c[:, i // 2], g) for i, g in enumerate(order)], total)
print("};")
