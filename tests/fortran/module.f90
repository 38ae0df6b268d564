! The module orrery: operators, arrays of every rank, errors by stat and errmsg, ownership, graphs, a network, callbacks.
! tests/tools/fortran.c compiles and runs it; it ends with 1 after a failure.
module callbacks
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
contains
  function twice(x, user) bind(c) result(r)
    type(c_ptr), value :: x, user
    type(c_ptr) :: r
    type(orr_tensor) :: t
    t = orr_borrow(x)
    if (.not. c_associated(user)) r = orr_pointer(t * 2)
  end function
end module

program test_module
  use, intrinsic :: iso_c_binding
  use orrery
  use callbacks
  implicit none
  integer :: failures = 0

  call orr_start()
  call operators_take_tensors_and_numbers()
  call arrays_of_every_rank_come_and_go()
  call memory_is_shared()
  call errors_are_reported()
  call tensors_are_freed()
  call graphs_and_gradients_compute()
  call a_network_learns()
  call texts_and_lists_pass()
  call orr_shutdown()
  if (failures > 0) error stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'not so: ', what
    failures = failures + 1
  end subroutine

  ! An operation frees the result of a function that it is given; a second one finds a stale tensor, never another one.
  subroutine used_twice(x, n, expected)
    type(orr_tensor), intent(in) :: x
    integer, intent(in) :: n, expected
    type(orr_tensor) :: first, other, kept
    integer :: status, k
    real(c_double) :: v
    first = x + 0
    do k = 1, 50
      other = orr_from([real(c_double) :: k])
    end do
    if (n == 3) then
      other = orr_sum(x, stat=status)
      call check(status == ORR_EHANDLE, 'a result that was used')
      kept = x
      other = orr_sum(kept, stat=status)
      call check(status == ORR_EHANDLE, 'a result that was used and assigned')
      call orr_item(sum(first), v)
      call check(v == 10, 'what was made of it')
    else
      other = orr_sum(x, stat=status)
      call orr_item(other, v)
      call check(status == expected .and. v == 7, 'a variable is used twice')
    end if
  end subroutine

  subroutine operators_take_tensors_and_numbers()
    type(orr_tensor) :: x, y
    real(c_double) :: a(3), v
    real(c_float) :: single
    integer(c_int64_t) :: n(3)
    integer :: whole, status
    logical(c_bool) :: b(3)
    x = orr_from([1d0, 2d0, 4d0])
    y = 2 * x + 1.0 - x / 2d0
    call orr_read(y, a)
    call check(all(a == [2.5d0, 4d0, 7d0]), 'numbers on both sides')
    call orr_read(-x**2 + (+x), a)
    call check(all(a == [0d0, -2d0, -12d0]), 'powers and signs')
    call orr_read(x > 1 .and. .not. (x == 4), b)
    call check(all(logical(b) .eqv. [.false., .true., .false.]), 'comparisons')
    call orr_read(orr_from([1_c_int64_t, 2_c_int64_t, 3_c_int64_t]) * 3, n)
    call check(all(n == [3, 6, 9]), 'integers stay integers')
    call orr_item(sum(exp(x * 0)), v)
    call check(v == 3, 'intrinsic names')
    call orr_item(reshape(sum(x) / 2, [1, 1]), single)
    call orr_item(sum(x), whole)
    call orr_item(x, whole, stat=status)
    call check(single == 3.5 .and. whole == 7 .and. status == ORR_ESHAPE, 'the one number in other kinds')
    call used_twice(x + 1, 3, ORR_OK)
    call used_twice(x, 6, ORR_OK)
    call orr_item(matmul(x, x), v)
    call check(v == 21, 'matmul')
    y = x
    x = x + 1
    call orr_read(y, a)
    call check(all(a == [1d0, 2d0, 4d0]), 'an assignment does not change the other name')
  end subroutine

  subroutine arrays_of_every_rank_come_and_go()
    type(orr_tensor) :: t
    real(c_float) :: a(2, 3), b(3, 2), s, u(2, 3, 4, 5), w(2, 3, 4, 5)
    complex(c_double) :: z(2), y(2)
    integer(c_int8_t) :: k(2, 2), l(2, 2)
    integer :: i
    a = reshape([(real(i), i = 1, 6)], [2, 3])
    t = orr_from(a)
    call check(all(orr_tensor_shape(t) == [2, 3]), 'the shape is that of Fortran')
    call orr_read(orr_select(orr_select(t, 0, 1), 0, 2), s)
    call check(s == a(2, 3), 'element (i, j) is (i - 1, j - 1)')
    call orr_read(transpose(t), b)
    call check(all(b == transpose(a)), 'transpose')
    call orr_read(sum(t, [0]) - orr_from(sum(a, 1)), b(:, 1))
    call check(all(b(:, 1) == 0), 'sums along an axis')
    call random_number(u)
    call orr_read(orr_from(u), w)
    call check(all(u == w), 'rank 4')
    call orr_read(orr_from(u(:, 1:3:2, :, 2)), w(:, 1:2, :, 1))
    call check(all(w(:, 1:2, :, 1) == u(:, 1:3:2, :, 2)), 'sections')
    z = [(1d0, 2d0), (3d0, -4d0)]
    call orr_read(orr_from(z) * (0d0, 1d0), y)
    call check(all(y == z * (0d0, 1d0)), 'complex')
    k = reshape([1_c_int8_t, 2_c_int8_t, 3_c_int8_t, 4_c_int8_t], [2, 2])
    call orr_read(orr_from(k) + 1, l)
    call check(all(l == k + 1), 'bytes')
    call orr_read(matmul(orr_from(a), orr_from(b)), l)
    call check(all(l == int(matmul(a, b))), 'read casts')
  end subroutine

  subroutine memory_is_shared()
    real(c_double), target, save :: a(4, 5)
    type(orr_tensor) :: t
    real(c_double) :: v
    integer :: stat
    character(200) :: message
    a = 1
    t = orr_wrap(a)
    a(2, 3) = 5 ! before any use: the tensor reads the program's memory
    call orr_read(orr_select(orr_select(t, 0, 1), 0, 2), v)
    call check(v == 5, 'orr_wrap copies nothing')
    t = orr_wrap(a(1:4:2, :), stat, message)
    call check(stat == ORR_EINVAL .and. index(message, 'contiguous') > 0, 'a section is refused')
  end subroutine

  subroutine errors_are_reported()
    type(orr_tensor) :: t
    type(orr_module) :: m
    real(c_float) :: a(2, 2)
    integer :: stat
    character(200) :: message
    call orr_here('place.f90', 7)
    t = orr_add(orr_ones(ORR_F32, [2]), orr_ones(ORR_F32, [3]), stat, message)
    call check(stat == ORR_ESHAPE, 'stat')
    call check(index(message, 'place.f90:7: add: shapes (2,) and (3,)') == 1, trim(message))
    call orr_read(orr_ones(ORR_F32, [2, 3]), a, stat, message)
    call check(stat == ORR_ESHAPE, 'an array of another shape')
    t = orr_reshape(orr_ones(ORR_F32, [4]), [3, -1], stat=stat)
    call check(stat == ORR_ESHAPE .and. orr_tensor_status(t) == ORR_ESHAPE, 'a poison')
    m = orr_dense(-1, 2, ORR_ACTIVATION_RELU, orr_initialiser(), stat=stat)
    call check(stat /= ORR_OK .and. .not. c_associated(m%p), 'an object')
  end subroutine

  subroutine tensors_are_freed()
    type(c_ptr) :: p
    type(orr_memory) :: before, after
    integer :: k
    type(orr_tensor) :: t
    p = inner()
    call check(orr_tensor_status(orr_borrow(p)) == ORR_EHANDLE, 'the end of a variable frees')
    before = orr_memory_stats()
    do k = 1, 200
      t = orr_ones(ORR_F64, [100, 100]) * k + 1
      call orr_eval(t)
      t = t + t
      call orr_eval(t)
    end do
    after = orr_memory_stats()
    call check(after%live - before%live < 2000000, 'intermediate results are freed')
  end subroutine

  function inner() result(p)
    type(c_ptr) :: p
    type(orr_tensor) :: t, u
    t = orr_zeros(ORR_F32, [2])
    u = t
    p = orr_pointer(t)
    call orr_free(t)
    call check(orr_tensor_status(u) == ORR_OK, 'another holder keeps it')
  end function

  subroutine graphs_and_gradients_compute()
    type(orr_tensor) :: x, y, w, g(1), r(2), q, s, places
    type(orr_graph) :: graph
    type(orr_event) :: event
    real(c_double) :: a(3), v
    integer :: stat
    character(600) :: message
    x = orr_placeholder(ORR_F64, [3])
    w = orr_from([1d0, 2d0, 3d0])
    y = sum(x * w)
    graph = orr_graph_build([x], [x * 2, y])
    call orr_graph_submit(graph, [w], r)
    call orr_read(r(1), a)
    call orr_item(r(2), v)
    call check(all(a == [2, 4, 6]) .and. v == 14, 'a graph')
    call orr_graph_submit(graph, [w], r, event)
    call orr_wait(event)
    call orr_item(r(2), v)
    call check(v == 14, 'an event')
    call orr_graph_free(graph)
    call orr_grad(sum(w**3), [w], g)
    call orr_read(g(1), a)
    call check(all(a == [3, 12, 27]), 'a gradient')
    q = abs(w)
    call orr_grad(sum(w**3), [q], g, stat, message)
    call check(stat == ORR_EGRAPH .and. index(message, 'does not depend') > 0, 'a gradient by what is not used')
    call orr_grad(sum(orr_cast(orr_greater(w, q), ORR_F64)), [w], g, stat, message)
    call check(stat == ORR_EGRAPH .and. index(message, 'whole numbers') > 0, 'a gradient through truth values')
    call orr_grad_or_zeros(sum(w**3), [q], g)
    call orr_read(g(1), a)
    call check(all(a == 0), 'zeros')
    call orr_qr(orr_eye(ORR_F64, 3, 3, 0), q=q, r=s)
    call orr_item(sum(abs(matmul(q, s))), v)
    call check(v == 3, 'qr')
    call orr_topk(w, 1, 0, .true., s, places)
    call orr_item(places, v)
    call check(v == 2, 'topk')
  end subroutine

  subroutine a_network_learns()
    type(orr_module) :: net
    type(orr_optim) :: adam
    type(orr_optim_options) :: options
    type(orr_tensor) :: x, y, loss
    real(c_double) :: first, last
    integer :: k
    call orr_seed(1)
    x = reshape(orr_linspace(ORR_F32, -1.0, 1.0, 64), [64, 1])
    y = x * 3 + 1
    net = orr_sequential([orr_dense(1, 8, ORR_ACTIVATION_TANH, orr_initialiser()), &
                          orr_function(c_funloc(twice)), orr_dense(8, 1)])
    options = orr_optim_defaults(ORR_OPTIM_ADAM)
    options%lr = 0.05d0
    adam = orr_optim_of_module(ORR_OPTIM_ADAM, net, options)
    do k = 1, 100
      loss = orr_mse(orr_forward(net, x), y)
      call orr_optim_step(adam, loss)
      call orr_item(loss, last)
      if (k == 1) first = last
    end do
    call check(last < first / 20, 'a loss falls')
    call check(orr_module_size(net) == 25, 'parameters')
    call orr_optim_free(adam)
    call orr_module_free(net)
  end subroutine

  subroutine texts_and_lists_pass()
    type(orr_tensor) :: t
    character(:), allocatable :: names(:)
    type(orr_op) :: op
    real(c_double) :: a(2)
    integer :: failed
    op = orr_define_elementwise('scaled', 2, 'x * y', [character(8) :: 'g*y', 'g*x'])
    call orr_read(orr_apply(op, [orr_from([1d0, 2d0]), orr_from([3d0, 4d0])]), a)
    call check(all(a == [3, 8]) .and. orr_op_name(op) == 'scaled', 'an operation of the program')
    call orr_save_npz('module_test.npz', [character(6) :: 'first', 'second'], [orr_from([1d0, 2d0]), orr_from([3d0, 5d0])])
    call orr_npz_names('module_test.npz', names)
    call check(size(names) == 2 .and. names(2) == 'second', 'names of a file')
    t = orr_load_npz('module_test.npz', 'second')
    call orr_read(orr_concat([t, t], 0) - 3, a, stat=failed)
    call check(failed == ORR_ESHAPE, 'a shape')
    call orr_read(t, a)
    call check(all(a == [3, 5]), 'a file')
    call check(orr_version() /= '', 'a text')
  end subroutine
end program
