! The second example of FTorch, 2_SimpleNet, with Orrery: a network of one linear layer that doubles its input is saved, loaded, and applied to
! an array.
program ftorch_simplenet
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  real(c_float) :: input(5) = [0., 1., 2., 3., 4.], output(5)
  type(orr_module) :: net, saved

  call orr_start()
  saved = orr_dense(5, 5)
  call orr_assign(orr_module_variable(saved, 'weight'), 2 * orr_eye(ORR_F32, 5, 5, 0))
  call orr_assign(orr_module_variable(saved, 'bias'), orr_zeros(ORR_F32, [5]))
  call orr_module_save(saved, 'simplenet.npz')

  net = orr_dense(5, 5)
  call orr_module_load(net, 'simplenet.npz')
  call orr_read(orr_forward(net, orr_from(input)), output)
  print '(5f5.1)', output
  if (any(output /= 2 * input)) error stop 'WRONG'
  call orr_module_free(net)
  call orr_module_free(saved)
  call orr_shutdown()
end program
