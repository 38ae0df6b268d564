/* DLPack: arrays exchanged with other libraries in memory, without a copy. The structs are the ABI of DLPack 1.x under names of
 * our own; a pointer to one may be cast to the type of the same layout in dlpack.h.
 * Must not know: how a value is computed. */
#ifndef ORRERY_DLPACK_H
#define ORRERY_DLPACK_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Device types (DLDeviceType) that have a name here; others exist. */
enum { ORR_DLPACK_CPU = 1, ORR_DLPACK_CUDA = 2, ORR_DLPACK_CUDA_HOST = 3 };
/** Type codes (DLDataTypeCode) that have a dtype here. */
enum {
    ORR_DLPACK_INT = 0,
    ORR_DLPACK_UINT = 1,
    ORR_DLPACK_FLOAT = 2,
    ORR_DLPACK_BFLOAT = 4,
    ORR_DLPACK_COMPLEX = 5, /**< two floats, of half the bits each */
    ORR_DLPACK_BOOL = 6
};
/** Bits of orr_dlpack_versioned.flags. */
enum { ORR_DLPACK_READ_ONLY = 1, ORR_DLPACK_IS_COPIED = 2 };

/** DLTensor: an array in memory. */
typedef struct orr_dlpack_array {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits; /**< the element: its kind and size; … */
    uint16_t lanes;     /**< … 1, or the length of a vector    */
    int64_t *shape;
    int64_t *strides; /**< in elements; NULL: row-major       */
    uint64_t byte_offset;
} orr_dlpack_array;

/** DLManagedTensor: the unversioned exchange, "dltensor". */
typedef struct orr_dlpack_unversioned {
    orr_dlpack_array array;
    void *manager;
    void (*deleter)(struct orr_dlpack_unversioned *self); /**< called by the consumer, once */
} orr_dlpack_unversioned;

/** DLManagedTensorVersioned: the exchange since DLPack 1.0, "dltensor_versioned". */
typedef struct orr_dlpack_versioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct orr_dlpack_versioned *self); /**< called by the consumer, once */
    uint64_t flags;
    orr_dlpack_array array;
} orr_dlpack_versioned;

/** Evaluates `t` and sets *out to its value in host memory, shared and not copied. The value lives until the consumer calls
 * (*out)->deleter(*out), even if the tensor is freed earlier. It must not be written: the flags contain
 * ORR_DLPACK_READ_ONLY.
 * errors:   those of orr_eval; ORR_EINVAL (out is NULL), ORR_EDTYPE (no DLPack type); then *out is NULL.
 * threads:  safe from any thread; the deleter, too, until orr_shutdown, after which it must not be called. */
ORR_API orr_status orr_to_dlpack_at(const char *file, int line, orr_tensor *t, orr_dlpack_versioned **out);
#define orr_to_dlpack(...) orr_to_dlpack_at(ORR_HERE, __VA_ARGS__)
/** As orr_to_dlpack, for consumers of the unversioned exchange. This has no flags: the consumer must know that it must
 * not write. */
ORR_API orr_status orr_to_dlpack_unversioned_at(const char *file, int line, orr_tensor *t,
                                                orr_dlpack_unversioned **out);
#define orr_to_dlpack_unversioned(...) orr_to_dlpack_unversioned_at(ORR_HERE, __VA_ARGS__)

/** A tensor on the array of another library: without a copy if it is row-major and aligned to its element size, else with one. Its
 * elements must not change from now on. The deleter is called once, from any thread, after the last use (after the copy). On an error
 * it is not called, and the caller keeps the array.
 * @return   owned by the current scope; poison on ORR_EINVAL (NULL, a major version other than 1, more than one lane), ORR_EDEVICE
 *           (memory of a device: copy it to the host before), ORR_EDTYPE (types that do not exist here, such as complex numbers of 32 bits), ORR_ESHAPE
 *           (rank above 8, sizes that are negative or overflow), ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_tensor *orr_from_dlpack_at(const char *file, int line, orr_dlpack_versioned *array);
#define orr_from_dlpack(...) orr_from_dlpack_at(ORR_HERE, __VA_ARGS__)
/** As orr_from_dlpack, for an unversioned array. */
ORR_API orr_tensor *orr_from_dlpack_unversioned_at(const char *file, int line, orr_dlpack_unversioned *array);
#define orr_from_dlpack_unversioned(...) orr_from_dlpack_unversioned_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
