/* The command line of orrery-serve: names, defaults and ranges in one table.
 * Must not know: what an option is used for. */
#ifndef ORR_SERVE_OPTIONS_H
#define ORR_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes and counts are int64_t, times are seconds; NULL: not given. */
typedef struct serve_options {
    const char *listen, *tokens, *models, *certificate, *key, *log, *log_level, *jobs_dir;
    int64_t port, workers;
    int64_t max_body, max_json, max_result, max_memory; /* bytes */
    int64_t max_rank, max_work, max_connections;
    double timeout, read_timeout, write_timeout, drain;
    int64_t batch, batch_bytes, batch_window; /* the window in microseconds */
    int64_t max_arrays, array_bytes;
    double array_keep;
    int64_t max_jobs, job_bytes;
    double job_timeout, job_keep;
} serve_options;

/* Fills *o. Returns -1 to go on, else the exit status (after --help, --version, or an error that has been reported). */
int serve_options_read(serve_options *o, int argc, char **argv);
void serve_options_usage(FILE *to);

#endif
