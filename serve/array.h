/* Arrays in requests and answers: JSON and .npy to tensors and back.
 * Must not know: what is computed with them. */
#ifndef ORR_SERVE_ARRAY_H
#define ORR_SERVE_ARRAY_H

#include "serve/budget.h"
#include "serve/reply.h"

/* The limits of an array. */
typedef struct serve_array_limits {
    int rank;
    int64_t bytes; /* of a result's elements */
    int64_t json;  /* of a result as text    */
} serve_array_limits;

/* A tensor of no scope from an array in JSON: nested lists of numbers or truth values (dtype: `dtype`, or bool), or
 * {"dtype", "shape", "data": a flat list}. NULL on error; *wrong is then the answer. */
orr_tensor *serve_array_json(const json_t *a, const char *name, orr_dtype dtype, const serve_array_limits *most,
                             serve_reply *wrong);
/* The .npy array at the start of `data`; *used as in orr_wrap_bytes. The tensor may keep a reference to the body; if body
 * is NULL, it has memory of its own. */
orr_tensor *serve_array_npy(serve_body *body, char *data, size_t bytes, size_t *used, const serve_array_limits *most,
                            serve_reply *wrong);
/* "float32" → ORR_F32; ORR_DTYPE_COUNT if no dtype has this name. */
orr_dtype serve_dtype(const char *name);
/* True if v is a whole number, be it written as 2.0. */
bool serve_whole(const json_t *v, int64_t *to);

/* True if a result of this dtype and shape can be sent as JSON; else *wrong is the answer. */
bool serve_array_fits_json(orr_dtype dtype, orr_shape shape, const serve_array_limits *most, serve_reply *wrong);
/* An answer with evaluated elements. as_dtype: the dtype that JSON reports (a half is sent as float32's digits). */
serve_reply serve_array_reply(serve_value *v, const void *data, orr_dtype dtype, orr_dtype as_dtype, orr_shape shape,
                              bool npy, const serve_array_limits *most);

#endif
