# Makes attention.npz: scaled dot-product attention of PyTorch, gradients for the cotangent "c", f64.
# usage: python make_attention.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
out = {}

def case(name, q, k, v, mask=None, **options):
    leaves = [t.clone().requires_grad_(True) for t in (q, k, v)]
    m = mask
    if mask is not None and mask.is_floating_point():
        m = mask.clone().requires_grad_(True)
    y = F.scaled_dot_product_attention(*leaves, attn_mask=m, **options)
    c = torch.randn(y.shape)
    (y * c).sum().backward()
    out[f"{name}.y"], out[f"{name}.c"] = y.detach().numpy(), c.numpy()
    for n, t in zip("qkv", leaves):
        out[f"{name}.{n}"], out[f"{name}.d{n}"] = t.detach().numpy(), t.grad.numpy()
    if mask is not None:
        out[f"{name}.m"] = mask.numpy()
        if m.requires_grad:
            out[f"{name}.dm"] = m.grad.numpy()

r = torch.randn
def band(queries, keys, causal, window=None):
    far = torch.arange(keys) - torch.arange(queries)[:, None] - (keys - queries)
    seen = far <= 0 if causal else torch.ones_like(far, dtype=torch.bool)
    return seen & (far.abs() < window) if window else seen

case("full", r(2, 3, 5, 4), r(2, 3, 7, 4), r(2, 3, 7, 6))
case("causal", r(2, 2, 6, 4), r(2, 2, 6, 4), r(2, 2, 6, 3), is_causal=True, scale=0.7)
case("cached", r(1, 2, 3, 4), r(1, 2, 8, 4), r(1, 2, 8, 4), band(3, 8, True))
case("window", r(1, 2, 9, 4), r(1, 2, 9, 4), r(1, 2, 9, 4), band(9, 9, True, 3))
case("band", r(1, 1, 9, 4), r(1, 1, 9, 4), r(1, 1, 9, 4), band(9, 9, False, 4))
case("added", r(2, 3, 5, 4), r(2, 3, 6, 4), r(2, 3, 6, 4), r(2, 1, 1, 6))
seen = torch.rand(2, 1, 5, 6) > 0.4
seen[..., 0] = True
case("seen", r(2, 3, 5, 4), r(2, 3, 6, 4), r(2, 3, 6, 4), seen)
case("grouped", r(2, 6, 5, 4), r(2, 2, 5, 4), r(2, 2, 5, 4), is_causal=True, enable_gqa=True)
case("long", r(1, 1, 150, 3), r(1, 1, 150, 3), r(1, 1, 150, 2), is_causal=True)
np.savez("attention.npz", **out)
