/* Lists the seeds of a target.
 * Must not know: what a target reads. */
#include "config.h"
#include "tests/fuzz/seeds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

typedef struct {
    bool (*take)(const unsigned char *data, size_t size, int i, void *user);
    void *user;
    int seen, taken;
} list;

static void pass(list *l, unsigned char *data, size_t size)
{
    if (data)
        l->taken += l->take(data, size, l->seen++, l->user);
    free(data);
}

static void pass_file(list *l, const char *name)
{
    size_t size = 0;
    unsigned char *data = orr_test_slurp(orr_test_golden(name), &size);
    pass(l, data, size);
}

/* Former failures: files "TARGET.N". */
static void pass_failures(list *l, const char *target)
{
    size_t n = strlen(target);
    DIR *d = opendir(orr_test_golden("fuzz"));
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, target, n) == 0 && e->d_name[n] == '.') {
            char name[300];
            (void)snprintf(name, sizeof name, "fuzz/%s", e->d_name);
            pass_file(l, name);
        }
    if (d)
        (void)closedir(d);
}

int fuzz_seeds(const fuzz_target *t, bool (*take)(const unsigned char *data, size_t size, int i, void *user),
               void *user)
{
    list l = { take, user, 0, 0 };
    for (int i = 0; i < 8 && t->golden[i]; i++)
        pass_file(&l, t->golden[i]);
    for (int i = 0; t->make; i++) {
        size_t size = 0;
        unsigned char *data = t->make(i, &size);
        if (!data)
            break;
        pass(&l, data, size);
    }
    pass_failures(&l, t->name);
    return l.taken;
}
