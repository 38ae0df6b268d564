# Makes convolution.txt beside it: convolutions and their derivatives by PyTorch, in the format of tests/golden/numpy.
# usage: python make_conv.py      (PyTorch on a CPU)
#
# Operands are small integers, so that every sum is exact in float64; results are rounded once. Parameters of a case: what is
# asked for (VALUE, a derivative of sum(g · y), or of the square of one), same, groups, then stride, dilation, padding in front,
# padding behind and output padding, three numbers each.
import pathlib
import torch
import torch.nn.functional as F

torch.manual_seed(18)
VALUE, BY_X, BY_W, BY_BIAS, TWICE_X, TWICE_W = range(6)
lines = []


def draw(shape, dtype):
    return torch.randint(-3, 4, shape).to(dtype)


def array(word, a):
    values = ["%d" % v if v == int(v) else repr(v) for v in a.double().reshape(-1).tolist()]
    return " ".join([word, str(a.dtype).split(".")[1], str(a.dim())] + [str(d) for d in a.shape] + values)


def case(name, ins, params, out, ulps=0):
    lines.append(" ".join(["case", name, str(ulps), str(len(params))] + [str(int(p)) for p in params]))
    lines.extend(array("in", a) for a in ins)
    lines.append(array("out", out))


def three(v, missing):
    return list(v) + [missing] * (3 - len(v))


def convolution(x, w, bias, o):
    axes = x.dim() - 2
    if o["same"]:
        return (F.conv1d, F.conv2d, F.conv3d)[axes - 1](x, w, bias, 1, "same", tuple(o["dilation"]), o["groups"])
    pads = [p for d in reversed(range(axes)) for p in (o["before"][d], o["after"][d])]
    return (F.conv1d, F.conv2d, F.conv3d)[axes - 1](F.pad(x, pads), w, bias, tuple(o["stride"]), 0,
                                                      tuple(o["dilation"]), o["groups"])


def transposed(y, w, bias, o):
    axes = y.dim() - 2
    f = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[axes - 1]
    pad = [min(a, b) for a, b in zip(o["before"], o["after"])]
    out = f(y, w, None, tuple(o["stride"]), tuple(pad), tuple(o["output_padding"]), o["groups"], tuple(o["dilation"]))
    for d in range(axes):  # what is more on one side is cut off
        a, b = o["before"][d] - pad[d], o["after"][d] - pad[d]
        out = out.narrow(2 + d, a, out.shape[2 + d] - a - b)
    return out if bias is None else out + bias.reshape([1, -1] + [1] * axes)


def make(name, f, xs, ws, what, biased=False, dtype="float32", **options):
    axes = len(xs) - 2
    o = {"same": False, "groups": 1, "stride": [1] * axes, "dilation": [1] * axes, "before": [0] * axes, "after": [0] * axes,
         "output_padding": [0] * axes, **options}
    dt = getattr(torch, dtype)
    x, w = draw(xs, dt), draw(ws, dt)
    wide = [x.double().requires_grad_(), w.double().requires_grad_()]
    ins = [x, w]
    channels = ws[0] if f is convolution else ws[1] * o["groups"]
    if biased:
        ins.append(draw((channels,), dt))
        wide.append(ins[2].double().requires_grad_())
    y = f(wide[0], wide[1], wide[2] if biased else None, o)
    g = draw(tuple(y.shape), dt)
    for ask in what:
        params = [ask, o["same"], o["groups"]] + three(o["stride"], 1) + three(o["dilation"], 1) + three(o["before"], 0) + \
            three(o["after"], 0) + three(o["output_padding"], 0)
        if ask == VALUE:
            case(name, ins, params, y.detach().to(dt))
            continue
        if ask < TWICE_X:
            out = torch.autograd.grad((g.double() * y).sum(), wide[ask - BY_X], retain_graph=True)[0]
        else:
            by = torch.autograd.grad((g.double() * y * y).sum(), wide[ask - TWICE_X], create_graph=True)[0]
            out = torch.autograd.grad((by * by).sum(), wide[1 - (ask - TWICE_X)], retain_graph=True)[0]
        case(name, ins + [g], params, out.to(dt))


FIRST = [VALUE, BY_X, BY_W]
ALL = FIRST + [TWICE_X, TWICE_W]
for name, f in (("convolution", convolution), ("transposed", transposed)):
    m = lambda xs, o, ks, what=FIRST, groups=1, **k: make(name, f, xs, (o, xs[1] // groups) + ks if f is convolution else
                                                          (xs[1], o // groups) + ks, what, groups=groups, **k)
    m((2, 3, 7), 2, (3,))
    m((1, 2, 9), 4, (4,), stride=[2], before=[2], after=[1])
    m((2, 3, 5, 6), 4, (3, 3), FIRST + [BY_BIAS], biased=True)
    m((1, 1, 7, 5), 2, (3, 2), ALL, stride=[2, 1], before=[1, 0], after=[1, 1], dtype="float64")
    m((1, 4, 6, 7), 6, (3, 2), ALL, groups=2, dilation=[2, 3], before=[2, 1], after=[2, 2], dtype="float64")
    m((2, 4, 5, 5), 4, (3, 3), groups=4, before=[1, 1], after=[1, 1])
    m((2, 3, 7, 6), 6, (2, 3), groups=3, stride=[3, 2], dilation=[1, 2], before=[0, 1], after=[0, 0])
    m((1, 3, 4, 5), 5, (1, 1))
    m((1, 2, 3, 4, 5), 3, (2, 2, 3), before=[1, 0, 2], after=[0, 0, 1], stride=[1, 2, 2])
    m((1, 4, 3, 3, 4), 2, (2, 1, 2), ALL, groups=2, dilation=[2, 1, 2], before=[1, 0, 1], after=[1, 0, 0], dtype="float64")
    for dtype in ("float16", "bfloat16"):
        m((1, 2, 5, 4), 3, (3, 3), FIRST + [BY_BIAS], biased=True, before=[1, 1], after=[1, 1], stride=[2, 1], dtype=dtype)
make("convolution", convolution, (1, 2, 2, 3), (3, 2, 4, 5), ALL, before=[2, 2], after=[1, 0], dtype="float64")  # kernel > input
make("convolution", convolution, (2, 2, 8), (2, 2, 4), FIRST, same=True, dilation=[3])
make("convolution", convolution, (1, 2, 5, 6), (3, 2, 3, 2), FIRST, same=True, dilation=[1, 2])
make("convolution", convolution, (0, 3, 5, 6), (4, 3, 3, 3), [VALUE, BY_W], biased=True)  # no image
make("convolution", convolution, (2, 9, 5, 7), (11, 9, 1, 1), [VALUE])
for ask in FIRST:  # more than one block of columns
    make("convolution", convolution, (1, 1, 30, 41), (1, 1, 3, 3), [ask], before=[1, 1], after=[1, 1], stride=[2, 1])
    make("convolution", convolution, (1, 5, 13, 9), (4, 5, 3, 3), [ask], before=[1, 1], after=[1, 1])
make("transposed", transposed, (1, 2, 3, 4), (2, 3, 3, 3), FIRST, stride=[2, 3], before=[1, 1], after=[1, 1],
     output_padding=[1, 2])
make("transposed", transposed, (2, 2, 5), (2, 2, 2), FIRST, stride=[3], dilation=[2], output_padding=[2])
make("transposed", transposed, (0, 3, 4, 5), (3, 2, 2, 2), [VALUE, BY_W])
pathlib.Path(__file__).with_name("convolution.txt").write_text("\n".join(lines) + "\n")
