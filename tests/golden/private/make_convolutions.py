"""Makes convolutions.inc: clipped sums of per-example gradients of a network of convolutions, by Opacus' hooks, checked with a
loop over examples. The problem is that of clipped_gradients_of_convolutions_agree_with_opacus in tests/privacy/sgd.c."""
import os
import sys

import torch
from opacus import GradSampleModule

FOLDER = os.path.dirname(os.path.abspath(__file__))
torch.set_default_dtype(torch.float64)
N = 6


def ramp(n, a, m, scale, *shape):
    return torch.tensor([((i * a) % m - m // 2) * scale for i in range(n)]).reshape(*shape)


def network():
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.Tanh(), nn.Conv2d(3, 4, 2, stride=2, bias=False), nn.Tanh(),
                        nn.Flatten(), nn.Linear(16, 2))
    net[0].weight.data = ramp(27, 5, 13, 0.125, 3, 1, 3, 3)
    net[0].bias.data = ramp(3, 3, 7, 0.0625, 3)
    net[2].weight.data = ramp(48, 7, 13, 0.125, 4, 3, 2, 2)
    net[5].weight.data = ramp(32, 7, 13, 0.125, 16, 2).T.clone()
    net[5].bias.data = ramp(2, 3, 7, 0.0625, 2)
    return net


x, target = ramp(150, 7, 11, 0.25, N, 1, 5, 5), torch.tensor([i * 3 % 4 % 2 for i in range(N)])
hooked = GradSampleModule(network(), loss_reduction="sum")
torch.nn.functional.cross_entropy(hooked(x), target, reduction="sum").backward()
each = [p.grad_sample for p in hooked.parameters()]
for i in range(N):
    net = network()
    torch.nn.functional.cross_entropy(net(x[i:i + 1]), target[i:i + 1]).backward()
    for p, g in zip(net.parameters(), each):
        assert torch.allclose(p.grad, g[i], rtol=1e-12, atol=1e-14)
each[3] = each[3].transpose(1, 2)  # ours is (in, out)
square = torch.stack([g.reshape(N, -1).square().sum(1) for g in each], 1)
norm = square.sum(1).sqrt()
layers = torch.stack([square[:, 0] + square[:, 1], square[:, 2], square[:, 3] + square[:, 4]], 1).sqrt()
layer_of = [0, 0, 1, 2, 2]

sys.stdout = open(os.path.join(FOLDER, "convolutions.inc"), "w")
text = lambda v: ", ".join("%.12g" % u for u in v)
print("/* Made by make_convolutions.py. */")
print("static const double conv_norm[%d] = { %s };" % (N, text(norm.tolist())))
print("static const struct { orr_dp_clipping clipping; double clip, sum[112]; } conv_clipped[] = {")
for kind, clip in (("ORR_DP_FLAT", 0.3), ("ORR_DP_FLAT", 100.0), ("ORR_DP_PER_LAYER", 0.4)):
    sums = []
    for g, l in zip(each, layer_of):
        c = clip / norm if kind == "ORR_DP_FLAT" else clip / 3**0.5 / layers[:, l]
        sums += torch.einsum("b,b...->...", c.clamp(max=1), g).reshape(-1).tolist()
    assert len(sums) == 112
    print("    { %s, %s, { %s } }," % (kind, clip, text(sums)))
print("};")
