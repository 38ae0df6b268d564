# Makes loss.npz: losses of PyTorch and their gradients, f64.
# usage: python make_loss.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
out = {}

def case(name, inputs, loss):
    """Values of the inputs, the loss and, for float inputs, the gradient of its sum."""
    leaves = {k: v.clone().requires_grad_(v.is_floating_point() and k not in ("weight", "w", "p")) for k, v in inputs.items()}
    y = loss(**leaves)
    y.sum().backward()
    for k, v in leaves.items():
        out[f"{name}.{k}"] = v.detach().numpy()
        if v.grad is not None:
            out[f"{name}.d{k}"] = v.grad.numpy()
    out[f"{name}.loss"] = y.detach().numpy()

logits = torch.randn(5, 7)
labels = torch.tensor([3, 0, 6, 2, 2])
weight = torch.rand(7) + 0.5
p = torch.softmax(torch.randn(5, 7), -1)
for r in ("mean", "sum", "none"):
    case(f"ce_{r}", dict(x=logits, weight=weight, label=labels),
         lambda x, weight, label: F.cross_entropy(x, label, weight, ignore_index=2, label_smoothing=0.1, reduction=r))
    case(f"nll_{r}", dict(x=torch.log_softmax(logits, -1), weight=weight, label=labels),
         lambda x, weight, label: F.nll_loss(x, label, weight, ignore_index=6, reduction=r))
    case(f"soft_{r}", dict(x=logits, weight=weight, label=p),
         lambda x, weight, label: F.cross_entropy(x, label, weight, label_smoothing=0.2, reduction=r))
case("ce_ignored", dict(x=logits, label=labels), lambda x, label: F.cross_entropy(x, label, ignore_index=2))
case("ce_smooth", dict(x=logits, label=labels), lambda x, label: F.cross_entropy(x, label, label_smoothing=0.3))

x, y = torch.randn(4, 3) * 3, torch.randn(4, 3)
sign = torch.where(torch.randn(4, 3) > 0, 1.0, -1.0)
prob = torch.rand(4, 3)
x[0, 0], x[1, 1] = 60.0, -60.0
case("bce", dict(x=x, y=prob, w=torch.rand(4, 3), p=torch.rand(3) + 0.5),
     lambda x, y, w, p: F.binary_cross_entropy_with_logits(x, y, w, pos_weight=p))
case("bce_plain", dict(x=x, y=prob), lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="sum"))
case("mse", dict(x=x, y=y), lambda x, y: F.mse_loss(x, y, reduction="sum"))
case("l1", dict(x=x, y=y), lambda x, y: F.l1_loss(x, y))
case("huber", dict(x=x, y=y), lambda x, y: F.huber_loss(x, y, delta=0.7, reduction="none"))
case("kl", dict(x=torch.log_softmax(x, -1), y=torch.softmax(y, -1)),
     lambda x, y: F.kl_div(x, y, reduction="batchmean"))
case("kl_log", dict(x=torch.log_softmax(x, -1), y=torch.log_softmax(y, -1)),
     lambda x, y: F.kl_div(x, y, log_target=True, reduction="sum"))
case("hinge_embedding", dict(x=x, y=sign), lambda x, y: F.hinge_embedding_loss(x, y, margin=0.8))
case("cosine", dict(x=torch.randn(6, 4), y=torch.randn(6, 4)),
     lambda x, y: F.cosine_embedding_loss(x, y, torch.tensor([1, -1, 1, -1, -1, 1]), margin=-0.1))
case("similarity", dict(x=torch.randn(2, 5, 3), y=torch.randn(2, 5, 3)), lambda x, y: F.cosine_similarity(x, y, dim=1))

# The last target does not fit into its input.
raw, target = torch.randn(9, 4, 5), torch.tensor([[1, 2, 2, 3], [4, 4, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
lengths = dict(il=torch.tensor([9, 7, 5, 4]), tl=torch.tensor([4, 2, 0, 4]))
for r in ("mean", "sum", "none"):
    case(f"ctc_{r}", dict(x=raw, target=target, **lengths),
         lambda x, target, il, tl: F.ctc_loss(torch.log_softmax(x, -1), target, il, tl, blank=0, reduction=r,
                                              zero_infinity=True))
np.savez("loss.npz", **out)
