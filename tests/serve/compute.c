/* orrery-serve: its results, beside plain loops and a module of the library's; JSON and .npy; batches; jobs.
 * Must not know: how the service is made. */
#include "config.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

static server s;

/* Checks the n numbers in the answer's "data"; frees the answer. */
static void numbers(const char *what, answer a, const double *want, int n, double off)
{
    const char *p = a.body ? strstr(a.body, "\"data\":") : NULL;
    ORR_CHECK_MSG(a.status == 200 && p, "%s: %d %s", what, a.status, a.body ? a.body : "");
    p = p ? p + 7 : NULL;
    for (int i = 0; p && i < n; i++) {
        p += strcspn(p, "-0123456789");
        char *end;
        double v = strtod(p, &end);
        ORR_CHECK_MSG(end > p && fabs(v - want[i]) <= off * (1 + fabs(want[i])), "%s [%d]: %.17g, not %.17g", what, i,
                      v, want[i]);
        p = end;
    }
    ORR_CHECK_MSG(p && strcspn(p, "0123456789") == strlen(p), "%s: more than %d numbers", what, n);
    answer_free(&a);
}

/* -- JSON -------------------------------------------------------------------------------------------------- */

static void gemm_is_alpha_op_a_op_b_plus_beta_c(void)
{
    static const double plain[] = { 19, 22, 43, 50 };
    NEED_SERVER("");
    numbers("a·b", post_json(&s, "/v1/gemm", "{\"a\": [[1, 2], [3, 4]], \"b\": [[5, 6], [7, 8]]}"), plain, 4, 0);
    /* aᵀ = [1 3; 2 4], bᵀ = [5 7; 6 8] */
    numbers("2·aᵀ·bᵀ + 0.5·c",
            post_json(&s, "/v1/gemm",
                      "{\"a\": [[1, 2], [3, 4]], \"b\": [[5, 6], [7, 8]], \"c\": [60, -2], \"transpose_a\": true, "
                      "\"transpose_b\": true, \"alpha\": 2, \"beta\": 0.5, \"dtype\": \"float32\"}"),
            (const double[]){ 2 * (1 * 5 + 3 * 6) + 30.0, 2 * (1 * 7 + 3 * 8) - 1.0, 2 * (2 * 5 + 4 * 6) + 30.0,
                              2 * (2 * 7 + 4 * 8) - 1.0 },
            4, 0);
    numbers("integers", post_json(&s, "/v1/gemm", "{\"a\": [[1, 2]], \"b\": [[3], [4]], \"dtype\": \"int64\"}"),
            (const double[]){ 11 }, 1, 0);
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[1, 2]], \"b\": [[3], [4]], \"dtype\": \"int64\"}"), 200, "\"int64\"");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[1, 2]], \"b\": [[3, 4]]}"), 422,
           "matmul: inner dimensions differ: (1, 2) · (1, 2)");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[1, 2]]}"), 400, "gemm takes 2 arrays");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[1]], \"b\": [[1]], \"tranpose_a\": true}"), 400,
           "\\\"tranpose_a\\\" is no parameter");
    ORR_CHECK(server_stop(&s) == 0);
}

static void elementwise_takes_expressions(void)
{
    double want[3], x[3] = { 0, 1, 2 };
    NEED_SERVER("");
    for (int i = 0; i < 3; i++)
        want[i] = x[i] / (1 + exp(-2 * x[i]));
    numbers("x*sigmoid(2*x)",
            post_json(&s, "/v1/elementwise", "{\"expression\": \"x*sigmoid(2*x)\", \"x\": [0, 1, 2]}"), want, 3, 1e-15);
    numbers(
        "broadcast",
        post_json(
            &s, "/v1/elementwise",
            "{\"expression\": \"x*y + z\", \"x\": [[1], [2]], \"y\": [10, 20], \"z\": 0.5, \"dtype\": \"float32\"}"),
        (const double[]){ 10.5, 20.5, 20.5, 40.5 }, 4, 0);
    static const char *const whole[] = { "bool",  "int8",   "int16",  "int32", "int64",
                                         "uint8", "uint16", "uint32", "uint64" };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "{\"expression\": \"x/2\", \"x\": {\"dtype\": \"%s\", \"shape\": [2], \"data\": %s}}", whole[i],
                       i ? "[1, 0]" : "[true, false]");
        EXPECT(post_json(&s, "/v1/elementwise", text), 200, "[0.5, 0.0]");
    }
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x > 0\", \"x\": [-1, 1]}"), 200, "[false, true]");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"log(x)\", \"x\": [-1, 0, \"Infinity\", \"NaN\"]}"), 200,
           "[\"NaN\", \"-Infinity\", \"Infinity\", \"NaN\"]");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x + system(1)\", \"x\": [1]}"), 422,
           "no function is called system");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x + y\", \"x\": [1]}"), 422, "column 5");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"x\": [1]}"), 400, "\\\"expression\\\" is a text");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x\", \"x\": [1], \"z\": [1]}"), 422,
           "before it is missing");
    EXPECT(post_json(&s, "/v1/elementwise",
                     "{\"expression\": \"x\", \"x\": {\"dtype\": \"float16\", \"shape\": [2], \"data\": [0.1, 2]}}"),
           200, "{\"dtype\": \"float16\", \"shape\": [2],\n\"data\": [0.099975586, 2.0]}");
    ORR_CHECK(server_stop(&s) == 0);
}

static void reductions_go_over_some_axes_or_all(void)
{
    static const char *const ops[] = { "sum", "prod", "mean", "min", "max" };
    static const double want[] = { 10, 24, 2.5, 1, 4 };
    NEED_SERVER("");
    for (int i = 0; i < 5; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "{\"op\": \"%s\", \"x\": [[1, 2], [3, 4]]}", ops[i]);
        numbers(ops[i], post_json(&s, "/v1/reduce", text), &want[i], 1, 1e-15);
    }
    numbers("axis 0", post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [[1, 2], [3, 4]], \"axes\": [0]}"),
            (const double[]){ 4, 6 }, 2, 0);
    EXPECT(
        post_json(&s, "/v1/reduce", "{\"op\": \"max\", \"x\": [[1, 2], [3, 4]], \"axes\": [-1], \"keepdims\": true}"),
        200, "\"shape\": [2, 1],\n\"data\": [[2.0],\n[4.0]]");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"argmax\", \"x\": [[1, 9], [3, 4]]}"), 200, "\"data\": 1}");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"argmin\", \"x\": [[1, 9], [3, 4]], \"axes\": [0]}"), 200, "[0, 1]");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"all\", \"x\": [true, false]}"), 200, "false");
    numbers("norm", post_json(&s, "/v1/reduce", "{\"op\": \"norm\", \"x\": [3, 4]}"), (const double[]){ 5 }, 1, 1e-15);
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [1], \"axes\": [1]}"), 422, "ORR_EAXIS");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [1], \"axes\": [0, 0]}"), 422, "ORR_EAXIS");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[true]], \"b\": [[true]]}"), 422, "bool operands\""); /* no C */
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"mode\", \"x\": [1]}"), 400, "\\\"op\\\" is sum");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"argmax\", \"x\": [[1]], \"axes\": [0, 1]}"), 422, "one axis");
    ORR_CHECK(server_stop(&s) == 0);
}

static void fields_and_curves_take_numbers_as_texts(void)
{
    NEED_SERVER("");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"pow\", \"x\": 7, \"exponent\": \"0x64\"}"), 200,
           "14064877009116955113723003038372380693604645839517831287813058822636468651710");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"neg\", \"field\": \"fq254\", \"x\": [\"0x1\", 0]}"), 200,
           "\"21888242871839275222246405745257275088696311157297823662689037894645226208582\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"poseidon\", \"x\": [1, 2]}"), 200,
           "7853200120776062878684798364095072458815029376092732009249414926327459813530");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"dot\", \"x\": [1, 2, 3], \"y\": [4, 5, 6]}"), 200, "\"32\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"ntt\", \"x\": [1, 2], \"shift\": 3}"), 200, "\"7\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"inverse\", \"x\": [1, 0]}"), 422, "element 1 is 0");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"add\", \"x\": [1], \"y\": [\"-1\"]}"), 400, "text 0 is no number");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"add\", \"x\": [1, 1.5], \"y\": 1}"), 422, "\\\"x\\\" is a number");
    EXPECT(post_json(&s, "/v1/field",
                     "{\"op\": \"square\", \"x\": [\"1\", "
                     "\"0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001\"]}"),
           422, "element 1 is not below the modulus");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"add\", \"x\": [1]}"), 400, "\\\"y\\\" is missing");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"root\", \"x\": [1]}"), 400, "\\\"op\\\" is add");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"neg\", \"x\": [1], \"Y\": 1}"), 400, "is no parameter");
    /* 2 G + 3 G = 5 G, and G2's generator once. */
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": [[1, 2], [\"0x1\", \"0x2\"]], \"scalars\": [2, \"3\"]}"), 200,
           "10744596414106452074759370245733544594153395043370666422502510773307029471145");
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": [], \"scalars\": []}"), 200, "\"0\"");
    EXPECT(post_json(&s, "/v1/msm", "{\"curve\": \"g2\", \"points\": [[[0, 0], [0, 0]]], \"scalars\": [5]}"), 200,
           "\"g2\"");
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": [[1, 2], [1, 3]], \"scalars\": [2, 3]}"), 422,
           "point 1 of operand 0 is not on the curve");
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": [[1, 2]], \"scalars\": [2, 3]}"), 422, "ORR_ESHAPE");
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": [[1, 2, 3]], \"scalars\": [2]}"), 422, "list of points [x, y]");
    ORR_CHECK(server_stop(&s) == 0);
}

static void json_that_is_wrong_is_refused_with_the_place(void)
{
    static const struct {
        int status; /* 400: not of the form that is described; 422: its values do not fit */
        const char *body, *says;
    } wrong[] = {
        { 400, "", "json" },
        { 400, "{", "line 1, column 1" },
        { 400, "[]", "no object" },
        { 400, "{\"x\": [1], \"x\": [2], \"op\": \"sum\"}", "duplicate" },
        { 422, "{\"op\": \"sum\", \"x\": [[1, 2], [3]]}", "not of equal length" },
        { 422, "{\"op\": \"sum\", \"x\": [[1, 2], 3]}", "not of equal length" },
        { 422, "{\"op\": \"sum\", \"x\": [1, [2]]}", "not of equal length" },
        { 422, "{\"op\": \"sum\", \"x\": [1, \"two\"]}", "no number" },
        { 422, "{\"op\": \"sum\", \"x\": [true, 1]}", "no truth value" },
        { 422, "{\"op\": \"sum\", \"x\": [1.5], \"dtype\": \"int32\"}", "no integer" },
        { 422, "{\"op\": \"sum\", \"x\": [300], \"dtype\": \"uint8\"}", "range" },
        { 400, "{\"op\": \"sum\", \"x\": [1], \"dtype\": \"complex64\"}", "dtype" },
        { 422, "{\"op\": \"sum\", \"x\": {\"shape\": [3], \"data\": [1, 2]}}", "differ" },
        { 422, "{\"op\": \"sum\", \"x\": {\"shape\": [-1], \"data\": []}}", "differ" },
        { 422, "{\"op\": \"sum\", \"x\": {\"shape\": [4611686018427387904, 4], \"data\": []}}", "differ" },
        { 400, "{\"op\": \"sum\", \"x\": {\"data\": [1]}}", "nested lists" },
        { 422, "{\"op\": \"sum\", \"x\": [[[[[[[[[1]]]]]]]]]}", "rank is more than 8" },
        { 422, "{\"op\": \"sum\", \"x\": null}", "no number" },
        { 400, "{\"op\": \"sum\", \"x\": [1], \"keepdims\": 1}", "true or false" },
        { 400, "{\"op\": \"sum\", \"x\": [1], \"axes\": 0}", "list of axes" },
        { 400, "{\"op\": \"sum\", \"x\": [1e999]}", "json" },
        { 400, "{\"op\": \"s\xff\"}", "json" },
    };
    NEED_SERVER("");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(post_json(&s, "/v1/reduce", wrong[i].body), wrong[i].status, wrong[i].says);
    EXPECT(request(&s, "POST", "/v1/reduce", "Content-Type: text/plain\r\n", "{}", 2), 415, "Content-Type");
    EXPECT(request(&s, "POST", "/v1/reduce", "", "{}", 2), 415, "Content-Type");
    EXPECT(post_json(&s, "/v1/reduce?op=sum", "{\"x\": [1]}"), 400, "no query");
    EXPECT(request(&s, "GET", "/v1/devices", "", "{}", 2), 400, "no body");
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- .npy -------------------------------------------------------------------------------------------------- */

static answer post_npy(const char *path, const char *headers, const char *body, size_t n)
{
    char all[512];
    (void)snprintf(all, sizeof all, "Content-Type: application/x-npy\r\n%s", headers);
    return request(&s, "POST", path, all, body, n);
}

static void npy_bodies_stand_one_behind_the_other(void)
{
    enum { N = 200, K = 120 };
    static float a[N * K], b[K * N];
    static double want[N * N];
    char *body = malloc(1 << 20);
    unsigned long long seed = 1;
    NEED_SERVER("");
    ORR_CHECK(body != NULL);
    for (int i = 0; i < N * K; i++) {
        a[i] = (float)(orr_test_rand(&seed) % 64) / 8 - 4;
        b[i] = (float)(orr_test_rand(&seed) % 64) / 8 - 4;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < K; k++)
                want[i * N + j] += (double)a[i * K + k] * (double)b[k * N + j]; /* exact in f32 */
    size_t n = npy_f32(body, "(200, 120)", a, N * K);
    n += npy_f32(body + n, "(120, 200)", b, N * K);
    answer r = post_npy("/v1/gemm", "", body, n);
    ORR_CHECK(r.status == 200 && strcmp(answer_header(&r, "Content-Type"), "application/x-npy") == 0);
    ORR_CHECK(r.n == 128 + sizeof(float) * N * N && strstr(r.body + 10, "'<f4'") && strstr(r.body + 10, "(200, 200)"));
    for (int i = 0; i < N * N && r.n == 128 + sizeof(float) * N * N; i++) {
        float v;
        memcpy(&v, r.body + 128 + sizeof v * (size_t)i, sizeof v);
        if ((double)v != want[i]) {
            ORR_CHECK_MSG(false, "[%d] is %g, not %g", i, (double)v, want[i]);
            break;
        }
    }
    answer_free(&r);
    n = npy_f32(body, "(2, 2)", (const float[]){ 1, 2, 3, 4 }, 4);
    EXPECT(post_npy("/v1/reduce?op=sum&axes=0&keepdims=true", "Accept: application/json\r\n", body, n), 200,
           "\"shape\": [1, 2],\n\"data\": [[4.0, 6.0]]");
    EXPECT(post_npy("/v1/elementwise?expression=x*2%2B1", "Accept: application/json\r\n", body, n), 200,
           "[3.0, 5.0],\n[7.0, 9.0]");
    r = request(&s, "POST", "/v1/reduce", "Content-Type: application/json\r\nAccept: application/x-npy\r\n",
                "{\"op\": \"sum\", \"x\": [1, 2]}", 26);
    ORR_CHECK(r.status == 200 && r.n == 128 + 8 && memcmp(r.body, "\x93NUMPY", 6) == 0);
    answer_free(&r);
    EXPECT(post_npy("/v1/gemm", "", body, n), 400, "gemm takes 2 arrays");
    EXPECT(post_npy("/v1/gemm", "", body, n - 1), 400, "ORR_EFORMAT");
    EXPECT(post_npy("/v1/gemm", "", "not an array", 12), 400, "ORR_EFORMAT");
    EXPECT(post_npy("/v1/reduce?op=sum&op=max", "", body, n), 400, "twice");
    EXPECT(post_npy("/v1/reduce?op=sum&axes=0,,1", "", body, n), 400, "commas");
    memcpy(body + n, body, n);
    EXPECT(post_npy("/v1/reduce?op=sum", "", body, 2 * n), 400, "bytes follow");
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- batches ----------------------------------------------------------------------------------------------- */

enum { CLIENTS = 16, EACH = 40 };
static int wrong[CLIENTS];

/* Each client has its own numbers, so that a result sent to the wrong client shows. */
static void *ask_often(void *user)
{
    int *bad = user, client = (int)(bad - wrong), fd = connect_to(&s, 30.0);
    for (int i = 0; i < EACH && fd >= 0; i++) {
        char body[256], head[512], want[64];
        int v = 1000 * client + i, m = 0, kind = i % 3;
        if (kind == 0)
            m = snprintf(body, sizeof body, "{\"expression\": \"x*y\", \"x\": [[%d, 1], [2, 3]], \"y\": [2, 4]}", v);
        else if (kind == 1)
            m = snprintf(body, sizeof body, "{\"a\": [[%d, 1], [2, 3]], \"b\": [[2, 0], [0, 4]]}", v);
        else
            m = snprintf(body, sizeof body, "{\"op\": \"max\", \"x\": [[%d, 1], [2, 0.5]], \"axes\": [-1]}", v);
        int n = snprintf(head, sizeof head,
                         "POST /v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         "Content-Length: %d\r\n\r\n%s",
                         kind == 0   ? "elementwise"
                         : kind == 1 ? "gemm"
                                     : "reduce",
                         m, body);
        if (kind < 2)
            (void)snprintf(want, sizeof want, "[[%d.0, 4.0],\n[4.0, 12.0]]", 2 * v);
        else
            (void)snprintf(want, sizeof want, "[%d.0, 2.0]", v > 1 ? v : 1);
        answer a = { 0 };
        if (send_all(fd, head, (size_t)n))
            a = read_answer(fd, false);
        if (a.status != 200 || !strstr(a.body, want))
            ++*bad;
        answer_free(&a);
    }
    if (fd >= 0)
        (void)close(fd);
    else
        *bad = EACH;
    return NULL;
}

static void equal_small_requests_become_one_evaluation(void)
{
    pthread_t thread[CLIENTS];
    NEED_SERVER("--batch-window 5000");
    for (int i = 0; i < CLIENTS; i++) {
        wrong[i] = 0;
        ORR_CHECK(pthread_create(&thread[i], NULL, ask_often, &wrong[i]) == 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        ORR_CHECK(pthread_join(thread[i], NULL) == 0);
        ORR_CHECK_MSG(wrong[i] == 0, "client %d: %d wrong", i, wrong[i]);
    }
    answer a = get(&s, "/v1/metrics");
    double evaluations = 0, works = 0;
    const char *at = a.body ? strstr(a.body, "\"batches\"") : NULL;
    ORR_CHECK(at && sscanf(strstr(at, "\"evaluations\""), "\"evaluations\": %lf", &evaluations) == 1 &&
              sscanf(strstr(at, "\"works\""), "\"works\": %lf", &works) == 1);
    ORR_CHECK_MSG(works == CLIENTS * EACH && evaluations < works, "%g evaluations of %g works", evaluations, works);
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

static void without_batches_each_is_one(void)
{
    NEED_SERVER("--batch 1 --workers 1");
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        wrong[i] = 0;
        ORR_CHECK(pthread_create(&thread[i], NULL, ask_often, &wrong[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        ORR_CHECK(pthread_join(thread[i], NULL) == 0 && wrong[i] == 0);
    char want[64];
    (void)snprintf(want, sizeof want, "\"evaluations\": %d,\n  \"works\": %d", 2 * EACH, 2 * EACH);
    EXPECT(get(&s, "/v1/metrics"), 200, want);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- models ------------------------------------------------------------------------------------------------ */

static const char mlp[] =
    "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"mlp.npz\", \"module\": {\"sequential\": ["
    "{\"dense\": {\"in\": 4, \"out\": 8, \"activation\": \"relu\"}}, {\"dense\": {\"in\": 8, \"out\": 3}}, "
    "{\"activation\": \"softmax\"}]}}";

static orr_tensor *softmax(orr_tensor *x, void *user)
{
    (void)user;
    return orr_softmax(x, -1);
}

/* Saves a module and its description; want: its results for two samples. */
static void save_model(const char *folder, double want[6])
{
    float y[6];
    char path[1200];
    ORR_CHECK(orr_init(&(orr_config){ .engine = "serial", .seed = 7 }) == ORR_OK);
    orr_scope *sc = orr_scope_begin();
    orr_module *m = orr_sequential(ORR_MODULES(orr_dense(4, 8, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                               orr_dense(8, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT),
                                               orr_function(softmax, NULL)));
    (void)snprintf(path, sizeof path, "%.1000s/mlp.npz", folder);
    ORR_CHECK_MSG(orr_module_save(m, path) == ORR_OK, "%s", orr_error_message());
    static const float x[8] = { 1, 2, 3, 4, -1, 0.5f, 0, 2 };
    ORR_CHECK(orr_read(orr_forward(m, orr_from(ORR_F32, ORR_SHAPE(2, 4), x)), y, sizeof y) == ORR_OK);
    for (int i = 0; i < 6; i++)
        want[i] = (double)y[i];
    orr_module_free(m);
    (void)orr_scope_end(sc);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)snprintf(path, sizeof path, "%.1000s/mlp.json", folder);
    FILE *f = fopen(path, "we");
    ORR_CHECK(f && fputs(mlp, f) >= 0 && fclose(f) == 0);
}

static void *predict_often(void *user)
{
    int *bad = user;
    for (int i = 0; i < 10; i++) {
        answer a = post_json(&s, "/v1/models/mlp/predict", "{\"x\": [1, 2, 3, 4]}");
        *bad += a.status != 200;
        answer_free(&a);
    }
    return NULL;
}

static void models_predict_what_the_module_does(void)
{
    double want[6];
    char folder[1024], options[1200];
    if (!have_server())
        return;
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp("models"));
    (void)snprintf(options, sizeof options, "mkdir -p '%.1000s'", folder);
    ORR_CHECK(system(options) == 0);
    save_model(folder, want);
    (void)snprintf(options, sizeof options, "--models %.1000s", folder);
    NEED_SERVER(options);
    EXPECT(get(&s, "/v1/models"), 200, "\"parameters\": 67");
    numbers("two samples", post_json(&s, "/v1/models/mlp/predict", "{\"x\": [[1, 2, 3, 4], [-1, 0.5, 0, 2]]}"), want, 6,
            1e-6);
    numbers("one sample", post_json(&s, "/v1/models/mlp/predict", "{\"x\": [1, 2, 3, 4]}"), want, 3, 1e-6);
    numbers("integers", post_json(&s, "/v1/models/mlp/predict", "{\"x\": [1, 2, 3, 4], \"dtype\": \"int32\"}"), want, 3,
            1e-6);
    pthread_t thread[8];
    int bad[8] = { 0 };
    for (int i = 0; i < 8; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, predict_often, &bad[i]) == 0);
    for (int i = 0; i < 8; i++)
        ORR_CHECK(pthread_join(thread[i], NULL) == 0 && bad[i] == 0);
    EXPECT(post_json(&s, "/v1/models/mlp/predict", "{\"x\": [[1, 2, 3]]}"), 422, "a sample is (4,)");
    EXPECT(post_json(&s, "/v1/models/mlp/predict", "{\"x\": [[[1, 2, 3, 4]]]}"), 422, "a sample is (4,)");
    EXPECT(post_json(&s, "/v1/models/mlp/predict", "{\"x\": []}"), 422, "a sample is (4,)");
    EXPECT(post_json(&s, "/v1/models/other/predict", "{\"x\": [1]}"), 404, "/v1/models");
    EXPECT(post_json(&s, "/v1/models/..%2fmlp/predict", "{\"x\": [1]}"), 404, "");
    ORR_CHECK(server_stop(&s) == 0);
}

/* A wrong model file prevents the start of the service, which reports the reason. */
static void model_files_that_are_wrong_are_refused(void)
{
    static const struct {
        const char *text, *says;
    } files[] = {
        { "{", "line 1" },
        { "{\"format\": \"other\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {}}", "orrery-model-1" },
        { "{\"format\": \"orrery-model-1\", \"input\": [], \"weights\": \"w.npz\", \"module\": {}}",
          "shape of one sample" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"../w.npz\", \"module\": {}}",
          "beside this one" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {\"convolution\": 1}}",
          "a module is" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {\"dense\": {\"in\": "
          "4}}}",
          "\"dense\" is" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {\"activation\": "
          "\"no\"}}",
          "activation" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {\"dense\": {\"in\": "
          "4, \"out\": 2}}}",
          "w.npz" },
        { "{\"format\": \"orrery-model-1\", \"input\": [4], \"weights\": \"w.npz\", \"module\": {}, \"more\": 1}",
          "more" },
    };
    char command[1300], path[1100];
    if (!have_server())
        return;
    (void)snprintf(command, sizeof command, "mkdir -p '%.1000s'", orr_test_tmp("wrong"));
    ORR_CHECK(system(command) == 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "%.1000s/m.json", orr_test_tmp("wrong"));
        FILE *f = fopen(path, "we");
        ORR_CHECK(f && fputs(files[i].text, f) >= 0 && fclose(f) == 0);
        (void)snprintf(command, sizeof command, "--port 0 --models %.1000s", orr_test_tmp("wrong"));
        ORR_CHECK(server_fails(command) == 1);
        ORR_CHECK_MSG(strstr(server_output(), files[i].says), "'%s' is not in: %s", files[i].says, server_output());
    }
    ORR_CHECK(server_fails("--port 0 --models /nowhere") == 1 && strstr(server_output(), "/nowhere"));
}

/* -- jobs -------------------------------------------------------------------------------------------------- */

/* Waits for a state; `where` has the job's path. */
static bool becomes(const char *where, const char *state)
{
    char want[64];
    (void)snprintf(want, sizeof want, "\"state\": \"%s\"", state);
    for (int i = 0; i < 600; i++) {
        answer a = get(&s, where);
        bool is = a.status == 200 && strstr(a.body, want);
        answer_free(&a);
        if (is)
            return true;
        pause_for(0.05);
    }
    return false;
}

static void start_job(const char *path, const char *body, char where[64])
{
    answer a = post_json(&s, path, body);
    ORR_CHECK_MSG(a.status == 202, "%d %s", a.status, a.body ? a.body : "");
    (void)snprintf(where, 64, "%.63s", answer_header(&a, "Location"));
    ORR_CHECK(strncmp(where, "/v1/jobs/", 9) == 0 && strlen(where) == 41);
    answer_free(&a);
}

static void jobs_are_asked_for_later(void)
{
    char where[64], result[80];
    NEED_SERVER("");
    start_job("/v1/jobs?run=gemm", "{\"a\": [[1, 2], [3, 4]], \"b\": [[5, 6], [7, 8]]}", where);
    ORR_CHECK(becomes(where, "done"));
    (void)snprintf(result, sizeof result, "%s/result", where);
    numbers("job", get(&s, result), (const double[]){ 19, 22, 43, 50 }, 4, 0);
    numbers("again", get(&s, result), (const double[]){ 19, 22, 43, 50 }, 4, 0);
    EXPECT(get(&s, "/v1/jobs"), 200, where);
    start_job("/v1/jobs?run=gemm", "{\"a\": [[1, 2]], \"b\": [[5, 6]]}", result);
    ORR_CHECK(becomes(result, "failed"));
    char failed[128];
    (void)snprintf(failed, sizeof failed, "%s/result", result);
    EXPECT(get(&s, failed), 409, "inner dimensions differ");
    EXPECT(request(&s, "DELETE", where, "", NULL, 0), 200, "done");
    EXPECT(get(&s, where), 404, "no such job");
    EXPECT(post_json(&s, "/v1/jobs", "{}"), 400, "run");
    EXPECT(post_json(&s, "/v1/jobs?run=jobs", "{}"), 400, "run");
    EXPECT(post_json(&s, "/v1/jobs?run=models/none/predict", "{}"), 404, "no such model");
    /* .npy, with the endpoint's own parameters beside "run" */
    char body[512];
    size_t n = npy_f32(body, "(2,)", (const float[]){ 3, 4 }, 2);
    answer a = post_npy("/v1/jobs?run=reduce&op=norm", "Accept: application/json\r\n", body, n);
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    ORR_CHECK(becomes(where, "done"));
    (void)snprintf(result, sizeof result, "%s/result", where);
    numbers("norm", get(&s, result), (const double[]){ 5 }, 1, 1e-6);
    ORR_CHECK(server_stop(&s) == 0);
}

/* The first job takes long; the second is cancelled while it waits for the first. */
static void jobs_that_wait_or_run_are_cancelled(void)
{
    enum { N = 1600 };
    char first[64], second[64], result[128];
    float *a = calloc((size_t)N * N, sizeof *a);
    char *body = malloc(2 * (sizeof *a * N * N + 256));
    NEED_SERVER("--max-jobs 3");
    ORR_CHECK(a && body);
    size_t n = npy_f32(body, "(1600, 1600)", a, (size_t)N * N);
    n += npy_f32(body + n, "(1600, 1600)", a, (size_t)N * N);
    answer r = post_npy("/v1/jobs?run=gemm", "", body, n);
    ORR_CHECK(r.status == 202);
    (void)snprintf(first, sizeof first, "%.63s", answer_header(&r, "Location"));
    answer_free(&r);
    start_job("/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": [1]}", second);
    (void)snprintf(result, sizeof result, "%.63s/result", second);
    r = get(&s, result);
    ORR_CHECK(r.status == 409 || r.status == 200); /* 200: the first was quick */
    bool waits = r.status == 409;
    answer_free(&r);
    if (waits) {
        r = request(&s, "DELETE", second, "", NULL, 0);
        if (r.status == 200 && strstr(r.body, "cancelled")) {
            EXPECT(get(&s, result), 409, "was cancelled");
            EXPECT(get(&s, second), 200, "cancelled");
        }
        answer_free(&r);
    }
    EXPECT(request(&s, "DELETE", first, "", NULL, 0), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
    free(body);
    free(a);
}

/* -- the description --------------------------------------------------------------------------------------- */

/* Answers that were others than those of openapi.json. */
static void requests_are_taken_as_described(void)
{
    static const char json[] = "Content-Type: application/json\r\n", product[] = "{\"a\": [[1]], \"b\": [[2]]}";
    char other[128], any[128];
    NEED_SERVER("");
    (void)snprintf(other, sizeof other, "%sAccept: text/csv\r\n", json);
    (void)snprintf(any, sizeof any, "%sAccept: text/html, */*;q=0.8\r\n", json);
    EXPECT(request(&s, "POST", "/v1/gemm", other, product, sizeof product - 1), 406, "application/x-npy");
    EXPECT(request(&s, "POST", "/v1/jobs?run=gemm", other, product, sizeof product - 1), 406, "");
    EXPECT(request(&s, "POST", "/v1/gemm", any, product, sizeof product - 1), 200, "2.0");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x + 1\", \"x\": {\"shape\": [], \"data\": true}}"), 200,
           "2.0");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"any\", \"x\": {\"shape\": [1, 2], \"data\": [[false, true]]}}"), 200,
           "true");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"add\", \"x\": 2.0, \"y\": [1, 3.0]}"), 200, "\"5\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"add\", \"x\": 2.5, \"y\": 1}"), 422, "\\\"x\\\"");
    /* an integer beyond 64 bits is a float, and no integer loses digits beside it */
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"max\", \"x\": [1, 100000000000000000000], \"axes\": [0]}"), 200,
           "1e+20");
    EXPECT(post_json(&s, "/v1/reduce",
                     "{\"op\": \"max\", \"dtype\": \"int64\", \"x\": [9007199254740993, 100000000000000000000]}"),
           422, "no integer");
    EXPECT(
        post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"shape\": [2.0], \"data\": [1, 2]}, \"axes\": [0.0]}"),
        200, "3.0");
    EXPECT(get(&s, "/openapi.json"), 200, "\"security\": [],\n \"tags\""); /* there are no tokens */
    ORR_CHECK(server_stop(&s) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(gemm_is_alpha_op_a_op_b_plus_beta_c),
        ORR_TEST(elementwise_takes_expressions),
        ORR_TEST(reductions_go_over_some_axes_or_all),
        ORR_TEST(fields_and_curves_take_numbers_as_texts),
        ORR_TEST(json_that_is_wrong_is_refused_with_the_place),
        ORR_TEST(npy_bodies_stand_one_behind_the_other),
        ORR_TEST(equal_small_requests_become_one_evaluation),
        ORR_TEST(without_batches_each_is_one),
        ORR_TEST(models_predict_what_the_module_does),
        ORR_TEST(model_files_that_are_wrong_are_refused),
        ORR_TEST(jobs_are_asked_for_later),
        ORR_TEST(jobs_that_wait_or_run_are_cancelled),
        ORR_TEST(requests_are_taken_as_described),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve-compute", tests);
}
