/* The table of routes.
 * Must not know: how requests are answered. */
#include "config.h"
#include "serve/service.h"

#include "serve/metrics.h"

const serve_route serve_routes[] = {
    { "GET", "/", true, false, false, serve_get_docs },
    { "GET", "/docs", true, false, false, serve_get_docs },
    { "GET", "/openapi.json", true, false, false, serve_get_openapi },
    { "GET", "/healthz", true, false, false, serve_get_health },
    { "GET", "/readyz", true, false, false, serve_get_ready },
    { "GET", "/metrics", false, false, false, serve_get_prometheus },
    { "GET", "/v1/metrics", false, false, false, serve_get_metrics },
    { "GET", "/v1/devices", false, false, false, serve_get_devices },
    { "GET", "/v1/backends", false, false, false, serve_get_backends },
    { "GET", "/v1/models", false, false, false, serve_get_models },
    { "POST", "/v1/gemm", false, true, true, serve_post_gemm },
    { "POST", "/v1/elementwise", false, true, true, serve_post_elementwise },
    { "POST", "/v1/reduce", false, true, true, serve_post_reduce },
    { "POST", "/v1/models/{name}/predict", false, true, true, serve_post_predict },
    { "POST", "/v1/jobs", false, true, true, serve_post_job },
    { "GET", "/v1/jobs", false, false, false, serve_get_jobs },
    { "GET", "/v1/jobs/{id}", false, false, false, serve_get_job },
    { "DELETE", "/v1/jobs/{id}", false, false, false, serve_delete_job },
    { "GET", "/v1/jobs/{id}/result", false, false, false, serve_get_result },
    { "GET", "/v1/arrays", false, false, false, serve_get_arrays },
    { "GET", "/v1/arrays/{name}", false, false, true, serve_get_array },
    { "PUT", "/v1/arrays/{name}", false, true, false, serve_put_array },
    { "DELETE", "/v1/arrays/{name}", false, false, false, serve_delete_array },
    { "POST", "/v1/field", false, true, true, serve_post_field },
    { "POST", "/v1/msm", false, true, true, serve_post_msm },
    { 0 },
};
enum { ROUTES = sizeof serve_routes / sizeof *serve_routes };
_Static_assert((int)ROUTES <= (int)SERVE_ROUTES_MOST, "the metrics have room for all routes");

const char *const *serve_route_names(void)
{
    static char names[ROUTES][64];
    static const char *list[ROUTES + 1];
    for (int i = 0; i < ROUTES - 1; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s %s", serve_routes[i].method, serve_routes[i].path);
        list[i] = names[i];
    }
    list[ROUTES - 1] = "-";
    return list;
}
