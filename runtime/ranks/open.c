/* Detects a start as one of several processes, and opens the module of MPI, found beside the library.
 * Must not know: MPI's types. */
#include "config.h"
#include "runtime/ranks/transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *module;

static bool above_one(const char *name)
{
    const char *value = getenv(name);
    return value && strtol(value, NULL, 10) > 1;
}

/* Open MPI, the PMI of MPICH and its relatives, and a step of Slurm export the number of processes that they started. */
static bool launcher_says_several(void)
{
    return above_one("OMPI_COMM_WORLD_SIZE") || above_one("PMI_SIZE") || above_one("MPI_LOCALNRANKS") ||
           above_one("SLURM_STEP_NUM_TASKS");
}

/* The symbol exists only if the program, or one of its libraries, is linked with MPI. */
static bool program_runs_mpi(void)
{
    int (*initialized)(int *) = NULL;
    void *p = dlsym(RTLD_DEFAULT, "MPI_Initialized");
    int yes = 0;
    memcpy(&initialized, &p, sizeof p);
    return initialized && initialized(&yes) == 0 && yes;
}

bool orr__ranks_launched(void)
{
    return launcher_says_several() || program_runs_mpi();
}

/* The search order: beside the library (build folder), in the folder below it (installation), the folder that configure set, the
 * loader's own search path, which tests with static rooms use (LD_LIBRARY_PATH). RTLD_GLOBAL: MPI's own plug-ins look for its symbols
 * there. */
static void *open_module(char *why, size_t size)
{
    static const char name[] = "orrery-mpi.so";
    char path[4][4096] = { "", "", "", "" };
    Dl_info self;
    const char *slash = dladdr((void *)&module, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (slash) {
        int n = (int)(slash - self.dli_fname);
        (void)snprintf(path[0], sizeof path[0], "%.*s/%s", n, self.dli_fname, name);
        (void)snprintf(path[1], sizeof path[1], "%.*s/orrery/%s", n, self.dli_fname, name);
    }
    (void)snprintf(path[2], sizeof path[2], "%s/%s", ORR_MODULE_DIR, name);
    (void)snprintf(path[3], sizeof path[3], "%s", name);
    void *handle = NULL;
    for (int i = 0; i < 4 && !handle; i++)
        if (*path[i] && !(handle = dlopen(path[i], RTLD_NOW | RTLD_GLOBAL))) {
            const char *error = dlerror();
            bool absent = error && !strncmp(error, path[i], strlen(path[i])) && strstr(error, "No such file");
            /* The error of a file that exists and does not load tells more than that of a missing file. */
            if (!*why || !absent)
                (void)snprintf(why, size, "%s", error ? error : name);
        }
    return handle;
}

const orr__transport *orr__transport_open(char *why, size_t size)
{
    *why = '\0';
    if (!module)
        module = open_module(why, size);
    const orr__transport *t = module ? dlsym(module, ORR__TRANSPORT_SYMBOL) : NULL;
    if (t && t->version != ORR__TRANSPORT_VERSION) {
        (void)snprintf(why, size, "the module of MPI is of another version of the library");
        t = NULL;
    }
    return t;
}

void *orr__transport_symbol(const char *name)
{
    return module ? dlsym(module, name) : NULL;
}
