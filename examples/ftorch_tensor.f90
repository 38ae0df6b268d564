! The first example of FTorch, 1_Tensor, with Orrery: tensors are made, filled from arrays, computed with, and read into arrays.
program ftorch_tensor
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  type(orr_tensor) :: a, b, c
  real(c_float), target :: data(2, 3), found(2, 3)
  integer :: i

  call orr_start()
  a = orr_ones(ORR_F32, [2, 3])
  data = reshape([(real(i), i = 1, 6)], [2, 3])
  b = orr_wrap(data) ! the memory of the array, without a copy
  c = a + 2 * b
  print '(2a, 2(1x, i0))', orr_dtype_name(orr_tensor_dtype(c)), ', shape', orr_tensor_shape(c)
  call orr_print(t=c)
  call orr_read(c, found)
  if (any(found /= 1 + 2 * data)) error stop 'WRONG'
  print '(a)', 'right'
  call orr_shutdown()
end program
