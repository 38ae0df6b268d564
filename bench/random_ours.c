/* Computes random programs with Orrery, as a user writes them: each call records the graph and frees it.
 * Must not know: how a program was drawn, other sides. */
#include "config.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/explain.h>
#include <orrery/info.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/random.h"

enum { MOST_VALUES = 1024, MOST_ARGS = 20, MOST_OUT = 32 };
#define SAMPLES 65536 /* elements of a result that are compared */

typedef struct operand {
    int value; /* -1: numbers or a dtype */
    int n;
    double number[8];
    orr_dtype dtype;
} operand;

typedef struct statement statement;
typedef orr_tensor *compute(const statement *s);

typedef struct operation {
    const char *name;
    orr_tensor *(*unary)(const char *, int, orr_tensor *);
    orr_tensor *(*binary)(const char *, int, orr_tensor *, orr_tensor *);
    compute *other;
    double flops; /* per element of the largest array of the operation */
} operation;

struct statement {
    const operation *op;
    int out[MOST_ARGS], nout, nargs;
    operand arg[MOST_ARGS];
};

static struct {
    int inputs; /* the first values are the inputs */
    int values, statements, nout;
    orr_tensor *value[MOST_VALUES];
    statement *statement;
    int out[MOST_OUT];
} g;

/* -- the operations -------------------------------------------------------------------------------------- */

static orr_tensor *at(const statement *s, int i)
{
    const operand *a = &s->arg[i];
    return a->value >= 0 ? g.value[a->value] : orr_scalar(a->number[0]);
}

static orr_axes axes(const statement *s, int i)
{
    orr_axes x = { .n = s->arg[i].n };
    for (int k = 0; k < x.n; k++)
        x.axis[k] = (int)s->arg[i].number[k];
    return x;
}

static orr_index ints(const statement *s, int i)
{
    orr_index x = { .n = s->arg[i].n };
    for (int k = 0; k < x.n; k++)
        x.v[k] = (int64_t)s->arg[i].number[k];
    return x;
}

static orr_shape shape_of(const operand *a)
{
    orr_shape x = { .rank = a->n };
    for (int k = 0; k < x.rank; k++)
        x.dim[k] = (int64_t)a->number[k];
    return x;
}

static int whole(const statement *s, int i)
{
    return (int)s->arg[i].number[0];
}

/* clang-format off */
#define REDUCTION(name) static orr_tensor *do_##name(const statement *s) { return orr_##name(at(s, 0), axes(s, 1), whole(s, 2)); }
REDUCTION(sum) REDUCTION(mean) REDUCTION(max) REDUCTION(min) REDUCTION(logsumexp)
static orr_tensor *do_var(const statement *s) { return orr_var(at(s, 0), axes(s, 1), 0.0, whole(s, 2)); }
static orr_tensor *do_std(const statement *s) { return orr_std(at(s, 0), axes(s, 1), 0.0, whole(s, 2)); }
static orr_tensor *do_argmax(const statement *s) { return orr_argmax(at(s, 0), whole(s, 1), whole(s, 2)); }
static orr_tensor *do_argmin(const statement *s) { return orr_argmin(at(s, 0), whole(s, 1), whole(s, 2)); }
static orr_tensor *do_softmax(const statement *s) { return orr_softmax(at(s, 0), whole(s, 1)); }
static orr_tensor *do_log_softmax(const statement *s) { return orr_log_softmax(at(s, 0), whole(s, 1)); }
static orr_tensor *do_where(const statement *s) { return orr_where(at(s, 0), at(s, 1), at(s, 2)); }
static orr_tensor *do_cast(const statement *s) { return orr_cast(at(s, 0), s->arg[1].dtype); }
static orr_tensor *do_permute(const statement *s) { return orr_permute(at(s, 0), axes(s, 1)); }
static orr_tensor *do_reshape(const statement *s) { return orr_reshape(at(s, 0), shape_of(&s->arg[1])); }
static orr_tensor *do_flip(const statement *s) { return orr_flip(at(s, 0), axes(s, 1)); }
static orr_tensor *do_slice(const statement *s) { return orr_slice(at(s, 0), ints(s, 1), ints(s, 2), ints(s, 3)); }
static orr_tensor *do_pad(const statement *s) { return orr_pad(at(s, 0), ints(s, 1), ints(s, 2), s->arg[3].number[0]); }
static orr_tensor *do_take(const statement *s) { return orr_take(at(s, 0), at(s, 1), whole(s, 2)); }
static orr_tensor *do_scatter_add(const statement *s) { return orr_scatter_add(at(s, 0), at(s, 1), at(s, 2), whole(s, 3)); }
static orr_tensor *do_tril(const statement *s) { return orr_tril(at(s, 0), whole(s, 1)); }
static orr_tensor *do_triu(const statement *s) { return orr_triu(at(s, 0), whole(s, 1)); }
/* clang-format on */

static orr_tensor *do_concat(const statement *s)
{
    orr_tensor *part[MOST_ARGS];
    for (int i = 0; i + 1 < s->nargs; i++)
        part[i] = at(s, i);
    return orr_concat(part, s->nargs - 1, whole(s, s->nargs - 1));
}

static orr_tensor *do_grad(const statement *s)
{
    orr_tensor *x[MOST_ARGS], *d[MOST_ARGS];
    int n = s->nargs - 1;
    for (int i = 0; i < n; i++)
        x[i] = at(s, i + 1);
    (void)orr_grad(at(s, 0), x, n, d); /* each gradient then carries the error */
    for (int i = 0; i < n && i < s->nout; i++)
        g.value[s->out[i]] = d[i];
    return d[0];
}

static const operation operations[] = {
    { "neg", orr_neg_at, NULL, NULL, 1 },
    { "abs", orr_abs_at, NULL, NULL, 1 },
    { "square", orr_square_at, NULL, NULL, 1 },
    { "sqrt", orr_sqrt_at, NULL, NULL, 6 },
    { "reciprocal", orr_reciprocal_at, NULL, NULL, 4 },
    { "exp", orr_exp_at, NULL, NULL, 20 },
    { "log1p", orr_log1p_at, NULL, NULL, 24 },
    { "sin", orr_sin_at, NULL, NULL, 30 },
    { "cos", orr_cos_at, NULL, NULL, 30 },
    { "tanh", orr_tanh_at, NULL, NULL, 30 },
    { "sigmoid", orr_sigmoid_at, NULL, NULL, 26 },
    { "silu", orr_silu_at, NULL, NULL, 30 },
    { "relu", orr_relu_at, NULL, NULL, 1 },
    { "gelu", orr_gelu_tanh_at, NULL, NULL, 40 },
    { "add", NULL, orr_add_at, NULL, 1 },
    { "sub", NULL, orr_sub_at, NULL, 1 },
    { "mul", NULL, orr_mul_at, NULL, 1 },
    { "div", NULL, orr_div_at, NULL, 4 },
    { "maximum", NULL, orr_maximum_at, NULL, 1 },
    { "minimum", NULL, orr_minimum_at, NULL, 1 },
    { "less", NULL, orr_less_at, NULL, 1 },
    { "greater", NULL, orr_greater_at, NULL, 1 },
    { "less_equal", NULL, orr_less_equal_at, NULL, 1 },
    { "greater_equal", NULL, orr_greater_equal_at, NULL, 1 },
    { "logical_and", NULL, orr_logical_and_at, NULL, 1 },
    { "logical_or", NULL, orr_logical_or_at, NULL, 1 },
    { "where", NULL, NULL, do_where, 1 },
    { "cast", NULL, NULL, do_cast, 1 },
    { "sum", NULL, NULL, do_sum, 1 },
    { "mean", NULL, NULL, do_mean, 1 },
    { "max", NULL, NULL, do_max, 1 },
    { "min", NULL, NULL, do_min, 1 },
    { "var", NULL, NULL, do_var, 3 },
    { "std", NULL, NULL, do_std, 3 },
    { "logsumexp", NULL, NULL, do_logsumexp, 22 },
    { "argmax", NULL, NULL, do_argmax, 1 },
    { "argmin", NULL, NULL, do_argmin, 1 },
    { "softmax", NULL, NULL, do_softmax, 24 },
    { "log_softmax", NULL, NULL, do_log_softmax, 24 },
    { "permute", NULL, NULL, do_permute, 0 },
    { "reshape", NULL, NULL, do_reshape, 0 },
    { "flip", NULL, NULL, do_flip, 0 },
    { "slice", NULL, NULL, do_slice, 0 },
    { "pad", NULL, NULL, do_pad, 0 },
    { "take", NULL, NULL, do_take, 0 },
    { "scatter_add", NULL, NULL, do_scatter_add, 1 },
    { "tril", NULL, NULL, do_tril, 1 },
    { "triu", NULL, NULL, do_triu, 1 },
    { "concat", NULL, NULL, do_concat, 0 },
    { "matmul", NULL, orr_matmul_at, NULL, 0 },
    { "cross_entropy", NULL, orr_cross_entropy_at, NULL, 24 },
    { "grad", NULL, NULL, do_grad, 0 },
    { 0 },
};

static void record(const statement *s)
{
    const operation *op = s->op;
    if (op->unary)
        g.value[s->out[0]] = op->unary(ORR_HERE, at(s, 0));
    else if (op->binary)
        g.value[s->out[0]] = op->binary(ORR_HERE, at(s, 0), at(s, 1));
    else
        g.value[s->out[0]] = op->other(s);
}

/* -- the text -------------------------------------------------------------------------------------------- */

static bool dtype_named(const char *word, orr_dtype *to)
{
    static const struct {
        const char *name;
        orr_dtype dtype;
    } all[] = { { "f32", ORR_F32 },   { "f64", ORR_F64 }, { "f16", ORR_F16 },
                { "bf16", ORR_BF16 }, { "i32", ORR_I32 }, { "i64", ORR_I64 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, word) == 0)
            return *to = all[i].dtype, true;
    return false;
}

static bool value_named(const char *word, int *to, char **end)
{
    if (word[0] != 't' || !isdigit((unsigned char)word[1]))
        return false;
    long v = strtol(word + 1, end, 10);
    *to = (int)v;
    return v >= 0 && v < MOST_VALUES;
}

static bool read_operand(const char *word, operand *a)
{
    char *end;
    *a = (operand){ .value = -1 };
    if (value_named(word, &a->value, &end))
        return *end == '\0' && a->value < g.values;
    a->value = -1;
    if (dtype_named(word, &a->dtype))
        return true;
    while (*word && a->n < 8) {
        a->number[a->n++] = strtod(word, &end);
        if (end == word)
            return false;
        word = *end == ',' ? end + 1 : end;
    }
    return *word == '\0';
}

/* An array with the same values on every side. */
static orr_tensor *input(orr_dtype dtype, orr_shape shape, double lo, double hi, bool below)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= shape.dim[i];
    float *x = malloc((size_t)n * sizeof *x);
    if (!x)
        return NULL;
    fusion_fill(x, n, g.inputs, (float)lo, (float)hi);
    if (dtype == ORR_I32)
        for (int64_t i = 0; i < n; i++)
            x[i] = floorf(below && x[i] >= (float)hi ? (float)hi - 1 : x[i]);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_cast(orr_from(ORR_F32, shape, x), dtype);
    free(x);
    if (orr_eval(t) == ORR_OK)
        (void)orr_keep(t);
    else
        t = NULL;
    (void)orr_scope_end(s);
    return t;
}

static bool read_input(char **word, int n)
{
    operand a[5] = { 0 };
    for (int i = 2; i < n && i < 6; i++)
        if (!read_operand(word[i], &a[i - 2]))
            return false;
    if (!strcmp(word[1], "input") && n == 6 && a[1].n <= ORR_MAX_RANK)
        g.value[g.values] = input(a[0].dtype, shape_of(&a[1]), a[2].number[0], a[3].number[0], false);
    else if (!strcmp(word[1], "index") && n == 4)
        g.value[g.values] = input(ORR_I32, shape_of(&a[0]), 0.0, a[1].number[0], true);
    else
        return false;
    g.inputs++;
    return g.value[g.values++] != NULL;
}

static bool read_statement(char **word, int n)
{
    if (n < 2 || g.values >= MOST_VALUES)
        return false;
    if (!strcmp(word[1], "input") || !strcmp(word[1], "index"))
        return read_input(word, n);
    statement *more = realloc(g.statement, ((size_t)g.statements + 1) * sizeof *more), s = { .op = operations };
    if (!more)
        return false;
    g.statement = more;
    if (!strcmp(word[0], "out")) {
        operand a;
        for (int i = 1; i < n && g.nout < MOST_OUT; i++) {
            if (!read_operand(word[i], &a) || a.value < 0)
                return false;
            g.out[g.nout++] = a.value;
        }
        return true;
    }
    for (int i = 2; i < n && s.nargs < MOST_ARGS; i++)
        if (!read_operand(word[i], &s.arg[s.nargs++]))
            return false;
    while (s.op->name && strcmp(s.op->name, word[1]) != 0)
        s.op++;
    int v;
    for (char *w = word[0], *end; s.nout < MOST_ARGS && value_named(w, &v, &end); w = end + (*end == ',')) {
        s.out[s.nout++] = v;
        g.values = v >= g.values ? v + 1 : g.values;
        if (!*end)
            break;
    }
    g.statement[g.statements++] = s;
    return s.op->name && s.nout > 0;
}

/* Reads the program. Inputs between operations get values at once; the operations are recorded in each call. */
static bool read_program(FILE *f, const char **why)
{
    static char line[4096], said[256];
    while (fgets(line, sizeof line, f)) {
        char *word[64], *rest = NULL, kept[120];
        int n = 0;
        (void)snprintf(kept, sizeof kept, "%.*s", (int)strcspn(line, "\n"), line);
        for (char *w = strtok_r(line, " \n", &rest); w && n < 64; w = strtok_r(NULL, " \n", &rest))
            word[n++] = w;
        if (n && word[0][0] != '#' && !read_statement(word, n)) {
            (void)snprintf(said, sizeof said, "the program has a line that cannot be read: %s", kept);
            *why = said;
            return false;
        }
    }
    return g.nout > 0;
}

/* -- the work -------------------------------------------------------------------------------------------- */

static double machine(const char *name)
{
    orr_machine_number number[32];
    int n = orr_machine_list(number, 32);
    for (int i = 0; i < n && i < 32; i++)
        if (!strcmp(number[i].name, name))
            return number[i].value * 1e6;
    return 1e9;
}

static int cores;

static double bytes_of(const orr_tensor *t)
{
    return (double)orr_tensor_size(t) * (double)orr_dtype_size(orr_tensor_dtype(t));
}

static bool is_input(int value)
{
    for (int i = 0; i < g.statements; i++)
        for (int k = 0; k < g.statement[i].nout; k++)
            if (g.statement[i].out[k] == value)
                return false;
    return true;
}

static void add_statement(const statement *s, random_work *w, double *gemm)
{
    const orr_tensor *y = g.value[s->out[0]];
    double n = (double)orr_tensor_size(y);
    for (int i = 0; i < s->nargs; i++)
        if (s->arg[i].value >= 0 && strcmp(s->op->name, "take") != 0)
            n = fmax(n, (double)orr_tensor_size(g.value[s->arg[i].value]));
    w->flops += n * s->op->flops;
    if (!strcmp(s->op->name, "matmul")) {
        orr_shape a = orr_tensor_shape(g.value[s->arg[0].value]);
        double flops = 2.0 * (double)orr_tensor_size(y) * (double)a.dim[a.rank - 1];
        w->products += flops;
        *gemm += flops / machine(orr_tensor_dtype(y) == ORR_F64 ? "gemm64" : "gemm32");
    }
    if (!strcmp(s->op->name, "grad")) { /* each product has two of its size in the backward pass */
        w->products *= 3;
        *gemm *= 3;
        w->flops *= 2;
    }
}

static void measure_work(random_work *w)
{
    double gemm = 0.0;
    *w = (random_work){ .bound = "memory" };
    cores = bench_cores();
    for (int v = 0; v < g.values; v++) {
        w->elements = fmax(w->elements, g.value[v] ? (double)orr_tensor_size(g.value[v]) : 0.0);
        if (is_input(v))
            w->bytes += bytes_of(g.value[v]);
    }
    for (int i = 0; i < g.nout; i++)
        w->bytes += bytes_of(g.value[g.out[i]]);
    for (int i = 0; i < g.statements; i++)
        add_statement(&g.statement[i], w, &gemm);
    bool near = w->bytes < 1e6;
    double wide = orr_tensor_dtype(g.value[g.out[0]]) == ORR_F64 ? 2.0 : 1.0;
    w->seconds = near ? w->bytes / (machine("cached") * cores) : w->bytes / machine("stream_all");
    double arithmetic = w->flops * wide / (machine("math") * cores), products = gemm / cores;
    if (arithmetic > w->seconds) {
        w->seconds = arithmetic;
        w->bound = "arithmetic";
    }
    if (products > w->seconds) {
        w->seconds = products;
        w->bound = "products";
    }
}

/* -- a side ---------------------------------------------------------------------------------------------- */

static orr_status compute_all(orr_tensor **out)
{
    for (int i = 0; i < g.statements; i++)
        record(&g.statement[i]);
    for (int i = 0; i < g.nout; i++)
        out[i] = g.value[g.out[i]];
    return orr_eval_all(out, g.nout);
}

int random_ours_once(void *unused)
{
    (void)unused;
    orr_tensor *out[MOST_OUT];
    orr_scope *s = orr_scope_begin();
    orr_status st = compute_all(out);
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : 1;
}

/* Writes a result's length, its mean, and its values at SAMPLES positions, or at all. peers/random_programs.py does
 * the same. */
static bool sample(FILE *f, orr_tensor *t)
{
    orr_tensor *wide = orr_cast(t, ORR_F64);
    const double *x = orr_data(wide);
    if (!x)
        return false;
    int64_t size = orr_tensor_size(t), n = size < SAMPLES ? size : SAMPLES;
    double mean = 0.0, head[3] = { (double)size, 0.0, (double)n };
    for (int64_t i = 0; i < size; i++)
        mean += x[i];
    head[1] = mean / (double)(size ? size : 1);
    if (fwrite(head, sizeof *head, 3, f) != 3)
        return false;
    for (int64_t k = 0; k < n; k++) {
        uint64_t place = (uint64_t)k * 0x9E3779B97F4A7C15u >> 32;
        int64_t i = n == size ? k : (int64_t)(place * (uint64_t)size >> 32);
        if (fwrite(&x[i], sizeof *x, 1, f) != 1)
            return false;
    }
    return true;
}

int random_ours_load(const char *path, const char **why)
{
    *why = NULL;
    random_ours_drop();
    FILE *f = fopen(path, "re");
    if (!f)
        *why = "its file cannot be opened";
    bool ok = f && read_program(f, why);
    if (f)
        (void)fclose(f);
    return ok ? 0 : 1;
}

int random_ours_prepare(const char *path, const char *samples, random_work *work, const char **why)
{
    FILE *to = fopen(samples, "we");
    bool ok = random_ours_load(path, why) == 0;
    if (ok && !to) {
        *why = "the file of its samples cannot be opened";
        ok = false;
    }
    orr_tensor *out[MOST_OUT];
    orr_scope *s = orr_scope_begin();
    if (ok && (ok = compute_all(out) == ORR_OK))
        measure_work(work);
    for (int i = 0; ok && i < g.nout; i++)
        ok = sample(to, out[i]);
    if (orr_scope_end(s) != ORR_OK)
        ok = false;
    if (to && fclose(to) != 0)
        ok = false;
    return ok ? 0 : 1;
}

int random_ours_explain(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return 1;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < g.statements; i++)
        record(&g.statement[i]);
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < g.nout; i++)
        st = orr_explain(f, g.value[g.out[i]]);
    (void)orr_scope_end(s);
    return fclose(f) != 0 || st != ORR_OK;
}

void random_ours_drop(void)
{
    for (int v = 0; v < g.values; v++)
        if (is_input(v) && g.value[v])
            (void)orr_free(g.value[v]);
    free(g.statement);
    memset(&g, 0, sizeof g);
}
