/* Reads the command line by its table.
 * Must not know: what an option is used for. */
#include "config.h"
#include "serve/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <orrery.h>

enum kind { TEXT, COUNT, BYTES, SECONDS };

typedef struct option {
    const char *name;
    enum kind kind;
    size_t at;
    const char *value; /* the default; NULL: none */
    double least, most;
    const char *argument, *what;
} option;

#define AT(member) offsetof(serve_options, member)

static const option options[] = {
    { "--listen", TEXT, AT(listen), "127.0.0.1", 0, 0, "ADDRESS",
      "numeric address; one other than loopback needs --tokens" },
    { "--port", COUNT, AT(port), "8080", 0, 65535, "N", "0: any that is free; the first line printed says which" },
    { "--tokens", TEXT, AT(tokens), NULL, 0, 0, "FILE", "bearer tokens, lines \"NAME TOKEN\"; mode 0600" },
    { "--models", TEXT, AT(models), NULL, 0, 0, "FOLDER", "model files, NAME.json beside their weights" },
    { "--tls-certificate", TEXT, AT(certificate), NULL, 0, 0, "FILE", "PEM; with --tls-key: HTTPS instead of HTTP" },
    { "--tls-key", TEXT, AT(key), NULL, 0, 0, "FILE", "PEM; mode 0600" },
    { "--log", TEXT, AT(log), NULL, 0, 0, "FILE", "JSON lines are appended to it; standard error without it" },
    { "--log-level", TEXT, AT(log_level), "requests", 0, 0, "LEVEL", "requests, events or errors" },
    { "--workers", COUNT, AT(workers), "0", 0, 256, "N", "threads that evaluate; 0: as many as cores" },
    { "--max-body", BYTES, AT(max_body), "64M", 1024, 0x1p40, "BYTES", "of a request" },
    { "--max-json", BYTES, AT(max_json), "8M", 1024, 0x1p30, "BYTES", "of a request or result in JSON" },
    { "--max-result", BYTES, AT(max_result), "64M", 64, 0x1p40, "BYTES", "of the elements of a result" },
    { "--max-memory", BYTES, AT(max_memory), "1G", 65536, 0x1p44, "BYTES",
      "of all bodies that are held and arrays that are kept" },
    { "--max-rank", COUNT, AT(max_rank), "8", 0, ORR_MAX_RANK, "N", "of operands and results" },
    { "--max-work", COUNT, AT(max_work), "256", 1, 65536, "N", "requests that wait or are computed" },
    { "--max-connections", COUNT, AT(max_connections), "512", 1, 65536, "N", "at a time" },
    { "--timeout", SECONDS, AT(timeout), "30", 0.01, 86400, "S", "from a request's arrival to its result" },
    { "--read-timeout", SECONDS, AT(read_timeout), "30", 0.1, 86400, "S",
      "to receive a request, from the connection's start or the answer before" },
    { "--write-timeout", SECONDS, AT(write_timeout), "60", 0.1, 86400, "S", "to send an answer" },
    { "--drain", SECONDS, AT(drain), "30", 0, 86400, "S", "for requests under way, after SIGTERM" },
    { "--batch", COUNT, AT(batch), "32", 1, 1024, "N", "equal small requests in one evaluation; 1: none" },
    { "--batch-bytes", BYTES, AT(batch_bytes), "64K", 0, 0x1p24, "BYTES", "of the operands of a small request" },
    { "--batch-window", COUNT, AT(batch_window), "200", 0, 1000000, "US",
      "microseconds that a small request waits for others" },
    { "--max-arrays", COUNT, AT(max_arrays), "256", 0, 4096, "N", "that a client keeps by name" },
    { "--array-bytes", BYTES, AT(array_bytes), "256M", 0, 0x1p44, "BYTES",
      "of a client's arrays; those of all clients have half of --max-memory" },
    { "--array-keep", SECONDS, AT(array_keep), "3600", 0.1, 1e7, "S", "after its last use an array is forgotten" },
    { "--max-jobs", COUNT, AT(max_jobs), "64", 1, 65536, "N", "jobs that are kept, in whatever state" },
    { "--job-bytes", BYTES, AT(job_bytes), "256M", 1024, 0x1p44, "BYTES", "of all results of jobs that are kept" },
    { "--jobs-dir", TEXT, AT(jobs_dir), NULL, 0, 0, "FOLDER",
      "jobs and their results are kept in it, through restarts; mode 0700" },
    { "--job-timeout", SECONDS, AT(job_timeout), "3600", 0.01, 1e7, "S", "from a job's arrival to its result" },
    { "--job-keep", SECONDS, AT(job_keep), "600", 0.1, 1e7, "S", "after its end a job is forgotten" },
};
enum { OPTIONS = sizeof options / sizeof *options };

void serve_options_usage(FILE *to)
{
    (void)fputs("usage: orrery-serve [OPTION VALUE]…\n"
                "An HTTP service over Orrery; http://127.0.0.1:8080/docs describes it while it runs.\n\n",
                to);
    for (int i = 0; i < OPTIONS; i++) {
        char head[64];
        (void)snprintf(head, sizeof head, "%s %s", options[i].name, options[i].argument);
        (void)fprintf(to, "  %-26s %s%s%s%s\n", head, options[i].what, options[i].value ? " (" : "",
                      options[i].value ? options[i].value : "", options[i].value ? ")" : "");
    }
    (void)fputs("  --help, --version\n", to);
}

/* The factor of a size's unit: K, M, G or T in either case, perhaps with B or iB, as in Orrery's variables. NaN: no unit. */
static double unit(const char *text)
{
    static const char units[] = "KMGT";
    const char *p = *text ? strchr(units, toupper((unsigned char)*text)) : NULL;
    bool known = p && (!text[1] || strcasecmp(text + 1, "B") == 0 || strcasecmp(text + 1, "iB") == 0);
    return known ? ldexp(1, 10 * (int)(p - units + 1)) : NAN;
}

/* A number; for bytes, a unit may follow it. NaN: no valid number. */
static double number(const option *o, const char *text)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || errno == ERANGE)
        return NAN;
    if (o->kind == BYTES && *end) {
        v *= unit(end);
        end += strlen(end);
    }
    if (*end || (o->kind != SECONDS && v != floor(v)))
        return NAN;
    return v;
}

static bool set(serve_options *to, const option *o, const char *text)
{
    char *member = (char *)to + o->at;
    if (o->kind == TEXT) {
        memcpy(member, &text, sizeof text);
        return true;
    }
    double v = number(o, text);
    if (!(v >= o->least && v <= o->most))
        return false;
    int64_t n = (int64_t)v;
    if (o->kind == SECONDS)
        memcpy(member, &v, sizeof v);
    else
        memcpy(member, &n, sizeof n);
    return true;
}

static const option *find(const char *name)
{
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    return NULL;
}

/* Reports a value that is missing (NULL) or not a number of the option's range. Returns the exit status. */
static int refuse(const option *o, const char *text)
{
    static const char *const noun[] = {
        [COUNT] = "an integer", [BYTES] = "a number of bytes", [SECONDS] = "a number of seconds"
    };
    if (!text)
        (void)fprintf(stderr, "orrery-serve: %s %s: a value is missing\n", o->name, o->argument);
    else
        (void)fprintf(stderr, "orrery-serve: %s: \"%s\" is not %s from %.15g to %.15g%s\n", o->name, text,
                      noun[o->kind], o->least, o->most, o->kind == BYTES ? " (K, M or G may follow)" : "");
    return 2;
}

int serve_options_read(serve_options *o, int argc, char **argv)
{
    memset(o, 0, sizeof *o);
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].value)
            (void)set(o, &options[i], options[i].value);
    for (int i = 1; i < argc; i += 2) {
        const option *known = find(argv[i]);
        if (strcmp(argv[i], "--help") == 0) {
            serve_options_usage(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("orrery-serve %s\n", orr_version());
            return 0;
        }
        if (!known) {
            (void)fprintf(stderr, "orrery-serve: there is no option '%s'\n", argv[i]);
            serve_options_usage(stderr);
            return 2;
        }
        if (i + 1 == argc || !set(o, known, argv[i + 1]))
            return refuse(known, argv[i + 1]); /* argv ends with NULL */
    }
    if (strcmp(o->log_level, "requests") != 0 && strcmp(o->log_level, "events") != 0 &&
        strcmp(o->log_level, "errors") != 0) {
        (void)fputs("orrery-serve: --log-level is requests, events or errors\n", stderr);
        return 2;
    }
    if (!o->certificate != !o->key) {
        (void)fputs("orrery-serve: --tls-certificate and --tls-key go together\n", stderr);
        return 2;
    }
    return -1;
}
