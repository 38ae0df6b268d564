/* A client of orrery-serve over plain sockets: sends two matrices as .npy, reads their product.
 *
 *     orrery-serve &
 *     examples/serve_client                        # 127.0.0.1, port 8080
 *     examples/serve_client 127.0.0.1 8080 TOKEN
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <orrery.h>

enum { N = 3 };

/* The array as the bytes of a .npy file; how many. */
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

/* "Connection: close" in the request: the answer ends where the connection does. */
static size_t receive(int fd, char *to, size_t room)
{
    size_t n = 0;
    for (ssize_t got; n < room - 1 && (got = recv(fd, to + n, room - 1 - n, 0)) > 0;)
        n += (size_t)got;
    to[n] = '\0';
    return n;
}

int main(int argc, char **argv)
{
    static const float a[N * N] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, b[N * N] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
    static char body[2 * (ORR_NPY_HEADER + sizeof a)], head[1024], answer[1 << 16];
    const char *address = argc > 1 ? argv[1] : "127.0.0.1", *port = argc > 2 ? argv[2] : "8080";
    const char *token = argc > 3 ? argv[3] : NULL;

    size_t n = put_npy(body, a);
    n += put_npy(body + n, b); /* one behind the other */
    (void)snprintf(head, sizeof head,
                   "POST /v1/gemm HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-npy\r\nContent-Length: %zu\r\n"
                   "Connection: close\r\n%s%s%s\r\n",
                   address, n, token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    int fd = dial(address, port);
    if (fd < 0 || send_all(fd, head, strlen(head)) != 0 || send_all(fd, body, n) != 0)
        return 1;
    size_t got = receive(fd, answer, sizeof answer);
    (void)close(fd);
    char *array = strstr(answer, "\r\n\r\n");
    if (!array || strncmp(answer, "HTTP/1.1 200 ", 13) != 0) {
        (void)fprintf(stderr, "%s\n", answer);
        return 1;
    }
    array += 4;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_tensor *c = orr_load_bytes(array, got - (size_t)(array - answer), NULL);
    if (orr_print(stdout, c) != ORR_OK)
        return orr_error_print(stderr);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
