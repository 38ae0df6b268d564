/* Output that reaches its file, or an exit status that reports the failure.
 * Must not know: the text. */
#ifndef ORR_TOOLS_OUTPUT_H
#define ORR_TOOLS_OUTPUT_H

/* Flushes standard output and returns the exit status of a tool that ends with rc; a full disk is an error. */
int output_end(const char *tool, int rc);

#endif
