"""Random numbers. A value is a function of seed, stream and place: evaluated again, it is the same."""
from . import _core
from ._core import (beta, binomial, categorical, choice, gamma, multinomial, multivariate_normal, permutation,  # noqa: F401
                    poisson, seed, shuffle)


def uniform(low=0.0, high=1.0, shape=(), *, dtype="float64"):
    """Numbers in [low, high)."""
    return _core.rand(dtype, shape, low, high)


def normal(mean=0.0, std=1.0, shape=(), *, dtype="float64"):
    """Normally distributed numbers."""
    return _core.randn(dtype, shape, mean, std)


def integers(low, high, shape=(), *, dtype="int64"):
    """Integers in [low, high)."""
    return _core.randint(dtype, shape, low, high)
