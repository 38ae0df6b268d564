/* oneDNN, opened at first use: its functions keep their names and are called through pointers. A further function needs
 * a name in a list and a #define.
 * Must not know: what is computed. */
#ifndef ORR_CPU_ONEDNN_H
#define ORR_CPU_ONEDNN_H

#include <dnnl.h>
#include <stdbool.h>

/* clang-format off */
#define ORR__ONEDNN_EVERY(F)               \
    F(dnnl_engine_create)                  \
    F(dnnl_engine_destroy)                 \
    F(dnnl_memory_create)                  \
    F(dnnl_memory_desc_equal)              \
    F(dnnl_memory_destroy)                 \
    F(dnnl_memory_desc_get_size)           \
    F(dnnl_primitive_attr_create)          \
    F(dnnl_primitive_attr_destroy)         \
    F(dnnl_primitive_attr_set_scratchpad_mode) \
    F(dnnl_primitive_create)               \
    F(dnnl_primitive_desc_destroy)         \
    F(dnnl_primitive_desc_query)           \
    F(dnnl_primitive_desc_query_md)        \
    F(dnnl_primitive_destroy)              \
    F(dnnl_primitive_execute)              \
    F(dnnl_reorder_primitive_desc_create)  \
    F(dnnl_set_primitive_cache_capacity)   \
    F(dnnl_stream_create)                  \
    F(dnnl_stream_destroy)                 \
    F(dnnl_stream_wait)

#if DNNL_VERSION_MAJOR >= 3
#define ORR__ONEDNN_VERSION(F)                                  \
    F(dnnl_convolution_backward_data_primitive_desc_create)     \
    F(dnnl_convolution_backward_weights_primitive_desc_create)  \
    F(dnnl_convolution_forward_primitive_desc_create)           \
    F(dnnl_memory_desc_clone)                                   \
    F(dnnl_memory_desc_create_submemory)                        \
    F(dnnl_memory_desc_create_with_strides)                     \
    F(dnnl_memory_desc_create_with_tag)                         \
    F(dnnl_memory_desc_destroy)
#else
#define ORR__ONEDNN_VERSION(F)                              \
    F(dnnl_dilated_convolution_backward_data_desc_init)     \
    F(dnnl_dilated_convolution_backward_weights_desc_init)  \
    F(dnnl_dilated_convolution_forward_desc_init)           \
    F(dnnl_memory_desc_init_by_strides)                     \
    F(dnnl_memory_desc_init_by_tag)                         \
    F(dnnl_memory_desc_init_submemory)                      \
    F(dnnl_primitive_desc_create)
#endif
/* clang-format on */

typedef struct {
#define ORR__POINTER(name) __typeof__(name) *name;
    ORR__ONEDNN_EVERY(ORR__POINTER)
    ORR__ONEDNN_VERSION(ORR__POINTER)
#undef ORR__POINTER
} orr__onednn_functions;

extern orr__onednn_functions orr__onednn;

/* Must be called before the first call. False: oneDNN is not available. */
bool orr__onednn_open(void);

/* A function of the OpenMP library that oneDNN uses; NULL: it uses none. */
void *orr__onednn_openmp(const char *name);

#ifndef ORR_ONEDNN_OWN_NAMES
#define dnnl_engine_create orr__onednn.dnnl_engine_create
#define dnnl_engine_destroy orr__onednn.dnnl_engine_destroy
#define dnnl_memory_create orr__onednn.dnnl_memory_create
#define dnnl_memory_desc_equal orr__onednn.dnnl_memory_desc_equal
#define dnnl_memory_destroy orr__onednn.dnnl_memory_destroy
#define dnnl_memory_desc_get_size orr__onednn.dnnl_memory_desc_get_size
#define dnnl_primitive_attr_create orr__onednn.dnnl_primitive_attr_create
#define dnnl_primitive_attr_destroy orr__onednn.dnnl_primitive_attr_destroy
#define dnnl_primitive_attr_set_scratchpad_mode orr__onednn.dnnl_primitive_attr_set_scratchpad_mode
#define dnnl_primitive_create orr__onednn.dnnl_primitive_create
#define dnnl_primitive_desc_destroy orr__onednn.dnnl_primitive_desc_destroy
#define dnnl_primitive_desc_query orr__onednn.dnnl_primitive_desc_query
#define dnnl_primitive_desc_query_md orr__onednn.dnnl_primitive_desc_query_md
#define dnnl_primitive_destroy orr__onednn.dnnl_primitive_destroy
#define dnnl_primitive_execute orr__onednn.dnnl_primitive_execute
#define dnnl_reorder_primitive_desc_create orr__onednn.dnnl_reorder_primitive_desc_create
#define dnnl_set_primitive_cache_capacity orr__onednn.dnnl_set_primitive_cache_capacity
#define dnnl_stream_create orr__onednn.dnnl_stream_create
#define dnnl_stream_destroy orr__onednn.dnnl_stream_destroy
#define dnnl_stream_wait orr__onednn.dnnl_stream_wait
#if DNNL_VERSION_MAJOR >= 3
#define dnnl_convolution_backward_data_primitive_desc_create                                                           \
    orr__onednn.dnnl_convolution_backward_data_primitive_desc_create
#define dnnl_convolution_backward_weights_primitive_desc_create                                                        \
    orr__onednn.dnnl_convolution_backward_weights_primitive_desc_create
#define dnnl_convolution_forward_primitive_desc_create orr__onednn.dnnl_convolution_forward_primitive_desc_create
#define dnnl_memory_desc_clone orr__onednn.dnnl_memory_desc_clone
#define dnnl_memory_desc_create_submemory orr__onednn.dnnl_memory_desc_create_submemory
#define dnnl_memory_desc_create_with_strides orr__onednn.dnnl_memory_desc_create_with_strides
#define dnnl_memory_desc_create_with_tag orr__onednn.dnnl_memory_desc_create_with_tag
#define dnnl_memory_desc_destroy orr__onednn.dnnl_memory_desc_destroy
#else
#define dnnl_dilated_convolution_backward_data_desc_init orr__onednn.dnnl_dilated_convolution_backward_data_desc_init
#define dnnl_dilated_convolution_backward_weights_desc_init                                                            \
    orr__onednn.dnnl_dilated_convolution_backward_weights_desc_init
#define dnnl_dilated_convolution_forward_desc_init orr__onednn.dnnl_dilated_convolution_forward_desc_init
#define dnnl_memory_desc_init_by_strides orr__onednn.dnnl_memory_desc_init_by_strides
#define dnnl_memory_desc_init_by_tag orr__onednn.dnnl_memory_desc_init_by_tag
#define dnnl_memory_desc_init_submemory orr__onednn.dnnl_memory_desc_init_submemory
#define dnnl_primitive_desc_create orr__onednn.dnnl_primitive_desc_create
#endif
#endif

#endif
