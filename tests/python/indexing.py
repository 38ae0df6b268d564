"""Reading and assigning by indices of all kinds, drawn at random, as NumPy does it."""
import random

from check import end, numpy_or_skip, o, raises, same, tried

np = numpy_or_skip()
random.seed(43)


def one(n, kinds):
    kind = random.choice(kinds)
    if kind == "int":
        return random.randrange(-n, n)
    if kind == "array":
        return np.array([[random.randrange(-n, n) for _ in range(2)] for _ in range(random.randrange(1, 3))])
    if kind == "mask":
        return np.array([random.random() < 0.5 for _ in range(n)])
    bound = [None] + list(range(-n - 1, n + 2))
    return slice(random.choice(bound), random.choice(bound), random.choice([None, 1, 2, 3, -1, -2]))


def key(shape):
    kinds = random.choice([["int", "slice"], ["slice", "slice", "array"], ["int", "slice", "array"], ["slice", "mask"]])
    parts = [one(n, kinds) for n in shape[:random.randrange(len(shape) + 1)]]
    if sum(isinstance(p, np.ndarray) and p.dtype == bool for p in parts) > 1:
        parts = [p if not isinstance(p, np.ndarray) else slice(None) for p in parts]
    if random.random() < 0.3:
        parts.insert(random.randrange(len(parts) + 1), None)
    if random.random() < 0.3:
        parts.append(Ellipsis)
    return tuple(parts)


def ours(k):
    return tuple(o.asarray(p) if isinstance(p, np.ndarray) else p for p in k)


for case in range(400):
    shape = tuple(random.randrange(1, 5) for _ in range(random.randrange(1, 5)))
    a = np.arange(np.prod(shape), dtype="f8").reshape(shape)
    k = key(shape)
    try:
        want = a[k]
    except IndexError:
        raises(IndexError, lambda: np.asarray(o.asarray(a)[ours(k)]))
        continue
    got = tried("%s of %s" % (k, shape), lambda: o.asarray(a)[ours(k)])
    if got is not None:
        same("%s of %s" % (k, shape), got, want)
    t, b = o.asarray(a), a.copy()
    value = np.arange(want.size, dtype="f8").reshape(want.shape) + 100 if case % 2 else -1.0
    arrays = [p for p in k if isinstance(p, np.ndarray)]
    if arrays and case % 2:
        value = 7.0  # of equal places NumPy does not say which value stays
    b[k] = value
    tried("assignment %s of %s" % (k, shape), lambda: t.__setitem__(ours(k), o.asarray(value) if case % 2 else value))
    same("assignment %s of %s" % (k, shape), t, b)

a = np.arange(24).reshape(2, 3, 4)
t = o.asarray(a)
same("a mask of two axes", t[o.asarray(a[..., 0] > 4)], a[a[..., 0] > 4])
same("a mask of all axes", t[t > 5], a[a > 5])
same("rows", [np.asarray(r).sum() for r in t], [r.sum() for r in a])
same("the first row of many", next(iter(o.ones(2**40))), 1.0)
other = o.reshape(t, (24,))
t[0] = 0
same("a view keeps its value", other, a.ravel())
line = o.zeros(200)
for k in range(200):
    line[k] = k * 2 + line[k - 1] * 0
same("a loop of assignments", line, np.arange(200) * 2.0)
raises(IndexError, lambda: t[2])
raises(IndexError, lambda: t[0, 0, 0, 0])
raises(IndexError, lambda: t["a"])
raises(IndexError, lambda: t[0.5])
raises(IndexError, lambda: np.asarray(t[o.asarray([0, 5])]))
raises(IndexError, lambda: t[..., ...])
end()
