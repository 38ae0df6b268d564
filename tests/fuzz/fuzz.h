/* Targets of fuzzers: functions that read bytes of strangers, each with seeds. The same targets run under libFuzzer (libfuzzer.c) and, with
 * repeatable changes of the seeds, in the suite (replay.c).
 * Must not know: where the bytes come from. */
#ifndef ORR_TESTS_FUZZ_H
#define ORR_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The seeds of a target, and what makes a changed one sound again, so that changes reach the code behind a checksum. */
typedef struct fuzz_target {
    const char *name;
    /* Reads the bytes. A wrong result is a call of fuzz_expect that fails. */
    void (*run)(const unsigned char *data, size_t size);
    const char *golden[8]; /* files of tests/golden */
    /* A seed that is made at run time; NULL: none. The caller frees it. */
    unsigned char *(*make)(int i, size_t *size);
    void (*seal)(unsigned char *data, size_t size); /* NULL: there is no checksum */
    int rounds;                                     /* of the suite's short form; 0: the usual number */
} fuzz_target;

/* Ends with name NULL. */
extern const fuzz_target fuzz_targets[];
/* Prepares and ends the library; false: it does not start. */
bool fuzz_begin(void);
void fuzz_end(void);

/* Ends the program with a message if a reader did not keep to its contract. */
#define fuzz_expect(cond) ((cond) ? (void)0 : fuzz_failed(#cond, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *what, const char *file, int line);

#endif
