/* The table of user definitions: names, handles, search.
 * Must not know: the meaning of a definition. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "ops/define.h"
#include "runtime/base/fork.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while a definition is added */
static _Atomic(const orr__define *) table[ORR__DEFINE_MOST];
static atomic_int count;

/* Handles are odd numbers, so that none equals the address of an object. */
static orr_op *handle_of(const orr__define *d)
{
    return (orr_op *)(uintptr_t)((size_t)d->number << 4 | 0xbu);
}

const orr__define *orr__define_of(const orr_op *op)
{
    uintptr_t bits = (uintptr_t)op, i = bits >> 4;
    if ((bits & 0xfu) != 0xbu || i >= (uintptr_t)atomic_load_explicit(&count, memory_order_acquire))
        return NULL;
    return atomic_load_explicit(&table[i], memory_order_acquire);
}

const orr__define *orr__define_find(const char *name)
{
    int n = atomic_load_explicit(&count, memory_order_acquire);
    for (int i = 0; i < n; i++) {
        const orr__define *d = atomic_load_explicit(&table[i], memory_order_acquire);
        if (strcmp(d->op.name, name) == 0)
            return d;
    }
    return NULL;
}

static bool among(const char *words, const char *name)
{
    char key[ORR__DEFINE_NAME + 2];
    (void)snprintf(key, sizeof key, " %s ", name);
    return strstr(words, key) != NULL;
}

/* Public operations that are neither rows nor primitives: compositions. */
static bool composed(const char *name)
{
    return among(" alibi all any argmax argmin argwhere average_pool bartlett batch_norm batch_norm_training "
                 "bernoulli beta bincount binomial blackman broadcast_to categorical choice choice_weighted "
                 "clip_between cond conv_transpose convolve correlate correlation cosine_loss cosine_similarity "
                 "count_nonzero covariance cross cross_entropy cross_entropy_with diag diagonal diff dropout "
                 "eigvals eigvalsh einsum elu embedding expand_dims exponential fftfreq fftn fftshift flip "
                 "full_like gamma gather_nd group_norm hamming hann hfft hinge_embedding_loss hinge_loss histogram "
                 "huber_loss ifft ifftn ifftshift ihfft instance_norm interp inv irfft irfftn kaiser kl_loss kron "
                 "l1_loss layer_norm leaky_relu local_response_norm log_softmax logdet logsumexp lp_pool "
                 "mask_select matrix_norm matrix_power matrix_rank max max_pool max_pool_indices max_unpool mean "
                 "median min moveaxis mse mse_loss multivariate_normal nll_loss norm one_hot ones_like outer "
                 "permutation pinv poisson prod quantile rand rand_keyed randint randn randn_keyed repeat "
                 "repeat_each rfft rfftfreq rfftn rms_norm roll rot90 rotary scatter_nd select shuffle "
                 "sinusoidal_positions slice_axis softmax solve_cholesky squeeze stack std sum svdvals swapaxes "
                 "take_along_axis tensordot tile trace transpose tril triu unique_values var vecdot vector_norm "
                 "zeros_like ",
                 name);
}

/* Keywords of C, C++ (for CUDA), OpenCL C and CUDA C: a definition's name may become a function name in these
 * languages. */
static bool reserved(const char *name)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl "
        "const "
        "const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern "
        "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or "
        "or_eq private protected public register reinterpret_cast restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename "
        "union unsigned using virtual void volatile wchar_t while xor xor_eq "
        "half uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t image2d_t image3d_t sampler_t kernel "
        "global local constant read_only write_only read_write vec_step get_global_id get_local_id barrier "
        "threadIdx blockIdx blockDim gridDim warpSize main defined ";
    return among(words, name);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const char *orr__define_bad_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n >= ORR__DEFINE_NAME)
        return n ? "is longer than 31 characters" : "is empty";
    for (size_t i = 0; i < n; i++)
        if (!is_letter(name[i]) && (i == 0 || name[i] < '0' || name[i] > '9'))
            return "is no identifier: letters, digits and _, not beginning with a digit";
    if (strchr("xyzrg", name[0]) && n == 1)
        return "is the name of an operand";
    if (strncmp(name, "orr_", 4) == 0 || strncmp(name, "ORR_", 4) == 0 || name[0] == '_')
        return "begins as the library's own names do, or the compiler's";
    if (orr__ew_find(name))
        return "is a function of the library";
    for (int i = 0; i < orr__structural_count(); i++)
        if (strcmp(orr__structural[i]->name, name) == 0)
            return "is an operation of the library";
    if (composed(name))
        return "is an operation of the library";
    return reserved(name) ? "is a word of C, OpenCL C or CUDA C" : NULL;
}

void orr__define_free(orr__define *d)
{
    if (!d)
        return;
    for (int i = 0; i < 4; i++)
        free(d->text[i]);
    for (int i = 0; i < 3; i++)
        free(d->deriv[i]);
    free(d->value);
    free((char *)(uintptr_t)d->k.opencl); /* copies that the record owns */
    free((char *)(uintptr_t)d->k.cuda);
    free((char *)(uintptr_t)d->k.entry);
    free((char *)(uintptr_t)d->op.name);
    free(d);
}

ORR__GUARDED_IN_FORKS(lock)

orr_op *orr__define_add(orr__site at, orr__define *d, bool (*same)(const orr__define *a, const orr__define *b))
{
    pthread_mutex_lock(&lock);
    const orr__define *old = orr__define_find(d->op.name);
    int n = atomic_load_explicit(&count, memory_order_relaxed);
    orr_op *op = NULL;
    if (old && old->kernel == d->kernel && same(old, d)) {
        op = handle_of(old);
    } else if (old) {
        (void)orr__fail(at, ORR_EINVAL, "%s is defined otherwise already, at %s:%d", d->op.name,
                        old->file ? old->file : "?", old->line);
    } else if (n == ORR__DEFINE_MOST) {
        (void)orr__fail(at, ORR_EINVAL, "%s would be one definition more than the %d there may be", d->op.name, n);
    } else {
        d->number = n;
        op = handle_of(d);
        atomic_store_explicit(&table[n], d, memory_order_release);
        atomic_store_explicit(&count, n + 1, memory_order_release);
        d = NULL;
    }
    pthread_mutex_unlock(&lock);
    orr__define_free(d);
    return op;
}

orr_op *orr_op_find(const char *name)
{
    const orr__define *d = name ? orr__define_find(name) : NULL;
    return d ? handle_of(d) : NULL;
}

const char *orr_op_name(const orr_op *op)
{
    const orr__define *d = orr__define_of(op);
    return d ? d->op.name : NULL;
}

int orr_op_arity(const orr_op *op)
{
    const orr__define *d = orr__define_of(op);
    return d ? d->arity : -1;
}

static orr_tensor *apply(orr__site at, const orr__define *d, orr_tensor *const *x, const double *params)
{
    static const char *const names[ORR_MAX_KERNEL_INPUTS] = { "x[0]", "x[1]", "x[2]", "x[3]",
                                                              "x[4]", "x[5]", "x[6]", "x[7]" };
    const orr_tensor *t[ORR_MAX_KERNEL_INPUTS];
    orr__node *node[ORR_MAX_KERNEL_INPUTS];
    orr_tensor *bad;
    for (int i = 0; i < d->arity; i++)
        t[i] = x[i];
    if (!orr__operands(at, d->arity, t, names, node, &bad))
        return bad;
    return orr__handle_new(d->kernel ? orr__define_call(at, d, node, params) : orr__define_expand(at, d, node));
}

orr_tensor *orr_apply_at(const char *file, int line, const orr_op *op, orr_tensor *const *x, int n,
                         const double *params, int n_params)
{
    orr__site at = ORR__SITE(file, line, "apply");
    const orr__define *d = orr__define_of(op);
    if (!d)
        return orr__poison(at, op ? ORR_EHANDLE : ORR_EINVAL,
                           op ? "this is no op that was defined" : "the op is NULL: its definition failed");
    at.op = d->op.name;
    if (n != d->arity || !x)
        return orr__poison(at, ORR_EINVAL, "takes %d operand%s, not %d", d->arity, d->arity == 1 ? "" : "s", x ? n : 0);
    int want = d->kernel ? d->k.n_params : 0;
    if (n_params != want || (want && !params))
        return orr__poison(at, ORR_EINVAL, "takes %d parameter%s, not %d", want, want == 1 ? "" : "s",
                           params ? n_params : 0);
    return apply(at, d, x, params);
}
