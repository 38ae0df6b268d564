! The heat equation on a square plate: steps by slices, ten in one evaluation, beside a plain loop.
program heat
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  integer, parameter :: n = 256
  real(c_double), parameter :: rate = 0.2d0
  real(c_double) :: plate(n, n), edged(0:n + 1, 0:n + 1), found(n, n), worst
  type(orr_tensor) :: u, p
  integer :: i, j, k

  do j = 1, n
    do i = 1, n
      plate(i, j) = merge(1d0, merge(0.7d0, 0d0, hypot(i - 171d0, j - 81d0) < 40), abs(i - 61) < 6)
    end do
  end do
  call orr_start()
  u = orr_from(plate)
  edged = 0
  do k = 1, 50
    p = orr_pad(u, [1, 1], [1, 1], 0)
    u = u + rate * (orr_slice(p, [0, 1], [n, n + 1]) + orr_slice(p, [2, 1], [n + 2, n + 1]) + &
                    orr_slice(p, [1, 0], [n + 1, n]) + orr_slice(p, [1, 2], [n + 1, n + 2]) - 4 * u)
    if (mod(k, 10) == 0) call orr_eval(u)
    edged(1:n, 1:n) = plate
    plate = plate + rate * (edged(0:n - 1, 1:n) + edged(2:n + 1, 1:n) + edged(1:n, 0:n - 1) + edged(1:n, 2:n + 1) - 4 * plate)
  end do
  call orr_read(u, found)
  worst = maxval(abs(found - plate))
  print '(a, es8.1)', '50 steps, largest difference to the loop: ', worst
  if (worst > 1d-12) error stop 'WRONG'
  call orr_shutdown()
end program
