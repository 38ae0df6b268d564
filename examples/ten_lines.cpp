// The program of the README in C++: a row of scores becomes probabilities, in a graph that runs when it is printed.
#include <iostream>
#include <orrery.hpp>

int main()
{
    orrery::Library library;
    const orrery::Tensor x = orrery::randn(orrery::f32, { 4, 784 }, 0.0, 1.0);
    const orrery::Tensor w = orrery::randn(orrery::f32, { 784, 10 }, 0.0, 0.05);
    std::cout << orrery::softmax(orrery::matmul(x, w), -1);
    return std::cout.good() ? 0 : 1;
}
