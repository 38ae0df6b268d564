/* Reads bearer tokens and compares them in constant time.
 * Must not know: HTTP. */
#include "config.h"
#include "serve/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A client. Its text is padded with zeros, so that a comparison reads all of it. */
typedef struct token {
    char name[SERVE_NAME_MOST + 1];
    unsigned char text[SERVE_TOKEN_MOST + 1];
} token;

struct serve_tokens {
    int n;
    token token[SERVE_TOKENS_MOST];
};

int serve_secret_open(const char *path, char *why, size_t size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        (void)snprintf(why, size, "%s: %s", path, errno == ELOOP ? "is a symbolic link" : strerror(errno));
        return -1;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        (void)snprintf(why, size, "%s: is no regular file", path);
    else if ((st.st_mode & 07777) != 0600)
        (void)snprintf(why, size, "%s: its mode is %04o and must be 0600: chmod 600 %s", path,
                       (unsigned)(st.st_mode & 07777), path);
    else if (st.st_uid != geteuid())
        (void)snprintf(why, size, "%s: belongs to user %u, and this is user %u", path, (unsigned)st.st_uid,
                       (unsigned)geteuid());
    else
        return fd;
    (void)close(fd);
    return -1;
}

/* Adds the token of a line. Returns the reason if the line is not "NAME TOKEN", empty or a comment, else NULL. */
static const char *add(serve_tokens *t, char *line)
{
    char *rest = NULL, *name = strtok_r(line, " \t\r\n", &rest), *text = strtok_r(NULL, " \t\r\n", &rest);
    if (!name || *name == '#')
        return NULL;
    if (!text || strtok_r(NULL, " \t\r\n", &rest))
        return "is not \"NAME TOKEN\"";
    if (strlen(name) > SERVE_NAME_MOST)
        return "has a name of more than 31 characters";
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-_.", *c)))
            return "has a name with characters other than letters, digits, \"-\", \"_\" and \".\"";
    if (strlen(text) < SERVE_TOKEN_LEAST || strlen(text) > SERVE_TOKEN_MOST)
        return "has a token of less than 16 or more than 255 characters";
    for (const char *c = text; *c; c++)
        if (*c < '!' || *c > '~')
            return "has a token with characters other than printable ASCII";
    if (t->n == SERVE_TOKENS_MOST)
        return "exceeds the limit of 256 tokens";
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->token[i].name, name) == 0 || strcmp((const char *)t->token[i].text, text) == 0)
            return "repeats a name or a token";
    token *to = &t->token[t->n++];
    memcpy(to->name, name, strlen(name));
    memcpy(to->text, text, strlen(text));
    return NULL;
}

serve_tokens *serve_tokens_load(const char *path, char *why, size_t size)
{
    char line[1024];
    int fd = serve_secret_open(path, why, size);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    serve_tokens *t = f ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        if (fd >= 0)
            (void)snprintf(why, size, "%s: no memory", path);
        if (f)
            (void)fclose(f);
        else if (fd >= 0)
            (void)close(fd);
        return NULL;
    }
    bool ok = true;
    for (int n = 1; ok && fgets(line, sizeof line, f); n++) {
        const char *wrong = strlen(line) == sizeof line - 1 ? "is too long" : add(t, line);
        ok = !wrong;
        if (wrong)
            (void)snprintf(why, size, "%s: line %d %s", path, n, wrong);
    }
    if (ok && (ferror(f) || t->n == 0)) {
        (void)snprintf(why, size, "%s: %s", path, ferror(f) ? "cannot be read" : "has no token");
        ok = false;
    }
    explicit_bzero(line, sizeof line);
    (void)fclose(f);
    if (ok)
        return t;
    serve_tokens_free(t);
    return NULL;
}

void serve_tokens_free(serve_tokens *t)
{
    if (t)
        explicit_bzero(t, sizeof *t);
    free(t);
}

/* 1 if all bytes are equal; no branch depends on them. */
static unsigned equal(const unsigned char *a, const unsigned char *b, size_t n)
{
    unsigned char difference = 0;
    for (size_t i = 0; i < n; i++)
        difference = (unsigned char)(difference | (a[i] ^ b[i]));
    return 1u & ((unsigned)(difference - 1) >> 8);
}

int serve_tokens_find(const serve_tokens *t, const char *given)
{
    unsigned char text[SERVE_TOKEN_MOST + 1] = { 0 };
    size_t n = strnlen(given, SERVE_TOKEN_MOST + 1);
    int found = -1;
    if (n > SERVE_TOKEN_MOST)
        return -1;
    memcpy(text, given, n);
    for (int i = 0; i < t->n; i++) {
        int is = -(int)equal(text, t->token[i].text, sizeof text); /* 0 or all bits set */
        found = (found & ~is) | (i & is);
    }
    explicit_bzero(text, sizeof text);
    return found;
}

int serve_tokens_count(const serve_tokens *t)
{
    return t ? t->n : 0;
}

const char *serve_tokens_name(const serve_tokens *t, int client)
{
    return t && client >= 0 && client < t->n ? t->token[client].name : "";
}
