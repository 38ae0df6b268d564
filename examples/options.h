/* Options of a command line, in pairs of a name and a value: shared by the examples with more than one option.
 * Must not know: an example. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option {
    const char *name; /* NULL ends a table */
    /* the destination of the value: one of these is not NULL */
    int64_t *whole;
    double *real;
    const char **text;
    double least, most; /* of a number */
} option;

/* Sets the value of one option. 0: the table has no such name, or the value is outside its range. */
static inline int set_option(const option *table, const char *name, const char *value)
{
    const option *o = table;
    while (o->name && strcmp(o->name, name) != 0)
        o++;
    if (!o->name)
        return 0;
    if (o->text) {
        *o->text = value;
        return 1;
    }
    char *end = NULL;
    double x = strtod(value, &end);
    if (end == value || *end || !(x >= o->least && x <= o->most) || (o->whole && floor(x) != x))
        return 0;
    if (o->whole)
        *o->whole = (int64_t)x;
    else
        *o->real = x;
    return 1;
}

/* Reads the command line. Returns the exit status of a program that has printed its usage, or -1 to go on. */
static inline int read_options(int argc, char **argv, const char *usage, const option *table)
{
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) < 0;
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !set_option(table, argv[i], argv[i + 1]))
            return fputs(usage, stderr), 2;
    return -1;
}

#endif
