/* Tensors in files: NumPy's .npy and .npz, safetensors, CSV, HDF5, IDX (the format of the MNIST data sets), PNG and JPEG.
 * Must not know: how a value is computed. */
#ifndef ORRERY_IO_H
#define ORRERY_IO_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All loads: the file is read now; C and Fortran order and both byte orders are understood, the tensor is row-major
 * and in the machine's byte order. A file is not trusted: the sizes in its header are checked against its real size
 * before memory is allocated, and surplus bytes are an error. Errors are poison: ORR_EINVAL (NULL), ORR_EIO (the file
 * cannot be opened or read), ORR_EFORMAT (bad magic, truncated, corrupt, wrong checksum), ORR_EDTYPE (element types
 * that do not exist here: objects, strings, records), ORR_ESHAPE (rank above 8, sizes that overflow), ORR_ENOMEM.
 * With several ranks (orrery/distribute.h), .npy and .safetensors files are mapped as by orr_map_npy, so that each
 * rank reads only its part of a tensor that orr_shard cuts. These files must then not change while the tensor lives.
 * All saves: the values are evaluated first; the file appears complete or not at all (a temporary file in the same
 * folder is synced and renamed over it); bfloat16 has no NumPy type: ORR_EDTYPE, cast to float32 before. All are safe
 * from any thread. */

/** Loads the tensor in a file. The suffix chooses the format: .npy (versions 1 to 3), also for any other suffix; .npz,
 * .safetensors, .h5 and .hdf5 where the file holds one tensor; .csv as f64 with commas; .png, .jpg and .jpeg as
 * orr_load_image.
 * @return   owned by the current scope; poison on error, ORR_EINVAL for a file of several tensors. */
ORR_API orr_tensor *orr_load_at(const char *file, int line, const char *path);
#define orr_load(...) orr_load_at(ORR_HERE, __VA_ARGS__)

/** Writes `t` in the format that the suffix chooses, as orr_load; in a format for several tensors the name of `t` is "data".
 * Evaluates `t`.
 * errors:   those of orr_eval, ORR_EINVAL, ORR_EDTYPE, ORR_EIO. */
ORR_API orr_status orr_save_at(const char *file, int line, const char *path, orr_tensor *t);
#define orr_save(...) orr_save_at(ORR_HERE, __VA_ARGS__)

/** Loads the array at the beginning of `bytes` bytes of .npy data and sets *used to its length, so that arrays may follow
 * one another. used NULL: further bytes are ORR_EFORMAT. The elements are copied.
 * @return   owned by the current scope; poison on error (then *used is 0). */
ORR_API orr_tensor *orr_load_bytes_at(const char *file, int line, const void *data, size_t bytes, size_t *used);
#define orr_load_bytes(...) orr_load_bytes_at(ORR_HERE, __VA_ARGS__)

/** Loads an array like orr_load_bytes, without a copy if its elements are aligned, row-major and in the machine's byte order.
 * `data` must stay unchanged until release(elements, user) is called: once, from any thread, after the last use. On error
 * release is not called.
 * errors:   as orr_load_bytes; ORR_EINVAL (release is NULL). */
ORR_API orr_tensor *orr_wrap_bytes_at(const char *file, int line, void *data, size_t bytes, size_t *used,
                                      void (*release)(void *elements, void *user), void *user);
#define orr_wrap_bytes(...) orr_wrap_bytes_at(ORR_HERE, __VA_ARGS__)

/** Loads the array in a .npy file; the tensor's memory is the file's own pages, read by the system when they are accessed, so that
 * orr_shard of it reads only this rank's part. The file must not be changed or truncated while the tensor lives (a new file under
 * the same name is no change): a call that uses the tensor of a truncated file is ORR_EIO, as for orr_map_safetensors. Bools, elements in column-major order or another byte order, and files that cannot be mapped are
 * copied.
 * @return   owned by the current scope; poison on the errors of orr_load. */
ORR_API orr_tensor *orr_map_npy_at(const char *file, int line, const char *path);
#define orr_map_npy(...) orr_map_npy_at(ORR_HERE, __VA_ARGS__)

/** Largest length of orr_npy_header. */
#define ORR_NPY_HEADER 512
/** Writes the header of a .npy file of an array of `dtype` and `shape`; the elements, row-major, follow it.
 * @return   its length, a multiple of 64; 0 on ORR_EINVAL (buf is NULL), ORR_ESHAPE, ORR_EDTYPE (bfloat16, or none). */
ORR_API size_t orr_npy_header_at(const char *file, int line, orr_dtype dtype, orr_shape shape,
                                 char buf[ORR_NPY_HEADER]);
#define orr_npy_header(...) orr_npy_header_at(ORR_HERE, __VA_ARGS__)

/** Loads the array called `name`, without its ".npy", from a .npz file (stored or deflated, zip64 too).
 * @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such array; the message lists
 *           the names. */
ORR_API orr_tensor *orr_load_npz_at(const char *file, int line, const char *path, const char *name);
#define orr_load_npz(...) orr_load_npz_at(ORR_HERE, __VA_ARGS__)

/** Writes n tensors as a .npz file under their names, not compressed: orr_save_npz(path, ORR_TEXTS("x", "y"),
 * ORR_TENSORS(x, y)). Evaluates them all at once.
 * @param names  as many as tensors, not empty, each once (ORR_EINVAL)
 * errors:   as orr_save. */
ORR_API orr_status orr_save_npz_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                                   orr_tensor *const *t, int n);
#define orr_save_npz(...) orr_save_npz_at(ORR_HERE, __VA_ARGS__)
/** Writes n tensors as orr_save_npz does, deflated.
 * errors:   as orr_save; ORR_EINVAL where the library was built without zlib. */
ORR_API orr_status orr_save_npz_deflated_at(const char *file, int line, const char *path, const char *const *names,
                                            int n_names, orr_tensor *const *t, int n);
#define orr_save_npz_deflated(...) orr_save_npz_deflated_at(ORR_HERE, __VA_ARGS__)

/** Sets *names to the names of the arrays in a .npz file, in the file's order, and *n to their number.
 * On error *names is NULL and *n is 0. Free with orr_npz_names_free.
 * errors:   as orr_load, as a status. */
ORR_API orr_status orr_npz_names_at(const char *file, int line, const char *path, char ***names, int *n);
#define orr_npz_names(...) orr_npz_names_at(ORR_HERE, __VA_ARGS__)
/** Frees the names of orr_npz_names. NULL is fine. */
ORR_API void orr_npz_names_free(char **names);

/** Loads the tensor called `name` from a .safetensors file. The header is checked as a whole first: each byte must belong to one tensor
 * and fit its shape and dtype. The values are copied, so later changes of the file do not matter; with several ranks they are mapped as
 * by orr_map_safetensors, under its conditions.
 * @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such tensor (the message lists the names),
 *           ORR_EDTYPE for a type that does not exist here (8-bit floats). */
ORR_API orr_tensor *orr_load_safetensors_at(const char *file, int line, const char *path, const char *name);
#define orr_load_safetensors(...) orr_load_safetensors_at(ORR_HERE, __VA_ARGS__)
/** As orr_load_safetensors, but the tensor's memory is the file's own pages, read by the system when they are accessed and never
 * written. The caller guarantees that the file does not change while the tensor lives: the values would change with it. If the file
 * has been truncated, evaluations and reads that begin after it are ORR_EIO; one that is under way, and pointers of orr_data, end the
 * process by SIGBUS, which no library can prevent. A new file under the same name (as orr_save… writes) is no change, nor is the
 * removal of the name. Bools, and elements that are not aligned to their size, are
 * copied. */
ORR_API orr_tensor *orr_map_safetensors_at(const char *file, int line, const char *path, const char *name);
#define orr_map_safetensors(...) orr_map_safetensors_at(ORR_HERE, __VA_ARGS__)
/** Sets *names to the names of the tensors in a .safetensors file, in the order of their bytes, and *n to their number.
 * Otherwise as orr_npz_names. */
ORR_API orr_status orr_safetensors_names_at(const char *file, int line, const char *path, char ***names, int *n);
#define orr_safetensors_names(...) orr_safetensors_names_at(ORR_HERE, __VA_ARGS__)
/** Writes n tensors as a .safetensors file under their names. Evaluates them all at once. The bytes of larger elements come
 * first, so that all tensors are aligned.
 * @param names  UTF-8, not empty, each once, not "__metadata__" (ORR_EINVAL)
 * errors:   as orr_save. bfloat16 has a type here. */
ORR_API orr_status orr_save_safetensors_at(const char *file, int line, const char *path, const char *const *names,
                                           int n_names, orr_tensor *const *t, int n);
#define orr_save_safetensors(...) orr_save_safetensors_at(ORR_HERE, __VA_ARGS__)

/** Loads a table of numbers: a line is a row, of as many fields as the first. Blanks and a pair of quotes around a number, empty
 * lines and lines that begin with # are skipped. In a float dtype an empty field is NaN. The decimal point is a point, whatever the
 * locale.
 * @param delimiter  between fields; 0: a comma
 * @param skip       number of lines before the first row, such as a header
 * @return   (rows, columns), owned by the current scope; poison on error, ORR_EFORMAT with the line and field of text that is no
 *           number of the dtype, or of a row with another length, and for a file with fewer lines than `skip`. */
ORR_API orr_tensor *orr_load_csv_at(const char *file, int line, const char *path, orr_dtype dtype, char delimiter,
                                    int skip);
#define orr_load_csv(...) orr_load_csv_at(ORR_HERE, __VA_ARGS__)
/** Writes a tensor of at most two axes as rows of numbers, with as many digits as loading needs; one axis is a column. Evaluates `t`.
 * @param delimiter  between fields; 0: a comma
 * errors:   as orr_save; ORR_ESHAPE (more than two axes). */
ORR_API orr_status orr_save_csv_at(const char *file, int line, const char *path, orr_tensor *t, char delimiter);
#define orr_save_csv(...) orr_save_csv_at(ORR_HERE, __VA_ARGS__)

/** Loads the data set called `name` ("group/set" in groups) from an HDF5 file: integers, floats of 16 to 64 bits, and h5py's bools and
 * complex numbers (compounds of the parts r and i). Its elements must be in the file, contiguous or in chunks; the filters deflate (once),
 * shuffle and fletcher32 are supported. Elements that were never written have the fill value; such sets take half of the memory at most.
 * libhdf5 reads the file, and a damaged one may do more harm in it than an error: use another format for files that are not trusted.
 * @return   owned by the current scope; poison on error, ORR_EINVAL where there is no such data set, ORR_EDEVICE where the library was
 *           built without HDF5 or libhdf5 cannot be opened. One call at a time uses libhdf5; a program must not use it during a call. */
ORR_API orr_tensor *orr_load_hdf5_at(const char *file, int line, const char *path, const char *name);
#define orr_load_hdf5(...) orr_load_hdf5_at(ORR_HERE, __VA_ARGS__)
/** Sets *names to the names of all data sets in an HDF5 file, those in groups with their path, and *n to their number. Otherwise as
 * orr_npz_names. */
ORR_API orr_status orr_hdf5_names_at(const char *file, int line, const char *path, char ***names, int *n);
#define orr_hdf5_names(...) orr_hdf5_names_at(ORR_HERE, __VA_ARGS__)
/** Writes n tensors as data sets of an HDF5 file; a name "group/set" makes the group. The file is assembled in memory
 * first.
 * errors:   as orr_save; ORR_EDTYPE (bfloat16), ORR_EDEVICE (built without HDF5, or libhdf5 cannot be opened). */
ORR_API orr_status orr_save_hdf5_at(const char *file, int line, const char *path, const char *const *names, int n_names,
                                    orr_tensor *const *t, int n);
#define orr_save_hdf5(...) orr_save_hdf5_at(ORR_HERE, __VA_ARGS__)

/** Loads the array in an IDX file, plain or gzip: unsigned and signed bytes, int16, int32, float32, float64.
 * @return   owned by the current scope; poison on error. */
ORR_API orr_tensor *orr_load_idx_at(const char *file, int line, const char *path);
#define orr_load_idx(...) orr_load_idx_at(ORR_HERE, __VA_ARGS__)

/* -- images ---------------------------------------------------------------------------------------------------- */

/** Loads a PNG or JPEG image; its first bytes determine the format. Interlaced and progressive images are supported. Values are
 * those of the file: gamma, colour profiles and the orientation of a camera are not applied. An image that is truncated, or
 * damaged by the format's own checks, is an error; bytes after the image are ignored.
 * @return   (height, width, channels), owned by the current scope; channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. u8; u16
 *           for a PNG of 16 bits. Palettes become RGB, transparent colours alpha, 1, 2 and 4 bits become 0 … 255. Poison on
 *           error; ORR_EFORMAT also for a size too large for the number of bytes or for ORRERY_IMAGE_LIMIT (before memory is
 *           allocated; the message has both), for JPEGs with
 *           four channels, 12 bits or arithmetic code; ORR_EDEVICE where the library was built without libpng or libjpeg. */
ORR_API orr_tensor *orr_load_image_at(const char *file, int line, const char *path);
#define orr_load_image(...) orr_load_image_at(ORR_HERE, __VA_ARGS__)
/** Loads an image like orr_load_image from the bytes of such a file. */
ORR_API orr_tensor *orr_load_image_bytes_at(const char *file, int line, const void *data, size_t bytes);
#define orr_load_image_bytes(...) orr_load_image_bytes_at(ORR_HERE, __VA_ARGS__)

/** The formats of images. */
typedef enum orr_image_format { ORR_IMAGE_PNG = 0, ORR_IMAGE_JPEG } orr_image_format;

/** Writes an image in the format of the suffix: .png, .jpg or .jpeg. Evaluates `t`. orr_save does the same with quality 90.
 * @param t        (height, width), or (height, width, channels) with 1 to 4 channels as in orr_load_image, in JPEG 1 or 3; u8,
 *                 in PNG also u16
 * @param quality  of JPEG, 1 … 100; 0: 90
 * errors:   as orr_save; ORR_EINVAL (another suffix, quality), ORR_ESHAPE, ORR_EDTYPE, ORR_EDEVICE. */
ORR_API orr_status orr_save_image_at(const char *file, int line, const char *path, orr_tensor *t, int quality);
#define orr_save_image(...) orr_save_image_at(ORR_HERE, __VA_ARGS__)
/** Returns the bytes of the file that orr_save_image would write: u8 (bytes), owned by the current scope; poison on its errors. */
ORR_API orr_tensor *orr_encode_image_at(const char *file, int line, orr_tensor *t, orr_image_format format,
                                        int quality);
#define orr_encode_image(...) orr_encode_image_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
