
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

@OPERATORS@
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
