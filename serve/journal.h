/* Records on disk, each a file of a folder: a head in JSON and bytes. A record is there as a whole or not at all.
 * Must not know: what the records are. */
#ifndef ORR_SERVE_JOURNAL_H
#define ORR_SERVE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct serve_journal serve_journal;

/* The folder is made if it is missing, and belongs to one service at a time. Files that a killed service left half-written are removed. NULL on
 * error, with the reason in `why`. */
serve_journal *serve_journal_open(const char *folder, char *why, size_t size);
void serve_journal_close(serve_journal *j); /* NULL is fine */
/* Writes the record, or replaces it; its bytes are `text`, then `tail`. id: letters and digits. Takes ownership of the head. lasts: it is on the
 * disk at the return. False: it is as it was (errno). Safe from any thread, as are the next two. */
bool serve_journal_write(serve_journal *j, const char *id, json_t *head, const void *text, size_t n_text,
                         const void *tail, size_t n_tail, bool lasts);
void serve_journal_remove(serve_journal *j, const char *id);
/* Calls `take` for each record. It owns the text (malloc's), which `head` does not. False, or a record that cannot be read: the record is
 * removed. */
void serve_journal_read(serve_journal *j,
                        bool (*take)(const char *id, const json_t *head, char *text, size_t n, void *user), void *user);

#endif
