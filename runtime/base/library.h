/* Libraries that are opened at their first use: functions by name. A process that does not use such a library does not load it, and it
 * takes no addresses.
 * Must not know: which libraries there are. */
#ifndef ORR_BASE_LIBRARY_H
#define ORR_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function or an object, and the pointer that receives its address. */
typedef struct {
    const char *name;
    void *pointer;
} orr__symbol;

/* The last field is private to the functions below. */
typedef struct {
    const char *file; /* the name of the shared object, as the loader searches for it */
    const orr__symbol *symbol;
    size_t symbols;
    struct {
        bool tried, there;
        void *handle;
        char why[200];
    } state;
} orr__library;

#define ORR__LIBRARY(file, symbol)                                                                                     \
    {                                                                                                                  \
        file, symbol, sizeof symbol / sizeof *symbol,                                                                  \
        {                                                                                                              \
            false, false, NULL, ""                                                                                     \
        }                                                                                                              \
    }

/* NULL: all symbols have their addresses. Otherwise the reason. The library stays open until the process ends, and a refusal is final.
 * Safe from any thread. */
const char *orr__library_open(orr__library *l);

/* A symbol of an opened library or of the libraries that it needs; if the program defines the symbol, the program's own. NULL: not
 * found. */
void *orr__library_find(const orr__library *l, const char *name);

#endif
