! The program of the README in Fortran: a row of scores becomes probabilities, in a graph that runs when it is read.
program ten_lines
  use orrery
  implicit none
  type(orr_tensor) :: x, w
  real :: y(4, 10)
  call orr_start()
  x = orr_randn(ORR_F32, [4, 784], 0.0, 1.0)
  w = orr_randn(ORR_F32, [784, 10], 0.0, 0.05)
  call orr_read(orr_softmax(matmul(x, w), -1), y)
  print '(10f7.3)', transpose(y)
  if (any(abs(sum(y, 2) - 1) > 1e-5)) error stop 'the rows are no probabilities'
  call orr_shutdown()
end program
