/* The function that an unknown name probably means.
 * Must not know: expressions. */
#include "config.h"

#include <string.h>
#include "ops/define.h"

enum { LONG = 24 };

static int least(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* The edit distance: letters to insert, delete or change (Wagner and Fischer, "The string-to-string correction
 * problem", 1974). */
static int distance(const char *a, const char *b)
{
    int row[LONG + 1], n = (int)strlen(b);
    for (int k = 0; k <= n; k++)
        row[k] = k;
    for (int i = 0; a[i]; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int k = 0; k < n; k++) {
            int up = row[k + 1];
            row[k + 1] = least(row[k] + 1, up + 1, corner + (a[i] != b[k]));
            corner = up;
        }
    }
    return row[n];
}

const char *orr__ew_nearest(const char *name)
{
    static const char *const other[][2] = {
        /* names in C and in other libraries */
        { "max", "maximum" },   { "fmax", "maximum" },    { "min", "minimum" },      { "fmin", "minimum" },
        { "ln", "log" },        { "if", "where" },        { "select", "where" },     { "fmod", "remainder" },
        { "mod", "remainder" }, { "rint", "round" },      { "power", "pow" },        { "logistic", "sigmoid" },
        { "clamp", "clip" },    { "swish", "silu" },      { "leaky_relu", "prelu" }, { "and", "logical_and" },
        { "or", "logical_or" }, { "not", "logical_not" }, { "inv", "reciprocal" },   { "fabs", "abs" },
        { "sgn", "sign" },
    };
    size_t n = strlen(name);
    const char *best = NULL;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i][0], name) == 0)
            return other[i][1];
    int least_so_far = n < 4 ? 2 : 3;
    for (int i = 0; n <= LONG && i < orr__ew_count(); i++) {
        const char *row = orr__ew(ORR__OP_EW + i)->op.name;
        int d = strlen(row) > LONG ? LONG : n >= 3 && strncmp(name, row, n) == 0 ? 0 : distance(name, row);
        if (d < least_so_far) {
            least_so_far = d;
            best = row;
        }
    }
    return best;
}
