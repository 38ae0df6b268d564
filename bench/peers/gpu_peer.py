#!/usr/bin/env python3
"""The cases of bench/gpu_ours.c in PyTorch on CUDA: gpu_peer.py eager | graphs | compile [--cpu]

Prints "time<TAB>case<TAB>who<TAB>seconds". Must not know: its references.
"""
import statistics
import sys
import time

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
NAME = {"eager": "torch eager", "graphs": "CUDA graphs", "compile": "torch.compile"}
CPU = "--cpu" in sys.argv  # to try the script itself, small
if HOW not in NAME:
    sys.exit(__doc__)
try:
    import torch
except ImportError as e:
    print(f"no\tall\t{NAME[HOW]}\tno PyTorch here: {e}")
    sys.exit(0)
if not CPU and not torch.cuda.is_available():
    print(f"no\tall\t{NAME[HOW]}\tPyTorch sees no CUDA device")
    sys.exit(0)
DEV = "cpu" if CPU else "cuda"
PRODUCTS = 8


def wait():
    if not CPU:
        torch.cuda.synchronize()


def measure(case, f, each=1):
    limit = 0.1 if CPU else 0.5
    begin, calls = time.perf_counter(), 0
    while calls < 3 or time.perf_counter() - begin < limit:
        f()
        wait()
        calls += 1
    n = int(0.3 * limit * calls / (time.perf_counter() - begin)) + 1
    rounds = []
    for _ in range(5):
        wait()
        begin = time.perf_counter()
        for _ in range(n):
            f()
            wait()
        rounds.append((time.perf_counter() - begin) / n / each)
    print(f"time\t{case}\t{NAME[HOW]}\t{statistics.median(rounds):.9g}", flush=True)


def prepared(f):
    """f as a graph's replay, compiled, or as it is. f takes nothing: its inputs stay where they are."""
    if HOW == "compile":
        return torch.compile(f)
    if HOW == "eager":
        return f
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            f()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        f()
    return graph.replay


def gemm(label, dtype, tf32=False):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    n = 256 if CPU else 4096
    x = torch.randn(n, n, device=DEV).to(dtype)
    w = (torch.randn(n, n, device=DEV) / n**0.5).to(dtype)

    def once():
        y = x
        for _ in range(PRODUCTS):
            y = y @ w
        return y
    measure(f"gemm{n} {label}", prepared(once), PRODUCTS)
    torch.backends.cuda.matmul.allow_tf32 = False


def chain(ops):
    k = 20 if CPU else 28
    x = torch.rand(1 << k, device=DEV) * 2 - 1

    def once():
        t = x
        for i in range(ops // 2):
            t = t * x + (0.5 + i)
        return t
    measure(f"chain{ops} 2^{k} f32", prepared(once))


def train(case, width, batch, adam):
    layers = []
    for a, b in zip(width, width[1:]):
        layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers[:-1]).to(DEV)
    x = torch.rand(batch, width[0], device=DEV)
    labels = torch.randint(0, 10, (batch,), device=DEV)
    whole = HOW == "graphs"
    kind = torch.optim.Adam if adam else torch.optim.SGD
    options = {"lr": 1e-3, **({"capturable": True} if adam and whole else {})}
    opt = kind(net.parameters(), **options)
    loss = torch.zeros((), device=DEV)

    def forward(a, b):
        return torch.nn.functional.cross_entropy(net(a), b)
    if HOW == "compile":
        forward = torch.compile(forward)

    def step():
        opt.zero_grad(set_to_none=not whole)
        value = forward(x, labels)
        value.backward()
        opt.step()
        loss.copy_(value.detach())

    if whole:
        for p in net.parameters():
            p.grad = torch.zeros_like(p)
    run = prepared(step) if whole else step

    def once():
        run()
        return loss.item()
    measure(case, once)


def main():
    cases = [lambda: gemm("f32", torch.float32), lambda: gemm("tf32", torch.float32, True),
             lambda: gemm("bf16", torch.bfloat16), lambda: chain(6), lambda: chain(12),
             lambda: train("mlp-step 64" if CPU else "mlp-step 4096", [784, 512, 256, 10], 64 if CPU else 4096, True),
             lambda: train("mnist5 100", [784, 256, 256, 256, 256, 10], 100, False)]
    if HOW == "compile":  # a compiler that takes long must not keep the others from being seen
        cases = cases[3:]
    for case in cases:
        try:
            case()
        except Exception as e:  # said, not an end
            print(f"no\t{HOW}\t{NAME[HOW]}\t{type(e).__name__}: {' '.join(str(e).split())[:150]}", flush=True)
        if not CPU:
            torch.cuda.empty_cache()


main()
