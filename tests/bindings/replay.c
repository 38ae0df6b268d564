/* Replays a file of calls (tests/python/recorder.py) through the functions of C: equal bits.
 * Must not know: any function; CALLS, made by replay.py, has those that the file names. */
#include <orrery.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, SLOTS = 4096 };
static char *text, *at; /* the file, and the next word */
static orr_tensor *slots[SLOTS];
static int next, failures;
static long checked;

static void fail(const char *what)
{
    if (failures++ < 20)
        printf("FAIL: %s\n", what);
}

static const char *read_text(void)
{
    char *word = at;
    at += strcspn(at, " \n");
    if (*at)
        *at++ = '\0';
    return word;
}

static long long read_whole(void)
{
    return strtoll(read_text(), NULL, 10);
}

static int read_count(void)
{
    return (int)read_whole();
}

static double read_real(void)
{
    int64_t bits = read_whole();
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static orr_tensor *read_tensor(void)
{
    long long k = read_whole();
    return k >= 0 && k < SLOTS ? slots[k] : NULL;
}

static orr_shape read_shape(void)
{
    orr_shape s = { read_count(), { 0 } };
    for (int k = 0; k < s.rank; k++)
        s.dim[k] = read_whole();
    return s;
}

static orr_axes read_axes(void)
{
    orr_axes a = { read_count(), { 0 } };
    for (int k = 0; k < a.n; k++)
        a.axis[k] = (int)read_whole();
    return a;
}

static orr_index read_index(void)
{
    orr_index x = { read_count(), { 0 } };
    for (int k = 0; k < x.n; k++)
        x.v[k] = read_whole();
    return x.n < 0 ? ORR_NO_INDEX : x;
}

static void put(orr_tensor *t)
{
    if (next < SLOTS)
        slots[next++] = t;
}

static void put_all(orr_tensor *const *t, bool one)
{
    for (int k = 0; k < (one ? 1 : MOST) && t[k]; k++)
        put(t[k]);
}

static void settle(orr_status s)
{
    if (s != ORR_OK)
        fail(orr_error_message());
}

/* The line of a tensor after its slot. */
static orr_dtype described(orr_shape *s, unsigned char **bytes, size_t *size)
{
    orr_dtype d = (orr_dtype)read_whole();
    *s = read_shape();
    const char *hex = read_text();
    *size = *hex == '-' ? 0 : strlen(hex) / 2;
    *bytes = malloc(*size + 1);
    for (size_t k = 0; *bytes && k < *size; k++) {
        const char digits[3] = { hex[2 * k], hex[2 * k + 1], '\0' };
        (*bytes)[k] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return d;
}

static void let(void)
{
    orr_shape s;
    unsigned char *bytes;
    size_t size;
    next = read_count();
    orr_dtype d = described(&s, &bytes, &size);
    put(orr_from(d, s, bytes));
    free(bytes);
}

static void is(const char *name)
{
    orr_shape s, got;
    unsigned char *want;
    size_t size;
    orr_tensor *t = read_tensor();
    orr_dtype d = described(&s, &want, &size);
    unsigned char *have = malloc(size + 1);
    got = orr_tensor_shape(t);
    if (!have || !want || (size && orr_read(t, have, size) != ORR_OK))
        fail(orr_error_message());
    else if (orr_tensor_dtype(t) != d || got.rank != s.rank ||
             memcmp(got.dim, s.dim, (size_t)s.rank * sizeof *s.dim) != 0)
        fail(name);
    else if (size && memcmp(have, want, size) != 0)
        fail(name);
    free(have);
    free(want);
    checked++;
}

#include CALLS

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f || fseek(f, 0, SEEK_END) != 0 || orr_init(NULL) != ORR_OK)
        return 2;
    long size = ftell(f);
    rewind(f);
    text = at = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, f) != (size_t)size)
        return 2;
    (void)fclose(f);
    char name[64] = "";
    orr_scope *scope = orr_scope_begin();
    while (*at) {
        const char *word = read_text();
        if (strcmp(word, "let") == 0) {
            let();
        } else if (strcmp(word, "num") == 0) {
            next = read_count();
            put(orr_scalar(read_real()));
        } else if (strcmp(word, "do") == 0) {
            (void)snprintf(name, sizeof name, "%s", read_text());
            next = read_count();
            call(name);
        } else if (strcmp(word, "is") == 0) {
            is(name);
        } else {
            (void)orr_scope_end(scope);
            scope = orr_scope_begin();
        }
    }
    (void)orr_scope_end(scope);
    orr_shutdown();
    free(text);
    printf("%ld values, %d failures\n", checked, failures);
    return failures != 0 || checked == 0;
}
