/* Numbers as text: the shortest digits that read back the same, at most 8 after the point, aligned.
 * Must not know: tensors. */
#include "config.h"
#include "runtime/api/number.h"
#include "runtime/base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 8 };

static double nearest(double d, orr_dtype t)
{
    return orr__scalar_cast((orr__scalar){ .f = d }, ORR_F64, t).f;
}

/* The fewest significant digits with which d reads back as itself in its dtype. */
static int shortest(double d, orr_dtype t)
{
    char buf[40];
    int n = 1;
    for (; n < 17; n++) {
        snprintf(buf, sizeof buf, "%.*e", n - 1, d);
        if (nearest(t == ORR_F32 ? (double)strtof(buf, NULL) : orr__decimal(buf, NULL), t) == d)
            break;
    }
    return n;
}

/* Digits after the point of the shortest form. */
static int fraction_digits(double d, orr_dtype t, bool exponent)
{
    int n = shortest(d, t);
    char buf[40];
    snprintf(buf, sizeof buf, "%.*e", n - 1, d);
    int behind = exponent ? n - 1 : n - 1 - atoi(strchr(buf, 'e') + 1);
    return behind < 0 ? 0 : behind > PRECISION ? PRECISION : behind;
}

/* "12.5", "3.": fixed notation, at most PRECISION digits after the point, no trailing zeros. */
static int fixed(double d, orr_dtype t, char buf[ORR__NUMBER])
{
    int n = snprintf(buf, ORR__NUMBER, "%#.*f", fraction_digits(d, t, false), d);
    while (n > 1 && buf[n - 1] == '0' && memchr(buf, '.', (size_t)n))
        n--;
    buf[n] = '\0';
    return n;
}

void orr__format_begin(orr__format *f, orr_dtype t)
{
    *f = (orr__format){ .dtype = t, .least = INFINITY };
}

static void larger(int *a, int b)
{
    *a = b > *a ? b : *a;
}

static void see_float(orr__format *f, double d, int pass)
{
    char buf[ORR__NUMBER];
    if (!isfinite(d)) {
        f->nan |= isnan(d);
        f->inf |= !isnan(d);
        f->minus_inf |= !isnan(d) && d < 0;
    } else if (pass == 0) {
        double m = fabs(d);
        f->any = true;
        f->most = m > f->most ? m : f->most;
        f->least = m > 0 && m < f->least ? m : f->least;
    } else if (f->exponent) {
        larger(&f->right, fraction_digits(d, f->dtype, true));
        larger(&f->left, signbit(d) ? 2 : 1);
        snprintf(buf, sizeof buf, "%.*e", shortest(d, f->dtype) - 1, d);
        larger(&f->power, (int)strlen(strchr(buf, 'e') + 1) - 1);
    } else {
        int n = fixed(d, f->dtype, buf), point = (int)(strchr(buf, '.') - buf);
        larger(&f->left, point);
        larger(&f->right, n - point - 1);
    }
}

void orr__format_see(orr__format *f, orr__scalar v, int pass)
{
    char buf[32];
    if (orr__is_float(f->dtype))
        see_float(f, v.f, pass);
    else if (f->dtype == ORR_BOOL)
        f->width = 5;
    else if (pass == 0)
        larger(&f->width, orr__is_signed(f->dtype) ? snprintf(buf, sizeof buf, "%lld", (long long)v.i)
                                                   : snprintf(buf, sizeof buf, "%llu", (unsigned long long)v.u));
}

void orr__format_choose(orr__format *f)
{
    /* limit of a format */
    f->exponent = f->most > 0 && (f->most >= 1e8 || f->least < 1e-4 || nearest(f->most / f->least, f->dtype) > 1000.0);
}

void orr__format_done(orr__format *f)
{
    if (!orr__is_float(f->dtype))
        return;
    if (f->exponent)
        f->width = f->right + f->power + 2; /* after the point: e, sign */
    else
        f->width = f->any ? f->right : -1;
    if (f->nan)
        larger(&f->left, 3 - f->width - 1);
    if (f->inf)
        larger(&f->left, 3 + f->minus_inf - f->width - 1);
}

static int put_float(const orr__format *f, double d, char buf[ORR__NUMBER])
{
    char raw[ORR__NUMBER];
    if (!isfinite(d))
        return snprintf(buf, ORR__NUMBER, "%*s", f->left + f->width + 1, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
    if (f->exponent) {
        int n = snprintf(raw, sizeof raw, "%#.*e", f->right, d);
        char *e = strchr(raw, 'e');
        int have = (int)strlen(e + 2);
        /* an exponent of 3 digits anywhere gives 3 to all */
        return snprintf(buf, ORR__NUMBER, "%*.*s%.2s%0*d", f->left + 1 + f->right, n - have - 2, raw, e, f->power,
                        atoi(e + 2));
    }
    int n = fixed(d, f->dtype, raw), point = (int)(strchr(raw, '.') - raw);
    return snprintf(buf, ORR__NUMBER, "%*s%.*s%*s", f->left - point, "", n, raw, f->right - (n - point - 1), "");
}

int orr__format_put(const orr__format *f, orr__scalar v, char buf[ORR__NUMBER])
{
    if (orr__is_float(f->dtype))
        return put_float(f, v.f, buf);
    if (f->dtype == ORR_BOOL)
        return snprintf(buf, ORR__NUMBER, "%*s", f->width, v.u ? "True" : "False");
    if (orr__is_signed(f->dtype))
        return snprintf(buf, ORR__NUMBER, "%*lld", f->width, (long long)v.i);
    return snprintf(buf, ORR__NUMBER, "%*llu", f->width, (unsigned long long)v.u);
}

int orr__format_alone(orr_dtype t, orr__scalar v, char buf[ORR__NUMBER])
{
    orr__format f = { .dtype = t };
    double m = fabs(v.f);
    if (!orr__is_float(t))
        return orr__format_put(&f, v, buf);
    if (!isfinite(v.f))
        return snprintf(buf, ORR__NUMBER, "%s", isnan(v.f) ? "nan" : v.f < 0 ? "-inf" : "inf");
    int n = shortest(v.f, t);
    if (m != 0 && (m < 1e-4 || m >= 1e16)) /* limit of a format */
        return snprintf(buf, ORR__NUMBER, "%.*e", n - 1, v.f);
    snprintf(buf, ORR__NUMBER, "%.*e", n - 1, v.f);
    int behind = n - 1 - atoi(strchr(buf, 'e') + 1);
    return snprintf(buf, ORR__NUMBER, "%.*f", behind > 1 ? behind : 1, v.f);
}
