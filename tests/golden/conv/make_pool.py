# Makes pool.txt beside it: pooling, resizing and their derivatives by PyTorch, in the format of tests/golden/numpy.
# usage: python make_pool.py      (PyTorch on a CPU)
#
# Results are computed in float64 and rounded once. Parameters of pooling: what is asked for, p, round_up, exclude_padding, then
# window, stride, dilation, padding and size, three numbers each. Of resizing: what is asked for, mode, align_corners, size.
import pathlib
import torch
import torch.nn.functional as F

torch.manual_seed(19)
VALUE, BY_X, INDICES, UNPOOLED, TWICE = range(5)
lines = []


def array(word, a):
    values = ["%d" % v if v == v and abs(v) < 1e15 and v == int(v) else repr(v) for v in a.double().reshape(-1).tolist()]
    return " ".join([word, str(a.dtype).split(".")[1], str(a.dim())] + [str(d) for d in a.shape] + values)


def case(name, ins, params, out, ulps=0):
    lines.append(" ".join(["case", name, str(ulps), str(len(params))] + [repr(p) if isinstance(p, float) else str(int(p))
                                                                        for p in params]))
    lines.extend(array("in", a) for a in ins)
    lines.append(array("out", out))


def three(v, missing):
    return list(v) + [missing] * (3 - len(v))


def ask(name, x, f, params, what, dt, ulps=0, twice=False):
    wide = x.double().requires_grad_()
    y = f(wide)
    g = torch.randint(-3, 4, tuple(y.shape)).to(dt)
    if VALUE in what:
        case(name, [x], [VALUE] + params, y.detach().to(dt), ulps)
    if BY_X in what:
        case(name, [x, g], [BY_X] + params, torch.autograd.grad((g.double() * y).sum(), wide)[0].to(dt), ulps)
    if TWICE in what:
        y = f(wide)
        by = torch.autograd.grad((g.double() * y * y).sum(), wide, create_graph=True)[0]
        case(name, [x, g], [TWICE] + params, torch.autograd.grad((by * by).sum(), wide)[0].to(dt), ulps)


def values(shape, dt):
    n = 1
    for d in shape:
        n *= d
    return (torch.randperm(n).reshape(shape) % 61 - 30).to(dt)  # equal ones, too


def pool(kind, shape, window, what=(VALUE, BY_X), dtype="float32", stride=None, dilation=None, padding=None, round_up=False,
         exclude=False, size=None, p=2.0):
    axes, dt = len(shape) - 2, getattr(torch, dtype)
    x = values(shape, dt)
    st, di, pa = stride or window, dilation or [1] * axes, padding or [0] * axes
    params = [p, round_up, exclude] + three(window, 1) + three(stride or [0] * axes, 0) + three(di, 1) + three(pa, 0) + \
        three(size or [0] * axes, 0)
    pick = lambda *f: f[axes - 1]
    if kind == "maxpool" and size:
        f = lambda v, i=False: pick(F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)(v, size, return_indices=i)
    elif kind == "maxpool":
        f = lambda v, i=False: pick(F.max_pool1d, F.max_pool2d, F.max_pool3d)(v, window, st, pa, di, ceil_mode=round_up,
                                                                             return_indices=i)
    elif kind == "averagepool" and size:
        f = pick(F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d)
        f = (lambda h: lambda v: h(v, size))(f)
    elif kind == "averagepool":
        f = lambda v: pick(F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)(v, window, st, pa, round_up, not exclude)
    else:
        f = lambda v: pick(F.lp_pool1d, F.lp_pool2d, None)(v, p, window if axes > 1 else window[0], st if axes > 1 else st[0],
                                                          round_up)
    ask(kind, x, f, params, what, dt, 0 if kind == "maxpool" else 4 if kind == "averagepool" else 32)
    if kind == "maxpool":
        y, i = f(x.double(), True)
        case(kind, [x], [INDICES] + params, i)
        if UNPOOLED in what:
            out = pick(F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)(y, i, window, st, pa, shape[2:])
            case(kind, [y.to(dt), i], [UNPOOLED] + params[:-3] + three(shape[2:], 0), out.to(dt))


pool("maxpool", (2, 3, 7, 6), [2, 2], (VALUE, BY_X, UNPOOLED))
pool("maxpool", (1, 2, 11), [3], stride=[2], padding=[1])
pool("maxpool", (1, 3, 8, 9), [3, 2], (VALUE, BY_X, TWICE), "float64", stride=[2, 1], padding=[1, 1], dilation=[1, 3])
pool("maxpool", (1, 2, 7, 8), [3, 3], stride=[2, 2], padding=[1, 1], round_up=True)
pool("maxpool", (2, 2, 5, 6, 5), [2, 3, 2], stride=[1, 2, 2])
pool("maxpool", (1, 2, 7, 10), [1, 1], size=[3, 4])
pool("maxpool", (2, 3, 6, 8), [1, 1], size=[3, 2])
pool("maxpool", (1, 1, 9), [1], size=[4])
pool("maxpool", (1, 1, 3, 300), [2, 2], [VALUE], stride=[1, 1])  # more windows in a row than are found side by side
pool("maxpool", (0, 2, 4, 4), [2, 2])
for dtype in ("float16", "bfloat16"):
    pool("maxpool", (1, 2, 4, 6), [2, 2], dtype=dtype)
    pool("averagepool", (1, 2, 4, 6), [2, 3], dtype=dtype)
x = values((1, 2, 4, 4), torch.float32)
x[0, 0, 1, 1], x[0, 1, 0, 0], x[0, 1, 2, 2] = float("nan"), float("-inf"), float("inf")
case("maxpool", [x], [VALUE, 2.0, 0, 0, 2, 2, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0], F.max_pool2d(x, 2))
pool("averagepool", (2, 3, 7, 6), [2, 2])
pool("averagepool", (1, 2, 8), [3], (VALUE, BY_X, TWICE), "float64", stride=[1], padding=[1])
for exclude in (False, True):
    for up in (False, True):
        pool("averagepool", (1, 2, 7, 6), [3, 2], stride=[2, 3], padding=[1, 1], round_up=up, exclude=exclude)
pool("averagepool", (1, 2, 4, 5, 6), [2, 2, 3], stride=[2, 1, 3])
pool("averagepool", (1, 2, 7, 10), [1, 1], (VALUE, BY_X, TWICE), "float64", size=[3, 4])
pool("averagepool", (2, 3, 5, 6), [1, 1], size=[1, 1])
pool("averagepool", (1, 2, 6), [1], size=[9])
pool("lppool", (1, 2, 6, 7), [2, 3], (VALUE, BY_X), "float64")
pool("lppool", (1, 2, 9), [3], (VALUE, BY_X), "float32", stride=[2], p=3.0)
pool("lppool", (1, 2, 6, 6), [2, 2], (VALUE,), "float32", p=1.0)

MODES = {1: {"nearest": 0, "linear": 1, "area": 3, "nearest-exact": 4},
         2: {"nearest": 0, "bilinear": 1, "bicubic": 2, "area": 3, "nearest-exact": 4},
         3: {"nearest": 0, "trilinear": 1, "area": 3, "nearest-exact": 4}}
for shape, sizes in (((1, 2, 5), [(8,), (3,), (1,)]), ((2, 2, 4, 5), [(7, 9), (2, 3), (4, 8), (1, 1)]), ((1, 2, 3, 4, 3), [(5, 3, 2)])):
    for mode, number in MODES[len(shape) - 2].items():
        for corners in ((False, True) if number in (1, 2) else (None,)):
            for size in sizes:
                dt = torch.float64 if size == sizes[0] else torch.float32
                what = (VALUE, BY_X, TWICE) if dt == torch.float64 and number != 2 else (VALUE, BY_X)
                f = lambda v: F.interpolate(v, size, mode=mode, align_corners=corners)
                ask("interpolate", values(shape, dt), f, [number, bool(corners)] + three(size, 0), what, dt, 16)
pathlib.Path(__file__).with_name("pool.txt").write_text("\n".join(lines) + "\n")
