/* For tests of the JIT: settings, kernel sources, lines of stderr.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_JIT_HELP_H
#define ORR_TESTS_JIT_HELP_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "codelets/jit/compile_job.h"
#include "runtime/base/env.h"
#include "tests/harness/harness.h"

/* Sets the time limits of a compiler in seconds: of its work, and of inactivity. */
void jh_patience(double work, double rest);

/* Sets the environment of a process that compiles; dir is its cache. */
void jh_settings(const char *dir);

bool jh_begin(void);

int jh_end(int rc);

/* A path in that directory, valid until the fourth next call. */
const char *jh_place(const char *name);

/* The source of a kernel that writes word[0] · factor. */
char *jh_text(int factor);

/* Requests the kernel and waits; the caller owns the reference. */
orr__jit *jh_ask(int factor);

/* Acts like a program that launches repeatedly: requests the kernel while it is hot, until it is compiled or cannot
 * be. */
bool jh_insist(orr__jit *j, int factor);

long jh_run(orr__jit *j, long x);

void jh_write(const char *path, const char *text, mode_t mode);

void jh_listen(void);

int jh_lines(const char *word, int *all);

#endif
