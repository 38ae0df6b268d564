/* Replays a file of calls (tests/python/recorder.py) through orrery.hpp: equal bits.
 * Must not know: any function; CALLS, made by replay.py, has those that the file names. */
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <orrery.hpp>

using orrery::Tensor;

static int failures;

static void fail(const std::string &what)
{
    if (failures++ < 20)
        std::cout << "FAIL: " << what << "\n";
}

static double real_of(int64_t bits)
{
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

static std::map<int64_t, Tensor> slots;
static int64_t next;

static void put(const Tensor &t)
{
    slots[next++] = t;
}

static void put(const std::vector<Tensor> &all)
{
    for (const Tensor &t : all)
        put(t);
}

template <class... T> static void put(const std::tuple<T...> &all)
{
    std::apply([](const auto &...t) { (put(t), ...); }, all);
}

class Reader
{
  public:
    explicit Reader(const char *path) : file_(path) {}
    bool more() { return static_cast<bool>(file_ >> word_); }
    std::string word()
    {
        std::string w;
        file_ >> w;
        return w;
    }
    int64_t whole() { return std::stoll(word()); }
    int count() { return static_cast<int>(whole()); }
    double real() { return real_of(whole()); }
    std::string text() { return word(); }
    Tensor tensor()
    {
        const int64_t k = whole();
        return k < 0 ? Tensor() : slots.at(k);
    }
    std::vector<Tensor> tensors()
    {
        return list<Tensor>([&] { return tensor(); });
    }
    std::vector<double> reals()
    {
        return list<double>([&] { return real(); });
    }
    std::vector<int> ints()
    {
        return list<int>([&] { return count(); });
    }
    std::vector<int64_t> int64s()
    {
        return list<int64_t>([&] { return whole(); });
    }
    orrery::Shape shape() { return int64s(); }
    orrery::Index index() { return int64s(); }
    orrery::Axes axes()
    {
        orrery::Axes a;
        a.n = count();
        for (int k = 0; k < a.n; k++)
            a.axis[k] = count();
        return a;
    }
    const std::string &last() const { return word_; }

  private:
    template <class T, class F> std::vector<T> list(F one)
    {
        std::vector<T> all;
        for (int k = 0, n = count(); k < n; k++)
            all.push_back(one());
        return all;
    }
    std::ifstream file_;
    std::string word_;
};

#include CALLS

struct Array {
    orr_dtype dtype;
    orrery::Shape shape;
    std::vector<unsigned char> bytes;
};

static Array array(Reader &in)
{
    Array a{ static_cast<orr_dtype>(in.whole()), in.shape(), {} };
    const std::string hex = in.word();
    for (size_t k = 0; k + 1 < hex.size(); k += 2)
        a.bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(k, 2), nullptr, 16)));
    return a;
}

static void is(Reader &in, const std::string &name)
{
    const Tensor t = in.tensor();
    const Array want = array(in);
    const orrery::Shape s = t.shape();
    std::vector<unsigned char> have(want.bytes.size());
    if (!have.empty() && orr_read(t.get(), have.data(), have.size()) != ORR_OK)
        return fail(orr_error_message());
    if (t.dtype() != want.dtype || s.rank != want.shape.rank || !std::equal(s.dim, s.dim + s.rank, want.shape.dim) ||
        have != want.bytes)
        fail(name);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const orrery::Library library;
    Reader in(argv[1]);
    std::string name;
    long checked = 0;
    while (in.more()) {
        const std::string word = in.last();
        try {
            if (word == "let") {
                next = in.whole();
                const Array a = array(in);
                put(Tensor(orr_from(a.dtype, a.shape, a.bytes.data())));
            } else if (word == "num") {
                next = in.whole();
                put(orrery::scalar(in.real()));
            } else if (word == "do") {
                name = in.word();
                next = in.whole();
                call(in, name);
            } else if (word == "is") {
                is(in, name);
                checked++;
            } else {
                slots.clear();
            }
        } catch (const std::exception &e) {
            fail(name + ": " + e.what());
        }
    }
    slots.clear();
    std::cout << checked << " values, " << failures << " failures\n";
    return failures != 0 || checked == 0;
}
