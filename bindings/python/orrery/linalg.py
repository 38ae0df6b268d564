"""Linear algebra: the extension `linalg` of the Python array API standard, and more of the library's functions."""
from collections import namedtuple as _namedtuple

from . import _core
from ._convert import asarray, kind_of
from ._core import (det, eig, eigvals, eigvalsh, expm, inv, kron, logdet, lu, matmul, solve, solve_cholesky,  # noqa: F401
                    solve_triangular, svdvals)
from ._standard import astype, matrix_transpose, outer, tensordot, vecdot  # noqa: F401

LinAlgError = _core.NumericError  # NumPy's name

_Eigh = _namedtuple("eigh", "eigenvalues eigenvectors")
_Lstsq = _namedtuple("lstsq", "x residuals rank s")
_Qr = _namedtuple("qr", "Q R")
_Slogdet = _namedtuple("slogdet", "sign logabsdet")
_Svd = _namedtuple("svd", "U S Vh")
_NORMS = {"fro": "frobenius", "nuc": "nuclear", 1: "one", 2: "two", float("inf"): "infinity", -1: "least_one",
          -2: "least_two", float("-inf"): "least_infinity"}


def cond(x, /, p=None):
    """The condition of each matrix by a norm; None and 2: the largest singular value divided by the least."""
    if p is not None and p not in _NORMS:
        raise ValueError("cond(): p is None or one of %s" % list(_NORMS))
    return _core.cond(x, _NORMS[2 if p is None else p])


def cholesky(x, /, *, upper=False):
    """L with x = L · Lᴴ, or its adjoint."""
    low = _core.cholesky(x)
    return _core.conj(_core.transpose(low)) if upper and low.dtype.name.startswith("complex") else (
        _core.transpose(low) if upper else low)


def cross(x1, x2, /, *, axis=-1):
    """The cross product along an axis of length 3."""
    return _core.cross(x1, x2, axis)


def diagonal(x, /, offset=0):
    """The diagonal of each matrix."""
    return _core.diagonal(x, offset)


def eigh(x, /, UPLO="L"):
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the part below the diagonal is read, or the one above ("U")."""
    return _Eigh(*_core.eigh(x if UPLO.upper() == "L" else matrix_transpose(_core.conj(x))))


def qr(x, /, mode="reduced"):
    """Q · R = x with orthonormal columns of Q."""
    if mode not in ("reduced", "complete"):
        raise ValueError("qr(): mode is 'reduced' or 'complete'")
    return _Qr(*_core.qr(x, mode == "complete"))


def svd(x, /, full_matrices=True, compute_uv=True):
    """U, S, Vh with x = U · diag(S) · Vh; without compute_uv S alone."""
    return svdvals(x) if not compute_uv else _Svd(*_core.svd(x, full_matrices))


def slogdet(x, /):
    """The sign of the determinant, and the logarithm of its size."""
    return _Slogdet(*_core.slogdet(x))


def lstsq(a, b, rcond=None):
    """The least squares solution, the sums of its squared residuals, the rank of a, and its singular values; those up to rcond times the
    largest count as 0. There are residuals, as in NumPy, where a has more rows than columns; of a lower rank too."""
    x, rank, s = _core.lstsq(a, b, -1.0 if rcond is None else rcond)
    if a.shape[-2] <= a.shape[-1]:
        return _Lstsq(x, _core.zeros(s.dtype, [0]), rank, s)
    off = _core.abs(_core.sub(b, _core.matmul(a, x)))
    return _Lstsq(x, _core.sum(_core.mul(off, off), [0 if b.ndim == 1 else -2], b.ndim == 1), rank, s)


def _large(x, rtol):
    """The singular value decomposition of x, and which of the values are above rtol, one number for each matrix, times the largest."""
    u, s, vh = _core.svd(x, False)
    least = _core.mul(_core.expand_dims(rtol, -1), _core.max(s, [-1], True))
    return u, s, vh, _core.greater(s, _core.cast(least, s.dtype))


def pinv(x, /, rcond=None, *, rtol=None):
    """The pseudo-inverse. Singular values up to rtol (NumPy: rcond), a number or one for each matrix, times the largest count as 0."""
    rtol = rcond if rtol is None else rtol
    if isinstance(rtol, _core.Tensor):
        u, s, vh, large = _large(x, rtol)
        inverse = _core.where(large, _core.reciprocal(_core.where(large, s, 1.0)), 0.0)
        v = _core.mul(matrix_transpose(_core.conj(vh)), _core.cast(_core.expand_dims(inverse, -2), vh.dtype))
        return _core.matmul(v, matrix_transpose(_core.conj(u)))
    return _core.pinv(x, -1.0 if rtol is None else rtol)


def matrix_rank(x, /, *, rtol=None):
    """The number of singular values above rtol, a number or one for each matrix, times the largest."""
    if isinstance(rtol, _core.Tensor):
        return _core.sum(_core.cast(_large(x, rtol)[3], "int64"), [-1], False)
    return _core.matrix_rank(x, -1.0 if rtol is None else rtol)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of each matrix."""
    if ord not in _NORMS:
        raise ValueError("matrix_norm(): ord is one of %s" % list(_NORMS))
    return _core.matrix_norm(x, _NORMS[ord], keepdims)


def matrix_power(x, n, /):
    """The n-th power of each matrix."""
    x = asarray(x)
    if "integer" not in kind_of(x.dtype) or n < 1:
        return astype(_core.matrix_power(x, n), x.dtype) if "integer" in kind_of(x.dtype) and n == 0 else _core.matrix_power(x, n)
    r = matrix_power(matmul(x, x), n // 2) if n > 1 else None  # integers wrap, as in NumPy
    return x if r is None else matmul(r, x) if n % 2 else r


def multi_dot(arrays):
    """The product of several matrices in the order of the fewest operations; the first and the last may be vectors."""
    names = [chr(ord("a") + k) + chr(ord("b") + k) for k in range(len(arrays))]
    if arrays[0].ndim == 1:
        names[0] = names[0][1]
    if arrays[-1].ndim == 1:
        names[-1] = names[-1][0]
    ends = ("" if arrays[0].ndim == 1 else names[0][0]) + ("" if arrays[-1].ndim == 1 else names[-1][-1])
    return _core.einsum(",".join(names) + "->" + ends, arrays)


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors (one axis) or of matrices (two axes, or all of two); without `ord` and `axis` that of all elements."""
    x = asarray(x)
    if axis is None and ord is None or isinstance(axis, int) or axis is None and x.ndim == 1:
        return vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if axis is None and x.ndim != 2 or axis is not None and len(axis) != 2:
        raise ValueError("norm(): one axis for vectors, two for matrices")
    pair = [k % x.ndim for k in (axis or (0, 1))]
    rest = [k for k in range(x.ndim) if k not in pair]
    r = matrix_norm(_core.permute(x, rest + pair), ord="fro" if ord is None else ord)
    return _core.reshape(r, [1 if k in pair else x.shape[k] for k in range(x.ndim)]) if keepdims else r


def trace(x, /, offset=0, *, dtype=None):
    """The sum of each diagonal."""
    r = _core.trace(x if dtype is None else _core.cast(x, dtype), offset)
    return r if dtype is None else _core.cast(r, dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(Σ |x|^ord)^(1/ord) over axes."""
    return _core.vector_norm(x, axis, keepdims, float(ord))
