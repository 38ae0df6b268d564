"""Computes the cases of `orrery-bench fusion` with NumPy, numexpr, JAX or PyTorch, when asked on standard input.

Must not know: what it is compared with, how a library computes (libraries.py).

    peer.py numpy | numexpr | jax | torch | torch-compile | orrery

Says "ready NAME"; then answers "prepare CASE DTYPE N" with "ok CHECKSUM" or "no REASON" (the cases of train.py too, as
"train:NAME"), "peak CASE" of memory.py with "ok BYTES CHECKSUM", "run SECONDS" with seconds per
call (as fusion_time in bench/fusion.c measures them), "pace SECONDS MS 0" with seconds per call after MS of other work, "first FILE" with the times of
a random program's first calls, "drop" with "ok", until its input ends.
"""
import gc
import os
import statistics
import sys
import time

from libraries import Jax, No, Numexpr, Numpy, Orrery, Torch


def measured(once, seconds):
    begin = time.perf_counter()
    once()
    first = time.perf_counter() - begin
    if first >= seconds:
        return first
    times = []
    while len(times) < 4096 and (len(times) < 3 or sum(times) < seconds):
        begin = time.perf_counter()
        once()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def paced(once, seconds, ms):
    """The median call after work of the program's own."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        until = time.perf_counter() + 1e-3 * ms
        while time.perf_counter() < until:
            pass
        begin = time.perf_counter()
        once()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def first(peer, path):
    """The cumulated ms after 1, 10, 100 and 1000 calls, the median of the last hundred, and the calls after the third of five times that."""
    f, inputs = peer.random_caller(path)
    times = []
    for _ in range(1000):
        begin = time.perf_counter()
        peer.wait(f(*inputs))
        times.append(1e3 * (time.perf_counter() - begin))
    steady = statistics.median(times[-100:])
    slow = sum(t > 5 * steady for t in times[3:])
    return "ok " + " ".join(f"{t:.9g}" for t in (*(sum(times[:n]) for n in (1, 10, 100, 1000)), steady)) + f" {slow}"


def answer(peer, line):
    word = line.split()
    if word[0] == "first":
        try:
            return first(peer, word[1])
        except Exception as e:
            return "no " + " ".join(f"{type(e).__name__}: {e}".split())[:200]
    if word[0] == "prepare":
        try:
            return f"ok {peer.prepare(word[1], word[2], int(word[3])):.9g}"
        except No as e:
            return f"no {e}"
        except Exception as e:  # a peer that cannot is said, not an end
            return "no " + " ".join(f"{type(e).__name__}: {e}".split())[:200]
    if word[0] == "peak":
        try:
            return "ok {:.9g} {:.9g}".format(*peer.peak(word[1]))
        except Exception as e:
            return "no " + " ".join(f"{type(e).__name__}: {e}".split())[:200]
    if word[0] == "run" and peer.once is None:
        return "-1"
    if word[0] == "run":
        return f"{measured(peer.once, float(word[1])):.9g}"
    if word[0] == "pace":
        one_thread = peer.once is not None and word[3] == "0"
        return f"{paced(peer.once, float(word[1]), float(word[2])):.9g}" if one_thread else "-1"
    peer.once = None
    gc.collect()
    return "ok"


def main():
    out = os.fdopen(os.dup(1), "w")  # a library's own output must not mix with the answers
    os.dup2(2, 1)
    kinds = {"numpy": Numpy, "numexpr": Numexpr, "jax": Jax, "orrery": Orrery, "torch": lambda: Torch(False),
             "torch-compile": lambda: Torch(True)}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    try:
        peer = kinds[sys.argv[1]]()
    except ImportError as e:
        sys.exit(f"peer.py: {sys.argv[1]} is not there: {e}")
    print("ready", peer.name, file=out, flush=True)
    for line in sys.stdin:
        print(answer(peer, line), file=out, flush=True)


if __name__ == "__main__":
    main()
