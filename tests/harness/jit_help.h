/* For tests of the JIT: settings, texts, stderr's lines.
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

/* Seconds that a compiler may work, and may do nothing. */
void jh_patience(double work, double rest);

/* Settings of a process that compiles; dir is its cache. */
void jh_settings(const char *dir);

bool jh_begin(void);

int jh_end(int rc);

/* A path in it, valid until the fourth next call. */
const char *jh_place(const char *name);

/* A kernel that writes word[0] · factor. */
char *jh_text(int factor);

/* Asks and waits; the reference is the caller's. */
orr__jit *jh_ask(int factor);

/* Like a program that goes on launching: asks whenever the kernel is hot, until it is compiled or never will be. */
bool jh_insist(orr__jit *j, int factor);

long jh_run(orr__jit *j, long x);

void jh_write(const char *path, const char *text, mode_t mode);

void jh_listen(void);

int jh_lines(const char *word, int *all);

#endif
