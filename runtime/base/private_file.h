/* Directories and files that no other user could have written or exchanged; files that appear whole or not at all.
 * Must not know: what is in them. */
#ifndef ORR_BASE_SAFE_H
#define ORR_BASE_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* A file or a compiler's output in memory. */
typedef struct {
    unsigned char *data;
    size_t size;
} orr__bytes;

typedef enum {
    ORR__OWN,      /* ours, written by nobody else; made (0700) when missing    */
    ORR__SITE_DIR, /* root's or ours, written by nobody else; must be there   */
    ORR__TMP       /* one in which we may make a directory of our own: /tmp     */
} orr__dirkind;
/* Walks to `path` from the root; every step on the way is one that no other user can exchange. The open directory, or
 * -1 and why not. */
int orr__safe_dir(const char *path, orr__dirkind kind, char *why, size_t size);
/* A regular file of ours (site: or root's), written by nobody else, read whole; false: errno, 0 when it is not safe. */
bool orr__safe_read(int dir, const char *name, bool site, size_t most, orr__bytes *out, struct timespec *mtime);
/* The file `name`, 0600, complete and on the disk before it has its name, in the place of what had it. false: errno. */
bool orr__safe_write(int dir, const char *name, const orr__bytes *b);
/* Whether it is the name that such a file has before. */
bool orr__is_temporary(const char *name);
/* A directory and all that is in it; links are removed, not followed. */
void orr__remove_folder(int dir, const char *name);
bool orr__write_all(int fd, const void *data, size_t size); /* false: errno */

#endif
