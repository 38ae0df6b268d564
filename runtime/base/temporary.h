/* Temporary files beside the file that they become.
 * Must not know: their content. */
#ifndef ORR_BASE_TEMPORARY_H
#define ORR_BASE_TEMPORARY_H

/* Makes a new file "TARGET.PID-N.tmp", open for writing and locked as long as it is open, after orr__temporary_sweep. *name: its path, to
 * be freed. -1: errno. */
int orr__temporary_open(const char *target, char **name);
/* Removes the temporary files of `target` that nobody writes any more: their processes ended before the file was complete. A process that
 * lives holds the lock of its file. */
void orr__temporary_sweep(const char *target);

#endif
