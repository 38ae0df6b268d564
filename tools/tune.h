/* Shared by the files of orrery-tune: the settings to try, and their results.
 * Must not know: the library; a program and its environment are all there is. */
#ifndef ORR_TOOLS_TUNE_H
#define ORR_TOOLS_TUNE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

enum { TUNE_SCHED, TUNE_WORKERS, TUNE_TILES, TUNE_KNOWN, TUNE_VARS = 8, TUNE_RUNS = 64, TUNE_WORDS = 32 };

/* A variable of the environment and the values to try; without values it is not changed. */
typedef struct {
    char name[48], word[TUNE_WORDS][24];
    int n;
} tune_variable;

/* One point of the grid. value[i] "" leaves variable i as it is. */
typedef struct {
    char value[TUNE_VARS][24];
    double time[TUNE_RUNS]; /* seconds, or the number of --metric */
    int runs;
    double median, spread; /* spread: median distance from the median */
    bool out;              /* beaten, or failed */
    char why[120];         /* it failed         */
} tune_point;

typedef struct {
    char *const *program;         /* argument vector, NULL at its end                           */
    const char *metric;           /* NULL: wall-clock time                                      */
    const char *prefix;           /* of the files that are written                              */
    double limit;                 /* seconds for one run                                        */
    bool show;                    /* the program's own output                                   */
    tune_variable var[TUNE_VARS]; /* the first three: STARPU_SCHED, STARPU_NCPU, ORRERY_TILE_US */
} tune_options;

extern volatile sig_atomic_t tune_stop; /* set by a signal: the race ends now */
/* Runs the program once with a point's settings. On false it failed, and the point has the reason (none after
 * tune_stop). */
bool tune_run(const tune_options *o, tune_point *p);
/* Computes the median and the spread again. */
void tune_judge(tune_point *p);
/* The name of a point: "lws, workers 2, tiles 200 us, ORRERY_FUSE off"; "as it is" for the first. */
void tune_name(const tune_options *o, const tune_point *p, char *to, size_t size);

/* Races n points. The first never leaves; of the others about `least` remain at the end, each with `runs` runs.
 * False: tune_stop, or no memory. tune_sort orders the points, the best first. */
bool tune_race(const tune_options *o, tune_point *p, int n, int least, int runs);
void tune_sort(const tune_point *p, int n, int *order);

/* order[0…n): points, the best first. Point 0 is the environment as it is. */
void tune_table(FILE *to, const tune_options *o, const tune_point *p, const int *order, int n);
bool tune_chart(const char *path, const tune_options *o, const tune_point *p, const int *order, int n);
bool tune_env(const char *path, const tune_options *o, const tune_point *p, int best);
/* True if a is faster than b by more than the spread of both. */
bool tune_beats(const tune_point *a, const tune_point *b);

#endif
