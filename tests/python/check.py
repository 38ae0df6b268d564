"""What the files of tests share: a list of failures, comparisons with NumPy."""
import sys
import traceback

try:
    import numpy as np
except ImportError:
    np = None
import orrery as o  # noqa: F401

failures = 0


def numpy_or_skip():
    if np is None:
        print("skip: no numpy")
        sys.exit(77)
    return np


def fail(text):
    global failures
    failures += 1
    if failures < 40:
        print("FAIL:", text)


def raises(kind, fn, part=""):
    """fn() raises an exception of the kind whose text has the part."""
    try:
        r = fn()
    except kind as e:
        if part not in str(e):
            fail("the message %r has no %r" % (str(e), part))
    except Exception as e:  # noqa: BLE001
        fail("%s in place of %s: %s" % (type(e).__name__, kind, e))
    else:
        fail("no exception, but %r" % (r,))


def same(what, got, want, rtol=0.0, dtype=True):
    """got, a tensor, has the shape, the dtype and the elements of want."""
    want = np.asarray(want)
    try:
        g = np.asarray(got)
    except Exception:  # noqa: BLE001
        return fail("%s: %s" % (what, traceback.format_exc(limit=-2)))
    if g.shape != want.shape or (dtype and g.dtype != want.dtype):
        return fail("%s: %s %s, not %s %s" % (what, g.dtype, g.shape, want.dtype, want.shape))
    scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=1.0)) if want.dtype.kind in "fc" else 1.0
    if not (np.allclose(g, want, rtol=rtol, atol=rtol * scale, equal_nan=True) if rtol else np.array_equal(
            g, want, equal_nan=want.dtype.kind in "fc")):
        fail("%s:\n%s\nnot\n%s" % (what, g, want))


def tried(what, fn):
    try:
        return fn()
    except Exception:  # noqa: BLE001
        fail("%s: %s" % (what, traceback.format_exc(limit=-3)))


def end():
    print("%d failures" % failures)
    sys.exit(1 if failures else 0)
