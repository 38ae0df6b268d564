# Trains the network of examples/fashion_mnist_cnn with PyTorch: the same layers, rule of the rate, and flips.
# usage: fashion_mnist_cnn.py [epochs [images [folder of the data set]]]
import gzip
import os
import sys
import time
import numpy as np
import torch
from torch import nn

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 6
IMAGES = int(sys.argv[2]) if len(sys.argv) > 2 else 60000
DATA = sys.argv[3] if len(sys.argv) > 3 else "/usr/share/datasets/fashion-mnist"
BATCH = 128


def load(name, skip):
    with gzip.open(f"{DATA}/{name}.gz") as f:
        return torch.from_numpy(np.frombuffer(f.read(), np.uint8, offset=skip).copy())


def images(part):
    return load(f"{part}-images-idx3-ubyte", 16).view(-1, 1, 28, 28), load(f"{part}-labels-idx1-ubyte", 8).long()


def normalised(into, out):
    return [nn.Conv2d(into, out, 3, padding=1, bias=False), nn.BatchNorm2d(out)]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inside = nn.Sequential(*normalised(width, width), nn.ReLU(), *normalised(width, width))

    def forward(self, x):
        return x + self.inside(x)


def scaled(x):
    return (x.float() - 0.2860 * 255) / (0.3530 * 255)


def augmented(x):
    return torch.where(torch.randint(2, (len(x), 1, 1, 1)).bool(), x.flip(3), x)


torch.manual_seed(3)
net = nn.Sequential(*normalised(1, 16), nn.ReLU(), nn.MaxPool2d(2), *normalised(16, 32), nn.ReLU(), Block(32), nn.ReLU(),
                    nn.MaxPool2d(2), *normalised(32, 64), nn.ReLU(), Block(64), nn.ReLU(), nn.AvgPool2d(7), nn.Flatten(),
                    nn.Linear(64, 10))
for m in net.modules():
    if isinstance(m, nn.Conv2d):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
x, y = (t[:IMAGES] for t in images("train"))
test, labels = images("t10k")
steps = len(x) // BATCH
optimiser = torch.optim.Adam(net.parameters(), lr=4e-3)
rule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=max(EPOCHS * steps, 2), cycle_momentum=False)
print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads; {sum(p.numel() for p in net.parameters())} parameters")
for epoch in range(EPOCHS):
    wall, cpu = time.monotonic(), os.times()
    order, total = torch.randperm(len(x)), 0.0
    net.train()
    for k in range(steps):
        which = order[k * BATCH:(k + 1) * BATCH]
        loss = nn.functional.cross_entropy(net(scaled(augmented(x[which]))), y[which])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rule.step()
        total += loss.item()
    wall, now = time.monotonic() - wall, os.times()
    net.eval()
    with torch.no_grad():
        right = sum((net(scaled(test[i:i + 1000])).argmax(1) == labels[i:i + 1000]).sum().item() for i in range(0, 10000, 1000))
    print(f"epoch {epoch + 1}/{EPOCHS}   loss {total / steps:.4f}   test accuracy {right / 10000:.4f}   {wall:.1f} s   "
          f"processor {now.user + now.system - cpu.user - cpu.system:.1f} s", flush=True)
