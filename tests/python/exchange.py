"""Arrays of NumPy and tensors, both ways: buffers, DLPack, pickles; memory is shared or copied as it is said."""
import copy
import gc
import pickle
import weakref

from check import end, fail, numpy_or_skip, o, raises, same

np = numpy_or_skip()
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()

for t in TYPES:
    for shape in ((), (0,), (3,), (2, 3, 4), (2, 0, 3)):
        a = (np.arange(np.prod(shape, dtype=int)) % 2).astype(t).reshape(shape)
        same("array %s %s" % (t, shape), o.asarray(a), a)
        if np.asarray(o.asarray(a)).dtype.char != a.dtype.char:  # int64 and long long are equal, but code in C tells them apart
            fail("an array of %s has the type of %s" % (t, np.asarray(o.asarray(a)).dtype.char))
        if t == "bool":
            continue  # DLPack of older NumPys has no truth values
        same("dlpack in %s %s" % (t, shape), o.from_dlpack(a), a)
        same("dlpack out %s %s" % (t, shape), o.asarray(np.from_dlpack(o.asarray(a))), a)
    x = np.arange(24).astype(t).reshape(2, 3, 4)
    same("strided " + t, o.asarray(x[:, ::-1, 1::2]), x[:, ::-1, 1::2])
    same("strided dlpack " + t, o.from_dlpack(x[:, ::-1, 1::2]) if t != "bool" else o.asarray(x[:, ::-1, 1::2]), x[:, ::-1, 1::2])
    same("pickle " + t, pickle.loads(pickle.dumps(o.asarray(x))), x)
same("other order of bytes", o.asarray(np.arange(3, dtype="<i4")), np.arange(3, dtype="i4"))
raises(TypeError, lambda: o.asarray(np.arange(3, dtype=">i4")), "format")
raises(TypeError, lambda: o.asarray(np.array(["a"])))
raises(TypeError, lambda: o.asarray({}))

# A copy does not follow its array; a shared one keeps the array alive, without a cycle.
a = np.arange(5.0)
t, s = o.asarray(a), o.asarray(a, copy=False)
a[0] = 9
same("copied", t, np.arange(5.0))
same("shared", s, a)


class Kept(np.ndarray):
    pass


b = np.arange(6.0).view(Kept)
gone = weakref.ref(b)
t = o.asarray(b, copy=False) + 1
del b
same("memory lives while a tensor needs it", t, np.arange(6.0) + 1)
del t
gc.collect()
o.asarray(a)  # releases what is finished
if gone() is not None:
    fail("shared memory is kept for ever")

# Exported memory outlives its tensor, and is read-only.
m = np.asarray(o.arange(100000) * 2)
d = np.from_dlpack(o.arange(100000) * 3)
gc.collect()
same("memory after its tensor", m[::50000], np.array([0, 100000]))
same("dlpack after its tensor", d[::50000], np.array([0, 150000]))
if m.flags.writeable:
    fail("a tensor's memory can be written")
if hasattr(np, "concat"):  # NumPy 2: a copy that is asked for is the program's, to write into
    x = o.arange(3.0)
    m = np.from_dlpack(x, copy=True)
    m += 1
    same("a copy of DLPack is written", m, np.arange(3.0) + 1)
    same("not the tensor that it is of", x, np.arange(3.0))
same("backwards", [float(v) for v in reversed(o.arange(3.0))], np.array([2.0, 1.0, 0.0]))
raises(BufferError, lambda: memoryview(o.asarray(1, dtype="bfloat16")))
raises(TypeError, lambda: o._core.from_capsule(3))
c = o.asarray(1.0).__dlpack__()
o._core.from_capsule(c)
raises(TypeError, lambda: o._core.from_capsule(c), "used")
old = o.ones(3)  # a consumer of the old form may write
o._core.from_capsule(old.__dlpack__())
raises(BufferError, lambda: old.__dlpack__(copy=False), "read-only")
assert o.asarray(1.0).__dlpack_device__() == (1, 0)
assert "dltensor_versioned" in repr(o.asarray(1.0).__dlpack__(max_version=(1, 0)))
x = o.asarray([1.0, 2.0])
y = copy.deepcopy(x)
y[0] = 5
same("deep copy", x, [1.0, 2.0])
same("bfloat16", o.asarray(pickle.loads(pickle.dumps(o.asarray([1.5], dtype="bfloat16"))), dtype="float32"), np.array([1.5], "f4"))
assert o.asarray(np.float32(3)).dtype is o.float32 and (x + np.float64(1)).dtype is o.float64
assert pickle.loads(pickle.dumps(o.float32)) is o.float32
end()
