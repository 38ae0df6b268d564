! A Fortran program with MPI, whose odd ranks compute with Orrery on a communicator of their own: the sum of 0 … 999.
! Interfaces are written where they are used, by iso_c_binding; a string of C ends with c_null_char, an absent pointer is c_null_ptr.
program communicator
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none

  integer(c_int), parameter :: orr_headers = 3, orr_f64 = 12 ! orrery/eval.h, orrery/dtype.h

  type, bind(c) :: orr_config
    type(c_ptr) :: engine = c_null_ptr, backend = c_null_ptr
    integer(c_int) :: workers = 0
    integer(c_size_t) :: memory_limit = 0
    integer(c_int64_t) :: seed = 0
    logical(c_bool) :: flush_denormals = .false.
    type(c_ptr) :: communicator = c_null_ptr, communicator_fortran = c_null_ptr
  end type

  type, bind(c) :: orr_axes
    integer(c_int) :: n = -1, axis(8) = 0
  end type

  interface
    integer(c_int) function orr_init_at(file, line, headers, config) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line, headers
      type(orr_config), intent(in) :: config
    end function
    integer(c_int) function orr_shutdown() bind(c)
      import
    end function
    type(c_ptr) function orr_arange_at(file, line, dtype, start, stop, step) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line, dtype
      real(c_double), value :: start, stop, step
    end function
    type(c_ptr) function orr_sum_at(file, line, x, axes, keep) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line
      type(c_ptr), value :: x
      type(orr_axes), value :: axes
      logical(c_bool), value :: keep
    end function
    integer(c_int) function orr_item_at(file, line, x, to) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line
      type(c_ptr), value :: x
      real(c_double), intent(out) :: to
    end function
  end interface

  character(kind=c_char, len=*), parameter :: here = 'communicator.f90' // c_null_char
  integer :: rank, level, part, mpi_status
  integer, target :: odd
  type(orr_config) :: config
  type(orr_axes) :: all_axes
  real(c_double) :: total
  type(c_ptr) :: x

  call mpi_init_thread(MPI_THREAD_MULTIPLE, level, mpi_status)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, mpi_status)
  part = MPI_UNDEFINED
  if (mod(rank, 2) == 1) part = 0
  call mpi_comm_split(MPI_COMM_WORLD, part, rank, odd, mpi_status)
  if (odd /= MPI_COMM_NULL) then
    config%communicator_fortran = c_loc(odd)
    if (orr_init_at(here, 1_c_int, orr_headers, config) /= 0) error stop 'orr_init'
    x = orr_arange_at(here, 2_c_int, orr_f64, 0.0_c_double, 1000.0_c_double, 1.0_c_double)
    x = orr_sum_at(here, 3_c_int, x, all_axes, .false._c_bool)
    if (orr_item_at(here, 4_c_int, x, total) /= 0) error stop 'orr_item'
    print '(a, i0, a, f0.0)', 'rank ', rank, ': ', total
    if (orr_shutdown() /= 0) error stop 'orr_shutdown'
    call mpi_comm_free(odd, mpi_status)
  end if
  call mpi_finalize(mpi_status)
end program
