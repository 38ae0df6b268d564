"""Fourier transforms: the extension `fft` of the Python array API standard."""
from . import _convert, _core


def _line(core):
    def f(x, /, n=None, axis=-1, norm="backward"):
        return core(x, 0 if n is None else n, axis, norm)
    return _convert.named(f, core.__name__, core.__doc__)


def _lines(core):
    def f(x, /, s=None, axes=None, norm="backward"):
        if axes is None and s is not None:
            axes = list(range(x.ndim - len(s), x.ndim))
        return core(x, s, axes, norm)
    return _convert.named(f, core.__name__, core.__doc__)


fft, ifft, rfft, irfft, hfft, ihfft = (_line(getattr(_core, n)) for n in "fft ifft rfft irfft hfft ihfft".split())
fftn, ifftn, rfftn, irfftn = (_lines(getattr(_core, n)) for n in "fftn ifftn rfftn irfftn".split())


def fftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of fft's elements."""
    return _core.fftfreq(dtype or "float64", n, d)


def rfftfreq(n, /, d=1.0, *, dtype=None, device=None):
    """The frequencies of rfft's elements."""
    return _core.rfftfreq(dtype or "float64", n, d)


def fftshift(x, /, axes=None):
    """The frequency 0 in the middle."""
    return _core.fftshift(x, axes)


def ifftshift(x, /, axes=None):
    """The inverse of fftshift."""
    return _core.ifftshift(x, axes)
