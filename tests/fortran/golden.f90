! The golden cases of the C suite through Fortran: element-wise bits, and the results of NumPy in tests/golden/numpy.
! usage: golden FOLDER     the folder tests/golden; call_by_name is made from the description of the API
program golden
  use, intrinsic :: iso_c_binding
  use orrery
  use orrery_c, only: c_from, c_read, c_strlen
  use calls
  implicit none
  integer, parameter :: most = 64
  character(:), allocatable :: words_text
  integer :: at = 1, failures = 0
  character(400) :: folder

  call get_command_argument(1, folder)
  call orr_start()
  call elementwise('ints', 0)
  call elementwise('f32', 4)
  call elementwise('f64', 4)
  call elementwise('f16', 1)
  call elementwise('bf16', 1)
  call numpys('views', 150)
  call numpys('reduce', 700)
  call numpys('matmul', 60)
  call numpys('index', 200)
  call orr_shutdown()
  if (failures > 0) error stop 1

contains

  subroutine fail(text)
    character(*), intent(in) :: text
    failures = failures + 1
    if (failures < 20) print '(a)', text
  end subroutine

  ! -- words of a file -----------------------------------------------------------------------------------------

  subroutine open_words(name)
    character(*), intent(in) :: name
    integer :: unit, bytes
    open (newunit=unit, file=trim(folder) // '/' // name, access='stream', form='unformatted', status='old')
    inquire (unit=unit, size=bytes)
    if (allocated(words_text)) deallocate (words_text)
    allocate (character(bytes) :: words_text)
    read (unit) words_text
    close (unit)
    at = 1
  end subroutine

  ! The next word; '' at the end. ended: it is the last one of its line.
  function word(ended) result(w)
    logical, intent(out), optional :: ended
    character(:), allocatable :: w
    integer :: from
    do while (at <= len(words_text))
      if (iachar(words_text(at:at)) > 32) exit
      at = at + 1
    end do
    from = at
    do while (at <= len(words_text))
      if (iachar(words_text(at:at)) <= 32) exit
      at = at + 1
    end do
    w = words_text(from:at - 1)
    if (present(ended)) ended = at > len(words_text)
    if (present(ended) .and. at <= len(words_text)) ended = words_text(at:at) == new_line('a')
  end function

  function whole(w) result(n)
    character(*), intent(in) :: w
    integer(c_int64_t) :: n
    read (w, *) n
  end function

  ! A decimal, or a hexadecimal number of C, whose digits are exact in a double.
  function number(w) result(x)
    character(*), intent(in) :: w
    real(c_double) :: x
    integer :: k, p, digit, shift
    logical :: fraction
    if (index(w, '0x') == 0) then
      read (w, *) x
      return
    end if
    x = 0
    shift = 0
    fraction = .false.
    p = index(w, 'p')
    do k = index(w, 'x') + 1, p - 1
      if (w(k:k) == '.') then
        fraction = .true.
        cycle
      end if
      digit = index('0123456789abcdef', w(k:k)) - 1
      x = x * 16 + digit
      if (fraction) shift = shift + 4
    end do
    x = scale(x, int(whole(w(p + 1:))) - shift)
    if (w(1:1) == '-') x = -x
  end function

  ! -- bits ----------------------------------------------------------------------------------------------------------

  function dtype_of(name) result(k)
    character(*), intent(in) :: name
    integer :: k
    character(8), parameter :: short(15) = [character(8) :: 'bool', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f16', &
                                            'bf16', 'f32', 'f64', 'c64', 'c128']
    do k = 0, 14
      if (name == trim(short(k + 1)) .or. name == orr_dtype_name(k)) return
    end do
    error stop 'an unknown dtype'
  end function

  function from_bits(bits, dtype, shape) result(p)
    integer(c_int64_t), intent(in) :: bits(:)
    integer, intent(in) :: dtype, shape(:)
    type(c_ptr) :: p
    integer(c_int8_t), target :: memory(max(1, 8 * size(bits)))
    type(orr_shape) :: s
    integer :: k, i, n
    n = int(orr_dtype_size(dtype))
    do k = 1, size(bits)
      do i = 0, n - 1
        memory((k - 1) * n + i + 1) = transfer(int(ibits(bits(k), 8 * i, 8), c_int32_t), 0_c_int8_t)
      end do
    end do
    s%rank = size(shape)
    s%dim(1:size(shape)) = shape
    p = c_from(c_null_ptr, 0_c_int, int(dtype, c_int), s, c_loc(memory))
  end function

  subroutine bits_of(t, width, bits)
    type(orr_tensor), intent(in) :: t
    integer, intent(in) :: width
    integer(c_int64_t), intent(out) :: bits(:)
    integer(c_int8_t), target :: memory(max(1, width * size(bits)))
    integer :: k, i
    bits = 0
    if (c_read(c_null_ptr, 0_c_int, orr_pointer(t), c_loc(memory), int(width * size(bits), c_size_t)) /= ORR_OK) return
    do k = 1, size(bits)
      do i = 0, width - 1
        bits(k) = ior(bits(k), ishft(iand(int(memory((k - 1) * width + i + 1), c_int64_t), 255_c_int64_t), 8 * i))
      end do
    end do
  end subroutine

  ! The double of a bit pattern.
  function float_of(bits, dtype) result(x)
    integer(c_int64_t), intent(in) :: bits
    integer, intent(in) :: dtype
    real(c_double) :: x
    integer(c_int64_t) :: exponent, digits
    select case (dtype)
    case (ORR_F64)
      x = transfer(bits, x)
    case (ORR_F32)
      x = transfer(wrapped(bits), 0._c_float)
    case (ORR_BF16)
      x = transfer(wrapped(ishft(bits, 16)), 0._c_float)
    case default ! f16: the digits in the place of a double's
      exponent = ibits(bits, 10, 5)
      digits = ibits(bits, 0, 10)
      if (exponent == 31) then
        x = transfer(ior(ishft(2047_c_int64_t, 52), ishft(digits, 42)), x)
      else
        x = scale(real(merge(digits, digits + 1024, exponent == 0), c_double), int(max(exponent, 1_c_int64_t)) - 25)
      end if
      if (btest(bits, 15)) x = -x
    end select
  end function

  function wrapped(bits) result(low)
    integer(c_int64_t), intent(in) :: bits
    integer(c_int32_t) :: low
    low = transfer(ibits(bits, 0, 32), low)
  end function

  function digits_of(dtype) result(n)
    integer, intent(in) :: dtype
    integer :: n
    n = 53
    if (dtype == ORR_F32 .or. dtype == ORR_C64) n = 24
    if (dtype == ORR_F16) n = 11
    if (dtype == ORR_BF16) n = 8
  end function

  function special(x) result(is)
    real(c_double), intent(in) :: x
    logical :: is
    is = x /= x .or. abs(x) > huge(x)
  end function

  function close_to(got, want, dtype, ulps) result(is)
    real(c_double), intent(in) :: got, want
    integer, intent(in) :: dtype, ulps
    logical :: is
    real(c_double) :: least
    least = 2d0**(-133)
    if (dtype == ORR_F16) least = 2d0**(-24)
    if (dtype == ORR_F64) least = 2d0**(-1074)
    if (want /= want) then
      is = got /= got
    else if (special(want) .or. got == want) then
      is = got == want
    else
      is = abs(got - want) <= ulps * max(spacing(want) * 2d0**(53 - digits_of(dtype)), least)
    end if
  end function

  ! -- element-wise operations ----------------------------------------------------------------------------------------

  subroutine elementwise(name, ulps)
    character(*), intent(in) :: name
    integer, intent(in) :: ulps
    character(:), allocatable :: row, second, third
    integer(c_int64_t), allocatable :: table(:, :), got(:)
    type(orr_tensor) :: x(3), r
    integer :: operands, n, k, i, dtype, kind, width, tested
    logical :: known, ended, right
    call open_words('elementwise/' // name // '.txt')
    tested = 0
    do
      row = word()
      if (row == '') exit
      second = word()
      third = word(ended)
      dtype = dtype_of(merge('f64 ', 'f32 ', name == 'f64'))
      if (ended) then
        dtype = dtype_of(name)
        operands = int(whole(second))
        n = int(whole(third))
      else
        dtype = dtype_of(second)
        operands = int(whole(third))
        n = int(whole(word()))
      end if
      allocate (table(operands + 1, n), got(n))
      do k = 1, n
        do i = 1, operands + 1
          second = word()
          read (second(index(second, 'x') + 1:), '(z16)') table(i, k)
        end do
      end do
      do i = 1, operands
        x(i) = orr_borrow(from_bits(table(i, :), dtype, [n]))
      end do
      if (row == 'where') x(1) = orr_cast(x(1), ORR_BOOL)
      call call_by_name(row, x, r, known)
      kind = orr_tensor_dtype(r)
      width = int(orr_dtype_size(kind))
      call bits_of(r, width, got)
      do k = 1, n
        if (kind >= ORR_F16 .and. kind <= ORR_F64) then
          right = close_to(float_of(got(k), kind), float_of(table(operands + 1, k), kind), kind, ulps)
        else
          right = ibits(got(k), 0, min(63, 8 * width)) == ibits(table(operands + 1, k), 0, min(63, 8 * width))
        end if
        if (known .and. right) cycle
        call fail(name // ': ' // row // ' has another result')
        exit
      end do
      deallocate (table, got)
      tested = tested + 1
    end do
    if (tested == 0) call fail(name // ': no case')
  end subroutine

  ! -- operations of NumPy ----------------------------------------------------------------------------------------------

  subroutine array(dtype, rank, shape, v, n)
    integer, intent(out) :: dtype, rank, shape(8)
    real(c_double), allocatable, intent(out) :: v(:)
    integer(c_int64_t), allocatable, intent(out) :: n(:)
    integer :: k, count
    dtype = dtype_of(word())
    rank = int(whole(word()))
    shape = 1
    do k = 1, rank
      shape(k) = int(whole(word()))
    end do
    count = product(shape) * merge(2, 1, dtype >= ORR_C64)
    allocate (v(count), n(count))
    v = 0
    n = 0
    do k = 1, count
      if (dtype >= ORR_F16) then
        v(k) = number(word())
      else
        n(k) = unsigned(word())
      end if
    end do
  end subroutine

  ! An integer of 64 bits, signed or not.
  function unsigned(w) result(n)
    character(*), intent(in) :: w
    integer(c_int64_t) :: n
    integer :: k
    n = 0
    do k = 1, len(w)
      if (w(k:k) /= '-') n = n * 10 + (iachar(w(k:k)) - 48)
    end do
    if (w(1:1) == '-') n = -n
  end function

  function made(dtype, shape, v, n) result(p)
    integer, intent(in) :: dtype, shape(:)
    real(c_double), intent(in) :: v(:)
    integer(c_int64_t), intent(in) :: n(:)
    type(c_ptr) :: p
    real(c_double), target :: plain(max(1, size(v)))
    type(orr_shape) :: s
    if (dtype < ORR_F16) then
      p = from_bits(n, dtype, shape)
      return
    end if
    s%rank = size(shape)
    s%dim(1:size(shape)) = shape
    plain(1:size(v)) = v
    p = c_from(c_null_ptr, 0_c_int, merge(ORR_C128, ORR_F64, dtype >= ORR_C64), s, c_loc(plain))
  end function

  subroutine numpys(name, least)
    character(*), intent(in) :: name
    integer, intent(in) :: least
    character(:), allocatable :: w, op
    real(c_double) :: p(most), ulps, got, largest
    real(c_double), allocatable :: v(:)
    integer(c_int64_t), allocatable :: n(:), bits(:)
    integer :: k, count, operands, run, dtype, rank, shape(8), to, part
    type(orr_tensor) :: x(most), r
    logical :: known, right
    call open_words('numpy/' // name // '.txt')
    run = 0
    w = word()
    do while (w == 'case')
      op = word()
      ulps = number(word())
      count = int(whole(word()))
      do k = 1, count
        p(k) = number(word())
      end do
      to = ORR_F64
      if (index(op, ':') > 0) then
        to = dtype_of(op(index(op, ':') + 1:))
        op = op(:index(op, ':') - 1)
      end if
      operands = 0
      w = word()
      do while (w == 'in')
        operands = operands + 1
        call array(dtype, rank, shape, v, n)
        x(operands) = orr_borrow(made(dtype, shape(1:rank), v, n))
        if (dtype >= ORR_F16) x(operands) = orr_cast(x(operands), dtype)
        w = word()
      end do
      call array(dtype, rank, shape, v, n)
      w = word()
      call apply(op, x(1:operands), p(1:count), to, r, known)
      if (.not. known) cycle
      run = run + 1
      right = orr_tensor_dtype(r) == dtype
      if (right) right = size(orr_tensor_shape(r)) == rank
      if (right) right = all(orr_tensor_shape(r) == shape(1:rank))
      if (right) then
        part = dtype
        if (dtype >= ORR_C64) then
          part = merge(ORR_F32, ORR_F64, dtype == ORR_C64)
          r = orr_stack([orr_real(r), orr_imag(r)], -1)
        end if
        allocate (bits(size(v)))
        call bits_of(r, int(orr_dtype_size(part)), bits)
        largest = 0
        do k = 1, size(v)
          if (.not. special(v(k))) largest = max(largest, abs(v(k)))
        end do
        do k = 1, size(v)
          if (part < ORR_F16) then
            right = right .and. ibits(bits(k) - n(k), 0, min(63, 8 * int(orr_dtype_size(part)))) == 0
            cycle
          end if
          got = float_of(bits(k), part)
          if (special(v(k))) then
            right = right .and. (got == v(k) .or. (got /= got .and. v(k) /= v(k)))
          else if (ulps < 0) then
            right = right .and. got == v(k)
          else
            right = right .and. abs(got - v(k)) <= ulps * 2d0**(1 - digits_of(part)) * (abs(v(k)) + largest)
          end if
        end do
        deallocate (bits)
      end if
      if (.not. right) call fail(name // ': ' // op // ' has another result')
    end do
    if (run < least) call fail(name // ': too few cases were run')
  end subroutine

  ! Calls an operation with the numbers of a case; those of the form "x, axes, keepdims" and "x, axis, flag" by the same lines.
  subroutine apply(op, x, p, to, r, known)
    character(*), intent(in) :: op
    type(orr_tensor), intent(in) :: x(:)
    real(c_double), intent(in) :: p(:)
    integer, intent(in) :: to
    type(orr_tensor), intent(inout) :: r
    logical, intent(out) :: known
    integer, allocatable :: axes(:), q(:)
    integer :: m
    logical :: keep
    known = .true.
    q = int(max(min(p, 2147483647d0), -2147483648d0))
    m = size(p)
    keep = .false.
    select case (op)
    case ('sum', 'prod', 'mean', 'min', 'max', 'any', 'all', 'norm', 'logsumexp')
      keep = q(1) /= 0
      if (q(2) >= 0) axes = q(3:2 + q(2))
    case ('var', 'std')
      keep = q(2) /= 0
      if (q(3) >= 0) axes = q(4:3 + q(3))
    case ('squeeze', 'flip')
      if (q(1) >= 0) axes = q(2:1 + q(1))
    case ('argmin', 'argmax')
      if (q(1) <= -99) q(1) = ORR_FLAT
      keep = q(2) /= 0
    end select
    select case (op)
    case ('cast');           r = orr_cast(x(1), to)
    case ('arange');         r = orr_arange(to, p(1), p(2), p(3))
    case ('linspace');       r = orr_linspace(to, p(1), p(2), q(3))
    case ('eye');            r = orr_eye(to, q(1), q(2), q(3))
    case ('one_hot');        r = orr_one_hot(x(1), q(1), to)
    case ('reshape');        r = reshape(x(1), q)
    case ('permute');        r = orr_permute(x(1), q)
    case ('broadcast_to');   r = orr_broadcast_to(x(1), q)
    case ('matmul');         r = matmul(x(1), x(2))
    case ('matmul_tt');      r = matmul(transpose(x(1)), transpose(x(2)))
    case ('pad');            r = orr_pad(x(1), q(2:1 + m / 2), q(2 + m / 2:m), p(1))
    case ('concat');         r = orr_concat(x, q(1))
    case ('stack');          r = orr_stack(x, q(1))
    case ('squeeze');        r = orr_squeeze(x(1), axes)
    case ('flip');           r = orr_flip(x(1), axes)
    case ('argmin');         r = orr_argmin(x(1), q(1), keep)
    case ('argmax');         r = orr_argmax(x(1), q(1), keep)
    case ('sum');            r = sum(x(1), axes, keep)
    case ('prod');           r = orr_prod(x(1), axes, keep)
    case ('mean');           r = orr_mean(x(1), axes, keep)
    case ('min');            r = orr_min(x(1), axes, keep)
    case ('max');            r = orr_max(x(1), axes, keep)
    case ('any');            r = any(x(1), axes, keep)
    case ('all');            r = all(x(1), axes, keep)
    case ('norm');           r = orr_norm(x(1), axes, keep)
    case ('logsumexp');      r = orr_logsumexp(x(1), axes, keep)
    case ('var');            r = orr_var(x(1), axes, p(1), keep)
    case ('std');            r = orr_std(x(1), axes, p(1), keep)
    case ('cumulative_sum'); r = orr_cumulative_sum(x(1), q(1), q(2) /= 0)
    case ('cumulative_prod'); r = orr_cumulative_prod(x(1), q(1), q(2) /= 0)
    case ('sort');           r = orr_sort(x(1), q(1), q(2) /= 0)
    case ('argsort');        r = orr_argsort(x(1), q(1), q(2) /= 0)
    case ('expand_dims');    r = orr_expand_dims(x(1), q(1))
    case ('select');         r = orr_select(x(1), q(1), q(2))
    case ('take');           r = orr_take(x(1), x(2), q(1))
    case ('scatter_add');    r = orr_scatter_add(x(1), x(2), x(3), q(1))
    case ('softmax');        r = orr_softmax(x(1), q(1))
    case ('log_softmax');    r = orr_log_softmax(x(1), q(1))
    case ('tril');           r = orr_tril(x(1), q(1))
    case ('triu');           r = orr_triu(x(1), q(1))
    case default
      call call_by_name(op, x, r, known)
    end select
  end subroutine
end program
