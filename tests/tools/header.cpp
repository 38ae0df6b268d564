/* orrery.hpp: operators, indices, errors with their place, ownership, scopes, graphs, networks, functions of the program's.
 * tests/tools/programs.c compiles it, with exceptions and without (ORRERY_STATUS), and runs it. */
#include <cmath>
#include <cstring>
#include <sstream>
#include <thread>
#include <orrery.hpp>

namespace o = orrery;
using o::all_of, o::ellipsis, o::newaxis, o::range, o::Tensor;

static int failures;
#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #c);                                               \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static bool are(const Tensor &t, const std::vector<double> &want)
{
    return t.to_vector<double>() == want;
}

static void operators_broadcast_and_take_numbers()
{
    const Tensor x = Tensor::from({ 1.0, 2.0, 3.0 }), y = o::reshape(x, { 3, 1 });
    CHECK((x + y).shape() == o::Shape({ 3, 3 }));
    CHECK(are(2 * x + 1 - x / 2.0, { 2.5, 4, 5.5 }));
    CHECK(are(-(x % 2), { -1, -0.0, -1 }));
    CHECK((o::cast(x, o::i32) + 1).dtype() == o::i32 && (Tensor::from({ 1.0f }) * 0.5).dtype() == o::f32);
    CHECK(Tensor::from({ 1, 2, 3, 4, 5, 6 }, { 2, 3 })(1, 0).item<int>() == 4);
    CHECK(o::all(x < 4).item<bool>() && !o::any((x == 2) != ((x >= 2) & (x <= 2))).item<bool>());
    CHECK(o::sum(x).item() == 6);
    Tensor z = x;
    z += 1;
    CHECK(are(z, { 2, 3, 4 }) && are(x, { 1, 2, 3 }));
    CHECK(o::full_number(o::u64, {}, UINT64_MAX).item<uint64_t>() == UINT64_MAX);
    CHECK((o::zeros(o::i64, {}) + INT64_MAX).item<int64_t>() == INT64_MAX);
    const std::complex<double> i(0, 1);
    CHECK((Tensor::from({ i }) * i).item<std::complex<double>>() == -1.0);
}

static void indices_are_those_of_python()
{
    const Tensor x = o::arange(o::i32, 0, 24, 1).reshape({ 2, 3, 4 });
    CHECK(are(x(1, -1, 0), { 20 }) && x(1, -1, 0).rank() == 0);
    CHECK(are(x(0, range(0, 2), 3), { 3, 7 }) && are(x(ellipsis, 0), { 0, 4, 8, 12, 16, 20 }));
    CHECK(x(newaxis, ellipsis, newaxis, 1).shape() == o::Shape({ 1, 2, 3, 1 }));
    CHECK(are(x(1, range(ORR_END, ORR_END, -1), 0), { 20, 16, 12 }) && x(all_of, 1).shape() == o::Shape({ 2, 4 }));
    CHECK(are(x[1][2], { 20, 21, 22, 23 }));
    CHECK(x(newaxis).shape() == o::Shape({ 1, 2, 3, 4 }) && x(range(-1)).shape() == o::Shape({ 1, 3, 4 }));
}

static void tensors_are_freed_with_their_last_object()
{
    orr_tensor *raw = nullptr;
    {
        Tensor x = o::zeros(o::f32, { 4 });
        raw = x.get();
        Tensor y = x, z = std::move(x);
        CHECK(!x && y.get() == z.get());
        y = Tensor();
        CHECK(orr_tensor_status(raw) == ORR_OK && z.size() == 4);
        std::vector<Tensor> many(100, z);
        z = std::move(many[50]);
        many.erase(many.begin(), many.end() - 1);
        CHECK(many[0].status() == ORR_OK);
    }
    CHECK(orr_tensor_status(raw) == ORR_EHANDLE);
    Tensor kept, gone;
    {
        o::Scope s;
        gone = o::ones(o::f64, { 2 });
        const Tensor sum = gone + 1;
        kept = s.keep(sum);
    }
    CHECK(are(kept, { 2, 2 }) && gone.status() == ORR_EHANDLE);
    Tensor shared = o::ones(o::f64, { 8 });
    std::vector<std::thread> all;
    for (int k = 0; k < 4; k++)
        all.emplace_back([&shared] {
            for (int i = 0; i < 500; i++) {
                const Tensor mine = shared;
                const Tensor other = mine + 1;
                (void)other;
            }
        });
    for (std::thread &t : all)
        t.join();
    CHECK(shared.status() == ORR_OK && o::sum(shared).item() == 8);
}

static void memory_is_exchanged()
{
    std::vector<float> v{ 1, 2, 3, 4, 5, 6 };
    bool released = false;
    {
        const Tensor x = Tensor::wrap(o::View<float>(v), { 2, 3 }, [&released] { released = true; });
        CHECK(x.data<float>().data() == v.data() && x.data<float>()[5] == 6);
        std::array<double, 6> a{};
        CHECK(x.read(a) == ORR_OK && a[4] == 5);
    }
    CHECK(released);
    std::ostringstream text;
    text << Tensor::from(v, { 3, 2 });
    CHECK(text.str().find("float32") != std::string::npos);
#if __cplusplus >= 202002L
    const Tensor t = Tensor::from(v, { 6 });
    const std::span<const float> s = t.data<float>();
    CHECK(s.size() == 6 && s[2] == 3);
#endif
}

static void graphs_events_and_gradients_compute()
{
    const Tensor p = o::placeholder(o::f64, { 3 }), w = Tensor::from({ 1.0, 2.0, 3.0 });
    const o::Graph g = o::graph_build({ p }, { p * 2, o::sum(p * w) });
    const std::vector<Tensor> r = const_cast<o::Graph &>(g).submit({ w }, 2);
    CHECK(are(r[0], { 2, 4, 6 }) && r[1].item() == 14);
    o::Event event;
    const std::vector<Tensor> later = const_cast<o::Graph &>(g).submit({ w }, 2, &event);
    CHECK(event && event.wait() == ORR_OK && !event && later[1].item() == 14);
    const Tensor x = Tensor::from({ 3.0 });
    CHECK(are(o::grad(x * x * x, { x })[0], { 27 }));
    const Tensor part = x.reshape({ 1, 1 });
    CHECK(are(o::grad_or_zeros(x * x, { part })[0], { 0 }));
    const Tensor slow = o::exp(x);
    CHECK(o::eval_async({ slow }).wait() == ORR_OK);
    const auto [q, s] = o::qr(o::eye(o::f64, 3, 3, 0));
    CHECK(o::sum(o::abs(o::matmul(q, s))).item() == 3);
    const auto [values, places] = o::topk(w, 1, 0, true);
    CHECK(are(values, { 3 }) && are(places, { 2 }));
}

static void a_network_learns()
{
    orr_seed(1);
    const Tensor x = o::linspace(o::f32, -1, 1, 64).reshape({ 64, 1 }), y = x * 3 + 1;
    o::Module net = o::sequential(o::list(o::dense(1, 8, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                          o::dense(8, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options options = o::optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 0.05;
    o::Optim adam = o::optim_of_module(ORR_OPTIM_ADAM, net, options);
    double first = 0, last = 0;
    for (int k = 0; k < 100; k++) {
        const Tensor loss = o::mse(net.forward(x), y);
        adam.step(loss);
        last = loss.item();
        first = k ? first : last;
    }
    CHECK(last < first / 20);
    CHECK(net.parameters().size() == 4 && net.size() == 25);
}

static void functions_of_the_program_are_called()
{
    const Tensor a = Tensor::from({ 2.0, 4.0 }), b = Tensor::from({ 2.0, 4.0 });
    auto scaled = [&a](const Tensor &v) { return v * a; };
    CHECK(are(o::round(o::cg(scaled, b).x), { 1, 1 }));
    auto twice = [](const Tensor &v) { return v * 2; };
    const o::Module m = o::function(twice);
    CHECK(are(o::forward(m, b), { 4, 8 }));
}

#ifdef ORRERY_STATUS
static void errors_are_statuses()
{
    const Tensor bad = o::ones(o::f32, { 2 }) + o::ones(o::f32, { 3 });
    CHECK(bad.status() == ORR_ESHAPE && (bad * 2).status() == ORR_ESHAPE && o::last_error() == o::last_error());
    CHECK(o::eval(bad) == ORR_ESHAPE && o::last_status() == ORR_ESHAPE);
    CHECK(o::last_message().find("header.cpp:") != std::string::npos);
    CHECK(!o::dense(-1, 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT));
}
#else
static void errors_are_exceptions_with_their_place()
{
    const Tensor x = o::ones(o::f32, { 2 }), y = o::ones(o::f32, { 3 });
    int line = 0;
    try {
        line = __LINE__ + 1;
        (void)(x + y);
        CHECK(false);
    } catch (const o::Error &e) {
        char place[64];
        (void)std::snprintf(place, sizeof place, "header.cpp:%d: add: ", line);
        CHECK(e.status() == ORR_ESHAPE && e.line() == line && std::strstr(e.file(), "header.cpp"));
        CHECK(e.message().find(place) != std::string::npos && std::strstr(e.what(), "ORR_ESHAPE"));
    }
    try {
        line = __LINE__ + 1;
        (void)x.reshape({ 7 });
        CHECK(false);
    } catch (const std::system_error &e) {
        CHECK(e.code().category() == o::category() && e.code().value() == ORR_ESHAPE);
    }
    try {
        (void)o::grad(x * x, { o::exp(x) });
        CHECK(false);
    } catch (const o::Error &e) {
        CHECK(e.status() == ORR_EGRAPH && std::strstr(e.what(), "does not depend"));
    }
    try {
        (void)o::grad(o::cast(o::argmax(x, 0, true), o::f64), { x });
        CHECK(false);
    } catch (const o::Error &e) {
        CHECK(e.status() == ORR_EGRAPH && std::strstr(e.what(), "whole numbers"));
    }
    try {
        (void)Tensor::from(std::vector<double>{ 1.0, 2.0, 3.0 }, { 2, 2 });
        CHECK(false);
    } catch (const o::Error &e) {
        CHECK(std::strstr(e.what(), "3 elements, which do not make (2, 2)"));
    }
    auto broken = [&](const Tensor &v) { return v + o::ones(o::f64, { 3 }); };
    try {
        (void)o::cg(broken, Tensor::from({ 1.0, 2.0 }));
        CHECK(false);
    } catch (const o::Error &e) {
        CHECK(e.status() == ORR_ESHAPE);
    }
    auto thrown = [](const Tensor &v) -> Tensor {
        if (v.rank() == 1)
            throw std::out_of_range("mine");
        return v;
    };
    try {
        (void)o::cg(thrown, Tensor::from({ 1.0, 2.0 }));
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(std::strcmp(e.what(), "mine") == 0);
    }
    for (int k = 0; k < 3; k++)
        try {
            k == 0   ? (void)o::dense(-1, 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT)
            : k == 1 ? (void)Tensor::from(std::vector<float>(5), { 2, 3 })
                     : (void)x.data<double>();
            CHECK(false);
        } catch (const o::Error &e) {
            CHECK(e.status() != ORR_OK && !e.message().empty());
        }
}
#endif

int main()
{
    o::Library library;
    operators_broadcast_and_take_numbers();
    indices_are_those_of_python();
    tensors_are_freed_with_their_last_object();
    memory_is_exchanged();
    graphs_events_and_gradients_compute();
    a_network_learns();
    functions_of_the_program_are_called();
#ifdef ORRERY_STATUS
    errors_are_statuses();
#else
    errors_are_exceptions_with_their_place();
#endif
    return failures != 0;
}
