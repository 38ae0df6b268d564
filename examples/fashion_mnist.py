"""Trains a 784-128-10 network on Fashion-MNIST and prints its accuracy on the test images.

usage: fashion_mnist.py [STEPS [FOLDER]]     FOLDER holds the IDX files (Debian: dataset-fashion-mnist)
"""
import sys

import orrery as o


def images(path):
    return (o.astype(o.load_idx(path), "float32").reshape(-1, 784) - 0.2860 * 255) / (0.3530 * 255)


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 400
folder = sys.argv[2] if len(sys.argv) > 2 else "/usr/share/datasets/fashion-mnist"
o.seed(3)
x, labels = images(folder + "/train-images-idx3-ubyte.gz"), o.load_idx(folder + "/train-labels-idx1-ubyte.gz")
test, test_labels = images(folder + "/t10k-images-idx3-ubyte.gz"), o.load_idx(folder + "/t10k-labels-idx1-ubyte.gz")
o.eval_all([x, labels, test, test_labels])

net = o.sequential([o.dense(784, 128, "relu", "default"), o.dense(128, 10, "linear", "default")])
adam = o.Adam(net, lr=1e-3)
for step in range(1, steps + 1):
    which = o.random.integers(0, x.shape[0], (128,))
    loss = o.cross_entropy(net(x[which]), labels[which])
    adam.step(loss)
    value = loss.item()
    if step % 100 == 0:
        print("step %4d   loss %.4f" % (step, value))
right = o.argmax(net(test), axis=-1) == o.astype(test_labels, "int64")
print("test accuracy: %.4f" % o.mean(o.astype(right, "float64")).item())
