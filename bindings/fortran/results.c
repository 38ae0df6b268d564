/* Structs that functions of C return, as arguments: compilers of Fortran and C return small ones in different registers.
 * Made by bindings/fortran/generate.py from orrery/api.json (make api); do not edit it. */
#include <orrery.h>

void orr__fortran_tensor_shape(orr_shape *r_, const orr_tensor *t);
void orr__fortran_tensor_shape(orr_shape *r_, const orr_tensor *t)
{
    *r_ = orr_tensor_shape(t);
}

void orr__fortran_lstsq(orr_lstsq_result *r_, const char *file, int line, orr_tensor *a, orr_tensor *b, double rtol);
void orr__fortran_lstsq(orr_lstsq_result *r_, const char *file, int line, orr_tensor *a, orr_tensor *b, double rtol)
{
    *r_ = orr_lstsq_at(file, line, a, b, rtol);
}

void orr__fortran_slogdet(orr_slogdet_result *r_, const char *file, int line, orr_tensor *a);
void orr__fortran_slogdet(orr_slogdet_result *r_, const char *file, int line, orr_tensor *a)
{
    *r_ = orr_slogdet_at(file, line, a);
}

void orr__fortran_lu(orr_lu_result *r_, const char *file, int line, orr_tensor *a);
void orr__fortran_lu(orr_lu_result *r_, const char *file, int line, orr_tensor *a)
{
    *r_ = orr_lu_at(file, line, a);
}

void orr__fortran_qr(orr_qr_result *r_, const char *file, int line, orr_tensor *a, bool complete);
void orr__fortran_qr(orr_qr_result *r_, const char *file, int line, orr_tensor *a, bool complete)
{
    *r_ = orr_qr_at(file, line, a, complete);
}

void orr__fortran_svd(orr_svd_result *r_, const char *file, int line, orr_tensor *a, bool full);
void orr__fortran_svd(orr_svd_result *r_, const char *file, int line, orr_tensor *a, bool full)
{
    *r_ = orr_svd_at(file, line, a, full);
}

void orr__fortran_eigh(orr_eigh_result *r_, const char *file, int line, orr_tensor *a);
void orr__fortran_eigh(orr_eigh_result *r_, const char *file, int line, orr_tensor *a)
{
    *r_ = orr_eigh_at(file, line, a);
}

void orr__fortran_eig(orr_eig_result *r_, const char *file, int line, orr_tensor *a);
void orr__fortran_eig(orr_eig_result *r_, const char *file, int line, orr_tensor *a)
{
    *r_ = orr_eig_at(file, line, a);
}

void orr__fortran_memory_stats(orr_memory *r_);
void orr__fortran_memory_stats(orr_memory *r_)
{
    *r_ = orr_memory_stats();
}

void orr__fortran_optim_defaults(orr_optim_options *r_, orr_optim_kind kind);
void orr__fortran_optim_defaults(orr_optim_options *r_, orr_optim_kind kind)
{
    *r_ = orr_optim_defaults(kind);
}

void orr__fortran_dp_defaults(orr_dp_options *r_);
void orr__fortran_dp_defaults(orr_dp_options *r_)
{
    *r_ = orr_dp_defaults();
}

void orr__fortran_encrypted_shape(orr_shape *r_, const orr_encrypted *e);
void orr__fortran_encrypted_shape(orr_shape *r_, const orr_encrypted *e)
{
    *r_ = orr_encrypted_shape(e);
}

void orr__fortran_field_poly_divide(orr_field_division *r_, const char *file, int line, orr_tensor *c, orr_tensor *d);
void orr__fortran_field_poly_divide(orr_field_division *r_, const char *file, int line, orr_tensor *c, orr_tensor *d)
{
    *r_ = orr_field_poly_divide_at(file, line, c, d);
}
