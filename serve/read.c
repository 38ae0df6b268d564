/* The routes that read: devices, backends, models, counters, health, the description of the service.
 * Must not know: libmicrohttpd. */
#include "config.h"
#include "serve/service.h"

#include <stdlib.h>
#include <string.h>
#include "serve/ledger.h"
#include "serve/metrics.h"

static const char openapi[] =
#include "serve/openapi_text.h"
    ;
static const char docs[] =
#include "serve/docs_text.h"
    ;

serve_reply serve_get_devices(serve_request *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    (void)r;
    if (!f)
        return serve_reply_text(200, SERVE_JSON, NULL, 0);
    orr_status st = orr_devices_json(f);
    if (fclose(f) == 0 && st == ORR_OK)
        return serve_reply_text(200, SERVE_JSON, text, size);
    free(text);
    return serve_problem_last();
}

/* -- backends ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *what;
    orr_device_kind kind;
} backends[] = {
    { "cpu", "vectorised loops, kernels compiled at run time, BLAS", ORR_DEVICE_CPU },
    { "cuda", "NVIDIA GPUs: kernels compiled by NVRTC, cuBLASLt", ORR_DEVICE_CUDA },
    { "opencl", "devices of any OpenCL 1.2 platform: element-wise kernels and reductions", ORR_DEVICE_OPENCL },
};

static const struct {
    const char *name, *alternative;
} unsupported[] = {
    { "metal", "cpu; on Apple machines the CPU backend with Accelerate's BLAS" },
    { "rocm", "opencl: AMD's driver has an OpenCL platform" },
    { "directml", "cuda or opencl, on Linux or in WSL 2" },
    { "vulkan", "opencl: the drivers of most GPUs have both" },
    { "webgpu", "this service: a page sends its arrays to /v1/gemm, /v1/elementwise, /v1/reduce" },
    { "tflite", "a saved module: a model file and its weights, and /v1/models/{name}/predict" },
};

serve_reply serve_get_backends(serve_request *r)
{
    orr_device devices[64];
    int found = orr_devices(devices, 64), n = found < 64 ? found : 64;
    json_t *list = json_array();
    (void)r;
    for (size_t i = 0; list && i < sizeof backends / sizeof *backends; i++) {
        int count = 0;
        for (int k = 0; k < n; k++)
            count += devices[k].kind == backends[i].kind;
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:b, s:b, s:i, s:s}", "name", backends[i].name, "supported", 1,
                                              "present", count > 0, "devices", count, "what", backends[i].what));
    }
    for (size_t i = 0; list && i < sizeof unsupported / sizeof *unsupported; i++)
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:b, s:b, s:i, s:s}", "name", unsupported[i].name, "supported", 0,
                                              "present", 0, "devices", 0, "alternative", unsupported[i].alternative));
    return serve_reply_json(200, list ? json_pack("{s:s, s:o}", "engine", orr_engine_name(), "backends", list) : NULL);
}

serve_reply serve_get_models(serve_request *r)
{
    (void)r;
    return serve_reply_json(200, serve_models_json(serve_the.models));
}

/* -- counters and health ----------------------------------------------------------------------------------- */

static serve_gauges gauges(void)
{
    serve_gauges g = { .uptime = serve_now() - serve_the.began,
                       .connections = serve_http_connections(serve_the.http),
                       .waiting = serve_queue_waiting(serve_the.queue),
                       .running = serve_queue_running(serve_the.queue) };
    serve_store_count(serve_the.store, &g.arrays, &g.array_bytes);
    g.body_bytes = serve_ledger_taken(SERVE_MEMORY) - g.array_bytes;
    serve_jobs_count(serve_the.jobs, &g.jobs_waiting, &g.jobs_running, &g.jobs_kept);
    return g;
}

serve_reply serve_get_metrics(serve_request *r)
{
    serve_gauges g = gauges();
    (void)r;
    return serve_reply_json(200, serve_metrics_json(serve_route_names(), &g, serve_the.tokens));
}

serve_reply serve_get_prometheus(serve_request *r)
{
    serve_gauges g = gauges();
    size_t n = 0;
    char *text = serve_metrics_text(serve_route_names(), &g, serve_the.tokens, &n);
    (void)r;
    return serve_reply_text(200, "text/plain; version=0.0.4; charset=utf-8", text, n);
}

serve_reply serve_get_health(serve_request *r)
{
    (void)r;
    return serve_reply_json(200, json_pack("{s:s, s:s}", "status", "ok", "version", orr_version()));
}

serve_reply serve_get_ready(serve_request *r)
{
    (void)r;
    if (!atomic_load(&serve_the.ready))
        return serve_problem(503, "stopping", "the service stops");
    if (serve_queue_waiting(serve_the.queue) + serve_queue_running(serve_the.queue) >= serve_the.o.max_work)
        return serve_problem(503, "limit", "the queue is full");
    return serve_reply_json(200, json_pack("{s:s}", "status", "ready"));
}

/* Without tokens the description wants none. */
serve_reply serve_get_openapi(serve_request *r)
{
    static const char wants[] = "\"security\": [\n  {\n   \"token\": []\n  }\n ]", wants_none[] = "\"security\": []";
    const char *at = serve_the.tokens ? NULL : strstr(openapi, wants);
    (void)r;
    if (!at)
        return serve_reply_literal(SERVE_JSON, openapi);
    size_t n = (size_t)(at - openapi);
    char *head = malloc(n + sizeof wants_none);
    if (!head)
        return serve_reply_text(200, SERVE_JSON, NULL, 0);
    memcpy(head, openapi, n);
    memcpy(head + n, wants_none, sizeof wants_none);
    serve_reply reply = serve_reply_text(200, SERVE_JSON, head, n + sizeof wants_none - 1);
    reply.tail = at + sizeof wants - 1;
    reply.n_tail = strlen(reply.tail);
    return reply;
}

serve_reply serve_get_docs(serve_request *r)
{
    (void)r;
    return serve_reply_literal("text/html; charset=utf-8", docs);
}
