/* Output that reaches its file, or an exit status that reports the failure.
 * Must not know: the text. */
#include "tools/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int output_end(const char *tool, int rc)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return rc;
    (void)fprintf(stderr, "%s: standard output could not be written%s%s\n", tool, errno ? ": " : "",
                  errno ? strerror(errno) : "");
    return rc ? rc : 1;
}
