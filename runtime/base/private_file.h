/* Directories and files that no other user can have written or exchanged; files that appear complete or not at all.
 * Must not know: their content. */
#ifndef ORR_BASE_PRIVATE_FILE_H
#define ORR_BASE_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* A file or a compiler's output in memory. */
typedef struct {
    unsigned char *data;
    size_t size;
} orr__bytes;

typedef enum {
    ORR__OWN,      /* ours, not writable by others; made (0700) if missing      */
    ORR__SITE_DIR, /* of root or ours, not writable by others; must exist     */
    ORR__TMP       /* one in which we may make a directory of our own: /tmp     */
} orr__dirkind;
/* Walks to `path` from the root; no other user can exchange any directory on the way. Returns the open directory, or -1 and the reason
 * in why. */
int orr__safe_dir(const char *path, orr__dirkind kind, char *why, size_t size);
/* Makes /tmp/orrery-WHAT-UID, for files that have no place of the user's. False: it cannot be made, or is another user's. */
bool orr__own_tmp(const char *what, char *path, size_t size);
/* Reads a regular file of ours (site: or of root) that others cannot write. false: errno, 0 for an unsafe file. */
bool orr__safe_read(int dir, const char *name, bool site, size_t most, orr__bytes *out, struct timespec *mtime);
/* Replaces the file `name` (0600); the new content is complete and on disk before it gets the name. false: errno. */
bool orr__safe_write(int dir, const char *name, const orr__bytes *b);
/* True if `name` is the temporary name of such a file. */
bool orr__is_temporary(const char *name);
/* Removes a directory with its content; links are removed, not followed. */
void orr__remove_folder(int dir, const char *name);
bool orr__write_all(int fd, const void *data, size_t size); /* false: errno */

#endif
