# Repeats the training steps of examples/tiny_gpt with PyTorch from the same weights and compares the losses.
# usage: tiny_gpt.py text initial.npz losses.txt      (the last two from: tiny_gpt text steps initial.npz losses.txt)
import sys
import numpy as np
import torch
import torch.nn.functional as F

CONTEXT, WIDTH, HEADS, LAYERS, BATCH = 128, 128, 4, 4, 8
text = np.frombuffer(open(sys.argv[1], "rb").read(), np.uint8).astype(np.int64)
text = torch.from_numpy(np.where(text < 128, text, ord("?")))
p = {k: torch.from_numpy(v).requires_grad_(True) for k, v in np.load(sys.argv[2]).items()}
want = [float(x) for x in open(sys.argv[3])]

def dense(x, name):
    return F.linear(x, p[f"{name}.weight"].T, p.get(f"{name}.bias"))

def norm(x, name):
    return F.layer_norm(x, (WIDTH,), p[f"{name}.weight"], p[f"{name}.bias"], 1e-5)

def heads(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)

def forward(x):
    h = F.embedding(x, p["tokens.weight"]) + p["positions"][: x.shape[1]]
    for i in range(LAYERS):
        b = f"blocks.{i}"
        y = norm(h, f"{b}.norm1")
        q, k, v = (heads(dense(y, f"{b}.attention.{n}")) for n in ("query", "key", "value"))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        h = h + dense(y, f"{b}.attention.output")
        h = h + dense(F.gelu(dense(norm(h, f"{b}.norm2"), f"{b}.expand")), f"{b}.contract")
    return dense(norm(h, "norm"), "head")

optimiser = torch.optim.AdamW(p.values(), lr=1e-3, weight_decay=1e-2)
for k in range(len(want)):
    first = [(k * 7919 + b * 104729) % (len(text) - CONTEXT - 1) for b in range(BATCH)]
    x = torch.stack([text[f:f + CONTEXT] for f in first])
    y = torch.stack([text[f + 1:f + 1 + CONTEXT] for f in first])
    loss = F.cross_entropy(forward(x).flatten(0, 1), y.flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if k % 20 == 0 or k + 1 == len(want):
        print(f"step {k:4d}   Orrery {want[k]:.4f}   PyTorch {loss.item():.4f}")
tail = abs(want[-1] - loss.item()) / loss.item()
print(f"the last losses differ by {100 * tail:.2f} %")
sys.exit(tail > 0.02)
