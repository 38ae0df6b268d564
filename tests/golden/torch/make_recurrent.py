# Makes recurrent.npz and the parameters lstm.npz, gru.npz, rnn.npz under Orrery's names: recurrent layers of PyTorch, f32.
# usage: python make_recurrent.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(8)
torch.backends.mkldnn.enabled = False  # which has no second derivative
B, T, I, H = 3, 5, 4, 6
out = {}
x0, lengths = torch.randn(B, T, I), torch.tensor([5, 2, 4])
out["x"], out["lengths"] = x0.numpy(), lengths.numpy()
for name, make, layers, both in (("lstm", torch.nn.LSTM, 2, True), ("gru", torch.nn.GRU, 2, True),
                                 ("rnn", torch.nn.RNN, 1, False)):
    m = make(I, H, layers, batch_first=True, bidirectional=both)
    p = {}
    for l in range(layers):
        for d in ("", "_reverse")[:1 + both]:
            part = f"l{l}{d}"
            p[f"{part}.input"] = getattr(m, f"weight_ih_{part}").T
            p[f"{part}.hidden"] = getattr(m, f"weight_hh_{part}").T
            p[f"{part}.input_bias"] = getattr(m, f"bias_ih_{part}")
            p[f"{part}.hidden_bias"] = getattr(m, f"bias_hh_{part}")
    np.savez(f"{name}.npz", **{k: np.ascontiguousarray(v.detach().numpy()) for k, v in p.items()})
    state = [torch.randn(layers * (1 + both), B, H) for _ in range(2 if name == "lstm" else 1)]
    for packed in (False, True):
        x = x0.clone().requires_grad_(True)
        given = [t.clone().requires_grad_(True) for t in state]
        s = tuple(given) if name == "lstm" else given[0]
        y, last = m(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False) if packed else x, s)
        if packed:
            y, _ = pad_packed_sequence(y, batch_first=True, total_length=T)
        m.zero_grad()
        k, w = f"{name}{int(packed)}", m.weight_hh_l0
        g = torch.autograd.grad(y.square().sum() + sum(t.pow(3).sum() for t in (last if name == "lstm" else [last])),
                                [x, w, m.bias_hh_l0] + given, create_graph=True)
        out[f"{k}.y"], out[f"{k}.dx"], out[f"{k}.dw"] = y.detach().numpy(), g[0].detach().numpy(), g[1].detach().T.contiguous().numpy()
        out[f"{k}.db"] = g[2].detach().numpy()
        for i, t in enumerate(g[3:]):
            out[f"{k}.dstate{i}"] = t.detach().numpy()
        second = torch.autograd.grad(sum(t.square().sum() for t in g), [x, w] + given)
        out[f"{k}.ddx"], out[f"{k}.ddw"] = second[0].numpy(), second[1].T.contiguous().numpy()
        out[f"{k}.ddstate"] = second[2].numpy()
        for i, t in enumerate(last if name == "lstm" else [last]):
            out[f"{k}.last{i}"] = t.detach().numpy()
    for i, t in enumerate(state):
        out[f"{name}.state{i}"] = t.numpy()
np.savez("recurrent.npz", **out)
