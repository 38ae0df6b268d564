/* Orrery for C++17: header-only, over the functions of orrery.h (docs/cxx.md).
 * Made by bindings/cxx/generate.py from orrery/api.json (make api); do not edit it.
 * Must not know: anything but the public headers. */
#ifndef ORRERY_HPP
#define ORRERY_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <orrery.h>
#if defined(__has_include)
#if __cplusplus >= 202002L && __has_include(<span>)
#include <ranges>
#include <span>
#endif
#if __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
#endif
#endif

#if !defined(ORRERY_STATUS) && !defined(__cpp_exceptions)
#define ORRERY_STATUS
#endif
#ifndef ORRERY_STATUS
#include <exception>
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* of names that the program has at file scope */
#endif

/* The caller's file and line, which C's macros have from __FILE__ and __LINE__. */
#define ORRERY_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace orrery {

/* Programs of both kinds may be linked together: the kind is a part of every name. */
#ifdef ORRERY_STATUS
inline namespace with_status {
#else
inline namespace with_exceptions {
#endif

/* -- errors ------------------------------------------------------------------------------------------------ */

/** The category of orr_status as std::error_code. */
inline const std::error_category &category() noexcept
{
    struct statuses final : std::error_category {
        const char *name() const noexcept override { return "orrery"; }
        std::string message(int code) const override { return orr_status_name(static_cast<orr_status>(code)); }
    };
    static const statuses one;
    return one;
}

/** The status of the calling thread's last error; ORR_OK without one. */
inline orr_status last_status() noexcept { return orr_error_status(); }
/** The same as std::error_code. */
inline std::error_code last_error() noexcept { return { static_cast<int>(orr_error_status()), category() }; }
/** The message of the calling thread's last error, "file:line: operation: text"; "" without one. */
inline std::string last_message() { return orr_error_message(); }

#ifndef ORRERY_STATUS
/** A call that failed: status, message, and the C++ file and line of the call. The message begins with the file and line of
 * the operation that is wrong, which for an error found by evaluation is another place. */
class Error : public std::system_error {
  public:
    Error(orr_status status, const std::string &message, const char *file, int line)
        : std::system_error(static_cast<int>(status), category(), message), message_(message), file_(file), line_(line)
    {
    }
    orr_status status() const noexcept { return static_cast<orr_status>(code().value()); }
    const std::string &message() const noexcept { return message_; }
    const char *file() const noexcept { return file_; }
    int line() const noexcept { return line_; }

  private:
    std::string message_;
    const char *file_;
    int line_;
};
#endif

namespace detail {

#ifndef ORRERY_STATUS
/* An exception that left a function of the program's, on its way through C. */
inline std::exception_ptr &pending()
{
    static thread_local std::exception_ptr one;
    return one;
}

[[noreturn]] inline void fail(orr_status status, const char *file, int line)
{
    if (std::exception_ptr p = std::exchange(pending(), nullptr))
        std::rethrow_exception(p);
    throw Error(status, orr_error_message(), file, line);
}

inline void passed()
{
    if (std::exception_ptr p = std::exchange(pending(), nullptr))
        std::rethrow_exception(p);
}
#else
inline void fail(orr_status, const char *, int) {}
inline void passed() {}
#endif

inline orr_status check(orr_status status, const char *file, int line)
{
    if (status != ORR_OK)
        fail(status, file, line);
    return status;
}

/* Scopes and functions of the program's that this thread is in: tensors made there belong to the library's scope. */
inline thread_local int scopes = 0;

struct entered {
    entered() { scopes++; }
    ~entered() { scopes--; }
    entered(const entered &) = delete;
    entered &operator=(const entered &) = delete;
};

template <class T> struct always_false : std::false_type {
};

template <class T> constexpr orr_dtype dtype_of()
{
    using E = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<E, bool>)
        return ORR_BOOL;
    else if constexpr (std::is_same_v<E, float>)
        return ORR_F32;
    else if constexpr (std::is_same_v<E, double>)
        return ORR_F64;
    else if constexpr (std::is_same_v<E, std::complex<float>>)
        return ORR_C64;
    else if constexpr (std::is_same_v<E, std::complex<double>>)
        return ORR_C128;
    else if constexpr (std::is_integral_v<E> && std::is_signed_v<E>)
        return sizeof(E) == 1 ? ORR_I8 : sizeof(E) == 2 ? ORR_I16 : sizeof(E) == 4 ? ORR_I32 : ORR_I64;
    else if constexpr (std::is_integral_v<E>)
        return sizeof(E) == 1 ? ORR_U8 : sizeof(E) == 2 ? ORR_U16 : sizeof(E) == 4 ? ORR_U32 : ORR_U64;
    else
        static_assert(always_false<E>::value, "a type that is no dtype");
}

} // namespace detail

/** The dtype of a C++ type: dtype_of<float> is ORR_F32. */
template <class T> inline constexpr orr_dtype dtype_of = detail::dtype_of<T>();

inline constexpr orr_dtype boolean = ORR_BOOL;
inline constexpr orr_dtype i8 = ORR_I8;
inline constexpr orr_dtype i16 = ORR_I16;
inline constexpr orr_dtype i32 = ORR_I32;
inline constexpr orr_dtype i64 = ORR_I64;
inline constexpr orr_dtype u8 = ORR_U8;
inline constexpr orr_dtype u16 = ORR_U16;
inline constexpr orr_dtype u32 = ORR_U32;
inline constexpr orr_dtype u64 = ORR_U64;
inline constexpr orr_dtype f16 = ORR_F16;
inline constexpr orr_dtype bf16 = ORR_BF16;
inline constexpr orr_dtype f32 = ORR_F32;
inline constexpr orr_dtype f64 = ORR_F64;
inline constexpr orr_dtype c64 = ORR_C64;
inline constexpr orr_dtype c128 = ORR_C128;
inline constexpr orr_dtype fr254 = ORR_FR254;
inline constexpr orr_dtype fq254 = ORR_FQ254;

/* -- arguments --------------------------------------------------------------------------------------------- */

/** A shape: {2, 3}; {} for one element without axes. */
struct Shape : orr_shape {
    Shape() : orr_shape{ 0, {} } {}
    Shape(const orr_shape &s) : orr_shape(s) {}
    Shape(std::initializer_list<int64_t> d) : orr_shape(orr__list<orr_shape, int64_t>(d)) {}
    Shape(const std::vector<int64_t> &d) : orr_shape{ static_cast<int>(d.size()), {} }
    {
        std::copy_n(d.begin(), std::min<size_t>(d.size(), ORR_MAX_RANK), dim);
    }
    int64_t operator[](int k) const { return dim[k]; }
    const int64_t *begin() const { return dim; }
    const int64_t *end() const { return dim + (rank < 0 ? 0 : rank); }
    friend bool operator==(const Shape &a, const Shape &b)
    {
        return a.rank == b.rank && std::equal(a.begin(), a.end(), b.begin());
    }
    friend bool operator!=(const Shape &a, const Shape &b) { return !(a == b); }
};

/** A list of axes: {0, -1}, or one axis; without one: all. */
struct Axes : orr_axes {
    Axes() : orr_axes{ -1, {} } {}
    Axes(const orr_axes &a) : orr_axes(a) {}
    Axes(int one) : orr_axes{ 1, { one } } {}
    Axes(std::initializer_list<int> a) : orr_axes(orr__list<orr_axes, int>(a)) {}
};

/** One number for each axis: {0, 2}. */
struct Index : orr_index {
    Index() : orr_index{ 0, {} } {}
    Index(const orr_index &i) : orr_index(i) {}
    Index(std::initializer_list<int64_t> l) : orr_index(orr__list<orr_index, int64_t>(l)) {}
    Index(const std::vector<int64_t> &d) : orr_index{ static_cast<int>(d.size()), {} }
    {
        std::copy_n(d.begin(), std::min<size_t>(d.size(), ORR_MAX_RANK), v);
    }
};

/** An integer of any type, or a double. */
struct Number : orr_number {
    Number(const orr_number &n) : orr_number(n) {}
    template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
    Number(N n) : orr_number{ ORR_F64, 0, 0, 0 }
    {
        if constexpr (std::is_floating_point_v<N>)
            f = static_cast<double>(n);
        else if constexpr (std::is_signed_v<N>)
            dtype = ORR_I64, i = n;
        else
            dtype = ORR_U64, u = n;
    }
};

/** Elements in the memory of another object: a pointer and a length, made of any contiguous container, and convertible to
 * std::span in C++20. It must not outlive the container. */
template <class T> class View {
  public:
    View() = default;
    View(T *data, size_t size) : data_(data), size_(size) {}
    View(std::initializer_list<std::remove_const_t<T>> l) : data_(l.begin()), size_(l.size()) {}
    template <size_t N> View(T (&array)[N]) : data_(array), size_(N) {}
    template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    View(C &&c) : data_(c.data()), size_(static_cast<size_t>(c.size()))
    {
    }
    T *data() const { return data_; }
    size_t size() const { return size_; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](size_t k) const { return data_[k]; }
    bool empty() const { return size_ == 0; }

  private:
    T *data_ = nullptr;
    size_t size_ = 0;
};

/** In place of an axis: the tensor as flat. */
inline constexpr int flat = ORR_FLAT;

class Tensor;

/** One place of an index: an integer, range(…), all, newaxis, ellipsis. */
class Key {
  public:
    enum Kind { absent, place, span, new_axis, rest };
    Key() = default;
    template <class N, std::enable_if_t<std::is_integral_v<N> && !std::is_same_v<N, bool>, int> = 0>
    Key(N index) : kind(place), start(static_cast<int64_t>(index))
    {
    }
    Key(Kind k, int64_t first = ORR_END, int64_t end = ORR_END, int64_t by = 1)
        : kind(k), start(first), stop(end), step(by)
    {
    }
    Kind kind = absent;
    int64_t start = ORR_END, stop = ORR_END, step = 1;
};

/** An integer in brackets, with the place of the call. */
struct Place {
    template <class N, std::enable_if_t<std::is_integral_v<N> && !std::is_same_v<N, bool>, int> = 0>
    Place(N k, ORRERY_CALLER) : index(static_cast<int64_t>(k)), file(file), line(line)
    {
    }
    int64_t index;
    const char *file;
    int line;
};

/** The elements from start to before stop, as Python's start:stop:step; ORR_END: left out. */
inline Key range(int64_t start, int64_t stop = ORR_END, int64_t step = 1) { return { Key::span, start, stop, step }; }
/** A whole axis, as Python's ":". */
inline const Key all_of{ Key::span };
/** A new axis of length 1. */
inline const Key newaxis{ Key::new_axis };
/** As many whole axes as the other keys leave. */
inline const Key ellipsis{ Key::rest };

/* -- objects ------------------------------------------------------------------------------------------------ */

namespace detail {

/* The function that frees an object of C. */
template <class T> void release(T *object, const char *file, int line);

/* The only owner of an object of C, or a name of one that another object owns. */
template <class T> class Handle {
  public:
    Handle() = default;
    explicit Handle(T *object, bool owns = true) : object_(object), owns_(owns) {}
    Handle(Handle &&other) noexcept : object_(std::exchange(other.object_, nullptr)), owns_(other.owns_) {}
    Handle &operator=(Handle &&other) noexcept
    {
        if (this != &other) {
            reset();
            object_ = std::exchange(other.object_, nullptr);
            owns_ = other.owns_;
        }
        return *this;
    }
    ~Handle() { reset(); }
    /** The object, for functions of C. */
    T *get() const { return object_; }
    /** Gives the object away. */
    T *let_go() { return std::exchange(object_, nullptr); }
    /** Frees the object. */
    void reset()
    {
        if (object_ && owns_)
            release<T>(object_, "destructor", 0);
        object_ = nullptr;
    }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    T *object_ = nullptr;
    bool owns_ = true;
};

} // namespace detail

class Op;
class Event;
class Graph;
class Module;
class Optim;
class Checkpoint;
class KvCache;
class Average;
class Grid;
class Loader;
class DpBudget;
class DpSparse;
class DpSgd;
class SecaggClient;
class SecaggServer;
class Paillier;
class Encrypted;
struct LstsqResult;
struct SlogdetResult;
struct LuResult;
struct QrResult;
struct SvdResult;
struct EighResult;
struct EigResult;
struct CgResult;
struct LobpcgResult;
struct FieldDivision;

/** An argument of an operation: a tensor, or a number, which takes the dtype of the other operand. It keeps the place of the call,
 * so that the operators have it. */
class Operand {
  public:
    Operand(ORRERY_CALLER) : file_(file), line_(line) {}
    Operand(const Tensor &t, ORRERY_CALLER);
    template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
    Operand(N n, ORRERY_CALLER) : owns_(detail::scopes == 0), file_(file), line_(line)
    {
        const auto value = static_cast<double>(n);
        if constexpr (std::is_integral_v<N> && sizeof(N) == 8)
            if (value < -0x1p53 || value > 0x1p53) {
                t_ = orr_full_number_at(file, line, std::is_signed_v<N> ? ORR_I64 : ORR_U64, orr_shape{ 0, {} }, Number(n));
                return;
            }
        t_ = orr_scalar_at(file, line, value);
    }
    template <class N>
    Operand(const std::complex<N> &n, ORRERY_CALLER) : owns_(detail::scopes == 0), file_(file), line_(line)
    {
        t_ = orr_full_complex_at(file, line, detail::dtype_of<std::complex<N>>(), orr_shape{ 0, {} },
                                 static_cast<double>(n.real()), static_cast<double>(n.imag()));
    }
    Operand(const Operand &) = delete;
    Operand &operator=(const Operand &) = delete;
    ~Operand()
    {
        if (owns_ && t_)
            (void)orr_free_at(file_, line_, t_);
    }
    orr_tensor *get() const { return t_; }
    const char *file() const { return file_; }
    int line() const { return line_; }

  private:
    orr_tensor *t_ = nullptr;
    bool owns_ = false;
    const char *file_;
    int line_;
};

/** A list of tensors: {x, y}, or a vector. */
class List {
  public:
    List() = default;
    List(std::initializer_list<Operand> l)
    {
        for (const Operand &o : l)
            all_.push_back(o.get());
    }
    List(const std::vector<Tensor> &l);
    orr_tensor *const *data() const { return all_.data(); }
    size_t size() const { return all_.size(); }

  private:
    std::vector<orr_tensor *> all_;
};

/** A tensor. A copy is another holder of the same tensor, which the last one frees; a moved one costs nothing. Tensors that are
 * made in a Scope, or in a function that the library calls, belong to that scope, and are stale after it.
 * Thread safety: as std::shared_ptr. Different objects, of the same tensor too, may be used by different threads; one object
 * that a thread assigns to is used by no other at that time. */
class Tensor {
  public:
    Tensor() = default;
    /** Takes over a tensor of C; owns false: another owner frees it. */
    explicit Tensor(orr_tensor *t, bool owns = detail::scopes == 0) : t_(t), owns_(owns) {}
    Tensor(Tensor &&o) noexcept
        : t_(std::exchange(o.t_, nullptr)), holders_(o.holders_.exchange(nullptr, std::memory_order_relaxed)), owns_(o.owns_)
    {
    }
    Tensor(const Tensor &o) : t_(o.t_), holders_(o.shared()), owns_(o.owns_) {}
    Tensor &operator=(Tensor o) noexcept
    {
        swap(o);
        return *this;
    }
    ~Tensor()
    {
        if (t_ && owns_)
            drop();
    }
    void swap(Tensor &o) noexcept
    {
        std::swap(t_, o.t_);
        std::swap(owns_, o.owns_);
        o.holders_.store(holders_.exchange(o.holders_.load(std::memory_order_relaxed), std::memory_order_relaxed),
                         std::memory_order_relaxed);
    }

    /** A copy of `data`, which has the elements of `shape` in row-major order. */
    template <class T> static Tensor from(View<const T> data, const Shape &shape, ORRERY_CALLER);
    template <class C, class T = std::remove_pointer_t<decltype(std::declval<const C &>().data())>>
    static Tensor from(const C &data, const Shape &shape, ORRERY_CALLER)
    {
        return from(View<const T>(data.data(), static_cast<size_t>(data.size())), shape, file, line);
    }
    /** A vector, a tensor of one axis. */
    template <class T> static Tensor from(std::initializer_list<T> data, ORRERY_CALLER)
    {
        return from(View<const T>(data.begin(), data.size()), Shape{ static_cast<int64_t>(data.size()) }, file, line);
    }
    /** Numbers in a shape: from({ 1.0, 2.0, 3.0, 4.0 }, { 2, 2 }). */
    template <class T> static Tensor from(std::initializer_list<T> data, const Shape &shape, ORRERY_CALLER)
    {
        return from(View<const T>(data.begin(), data.size()), shape, file, line);
    }
    /** The memory of the caller, without a copy; release() is called after the last use, from any thread. */
    template <class T, class F> static Tensor wrap(View<T> data, const Shape &shape, F release, ORRERY_CALLER);

    /** For functions of C; the object keeps it. */
    orr_tensor *get() const { return t_; }
    /** Gives the tensor away; nullptr if other objects hold it too. */
    orr_tensor *let_go()
    {
        std::atomic<long> *n = holders_.load(std::memory_order_acquire);
        if (n && n->load(std::memory_order_acquire) != 1)
            return nullptr;
        delete holders_.exchange(nullptr, std::memory_order_relaxed);
        return std::exchange(t_, nullptr);
    }
    explicit operator bool() const { return t_ != nullptr; }

    orr_status status() const { return orr_tensor_status(t_); }
    Shape shape() const { return orr_tensor_shape(t_); }
    orr_dtype dtype() const { return orr_tensor_dtype(t_); }
    int rank() const { return orr_tensor_shape(t_).rank; }
    int64_t size() const { return orr_tensor_size(t_); }

    /** The elements in place, read-only, valid as long as the tensor lives. Evaluates. T is the type of the dtype. */
    template <class T> View<const T> data(ORRERY_CALLER) const;
#if defined(__cpp_lib_mdspan)
    /** The same with its axes, of which there are R. */
    template <class T, size_t R> std::mdspan<const T, std::dextents<int64_t, R>> mdspan(ORRERY_CALLER) const
    {
        std::array<int64_t, R> extents{};
        const Shape s = rank() == static_cast<int>(R) ? shape() : Shape();
        std::copy_n(s.begin(), static_cast<size_t>(s.rank), extents.begin());
        return { s.rank == static_cast<int>(R) ? data<T>(file, line).data() : nullptr, extents };
    }
#endif
    /** Copies the elements, row-major, into the memory of the caller. Evaluates. Elements of another type are cast. */
    template <class T> orr_status read(View<T> to, ORRERY_CALLER) const;
    template <class C, class T = std::remove_pointer_t<decltype(std::declval<C &>().data())>>
    orr_status read(C &to, ORRERY_CALLER) const
    {
        return read(View<T>(to.data(), static_cast<size_t>(to.size())), file, line);
    }
    /** The elements in a vector. Evaluates. */
    template <class T> std::vector<T> to_vector(ORRERY_CALLER) const;
    /** The one element. Evaluates. */
    template <class T = double> T item(ORRERY_CALLER) const;

    /** x(0, range(1, 3), ellipsis, newaxis) is Python's x[0, 1:3, ..., None]: a view. */
    Tensor operator()(const Key &k0, const Key &k1 = Key(), const Key &k2 = Key(), const Key &k3 = Key(),
                      const Key &k4 = Key(), const Key &k5 = Key(), const Key &k6 = Key(), const Key &k7 = Key(),
                      const Key &k8 = Key(), ORRERY_CALLER) const;
    /** x[2] is x(2). */
    Tensor operator[](const Place &p) const
    {
        return (*this)(p.index, {}, {}, {}, {}, {}, {}, {}, {}, p.file, p.line);
    }
    /// orrery::variable.
    Tensor variable(ORRERY_CALLER) const;
    /// orrery::assign.
    orr_status assign(const Operand &t, ORRERY_CALLER) const;
    /// orrery::add.
    Tensor add(const Operand &y, ORRERY_CALLER) const;
    /// orrery::sub.
    Tensor sub(const Operand &y, ORRERY_CALLER) const;
    /// orrery::mul.
    Tensor mul(const Operand &y, ORRERY_CALLER) const;
    /// orrery::div.
    Tensor div(const Operand &y, ORRERY_CALLER) const;
    /// orrery::floor_divide.
    Tensor floor_divide(const Operand &y, ORRERY_CALLER) const;
    /// orrery::remainder.
    Tensor remainder(const Operand &y, ORRERY_CALLER) const;
    /// orrery::pow.
    Tensor pow(const Operand &y, ORRERY_CALLER) const;
    /// orrery::fma.
    Tensor fma(const Operand &y, const Operand &z, ORRERY_CALLER) const;
    /// orrery::neg.
    Tensor neg(ORRERY_CALLER) const;
    /// orrery::positive.
    Tensor positive(ORRERY_CALLER) const;
    /// orrery::abs.
    Tensor abs(ORRERY_CALLER) const;
    /// orrery::sign.
    Tensor sign(ORRERY_CALLER) const;
    /// orrery::square.
    Tensor square(ORRERY_CALLER) const;
    /// orrery::reciprocal.
    Tensor reciprocal(ORRERY_CALLER) const;
    /// orrery::sqrt.
    Tensor sqrt(ORRERY_CALLER) const;
    /// orrery::rsqrt.
    Tensor rsqrt(ORRERY_CALLER) const;
    /// orrery::hypot.
    Tensor hypot(const Operand &y, ORRERY_CALLER) const;
    /// orrery::ceil.
    Tensor ceil(ORRERY_CALLER) const;
    /// orrery::floor.
    Tensor floor(ORRERY_CALLER) const;
    /// orrery::trunc.
    Tensor trunc(ORRERY_CALLER) const;
    /// orrery::round.
    Tensor round(ORRERY_CALLER) const;
    /// orrery::copysign.
    Tensor copysign(const Operand &y, ORRERY_CALLER) const;
    /// orrery::nextafter.
    Tensor nextafter(const Operand &y, ORRERY_CALLER) const;
    /// orrery::signbit.
    Tensor signbit(ORRERY_CALLER) const;
    /// orrery::isfinite.
    Tensor isfinite(ORRERY_CALLER) const;
    /// orrery::isinf.
    Tensor isinf(ORRERY_CALLER) const;
    /// orrery::isnan.
    Tensor isnan(ORRERY_CALLER) const;
    /// orrery::maximum.
    Tensor maximum(const Operand &y, ORRERY_CALLER) const;
    /// orrery::minimum.
    Tensor minimum(const Operand &y, ORRERY_CALLER) const;
    /// orrery::clip.
    Tensor clip(const Operand &y, const Operand &z, ORRERY_CALLER) const;
    /// orrery::where.
    Tensor where(const Operand &y, const Operand &z, ORRERY_CALLER) const;
    /// orrery::equal.
    Tensor equal(const Operand &y, ORRERY_CALLER) const;
    /// orrery::not_equal.
    Tensor not_equal(const Operand &y, ORRERY_CALLER) const;
    /// orrery::less.
    Tensor less(const Operand &y, ORRERY_CALLER) const;
    /// orrery::less_equal.
    Tensor less_equal(const Operand &y, ORRERY_CALLER) const;
    /// orrery::greater.
    Tensor greater(const Operand &y, ORRERY_CALLER) const;
    /// orrery::greater_equal.
    Tensor greater_equal(const Operand &y, ORRERY_CALLER) const;
    /// orrery::logical_and.
    Tensor logical_and(const Operand &y, ORRERY_CALLER) const;
    /// orrery::logical_or.
    Tensor logical_or(const Operand &y, ORRERY_CALLER) const;
    /// orrery::logical_xor.
    Tensor logical_xor(const Operand &y, ORRERY_CALLER) const;
    /// orrery::logical_not.
    Tensor logical_not(ORRERY_CALLER) const;
    /// orrery::bitwise_and.
    Tensor bitwise_and(const Operand &y, ORRERY_CALLER) const;
    /// orrery::bitwise_or.
    Tensor bitwise_or(const Operand &y, ORRERY_CALLER) const;
    /// orrery::bitwise_xor.
    Tensor bitwise_xor(const Operand &y, ORRERY_CALLER) const;
    /// orrery::bitwise_invert.
    Tensor bitwise_invert(ORRERY_CALLER) const;
    /// orrery::bitwise_left_shift.
    Tensor bitwise_left_shift(const Operand &y, ORRERY_CALLER) const;
    /// orrery::bitwise_right_shift.
    Tensor bitwise_right_shift(const Operand &y, ORRERY_CALLER) const;
    /// orrery::exp.
    Tensor exp(ORRERY_CALLER) const;
    /// orrery::expm1.
    Tensor expm1(ORRERY_CALLER) const;
    /// orrery::log.
    Tensor log(ORRERY_CALLER) const;
    /// orrery::log1p.
    Tensor log1p(ORRERY_CALLER) const;
    /// orrery::log2.
    Tensor log2(ORRERY_CALLER) const;
    /// orrery::log10.
    Tensor log10(ORRERY_CALLER) const;
    /// orrery::logaddexp.
    Tensor logaddexp(const Operand &y, ORRERY_CALLER) const;
    /// orrery::sin.
    Tensor sin(ORRERY_CALLER) const;
    /// orrery::cos.
    Tensor cos(ORRERY_CALLER) const;
    /// orrery::tan.
    Tensor tan(ORRERY_CALLER) const;
    /// orrery::asin.
    Tensor asin(ORRERY_CALLER) const;
    /// orrery::acos.
    Tensor acos(ORRERY_CALLER) const;
    /// orrery::atan.
    Tensor atan(ORRERY_CALLER) const;
    /// orrery::atan2.
    Tensor atan2(const Operand &y, ORRERY_CALLER) const;
    /// orrery::sinh.
    Tensor sinh(ORRERY_CALLER) const;
    /// orrery::cosh.
    Tensor cosh(ORRERY_CALLER) const;
    /// orrery::tanh.
    Tensor tanh(ORRERY_CALLER) const;
    /// orrery::asinh.
    Tensor asinh(ORRERY_CALLER) const;
    /// orrery::acosh.
    Tensor acosh(ORRERY_CALLER) const;
    /// orrery::atanh.
    Tensor atanh(ORRERY_CALLER) const;
    /// orrery::erf.
    Tensor erf(ORRERY_CALLER) const;
    /// orrery::erfc.
    Tensor erfc(ORRERY_CALLER) const;
    /// orrery::sigmoid.
    Tensor sigmoid(ORRERY_CALLER) const;
    /// orrery::softplus.
    Tensor softplus(ORRERY_CALLER) const;
    /// orrery::relu.
    Tensor relu(ORRERY_CALLER) const;
    /// orrery::prelu.
    Tensor prelu(const Operand &y, ORRERY_CALLER) const;
    /// orrery::elu_with.
    Tensor elu_with(const Operand &y, ORRERY_CALLER) const;
    /// orrery::silu.
    Tensor silu(ORRERY_CALLER) const;
    /// orrery::mish.
    Tensor mish(ORRERY_CALLER) const;
    /// orrery::gelu_tanh.
    Tensor gelu_tanh(ORRERY_CALLER) const;
    /// orrery::gelu.
    Tensor gelu(ORRERY_CALLER) const;
    /// orrery::hardswish.
    Tensor hardswish(ORRERY_CALLER) const;
    /// orrery::complex.
    Tensor complex(const Operand &y, ORRERY_CALLER) const;
    /// orrery::real.
    Tensor real(ORRERY_CALLER) const;
    /// orrery::imag.
    Tensor imag(ORRERY_CALLER) const;
    /// orrery::conj.
    Tensor conj(ORRERY_CALLER) const;
    /// orrery::angle.
    Tensor angle(ORRERY_CALLER) const;
    /// orrery::cast.
    Tensor cast(orr_dtype dtype, ORRERY_CALLER) const;
    /// orrery::reshape.
    Tensor reshape(const Shape &shape, ORRERY_CALLER) const;
    /// orrery::permute.
    Tensor permute(const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::transpose.
    Tensor transpose(ORRERY_CALLER) const;
    /// orrery::broadcast_to.
    Tensor broadcast_to(const Shape &shape, ORRERY_CALLER) const;
    /// orrery::squeeze.
    Tensor squeeze(const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::expand_dims.
    Tensor expand_dims(int axis, ORRERY_CALLER) const;
    /// orrery::slice.
    Tensor slice(const Index &start, const Index &stop, const Index &step = {}, ORRERY_CALLER) const;
    /// orrery::slice_axis.
    Tensor slice_axis(int axis, int64_t start, int64_t stop, int64_t step, ORRERY_CALLER) const;
    /// orrery::select.
    Tensor select(int axis, int64_t index, ORRERY_CALLER) const;
    /// orrery::sliding_window.
    Tensor sliding_window(int axis, int64_t length, int64_t step, ORRERY_CALLER) const;
    /// orrery::flip.
    Tensor flip(const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::sum.
    Tensor sum(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::prod.
    Tensor prod(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::mean.
    Tensor mean(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::var.
    Tensor var(const Axes &axes, double ddof, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::std.
    Tensor std(const Axes &axes, double ddof, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::norm.
    Tensor norm(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::logsumexp.
    Tensor logsumexp(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::min.
    Tensor min(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::max.
    Tensor max(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::any.
    Tensor any(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::all.
    Tensor all(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::argmax.
    Tensor argmax(int axis, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::argmin.
    Tensor argmin(int axis, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::cumulative_sum.
    Tensor cumulative_sum(int axis, bool include_initial = false, ORRERY_CALLER) const;
    /// orrery::cumulative_prod.
    Tensor cumulative_prod(int axis, bool include_initial = false, ORRERY_CALLER) const;
    /// orrery::sort.
    Tensor sort(int axis, bool descending = false, ORRERY_CALLER) const;
    /// orrery::argsort.
    Tensor argsort(int axis, bool descending = false, ORRERY_CALLER) const;
    /// orrery::matmul.
    Tensor matmul(const Operand &b, ORRERY_CALLER) const;
    /// orrery::cholesky.
    Tensor cholesky(ORRERY_CALLER) const;
    /// orrery::solve_triangular.
    Tensor solve_triangular(const Operand &b, bool lower = false, bool transpose = false, bool unit = false, ORRERY_CALLER) const;
    /// orrery::solve_cholesky.
    Tensor solve_cholesky(const Operand &b, ORRERY_CALLER) const;
    /// orrery::logdet.
    Tensor logdet(ORRERY_CALLER) const;
    /// orrery::take.
    Tensor take(const Operand &indices, int axis, ORRERY_CALLER) const;
    /// orrery::scatter_add.
    Tensor scatter_add(const Operand &indices, const Operand &updates, int axis, ORRERY_CALLER) const;
    /// orrery::one_hot.
    Tensor one_hot(int64_t n, orr_dtype dtype, ORRERY_CALLER) const;
    /// orrery::tril.
    Tensor tril(int64_t k, ORRERY_CALLER) const;
    /// orrery::triu.
    Tensor triu(int64_t k, ORRERY_CALLER) const;
    /// orrery::pad.
    Tensor pad(const Index &lo, const Index &hi, double value, ORRERY_CALLER) const;
    /// orrery::elu.
    Tensor elu(double alpha, ORRERY_CALLER) const;
    /// orrery::leaky_relu.
    Tensor leaky_relu(double slope, ORRERY_CALLER) const;
    /// orrery::softmax.
    Tensor softmax(int axis, ORRERY_CALLER) const;
    /// orrery::log_softmax.
    Tensor log_softmax(int axis, ORRERY_CALLER) const;
    /// orrery::cross_entropy.
    Tensor cross_entropy(const Operand &labels, ORRERY_CALLER) const;
    /// orrery::mse.
    Tensor mse(const Operand &y, ORRERY_CALLER) const;
    /// orrery::zeros_like.
    Tensor zeros_like(ORRERY_CALLER) const;
    /// orrery::ones_like.
    Tensor ones_like(ORRERY_CALLER) const;
    /// orrery::full_like.
    Tensor full_like(double value, ORRERY_CALLER) const;
    /// orrery::clip_between.
    Tensor clip_between(double low, double high, ORRERY_CALLER) const;
    /// orrery::diag.
    Tensor diag(int64_t k, ORRERY_CALLER) const;
    /// orrery::diagonal.
    Tensor diagonal(int64_t k, ORRERY_CALLER) const;
    /// orrery::moveaxis.
    Tensor moveaxis(const Axes &from = {}, const Axes &to = {}, ORRERY_CALLER) const;
    /// orrery::swapaxes.
    Tensor swapaxes(int axis, int other, ORRERY_CALLER) const;
    /// orrery::repeat.
    Tensor repeat(int64_t n, int axis, ORRERY_CALLER) const;
    /// orrery::repeat_each.
    Tensor repeat_each(const Operand &counts, int axis, ORRERY_CALLER) const;
    /// orrery::roll.
    Tensor roll(const Index &shift, const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::rot90.
    Tensor rot90(int64_t k, int first, int second, ORRERY_CALLER) const;
    /// orrery::tile.
    Tensor tile(const Index &n, ORRERY_CALLER) const;
    /// orrery::split.
    std::vector<Tensor> split(int n, int axis, ORRERY_CALLER) const;
    /// orrery::cut.
    std::vector<Tensor> cut(const View<const int64_t> &place, int axis, ORRERY_CALLER) const;
    /// orrery::unstack.
    std::vector<Tensor> unstack(int axis, int n, ORRERY_CALLER) const;
    /// orrery::take_along_axis.
    Tensor take_along_axis(const Operand &indices, int axis, ORRERY_CALLER) const;
    /// orrery::gather_nd.
    Tensor gather_nd(const Operand &indices, ORRERY_CALLER) const;
    /// orrery::scatter.
    Tensor scatter(const Operand &indices, const Operand &updates, int axis, orr_scatter_mode mode, ORRERY_CALLER) const;
    /// orrery::scatter_nd.
    Tensor scatter_nd(const Operand &indices, const Operand &updates, orr_scatter_mode mode, ORRERY_CALLER) const;
    /// orrery::mask_select.
    Tensor mask_select(const Operand &mask, ORRERY_CALLER) const;
    /// orrery::argwhere.
    Tensor argwhere(ORRERY_CALLER) const;
    /// orrery::nonzero.
    std::vector<Tensor> nonzero(int n, ORRERY_CALLER) const;
    /// orrery::count_nonzero.
    Tensor count_nonzero(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::searchsorted.
    Tensor searchsorted(const Operand &values, bool right = false, ORRERY_CALLER) const;
    /// orrery::top_places.
    Tensor top_places(int64_t k, int axis, bool largest = false, ORRERY_CALLER) const;
    /// orrery::topk.
    std::tuple<Tensor, Tensor> topk(int64_t k, int axis, bool largest = false, ORRERY_CALLER) const;
    /// orrery::unique_values.
    Tensor unique_values(ORRERY_CALLER) const;
    /// orrery::unique_counts.
    std::tuple<Tensor, Tensor> unique_counts(ORRERY_CALLER) const;
    /// orrery::unique_inverse.
    std::tuple<Tensor, Tensor> unique_inverse(ORRERY_CALLER) const;
    /// orrery::unique_all.
    std::tuple<Tensor, Tensor, Tensor, Tensor> unique_all(ORRERY_CALLER) const;
    /// orrery::diff.
    Tensor diff(int axis, int n, const Operand &prepend = {}, const Operand &append = {}, ORRERY_CALLER) const;
    /// orrery::bincount.
    Tensor bincount(const Operand &weights, int64_t length, ORRERY_CALLER) const;
    /// orrery::histogram.
    Tensor histogram(const Operand &edges, const Operand &weights = {}, ORRERY_CALLER) const;
    /// orrery::quantile.
    Tensor quantile(const View<const double> &q, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::median.
    Tensor median(const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::covariance.
    Tensor covariance(double ddof, ORRERY_CALLER) const;
    /// orrery::correlation.
    Tensor correlation(ORRERY_CALLER) const;
    /// orrery::tensordot.
    Tensor tensordot(const Operand &b, const Axes &of_a = {}, const Axes &of_b = {}, ORRERY_CALLER) const;
    /// orrery::vecdot.
    Tensor vecdot(const Operand &b, int axis, ORRERY_CALLER) const;
    /// orrery::outer.
    Tensor outer(const Operand &b, ORRERY_CALLER) const;
    /// orrery::kron.
    Tensor kron(const Operand &b, ORRERY_CALLER) const;
    /// orrery::solve.
    Tensor solve(const Operand &b, ORRERY_CALLER) const;
    /// orrery::inv.
    Tensor inv(ORRERY_CALLER) const;
    /// orrery::lstsq.
    LstsqResult lstsq(const Operand &b, double rtol, ORRERY_CALLER) const;
    /// orrery::pinv.
    Tensor pinv(double rtol, ORRERY_CALLER) const;
    /// orrery::det.
    Tensor det(ORRERY_CALLER) const;
    /// orrery::slogdet.
    SlogdetResult slogdet(ORRERY_CALLER) const;
    /// orrery::lu.
    LuResult lu(ORRERY_CALLER) const;
    /// orrery::qr.
    QrResult qr(bool complete = false, ORRERY_CALLER) const;
    /// orrery::svd.
    SvdResult svd(bool full = false, ORRERY_CALLER) const;
    /// orrery::svdvals.
    Tensor svdvals(ORRERY_CALLER) const;
    /// orrery::eigh.
    EighResult eigh(ORRERY_CALLER) const;
    /// orrery::eigvalsh.
    Tensor eigvalsh(ORRERY_CALLER) const;
    /// orrery::eig.
    EigResult eig(ORRERY_CALLER) const;
    /// orrery::eigvals.
    Tensor eigvals(ORRERY_CALLER) const;
    /// orrery::vector_norm.
    Tensor vector_norm(const Axes &axes, bool keepdims, double order, ORRERY_CALLER) const;
    /// orrery::matrix_norm.
    Tensor matrix_norm(orr_norm_kind kind, bool keepdims = false, ORRERY_CALLER) const;
    /// orrery::cond.
    Tensor cond(orr_norm_kind kind, ORRERY_CALLER) const;
    /// orrery::matrix_rank.
    Tensor matrix_rank(double rtol, ORRERY_CALLER) const;
    /// orrery::trace.
    Tensor trace(int64_t k, ORRERY_CALLER) const;
    /// orrery::matrix_power.
    Tensor matrix_power(int64_t power, ORRERY_CALLER) const;
    /// orrery::expm.
    Tensor expm(ORRERY_CALLER) const;
    /// orrery::cross.
    Tensor cross(const Operand &b, int axis, ORRERY_CALLER) const;
    /// orrery::fft.
    Tensor fft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::ifft.
    Tensor ifft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::fftn.
    Tensor fftn(const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::ifftn.
    Tensor ifftn(const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::rfft.
    Tensor rfft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::irfft.
    Tensor irfft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::rfftn.
    Tensor rfftn(const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::irfftn.
    Tensor irfftn(const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::hfft.
    Tensor hfft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::ihfft.
    Tensor ihfft(int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER) const;
    /// orrery::fftshift.
    Tensor fftshift(const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::ifftshift.
    Tensor ifftshift(const Axes &axes = {}, ORRERY_CALLER) const;
    /// orrery::convolve.
    Tensor convolve(const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, ORRERY_CALLER) const;
    /// orrery::correlate.
    Tensor correlate(const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, ORRERY_CALLER) const;
    /// orrery::interp.
    Tensor interp(const Operand &xp, const Operand &fp, ORRERY_CALLER) const;
    /// orrery::eval.
    orr_status eval(ORRERY_CALLER) const;
    /// orrery::eval_brief.
    bool eval_brief(ORRERY_CALLER) const;
    /// orrery::check.
    orr_status check(ORRERY_CALLER) const;
    /// orrery::warmup.
    orr_status warmup(ORRERY_CALLER) const;
    /// orrery::read_async.
    Event read_async(void *buf, size_t bytes, ORRERY_CALLER) const;
    /// orrery::eval_for.
    orr_status eval_for(double seconds, ORRERY_CALLER) const;
    /// orrery::grad.
    std::vector<Tensor> grad(const List &x, ORRERY_CALLER) const;
    /// orrery::grad_or_zeros.
    std::vector<Tensor> grad_or_zeros(const List &x, ORRERY_CALLER) const;
    /// orrery::vjp.
    std::vector<Tensor> vjp(const Operand &seed, const List &x, ORRERY_CALLER) const;
    /// orrery::detach.
    Tensor detach(ORRERY_CALLER) const;

  private:
    /* The count of holders, made by the first copy. */
    std::atomic<long> *shared() const
    {
        if (!t_ || !owns_)
            return nullptr;
        std::atomic<long> *n = holders_.load(std::memory_order_acquire);
        if (!n) {
            auto *fresh = new std::atomic<long>(1);
            if (holders_.compare_exchange_strong(n, fresh, std::memory_order_acq_rel))
                n = fresh;
            else
                delete fresh;
        }
        n->fetch_add(1, std::memory_order_relaxed);
        return n;
    }
    void drop()
    {
        std::atomic<long> *n = holders_.load(std::memory_order_acquire);
        if (n && n->fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        delete n;
        (void)orr_free_at("destructor", 0, t_);
    }

    orr_tensor *t_ = nullptr;
    mutable std::atomic<std::atomic<long> *> holders_{ nullptr };
    bool owns_ = true;
};

inline Operand::Operand(const Tensor &t, const char *file, int line) : t_(t.get()), file_(file), line_(line) {}

inline List::List(const std::vector<Tensor> &l)
{
    for (const Tensor &t : l)
        all_.push_back(t.get());
}

/** Starts the library, and shuts it down at the end of the block. Objects of the library are declared after it. */
class Library {
  public:
    explicit Library(const orr_config *config = nullptr, ORRERY_CALLER)
        : status_(detail::check(orr_init_at(file, line, ORR_HEADERS, config), file, line))
    {
    }
    ~Library()
    {
        if (status_ == ORR_OK)
            (void)orr_shutdown();
    }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;
    orr_status status() const { return status_; }

  private:
    orr_status status_;
};

/** While it lives, tensors that its thread makes belong to it, so that neither a copy nor the end of one costs anything. */
class Scope {
  public:
    explicit Scope(ORRERY_CALLER) : file_(file), line_(line), scope_(orr_scope_begin())
    {
        if (!scope_)
            detail::fail(orr_error_status(), file, line);
        detail::scopes++;
    }
    ~Scope()
    {
        detail::scopes--;
        if (scope_)
            (void)orr_scope_end_at(file_, line_, scope_);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    /** Takes a tensor of the scope out of it: the result lives as long as its last object. */
    Tensor keep(const Tensor &t, ORRERY_CALLER)
    {
        orr_tensor *kept = orr_keep_at(file, line, t.get());
        if (orr_tensor_status(kept) != ORR_OK)
            detail::fail(orr_tensor_status(kept), file, line);
        return Tensor(kept, true);
    }

  private:
    const char *file_;
    int line_;
    orr_scope *scope_;
};

namespace detail {

inline Tensor made(orr_tensor *t, const char *file, int line)
{
    Tensor r(t);
    const orr_status status = orr_tensor_status(t);
    if (status != ORR_OK)
        fail(status, file, line);
    return r;
}

inline std::vector<Tensor> adopted(const std::vector<orr_tensor *> &all)
{
    std::vector<Tensor> r;
    r.reserve(all.size());
    for (orr_tensor *t : all)
        r.emplace_back(t);
    return r;
}

inline std::vector<Tensor> borrowed(orr_tensor *const *t, int n)
{
    std::vector<Tensor> r;
    for (int k = 0; k < n; k++)
        r.emplace_back(t[k], false);
    return r;
}

inline void put(Tensor *to, orr_tensor *t)
{
    Tensor r(t);
    if (to)
        *to = std::move(r);
}

/* The length of two lists; one that the library refuses if they differ. */
template <class N> N same(size_t a, size_t b) { return a == b ? static_cast<N>(a) : N(-1); }

template <class N> size_t count(N n) { return n > 0 ? static_cast<size_t>(n) : 0; }

/* A list as long as the call reads, with zeros where the caller's is too short. */
template <class T> std::vector<T> filled(const View<const T> &v, size_t n)
{
    std::vector<T> r(v.begin(), v.end());
    r.resize(std::max(n, r.size()));
    return r;
}

inline std::vector<const char *> texts(const std::vector<std::string> &all)
{
    std::vector<const char *> r;
    for (const std::string &s : all)
        r.push_back(s.c_str());
    return r;
}

inline std::vector<std::string> names_of(char **names, int n)
{
    std::vector<std::string> r;
    for (int k = 0; names && k < n; k++)
        r.emplace_back(names[k]);
    orr_npz_names_free(names);
    return r;
}

inline std::vector<unsigned char> taken(orr_bytes *b)
{
    std::vector<unsigned char> r;
    if (b->data)
        r.assign(b->data, b->data + b->size);
    orr_bytes_free(b);
    return r;
}

/* A call of the program's function from C. Its exception waits until C has returned. */
template <class R, class F, class... A> R called(F &fn, A &&...args)
{
    const entered here;
    using V = std::decay_t<std::invoke_result_t<F &, A...>>;
#ifndef ORRERY_STATUS
    try {
#endif
        if constexpr (std::is_same_v<V, Tensor>)
            return fn(std::forward<A>(args)...).get();
        else
            return static_cast<R>(fn(std::forward<A>(args)...));
#ifndef ORRERY_STATUS
    } catch (...) {
        pending() = std::current_exception();
        if constexpr (!std::is_void_v<R>)
            return R{};
    }
#endif
}

} // namespace detail

/** A list of objects that a call takes over: sequential(list(dense(…), dense(…))). */
template <class H, class... More> std::vector<H> list(H first, More... more)
{
    std::vector<H> r;
    r.push_back(std::move(first));
    (r.push_back(std::move(more)), ...);
    return r;
}

/* -- the objects of C ------------------------------------------------------------------------------------------ */

namespace detail {
template <> inline void release<orr_op>(orr_op *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)p; /* the library's */
}
template <> inline void release<orr_event>(orr_event *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_wait_at(file, line, p);
}
template <> inline void release<orr_graph>(orr_graph *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_graph_free(p);
}
template <> inline void release<orr_module>(orr_module *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_module_free(p);
}
template <> inline void release<orr_optim>(orr_optim *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_optim_free(p);
}
template <> inline void release<orr_checkpoint>(orr_checkpoint *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_checkpoint_free(p);
}
template <> inline void release<orr_kv_cache>(orr_kv_cache *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_kv_cache_free(p);
}
template <> inline void release<orr_average>(orr_average *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_average_free(p);
}
template <> inline void release<orr_grid>(orr_grid *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_grid_free(p);
}
template <> inline void release<orr_loader>(orr_loader *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_loader_free(p);
}
template <> inline void release<orr_dp_budget>(orr_dp_budget *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_dp_budget_free(p);
}
template <> inline void release<orr_dp_sparse>(orr_dp_sparse *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_dp_sparse_free(p);
}
template <> inline void release<orr_dp_sgd>(orr_dp_sgd *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_dp_sgd_free(p);
}
template <> inline void release<orr_secagg_client>(orr_secagg_client *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_secagg_client_free(p);
}
template <> inline void release<orr_secagg_server>(orr_secagg_server *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_secagg_server_free(p);
}
template <> inline void release<orr_paillier>(orr_paillier *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_paillier_free(p);
}
template <> inline void release<orr_encrypted>(orr_encrypted *p, const char *file, int line)
{
    (void)file, (void)line;
    (void)orr_encrypted_free(p);
}
} // namespace detail

/// An operation of the program's own. The pointer is a checked name, not an address.
/// Threads: Safe from any thread; moving an object is not.
class Op : public detail::Handle<orr_op> {
  public:
    using Handle::Handle;
    /// orrery::apply.
    Tensor apply(const List &x, const View<const double> &params = {}, ORRERY_CALLER) const;
    /// orrery::op_name.
    std::string name() const;
    /// orrery::op_arity.
    int arity() const;
};

/// An evaluation under way, freed by orr_wait. A checked name, not an address, like a tensor; so is orr_graph.
/// Threads: Safe from any thread; moving an object is not.
class Event : public detail::Handle<orr_event> {
  public:
    using Handle::Handle;
    /** Waits for the evaluation. The object is empty afterwards. */
    orr_status wait(ORRERY_CALLER)
    {
        return detail::check(orr_wait_at(file, line, let_go()), file, line);
    }
    /// orrery::event_done.
    bool done() const;
    /// orrery::cancel.
    orr_status cancel(ORRERY_CALLER);
    /// orrery::cancellable_end.
    orr_status cancellable_end(ORRERY_CALLER);
};

/// A planned function of placeholders, built once and submitted often.
/// Threads: Safe from any thread; moving an object is not.
class Graph : public detail::Handle<orr_graph> {
  public:
    using Handle::Handle;
    /// orrery::graph_submit.
    std::vector<Tensor> submit(const List &values, int n_results, Event *event = nullptr, ORRERY_CALLER);
    /// orrery::graph_submit_into.
    orr_status submit_into(const List &values, const View<const orr_buffer> &to, Event *event = nullptr, ORRERY_CALLER);
};

/// A function with parameters. A module owns its variables, which belong to no scope, and the modules that it is
/// composed of. Only the values of its variables change, so threads may share it. Functions that make a module return
/// NULL on error and set the last error. If a module of a composition is NULL, the others are freed and the result is
/// NULL, so one check at the end is enough. The path of a variable has at most 63 bytes; a composition with a longer
/// one is refused (ORR_EINVAL).
/// Threads: Safe from any thread; moving an object is not.
class Module : public detail::Handle<orr_module> {
  public:
    using Handle::Handle;
    /// orrery::forward.
    Tensor forward(const Operand &x, ORRERY_CALLER) const;
    /// orrery::forward_all.
    Tensor forward_all(const List &x, ORRERY_CALLER) const;
    /// orrery::module_add_parameter.
    Tensor add_parameter(const std::string &name, const Operand &value, ORRERY_CALLER);
    /// orrery::module_add_state.
    Tensor add_state(const std::string &name, const Operand &value, ORRERY_CALLER);
    /// orrery::module_add_part.
    Module add_part(const char *name, Module part, ORRERY_CALLER);
    /// orrery::module_part.
    Module part(int i) const;
    /// orrery::module_train.
    void train(bool training = false);
    /// orrery::module_training.
    bool training() const;
    /// orrery::module_fold.
    orr_status fold(ORRERY_CALLER);
    /// orrery::module_parameters.
    std::vector<orr_parameter> parameters() const;
    /// orrery::module_states.
    std::vector<orr_parameter> states() const;
    /// orrery::module_variable.
    Tensor variable(const std::string &path) const;
    /// orrery::module_size.
    int64_t size() const;
    /// orrery::module_save.
    orr_status save(const std::string &path, ORRERY_CALLER) const;
    /// orrery::module_load.
    orr_status load(const std::string &path, ORRERY_CALLER);
    /// orrery::kv_cache_new.
    KvCache kv_cache_new(int64_t batch, int64_t capacity, ORRERY_CALLER) const;
    /// orrery::recurrent_forward.
    Tensor recurrent_forward(const Operand &x, const Operand &lengths = {}, Tensor *state = nullptr, ORRERY_CALLER) const;
    /// orrery::recompute.
    Tensor recompute(const Operand &x, ORRERY_CALLER) const;
    /// orrery::average_new.
    Average average_new(double decay, ORRERY_CALLER) const;
    /// orrery::data_parallel.
    orr_status data_parallel(Optim &o, const std::optional<orr_data_parallel_options> &options = {}, ORRERY_CALLER);
    /// orrery::dp_sgd_new.
    DpSgd dp_sgd_new(Optim &o, const std::optional<orr_dp_options> &options = {}, ORRERY_CALLER) const;
};

/// An optimiser: variables, their state (variables of its own) and the number of steps made. One thread at a time.
/// Threads: One thread at a time.
class Optim : public detail::Handle<orr_optim> {
  public:
    using Handle::Handle;
    /// orrery::optim_step.
    orr_status step(const Operand &loss, ORRERY_CALLER);
    /// orrery::optim_apply.
    orr_status apply(const List &grads, ORRERY_CALLER);
    /// orrery::optim_accumulate.
    orr_status accumulate(const Operand &loss, ORRERY_CALLER);
    /// orrery::optim_step_accumulated.
    orr_status step_accumulated(ORRERY_CALLER);
    /// orrery::optim_set_lr.
    orr_status set_lr(double lr, ORRERY_CALLER);
    /// orrery::optim_lr.
    double lr() const;
    /// orrery::optim_steps.
    int64_t steps() const;
    /// orrery::optim_state.
    std::vector<orr_parameter> state() const;
    /// orrery::optim_save.
    orr_status save(const std::string &path, ORRERY_CALLER) const;
    /// orrery::optim_load.
    orr_status load(const std::string &path, ORRERY_CALLER);
    /// orrery::optim_step_scaled.
    orr_status step_scaled(const Operand &loss, orr_loss_scale &scale, bool *stepped = nullptr, ORRERY_CALLER);
};

/// The list of a run's parts, and the place of its files.
/// Threads: One thread at a time.
class Checkpoint : public detail::Handle<orr_checkpoint> {
  public:
    using Handle::Handle;
    /// orrery::checkpoint_add_variable.
    orr_status add_variable(const std::string &name, const Operand &variable, ORRERY_CALLER);
    /// orrery::checkpoint_add_module.
    orr_status add_module(const std::string &name, Module &m, ORRERY_CALLER);
    /// orrery::checkpoint_add_optim.
    orr_status add_optim(const std::string &name, Optim &o, ORRERY_CALLER);
    /// orrery::checkpoint_add_bytes.
    orr_status add_bytes(const std::string &name, void *data, size_t bytes, ORRERY_CALLER);
    /// orrery::checkpoint_save.
    orr_status save(ORRERY_CALLER);
    /// orrery::checkpoint_load.
    bool load(ORRERY_CALLER);
    /// orrery::checkpoint_generation.
    int64_t generation() const;
    /// orrery::checkpoint_due.
    bool due(double seconds) const;
    /// orrery::checkpoint_add_budget.
    orr_status add_budget(const std::string &name, DpBudget &b, ORRERY_CALLER);
    /// orrery::checkpoint_add_dp_sgd.
    orr_status add_dp_sgd(const std::string &name, DpSgd &t, ORRERY_CALLER);
};

/// The keys and values of earlier places, of every self-attention of a module, for generation. One thread at a time.
/// Threads: One thread at a time.
class KvCache : public detail::Handle<orr_kv_cache> {
  public:
    using Handle::Handle;
    /// orrery::forward_cached.
    Tensor forward_cached(const Operand &x, ORRERY_CALLER);
    /// orrery::kv_cache_length.
    int64_t length() const;
    /// orrery::kv_cache_clear.
    void clear();
};

/// A moving average of a module's parameters, in f32, or the parameter's dtype if that is wider. One thread at a
/// time.
/// Threads: Safe from any thread; moving an object is not.
class Average : public detail::Handle<orr_average> {
  public:
    using Handle::Handle;
    /// orrery::average_update.
    orr_status update(ORRERY_CALLER);
    /// orrery::average_swap.
    orr_status swap(ORRERY_CALLER);
};

/// All ranks as the places of a grid in row-major order: rank r of a 2 × 3 grid is at (r / 3, r % 3).
/// Threads: Safe from any thread; moving an object is not.
class Grid : public detail::Handle<orr_grid> {
  public:
    using Handle::Handle;
    /// orrery::grid_place.
    int64_t place(int axis) const;
};

/// A source of batches. One thread at a time; a forked process is refused (ORR_ESTATE).
/// Threads: One thread at a time.
class Loader : public detail::Handle<orr_loader> {
  public:
    using Handle::Handle;
    /// orrery::loader_classes.
    int classes() const;
    /// orrery::loader_class.
    std::string class_(int k) const;
    /// orrery::loader_arrays.
    int arrays() const;
    /// orrery::loader_next.
    std::tuple<int64_t, std::vector<Tensor>> next(ORRERY_CALLER);
    /// orrery::loader_batches.
    int64_t batches() const;
};

/// A limit of ε at a δ, and the uses booked so far. It counts only reported uses, and cannot count a release of the data
/// that bypasses it. One thread at a time.
/// The uses are in memory: a run that ends and begins again has none, unless they are in a checkpoint
/// (orr_checkpoint_add_budget, orr_checkpoint_add_dp_sgd) or in a file (orr_dp_budget_keep). A forked child cannot spend a budget
/// that is in memory alone (ORR_ESTATE).
/// Threads: One thread at a time.
class DpBudget : public detail::Handle<orr_dp_budget> {
  public:
    using Handle::Handle;
    /// orrery::dp_budget_spend.
    orr_status spend(const orr_dp_mechanism &m, int64_t times, ORRERY_CALLER);
    /// orrery::dp_budget_spent.
    double spent(ORRERY_CALLER) const;
    /// orrery::dp_budget_left.
    int64_t left(const orr_dp_mechanism &m, ORRERY_CALLER);
    /// orrery::dp_budget_keep.
    orr_status keep(const std::string &path, ORRERY_CALLER);
    /// orrery::dp_budget_allow.
    orr_status allow(unsigned what, ORRERY_CALLER);
};

/// The sparse vector technique: reports which of a stream of queries are above a threshold; only those cost privacy. One thread
/// at a time; a forked process is refused (ORR_ESTATE).
/// Threads: Safe from any thread; moving an object is not.
class DpSparse : public detail::Handle<orr_dp_sparse> {
  public:
    using Handle::Handle;
    /// orrery::dp_sparse_ask.
    bool ask(double query, ORRERY_CALLER);
};

/// Private training of one model. One thread at a time.
/// Threads: One thread at a time.
class DpSgd : public detail::Handle<orr_dp_sgd> {
  public:
    using Handle::Handle;
    /// orrery::dp_sgd_step.
    orr_status step(const Operand &x = {}, const Operand &target = {}, double *loss = nullptr, ORRERY_CALLER);
    /// orrery::dp_sgd_clip.
    double clip() const;
    /// orrery::dp_sgd_steps.
    int64_t steps() const;
};

/// A client's, or the server's, side of one run.
/// Threads: Safe from any thread; moving an object is not.
class SecaggClient : public detail::Handle<orr_secagg_client> {
  public:
    using Handle::Handle;
    /// orrery::secagg_advertise.
    std::vector<unsigned char> secagg_advertise(ORRERY_CALLER);
    /// orrery::secagg_share_keys.
    std::vector<unsigned char> secagg_share_keys(const View<const unsigned char> &in, ORRERY_CALLER);
    /// orrery::secagg_mask.
    std::vector<unsigned char> secagg_mask(const View<const unsigned char> &in, const Operand &x, ORRERY_CALLER);
    /// orrery::secagg_confirm.
    std::vector<unsigned char> secagg_confirm(const View<const unsigned char> &in, ORRERY_CALLER);
    /// orrery::secagg_unmask.
    std::vector<unsigned char> secagg_unmask(const View<const unsigned char> &in, ORRERY_CALLER);
};

/// See orrery/share.h.
/// Threads: Safe from any thread; moving an object is not.
class SecaggServer : public detail::Handle<orr_secagg_server> {
  public:
    using Handle::Handle;
    /// orrery::secagg_receive.
    int secagg_receive(const View<const orr_bytes> &in, ORRERY_CALLER);
    /// orrery::secagg_close.
    orr_status secagg_close(ORRERY_CALLER);
    /// orrery::secagg_send.
    std::vector<unsigned char> secagg_send(int index, ORRERY_CALLER);
    /// orrery::secagg_alive.
    bool secagg_alive(int index) const;
    /// orrery::secagg_result.
    Tensor secagg_result(orr_dtype dtype, ORRERY_CALLER);
};

/// A key pair, or a public key alone. Encryption hides numbers from readers without the private key, as long as n is
/// not factored. NIST SP 800-57 recommends 2048 bits until 2030 and 3072 beyond. P. Paillier, "Public-key cryptosystems
/// based on composite degree residuosity classes", 1999, with g = n + 1.
/// Threads: Safe from any thread; moving an object is not.
class Paillier : public detail::Handle<orr_paillier> {
  public:
    using Handle::Handle;
    /// orrery::paillier_public.
    Paillier public_(ORRERY_CALLER) const;
    /// orrery::paillier_bits.
    int bits() const;
    /// orrery::paillier_has_private.
    bool has_private() const;
    /// orrery::paillier_id.
    orr_status id(unsigned char (&id)[16], ORRERY_CALLER) const;
    /// orrery::paillier_save.
    std::vector<unsigned char> save(bool with_private = false, ORRERY_CALLER) const;
    /// orrery::paillier_prepare.
    orr_status prepare(int64_t count, ORRERY_CALLER);
    /// orrery::paillier_encrypt.
    Encrypted encrypt(const Operand &x, const orr_packing &packing, ORRERY_CALLER);
    /// orrery::paillier_decrypt.
    Tensor decrypt(const Encrypted &e, orr_dtype dtype, ORRERY_CALLER) const;
    /// orrery::paillier_rerandomize.
    Encrypted rerandomize(const Encrypted &a, ORRERY_CALLER);
    /// orrery::encrypted_load.
    Encrypted encrypted_load(const View<const unsigned char> &in, ORRERY_CALLER) const;
};

/// Encrypted numbers of a shape, with their public key. Immutable. Free with orr_encrypted_free.
/// Threads: Safe from any thread; moving an object is not.
class Encrypted : public detail::Handle<orr_encrypted> {
  public:
    using Handle::Handle;
    /// orrery::paillier_add.
    Encrypted paillier_add(const Encrypted &b, ORRERY_CALLER) const;
    /// orrery::paillier_add_plain.
    Encrypted paillier_add_plain(const Operand &x, ORRERY_CALLER) const;
    /// orrery::paillier_mul_plain.
    Encrypted paillier_mul_plain(const Operand &w, int fraction, ORRERY_CALLER) const;
    /// orrery::paillier_sum.
    Encrypted paillier_sum(int axis, ORRERY_CALLER) const;
    /// orrery::paillier_dot.
    Encrypted paillier_dot(const Operand &w, int axis, int fraction, ORRERY_CALLER) const;
    /// orrery::encrypted_shape.
    Shape shape() const;
    /// orrery::encrypted_slots.
    int slots() const;
    /// orrery::encrypted_save.
    std::vector<unsigned char> save(ORRERY_CALLER) const;
};
/// The solution X of A · X ≈ B with the least ‖A·X − B‖, and of all those the one with the least ‖X‖.
struct LstsqResult {
    Tensor x;
    Tensor rank;
    Tensor s;
};

/// The sign and the logarithm of |det A|: det A = sign · e^logabsdet.
struct SlogdetResult {
    Tensor sign;
    Tensor logabsdet;
};

/// A[p] = L · U, k = min(m, n).
struct LuResult {
    Tensor p;
    Tensor l;
    Tensor u;
};

/// A = Q · R.
struct QrResult {
    Tensor q;
    Tensor r;
};

/// A = U · diag(S) · Vh, k = min(m, n).
struct SvdResult {
    Tensor u;
    Tensor s;
    Tensor vh;
};

/// A · V = V · diag(W).
struct EighResult {
    Tensor w;
    Tensor v;
};

/// A · V = V · diag(W), complex for a real A.
struct EigResult {
    Tensor w;
    Tensor v;
};

/// The result of orr_cg.
struct CgResult {
    Tensor x;
    double residual{};
    int iterations{};
    bool converged{};
};

/// The result of orr_lobpcg.
struct LobpcgResult {
    Tensor w;
    Tensor v;
    double residual{};
    int iterations{};
    bool converged{};
};

/// Results.
struct FieldDivision {
    Tensor quotient;
    Tensor remainder;
};

namespace detail {
inline LstsqResult result_of(const orr_lstsq_result &c)
{
    return { Tensor(c.x), Tensor(c.rank), Tensor(c.s) };
}
inline SlogdetResult result_of(const orr_slogdet_result &c)
{
    return { Tensor(c.sign), Tensor(c.logabsdet) };
}
inline LuResult result_of(const orr_lu_result &c)
{
    return { Tensor(c.p), Tensor(c.l), Tensor(c.u) };
}
inline QrResult result_of(const orr_qr_result &c)
{
    return { Tensor(c.q), Tensor(c.r) };
}
inline SvdResult result_of(const orr_svd_result &c)
{
    return { Tensor(c.u), Tensor(c.s), Tensor(c.vh) };
}
inline EighResult result_of(const orr_eigh_result &c)
{
    return { Tensor(c.w), Tensor(c.v) };
}
inline EigResult result_of(const orr_eig_result &c)
{
    return { Tensor(c.w), Tensor(c.v) };
}
inline CgResult result_of(const orr_cg_result &c)
{
    return { Tensor(c.x), c.residual, c.iterations, c.converged };
}
inline LobpcgResult result_of(const orr_lobpcg_result &c)
{
    return { Tensor(c.w), Tensor(c.v), c.residual, c.iterations, c.converged };
}
inline FieldDivision result_of(const orr_field_division &c)
{
    return { Tensor(c.quotient), Tensor(c.remainder) };
}
} // namespace detail

/* -- the functions of C: texts are those of its headers, where a result belongs to a scope; here it belongs to the
 *    object that is returned, and an error is an exception ---------------------------------------------------- */

/// Name of a status, e.g. "ORR_ESHAPE". Never NULL. Thread-safe.
inline std::string status_name(orr_status s)
{
    auto r = orr_status_name(s);
    return r ? r : "";
}

/// Directs the lines that ORRERY_LOG admits to `fn`, with `user`. NULL: to stderr, as "orrery: level: text", which is the default. When it
/// returns, the former function is not called any more, unless a call of it has called this. Errors: none. Thread-safe, also before orr_init
/// and after orr_shutdown; a child of fork has the function of its parent.
template <class F>
inline void log_to(F &fn)
{
    void *user = &fn;
    orr_log_to([](orr_log_level p0, const char *p1, void *u) -> void {
        return detail::called<void>(*static_cast<F *>(u), p0, p1);
    }, user);
    detail::passed();
}

/// Bytes of one element; 0 for any number that is no dtype.
inline size_t dtype_size(orr_dtype t)
{
    auto r = orr_dtype_size(t);
    return r;
}

/// Name as in the Python array API standard: "float32", "bool", "bfloat16" …; "?" for any number that is no dtype.
inline std::string dtype_name(orr_dtype t)
{
    auto r = orr_dtype_name(t);
    return r ? r : "";
}

/// Writes "(2, 3)" into `buf` and returns it. `size` ≥ 2; longer text is cut.
inline char * shape_format(const Shape &s, char *buf, size_t size)
{
    auto r = orr_shape_format(s, buf, size);
    return r;
}

/// Zeros. Errors of this and the next functions: ORR_ESHAPE, ORR_EDTYPE.
inline Tensor zeros(orr_dtype dtype, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_zeros_at(file, line, dtype, shape), file, line);
}

/// Ones.
inline Tensor ones(orr_dtype dtype, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_ones_at(file, line, dtype, shape), file, line);
}

/// Elements that are all `value`, converted; ORR_EDTYPE where an integer dtype does not hold it.
inline Tensor full(orr_dtype dtype, const Shape &shape, double value, ORRERY_CALLER)
{
    return detail::made(orr_full_at(file, line, dtype, shape, value), file, line);
}

/// Elements that are all `value`, as orr_full, for integers that no double holds: orr_full_number(ORR_U64,
/// ORR_SHAPE(2), ORR_UNSIGNED(UINT64_MAX)). With ORR_SHAPE_0D the result is a number for operations; orr_scalar takes
/// only doubles.
inline Tensor full_number(orr_dtype dtype, const Shape &shape, const Number &value, ORRERY_CALLER)
{
    return detail::made(orr_full_number_at(file, line, dtype, shape, value), file, line);
}

/// Elements that are all re + i·im, of a complex dtype; ORR_EDTYPE for others. With ORR_SHAPE_0D the result is a complex
/// number for operations.
inline Tensor full_complex(orr_dtype dtype, const Shape &shape, double re, double im, ORRERY_CALLER)
{
    return detail::made(orr_full_complex_at(file, line, dtype, shape, re, im), file, line);
}

/// A 0-d constant without a dtype of its own: an operation gives it the dtype of the other operand, or ORR_EDTYPE if
/// that is an integer dtype that does not hold the value. By itself it is f64.
inline Tensor scalar(double value, ORRERY_CALLER)
{
    return detail::made(orr_scalar_at(file, line, value), file, line);
}

/// The complex number re + i·im as a 0-d constant without a dtype of its own: an operation gives it the dtype of a complex
/// operand; beside a float it has the complex dtype of that width (c64 for f16, bf16 and f32, c128 for f64), and the result
/// is complex; beside integers and bool it is c128. By itself it is c128, as are the results of operations on numbers
/// alone. errors, in operations that take no complex numbers: ORR_EDTYPE.
inline Tensor scalar_complex(double re, double im, ORRERY_CALLER)
{
    return detail::made(orr_scalar_complex_at(file, line, re, im), file, line);
}

/// start, start+step, … below stop, or above it for step < 0; ⌈(stop−start)/step⌉ elements.
/// errors:   ORR_EINVAL (step 0, NaN), ORR_EDTYPE (bool; an integer dtype that does not hold all of them).
inline Tensor arange(orr_dtype dtype, double start, double stop, double step, ORRERY_CALLER)
{
    return detail::made(orr_arange_at(file, line, dtype, start, stop, step), file, line);
}

/// As orr_arange; for three integers and an integer dtype each element and the length are exact.
inline Tensor arange_number(orr_dtype dtype, const Number &start, const Number &stop, const Number &step, ORRERY_CALLER)
{
    return detail::made(orr_arange_number_at(file, line, dtype, start, stop, step), file, line);
}

/// n points from start to stop, both included: start + i·(stop−start)/(n−1). Float dtypes.
inline Tensor linspace(orr_dtype dtype, double start, double stop, int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_linspace_at(file, line, dtype, start, stop, n), file, line);
}

/// Ones where column − row = k, zeros elsewhere.
inline Tensor eye(orr_dtype dtype, int64_t rows, int64_t cols, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_eye_at(file, line, dtype, rows, cols, k), file, line);
}

/// A variable whose first value is that of `t`. It is used like a tensor; an operation uses its value at the time of
/// recording. Owned by the current scope; orr_keep it to hold it longer.
inline Tensor variable(const Operand &t, ORRERY_CALLER)
{
    return detail::made(orr_variable_at(file, line, t.get()), file, line);
}

/// Replaces the value of the variable `v` by that of `t`, which has the same shape and dtype.
/// Lazy: this thread's next evaluation, of any tensor, computes the new value; orr_eval_all(NULL, 0) waits for it. Operations
/// recorded before the call use the old value, and pointers from orr_data keep it. A large new value is computed in the
/// memory of the old one if no reader of that is left (donation, docs/tuning.md). If memory or a device fails during that
/// computation, reading `v` gives ORR_ESTATE until the next assignment.
/// A loop that assigns and does not evaluate is submitted in parts, each of some thousand operations: before a round of
/// assignments, the values of the round before are computed as by orr_eval_async. With two parts under way the call waits,
/// so that the memory of such a loop is bounded. Values, random numbers, gradients and errors are those of a program
/// without these submissions (docs/planning.md, "Loops without an evaluation").
/// errors:   ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (`v` is no variable).
/// threads:  a reader in another thread sees the value before or after the assignment.
inline orr_status assign(const Operand &v, const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_assign_at(file, line, v.get(), t.get()), file, line);
}

/// orr_assign(v[i], t[i]) for i = 0 … n − 1, all or none: on an error, also ORR_ENOMEM, no variable has changed. Each
/// t[i] is the value before the call: {a, b} = {b, a} exchanges two variables. A variable that occurs twice gets the
/// last value.
/// errors:   as orr_assign; ORR_EINVAL (n is negative, a list is NULL).
inline orr_status assign_all(const List &v, const List &t, ORRERY_CALLER)
{
    return detail::check(orr_assign_all_at(file, line, v.data(), t.data(), detail::same<int>(v.size(), t.size())), file, line);
}

/// Prints dtype, shape and elements to `to`, NumPy-like, with long axes abbreviated. Evaluates `t`.
/// errors:   those of orr_eval, ORR_EIO.
inline orr_status print(FILE *to, const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_print_at(file, line, to, t.get()), file, line);
}

/// x + y; integers wrap.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = g; dy = g
/// cost:     1 flop an element
inline Tensor add(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_add_at(file, line, x.get(), y.get()), file, line);
}

/// x − y; integers wrap.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = g; dy = -g
/// cost:     1 flop an element
inline Tensor sub(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_sub_at(file, line, x.get(), y.get()), file, line);
}

/// x · y; integers wrap.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = g*y; dy = g*x
/// cost:     1 flop an element
inline Tensor mul(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_mul_at(file, line, x.get(), y.get()), file, line);
}

/// x / y.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/y; dy = -g*r/y
/// cost:     4 flop an element
inline Tensor div(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_div_at(file, line, x.get(), y.get()), file, line);
}

/// ⌊x / y⌋ as Python's //, so that x = y·⌊x / y⌋ + remainder: NaN for infinite x, −1 for a finite x ≠ 0 and an infinite y of the other sign; by zero floats give x / y, integers 0.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     100 flop an element
inline Tensor floor_divide(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_floor_divide_at(file, line, x.get(), y.get()), file, line);
}

/// x − y·⌊x / y⌋ as Python's %: the sign of y; an integer remainder by zero is 0.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     dx = g; dy = -g*floor_divide(x,y)
/// cost:     90 flop an element
inline Tensor remainder(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_remainder_at(file, line, x.get(), y.get()), file, line);
}

/// x to the power y; integers wrap; a negative exponent of integers is ORR_EINVAL if it is a constant, and as an element gives the true value cut to an integer.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = where(y==0, 0, g*y*pow(x, y-1)); dy = where(x==0, 0, g*r*log(x))
/// cost:     150 flop an element
inline Tensor pow(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_pow_at(file, line, x.get(), y.get()), file, line);
}

/// x · y + z, rounded once.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*y; dy = g*x; dz = g
/// cost:     2 flop an element
inline Tensor fma(const Operand &x, const Operand &y, const Operand &z, ORRERY_CALLER)
{
    return detail::made(orr_fma_at(file, line, x.get(), y.get(), z.get()), file, line);
}

/// −x; integers wrap.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = -g
/// cost:     1 flop an element
inline Tensor neg(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_neg_at(file, line, x.get()), file, line);
}

/// x.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = g
/// cost:     1 flop an element
inline Tensor positive(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_positive_at(file, line, x.get()), file, line);
}

/// |x|; the lowest signed integer stays itself.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
/// grad:     dx = g*sign(x)
/// cost:     1 flop an element
inline Tensor abs(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_abs_at(file, line, x.get()), file, line);
}

/// −1, 0 or 1; NaN for NaN; x / |x| of complex numbers.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     none: no gradient flows through it
/// cost:     2 flop an element
inline Tensor sign(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_sign_at(file, line, x.get()), file, line);
}

/// x · x; integers wrap.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128 fr254 fq254, promoted.
/// grad:     dx = 2*g*x
/// cost:     1 flop an element
inline Tensor square(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_square_at(file, line, x.get()), file, line);
}

/// 1 / x.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = -g*r*r
/// cost:     4 flop an element
inline Tensor reciprocal(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_reciprocal_at(file, line, x.get()), file, line);
}

/// √x; NaN below 0.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = 0.5*g/r
/// cost:     8 flop an element
inline Tensor sqrt(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_sqrt_at(file, line, x.get()), file, line);
}

/// 1 / √x.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = -0.5*g*r/x
/// cost:     16 flop an element
inline Tensor rsqrt(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_rsqrt_at(file, line, x.get()), file, line);
}

/// √(x² + y²) without overflow between.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*x/r; dy = g*y/r
/// cost:     40 flop an element
inline Tensor hypot(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_hypot_at(file, line, x.get(), y.get()), file, line);
}

/// ⌈x⌉.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor ceil(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_ceil_at(file, line, x.get()), file, line);
}

/// ⌊x⌋.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor floor(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_floor_at(file, line, x.get()), file, line);
}

/// x without its fraction.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor trunc(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_trunc_at(file, line, x.get()), file, line);
}

/// the nearest integer, halves to even.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor round(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_round_at(file, line, x.get()), file, line);
}

/// |x| with the sign of y.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*sign(x)*copysign(1, y); dy = 0
/// cost:     2 flop an element
inline Tensor copysign(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_copysign_at(file, line, x.get(), y.get()), file, line);
}

/// the next number after x on the way to y.
/// dtypes:   f32 f64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     180 flop an element
inline Tensor nextafter(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_nextafter_at(file, line, x.get(), y.get()), file, line);
}

/// is the sign bit of x set (−0 and −NaN too).
/// dtypes:   f16 bf16 f32 f64, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor signbit(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_signbit_at(file, line, x.get()), file, line);
}

/// is x neither NaN nor infinite.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor isfinite(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_isfinite_at(file, line, x.get()), file, line);
}

/// is x +∞ or −∞.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor isinf(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_isinf_at(file, line, x.get()), file, line);
}

/// is x NaN.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor isnan(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_isnan_at(file, line, x.get()), file, line);
}

/// the larger one, x when they are equal (zeros of either sign are); NaN if either is.
/// dtypes:   all, promoted.
/// grad:     dx = where(x>y, g, where(x==y, 0.5*g, 0)); dy = where(y>x, g, where(x==y, 0.5*g, 0))
/// cost:     2 flop an element
inline Tensor maximum(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_maximum_at(file, line, x.get(), y.get()), file, line);
}

/// the smaller one, x when they are equal (zeros of either sign are); NaN if either is.
/// dtypes:   all, promoted.
/// grad:     dx = where(x<y, g, where(x==y, 0.5*g, 0)); dy = where(y<x, g, where(x==y, 0.5*g, 0))
/// cost:     2 flop an element
inline Tensor minimum(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_minimum_at(file, line, x.get(), y.get()), file, line);
}

/// minimum(maximum(x, y), z): x kept between y and z; NaN if any is.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     dx = where(logical_and(x>=y, x<=z), g, 0); dy = where(logical_and(y>x, y<=z), g, 0); dz = where(maximum(x, y)>z, g, 0)
/// cost:     4 flop an element
inline Tensor clip(const Operand &x, const Operand &y, const Operand &z, ORRERY_CALLER)
{
    return detail::made(orr_clip_at(file, line, x.get(), y.get(), z.get()), file, line);
}

/// y where x is true, else z.
/// dtypes:   all for y and z, promoted; x is bool.
/// grad:     dx = 0; dy = where(x, g, 0); dz = where(x, 0, g)
/// cost:     1 flop an element
inline Tensor where(const Operand &x, const Operand &y, const Operand &z, ORRERY_CALLER)
{
    return detail::made(orr_where_at(file, line, x.get(), y.get(), z.get()), file, line);
}

/// x = y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor equal(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_equal_at(file, line, x.get(), y.get()), file, line);
}

/// x ≠ y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor not_equal(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_not_equal_at(file, line, x.get(), y.get()), file, line);
}

/// x < y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor less(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_less_at(file, line, x.get(), y.get()), file, line);
}

/// x ≤ y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor less_equal(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_less_equal_at(file, line, x.get(), y.get()), file, line);
}

/// x > y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor greater(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_greater_at(file, line, x.get(), y.get()), file, line);
}

/// x ≥ y.
/// dtypes:   all, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor greater_equal(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_greater_equal_at(file, line, x.get(), y.get()), file, line);
}

/// x and y.
/// dtypes:   bool, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor logical_and(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_logical_and_at(file, line, x.get(), y.get()), file, line);
}

/// x or y.
/// dtypes:   bool, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor logical_or(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_logical_or_at(file, line, x.get(), y.get()), file, line);
}

/// either x or y.
/// dtypes:   bool, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor logical_xor(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_logical_xor_at(file, line, x.get(), y.get()), file, line);
}

/// not x.
/// dtypes:   bool, promoted; the result is bool.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor logical_not(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_logical_not_at(file, line, x.get()), file, line);
}

/// bits that are set in both.
/// dtypes:   bool i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor bitwise_and(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_and_at(file, line, x.get(), y.get()), file, line);
}

/// bits that are set in either.
/// dtypes:   bool i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor bitwise_or(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_or_at(file, line, x.get(), y.get()), file, line);
}

/// bits that differ.
/// dtypes:   bool i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor bitwise_xor(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_xor_at(file, line, x.get(), y.get()), file, line);
}

/// all bits turned over.
/// dtypes:   bool i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor bitwise_invert(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_invert_at(file, line, x.get()), file, line);
}

/// x · 2^y; 0 when y is negative or not below the width.
/// dtypes:   i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     2 flop an element
inline Tensor bitwise_left_shift(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_left_shift_at(file, line, x.get(), y.get()), file, line);
}

/// ⌊x / 2^y⌋; 0 (−1 for a negative x) when y is negative or not below the width.
/// dtypes:   i8…i64 u8…u64, promoted.
/// grad:     none: no gradient flows through it
/// cost:     2 flop an element
inline Tensor bitwise_right_shift(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_bitwise_right_shift_at(file, line, x.get(), y.get()), file, line);
}

/// e^x.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*r
/// cost:     20 flop an element
inline Tensor exp(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_exp_at(file, line, x.get()), file, line);
}

/// e^x − 1, precise near 0.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*exp(x)
/// cost:     24 flop an element
inline Tensor expm1(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_expm1_at(file, line, x.get()), file, line);
}

/// natural logarithm; NaN below 0.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/x
/// cost:     32 flop an element
inline Tensor log(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_log_at(file, line, x.get()), file, line);
}

/// log(1 + x), precise near 0.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/(1+x)
/// cost:     38 flop an element
inline Tensor log1p(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_log1p_at(file, line, x.get()), file, line);
}

/// logarithm to base 2.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/(x*0.6931471805599453)
/// cost:     32 flop an element
inline Tensor log2(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_log2_at(file, line, x.get()), file, line);
}

/// logarithm to base 10.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/(x*2.302585092994046)
/// cost:     32 flop an element
inline Tensor log10(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_log10_at(file, line, x.get()), file, line);
}

/// log(e^x + e^y); the error is relative to max(|x|, |y|) where the result is near 0.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*sigmoid(x-y); dy = g*sigmoid(y-x)
/// cost:     66 flop an element
inline Tensor logaddexp(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_logaddexp_at(file, line, x.get(), y.get()), file, line);
}

/// sine of x radians.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*cos(x)
/// cost:     28 flop an element
inline Tensor sin(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_sin_at(file, line, x.get()), file, line);
}

/// cosine of x radians.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = -g*sin(x)
/// cost:     28 flop an element
inline Tensor cos(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_cos_at(file, line, x.get()), file, line);
}

/// tangent of x radians.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*(1+r*r)
/// cost:     90 flop an element
inline Tensor tan(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_tan_at(file, line, x.get()), file, line);
}

/// arc sine, −π/2 to π/2; NaN outside −1 to 1.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/sqrt((1-x)*(1+x))
/// cost:     60 flop an element
inline Tensor asin(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_asin_at(file, line, x.get()), file, line);
}

/// arc cosine, 0 to π; NaN outside −1 to 1.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = -g/sqrt((1-x)*(1+x))
/// cost:     60 flop an element
inline Tensor acos(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_acos_at(file, line, x.get()), file, line);
}

/// arc tangent, −π/2 to π/2.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/(1+x*x)
/// cost:     60 flop an element
inline Tensor atan(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_atan_at(file, line, x.get()), file, line);
}

/// angle of the point (y, x), −π to π: the arc tangent of x / y in its quadrant.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = where(hypot(x,y)==0, 0, g*(y/hypot(x,y))/hypot(x,y)); dy = where(hypot(x,y)==0, 0, -g*(x/hypot(x,y))/hypot(x,y))
/// cost:     90 flop an element
inline Tensor atan2(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_atan2_at(file, line, x.get(), y.get()), file, line);
}

/// hyperbolic sine.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*cosh(x)
/// cost:     60 flop an element
inline Tensor sinh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_sinh_at(file, line, x.get()), file, line);
}

/// hyperbolic cosine.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*sinh(x)
/// cost:     60 flop an element
inline Tensor cosh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_cosh_at(file, line, x.get()), file, line);
}

/// hyperbolic tangent.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g*(1-r)*(1+r)
/// cost:     24 flop an element
inline Tensor tanh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_tanh_at(file, line, x.get()), file, line);
}

/// inverse hyperbolic sine.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/hypot(x, 1)
/// cost:     120 flop an element
inline Tensor asinh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_asinh_at(file, line, x.get()), file, line);
}

/// inverse hyperbolic cosine; NaN below 1.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/(sqrt(x-1)*sqrt(x+1))
/// cost:     100 flop an element
inline Tensor acosh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_acosh_at(file, line, x.get()), file, line);
}

/// inverse hyperbolic tangent; NaN outside −1 to 1.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g/((1-x)*(1+x))
/// cost:     90 flop an element
inline Tensor atanh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_atanh_at(file, line, x.get()), file, line);
}

/// error function, 2/√π ∫₀ˣ e^−t² dt.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*1.1283791670955126*exp(-x*x)
/// cost:     26 flop an element
inline Tensor erf(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_erf_at(file, line, x.get()), file, line);
}

/// 1 − erf(x), precise for large x.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = -g*1.1283791670955126*exp(-x*x)
/// cost:     54 flop an element
inline Tensor erfc(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_erfc_at(file, line, x.get()), file, line);
}

/// 1 / (1 + e^−x).
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*r*sigmoid(-x)
/// cost:     24 flop an element
inline Tensor sigmoid(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_sigmoid_at(file, line, x.get()), file, line);
}

/// log(1 + e^x).
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*sigmoid(x)
/// cost:     66 flop an element
inline Tensor softplus(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_softplus_at(file, line, x.get()), file, line);
}

/// max(x, 0); NaN for NaN.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64, promoted.
/// grad:     dx = where(r>0, g, 0)
/// cost:     1 flop an element
inline Tensor relu(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_relu_at(file, line, x.get()), file, line);
}

/// x for x ≥ 0, else y · x; a slope for each element, broadcast.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = where(x>=0, g, g*y); dy = where(x>=0, 0, g*x)
/// cost:     2 flop an element
inline Tensor prelu(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_prelu_at(file, line, x.get(), y.get()), file, line);
}

/// x for x > 0, else y · (e^x − 1); a scale for each element, broadcast.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = where(x>0, g, g*y*exp(x)); dy = where(x>0, 0, g*expm1(x))
/// cost:     26 flop an element
inline Tensor elu_with(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_elu_with_at(file, line, x.get(), y.get()), file, line);
}

/// x · sigmoid(x); −0 at −∞, its limit.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*sigmoid(x)*(1+x*sigmoid(-x))
/// cost:     24 flop an element
inline Tensor silu(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_silu_at(file, line, x.get()), file, line);
}

/// x · tanh(softplus(x)); −0 at −∞, its limit.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*(tanh(softplus(x)) + x*sigmoid(x)*(1-tanh(softplus(x)))*(1+tanh(softplus(x))))
/// cost:     42 flop an element
inline Tensor mish(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_mish_at(file, line, x.get()), file, line);
}

/// ½x · (1 + tanh(√(2/π)·(x + 0.044715x³))); −0 at −∞, its limit.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*sigmoid(clip(x,-30,30)*(1.5957691216057308+0.07135481627260025*clip(x,-30,30)*clip(x,-30,30)))*(1+clip(x,-30,30)*(1.5957691216057308+0.21406444881780075*clip(x,-30,30)*clip(x,-30,30))*sigmoid(-clip(x,-30,30)*(1.5957691216057308+0.07135481627260025*clip(x,-30,30)*clip(x,-30,30))))
/// cost:     60 flop an element
inline Tensor gelu_tanh(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_gelu_tanh_at(file, line, x.get()), file, line);
}

/// ½x · (1 + erf(x/√2)); −0 at −∞, its limit.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = g*(0.5*erfc(-0.7071067811865476*x) + 0.3989422804014327*x*exp(-0.5*x*x))
/// cost:     70 flop an element
inline Tensor gelu(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_gelu_at(file, line, x.get()), file, line);
}

/// x · clip(x + 3, 0, 6) / 6.
/// dtypes:   f16 bf16 f32 f64, promoted.
/// grad:     dx = where(x<=-3, 0, where(x>=3, g, g*(2*x+3)/6))
/// cost:     4 flop an element
inline Tensor hardswish(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_hardswish_at(file, line, x.get()), file, line);
}

/// x + i·y; complex64 of f32, complex128 of f64.
/// dtypes:   f32 f64, promoted; the result is complex.
/// grad:     dx = real(g); dy = -imag(g)
/// cost:     1 flop an element
inline Tensor complex(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_complex_at(file, line, x.get(), y.get()), file, line);
}

/// the real part.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
/// grad:     dx = g
/// cost:     1 flop an element
inline Tensor real(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_real_at(file, line, x.get()), file, line);
}

/// the imaginary part; 0 for other numbers.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
/// grad:     none: no gradient flows through it
/// cost:     1 flop an element
inline Tensor imag(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_imag_at(file, line, x.get()), file, line);
}

/// the complex conjugate; x for other numbers.
/// dtypes:   i8…i64 u8…u64 f16 bf16 f32 f64 c64 c128, promoted.
/// grad:     dx = g
/// cost:     1 flop an element
inline Tensor conj(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_conj_at(file, line, x.get()), file, line);
}

/// the angle of x to the positive real axis, −π to π.
/// dtypes:   f16 bf16 f32 f64 c64 c128, promoted. Of complex numbers the result is real.
/// grad:     none: no gradient flows through it
/// cost:     40 flop an element
inline Tensor angle(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_angle_at(file, line, x.get()), file, line);
}

/// y[i] = x[i] as `dtype`. Float to integer truncates and saturates, NaN gives 0; integers wrap; anything to bool is x ≠ 0; to a float
/// rounds to nearest, ties to even. A real number becomes complex with the imaginary part 0; a complex one cannot be cast to real:
/// ORR_EDTYPE (write orr_real, orr_imag or orr_abs). Integers and bool become elements of a field, of which −1 is the largest. An element
/// becomes its unsigned integer, or the congruent signed one nearest to 0; evaluation refuses an element that the dtype does not hold
/// (ORR_EINDEX, with its place). Elements and floats, or elements of two fields: ORR_EDTYPE.
/// dtypes: all. Errors: ORR_EDTYPE (no dtype).      grad: g cast back (zero through integers).      cost: 1 per element.
inline Tensor cast(const Operand &x, orr_dtype dtype, ORRERY_CALLER)
{
    return detail::made(orr_cast_at(file, line, x.get(), dtype), file, line);
}

/// x's elements, in row-major order, as `shape`. One dimension may be -1: it follows from the others.
/// dtypes: all. Errors: ORR_ESHAPE (another number of elements; -1 twice or not determined).
/// grad: g in x's shape.                                                                            cost: a view.
inline Tensor reshape(const Operand &x, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_reshape_at(file, line, x.get(), shape), file, line);
}

/// Axis k of the result is axis axes[k] of x. ORR_ALL_AXES: all axes in reverse order.
/// dtypes: all. Errors: ORR_EAXIS (not each axis exactly once).     grad: the inverse.              cost: a view.
inline Tensor permute(const Operand &x, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_permute_at(file, line, x.get(), axes), file, line);
}

/// The last two axes exchanged. dtypes: all. Errors: ORR_ESHAPE (rank < 2).     grad: gᵀ.           cost: a view.
inline Tensor transpose(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_transpose_at(file, line, x.get()), file, line);
}

/// x repeated along its axes of length 1, and along new leading ones, to `shape`.
/// dtypes: all. Errors: ORR_ESHAPE.     grad: g summed over the repeated axes.                      cost: a view.
inline Tensor broadcast_to(const Operand &x, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_broadcast_to_at(file, line, x.get(), shape), file, line);
}

/// x without the axes named, which must have length 1. ORR_ALL_AXES: every axis of length 1.
/// dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE.     grad: g in x's shape.                            cost: a view.
inline Tensor squeeze(const Operand &x, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_squeeze_at(file, line, x.get(), axes), file, line);
}

/// x with a new axis of length 1 at place `axis` of the result, -(rank+1) ≤ axis ≤ rank.
/// dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE (rank 8 already).     grad: g in x's shape.           cost: a view.
inline Tensor expand_dims(const Operand &x, int axis, ORRERY_CALLER)
{
    return detail::made(orr_expand_dims_at(file, line, x.get(), axis), file, line);
}

/// NumPy's x[start₀:stop₀:step₀, start₁:stop₁:step₁, …]: the lists describe the first axes, the other axes stay.
/// Negative numbers count from the end, ranges are cut to the axis, ORR_END means "left out", and a negative step goes
/// backwards. Example: x[::-1, 2:] is orr_slice(x, ORR_INDEX(ORR_END, 2), ORR_INDEX(ORR_END, ORR_END), ORR_INDEX(-1,
/// 1)).
/// @param step  ORR_NO_INDEX: all 1
/// dtypes: all. Errors: ORR_EINVAL (a step of 0, lists of different lengths), ORR_EAXIS (more numbers than axes).
/// grad: zeros of x's shape with g in these places.                                                  cost: a view.
inline Tensor slice(const Operand &x, const Index &start, const Index &stop, const Index &step = {}, ORRERY_CALLER)
{
    return detail::made(orr_slice_at(file, line, x.get(), start, stop, step), file, line);
}

/// orr_slice along one axis. Errors: ORR_EAXIS, ORR_EINVAL (a step of 0).
inline Tensor slice_axis(const Operand &x, int axis, int64_t start, int64_t stop, int64_t step, ORRERY_CALLER)
{
    return detail::made(orr_slice_axis_at(file, line, x.get(), axis, start, stop, step), file, line);
}

/// x[…, index, …]: the place `index` of one axis, which is removed. A negative index counts from the end.
/// dtypes: all. Errors: ORR_EAXIS, ORR_EINDEX.     grad: as orr_slice.                              cost: a view.
inline Tensor select(const Operand &x, int axis, int64_t index, ORRERY_CALLER)
{
    return detail::made(orr_select_at(file, line, x.get(), axis, index), file, line);
}

/// Windows of `axis`: y[…, w, …, j] = x[…, w · step + j, …]. An overlapping view: nothing is copied.
/// @param length  elements of a window, 1 … x's length along `axis`    @param step  from one window to the next, ≥ 1
/// @return   x's shape with (length_of_axis − length) / step + 1 windows along `axis`, and a last axis of `length`; owned
///           by the current scope; poison on ORR_EAXIS, ORR_ESHAPE, ORR_EINVAL.
/// dtypes:   all.      grad: for each element the sum of g over its appearances.      cost: a view of x's value.
inline Tensor sliding_window(const Operand &x, int axis, int64_t length, int64_t step, ORRERY_CALLER)
{
    return detail::made(orr_sliding_window_at(file, line, x.get(), axis, length, step), file, line);
}

/// x backwards along the axes named. dtypes: all. Errors: ORR_EAXIS.     grad: g backwards.        cost: a view.
inline Tensor flip(const Operand &x, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_flip_at(file, line, x.get(), axes), file, line);
}

/// Σ x. Of no elements: 0. dtypes: all; bool and signed integers sum to i64, unsigned to u64 (wrapping), others keep
/// theirs.
/// grad: g, repeated.
inline Tensor sum(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_sum_at(file, line, x.get(), axes, keepdims), file, line);
}

/// Π x. Of no elements: 1. dtypes: as orr_sum. grad: g times the product of the others, right with one zero or
/// several; the second derivative is right where no factor is 0.
inline Tensor prod(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_prod_at(file, line, x.get(), axes, keepdims), file, line);
}

/// Σ x / n. Of no elements: NaN. dtypes: floats; f16 and bf16 are computed in f32, here and in all below. Errors:
/// ORR_EDTYPE. grad: g/n.
inline Tensor mean(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_mean_at(file, line, x.get(), axes, keepdims), file, line);
}

/// Σ (x − mean)² / (n − ddof). NaN or inf when n ≤ ddof. dtypes: floats; computed in f64 and rounded once. Errors: ORR_EDTYPE.
/// grad: 2·g·(x − mean)/(n − ddof).
/// cost: two passes; one, over f32, f16 and bf16 that exceed the cache (sums of the differences from one element and of their squares, in
/// f64: Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983), as exact as two.
inline Tensor var(const Operand &x, const Axes &axes, double ddof, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_var_at(file, line, x.get(), axes, ddof, keepdims), file, line);
}

/// √var. dtypes: floats. Errors: ORR_EDTYPE. grad: through the root; 0 where the variance is 0.
inline Tensor std(const Operand &x, const Axes &axes, double ddof, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_std_at(file, line, x.get(), axes, ddof, keepdims), file, line);
}

/// √(Σ x²), the 2-norm. dtypes: floats; squares and sum in f64, so that only the norm itself may overflow f32, f16 or bf16. In
/// f64 a square beyond 1.8e308 is inf. Errors: ORR_EDTYPE. grad: g·x/norm; 0 where the norm is 0.
inline Tensor norm(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_norm_at(file, line, x.get(), axes, keepdims), file, line);
}

/// log Σ eˣ, computed relative to the maximum: no overflow; right for ±inf; of no elements: −inf. dtypes: floats.
/// Errors: ORR_EDTYPE. grad: g·softmax(x). cost: two passes.
inline Tensor logsumexp(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_logsumexp_at(file, line, x.get(), axes, keepdims), file, line);
}

/// Least x; NaN if there is one. dtypes: all. Errors: ORR_ESHAPE (no elements).
/// grad: g, in equal parts to all elements that equal the minimum.
inline Tensor min(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_min_at(file, line, x.get(), axes, keepdims), file, line);
}

/// Greatest x; otherwise as orr_min.
inline Tensor max(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_max_at(file, line, x.get(), axes, keepdims), file, line);
}

/// True if any x ≠ 0 (NaN is). Of no elements: false. dtypes: all, to bool.
inline Tensor any(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_any_at(file, line, x.get(), axes, keepdims), file, line);
}

/// True if every x ≠ 0. Of no elements: true. dtypes: all, to bool.
inline Tensor all(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_all_at(file, line, x.get(), axes, keepdims), file, line);
}

/// The place of the greatest element along `axis` (ORR_FLAT: in row-major order over all); the first of equals; the
/// first NaN if there is one. dtypes: all, to i64. Errors: ORR_EAXIS, ORR_ESHAPE (no elements).
inline Tensor argmax(const Operand &x, int axis, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_argmax_at(file, line, x.get(), axis, keepdims), file, line);
}

/// The place of the least element; otherwise as orr_argmax.
inline Tensor argmin(const Operand &x, int axis, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_argmin_at(file, line, x.get(), axis, keepdims), file, line);
}

/// Sums of the elements up to each one: y[k] = x[0] + … + x[k] along `axis`.
/// @param include_initial  true: y begins with a 0 and is longer by one
/// @return   x's shape (along `axis` one more with include_initial), owned by the current scope; poison on ORR_EAXIS.
/// dtypes:   all; signed integers and bool to i64, unsigned ones to u64, both wrapping; elements of fields keep theirs. Halves are
///           summed in f32, f32 in f64; every element is rounded once.
/// grad:     the sums of g from each element on.      cost: one pass; two over few long lines, which all cores share.
inline Tensor cumulative_sum(const Operand &x, int axis, bool include_initial = false, ORRERY_CALLER)
{
    return detail::made(orr_cumulative_sum_at(file, line, x.get(), axis, include_initial), file, line);
}

/// Products of the elements up to each one: y[k] = x[0] · … · x[k] along `axis`; with include_initial y begins with a 1.
/// Otherwise as orr_cumulative_sum.
/// grad:     the sums of g·y from each element on, divided by it; right with one zero or several. The second derivative is
///           right where no factor is 0.
inline Tensor cumulative_prod(const Operand &x, int axis, bool include_initial = false, ORRERY_CALLER)
{
    return detail::made(orr_cumulative_prod_at(file, line, x.get(), axis, include_initial), file, line);
}

/// The elements of `axis` in ascending order, or in descending order. Equal elements keep their order; NaN is last in
/// both directions; −0 equals 0.
/// @return   x's shape and dtype, owned by the current scope; poison on ORR_EAXIS.
/// dtypes:   all.
/// grad:     g of each element at the element's place in x.      cost: one pass per byte of the dtype; rows, and the
///           chunks of few long lines, are shared by the workers.
inline Tensor sort(const Operand &x, int axis, bool descending = false, ORRERY_CALLER)
{
    return detail::made(orr_sort_at(file, line, x.get(), axis, descending), file, line);
}

/// The indices along `axis` that sort x as orr_sort does: orr_sort(x)[k] = x[orr_argsort(x)[k]].
/// @return   x's shape, i64, owned by the current scope; poison on ORR_EAXIS.
/// dtypes:   all, to i64. No gradient.      cost: as orr_sort.
inline Tensor argsort(const Operand &x, int axis, bool descending = false, ORRERY_CALLER)
{
    return detail::made(orr_argsort_at(file, line, x.get(), axis, descending), file, line);
}

/// C = A · B over the last two axes; the others broadcast. As in NumPy, a 1-d A is a row and a 1-d B a column, and
/// their axis is missing in the result. A transposed operand is read without a copy.
/// @param a  (…, m, k)    @param b  (…, k, n)
/// @return   (…, m, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
/// dtypes:   integers and floats, promoted; f16 and bf16 accumulate in f32. Integers wrap (without BLAS, at most 5 batch
///           axes). Elements of one field, too.
/// grad:     dA = g·Bᵀ, dB = Aᵀ·g (summed over broadcast axes).      cost: 2mnk flop.
inline Tensor matmul(const Operand &a, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_matmul_at(file, line, a.get(), b.get()), file, line);
}

/// The lower triangular L with positive diagonal and A = L · Lᵀ, for each matrix; zeros above. A is symmetric, or Hermitian with A = L ·
/// Lᴴ; only its lower triangle is read. L is computed in tiles whose size depends on n alone, so the bits do not depend on the number of
/// workers; one large matrix is a graph of tasks (potrf, trsm, syrk, gemm), many are tasks of their own.
/// @param a  (…, n, n)
/// @return   (…, n, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A matrix that is not positive
///           definite, NaN or infinity in it included, is found by evaluation (ORR_ENUMERIC), which names the order of the
///           first leading minor that is not positive, and in a batch the matrix.
/// dtypes:   f32 f64 c64 c128.      cost: n³/3 flop a matrix. On the CPU; from n = 2048 on also on CUDA devices, and then the bits depend
/// on the placement (ORRERY_DETERMINISTIC=1: only on the CPU).
/// grad:     ½ L⁻ᵀ (P + Pᵀ) L⁻¹, P the lower triangle of Lᵀg with its diagonal halved: symmetric, for symmetric changes
///           of A (I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016).
inline Tensor cholesky(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_cholesky_at(file, line, a.get()), file, line);
}

/// X with A · X = B, for a lower or upper triangular A, of which only that triangle is read. transpose: Aᵀ · X = B. unit:
/// the diagonal is ones and is not read. As in the Python array API's solve, a b of one axis is one vector and any other b
/// a stack of matrices; the stacks of a and b broadcast.
/// @param a  (…, n, n)    @param b  (…, n, m) or (n)
/// @return   (…, n, m) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A zero on the diagonal is
///           found by evaluation (ORR_ENUMERIC, as in SciPy); NaN and infinity go through.
/// dtypes:   f32 f64 c64 c128, promoted.      cost: n²·m flop and two copies of b. On the CPU.
/// grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ in the triangle that is read (both transposed with A, summed over broadcast axes).
inline Tensor solve_triangular(const Operand &a, const Operand &b, bool lower = false, bool transpose = false, bool unit = false, ORRERY_CALLER)
{
    return detail::made(orr_solve_triangular_at(file, line, a.get(), b.get(), lower, transpose, unit), file, line);
}

/// X with A · X = B, for A = L · Lᵀ (complex: L · Lᴴ) given by its factor L = orr_cholesky(A): two solves. Otherwise as
/// orr_solve_triangular.
inline Tensor solve_cholesky(const Operand &l, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_solve_cholesky_at(file, line, l.get(), b.get()), file, line);
}

/// log det A, which is real, of each symmetric or Hermitian positive definite matrix: 2 Σ log Lᵢᵢ with L = orr_cholesky(A), so it neither
/// overflows nor underflows where det A would. 0 for order 0. The factor is shared: orr_logdet(A) and orr_cholesky(A) in one evaluation
/// factor A once.
/// @param a  (…, n, n)
/// @return   (…), owned by the current scope; poison and ORR_ENUMERIC as orr_cholesky.
/// dtypes:   f32 f64 c64 c128; logarithms are summed in f64.      cost: that of orr_cholesky.
/// grad:     A⁻¹ g, through the factor: symmetric.
inline Tensor logdet(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_logdet_at(file, line, a.get()), file, line);
}

/// x's elements along `axis` (ORR_FLAT: of x as flat) at `indices`, whose shape replaces the axis. Negative indices count
/// from the end. An index out of range is found by evaluation (ORR_EINDEX), unless no evaluated value depends on it. By
/// itself the operation copies rows; a fused reader of the result reads x in its own kernel (docs/fusion.md).
/// dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (rank above 8).
/// grad: scatter_add of g into zeros.      cost: 1 per element of the result.
inline Tensor take(const Operand &x, const Operand &indices, int axis, ORRERY_CALLER)
{
    return detail::made(orr_take_at(file, line, x.get(), indices.get(), axis), file, line);
}

/// x, to which updates[…, i, …] is added at place indices[i] of `axis`; an index may occur several times.
/// @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
/// dtypes: x and updates promoted, bool not, f16 and bf16 added in f32 and rounded once; indices integers. Errors: as
/// orr_take. An index out of range is found by evaluation (ORR_EINDEX). grad: dx = g, dupdates = take(g). cost: 1 per element of x and
/// of updates.
inline Tensor scatter_add(const Operand &x, const Operand &indices, const Operand &updates, int axis, ORRERY_CALLER)
{
    return detail::made(orr_scatter_add_at(file, line, x.get(), indices.get(), updates.get(), axis), file, line);
}

/// 1 where the place along a new last axis of length n is the index, else 0; an index outside 0 … n−1 gives zeros.
/// dtypes: indices integers; the result any. Errors: ORR_EDTYPE, ORR_ESHAPE. cost: fused, n per index.
inline Tensor one_hot(const Operand &indices, int64_t n, orr_dtype dtype, ORRERY_CALLER)
{
    return detail::made(orr_one_hot_at(file, line, indices.get(), n, dtype), file, line);
}

/// x where column − row ≤ k over the last two axes, zeros above.
/// dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: tril(g, k). cost: fused, 1 per element.
inline Tensor tril(const Operand &x, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_tril_at(file, line, x.get(), k), file, line);
}

/// x where column − row ≥ k over the last two axes, zeros below; otherwise as orr_tril.
inline Tensor triu(const Operand &x, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_triu_at(file, line, x.get(), k), file, line);
}

/// The n tensors joined along an axis that they all have; the other dimensions are equal.
/// dtypes: all, promoted. Errors: ORR_EINVAL (n < 1), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
/// grad: slices of g. cost: a copy.
inline Tensor concat(const List &t, int axis, ORRERY_CALLER)
{
    return detail::made(orr_concat_at(file, line, t.data(), static_cast<int>(t.size()), axis), file, line);
}

/// The n tensors of one shape along a new axis. Otherwise as orr_concat. dtypes: all, promoted.
inline Tensor stack(const List &t, int axis, ORRERY_CALLER)
{
    return detail::made(orr_stack_at(file, line, t.data(), static_cast<int>(t.size()), axis), file, line);
}

/// x with lo[k] elements before and hi[k] after along axis k, all `value`; axes beyond the lists are not padded.
/// dtypes: all. Errors: ORR_EINVAL (negative), ORR_EAXIS (more numbers than axes), ORR_ESHAPE (overflow), ORR_EDTYPE
/// (value is none of x's dtype). grad: the part of g that is x. cost: a copy.
inline Tensor pad(const Operand &x, const Index &lo, const Index &hi, double value, ORRERY_CALLER)
{
    return detail::made(orr_pad_at(file, line, x.get(), lo, hi, value), file, line);
}

/// x for x > 0, else alpha · (eˣ − 1). orr_elu_with takes alpha as a tensor.
/// dtypes: floats. Errors: ORR_EDTYPE. grad: g for x > 0, else g·alpha·eˣ. cost: 26 per element.
inline Tensor elu(const Operand &x, double alpha, ORRERY_CALLER)
{
    return detail::made(orr_elu_at(file, line, x.get(), alpha), file, line);
}

/// x for x ≥ 0, else slope · x. orr_prelu takes the slope as a tensor.
/// dtypes: floats. Errors: ORR_EDTYPE. grad: g for x ≥ 0, else g·slope. cost: 2 per element.
inline Tensor leaky_relu(const Operand &x, double slope, ORRERY_CALLER)
{
    return detail::made(orr_leaky_relu_at(file, line, x.get(), slope), file, line);
}

/// eˣ / Σ eˣ along the axis, computed relative to the maximum. dtypes: floats; f16 and bf16 are computed in f32.
/// Errors: ORR_EAXIS, ORR_EDTYPE. grad: r·(g − Σ g·r). cost: three passes.
inline Tensor softmax(const Operand &x, int axis, ORRERY_CALLER)
{
    return detail::made(orr_softmax_at(file, line, x.get(), axis), file, line);
}

/// x − log Σ eˣ along the axis, stable as orr_softmax. grad: g − softmax(x)·Σ g.
inline Tensor log_softmax(const Operand &x, int axis, ORRERY_CALLER)
{
    return detail::made(orr_log_softmax_at(file, line, x.get(), axis), file, line);
}

/// −mean over the batch of log_softmax(logits)[label].
/// @param logits  (…, classes), a float dtype    @param labels  (…), integers 0 … classes−1
/// @return  (); NaN when a label is out of range, −100 too: no label is ignored. orr_cross_entropy_with can ignore one.
/// Errors: ORR_EDTYPE, ORR_ESHAPE.
/// grad: by logits, (softmax − one_hot)·g/batch. cost: as log_softmax.
inline Tensor cross_entropy(const Operand &logits, const Operand &labels, ORRERY_CALLER)
{
    return detail::made(orr_cross_entropy_at(file, line, logits.get(), labels.get()), file, line);
}

/// The mean of (x − y)², of shape (). x and y have one shape, or one of them is orr_scalar.
/// dtypes: floats, promoted. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: ±2·g·(x − y)/n. cost: one pass.
inline Tensor mse(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_mse_at(file, line, x.get(), y.get()), file, line);
}

/// Zeros of x's shape and dtype. dtypes: all. No gradient.
inline Tensor zeros_like(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_zeros_like_at(file, line, x.get()), file, line);
}

/// Ones of x's shape and dtype. dtypes: all. No gradient.
inline Tensor ones_like(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_ones_like_at(file, line, x.get()), file, line);
}

/// A tensor of x's shape and dtype, each element `value`.
/// dtypes: all. Errors: ORR_EDTYPE (an integer dtype that does not hold the value). No gradient.
inline Tensor full_like(const Operand &x, double value, ORRERY_CALLER)
{
    return detail::made(orr_full_like_at(file, line, x.get(), value), file, line);
}

/// x kept between two numbers: orr_clip with numbers for its bounds, orr_clip_between(x, 0, 6).
/// dtypes: numbers; x's dtype, which must hold both bounds. Errors: ORR_EDTYPE, ORR_EINVAL (low > high, or NaN).
/// grad: g where low ≤ x ≤ high.      cost: fused, 4 per element.
inline Tensor clip_between(const Operand &x, double low, double high, ORRERY_CALLER)
{
    return detail::made(orr_clip_between_at(file, line, x.get(), low, high), file, line);
}

/// The coordinates of a grid: grids[k][i₀, i₁, …] = x[k][i_k], for n lines x of lengths n₀, n₁, …
/// @param matrix  true: the shape is (n₀, n₁, …); false: its first two axes are exchanged, as for images ("xy" in NumPy)
/// @param grids   n results
/// dtypes: all. Errors: ORR_EINVAL (n < 1), ORR_ESHAPE (a line with other than one axis; more than 8 lines).
/// grad: g summed over the other axes.      cost: views.
inline std::vector<Tensor> meshgrid(const List &x, bool matrix = false, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_grids(x.size());
    const orr_status status = orr_meshgrid_at(file, line, x.data(), static_cast<int>(x.size()), matrix, c_grids.data());
    std::vector<Tensor> v0 = detail::adopted(c_grids);
    (void)detail::check(status, file, line);
    return v0;
}

/// Square matrices whose diagonal number k is v and whose other elements are 0.
/// @param v  (…, n)     @param k  > 0 above the main diagonal, < 0 below
/// @return   (…, n + |k|, n + |k|).
/// dtypes: all. Errors: ORR_ESHAPE (no axis, or eight). grad: the diagonal of g. cost: fused, 1 per element.
inline Tensor diag(const Operand &v, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_diag_at(file, line, v.get(), k), file, line);
}

/// Diagonal number k of the matrices in the last two axes: y[…, i] = x[…, i, i + k], or x[…, i − k, i] for k < 0.
/// @param x  (…, m, n)
/// @return   (…, length), where the length is 0 for a diagonal outside the matrix.
/// dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: zeros with g on the diagonal. cost: a view of x's value.
inline Tensor diagonal(const Operand &x, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_diagonal_at(file, line, x.get(), k), file, line);
}

/// Axes from[i] of x at the places to[i] of the result, the other axes in their order.
/// dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS (out of range, or twice).
/// grad: the inverse.      cost: a view.
inline Tensor moveaxis(const Operand &x, const Axes &from = {}, const Axes &to = {}, ORRERY_CALLER)
{
    return detail::made(orr_moveaxis_at(file, line, x.get(), from, to), file, line);
}

/// Two axes exchanged. dtypes: all. Errors: ORR_EAXIS. grad: g with the axes exchanged. cost: a view.
inline Tensor swapaxes(const Operand &x, int axis, int other, ORRERY_CALLER)
{
    return detail::made(orr_swapaxes_at(file, line, x.get(), axis, other), file, line);
}

/// Each element of `axis` repeated n times, the copies next to each other; ORR_FLAT: the elements of x as flat.
/// dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE. grad: the sum over the copies. cost: a copy.
inline Tensor repeat(const Operand &x, int64_t n, int axis, ORRERY_CALLER)
{
    return detail::made(orr_repeat_at(file, line, x.get(), n, axis), file, line);
}

/// Element i of `axis` repeated counts[i] times; ORR_FLAT: the elements of x as flat. The shape depends on data:
/// `counts` is evaluated.
/// @param counts  one axis, as long as x's or of length 1; integers ≥ 0
/// dtypes: x all. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (another length), ORR_EINVAL (a negative count), those of
/// orr_eval. grad: the sum over the copies. cost: that of orr_take.
inline Tensor repeat_each(const Operand &x, const Operand &counts, int axis, ORRERY_CALLER)
{
    return detail::made(orr_repeat_each_at(file, line, x.get(), counts.get(), axis), file, line);
}

/// x shifted by shift[i] places along axes[i]; elements that leave at one end enter at the other. One axis ORR_FLAT: x is
/// shifted as flat and keeps its shape. An axis that occurs twice is shifted by the sum.
/// dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS. grad: shifted back. cost: a copy, fused.
inline Tensor roll(const Operand &x, const Index &shift, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_roll_at(file, line, x.get(), shift, axes), file, line);
}

/// x turned k times by 90 degrees in the plane of two axes, from the first towards the second.
/// dtypes: all. Errors: ORR_EAXIS (out of range, or equal). grad: turned back. cost: a view.
inline Tensor rot90(const Operand &x, int64_t k, int first, int second, ORRERY_CALLER)
{
    return detail::made(orr_rot90_at(file, line, x.get(), k, first, second), file, line);
}

/// x repeated as a whole, n[i] times along axis i; the shorter of n and x's shape is extended by leading ones.
/// dtypes: all. Errors: ORR_EINVAL (negative), ORR_ESHAPE. grad: the sum over the copies. cost: a copy.
inline Tensor tile(const Operand &x, const Index &n, ORRERY_CALLER)
{
    return detail::made(orr_tile_at(file, line, x.get(), n), file, line);
}

/// pieces[0 … n − 1] are equal parts of x along an axis. Errors: ORR_EAXIS, ORR_EINVAL (n < 1), ORR_ESHAPE (n does not divide
/// the length).
/// dtypes: all. grad: zeros with g in place. cost: views.
inline std::vector<Tensor> split(const Operand &x, int n, int axis, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_pieces(detail::count(n));
    const orr_status status = orr_split_at(file, line, x.get(), n, axis, c_pieces.data());
    std::vector<Tensor> v0 = detail::adopted(c_pieces);
    (void)detail::check(status, file, line);
    return v0;
}

/// pieces[0 … n] of x along an axis, cut before the elements place[0] ≤ place[1] ≤ …; negative places count from the end.
/// Errors: ORR_EAXIS, ORR_EINVAL (not ascending), ORR_EINDEX (out of range). Otherwise as orr_split.
inline std::vector<Tensor> cut(const Operand &x, const View<const int64_t> &place, int axis, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_pieces(place.size() + 1);
    const orr_status status = orr_cut_at(file, line, x.get(), place.data(), static_cast<int>(place.size()), axis, c_pieces.data());
    std::vector<Tensor> v0 = detail::adopted(c_pieces);
    (void)detail::check(status, file, line);
    return v0;
}

/// The n elements of an axis of length n as tensors without that axis: the inverse of orr_stack.
/// Errors: ORR_EAXIS, ORR_ESHAPE (another length). dtypes: all. grad: zeros with g in place. cost: views.
inline std::vector<Tensor> unstack(const Operand &x, int axis, int n, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_items(detail::count(n));
    const orr_status status = orr_unstack_at(file, line, x.get(), axis, c_items.data(), n);
    std::vector<Tensor> v0 = detail::adopted(c_items);
    (void)detail::check(status, file, line);
    return v0;
}

/// results[i] is x[i] broadcast to the common shape of all n. Each keeps its dtype.
/// Errors: ORR_EINVAL (n < 1), ORR_ESHAPE. dtypes: all. grad: g summed over the repeated axes. cost: views.
inline std::vector<Tensor> broadcast_arrays(const List &x, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_results(x.size());
    const orr_status status = orr_broadcast_arrays_at(file, line, x.data(), static_cast<int>(x.size()), c_results.data());
    std::vector<Tensor> v0 = detail::adopted(c_results);
    (void)detail::check(status, file, line);
    return v0;
}

/// y[…, i, …] = x[…, indices[…, i, …], …] along one axis; the other axes of x and indices broadcast.
/// @param indices  x's rank; negative ones count from the end
/// @return   the broadcast shape with the length of indices along `axis`. An index out of range is found by evaluation
///           (ORR_EINDEX).
/// dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE.
/// grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result.
inline Tensor take_along_axis(const Operand &x, const Operand &indices, int axis, ORRERY_CALLER)
{
    return detail::made(orr_take_along_axis_at(file, line, x.get(), indices.get(), axis), file, line);
}

/// y[i…, j…] = x[indices[i…, 0], …, indices[i…, m−1], j…]: each row of m indices names an element, or a piece, of x.
/// @param indices  (…, m), m ≤ rank of x; negative ones count from the end
/// @return   the shape of indices without its last axis, then the axes of x from m on. An index out of range is found by
///           evaluation (ORR_EINDEX); the message has the place in row-major order over the first m axes.
/// dtypes: x all, indices integers. Errors: ORR_EDTYPE, ORR_ESHAPE.
/// grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result.
inline Tensor gather_nd(const Operand &x, const Operand &indices, ORRERY_CALLER)
{
    return detail::made(orr_gather_nd_at(file, line, x.get(), indices.get()), file, line);
}

/// x with place indices[i] of `axis` changed by updates[…, i, …]; an index may occur several times.
/// @param indices  negative ones count from the end; one out of range is found by evaluation (ORR_EINDEX)
/// @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
/// dtypes: x and updates promoted (bool not with ORR_SCATTER_ADD), indices integers. Errors: ORR_EAXIS, ORR_EDTYPE,
/// ORR_ESHAPE, ORR_EINVAL (no mode).
/// grad: for ORR_SCATTER_SET g goes to the last update of each place, for an extremum in equal parts to all values that
/// equal it, for a product it is g times the other factors.      cost: 1 per element of x and of updates, on one core.
inline Tensor scatter(const Operand &x, const Operand &indices, const Operand &updates, int axis, orr_scatter_mode mode, ORRERY_CALLER)
{
    return detail::made(orr_scatter_at(file, line, x.get(), indices.get(), updates.get(), axis, mode), file, line);
}

/// x with the element, or the piece, that the row indices[i…] names (orr_gather_nd) changed by updates[i…, j…].
/// @param updates  the shape of orr_gather_nd's result; broadcast to it. Otherwise as orr_scatter.
inline Tensor scatter_nd(const Operand &x, const Operand &indices, const Operand &updates, orr_scatter_mode mode, ORRERY_CALLER)
{
    return detail::made(orr_scatter_nd_at(file, line, x.get(), indices.get(), updates.get(), mode), file, line);
}

/// The elements of x where mask is true, in row-major order. The mask's shape is the beginning of x's; the axes after it
/// stay. The shape of the result depends on data: `mask` is evaluated.
/// @return   (number of true elements, axes of x after the mask's …).
/// dtypes: x all, mask bool. Errors: ORR_EDTYPE, ORR_ESHAPE, those of orr_eval.
/// grad: g in these places, zeros elsewhere.      cost: that of orr_take.
inline Tensor mask_select(const Operand &x, const Operand &mask, ORRERY_CALLER)
{
    return detail::made(orr_mask_select_at(file, line, x.get(), mask.get()), file, line);
}

/// The places where x ≠ 0 (NaN is), in row-major order. The shape depends on data: `x` is evaluated.
/// @return   (number of places, rank of x), i64.
/// dtypes: all. Errors: those of orr_eval. No gradient.
inline Tensor argwhere(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_argwhere_at(file, line, x.get()), file, line);
}

/// orr_argwhere with one result for each axis of x: places[d][i] is the index along axis d.
/// errors:   ORR_ESHAPE (a 0-d x, or n is not its rank), those of orr_eval.
inline std::vector<Tensor> nonzero(const Operand &x, int n, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_places(detail::count(n));
    const orr_status status = orr_nonzero_at(file, line, x.get(), c_places.data(), n);
    std::vector<Tensor> v0 = detail::adopted(c_places);
    (void)detail::check(status, file, line);
    return v0;
}

/// The number of elements that are ≠ 0 (NaN is), over axes as in orr_sum. dtypes: all, to i64. No gradient.
inline Tensor count_nonzero(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_count_nonzero_at(file, line, x.get(), axes, keepdims), file, line);
}

/// The place at which each value keeps an ascending line sorted: the number of elements below the value, or with `right`
/// of those not above it. NaN is the greatest, as in orr_sort. For a line in another order the places are arbitrary; that
/// is no error.
/// @param sorted  one axis; with a sorter (orr_argsort) write orr_take(line, sorter, 0)
/// @return   the shape of values, i64.
/// dtypes: all, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. No gradient. cost: log₂ of the length, for each value.
inline Tensor searchsorted(const Operand &sorted, const Operand &values, bool right = false, ORRERY_CALLER)
{
    return detail::made(orr_searchsorted_at(file, line, sorted.get(), values.get(), right), file, line);
}

/// The places of the k greatest, or least, elements of an axis, best first: the first k of orr_argsort.
/// @return   x's shape with k along `axis`, i64.
/// dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (k < 0 or above the length). No gradient.
/// cost: one pass for a small k; few long lines are shared by all cores.
inline Tensor top_places(const Operand &x, int64_t k, int axis, bool largest = false, ORRERY_CALLER)
{
    return detail::made(orr_top_places_at(file, line, x.get(), k, axis, largest), file, line);
}

/// The k greatest, or least, elements of an axis, best first, and their places. Otherwise as orr_top_places.
/// grad: g at the places of the elements.
inline std::tuple<Tensor, Tensor> topk(const Operand &x, int64_t k, int axis, bool largest = false, ORRERY_CALLER)
{
    orr_tensor *c_values = nullptr;
    orr_tensor *c_places = nullptr;
    const orr_status status = orr_topk_at(file, line, x.get(), k, axis, largest, &c_values, &c_places);
    Tensor v0 = Tensor(c_values);
    Tensor v1 = Tensor(c_places);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1) };
}

/// The distinct elements of x as flat, in ascending order, complex ones by their real, then by their imaginary parts. As
/// in the standard, each NaN is distinct and ±0 are equal. The shape depends on data: `x` is evaluated.
/// @return   one axis, x's dtype. dtypes: all. Errors: those of orr_eval.
/// No gradient; the values of orr_unique_all have one. cost: that of orr_sort.
inline Tensor unique_values(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_unique_values_at(file, line, x.get()), file, line);
}

/// orr_unique_values, and the count of each value, i64.
inline std::tuple<Tensor, Tensor> unique_counts(const Operand &x, ORRERY_CALLER)
{
    orr_tensor *c_values = nullptr;
    orr_tensor *c_counts = nullptr;
    const orr_status status = orr_unique_counts_at(file, line, x.get(), &c_values, &c_counts);
    Tensor v0 = Tensor(c_values);
    Tensor v1 = Tensor(c_counts);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1) };
}

/// orr_unique_values, and for each element of x, in x's shape, the place of its value among them, i64.
inline std::tuple<Tensor, Tensor> unique_inverse(const Operand &x, ORRERY_CALLER)
{
    orr_tensor *c_values = nullptr;
    orr_tensor *c_inverse = nullptr;
    const orr_status status = orr_unique_inverse_at(file, line, x.get(), &c_values, &c_inverse);
    Tensor v0 = Tensor(c_values);
    Tensor v1 = Tensor(c_inverse);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1) };
}

/// All of these results, and the place in x as flat of the first occurrence of each value, i64. A result that is not
/// needed may be NULL. grad: if indices or inverse is requested, the values have one: g goes to the first occurrences.
/// cost: with indices or inverse that of orr_argsort.
inline std::tuple<Tensor, Tensor, Tensor, Tensor> unique_all(const Operand &x, ORRERY_CALLER)
{
    orr_tensor *c_values = nullptr;
    orr_tensor *c_indices = nullptr;
    orr_tensor *c_inverse = nullptr;
    orr_tensor *c_counts = nullptr;
    const orr_status status = orr_unique_all_at(file, line, x.get(), &c_values, &c_indices, &c_inverse, &c_counts);
    Tensor v0 = Tensor(c_values);
    Tensor v1 = Tensor(c_indices);
    Tensor v2 = Tensor(c_inverse);
    Tensor v3 = Tensor(c_counts);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1), std::move(v2), std::move(v3) };
}

/// Differences of neighbours along an axis, n times: y[i] = x[i + 1] − x[i].
/// @param prepend, append  joined to x's ends first; NULL: none
/// @return   n elements fewer along `axis`; none if there are not so many.
/// dtypes: integers (wrapping) and floats, promoted; bool not. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE,
/// ORR_EDTYPE. grad: the differences of g, reversed. cost: fused.
inline Tensor diff(const Operand &x, int axis, int n, const Operand &prepend = {}, const Operand &append = {}, ORRERY_CALLER)
{
    return detail::made(orr_diff_at(file, line, x.get(), axis, n, prepend.get(), append.get()), file, line);
}

/// The counts of 0 … length − 1 in x as flat; with weights, the sums of the weights.
/// @param weights  x's shape, or NULL
/// @param length   −1: one more than the greatest element; then the shape depends on data, and x is evaluated
/// @return   (length), i64, or the dtype of weights. An element out of range is found by evaluation (ORR_EINDEX).
/// dtypes: x integers, weights all but bool. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (a negative element).
/// grad: by weights, g at each element. cost: that of orr_scatter_add.
inline Tensor bincount(const Operand &x, const Operand &weights, int64_t length, ORRERY_CALLER)
{
    return detail::made(orr_bincount_at(file, line, x.get(), weights.get(), length), file, line);
}

/// The number of elements of x as flat in each bin. Bin i is [edges[i], edges[i + 1]); the last one includes its right
/// edge. Elements outside, and NaN, are not counted.
/// @param edges    ascending, one axis of 2 at least (orr_linspace makes equal bins)
/// @param weights  x's shape, or NULL
/// @return   one element fewer than edges, i64, or the dtype of weights.
/// dtypes: x and edges promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (edges that fall). grad: by weights. cost: log₂ bins for each element.
inline Tensor histogram(const Operand &x, const Operand &edges, const Operand &weights = {}, ORRERY_CALLER)
{
    return detail::made(orr_histogram_at(file, line, x.get(), edges.get(), weights.get()), file, line);
}

/// The q-quantiles over the axes: the value at place q·(m − 1) of the m sorted elements, interpolated linearly.
/// @param axes  as for orr_mean
/// @return   one axis for the n numbers q, then x's shape without the axes (1 with keepdims). NaN where an element is NaN.
/// dtypes: floats; f16 and bf16 in f32. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (an empty axis), ORR_EINVAL (a q outside
/// 0 … 1). grad: to the one or two elements. cost: that of orr_sort.
inline Tensor quantile(const Operand &x, const View<const double> &q, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_quantile_at(file, line, x.get(), q.data(), static_cast<int>(q.size()), axes, keepdims), file, line);
}

/// The 0.5-quantile, without the axis for q. Otherwise as orr_quantile.
inline Tensor median(const Operand &x, const Axes &axes = {}, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_median_at(file, line, x.get(), axes, keepdims), file, line);
}

/// The covariances of variables: rows of x are observations, columns are variables.
/// @param x     (…, observations, variables)
/// @param ddof  1: divided by n − 1, 0: by n
/// @return   (…, variables, variables): Σ (xᵢ − mean)(xⱼ − mean) / (n − ddof). NaN or inf when n ≤ ddof.
/// dtypes: floats. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: through the product. cost: a product of x with itself.
inline Tensor covariance(const Operand &x, double ddof, ORRERY_CALLER)
{
    return detail::made(orr_covariance_at(file, line, x.get(), ddof), file, line);
}

/// Pearson's correlations: covariances divided by both standard deviations, within −1 … 1; NaN for a variable that does not
/// vary. Otherwise as orr_covariance.
inline Tensor correlation(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_correlation_at(file, line, x.get()), file, line);
}

/// The sum of products described by a text, as numpy.einsum: orr_einsum("bij,bjk->bik", ORR_TENSORS(a, b)) is a batch of
/// matrix products. A letter stands for an axis. Axes of the same letter have the same length, or 1, which is repeated. A
/// letter that occurs twice in an operand selects its diagonal; letters that the result does not have are summed over.
/// "..." stands for further axes, which broadcast. Without "->" the result has the letters that occur once, in the order A
/// … Z, a … z. Spaces are ignored. Operands are multiplied pair by pair, in the order of the fewest multiplications (all
/// orders are compared for up to 8 operands; with more, the cheapest pair is next). Each pair is one orr_matmul, whose
/// operands are not copied where possible.
/// @param x  1 to 16 operands
/// @return   owned by the current scope; poison on ORR_EINVAL (the text), ORR_ESHAPE, ORR_EDTYPE.
/// dtypes:   integers (wrapping) and floats, promoted; bool not. A pair's product is rounded to the dtype.
/// grad:     through the products.      cost: that of the order.
inline Tensor einsum(const std::string &text, const List &x, ORRERY_CALLER)
{
    return detail::made(orr_einsum_at(file, line, text.c_str(), x.data(), static_cast<int>(x.size())), file, line);
}

/// Σ a·b over axes of_a[i] of a and of_b[i] of b: the other axes of a, then those of b. No axes: the outer product.
/// dtypes: integers and floats, promoted. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
/// grad: through the product. cost: that of orr_matmul, and copies of operands that are not matrices in memory.
inline Tensor tensordot(const Operand &a, const Operand &b, const Axes &of_a = {}, const Axes &of_b = {}, ORRERY_CALLER)
{
    return detail::made(orr_tensordot_at(file, line, a.get(), b.get(), of_a, of_b), file, line);
}

/// Σ a·b along one axis of both, counted from the end; the other axes broadcast. Of complex numbers Σ conj(a)·b.
/// dtypes: integers (wrapping), floats and complex, promoted. Errors: ORR_EAXIS (not negative), ORR_ESHAPE, ORR_EDTYPE.
/// grad: g·b and g·a. cost: fused, one pass.
inline Tensor vecdot(const Operand &a, const Operand &b, int axis, ORRERY_CALLER)
{
    return detail::made(orr_vecdot_at(file, line, a.get(), b.get(), axis), file, line);
}

/// y[i, j] = a[i] · b[j]. dtypes: integers and floats, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. grad: g·b, gᵀ·a. cost: fused.
inline Tensor outer(const Operand &a, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_outer_at(file, line, a.get(), b.get()), file, line);
}

/// Kronecker's product: each element of a times all of b, as blocks. The shorter shape is extended by leading ones.
/// dtypes: integers and floats, promoted. Errors: ORR_ESHAPE (more than 4 axes), ORR_EDTYPE. grad: through the product.
inline Tensor kron(const Operand &a, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_kron_at(file, line, a.get(), b.get()), file, line);
}

/// Returns whether t is of one of the kinds; false for any number that is no dtype. Thread-safe.
inline bool isdtype(orr_dtype t, unsigned kinds)
{
    auto r = orr_isdtype(t, kinds);
    return r;
}

/// Sets *result to the dtype to which the n dtypes promote, by the rules of the standard.
/// errors:   ORR_EINVAL (n < 1), ORR_EDTYPE (no dtype, or no common one). Thread-safe.
inline orr_dtype result_type(const View<const orr_dtype> &t, ORRERY_CALLER)
{
    orr_dtype c_result{};
    const orr_status status = orr_result_type_at(file, line, t.data(), static_cast<int>(t.size()), &c_result);
    orr_dtype v0 = c_result;
    (void)detail::check(status, file, line);
    return v0;
}

/// Returns whether `from` promotes to `to`, so that no value is lost. Thread-safe.
inline bool can_cast(orr_dtype from, orr_dtype to)
{
    auto r = orr_can_cast(from, to);
    return r;
}

/// Sets *facts. errors: ORR_EDTYPE (`t` is no float dtype). Thread-safe.
inline orr_status finfo(orr_dtype t, orr_float_facts &facts, ORRERY_CALLER)
{
    return detail::check(orr_finfo_at(file, line, t, &facts), file, line);
}

/// Sets *facts. errors: ORR_EDTYPE (`t` is no integer dtype). Thread-safe.
inline orr_status iinfo(orr_dtype t, orr_integer_facts &facts, ORRERY_CALLER)
{
    return detail::check(orr_iinfo_at(file, line, t, &facts), file, line);
}

/// X with A · X = B, by an LU factorisation with partial pivoting. As in the Python array API's solve, a b of one axis is one
/// vector and any other b a stack of matrices; the stacks of a and b broadcast.
/// @param a  (…, n, n)    @param b  (…, n, k) or (n)
/// @return   (…, n, k) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A pivot that is exactly 0 is
///           ORR_ENUMERIC; NaN goes through.
/// dtypes:   f32 f64 c64 c128, promoted.      cost: 2/3·n³ + 2·n²·k flop a matrix.
/// grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ, summed over broadcast axes.
inline Tensor solve(const Operand &a, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_solve_at(file, line, a.get(), b.get()), file, line);
}

/// A⁻¹, as the solution of A · X = 1. A system is better solved by orr_solve.
/// @param a  (…, n, n)
/// @return   (…, n, n), owned by the current scope; poison and ORR_ENUMERIC as orr_solve.
/// dtypes:   f32 f64 c64 c128.      cost: 8/3·n³ flop.      grad: −A⁻ᵀ·g·A⁻ᵀ.
inline Tensor inv(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_inv_at(file, line, a.get()), file, line);
}

/// Least squares for any A, rank-deficient ones included, by singular values (LAPACK's gelsd). b as in orr_solve.
/// @param a     (…, m, n)    @param b  (…, m, k) or (m)
/// @param rtol  singular values up to rtol times the largest count as 0; negative: max(m, n)·ε of the dtype
/// dtypes:   f32 f64 c64 c128, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN); ORR_ENUMERIC (NaN or infinity in a or b).
/// cost:     ≈ 8·m·n·min(m, n) flop.
/// grad:     for constant rank, with P = A⁺: dB = Pᵀ·g, dA = −dB·Xᵀ + (B − A·X)·(P·dB)ᵀ + (Pᵀ·X)·(g − Aᵀ·dB)ᵀ. Source: Golub and
///           Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems …", SIAM J. Numer. Anal. 10, 1973.
inline LstsqResult lstsq(const Operand &a, const Operand &b, double rtol, ORRERY_CALLER)
{
    auto r = orr_lstsq_at(file, line, a.get(), b.get(), rtol);
    return detail::result_of(r);
}

/// The pseudo-inverse A⁺ (Moore, Penrose): the least-squares solution of A · X = 1.
/// @param a     (…, m, n)    @param rtol  as in orr_lstsq
/// @return   (…, n, m), owned by the current scope; poison and ORR_ENUMERIC as orr_lstsq.
/// dtypes:   f32 f64 c64 c128.      cost: that of orr_lstsq with k = m.      grad: as orr_lstsq, for constant rank.
inline Tensor pinv(const Operand &a, double rtol, ORRERY_CALLER)
{
    return detail::made(orr_pinv_at(file, line, a.get(), rtol), file, line);
}

/// det A, the product of the pivots of an LU factorisation with their sign; 1 for order 0, 0 for a singular matrix.
/// @param a  (…, n, n)
/// @return   (…), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
/// dtypes:   f32 f64 c64 c128; the product is formed in f64 (f32) or with a separate exponent (f64), so it overflows only where det A
///           does.
/// cost:     2/3·n³ flop.
/// grad:     g·det A·A⁻ᵀ. For a singular matrix the gradient exists but A⁻¹ does not: ORR_ENUMERIC.
inline Tensor det(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_det_at(file, line, a.get()), file, line);
}

/// Sign and logarithm of the determinant, which neither overflow nor underflow. For symmetric positive definite matrices
/// orr_logdet is faster.
/// @param a  (…, n, n)
/// dtypes:   f32 f64 c64 c128.      cost: 2/3·n³ flop.
/// grad:     of logabsdet g·A⁻ᵀ (ORR_ENUMERIC for a singular matrix), of a real sign 0.
inline SlogdetResult slogdet(const Operand &a, ORRERY_CALLER)
{
    auto r = orr_slogdet_at(file, line, a.get());
    return detail::result_of(r);
}

/// The LU factorisation with partial pivoting. A singular matrix has one, with a 0 on the diagonal of U.
/// @param a  (…, m, n)
/// dtypes:   f32 f64 c64 c128.      cost: m·n·k − … ≈ 2/3·n³ flop for square ones.
/// grad:     for full rank, p held fixed: square and wide A[p] = L·[U₁ U₂]: dA₁[p] = L⁻ᵀ(tril(LᵀdL − dU₂U₂ᵀ, −1) + triu(dU₁U₁ᵀ))U₁⁻ᵀ,
///           dA₂[p] = L⁻ᵀdU₂; tall ones likewise. A 0 on the diagonal of U is ORR_ENUMERIC there. Source: de Hoog, Anderssen and Lukas,
///           "Differentiation of matrix functionals using triangular factorization", Mathematics of Computation 80, 2011.
inline LuResult lu(const Operand &a, ORRERY_CALLER)
{
    auto r = orr_lu_at(file, line, a.get());
    return detail::result_of(r);
}

/// The QR factorisation by Householder's reflections. Signs are LAPACK's: the diagonal of R is real and may be negative.
/// @param a         (…, m, n)
/// @param complete  Q is square
/// dtypes:   f32 f64 c64 c128.      cost: 4·m·n² − 4/3·n³ flop for m ≥ n.
/// grad:     m ≥ n: (dQ + Q·copyltu(R·dRᵀ − dQᵀ·Q))·R⁻ᵀ, copyltu(M) the symmetric matrix of M's lower triangle; wide ones by their
///           leading square. For linearly independent leading columns: a 0 on the diagonal of R is ORR_ENUMERIC. With complete and
///           m > n the additional columns are not unique and there is no gradient: ORR_EGRAPH. Sources: Walter and Lehmann,
///           "Algorithmic differentiation of linear algebra functions …", arXiv:1001.1654, 2010; Roberts and Roberts, "QR and LQ
///           decomposition matrix backpropagation algorithms …", arXiv:2009.10071, 2020.
inline QrResult qr(const Operand &a, bool complete = false, ORRERY_CALLER)
{
    auto r = orr_qr_at(file, line, a.get(), complete);
    return detail::result_of(r);
}

/// The singular value decomposition, by divide and conquer. The signs of a pair of vectors, for complex ones the phases, are arbitrary.
/// @param a     (…, m, n)
/// @param full  U and Vh are square
/// dtypes:   f32 f64 c64 c128.      cost: ≈ 22·n³ flop for square ones.
/// grad:     U[(F∘(UᵀdU − dUᵀU))·S + S·(F∘(VᵀdV − dVᵀV)) + diag(dS)]Vᵀ + (1 − UUᵀ)·dU·S⁻¹·Vᵀ + U·S⁻¹·dVᵀ·(1 − VVᵀ),
///           F_ij = 1/(s_j² − s_i²). Where two singular values are equal up to rounding, or one is 0, the vectors are not unique:
///           functions that do not depend on the choice (of S alone, U·diag(S)·Vh) get the limit, which the cotangents' own
///           derivative by S gives; for others such terms are infinite or NaN, also where the graph behind the result has more
///           than 4096 operations. With full and m ≠ n, U and Vh have no gradient (ORR_EGRAPH). Source: Townsend, "Differentiating the singular
///           value decomposition", 2016; Giles, "Collected matrix derivative results …", 2008.
inline SvdResult svd(const Operand &a, bool full = false, ORRERY_CALLER)
{
    auto r = orr_svd_at(file, line, a.get(), full);
    return detail::result_of(r);
}

/// The singular values alone, descending.
/// @param a  (…, m, n)
/// @return   (…, min(m, n)), owned by the current scope; poison and ORR_ENUMERIC as orr_svd.
/// dtypes:   f32 f64 c64 c128.      cost: ≈ 8/3·n³ flop.      grad: U·diag(g)·Vh, with U and Vh computed for it.
inline Tensor svdvals(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_svdvals_at(file, line, a.get()), file, line);
}

/// Eigenvalues and eigenvectors of symmetric and Hermitian matrices, by divide and conquer. Only the lower triangles are read. The
/// signs of the vectors are arbitrary.
/// @param a  (…, n, n)
/// dtypes:   f32 f64 c64 c128.      cost: ≈ 9·n³ flop.
/// grad:     V(diag(dW) + F∘(VᵀdV))Vᵀ, F_ij = 1/(w_j − w_i), its symmetric part: for symmetric changes of A. Where two
///           eigenvalues are equal up to rounding their vectors are not unique: functions that do not depend on the choice (of W
///           alone, V·diag(φ(W))·Vᵀ) get the limit, as in orr_svd. Source: Giles, "Collected matrix derivative results …", 2008.
inline EighResult eigh(const Operand &a, ORRERY_CALLER)
{
    auto r = orr_eigh_at(file, line, a.get());
    return detail::result_of(r);
}

/// The eigenvalues alone, ascending.
/// @param a  (…, n, n), symmetric or Hermitian: the lower triangles are read
/// @return   (…, n), owned by the current scope; poison and ORR_ENUMERIC as orr_eigh.
/// dtypes:   f32 f64 c64 c128.      cost: ≈ 4/3·n³ flop.      grad: V·diag(g)·Vᵀ, with V computed for it.
inline Tensor eigvalsh(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_eigvalsh_at(file, line, a.get()), file, line);
}

/// Eigenvalues and right eigenvectors of square matrices that need not be symmetric, by the QR algorithm.
/// @param a  (…, n, n), real
/// dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 25·n³ flop and more, by the number of iterations.
/// grad:     the real part of V⁻ᴴ(diag(dW) + (VᴴdV − VᴴV·diag(Re VᴴdV))/conj(w_j − w_i))Vᴴ, cotangents without JAX's conjugation.
///           It holds for distinct eigenvalues and functions that do not depend on the phases of the vectors. Where two are equal,
///           terms have the limits of orr_eigh; a defective matrix has singular V: ORR_ENUMERIC. Source: Boeddeker, Hanebrink, Drude, Heymann and
///           Haeb-Umbach, "On the computation of complex-valued gradients …", arXiv:1701.00392, 2017.
inline EigResult eig(const Operand &a, ORRERY_CALLER)
{
    auto r = orr_eig_at(file, line, a.get());
    return detail::result_of(r);
}

/// The eigenvalues alone, in no order.
/// @param a  (…, n, n), real
/// @return   (…, n), complex, owned by the current scope; poison and ORR_ENUMERIC as orr_eig.
/// dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 10·n³ flop.      grad: as orr_eig, with V computed for it.
inline Tensor eigvals(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_eigvals_at(file, line, a.get()), file, line);
}

/// (Σ |x|ᵖ)^(1/p) over some axes, p = order: INFINITY is the largest |x|, −INFINITY the least, 0 the number of x ≠ 0.
/// dtypes:   floats, c64 and c128, whose norm is real; f16 and bf16 are computed in f32. Errors: ORR_EDTYPE, ORR_EAXIS, ORR_EINVAL (order
///           is NaN), ORR_ESHAPE (the least of no elements).
/// grad:     through the formula; 0 where the norm is 0 and 0 < p.      cost: one pass.
inline Tensor vector_norm(const Operand &x, const Axes &axes, bool keepdims, double order, ORRERY_CALLER)
{
    return detail::made(orr_vector_norm_at(file, line, x.get(), axes, keepdims, order), file, line);
}

/// The norm of each matrix in the last two axes; 0 for an empty one.
/// @param x  (…, m, n)
/// @return   (…), or (…, 1, 1) with keepdims, owned by the current scope; poison on ORR_ESHAPE (also the least of nothing),
///           ORR_EDTYPE, ORR_EINVAL (no kind).
/// dtypes:   f32 f64 c64 c128.      cost: one pass, or orr_svdvals.      grad: through the formula and orr_svdvals.
inline Tensor matrix_norm(const Operand &x, orr_norm_kind kind, bool keepdims = false, ORRERY_CALLER)
{
    return detail::made(orr_matrix_norm_at(file, line, x.get(), kind, keepdims), file, line);
}

/// The condition ‖A‖·‖A⁻¹‖ of each matrix, inf for a singular one; by ORR_NORM_TWO the quotient of the largest and the least singular
/// value, inf for a matrix of zeros too.
/// @param x  (…, m, n), square unless the kind is ORR_NORM_TWO or ORR_NORM_LEAST_TWO
/// @return   (…), owned by the current scope; poison as orr_matrix_norm.
/// dtypes:   f32 f64 c64 c128.      cost: orr_svdvals, or orr_lu and orr_inv.      grad: through them.
inline Tensor cond(const Operand &x, orr_norm_kind kind, ORRERY_CALLER)
{
    return detail::made(orr_cond_at(file, line, x.get(), kind), file, line);
}

/// The number of singular values above rtol times the largest; rtol negative: max(m, n)·ε of the dtype.
/// @param x  (…, m, n)
/// @return   (…) i64, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN).
/// dtypes:   f32 f64 c64 c128.      cost: orr_svdvals.      No gradient.
inline Tensor matrix_rank(const Operand &x, double rtol, ORRERY_CALLER)
{
    return detail::made(orr_matrix_rank_at(file, line, x.get(), rtol), file, line);
}

/// The sum of diagonal number k of each matrix, which may be wide or tall; k > 0 above the main one.
/// @param a  (…, m, n)
/// @return   (…), of orr_sum's dtype, owned by the current scope; poison on ORR_ESHAPE.
/// dtypes:   all.      grad: g on the diagonal.      cost: 1 per element of it.
inline Tensor trace(const Operand &a, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_trace_at(file, line, a.get(), k), file, line);
}

/// A^power by repeated squaring; power 0: the unit matrix; negative: a power of the inverse.
/// @param a  (…, n, n)
/// @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; ORR_ENUMERIC as orr_inv.
/// dtypes:   f32 f64 c64 c128.      cost: ≤ 2·log₂ power products.      grad: through them.
inline Tensor matrix_power(const Operand &a, int64_t power, ORRERY_CALLER)
{
    return detail::made(orr_matrix_power_at(file, line, a.get(), power), file, line);
}

/// e^A = Σ Aᵏ/k!, by scaling and squaring with the Padé approximant of degree 13. Source: Higham, "The scaling and squaring
/// method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26, 2005.
/// @param a  (…, n, n)
/// @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; NaN and infinity in A are ORR_ENUMERIC.
/// dtypes:   f32 f64 c64 c128.      cost: ≈ 15·n³ flop and 2·n³ for each factor of 2 by which ‖A‖₁ is above 5.4.
/// grad:     the upper right block of exp [Aᵀ g; 0 Aᵀ]. Source: Mathias, "A chain rule for matrix functions and
///           applications", SIAM J. Matrix Anal. Appl. 17, 1996.
inline Tensor expm(const Operand &a, ORRERY_CALLER)
{
    return detail::made(orr_expm_at(file, line, a.get()), file, line);
}

/// The cross product of vectors of length 3 along `axis`, an axis of the broadcast shape.
/// @return   the broadcast shape, owned by the current scope; poison on ORR_ESHAPE (another length), ORR_EAXIS, ORR_EDTYPE.
/// dtypes:   numbers, promoted.      grad: through the products.      cost: 3 per element.
inline Tensor cross(const Operand &a, const Operand &b, int axis, ORRERY_CALLER)
{
    return detail::made(orr_cross_at(file, line, a.get(), b.get(), axis), file, line);
}

/// Solves A · x = b for a symmetric positive definite operator by conjugate gradients. b may have any shape; all of its elements
/// form one vector. Evaluates iteration by iteration. Lack of convergence is no error.
/// @param user     the last argument of both operators
/// @param options  NULL: defaults
/// errors:   ORR_EINVAL (NULL, options out of range), ORR_EDTYPE (neither f32 nor f64), ORR_ESHAPE (the operator's result or the
///           start has another shape), ORR_ENUMERIC (xᵀ·A·x ≤ 0 or not a number: the operator is not positive definite); those of
///           orr_eval and of the operator. Then result->x is poison.
/// cost:     a product with A, five passes over vectors for each iteration.      No gradient: x is a value. The gradient of a
///           solution is another solution (see orr_solve).
/// Source: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
template <class F>
inline CgResult cg(F &fn, const Operand &b, const std::optional<orr_iteration_options> &options = {}, ORRERY_CALLER)
{
    void *user = &fn;
    orr_cg_result c_result{};
    const orr_status status = orr_cg_at(file, line, [](orr_tensor *p0, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), Tensor(p0, false));
    }, user, b.get(), options ? &*options : nullptr, &c_result);
    detail::passed();
    CgResult v0 = detail::result_of(c_result);
    (void)detail::check(status, file, line);
    return v0;
}

/// The k largest or least eigenvalues of a symmetric operator with their vectors, by the locally optimal block preconditioned
/// conjugate gradient method. Each iteration orthonormalises the vectors, the residuals and the last changes together, so that
/// linear dependence among them does no harm. Evaluates iteration by iteration. Lack of convergence is no error.
/// @param a        called with (n, columns), up to 3·k columns
/// @param start    (n, k), of full rank, for example random numbers
/// @param largest  true: the largest eigenvalues; false: the least
/// errors:   as orr_cg; ORR_ESHAPE (start is no matrix of at most n columns).
/// cost:     a product of A with 3·k columns, a QR of n × 3·k for each iteration.      No gradient.
/// Source: Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23, 2001; with the basis of Hetmaniuk and
/// Lehoucq, "Basis selection in LOBPCG", 2006.
template <class F>
inline LobpcgResult lobpcg(F &fn, const Operand &start, bool largest = false, const std::optional<orr_iteration_options> &options = {}, ORRERY_CALLER)
{
    void *user = &fn;
    orr_lobpcg_result c_result{};
    const orr_status status = orr_lobpcg_at(file, line, [](orr_tensor *p0, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), Tensor(p0, false));
    }, user, start.get(), largest, options ? &*options : nullptr, &c_result);
    detail::passed();
    LobpcgResult v0 = detail::result_of(c_result);
    (void)detail::check(status, file, line);
    return v0;
}

/// The transform along one axis. @param x  real or complex    @param n  0: the axis's length
/// dtypes: floats and complex numbers.
inline Tensor fft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_fft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// The inverse transform along one axis. dtypes: floats and complex numbers.
inline Tensor ifft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_ifft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// The transform along several axes. @param n  lengths, one for each axis; ORR_NO_INDEX: as they are
/// dtypes: floats and complex numbers.
inline Tensor fftn(const Operand &x, const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_fftn_at(file, line, x.get(), n, axes, norm), file, line);
}

/// The inverse transform along several axes. dtypes: floats and complex numbers.
inline Tensor ifftn(const Operand &x, const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_ifftn_at(file, line, x.get(), n, axes, norm), file, line);
}

/// The first n/2 + 1 elements of the transform of real x: the others are their conjugates. dtypes: floats.
inline Tensor rfft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_rfft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// The real x whose transform begins with the given n/2 + 1 elements. n 0: 2·(m − 1) for m elements.
/// dtypes: floats and complex numbers.
inline Tensor irfft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_irfft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// orr_rfft along the last of the axes, orr_fft along the others. dtypes: floats.
inline Tensor rfftn(const Operand &x, const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_rfftn_at(file, line, x.get(), n, axes, norm), file, line);
}

/// The inverse of orr_rfftn. The lengths belong to the result. dtypes: floats and complex numbers.
inline Tensor irfftn(const Operand &x, const Index &n, const Axes &axes, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_irfftn_at(file, line, x.get(), n, axes, norm), file, line);
}

/// The transform, which is real, of x with x[−j] = conj(x[j]); the first n/2 + 1 elements of x are given.
/// dtypes: floats and complex numbers.
inline Tensor hfft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_hfft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// The inverse of orr_hfft. dtypes: floats.
inline Tensor ihfft(const Operand &x, int64_t n, int axis, orr_fft_norm norm, ORRERY_CALLER)
{
    return detail::made(orr_ihfft_at(file, line, x.get(), n, axis, norm), file, line);
}

/// The frequencies of orr_fft's elements, in cycles per unit, for samples d apart: [0, 1, …, −2, −1] / (n·d). dtype: a
/// float.
inline Tensor fftfreq(orr_dtype dtype, int64_t n, double d, ORRERY_CALLER)
{
    return detail::made(orr_fftfreq_at(file, line, dtype, n, d), file, line);
}

/// The frequencies of orr_rfft's elements: [0, 1, …, n/2] / (n·d).
inline Tensor rfftfreq(orr_dtype dtype, int64_t n, double d, ORRERY_CALLER)
{
    return detail::made(orr_rfftfreq_at(file, line, dtype, n, d), file, line);
}

/// Moves the frequency 0 to the middle of each axis. dtypes: all.      grad: orr_ifftshift of g.
inline Tensor fftshift(const Operand &x, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_fftshift_at(file, line, x.get(), axes), file, line);
}

/// Undoes orr_fftshift.
inline Tensor ifftshift(const Operand &x, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_ifftshift_at(file, line, x.get(), axes), file, line);
}

/// y[o] = Σ_j x[o − j]·w[j] over the last axes of x, as many as w has; the axes before are a batch. A kernel with a known value
/// of rank 1 (w = u ⊗ v) is applied axis by axis; few taps are one sum over shifted x, many use transforms.
/// @param x  (…, n…)    @param w  1 to 3 axes
/// @return   poison on ORR_ESHAPE (ranks; VALID with n < k), ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   f32 f64 c64 c128, promoted.      grad: that of its parts.      cost: 2 flop a tap, or some 15·log₂ n an element.
inline Tensor convolve(const Operand &x, const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, ORRERY_CALLER)
{
    return detail::made(orr_convolve_at(file, line, x.get(), w.get(), mode, boundary), file, line);
}

/// y[o] = Σ_j x[o + j]·conj(w[j]), the elements in the order of orr_convolve with w reversed.
inline Tensor correlate(const Operand &x, const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, ORRERY_CALLER)
{
    return detail::made(orr_correlate_at(file, line, x.get(), w.get(), mode, boundary), file, line);
}

/// Windows of n ≥ 1 values, symmetric: the first equals the last. A window for orr_fft is periodic: n + 1 values without the
/// last one. dtype: a float; errors: ORR_EDTYPE, ORR_EINVAL.
inline Tensor bartlett(orr_dtype dtype, int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_bartlett_at(file, line, dtype, n), file, line);
}

/// ½ − ½·cos(2πk/(n−1))
inline Tensor hann(orr_dtype dtype, int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_hann_at(file, line, dtype, n), file, line);
}

/// 0.54 − 0.46·cos(2πk/(n−1))
inline Tensor hamming(orr_dtype dtype, int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_hamming_at(file, line, dtype, n), file, line);
}

/// 0.42 − 0.5·cos(2πk/(n−1)) + 0.08·cos(4πk/(n−1))
inline Tensor blackman(orr_dtype dtype, int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_blackman_at(file, line, dtype, n), file, line);
}

/// I₀(β·√(1 − (2k/(n−1) − 1)²)) / I₀(β)
inline Tensor kaiser(orr_dtype dtype, int64_t n, double beta, ORRERY_CALLER)
{
    return detail::made(orr_kaiser_at(file, line, dtype, n, beta), file, line);
}

/// The piecewise linear function through (xp[i], fp[i]) at x; fp[0] before xp[0], fp[n−1] after xp[n−1].
/// @param xp  (n), ascending, n ≥ 1: points that fall are an error of evaluation (ORR_EINVAL)    @param fp  (n)
/// dtypes:   f32 f64, the same for all.      grad: by x and fp; none by xp.      cost: log₂ n steps an element.
inline Tensor interp(const Operand &x, const Operand &xp, const Operand &fp, ORRERY_CALLER)
{
    return detail::made(orr_interp_at(file, line, x.get(), xp.get(), fp.get()), file, line);
}

/// Restarts this thread's streams from `seed`.
inline void seed(uint64_t seed)
{
    orr_seed(seed);
}

/// Uniform numbers in [lo, hi), the ends as numbers of the dtype.
/// dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (lo > hi; an end or their distance is not finite in the dtype),
///           ORR_ESHAPE.
inline Tensor rand(orr_dtype dtype, const Shape &shape, double lo, double hi, ORRERY_CALLER)
{
    return detail::made(orr_rand_at(file, line, dtype, shape, lo, hi), file, line);
}

/// Normal numbers with this mean and standard deviation.
/// dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (std < 0, not finite), ORR_ESHAPE.
inline Tensor randn(orr_dtype dtype, const Shape &shape, double mean, double std, ORRERY_CALLER)
{
    return detail::made(orr_randn_at(file, line, dtype, shape, mean, std), file, line);
}

/// Integers lo … hi−1, each equally likely.
/// dtypes:   integers (ORR_EDTYPE, also where the dtype does not hold lo or hi−1). Errors: ORR_EINVAL (hi ≤ lo),
///           ORR_ESHAPE.
inline Tensor randint(orr_dtype dtype, const Shape &shape, int64_t lo, int64_t hi, ORRERY_CALLER)
{
    return detail::made(orr_randint_at(file, line, dtype, shape, lo, hi), file, line);
}

/// The numbers 0 … n−1 in random order, i64, shape (n). Errors: ORR_ESHAPE (n < 0).
inline Tensor permutation(int64_t n, ORRERY_CALLER)
{
    return detail::made(orr_permutation_at(file, line, n), file, line);
}

/// True with probability p (in steps of 2⁻²⁴), bool. Errors: ORR_EINVAL (p not in 0 … 1), ORR_ESHAPE.
inline Tensor bernoulli(const Shape &shape, double p, ORRERY_CALLER)
{
    return detail::made(orr_bernoulli_at(file, line, shape, p), file, line);
}

/// Exponential numbers with mean `scale`.
/// dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (scale < 0, not finite), ORR_ESHAPE.
inline Tensor exponential(orr_dtype dtype, const Shape &shape, double scale, ORRERY_CALLER)
{
    return detail::made(orr_exponential_at(file, line, dtype, shape, scale), file, line);
}

/// Gamma numbers: density x^(alpha−1) e^(−x/scale). Marsaglia and Tsang, "A simple method for generating gamma variables",
/// 2000.
/// @param alpha  > 0     @param scale  a factor; it has a gradient
/// dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
inline Tensor gamma(orr_dtype dtype, const Shape &shape, const Operand &alpha, const Operand &scale, ORRERY_CALLER)
{
    return detail::made(orr_gamma_at(file, line, dtype, shape, alpha.get(), scale.get()), file, line);
}

/// Beta numbers: density x^(a−1) (1−x)^(b−1), of two gamma numbers.
/// @param a, b  > 0
/// dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
inline Tensor beta(orr_dtype dtype, const Shape &shape, const Operand &a, const Operand &b, ORRERY_CALLER)
{
    return detail::made(orr_beta_at(file, line, dtype, shape, a.get(), b.get()), file, line);
}

/// Poisson numbers: counts of events with mean `rate`. By inversion; from 10 on by Hörmann's transformed rejection,
/// 1993.
/// @param rate  0 … 2⁶⁰
/// dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
inline Tensor poisson(orr_dtype dtype, const Shape &shape, const Operand &rate, ORRERY_CALLER)
{
    return detail::made(orr_poisson_at(file, line, dtype, shape, rate.get()), file, line);
}

/// Binomial numbers: the successes of `trials` trials, each with probability p. By inversion, or Hörmann's BTRS, 1993,
/// where inversion takes long.
/// @param trials  whole numbers 0 … 2⁵³     @param p  0 … 1
/// dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE.
inline Tensor binomial(orr_dtype dtype, const Shape &shape, const Operand &trials, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_binomial_at(file, line, dtype, shape, trials.get(), p.get()), file, line);
}

/// The counts of `trials` trials in k categories, with probabilities in the ratio of the weights.
/// @param weights  (…, k), which broadcasts to the result. Evaluation refuses negative weights, NaN, infinities, and rows
///           of zeros only (ORR_EINVAL).
/// @return   (shape…, k), i64; each row adds up to `trials`. Errors: ORR_EINVAL, ORR_ESHAPE.
inline Tensor multinomial(const Shape &shape, int64_t trials, const Operand &weights, ORRERY_CALLER)
{
    return detail::made(orr_multinomial_at(file, line, shape, trials, weights.get()), file, line);
}

/// Numbers 0 … k−1 with probabilities in the ratio of k weights, in independent draws (with replacement).
/// @param weights  (k), refused as those of orr_multinomial
/// @return   i64. Errors: ORR_ESHAPE.
inline Tensor categorical(const Shape &shape, const Operand &weights, ORRERY_CALLER)
{
    return detail::made(orr_categorical_at(file, line, shape, weights.get()), file, line);
}

/// k different numbers of 0 … n−1 in random order, each choice equally likely, i64. Errors: ORR_EINVAL (k above n).
inline Tensor choice(int64_t n, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_choice_at(file, line, n, k), file, line);
}

/// k different places of n weights, i64: the first with probabilities in their ratio, the next in the ratio of those that are
/// left. Places of weight 0 come last. Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006.
/// @param weights  (n), refused as those of orr_multinomial. Errors: ORR_EINVAL (k above n), ORR_ESHAPE.
inline Tensor choice_weighted(const Operand &weights, int64_t k, ORRERY_CALLER)
{
    return detail::made(orr_choice_weighted_at(file, line, weights.get(), k), file, line);
}

/// Normal numbers of d variables with this mean and covariance: mean + L·z with L = orr_cholesky(covariance).
/// @param mean  (d)     @param covariance  (d, d), positive definite (else ORR_ENUMERIC by evaluation), f32 or f64
/// @return   (shape…, d). Errors: ORR_ESHAPE, ORR_EDTYPE. grad: by mean and covariance, for fixed z.
inline Tensor multivariate_normal(const Shape &shape, const Operand &mean, const Operand &covariance, ORRERY_CALLER)
{
    return detail::made(orr_multivariate_normal_at(file, line, shape, mean.get(), covariance.get()), file, line);
}

/// x with the places of an axis in random order; the pieces along the other axes stay whole.
/// dtypes:   all. Errors: ORR_EAXIS. grad: g at the former places of the pieces.
inline Tensor shuffle(const Operand &x, int axis, ORRERY_CALLER)
{
    return detail::made(orr_shuffle_at(file, line, x.get(), axis), file, line);
}

/// Like orr_rand and orr_randn, from a stream that depends on `key` alone; this thread's streams do not advance.
inline Tensor rand_keyed(orr_dtype dtype, const Shape &shape, double lo, double hi, uint64_t key, ORRERY_CALLER)
{
    return detail::made(orr_rand_keyed_at(file, line, dtype, shape, lo, hi, key), file, line);
}

/// As the function before it in orrery/random.h.
inline Tensor randn_keyed(orr_dtype dtype, const Shape &shape, double mean, double std, uint64_t key, ORRERY_CALLER)
{
    return detail::made(orr_randn_keyed_at(file, line, dtype, shape, mean, std, key), file, line);
}

/// Defines an element-wise operation r = expression(x, y, z) and lets Orrery differentiate it; orr_define_elementwise_with
/// takes the derivatives from the caller.
///     orr_define_elementwise("swish2", 1, "x * sigmoid(2*x)")
///     orr_define_elementwise_with("pinball", 2, "x > 0 ? y*x : (y-1)*x", ORR_TEXTS("g*(x > 0 ? y : y-1)", "g*x"))
/// A derivative is an expression in x y z, the result r and the cotangent g, and includes the factor g; "" if no gradient
/// flows.
///
/// The language (spaces are free; numbers have a decimal point in every locale):
///
///     expr    = or [ "?" expr ":" expr ]
///     or      = and { "||" and }
///     and     = compare { "&&" compare }
///     compare = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
///     sum     = term { ( "+" | "-" ) term }
///     term    = unary { ( "*" | "/" ) unary }
///     unary   = ( "-" | "!" ) unary | number | name | function "(" expr { "," expr } ")" | "(" expr ")"
///     number  = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
///     name    = "x" | "y" | "z", as many as the arity; in derivatives also "r" | "g"
///
/// A function is any row of docs/ops.md that takes floats or truth values (exp, where, maximum, isnan …), or an op that was
/// defined before. Comparisons give truth values, which only ? && || ! == != and such rows take. There are no statements,
/// assignments, or calls of C; the parser refuses all else and reports the column. No compiler sees the text: it becomes
/// nodes of built-in rows, so the function exists on every device and in every dialect.
///
/// @param arity  1, 2 or 3    @param derivatives  one for each operand; n_derivatives 0: automatic
/// @return   the op, for orr_apply; NULL on ORR_EINVAL (the message has column and reason), ORR_ENOMEM.
/// dtypes:   f16 bf16 f32 f64, promoted and broadcast as by the built-in functions; f16 and bf16 are computed in f32 and
///           rounded once. If the result is a truth value, the tensor is bool and has no derivative.
/// limits:   256 terms and 48 levels in a text of 16 KiB, 512 operations including called ops, calls nested 16 deep.
inline Op define_elementwise(const std::string &name, int arity, const std::string &expression, const std::vector<std::string> &derivatives = {}, ORRERY_CALLER)
{
    const std::vector<const char *> c_derivatives = detail::texts(derivatives);
    auto r = orr_define_elementwise_at(file, line, name.c_str(), arity, expression.c_str(), c_derivatives.data(), static_cast<int>(derivatives.size()));
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Op(r, false);
}

/// Called as orr_expression(text, ORR_TENSORS(x, y)). The same language without a definition: the value of `text` for each
/// element of the n operands x, y, z, as orr_apply computes it for a defined op. No definition is stored, so the number of
/// texts is not limited.
/// @return   a tensor owned by the current scope; poison on ORR_EINVAL (the message has the error and its column),
///           ORR_EDTYPE, ORR_ESHAPE, ORR_ENOMEM.
/// grad:     the expression differentiated.      effects:  lazy. Safe from any thread.
inline Tensor expression(const std::string &text, const List &x, ORRERY_CALLER)
{
    return detail::made(orr_expression_at(file, line, text.c_str(), x.data(), static_cast<int>(x.size())), file, line);
}

/// Defines a kernel of the program's own as an operation.
/// An evaluation runs it as a step by itself, between fused ones, on the backend that StarPU expects to be fastest. An
/// error of the C function or the device compiler fails the evaluation with its message (ORR_EDEVICE). If there is a C
/// function, it replaces a device text that does not compile, with one log line.
/// @return   the op, for orr_apply; NULL on ORR_EINVAL (the message names the field and the reason), ORR_ENOMEM.
inline Op define_kernel(const std::optional<orr_kernel_def> &def = {}, ORRERY_CALLER)
{
    auto r = orr_define_kernel_at(file, line, def ? &*def : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Op(r, false);
}

/// Applies an op of the program's own: orr_apply(op, ORR_TENSORS(x, y)), or for a kernel that takes numbers
/// orr_apply_with(op, ORR_TENSORS(x, y), ORR_PARAMS(0.5, 2)). New numbers need no new plan.
/// @return   a tensor owned by the current scope; poison on ORR_EINVAL (no op, another number of operands or params),
///           ORR_EDTYPE, ORR_ESHAPE.
/// grad:     as defined.      effects:  lazy. Safe from any thread.
inline Tensor apply(const Op &op, const List &x, const View<const double> &params = {}, ORRERY_CALLER)
{
    return detail::made(orr_apply_at(file, line, op.get(), x.data(), static_cast<int>(x.size()), params.data(), static_cast<int>(params.size())), file, line);
}

/// Returns the op of this name; NULL, without an error, if there is none.
inline Op op_find(const std::string &name)
{
    auto r = orr_op_find(name.c_str());
    return Op(r, false);
}

/// Returns the name of an op, valid for ever; NULL for any other pointer.
inline std::string op_name(const Op &op)
{
    auto r = orr_op_name(op.get());
    return r ? r : "";
}

/// Returns the number of operands; −1 for any other pointer.
inline int op_arity(const Op &op)
{
    auto r = orr_op_arity(op.get());
    return r;
}

/// Waits for work under way, frees all tensors and scopes of all threads, stops the workers. orr_init may follow.
/// A warning in the log counts the tensors that no scope owned (variables apart) and the events that were never ended.
/// A program may end without it, from any thread and with work under way: exit then stops the workers, and does not wait for
/// results.
/// errors:   ORR_ESTATE (not started; called by a kernel's function).
/// threads:  no other thread may be inside the library.
inline orr_status shutdown(ORRERY_CALLER)
{
    return detail::check(orr_shutdown(), file, line);
}

/// Gives the cores to the program: waits for the work under way and for compilers, after which the library's threads sleep.
/// Until the orr_resume of each orr_pause, an evaluation runs on its calling thread alone, an asynchronous one before the call returns, and
/// no kernel is compiled but with ORRERY_JIT=wait. Workers wake for what only they can do, until that has ended: copies from and to devices,
/// operations that only a device has, factorisations over ranks. Without a pause, workers sleep 2 ms after the last evaluation; a pause
/// saves these, and keeps short evaluations between parallel regions of the program from waking them (docs/embedding.md).
/// errors:   ORR_ESTATE (not started; called by a kernel's function).
/// threads:  safe from any thread.
inline orr_status pause(ORRERY_CALLER)
{
    return detail::check(orr_pause(), file, line);
}

/// Ends the pause of one orr_pause: the next evaluation that gains by it wakes the workers.
/// errors:   ORR_ESTATE (no orr_pause before it).
/// threads:  safe from any thread.
inline orr_status resume(ORRERY_CALLER)
{
    return detail::check(orr_resume(), file, line);
}

/// Version of the library in use, "major.minor.patch".
inline std::string version()
{
    auto r = orr_version();
    return r ? r : "";
}

/// Computes `t` and this thread's pending assignments, and waits for `t`.
/// Afterwards `t` holds its value, and the tensors that it was computed from may be freed. Of these, tensors that the program
/// still holds keep no value: a later evaluation computes them again, a random one with the same numbers. The third evaluation
/// that needs one keeps its value if that costs less than computing it once more. If they are
/// needed again, request them together by orr_eval_all. New values of variables may
/// still be in computation on return; a reader waits for them. If such a computation fails, the variable has no value
/// until its next assignment, and reading it gives the error. Kernels run in IEEE 754's default mode (to nearest,
/// gradual underflow unless flush_denormals, no traps), whatever mode this thread is in.
/// errors:   the error of a poison, ORR_ESTATE, ORR_ENOMEM, ORR_EINDEX, ORR_ENUMERIC, ORR_EDEVICE.
/// threads:  safe from any thread, but ORR_ESTATE in functions that an evaluation calls: of a kernel, or for the release of memory.
inline orr_status eval(const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_eval_at(file, line, t.get()), file, line);
}

/// Computes `t` if that is a known plan of one small step, some 100 µs at most, which this thread runs without a wait; else does nothing.
/// A binding of a language whose lock is held while C runs calls it first, since releasing the lock may take longer than such a step.
/// @return   true: t has its value. false, also for every error: call orr_eval.
/// threads:  safe from any thread.
inline bool eval_brief(const Operand &t, ORRERY_CALLER)
{
    auto r = orr_eval_brief_at(file, line, t.get());
    return r;
}

/// Computes several tensors at once, and shared subexpressions once: orr_eval_all(ORR_TENSORS(x, y)). n may be 0:
/// only the pending assignments. It then waits for all new values of this thread's variables, also for those that were
/// submitted before because much work was pending (orr_assign).
/// errors:   as orr_eval; ORR_EINVAL (n is negative, the list is NULL).
/// threads:  safe from any thread.
inline orr_status eval_all(const List &t, ORRERY_CALLER)
{
    return detail::check(orr_eval_all_at(file, line, t.data(), static_cast<int>(t.size())), file, line);
}

/// Evaluates `t` like orr_eval, and checks that it has neither NaN nor infinity.
/// If it has, the ancestors of `t` are computed again, and the message has the line, operation and element that made the first such number from
/// finite ones, and the numbers that an element-wise operation had. Of several such lines, the first recorded one is named. A value
/// that overwrites no number of a result is not seen: a NaN that `orr_where` drops, for example. `t` keeps its value.
/// ORRERY_CHECK=nonfinite does this for all evaluations and submissions; it logs the message once for each line instead of an error. Over ranks
/// the check is collective, as the evaluation is, and every rank has the message.
/// errors:   ORR_ENUMERIC (not finite; if `t` was evaluated before, the message has no line), those of orr_eval.
/// threads:  safe from any thread; blocks.
inline orr_status check(const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_check_at(file, line, t.get()), file, line);
}

/// Compiles every kernel that the evaluation of `t` needs, waits for that, and computes nothing.
/// Afterwards orr_eval(t), and any graph with the same kernels, runs at full speed from the first evaluation on. With
/// ORRERY_JIT=off, or without a compiler, the call does nothing.
/// errors:   as orr_eval before it runs.
/// threads:  safe from any thread.
inline orr_status warmup(const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_warmup_at(file, line, t.get()), file, line);
}

/// Submits an evaluation like orr_eval_all and returns before it ends. The caller must pass *event to orr_wait.
/// errors:   as orr_eval_all, as far as they are known at submission; then *event is NULL.
/// threads:  safe from any thread.
inline Event eval_async(const List &t, ORRERY_CALLER)
{
    orr_event *c_event = nullptr;
    const orr_status status = orr_eval_async_at(file, line, t.data(), static_cast<int>(t.size()), &c_event);
    Event v0 = Event(c_event);
    (void)detail::check(status, file, line);
    return v0;
}

/// orr_read without a wait: submits the evaluation of `t`, and orr_wait(event) copies the value to `buf`, which belongs to the call until
/// then. `t` may be freed at once.
/// errors:   as orr_read and orr_eval_async; then *event is NULL.
/// threads:  safe from any thread.
inline Event read_async(const Operand &t, void *buf, size_t bytes, ORRERY_CALLER)
{
    orr_event *c_event = nullptr;
    const orr_status status = orr_read_async_at(file, line, t.get(), buf, bytes, &c_event);
    Event v0 = Event(c_event);
    (void)detail::check(status, file, line);
    return v0;
}

/// Returns whether the evaluation has ended, or was waited for. Neither blocks nor frees.
/// threads:  safe from any thread.
inline bool event_done(const Event &event)
{
    auto r = orr_event_done(event.get());
    return r;
}

/// Cancels the evaluation of an event, or a stretch of calls (orr_cancellable_begin), and returns at once. Tasks that have begun end, the
/// others do not run. Values that are not computed then give ORR_ECANCELLED to orr_wait and to every reader; orr_wait is still called.
/// An evaluation that has ended stays as it is. One that computes new values of variables leaves all of them as they were before their
/// assignments, or, if it ends before it is stopped, has assigned all. Old values therefore stay in memory until it has ended; new
/// ones that an earlier evaluation without an event was refused memory for are computed in any case. A tensor that
/// was recorded from such a new value, and is not computed yet, gives ORR_ECANCELLED with the line of the assignment: record it again.
/// A pending assignment of such a tensor does, too, in the next evaluation, and its variable keeps its old value.
/// With several ranks the variables have their old values from orr_wait on, at the same place in the program on each.
/// An evaluation over ranks ends on all of them, each of which gets ORR_ECANCELLED: one rank need cancel it. Its exchanges take place
/// all the same, so that no rank waits for another.
/// errors:   ORR_EINVAL (NULL), ORR_EHANDLE (the wait for it has ended).
/// threads:  safe from any thread, also while another one waits, and from the function of orr_progress_to.
inline orr_status cancel(Event &event, ORRERY_CALLER)
{
    return detail::check(orr_cancel_at(file, line, event.get()), file, line);
}

/// Computes `t` like orr_eval, in `seconds` from now on at most, except that work that has begun then ends: within some 10 ms on a
/// processor, longer if it is one call of a library (a large product, a factorisation, a sort) or of a function of the program. The wait
/// for values that other evaluations compute ends, too. After ORR_ECANCELLED nothing has changed: `t` has no value, this thread's
/// assignments are pending, and a later evaluation computes all of it. Old values of variables stay in memory until it has ended.
/// Over ranks the first limit that passes counts for all, also for those that called orr_eval: each gets ORR_ECANCELLED.
/// @param seconds  0 or more; INFINITY: no limit
/// errors:   as orr_eval; ORR_ECANCELLED; ORR_EINVAL (the limit is negative or NaN).
/// threads:  safe from any thread.
inline orr_status eval_for(const Operand &t, double seconds, ORRERY_CALLER)
{
    return detail::check(orr_eval_for_at(file, line, t.get(), seconds), file, line);
}

/// Begins a stretch of this thread's calls that another thread can cancel by orr_cancel(event), and that a time limit ends: in between,
/// every call that evaluates (orr_eval, orr_read, orr_cg, …) is bounded as by orr_eval_for, and gives ORR_ECANCELLED once the stretch is
/// cancelled or `seconds` have passed. Stretches nest; the first that ends counts. Work submitted in a stretch without a wait stays bound
/// after its end. Pending work that the library submits by itself (orr_assign) is not bound.
/// @return   to be given to orr_cancellable_end of the same thread, not to orr_wait; NULL on ORR_EINVAL (the limit is negative or NaN),
///           ORR_ENOMEM.
/// threads:  safe from any thread.
inline Event cancellable_begin(double seconds, ORRERY_CALLER)
{
    auto r = orr_cancellable_begin_at(file, line, seconds);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Event(r, false);
}

/// Ends the innermost stretch of this thread, and frees the event.
/// errors:   ORR_EINVAL (NULL; the event of an evaluation; not this thread's innermost stretch), ORR_EHANDLE (a second time).
/// threads:  the one that began the stretch.
inline orr_status cancellable_end(Event &event, ORRERY_CALLER)
{
    return detail::check(orr_cancellable_end_at(file, line, event.get()), file, line);
}

/// Reports the progress of evaluations to `fn`: by each thread that waits for one, ten times a second at most and one call at a time. An
/// evaluation of less than a tenth of a second is not reported; another one ends with done = planned unless it fails. NULL: no reports,
/// which is the default. When it returns, the former function is not called any more, unless a call of it has called this. Errors: none.
/// threads:  safe from any thread, also before orr_init.
template <class F>
inline void progress_to(F &fn)
{
    void *user = &fn;
    orr_progress_to([](int64_t p0, int64_t p1, void *u) -> void {
        return detail::called<void>(*static_cast<F *>(u), p0, p1);
    }, user);
    detail::passed();
}

/// Computes results[i] = fn(items[i], i, user) for i = 0 … n − 1 as independent graphs, with all workers busy.
/// Items may differ in shape and cost; equal graphs share one plan. Random functions in fn draw in the order of the
/// items. If one item fails, the others are still computed. A poison from fn stays in results[i]; after a failed
/// evaluation, reading results[i] gives the error; NULL stays NULL.
/// @return   the error of the first failed item. results[i] are evaluated and owned by the current scope; other
///           tensors that fn makes are freed.
/// errors:   ORR_EINVAL, ORR_ESTATE, and those of orr_eval.
/// threads:  safe from any thread; blocks.
template <class F>
inline std::vector<Tensor> par_map(F &fn, const List &items, ORRERY_CALLER)
{
    void *user = &fn;
    std::vector<orr_tensor *> c_results(items.size());
    const orr_status status = orr_par_map_at(file, line, static_cast<int64_t>(items.size()), [](orr_tensor *p0, int64_t p1, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), Tensor(p0, false), p1);
    }, items.data(), user, c_results.data());
    detail::passed();
    std::vector<Tensor> v0 = detail::adopted(c_results);
    (void)detail::check(status, file, line);
    return v0;
}

/// A stand-in for a value that is given at submission.
/// @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
inline Tensor placeholder(orr_dtype dtype, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_placeholder_at(file, line, dtype, shape), file, line);
}

/// Plans `outputs` as a function of the placeholders `inputs`.
/// Other tensors that the outputs reach are captured: constants by value, variables by name, so that their values are read at
/// each submission. Random numbers are those of the recording in each submission; noise of differential privacy is refused
/// (ORR_EGRAPH). If any of them, or a value at submission, is distributed over ranks, all ranks build and submit the graph in
/// the same way; its results are distributed as those of orr_eval.
/// @return   to be freed with orr_graph_free; NULL on ORR_EGRAPH (a placeholder is missing in `inputs`; an input is
///           no placeholder, or occurs twice), ORR_EINVAL, ORR_ENOMEM.
inline Graph graph_build(const List &inputs, const List &outputs, ORRERY_CALLER)
{
    auto r = orr_graph_build_at(file, line, inputs.data(), static_cast<int>(inputs.size()), outputs.data(), static_cast<int>(outputs.size()));
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Graph(r);
}

/// Runs the graph on `values`, one per input, of its shape and dtype. results[i], one per output, becomes a new tensor of the
/// current scope.
/// event NULL: waits for the results; else returns when the work is submitted. Values may be results of submissions under way,
/// which are not waited for: the work begins after theirs, and a failure is passed on. They may be freed at once.
/// errors:   as orr_eval; ORR_EINVAL (a list of another length; the message has both), ORR_ESHAPE, ORR_EDTYPE.
/// threads:  safe from any thread; several submissions may be under way.
inline std::vector<Tensor> graph_submit(Graph &g, const List &values, int n_results, Event *event = nullptr, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_results(detail::count(n_results));
    orr_event *c_event = nullptr;
    const orr_status status = orr_graph_submit_at(file, line, g.get(), values.data(), static_cast<int>(values.size()), c_results.data(), n_results, event ? &c_event : nullptr);
    if (event)
        *event = Event(c_event);
    std::vector<Tensor> v0 = detail::adopted(c_results);
    (void)detail::check(status, file, line);
    return v0;
}

/// orr_graph_submit whose results are computed in the program's memory, without a copy and without tensors: output i in to[i], row-major,
/// of exactly its bytes, aligned to the size of its element. An output that is an input or another output, or of a field (which orr_read
/// gives in another form), is copied at the end. The memory belongs to the call until it returns, with an event until orr_wait; after an
/// error its content is undefined.
/// errors:   as orr_graph_submit; ORR_EINVAL (memory of another length, NULL, not aligned, or that overlaps with another result or with a
///           value that the graph reads); ORR_ESTATE (the graph is distributed over ranks).
/// threads:  as orr_graph_submit.
inline orr_status graph_submit_into(Graph &g, const List &values, const View<const orr_buffer> &to, Event *event = nullptr, ORRERY_CALLER)
{
    orr_event *c_event = nullptr;
    const orr_status status = orr_graph_submit_into_at(file, line, g.get(), values.data(), static_cast<int>(values.size()), to.data(), static_cast<int>(to.size()), event ? &c_event : nullptr);
    if (event)
        *event = Event(c_event);
    return detail::check(status, file, line);
}

/// grads[i] = d(sum of y)/d(x[i]) as new tensors, lazy and differentiable again. It is zeros for an array, a variable or a
/// constant that y does not use, behind orr_detach, and where the derivative is 0 (orr_floor, orr_round, orr_sign).
/// Reverse mode: Griewank & Walther, Evaluating Derivatives, ch. 3. Record the gradient before the evaluation: a tensor
/// that holds its value has lost its inputs, and a tensor that an evaluation computes for new values of variables may
/// hold its value from then on (docs/tuning.md). orr_detach marks such a tensor as a constant. Results
/// of orr_graph_submit and of functions that evaluate (orr_par_map, orr_cg, …) have no history either. orr_scalar
/// cannot be an x, since operations make constants of their own from it.
/// dtypes:   y and x are floats.
/// @return   on error the status, and every grads[i] is poison.
/// errors:   ORR_EDTYPE; ORR_EINVAL (an x is orr_scalar); ORR_EGRAPH (a gradient would flow into a tensor that has lost its inputs and
///           may depend on an x, into a former value of an x that was assigned since, or into an operation without a derivative; or
///           y does not depend on an x that was computed, as a part of what y used; or y depends on an x through whole numbers and truth
///           values alone, such as orr_argmax, comparisons and casts). The message has the line of that tensor.
inline std::vector<Tensor> grad(const Operand &y, const List &x, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_grads(x.size());
    const orr_status status = orr_grad_at(file, line, y.get(), x.data(), static_cast<int>(x.size()), c_grads.data());
    std::vector<Tensor> v0 = detail::adopted(c_grads);
    (void)detail::check(status, file, line);
    return v0;
}

/// grads[i] as of orr_grad, where y may be any function of x[0 … n): zeros for every x that it does not use, or through whole numbers and
/// truth values alone, which are constant piece by piece.
inline std::vector<Tensor> grad_or_zeros(const Operand &y, const List &x, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_grads(x.size());
    const orr_status status = orr_grad_or_zeros_at(file, line, y.get(), x.data(), static_cast<int>(x.size()), c_grads.data());
    std::vector<Tensor> v0 = detail::adopted(c_grads);
    (void)detail::check(status, file, line);
    return v0;
}

/// grads[i] = seed · dy/d(x[i]), with the cotangent `seed` of y's shape and dtype. Otherwise as orr_grad.
inline std::vector<Tensor> vjp(const Operand &y, const Operand &seed, const List &x, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_grads(x.size());
    const orr_status status = orr_vjp_at(file, line, y.get(), seed.get(), x.data(), static_cast<int>(x.size()), c_grads.data());
    std::vector<Tensor> v0 = detail::adopted(c_grads);
    (void)detail::check(status, file, line);
    return v0;
}

/// The value of t, through which no gradient flows.
/// @return   owned by the current scope.
inline Tensor detach(const Operand &t, ORRERY_CALLER)
{
    return detail::made(orr_detach_at(file, line, t.get()), file, line);
}

/// Prints how `t` would be evaluated now, and computes nothing. docs/fusion.md explains the text.
/// For each kernel: its key, whether it is compiled, its predicted time and tiles, the calls in it and those among them
/// that stay in registers, and its inputs, each from another kernel with the reason why the two are not fused. The last
/// line has the bytes moved with and without fusion.
/// errors:   the error of a poison, ORR_EINVAL (NULL), ORR_ESTATE, ORR_ENOMEM.
/// threads:  safe from any thread.
inline orr_status explain(FILE *to, const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_explain_at(file, line, to, t.get()), file, line);
}

/// Writes the graph of `t` in Graphviz's DOT language: a box per node, and with `fused` a frame around the nodes of
/// each kernel. `dot -Tsvg` draws it. Computes nothing.
/// errors:   as orr_explain.
inline orr_status explain_dot(FILE *to, const Operand &t, bool fused = false, ORRERY_CALLER)
{
    return detail::check(orr_explain_dot_at(file, line, to, t.get(), fused), file, line);
}

/// Prints the notes of the time since orr_init: for each source line that matters, its share of the time, the share of the machine's
/// bound that its kernels reach, and the change by which time would be won, the largest gain first. A line is "FILE:LINE: note: TEXT", which
/// editors read (docs/seeing.md). Notes are taken while ORRERY_NOTES is set, and are written to its file at the end in any case.
/// errors:   ORR_ESTATE (ORRERY_NOTES is not set), ORR_EINVAL (NULL), ORR_EIO.
/// threads:  safe from any thread.
inline orr_status notes(FILE *to, ORRERY_CALLER)
{
    return detail::check(orr_notes(to), file, line);
}

/// Evaluates `n` tensors, as orr_eval_all does, and writes the evaluation to the file `path`, whether it succeeds or not: the graph with
/// its source lines, the inputs, the plan, the settings, and the results' digests. The file holds the program's data. ORRERY_DUMP writes
/// such files for evaluations that fail (docs/seeing.md).
/// errors:   those of the evaluation; ORR_EIO, ORR_ENOMEM; ORR_EGRAPH (random numbers that protect one release, collective operations of
///           the program, values over ranks that exist already: these are never written). Over ranks rank 0 writes the file.
/// threads:  safe from any thread.
inline orr_status dump(const std::string &path, const List &t, ORRERY_CALLER)
{
    return detail::check(orr_dump_at(file, line, path.c_str(), t.data(), static_cast<int>(t.size())), file, line);
}

/// Prints the content of a dump: why it was written, by which version and engine, its steps, and its receipt: SHA-256 digests of graph,
/// inputs, settings and results. Equal digests mean equal contents; source lines do not count.
/// errors:   ORR_EIO, ORR_EFORMAT (no dump, another version, damaged), ORR_ENOMEM, ORR_EINVAL (NULL).
inline orr_status dump_print(FILE *to, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_dump_print(to, path.c_str()), file, line);
}

/// Evaluates the graph of a dump again, as a whole, by this machine's plan, and prints for each result whether its bits are those of the
/// dump. *same, if not NULL: all are. A result that the dump does not know counts as the same. The library must run.
/// errors:   as orr_dump_print, and those of the evaluation; ORR_EGRAPH (a kernel of the program; inputs that the dump does not hold).
inline bool replay(FILE *to, const std::string &path, ORRERY_CALLER)
{
    bool c_same{};
    const orr_status status = orr_replay(to, path.c_str(), &c_same);
    bool v0 = c_same;
    (void)detail::check(status, file, line);
    return v0;
}

/// Evaluates a dump step by step, each operation by itself, and prints for each its line, operation, shape and digest.
/// @param stop_at  "FILE:LINE": ends after the first step of this source line and prints its operands and its value; NULL: no step
/// @param record   a file for a copy of the dump that has the digest of every step, for orr_dump_compare; NULL: none
/// errors:   as orr_replay; ORR_EINVAL (no step has this line); ORR_EIO.
inline orr_status replay_steps(FILE *to, const std::string &path, const char *stop_at = nullptr, const char *record = nullptr, ORRERY_CALLER)
{
    return detail::check(orr_replay_steps(to, path.c_str(), stop_at, record), file, line);
}

/// Finds the first step at which two dumps of one graph differ: another operation or number, another input, or another value from equal
/// operands; prints it with its source line, and sets *same. Values are compared by the digests that orr_replay_steps has recorded, perhaps
/// on different machines; a dump without them is evaluated here, where the library must run.
/// errors:   as orr_replay_steps.
inline bool dump_compare(FILE *to, const std::string &path, const std::string &other, ORRERY_CALLER)
{
    bool c_same{};
    const orr_status status = orr_dump_compare(to, path.c_str(), other.c_str(), &c_same);
    bool v0 = c_same;
    (void)detail::check(status, file, line);
    return v0;
}

/// The numerical X-ray of a dump: evaluates each step in the program's precision and in wider reals beside it, prints the steps at which
/// digits are lost (cancellations among them), the significant digits of each step's median and worst element, and the narrower dtypes in
/// which the results would keep half of their digits. *found, if not NULL: the number of steps that lose digits. Choices by comparison,
/// indices and random numbers are those of the program. The library must run; docs/seeing.md explains the text.
/// errors:   as orr_replay; ORR_EINVAL (a value of more than 2²⁶ elements).
inline int xray(FILE *to, const std::string &path, ORRERY_CALLER)
{
    int c_found{};
    const orr_status status = orr_xray(to, path.c_str(), &c_found);
    int v0 = c_found;
    (void)detail::check(status, file, line);
    return v0;
}

/// Loads the tensor in a file. The suffix chooses the format: .npy (versions 1 to 3), also for any other suffix; .npz,
/// .safetensors, .h5 and .hdf5 where the file holds one tensor; .csv as f64 with commas; .png, .jpg and .jpeg as
/// orr_load_image.
/// @return   owned by the current scope; poison on error, ORR_EINVAL for a file of several tensors.
inline Tensor load(const std::string &path, ORRERY_CALLER)
{
    return detail::made(orr_load_at(file, line, path.c_str()), file, line);
}

/// Writes `t` in the format that the suffix chooses, as orr_load; in a format for several tensors the name of `t` is "data".
/// Evaluates `t`.
/// errors:   those of orr_eval, ORR_EINVAL, ORR_EDTYPE, ORR_EIO.
inline orr_status save(const std::string &path, const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_save_at(file, line, path.c_str(), t.get()), file, line);
}

/// Loads the array at the beginning of `bytes` bytes of .npy data and sets *used to its length, so that arrays may follow
/// one another. used NULL: further bytes are ORR_EFORMAT. The elements are copied.
/// @return   owned by the current scope; poison on error (then *used is 0).
inline Tensor load_bytes(const void *data, size_t bytes, size_t *used = nullptr, ORRERY_CALLER)
{
    return detail::made(orr_load_bytes_at(file, line, data, bytes, used), file, line);
}

/// Loads the array in a .npy file; the tensor's memory is the file's own pages, read by the system when they are accessed, so that
/// orr_shard of it reads only this rank's part. The file must not be changed or truncated while the tensor lives (a new file under
/// the same name is no change): a call that uses the tensor of a truncated file is ORR_EIO, as for orr_map_safetensors. Bools, elements in column-major order or another byte order, and files that cannot be mapped are
/// copied.
/// @return   owned by the current scope; poison on the errors of orr_load.
inline Tensor map_npy(const std::string &path, ORRERY_CALLER)
{
    return detail::made(orr_map_npy_at(file, line, path.c_str()), file, line);
}

/// Writes the header of a .npy file of an array of `dtype` and `shape`; the elements, row-major, follow it.
/// @return   its length, a multiple of 64; 0 on ORR_EINVAL (buf is NULL), ORR_ESHAPE, ORR_EDTYPE (bfloat16, or none).
inline size_t npy_header(orr_dtype dtype, const Shape &shape, char (&buf)[512], ORRERY_CALLER)
{
    auto r = orr_npy_header_at(file, line, dtype, shape, buf);
    return r;
}

/// Loads the array called `name`, without its ".npy", from a .npz file (stored or deflated, zip64 too).
/// @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such array; the message lists
///           the names.
inline Tensor load_npz(const std::string &path, const std::string &name, ORRERY_CALLER)
{
    return detail::made(orr_load_npz_at(file, line, path.c_str(), name.c_str()), file, line);
}

/// Writes n tensors as a .npz file under their names, not compressed: orr_save_npz(path, ORR_TEXTS("x", "y"),
/// ORR_TENSORS(x, y)). Evaluates them all at once.
/// @param names  as many as tensors, not empty, each once (ORR_EINVAL)
/// errors:   as orr_save.
inline orr_status save_npz(const std::string &path, const std::vector<std::string> &names, const List &t, ORRERY_CALLER)
{
    const std::vector<const char *> c_names = detail::texts(names);
    return detail::check(orr_save_npz_at(file, line, path.c_str(), c_names.data(), static_cast<int>(names.size()), t.data(), static_cast<int>(t.size())), file, line);
}

/// Writes n tensors as orr_save_npz does, deflated.
/// errors:   as orr_save; ORR_EINVAL where the library was built without zlib.
inline orr_status save_npz_deflated(const std::string &path, const std::vector<std::string> &names, const List &t, ORRERY_CALLER)
{
    const std::vector<const char *> c_names = detail::texts(names);
    return detail::check(orr_save_npz_deflated_at(file, line, path.c_str(), c_names.data(), static_cast<int>(names.size()), t.data(), static_cast<int>(t.size())), file, line);
}

/// Sets *names to the names of the arrays in a .npz file, in the file's order, and *n to their number.
/// On error *names is NULL and *n is 0. Free with orr_npz_names_free.
/// errors:   as orr_load, as a status.
inline std::vector<std::string> npz_names(const std::string &path, ORRERY_CALLER)
{
    char **c_names = nullptr;
    int c_n = 0;
    const orr_status status = orr_npz_names_at(file, line, path.c_str(), &c_names, &c_n);
    std::vector<std::string> v0 = detail::names_of(c_names, c_n);
    (void)detail::check(status, file, line);
    return v0;
}

/// Loads the tensor called `name` from a .safetensors file. The header is checked as a whole first: each byte must belong to one tensor
/// and fit its shape and dtype. The values are copied, so later changes of the file do not matter; with several ranks they are mapped as
/// by orr_map_safetensors, under its conditions.
/// @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such tensor (the message lists the names),
///           ORR_EDTYPE for a type that does not exist here (8-bit floats).
inline Tensor load_safetensors(const std::string &path, const std::string &name, ORRERY_CALLER)
{
    return detail::made(orr_load_safetensors_at(file, line, path.c_str(), name.c_str()), file, line);
}

/// As orr_load_safetensors, but the tensor's memory is the file's own pages, read by the system when they are accessed and never
/// written. The caller guarantees that the file does not change while the tensor lives: the values would change with it. If the file
/// has been truncated, evaluations and reads that begin after it are ORR_EIO; one that is under way, and pointers of orr_data, end the
/// process by SIGBUS, which no library can prevent. A new file under the same name (as orr_save… writes) is no change, nor is the
/// removal of the name. Bools, and elements that are not aligned to their size, are
/// copied.
inline Tensor map_safetensors(const std::string &path, const std::string &name, ORRERY_CALLER)
{
    return detail::made(orr_map_safetensors_at(file, line, path.c_str(), name.c_str()), file, line);
}

/// Sets *names to the names of the tensors in a .safetensors file, in the order of their bytes, and *n to their number.
/// Otherwise as orr_npz_names.
inline std::vector<std::string> safetensors_names(const std::string &path, ORRERY_CALLER)
{
    char **c_names = nullptr;
    int c_n = 0;
    const orr_status status = orr_safetensors_names_at(file, line, path.c_str(), &c_names, &c_n);
    std::vector<std::string> v0 = detail::names_of(c_names, c_n);
    (void)detail::check(status, file, line);
    return v0;
}

/// Writes n tensors as a .safetensors file under their names. Evaluates them all at once. The bytes of larger elements come
/// first, so that all tensors are aligned.
/// @param names  UTF-8, not empty, each once, not "__metadata__" (ORR_EINVAL)
/// errors:   as orr_save. bfloat16 has a type here.
inline orr_status save_safetensors(const std::string &path, const std::vector<std::string> &names, const List &t, ORRERY_CALLER)
{
    const std::vector<const char *> c_names = detail::texts(names);
    return detail::check(orr_save_safetensors_at(file, line, path.c_str(), c_names.data(), static_cast<int>(names.size()), t.data(), static_cast<int>(t.size())), file, line);
}

/// Loads a table of numbers: a line is a row, of as many fields as the first. Blanks and a pair of quotes around a number, empty
/// lines and lines that begin with # are skipped. In a float dtype an empty field is NaN. The decimal point is a point, whatever the
/// locale.
/// @param delimiter  between fields; 0: a comma
/// @param skip       number of lines before the first row, such as a header
/// @return   (rows, columns), owned by the current scope; poison on error, ORR_EFORMAT with the line and field of text that is no
///           number of the dtype, or of a row with another length, and for a file with fewer lines than `skip`.
inline Tensor load_csv(const std::string &path, orr_dtype dtype, char delimiter, int skip, ORRERY_CALLER)
{
    return detail::made(orr_load_csv_at(file, line, path.c_str(), dtype, delimiter, skip), file, line);
}

/// Writes a tensor of at most two axes as rows of numbers, with as many digits as loading needs; one axis is a column. Evaluates `t`.
/// @param delimiter  between fields; 0: a comma
/// errors:   as orr_save; ORR_ESHAPE (more than two axes).
inline orr_status save_csv(const std::string &path, const Operand &t, char delimiter, ORRERY_CALLER)
{
    return detail::check(orr_save_csv_at(file, line, path.c_str(), t.get(), delimiter), file, line);
}

/// Loads the data set called `name` ("group/set" in groups) from an HDF5 file: integers, floats of 16 to 64 bits, and h5py's bools and
/// complex numbers (compounds of the parts r and i). Its elements must be in the file, contiguous or in chunks; the filters deflate (once),
/// shuffle and fletcher32 are supported. Elements that were never written have the fill value; such sets take half of the memory at most.
/// libhdf5 reads the file, and a damaged one may do more harm in it than an error: use another format for files that are not trusted.
/// @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such data set, ORR_EDEVICE where the library was
///           built without HDF5 or libhdf5 cannot be opened. One call at a time uses libhdf5; a program must not use it during a call.
inline Tensor load_hdf5(const std::string &path, const std::string &name, ORRERY_CALLER)
{
    return detail::made(orr_load_hdf5_at(file, line, path.c_str(), name.c_str()), file, line);
}

/// Sets *names to the names of all data sets in an HDF5 file, those in groups with their path, and *n to their number. Otherwise as
/// orr_npz_names.
inline std::vector<std::string> hdf5_names(const std::string &path, ORRERY_CALLER)
{
    char **c_names = nullptr;
    int c_n = 0;
    const orr_status status = orr_hdf5_names_at(file, line, path.c_str(), &c_names, &c_n);
    std::vector<std::string> v0 = detail::names_of(c_names, c_n);
    (void)detail::check(status, file, line);
    return v0;
}

/// Writes n tensors as data sets of an HDF5 file; a name "group/set" makes the group. The file is assembled in memory
/// first.
/// errors:   as orr_save; ORR_EDTYPE (bfloat16), ORR_EDEVICE (built without HDF5, or libhdf5 cannot be opened).
inline orr_status save_hdf5(const std::string &path, const std::vector<std::string> &names, const List &t, ORRERY_CALLER)
{
    const std::vector<const char *> c_names = detail::texts(names);
    return detail::check(orr_save_hdf5_at(file, line, path.c_str(), c_names.data(), static_cast<int>(names.size()), t.data(), static_cast<int>(t.size())), file, line);
}

/// Loads the array in an IDX file, plain or gzip: unsigned and signed bytes, int16, int32, float32, float64.
/// @return   owned by the current scope; poison on error.
inline Tensor load_idx(const std::string &path, ORRERY_CALLER)
{
    return detail::made(orr_load_idx_at(file, line, path.c_str()), file, line);
}

/// Loads a PNG or JPEG image; its first bytes determine the format. Interlaced and progressive images are supported. Values are
/// those of the file: gamma, colour profiles and the orientation of a camera are not applied. An image that is truncated, or
/// damaged by the format's own checks, is an error; bytes after the image are ignored.
/// @return   (height, width, channels), owned by the current scope; channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. u8; u16
///           for a PNG of 16 bits. Palettes become RGB, transparent colours alpha, 1, 2 and 4 bits become 0 … 255. Poison on
///           error; ORR_EFORMAT also for a size too large for the number of bytes or for ORRERY_IMAGE_LIMIT (before memory is
///           allocated; the message has both), for JPEGs with
///           four channels, 12 bits or arithmetic code; ORR_EDEVICE where the library was built without libpng or libjpeg.
inline Tensor load_image(const std::string &path, ORRERY_CALLER)
{
    return detail::made(orr_load_image_at(file, line, path.c_str()), file, line);
}

/// Loads an image like orr_load_image from the bytes of such a file.
inline Tensor load_image_bytes(const void *data, size_t bytes, ORRERY_CALLER)
{
    return detail::made(orr_load_image_bytes_at(file, line, data, bytes), file, line);
}

/// Writes an image in the format of the suffix: .png, .jpg or .jpeg. Evaluates `t`. orr_save does the same with quality 90.
/// @param t        (height, width), or (height, width, channels) with 1 to 4 channels as in orr_load_image, in JPEG 1 or 3; u8,
///                 in PNG also u16
/// @param quality  of JPEG, 1 … 100; 0: 90
/// errors:   as orr_save; ORR_EINVAL (another suffix, quality), ORR_ESHAPE, ORR_EDTYPE, ORR_EDEVICE.
inline orr_status save_image(const std::string &path, const Operand &t, int quality, ORRERY_CALLER)
{
    return detail::check(orr_save_image_at(file, line, path.c_str(), t.get(), quality), file, line);
}

/// Returns the bytes of the file that orr_save_image would write: u8 (bytes), owned by the current scope; poison on its errors.
inline Tensor encode_image(const Operand &t, orr_image_format format, int quality, ORRERY_CALLER)
{
    return detail::made(orr_encode_image_at(file, line, t.get(), format, quality), file, line);
}

/// Evaluates `t` and sets *out to its value in host memory, shared and not copied. The value lives until the consumer calls
/// (*out)->deleter(*out), even if the tensor is freed earlier. It must not be written: the flags contain
/// ORR_DLPACK_READ_ONLY.
/// errors:   those of orr_eval; ORR_EINVAL (out is NULL), ORR_EDTYPE (no DLPack type); then *out is NULL.
/// threads:  safe from any thread; the deleter, too, until orr_shutdown, after which it must not be called.
inline orr_dlpack_versioned * to_dlpack(const Operand &t, ORRERY_CALLER)
{
    orr_dlpack_versioned *c_out{};
    const orr_status status = orr_to_dlpack_at(file, line, t.get(), &c_out);
    orr_dlpack_versioned * v0 = c_out;
    (void)detail::check(status, file, line);
    return v0;
}

/// As orr_to_dlpack, for consumers of the unversioned exchange. This has no flags: the consumer must know that it must
/// not write.
inline orr_dlpack_unversioned * to_dlpack_unversioned(const Operand &t, ORRERY_CALLER)
{
    orr_dlpack_unversioned *c_out{};
    const orr_status status = orr_to_dlpack_unversioned_at(file, line, t.get(), &c_out);
    orr_dlpack_unversioned * v0 = c_out;
    (void)detail::check(status, file, line);
    return v0;
}

/// A tensor on the array of another library: without a copy if it is row-major and aligned to its element size, else with one. Its
/// elements must not change from now on. The deleter is called once, from any thread, after the last use (after the copy). On an error
/// it is not called, and the caller keeps the array.
/// @return   owned by the current scope; poison on ORR_EINVAL (NULL, a major version other than 1, more than one lane), ORR_EDEVICE
///           (memory of a device: copy it to the host before), ORR_EDTYPE (types that do not exist here, such as complex numbers of 32 bits), ORR_ESHAPE
///           (rank above 8, sizes that are negative or overflow), ORR_ENOMEM.
/// threads:  safe from any thread.
inline Tensor from_dlpack(orr_dlpack_versioned &array, ORRERY_CALLER)
{
    return detail::made(orr_from_dlpack_at(file, line, &array), file, line);
}

/// As orr_from_dlpack, for an unversioned array.
inline Tensor from_dlpack_unversioned(orr_dlpack_unversioned &array, ORRERY_CALLER)
{
    return detail::made(orr_from_dlpack_unversioned_at(file, line, &array), file, line);
}

/// Writes up to `max` rows of statistics, the busiest first. The row "trials: regret" of worker "all", if there is one, counts
/// trials: work done in another way than the best known one, to measure it. Its seconds are the time that they took beyond the
/// best known way, which are part of the other rows too: at most 5 % of the time of the process's evaluations, and at most
/// 10 ms in its first 50. The rows "CUDA graphs: launches" and "CUDA graphs: captures" of worker "all" count launches of small steps
/// that repeat, and their recordings with the seconds that those took on the host.
/// @return   the number of all rows.
/// threads:  safe from any thread.
inline std::vector<orr_stat> stats()
{
    int count = orr_stats(nullptr, 0);
    std::vector<orr_stat> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_stats(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Sets the counters of orr_stats and orr_metrics to zero.
inline void stats_reset()
{
    orr_stats_reset();
}

/// Prints orr_stats as a table: kind, worker, tasks, time, share.
inline void stats_print(FILE *to)
{
    orr_stats_print(to);
}

/// Writes up to `max` rows of metrics since orr_init or orr_stats_reset, the most expensive first.
/// @return   the number of all rows.
/// threads:  safe from any thread.
inline std::vector<orr_metric> metrics()
{
    int count = orr_metrics(nullptr, 0);
    std::vector<orr_metric> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_metrics(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Writes all counters as one JSON object, in bytes and seconds.
///     {"engine", "memory": {"live", "pooled", "peak", "limit", "spilled", "spilled_peak", "total", "held": {"values", "pool", …}},
///      "plans": {"made", "found", "evicted", "kept"}, "kernels": {"compiled", "from_disk", "from_memory", "failed"},
///      "regret": {"trials", "refused", "seconds", "bound"},
///      "devices": [{"name", "retired", "times", "seconds", "gone"}], "kinds": [{"kind", "tasks", "seconds", "p50", "p95", "p99"}]}
/// regret: trials so far in the process, trials that were not begun, and the row of trials of orr_stats with its present bound.
/// A retired device has failed and is tried again after `seconds`; one that is gone is not tried again (docs/reliability.md).
/// errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
/// threads:  safe from any thread.
inline orr_status metrics_json(FILE *to, ORRERY_CALLER)
{
    return detail::check(orr_metrics_json(to), file, line);
}

/// Name of the engine: "starpu 1.3.10, 2 CPU workers, lws" or "serial"; "" before orr_init.
inline std::string engine_name()
{
    auto r = orr_engine_name();
    return r ? r : "";
}

/// Name of a kind of device: "cpu", "cuda", "opencl"; "?" for any other number.
inline std::string device_kind_name(orr_device_kind kind)
{
    auto r = orr_device_kind_name(kind);
    return r ? r : "";
}

/// Name of a measure in JSON: "memory_total", …; "?" for any other number.
inline std::string measure_name(orr_measure m)
{
    auto r = orr_measure_name(m);
    return r ? r : "";
}

/// Unit of a measure: "B", "°C", "W", "Hz", "".
inline std::string measure_unit(orr_measure m)
{
    auto r = orr_measure_unit(m);
    return r ? r : "";
}

/// Reads all devices and writes up to `max` of them, before orr_init too.
/// The libraries of CUDA and NVML are opened at run time; their absence is no error. The processor's utilisation and
/// power are means since the process's previous call, so the first call does not know them.
/// @return   the number of all devices.
/// cost:     1 ms; the first call up to some 100 ms.
/// threads:  safe from any thread.
inline std::vector<orr_device> devices()
{
    int count = orr_devices(nullptr, 0);
    std::vector<orr_device> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_devices(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Writes orr_devices as one JSON object.
///     {"orrery", "written" (seconds since 1970), "pid", "devices": [{"id", "kind", "index", "name", "address",
///      "capability", and each measure by name as {"value": number} or {"error", "why"}}]}
/// errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
/// threads:  safe from any thread.
inline orr_status devices_json(FILE *to, ORRERY_CALLER)
{
    return detail::check(orr_devices_json(to), file, line);
}

/// Writes orr_devices_json to a file that only its owner can read and that appears whole or not at all.
/// With ORRERY_DEVICE_FILE the library writes that file at orr_init and after every change.
/// errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM.
/// threads:  safe from any thread.
inline orr_status devices_save(const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_devices_save(path.c_str()), file, line);
}

/// Reads a file of orr_devices_save, also another process's: up to `max` devices, and the number of all of them into
/// *count.
/// errors:   ORR_EINVAL (path or count is NULL), ORR_EIO, ORR_EFORMAT (another kind of file), ORR_ENOMEM.
/// threads:  safe from any thread.
inline std::vector<orr_device> devices_load(const std::string &path, ORRERY_CALLER)
{
    int count = 0;
    (void)detail::check(orr_devices_load(path.c_str(), nullptr, 0, &count), file, line);
    std::vector<orr_device> all(count > 0 ? static_cast<size_t>(count) : 0);
    (void)detail::check(orr_devices_load(path.c_str(), all.data(), static_cast<int>(all.size()), &count), file, line);
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Reads the devices every `seconds` (0.01 … 86400) on a thread of the library and calls `fn` after each change.
/// The first reading counts as a change of every kind. A second call replaces the first; fn NULL ends the watch, and so
/// does orr_shutdown. After the return the previous function is not called any more. The caller owns `user`.
/// errors:   ORR_EINVAL, ORR_ESTATE (not initialised, or called by fn), ORR_EDEVICE (no thread can be started).
/// threads:  safe from any thread.
template <class F>
inline orr_status devices_watch(double seconds, F &fn, ORRERY_CALLER)
{
    void *user = &fn;
    const orr_status status = orr_devices_watch(seconds, [](const orr_device *p0, int p1, unsigned p2, void *u) -> void {
        return detail::called<void>(*static_cast<F *>(u), p0, p1, p2);
    }, user);
    detail::passed();
    return detail::check(status, file, line);
}

/// Evaluates `t` and starts a copy of its value into the memory of `device`, an id of orr_devices.
/// The copy is a hint: if it cannot be made ahead of time, it is made at the first use. For device 0 the call copies
/// into the host's memory and waits.
/// errors:   those of orr_eval; ORR_EINVAL (no such device), ORR_EDEVICE (no worker of this run has it), ORR_ENOMEM
///           (the value is larger than the device's memory).
/// threads:  safe from any thread.
inline orr_status prefetch(const Operand &t, int device, ORRERY_CALLER)
{
    return detail::check(orr_prefetch_at(file, line, t.get(), device), file, line);
}

/// Copies the value of `t` into the memory of `device` as orr_prefetch does, and waits for the copy.
inline orr_status copy_to(const Operand &t, int device, ORRERY_CALLER)
{
    return detail::check(orr_copy_to_at(file, line, t.get(), device), file, line);
}

/// Copies the value of `t` into the host's memory and releases all other copies of it.
/// The call waits for work that reads them. Evaluates `t`.
/// errors:   those of orr_eval, ORR_EDEVICE.
/// threads:  safe from any thread.
inline orr_status evict(const Operand &t, ORRERY_CALLER)
{
    return detail::check(orr_evict_at(file, line, t.get()), file, line);
}

/// Sets *on to whether the memory of `device` holds the whole value of `t` now. Evaluates `t`.
/// errors:   as orr_prefetch; ORR_EINVAL (on is NULL).
inline bool is_on(const Operand &t, int device, ORRERY_CALLER)
{
    bool c_on{};
    const orr_status status = orr_is_on_at(file, line, t.get(), device, &c_on);
    bool v0 = c_on;
    (void)detail::check(status, file, line);
    return v0;
}

/// Sets *total to the bytes of the device's memory and *left to those that are free.
/// For device 0 this is the host's memory, else the memory that the engine may use (STARPU_LIMIT_CUDA_MEM,
/// STARPU_LIMIT_OPENCL_MEM). Copies that the engine could release count as used.
/// errors:   ORR_EINVAL, ORR_ESTATE, ORR_EDEVICE.
/// threads:  safe from any thread.
inline std::tuple<size_t, size_t> device_memory(int device, ORRERY_CALLER)
{
    size_t c_total{};
    size_t c_left{};
    const orr_status status = orr_device_memory_at(file, line, device, &c_total, &c_left);
    size_t v0 = c_total;
    size_t v1 = c_left;
    (void)detail::check(status, file, line);
    return { v0, v1 };
}

/// Name of an owner: "values", "pool", …; "?" for any other number.
inline std::string memory_owner_name(orr_memory_owner owner)
{
    auto r = orr_memory_owner_name(owner);
    return r ? r : "";
}

/// Returns the present state of the host memory that the library holds. Memory of other libraries that does not belong to
/// a tensor or a plan is not counted: the runtime of StarPU, of the BLAS, of drivers.
/// threads:  safe from any thread.
inline orr_memory memory_stats()
{
    auto r = orr_memory_stats();
    return r;
}

/// Sets peak and spilled_peak to the present values.
/// threads:  safe from any thread.
inline void memory_peak_reset()
{
    orr_memory_peak_reset();
}

/// Returns pooled memory to the system. Pooled memory that is not used for a second returns by itself.
/// threads:  safe from any thread.
inline void memory_trim()
{
    orr_memory_trim();
}

/// Writes up to `max` facts about the build and the machine. Before orr_init the engine's are missing.
/// @return   the number of all facts.
/// threads:  safe from any thread.
inline std::vector<orr_fact> info()
{
    int count = orr_info(nullptr, 0);
    std::vector<orr_fact> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_info(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Prints the ORRERY_* variables: name, values, default, meaning.
/// @param markdown  true: docs/environment.md, with the STARPU_* variables that users of Orrery meet; false: a plain
///                  table with the values in force
/// errors:   ORR_EINVAL, ORR_EIO.
inline orr_status env_print(FILE *to, bool markdown = false, ORRERY_CALLER)
{
    return detail::check(orr_env_print(to, markdown), file, line);
}

/// Prints the tuned numbers of the library: name, value, unit, reason, and the command that measures it on another machine.
/// @param markdown  true: docs/thresholds.md; false: a plain table
/// errors:   ORR_EINVAL, ORR_EIO.
/// threads:  safe from any thread.
inline orr_status thresholds_print(FILE *to, bool markdown = false, ORRERY_CALLER)
{
    return detail::check(orr_thresholds_print(to, markdown), file, line);
}

/// Lists the kernel cache: up to `max` entries, and the number of all of them into *count. Before orr_init it reads
/// the environment itself.
/// errors:   ORR_EENV, ORR_EIO (the directory is refused; the message has the reason), ORR_EINVAL (count is NULL).
inline std::vector<orr_cache_entry> cache_list(ORRERY_CALLER)
{
    int count = 0;
    (void)detail::check(orr_cache_list(nullptr, 0, &count), file, line);
    std::vector<orr_cache_entry> all(count > 0 ? static_cast<size_t>(count) : 0);
    (void)detail::check(orr_cache_list(all.data(), static_cast<int>(all.size()), &count), file, line);
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Removes all kernels from the user's cache directory and sets *removed, which may be NULL, to their number. Kernels
/// in use stay loaded.
/// errors:   as orr_cache_list; ORR_EIO (a file cannot be removed).
inline int cache_clear(ORRERY_CALLER)
{
    int c_removed{};
    const orr_status status = orr_cache_clear(&c_removed);
    int v0 = c_removed;
    (void)detail::check(status, file, line);
    return v0;
}

/// Writes up to `max` numbers of this machine.
/// @return   the number of all of them.
/// threads:  safe from any thread.
inline std::vector<orr_machine_number> machine_list()
{
    int count = orr_machine_list(nullptr, 0);
    std::vector<orr_machine_number> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_machine_list(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Lists the performance models of this host: up to `max`, and the number of all of them into *count. Before orr_init
/// it reads their file (docs/tuning.md).
/// errors:   ORR_EENV, ORR_EINVAL (count is NULL).
/// threads:  safe while the library runs.
inline std::vector<orr_perfmodel> perfmodel_list(ORRERY_CALLER)
{
    int count = 0;
    (void)detail::check(orr_perfmodel_list(nullptr, 0, &count), file, line);
    std::vector<orr_perfmodel> all(count > 0 ? static_cast<size_t>(count) : 0);
    (void)detail::check(orr_perfmodel_list(all.data(), static_cast<int>(all.size()), &count), file, line);
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Deletes all performance models and their file, and sets *removed, which may be NULL, to their number.
/// errors:   ORR_EENV, ORR_EIO (the file cannot be removed).
inline int perfmodel_clear(ORRERY_CALLER)
{
    int c_removed{};
    const orr_status status = orr_perfmodel_clear(&c_removed);
    int v0 = c_removed;
    (void)detail::check(status, file, line);
    return v0;
}

/// Waits for the measurement of this machine, which a thread of orr_init makes once per host.
/// @param again  true: measures now, in 0.1 to 0.3 s, and keeps the result. Measure on a quiet machine.
/// errors:   ORR_ESTATE (not started), ORR_EDEVICE (the serial engine does not measure the machine), ORR_EIO (the numbers are in
///           force but cannot be kept), ORR_EINTERNAL (implausible numbers; the previous ones stay in force).
/// threads:  one thread at a time.
inline orr_status machine_measure(bool again = false, ORRERY_CALLER)
{
    return detail::check(orr_machine_measure(again), file, line);
}

/// A tensor of `shape`, filled by the rule `how`.
/// @param shape  any; Glorot and He need fan_in > 0
/// dtypes:   floats.
/// @return   owned by the current scope; poison on ORR_EINVAL, ORR_ESHAPE, ORR_EDTYPE.
/// effects:  lazy. Safe from any thread.
inline Tensor initialiser_apply(const orr_initialiser &how, orr_dtype dtype, const Shape &shape, ORRERY_CALLER)
{
    return detail::made(orr_initialiser_apply_at(file, line, how, dtype, shape), file, line);
}

/// y = f(x).
/// @return   like x, owned by the current scope; poison on ORR_EINVAL (no such f), ORR_EDTYPE.
/// effects:  lazy. Safe from any thread.
inline Tensor activate(const Operand &x, orr_activation f, ORRERY_CALLER)
{
    return detail::made(orr_activate_at(file, line, x.get(), f), file, line);
}

/// y = f(x·W + b) with W (in, out) and b (out) in f32; W by `init`, b by the default rule U(−1/√in, 1/√in).
/// @param in, out  ≥ 1
/// @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
/// parameters: "weight", "bias".
inline Module dense(int64_t in, int64_t out, orr_activation f, const orr_initialiser &init, ORRERY_CALLER)
{
    auto r = orr_dense_at(file, line, in, out, f, init);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// A dense layer like orr_dense with a given dtype and a given initialiser of the bias; ORR_INITIALISER_NONE: no
/// bias.
/// dtypes:   floats.
inline Module dense_with(orr_dtype dtype, int64_t in, int64_t out, orr_activation f, const orr_initialiser &weight, const orr_initialiser &bias, ORRERY_CALLER)
{
    auto r = orr_dense_with_at(file, line, dtype, in, out, f, weight, bias);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_activate as a module without parameters, for places where no layer takes an activation, such as after a
/// normalisation.
/// @return   to be freed with orr_module_free; NULL on ORR_EINVAL (no such f), ORR_ENOMEM.
inline Module activation_layer(orr_activation f, ORRERY_CALLER)
{
    auto r = orr_activation_layer_at(file, line, f);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// y = fn(x, user): a function of the program's own as a module. `user` must outlive the module. Variables that the
/// function uses must be added by orr_module_add_parameter, or belong to another module of the same composition. Saving is
/// refused while the first application has used a variable for which neither holds.
template <class F>
inline Module function(F &fn, ORRERY_CALLER)
{
    void *user = &fn;
    auto r = orr_function_at(file, line, [](orr_tensor *p0, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), Tensor(p0, false));
    }, user);
    detail::passed();
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// y = m[n−1] ∘ … ∘ m[0], applied to x: orr_sequential(ORR_MODULES(orr_dense(…), orr_dense(…), …)).
/// @return   a module that owns the m[i]; on error NULL, and the m[i] are freed. Each may occur once.
/// parameters: "0.weight", "0.bias", "1.weight" …
inline Module sequential(std::vector<Module> m, ORRERY_CALLER)
{
    std::vector<orr_module *> c_m;
    for (Module &one : m)
        c_m.push_back(one.let_go());
    auto r = orr_sequential_at(file, line, c_m.data(), static_cast<int>(m.size()));
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// Applies m to x.
/// @return   a new tensor owned by the current scope; poison on the errors of its operations, ORR_EINVAL (m is NULL, or takes
///           more than one input).
/// effects:  lazy. Safe from any thread. A layer with running statistics assigns them in training mode.
inline Tensor forward(const Module &m, const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_forward_at(file, line, m.get(), x.get()), file, line);
}

/// Applies m to n inputs, as the layer's constructor lists them: orr_forward_all(m, ORR_TENSORS(x, memory)). An optional
/// input may be NULL.
/// errors:   as orr_forward; ORR_EINVAL (m takes another number of inputs).
inline Tensor forward_all(const Module &m, const List &x, ORRERY_CALLER)
{
    return detail::made(orr_forward_all_at(file, line, m.get(), x.data(), static_cast<int>(x.size())), file, line);
}

/// y = x + m(x).
/// @return   a module that owns m; on error NULL, and m is freed.
/// parameters: "0.weight" …
inline Module residual(Module m, ORRERY_CALLER)
{
    auto r = orr_residual_at(file, line, m.let_go());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// A module without parameters and parts yet, applied by `fn`. release(user), unless NULL, is called when the module is
/// freed.
/// @return   to be freed with orr_module_free; NULL on ORR_EINVAL (fn is NULL), ORR_ENOMEM; then release is not called.
template <class F>
inline Module module_new(const std::string &kind, F &fn, ORRERY_CALLER)
{
    void *user = new F(fn);
    auto r = orr_module_new_at(file, line, kind.c_str(), [](const orr_module *p0, orr_tensor *const *p1, int p2, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), p0, detail::borrowed(p1, p2));
    }, user, [](void *u) { delete static_cast<F *>(u); });
    detail::passed();
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// Adds a variable that starts as `value`. Optimisers change it, and it is saved.
/// @param name  at most 23 bytes, without a dot, once in the module
/// @return   the variable, borrowed; NULL on ORR_EINVAL, the error of `value`, ORR_ENOMEM.
inline Tensor module_add_parameter(Module &m, const std::string &name, const Operand &value, ORRERY_CALLER)
{
    auto r = orr_module_add_parameter_at(file, line, m.get(), name.c_str(), value.get());
    return Tensor(r, false);
}

/// Adds a variable that optimisers do not change and that is saved with the parameters: statistics, a counter.
/// Otherwise as orr_module_add_parameter.
inline Tensor module_add_state(Module &m, const std::string &name, const Operand &value, ORRERY_CALLER)
{
    return detail::made(orr_module_add_state_at(file, line, m.get(), name.c_str(), value.get()), file, line);
}

/// Adds a module, whose parameters get the path "name.…"; name NULL: its number. m owns it from now on.
/// @return   `part`, borrowed; on error NULL, and `part` is freed. m then carries the error: without the part, the numbers of others
///           would differ, so orr_forward gives a poison with it, and optimisers and files refuse m.
inline Module module_add_part(Module &m, const char *name, Module part, ORRERY_CALLER)
{
    auto r = orr_module_add_part_at(file, line, m.get(), name, part.let_go());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r, false);
}

/// Returns part number i, borrowed; NULL if there is none.
inline Module module_part(const Module &m, int i)
{
    auto r = orr_module_part(m.get(), i);
    return Module(r, false);
}

/// Switches m and its parts to training (true, the initial mode) or inference. The mode determines dropout and
/// the statistics of batch normalisation.
/// threads:  no other thread may apply m.
inline void module_train(Module &m, bool training = false)
{
    orr_module_train(m.get(), training);
}

/// Returns whether m is in training mode; false for NULL.
inline bool module_training(const Module &m)
{
    auto r = orr_module_training(m.get());
    return r;
}

/// Switches m to inference and folds each batch normalisation that directly follows a convolution without an activation into that
/// layer's weight and bias (a bias is added if there is none). The results are the same up to rounding. Other normalisations stay,
/// and so do those in modules of the program's own, which may apply their parts in any order. A folded normalisation has no
/// variables any more: an earlier optimiser of m cannot be used, and an earlier file of m is that of another network.
/// errors:   ORR_EINVAL (m is NULL; a batch normalisation keeps no statistics: then nothing changes), those of orr_eval.
/// threads:  no other thread may apply m.
inline orr_status module_fold(Module &m, ORRERY_CALLER)
{
    return detail::check(orr_module_fold_at(file, line, m.get()), file, line);
}

/// Writes up to `max` parameters, in the order of the modules.
/// @return   the number of all parameters.
inline std::vector<orr_parameter> module_parameters(const Module &m)
{
    int count = orr_module_parameters(m.get(), nullptr, 0);
    std::vector<orr_parameter> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_module_parameters(m.get(), all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Writes up to `max` variables that are saved with the parameters and that no optimiser changes: running statistics.
/// @return   the number of all of them.
inline std::vector<orr_parameter> module_states(const Module &m)
{
    int count = orr_module_states(m.get(), nullptr, 0);
    std::vector<orr_parameter> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_module_states(m.get(), all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Returns the parameter or state with this path, borrowed; NULL where there is none.
inline Tensor module_variable(const Module &m, const std::string &path)
{
    auto r = orr_module_variable(m.get(), path.c_str());
    return Tensor(r, false);
}

/// Returns the number of elements of all parameters.
inline int64_t module_size(const Module &m)
{
    auto r = orr_module_size(m.get());
    return r;
}

/// Writes all parameters and states to the .npz file `path`, under their names. Evaluates them. Under mpirun every rank calls this,
/// rank 0 writes the file, and all ranks return its status.
/// errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM, and those of orr_eval; ORR_ESTATE (orr_function: a variable would not be
///           saved).
inline orr_status module_save(const Module &m, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_module_save_at(file, line, m.get(), path.c_str()), file, line);
}

/// Assigns to all parameters and states the arrays of their names in `path`, all or none. Ranks: if a value is distributed, all ranks
/// call it, and none keeps more than its part of an array; otherwise each rank reads independently.
/// errors:   ORR_EIO, ORR_EFORMAT, ORR_EDTYPE; a file of another network is refused with the first difference: ORR_EINVAL (a
///           name is missing, or one too many), ORR_ESHAPE.
inline orr_status module_load(Module &m, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_module_load_at(file, line, m.get(), path.c_str()), file, line);
}

/// Returns PyTorch's defaults of `kind`; for SGD, where PyTorch has no default, lr is 0.001.
inline orr_optim_options optim_defaults(orr_optim_kind kind)
{
    auto r = orr_optim_defaults(kind);
    return r;
}

/// An optimiser of the n variables v[i], which must outlive it. NULL options: the defaults.
/// dtypes:   floats.
/// @return   to be freed with orr_optim_free; NULL on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EHANDLE.
inline Optim optim_new(orr_optim_kind kind, const List &v, const std::optional<orr_optim_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_optim_new_at(file, line, kind, v.data(), static_cast<int>(v.size()), options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Optim(r);
}

/// An optimiser like orr_optim_new of all parameters of a module.
inline Optim optim_of_module(orr_optim_kind kind, const Module &m, const std::optional<orr_optim_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_optim_of_module_at(file, line, kind, m.get(), options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Optim(r);
}

/// Records one step down the gradient of the sum of `loss`: orr_grad, clipping if it is set, update, orr_assign. Lazy:
/// this thread's next evaluation computes the step, so `orr_optim_step(o, loss); orr_item(loss, &x);` is one pass.
/// Steps that are recorded without an evaluation are submitted in parts (orr_assign): reading the loss seldom costs no more.
/// `loss` keeps the value before the step. Successive steps have graphs of one structure and share one plan. A new value
/// uses the memory of the old one if no reader of that is left (orr_assign).
/// A variable on which the loss does not depend has a gradient of zeros: weight decay and momentum still move it.
/// errors:   the error of `loss`, and those of orr_grad; ORR_EGRAPH (the loss depends on none of the variables). Then no variable
///           has changed.
inline orr_status optim_step(Optim &o, const Operand &loss, ORRERY_CALLER)
{
    return detail::check(orr_optim_step_at(file, line, o.get(), loss.get()), file, line);
}

/// Records one step with the gradients of the caller: grads[i] of v[i]'s shape, one for each of the optimiser's variables.
/// No clipping. Otherwise as orr_optim_step.
/// errors:   as orr_optim_step; ORR_EINVAL (another number of gradients; the message has both).
inline orr_status optim_apply(Optim &o, const List &grads, ORRERY_CALLER)
{
    return detail::check(orr_optim_apply_at(file, line, o.get(), grads.data(), static_cast<int>(grads.size())), file, line);
}

/// Adds the gradients of the sum of `loss` to those accumulated since the last orr_optim_step_accumulated: a batch in parts.
/// Lazy, as orr_optim_step.
/// errors:   as orr_optim_step; then nothing is added.
inline orr_status optim_accumulate(Optim &o, const Operand &loss, ORRERY_CALLER)
{
    return detail::check(orr_optim_accumulate_at(file, line, o.get(), loss.get()), file, line);
}

/// Records one step with the sum of the gradients of orr_optim_accumulate, clipped if that is set, and clears the sum.
/// Divide each loss by the number of parts for their mean.
/// errors:   as orr_optim_apply; ORR_ESTATE (nothing was accumulated).
inline orr_status optim_step_accumulated(Optim &o, ORRERY_CALLER)
{
    return detail::check(orr_optim_step_accumulated_at(file, line, o.get()), file, line);
}

/// Scales all grads[i] by min(1, max_norm/(‖grads‖₂ + 1e-6)), ‖·‖₂ over all of them together, and replaces the
/// array's entries by the scaled tensors.
/// @return   the norm before, 0-d, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE.
/// effects:  lazy. Safe from any thread.
inline Tensor clip_grad_norm(std::vector<Tensor> &grads, double max_norm, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_grads;
    for (const Tensor &one : grads)
        c_grads.push_back(one.get());
    const std::vector<orr_tensor *> former_grads = c_grads;
    auto r = orr_clip_grad_norm_at(file, line, c_grads.data(), static_cast<int>(grads.size()), max_norm);
    for (size_t k = 0; k < c_grads.size(); k++)
        if (c_grads[k] != former_grads[k])
            grads[k] = Tensor(c_grads[k]);
    return detail::made(r, file, line);
}

/// Sets the learning rate of later steps. The plan stays the same.
/// errors:   ORR_EINVAL (negative, not finite). 0: the variables stay.
inline orr_status optim_set_lr(Optim &o, double lr, ORRERY_CALLER)
{
    return detail::check(orr_optim_set_lr_at(file, line, o.get(), lr), file, line);
}

/// Returns the learning rate; 0 for NULL.
inline double optim_lr(const Optim &o)
{
    auto r = orr_optim_lr(o.get());
    return r;
}

/// Returns the number of steps made; 0 for NULL.
inline int64_t optim_steps(const Optim &o)
{
    auto r = orr_optim_steps(o.get());
    return r;
}

/// Writes up to `max` state variables ("0.momentum", "0.square", "0.mean", …; "0.unsent": orr_data_parallel with compress). Borrowed.
/// @return   the number of all of them.
inline std::vector<orr_parameter> optim_state(const Optim &o)
{
    int count = orr_optim_state(o.get(), nullptr, 0);
    std::vector<orr_parameter> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_optim_state(o.get(), all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// Writes state and step count to the .npz file `path`, and under "optimiser" their kind, the number of variables,
/// and that of state variables of each. Evaluates them. Ranks: as orr_module_save.
/// errors:   as orr_module_save.
inline orr_status optim_save(const Optim &o, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_optim_save_at(file, line, o.get(), path.c_str()), file, line);
}

/// Reads state and step count from `path`, all or nothing. Ranks: as orr_module_load.
/// errors:   as orr_module_load; ORR_EINVAL (the file is of another kind of optimiser, of options with other state,
///           or of another number of variables).
inline orr_status optim_load(Optim &o, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_optim_load_at(file, line, o.get(), path.c_str()), file, line);
}

/// Makes an empty checkpoint for the files PATH.0.npz and PATH.1.npz. Nothing is read or written yet.
/// @param path  without an ending; its folder exists
/// @return      free with orr_checkpoint_free; NULL on ORR_EINVAL (NULL, empty, too long), ORR_ENOMEM.
inline Checkpoint checkpoint_new(const std::string &path, ORRERY_CALLER)
{
    auto r = orr_checkpoint_new_at(file, line, path.c_str());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Checkpoint(r);
}

/// Adds a variable (borrowed) under a name of its own. bfloat16 is kept as float32, which is exact.
/// errors:   ORR_EINVAL (NULL, no variable, the name is empty, taken or longer than 63 bytes), ORR_ENOMEM.
inline orr_status checkpoint_add_variable(Checkpoint &c, const std::string &name, const Operand &variable, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_variable_at(file, line, c.get(), name.c_str(), variable.get()), file, line);
}

/// Adds all parameters and states of a module (borrowed).
/// errors:   as orr_checkpoint_add_variable.
inline orr_status checkpoint_add_module(Checkpoint &c, const std::string &name, Module &m, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_module_at(file, line, c.get(), name.c_str(), m.get()), file, line);
}

/// Adds the state, the number of steps and the learning rate of an optimiser (borrowed).
/// errors:   as orr_checkpoint_add_variable.
inline orr_status checkpoint_add_optim(Checkpoint &c, const std::string &name, Optim &o, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_optim_at(file, line, c.get(), name.c_str(), o.get()), file, line);
}

/// Adds `bytes` bytes of the program's memory (borrowed), which hold no pointers.
/// errors:   as orr_checkpoint_add_variable.
inline orr_status checkpoint_add_bytes(Checkpoint &c, const std::string &name, void *data, size_t bytes, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_bytes_at(file, line, c.get(), name.c_str(), data, bytes), file, line);
}

/// Evaluates all parts and writes them over the older generation. After an error both generations are as they were. Ranks: as
/// orr_module_save.
/// errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM, and those of orr_eval.
inline orr_status checkpoint_save(Checkpoint &c, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_save_at(file, line, c.get()), file, line);
}

/// Reads the newest whole generation into the parts, all or nothing. A damaged one is left out, with a line in the log.
/// Ranks: all ranks call it, and read the same file; none keeps more than its part of a distributed array.
/// @param found  false: there is no file, and the parts are as they were. NULL is fine.
/// errors:   ORR_EINVAL (the file is of other parts: the message names the first difference), ORR_ESHAPE, ORR_EDTYPE,
///           ORR_EFORMAT (both generations are damaged), ORR_EIO, ORR_ENOMEM, ORR_ERANK (the ranks see different files).
inline bool checkpoint_load(Checkpoint &c, ORRERY_CALLER)
{
    bool c_found{};
    const orr_status status = orr_checkpoint_load_at(file, line, c.get(), &c_found);
    bool v0 = c_found;
    (void)detail::check(status, file, line);
    return v0;
}

/// Returns the number of the generation that was last written or read, from 1; 0: none.
inline int64_t checkpoint_generation(const Checkpoint &c)
{
    auto r = orr_checkpoint_generation(c.get());
    return r;
}

/// Catches a signal that announces the end of the process: SIGTERM, or SIGUSR1 of Slurm's --signal. The handler only sets a flag;
/// the loop calls orr_checkpoint_stopping or orr_checkpoint_due. Before orr_init too, and best there: orr_init may take
/// seconds, and a signal that arrives before this call ends the process.
/// errors:   ORR_EINVAL (the signal cannot be caught).
inline orr_status checkpoint_catch(int signal, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_catch_at(file, line, signal), file, line);
}

/// Returns whether a caught signal has arrived. Safe from any thread.
inline bool checkpoint_stopping()
{
    auto r = orr_checkpoint_stopping();
    return r;
}

/// Returns whether it is time to save: a caught signal has arrived, or `seconds` have passed since the last save or load, or
/// since creation.
inline bool checkpoint_due(const Checkpoint &c, double seconds)
{
    auto r = orr_checkpoint_due(c.get(), seconds);
    return r;
}

/// y[n, o, i] = bias[o] + Σ over c and k of x[n, g·C/G + c, i·stride − before + k·dilation] · w[o, c, k], with zeros outside
/// of x, and g the group of channel o. The kernel is not reversed (cross-correlation, as in PyTorch). A depthwise convolution
/// has as many groups as channels. Data in the order N, spatial axes, C is permuted to this order by a view.
/// @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
/// @param w     (O, C/G, spatial axes of the kernel); G divides C and O
/// @param bias  (O), or NULL for none
/// @param o     options; NULL: the defaults
/// @return   (N, O, …), along each axis (before + length + after − dilation·(kernel − 1) − 1)/stride + 1, rounded down; owned
///           by the current scope; poison on ORR_ESHAPE (also a kernel beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   f16 bf16 f32 f64, promoted; f16 and bf16 are summed in f32 and rounded once.
/// grad:     dx = conv_transpose(g, w), dw = conv_weights(x, g), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
/// effects:  lazy. Safe from any thread.
inline Tensor conv(const Operand &x, const Operand &w, const Operand &bias = {}, const std::optional<orr_conv_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_conv_at(file, line, x.get(), w.get(), bias.get(), o ? &*o : nullptr), file, line);
}

/// The transposed convolution, the derivative of orr_conv by its input: x[n, c, j] = bias[c] + Σ of y[n, o, i] · w[o, c, k]
/// over the o of the group and the i and k with i·stride − before + k·dilation = j.
/// @param y     (N, O, L), (N, O, H, W) or (N, O, D, H, W)
/// @param w     (O, C/G, spatial axes of the kernel); G divides O
/// @param bias  (C), or NULL for none
/// @param o     options; NULL: the defaults. Padding makes the result smaller. output_padding is below the stride or the
///              dilation. `same` is for orr_conv.
/// @return   (N, C, …), along each axis (length − 1)·stride − before − after + dilation·(kernel − 1) + output_padding + 1;
///           owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   as orr_conv.
/// grad:     dy = conv(g, w), dw = conv_weights(g, y), dbias = Σ g.      cost: 2·|y|·C/G·|kernel| flop.
/// effects:  lazy. Safe from any thread.
inline Tensor conv_transpose(const Operand &y, const Operand &w, const Operand &bias = {}, const std::optional<orr_conv_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_conv_transpose_at(file, line, y.get(), w.get(), bias.get(), o ? &*o : nullptr), file, line);
}

/// The correlation of an input and a result of orr_conv, the derivative by its kernel: w[o, c, k] = Σ over n and i of
/// x[n, g·C/G + c, i·stride − before + k·dilation] · y[n, o, i].
/// @param x       (N, C, …), as of orr_conv    @param y  (N, O, …), as its result
/// @param kernel  the lengths of the kernel's spatial axes
/// @param o       the options of that convolution; NULL: the defaults
/// @return   (O, C/G, …kernel), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   as orr_conv.
/// grad:     dx = conv_transpose(y, g), dy = conv(x, g).      cost: 2·|y|·C/G·|kernel| flop.
/// effects:  lazy. Safe from any thread.
inline Tensor conv_weights(const Operand &x, const Operand &y, const Shape &kernel, const std::optional<orr_conv_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_conv_weights_at(file, line, x.get(), y.get(), kernel, o ? &*o : nullptr), file, line);
}

/// The maximum of each window. A NaN is the maximum; padding never is.
/// @param x  (N, C, L), (N, C, H, W) or (N, C, D, H, W)
/// @param o  options: the window, or the size
/// @return   (N, C, …), along each axis (length + 2·padding − dilation·(window − 1) − 1)/stride + 1, or the size; owned by the
///           current scope; poison on ORR_ESHAPE (a window beyond the padded input), ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   f16 bf16 f32 f64.      grad: g to the first maximum of each window.      cost: 1 per element of a window.
/// effects:  lazy. Safe from any thread.
inline Tensor max_pool(const Operand &x, const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_max_pool_at(file, line, x.get(), o ? &*o : nullptr), file, line);
}

/// The places of the maxima of orr_max_pool: i64, numbers of elements in the spatial axes of x, in row-major order; of
/// equal maxima the first. No gradient.
inline Tensor max_pool_indices(const Operand &x, const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_max_pool_indices_at(file, line, x.get(), o ? &*o : nullptr), file, line);
}

/// Zeros of shape (N, C, …size) with y's elements at `indices`, as orr_max_pool_indices numbers them. Elements with the same
/// index are added.
/// @param y, indices  of one shape    @param size  lengths of the spatial axes
/// @return   owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. An index out of range is found by evaluation
///           (ORR_EINDEX).
/// dtypes:   y floats, indices integers.      grad: g at the indices.      cost: 1 per element.
inline Tensor max_unpool(const Operand &y, const Operand &indices, const Shape &size, ORRERY_CALLER)
{
    return detail::made(orr_max_unpool_at(file, line, y.get(), indices.get(), size), file, line);
}

/// The mean of each window. Padding counts as zeros, unless exclude_padding; elements beyond the padding (round_up) do
/// not count. Parameters, result and dtypes as orr_max_pool.
/// grad:     g, divided by the same counts, to all elements of each window.      cost: 2 per element of a window.
inline Tensor average_pool(const Operand &x, const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_average_pool_at(file, line, x.get(), o ? &*o : nullptr), file, line);
}

/// (Σ x^p)^(1/p) over each window, NaN for a negative sum; padding and elements beyond it count as zeros. p > 0. Parameters, result and
/// dtypes as orr_max_pool; no adaptive size. grad: by the formula; at a window of zeros with p > 1 it is NaN.
inline Tensor lp_pool(const Operand &x, double p, const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    return detail::made(orr_lp_pool_at(file, line, x.get(), p, o ? &*o : nullptr), file, line);
}

/// x with other lengths of its spatial axes, one axis after the other. Neighbours beyond the border are the elements at the
/// border.
/// @param x     (N, C, L), (N, C, H, W) or (N, C, D, H, W)
/// @param size  the lengths of the spatial axes, ≥ 1
/// @param align_corners  for ORR_RESIZE_LINEAR and ORR_RESIZE_CUBIC: the first and last elements stay where they are
/// @return   (N, C, …size), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   f16 bf16 f32 f64; f16 and bf16 are computed in f32 and rounded once.
/// grad:     the transposed sums.      cost: 2 per neighbour and element, for each axis.
/// effects:  lazy. Safe from any thread.
inline Tensor resize(const Operand &x, const Shape &size, orr_resize_mode mode, bool align_corners = false, ORRERY_CALLER)
{
    return detail::made(orr_resize_at(file, line, x.get(), size, mode, align_corners), file, line);
}

/// y = f(conv(x, w, b)): orr_conv_layer(3, 64, ORR_SHAPE(7, 7), &(orr_conv_options){ .stride = { 2, 2 } }, f, init).
/// @param in, out  channels, ≥ 1; the groups divide them
/// @param kernel   the lengths of the kernel's one, two or three spatial axes
/// @param o        options, copied; NULL: the defaults
/// @param weight   rule for w, whose fan_in is |kernel|·in/groups and fan_out |kernel|·out (transposed:
///                 of out/groups and in); the default rule is PyTorch's
/// @param bias     rule for b; ORR_INITIALISER_NONE: no bias
/// @return   a module, to be freed with orr_module_free; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, ORR_ESTATE.
/// dtypes:   f32.      parameters: "weight" (out, in/groups, …), "bias" (out).
inline Module conv_layer(int64_t in, int64_t out, const Shape &kernel, const std::optional<orr_conv_options> &o, orr_activation f, const orr_initialiser &weight, const orr_initialiser &bias, ORRERY_CALLER)
{
    auto r = orr_conv_layer_at(file, line, in, out, kernel, o ? &*o : nullptr, f, weight, bias);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// As orr_conv_layer with a transposed convolution. parameters: "weight" (in, out/groups, …), "bias" (out).
inline Module conv_transpose_layer(int64_t in, int64_t out, const Shape &kernel, const std::optional<orr_conv_options> &o, orr_activation f, const orr_initialiser &weight, const orr_initialiser &bias, ORRERY_CALLER)
{
    auto r = orr_conv_transpose_layer_at(file, line, in, out, kernel, o ? &*o : nullptr, f, weight, bias);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_max_pool as a module without parameters. The options are copied.
inline Module max_pool_layer(const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    auto r = orr_max_pool_layer_at(file, line, o ? &*o : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_average_pool as a module without parameters. The options are copied.
inline Module average_pool_layer(const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    auto r = orr_average_pool_layer_at(file, line, o ? &*o : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_lp_pool as a module without parameters. The options are copied. p > 0.
inline Module lp_pool_layer(double p, const std::optional<orr_pool_options> &o = {}, ORRERY_CALLER)
{
    auto r = orr_lp_pool_layer_at(file, line, p, o ? &*o : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_max_unpool to the lengths `size` as a module without parameters. inputs: y, indices.
inline Module max_unpool_layer(const Shape &size, ORRERY_CALLER)
{
    auto r = orr_max_unpool_layer_at(file, line, size);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_resize to the lengths `size` as a module without parameters.
inline Module resize_layer(const Shape &size, orr_resize_mode mode, bool align_corners = false, ORRERY_CALLER)
{
    auto r = orr_resize_layer_at(file, line, size, mode, align_corners);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// (N, …) to (N, the product of the others), as a module without parameters.
inline Module flatten_layer(ORRERY_CALLER)
{
    auto r = orr_flatten_layer_at(file, line);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// −weight[label]·logp[label] for each example. MEAN divides the sum by the sum of weight[label] of all examples that are
/// not ignored.
/// @param logp    (…, classes), logarithms of probabilities, a float dtype
/// @param labels  (…), integers 0 … classes−1
/// @param options NULL: all zero; label_smoothing is not used
/// @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL.
/// grad:     by logp and weight.
inline Tensor nll_loss(const Operand &logp, const Operand &labels, const std::optional<orr_class_options> &options = {}, ORRERY_CALLER)
{
    return detail::made(orr_nll_loss_at(file, line, logp.get(), labels.get(), options ? &*options : nullptr), file, line);
}

/// −Σ weight·t·log_softmax(logits) over the classes, for each example. t is one_hot(target), or `target` itself if it is a
/// float tensor of the shape of logits; with label smoothing s it is (1 − s)·t + s/classes. MEAN divides as orr_nll_loss,
/// or by the number of examples if the targets are probabilities.
/// @param logits  (…, classes), a float dtype    @param target  (…) integers, or (…, classes) floats
/// @param options NULL: all zero
/// @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL
///           (probabilities have no label to ignore).
/// grad:     by logits, target as probabilities, and weight.
inline Tensor cross_entropy_with(const Operand &logits, const Operand &target, const std::optional<orr_class_options> &options = {}, ORRERY_CALLER)
{
    return detail::made(orr_cross_entropy_with_at(file, line, logits.get(), target.get(), options ? &*options : nullptr), file, line);
}

/// weight·[(1 − y)·x + (1 + (positive − 1)·y)·softplus(−x)]: the binary cross-entropy of sigmoid(x), for x of any size.
/// @param x, y      one shape; y in [0, 1]
/// @param weight    broadcast to x; NULL: 1    @param positive  the factor of the positive term, broadcast to x; NULL: 1
/// Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL. grad: by all.
inline Tensor binary_cross_entropy_with_logits(const Operand &x, const Operand &y, const Operand &weight, const Operand &positive, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_binary_cross_entropy_with_logits_at(file, line, x.get(), y.get(), weight.get(), positive.get(), reduction), file, line);
}

/// (x − y)², with a reduction. x and y have one shape, or one of them is orr_scalar, here and below.
/// Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (no such reduction), here and below. grad: by x and y, here and below.
inline Tensor mse_loss(const Operand &x, const Operand &y, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_mse_loss_at(file, line, x.get(), y.get(), reduction), file, line);
}

/// |x − y|. The derivative at x = y is 0.
inline Tensor l1_loss(const Operand &x, const Operand &y, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_l1_loss_at(file, line, x.get(), y.get(), reduction), file, line);
}

/// d²/2 where d = |x − y| ≤ delta, else delta·(d − delta/2).
/// @param delta  > 0
inline Tensor huber_loss(const Operand &x, const Operand &y, double delta, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_huber_loss_at(file, line, x.get(), y.get(), delta, reduction), file, line);
}

/// t·(log t − logq): the Kullback-Leibler divergence of q from the target t; 0 where t is 0. logarithm: `target` holds
/// log t. The divergence of a batch is ORR_REDUCTION_BATCH_MEAN.
/// @param logq, target  one shape
inline Tensor kl_loss(const Operand &logq, const Operand &target, bool logarithm, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_kl_loss_at(file, line, logq.get(), target.get(), logarithm, reduction), file, line);
}

/// Σ x·y / (max(‖x‖, eps)·max(‖y‖, eps)) along the axis, which is removed. x and y broadcast.
/// Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EAXIS.
inline Tensor cosine_similarity(const Operand &x, const Operand &y, int axis, double eps, ORRERY_CALLER)
{
    return detail::made(orr_cosine_similarity_at(file, line, x.get(), y.get(), axis, eps), file, line);
}

/// 1 − c where y > 0, else max(0, c − margin), with c = Σ a·b / √((Σ a² + ε)(Σ b² + ε)) along the last axis and ε = 1e-12.
/// @param a, b  (…, n)    @param y  (…), 1 for similar pairs and −1 for others; any dtype that has a sign
inline Tensor cosine_loss(const Operand &a, const Operand &b, const Operand &y, double margin, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_cosine_loss_at(file, line, a.get(), b.get(), y.get(), margin, reduction), file, line);
}

/// max(0, margin − y·x): the hinge of a linear classifier.
/// @param x, y  one shape; y is 1 or −1
inline Tensor hinge_loss(const Operand &x, const Operand &y, double margin, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_hinge_loss_at(file, line, x.get(), y.get(), margin, reduction), file, line);
}

/// x where y > 0, else max(0, margin − x): x is the distance of a pair that is similar (y = 1) or not (y = −1).
inline Tensor hinge_embedding_loss(const Operand &x, const Operand &y, double margin, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_hinge_embedding_loss_at(file, line, x.get(), y.get(), margin, reduction), file, line);
}

/// −log of the probability of a label sequence, summed over all alignments that collapse to it (connectionist temporal
/// classification; A. Graves et al., ICML 2006). MEAN divides each loss by the length of its target, at least 1, first.
/// @param logp            (time, batch, classes), logarithms of probabilities; f32 or f64
/// @param targets         (batch, longest), integers other than `blank`; elements beyond a target's length are not read
/// @param input_lengths   (batch), integers 0 … time     @param target_lengths  (batch), integers 0 … longest
/// @param blank           the class that stands for no label
/// @param zero_infinity   true: loss and gradient of a target without any alignment are 0; false: its loss is inf
/// @return   () or (batch). Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL; ORR_EINDEX (by evaluation: a length or a label is out
///           of range).
/// grad:     by logp, once; a second derivative is refused. cost: time·longest a sequence.
inline Tensor ctc_loss(const Operand &logp, const Operand &targets, const Operand &input_lengths, const Operand &target_lengths, int64_t blank, bool zero_infinity, orr_reduction reduction, ORRERY_CALLER)
{
    return detail::made(orr_ctc_loss_at(file, line, logp.get(), targets.get(), input_lengths.get(), target_lengths.get(), blank, zero_infinity, reduction), file, line);
}

/// (x − mean)/√(var + eps)·weight + bias, with mean and biased variance over the last `axes` axes of each example.
/// @param axes          1 … rank of x    @param weight, bias  of the shape of these axes
inline Tensor layer_norm(const Operand &x, int axes, const Operand &weight, const Operand &bias, double eps, ORRERY_CALLER)
{
    return detail::made(orr_layer_norm_at(file, line, x.get(), axes, weight.get(), bias.get(), eps), file, line);
}

/// x/√(mean(x²) + eps)·weight over the last `axes` axes (B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization",
/// 2019). Otherwise as orr_layer_norm.
inline Tensor rms_norm(const Operand &x, int axes, const Operand &weight, double eps, ORRERY_CALLER)
{
    return detail::made(orr_rms_norm_at(file, line, x.get(), axes, weight.get(), eps), file, line);
}

/// As orr_layer_norm over each of `groups` groups of neighbouring channels and all places of an example.
/// @param x       (batch, channels, …)    @param groups  divides the channels    @param weight, bias  (channels)
inline Tensor group_norm(const Operand &x, int64_t groups, const Operand &weight, const Operand &bias, double eps, ORRERY_CALLER)
{
    return detail::made(orr_group_norm_at(file, line, x.get(), groups, weight.get(), bias.get(), eps), file, line);
}

/// As orr_group_norm with a group for each channel.
inline Tensor instance_norm(const Operand &x, const Operand &weight, const Operand &bias, double eps, ORRERY_CALLER)
{
    return detail::made(orr_instance_norm_at(file, line, x.get(), weight.get(), bias.get(), eps), file, line);
}

/// (x − mean)/√(var + eps)·weight + bias for each channel, with given statistics: inference.
/// @param x  (batch, channels, …)    @param mean, var, weight, bias  (channels); mean and var are not NULL
inline Tensor batch_norm(const Operand &x, const Operand &mean, const Operand &var, const Operand &weight, const Operand &bias, double eps, ORRERY_CALLER)
{
    return detail::made(orr_batch_norm_at(file, line, x.get(), mean.get(), var.get(), weight.get(), bias.get(), eps), file, line);
}

/// As orr_batch_norm with the mean and the biased variance of the batch: training.
/// @param mean, var  set to the batch's mean and unbiased variance, detached, for running statistics; NULL: not set
/// errors:   ORR_ESHAPE (a channel has fewer than two values).
inline Tensor batch_norm_training(const Operand &x, const Operand &weight, const Operand &bias, double eps, Tensor *mean = nullptr, Tensor *var = nullptr, ORRERY_CALLER)
{
    orr_tensor *c_mean = nullptr;
    orr_tensor *c_var = nullptr;
    auto r = orr_batch_norm_training_at(file, line, x.get(), weight.get(), bias.get(), eps, mean ? &c_mean : nullptr, var ? &c_var : nullptr);
    detail::put(mean, c_mean);
    detail::put(var, c_var);
    return detail::made(r, file, line);
}

/// x/(k + alpha·a)^beta, where a is the mean of x² over `size` neighbouring channels, with zeros beyond the first and
/// the last (A. Krizhevsky et al., 2012, with PyTorch's mean for their sum).
/// @param x  (batch, channels, …)    @param size  ≥ 1
inline Tensor local_response_norm(const Operand &x, int64_t size, double alpha, double beta, double k, ORRERY_CALLER)
{
    return detail::made(orr_local_response_norm_at(file, line, x.get(), size, alpha, beta, k), file, line);
}

/// x/(1 − p) where a random number of this thread's next stream is ≥ p, else 0. Fused with its neighbours; the same numbers
/// on every device and in the gradient.
/// @param p  in [0, 1]; 0: x
inline Tensor dropout(const Operand &x, double p, ORRERY_CALLER)
{
    return detail::made(orr_dropout_at(file, line, x.get(), p), file, line);
}

/// The rows of `table` selected by the indices.
/// @param table    (rows, width)    @param indices  any shape, integers 0 … rows−1; negative ones count from the end, as of
///                 orr_take
/// @param padding  the row that gets no gradient; −1: none
/// @return   the shape of indices with a last axis of `width`, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE,
///           ORR_EINVAL; an index out of range is found by evaluation (ORR_EINDEX).
/// grad:     by table: the sum of g for each row.      effects: lazy. Safe from any thread.
inline Tensor embedding(const Operand &table, const Operand &indices, int64_t padding, ORRERY_CALLER)
{
    return detail::made(orr_embedding_at(file, line, table.get(), indices.get(), padding), file, line);
}

/// Sines in the even columns, cosines in the odd ones: sin(t·10000^(−2i/width)) in column 2i (A. Vaswani et al., "Attention
/// Is All You Need", 2017). Add it to the embeddings.
/// @param first   the position of row 0    @param width  even
/// @return   (length, width) of `dtype`, a float dtype, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
inline Tensor sinusoidal_positions(orr_dtype dtype, int64_t first, int64_t length, int64_t width, ORRERY_CALLER)
{
    return detail::made(orr_sinusoidal_positions_at(file, line, dtype, first, length, width), file, line);
}

/// Each pair of columns (a, b) of row t rotated by the angle (first + t)·base^(−2i/width) of pair i: (a·cos − b·sin,
/// a·sin + b·cos) (J. Su et al., "RoFormer", 2021). Queries and keys are rotated in the same way.
/// @param x       (…, length, width), width even, a float dtype    @param first  the position of row 0
/// @param base    10000 in the paper
/// @param paired  true: pairs are neighbours (2i, 2i + 1), as in the paper; false: (i, i + width/2), as in GPT-NeoX and
///                Llama
/// @return   like x, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
/// grad:     g rotated back.
inline Tensor rotary(const Operand &x, int64_t first, double base, bool paired = false, ORRERY_CALLER)
{
    return detail::made(orr_rotary_at(file, line, x.get(), first, base, paired), file, line);
}

/// −slope·(i − j), to be added to the scores of query i and key j: attention with linear biases (O. Press et al., 2021).
/// For a power of 2, the slopes are 2^(−8(h+1)/heads); else those of the next lower power and every other one of the next
/// higher. The last query is at the place of the last key.
/// @return   (heads, queries, keys) of `dtype`, a float dtype; poison on ORR_ESHAPE, ORR_EDTYPE.
inline Tensor alibi(orr_dtype dtype, int64_t heads, int64_t queries, int64_t keys, ORRERY_CALLER)
{
    return detail::made(orr_alibi_at(file, line, dtype, heads, queries, keys), file, line);
}

/// softmax(scale·q·kᵀ + mask)·v for each head. Memory grows with the length, not with its square, forward and backward: one
/// tile of the scores is in memory at a time, and the gradient computes them again (T. Dao et al., "FlashAttention", 2022).
/// @param q     (…, heads, queries, width)
/// @param k, v  (…, kv heads, keys, width) and (…, kv heads, keys, value); kv heads divide heads: neighbouring heads of q share
///              one of k and v
/// @param mask  broadcast to (…, heads, queries, keys): bool, true where a key is seen, or a float that is added; NULL: none
/// @param options  NULL: all zero
/// @return   (…, heads, queries, value), owned by the current scope; 0 for a query that sees no key; poison on ORR_ESHAPE,
///           ORR_EDTYPE, ORR_EINVAL.
/// dtypes:   floats, promoted; f16 and bf16 are computed in f32 and rounded once. On CUDA's tensor cores the weights are
///           rounded to the dtype, too, before they multiply v.
/// grad:     by q, k, v in tiles; by the mask, and second derivatives, with all scores in memory.
/// cost:     2·queries·keys·(width + value) flop a head; 2.5 times as much backward. On the CPU.
/// effects:  lazy. Safe from any thread.
inline Tensor attention(const Operand &q, const Operand &k, const Operand &v, const Operand &mask = {}, const std::optional<orr_attention_options> &options = {}, ORRERY_CALLER)
{
    return detail::made(orr_attention_at(file, line, q.get(), k.get(), v.get(), mask.get(), options ? &*options : nullptr), file, line);
}

/// orr_layer_norm over the last axes, whose shape is `shape`. parameters: "weight", "bias". options NULL: all zero.
inline Module layer_norm_layer(const Shape &shape, const std::optional<orr_norm_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_layer_norm_layer_at(file, line, shape, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_rms_norm over the last axes, whose shape is `shape`. parameters: "weight".
inline Module rms_norm_layer(const Shape &shape, const std::optional<orr_norm_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_rms_norm_layer_at(file, line, shape, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_group_norm of `channels`. parameters: "weight", "bias".
inline Module group_norm_layer(int64_t channels, int64_t groups, const std::optional<orr_norm_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_group_norm_layer_at(file, line, channels, groups, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_instance_norm of `channels`. parameters: "weight", "bias".
inline Module instance_norm_layer(int64_t channels, const std::optional<orr_norm_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_instance_norm_layer_at(file, line, channels, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_local_response_norm over `size` ≥ 1 neighbouring channels, without parameters.
inline Module local_response_norm_layer(int64_t size, double alpha, double beta, double k, ORRERY_CALLER)
{
    auto r = orr_local_response_norm_layer_at(file, line, size, alpha, beta, k);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_batch_norm_training in training mode, with an update of the running statistics; in inference orr_batch_norm with
/// these.
/// parameters: "weight", "bias"; states: "running_mean", "running_var", which an evaluation after the application assigns.
inline Module batch_norm_layer(int64_t channels, const std::optional<orr_norm_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_batch_norm_layer_at(file, line, channels, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_dropout in training mode, x in inference. p in [0, 1].
inline Module dropout_layer(double p, ORRERY_CALLER)
{
    auto r = orr_dropout_layer_at(file, line, p);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// orr_embedding with a table of `rows` rows from N(0, 1); the row `padding` is 0 and stays 0; −1: none.
/// parameters: "weight".
inline Module embedding_layer(int64_t rows, int64_t width, int64_t padding, ORRERY_CALLER)
{
    auto r = orr_embedding_layer_at(file, line, rows, width, padding);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// x + orr_sinusoidal_positions of its last two axes (…, length, width), width even, without parameters. With a cache,
/// positions continue from the length of the cache.
inline Module sinusoidal_layer(ORRERY_CALLER)
{
    auto r = orr_sinusoidal_layer_at(file, line);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// Attention of several heads between dense layers: y = output(heads of attention(query(q), key(k), value(v))).
/// inputs: orr_forward: x (batch, length, width), self-attention; orr_forward_all: q, k, v and a mask, where k NULL means q,
/// v NULL means k, and mask NULL means none.
/// @param heads  divides width
/// parameters: "query.weight", "query.bias", "key.weight" …, "value.weight" …, "output.weight" …
inline Module multi_head_attention(int64_t width, int64_t heads, const std::optional<orr_heads_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_multi_head_attention_at(file, line, width, heads, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// A block of a transformer's encoder, or with options->causal of a decoder without memory: self-attention and two dense
/// layers, width → hidden → width, each added to its input and normalised.
/// inputs: x (batch, length, width), and a mask or NULL.
/// parameters: "attention.query.weight" …, "norm1.weight" …, "expand.weight" …, "contract.weight" …, "norm2.weight" …
inline Module encoder_block(int64_t width, int64_t heads, int64_t hidden, const std::optional<orr_heads_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_encoder_block_at(file, line, width, heads, hidden, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// A block of a transformer's decoder: causal self-attention, attention to a memory, two dense layers, each added to its
/// input and normalised.
/// inputs: x (batch, length, width), memory (batch, other length, width), a mask of x, a mask of the memory, each or NULL.
/// parameters: "attention…", "norm1…", "memory.query.weight" …, "norm2…", "expand…", "contract…", "norm3…"
inline Module decoder_block(int64_t width, int64_t heads, int64_t hidden, const std::optional<orr_heads_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_decoder_block_at(file, line, width, heads, hidden, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// An empty cache for `batch` sequences of up to `capacity` places of the module m, which must outlive it. m takes one input,
/// and each of its results must depend on its own place or on earlier ones through self-attention. Of the layers of this
/// library these are: dense layers, activations, dropout, embeddings, sinusoidal positions, orr_layer_norm_layer and
/// orr_rms_norm_layer of one axis, attention and encoder blocks with .causal, and orr_sequential and orr_residual of these.
/// All others are refused. A module or function of the program's own, with its parts, is taken on trust: if it mixes places
/// (by a convolution, a recurrence without its states, a mean), the results are wrong; self-attention in it that is not
/// causal is refused when it is applied. A decoder's block takes a memory too, so it is refused unless it is part of a module
/// of the program's own that applies it to its input and the memory: orr_forward_all(block, ORR_TENSORS(x, memory)).
/// @return   to be freed with orr_kv_cache_free; NULL on ORR_EINVAL (also a layer that is refused), ORR_ESHAPE, ORR_ENOMEM.
inline KvCache kv_cache_new(const Module &m, int64_t batch, int64_t capacity, ORRERY_CALLER)
{
    auto r = orr_kv_cache_new_at(file, line, m.get(), batch, capacity);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return KvCache(r);
}

/// Applies the cache's module to the next n places, x (batch, n, …), in inference mode: self-attention also sees the places in
/// the cache, and the new places are added to it. Every call with the same n has the same plan.
/// errors:   as orr_forward; ORR_ESHAPE (another batch, more places than are left), ORR_EINVAL (the module trains).
inline Tensor forward_cached(KvCache &cache, const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_forward_cached_at(file, line, cache.get(), x.get()), file, line);
}

/// Returns the number of places in the cache: the position of the next one; 0 for NULL.
inline int64_t kv_cache_length(const KvCache &cache)
{
    auto r = orr_kv_cache_length(cache.get());
    return r;
}

/// Empties the cache.
inline void kv_cache_clear(KvCache &cache)
{
    orr_kv_cache_clear(cache.get());
}

/// carry, y[t] = fn(carry, x[t]) for t = 0, 1, … Unrolled, the steps are recorded one after another: lazy, with gradients
/// through time, and equal scans share one plan.
/// @param options  NULL: all zero
/// errors:   ORR_EINVAL (a list or fn is NULL, there is no step), ORR_ESHAPE, ORR_EDTYPE (lengths differ; a carry changes), and
///           for a loop those of orr_graph_build and orr_graph_submit; then every carry and y is poison. Owned by the current
///           scope.
/// threads:  safe from any thread.
template <class F>
inline orr_status scan(F &fn, const std::optional<orr_scan_lists> &lists = {}, const std::optional<orr_scan_options> &options = {}, ORRERY_CALLER)
{
    void *user = &fn;
    const orr_status status = orr_scan_at(file, line, [](orr_tensor **p0, orr_tensor *const *p1, orr_tensor **p2, void *u) -> void {
        return detail::called<void>(*static_cast<F *>(u), p0, p1, p2);
    }, lists ? &*lists : nullptr, user, options ? &*options : nullptr);
    detail::passed();
    return detail::check(status, file, line);
}

/// A recurrent layer: (batch, steps, in) → (batch, steps, hidden), or 2·hidden with two directions.
/// inputs: x, and the lengths of the sequences (batch), integers, or NULL. From its length on the outputs of a sequence are 0 and
/// its state stays. A length beyond the steps means all steps, and one below 0 means 0: neither is an error.
/// parameters, of layer l and direction "" or "_reverse": "l0.input" (in, gates·hidden), "l0.hidden" (hidden, gates·hidden),
/// "l0.input_bias", "l0.hidden_bias", from U(−1/√hidden, 1/√hidden): the transposes of PyTorch's.
inline Module recurrent(orr_cell cell, int64_t in, int64_t hidden, const std::optional<orr_recurrent_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_recurrent_at(file, line, cell, in, hidden, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Module(r);
}

/// Applies a recurrent layer with its states.
/// @param lengths  as above, or NULL
/// @param state    {h}, or for an LSTM {h, c}, each (layers·directions, batch, hidden): the first states, NULL for zeros; replaced
///                 by the last ones. state NULL: zeros, and the last states are not needed
/// @return   as orr_forward.
inline Tensor recurrent_forward(const Module &m, const Operand &x, const Operand &lengths = {}, Tensor *state = nullptr, ORRERY_CALLER)
{
    orr_tensor *c_state = nullptr;
    auto r = orr_recurrent_forward_at(file, line, m.get(), x.get(), lengths.get(), state ? &c_state : nullptr);
    detail::put(state, c_state);
    return detail::made(r, file, line);
}

/// Returns the learning rate of step t: orr_optim_set_lr(o, orr_schedule_lr(&s, orr_optim_steps(o))). NaN for an unknown rule,
/// or if the rule needs `steps` or `every` and that is below 1.
inline double schedule_lr(const std::optional<orr_schedule> &s, int64_t t)
{
    auto r = orr_schedule_lr(s ? &*s : nullptr, t);
    return r;
}

/// Reads the next loss and returns the new learning rate: lr, or factor·lr. A NaN is no better.
inline double plateau_lr(orr_plateau &p, double lr, double loss)
{
    auto r = orr_plateau_lr(&p, lr, loss);
    return r;
}

/// Reads the next loss; true: stop, since more than `patience` values were no better.
inline bool early_stop_update(orr_early_stop &e, double loss)
{
    auto r = orr_early_stop_update(&e, loss);
    return r;
}

/// Mixed precision: from now on the products of this thread's dense layers have operands in `dtype`, f16 or bf16, and
/// results in f32. Parameters, statistics, losses and optimisers stay in f32. ORR_F32: off.
/// @return   the dtype before; ORR_F32 at first. Another dtype changes nothing (ORR_EDTYPE is the last error).
inline orr_dtype autocast(orr_dtype dtype, ORRERY_CALLER)
{
    auto r = orr_autocast_at(file, line, dtype);
    return r;
}

/// One step down the gradient of scale·loss, divided by the scale. If every gradient is finite, the step is as orr_optim_step;
/// otherwise no variable changes, the step does not count, and the scale is halved. Evaluates the gradients for this check.
/// @param stepped  set to whether a step was made; NULL: not needed
/// errors:   as orr_optim_step, and those of orr_eval.
inline orr_status optim_step_scaled(Optim &o, const Operand &loss, orr_loss_scale &scale, bool *stepped = nullptr, ORRERY_CALLER)
{
    return detail::check(orr_optim_step_scaled_at(file, line, o.get(), loss.get(), &scale, stepped), file, line);
}

/// orr_forward(m, x) whose gradient computes the intermediate values again instead of keeping them, which trades time for memory
/// (T. Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016). The same random numbers are drawn again, and running
/// statistics are updated once.
/// @param m  must outlive the gradients recorded through it; a function of the program's own must be pure
/// @return   as orr_forward.
/// grad:     by x and by the parameters of m, also second derivatives. Record it before a parameter is assigned.
inline Tensor recompute(const Module &m, const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_recompute_at(file, line, m.get(), x.get()), file, line);
}

/// An average that starts at the present values.
/// @param decay  in [0, 1)
/// @return   to be freed with orr_average_free; the module must outlive it; NULL on ORR_EINVAL, ORR_ENOMEM.
inline Average average_new(const Module &m, double decay, ORRERY_CALLER)
{
    auto r = orr_average_new_at(file, line, m.get(), decay);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Average(r);
}

/// average = decay·average + (1 − decay)·parameter, for all of them. Lazy, as orr_assign.
inline orr_status average_update(Average &a, ORRERY_CALLER)
{
    return detail::check(orr_average_update_at(file, line, a.get()), file, line);
}

/// Exchanges averages and parameters. Call it before an evaluation of the network, and again after it.
inline orr_status average_swap(Average &a, ORRERY_CALLER)
{
    return detail::check(orr_average_swap_at(file, line, a.get()), file, line);
}

/// Number of this process among the ranks, from 0; 0 without a launcher, and outside orr_init … orr_shutdown. Thread-safe.
inline int rank()
{
    auto r = orr_rank();
    return r;
}

/// Number of ranks; 1 without a launcher, and outside orr_init … orr_shutdown. Thread-safe.
inline int ranks()
{
    auto r = orr_ranks();
    return r;
}

/// Waits until every rank has called this function. Collective: all ranks call it, from one thread each.
/// errors:   ORR_ERANK when a rank has failed, ORR_ESTATE before orr_init.
inline orr_status barrier(ORRERY_CALLER)
{
    return detail::check(orr_barrier_at(file, line), file, line);
}

/// A grid whose extents multiply to orr_ranks().
/// @param extent  [axes] numbers ≥ 1; one of them may be −1: all remaining ranks
/// @return   to be freed with orr_grid_free; grids of the same extents are the same pointer. NULL on ORR_EINVAL, ORR_ENOMEM.
/// Local: nothing is sent. Thread-safe.
inline Grid grid_make(const View<const int64_t> &extent, ORRERY_CALLER)
{
    auto r = orr_grid_make_at(file, line, static_cast<int>(extent.size()), extent.data());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Grid(r);
}

/// This rank's place along an axis; −1 for an axis that the grid lacks or NULL.
inline int64_t grid_place(const Grid &g, int axis)
{
    auto r = orr_grid_place(g.get(), axis);
    return r;
}

/// t, cut into blocks along axes of a process grid.
/// @param axes  element g: the axis of t that is cut along axis g of the grid, or ORR_WHOLE; missing elements are ORR_WHOLE.
///              Negative axes count from the last. An axis of length n over p ranks: rank r has ⌈n/p⌉ places from r·⌈n/p⌉ on; the
///              last ranks may have fewer, or none.
/// @return   a tensor of the same shape, dtype and value, owned by the current scope; t itself on a grid of one rank. Poison on
///           ORR_EINVAL, ORR_EAXIS.
/// grad:     g.    effects: lazy; a replicated tensor is cut without a message. Safe from any thread.
inline Tensor shard(const Operand &t, Grid &grid, const Axes &axes = {}, ORRERY_CALLER)
{
    return detail::made(orr_shard_at(file, line, t.get(), grid.get(), axes), file, line);
}

/// As orr_shard, in blocks of a given length that are dealt to the ranks in turn: place i of an axis over p ranks is on rank
/// (i / block) mod p.
/// @param blocks  one for each of the axes; 0: ⌈n/p⌉, as in orr_shard
inline Tensor shard_cyclic(const Operand &t, Grid &grid, const Axes &axes, const Index &blocks, ORRERY_CALLER)
{
    return detail::made(orr_shard_cyclic_at(file, line, t.get(), grid.get(), axes, blocks), file, line);
}

/// t with its whole value on every rank. grad: g. effects: lazy. Safe from any thread.
inline Tensor replicate(const Operand &t, ORRERY_CALLER)
{
    return detail::made(orr_replicate_at(file, line, t.get()), file, line);
}

/// t in the distribution of `like`, which has the same shape and is not computed for this. grad: g by t. Poison on
/// ORR_ESHAPE.
/// effects: lazy. Safe from any thread.
inline Tensor redistribute(const Operand &t, const Operand &like, ORRERY_CALLER)
{
    return detail::made(orr_redistribute_at(file, line, t.get(), like.get()), file, line);
}

/// Returns the distribution of the value of t: "replicated", or "axis 0 over 4 ranks in blocks of 25". For a tensor without a
/// value: the distribution that orr_shard requested, else "not evaluated". Valid until the thread's next call of it. Never NULL.
inline std::string distribution(const Operand &t)
{
    auto r = orr_distribution(t.get());
    return r ? r : "";
}

/// A loader of n arrays with the same number of examples along axis 0: images and labels. They are evaluated, and kept until the
/// loader is freed. Crop and flip depend on seed, epoch and example alone, so runs are reproducible whatever the timing.
/// @return   to be freed with orr_loader_free, before orr_shutdown; NULL on ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and the errors of
///           orr_eval.
inline Loader loader_new(const List &arrays, const std::optional<orr_loader_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_loader_new_at(file, line, arrays.data(), static_cast<int>(arrays.size()), options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Loader(r);
}

/// A loader of the PNG and JPEG files in the subfolders of `path`: batch[0] is u8 (batch, channels, height, width), batch[1] i64
/// (batch), the numbers of the subfolders, which are sorted by name. The files (.png, .jpg, .jpeg) are listed now, and read on the
/// loader's thread in each epoch, so that memory holds only a few batches.
/// @param channels  1: colours are converted to luma (ITU-R BT.601); 3: grey becomes three equal colours; alpha is left out
/// @param height, width  images of other sizes are resized (orr_resize, linear)
/// @return   as orr_loader_new; also ORR_EIO (a folder cannot be read), ORR_EINVAL (there are no images). A file that cannot be read
///           is an error of the orr_loader_next whose batch needs it; the next call continues after that batch.
inline Loader loader_of_folder(const std::string &path, int64_t channels, int64_t height, int64_t width, const std::optional<orr_loader_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_loader_of_folder_at(file, line, path.c_str(), channels, height, width, options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Loader(r);
}

/// Returns the number of subfolders; 0 for a loader of arrays, and for NULL.
inline int loader_classes(const Loader &l)
{
    auto r = orr_loader_classes(l.get());
    return r;
}

/// Returns the name of subfolder k, borrowed; NULL where there is none.
inline std::string loader_class(const Loader &l, int k)
{
    auto r = orr_loader_class(l.get(), k);
    return r ? r : "";
}

/// Returns the number of tensors of a batch; 0 for NULL.
inline int loader_arrays(const Loader &l)
{
    auto r = orr_loader_arrays(l.get());
    return r;
}

/// Sets batch[0 … n−1] to the next examples of each array, owned by the current scope.
/// @param batch  [orr_loader_arrays(l)] tensors
/// @return   their number; 0 at the end of an epoch, after which the next one begins; −1 on ORR_ENOMEM, ORR_EINVAL (NULL), and
///           for a folder on the errors of orr_load_image.
inline std::tuple<int64_t, std::vector<Tensor>> loader_next(Loader &l, ORRERY_CALLER)
{
    std::vector<orr_tensor *> c_batch(detail::count(orr_loader_arrays(l.get())));
    auto r = orr_loader_next_at(file, line, l.get(), c_batch.data());
    int64_t v0 = r;
    std::vector<Tensor> v1 = detail::adopted(c_batch);
    return { v0, std::move(v1) };
}

/// Returns the number of batches of an epoch; 0 for NULL.
inline int64_t loader_batches(const Loader &l)
{
    auto r = orr_loader_batches(l.get());
    return r;
}

/// Plans the evaluation of t[0 … n) and this thread's pending assignments as orr_eval does, and runs nothing. The plan is kept for the
/// evaluation. Values that exist already need nothing.
/// errors:   those of orr_eval, except for memory and values; ORR_EINVAL (NULL, n < 1). Safe from any thread.
inline orr_status plan_memory(const List &t, orr_memory_plan &out, ORRERY_CALLER)
{
    return detail::check(orr_plan_memory_at(file, line, t.data(), static_cast<int>(t.size()), &out), file, line);
}

/// Finds the largest batch in [1, most] that fits into `bytes` of memory, and the fastest. It plans batches by doubling and bisection,
/// and runs those whose predicted time per sample is at most twice the least, in three rounds or more after a warm-up; of batches with a
/// predicted time of half a second or more only the first. Among batches within 2 % of the least time per sample the smallest wins.
/// @param fn     called with batch sizes, each in a scope of its own
/// @param bytes  limit of orr_memory_plan.most; 0: the rest of ORRERY_MEMORY_LIMIT, or half of the machine's memory
/// errors:   ORR_EINVAL (NULL, most < 1), ORR_ENOMEM (a batch of 1 does not fit: the message has the bytes), those of fn and orr_eval.
template <class F>
inline orr_status optimal_batch(F &fn, int64_t most, int64_t bytes, orr_batch_choice &out, ORRERY_CALLER)
{
    void *user = &fn;
    const orr_status status = orr_optimal_batch_at(file, line, [](int64_t p0, orr_tensor **p1, int p2, void *u) -> int {
        return detail::called<int>(*static_cast<F *>(u), p0, p1, p2);
    }, user, most, bytes, &out);
    detail::passed();
    return detail::check(status, file, line);
}

/// Assigns n parts to m devices within the devices' memory, by branch and bound. A transfer between devices a and b takes the larger
/// latency plus the bytes at the rate of the slower link. Bounds come from paths without memory limits, and from Lagrangian prices of
/// memory (M. L. Fisher, "The Lagrangian relaxation method for solving integer programming problems", 1981).
/// @param contiguous  each device gets one run of neighbouring parts
/// @param device  [m] devices
/// @param device_of  [n] numbers: receives the device of each part
/// errors:   ORR_EINVAL (NULL, n or m out of 1 … 1024 and 1 … 64, a number that makes no sense), ORR_ENOMEM (no placement exists:
///           the message names the violated limit). After 20 million nodes the best placement so far is returned; `bound` then
///           limits its distance from the optimum.
inline std::vector<int> place(const View<const orr_shard> &shard, const View<const orr_place_device> &device, bool contiguous, orr_place_goal goal, orr_placement &out, ORRERY_CALLER)
{
    std::vector<int> c_device_of(shard.size());
    const orr_status status = orr_place_at(file, line, shard.data(), static_cast<int>(shard.size()), device.data(), static_cast<int>(device.size()), contiguous, goal, c_device_of.data(), &out);
    std::vector<int> v0 = std::move(c_device_of);
    (void)detail::check(status, file, line);
    return v0;
}

/// Prepares a module and its optimiser for batches that are distributed over the ranks (orr_loader_options.grid, or orr_shard).
/// All ranks get the parameters and states of the module of rank 0; the state of the optimiser is distributed as `options` say. Then
/// the program trains as one process does: the graph is that of the global batch, so a mean over axis 0 is that of the global batch,
/// and batch normalisation takes its statistics from it. Gradients are sums over the ranks, reduced in buckets. orr_optim_accumulate
/// and orr_optim_step_accumulated work as in one process. So do checkpoints: rank 0 writes them, and a run with any number of ranks
/// may continue from them. ORRERY_DETERMINISTIC=1 gives the same bits in every run with the same number of ranks.
/// Collective: all ranks call it, after creating both and before loading a checkpoint. On one rank nothing happens.
/// @param options  NULL: all zero
/// errors:   ORR_EINVAL (NULL), ORR_ERANK (the ranks have different options, or a rank has failed), ORR_ENOMEM, and those of orr_eval.
inline orr_status data_parallel(Module &m, Optim &o, const std::optional<orr_data_parallel_options> &options = {}, ORRERY_CALLER)
{
    return detail::check(orr_data_parallel_at(file, line, m.get(), o.get(), options ? &*options : nullptr), file, line);
}

/// Rényi divergence of order alpha of one use of m, as an upper bound over both neighbours.
/// Gaussian, q = 1: α/(2σ²); q < 1: log E[((1−q) + q·e^((2z−1)/(2σ²)))^α]/(α−1), z ~ N(0, σ²): a sum for integer α, an integral of positive
/// terms for others. Laplace, q = 1: Mironov 2017, table II. Pure, and Laplace at q < 1 by amplification: the divergence of randomised
/// response, which is an upper bound.
/// @param alpha  > 1, finite        Errors: ORR_EINVAL.      Thread-safe; so are all functions up to budgets.
inline double dp_rdp(const orr_dp_mechanism &m, double alpha, ORRERY_CALLER)
{
    double c_rdp{};
    const orr_status status = orr_dp_rdp_at(file, line, m, alpha, &c_rdp);
    double v0 = c_rdp;
    (void)detail::check(status, file, line);
    return v0;
}

/// The orders that ORR_DP_RDP uses, those of Opacus: 1.1, 1.2, … 10.9, 12, 13, … 63. Writes up to `max`; returns 151.
inline std::vector<double> dp_orders()
{
    int count = orr_dp_orders(nullptr, 0);
    std::vector<double> all(count > 0 ? static_cast<size_t>(count) : 0);
    count = orr_dp_orders(all.data(), static_cast<int>(all.size()));
    if (count >= 0 && static_cast<size_t>(count) < all.size())
        all.resize(static_cast<size_t>(count));
    return all;
}

/// ε at δ of a mechanism whose divergence of order orders[i] is rdp[i]: the least over i of
/// rdp − (log δ + log α)/(α−1) + log((α−1)/α), and at least 0 (Balle et al. 2020, theorem 21; Canonne, Kamath, Steinke 2020).
/// @param order  receives the order of the least, or NULL      Errors: ORR_EINVAL (an order ≤ 1, δ not in (0, 1), n < 1,
///               NULL, NaN).
inline double dp_rdp_epsilon(const View<const double> &orders, const View<const double> &rdp, double delta, double *order = nullptr, ORRERY_CALLER)
{
    double c_epsilon{};
    const orr_status status = orr_dp_rdp_epsilon_at(file, line, orders.data(), rdp.data(), detail::same<int>(orders.size(), rdp.size()), delta, &c_epsilon, order);
    double v0 = c_epsilon;
    (void)detail::check(status, file, line);
    return v0;
}

/// ε at δ of `times` successive uses of m, each of which may depend on earlier results.
/// @param times  ≥ 0      Errors: ORR_EINVAL, ORR_ENOMEM (ORR_DP_PLD).
inline double dp_epsilon(orr_dp_accountant how, const orr_dp_mechanism &m, int64_t times, double delta, ORRERY_CALLER)
{
    double c_epsilon{};
    const orr_status status = orr_dp_epsilon_at(file, line, how, m, times, delta, &c_epsilon);
    double v0 = c_epsilon;
    (void)detail::check(status, file, line);
    return v0;
}

/// δ at ε ≥ 0 of `times` uses of m, by ORR_DP_PLD. Otherwise as orr_dp_epsilon.
inline double dp_delta(const orr_dp_mechanism &m, int64_t times, double epsilon, ORRERY_CALLER)
{
    double c_delta{};
    const orr_status status = orr_dp_delta_at(file, line, m, times, epsilon, &c_delta);
    double v0 = c_delta;
    (void)detail::check(status, file, line);
    return v0;
}

/// The least noise with which `times` uses of (kind, noise, q) stay within ε at δ, up to 1e-4 of it and never below.
/// ORR_DP_PURE: the largest ε of one use instead.
/// Errors: ORR_EINVAL (also if no noise up to 1e6 is enough, or 1e-2 is more than enough), ORR_ENOMEM.
inline double dp_find_noise(orr_dp_accountant how, orr_dp_kind kind, double q, int64_t times, double epsilon, double delta, ORRERY_CALLER)
{
    double c_noise{};
    const orr_status status = orr_dp_find_noise_at(file, line, how, kind, q, times, epsilon, delta, &c_noise);
    double v0 = c_noise;
    (void)detail::check(status, file, line);
    return v0;
}

/// δ of one Gaussian mechanism at ε, exactly: Φ(1/(2σ) − εσ) − e^ε·Φ(−1/(2σ) − εσ) (Balle, Wang 2018). k uses with σ are
/// equivalent to one with σ/√k. Errors: ORR_EINVAL.
inline double dp_gaussian_delta(double sigma, double epsilon, ORRERY_CALLER)
{
    double c_delta{};
    const orr_status status = orr_dp_gaussian_delta_at(file, line, sigma, epsilon, &c_delta);
    double v0 = c_delta;
    (void)detail::check(status, file, line);
    return v0;
}

/// The ε at which orr_dp_gaussian_delta is δ; 0 if the value at ε = 0 is below δ already.
inline double dp_gaussian_epsilon(double sigma, double delta, ORRERY_CALLER)
{
    double c_epsilon{};
    const orr_status status = orr_dp_gaussian_epsilon_at(file, line, sigma, delta, &c_epsilon);
    double v0 = c_epsilon;
    (void)detail::check(status, file, line);
    return v0;
}

/// The σ at which orr_dp_gaussian_delta(σ, ε) is δ: less than the classical √(2·log(1.25/δ))/ε, and valid for every ε > 0.
inline double dp_gaussian_sigma(double epsilon, double delta, ORRERY_CALLER)
{
    double c_sigma{};
    const orr_status status = orr_dp_gaussian_sigma_at(file, line, epsilon, delta, &c_sigma);
    double v0 = c_sigma;
    (void)detail::check(status, file, line);
    return v0;
}

/// A new budget.
/// @param epsilon  > 0     @param delta  in (0, 1), for ORR_DP_PLD ≥ 1e-10
/// @return   to free with orr_dp_budget_free; NULL on ORR_EINVAL, ORR_ENOMEM.
inline DpBudget dp_budget_new(orr_dp_accountant how, double epsilon, double delta, ORRERY_CALLER)
{
    auto r = orr_dp_budget_new_at(file, line, how, epsilon, delta);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return DpBudget(r);
}

/// Books `times` ≥ 0 uses of m, all or none. Call it before the mechanism runs. A budget that is kept in a file is booked on disk when this
/// returns, together with the uses that other processes have booked meanwhile.
/// Errors: ORR_ESTATE: the budget would be exceeded (the message has the numbers), belongs to the process that forked this one, or has a
/// ledger that was removed, exchanged, set back or not yet given; then nothing is booked. ORR_EINVAL, ORR_ENOMEM, ORR_EIO,
/// ORR_EFORMAT.
inline orr_status dp_budget_spend(DpBudget &b, const orr_dp_mechanism &m, int64_t times, ORRERY_CALLER)
{
    return detail::check(orr_dp_budget_spend_at(file, line, b.get(), m, times), file, line);
}

/// ε at the budget's δ of all booked uses, those of other processes in its file too; 0 if there are none. Errors: as
/// orr_dp_budget_spend.
inline double dp_budget_spent(const DpBudget &b, ORRERY_CALLER)
{
    double c_epsilon{};
    const orr_status status = orr_dp_budget_spent_at(file, line, b.get(), &c_epsilon);
    double v0 = c_epsilon;
    (void)detail::check(status, file, line);
    return v0;
}

/// The number of further uses of m that would be booked; at most 2⁴⁰. Errors: as orr_dp_budget_spend.
inline int64_t dp_budget_left(DpBudget &b, const orr_dp_mechanism &m, ORRERY_CALLER)
{
    int64_t c_times{};
    const orr_status status = orr_dp_budget_left_at(file, line, b.get(), m, &c_times);
    int64_t v0 = c_times;
    (void)detail::check(status, file, line);
    return v0;
}

/// From now on the uses of b are in the file `path` as well, its ledger, which does not go back. If there is no such file, it is made with
/// the uses so far. Otherwise it is continued: its limit must be that of b, and its uses those of b. A run that begins anew, or
/// from an older checkpoint, has fewer uses than its ledger and is refused, with both ε; so is a ledger that has fewer uses than
/// the run, or is a copy of another file. Load a checkpoint first. Several processes may keep one budget in one file: the file is locked
/// while it is read and replaced, and all their uses count. After a kill at any moment the file has each use that was booked. Its
/// checksum finds damage; it is no protection from a person who may write the file.
/// @param path  its folder exists, on a file system with locks (flock) and hard links
/// Errors: ORR_ESTATE (see above, or b is kept already), ORR_EINVAL (no path; the ledger has another limit), ORR_EFORMAT (no
/// ledger, or a damaged one), ORR_EIO, ORR_ENOMEM.
inline orr_status dp_budget_keep(DpBudget &b, const std::string &path, ORRERY_CALLER)
{
    return detail::check(orr_dp_budget_keep_at(file, line, b.get(), path.c_str()), file, line);
}

/// Allows these differences (a sum of orr_dp_allow) to later calls of orr_dp_budget_keep, orr_dp_budget_spend and orr_checkpoint_load; 0:
/// none, as in a new budget. Errors: ORR_EINVAL.
inline orr_status dp_budget_allow(DpBudget &b, unsigned what, ORRERY_CALLER)
{
    return detail::check(orr_dp_budget_allow_at(file, line, b.get(), what), file, line);
}

/// Adds the uses of a budget (borrowed) to a checkpoint. orr_checkpoint_load takes them over; it refuses a checkpoint with fewer
/// uses than the budget has, and one of a run with another ledger (ORR_ESTATE, with both ε). Without a ledger nothing
/// finds that a checkpoint is loaded twice, or is an old one.
/// Errors: as orr_checkpoint_add_variable.
inline orr_status checkpoint_add_budget(Checkpoint &c, const std::string &name, DpBudget &b, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_budget_at(file, line, c.get(), name.c_str(), b.get()), file, line);
}

/// For tests only: from here on the draws of this thread by functions of this header are a function of `seed`; an adversary who
/// knows it can remove the noise. Without this call they come from the operating system's generator (getrandom).
inline void dp_seed(uint64_t seed)
{
    orr_dp_seed(seed);
}

/// This thread's draws come from the operating system's generator again.
inline void dp_unseed()
{
    orr_dp_unseed();
}

/// A Poisson sample: each of the numbers 0 … n−1 is in it independently with probability q (to 2⁻⁶⁴, rounded down). Keep
/// the sample secret: the accountants' gain from sampling holds only against an adversary who does not know it.
/// @param index  an array of n numbers; the first *count are written, in ascending order
/// Errors: ORR_EINVAL (n < 0, q not in [0, 1], NULL), ORR_EIO (the system has no random numbers). Thread-safe.
inline int64_t dp_poisson(int64_t n, double q, int64_t *index, ORRERY_CALLER)
{
    int64_t c_count{};
    const orr_status status = orr_dp_poisson_at(file, line, n, q, index, &c_count);
    int64_t v0 = c_count;
    (void)detail::check(status, file, line);
    return v0;
}

/// Laplace noise in floats. The privacy is limited by floating point and by Philox: the low bits of a noisy float leak
/// information about the value (Mironov, "On significance of the least significant bits", 2012), and Philox is no cryptographic
/// generator. If an adversary sees all digits, use orr_dp_discrete_laplace.
/// y = x + Laplace(sensitivity/epsilon), with independent noise for each element: (ε, 0)-private for an x of that L1
/// sensitivity.
/// @param x  a float dtype     @param sensitivity, epsilon  > 0, finite
/// @return   like x, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EIO.
/// effects:  lazy; fuses with its neighbours; its key comes from the operating system. grad: g. Safe from any thread.
inline Tensor dp_laplace(const Operand &x, double sensitivity, double epsilon, ORRERY_CALLER)
{
    return detail::made(orr_dp_laplace_at(file, line, x.get(), sensitivity, epsilon), file, line);
}

/// Gaussian noise in floats. The privacy is limited by floating point and by Philox: see orr_dp_laplace. If an adversary
/// sees all digits, use orr_dp_discrete_gaussian.
/// y = x + N(0, (sigma·sensitivity)²), for an x of that L2 sensitivity. Its cost is that of ORR_DP_GAUSSIAN with `sigma`.
/// Otherwise as orr_dp_laplace.
inline Tensor dp_gaussian(const Operand &x, double sensitivity, double sigma, ORRERY_CALLER)
{
    return detail::made(orr_dp_gaussian_at(file, line, x.get(), sensitivity, sigma), file, line);
}

/// y = x + Z for integers, P(Z = z) ∝ e^(−|z|·ε/sensitivity), independent for each element: (ε, 0)-private for an x of that
/// L1 sensitivity. The noise is drawn now, exactly, in integers, from the operating system's generator (Canonne, Kamath,
/// Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 2), and its memory is wiped after its last use.
/// The duration of a draw depends on its value.
/// @param x  i64; the sum wraps     @param sensitivity  ≥ 1     @param epsilon  > 0; sensitivity/epsilon in [2⁻¹⁰, 2³⁰]
/// @return   i64, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ENOMEM, ORR_EIO. Safe from any thread.
inline Tensor dp_discrete_laplace(const Operand &x, int64_t sensitivity, double epsilon, ORRERY_CALLER)
{
    return detail::made(orr_dp_discrete_laplace_at(file, line, x.get(), sensitivity, epsilon), file, line);
}

/// y = x + Z for integers, P(Z = z) ∝ e^(−z²/(2s²)), s = sigma·sensitivity in [2⁻¹⁰, 2²⁶], for an x of that L2 sensitivity.
/// Its cost is at most that of ORR_DP_GAUSSIAN with `sigma` and q = 1 (Canonne, Kamath, Steinke 2020, theorem 4 and algorithm 3).
/// s² is rounded up to 30 bits. Otherwise as orr_dp_discrete_laplace.
inline Tensor dp_discrete_gaussian(const Operand &x, double sensitivity, double sigma, ORRERY_CALLER)
{
    return detail::made(orr_dp_discrete_gaussian_at(file, line, x.get(), sensitivity, sigma), file, line);
}

/// Randomised response: each category of x stays with probability e^ε/(e^ε + k − 1), and otherwise becomes one of the other k − 1
/// with equal probability (Warner 1965). Every single element is (ε, 0)-private, also against the collector. Drawn exactly.
/// @param x  i64 in 0 … k−1 (others are taken mod k)     @param k  ≥ 2     @param epsilon  in [2⁻²⁰, 64], rounded down to 30 bits
/// @return   i64, owned by the current scope; errors as orr_dp_discrete_laplace. Expected time per element: min(k, e^ε) draws.
inline Tensor dp_randomised_response(const Operand &x, int64_t k, double epsilon, ORRERY_CALLER)
{
    return detail::made(orr_dp_randomised_response_at(file, line, x.get(), k, epsilon), file, line);
}

/// An unbiased estimate of the number of true answers in one category among `total`, from `seen` such answers of randomised
/// response.
inline double dp_response_estimate(double seen, double total, int64_t k, double epsilon)
{
    auto r = orr_dp_response_estimate(seen, total, k, epsilon);
    return r;
}

/// The exponential mechanism: i with probability ∝ e^(ε·scores[i]/(2·sensitivity)) (McSherry, Talwar 2007): (ε, 0)-private if one
/// record changes no score by more than `sensitivity`. Scores are rounded to sensitivity·2⁻²⁰ and ε down to 30 bits (and by the
/// 2⁻²⁰ that rounding adds); then the draw is exact. Evaluates `scores`. Expected time: at most proportional to their number; it
/// depends on their values, so a measurement of it leaks.
/// @param scores  (n), n ≥ 1, any number dtype     @param epsilon  in [2⁻²⁰, 2²⁰]
/// Errors: ORR_EINVAL (a score not finite, or beyond 2³¹ sensitivities), ORR_ESHAPE, ORR_ENOMEM, ORR_EIO, and those of orr_read.
inline int64_t dp_exponential(const Operand &scores, double sensitivity, double epsilon, ORRERY_CALLER)
{
    int64_t c_index{};
    const orr_status status = orr_dp_exponential_at(file, line, scores.get(), sensitivity, epsilon, &c_index);
    int64_t v0 = c_index;
    (void)detail::check(status, file, line);
    return v0;
}

/// A new sparse vector. All answers together are (ε, 0)-private for any number of queries, if one record changes no query
/// by more than `sensitivity`; at most `most` answers are "above" (Lyu, Su, Li, "Understanding the sparse vector technique",
/// 2017, algorithm 1, with their division of ε). Threshold and queries are rounded to sensitivity·2⁻²⁰ and noise is drawn
/// exactly.
/// @param monotone  adding a record moves all queries in one direction: less noise
/// @return   to free with orr_dp_sparse_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EIO.
inline DpSparse dp_sparse_new(double threshold, double sensitivity, int64_t most, bool monotone, double epsilon, ORRERY_CALLER)
{
    auto r = orr_dp_sparse_new_at(file, line, threshold, sensitivity, most, monotone, epsilon);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return DpSparse(r);
}

/// Sets *above to whether the query's value is above the threshold, both with noise. Errors: ORR_ESTATE (`most`
/// answers were "above" already), ORR_EINVAL (not finite, beyond 2³¹ sensitivities), ORR_EIO.
inline bool dp_sparse_ask(DpSparse &s, double query, ORRERY_CALLER)
{
    bool c_above{};
    const orr_status status = orr_dp_sparse_ask_at(file, line, s.get(), query, &c_above);
    bool v0 = c_above;
    (void)detail::check(status, file, line);
    return v0;
}

/// −log_softmax(output)[target]: output (batch, …, classes), target integers (batch, …); the mean over all axes but the first.
inline Tensor dp_cross_entropy(const Operand &output, const Operand &target, void *unused, ORRERY_CALLER)
{
    return detail::made(orr_dp_cross_entropy(output.get(), target.get(), unused), file, line);
}

/// The mean of (output − target)² over all axes but the first.
inline Tensor dp_squared_error(const Operand &output, const Operand &target, void *unused, ORRERY_CALLER)
{
    return detail::made(orr_dp_squared_error(output.get(), target.get(), unused), file, line);
}

/// Clipped sums of per-example gradients. Sound only if an example's loss depends on no other example: with normalisation over
/// the batch nothing is bounded. sums[i] = Σ_k weight[k] · g_ki · min(1, C/‖g_k‖), where g_ki is the gradient of example k's
/// loss by parameter i; no noise is added. No example's gradient is stored: ‖g_k‖ follows from each layer's input and the
/// cotangent of its output (Bu, Mao, Xu 2022), and the sum is the product or convolution of a plain step. Examples whose
/// gradient is not finite count as 0.
/// @param m        dense layers, convolutions, modules without parameters, and compositions in which each layer is applied once;
///                 batch normalisation is refused
/// @param x        (batch, …)     @param target  (batch, …), or NULL     @param weight  (batch), or NULL: ones
/// @param clip     C > 0          @param sums  [orr_module_parameters(m, NULL, 0)] one for each parameter of m, in their order
/// @param norms    ‖g_k‖, (batch); NULL: not needed
/// Results are owned by the current scope. Errors: ORR_EINVAL, ORR_ESHAPE, ORR_ENOMEM, and those of orr_grad; then all are NULL.
/// effects:  lazy. Safe from any thread.
template <class F>
inline std::vector<Tensor> dp_clipped_grads(const Module &m, F &fn, const Operand &x, const Operand &target, const Operand &weight, orr_dp_clipping clipping, double clip, Tensor *norms = nullptr, ORRERY_CALLER)
{
    void *user = &fn;
    std::vector<orr_tensor *> c_sums(detail::count(orr_module_parameters(m.get(), NULL, 0)));
    orr_tensor *c_norms = nullptr;
    const orr_status status = orr_dp_clipped_grads_at(file, line, m.get(), [](orr_tensor *p0, orr_tensor *p1, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), Tensor(p0, false), Tensor(p1, false));
    }, user, x.get(), target.get(), weight.get(), clipping, clip, c_sums.data(), norms ? &c_norms : nullptr);
    detail::passed();
    detail::put(norms, c_norms);
    std::vector<Tensor> v0 = detail::adopted(c_sums);
    (void)detail::check(status, file, line);
    return v0;
}

/// orr_dp_clipped_grads for any `fn`: the gradients of all examples are computed together, in memory for batch ×
/// parameters. Sound only if an example's loss depends on no other example.
template <class F>
inline std::tuple<Tensor, Tensor> dp_clipped_grads_of_function(F &fn, const List &params, const Operand &x, const Operand &target, const Operand &weight, orr_dp_clipping clipping, double clip, ORRERY_CALLER)
{
    void *user = &fn;
    orr_tensor *c_sums = nullptr;
    orr_tensor *c_norms = nullptr;
    const orr_status status = orr_dp_clipped_grads_of_function_at(file, line, [](orr_tensor *const *p0, int p1, orr_tensor *p2, orr_tensor *p3, void *u) -> orr_tensor * {
        return detail::called<orr_tensor *>(*static_cast<F *>(u), detail::borrowed(p0, p1), Tensor(p2, false), Tensor(p3, false));
    }, user, params.data(), static_cast<int>(params.size()), x.get(), target.get(), weight.get(), clipping, clip, &c_sums, &c_norms);
    detail::passed();
    Tensor v0 = Tensor(c_sums);
    Tensor v1 = Tensor(c_norms);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1) };
}

/// Returns the defaults above.
inline orr_dp_options dp_defaults()
{
    auto r = orr_dp_defaults();
    return r;
}

/// A new trainer.
/// @param m, o   the network and an optimizer of any kind with exactly its parameters (orr_optim_of_module); both must outlive the result
/// @return   to free with orr_dp_sgd_free; NULL on ORR_EINVAL, ORR_ENOMEM.
inline DpSgd dp_sgd_new(const Module &m, Optim &o, const std::optional<orr_dp_options> &options = {}, ORRERY_CALLER)
{
    auto r = orr_dp_sgd_new_at(file, line, m.get(), o.get(), options ? &*options : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return DpSgd(r);
}

/// One step of DP-SGD. Private only if an example's loss depends on no other example, and only for the parameters: ε does not cover `loss`.
/// The noise is that of orr_dp_gaussian, with its limits, unless options.secure is set. A step (Abadi et al., "Deep learning with
/// differential privacy", 2016): a Poisson sample of the records, the sum of their clipped gradients, N(0, (σC)²) added to each element,
/// divided by q·n; then the optimizer's step with the result. It costs ORR_DP_GAUSSIAN of σ and q, booked before the computation; this
/// includes ADAPTIVE clipping.
/// @param x, target   all records: (n, …), from which rows are drawn; target may be NULL
/// @param loss        the sample's mean loss before the step, NaN for an empty sample; or NULL
/// Errors: ORR_ESTATE (the budget; then nothing changes), ORR_ESHAPE, ORR_EIO, and those of orr_dp_clipped_grads and orr_eval.
inline orr_status dp_sgd_step(DpSgd &t, const Operand &x = {}, const Operand &target = {}, double *loss = nullptr, ORRERY_CALLER)
{
    return detail::check(orr_dp_sgd_step_at(file, line, t.get(), x.get(), target.get(), loss), file, line);
}

/// As the function before it in orrery/privacy.h.
inline double dp_sgd_clip(const DpSgd &t)
{
    auto r = orr_dp_sgd_clip(t.get());
    return r;
}

/// As the function before it in orrery/privacy.h.
inline int64_t dp_sgd_steps(const DpSgd &t)
{
    auto r = orr_dp_sgd_steps(t.get());
    return r;
}

/// Adds a trainer (borrowed) to a checkpoint: its clipping norm, its steps and, as orr_checkpoint_add_budget, its budget. The model and the
/// optimiser are parts of their own. Errors: as orr_checkpoint_add_variable.
inline orr_status checkpoint_add_dp_sgd(Checkpoint &c, const std::string &name, DpSgd &t, ORRERY_CALLER)
{
    return detail::check(orr_checkpoint_add_dp_sgd_at(file, line, c.get(), name.c_str(), t.get()), file, line);
}

/// The largest magnitude that orr_fixed_encode takes, ⌊(⌈M/2⌉ − 1) / addends⌋ / 2^fraction; −1 for an invalid format.
inline double fixed_limit(const orr_fixed &format)
{
    auto r = orr_fixed_limit(format);
    return r;
}

/// Integers modulo M for x.
/// @param x  f16 bf16 f32 f64, or an integer dtype (then it is multiplied by 2^fraction exactly), any shape
/// @return   u32 or u64 of x's shape, owned by the current scope; poison on ORR_EINVAL (invalid format), ORR_EDTYPE (bool),
///           ORR_EINDEX (an element is NaN, infinite or above orr_fixed_limit: the message has its place and the limit).
/// effects:  evaluates x. Safe from any thread.
inline Tensor fixed_encode(const Operand &x, const orr_fixed &format, ORRERY_CALLER)
{
    return detail::made(orr_fixed_encode_at(file, line, x.get(), format), file, line);
}

/// v / 2^fraction, rounded to f64 and from there to `dtype`, where v is the element as a signed integer, −M/2 ≤ v < M/2.
/// @param t      u32 for ORR_MOD_2_32, else u64    @param dtype  a float dtype, or ORR_I64 (v, with its fraction)
/// @return       of t's shape, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EINDEX (above the modulus).
/// effects:      evaluates t. Safe from any thread.
inline Tensor fixed_decode(const Operand &t, const orr_fixed &format, orr_dtype dtype, ORRERY_CALLER)
{
    return detail::made(orr_fixed_decode_at(file, line, t.get(), format, dtype), file, line);
}

/// n tensors whose sum modulo M is `secret`; any n − 1 of them are uniform and independent of `secret`. The secret is
/// hidden only if some party keeps its share to itself; a changed share is not detected.
/// @param secret  u32 for ORR_MOD_2_32, else u64, any shape    @param n  ≥ 2
/// @return   (n, …) of secret's dtype, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8
///           already), ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
/// effects:  evaluates `secret`. Safe from any thread.      cost: ChaCha20 of n − 1 times the elements.
inline Tensor additive_split(const Operand &secret, int n, orr_modulus modulus, ORRERY_CALLER)
{
    return detail::made(orr_additive_split_at(file, line, secret.get(), n, modulus), file, line);
}

/// Σ shares[i] modulo M: the secret from all its n shares, or the sum of secrets from the sums of their shares.
/// @param shares  (n, …), n ≥ 1
/// @return   (…), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 0, no share), ORR_EINDEX.
/// effects:  evaluates `shares`. Safe from any thread.      cost: one pass over the shares.
inline Tensor additive_join(const Operand &shares, orr_modulus modulus, ORRERY_CALLER)
{
    return detail::made(orr_additive_join_at(file, line, shares.get(), modulus), file, line);
}

/// n shares of a secret. Any `threshold` of them determine the secret; fewer are independent of it, so it is hidden while
/// no more than threshold − 1 shares come together. Share i is f(i + 1) for a polynomial f of degree threshold − 1 with
/// f(0) = secret and other coefficients uniform. There is one f for each element. Shares of sums are sums of shares (modulo p).
/// @param secret  u64 below p, any shape    @param threshold  1 … n    @param n  1 … 65535
/// @return   u64 (n, …), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8 already),
///           ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
/// effects:  evaluates `secret`. Safe from any thread.      cost: n · threshold products an element.
/// source:   A. Shamir, "How to share a secret", 1979.
inline Tensor shamir_split(const Operand &secret, int threshold, int n, ORRERY_CALLER)
{
    return detail::made(orr_shamir_split_at(file, line, secret.get(), threshold, n), file, line);
}

/// The secret, from k ≥ threshold shares: f(0) by Lagrange's formula from the first `threshold` of them. With k = threshold a
/// changed share gives a wrong secret and no error; each further share is checked.
/// @param shares  u64 (k, …)
/// @param points  [orr_tensor_shape(shares).dim[0]] the point of each share: i + 1 for share i of orr_shamir_split
/// @return   u64 (…), owned by the current scope; poison on ORR_EINVAL (fewer than threshold shares, a point twice, 0 or above
///           p), ORR_EDTYPE, ORR_ESHAPE, ORR_EINDEX (a share above p), ORR_EFORMAT (the shares are on no polynomial of degree
///           threshold − 1: some are wrong; orr_shamir_correct may find them).
/// effects:  evaluates `shares`. Safe from any thread.      cost: threshold + (k − threshold)·threshold products an element.
inline Tensor shamir_join(const Operand &shares, const View<const int64_t> &points, int threshold, ORRERY_CALLER)
{
    const std::vector<int64_t> c_points = detail::filled(points, detail::count(orr_tensor_shape(shares.get()).dim[0]));
    return detail::made(orr_shamir_join_at(file, line, shares.get(), points.empty() ? nullptr : c_points.data(), threshold), file, line);
}

/// Like orr_shamir_join, but up to ⌊(k − threshold)/2⌋ wrong shares of each element are found and left out.
/// @param points  [orr_tensor_shape(shares).dim[0]] as for orr_shamir_join
/// @param wrong  [orr_tensor_shape(shares).dim[0]] NULL, or k counts: the number of elements in which that party's share was wrong
/// @return   as orr_shamir_join; ORR_EFORMAT if more shares of an element are wrong than can be corrected (the message has
///           its place). From k − threshold + 1 − ⌊(k − threshold)/2⌋ wrong shares of an element on, another secret may be
///           nearer than the right one; no decoder can detect that.
/// cost:     as orr_shamir_join without errors; k³ for an element with a new pattern of errors.
/// source:   L. Welch, E. Berlekamp, "Error correction for algebraic block codes", US patent 4633470, 1986.
inline std::tuple<Tensor, std::vector<int64_t>> shamir_correct(const Operand &shares, const View<const int64_t> &points, int threshold, ORRERY_CALLER)
{
    const std::vector<int64_t> c_points = detail::filled(points, detail::count(orr_tensor_shape(shares.get()).dim[0]));
    std::vector<int64_t> c_wrong(detail::count(orr_tensor_shape(shares.get()).dim[0]));
    auto r = orr_shamir_correct_at(file, line, shares.get(), points.empty() ? nullptr : c_points.data(), threshold, c_wrong.data());
    Tensor v0 = detail::made(r, file, line);
    std::vector<int64_t> v1 = std::move(c_wrong);
    return { std::move(v0), std::move(v1) };
}

/// An Ed25519 key pair for orr_secagg_config.identities.
/// @param public_key  [32] bytes    @param secret_key  [64] bytes, which the caller wipes
/// Errors: ORR_EINVAL (NULL), ORR_EDEVICE (built without libsodium).
inline std::tuple<std::vector<unsigned char>, std::vector<unsigned char>> secagg_identity(ORRERY_CALLER)
{
    std::vector<unsigned char> c_public_key(32);
    std::vector<unsigned char> c_secret_key(64);
    const orr_status status = orr_secagg_identity_at(file, line, c_public_key.data(), c_secret_key.data());
    std::vector<unsigned char> v0 = std::move(c_public_key);
    std::vector<unsigned char> v1 = std::move(c_secret_key);
    (void)detail::check(status, file, line);
    return { std::move(v0), std::move(v1) };
}

/// Client number `index`, 0 ≤ index < n.
/// @param secret_key  [64] bytes from orr_secagg_identity if the config has identities, else NULL; copied
/// @return   to free with orr_secagg_client_free; NULL on ORR_EINVAL (the message has the field and the reason),
///           ORR_ENOMEM, ORR_EDEVICE.
inline SecaggClient secagg_client_new(const std::optional<orr_secagg_config> &config, int index, const View<const unsigned char> &secret_key = {}, ORRERY_CALLER)
{
    const std::vector<unsigned char> c_secret_key = detail::filled(secret_key, 64);
    auto r = orr_secagg_client_new_at(file, line, config ? &*config : nullptr, index, secret_key.empty() ? nullptr : c_secret_key.data());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return SecaggClient(r);
}

/// Round 0: the client's fresh public keys, for the server. Errors: ORR_EINVAL, ORR_ESTATE (a second time), ORR_ENOMEM.
inline std::vector<unsigned char> secagg_advertise(SecaggClient &c, ORRERY_CALLER)
{
    orr_bytes c_out{};
    const orr_status status = orr_secagg_advertise_at(file, line, c.get(), &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Round 1: reads the list of public keys; *out has shares of this client's secrets, encrypted for each other client.
/// Errors: ORR_EFORMAT (no such list; fewer than t clients, a client or a key twice, this client's own keys changed, a wrong
/// signature), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
inline std::vector<unsigned char> secagg_share_keys(SecaggClient &c, const View<const unsigned char> &in, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    orr_bytes c_out{};
    const orr_status status = orr_secagg_share_keys_at(file, line, c.get(), &c_in, &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Round 2: reads the others' encrypted shares; *out is x, encoded and masked. The encoded vector is in memory only in blocks of some
/// kilobytes, which are masked or wiped.
/// @param x  `length` elements of any shape, a dtype that orr_fixed_encode takes
/// Errors: ORR_EFORMAT, ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM; ORR_ESHAPE, ORR_EDTYPE, ORR_EINDEX (overflow) for x, after which the call
/// may be repeated with another x. effects: evaluates x. cost: ChaCha20 of n vectors.
inline std::vector<unsigned char> secagg_mask(SecaggClient &c, const View<const unsigned char> &in, const Operand &x, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    orr_bytes c_out{};
    const orr_status status = orr_secagg_mask_at(file, line, c.get(), &c_in, x.get(), &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Round 3, with identities: reads the list of clients whose vectors arrived; *out is a signature of it. A client signs one list
/// only.
/// Errors: ORR_EFORMAT (fewer than t, or a client that was not in round 1), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
inline std::vector<unsigned char> secagg_confirm(SecaggClient &c, const View<const unsigned char> &in, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    orr_bytes c_out{};
    const orr_status status = orr_secagg_confirm_at(file, line, c.get(), &c_in, &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Round 4: reads the list of clients whose vectors arrived (and t signatures of it, with identities). *out has a share of the own mask
/// of each of these clients, and a share of the key of each client that dropped out since round 1: never both, and this client answers
/// once. A share for another client, or one that cannot be decrypted, is left out. Errors: ORR_EFORMAT (as in round 3; another list than
/// the one signed; fewer than t sound signatures), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM.
inline std::vector<unsigned char> secagg_unmask(SecaggClient &c, const View<const unsigned char> &in, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    orr_bytes c_out{};
    const orr_status status = orr_secagg_unmask_at(file, line, c.get(), &c_in, &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// The server of a run. NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. Free with orr_secagg_server_free.
inline SecaggServer secagg_server_new(const std::optional<orr_secagg_config> &config = {}, ORRERY_CALLER)
{
    auto r = orr_secagg_server_new_at(file, line, config ? &*config : nullptr);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return SecaggServer(r);
}

/// Receives n messages of the current round. Masked vectors are added to the sum at once, several in one pass, and not kept.
/// The first wrong message ends the call: ORR_EFORMAT (no message of this run, wrong length, a client twice or unknown),
/// ORR_ESTATE (of another round; from a client that has dropped out); *taken (unless NULL) is the number of messages accepted
/// before it. Other errors: ORR_EINVAL, ORR_ENOMEM. cost: one pass over the vectors.
inline int secagg_receive(SecaggServer &s, const View<const orr_bytes> &in, ORRERY_CALLER)
{
    int c_taken{};
    const orr_status status = orr_secagg_receive_at(file, line, s.get(), in.data(), static_cast<int>(in.size()), &c_taken);
    int v0 = c_taken;
    (void)detail::check(status, file, line);
    return v0;
}

/// Ends the round: clients that have not answered have dropped out. ORR_ESTATE if fewer than t have answered (more may
/// follow: the round continues), or if there is no round to end.
inline orr_status secagg_close(SecaggServer &s, ORRERY_CALLER)
{
    return detail::check(orr_secagg_close_at(file, line, s.get()), file, line);
}

/// The message for client `index`, which must take part in the current round. Errors: ORR_EINVAL (no client of this round), ORR_ESTATE,
/// ORR_ENOMEM.
inline std::vector<unsigned char> secagg_send(SecaggServer &s, int index, ORRERY_CALLER)
{
    orr_bytes c_out{};
    const orr_status status = orr_secagg_send_at(file, line, s.get(), index, &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Returns whether client `index` has answered in all past rounds; false for any other number.
inline bool secagg_alive(const SecaggServer &s, int index)
{
    auto r = orr_secagg_alive(s.get(), index);
    return r;
}

/// Σ x over the clients whose vectors arrived. Their masks are recovered from t answers of round 4 and removed. Wrong shares are
/// corrected if there are enough answers, and each recovered key or seed is checked against its client's public key or commitment, so
/// that the sum is right or an error is returned.
/// @param dtype  a float dtype, or ORR_I64: the sum of the encoded integers
/// @return   (length), owned by the current scope; poison on ORR_ESTATE (not in round 4, fewer than t answers), ORR_EFORMAT (shares that
///           cannot be corrected; the message names the client), ORR_EDTYPE, ORR_EINVAL, ORR_ENOMEM. A second time: ORR_ESTATE.
/// cost:     ChaCha20 of one vector for each remaining client, and of one for each pair of a remaining client and one that dropped
///           out in round 2.
inline Tensor secagg_result(SecaggServer &s, orr_dtype dtype, ORRERY_CALLER)
{
    return detail::made(orr_secagg_result_at(file, line, s.get(), dtype), file, line);
}

/// A new key pair, n = p · q of two random primes with the same number of bits, from the system's generator; 32 rounds of Miller
/// and Rabin each.
/// @param bits  of n: 2048, 3072 or 4096
/// @return   to free with orr_paillier_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE.
inline Paillier paillier_generate(int bits, ORRERY_CALLER)
{
    auto r = orr_paillier_generate_at(file, line, bits);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Paillier(r);
}

/// The public half, an object of its own. NULL on ORR_EINVAL, ORR_ENOMEM.
inline Paillier paillier_public(const Paillier &key, ORRERY_CALLER)
{
    auto r = orr_paillier_public_at(file, line, key.get());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Paillier(r);
}

/// Bits of n; 0 for NULL.
inline int paillier_bits(const Paillier &key)
{
    auto r = orr_paillier_bits(key.get());
    return r;
}

/// Returns whether the key can decrypt.
inline bool paillier_has_private(const Paillier &key)
{
    auto r = orr_paillier_has_private(key.get());
    return r;
}

/// The key's name: the first 16 bytes of SHA-256 of n, big-endian in bits/8 bytes. Errors: ORR_EINVAL (NULL).
inline orr_status paillier_id(const Paillier &key, unsigned char (&id)[16], ORRERY_CALLER)
{
    return detail::check(orr_paillier_id_at(file, line, key.get(), id), file, line);
}

/// The key as bytes: version, name, n; with_private: also p and q, unencrypted, so that any reader of the bytes can decrypt.
/// orr_bytes_free wipes them. Errors: ORR_EINVAL (NULL, no private half), ORR_ENOMEM.
inline std::vector<unsigned char> paillier_save(const Paillier &key, bool with_private = false, ORRERY_CALLER)
{
    orr_bytes c_out{};
    const orr_status status = orr_paillier_save_at(file, line, key.get(), with_private, &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Reads a key from the bytes of orr_paillier_save. NULL on ORR_EFORMAT (truncated, of another version, changed: the name
/// does not fit n; p or q is no prime), ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE.
inline Paillier paillier_load(const View<const unsigned char> &in, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    auto r = orr_paillier_load_at(file, line, &c_in);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Paillier(r);
}

/// Computes `count` noises ahead, as background tasks, and returns at once. Encryption and re-randomisation with this
/// key use each of them once, and compute missing ones themselves. 0 ≤ count ≤ 2^20; further calls add.
/// Errors: ORR_EINVAL, ORR_ESTATE (the work of the last call has not ended), ORR_ENOMEM.
inline orr_status paillier_prepare(Paillier &key, int64_t count, ORRERY_CALLER)
{
    return detail::check(orr_paillier_prepare_at(file, line, key.get(), count), file, line);
}

/// x, encrypted. The holder of the private key encrypts faster (by the Chinese remainder theorem, with the same distribution).
/// @param x  any dtype but bool, any shape
/// @return   NULL on ORR_EINVAL (the packing; too many slots), ORR_EDTYPE, ORR_EINDEX (an element is above `most`, NaN or infinite: its
///           place), ORR_ENOMEM, ORR_EDEVICE.      cost: a power modulo n² a ciphertext.
inline Encrypted paillier_encrypt(Paillier &key, const Operand &x, const orr_packing &packing, ORRERY_CALLER)
{
    auto r = orr_paillier_encrypt_at(file, line, key.get(), x.get(), packing);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// The numbers in e: each integer divided by 2^(sum of the fractions of all its factors).
/// @param dtype  a float dtype, or ORR_I64 (the integer itself)
/// @return   of e's shape, owned by the current scope, wiped when its last use ends; poison on ORR_EINVAL (no private key; e belongs to
///           another key), ORR_EDTYPE, ORR_EINDEX (ORR_I64 that does not hold an element), ORR_ENOMEM.
inline Tensor paillier_decrypt(const Paillier &key, const Encrypted &e, orr_dtype dtype, ORRERY_CALLER)
{
    return detail::made(orr_paillier_decrypt_at(file, line, key.get(), e.get(), dtype), file, line);
}

/// a + b. The result is not re-randomised: a reader who knows a and b recognises it (orr_paillier_rerandomize).
/// NULL on ORR_EINVAL (NULL, other keys, other packings or fractions), ORR_ESHAPE (other shapes), ORR_EINDEX (a slot might overflow),
/// ORR_ENOMEM. This holds for all functions below.      cost: a product modulo n² a ciphertext.
inline Encrypted paillier_add(const Encrypted &a, const Encrypted &b, ORRERY_CALLER)
{
    auto r = orr_paillier_add_at(file, line, a.get(), b.get());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// a + x, for plain x of a's shape, at a's fraction. Not re-randomised, as orr_paillier_add.
inline Encrypted paillier_add_plain(const Encrypted &a, const Operand &x, ORRERY_CALLER)
{
    auto r = orr_paillier_add_plain_at(file, line, a.get(), x.get());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// a · w, for plain w that is treated as public: the time depends on w. Not re-randomised, as orr_paillier_add.
/// @param w         one element, or a's shape with the last axis 1, or a's shape if a has one slot
/// @param fraction  fraction bits of w, which is rounded to them; they add to those of the result
inline Encrypted paillier_mul_plain(const Encrypted &a, const Operand &w, int fraction, ORRERY_CALLER)
{
    auto r = orr_paillier_mul_plain_at(file, line, a.get(), w.get(), fraction);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// Σ a over one axis, which is removed. If several slots share a ciphertext, the last axis is refused (ORR_EAXIS).
inline Encrypted paillier_sum(const Encrypted &a, int axis, ORRERY_CALLER)
{
    auto r = orr_paillier_sum_at(file, line, a.get(), axis);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// Σ a · w over one axis, for plain weights w that are treated as public. w has one axis, of that length; otherwise as
/// orr_paillier_sum and orr_paillier_mul_plain.
inline Encrypted paillier_dot(const Encrypted &a, const Operand &w, int axis, int fraction, ORRERY_CALLER)
{
    auto r = orr_paillier_dot_at(file, line, a.get(), w.get(), axis, fraction);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// The same numbers in fresh ciphertexts, which a reader without the private key cannot link to a's.
/// @param key  the key of a, public or private (faster)
inline Encrypted paillier_rerandomize(Paillier &key, const Encrypted &a, ORRERY_CALLER)
{
    auto r = orr_paillier_rerandomize_at(file, line, key.get(), a.get());
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// Returns the shape; rank −1 for NULL.
inline Shape encrypted_shape(const Encrypted &e)
{
    auto r = orr_encrypted_shape(e.get());
    return r;
}

/// Returns the numbers per ciphertext; 0 for NULL.
inline int encrypted_slots(const Encrypted &e)
{
    auto r = orr_encrypted_slots(e.get());
    return r;
}

/// e as bytes: version, the key's name, shape, packing, bound, ciphertexts. Errors: ORR_EINVAL, ORR_ENOMEM.
inline std::vector<unsigned char> encrypted_save(const Encrypted &e, ORRERY_CALLER)
{
    orr_bytes c_out{};
    const orr_status status = orr_encrypted_save_at(file, line, e.get(), &c_out);
    std::vector<unsigned char> v0 = detail::taken(&c_out);
    (void)detail::check(status, file, line);
    return v0;
}

/// Reads the bytes of orr_encrypted_save. They are not authenticated: a change of the bytes changes the numbers. NULL on
/// ORR_EFORMAT (truncated, of another version, of another key, a number that is no ciphertext), ORR_EINVAL, ORR_ENOMEM.
inline Encrypted encrypted_load(const Paillier &key, const View<const unsigned char> &in, ORRERY_CALLER)
{
    const orr_bytes c_in{ const_cast<unsigned char *>(in.data()), in.size() };
    auto r = orr_encrypted_load_at(file, line, key.get(), &c_in);
    if (!r)
        detail::fail(orr_error_status(), file, line);
    return Encrypted(r);
}

/// Elements from text: decimal digits, or 0x and hexadecimal digits.
/// @param field  ORR_FR254 or ORR_FQ254
/// @return   (n); poison on ORR_EDTYPE (no field), ORR_EINVAL (NULL), ORR_EFORMAT (no number), ORR_EINDEX (not below the modulus): the
///           message names the index.
inline Tensor field_parse(orr_dtype field, const std::vector<std::string> &text, ORRERY_CALLER)
{
    const std::vector<const char *> c_text = detail::texts(text);
    return detail::made(orr_field_parse_at(file, line, field, c_text.data(), static_cast<int64_t>(text.size())), file, line);
}

/// Element number `i` of x, in row-major order, as decimal digits. Errors: ORR_EINDEX, and those of evaluation.
/// effects:  evaluates x, the first time; the texts of its other elements need no evaluation.
inline orr_status field_text(const Operand &x, int64_t i, char (&text)[80], ORRERY_CALLER)
{
    return detail::check(orr_field_text_at(file, line, x.get(), i, text), file, line);
}

/// Elements from their limbs, the lowest first.
/// @param field  ORR_FR254 or ORR_FQ254    @param limbs  u64 (…, 4)    @return  (…); evaluation refuses an integer that is not
///           below the modulus (ORR_EINDEX, with its place).      cost: a product per element.
inline Tensor field_from_limbs(orr_dtype field, const Operand &limbs, ORRERY_CALLER)
{
    return detail::made(orr_field_from_limbs_at(file, line, field, limbs.get()), file, line);
}

/// The limbs of elements.
/// @return   u64 (…, 4).      cost: a product an element.
inline Tensor field_limbs(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_field_limbs_at(file, line, x.get()), file, line);
}

/// 1/x.
/// 1/0 is ORR_ENUMERIC, and the message names the place.      cost: some five products (Montgomery's trick).
inline Tensor field_inverse(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_field_inverse_at(file, line, x.get()), file, line);
}

/// x^e with a plain integer e below 2^256, its lowest limb first; 0^0 is 1.
inline Tensor field_pow(const Operand &x, const uint64_t (&e)[4], ORRERY_CALLER)
{
    return detail::made(orr_field_pow_at(file, line, x.get(), e), file, line);
}

/// Σ x over one axis.
/// @param x  (…, n, …)    @return  (…, …), the axis gone; poison on ORR_EAXIS too. As orr_sum.
inline Tensor field_sum(const Operand &x, int axis, ORRERY_CALLER)
{
    return detail::made(orr_field_sum_at(file, line, x.get(), axis), file, line);
}

/// Σ x_i·y_i over the last axis.
/// @param x, y  (…, n), broadcast    @return  (…).
inline Tensor field_dot(const Operand &x, const Operand &y, ORRERY_CALLER)
{
    return detail::made(orr_field_dot_at(file, line, x.get(), y.get()), file, line);
}

/// X[j] = Σ_i x[i]·(s·w^j)^i over r, with w = 5^((r − 1)/n) and n = 2^k: the values of polynomials on a coset of the n-th roots of
/// unity.
/// @param x      fr254 (…, n), n = 2^k, k ≤ 28    @param shift  s, (), not zero (ORR_ENUMERIC); NULL: 1
/// @return       (…, n); ORR_ESHAPE where n is no power of two.      cost: n·k/2 products a transform.
inline Tensor field_ntt(const Operand &x, const Operand &shift = {}, ORRERY_CALLER)
{
    return detail::made(orr_field_ntt_at(file, line, x.get(), shift.get()), file, line);
}

/// x from X: the inverse of orr_field_ntt with the same shift.
inline Tensor field_ntt_inverse(const Operand &x, const Operand &shift, ORRERY_CALLER)
{
    return detail::made(orr_field_ntt_inverse_at(file, line, x.get(), shift.get()), file, line);
}

/// Σ c_i·x^i at each place.
/// @param c  (n)    @param x  (…)    @return  of x's shape.      cost: n products a place.
inline Tensor field_poly_eval(const Operand &c, const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_field_poly_eval_at(file, line, c.get(), x.get()), file, line);
}

/// c = d·quotient + remainder.
/// @param c  (n)    @param d  (m), 1 ≤ m ≤ n (ORR_ESHAPE), whose last coefficient is not 0 (ORR_ENUMERIC)
/// cost:     (n − m + 1)·m products on one core.
inline FieldDivision field_poly_divide(const Operand &c, const Operand &d, ORRERY_CALLER)
{
    auto r = orr_field_poly_divide_at(file, line, c.get(), d.get());
    return detail::result_of(r);
}

/// The Poseidon hash of rows of 1 … 16 elements of r, with circom's parameters: x^5, eight full rounds.
/// @param x  fr254 (…, n)    @return  (…); ORR_ESHAPE for another n.
/// source:   L. Grassi et al., "Poseidon: a new hash function for zero-knowledge proof systems", 2021.
inline Tensor poseidon(const Operand &x, ORRERY_CALLER)
{
    return detail::made(orr_poseidon_at(file, line, x.get()), file, line);
}

/// The Merkle tree of Poseidon hashes: a node is the hash of its `arity` children.
/// @param leaves  fr254 (n) with n = arity^depth (ORR_ESHAPE)    @param arity  2 … 16
/// @return        all nodes, level by level: the leaves first, the root last.
inline Tensor merkle_tree(const Operand &leaves, int arity, ORRERY_CALLER)
{
    return detail::made(orr_merkle_tree_at(file, line, leaves.get(), arity), file, line);
}

/// The root of a tree of orr_merkle_tree: ().
inline Tensor merkle_root(const Operand &tree, ORRERY_CALLER)
{
    return detail::made(orr_merkle_root_at(file, line, tree.get()), file, line);
}

/// The proof that a leaf is in the tree: on each level the other children of the node above, from the leaves up.
/// @return   (depth, arity − 1); poison on ORR_EINDEX (no such leaf), ORR_ESHAPE (no tree of that arity).
inline Tensor merkle_proof(const Operand &tree, int arity, int64_t leaf, ORRERY_CALLER)
{
    return detail::made(orr_merkle_proof_at(file, line, tree.get(), arity, leaf), file, line);
}

/// True if `value` is leaf number `leaf` of the tree with that root.
/// @param root, value  ()    @param proof  (depth, arity − 1)    @return  bool, rank 0.
inline Tensor merkle_verify(const Operand &root, const Operand &value, int64_t leaf, const Operand &proof, ORRERY_CALLER)
{
    return detail::made(orr_merkle_verify_at(file, line, root.get(), value.get(), leaf, proof.get()), file, line);
}

/// The generator of a group: (2) or (2, 2).
inline Tensor curve_generator(orr_curve curve, ORRERY_CALLER)
{
    return detail::made(orr_curve_generator_at(file, line, curve), file, line);
}

/// p + q, broadcast; −p; 2p.
inline Tensor curve_add(orr_curve curve, const Operand &p, const Operand &q, ORRERY_CALLER)
{
    return detail::made(orr_curve_add_at(file, line, curve, p.get(), q.get()), file, line);
}

/// As the function before it in orrery/field.h.
inline Tensor curve_neg(orr_curve curve, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_curve_neg_at(file, line, curve, p.get()), file, line);
}

/// As the function before it in orrery/field.h.
inline Tensor curve_double(orr_curve curve, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_curve_double_at(file, line, curve, p.get()), file, line);
}

/// k·p.
/// @param p  (…, 2) or (…, 2, 2)    @param k  fr254 (…); the axes before points broadcast.
inline Tensor curve_multiply(orr_curve curve, const Operand &p, const Operand &k, ORRERY_CALLER)
{
    return detail::made(orr_curve_multiply_at(file, line, curve, p.get(), k.get()), file, line);
}

/// True for each point on the curve, infinity included. This is the only function that accepts points off the curve.
/// @return  bool (…).
inline Tensor curve_contains(orr_curve curve, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_curve_contains_at(file, line, curve, p.get()), file, line);
}

/// True for each point in the group of order r, that is, with r·p at infinity. On G1 every point is in it. @return  bool (…).
/// cost: one multiple.
inline Tensor curve_in_group(orr_curve curve, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_curve_in_group_at(file, line, curve, p.get()), file, line);
}

/// x as bytes, little-endian (of G2 the real part first), with the highest bit set where y is the larger of y and −y (of G2: by
/// the imaginary part, then the real), and the next one for infinity.
/// @return   u8 (…, 32) or (…, 64).
inline Tensor curve_compress(orr_curve curve, const Operand &p, ORRERY_CALLER)
{
    return detail::made(orr_curve_compress_at(file, line, curve, p.get()), file, line);
}

/// The points of orr_curve_compress: bytes that are no point are ORR_EINDEX, and the message names the place.
/// @param bytes  u8 (…, 32) or (…, 64). orr_curve_in_group checks membership in the group.
inline Tensor curve_decompress(orr_curve curve, const Operand &bytes, ORRERY_CALLER)
{
    return detail::made(orr_curve_decompress_at(file, line, curve, bytes.get()), file, line);
}

/// Σ k_i·p_i, by Pippenger's buckets: windows of digits and chunks of points are separate tasks.
/// @param p  (n, 2) or (n, 2, 2)    @param k  fr254 (n)
/// @return   one point; n = 0 gives infinity.
inline Tensor curve_msm(orr_curve curve, const Operand &p, const Operand &k, ORRERY_CALLER)
{
    return detail::made(orr_curve_msm_at(file, line, curve, p.get(), k.get()), file, line);
}

/// True if Π e(p_i, q_i) = 1, by the optimal ate pairing.
/// @param p  (n, 2)    @param q  (n, 2, 2), of order r (ORR_EINDEX)    @return  bool, rank 0.
inline Tensor curve_pairing_check(const Operand &p, const Operand &q, ORRERY_CALLER)
{
    return detail::made(orr_curve_pairing_check_at(file, line, p.get(), q.get()), file, line);
}

inline Tensor Tensor::variable(const char *file, int line) const
{
    return orrery::variable(Operand(*this, file, line), file, line);
}
inline orr_status Tensor::assign(const Operand &t, const char *file, int line) const
{
    return orrery::assign(Operand(*this, file, line), t, file, line);
}
inline Tensor Tensor::add(const Operand &y, const char *file, int line) const
{
    return orrery::add(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::sub(const Operand &y, const char *file, int line) const
{
    return orrery::sub(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::mul(const Operand &y, const char *file, int line) const
{
    return orrery::mul(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::div(const Operand &y, const char *file, int line) const
{
    return orrery::div(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::floor_divide(const Operand &y, const char *file, int line) const
{
    return orrery::floor_divide(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::remainder(const Operand &y, const char *file, int line) const
{
    return orrery::remainder(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::pow(const Operand &y, const char *file, int line) const
{
    return orrery::pow(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::fma(const Operand &y, const Operand &z, const char *file, int line) const
{
    return orrery::fma(Operand(*this, file, line), y, z, file, line);
}
inline Tensor Tensor::neg(const char *file, int line) const
{
    return orrery::neg(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::positive(const char *file, int line) const
{
    return orrery::positive(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::abs(const char *file, int line) const
{
    return orrery::abs(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::sign(const char *file, int line) const
{
    return orrery::sign(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::square(const char *file, int line) const
{
    return orrery::square(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::reciprocal(const char *file, int line) const
{
    return orrery::reciprocal(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::sqrt(const char *file, int line) const
{
    return orrery::sqrt(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::rsqrt(const char *file, int line) const
{
    return orrery::rsqrt(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::hypot(const Operand &y, const char *file, int line) const
{
    return orrery::hypot(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::ceil(const char *file, int line) const
{
    return orrery::ceil(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::floor(const char *file, int line) const
{
    return orrery::floor(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::trunc(const char *file, int line) const
{
    return orrery::trunc(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::round(const char *file, int line) const
{
    return orrery::round(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::copysign(const Operand &y, const char *file, int line) const
{
    return orrery::copysign(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::nextafter(const Operand &y, const char *file, int line) const
{
    return orrery::nextafter(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::signbit(const char *file, int line) const
{
    return orrery::signbit(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::isfinite(const char *file, int line) const
{
    return orrery::isfinite(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::isinf(const char *file, int line) const
{
    return orrery::isinf(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::isnan(const char *file, int line) const
{
    return orrery::isnan(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::maximum(const Operand &y, const char *file, int line) const
{
    return orrery::maximum(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::minimum(const Operand &y, const char *file, int line) const
{
    return orrery::minimum(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::clip(const Operand &y, const Operand &z, const char *file, int line) const
{
    return orrery::clip(Operand(*this, file, line), y, z, file, line);
}
inline Tensor Tensor::where(const Operand &y, const Operand &z, const char *file, int line) const
{
    return orrery::where(Operand(*this, file, line), y, z, file, line);
}
inline Tensor Tensor::equal(const Operand &y, const char *file, int line) const
{
    return orrery::equal(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::not_equal(const Operand &y, const char *file, int line) const
{
    return orrery::not_equal(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::less(const Operand &y, const char *file, int line) const
{
    return orrery::less(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::less_equal(const Operand &y, const char *file, int line) const
{
    return orrery::less_equal(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::greater(const Operand &y, const char *file, int line) const
{
    return orrery::greater(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::greater_equal(const Operand &y, const char *file, int line) const
{
    return orrery::greater_equal(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::logical_and(const Operand &y, const char *file, int line) const
{
    return orrery::logical_and(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::logical_or(const Operand &y, const char *file, int line) const
{
    return orrery::logical_or(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::logical_xor(const Operand &y, const char *file, int line) const
{
    return orrery::logical_xor(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::logical_not(const char *file, int line) const
{
    return orrery::logical_not(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::bitwise_and(const Operand &y, const char *file, int line) const
{
    return orrery::bitwise_and(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::bitwise_or(const Operand &y, const char *file, int line) const
{
    return orrery::bitwise_or(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::bitwise_xor(const Operand &y, const char *file, int line) const
{
    return orrery::bitwise_xor(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::bitwise_invert(const char *file, int line) const
{
    return orrery::bitwise_invert(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::bitwise_left_shift(const Operand &y, const char *file, int line) const
{
    return orrery::bitwise_left_shift(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::bitwise_right_shift(const Operand &y, const char *file, int line) const
{
    return orrery::bitwise_right_shift(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::exp(const char *file, int line) const
{
    return orrery::exp(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::expm1(const char *file, int line) const
{
    return orrery::expm1(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::log(const char *file, int line) const
{
    return orrery::log(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::log1p(const char *file, int line) const
{
    return orrery::log1p(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::log2(const char *file, int line) const
{
    return orrery::log2(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::log10(const char *file, int line) const
{
    return orrery::log10(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::logaddexp(const Operand &y, const char *file, int line) const
{
    return orrery::logaddexp(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::sin(const char *file, int line) const
{
    return orrery::sin(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::cos(const char *file, int line) const
{
    return orrery::cos(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::tan(const char *file, int line) const
{
    return orrery::tan(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::asin(const char *file, int line) const
{
    return orrery::asin(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::acos(const char *file, int line) const
{
    return orrery::acos(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::atan(const char *file, int line) const
{
    return orrery::atan(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::atan2(const Operand &y, const char *file, int line) const
{
    return orrery::atan2(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::sinh(const char *file, int line) const
{
    return orrery::sinh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::cosh(const char *file, int line) const
{
    return orrery::cosh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::tanh(const char *file, int line) const
{
    return orrery::tanh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::asinh(const char *file, int line) const
{
    return orrery::asinh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::acosh(const char *file, int line) const
{
    return orrery::acosh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::atanh(const char *file, int line) const
{
    return orrery::atanh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::erf(const char *file, int line) const
{
    return orrery::erf(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::erfc(const char *file, int line) const
{
    return orrery::erfc(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::sigmoid(const char *file, int line) const
{
    return orrery::sigmoid(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::softplus(const char *file, int line) const
{
    return orrery::softplus(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::relu(const char *file, int line) const
{
    return orrery::relu(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::prelu(const Operand &y, const char *file, int line) const
{
    return orrery::prelu(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::elu_with(const Operand &y, const char *file, int line) const
{
    return orrery::elu_with(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::silu(const char *file, int line) const
{
    return orrery::silu(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::mish(const char *file, int line) const
{
    return orrery::mish(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::gelu_tanh(const char *file, int line) const
{
    return orrery::gelu_tanh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::gelu(const char *file, int line) const
{
    return orrery::gelu(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::hardswish(const char *file, int line) const
{
    return orrery::hardswish(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::complex(const Operand &y, const char *file, int line) const
{
    return orrery::complex(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::real(const char *file, int line) const
{
    return orrery::real(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::imag(const char *file, int line) const
{
    return orrery::imag(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::conj(const char *file, int line) const
{
    return orrery::conj(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::angle(const char *file, int line) const
{
    return orrery::angle(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::cast(orr_dtype dtype, const char *file, int line) const
{
    return orrery::cast(Operand(*this, file, line), dtype, file, line);
}
inline Tensor Tensor::reshape(const Shape &shape, const char *file, int line) const
{
    return orrery::reshape(Operand(*this, file, line), shape, file, line);
}
inline Tensor Tensor::permute(const Axes &axes, const char *file, int line) const
{
    return orrery::permute(Operand(*this, file, line), axes, file, line);
}
inline Tensor Tensor::transpose(const char *file, int line) const
{
    return orrery::transpose(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::broadcast_to(const Shape &shape, const char *file, int line) const
{
    return orrery::broadcast_to(Operand(*this, file, line), shape, file, line);
}
inline Tensor Tensor::squeeze(const Axes &axes, const char *file, int line) const
{
    return orrery::squeeze(Operand(*this, file, line), axes, file, line);
}
inline Tensor Tensor::expand_dims(int axis, const char *file, int line) const
{
    return orrery::expand_dims(Operand(*this, file, line), axis, file, line);
}
inline Tensor Tensor::slice(const Index &start, const Index &stop, const Index &step, const char *file, int line) const
{
    return orrery::slice(Operand(*this, file, line), start, stop, step, file, line);
}
inline Tensor Tensor::slice_axis(int axis, int64_t start, int64_t stop, int64_t step, const char *file, int line) const
{
    return orrery::slice_axis(Operand(*this, file, line), axis, start, stop, step, file, line);
}
inline Tensor Tensor::select(int axis, int64_t index, const char *file, int line) const
{
    return orrery::select(Operand(*this, file, line), axis, index, file, line);
}
inline Tensor Tensor::sliding_window(int axis, int64_t length, int64_t step, const char *file, int line) const
{
    return orrery::sliding_window(Operand(*this, file, line), axis, length, step, file, line);
}
inline Tensor Tensor::flip(const Axes &axes, const char *file, int line) const
{
    return orrery::flip(Operand(*this, file, line), axes, file, line);
}
inline Tensor Tensor::sum(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::sum(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::prod(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::prod(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::mean(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::mean(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::var(const Axes &axes, double ddof, bool keepdims, const char *file, int line) const
{
    return orrery::var(Operand(*this, file, line), axes, ddof, keepdims, file, line);
}
inline Tensor Tensor::std(const Axes &axes, double ddof, bool keepdims, const char *file, int line) const
{
    return orrery::std(Operand(*this, file, line), axes, ddof, keepdims, file, line);
}
inline Tensor Tensor::norm(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::norm(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::logsumexp(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::logsumexp(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::min(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::min(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::max(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::max(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::any(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::any(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::all(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::all(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::argmax(int axis, bool keepdims, const char *file, int line) const
{
    return orrery::argmax(Operand(*this, file, line), axis, keepdims, file, line);
}
inline Tensor Tensor::argmin(int axis, bool keepdims, const char *file, int line) const
{
    return orrery::argmin(Operand(*this, file, line), axis, keepdims, file, line);
}
inline Tensor Tensor::cumulative_sum(int axis, bool include_initial, const char *file, int line) const
{
    return orrery::cumulative_sum(Operand(*this, file, line), axis, include_initial, file, line);
}
inline Tensor Tensor::cumulative_prod(int axis, bool include_initial, const char *file, int line) const
{
    return orrery::cumulative_prod(Operand(*this, file, line), axis, include_initial, file, line);
}
inline Tensor Tensor::sort(int axis, bool descending, const char *file, int line) const
{
    return orrery::sort(Operand(*this, file, line), axis, descending, file, line);
}
inline Tensor Tensor::argsort(int axis, bool descending, const char *file, int line) const
{
    return orrery::argsort(Operand(*this, file, line), axis, descending, file, line);
}
inline Tensor Tensor::matmul(const Operand &b, const char *file, int line) const
{
    return orrery::matmul(Operand(*this, file, line), b, file, line);
}
inline Tensor Tensor::cholesky(const char *file, int line) const
{
    return orrery::cholesky(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::solve_triangular(const Operand &b, bool lower, bool transpose, bool unit, const char *file, int line) const
{
    return orrery::solve_triangular(Operand(*this, file, line), b, lower, transpose, unit, file, line);
}
inline Tensor Tensor::solve_cholesky(const Operand &b, const char *file, int line) const
{
    return orrery::solve_cholesky(Operand(*this, file, line), b, file, line);
}
inline Tensor Tensor::logdet(const char *file, int line) const
{
    return orrery::logdet(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::take(const Operand &indices, int axis, const char *file, int line) const
{
    return orrery::take(Operand(*this, file, line), indices, axis, file, line);
}
inline Tensor Tensor::scatter_add(const Operand &indices, const Operand &updates, int axis, const char *file, int line) const
{
    return orrery::scatter_add(Operand(*this, file, line), indices, updates, axis, file, line);
}
inline Tensor Tensor::one_hot(int64_t n, orr_dtype dtype, const char *file, int line) const
{
    return orrery::one_hot(Operand(*this, file, line), n, dtype, file, line);
}
inline Tensor Tensor::tril(int64_t k, const char *file, int line) const
{
    return orrery::tril(Operand(*this, file, line), k, file, line);
}
inline Tensor Tensor::triu(int64_t k, const char *file, int line) const
{
    return orrery::triu(Operand(*this, file, line), k, file, line);
}
inline Tensor Tensor::pad(const Index &lo, const Index &hi, double value, const char *file, int line) const
{
    return orrery::pad(Operand(*this, file, line), lo, hi, value, file, line);
}
inline Tensor Tensor::elu(double alpha, const char *file, int line) const
{
    return orrery::elu(Operand(*this, file, line), alpha, file, line);
}
inline Tensor Tensor::leaky_relu(double slope, const char *file, int line) const
{
    return orrery::leaky_relu(Operand(*this, file, line), slope, file, line);
}
inline Tensor Tensor::softmax(int axis, const char *file, int line) const
{
    return orrery::softmax(Operand(*this, file, line), axis, file, line);
}
inline Tensor Tensor::log_softmax(int axis, const char *file, int line) const
{
    return orrery::log_softmax(Operand(*this, file, line), axis, file, line);
}
inline Tensor Tensor::cross_entropy(const Operand &labels, const char *file, int line) const
{
    return orrery::cross_entropy(Operand(*this, file, line), labels, file, line);
}
inline Tensor Tensor::mse(const Operand &y, const char *file, int line) const
{
    return orrery::mse(Operand(*this, file, line), y, file, line);
}
inline Tensor Tensor::zeros_like(const char *file, int line) const
{
    return orrery::zeros_like(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::ones_like(const char *file, int line) const
{
    return orrery::ones_like(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::full_like(double value, const char *file, int line) const
{
    return orrery::full_like(Operand(*this, file, line), value, file, line);
}
inline Tensor Tensor::clip_between(double low, double high, const char *file, int line) const
{
    return orrery::clip_between(Operand(*this, file, line), low, high, file, line);
}
inline Tensor Tensor::diag(int64_t k, const char *file, int line) const
{
    return orrery::diag(Operand(*this, file, line), k, file, line);
}
inline Tensor Tensor::diagonal(int64_t k, const char *file, int line) const
{
    return orrery::diagonal(Operand(*this, file, line), k, file, line);
}
inline Tensor Tensor::moveaxis(const Axes &from, const Axes &to, const char *file, int line) const
{
    return orrery::moveaxis(Operand(*this, file, line), from, to, file, line);
}
inline Tensor Tensor::swapaxes(int axis, int other, const char *file, int line) const
{
    return orrery::swapaxes(Operand(*this, file, line), axis, other, file, line);
}
inline Tensor Tensor::repeat(int64_t n, int axis, const char *file, int line) const
{
    return orrery::repeat(Operand(*this, file, line), n, axis, file, line);
}
inline Tensor Tensor::repeat_each(const Operand &counts, int axis, const char *file, int line) const
{
    return orrery::repeat_each(Operand(*this, file, line), counts, axis, file, line);
}
inline Tensor Tensor::roll(const Index &shift, const Axes &axes, const char *file, int line) const
{
    return orrery::roll(Operand(*this, file, line), shift, axes, file, line);
}
inline Tensor Tensor::rot90(int64_t k, int first, int second, const char *file, int line) const
{
    return orrery::rot90(Operand(*this, file, line), k, first, second, file, line);
}
inline Tensor Tensor::tile(const Index &n, const char *file, int line) const
{
    return orrery::tile(Operand(*this, file, line), n, file, line);
}
inline std::vector<Tensor> Tensor::split(int n, int axis, const char *file, int line) const
{
    return orrery::split(Operand(*this, file, line), n, axis, file, line);
}
inline std::vector<Tensor> Tensor::cut(const View<const int64_t> &place, int axis, const char *file, int line) const
{
    return orrery::cut(Operand(*this, file, line), place, axis, file, line);
}
inline std::vector<Tensor> Tensor::unstack(int axis, int n, const char *file, int line) const
{
    return orrery::unstack(Operand(*this, file, line), axis, n, file, line);
}
inline Tensor Tensor::take_along_axis(const Operand &indices, int axis, const char *file, int line) const
{
    return orrery::take_along_axis(Operand(*this, file, line), indices, axis, file, line);
}
inline Tensor Tensor::gather_nd(const Operand &indices, const char *file, int line) const
{
    return orrery::gather_nd(Operand(*this, file, line), indices, file, line);
}
inline Tensor Tensor::scatter(const Operand &indices, const Operand &updates, int axis, orr_scatter_mode mode, const char *file, int line) const
{
    return orrery::scatter(Operand(*this, file, line), indices, updates, axis, mode, file, line);
}
inline Tensor Tensor::scatter_nd(const Operand &indices, const Operand &updates, orr_scatter_mode mode, const char *file, int line) const
{
    return orrery::scatter_nd(Operand(*this, file, line), indices, updates, mode, file, line);
}
inline Tensor Tensor::mask_select(const Operand &mask, const char *file, int line) const
{
    return orrery::mask_select(Operand(*this, file, line), mask, file, line);
}
inline Tensor Tensor::argwhere(const char *file, int line) const
{
    return orrery::argwhere(Operand(*this, file, line), file, line);
}
inline std::vector<Tensor> Tensor::nonzero(int n, const char *file, int line) const
{
    return orrery::nonzero(Operand(*this, file, line), n, file, line);
}
inline Tensor Tensor::count_nonzero(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::count_nonzero(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::searchsorted(const Operand &values, bool right, const char *file, int line) const
{
    return orrery::searchsorted(Operand(*this, file, line), values, right, file, line);
}
inline Tensor Tensor::top_places(int64_t k, int axis, bool largest, const char *file, int line) const
{
    return orrery::top_places(Operand(*this, file, line), k, axis, largest, file, line);
}
inline std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int axis, bool largest, const char *file, int line) const
{
    return orrery::topk(Operand(*this, file, line), k, axis, largest, file, line);
}
inline Tensor Tensor::unique_values(const char *file, int line) const
{
    return orrery::unique_values(Operand(*this, file, line), file, line);
}
inline std::tuple<Tensor, Tensor> Tensor::unique_counts(const char *file, int line) const
{
    return orrery::unique_counts(Operand(*this, file, line), file, line);
}
inline std::tuple<Tensor, Tensor> Tensor::unique_inverse(const char *file, int line) const
{
    return orrery::unique_inverse(Operand(*this, file, line), file, line);
}
inline std::tuple<Tensor, Tensor, Tensor, Tensor> Tensor::unique_all(const char *file, int line) const
{
    return orrery::unique_all(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::diff(int axis, int n, const Operand &prepend, const Operand &append, const char *file, int line) const
{
    return orrery::diff(Operand(*this, file, line), axis, n, prepend, append, file, line);
}
inline Tensor Tensor::bincount(const Operand &weights, int64_t length, const char *file, int line) const
{
    return orrery::bincount(Operand(*this, file, line), weights, length, file, line);
}
inline Tensor Tensor::histogram(const Operand &edges, const Operand &weights, const char *file, int line) const
{
    return orrery::histogram(Operand(*this, file, line), edges, weights, file, line);
}
inline Tensor Tensor::quantile(const View<const double> &q, const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::quantile(Operand(*this, file, line), q, axes, keepdims, file, line);
}
inline Tensor Tensor::median(const Axes &axes, bool keepdims, const char *file, int line) const
{
    return orrery::median(Operand(*this, file, line), axes, keepdims, file, line);
}
inline Tensor Tensor::covariance(double ddof, const char *file, int line) const
{
    return orrery::covariance(Operand(*this, file, line), ddof, file, line);
}
inline Tensor Tensor::correlation(const char *file, int line) const
{
    return orrery::correlation(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::tensordot(const Operand &b, const Axes &of_a, const Axes &of_b, const char *file, int line) const
{
    return orrery::tensordot(Operand(*this, file, line), b, of_a, of_b, file, line);
}
inline Tensor Tensor::vecdot(const Operand &b, int axis, const char *file, int line) const
{
    return orrery::vecdot(Operand(*this, file, line), b, axis, file, line);
}
inline Tensor Tensor::outer(const Operand &b, const char *file, int line) const
{
    return orrery::outer(Operand(*this, file, line), b, file, line);
}
inline Tensor Tensor::kron(const Operand &b, const char *file, int line) const
{
    return orrery::kron(Operand(*this, file, line), b, file, line);
}
inline Tensor Tensor::solve(const Operand &b, const char *file, int line) const
{
    return orrery::solve(Operand(*this, file, line), b, file, line);
}
inline Tensor Tensor::inv(const char *file, int line) const
{
    return orrery::inv(Operand(*this, file, line), file, line);
}
inline LstsqResult Tensor::lstsq(const Operand &b, double rtol, const char *file, int line) const
{
    return orrery::lstsq(Operand(*this, file, line), b, rtol, file, line);
}
inline Tensor Tensor::pinv(double rtol, const char *file, int line) const
{
    return orrery::pinv(Operand(*this, file, line), rtol, file, line);
}
inline Tensor Tensor::det(const char *file, int line) const
{
    return orrery::det(Operand(*this, file, line), file, line);
}
inline SlogdetResult Tensor::slogdet(const char *file, int line) const
{
    return orrery::slogdet(Operand(*this, file, line), file, line);
}
inline LuResult Tensor::lu(const char *file, int line) const
{
    return orrery::lu(Operand(*this, file, line), file, line);
}
inline QrResult Tensor::qr(bool complete, const char *file, int line) const
{
    return orrery::qr(Operand(*this, file, line), complete, file, line);
}
inline SvdResult Tensor::svd(bool full, const char *file, int line) const
{
    return orrery::svd(Operand(*this, file, line), full, file, line);
}
inline Tensor Tensor::svdvals(const char *file, int line) const
{
    return orrery::svdvals(Operand(*this, file, line), file, line);
}
inline EighResult Tensor::eigh(const char *file, int line) const
{
    return orrery::eigh(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::eigvalsh(const char *file, int line) const
{
    return orrery::eigvalsh(Operand(*this, file, line), file, line);
}
inline EigResult Tensor::eig(const char *file, int line) const
{
    return orrery::eig(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::eigvals(const char *file, int line) const
{
    return orrery::eigvals(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::vector_norm(const Axes &axes, bool keepdims, double order, const char *file, int line) const
{
    return orrery::vector_norm(Operand(*this, file, line), axes, keepdims, order, file, line);
}
inline Tensor Tensor::matrix_norm(orr_norm_kind kind, bool keepdims, const char *file, int line) const
{
    return orrery::matrix_norm(Operand(*this, file, line), kind, keepdims, file, line);
}
inline Tensor Tensor::cond(orr_norm_kind kind, const char *file, int line) const
{
    return orrery::cond(Operand(*this, file, line), kind, file, line);
}
inline Tensor Tensor::matrix_rank(double rtol, const char *file, int line) const
{
    return orrery::matrix_rank(Operand(*this, file, line), rtol, file, line);
}
inline Tensor Tensor::trace(int64_t k, const char *file, int line) const
{
    return orrery::trace(Operand(*this, file, line), k, file, line);
}
inline Tensor Tensor::matrix_power(int64_t power, const char *file, int line) const
{
    return orrery::matrix_power(Operand(*this, file, line), power, file, line);
}
inline Tensor Tensor::expm(const char *file, int line) const
{
    return orrery::expm(Operand(*this, file, line), file, line);
}
inline Tensor Tensor::cross(const Operand &b, int axis, const char *file, int line) const
{
    return orrery::cross(Operand(*this, file, line), b, axis, file, line);
}
inline Tensor Tensor::fft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::fft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::ifft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::ifft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::fftn(const Index &n, const Axes &axes, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::fftn(Operand(*this, file, line), n, axes, norm, file, line);
}
inline Tensor Tensor::ifftn(const Index &n, const Axes &axes, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::ifftn(Operand(*this, file, line), n, axes, norm, file, line);
}
inline Tensor Tensor::rfft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::rfft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::irfft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::irfft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::rfftn(const Index &n, const Axes &axes, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::rfftn(Operand(*this, file, line), n, axes, norm, file, line);
}
inline Tensor Tensor::irfftn(const Index &n, const Axes &axes, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::irfftn(Operand(*this, file, line), n, axes, norm, file, line);
}
inline Tensor Tensor::hfft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::hfft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::ihfft(int64_t n, int axis, orr_fft_norm norm, const char *file, int line) const
{
    return orrery::ihfft(Operand(*this, file, line), n, axis, norm, file, line);
}
inline Tensor Tensor::fftshift(const Axes &axes, const char *file, int line) const
{
    return orrery::fftshift(Operand(*this, file, line), axes, file, line);
}
inline Tensor Tensor::ifftshift(const Axes &axes, const char *file, int line) const
{
    return orrery::ifftshift(Operand(*this, file, line), axes, file, line);
}
inline Tensor Tensor::convolve(const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, const char *file, int line) const
{
    return orrery::convolve(Operand(*this, file, line), w, mode, boundary, file, line);
}
inline Tensor Tensor::correlate(const Operand &w, orr_conv_mode mode, orr_conv_boundary boundary, const char *file, int line) const
{
    return orrery::correlate(Operand(*this, file, line), w, mode, boundary, file, line);
}
inline Tensor Tensor::interp(const Operand &xp, const Operand &fp, const char *file, int line) const
{
    return orrery::interp(Operand(*this, file, line), xp, fp, file, line);
}
inline Tensor Op::apply(const List &x, const View<const double> &params, const char *file, int line) const
{
    return orrery::apply(*this, x, params, file, line);
}
inline std::string Op::name() const
{
    return orrery::op_name(*this);
}
inline int Op::arity() const
{
    return orrery::op_arity(*this);
}
inline orr_status Tensor::eval(const char *file, int line) const
{
    return orrery::eval(Operand(*this, file, line), file, line);
}
inline bool Tensor::eval_brief(const char *file, int line) const
{
    return orrery::eval_brief(Operand(*this, file, line), file, line);
}
inline orr_status Tensor::check(const char *file, int line) const
{
    return orrery::check(Operand(*this, file, line), file, line);
}
inline orr_status Tensor::warmup(const char *file, int line) const
{
    return orrery::warmup(Operand(*this, file, line), file, line);
}
inline Event Tensor::read_async(void *buf, size_t bytes, const char *file, int line) const
{
    return orrery::read_async(Operand(*this, file, line), buf, bytes, file, line);
}
inline bool Event::done() const
{
    return orrery::event_done(*this);
}
inline orr_status Event::cancel(const char *file, int line)
{
    return orrery::cancel(*this, file, line);
}
inline orr_status Tensor::eval_for(double seconds, const char *file, int line) const
{
    return orrery::eval_for(Operand(*this, file, line), seconds, file, line);
}
inline orr_status Event::cancellable_end(const char *file, int line)
{
    return orrery::cancellable_end(*this, file, line);
}
inline std::vector<Tensor> Graph::submit(const List &values, int n_results, Event *event, const char *file, int line)
{
    return orrery::graph_submit(*this, values, n_results, event, file, line);
}
inline orr_status Graph::submit_into(const List &values, const View<const orr_buffer> &to, Event *event, const char *file, int line)
{
    return orrery::graph_submit_into(*this, values, to, event, file, line);
}
inline std::vector<Tensor> Tensor::grad(const List &x, const char *file, int line) const
{
    return orrery::grad(Operand(*this, file, line), x, file, line);
}
inline std::vector<Tensor> Tensor::grad_or_zeros(const List &x, const char *file, int line) const
{
    return orrery::grad_or_zeros(Operand(*this, file, line), x, file, line);
}
inline std::vector<Tensor> Tensor::vjp(const Operand &seed, const List &x, const char *file, int line) const
{
    return orrery::vjp(Operand(*this, file, line), seed, x, file, line);
}
inline Tensor Tensor::detach(const char *file, int line) const
{
    return orrery::detach(Operand(*this, file, line), file, line);
}
inline Tensor Module::forward(const Operand &x, const char *file, int line) const
{
    return orrery::forward(*this, x, file, line);
}
inline Tensor Module::forward_all(const List &x, const char *file, int line) const
{
    return orrery::forward_all(*this, x, file, line);
}
inline Tensor Module::add_parameter(const std::string &name, const Operand &value, const char *file, int line)
{
    return orrery::module_add_parameter(*this, name, value, file, line);
}
inline Tensor Module::add_state(const std::string &name, const Operand &value, const char *file, int line)
{
    return orrery::module_add_state(*this, name, value, file, line);
}
inline Module Module::add_part(const char *name, Module part, const char *file, int line)
{
    return orrery::module_add_part(*this, name, std::move(part), file, line);
}
inline Module Module::part(int i) const
{
    return orrery::module_part(*this, i);
}
inline void Module::train(bool training)
{
    orrery::module_train(*this, training);
}
inline bool Module::training() const
{
    return orrery::module_training(*this);
}
inline orr_status Module::fold(const char *file, int line)
{
    return orrery::module_fold(*this, file, line);
}
inline std::vector<orr_parameter> Module::parameters() const
{
    return orrery::module_parameters(*this);
}
inline std::vector<orr_parameter> Module::states() const
{
    return orrery::module_states(*this);
}
inline Tensor Module::variable(const std::string &path) const
{
    return orrery::module_variable(*this, path);
}
inline int64_t Module::size() const
{
    return orrery::module_size(*this);
}
inline orr_status Module::save(const std::string &path, const char *file, int line) const
{
    return orrery::module_save(*this, path, file, line);
}
inline orr_status Module::load(const std::string &path, const char *file, int line)
{
    return orrery::module_load(*this, path, file, line);
}
inline orr_status Optim::step(const Operand &loss, const char *file, int line)
{
    return orrery::optim_step(*this, loss, file, line);
}
inline orr_status Optim::apply(const List &grads, const char *file, int line)
{
    return orrery::optim_apply(*this, grads, file, line);
}
inline orr_status Optim::accumulate(const Operand &loss, const char *file, int line)
{
    return orrery::optim_accumulate(*this, loss, file, line);
}
inline orr_status Optim::step_accumulated(const char *file, int line)
{
    return orrery::optim_step_accumulated(*this, file, line);
}
inline orr_status Optim::set_lr(double lr, const char *file, int line)
{
    return orrery::optim_set_lr(*this, lr, file, line);
}
inline double Optim::lr() const
{
    return orrery::optim_lr(*this);
}
inline int64_t Optim::steps() const
{
    return orrery::optim_steps(*this);
}
inline std::vector<orr_parameter> Optim::state() const
{
    return orrery::optim_state(*this);
}
inline orr_status Optim::save(const std::string &path, const char *file, int line) const
{
    return orrery::optim_save(*this, path, file, line);
}
inline orr_status Optim::load(const std::string &path, const char *file, int line)
{
    return orrery::optim_load(*this, path, file, line);
}
inline orr_status Checkpoint::add_variable(const std::string &name, const Operand &variable, const char *file, int line)
{
    return orrery::checkpoint_add_variable(*this, name, variable, file, line);
}
inline orr_status Checkpoint::add_module(const std::string &name, Module &m, const char *file, int line)
{
    return orrery::checkpoint_add_module(*this, name, m, file, line);
}
inline orr_status Checkpoint::add_optim(const std::string &name, Optim &o, const char *file, int line)
{
    return orrery::checkpoint_add_optim(*this, name, o, file, line);
}
inline orr_status Checkpoint::add_bytes(const std::string &name, void *data, size_t bytes, const char *file, int line)
{
    return orrery::checkpoint_add_bytes(*this, name, data, bytes, file, line);
}
inline orr_status Checkpoint::save(const char *file, int line)
{
    return orrery::checkpoint_save(*this, file, line);
}
inline bool Checkpoint::load(const char *file, int line)
{
    return orrery::checkpoint_load(*this, file, line);
}
inline int64_t Checkpoint::generation() const
{
    return orrery::checkpoint_generation(*this);
}
inline bool Checkpoint::due(double seconds) const
{
    return orrery::checkpoint_due(*this, seconds);
}
inline KvCache Module::kv_cache_new(int64_t batch, int64_t capacity, const char *file, int line) const
{
    return orrery::kv_cache_new(*this, batch, capacity, file, line);
}
inline Tensor KvCache::forward_cached(const Operand &x, const char *file, int line)
{
    return orrery::forward_cached(*this, x, file, line);
}
inline int64_t KvCache::length() const
{
    return orrery::kv_cache_length(*this);
}
inline void KvCache::clear()
{
    orrery::kv_cache_clear(*this);
}
inline Tensor Module::recurrent_forward(const Operand &x, const Operand &lengths, Tensor *state, const char *file, int line) const
{
    return orrery::recurrent_forward(*this, x, lengths, state, file, line);
}
inline orr_status Optim::step_scaled(const Operand &loss, orr_loss_scale &scale, bool *stepped, const char *file, int line)
{
    return orrery::optim_step_scaled(*this, loss, scale, stepped, file, line);
}
inline Tensor Module::recompute(const Operand &x, const char *file, int line) const
{
    return orrery::recompute(*this, x, file, line);
}
inline Average Module::average_new(double decay, const char *file, int line) const
{
    return orrery::average_new(*this, decay, file, line);
}
inline orr_status Average::update(const char *file, int line)
{
    return orrery::average_update(*this, file, line);
}
inline orr_status Average::swap(const char *file, int line)
{
    return orrery::average_swap(*this, file, line);
}
inline int64_t Grid::place(int axis) const
{
    return orrery::grid_place(*this, axis);
}
inline int Loader::classes() const
{
    return orrery::loader_classes(*this);
}
inline std::string Loader::class_(int k) const
{
    return orrery::loader_class(*this, k);
}
inline int Loader::arrays() const
{
    return orrery::loader_arrays(*this);
}
inline std::tuple<int64_t, std::vector<Tensor>> Loader::next(const char *file, int line)
{
    return orrery::loader_next(*this, file, line);
}
inline int64_t Loader::batches() const
{
    return orrery::loader_batches(*this);
}
inline orr_status Module::data_parallel(Optim &o, const std::optional<orr_data_parallel_options> &options, const char *file, int line)
{
    return orrery::data_parallel(*this, o, options, file, line);
}
inline orr_status DpBudget::spend(const orr_dp_mechanism &m, int64_t times, const char *file, int line)
{
    return orrery::dp_budget_spend(*this, m, times, file, line);
}
inline double DpBudget::spent(const char *file, int line) const
{
    return orrery::dp_budget_spent(*this, file, line);
}
inline int64_t DpBudget::left(const orr_dp_mechanism &m, const char *file, int line)
{
    return orrery::dp_budget_left(*this, m, file, line);
}
inline orr_status DpBudget::keep(const std::string &path, const char *file, int line)
{
    return orrery::dp_budget_keep(*this, path, file, line);
}
inline orr_status DpBudget::allow(unsigned what, const char *file, int line)
{
    return orrery::dp_budget_allow(*this, what, file, line);
}
inline orr_status Checkpoint::add_budget(const std::string &name, DpBudget &b, const char *file, int line)
{
    return orrery::checkpoint_add_budget(*this, name, b, file, line);
}
inline bool DpSparse::ask(double query, const char *file, int line)
{
    return orrery::dp_sparse_ask(*this, query, file, line);
}
inline DpSgd Module::dp_sgd_new(Optim &o, const std::optional<orr_dp_options> &options, const char *file, int line) const
{
    return orrery::dp_sgd_new(*this, o, options, file, line);
}
inline orr_status DpSgd::step(const Operand &x, const Operand &target, double *loss, const char *file, int line)
{
    return orrery::dp_sgd_step(*this, x, target, loss, file, line);
}
inline double DpSgd::clip() const
{
    return orrery::dp_sgd_clip(*this);
}
inline int64_t DpSgd::steps() const
{
    return orrery::dp_sgd_steps(*this);
}
inline orr_status Checkpoint::add_dp_sgd(const std::string &name, DpSgd &t, const char *file, int line)
{
    return orrery::checkpoint_add_dp_sgd(*this, name, t, file, line);
}
inline std::vector<unsigned char> SecaggClient::secagg_advertise(const char *file, int line)
{
    return orrery::secagg_advertise(*this, file, line);
}
inline std::vector<unsigned char> SecaggClient::secagg_share_keys(const View<const unsigned char> &in, const char *file, int line)
{
    return orrery::secagg_share_keys(*this, in, file, line);
}
inline std::vector<unsigned char> SecaggClient::secagg_mask(const View<const unsigned char> &in, const Operand &x, const char *file, int line)
{
    return orrery::secagg_mask(*this, in, x, file, line);
}
inline std::vector<unsigned char> SecaggClient::secagg_confirm(const View<const unsigned char> &in, const char *file, int line)
{
    return orrery::secagg_confirm(*this, in, file, line);
}
inline std::vector<unsigned char> SecaggClient::secagg_unmask(const View<const unsigned char> &in, const char *file, int line)
{
    return orrery::secagg_unmask(*this, in, file, line);
}
inline int SecaggServer::secagg_receive(const View<const orr_bytes> &in, const char *file, int line)
{
    return orrery::secagg_receive(*this, in, file, line);
}
inline orr_status SecaggServer::secagg_close(const char *file, int line)
{
    return orrery::secagg_close(*this, file, line);
}
inline std::vector<unsigned char> SecaggServer::secagg_send(int index, const char *file, int line)
{
    return orrery::secagg_send(*this, index, file, line);
}
inline bool SecaggServer::secagg_alive(int index) const
{
    return orrery::secagg_alive(*this, index);
}
inline Tensor SecaggServer::secagg_result(orr_dtype dtype, const char *file, int line)
{
    return orrery::secagg_result(*this, dtype, file, line);
}
inline Paillier Paillier::public_(const char *file, int line) const
{
    return orrery::paillier_public(*this, file, line);
}
inline int Paillier::bits() const
{
    return orrery::paillier_bits(*this);
}
inline bool Paillier::has_private() const
{
    return orrery::paillier_has_private(*this);
}
inline orr_status Paillier::id(unsigned char (&id)[16], const char *file, int line) const
{
    return orrery::paillier_id(*this, id, file, line);
}
inline std::vector<unsigned char> Paillier::save(bool with_private, const char *file, int line) const
{
    return orrery::paillier_save(*this, with_private, file, line);
}
inline orr_status Paillier::prepare(int64_t count, const char *file, int line)
{
    return orrery::paillier_prepare(*this, count, file, line);
}
inline Encrypted Paillier::encrypt(const Operand &x, const orr_packing &packing, const char *file, int line)
{
    return orrery::paillier_encrypt(*this, x, packing, file, line);
}
inline Tensor Paillier::decrypt(const Encrypted &e, orr_dtype dtype, const char *file, int line) const
{
    return orrery::paillier_decrypt(*this, e, dtype, file, line);
}
inline Encrypted Encrypted::paillier_add(const Encrypted &b, const char *file, int line) const
{
    return orrery::paillier_add(*this, b, file, line);
}
inline Encrypted Encrypted::paillier_add_plain(const Operand &x, const char *file, int line) const
{
    return orrery::paillier_add_plain(*this, x, file, line);
}
inline Encrypted Encrypted::paillier_mul_plain(const Operand &w, int fraction, const char *file, int line) const
{
    return orrery::paillier_mul_plain(*this, w, fraction, file, line);
}
inline Encrypted Encrypted::paillier_sum(int axis, const char *file, int line) const
{
    return orrery::paillier_sum(*this, axis, file, line);
}
inline Encrypted Encrypted::paillier_dot(const Operand &w, int axis, int fraction, const char *file, int line) const
{
    return orrery::paillier_dot(*this, w, axis, fraction, file, line);
}
inline Encrypted Paillier::rerandomize(const Encrypted &a, const char *file, int line)
{
    return orrery::paillier_rerandomize(*this, a, file, line);
}
inline Shape Encrypted::shape() const
{
    return orrery::encrypted_shape(*this);
}
inline int Encrypted::slots() const
{
    return orrery::encrypted_slots(*this);
}
inline std::vector<unsigned char> Encrypted::save(const char *file, int line) const
{
    return orrery::encrypted_save(*this, file, line);
}
inline Encrypted Paillier::encrypted_load(const View<const unsigned char> &in, const char *file, int line) const
{
    return orrery::encrypted_load(*this, in, file, line);
}

/* -- exchange with memory ------------------------------------------------------------------------------------- */

namespace detail {

inline int64_t count_of(const Shape &s)
{
    int64_t n = 1;
    for (int64_t d : s)
        n *= d;
    return n;
}

/* Whether `size` elements are those of a tensor; the error of a wrong number is the library's. */
inline orr_status fits(const Tensor &t, size_t size, size_t element, const char *file, int line)
{
    if (t.size() >= 0 && static_cast<size_t>(t.size()) == size)
        return ORR_OK;
    unsigned char none;
    orr_status status = orr_read_at(file, line, t.get(), &none, size * element);
    status = status == ORR_OK ? ORR_EINVAL : status;
    fail(status, file, line);
    return status;
}

template <class F> void release_of(void *data, void *user)
{
    (void)data;
    auto *f = static_cast<F *>(user);
    (*f)();
    delete f;
}

/* Whether data has as many elements as the shape; negative lengths are left to the library's refusal. */
inline bool fills(size_t size, const Shape &shape)
{
    const int64_t n = count_of(shape);
    return n < 0 || static_cast<uint64_t>(n) == size;
}

/* The library's refusal of a shape with another number of elements. */
template <class T> orr_tensor *refused(const View<T> &data, const Shape &shape, const char *file, int line)
{
    orr_tensor *line_of = orr_from_at(file, line, dtype_of<std::remove_const_t<T>>(), Shape{ static_cast<int64_t>(data.size()) }, data.data());
    orr_tensor *t = orr_reshape_at(file, line, line_of, shape);
    (void)orr_free_at(file, line, line_of);
    return t;
}

} // namespace detail

template <class T> Tensor Tensor::from(View<const T> data, const Shape &shape, const char *file, int line)
{
    if (!detail::fills(data.size(), shape))
        return detail::made(detail::refused(data, shape, file, line), file, line);
    return detail::made(orr_from_at(file, line, detail::dtype_of<T>(), shape, data.data()), file, line);
}

template <class T, class F>
Tensor Tensor::wrap(View<T> data, const Shape &shape, F release, const char *file, int line)
{
    if (!detail::fills(data.size(), shape))
        return detail::made(detail::refused(data, shape, file, line), file, line);
    auto *f = new F(std::move(release));
    orr_tensor *t = orr_wrap_at(file, line, detail::dtype_of<T>(), shape, data.data(), detail::release_of<F>, f);
    if (orr_tensor_status(t) != ORR_OK)
        delete f;
    return detail::made(t, file, line);
}

template <class T> View<const T> Tensor::data(const char *file, int line) const
{
    if (orr_tensor_dtype(t_) != detail::dtype_of<T>() && status() == ORR_OK) {
        /* The message of a sum of two dtypes that differ is none of an access; the library's refusal of the size is. */
        (void)detail::fits(*this, static_cast<size_t>(size()) + 1, sizeof(T), file, line);
        return {};
    }
    const void *p = orr_data_at(file, line, t_);
    if (!p && size() != 0)
        detail::fail(orr_error_status(), file, line);
    return p ? View<const T>(static_cast<const T *>(p), static_cast<size_t>(size())) : View<const T>();
}

template <class T> orr_status Tensor::read(View<T> to, const char *file, int line) const
{
    const orr_status status = detail::fits(*this, to.size(), sizeof(T), file, line);
    if (status != ORR_OK)
        return status;
    if (dtype() == detail::dtype_of<T>())
        return detail::check(orr_read_at(file, line, t_, to.data(), to.size() * sizeof(T)), file, line);
    const Tensor same = orrery::cast(*this, detail::dtype_of<T>(), file, line);
    return detail::check(orr_read_at(file, line, same.get(), to.data(), to.size() * sizeof(T)), file, line);
}

template <class T> std::vector<T> Tensor::to_vector(const char *file, int line) const
{
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory: use unsigned char");
    std::vector<T> r(size() > 0 ? static_cast<size_t>(size()) : 0);
    if (read(View<T>(r.data(), r.size()), file, line) != ORR_OK)
        r.clear();
    return r;
}

template <class T> T Tensor::item(const char *file, int line) const
{
    if constexpr (std::is_floating_point_v<T>) {
        double v = 0;
        (void)detail::check(orr_item_at(file, line, t_, &v), file, line);
        return static_cast<T>(v);
    } else if constexpr (std::is_arithmetic_v<T>) {
        orr_number v = {};
        (void)detail::check(orr_item_number_at(file, line, t_, &v), file, line);
        return v.dtype == ORR_F64 ? static_cast<T>(v.f) : v.dtype == ORR_U64 ? static_cast<T>(v.u) : static_cast<T>(v.i);
    } else {
        double re = 0, im = 0;
        (void)detail::check(orr_item_complex_at(file, line, t_, &re, &im), file, line);
        return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
    }
}

/* -- indices ---------------------------------------------------------------------------------------------------- */

inline Tensor Tensor::operator()(const Key &k0, const Key &k1, const Key &k2, const Key &k3, const Key &k4, const Key &k5,
                                 const Key &k6, const Key &k7, const Key &k8, const char *file, int line) const
{
    const Key *const keys[] = { &k0, &k1, &k2, &k3, &k4, &k5, &k6, &k7, &k8 };
    const Key whole{ Key::span };
    std::vector<Key> each;
    int used = 0;
    for (const Key *k : keys)
        used += k->kind == Key::place || k->kind == Key::span;
    for (const Key *k : keys) {
        if (k->kind == Key::rest)
            each.insert(each.end(), static_cast<size_t>(std::max(0, rank() - used)), whole);
        else if (k->kind != Key::absent)
            each.push_back(*k);
    }
    std::vector<int64_t> start, stop, step;
    for (const Key &k : each)
        if (k.kind != Key::new_axis) {
            const bool span = k.kind == Key::span;
            start.push_back(span ? k.start : ORR_END);
            stop.push_back(span ? k.stop : ORR_END);
            step.push_back(span ? k.step : 1);
        }
    Tensor r = start.empty() ? *this : orrery::slice(*this, Index(start), Index(stop), Index(step), file, line);
    int axis = 0;
    for (const Key &k : each) {
        if (k.kind == Key::place)
            r = orrery::select(r, axis, k.start, file, line);
        else if (k.kind == Key::new_axis)
            r = orrery::expand_dims(r, axis++, file, line);
        else
            axis++;
    }
    return r;
}

/* -- operators --------------------------------------------------------------------------------------------------- */

/** orrery::add. */
inline Tensor operator+(const Operand &x, const Operand &y)
{
    return orrery::add(x, y, x.file(), x.line());
}
inline Tensor &operator+=(Tensor &x, const Operand &y)
{
    x = orrery::add(x, y, y.file(), y.line());
    return x;
}
/** orrery::sub. */
inline Tensor operator-(const Operand &x, const Operand &y)
{
    return orrery::sub(x, y, x.file(), x.line());
}
inline Tensor &operator-=(Tensor &x, const Operand &y)
{
    x = orrery::sub(x, y, y.file(), y.line());
    return x;
}
/** orrery::mul. */
inline Tensor operator*(const Operand &x, const Operand &y)
{
    return orrery::mul(x, y, x.file(), x.line());
}
inline Tensor &operator*=(Tensor &x, const Operand &y)
{
    x = orrery::mul(x, y, y.file(), y.line());
    return x;
}
/** orrery::div. */
inline Tensor operator/(const Operand &x, const Operand &y)
{
    return orrery::div(x, y, x.file(), x.line());
}
inline Tensor &operator/=(Tensor &x, const Operand &y)
{
    x = orrery::div(x, y, y.file(), y.line());
    return x;
}
/** orrery::remainder. */
inline Tensor operator%(const Operand &x, const Operand &y)
{
    return orrery::remainder(x, y, x.file(), x.line());
}
inline Tensor &operator%=(Tensor &x, const Operand &y)
{
    x = orrery::remainder(x, y, y.file(), y.line());
    return x;
}
/** orrery::bitwise_and. */
inline Tensor operator&(const Operand &x, const Operand &y)
{
    return orrery::bitwise_and(x, y, x.file(), x.line());
}
inline Tensor &operator&=(Tensor &x, const Operand &y)
{
    x = orrery::bitwise_and(x, y, y.file(), y.line());
    return x;
}
/** orrery::bitwise_or. */
inline Tensor operator|(const Operand &x, const Operand &y)
{
    return orrery::bitwise_or(x, y, x.file(), x.line());
}
inline Tensor &operator|=(Tensor &x, const Operand &y)
{
    x = orrery::bitwise_or(x, y, y.file(), y.line());
    return x;
}
/** orrery::bitwise_xor. */
inline Tensor operator^(const Operand &x, const Operand &y)
{
    return orrery::bitwise_xor(x, y, x.file(), x.line());
}
inline Tensor &operator^=(Tensor &x, const Operand &y)
{
    x = orrery::bitwise_xor(x, y, y.file(), y.line());
    return x;
}
/** orrery::bitwise_left_shift. */
inline Tensor operator<<(const Operand &x, const Operand &y)
{
    return orrery::bitwise_left_shift(x, y, x.file(), x.line());
}
/** orrery::bitwise_right_shift. */
inline Tensor operator>>(const Operand &x, const Operand &y)
{
    return orrery::bitwise_right_shift(x, y, x.file(), x.line());
}
/** orrery::less. */
inline Tensor operator<(const Operand &x, const Operand &y)
{
    return orrery::less(x, y, x.file(), x.line());
}
/** orrery::less_equal. */
inline Tensor operator<=(const Operand &x, const Operand &y)
{
    return orrery::less_equal(x, y, x.file(), x.line());
}
/** orrery::greater. */
inline Tensor operator>(const Operand &x, const Operand &y)
{
    return orrery::greater(x, y, x.file(), x.line());
}
/** orrery::greater_equal. */
inline Tensor operator>=(const Operand &x, const Operand &y)
{
    return orrery::greater_equal(x, y, x.file(), x.line());
}
/** orrery::equal. */
inline Tensor operator==(const Operand &x, const Operand &y)
{
    return orrery::equal(x, y, x.file(), x.line());
}
/** orrery::not_equal. */
inline Tensor operator!=(const Operand &x, const Operand &y)
{
    return orrery::not_equal(x, y, x.file(), x.line());
}
inline Tensor operator-(const Operand &x)
{
    return orrery::neg(x, x.file(), x.line());
}
inline Tensor operator+(const Operand &x)
{
    return orrery::positive(x, x.file(), x.line());
}
inline Tensor operator~(const Operand &x)
{
    return orrery::bitwise_invert(x, x.file(), x.line());
}

inline std::ostream &operator<<(std::ostream &to, const Tensor &t)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    const orr_status status = f ? orr_print_at("operator<<", 0, f, t.get()) : ORR_ENOMEM;
    if (f)
        (void)std::fclose(f);
    if (status == ORR_OK)
        to.write(text, static_cast<std::streamsize>(size));
    else
        to.setstate(std::ios_base::failbit);
    std::free(text);
    return to;
}

} // namespace with_status or with_exceptions
} // namespace orrery

#if defined(__cpp_lib_ranges)
/* A View is as good as the container that it looks at: std::span takes a temporary one. */
template <class T> inline constexpr bool std::ranges::enable_borrowed_range<orrery::View<T>> = true;
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
