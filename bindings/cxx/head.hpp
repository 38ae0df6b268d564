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

@DTYPES@

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

@CLASSES_DECLARED@
@RESULTS_DECLARED@

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
@METHODS_DECLARED@

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
