! A Fortran program with MPI, whose odd ranks compute with Orrery on a communicator of their own: the sum of 0 … 999.
program communicator
  use, intrinsic :: iso_c_binding
  use mpi
  use orrery
  implicit none
  integer :: rank, level, part, mpi_status
  integer, target :: odd
  type(orr_config) :: config
  real(c_double) :: total

  call mpi_init_thread(MPI_THREAD_MULTIPLE, level, mpi_status)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, mpi_status)
  part = MPI_UNDEFINED
  if (mod(rank, 2) == 1) part = 0
  call mpi_comm_split(MPI_COMM_WORLD, part, rank, odd, mpi_status)
  if (odd /= MPI_COMM_NULL) then
    config%communicator_fortran = c_loc(odd)
    call orr_start(config)
    call orr_item(sum(orr_arange(ORR_F64, 0, 1000, 1)), total)
    print '(a, i0, a, f0.0)', 'rank ', rank, ': ', total
    call orr_shutdown()
    call mpi_comm_free(odd, mpi_status)
  end if
  call mpi_finalize(mpi_status)
end program
