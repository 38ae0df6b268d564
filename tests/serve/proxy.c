/* orrery-serve behind nginx and HAProxy: messages that two parsers could read in two ways reach it as the requests that the proxy meant.
 * Must not know: how the service reads messages. */
#include "config.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

static server s;

#define POST "POST /v1/reduce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
#define HIDDEN "GET /v1/backends HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n"
#define CHUNKED "0\r\n\r\n" HIDDEN

/* Each has a second request in its body, or behind it, depending on the reader. The byte 1 is sent as 0. */
static const char *const messages[] = {
    POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" CHUNKED,
    POST "Transfer-Encoding: chunked\r\nContent-Length: 57\r\n\r\n" CHUNKED,
    POST "Content-Length: 0\r\nContent-Length: 52\r\n\r\n" HIDDEN,
    POST "Content-Length: 52\r\nContent-Length: 0\r\n\r\n" HIDDEN,
    POST "Content-Length: 0, 52\r\n\r\n" HIDDEN,
    POST "Content-Length: +0\r\n\r\n" HIDDEN,
    POST "Content-Length: 0x0\r\n\r\n" HIDDEN,
    POST "Content-Length : 0\r\n\r\n" HIDDEN,
    POST "Content-Length:\r\n 52\r\n\r\n" HIDDEN,
    POST "Content-Length: 52\r\nX: y\r\n Content-Length: 0\r\n\r\n" HIDDEN,
    POST "Content-Length: 57\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding: xchunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding : chunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding: chunked, identity\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding:\vchunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding: \"chunked\"\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nX: y\rTransfer-Encoding: chunked\r\n\r\n" CHUNKED,
    POST "Content-Length: 57\r\nTransfer-Encoding: chunked\1, identity\r\n\r\n" CHUNKED,
    POST "Transfer-Encoding: chunked\r\n\r\n0;x=y\r\n\r\n" HIDDEN,
    POST "Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n" HIDDEN,
    POST "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" HIDDEN,
    POST "Transfer-Encoding: chunked\r\n\r\n0\n\n" HIDDEN,
    POST "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 52\r\n\r\n" HIDDEN,
    POST "Transfer-Encoding: chunked\r\n\r\n100000000000000000\r\n\r\n" HIDDEN,
    "POST /v1/reduce HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 57\r\n\r\n" CHUNKED,
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 52\r\n\r\n" HIDDEN,
    "GET /healthz HTTP/1.1\nHost: localhost\n\n" HIDDEN,
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" HIDDEN,
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n" HIDDEN,
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n" HIDDEN,
    "GET /healthz?x=\r\n HTTP/1.1\r\nHost: localhost\r\n\r\n" HIDDEN,
};
enum { MESSAGES = sizeof messages / sizeof *messages };

/* -- proxies --------------------------------------------------------------------------------------------------------------- */

static const char nginx_conf[] =
    "daemon off;\nmaster_process off;\npid %1$s/pid;\nerror_log %1$s/error.log;\n"
    "events { worker_connections 64; }\nhttp {\n"
    "client_body_temp_path %1$s/body;\nproxy_temp_path %1$s/proxy;\nfastcgi_temp_path %1$s/fastcgi;\n"
    "uwsgi_temp_path %1$s/uwsgi;\nscgi_temp_path %1$s/scgi;\n"
    "log_format sent '$request_uri $upstream_status';\naccess_log %1$s/access.log sent;\n"
    "upstream back { server 127.0.0.1:%2$d; keepalive 2; }\n"
    "server { listen 127.0.0.1:%3$d; location / { proxy_pass http://back; proxy_http_version 1.1;\n"
    "proxy_set_header Connection \"\"; proxy_set_header Host localhost; } } }\n";
static const char haproxy_conf[] = "defaults\nmode http\ntimeout connect 5s\ntimeout client 5s\ntimeout server 5s\n"
                                   "log stdout format raw local0\nlog-format \"%%HPO %%s %%ST\"\nhttp-reuse always\n"
                                   "frontend front\nbind 127.0.0.1:%3$d\ndefault_backend back\n"
                                   "backend back\nserver service 127.0.0.1:%2$d\n# %1$s\n";

typedef struct proxy {
    const char *name, *conf, *command; /* of the shell; $D: its folder */
    const char *not_sent;              /* in a line of its log: the request was not forwarded */
} proxy;

static const proxy proxies[] = {
    { "nginx", nginx_conf, "exec nginx -p $D -c $D/conf -e $D/error.log >/dev/null 2>&1", " -\n" },
    { "haproxy", haproxy_conf, "exec haproxy -db -f $D/conf >$D/access.log 2>$D/error.log", " <NOSRV> " },
};

static int free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0;
    if (fd >= 0)
        (void)close(fd);
    return ok ? ntohs(at.sin_port) : 0;
}

/* Starts the proxy before the server `s`; *front: where it listens. False: it does not answer. */
static bool start_proxy(const proxy *p, const char *folder, server *front)
{
    char conf[4096], path[1100];
    *front = s;
    front->port = free_port();
    (void)snprintf(path, sizeof path, "mkdir -p '%.1000s'", folder);
    if (system(path) != 0)
        return false;
    (void)snprintf(conf, sizeof conf, p->conf, folder, s.port, front->port);
    (void)snprintf(path, sizeof path, "%s/conf", p->name);
    (void)write_file(path, conf, 0600);
    front->pid = fork();
    if (front->pid == 0) {
        (void)setenv("D", folder, 1);
        (void)execl("/bin/sh", "sh", "-c", p->command, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 200; i++) {
        answer a = get(front, "/healthz");
        bool ok = a.status == 200;
        answer_free(&a);
        if (ok)
            return true;
        pause_for(0.05);
    }
    return false;
}

static void stop_proxy(server *front)
{
    int status = 0;
    (void)kill(front->pid, SIGTERM);
    for (int i = 0; i < 100 && waitpid(front->pid, &status, WNOHANG) == 0; i++)
        pause_for(0.05);
    (void)kill(front->pid, SIGKILL);
}

/* -- counting ----------------------------------------------------------------------------------------------------------------- */

/* Lines of the text with `word`, but not with `without`. */
static int lines_with(const char *text, const char *word, const char *without)
{
    int n = 0;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *one = strndup(line, length + (line[length] == '\n'));
        n += one && strstr(one, word) && !(without && strstr(one, without));
        free(one);
        line += length + (line[length] == '\n');
    }
    return n;
}

/* Sends a message as it is and reads until the end or for a moment. */
static void send_raw(const server *to, const char *message)
{
    char sink[8192], bytes[1024];
    size_t n = strlen(message) < sizeof bytes ? strlen(message) : sizeof bytes;
    int fd = connect_to(to, 0.3);
    for (size_t i = 0; i < n; i++)
        bytes[i] = message[i] == 1 ? '\0' : message[i];
    if (fd >= 0 && send_all(fd, bytes, n))
        while (recv(fd, sink, sizeof sink, 0) > 0)
            ;
    if (fd >= 0)
        (void)close(fd);
}

static void behind(const proxy *p)
{
    char command[128], folder[1024], path[1100];
    server front;
    (void)snprintf(command, sizeof command, "PATH=$PATH:/usr/sbin:/sbin; command -v %s >/dev/null 2>&1", p->name);
    if (system(command) != 0) {
        orr_test_skip("%s is not installed", p->name);
        return;
    }
    NEED_SERVER("");
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp(p->name));
    bool started = start_proxy(p, folder, &front);
    (void)snprintf(path, sizeof path, "%.1000s/error.log", folder);
    char *errors = read_text(path);
    ORR_CHECK_MSG(started, "%s does not answer: %s", p->name, errors);
    free(errors);
    for (int i = 0; started && i < MESSAGES; i++) {
        send_raw(&front, messages[i]);
        for (int k = 0; k < 2; k++) { /* on the connections that the proxy keeps to the service */
            answer a = get(&front, "/healthz");
            ORR_CHECK_MSG(a.status == 200 && a.body && strstr(a.body, "\"ok\""), "after message %d: %d: %s", i,
                          a.status, a.body ? a.body : "");
            answer_free(&a);
        }
    }
    stop_proxy(&front);
    ORR_CHECK(server_stop(&s) == 0);
    (void)snprintf(path, sizeof path, "%.1000s/access.log", folder);
    char *sent = read_text(path), *seen = read_text(s.log);
    int all = lines_with(sent, "/", p->not_sent), hidden = lines_with(sent, "/v1/backends", p->not_sent);
    int all_seen = lines_with(seen, "\"route\"", NULL), hidden_seen = lines_with(seen, "\"/v1/backends\"", NULL);
    ORR_CHECK_MSG(all_seen <= all && all_seen >= 2 * MESSAGES, "%d of %d requests were seen", all_seen, all);
    ORR_CHECK_MSG(hidden_seen == hidden, "%d hidden requests were seen, and %d forwarded", hidden_seen, hidden);
    printf("    %s forwarded %d requests, %d of them hidden ones\n", p->name, all, hidden);
    free(sent);
    free(seen);
}

static void a_request_in_another_stays_in_it_behind_nginx(void)
{
    behind(&proxies[0]);
}

static void a_request_in_another_stays_in_it_behind_haproxy(void)
{
    behind(&proxies[1]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(a_request_in_another_stays_in_it_behind_nginx),
        ORR_TEST(a_request_in_another_stays_in_it_behind_haproxy),
        { 0 },
    };
    (void)setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", 1);
    return orr_test_main(argc, argv, "serve proxy", tests);
}
