// Trains a 784-128-10 network on Fashion-MNIST and prints its accuracy on the test images.
// usage: fashion_mnist [STEPS [FOLDER]]     FOLDER holds the IDX files (Debian: dataset-fashion-mnist)
#include <cstdio>
#include <cstdlib>
#include <orrery.hpp>

using orrery::Tensor;

static Tensor images(const std::string &path)
{
    const Tensor x = orrery::cast(orrery::load_idx(path), orrery::f32).reshape({ -1, 784 });
    return (x - 0.2860 * 255) / (0.3530 * 255);
}

int main(int argc, char **argv)
try {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 400;
    const std::string folder = argc > 2 ? argv[2] : "/usr/share/datasets/fashion-mnist";
    orrery::Library library;
    orrery::seed(3);
    const Tensor x = images(folder + "/train-images-idx3-ubyte.gz");
    const Tensor labels = orrery::load_idx(folder + "/train-labels-idx1-ubyte.gz");
    const Tensor test = images(folder + "/t10k-images-idx3-ubyte.gz");
    const Tensor test_labels = orrery::load_idx(folder + "/t10k-labels-idx1-ubyte.gz");
    orrery::eval_all({ x, labels, test, test_labels });

    orrery::Module net = orrery::sequential(
        orrery::list(orrery::dense(784, 128, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                     orrery::dense(128, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options options = orrery::optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 1e-3;
    orrery::Optim adam = orrery::optim_of_module(ORR_OPTIM_ADAM, net, options);
    for (int step = 1; step <= steps; step++) {
        const Tensor which = orrery::randint(orrery::i64, { 128 }, 0, x.shape()[0]);
        const Tensor loss = orrery::cross_entropy(net.forward(x.take(which, 0)), labels.take(which, 0));
        adam.step(loss);
        const double value = loss.item();
        if (step % 100 == 0)
            std::printf("step %4d   loss %.4f\n", step, value);
    }
    const Tensor right = net.forward(test).argmax(-1) == test_labels.cast(orrery::i64);
    std::printf("test accuracy: %.4f\n", right.cast(orrery::f64).mean().item());
    return 0;
} catch (const orrery::Error &e) {
    std::fprintf(stderr, "%s\n", e.message().c_str());
    return 1;
}
