/* orrery-serve: arrays that clients keep by name, as operands and as results; their owners, limits and end.
 * Must not know: how the service is made. */
#include "config.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

static server s;

static const char json[] = "Content-Type: application/json\r\n",
                  npy[] = "Content-Type: application/x-npy\r\nAccept: application/json\r\n";

static answer put(const char *name, const char *body)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/v1/arrays/%s", name);
    return request(&s, "PUT", path, json, body, strlen(body));
}

static answer forget(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/v1/arrays/%s", name);
    return request(&s, "DELETE", path, "", NULL, 0);
}

/* -- operands and results ---------------------------------------------------------------------------------- */

static void an_array_is_sent_once_and_computed_with(void)
{
    NEED_SERVER("");
    EXPECT(get(&s, "/v1/arrays"), 200, "\"arrays\": []");
    EXPECT(put("w", "[[1, 2], [3, 4]]"), 201, "\"dtype\": \"float64\"");
    EXPECT(get(&s, "/v1/arrays/w"), 200, "\"shape\": [2, 2],\n\"data\": [[1.0, 2.0],\n[3.0, 4.0]]");
    EXPECT(put("x", "{\"dtype\": \"float64\", \"shape\": [2, 1], \"data\": [5, 6]}"), 201, "\"bytes\": 16");
    /* [1 2; 3 4]·[5; 6] = [17; 39] */
    for (int i = 0; i < 2; i++)
        EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"w\"}, \"b\": {\"array\": \"x\"}}"), 200,
               "[[17.0],\n[39.0]]");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"w\"}, \"b\": [[1], [1]], \"transpose_a\": true}"), 200,
           "[[4.0],\n[6.0]]");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x + y\", \"x\": {\"array\": \"x\"}, \"y\": 0.5}"), 200,
           "[[5.5],\n[6.5]]");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"w\"}, \"axes\": [0]}"), 200,
           "[4.0, 6.0]");
    /* the replacement is used by later requests */
    EXPECT(put("w", "[[2, 0], [0, 2]]"), 200, "\"array\": \"w\"");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"w\"}, \"b\": {\"array\": \"x\"}}"), 200,
           "[[10.0],\n[12.0]]");
    EXPECT(forget("w"), 200, "\"array\": \"w\"");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"w\"}, \"b\": {\"array\": \"x\"}}"), 404,
           "a: there is no array");
    EXPECT(forget("w"), 404, "no array");
    EXPECT(get(&s, "/v1/arrays/w"), 404, "no array");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"arrays\": {\n  \"kept\": 1,\n  \"bytes\": 16\n }");
    EXPECT(get(&s, "/metrics"), 200, "orrery_arrays 1\n");
    ORR_CHECK(server_stop(&s) == 0);
}

static void a_result_is_kept_instead_of_sent(void)
{
    NEED_SERVER("");
    EXPECT(put("a", "[[1, 2], [3, 4]]"), 201, "");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"a\"}, \"b\": {\"array\": \"a\"}, \"result\": \"b\"}"), 201,
           "\"bytes\": 32");
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"b\"}, \"b\": {\"array\": \"a\"}, \"result\": \"b\"}"), 200,
           "\"array\": \"b\"");
    EXPECT(get(&s, "/v1/arrays/b"), 200, "[[37.0, 54.0],\n[81.0, 118.0]]"); /* a³ */
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x\", \"x\": {\"array\": \"a\"}, \"result\": \"same\"}"),
           201, "");
    EXPECT(forget("a"), 200, "");
    EXPECT(get(&s, "/v1/arrays/same"), 200, "[[1.0, 2.0],\n[3.0, 4.0]]");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"argmax\", \"x\": [1, 5, 2], \"result\": \"at\"}"), 201, "\"int64\"");
    EXPECT(get(&s, "/v1/arrays/at"), 200, "\"data\": 1}");
    EXPECT(post_json(&s, "/v1/elementwise",
                     "{\"expression\": \"x\", \"x\": {\"dtype\": \"bfloat16\", \"shape\": [1], \"data\": [0.5]}, "
                     "\"result\": \"half\"}"),
           201, "\"bytes\": 2");
    EXPECT(get(&s, "/v1/arrays/half"), 200, "{\"dtype\": \"bfloat16\", \"shape\": [1],\n\"data\": [0.5]}");
    /* a failed request keeps nothing and changes nothing */
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": {\"array\": \"b\"}, \"b\": [[1, 2, 3]], \"result\": \"b\"}"), 422,
           "inner dimensions");
    EXPECT(get(&s, "/v1/arrays/b"), 200, "37.0");
    ORR_CHECK(server_stop(&s) == 0);
}

static void npy_bodies_and_kept_arrays_go_together(void)
{
    char body[512];
    float x[4] = { 1, 2, 3, 4 };
    size_t n = npy_f32(body, "(2, 2)", x, 4);
    NEED_SERVER("");
    EXPECT(request(&s, "PUT", "/v1/arrays/w", npy, body, n), 201, "\"float32\"");
    answer a = request(&s, "GET", "/v1/arrays/w", "Accept: application/x-npy\r\n", NULL, 0);
    ORR_CHECK(a.status == 200 && a.n == 128 + sizeof x && memcmp(a.body + 128, x, sizeof x) == 0);
    answer_free(&a);
    EXPECT(request(&s, "POST", "/v1/gemm?b=w", npy, body, n), 200, "[[7.0, 10.0],\n[15.0, 22.0]]");
    EXPECT(request(&s, "POST", "/v1/gemm?a=w", npy, body, n), 200, "[[7.0, 10.0],\n[15.0, 22.0]]");
    EXPECT(request(&s, "POST", "/v1/gemm?a=w&b=w&c=w", npy, body, 0), 200, "[[8.0, 12.0],\n[18.0, 26.0]]");
    EXPECT(request(&s, "POST", "/v1/gemm?a=w&b=w&result=p", npy, body, 0), 201, "\"array\": \"p\"");
    EXPECT(request(&s, "POST", "/v1/gemm?c=w", npy, body, n), 422, "before it is missing");
    EXPECT(request(&s, "POST", "/v1/gemm?a=w&b=w&c=w", npy, body, n), 400, "bytes follow");
    EXPECT(request(&s, "POST", "/v1/gemm?b=nothing", npy, body, n), 404, "b: there is no array");
    memcpy(body + n, body, n);
    EXPECT(request(&s, "PUT", "/v1/arrays/w", npy, body, 2 * n), 400, "bytes follow");
    EXPECT(request(&s, "PUT", "/v1/arrays/w", npy, body, n - 1), 400, "ORR_EFORMAT");
    EXPECT(request(&s, "PUT", "/v1/arrays/w?keep=3", npy, body, n), 400, "no parameter");
    EXPECT(request(&s, "PUT", "/v1/arrays/w", npy, "", 0), 400, "");
    /* complex numbers have no JSON */
    static const char head[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }";
    char complex[136];
    memset(complex, ' ', sizeof complex);
    memcpy(complex, head, sizeof head - 1);
    complex[127] = '\n';
    memcpy(complex + 128, x, 8);
    EXPECT(request(&s, "PUT", "/v1/arrays/z", npy, complex, sizeof complex), 201, "\"complex64\"");
    EXPECT(get(&s, "/v1/arrays/z"), 406, "application/x-npy");
    a = request(&s, "GET", "/v1/arrays/z", "Accept: application/x-npy\r\n", NULL, 0);
    ORR_CHECK(a.status == 200 && a.n == 136 && memcmp(a.body + 128, x, 8) == 0);
    answer_free(&a);
    EXPECT(put("z", "{\"dtype\": \"complex64\", \"shape\": [1], \"data\": [1]}"), 400, "application/x-npy");
    ORR_CHECK(server_stop(&s) == 0);
}

static void arrays_that_were_read_can_be_sent_back(void)
{
    NEED_SERVER("");
    answer a = post_json(&s, "/v1/gemm", "{\"a\": [[1, 2]], \"b\": [[3], [4]], \"dtype\": \"float32\"}");
    ORR_CHECK(a.status == 200);
    char body[1024];
    (void)snprintf(body, sizeof body, "%.1000s", a.body);
    answer_free(&a);
    EXPECT(put("c", body), 201, "\"float32\"");
    EXPECT(get(&s, "/v1/arrays/c"), 200, "\"shape\": [1, 1],\n\"data\": [[11.0]]");
    EXPECT(put("c", "{\"shape\": [2, 2], \"data\": [[1, 2], [3]]}"), 422, "equal length");
    EXPECT(put("c", "{\"shape\": [2], \"data\": [[1, 2]]}"), 422, "equal length");
    EXPECT(put("c", "{\"shape\": [9000000, 9000000], \"data\": [[1]]}"), 422, "differ");
    EXPECT(put("c", "7"), 200, "\"shape\": []");
    EXPECT(get(&s, "/v1/arrays/c"), 200, "\"data\": 7.0");
    EXPECT(put("c", "\"seven\""), 422, "no number");
    EXPECT(put("c", "null"), 422, "");
    EXPECT(put("c", "{}"), 400, "");
    EXPECT(put("c", "[[1, 2], [3]]"), 422, "equal length");
    EXPECT(put("c", ""), 400, "json");
    ORR_CHECK(server_stop(&s) == 0);
}

static void elements_of_fields_are_kept_too(void)
{
    NEED_SERVER("");
    EXPECT(put("x", "{\"field\": \"fr254\", \"data\": [\"5\", \"0x10\", 3]}"), 201, "\"fr254\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"mul\", \"x\": {\"array\": \"x\"}, \"y\": 2, \"result\": \"y\"}"), 201,
           "\"fr254\"");
    EXPECT(get(&s, "/v1/arrays/y"), 200, "\"10\",\n  \"32\",\n  \"6\"");
    /* 5·10 + 16·32 + 3·6 */
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"dot\", \"x\": {\"array\": \"x\"}, \"y\": {\"array\": \"y\"}}"), 200,
           "\"580\"");
    EXPECT(put("one", "{\"field\": \"fr254\", \"data\": \"4\"}"), 201, "\"shape\": []");
    EXPECT(post_json(&s, "/v1/field",
                     "{\"op\": \"pow\", \"x\": {\"array\": \"one\"}, \"exponent\": {\"array\": \"one\"}}"),
           200, "\"256\"");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"sum\", \"x\": {\"array\": \"one\"}}"), 422, "is a list");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"neg\", \"x\": {\"array\": \"none\"}}"), 404, "x: there is no array");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"neg\", \"field\": \"fq254\", \"x\": {\"array\": \"x\"}}"), 422,
           "another field");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"x\"}}"), 422, "finite field");
    EXPECT(request(&s, "GET", "/v1/arrays/x", "Accept: application/x-npy\r\n", NULL, 0), 406, "JSON");
    /* the generator of G1, and twice it */
    EXPECT(put("points", "{\"field\": \"fq254\", \"data\": [[1, 2], [1, 2]]}"), 201, "\"fq254\"");
    answer want = post_json(&s, "/v1/msm", "{\"points\": [[1, 2], [1, 2]], \"scalars\": [1, 1]}");
    EXPECT(put("scalars", "{\"field\": \"fr254\", \"data\": [1, 1]}"), 201, "");
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": {\"array\": \"points\"}, \"scalars\": {\"array\": \"scalars\"}}"),
           200, want.body);
    answer_free(&want);
    EXPECT(post_json(&s, "/v1/msm", "{\"points\": {\"array\": \"x\"}, \"scalars\": {\"array\": \"scalars\"}}"), 422,
           "another field");
    EXPECT(post_json(&s, "/v1/msm", "{\"curve\": \"g2\", \"points\": {\"array\": \"points\"}, \"scalars\": [1, 1]}"),
           422, "list of points");
    EXPECT(put("x", "{\"field\": \"fr254\", \"data\": [[1, 2], [3]]}"), 422, "equal length");
    EXPECT(put("x", "{\"field\": \"other\", \"data\": [1]}"), 400, "fr254 or fq254");
    EXPECT(put("x", "{\"field\": \"fr254\", \"data\": [1], \"more\": 1}"), 400, "only members");
    EXPECT(put("x", "{\"field\": \"fr254\"}"), 400, "");
    ORR_CHECK(server_stop(&s) == 0);
}

/* A job reads its arrays when it starts, so that one may read the array that the previous one kept. */
static void jobs_hand_arrays_on(void)
{
    NEED_SERVER("");
    EXPECT(put("x", "[1, 2, 3]"), 201, "");
    EXPECT(post_json(&s, "/v1/jobs?run=elementwise",
                     "{\"expression\": \"2*x\", \"x\": {\"array\": \"x\"}, \"result\": \"y\"}"),
           202, "");
    EXPECT(post_json(&s, "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"y\"}, \"result\": \"z\"}"), 202,
           "");
    EXPECT(post_json(&s, "/v1/jobs?run=keep", "[1]"), 400, "run");
    for (int i = 0; i < 200; i++) {
        answer a = get(&s, "/v1/arrays/z");
        bool there = a.status == 200;
        answer_free(&a);
        if (there)
            break;
        pause_for(0.05);
    }
    EXPECT(get(&s, "/v1/arrays/z"), 200, "12.0");
    answer a = get(&s, "/v1/jobs");
    ORR_CHECK(a.status == 200 && !strstr(a.body, "failed"));
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

static void names_are_short_and_plain(void)
{
    char name[200], body[300];
    NEED_SERVER("");
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    EXPECT(put(name, "1"), 201, "");
    (void)snprintf(body, sizeof body, "{\"op\": \"sum\", \"x\": {\"array\": \"%s\"}}", name);
    EXPECT(post_json(&s, "/v1/reduce", body), 200, "1.0");
    name[64] = 'n', name[65] = '\0';
    EXPECT(put(name, "1"), 400, "a name is");
    (void)snprintf(body, sizeof body, "{\"op\": \"sum\", \"x\": 1, \"result\": \"%s\"}", name);
    EXPECT(post_json(&s, "/v1/reduce", body), 400, "is a name");
    name[65] = 'n', name[190] = '\0';
    EXPECT(put(name, "1"), 404, "");
    EXPECT(put("A-z_0.9", "1"), 201, "");
    static const char *const wrong[] = { ".hidden", "a%20b", "a%2fb", "..", "a%00b", "%c3%bc", "a:b" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        answer a = put(wrong[i], "1");
        ORR_CHECK_MSG(a.status == 400 || a.status == 404, "%s: %d", wrong[i], a.status);
        answer_free(&a);
    }
    static const char *const results[] = { "\"\"", "\".x\"", "\"a b\"", "\"a/b\"", "1", "null", "{}", "\"a\\u0000b\"" };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        (void)snprintf(body, sizeof body, "{\"op\": \"sum\", \"x\": 1, \"result\": %s}", results[i]);
        EXPECT(post_json(&s, "/v1/reduce", body), 400, "");
    }
    static const char *const operands[] = { "{\"array\": 1}",    "{\"array\": null}",
                                            "{\"array\": \"\"}", "{\"array\": \"none\"}",
                                            "{\"array\": [1]}",  "{\"array\": \"A-z_0.9\", \"dtype\": \"int8\"}" };
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        (void)snprintf(body, sizeof body, "{\"op\": \"sum\", \"x\": %s}", operands[i]);
        answer a = post_json(&s, "/v1/reduce", body);
        ORR_CHECK_MSG(a.status == 400 || a.status == 404, "%s: %d", operands[i], a.status);
        answer_free(&a);
    }
    answer a = request(&s, "POST", "/v1/arrays/x", json, "1", 1);
    ORR_CHECK_MSG(a.status == 405 && strcmp(answer_header(&a, "Allow"), "GET, HEAD, PUT, DELETE") == 0, "%s",
                  answer_header(&a, "Allow"));
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- owners ------------------------------------------------------------------------------------------------ */

static const char alice[] = "alices-token-0123456789abcdef", bob[] = "bobs-token-0123456789abcdef-0123456789";

static answer as(const char *token, const char *method, const char *path, const char *body)
{
    char headers[512];
    (void)snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\n%s", token, json);
    return request(&s, method, path, headers, body, body ? strlen(body) : 0);
}

static void an_array_is_its_clients_alone(void)
{
    char text[256], options[1400];
    (void)snprintf(text, sizeof text, "alice %s\nbob %s\n", alice, bob);
    (void)snprintf(options, sizeof options, "--max-arrays 2 --tokens %.1000s", write_file("tokens", text, 0600));
    NEED_SERVER(options);
    EXPECT(request(&s, "PUT", "/v1/arrays/secret7134771347", json, "[27182845904]", 8), 401, "");
    EXPECT(get(&s, "/v1/arrays"), 401, "");
    EXPECT(as(alice, "PUT", "/v1/arrays/secret7134771347", "[27182845904]"), 201, "");
    EXPECT(as(bob, "GET", "/v1/arrays", NULL), 200, "\"arrays\": []");
    EXPECT(as(bob, "GET", "/v1/arrays/secret7134771347", NULL), 404, "");
    EXPECT(as(bob, "DELETE", "/v1/arrays/secret7134771347", NULL), 404, "");
    EXPECT(as(bob, "POST", "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"secret7134771347\"}}"), 404,
           "no array");
    EXPECT(as(bob, "POST", "/v1/jobs?run=reduce",
              "{\"op\": \"sum\", \"x\": {\"array\": \"secret7134771347\"}, \"result\": \"got\"}"),
           202, "");
    for (int i = 0; i < 200; i++) { /* a job looks for its arrays when it starts */
        answer a = as(bob, "GET", "/v1/jobs", NULL);
        bool failed = a.body && strstr(a.body, "failed");
        answer_free(&a);
        if (failed)
            break;
        pause_for(0.05);
    }
    EXPECT(as(bob, "GET", "/v1/jobs", NULL), 200, "failed");
    /* bob's array of the same name is another one, and the number of his arrays does not limit hers */
    EXPECT(as(bob, "PUT", "/v1/arrays/secret7134771347", "[1]"), 201, "");
    EXPECT(as(bob, "PUT", "/v1/arrays/b", "[1]"), 201, "");
    EXPECT(as(bob, "PUT", "/v1/arrays/c", "[1]"), 507, "delete one");
    EXPECT(as(bob, "PUT", "/v1/arrays/b", "[2]"), 200, "");
    EXPECT(as(alice, "PUT", "/v1/arrays/b", "[3]"), 201, "");
    EXPECT(as(bob, "DELETE", "/v1/arrays/secret7134771347", NULL), 200, "");
    EXPECT(as(alice, "GET", "/v1/arrays/secret7134771347", NULL), 200, "27182845904.0");
    EXPECT(as(alice, "POST", "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"b\"}, \"result\": \"b\"}"),
           202, "");
    for (int i = 0; i < 100; i++) {
        answer a = as(alice, "GET", "/v1/arrays/b", NULL);
        bool scalar = a.body && strstr(a.body, "\"shape\": []");
        answer_free(&a);
        if (scalar)
            break;
        pause_for(0.05);
    }
    EXPECT(as(alice, "GET", "/v1/arrays/b", NULL), 200, "\"data\": 3.0");
    EXPECT(as(bob, "GET", "/v1/arrays/b", NULL), 200, "\"data\": [2.0]");
    EXPECT(as(bob, "GET", "/v1/arrays/got", NULL), 404, "");
    ORR_CHECK(server_stop(&s) == 0);
    char *log = read_text(s.log);
    ORR_CHECK(strstr(log, "PUT") && strstr(log, "/v1/arrays/{name}") && !strstr(log, "7134771347") &&
              !strstr(log, "27182845904") && !strstr(log, "0123456789abcdef"));
    free(log);
}

/* -- limits and ends --------------------------------------------------------------------------------------- */

/* Keeps n zeros, sent as .npy. */
static answer put_zeros(const char *name, size_t n)
{
    float *zeros = calloc(n, sizeof *zeros);
    char *body = malloc(n * sizeof *zeros + 256), path[128], shape[64];
    ORR_CHECK(zeros && body);
    (void)snprintf(shape, sizeof shape, "(%zu,)", n);
    (void)snprintf(path, sizeof path, "/v1/arrays/%s", name);
    size_t bytes = npy_f32(body, shape, zeros, n);
    answer a = request(&s, "PUT", path, npy, body, bytes);
    free(zeros);
    free(body);
    return a;
}

static void bytes_have_limits(void)
{
    NEED_SERVER("--array-bytes 100000 --max-memory 260000 --max-rank 2");
    EXPECT(put_zeros("a", 15000), 201, "\"bytes\": 60000");
    EXPECT(put_zeros("b", 15000), 507, "100000 bytes");
    EXPECT(put_zeros("a", 25000), 200, "\"bytes\": 100000"); /* a replacement fits */
    EXPECT(put_zeros("a", 25001), 413, "may keep 100000");
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x\", \"x\": {\"array\": \"a\"}, \"result\": \"b\"}"),
           507, "");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"kept\": 1,\n  \"bytes\": 100000\n");
    EXPECT(forget("a"), 200, "");
    EXPECT(put("a", "[[[1]]]"), 422, "rank is more than 2");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"kept\": 0,\n  \"bytes\": 0\n");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");
    ORR_CHECK(server_stop(&s) == 0);
    /* at most half of the memory, so that bodies fit */
    NEED_SERVER("--array-bytes 1M --max-memory 300000");
    EXPECT(put_zeros("a", 40000), 413, "may keep 150000");
    EXPECT(put_zeros("a", 25000), 201, "");
    EXPECT(put_zeros("b", 25000), 507, "150000 bytes of arrays at most, of all clients");
    EXPECT(put_zeros("b", 12500), 201, "");
    ORR_CHECK(server_stop(&s) == 0);
    NEED_SERVER("--max-arrays 0");
    EXPECT(put("a", "[1]"), 507, "0 arrays");
    ORR_CHECK(server_stop(&s) == 0);
}

static void arrays_that_are_not_used_are_forgotten(void)
{
    NEED_SERVER("--array-keep 1");
    EXPECT(put("used", "[1]"), 201, "");
    EXPECT(put("idle", "[1]"), 201, "");
    EXPECT(get(&s, "/v1/arrays"), 200, "\"expires\": 0.9");
    for (int i = 0; i < 16; i++) {
        EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"array\": \"used\"}}"), 200, "1.0");
        pause_for(0.1);
    }
    EXPECT(get(&s, "/v1/arrays/idle"), 404, "");
    EXPECT(get(&s, "/v1/arrays/used"), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
}

enum { SIDE = 700, CLIENTS = 6, EACH = 25 };
static int wrong[CLIENTS];

/* Products of an array that others replace and delete meanwhile: the answer is of one whole array, or 404. */
static void *multiply(void *user)
{
    int *bad = user;
    for (int i = 0; i < EACH; i++) {
        char body[160];
        bool kept = i % 2;
        (void)snprintf(body, sizeof body, "{\"a\": {\"array\": \"m\"}, \"b\": {\"array\": \"m\"}%s}",
                       kept ? ", \"result\": \"p\"" : "");
        answer a = request(&s, "POST", "/v1/gemm", "Content-Type: application/json\r\nAccept: application/x-npy\r\n",
                           body, strlen(body));
        bool whole = a.status == 404 || (kept && (a.status == 200 || a.status == 201));
        if (a.status == 200 && !kept && a.n == 128 + sizeof(float) * SIDE * SIDE) {
            const float *c = (const float *)(const void *)(a.body + 128);
            float first;
            memcpy(&first, c, sizeof first);
            whole = first == SIDE || first == 4 * SIDE; /* of ones, or of twos */
            for (size_t k = 0; whole && k < (size_t)SIDE * SIDE; k++) {
                float v;
                memcpy(&v, a.body + 128 + k * sizeof v, sizeof v);
                whole = v == first;
            }
        }
        *bad += !whole;
        answer_free(&a);
    }
    return NULL;
}

static void an_array_is_deleted_while_it_is_used(void)
{
    pthread_t thread[CLIENTS];
    float *x = malloc(sizeof *x * SIDE * SIDE);
    char *body[2] = { malloc(sizeof *x * SIDE * SIDE + 256), malloc(sizeof *x * SIDE * SIDE + 256) };
    size_t n = 0;
    NEED_SERVER("");
    ORR_CHECK(x && body[0] && body[1]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            x[i] = (float)(k + 1);
        n = npy_f32(body[k], "(700, 700)", x, (size_t)SIDE * SIDE);
    }
    EXPECT(request(&s, "PUT", "/v1/arrays/m", npy, body[0], n), 201, "");
    for (int i = 0; i < CLIENTS; i++) {
        wrong[i] = 0;
        ORR_CHECK(pthread_create(&thread[i], NULL, multiply, &wrong[i]) == 0);
    }
    for (int i = 0; i < 30; i++) {
        answer a = i % 3 == 2 ? forget("m") : request(&s, "PUT", "/v1/arrays/m", npy, body[i % 2], n);
        ORR_CHECK_MSG(a.status == 200 || a.status == 201, "%d", a.status);
        answer_free(&a);
        a = forget("p");
        answer_free(&a);
    }
    for (int i = 0; i < CLIENTS; i++) {
        ORR_CHECK(pthread_join(thread[i], NULL) == 0);
        ORR_CHECK_MSG(wrong[i] == 0, "client %d: %d wrong", i, wrong[i]);
    }
    answer a = forget("m");
    answer_free(&a);
    a = forget("p");
    answer_free(&a);
    pause_for(0.3);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");
    ORR_CHECK(server_stop(&s) == 0);
    free(x);
    free(body[0]);
    free(body[1]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(an_array_is_sent_once_and_computed_with),
        ORR_TEST(a_result_is_kept_instead_of_sent),
        ORR_TEST(npy_bodies_and_kept_arrays_go_together),
        ORR_TEST(arrays_that_were_read_can_be_sent_back),
        ORR_TEST(elements_of_fields_are_kept_too),
        ORR_TEST(jobs_hand_arrays_on),
        ORR_TEST(names_are_short_and_plain),
        ORR_TEST(an_array_is_its_clients_alone),
        ORR_TEST(bytes_have_limits),
        ORR_TEST(arrays_that_are_not_used_are_forgotten),
        ORR_TEST(an_array_is_deleted_while_it_is_used),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve-arrays", tests);
}
