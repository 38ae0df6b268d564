! The third example of FTorch, 3_ResNet, with Orrery: ResNet-18 classifies an image of 224 × 224.
! usage: ftorch_resnet [WEIGHTS.safetensors IMAGE]
!   WEIGHTS holds the state of torchvision's resnet18 under its names, IMAGE is a PNG or JPEG file; without them weights and image are random.
! K. He et al., "Deep residual learning for image recognition", 2016.
program ftorch_resnet
  use, intrinsic :: iso_c_binding
  use orrery
  implicit none
  integer, parameter :: widths(4) = [64, 128, 256, 512]
  real(c_float), parameter :: mean(3) = [0.485, 0.456, 0.406], deviation(3) = [0.229, 0.224, 0.225]
  character(300) :: file, picture
  type(orr_tensor) :: x, p, places, chances
  type(orr_pool_options) :: pool
  real(c_float) :: best(5), total
  integer(c_int64_t) :: classes(5)
  integer :: stage, block, before, k
  type(orr_scope) :: scope ! owns the results of the function below

  call get_command_argument(1, file)
  call get_command_argument(2, picture)
  call orr_start()
  call orr_seed(1)
  scope = orr_scope_begin()
  if (picture == '') then
    x = orr_randn(ORR_F32, [1, 3, 224, 224], 0.0, 1.0)
  else ! (height, width, channels) of bytes to one image of channels
    x = orr_permute(orr_cast(orr_load_image(picture), ORR_F32), [2, 0, 1]) / 255
    x = (x - reshape(orr_from(mean), [3, 1, 1])) / reshape(orr_from(deviation), [3, 1, 1])
    x = orr_resize(reshape(x, [1_c_int64_t, orr_tensor_shape(x)]), [224, 224], ORR_RESIZE_LINEAR)
  end if

  call convolve(x, 'conv1', 'bn1', 3, 64, 7, 2)
  pool%window(1:2) = 3
  pool%stride(1:2) = 2
  pool%padding(1:2) = 1
  x = orr_max_pool(orr_relu(x), pool)
  before = 64
  do stage = 1, 4
    do block = 0, 1
      call residual('layer' // digit(stage) // '.' // digit(block) // '.', before, widths(stage), &
                    merge(2, 1, stage > 1 .and. block == 0))
      before = widths(stage)
    end do
  end do
  x = orr_mean(x, [2, 3])
  p = matmul(x, transpose(weight('fc.weight', [1000, 512]))) + weight('fc.bias', [1000])
  p = reshape(orr_softmax(p, -1), [1000])

  call orr_topk(p, 5, 0, .true., chances, places)
  call orr_read(chances, best)
  call orr_read(places, classes)
  call orr_read(sum(p), total)
  do k = 1, 5
    print '(a, i4, a, f7.4)', 'class ', classes(k), '   probability ', best(k)
  end do
  if (abs(total - 1) > 1e-4 .or. any(best(2:) > best(:4))) error stop 'WRONG'
  call orr_scope_end(scope)
  call orr_shutdown()

contains

  function digit(n) result(c)
    integer, intent(in) :: n
    character(1) :: c
    c = achar(iachar('0') + n)
  end function

  ! x becomes relu(x' + the two convolutions of x), where x' is x, or its projection where the shape changes.
  subroutine residual(name, from, to, stride)
    character(*), intent(in) :: name
    integer, intent(in) :: from, to, stride
    type(orr_tensor) :: same
    same = x
    call convolve(x, name // 'conv1', name // 'bn1', from, to, 3, stride)
    x = orr_relu(x)
    call convolve(x, name // 'conv2', name // 'bn2', to, to, 3, 1)
    if (stride > 1) call convolve(same, name // 'downsample.0', name // 'downsample.1', from, to, 1, stride)
    x = orr_relu(x + same)
  end subroutine

  ! A convolution without bias and its normalisation.
  subroutine convolve(y, conv, norm, from, to, width, stride)
    type(orr_tensor), intent(inout) :: y
    character(*), intent(in) :: conv, norm
    integer, intent(in) :: from, to, width, stride
    type(orr_conv_options) :: options
    options%stride(1:2) = stride
    options%padding(1:2) = width / 2
    y = orr_conv(y, weight(conv // '.weight', [to, from, width, width]), o=options)
    y = orr_batch_norm(y, weight(norm // '.running_mean', [to]), weight(norm // '.running_var', [to]), &
                       weight(norm // '.weight', [to]), weight(norm // '.bias', [to]), 1e-5)
  end subroutine

  ! A tensor of the file, or a random one with the mean and deviation that such weights begin with.
  function weight(name, shape) result(w)
    character(*), intent(in) :: name
    integer, intent(in) :: shape(:)
    type(orr_tensor) :: w
    if (file /= '') then
      w = orr_load_safetensors(file, name)
    else if (size(shape) > 1) then
      w = orr_randn(ORR_F32, shape, 0.0, sqrt(2.0 / product(shape(2:))))
    else
      w = orr_full(ORR_F32, shape, merge(1, 0, index(name, 'weight') + index(name, 'var') > 0))
    end if
  end function
end program
