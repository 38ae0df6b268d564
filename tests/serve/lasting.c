/* orrery-serve and its end: by SIGTERM in each state, by SIGKILL at any moment; jobs with --jobs-dir.
 * Must not know: how jobs are stored. */
#include "config.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/harness/json.h"
#include "tests/serve/client.h"

static server s;

static const char one[] = "{\"op\": \"sum\", \"x\": [1]}";

/* Sends a request on a new connection and reads nothing. */
static int send_only(const char *path, const char *type, const void *body, size_t n)
{
    char head[512];
    int fd = connect_to(&s, 30.0);
    (void)snprintf(
        head, sizeof head,
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAccept: %s\r\nContent-Length: %zu\r\n\r\n", path,
        type, type, n);
    if (fd >= 0 && (!send_all(fd, head, strlen(head)) || !send_all(fd, body, n)))
        pause_for(0.01);
    return fd;
}

/* A polynomial of n terms at n points; to be freed. */
static char *polynomial(int n)
{
    char *text = malloc((size_t)n * 4 + 128), *to = text;
    for (int k = 0; k < 2; k++) {
        to += sprintf(to, "%s", k ? "], \"y\": [" : "{\"op\": \"poly_eval\", \"x\": [");
        for (int i = 0; i < n; i++)
            to += sprintf(to, "%s9", i ? "," : "");
    }
    (void)sprintf(to, "]}");
    return text;
}

/* Kills the server as a machine without power would, as far as it is concerned. */
static void kill_server(void)
{
    int status = 0;
    (void)kill(s.pid, SIGKILL);
    (void)waitpid(s.pid, &status, 0);
    s.pid = 0;
}

/* -- SIGTERM -------------------------------------------------------------------------------------------------------------- */

enum { CONNECTIONS = 8 };

/* Brings the server into a state by connections, which stay open. */
typedef void state(int fd[CONNECTIONS]);

static void idle(int fd[CONNECTIONS])
{
    for (int i = 0; i < CONNECTIONS; i++)
        fd[i] = connect_to(&s, 5.0);
}

static void half_requests(int fd[CONNECTIONS])
{
    static const char half[] = "POST /v1/reduce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               "Content-Length: 100\r\n\r\n{\"op\":";
    for (int i = 0; i < CONNECTIONS; i++)
        if ((fd[i] = connect_to(&s, 5.0)) >= 0)
            (void)!send_all(fd[i], half, i % 2 ? sizeof half - 1 : 20);
}

static void unread_answers(int fd[CONNECTIONS])
{
    enum { N = 2000 };
    float *x = calloc(N, sizeof *x);
    char *body = malloc(2 * (N * sizeof *x + 256)), shape[64];
    (void)snprintf(shape, sizeof shape, "(%d, 1)", N);
    size_t n = npy_f32(body, shape, x, N);
    (void)snprintf(shape, sizeof shape, "(1, %d)", N);
    n += npy_f32(body + n, shape, x, N);
    for (int i = 0; i < CONNECTIONS; i++)
        fd[i] = send_only("/v1/gemm", "application/x-npy", body, n);
    free(x);
    free(body);
}

/* One that runs in a compiled kernel for longer than the drain, and others behind it. */
static void queued_behind_a_kernel(int fd[CONNECTIONS])
{
    char *text = polynomial(25000);
    for (int i = 0; i < CONNECTIONS; i++)
        fd[i] = i < 2 ? send_only("/v1/field", "application/json", text, strlen(text))
                      : send_only("/v1/reduce", "application/json", one, sizeof one - 1);
    free(text);
}

/* The same as jobs, one of which is asked for again and again. */
static void jobs_that_are_polled(int fd[CONNECTIONS])
{
    char *text = polynomial(25000), poll[128] = "";
    for (int i = 0; i < 2; i++) {
        answer a = post_json(&s, "/v1/jobs?run=field", text);
        ORR_CHECK(a.status == 202);
        (void)snprintf(poll, sizeof poll, "GET %.60s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       answer_header(&a, "Location"));
        answer_free(&a);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        if ((fd[i] = connect_to(&s, 5.0)) >= 0)
            for (int k = 0; k < 20; k++)
                (void)!send_all(fd[i], poll, strlen(poll));
    free(text);
}

/* Expressions that are new, while they are compiled. */
static void expressions(int fd[CONNECTIONS])
{
    for (int i = 0; i < CONNECTIONS; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "{\"expression\": \"x * %d.5 + sin(x) / %d\", \"x\": [1, 2, 3]}", i + 3,
                       i + 7);
        fd[i] = send_only("/v1/elementwise", "application/json", text, strlen(text));
    }
}

/* Products that BLAS computes for longer than the drain. */
static void products(int fd[CONNECTIONS])
{
    enum { N = 2000 };
    char *body = malloc(2 * ((size_t)N * N * sizeof(float) + 256)), shape[64];
    float *x = calloc((size_t)N * N, sizeof *x);
    (void)snprintf(shape, sizeof shape, "(%d, %d)", N, N);
    size_t n = npy_f32(body, shape, x, (size_t)N * N);
    n += npy_f32(body + n, shape, x, (size_t)N * N);
    for (int i = 0; i < CONNECTIONS; i++)
        fd[i] = send_only(i % 2 ? "/v1/jobs?run=gemm" : "/v1/gemm", "application/x-npy", body, n);
    free(x);
    free(body);
}

static void a_drain_is_the_longest_life_in_each_state(void)
{
    static const struct {
        const char *name;
        state *reach;
    } states[] = {
        { "idle", idle },
        { "half requests", half_requests },
        { "unread answers", unread_answers },
        { "queued behind a kernel", queued_behind_a_kernel },
        { "jobs that are polled", jobs_that_are_polled },
        { "expressions", expressions },
        { "products", products },
    };
    const double drain = 1, grace = 1.5; /* seconds; the second is for a busy machine */
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        int fd[CONNECTIONS];
        NEED_SERVER("--drain 1 --timeout 1000 --write-timeout 1000 --workers 2 --max-memory 2G");
        states[i].reach(fd);
        pause_for(0.3);
        double from = clock_now();
        int status = server_stop(&s);
        double took = clock_now() - from;
        ORR_CHECK_MSG(status == 0 && took < drain + grace, "%s: status %d after %g s", states[i].name, status, took);
        for (int k = 0; k < CONNECTIONS; k++)
            (void)close(fd[k]);
    }
}

/* -- jobs on disk ----------------------------------------------------------------------------------------------------------- */

/* A folder for jobs, as an option. */
static const char *jobs_dir(const char *name, const char *more)
{
    static char option[1400];
    (void)snprintf(option, sizeof option, "--jobs-dir %.1000s %.300s", orr_test_tmp(name), more);
    return option;
}

/* Posts a job; *id: its address. */
static bool post_job(const char *run, const char *body, char where[64])
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/jobs?run=%s", run);
    answer a = post_json(&s, path, body);
    bool ok = a.status == 202;
    (void)snprintf(where, 64, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    return ok;
}

/* Waits for a word in the JSON of the job. */
static bool wait_for(const char *where, const char *word)
{
    for (int i = 0; i < 400; i++) {
        answer a = get(&s, where);
        bool there = a.body && strstr(a.body, word);
        answer_free(&a);
        if (there)
            return true;
        pause_for(0.02);
    }
    return false;
}

static answer result_of(const char *where)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%.63s/result", where);
    return get(&s, path);
}

static void results_outlast_the_service_and_cut_jobs_say_so(void)
{
    char done[64], failed[64], running[64], waiting[64], cancelled[64], deleted[64];
    char *text = polynomial(25000);
    const char *options = jobs_dir("jobs", "--drain 0.1 --job-bytes 1M --job-timeout 1000");
    NEED_SERVER(options);
    ORR_CHECK(post_job("reduce", "{\"op\": \"sum\", \"x\": [[1, 2], [3, 4]], \"axes\": [0]}", done) &&
              wait_for(done, "\"lasts\": true"));
    ORR_CHECK(post_job("gemm", "{\"a\": [[1, 2]], \"b\": [[1, 2]]}", failed) && wait_for(failed, "\"lasts\": true"));
    ORR_CHECK(post_job("reduce", one, deleted) && wait_for(deleted, "\"lasts\": true"));
    EXPECT(request(&s, "DELETE", deleted, "", NULL, 0), 200, "");
    ORR_CHECK(post_job("field", text, running) && post_job("reduce", one, waiting) &&
              post_job("reduce", one, cancelled));
    EXPECT(request(&s, "DELETE", cancelled, "", NULL, 0), 200, "cancelled");
    for (int round = 0; round < 2; round++) { /* by SIGTERM, then by SIGKILL */
        if (round == 0)
            ORR_CHECK(server_stop(&s) == 0);
        else
            kill_server();
        NEED_SERVER(options);
        EXPECT(result_of(done), 200, "[4.0, 6.0]");
        EXPECT(get(&s, done), 200, "\"lasts\": true");
        EXPECT(result_of(failed), 409, "ORR_ESHAPE");
        EXPECT(get(&s, failed), 200, "\"failed\"");
        EXPECT(get(&s, running), 200, "\"cut\"");
        EXPECT(result_of(running), 410, "ended before the job");
        EXPECT(result_of(waiting), 410, "");
        EXPECT(get(&s, cancelled), 200, "\"cancelled\"");
        EXPECT(get(&s, deleted), 404, "");
    }
    EXPECT(request(&s, "DELETE", running, "", NULL, 0), 200, "\"cut\"");
    EXPECT(get(&s, running), 404, "");
    ORR_CHECK(post_job("reduce", one, running) && wait_for(running, "\"lasts\": true"));
    free(text);
    ORR_CHECK(server_stop(&s) == 0);
}

/* A folder of another mode, or of a service that runs, is refused; wrong files are removed. */
static void the_folder_of_jobs_is_one_services_own(void)
{
    char folder[1024], options[1400], file[1100];
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp("own"));
    (void)snprintf(options, sizeof options, "--port 0 --jobs-dir %.1000s", folder);
    if (!have_server())
        return;
    ORR_CHECK(mkdir(folder, 0755) == 0 && server_fails(options) == 1 && strstr(server_output(), "0700"));
    ORR_CHECK(chmod(folder, 0700) == 0);
    static const char *const wrong[][2] = {
        { "a.job", "no JSON" },
        { "b.job", "{\"client\":\"\",\"run\":\"reduce\",\"state\":\"done\",\"bytes\":9}\nshort" },
        { "c.job",
          "{\"client\":\"eve\",\"run\":\"reduce\",\"state\":\"accepted\",\"created\":1,\"finished\":1,\"bytes\":0}\n" },
        { "d.job", "" },
        { "0.1.tmp", "half" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(file, sizeof file, "own/%s", wrong[i][0]);
        (void)write_file(file, wrong[i][1], 0600);
    }
    NEED_SERVER(options + strlen("--port 0 "));
    EXPECT(get(&s, "/v1/jobs"), 200, "\"jobs\": []");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(file, sizeof file, "%.1000s/%s", folder, wrong[i][0]);
        ORR_CHECK_MSG(access(file, F_OK) != 0, "%s is still there", file);
    }
    ORR_CHECK(server_fails(options) == 1 && strstr(server_output(), "another service"));
    ORR_CHECK(server_stop(&s) == 0);
}

/* The number of temporary files in the folder. */
static int temporaries(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strstr(e->d_name, ".tmp") != NULL;
    if (d)
        (void)closedir(d);
    return n;
}

/* SIGKILL at random moments of a stream of jobs; ORR_TEST_FULL: 200 of them. */
static void no_promised_result_is_lost_by_a_kill(void)
{
    enum { KEPT = 64, BEHIND = 3 }; /* BEHIND: jobs after the one that is asked for */
    static char promised[KEPT][64], open[KEPT][64];
    char folder[1024];
    double value[KEPT];
    int kills = getenv("ORR_TEST_FULL") ? 200 : 8, n = 0, count = 0;
    unsigned seed = (unsigned)getpid();
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp("killed"));
    const char *options = jobs_dir("killed", "--max-jobs 1000 --job-bytes 64M");
    for (int k = 0; k < kills; k++) {
        NEED_SERVER(options);
        ORR_CHECK_MSG(temporaries(folder) == 0, "%d temporary files after start %d", temporaries(folder), k);
        for (int i = 0; i < n; i++) {
            char text[64];
            (void)snprintf(text, sizeof text, "%.1f", value[i]);
            EXPECT(result_of(promised[i]), 200, text);
            EXPECT(request(&s, "DELETE", promised[i], "", NULL, 0), 200, "");
        }
        n = 0;
        double until = clock_now() + 0.3 * rand_r(&seed) / RAND_MAX;
        for (int m = 0; clock_now() < until && m < KEPT; m++) {
            char body[64];
            (void)snprintf(body, sizeof body, "{\"op\": \"sum\", \"x\": [%d, 0.5]}", ++count);
            if (!post_job("reduce", body, open[m]))
                continue;
            if (m < BEHIND)
                continue;
            answer a = get(&s, open[m - BEHIND]);
            if (a.body && strstr(a.body, "\"lasts\": true")) {
                memcpy(promised[n], open[m - BEHIND], sizeof promised[n]);
                value[n++] = count - BEHIND + 0.5;
            }
            answer_free(&a);
        }
        kill_server();
    }
    printf("    %d jobs, %d kills\n", count, kills);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(a_drain_is_the_longest_life_in_each_state),
        ORR_TEST(results_outlast_the_service_and_cut_jobs_say_so),
        ORR_TEST(the_folder_of_jobs_is_one_services_own),
        ORR_TEST(no_promised_result_is_lost_by_a_kill),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve lasting", tests);
}
