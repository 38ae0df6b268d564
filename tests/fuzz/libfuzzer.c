/* The entry points of libFuzzer (clang -fsanitize=fuzzer). ORR_FUZZ names the target; with -seeds=DIR first, the program writes the target's
 * seeds there and ends. tests/fuzz/run starts it.
 * Must not know: what the targets read. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const fuzz_target *target;

static bool write_seed(const unsigned char *data, size_t size, int i, void *user)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/seed-%d", (const char *)user, i);
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, size, f) == size;
    return f && fclose(f) == 0 && ok;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("ORR_FUZZ"), *seeds = getenv("ORR_FUZZ_SEEDS");
    (void)argc;
    (void)argv;
    for (target = fuzz_targets; target->name && (!name || strcmp(target->name, name) != 0);)
        target++;
    if (!target->name) {
        (void)fprintf(stderr, "ORR_FUZZ names a target:");
        for (target = fuzz_targets; target->name; target++)
            (void)fprintf(stderr, " %s", target->name);
        (void)fprintf(stderr, "\n");
        exit(2);
    }
    if (!fuzz_begin())
        exit(1);
    if (seeds)
        exit(fuzz_seeds(target, write_seed, (void *)(uintptr_t)seeds) > 0 ? 0 : 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    target->run(data, size);
    return 0;
}
