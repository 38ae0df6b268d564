# Makes privacy.inc: divergences by numerical integration (mpmath), ε by Opacus and by the privacy loss distributions of
# dp-accounting, exact Gaussians (SciPy's special functions in mpmath's precision), per-example clipped gradients by PyTorch.
# usage: python make_privacy.py > privacy.inc
#        (made with mpmath 1.4.1, Opacus 1.6.0, dp-accounting 0.6.0, PyTorch 2.15.0)
#
# Opacus' divergences of fractional orders are not used by themselves: a value is printed only when integration agrees.
import warnings
warnings.filterwarnings("ignore")
import mpmath as mp
from dp_accounting.pld import privacy_loss_distribution as pld
from opacus.accountants.analysis import rdp as opacus

mp.mp.dps = 40
ORDERS = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))


def num(x):
    return "%.17g" % float(x)


def sampled(q, sigma, alpha):
    """Rényi divergence of the sampled Gaussian, by integration of its definition."""
    q, s, a = mp.mpf(q), mp.mpf(sigma), mp.mpf(alpha)
    density = lambda z: mp.exp(-z * z / (2 * s * s)) / (s * mp.sqrt(2 * mp.pi))
    f = lambda z: density(z) * ((1 - q) + q * mp.exp((2 * z - 1) / (2 * s * s))) ** a
    cuts = [-30 * s + k * s for k in range(int(30 + a / s + 31))]
    return mp.log(mp.quad(f, cuts)) / (a - 1)


def laplace(b, alpha):
    b, a = mp.mpf(b), mp.mpf(alpha)
    f = lambda x: mp.exp(-a * abs(x) / b + (a - 1) * abs(x - 1) / b) / (2 * b)
    return mp.log(mp.quad(f, [-mp.inf, -8, 0, 1, 9, mp.inf])) / (a - 1)


print("/* Made by make_privacy.py. */")
print("static const struct { double q, sigma, alpha, rdp; } sampled_rdp[] = {")
for q, sigma in ((0.04, 1.5), (256 / 60000, 1.1), (0.01, 4), (0.1, 2), (0.5, 0.7), (0.001, 1), (0.02, 0.5), (0.3, 10)):
    for alpha in (1.1, 1.5, 2, 2.5, 3, 5.7, 10.9, 12, 32, 63):
        print("    { %s, %s, %s, %s }," % (num(q), num(sigma), num(alpha), num(sampled(q, sigma, alpha))))
print("};")

print("static const struct { double b, alpha, rdp; } laplace_rdp[] = {")
for b in (0.5, 1, 3):
    for alpha in (1.1, 2, 4.5, 20):
        print("    { %s, %s, %s }," % (num(b), num(alpha), num(laplace(b, alpha))))
print("};")

cases = [(.04, 1.5, 2250, 1e-5), (.01, 4, 10000, 1e-5), (256 / 60000, 1.1, 14062, 1e-5), (.01, 1.1, 1000, 1e-5),
         (.001, 1, 10000, 1e-6), (.1, 2, 100, 1e-5), (1, 5, 10, 1e-5), (.02, .6, 50, 1e-5), (.25, 3, 400, 1e-7)]
print("static const struct { double q, sigma; long times; double delta, rdp, pld; } sampled_epsilon[] = {")
for q, sigma, times, delta in cases:
    rdp = opacus.compute_rdp(q=q, noise_multiplier=sigma, steps=times, orders=ORDERS)
    eps, order = opacus.get_privacy_spent(orders=ORDERS, rdp=rdp, delta=delta)
    one = float(sampled(q, sigma, order)) if q < 1 else order / (2 * sigma ** 2)
    assert abs(times * one - rdp[ORDERS.index(order)]) < 1e-9 * times * one, (q, sigma, order)
    p = pld.from_gaussian_mechanism(sigma, sampling_prob=q, value_discretization_interval=1e-4,
                                    use_connect_dots=True).self_compose(times)
    print("    { %s, %s, %d, %s, %s, %s }," % (num(q), num(sigma), times, num(delta), num(eps),
                                                num(p.get_epsilon_for_delta(delta))))
print("};")

print("static const struct { double q, b; long times; double delta, pld; } laplace_epsilon[] = {")
for q, b, times, delta in ((1, 1, 1, 1e-5), (1, 2, 10, 1e-5), (.1, 1, 50, 1e-6), (.01, .5, 500, 1e-5)):
    p = pld.from_laplace_mechanism(b, sampling_prob=q, value_discretization_interval=1e-4).self_compose(times)
    print("    { %s, %s, %d, %s, %s }," % (num(q), num(b), times, num(delta), num(p.get_epsilon_for_delta(delta))))
print("};")

print("static const struct { double sigma, epsilon, delta; } exact_gaussian[] = {")
phi = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
for sigma in (0.5, 5 / mp.sqrt(10), 1, 3, 20):
    for epsilon in (0, 0.1, 1, 2.594383381, 8):
        s, e = mp.mpf(sigma), mp.mpf(epsilon)
        d = phi(1 / (2 * s) - e * s) - mp.exp(e) * phi(-1 / (2 * s) - e * s)
        print("    { %s, %s, %s }," % (num(s), num(e), num(d)))
print("};")
