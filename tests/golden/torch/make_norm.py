# Makes norm.npz: normalisations and encodings of positions of PyTorch, their gradients for the cotangent "c", f64.
# usage: python make_norm.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
out = {}

def case(name, f, **inputs):
    leaves = {k: v.clone().requires_grad_(v.is_floating_point()) for k, v in inputs.items()}
    y = f(**leaves)
    c = torch.randn(y.shape)
    (y * c).sum().backward()
    out[f"{name}.y"], out[f"{name}.c"] = y.detach().numpy(), c.numpy()
    for k, v in leaves.items():
        out[f"{name}.{k}"] = v.detach().numpy()
        if v.grad is not None:
            out[f"{name}.d{k}"] = v.grad.numpy()

r = torch.randn
x = r(3, 4, 5) * 2 + 1
case("layer1", lambda x, w, b: F.layer_norm(x, (5,), w, b, 1e-5), x=x, w=r(5), b=r(5))
case("layer2", lambda x, w, b: F.layer_norm(x, (4, 5), w, b, 1e-3), x=x, w=r(4, 5), b=r(4, 5))
case("rms", lambda x, w: F.rms_norm(x, (5,), w, 1e-5), x=x, w=r(5))
image = r(2, 6, 3, 3)
case("group", lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5), x=image, w=r(6), b=r(6))
case("instance", lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=1e-5), x=image, w=r(6), b=r(6))
case("batch", lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, 1e-5), x=image, w=r(6), b=r(6))
mean, var = r(6), torch.rand(6) + 0.5
out["mean"], out["var"] = mean.numpy(), var.numpy()
case("inference", lambda x, w, b: F.batch_norm(x, mean, var, w, b, False, 0.1, 1e-5), x=image, w=r(6), b=r(6))
case("local", lambda x: F.local_response_norm(x, 3, 0.3, 0.75, 1.5), x=image)
case("local4", lambda x: F.local_response_norm(x, 4, 0.3, 0.75, 1.5), x=image)
case("embedding", lambda x, table: F.embedding(x, table, padding_idx=1), x=torch.tensor([[0, 1, 3], [3, 1, 2]]),
     table=r(4, 5))

# Three batches move the running statistics.
layer = torch.nn.BatchNorm1d(4, momentum=0.2)
batches = r(3, 5, 4)
for b in batches:
    layer(b)
out["batches"], out["running_mean"], out["running_var"] = (batches.numpy(), layer.running_mean.numpy(),
                                                           layer.running_var.numpy())
out["running_y"] = layer.eval()(batches[0]).detach().numpy()

def rotary(x, paired):
    width, t = x.shape[-1], torch.arange(x.shape[-2]) + 3
    a = t[:, None] * 10000.0 ** (-2.0 * torch.arange(width // 2) / width)
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)) if paired else x.unflatten(-1, (2, -1)).mT.contiguous())
    y = torch.view_as_real(z * torch.polar(torch.ones_like(a), a))
    return y.flatten(-2) if paired else y.mT.flatten(-2)

case("rotary", lambda x: rotary(x, True), x=r(2, 4, 6))
case("rotary_halves", lambda x: rotary(x, False), x=r(2, 4, 6))
t, i = torch.arange(2, 7)[:, None], torch.arange(4)
a = t / 10000 ** (2 * i / 8)
out["sines"] = torch.stack((a.sin(), a.cos()), -1).flatten(1).numpy()
slopes = torch.tensor([2 ** -2, 2 ** -4, 2 ** -6, 2 ** -8, 2 ** -1, 2 ** -3])
out["alibi"] = (slopes[:, None, None] * (torch.arange(5) - torch.arange(2, 5)[:, None])).numpy()
np.savez("norm.npz", **out)
