// The heat equation on a square plate: steps by slices, ten in one evaluation, beside a plain loop.
#include <cmath>
#include <cstdio>
#include <orrery.hpp>

using orrery::range, orrery::Tensor;

static constexpr int64_t n = 256;
static constexpr double rate = 0.2;

// u + rate · (the four neighbours' sum − 4 u); the border of the plate stays 0.
static Tensor step(const Tensor &u)
{
    const Tensor p = orrery::pad(u, { 1, 1 }, { 1, 1 }, 0.0);
    const auto inner = range(1, -1), before = range(0, -2), after = range(2);
    return u + (p(before, inner) + p(after, inner) + p(inner, before) + p(inner, after) - 4.0 * u) * rate;
}

static std::vector<double> by_hand(const std::vector<double> &u)
{
    std::vector<double> to(u.size());
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const auto at = [&](int64_t a, int64_t b) {
                return a < 0 || b < 0 || a >= n || b >= n ? 0.0 : u[static_cast<size_t>(a * n + b)];
            };
            to[static_cast<size_t>(i * n + j)] =
                at(i, j) + rate * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
        }
    return to;
}

int main()
{
    orrery::Library library;
    std::vector<double> plate(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            plate[static_cast<size_t>(i * n + j)] = std::abs(i - 60) < 6 ? 1.0 : std::hypot(i - 170, j - 80) < 40 ? 0.7 : 0;
    Tensor u = Tensor::from(plate, { n, n });
    for (int k = 1; k <= 50; k++) {
        u = step(u);
        plate = by_hand(plate);
        if (k % 10 == 0)
            u.eval();
    }
    double worst = 0;
    const orrery::View<const double> found = u.data<double>();
    for (size_t i = 0; i < plate.size(); i++)
        worst = std::fmax(worst, std::fabs(found[i] - plate[i]));
    std::printf("50 steps, largest difference to the loop: %.1e: %s\n", worst, worst < 1e-12 ? "right" : "WRONG");
    return worst < 1e-12 ? 0 : 1;
}
