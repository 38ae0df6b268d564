/* orrery-serve: the readable resources, the description and the page.
 * Must not know: the library. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/harness/json.h"
#include "tests/serve/client.h"

static server s;

static void json_of(const char *path, const char *text)
{
    answer a = get(&s, path);
    ORR_CHECK_MSG(a.status == 200 && strcmp(answer_header(&a, "Content-Type"), "application/json") == 0, "%s: %d", path,
                  a.status);
    ORR_CHECK_MSG(a.body && is_json(a.body), "%s is no JSON: %s", path, a.body ? a.body : "");
    EXPECT(a, 200, text);
}

static void everything_can_be_read(void)
{
    NEED_SERVER("");
    json_of("/healthz", "\"ok\"");
    json_of("/readyz", "\"ready\"");
    json_of("/v1/devices", "\"kind\": \"cpu\"");
    json_of("/v1/devices", "\"memory_total\": {\"value\": ");
    json_of("/v1/models", "\"models\": []");
    json_of("/v1/jobs", "\"jobs\": []");
    json_of("/openapi.json", "\"openapi\": \"3.1.0\"");
    json_of("/v1/metrics", "\"p95\"");
    EXPECT(get(&s, "/metrics"), 200, "orrery_requests_total{route=\"GET /healthz\",status=\"200\"} 1\n");
    EXPECT(get(&s, "/docs"), 200, "<title>orrery-serve</title>");
    EXPECT(get(&s, "/"), 200, "<title>orrery-serve</title>");
    EXPECT(request(&s, "HEAD", "/healthz", "", NULL, 0), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
}

static void backends_that_are_not_there_name_another(void)
{
    static const char *const others[] = { "metal", "rocm", "directml", "vulkan", "webgpu", "tflite" };
    NEED_SERVER("");
    answer a = get(&s, "/v1/backends");
    ORR_CHECK(a.status == 200 && a.body && is_json(a.body) && strstr(a.body, "\"name\": \"cpu\""));
    for (size_t i = 0; a.body && i < sizeof others / sizeof *others; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "\"name\": \"%s\"", others[i]);
        const char *at = strstr(a.body, name), *end = at ? strchr(at, '}') : NULL, *no, *instead;
        ORR_CHECK_MSG(end, "%s is missing", others[i]);
        no = at ? strstr(at, "\"supported\": false") : NULL;
        instead = at ? strstr(at, "\"alternative\": \"") : NULL;
        ORR_CHECK_MSG(no && no < end && instead && instead < end, "%s", others[i]);
    }
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

static void unknown_addresses_are_answered_404(void)
{
    NEED_SERVER("");
    EXPECT(get(&s, "/nowhere"), 404, "/docs");
    EXPECT(get(&s, "/v1/jobs/"), 404, "");
    EXPECT(get(&s, "/v1/jobs/00000000000000000000000000000000"), 404, "no such job");
    EXPECT(get(&s, "/v1/../etc/passwd"), 404, "");
    answer a = request(&s, "PUT", "/v1/gemm", "", "x", 1);
    ORR_CHECK(a.status == 405 && strcmp(answer_header(&a, "Allow"), "POST") == 0);
    answer_free(&a);
    a = request(&s, "DELETE", "/v1/jobs", "", NULL, 0);
    ORR_CHECK_MSG(a.status == 405 && strcmp(answer_header(&a, "Allow"), "GET, HEAD, POST") == 0, "%s",
                  answer_header(&a, "Allow"));
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Requests on one connection, and quantiles of the counts. */
static void metrics_count_what_was_asked(void)
{
    NEED_SERVER("");
    int fd = connect_to(&s, 20.0);
    ORR_CHECK(fd >= 0);
    for (int i = 0; i < 100 && fd >= 0; i++) {
        static const char text[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        answer a = { 0 };
        if (send_all(fd, text, sizeof text - 1))
            a = read_answer(fd, false);
        ORR_CHECK(a.status == 200);
        answer_free(&a);
    }
    if (fd >= 0)
        (void)close(fd);
    pause_for(0.1);
    answer a = get(&s, "/v1/metrics");
    const char *at = a.body ? strstr(a.body, "\"route\": \"GET /healthz\"") : NULL;
    double n = 0, p50 = 0, p95 = 0, p99 = 0;
    ORR_CHECK(at && sscanf(strstr(at, "\"requests\""), "\"requests\": %lf", &n) == 1 && n == 100);
    ORR_CHECK(at && sscanf(strstr(at, "\"p50\""), "\"p50\": %lf", &p50) == 1);
    ORR_CHECK(at && sscanf(strstr(at, "\"p95\""), "\"p95\": %lf", &p95) == 1);
    ORR_CHECK(at && sscanf(strstr(at, "\"p99\""), "\"p99\": %lf", &p99) == 1);
    ORR_CHECK_MSG(p50 > 0 && p50 <= p95 && p95 <= p99 && p99 < 10, "%g %g %g", p50, p95, p99);
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- the description --------------------------------------------------------------------------------------- */

/* The document contains every route, and every path in it is answered by a status other than 404. */
static void the_document_has_every_route(void)
{
    NEED_SERVER("");
    answer a = get(&s, "/openapi.json"), m = get(&s, "/v1/metrics");
    ORR_CHECK(a.status == 200 && m.status == 200);
    int routes = 0;
    for (const char *at = m.body; at && (at = strstr(at, "\"route\": \"")); at++) {
        char method[16], path[128], entry[160];
        if (sscanf(at, "\"route\": \"%15s %127[^\"]\"", method, path) != 2 || strcmp(path, "/") == 0)
            continue;
        (void)snprintf(entry, sizeof entry, "\"%s\": {", path);
        ORR_CHECK_MSG(strstr(a.body, entry) != NULL, "%s", path);
        routes++;
    }
    ORR_CHECK(routes == 24);
    int paths = 0;
    for (const char *at = strstr(a.body, "\"paths\": {"); at && (at = strstr(at, "\n  \"/")); at++) {
        char path[128];
        if (sscanf(at, "\n  \"%127[^\"]\": {", path) != 1)
            continue;
        answer one = get(&s, path);
        char has[1024];
        (void)snprintf(has, sizeof has, "%s", one.body ? one.body : "");
        ORR_CHECK_MSG(one.status != 404 || !strstr(has, "\"route\""), "%s: %d", path, one.status);
        answer_free(&one);
        paths++;
    }
    ORR_CHECK_MSG(paths == 20, "%d paths", paths);
    answer_free(&a);
    answer_free(&m);
    ORR_CHECK(server_stop(&s) == 0);
}

/* The long form: requests that schemathesis makes of the description, right ones and wrong ones. */
static void schemathesis_finds_no_difference(void)
{
    char command[2400];
    if (!have_server())
        return;
    if (!getenv("ORR_TEST_FULL"))
        ORR_SKIP("its long form is ORR_TEST_FULL=1");
    (void)snprintf(command, sizeof command, "'%.1000s' >'%.1000s' 2>&1",
                   orr_test_golden("../../build-aux/check-openapi"), orr_test_tmp("schemathesis"));
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        ORR_SKIP("there is no schemathesis (SCHEMATHESIS names the program)");
    char *said = read_text(orr_test_tmp("schemathesis"));
    ORR_CHECK_MSG(status == 0, "%s", said);
    free(said);
}

static void the_document_is_valid_openapi(void)
{
    char command[4096];
    const char *python = getenv("ORR_TEST_PYTHON");
    if (!have_server())
        return;
    (void)snprintf(command, sizeof command, "'%.1000s' -c 'import openapi_spec_validator' >/dev/null 2>&1",
                   python ? python : "python3");
    if (system(command) != 0)
        ORR_SKIP("no openapi-spec-validator (ORR_TEST_PYTHON names a Python that has it)");
    (void)snprintf(command, sizeof command, "'%.1000s' -m openapi_spec_validator '%.2000s' >/dev/null",
                   python ? python : "python3", orr_test_golden("../../serve/openapi.json"));
    ORR_CHECK(system(command) == 0);
}

/* A headless browser shows every operation, and nothing is fetched from elsewhere. */
static void the_page_shows_every_operation(void)
{
    static const char *const operations[] = { "devices",     "backends",   "models",    "metrics", "prometheus",
                                              "health",      "ready",      "openapi",   "docs",    "gemm",
                                              "elementwise", "reduce",     "predict",   "jobs",    "createJob",
                                              "job",         "deleteJob",  "jobResult", "arrays",  "array",
                                              "putArray",    "deleteArray" };
    if (!have_server())
        return;
    if (system("command -v chromium >/dev/null 2>&1") != 0)
        ORR_SKIP("no chromium");
    NEED_SERVER("");
    answer a = get(&s, "/docs");
    ORR_CHECK(a.body && !strstr(a.body, "src=") && !strstr(a.body, "http://") && !strstr(a.body, "https://"));
    ORR_CHECK(strstr(answer_header(&a, "Content-Security-Policy"), "default-src 'none'"));
    answer_free(&a);
    char command[4096];
    (void)snprintf(
        command, sizeof command,
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir='%s' --window-size=1100,1500 "
        "--virtual-time-budget=5000 --dump-dom 'http://127.0.0.1:%d/docs#gemm' > '%s' 2>/dev/null",
        orr_test_tmp("browser"), s.port, orr_test_tmp("dom.html"));
    ORR_CHECK(system(command) == 0);
    char *dom = read_text(orr_test_tmp("dom.html"));
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "id=\"%s\"", operations[i]);
        ORR_CHECK_MSG(strstr(dom, id), "%s is not on the page of %zu bytes", operations[i], strlen(dom));
    }
    free(dom);
    ORR_CHECK(server_stop(&s) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(everything_can_be_read),
        ORR_TEST(backends_that_are_not_there_name_another),
        ORR_TEST(unknown_addresses_are_answered_404),
        ORR_TEST(metrics_count_what_was_asked),
        ORR_TEST(the_document_has_every_route),
        ORR_TEST(schemathesis_finds_no_difference),
        ORR_TEST(the_document_is_valid_openapi),
        ORR_TEST(the_page_shows_every_operation),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve-read", tests);
}
