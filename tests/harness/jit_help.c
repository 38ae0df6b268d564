/* For tests of the JIT: settings, kernel sources, lines of stderr.
 * Must not know: what is tested. */
#include "config.h"

#include "tests/harness/jit_help.h"

void jh_patience(double work, double rest)
{
    orr__compile_limit = (orr__patience){ work, rest };
}

void jh_settings(const char *dir)
{
    orr__env.jit = ORR__JIT_WAIT;
    orr__env.deterministic = false;
    orr__env.cc[0] = orr__env.cache_site[0] = '\0';
    orr__env.cache_size = (size_t)256 << 20;
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", dir);
    jh_patience(60, 600); /* a loaded machine must not cause failures */
    orr__retry_pause = 1.0;
}

/* A directory of this program, which is removed with its content at the end. */
static char jh_base[600];

static int jh_remove(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    (void)remove(path);
    return 0;
}

bool jh_begin(void)
{
    (void)umask(022);
    (void)snprintf(jh_base, sizeof jh_base, "/tmp/orr-jit-XXXXXX");
    return mkdtemp(jh_base) != NULL;
}

int jh_end(int rc)
{
    (void)nftw(jh_base, jh_remove, 16, FTW_DEPTH | FTW_PHYS);
    return rc;
}

const char *jh_place(const char *name)
{
    static char path[4][1000];
    static int turn;
    char *p = path[turn++ & 3];
    (void)snprintf(p, sizeof path[0], "%s/%s", jh_base, name);
    return p;
}

char *jh_text(int factor)
{
    char *s = malloc(256);
    if (s)
        (void)snprintf(s, 256,
                       "int orr_kernel(void *const *in, void *const *out, const long *word)\n"
                       "{ (void)in; *(long *)out[0] = word[0] * %d; return 0; }\n",
                       factor);
    return s;
}

orr__jit *jh_ask(int factor)
{
    orr__jit *j = orr__jit_new((unsigned)factor, "test");
    if (j) {
        orr__jit_ask(j, jh_text(factor));
        orr__jit_wait(j);
    }
    return j;
}

bool jh_insist(orr__jit *j, int factor)
{
    for (int i = 0; i < 3000 && atomic_load(&j->state) < ORR__JIT_READY; i++) {
        if (orr__jit_hot(j))
            orr__jit_ask(j, jh_text(factor));
        orr__jit_wait(j);
        (void)usleep(10000);
    }
    return atomic_load(&j->state) == ORR__JIT_READY;
}

long jh_run(orr__jit *j, long x)
{
    long y = -1;
    int64_t word[1] = { x };
    orr__jit_fn *f = atomic_load(&j->fn);
    return f && f(NULL, (void *[]){ &y }, word) == 0 ? y : -1;
}

void jh_write(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    ORR_CHECK(fd >= 0 && orr__write_all(fd, text, strlen(text)));
    if (fd >= 0)
        close(fd);
    ORR_CHECK(chmod(path, mode) == 0);
}

/* Redirects stderr to a file; jh_lines restores it and counts the lines that contain `word`. */
static int jh_saved = -1;

static char jh_log[1200];

void jh_listen(void)
{
    (void)snprintf(jh_log, sizeof jh_log, "%s", jh_place("stderr"));
    (void)fflush(stderr);
    jh_saved = fcntl(2, F_DUPFD_CLOEXEC, 10);
    int fd = open(jh_log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)dup2(fd, 2);
        close(fd);
    }
}

int jh_lines(const char *word, int *all)
{
    char line[1200];
    int n = 0;
    *all = 0;
    (void)fflush(stderr);
    (void)dup2(jh_saved, 2);
    close(jh_saved);
    FILE *f = fopen(jh_log, "re");
    while (f && fgets(line, sizeof line, f)) {
        ++*all;
        n += strstr(line, word) != NULL;
        printf("    said: %s", line);
    }
    if (f)
        (void)fclose(f);
    return n;
}
