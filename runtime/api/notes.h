/* ORRERY_NOTES: notes by source line at the end of the process's work. A trace (ORRERY_TRACE) has them, too.
 * Must not know: how facts are gathered. */
#ifndef ORR_API_NOTES_H
#define ORR_API_NOTES_H

#include "runtime/base/status.h"

/* Opens the file of ORRERY_NOTES, and gathers facts from now on. Does nothing for "" without a trace. */
orr_status orr__notes_open(const char *path);
/* Writes the notes and closes the file. Also called when the process exits. */
void orr__notes_close(void);

#endif
