/* What a tool prints is written, or its exit status says that it is not.
 * Must not know: what is printed. */
#ifndef ORR_TOOLS_OUTPUT_H
#define ORR_TOOLS_OUTPUT_H

/* Writes what standard output still holds. The exit status of a tool that ends with rc: a full disk is told, and no success. */
int output_end(const char *tool, int rc);

#endif
