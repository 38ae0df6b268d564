/* The processes that are to be the ranks, as a program names them.
 * Must not know: MPI's types. */
#ifndef ORR_RANKS_RANKS_OF_H
#define ORR_RANKS_RANKS_OF_H

#include <stdbool.h>

/* Both NULL: all processes of the launcher. */
typedef struct orr__ranks_of {
    const void *communicator; /* const MPI_Comm *  */
    const int *fortran;       /* const MPI_Fint *: the handle of a Fortran program */
    bool fails;               /* this rank ends its session at once: its settings are wrong */
} orr__ranks_of;

#endif
