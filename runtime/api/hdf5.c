/* HDF5 files, by libhdf5 if configure found it. The library has one global state, so only one call runs at a time.
 * Must not know: how a value is computed. */
#include "config.h"
#include <orrery/io.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ops/ops.h"
#include "runtime/api/eval.h"
#include "runtime/api/file_sink.h"
#include "runtime/api/file_source.h"
#include "runtime/api/named.h"
#include "runtime/api/npy.h"
#include "runtime/api/stored.h"
#include "runtime/base/fork.h"

#ifdef HAVE_HDF5
#include "runtime/api/hdf5_library.h"

/* DEFLATE_MOST: bytes that deflate makes of one, at most. CHUNK_RANK: axes of a chunk; some versions count one more than the data set
 * has. */
enum { DEFLATE_MOST = 1032, CHUNK_RANK = H5S_MAX_RANK + 1 }; /* limit of a format */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
ORR__GUARDED_IN_FORKS(one_at_a_time)

/* The former error output of the library. It prints its errors unless it is silenced; here the status reports them. */
typedef struct {
    H5E_auto2_t function;
    void *data;
} silence;

/* libhdf5 loses memory of damaged files, finds it at its exit, and prints so unless its errors are silenced. */
static atomic_bool refused;
static void silence_exit(void)
{
    if (atomic_load(&refused))
        (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static bool begin(orr__site at, silence *s)
{
    static bool watched;
    const char *why = orr__hdf5_open();
    if (why) {
        (void)orr__fail(at, ORR_EDEVICE, "the HDF5 library cannot be opened (install it): %s", why);
        return false;
    }
    *s = (silence){ NULL, NULL };
    (void)pthread_mutex_lock(&one_at_a_time);
    if (!watched) /* it is called before libhdf5's own handler, which is registered by now */
        watched = H5open() >= 0 && atexit(silence_exit) == 0;
    (void)H5Eget_auto2(H5E_DEFAULT, &s->function, &s->data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return true;
}

static void end(silence s, bool fine)
{
    if (!fine)
        atomic_store(&refused, true);
    (void)H5Eset_auto2(H5E_DEFAULT, s.function, s.data);
    (void)pthread_mutex_unlock(&one_at_a_time);
}

static orr_status fail(orr__site at, const char *path, const char *what)
{
    return orr__fail(at, ORR_EFORMAT, "%s: %s", path, what);
}

/* -- dtypes ------------------------------------------------------------------------------------------------------------ */

/* IEEE binary16, for which the library has no name; h5py makes the same type. */
static hid_t half_type(void)
{
    hid_t t = H5Tcopy(H5T_NATIVE_FLOAT);
    if (t >= 0 && (H5Tset_fields(t, 15, 10, 5, 0, 10) < 0 || H5Tset_size(t, 2) < 0 || H5Tset_ebias(t, 15) < 0)) {
        (void)H5Tclose(t);
        t = -1;
    }
    return t;
}

/* h5py's bool: an enumeration of bytes. */
static hid_t bool_type(void)
{
    const int8_t no = 0, yes = 1;
    hid_t t = H5Tenum_create(H5T_NATIVE_INT8);
    if (t >= 0)
        (void)(H5Tenum_insert(t, "FALSE", &no), H5Tenum_insert(t, "TRUE", &yes));
    return t;
}

/* h5py's complex: a compound of the members r and i. */
static hid_t complex_type(hid_t part)
{
    size_t size = H5Tget_size(part);
    hid_t t = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (t >= 0 && (H5Tinsert(t, "r", 0, part) < 0 || H5Tinsert(t, "i", size, part) < 0)) {
        (void)H5Tclose(t);
        t = -1;
    }
    return t;
}

/* The library's type for a dtype; the caller closes it. Negative: none. */
static hid_t type_of(orr_dtype t)
{
    switch (t) {
    case ORR_BOOL: return bool_type();
    case ORR_I8: return H5Tcopy(H5T_NATIVE_INT8);
    case ORR_I16: return H5Tcopy(H5T_NATIVE_INT16);
    case ORR_I32: return H5Tcopy(H5T_NATIVE_INT32);
    case ORR_I64: return H5Tcopy(H5T_NATIVE_INT64);
    case ORR_U8: return H5Tcopy(H5T_NATIVE_UINT8);
    case ORR_U16: return H5Tcopy(H5T_NATIVE_UINT16);
    case ORR_U32: return H5Tcopy(H5T_NATIVE_UINT32);
    case ORR_U64: return H5Tcopy(H5T_NATIVE_UINT64);
    case ORR_F16: return half_type();
    case ORR_F32: return H5Tcopy(H5T_NATIVE_FLOAT);
    case ORR_F64: return H5Tcopy(H5T_NATIVE_DOUBLE);
    case ORR_C64: return complex_type(H5T_NATIVE_FLOAT);
    case ORR_C128: return complex_type(H5T_NATIVE_DOUBLE);
    default: return -1;
    }
}

/* True if the parts of a float are those of IEEE 754: a file may place them anywhere, even outside the element. */
static bool is_ieee(hid_t t, size_t size)
{
    const size_t exponent = size == 2 ? 5 : size == 4 ? 8 : 11, mantissa = 8 * size - 1 - exponent;
    size_t sign, e, e_bits, m, m_bits;
    return H5Tget_fields(t, &sign, &e, &e_bits, &m, &m_bits) >= 0 && sign == 8 * size - 1 && e == mantissa &&
           e_bits == exponent && m == 0 && m_bits == mantissa && H5Tget_ebias(t) == ((size_t)1 << (exponent - 1)) - 1;
}

static orr_dtype dtype_of(hid_t t);

/* The dtype of member k of a compound, if it has that name and offset and is a float; else ORR_DTYPE_COUNT. */
static orr_dtype part_of(hid_t t, unsigned k, const char *name, size_t offset)
{
    char *is = H5Tget_member_name(t, k);
    hid_t type = H5Tget_member_type(t, k);
    bool fits = is && strcmp(is, name) == 0 && type >= 0 && H5Tget_member_offset(t, k) == offset &&
                H5Tget_class(type) == H5T_FLOAT;
    orr_dtype part = fits ? dtype_of(type) : ORR_DTYPE_COUNT;
    if (is)
        (void)H5free_memory(is);
    if (type >= 0)
        (void)H5Tclose(type);
    return part;
}

/* The complex dtype of a compound with members r and i without a gap. */
static orr_dtype complex_of(hid_t t)
{
    size_t size = H5Tget_size(t);
    orr_dtype re = part_of(t, 0, "r", 0), im = part_of(t, 1, "i", size / 2);
    return re != im || size % 2          ? ORR_DTYPE_COUNT
           : re == ORR_F32 && size == 8  ? ORR_C64
           : re == ORR_F64 && size == 16 ? ORR_C128
                                         : ORR_DTYPE_COUNT;
}

/* The dtype of a type in a file; ORR_DTYPE_COUNT: none. */
static orr_dtype dtype_of(hid_t t)
{
    size_t size = H5Tget_size(t);
    int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    H5T_class_t kind = H5Tget_class(t);
    if (kind == H5T_ENUM && log == 0 && H5Tget_nmembers(t) == 2)
        return ORR_BOOL;
    if (kind == H5T_COMPOUND)
        return H5Tget_nmembers(t) == 2 ? complex_of(t) : ORR_DTYPE_COUNT;
    if (log < 0 || H5Tget_precision(t) != 8 * size || H5Tget_offset(t) != 0)
        return ORR_DTYPE_COUNT;
    if (kind == H5T_INTEGER)
        return (orr_dtype)((H5Tget_sign(t) == H5T_SGN_NONE ? ORR_U8 : ORR_I8) + log);
    if (kind == H5T_FLOAT && log > 0 && is_ieee(t, size))
        return log == 1 ? ORR_F16 : log == 2 ? ORR_F32 : ORR_F64;
    return ORR_DTYPE_COUNT;
}

/* -- reading ------------------------------------------------------------------------------------------------------------ */

static hid_t open_file(orr__site at, const char *path, int64_t *size)
{
    int fd;
    if (!path) {
        (void)orr__fail(at, ORR_EINVAL, "the path is NULL");
        return -1;
    }
    if (orr__file_open(at, path, &fd, size) != ORR_OK) /* it reports why a file cannot be opened */
        return -1;
    (void)close(fd);
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f < 0)
        (void)fail(at, path, "not an HDF5 file, or it is damaged");
    return f;
}

/* The bytes that one stored byte can expand to; 0: a filter decides for itself how much memory it needs. Supported are the filters that
 * keep the size, and deflate once. *deflate: its bit in a chunk's mask of skipped filters. */
static uint64_t growth(hid_t list, unsigned *deflate)
{
    int n = H5Pget_nfilters(list);
    uint64_t most = n >= 0;
    *deflate = 0;
    for (int i = 0; i < n; i++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t f = H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (f == H5Z_FILTER_DEFLATE && most == 1) {
            most = DEFLATE_MOST;
            *deflate = 1u << i;
        } else if (f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32) {
            return 0;
        }
    }
    return most;
}

/* True if the stored bytes of an existing chunk can be `bytes` bytes: libhdf5 reads a whole chunk whatever the file contains. The
 * length of a deflated chunk is unknown before it is inflated. */
static bool is_whole(hsize_t size, unsigned without, uint64_t bytes, uint64_t by, unsigned deflate)
{
    uint64_t most = deflate & ~without ? by : 1;
    return bytes / most + (bytes % most != 0) <= size;
}

/* True if each existing chunk has all of its elements. Chunks that were not written are none: their elements have the fill
 * value. `dim`: of chunks; `bytes`: of one. Chunks are visited by place, or one by one if few of many exist. */
static bool whole_chunks(hid_t set, hid_t space, const orr_shape *s, const hsize_t *dim, uint64_t bytes, uint64_t by,
                         unsigned deflate)
{
    hsize_t at[CHUNK_RANK] = { 0 }, size = 0, n = 0;
    double places = 1;
    unsigned without = 0;
    haddr_t place = HADDR_UNDEF;
    if (H5Dget_num_chunks(set, space, &n) < 0)
        return false;
    for (int d = 0; d < s->rank; d++)
        places *= (double)(((hsize_t)s->dim[d] + dim[d] - 1) / dim[d]);
    if ((double)n * (double)n < places) {
        for (hsize_t i = 0; i < n; i++)
            if (H5Dget_chunk_info(set, space, i, at, &without, &place, &size) < 0 ||
                !is_whole(size, without, bytes, by, deflate))
                return false;
        return true;
    }
    for (int d = 0; d >= 0 && n > 0;) {
        place = HADDR_UNDEF;
        if (H5Dget_chunk_info_by_coord(set, at, &without, &place, &size) < 0 ||
            (place != HADDR_UNDEF && !is_whole(size, without, bytes, by, deflate)))
            return false;
        for (d = s->rank - 1; d >= 0; d--) {
            at[d] += dim[d];
            if (at[d] < (hsize_t)s->dim[d])
                break;
            at[d] = 0;
        }
    }
    return true;
}

/* The most bytes of a data set of which a part was never written: half of the machine's memory. */
static uint64_t unwritten_most(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages / 2 * (uint64_t)size : 0;
}

static const char too_many[] = "the data set claims more elements than the file can hold";

/* NULL, or the reason why `count` elements of z bytes cannot come from the stored bytes, which are the elements or chunks. */
static const char *misfit(hid_t set, hid_t space, hid_t list, uint64_t stored, const orr_shape *s, uint64_t z)
{
    H5D_layout_t layout = H5Pget_layout(list);
    uint64_t count = (uint64_t)orr__shape_count(s);
    bool may_lack = layout == H5D_CHUNKED || (layout == H5D_CONTIGUOUS && stored == 0);
    if (layout == H5D_CHUNKED) {
        hsize_t dim[CHUNK_RANK];
        unsigned deflate;
        uint64_t by = growth(list, &deflate), chunk = z;
        int rank = H5Pget_chunk(list, CHUNK_RANK, dim);
        if (!by)
            return "the data set has a filter that is not read here: deflate (once), shuffle and fletcher32 are";
        for (int d = 0; d < rank; d++)
            chunk = dim[d] && chunk <= INT64_MAX / dim[d] ? chunk * dim[d] : INT64_MAX;
        if (rank != s->rank || count > unwritten_most() / z ||
            (count && !whole_chunks(set, space, s, dim, chunk, by, deflate)))
            return too_many;
    } else if (layout != H5D_COMPACT && (layout != H5D_CONTIGUOUS || H5Pget_external_count(list) != 0)) {
        return "the data set's elements are in other files, which are not read here";
    }
    return count > (may_lack ? unwritten_most() : stored) / z ? too_many : NULL;
}

/* Shape, dtype and size of a data set, checked against the size of the file. */
static orr_status measure(orr__site at, const char *path, int64_t size, hid_t set, orr_dtype *t, orr_shape *s)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set), list = H5Dget_create_plist(set);
    hsize_t dim[H5S_MAX_RANK], stored = H5Dget_storage_size(set);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    orr_status st = rank < 0 || type < 0 || list < 0 ? fail(at, path, "the data set has no shape or no type") : ORR_OK;
    if (st == ORR_OK && H5Sget_simple_extent_type(space) == H5S_NULL)
        st = orr__fail(at, ORR_ESHAPE, "%s: the data set is empty: it has no shape", path);
    *t = st == ORR_OK ? dtype_of(type) : ORR_DTYPE_COUNT;
    if (st == ORR_OK && *t == ORR_DTYPE_COUNT)
        st = orr__fail(at, ORR_EDTYPE, "%s: the data set's elements are of a type that does not exist here", path);
    if (st == ORR_OK && (rank > ORR_MAX_RANK || H5Sget_simple_extent_dims(space, dim, NULL) != rank))
        st = orr__fail(at, ORR_ESHAPE, "%s: the data set has %d axes, and %d are possible", path, rank, ORR_MAX_RANK);
    *s = (orr_shape){ st == ORR_OK ? rank : 0, { 0 } };
    for (int d = 0; d < s->rank; d++)
        s->dim[d] = dim[d] < (hsize_t)INT64_MAX ? (int64_t)dim[d] : INT64_MAX;
    int64_t count = orr__shape_count(s);
    if (st == ORR_OK && count < 0)
        st = orr__fail(at, ORR_ESHAPE, "%s: the data set has too many elements", path);
    const char *why = NULL;
    if (st == ORR_OK) /* more than the file has: none of it is trusted */
        why = stored > (uint64_t)size ? too_many : misfit(set, space, list, stored, s, orr_dtype_size(*t));
    if (why)
        st = fail(at, path, why);
    if (list >= 0)
        (void)H5Pclose(list);
    if (space >= 0)
        (void)H5Sclose(space);
    if (type >= 0)
        (void)H5Tclose(type);
    return st;
}

static orr_tensor *read_set(orr__site at, const char *path, int64_t size, hid_t set)
{
    orr_dtype t;
    orr_shape s;
    orr__buffer *b = NULL;
    orr_status st = measure(at, path, size, set, &t, &s);
    if (st == ORR_OK && !(b = orr__buffer_new((size_t)orr__shape_count(&s) * orr_dtype_size(t))))
        st = ORR_ENOMEM;
    if (st == ORR_OK && b->bytes) /* a data set may be without a fill value for what was not written */
        memset(b->host, 0, b->bytes);
    hid_t type = st == ORR_OK ? type_of(t) : -1;
    if (st == ORR_OK && b->bytes && (type < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, b->host) < 0))
        st = fail(at, path, "the data set cannot be read");
    for (size_t i = 0; st == ORR_OK && t == ORR_BOOL && i < b->bytes; i++)
        ((uint8_t *)b->host)[i] = ((uint8_t *)b->host)[i] != 0;
    if (type >= 0)
        (void)H5Tclose(type);
    if (st != ORR_OK) {
        orr__buffer_unref(b);
        b = NULL;
    }
    return orr__io_leaf(at, st, t, &s, b);
}

/* The names of the data sets, in the order found. */
typedef struct {
    const char **name;
    int n, room;
    bool oom;
} found;

static herr_t note(hid_t group, const char *name, const H5O_info_t *info, void *arg)
{
    found *l = arg;
    (void)group;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 16;
        const char **more = orr__realloc_n(l->name, (size_t)room, sizeof *more);
        l->oom = !more;
        if (!more)
            return -1;
        l->name = more;
        l->room = room;
    }
    if (!(l->name[l->n] = strdup(name))) {
        l->oom = true;
        return -1;
    }
    l->n++;
    return 0;
}

static void found_free(found *l)
{
    for (int i = 0; i < l->n; i++)
        free((void *)(uintptr_t)l->name[i]);
    free(l->name);
}

/* The data set of that name; the caller closes it. Negative: last error. Some versions refuse a data set whose lengths are wrong at this
 * call. */
static hid_t open_set(orr__site at, const char *path, hid_t f, const char *name)
{
    hid_t set = H5Dopen2(f, name, H5P_DEFAULT);
    H5O_info_t is;
    if (set >= 0)
        return set;
    if (H5Oget_info_by_name1(f, name, &is, H5P_DEFAULT) >= 0 && is.type == H5O_TYPE_DATASET) {
        (void)fail(at, path, "the data set is damaged");
        return set;
    }
    found l = { NULL, 0, 0, false };
    char all[300];
    (void)H5Ovisit1(f, H5_INDEX_NAME, H5_ITER_INC, note, &l);
    orr__names_text(l.name, l.n, all, sizeof all);
    (void)orr__fail(at, ORR_EINVAL, "%s has no data set '%.100s'; it has: %s", path, name, all);
    found_free(&l);
    return set;
}

orr_tensor *orr_load_hdf5_at(const char *file, int line, const char *path, const char *name)
{
    orr__site at = ORR__SITE(file, line, "load_hdf5");
    int64_t size;
    if (!name || !*name)
        return orr__poison(at, ORR_EINVAL, "the name is %s", name ? "empty" : "NULL");
    silence s;
    if (!begin(at, &s))
        return orr__handle_new(NULL);
    hid_t f = open_file(at, path, &size), set = f >= 0 ? open_set(at, path, f, name) : -1;
    orr_tensor *t = set >= 0 ? read_set(at, path, size, set) : orr__handle_new(NULL);
    if (set >= 0)
        (void)H5Dclose(set);
    if (f >= 0)
        (void)H5Fclose(f);
    end(s, orr_tensor_status(t) == ORR_OK);
    return t;
}

orr_status orr_hdf5_names_at(const char *file, int line, const char *path, char ***names, int *n)
{
    orr__site at = ORR__SITE(file, line, "hdf5_names");
    found l = { NULL, 0, 0, false };
    int64_t size;
    if (names)
        *names = NULL;
    if (n)
        *n = 0;
    if (!names || !n)
        return orr__fail(at, ORR_EINVAL, "the place for the %s is NULL", names ? "number" : "names");
    silence s;
    if (!begin(at, &s))
        return ORR_EDEVICE;
    hid_t f = open_file(at, path, &size);
    orr_status st = f >= 0 ? ORR_OK : orr_error_status();
    if (st == ORR_OK && H5Ovisit1(f, H5_INDEX_NAME, H5_ITER_INC, note, &l) < 0)
        st = l.oom ? orr__fail(at, ORR_ENOMEM, "no memory for the names") : fail(at, path, "its groups cannot be read");
    if (f >= 0)
        (void)H5Fclose(f);
    end(s, st == ORR_OK);
    if (st == ORR_OK) {
        *names = orr__names_copy(l.name, l.n);
        *n = *names ? l.n : 0;
        st = *names ? ORR_OK : ORR_ENOMEM;
    }
    found_free(&l);
    return st;
}

/* -- writing ------------------------------------------------------------------------------------------------------------- */

static orr_status write_set(orr__site at, hid_t f, const char *name, orr__content what, const orr__buffer *b)
{
    hsize_t dim[ORR_MAX_RANK];
    orr_status st = ORR_OK;
    hid_t type = type_of(what.dtype), groups = H5Pcreate(H5P_LINK_CREATE), space, set = -1;
    for (int d = 0; d < what.shape.rank; d++)
        dim[d] = (hsize_t)what.shape.dim[d];
    space = what.shape.rank ? H5Screate_simple(what.shape.rank, dim, NULL) : H5Screate(H5S_SCALAR);
    if (type < 0)
        st = orr__fail(at, ORR_EDTYPE, "%s has no HDF5 type: save orr_cast(t, ORR_F32)", orr_dtype_name(what.dtype));
    else if (groups >= 0 && space >= 0 && H5Pset_create_intermediate_group(groups, 1) >= 0)
        set = H5Dcreate2(f, name, type, space, groups, H5P_DEFAULT, H5P_DEFAULT);
    if (st == ORR_OK && (set < 0 || (b->bytes && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, b->host) < 0)))
        st = orr__fail(at, ORR_EINVAL, "the data set '%.100s' cannot be made", name);
    if (set >= 0)
        (void)H5Dclose(set);
    if (space >= 0)
        (void)H5Sclose(space);
    if (groups >= 0)
        (void)H5Pclose(groups);
    if (type >= 0)
        (void)H5Tclose(type);
    return st;
}

/* The bytes of the file; the caller frees them. NULL: last error. */
static void *image_of(orr__site at, hid_t f, size_t *size)
{
    (void)H5Fflush(f, H5F_SCOPE_GLOBAL);
    ssize_t n = H5Fget_file_image(f, NULL, 0);
    void *image = n > 0 ? malloc((size_t)n) : NULL;
    if (image && H5Fget_file_image(f, image, (size_t)n) == n) {
        *size = (size_t)n;
        return image;
    }
    free(image);
    (void)orr__fail(at, ORR_ENOMEM, "no memory for the file");
    return NULL;
}

/* f < 0: another rank writes the file. Values come from other ranks even after an error. */
static orr_status write_sets(orr__site at, orr_status st, hid_t f, const char *const *names, orr_tensor *const *t,
                             int n)
{
    for (int i = 0; i < n; i++) {
        orr__stored v;
        orr__buffer *whole = NULL;
        orr_status one = orr__stored_of(at, t[i], &v);
        if (one == ORR_OK && (st == ORR_OK || v.placed))
            one = orr__stored_whole(at, &v, &whole);
        if (one == ORR_OK && st == ORR_OK && f >= 0)
            one = write_set(at, f, names[i], v.what, whole);
        st = st == ORR_OK ? one : st;
        orr__buffer_unref(whole);
        orr__stored_free(&v);
    }
    return st;
}

/* Makes the file in memory, on the rank that writes it. */
static orr_status write_file(orr__sink *sink, const char *const *names, orr_tensor *const *t, int n)
{
    enum { GROWS = 1 << 20 }; /* limit of memory */
    orr__site at = sink->at;
    size_t size = 0;
    silence s;
    if (sink->fd < 0)
        return write_sets(at, ORR_OK, -1, names, t, n);
    if (!begin(at, &s))
        return write_sets(at, ORR_EDEVICE, -1, names, t, n);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t f = access >= 0 && H5Pset_fapl_core(access, GROWS, false) >= 0
                  ? H5Fcreate("orrery.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access)
                  : -1;
    orr_status st = f >= 0 ? ORR_OK : orr__fail(at, ORR_ENOMEM, "no memory for the file");
    st = write_sets(at, st, f, names, t, n);
    void *image = st == ORR_OK ? image_of(at, f, &size) : NULL;
    st = st == ORR_OK && !image ? ORR_ENOMEM : st;
    if (f >= 0)
        (void)H5Fclose(f);
    if (access >= 0)
        (void)H5Pclose(access);
    end(s, st == ORR_OK);
    if (st == ORR_OK)
        st = orr__sink_write(sink, image, size);
    free(image);
    return st;
}

orr_status orr_save_hdf5_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                            orr_tensor *const *t, int n)
{
    orr__site at = ORR__SITE(file, line, "save_hdf5");
    orr__sink sink;
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__names_check(at, names, n_names, t, n);
    if (st == ORR_OK)
        st = orr_eval_all_at(file, line, t, n);
    if (st == ORR_OK)
        st = orr__sink_open(at, path, orr__over_ranks(t, n), &sink);
    return st == ORR_OK ? orr__sink_close(&sink, write_file(&sink, names, t, n)) : st;
}
#else

static orr_status absent(orr__site at)
{
    return orr__fail(at, ORR_EDEVICE,
                     "this library was built without HDF5: install libhdf5-dev and configure it again");
}

orr_tensor *orr_load_hdf5_at(const char *file, int line, const char *path, const char *name)
{
    (void)path;
    (void)name;
    (void)absent(ORR__SITE(file, line, "load_hdf5"));
    return orr__handle_new(NULL);
}

orr_status orr_hdf5_names_at(const char *file, int line, const char *path, char ***names, int *n)
{
    (void)path;
    if (names)
        *names = NULL;
    if (n)
        *n = 0;
    return absent(ORR__SITE(file, line, "hdf5_names"));
}

orr_status orr_save_hdf5_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                            orr_tensor *const *t, int n)
{
    (void)path;
    (void)names;
    (void)n_names;
    (void)t;
    (void)n;
    return absent(ORR__SITE(file, line, "save_hdf5"));
}
#endif
