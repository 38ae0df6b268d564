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
a[0] = 0
same("a part sees what is assigned to the whole", other, a.ravel())
row, column, other = t[1], t.T if t.ndim == 2 else t.transpose(2, 1, 0)[3], t.reshape(24)
nrow, ncolumn, nother = a[1], a.transpose(2, 1, 0)[3], a.reshape(24)
scalar, taken, copy = t[1, 2, 3], t[[0, 1]], t[1].copy()
for x, r, c, f in (t, row, column, other), (a, nrow, ncolumn, nother):
    r[1, 2] = -1
    c[0, 1] = -2
    f[20:] += 100
    part = r[0]
    part *= 2
    part[1:][1] = -3
    for line in c:
        line[-1] = 5
    x[1, 2, 0] = 7
    r[...] -= 1
same("the whole sees what is assigned to its parts", t, a)
same("parts see each other: a row", row, nrow)
same("a column", column, ncolumn)
same("another shape", other, nother)
first, second = o.split(t, 2)
second[...] = 3
o.squeeze(first, 0)[0, 0] = 4
o.flip(o.expand_dims(t, 0))[0, 0, 0] = 6
a[1], a[0, 0, 0], a[-1, -1] = 3, 4, 6
same("parts by functions", t, a)
same("an element is no part", scalar, 23)
same("chosen elements are no part", taken[1], np.arange(24).reshape(2, 3, 4)[1])
same("a copy is no part", copy, np.arange(12, 24).reshape(3, 4))
same_again, all_of_it, naked = t[...], t[()], a[...]
same_again += 1
all_of_it *= 2
naked += 1
naked *= 2
same("a part of all elements", t, a)
row = t[0]
del t
row[0] = 9
nrow = a[0]
nrow[0] = 9
same("a part whose whole has no name", row, nrow)
deep = o.arange(3000)
for k in range(2500):
    deep, held = deep[1:], deep
deep[0] = -1
same("a part of a part", [deep[0].item(), held[1].item(), held[0].item()], [-1, -1, 2499])
t = o.asarray(np.arange(24).reshape(2, 3, 4))
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
# A part in another shape is a part where NumPy has a view, a copy where NumPy has one.
for case in range(300):
    shape = tuple(random.choice([1, 2, 3, 4]) for _ in range(random.randint(2, 4)))
    a = np.arange(int(np.prod(shape))).reshape(shape)
    t = o.asarray(a.copy())
    v, w = a, t
    for _ in range(2):
        order = tuple(random.sample(range(v.ndim), v.ndim))
        v, w = v.transpose(order), w.transpose(order)
        key = tuple(random.choice([slice(None), slice(None, None, -1), slice(0, 2), slice(None, None, 2), 0 if k and v.ndim > 1 else slice(None)])
                    for k in range(v.ndim))
        if v[key].ndim:
            v, w = v[key], w[key]
    left, other = v.size, []
    while left > 1:
        other.append(random.choice([n for n in range(2, left + 1) if left % n == 0]))
        left //= other[-1]
    other = random.sample(other, len(other)) + [1] * random.randint(0, 1) or [1]
    v, w = v.reshape(other), w.reshape(other)
    v[...] = -1 - v
    w[...] = -1 - w
    same("%s as %s" % (shape, other), w, v)
    same("the whole of %s as %s" % (shape, other), t, a)
end()
