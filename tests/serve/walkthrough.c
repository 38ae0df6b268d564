/* docs/serve.md: every command in it is run in order, and prints the output that the page shows.
 * Must not know: how the service is made. */
#include "config.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

enum { BLOCKS = 64 };

/* A block of commands, and the following block with their output, if there is one. */
typedef struct block {
    char *commands, *output;
} block;

static char *page(void)
{
    return read_text(orr_test_golden("../../docs/serve.md"));
}

/* The text of the fenced block that begins at `at`, after its first line; *end: after the block. */
static char *fenced(const char *at, const char **end)
{
    const char *from = strchr(at, '\n') + 1, *to = strstr(from, "\n```");
    *end = to ? to + 5 : from + strlen(from);
    return to ? strndup(from, (size_t)(to + 1 - from)) : strdup("");
}

static int blocks(const char *text, block *b)
{
    int n = 0;
    for (const char *at = text; n < BLOCKS && (at = strstr(at, "\n```sh\n")); n++) {
        const char *end;
        b[n].commands = fenced(at + 1, &end);
        b[n].output = NULL;
        if (strncmp(end, "```json\n", 8) == 0 || strncmp(end, "```text\n", 8) == 0)
            b[n].output = fenced(end, &end);
        at = end - 1;
    }
    return n;
}

/* A port that was free a moment ago. */
static int free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0), port = 0;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &n) == 0)
        port = ntohs(at.sin_port);
    if (fd >= 0)
        (void)close(fd);
    return port;
}

/* Writes the commands with that port instead of the page's 8080. */
static void put_commands(FILE *f, const char *text, int port)
{
    for (const char *at; (at = strstr(text, "8080")); text = at + 4)
        (void)fprintf(f, "%.*s%d", (int)(at - text), text, port);
    (void)fputs(text, f);
}

/* Runs the page's program. */
static void save_average(const char *folder)
{
    char path[1200];
    ORR_CHECK(mkdir(folder, 0700) == 0);
    (void)snprintf(path, sizeof path, "%.1000s/average.npz", folder);
    ORR_CHECK(orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK);
    orr_module *m = orr_dense_with(ORR_F32, 2, 1, ORR_ACTIVATION_RELU, ORR_INITIALISER_CONSTANT(0.5),
                                   ORR_INITIALISER_CONSTANT(1.0));
    ORR_CHECK(orr_module_save(m, path) == ORR_OK);
    orr_module_free(m);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void every_command_does_what_the_page_says(void)
{
    block b[BLOCKS];
    char command[4096], name[64], folder[1024], script[1024];
    if (!have_server())
        return;
    if (system("command -v curl >/dev/null 2>&1 && command -v bash >/dev/null 2>&1") != 0)
        ORR_SKIP("no curl or no bash");
    char *text = page();
    int n = blocks(text, b), port = free_port(), outputs = 0;
    ORR_CHECK_MSG(n >= 12 && n < BLOCKS && port > 0, "%d blocks", n);
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp("walk"));
    ORR_CHECK(mkdir(folder, 0700) == 0);
    (void)snprintf(command, sizeof command, "%.1000s/models", folder);
    save_average(command);
    (void)snprintf(script, sizeof script, "%s", orr_test_tmp("walk.sh"));
    FILE *f = fopen(script, "we");
    ORR_REQUIRE(f != NULL);
    (void)fprintf(f, "set -e -o pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\ncd '%s'\n", folder);
    for (int i = 0; i < n; i++) { /* the output of each goes to a file of its own */
        (void)fprintf(f, "exec > '%s/out-%d'\n", folder, i);
        put_commands(f, b[i].commands, port);
    }
    ORR_CHECK(fclose(f) == 0);
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(command, sizeof command,
                   "PATH='%.1000s/serve':\"$PATH\" timeout 120 bash '%.1000s' 2> '%.1000s/errors'", build ? build : ".",
                   script, folder);
    int rc = system(command);
    (void)snprintf(command, sizeof command, "%.1000s/errors", folder);
    char *errors = read_text(command);
    ORR_CHECK_MSG(rc == 0, "exit status %d, and the end of standard error:\n%.900s", rc,
                  strlen(errors) > 900 ? errors + strlen(errors) - 900 : errors);
    free(errors);
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "walk/out-%d", i);
        char *got = read_text(orr_test_tmp(name));
        if (i == 0 || (b[i].output && strstr(b[i].commands, "orrery-serve "))) { /* and the line with the address */
            char *line = strstr(got, "orrery-serve: http"), *end = line ? strchr(line, '\n') : NULL;
            if (end)
                memmove(line, end + 1, strlen(end + 1) + 1);
        }
        if (b[i].output)
            ORR_CHECK_MSG(strcmp(got, b[i].output) == 0, "%s\nprints\n%s\nand not\n%s", b[i].commands, got,
                          b[i].output);
        outputs += b[i].output != NULL;
        free(got);
        free(b[i].commands);
        free(b[i].output);
    }
    ORR_CHECK(outputs >= 8);
    free(text);
}

static void every_option_is_on_the_page(void)
{
    char *text = page();
    int n = 0;
    if (!have_server())
        return;
    ORR_CHECK(server_fails("--help") == 0);
    for (const char *at = server_output(); (at = strstr(at, "\n  --")); at++) {
        char option[64], argument[32], mark[128], row[80];
        if (sscanf(at, "\n  %63[a-z-] %31[A-Z]", option, argument) != 2)
            continue;
        (void)snprintf(mark, sizeof mark, "`%s %s`", option, argument);
        const char *is = strstr(text, mark), *line = strchr(at + 1, '\n'), *open = at;
        ORR_CHECK_MSG(is, "%s is not on the page", option);
        for (const char *p; (p = strstr(open + 1, " (")) && p < line; open = p)
            ;
        /* its default, which --help has in parentheses at the end of the line */
        if (is && open > at && line[-1] == ')') {
            (void)snprintf(row, sizeof row, "| %.*s |", (int)(line - open - 3), open + 2);
            const char *end = strchr(is, '\n'), *has = strstr(is, row);
            ORR_CHECK_MSG(has && has < end, "%s: the default is %s", option, row);
        }
        n++;
    }
    ORR_CHECK_MSG(n >= 24, "%d options", n);
    free(text);
}

static void the_example_prints_the_product(void)
{
    server s;
    char command[2048], got[1024] = "";
    if (!have_server())
        return;
    ORR_CHECK(server_start(&s, ""));
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(command, sizeof command, "cd '%.1000s' && timeout 60 examples/serve_client 127.0.0.1 %d 2>&1",
                   build ? build : ".", s.port);
    FILE *f = popen(command, "r");
    size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
    got[n] = '\0';
    ORR_CHECK(f && pclose(f) == 0);
    ORR_CHECK_MSG(strstr(got, "(3, 3)") && strstr(got, "27"), "%s", got);
    ORR_CHECK(server_stop(&s) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_command_does_what_the_page_says),
                                      ORR_TEST(every_option_is_on_the_page),
                                      ORR_TEST(the_example_prints_the_product),
                                      { 0 } };
    return orr_test_main(argc, argv, "serve-walkthrough", tests);
}
