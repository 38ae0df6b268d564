"""Orrery: a lazy tensor library. Operations are recorded; reading a value computes all that it needs, fused.

The names of the Python array API standard, version 2024.12, are here and in `linalg` and `fft`; all other functions of
the library have their C names without orr_. docs/python.md is a page for users of NumPy.
"""
import os as _os

from . import _core

_core._set_package(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

from ._core import *  # noqa: E402,F401,F403

del fft  # noqa: F821  the name of a module; its function is fft.fft
from . import _convert, _indexing, _methods, _standard, _training  # noqa: E402,F401
from . import linalg, fft, random  # noqa: E402,F401

__version__ = _core.VERSION
__array_api_version__ = "2024.12"
e, inf, nan, newaxis, pi = 2.718281828459045, float("inf"), float("nan"), None, 3.141592653589793

for _category, _name, _ours in _core.STANDARD:
    if not _category.startswith("Extension"):
        globals()[_name] = getattr(_standard, _name, None) or getattr(_core, _ours)

from ._standard import *  # noqa: E402,F401,F403
from ._convert import *  # noqa: E402,F401,F403
from ._training import *  # noqa: E402,F401,F403
from ._numpy import *  # noqa: E402,F401,F403

_numpy.install(__import__(__name__))  # noqa: F821
