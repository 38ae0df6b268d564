"""The cases of `orrery-bench conv` for PyTorch, in f32.

Must not know: what it is compared with.
"""


def prepared(peer, case):
    """The sum of a first result, and a function that computes it again. case: "forward:n,c,side,o,kernel,stride,…"."""
    torch = peer.torch
    which, numbers = case.split(":")
    n, c, side, o, kernel, stride, padding, dilation, groups = (int(v) for v in numbers.split(","))
    x = torch.randn(n, c, side, side)
    back = torch.ops.aten.convolution_backward
    if o == 0:
        y, at = torch.nn.functional.max_pool2d(x, kernel, stride, return_indices=True)
        g = torch.randn_like(y)
        pair = lambda v: [v, v]
        once = (lambda: torch.nn.functional.max_pool2d(x, kernel, stride)) if which == "forward" else \
            (lambda: torch.ops.aten.max_pool2d_with_indices_backward(g, x, pair(kernel), pair(stride), [0, 0], [1, 1], False, at))
    else:
        w = torch.randn(o, c // groups, kernel, kernel)
        f = lambda: torch.nn.functional.conv2d(x, w, None, stride, padding, dilation, groups)
        g = torch.randn_like(f())
        pair = lambda v: [v, v]
        both = lambda mask: back(g, x, w, None, pair(stride), pair(padding), pair(dilation), False, [0, 0], groups, mask)
        once = {"forward": f, "data": lambda: both([True, False, False]), "weights": lambda: both([False, True, False])}[which]
    once()
    return 0.0, once
