! Trains a 784-128-10 network on Fashion-MNIST and prints its accuracy on the test images.
! usage: fashion_mnist [STEPS [FOLDER]]     FOLDER holds the IDX files (Debian: dataset-fashion-mnist)
program fashion_mnist
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  type(orr_tensor) :: x, labels, test, test_labels, which, loss, right
  type(orr_module) :: net
  type(orr_optim) :: adam
  real(c_double) :: value
  integer :: step, steps
  character(200) :: argument, folder

  steps = 400
  folder = '/usr/share/datasets/fashion-mnist'
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) steps
  call get_command_argument(2, argument)
  if (argument /= '') folder = argument

  call orr_start()
  call orr_seed(3)
  call images('train', x)
  call images('t10k', test)
  labels = orr_load_idx(trim(folder) // '/train-labels-idx1-ubyte.gz')
  test_labels = orr_load_idx(trim(folder) // '/t10k-labels-idx1-ubyte.gz')
  call orr_eval_all([x, labels, test, test_labels])

  net = orr_sequential([orr_dense(784, 128, ORR_ACTIVATION_RELU), orr_dense(128, 10)])
  adam = orr_optim_of_module(ORR_OPTIM_ADAM, net)
  do step = 1, steps
    which = orr_randint(ORR_I64, [128], 0, 60000)
    loss = orr_cross_entropy(orr_forward(net, orr_take(x, which, 0)), orr_take(labels, which, 0))
    call orr_optim_step(adam, loss)
    call orr_item(loss, value)
    if (mod(step, 100) == 0) print '(a, i5, a, f8.4)', 'step', step, '   loss', value
  end do
  right = orr_argmax(orr_forward(net, test), -1) == orr_cast(test_labels, ORR_I64)
  call orr_item(orr_mean(orr_cast(right, ORR_F64)), value)
  print '(a, f6.4)', 'test accuracy: ', value
  call orr_optim_free(adam)
  call orr_module_free(net)
  call orr_shutdown()

contains

  ! Images as rows of 784, normalised.
  subroutine images(part, rows)
    character(*), intent(in) :: part
    type(orr_tensor), intent(inout) :: rows
    rows = reshape(orr_cast(orr_load_idx(trim(folder) // '/' // part // '-images-idx3-ubyte.gz'), ORR_F32), [-1, 784])
    rows = (rows - 0.2860 * 255) / (0.3530 * 255)
  end subroutine
end program
