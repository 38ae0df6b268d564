# Makes recurrent.npz and the parameters lstm.npz, gru.npz, rnn.npz under Orrery's names: recurrent layers of PyTorch, f32.
# usage: python make_recurrent.py      (made with PyTorch 2.15, CPU)
import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(8)
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
        s = tuple(state) if name == "lstm" else state[0]
        y, last = m(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False) if packed else x, s)
        if packed:
            y, _ = pad_packed_sequence(y, batch_first=True, total_length=T)
        m.zero_grad()
        y.square().sum().backward()
        k = f"{name}{int(packed)}"
        out[f"{k}.y"], out[f"{k}.dx"] = y.detach().numpy(), x.grad.numpy()
        out[f"{k}.dw"] = m.weight_hh_l0.grad.T.contiguous().numpy()
        for i, t in enumerate(last if name == "lstm" else [last]):
            out[f"{k}.last{i}"] = t.detach().numpy()
    for i, t in enumerate(state):
        out[f"{name}.state{i}"] = t.numpy()
np.savez("recurrent.npz", **out)
