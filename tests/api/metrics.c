/* orr_metrics: counts, quantiles beside sorted times, JSON.
 * Must not know: how they are kept. */
#include "config.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/engine/histogram.h"
#include "tests/harness/harness.h"
#include "tests/harness/json.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void quantiles_are_those_of_the_sorted_times(void)
{
    enum { N = 20000 };
    static double t[N];
    static orr__histogram h;
    static const double q[] = { 0.01, 0.5, 0.95, 0.99, 1.0 };
    unsigned long long s = 88172645463325252u;
    for (int i = 0; i < N; i++) { /* xorshift64 (Marsaglia, 2003); times from 10 ns to 100 s */
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        t[i] = 1e-8 * pow(10.0, 10.0 * (double)(s >> 11) * 0x1p-53);
        orr__histogram_add(&h, t[i], 1);
    }
    qsort(t, N, sizeof *t, by_value);
    for (int k = 0; k < 5; k++) {
        double want = t[(int)ceil(q[k] * N) - 1], got = orr__histogram_quantile(&h, q[k]);
        ORR_CHECK_MSG(fabs(got / want - 1) < 0.07, "quantile %g: %g, sorted %g", q[k], got, want);
    }
}

static void histogram_counts_extreme_times(void)
{
    static orr__histogram h;
    ORR_CHECK(orr__histogram_quantile(&h, 0.5) == 0);
    orr__histogram_add(&h, -1.0, 1);
    orr__histogram_add(&h, (double)NAN, 1);
    ORR_CHECK(orr__histogram_quantile(&h, 1.0) < 2e-9);
    const double long_ones[] = { 0x1p40 * 1e-9, DBL_MAX, (double)INFINITY };
    for (int i = 0; i < 3; i++) {
        orr__histogram_clear(&h);
        orr__histogram_add(&h, long_ones[i], 1);
        ORR_CHECK_MSG(orr__histogram_quantile(&h, 1.0) > 500, "%g s", long_ones[i]);
    }
    orr__histogram_clear(&h);
    ORR_CHECK(orr__histogram_quantile(&h, 1.0) == 0);
}

static void evaluations_are_counted_by_kind(void)
{
    ORR_CHECK(orr_metrics(NULL, 0) == 0);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    for (int i = 0; i < 40; i++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_eval(orr_sqrt(orr_full(ORR_F32, ORR_SHAPE(100), (double)i))) == ORR_OK);
        (void)orr_scope_end(s);
    }
    orr_metric row[32];
    int n = orr_metrics(row, 32), found = 0;
    ORR_CHECK(n >= 1 && n <= 32);
    for (int i = 0; i < n; i++) {
        ORR_CHECK(row[i].p50 <= row[i].p95 && row[i].p95 <= row[i].p99);
        ORR_CHECK(i == 0 || row[i].seconds <= row[i - 1].seconds);
        if (strstr(row[i].kind, "sqrt")) {
            found++;
            ORR_CHECK_MSG(row[i].tasks == 40, "%d tasks", (int)row[i].tasks);
            ORR_CHECK(row[i].seconds > 0 && row[i].p50 > 0 && row[i].p50 < row[i].seconds);
        }
    }
    ORR_CHECK(found == 1);
    orr_stats_reset();
    ORR_CHECK(orr_metrics(NULL, 0) == 0);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Checks that the report contains the metric of the struct. */
static void is_reported(const char *text, const orr_metric *m)
{
    static const char *const name[] = { "p50", "p95", "p99" };
    const double want[] = { m->p50, m->p95, m->p99 };
    char word[sizeof m->kind + 16];
    (void)snprintf(word, sizeof word, "{\"kind\": \"%.63s\"", m->kind);
    const char *row = strstr(text, word);
    ORR_REQUIRE(row != NULL);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(word, sizeof word, "\"%s\": ", name[i]);
        const char *p = strstr(row, word);
        double got = p ? strtod(p + strlen(word), NULL) : -1;
        ORR_CHECK_MSG(fabs(got - want[i]) <= 1e-8 * want[i], "%s: %.12g, not %.12g", name[i], got, want[i]);
    }
}

static void metrics_json_is_valid_in_any_locale(void)
{
    char *text = NULL;
    size_t size = 0;
    bool comma = orr_test_comma();
    ORR_CHECK(comma);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_exp(orr_ones(ORR_F32, ORR_SHAPE(100)))) == ORR_OK);
    FILE *f = open_memstream(&text, &size);
    ORR_CHECK(f && orr_metrics_json(f) == ORR_OK && fclose(f) == 0);
    (void)setlocale(LC_ALL, "C"); /* the check's own numbers have a point */
    ORR_CHECK(text && is_json(text));
    ORR_CHECK(text && strstr(text, "\"kinds\"") && strstr(text, "exp") && strstr(text, "\"p99\""));
    orr_metric row[8];
    int n = orr_metrics(row, 8);
    for (int i = 0; i < n && i < 8; i++)
        is_reported(text, &row[i]);
    free(text);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_metrics_json(NULL) == ORR_EINVAL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void memory_peak_starts_at_init(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_exp(orr_ones(ORR_F32, ORR_SHAPE(1 << 20)))) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_memory_stats().peak >= 4 << 20);
    ORR_CHECK(orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
    orr_memory m = orr_memory_stats();
    ORR_CHECK_MSG(m.peak == m.live && m.spilled_peak == 0, "peak %zu, live %zu", m.peak, m.live);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(quantiles_are_those_of_the_sorted_times),
                                      ORR_TEST(histogram_counts_extreme_times),
                                      ORR_TEST(evaluations_are_counted_by_kind),
                                      ORR_TEST(metrics_json_is_valid_in_any_locale),
                                      ORR_TEST(memory_peak_starts_at_init),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.metrics", tests);
}
