"""The program of the README in Python: a row of scores becomes probabilities, in a graph that runs when it is printed."""
import orrery as o

x = o.random.normal(0.0, 1.0, (4, 784), dtype="float32")
w = o.random.normal(0.0, 0.05, (784, 10), dtype="float32")
print(o.softmax(x @ w, axis=-1))
