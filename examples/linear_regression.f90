! Fits y = X·w + b to noisy points by gradient descent and compares the fit with the true w and b.
program linear_regression
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  real(c_double), parameter :: true_w(3) = [1.5d0, -2d0, 0.5d0], true_b = 0.25d0
  type(orr_tensor) :: x, y, w, b, loss
  type(orr_optim) :: optimiser
  type(orr_optim_options) :: options
  real(c_double) :: found(3), bias, value, worst
  integer :: step

  call orr_start()
  call orr_seed(1)
  x = orr_randn(ORR_F64, [1000, 3], 0.0, 1.0)
  y = matmul(x, orr_from(true_w)) + true_b + orr_randn(ORR_F64, [1000], 0.0, 0.1)
  call orr_eval_all([x, y])

  w = orr_variable(orr_zeros(ORR_F64, [3]))
  b = orr_variable(orr_zeros(ORR_F64, [integer ::]))
  options = orr_optim_defaults(ORR_OPTIM_SGD)
  options%lr = 0.05d0
  options%momentum = 0.9d0
  optimiser = orr_optim_new(ORR_OPTIM_SGD, [w, b], options)
  do step = 1, 200
    loss = orr_mse(matmul(x, w) + b, y)
    call orr_optim_step(optimiser, loss)
    call orr_item(loss, value) ! evaluates the loss and the step together
    if (step == 1 .or. mod(step, 50) == 0) print '(a, i4, a, f9.6)', 'step', step, '   loss', value
  end do

  call orr_read(w, found)
  call orr_item(b, bias)
  worst = max(maxval(abs(found - true_w)), abs(bias - true_b))
  print '(a, 3f9.4, a, f9.4)', 'w', found, '   b', bias
  if (worst > 0.02d0) error stop 'the fit is off by more than the noise explains'
  call orr_optim_free(optimiser)
  call orr_shutdown()
end program
