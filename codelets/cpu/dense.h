/* Calls of LAPACK on one row-major matrix at a time: for each operation the memory of a call, and the call.
 * Must not know: StarPU, plans, batches. */
#ifndef ORR_CPU_DENSE_H
#define ORR_CPU_DENSE_H

#include "codelets/codelet.h"

/* A matrix of a batch and its operation. */
typedef struct orr__dense_job {
    int64_t m, n, k; /* rows, columns, right-hand sides */
    unsigned mask;   /* options of the operation          */
    int64_t work;    /* of orr__dense_need, computed once for all matrices of a batch */
    double limit;    /* singular values below this part of the largest count as 0; < 0: the default */
} orr__dense_job;

/* Memory of one call: elements, of which `work` are LAPACK's workspace, followed by ints. */
typedef struct orr__dense_need {
    int64_t reals, ints, work;
} orr__dense_need;

/* Matrices that are small enough to be computed side by side (vec.h). */
typedef struct orr__dense_lanes {
    size_t (*room)(const orr__dense_job *j); /* bytes; 0: the matrices are too large */
    /* Returns 0, or the value of `compute` for matrix number *which. */
    int64_t (*compute)(const orr__dense_job *j, const void *a, const void *b, void *out, int64_t count, void *room,
                       int64_t *which);
} orr__dense_lanes;

typedef struct orr__dense_call {
    orr__dense_need (*need)(const orr__dense_job *j);
    /* Returns 0 on success, else LAPACK's number of the failed pivot or value. a and b are not changed. */
    int64_t (*compute)(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints);
    orr__dense_lanes lanes;
} orr__dense_call;

typedef struct orr__dense {
    orr__dense_call solve, det, lu, qr, svd, eigh, eig, lstsq, expm;
    /* From the pivots of LAPACK's triangles: the m numbers of rows; from the diagonal and the pivots: the determinant's
     * three numbers. */
    void (*permutation)(const int *pivot, int64_t pivots, int64_t m, void *out);
    void (*of_diagonal)(const void *diagonal, const int *pivot, int64_t n, void *out);
    const struct orr__panels *panels; /* of one large matrix (panels.h) */
} orr__dense;
extern const orr__dense orr__dense_f32, orr__dense_f64, orr__dense_c64, orr__dense_c128;

static inline const orr__dense *orr__dense_of(orr_dtype t)
{
    switch (t) {
    case ORR_F64: return &orr__dense_f64;
    case ORR_C64: return &orr__dense_c64;
    case ORR_C128: return &orr__dense_c128;
    default: return &orr__dense_f32;
    }
}

/* The kernel of an operation where there is no LAPACK. */
#define ORR__NO_LAPACK(name)                                                                                           \
    orr_status orr__cpu_kernel_##name(const orr__kernel *kernel, const orr__launch *l)                                 \
    {                                                                                                                  \
        (void)kernel;                                                                                                  \
        return orr__fail(orr__cpu_site(l), ORR_EDEVICE,                                                                \
                         "this library was built without LAPACK: install OpenBLAS or LAPACK and configure it again");  \
    }

/* The result of `compute` for a matrix with an element that is not finite. */
enum { ORR__NOT_FINITE = -1 };

#endif
