/* Writes docs/accuracy.md: the largest and the mean error of every row, dtype and tier, against exact values.
 * Must not know: how a value is computed.
 * usage: accuracy_table PAGE CACHE-DIRECTORY; ORR_ACC_QUICK=1: few samples; ORR_ACC_ROWS=exp,log: these alone */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "codelets/codelet.h"
#include "tests/ops/accuracy.h"

#ifdef __clang__
#define ORR_ACC_COMPILER __VERSION__
#else
#define ORR_ACC_COMPILER "gcc " __VERSION__
#endif

typedef struct {
    char how; /* as of acc_tier_next; 0: none */
    double max, sum;
    int special; /* the differing ones */
    int at;      /* argument of the largest */
    int means;   /* the number of terms in the sum */
} score;

typedef struct {
    const orr__ewrow *row;
    orr_dtype dtype;
    int n;
    score of[ACC_TIERS];
    char at[100], special_at[100];
} line;

static acc_tier tier[ACC_TIERS];
static bool column[ACC_TIERS];

static void judge(line *l, const acc_args *a, const acc_exact *want, score *s, const double *got)
{
    for (int i = 0; i < a->n; i++) {
        double in[3] = { a->in[0][i], a->in[1] ? a->in[1][i] : 0, a->in[2] ? a->in[2][i] : 0 };
        double u = acc_ulps(l->dtype, got[i], &want[i], acc_scale(l->row, in));
        if (isinf(u)) {
            if (!s->special++ && !l->special_at[0])
                (void)acc_args_text(a, i, l->special_at, sizeof l->special_at);
            continue;
        }
        if (u > s->max) {
            s->max = u;
            s->at = i;
        }
        if (i < a->domain) {
            s->sum += u;
            s->means++;
        }
    }
}

/* Reads every tier's results of a row and dtype. False: no memory. */
static bool measure(line *l, acc_size size)
{
    acc_args a;
    double most = -1;
    if (!acc_args_make(l->row, l->dtype, size, &a))
        return false;
    l->n = a.n;
    double *got = malloc((size_t)a.n * sizeof *got);
    acc_exact *want = malloc((size_t)a.n * sizeof *want);
    for (int i = 0; got && want && i < a.n; i++) {
        double in[3] = { a.in[0][i], a.in[1] ? a.in[1][i] : 0, a.in[2] ? a.in[2][i] : 0 };
        acc_exactly(l->row, l->dtype, in, &want[i]);
    }
    for (int t = 0; got && want && t < ACC_TIERS; t++) {
        score *s = &l->of[t];
        s->how = tier[t].there ? acc_tier_next(&tier[t], a.n, got) : 0;
        if (s->how != 't')
            continue;
        judge(l, &a, want, s, got);
        if (s->max > most && s->max > 0) {
            most = s->max;
            (void)acc_args_text(&a, s->at, l->at, sizeof l->at);
        }
    }
    bool ok = got && want;
    free(got);
    free(want);
    acc_args_free(&a);
    return ok;
}

/* -- the page ------------------------------------------------------------------------------------------------ */

static void first_lines(FILE *f)
{
    struct utsname u;
    char cpu[128] = "an unknown processor", text[256];
    FILE *info = fopen("/proc/cpuinfo", "re");
    while (info && fgets(text, sizeof text, info))
        if (sscanf(text, "model name : %127[^\n]", cpu) == 1)
            break;
    if (info)
        (void)fclose(info);
    fputs("# Accuracy\n\n"
          "This page gives the error of each element-wise function against the exact value, which MPFR computes: the "
          "largest error found\n"
          "(*max*), and the mean over the arguments of the function's usual domain, in units of the last place (ulp). "
          "`make accuracy-table`\n"
          "makes the page; do not edit it.\n\n",
          f);
    if (uname(&u) == 0)
        fprintf(f, "Measured on %s, %s %s; built with %s.\n\n", cpu, u.sysname, u.machine, ORR_ACC_COMPILER);
    fprintf(f, "| column | computed by |\n|---|---|\n");
    for (int t = 0; t < ACC_TIERS; t++)
        fprintf(f, "| %s | %s%s |\n", acc_tier_name[t], column[t] ? "" : "not measured: ", tier[t].what);
    fputs("\nHow to read the tables:\n\n"
          "- **bound**: the largest error that is promised, on every engine. It is the bound of [ops.md](ops.md), but "
          "at most 4 ulp in f32,\n"
          "  and 1 ulp in f16 and bf16. The test `tests/ops/accuracy` measures fewer arguments in every run of the "
          "suite, and fails beyond\n"
          "  the bound. On this page an error beyond the bound is bold.\n"
          "- **tiers**: tier 0 is the block interpreter, tier 1 compiled machine code. *no FMA* is a processor without "
          "fused multiply-adds,\n"
          "  *clang* is tier 1 with that compiler. An empty cell: the tier does not compute this function itself.\n"
          "- **special**: the number of arguments whose result has the wrong sign (also of a zero), or is NaN, "
          "infinite or zero where the\n"
          "  exact value is not, or the reverse.\n"
          "- **largest at**: the arguments of the largest error of all columns, as hexadecimal numbers (`%a` of C's "
          "`printf`).\n"
          "- **Unit.** An error of `0.50` or less is a correctly rounded result. Subnormal results have the smallest "
          "unit of the dtype.\n"
          "  Infinity counts as the number after the largest. Where e^x + e^y is near 1, the unit of `logaddexp` is "
          "that of its larger operand.\n"
          "- **f16 and bf16** are computed in f32 and rounded once more.\n"
          "- **sin, cos, tan in f64** are those of the C library on processors without fused multiply-adds. glibc 2.36 "
          "misses the bound at one\n"
          "  number that is known, the double closest to a multiple of π/2.\n\n"
          "The arguments:\n\n"
          "- **One argument, f32**: 2²⁰ numbers spread evenly over all bit patterns (about 4,000 in each binade of "
          "either sign), 2¹⁹ of the\n"
          "  usual domain (the column *samples* of [ops.md](ops.md)), and the hard ones.\n"
          "- **One argument, f64**: an eighth as many, and the same hard ones. **f16, bf16**: all 65,536 values.\n"
          "- **Hard ones**: neighbours of multiples of π/4, the numbers closest to a multiple of π/2, 1 ± k ulp, all "
          "powers of two, thresholds of\n"
          "  overflow, underflow and saturation with their neighbours, subnormals, ±0, ±∞, NaN.\n"
          "- **Two or three arguments**: as many tuples in f32, an eighth as many in the other dtypes. Among them are "
          "operands that nearly\n"
          "  cancel or divide, powers near 1 with large exponents, and all tuples of special values.\n",
          f);
}

static const char *heading(orr_dtype d)
{
    switch (d) {
    case ORR_F32: return "f32: float";
    case ORR_F64: return "f64: double";
    case ORR_F16: return "f16: half";
    default: return "bf16: bfloat16";
    }
}

static void table(FILE *f, const line *l, int n, orr_dtype d)
{
    fprintf(f, "\n## %s\n\n| function | bound |", heading(d));
    for (int t = 0; t < ACC_TIERS; t++)
        if (column[t])
            fprintf(f, " %s max | mean |", acc_tier_name[t]);
    fprintf(f, " special | largest at |\n|---|---:|");
    for (int t = 0; t < ACC_TIERS; t++)
        if (column[t])
            fprintf(f, "---:|---:|");
    fprintf(f, "---:|---|\n");
    for (int i = 0; i < n; i++) {
        int special = -1;
        if (l[i].dtype != d)
            continue;
        fprintf(f, "| `%s` | %g |", l[i].row->op.name, acc_bound(l[i].row, d));
        for (int t = 0; t < ACC_TIERS; t++) {
            const score *s = &l[i].of[t];
            if (s->special && (special < 0 || s->special > l[i].of[special].special))
                special = t;
            if (!column[t])
                continue;
            if (s->how != 't')
                fprintf(f, " | |");
            else if (s->max <= acc_bound(l[i].row, d))
                fprintf(f, " %.2f | %.3f |", s->max, s->sum / (s->means ? s->means : 1));
            else
                fprintf(f, " **%.3g** | %.3f |", s->max, s->sum / (s->means ? s->means : 1));
        }
        if (special >= 0)
            fprintf(f, " **%d** by %s, as `%s` |", l[i].of[special].special, acc_tier_name[special], l[i].special_at);
        else
            fprintf(f, " 0 |");
        fprintf(f, " %s%s%s |\n", l[i].at[0] ? "`" : "", l[i].at, l[i].at[0] ? "`" : "");
    }
}

static bool write_page(const char *path, const line *l, int n)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return false;
    first_lines(f);
    for (int d = 0; d < 4; d++)
        table(f, l, n, acc_dtype[d]);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}

int main(int argc, char **argv)
{
    static line l[512];
    acc_size size = getenv("ORR_ACC_QUICK") ? acc_test_size : acc_table_size;
    int status = 0, n = 0;
    if (acc_tier_main(&status))
        return status;
    if (argc < 3) {
        fprintf(stderr, "usage: accuracy_table PAGE CACHE-DIRECTORY\n");
        return 2;
    }
    for (int t = 0; t < ACC_TIERS; t++) {
        acc_tier_start(&tier[t], t, size, argv[2]);
        column[t] = tier[t].there;
    }
    for (int i = 0; acc_row(i); i++)
        for (int d = 0; d < 4 && n < 512; d++) {
            if (!acc_takes(acc_row(i), acc_dtype[d]))
                continue;
            l[n] = (line){ .row = acc_row(i), .dtype = acc_dtype[d] };
            if (isatty(2))
                fprintf(stderr, "\r\033[K%s %s", l[n].row->op.name, orr_dtype_name(l[n].dtype));
            if (!measure(&l[n++], size)) {
                fprintf(stderr, ": no memory\n");
                return 1;
            }
        }
    if (isatty(2))
        fprintf(stderr, "\r\033[K");
    bool ok = write_page(argv[1], l, n);
    for (int t = 0; t < ACC_TIERS; t++)
        acc_tier_end(&tier[t]);
    acc_done();
    if (!ok)
        perror(argv[1]);
    return ok ? 0 : 1;
}
