"""The cases of `orrery-bench linalg` for NumPy (with SciPy for least squares), JAX and PyTorch, in f64.

Must not know: what it is compared with. Matrices are of the same kind as those of bench/linalg.c, with other numbers.
"""
import numpy as np


def prepared(peer, case, n):
    """The sum of a first result, and a function that computes it again. case: "qr:1"."""
    what, batch = case.split(":")
    batch = int(batch)
    x = np.random.default_rng(1).random((batch, n, n)) - 0.5
    a = (x if what == "eig" else (x + np.swapaxes(x, 1, 2)) / 2) + np.eye(n) * n / 8
    b = np.ones((batch, n, 1)) / np.arange(1, n + 1)[:, None]
    if batch == 1:
        a, b = a[0], b[0]
    if peer.xp is np:
        f = {"qr": np.linalg.qr, "svd": lambda m: np.linalg.svd(m, full_matrices=False), "eigh": np.linalg.eigh, "eig": np.linalg.eig,
             "solve": lambda m: np.linalg.solve(m, b), "lstsq": lambda m: least_squares(m, b), "lu": scipy_lu,
             "inv": np.linalg.inv, "det": np.linalg.det}[what]
    elif peer.name.startswith("jax"):
        xp, (a, b) = peer.xp, (peer.xp.asarray(a), peer.xp.asarray(b))
        one = lambda m, r: xp.linalg.lstsq(m, r)[0]
        f = {"qr": xp.linalg.qr, "svd": lambda m: xp.linalg.svd(m, full_matrices=False), "eigh": xp.linalg.eigh, "eig": xp.linalg.eig,
             "solve": lambda m: xp.linalg.solve(m, b),
             "lstsq": lambda m: one(m, b) if m.ndim == 2 else peer.jax.vmap(one)(m, b),
             "lu": lambda m: peer.jax.scipy.linalg.lu(m), "inv": xp.linalg.inv, "det": xp.linalg.det}[what]
        f = peer.jax.jit(f)
        once = lambda: peer.jax.block_until_ready(f(a))
        once()
        return 0.0, once
    else:
        torch = peer.torch
        a, b = torch.from_numpy(a), torch.from_numpy(b)
        linalg = torch.linalg
        f = {"qr": linalg.qr, "svd": lambda m: linalg.svd(m, full_matrices=False), "eigh": linalg.eigh, "eig": linalg.eig,
             "solve": lambda m: linalg.solve(m, b), "lstsq": lambda m: linalg.lstsq(m, b, driver="gelsd"),
             "lu": linalg.lu, "inv": linalg.inv, "det": linalg.det}[what]
    once = lambda: f(a)
    once()
    return 0.0, once


def scipy_lu(a):
    """NumPy has none. The permutation is numbers of rows, as ours is."""
    import scipy.linalg
    return scipy.linalg.lu(a, p_indices=True)


def least_squares(a, b):
    """NumPy's takes one matrix."""
    if a.ndim == 2:
        return np.linalg.lstsq(a, b, rcond=None)
    return [np.linalg.lstsq(m, r, rcond=None) for m, r in zip(a, b)]
