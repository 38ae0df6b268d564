/* A server for tests on the loopback address, and a client over plain sockets. All waits are bounded.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_SERVE_CLIENT_H
#define ORR_TESTS_SERVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct server {
    pid_t pid;
    int port;
    char log[1024]; /* the path of its log */
} server;

/* The path of the built orrery-serve. Valid until the next call. */
const char *server_program(void);
/* True if there is an orrery-serve; else the test is skipped. */
bool have_server(void);
/* Starts a server on a free port with these options, separated by spaces ("" for none), and a log of its own. False: it
 * did not print its address; server_output has its output. */
bool server_start(server *s, const char *options);
/* Starts the test's server `s` with these options; the test ends if there is none. */
#define NEED_SERVER(options)                                                                                           \
    do {                                                                                                               \
        if (!have_server())                                                                                            \
            return;                                                                                                    \
        ORR_CHECK_MSG(server_start(&s, options), "it did not start: %s", server_output());                             \
        if (s.port == 0)                                                                                               \
            return;                                                                                                    \
    } while (0)
/* Sends SIGTERM and waits. Returns the exit status; −1: it had to be killed. */
int server_stop(server *s);
/* As server_stop, but sends SIGTERM and SIGINT every 0.3 ms until it has ended. */
int server_stop_by_many(server *s);
/* Runs a server until it ends by itself; returns its exit status. */
int server_fails(const char *options);
/* The standard output and error of the last server. */
const char *server_output(void);
/* The resident bytes of the server. */
size_t server_memory(const server *s);
/* The processor time of the server, in seconds. */
double server_seconds(const server *s);

typedef struct answer {
    int status; /* 0: no answer */
    char *head, *body;
    size_t n; /* of the body */
    bool closed;
} answer;

/* Opens a connection; −1: failed. Reads give up after `seconds`. */
int connect_to(const server *s, double seconds);
bool send_all(int fd, const void *data, size_t n);
/* Reads the next answer on the connection; the caller frees it. */
answer read_answer(int fd, bool head_only);
void answer_free(answer *a);
/* The value of a header up to the end of its line; "" if it is missing. Valid until the next call. */
const char *answer_header(const answer *a, const char *name);

/* Sends one request on a connection of its own. headers: lines, each followed by "\r\n", or "". */
answer request(const server *s, const char *method, const char *path, const char *headers, const void *body, size_t n);
answer get(const server *s, const char *path);
answer post_json(const server *s, const char *path, const char *json);
/* Checks the status and that the body contains text; prints the body after a failure. */
#define EXPECT(a, code, text) expect((a), (code), (text), __FILE__, __LINE__)
bool expect(answer a, int code, const char *text, const char *file, int line); /* frees it */

/* Writes a .npy array of float32 to buf; returns its length. */
size_t npy_f32(char *buf, const char *shape, const float *data, size_t n);
/* Writes a file in the test's folder; its path is valid until the second next call. */
const char *write_file(const char *name, const char *text, unsigned mode);
/* The whole file as text; the caller frees it. */
char *read_text(const char *path);
void pause_for(double seconds);
/* Seconds of the monotonic clock. */
double clock_now(void);

#endif
