/* The processes that are to be the ranks, as a program names them.
 * Must not know: MPI's types. */
#ifndef ORR_RANKS_RANKS_OF_H
#define ORR_RANKS_RANKS_OF_H

/* Both NULL: all processes of the launcher. */
typedef struct orr__ranks_of {
    const void *communicator; /* const MPI_Comm *  */
    const int *fortran;       /* const MPI_Fint *: the handle of a Fortran program */
    const char *refusal;      /* not NULL: this rank cannot begin, for this reason, which all ranks hear */
    double patience;          /* seconds in which all ranks come to the start; 0: for ever */
} orr__ranks_of;

#endif
