"""NumPy's names that the array API standard lacks, beside NumPy: expressions over random arrays of many shapes. m: the module."""
import os
import sys
import traceback
import warnings

from check import end, fail, numpy_or_skip, o, raises, same, tried

np = numpy_or_skip()
warnings.simplefilter("ignore")
rng = np.random.default_rng(int(os.environ.get("ORR_TEST_SEED", "5")))
ROUNDS = 40 if os.environ.get("ORR_TEST_FULL") else 2

# a, b: the same shape of any number of axes; v, w: one axis, w shorter; s: sorted; n: a with NaN; i, j: integers; k: places of v; t: truth values
# of a; u: those of v; x: an axis of a; r: (2, 3, 4). Per-element tolerance for what is rounded.
SAME = """vstack((v, v)) | vstack((a, a)) | hstack((v, w)) | hstack((a, a)) | dstack((v, v)) | dstack((a, a)) | column_stack((v, v, r2)) | row_stack((v, v))
atleast_1d(a) | atleast_2d(a) | atleast_3d(a) | atleast_3d(v) | concatenate((v, w)) | append(v, w) | append(r2, r2, axis=0) | append(v, 1.0)
array_split(v, 3) | array_split(r, 2, axis=2) | split(r2, 3) | split(v, [1, 3]) | array_split(v, [1, 3]) | hsplit(r, 3) | vsplit(r, 2) | dsplit(r, [1, 2])
delete(v, 1) | delete(v, [0, -1]) | delete(r, 1, axis=1) | delete(v, slice(None, None, 2)) | delete(r, [0]) | delete(i, 0)
insert(v, 1, 5.0) | insert(v, [1, 3], [5.0, 6.0]) | insert(r2, 1, 7.0, axis=1) | insert(r2, 1, v[:4], axis=0) | insert(v, [0, 0], 2.0) | insert(i, -1, 3) | insert(r2, [0, 2], 5.0, axis=1) | insert(v, 2, [1.0, 2.0])
insert(r2, 1, r2[:, 0], axis=1)
fliplr(r) | flipud(r) | flip(r, axis=1) | rot90(r2) | rot90(r2, -1) | rot90(r, 2, axes=(1, 2)) | rot90(r, 5) | roll(v, 2) | roll(r, 1, axis=1) | roll(r, (1, 2), axis=(0, 1))
tile(v, 2) | tile(v, (2, 1)) | tile(r2, 2) | tile(r2, (2, 1, 2)) | tile(a, ()) | repeat(v, 3) | repeat(r2, 2, axis=1) | repeat(r2, [1, 0, 2], axis=0) | repeat(r2, 2)
pad(v, 2) | pad(r2, ((1, 2), (0, 1))) | pad(r2, 1, constant_values=3.0) | pad(v, (1, 2), mode='edge') | pad(r2, 2, 'reflect') | pad(r2, 3, 'symmetric') | pad(v, (7, 5), 'wrap') | pad(v, (9, 8), 'reflect') | pad(r2, (1, 0)) | pad(i, 1, constant_values=(1, 2))
pad(v, (7, 8), 'symmetric')
ravel(r) | shape(r) | size(r) | size(r, 1) | ndim(r) | copy(r) | broadcast_shapes((2, 1), (3,)) | squeeze(r[:1]) | expand_dims(v, 0) | swapaxes(r, 0, 2) | moveaxis(r, 0, -1)
linspace(0, 1) | linspace(0.5, 2, 7) | linspace(0, 1, 5, endpoint=False) | linspace(0, 1, 5, retstep=True) | linspace(1, 1, 1) | linspace(0, 1, 0) | arange(5) | arange(2, 9, 3)
tri(3) | tri(3, 4, 1) | vander(i, 3, increasing=True) | vander(v, 0) | indices((2, 3)) | indices((2, 3), sparse=True) | mgrid[0:3, 1:3] | mgrid[0:1:5j, 0:2:3j] | mgrid[0:4] | ogrid[0:3, 0:2]
ix_([0, 1], [2, 0]) | r2[m.ix_([0, 1], [2, 0])] | fromfunction(lambda p, q: p + q, (3, 2)) | tril_indices(3) | triu_indices(3, 1) | tril_indices(3, -1, 4) | triu_indices(3, 0, 4) | diag_indices(3) | unravel_index(17, (3, 7)) | unravel_index(k, (2, 4))
ravel_multi_index((k, k), (6, 7)) | diag(v) | diag(v, 1) | diag(r2) | diag(r2, -1) | diagonal(r) | diagonal(r, 1, 0, 2) | diagonal(r2, 9) | diagonal(r2, -3) | full_like(r, 3) | eye(3, 4, 1)
identity(3) | lexsort((k, k[::-1])) | lexsort((i, j, i)) | r_[v, 1:4, 0] | r_[0:1:5j] | r_[r, r] | c_[v, v] | c_[k, 0:6] | float32(a) | int64(3.7) | r.item(1, 2, 3) | r.item(7) | r2.item((0, 1))
meshgrid(v, w) | meshgrid(v, w, indexing='ij') | triu_indices_from(r2) | tril_indices_from(r2, 1)
absolute(a) | around(a) | rint(a) | fix(a) | trunc(a) | fabs(a) | mod(i, j + 7) | fmod(a, b) | fmod(i, j + 7) | heaviside(a, 0.5) | fmax(n, a) | fmin(n, a) | fmax(a, n) | fmin(i, j) | divmod(i, j + 7) | bitwise_not(i) | invert(i) | left_shift(j, 1)
nan_to_num(n) | nan_to_num(a / 0.0) | nan_to_num(n, nan=1.0, posinf=2.0, neginf=3.0) | nan_to_num(i) | isposinf(a / 0.0) | isneginf(a / 0.0) | isreal(a) | iscomplex(a + 1j) | isrealobj(a) | iscomplexobj(a) | isscalar(3)
isclose(a, b) | isclose(a, a + 1e-9) | isclose(n, n) | isclose(n, n, equal_nan=True) | isclose(i, i) | isclose(a / 0.0, a / 0.0) | allclose(a, a) | allclose(a, b) | allclose(n, n, equal_nan=True) | array_equal(a, a) | array_equal(a, v) | array_equal(n, n) | array_equal(n, n, equal_nan=True) | array_equal(i, i) | array_equiv(r, r[:1]) | array_equal(t, t)
where(t) | where(u, v, 0.0) | where(t, a, b) | take(r, k[:2] % 2) | take(v, k) | take(r, [0, 1], axis=1) | choose(i % 2, [i, j]) | choose(k % 2, [v[:5], v[1:6]]) | select([a > 0.5, a > 0.0], [a, b], 5.0) | select([t], [a]) | compress(u, v) | compress([True, False], r, axis=0) | extract(t, a) | flatnonzero(v) | nonzero(i) | argwhere(t)
sort(partition(v, 2)) | partition(v, 2)[2] | v[m.argpartition(v, 1)[1]] | digitize(v, s) | digitize(v, s, right=True) | digitize(v, s[::-1]) | digitize(s, s[::-1], right=True) | digitize(s, s, right=True) | searchsorted(s, v) | searchsorted(s, s, side='right')
unique(i) | unique(k, return_counts=True) | unique(k, return_index=True, return_inverse=True) | unique(k, return_index=True, return_inverse=True, return_counts=True) | unique(k2, axis=0) | unique(k2, axis=1) | isin(k, [1, 2]) | isin(k2, k, invert=True) | union1d(k, [9, 3]) | intersect1d(k, [1, 2, 3]) | setdiff1d(k, [1]) | setxor1d(k, [1, 9]) | bincount(k) | bincount(k, minlength=9)
argmax(r, axis=1) | argmin(v) | clip(a, -0.5, 0.5) | amax(a) | amin(r, axis=(0, 1)) | ptp(a) | ptp(r, axis=1) | ptp(r, axis=1, keepdims=True) | ptp(i) | count_nonzero(r, axis=0) | cumsum(i) | cumsum(t) | cumprod(j % 3) | k.cumsum() | i.take([0]) | r.diagonal() | k.repeat(2)
nanmax(n) | nanmin(n) | nanmax(nr, axis=1) | nanmin(nr, axis=0, keepdims=True) | nanargmax(nr[0, 0] * 0 + v[:4]) | nanmax(i) | nanargmin(v)
histogram(i) | histogram(k, bins=4) | histogram(v, bins=s2) | histogram(v, range=(0.0, 1.0)) | gradient(r2 * 0 + 3) | diff(r, axis=1) | diff(v, 2) | ediff1d(r2) | ediff1d(v, to_end=9.0, to_begin=[1.0, 2.0]) | iterable(v) | promote_types('int8', 'int16') == m.int16
transpose(r) | transpose(r, (1, 0, 2)) | transpose(v) | rollaxis(r, 2) | rollaxis(r, 0, 3) | block([[r2, r2], [r3, r3]]) | block([v, 1.0]) | trim_zeros(j) | trim_zeros(j, 'f') | diagflat(r2) | diff(i, append=3) | expand_dims(r2, (0, 3)) | expand_dims(v, (-1, 0))
sort(r, axis=None) | argsort(v, kind='stable') | sort(i, kind='mergesort') | partition(v, 2, kind='introselect')[2] | searchsorted([1, 3, 5], [0, 3, 9]) | meshgrid([1, 2], [3, 4, 5]) | meshgrid(v, w, sparse=True) | meshgrid(v, w, k, indexing='ij', sparse=True) | concatenate((v, [1.0, 2.0])) | stack((k, [1, 2, 3, 4, 5])) | array([1, 2], ndmin=3) | array(range(5)) | zeros_like(r, shape=(2,)) | full_like(i, 3, shape=(2, 1))
max(r, axis=1, initial=0.5) | min(a, initial=-1.0) | max(r[:, :0], axis=1, initial=2.0) | max(r, axis=0, where=r > 0, initial=-9.0) | any(t, where=False) | all(r > 0, axis=1, where=r > -1) | sum(i, initial=10) | sum(i, dtype='int8') | sum(i, where=i > 0) | k.sum(dtype='int8') | k.prod(dtype='uint8') | j.sum(dtype='float32') | prod(k, dtype='int8') | clip(i, a_min=0, a_max=3)
take(v, [-3, 8], mode='wrap') | take(r2, [-3, 8], axis=1, mode='clip') | r2.compress([True, False, True], axis=0) | v.compress([True, False, True]) | percentile(v, 30, method='lower') | percentile(r, [30, 50], axis=1, method='higher') | quantile(nr, 0.4, axis=(0, 2), method='nearest', keepdims=True) | percentile(i, 50, method='midpoint') | isin(k, [1, 2], assume_unique=False, kind='sort') | intersect1d(k, [3, 1, 2], return_indices=True) | histogram(k, bins=[0, 2, 3]) | polyval([1, 2], i)
gcd(i, 6) | lcm(i, j) | gcd(k, k[::-1]) | bitwise_count(i) | modf(a) | s_[1:2] | i.astype('f4') | a.astype('<i4') | zeros(2, 'c8') | arange(3, dtype='u1') | piecewise(v, [v < 0, v >= 1], [1.0, lambda x: x * 2.0, 5.0]) | piecewise(v, v < 0, [-1.0, 1.0]) | unwrap(v * 0) | round(v + 1j, 1) | round((v + 2j) * 7.3, 3)"""
NEAR = """vander(v) | vander(v, 3) | trace(r2) | trace(r, 1) | trace(r, 0, 1, 2) | r2.trace() | linspace(v[:3], v[1:4], 4) | linspace(v[:3], v[1:4], 4, axis=1) | histogram(v, bins=3, weights=v * 0 + 1) | interp(v, s2, s2) | logspace(0, 2, 5) | logspace(0, 2, 5, base=2.0) | geomspace(1, 1000, 4) | geomspace(-1.0, -8.0, 4) | geomspace(1, 256, 8, endpoint=False) | degrees(a) | rad2deg(a) | radians(a) | deg2rad(i) | sinc(a) | sinc(0.0) | exp2(a) | cbrt(a) | hypot(a, b) | logaddexp(a, b) | logaddexp2(a, b) | float_power(i, 2) | arctan2(a, b) | arcsin(a / 9.0) | power(m.abs(a), 1.5) | arccosh(m.abs(a) + 1.0)
cumsum(a) | cumsum(r, axis=1) | cumprod(a) | cumsum(r, 0) | a.cumsum() | r.cumprod(axis=2) | nancumsum(n) | nancumprod(nr, axis=1) | r.dot(r2.T)
percentile(v, 30) | percentile(r, [10, 50.5], axis=1) | percentile(i, 25) | percentile(r, 40, axis=(0, 2), keepdims=True) | quantile(v, 0.3) | quantile(v, [0.1, 0.9]) | median(a) | median(r, axis=1) | median(i) | average(a) | average(v, weights=m.abs(v) + 1.0) | average(r, axis=1, weights=[1.0, 2.0, 3.0]) | average(r2, axis=1, weights=r2 * r2) | average(i) | average(v, weights=v * v, returned=True) | average(r, axis=0, keepdims=True)
std(a, ddof=1) | var(r, axis=1, ddof=1) | r.std(axis=0, ddof=1) | mean(r, axis=(0, 1)) | std(v)
nansum(n) | nansum(nr, axis=1) | nanprod(n) | nanmean(n) | nanmean(nr, axis=(0, 1)) | nanvar(nr, axis=1) | nanstd(nr, axis=2, ddof=1) | nanstd(n) | nanmedian(n) | nanmedian(nr, axis=1) | nanquantile(nr, 0.3, axis=2) | nanpercentile(nr, [20, 70], axis=0, keepdims=True) | nanmean(i) | nansum(i) | nanmean(nr, axis=1, keepdims=True) | nanvar(v) | nanmedian(nr, keepdims=True)
histogram(v, density=True) | histogram(v, bins=4, density=True, weights=v * v) | interp(v, s2, s2 * s2) | interp(v, s2, s2, left=-9.0, right=9.0) | interp(0.3, [0.0, 1.0], [2.0, 4.0])
gradient(v) | gradient(v, 2.0) | gradient(v, s) | gradient(r) | gradient(r, axis=1) | gradient(r2, 2.0, 3.0) | gradient(v, edge_order=2) | gradient(v, s, edge_order=2) | gradient(r, 0.5, axis=(0, 2)) | gradient(i) | trapezoid(v) | trapezoid(v, s) | trapezoid(r, dx=0.5, axis=1) | trapezoid(r, v[:3], axis=1)
convolve(v, w) | convolve(w, v) | convolve(v, w, 'same') | convolve(w, v, mode='same') | convolve(w, v, 'valid') | dot(v, v) | dot(r, r2.T) | dot(r2, v[:4]) | dot(2.0, v) | dot(r, r2.T[:, :3]) | inner(v, v) | inner(r, r2) | inner(2.0, v) | vdot(r, r) | vdot(v + 1j, v + 2j) | outer(v, w) | outer(r2, v) | kron(r2, r2) | kron(v, w) | kron(r, v) | kron(i, i) | cross(r[:, :, :3], r[:, :, 1:]) | einsum('ij,kj->ik', r2, r2) | tensordot(r, r, axes=([0, 1], [0, 1]))
cov(r2) | cov(v) | cov(v, v[::-1]) | cov(r2, rowvar=False) | cov(r2, bias=True) | corrcoef(r2) | corrcoef(v, s) | polyval([1.0, 2.0, 3.0], a) | polyval(v[:3], 2.0) | polyfit(s, v, 2) | polyfit(s, v, 1)
mean(r, axis=1, where=r > -1) | std(r, where=r > -1) | var(r, axis=2, where=r > -1.5, ddof=1) | mean(i, dtype='float32') | i.mean(dtype='float32') | sum(r, axis=(0, 2), where=r > 0) | prod(r, axis=0, where=r > 0, initial=2.0) | angle(v + 1j, deg=True) | angle(v * 1j)
diff(r, prepend=0.0) | histogram_bin_edges(v, 4) | hamming(7) | hanning(6) | bartlett(5) | blackman(9) | kaiser(6, 3.0) | correlate(v, w) | correlate(w, v) | correlate(v, w, 'full') | correlate(w, v, 'same') | correlate(v * 1j, w + 1j) | correlate(w + 2j, v * 1j, 'full') | unwrap(v * 9.0) | unwrap(r * 5.0, axis=1) | unwrap(r2 * 5.0, discont=4.0) | unwrap(v * 9.0, period=1.5) | interp(v, s2, s2 * 2.0, period=1.7)
einsum(r2, [0, 1], r3, [0, 1], [1]) | einsum(r2, [0, 1], r3, [2, 1]) | einsum('ij,kj->ik', r2, r3, optimize=True) | linalg.svd(r2, compute_uv=False) | linalg.pinv(r2, 1e-9) | apply_along_axis(lambda l: l.sum(), 1, r) | apply_along_axis(lambda l: l * 2.0, 0, r) | apply_along_axis(lambda l: l[:2], 1, r) | apply_along_axis(lambda l: l.max(), 0, v)""".replace("\n", " | ")
SHAPES = [(), (0,), (1,), (5,), (2, 3), (0, 3), (2, 1, 3)]
# NumPy before 2 has other results: a period that is cut, places of a number, one number of float32 that is float64.
OLD = {"pad(v, (7, 5), 'wrap')", "where(t)", "nan_to_num(a / 0.0)"} if int(np.__version__.split(".")[0]) < 2 else set()


def arrays(shape, dtype):
    def some(s):
        return rng.uniform(-2, 2, s).astype(dtype)
    a, nr = some(shape), some((2, 3, 4))
    nr[rng.random(nr.shape) < 0.3] = np.nan
    n = a.copy()
    n[...] = np.where(rng.random(shape) < 0.4, np.nan, a)
    s2 = np.sort(some(4))
    return {"a": a, "b": some(shape), "v": some(6), "w": some(3), "s": np.sort(some(6)), "s2": s2, "n": n, "nr": nr, "i": rng.integers(-5, 9, 4),
            "j": rng.integers(0, 5, 4), "k": rng.integers(0, 5, 5), "k2": rng.integers(0, 2, (4, 3)), "t": np.asarray(a > 0.2), "u": some(6) > 0,
            "r": some((2, 3, 4)), "r2": some((3, 4))[:, :], "r3": some((3, 4))}


def compared(what, got, want, tolerance):
    if isinstance(want, (tuple, list)):
        if len(got) != len(want):
            return fail("%s: %d results, not %d" % (what, len(got), len(want)))
        for p, q in zip(got, want):
            compared(what, p, q, tolerance)
    elif isinstance(want, (bool, np.bool_, str)) or want is None or isinstance(want, int) and isinstance(got, int):
        if (bool(got) if isinstance(want, (bool, np.bool_)) else got) != want:
            fail("%s: %r, not %r" % (what, got, want))
    else:
        narrow = " of float32" in what and {np.asarray(got).dtype.name, np.asarray(want).dtype.name} == {"float32", "float64"}
        same(what, got, want, tolerance, dtype=not narrow)  # NumPy widens here and there, Orrery elsewhere


tries = compares = 0
for rounds in range(ROUNDS):
    for dtype in ("float64", "float32"):
        for shape in SHAPES if rounds or dtype == "float64" else SHAPES[3:5]:
            values = arrays(shape, dtype)
            ours = {k: o.asarray(x) for k, x in values.items()}
            for text, tolerance in ((SAME, 0.0), (NEAR, 1e-9 if dtype == "float64" else 3e-5)):
                for e in text.replace("\n", " | ").split(" | "):
                    name = e.split("(")[0].split("[")[0]
                    uses_a = any("(" + c in e.replace("(m.", "(").replace(", ", "(").replace("((", "(") or e.startswith(c + ".") for c in "abnt")
                    if not uses_a and shape != (5,) or e in OLD:
                        continue  # once for each dtype
                    line = e if name and hasattr(ours.get(name.split(".")[0], None), "shape") else "m." + e
                    tries += 1
                    try:
                        want = eval(line, {"m": np, **{k: x.copy() for k, x in values.items()}})  # noqa: S307
                    except Exception:  # noqa: BLE001
                        continue  # no such case
                    try:
                        got = eval(line, {"m": o, **{k: o.asarray(x) for k, x in values.items()}})  # noqa: S307
                    except Exception:  # noqa: BLE001
                        if name == "median" and 0 in shape:
                            continue  # an error here
                        fail("%s of %s %s: %s" % (e, dtype, shape, traceback.format_exc(limit=-2)))
                        continue
                    compares += 1
                    compared("%s of %s %s" % (e, dtype, shape), got, want, tolerance)
                    if line.startswith("m.") and name != "piecewise" and not (name == "fix" and np.__version__ < "2"):  # which index or write arrays
                        got = tried("numpy." + e, lambda: eval(line, {"m": np, **{k: o.asarray(x) for k, x in values.items()}}))  # noqa: S307
                        compared("numpy.%s of %s %s, of tensors" % (e, dtype, shape), got, want, tolerance)
if compares < 0.8 * tries:
    fail("%d of %d expressions were compared" % (compares, tries))
print("%d of %d" % (compares, tries)) if "-v" in sys.argv else None

x = o.asarray([1.0, 2.0, 3.0, 4.0])
o.put(x, [0, -1], [9.0, 8.0])
same("put", x, np.asarray([9.0, 2.0, 3.0, 8.0]))
x.fill(2.0)
same("fill", x, np.full(4, 2.0))
for order, change in enumerate((lambda m, x: x.sort(), lambda m, x: x.sort(0), lambda m, x: x[1:, ::-1].sort(axis=0, kind="stable"), lambda m, x: x[0].sort(),
                                lambda m, x: x.T.flat.__setitem__(slice(1, 4), [7.0, 8.0, 9.0]), lambda m, x: x.flat.__setitem__(-2, 5.0),
                                lambda m, x: setattr(x, "flat", [1.0, 2.0]), lambda m, x: m.put_along_axis(x, m.argmax(x, axis=1)[:, None], 9.0, axis=1),
                                lambda m, x: m.put_along_axis(x, m.asarray([[0, 1, 2]]), m.asarray([[4.0, 5.0, 6.0]]), axis=0),
                                lambda m, x: m.put_along_axis(x, m.asarray([3, 5]), m.asarray([4.0, 5.0]), axis=None),
                                lambda m, x: m.copyto(x, 2.0, where=x > 0), lambda m, x: m.copyto(x, x[::-1] * 2.0), lambda m, x: m.array(x).fill(0),
                                lambda m, x: m.array(x, copy=True).sort())):
    a = rng.normal(size=(4, 3))
    x = o.asarray(a)
    for m, y in ((np, a), (o, x)):
        change(m, y)
    same("a change in place, %d" % order, x, a)
a = rng.normal(size=5) + 2j
z = o.asarray(a)
for y in a, z:
    y.real = 3
    y.imag *= -1
    y[1:].imag = y.real[1:] + 1
same("parts of complex numbers", z, a)
same("x.flat", [float(v) for v in o.asarray([[1.0, 2.0], [3.0, 4.0]]).T.flat], np.asarray([1.0, 3.0, 2.0, 4.0]))
same("distinct rows", o.unique(o.arange(6000).reshape(3000, 2) // 4, axis=0), np.unique(np.arange(6000).reshape(3000, 2) // 4, axis=0))
if str(x.dtype) != "float64" or o.linalg.LinAlgError is not o.NumericError:
    fail("names of a dtype and of an error")
raises(ValueError, lambda: o.max(x, where=x > 0), "initial")
raises(TypeError, lambda: o.zeros(2, "f16"), "float64")
raises(TypeError, lambda: o.zeros(2, ">f4"), "float64")
raises(TypeError, lambda: o.zeros(2, "i"), "float64")
raises(ValueError, lambda: o.sort(x, kind="bubble"), "stable")
m = o.zeros((3, 3))
o.fill_diagonal(m, 5.0)
same("fill_diagonal", m, np.diag([5.0] * 3))
slope = o.grad(lambda v: (o.cumsum(v) * o.interp(v, [0.0, 9.0], [0.0, 18.0])).sum())(o.asarray([1.0, 2.0]))
same("gradients go through", slope, np.asarray([8.0, 10.0]))
g, again, other = (o.random.default_rng(k) for k in (7, 7, 8))
first = g.normal(2.0, 3.0, (40, 50))
same("one seed", again.normal(2.0, 3.0, (40, 50)), np.asarray(first))
if abs(first.mean().item() - 2.0) > 0.3 or abs(first.std().item() - 3.0) > 0.3 or o.array_equal(first, other.normal(2.0, 3.0, (40, 50))):
    fail("normal numbers")
for made, low, high in ((g.integers(3, 9, 500), 3, 8), (g.integers(4, size=(20, 30)), 0, 3), (g.integers(0, 2, 400, endpoint=True), 0, 2),
                        (o.random.randint(5, size=600), 0, 4), (g.choice(4, 300), 0, 3), (g.choice(3, 500, p=[0.1, 0.2, 0.7]), 0, 2)):
    if made.min().item() != low or made.max().item() != high or made.dtype.name != "int64":
        fail("integers of %d … %d: %s" % (low, high, made))
same("a certain choice", g.choice(3, 20000, p=[0.0, 1.0, 0.0]), np.ones(20000, "int64"))
same("a permutation", o.sort(g.permutation(50)), np.arange(50))
same("a choice without repetition", o.unique(g.choice(50, 50, replace=False)), np.arange(50))
x = o.arange(30)
g.shuffle(x)
same("a shuffle", o.sort(x), np.arange(30))
for made, shape in ((o.random.rand(2, 3), (2, 3)), (o.random.randn(4), (4,)), (o.random.random((2, 2)), (2, 2)), (g.random(), ()), (g.exponential(2.0, 5), (5,)),
                    (o.random.standard_normal(3), (3,)), (o.random.exponential(size=2), (2,))):
    if made.shape != shape or not o.isfinite(made).all():
        fail("random numbers of the shape %s: %s" % (shape, made))
for name, made, mean, deviation in (("lognormal", g.lognormal(0.0, 0.5, 40000), 1.1331, 0.6039), ("laplace", g.laplace(1.0, 2.0, 40000), 1.0, 2.8284),
                                    ("logistic", g.logistic(1.0, 0.5, 40000), 1.0, 0.9069), ("gumbel", g.gumbel(0.0, 1.0, 40000), 0.5772, 1.2825),
                                    ("weibull", g.weibull(2.0, 40000), 0.8862, 0.4633), ("rayleigh", g.rayleigh(2.0, 40000), 2.5066, 1.3103),
                                    ("pareto", g.pareto(5.0, 40000), 0.25, 0.3227), ("normal", o.random.normal(loc=2.0, scale=3.0, size=40000), 2.0, 3.0),
                                    ("uniform", o.random.uniform(0.0, 2.0, size=40000), 1.0, 0.5774)):
    if made.shape != (40000,) or abs(made.mean().item() - mean) > 0.03 * deviation or abs(made.std().item() / deviation - 1) > 0.1:
        fail("%s: mean %g, deviation %g" % (name, made.mean().item(), made.std().item()))
c = np.asarray([[2.0, 0.6], [0.6, 1.0]])
if np.abs(np.cov(np.asarray(g.multivariate_normal([1.0, -1.0], c, 40000)).T) - c).max() > 0.1:
    fail("covariances")
same("quantiles of no lines", o.quantile(o.zeros((0, 3)), 0.4, axis=1, method="lower"), np.zeros(0))
same("no counts", o.repeat(o.ones(0), o.ones(0, dtype="int64")), np.ones(0))
raises(ValueError, lambda: o.where(x > 1, x), "both")
raises(TypeError, lambda: np.sum(x, out=x), "value")
raises(AttributeError, lambda: o.issubdtype, "orrery.isdtype")
raises(AttributeError, lambda: o.nansums, "orrery.nansum")
raises(AttributeError, lambda: o.savez, "orrery.save_npz")
raises(AttributeError, lambda: o.linalg.nothing)
raises(ValueError, lambda: o.pad(x, 1, "mirror"), "reflect")
raises(IndexError, lambda: o.delete(x, 70), "out of range")
end()
