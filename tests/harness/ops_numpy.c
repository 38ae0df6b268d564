/* Runs the cases of tests/golden/numpy: a file of inputs and of NumPy's results.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery/linalg.h>
#include "ops/ops.h"
#include "tests/harness/numpy_case.h"

typedef struct {
    char *at;
} reader;

static char *word(reader *r)
{
    char *w = r->at + strspn(r->at, " \n");
    char *end = w + strcspn(w, " \n");
    r->at = *end ? end + 1 : end;
    *end = 0;
    return w;
}

static double number(reader *r)
{
    return strtod(word(r), NULL);
}

static orr_dtype dtype_named(const char *name)
{
    int d = 0;
    while (d < ORR_DTYPE_COUNT && strcmp(orr_dtype_name((orr_dtype)d), name) != 0)
        d++;
    return (orr_dtype)d;
}

/* Reads dtype, rank, dimensions, elements. A complex element is two numbers, a scalar for each part. */
static orr__scalar *array(reader *r, orr_dtype *dtype, orr_shape *shape)
{
    *dtype = dtype_named(word(r));
    shape->rank = (int)number(r);
    for (int i = 0; i < shape->rank; i++)
        shape->dim[i] = (int64_t)number(r);
    int64_t n = orr__shape_count(shape) * (orr__is_complex(*dtype) ? 2 : 1);
    orr__scalar *v = calloc((size_t)n + 1, sizeof *v);
    for (int64_t i = 0; v && i < n; i++) {
        char *w = word(r);
        if (orr__is_inexact(*dtype))
            v[i].f = strtod(w, NULL);
        else if (orr__is_signed(*dtype))
            v[i].i = strtoll(w, NULL, 10);
        else
            v[i].u = strtoull(w, NULL, 10);
    }
    return v;
}

static orr_tensor *tensor(reader *r)
{
    orr_dtype dtype;
    orr_shape shape;
    orr__scalar *v = array(r, &dtype, &shape);
    orr_dtype part = orr__part_dtype(dtype);
    int64_t n = orr__shape_count(&shape) * (part == dtype ? 1 : 2);
    char *data = calloc((size_t)n + 1, orr_dtype_size(part));
    for (int64_t i = 0; v && data && i < n; i++)
        orr__scalar_store(data + (size_t)i * orr_dtype_size(part), part, v[i]);
    orr_tensor *t = orr_from(dtype, shape, data);
    free(data);
    free(v);
    return t;
}

static orr_shape shape_of(const numpy_case *c)
{
    orr_shape s = { c->np, { 0 } };
    for (int i = 0; i < c->np; i++)
        s.dim[i] = (int64_t)c->p[i];
    return s;
}

/* Reads n axes…, or -1 for all, from parameter `at` on; at -1: all parameters are axes. */
static orr_axes axes_of(const numpy_case *c, int at)
{
    orr_axes a = { at < 0 ? c->np : (int)c->p[at], { 0 } };
    for (int i = 0; i < a.n; i++)
        a.axis[i] = (int)c->p[at + 1 + i];
    return a;
}

static orr_index index_of(const numpy_case *c, int at, int n)
{
    orr_index x = { n, { 0 } };
    for (int i = 0; i < n; i++)
        x.v[i] = (int64_t)c->p[at + i];
    return x;
}

#define X c->in[0]
#define I(k) (int64_t) c->p[k]
#define CASE(name, expr)                                                                                               \
    static orr_tensor *run_##name(const numpy_case *c)                                                                 \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
CASE(reshape, orr_reshape(X, shape_of(c)))
CASE(permute, orr_permute(X, axes_of(c, -1)))
CASE(transpose, orr_transpose(X))
CASE(broadcast_to, orr_broadcast_to(X, shape_of(c)))
CASE(squeeze, orr_squeeze(X, axes_of(c, 0)))
CASE(expand_dims, orr_expand_dims(X, (int)c->p[0]))
CASE(slice, orr_slice(X, index_of(c, 1, (int)c->p[0]), index_of(c, 1 + (int)c->p[0], (int)c->p[0]),
                      index_of(c, 1 + 2 * (int)c->p[0], (int)c->p[0])))
CASE(slice_axis, orr_slice_axis(X, (int)c->p[0], I(1), I(2), I(3)))
CASE(select, orr_select(X, (int)c->p[0], I(1)))
CASE(flip, orr_flip(X, axes_of(c, 0)))
CASE(cast, orr_cast(X, c->to))
CASE(arange, orr_arange(c->to, c->p[0], c->p[1], c->p[2]))
CASE(linspace, orr_linspace(c->to, c->p[0], c->p[1], I(2)))
CASE(eye, orr_eye(c->to, I(0), I(1), I(2)))
CASE(sum, orr_sum(X, axes_of(c, 1), c->p[0] != 0))
CASE(prod, orr_prod(X, axes_of(c, 1), c->p[0] != 0))
CASE(mean, orr_mean(X, axes_of(c, 1), c->p[0] != 0))
CASE(min, orr_min(X, axes_of(c, 1), c->p[0] != 0))
CASE(max, orr_max(X, axes_of(c, 1), c->p[0] != 0))
CASE(any, orr_any(X, axes_of(c, 1), c->p[0] != 0))
CASE(all, orr_all(X, axes_of(c, 1), c->p[0] != 0))
CASE(norm, orr_norm(X, axes_of(c, 1), c->p[0] != 0))
CASE(logsumexp, orr_logsumexp(X, axes_of(c, 1), c->p[0] != 0))
CASE(var, orr_var(X, axes_of(c, 2), c->p[0], c->p[1] != 0))
CASE(std, orr_std(X, axes_of(c, 2), c->p[0], c->p[1] != 0))
CASE(argmin, orr_argmin(X, (int)c->p[0], c->p[1] != 0))
CASE(argmax, orr_argmax(X, (int)c->p[0], c->p[1] != 0))
CASE(matmul, orr_matmul(X, c->in[1]))
CASE(matmul_tt, orr_matmul(orr_transpose(X), orr_transpose(c->in[1])))
CASE(cholesky, orr_cholesky(X))
CASE(logdet, orr_logdet(X))
CASE(solve_triangular, orr_solve_triangular(X, c->in[1], c->p[0] != 0, c->p[1] != 0, c->p[2] != 0))
CASE(solve, orr_solve(X, c->in[1]))
CASE(inv, orr_inv(X))
CASE(det, orr_det(X))
CASE(slogdet, c->p[0] != 0 ? orr_slogdet(X).logabsdet : orr_slogdet(X).sign)
CASE(lu, c->p[0] > 1 ? orr_lu(X).u : c->p[0] > 0 ? orr_lu(X).l : orr_lu(X).p)
CASE(qr, c->p[1] != 0 ? orr_qr(X, c->p[0] != 0).r : orr_qr(X, c->p[0] != 0).q)
CASE(svd, c->p[1] == 1  ? orr_svd(X, c->p[0] != 0).s
          : c->p[1] > 1 ? orr_abs(orr_svd(X, c->p[0] != 0).vh)
                        : orr_abs(orr_svd(X, c->p[0] != 0).u))
CASE(svdvals, orr_svdvals(X))
CASE(eigh, c->p[0] != 0 ? orr_abs(orr_eigh(X).v) : orr_eigh(X).w)
/* Sums of powers, which do not depend on the order. */
static orr_tensor *power_sum(orr_tensor *w, int power, orr_dtype of)
{
    orr_tensor *p = w;
    for (int k = 1; k < power; k++)
        p = orr_mul(p, w);
    p = orr_sum(p, ORR_AXES(-1), false);
    return orr__is_complex(of) ? p : orr_real(p);
}
CASE(eigvals, power_sum(orr_eigvals(X), (int)c->p[0], orr_tensor_dtype(X)))
CASE(eig, power_sum(orr_eig(X).w, (int)c->p[0], orr_tensor_dtype(X)))
CASE(eigvalsh, orr_eigvalsh(X))
CASE(lstsq, c->p[1] > 1   ? orr_lstsq(X, c->in[1], c->p[0]).s
            : c->p[1] > 0 ? orr_lstsq(X, c->in[1], c->p[0]).rank
                          : orr_lstsq(X, c->in[1], c->p[0]).x)
CASE(pinv, orr_pinv(X, c->p[0]))
CASE(matrix_rank, orr_matrix_rank(X, c->p[0]))
CASE(matrix_norm, orr_matrix_norm(X, (orr_norm_kind)c->p[0], c->p[1] != 0))
CASE(vector_norm, orr_vector_norm(X, ORR_AXES((int)c->p[2]), c->p[1] != 0, c->p[0]))
CASE(cond, orr_cond(X, (orr_norm_kind)c->p[0]))
CASE(trace, orr_trace(X, I(0)))
CASE(matrix_power, orr_matrix_power(X, I(0)))
CASE(expm, orr_expm(X))
CASE(cross, orr_cross(X, c->in[1], (int)c->p[0]))
CASE(take, orr_take(X, c->in[1], (int)c->p[0]))
CASE(scatter_add, orr_scatter_add(X, c->in[1], c->in[2], (int)c->p[0]))
CASE(one_hot, orr_one_hot(X, I(0), c->to))
CASE(tril, orr_tril(X, I(0)))
CASE(triu, orr_triu(X, I(0)))
CASE(concat, orr_concat(c->in, c->nin, (int)c->p[0]))
CASE(stack, orr_stack(c->in, c->nin, (int)c->p[0]))
CASE(pad, orr_pad(X, index_of(c, 1, c->np / 2), index_of(c, 1 + c->np / 2, c->np / 2), c->p[0]))
CASE(softmax, orr_softmax(X, (int)c->p[0]))
CASE(log_softmax, orr_log_softmax(X, (int)c->p[0]))
CASE(cross_entropy, orr_cross_entropy(X, c->in[1]))
CASE(mse, orr_mse(X, c->in[1]))

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
static const numpy_row rows[] = {
    ROW(reshape),     ROW(permute),     ROW(transpose),   ROW(broadcast_to),
    ROW(squeeze),     ROW(expand_dims), ROW(slice),       ROW(slice_axis),
    ROW(select),      ROW(flip),        ROW(cast),        ROW(arange),
    ROW(linspace),    ROW(eye),         ROW(sum),         ROW(prod),
    ROW(mean),        ROW(min),         ROW(max),         ROW(any),
    ROW(all),         ROW(norm),        ROW(logsumexp),   ROW(var),
    ROW(std),         ROW(argmin),      ROW(argmax),      ROW(matmul),
    ROW(matmul_tt),   ROW(take),        ROW(scatter_add), ROW(one_hot),
    ROW(tril),        ROW(triu),        ROW(concat),      ROW(stack),
    ROW(pad),         ROW(softmax),     ROW(log_softmax), ROW(cross_entropy),
    ROW(mse),         ROW(cholesky),    ROW(logdet),      ROW(solve_triangular),
    ROW(solve),       ROW(inv),         ROW(det),         ROW(slogdet),
    ROW(lu),          ROW(qr),          ROW(svd),         ROW(svdvals),
    ROW(eig),         ROW(eigvals),     ROW(eigh),        ROW(eigvalsh),
    ROW(lstsq),       ROW(pinv),        ROW(matrix_rank), ROW(matrix_norm),
    ROW(vector_norm), ROW(cond),        ROW(trace),       ROW(matrix_power),
    ROW(expm),        ROW(cross),
};

/* Runs an operation by its contract. Parameters: axis, options, then start and step per axis, as many as the
 * operation has. */
static orr_tensor *run_structural(const orr__op *op, const numpy_case *c)
{
    orr__attr a = { 0 };
    int at = 0, rank = orr_tensor_shape(c->in[0]).rank;
    a.axis = (int)c->p[at++];
    if (op->options)
        a.mask = (uint32_t)c->p[at++];
    for (int d = 0; d < rank && op->attrs & ORR__ATTR_START; d++)
        a.start[d] = (int64_t)c->p[at++];
    for (int d = 0; d < rank && op->attrs & ORR__ATTR_STEP; d++)
        a.step[d] = (int64_t)c->p[at++];
    return op->record(ORR_HERE, c->in, &a);
}

static bool wanted(const char *op, const char *const *ops)
{
    bool found = !ops;
    for (; ops && *ops && !found; ops++)
        found = strcmp(op, *ops) == 0;
    return found;
}

/* Reads the case's head and operands; the reader then is at "out". */
static void read_case(reader *r, numpy_case *c)
{
    memset(c, 0, sizeof *c);
    snprintf(c->op, sizeof c->op, "%s", word(r));
    char *equals = strchr(c->op, '='), *colon = strchr(c->op, ':');
    if (equals) {
        *equals = 0;
        snprintf(c->text, sizeof c->text, "%s", equals + 1);
    }
    if (colon) {
        *colon = 0;
        c->to = dtype_named(colon + 1);
    }
    c->ulps = number(r);
    c->np = (int)number(r);
    for (int i = 0; i < c->np && i < NUMPY_MAX_PARAM; i++)
        c->p[i] = number(r);
    while (strcmp(word(r), "in") == 0 && c->nin < NUMPY_MAX_IN)
        c->in[c->nin++] = tensor(r);
}

/* Checks a complex result also as pairs along one more axis, in one evaluation with the result itself. */
static void check(orr_tensor *got, orr_dtype dtype, orr_shape shape, const orr__scalar *want, double ulps,
                  const char *what)
{
    if (orr__is_complex(dtype) && orr_tensor_dtype(got) == dtype) {
        orr_tensor *pairs = orr_stack((orr_tensor *[]){ orr_real(got), orr_imag(got) }, 2, -1);
        orr_shape of_pairs = shape;
        of_pairs.dim[of_pairs.rank++] = 2;
        help_check(pairs, orr__part_dtype(dtype), of_pairs, want, ulps, what);
    }
    help_check(got, dtype, shape, want, ulps, what);
}

static void check_case(const numpy_case *c, int number_of_case, orr_dtype dtype, orr_shape shape,
                       const orr__scalar *want)
{
    char what[160];
    size_t i = 0;
    snprintf(what, sizeof what, "case %d, %s", number_of_case, c->op);
    while (i < sizeof rows / sizeof *rows && strcmp(rows[i].name, c->op) != 0)
        i++;
    for (int k = 0; k < orr__structural_count(); k++)
        if (orr__structural[k]->record && strcmp(orr__structural[k]->name, c->op) == 0) {
            check(run_structural(orr__structural[k], c), dtype, shape, want, c->ulps, what);
            return;
        }
    const numpy_row *const tables[] = { numpy_array_rows, numpy_window_rows, numpy_standard_rows };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const numpy_row *row = tables[t]; row->name; row++)
            if (strcmp(row->name, c->op) == 0) {
                check(row->run(c), dtype, shape, want, c->ulps, what);
                return;
            }
    ORR_CHECK_MSG(i < sizeof rows / sizeof *rows, "%s is not known", c->op);
    if (i < sizeof rows / sizeof *rows)
        check(rows[i].run(c), dtype, shape, want, c->ulps, what);
}

/* Runs case n, which r reads, if one of the names matches. */
static bool one_case(reader *r, int n, const char *const *ops)
{
    numpy_case c;
    orr_dtype dtype;
    orr_shape shape;
    orr_scope *s = orr_scope_begin();
    read_case(r, &c);
    orr__scalar *want = array(r, &dtype, &shape);
    bool run = want && wanted(c.op, ops);
    if (run)
        check_case(&c, n, dtype, shape, want);
    free(want);
    (void)orr_scope_end(s);
    return run;
}

void help_numpy(const char *file, const char *const *ops)
{
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden(file), &size);
    ORR_CHECK_MSG(text != NULL, "%s cannot be read", file);
    if (!text)
        return;
    reader r = { text };
    int n = 0, run = 0;
    while (strcmp(word(&r), "case") == 0)
        run += one_case(&r, n++, ops);
    ORR_CHECK_MSG(run > 0, "no case of %s was run", file);
    free(text);
}

int help_numpy_some(const char *file, unsigned long long seed, int cases)
{
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden(file), &size);
    int lines = 0, run = 0;
    ORR_CHECK_MSG(text != NULL, "%s cannot be read", file);
    for (const char *at = text; at && (at = strstr(at, "\ncase ")); at++)
        lines++;
    while (lines > 0 && run < cases) { /* reading a case changes its text: each is read from a copy */
        int n = (int)(orr_test_rand(&seed) % (unsigned)lines);
        const char *at = text;
        for (int k = 0; k <= n; k++)
            at = strstr(at, "\ncase ") + 1;
        const char *end = strstr(at, "\ncase ");
        char *copy = strndup(at, end ? (size_t)(end - at) : strlen(at));
        reader r = { copy };
        (void)word(&r);
        run++;
        (void)one_case(&r, n, NULL);
        free(copy);
    }
    free(text);
    return run;
}
