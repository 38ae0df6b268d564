"""The cases of `orrery-bench science` for NumPy, JAX and PyTorch: sorting, searching, sums along a line, five tensors.

Must not know: what it is compared with. Sizes and data are those of bench/science.c; argsort is stable, as ours is.
"""
import os
import tempfile
import time

import numpy as np

try:  # pocketfft on all cores
    import scipy.fft
except ImportError:
    scipy = None

LINE, ROWS, COLS, BEST, OUTER, INNER = 10000000, 4096, 1024, 100, 64, 24
SHAPES = {"fft": (1, 1 << 20), "fft-rows": (1024, 1024), "fft-prime": (1, 1000003)}
TEXT = "ai,bj,ck,dl,ijkl->abcd"


def data(name, fill):
    if name == "pi":
        return []
    if name == "einsum":
        shapes = [(OUTER, INNER)] * 4 + [(INNER,) * 4]
        return [fill(int(np.prod(s)), k, -1, 1).reshape(s) for k, s in enumerate(shapes)]
    if name in SHAPES:
        return [fill(int(np.prod(SHAPES[name])), k, -1, 1).reshape(SHAPES[name]) for k in (0, 1)]
    if name == "convolve-separable":
        return [fill(4096 * 4096, 0, -1, 1).reshape(4096, 4096), np.outer(fill(31, 1, -1, 1), fill(31, 2, -1, 1))]
    if name.startswith("convolve"):
        return [fill(n * n, k, -1, 1).reshape(n, n) for k, n in enumerate((4096, int(name[9:])))]
    rows = name.endswith(("-rows", "-columns"))
    x = fill(ROWS * COLS if rows else LINE, 0, -1, 1)
    if name == "unique":
        x = np.floor((x + np.float32(1)) * np.float32(50000))
    return [x.reshape(ROWS, COLS) if rows else x]


def numpy_top(x):
    part = np.partition(x, x.shape[-1] - BEST, axis=-1)[..., -BEST:]
    return np.sort(part, axis=-1)[..., ::-1]


def by_transforms(fft):
    def same(x, w):
        n, k = x.shape[0], w.shape[0]
        full = fft.irfft2(fft.rfft2(x, (n + k - 1, n + k - 1)) * fft.rfft2(w, (n + k - 1, n + k - 1)),
                          (n + k - 1, n + k - 1))
        return full[(k - 1) // 2:(k - 1) // 2 + n, (k - 1) // 2:(k - 1) // 2 + n]
    return same


def by_scipy(x):
    return scipy.fft.fft(x, workers=int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))


POINTS, PART = 100000000, 10000000


def numpy_pi():
    draw, hits = np.random.default_rng(1), 0
    for _ in range(POINTS // PART):
        x, y = (2 * draw.random(PART, dtype=np.float32) - 1 for _ in range(2))
        hits += np.count_nonzero(x * x + y * y <= 1)
    return np.array([0, 4 * hits / POINTS])


def torch_pi(torch):
    hits = torch.zeros((), dtype=torch.int64)
    for _ in range(POINTS // PART):
        x, y = (2 * torch.rand(PART) - 1 for _ in range(2))
        hits += (x * x + y * y <= 1).sum()
    return torch.stack([torch.zeros(()), 4 * hits / POINTS])


def jax_pi(jax):
    jnp = jax.numpy

    def part(k, hits):
        x, y = (jax.random.uniform(jax.random.key(2 * k + i), (PART,), minval=-1, maxval=1) for i in range(2))
        return hits + (x * x + y * y <= 1).sum(dtype=jnp.int32)
    return jnp.stack([jnp.float32(0), 4 / POINTS * jax.lax.fori_loop(0, POINTS // PART, part, jnp.int32(0))])


def numpy_work(_, name):
    return {
        "pi": numpy_pi,
        "sort": lambda x: np.sort(x, axis=-1),
        "argsort": lambda x: np.argsort(x, axis=-1, kind="stable"),
        "topk": numpy_top,
        "cumulative-sum": lambda x: np.cumsum(x, axis=-1),
        "cumulative-sum-columns": lambda x: np.cumsum(x, axis=0),
        "unique": lambda x: np.unique(x, return_counts=True)[1],
        "einsum": lambda *x: np.einsum(TEXT, *x, optimize=True),
        "fft": by_scipy if scipy else np.fft.fft,
        "convolve": by_transforms(np.fft), "convolve-63": by_transforms(np.fft),
    }[name]


def jax_work(jax, name):
    jnp = jax.numpy
    if name == "unique":  # its result's shape depends on data: not compiled
        return lambda x: jnp.unique(x, return_counts=True)[1]
    return jax.jit({
        "pi": lambda: jax_pi(jax),
        "sort": lambda x: jnp.sort(x, axis=-1),
        "argsort": lambda x: jnp.argsort(x, axis=-1),
        "topk": lambda x: jax.lax.top_k(x, BEST)[0],
        "cumulative-sum": lambda x: jnp.cumsum(x, axis=-1),
        "cumulative-sum-columns": lambda x: jnp.cumsum(x, axis=0),
        "einsum": lambda *x: jnp.einsum(TEXT, *x),
        "fft": jnp.fft.fft,
        "convolve": lambda x, w: jax.scipy.signal.convolve(x, w, mode="same"),
        "convolve-63": by_transforms(jnp.fft),  # its direct form takes minutes
    }[name])


def torch_work(torch, name):
    return {
        "pi": lambda: torch_pi(torch),
        "sort": lambda x: torch.sort(x, dim=-1)[0],
        "argsort": lambda x: torch.argsort(x, dim=-1, stable=True),
        "topk": lambda x: torch.topk(x, BEST, dim=-1)[0],
        "cumulative-sum": lambda x: torch.cumsum(x, -1),
        "cumulative-sum-columns": lambda x: torch.cumsum(x, 0),
        "unique": lambda x: torch.unique(x, return_counts=True)[1],
        "einsum": lambda *x: torch.einsum(TEXT, *x),
        "fft": torch.fft.fft,
        "convolve": lambda x, w: torch.nn.functional.conv2d(
            x[None, None], w.flip(0, 1)[None, None], padding="same")[0, 0],
        "convolve-63": by_transforms(torch.fft),  # its direct form takes many seconds
    }[name]


NUMBERS = 250000000


def file_work(peer, name):
    """1 GB by the safetensors package; what is written reaches the disk, as ours does."""
    if peer.name.startswith("jax"):
        import safetensors.flax as package
    elif peer.xp is np:
        import safetensors.numpy as package
    else:
        import safetensors.torch as package
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "data.safetensors")
    tensors = {"data": peer.array((np.arange(NUMBERS) % 8191).astype(np.float32) / 8191, "float32")}

    def synced(forget=False):
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        if forget:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)

    def write():
        package.save_file(tensors, path)
        synced()

    def read():
        if name == "file-read":
            synced(True)
        x = package.load_file(path)["data"]
        touched = x[::1024].sum()  # a map of the file is no reading of it
        return float(touched)

    write()
    if name != "file-write":
        tensors.clear()
    once = write if name == "file-write" else read
    once.folder = folder  # it goes with the function
    return 0.0, once


def prepared(peer, work, library, name, fill):
    if name.startswith("file-"):
        return file_work(peer, name)
    kind = name if name in ("convolve-63",) else "fft" if name in SHAPES else (
        name.split("-")[0] if name.startswith("convolve") else name)
    f = work(library, kind[:-5] if kind.endswith("-rows") else kind)
    inputs = [peer.array(x, "float32") for x in data(name, fill)]
    if kind == "fft":
        inputs = [inputs[0] + 1j * inputs[1]]

    def once():
        return peer.wait(f(*inputs))

    begin = time.perf_counter()
    y = peer.host(once()).ravel().real
    total = float((y * (np.arange(y.size) % 17)).mean())
    del y
    if time.perf_counter() - begin < 10:
        once()
    return total, once
