/* Ledgers: the uses of a budget in a file that does not go back, and as text in a checkpoint.
 * Must not know: accountants; tensors. */
#ifndef ORR_OPS_PRIVACY_LEDGER_H
#define ORR_OPS_PRIVACY_LEDGER_H

#include "ops/privacy/account.h"

enum { ORR__LEDGER_ID = 33 }; /* 32 hexadecimal digits and a 0 */

/* A limit, and the uses booked against it. */
typedef struct orr__ledger {
    char id[ORR__LEDGER_ID]; /* of the file in which the uses are kept; "": they are in no file */
    orr_dp_accountant how;
    double epsilon, delta;
    int n;
    orr__dp_use *use; /* owned; no mechanism occurs twice */
} orr__ledger;

void orr__ledger_clear(orr__ledger *l); /* frees the list of uses */
/* The times of m in l; 0: m does not occur. */
int64_t orr__ledger_times(const orr__ledger *l, orr_dp_mechanism m);
int orr__ledger_find(const orr__ledger *l, orr_dp_mechanism m); /* its entry; n: none */
/* True if some mechanism has fewer uses in `a` than in `b`. */
bool orr__ledger_older(const orr__ledger *a, const orr__ledger *b);
/* Adds an entry for m if it does not exist, and sets its times. */
orr_status orr__ledger_set(orr__site at, orr__ledger *l, orr_dp_mechanism m, int64_t times);
/* Raises the times in `to` to those of `from`. */
orr_status orr__ledger_raise(orr__site at, orr__ledger *to, const orr__ledger *from);

/* The file that a text was written for: its inode and the time of its last change, by which a copy is recognised. Zeros: no file. */
typedef struct orr__ledger_place {
    uint64_t inode;
    int64_t seconds;
} orr__ledger_place;

/* The ledger as a text with a checksum, to free; NULL: no memory. */
char *orr__ledger_text(orr__site at, const orr__ledger *l, orr__ledger_place place);
/* Reads a text of `size` bytes. l is cleared before; `where` names the text in messages.
 * ORR_EFORMAT: the text is damaged; ORR_ENOMEM. */
orr_status orr__ledger_parse(orr__site at, const char *where, const void *text, size_t size, orr__ledger *l,
                             orr__ledger_place *place);

/* A file, locked against other processes and other threads from open to close. */
typedef struct orr__ledger_file {
    orr__site at;
    const char *path; /* borrowed */
    int fd;
} orr__ledger_file;

/* Locks the file and reads it. moved: a copy of a ledger is accepted as well. ORR_EIO: it cannot be opened or locked; *missing tells
 * whether there is no such file, which is no error then, and nothing is locked. */
orr_status orr__ledger_open(orr__site at, const char *path, bool moved, orr__ledger_file *f, orr__ledger *l,
                            bool *missing);
/* Replaces the content of the locked file. After an error the former content is there. */
orr_status orr__ledger_write(orr__ledger_file *f, const orr__ledger *l);
void orr__ledger_close(orr__ledger_file *f);
/* Makes the file, which must not exist (ORR_EIO, errno EEXIST). */
orr_status orr__ledger_create(orr__site at, const char *path, const orr__ledger *l);

#endif
