/* A server of the tests' own on the loopback address, and a client over plain sockets. All waits are bounded.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_SERVE_CLIENT_H
#define ORR_TESTS_SERVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct server {
    pid_t pid;
    int port;
    char log[1024]; /* its log's path */
} server;

/* Whether there is an orrery-serve; else the test is skipped. */
bool have_server(void);
/* Starts one on a free port with these options, separated by spaces ("" for none), and a log of its own. false: it did not
 * say its address; server_output has what it said. */
bool server_start(server *s, const char *options);
/* The test's server `s` with these options; the test ends where there is none. */
#define NEED_SERVER(options)                                                                                           \
    do {                                                                                                               \
        if (!have_server())                                                                                            \
            return;                                                                                                    \
        ORR_CHECK_MSG(server_start(&s, options), "it did not start: %s", server_output());                             \
        if (s.port == 0)                                                                                               \
            return;                                                                                                    \
    } while (0)
/* SIGTERM, and waits. The exit status; −1: it had to be killed. */
int server_stop(server *s);
/* The same with SIGTERM and SIGINT every 0.3 ms until it has ended. */
int server_stop_by_many(server *s);
/* Runs it until it ends by itself; its exit status. */
int server_fails(const char *options);
/* The standard output and error of the last server. */
const char *server_output(void);
/* Resident bytes. */
size_t server_memory(const server *s);

typedef struct answer {
    int status; /* 0: none came */
    char *head, *body;
    size_t n; /* of the body */
    bool closed;
} answer;

/* A connection; −1: none. Reads give up after `seconds`. */
int connect_to(const server *s, double seconds);
bool send_all(int fd, const void *data, size_t n);
/* The next answer on the connection; free it. */
answer read_answer(int fd, bool head_only);
void answer_free(answer *a);
/* The value of a header, cut at the line's end; "" without. Valid until the next call. */
const char *answer_header(const answer *a, const char *name);

/* One request on a connection of its own. headers: lines with "\r\n" behind each, or "". */
answer request(const server *s, const char *method, const char *path, const char *headers, const void *body, size_t n);
answer get(const server *s, const char *path);
answer post_json(const server *s, const char *path, const char *json);
/* Checks status and that the body contains text; prints the body where not. */
#define EXPECT(a, code, text) expect((a), (code), (text), __FILE__, __LINE__)
bool expect(answer a, int code, const char *text, const char *file, int line); /* frees it */

/* A .npy array of float32 in buf; its length. */
size_t npy_f32(char *buf, const char *shape, const float *data, size_t n);
/* Writes a file of the test's own folder; its path is valid until the next call but one. */
const char *write_file(const char *name, const char *text, unsigned mode);
/* The whole file as text, to be freed. */
char *read_text(const char *path);
void pause_for(double seconds);
/* Seconds of the monotonic clock. */
double clock_now(void);

#endif
