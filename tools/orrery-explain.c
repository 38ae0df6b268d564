/* Prints the notes of saved traces, the largest gain first, as a compiler prints its own.
 * Must not know: how notes are made. */
#include "config.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/output.h"

static const char usage[] =
    "NAME\n"
    "  orrery-explain - the notes of a saved trace: the lines at which time can be won, the largest gain first\n"
    "SYNOPSIS\n"
    "  orrery-explain [--least SECONDS] FILE…\n"
    "OPTIONS\n"
    "  --least SECONDS   leaves out notes whose change would win less\n"
    "A FILE is a trace (ORRERY_TRACE=FILE program) or a table of notes (ORRERY_NOTES=FILE.tsv program). The notes of "
    "several files, as\n"
    "those of ranks (ORRERY_TRACE=trace.%p), are one list. Each is FILE:LINE: note: TEXT, which editors jump to.\n"
    "EXIT STATUS\n"
    "  0; 1: a file cannot be read, or has no notes; 2: wrong arguments.\n";

typedef struct {
    double won; /* seconds */
    int number; /* in the order of the files */
    char *text; /* the line to print */
} note;

typedef struct {
    note *of;
    int n, capacity;
} list;

static int fail(const char *what, const char *of)
{
    (void)fprintf(stderr, "orrery-explain: %s%s\n", what, of);
    return 1;
}

/* Takes over the text. */
static bool add(list *l, double won, char *text)
{
    if (text && l->n == l->capacity) {
        int capacity = l->capacity ? 2 * l->capacity : 64;
        note *of = realloc(l->of, (size_t)capacity * sizeof *of);
        l->of = of ? of : l->of;
        l->capacity = of ? capacity : l->capacity;
    }
    if (!text || l->n == l->capacity) {
        free(text);
        return false;
    }
    l->of[l->n] = (note){ won, l->n, text };
    l->n++;
    return true;
}

static char *joined(const char *place, const char *text)
{
    size_t size = strlen(place) + strlen(text) + 16;
    char *line = malloc(size);
    if (line)
        (void)snprintf(line, size, "%s: note: %s", place, text);
    return line;
}

/* Makes of the string of JSON from s on its text, in place: an escape is longer than its character. Returns the text's end; NULL: the string
 * has none. */
static char *unescape(char *s)
{
    char *to = s;
    for (; *s && *s != '"'; s++) {
        if (*s == '\\' && s[1] == 'u' && strnlen(s, 6) == 6) {
            char digits[5] = { s[2], s[3], s[4], s[5], 0 };
            *to++ = (char)strtoul(digits, NULL, 16); /* below 0x20: other characters stand for themselves */
            s += 5;
        } else if (*s == '\\' && s[1]) {
            s++;
            *to++ = (char)(*s == 'n' ? '\n' : *s == 't' ? '\t' : *s);
        } else {
            *to++ = *s;
        }
    }
    bool ended = *s == '"';
    *to = '\0';
    return ended ? s : NULL;
}

/* The value of a name in a line of the trace; NULL: there is none. */
static char *value_of(char *line, const char *name)
{
    char *at = strstr(line, name);
    return at ? at + strlen(name) : NULL;
}

/* An event of a trace, which stands on a line of its own. The text comes last, since its end is overwritten. */
static bool take_event(list *l, char *line)
{
    char *args = strstr(line, "\"name\":\"note\"");
    char *won = args ? value_of(args, "\"won_us\":") : NULL, *text = won ? value_of(won, "\"text\":\"") : NULL;
    char *place = args ? value_of(args, "\"at\":\"") : NULL;
    double seconds = won ? 1e-6 * strtod(won, NULL) : 0;
    bool whole = text && place && unescape(text) && unescape(place);
    return whole && add(l, seconds, joined(place, text));
}

/* note TAB file TAB line TAB seconds TAB text */
static bool take_row(list *l, char *line)
{
    char *field[5], place[1200];
    for (int k = 0; k < 5; k++)
        if (!(field[k] = strsep(&line, k < 4 ? "\t" : "\n")))
            return false;
    (void)snprintf(place, sizeof place, "%s:%s", field[1], field[2]);
    return add(l, strtod(field[3], NULL), joined(place, field[4]));
}

static int read_file(list *l, const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int before = l->n;
    bool ok = true;
    if (!f)
        return fail("cannot read ", path);
    while (ok && getline(&line, &size, f) > 0)
        if (strncmp(line, "{\"ph\":\"i\"", 9) == 0)
            ok = take_event(l, line);
        else if (strncmp(line, "note\t", 5) == 0)
            ok = take_row(l, line);
    bool bad = ferror(f) != 0;
    (void)fclose(f);
    free(line);
    if (bad || !ok)
        return fail(bad ? "cannot read " : "a note is damaged, or there is no memory: ", path);
    return l->n > before
               ? 0
               : fail("no notes; write a trace by ORRERY_TRACE=FILE, and let the program end by orr_shutdown or exit: ",
                      path);
}

static int by_gain(const void *x, const void *y)
{
    const note *a = x, *b = y;
    return a->won != b->won ? (a->won < b->won) - (a->won > b->won) : a->number - b->number;
}

int main(int argc, char **argv)
{
    list l = { .n = 0 };
    double least = 0;
    int rc = 0, i = 1;
    char *end = NULL;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, stdout);
        return output_end("orrery-explain", 0);
    }
    if (argc > 2 && strcmp(argv[1], "--least") == 0) {
        least = strtod(argv[2], &end);
        i = 3;
    }
    if (i >= argc || argv[i][0] == '-' || (end && (end == argv[2] || *end))) {
        (void)fputs(usage, stderr);
        return 2;
    }
    for (; i < argc; i++)
        rc = read_file(&l, argv[i]) || rc;
    if (l.n > 0)
        qsort(l.of, (size_t)l.n, sizeof *l.of, by_gain);
    for (int k = 0; k < l.n; k++) {
        if (l.of[k].won >= least)
            (void)puts(l.of[k].text);
        free(l.of[k].text);
    }
    free(l.of);
    return output_end("orrery-explain", rc);
}
