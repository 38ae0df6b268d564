/* Direct calls of LAPACK on column-major f64 matrices, as a peer.
 * Must not know: Orrery. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"

#ifdef HAVE_LAPACK
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *, double *, const int *,
             int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *,
             const int *, double *, const int *, int *, int *, size_t);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
             const int *, int *, size_t, size_t);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *, const int *,
            double *, const int *, double *, const int *, int *, size_t, size_t);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgetri_(const int *, double *, const int *, const int *, double *, const int *, int *);
void dgelsd_(const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
             const double *, int *, double *, const int *, int *, int *);

/* The largest workspace that any of the calls requires. */
static size_t doubles(int n)
{
    return 6 * (size_t)n * (size_t)n + 400 * (size_t)n + 4000;
}

bool peer_lapack_there(void)
{
    return true;
}

void *peer_lapack_memory(int n)
{
    return malloc((doubles(n) + (size_t)n * (size_t)n) * sizeof(double) + (64 * (size_t)n + 400) * sizeof(int));
}

int peer_lapack(const char *what, int n, const double *a, const double *b, double *out, void *memory)
{
    double *work = memory, limit = -1, *copy = (double *)memory + doubles(n);
    int *ints = (int *)(void *)(copy + (size_t)n * (size_t)n), one = 1, info = 0, rank, size = (int)doubles(n);
    int isize = 64 * n + 400;
    size_t nn = (size_t)n * (size_t)n;
    if (strcmp(what, "qr") == 0) {
        memcpy(out, a, nn * sizeof *a);
        dgeqrf_(&n, &n, out, &n, copy, work, &size, &info);
        for (int c = 0; c < n; c++) /* R */
            memcpy(out + nn + (size_t)c * (size_t)n, out + (size_t)c * (size_t)n, (size_t)(c + 1) * sizeof *a);
        dorgqr_(&n, &n, &n, out, &n, copy, work, &size, &info);
        return info;
    }
    if (strcmp(what, "lu") == 0 || strcmp(what, "inv") == 0 || strcmp(what, "det") == 0) {
        memcpy(out, a, nn * sizeof *a);
        dgetrf_(&n, &n, out, &n, ints, &info);
        for (int c = 0; c < n && *what == 'l'; c++) /* separates U from L */
            for (int r = 0; r < n; r++)
                copy[(size_t)c * (size_t)n + (size_t)r] = r <= c ? out[(size_t)c * (size_t)n + (size_t)r] : 0;
        for (int c = 0; c < n && *what == 'l'; c++)
            for (int r = 0; r <= c; r++)
                out[(size_t)c * (size_t)n + (size_t)r] = r == c;
        if (*what == 'i')
            dgetri_(&n, out, &n, ints, work, &size, &info);
        for (int c = 1; c < n && *what == 'd'; c++)
            out[0] *= out[(size_t)c * (size_t)(n + 1)];
        return info;
    }
    memcpy(copy, a, nn * sizeof *a);
    if (strcmp(what, "svd") == 0)
        dgesdd_("S", &n, &n, copy, &n, out, out + n, &n, out + (size_t)n + nn, &n, work, &size, ints, &info, 1);
    else if (strcmp(what, "eigh") == 0) {
        memcpy(out, a, nn * sizeof *a);
        dsyevd_("V", "U", &n, out, &n, out + nn, work, &size, ints, &isize, &info, 1, 1);
    } else if (strcmp(what, "eig") == 0) {
        dgeev_("N", "V", &n, copy, &n, out + nn, out + nn + n, NULL, &one, out, &n, work, &size, &info, 1, 1);
    } else {
        memcpy(out, b, (size_t)n * sizeof *b);
        if (strcmp(what, "solve") == 0)
            dgesv_(&n, &one, copy, &n, ints, out, &n, &info);
        else
            dgelsd_(&n, &n, &one, copy, &n, out, &n, out + n, &limit, &rank, work, &size, ints, &info);
    }
    return info;
}
#else
bool peer_lapack_there(void)
{
    return false;
}

void *peer_lapack_memory(int n)
{
    (void)n;
    return NULL;
}

int peer_lapack(const char *what, int n, const double *a, const double *b, double *out, void *memory)
{
    (void)what, (void)n, (void)a, (void)b, (void)out, (void)memory;
    return 1;
}
#endif
