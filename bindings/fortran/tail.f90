
  ! -- holders ------------------------------------------------------------------------------------------------

  impure elemental subroutine assign_tensor(to, from)
    class(orr_tensor), intent(inout) :: to
    type(orr_tensor), intent(in) :: from
    type(held), pointer :: p
    type(c_ptr) :: t
    t = from%t
    p => living(from)
    if (associated(p)) p%holders = p%holders + 1
    call let_go(to)
    to%t = t
    to%p => p
    to%holds = associated(p)
  end subroutine

  impure elemental subroutine end_tensor(x)
    type(orr_tensor), intent(inout) :: x
    call let_go(x)
  end subroutine

  subroutine let_go(x)
    class(orr_tensor), intent(inout) :: x
    if (x%holds .and. associated(x%p)) then
      x%p%holders = x%p%holders - 1
      if (x%p%holders == 0) call end_held(x%p)
    end if
    x%t = c_null_ptr
    x%p => null()
    x%holds = .false.
  end subroutine

  ! A result without a holder may have been freed, with p, by the procedure that took it before: the library knows stale names.
  function living(x) result(p)
    type(orr_tensor), intent(in) :: x
    type(held), pointer :: p
    p => x%p
    if (.not. x%holds .and. c_tensor_status(x%t) == ORR_EHANDLE) p => null()
  end function

  subroutine end_held(p)
    type(held), pointer, intent(inout) :: p
    integer(c_int) :: status
    status = c_free(f_file(), place_line, p%t)
    deallocate (p)
  end subroutine

  !> Frees the tensor, unless others hold it.
  subroutine orr_free(x)
    type(orr_tensor), intent(inout) :: x
    call let_go(x)
  end subroutine

  !> An object for a tensor of C that another owner frees, as the arguments of callbacks are.
  function orr_borrow(t) result(r_)
    type(c_ptr), intent(in) :: t
    type(orr_tensor) :: r_
    r_%t = t
  end function

  !> The tensor of C, which the object keeps.
  function orr_pointer(x) result(t)
    type(orr_tensor), intent(in) :: x
    type(c_ptr) :: t
    t = f_of(x)
  end function

  subroutine f_hold(x, t)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    allocate (x%p)
    x%t = t
    x%p%t = t
    x%holds = .false.
  end subroutine

  function f_of(x) result(t)
    type(orr_tensor), intent(in), optional :: x
    type(c_ptr) :: t
    t = c_null_ptr
    if (.not. present(x)) return
    t = x%t
  end function

  ! After the last use of an argument: a result of a function has no holder.
  subroutine f_drop(x)
    type(orr_tensor), intent(in), optional :: x
    type(held), pointer :: p
    if (.not. present(x)) return
    if (x%holds) return
    p => living(x)
    if (.not. associated(p)) return
    if (p%holders == 0) call end_held(p)
  end subroutine

  subroutine f_drop_all(x)
    type(orr_tensor), intent(in) :: x(:)
    integer :: k
    do k = 1, ubound(x, 1)
      call f_drop(x(k))
    end do
  end subroutine

  subroutine f_all(x, to)
    type(orr_tensor), intent(in) :: x(:)
    type(c_ptr), intent(out) :: to(*)
    integer :: k
    do k = 1, ubound(x, 1)
      to(k) = f_of(x(k))
    end do
  end subroutine

  subroutine f_results(x, from)
    type(orr_tensor), intent(inout) :: x(:)
    type(c_ptr), intent(in) :: from(*)
    integer :: k
    do k = 1, ubound(x, 1)
      call f_result(x(k), from(k))
    end do
  end subroutine

  ! A result that a variable of the caller holds.
  subroutine f_result(x, t)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    type(orr_tensor) :: fresh
    if (.not. c_associated(t)) return
    call f_hold(fresh, t)
    x = fresh
  end subroutine

  ! -- errors ---------------------------------------------------------------------------------------------------

  !> Messages of the following calls name this place: call orr_here(__FILE__, __LINE__) in a source that is preprocessed.
  !> Threads: one thread at a time.
  subroutine orr_here(file, line)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    place_line = int(line, c_int)
    if (associated(place_file)) then
      if (place_file == file // c_null_char) return
    end if
    allocate (character(kind=c_char, len=len(file) + 1) :: place_file) ! it outlives the tensors, as C wants
    place_file = file // c_null_char
  end subroutine

  function f_file() result(p)
    type(c_ptr) :: p
    if (associated(place_file)) then
      p = c_loc(place_file(1:1))
    else
      p = c_loc(no_place(1:1))
    end if
  end function

  subroutine f_settle(status, stat, errmsg, text)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: text
    character(:), allocatable :: message
    if (present(stat)) stat = status
    if (status == ORR_OK) return
    if (present(text)) then
      message = text
    else
      message = f_string(c_error_message())
    end if
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop message
  end subroutine

  subroutine f_made(x, t, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: t
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_hold(x, t)
    call f_settle(c_tensor_status(t), stat, errmsg)
  end subroutine

  ! -- conversions ------------------------------------------------------------------------------------------------

  function f_int(n) result(r_)
    class(*), intent(in), optional :: n
    integer(c_int64_t) :: r_
    r_ = 0
    if (.not. present(n)) return
    select type (n)
    type is (integer(c_int8_t))
      r_ = n
    type is (integer(c_int16_t))
      r_ = n
    type is (integer(c_int32_t))
      r_ = n
    type is (integer(c_int64_t))
      r_ = n
    class default
      error stop 'orrery: an argument is no integer'
    end select
  end function

  function f_enum(n) result(r_)
    integer, intent(in), optional :: n
    integer(c_int) :: r_
    r_ = 0
    if (present(n)) r_ = int(n, c_int)
  end function

  function f_real(x) result(r_)
    class(*), intent(in) :: x
    real(c_double) :: r_
    select type (x)
    type is (real(c_float))
      r_ = real(x, c_double)
    type is (real(c_double))
      r_ = x
    class default
      r_ = real(f_int(x), c_double)
    end select
  end function

  function f_bool(b) result(r_)
    logical, intent(in), optional :: b
    logical(c_bool) :: r_
    r_ = .false.
    if (present(b)) r_ = logical(b, c_bool)
  end function

  function f_number(x) result(r_)
    class(*), intent(in) :: x
    type(orr_number) :: r_
    r_%dtype = ORR_I64
    select type (x)
    type is (real(c_float))
      r_%dtype = ORR_F64
      r_%f = f_real(x)
    type is (real(c_double))
      r_%dtype = ORR_F64
      r_%f = x
    class default
      r_%i = f_int(x)
    end select
  end function

  subroutine f_ints(list, n, to)
    class(*), intent(in) :: list(:)
    integer(c_int), intent(out) :: n
    integer(c_int64_t), intent(out) :: to(8)
    integer :: k
    n = int(ubound(list, 1), c_int)
    to = 0
    do k = 1, min(8, ubound(list, 1))
      to(k) = f_int(list(k))
    end do
  end subroutine

  function f_shape(list) result(r_)
    class(*), intent(in) :: list(:)
    type(orr_shape) :: r_
    call f_ints(list, r_%rank, r_%dim)
  end function

  function f_index(list) result(r_)
    class(*), intent(in), optional :: list(:)
    type(orr_index) :: r_
    if (present(list)) call f_ints(list, r_%n, r_%v)
  end function

  function f_axes(list) result(r_)
    class(*), intent(in), optional :: list(:)
    type(orr_axes) :: r_
    integer(c_int64_t) :: to(8)
    r_%n = -1
    if (.not. present(list)) return
    call f_ints(list, r_%n, to)
    r_%axis = int(max(min(to, 2147483647_c_int64_t), -2147483648_c_int64_t), c_int)
  end function

  function f_string(p) result(r_)
    type(c_ptr), intent(in) :: p
    character(:), allocatable :: r_
    character(kind=c_char), pointer :: c(:)
    integer :: n, k
    if (.not. c_associated(p)) then
      r_ = ''
      return
    end if
    n = int(c_strlen(p))
    call c_f_pointer(p, c, [n])
    allocate (character(n) :: r_)
    do k = 1, n
      r_(k:k) = c(k)
    end do
  end function

  ! Texts with an end for C, and their addresses.
  subroutine f_texts(list, storage, to)
    character(*), intent(in) :: list(:)
    character(kind=c_char), allocatable, target, intent(out) :: storage(:, :)
    type(c_ptr), intent(out) :: to(*)
    integer :: i, k, n
    allocate (storage(len(list) + 1, ubound(list, 1)))
    do k = 1, ubound(list, 1)
      n = len_trim(list(k))
      do i = 1, n
        storage(i, k) = list(k)(i:i)
      end do
      storage(n + 1, k) = c_null_char
      to(k) = c_loc(storage(1, k))
    end do
  end subroutine

  subroutine f_names(p, n, names)
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: n
    character(:), allocatable, intent(out) :: names(:)
    type(c_ptr), pointer :: all(:)
    integer :: k, longest
    longest = 0
    if (c_associated(p) .and. n > 0) call c_f_pointer(p, all, [n])
    do k = 1, n
      longest = max(longest, int(c_strlen(all(k))))
    end do
    allocate (character(longest) :: names(n))
    do k = 1, n
      names(k) = f_string(all(k))
    end do
    call c_npz_names_free(p)
  end subroutine

  ! The text that a call has written to a stream in memory goes to Fortran's standard output, between the lines of the program.
  subroutine f_output(file, text)
    type(c_ptr), intent(in) :: file, text
    integer(c_int) :: status
    if (.not. c_associated(file)) return
    status = c_fclose(file)
    if (status == 0) write (output_unit, '(a)', advance='no') f_string(text)
    call c_release(text)
  end subroutine

  function f_length(a, b) result(n)
    integer, intent(in) :: a, b
    integer :: n
    n = merge(a, -1, a == b) ! the library refuses a negative length
  end function

  ! -- start ----------------------------------------------------------------------------------------------------------

  !> orr_init, which knows the version of the headers that this module was made from.
  subroutine orr_start(config, stat, errmsg)
    type(orr_config), intent(in), optional, target :: config
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: c_config
    c_config = c_null_ptr
    if (present(config)) c_config = c_loc(config)
    call f_settle(c_init(f_file(), place_line, ORR_HEADERS, c_config), stat, errmsg)
  end subroutine

  ! -- arrays ---------------------------------------------------------------------------------------------------------
  ! An array of Fortran in memory is the array of C with the axes in reverse order, so that a permuted view is all it needs.

  function reversed(t) result(p)
    type(c_ptr), intent(in) :: t
    type(c_ptr) :: p
    type(orr_axes) :: axes
    integer(c_int) :: status
    axes%n = -1
    p = c_permute(f_file(), place_line, t, axes)
    status = c_free(f_file(), place_line, t)
  end function

  function f_reversed_shape(extents) result(s)
    integer, intent(in) :: extents(:)
    type(orr_shape) :: s
    integer :: k
    s%rank = int(ubound(extents, 1), c_int)
    do k = 1, min(8, ubound(extents, 1))
      s%dim(k) = extents(ubound(extents, 1) + 1 - k)
    end do
  end function

  subroutine copy_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_made(x, reversed(c_from(f_file(), place_line, dtype, f_reversed_shape(extents), p)), stat, errmsg)
  end subroutine

  subroutine wrap_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(inout) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call f_made(x, reversed(c_wrap(f_file(), place_line, dtype, f_reversed_shape(extents), p, c_null_funptr, c_null_ptr)), &
      stat, errmsg)
  end subroutine

  subroutine read_array(x, p, dtype, extents, stat, errmsg)
    type(orr_tensor), intent(in) :: x
    type(c_ptr), intent(in) :: p
    integer(c_int), intent(in) :: dtype
    integer, intent(in) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(orr_shape) :: s
    type(orr_axes) :: axes
    type(c_ptr) :: same, there
    integer(c_int) :: status, ignored
    integer :: k
    call c_tensor_shape(s, f_of(x))
    if (s%rank >= 0) then
      k = s%rank
      if (k /= ubound(extents, 1)) k = -1
      if (k > 0) then
        if (any(s%dim(1:k) /= extents)) k = -1
      end if
      if (k < 0) then
        call f_settle(ORR_ESHAPE, stat, errmsg, 'orr_read: the array has another shape than the tensor')
        call f_drop(x)
        return
      end if
    end if
    same = c_cast(f_file(), place_line, f_of(x), dtype)
    axes%n = -1
    there = c_permute(f_file(), place_line, same, axes)
    status = c_read(f_file(), place_line, there, p, c_dtype_size(dtype) * product(int(extents, c_size_t)))
    call f_settle(status, stat, errmsg)
    ignored = c_free(f_file(), place_line, there)
    ignored = c_free(f_file(), place_line, same)
    call f_drop(x)
  end subroutine

  ! -- operators --------------------------------------------------------------------------------------------------------

  function tensor_itself(x) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor) :: r_
    call f_made(r_, c_positive(f_file(), place_line, f_of(x)))
    call f_drop(x)
  end function

  function tensor_not(x) result(r_)
    type(orr_tensor), intent(in) :: x
    type(orr_tensor) :: r_
    call f_made(r_, c_logical_not(f_file(), place_line, f_of(x)))
    call f_drop(x)
  end function

  function of_number(v) result(r_)
    class(*), intent(in) :: v
    type(orr_tensor) :: r_
    type(orr_shape) :: none
    integer(c_int64_t) :: n
    select type (v)
    type is (complex(c_float))
      call f_made(r_, c_full_complex(f_file(), place_line, ORR_C64, none, real(v, c_double), real(aimag(v), c_double)))
    type is (complex(c_double))
      call f_made(r_, c_full_complex(f_file(), place_line, ORR_C128, none, real(v, c_double), aimag(v)))
    type is (real(c_float))
      call f_made(r_, c_scalar(f_file(), place_line, f_real(v)))
    type is (real(c_double))
      call f_made(r_, c_scalar(f_file(), place_line, v))
    class default
      n = f_int(v)
      if (abs(n) <= 2_c_int64_t**53) then
        call f_made(r_, c_scalar(f_file(), place_line, real(n, c_double)))
      else
        call f_made(r_, c_full_number(f_file(), place_line, ORR_I64, none, f_number(n)))
      end if
    end select
  end function
