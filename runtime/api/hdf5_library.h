/* libhdf5, opened at its first use: its functions and identifiers keep their names and are reached by pointers. Another function needs a
 * name in a list and a #define.
 * Must not know: what is in a file. */
#ifndef ORR_API_HDF5_LIBRARY_H
#define ORR_API_HDF5_LIBRARY_H

#define H5_USE_110_API /* the interface that all versions from 1.10 have */
#include <hdf5.h>

/* clang-format off */
#define ORR__HDF5_FUNCTIONS(F)          \
    F(H5Dclose)                         \
    F(H5Dcreate2)                       \
    F(H5Dget_chunk_info)                \
    F(H5Dget_chunk_info_by_coord)       \
    F(H5Dget_create_plist)              \
    F(H5Dget_num_chunks)                \
    F(H5Dget_space)                     \
    F(H5Dget_storage_size)              \
    F(H5Dget_type)                      \
    F(H5Dopen2)                         \
    F(H5Dread)                          \
    F(H5Dwrite)                         \
    F(H5Eget_auto2)                     \
    F(H5Eset_auto2)                     \
    F(H5Fclose)                         \
    F(H5Fcreate)                        \
    F(H5Fflush)                         \
    F(H5Fget_file_image)                \
    F(H5Fopen)                          \
    F(H5Oget_info_by_name1)             \
    F(H5Ovisit1)                        \
    F(H5Pclose)                         \
    F(H5Pcreate)                        \
    F(H5Pget_chunk)                     \
    F(H5Pget_external_count)            \
    F(H5Pget_filter2)                   \
    F(H5Pget_layout)                    \
    F(H5Pget_nfilters)                  \
    F(H5Pset_create_intermediate_group) \
    F(H5Pset_fapl_core)                 \
    F(H5Sclose)                         \
    F(H5Screate)                        \
    F(H5Screate_simple)                 \
    F(H5Sget_simple_extent_dims)        \
    F(H5Sget_simple_extent_ndims)       \
    F(H5Sget_simple_extent_type)        \
    F(H5Tclose)                         \
    F(H5Tcopy)                          \
    F(H5Tcreate)                        \
    F(H5Tenum_create)                   \
    F(H5Tenum_insert)                   \
    F(H5Tget_class)                     \
    F(H5Tget_ebias)                     \
    F(H5Tget_fields)                    \
    F(H5Tget_member_name)               \
    F(H5Tget_member_offset)             \
    F(H5Tget_member_type)               \
    F(H5Tget_nmembers)                  \
    F(H5Tget_offset)                    \
    F(H5Tget_precision)                 \
    F(H5Tget_sign)                      \
    F(H5Tget_size)                      \
    F(H5Tinsert)                        \
    F(H5Tset_ebias)                     \
    F(H5Tset_fields)                    \
    F(H5Tset_size)                      \
    F(H5free_memory)                    \
    F(H5open)

#define ORR__HDF5_IDENTIFIERS(F) \
    F(H5T_NATIVE_INT8_g)         \
    F(H5T_NATIVE_INT16_g)        \
    F(H5T_NATIVE_INT32_g)        \
    F(H5T_NATIVE_INT64_g)        \
    F(H5T_NATIVE_UINT8_g)        \
    F(H5T_NATIVE_UINT16_g)       \
    F(H5T_NATIVE_UINT32_g)       \
    F(H5T_NATIVE_UINT64_g)       \
    F(H5T_NATIVE_FLOAT_g)        \
    F(H5T_NATIVE_DOUBLE_g)       \
    F(H5P_CLS_LINK_CREATE_ID_g)  \
    F(H5P_CLS_FILE_ACCESS_ID_g)
/* clang-format on */

typedef struct {
#define ORR__POINTER(name) __typeof__(name) *name;
    ORR__HDF5_FUNCTIONS(ORR__POINTER)
    ORR__HDF5_IDENTIFIERS(ORR__POINTER)
#undef ORR__POINTER
} orr__hdf5_symbols;

extern orr__hdf5_symbols orr__hdf5;

/* To be called before the first use. NULL, or the reason why libhdf5 is not available. */
const char *orr__hdf5_open(void);

#ifndef ORR_HDF5_OWN_NAMES
/* The headers compare versions and end the process. The relevant version is part of the shared object's name. */
#undef H5check
#define H5check() ((void)0)
#define H5Dclose orr__hdf5.H5Dclose
#define H5Dcreate2 orr__hdf5.H5Dcreate2
#define H5Dget_chunk_info orr__hdf5.H5Dget_chunk_info
#define H5Dget_chunk_info_by_coord orr__hdf5.H5Dget_chunk_info_by_coord
#define H5Dget_create_plist orr__hdf5.H5Dget_create_plist
#define H5Dget_num_chunks orr__hdf5.H5Dget_num_chunks
#define H5Dget_space orr__hdf5.H5Dget_space
#define H5Dget_storage_size orr__hdf5.H5Dget_storage_size
#define H5Dget_type orr__hdf5.H5Dget_type
#define H5Dopen2 orr__hdf5.H5Dopen2
#define H5Dread orr__hdf5.H5Dread
#define H5Dwrite orr__hdf5.H5Dwrite
#define H5Eget_auto2 orr__hdf5.H5Eget_auto2
#define H5Eset_auto2 orr__hdf5.H5Eset_auto2
#define H5Fclose orr__hdf5.H5Fclose
#define H5Fcreate orr__hdf5.H5Fcreate
#define H5Fflush orr__hdf5.H5Fflush
#define H5Fget_file_image orr__hdf5.H5Fget_file_image
#define H5Fopen orr__hdf5.H5Fopen
#define H5Oget_info_by_name1 orr__hdf5.H5Oget_info_by_name1
#define H5Ovisit1 orr__hdf5.H5Ovisit1
#define H5Pclose orr__hdf5.H5Pclose
#define H5Pcreate orr__hdf5.H5Pcreate
#define H5Pget_chunk orr__hdf5.H5Pget_chunk
#define H5Pget_external_count orr__hdf5.H5Pget_external_count
#define H5Pget_filter2 orr__hdf5.H5Pget_filter2
#define H5Pget_layout orr__hdf5.H5Pget_layout
#define H5Pget_nfilters orr__hdf5.H5Pget_nfilters
#define H5Pset_create_intermediate_group orr__hdf5.H5Pset_create_intermediate_group
#define H5Pset_fapl_core orr__hdf5.H5Pset_fapl_core
#define H5Sclose orr__hdf5.H5Sclose
#define H5Screate orr__hdf5.H5Screate
#define H5Screate_simple orr__hdf5.H5Screate_simple
#define H5Sget_simple_extent_dims orr__hdf5.H5Sget_simple_extent_dims
#define H5Sget_simple_extent_ndims orr__hdf5.H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_type orr__hdf5.H5Sget_simple_extent_type
#define H5Tclose orr__hdf5.H5Tclose
#define H5Tcopy orr__hdf5.H5Tcopy
#define H5Tcreate orr__hdf5.H5Tcreate
#define H5Tenum_create orr__hdf5.H5Tenum_create
#define H5Tenum_insert orr__hdf5.H5Tenum_insert
#define H5Tget_class orr__hdf5.H5Tget_class
#define H5Tget_ebias orr__hdf5.H5Tget_ebias
#define H5Tget_fields orr__hdf5.H5Tget_fields
#define H5Tget_member_name orr__hdf5.H5Tget_member_name
#define H5Tget_member_offset orr__hdf5.H5Tget_member_offset
#define H5Tget_member_type orr__hdf5.H5Tget_member_type
#define H5Tget_nmembers orr__hdf5.H5Tget_nmembers
#define H5Tget_offset orr__hdf5.H5Tget_offset
#define H5Tget_precision orr__hdf5.H5Tget_precision
#define H5Tget_sign orr__hdf5.H5Tget_sign
#define H5Tget_size orr__hdf5.H5Tget_size
#define H5Tinsert orr__hdf5.H5Tinsert
#define H5Tset_ebias orr__hdf5.H5Tset_ebias
#define H5Tset_fields orr__hdf5.H5Tset_fields
#define H5Tset_size orr__hdf5.H5Tset_size
#define H5free_memory orr__hdf5.H5free_memory
#define H5open orr__hdf5.H5open
#define H5T_NATIVE_INT8_g (*orr__hdf5.H5T_NATIVE_INT8_g)
#define H5T_NATIVE_INT16_g (*orr__hdf5.H5T_NATIVE_INT16_g)
#define H5T_NATIVE_INT32_g (*orr__hdf5.H5T_NATIVE_INT32_g)
#define H5T_NATIVE_INT64_g (*orr__hdf5.H5T_NATIVE_INT64_g)
#define H5T_NATIVE_UINT8_g (*orr__hdf5.H5T_NATIVE_UINT8_g)
#define H5T_NATIVE_UINT16_g (*orr__hdf5.H5T_NATIVE_UINT16_g)
#define H5T_NATIVE_UINT32_g (*orr__hdf5.H5T_NATIVE_UINT32_g)
#define H5T_NATIVE_UINT64_g (*orr__hdf5.H5T_NATIVE_UINT64_g)
#define H5T_NATIVE_FLOAT_g (*orr__hdf5.H5T_NATIVE_FLOAT_g)
#define H5T_NATIVE_DOUBLE_g (*orr__hdf5.H5T_NATIVE_DOUBLE_g)
#define H5P_CLS_LINK_CREATE_ID_g (*orr__hdf5.H5P_CLS_LINK_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g (*orr__hdf5.H5P_CLS_FILE_ACCESS_ID_g)
#endif

#endif
