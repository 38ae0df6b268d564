! Replays a file of calls (tests/python/recorder.py) through the module orrery: equal bits.
! It must not know any function: the included file, made by replay.py, has those that the file names.
program replay
  use, intrinsic :: iso_c_binding
  use orrery
  use orrery_c, only: c_from, c_read
  implicit none
  character(:), allocatable :: text, name, kind
  integer :: at = 1, next = 0, failures = 0, checked = 0, k
  type(orr_tensor), target :: slots(0:4095)
  type(orr_scope) :: scope

  call get_file()
  call orr_start()
  scope = orr_scope_begin()
  do
    kind = word()
    select case (kind)
    case ('')
      exit
    case ('let')
      next = int(read_whole())
      call let()
    case ('num')
      next = int(read_whole())
      call put(orr_scalar(read_real()))
    case ('do')
      name = word()
      next = int(read_whole())
      call call_by_name(name)
    case ('is')
      call is()
    case default
      do k = 0, next - 1
        call orr_free(slots(k))
      end do
      call orr_scope_end(scope)
      scope = orr_scope_begin()
    end select
  end do
  call orr_scope_end(scope)
  call orr_shutdown()
  print '(i0, a, i0, a)', checked, ' values, ', failures, ' failures'
  if (failures > 0 .or. checked == 0) error stop 1

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    failures = failures + 1
    if (failures < 20) print '(2a)', 'FAIL: ', what
  end subroutine

  ! -- words of the file ------------------------------------------------------------------------------------------

  subroutine get_file()
    integer :: unit, bytes
    character(400) :: path
    call get_command_argument(1, path)
    open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='old')
    inquire (unit=unit, size=bytes)
    allocate (character(bytes) :: text)
    read (unit) text
    close (unit)
  end subroutine

  ! The place of the next word.
  subroutine find_word(from, to)
    integer, intent(out) :: from, to
    do while (at <= len(text))
      if (iachar(text(at:at)) > 32) exit
      at = at + 1
    end do
    from = at
    do while (at <= len(text))
      if (iachar(text(at:at)) <= 32) exit
      at = at + 1
    end do
    to = at - 1
  end subroutine

  function word() result(w)
    character(:), allocatable :: w
    integer :: from, to
    call find_word(from, to)
    w = text(from:to)
  end function

  function read_whole() result(n)
    integer(c_int64_t) :: n
    integer :: from, to
    call find_word(from, to)
    read (text(from:to), *) n
  end function

  function read_real() result(x)
    real(c_double) :: x
    x = transfer(read_whole(), x)
  end function

  function read_tensor() result(t)
    type(orr_tensor), pointer :: t
    integer(c_int64_t) :: slot
    slot = read_whole()
    t => null()
    if (slot >= 0) t => slots(slot)
  end function

  subroutine read_tensors(all)
    type(orr_tensor), allocatable, intent(out) :: all(:)
    integer :: i
    allocate (all(int(read_whole())))
    do i = 1, size(all)
      all(i) = slots(read_whole())
    end do
  end subroutine

  ! A list, which stays without memory if it is absent.
  subroutine read_wholes(all)
    integer(c_int64_t), allocatable, intent(out) :: all(:)
    integer :: i, n
    n = int(read_whole())
    if (n >= 0) allocate (all(n))
    do i = 1, n
      all(i) = read_whole()
    end do
  end subroutine

  subroutine read_ints(all)
    integer(c_int), allocatable, intent(out) :: all(:)
    integer(c_int64_t), allocatable :: wide(:)
    call read_wholes(wide)
    if (allocated(wide)) all = int(wide, c_int)
  end subroutine

  subroutine read_reals(all)
    real(c_double), allocatable, intent(out) :: all(:)
    integer(c_int64_t), allocatable :: bits(:)
    integer :: i
    call read_wholes(bits)
    if (.not. allocated(bits)) return
    allocate (all(size(bits)))
    do i = 1, size(bits)
      all(i) = transfer(bits(i), 0._c_double)
    end do
  end subroutine

  ! -- tensors ------------------------------------------------------------------------------------------------------

  subroutine put(t)
    type(orr_tensor), intent(in) :: t
    slots(next) = t
    next = next + 1
  end subroutine

  subroutine put_all(t)
    type(orr_tensor), intent(in) :: t(:)
    integer :: i
    do i = 1, size(t)
      call put(t(i))
    end do
  end subroutine

  ! The line of a tensor after its slot.
  subroutine described(dtype, s, bytes, n)
    integer(c_int), intent(out) :: dtype
    type(orr_shape), intent(out) :: s
    integer(c_int8_t), allocatable, intent(out) :: bytes(:)
    integer, intent(out) :: n
    integer :: from, to, i, digits
    dtype = int(read_whole(), c_int)
    s%rank = int(read_whole(), c_int)
    do i = 1, s%rank
      s%dim(i) = read_whole()
    end do
    call find_word(from, to)
    n = (to - from + 1) / 2
    allocate (bytes(max(1, n)))
    bytes = 0
    do i = 1, n
      digits = 16 * digit(text(from + 2 * i - 2:)) + digit(text(from + 2 * i - 1:))
      bytes(i) = int(merge(digits - 256, digits, digits > 127), c_int8_t)
    end do
  end subroutine

  pure function digit(c) result(n)
    character(*), intent(in) :: c
    integer :: n
    n = iachar(c(1:1)) - iachar('0')
    if (n > 9) n = n - (iachar('a') - iachar('0')) + 10
  end function

  subroutine let()
    integer(c_int) :: dtype
    type(orr_shape) :: s
    integer(c_int8_t), allocatable, target :: bytes(:)
    integer :: n
    call described(dtype, s, bytes, n)
    call put(orr_borrow(c_from(c_null_ptr, 0_c_int, dtype, s, c_loc(bytes))))
  end subroutine

  subroutine is()
    type(orr_tensor), pointer :: t
    integer(c_int) :: dtype
    type(orr_shape) :: s
    integer(c_int8_t), allocatable :: want(:)
    integer(c_int8_t), allocatable, target :: have(:)
    integer(c_int64_t), allocatable :: lengths(:)
    integer :: n
    logical :: right
    t => read_tensor()
    call described(dtype, s, want, n)
    checked = checked + 1
    allocate (have(max(1, n)))
    right = orr_tensor_dtype(t) == dtype
    lengths = orr_tensor_shape(t)
    if (right) right = size(lengths) == s%rank
    if (right) right = all(lengths == s%dim(1:s%rank))
    if (right .and. n > 0) right = c_read(c_null_ptr, 0_c_int, orr_pointer(t), c_loc(have), int(n, c_size_t)) == 0
    if (right .and. n > 0) right = all(have == want)
    if (.not. right) call fail(name)
  end subroutine

  include 'calls.inc'
end program
