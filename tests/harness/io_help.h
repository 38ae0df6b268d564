/* Shared by the tests of files: the content of the golden files, and tensors with that content.
 * Must not know: how a file is parsed. */
#ifndef ORR_TESTS_IO_HELP_H
#define ORR_TESTS_IO_HELP_H

#include <stdio.h>
#include <orrery/io.h>
#include "runtime/base/dtype.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"

const char *golden_io(const char *name);

void check_golden(const char *what, orr_tensor *t, orr_dtype dtype, orr_shape shape);

orr_tensor *golden_tensor(orr_dtype t, orr_shape shape);

/* Changes n bytes as a careless or malicious writer of a file might, in `room` bytes. Returns the new length. */
size_t orr_test_change(unsigned char *p, size_t n, size_t room, unsigned long long *r);

/* The CRC-32 of a PNG's chunk or of a zip's member. */
uint32_t orr_test_crc32(const unsigned char *p, size_t n);

#endif
