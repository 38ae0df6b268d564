"""Fits y = X·w + b to noisy points by gradient descent and compares the fit with the true w and b."""
import sys

import orrery as o

o.seed(1)
true_w, true_b = [1.5, -2.0, 0.5], 0.25
x = o.random.normal(shape=(1000, 3))
y = x @ o.asarray(true_w) + true_b + o.random.normal(0.0, 0.1, (1000,))
o.eval_all([x, y])

w, b = o.variable(o.zeros(3)), o.variable(o.zeros(()))
optimiser = o.SGD([w, b], lr=0.05, momentum=0.9)
for step in range(1, 201):
    loss = o.mse(x @ w + b, y)
    optimiser.step(loss)
    value = loss.item()  # evaluates the loss and the step together
    if step == 1 or step % 50 == 0:
        print("step %3d   loss %.6f" % (step, value))

found = w.tolist() + [b.item()]
worst = max(abs(f - t) for f, t in zip(found, true_w + [true_b]))
print("found %s: %s" % (" ".join("%.4f" % v for v in found), "right" if worst < 0.02 else "WRONG"))
sys.exit(worst >= 0.02)
