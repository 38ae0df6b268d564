# Makes encoder.npz, decoder.npz, whose names are those of Orrery's parameters, and transformer.npz: blocks of PyTorch, f32.
# usage: python make_transformer.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch

torch.manual_seed(5)
W, H, F = 8, 2, 12
out = {}

def attention(prefix, a, p):
    for i, n in enumerate(("query", "key", "value")):
        p[f"{prefix}.{n}.weight"] = a.in_proj_weight[i * W:(i + 1) * W].T
        p[f"{prefix}.{n}.bias"] = a.in_proj_bias[i * W:(i + 1) * W]
    p[f"{prefix}.output.weight"], p[f"{prefix}.output.bias"] = a.out_proj.weight.T, a.out_proj.bias

def save(name, m, norms):
    p = {}
    attention("attention", m.self_attn, p)
    if hasattr(m, "multihead_attn"):
        attention("memory", m.multihead_attn, p)
    for i in range(1, norms + 1):
        n = getattr(m, f"norm{i}")
        p[f"norm{i}.weight"], p[f"norm{i}.bias"] = n.weight, n.bias
    p["expand.weight"], p["expand.bias"] = m.linear1.weight.T, m.linear1.bias
    p["contract.weight"], p["contract.bias"] = m.linear2.weight.T, m.linear2.bias
    np.savez(name, **{k: np.ascontiguousarray(v.detach().numpy()) for k, v in p.items()})

def shake(m):
    with torch.no_grad():
        for p in m.parameters():
            p.add_(0.3 * torch.randn_like(p))

x, memory = torch.randn(2, 5, W), torch.randn(2, 4, W)
out["x"], out["memory"] = x.numpy(), memory.numpy()
encoder = torch.nn.TransformerEncoderLayer(W, H, F, 0.0, "gelu", batch_first=True)
decoder = torch.nn.TransformerDecoderLayer(W, H, F, 0.0, "relu", batch_first=True)
shake(encoder), shake(decoder)
save("encoder.npz", encoder, 2)
save("decoder.npz", decoder, 3)
hidden = torch.nn.Transformer.generate_square_subsequent_mask(5)
for first in (False, True):
    encoder.norm_first = decoder.norm_first = first
    x = torch.tensor(out["x"], requires_grad=True)
    y = encoder(x)
    y.square().sum().backward()
    out[f"encoder{int(first)}"], out[f"encoder{int(first)}.dx"] = y.detach().numpy(), x.grad.numpy()
    out[f"causal{int(first)}"] = encoder(x, src_mask=hidden).detach().numpy()
    out[f"decoder{int(first)}"] = decoder(x, memory, tgt_mask=hidden).detach().numpy()
np.savez("transformer.npz", **out)
