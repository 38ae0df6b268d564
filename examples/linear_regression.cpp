// Fits y = X·w + b to noisy points by gradient descent and compares the fit with the true w and b.
#include <cmath>
#include <cstdio>
#include <orrery.hpp>

using orrery::f64, orrery::Tensor;

int main()
{
    orrery::Library library;
    orrery::seed(1);
    const std::vector<double> true_w{ 1.5, -2.0, 0.5 };
    const double true_b = 0.25;
    const Tensor x = orrery::randn(f64, { 1000, 3 }, 0.0, 1.0);
    const Tensor y = orrery::matmul(x, Tensor::from(true_w, { 3 })) + true_b + orrery::randn(f64, { 1000 }, 0.0, 0.1);
    orrery::eval_all({ x, y });

    const Tensor w = orrery::variable(orrery::zeros(f64, { 3 })), b = orrery::variable(orrery::zeros(f64, {}));
    orr_optim_options options = orrery::optim_defaults(ORR_OPTIM_SGD);
    options.lr = 0.05;
    options.momentum = 0.9;
    orrery::Optim optimiser = orrery::optim_new(ORR_OPTIM_SGD, { w, b }, options);
    for (int step = 1; step <= 200; step++) {
        const Tensor loss = orrery::mse(orrery::matmul(x, w) + b, y);
        optimiser.step(loss);
        const double value = loss.item(); // evaluates the loss and the step together
        if (step == 1 || step % 50 == 0)
            std::printf("step %3d   loss %.6f\n", step, value);
    }

    const std::vector<double> found = w.to_vector<double>();
    double worst = std::fabs(b.item() - true_b);
    for (size_t i = 0; i < true_w.size(); i++) {
        std::printf("w[%zu]   %9.4f %9.4f\n", i, found[i], true_w[i]);
        worst = std::fmax(worst, std::fabs(found[i] - true_w[i]));
    }
    std::printf("b      %9.4f %9.4f: %s\n", b.item(), true_b, worst < 0.02 ? "right" : "WRONG");
    return worst < 0.02 ? 0 : 1;
}
