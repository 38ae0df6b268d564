/* A client of orrery-serve over plain sockets: keeps a matrix in the service by name, sends another as .npy, reads their product.
 *
 *     orrery-serve &
 *     examples/serve_client                        # 127.0.0.1, port 8080
 *     examples/serve_client 127.0.0.1 8080 TOKEN
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <orrery.h>

enum { N = 3 };

/* Writes the array as the bytes of a .npy file. Returns their number. */
static size_t put_npy(char *to, const float *x)
{
    size_t n = orr_npy_header(ORR_F32, ORR_SHAPE(N, N), to);
    memcpy(to + n, x, sizeof *x * N * N);
    return n + sizeof *x * N * N;
}

static int dial(const char *address, const char *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10)) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && inet_pton(AF_INET, address, &at.sin_addr) == 1 &&
        connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    perror(address);
    return -1;
}

static int send_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return -1;
        p += sent;
        n -= (size_t)sent;
    }
    return 0;
}

/* The request has "Connection: close", so that the answer ends with the connection. */
static size_t receive(int fd, char *to, size_t room)
{
    size_t n = 0;
    for (ssize_t got; n < room - 1 && (got = recv(fd, to + n, room - 1 - n, 0)) > 0;)
        n += (size_t)got;
    to[n] = '\0';
    return n;
}

/* Sends one request and returns the body of its answer; NULL after a printed error if the status is no success. head: method,
 * path and headers. */
static char *ask(const char *address, const char *port, const char *head, const char *body, size_t n, char *answer,
                 size_t room, size_t *got)
{
    char line[1024];
    (void)snprintf(line, sizeof line,
                   "%sHost: %s\r\nContent-Type: application/x-npy\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                   head, address, n);
    int fd = dial(address, port);
    if (fd < 0)
        return NULL;
    bool sent = send_all(fd, line, strlen(line)) == 0 && send_all(fd, body, n) == 0;
    size_t all = sent ? receive(fd, answer, room) : 0;
    (void)close(fd);
    char *rest = all ? strstr(answer, "\r\n\r\n") : NULL;
    if (!rest || strncmp(answer, "HTTP/1.1 20", 11) != 0) {
        (void)fprintf(stderr, "%s\n", all ? answer : "no answer");
        return NULL;
    }
    *got = all - (size_t)(rest + 4 - answer);
    return rest + 4;
}

int main(int argc, char **argv)
{
    static const float a[N * N] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, b[N * N] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
    static char body[ORR_NPY_HEADER + sizeof a], answer[1 << 16];
    const char *address = argc > 1 ? argv[1] : "127.0.0.1", *port = argc > 2 ? argv[2] : "8080";
    const char *token = argc > 3 ? argv[3] : NULL;
    char access[512] = "", put[768], multiply[768];
    size_t got = 0;

    if (token)
        (void)snprintf(access, sizeof access, "Authorization: Bearer %s\r\n", token);
    (void)snprintf(put, sizeof put, "PUT /v1/arrays/weights HTTP/1.1\r\n%s", access);
    (void)snprintf(multiply, sizeof multiply, "POST /v1/gemm?b=weights HTTP/1.1\r\n%s", access);
    /* b is sent once; the body of each product has one operand */
    if (!ask(address, port, put, body, put_npy(body, b), answer, sizeof answer, &got))
        return 1;
    char *array = ask(address, port, multiply, body, put_npy(body, a), answer, sizeof answer, &got);
    if (!array)
        return 1;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_tensor *c = orr_load_bytes(array, got, NULL);
    if (orr_print(stdout, c) != ORR_OK)
        return orr_error_print(stderr);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
