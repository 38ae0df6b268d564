"""The cases of `orrery-bench conv` for PyTorch and JAX, in f32.

Must not know: what it is compared with.
"""
import numpy as np


def prepared(peer, case):
    """The sum of a first result, and a function that computes it again. case: "forward:n,c,side,o,kernel,stride,…"."""
    which, numbers = case.split(":")
    work = [int(v) for v in numbers.split(",")]
    once = jax_once(peer.jax, which, *work) if hasattr(peer, "jax") else torch_once(peer.torch, peer.compile, which, *work)
    for _ in range(2):
        once()
    return 0.0, once


def torch_once(torch, compiled, which, n, c, side, o, kernel, stride, padding, dilation, groups):
    x = torch.randn(n, c, side, side)
    back = torch.ops.aten.convolution_backward
    pair = lambda v: [v, v]
    if o == 0:
        y, at = torch.nn.functional.max_pool2d(x, kernel, stride, return_indices=True)
        g = torch.randn_like(y)
        once = (lambda: torch.nn.functional.max_pool2d(x, kernel, stride)) if which == "forward" else \
            (lambda: torch.ops.aten.max_pool2d_with_indices_backward(g, x, pair(kernel), pair(stride), [0, 0], [1, 1], False, at))
    else:
        w = torch.randn(o, c // groups, kernel, kernel)
        f = lambda: torch.nn.functional.conv2d(x, w, None, stride, padding, dilation, groups)
        g = torch.randn_like(f())
        both = lambda mask: back(g, x, w, None, pair(stride), pair(padding), pair(dilation), False, [0, 0], groups, mask)
        once = {"forward": f, "data": lambda: both([True, False, False]), "weights": lambda: both([False, True, False])}[which]
    if compiled:
        torch._dynamo.reset()
        return torch.compile(once, dynamic=False)
    return once


def jax_once(jax, which, n, c, side, o, kernel, stride, padding, dilation, groups):
    jnp, lax, draw = jax.numpy, jax.lax, np.random.default_rng(1)

    def normal(*shape):
        return jnp.asarray(draw.standard_normal(shape, np.float32))

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, kernel, kernel), (1, 1, stride, stride), "VALID")

    def conv(x, w):
        return lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, rhs_dilation=(dilation, dilation),
                                        feature_group_count=groups, dimension_numbers=("NCHW", "OIHW", "NCHW"))
    x, w = normal(n, c, side, side), None if o == 0 else normal(o, c // groups, kernel, kernel)
    f = pool if o == 0 else lambda x: conv(x, w)
    g = normal(*jax.eval_shape(f, x).shape)
    by = {"forward": lambda x, w, g: pool(x) if o == 0 else conv(x, w),
          "data": lambda x, w, g: jax.vjp(lambda x: pool(x) if o == 0 else conv(x, w), x)[1](g)[0],
          "weights": lambda x, w, g: jax.vjp(lambda w: conv(x, w), w)[1](g)[0]}[which]
    by = jax.jit(by)
    return lambda: jax.block_until_ready(by(x, w, g))
