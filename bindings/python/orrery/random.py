"""Random numbers. A value is a function of seed, stream and place: evaluated again, it is the same."""
from . import _core
from ._convert import asarray as _asarray
from ._core import (beta, binomial, categorical, choice, gamma, multinomial, multivariate_normal, permutation,  # noqa: F401
                    poisson, seed, shuffle)


def uniform(low=0.0, high=1.0, shape=(), *, size=None, dtype="float64"):
    """Numbers in [low, high), of a shape, which NumPy calls size."""
    return _core.rand(dtype, shape if size is None else size, low, high)


def normal(mean=0.0, std=1.0, shape=(), *, loc=None, scale=None, size=None, dtype="float64"):
    """Normally distributed numbers. NumPy's names are loc, scale and size."""
    return _core.randn(dtype, shape if size is None else size, mean if loc is None else loc, std if scale is None else scale)


def integers(low, high, shape=(), *, dtype="int64"):
    """Integers in [low, high)."""
    return _core.randint(dtype, shape, low, high)


# -- NumPy's names -----------------------------------------------------------------------------------------------------


def _shape(size):
    return () if size is None else (size,) if isinstance(size, int) else tuple(size)


def rand(*shape):
    """Numbers in [0, 1)."""
    return uniform(shape=shape)


def randn(*shape):
    """Standard normal numbers."""
    return normal(shape=shape)


def random(size=None):
    """Numbers in [0, 1)."""
    return uniform(shape=_shape(size))


random_sample = ranf = sample = random


def standard_normal(size=None):
    return normal(shape=_shape(size))


def exponential(scale=1.0, size=None):
    return _core.exponential("float64", _shape(size), float(scale))


def randint(low, high=None, size=None, dtype="int64"):
    """Integers in [low, high), or in [0, low)."""
    return integers(*(0, low) if high is None else (low, high), _shape(size), dtype=dtype)


class Generator:
    """numpy.random.Generator's most used methods. A generator has numbers of its own: those of a seed are always the same."""

    def __init__(self, seed):
        self._key, self._drawn = seed * 0x9E3779B97F4A7C15, 0

    def _next(self):
        self._drawn += 1
        return (self._key + self._drawn * 0xD1B54A32D192ED03) % 2**63

    def random(self, size=None, dtype="float64"):
        return self.uniform(0.0, 1.0, size, dtype=dtype)

    def uniform(self, low=0.0, high=1.0, size=None, *, dtype="float64"):
        return _core.rand_keyed(dtype, _shape(size), float(low), float(high), self._next())

    def normal(self, loc=0.0, scale=1.0, size=None, *, dtype="float64"):
        return _core.randn_keyed(dtype, _shape(size), float(loc), float(scale), self._next())

    def standard_normal(self, size=None, dtype="float64"):
        return self.normal(size=size, dtype=dtype)

    def exponential(self, scale=1.0, size=None):
        return -scale * _core.log1p(-self.random(size))

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return _core.exp(self.normal(mean, sigma, size))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        u = self.uniform(-0.5, 0.5, size)
        return loc - scale * _core.sign(u) * _core.log1p(-2.0 * _core.abs(u))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        u = self.random(size)
        return loc + scale * (_core.log(u) - _core.log1p(-u))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return loc - scale * _core.log(self.exponential(1.0, size))

    def weibull(self, a, size=None):
        return _core.pow(self.exponential(1.0, size), 1.0 / a)

    def rayleigh(self, scale=1.0, size=None):
        return scale * _core.sqrt(2.0 * self.exponential(1.0, size))

    def pareto(self, a, size=None):
        return _core.expm1(self.exponential(1.0 / a, size))

    def multivariate_normal(self, mean, cov, size=None):
        """Vectors with a mean and with covariances, of a positive definite matrix."""
        mean, low = _core.cast(_asarray(mean), "float64"), _core.cholesky(_core.cast(_asarray(cov), "float64"))
        return mean + _core.matmul(self.normal(size=(*_shape(size), mean.shape[0])), _core.transpose(low))

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        """Integers in [low, high), or in [0, low)."""
        low, high = (0, low) if high is None else (low, high)
        n = high - low + endpoint
        if not 0 < n <= 2**53:
            raise ValueError("integers(): the range has %d numbers, not 1 to 2**53" % n)
        return _core.cast(_core.floor(self.uniform(0.0, n, size)), dtype) + low

    def permutation(self, x, axis=0):
        """0 … x − 1 in random order, or the places of an axis of x."""
        n = x if isinstance(x, int) else x.shape[axis]
        order = _core.argsort(self.random(n), 0)
        return order if isinstance(x, int) else _core.take(x, order, axis)

    def shuffle(self, x, axis=0):
        """x's places of an axis get a random order."""
        x[...] = self.permutation(x, axis)

    def choice(self, a, size=None, replace=True, p=None, axis=0):
        """Places of an axis, each with the same or with a given probability."""
        n, count = a if isinstance(a, int) else a.shape[axis], 1
        for k in _shape(size):
            count *= k
        if not replace and count > n:
            raise ValueError("choice(): %d of %d without repetition" % (count, n))
        u = self.random(count if replace else n)
        if not replace:
            u = u if p is None else _core.log(u) / _core.cast(_asarray(p), "float64")  # Efraimidis & Spirakis: the greatest u^(1/p)
            places = _core.slice_axis(_core.argsort(u, 0, True), 0, 0, count, 1)
        elif p is None:
            places = _core.cast(_core.floor(u * float(n)), "int64")
        else:
            c = _core.cumulative_sum(_core.cast(_asarray(p), "float64"), 0)
            places = _core.minimum(_core.searchsorted(c / c[-1], u, True), n - 1)
        places = _core.reshape(places, _shape(size))
        return places if isinstance(a, int) else _core.take(a, places, axis)


def default_rng(seed=None):
    """A generator of its own; without a seed one that nobody can repeat."""
    return Generator(_urandom() if seed is None else seed)


def _urandom():
    import os
    return int.from_bytes(os.urandom(7), "little")
